"""Which operator of the model a part of the program belongs to: `Operators`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from popir.ir import Graph, Op, Tensor
from popir.ir.graph import calledGraphs
from popir.opx import blockOf, debugPrefix
from popir.profile.names import OperatorNames


class Operators:
    """The operators of a compiled graph and of those that it calls; of each graph in the order in
    which they run.
    """

    def __init__(self, graph: Graph) -> None:
        schedule = [op for each in calledGraphs(graph) for op in each.schedule()]
        self.rows = [_row(op) for op in schedule]
        """Name, type, domain, and bytes of results and weights of each."""
        self._names = OperatorNames(graph)
        self._byBlock = {blockOf(op): row for row, op in enumerate(schedule)}
        self._byName = {debugPrefix(op): row for row, op in reversed(list(enumerate(schedule)))}

    def behind(self, blocks: Sequence[str], name: str) -> int | None:
        """The row of the operator that a step in `blocks` belongs to, the innermost one; outside of
        any operator's block the first one with which `name` begins; None if there is none.
        """
        known = (self._byBlock[block] for block in reversed(blocks) if block in self._byBlock)
        return next(known, self.named(name))

    def named(self, name: str) -> int | None:
        """The row of the first operator whose name is `name` or its beginning, up to a slash."""
        found = self._names.of(name)
        return None if found is None else self._byName[found]


def _row(op: Op) -> dict[str, Any]:
    outputs = {tensor.id: tensor for tensor in op.output.values()}
    inputs = {tensor.id: tensor for tensor in op.input.values()}
    weights = [tensor for tensor in inputs.values() if tensor.isVariable() or tensor.isConst()]
    return {
        "name": debugPrefix(op),
        "type": op.plainType(),
        "domain": op.opid.domain,
        "output_bytes": sum(map(_bytes, outputs.values())),
        "weight_bytes": sum(map(_bytes, weights)),
    }


def _bytes(tensor: Tensor) -> int:
    return tensor.info.nbytes() if tensor.info else 0
