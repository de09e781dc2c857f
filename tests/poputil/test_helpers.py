"""Small functions of PopLibs that C++ alone has, beside NumPy and PyTorch."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.arrays import build, results
from tests.toolchain import run

RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "helpers.cpp"
    return build(source, tmp_path_factory.mktemp("helpers"))


def printed(program: Path, part: str) -> list[str]:
    return run(program, part, cwd=program.parent).splitlines()


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype("float32")


def test_each_partition_is_contiguous(program: Path) -> None:
    lines = printed(program, "partitions")
    assert lines[:5] == [
        "5 8 12 480 1",
        "5 8 12 2 4 3 480 1",
        "5 8 12 2 3 3 480 1",
        "5 8 12 2 1 12 480 1",
        "5 0 ",
    ]
    assert lines[5] == (
        "createPartitionableTensor: a tensor of [5,8] and [2] partitions; each dimension needs a "
        "number of at least 1"
    )
    assert lines[6].startswith("iterateTensorPartitions: a tensor of [4] and [0] partitions")


def test_elements_in_the_order_of_memory(program: Path) -> None:
    x, y = floats(4, 6), np.arange(24, dtype="int32")
    shapes = {"t": ("f4", (24,)), "other": ("i4", (24,))}
    made = results(program, "order", {"x": x, "y": y}, shapes)
    np.testing.assert_array_equal(made["t"], x.ravel())
    np.testing.assert_array_equal(made["other"], y.reshape(6, 4).T.ravel())
    before, *refused = printed(program, "order")
    assert before == "24 1 24"
    assert len(refused) == 2
    for line in refused:
        assert "all need one dimension of one size" in line


def test_factors_of_dimensions(program: Path) -> None:
    x = floats(2, 4, 6, 5)
    shapes = {"factored": ("f4", (2, 2, 2, 2, 3, 5)), "back": ("f4", x.shape)}
    made = results(program, "factors", {"x": x}, shapes)
    want = x.reshape(2, 2, 2, 2, 3, 5).transpose(0, 1, 3, 2, 4, 5)
    np.testing.assert_array_equal(made["factored"], want)
    np.testing.assert_array_equal(made["back"], x)
    first, second = printed(program, "factors")
    assert first == "factorDims: [3] does not divide the dimensions from 1 on of [2,4,6,5]"
    assert second == "unfactorDims: [2,4,6,5] has no 2 x 3 dimensions from 0 on"


def test_what_half_keeps(program: Path) -> None:
    x = np.array([1, 1.0001, 70000, -3.5, 1e-9, np.nan], "float32")
    made = results(program, "casts", {"x": x}, {"kept": ("?", (6,))})
    with np.errstate(over="ignore"):
        want = np.abs(x.astype("float16").astype("float32") - x) < np.abs(x) * 1e-4
    np.testing.assert_array_equal(made["kept"], want)
    lines = printed(program, "casts")
    assert lines[0] == "100001"
    assert lines[1] == "checkAccuracyWhenCast: from int to half; expected FLOAT and HALF"
    assert "expected one FLOAT to HALF" in lines[2]


def test_biases_and_transposed_weights(program: Path) -> None:
    given = {"deltas": floats(2, 3, 4, 5), "b": floats(3), "w": floats(1, 5, 3, 1)}
    given["g"] = floats(4, 5, 1)
    made = results(program, "biases", given, {"biases": ("f4", (3,)), "dx": ("f4", (4, 3, 1))})
    want = given["b"] + 0.5 * given["deltas"].sum((0, 2, 3))
    np.testing.assert_allclose(made["biases"], want, 1e-5)
    dx = given["g"][..., 0] @ given["w"][0, ..., 0]
    np.testing.assert_allclose(made["dx"][..., 0], dx, 1e-5, 1e-6)


def test_plans_check_their_options(program: Path) -> None:
    lines = printed(program, "plans")
    assert lines[:3] == ["accepted"] * 3
    for line in lines[3:6]:
        assert "partialType" in line
    assert lines[6] == "223"  # two plans, which are found again; a third product has its own
    assert "[2, 3]" in lines[7] and "[4, 4]" in lines[7]


def test_least_cycles_and_operations(program: Path) -> None:
    """Of 1472 tiles with 2 floats a cycle, or 16 units for 4 halves (PopLibs' own formulas)."""
    lines = printed(program, "counts")
    products = 2 * 6 * 6 * 3 * 3 * 4 * 16
    whole, half, again = map(float, lines[0].split())
    np.testing.assert_allclose([whole, half, again], [products / n / 1472 for n in (2, 64, 64)])
    windows = 2 * 3 * 4 * 4 * 4
    np.testing.assert_allclose(
        list(map(float, lines[1].split())), [windows / 4 / 1472, windows / 2 / 1472]
    )
    assert lines[2] == "615 200 806 312"


def test_tiles_for_transfers(program: Path) -> None:
    """From all parts of an IPU in turn; ranges that do not overlap give all tiles."""
    lines = printed(program, "tiles")
    assert lines[0] == "32 10"
    assert lines[1] == "0 1 46 47 92 93 "
    assert lines[2] == lines[1]
    assert lines[3] == lines[6] == "1472 1471"
    assert lines[4] == lines[5] == "0 46 92 138 184 230 "
    assert lines[7] == "gcl::perIPUTiles: 3 tiles from 18 on; an IPU has 20"


def test_norms_over_replicas(program: Path) -> None:
    """Two replicas with the same samples: PyTorch's batch norm of both."""
    x, g, gamma = floats(4, 3, 5), floats(4, 3, 5), floats(3)
    shapes = dict.fromkeys(("mean", "unbiased", "inverse"), ("f4", (3,)))
    made = results(
        program, "norms", {"x": x, "g": g, "gamma": gamma}, {**shapes, "dx": ("f4", x.shape)}
    )
    both = torch.tensor(np.concatenate([x, x]), requires_grad=True)
    mean = both.mean((0, 2), keepdim=True)
    inverse = (both.var((0, 2), unbiased=False, keepdim=True) + 1e-3).rsqrt()
    unbiased = (both.var((0, 2)) + 1e-3).rsqrt()
    for name, want in (("mean", mean), ("inverse", inverse), ("unbiased", unbiased)):
        np.testing.assert_allclose(made[name], want.detach().numpy().ravel(), 1e-5, 1e-6)
    y = (both - mean) * inverse * torch.tensor(gamma).reshape(1, 3, 1)
    y.backward(torch.tensor(np.concatenate([g, g])))
    assert both.grad is not None
    np.testing.assert_allclose(made["dx"], both.grad.numpy()[:4], 1e-4, 1e-5)


def test_vertices_that_popnn_has_by_name(program: Path) -> None:
    x = np.array([3, -1, 7, 7, -4, 2, -4], "float32")
    labels = np.array([10, 11, 12, 13, 14, 15, 16], "uint32")
    shapes = {
        f"{which}{what}": (kind, ())
        for which in ("max", "min")
        for what, kind in (("Value", "f4"), ("Index", "u4"))
    }
    made = results(program, "vertices", {"x": x, "labels": labels}, shapes)
    assert {name: value.item() for name, value in made.items()} == {
        "maxValue": 7,
        "maxIndex": 12,
        "minValue": -4,
        "minIndex": 14,
    }
    assert "no codelet 'popnn::Nothing<float>'" in printed(program, "vertices")[0]
