"""What the tests share: one compiler for all, since grammars are cached, and the requests of the examples."""

import json
from pathlib import Path

import pytest

import harmony_mask

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LOGITS = 201_088

CALL = {
    "tools": [
        {
            "type": "function",
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "maxLength": 40}},
                "required": ["city"],
                "additionalProperties": False,
            },
        }
    ],
    "tool_choice": "required",
}
COMPLETION = (
    "<|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather"
    ' <|constrain|>json<|message|>{"city":"Lisbon"}<|call|>'
)


@pytest.fixture(scope="session")
def compiler():
    return harmony_mask.Compiler()


@pytest.fixture(scope="session")
def vocabulary(compiler):
    return compiler.vocabulary


@pytest.fixture
def matcher(compiler):
    return compiler.compile(CALL).matcher()


@pytest.fixture(scope="session")
def completion(vocabulary):
    """The tokens of a valid completion of CALL."""
    return vocabulary.encode(COMPLETION, special_tokens=True)


def example(name):
    return json.loads((EXAMPLES / f"{name}.json").read_text())
