"""Gather: the slices of a tensor along an axis that indices name. Negative ones count from the end.

An index out of range is an error where it is constant; where it is not, it gives zeros.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir.op import Array
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import axis, product
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

_MOST_VIEWS = 16


class GatherOp(Op):
    """[dimensions before the axis..., dimensions of the indices..., dimensions after it...]"""

    axis: int

    def along(self) -> int:
        """The axis, counted from 0."""
        return axis(self, self.axis, self.inRank(0))

    def constantIndices(self) -> list[int] | None:
        """The indices from 0 on, if they are known.

        Raises OperatorInputError for one out of range.
        """
        tensor = self.inTensor(1)
        if not tensor.isConst() or tensor.data is None:
            return None
        size, found = self.inShape(0)[self.along()], tensor.data.reshape(-1)
        if found.size and not (-size <= found.min() and found.max() < size):
            raise OperatorInputError(
                f"{self.debugName()}: an index of {found.min()} to {found.max()} is outside of the "
                f"dimension {self.along()} of {self.inShape(0)}."
            )
        return [int(i) % size for i in found]

    def views(self) -> list[int] | None:
        """The indices, if they are known and so few that the result is a view of the input."""
        found = self.constantIndices()
        return found if found is not None and 0 < len(found) <= _MOST_VIEWS else None

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """A view, where the indices are known and few."""
        return inIndex == 0 and self.views() is not None

    def setup(self) -> None:
        """The indices' shape in place of the axis."""
        shape, a = self.inShape(0), self.along()
        self.constantIndices()
        shape[a : a + 1] = self.inShape(1)
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The slices."""
        return [np.take(inputs[0], inputs[1], self.along())] if len(inputs) == 2 else None

    def getGradOps(self) -> list[Op]:
        """With respect to the data."""
        return [GatherGradOp(self)]


class GatherGradOp(InputGradOp):
    """Each slice of the gradient, added where it was taken."""

    opid = graphcoreId("GatherGrad")
    reads = [(GRAD, 0), (IN, 1)]

    def __init__(self, fwdOp: GatherOp) -> None:
        super().__init__(fwdOp)
        self.along = fwdOp.along()
        self.indices = fwdOp.views()


def _offsets(opx: Opx, size: int, prog: program.Sequence) -> Tensor:
    """The indices that are input 1, from 0 on, as popops' slices take them: INT [count, 1]."""
    t = opx.getInTensor(1).flatten()
    fromStart = pe.Select(pe.Add(pe._1, pe.Const(size)), pe._1, pe.Lt(pe._1, pe.Const(0)))
    # Whatever does not fit 32 bits is out of range, and stays so as -1.
    known = pe.Select(fromStart, pe.Const(-1), pe.Lt(pe._1, pe.Const(size)))
    tree = pe.Cast(known, poplar.INT)
    return popops.map(opx.graph(), tree, [t], prog, opx.debugContext("offsets")).expand([1])


class GatherOpx(Opx):
    """Views, or slices at places that are known when the program runs."""

    def grow(self, prog: program.Sequence) -> None:
        """A concatenation or multiSlice."""
        op, t = self.getOp(GatherOp), self.getInTensor(0)
        a, indices = op.along(), op.views()
        if indices is not None:
            parts = [t.slice(i, i + 1, a) for i in indices]
            self.setOutTensor(0, poplar.concat(parts, a).reshape(self.outShape(0)))
            return
        offsets = _offsets(self, t.dim(a), prog)
        context = self.debugContext()
        found = popops.multiSlice(self.graph(), t, offsets, [a], [1], prog, debugContext=context)
        found = found.squeeze([a + 1]).dimRoll(0, a)
        self.setOutTensor(0, found.reshape(self.outShape(0)))


class GatherGradOpx(Opx):
    """Adds slices to zeros."""

    def grow(self, prog: program.Sequence) -> None:
        """A fill, then a copy or multiUpdateAdd."""
        op, g, shape = self.getOp(GatherGradOp), self.getInTensor(0), self.outShape(0)
        linear = poplar.VariableMappingMethod.LINEAR
        out = self.graph().addVariable(g.elementType(), shape, linear, self.debugContext())
        popops.zero(self.graph(), out, prog, self.debugContext("zero"))
        self.setOutTensor(0, out)
        a, indices = op.along, op.indices
        count = product(self.inShape(1))
        g = g.reshape([*shape[:a], count, *shape[a + 1 :]])
        if indices is not None and len(set(indices)) == len(indices):
            places = poplar.concat([out.slice(i, i + 1, a) for i in indices], a)
            prog.add(program.Copy(g, places, self.debugContext("place")))
            return
        offsets = _offsets(self, shape[a], prog)
        slices = g.dimRoll(a, 0).expand([a + 1])
        one = self.getConst(g.elementType(), [], 1, "one")
        context = self.debugContext()
        popops.multiUpdateAdd(
            self.graph(), out, slices, offsets, one, [a], [1], prog, debugContext=context
        )


_IDS = onnxIds("Gather", 1, 11, 13)
OpCreator(GatherOp, _IDS)
OpxCreator(GatherOpx, _IDS)
OpxCreator(GatherGradOpx, GatherGradOp.opid)
