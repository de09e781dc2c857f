"""onnxruntime's own operators, of the domain com.microsoft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.ops.cases.case import Array, Case, erf, ints, sigmoid


def row(type: str, inputs: Sequence[Any], id: str = "", **more: Any) -> Case:
    """A row of the domain; `more` are fields of Case, and `given` its attributes."""
    given = more.pop("given", {})
    numbers = {"rtol": 2e-5, "atol": 2e-6, **more}
    return Case(type, inputs, given, domain="com.microsoft", opsets=(1,), id=id, **numbers)


def gelu(x: Array) -> Array:
    return x * 0.5 * (1 + erf(x / np.sqrt(2)))


def group_norm(groups: int, last: bool, silu: bool) -> Callable[..., Array]:
    """GroupNorm, or SkipGroupNorm with a skip of X's shape and a bias."""

    def of(x: Array, gamma: Array, beta: Array, skip: Any = 0.0, bias: Any = 0.0) -> Array:
        x = np.moveaxis(x, -1, 1) if last else x
        skip = np.moveaxis(skip, -1, 1) if last and np.ndim(skip) == x.ndim else skip
        wide = (-1, *[1] * (x.ndim - 2))
        x = x + (np.reshape(skip, (*np.shape(skip), *wide[1:])) if np.ndim(skip) == 2 else skip)
        x = x + (np.reshape(bias, wide) if np.ndim(bias) else bias)
        rows = x.reshape(len(x), groups, -1)
        centred = rows - rows.mean(2, keepdims=True)
        y = centred / np.sqrt((centred**2).mean(2, keepdims=True) + 1e-5)
        y = y.reshape(x.shape) * gamma.reshape(wide) + beta.reshape(wide)
        y = y * sigmoid(y) if silu else y
        return np.moveaxis(y, 1, -1) if last else y

    return of


def bias_softmax(x: Array, bias: Array) -> Array:
    e = np.exp(x + bias)
    return e / e.sum(-1, keepdims=True)


WORDS, SEGMENTS = ints(1, 3, 0, 2, 2, 4, dtype=np.int32), ints(0, 0, 1, 0, 1, 1, dtype=np.int32)
TABLES = [[5, 4], [3, 4], [2, 4], [4], [4]]
MASK = ints(1, 1, 0, 1, 0, 0, dtype=np.int32).reshape(2, 3)

FUSED = [
    row("Gelu", [[2, 3]]),
    row("FastGelu", [[2, 3]]),
    row("FastGelu", [[2, 3], [3]], "bias"),
    row("BiasGelu", [[2, 3], [3]]),
    row("QuickGelu", [[2, 3]]),
    row("QuickGelu", [[2, 3]], "alpha", given={"alpha": 0.5}),
    row(
        "BiasSplitGelu",
        [[2, 3, 4], [4]],
        formula=lambda x, b: (x + b)[..., :2] * gelu((x + b)[..., 2:]),
    ),
    row("BiasAdd", [[2, 3, 4], [4], [2, 3, 4]], formula=lambda x, b, s: x + b + s),
    row(
        "BiasSoftmax",
        [[2, 3, 4], [2, 1, 4]],
        given={"axis": 2, "is_inner_broadcast": 1},
        formula=bias_softmax,
    ),
    row(
        "BiasSoftmax",
        [[2, 3, 4], [3, 4]],
        "outer",
        given={"axis": 2, "is_inner_broadcast": 0},
        formula=bias_softmax,
    ),
]
NORMS = [
    row("SkipLayerNormalization", [[2, 3, 4], [2, 3, 4], [4]], atol=1e-5),
    row(
        "SkipLayerNormalization",
        [[2, 3, 4], [3, 4], [4], [4], [4]],
        "bias",
        given={"epsilon": 0.1},
        atol=1e-5,
    ),
    row("SkipSimplifiedLayerNormalization", [[2, 3, 4], [2, 3, 4], [4]], atol=1e-5),
    row(
        "SkipSimplifiedLayerNormalization",
        [[5, 4], [5, 4], [4], [4]],
        "tokens",
        given={"epsilon": 0.1},
        atol=1e-5,
    ),
    row(
        "EmbedLayerNormalization",
        [WORDS.reshape(2, 3), SEGMENTS.reshape(2, 3), *TABLES, MASK],
        outputs=3,
        atol=1e-5,
    ),
    row(
        "EmbedLayerNormalization",
        [
            WORDS.reshape(2, 3),
            None,
            *TABLES[:2],
            None,
            *TABLES[3:],
            None,
            ints(2, 0, 1, dtype="i4")[None],
        ],
        "positions",
        given={"epsilon": 0.1},
        outputs=2,
        atol=1e-5,
    ),
    row(
        "GroupNorm",
        [[2, 3, 2, 4], [4], [4]],
        given={"groups": 2, "activation": 1},
        formula=group_norm(2, True, True),
        atol=1e-5,
    ),
    row(
        "GroupNorm",
        [[2, 4, 3], [4], [4]],
        "first",
        given={"groups": 2, "activation": 0, "channels_last": 0},
        formula=group_norm(2, False, False),
        atol=1e-5,
    ),
    row(
        "SkipGroupNorm",
        [[2, 3, 2, 4], [4], [4], [2, 3, 2, 4], [4]],
        given={"groups": 2, "activation": 1},
        formula=group_norm(2, True, True),
        atol=1e-5,
    ),
    row(
        "SkipGroupNorm",
        [[2, 4, 3], [4], [4], [2, 4]],
        "row",
        given={"groups": 4, "activation": 0, "channels_last": 0},
        formula=group_norm(4, False, False),
        atol=1e-5,
    ),
    Case("SimplifiedLayerNormalization", [[2, 3, 4], [4]], opsets=(17,), rtol=2e-5, atol=1e-5),
    Case(
        "SimplifiedLayerNormalization",
        [[2, 3, 4], [3, 4]],
        {"axis": 1, "epsilon": 0.1},
        opsets=(17,),
        rtol=2e-5,
        atol=1e-5,
        id="axis",
    ),
]
MICROSOFT = [*FUSED, *NORMS]
