"""Functions of popops and poputil that C++ alone has, beside NumPy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.arrays import build, results
from tests.toolchain import run

RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "slices.cpp"
    return build(source, tmp_path_factory.mktemp("slices"))


@pytest.fixture(params=["grown", "saved"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program runs as it is made, or as it comes back from a file."""
    if request.param == "saved":
        monkeypatch.setenv("SAVED", "1")


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype("float32")


def test_slices_scattered_to_vectors_of_indices(program: Path) -> None:
    # The last one would reach beyond the last row, and is not written.
    operand, indices = floats(6, 5), np.array([[0, 1], [3, 4], [5, 0]], "int32")
    updates = floats(2, 3)
    given = {"operand": operand, "indices": indices, "updates": updates}
    made = results(program, "scatter", given, {"scattered": ("f4", (6, 5))})["scattered"]
    expected = operand.copy()
    for i, (row, column) in enumerate(indices[:2]):
        expected[row : row + 2, column] = updates[:, i]
    np.testing.assert_array_equal(made, expected)


def test_a_scatter_that_combines_one_slice_after_the_other(program: Path) -> None:
    operand, updates = floats(6, 5), floats(4, 5)
    given = {"operand": operand, "indices": np.array([2, 2, 0, 9], "int32"), "updates": updates}
    made = results(program, "scatterAdd", given, {"scattered": ("f4", (6, 5))})["scattered"]
    expected = operand.copy()
    for row, update in zip([2, 2, 0, 0], updates, strict=True):  # 9 is out of range, so 0
        expected[row] = 2 * expected[row] + update
    np.testing.assert_allclose(made, expected, rtol=1e-6)


def test_gathered_slices_in_the_dimensions_of_the_result(program: Path) -> None:
    x = floats(4, 6, 5)
    indices = np.stack([RANDOM.integers(0, 6, (2, 3)), RANDOM.integers(0, 3, (2, 3))], -1).astype(
        "uint32"
    )
    made = results(
        program, "gather", {"input": x, "indices": indices}, {"gathered": ("f4", (2, 2, 3, 5))}
    )["gathered"]
    for i in np.ndindex(2, 3):
        second, first = indices[i]
        np.testing.assert_array_equal(made[:, i[0], i[1]], x[first : first + 2, second])


def test_gathers_that_no_tensor_is_made_for(program: Path, tmp_path: Path) -> None:
    assert run(program, "refused", cwd=tmp_path).splitlines() == [
        "popops::gather: 2 sizes for an input of 3 dimensions",
        "popops::gather: dimension 2 is sliced twice",
        "popops::gather: there is no dimension 3",
    ]


def test_sequences_of_rows(program: Path) -> None:
    x, out, kept = floats(8, 3), floats(10, 3), floats(10, 3)
    n, source, target = [np.array(v, "uint32") for v in ([2, 3, 1], [1, 5, 0], [0, 4, 9])]
    given = {"in": x, "out": out, "kept": kept, "n": n, "from": source, "to": target}
    shapes: dict[str, Any] = dict.fromkeys(("zeroed", "written"), ("f4", (10, 3)))
    made = results(program, "sequences", given, shapes)
    zeroed, written = np.zeros_like(out), kept.copy()
    for count, a, b in zip(n, source, target, strict=True):
        zeroed[b : b + count] = written[b : b + count] = x[a : a + count]
    np.testing.assert_array_equal(made["zeroed"], zeroed)
    np.testing.assert_array_equal(made["written"], written)


