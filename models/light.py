"""The nine image classifiers that the onnx package ships, with weights that say something.

In the package's files (`light_*.onnx`) most weights are one number, repeated, so that every element
of a result is alike. `randomized` puts seeded random numbers in their place, scaled so that the
activations stay of order one through all layers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnx.backend.test
from onnx import ModelProto, NodeProto, numpy_helper

FOLDER = Path(onnx.backend.test.__path__[0]) / "data" / "light"
NAMES = [
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "shufflenet",
    "squeezenet",
    "vgg19",
    "zfnet512",
]


def path(name: str) -> Path:
    """The file of one of NAMES."""
    return FOLDER / f"light_{name}.onnx"


def stored_output(name: str) -> np.ndarray:
    """What the onnx package stores as the output of the file as it is, for an input of ones."""
    tensor = onnx.TensorProto()
    tensor.ParseFromString((FOLDER / f"light_{name}_output_0.pb").read_bytes())
    return numpy_helper.to_array(tensor)


def image_input(model: ModelProto) -> tuple[str, list[int]]:
    """Name and shape of the one input that is no weight."""
    weights = {tensor.name for tensor in model.graph.initializer}
    (value,) = (value for value in model.graph.input if value.name not in weights)
    return value.name, [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def logits(model: ModelProto) -> str:
    """The tensor before the final Softmax or, where there is none, the output."""
    last = model.graph.node[-1]
    return last.input[0] if last.op_type == "Softmax" else last.output[0]


def randomized(file: Path | str, seed: int = 0) -> ModelProto:
    """The model of `file` with random weights, which are initializers and no graph inputs.

    The same seed gives the same weights. Convolutions and dense layers keep the second moment of
    their input, as He and others initialise them, given that a Relu follows; variances of batch
    normalisations are positive.
    """
    model = onnx.load(file)
    graph = model.graph
    rng = np.random.default_rng(seed)
    shapes = _weight_shapes(model)
    added = {name for node in graph.node if node.op_type == "Sum" for name in node.input}
    weights: dict[str, np.ndarray] = {}
    for name, node, i in _uses(model, set(shapes)):
        values = _drawn(rng, node, i, shapes[name])
        if node.op_type == "BatchNormalization" and i == 1 and node.output[0] in added:
            values *= 0.3  # else residual connections would double the second moment each time
        weights[name] = np.ascontiguousarray(values, np.float32)
    kept = [tensor for tensor in graph.initializer if tensor.name not in weights]
    kept += [numpy_helper.from_array(array, name) for name, array in weights.items()]
    nodes = [node for node in graph.node if node.output[0] not in weights]
    read = {name for node in nodes for name in node.input}
    inputs = [value for value in graph.input if value.name == image_input(model)[0]]
    for old, new in (
        (graph.initializer, [tensor for tensor in kept if tensor.name in read]),
        (graph.node, nodes),
        (graph.input, inputs),
    ):
        del old[:]
        old.extend(new)
    model.ir_version = max(model.ir_version, 4)  # before it, every initializer is a graph input
    return model


def _weight_shapes(model: ModelProto) -> dict[str, tuple[int, ...]]:
    """The shape of every weight, by name: float initializers and results of ConstantOfShape."""
    arrays = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    shapes = {name: a.shape for name, a in arrays.items() if a.dtype == np.float32}
    for node in model.graph.node:
        if node.op_type == "ConstantOfShape":
            shapes[node.output[0]] = tuple(int(d) for d in arrays[node.input[0]])
    return shapes


def _uses(model: ModelProto, weights: set[str]) -> Iterator[tuple[str, NodeProto, int]]:
    """Each weight with the operator that computes with it and the input that it is there."""
    origin = {name: name for name in weights}
    done: set[str] = set()
    for node in model.graph.node:
        for i, name in enumerate(node.input):
            weight = origin.get(name)
            if weight is None or weight in done:
                continue
            if node.op_type in ("Unsqueeze", "Reshape"):
                origin[node.output[0]] = weight
            else:
                done.add(weight)
                yield weight, node, i


def _drawn(rng: np.random.Generator, node: NodeProto, i: int, shape: tuple[int, ...]) -> np.ndarray:
    """Random numbers for input `i` of `node`."""
    normal = rng.standard_normal(shape, np.float32)
    role = node.op_type, i
    if role == ("BatchNormalization", 4):
        return rng.uniform(0.5, 1.5, shape)
    if role in (("BatchNormalization", 1), ("Mul", 0), ("Mul", 1)):
        return 0.9 + 0.1 * normal
    if role in (("Conv", 1), ("Gemm", 1)):
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        fan_in = shape[0] if node.op_type == "Gemm" and not transposed else np.prod(shape[1:])
        return normal * np.float32(np.sqrt(2 / fan_in))
    return 0.1 * normal
