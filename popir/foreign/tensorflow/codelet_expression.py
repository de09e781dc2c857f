"""CodeletExpressionOp: an expression of its inputs in one element-wise pass, and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from popir import popops
from popir.errors import MissingGradientError, OperatorAttributeError, OperatorInputError
from popir.foreign.tensorflow.expression import Expression, operand, parsed, text
from popir.foreign.tensorflow.user_ops import DOMAIN, linear
from popir.ir import GradInOutMapper, Op, OperatorIdentifier, OpSerialiser
from popir.ir import Tensor as IrTensor
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp, mapper
from popir.ops.support.second_order import expand_to, operators, sum_to
from popir.ops.support.shapes import broadcast_shapes, broadcast_to, summed_dims
from popir.ops.support.symbolic import Arg, Call, Const, Expr
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_BOOL, _INT, _FLOAT = DataType.BOOL, DataType.INT32, DataType.FLOAT
_HALVES = (DataType.FLOAT16, DataType.BFLOAT16)
_REALS = (*_HALVES, _FLOAT, DataType.DOUBLE)
_RANKS = {_BOOL: 0, _INT: 1, DataType.UINT32: 2, DataType.INT64: 3, _FLOAT: 4, DataType.DOUBLE: 5}
"""Types that values have on the way, ascending: two of them give the higher one."""
_INTEGERS = (_INT, DataType.UINT32, DataType.INT64)
"""Types whose values are beyond FLOAT: where they meet real numbers, DOUBLE computes."""
TYPES = (*_RANKS, *_HALVES)

_OF_REALS = {
    *("Exp", "Exp2", "Expm1", "Log", "Log1p", "Sqrt", "Rsqrt", "Cbrt", "Inv", "Sin", "Cos", "Tan"),
    *("Asin", "Tanh", "Sigmoid", "Erf", "Divide", "Atan2", "IsNaN", "IsInf", "IsFinite"),
}
_TRUTHS = {"Lt", "Lte", "Gt", "Gte", "Equal", "NotEqual", "IsNaN", "IsInf", "IsFinite"}
_ROUNDINGS = {"Floor", "Ceil", "NearbyInt", "Trunc", "Round"}
_LOGICAL = {"BitwiseAnd": "And", "BitwiseOr": "Or", "BitwiseXor": "NotEqual", "BitwiseNot": "Not"}
_OF_BITS = {*_LOGICAL, "Shl", "ShrSE"}
_ON_TRUTHS = {"And", "Or", "Not"}
_OF_TRUTHS = {"Add": "Or", "Max": "Or", "Mul": "And", "Min": "And"}
"""What numpy computes of two conditions by operators and functions of numbers."""
_KEEP_TRUTHS = {"Abs", "Floor", "Ceil", "Trunc"}


class _Typed:
    """A `popops.expr` tree and its type; a number has `kind` None, and its value."""

    def __init__(self, tree: Any, kind: DataType | None, value: s.Number = 0) -> None:
        self.tree = tree
        self.kind = kind
        self.value = value

    @property
    def is_real(self) -> bool:
        """Whether it is of a floating-point type, or a number with a point."""
        return isinstance(self.value, float) if self.kind is None else self.kind in _REALS

    def cast(self, kind: DataType) -> Any:
        """The tree in another type."""
        if self.kind is None:
            real = float(self.value) if kind in _REALS else self.value
            if kind in _HALVES:
                return pe.Cast(pe.Const(real), popType(kind))
            return pe.Const(bool(real) if kind is _BOOL else real, popType(kind))
        return self.tree if self.kind is kind else pe.Cast(self.tree, popType(kind))


class Lowered:
    """The tree of an expression with a type for each part: numpy's, and FLOAT for 16-bit floats and
    for truth values among real numbers.
    """

    def __init__(self, who: str, kinds: Sequence[DataType]) -> None:
        """`kinds` are the types of the operands; `who` begins messages."""
        self._who = who
        self._kinds = kinds

    def tree(self, e: Expr, out: DataType | None = None) -> tuple[Any, DataType]:
        """The tree in the type `out`, by default in its own, and that type. Raises
        OperatorInputError for operands of a wrong type.
        """
        found = self._typed(e)
        kind = out or found.kind or (_FLOAT if found.is_real else _INT)
        tree = pe.Cast(found.cast(kind), popType(kind)) if found.kind is None else found.cast(kind)
        return tree, kind

    def _typed(self, e: Expr) -> _Typed:
        if isinstance(e, Arg):
            kind, tree = self._kinds[e.index], pe.PlaceHolder(e.index + 1)
            if kind in _HALVES:
                return _Typed(pe.Cast(tree, popType(_FLOAT)), _FLOAT)
            return _Typed(tree, kind)
        if isinstance(e, Const):
            is_truth = isinstance(e.value, bool)
            return _Typed(pe.Const(e.value), _BOOL if is_truth else None, e.value)
        assert isinstance(e, Call)
        if e.name == "Select":
            return self._select(e)
        if e.name == "FloorDivide":
            return self._floor_quotient(e)
        return self._call(e.name, [self._typed(each) for each in e.args])

    def _select(self, e: Call) -> _Typed:
        x, y, condition = (self._typed(each) for each in e.args)
        kind = self._common([x, y])
        truth = condition.cast(_BOOL)
        return _Typed(pe.Select(x.cast(kind), y.cast(kind), truth), kind)

    def _call(self, name: str, args: list[_Typed]) -> _Typed:
        if name in _ON_TRUTHS:
            return _Typed(getattr(pe, name)(*(a.cast(_BOOL) for a in args)), _BOOL)
        kind = self._common(args)
        if name in _OF_BITS and kind is _BOOL and name in _LOGICAL:
            return _Typed(getattr(pe, _LOGICAL[name])(*(a.cast(_BOOL) for a in args)), _BOOL)
        if kind is _BOOL and name in _OF_TRUTHS:
            return _Typed(getattr(pe, _OF_TRUTHS[name])(*(a.cast(_BOOL) for a in args)), _BOOL)
        if kind is _BOOL and name in _KEEP_TRUTHS:
            return _Typed(args[0].cast(_BOOL), _BOOL)
        if name in _OF_BITS and kind in _REALS:
            raise OperatorInputError(
                f"{self._who}: the expression takes bits of {kind.name}; &, |, ^, ~, << and >> are "
                "for integers and conditions."
            )
        if name in _OF_REALS and kind not in _REALS:
            kind = _FLOAT if kind is _BOOL else DataType.DOUBLE
        elif kind is _BOOL and name not in _TRUTHS:
            kind = _INT
        if name in _ROUNDINGS and kind not in _REALS:
            return _Typed(args[0].cast(kind), kind)
        self._require_range(args, kind)
        if name == "Signum" and kind in _REALS:
            x = args[0].cast(kind)
            return _Typed(pe.Select(x, pe.Signum(x), pe.IsNaN(x)), kind)
        made = getattr(pe, name)(*(a.cast(kind) for a in args))
        return _Typed(made, _BOOL if name in _TRUTHS else kind)

    def _require_range(self, args: Sequence[_Typed], kind: DataType) -> None:
        for each in args:
            if each.kind is None and not each.is_real and kind in _INTEGERS:
                limits = np.iinfo(kind.numpy)
                if not limits.min <= each.value <= limits.max:
                    raise OperatorInputError(
                        f"{self._who}: the number {each.value} of the expression is no {kind.name}."
                    )

    def _common(self, args: Sequence[_Typed]) -> DataType:
        """The type that numpy gives the result of an operator."""
        kinds = [a.kind for a in args if a.kind is not None]
        numbers = [a for a in args if a.kind is None]
        if not kinds:
            is_wide = any(not -(2**31) <= a.value < 2**31 for a in numbers if not a.is_real)
            kinds = [DataType.INT64 if is_wide else _INT]
        if {DataType.UINT32, _INT} <= {*kinds}:
            kinds.append(DataType.INT64)
        kind = max(kinds, key=_RANKS.__getitem__)
        is_real = kind in _REALS or any(a.is_real for a in numbers)
        if is_real and any(each in _INTEGERS for each in kinds):
            return DataType.DOUBLE
        if is_real and kind is _BOOL:
            return _FLOAT
        return _INT if numbers and kind is _BOOL else kind

    def _floor_quotient(self, e: Call) -> _Typed:
        """x // y: exact for integers; for real numbers numpy's, which fits the remainder x % y."""
        args = [self._typed(each) for each in e.args]
        kind = self._common(args)
        kind = _INT if kind is _BOOL else kind
        x, y = (a.cast(kind) for a in args)
        zero, rest = pe.Const(0), pe.Rem(x, y)
        is_lower = pe.And(pe.NotEqual(rest, zero), pe.NotEqual(pe.Lt(rest, zero), pe.Lt(y, zero)))
        if kind not in _REALS:
            down = pe.Divide(x, y)
            return _Typed(pe.Select(pe.Sub(down, pe.Const(1)), down, is_lower), kind)
        rest = pe.Select(pe.Add(rest, y), rest, is_lower)
        quotient = pe.Divide(pe.Sub(x, rest), y)
        down = pe.Floor(quotient)
        near = pe.Gt(pe.Sub(quotient, down), pe.Const(0.5))
        whole = pe.Select(pe.Add(down, pe.Const(1.0)), down, near)
        whole = pe.Select(pe.Const(-1.0), whole, pe.And(is_lower, pe.IsInf(y)))
        return _Typed(pe.Select(pe.Divide(x, y), whole, pe.Equal(y, zero)), kind)


