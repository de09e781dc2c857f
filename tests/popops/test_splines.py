"""popops::splineBasis and splineWeighting against the definitions of torch-spline-conv."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.arrays import build, results
from tests.ops.test_splines import by_torch
from tests.toolchain import run

RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "splines.cpp"
    return build(source, tmp_path_factory.mktemp("splines"))


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("opened", [[1, 1], [0, 1], [0, 0]])
@pytest.mark.parametrize(("name", "dtype", "error"), [("float", "f4", 1e-5), ("half", "f2", 4e-3)])
def test_splines(
    program: Path, degree: int, opened: list[int], name: str, dtype: str, error: float
) -> None:
    sizes, pseudo = [5, 4], RANDOM.uniform(0.05, 0.95, (6, 2)).astype(dtype)
    x, weight = (RANDOM.standard_normal(s).astype(dtype) for s in ((6, 3), (20, 3, 5)))
    given = {
        "pseudo": pseudo,
        "sizes": np.array(sizes, np.int32),
        "open": np.array(opened, np.uint8),
        "x": x,
        "weight": weight,
    }
    splines = (degree + 1) ** 2
    shapes = {
        "basis": (dtype, (6, splines)),
        "index": ("i4", (6, splines)),
        "made": (dtype, (6, 5)),
    }
    made = results(program, f"basis {name} {degree}", given, shapes)
    basis, numbers = by_torch(torch.tensor(pseudo.astype("f4")), sizes, opened, degree)
    np.testing.assert_allclose(made["basis"], basis.numpy(), error, error)
    np.testing.assert_array_equal(made["index"], numbers)
    each = np.einsum("pi,psio->pso", x.astype("f8"), weight.astype("f8")[np.array(numbers)])
    want = (each * basis.numpy()[:, :, None]).sum(1)
    np.testing.assert_allclose(made["made"], want, 4 * error, 4 * error)


def test_refusals(program: Path) -> None:
    lines = run(program, "refusals float 1", cwd=program.parent).splitlines()
    assert lines[0] == "popops::splineBasis: a degree of 0; expected 1, 2 or 3"
    assert lines[1] == "popops::splineBasis: isOpenSpline is int; expected unsigned char"
    assert "basis is [6,9] and weightIndex [6,4]" in lines[2].replace(", ", ",")
