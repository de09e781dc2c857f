"""Loops and slices as TorchScript writes them: how often and where, the run decides."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from torch import Tensor, nn

import popir
from tests.models import run, step, training_session
from tests.networks.modules import normal
from tests.networks.test_modules import close
from tests.networks.test_zoo import with_loss


class Counted(nn.Module):
    """A state, some 6 times at most."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(0.3 * normal(4, 4, seed=7))

    def forward(self, x: Tensor, n: Tensor) -> Tensor:
        h = x
        for _ in range(min(int(n), 6)):
            h = torch.tanh(h @ self.w) + x
        return h


class Until(nn.Module):
    """Products until they are small, some 8 times at most."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(0.4 * normal(4, 4, seed=7))

    def forward(self, x: Tensor, n: Tensor) -> Tensor:
        i = 0
        while i < 8 and bool(x.abs().sum() > 1.0):
            x = x @ self.w
            i += 1
        return x * n


class Windows(nn.Module):
    """Windows of a sequence, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(0.5 * normal(3, seed=7))

    def forward(self, x: Tensor, n: Tensor) -> Tensor:
        found = torch.zeros(x.size(0)) + n
        for i in range(x.size(1) - 2):
            found = torch.tanh(found + (x[:, i : i + 3] * self.w).sum(1))
        return found


@pytest.mark.parametrize("kind", [Counted, Until, Windows])
def test_results_and_a_step(kind: type[nn.Module], tmp_path: Path) -> None:
    module, file = kind(), tmp_path / "m.onnx"
    example = normal(3, 4), torch.tensor(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = ["x", "n"]
        torch.onnx.export(
            torch.jit.script(module), example, str(file), input_names=names, dynamo=False
        )
    for scale, n in ((1.0, 3), (0.01, 0), (9.0, 9)):
        model = onnx.load(file)
        (output,) = (value.name for value in model.graph.output)
        given = {"x": scale * normal(3, 4), "n": torch.tensor(n)}
        feeds = {value.name: given[value.name].numpy() for value in model.graph.input}
        module.zero_grad()
        want = module(given["x"], given["n"])
        close(run(model, feeds, [output])[output], want, output)
        (factor,) = with_loss(model, [want])
        feeds[factor] = normal(*want.shape, seed=3).numpy()
        if want.requires_grad:  # It does not after no iterations.
            (want * torch.from_numpy(feeds[factor])).sum().backward()
        session = training_session(model, "loss", ["Gradient___w"], popir.ConstSGD(0.1))
        found = step(session, feeds)
        slope = module.w.grad if module.w.grad is not None else torch.zeros_like(module.w)
        weights = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
        np.testing.assert_array_equal(weights["w"], module.w.detach().numpy())
        close(found["Gradient___w"], slope, "w")