class CodeletExpressionOp(Op):
    """TensorFlow's codelet_expression_op: an expression of the inputs in0, in1, ..., broadcast by
    numpy's rule. The result has the type of the first input.

    Unlike TensorFlow's it has numbers, division, powers, comparisons and functions; `~` inverts
    bits and conditions; and it has a gradient, derived from the expression.
    """

    expression: str
    _tree: Expr = s.ZERO

    @property
    def tree(self) -> Expr:
        """The expression, once it has been read."""
        return self._tree

    def kinds(self) -> list[DataType]:
        """The types of the inputs."""
        return [self.inInfo(i).dataType() for i in range(len(self.input))]

    def setup(self) -> None:
        """Reads the expression, and infers the broadcast shape.

        Raises OperatorAttributeError for a text that is no expression, OperatorInputError for types
        that do not fit it and for shapes that do not broadcast.
        """
        count = len(self.input)
        if not count or sorted(self.input) != list(range(count)):
            raise OperatorInputError(
                f"{self._who()}: the operator has one input or more, and all of them are given."
            )
        for i, kind in enumerate(self.kinds()):
            if kind not in TYPES:
                names = ", ".join(each.name for each in TYPES)
                raise OperatorInputError(
                    f"{self._who()}: input {i} is {kind.name}; expressions are of {names}."
                )
        self._tree = parsed(self._who(), self.expression, count)
        if not s.operands(self._tree):
            raise OperatorAttributeError(
                f"{self._who()}: the expression {self.expression!r:.80} reads no operand."
            )
        out = self.inInfo(0).dataType()
        Lowered(self._who(), self.kinds()).tree(self._tree, out)
        shape = broadcast_shapes(self, [self.inShape(i) for i in range(count)])
        self.setOutInfo(0, TensorInfo(out, shape))

    def getGradOps(self) -> list[Op]:
        """A gradient operator for each floating-point input; none if the result is no float.

        Raises MissingGradientError for a function without a derivative.
        """
        if self.outInfo(0).dataType() not in _REALS:
            return []
        return [CodeletExpressionGradOp(self, i) for i, k in enumerate(self.kinds()) if k in _REALS]


