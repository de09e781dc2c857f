"""Batch serialization: the forward pass is computed in parts of the batch, one after another.

An input is cut along its batch: dimension 0, or the one that its first reader calls so. What is
computed from it is cut in turn, as far as operators work on each part by itself
(`Op.dimensionNames`). Operators in parts that follow one another are a *segment*. It ends where one
reads a result whole, or where the IPU, the execution phase or the stage changes: there the parts
are joined. Where an operator sums over the batch, as a loss does, the whole is the sum or the mean
of the parts'.

Unrolled, a segment is there once for each part: all operators of the first part, then all of the
second one. Split and Concat are views. As a loop, a segment is the body of one, which reads
and writes slices.

This runs before autodiff. So the backward pass is in parts too, the last one first: it is the
gradient of these operators, or of the loop. The gradient of a weight is the sum of the parts'.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from popir.enums import BatchSerializationMethod
from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ops.control.loop_op import ITERATION, add_loop
from popir.ops.support.decomposition import Decomposer
from popir.transforms.decision import Decision
from popir.types import DataType, ReductionType, TensorInfo

SERIALIZATION = "batch serialization"
"""What the decisions call it."""
_FLOATS = frozenset({DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE})

Key = tuple[object, ...]


@dataclass(frozen=True)
class BatchSerialization:
    """How a batch is computed in parts."""

    parts: int
    method: BatchSerializationMethod
    ends_at: Collection[str]
    """The annotations, of IPU, phase and stage, whose change ends a segment."""


def serialize_batch(
    graph: Graph, how: BatchSerialization, kept: Collection[str], whole: Collection[str]
) -> list[Decision]:
    """Computes the graph in parts of the batch. `kept` are the ids that are to be there in the end;
    `whole` those that all readers have to read whole, since their gradients are asked for.

    Returns a decision for each operator that reads what is in parts. Raises popart_exception for an
    input whose batch the parts do not divide.
    """
    return _Serializer(graph, how, kept, whole).run()


@dataclass
class _Cut:
    """An operator that is computed in parts, with its connections in the whole graph."""

    op: Op
    read: dict[int, Tensor]
    made: dict[int, Tensor]
    inputs: dict[int, int]
    """The axis along which each input is cut; others are read whole."""
    outputs: dict[int, int | ReductionType]
    """The axis of each output, or how the whole comes of the parts'."""


