"""Maps parts of a program to operators of the model: `Operators`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from popir.ir import Graph, Tensor
from popir.profile.names import Place, beginning, places


class Operators:
    """The operators of a compiled graph in the order in which they run; those of a called graph
    once for each call.
    """

    def __init__(self, graph: Graph) -> None:
        found = list(places(graph))
        self.rows = [_row(place) for place in found]
        """Name, type, domain, and bytes of outputs and weights of each operator."""
        self._by_blocks = {place.blocks: row for row, place in enumerate(found)}
        self._by_name = {place.name: row for row, place in reversed(list(enumerate(found)))}

    def behind(self, blocks: Sequence[str], name: str) -> int | None:
        """The row of the operator that a step belongs to; None if there is none.

        That is the operator of the innermost of the sequences `blocks`. Outside of all operators'
        sequences, it is found by `name`.
        """
        within = (tuple(blocks[:n]) for n in range(len(blocks), 0, -1))
        known = (self._by_blocks[some] for some in within if some in self._by_blocks)
        return next(known, self.named(name))

    def named(self, name: str) -> int | None:
        """The row of the first operator with this name, or with the longest path prefix of it; None
        if there is none.
        """
        return beginning(name, self._by_name)


def _row(place: Place) -> dict[str, Any]:
    op = place.op
    outputs = {tensor.id: tensor for tensor in op.output.values()}
    weights = [tensor for tensor in place.inputs if tensor.is_variable() or tensor.isConst()]
    return {
        "name": place.name,
        "type": op.plainType(),
        "domain": op.opid.domain,
        "output_bytes": sum(map(_bytes, outputs.values())),
        "weight_bytes": sum(map(_bytes, weights)),
    }


def _bytes(tensor: Tensor) -> int:
    return tensor.info.nbytes() if tensor.info else 0
