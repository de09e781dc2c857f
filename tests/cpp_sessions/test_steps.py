"""Steps of optimizers in graphs that a program in C++ makes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from tests.cpp_sessions.conftest import Program

X, W = [0.5, 1.0, -2.0, 3.0], [1.0, -2.0, 3.0, -4.0]
PARTS = {
    "sgd0": ("SGD0Combo", "SGD0VarUpdate"),
    "sgd1": ("SGD1Combo", "Accumulate SGD1VarUpdate SGD1AcclUpdate"),
    "sgd2": ("SGD2Combo", "SGD1AcclUpdate Accumulate SGD1VarUpdate"),
    "nesterov1": ("SGD1Combo", "Accumulate SGD1Nesterov SGD1VarUpdate SGD1AcclUpdate"),
    "nesterov2": ("SGD2Combo", "SGD1AcclUpdate Accumulate SGD1Nesterov SGD1VarUpdate"),
    "adam": ("AdamCombo", "Scale ScaledAdd Accumulate Accumulate AdamUpdater AdamVarUpdate"),
    "adamw": ("AdamCombo", "Scale Accumulate Accumulate AdamUpdater AdamVarUpdate"),
    "adamax": ("AdamCombo", "Scale ScaledAdd Accumulate Accumulate AdamUpdater AdamVarUpdate"),
    "adagrad": ("AdaptiveCombo", "Scale ScaledAdd Accumulate RMSPropUpdater ScaledVarUpdate"),
    "rmsprop": ("AdaptiveCombo", "Scale ScaledAdd Accumulate RMSPropUpdater ScaledVarUpdate"),
    "centered": (
        "AdaptiveCombo",
        "Scale ScaledAdd Accumulate Accumulate RMSPropUpdater Accumulate ScaledVarUpdate",
    ),
    "adadelta": (
        "AdaptiveCombo",
        "Scale ScaledAdd Accumulate AdaDeltaUpdater Accumulate ScaledVarUpdate",
    ),
}
"""The step as one operator, and what it is taken apart into."""


def by_torch(kind: str) -> list[list[float]]:
    """The weight after each of three steps. The first of torch's steps has no dampening either."""
    w = torch.tensor(W, requires_grad=True)
    rates: dict[str, Any] = {"lr": 0.1, "weight_decay": 0.02}
    moments: dict[str, Any] = {**rates, "betas": (0.9, 0.99), "eps": 1e-6}
    root: dict[str, Any] = {**rates, "alpha": 0.9, "eps": 1e-4}
    made: dict[str, Callable[[], torch.optim.Optimizer]] = {
        "sgd0": lambda: torch.optim.SGD([w], **rates),
        "sgd1": lambda: torch.optim.SGD([w], momentum=0.9, **rates),
        "nesterov1": lambda: torch.optim.SGD([w], momentum=0.9, nesterov=True, **rates),
        "adam": lambda: torch.optim.Adam([w], **moments),
        "adamw": lambda: torch.optim.AdamW([w], **moments),
        "adamax": lambda: torch.optim.Adamax([w], **moments),
        "adagrad": lambda: torch.optim.Adagrad([w], eps=1e-4, **rates),
        "rmsprop": lambda: torch.optim.RMSprop([w], **root),
        "centered": lambda: torch.optim.RMSprop([w], momentum=0.8, centered=True, **root),
        "adadelta": lambda: torch.optim.Adadelta([w], rho=0.9, eps=1e-4, **rates),
    }
    optimizer = made[kind.replace("2", "1")]()
    found = []
    for _ in range(3):
        optimizer.zero_grad()
        (w * torch.tensor(X)).abs().sum().backward()
        optimizer.step()
        found.append(w.tolist())
    return found


def weights(lines: list[str]) -> np.ndarray:
    """The last three lines."""
    return np.array([[float(word) for word in line.split()] for line in lines[-3:]])


@pytest.mark.parametrize("kind", PARTS)
def test_a_step_taken_apart(program: Program, kind: str) -> None:
    """The parts of the step, and weights as PyTorch's: its numbers are constants."""
    whole, parts = PARTS[kind]
    lines = program("steps", kind).splitlines()
    assert "setFinalLoss" in lines[0]
    assert lines[1] == "111"
    assert lines[2] == f"{whole} of Gradient___w"
    assert lines[3].startswith("1:")
    assert sorted(lines[3][2:].split()) == sorted(parts.split())
    np.testing.assert_allclose(weights(lines), by_torch(kind), rtol=2e-5)


