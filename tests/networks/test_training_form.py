"""Layers used twice, tied, cloned or detached: a step of what PyTorch's exporters write of them
moves what PyTorch moves, and nothing else.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from torch import Tensor, nn

import popir
from popir.trainable import Role
from tests.models import step, training_session
from tests.networks.test_zoo import exported


class Chain(nn.Module):
    """Layers one after the other."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return (x * x).sum()


class Twice(nn.Module):
    """A linear layer and its normalisation, twice."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.n = nn.Linear(3, 3, bias=False), nn.BatchNorm1d(3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.n(self.a(x)))
        return torch.relu(self.n(self.a(x))).square().sum()


class Detached(nn.Module):
    """A layer that learns from one of its two readers."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        h = self.a(x)
        return (self.b(h.detach() * 2) * h).sum()


def tied() -> nn.Module:
    return Chain(*[nn.Linear(3, 3)] * 2)


def cloned() -> nn.Module:
    layer = nn.Linear(3, 3)
    return Chain(*(copy.deepcopy(layer) for _ in range(3)))


def fresh() -> nn.Module:
    return Chain(nn.LayerNorm(3), nn.Linear(3, 3), nn.LayerNorm(3))


def tied_among_clones() -> nn.Module:
    layer = nn.Linear(3, 3)
    return Chain(layer, copy.deepcopy(layer), layer)


WAYS = ["traced", "default", "kept"]
CASES = [
    *((make, way) for make in (tied, cloned, fresh, tied_among_clones, Twice) for way in WAYS),
    (Detached, "kept"),  # What the others write of it has no detach().
]


@pytest.mark.parametrize(("make", "way"), CASES, ids=[f"{m.__name__}-{way}" for m, way in CASES])
def test_a_step_moves_what_pytorch_moves(
    make: Callable[[], nn.Module], way: str, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    network, x = make().train(), torch.randn(5, 3)
    model = exported(copy.deepcopy(network), (x,), way, tmp_path)
    is_normalised = any(node.op_type == "BatchNormalization" for node in model.graph.node)
    modes: dict[str, Any] = {"trainingMode": ["*"]} if is_normalised and way != "traced" else {}
    (loss,), name = model.graph.output, model.graph.input[0].name
    session = training_session(model, loss.name, optimizer=popir.ConstSGD(0.1), **modes)
    step(session, {name: x.numpy()})
    session.modelToHost(str(tmp_path / "trained.onnx"))
    found = arrays(onnx.load(tmp_path / "trained.onnx"))

    before = arrays(model)
    for id, buffer in network.named_buffers():
        if id in before:  # Exporting runs the network.
            buffer.copy_(torch.tensor(before[id]))
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    network(x).backward()
    optimizer.step()
    wants = {id: want.numpy() for id, want in network.state_dict().items()}
    trained = {id for id, choice in session.choices.items() if choice.role is Role.TRAINED}
    assert trained <= wants.keys()
    # The default exporter's optimizer may have folded one into something else.
    assert len(trained) >= len(list(network.parameters())) - (way == "default")
    for id in wants.keys() & found.keys():
        np.testing.assert_allclose(found[id], wants[id], 1e-4, 1e-5, err_msg=id)


def arrays(model: onnx.ModelProto) -> dict[str, Any]:
    """The initializers."""
    return {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
