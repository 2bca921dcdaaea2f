"""The processor for transformers, on a gpt-oss of random weights: whatever it says right is due to the masks."""

import json

import pytest
import torch
from conftest import CALL, COMPLETION, LOGITS, example
from tiny_gpt_oss import prompt, tiny_model, unconstrained
from transformers import LogitsProcessorList, MinNewTokensLengthLogitsProcessor
from verify import Verifier

import harmony_mask
from harmony_mask.transformers import HarmonyLogitsProcessor, generate
from harmony_mask.turns import completion_start, opens_other_turn

EXAMPLES = ["weather", "shopping", "tools_and_format"]
COUNT = 50
MAX_NEW_TOKENS = 48
# Where one completion tells as much as fifty.
FEW_TOKENS = 40


@pytest.fixture(scope="module")
def model():
    return tiny_model()


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_completion_is_valid_and_without_masks_none(model, compiler, name):
    request = example(name)
    verifier = Verifier(request)
    input_ids = prompt(compiler.vocabulary, request)
    sampling = {"do_sample": True, "num_return_sequences": COUNT}
    masked = generate(model, compiler.compile(request), input_ids, max_new_tokens=MAX_NEW_TOKENS, **sampling)
    assert len(masked) == COUNT
    assert [verifier.problems(completion) for completion in masked] == [[]] * COUNT
    assert len({tuple(completion.token_ids) for completion in masked}) == COUNT, "they differ"
    free = unconstrained(model, compiler.vocabulary, input_ids, COUNT, MAX_NEW_TOKENS)
    assert len(free) == COUNT and all(verifier.problems(completion) for completion in free)


def test_the_verifier_tells_right_from_wrong(compiler, vocabulary):
    from harmony_mask.transformers import Completion

    def problems(text):
        tokens = vocabulary.encode(text, special_tokens=True)
        return Verifier(CALL).problems(Completion(tokens, vocabulary.parse(tokens), tokens[-1] in (200_002, 200_012)))

    assert problems(COMPLETION) == []
    wrong = {
        "unfinished": COMPLETION.removesuffix("<|call|>"),
        "no such tool": COMPLETION.replace("get_weather", "get_whether"),
        "by no schema": COMPLETION.replace("city", "town"),
        "no JSON": COMPLETION.replace("}", ""),
        "a name twice": COMPLETION.replace('"}', '","city":"Porto"}'),
        "wrong end": COMPLETION.replace("<|call|>", "<|return|>"),
        "wrong channel": COMPLETION.replace("commentary", "final"),
        "no Harmony": "Hello!<|return|>",
    }
    assert [name for name, text in wrong.items() if not problems(text)] == []


def scores(rows):
    return torch.zeros((rows, LOGITS))


def allowed(row):
    return set(torch.nonzero(row > float("-inf")).flatten().tolist())


def test_scores_of_what_is_not_allowed_are_minus_infinity(compiler, matcher, completion):
    processor = HarmonyLogitsProcessor(compiler.compile(CALL))
    sequence = prompt(compiler.vocabulary, {"input": "Hello"}).tolist()[0]
    given = scores(1)
    bitmask = harmony_mask.allocate_token_bitmask(1, LOGITS, backend="torch")
    for token in completion:
        masked = processor(torch.tensor([sequence]), given)
        matcher.fill_next_token_bitmask(bitmask)
        expected = given.clone()
        harmony_mask.apply_token_bitmask_inplace(expected, bitmask)
        assert torch.equal(masked, expected) and not given.any(), "the given scores stay as they are"
        matcher.accept(token)
        sequence = [*sequence, token]
    assert processor(torch.tensor([sequence]), given).equal(given), "a finished row is not masked"


