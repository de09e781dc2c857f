"""Loop: runs a graph several times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from popir.errors import LeavesDeviceError, UnknownTripCountError, popart_exception
from popir.ir import Tensor
from popir.ir.integers import bounds_of
from popir.onnxio.subgraphs import Bounded, Built, Given, Subgraph, written_by
from popir.ops.control.if_ import require_condition
from popir.ops.control.iterations import most_iterations
from popir.ops.control.loop_op import COUNT, ITERATION, add_loop, refuse_writes
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.registry import OpCreator
from popir.types import DataType, TensorInfo

_MOST_UNROLLED = 1 << 10
"""The most iterations that become part of the model one by one."""
_MOST_REPEATED = (1 << 32) - 1
"""The most iterations of a loop without condition."""
_MOST_PADDED = 1 << 24
"""The most elements of a scan output that is padded."""
_ENDLESS = 1 << 53
"""A trip count that no loop with a condition reaches."""


class Loop(Decomposition):
    """ONNX's Loop, versions 1, 11, 13, 16, 19, 21, 23, 24 and 25: a graph for each iteration.

    Carried values keep their types and shapes, and scan outputs need a number of iterations that is
    known when the model is compiled; then values may change their shapes too, in up to 1024
    iterations, which become part of the model one by one. If only the most iterations are known,
    scan outputs are padded (`PaddedLoop`), and what reads them must be done so. The gradient is
    fast if a number is known that is not exceeded: of the trip count, such as that of a Min, or of
    a condition that counts; and if half of the memory holds what so many iterations begin with.
    Else it runs n (n - 1) / 2 more iterations for n.
    Tensors only: no sequences and optionals. Initializers of the body are constants, which training
    does not change.
    """

    importsSubgraphs = True
    pads = False
    """Whether scan outputs have the most slices there may be, and the number of those that exist is
    a further output.
    """
    body: Any

    def decompose(
        self,
        on: Decomposer,
        trip: Tensor | None = None,
        condition: Tensor | None = None,
        *initial: Tensor,
    ) -> Sequence[Tensor]:
        """A LoopOp; or what is left if there are no iterations, one, or changing shapes."""
        if condition is not None:
            require_condition(self, condition)
        info = trip.info if trip is not None else ITERATION
        if info is None or info.dataType() is not DataType.INT64 or info.nelms() != 1:
            raise self.wrong(f"the trip count '{trip and trip.id}' is {info}; expected one INT64.")
        body: Subgraph = self.body
        ins, outs = len(body.inputs), len(body.outputs)
        if ins != len(initial) + 2 or outs < len(initial) + 1:
            raise self.wrong(
                f"it has {len(initial)} carried values; its body has {ins} inputs and {outs} "
                "outputs. The body has two inputs more than carried values, and outputs for the "
                "condition and all carried values at least."
            )
        return _Import(self, on, trip, condition, initial).results()


class PaddedLoop(Loop):
    """A Loop with scan outputs and a number of iterations that of which only the most
    is known before a run: see `Loop.pads`.
    """

    pads = True


class _Import:
    """The import of one Loop."""

    def __init__(
        self,
        op: Loop,
        on: Decomposer,
        trip: Tensor | None,
        condition: Tensor | None,
        initial: Sequence[Tensor],
    ) -> None:
        self._op, self._on = op, on
        self._trip, self._condition, self._initial = trip, condition, initial
        self._body: Subgraph = op.body
        self._name = f"{on.base}/body"
        count = _value(trip)
        self._count: int | None = None if count is None else max(0, int(count))
        """The trip count; None if it is not known or there is none."""
        self._starts: bool | None = True if condition is None else _value(condition)
        """The condition of the first iteration; None if it is not known."""
        bounds = None if trip is None else bounds_of(trip)
        self._most = None if bounds is None or bounds[1] >= _ENDLESS else max(0, bounds[1])
        """A number that the trip count does not exceed; None if none is known."""
        self._unrolls = bool(self._starts and self._count and self._count <= _MOST_UNROLLED)

    def results(self) -> Sequence[Tensor]:
        """Adds what the loop becomes, and returns its outputs."""
        try:
            built, self._kept = self._built()
        except popart_exception:
            # Shapes may depend on the number of the iteration, which is a constant in each.
            if not self._unrolls:
                raise
            if self._on.graph.assumed is None:
                return self._unrolled()
            try:
                return self._unrolled()
            except LeavesDeviceError:
                self._unrolls = False
                built, self._kept = self._built()
        refuse_writes(self._op, built.captures_written())
        self._graph, self._captured = built.graph, built.captured
        goes_on = self._graph.getTensor(self._graph.outputs[0])
        require_condition(self._op, goes_on)
        self._again: bool | None = _value(goes_on)
        """The condition of further iterations; None if it is not known."""
        if self._starts is False or self._count == 0:
            return self._none()
        if self._again is False and (self._trip is None or self._count):
            self._count = self._most = 1
            self._again, self._unrolls = True, self._starts is True
        if self._unrolls and (self._count == 1 or not self._keeps_shapes()):
            return self._unrolled()
        return self._loop()

    def _built(self) -> tuple[Built, list[int]]:
        """The body as a graph, and the carried values that are its inputs. Others are returned as
        they are, so that they are the same in all iterations.
        """
        returned = self._body.returned()
        kept = [i for i in range(len(self._initial)) if returned.get(1 + i) != 2 + i]
        last = (self._most if self._most is not None else _ENDLESS) - 1
        number = Bounded(ITERATION, 0, max(0, last))
        given: list[Given] = [number, np.array(True), *self._initial]
        for i in kept:
            given[2 + i] = self._on.info(self._initial[i])
        # Iterations that become part of the model one by one have the shapes that values give.
        return self._body.build(self._name, given, exact=self._unrolls), kept

    def _keeps_shapes(self) -> bool:
        infos = [self._graph.getTensor(self._graph.outputs[1 + i]).info for i in self._kept]
        return infos == [self._initial[i].info for i in self._kept]

    def _none(self) -> Sequence[Tensor]:
        """The outputs of no iterations: the first values, and no slices."""
        results = list(self._initial)
        for id in self._graph.outputs[1 + len(results) :]:
            info = self._on.info(self._graph.getTensor(id))
            results.append(self._on.zeros(TensorInfo(info.dataType(), [0, *info.shape()])))
        return results

    def _unrolled(self) -> Sequence[Tensor]:
        """The nodes of each iteration, until a constant condition ends them."""
        on, n, count = self._on, len(self._initial), self._count or 0
        values = list(self._initial)
        slices: list[list[Tensor]] = [[] for _ in self._body.outputs[1 + n :]]
        true = on.const(True, np.dtype(bool))
        before = set(on.graph.ops)
        for i in range(count):
            number = on.const(i, np.dtype(np.int64))
            again, *made = self._body.inline(f"{self._name}/{i}", [number, true, *values])
            values = made[:n]
            for parts, slice in zip(slices, made[n:], strict=True):
                parts.append(on.Unsqueeze(slice, on.ints(0)))
            more = _value(again)
            if more is None and i + 1 < count:
                raise LeavesDeviceError(
                    f"{self._op.opid} '{self._op.name()}': its values change their shapes, and "
                    "whether there is another iteration is not known when the model is "
                    "compiled; a device program has fixed shapes."
                )
            if more is False:
                break
        written = written_by(op for id, op in on.graph.ops.items() if id not in before)
        refuse_writes(self._op, [on.graph.tensors[id] for id in written])
        whole = [parts[0] if len(parts) == 1 else on.Concat(*parts, axis=0) for parts in slices]
        return on.adopt([*values, *whole], self._name)

    def _loop(self) -> Sequence[Tensor]:
        """The outputs of a LoopOp of the carried values that change."""
        graph, n, kept = self._graph, len(self._initial), self._kept
        scans = graph.outputs[1 + n :]
        conditional = not (self._again and self._starts)
        if conditional:
            self._bound_by_condition()
        is_open = bool(scans) and (conditional or self._count is None)
        if is_open and not (self._op.pads and self._has_room(scans)):
            trip = [] if conditional or self._trip is None else [self._trip.id]
            raise UnknownTripCountError(
                f"{self._op.opid} '{self._op.name()}': it has {len(scans)} scan outputs, whose "
                "size is the number of iterations; a device program has fixed shapes: give it a "
                "constant trip count and a condition that is always true.",
                trip,
                loop=self._on.base,
            )
        count = self._count
        if count is not None and count > _MOST_REPEATED and not conditional:
            raise self._op.wrong(
                f"its trip count is {count}, and no condition ends it; popir repeats up to "
                f"{_MOST_REPEATED} times."
            )
        if count is None and self._trip is None and not conditional:
            raise self._op.wrong("it has neither a trip count nor a condition: it is endless.")
        condition = graph.outputs[:1] if conditional else []
        graph.outputs = [*condition, *(graph.outputs[1 + i] for i in kept), *scans]
        flags = [0] * len(scans)
        if is_open:
            graph.outputs.append(graph.inputs[0])
            flags.append(COUNT)
        inputs: list[Tensor | None] = [
            self._trip if self._trip is not None and _value(self._trip) is None else None,
            self._condition if self._starts is None else None,
            *(self._initial[i] for i in kept),
            *self._captured,
        ]
        attributes = {
            "body": graph,
            "carried": len(kept),
            "scanned": 0,
            "trip": -1 if self._most is None else self._most,
            "conditional": conditional,
            "descending": False,
            "reversed_inputs": [],
            "reversed_outputs": flags,
        }
        made = add_loop(self._on, inputs, len(kept) + len(flags), attributes)
        values = list(self._initial)
        for i, tensor in zip(kept, made, strict=False):
            values[i] = tensor
        return [*values, *made[len(kept) :]]

    def _has_room(self, scans: Sequence[str]) -> bool:
        """Whether scan outputs may have the most slices there may be."""
        most = max(
            self._on.info(self._graph.getTensor(id)).nelms() * (self._most or 0) for id in scans
        )
        return bool(self._most) and most <= _MOST_PADDED

    def _bound_by_condition(self) -> None:
        """Lowers the number that is not exceeded to what the condition allows."""
        graph, initial = self._graph, dict[int, int]()
        after: dict[int, str] = {}
        for place, i in enumerate(self._kept, 1):
            info, first = self._initial[i].info, _value(self._initial[i])
            if isinstance(first, int) and info is not None and info.nelms() == 1:
                initial[place], after[place] = first, graph.outputs[1 + i]
        found = most_iterations(graph, initial, after)
        if found is not None:
            self._most = found if self._most is None else min(found, self._most)


def _value(tensor: Tensor | None) -> Any:
    """The value of a constant of one element; None for anything else."""
    if tensor is None or not tensor.isConst() or tensor.data is None or tensor.data.size != 1:
        return None
    return tensor.data.item()


OpCreator(Loop, onnx_ids("Loop", 1, 11, 13, 16, 19, 21, 23, 24, 25))
OpCreator(PaddedLoop, [graphcore_id("PaddedLoop")], isPublic=False)
