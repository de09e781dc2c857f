"""Normalizations."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tests.ops.cases.case import Array, Case


def _normalised(x: Array, scale: Array, bias: Array, mean: Array, var: Array) -> Array:
    return (x - mean) / np.sqrt(var + 1e-5) * scale + bias


_CHANNELS = [[3], [3], np.array([0.1, -0.2, 0.3]), np.array([0.5, 1.5, 0.8])]
NORMALISATION = [
    Case("BatchNormalization", [[2, 3, 4], *_CHANNELS], opsets=(7, 9, 14), atol=1e-5),
    Case(
        "BatchNormalization",
        [[4, 3, 2, 2], *_CHANNELS],
        {"training_mode": 1, "epsilon": 0.1},
        opsets=(14, 15),
        outputs=3,
        atol=1e-5,
        id="training",
    ),
    Case(
        "BatchNormalization",
        [[4, 2, 3], *[[2, 3]] * 3, np.array([[0.5, 1.5, 0.8], [1.2, 0.7, 2.0]])],
        {"spatial": 0},
        opsets=(7,),
        atol=1e-5,
        id="by element",
    ),
    Case(
        "BatchNormalization",
        [[5], *[[1]] * 3, np.array([0.7])],
        opsets=(9, 14),
        formula=lambda *given: _normalised(*given),
        atol=1e-5,
        id="one dimension",
    ),
    Case(
        "BatchNormalization",
        [[2, 3, 4], *_CHANNELS],
        domain="ai.graphcore",
        formula=lambda x, *numbers: _normalised(x, *(n[:, None] for n in numbers)),
        atol=1e-5,
    ),
    Case(
        "CopyVarUpdate",
        [[2, 3], [2, 3]],
        domain="ai.graphcore",
        constants=[0],
        formula=lambda variable, value: value,
        gradient=False,
    ),
]


def _lrn(size: int, x: Array) -> Array:
    """By the definition, with alpha 0.5 and the other defaults."""
    sums = np.zeros_like(x)
    for c in range(x.shape[1]):
        window = x[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1]
        sums[:, c] = np.square(window).sum(1)
    return x / (1 + 0.5 / size * sums) ** 0.75


_TO_5: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5}
NORMALISATION += [
    Case("LpNormalization", [[2, 3, 4]], opsets=(6, 22)),
    *(
        Case("GroupNormalization", shapes, {"num_groups": 2}, opsets=(21,), **_TO_5, id=name)
        for name, shapes in (
            ("of images", [[2, 4, 3], [4], [4]]),
            ("of one image", [[1, 6, 2, 2], [6], [6]]),
        )
    ),
    Case(
        "GroupNormalization",
        [[0, 4, 3], [4], [4]],
        {"num_groups": 2},
        opsets=(21,),
        formula=lambda x, *_: x,
        id="of no image",
    ),
    Case("LpNormalization", [[2, 3, 4]], {"p": 1, "axis": 1}, away=[0], id="absolute"),
    Case("RMSNormalization", [[2, 3, 4], [4]], opsets=(23,), **_TO_5),
    Case(
        "RMSNormalization",
        [[2, 3, 4], [3, 1]],
        {"axis": 1, "epsilon": 0.1},
        opsets=(23,),
        **_TO_5,
        id="of two dimensions",
    ),
    Case("LRN", [[2, 5, 3, 1]], {"size": 3, "alpha": 0.5, "beta": 0.6, "bias": 1.5}),
    Case(
        "LRN",
        [[1, 7, 2]],
        {"size": 4, "alpha": 0.5},
        opsets=(13,),
        formula=partial(_lrn, 4),
        id="even",
    ),
    Case(
        "LRN",
        [[1, 12]],
        {"size": 11, "alpha": 0.5},
        opsets=(13,),
        formula=partial(_lrn, 11),
        id="wide",
    ),
    Case("LayerNormalization", [[2, 3, 4], [4], [4]], atol=1e-5),
    Case(
        "LayerNormalization",
        [[2, 3, 4], [3, 4]],
        {"axis": 1, "epsilon": 0.1},
        outputs=3,
        atol=1e-5,
        id="axes",
    ),
    Case(
        "LayerNormalization",
        [[2, 3, 4], [3, 1], [2, 1, 4]],
        outputs=3,
        atol=1e-5,
        id="a scale for each row",
    ),
    Case("InstanceNormalization", [[2, 3, 4], [3], [3]], atol=1e-5),
    Case(
        *("InstanceNormalization", [[2, 3, 2, 2, 3], [3], [3]], {"epsilon": 0.1}),
        opsets=(22,),
        atol=1e-5,
        id="epsilon",
    ),
]
