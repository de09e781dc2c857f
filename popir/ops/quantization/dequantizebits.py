"""DequantizeBits: the values of a matrix of numbers of 2, 4 or 8 bits."""

from __future__ import annotations

from popir.ext import dequantizeBits
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ops.support.bits import unpacked
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import graphcore_id
from popir.opx import Opx, popType
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_ID = graphcore_id("DequantizeBits")


class DequantizeBitsOp(Op):
    """The values of a matrix [rows, columns]: (number - 2^(bits - 1) - zero point) * scale.

    Inputs: the numbers, UINT8 [rows, blocks, bytes of a block], the lowest bits of a byte first;
    scales, and optionally zero points, FLOAT [blocks, rows]. A product with the values, transposed,
    reads the numbers themselves.
    """

    bits: int
    columns: int
    to: int
    """The type of the values, as in ONNX: FLOAT, FLOAT16 or BFLOAT16."""
    rounds_rows: int
    """Whether such a product may round its other operand to bytes."""

    def setup(self) -> None:
        """Infers [rows, columns] of type `to`. The decompositions that add the operator check
        shapes.
        """
        self.setOutInfo(0, TensorInfo(DataType.of(self.to), [self.inShape(0)[0], self.columns]))

    def decompose(
        self,
        on: Decomposer,
        numbers: IrTensor,
        scales: IrTensor,
        zeros: IrTensor | None = None,
    ) -> IrTensor:
        """The same by operators that have gradients, of scales and zero points."""
        found = values(on, self.bits, self.columns, numbers, scales, zeros)
        return on.cast(found, DataType.of(self.to))


def values(
    on: Decomposer,
    bits: int,
    columns: int,
    numbers: IrTensor,
    scales: IrTensor,
    zeros: IrTensor | None = None,
) -> IrTensor:
    """What DequantizeBits computes, in the type of the scales."""
    rows, kind = on.shape(numbers)[0], on.info(scales).dataType()
    found = on.cast(unpacked(on, numbers, bits), kind)
    found = on.Sub(found, on.like(float(1 << (bits - 1)), found))

    def by_block(t: IrTensor) -> IrTensor:
        return on.Unsqueeze(on.Transpose(t, perm=[1, 0]), on.ints(2))

    if zeros is not None:
        found = on.Sub(found, by_block(zeros))
    found = on.reshape(on.Mul(found, by_block(scales)), [rows, -1])
    return on.Slice(found, on.ints(0), on.ints(columns), on.ints(1))


class DequantizeBitsOpx(Opx):
    """The lowering, to ext.dequantizeBits: its vertex unpacks and scales what it reads."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the vertex to the program, and gives its result."""
        op = self.getOp(DequantizeBitsOp)
        values = dequantizeBits(
            self.graph(),
            self.getInTensor(0),
            self.getInTensor(1),
            self.getInTensor(2) if op.hasInput(2) else None,
            popType(op.outInfo(0)),
            op.bits,
            op.columns,
            bool(op.rounds_rows),
            prog,
            self.debugContext("values"),
        )
        self.setOutTensor(0, values)


OpCreator(DequantizeBitsOp, [_ID], isPublic=False)
OpxCreator(DequantizeBitsOpx, [_ID])
