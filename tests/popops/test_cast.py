"""popops.cast: every pair of types."""

import itertools

import numpy as np
import pytest

from popir import errors, poplar, popops
from tests.device import TYPES, run

DTYPES = list(TYPES)
VALUES = [0, 1, -1, 2, 3.5, -3.5, 0.5, -0.25, 127, 128, 255, 256, -129, 1e4, -7e4, 3e9, -3e9, 1e19]


def values(dtype):
    if dtype.kind == "b":
        return np.array([False, True, True])
    if dtype.kind == "f":
        limited = [v for v in VALUES if abs(v) <= float(np.finfo(dtype).max)]
        return np.array([*limited, np.inf, -np.inf, np.nan], dtype)
    info = np.iinfo(dtype)
    return np.array([v for v in (0, 1, -1, 77, info.min, info.max) if info.min <= v], dtype)


def oracle(x, dtype):
    """Python's own numbers: floating point to integer saturates, integers are modulo."""
    if dtype.kind == "b":
        return x != 0
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return x.astype(dtype)
    info = np.iinfo(dtype)
    if x.dtype.kind != "f":
        return x.astype(dtype)

    def one(v):
        if np.isnan(v):
            return 0
        return info.max if v > info.max else info.min if v < info.min else int(v)

    return np.array([one(v) for v in x.astype(object)], dtype)


@pytest.mark.parametrize(("src", "dst"), list(itertools.product(DTYPES, DTYPES)), ids=str)
def test_every_pair(src, dst):
    x = np.resize(values(src), 100)
    result = run(lambda g, t, prog: popops.cast(g, t, TYPES[dst], prog), x)
    assert result.dtype == dst
    np.testing.assert_array_equal(result, oracle(x, dst))


@pytest.mark.parametrize("src", [np.dtype(np.float32), np.dtype(np.float64)], ids=str)
@pytest.mark.parametrize("count", [1, 7, 31, 32, 33, 1000])
def test_floats_to_integers_on_every_length(src, count):
    near = np.random.default_rng(count).uniform(-400, 400, count).astype(src)
    near[::3] = np.trunc(near[::3])
    far = near.copy()
    far[:: max(count // 9, 1)] = np.resize([3e9, -3e9, 2.0**52, -(2.0**63), np.nan], count)[
        :: max(count // 9, 1)
    ]
    for dst in DTYPES:
        if dst.kind in "iu":
            for x in (near, far, np.abs(near)):
                result = run(lambda g, t, prog, dst=dst: popops.cast(g, t, TYPES[dst], prog), x)
                np.testing.assert_array_equal(result, oracle(x, dst), err_msg=str(dst))


def test_rounding_to_half_is_to_nearest_even():
    x = np.random.default_rng(0).standard_normal(100000).astype(np.float32) * 1e-4
    result = run(lambda g, t, prog: popops.cast(g, t, poplar.HALF, prog), x)
    np.testing.assert_array_equal(result.view(np.uint16), x.astype(np.float16).view(np.uint16))


def test_into_a_tensor():
    def build(g, t, out, prog):
        popops.castWithOutput(g, t, out.transpose(), prog)
        return out

    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    np.testing.assert_array_equal(run(build, x, np.zeros((3, 2), np.float32)), x.T)


def test_empty():
    result = run(lambda g, t, prog: popops.cast(g, t, poplar.INT, prog), np.zeros((0, 3), "f4"))
    assert result.shape == (0, 3)
    assert result.dtype == np.int32


def test_shapes_must_be_equal():
    def build(g, t, out, prog):
        popops.castWithOutput(g, t, out, prog)

    with pytest.raises(errors.poplibs_exception, match=r"shape \[2\] to shape \[3\]"):
        run(build, np.zeros(2, np.float32), np.zeros(3, np.int32))
