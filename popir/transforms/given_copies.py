"""Exchanges of a graph that a program has made: copies from and to the host, and rows of remote
buffers.

The host sends a tensor once for each batch, and gets one. A program whose loops are operators of
its graph copies within their bodies instead. Here such a body reads a slice of what the host sends
for all iterations at once, and what it stores is put together: a scanned input and a scan output of
the loop. So an input of a loop of 4 iterations within one of 3 has the shape [3, 4, ...].

Each load of a stream gets the host's next tensor. Several in one graph take slices of what the host
sends for all of them, in the order in which they are scheduled: with two in a loop of 3 iterations
the input has the shape [3, 2, ...]. Several loops in one graph do the same: with one of 3 and one
of 2 iterations it has the shape [5, ...].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from popir import registry
from popir._device import popart as device
from popir.adding import replace_tensor, take_place
from popir.errors import AnchorError, did_you_mean, popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ir.graph import called_graphs
from popir.ops.control.loop_op import FIRST, LoopOp
from popir.ops.support.decomposition import Decomposer
from popir.reserved import reservedRemoteArgPrefix
from popir.types import DataType, TensorInfo

LOADS = ("HostLoad", "HostLoadInplace")
STORE = "HostStore"
REMOTE_LOADS = ("RemoteLoad", "RemoteLoadInplace")
REMOTE_STORE = "RemoteStore"
SEVERAL = "MultiExchange"
EXCHANGES = (*LOADS, STORE, *REMOTE_LOADS, REMOTE_STORE, SEVERAL)

_GRAPHCORE = "ai.graphcore"
_ROW = TensorInfo(DataType.INT32, [1])


@dataclass
class _Exchange:
    """One of the exchanges of an operator."""

    kind: str
    resource: str
    """The stream's tensor, or the number of the remote buffer."""
    inputs: list[Tensor]
    output: Tensor | None

    @property
    def is_remote(self) -> bool:
        """Whether it is with a remote buffer."""
        return self.kind in (*REMOTE_LOADS, REMOTE_STORE)


@dataclass
class _Load:
    """What a graph loads of a stream."""

    stream: str
    tensor: Tensor
    """All that it loads."""
    who: str
    """What loads it, for messages."""
    copies: int = 1
    """How many tensors the host sends for it."""
    loop: LoopOp | None = None
    """The loop of the graph that loads it, if one does."""


