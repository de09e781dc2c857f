"""Lowering of remote buffers: `RemoteOpx`, the base of what reads and writes them."""

from __future__ import annotations

from collections.abc import Callable

from popir import poplar
from popir.errors import popart_exception
from popir.ir import Op
from popir.opx import Opx
from popir.poplar import RemoteBuffer, program


def staged(
    graph: poplar.Graph,
    tiles: tuple[int, int],
    kind: poplar.Type,
    elements: int,
    name: poplar.DebugContext | str,
) -> poplar.Tensor:
    """A new tensor of one dimension, linearly over `tiles`: the first, and what is behind the
    last.
    """
    linear = poplar.VariableMappingMethod.LINEAR
    on = graph.getTopLevelGraph().createVirtualGraph(*tiles)
    return on.addVariable(kind, [elements], linear, name)


class RemoteOpx(Opx):
    """An Opx that copies from or to a remote buffer. Lowering sets the members."""

    buffers: dict[str, poplar.RemoteBuffer]
    """The remote buffers of the program, by handle."""
    layout: Callable[[str], poplar.Tensor | None]
    """A new tensor in the layout that the readers of a tensor choose; None if none does."""

    ahead: Callable[[], program.Sequence]
    """Where a load may begin that is to go on while other operators compute: part of the program
    before that of this operator.
    """
    io_tiles: Callable[[], tuple[int, int]]
    """The first of the IO tiles of the IPU that operators are on now, and what is behind them."""

    def staged(self, kind: poplar.Type, elements: int) -> poplar.Tensor:
        """A new tensor of one dimension, linearly over the IO tiles."""
        return staged(self.graph(), self.io_tiles(), kind, elements, self.debugContext("io"))

    def buffer(self, handle: str, kind: poplar.Type, elements: int, rows: int) -> RemoteBuffer:
        """The buffer with this handle. Raises popart_exception if it has other rows already."""
        graph = self.graph().getTopLevelGraph()
        if handle not in self.buffers:
            self.buffers[handle] = graph.addRemoteBuffer(handle, kind, elements, rows)
        found = self.buffers[handle]
        if found.elementType() != kind or found.numElements() != elements:
            raise popart_exception(
                f"{self.getOp(Op).debugName()}: the remote buffer '{handle}' has rows of "
                f"{found.numElements()} {found.elementType()}, and this copies {elements} {kind}. "
                "Give each size a buffer."
            )
        return found