class CodeletExpressionGradOp(InputGradOp):
    """The gradient with respect to one input: that of the output times the derivative of the
    expression, summed to the input's shape.
    """

    opid = OperatorIdentifier(DOMAIN, "CodeletExpressionOpGrad", 1)

    def __init__(self, fwdOp: CodeletExpressionOp, index: int) -> None:
        super().__init__(fwdOp, index)
        try:
            derivative = s.derivative(fwdOp.tree, index)
        except KeyError as error:
            raise MissingGradientError(
                f"{fwdOp.debugName()}: the function {error} of its expression has no derivative."
            ) from None
        self._read = sorted(s.operands(derivative))
        renumbered = s.renumber(derivative, {old: new + 1 for new, old in enumerate(self._read)})
        self._expression = s.mul(Arg(0), renumbered)
        self._shape = fwdOp.outShape(0)

    @property
    def expression(self) -> Expr:
        """The gradient before it is summed, over the inputs in order."""
        return self._expression

    @property
    def full_shape(self) -> list[int]:
        """The shape of the forward output."""
        return self._shape

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The gradient of the output, then the inputs that the derivative reads."""
        read = [mapper(i + 1, source, IN) for i, source in enumerate(self._read)]
        return [mapper(0, 0, GRAD), *read]

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The expression, which determines what is computed."""
        super().appendAttributes(os)
        os.appendAttribute("gradient", str(self._expression))

    def decompose(self, on: Decomposer, *inputs: IrTensor) -> IrTensor:
        """The expression by operators, summed to the input's shape."""
        kinds = [on.info(t).dataType() for t in inputs]
        wide = DataType.DOUBLE if DataType.DOUBLE in kinds else _FLOAT
        given = [t if k is _BOOL else on.cast(t, wide) for t, k in zip(inputs, kinds, strict=True)]
        full = expand_to(on, operators(on, self._expression, given), self._shape)
        return on.cast(sum_to(on, full, self.target().shape()), self.target().dataType())