@pytest.mark.usefixtures("way")
def test_statistics_of_a_tensor(program: Path) -> None:
    x, bad, rows = floats(7, 11), floats(7, 11), floats(4, 3)
    levels = np.array([-1, 0, 0.25, 2], "float32")
    bad[3, 4] = np.inf
    labels = np.array([1, 0xFFFFFFFF, 3, 0], "uint32")  # masked, out of range
    given = {"x": x, "levels": levels, "bad": bad, "rows": rows, "labels": labels}
    made = results(
        program,
        "statistics",
        given,
        {
            "counts": ("u4", 5),
            "absolute": ("f4", 5),
            "nan": ("?", 4),
            "updated": ("f4", (4, 3)),
        },
    )
    edges = [-np.inf, *levels, np.inf]
    np.testing.assert_array_equal(made["counts"], np.histogram(x, edges)[0])
    np.testing.assert_array_equal(made["absolute"], np.histogram(abs(x), edges)[0])
    assert made["nan"].tolist() == [False, False, False, True]
    rows[0, 1] -= 1
    rows[2] = np.nan
    rows[3, 0] -= 1
    np.testing.assert_array_equal(made["updated"], rows)


def test_images_are_normalised_and_padded(program: Path) -> None:
    image = RANDOM.integers(0, 256, (2, 5, 3)).astype("uint8")
    offsets, scales = np.array([1, 2, 3], "float16"), np.array([0.5, 0.25, 2], "float16")
    given = {"image": image, "offsets": offsets, "scales": scales}
    made = results(program, "image", given, {"normal": ("f2", (2, 5, 4))})["normal"]
    expected = (image.astype("float32") * 0.25 - offsets) * scales
    np.testing.assert_allclose(made[..., :3], expected, rtol=1e-3)
    assert not made[..., 3].any()


def test_a_circular_buffer_gives_the_last_tensors(program: Path) -> None:
    x = floats(5, 2)
    made = results(program, "buffer", {"all": x}, {"seen": ("f4", (3, 2))})["seen"]
    np.testing.assert_array_equal(made, x[[4, 3, 2]])


def test_a_function_that_is_called_twice(program: Path) -> None:
    x, y = floats(4), floats(4)
    shape = ("f4", 4)
    made = results(
        program, "function", {"x": x, "y": y}, {"first": shape, "second": shape, "changed": shape}
    )
    np.testing.assert_allclose(made["first"], x + 3 * y, rtol=1e-6)
    np.testing.assert_allclose(made["second"], x + 9 * y, rtol=1e-6)
    np.testing.assert_allclose(made["changed"], 9 * y, rtol=1e-6)


def test_deviations_in_another_type(program: Path) -> None:
    # The last variance is too large for half, and its deviation is not.
    x = np.append(RANDOM.uniform(0.01, 4, 14), 90000.0).astype("float32").reshape(3, 5)
    (program.parent / "x.bin").write_bytes(x.tobytes())
    (program.parent / "eps.bin").write_bytes(np.float32(0.5).tobytes())
    assert run(program, "deviations", cwd=program.parent).splitlines() == [
        "popops::varianceToInvStdDev: epsilon has the type of src, half; given was float",
        "popops::varianceToInvStdDev: the result of half has that type or half; given was float",
        "popops::invStdDevToVariance: the result of float has that type or float; given was half",
        "popops::invStdDevToVariance: epsilon has one element; given was the shape [3,5]",
    ]

    def got(name: str, dtype: str) -> np.ndarray:
        return np.fromfile(program.parent / f"{name}.bin", dtype).reshape(3, 5)

    deviations = 1 / np.sqrt(x.astype("f8") + 0.5)
    half = got("half", "f2")
    np.testing.assert_allclose(half, deviations, rtol=2.0**-11)
    np.testing.assert_array_equal(got("asDefault", "f2"), half)
    np.testing.assert_allclose(got("float", "f4"), deviations, rtol=1e-6)
    variances = 1 / half.astype("f8") ** 2 - 0.5
    wide = got("wide", "f4")
    np.testing.assert_allclose(wide, variances, rtol=1e-5, atol=1e-6)
    assert wide[2, 4] > np.finfo("f2").max
    np.testing.assert_array_equal(got("back", "f4"), wide)
    narrow = got("narrow", "f2")
    np.testing.assert_allclose(narrow.flat[:14], variances.flat[:14], rtol=4e-3, atol=2e-3)
    assert np.isinf(narrow[2, 4])
    np.testing.assert_allclose(got("own", "f4"), 1 / x.astype("f8") ** 2 - 0.5, rtol=1e-5)