def test_a_prompt_may_contain_the_beginning(compiler, vocabulary, completion):
    opened = prompt(vocabulary, {"input": "Hello"}).tolist()[0]
    for taken in range(len(completion)):
        processor = HarmonyLogitsProcessor(compiler.compile(CALL))
        masked = processor(torch.tensor([opened + completion[:taken]]), scores(1))
        assert completion[taken] in allowed(masked[0])
        assert processor.matchers[0].token_ids == completion[:taken]


def test_rows_may_change_places_and_lengths(compiler, vocabulary, completion):
    opened = prompt(vocabulary, {"input": "Hello"}).tolist()[0]
    processor = HarmonyLogitsProcessor(compiler.compile(CALL))
    other = vocabulary.encode("<|channel|>commentary to=functions.get_weather", special_tokens=True)
    processor(torch.tensor([opened, opened]), scores(2))
    for rows in [(completion[:5], other[:5]), (other[:6], completion[:6]), (completion[:3], completion[:3])]:
        processor(torch.tensor([opened + row for row in rows]), scores(2))
        assert [matcher.token_ids for matcher in processor.matchers] == list(rows)
    processor(torch.tensor([opened + completion, opened + completion]), scores(2))
    assert all(matcher.is_terminated() for matcher in processor.matchers)


def test_the_next_turn_is_masked_as_well(compiler, vocabulary, completion):
    """Its prompt goes on from the first turn's, which must not be taken for padding after its end."""
    processor = HarmonyLogitsProcessor(compiler.compile(CALL))
    opened = prompt(vocabulary, {"input": "Hello"}).tolist()[0]
    result = "<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>Sunny<|end|><|start|>assistant"
    processor(torch.tensor([opened]), scores(1))
    processor(torch.tensor([opened + completion]), scores(1))
    second = opened + completion + vocabulary.encode(result, special_tokens=True)
    masked = processor(torch.tensor([second]), scores(1))
    assert 200_005 in allowed(masked[0]) and len(allowed(masked[0])) < 10
    assert processor.matchers[0].token_ids == []


