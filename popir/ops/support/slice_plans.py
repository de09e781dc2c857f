"""Plans of slices for the lowerings of gathers, as PopART's make them: one for the reads of a
table, one for the additions to its gradient.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from popir import popops
from popir.ir import Op
from popir.ops.support.shapes import product
from popir.options.annotations import AVAILABLE_MEMORY
from popir.poplar import Graph, Tensor, Type


class PlansSlices:
    """A base class of operators whose slices are planned: the annotation of
    `setAvailableMemoryProportion` says how much of a tile's memory temporary data may take.
    """


class PlannedTable(NamedTuple):
    """The slices of a table of `shape` along `axis`, of which `lookups` are taken at a time. Where
    there are several groups, dimension 0 is the group.
    """

    shape: tuple[int, ...]
    axis: int
    groups: int
    lookups: int

    @property
    def lead(self) -> int:
        """The number of group dimensions: 1, or 0 if there is only one group."""
        return int(self.groups > 1)

    def plan(self, graph: Graph, kind: Type, options: dict[str, str]) -> Any:
        """The popops.SlicePlan for slices of such a table."""
        entries = self.shape[self.axis]
        size = product(self.shape) // max(entries * self.groups, 1)
        return popops.embeddingPlan(
            graph, kind, self.groups, entries, size, [self.lookups], options
        )

    def table(
        self, graph: Graph, kind: Type, plan: Any, options: dict[str, str], name: str
    ) -> Tensor:
        """A new tensor of the table's shape, as the plan has it."""
        sizes, dims = [1] * (1 + self.lead), [self.axis]
        if self.lead:
            dims = [0, self.axis]
        return popops.createSliceableTensor(
            graph, kind, list(self.shape), dims, sizes, plan, options, name
        )


def read_options(op: Op) -> dict[str, str]:
    """The options of a plan for the slices that an operator reads."""
    return {"usedForUpdate": "false", **_memory(op)}


def add_options(op: Op) -> dict[str, str]:
    """The options of a plan for the slices that an operator adds."""
    return {"usedForSlice": "false", "operationForUpdate": "add", **_memory(op)}


def _memory(op: Op) -> dict[str, str]:
    share = op.settings.nodeAttributes.get(AVAILABLE_MEMORY)
    return {} if share is None else {"availableMemoryProportion": repr(share)}
