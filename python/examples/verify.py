"""A second opinion on completions, from code that shares nothing with the masks: `openai-harmony`, `json`,
`jsonschema`, and the request.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai_harmony
from jsonschema import Draft202012Validator
from openai_harmony import HarmonyEncoding, HarmonyEncodingName, HarmonyError, Role

from harmony_mask import Vocabulary
from harmony_mask.transformers import Completion


class Verifier:
    """Knows what each message of a completion must carry. Reads function tools and JSON formats, in both OpenAI
    shapes.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        functions = [tool.get("function", tool) for tool in request.get("tools", [])]
        self._arguments = {f"functions.{tool['name']}": _validator(_parameters(tool)) for tool in functions}
        schema = _answer_schema(request)
        self._answer = None if schema is None else _validator(schema)

    def problems(self, completion: Completion) -> list[str]:
        """What is wrong with a completion; nothing, it is hoped."""
        if not completion.is_finished:
            return ["the completion is not finished"]
        try:
            messages = reference().parse_messages_from_completion_tokens(completion.token_ids, Role.ASSISTANT)
        except HarmonyError as error:
            return [f"openai-harmony: {error}"]
        if [_fields(message) for message in messages] != [_our_fields(message) for message in completion.messages]:
            return [f"openai-harmony reads {messages}"]
        return self._message_problems(completion.messages)

    def _message_problems(self, messages: list[Any]) -> list[str]:
        if not messages:
            return ["there are no messages"]
        *thoughts, last = messages
        found = [f"{thought!r} is no thought" for thought in thoughts if not _is_thought(thought)]
        problem = self._call_problem(last) if last.recipient else self._answer_problem(last)
        return found + [problem] if problem else found

    def _call_problem(self, message: Any) -> str | None:
        validator = self._arguments.get(message.recipient)
        if validator is None:
            return f"{message.recipient} is not a tool"
        if message.channel not in ("analysis", "commentary") or message.end != "call":
            return f"{message!r} is no call"
        return _body_problem(validator, message.content)

    def _answer_problem(self, message: Any) -> str | None:
        if message.channel != "final" or message.end != "return":
            return f"{message!r} is no answer"
        return None if self._answer is None else _body_problem(self._answer, message.content)


@functools.cache
def reference() -> HarmonyEncoding:
    """OpenAI's own parser. It would download its vocabulary; ours has the same tokens, and it checks their hash."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "o200k_base.tiktoken").write_bytes(b"".join(_ranks(Vocabulary.o200k_harmony())))
        os.environ["TIKTOKEN_ENCODINGS_BASE"] = folder
        return openai_harmony.load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)


def _ranks(vocabulary: Vocabulary) -> Iterator[bytes]:
    for rank in range(vocabulary.width):
        token = vocabulary.token_bytes(rank)
        if token is not None:
            yield b"%s %d\n" % (base64.b64encode(token), rank)


def _fields(message: openai_harmony.Message) -> tuple[Any, ...]:
    text = "".join(content.text for content in message.content)
    return message.channel, message.recipient, text


def _our_fields(message: Any) -> tuple[Any, ...]:
    return message.channel, message.recipient, message.content


def _is_thought(message: Any) -> bool:
    return message.channel in ("analysis", "commentary") and message.recipient is None and message.end == "end"


def _parameters(tool: dict[str, Any]) -> dict[str, Any]:
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    return tool.get("parameters") or nothing


def _answer_schema(request: dict[str, Any]) -> dict[str, Any] | None:
    if "response_format" in request:
        return request["response_format"].get("json_schema", {}).get("schema")
    return request.get("text", {}).get("format", {}).get("schema")


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def _body_problem(validator: Draft202012Validator, body: str) -> str | None:
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
