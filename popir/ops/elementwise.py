"""Element-wise operators: one row each, an expression. Inputs broadcast by numpy's rule.

The gradient is derived from the expression. Where a subtree of the derivative is the operator's own
expression, the gradient operator reads the output instead of computing it again; a row may also
give the derivative in terms of the output.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from popir import popops
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, Op, OperatorIdentifier
from popir.ops import symbolic as s
from popir.ops.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.identifiers import graphcoreId
from popir.ops.shapes import axis, broadcastShapes, broadcastTo, reduceTo
from popir.ops.symbolic import Arg, Const, Expr
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

FLOATS = {DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE}


@dataclass(frozen=True)
class Row:
    """One operator: its name, its versions, and its expression, a function of the inputs.

    Attributes are the function's keyword-only parameters; they are floats. `dydx`, a function of
    the output and of the same attributes, replaces the derivative of a unary operator.
    """

    type: str
    versions: tuple[int, ...]
    expression: Callable[..., Expr]
    dydx: Callable[..., Expr] | None = None
    domain: str = "ai.onnx"
    out: DataType | None = None
    """The output's element type, if it is not that of the inputs."""

    @property
    def attributes(self) -> list[str]:
        """The names of the attributes."""
        parameters = inspect.signature(self.expression).parameters.values()
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    @property
    def arity(self) -> int | None:
        """The number of inputs, None for any number."""
        parameters = inspect.signature(self.expression).parameters.values()
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            return None
        return sum(p.kind is not p.KEYWORD_ONLY for p in parameters)

    @property
    def isLegacy(self) -> bool:
        """Whether there is a version before 7, which broadcasts by attributes."""
        return self.domain == "ai.onnx" and self.arity == 2 and min(self.versions) < 7

    def gradientId(self, i: int) -> OperatorIdentifier:
        """The gradient with respect to input `i`, by PopART's names: `ExpGrad`, `MulArg0Grad`,
        `SumArgGrad`.
        """
        return graphcoreId(self.type + {None: "ArgGrad", 1: "Grad"}.get(self.arity, f"Arg{i}Grad"))


def _sum(*xs: Expr) -> Expr:
    total: Expr = s.ZERO
    for x in xs:
        total = total + x
    return total


def _mean(*xs: Expr) -> Expr:
    return _sum(*xs) * (1 / len(xs))


def _fold(f: Callable[[Expr, Expr], Expr]) -> Callable[..., Expr]:
    def folded(first: Expr, *rest: Expr) -> Expr:
        for x in rest:
            first = f(first, x)
        return first

    return folded


def _softplus(x: Expr) -> Expr:
    return s.maximum(0, x) + s.log1p(s.exp(-s.absolute(x)))


def _popart(type: str, expression: Callable[..., Expr]) -> Row:
    return Row(type, (1,), expression, domain="ai.graphcore")


_SQRT_HALF = 0.7071067811865476
_GELU = 0.7978845608028654  # sqrt(2 / pi)
_BOOL = DataType.BOOL

