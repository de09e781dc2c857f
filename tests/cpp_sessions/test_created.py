"""Sessions of graphs in C++: createFromIr."""

import numpy as np
import pytest

from tests.cpp_sessions.conftest import Program

FORMULAS = {
    0: lambda v, u, f: v + u,
    1: lambda v, u, f: v + f * u,
    2: lambda v, u, f: v + f * u**2,
    3: lambda v, u, f: f * v + u,
    4: lambda v, u, f: f * v + u**2,
    5: lambda v, u, f: f * v + (1 - f) * u,
    6: lambda v, u, f: f * v + (1 - f) * u**2,
    7: lambda v, u, f: np.maximum(f * v, np.abs(u)),
    8: lambda v, u, f: f / (f + 1) * v + 1 / (f + 1) * u,
}
"""By the number of popart::AccumulationType, as popart/op/accumulate.hpp says."""


@pytest.mark.parametrize("type", FORMULAS)
def test_a_graph_of_operators(program: Program, type: int) -> None:
    """What the host sends, what it gets, a called graph, and a variable that is updated in each
    step, against NumPy.
    """
    lines = program("created", "accumulated", str(type), "0.25").splitlines()
    *printed, last = ([float(word) for word in line.split()] for line in lines)
    w, x = np.array([1.0, -2, 3, -4]), np.array([0.5, 1, -2, 3])
    assert len(printed) == 2
    for y in printed:
        w = FORMULAS[type](w, x, 0.25)
        np.testing.assert_allclose(y, np.maximum(w + x, 0), rtol=1e-5)
    np.testing.assert_allclose(last, w, rtol=1e-5)


@pytest.mark.parametrize("way", ["whole", "asks"])
def test_a_loop_of_operators(program: Program, way: str) -> None:
    """A body that reads the number of the iteration, and a tensor after it was overwritten."""
    lines = program("created", "looped", way).splitlines()
    y, z = ([float(word) for word in line.split()] for line in lines)
    expected = np.array([0.5, 1, -2, 3])
    for i in range(3):
        expected = (expected + i) * 2
    np.testing.assert_allclose(y, expected)
    np.testing.assert_allclose(z, expected + expected)


def test_a_model_that_was_prepared(program: Program) -> None:
    """It trains as by a session of its own: the gradient of the sum of positive outputs by the
    identity is all ones.
    """
    assert program("created", "prepared").splitlines() == [
        "error: TrainingSession::createFromIr: Must pass valid DeviceInfo. Given was a null "
        "pointer; DeviceManager makes devices",
        "error: TrainingSession::createFromIr: Must pass valid Ir. Given was a null pointer; "
        "Ir::prepare() makes the graphs of a model",
        "error: InferenceSession::createFromIr: Ir must be prepared. Given was one without graphs; "
        "Ir::prepare() makes those of a model, and createOp() and its kin put operators into "
        "getMainGraph()",
        "1",
        "error: TrainingSession::createFromIr: this Ir belongs to another session already; "
        "prepare or fill another one",
        "1 2 3 4 ",
        "0.5 1.5 2.5 3.5 ",
        "0.25 1.25 2.25 3.25 ",
    ]


def test_graphs_that_cannot_be_lowered(program: Program) -> None:
    lines = program("created", "refused").splitlines()
    words = [
        "loads 'z', which is no stream of the main graph.",
        "'x' is copied from or to the host in 'body', a graph that is called;",
        "gives the host 'x', which is no anchor.",
        "SessionOptions.enableGradientAccumulation: a graph that the program has made is lowered",
        "The anchor 'z' is no tensor of the model.",
        "modelToHost: the session 'inference' has no model: a program has made its graph.",
        "updateOptimizerFromHost: the graphs of this session were made by the program",
    ]
    assert len(lines) == len(words)
    for line, each in zip(lines, words, strict=True):
        assert line.startswith("error: ")
        assert each in line
