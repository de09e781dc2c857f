"""Reductions over axes: ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceSumSquare,
ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp. One row each: what is done before the reduction,
the reduction, and what is done after it.

The gradient of row r with respect to x is g, broadcast, times the row's derivative in x and the
result y. Elements that are the extremum together share its gradient evenly, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from popir import poplar, popops
from popir.ir import GradInOutMapper, Op
from popir.ir.op import Array
from popir.ops import symbolic as s
from popir.ops.arithmetic import Arithmetic, accumulator, share
from popir.ops.elementwise_table import FLOATS
from popir.ops.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import axes, broadcastTo, constInput, product
from popir.ops.symbolic import Arg, Expr
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_G, _X, _Y, _TIES = map(Arg, range(4))


@dataclass(frozen=True)
class Row:
    """One reduction: after(operation(before(x)))."""

    type: str
    versions: tuple[int, ...]
    operation: str
    gradient: Expr | None
    """Over g, x, the result y and the number of elements that equal it; None for the product's,
    which is no function of one element.
    """
    before: Expr | None = None
    after: Expr | None = None
    isReal: bool = False
    """A root or a logarithm: of integers it is computed in double, and cut off after the point."""


_OLD = (1, 11, 13)
ROWS = [
    Row("ReduceSum", _OLD, "ADD", _G),
    Row("ReduceMean", (*_OLD, 18), "ADD", _G),
    Row("ReduceMax", (1, 11, 12, 13, 18, 20), "MAX", s.select(_G / _TIES, 0, s.equal(_X, _Y))),
    Row("ReduceMin", (1, 11, 12, 13, 18, 20), "MIN", s.select(_G / _TIES, 0, s.equal(_X, _Y))),
    Row("ReduceProd", (*_OLD, 18), "MUL", None),
    Row("ReduceSumSquare", (*_OLD, 18), "SQUARE_ADD", _G * (2 * _X)),
    Row("ReduceL1", (*_OLD, 18), "ADD", _G * s.signum(_X), before=s.absolute(Arg(0))),
    # The derivative at 0 is chosen 0.
    Row(
        "ReduceL2",
        (*_OLD, 18),
        "SQUARE_ADD",
        _G * s.select(0, _X / _Y, s.equal(_Y, 0)),
        after=s.sqrt(Arg(0)),
        isReal=True,
    ),
    Row("ReduceLogSum", (*_OLD, 18, 28), "ADD", _G * s.exp(-_Y), after=s.log(Arg(0)), isReal=True),
    Row("ReduceLogSumExp", (*_OLD, 18, 28), "LOG_ADD", _G * s.exp(_X - _Y), isReal=True),
]


class ReduceOp(Op):
    """Base of all; each row makes one subclass. Axes are an attribute or, in later versions, a
    constant input.
    """

    constantInputs = frozenset({1})

    row: ClassVar[Row]
    axes: list[int] | None
    keepdims: bool
    noop_with_empty_axes: bool | None

    def reducedAxes(self) -> list[int]:
        """The axes, counted from 0; all of them where none are given."""
        found = constInput(self, 1)
        given = self.axes if found is None else [int(a) for a in found.reshape(-1)]
        if not given:
            return [] if self.noop_with_empty_axes else list(range(self.inRank(0)))
        return axes(self, given, self.inRank(0))

    def keptShape(self) -> list[int]:
        """The input's shape with 1 for each axis."""
        gone = self.reducedAxes()
        return [1 if i in gone else d for i, d in enumerate(self.inShape(0))]

    def setup(self) -> None:
        """The axes become 1, or go."""
        gone = self.reducedAxes()
        shape = [d for i, d in enumerate(self.keptShape()) if self.keepdims or i not in gone]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def canBeReplacedByIdentity(self) -> bool:
        """Of dimensions of one element, which stay, without a function before or after."""
        shape = self.inShape(0)
        plain = self.row.before is None and self.row.after is None
        isOne = all(shape[a] == 1 for a in self.reducedAxes())
        operations = {"ADD", "MUL", "MAX", "MIN"}
        return plain and isOne and self.row.operation in operations and shape == self.outShape(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """Sums, products and extrema of integers, as shapes are computed with."""
        known = {
            "ReduceSum": np.sum,
            "ReduceProd": np.prod,
            "ReduceMax": np.max,
            "ReduceMin": np.min,
        }
        function = known.get(self.row.type)
        if function is None or 0 not in inputs or inputs[0].dtype.kind not in "iu":
            return None
        if inputs[0].size == 0:
            return None  # numpy has no extremum of nothing
        return [np.asarray(function(inputs[0], tuple(self.reducedAxes())))]

    def getGradOps(self) -> list[Op]:
        """One, for a floating-point type."""
        if self.inInfo(0).dataType() not in FLOATS:
            return []
        return [ReduceProdGradOp(self) if self.row.gradient is None else ReduceGradOp(self)]


class ReduceGradOp(InputGradOp):
    """g, broadcast, times the row's derivative."""

    reads = [(GRAD, 0), (IN, 0), (OUT, 0)]

    def __init__(self, fwdOp: ReduceOp) -> None:
        super().__init__(fwdOp, 0, graphcoreId(f"{fwdOp.row.type}Grad"))
        assert fwdOp.row.gradient is not None
        used = s.operands(fwdOp.row.gradient)
        self.countsTies = _TIES.index in used
        self._read = sorted(used - {_G.index, _TIES.index})
        self.sources = [self.reads[i] for i in (0, *self._read)]
        self.axes, self.keptShape = fwdOp.reducedAxes(), fwdOp.keptShape()
        new = {old: i for i, old in enumerate([0, *self._read, _TIES.index])}
        self.expression = s.renumber(fwdOp.row.gradient, new)
        if fwdOp.row.type == "ReduceMean":
            count = product(fwdOp.inShape(0)) // max(product(self.keptShape), 1)
            self.expression = self.expression * share(count)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """What the row's derivative reads of g, x and y."""
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(self.sources)]


