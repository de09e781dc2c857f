"""ext.runningSum and runningProduct, and the gradient of the latter."""

import itertools

import ml_dtypes
import numpy as np
import pytest
import torch

from popir import errors, ext
from tests.device import run
from tests.popops.values import name_of

FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
TYPES = [*FLOATS, np.int32, np.uint32, np.int64, np.uint64]
SHAPES = [((7,), 0), ((1000,), 0), ((3, 300), 1), ((3, 5, 130), 1), ((600, 2), 0), ((2, 0, 3), 1)]
WAYS = list(itertools.product([False, True], repeat=2))


def scan(function, x, axis, exclusive, reverse, threads=1):
    options = ext.ScanOptions(exclusive, reverse)
    return run(lambda g, t, prog: function(g, t, axis, options, prog), x, threads=threads)


def expected(function, x, axis, exclusive, reverse):
    """By numpy, in wide numbers."""
    wide = x.astype(np.float64) if x.dtype.kind not in "iu" else x
    if reverse:
        wide = np.flip(wide, axis)
    if exclusive:
        neutral = np.full_like(np.take(wide, [0], axis), function is np.cumprod)
        wide = np.concatenate([neutral, np.delete(wide, -1, axis)], axis)
    with np.errstate(all="ignore"):
        found = function(wide, axis, dtype=wide.dtype)
    return np.flip(found, axis) if reverse else found


@pytest.mark.parametrize("dtype", TYPES, ids=name_of)
@pytest.mark.parametrize(("shape", "axis"), SHAPES[:-1], ids=str)
def test_every_type_and_way(shape, axis, dtype):
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind in "iu":
        x = rng.integers(0, 2**31, shape).astype(dtype)  # wraps
    else:
        x = rng.uniform(0.9, 1.1, shape).astype(dtype)
    tolerance = {2: 1e-2, 4: 1e-6, 8: 1e-12}[x.dtype.itemsize]
    for exclusive, reverse in WAYS:
        for ours, function in ((ext.runningSum, np.cumsum), (ext.runningProduct, np.cumprod)):
            result = scan(ours, x, axis, exclusive, reverse)
            want = expected(function, x, axis, exclusive, reverse)
            assert result.dtype == x.dtype
            if x.dtype.kind in "iu":
                np.testing.assert_array_equal(result, want)
            else:
                np.testing.assert_allclose(result.astype(np.float64), want, tolerance)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
def test_it_is_rounded_once(dtype):
    """Of small numbers after a large one, each by itself would be lost."""
    x = np.array([1024] + [0.25] * 4096, dtype)
    assert scan(ext.runningSum, x, 0, False, False)[-1] == np.array(2048, dtype)


@pytest.mark.parametrize("lanes", [1, 3, 40])
def test_long_sums_of_floats_are_rounded_once(lanes):
    rng = np.random.default_rng(lanes)
    for x in (rng.uniform(0, 1, (100_003, lanes)), rng.normal(0, 1e3, (100_003, lanes))):
        x = x.astype(np.float32)
        exact = np.cumsum(x.astype(np.float64), 0)
        differences = np.abs(scan(ext.runningSum, x, 0, False, False) - exact)
        largest = np.maximum.accumulate(np.abs(exact), 0).astype(np.float32)
        assert (differences <= 0.501 * np.spacing(largest)).all()


@pytest.mark.parametrize(("exclusive", "reverse"), WAYS)
@pytest.mark.parametrize("inner", [1, 6])
def test_sums_that_are_not_finite(inner, exclusive, reverse):
    """Nor is what overflows in float alone lost: later elements may bring it back."""
    x = np.ones((9, 6), np.float32)
    x[2, 0] = np.inf
    x[4, 1] = np.nan
    x[3:6, 2] = [3e38, 3e38, -3e38]
    x[[3, 5], 3] = [np.inf, -np.inf]
    x[8, 4] = np.inf
    with np.errstate(all="ignore"):
        want = expected(np.cumsum, x, 0, exclusive, reverse).astype(np.float32)
    if inner == 1:
        found = scan(ext.runningSum, x.T.copy(), 1, exclusive, reverse).T
    else:
        found = scan(ext.runningSum, x, 0, exclusive, reverse)
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
@pytest.mark.parametrize("zeros", [0, 1, 2, "all"])
def test_the_gradient_of_a_product(shape, axis, zeros):
    rng = np.random.default_rng(1)
    x = np.where(rng.random(shape) < 0.5, -1, 1) * rng.uniform(0.95, 1.05, shape)
    lines = np.moveaxis(x, axis, 0)
    if zeros == "all":
        x[:] = 0
    elif lines.size:
        lines[rng.permutation(len(lines))[:zeros]] = 0
    g = rng.standard_normal(shape)
    for exclusive, reverse in WAYS:
        t = torch.from_numpy(x.copy()).requires_grad_()
        u = torch.flip(t, [axis]) if reverse else t
        if exclusive and shape[axis]:
            ones = torch.ones_like(u.narrow(axis, 0, 1))
            u = torch.cat([ones, u.narrow(axis, 0, shape[axis] - 1)], axis)
        # A product by multiplications alone, so that PyTorch divides by nothing.
        parts, product = [], None
        for each in u.unbind(axis):
            product = each if product is None else product * each
            parts.append(product)
        if not parts:
            continue
        y = torch.stack(parts, axis)
        y = torch.flip(y, [axis]) if reverse else y
        y.backward(torch.from_numpy(g))
        options = ext.ScanOptions(exclusive, reverse)
        result = run(
            lambda graph, a, b, prog, o=options: ext.runningProductGradient(
                graph, a, b, axis, o, prog
            ),
            x,
            g,
        )
        np.testing.assert_allclose(result, t.grad.numpy(), 1e-9, 1e-9)


def test_nothing_and_threads():
    assert scan(ext.runningSum, np.zeros((2, 0, 3), np.float32), 1, True, False).shape == (2, 0, 3)
    x = np.random.default_rng(2).standard_normal((40, 30, 50)).astype(np.float32)
    for axis in range(3):
        one, more = (scan(ext.runningSum, x, axis, False, True, threads=n) for n in (1, 3))
        np.testing.assert_array_equal(one, more)


def test_refusals():
    f = np.zeros((2, 3), np.float32)
    two = lambda g, t, u, prog: ext.runningProductGradient(g, t, u, 0, ext.ScanOptions(), prog)  # noqa: E731
    for attempt, words in (
        (lambda: scan(ext.runningSum, f, 2, False, False), r"x is float \[2,3\], .* dimension 2"),
        (
            lambda: scan(ext.runningProduct, f.astype(np.int8), 0, False, False),
            r"runningProduct: x is signed char \[2,3\]; give FLOAT",
        ),
        (
            lambda: run(two, f.astype(np.int32), f.astype(np.int32)),
            r"x is int \[2,3\]; give FLOAT, HALF, BFLOAT16 or DOUBLE",
        ),
        (lambda: run(two, f, f[:1]), r"its gradient float \[1,3\]; give one shape"),
    ):
        with pytest.raises(errors.poplibs_exception, match=words):
            attempt()
