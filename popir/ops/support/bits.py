"""Numbers of few bits that are packed into bytes, for decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.shapes import product
from popir.types import DataType


def unpacked(on: Decomposer, packed: Tensor, bits: int) -> Tensor:
    """The numbers of `bits` bits, 2, 4 or 8, in the bytes of `packed`, UINT8, along its last
    dimension, which becomes 8 / `bits` times as long: the lowest bits of a byte come first.
    """
    if bits == 8:
        return packed
    shape, per = on.shape(packed), 8 // bits
    mask = on.const((1 << bits) - 1, DataType.UINT8)
    parts = []
    for n in range(per):
        shift = on.const(n * bits, DataType.UINT8)
        part = on.BitShift(packed, shift, direction="RIGHT") if n else packed
        parts.append(on.reshape(on.BitwiseAnd(part, mask), [product(shape), 1]))
    return on.reshape(on.Concat(*parts, axis=1), [*shape[:-1], shape[-1] * per])


def packed(numbers: np.ndarray[Any, Any], bits: int, block: int) -> np.ndarray[Any, Any]:
    """Rows [rows, columns] of numbers below 2^bits as bytes [rows, blocks, bytes of a block], the
    lowest bits of a byte first. `bits` is 2, 4 or 8; the last block is filled up with zeros.
    """
    rows, columns = numbers.shape
    whole = np.pad(numbers.astype(np.uint8), ((0, 0), (0, -columns % block)))
    per, blocks = 8 // bits, whole.shape[1] // block
    parts = whole.reshape(rows, blocks * block // per, per) << np.arange(0, 8, bits, dtype=np.uint8)
    return np.bitwise_or.reduce(parts, axis=2).reshape(rows, blocks, block // per)
