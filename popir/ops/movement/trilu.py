"""Trilu: the upper or lower triangle of each matrix of a stack, with zeros elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import broadcast_to, const_number
from popir.opx import Opx
from popir.poplar import program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType


class TriluOp(Op):
    """ONNX's Trilu, version 14. The triangle starts at the diagonal in input 1, 0 by default. One
    that is known at run time alone makes it the choice of elements by their rows and columns.
    """

    constantInputs = frozenset({1})
    upper: bool

    def expand(self, inputs: Sequence[IrTensor | None], outputs: Sequence[str]) -> bool:
        """Adds a Where for a diagonal that is known at run time."""
        x, k = [*inputs, None, None][:2]
        if x is None or k is None or k.data is not None or not any(outputs):
            return False
        on = Decomposer(self, outputs[0])
        shape = on.shape(x)
        if len(shape) < 2 or on.info(k).nelms() != 1 or on.info(k).dataType() is not DataType.INT64:
            return False
        ahead = np.arange(shape[-1], dtype=np.int64) - np.arange(shape[-2])[:, None]
        limit = on.reshape(k, [])
        compare = on.GreaterOrEqual if self.upper else on.LessOrEqual
        on.name([on.Where(compare(on.const(ahead), limit), x, on.like(0, x))], outputs)
        return True

    def mask(self) -> Array:
        """BOOL[rows, columns]: True for the elements of the triangle."""
        k = int(const_number(self, 1) or 0)
        rows, columns = self.inShape(0)[-2:]
        k = max(-rows, min(k, columns))  # It may be any of int64; numpy adds to it.
        all = np.ones((rows, columns), np.bool_)
        return np.triu(all, k) if self.upper else np.tril(all, k)

    def setup(self) -> None:
        """Infers the type and shape of the input. Raises OperatorInputError for a rank below 2, and
        for a diagonal that is no number.
        """
        if self.inRank(0) < 2:
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {self.inShape(0)}; Trilu takes matrices."
            )
        const_number(self, 1)
        self.setOutInfo(0, self.inInfo(0))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The triangle, by numpy."""
        return [np.where(self.mask(), inputs[0], 0)] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The same triangle of the gradient."""
        return [TriluGradOp(self)]


class TriluGradOp(InputGradOp):
    """The triangle of the output's gradient."""

    opid = graphcore_id("TriluGrad")

    def __init__(self, fwdOp: TriluOp) -> None:
        super().__init__(fwdOp)
        self._mask = fwdOp.mask()

    def mask(self) -> Array:
        """The mask of the forward operator."""
        return self._mask

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A selection by the mask."""
        return on.Where(on.const(self._mask), g, on.like(0, g))


class TriluOpx(Opx):
    """The lowering of Trilu and of its gradient."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds one selection by a constant mask."""
        op = self.op_p
        assert isinstance(op, (TriluOp, TriluGradOp))
        t, values = self.getInTensor(0), op.mask()
        mask = self.getConst(poplar.BOOL, list(values.shape), values, "mask")
        operands = [t, broadcast_to(mask, t.shape())]
        tree = pe.Select(pe._1, pe.Const(0), pe._2)
        self.setOutTensor(0, popops.map(self.graph(), tree, operands, prog, self.debugContext()))


OpCreator(TriluOp, onnx_ids("Trilu", 14))
OpxCreator(TriluOpx, [*onnx_ids("Trilu", 14), TriluGradOp.opid])