class _Serializer:
    def __init__(
        self,
        graph: Graph,
        how: BatchSerialization,
        kept: Collection[str],
        whole: Collection[str],
    ) -> None:
        self._graph, self._how = graph, how
        self._kept, self._whole = kept, whole
        self._along: dict[Tensor, int] = {}
        """The axis along which a tensor is cut."""
        self._seen: set[Tensor] = set()
        """The inputs whose batch is known."""
        self._cuts: dict[Op, _Cut] = {}
        self._constrained = {
            op for after, befores in graph.constraints.items() for op in (after, *befores)
        }
        self._pieces: dict[tuple[Tensor, int, Key], list[Tensor]] = {}
        """The parts of what is whole, by axis and by the place of the reader."""

    def run(self) -> list[Decision]:
        """Cuts the graph, and returns the decisions."""
        order = self._graph.schedule()
        decisions = [found for op in order if (found := self._decide(op)) is not None]
        keys = self._keys(order)
        segments: dict[Key, list[_Cut]] = {}
        for op, cut in self._cuts.items():
            segments.setdefault(keys[op], []).append(cut)
        ends = {key: self._ends(key, segment, keys) for key, segment in segments.items()}
        for op in self._cuts:
            self._graph.eraseOp(op.id)
        added: dict[Key, list[Op]] = {}
        build = self._loop if self._how.method is BatchSerializationMethod.Loop else self._unroll
        for key, segment in segments.items():
            before = len(self._graph.ops)
            build(segment, ends[key])
            added[key] = list(self._graph.ops.values())[before:]
        placed: list[Op] = []
        for op in order:
            placed += [op] if op not in self._cuts else added.pop(keys[op], [])
        self._graph.ops = {op.id: op for op in placed}
        self._graph.changes += 1
        for tensor in [t for cut in self._cuts.values() for t in cut.made.values()]:
            if not tensor.producer:
                self._graph.removeTensor(tensor.id)
        return decisions

    def _decide(self, op: Op) -> Decision | None:
        """Cuts an operator, or says why not; None if it reads nothing that is in parts."""
        names = op.dimensionNames()
        for i, tensor in op.input.items():
            if tensor.is_stream() and tensor not in self._seen:
                self._seen.add(tensor)
                own = [] if names is None else list(names.inputs.get(i, []))
                self._cut_input(tensor, own.index("batch") if "batch" in own else 0)
        if not any(tensor in self._along for tensor in op.input.values()):
            return None
        why = self._cut(op)
        return Decision(op.debugName(), SERIALIZATION, why or None)

    def _cut_input(self, tensor: Tensor, axis: int) -> None:
        assert tensor.info is not None
        shape, parts = tensor.info.shape(), self._how.parts
        if not shape:
            return
        if shape[axis] % parts:
            raise popart_exception(
                f"SessionOptions.batchSerializationSettings.factor = {parts}: the batch of the "
                f"input '{tensor.id}', {tensor.info}, is dimension {axis}, of size {shape[axis]}, "
                f"which is no multiple of {parts}. Choose a factor that divides the batch of all "
                "inputs, or make what belongs to no batch an initializer.",
                popart=f"Batch axis: {shape[axis]} is smaller than the batch serialization "
                f"factor: {parts} for tensor {tensor.id}"
                if shape[axis] < parts
                else None,
            )
        self._along[tensor] = axis

    def _cut(self, op: Op) -> str:
        """Notes how an operator is cut; returns why it is not, "" if it is."""
        names, along = op.dimensionNames(), self._along
        if names is None:
            return "it does not work on parts of a batch by themselves"
        if op in self._constrained:
            return "it has a constraint"
        called = {
            names.inputs[i][along[t]] if i in names.inputs else None
            for i, t in op.input.items()
            if t in along
        }
        name = called.pop()
        if name is None or called:
            return "what is in parts it needs whole, or along another dimension"
        found = _Cut(op, dict(op.input), dict(op.output), {}, {})
        for i, own in names.inputs.items():
            size = op.inShape(i) if i in op.input else []
            if name in own[: len(size)] and size[own.index(name)] > 1:
                found.inputs[i] = own.index(name)
        for o, tensor in op.output.items():
            assert tensor.info is not None
            if name in names.outputs[o]:
                found.outputs[o] = names.outputs[o].index(name)
            elif names.reduction is None or tensor.info.dataType() not in _FLOATS:
                return "it reduces the batch, and not to a sum or mean of floating-point numbers"
            else:
                found.outputs[o] = names.reduction
        if any(found.inputs.get(i) != along[t] for i, t in op.input.items() if t in along):
            return "what is in parts it needs whole, or along another dimension"
        sizes = [op.inShape(i)[a] for i, a in found.inputs.items()]
        sizes += [op.outShape(o)[a] for o, a in found.outputs.items() if isinstance(a, int)]
        if any(size % self._how.parts for size in sizes):
            return f"{self._how.parts} parts do not divide the dimension that becomes of the batch"
        self._cuts[op] = found
        self._along |= {op.output[o]: a for o, a in found.outputs.items() if isinstance(a, int)}
        return ""

    def _place(self, op: Op) -> Key:
        return tuple(op.settings.nodeAttributes.get(note) for note in self._how.ends_at)

    def _keys(self, order: Iterable[Op]) -> dict[Op, Key]:
        """What the operators of one segment have in common: on the way to each of them as many
        segments have ended, and they are in one place.
        """
        found: dict[Op, Key] = {}
        ended: dict[Op, int] = {}
        for op in order:
            place, most = self._place(op), 0
            for i, tensor in op.input.items():
                by = tensor.producer
                if by is None:
                    continue
                joins = (
                    op in self._cuts
                    and i in self._cuts[op].inputs
                    and tensor.id not in self._whole
                    and self._place(by) == place
                )
                most = max(most, ended[by] + (by in self._cuts and not joins))
            ended[op] = most
            found[op] = (most, *place)
        return found

    def _ends(
        self, key: Key, segment: list[_Cut], keys: dict[Op, Key]
    ) -> list[tuple[_Cut, int, Tensor]]:
        """The outputs of a segment that are needed whole."""
        return [
            (cut, o, tensor)
            for cut in segment
            for o, tensor in cut.made.items()
            if tensor.id in self._kept
            or any(op not in self._cuts or keys[op] != key for op in tensor.uses)
        ]

    def _info(self, tensor: Tensor, axis: int | ReductionType | None) -> TensorInfo:
        """Type and shape of a part."""
        assert tensor.info is not None
        shape = tensor.info.shape()
        if isinstance(axis, int):
            shape[axis] //= self._how.parts
        return TensorInfo(tensor.info.dataType(), shape)

    def _part(self, cut: _Cut, graph: Graph, ids: dict[int, str]) -> Op:
        """Adds a part of an operator to a graph, with the inputs `ids`."""
        op, part = cut.op, cut.op.clone()
        part.source, part.called_names = op.source, op.called_names
        graph.moveIntoGraph(part)
        expected = {o: self._info(t, cut.outputs[o]) for o, t in cut.made.items()}
        constants = op.constantsOfPart({o: info.shape() for o, info in expected.items()})
        for i, value in constants.items():
            ids[i] = graph.addConstInit(graph.uniqueId(f"{cut.read[i].id}/part"), value).id
        for i, id in ids.items():
            part.connectInTensor(i, id)
        for o, tensor in cut.made.items():
            part.createAndConnectOutTensor(o, graph.uniqueId(f"{tensor.id}/part"))
        part.setup()
        for o, info in expected.items():
            if part.outInfo(o) != info:
                raise popart_exception(
                    f"{part.debugName()}, one of {self._how.parts} parts, has the output {o}, "
                    f"{part.outInfo(o)}; by dimensionNames() of {type(op).__name__} it is {info}. "
                    "Correct that function."
                )
        return part

    def _unroll(self, segment: list[_Cut], ends: list[tuple[_Cut, int, Tensor]]) -> None:
        """Adds the operators of a segment, for each part in turn."""
        parts: dict[Tensor, list[Tensor]] = {}
        for n in range(self._how.parts):
            for cut in segment:
                ids = {i: tensor.id for i, tensor in cut.read.items()}
                for i, axis in cut.inputs.items():
                    tensor = cut.read[i]
                    known = parts.get(tensor) or self._slices(cut.op, tensor, axis)
                    ids[i] = known[n].id
                part = self._part(cut, self._graph, ids)
                for o, tensor in cut.made.items():
                    parts.setdefault(tensor, []).append(part.output[o])
        for cut, o, tensor in ends:
            how, on = cut.outputs[o], Decomposer(cut.op, tensor.id)
            if isinstance(how, int):
                _become(on.Concat(*parts[tensor], axis=how), tensor)
            else:
                _become(getattr(on, how.value)(*parts[tensor]), tensor)

    def _slices(self, op: Op, tensor: Tensor, axis: int) -> list[Tensor]:
        """The parts of what is whole, as views."""
        key = tensor, axis, self._place(op)
        if key not in self._pieces:
            on, n = Decomposer(op, tensor.id), self._how.parts
            self._pieces[key] = on.Split(tensor, num_outputs=n, axis=axis, outputs=n)
        return self._pieces[key]

    def _loop(self, segment: list[_Cut], ends: list[tuple[_Cut, int, Tensor]]) -> None:
        """Adds a loop over the parts of a segment."""
        parts = self._how.parts
        made = {t for cut in segment for t in cut.made.values()}
        on = Decomposer(segment[0].op, next(iter(segment[0].made.values())).id)
        inner = on.within("part")
        inner.input(ITERATION, "number")
        known: dict[tuple[Tensor, int | None], str] = {}
        scanned: list[Tensor] = []
        for cut in segment:
            for i, axis in cut.inputs.items():
                tensor = cut.read[i]
                if tensor not in made and (tensor, axis) not in known:
                    known[tensor, axis] = inner.input(self._info(tensor, axis), "slice").id
                    scanned.append(self._stacked(on, tensor, axis))
        captured: list[Tensor] = []
        for cut in segment:
            for tensor in (t for i, t in cut.read.items() if i not in cut.inputs):
                if (tensor, None) in known:
                    continue
                if tensor.data is not None and tensor.isConst():
                    id = inner.graph.uniqueId(f"{inner.base}/{tensor.id}")
                    known[tensor, None] = inner.graph.addConstInit(id, tensor.data).id
                else:
                    known[tensor, None] = inner.input(on.info(tensor), "captured").id
                    captured.append(tensor)
        for cut in segment:
            axes = [(i, t, cut.inputs.get(i)) for i, t in cut.read.items()]
            part = self._part(cut, inner.graph, {i: known[t, axis] for i, t, axis in axes})
            for o, tensor in cut.made.items():
                how = cut.outputs[o]
                known[tensor, how if isinstance(how, int) else None] = part.outId(o)
                if any(end is tensor for _, _, end in ends):
                    inner.graph.outputs.append(part.outId(o))
        attributes = {
            "body": inner.graph,
            "carried": 0,
            "scanned": len(scanned),
            "trip": parts,
            "conditional": False,
            "descending": False,
            "reversed_inputs": [0] * len(scanned),
            "reversed_outputs": [0] * len(ends),
        }
        found = add_loop(on, [None, None, *scanned, *captured], len(ends), attributes)
        for stacked, (cut, o, tensor) in zip(found, ends, strict=True):
            how = cut.outputs[o]
            if how is ReductionType.Sum:
                _become(on.ReduceSum(stacked, on.ints(0), keepdims=0), tensor)
            elif how is ReductionType.Mean:
                _become(on.ReduceMean(stacked, on.ints(0), keepdims=0), tensor)
            else:
                assert isinstance(how, int)
                _become(self._joined(on, stacked, how, tensor), tensor)

    def _stacked(self, on: Decomposer, tensor: Tensor, axis: int) -> Tensor:
        """[..., batch, ...] as [parts, ..., batch / parts, ...]."""
        shape = self._info(tensor, axis).shape()
        cut = on.reshape(tensor, [*shape[:axis], self._how.parts, *shape[axis:]])
        rest = [d for d in range(len(shape) + 1) if d != axis]
        return on.Transpose(cut, perm=[axis, *rest]) if axis else cut

    def _joined(self, on: Decomposer, stacked: Tensor, axis: int, tensor: Tensor) -> Tensor:
        """[parts, ..., batch / parts, ...] as [..., batch, ...]."""
        order = list(range(1, len(on.shape(stacked))))
        order.insert(axis, 0)
        moved = on.Transpose(stacked, perm=order) if axis else stacked
        return on.reshape(moved, on.shape(tensor))


