"""Bitmasks: matrices of int32, one row per sequence, bit `t % 32` of word `t // 32` set where token `t` is allowed.

This is the layout of xgrammar, llguidance, vLLM and SGLang, so masks filled here go through their kernels as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from .errors import BitmaskError

if TYPE_CHECKING:
    import numpy as np
    import torch


def get_bitmask_shape(batch_size: int, vocab_size: int) -> tuple[int, int]:
    """Rows and words of a bitmask.

    `vocab_size` is the width of the model's logits, 201,088 in gpt-oss, not the tokenizer's length.
    """
    return batch_size, -(-vocab_size // 32)


def allocate_token_bitmask(batch_size: int, vocab_size: int, *, backend: Literal["numpy", "torch"] = "numpy") -> Any:
    """A bitmask in which everything is allowed: of numpy, or of torch on the CPU, pinned where there is a GPU."""
    shape = get_bitmask_shape(batch_size, vocab_size)
    if backend == "numpy":
        import numpy as np

        return np.full(shape, -1, dtype=np.int32)
    if backend == "torch":
        import torch

        return torch.full(shape, -1, dtype=torch.int32, pin_memory=torch.cuda.is_available())
    raise ValueError(f"the backend is numpy or torch, not {backend!r}")


def reset_token_bitmask(bitmask: Any) -> None:
    """Allows everything again."""
    bitmask[...] = -1


def apply_token_bitmask_inplace(
    logits: Any, bitmask: Any, *, vocab_size: int | None = None, indices: Sequence[int] | None = None
) -> None:
    """Sets the logits of all tokens that are not allowed to minus infinity.

    `logits` are floats of numpy or torch, one row per sequence or a single row, on any device. The first `vocab_size`
    tokens are looked at (all by default); tokens past the end of the bitmask are not allowed. With `indices`, only
    these rows are changed, each by the row of the bitmask with the same number.
    """
    if _is_tensor(logits):
        _apply_torch(logits, bitmask, vocab_size, indices)
    else:
        _apply_numpy(logits, bitmask, vocab_size, indices)


def allowed_tokens(bitmask: Any, vocab_size: int) -> Any:
    """The bitmask written out: one bool per row and token, of numpy or torch as the bitmask is."""
    if _is_tensor(bitmask):
        return _unpack_torch(bitmask, vocab_size)
    return _unpack_numpy(bitmask, vocab_size)


def _is_tensor(thing: Any) -> bool:
    """Whether this is of torch; where nobody has loaded torch, nothing is."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(thing, torch.Tensor)


def _apply_numpy(logits: np.ndarray, bitmask: Any, vocab_size: int | None, indices: Sequence[int] | None) -> None:
    import numpy as np

    bitmask = np.atleast_2d(np.asarray(bitmask))
    rows = logits if logits.ndim == 2 else logits[np.newaxis]
    chosen = _rows(rows, bitmask, indices)
    rows = rows[:, :vocab_size]
    allowed = _unpack_numpy(bitmask[chosen], rows.shape[1])
    rows[chosen] = np.where(allowed, rows[chosen], -np.inf)


def _apply_torch(logits: torch.Tensor, bitmask: Any, vocab_size: int | None, indices: Sequence[int] | None) -> None:
    import torch

    bitmask = torch.as_tensor(bitmask)
    bitmask = bitmask if bitmask.ndim == 2 else bitmask.unsqueeze(0)
    rows = logits if logits.ndim == 2 else logits.unsqueeze(0)
    chosen = _rows(rows, bitmask, indices)
    rows = rows[:, :vocab_size]
    if indices is None:
        rows.masked_fill_(~_unpack_torch(bitmask.to(rows.device), rows.shape[1]), float("-inf"))
        return
    allowed = _unpack_torch(bitmask[chosen].to(rows.device), rows.shape[1])
    rows[chosen] = rows[chosen].masked_fill(~allowed, float("-inf"))


def _rows(logits: Any, bitmask: Any, indices: Sequence[int] | None) -> list[int]:
    """The rows to change, checked against both."""
    count = logits.shape[0]
    if indices is None and bitmask.shape[0] != count:
        raise BitmaskError(f"{count} rows of logits cannot be masked by {bitmask.shape[0]} rows", "shape")
    chosen = list(range(count)) if indices is None else [int(index) for index in indices]
    for index in chosen:
        if not 0 <= index < min(count, bitmask.shape[0]):
            raise BitmaskError(f"there is no row {index} in both, logits and bitmask", "range")
    return chosen


def _unpack_numpy(bitmask: np.ndarray, vocab_size: int) -> np.ndarray:
    import numpy as np

    _check_dtype(bitmask, np.int32)
    bits = np.unpackbits(np.ascontiguousarray(bitmask).view(np.uint8), axis=1, bitorder="little", count=vocab_size)
    return bits.view(np.bool_)


def _unpack_torch(bitmask: torch.Tensor, vocab_size: int) -> torch.Tensor:
    import torch

    if bitmask.is_cpu:
        return torch.from_numpy(_unpack_numpy(bitmask.numpy(), vocab_size))
    return _unpack_by_shifts(bitmask, vocab_size)


def _unpack_by_shifts(bitmask: torch.Tensor, vocab_size: int) -> torch.Tensor:
    """For devices that numpy cannot reach. On the CPU it takes ten times as long."""
    import torch

    _check_dtype(bitmask, torch.int32)
    bits = torch.arange(32, device=bitmask.device, dtype=torch.int32)
    allowed = (bitmask.unsqueeze(-1) >> bits & 1).bool().flatten(1)
    return torch.nn.functional.pad(allowed, (0, vocab_size - allowed.shape[1]))


def _check_dtype(bitmask: Any, expected: Any) -> None:
    if bitmask.dtype != expected:
        raise BitmaskError(f"a bitmask is of int32, not {bitmask.dtype}", "dtype")
