"""CumSum and CumProd: the sum or product of all elements up to each one, along an axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import ext
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.traits import Array
from popir.ops.elementwise.table import FLOATS
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import axis, const_number
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType


class ScanOp(Op):
    """The base class of both. The axis, input 1, must be known at compile time. `exclusive` leaves
    out the element itself, `reverse` begins at the last element. Integers wrap.
    """

    constantInputs = frozenset({1})
    exclusive: bool
    reverse: bool

    def along(self) -> int:
        """The axis, counted from 0.

        Raises OperatorInputError unless it is one number, OperatorAttributeError if it is out of
        range.
        """
        given = const_number(self, 1)
        assert isinstance(given, int)
        return axis(self, given, self.inRank(0))

    def options(self) -> ext.ScanOptions:
        """The attributes as options of the library `ext`."""
        return ext.ScanOptions(self.exclusive, self.reverse)

    def setup(self) -> None:
        """Infers the type and shape of the input. Raises the errors of `along`."""
        self.along()
        self.setOutInfo(0, self.inInfo(0))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The scan of integers, by numpy."""
        if 0 not in inputs or inputs[0].dtype.kind not in "iu":
            return None
        x, along = inputs[0], self.along()
        x = np.flip(x, along) if self.reverse else x
        if self.exclusive:
            ends = np.full_like(x[tuple(_first(x.ndim, along))], isinstance(self, CumProdOp))
            rest = np.delete(x, -1, along) if x.shape[along] else x
            x = np.concatenate([ends, rest], along)
        scan = np.cumprod if isinstance(self, CumProdOp) else np.cumsum
        found = scan(x, along, dtype=x.dtype)
        return [np.flip(found, along) if self.reverse else found]


def _first(rank: int, along: int) -> list[slice]:
    """The first elements along an axis."""
    return [slice(0, 1) if d == along else slice(None) for d in range(rank)]


class CumSumOp(ScanOp):
    """ONNX's CumSum, versions 11 and 14: y[i] = x[0] + ... + x[i]."""

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for floating-point types."""
        return [CumSumGradOp(self)] if self.inInfo(0).dataType() in FLOATS else []


class CumProdOp(ScanOp):
    """ONNX's CumProd, version 26: y[i] = x[0] ... x[i]."""

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for floating-point types."""
        return [CumProdGradOp(self)] if self.inInfo(0).dataType() in FLOATS else []


class CumSumGradOp(InputGradOp):
    """The gradient of CumSum: a sum in the other direction."""

    opid = graphcore_id("CumSumGrad")

    def __init__(self, fwdOp: ScanOp) -> None:
        super().__init__(fwdOp)
        self._forward["axis"] = self.along = fwdOp.along()
        self.exclusive, self.reverse = bool(fwdOp.exclusive), bool(fwdOp.reverse)

    def decompose(self, on: Decomposer, g: IrTensor, *_: IrTensor) -> IrTensor:
        """A CumSum in the other direction."""
        axis, back = on.const(self.along, DataType.INT64), not self.reverse
        return on.CumSum(g, axis, exclusive=int(self.exclusive), reverse=int(back))


class CumProdGradOp(CumSumGradOp):
    """The gradient of CumProd, which divides by nothing: x may have zeros."""

    opid = graphcore_id("CumProdGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def decompose(self, on: Decomposer, g: IrTensor, *given: IrTensor) -> IrTensor:
        """What stands before an element, times the sum over all products that it is part of of the
        gradient and of the elements between. These are n² numbers for an axis of n.
        """
        (x,) = given
        shape, along = on.shape(x), self.along
        order = [d for d in range(len(shape)) if d != along] + [along]
        if 0 in shape:
            return on.zeros(self.target())
        x, g = (on.Transpose(t, perm=order) for t in (x, g))
        rows, columns = np.indices((shape[along], shape[along]))
        behind = columns < rows if self.reverse else columns > rows
        summed = behind if self.exclusive else behind | (columns == rows)
        wide = [on.Unsqueeze(t, on.ints(-2)) for t in (x, g)]
        factors = on.Where(on.const(behind), wide[0], on.like(1, x))
        between = running_product(on, factors, -1, bool(self.exclusive), bool(self.reverse))
        terms = on.Where(on.const(summed), on.Mul(between, wide[1]), on.like(0, x))
        before = running_product(on, x, -1, True, bool(self.reverse))
        found = on.Mul(before, on.ReduceSum(terms, on.ints(-1), keepdims=0))
        return on.Transpose(found, perm=[order.index(d) for d in range(len(order))])


def running_product(
    on: Decomposer, x: IrTensor, axis: int, exclusive: bool, reverse: bool
) -> IrTensor:
    """A CumProd, for a decomposition."""
    attributes = {"exclusive": int(exclusive), "reverse": int(reverse)}
    inputs = [x, on.const(axis, DataType.INT64)]
    found = on.add("ai.onnx", "CumProd", 26, inputs, 1, attributes)
    assert isinstance(found, IrTensor)
    return found


class ScanOpx(Opx):
    """The lowering of CumSum and CumProd."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::runningSum or runningProduct."""
        op = self.getOp(ScanOp)
        scan = ext.runningProduct if isinstance(op, CumProdOp) else ext.runningSum
        given, context = self.getInTensor(0), self.debugContext()
        self.setOutTensor(0, scan(self.graph(), given, op.along(), op.options(), prog, context))


class CumSumGradOpx(Opx):
    """The lowering of the gradient of CumSum."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::runningSum in the other direction."""
        op, g = self.getOp(CumSumGradOp), self.getInTensor(0)
        options, context = ext.ScanOptions(op.exclusive, not op.reverse), self.debugContext()
        self.setOutTensor(0, ext.runningSum(self.graph(), g, op.along, options, prog, context))


class CumProdGradOpx(Opx):
    """The lowering of the gradient of CumProd."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::runningProductGradient with the input."""
        op, g, x = self.getOp(CumProdGradOp), self.getInTensor(0), self.getInTensor(1)
        options, context = ext.ScanOptions(op.exclusive, op.reverse), self.debugContext()
        out = ext.runningProductGradient(self.graph(), x, g, op.along, options, prog, context)
        self.setOutTensor(0, out)


for _op, _ids in ((CumSumOp, onnx_ids("CumSum", 11, 14)), (CumProdOp, onnx_ids("CumProd", 26))):
    OpCreator(_op, _ids)
    OpxCreator(ScanOpx, _ids)
OpxCreator(CumSumGradOpx, CumSumGradOp.opid)
OpxCreator(CumProdGradOpx, CumProdGradOp.opid)