ROWS = [
    # arithmetic
    Row("Add", (6, 7, 13, 14), lambda x, y: x + y),
    Row("Sub", (6, 7, 13, 14), lambda x, y: x - y),
    Row("Mul", (6, 7, 13, 14), lambda x, y: x * y),
    Row("Div", (6, 7, 13, 14), lambda x, y: x / y),
    Row("Pow", (1, 7, 12, 13, 15), lambda x, y: s.power(x, y)),
    Row("Sum", (6, 8, 13), _sum),
    Row("Mean", (6, 8, 13), _mean),
    Row("Max", (6, 8, 12, 13), _fold(s.maximum)),
    Row("Min", (6, 8, 12, 13), _fold(s.minimum)),
    # functions
    Row("Neg", (6, 13), s.neg),
    Row("Abs", (6, 13), lambda x: s.absolute(x)),
    Row("Sign", (9, 13), lambda x: s.signum(x)),
    Row("Floor", (6, 13), lambda x: s.floor(x)),
    Row("Ceil", (6, 13), lambda x: s.ceil(x)),
    Row("Exp", (6, 13), lambda x: s.exp(x)),
    Row("Log", (6, 13), lambda x: s.log(x)),
    Row("Sqrt", (6, 13), lambda x: s.sqrt(x)),
    Row("Reciprocal", (6, 13), lambda x: s.inv(x)),
    Row("Sin", (7, 22), lambda x: s.sin(x)),
    Row("Cos", (7, 22), lambda x: s.cos(x)),
    Row("Tan", (7, 22), lambda x: s.tan(x)),
    Row("Erf", (9, 13), lambda x: s.erf(x)),
    # activations
    Row("Relu", (6, 13, 14), lambda x: s.maximum(0, x), lambda y: s.select(1, 0, y > 0)),
    Row("Tanh", (6, 13), lambda x: s.tanh(x)),
    Row("Sigmoid", (6, 13), lambda x: s.sigmoid(x)),
    Row("Softplus", (1, 22), _softplus, lambda y: 1 - s.exp(-y)),
    Row(
        "Softsign",
        (1, 22),
        lambda x: x / (1 + s.absolute(x)),
        lambda y: s.square(1 - s.absolute(y)),
    ),
    Row("Elu", (6, 22), lambda x, *, alpha: s.select(x, alpha * s.expm1(x), x > 0)),
    Row("Selu", (6, 22), lambda x, *, alpha, gamma: gamma * s.select(x, alpha * s.expm1(x), x > 0)),
    Row(
        "HardSigmoid",
        (6, 22),
        lambda x, *, alpha, beta: s.maximum(0, s.minimum(1, alpha * x + beta)),
    ),
    Row("ThresholdedRelu", (10, 22), lambda x, *, alpha: s.select(x, 0, x > alpha)),
    # comparison and logic
    Row("Equal", (1, 7, 11, 13, 19), lambda x, y: s.equal(x, y), out=_BOOL),
    Row("Less", (1, 7, 9, 13), lambda x, y: x < y, out=_BOOL),
    Row("Greater", (1, 7, 9, 13), lambda x, y: x > y, out=_BOOL),
    Row("LessOrEqual", (12, 16), lambda x, y: x <= y, out=_BOOL),
    Row("GreaterOrEqual", (12, 16), lambda x, y: x >= y, out=_BOOL),
    Row("And", (1, 7), lambda x, y: s.both(x, y), out=_BOOL),
    Row("Or", (1, 7), lambda x, y: s.either(x, y), out=_BOOL),
    Row("Xor", (1, 7), lambda x, y: s.notEqual(x, y), out=_BOOL),
    Row("Not", (1,), lambda x: s.logicalNot(x), out=_BOOL),
    Row("Where", (9, 16), lambda c, x, y: s.select(x, y, c)),
    # PopART's own
    _popart("Log1p", lambda x: s.log1p(x)),
    _popart("Expm1", lambda x: s.expm1(x)),
    _popart("Scale", lambda x, *, scale: scale * x),
    _popart("Swish", lambda x: x * s.sigmoid(x)),
    _popart("Gelu", lambda x: 0.5 * x * (1 + s.tanh(_GELU * (x + 0.044715 * (x * s.square(x)))))),
    _popart("GeluErf", lambda x: 0.5 * x * (1 + s.erf(_SQRT_HALF * x))),
    _popart("Round", lambda x: s.round(x)),
    _popart("NearbyInt", lambda x: s.nearbyInt(x)),
    _popart("Atan2", lambda y, x: s.atan2(y, x)),
    _popart("Fmod", lambda x, y: s.rem(x, y)),
    _popart("Remainder", lambda x, y: s.rem(s.rem(x, y) + y, y)),
    _popart("BitwiseAnd", lambda x, y: s.bitwiseAnd(x, y)),
    _popart("BitwiseOr", lambda x, y: s.bitwiseOr(x, y)),
    _popart("BitwiseXor", lambda x, y: s.bitwiseXor(x, y)),
    _popart("BitwiseXnor", lambda x, y: s.bitwiseXnor(x, y)),
    _popart("BitwiseNot", lambda x: s.bitwiseNot(x)),
]


