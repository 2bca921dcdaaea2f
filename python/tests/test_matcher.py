"""Matchers: the names of the ecosystem, on top of the Rust library's guarantees."""

import copy
import pickle

import numpy as np
import pytest
from conftest import CALL as CALL_REQUEST
from conftest import LOGITS

import harmony_mask

RETURN, CALL, CHANNEL, START = 200_002, 200_012, 200_005, 200_006


def mask(matcher):
    """The allowed tokens."""
    bitmask = harmony_mask.allocate_token_bitmask(1, LOGITS)
    assert matcher.fill_next_token_bitmask(bitmask)
    return set(np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist())


def test_a_completion_is_followed_to_its_end(matcher, completion):
    for token in completion:
        assert not matcher.is_terminated()
        assert token in mask(matcher)
        assert matcher.accept_token(token)
    assert matcher.is_terminated() and matcher.is_accepting()
    assert matcher.token_ids == completion
    thought, call = matcher.transcript()
    assert (thought.channel, thought.content, thought.end) == ("analysis", "Look it up.", "end")
    assert call.to_dict() == {
        "role": "assistant",
        "channel": "commentary",
        "recipient": "functions.get_weather",
        "content_type": "json",
        "content": '{"city":"Lisbon"}',
        "end": "call",
    }


def test_nothing_follows_the_end(matcher, completion):
    assert matcher.accept_tokens(completion)
    bitmask = harmony_mask.allocate_token_bitmask(1, LOGITS)
    bitmask[:] = 0
    assert not matcher.fill_next_token_bitmask(bitmask)
    assert (bitmask == -1).all(), "a finished row is not masked"
    assert not matcher.accept_token(START)


def test_equal_masks_have_one_number(matcher, completion):
    masks = {}
    for token in completion:
        number, allowed = matcher.mask_id(), mask(matcher)
        assert masks.setdefault(number, allowed) == allowed
        assert matcher.fork().mask_id() == number
        matcher.accept(token)
    assert len(masks) == len({frozenset(allowed) for allowed in masks.values()}) > 3
    assert matcher.mask_id() is None, "after the end there is no mask"


def test_a_narrowed_mask_has_no_number(matcher):
    number = matcher.mask_id()
    matcher.finish_within(1_000)
    assert matcher.mask_id() == number is not None, "a deadline that is far changes nothing"
    matcher.finish_within(len(matcher.shortest_completion()))
    assert matcher.mask_id() is None


@pytest.mark.parametrize("token", [0, RETURN, CALL, LOGITS - 1, -1, 2**40])
def test_a_rejected_token_changes_nothing(matcher, token):
    before = mask(matcher)
    assert not matcher.accept_token(token)
    with pytest.raises(harmony_mask.TokenRejected) as caught:
        matcher.accept(token)
    assert caught.value.token_id == token
    assert mask(matcher) == before and matcher.token_ids == []


def test_a_rejection_says_what_was_expected_and_where(matcher):
    matcher.accept(CHANNEL)
    with pytest.raises(harmony_mask.TokenRejected) as caught:
        matcher.accept(CHANNEL)
    error = caught.value
    assert (error.spelling, error.valid_bytes, error.place) == ("<|channel|>", 0, "a message header")
    assert "`analysis`" in error.expected and "`analysis`" in str(error)


def test_tokens_are_accepted_together_or_not_at_all(matcher, completion):
    wrong = [*completion[:5], CHANNEL]
    assert not matcher.accept_tokens(wrong)
    assert matcher.token_ids == []
    assert matcher.accept_tokens(completion[:5])
    assert matcher.token_ids == completion[:5]


def test_validating_does_not_advance(matcher, completion):
    assert matcher.validate_tokens(completion) == len(completion)
    assert matcher.validate_tokens([*completion[:4], CHANNEL, *completion[4:]]) == 4
    assert matcher.validate_tokens([*completion, START]) == len(completion)
    assert matcher.validate_tokens([]) == 0
    assert matcher.token_ids == []


def test_rolling_back_undoes_exactly(matcher, completion):
    masks = []
    for token in completion:
        masks.append(mask(matcher))
        matcher.accept(token)
    for expected in reversed(masks):
        matcher.rollback()
        assert mask(matcher) == expected
    with pytest.raises(harmony_mask.RollbackError) as caught:
        matcher.rollback(1)
    assert (caught.value.requested, caught.value.accepted) == (1, 0)
    matcher.accept_tokens(completion)
    matcher.rollback(len(completion) - 2)
    assert matcher.token_ids == completion[:2]
    matcher.reset()
    assert matcher.token_ids == []


def test_a_deadline_is_kept(matcher):
    needed = len(matcher.shortest_completion())
    with pytest.raises(harmony_mask.DeadlineError) as caught:
        matcher.finish_within(needed - 1)
    assert (caught.value.requested, caught.value.needed) == (needed - 1, needed)
    assert matcher.tokens_left is None
    matcher.finish_within(needed + 3)
    while not matcher.is_terminated():
        # Of what is allowed the last is hardly ever on the shortest way.
        assert matcher.accept_token(max(mask(matcher)))
    assert len(matcher.token_ids) <= needed + 3
    matcher.rollback(len(matcher.token_ids))
    assert matcher.tokens_left == needed + 3, "it stays where it is"
    matcher.reset()
    assert matcher.tokens_left is None


