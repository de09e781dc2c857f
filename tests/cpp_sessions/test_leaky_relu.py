"""A program with an operator of its own trains a model."""

import numpy as np

from tests.cpp_sessions.conftest import Program


def test_a_program_trains_with_its_own_operator(program: Program) -> None:
    x = np.array([[1, 2, 3], [-1, 0.5, 2]])
    w = np.array([[0.5, -1], [2, 1], [-0.25, 3]])
    losses: list[float] = []
    for _ in range(4):
        z = x @ w
        slope = np.where(z >= 0, 1, 0.25)
        losses.append(0.5 * np.abs(z * slope).sum())
        w = w - 0.125 * (x.T @ (0.5 * np.sign(z) * slope))
    printed = [float(word) for word in program("leaky_relu").split()]
    np.testing.assert_allclose(printed[:4], losses, rtol=1e-5)
    np.testing.assert_allclose(printed[4:], w.ravel(), rtol=1e-5)
