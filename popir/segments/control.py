"""If, Loop, Scan and SequenceMap on the host: each iteration runs the program of the body.

They come here if a device program cannot have them: their graphs change shapes, handle sequences or
strings, or have operators of the host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from popir.errors import ModelError, OperatorInputError
from popir.host import MISSING, HostValue, is_numbers, shown
from popir.onnxio import proto
from popir.onnxio.proto import NodeProto
from popir.types import DataType

if TYPE_CHECKING:
    from popir.segments.program import Program

Array = np.ndarray[Any, Any]
Values = dict[str, HostValue]
Control = Callable[["Program", int, NodeProto, Sequence[HostValue], Values], list[HostValue]]


MOST_ITERATIONS = 1 << 22
"""The most iterations of a loop on the host; each takes some ten microseconds at least."""


class _Body:
    """A graph in an attribute of a node, to be called with values."""

    def __init__(self, program: Program, i: int, name: str, values: Values) -> None:
        self.program, graph = program.body(i, name)
        self._graph = graph
        self.inputs = [each.name for each in graph.input]
        self._outputs = graph.output
        self.who = f"Node '{program.nodes[i].name}' ({program.nodes[i].op_type}): its {name}"
        given = set(self.inputs)
        self._around = {
            id: values[id] for id in self.program.captures if id in values and id not in given
        }

    def none(self, k: int) -> Array:
        """No slices of output `k`, of the type and, as far as known, the shape that the
        graph declares.
        """
        kind = self._outputs[k].type.tensor_type
        dtype = DataType.of(kind.elem_type).numpy if kind.elem_type else np.dtype(np.float32)
        return np.zeros([0, *(dim.dim_value for dim in kind.shape.dim)], dtype)

    def goes_on(self) -> bool:
        """Whether output 0, a loop's condition, is certainly input 1 as it is, or a constant that
        is true.
        """
        makers = {id: node for node in self._graph.node for id in node.output}
        id = self._outputs[0].name
        while id in makers and makers[id].op_type == "Identity":
            id = makers[id].input[0]
        if id in makers and makers[id].op_type == "Constant":
            (value,) = self.program.attributes(makers[id]).values()
            return bool(np.all(value))
        known = {each.name: each for each in self._graph.initializer}
        if id in known:
            return bool(np.all(self.program.context.reader.array(known[id])))
        return id == self.inputs[1]

    def __call__(self, *given: HostValue) -> list[HostValue]:
        if len(given) != len(self.inputs):
            raise ModelError(
                f"{self.who} has the inputs {self.inputs}; the operator gives it {len(given)}."
            )
        return self.program.run({**self._around, **dict(zip(self.inputs, given, strict=True))})


def _truth(who: str, value: HostValue) -> bool:
    if not is_numbers(value) or value.size != 1 or value.dtype != bool:
        raise OperatorInputError(f"{who}: the condition is {shown(value)}; it must be one BOOL.")
    return bool(value.reshape(-1)[0])


def _if(
    program: Program, i: int, node: NodeProto, inputs: Sequence[HostValue], values: Values
) -> list[HostValue]:
    chosen = "then_branch" if _truth(proto.who(node), inputs[0]) else "else_branch"
    return _Body(program, i, chosen, values)()


def _loop(
    program: Program, i: int, node: NodeProto, inputs: Sequence[HostValue], values: Values
) -> list[HostValue]:
    who, body = proto.who(node), _Body(program, i, "body", values)
    trip, condition, *carried = [*inputs, *[MISSING] * (2 - len(inputs))]
    most = None if trip is MISSING else int(_number(who, trip))
    goes = True if condition is MISSING else _truth(who, condition)
    if most is None and condition is MISSING and not carried:
        raise OperatorInputError(f"{who}: it has neither a trip count nor a condition.")
    if most is not None and most > MOST_ITERATIONS and goes and body.goes_on():
        raise OperatorInputError(
            f"{who}: its trip count is {most}; the host runs up to {MOST_ITERATIONS} iterations."
        )
    scans: list[list[Array]] = [[] for _ in range(len(body.program.outputs) - 1 - len(carried))]
    done = 0
    while goes and (most is None or done < most):
        again, *found = body(np.array(done, np.int64), np.array(True), *carried)
        goes = _truth(who, again)
        carried = found[: len(carried)]
        for parts, part in zip(scans, found[len(carried) :], strict=True):
            parts.append(part)
        done += 1
        if done > MOST_ITERATIONS:
            raise OperatorInputError(
                f"{who}: no condition has ended it after {MOST_ITERATIONS} iterations, the most "
                "that the host runs."
            )
    first = 1 + len(carried)
    return [*carried, *(_stacked(who, parts, body, first + k) for k, parts in enumerate(scans))]


def _number(who: str, value: HostValue) -> int:
    if not is_numbers(value) or value.size != 1:
        raise OperatorInputError(f"{who}: the trip count is {shown(value)}; expected one INT64.")
    return int(value.reshape(-1)[0])


def _stacked(who: str, parts: Sequence[HostValue], body: _Body, k: int) -> Array:
    """The slices of all iterations, joined; `k` is the output of the body."""
    if not parts:
        return body.none(k)
    shapes = {np.shape(part) for part in parts}
    if len(shapes) > 1:
        raise OperatorInputError(
            f"{who}: output {k} of its body has slices of the shapes {sorted(shapes)}; all must be "
            "equal."
        )
    return np.stack(parts)


def _scan(
    program: Program, i: int, node: NodeProto, inputs: Sequence[HostValue], values: Values
) -> list[HostValue]:
    who, body = proto.who(node), _Body(program, i, "body", values)
    given = program.attributes(node)
    if program.opsets.get("ai.onnx", 0) < 9:
        raise OperatorInputError(f"{who}: version 8, with batches, runs on the device alone.")
    count = given["num_scan_inputs"]
    states, scanned = [*inputs[: len(inputs) - count]], inputs[len(inputs) - count :]
    outs = len(body.program.outputs) - len(states)
    axes_in = given.get("scan_input_axes") or [0] * count
    axes_out = given.get("scan_output_axes") or [0] * outs
    back_in = given.get("scan_input_directions") or [0] * count
    back_out = given.get("scan_output_directions") or [0] * outs
    moved = [np.moveaxis(x, axis, 0) for x, axis in zip(scanned, axes_in, strict=True)]
    lengths = {len(x) for x in moved}
    if len(lengths) != 1:
        raise OperatorInputError(f"{who}: the scanned inputs have the lengths {sorted(lengths)}.")
    (length,) = lengths
    slices: list[list[Array]] = [[] for _ in range(outs)]
    for n in range(length):
        parts = [x[length - 1 - n if b else n] for x, b in zip(moved, back_in, strict=True)]
        found = body(*states, *map(np.ascontiguousarray, parts))
        states = found[: len(states)]
        for each, part in zip(slices, found[len(states) :], strict=True):
            each.append(part)
    whole: list[HostValue] = []
    for k, (each, axis, back) in enumerate(zip(slices, axes_out, back_out, strict=True)):
        stacked = _stacked(who, each[::-1] if back else each, body, len(states) + k)
        whole.append(np.ascontiguousarray(np.moveaxis(stacked, 0, axis)))
    return [*states, *whole]


def _sequence_map(
    program: Program, i: int, node: NodeProto, inputs: Sequence[HostValue], values: Values
) -> list[HostValue]:
    who, body = proto.who(node), _Body(program, i, "body", values)
    lengths = {len(each) for each in inputs if isinstance(each, list)}
    if not isinstance(inputs[0], list) or len(lengths) != 1:
        given = ", ".join(map(shown, inputs))
        raise OperatorInputError(
            f"{who}: its inputs are {given}; the first must be a sequence, and all sequences of "
            "one length."
        )
    outputs: list[list[HostValue]] = [[] for _ in body.program.outputs]
    for n in range(lengths.pop()):
        found = body(*(each[n] if isinstance(each, list) else each for each in inputs))
        for each, value in zip(outputs, found, strict=True):
            each.append(value)
    return [*outputs]


CONTROL: dict[str, Control] = {
    "If": _if,
    "Loop": _loop,
    "Scan": _scan,
    "SequenceMap": _sequence_map,
}
"""The operators of ai.onnx that run graphs, by type."""
