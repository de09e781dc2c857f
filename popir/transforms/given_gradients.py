"""What operators of PopART that the compiler does not have become, in graphs that a program in C++
has made: a Resize, gradients, and those that consist of others.

A gradient of PopART's keeps which operator it belongs to, with its attributes and the types of its
inputs. The compiler's gradient takes its place: the compiler's operator is made for a moment, and
asked for it. Where that one consists of others, or reads more than PopART's, the operator and its
gradient are a graph that is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir import registry
from popir._device import popart as device
from popir.adding import take_place
from popir.autodiff import CALLS
from popir.errors import popart_exception
from popir.ir import Graph, Op, OperatorIdentifier, Tensor
from popir.ops.control.call import CALL, CallOp
from popir.ops.reduction.reduce import ROWS
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.second_order import sum_to
from popir.types import TensorInfo

_ONNX = "ai.onnx"
_GRADIENTS = {f"{row.type}Grad": row for row in ROWS}


def sampled(op: Op) -> bool:
    """Puts what a Resize, or its gradient, consists of in its place. Returns whether it is one.

    The gradient is that of the operators which the Resize consists of; they are linear, so that it
    reads no input but the gradient of the result.
    """
    if op.opid.type not in ("Resize", "ResizeGrad"):
        return False
    graph, x, out = op.graph, op.inTensor(0), op.outTensor(0)
    noted = dict(device.attributeTexts(op, True))
    if op.opid.type == "Resize":
        made = _resized(Decomposer(op, out.id), x, noted, noted["scales"])
    else:
        inside = Graph(f"{graph.uniqueId(out.id)}/resize", graph)
        given = inside.addActGrad(f"{inside.name}/x")
        given.info = out.info
        inside.setInputs([given.id])
        on = Decomposer(op, f"{inside.name}/resized")
        on.graph = inside
        inside.setOutputs([_resized(on, given, noted, noted["fwdScales"]).id])
        gradient = CALLS.of(inside, [0], [0])
        gradient.graph.setInputs(gradient.given)
        call = graph.createConnectedOp(
            CallOp,
            {0: x.id},
            {0: graph.uniqueId(f"{out.id}/called")},
            *(CALL, Op.Settings(graph, op.name()), {"callee": gradient.graph}),
        )
        made = call.outTensor(0)
    graph.eraseOp(op.id)
    take_place(out, made)
    return True


def _resized(on: Decomposer, x: Tensor, noted: dict[str, str], scales: str) -> Tensor:
    factors = on.const([float(word) for word in scales.split()], np.dtype(np.float32))
    attributes = {"mode": noted["mode"]}
    if noted["nearest_mode"]:
        for name in ("nearest_mode", "coordinate_transformation_mode"):
            attributes[name] = noted[name]
        made = on.add(_ONNX, "Resize", 13, [x, None, factors], 1, attributes)
    else:
        made = on.add(_ONNX, "Resize", 10, [x, factors], 1, attributes)
    assert isinstance(made, Tensor)
    return made


def composed(op: Op) -> bool:
    """Puts the compiler's operators in the place of one of PopART's classes that it does not have:
    gradients of reductions and of element-wise operators, and others. Returns whether it is one.
    """
    if op.opid.domain != "ai.graphcore":
        return False
    return _reduction_gradient(op) or device.takeApart(op) or _gradient_of_operator(op)


@dataclass
class Origin:
    """The compiler's operator whose gradient or variant an object of PopART's classes is."""

    opid: OperatorIdentifier
    attributes: dict[str, Any]
    inputs: dict[int, TensorInfo]
    outputs: dict[int, TensorInfo]
    constants: dict[int, np.ndarray[Any, Any]]
    """Of inputs that were constant."""


def origin_of(op: Op) -> Origin | None:
    """What an operator of a program says of the operator that it belongs to; None if it says
    nothing, or names one that is not the compiler's.
    """
    kept = device.originOf(op)
    if kept is None:
        return None
    (domain, type, version), attributes, inputs, outputs, data = kept
    known = registry.versions(domain, type)
    if not known:
        return None
    opid = OperatorIdentifier(
        domain, type, max((v for v in known if v <= version), default=known[0])
    )
    entry = registry.registered(opid)
    if entry is None or entry.source != registry.BUILT_IN:
        return None
    constants = {
        i: np.frombuffer(data[i], info.dataType().numpy).reshape(info.shape())
        for i, info in inputs.items()
        if i in data
    }
    return Origin(opid, attributes, inputs, outputs, constants)


_SIGN_OF_INPUT = {"Relu", "LeakyRelu"}
"""Operators whose result has the sign of the input, which is all that their gradients read."""


def _gradient_of_operator(op: Op) -> bool:
    """Puts the compiler's gradient in the place of one that belongs to an operator of the
    compiler. Returns whether it is one.
    """
    if op.opid.type.endswith("Inplace") or registry.has_library_opx(op.opid):
        return False
    origin = origin_of(op)
    if origin is None:
        return False
    given = {(kind, n): op.inTensor(i) for i, n, kind in device.gradInputInfo(op) if i in op.input}
    if origin.opid.type in _SIGN_OF_INPUT and ("In", 0) not in given:
        given["In", 0] = given["Out", 0]
    wanted = {o: n for o, n in device.gradOutToNonGradIn(op).items() if o in op.output}
    made = (
        _from_result(op, origin, given)
        or _own_gradients(op, origin, given, wanted)
        or _called_gradients(op, origin, given, wanted)
    )
    outs = {o: op.outTensor(o) for o in wanted}
    op.graph.eraseOp(op.id)
    for o, out in outs.items():
        take_place(out, made[wanted[o]])
    return True


_SHIFTS = {(f"{kind}Normalization", 2) for kind in ("Batch", "Group", "Instance")}
"""Inputs that are added: no gradient depends on their values."""

_RUNNING = {("BatchNormalization", 3), ("BatchNormalization", 4)}
"""Statistics before the step, on which no gradient depends where the batch has its own."""

_Given = Mapping[tuple[str, int], Tensor]
"""The inputs of a gradient by kind and index: GradOut is that of an output, others are values."""


def _from_result(op: Op, origin: Origin, given: _Given) -> dict[int, Tensor] | None:
    """The gradient of a Clip from its result, which is zero where that is a bound; that of an input
    of Max or Min, which is zero where that is not the result. None for others.
    """
    type = origin.opid.type
    if type not in ("Clip", "Max", "Min") or ("Out", 0) not in given:
        return None
    on, y, g = Decomposer(op, op.outId(0)), given["Out", 0], given["GradOut", 0]
    if type == "Clip":
        low, high = (on.like(origin.attributes[name], y) for name in ("min", "max"))
        inside = on.And(on.Less(low, y), on.Less(y, high))
        return {0: on.Where(inside, g, on.like(0, y))}
    ((n, x),) = [(n, tensor) for (kind, n), tensor in given.items() if kind == "In"]
    full = on.Where(on.Equal(x, y), g, on.like(0, g))
    shape = on.shape(x)
    aligned = [1] * (len(on.shape(full)) - len(shape)) + shape
    return {n: on.reshape(sum_to(on, full, aligned), shape)}


def _own_gradients(
    op: Op, origin: Origin, given: _Given, wanted: Mapping[int, int]
) -> dict[int, Tensor] | None:
    """The gradients of the inputs by the compiler's gradient operators; None if the operator
    consists of others, or these read what is not there.
    """
    entry = registry.registered(origin.opid)
    if entry is None or issubclass(entry.opClass, Decomposition):
        return None
    graph, inputs, passing = op.graph, {}, []
    for i, info in origin.inputs.items():
        known = given.get(("In", i))
        if known is None and i in origin.constants:
            known = graph.addConstInit(graph.uniqueId(f"{op.outId(0)}/in"), origin.constants[i])
        elif known is None:
            known = graph.addActGrad(graph.uniqueId(f"{op.outId(0)}/in"))
            known.info = info
            passing.append(known)
        inputs[i] = known
    id = origin.opid
    listed = [inputs.get(i) for i in range(max(inputs) + 1)]
    forward = graph.createConnectedOp(
        registry.createOp,
        {i: tensor.id for i, tensor in inputs.items()},
        {o: graph.uniqueId(f"{op.outId(0)}/out{o}") for o in origin.outputs},
        *(id.domain, id.type, id.version, Op.Settings(graph, op.name()), origin.attributes, listed),
    )
    found: dict[int, tuple[Op, int, dict[int, Tensor]]] = {}
    for gradient in forward.getGradOps():
        sources = {m.iGrad: (m.type.name, m.iNonGrad) for m in gradient.gradInputInfo()}
        read: dict[int, Tensor] = {}
        for i, (kind, n) in sources.items():
            known = inputs[n] if kind == "In" else given.get((kind, n))
            if known is not None and known not in passing:
                read[i] = known
        if len(read) == len(sources):
            for o, n in gradient.gradOutToNonGradIn().items():
                found.setdefault(n, (gradient, o, read))
    results = list(forward.output.values())
    graph.eraseOp(forward.id)
    for tensor in [*results, *passing]:
        graph.removeTensor(tensor.id)
    if not all(n in found for n in wanted.values()):
        return None
    made: dict[int, Tensor] = {}
    for n in wanted.values():
        gradient, o, read = found[n]
        if not gradient.output:
            towards = gradient.gradOutToNonGradIn()
            graph.moveIntoGraph(gradient)
            for i, tensor in read.items():
                gradient.connectInTensor(i, tensor.id)
            for each in towards:
                gradient.createAndConnectOutTensor(each, graph.uniqueId(f"{op.outId(0)}/gradient"))
            gradient.setup()
        made[n] = gradient.outTensor(o)
    return made


def _called_gradients(
    op: Op, origin: Origin, given: _Given, wanted: Mapping[int, int]
) -> dict[int, Tensor]:
    """The gradients of the inputs by a graph that computes the operator again and walks back."""
    graph, id = op.graph, origin.opid
    inside = Decomposer(op, op.outId(0)).within("gradient")
    tensors: list[Tensor | None] = [None] * (max(origin.inputs) + 1)
    places: list[int] = []
    for i, info in origin.inputs.items():
        if i in origin.constants:
            tensors[i] = inside.const(origin.constants[i])
        else:
            tensors[i] = inside.input(info, f"in{i}")
            places.append(i)
    results = inside.add(
        id.domain, id.type, id.version, tensors, max(origin.outputs) + 1, origin.attributes
    )
    outs = [results] if isinstance(results, Tensor) else list(results)
    inside.graph.setOutputs([each.id for each in outs])
    ends = [n for kind, n in given if kind == "GradOut"]
    gradient = CALLS.of(inside.graph, ends, [places.index(n) for n in wanted.values()])
    sources = [("In", i) for i in places] + [("GradOut", n) for n in ends]
    ids = [*gradient.inputs, *gradient.given]
    read = [(id, source) for id, source in zip(ids, sources, strict=True) if gradient.is_read(id)]
    known = dict(given)
    for _, source in read:
        unread = _SHIFTS | _RUNNING if len(origin.outputs) > 1 else _SHIFTS
        if source[0] == "In" and (id.type, source[1]) in unread and source not in known:
            info = origin.inputs[source[1]]
            zeros = np.zeros(info.shape(), info.dataType().numpy)
            known[source] = graph.addConstInit(graph.uniqueId(f"{op.outId(0)}/shift"), zeros)
        if source not in known:
            raise popart_exception(
                f"{op.debugName()} has no {source[0]} {source[1]} of the {id.type} that it belongs "
                "to, which the compiler's gradient reads. Take the compiler's own (Autodiff)."
            )
    gradient.graph.setInputs([id for id, _ in read])
    call = graph.createConnectedOp(
        CallOp,
        {i: known[source].id for i, (_, source) in enumerate(read)},
        {i: graph.uniqueId(f"{op.outId(0)}/called{i}") for i in range(len(wanted))},
        *(CALL, Op.Settings(graph, op.name()), {"callee": gradient.graph}),
    )
    return {n: call.outTensor(i) for i, n in enumerate(wanted.values())}


def _reduction_gradient(op: Op) -> bool:
    """Makes the gradient of a reduction the compiler's. Returns whether it is one."""
    row = _GRADIENTS.get(op.opid.type)
    if row is None:
        return False
    graph, axes = op.graph, dict(device.attributeTexts(op, True))["axes"]
    # The compiler's is made by its reduction, which stands in the graph for that long.
    given = graph.addActGrad(graph.uniqueId(f"{op.outId(0)}/reduced"))
    given.info = op.outInfo(0)
    numbers = [int(word) for word in axes.strip("[]").replace(",", " ").split()]
    version = max(v for v in row.versions if v < (13 if row.type == "ReduceSum" else 18))
    forward = graph.createConnectedOp(
        registry.createOp,
        {0: given.id},
        {0: graph.uniqueId(f"{given.id}/result")},
        *(_ONNX, row.type, version, Op.Settings(graph, op.name())),
        {"axes": numbers, "keepdims": 1},
        [given],
    )
    (gradient,) = forward.getGradOps()
    result = forward.outTensor(0)
    graph.eraseOp(forward.id)
    graph.removeTensor(result.id)
    graph.removeTensor(given.id)
    graph.replaceOp(op, gradient)
    return True
