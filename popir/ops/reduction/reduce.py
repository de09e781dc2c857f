"""Reductions over axes: ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceSumSquare,
ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp.

A table has a row for each: the map before the reduction, the reduction, the map after it. The
gradient with respect to x is a row's expression of g (broadcast), x and the result y. Elements that
equal a maximum or minimum share its gradient evenly, as in PyTorch.

Example: ReduceL2 is SQUARE_ADD, then a square root; its gradient is g * x / y.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from popir import poplar, popops
from popir.ir import GradInOutMapper, Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.elementwise.table import FLOATS
from popir.ops.reduction.scan import running_product
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator, share
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.second_order import expand_to, operators
from popir.ops.support.shapes import axes, broadcast_to, const_input, product
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, ReductionType, TensorInfo

_G, _X, _Y, _TIES = map(Arg, range(4))


@dataclass(frozen=True)
class Row:
    """One reduction: after(operation(before(x))), with optional maps `before` and `after`."""

    type: str
    versions: tuple[int, ...]
    operation: str
    gradient: Expr | None
    """The gradient over g, x, y and the number of ties; None for ReduceProd, which has a class of
    its own.
    """
    before: Expr | None = None
    after: Expr | None = None
    is_real: bool = False
    """Whether integers are computed in double and truncated: a root or a logarithm."""


_OLD = (1, 11, 13)
ROWS = [
    Row("ReduceSum", _OLD, "ADD", _G),
    Row("ReduceMean", (*_OLD, 18), "ADD", _G),
    Row("ReduceMax", (1, 11, 12, 13, 18, 20), "MAX", s.select(_G / _TIES, 0, s.equal(_X, _Y))),
    Row("ReduceMin", (1, 11, 12, 13, 18, 20), "MIN", s.select(_G / _TIES, 0, s.equal(_X, _Y))),
    Row("ReduceProd", (*_OLD, 18), "MUL", None),
    Row("ReduceSumSquare", (*_OLD, 18), "SQUARE_ADD", _G * (2 * _X)),
    Row("ReduceL1", (*_OLD, 18), "ADD", _G * s.signum(_X), before=s.absolute(Arg(0))),
    # The derivative at 0 does not exist; it is defined as 0.
    Row(
        "ReduceL2",
        (*_OLD, 18),
        "SQUARE_ADD",
        _G * s.select(0, _X / _Y, s.equal(_Y, 0)),
        after=s.sqrt(Arg(0)),
        is_real=True,
    ),
    Row("ReduceLogSum", (*_OLD, 18, 28), "ADD", _G * s.exp(-_Y), after=s.log(Arg(0)), is_real=True),
    Row("ReduceLogSumExp", (*_OLD, 18, 28), "LOG_ADD", _G * s.exp(_X - _Y), is_real=True),
]


class ReduceOp(Op):
    """The base class of ONNX's reductions, in the versions of their rows; each row makes one
    subclass. Axes are an attribute or, in later versions, an input that must be known at compile
    time.

    Integers of ReduceL2, ReduceLogSum and ReduceLogSumExp are computed in double and truncated.
    """

    constantInputs = frozenset({1})

    row: ClassVar[Row]
    axes: list[int] | None
    keepdims: bool
    noop_with_empty_axes: bool | None

    def reduced_axes(self) -> list[int]:
        """The axes, counted from 0; all if none are given, unless `noop_with_empty_axes` is set. An
        attribute that is an empty list names no axis.
        """
        found = const_input(self, 1)
        if found is None and self.axes == []:
            return []
        given = self.axes if found is None else [int(a) for a in found.reshape(-1)]
        if not given:
            return [] if self.noop_with_empty_axes else list(range(self.inRank(0)))
        return axes(self, given, self.inRank(0))

    def kept_shape(self) -> list[int]:
        """The input's shape with 1 for each reduced axis."""
        gone = self.reduced_axes()
        return [1 if i in gone else d for i, d in enumerate(self.inShape(0))]

    def setup(self) -> None:
        """Infers the input's shape, with the reduced axes removed or, with `keepdims`, 1. Raises
        OperatorAttributeError for an axis out of range or given twice.
        """
        gone = self.reduced_axes()
        shape = [d for i, d in enumerate(self.kept_shape()) if self.keepdims or i not in gone]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def dimensionNames(self) -> Dimensions | None:
        """All, for a sum or a mean; for others those that are not reduced."""
        names, gone = list(range(self.inRank(0))), self.reduced_axes()
        out = [None if a in gone else a for a in names if self.keepdims or a not in gone]
        if self.row.type == "ReduceMean":
            return Dimensions({0: names}, {0: out}, ReductionType.Mean)
        if self.row.operation in ("ADD", "SQUARE_ADD") and self.row.after is None:
            return Dimensions({0: names}, {0: out}, ReductionType.Sum)
        return Dimensions({0: [None if a in gone else a for a in names]}, {0: out})

    def canBeReplacedByIdentity(self) -> bool:
        """Whether only axes of size 1 are reduced and kept, without a map before or after."""
        shape = self.inShape(0)
        plain = self.row.before is None and self.row.after is None
        is_one = all(shape[a] == 1 for a in self.reduced_axes())
        operations = {"ADD", "MUL", "MAX", "MIN"}
        return plain and is_one and self.row.operation in operations and shape == self.outShape(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """Sums, products and extrema of integers, which models use to compute shapes."""
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
            return None  # numpy raises for the extremum of no elements.
        return [np.asarray(function(inputs[0], tuple(self.reduced_axes())))]

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for floating-point types, and of a sum for any type."""
        if self.inInfo(0).dataType() not in FLOATS and self.row.type != "ReduceSum":
            return []
        return [ReduceProdGradOp(self) if self.row.gradient is None else ReduceGradOp(self)]


class ReduceGradOp(InputGradOp):
    """The gradient by the row's expression; g and y are broadcast to the input's shape."""

    reads = [(GRAD, 0), (IN, 0), (OUT, 0)]

    def __init__(self, fwdOp: ReduceOp) -> None:
        super().__init__(fwdOp, 0, graphcore_id(f"{fwdOp.row.type}Grad"))
        assert fwdOp.row.gradient is not None
        used = s.operands(fwdOp.row.gradient)
        self.counts_ties = _TIES.index in used
        self._read = sorted(used - {_G.index, _TIES.index})
        self.sources = [self.reads[i] for i in (0, *self._read)]
        self.axes, self.kept_shape = fwdOp.reduced_axes(), fwdOp.kept_shape()
        new = {old: i for i, old in enumerate([0, *self._read, _TIES.index])}
        self.expression = s.renumber(fwdOp.row.gradient, new)
        if fwdOp.row.type == "ReduceMean":
            count = product(fwdOp.inShape(0)) // max(product(self.kept_shape), 1)
            self.expression = self.expression * share(count)

    def decompose(self, on: Decomposer, *inputs: IrTensor) -> IrTensor:
        """The row's expression by operators."""
        shape, operands = self.target().shape(), list(inputs)
        for i, (kind, _) in enumerate(self.sources):
            if kind is not IN:
                operands[i] = on.reshape(operands[i], self.kept_shape)
        if self.counts_ties:
            x, y = (operands[i] for i, (kind, _) in enumerate(self.sources) if kind is not GRAD)
            same = on.cast(on.Equal(x, y), self.target().dataType())
            operands.append(on.ReduceSum(same, on.ints(*self.axes), keepdims=1))
        return expand_to(on, operators(on, self.expression, operands), shape)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The tensors among g, x and y that the row's expression reads."""
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(self.sources)]