def test_each_prompt_has_its_grammar(model, compiler, vocabulary):
    """Two prompts of different lengths, two requests, two completions of each."""
    requests = [example(name) for name in ("weather", "shopping")]
    prompts = [prompt(vocabulary, request).tolist()[0] for request in requests]
    width = max(len(tokens) for tokens in prompts)
    padding = [width - len(tokens) for tokens in prompts]
    input_ids = torch.tensor([[199_999] * pad + tokens for pad, tokens in zip(padding, prompts, strict=True)])
    mask = torch.tensor([[0] * pad + [1] * (width - pad) for pad in padding])
    grammars = [compiler.compile(request) for request in requests]
    options = {"attention_mask": mask, "do_sample": True, "num_return_sequences": 2}
    completions = generate(model, grammars, input_ids, max_new_tokens=FEW_TOKENS, **options)
    for index, completion in enumerate(completions):
        assert Verifier(requests[index // 2]).problems(completion) == []
    with pytest.raises(ValueError, match="2 grammars cannot be divided among 3 rows"):
        HarmonyLogitsProcessor(grammars)(torch.tensor([[1]] * 3), scores(3))


def test_beams(model, compiler, vocabulary):
    request = example("weather")
    input_ids = prompt(vocabulary, request)
    completions = generate(
        model, compiler.compile(request), input_ids, max_new_tokens=FEW_TOKENS, num_beams=3, num_return_sequences=3
    )
    assert [Verifier(request).problems(completion) for completion in completions] == [[]] * 3


def test_what_was_cut_off_is_taken_up_again(model, compiler, vocabulary):
    """Without a budget the first half ends anywhere; the second half continues it."""
    request = example("tools_and_format")
    input_ids = prompt(vocabulary, request)
    first = HarmonyLogitsProcessor(compiler.compile(request))
    half = model.generate(
        input_ids, max_new_tokens=9, do_sample=True, logits_processor=LogitsProcessorList([first]), pad_token_id=0
    )
    (begun,) = first.completions(half)
    assert not begun.is_finished and len(begun.token_ids) == 9
    (whole,) = generate(model, compiler.compile(request), half, max_new_tokens=FEW_TOKENS, do_sample=True)
    assert whole.token_ids[:9] == begun.token_ids and Verifier(request).problems(whole) == []


def test_other_processors_come_first(model, compiler, vocabulary):
    request = {"text": {"format": {"type": "json_object"}}}
    input_ids = prompt(vocabulary, {"input": "Hello"})
    at_least = MinNewTokensLengthLogitsProcessor(input_ids.shape[1], 20, [200_002], device="cpu")
    (completion,) = generate(
        model,
        compiler.compile(request),
        input_ids,
        max_new_tokens=FEW_TOKENS,
        do_sample=True,
        logits_processor=[at_least],
    )
    assert completion.is_finished and len(completion.token_ids) > 20


def test_a_bare_schema_in_a_prompt_without_messages(model, compiler, vocabulary):
    grammar = compiler.compile_json_schema({"type": "array", "items": {"type": "boolean"}})
    input_ids = torch.tensor([vocabulary.encode("Some flags:")])
    (completion,) = generate(model, grammar, input_ids, max_new_tokens=24, do_sample=True)
    assert completion.is_finished
    assert all(isinstance(flag, bool) for flag in json.loads(text_of(vocabulary, completion)))


def test_a_budget_is_kept_whatever_is_sampled(model, compiler, vocabulary):
    """Elements that must differ, and a first token that may commit to a hundred more."""
    flags = {"type": "array", "items": {"type": "integer"}, "minItems": 100}
    names = {"type": "array", "items": {"type": "string"}, "minItems": 3, "uniqueItems": True}
    schema = {"type": "object", "properties": {"names": names, "flags": flags}, "required": ["names"]}
    grammar = compiler.compile_json_schema(schema)
    needed = len(grammar.matcher().shortest_completion())
    input_ids = torch.tensor([vocabulary.encode("Some names:")])
    options = {"do_sample": True, "num_return_sequences": 8}
    for completion in generate(model, grammar, input_ids, max_new_tokens=needed + 20, **options):
        assert completion.is_finished and len(completion.token_ids) <= needed + 20
        found = json.loads(text_of(vocabulary, completion))["names"]
        assert len(set(found)) == len(found) >= 3
    with pytest.raises(harmony_mask.DeadlineError, match=f"the shortest completion has {needed}"):
        generate(model, grammar, input_ids, max_new_tokens=needed - 1)


REPEATED = {
    "tools": [{"type": "custom", "name": "t", "format": {"type": "grammar", "syntax": "regex", "definition": "[ab]+"}}],
    "tool_choice": "required",
    "harmony": {"reasoning": False, "parallel_tool_calls": True},
}


@pytest.mark.parametrize("limit", [20, 60])
def test_rows_that_end_with_a_call_are_padded(model, compiler, limit):
    """Where another call may follow, one that has ended is not terminated."""
    input_ids = prompt(compiler.vocabulary, {"input": "hi"})
    options = {"do_sample": True, "num_return_sequences": 4}
    for completion in generate(model, compiler.compile(REPEATED), input_ids, max_new_tokens=limit, **options):
        assert completion.is_finished and completion.messages[-1].end == "call"


def test_a_prompt_may_end_after_one_of_several_calls(compiler, vocabulary):
    grammar = compiler.compile(REPEATED)
    call = " to=functions.t<|channel|>commentary<|message|>a<|call|>"
    for tail in ["", "<|start|>", "<|start|>assistant", "<|start|>assistant<|channel|>"]:
        begun = vocabulary.encode(call + tail, special_tokens=True)
        matcher, processor = grammar.matcher(), HarmonyLogitsProcessor(grammar)
        assert matcher.accept_tokens(begun)
        asked = vocabulary.encode("<|start|>user<|message|>hi<|end|><|start|>assistant", special_tokens=True)
        masked = processor(torch.tensor([asked + begun]), scores(1))[0]
        bitmask = harmony_mask.allocate_token_bitmask(1, LOGITS, backend="torch")
        matcher.fill_next_token_bitmask(bitmask)
        assert allowed(masked) == set(
            torch.nonzero(harmony_mask.bitmask.allowed_tokens(bitmask, LOGITS)[0]).flatten().tolist()
        )
        assert processor.matchers[0].transcript() == matcher.transcript()


@pytest.mark.parametrize("name", ["assistant.x", "assistant_x", "assistantfoo"])
def test_a_tool_may_be_called_as_the_assistant_and_more(compiler, vocabulary, name):
    grammar = compiler.compile({"harmony": {"recipients": [{"name": name, "text": True}]}})
    call = f"<|start|>user<|message|>hi<|end|><|start|>assistant to={name}<|channel|>commentary<|message|>q<|call|>"
    result = f"<|start|>{name} to=assistant<|channel|>commentary<|message|>r<|end|><|start|>assistant"
    tokens = vocabulary.encode(call + result, special_tokens=True)
    processor = HarmonyLogitsProcessor(grammar)
    processor(torch.tensor([tokens]), scores(1))
    assert processor.matchers[0].token_ids == []
    assert opens_other_turn(vocabulary, vocabulary.encode(result, special_tokens=True))


def text_of(vocabulary, completion):
    return vocabulary.decode([token for token in completion.token_ids if token != 200_002])


STARTS = {
    "<|start|>user<|message|>Hi<|end|><|start|>assistant": "",
    "<|start|>assistant": "",
    "Hi": "",
    "": "",
    "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>Hm": (
        "<|channel|>analysis<|message|>Hm"
    ),
    "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>Hm<|end|><|start|>assistant": (
        "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant"
    ),
    "<|start|>assistant<|channel|>analysis<|message|>Hm<|end|><|start|>": (
        "<|channel|>analysis<|message|>Hm<|end|><|start|>"
    ),
    "<|start|>assistant<|channel|>final<|message|>Hi<|end|><|start|>user<|message|>Yo<|end|><|start|>assistant": "",
    "<|start|>assistant to=functions.f<|channel|>commentary<|message|>{}<|call|><|start|>assistant": "",
}


@pytest.mark.parametrize("text", STARTS)
def test_where_the_turn_begins(vocabulary, text):
    tokens = vocabulary.encode(text, special_tokens=True)
    assert vocabulary.decode(tokens[completion_start(vocabulary, tokens) :]) == STARTS[text]


def test_a_role_may_be_spelled_in_other_tokens(vocabulary):
    spelled = [vocabulary.encode(part)[0] for part in ("ass", "ist", "ant")]
    first = vocabulary.encode("<|start|>", special_tokens=True) + spelled
    thought = vocabulary.encode("<|channel|>analysis<|message|>Hm<|end|>", special_tokens=True)
    assert completion_start(vocabulary, first) == 4
    assert completion_start(vocabulary, first + thought + first[:2]) == 4
    assert not opens_other_turn(vocabulary, thought + first) and not opens_other_turn(vocabulary, thought + first[:3])
    assert opens_other_turn(vocabulary, [first[0], spelled[0], spelled[0]])
    assert opens_other_turn(vocabulary, vocabulary.encode("<|start|>user", special_tokens=True))


@pytest.mark.parametrize(
    "text",
    [
        "<|start|>user<|message|>Hi<|end|>",
        "<|start|>user",
        "<|start|>",
        "<|start|>assist",
        "<|start|>assistant<|channel|>final<|message|>Hi<|return|>",
    ],
)
def test_a_prompt_that_opens_no_turn(vocabulary, text):
    with pytest.raises(ValueError, match="within a turn of the assistant"):
        completion_start(vocabulary, vocabulary.encode(text, special_tokens=True))
