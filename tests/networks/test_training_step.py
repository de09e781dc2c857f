"""One training step of whole networks: the gradients of all weights, against PyTorch in double."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

import popir
from models import light
from tests.models import step, training_session
from tests.networks.exported import CLASSES, LENGTH, WORDS, Encoder, Recurrent, exported, made
from tests.networks.oracles import assert_close

Array = np.ndarray[Any, Any]
RATE = 0.5


def with_loss(model: onnx.ModelProto, logits: str, shape: list[int]) -> onnx.ModelProto:
    """The model up to the logits, then the cross entropy of `labels` [shape without classes]."""
    nodes = list(model.graph.node)
    while logits not in nodes[-1].output:
        nodes.pop()
    nodes += [
        helper.make_node("Reshape", [logits, "logits.shape"], ["logits.rows"]),
        helper.make_node("LogSoftmax", ["logits.rows"], ["logits.log"], axis=len(shape) - 1),
        helper.make_node(
            "Nll",
            ["logits.log", "labels"],
            ["loss"],
            domain="ai.graphcore",
            inputIsLogProbability=1,
        ),
    ]
    model.graph.initializer.append(numpy_helper.from_array(np.array(shape), "logits.shape"))
    model.graph.input.append(
        helper.make_tensor_value_info("labels", onnx.TensorProto.INT32, shape[:-1])
    )
    for old, new in ((model.graph.node, nodes), (model.graph.output, [])):
        del old[:]
        old.extend(new)
    model.graph.output.append(helper.make_tensor_value_info("loss", onnx.TensorProto.FLOAT, []))
    model.opset_import.append(helper.make_opsetid("ai.graphcore", 1))
    return model


def trained(
    model: onnx.ModelProto, inputs: dict[str, Array], weights: list[str]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """What one step returns, the loss and gradients, and the weights after it."""
    anchors = ["loss", *(f"Gradient___{name}" for name in weights)]
    session = training_session(model, "loss", anchors, popir.ConstSGD(RATE))
    found = step(session, inputs)
    shapes = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    after = {name: np.empty_like(shapes[name]) for name in weights}
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(after))
    return found, after


def compare(
    found: dict[str, Array],
    after: dict[str, Array],
    before: dict[str, Array],
    want: dict[str, Array],
    atol: float,
) -> None:
    """All gradients within `atol` of their largest element, and the weights that they lead to."""
    for name, gradient in want.items():
        assert_close(found[f"Gradient___{name}"], gradient, 1e-3 if atol > 1e-6 else 1e-9, atol)
        step = RATE * gradient
        largest = np.abs(step).max()
        np.testing.assert_allclose(after[name], before[name] - step, 1e-4, 2 * atol * largest)


# What the operators of SqueezeNet are in PyTorch.
TORCH: dict[str, Callable[..., torch.Tensor]] = {
    "Conv": lambda a, x, w, b: F.conv2d(
        F.pad(x, [a["pads"][i] for i in (1, 3, 0, 2)]), w, b, a["strides"]
    ),
    "Relu": lambda a, x: torch.relu(x),
    "MaxPool": lambda a, x: F.max_pool2d(
        F.pad(x, [a["pads"][i] for i in (1, 3, 0, 2)], value=-torch.inf),
        a["kernel_shape"],
        a["strides"],
    ),
    "Concat": lambda a, *xs: torch.cat(xs, a["axis"]),
    "Dropout": lambda a, x: x,
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
}


def interpreted(model: onnx.ModelProto, values: dict[str, torch.Tensor], end: str) -> torch.Tensor:
    """The tensor `end` of the model, by PyTorch."""
    for node in model.graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = TORCH[node.op_type](attributes, *(values[i] for i in node.input))
        if node.output[0] == end:
            break
    return values[end]


def inType(model: onnx.ModelProto, weights: dict[str, Array], image: str) -> None:
    """Gives the weights and the image of a float model the type that the weights here have."""
    for tensor in model.graph.initializer:
        if tensor.name in weights:
            tensor.CopyFrom(numpy_helper.from_array(weights[tensor.name], tensor.name))
    (value,) = (value for value in model.graph.input if value.name == image)
    dtype = next(iter(weights.values())).dtype
    value.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(dtype)


# In float, rounding may decide which of two elements is the largest of a window.
@pytest.mark.parametrize(("dtype", "atol"), [(np.float32, 5e-3), (np.float64, 1e-10)])
def test_squeezenet(dtype: Any, atol: float) -> None:
    model = light.randomized(light.path("squeezenet"))
    for node in model.graph.node:
        if node.op_type == "Dropout":
            node.attribute[0].f = 0.0
    logits, (image, shape) = light.logits(model), light.image_input(model)
    before = {t.name: numpy_helper.to_array(t).astype(dtype) for t in model.graph.initializer}
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    labels = np.array([3], np.int32)

    weights = {name: torch.tensor(a, dtype=torch.double) for name, a in before.items()}
    for weight in weights.values():
        weight.requires_grad_()
    values = {image: torch.tensor(x, dtype=torch.double), **weights}
    rows = interpreted(model, values, logits).reshape(1, -1)
    loss = F.cross_entropy(rows, torch.tensor(labels, dtype=torch.long))
    loss.backward()

    inType(model, before, image)
    model = with_loss(model, logits, [1, rows.shape[1]])
    inputs = {image: x.astype(dtype), "labels": labels}
    found, after = trained(model, inputs, list(before))
    assert len(before) == 52
    np.testing.assert_allclose(found["loss"], loss.detach(), 1e-5)
    compare(found, after, before, {name: w.grad.numpy() for name, w in weights.items()}, atol)


def initializer_of(model: onnx.ModelProto, weight: Array) -> tuple[str, bool]:
    """The initializer that holds a weight of PyTorch's, and whether it is transposed there."""
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.shape == weight.shape and np.array_equal(array, weight):
            return tensor.name, False
        if array.shape == weight.T.shape and np.array_equal(array, weight.T):
            return tensor.name, True
    raise AssertionError(f"no initializer holds a weight of shape {weight.shape}")


