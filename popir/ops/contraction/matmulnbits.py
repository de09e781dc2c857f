"""onnxruntime's MatMulNBits: the product with weights of few bits."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.quantization.dequantizebits import values
from popir.ops.support.bits import unpacked
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import row_of
from popir.registry import OpCreator
from popir.types import DataType

_BYTES = 4
"""The level of accuracy of bytes."""


class MatMulNBits(Decomposition):
    """onnxruntime's MatMulNBits, version 1: the product of A with a matrix [K, N] of 2, 4 or 8
    bits, which has a scale and a zero point for each block of `block_size` numbers of a column.

    Rows are multiplied with the numbers as they are packed (DequantizeBits). `accuracy_level` 4
    lets them be rounded to bytes, block by block, where the machine multiplies these faster; other
    levels ask for less accuracy than there is. With `g_idx` the matrix is made in the type of A.
    Weights that are packed for one kind of hardware are refused.
    """

    K: int
    N: int
    bits: int
    block_size: int
    accuracy_level: int
    weight_prepacked: int

    def decompose(
        self,
        on: Decomposer,
        a: Tensor,
        b: Tensor,
        scales: Tensor,
        zeros: Tensor | None = None,
        order: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        """DequantizeBits, and a MatMul. Raises OperatorInputError for shapes that do not fit,
        OperatorAttributeError for what is refused.
        """
        blocks = self._blocks()
        bytes = self.block_size * self.bits // 8
        if on.shape(b) != [self.N, blocks, bytes]:
            raise self.wrong(
                f"B has shape {on.shape(b)}; expected is {[self.N, blocks, bytes]}: N, blocks, "
                "bytes of a block."
            )
        if on.shape(a)[-1:] != [self.K]:
            raise self.wrong(f"A has shape {on.shape(a)}; its last dimension must be K, {self.K}.")
        kind = on.info(a).dataType()
        wide = DataType.DOUBLE if kind is DataType.DOUBLE else DataType.FLOAT
        inputs = [b, self._by_block(on, "the scales", scales, wide)]
        if zeros is not None:
            middle = on.const(float(1 << (self.bits - 1)), wide)
            if on.info(zeros).dataType() is DataType.UINT8:
                zeros = self._zeros(on, zeros)
            inputs.append(on.Sub(self._by_block(on, "the zero points", zeros, wide), middle))
        if order is None:
            weights = self._weights(on, inputs, kind)
        else:
            weights = on.cast(self._grouped(on, inputs, order), kind)
        y = on.MatMul(a, on.Transpose(weights, perm=[1, 0]))
        return y if bias is None else on.Add(y, row_of(self, on, "the bias", bias, self.N))

    def _weights(self, on: Decomposer, inputs: list[Tensor], kind: DataType) -> Tensor:
        """The values of the matrix [N, K]: from its bytes, scales and zero points."""
        if kind is DataType.DOUBLE:
            return values(on, self.bits, self.K, *inputs)
        attributes = {
            "bits": self.bits,
            "columns": self.K,
            "to": kind.onnx,
            "rounds_rows": int(self.accuracy_level == _BYTES),
        }
        made = on.add("ai.graphcore", "DequantizeBits", 1, inputs, 1, attributes)
        assert isinstance(made, Tensor)
        return made

    def _grouped(self, on: Decomposer, inputs: list[Tensor], order: Tensor) -> Tensor:
        """The values of the matrix [N, K] where `order`, `g_idx`, says which block's scale and zero
        point a row of the product has.
        """
        whole = self._blocks() * self.block_size
        if on.shape(order) not in ([self.K], [whole]):
            raise self.wrong(
                f"g_idx has shape {on.shape(order)}; expected is {[self.K]} or {[whole]}."
            )
        order = on.Slice(order, on.ints(0), on.ints(self.K))
        packed, scales, *zeros = inputs
        wide = on.info(scales).dataType()
        numbers = unpacked(on, on.reshape(packed, [self.N, -1]), self.bits)
        numbers = on.Slice(numbers, on.ints(0), on.ints(self.K), on.ints(1))
        numbers = on.Sub(on.cast(numbers, wide), on.like(float(1 << (self.bits - 1)), scales))
        by_row = [on.Transpose(on.Gather(t, order, axis=0), perm=[1, 0]) for t in (scales, *zeros)]
        for each in by_row[1:]:
            numbers = on.Sub(numbers, each)
        return on.Mul(numbers, by_row[0])

    def _blocks(self) -> int:
        """The number of blocks of a column. Raises OperatorAttributeError for what is refused."""
        if self.bits not in (2, 4, 8):
            raise OperatorAttributeError(
                f"{self._who()}: bits is {self.bits}; expected is 2, 4 or 8."
            )
        if self.block_size < 16 or self.block_size & (self.block_size - 1):
            raise OperatorAttributeError(
                f"{self._who()}: block_size is {self.block_size}; expected is a power of two from "
                "16 on."
            )
        if self.weight_prepacked:
            raise OperatorAttributeError(
                f"{self._who()}: weight_prepacked is {self.weight_prepacked}; popir takes weights "
                "as the operator's description lays them out, 0."
            )
        if not 0 <= self.accuracy_level <= 4:
            raise OperatorAttributeError(
                f"{self._who()}: accuracy_level is {self.accuracy_level}; expected is 0 to 4."
            )
        return -(-self.K // self.block_size)

    def _by_block(self, on: Decomposer, what: str, t: Tensor, wide: DataType) -> Tensor:
        """`t`, a number for each block, as [blocks, N]."""
        expected = [self.N, self._blocks()]
        if on.shape(t) not in (expected, [expected[0] * expected[1]]):
            raise self.wrong(f"{what} have shape {on.shape(t)}; expected is {expected}.")
        return on.Transpose(on.reshape(on.cast(t, wide), expected), perm=[1, 0])

    def _zeros(self, on: Decomposer, zeros: Tensor) -> Tensor:
        """The zero points from bytes, [N, blocks]."""
        blocks = self._blocks()
        row = -(-blocks * self.bits // 8)
        if on.shape(zeros) not in ([self.N, row], [self.N * row]):
            raise self.wrong(
                f"the zero points have shape {on.shape(zeros)}; packed, expected is "
                f"{[self.N, row]}."
            )
        found = unpacked(on, on.reshape(zeros, [self.N, row]), self.bits)
        return on.Slice(found, on.ints(0), on.ints(blocks), on.ints(1))


OpCreator(MatMulNBits, microsoft_id("MatMulNBits"))
