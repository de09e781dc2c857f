"""Small modules over the breadth of PyTorch's functions, as its exporters write them: the results,
and after a step of training all parameters, are PyTorch's.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper

import popir
from tests.models import run, step, training_session
from tests.networks.modules import MODULES, Functional
from tests.networks.test_zoo import with_loss

Array = np.ndarray[Any, Any]
RATE = 0.05


def made(name: str) -> Functional:
    """The module with weights that differ from each other."""
    torch.manual_seed(0)
    module = Functional(MODULES[name]).eval()
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return module


def exported(name: str, way: str, opset: int, folder: Path) -> onnx.ModelProto:
    """The module as ONNX: "traced", with parameters as they are ("kept"), or "default"."""
    options: dict[str, Any] = {"dynamo": False}
    if way == "kept":
        mode = torch.onnx.TrainingMode.PRESERVE
        options |= {"training": mode, "do_constant_folding": False}
    elif way == "default":
        options = {"dynamo": True, "verbose": False, "external_data": False, "optimize": False}
    names = [f"x{i}" for i in range(len(MODULES[name].inputs))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            made(name),
            tuple(MODULES[name].inputs),
            str(folder / "m.onnx"),
            opset_version=opset,
            input_names=names,
            **options,
        )
    return onnx.load(folder / "m.onnx")


def close(found: Array, want: torch.Tensor, what: str) -> None:
    """Within rounding of the largest element; integers are equal."""
    expected = want.detach().numpy()
    assert found.shape == expected.shape, what
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected, what)
        return
    largest = np.abs(expected).max(initial=1e-3)
    np.testing.assert_allclose(found, expected, 1e-3, 2e-4 * largest, err_msg=what)


def results(module: Functional, given: list[torch.Tensor]) -> list[torch.Tensor]:
    found = module(*given)
    return [found] if isinstance(found, torch.Tensor) else list(found)


def compare_results(name: str, model: onnx.ModelProto) -> None:
    inputs = {f"x{i}": x.numpy() for i, x in enumerate(MODULES[name].inputs)}
    inputs = {value.name: inputs[value.name] for value in model.graph.input}
    ids = [value.name for value in model.graph.output]
    found = run(model, inputs, ids)
    for id, want in zip(ids, results(made(name), list(MODULES[name].inputs)), strict=True):
        close(found[id], want, id)


def compare_step(name: str, model: onnx.ModelProto) -> None:
    """All parameters after a step of SGD, and the gradients of inputs."""
    module = made(name)
    given = [x.clone().requires_grad_(x.is_floating_point()) for x in MODULES[name].inputs]
    wants = results(module, given)
    kept = [i for i, want in enumerate(wants) if want.requires_grad]
    trained = [model.graph.output[i] for i in kept]
    del model.graph.output[:]
    model.graph.output.extend(trained)
    random = np.random.default_rng(3)
    feeds = {f"x{i}": x.detach().numpy() for i, x in enumerate(given)}
    feeds = {value.name: feeds[value.name] for value in model.graph.input}
    factors = with_loss(model, [wants[i] for i in kept])
    loss = torch.zeros(())
    for i, factor in zip(kept, factors, strict=True):
        drawn = random.standard_normal(wants[i].shape) / wants[i].numel()
        feeds[factor] = np.asarray(drawn, np.float32)
        loss = loss + (wants[i] * torch.from_numpy(feeds[factor])).sum()
    loss.backward()
    inputs = [f"x{i}" for i, x in enumerate(given) if x.grad is not None]
    anchors = [f"Gradient___{id}" for id in inputs]
    session = training_session(model, "loss", anchors, popir.ConstSGD(RATE))
    found = step(session, feeds)
    for id in inputs:
        close(found[f"Gradient___{id}"], given[int(id[1:])].grad, id)
    arrays = {t.name: np.empty_like(numpy_helper.to_array(t)) for t in model.graph.initializer}
    parameters = {id: w for id, w in module.named_parameters() if w.grad is not None}
    assert set(parameters) <= set(arrays)
    after = {id: arrays[id] for id in parameters}
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(after))
    for id, weight in parameters.items():
        assert weight.grad is not None
        close(after[id], weight - RATE * weight.grad, id)


@pytest.mark.parametrize("opset", [17, 20])
@pytest.mark.parametrize("name", sorted(MODULES))
def test_traced(name: str, opset: int, tmp_path: Path) -> None:
    compare_results(name, exported(name, "traced", opset, tmp_path))
    compare_step(name, exported(name, "kept", opset, tmp_path))


DEFAULT = {
    20: ("experts", "masked", "bags", "cached"),
    23: ("windows", "shaped", "mask_assigned", "stacks", "cached"),
}


@pytest.mark.parametrize(
    ("name", "opset"), [(name, opset) for opset, names in DEFAULT.items() for name in names]
)
def test_the_default_exporter(name: str, opset: int, tmp_path: Path) -> None:
    model = exported(name, "default", opset, tmp_path)
    compare_results(name, model)
    compare_step(name, model)
