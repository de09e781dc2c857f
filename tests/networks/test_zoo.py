"""One training step of small networks that PyTorch exported, in each of its ways: the gradient of
every parameter is PyTorch's.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import popir
from popir.onnxio.load import load
from popir.onnxio.merged import separate_merged
from popir.trainable import Role
from tests.models import step
from tests.networks.zoo import ZOO, made

Array = np.ndarray[Any, Any]


def exported(network: nn.Module, given: Any, way: str, folder: Path) -> onnx.ModelProto:
    """As ONNX: "traced", "default", or "kept", by the default exporter without its optimizer, which
    folds batch norm into convolutions and weights into constants.
    """
    file = folder / "exported.onnx"
    options: dict[str, Any] = {"dynamo": True, "verbose": False, "optimize": way == "default"}
    if way == "traced":
        mode = torch.onnx.TrainingMode
        options = {
            "dynamo": False,
            "opset_version": 18,
            "training": mode.TRAINING if network.training else mode.EVAL,
            "do_constant_folding": not network.training,
        }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(network, given, str(file), **options)
    return onnx.load(file)


def with_loss(model: onnx.ModelProto, outputs: list[torch.Tensor]) -> list[str]:
    """Adds a loss, the sum of the outputs times `factor.OUTPUT`; the ids of the factors."""
    graph, sums = model.graph, list[str]()
    factors = [f"factor.{value.name}" for value in graph.output]
    for value, factor, output in zip(graph.output, factors, outputs, strict=True):
        graph.input.append(
            helper.make_tensor_value_info(factor, TensorProto.FLOAT, list(output.shape))
        )
        sums.append(f"sum.{value.name}")
        graph.node.append(helper.make_node("Mul", [value.name, factor], [f"{sums[-1]}/each"]))
        graph.node.append(
            helper.make_node("ReduceSum", [f"{sums[-1]}/each"], sums[-1:], keepdims=0)
        )
    graph.node.append(helper.make_node("Sum", sums, ["loss"]))
    return factors


def initializer_of(arrays: dict[str, Array], name: str, weight: Array) -> tuple[str, bool]:
    """The initializer that holds a parameter, and whether it is transposed there."""
    if name in arrays and np.array_equal(arrays[name], weight):
        return name, False
    for id, array in arrays.items():
        if np.array_equal(array, weight):
            return id, False
        if weight.ndim == 2 and np.array_equal(array, weight.T):
            return id, True
    raise AssertionError(f"no initializer holds {name}")


def compare(
    name: str,
    way: str,
    training: bool,
    folder: Path,
    dropout: bool = False,
    fresh: bool = False,
    **modes: Any,
) -> popir.TrainingSession:
    """Trains the network for a step, and compares all gradients with PyTorch's in double."""
    network, given = made(name, training, dropout, fresh)
    model = exported(network, given, way, folder)
    apart = separate_merged(load(model)).model if fresh else model
    arrays = {t.name: numpy_helper.to_array(t) for t in apart.graph.initializer}
    inputs = [value.name for value in model.graph.input if value.name not in arrays]
    network, given = made(name, training, dropout, fresh)  # Exporting moves running statistics.
    places = {
        id: initializer_of(arrays, id, weight.detach().numpy())
        for id, weight in network.named_parameters()
        if not fresh or np.array_equal(arrays.get(id, []), weight.detach().numpy())
    }
    with torch.no_grad():
        shapes = made(name, training, dropout, fresh)[0](*given)
    factors = with_loss(model, [shapes] if isinstance(shapes, torch.Tensor) else list(shapes))
    random = np.random.default_rng(3)
    feeds = dict(zip(inputs, (value.numpy() for value in given), strict=True))
    for value in model.graph.input:
        if value.name in factors:
            shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
            feeds[value.name] = random.standard_normal(shape).astype(np.float32)
    masks = [node.output[1] for node in model.graph.node if node.op_type == "Dropout" and dropout]
    anchors = ["loss", *masks, *(f"Gradient___{place}" for place, _ in places.values())]
    session = popir.TrainingSession(
        model,
        popir.DataFlow(1, list(dict.fromkeys(anchors))),
        "loss",
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
        **modes,
    )
    session.prepareDevice()
    found = step(session, feeds)

    drop(network, [found[id] for id in masks])
    exact = [value.double() if value.is_floating_point() else value for value in given]
    results = network.double()(*exact)
    results = [results] if isinstance(results, torch.Tensor) else results
    loss = sum(
        (y * torch.from_numpy(feeds[id]).double()).sum()
        for y, id in zip(results, factors, strict=True)
    )
    assert isinstance(loss, torch.Tensor)
    loss.backward()
    np.testing.assert_allclose(found["loss"], loss.detach(), 1e-3, 1e-4)
    parameters = dict(network.named_parameters())
    wants = {id: parameters[id].grad.numpy() for id in places}
    largest = max(np.abs(want).max() for want in wants.values())
    for id, want in wants.items():
        place, is_transposed = places[id]
        gradient = found[f"Gradient___{place}"]
        scale = max(np.abs(want).max(), 1e-3 * largest)
        gradient = gradient.T if is_transposed else gradient
        np.testing.assert_allclose(gradient, want, 0, 2e-4 * scale, err_msg=id)
    return session


