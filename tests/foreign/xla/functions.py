"""Functions of JAX, one or a few operators of HLO each, on values that are easy to get wrong.

`oracle.py` runs them in a process of its own, which has JAX; the tests read their names alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]
S = np.array(
    [0.0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 0.5, -0.5, 1.5, -1.5, 2.5, 1e30, -1e30, 3e9, -200],
    np.float32,
)
T = np.roll(S, 5)
N = np.array([0, 1, -1, 2, -2, 127, -128, 7, 2**31 - 1, -(2**31)], np.int32)
J = np.array([0, -1, 3, 0, 5, -1, 2, -1, -1, -1], np.int32)
BY = np.array([0, 1, 5, 31, 32, 40, 2, 1, 3, 31], np.int32)
A = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
B = np.random.default_rng(1).normal(size=(4, 5)).astype(np.float32)
C = np.random.default_rng(2).normal(size=(2, 3, 4)).astype(np.float32)
TRUTH, LIES = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
BF = ml_dtypes.bfloat16
I8 = np.array([100, 100, 5, -128], np.int8)
U8 = np.array([0, 5, 255, 200], np.uint8)
OPERANDS: dict[str, tuple[Array, ...]] = {
    "mixed_bfloat16": (A.astype(BF), B.astype(BF)),
    "mixed_int8": ((A * 100).astype(np.int8), (B * 100).astype(np.int8)),
    "batched": (C, np.moveaxis(C, 1, 2).copy()),
    "divided": (N, J),
    "divided_int8": (I8, np.array([0, -1, 3, -1], np.int8)),
    "divided_unsigned": (U8, np.array([0, 2, 0, 7], np.uint8)),
    "truths": (TRUTH, LIES),
    "unsigned": (U8,),
    "sums": (I8, U8, TRUTH),
    "shifted": (N, BY),
    "shifted_unsigned": (U8, np.array([1, 7, 8, 3], np.uint8)),
    "bits": (N, U8),
    "angles": (S, T),
    "roots": (S,),
    "moved": (A, C),
    "padded": (A, C),
}
"""The operands of each function."""


def made(jax: Any) -> dict[str, Callable[..., Any]]:
    """The functions by name, of the module `jax`."""
    jnp, lax = jax.numpy, jax.lax

    def reduced(x: Any, start: Any, combine: Any) -> Any:
        return lax.reduce(x, start, combine, (0,))

    return {
        "mixed_bfloat16": lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32),
        "mixed_int8": lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32),
        "batched": lambda a, b: jnp.einsum("bij,bjk->kbi", a, b),
        "divided": lambda a, b: (lax.div(a, b), lax.rem(a, b), a // b, a % b),
        "divided_int8": lambda a, b: (lax.div(a, b), lax.rem(a, b)),
        "divided_unsigned": lambda a, b: (lax.div(a, b), lax.rem(a, b)),
        "truths": lambda a, b: (lax.max(a, b), lax.min(a, b), a < b, a >= b, a + b, a * b),
        "unsigned": lambda x: (-x, ~x),
        "sums": lambda i, u, t: (
            reduced(i, np.int8(3), lax.add),
            reduced(i, np.int8(-128), lax.max),
            reduced(u, np.uint8(1), lax.add),
            reduced(t, np.bool_(False), lax.bitwise_or),
            reduced(t, np.bool_(True), lax.bitwise_and),
        ),
        "shifted": lambda a, b: (
            lax.shift_left(a, b),
            lax.shift_right_logical(a, b),
            lax.shift_right_arithmetic(a, b),
        ),
        "shifted_unsigned": lambda a, b: (
            lax.shift_left(a, b),
            lax.shift_right_logical(a, b),
            lax.shift_right_arithmetic(a, b),
        ),
        "bits": lambda a, b: (lax.population_count(a), lax.clz(a), lax.population_count(b)),
        "angles": lambda a, b: (jnp.arctan2(a, b), lax.rem(a, b), lax.pow(a, b)),
        "roots": lambda x: (lax.cbrt(x), lax.cbrt(x.astype(BF)), lax.rsqrt(x), lax.sign(x)),
        "moved": lambda a, c: (
            a.T,
            jnp.flip(c, (0, 2)),
            c[:, ::-2, 1:3],
            jnp.broadcast_to(a[:, None], (3, 2, 4)),
            jnp.concatenate([c, c * 2], 1),
            c[:, 1:1],
        ),
        "padded": lambda a, c: (
            lax.pad(a, np.float32(1), ((0, 0, 1), (1, -1, 2))),
            lax.pad(a, np.float32(1), ((-1, 2, 0), (1, -2, 0))),
            lax.pad(c, np.float32(7), ((0, 0, 0), (1, 1, 3), (2, 0, 0))),
        ),
    }
