"""popops.scaledAddTo and scaledSubtractFrom against numpy, in the type that is computed in."""

import itertools

import numpy as np
import pytest

from popir import errors, popops
from tests.device import run

PAIRS = [
    (np.float32, np.float32),
    (np.float16, np.float16),
    (np.float16, np.float32),
    (np.float32, np.float16),
    (np.float64, np.float64),
    (np.int32, np.int32),
    (np.uint32, np.uint32),
    (np.int64, np.int64),
]
N = 10007


def operands(a, b):
    rng = np.random.default_rng(0)
    if np.dtype(a).kind == "f":
        return rng.standard_normal(N).astype(a), rng.standard_normal(N).astype(b)
    return rng.integers(0, 1000, N).astype(a), rng.integers(0, 1000, N).astype(b)


def computed(a, b):
    return np.float32 if a == np.float16 else a


def apply(f, *arrays):
    def build(g, *tensors):
        f(g, *tensors)
        return tensors[0]

    return run(build, *arrays)


@pytest.mark.parametrize("types", PAIRS, ids=lambda p: f"{p[0].__name__}-{p[1].__name__}")
@pytest.mark.parametrize(
    ("subtract", "tensor"), list(itertools.product([False, True], [False, True]))
)
def test_one_scale(types, subtract, tensor):
    a, b = operands(*types)
    c = computed(*types)
    number = 3 if np.dtype(c).kind != "f" else 0.3
    f = popops.scaledSubtractFrom if subtract else popops.scaledAddTo
    if tensor:
        scale = np.array([number], c if np.dtype(c).kind != "f" else np.float32)
        result = apply(f, a, b, scale)
    else:
        result = apply(lambda g, t, u, prog: f(g, t, u, number, prog), a, b)
    s = c(np.float32(number)) if np.dtype(c).kind == "f" else c(number)
    step = s * b.astype(c)
    expected = (a.astype(c) - step if subtract else a.astype(c) + step).astype(types[0])
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("types", PAIRS[:5], ids=lambda p: f"{p[0].__name__}-{p[1].__name__}")
@pytest.mark.parametrize("tensor", [False, True])
def test_two_scales(types, tensor):
    a, b = operands(*types)
    c = computed(*types)
    p, q = c(np.float32(0.7)), c(np.float32(0.2))
    x, y = a.astype(c), b.astype(c)
    special = popops.ScaledAddSpecialisation.X_MINUS_AX_PLUS_BY
    cases = [
        (popops.scaledAddTo, [], p * x + q * y),
        (popops.scaledSubtractFrom, [], p * x - q * y),
        (popops.scaledAddTo, [special], (x - p * x) + q * y),
    ]
    for f, extra, expected in cases:
        if tensor:
            scales = np.array([[0.7], [0.2]], np.float32)

            def build(g, t, u, v, w, prog, f=f, extra=extra):
                f(g, t, v, u, w, prog, *extra)

            result = apply(build, a, b, *scales)
        else:

            def build(g, t, u, prog, f=f, extra=extra):
                f(g, t, 0.7, u, 0.2, prog, *extra)

            result = apply(build, a, b)
        np.testing.assert_array_equal(result, expected.astype(types[0]))


def test_integers_are_modulo():
    a, b = np.full(3, 2**31 - 1, np.int32), np.full(3, 2, np.int32)
    result = apply(lambda g, t, u, prog: popops.scaledAddTo(g, t, u, 3.0, prog), a, b)
    np.testing.assert_array_equal(result, np.full(3, -(2**31) + 5, np.int32))


def test_threads_and_views():
    rng = np.random.default_rng(1)
    a, b = rng.random((200, 300), np.float32), rng.random((300, 200), np.float32)

    def build(g, t, u, prog):
        popops.scaledAddTo(g, t, u.transpose(), 2.0, prog)
        return t

    np.testing.assert_array_equal(run(build, a, b, threads=2), a + np.float32(2) * b.T)


def test_refusals():
    def build(g, t, u, prog):
        popops.scaledAddTo(g, t, u, 1.0, prog)

    f, i, h = np.zeros(2, np.float32), np.zeros(2, np.int32), np.zeros(3, np.float32)
    with pytest.raises(errors.poplibs_exception, match=r"A is float \[2\], B float \[3\]"):
        run(build, f, h)
    with pytest.raises(errors.poplibs_exception, match=r"A is float \[2\], B int \[2\]"):
        run(build, f, i)
    with pytest.raises(errors.poplibs_exception, match=r"a scale is float \[3\]"):
        run(popops.scaledAddTo, f, f, h)