def test_nothing_follows_a_deadline_that_is_used_up(compiler, vocabulary):
    matcher = compiler.compile_json_schema({"type": "object"}).matcher()
    matcher.accept_tokens(vocabulary.encode("{}"))
    matcher.finish_within(0)
    bitmask = np.zeros((1, 6_284), np.int32)
    assert matcher.is_accepting() and matcher.is_terminated()
    assert not matcher.fill_next_token_bitmask(bitmask) and (bitmask == -1).all()


@pytest.mark.parametrize("fork", [harmony_mask.Matcher.fork, copy.copy, copy.deepcopy])
def test_forks_are_independent(matcher, completion, fork):
    matcher.accept_tokens(completion[:3])
    other = fork(matcher)
    matcher.reset()
    assert other.token_ids == completion[:3] and matcher.token_ids == []
    assert other.accept_tokens(completion[3:]) and other.is_terminated()


def test_forced_tokens_may_be_appended(compiler, vocabulary):
    request = {"text": {"format": {"type": "json_schema", "name": "a", "schema": {"const": {"answer": 42}}}}}
    matcher = compiler.compile(request).matcher()
    matcher.accept_tokens(vocabulary.encode("<|channel|>final", special_tokens=True))
    forced = matcher.find_jump_forward_tokens()
    assert vocabulary.decode(forced).startswith('<|message|>{"answer')
    assert matcher.token_ids[-1] != forced[-1], "they are not accepted yet"
    assert matcher.accept_tokens(forced)


def test_the_shortest_way_out_is_one(matcher):
    assert matcher.accept_tokens(matcher.shortest_completion())
    assert matcher.is_terminated()


def test_stop_tokens(matcher, vocabulary, completion):
    assert matcher.stop_token_ids == vocabulary.stop_token_ids == [RETURN, CALL]
    assert matcher.allowed_stop_token_ids() == []
    matcher.accept_tokens(completion[:-1])
    assert matcher.allowed_stop_token_ids() == [CALL]


def test_a_matcher_says_where_it_stands(matcher, completion):
    assert matcher.expected() == ["<|channel|>", "` to=`"]
    matcher.accept_tokens(completion[:-3])
    assert matcher.place().startswith("arguments of functions.get_weather")
    assert matcher.place() in repr(matcher)


def test_a_matcher_begins_where_a_prompt_ends(compiler, vocabulary, completion):
    def encode(text):
        return vocabulary.encode(text, special_tokens=True)

    grammar = compiler.compile(CALL_REQUEST)
    asked = "<|start|>user<|message|>Hi<|end|><|start|>assistant"
    matcher = grammar.matcher_after(encode(asked) + completion[:4])
    assert (matcher.given_token_ids, matcher.token_ids) == (encode(asked)[-2:] + completion[:4], [])
    assert matcher.accept_tokens(completion[4:]) and matcher.is_terminated()
    with pytest.raises(harmony_mask.PromptError) as caught:
        grammar.matcher_after(encode(asked) + [CHANNEL, CHANNEL])
    error = caught.value
    assert (error.token_index, error.offset) == (len(encode(asked)) + 1, len(asked + "<|channel|>"))
    assert isinstance(pickle.loads(pickle.dumps(error)), harmony_mask.PromptError)


def test_a_transcript_is_streamed(matcher, completion, vocabulary):
    deltas, pieces = harmony_mask.Deltas(), []
    for token in completion:
        matcher.accept(token)
        pieces += deltas.update(matcher)
    assert [piece.kind for piece in pieces if piece.kind != "text"] == ["open", "close", "open", "close"]
    assert "".join(piece.text for piece in pieces if piece.kind == "text") == 'Look it up.{"city":"Lisbon"}'
    call = [piece for piece in pieces if piece.kind == "open"][-1]
    assert (call.channel, call.recipient, call.content_type) == ("commentary", "functions.get_weather", "json")
    assert pieces[-1].end == "call" and deltas.update(matcher) == []
    matcher.rollback()
    (withdrawn,) = deltas.update(matcher)
    assert (withdrawn.kind, withdrawn.count, repr(withdrawn)) == ("withdrawn", 1, 'Delta(kind="withdrawn", count=1)')


def test_the_formats_that_an_answer_may_be_of(compiler, vocabulary):
    formats = [{"name": "count", "schema": {"type": "integer"}}, {"name": "names", "schema": {"type": "array"}}]
    matcher = compiler.compile({"harmony": {"response_formats": formats}}).matcher()
    assert matcher.matching_formats() == []
    matcher.accept_tokens(vocabulary.encode("<|channel|>final<|message|>", special_tokens=True))
    assert matcher.matching_formats() == ["count", "names"]
    matcher.accept_tokens(vocabulary.encode("["))
    assert matcher.matching_formats() == ["names"]


def test_a_matcher_can_be_made_of_a_grammar(compiler):
    grammar = compiler.compile_json_schema({"type": "boolean"})
    matcher = harmony_mask.Matcher(grammar)
    assert matcher.accept_tokens(compiler.vocabulary.encode("true"))
    assert matcher.is_accepting() and not matcher.is_terminated()
    assert matcher.allowed_stop_token_ids() == [RETURN]
