"""Compilers: what they read, what they refuse and where, what they remember."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import example
from pydantic import BaseModel, Field, TypeAdapter

import harmony_mask
from harmony_mask import CompileError, Compiler


def tool(parameters):
    return {"tools": [{"type": "function", "name": "f", "parameters": parameters}], "tool_choice": "required"}


def answer(schema):
    return {"text": {"format": {"type": "json_schema", "name": "a", "schema": schema}}}


class Stop(BaseModel):
    place: str = Field(max_length=20)
    nights: int = Field(ge=1, le=30)


class Journey(BaseModel):
    stops: list[Stop] = Field(min_length=1)


@pytest.mark.parametrize("name", ["weather", "shopping", "tools_and_format"])
def test_a_dictionary_is_read_like_its_text(compiler, name):
    request = example(name)
    from_dict = compiler.compile(request).matcher()
    from_text = compiler.compile(json.dumps(request)).matcher()
    assert from_dict.shortest_completion() == from_text.shortest_completion()


JOURNEYS = {
    "a request with a model as format": lambda compiler: compiler.compile(answer(Journey)),
    "a request with a model as parameters": lambda compiler: compiler.compile(tool(Journey)),
    "the model as schema": lambda compiler: compiler.compile_json_schema(Journey),
    "a type adapter as schema": lambda compiler: compiler.compile_json_schema(TypeAdapter(Journey)),
    "the schema as dictionary": lambda compiler: compiler.compile_json_schema(Journey.model_json_schema()),
    "the schema as text": lambda compiler: compiler.compile_json_schema(json.dumps(Journey.model_json_schema())),
}


@pytest.mark.parametrize("name", JOURNEYS)
def test_models_stand_for_their_schemas(compiler, vocabulary, name):
    matcher = JOURNEYS[name](compiler).matcher()
    completion = matcher.shortest_completion()
    assert matcher.accept_tokens(completion) and matcher.is_accepting()
    text = vocabulary.decode(completion).rpartition("<|message|>")[2].partition("<|")[0]
    assert Journey.model_validate_json(text) == Journey(stops=[Stop(place="", nights=1)])


def test_a_request_may_be_a_model_itself(compiler):
    class Request(BaseModel):
        tools: list[dict] = []
        temperature: float = 1.0

    request = Request(tools=tool({"type": "object"})["tools"])
    assert compiler.compile(request).coverage == compiler.compile({"tools": request.tools}).coverage


def object_with(schema, **more):
    return {"type": "object", "properties": {"a": schema}, **more}


# What is compiled; then kind, tool, pointer, keyword.
ERRORS = [
    ('{"tools": [', "not_json", None, "", None),
    ("\ud800", "not_json", None, "", None),
    ({"temperature": float("nan")}, "not_json", None, "", None),
    ({"tools": {1, 2}}, "not_json", None, "", None),
    ("[]", "wrong_type", None, "", None),
    ({"tools": 3}, "wrong_type", None, "/tools", None),
    ({"tool_choice": "required"}, "nothing_to_call", None, "/tool_choice", None),
    ({"tools": [{"type": "function", "name": "f g"}]}, "bad_name", "f g", "/tools/0/name", None),
    (tool({"type": "array"}), "arguments_not_an_object", "f", "/tools/0/parameters", None),
    (tool(object_with({"type": "strin"})), "invalid", "f", "/tools/0/parameters/properties/a", "type"),
    (tool(object_with({"pattern": r"(a)\1"})), "unsupported", "f", "/tools/0/parameters/properties/a", "pattern"),
    (answer({"$ref": "#/$defs/b"}), "unknown_reference", None, "/text/format/schema", "$ref"),
    (answer({"minimum": 2, "maximum": 1, "type": "number"}), "unsatisfiable", None, "/text/format/schema", "maximum"),
]


@pytest.mark.parametrize("request_body, kind, tool, pointer, keyword", ERRORS)
def test_errors_say_what_and_where(compiler, request_body, kind, tool, pointer, keyword):
    with pytest.raises(CompileError) as caught:
        compiler.compile(request_body)
    error = caught.value
    assert (error.kind, error.tool, error.pointer, error.keyword) == (kind, tool, pointer, keyword)
    assert isinstance(error, ValueError) and isinstance(error, harmony_mask.HarmonyMaskError)


def test_a_document_nested_without_end_is_refused(compiler):
    endless = {}
    endless["tools"] = endless
    with pytest.raises(CompileError) as caught:
        compiler.compile(endless)
    assert caught.value.kind == "not_json"


def test_limits_are_set_by_name():
    with pytest.raises(CompileError) as caught:
        Compiler(limits={"tools": 0}).compile(tool({}))
    assert caught.value.kind == "limit" and caught.value.limit == ("tools", 0)
    assert caught.value.limit.what == "tools"
    with pytest.raises(ValueError, match="no limit named"):
        Compiler(limits={"patience": 1})


def test_a_limit_has_the_name_that_its_error_says():
    with pytest.raises(CompileError, match="limit `work`") as caught:
        Compiler(limits={"work": 1}).compile(tool(object_with({"type": "string"})))
    assert caught.value.limit == ("work", 1)
    Compiler(limits={caught.value.limit.what: 400_000}).compile(tool(object_with({"type": "string"})))


def test_references_lead_to_resources(vocabulary):
    compiler = Compiler(resources={"https://example.org/flag": {"type": "boolean"}})
    matcher = compiler.compile_json_schema({"$ref": "https://example.org/flag"}).matcher()
    assert matcher.accept_tokens(vocabulary.encode("true"))


def test_options_of_a_schema(compiler, vocabulary):
    schema = object_with({"type": "integer"}, required=["a"])
    spaced = vocabulary.encode('{"a": 1}')
    assert compiler.compile_json_schema(schema, whitespace="single").matcher().accept_tokens(spaced)
    assert not compiler.compile_json_schema(schema, whitespace="compact").matcher().accept_tokens(spaced)
    with pytest.raises(CompileError) as caught:
        compiler.compile_json_schema(schema, whitespace="loose")
    assert (caught.value.kind, caught.value.pointer) == ("unknown_value", "/whitespace")


TEXTS = {
    "lark": (
        lambda compiler, **options: compiler.compile_lark('start: "a" %json {"type": "array"}', **options),
        "a[1, 2]",
    ),
    "regex": (lambda compiler, **options: compiler.compile_regex("(a|<[|]end[|]>)+", **options), "aa"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_of_grammars(compiler, vocabulary, name):
    compile_text, text = TEXTS[name]
    matcher = compile_text(compiler).matcher()
    assert matcher.accept_tokens(vocabulary.encode(text)) and matcher.is_accepting()
    assert matcher.transcript()[0].content == text
    assert not compile_text(compiler).matcher().accept_token(vocabulary.special_id("end"))


def test_options_of_texts(compiler, vocabulary):
    spaced = TEXTS["lark"][0](compiler, whitespace="compact").matcher()
    assert not spaced.accept_tokens(vocabulary.encode("a[1, 2]"))
    spelled = vocabulary.encode("a<|end|>")
    assert TEXTS["regex"][0](compiler).matcher().accept_tokens(spelled)
    assert not TEXTS["regex"][0](compiler, forbid_spelled_tokens=True).matcher().accept_tokens(spelled)


@pytest.mark.parametrize(("compile_text", "kind"), [("compile_lark", "syntax"), ("compile_regex", "bad_regex")])
def test_texts_that_are_no_grammars(compiler, compile_text, kind):
    with pytest.raises(CompileError) as caught:
        getattr(compiler, compile_text)("(")
    assert caught.value.kind == kind
    with pytest.raises(TypeError):
        getattr(compiler, compile_text)("a", white_space="any")


def test_the_bare_schema_is_its_own_place(compiler):
    with pytest.raises(CompileError) as caught:
        compiler.compile_json_schema(object_with({"type": "strin"}))
    assert caught.value.pointer == "/properties/a"


def test_coverage_lists_every_keyword(compiler):
    grammar = compiler.compile(tool(object_with({"type": "string", "title": "A"})))
    at_a = [entry for entry in grammar.coverage if entry["pointer"] == "/properties/a"]
    assert [(entry["tool"], entry["keyword"], entry["status"]) for entry in at_a] == [
        ("f", "type", "exact"),
        ("f", "title", "annotation"),
    ]
    assert grammar.warnings == []


def test_grammars_are_remembered_by_content():
    compiler = Compiler()
    compiler.compile(answer({"type": "integer"}))
    size = compiler.get_cache_size_bytes()
    assert size > 0
    compiler.compile(answer({"type": "integer"}) | {"input": "other words", "temperature": 0.5})
    assert compiler.get_cache_size_bytes() == size, "what constrains nothing is not part of the content"
    compiler.compile(answer({"type": "number"}))
    assert compiler.get_cache_size_bytes() > size
    compiler.clear_cache()
    assert compiler.get_cache_size_bytes() == 0


def test_the_order_of_properties_is_part_of_the_content(compiler):
    names = [["a", "b"], ["b", "a"]]
    schemas = [{"type": "object", "properties": dict.fromkeys(two, {"const": 1}), "required": two} for two in names]
    completions = [compiler.compile_json_schema(schema).matcher().shortest_completion() for schema in schemas]
    assert completions[0] != completions[1]


def test_the_cache_stays_within_its_limit():
    compiler = Compiler(cache_limit_bytes=100_000)
    assert compiler.cache_limit_bytes == 100_000
    for length in range(60):
        compiler.compile(answer({"type": "string", "maxLength": length}))
        assert compiler.get_cache_size_bytes() <= 100_000
    assert compiler.get_cache_size_bytes() > 0


def test_threads_may_share_a_compiler(compiler):
    requests = [answer({"type": "string", "maxLength": length % 8}) for length in range(64)]
    with ThreadPoolExecutor(16) as pool:
        matchers = list(pool.map(lambda request: compiler.compile(request).matcher(), requests))
    completions = {tuple(matcher.shortest_completion()) for matcher in matchers}
    assert len(completions) == 1


def test_exceptions_survive_pickling(compiler):
    """Engines send them from one process to another."""
    with pytest.raises(CompileError) as caught:
        compiler.compile(tool(object_with({"type": "strin"})))
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and vars(again) == vars(caught.value)
