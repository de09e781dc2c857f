"""Automatic loss scaling: Histogram counts large gradients, LossScaleUpdate adapts the scaling's
factor, FinalLossScale applies it.
"""

from __future__ import annotations

import ml_dtypes

from popir.ir import Op
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Arg, Const, Expr
from popir.opx import Opx
from popir.poplar import FLOAT, concat, program
from popir.registry import OpxCreator
from popir.types import DataType, TensorInfo

SCALING, FACTOR = 0, 1
COUNTS, LARGE, UPDATES = 1, 2, 3


class HistogramOp(Op):
    """PopART's Histogram, for one bin edge: how many elements of the input are at most `level`,
    disregarding signs, and how many are not. NaN is not.
    """

    costly = True
    opid = graphcore_id("Histogram", 2)
    """Version 1 is the class of that name that operators in C++ create."""
    openAttributes = True

    def setup(self) -> None:
        """The output is two numbers."""
        self.setOutInfo(0, TensorInfo(DataType.FLOAT, [2]))


class HistogramOpx(Opx):
    """The lowering: a map to ones and zeros, and their sum."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the map and the sum."""
        arithmetic = Arithmetic(self, prog)
        gradient = self.getInTensor(0)
        is_small = s.absolute(Arg(0)) <= self.op_p.attributes["level"]
        counted = arithmetic.map(s.select(0.0, 1.0, is_small), [gradient], "counted", out=FLOAT)
        dims = list(range(len(counted.shape())))
        large = arithmetic.reduce(counted, dims, "sum") if dims else counted
        small = arithmetic.map(float(self.inInfo(0).nelms()) - Arg(0), [large], "small")
        self.setOutTensor(0, concat([small.reshape([1]), large.reshape([1])]))


class FinalLossScaleOp(Op):
    """The loss scaling, input 0, times the factor, input 1. Output 1 is 1 / factor."""

    opid = graphcore_id("FinalLossScale")

    def setup(self) -> None:
        """Output 0 is like the loss scaling, output 1 like the factor."""
        self.setOutInfo(0, self.inInfo(SCALING))
        self.setOutInfo(1, self.inInfo(FACTOR))

    def isOutlineable(self) -> bool:
        """False: there is one."""
        return False


class FinalLossScaleOpx(Opx):
    """The lowering: two maps over numbers."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a map for each result."""
        arithmetic = Arithmetic(self, prog)
        scaling, factor = self.getInTensor(SCALING), self.getInTensor(FACTOR)
        kind = scaling.elementType()
        self.setOutTensor(0, arithmetic.map(Arg(0) * Arg(1), [scaling, factor], "scale", out=kind))
        self.setOutTensor(1, arithmetic.map(1.0 / Arg(0), [factor], "inverse", out=FLOAT))


class LossScaleUpdateOp(Op):
    """PopART's LossScaleUpdate. Input 0 is the factor, a variable: it is halved if more than the
    share `threshold` of the elements is large, else doubled; input 2 has the number of small and of
    large ones. It is not doubled if the loss scaling, input 1, times the factor would not be finite
    then.

    With a `period`, this is done in the first of so many updates only; input 3, a variable, counts
    them.
    """

    opid = graphcore_id("LossScaleUpdate", 2)
    """Version 1 is the class of that name that operators in C++ create."""
    openAttributes = True

    def setup(self) -> None:
        """The output is the factor."""
        self.setOutInfo(0, self.inInfo(0))

    def modifies(self, inIndex: int) -> bool:
        """The factor and the count of updates are modified."""
        return inIndex in (0, UPDATES)

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the factor itself."""
        return inIndex == 0 and outIndex == 0

    def hasSideEffect(self) -> bool:
        """True: it changes a variable."""
        return True


class LossScaleUpdateOpx(Opx):
    """The lowering: a map over numbers, in place, and one for the count."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a map for each result."""
        attributes = self.op_p.attributes
        tensors = [self.getInTensor(i) for i in sorted(self.op_p.input)]
        small, large = (tensors[LARGE][i] for i in (0, 1))
        operands = [tensors[0], tensors[1], large, *tensors[UPDATES:], small]
        kind = self.inInfo(COUNTS).dataType().numpy
        most = float(ml_dtypes.finfo(kind).max)
        factor, scaling, many, few = Arg(0), Arg(1), Arg(2), Arg(len(operands) - 1)
        up = s.select(factor * 2.0, factor, s.absolute(scaling * factor) <= most / 2)
        new: Expr = s.select(factor * 0.5, up, many > attributes["threshold"] * (many + few))
        if len(tensors) > UPDATES:
            new = s.select(new, factor, s.equal(Arg(UPDATES), 0.0))
        arithmetic = Arithmetic(self, prog)
        flat = [t.reshape([]) for t in operands]
        arithmetic.mapInPlace(new, flat, "factor")
        if len(tensors) > UPDATES:
            count, last = Arg(0) + 1.0, Const(attributes["period"] - 1.0)
            arithmetic.mapInPlace(s.select(count, 0.0, Arg(0) < last), [flat[UPDATES]], "count")
        self.setOutTensor(0, tensors[0])


OpxCreator(HistogramOpx, [HistogramOp.opid])
OpxCreator(FinalLossScaleOpx, [FinalLossScaleOp.opid])
OpxCreator(LossScaleUpdateOpx, [LossScaleUpdateOp.opid])
