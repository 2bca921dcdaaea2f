"""gpt-oss in vLLM, under masks.

    vllm serve openai/gpt-oss-20b --logits-processors harmony_mask.vllm:HarmonyLogitsProcessor

A sequence is masked where its sampling parameters have `extra_args={"harmony_request": …}`, the body of an OpenAI
request, as a dictionary or JSON text; over HTTP that is `"vllm_xargs": {"harmony_request": "…"}`. The prompt must be
Harmony, and end within the assistant's turn.

vLLM takes no logits processors of others beside speculative decoding.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import torch
from vllm.v1.sample.logits_processor import BatchUpdate, LogitsProcessor, MoveDirectionality

from ._native import Compiler, Grammar, Matcher, batch_fill_next_token_bitmask
from .bitmask import allocate_token_bitmask, apply_token_bitmask_inplace
from .errors import DeadlineError, PromptError, TokenRejected

_log = logging.getLogger(__name__)

# Where a request's sampling parameters have what it allows.
_ARGUMENT = "harmony_request"


class HarmonyLogitsProcessor(LogitsProcessor):
    """Allows only tokens that the grammar of each request allows; sequences without a request may say anything.

    Completions end within `max_tokens` wherever one is so short. What does not compile is refused before it reaches
    the engine. A prompt that breaks its grammar is noticed in the engine only, which must go on for the others: that
    sequence ends at once, with `<|return|>`, and the log says why.
    """

    def __init__(self, vllm_config: Any, device: torch.device, is_pin_memory: bool) -> None:
        self._rows: dict[int, _Row] = {}
        self._bitmask: torch.Tensor | None = None

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """Raises CompileError, a ValueError, for a request that does not compile."""
        _grammar(sampling_params)

    def is_argmax_invariant(self) -> bool:
        """Masks change which token is the likeliest."""
        return False

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Follows the batch: its rows go, come and move, in this order."""
        if batch_update is None:
            return
        for index in batch_update.removed:
            self._rows.pop(index, None)
        for index, params, prompt, output in batch_update.added:
            self._put(index, _row(params, prompt or [], output))
        for source, target, directionality in batch_update.moved:
            moved, replaced = self._rows.pop(source, None), self._rows.pop(target, None)
            self._put(target, moved)
            if directionality == MoveDirectionality.SWAP:
                self._put(source, replaced)

    def _put(self, index: int, row: _Row | None) -> None:
        self._rows.pop(index, None)
        if row is not None:
            self._rows[index] = row

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """Masks the logits, in place."""
        if self._rows:
            indices = list(self._rows)
            matchers = [row.follow() for row in self._rows.values()]
            bitmask = self._allocate(*logits.shape)
            batch_fill_next_token_bitmask(matchers, bitmask, indices=indices)
            apply_token_bitmask_inplace(logits, bitmask, indices=indices)
        return logits

    def _allocate(self, rows: int, width: int) -> torch.Tensor:
        if self._bitmask is None or self._bitmask.shape[0] < rows:
            self._bitmask = allocate_token_bitmask(rows, width, backend="torch")
        return self._bitmask


class _Row:
    """One sequence: its matcher, and the tokens that vLLM appends to."""

    def __init__(self, begin: Callable[[], Matcher], output: list[int]) -> None:
        self._output = output
        self._followed = 0
        try:
            self._matcher = begin()
        except PromptError as error:
            self._give_up(error)

    def follow(self) -> Matcher:
        """The matcher, where the sequence is."""
        try:
            for token in self._output[self._followed :]:
                # vLLM keeps a place for a token that is not sampled yet. What follows the end is padding.
                if token < 0 or self._matcher.is_terminated():
                    break
                self._matcher.accept(token)
                self._followed += 1
        except TokenRejected as error:
            self._give_up(error)
        return self._matcher

    def _give_up(self, error: Exception) -> None:
        _log.error("a sequence ends here, since it cannot be masked: %s", error)
        self._matcher = _nothing().matcher()
        self._followed = len(self._output)


def _row(params: Any, prompt: list[int], output: list[int]) -> _Row | None:
    grammar = _grammar(params)
    if grammar is None:
        return None

    def begin() -> Matcher:
        matcher = grammar.matcher_after(prompt)
        if params.max_tokens is not None:
            # Where not even the shortest completion is so short, vLLM cuts it off.
            with suppress(DeadlineError):
                matcher.finish_within(params.max_tokens)
        return matcher

    return _Row(begin, output)


def _grammar(params: Any) -> Grammar | None:
    request = (params.extra_args or {}).get(_ARGUMENT)
    return None if request is None else _compiler().compile(request)


@cache
def _compiler() -> Compiler:
    return Compiler()


@cache
def _nothing() -> Grammar:
    """Allows `<|return|>` alone."""
    return _compiler().compile_regex("")
