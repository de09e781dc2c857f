"""Rows of the optimizers of ai.onnx.preview.training, by what ONNX's text says they compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.cases.case import Array, Case

RATE, COUNT = np.array(0.1), np.array(3, np.int64)
POWER = np.abs(np.sin(np.arange(6.0).reshape(2, 3)))


def adagrad(r: Array, t: Array, x: Array, g: Array, h: Array) -> Array:
    g = 0.01 * x + g
    return x - r / (1 + t * 0.1) * g / (np.sqrt(h + g * g) + 1e-3)


def adam(r: Array, t: Array, x: Array, g: Array, v: Array, h: Array) -> Array:
    g = 0.01 * x + g
    v, h = 0.8 * v + (1 - 0.8) * g, 0.9 * h + (1 - 0.9) * g * g
    r = r * np.sqrt(1 - 0.9**t) / (1 - 0.8**t) if t > 0 else r
    return (1 - 0.02) * (x - r * v / (np.sqrt(h) + 1e-3))


def momentum(mode: str) -> Callable[..., Array]:
    def new(r: Array, t: Array, x: Array, g: Array, v: Array) -> Array:
        g = 0.01 * x + g
        v = 0.9 * v + (0.5 if t > 0 else 1.0) * g
        return x - r * (v if mode == "standard" else g + 0.9 * v)

    return new


def step(
    type: str, states: int, attributes: dict[str, Any], formula: Callable[..., Array], **more: Any
) -> Case:
    """A row with one parameter; its states are positive."""
    count = more.pop("count", COUNT)
    inputs = [RATE, count, [2, 3], [2, 3], *[POWER] * states]
    own: Any = {"domain": "ai.onnx.preview.training", "opsets": (1,), "gradient": False}
    return Case(type, inputs, attributes, formula=formula, rtol=1e-5, **own, **more)


NORM = {"norm_coefficient": 0.01}
ADAM = {"alpha": 0.8, "beta": 0.9, "epsilon": 1e-3, "norm_coefficient_post": 0.02, **NORM}
MOMENTUM = {"alpha": 0.9, "beta": 0.5, **NORM}
ZERO = np.array(0, np.int64)
STEPS = [
    Case(
        *("Gradient", [[2, 3]], {"xs": ["x0"], "y": "x0"}),
        domain="ai.onnx.preview.training",
        opsets=(1,),
        formula=np.ones_like,
        gradient=False,
    ),
    step("Adagrad", 1, {"decay_factor": 0.1, "epsilon": 1e-3, **NORM}, adagrad),
    step("Adam", 2, ADAM, adam),
    step("Adam", 2, ADAM, adam, count=ZERO, id="first"),
    *(
        step("Momentum", 1, {**MOMENTUM, "mode": mode}, momentum(mode), count=count, id=id)
        for mode in ("standard", "nesterov")
        for count, id in ((COUNT, mode), (ZERO, f"{mode}-first"))
    ),
]
