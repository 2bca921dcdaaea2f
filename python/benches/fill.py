"""What `fill_next_token_bitmask` costs on top of the same fill in Rust, for numpy and for torch.

    python benches/fill.py

Native and Python rounds alternate, and the best of each counts: what is left is the call itself, not the neighbours.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import harmony_mask
from harmony_mask._native import time_fills

REQUEST = Path(__file__).resolve().parents[2] / "examples" / "weather.json"
LOGITS = 201_088
ROUNDS = 200
CALLS = 500

# After these words: a header with a few tokens to choose from, reasoning with nearly all of them, and a string with a
# limited length in the arguments of a call.
STATES = {
    "header": "<|channel|>",
    "reasoning": "<|channel|>analysis<|message|>Look",
    "arguments": '<|channel|>commentary to=functions.get_current_weather <|constrain|>json<|message|>{"location":"Lis',
}


def time_calls(matcher: harmony_mask.Matcher, bitmask: Any) -> float:
    """Nanoseconds of one call from Python."""
    fill, calls = matcher.fill_next_token_bitmask, range(CALLS)
    started = time.perf_counter_ns()
    for _ in calls:
        fill(bitmask)
    return (time.perf_counter_ns() - started) / CALLS


def measure(matcher: harmony_mask.Matcher, bitmask: Any) -> tuple[float, float]:
    """The best rounds of Rust and of Python."""
    rounds = [(time_fills(matcher, bitmask, CALLS), time_calls(matcher, bitmask)) for _ in range(ROUNDS)]
    native, python = zip(*rounds, strict=True)
    return min(native), min(python)


def main() -> None:
    compiler = harmony_mask.Compiler()
    grammar = compiler.compile(json.loads(REQUEST.read_text()))
    print("ns a call       Rust   Python   on top")
    for name, text in STATES.items():
        matcher = grammar.matcher()
        assert matcher.accept_tokens(compiler.vocabulary.encode(text, special_tokens=True))
        for backend in ("numpy", "torch"):
            bitmask = harmony_mask.allocate_token_bitmask(1, LOGITS, backend=backend)
            native, python = measure(matcher, bitmask)
            print(f"{name:>9} {backend} {native:6.0f} {python:8.0f} {python - native:8.0f}")


if __name__ == "__main__":
    main()
