"""Casts to small floats of popfloat, beside ml_dtypes; and the seeds of the tiles."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.arrays import build
from tests.toolchain import run

RANDOM = np.random.default_rng(0)

# mantissa, exponent, bias, whether the largest exponent is infinity's; and the same of ml_dtypes.
FORMATS = [
    ("2 5 15", 1, ml_dtypes.float8_e5m2),
    ("3 4 7", 1, ml_dtypes.float8_e4m3),
    ("4 3 3", 1, ml_dtypes.float8_e3m4),
    ("1 2 1", 0, ml_dtypes.float4_e2m1fn),
    ("3 2 1", 0, ml_dtypes.float6_e2m3fn),
    ("2 3 3", 0, ml_dtypes.float6_e3m2fn),
    ("7 8 127", 1, ml_dtypes.bfloat16),
    ("10 5 15", 1, np.float16),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "small_floats.cpp"
    return build(source, tmp_path_factory.mktemp("small_floats"))


def _cast(
    program: Path,
    x: np.ndarray,
    sizes: str,
    infinity: int,
    rounding: str,
    kept: str = "FP32",
    denormals: int = 1,
    nanoo: int = 0,
    noise: str | None = None,
) -> np.ndarray:
    folder = program.parent
    (folder / "x.bin").write_bytes(x.astype("float32").tobytes())
    part = f"{sizes} {denormals} {infinity} {nanoo} {rounding} {kept} {x.size}"
    run(program, part, *([noise] if noise else []), cwd=folder)
    made = np.fromfile(folder / "kept.bin", "float32")
    if kept == "FP32" and rounding not in ("SR", "SX"):
        np.testing.assert_array_equal(np.fromfile(folder / "inPlace.bin", "float32"), made)
    return made


def _numbers(dtype: Any) -> np.ndarray:
    """The finite numbers of a type that are not negative, in order."""
    bits = np.dtype(dtype).itemsize * 8
    codes = np.arange(2**bits, dtype=f"uint{bits}").view(dtype)
    with np.errstate(invalid="ignore"):  # NaN among the codes
        return np.unique(np.abs(codes[np.isfinite(codes)].astype("float64")))


def _values(numbers: np.ndarray) -> np.ndarray:
    """Numbers, the middles between neighbours, and others."""
    some = RANDOM.choice(len(numbers) - 1, min(len(numbers) - 1, 300), replace=False)
    low, high = numbers[some], numbers[some + 1]
    shares = RANDOM.uniform(0, 1, len(some))
    all_ = np.concatenate([low, high, (low + high) / 2, low + shares * (high - low)])
    x = np.concatenate([all_, -all_]).astype("float32")
    return x[np.abs(x) >= np.finfo("float32").tiny]


@pytest.mark.parametrize(("sizes", "infinity", "dtype"), FORMATS)
def test_to_nearest_is_ml_dtypes(program: Path, sizes: str, infinity: int, dtype: Any) -> None:
    x = _values(_numbers(dtype))
    made = _cast(program, x, sizes, infinity, "RN")
    np.testing.assert_array_equal(made, x.astype(dtype).astype("float32"))


@pytest.mark.parametrize("kept", ["FP32", "INT8"])
def test_a_cast_comes_back_from_a_file(
    program: Path, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = _values(_numbers(ml_dtypes.float8_e4m3))
    grown = _cast(program, x, "3 4 7", 1, "RN", kept)
    monkeypatch.setenv("SAVED", "1")
    (program.parent / "kept.bin").unlink()
    np.testing.assert_array_equal(_cast(program, x, "3 4 7", 1, "RN", kept), grown)


@pytest.mark.parametrize(("sizes", "infinity", "dtype"), FORMATS[:3] + FORMATS[6:7])
def test_packed_bits_are_ml_dtypes(program: Path, sizes: str, infinity: int, dtype: Any) -> None:
    x = _values(_numbers(dtype))
    kept = "INT8" if np.dtype(dtype).itemsize == 1 else "INT16"
    made = _cast(program, x, sizes, infinity, "RN", kept)
    np.testing.assert_array_equal(made, x.astype(dtype).astype("float32"))
    bits = f"uint{8 * np.dtype(dtype).itemsize}"
    packed = np.fromfile(program.parent / "small.bin", bits)
    rounded = x.astype(dtype)
    signless = np.where(rounded.astype("float32") == 0, 0, rounded.view(bits))  # 0 has no sign
    np.testing.assert_array_equal(packed, signless)


@pytest.mark.parametrize(("sizes", "infinity", "dtype"), FORMATS[:6])
@pytest.mark.parametrize("rounding", ["RZ", "RA", "RU", "RD"])
def test_other_roundings_choose_the_right_neighbour(
    program: Path, sizes: str, infinity: int, dtype: Any, rounding: str
) -> None:
    numbers = _numbers(dtype)
    x = _values(numbers)
    x = x[np.abs(x) <= numbers[-1]].astype("float64")
    every = np.unique(np.concatenate([-numbers, numbers]))
    at = np.searchsorted(every, x, side="left")
    above = every[at]
    below = np.where(above == x, above, every[np.maximum(at - 1, 0)])
    zero_side = np.where(x > 0, below, above)
    away = np.where(x > 0, above, below)
    expected = {
        "RZ": zero_side,
        "RU": above,
        "RD": below,
        "RA": np.where(np.abs(x) - np.abs(zero_side) >= np.abs(away) - np.abs(x), away, zero_side),
    }[rounding]
    made = _cast(program, x, sizes, infinity, rounding)
    np.testing.assert_array_equal(made, expected.astype("float32"))


def test_what_is_too_large_or_too_small(program: Path) -> None:
    x = np.array([1e6, -1e6, np.inf, -np.inf, np.nan, 3e-5, -3e-5, 61440.0])
    largest = float(ml_dtypes.finfo(ml_dtypes.float8_e5m2).max)
    clipped = _cast(program, x, "2 5 15", 1, "RN", denormals=0)
    # 61440 lies halfway between the largest number and the next one, to which a tie goes.
    np.testing.assert_array_equal(
        clipped, np.array([largest, -largest, largest, -largest, np.nan, 0, 0, largest], "float32")
    )
    nanoo = _cast(program, x, "2 5 15", 1, "RN", nanoo=1)
    assert np.isnan(nanoo[[0, 1, 2, 3, 4, 7]]).all()
    np.testing.assert_array_equal(np.abs(nanoo[5:7]), np.float32(2**-15))
    without = _cast(program, x, "2 3 3", 0, "RN", nanoo=1)
    assert np.isfinite(without).all() and without[0] == 28
    # All numbers of a format without exponents are multiples of one.
    fixed = np.array([0.3, -0.7, 5.0, 0.125])
    made = _cast(program, fixed, "3 0 0", 0, "RN")
    np.testing.assert_array_equal(made, np.array([0.25, -0.75, 1.75, 0.0], "float32"))


@pytest.mark.parametrize(
    ("noise", "share"),
    [
        ("INVALID 0 0 0 0 0 23", 0.3),  # uniform: as often up as the number is above
        ("UNIFORM 0 0 0 1 0 23", 0.3),
        ("BERNOULLI 0 0 0 1 0.8 23", 0.2),
        ("NORMAL 0 0.5 0 1 0 23", 0.3446),  # noise + 0.5 >= 0.7: the normal law above 0.2
        ("TRUNCATED_NORMAL 0 0.5 -0.5 0.5 0 23", 0.2724),
        ("LOGISTIC 0 0.2 0 1 0 23", 0.2689),
        ("LAPLACE 0 0.3 0 1 0 23", 0.2567),
        ("LOGIT_NORMAL 0 1 0 1 0 23", 0.1984),
    ],
)
def test_noise_rounds_up_as_often_as_its_density_says(
    program: Path, noise: str, share: float
) -> None:
    x = np.full(40000, 1 + 0.3 / 4)  # 0.3 of the last place of a format with 2 bits above 1
    made = _cast(program, x, "2 5 15", 1, "SR", noise=noise)
    assert set(np.unique(made)) == {np.float32(1), np.float32(1.25)}
    assert abs((made == 1.25).mean() - share) < 0.01  # 4 standard deviations


def test_few_bits_of_noise(program: Path) -> None:
    # With one bit of noise, 0.3 of a place counts as 0, and 0.6 as a half.
    x = np.repeat([1 + 0.3 / 4, 1 + 0.6 / 4], 20000)
    made = _cast(program, x, "2 5 15", 1, "SX", noise="INVALID 0 0 0 1 0 1")
    assert not (made[:20000] == 1.25).any()
    assert abs((made[20000:] == 1.25).mean() - 0.5) < 0.02


def test_seeds_of_the_tiles(program: Path) -> None:
    folder = program.parent
    (folder / "seed.bin").write_bytes(np.array([11, 12], "uint32").tobytes())
    own = RANDOM.integers(0, 2**32, 24, dtype="uint32")  # a tile of 6 workers
    (folder / "own.bin").write_bytes(own.tobytes())
    run(program, "seeds", cwd=folder)
    first, seeded, given, again = (
        np.fromfile(folder / f"{name}.bin", "uint32")
        for name in ("first", "seeded", "set", "again")
    )
    assert len(np.unique(first)) == first.size and len(np.unique(seeded)) == seeded.size
    assert not np.intersect1d(first, seeded).size
    np.testing.assert_array_equal(given, own)
    np.testing.assert_array_equal(again, seeded)


def test_vertices_draw_from_the_seeds(program: Path) -> None:
    folder = program.parent
    (folder / "seed.bin").write_bytes(np.array([11, 12], "uint32").tobytes())
    run(program, "masks", cwd=folder)
    first, second, repeated, again, partly = (
        np.fromfile(folder / f"{name}.bin", "float32").reshape(8, 1000)
        for name in ("first", "second", "repeated", "again", "partly")
    )
    np.testing.assert_array_equal(repeated, second)
    np.testing.assert_array_equal(again, first)
    # A virtual graph of the tiles 1 and 3 has their seeds.
    words = np.fromfile(folder / "all.bin", "uint32").reshape(4, 6, 4)
    own = np.fromfile(folder / "own.bin", "uint32").reshape(2, 6, 4)
    np.testing.assert_array_equal(own, words[[1, 3]])
    np.testing.assert_array_equal(partly[[0, 1, 4, 5]], first[[0, 1, 4, 5]])
    # Any two of the others agree by chance.
    rows = [*first, *second, *partly[[2, 3, 6, 7]]]
    p = 30000 / 65536
    same = p**2 + (1 - p) ** 2
    for i, a in enumerate(rows):
        for b in rows[:i]:
            assert abs((a == b).mean() - same) < 5 * np.sqrt(same * (1 - same) / 1000)