@pytest.mark.parametrize("dynamo", [False, True], ids=["traced", "default"])
def test_transformer(dynamo: bool, tmp_path: Path) -> None:
    module = made(Encoder)
    random = torch.Generator().manual_seed(2)
    words = torch.randint(0, WORDS, (2, LENGTH), generator=random)
    labels = torch.randint(0, CLASSES, (2, LENGTH), generator=random)
    model = exported(module, words, dynamo, tmp_path)
    arrays = {name: w.detach().numpy().copy() for name, w in module.named_parameters()}
    places = {name: initializer_of(model, array) for name, array in arrays.items()}
    before = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}

    module.double()
    rows = module(words).flatten(0, 1)
    loss = F.cross_entropy(rows, labels.flatten())
    loss.backward()
    want = {}
    for name, weight in module.named_parameters():
        place, is_transposed = places[name]
        want[place] = weight.grad.numpy().T if is_transposed else weight.grad.numpy()

    inputs = {model.graph.input[0].name: words.numpy(), "labels": labels.numpy().astype(np.int32)}
    model = with_loss(model, model.graph.output[0].name, [2, LENGTH, CLASSES])
    found, after = trained(model, inputs, list(want))
    assert len(want) == len(arrays) == 28
    np.testing.assert_allclose(found["loss"], loss.detach(), 1e-5)
    compare(found, after, before, want, 1e-5)


def test_lstm_towards_its_input(tmp_path: Path) -> None:
    """PyTorch orders gates otherwise, so weights are not compared one by one."""
    module = made(Recurrent)
    random = torch.Generator().manual_seed(2)
    x = torch.randn(3, 7, 16, generator=random)
    labels = torch.randint(0, CLASSES, (3, 7), generator=random)
    model = exported(module, x, False, tmp_path)

    given = x.double().requires_grad_()
    rows = module.double()(given)[0].flatten(0, 1)
    F.cross_entropy(rows, labels.flatten()).backward()

    name, logits = model.graph.input[0].name, model.graph.output[0].name
    inputs = {name: x.numpy(), "labels": labels.numpy().astype(np.int32)}
    model = with_loss(model, logits, [3, 7, CLASSES])
    gradient = f"Gradient___{name}"
    found = step(training_session(model, "loss", [gradient]), inputs)[gradient]
    assert_close(found, given.grad.numpy(), 1e-3, 1e-4)
