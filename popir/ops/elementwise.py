"""Element-wise operators, the rows of `elementwise_table.py`. Inputs broadcast by numpy's rule.

The gradient is derived from the expression. Where a subtree of the derivative is the operator's own
expression, the gradient operator reads the output instead of computing it again; a row may also
give the derivative in terms of the output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from popir import popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op, OperatorIdentifier, OpSerialiser
from popir.ir.op import Array
from popir.ops import symbolic as s
from popir.ops.arithmetic import Arithmetic, accumulator, accumulatorOf, isFloat
from popir.ops.elementwise_table import FLOATS, ROWS, Row
from popir.ops.expression_arrays import toArray
from popir.ops.extremum import ExtremumGradOp
from popir.ops.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.inplace import OverwritingOp, mapped, variantId
from popir.ops.shapes import axis, broadcastShapes, broadcastTo, product, summedDims
from popir.ops.symbolic import Arg, Const, Expr
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_MAY_BE_IDENTITY = {"Mean", "Max", "Min", "Scale"}  # Of a Sum, PreUniRepl and PostNRepl know.


class ElementwiseOp(OverwritingOp):
    """Base of the operators of the table; each row makes one subclass."""

    row: ClassVar[Row]

    def expression(self) -> Expr:
        """The tree, over the inputs in their order."""
        return self.row.expression(*map(Arg, range(self.numInputs())), **self.parameters())

    def parameters(self) -> dict[str, Any]:
        """The attributes that the row's functions take; numbers as parts of a tree."""
        given = {name: getattr(self, name) for name in self.row.attributes}
        return {n: s.Parameter(v) if isinstance(v, float) else v for n, v in given.items()}

    def operandShape(self, i: int) -> list[int]:
        """The shape of input `i` as numpy's rule is to see it."""
        return self.inShape(i)

    def setup(self) -> None:
        """The shape is that of the inputs, broadcast; the type that of the last input, or the
        row's.
        """
        self._checkChoices()
        n = self.numInputs()
        shape = broadcastShapes(self, [self.operandShape(i) for i in range(n)])
        kind = self.inInfo(0 if self.row.type == "Pow" else n - 1).dataType()
        for i in range(n):
            other = self.inInfo(i).dataType()
            if (
                other is not kind
                and self.row.type != "Pow"
                and not (i == 0 and self.row.type == "Where")
            ):
                raise OperatorInputError(
                    f"{self.debugName()}: the inputs have the types "
                    f"{', '.join(self.inInfo(j).data_type() for j in range(n))}; they must be "
                    "equal. Insert a Cast."
                )
        self.setOutInfo(0, TensorInfo(self.row.out or kind, shape))

    def canBeReplacedByIdentity(self) -> bool:
        """A Mean, Max or Min of one tensor, a Scale by 1: where the expression is its operand."""
        return self.row.type in _MAY_BE_IDENTITY and self.expression() == Arg(0)

    def _checkChoices(self) -> None:
        for name in self.row.attributes:
            value = getattr(self, name)
            if self.row.choices and value not in self.row.choices:
                raise OperatorAttributeError(
                    f"{self.debugName()}: the attribute '{name}' is {value!r}; expected is one of "
                    f"{', '.join(self.row.choices)}."
                )

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The expression, where numpy has all of its functions."""
        if len(inputs) < self.numInputs():
            return None
        operands = [
            a.reshape(self.operandShape(i)).astype(
                accumulatorOf(DataType.of(a.dtype)).numpy, copy=False
            )
            for i, a in sorted(inputs.items())
        ]
        found = toArray(self.expression(), operands)
        if found is None:
            return None
        with np.errstate(over="ignore"):
            stored = np.asarray(found).astype(self.outInfo(0).dataType().numpy, copy=False)
        return [np.broadcast_to(stored, self.outShape(0))]

    def variants(self) -> dict[int, OperatorIdentifier]:
        """One for each input, of many inputs for the first."""
        return dict(enumerate(self.row.inplaceIds[: self.numInputs()]))

    def dydx(self, i: int) -> Expr:
        """The derivative with respect to input `i`, over the inputs and, as the operand after them,
        the output.
        """
        y = Arg(self.numInputs())
        if self.row.dydx is not None:
            return self.row.dydx(y, **self.parameters())
        if self.row.partial is not None:
            return self.row.partial(i, list(map(Arg, range(self.numInputs()))), y)
        expression = self.expression()
        return s.substitute(s.derivative(expression, i), expression, y)

    def getGradOps(self) -> list[Op]:
        """One operator for each input of a floating-point type; none if the result is of another
        type. One for all inputs of an extremum of more than two.
        """
        if self.outInfo(0).dataType() not in FLOATS:
            return []
        if self.row.partial is not None and self.numInputs() > 2:
            return [ExtremumGradOp(self)]
        floats = [i for i in sorted(self.input) if self.inInfo(i).dataType() in FLOATS]
        return [ElementwiseGradOp(self, i) for i in floats]


class LegacyElementwiseOp(ElementwiseOp):
    """A binary operator that, before version 7, said by attributes how its inputs broadcast."""

    axis: int | None
    """The dimension of the first input at which the second one's shape begins."""
    broadcast: bool | None
    """Whether there is such a dimension; without one, inputs broadcast by numpy's rule."""

    def operandShape(self, i: int) -> list[int]:
        """The second input's shape, moved to the left as `axis` says.

        Raises OperatorAttributeError for an axis without `broadcast`, unless the shapes are equal.
        """
        shape = self.inShape(i)
        if self.axis is not None and not self.broadcast and self.inShape(0) != self.inShape(1):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'axis' is {self.axis}, which counts with "
                "'broadcast' 1 only. Set that, or leave the axis out."
            )
        if i == 1 and self.broadcast and self.axis is not None:
            first = axis(self, self.axis, self.inRank(0))
            shape += [1] * (self.inRank(0) - first - len(shape))
        return shape


