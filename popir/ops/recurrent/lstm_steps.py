"""Adds the time steps of one direction of an LSTM to a device program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from popir import poplar, poplin, popops
from popir.ops.contraction.options import contraction_flags, multiply
from popir.ops.recurrent.lstm_cell import (
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
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator, device_tree
from popir.ops.support.shapes import broadcast_to
from popir.ops.support.symbolic import Arg, Const, Expr
from popir.opx import Opx
from popir.poplar import Tensor, Type, program


@dataclass
class Steps:
    """The operands of one direction. Results of all steps are [time, batch, ...]."""

    opx: Opx
    prog: program.Sequence
    cell: Cell
    order: list[int]
    """The indices of the time steps, in the order in which they run."""
    recurrent: Tensor
    """The recurrent weights, [4 hidden, hidden]."""
    places: list[int]
    """Where each gate is among the four, in the rows of the weights and in all gates here."""
    hidden0: Tensor
    """The initial hidden state, [batch, hidden]."""
    starts_at_zero: bool
    """Whether hidden0 is known to be zero, so that its product is left out."""
    cell0: Tensor
    """The initial cell state, [batch, hidden]."""
    peepholes: Tensor | None
    """[3, hidden]: for the input, output and forget gate. None without peepholes."""
    mask: Tensor | None
    """BOOL[time, batch, hidden]: whether a step is within its sequence. None if all are."""
    _passes: dict[str, _Pass] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Converts the initial cell state to the accumulator type, which all cell states have."""
        self._arithmetic = Arithmetic(self.opx, self.prog)
        self._stored = self.recurrent.elementType()
        self._wide = accumulator(self._stored)
        self.cell0 = self._arithmetic.converted(self.cell0, self._wide, "cell")

    def forward(self, gates: Tensor) -> tuple[Tensor, Tensor]:
        """Adds all steps, and returns the cell and hidden states after each of them.

        `gates` has the input's part of the gates. Each step adds the product with the hidden state
        to it in place.
        """
        units = self.cell0.dim(1)
        cells = self.of_all_steps(self._wide, units, "cells")
        hiddens = self.of_all_steps(self._stored, units, "hiddens")
        hidden, cell = self.hidden0, self.cell0
        for n, t in enumerate(self.order):
            if n > 0 or not self.starts_at_zero:
                weights = self.recurrent.transpose()
                context = self.opx.debugContext("recurrent")
                poplin.matMulAcc(
                    *(self.opx.graph(), gates[t], 1.0, hidden, weights, self.prog, context),
                    contraction_flags(self.opx.op_p),
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
        d_sequence: Tensor | None,
        d_hidden: Tensor | None,
        d_cell: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Adds all steps backwards, and returns the gradients of the gates before activation, of
        the initial hidden state and of the initial cell state.

        Args:
            gates, cells, hiddens: the results of the forward steps.
            d_sequence: the gradients of all hidden states; None for zeros.
            d_hidden, d_cell: the gradients of the last hidden and cell state; None for zeros.
        """
        d_gates = self.of_all_steps(self._stored, gates.dim(2), "dGates")
        cells_before = [self.cell0, *(cells[t] for t in self.order)]
        hiddens_before = [self.hidden0, *(hiddens[t] for t in self.order)]
        none = broadcast_to(self.opx.getConst(self._wide, [1, 1], 0), self.cell0.shape())
        d_hidden, d_cell = (
            none if t is None else self._arithmetic.converted(t, self._wide, "wide")
            for t in (d_hidden, d_cell)
        )
        for n, t in reversed(list(enumerate(self.order))):
            if d_sequence is not None:
                both = {0: d_hidden, 1: d_sequence[t]}
                d_hidden = self._new("dHidden", lambda: Arg(0) + Arg(1), both)
            known = self._known(t, gates, cells, cells_before[n], hiddens_before[n])
            known |= {D_HIDDEN.index: d_hidden, D_CELL.index: d_cell}
            known[D_CELL.index] = self._new("dCell", self.cell.d_cell, known)
            self._put("dGates", self.cell.d_gates, known, self._by_gate(d_gates[t]))
            d_cell = self._new("dCellBefore", self.cell.d_cell_before, known)
            passed = multiply(
                *(self.opx, d_gates[t], self.recurrent, self.prog, self._wide), name="dRecurrent"
            )
            if self.mask is not None:
                known[HIDDEN_BEFORE.index] = passed
                passed = self._new("dHiddenBefore", self.cell.d_hidden_before, known)
            d_hidden = passed
        return d_gates, d_hidden, d_cell

    def before(self, states: Tensor, first: Tensor) -> Tensor:
        """The state before each step, as a view: `first`, then `states` of the previous step."""
        found = dict(zip(self.order, [first, *(states[t] for t in self.order)], strict=False))
        rows = [found[t].expand([0]) for t in range(len(self.order))]
        return poplar.concat(rows, 0)

    def peephole_gradients(self, d_gates: Tensor, cells: Tensor) -> Tensor:
        """[3 hidden]: the sums over all steps of the gates' gradients times the cell states they
        read.
        """
        before = self.before(cells, self.cell0)
        by_gate = self._by_gate(d_gates)
        found = []
        for gate, seen in ((0, before), (1, cells), (2, before)):
            both = {0: by_gate[gate], 1: seen}
            product = self._new("peepholes", lambda: Arg(0) * Arg(1), both)
            found.append(self._arithmetic.reduce(product, [0, 1], "peepholes", out=self._stored))
        return poplar.concat(found, 0)

    def _by_gate(self, t: Tensor) -> list[Tensor]:
        """[..., 4 hidden] as views of the four gates, [..., hidden] each, in ONNX's order."""
        last, hidden = t.rank() - 1, self.cell0.dim(1)
        return [t.slice(i * hidden, (i + 1) * hidden, last) for i in self.places]

    def of_all_steps(self, kind: Type, columns: int, name: str) -> Tensor:
        """A new variable [time, batch, columns], of which each step's part is spread over all
        tiles: a step computes on all of them.
        """
        graph, context = self.opx.graph(), self.opx.debugContext(name)
        linear = poplar.VariableMappingMethod.LINEAR
        part = graph.addVariable(kind, [1, self.cell0.dim(0), columns], linear, context)
        return popops.createSliceableTensorFromSlice(graph, part, [0], [len(self.order)], context)

    def _known(
        self, t: int, gates: Tensor, cells: Tensor, cell: Tensor, hidden: Tensor
    ) -> dict[int, Tensor]:
        """The operands of step `t`, [batch, hidden] each, by their index in the expressions."""
        shape = self.cell0.shape()
        by_gate = self._by_gate(gates[t])
        known = {gate.index: part for gate, part in zip(GATES, by_gate, strict=True)}
        known |= {CELL_BEFORE.index: cell, CELL.index: cells[t], HIDDEN_BEFORE.index: hidden}
        if self.peepholes is not None:
            for i, peephole in enumerate(PEEPHOLES):
                known[peephole.index] = broadcast_to(self.peepholes[i], shape)
        if self.mask is not None:
            known[MASK.index] = self.mask[t]
        return known

    def _pass(self, name: str, make: Callable[[], Sequence[Expr]]) -> _Pass:
        """The expressions called `name`, which are made once for all steps."""
        if name not in self._passes:
            self._passes[name] = _Pass(make())
        return self._passes[name]

    def _new(self, name: str, make: Callable[[], Expr], operands: Mapping[int, Tensor]) -> Tensor:
        """The value of one expression, in a new tensor. If the expression is just an operand, that
        operand.
        """
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
        """Writes the values of several expressions to `outs` in one pass; constants are filled
        in.
        """
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
    """Expressions, the operands that they read, and their popops trees."""

    def __init__(self, expressions: Sequence[Expr]) -> None:
        self.expressions = expressions
        computed = [e for e in expressions if not isinstance(e, Const)]
        self.read = sorted(set().union(*map(s.operands, computed)))
        numbers = {old: new for new, old in enumerate(self.read)}
        self._computed = [s.renumber(e, numbers) for e in computed]
        self._trees: list[Any] = []

    def trees(self, operands: Sequence[Tensor], outs: Sequence[Type]) -> list[Any]:
        """The trees. They are made at the first step, since operands have the same types in all
        steps.
        """
        if not self._trees:
            pairs = zip(self._computed, outs, strict=True)
            self._trees = [device_tree(e, operands, out) for e, out in pairs]
        return self._trees