@pytest.mark.parametrize("kind", PARTS)
def test_a_step_with_changeable_numbers(program: Program, kind: str) -> None:
    """Its numbers are tensors of the graph."""
    lines = program("steps", kind, "changeable").splitlines()
    np.testing.assert_allclose(weights(lines), by_torch(kind), rtol=2e-5)


@pytest.mark.parametrize("changeable", [False, True])
def test_lamb(program: Program, changeable: bool) -> None:
    """Against its formula: Adam's direction with decay, times the quotient of the norms."""
    lines = program("steps", "lamb", *["changeable"] * changeable).splitlines()
    assert lines[3].count("LambSquare") == 2
    w, x = np.array(W), np.array(X)
    m, v, expected = np.zeros(4), np.zeros(4), []
    for t in range(1, 4):
        g = np.sign(w * x) * x
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        direction = (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-6) + 0.02 * w
        trust = min(np.linalg.norm(w), 10) / np.linalg.norm(direction)
        w = w - 0.1 * trust * direction
        expected.append(w)
    np.testing.assert_allclose(weights(lines), expected, rtol=2e-5)


@pytest.mark.parametrize("changeable", [False, True])
def test_rmsprop_of_tensorflow(program: Program, changeable: bool) -> None:
    """Against its formula: squares from 1, eps in the root, the learning rate in the momentum, and
    a decay beside it."""
    lines = program("steps", "tensorflow", *["changeable"] * changeable).splitlines()
    w, x = np.array(W), np.array(X)
    squares, momentum, expected = np.ones(4), np.zeros(4), []
    for _ in range(3):
        g = np.sign(w * x) * x
        squares = 0.9 * squares + 0.1 * g * g
        momentum = 0.8 * momentum + 0.1 * g / np.sqrt(squares + 1e-4)
        w = w - (momentum + 0.02 * w)
        expected.append(w)
    np.testing.assert_allclose(weights(lines), expected, rtol=2e-5)


def test_scaled_states(program: Program) -> None:
    """Moments of scaled gradients are multiplied by the ratio of the loss scalings, which is 1."""
    lines = program("steps", "scaled", "changeable").splitlines()
    assert lines[3].count("RescaleAccumulate") == 2
    np.testing.assert_allclose(weights(lines), by_torch("adam"), rtol=2e-5)


def test_weighted_sums(program: Program) -> None:
    """Over either argument, in two steps, and the gradient of L1 with a mean."""
    first, *lines = program("steps", "sums").splitlines()
    assert first.split() == ["ScaledAddLhsInplace", "ScaledAddRhsInplace"]
    found = np.array([[float(word) for word in line.split()] for line in lines])
    x, a, b = np.array([0.5, 0, -2, 3]), np.array(W), np.array([10.0, 20, 30, 40])
    expected = []
    for _ in range(2):
        slope = 4 * 3 / 4 * np.sign(x)
        total = 2 * x + 0.5 * slope
        a = 2 * a + 0.5 * total
        b = 2 * a + 0.5 * b
        expected += [slope, total, a, b, total + slope]
    np.testing.assert_allclose(found, expected)


def test_scaling_of_a_loss_of_halves(program: Program) -> None:
    """Three samples count, so that a third of the scaling is at their labels; as a half the scaling
    is infinite.
    """
    said, *_ = lines = program("steps", "scaledLoss").splitlines()
    assert said == "10 narrow FLOAT16 [4 2]"
    at_labels = [-np.inf, 0, 0, -np.inf, 0, -np.inf, 0, 0]
    assert [float(word) for word in lines[1].split()] == at_labels
    said, found = program("steps", "scaledLoss", "applied").splitlines()
    assert said == "1010 scaling FLOAT16 [4 2]"
    assert [float(word) for word in found.split()] == [-32768, 0, 0, -32768, 0, -32768, 0, 0]


@pytest.mark.parametrize(("above", "after"), [(0, [16, 32]), (1, [4, 2])])
def test_the_factor_of_automatic_loss_scaling(
    program: Program, above: int, after: list[float]
) -> None:
    """It is doubled while at most the default share of the gradients, 1e-7, is too large."""
    lines = program("steps", "lossScale", "100", str(above)).splitlines()
    assert [float(line) for line in lines] == after
