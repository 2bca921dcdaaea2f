"""Where in a prompt the assistant's turn begins.

A grammar describes what follows `<|start|>assistant`. A prompt may end right there, or somewhere in the turn: after a
prefilled header, or in the middle of a completion that is taken up again. The turn then began earlier, and all of it
has to be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from ._native import Vocabulary

_ROLE = b"assistant"


def completion_start(vocabulary: Vocabulary, prompt: Sequence[int]) -> int:
    """The index at which the completion begins, of which the prompt may contain a part.

    Without any `<|start|>`, this is no Harmony prompt, and the completion begins at its end. Raises ValueError where
    the prompt ends outside of a turn of the assistant.
    """
    start = vocabulary.special_id("start")
    begin: int | None = None
    end = len(prompt)
    for at in range(len(prompt) - 1, -1, -1):
        if prompt[at] != start:
            continue
        if not _belongs(vocabulary, prompt[at + 1 : end], is_last=begin is None):
            break
        begin, end = at + 2, at
    if begin is not None:
        return begin
    if start not in prompt:
        return len(prompt)
    raise ValueError("the prompt must end within a turn of the assistant: add `<|start|>assistant` to it")


def opens_other_turn(vocabulary: Vocabulary, tokens: Sequence[int]) -> bool:
    """Whether somebody other than the assistant begins to speak in these tokens."""
    start = vocabulary.special_id("start")
    speakers = [tokens[at + 1] for at, token in enumerate(tokens[:-1]) if token == start]
    return any(vocabulary.token_bytes(speaker) != _ROLE for speaker in speakers)


def _belongs(vocabulary: Vocabulary, message: Sequence[int], *, is_last: bool) -> bool:
    """Whether a message (without its `<|start|>`) is the assistant's, and not one that ended a turn."""
    if not message or vocabulary.token_bytes(message[0]) != _ROLE:
        return False
    if is_last:
        return message[-1] not in vocabulary.stop_token_ids
    return message[-1] == vocabulary.special_id("end")
