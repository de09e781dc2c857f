"""The time steps of one direction of an LSTM, as a device program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from popir import poplar, poplin, popops
from popir.ops import symbolic as s
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
from popir.poplar import Tensor, program


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
    hidden0: Tensor | None
    """[batch, hidden], None for zeros"""
    cell0: Tensor
    """[batch, hidden]"""
    peepholes: Tensor | None
    """[3, hidden]: of the input, output and forget gate"""
    mask: Tensor | None
    """[time, batch, hidden]: whether a step is within its sequence"""

    def forward(self, gates: Tensor) -> tuple[Tensor, Tensor]:
        """Cells and hidden states after each step; `gates`, without the part of the hidden state,
        get it.
        """
        cells, hiddens = self._states(gates, "cells"), self._states(gates, "hiddens")
        hidden, cell = self.hidden0, self.cell0
        for t in self.order:
            if hidden is not None:
                weights = self.recurrent.transpose()
                context = self.opx.debugContext("recurrent")
                poplin.matMulAcc(
                    self.opx.graph(), gates[t], 1.0, hidden, weights, self.prog, context
                )
            known = self._known(t, gates, cells, cell, hidden)
            self._put([self.cell.cell], known, [cells[t]], "cell")
            self._put([self.cell.hidden], known, [hiddens[t]], "hidden")
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
            gates.elementType(),
            gates.shape(),
            poplar.VariableMappingMethod.LINEAR,
            self.opx.debugContext("dGates"),
        )
        cellsBefore = [self.cell0, *(cells[t] for t in self.order)]
        hiddensBefore = [self.hidden0, *(hiddens[t] for t in self.order)]
        none = broadcastTo(self.opx.getConst(gates.elementType(), [1, 1], 0), self.cell0.shape())
        dHidden, dCell = dHidden or none, dCell or none
        for n, t in reversed(list(enumerate(self.order))):
            if dSequence is not None:
                dHidden = self._new(Arg(0) + Arg(1), {0: dHidden, 1: dSequence[t]}, "dHidden")
            known = self._known(t, gates, cells, cellsBefore[n], hiddensBefore[n])
            known |= {D_HIDDEN.index: dHidden, D_CELL.index: dCell}
            known[D_CELL.index] = self._new(self.cell.dCell(), known, "dCell")
            self._put(self.cell.dGates(), known, self._byGate(dGates[t]), "dGates")
            dCell = self._new(self.cell.dCellBefore(), known, "dCellBefore")
            context = self.opx.debugContext("dRecurrent")
            passed = poplin.matMul(self.opx.graph(), dGates[t], self.recurrent, self.prog, context)
            if self.mask is not None:
                beside = self.cell.dHiddenBefore()
                known[HIDDEN_BEFORE.index] = passed
                passed = self._new(HIDDEN_BEFORE + beside, known, "dHiddenBefore")
            dHidden = passed
        return dGates, dHidden, dCell

    def before(self, states: Tensor, first: Tensor) -> Tensor:
        """What each step begins from: a view."""
        found = dict(zip(self.order, [first, *(states[t] for t in self.order)], strict=False))
        rows = [found[t].expand([0]) for t in range(len(self.order))]
        return poplar.concat(rows, 0)

    def peepholeGradients(self, dGates: Tensor, cells: Tensor) -> Tensor:
        """[3 hidden]: sums over all steps of the gates' gradients times the cells they see."""
        graph, context = self.opx.graph(), self.opx.debugContext("peepholes")
        before = self.before(cells, self.cell0)
        byGate = self._byGate(dGates)
        params = popops.ReduceParams(popops.Operation.ADD)
        found = []
        for gate, seen in ((0, before), (1, cells), (2, before)):
            product = self._new(Arg(0) * Arg(1), {0: byGate[gate], 1: seen}, "peepholes")
            found.append(popops.reduce(graph, product, [0, 1], params, self.prog, context))
        return poplar.concat(found, 0)

    def _byGate(self, t: Tensor) -> list[Tensor]:
        """[..., 4 hidden] cut into the four gates."""
        last, hidden = t.rank() - 1, self.cell0.dim(1)
        return [t.slice(i * hidden, (i + 1) * hidden, last) for i in range(4)]

    def _states(self, gates: Tensor, name: str) -> Tensor:
        """A new [time, batch, hidden]."""
        shape = [len(self.order), *self.cell0.shape()]
        linear = poplar.VariableMappingMethod.LINEAR
        context = self.opx.debugContext(name)
        return self.opx.graph().addVariable(gates.elementType(), shape, linear, context)

    def _known(
        self, t: int, gates: Tensor, cells: Tensor, cell: Tensor, hidden: Tensor | None
    ) -> dict[int, Tensor]:
        """The operands of step t by their index, each [batch, hidden]."""
        shape = self.cell0.shape()
        byGate = self._byGate(gates[t])
        known = {gate.index: part for gate, part in zip(GATES, byGate, strict=True)}
        known |= {CELL_BEFORE.index: cell, CELL.index: cells[t]}
        known[HIDDEN_BEFORE.index] = self.cell0 if hidden is None else hidden
        if self.peepholes is not None:
            for i, peephole in enumerate(PEEPHOLES):
                known[peephole.index] = broadcastTo(self.peepholes[i], shape)
        if self.mask is not None:
            known[MASK.index] = self.mask[t]
        return known

    def _new(self, e: Expr, operands: Mapping[int, Tensor], name: str) -> Tensor:
        """One expression over operands, in a new tensor; an operand alone is passed on."""
        if isinstance(e, Arg):
            return operands[e.index]
        read, (tree,) = _trees([e])
        found = [operands[i] for i in read]
        return popops.map(self.opx.graph(), tree, found, self.prog, self.opx.debugContext(name))

    def _put(
        self, es: Sequence[Expr], operands: Mapping[int, Tensor], outs: Sequence[Tensor], name: str
    ) -> None:
        """Several expressions over operands, in one pass."""
        graph, context = self.opx.graph(), self.opx.debugContext(name)
        pairs = list(zip(es, outs, strict=True))
        for e, out in pairs:
            if isinstance(e, Const):
                popops.fill(graph, out, self.prog, e.value, context)
        pairs = [(e, out) for e, out in pairs if not isinstance(e, Const)]
        read, trees = _trees([e for e, _ in pairs])
        found = [operands[i] for i in read]
        if len(pairs) == 1:
            popops.mapWithOutput(graph, trees[0], found, pairs[0][1], self.prog, context)
        elif pairs:
            popops.mapWithOutput(graph, trees, found, [out for _, out in pairs], self.prog, context)


def _trees(es: Sequence[Expr]) -> tuple[list[int], list[object]]:
    """The operands that expressions read, and the expressions over these, numbered anew."""
    read = sorted(set().union(*(s.operands(e) for e in es)))
    numbers = {old: new for new, old in enumerate(read)}
    return read, [s.toDevice(s.renumber(e, numbers), popops.expr) for e in es]
