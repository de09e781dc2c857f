"""Clip: elements no less than a minimum and no greater than a maximum, each of which may be left
out.
"""

from __future__ import annotations

from popir.ir import GradInOutMapper, Op
from popir.ops import symbolic as s
from popir.ops.arithmetic import Arithmetic
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.inplace import OverwritingOp, mapped, variantId
from popir.ops.symbolic import Arg, Expr
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator

MIN, MAX = 1, 2


class ClipOp(OverwritingOp):
    """The bounds are attributes before version 11, scalar inputs from then on."""

    min: float | None
    max: float | None

    def bounds(self) -> dict[int, float | None]:
        """The bounds that there are, by their input's index; a number if it is an attribute."""
        found = {i: value for i, value in ((MIN, self.min), (MAX, self.max)) if value is not None}
        return {**found, **{i: None for i in (MIN, MAX) if self.hasInput(i)}}

    def canBeReplacedByIdentity(self) -> bool:
        """Without bounds."""
        return not self.bounds()

    def setup(self) -> None:
        """The output is like the input."""
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        """With respect to the first input, and to each bound that is a tensor."""
        tensors = [i for i, value in self.bounds().items() if value is None]
        return [ClipGradOp(self), *(ClipBoundGradOp(self, i) for i in tensors)]


def _reads(bounds: dict[int, float | None]) -> list[GradInOutMapper]:
    """The output's gradient, the input, and the bounds that are tensors."""
    reads = [(GRAD, 0), (IN, 0), *((IN, i) for i, value in bounds.items() if value is None)]
    return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(reads)]


class ClipGradOp(OverwritingOp, InputGradOp):
    """The output's gradient where the input is within the bounds, else zero."""

    opid = graphcoreId("ClipGrad")

    def __init__(self, fwdOp: ClipOp) -> None:
        super().__init__(fwdOp)
        self.bounds = fwdOp.bounds()

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """What `_reads` says."""
        return _reads(self.bounds)


class ClipBoundGradOp(InputGradOp):
    """The sum of the output's gradient where the bound is the output: below the minimum unless the
    maximum is less still, or above the maximum.
    """

    opid = graphcoreId("ClipBoundGrad")

    def __init__(self, fwdOp: ClipOp, index: int) -> None:
        super().__init__(fwdOp, index)
        self.bounds = fwdOp.bounds()
        self.towards = index

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """What `_reads` says."""
        return _reads(self.bounds)


def _bound(bounds: dict[int, float | None], which: int, firstInput: int) -> Expr | None:
    """A bound, where operands from `firstInput` on are the bounds that are tensors."""
    if which not in bounds:
        return None
    value = bounds[which]
    if value is not None:
        return s.Const(value)
    inputs = [i for i, v in bounds.items() if v is None]
    return Arg(firstInput + inputs.index(which))


class ClipOpx(Opx):
    """One map."""

    def grow(self, prog: program.Sequence) -> None:
        """max(x, min), then min(x, max)."""
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
        """The input's layout is the output's."""
        return InputCreatorType.CanUnwind if i == 0 else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """Element by element."""
        return tensor


class ClipBoundGradOpx(Opx):
    """One map and a sum."""

    def grow(self, prog: program.Sequence) -> None:
        """g where the bound holds the input."""
        op = self.getOp(ClipBoundGradOp)
        low, high = _bound(op.bounds, MIN, 2), _bound(op.bounds, MAX, 2)
        held: Expr = Arg(0)
        if op.towards == MAX:
            assert high is not None
            lifted = Arg(1) if low is None else s.maximum(Arg(1), low)
            held = s.select(held, 0, lifted > high)
        else:
            assert low is not None
            held = s.select(held, 0, Arg(1) < low)
            held = held if high is None else s.select(held, 0, low <= high)
        operands = [self.getInTensor(i) for i in sorted(op.input)]
        kind, arithmetic = operands[0].elementType(), Arithmetic(self, prog)
        g = arithmetic.map(held, operands, out=kind)
        total = arithmetic.reduce(g, list(range(g.rank())), out=kind)
        self.setOutTensor(0, total.reshape(self.outShape(0)))


class ClipGradOpx(Opx):
    """One map."""

    def grow(self, prog: program.Sequence) -> None:
        """g where min <= x <= max."""
        op = self.getOp(ClipGradOp)
        expression: Expr = Arg(0)
        for which in op.bounds:
            bound = _bound(op.bounds, which, 2)
            assert bound is not None
            inside = Arg(1) >= bound if which == MIN else Arg(1) <= bound
            expression = s.select(expression, 0, inside)
        operands = [self.getInTensor(i) for i in sorted(op.input)]
        if expression == Arg(0) and op.overwritten() is None:
            self.setOutTensor(0, self.cloneNcopy(prog, operands[0]))
            return
        self.setOutTensor(0, mapped(self, expression, operands, prog))


_IDS = onnxIds("Clip", 6, 11, 12, 13)
OpCreator(ClipOp, _IDS)
OpxCreator(ClipOpx, [*_IDS, variantId("Clip")])
OpxCreator(ClipGradOpx, [ClipGradOp.opid, variantId("ClipGrad")])
OpxCreator(ClipBoundGradOpx, ClipBoundGradOp.opid)
