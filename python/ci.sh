#!/usr/bin/env bash
# Builds the wheel, tries it where nothing else is installed, and tests it against numpy, torch and transformers.
# Needs cargo and Python 3.11 or newer; run from anywhere. Environments are kept below target/, so the second run is quick.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$here/../target}"
target="$(mkdir -p "$CARGO_TARGET_DIR/python" && cd "$CARGO_TARGET_DIR/python" && pwd)"
export PIP_DISABLE_PIP_VERSION_CHECK=1

step() {
    printf '\n-- python: %s (%d s)\n' "$1" "$SECONDS"
}

python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' || {
    echo "Python 3.11 or newer with its module venv is needed; this is $(python3 --version 2>&1)" >&2
    exit 1
}

step 'the native half is formatted, and clippy has nothing to say'
cargo fmt --manifest-path "$here/Cargo.toml" --check
cargo clippy --manifest-path "$here/Cargo.toml" --all-targets -- -D warnings

step 'build the wheel'
[[ -x "$target/test/bin/pip" ]] || python3 -m venv "$target/test"
rm -rf "$target/wheel"
"$target/test/bin/pip" wheel --quiet --no-deps --wheel-dir "$target/wheel" "$here"
wheel=("$target"/wheel/harmony_mask-*.whl)

step 'install it in an empty environment'
python3 -m venv --clear "$target/empty"
"$target/empty/bin/pip" install --quiet "${wheel[0]}"
"$target/empty/bin/python" "$here/tests/smoke.py"
"$target/empty/bin/python" "$here/benches/import.py"

step 'install it beside what it is tested with'
# Not compiling the bytecode of all of torch beforehand saves half a minute; what is imported is compiled then.
"$target/test/bin/pip" install --quiet --no-compile --requirement "$here/requirements-test.txt"
"$target/test/bin/pip" install --quiet --no-deps --force-reinstall "${wheel[0]}"

# From here on `harmony_mask` is the installed one: tools that look into the current folder must not find its sources.
cd "$target"

step 'sources are formatted and typed, and the stubs are true'
test/bin/ruff format --check "$here"
test/bin/ruff check "$here"
test/bin/mypy --config-file "$here/pyproject.toml"
test/bin/stubtest --mypy-config-file "$here/pyproject.toml" harmony_mask._native

step 'tests'
# The model is so small that torch's threads would only wait for each other.
OMP_NUM_THREADS=1 test/bin/pytest --config-file "$here/pyproject.toml" "$here/tests"

step 'what calls cost, and how threads scale'
test/bin/python "$here/benches/fill.py"
test/bin/python "$here/benches/threads.py"
