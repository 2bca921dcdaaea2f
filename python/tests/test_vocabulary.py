"""Vocabularies: gpt-oss's own, and those of others."""

import pytest

from harmony_mask import Compiler, Vocabulary, VocabularyError

SPECIALS = ["return", "constrain", "channel", "start", "end", "message", "call"]


def test_gpt_oss(vocabulary):
    assert (len(vocabulary), vocabulary.width) == (199_998, 200_013)
    assert [vocabulary.special_id(name) for name in SPECIALS] == [200_002, 200_003, *range(200_005, 200_009), 200_012]
    assert vocabulary.token_bytes(0) == b"!"
    assert vocabulary.token_bytes(200_005) is None and vocabulary.token_bytes(10**6) is None


def test_text_and_back(vocabulary):
    text = "Grüße, 世界 🌍"
    assert vocabulary.decode(vocabulary.encode(text)) == text
    assert vocabulary.encode("<|end|>", special_tokens=True) == [200_007]
    assert 200_007 not in vocabulary.encode("<|end|>"), "the text of others cannot end a message"


def test_anything_can_be_parsed(vocabulary):
    unfinished = vocabulary.encode("<|channel|>final<|message|>Hel", special_tokens=True)
    (message,) = vocabulary.parse(unfinished)
    assert (message.role, message.channel, message.content, message.end) == ("assistant", "final", "Hel", None)
    assert message == vocabulary.parse(unfinished)[0] != vocabulary.parse(unfinished[:-1])[0]
    assert vocabulary.parse([]) == []


def test_a_vocabulary_of_ones_own():
    """256 bytes and the special tokens, in other places."""
    tokens = {byte: bytes([byte]) for byte in range(256)}
    vocabulary = Vocabulary(tokens, {name: 300 + index for index, name in enumerate(SPECIALS)})
    matcher = Compiler(vocabulary).compile({"text": {"format": {"type": "json_object"}}}).matcher()
    assert matcher.accept_token(302), "<|channel|>"
    assert matcher.accept_tokens(list(b"final")) and matcher.accept_token(305)
    assert matcher.accept_tokens(list(b"{}")) and matcher.stop_token_ids == [300, 306]
    assert matcher.accept_token(300) and matcher.is_terminated()
    with pytest.raises(VocabularyError, match="no encoder"):
        vocabulary.encode("text")


@pytest.mark.parametrize(
    "tokens, specials, message",
    [
        ({}, {}, "0x00"),
        ({0: b"a", 1: b"a"}, {}, "both"),
        ({0: b"a"}, {"begin": 5}, "begin"),
    ],
)
def test_what_is_no_vocabulary(tokens, specials, message):
    with pytest.raises(VocabularyError, match=message):
        Vocabulary(tokens, specials)


def test_unknown_special_tokens(vocabulary):
    with pytest.raises(VocabularyError, match="begin"):
        vocabulary.special_id("begin")
