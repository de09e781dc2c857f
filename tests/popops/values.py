"""Element types, values of all sizes for them, and how close results must come."""

import ml_dtypes
import numpy as np

SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTS = SIGNED + UNSIGNED
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
NUMBERS = INTS + FLOATS
ALL = [np.bool_, *NUMBERS]


def name_of(dtype):
    return np.dtype(dtype).name


def samples(dtype, n=4001, seed=0):
    """Values of all sizes, special ones among them; some bits of every kind for floats."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
        small = rng.integers(max(info.min, -9), 10, n).astype(dtype)
        x = np.where(rng.random(n) < 0.5, x, small)
        x[:4] = info.min, info.max, 0, 1
        return x
    bits = rng.integers(0, 256, n * dtype.itemsize, dtype=np.uint8).view(dtype)
    near = (rng.normal(size=n) * 4).astype(dtype)
    x = np.where(rng.random(n) < 0.3, bits, near)
    special = [0.0, -0.0, 1, -1, 0.5, -0.5, 2.5, -1.5, np.inf, -np.inf, np.nan]
    x[: len(special)] = np.array(special, np.float32).astype(dtype)
    return x


def wide(x):
    """The same values in a type that rounds much later."""
    return x.astype(np.longdouble if x.dtype == np.float64 else np.float64)


def ulps(y, exact):
    """Errors in units of the last place of `y`'s type, at the exact value."""
    info = ml_dtypes.finfo(y.dtype)
    rounded = exact.astype(y.dtype)
    top = float(info.max)
    size = np.clip(np.abs(exact), float(info.smallest_normal), top)
    unit = np.exp2(np.floor(np.log2(size)) - info.nmant)
    error = np.abs(y.astype(exact.dtype) - exact) / unit
    same = (np.isnan(y) & np.isnan(exact)) | (y == rounded)
    return np.where(same, np.where(np.isfinite(error), error, 0), np.nan_to_num(error, nan=np.inf))


def assert_same(y, want):
    """Equal, NaN to NaN, with the sign of zero."""
    assert y.dtype == want.dtype
    if y.dtype == ml_dtypes.bfloat16:
        y, want = y.astype(np.float32), want.astype(np.float32)
    np.testing.assert_array_equal(y, want)
    if y.dtype.kind == "f":
        zero = want == 0
        np.testing.assert_array_equal(np.signbit(y[zero]), np.signbit(want[zero]))