class PReluOp(ElementwiseOp):
    """Before version 7 the slope is one number, or one for each channel, dimension 1."""

    _isPerChannel = False

    def setup(self) -> None:
        """The shape of the data."""
        if self.opid.domain == "ai.onnx":
            self._isPerChannel = self.opid.version < 7
        super().setup()

    def operandShape(self, i: int) -> list[int]:
        """The slope's shape, as it broadcasts."""
        shape = self.inShape(i)
        if i == 1 and self._isPerChannel and product(shape) > 1:
            return [*shape, *[1] * (self.inRank(0) - 2)]
        return shape


class ElementwiseGradOp(OverwritingOp, InputGradOp):
    """The gradient with respect to one input: the output's gradient times the derivative, summed to
    the input's shape.
    """

    def __init__(self, fwdOp: ElementwiseOp, index: int) -> None:
        derivative = fwdOp.dydx(index)
        self._read = sorted(s.operands(derivative))
        renumbered = s.renumber(derivative, {old: new + 1 for new, old in enumerate(self._read)})
        self._expression = s.mul(Arg(0), renumbered)
        self._numForward = n = fwdOp.numInputs()
        self._shapes = {i: fwdOp.operandShape(i) for i in {index, *self._read} - {n}}
        self._shapes[n] = fwdOp.outShape(0)
        super().__init__(fwdOp, index, fwdOp.row.gradientId(index))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient, then the inputs, and the output, that the derivative reads."""
        found = [GradInOutMapper(0, 0, GRAD)]
        for i, source in enumerate(self._read):
            isOut = source == self._numForward
            found.append(GradInOutMapper(i + 1, 0 if isOut else source, OUT if isOut else IN))
        return found

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The gradient of a sum is passed on as it is, where nothing was broadcast."""
        return super().aliases(inIndex, outIndex) or (
            inIndex == 0
            and self._expression == Arg(0)
            and not summedDims(self._shapes[self._numForward], self._shapes[self._index])
        )

    def variants(self) -> dict[int, OperatorIdentifier]:
        """Over the output's gradient, where something is computed from it."""
        isMapped = self._expression != Arg(0) and not isinstance(self._expression, Const)
        return super().variants() if isMapped else {}

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The expression says all."""
        super().appendAttributes(os)
        os.appendAttribute("expression", str(self._expression))

    @property
    def expression(self) -> Expr:
        """The tree, over the inputs in their order."""
        return self._expression

    def operandShape(self, i: int) -> list[int]:
        """The shape of input `i` as numpy's rule is to see it."""
        return self._shapes[self._numForward if i == 0 else self._read[i - 1]]

    def resultShape(self) -> list[int]:
        """The shape to sum to, before it becomes the input's."""
        return self._shapes[self._index]


