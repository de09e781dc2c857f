"""QUARTER, numbers of 8 bits with a scale, beside ml_dtypes."""

import re
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.arrays import build, results
from tests.toolchain import run

RANDOM = np.random.default_rng(0)
TYPES: dict[str, Any] = {"F143": ml_dtypes.float8_e4m3fnuz, "F152": ml_dtypes.float8_e5m2fnuz}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "quarters.cpp"
    return build(source, tmp_path_factory.mktemp("quarters"))


def rounded(x: np.ndarray, name: str, scale: int) -> np.ndarray:
    """The numbers of a format that `x` becomes, without their scale."""
    return (x.astype("float64") * 2.0**-scale).astype("float32").astype(TYPES[name])


def trying(name: str) -> np.ndarray:
    """All numbers of a format, what lies between them, and what is beyond."""
    numbers = np.arange(256, dtype="uint8").view(TYPES[name]).astype("float32")
    finite = np.sort(numbers[np.isfinite(numbers)])
    between = (finite[1:] + finite[:-1]) / 2
    near = np.concatenate([np.nextafter(between, -np.inf), np.nextafter(between, np.inf)])
    beyond = finite[-1] * np.array([1.03, 1.05, 1.07, 1.2, 2, 1e9], "float32")
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-30, -1e-30], "float32")
    wild = RANDOM.standard_normal(300) * 2.0 ** RANDOM.integers(-20, 18, 300)
    return np.concatenate([finite, between, near, beyond, -beyond, special, wild.astype("float32")])


