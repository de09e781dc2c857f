"""The program of one step: for each batch, read the inputs, run the graph, write the anchors."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from popir import poplar, popops, poprand
from popir.enums import ExchangeStrategy
from popir.ir import Graph
from popir.lowering.accumulation import after_accumulation
from popir.lowering.lowering import Lowering, stage_of
from popir.options import SessionOptions
from popir.opx import host_type
from popir.poplar import program
from popir.popops import expr as pe
from popir.progress import Logger
from popir.reserved import RANDOM_SEED
from popir.types import TensorInfo


class Returned(enum.Enum):
    """The values of an anchor that the device sends in a step."""

    Each = 0
    """One value for each batch."""
    Last = 1
    """The value of the last batch."""
    Sum = 2
    """The sum over all batches."""


@dataclass(frozen=True)
class Stream:
    """A stream between host and device: the tensor's id and type, and the stream's handle."""

    id: str
    handle: str
    info: TensorInfo
    transfers: int
    """The number of transfers in a step."""
    parts: int = 1
    """The number of tensors that a transfer has, one for each copy within loops."""


@dataclass(frozen=True)
class Loops:
    """The loops of a step."""

    updates: int = 1
    """How often a step updates the weights: the batches per step."""
    accumulated: int = 1
    """The micro-batches whose gradients are accumulated for each update."""
    stages: int = 1
    """The stages of the pipeline that these micro-batches, or without accumulation the batches of
    the step, go through.
    """

    def runs(self, graph: Graph, id: str) -> int:
        """How often a step computes the tensor `id`."""
        return self.updates * self.within(graph, id)

    def within(self, graph: Graph, id: str) -> int:
        """How often the tensor is computed for each update of the weights."""
        if self.accumulated == 1 or graph.getTensor(id).producer in after_accumulation(graph):
            return 1
        return self.accumulated


@dataclass(frozen=True)
class ByIOTiles:
    """What travels by the IO tiles, and not from or to the tiles that compute."""

    inputs: Mapping[str, ExchangeStrategy] = field(default_factory=dict)
    """When inputs come, by id."""
    anchors: Collection[str] = ()

    def overlaps(self) -> bool:
        """Whether an input comes while another batch is computed."""
        return any(each is not ExchangeStrategy.JustInTime for each in self.inputs.values())


def input_stage(graph: Graph, id: str) -> int:
    """The stage of a pipeline in which an input comes: the first that reads it."""
    return min(map(stage_of, graph.getTensor(id).uses), default=0)


def anchor_stage(graph: Graph, id: str) -> int:
    """The stage in which an anchor leaves: where it is made."""
    producer = graph.getTensor(id).producer
    return stage_of(producer) if producer else input_stage(graph, id)


def input_stream(graph: Graph, id: str, loops: Loops) -> Stream:
    """The stream of the input `id`, with one transfer for each batch."""
    transfers = loops.updates * loops.accumulated
    return Stream(id, f"h2d_{id}", _info(graph, id), transfers, graph.copied.get(id, 1))


def anchor_stream(graph: Graph, id: str, returned: Returned, loops: Loops) -> Stream:
    """The stream of the anchor `id`, with one transfer for each batch or for each step."""
    transfers = loops.runs(graph, id) if returned is Returned.Each else 1
    return Stream(id, f"d2h_{id}", _info(graph, id), transfers, graph.copied.get(id, 1))


def _info(graph: Graph, id: str) -> TensorInfo:
    info = graph.getTensor(id).info
    assert info is not None
    return info


@dataclass
class Step:
    """The program of a step, its streams, and the variables the host may access."""

    program: program.Sequence
    inputs: list[Stream] = field(default_factory=list)
    anchors: list[Stream] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    """The ids of weights and states; also handles of Engine.writeTensor and readTensor, or those
    of remote buffers for what is off chip.
    """


def build_step(
    lowering: Lowering,
    loops: Loops,
    anchors: Mapping[str, Returned],
    progress: Logger | None = None,
    *,
    rounds_stochastically: bool = False,
    by_io: ByIOTiles | None = None,
) -> Step:
    """Lowers all operators and builds the program of a step, with its `loops`, around them.

    `progress(done, total)` is called before each operator. With `rounds_stochastically`, each batch
    starts the random numbers for the rounding of 16-bit floats from its random seed, a tensor of
    the graph. `by_io` says what travels by the IO tiles.
    """
    builder = _Builder(lowering, loops, by_io or ByIOTiles())
    if rounds_stochastically:
        builder.round_stochastically()
    for id in lowering.ir.inputs:
        if lowering.ir.getTensor(id).uses or id in anchors:
            builder.add_input(id)
    builder.add_behind()
    builder.body.add(lowering.grow(progress, builder.outer, builder.stages))
    for id, returned in anchors.items():
        builder.add_anchor(id, returned)
    builder.add_behind()
    builder.add_variables()
    return builder.finish()


class _Builder:
    def __init__(self, lowering: Lowering, loops: Loops, by_io: ByIOTiles) -> None:
        self.lowering = lowering
        self.options = lowering.ir.session_options or SessionOptions()
        self.by_io = by_io
        self.ahead = [
            {
                strategy: program.Sequence()
                for strategy in (ExchangeStrategy.OverlapInnerLoop, ExchangeStrategy.OverlapLoops)
            }
            for _ in range(loops.stages)
        ]
        """For each stage, of which there is one without a pipeline: what brings the inputs of the
        next batch, where all batches of the loops in question have a next one, by strategy.
        """
        self.behind: list[tuple[program.Sequence, program.Copy]] = []
        """The second copies of tensors that travel by IO tiles, and where they go, behind all first
        ones: so streams follow one another.
        """
        self.arrivals = [program.Sequence() for _ in self.ahead] if by_io.overlaps() else []
        """For each stage, what runs at the beginning of a batch, before the next one is on its way;
        [] if that never is.
        """
        self.graph: poplar.Graph = lowering.graph
        self.loops = loops
        self.before = program.Sequence()
        self.body = program.Sequence()
        """What runs for each batch."""
        n = loops.stages
        self.stages = [program.Sequence() for _ in range(n)] if n > 1 else []
        """What each stage of a pipeline runs for each batch."""
        self.outer = program.Sequence()
        """What runs once after the batches whose gradients are accumulated."""
        self.after = program.Sequence()
        self.step = Step(program.Sequence())

    def round_stochastically(self) -> None:
        """Switches stochastic rounding on, and sets its seed at the start of each batch."""
        poplar.setStochasticRounding(self.graph, self.before, True)
        seed, each = self.lowering.tensor(RANDOM_SEED), self._of_stage(0)
        if self.lowering.ir.replicas > 1:
            # The upper word differs between replicas, which must round their weights alike.
            zero = self.graph.addConstant(poplar.UNSIGNED_INT, [1], 0, "upper word")
            self.graph.setTileMapping(zero, 0)
            seed = poplar.concat([seed.slice(0, 1), zero])
        poprand.setSeed(self.graph, seed, 0, each, "rounding")

    def add_input(self, id: str) -> None:
        """Adds the stream of an input, which the host sends for each batch."""
        stream = input_stream(self.lowering.ir, id, self.loops)
        kind, n = host_type(stream.info), stream.info.nelms()
        fifo = self.graph.addHostToDeviceFIFO(stream.handle, kind, n)
        on_device = self.lowering.tensor(id).reinterpret(kind)
        stage = input_stage(self.lowering.ir, id) if self.stages else 0
        entering = self.arrivals[stage] if self.arrivals else self._of_stage(stage)
        strategy = self.by_io.inputs.get(id)
        if strategy is None:
            by_host = self.options.rearrangeStreamsOnHost
            entering.add(program.Copy(fifo, on_device, f"{id}/in", optimiseMemory=by_host))
        else:
            staged = self.lowering.staged(id, kind, n)
            self.ahead[stage].get(strategy, entering).add(program.Copy(fifo, staged, f"{id}/in"))
            after = program.Copy(staged, on_device.flatten(), f"{id}/from io")
            self.behind.append((entering, after))
        self.step.inputs.append(stream)

    def add_behind(self) -> None:
        """Adds the second copies of tensors that travel by IO tiles."""
        for where, copy in self.behind:
            where.add(copy)
        self.behind.clear()

    def _of_stage(self, stage: int) -> program.Sequence:
        """What runs for each batch, in a stage if there is a pipeline."""
        return self.stages[stage] if self.stages else self.body

    def add_anchor(self, id: str, returned: Returned) -> None:
        """Adds the stream of an anchor to the host, and its sum over the batches if wanted."""
        tensor = self.lowering.tensor(id)
        runs, within = (f(self.lowering.ir, id) for f in (self.loops.runs, self.loops.within))
        stage = anchor_stage(self.lowering.ir, id)
        is_inside = within == self.loops.accumulated
        inside = self._of_stage(stage) if is_inside else self.outer
        if returned is Returned.Sum and runs > 1:
            tensor = self._summed(id, tensor, inside)
        each = returned is Returned.Each
        stream = anchor_stream(self.lowering.ir, id, returned, self.loops)
        kind, n = host_type(stream.info), stream.info.nelms()
        fifo = self.graph.addDeviceToHostFIFO(stream.handle, kind, n)
        tensor = tensor.reinterpret(kind)
        where = inside if each or runs == 1 else self.after
        if id in self.by_io.anchors:
            staged = self.lowering.staged(id, kind, n)
            where.add(program.Copy(tensor.flatten(), staged, f"{id}/to io"))
            self.behind.append((where, program.Copy(staged, fifo, f"{id}/out")))
        else:
            by_host = self.options.rearrangeAnchorsOnHost
            where.add(program.Copy(tensor, fifo, f"{id}/out", optimiseMemory=by_host))
        self.step.anchors.append(stream)

    def _summed(self, id: str, tensor: poplar.Tensor, inside: program.Sequence) -> poplar.Tensor:
        total = self.graph.clone(tensor, f"{id}/sum")
        popops.zero(self.graph, total, self.before, f"{id}/sum")
        popops.mapInPlace(self.graph, pe.Add(pe._1, pe._2), [total, tensor], inside, f"{id}/sum")
        return total

    def add_variables(self) -> None:
        """Makes every weight and state readable and writable by the host."""
        for tensor in self.lowering.ir.tensors.values():
            if tensor.is_variable() and (tensor.uses or self.lowering.devicex.contains(tensor.id)):
                assert tensor.info is not None
                kind = host_type(tensor.info)
                on_device = self.lowering.tensor(tensor.id).reinterpret(kind)
                self.graph.createHostWrite(tensor.id, on_device)
                self.graph.createHostRead(tensor.id, on_device)
                self.step.variables.append(tensor.id)

    def finish(self) -> Step:
        """The whole program: what runs once before, the batches in a loop, in another one for each
        update, and what runs once after.
        """
        whole = self.step.program
        whole.add(self.before)
        if self.stages:
            whole.add(self._pipelines())
            whole.add(self.after)
            return self.step
        if self.arrivals:
            whole.add(self._overlapped(*self.arrivals))
            whole.add(self.after)
            return self.step
        body, updates, accumulated = self.body, self.loops.updates, self.loops.accumulated
        if accumulated > 1:
            body = program.Repeat(accumulated, body)
        body = program.Sequence([body, self.outer])
        whole.add(program.Repeat(updates, body) if updates > 1 else body)
        whole.add(self.after)
        return self.step

    def _overlapped(self, arrival: program.Sequence) -> program.Sequence:
        """The batches, each of which begins with the copy of inputs from the IO tiles, and then has
        the next ones come there. The last batch of a loop, in which nothing more is to come, is
        apart from the others.
        """
        inner, all_ = self.ahead[0].values()
        within, without = self.loops.accumulated, self.loops.updates
        after_each, after_all = program.Sequence(), self.outer
        if within == 1:
            within, without, after_each, after_all = without, 1, self.outer, after_each
        batch = self.graph.addFunction(self.body)

        def one(more: bool, more_at_all: bool) -> program.Sequence:
            next_ = [ahead for ahead, is_one in ((inner, more), (all_, more_at_all)) if is_one]
            return program.Sequence([arrival, *next_, program.Call(batch), after_each])

        def loop(more: bool) -> program.Sequence:
            others = [program.Repeat(within - 1, one(True, True))] if within > 1 else []
            return program.Sequence([inner, *others, one(False, more), after_all])

        loops = [program.Repeat(without - 1, loop(True))] if without > 1 else []
        return program.Sequence([all_, *loops, loop(False)])

    def _pipelines(self) -> program.Sequence:
        """A pipeline for each update, or one for all batches. Inputs that come beside compute are
        on their way to the first batch before it begins, and after the last one of a pipeline if
        another follows and the strategy says so.
        """
        batches, updates = self.loops.accumulated, self.loops.updates
        if batches == 1:
            batches, updates = updates, 1
        inner, all_ = zip(*(each.values() for each in self.ahead), strict=True)

        def one(more: bool) -> program.Sequence:
            first = inner if self.arrivals else ()
            return program.Sequence([self.body, *first, self._pipeline(batches, more), self.outer])

        def repeated(times: int, more: bool) -> list[program.Program]:
            return [program.Repeat(times, one(more))] if times > 1 else [one(more)] * times

        if not self.arrivals:
            return program.Sequence(repeated(updates, more=False))
        return program.Sequence([*all_, *repeated(updates - 1, more=True), one(more=False)])

    def _pipeline(self, batches: int, more: bool) -> program.Sequence:
        """The cycles of the pipeline: those in which it fills, those in which all stages run, in a
        loop, and those in which it drains. In a cycle, later stages run first. `more` says whether
        another pipeline follows.
        """
        n = len(self.stages)

        def stage(s: int, is_last: bool) -> program.Sequence:
            if not self.arrivals:
                return self.stages[s]
            inner, all_ = self.ahead[s].values()
            next_ = [*([] if is_last else [inner]), *([] if is_last and not more else [all_])]
            return program.Sequence([self.arrivals[s], *next_, self.stages[s]])

        def cycle(now: int) -> program.Sequence:
            active = (s for s in reversed(range(n)) if 0 <= now - s < batches)
            return program.Sequence([stage(s, now - s == batches - 1) for s in active])

        # In the last cycle in which all stages run, the first one may have no next batch.
        alike = batches - n + (0 if self.arrivals else 1)
        if alike < 1:
            return program.Sequence([cycle(now) for now in range(batches + n - 1)])
        fill = [cycle(now) for now in range(n - 1)]
        others = [cycle(now) for now in range(n - 1 + alike, batches + n - 1)]
        return program.Sequence([*fill, program.Repeat(alike, cycle(n - 1)), *others])
