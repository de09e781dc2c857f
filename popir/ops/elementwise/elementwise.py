"""Element-wise operators: the rows of `table.py`. Inputs broadcast by numpy's rule.

The gradient is derived from the row's expression. If the derivative contains the operator's own
expression, the gradient operator reads the output instead of recomputing it. A row may also give
the derivative as a function of the output.

Example: Exp has the expression exp(x). Its derivative exp(x) is the output y, so the gradient
operator ExpGrad reads g and y, and computes g * y.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np

from popir import popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op, OperatorIdentifier, OpSerialiser
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions, from_end
from popir.ir.traits import Array
from popir.ops.elementwise.extremum import ExtremumGradOp
from popir.ops.elementwise.table import FLOATS, ROWS, Row
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator, accumulator_of, is_float
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.expression_arrays import to_array
from popir.ops.support.gradient import GRAD, IN, OUT, InputGradOp, mapper
from popir.ops.support.inplace import OverwritingOp, mapped, variant_id
from popir.ops.support.second_order import expand_to, operators, sum_to
from popir.ops.support.shapes import axis, broadcast_shapes, broadcast_to, product, summed_dims
from popir.ops.support.symbolic import Arg, Const, Expr
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_MAY_BE_IDENTITY = {"Mean", "Max", "Min", "Scale"}  # PreUniRepl and PostNRepl handle Sum.


class ElementwiseOp(OverwritingOp):
    """The base class of the table's operators; each row makes one subclass. Operator, domain and
    versions are those of its row, the schema that of ONNX or of `schemas/ai.graphcore`.
    """

    row: ClassVar[Row]

    def expression(self) -> Expr:
        """The row's expression, over the inputs in order."""
        if not self.row.attributes:
            return self.row.of_inputs(self.numInputs())
        return self.row.expression(*map(Arg, range(self.numInputs())), **self.parameters())

    def parameters(self) -> dict[str, Any]:
        """The attributes as arguments of the row's functions; floats become `Parameter`."""
        if not self.row.attributes:
            return {}
        given = {name: getattr(self, name) for name in self.row.attributes}
        return {n: s.Parameter(v) if isinstance(v, float) else v for n, v in given.items()}

    def operandShape(self, i: int) -> list[int]:
        """The shape of input `i` before numpy's broadcast rule is applied."""
        return self.inShape(i)

    def setup(self) -> None:
        """Infers the broadcast shape of the inputs, and the type of the inputs or that of the row.
        Of Pow it is the type of the base, of Where that of the last two inputs.

        Raises OperatorInputError for shapes that do not broadcast and for different types, and
        OperatorAttributeError for a wrong attribute.
        """
        if self.row.choices:
            self._check_choices()
        if self._keeps_info():
            return self.setOutInfo(0, self.inInfo(0))
        n = self.numInputs()
        shape = broadcast_shapes(self, [self.operandShape(i) for i in range(n)])
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

    def _keeps_info(self) -> bool:
        """Whether the inputs have one type and shape, which is that of the output too."""
        if self.row.out or type(self).operandShape is not ElementwiseOp.operandShape:
            return False
        first = self.inInfo(0)
        return all(self.inInfo(i) == first for i in range(1, self.numInputs()))

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the expression is the input itself: Mean, Max or Min of one tensor, or Scale by
        1.
        """
        return self.row.type in _MAY_BE_IDENTITY and self.expression() == Arg(0)

    def _check_choices(self) -> None:
        for name in self.row.attributes:
            value = getattr(self, name)
            if value not in self.row.choices:
                raise OperatorAttributeError(
                    f"{self.debugName()}: the attribute '{name}' is {value!r}; expected is one of "
                    f"{', '.join(self.row.choices)}."
                )

    def dimensionNames(self) -> Dimensions | None:
        """All, aligned as they are broadcast."""
        if any(self.operandShape(i) != self.inShape(i) for i in self.input):
            return None
        names = {i: from_end(self.inRank(i)) for i in self.input}
        return Dimensions(names, {0: from_end(self.outRank(0))})

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The value of the expression, if numpy gives the same bits as the device for all its
        functions.
        """
        if len(inputs) < self.numInputs():
            return None
        operands = [
            a.reshape(self.operandShape(i)).astype(
                accumulator_of(DataType.of(a.dtype)).numpy, copy=False
            )
            for i, a in sorted(inputs.items())
        ]
        found = to_array(self.expression(), operands)
        if found is None:
            return None
        with np.errstate(over="ignore"):
            stored = np.asarray(found).astype(self.outInfo(0).dataType().numpy, copy=False)
        return [np.broadcast_to(stored, self.outShape(0))]

    def variants(self) -> dict[int, OperatorIdentifier]:
        """An in-place variant for each input; for an operator with many inputs, the first two."""
        known, count = self.row.variants, len(self.input)
        if count not in known:
            known[count] = dict(enumerate(self.row.inplace_ids[:count]))
        return known[count]

    def dydx(self, i: int) -> Expr:
        """The derivative with respect to input `i`.

        It is an expression over the inputs and, as the last operand, the output.
        """
        y = Arg(self.numInputs())
        if self.row.dydx is not None:
            return self.row.dydx(y, **self.parameters())
        if self.row.partial is not None:
            return self.row.partial(i, list(map(Arg, range(self.numInputs()))), y)
        expression = self.expression()
        return s.substitute(s.derivative(expression, i), expression, y)

    def gradient(self, i: int) -> tuple[Sequence[int], Expr]:
        """The gradient with respect to input `i`, over the output's gradient and what the
        derivative reads, and the indices of that among the operands of `dydx`.

        Without attributes it is the same for all operators of a row with that many inputs.
        """
        known, key = self.row.gradients, (self.numInputs(), i)
        if self.row.attributes or key not in known:
            derivative = self.dydx(i)
            read = sorted(s.operands(derivative))
            renumbered = s.renumber(derivative, {old: new + 1 for new, old in enumerate(read)})
            found = read, s.mul(Arg(0), renumbered)
            if self.row.attributes:
                return found
            known[key] = found
        return known[key]

    def getGradOps(self) -> list[Op]:
        """A gradient operator for each floating-point input; none if the output is not
        floating-point.

        Max and Min of more than two inputs have one for all inputs.
        """
        if self.outInfo(0).dataType() not in FLOATS:
            return []
        if self.row.partial is not None and self.numInputs() > 2:
            return [ExtremumGradOp(self)]
        floats = [i for i in sorted(self.input) if self.inInfo(i).dataType() in FLOATS]
        return [ElementwiseGradOp(self, i) for i in floats]


