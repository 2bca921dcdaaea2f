#!/usr/bin/env bash
# Builds the library in C's two forms, and runs the tests and the example in C against it: with the static
# library, with the shared one, and as C++. Needs cargo and the C compiler that Rust links with; run from
# anywhere. `c/ci.sh --debug` takes the dev profile, for a change that is tried out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
target="${CARGO_TARGET_DIR:-$PWD/../target}"
cc="${CC:-cc}"
cxx="${CXX:-c++}"

step() {
    printf '\n-- c: %s (%d s)\n' "$1" "$SECONDS"
}

profile=release
[[ ${1:-} != --debug ]] || profile=dev
step "build the library, profile $profile"
cargo build --package harmony-mask-c --profile "$profile"
built="$(cd "$target/${profile/dev/debug}" && pwd)"
programs="$built/c"
mkdir -p "$programs"

warnings=(-Wall -Wextra -Werror -pedantic -Iinclude)
static=("$built/libharmony_mask_c.a" -lpthread -ldl -lm)
shared=(-L"$built" -lharmony_mask_c "-Wl,-rpath,$built")

for test in compiling matching; do
    step "tests/$test.c, as C99"
    "$cc" -std=c99 "${warnings[@]}" "tests/$test.c" "${static[@]}" -o "$programs/$test"
    "$programs/$test"
    if command -v "$cxx" > /dev/null; then
        step "tests/$test.c, as C++11"
        "$cxx" -std=c++11 "${warnings[@]}" -x c++ "tests/$test.c" -x none "${shared[@]}" \
            -o "$programs/$test-cpp"
        "$programs/$test-cpp"
    fi
done

step 'the example'
"$cc" -std=c99 -O2 "${warnings[@]}" examples/sample.c "${shared[@]}" -o "$programs/sample"
"$programs/sample"
for seed in 1 2 3 4 5; do
    "$programs/sample" ../examples/weather.json "$seed"
done
# A request that is wrong is told of, and not taken for one that was sampled.
if "$programs/sample" Cargo.toml; then
    exit 1
fi