@pytest.mark.parametrize("scale", [0, 3, -5, 31, -32])
@pytest.mark.parametrize("name", TYPES)
def test_casts(program: Path, name: str, scale: int) -> None:
    x = (trying(name) * np.float32(2.0**scale)).astype("float32")
    bytes_ = np.arange(256, dtype="uint8")
    shapes = {
        "bits": ("u1", x.shape),
        "back": ("f4", x.shape),
        "set": ("f2", x.shape),
        "values": ("f2", (256,)),
        "again": ("u1", (256,)),
        "turned": ("f2", (32, 8)),
    }
    given = {"x": x, "s": np.array(scale, "int32"), "bytes": bytes_}
    made = results(program, f"cast {name} {scale} {x.size}", given, shapes)
    want = rounded(x, name, scale)
    np.testing.assert_array_equal(made["bits"], want.view("uint8"))
    np.testing.assert_array_equal(made["back"], want.astype("float32") * np.float32(2.0**scale))
    values = bytes_.view(TYPES[name]).astype("float32") * np.float32(2.0**scale)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(made["set"], made["back"].astype("float16"))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(made["values"], values.astype("float16"))
    np.testing.assert_array_equal(made["again"], bytes_)
    np.testing.assert_array_equal(made["turned"], made["values"].reshape(8, 32).T)
    (refused,) = run(program, f"cast {name} {scale} {x.size}", cwd=program.parent).splitlines()
    assert refused.startswith("popops::cast: quarter to int in one compute set; cast to float")


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize(("name", "scale"), [("F143", -2), ("F152", 5)])
def test_codelets(
    program: Path, monkeypatch: pytest.MonkeyPatch, name: str, scale: int, saved: bool
) -> None:
    if saved:
        monkeypatch.setenv("SAVED", "1")
    values = trying(name)
    x = (values[: values.size // 2 * 2] * np.float32(2.0**scale)).astype("float32")
    x[0] = 1.5 * 2.0**scale
    shapes = {"bits": ("u1", x.shape), "back": ("f4", x.shape), "one": ("f4", (2,))}
    part = f"codelets {name} {scale} {x.size // 2}"
    made = results(program, part, {"x": x}, shapes)
    want = rounded(x, name, scale)
    np.testing.assert_array_equal(made["bits"], want.view("uint8"))
    np.testing.assert_array_equal(made["back"], want.astype("float32") * np.float32(2.0**scale))
    assert made["one"].tolist() == [x[0], x[0]]
    lines = run(program, part, cwd=program.parent).splitlines()
    assert "was given a tensor of float, expected quarter" in lines[0]
    assert "has tensors of different metadata" in lines[1]


@pytest.mark.parametrize("name", TYPES)
def test_products(program: Path, name: str) -> None:
    x, y = (RANDOM.standard_normal(s).astype("float32") for s in ((5, 7), (7, 3)))
    shapes = {"product": ("f4", (5, 3)), "half": ("f2", (5, 3))}
    made = results(program, f"product {name} -2 0", {"x": x, "y": y}, shapes)
    left, right = (rounded(t, name, -2).astype("float64") / 4 for t in (x, y))
    np.testing.assert_allclose(made["product"], left @ right, 1e-5, 1e-6)
    np.testing.assert_allclose(made["half"], left @ right, 2e-3, 1e-3)
    lines = run(program, f"product {name} -2 0", cwd=program.parent).splitlines()
    assert "has none; make it with Graph::addVariable or clone and metadata" in lines[0]
    assert lines[1] == "popops::cast: to quarter without metadata; give a metadata tensor"
    assert "a tensor of half with metadata" in lines[2]
    assert lines[3] == "QuarterMetadata: scale 32; expected from -32 to 31"


def convolved(x: np.ndarray, w: np.ndarray, stride: tuple[int, int]) -> np.ndarray:
    """x [n, g * i, field] with w [g, o, i, 3, 3], padded by one."""
    groups, out, channels, *kernel = w.shape
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, (2, 3))
    windows = windows[:, :, :: stride[0], :: stride[1]]
    windows = windows.reshape(len(x), groups, channels, *windows.shape[2:])
    result = np.einsum("ngihwyx,goiyx->ngohw", windows, w)
    return result.reshape(len(x), groups * out, *result.shape[3:])


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("units", [0, 1])
@pytest.mark.parametrize("name", TYPES)
def test_contractions(
    program: Path, monkeypatch: pytest.MonkeyPatch, name: str, units: int, saved: bool
) -> None:
    """The units for 8-bit floats read operands as they are; elsewhere casts come before them."""
    if saved:
        monkeypatch.setenv("SAVED", "1")
    sizes = {
        "x": (2, 9, 20),
        "y": (2, 20, 7),
        "c": (5, 7),
        "in": (2, 8, 9, 8),
        "w": (2, 6, 4, 3, 3),
        "g": (2, 12, 9, 8),
    }
    given = {key: RANDOM.standard_normal(size).astype("float32") for key, size in sizes.items()}
    shapes = {
        "product": ("f2", (2, 9, 7)),
        "sum": ("f4", (5, 7)),
        "conv": ("f2", (2, 12, 5, 8)),
        "back": ("f4", (2, 8, 9, 8)),
    }
    scale = -3
    words = f"units {name} {scale} {units}"
    made = results(program, words, given, shapes)

    def read(key: str, is_first: bool) -> np.ndarray:
        kind = name if is_first else next(each for each in TYPES if each != name)
        power = scale if is_first else -scale
        return rounded(given[key], kind, power).astype("float64") * 2.0**power

    x, y, image = read("x", True), read("y", False), read("in", True)
    weights, gradient = read("w", False), read("g", False)
    np.testing.assert_allclose(made["product"], x @ y, 2e-3, 1e-3)
    turned = x[0, ::2, ::-1]
    np.testing.assert_allclose(made["sum"], given["c"] + 0.5 * (turned @ y[1]), 1e-4, 1e-4)
    np.testing.assert_allclose(made["conv"], convolved(image, weights, (2, 1)), 4e-3, 4e-3)
    flipped = weights.swapaxes(1, 2)[..., ::-1, ::-1]
    np.testing.assert_allclose(made["back"], convolved(gradient, flipped, (1, 1)), 1e-4, 1e-4)
    lines = run(program, words, cwd=program.parent).splitlines()
    assert lines[0] == (
        "poplin::calculateWeightDeltas: gradients of weights of quarter; cast to half"
    )
    assert "; A is quarter, B quarter, the result quarter" in lines[1]
    for line, other in zip(lines[2:], ("half", "float"), strict=True):
        assert f"expected one type of A and B; A is quarter, B {other}, the result half" in line


def test_units_are_faster(program: Path) -> None:
    """8-bit floats take less than half of the cycles of half, which take less than float; without
    units for them they are cast.
    """

    def cycles(units: int) -> list[int]:
        said = run(program, f"cycles F143 0 {units}", cwd=program.parent)
        return [int(c) for c in re.findall(r"^Cycles: (\d+)", said, re.MULTILINE)]

    units, none = cycles(1), cycles(0)
    assert len(units) == len(none) == 6  # of quarter, half and float: a product and a convolution
    assert all(2 * q < h < f for q, h, f in zip(units[:2], units[2:4], units[4:], strict=True))
    assert all(q > f for q, f in zip(none[:2], none[4:], strict=True))


@pytest.mark.parametrize(("name", "largest"), [("F143", 240), ("F152", 57344)])
def test_conversions_on_the_host(program: Path, name: str, largest: float) -> None:
    scale = 4
    x = np.concatenate([trying(name)[::7], [largest * 1.5]]) * 2.0**scale
    x = x[np.isfinite(x)].astype("float32")
    numbers = " ".join(map(repr, x.tolist()))
    words = f"host {name} {scale} {x.size} {numbers}"
    lines = run(program, words, cwd=program.parent).splitlines()
    want = rounded(x, name, scale)
    assert lines[0].split() == [str(b) for b in want.view("uint8")]
    saturated = np.where(np.isnan(want.astype("float32")), np.sign(x) * largest, want)
    back = np.array(lines[2].split(), "float32")
    np.testing.assert_allclose(back, saturated.astype("float32") * 2.0**scale, 1e-5)
    assert lines[3] == f"{name}, scale {scale}"
    errors = {}
    for s in range(-32, 32):
        kept = rounded(np.clip(x, -largest * 2.0**s, largest * 2.0**s), name, s)
        errors[s] = np.mean((kept.astype("float64") * 2.0**s - x) ** 2)
    assert errors[int(lines[4])] == pytest.approx(min(errors.values()))
    assert lines[5] == "convertToDeviceType: half with metadata; only quarter has it"
    assert lines[6] == "11"
    numbers = np.array([0, 1, 2.6, -1, 70000, 1e-8, 0.1])
    types = ("float16", "float32", "float64", "int32", "int64", "bool")
    for line, to in zip(lines[7:13], types, strict=True):
        with np.errstate(over="ignore"):
            want = numbers.astype(to).astype("float64")
        np.testing.assert_allclose(np.array(line.split(), "float64"), want, 1e-5)
    assert lines[13] == "convertToDeviceType: quarter without metadata"
    assert lines[14] == "convertToDeviceType: bfloat16, which the host has no type for"
