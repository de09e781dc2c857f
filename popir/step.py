"""The program of one step: all batches, each between the host's inputs and its anchors."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from popir import poplar, popops, poprand
from popir.ir import Graph
from popir.lowering import Lowering
from popir.opx import popType
from popir.poplar import program
from popir.popops import expr as pe
from popir.progress import Logger
from popir.reserved import RANDOM_SEED
from popir.types import TensorInfo


class Returned(enum.Enum):
    """How many values of an anchor leave the device in a step."""

    Each = 0
    """One for each batch."""
    Last = 1
    """That of the last batch."""
    Sum = 2
    """The sum over the batches."""


@dataclass(frozen=True)
class Stream:
    """One stream between host and device."""

    id: str
    handle: str
    info: TensorInfo
    transfers: int
    """How often the stream is used in a step."""


def inputStream(graph: Graph, id: str, batches: int) -> Stream:
    """The stream of an input."""
    return Stream(id, f"h2d_{id}", _info(graph, id), batches)


def anchorStream(graph: Graph, id: str, returned: Returned, batches: int) -> Stream:
    """The stream of an anchor."""
    transfers = batches if returned is Returned.Each else 1
    return Stream(id, f"d2h_{id}", _info(graph, id), transfers)


def _info(graph: Graph, id: str) -> TensorInfo:
    info = graph.getTensor(id).info
    assert info is not None
    return info


@dataclass
class Step:
    """The program, and what connects it to the host."""

    program: program.Sequence
    inputs: list[Stream] = field(default_factory=list)
    anchors: list[Stream] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    """The weights and states on the device: handles of Engine.writeTensor and readTensor."""


def buildStep(
    lowering: Lowering,
    batches: int,
    anchors: Mapping[str, Returned],
    progress: Logger | None = None,
    *,
    roundsStochastically: bool = False,
) -> Step:
    """Grows all operators and puts the program of a step of `batches` batches around them.

    `progress` hears how many operators are done. Where 16-bit floats are rounded stochastically,
    the draws of each batch begin at the random seed that it finds, a tensor of the graph.
    """
    builder = _Builder(lowering, batches)
    if roundsStochastically:
        builder.roundStochastically()
    for id in lowering.ir.inputs:
        if lowering.ir.getTensor(id).uses or id in anchors:
            builder.addInput(id)
    builder.body.add(lowering.grow(progress))
    for id, returned in anchors.items():
        builder.addAnchor(id, returned)
    builder.addVariables()
    return builder.finish()


class _Builder:
    def __init__(self, lowering: Lowering, batches: int) -> None:
        self.lowering = lowering
        self.graph: poplar.Graph = lowering.graph
        self.batches = batches
        self.before = program.Sequence()
        self.body = program.Sequence()
        self.after = program.Sequence()
        self.step = Step(program.Sequence())

    def roundStochastically(self) -> None:
        """From here on, with draws that begin anew in each batch."""
        poplar.setStochasticRounding(self.graph, self.before, True)
        poprand.setSeed(self.graph, self.lowering.tensor(RANDOM_SEED), 0, self.body, "rounding")

    def addInput(self, id: str) -> None:
        """Lets the host send a tensor, anew for each batch."""
        stream = inputStream(self.lowering.ir, id, self.batches)
        kind, n = popType(stream.info), stream.info.nelms()
        fifo = self.graph.addHostToDeviceFIFO(stream.handle, kind, n)
        self.body.add(program.Copy(fifo, self.lowering.tensor(id), f"{id}/in"))
        self.step.inputs.append(stream)

    def addAnchor(self, id: str, returned: Returned) -> None:
        """Sends a tensor to the host."""
        tensor = self.lowering.tensor(id)
        if returned is Returned.Sum and self.batches > 1:
            tensor = self._summed(id, tensor)
        each = returned is Returned.Each
        stream = anchorStream(self.lowering.ir, id, returned, self.batches)
        kind, n = popType(stream.info), stream.info.nelms()
        fifo = self.graph.addDeviceToHostFIFO(stream.handle, kind, n)
        where = self.body if each or self.batches == 1 else self.after
        where.add(program.Copy(tensor, fifo, f"{id}/out"))
        self.step.anchors.append(stream)

    def _summed(self, id: str, tensor: poplar.Tensor) -> poplar.Tensor:
        total = self.graph.clone(tensor, f"{id}/sum")
        popops.zero(self.graph, total, self.before, f"{id}/sum")
        popops.mapInPlace(self.graph, pe.Add(pe._1, pe._2), [total, tensor], self.body, f"{id}/sum")
        return total

    def addVariables(self) -> None:
        """Lets the host read and write every weight and state."""
        for tensor in self.lowering.ir.tensors.values():
            if tensor.isVariable() and (tensor.uses or self.lowering.devicex.contains(tensor.id)):
                on_device = self.lowering.tensor(tensor.id)
                self.graph.createHostWrite(tensor.id, on_device)
                self.graph.createHostRead(tensor.id, on_device)
                self.step.variables.append(tensor.id)

    def finish(self) -> Step:
        """The batches, repeated, between what is done once."""
        whole = self.step.program
        whole.add(self.before)
        whole.add(program.Repeat(self.batches, self.body) if self.batches > 1 else self.body)
        whole.add(self.after)
        return self.step
