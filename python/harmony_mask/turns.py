"""Where in a prompt the assistant's turn begins.

A grammar describes what follows `<|start|>assistant`. A prompt may end right there, or somewhere in the turn: after a
prefilled header, or in the middle of a completion that is taken up again. The turn then began earlier, and all of it
has to be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from ._native import Vocabulary

_ROLE = b"assistant"


def completion_start(vocabulary: Vocabulary, prompt: Sequence[int], *, goes_on_after_calls: bool = False) -> int:
    """The index at which the completion begins, of which the prompt may contain a part.

    A call ends the turn, unless it `goes_on_after_calls`.

    Without any `<|start|>`, this is no Harmony prompt, and the completion begins at its end. Raises ValueError where
    the prompt ends outside of a turn of the assistant.
    """
    starts = _starts(vocabulary, prompt)
    if not starts:
        return len(prompt)
    ends = [vocabulary.special_id("return")] if goes_on_after_calls else vocabulary.stop_token_ids
    begin: int | None = None
    for at, end in zip(starts, [*starts[1:], len(prompt)], strict=True):
        message = prompt[at + 1 : end]
        role, count = _role(vocabulary, message)
        if role == _ROLE and begin is None:
            begin = at + 1 + count
        elif not _may_be_assistant(role, message[count:]):
            begin = None
        if message and message[-1] in ends:
            begin = None
    if begin is None:
        raise ValueError("the prompt must end within a turn of the assistant: add `<|start|>assistant` to it")
    return begin


def opens_other_turn(vocabulary: Vocabulary, tokens: Sequence[int]) -> bool:
    """Whether somebody other than the assistant begins to speak in these tokens."""
    # As many tokens as the role may have, and the one after it.
    messages = [tokens[at + 1 : at + 2 + len(_ROLE)] for at in _starts(vocabulary, tokens)]
    roles = [(message, *_role(vocabulary, message)) for message in messages]
    return not all(_may_be_assistant(role, message[count:]) for message, role, count in roles)


def _starts(vocabulary: Vocabulary, tokens: Sequence[int]) -> list[int]:
    start = vocabulary.special_id("start")
    return [at for at, token in enumerate(tokens) if token == start]


def _role(vocabulary: Vocabulary, message: Sequence[int]) -> tuple[bytes, int]:
    """The role of a message (without its `<|start|>`), as far as it may be the assistant's, and how many tokens
    spell that.

    A model may spell it otherwise than the tokenizer, so that one token does not tell; and a tool's name may begin
    with it.
    """
    role, count = b"", 0
    for token in message:
        spelling = vocabulary.token_bytes(token)
        if spelling is None or (role == _ROLE and spelling.startswith(b" ")):
            break
        role, count = role + spelling, count + 1
        if len(role) > len(_ROLE):
            break
    return role, count


def _may_be_assistant(role: bytes, rest: Sequence[int]) -> bool:
    """Whether the role is the assistant's, or may become it where nothing follows yet."""
    return role == _ROLE or (not rest and _ROLE.startswith(role))
