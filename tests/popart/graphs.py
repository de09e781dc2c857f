"""Graphs that checks of C++ operators work on."""

from typing import Any

import numpy as np
import pytest

import popir
from popir import Graph, Op, TensorInfo, registry

RNG = np.random.default_rng(3)
KINDS = {
    "float32": "FLOAT",
    "int32": "INT32",
    "float16": "FLOAT16",
    "uint32": "UINT32",
    "bool": "BOOL",
}


def graph(**inputs: Any) -> Graph:
    """A graph of the newest opsets with inputs by name: (element type, shape)."""
    made = Graph("g")
    made.opsets = {"ai.onnx": 11, "test": 1}
    for id, (kind, shape) in (inputs or {"x": ("FLOAT", [2, 3])}).items():
        made.addStream(id, TensorInfo(kind, shape))
    return made


def add(
    graph: Graph, type: str, inputs: list[str], out: str = "y", domain: str = "test", **given: Any
) -> Op:
    """Adds an operator as a model would; "name" is its name, all else its attributes."""
    settings = Op.Settings(graph, given.pop("name", ""))
    tensors = [graph.getTensor(id) for id in inputs]
    op = registry.createOp(domain, type, graph.opsets[domain], settings, given, tensors, [out])
    return (
        op if op.output else graph.createConnectedOp(lambda: op, dict(enumerate(inputs)), {0: out})
    )


def refusal(kind: type[Exception], call: Any, *arguments: Any) -> str:
    """What the call says when it raises exactly `kind`, which it must."""
    with pytest.raises(kind) as caught:
        call(*arguments)
    assert caught.type is kind, f"{caught.type.__name__}: {caught.value}"
    return str(caught.value)


def floats(*shape: int) -> np.ndarray:
    """Normal values."""
    return RNG.standard_normal(shape).astype("float32")


def results(
    name: str, inputs: dict[str, np.ndarray], trained: str = "", **attributes: object
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """The operator's output, the gradients of a weighted sum of it for the inputs named in
    `trained`, and the weights."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    names = [
        builder.addInitializedInputTensor(x, i)
        if i in trained
        else builder.addInputTensor(popir.TensorInfo(KINDS[str(x.dtype)], list(x.shape)), i)
        for i, x in inputs.items()
    ]
    (y,) = builder.customOp(name, 1, "test", names, attributes)
    feeds = {i: x for i, x in inputs.items() if i not in trained}
    device = popir.DeviceManager().createCpuDevice()
    gradients = {i: popir.reservedGradientPrefix() + i for i in trained}
    if not trained:
        builder.addOutputTensor(y)
        made: popir.InferenceSession | popir.TrainingSession = popir.InferenceSession(
            builder.getModelProto(), popir.DataFlow(1, [y]), device
        )
        weights = floats(0)
    else:
        weights = floats(*builder.getTensorShape(y))
        weighted = builder.aiOnnx.mul([y, builder.aiOnnx.constant(weights)])
        loss = builder.aiOnnx.reducesum([weighted], keepdims=0)
        made = popir.TrainingSession(
            builder.getModelProto(),
            popir.DataFlow(1, [y, *gradients.values()]),
            loss,
            popir.ConstSGD(0.0),
            device,
        )
    made.prepareDevice()
    anchors = made.initAnchorArrays()
    made.run(popir.PyStepIO(feeds, anchors))
    return anchors[y], {i: anchors[g] for i, g in gradients.items()}, weights
