"""Buffers: what is filled, what is refused, and what applying a bitmask does."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import LOGITS

import harmony_mask
from harmony_mask import BitmaskError, batch_fill_next_token_bitmask
from harmony_mask.bitmask import allowed_tokens

torch = pytest.importorskip("torch")

WORDS = LOGITS // 32


def unaligned():
    return np.zeros(2 * WORDS * 4 + 1, np.uint8)[1:].view(np.int32).reshape(2, WORDS)


def read_only():
    array = np.zeros((2, WORDS), np.int32)
    array.flags.writeable = False
    return array


WRONG = {
    "a list": ("type", lambda: [[0] * WORDS]),
    "nothing": ("type", lambda: None),
    "bytes": ("type", lambda: bytearray(WORDS * 4)),
    "int64": ("dtype", lambda: np.zeros((2, WORDS), np.int64)),
    "uint32": ("dtype", lambda: np.zeros((2, WORDS), np.uint32)),
    "float32": ("dtype", lambda: np.zeros((2, WORDS), np.float32)),
    "big-endian": ("dtype", lambda: np.zeros((2, WORDS), ">i4")),
    "torch int64": ("dtype", lambda: torch.zeros((2, WORDS), dtype=torch.int64)),
    "torch bfloat16": ("dtype", lambda: torch.zeros((2, WORDS), dtype=torch.bfloat16)),
    "one dimension": ("shape", lambda: np.zeros(WORDS, np.int32)),
    "three dimensions": ("shape", lambda: np.zeros((1, 2, WORDS), np.int32)),
    "narrow rows": ("shape", lambda: np.zeros((2, 6_250), np.int32)),
    "torch one dimension": ("shape", lambda: torch.zeros(WORDS, dtype=torch.int32)),
    "Fortran order": ("strides", lambda: np.zeros((2, WORDS), np.int32, order="F")),
    "transposed": ("strides", lambda: np.zeros((WORDS, 2), np.int32).T),
    "every other row": ("strides", lambda: np.zeros((4, WORDS), np.int32)[::2]),
    "every other word": ("strides", lambda: np.zeros((2, WORDS * 2), np.int32)[:, ::2]),
    "torch transposed": ("strides", lambda: torch.zeros((WORDS, 2), dtype=torch.int32).T),
    "torch expanded": ("strides", lambda: torch.zeros((1, WORDS), dtype=torch.int32).expand(2, WORDS)),
    "read-only": ("read_only", read_only),
    "unaligned": ("alignment", unaligned),
    "torch sparse": ("type", lambda: torch.zeros((2, WORDS), dtype=torch.int32).to_sparse()),
    # There is no GPU where this is tested; the meta device is not the CPU either.
    "torch on another device": ("device", lambda: torch.zeros((2, WORDS), dtype=torch.int32, device="meta")),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_buffers_are_refused(matcher, name):
    kind, make = WRONG[name]
    buffer = make()
    fills = [
        lambda: matcher.fill_next_token_bitmask(buffer),
        lambda: matcher.fill_draft_token_bitmask(buffer, []),
        lambda: batch_fill_next_token_bitmask([matcher], buffer),
    ]
    for fill in fills:
        with pytest.raises(BitmaskError) as caught:
            fill()
        assert caught.value.kind == kind
        assert isinstance(caught.value, ValueError) and str(caught.value)


@pytest.mark.parametrize("index", [-1, 2, 2**62])
def test_rows_out_of_range_are_refused(matcher, index):
    bitmask = harmony_mask.allocate_token_bitmask(2, LOGITS)
    for fill in (
        lambda: matcher.fill_next_token_bitmask(bitmask, index),
        lambda: matcher.fill_draft_token_bitmask(bitmask, [], index),
        lambda: batch_fill_next_token_bitmask([matcher], bitmask, [index]),
    ):
        with pytest.raises(BitmaskError) as caught:
            fill()
        assert caught.value.kind == "range" and "2 rows" in str(caught.value)
    assert (bitmask == -1).all(), "nothing was written"


@pytest.mark.parametrize("width", [200_013, 200_019, LOGITS, LOGITS + 32 * 7])
def test_rows_of_any_width_are_filled_and_nothing_else(matcher, width):
    bitmask = harmony_mask.allocate_token_bitmask(3, width)
    assert bitmask.shape == harmony_mask.get_bitmask_shape(3, width)
    assert matcher.fill_next_token_bitmask(bitmask, 1)
    assert (bitmask[[0, 2]] == -1).all()
    tensor = harmony_mask.allocate_token_bitmask(3, width, backend="torch")
    matcher.fill_next_token_bitmask(tensor, index=1)
    assert np.array_equal(tensor.numpy(), bitmask)
    words = bitmask[1].view(np.uint32)
    assert not words[200_013 // 32 + 1 :].any(), "ids that are no tokens stay clear"


def test_a_contiguous_part_of_a_buffer_is_filled(matcher):
    buffer = np.full((4, WORDS), -1, np.int32)
    matcher.fill_next_token_bitmask(buffer[1:3], 0)
    assert (buffer[1] != -1).any() and (buffer[[0, 2, 3]] == -1).all()


def test_drafts_fill_a_row_each_and_one_more(matcher, completion):
    drafts = completion[:4]
    expected = harmony_mask.allocate_token_bitmask(5, LOGITS)
    for row, token in enumerate([*drafts, None]):
        matcher.fill_next_token_bitmask(expected, row)
        if token is not None:
            matcher.accept(token)
    matcher.reset()
    bitmask = harmony_mask.allocate_token_bitmask(7, LOGITS)
    assert matcher.fill_draft_token_bitmask(bitmask, drafts, 1) == 4
    assert np.array_equal(bitmask[1:6], expected)
    assert (bitmask[[0, 6]] == -1).all()
    assert matcher.token_ids == []

    wrong = [*drafts[:2], 200_005, drafts[3]]
    assert matcher.fill_draft_token_bitmask(bitmask, wrong, 1) == 2
    assert np.array_equal(bitmask[1:6], expected[[0, 1, 2, 2, 2]]), "after a wrong draft, the last good row"
    with pytest.raises(BitmaskError, match="5 rows from row 3"):
        matcher.fill_draft_token_bitmask(bitmask, drafts, 3)


def test_drafts_may_end_the_completion(matcher, completion):
    matcher.accept_tokens(completion[:-1])
    bitmask = harmony_mask.allocate_token_bitmask(2, LOGITS)
    bitmask[:] = 0
    assert matcher.fill_draft_token_bitmask(bitmask, completion[-1:]) == 1
    assert (bitmask[1] == -1).all() and not matcher.is_terminated()


def test_a_batch_is_filled_like_its_rows(compiler, matcher, completion):
    matchers = [matcher.fork() for _ in range(20)]
    for count, one in enumerate(matchers):
        one.accept_tokens(completion[:count])
    expected = harmony_mask.allocate_token_bitmask(20, LOGITS)
    for row, one in enumerate(matchers):
        one.fill_next_token_bitmask(expected, row)
    bitmask = harmony_mask.allocate_token_bitmask(20, LOGITS)
    assert batch_fill_next_token_bitmask(matchers, bitmask) == [0] * 20
    assert np.array_equal(bitmask, expected)
    order = [*range(10, 20), *range(10)]
    tensor = harmony_mask.allocate_token_bitmask(20, LOGITS, backend="torch")
    batch_fill_next_token_bitmask(matchers, tensor, order)
    assert np.array_equal(tensor.numpy()[order], expected)


def test_a_batch_with_drafts(matcher, completion):
    first, second = matcher, matcher.fork()
    second.accept_tokens(completion[:3])
    bitmask = harmony_mask.allocate_token_bitmask(6, LOGITS)
    drafts = [[completion[0], 5], completion[3:5]]
    assert batch_fill_next_token_bitmask([first, second], bitmask, [3, 0], drafts) == [1, 2]
    expected = harmony_mask.allocate_token_bitmask(6, LOGITS)
    second.fill_draft_token_bitmask(expected, drafts[1], 0)
    first.fill_draft_token_bitmask(expected, drafts[0], 3)
    assert np.array_equal(bitmask, expected)


FORKED = """
import os, harmony_mask
def fill():
    # Each compiler makes its masks anew, so this takes long enough for threads to be started.
    matchers = [harmony_mask.Compiler().compile({}).matcher() for _ in range(16)]
    for matcher in matchers:
        assert matcher.accept_token(200_005)
    bitmask = harmony_mask.allocate_token_bitmask(16, 201_088)
    assert harmony_mask.batch_fill_next_token_bitmask(matchers, bitmask) == [0] * 16
    assert (bitmask == bitmask[0]).all()
