"""Schedules of the learning rate, against PyTorch's schedulers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.optim import lr_scheduler as of

import popir
from popir.errors import popart_exception
from popir.training import Schedule

STEPS, RATE = 50, 0.3
CASES: list[tuple[dict[str, Any], Callable[[Any], Any]]] = [
    ({}, lambda o: of.ConstantLR(o, 1.0)),
    ({"kind": "linear", "steps": 40}, lambda o: of.LinearLR(o, 1.0, 0.0, 40)),
    ({"kind": "linear", "steps": 20, "end": 0.25}, lambda o: of.LinearLR(o, 1.0, 0.25, 20)),
    ({"kind": "cosine", "steps": STEPS}, lambda o: of.CosineAnnealingLR(o, STEPS)),
    (
        {"kind": "cosine", "steps": STEPS, "end": 0.1},
        lambda o: of.CosineAnnealingLR(o, STEPS, 0.1 * RATE),
    ),
    ({"kind": "step", "every": 7}, lambda o: of.StepLR(o, 7)),
    ({"kind": "step", "every": 1, "gamma": 0.9}, lambda o: of.StepLR(o, 1, 0.9)),
]


def rates(make: Callable[[Any], Any], steps: int = STEPS) -> list[float]:
    """The learning rates of PyTorch's scheduler."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], RATE)
    found = []
    with warnings.catch_warnings():
        # SequentialLR calls step() of its schedulers in a way that they warn of.
        warnings.filterwarnings("ignore", "The epoch parameter in `scheduler.step", UserWarning)
        scheduler = make(optimizer)
        for _ in range(steps):
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            scheduler.step()
    return found


@pytest.mark.parametrize("warmup", [0, 1, 8])
@pytest.mark.parametrize(("settings", "make"), CASES, ids=range(len(CASES)))
def test_the_factors_are_pytorchs(
    settings: dict[str, Any], make: Callable[[Any], Any], warmup: int
) -> None:
    def both(optimizer: Any) -> Any:
        if not warmup:
            return make(optimizer)
        rising = of.LinearLR(optimizer, 1 / (warmup + 1), 1.0, warmup)
        return of.SequentialLR(optimizer, [rising, make(optimizer)], [warmup])

    steps = {"steps": settings["steps"] + warmup} if "steps" in settings else {}
    schedule = Schedule(**{**settings, **steps, "warmup": warmup})
    found = [RATE * schedule.factor(step) for step in range(STEPS)]
    np.testing.assert_allclose(found, rates(both), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kind", ["linear", "cosine"])
def test_the_end_is_where_it_stays(kind: str) -> None:
    schedule = Schedule(kind, steps=9, end=0.25)
    assert [schedule.factor(step) for step in (9, 10, 1000)] == [0.25] * 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"kind": "cosin"}, "there is no kind 'cosin'; there are constant, linear, cosine, step. "),
        ({"kind": "cosine"}, "the kind cosine needs steps, a number of steps"),
        ({"kind": "step"}, "the kind step needs every, a number of steps"),
        ({"end": 0.5}, "end = 0.5 does nothing for the kind constant; leave it out"),
        ({"steps": 7}, "steps = 7 does nothing for the kind constant; leave it out"),
        ({"kind": "step", "every": 0}, "every = 0; it is at least 1"),
        ({"kind": "step", "every": 2, "gamma": 1.5}, "gamma = 1.5; it is from 0 to 1"),
        ({"kind": "linear", "steps": 4, "end": float("nan")}, "end = nan; it is from 0 to 1"),
        ({"kind": "linear", "steps": 4, "warmup": 4}, "warmup = 4 leaves nothing of 4 steps"),
        ({"warmup": -1}, "warmup = -1; it is at least 0"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(popart_exception, match=re.escape(said)):
        Schedule(**settings)
    with pytest.raises(popart_exception, match="step = -1; it is 0 or more"):
        Schedule().factor(-1)


def test_learning_rates_of_an_optimizer() -> None:
    """The default and those of single weights change, by the same factor; all else stays."""
    optimizer = popir.Adam({"defaultLearningRate": (0.5, False), "defaultBeta1": (0.8, True)})
    optimizer.insertSpecific("w", {"learningRate": (0.25, False)})
    optimizer.insertSpecific("v", {"weightDecay": (0.125, True)})
    optimizer.scalars("other")
    half = optimizer.withLearningRates(0.5)
    assert [half.learningRates().get(w).val for w in "wv"] == [0.125, 0.25]
    assert [optimizer.learningRates().get(w).val for w in "wv"] == [0.25, 0.5]
    assert half.weightDecays().get("v").val == 0.125
    assert half.value("learningRate", "other") == 0.25
    optimizer.checkReplacement(half)
    with pytest.raises(popart_exception, match=r"'defaultLearningRate' is constant: give it as \("):
        popir.SGD({"defaultLearningRate": (0.5, True)}).withLearningRates(0.5)
    optimizer.insertSpecific("u", {"learningRate": (0.25, True)})
    with pytest.raises(popart_exception, match="'learningRate' of 'u' is constant"):
        optimizer.withLearningRates(0.5)
