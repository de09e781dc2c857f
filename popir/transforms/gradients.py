"""Expands the operator Gradient of ai.onnx.preview.training.

What it differentiates is copied, from the values that its inputs give, and the copy is
differentiated: other values than those in the graph may be given, and one tensor may have several
gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from popir import registry
from popir.autodiff import ancestors, differentiate
from popir.errors import OperatorAttributeError, popart_exception
from popir.ir import Graph, Op, OperatorIdentifier, Tensor
from popir.ir.graph import called_graphs
from popir.ir.schedule import schedule
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.drawing import DrawingOp

GRADIENT = OperatorIdentifier("ai.onnx.preview.training", "Gradient", 1)


def expand_gradients(graph: Graph, loss: str | None = None) -> None:
    """Puts the operators that compute gradients in the place of each Gradient.

    `loss` is the id of a tensor that is to be differentiated afterwards. An operator whose
    gradient has none, but which says how it consists of others (`differentiable`), is copied as
    these where a gradient is differentiated again. A Gradient in the body of a loop, or in a
    branch, differentiates what is computed there.

    Raises OperatorAttributeError for names that do not fit, MissingGradientError where an operator
    has no gradient.
    """
    for callee in called_graphs(graph)[1:]:
        # What is outside may differentiate what a called graph returns.
        _expand_all(callee, callee.outputs)
    _expand_all(graph, [loss] if loss is not None and graph.hasTensor(loss) else [])


def _expand_all(graph: Graph, differentiated: Sequence[str]) -> None:
    waiting = [op for op in graph.ops.values() if _is_gradient(op)]
    if not waiting:
        return
    ends = [_end(graph, op) for op in waiting]
    ends += [graph.getTensor(id) for id in differentiated]
    again = ancestors(*ends).intersection(waiting)
    while waiting:
        # One that differentiates what another one computes comes after it.
        ready = [op for op in waiting if not ancestors(_end(graph, op)).intersection(waiting)]
        if not ready:
            raise popart_exception(f"{waiting[0].debugName()} differentiates its own result.")
        for op in ready:
            _expand(graph, op, op in again)
            waiting.remove(op)


def _is_gradient(op: Op) -> bool:
    return op.opid.type == GRADIENT.type and op.opid == GRADIENT


def _end(graph: Graph, op: Any) -> Tensor:
    """The tensor that a Gradient differentiates."""
    for name in (op.y, *op.names()):
        if name not in graph.tensors:
            raise OperatorAttributeError(
                f"{op.debugName()}: it names '{name}', which is no tensor of the graph."
            )
    return graph.getTensor(op.y)


def _expand(graph: Graph, op: Any, again: bool) -> None:
    end = _end(graph, op)
    base = op.name() or next((t.id for t in op.output.values()), "Gradient")
    now: dict[str, str] = {}
    for i, name in enumerate(op.names()):
        given, named = op.input[i], graph.getTensor(name)
        if given.info != named.info:
            raise OperatorAttributeError(
                f"{op.debugName()}: its input {i} is {given.info}; '{name}', which it stands for, "
                f"is {named.info}."
            )
        now[name] = graph.uniqueId(f"{base}/{name}")
        _add(graph, op, "Identity", 13, [given], now[name])
    _copy(graph, op, end, now, base, again)
    total = graph.uniqueId(f"{base}/total")
    _add(graph, op, "ReduceSum", 11, [graph.getTensor(now.get(end.id, end.id))], total, keepdims=0)
    found = differentiate(graph, total, [now[name] for name in op.xs])
    outputs = {i: tensor.id for i, tensor in op.output.items()}
    infos = {i: tensor.info for i, tensor in op.output.items()}
    graph.eraseOp(op.id)
    for i, id in outputs.items():
        gradient, info = found.get(now[op.xs[i]]), infos[i]
        assert info is not None
        if gradient is None:
            gradient = graph.uniqueId(f"{base}/zeros")
            graph.addConstInit(gradient, np.zeros(info.shape(), info.dataType().numpy))
        _add(graph, op, "Identity", 13, [graph.getTensor(gradient)], id)


def _copy(graph: Graph, op: Op, end: Tensor, now: dict[str, str], base: str, again: bool) -> None:
    """Copies what leads from the tensors in `now` to `end`, and adds the copies to `now`."""
    above: set[Op] = set()
    ahead = [end]
    while ahead:
        tensor = ahead.pop()
        producer = None if tensor.id in now else tensor.producer
        if producer is not None and producer not in above:
            above.add(producer)
            ahead += producer.input.values()
    for old in schedule(sorted(above, key=lambda op: op.id), graph.constraints):
        if old not in above or not any(t.id in now for t in old.input.values()):
            continue
        # One of popir's own draws the same numbers again.
        if old.requiresRandomSeed() and not isinstance(old, DrawingOp):
            raise popart_exception(
                f"{op.debugName()} differentiates {old.debugName()}, which draws random numbers: "
                "those of a gradient would be others."
            )
        if again and hasattr(old, "differentiable"):
            _add_operators_of(old, now, graph.uniqueId(f"{base}/{old.opid.type}"))
            continue
        twin = old.clone()
        twin.source, twin.called_names = old.source, old.called_names
        graph.moveIntoGraph(twin)
        for i, tensor in old.input.items():
            twin.connectInTensor(i, now.get(tensor.id, tensor.id))
        for i, tensor in old.output.items():
            if tensor.id not in now:
                now[tensor.id] = graph.uniqueId(f"{base}/{tensor.id}")
                twin.createAndConnectOutTensor(i, now[tensor.id])
            else:
                twin.createAndConnectOutTensor(i, graph.uniqueId(f"{base}/{tensor.id}/unused"))
        twin.setup()


def _add_operators_of(old: Any, now: dict[str, str], base: str) -> None:
    """Adds the operators that `old` consists of, on the copies of its inputs."""
    count = max(old.input, default=-1) + 1
    ids = [old.inId(i) if old.hasInput(i) else None for i in range(count)]
    inputs = [id if id is None else old.graph.getTensor(now.get(id, id)) for id in ids]
    made = old.differentiable(Decomposer(old, base), *inputs)
    for i, tensor in old.output.items():
        if i < len(made):
            now.setdefault(tensor.id, made[i].id)


def _add(
    graph: Graph, op: Op, type: str, version: int, inputs: list[Tensor], output: str, **given: Any
) -> None:
    settings = op.settings.copy(f"{op.name()}/{type}")
    settings.graph = graph
    graph.createConnectedOp(
        registry.createOp,
        {i: tensor.id for i, tensor in enumerate(inputs)},
        {0: output},
        *("ai.onnx", type, version, settings, given, inputs),
    )
