"""Requests and schemas as JSON text, with pydantic's models written as their schemas."""

from __future__ import annotations

import json
from typing import Any

from .errors import CompileError


def to_json(document: Any) -> str:
    """Called by the native half for whatever is not text already."""
    try:
        return json.dumps(document, default=_write, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CompileError(f"not JSON: {error}", "not_json") from error


def _write(thing: Any) -> Any:
    """What stands for a thing that JSON has no word for. Pydantic is known by its methods: it need not be installed."""
    if isinstance(thing, type) and hasattr(thing, "model_json_schema"):
        return thing.model_json_schema()
    if hasattr(thing, "model_dump"):
        return thing.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if hasattr(thing, "json_schema") and hasattr(thing, "core_schema"):
        return thing.json_schema()
    raise TypeError(f"{thing!r} is neither JSON nor a pydantic model")