class ElementwiseOp(Op):
    """Base of the operators of the table; each row makes one subclass."""

    row: ClassVar[Row]

    def expression(self) -> Expr:
        """The tree, over the inputs in their order."""
        values = {name: getattr(self, name) for name in self.row.attributes}
        return self.row.expression(*map(Arg, range(self.numInputs())), **values)

    def operandShape(self, i: int) -> list[int]:
        """The shape of input `i` as numpy's rule is to see it."""
        return self.inShape(i)

    def setup(self) -> None:
        """The shape is that of the inputs, broadcast; the type that of the last input, or the
        row's.
        """
        n = self.numInputs()
        shape = broadcastShapes(self, [self.operandShape(i) for i in range(n)])
        kind = self.inInfo(0 if self.opid.type == "Pow" else n - 1).dataType()
        for i in range(n):
            other = self.inInfo(i).dataType()
            if (
                other is not kind
                and self.opid.type != "Pow"
                and not (i == 0 and self.opid.type == "Where")
            ):
                raise OperatorInputError(
                    f"{self.debugName()}: the inputs have the types "
                    f"{', '.join(self.inInfo(j).data_type() for j in range(n))}; they must be "
                    "equal. Insert a Cast."
                )
        self.setOutInfo(0, TensorInfo(self.row.out or kind, shape))

    def dydx(self, i: int) -> Expr:
        """The derivative with respect to input `i`, over the inputs and, as the operand after them,
        the output.
        """
        y = Arg(self.numInputs())
        if self.row.dydx is not None:
            return self.row.dydx(y, **{name: getattr(self, name) for name in self.row.attributes})
        expression = self.expression()
        return s.substitute(s.derivative(expression, i), expression, y)

    def getGradOps(self) -> list[Op]:
        """One operator for each input of a floating-point type; none if the result is of another
        type.
        """
        if self.outInfo(0).dataType() not in FLOATS:
            return []
        floats = [i for i in sorted(self.input) if self.inInfo(i).dataType() in FLOATS]
        return [ElementwiseGradOp(self, i) for i in floats]


class LegacyElementwiseOp(ElementwiseOp):
    """A binary operator that, before version 7, said by attributes how its inputs broadcast."""

    axis: int | None
    """The dimension of the first input at which the second one's shape begins."""
    broadcast: int | None

    def operandShape(self, i: int) -> list[int]:
        """The second input's shape, moved to the left as `axis` says."""
        shape = self.inShape(i)
        if i == 1 and self.broadcast and self.axis is not None:
            first = axis(self, self.axis, self.inRank(0))
            shape += [1] * (self.inRank(0) - first - len(shape))
        return shape


