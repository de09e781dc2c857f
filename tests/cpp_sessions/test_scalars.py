"""Numbers that updates of weights read, in C++: popart/compoundscalarhelper.hpp."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.cpp_sessions.conftest import PYTHON
from tests.toolchain import run

LR, WD, MM, DP, VS, LS = 0.5, 0.25, 0.75, 0.5, 2.0, 8.0


def sgd(batches: int, replicas: int, mean: bool) -> list[float]:
    """By the formulas of PopART's comments in popart/sgd.hpp."""
    accumulated, after = batches > 1, mean
    af = batches if accumulated and after else 1
    rf = replicas if replicas > 1 and after else 1
    summed = replicas if accumulated else 1
    one = 1.0 if accumulated == mean else replicas if accumulated else 1 / replicas
    return [
        1 - LR * (1 - DP) * WD,
        LR * (1 - DP) / (LS * af * rf),
        (1 - DP) * WD * VS,
        LR / (VS * summed),
        (1 - DP) * VS * one / (LS * (batches if mean else 1)),
        MM / summed,
        LR / VS,
        (1 - DP) * VS / (LS * af * rf),
        MM,
        WD,
        MM,
        VS * summed,
        VS,
        af / ((1 - DP) * VS * one),
        af * rf / ((1 - DP) * VS),
    ]


@pytest.fixture(scope="module")
def lines(compiled: Callable[[str], Path]) -> list[str]:
    program = compiled("scalars")
    return run(program, cwd=program.parent, env=PYTHON).splitlines()


@pytest.mark.parametrize(
    ("line", "batches", "replicas", "mean"),
    [(1, 1, 1, False), (2, 4, 2, True), (3, 4, 2, False), (4, 1, 2, True)],
)
def test_sgd(lines: list[str], line: int, batches: int, replicas: int, mean: bool) -> None:
    words = lines[line].split()
    values = [float(word.rstrip("v")) for word in words]
    np.testing.assert_allclose(values, sgd(batches, replicas, mean), rtol=1e-6)
    variable = [i for i, word in enumerate(words) if word.endswith("v")]
    assert variable == [1, 4, 5, 7, 8, 10, 13, 14]  # those with the momentum or the loss scaling


def test_ids(lines: list[str]) -> None:
    assert lines[5] == (
        "scaledLearningRate0___specific___w scaledLearningRate0___default___FLOAT '' "
        "scaledMomentum2___default___FLOAT"
    )
    assert lines[6] == "0.5 (const) 0.75 w0"


def test_adam_and_adaptive(lines: list[str]) -> None:
    """Scaled states keep the loss scaling in eps and in a decay that is part of the gradient."""
    assert lines[9] == "0.75 0.5 0.5 0.25 0.125 8v 10 0.015625v "
    assert lines[10] == "0.75 0.5 0.5 2v 1v 8v 10 0.125 "
    assert lines[11] == "0.75v 0.5 0.5 0.25 0.125 8 0.015625 "


def test_errors(lines: list[str]) -> None:
    assert "before setFactorsFromOptions() was called" in lines[0]
    assert "'lossScaling_FLOAT' is not the id of a number 'scaledLearningRate0'" in lines[7]
    assert "is of no single weight" in lines[8]
