"""Clip: limits elements to a minimum and a maximum, both optional."""

from __future__ import annotations

from popir.ir import GradInOutMapper, Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.inplace import OverwritingOp, mapped, variant_id
from popir.ops.support.second_order import operators
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator

MIN, MAX = 1, 2


class ClipOp(OverwritingOp):
    """ONNX's Clip, versions 6, 11, 12 and 13: min(max(x, low), high). The bounds are attributes
    before version 11 and scalar inputs from then on. If low is above high, the result is high.
    """

    min: float | None
    max: float | None

    def bounds(self) -> dict[int, float | None]:
        """The bounds given, by input index (1 is min, 2 is max): a number from an attribute, or
        None for an input.
        """
        found = {i: value for i, value in ((MIN, self.min), (MAX, self.max)) if value is not None}
        return {**found, **{i: None for i in (MIN, MAX) if self.hasInput(i)}}

    def canBeReplacedByIdentity(self) -> bool:
        """Whether there is no bound."""
        return not self.bounds()

    def setup(self) -> None:
        """Infers the type and shape of the input."""
        self.setOutInfo(0, self.inInfo(0))

    def dimensionNames(self) -> Dimensions | None:
        """All dimensions of the input."""
        return Dimensions.same(self.inRank(0))

    def getGradOps(self) -> list[Op]:
        """One gradient operator for input 0, and one for each bound that is an input."""
        tensors = [i for i, value in self.bounds().items() if value is None]
        return [ClipGradOp(self), *(ClipBoundGradOp(self, i) for i in tensors)]


def _reads(bounds: dict[int, float | None]) -> list[GradInOutMapper]:
    """The inputs of the gradient operators: the output's gradient, the input, and bounds that are
    inputs.
    """
    reads = [(GRAD, 0), (IN, 0), *((IN, i) for i, value in bounds.items() if value is None)]
    return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(reads)]


class ClipGradOp(OverwritingOp, InputGradOp):
    """The output's gradient where the input is within the bounds, else zero."""

    opid = graphcore_id("ClipGrad")

    def __init__(self, fwdOp: ClipOp) -> None:
        super().__init__(fwdOp)
        self.bounds = fwdOp.bounds()

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient, the input and the bounds; see `_reads`."""
        return _reads(self.bounds)

    def expression(self) -> Expr:
        """g where min <= x <= max, else 0."""
        found: Expr = Arg(0)
        for which in self.bounds:
            bound = _bound(self.bounds, which, 2)
            assert bound is not None
            inside = Arg(1) >= bound if which == MIN else Arg(1) <= bound
            found = s.select(found, 0, inside)
        return found

    def decompose(self, on: Decomposer, *inputs: IrTensor) -> IrTensor:
        """The expression by operators."""
        return operators(on, self.expression(), inputs)


class ClipBoundGradOp(InputGradOp):
    """The gradient of a bound: the sum of the output's gradient over the elements where the bound
    is the output.

    That is where the input is below min, unless max is less than min; or above max.
    """

    opid = graphcore_id("ClipBoundGrad")

    def __init__(self, fwdOp: ClipOp, index: int) -> None:
        super().__init__(fwdOp, index)
        self.bounds = fwdOp.bounds()
        self.towards = index

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient, the input and the bounds; see `_reads`."""
        return _reads(self.bounds)

    def expression(self) -> Expr:
        """g where the bound is the output, else 0."""
        low, high = _bound(self.bounds, MIN, 2), _bound(self.bounds, MAX, 2)
        held: Expr = Arg(0)
        if self.towards == MAX:
            assert high is not None
            lifted = Arg(1) if low is None else s.maximum(Arg(1), low)
            return s.select(held, 0, lifted > high)
        assert low is not None
        held = s.select(held, 0, Arg(1) < low)
        return held if high is None else s.select(held, 0, low <= high)

    def decompose(self, on: Decomposer, *inputs: IrTensor) -> IrTensor:
        """The expression by operators, summed."""
        return on.ReduceSum(operators(on, self.expression(), inputs), keepdims=0)


def _bound(bounds: dict[int, float | None], which: int, first_input: int) -> Expr | None:
    """A bound as an expression; None if there is none. Bounds that are inputs are operands from
    `first_input` on.
    """
    if which not in bounds:
        return None
    value = bounds[which]
    if value is not None:
        return s.Const(value)
    inputs = [i for i, v in bounds.items() if v is None]
    return Arg(first_input + inputs.index(which))


class ClipOpx(Opx):
    """The lowering of Clip: one map."""

    def grow(self, prog: program.Sequence) -> None:
        """Computes min(max(x, low), high) in one map; copies if there is no bound."""
        op = self.getOp(ClipOp)
        bounds = op.bounds()
        low, high = _bound(bounds, MIN, 1), _bound(bounds, MAX, 1)
        expression: Expr = Arg(0)
        expression = expression if low is None else s.maximum(expression, low)
        expression = expression if high is None else s.minimum(expression, high)
        operands = [self.getInTensor(i) for i in (0, *(i for i, v in bounds.items() if v is None))]
        if expression == Arg(0) and op.overwritten() is None:
            self.setOutTensor(0, self.cloneNcopy(prog, operands[0]))
            return
        self.setOutTensor(0, mapped(self, expression, operands, prog))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """Input 0 takes the layout of the output."""
        return InputCreatorType.CanUnwind if i == 0 else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The output's layout, unchanged: the operator is element-wise."""
        return tensor


class ClipBoundGradOpx(Opx):
    """The lowering of the gradient of a bound: one map and a sum."""

    def grow(self, prog: program.Sequence) -> None:
        """Selects g where the bound is the output, and sums it."""
        op = self.getOp(ClipBoundGradOp)
        held = op.expression()
        operands = [self.getInTensor(i) for i in sorted(op.input)]
        kind, arithmetic = operands[0].elementType(), Arithmetic(self, prog)
        g = arithmetic.map(held, operands, out=kind)
        total = arithmetic.reduce(g, list(range(g.rank())), out=kind)
        self.setOutTensor(0, total.reshape(self.outShape(0)))


class ClipGradOpx(Opx):
    """The lowering of the gradient of the input: one map."""

    def grow(self, prog: program.Sequence) -> None:
        """Selects g where min <= x <= max, else 0."""
        op = self.getOp(ClipGradOp)
        expression = op.expression()
        operands = [self.getInTensor(i) for i in sorted(op.input)]
        if expression == Arg(0) and op.overwritten() is None:
            self.setOutTensor(0, self.cloneNcopy(prog, operands[0]))
            return
        self.setOutTensor(0, mapped(self, expression, operands, prog))


_IDS = onnx_ids("Clip", 6, 11, 12, 13)
OpCreator(ClipOp, _IDS)
OpxCreator(ClipOpx, [*_IDS, variant_id("Clip")])
OpxCreator(ClipGradOpx, [ClipGradOp.opid, variant_id("ClipGrad")])
OpxCreator(ClipBoundGradOpx, ClipBoundGradOp.opid)