class CodeletExpressionOpx(Opx):
    """The lowering: one element-wise pass."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a map over all inputs that the expression reads."""
        op = self.getOp(CodeletExpressionOp)
        tree, _ = Lowered(op.debugName(), op.kinds()).tree(op.tree, op.outInfo(0).dataType())
        if op.tree == Arg(0):
            found = broadcast_to(self.getInTensor(0), op.outShape(0))
            return self.setOutTensor(0, self.cloneNcopy(prog, found))
        ins = [broadcast_to(self.getInTensor(i), op.outShape(0)) for i in range(len(op.input))]
        self.setOutTensor(0, popops.map(self.graph(), tree, ins, prog, self.debugContext()))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """An input with the output's shape takes the layout of the output."""
        same = self.inShape(i) == self.outShape(0)
        return InputCreatorType.CanUnwind if same else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The output's layout, unchanged: the operator is element-wise."""
        return tensor


class CodeletExpressionGradOpx(Opx):
    """The lowering of the gradient: one element-wise pass, and a sum over broadcast dimensions."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a map and, if the input was broadcast, a reduction."""
        op, arithmetic = self.getOp(CodeletExpressionGradOp), Arithmetic(self, prog)
        kinds = [self.inInfo(i).dataType() for i in range(len(op.input))]
        target, shape = op.target(), op.full_shape
        out = target.dataType()
        if summed_dims(shape, target.shape()) and out in _HALVES:
            out = _FLOAT  # in which it is summed
        if isinstance(op.expression, Const):  # It is 0.
            zeros = linear(self, target, self.debugContext())
            popops.zero(self.graph(), zeros, prog, self.debugContext())
            return self.setOutTensor(0, zeros)
        tree, _ = Lowered(op.debugName(), kinds).tree(op.expression, out)
        ins = [broadcast_to(self.getInTensor(i), shape) for i in range(len(op.input))]
        if op.expression == Arg(0):
            full = self.cloneNcopy(prog, ins[0])
        else:
            full = popops.map(self.graph(), tree, ins, prog, self.debugContext())
        kind = popType(target)
        self.setOutTensor(0, arithmetic.reduce_to(full, target.shape(), "reduce", kind))


_ID = OperatorIdentifier(DOMAIN, "CodeletExpressionOp", 1)
OpCreator(CodeletExpressionOp, [_ID])
OpxCreator(CodeletExpressionOpx, [_ID])
OpxCreator(CodeletExpressionGradOpx, [CodeletExpressionGradOp.opid])


def traced(function: Callable[..., Any], count: int) -> str:
    """The text of the expression that a function gives for that many operands.

    Raises TypeError if it gives none, or one that reads no operand.
    """
    found: Any = function(*map(operand, range(count)))
    who = getattr(function, "__name__", "the function")
    if not isinstance(found, Expression) or not s.operands(found.tree):
        what = repr(found) if isinstance(found, Expression) else type(found).__name__
        raise TypeError(
            f"codelet_expression_op: {who} gives {what}; expected is an expression of its "
            "arguments."
        )
    return text(found.tree)