class LegacyElementwiseOp(ElementwiseOp):
    """A binary operator of ONNX with versions before 7, which have the attributes `axis` and
    `broadcast`.
    """

    axis: int | None
    """The dimension of the first input to which dimension 0 of the second one is aligned."""
    broadcast: bool | None
    """Whether `axis` applies; otherwise inputs broadcast by numpy's rule."""

    def operandShape(self, i: int) -> list[int]:
        """The shape of input `i`; that of the second input is aligned to `axis` by dimensions of 1
        at the end.

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


class TestOp(ElementwiseOp):
    """The base class of IsNaN and IsInf, which take floats of 8 bits too."""

    def expand(self, inputs: Sequence[IrTensor | None], outputs: Sequence[str]) -> bool:
        """For a type that is only stored, adds the test of FLOATs, which have all its values."""
        x = inputs[0]
        if x is None or x.info is None or not x.info.dataType().is_narrow:
            return False
        on, id = Decomposer(self, outputs[0]), self.opid
        wide = [on.cast(x, DataType.FLOAT)]
        made = on.add(id.domain, id.type, id.version, wide, 1, dict(self.attributes))
        assert not isinstance(made, list)
        on.name([made], outputs)
        return True


class PReluOp(ElementwiseOp):
    """ONNX's PRelu, versions 6, 7, 9 and 16. Before version 7 the slope is one number, or one for
    each channel, which is dimension 1; from then on it broadcasts. At 0 its gradient is PyTorch's.
    """

    _is_per_channel = False

    def setup(self) -> None:
        """Infers the shape of the data; remembers whether the slope is per channel."""
        if self.opid.domain == "ai.onnx":
            self._is_per_channel = self.opid.version < 7
        super().setup()

    def operandShape(self, i: int) -> list[int]:
        """The shape of input `i`; a slope per channel is aligned to dimension 1 of the data."""
        shape = self.inShape(i)
        if i == 1 and self._is_per_channel and product(shape) != 1:
            return [*shape, *[1] * (self.inRank(0) - 2)]
        return shape


class ElementwiseGradOp(OverwritingOp, InputGradOp):
    """The gradient with respect to one input: the output's gradient times the derivative, summed to
    the input's shape.
    """

    def __init__(self, fwdOp: ElementwiseOp, index: int) -> None:
        self._read, self._expression = fwdOp.gradient(index)
        self.vertex = fwdOp.row.vertices[1]
        self._num_forward = n = fwdOp.numInputs()
        self._shapes = {i: fwdOp.operandShape(i) for i in {index, *self._read} - {n}}
        self._shapes[n] = fwdOp.outShape(0)
        self._is_view = self._expression == Arg(0) and not summed_dims(
            self._shapes[n], self._shapes[index]
        )
        super().__init__(fwdOp, index, fwdOp.row.gradient_id(index))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient, then the inputs and the output that the derivative reads."""
        found = [mapper(0, 0, GRAD)]
        for i, source in enumerate(self._read):
            is_out = source == self._num_forward
            found.append(mapper(i + 1, 0 if is_out else source, OUT if is_out else IN))
        return found

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether the gradient is the output's gradient itself, as for Add without broadcasting."""
        return super().aliases(inIndex, outIndex) or (inIndex == 0 and self._is_view)

    def passesOn(self) -> bool:
        """Whether the gradient is the output's gradient, also in its shape."""
        return self._is_view and self._shapes[self._num_forward] == self.target().shape()

    def variants(self) -> dict[int, OperatorIdentifier]:
        """A variant that overwrites the output's gradient, if anything is computed from it alone.
        What is computed from tensors of the forward pass lies as these do.
        """
        is_mapped = self._expression != Arg(0) and not isinstance(self._expression, Const)
        return super().variants() if is_mapped and not self._read else {}

    def decompose(self, on: Decomposer, *inputs: IrTensor) -> IrTensor:
        """The expression by operators, summed to the input's shape."""
        operands = [on.reshape(t, self.operandShape(i)) for i, t in enumerate(inputs)]
        full = operators(on, self._expression, operands)
        full = expand_to(on, full, self._shapes[self._num_forward])
        return on.reshape(sum_to(on, full, self.result_shape()), self.target().shape())

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The expression, which determines what is computed."""
        super().appendAttributes(os)
        os.appendAttribute("expression", str(self._expression))

    @property
    def expression(self) -> Expr:
        """The expression of the gradient before the sum, over the inputs in order."""
        return self._expression

    def operandShape(self, i: int) -> list[int]:
        """The shape of input `i` before numpy's broadcast rule is applied."""
        return self._shapes[self._num_forward if i == 0 else self._read[i - 1]]

    def result_shape(self) -> list[int]:
        """The shape to which the gradient is summed, before it is reshaped to the input's shape."""
        return self._shapes[self._index]


