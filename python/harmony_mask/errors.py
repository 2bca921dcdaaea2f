"""Exceptions, with the same kinds and places as the errors of the Rust library.

Every field but the message has a default, so that exceptions survive pickling: engines send them from one process to
another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class LimitExceeded(NamedTuple):
    """A ceiling that was reached: its name, and its value."""

    what: str
    limit: int


class HarmonyMaskError(Exception):
    """What all exceptions of this package have in common."""


class CompileError(HarmonyMaskError, ValueError):
    """A request or a schema that is wrong, cannot be satisfied, or cannot be enforced.

    `kind` is a short stable name (`wrong_type`, `unsatisfiable`, `limit`), `pointer` the JSON pointer of the place in
    the request or schema, `tool` and `keyword` what it is about, and `limit` the ceiling that was exceeded, each where
    there is one.
    """

    def __init__(
        self,
        message: str,
        kind: str = "",
        tool: str | None = None,
        pointer: str = "",
        keyword: str | None = None,
        limit: tuple[str, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.tool = tool
        self.pointer = pointer
        self.keyword = keyword
        self.limit = LimitExceeded(*limit) if limit else None


class TokenRejected(HarmonyMaskError, ValueError):
    """A token that may not come next; the matcher is as it was.

    `valid_bytes` of the token could be read, then one of `expected` should have come. `place` says where, in words.
    """

    def __init__(
        self,
        message: str,
        token_id: int = 0,
        spelling: str = "",
        valid_bytes: int = 0,
        expected: Sequence[str] = (),
        place: str = "",
    ) -> None:
        super().__init__(message)
        self.token_id = token_id
        self.spelling = spelling
        self.valid_bytes = valid_bytes
        self.expected = list(expected)
        self.place = place


class PromptError(HarmonyMaskError, ValueError):
    """A prompt whose turn is not the beginning of any completion.

    `token_index` is the place of the first token that is not allowed, `offset` how many bytes of the prompt can be
    read, special tokens counted as they are spelled.
    """

    def __init__(self, message: str, token_index: int = 0, offset: int = 0) -> None:
        super().__init__(message)
        self.token_index = token_index
        self.offset = offset


class RollbackError(HarmonyMaskError, ValueError):
    """A rollback of more tokens than were accepted; the matcher is as it was."""

    def __init__(self, message: str, requested: int = 0, accepted: int = 0) -> None:
        super().__init__(message)
        self.requested = requested
        self.accepted = accepted


class DeadlineError(HarmonyMaskError, ValueError):
    """A limit of fewer tokens than the completion with the fewest bytes has; the matcher is as it was."""

    def __init__(self, message: str, requested: int = 0, needed: int = 0) -> None:
        super().__init__(message)
        self.requested = requested
        self.needed = needed


class VocabularyError(HarmonyMaskError, ValueError):
    """A list of tokens that is no vocabulary, or a vocabulary without what was asked of it."""


class BitmaskError(HarmonyMaskError, ValueError):
    """A buffer that cannot hold masks; nothing was written.

    `kind` says what about it: `type`, `device`, `dtype`, `shape`, `strides`, `alignment`, `read_only` or `range`.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind
