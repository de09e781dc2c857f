"""Functions of poplin that C++ alone has, beside NumPy, SciPy's definitions and PyTorch."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.arrays import build, results
from tests.toolchain import run

RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "systems.cpp"
    return build(source, tmp_path_factory.mktemp("systems"))


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype("float32")


def test_cholesky_of_a_batch(program: Path) -> None:
    b = floats(2, 6, 6)
    x = b @ b.transpose(0, 2, 1) + 6 * np.eye(6, dtype="float32")
    shape = ("f4", (2, 6, 6))
    made = results(program, "cholesky", {"x": x}, {"lower": shape, "upper": shape})
    expected = np.linalg.cholesky(x)
    np.testing.assert_allclose(made["lower"], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(made["upper"], expected.transpose(0, 2, 1), rtol=1e-5, atol=1e-5)


def test_batches_of_batches(program: Path) -> None:
    x, b = floats(2, 3, 4, 4) + 4 * np.eye(4, dtype="float32"), floats(2, 3, 4, 2)
    p = x @ x.transpose(0, 1, 3, 2)
    square = ("f4", x.shape)
    shapes = {"solved": ("f4", b.shape), "mask": square, "factor": square}
    made = results(program, "batches", {"x": x, "b": b, "p": p}, shapes)
    np.testing.assert_allclose(made["solved"], np.linalg.solve(np.tril(x), b), 1e-4, 1e-5)
    np.testing.assert_array_equal(made["mask"], np.tril(x, -1) + np.eye(4, dtype="float32"))
    np.testing.assert_allclose(made["factor"], np.linalg.cholesky(p), 1e-4, 1e-4)


def test_triangular_systems(program: Path) -> None:
    x, b, c = floats(5, 5) + 4 * np.eye(5, dtype="float32"), floats(5, 3), floats(3, 5)
    made = results(
        program,
        "solve",
        {"x": x, "b": b, "c": c},
        {
            "lower": ("f4", (5, 3)),
            "upper": ("f4", (5, 3)),
            "unit": ("f4", (3, 5)),
            "right": ("f4", (3, 5)),
            "mask": ("f4", (5, 5)),
        },
    )
    unit = np.tril(x, -1) + np.eye(5)
    expected = {
        "lower": np.linalg.solve(np.tril(x), b),
        "upper": np.linalg.solve(np.triu(x), b),
        "unit": np.linalg.solve(unit.T, c.T).T,
        "right": np.linalg.solve(np.triu(x).T, c.T).T,
        "mask": unit,
    }
    for name, value in expected.items():
        np.testing.assert_allclose(made[name], value, rtol=1e-4, atol=1e-5, err_msg=name)


def test_lu_and_qr(program: Path) -> None:
    x = floats(5, 4) + 4 * np.eye(5, 4, dtype="float32")
    made = results(program, "lu", {"x": x}, {"l": ("f4", (5, 5)), "u": ("f4", (5, 4))})
    np.testing.assert_allclose(made["l"] @ made["u"], x, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(made["l"], np.tril(made["l"]))
    np.testing.assert_array_equal(np.diag(made["l"]), np.ones(5))
    np.testing.assert_array_equal(made["u"], np.triu(made["u"]))
    a = floats(6, 4)
    made = results(
        program,
        "qr",
        {"x": a, "q": np.eye(6, dtype="float32")},
        {"r": ("f4", (6, 4)), "orthogonal": ("f4", (6, 6))},
    )
    q, r = made["orthogonal"], made["r"]
    np.testing.assert_allclose(q @ r, a, atol=1e-5)
    np.testing.assert_allclose(q @ q.T, np.eye(6), atol=1e-5)
    np.testing.assert_array_equal(r, np.triu(r))
    np.testing.assert_allclose(abs(r[:4]), abs(np.linalg.qr(a)[1]), atol=1e-5)


def test_several_convolutions(program: Path) -> None:
    given = {}
    for n in (2, 3):
        given |= {f"x{n}": floats(1, n, 5, 5), f"w{n}": floats(1, 4, n, 3, 3)}
    shape = ("f4", (1, 4, 3, 3))
    made = results(program, "convolutions", given, {"y2": shape, "y3": shape})
    for n in (2, 3):
        x, w = torch.tensor(given[f"x{n}"]), torch.tensor(given[f"w{n}"][0])
        expected = torch.nn.functional.conv2d(x, w).numpy()
        np.testing.assert_allclose(made[f"y{n}"], expected, rtol=1e-4, atol=1e-5)


def test_grids(program: Path) -> None:
    made = results(program, "grid", {}, {"gx": ("f4", (3, 5)), "gy": ("f4", (3, 5))})
    x, y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(0, 2, 3))
    np.testing.assert_allclose(made["gx"], x)
    np.testing.assert_allclose(made["gy"], y)


def test_elements_that_meet_in_a_convolution(program: Path) -> None:
    # The padded, dilated input by hand: the numbers of its elements, -1 for zeros.
    field = [-1, *(i // 2 if i % 2 == 0 else -1 for i in range(13)), -1]
    size = (len(field) - 5 + 1 - 1 + 1) // 2
    met = [field[1 + 2 * o + 4 - 2 * k] for o in range(size) for k in range(3)]
    *printed, low, high = map(int, run(program, "indices", cwd=program.parent).split())
    assert printed == met
    seen = [met[3 * o] for o in (1, 2) if met[3 * o] >= 0]
    assert (low, high) == (min(seen), max(seen) + 1)


def test_reports_of_plans(program: Path) -> None:
    said = run(program, "reports", cwd=program.parent)
    counts = [int(line.split(": ")[1]) for line in said.splitlines() if "multiplications" in line]
    assert counts == [24, 120, *[2 * 4 * 7 * (4 * 4) * (3 * 2)] * 2]


@pytest.mark.parametrize("part", ["update", "update flipped"])
def test_gradients_of_weights_as_convolutions(program: Path, part: str) -> None:
    x, w = floats(3, 8, 9, 7), floats(2, 5, 4, 3, 2)
    shape = ("f4", w.shape)
    shapes = {"deltas": shape, "made": shape, "updated": shape, "biases": ("f4", (10,))}
    made = results(program, part, {"x": x, "w": w}, shapes)
    np.testing.assert_allclose(made["made"], made["deltas"], 1e-4, 1e-3)
    np.testing.assert_allclose(made["updated"], w - 0.5 * made["deltas"], 1e-5, 1e-4)
    if part == "update":
        given = torch.nn.functional.pad(torch.from_numpy(x), (0, 1, 1, 2))
        weight = torch.from_numpy(w.reshape(10, 4, 3, 2)).requires_grad_()
        y = torch.nn.functional.conv2d(given, weight, stride=(2, 1), dilation=(1, 2), groups=2)
        y.backward(y.detach())
        assert weight.grad is not None
        gradient = weight.grad.numpy().reshape(w.shape)
        np.testing.assert_allclose(made["deltas"], gradient, 1e-4, 1e-3)