def aligned(
    opx: Opx, op: ElementwiseOp | ElementwiseGradOp, prog: program.Sequence
) -> list[Tensor]:
    """The inputs, reshaped so that they broadcast by numpy's rule.

    An integer exponent of Pow is converted to the accumulator type. A floating-point one is not:
    rounding it could turn a fractional exponent into a whole one, and NaN into a number.
    """
    found = [opx.getInTensor(i) for i in range(op.numInputs())]
    if type(op).operandShape is not ElementwiseOp.operandShape:
        for i, t in enumerate(found):
            if (shape := op.operandShape(i)) != op.inShape(i):
                found[i] = t.reshape(shape)
    if op.opid.type.startswith("Pow"):
        base = found[0].elementType()
        for i, t in enumerate(found):
            if t.elementType() != base and not is_float(t.elementType()):
                kind, context = accumulator(base), opx.debugContext("exponent")
                found[i] = popops.cast(opx.graph(), t, kind, prog, context)
    return found


def evaluate(
    opx: Opx,
    expression: Expr,
    operands: Sequence[Tensor],
    shape: list[int],
    prog: program.Sequence,
    vertex: str = "expression",
) -> Tensor:
    """The value of `expression` over the operands, broadcast to `shape`, in one pass."""
    wide = [broadcast_to(t, shape) for t in operands]
    if over := opx.getOp(OverwritingOp).overwritten():
        expression = expression.led_by(over, len(wide))
        wide.insert(0, wide.pop(over))
    return mapped(opx, expression, wide, prog, vertex)


