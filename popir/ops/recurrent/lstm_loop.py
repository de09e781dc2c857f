"""An LSTM as a loop of operators, which have gradients of any order.

The operator itself computes faster, and its gradient has no gradient. Where that is needed, the
operator Gradient differentiates this loop instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from popir.ir import Tensor
from popir.ops.control.loop_op import ITERATION, add_loop
from popir.ops.recurrent.lstm_cell import Cell
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.second_order import expand_to, operators
from popir.types import TensorInfo


class Loops:
    """The loops over the time steps, one for each direction, with the inputs of an LSTM."""

    def __init__(self, on: Decomposer, inputs: Sequence[Tensor | None], is_batch_first: bool):
        self._on, self._swapped = on, is_batch_first
        x = inputs[0]
        assert x is not None
        self._stored = on.info(x).dataType()
        self._kind = accumulator_of(self._stored)
        lengths = inputs[4] if len(inputs) > 4 else None
        given = [t if t is None or t is lengths else on.cast(t, self._kind) for t in inputs]
        given += [None] * (8 - len(given))
        self._w, self._r, self._b, _, hidden, cell, self._p = given[1:]
        self._x = self._swap(given[0])
        self._states = [self._swap(hidden), self._swap(cell)]
        self._mask = None if lengths is None else self._within(lengths)

    def _swap(self, t: Tensor | None) -> Tensor | None:
        """Batch and the dimension before it exchanged, if the batch is first."""
        return t if t is None or not self._swapped else self._on.Transpose(t, perm=[1, 0, 2])

    def _within(self, lengths: Tensor) -> Tensor:
        """BOOL[time, batch, 1]: whether a time step is within its sequence."""
        on, x = self._on, self._x
        assert x is not None
        steps = on.like(np.arange(on.shape(x)[0])[:, None], lengths)
        mask = on.Less(steps, on.Unsqueeze(lengths, on.ints(0)))
        return on.Unsqueeze(mask, on.ints(2))

    def outputs(self, cells: Sequence[Cell], reversals: Sequence[bool]) -> list[Tensor]:
        """Y, Y_h and Y_c."""
        on = self._on
        made = [
            self._direction(d, *each) for d, each in enumerate(zip(cells, reversals, strict=True))
        ]
        hidden, cell, sequence = (
            on.Concat(*(on.Unsqueeze(t, on.ints(axis)) for t in parts), axis=axis)
            for parts, axis in zip(zip(*made, strict=True), (0, 0, 1), strict=True)
        )
        if self._swapped:
            sequence = on.Transpose(sequence, perm=[2, 0, 1, 3])
        states = [self._swap(t) for t in (hidden, cell)]
        return [on.cast(t, self._stored) for t in (sequence, *states) if t is not None]

    def _of(self, t: Tensor | None, d: int) -> Tensor | None:
        """Row `d` of a tensor with one for each direction."""
        if t is None:
            return None
        on = self._on
        return on.Squeeze(on.Slice(t, on.ints(d), on.ints(d + 1), on.ints(0)), on.ints(0))

    def _direction(self, d: int, cell: Cell, reverse: bool) -> tuple[Tensor, Tensor, Tensor]:
        """The last hidden and cell state of a direction, and the hidden states of all steps."""
        on, x = self._on, self._x
        w, r, b, p = (self._of(t, d) for t in (self._w, self._r, self._b, self._p))
        assert x is not None and w is not None and r is not None
        (time, batch, _), hidden = on.shape(x), on.shape(r)[1]
        gates = on.MatMul(x, on.Transpose(w, perm=[1, 0]))
        if b is not None:
            both = on.ReduceSum(on.reshape(b, [2, 4 * hidden]), on.ints(0), keepdims=0)
            gates = on.Add(gates, both)
        zeros = TensorInfo(self._kind, [batch, hidden])
        first = [self._of(t, d) or on.zeros(zeros) for t in self._states]
        read = [on.Transpose(r, perm=[1, 0])]
        if p is not None:
            read += on.Split(p, axis=0, num_outputs=3, outputs=3)
        scanned = [gates] if self._mask is None else [gates, self._mask]
        inner = on.within(f"body{d}")
        self._body(inner, cell, [*first, *scanned], read)
        attributes = {
            "body": inner.graph,
            "carried": 2,
            "scanned": len(scanned),
            "trip": time,
            "conditional": False,
            "descending": False,
            "reversed_inputs": [int(reverse)] * len(scanned),
            "reversed_outputs": [int(reverse)],
        }
        last, memory, sequence = add_loop(on, [None, None, *first, *scanned, *read], 3, attributes)
        return last, memory, sequence

    def _body(
        self, inner: Decomposer, cell: Cell, values: list[Tensor], read: list[Tensor]
    ) -> None:
        """One time step: of the expressions of the cell, with the operands in their order."""
        inner.input(ITERATION, "number")
        infos = [inner.info(t) for t in values]
        h, c = (inner.input(info, name) for info, name in zip(infos[:2], "hc", strict=True))
        slices = [
            inner.input(TensorInfo(info.dataType(), info.shape()[1:]), f"slice{i}")
            for i, info in enumerate(infos[2:])
        ]
        weights = [inner.input(inner.info(t), f"weight{i}") for i, t in enumerate(read)]
        gates = inner.Add(slices[0], inner.MatMul(h, weights[0]))
        i, o, f, new = inner.Split(gates, axis=1, num_outputs=4, outputs=4)
        peepholes = weights[1:] or [i] * 3  # An expression without peepholes reads none.
        shape = inner.shape(h)
        mask = expand_to(inner, slices[1], shape) if len(slices) > 1 else i
        made = operators(inner, cell.cell, [i, o, f, new, c, h, c, *peepholes, mask])
        out = operators(inner, cell.hidden, [i, o, f, new, c, h, made, *peepholes, mask])
        seen = inner.Where(mask, out, inner.like(0, out)) if len(slices) > 1 else out
        inner.graph.outputs = [out.id, made.id, seen.id]