def drop(network: nn.Module, masks: list[Array]) -> None:
    """Makes the network's dropouts, in their order, keep what the masks keep."""
    rest = iter(masks)

    def dropped(module: Any, given: tuple[torch.Tensor], _: torch.Tensor) -> torch.Tensor:
        return given[0] * torch.from_numpy(next(rest)) / (1 - module.p)

    for module in network.modules():
        if isinstance(module, nn.Dropout) and masks:
            module.register_forward_hook(dropped)


TRACED = [name for name in ZOO if name != "llama"]
"""The tracing exporter has no RMS norm."""


@pytest.mark.parametrize("name", TRACED)
def test_traced_for_training(name: str, tmp_path: Path) -> None:
    compare(name, "traced", True, tmp_path)


@pytest.mark.parametrize("name", ["densenet", "gcn"])
def test_traced_for_evaluation(name: str, tmp_path: Path) -> None:
    """Batch norm that does not follow a convolution stays, with its running statistics."""
    compare(name, "traced", False, tmp_path)


def test_the_default_exporter(tmp_path: Path) -> None:
    compare("llama", "default", True, tmp_path)


def test_the_default_exporter_for_training(tmp_path: Path) -> None:
    """It writes batch norm as it runs in evaluation; an option says otherwise."""
    session = compare("vgg", "kept", True, tmp_path, trainingMode=["*"])
    network, given = made("vgg", True)
    with torch.no_grad():
        network(*given)
    session.weightsToHost()
    for id, want in network.named_buffers():
        if want.is_floating_point():
            found = {id: np.empty(want.shape, np.float32)}
            session.readWeights(popir.PyWeightsIO(found))
            np.testing.assert_allclose(found[id], want, 1e-3, 1e-4, err_msg=id)


def test_the_default_exporter_with_sequences(tmp_path: Path) -> None:
    """What `Tensor.split` returns is a sequence, which the exporter's optimizer would undo."""
    compare("vit", "kept", False, tmp_path)


@pytest.mark.parametrize("way", ["traced", "default"])
@pytest.mark.parametrize("name", ["densenet", "convnext", "mixer", "encoder"])
def test_a_network_that_was_never_trained(name: str, way: str, tmp_path: Path) -> None:
    """Exporters merge its zeros and ones; they also leave out what adds zeros, and fold some
    parameters into others.
    """
    session = compare(name, way, False, tmp_path, fresh=True)
    network, _ = made(name, False, fresh=True)
    trained = [name for name, choice in session.choices.items() if choice.role is Role.TRAINED]
    assert len(trained) >= len(list(network.parameters())) / 2


@pytest.mark.parametrize("outlining", [False, True])
@pytest.mark.parametrize("name", ["alexnet", "gpt"])
def test_dropout(name: str, outlining: bool, tmp_path: Path) -> None:
    """PyTorch drops what was dropped here."""
    options = popir.SessionOptions(enableOutlining=outlining)
    compare(name, "traced", True, tmp_path, dropout=True, userOptions=options)
