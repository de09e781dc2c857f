"""Trilu: one triangle of each matrix of a stack, zero in the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir.op import Array
from popir.ops.gradient import InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import broadcastTo, constInput
from popir.opx import Opx
from popir.poplar import program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator


class TriluOp(Op):
    """The upper triangle or the lower one, from the diagonal on that the constant second input
    names, 0 without it.
    """

    constantInputs = frozenset({1})
    upper: bool

    def mask(self) -> Array:
        """Whether each element of a matrix stays."""
        given = constInput(self, 1)
        k = 0 if given is None else int(given.reshape(-1)[0])
        rows, columns = self.inShape(0)[-2:]
        all = np.ones((rows, columns), np.bool_)
        return np.triu(all, k) if self.upper else np.tril(all, k)

    def setup(self) -> None:
        """Like the input."""
        if self.inRank(0) < 2:
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {self.inShape(0)}; Trilu takes matrices."
            )
        self.setOutInfo(0, self.inInfo(0))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The triangle."""
        return [np.where(self.mask(), inputs[0], 0)] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The same triangle of the gradient."""
        return [TriluGradOp(self)]


class TriluGradOp(InputGradOp):
    """The triangle of the gradient."""

    opid = graphcoreId("TriluGrad")

    def __init__(self, fwdOp: TriluOp) -> None:
        super().__init__(fwdOp)
        self._mask = fwdOp.mask()

    def mask(self) -> Array:
        """As in the forward operator."""
        return self._mask


class TriluOpx(Opx):
    """Both directions."""

    def grow(self, prog: program.Sequence) -> None:
        """A selection by a constant mask."""
        op = self.op_p
        assert isinstance(op, (TriluOp, TriluGradOp))
        t, values = self.getInTensor(0), op.mask()
        mask = self.getConst(poplar.BOOL, list(values.shape), values, "mask")
        operands = [t, broadcastTo(mask, t.shape())]
        tree = pe.Select(pe._1, pe.Const(0), pe._2)
        self.setOutTensor(0, popops.map(self.graph(), tree, operands, prog, self.debugContext()))


OpCreator(TriluOp, onnxIds("Trilu", 14))
OpxCreator(TriluOpx, [*onnxIds("Trilu", 14), TriluGradOp.opid])
