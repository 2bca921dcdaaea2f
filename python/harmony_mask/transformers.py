"""gpt-oss in Hugging Face transformers, under masks.

>>> from harmony_mask.transformers import generate
>>> for completion in generate(model, grammar, input_ids, max_new_tokens=400):
...     print(completion.messages)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from transformers import LogitsProcessor, LogitsProcessorList

from ._native import Grammar, Matcher, Message, Vocabulary, batch_fill_next_token_bitmask
from .bitmask import allocate_token_bitmask, allowed_tokens
from .turns import completion_start, opens_other_turn

Grammars = Grammar | Sequence[Grammar]


@dataclass(frozen=True)
class Completion:
    """What the assistant said in one sequence, and whether that is whole."""

    token_ids: list[int]
    messages: list[Message]
    is_finished: bool


class HarmonyLogitsProcessor(LogitsProcessor):
    """Allows only tokens that the grammar allows.

    One grammar serves all rows; a list has one for each prompt, and prompts that are expanded (`num_return_sequences`,
    beams) keep theirs. Rows may be reordered, cut or extended between calls: each call compares the whole row with
    what was seen before. A prompt may contain the beginning of the completion, and the processor may serve the next
    turn of the same conversation.

    With `max_new_tokens`, completions end within so many tokens after the prompt: tokens from which the end could not
    be reached any more are not allowed. DeadlineError says where not even the shortest completion is so short.
    """

    def __init__(self, grammars: Grammars, *, max_new_tokens: int | None = None) -> None:
        self._grammars = [grammars] if isinstance(grammars, Grammar) else list(grammars)
        self._max_new_tokens = max_new_tokens
        self._rows: list[_Row] = []
        self._bitmask: torch.Tensor | None = None

    @property
    def matchers(self) -> list[Matcher]:
        """The matcher of each row of the last call. The token that was chosen after it is not accepted yet."""
        return [row.matcher for row in self._rows]

    @property
    def stop_token_ids(self) -> list[int]:
        """The tokens at which generation ends: `eos_token_id` of `model.generate`."""
        return self._grammars[0].vocabulary.stop_token_ids

    def completions(self, sequences: torch.LongTensor) -> list[Completion]:
        """What was said in the sequences that `model.generate` returned."""
        self._follow(sequences.tolist())
        return [
            Completion(row.matcher.token_ids, row.matcher.transcript(), row.matcher.is_accepting())
            for row in self._rows
        ]

    @torch.no_grad()
    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        self._follow(input_ids.tolist())
        bitmask = self._allocate(*scores.shape)
        batch_fill_next_token_bitmask(self.matchers, bitmask)
        # Not in place: with `output_logits`, transformers keeps the scores that it hands us.
        forbidden = ~allowed_tokens(bitmask, scores.shape[1]).to(scores.device)
        return cast(torch.FloatTensor, scores.masked_fill(forbidden, float("-inf")))

    def _follow(self, sequences: list[list[int]]) -> None:
        if len(self._rows) != len(sequences):
            count = len(sequences)
            self._rows = [_Row(self._grammar(index, count), self._max_new_tokens) for index in range(count)]
        for row, sequence in zip(self._rows, sequences, strict=True):
            row.follow(sequence)

    def _grammar(self, index: int, count: int) -> Grammar:
        """Expanded rows stand together: `[a, a, b, b]` for two prompts."""
        if count % len(self._grammars) != 0:
            raise ValueError(f"{len(self._grammars)} grammars cannot be divided among {count} rows")
        return self._grammars[index * len(self._grammars) // count]

    def _allocate(self, rows: int, width: int) -> torch.Tensor:
        if self._bitmask is None or self._bitmask.shape != (rows, -(-width // 32)):
            self._bitmask = allocate_token_bitmask(rows, width, backend="torch")
        return self._bitmask


class _Row:
    """One sequence: its matcher, and the prompt it began with."""

    def __init__(self, grammar: Grammar, max_new_tokens: int | None) -> None:
        self.matcher = grammar.matcher()
        self._grammar = grammar
        self._max_new_tokens = max_new_tokens
        self._prompt: list[int] | None = None
        self._start = 0

    def follow(self, sequence: list[int]) -> None:
        """Brings the matcher to where the sequence is."""
        if self._prompt is None or not _goes_on(self.matcher.vocabulary, self._prompt, sequence):
            self._begin(sequence)
        completion, seen = sequence[self._start :], self.matcher.token_ids
        common = _common_prefix(completion, seen)
        self.matcher.rollback(len(seen) - common)
        self._accept(completion[common:])

    def _begin(self, prompt: list[int]) -> None:
        """Begins where a prompt ends."""
        self.matcher, self._prompt = self._grammar.matcher(), prompt
        self._start = completion_start(
            self.matcher.vocabulary, prompt, goes_on_after_calls=self._grammar.allows_parallel_calls
        )
        self._accept(prompt[self._start :])
        if self._max_new_tokens is not None:
            self.matcher.finish_within(self._max_new_tokens)

    def _accept(self, tokens: list[int]) -> None:
        for token in tokens:
            # What follows the end is padding; so is what may not follow a call where the completion may stop.
            if self.matcher.is_terminated() or (self.matcher.is_accepting() and not self._may_follow(token)):
                break
            self.matcher.accept(token)

    def _may_follow(self, token: int) -> bool:
        return self.matcher.validate_tokens([token]) == 1


def _goes_on(vocabulary: Vocabulary, prompt: list[int], sequence: list[int]) -> bool:
    """Whether a sequence is this prompt and more of the same turn. Anything else is a new prompt."""
    return sequence[: len(prompt)] == prompt and not opens_other_turn(vocabulary, sequence[len(prompt) :])


def _common_prefix(left: list[int], right: list[int]) -> int:
    length = min(len(left), len(right))
    # Nearly always one is the beginning of the other, which lists compare in C.
    if left[:length] == right[:length]:
        return length
    return next(index for index in range(length) if left[index] != right[index])


def generate(
    model: Any,
    grammars: Grammars,
    input_ids: torch.LongTensor,
    *,
    max_new_tokens: int,
    logits_processor: Sequence[LogitsProcessor] = (),
    **options: Any,
) -> list[Completion]:
    """Runs `model.generate` under masks and parses what was said, including what the prompts contained of it.

    The completions stop at `<|return|>` and `<|call|>`, and end within `max_new_tokens`. `options` are those of
    `model.generate`.
    """
    processor = HarmonyLogitsProcessor(grammars, max_new_tokens=max_new_tokens)
    stop_token_ids = processor.stop_token_ids
    options = {"eos_token_id": stop_token_ids, "pad_token_id": stop_token_ids[0], **options}
    sequences = model.generate(
        input_ids,
        max_new_tokens=max_new_tokens,
        logits_processor=LogitsProcessorList([*logits_processor, processor]),
        **options,
    )
    return processor.completions(sequences)
