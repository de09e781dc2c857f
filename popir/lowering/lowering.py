"""Lowering of a graph: assigns layouts to tensors, then calls `grow` of each operator's Opx.

Called graphs become functions.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Generator, Iterable, Sequence

from popir import budget, poplar, registry
from popir._device.popart import Devicex
from popir.calling import CallingOpx, Function
from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor, TensorType
from popir.ir.graph import called_graphs
from popir.lowering.accumulation import after_accumulation
from popir.lowering.growths import Growths
from popir.lowering.layouts import LayoutFinder
from popir.lowering.owners import Owners
from popir.lowering.undeclared_writes import Checks, Watch
from popir.options.annotations import PIPELINE_STAGE
from popir.opx import Opx, block_of, host_type, popType
from popir.poplar import program
from popir.progress import Logger
from popir.remote import RemoteOpx, staged
from popir.types import FLOAT8, TensorInfo, as_bytes
from popir.virtual_graphs import Places


class Lowering:
    """The lowering of one graph to one `poplar.Graph`.

    `kept` are the ids of tensors that are read after the last operator: anchors and outputs.
    """

    def __init__(
        self,
        ir: Graph,
        target: poplar.Device | poplar.Target,
        kept: Iterable[str] = (),
        checks: Checks | None = None,
        caller: Lowering | None = None,
        places: Places | None = None,
        io_tiles: int = 0,
        ipus: int | None = None,
    ) -> None:
        """Prepares the lowering of `ir`; `grow` does it.

        `checks` says which undeclared writes and aliases are errors. `caller` is the lowering of a
        graph that calls this one; both share one device graph. `places` has the IPU of each
        operator and tensor; None spreads them over all tiles of the first `ipus` IPUs, which are
        all by default. The last `io_tiles` tiles of each IPU compute nothing.
        """
        self.ir = ir
        self._places = places
        self._target = target
        self._checks = checks or Checks()
        self.graph = caller.graph if caller else poplar.Graph(target, ir.replicas)
        self.devicex = caller.devicex if caller else _devicex_of(self.graph)
        self._within: list[int | None] = caller._within if caller else [None]
        """A stack of the IPUs selected by `_on`; None is all tiles."""
        self._io_tiles: int = caller._io_tiles if caller else io_tiles
        of = self.graph.getTarget()
        many = of.getNumIPUs() if ipus is None else ipus
        self._tiles: int = caller._tiles if caller else many * of.getTilesPerIPU()
        """The tiles of the IPUs that tensors are spread over."""
        if caller is None and self._tiles - io_tiles < of.getNumTiles():
            self._use_tiles()
        self._brought: dict[tuple[str, int], poplar.Tensor] = {}
        """Copies of tensors on other IPUs, by tensor id and IPU."""
        self.owners = caller.owners if caller else Owners()
        self._buffers: dict[str, poplar.RemoteBuffer] = caller._buffers if caller else {}
        self._growths = caller._growths if caller else Growths(self.devicex, places is None)
        self._functions: dict[Graph, Function] = caller._functions if caller else {}
        self._calls: dict[Graph, list[Op]] = caller._calls if caller else _calls(ir.ops.values())
        later = after_accumulation(ir)
        order = sorted((op for op in ir.schedule() if op not in later), key=stage_of)
        self._each = len(order)
        """The number of operators that run for each batch; the others run after accumulation."""
        order += [op for op in ir.schedule() if op in later] if later else []
        self._opxs = {op: self._opx(op) for op in order}
        self._positions = {op: now for now, op in enumerate(order)}
        self._early: program.Sequence | None = None
        """What the operator that grows now has earlier, and the position of the last operator that
        has to run before that, `_begin`.
        """
        self._begin = -1
        self._layouts = LayoutFinder(self._opxs, self.devicex, places)
        kept = {*kept, *ir.outputs}
        self._watch = Watch(ir, self.devicex, order, kept, self._checks, self._growths)

    def _opx(self, op: Op) -> Opx:
        opx = registry.createOpx(op, self.devicex)
        if isinstance(opx, CallingOpx):
            opx.function_of = self._function
        if isinstance(opx, RemoteOpx):
            opx.buffers, opx.layout, opx.io_tiles = self._buffers, self.layout, self._for_io
            opx.ahead = functools.partial(self._ahead, op)
        return opx

    @classmethod
    def alone(cls, op: Op, target: poplar.Device) -> tuple[poplar.Graph, program.Sequence]:
        """The program of one operator, whose inputs are variables, and its graph."""
        self = cls(Graph(caller=op.graph), target)
        self._calls = _calls([op])
        linear = poplar.VariableMappingMethod.LINEAR
        whole = program.Sequence()
        for tensor in dict.fromkeys(op.input.values()):
            assert tensor.info is not None
            kind, shape = popType(tensor.info), tensor.info.shape()
            self.devicex.insert(tensor.id, self.graph.addVariable(kind, shape, linear, tensor.id))
        self._opx(op).grow(whole)
        return self.graph, whole

    def _function(self, callee: Graph) -> Function:
        if callee not in self._functions:
            calls = self._calls[callee]
            at = None if self._places is None else self._places.of(calls[0])
            places = None if at is None else Places(callee, at)
            body = Lowering(callee, self._target, (), self._checks, self, places)
            self._functions[callee] = Function(self.graph, body, calls)
        return self._functions[callee]

    def grow(
        self,
        progress: Logger | None = None,
        after: program.Sequence | None = None,
        stages: Sequence[program.Sequence] = (),
    ) -> program.Sequence:
        """The program of all operators, in scheduled order. Operators that run once, after the
        batches whose gradients are accumulated, go to `after`; those of a stage of a pipeline to
        one of `stages`.

        `progress(done, total)` is called before each operator. Raises popart_exception and other
        PopirErrors of the operators' lowerings.
        """
        body = each = program.Sequence()
        parts: dict[int, _Part] = {}
        for now, (op, opx) in enumerate(self._opxs.items()):
            if now == self._each:
                each = body if after is None else after
            if progress is not None:
                progress(now, len(self._opxs))
            budget.operator(op)
            for tensor in op.input.values():
                if tensor.producer is None:
                    self._provide(tensor)
            self.owners.add(self.graph, op)
            if stages and now < self._each:
                each = stages[stage_of(op)]
            part = parts.setdefault(id(each), _Part(each))
            self._early = None
            part.add(now, self._grown(now, opx), self._early, self._begin)
        for part in parts.values():
            part.end()
        budget.done()
        return body

    def _ahead(self, op: Op) -> program.Sequence:
        """A program that runs before the operator, as early as its inputs and the operator that
        asked for the last one allow.
        """
        makers = (t.producer for t in op.input.values() if t.producer is not None)
        self._begin = max((self._positions[maker] for maker in makers), default=-1)
        self._early = program.Sequence(debugContext=block_of(op))
        return self._early

    def _grown(self, now: int, opx: Opx) -> list[program.Sequence]:
        """The program of one operator, on its IPU, after copies of its inputs from other IPUs:
        sequences, one after another, each of the name `block_of`.

        A copy is kept for later readers on that IPU, unless the operator writes to it or returns a
        view of it.
        """
        if self._places is None:
            return self._watch.grow(now, opx)
        op, ipu = opx.op_p, self._places.of(opx.op_p)
        bringing = program.Sequence(debugContext=block_of(op))
        far = [t for t in dict.fromkeys(op.input.values()) if self._places.home(t) != ipu]
        if op.opid.type == "IpuCopy":  # It reads its input where that is.
            far = []
        originals = {t.id: self.devicex.get(t.id) for t in far}
        with self._on(ipu):
            copies = {t.id: self._bring(t, ipu, bringing) for t in far}
            try:
                for id, copy in copies.items():
                    self.devicex.insert(id, copy)
                grown = self._watch.grow(now, opx)
            finally:
                for id, tensor in originals.items():
                    self.devicex.insert(id, tensor)
        if not copies:
            return grown
        shown = {v for part in grown for v in poplar.programWrites(self.graph, part)}
        shown.update(*(self.tensor(t.id).variables() for t in op.output.values()))
        for id, copy in copies.items():
            if not shown.isdisjoint(copy.variables()):
                del self._brought[id, ipu]
        return [bringing, *grown]

    def _bring(self, tensor: Tensor, ipu: int, prog: program.Sequence) -> poplar.Tensor:
        """The copy of a tensor on `ipu`; adds the copying to `prog` if there is none yet."""
        if (tensor.id, ipu) not in self._brought:
            assert tensor.info is not None
            linear = poplar.VariableMappingMethod.LINEAR
            kind, shape = popType(tensor.info), tensor.info.shape()
            copy = self.devicex.graph().addVariable(kind, shape, linear, f"{tensor.id}/ipu{ipu}")
            prog.add(program.Copy(self.devicex.get(tensor.id), copy, f"{tensor.id}/ipu{ipu}"))
            self._brought[tensor.id, ipu] = copy
        return self._brought[tensor.id, ipu]

    @contextlib.contextmanager
    def _on(self, ipu: int | None) -> Generator[None]:
        """Inside the `with` block, new vertices and variables go to the tiles of `ipu`; None
        selects all tiles.
        """
        if ipu is None and self._within == [None]:
            yield
            return
        self._within.append(ipu)
        self._use_tiles()
        try:
            yield
        finally:
            self._within.pop()
            self._use_tiles()

    def _use_tiles(self) -> None:
        target, ipu = self.graph.getTarget(), self._within[-1]
        n = target.getTilesPerIPU()
        first, last = (0, self._tiles) if ipu is None else (ipu * n, (ipu + 1) * n)
        self.devicex.useTiles(first, last - self._io_tiles)

    def _for_io(self) -> tuple[int, int]:
        """The IO tiles of the IPU selected now: the first, and what is behind the last."""
        target, ipu = self.graph.getTarget(), self._within[-1]
        last = self._tiles if ipu is None else (ipu + 1) * target.getTilesPerIPU()
        return last - self._io_tiles, last

    def staged(self, id: str, kind: poplar.Type, elements: int) -> poplar.Tensor:
        """A new tensor of one dimension, linearly over the IO tiles of the IPU that has the tensor
        `id`.
        """
        home = None if self._places is None else self._places.home(self.ir.getTensor(id))
        with self._on(home):
            return staged(self.devicex.graph(), self._for_io(), kind, elements, f"{id}/io")

    def tensor(self, id: str) -> poplar.Tensor:
        """The device tensor of `id`.

        Creates a variable, constant or stream at the first request. Raises popart_exception for the
        output of an operator that has not been lowered yet.
        """
        self._provide(self.ir.getTensor(id))
        return self.devicex.get(id)

    def _provide(self, tensor: Tensor) -> None:
        """Creates the device tensor of a variable, constant or stream that has none yet."""
        if not self.devicex.contains(tensor.id):
            self.devicex.insert(tensor.id, self._made(tensor))
            self._watch.share(tensor.id)

    def layout(self, id: str) -> poplar.Tensor | None:
        """A new tensor in the layout that the readers of `id` choose; None if none of them does."""
        return self._layouts.create(self.ir.getTensor(id), self.tensor)

    def give(self, id: str, tensor: poplar.Tensor, is_shared: bool) -> None:
        """Sets an input of a called graph. A shared input is protected from writes."""
        self.devicex.insert(id, tensor)
        self._watch.share(id)
        if is_shared:
            self._watch.keep(id)

    def functions(self) -> list[Function]:
        """The functions made so far for the graphs that this one calls, directly or not."""
        called = called_graphs(self.ir)[1:]
        return [self._functions[graph] for graph in called if graph in self._functions]

    def _made(self, tensor: Tensor) -> poplar.Tensor:
        if tensor.info is None or tensor.tensorType is TensorType.ActGrad:
            raise popart_exception(f"{tensor} has no value yet: {tensor.producer} has not grown.")
        if self._places is None:
            return self._made_here(tensor, tensor.info)
        with self._on(self._places.home(tensor)):
            return self._made_here(tensor, tensor.info)

    def _made_here(self, tensor: Tensor, info: TensorInfo) -> poplar.Tensor:
        shape, kind, graph = info.shape(), popType(info), self.devicex.graph()
        if tensor.isConst():
            assert tensor.data is not None
            data, host = as_bytes(tensor.data), host_type(info)
            # Weights of 8 bits are constants, as nothing trains them; they lie as weights do.
            if info.dataType() in FLOAT8 and (laid := self._layouts.create(tensor, self.tensor)):
                graph.setInitialValue(laid.reinterpret(host), data)
                return laid
            constant = graph.addConstant(host, shape, data, tensor.id)
            self.devicex.mapLinearly(constant)
            return constant.reinterpret(kind)
        created = self._layouts.create(tensor, self.tensor)
        if created is None:
            created = graph.addVariable(kind, shape, tensor.id)
            self.devicex.mapLinearly(created)
        return created


class _Part:
    """The programs of operators that go to one part of a step, one after another."""

    def __init__(self, whole: program.Sequence) -> None:
        self._whole = whole
        self._programs: list[program.Sequence] = []
        self._last: tuple[int, int] = -1, 0
        """The position of the last operator with a program that runs earlier, and the number of
        programs up to its own.
        """

    def add(
        self,
        now: int,
        grown: Sequence[program.Sequence],
        early: program.Sequence | None = None,
        begin: int = -1,
    ) -> None:
        """Adds the program of the operator with position `now`. `early` comes as soon as the last
        operator that had such a program has run; before this one, if it needs an operator after
        that, with position `begin`.
        """
        if early is not None:
            last, at = self._last
            self._programs.insert(at if begin <= last else len(self._programs), early)
        self._programs += grown
        if early is not None:
            self._last = now, len(self._programs)

    def end(self) -> None:
        """Adds all programs to the whole."""
        for each in self._programs:
            self._whole.add(each)


def stage_of(op: Op) -> int:
    """The stage of a pipeline that an operator is in; 0 if there is none."""
    return op.settings.nodeAttributes.get(PIPELINE_STAGE, 0)


def _devicex_of(graph: poplar.Graph) -> Devicex:
    """A Devicex with its own graph object, which `useTiles` can restrict to one IPU's tiles."""
    return Devicex(graph.getTopLevelGraph())


def _calls(ops: Iterable[Op]) -> dict[Graph, list[Op]]:
    """Maps each graph that the operators call, directly or not, to the operators that call it."""
    found: dict[Graph, list[Op]] = {}
    stack = [
        op
        for op in ops
        if type(op).getCalledGraphs is not Op.getCalledGraphs and op.getCalledGraphs()
    ]
    while stack:
        op = stack.pop()
        for callee in op.getCalledGraphs():
            if callee not in found:
                stack += [each for each in callee.ops.values() if each.getCalledGraphs()]
            found.setdefault(callee, []).append(op)
    return found