def add_up_early(graph: Graph, gradients: Collection[str]) -> None:
    """Adds each part's gradient of a weight to those before it as soon as it is there, so that they
    are not kept until all of them are. Runs after autodiff, which adds them up in the end.
    """
    order = graph.schedule()
    place = {op: n for n, op in enumerate(order)}
    after: dict[int, list[Op]] = {}
    for tensor in map(graph.getTensor, gradients):
        total = tensor.producer
        if total is None or total.opid.type != "Sum" or len(total.input) < 3:
            continue
        first, *others = total.input.values()
        on = Decomposer(total, tensor.id)
        graph.eraseOp(total.id)
        at = _made_at(first, place)
        for other in others:
            first = on.Add(first, other)
            at = max(at, _made_at(other, place))
            after.setdefault(at, []).append(first.getProducer())
        _become(first, tensor)
    if after:
        placed = [op for n, known in enumerate(order) for op in (known, *after.get(n, []))]
        graph.ops = {op.id: op for op in placed if op.id in graph.ops}
        graph.changes += 1


def _made_at(tensor: Tensor, place: Mapping[Op, int]) -> int:
    return -1 if tensor.producer is None else place[tensor.producer]


def _become(found: Tensor, tensor: Tensor) -> None:
    """Lets the producer of one tensor make another one instead."""
    op = found.getProducer()
    op.disconnectOutTensor(0)
    tensor.graph.removeTensor(found.id)
    op.connectOutTensor(0, tensor.id)
