"""onnxruntime's MatMulNBits: the product with weights of few bits."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.bits import unpacked
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import row_of
from popir.registry import OpCreator
from popir.types import DataType


class MatMulNBits(Decomposition):
    """onnxruntime's MatMulNBits, version 1: the product of A with a matrix [K, N] of 2, 4 or 8
    bits, which has a scale and a zero point for each block of `block_size` numbers of a column.

    Weights that nothing else changes are unpacked once, before the first run. `accuracy_level`
    allows less accuracy than there is; weights that are packed for one kind of hardware, and
    `g_idx`, are refused.
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
        """Bytes taken apart, DequantizeLinear by hand, MatMul. Raises OperatorInputError for shapes
        that do not fit, OperatorAttributeError for what is refused.
        """
        blocks = self._blocks()
        if order is not None:
            raise self.wrong("g_idx is refused: onnxruntime calls it deprecated.")
        bytes = self.block_size * self.bits // 8
        if on.shape(b) != [self.N, blocks, bytes]:
            raise self.wrong(
                f"B has shape {on.shape(b)}; expected is {[self.N, blocks, bytes]}: N, blocks, "
                "bytes of a block."
            )
        if on.shape(a)[-1:] != [self.K]:
            raise self.wrong(f"A has shape {on.shape(a)}; its last dimension must be K, {self.K}.")
        kind = on.info(a).dataType()
        numbers = on.cast(unpacked(on, b, self.bits), kind)
        scale = self._by_block(on, "the scales", scales, kind)
        middle: Tensor = on.like(float(1 << (self.bits - 1)), numbers)
        if zeros is not None and on.info(zeros).dataType() is DataType.UINT8:
            middle = on.cast(self._zeros(on, zeros), kind)
        elif zeros is not None:
            middle = self._by_block(on, "the zero points", zeros, kind)
        weights = on.Mul(on.Sub(numbers, middle), scale)
        whole = on.reshape(weights, [self.N, blocks * self.block_size])
        if blocks * self.block_size != self.K:
            whole = on.Slice(whole, on.ints(0), on.ints(self.K), on.ints(1))
        y = on.MatMul(a, on.Transpose(whole, perm=[1, 0]))
        return y if bias is None else on.Add(y, row_of(self, on, "the bias", bias, self.N))

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

    def _by_block(self, on: Decomposer, what: str, t: Tensor, kind: DataType) -> Tensor:
        """`t`, a number for each block, as [N, blocks, 1]."""
        expected = [self.N, self._blocks()]
        if on.shape(t) not in (expected, [expected[0] * expected[1]]):
            raise self.wrong(f"{what} have shape {on.shape(t)}; expected is {expected}.")
        return on.reshape(on.cast(t, kind), [*expected, 1])

    def _zeros(self, on: Decomposer, zeros: Tensor) -> Tensor:
        """The zero points from bytes, [N, blocks, 1]."""
        blocks = self._blocks()
        row = -(-blocks * self.bits // 8)
        if on.shape(zeros) not in ([self.N, row], [self.N * row]):
            raise self.wrong(
                f"the zero points have shape {on.shape(zeros)}; packed, expected is "
                f"{[self.N, row]}."
            )
        found = unpacked(on, on.reshape(zeros, [self.N, row]), self.bits)
        found = on.Slice(found, on.ints(0), on.ints(blocks), on.ints(1))
        return on.reshape(found, [self.N, blocks, 1])


OpCreator(MatMulNBits, microsoft_id("MatMulNBits"))