class ReduceProdGradOp(InputGradOp):
    """g, broadcast, times the product of the other elements, whether or not one of them is 0."""

    opid = graphcoreId("ReduceProdGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def __init__(self, fwdOp: ReduceOp) -> None:
        super().__init__(fwdOp)
        self.axes = fwdOp.reducedAxes()
        self.keptShape = fwdOp.keptShape()


class ReduceOpx(Opx):
    """At most one pass before, the reduction, and one pass after."""

    def grow(self, prog: program.Sequence) -> None:
        """popops.reduce."""
        op, t = self.getOp(ReduceOp), self.getInTensor(0)
        arithmetic, kind = Arithmetic(self, prog), t.elementType()
        if op.row.isReal and op.inInfo(0).dataType() not in FLOATS:
            t = arithmetic.converted(t, poplar.DOUBLE, "real")
        if op.row.before is not None:
            t = arithmetic.map(op.row.before, [t], out=kind)
        operation = op.row.operation
        if op.inInfo(0).dataType() is DataType.BOOL:
            operation = {"MAX": "LOGICAL_OR", "MIN": "LOGICAL_AND"}.get(operation, operation)
        dims, after = op.reducedAxes(), op.row.after
        if op.row.type == "ReduceMean":
            count = product(t.dim(d) for d in dims)
            after = Arg(0) * share(count) if op.inInfo(0).dataType() in FLOATS else Arg(0) / count
        joined = popops.Operation.__members__[operation]
        same = after is None and t.elementType() == kind
        out = arithmetic.reduce(t, dims, operation=joined, out=kind if same else None)
        if after is not None:
            out = arithmetic.map(after, [out], out=None if op.row.isReal else kind)
        out = arithmetic.converted(out, kind)
        self.setOutTensor(0, out.reshape(self.outShape(0)))


class ReduceGradOpx(Opx):
    """One pass over the input's shape, and one before it where elements are counted."""

    def grow(self, prog: program.Sequence) -> None:
        """A map over broadcast views."""
        op = self.getOp(ReduceGradOp)
        shape = self.outShape(0)
        operands = []
        for i, (kind, _) in enumerate(op.sources):
            t = self.getInTensor(i)
            operands.append(t if kind is IN else broadcastTo(t.reshape(op.keptShape), shape))
        if op.expression == Arg(0):
            self.setOutTensor(0, self.cloneNcopy(prog, operands[0]))
            return
        arithmetic, kind = Arithmetic(self, prog), operands[0].elementType()
        if op.countsTies:
            isTied = s.select(1.0, 0.0, s.equal(Arg(0), Arg(1)))
            each = arithmetic.map(isTied, operands[1:], "tied", accumulator(kind))
            ties = arithmetic.reduce(each, op.axes, "ties").reshape(op.keptShape)
            operands.append(broadcastTo(ties, shape))
        self.setOutTensor(0, arithmetic.map(op.expression, operands, out=kind))


class ReduceProdGradOpx(Opx):
    """Two reductions, and one pass over the input's shape."""

    def grow(self, prog: program.Sequence) -> None:
        """The product of those that are not 0, over the element; where others are 0, nothing."""
        op = self.getOp(ReduceProdGradOp)
        x, shape = self.getInTensor(1), self.outShape(0)
        isDouble = x.elementType() == poplar.DOUBLE
        wide = poplar.DOUBLE if isDouble else poplar.FLOAT
        isZero = pe.Equal(pe._1, pe.Const(0))
        apart = [
            self._reduced(pe.Select(pe.Const(1), pe._1, isZero), x, "MUL", wide, prog),
            self._reduced(pe.Cast(isZero, wide), x, "ADD", wide, prog),
        ]
        operands = [self.getInTensor(0), *apart]
        operands = [broadcastTo(t.reshape(op.keptShape), shape) for t in operands]
        g, product, zeros, each = (
            place if isDouble else pe.Cast(place, wide) for place in (pe._1, pe._2, pe._3, pe._4)
        )
        isZero = pe.Equal(each, pe.Const(0))
        others = pe.Divide(product, pe.Select(pe.Const(1), each, isZero))
        tree = pe.Mul(g, pe.Select(others, pe.Const(0), pe.Equal(zeros, pe.Cast(isZero, wide))))
        tree = tree if isDouble else pe.Cast(tree, x.elementType())
        self.setOutTensor(
            0, popops.map(self.graph(), tree, [*operands, x], prog, self.debugContext())
        )

    def _reduced(
        self, tree: Any, x: Tensor, operation: str, kind: Any, prog: program.Sequence
    ) -> Tensor:
        mapped = popops.map(self.graph(), tree, [x], prog, self.debugContext(operation))
        params = popops.ReduceParams(popops.Operation.__members__[operation])
        dims = self.getOp(ReduceProdGradOp).axes
        return popops.reduce(
            self.graph(), mapped, kind, dims, params, prog, self.debugContext(operation)
        )


for _row in ROWS:
    _members = {
        "__doc__": f"{_row.type}: a row of the table of reductions.",
        "__module__": __name__,
        "row": _row,
    }
    _ids = onnxIds(_row.type, *_row.versions)
    OpCreator(cast("type[Op]", type(f"{_row.type}Op", (ReduceOp,), _members)), _ids)
    OpxCreator(ReduceOpx, _ids)
    _gradOpx = ReduceProdGradOpx if _row.gradient is None else ReduceGradOpx
    OpxCreator(_gradOpx, graphcoreId(f"{_row.type}Grad"))
