"""Gradient accumulation: Accumulate adds a batch's gradient to a variable, AccumulatorZero clears
it after the update.
"""

from __future__ import annotations

from typing import Any

from popir import popops
from popir.ir import Graph, Op
from popir.ops.support import symbolic as s
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.variable import VAR, VariableOp
from popir.ops.update.var_update import Update, VarUpdateOp, VarUpdateOpx
from popir.opx import InputCreatorType, Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.reserved import reservedUpdatedVarPrefix


class AccumulateOp(VarUpdateOp):
    """PopART's Accumulate. Input 0 is the accumulator, input 1 the gradient of a batch. The
    attribute `mode` is Add: a + g; DampenedAdd: a + dampeningScaleFactor1 * g; or Mean: the mean of
    all gradients so far, where the number `counter` is how many there were before this one.

    The output is complete after the last batch: what depends on it runs once for all of them.
    """

    opid = graphcore_id("Accumulate", 2)
    """Version 1 is the class of that name that operators in C++ derive from."""
    accumulates = True

    def update(self, u: Update) -> None:
        """The new value of the accumulator."""
        mode, a, g = u.variant("mode"), u.weight, u.gradient
        if mode == "Add":
            u.set(a, a + g)
        elif mode == "DampenedAdd":
            u.set(a, a + u.number("dampeningScaleFactor1") * g)
        else:
            count = u.number("counter")
            share = u.let(1.0 / (count + 1.0))
            u.set(a, s.select(g, a + share * (g - a), s.equal(count, 0.0)))


class AccumulateOpx(VarUpdateOpx):
    """The lowering: that of an update. The accumulator is laid out as its reader wants."""

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The accumulator takes the layout of the output."""
        return InputCreatorType.CanUnwind if i == VAR else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Any, inIndex: int, outIndex: int) -> Any:
        """The output's layout, since the output is the accumulator."""
        return tensor


class AccumulatorZeroOp(VariableOp):
    """PopART's AccumulatorZero: clears input 0, an accumulator, for the next batches."""


class AccumulatorZeroOpx(Opx):
    """The lowering: zeros, in place."""

    def grow(self, prog: program.Sequence) -> None:
        """Writes zeros to the accumulator."""
        accumulator = self.getInTensor(VAR)
        popops.zero(self.graph(), accumulator, prog, self.debugContext())
        self.setOutTensor(0, accumulator)


def connect_zero(graph: Graph, accumulated: str, variable: str) -> None:
    """Adds an AccumulatorZero of `accumulated`, the output of the Accumulate of a variable."""
    settings = Op.Settings(graph, f"AccumulatorZero/{variable}")
    op = AccumulatorZeroOp(_ZERO, settings)
    graph.createConnectedOp(
        lambda: op, {0: accumulated}, {0: f"{reservedUpdatedVarPrefix()}{variable}"}
    )


_ZERO = graphcore_id("AccumulatorZero")
OpCreator(AccumulatorZeroOp, [_ZERO], isPublic=False)
OpxCreator(AccumulatorZeroOpx, [_ZERO])
OpxCreator(AccumulateOpx, [AccumulateOp.opid])