class ElementwiseOpx(Opx):
    """The lowering of the table's operators: evaluates the row's expression."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds one map over all inputs."""
        op = self.getOp(ElementwiseOp)
        operands = aligned(self, op, prog)
        expression, vertex = op.expression(), op.row.vertices[0]
        self.setOutTensor(0, evaluate(self, expression, operands, op.outShape(0), prog, vertex))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """An input with the output's shape takes the layout of the output."""
        same = self.inShape(i) == self.outShape(0)
        return InputCreatorType.CanUnwind if same else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The output's layout, unchanged: the operator is element-wise."""
        return tensor


class ElementwiseGradOpx(Opx):
    """The lowering of the gradients: evaluates the derived expression and sums over broadcast
    dimensions.
    """

    def grow(self, prog: program.Sequence) -> None:
        """Adds a map and, if the input was broadcast, a reduction."""
        op = self.getOp(ElementwiseGradOp)
        operands, arithmetic = aligned(self, op, prog), Arithmetic(self, prog)
        full = operands[0]
        if isinstance(op.expression, Const):
            full = self.graph().clone(full, self.debugContext())
            popops.fill(self.graph(), full, prog, op.expression.value, self.debugContext())
        elif op.expression != Arg(0):
            full = self._product(op, operands, arithmetic, prog)
        kind = popType(self.outInfo(0))
        shape, out = op.result_shape(), self.outShape(0)
        summed = arithmetic.reduce_to(full, shape, "reduce", kind)
        self.setOutTensor(0, summed if shape == out else summed.reshape(out))

    def _product(
        self,
        op: ElementwiseGradOp,
        operands: list[Tensor],
        arithmetic: Arithmetic,
        prog: program.Sequence,
    ) -> Tensor:
        """The gradient before the sum. Values that are to be summed are not rounded to the storage
        type. It lies as a tensor of the forward pass, if one of its shape is read: as popnn lays
        the gradients of its non-linearities, whose readers meet tensors of the forward pass again.
        """
        shape, n = op.operandShape(0), len(operands)
        lead = next((i for i in range(1, n) if list(operands[i].shape()) == shape), 0)
        operands.insert(0, operands.pop(lead))
        expression = op.expression.led_by(lead, n)
        if not summed_dims(shape, op.result_shape()) or op.overwritten() is not None:
            return evaluate(self, expression, operands, shape, prog, op.vertex)
        return arithmetic.map(expression, [broadcast_to(t, shape) for t in operands])


def _register(row: Row, is_public: bool = True) -> None:
    members: dict[str, Any] = {
        "__doc__": f"{row.type}: a row of the element-wise table.",
        "__module__": __name__,
        "__annotations__": dict.fromkeys(row.attributes, row.kind),
        "row": row,
    }
    base = _BASES.get(row.type, LegacyElementwiseOp if row.is_legacy else ElementwiseOp)
    opClass = cast("type[Op]", type(f"{row.type}Op", (base,), members))
    ids = [OperatorIdentifier(row.domain, row.type, version) for version in row.versions]
    OpCreator(opClass, ids, isPublic=is_public)
    OpxCreator(ElementwiseOpx, ids)


def register_own(row: Row) -> None:
    """Makes an operator of a row that no model has: other operators consist of it."""
    _register(row, is_public=False)
    gradients = sorted({row.gradient_id(i) for i in range(row.arity or 1)})
    OpxCreator(ElementwiseOpx, sorted(set(row.inplace_ids)))
    OpxCreator(ElementwiseGradOpx, [*gradients, *(variant_id(g.type) for g in gradients)])


_BASES: dict[str, type[ElementwiseOp]] = {"PRelu": PReluOp, "IsNaN": TestOp, "IsInf": TestOp}
"""The operators that need a class of their own besides their row."""

for _row in ROWS:
    _register(_row)
_GRADIENTS = sorted({_row.gradient_id(i) for _row in ROWS for i in range(_row.arity or 1)})
OpxCreator(ElementwiseOpx, sorted({opid for _row in ROWS for opid in _row.inplace_ids}))
OpxCreator(ElementwiseGradOpx, [*_GRADIENTS, *(variant_id(opid.type) for opid in _GRADIENTS)])
