"""Networks with batch normalization, exported by PyTorch for training: after 50 steps weights and
running statistics are PyTorch's own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper
from torch import nn

import popir
from tests.models import step, training_session

Array = np.ndarray[Any, Any]
RATE, STEPS = 0.05, 50


class Images(nn.Module):
    """Two convolutions, momenta of their own."""

    shape = (4, 3, 6, 6)

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 4, 3, bias=False), nn.Conv2d(4, 4, 3)
        self.bn1, self.bn2 = nn.BatchNorm2d(4), nn.BatchNorm2d(4, momentum=0.3, eps=1e-3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.bn1(self.first(x)))
        return self.bn2(self.second(y)).mean((2, 3))


class Rows(nn.Module):
    """Data without space: [batch, channels]."""

    shape = (5, 6)

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class Volumes(nn.Module):
    """Three dimensions of space, then one."""

    shape = (2, 3, 2, 3, 2)

    def __init__(self) -> None:
        super().__init__()
        self.volumes, self.lines = nn.BatchNorm3d(3), nn.BatchNorm1d(3, momentum=0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.lines(self.volumes(x).flatten(2))).mean(2)


class Twice(nn.Module):
    """One layer, used twice: the second use finds the statistics that the first one left."""

    shape = (4, 2, 5)

    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(2)
        self.conv = nn.Conv1d(2, 2, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.sin(self.bn(self.conv(x)))
        return (y + self.bn(2 * y + 1)).mean(2)


class Frozen(nn.Module):
    """No weights in one layer, frozen statistics in another."""

    shape = (4, 3, 5)

    def __init__(self) -> None:
        super().__init__()
        self.plain = nn.BatchNorm1d(3, affine=False)
        self.conv = nn.Conv1d(3, 3, 3)
        self.own = nn.BatchNorm1d(3, track_running_stats=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.own(self.conv(self.plain(x)))).mean(2)


def exported(module: nn.Module, given: torch.Tensor, folder: Path, opset: int) -> onnx.ModelProto:
    """The module in training, with half the mean square of its output as the tensor `loss`."""
    file = folder / "m.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            (given,),
            str(file),
            dynamo=False,
            opset_version=opset,
            training=torch.onnx.TrainingMode.TRAINING,
            do_constant_folding=False,
            input_names=["x"],
            output_names=["y"],
        )
    return with_loss(onnx.load(file))


def with_loss(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model, with half the mean square of its first output as the tensor `loss`."""
    y = model.graph.output[0].name
    model.graph.node.extend(
        [
            helper.make_node("Constant", [], ["half"], value_float=0.5),
            helper.make_node("Mul", [y, y], ["square"]),
            helper.make_node("ReduceMean", ["square"], ["mean"], keepdims=0),
            helper.make_node("Mul", ["mean", "half"], ["loss"]),
        ]
    )
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("loss", 1, []))
    return model


def trained_by_torch(module: nn.Module, batches: torch.Tensor) -> dict[str, Array]:
    """Parameters and buffers after a step of plain SGD for each batch."""
    optimizer = torch.optim.SGD(module.parameters(), RATE)
    for batch in batches:
        optimizer.zero_grad()
        (0.5 * module(batch).square().mean()).backward()
        optimizer.step()
    return {
        name: value.detach().numpy().copy()
        for name, value in module.state_dict().items()
        if value.is_floating_point()
    }


def trained_here(
    model: onnx.ModelProto, batches: torch.Tensor, like: dict[str, Array], per_step: int = 1
) -> dict[str, Array]:
    """The same by popir; `like` are arrays for the results."""
    optimizer = popir.ConstSGD(RATE)
    session = training_session(model, "loss", ["loss"], optimizer, batches=per_step)
    for group in batches.numpy().reshape(-1, per_step, *batches.shape[1:]):
        step(session, {"x": group if per_step > 1 else group[0]})
    session.weightsToHost()
    found = {name: np.empty_like(value) for name, value in like.items()}
    session.readWeights(popir.PyWeightsIO(found))
    return found


def restore(module: nn.Module, model: onnx.ModelProto) -> None:
    """Gives the module the model's weights and statistics: exporting has run it."""
    known = {t.name: torch.tensor(numpy_helper.to_array(t)) for t in model.graph.initializer}
    module.load_state_dict(
        {**module.state_dict(), **{n: known[n] for n in module.state_dict() if n in known}}
    )


def batches_for(module: Any, count: int = STEPS) -> torch.Tensor:
    random = torch.Generator().manual_seed(1)
    return 1 + 2 * torch.randn(count, *module.shape, generator=random)


def made(kind: Callable[[], nn.Module]) -> nn.Module:
    torch.manual_seed(0)
    return kind().train()


@pytest.mark.parametrize("opset", [9, 13, 15])
@pytest.mark.parametrize("kind", [Images, Rows, Volumes, Twice, Frozen])
def test_fifty_steps_are_those_of_torch(
    kind: Callable[[], nn.Module], opset: int, tmp_path: Path
) -> None:
    module = made(kind)
    batches = batches_for(module)
    model = exported(module, batches[0], tmp_path, opset)
    restore(module, model)
    want = trained_by_torch(module, batches)
    found = trained_here(model, batches, want)
    for name, value in want.items():
        np.testing.assert_allclose(found[name], value, 2e-4, 2e-5, err_msg=name)