fill()
child = os.fork()
fill()
if child:
    assert os.waitpid(child, 0)[1] == 0
"""


def test_batches_work_in_forked_processes():
    subprocess.run([sys.executable, "-P", "-c", FORKED], check=True, timeout=300)


def test_a_batch_is_checked_as_a_whole(matcher):
    bitmask = harmony_mask.allocate_token_bitmask(4, LOGITS)
    pair = [matcher, matcher.fork()]
    with pytest.raises(BitmaskError, match="two matchers would fill row 1"):
        batch_fill_next_token_bitmask(pair, bitmask, [1, 1])
    with pytest.raises(BitmaskError, match="two matchers would fill row 1"):
        batch_fill_next_token_bitmask(pair, bitmask, [0, 1], [[200_005], []])
    with pytest.raises(ValueError, match="indices has 1 elements for 2 matchers"):
        batch_fill_next_token_bitmask(pair, bitmask, [1])
    assert (bitmask == -1).all()
    assert batch_fill_next_token_bitmask([], bitmask) == []


@pytest.mark.parametrize("shape", [(2, LOGITS), (2, 200_019), (2, LOGITS + 100)])
def test_applying_sets_what_is_not_allowed_to_minus_infinity(matcher, shape):
    bitmask = harmony_mask.allocate_token_bitmask(2, LOGITS)
    matcher.fill_next_token_bitmask(bitmask, 1)
    allowed = allowed_tokens(bitmask, shape[1])
    assert allowed[0, :LOGITS].all() and not allowed[:, LOGITS:].any()
    expected = np.where(allowed, np.float32(1), -np.inf)
    arrays = np.ones(shape, np.float32)
    harmony_mask.apply_token_bitmask_inplace(arrays, bitmask)
    assert np.array_equal(arrays, expected)
    for dtype in (torch.float32, torch.bfloat16):
        tensor = torch.ones(shape, dtype=dtype)
        harmony_mask.apply_token_bitmask_inplace(tensor, torch.from_numpy(bitmask))
        assert np.array_equal(tensor.float().numpy(), expected)


@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
def test_applying_to_some_rows_and_some_tokens(matcher, make):
    bitmask = harmony_mask.allocate_token_bitmask(3, LOGITS)
    for row in range(3):
        matcher.fill_next_token_bitmask(bitmask, row)
    logits = make(np.ones((3, LOGITS), np.float32))
    harmony_mask.apply_token_bitmask_inplace(logits, make(bitmask), vocab_size=200_000, indices=[1])
    assert (logits[0] == 1).all() and (logits[2] == 1).all() and (logits[1, 200_000:] == 1).all()
    assert (logits[1, :200_000] == 1).sum() == int(allowed_tokens(bitmask, 200_000)[1].sum())
    one = make(np.ones(LOGITS, np.float32))
    harmony_mask.apply_token_bitmask_inplace(one, make(bitmask[0]))
    assert (one == 1).sum() == int(allowed_tokens(bitmask, LOGITS)[0].sum())
    with pytest.raises(BitmaskError):
        harmony_mask.apply_token_bitmask_inplace(logits, make(bitmask[:2]))
    with pytest.raises(BitmaskError):
        harmony_mask.apply_token_bitmask_inplace(logits, make(bitmask), indices=[3])
    with pytest.raises(BitmaskError):
        harmony_mask.apply_token_bitmask_inplace(logits, make(bitmask.astype(np.int64)))


def test_the_unpacking_for_other_devices_agrees(matcher):
    """What runs on a GPU, run on the CPU: shifts in place of numpy."""
    from harmony_mask.bitmask import _unpack_by_shifts

    bitmask = harmony_mask.allocate_token_bitmask(2, LOGITS, backend="torch")
    matcher.fill_next_token_bitmask(bitmask, 1)
    for width in (200_000, LOGITS, LOGITS + 50):
        assert torch.equal(_unpack_by_shifts(bitmask, width), allowed_tokens(bitmask, width))


def test_resetting_allows_everything(matcher):
    for backend in ("numpy", "torch"):
        bitmask = harmony_mask.allocate_token_bitmask(2, LOGITS, backend=backend)
        matcher.fill_next_token_bitmask(bitmask)
        harmony_mask.reset_token_bitmask(bitmask)
        assert (bitmask == -1).all()
    with pytest.raises(ValueError, match="jax"):
        harmony_mask.allocate_token_bitmask(2, LOGITS, backend="jax")
