"""Loops of a graph that a program has made, and what they change outside of their bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from popir import registry
from popir._device import popart as device
from popir.adding import reconnect
from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ops.control.loop_op import CONDITION, FIRST, ITERATION, LOOP, TRIP, LoopOp
from popir.types import DataType


def body_of_program(op: Op, asked: dict[Graph, bool]) -> tuple[LoopOp, list[Tensor]]:
    """Makes a loop the compiler's: bodies of PopART's count in 32 bits, and get the condition.
    Returns it and the tensors that it says it changes. `asked` has the bodies that are the
    compiler's already, and whether output 0 of them is the condition; this adds to it.

    Raises popart_exception for a loop without a trip count and a condition.
    """
    # Asked anew: a program may say it after the loop's setup().
    changed = [tensor for i, tensor in op.input.items() if i >= FIRST and op.modifiedRegions(i)]
    graph, body = op.graph, op.getCalledGraphs()[0]
    noted = dict(device.attributeTexts(op, True))
    scanned = int(noted.get("numImplicitScanOutputs") or 0)
    trips = int(noted.get("tripCountValue") or 0)
    trips = trips if trips > 0 else -1
    if body not in asked:
        asked[body] = _give_number(body)
    if CONDITION in op.input and _is_true(op.inTensor(CONDITION)):
        op.disconnectInTensor(CONDITION)
    if TRIP in op.input:
        trips = _count(op, trips)
    if trips < 0 and TRIP not in op.input and not asked[body]:
        raise popart_exception(
            f"{op.debugName()} has neither a trip count nor a condition: it is endless. Give it a "
            "trip count (setTripCountValue), or a body that computes its condition."
        )
    made = {
        "body": body,
        "carried": len(body.outputs) - asked[body] - scanned,
        "scanned": 0,
        "trip": trips,
        "conditional": asked[body],
        "descending": False,
        "reversed_inputs": [],
        "reversed_outputs": [0] * scanned,
    }
    loop = LoopOp(LOOP, Op.Settings(graph, op.name()), made)
    graph.replaceOp(op, loop)
    return loop, changed


def _give_number(body: Graph) -> bool:
    """Makes a body of PopART's the compiler's. Returns whether its output 0 is the condition."""
    number, going, *rest = body.inputs
    goes_on, *results = body.outputs
    counted = body.uniqueId(f"{number}/number")
    is_counted_in, is_asked = bool(body.getTensor(number).uses), goes_on != going
    count = body.addActGrad(counted)
    count.info = ITERATION
    if body.getTensor(going).uses:
        always = body.addConstInit(body.uniqueId(f"{going}/true"), np.array(True))
        reconnect(body.getTensor(going), always)
    body.setOutputs([goes_on, *results] if is_asked else results)
    old = body.getTensor(number).info
    body.setInputs([counted, *rest])
    if is_counted_in:
        assert old is not None
        _cast(count, old.dataType(), number)
    return is_asked


def _cast(tensor: Tensor, to: DataType, id: str) -> None:
    """Adds a tensor `id` of another type."""
    graph = tensor.graph
    cast = ("ai.onnx", "Cast", 13, Op.Settings(graph, id), {"to": to.onnx}, [tensor])
    graph.createConnectedOp(registry.createOp, {0: tensor.id}, {0: id}, *cast)


def _is_true(tensor: Tensor) -> bool:
    """Whether a condition is a constant that is true."""
    return tensor.isConst() and bool(np.all(np.asarray(tensor.data)))


def _count(op: Op, trips: int) -> int:
    """The trip count of a loop that gets it as a tensor, too: the lesser one of the two counts.
    The tensor is a constant, and input no more, or becomes INT64.
    """
    given = op.inTensor(TRIP)
    assert given.info is not None
    # The initial value of a variable is only one of those that it has.
    most = int(np.asarray(given.data).reshape([])) if given.isConst() else 0
    if most > 0:
        op.disconnectInTensor(TRIP)
        return most if trips < 0 else min(trips, most)
    graph, count = op.graph, given
    if given.info.dataType() != DataType.INT64:
        id = graph.uniqueId(f"{given.id}/trips")
        _cast(given, DataType.INT64, id)
        count = graph.getTensor(id)
    if trips > 0:
        bound = graph.addConstInit(graph.uniqueId(f"{given.id}/bound"), np.array(trips, np.int64))
        id = graph.uniqueId(f"{given.id}/least")
        least = ("ai.onnx", "Min", 13, Op.Settings(graph, id), {}, [count, bound])
        graph.createConnectedOp(registry.createOp, {0: count.id, 1: bound.id}, {0: id}, *least)
        count = graph.getTensor(id)
    if count is not given:
        op.disconnectInTensor(TRIP)
        op.connectInTensor(TRIP, count.id)
    return trips


def keep_change(
    loop: LoopOp,
    tensor: Tensor,
    store: Callable[[Op, Tensor, Tensor], Tensor],
    is_shared: bool,
) -> None:
    """Copies to a tensor what a loop makes of it; `store` adds the copy. If each iteration gets the
    same tensor, it becomes a value that they carry. There are no scanned inputs yet.

    Raises popart_exception if the body would get such a value, and other loops have it, too
    (`is_shared`).
    """
    at = next(i for i, given in loop.input.items() if i >= FIRST and given is tensor) - FIRST
    if at >= loop.carried:
        inside = loop.body.getTensor(loop.body.inputs[1 + at])
        last = _last(inside)
        if last is inside:
            return
        if is_shared:
            raise popart_exception(
                f"{loop.debugName()} changes '{tensor.id}', which each iteration gets, and other "
                f"loops have its body '{loop.body.name}', too. Give each loop a graph "
                "(Ir::cloneGraph)."
            )
        _carry(loop, at, last)
        at = loop.carried - 1
    if not loop.hasOutput(at):
        loop.createAndConnectOutTensor(at, loop.graph.uniqueId(f"{tensor.id}/looped"))
        loop.setup()
    read_changed(loop, tensor, store(loop, tensor, loop.outTensor(at)))


def _last(tensor: Tensor) -> Tensor:
    """A tensor after the operators that write over it."""
    for op in tensor.graph.schedule():
        for i, given in op.input.items():
            if given is tensor and op.modifies(i) and op.hasOutput(0):
                return _last(op.outTensor(0))
    return tensor


def _carry(loop: LoopOp, at: int, last: Tensor) -> None:
    """Makes a capture, input `at` behind the first ones, the last of the carried values."""
    body, to = loop.body, loop.carried
    given = {i - FIRST: tensor for i, tensor in loop.input.items() if i >= FIRST}
    for i in given:
        loop.disconnectInTensor(FIRST + i)
    moved = {at: to, **{i: i + 1 for i in range(to, at)}}
    for i, tensor in given.items():
        loop.connectInTensor(FIRST + moved.get(i, i), tensor.id)
    names = list(body.inputs)
    names.insert(1 + to, names.pop(1 + at))
    body.setInputs(names)
    body.outputs.insert(loop.first_output + to, last.id)
    # What follows are scan outputs.
    loop.output = {o + (o >= to): tensor for o, tensor in loop.output.items()}
    loop.carried += 1


def read_changed(op: Op, before: Tensor, after: Tensor) -> None:
    """Makes what depends on `op`, and the outputs of its graph, read `after` instead of `before`.

    The two are one memory: in PopART a reader that runs later, behind what `op` computes or behind
    a constraint, gets the changed value.
    """
    later, stack = {op}, [op]
    while stack:
        last = stack.pop()
        readers = [reader for tensor in last.output.values() for reader in tensor.uses]
        new = [each for each in [*readers, *op.graph.afters(last)] if each not in later]
        later.update(new)
        stack += new
    for reader in [each for each in before.uses if each in later - {op, after.producer}]:
        for i in [i for i, tensor in reader.input.items() if tensor is before]:
            reader.disconnectInTensor(i)
            reader.connectInTensor(i, after.id)
    op.graph.outputs = [after.id if id == before.id else id for id in op.graph.outputs]
