"""How masks made on many threads scale with the cores.

    python benches/threads.py

Sixteen matchers follow one completion each, on 1 to 16 threads. Each has a compiler of its own, so that no mask is made
before the clock runs and none is shared; a mask that was made before is copied in less time than Python takes to call
for it, and nothing is gained by doing that on more threads. `batches` is the same work in one call for each token.
`hashing` is what the machine gives at the same time to work that shares nothing: read the one against the other.

How much faster many threads are depends on how many cores the machine has left for them, which neighbours decide from
one moment to the next (`busy`, processor time over wall time: with nobody else it is the number of cores). What depends
on us is that the work does not grow with the threads (`work`, processor time over that of one thread): locks and shared
memory would show there, on a busy machine as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

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


class Taken(NamedTuple):
    """What a run took, in seconds."""

    wall: float
    processor: float


def taken(run: Callable[[list[harmony_mask.Matcher]], object]) -> Taken:
    fresh = matchers()
    wall, processor = time.perf_counter(), time.process_time()
    run(fresh)
    return Taken(time.perf_counter() - wall, time.process_time() - processor)


def on_threads(count: int) -> Callable[[list[harmony_mask.Matcher]], object]:
    pool = ThreadPoolExecutor(count)
    return lambda fresh: list(pool.map(follow, fresh))


def hashing_on_threads(count: int) -> Callable[[list[harmony_mask.Matcher]], object]:
    """About as much work as following the completions."""
    pool, text = ThreadPoolExecutor(count), bytes(2_000_000)
    return lambda fresh: list(pool.map(lambda _: hashlib.sha256(text).digest(), fresh))


def main() -> None:
    counts = (1, 2, 4, 8, 16)
    masks = {f"masks, {count} threads": on_threads(count) for count in counts}
    masks["masks, batches"] = follow_in_batches
    hashes = {f"hashing, {count} threads": hashing_on_threads(count) for count in counts}
    ways = masks | hashes
    # All ways in turn, so that a busy neighbour slows all of them down; the best round of each counts.
    rounds = [{name: taken(run) for name, run in ways.items()} for _ in range(ROUNDS)]
    best = {name: min(times[name] for times in rounds) for name in ways}
    one = best["masks, 1 threads"]
    microseconds = one.wall / MATCHERS / len(COMPLETION) * 1e6
    print(f"{os.cpu_count()} cores; {microseconds:.0f} us for a token and its mask on one thread")
    print(f"{'':<20} {'faster':>6} {'busy':>6} {'work':>6}")
    for name, many in best.items():
        one = best["masks, 1 threads" if name in masks else "hashing, 1 threads"]
        faster, busy, work = one.wall / many.wall, many.processor / many.wall, many.processor / one.processor
        print(f"{name:<20} {faster:6.2f} {busy:6.2f} {work:6.2f}")


if __name__ == "__main__":
    main()
