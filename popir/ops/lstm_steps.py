"""The time steps of one direction of an LSTM, as a device program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from popir import poplar, poplin, popops
from popir.ops import symbolic as s
from popir.ops.arithmetic import Arithmetic, accumulator, deviceTree
from popir.ops.contraction_options import contractionFlags, multiply
from popir.ops.lstm_cell import (
    CELL,
    CELL_BEFORE,
    D_CELL,
    D_HIDDEN,
    GATES,
    HIDDEN_BEFORE,
    MASK,
    PEEPHOLES,
    Cell,
)
from popir.ops.shapes import broadcastTo
from popir.ops.symbolic import Arg, Const, Expr
from popir.opx import Opx
from popir.poplar import Tensor, Type, program


@dataclass
class Steps:
    """What a direction computes with; the results of all steps are [time, batch, ...]."""

    opx: Opx
    prog: program.Sequence
    cell: Cell
    order: list[int]
    """The time steps, the first one first."""
    recurrent: Tensor
    """[4 hidden, hidden]"""
    hidden0: Tensor
    """[batch, hidden]"""
    startsAtZero: bool
    """Whether hidden0 is known to be zeros, which no product needs."""
    cell0: Tensor
    """[batch, hidden]"""
    peepholes: Tensor | None
    """[3, hidden]: of the input, output and forget gate"""
    mask: Tensor | None
    """[time, batch, hidden]: whether a step is within its sequence"""
    _passes: dict[str, _Pass] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The initial cell as the others are, in the type in which sums are formed."""
        self._arithmetic = Arithmetic(self.opx, self.prog)
        self._stored = self.recurrent.elementType()
        self._wide = accumulator(self._stored)
        self.cell0 = self._arithmetic.converted(self.cell0, self._wide, "cell")

    def forward(self, gates: Tensor) -> tuple[Tensor, Tensor]:
        """Cells and hidden states after each step; `gates`, without the part of the hidden state,
        get it.
        """
        cells, hiddens = self._states(self._wide, "cells"), self._states(self._stored, "hiddens")
        hidden, cell = self.hidden0, self.cell0
        for n, t in enumerate(self.order):
            if n > 0 or not self.startsAtZero:
                weights = self.recurrent.transpose()
                context = self.opx.debugContext("recurrent")
                poplin.matMulAcc(
                    *(self.opx.graph(), gates[t], 1.0, hidden, weights, self.prog, context),
                    contractionFlags(self.opx.op_p),
                )
            known = self._known(t, gates, cells, cell, hidden)
            self._put("cell", lambda: [self.cell.cell], known, [cells[t]])
            self._put("hidden", lambda: [self.cell.hidden], known, [hiddens[t]])
            cell, hidden = cells[t], hiddens[t]
        return cells, hiddens

    def backward(
        self,
        gates: Tensor,
        cells: Tensor,
        hiddens: Tensor,
        dSequence: Tensor | None,
        dHidden: Tensor | None,
        dCell: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The gradients of the gates before activation, and of the initial states.

        Given are those of all hidden states, of the last one, and of the last cell, None for zeros.
        """
        dGates = self.opx.graph().addVariable(
            self._stored,
            gates.shape(),
            poplar.VariableMappingMethod.LINEAR,
            self.opx.debugContext("dGates"),
        )
        cellsBefore = [self.cell0, *(cells[t] for t in self.order)]
        hiddensBefore = [self.hidden0, *(hiddens[t] for t in self.order)]
        none = broadcastTo(self.opx.getConst(self._wide, [1, 1], 0), self.cell0.shape())
        dHidden, dCell = (
            none if t is None else self._arithmetic.converted(t, self._wide, "wide")
            for t in (dHidden, dCell)
        )
        for n, t in reversed(list(enumerate(self.order))):
            if dSequence is not None:
                both = {0: dHidden, 1: dSequence[t]}
                dHidden = self._new("dHidden", lambda: Arg(0) + Arg(1), both)
            known = self._known(t, gates, cells, cellsBefore[n], hiddensBefore[n])
            known |= {D_HIDDEN.index: dHidden, D_CELL.index: dCell}
            known[D_CELL.index] = self._new("dCell", self.cell.dCell, known)
            self._put("dGates", self.cell.dGates, known, self._byGate(dGates[t]))
            dCell = self._new("dCellBefore", self.cell.dCellBefore, known)
            passed = multiply(
                *(self.opx, dGates[t], self.recurrent, self.prog, self._wide), name="dRecurrent"
            )
            if self.mask is not None:
                known[HIDDEN_BEFORE.index] = passed
                passed = self._new("dHiddenBefore", self.cell.dHiddenBefore, known)
            dHidden = passed
        return dGates, dHidden, dCell

    def before(self, states: Tensor, first: Tensor) -> Tensor:
        """What each step begins from: a view."""
        found = dict(zip(self.order, [first, *(states[t] for t in self.order)], strict=False))
        rows = [found[t].expand([0]) for t in range(len(self.order))]
        return poplar.concat(rows, 0)

    def peepholeGradients(self, dGates: Tensor, cells: Tensor) -> Tensor:
        """[3 hidden]: sums over all steps of the gates' gradients times the cells they see."""
        before = self.before(cells, self.cell0)
        byGate = self._byGate(dGates)
        found = []
        for gate, seen in ((0, before), (1, cells), (2, before)):
            both = {0: byGate[gate], 1: seen}
            product = self._new("peepholes", lambda: Arg(0) * Arg(1), both)
            found.append(self._arithmetic.reduce(product, [0, 1], "peepholes", out=self._stored))
        return poplar.concat(found, 0)

    def _byGate(self, t: Tensor) -> list[Tensor]:
        """[..., 4 hidden] cut into the four gates."""
        last, hidden = t.rank() - 1, self.cell0.dim(1)
        return [t.slice(i * hidden, (i + 1) * hidden, last) for i in range(4)]

    def _states(self, kind: Type, name: str) -> Tensor:
        """A new [time, batch, hidden]."""
        shape = [len(self.order), *self.cell0.shape()]
        linear = poplar.VariableMappingMethod.LINEAR
        context = self.opx.debugContext(name)
        return self.opx.graph().addVariable(kind, shape, linear, context)

    def _known(
        self, t: int, gates: Tensor, cells: Tensor, cell: Tensor, hidden: Tensor
    ) -> dict[int, Tensor]:
        """The operands of step t by their index, each [batch, hidden]."""
        shape = self.cell0.shape()
        byGate = self._byGate(gates[t])
        known = {gate.index: part for gate, part in zip(GATES, byGate, strict=True)}
        known |= {CELL_BEFORE.index: cell, CELL.index: cells[t], HIDDEN_BEFORE.index: hidden}
        if self.peepholes is not None:
            for i, peephole in enumerate(PEEPHOLES):
                known[peephole.index] = broadcastTo(self.peepholes[i], shape)
        if self.mask is not None:
            known[MASK.index] = self.mask[t]
        return known

    def _pass(self, name: str, make: Callable[[], Sequence[Expr]]) -> _Pass:
        """The expressions of that name, which are made once for all steps."""
        if name not in self._passes:
            self._passes[name] = _Pass(make())
        return self._passes[name]

    def _new(self, name: str, make: Callable[[], Expr], operands: Mapping[int, Tensor]) -> Tensor:
        """One expression over operands, in a new tensor; an operand alone is passed on."""
        one = self._pass(name, lambda: [make()])
        if isinstance(one.expressions[0], Arg):
            return operands[one.expressions[0].index]
        graph, context = self.opx.graph(), self.opx.debugContext(name)
        found = [operands[i] for i in one.read]
        (tree,) = one.trees(found, [self._wide])
        return popops.map(graph, tree, found, self.prog, context)

    def _put(
        self,
        name: str,
        make: Callable[[], Sequence[Expr]],
        operands: Mapping[int, Tensor],
        outs: Sequence[Tensor],
    ) -> None:
        """Several expressions over operands, in one pass; numbers are filled in."""
        graph, context = self.opx.graph(), self.opx.debugContext(name)
        several = self._pass(name, make)
        written: list[Tensor] = []
        for e, out in zip(several.expressions, outs, strict=True):
            if isinstance(e, Const):
                popops.fill(graph, out, self.prog, e.value, context)
            else:
                written.append(out)
        found = [operands[i] for i in several.read]
        trees = several.trees(found, [out.elementType() for out in written])
        popops.mapWithOutput(graph, trees, found, written, self.prog, context)


class _Pass:
    """Expressions, the operands that they read, and their trees over these."""

    def __init__(self, expressions: Sequence[Expr]) -> None:
        self.expressions = expressions
        computed = [e for e in expressions if not isinstance(e, Const)]
        self.read = sorted(set().union(*map(s.operands, computed)))
        numbers = {old: new for new, old in enumerate(self.read)}
        self._computed = [s.renumber(e, numbers) for e in computed]
        self._trees: list[Any] = []

    def trees(self, operands: Sequence[Tensor], outs: Sequence[Type]) -> list[Any]:
        """The trees, made at the first step: operands have the same types at all of them."""
        if not self._trees:
            pairs = zip(self._computed, outs, strict=True)
            self._trees = [deviceTree(e, operands, out) for e, out in pairs]
        return self._trees
