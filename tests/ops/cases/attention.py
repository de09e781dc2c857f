"""Attention and positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.attention_formula import attention
from tests.ops.cases.case import Array, Case, ints

HEADS = [[2, 4, 3, 8], [2, 2, 5, 8], [2, 2, 5, 6]]
SEEN = np.tri(3, 5, 1, dtype=bool)
WINDOW = {"left_window_size": 1, "right_window_size": 2}
SIDE_BY_SIDE: dict[str, Any] = {"q_num_heads": 4, "kv_num_heads": 2}
_TO_5: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5}


def _windowed(*inputs: Array | None) -> Array:
    given = [None if a is None else torch.from_numpy(a) for a in inputs]
    return attention(*given, **WINDOW)[0].numpy()


ATTENTION = [
    Case("Attention", HEADS, opsets=(23, 24), **_TO_5),
    Case("Attention", [*HEADS, SEEN], opsets=(23, 24), **_TO_5, id="mask"),
    Case("Attention", [*HEADS, [2, 1, 3, 5]], opsets=(23, 24), **_TO_5, id="added"),
    Case(
        "Attention",
        [[2, 3, 16], [2, 3, 8], [2, 3, 6], None, [2, 2, 4, 4], [2, 2, 4, 3]],
        {**SIDE_BY_SIDE, "is_causal": 1, "softcap": 2.0, "scale": 0.3},
        opsets=(23, 24),
        outputs=4,
        **_TO_5,
        id="past",
    ),
    Case(
        "Attention",
        [*HEADS, None, None, None, ints(5, 2)],
        {"is_causal": 1},
        opsets=(24,),
        **_TO_5,
        id="lengths",
    ),
    Case(
        "Attention",
        [*HEADS, None, None, None, ints(4, 1)],
        WINDOW,
        opsets=(25,),
        formula=_windowed,
        **_TO_5,
        id="window",
    ),
    Case(
        "RotaryEmbedding",
        [[2, 3, 4, 8], [2, 4, 4], [2, 4, 4]],
        opsets=(23,),
        widest="float32",
        id="heads",
    ),
    Case(
        "RotaryEmbedding",
        [[2, 4, 24], [10, 3], [10, 3], ints(3, 0, 9, 1, 1, 2, 5, 4).reshape(2, 4)],
        {"interleaved": 1, "num_heads": 3, "rotary_embedding_dim": 6},
        opsets=(23,),
        widest="float32",
        id="part",
    ),
]