class ReduceProdGradOp(InputGradOp):
    """g, broadcast, times the product of all other elements; right for elements that are 0, too."""

    opid = graphcore_id("ReduceProdGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def __init__(self, fwdOp: ReduceOp) -> None:
        super().__init__(fwdOp)
        self.axes = fwdOp.reduced_axes()
        self.kept_shape = fwdOp.kept_shape()

    def decompose(self, on: Decomposer, g: IrTensor, x: IrTensor) -> IrTensor:
        """g times the product of all elements before and that of all after each one."""
        shape = on.shape(x)
        order = [*(d for d in range(len(shape)) if d not in self.axes), *self.axes]
        rows = on.Transpose(x, perm=order) if shape else x
        moved, count = on.shape(rows), product(shape[a] for a in self.axes)
        if 0 in shape:
            return on.zeros(self.target())
        rows = on.reshape(rows, [product(shape) // count, count])
        others = on.Mul(
            running_product(on, rows, 1, True, False), running_product(on, rows, 1, True, True)
        )
        others = on.reshape(others, moved)
        if shape:
            others = on.Transpose(others, perm=[order.index(d) for d in range(len(order))])
        return on.Mul(on.reshape(g, self.kept_shape), others)


class ReduceOpx(Opx):
    """The lowering: the map before, the reduction, the map after."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::reduce, with a map before and after it if the row has them."""
        op, t = self.getOp(ReduceOp), self.getInTensor(0)
        arithmetic, kind = Arithmetic(self, prog), t.elementType()
        if op.row.is_real and op.inInfo(0).dataType() not in FLOATS:
            t = arithmetic.converted(t, poplar.DOUBLE, "real")
        if op.row.before is not None:
            t = arithmetic.map(op.row.before, [t], out=kind)
        operation = op.row.operation
        if op.inInfo(0).dataType() is DataType.BOOL:
            operation = {"MAX": "LOGICAL_OR", "MIN": "LOGICAL_AND"}.get(operation, operation)
        dims, after = op.reduced_axes(), op.row.after
        if op.row.type == "ReduceMean":
            count = product(t.dim(d) for d in dims)
            after = Arg(0) * share(count) if op.inInfo(0).dataType() in FLOATS else Arg(0) / count
        joined = popops.Operation.__members__[operation]
        same = after is None and t.elementType() == kind
        out = arithmetic.reduce(t, dims, operation=joined, out=kind if same else None)
        if after is not None:
            out = arithmetic.map(after, [out], out=None if op.row.is_real else kind)
        out = arithmetic.converted(out, kind)
        self.setOutTensor(0, out.reshape(self.outShape(0)))


class ReduceGradOpx(Opx):
    """The lowering of the gradient: one map, and before it a count of ties for a maximum or
    minimum.
    """

    def grow(self, prog: program.Sequence) -> None:
        """Adds a map over g, x and y, with g and y broadcast as views; of g alone a copy, which is
        broadcast.
        """
        op = self.getOp(ReduceGradOp)
        shape = self.outShape(0)
        if op.expression == Arg(0):
            own = self.cloneNcopy(prog, self.getInTensor(0).reshape(op.kept_shape))
            return self.setOutTensor(0, broadcast_to(own, shape))
        operands = []
        for i, (kind, _) in enumerate(op.sources):
            t = self.getInTensor(i)
            operands.append(t if kind is IN else broadcast_to(t.reshape(op.kept_shape), shape))
        arithmetic, kind = Arithmetic(self, prog), operands[0].elementType()
        if op.counts_ties:
            is_tied = s.select(1.0, 0.0, s.equal(Arg(0), Arg(1)))
            each = arithmetic.map(is_tied, operands[1:], "tied", accumulator(kind))
            ties = arithmetic.reduce(each, op.axes, "ties").reshape(op.kept_shape)
            operands.append(broadcast_to(ties, shape))
        self.setOutTensor(0, arithmetic.map(op.expression, operands, out=kind))


class ReduceProdGradOpx(Opx):
    """The lowering of the gradient of a product: two reductions and one map."""

    def grow(self, prog: program.Sequence) -> None:
        """Computes the product of the nonzero elements and the number of zeros.

        For an element, the product of the others is that product divided by the element (if it is
        not 0), or 0 if there are other zeros.
        """
        op = self.getOp(ReduceProdGradOp)
        x, shape = self.getInTensor(1), self.outShape(0)
        is_double = x.elementType() == poplar.DOUBLE
        wide = poplar.DOUBLE if is_double else poplar.FLOAT
        is_zero = pe.Equal(pe._1, pe.Const(0))
        apart = [
            self._reduced(pe.Select(pe.Const(1), pe._1, is_zero), x, "MUL", wide, prog),
            self._reduced(pe.Cast(is_zero, wide), x, "ADD", wide, prog),
        ]
        operands = [self.getInTensor(0), *apart]
        operands = [broadcast_to(t.reshape(op.kept_shape), shape) for t in operands]
        g, product, zeros, each = (
            place if is_double else pe.Cast(place, wide) for place in (pe._1, pe._2, pe._3, pe._4)
        )
        is_zero = pe.Equal(each, pe.Const(0))
        others = pe.Divide(product, pe.Select(pe.Const(1), each, is_zero))
        tree = pe.Mul(g, pe.Select(others, pe.Const(0), pe.Equal(zeros, pe.Cast(is_zero, wide))))
        tree = tree if is_double else pe.Cast(tree, x.elementType())
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
    _ids = onnx_ids(_row.type, *_row.versions)
    OpCreator(cast("type[Op]", type(f"{_row.type}Op", (ReduceOp,), _members)), _ids)
    OpxCreator(ReduceOpx, _ids)
    _grad_opx = ReduceProdGradOpx if _row.gradient is None else ReduceGradOpx
    OpxCreator(_grad_opx, graphcore_id(f"{_row.type}Grad"))