def aligned(
    opx: Opx, op: ElementwiseOp | ElementwiseGradOp, prog: program.Sequence
) -> list[Tensor]:
    """The inputs in the shapes that broadcast. An exponent of integers is converted to what is
    computed in; one of floating-point numbers stays, since it may have digits that decide whether
    there is a power of a negative number.
    """
    found = [opx.getInTensor(i).reshape(op.operandShape(i)) for i in range(op.numInputs())]
    if op.opid.type.startswith("Pow"):
        base = found[0].elementType()
        for i, t in enumerate(found):
            if t.elementType() != base and not isFloat(t.elementType()):
                kind, context = accumulator(base), opx.debugContext("exponent")
                found[i] = popops.cast(opx.graph(), t, kind, prog, context)
    return found


def evaluate(
    opx: Opx, expression: Expr, operands: Sequence[Tensor], shape: list[int], prog: program.Sequence
) -> Tensor:
    """One pass over the operands, broadcast to `shape`."""
    over = opx.getOp(OverwritingOp).overwritten() or 0
    order = [over, *(i for i in range(len(operands)) if i != over)]
    places = {old: new for new, old in enumerate(order)}
    inOrder = [broadcastTo(operands[i], shape) for i in order]
    return mapped(opx, s.renumber(expression, places), inOrder, prog)


class ElementwiseOpx(Opx):
    """Evaluates the row's expression."""

    def grow(self, prog: program.Sequence) -> None:
        """One map over all inputs."""
        op = self.getOp(ElementwiseOp)
        operands = aligned(self, op, prog)
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
        operands, arithmetic = aligned(self, op, prog), Arithmetic(self, prog)
        full = operands[0]
        if isinstance(op.expression, Const):
            full = self.graph().clone(full, self.debugContext())
            popops.fill(self.graph(), full, prog, op.expression.value, self.debugContext())
        elif op.expression != Arg(0):
            full = self._product(op, operands, arithmetic, prog)
        kind = popType(self.outInfo(0))
        summed = arithmetic.reduceTo(full, op.resultShape(), "reduce", kind)
        self.setOutTensor(0, summed.reshape(self.outShape(0)))

    def _product(
        self,
        op: ElementwiseGradOp,
        operands: list[Tensor],
        arithmetic: Arithmetic,
        prog: program.Sequence,
    ) -> Tensor:
        """The gradient before it is summed: what is to be added up is not rounded before."""
        shape = op.operandShape(0)
        if not summedDims(shape, op.resultShape()) or op.overwritten() is not None:
            return evaluate(self, op.expression, operands, shape, prog)
        return arithmetic.map(op.expression, [broadcastTo(t, shape) for t in operands])


def _register(row: Row) -> None:
    members: dict[str, Any] = {
        "__doc__": f"{row.type}: a row of the element-wise table.",
        "__module__": __name__,
        "__annotations__": dict.fromkeys(row.attributes, row.kind),
        "row": row,
    }
    base = _BASES.get(row.type, LegacyElementwiseOp if row.isLegacy else ElementwiseOp)
    opClass = cast("type[Op]", type(f"{row.type}Op", (base,), members))
    ids = [OperatorIdentifier(row.domain, row.type, version) for version in row.versions]
    OpCreator(opClass, ids)
    OpxCreator(ElementwiseOpx, ids)


_BASES: dict[str, type[ElementwiseOp]] = {"PRelu": PReluOp}
"""The operators whose class says more than their row."""

for _row in ROWS:
    _register(_row)
_GRADIENTS = sorted({_row.gradientId(i) for _row in ROWS for i in range(_row.arity or 1)})
OpxCreator(ElementwiseOpx, sorted({opid for _row in ROWS for opid in _row.inplaceIds}))
OpxCreator(ElementwiseGradOpx, [*_GRADIENTS, *(variantId(opid.type) for opid in _GRADIENTS)])
