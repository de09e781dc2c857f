"""What operators of PopART that the compiler does not have become, in graphs that a program in C++
has made: a Resize, gradients, and those that consist of others.
"""

from __future__ import annotations

import numpy as np

from popir import registry
from popir._device import popart as device
from popir.adding import take_place
from popir.autodiff import CALLS
from popir.ir import Graph, Op, Tensor
from popir.ops.control.call import CALL, CallOp
from popir.ops.reduction.reduce import ROWS
from popir.ops.support.decomposition import Decomposer

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
    return op.opid.domain == "ai.graphcore" and (_reduction_gradient(op) or device.takeApart(op))


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