@dataclass
class Copies:
    """Takes exchanges out of a graph and those that it calls. `sent` has the tensor that the host
    gets for each anchor, `show` makes a tensor of the main graph an anchor, and `rows` has the
    number of rows of the remote buffers of which the program has said it.
    """

    graph: Graph
    sent: Mapping[str, str]
    show: Callable[[str, str], None]
    rows: Mapping[int, int]
    _loaded: dict[Graph, list[_Load]] = field(default_factory=dict)
    _stored: dict[Graph, list[tuple[str, Tensor]]] = field(default_factory=dict)
    _storers: dict[str, str] = field(default_factory=dict)
    """The operator that stores an anchor."""

    def take(self, op: Op) -> None:
        """Takes an operator out. What is on the host waits for `lift`, if a loop stands around it.

        Raises popart_exception for a load of what is no stream, and for a remote buffer without a
        number; AnchorError for a store of what is no anchor.
        """
        graph, who = op.graph, op.debugName()
        found = _exchanges(op)
        befores, afters = graph.befores(op), graph.afters(op)
        for each in found:
            if each.kind in LOADS:
                self._check_stream(each.resource, who)
        anchors = {id(e): self._anchor(e, who) for e in found if e.kind == STORE}
        settings = Op.Settings(graph, op.name())
        graph.eraseOp(op.id)
        for each in found:
            if each.is_remote:
                made = self._remote(each, graph, who, settings)
                for before in befores:
                    graph.addConstraint(before, made)
                for after in afters:
                    graph.addConstraint(made, after)
            elif each.kind == STORE:
                self._store(graph, anchors[id(each)], each.inputs[0])
            else:
                assert each.output is not None
                self._loaded.setdefault(graph, []).append(_Load(each.resource, each.output, who))
            if each.output is not None:
                _drop(each.inputs[0])

    def _check_stream(self, stream: str, who: str) -> None:
        if stream not in self.graph.inputs:
            raise popart_exception(
                f"{who} loads '{stream}', which is no stream of the main graph."
                f"{did_you_mean(stream, self.graph.inputs)} Tensors::addStream adds one."
            )

    def _anchor(self, each: _Exchange, who: str) -> str:
        id = each.resource
        anchor = next((a for a, given in self.sent.items() if id in (a, given)), None)
        if anchor is None:
            raise AnchorError(
                f"{who} gives the host '{id}', which is no anchor.{did_you_mean(id, self.sent)} "
                "Name it in the data flow."
            )
        if other := self._storers.get(anchor):
            raise AnchorError(
                f"{who} gives the host '{id}', and so does {other}; an anchor is stored by one "
                "operator. Give each an anchor."
            )
        self._storers[anchor] = who
        return anchor

    def _store(self, graph: Graph, anchor: str, stored: Tensor) -> None:
        if graph is self.graph:
            self.show(stored.id, anchor)
        else:
            self._stored.setdefault(graph, []).append((anchor, stored))

    def lift(self) -> None:
        """Moves the host's copies of bodies to the graph around their loops, up to the main one.

        Raises popart_exception for copies in a graph that something else than one loop calls, and
        in a loop of which only the run knows how often it runs; and for a stream that a graph
        loads, and a loop in it.
        """
        for body in reversed(called_graphs(self.graph)):
            if body is self.graph:
                continue
            loads, stores = self._loaded.pop(body, []), self._stored.pop(body, [])
            if not loads and not stores:
                continue
            loop = self._loop_of(
                body, [*(each.stream for each in loads), *(id for id, _ in stores)]
            )
            for each in self._joined(body, loads):
                self._load_slices(loop, each)
            for anchor, inside in stores:
                loop.body.outputs.append(inside.id)
                loop.reversed_outputs.append(0)
                self._store(loop.graph, anchor, loop.outTensor(loop.connect_last()))
                self._count(anchor, loop)
        for each in self._joined(self.graph, self._loaded.pop(self.graph, [])):
            id = each.tensor.id
            if each.copies > 1 or each.loop is not None:
                assert each.tensor.info is not None
                self.graph.copied[each.stream] = each.copies
                how = each.who if each.loop is None else f"loaded in {each.who}"
                self._resize(each.stream, each.tensor.info, how)
            replace_tensor(each.tensor, self.graph.getTensor(each.stream))
            if id in self._storers:
                self.show(each.stream, id)

    def _joined(self, graph: Graph, loads: list[_Load]) -> list[_Load]:
        """One load of each stream: several are slices of one, in their order."""
        of_stream: dict[str, list[_Load]] = {}
        for each in loads:
            of_stream.setdefault(each.stream, []).append(each)
        return [
            several[0] if len(several) == 1 else self._together(graph, several)
            for several in of_stream.values()
        ]

    def _together(self, graph: Graph, several: list[_Load]) -> _Load:
        stream, loops = several[0].stream, [each for each in several if each.loop is not None]
        if loops and len(loops) < len(several):
            alone = next(each for each in several if each.loop is None)
            raise popart_exception(
                f"{alone.who} loads '{stream}', and so does {loops[0].who}; the order of their "
                "tensors from the host is not known. Load it in one graph, or give each a stream."
            )
        if loops:
            places = {op.id: i for i, op in enumerate(graph.schedule())}
            several = sorted(several, key=lambda each: places[each.loop.id] if each.loop else 0)
        info, copies = several[0].tensor.info, sum(each.copies for each in several)
        assert info is not None
        if loops:
            info = self.graph.getTensor(stream).info
            assert info is not None
        together = graph.addActGrad(graph.uniqueId(f"{graph.name}/{stream}/all"))
        together.info = TensorInfo(info.dataType(), [copies, *info.shape()])
        start = 0
        for each in several:
            self._take_slices(graph, together, start, each)
            start += each.copies
        return _Load(stream, together, f"loaded {len(several)} times", copies)

    def _take_slices(self, graph: Graph, together: Tensor, start: int, load: _Load) -> None:
        """Makes what is loaded the slices from `start` on."""
        if load.loop is None:
            self._take_slice(graph, together, start, load.tensor)
            return
        on = Decomposer(load.loop, load.tensor.id)
        assert load.tensor.info is not None
        numbers = ([start], [start + load.copies], [0])
        bounds = [on.const(n, np.dtype(np.int64)) for n in numbers]
        slices = on.add("ai.onnx", "Slice", 13, [together, *bounds], 1, {})
        assert isinstance(slices, Tensor)
        take_place(load.tensor, on.reshape(slices, load.tensor.info.shape()))

    def _take_slice(self, graph: Graph, together: Tensor, i: int, tensor: Tensor) -> None:
        """Makes the tensor the slice `i` of one."""
        settings = Op.Settings(graph, f"{tensor.id}/load")
        place = graph.addConstInit(graph.uniqueId(f"{tensor.id}/place"), np.array(i))
        made = ("ai.onnx", "Gather", 13, settings, {"axis": 0}, [together, place])
        out = {0: graph.uniqueId(f"{tensor.id}/slice")}
        inputs = {0: together.id, 1: place.id}
        op = graph.createConnectedOp(registry.createOp, inputs, out, *made)
        take_place(tensor, op.outTensor(0))

    def _resize(self, stream: str, info: TensorInfo, how: str) -> None:
        """Gives a stream the shape of all its copies; nothing else may read it."""
        outside = self.graph.getTensor(stream)
        if outside.uses:
            raise popart_exception(
                f"'{stream}' is read in the main graph, and {how}, so that each copy is a slice of "
                "it. Give each a stream."
            )
        outside.info = info

    def _count(self, id: str, loop: LoopOp) -> None:
        """Notes that the loop copies what the host sends or gets by `id` in each iteration."""
        self.graph.copied[id] = loop.trip * self.graph.copied.get(id, 1)

    def _loop_of(self, body: Graph, copied: list[str]) -> LoopOp:
        graphs = called_graphs(self.graph)
        callers = [op for g in graphs for op in g.ops.values() if body in op.getCalledGraphs()]
        loop = callers[0] if callers else None
        if not isinstance(loop, LoopOp) or len(callers) > 1:
            raise popart_exception(
                f"'{copied[0]}' is copied from or to the host in '{body.name}', a graph that is "
                "called; popir does so in the main graph, and in the body of a loop that nothing "
                "else calls. Copy there, and give the called graph the tensor as an input."
            )
        if loop.is_counted:
            raise popart_exception(
                f"{loop.debugName()} copies '{copied[0]}' from or to the host, and only the run "
                "knows how often it runs. Give it a trip count (setTripCountValue), and leave its "
                "condition as it is."
            )
        return loop

    def _load_slices(self, loop: LoopOp, load: _Load) -> None:
        """Gives the body the tensor as a slice of one outside of it."""
        inside, stream = load.tensor, load.stream
        assert inside.info is not None
        outside = loop.graph.addActGrad(loop.graph.uniqueId(f"{loop.graph.name}/{stream}"))
        outside.info = TensorInfo(inside.info.dataType(), [loop.trip, *inside.info.shape()])
        at = loop.carried + loop.scanned
        captures = {i: t for i, t in loop.input.items() if i >= FIRST + at}
        for i in captures:
            loop.disconnectInTensor(i)
        loop.connectInTensor(FIRST + at, outside.id)
        for i, tensor in captures.items():
            loop.connectInTensor(i + 1, tensor.id)
        loop.body.setInputs([*loop.body.inputs[: 1 + at], inside.id, *loop.body.inputs[1 + at :]])
        loop.scanned += 1
        loop.reversed_inputs.append(0)
        self._loaded.setdefault(loop.graph, []).append(
            _Load(stream, outside, loop.debugName(), loop.trip * load.copies, loop)
        )

    def _remote(self, each: _Exchange, graph: Graph, who: str, settings: Op.Settings) -> Op:
        """The compiler's operator for an exchange with a remote buffer."""
        number = int(each.resource)
        if number < 0:
            raise popart_exception(
                f"{who} names no remote buffer. Give it the number of one (setRemoteBufferId)."
            )
        local = each.inputs[0]
        assert local.info is not None
        row = self._row(each.inputs[1] if len(each.inputs) > 1 else None, graph, settings, who)
        attributes = {
            "remote_buffer": f"RB_{number}",
            "rows": max(1, self.rows.get(number, 1)),
            "io_tiles": False,
        }
        if each.kind == REMOTE_STORE:
            out = {0: graph.uniqueId(f"{local.id}/stored")}
            made = ("RemoteStore", 1, settings, attributes, [local, row])
            inputs = {0: local.id, 1: row.id}
            return graph.createConnectedOp(registry.createOp, inputs, out, _GRAPHCORE, *made)
        assert each.output is not None
        attributes |= {
            "ahead": False,
            "data_type": local.info.dataType().name,
            "shape": list(local.info.shape()),
        }
        made = ("RemoteLoad", 1, settings, attributes, [row])
        out = {0: graph.uniqueId(f"{each.output.id}/loaded")}
        op = graph.createConnectedOp(registry.createOp, {0: row.id}, out, _GRAPHCORE, *made)
        take_place(each.output, op.outTensor(0))
        return op

    def _row(self, given: Tensor | None, graph: Graph, settings: Op.Settings, who: str) -> Tensor:
        """The number of a row as RemoteLoad and RemoteStore take it."""
        if given is None:
            id = graph.uniqueId(f"{reservedRemoteArgPrefix()}{settings.name}")
            return graph.addConstInit(id, np.zeros(1, np.int32))
        assert given.info is not None
        if given.info.nelms() != 1 or not given.info.dataType().is_integer:
            raise popart_exception(
                f"{who}: '{given.id}', {given.info}, is not the number of a row of a remote "
                "buffer. Give it one integer."
            )
        for type, info, attributes in (
            ("Cast", TensorInfo(DataType.INT32, given.info.shape()), {"to": DataType.INT32.onnx}),
            ("Reshape", _ROW, {}),
        ):
            if given.info == info:
                continue
            inputs = {0: given.id}
            if type == "Reshape":
                shape = graph.addConstInit(graph.uniqueId(f"{given.id}/shape"), np.array([1]))
                inputs[1] = shape.id
            tensors = [graph.getTensor(i) for i in inputs.values()]
            made = ("ai.onnx", type, 13, settings, attributes, tensors)
            out = {0: graph.uniqueId(f"{given.id}/row")}
            given = graph.createConnectedOp(registry.createOp, inputs, out, *made).outTensor(0)
            assert given.info is not None
        return given


