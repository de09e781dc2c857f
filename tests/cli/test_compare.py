"""The comparison of two opinions."""

import ml_dtypes
import numpy as np
import pytest

from popir.cli.compare import coarsest, compare
from popir.cli.exits import CommandError

B = np.array([[1.0, -200.0], [0.0, 1e-9]], np.float32)


def test_equal_arrays_agree() -> None:
    found = compare("y", B, B.copy(), None, None)
    assert found.ok and (found.absolute, found.relative, found.outside) == (0, 0, 0)


@pytest.mark.parametrize(
    ("dtype", "error", "ok"),
    [
        (np.float32, 5e-4, True),
        (np.float32, 5e-3, False),
        (np.float16, 5e-3, True),
        (np.float16, 5e-2, False),
        (ml_dtypes.bfloat16, 4e-2, True),
        (ml_dtypes.bfloat16, 2e-1, False),
        (np.float64, 5e-3, False),
    ],
)
def test_the_default_tolerance_is_the_types(dtype: type, error: float, ok: bool) -> None:
    b = np.linspace(1, 3, 7).astype(dtype)
    assert compare("y", (b * (1 + error)).astype(dtype), b, None, None).ok is ok


def test_float_results_of_a_half_model_have_halfs_precision() -> None:
    b = np.linspace(1, 3, 7, dtype=np.float32)
    assert not compare("y", b * np.float32(1.005), b, None, None).ok
    for computed in (np.float16, ml_dtypes.bfloat16):
        assert compare("y", b * np.float32(1.005), b, None, None, np.dtype(computed)).ok
    exact = np.arange(3)
    assert not compare("y", exact + 1, exact, None, None, np.dtype(np.float16)).ok


def test_the_coarsest_type_is_that_of_the_fewest_digits() -> None:
    kinds = [np.dtype(d) for d in (np.float32, np.int64, ml_dtypes.bfloat16, np.float16)]
    assert coarsest(kinds) == ml_dtypes.bfloat16
    assert coarsest(kinds[:2]) == np.float32
    assert coarsest([]) == np.float64
    stored = [ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn, ml_dtypes.int4]
    assert coarsest([*map(np.dtype, stored), kinds[0]]) == kinds[0]


def test_types_that_are_only_stored() -> None:
    x = np.array([1.0, 2.0, -4.0])
    floats, ints = x.astype(ml_dtypes.float8_e4m3fn), x.astype(ml_dtypes.int4)
    near = (x * 1.125).astype(floats.dtype)
    wide = np.dtype(np.float32)
    assert compare("y", floats, near, None, None, wide).ok
    assert not compare("y", floats, (x * 1.5).astype(floats.dtype), None, None, wide).ok
    assert compare("y", ints, ints, None, None, wide).ok
    assert not compare("y", ints, (x + 1).astype(ints.dtype), None, None, wide).ok


def test_the_largest_value_sets_the_default_absolute_tolerance() -> None:
    noise = np.float32([[0, 0], [1.9e-3, 0]])
    assert compare("y", B + noise, B, None, None).ok
    assert compare("y", B + noise * 1.2, B, None, None).outside == 1
    assert compare("y", B + noise, B, None, 1e-3).outside == 1


def test_differences_are_numpys() -> None:
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(100).astype(np.float32) for _ in range(2))
    found = compare("y", a, b, 0.1, 0.2)
    wide = np.abs(a.astype(np.float64) - b)
    assert found.absolute == wide.max()
    assert found.relative == (wide / np.abs(b.astype(np.float64))).max()
    assert found.outside == 100 - np.isclose(a.astype(np.float64), b, 0.1, 0.2).sum()


@pytest.mark.parametrize(
    ("a", "b", "outside"),
    [
        (np.nan, np.nan, 0),
        (np.inf, np.inf, 0),
        (np.inf, -np.inf, 1),
        (np.nan, 1.0, 1),
        (1.0, np.inf, 1),
        (np.nan, np.inf, 1),
    ],
)
def test_what_is_not_finite(a: float, b: float, outside: int) -> None:
    found = compare("y", np.float32([a, 1]), np.float32([b, 1]), None, None)
    assert (found.outside, found.absolute) == (outside, 0)


def test_integers_must_be_equal() -> None:
    a, b = np.array([1, 2**40]), np.array([1, 2**40 + 1])
    assert compare("y", a, b, None, None).outside == 1
    assert compare("y", a, b, None, 1).ok


def test_other_types_and_shapes_are_said() -> None:
    with pytest.raises(
        CommandError, match=r"'y' is float32\[2, 2\], with onnxruntime float32\[4\]"
    ):
        compare("y", B, B.reshape(4), None, None)
    with pytest.raises(CommandError, match="with onnxruntime float64"):
        compare("y", B, B.astype(np.float64), None, None)


def test_nothing_compares_equal_to_nothing() -> None:
    assert compare("y", B[:0], B[:0], None, None).ok
