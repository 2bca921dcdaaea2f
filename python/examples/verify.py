"""A second opinion on completions, from code that shares nothing with the masks: `json`, `jsonschema`, and the request."""

from __future__ import annotations

import json
from typing import Any, Optional

from jsonschema import Draft202012Validator


class Verifier:
    """Knows what each message of a completion must carry. Reads function tools and JSON formats, in both OpenAI shapes."""

    def __init__(self, request: dict[str, Any]) -> None:
        functions = [tool.get("function", tool) for tool in request.get("tools", [])]
        self._arguments = {f"functions.{tool['name']}": _validator(_parameters(tool)) for tool in functions}
        schema = _answer_schema(request)
        self._answer = None if schema is None else _validator(schema)

    def problems(self, completion: Any) -> list[str]:
        """What is wrong with a completion; nothing, it is hoped."""
        messages = completion.messages
        if not completion.is_finished or not messages:
            return ["the completion is not finished"]
        *thoughts, last = messages
        found = [f"{thought!r} is no thought" for thought in thoughts if not _is_thought(thought)]
        problem = self._call_problem(last) if last.recipient else self._answer_problem(last)
        return found + [problem] if problem else found

    def _call_problem(self, message: Any) -> Optional[str]:
        validator = self._arguments.get(message.recipient)
        if validator is None:
            return f"{message.recipient} is not a tool"
        if message.channel not in ("analysis", "commentary") or message.end != "call":
            return f"{message!r} is no call"
        return _body_problem(validator, message.content)

    def _answer_problem(self, message: Any) -> Optional[str]:
        if message.channel != "final" or message.end != "return":
            return f"{message!r} is no answer"
        return None if self._answer is None else _body_problem(self._answer, message.content)


def _is_thought(message: Any) -> bool:
    return message.channel in ("analysis", "commentary") and message.recipient is None and message.end == "end"


def _parameters(tool: dict[str, Any]) -> dict[str, Any]:
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    return tool.get("parameters") or nothing


def _answer_schema(request: dict[str, Any]) -> Optional[dict[str, Any]]:
    if "response_format" in request:
        return request["response_format"].get("json_schema", {}).get("schema")
    return request.get("text", {}).get("format", {}).get("schema")


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def _body_problem(validator: Draft202012Validator, body: str) -> Optional[str]:
    try:
        value = json.loads(body, object_pairs_hook=_object)
    except ValueError as error:
        return f"{body!r} is not JSON: {error}"
    errors = [error.message for error in validator.iter_errors(value)]
    return "; ".join(errors) or None


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(members)) != len(members):
        raise ValueError("a name occurs twice")
    return dict(members)
