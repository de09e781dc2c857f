"""Which operator of the model a part of the program belongs to: `Operators`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from popir.ir import Graph, Tensor
from popir.profile.names import Place, beginning, places


class Operators:
    """The operators of a compiled graph in the order in which they run, those of a called graph
    once for each call.
    """

    def __init__(self, graph: Graph) -> None:
        found = list(places(graph))
        self.rows = [_row(place) for place in found]
        """Name, type, domain, and bytes of results and weights of each."""
        self._byBlocks = {place.blocks: row for row, place in enumerate(found)}
        self._byName = {place.name: row for row, place in reversed(list(enumerate(found)))}

    def behind(self, blocks: Sequence[str], name: str) -> int | None:
        """The row of the operator that a step in `blocks` belongs to, the innermost one; outside of
        any operator's blocks the first one with which `name` begins; None if there is none.
        """
        within = (tuple(blocks[:n]) for n in range(len(blocks), 0, -1))
        known = (self._byBlocks[some] for some in within if some in self._byBlocks)
        return next(known, self.named(name))

    def named(self, name: str) -> int | None:
        """The row of the first operator whose name is `name` or its beginning, up to a slash."""
        return beginning(name, self._byName)


def _row(place: Place) -> dict[str, Any]:
    op = place.op
    outputs = {tensor.id: tensor for tensor in op.output.values()}
    weights = [tensor for tensor in place.inputs if tensor.isVariable() or tensor.isConst()]
    return {
        "name": place.name,
        "type": op.plainType(),
        "domain": op.opid.domain,
        "output_bytes": sum(map(_bytes, outputs.values())),
        "weight_bytes": sum(map(_bytes, weights)),
    }


def _bytes(tensor: Tensor) -> int:
    return tensor.info.nbytes() if tensor.info else 0
