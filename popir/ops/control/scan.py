"""Scan: runs a graph for each slice of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from popir.errors import OperatorAttributeError, popart_exception
from popir.ir import Tensor
from popir.onnxio.subgraphs import Subgraph
from popir.ops.control.loop_op import ITERATION, add_loop, refuse_writes
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import TensorInfo


class Scan(Decomposition):
    """ONNX's Scan, versions 8, 9, 11, 16, 19, 21, 23, 24 and 25: a graph for each slice of the scan
    inputs along an axis, with states that go from one to the next. Version 8 is `ScanOfBatches`.

    States keep their types and shapes. Initializers of the body are constants, which training does
    not change.

    A body that cannot take the scalars of vectors, such as one with a Concat along axis 0, gets
    slices of shape [1], and its outputs are joined along their axes, as PopART does.
    """

    importsSubgraphs = True
    body: Any
    num_scan_inputs: int
    scan_input_axes: list[int] | None
    scan_input_directions: list[int] | None
    scan_output_axes: list[int] | None
    scan_output_directions: list[int] | None

    def decompose(self, on: Decomposer, *inputs: Tensor) -> Sequence[Tensor]:
        """A LoopOp on the scan inputs with their axes first."""
        body: Subgraph = self.body
        states = len(inputs) - self.num_scan_inputs
        slices = len(body.outputs) - states
        if states < 0 or self.num_scan_inputs < 1 or slices < 0:
            raise self.wrong(
                f"it has {len(inputs)} inputs, of which num_scan_inputs = {self.num_scan_inputs} "
                f"are scanned, and its body {len(body.outputs)} outputs; there must be at least "
                "one scanned input, and an output of the body for each state."
            )
        axes_in = self._numbers("scan_input_axes", self.scan_input_axes, self.num_scan_inputs)
        reversed_in = self._directions("scan_input_directions", self.num_scan_inputs)
        axes_out = self._numbers("scan_output_axes", self.scan_output_axes, slices)
        reversed_out = self._directions("scan_output_directions", slices)
        initial, scanned = inputs[:states], inputs[states:]
        rolled = [
            _moved(on, t, self.axis_of(axis, on.info(t).rank(), "scan_input_axes"), 0)
            for t, axis in zip(scanned, axes_in, strict=True)
        ]
        lengths = {on.shape(t)[0] for t in rolled}
        if len(lengths) > 1:
            raise self.wrong(
                f"its scan inputs have {[on.shape(t)[0] for t in rolled]} slices along their "
                "axes; all must have equally many."
            )
        try:
            made = scan(on, body, initial, rolled, reversed_in, reversed_out)
        except popart_exception as standard:
            if not self._may_keep(on, body, rolled, states):
                raise
            rolled = [on.Unsqueeze(t, on.ints(1)) for t in rolled]
            try:
                made = scan(on, body, initial, rolled, reversed_in, reversed_out, "/kept")
            except popart_exception:
                raise standard from None
            outputs = [
                self._joined(on, t, axis) for t, axis in zip(made[states:], axes_out, strict=True)
            ]
            return [*made[:states], *outputs]
        outputs = [
            _moved(on, t, 0, self.axis_of(axis, on.info(t).rank(), "scan_output_axes"))
            for t, axis in zip(made[states:], axes_out, strict=True)
        ]
        return [*made[:states], *outputs]

    def _may_keep(
        self, on: Decomposer, body: Subgraph, scanned: Sequence[Tensor], states: int
    ) -> bool:
        """Whether the slices may have one element instead of none: of vectors, in the versions that
        PopART has, for inputs of the body without a declared shape.
        """
        if self.opid.version not in (9, 11) or len(body.inputs) != states + len(scanned):
            return False
        declared = any(map(body.has_shape, range(states, states + len(scanned))))
        return not declared and all(on.info(t).rank() == 1 for t in scanned)

    def _joined(self, on: Decomposer, t: Tensor, axis: int) -> Tensor:
        """The slices, which dimension 0 counts, one after the other along an axis of theirs."""
        count, *shape = on.shape(t)
        at = self.axis_of(axis, len(shape), "scan_output_axes")
        shape[at] *= count
        return on.reshape(_moved(on, t, 0, at), shape)

    def axis_of(self, axis: int, rank: int, name: str) -> int:
        """An axis from 0 on. Raises OperatorAttributeError for one outside of the rank."""
        if not -rank <= axis < rank:
            raise OperatorAttributeError(
                f"{self._who()}: {name} has the axis {axis}; the tensor has {rank} dimensions."
            )
        return axis % rank

    def _numbers(self, name: str, given: list[int] | None, count: int) -> list[int]:
        found = given if given is not None else [0] * count
        if len(found) != count:
            raise OperatorAttributeError(
                f"{self._who()}: {name} is {found}; it must have {count} numbers, one for each."
            )
        return found

    def _directions(self, name: str, count: int) -> list[int]:
        found = self._numbers(name, getattr(self, name), count)
        if not {0, 1}.issuperset(found):
            raise OperatorAttributeError(
                f"{self._who()}: {name} is {found}; 0 is forward and 1 is reverse."
            )
        return found


class ScanOfBatches(Decomposition):
    """ONNX's Scan of version 8: the scan of each element of a batch, the first dimension of all
    tensors; the slices are along the second one. A sequence length ends the scan of its element,
    and must be a constant; the outputs beyond it are 0.
    """

    importsSubgraphs = True
    body: Any
    num_scan_inputs: int
    directions: list[int] | None

    def decompose(
        self, on: Decomposer, lengths: Tensor | None, *inputs: Tensor
    ) -> Sequence[Tensor]:
        """A LoopOp over the batch, of a LoopOp over the slices; with lengths, one of these for each
        element of the batch.
        """
        body: Subgraph = self.body
        states = len(inputs) - self.num_scan_inputs
        slices = len(body.outputs) - states
        backwards = self.directions if self.directions is not None else [0] * (len(inputs) - states)
        if states < 0 or self.num_scan_inputs < 1 or slices < 0:
            raise self.wrong(
                f"it has {len(inputs)} inputs, of which num_scan_inputs = {self.num_scan_inputs} "
                f"are scanned, and its body {len(body.outputs)} outputs."
            )
        if len(backwards) != self.num_scan_inputs or not {0, 1}.issuperset(backwards):
            raise OperatorAttributeError(
                f"{self._who()}: directions is {backwards}; it must have {self.num_scan_inputs} "
                "numbers, 0 for forward or 1 for reverse."
            )
        shapes = [on.shape(t) for t in inputs]
        if any(len(s) < 1 + (i >= states) for i, s in enumerate(shapes)):
            raise self.wrong(
                f"its inputs have the shapes {shapes}; the first dimension is a batch."
            )
        batch, time = shapes[states][:2]
        if any(s[0] != batch for s in shapes) or any(s[1] != time for s in shapes[states:]):
            raise self.wrong(
                f"its inputs have the shapes {shapes}; all must have one batch, and the scan "
                "inputs equally many slices."
            )
        known = on.value(lengths, "the sequence lengths")
        ends = [time] * batch if known is None else [int(n) for n in known.reshape(-1)]
        if len(ends) != batch or not batch or not all(0 <= n <= time for n in ends):
            raise self.wrong(
                f"its sequence lengths are {ends} for a batch of {batch}; expected are as many, "
                f"from 0 to {time}, for one element at least."
            )
        if set(ends) == {time}:
            return self._batched(on, body, inputs, states, backwards)
        columns: list[list[Tensor]] = [[] for _ in body.outputs]
        for b, end in enumerate(ends):
            one = [on.Squeeze(on.Slice(t, on.ints(b), on.ints(b + 1)), on.ints(0)) for t in inputs]
            scanned = [
                t if end == time else on.Slice(t, on.ints(0), on.ints(end)) for t in one[states:]
            ]
            made = scan(on, body, one[:states], scanned, backwards, [0] * slices, str(b))
            for o, tensor in enumerate(made):
                if o >= states and end < time:
                    rank = on.info(tensor).rank()
                    tensor = on.Pad(tensor, on.ints(*[0] * rank, time - end, *[0] * (rank - 1)))
                columns[o].append(on.Unsqueeze(tensor, on.ints(0)))
        return [parts[0] if batch == 1 else on.Concat(*parts, axis=0) for parts in columns]

    def _batched(
        self,
        on: Decomposer,
        body: Subgraph,
        inputs: Sequence[Tensor],
        states: int,
        backwards: Sequence[int],
    ) -> Sequence[Tensor]:
        inner = on.within("batch")
        inner.input(ITERATION, "number")
        rows = [
            inner.input(TensorInfo(on.info(t).dataType(), on.shape(t)[1:]), f"row{i}")
            for i, t in enumerate(inputs)
        ]
        captured: list[Tensor] = []

        def capture(t: Tensor) -> Tensor:
            captured.append(t)
            return inner.input(on.info(t), "captured")

        slices = [0] * (len(body.outputs) - states)
        made = scan(
            *(inner, body, rows[:states], rows[states:], backwards, slices), capture=capture
        )
        inner.graph.outputs = [t.id for t in made]
        attributes = {
            "body": inner.graph,
            "carried": 0,
            "scanned": len(inputs),
            "trip": on.shape(inputs[0])[0],
            "conditional": False,
            "descending": False,
            "reversed_inputs": [0] * len(inputs),
            "reversed_outputs": [0] * len(made),
        }
        return add_loop(on, [None, None, *inputs, *captured], len(made), attributes)


def scan(
    on: Decomposer,
    body: Subgraph,
    initial: Sequence[Tensor],
    scanned: Sequence[Tensor],
    reversed_in: Sequence[int],
    reversed_out: Sequence[int],
    name: str = "",
    capture: Callable[[Tensor], Tensor] = lambda t: t,
) -> list[Tensor]:
    """The states after a scan along dimension 0, then its outputs.

    `name` sets it apart from others of the operator. `capture` gives the tensor here of one that
    the body reads around the operator.
    """
    infos = [on.info(t) for t in (*initial, *scanned)]
    given = [
        info if i < len(initial) else TensorInfo(info.dataType(), info.shape()[1:])
        for i, info in enumerate(infos)
    ]
    built = body.build(f"{on.base}/body{name}", given)
    refuse_writes(on.op, built.captures_written())
    graph, states = built.graph, len(initial)
    time = infos[-1].shape()[0]
    if time == 0:
        after = [on.info(graph.getTensor(id)) for id in graph.outputs[states:]]
        empty = [TensorInfo(info.dataType(), [0, *info.shape()]) for info in after]
        return [*initial, *(on.zeros(info) for info in empty)]
    number = graph.addActGrad(f"{graph.name}/number")
    number.info = ITERATION
    graph.inputs.insert(0, number.id)
    attributes = {
        "body": graph,
        "carried": states,
        "scanned": len(scanned),
        "trip": time,
        "conditional": False,
        "descending": False,
        "reversed_inputs": list(reversed_in),
        "reversed_outputs": list(reversed_out),
    }
    inputs = [None, None, *initial, *scanned, *map(capture, built.captured)]
    return add_loop(on, inputs, len(graph.outputs), attributes)


def _moved(on: Decomposer, t: Tensor, old: int, new: int) -> Tensor:
    """The tensor with dimension `old` at the place `new`."""
    if old == new:
        return t
    order = [d for d in range(on.info(t).rank()) if d != old]
    order.insert(new, old)
    return on.Transpose(t, perm=order)


OpCreator(Scan, onnx_ids("Scan", 9, 11, 16, 19, 21, 23, 24, 25))
OpCreator(ScanOfBatches, onnx_ids("Scan", 8))
