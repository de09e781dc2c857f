"""onnxruntime's GatherBlockQuantized: slices of a table of few bits."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.bits import unpacked
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.shapes import axis
from popir.registry import OpCreator
from popir.types import DataType


class GatherBlockQuantized(Decomposition):
    """onnxruntime's GatherBlockQuantized, version 1: slices of a quantized table, which has a scale
    and a zero point for each block of `block_size` numbers along `quantize_axis`.

    UINT8 holds numbers of `bits` bits, packed along the last dimension, around 2^(bits - 1);
    UINT4 and INT4 are numbers around 0. Deviation: tables of 8-bit and 4-bit floats are refused.
    """

    bits: int
    block_size: int
    quantize_axis: int
    gather_axis: int

    def decompose(
        self,
        on: Decomposer,
        data: Tensor,
        indices: Tensor,
        scales: Tensor,
        zeros: Tensor | None = None,
    ) -> Tensor:
        """Gathers of numbers, scales and zero points, and a product. Raises OperatorInputError for
        shapes that do not fit, OperatorAttributeError for what is refused.
        """
        bytes = on.info(data).dataType() is DataType.UINT8
        rank = len(on.shape(data))
        along = axis(self, self.quantize_axis, rank)
        at = axis(self, self.gather_axis, rank)
        self._check(bytes, at, along, rank)
        whole = on.shape(data)
        if bytes:
            whole = [*whole[:-1], whole[-1] * 8 // self.bits]
        blocks = -(-whole[along] // self.block_size)
        expected = [*whole[:along], blocks, *whole[along + 1 :]]
        if on.shape(scales) != expected:
            raise self.wrong(
                f"the scales have shape {on.shape(scales)}; for a table {whole} in blocks of "
                f"{self.block_size} along dimension {along} expected is {expected}."
            )
        if zeros is not None and len(on.shape(zeros)) != rank:
            raise self.wrong(
                f"the zero points have shape {on.shape(zeros)}; expected are {rank} dimensions."
            )
        numbers = self._numbers(on, data, bytes)
        middle = None if zeros is None else self._numbers(on, zeros, bytes)
        if middle is not None and bytes and on.shape(middle)[-1] > expected[-1]:
            # The last byte is not full.
            middle = on.Slice(middle, on.ints(0), on.ints(expected[-1]), on.ints(-1))
        if middle is not None and on.shape(middle) != expected:
            raise self.wrong(
                f"the zero points are {on.shape(middle)}, unpacked; expected is {expected}."
            )
        if at == along:
            whole = self._restored(on, numbers, middle, scales, along, bytes)
            return on.Gather(whole, indices, axis=at)
        # Dimensions after the gathered one move with the rank of the indices.
        place = along + (len(on.shape(indices)) - 1 if at < along else 0)
        rows = [
            None if t is None else on.Gather(t, indices, axis=at) for t in (numbers, middle, scales)
        ]
        assert rows[0] is not None and rows[2] is not None
        return self._restored(on, rows[0], rows[1], rows[2], place, bytes)

    def _restored(
        self,
        on: Decomposer,
        numbers: Tensor,
        middle: Tensor | None,
        scales: Tensor,
        along: int,
        bytes: bool,
    ) -> Tensor:
        """The numbers minus their zero points, times their scales, which are for blocks of
        `along`.
        """
        kind, size = on.info(scales).dataType(), on.shape(numbers)[along]
        found = on.cast(numbers, kind)
        if middle is not None:
            found = on.Sub(found, self._wide(on, on.cast(middle, kind), along, size))
        elif bytes:
            found = on.Sub(found, on.like(float(1 << (self.bits - 1)), found))
        return on.Mul(found, self._wide(on, scales, along, size))

    def _check(self, bytes: bool, at: int, along: int, rank: int) -> None:
        """Raises OperatorAttributeError for what is refused."""
        if self.block_size < 16 or self.block_size & (self.block_size - 1):
            raise OperatorAttributeError(
                f"{self._who()}: block_size is {self.block_size}; expected is a power of two from "
                "16 on."
            )
        if self.bits not in (2, 4, 8):
            raise OperatorAttributeError(
                f"{self._who()}: bits is {self.bits}; expected is 2, 4 or 8."
            )
        if bytes and (at or along != rank - 1 or not along):
            raise OperatorAttributeError(
                f"{self._who()}: gather_axis is {at}, quantize_axis {along} of {rank} dimensions; "
                "for UINT8 they must be the first and the last."
            )

    def _numbers(self, on: Decomposer, t: Tensor, bytes: bool) -> Tensor:
        """The numbers, one an element of 8 bits."""
        if bytes:
            return unpacked(on, t, self.bits)
        kind = on.info(t).dataType()
        return on.cast(t, DataType.INT8 if kind is DataType.INT4 else DataType.UINT8)

    def _wide(self, on: Decomposer, t: Tensor, place: int, size: int) -> Tensor:
        """One number a block as one for each element, `size` of them along `place`."""
        shape, block = on.shape(t), self.block_size
        wide = [*shape[: place + 1], block, *shape[place + 1 :]]
        split = on.reshape(t, [*shape[: place + 1], 1, *shape[place + 1 :]])
        flat = [*shape[:place], shape[place] * block, *shape[place + 1 :]]
        whole = on.reshape(on.Expand(split, on.ints(*wide)), flat)
        if flat[place] == size:
            return whole
        return on.Slice(whole, on.ints(0), on.ints(size), on.ints(place))


OpCreator(GatherBlockQuantized, microsoft_id("GatherBlockQuantized"))