def _exchanges(op: Op) -> list[_Exchange]:
    """The exchanges of an operator, in their order."""
    noted = dict(device.attributeTexts(op, True))
    inputs = [op.inTensor(i) for i in sorted(op.input)]
    outputs = [op.outTensor(i) for i in sorted(op.output)]
    type = op.opid.type
    if type != SEVERAL:
        resource = noted.get("hostStreamTensorId") or noted.get("remoteBufferId") or "-1"
        return [_Exchange(type, resource, inputs, outputs[0] if outputs else None)]
    found = []
    for i in range(len(noted)):
        text = noted.get(f"exchange{i}")
        if text is None:
            break
        kind, resource = text.removesuffix(")").split("(", 1)
        taken = [inputs.pop(0) for _ in range(int(noted[f"exchange{i}Inputs"]))]
        is_store = kind in (STORE, REMOTE_STORE)
        found.append(_Exchange(kind, resource, taken, None if is_store else outputs.pop(0)))
    return found


def _drop(filled: Tensor) -> None:
    """Removes what computed a tensor that is filled, if nothing else reads it."""
    producer = filled.producer
    if producer is not None and not filled.uses and len(producer.output) == 1:
        producer.graph.eraseOp(producer.id)
        producer.graph.removeTensor(filled.id)
