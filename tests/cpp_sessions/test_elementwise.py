"""Gradients of element-wise operators by PopART's classes, and orders of operators."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from tests.cpp_sessions.conftest import Program

FUNCTIONS: dict[str, tuple[Callable[..., torch.Tensor], str]] = {
    "abs": (torch.abs, "x"),
    "sin": (torch.sin, "x"),
    "cos": (torch.cos, "x"),
    "exp": (torch.exp, "x"),
    "expm1": (torch.expm1, "x"),
    "log": (torch.log, "x"),
    "log1p": (torch.log1p, "x"),
    "sqrt": (torch.sqrt, "x"),
    "reciprocal": (torch.reciprocal, "x"),
    "add": (torch.add, "row x"),
    "sub": (torch.sub, "column row"),
    "mul": (torch.mul, "x row"),
    "div": (torch.div, "column x"),
    "pow": (torch.pow, "x column"),
    "atan2": (torch.atan2, "x row"),
    "fmod": (torch.fmod, "column row"),
}
"""PyTorch's function and its arguments, by the name of the result."""


def expected() -> dict[str, np.ndarray]:
    """The gradient of each argument but fmod's second one, by "name:index"."""
    values = {
        "x": [[0.5, 1.25, 2], [0.75, 1.5, 3]],
        "row": [0.7, 1.1, 2.5],
        "column": [[1.3], [2.2]],
    }
    g = torch.tensor([[1, -2, 0.5], [3, 0.25, -1]], dtype=torch.float64)
    found = {}
    for name, (function, arguments) in FUNCTIONS.items():
        inputs = [
            torch.tensor(values[each], dtype=torch.float64, requires_grad=True)
            for each in arguments.split()
        ]
        kept = inputs[:1] if name == "fmod" else inputs
        for i, each in enumerate(torch.autograd.grad(function(*inputs), kept, g)):
            found[f"{name}:{i}"] = each.numpy()
    return found


@pytest.mark.parametrize("how", ["plain", "patterns"])
def test_gradients_by_classes(program: Program, how: str) -> None:
    """The session takes them apart, or PopART's patterns do: all but those that are a sum."""
    lines = program("elementwise", how).splitlines()
    if how == "patterns":
        assert lines.pop(0) == "CosGradOp AbsGradOp"
    assert lines.pop(0) == {"plain": "22", "patterns": "3"}[how]
    names, truth = lines.pop(0).split(), expected()
    assert sorted(names) == sorted(truth)
    for name, line in zip(names, lines, strict=True):
        found = np.array([float(word) for word in line.split()])
        np.testing.assert_allclose(found, truth[name].ravel(), rtol=3e-5, atol=1e-6, err_msg=name)


def test_orders(program: Program) -> None:
    """Constraints beside those of the graph, and phases, order operators; none is an error."""
    assert program("elementwise", "orders").splitlines() == [
        "a b c d ",
        "b c a d ",
        "a b c d ",
        "b a c d ",
        "100",
        "error: The main graph has no order of its operators that keeps what is to be before 1 of "
        "them",
        "error: The main graph has no order of its operators that keeps what is to be before 1 of "
        "them",
        "10",
        "error: The main graph has no order of its operators that keeps what is to be before 0 of "
        "them, and execution phases",
        "b c a d ",
        "1",
    ]
