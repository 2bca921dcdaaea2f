"""How masks made on many threads scale with the cores.

    python benches/threads.py

Sixteen matchers follow one completion each, on 1 to 16 threads. Each has a compiler of its own, so that no mask is made
before the clock runs and none is shared; a mask that was made before is copied in less time than Python takes to call
for it, and nothing is gained by doing that on more threads. `batches` is the same work in one call for each token.
`hashing` is what the machine gives at the same time to work that shares nothing: read the one against the other.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

import harmony_mask

REQUEST = json.loads((Path(__file__).resolve().parents[2] / "examples" / "weather.json").read_text())
LOGITS = 201_088
MATCHERS = 16
ROUNDS = 20
COMPLETION = harmony_mask.Vocabulary.o200k_harmony().encode(
    "<|channel|>analysis<|message|>Lisbon, at the weekend.<|end|><|start|>assistant<|channel|>commentary"
    ' to=functions.get_current_weather <|constrain|>json<|message|>{"location":"Lisbon","format":"celsius"}<|call|>',
    special_tokens=True,
)


def matchers() -> list[harmony_mask.Matcher]:
    return [harmony_mask.Compiler().compile(REQUEST).matcher() for _ in range(MATCHERS)]


def follow(matcher: harmony_mask.Matcher) -> None:
    bitmask = harmony_mask.allocate_token_bitmask(1, LOGITS)
    for token in COMPLETION:
        matcher.fill_next_token_bitmask(bitmask)
        matcher.accept(token)


def follow_in_batches(matchers: list[harmony_mask.Matcher]) -> None:
    bitmask = harmony_mask.allocate_token_bitmask(MATCHERS, LOGITS)
    for token in COMPLETION:
        harmony_mask.batch_fill_next_token_bitmask(matchers, bitmask)
        for matcher in matchers:
            matcher.accept(token)


def seconds(run: Callable[[list[harmony_mask.Matcher]], object]) -> float:
    fresh = matchers()
    started = time.perf_counter()
    run(fresh)
    return time.perf_counter() - started


def on_threads(count: int) -> Callable[[list[harmony_mask.Matcher]], object]:
    pool = ThreadPoolExecutor(count)
    return lambda fresh: list(pool.map(follow, fresh))


def hashing_on_threads(count: int) -> Callable[[list[harmony_mask.Matcher]], object]:
    """About as much work as following the completions."""
    pool, text = ThreadPoolExecutor(count), bytes(2_000_000)
    return lambda fresh: list(pool.map(lambda _: hashlib.sha256(text).digest(), fresh))


def main() -> None:
    counts = (1, 2, 4, 8, 16)
    masks = {f"{count:>2} threads": on_threads(count) for count in counts} | {"batches": follow_in_batches}
    hashes = [hashing_on_threads(count) for count in counts]
    # All ways in turn, so that a busy neighbour slows all of them down; the best round of each counts.
    rounds = [[seconds(run) for run in (*masks.values(), *hashes)] for _ in range(ROUNDS)]
    best = [min(column) for column in zip(*rounds, strict=True)]
    times = [best[0] / taken for taken in best[: len(masks)]]
    hashing = [best[len(masks)] / taken for taken in best[len(masks) :]]
    microseconds = best[0] / MATCHERS / len(COMPLETION) * 1e6
    print(f"{os.cpu_count()} cores; {microseconds:.0f} us for a token and its mask on one thread")
    print("times as fast as one thread: masks, hashing")
    for name, masks_times, hash_times in zip_longest(masks, times, hashing):
        print(f"{name:<10} {masks_times:5.2f}" + ("" if hash_times is None else f" {hash_times:5.2f}"))


if __name__ == "__main__":
    main()