class ElementwiseGradOp(InputGradOp):
    """The gradient with respect to one input: the output's gradient times the derivative, summed to
    the input's shape.
    """

    def __init__(self, fwdOp: ElementwiseOp, index: int) -> None:
        n = fwdOp.numInputs()
        derivative = fwdOp.dydx(index)
        self._read = sorted(s.operands(derivative))
        renumbered = s.renumber(derivative, {old: new + 1 for new, old in enumerate(self._read)})
        self._expression = s.mul(Arg(0), renumbered)
        self._numForward = n
        self._shapes = [fwdOp.operandShape(i) for i in range(n)] + [fwdOp.outShape(0)]
        super().__init__(fwdOp, index, fwdOp.row.gradientId(index))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient, then the inputs, and the output, that the derivative reads."""
        found = [GradInOutMapper(0, 0, GRAD)]
        for i, source in enumerate(self._read):
            isOut = source == self._numForward
            found.append(GradInOutMapper(i + 1, 0 if isOut else source, OUT if isOut else IN))
        return found

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The gradient of a sum is passed on as it is."""
        return (
            inIndex == 0
            and self._expression == Arg(0)
            and self._shapes[-1] == self._shapes[self._index]
        )

    def appendAttributes(self, os: Any) -> None:
        """The expression says all."""
        super().appendAttributes(os)
        os.appendAttribute("expression", str(self._expression))

    @property
    def expression(self) -> Expr:
        """The tree, over the inputs in their order."""
        return self._expression

    def operandShape(self, i: int) -> list[int]:
        """The shape of input `i` as numpy's rule is to see it."""
        return self._shapes[-1] if i == 0 else self._shapes[self._read[i - 1]]

    def resultShape(self) -> list[int]:
        """The shape to sum to, before it becomes the input's."""
        return self._shapes[self._index]


def evaluate(
    opx: Opx, expression: Expr, operands: Sequence[Tensor], shape: list[int], prog: program.Sequence
) -> Tensor:
    """One pass over the operands, broadcast to `shape`."""
    tree = s.toDevice(expression, popops.expr)
    views = [broadcastTo(t, shape) for t in operands]
    return popops.map(opx.graph(), tree, views, prog, opx.debugContext())


class ElementwiseOpx(Opx):
    """Evaluates the row's expression."""

    def grow(self, prog: program.Sequence) -> None:
        """One map over all inputs."""
        op = self.getOp(ElementwiseOp)
        operands = [self.getInTensor(i).reshape(op.operandShape(i)) for i in range(op.numInputs())]
        if op.opid.type == "Pow" and operands[0].elementType() != operands[1].elementType():
            operands[1] = popops.cast(self.graph(), operands[1], operands[0].elementType(), prog)
        self.setOutTensor(0, evaluate(self, op.expression(), operands, op.outShape(0), prog))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The layout of the output goes for an input of the same shape."""
        same = self.inShape(i) == self.outShape(0)
        return InputCreatorType.CanUnwind if same else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """Element by element."""
        return tensor


class ElementwiseGradOpx(Opx):
    """Evaluates the derived expression, then sums over what was broadcast."""

    def grow(self, prog: program.Sequence) -> None:
        """A map and, where an input was broadcast, a reduction."""
        op = self.getOp(ElementwiseGradOp)
        operands = [self.getInTensor(i).reshape(op.operandShape(i)) for i in range(op.numInputs())]
        full = operands[0]
        if isinstance(op.expression, Const):
            full = self.graph().clone(full, self.debugContext())
            popops.fill(self.graph(), full, prog, op.expression.value, self.debugContext())
        elif op.expression != Arg(0):
            full = evaluate(self, op.expression, operands, op.operandShape(0), prog)
        summed = reduceTo(self.graph(), full, op.resultShape(), prog, self.debugContext("reduce"))
        self.setOutTensor(0, summed.reshape(self.outShape(0)))


def _register(row: Row) -> None:
    members: dict[str, Any] = {
        "__doc__": f"{row.type}: a row of the element-wise table.",
        "__module__": __name__,
        "__annotations__": dict.fromkeys(row.attributes, float),
        "row": row,
    }
    base = LegacyElementwiseOp if row.isLegacy else ElementwiseOp
    opClass = cast("type[Op]", type(f"{row.type}Op", (base,), members))
    ids = [OperatorIdentifier(row.domain, row.type, version) for version in row.versions]
    OpCreator(opClass, ids)
    OpxCreator(ElementwiseOpx, ids)
    OpxCreator(ElementwiseGradOpx, sorted({row.gradientId(i) for i in range(row.arity or 1)}))


for _row in ROWS:
    _register(_row)
