"""popsparse beside dense products in NumPy and softmax in PyTorch."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.arrays import build, results

RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).parent / "programs" / "sparse.cpp"
    return build(source, tmp_path_factory.mktemp("sparse"))


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype("float32")


def matrix(rows: int, columns: int, height: int, width: int, share: float = 0.5) -> np.ndarray:
    """A matrix of which about a share of the blocks is not zero."""
    kept = RANDOM.random((rows // height, columns // width)) < share
    return floats(rows, columns) * np.kron(kept, np.ones((height, width), "float32"))


@pytest.mark.parametrize(("part", "block"), [("elements", (1, 1)), ("blocks", (2, 3))])
def test_layers_whose_structure_is_data(program: Path, part: str, block: tuple[int, int]) -> None:
    w = matrix(8, 12, *block)
    x, dy, rows = floats(5, 12), floats(5, 8), floats(2, 12)
    given = {
        "dense": w,
        "x": x,
        "dy": dy,
        "all": np.arange(8, dtype="uint32"),
        "rows": rows,
        "which": np.array([3, 3], "uint32"),
        "scale": np.array(0.5, "float32"),
    }
    made = results(
        program,
        part,
        given,
        {
            "y": ("f4", (5, 8)),
            "dx": ("f4", (5, 12)),
            "dw": ("f4", (8, 12)),
            "updated": ("f4", (8, 12)),
        },
    )
    there = w != 0
    updated = w.copy()
    updated[3] += 0.5 * rows.sum(0)
    expected = {"y": x @ w.T, "dx": dy @ w, "dw": dy.T @ x * there, "updated": updated * there}
    for name, value in expected.items():
        np.testing.assert_allclose(made[name], value, rtol=1e-4, atol=1e-5, err_msg=name)


def test_products_whose_structure_is_known(program: Path) -> None:
    w, x, z = matrix(8, 12, 2, 3), floats(12, 5), floats(5, 8)
    made = results(
        program,
        "static",
        {"dense": w, "x": x, "z": z, "z2": z},
        {"y": ("f4", (8, 5)), "turned": ("f4", (12, 5)), "right": ("f4", (5, 12))},
    )
    expected = {"y": w @ x, "turned": w.T @ z.T, "right": z @ w}
    for name, value in expected.items():
        np.testing.assert_allclose(made[name], value, rtol=1e-4, atol=1e-5, err_msg=name)


def blocks_of(dense: np.ndarray, mask: np.ndarray, height: int, width: int) -> np.ndarray:
    """The blocks that a mask [groups, rows, columns] names, of groups one above the other."""
    grid = dense.reshape(-1, height, dense.shape[1] // width, width).transpose(0, 2, 1, 3)
    return grid[mask.reshape(-1, mask.shape[-1]) != 0].reshape(-1, height * width)


def test_products_of_block_sparse_matrices(program: Path) -> None:
    mask = (RANDOM.random((2, 2, 2)) < 0.6).astype("float32")
    mask[0, 0] = [1, 0]
    right = floats(12, 8) * np.kron(mask.reshape(4, 2), np.ones((3, 4), "float32"))
    l1, l2, l3, r3 = floats(8, 6), floats(8, 8), floats(12, 4), floats(8, 8)
    given = {
        "mask": mask,
        "l": l1,
        "r": blocks_of(right, mask, 3, 4),
        "l2": l2,
        "l3": l3,
        "r3": r3,
    }
    made = results(
        program,
        "blockSparse",
        given,
        {
            "dense": ("f4", (8, 8)),
            "transposed": ("f4", (8, 6)),
            "sparse": ("f4", (int(mask.sum()), 12)),
        },
    )
    groups = [slice(g * 4, g * 4 + 4) for g in range(2)]
    whole = [slice(g * 6, g * 6 + 6) for g in range(2)]
    dense = np.concatenate([l1[g] @ right[w] for g, w in zip(groups, whole, strict=True)])
    turned = np.concatenate([l2[g] @ right[w].T for g, w in zip(groups, whole, strict=True)])
    product = np.concatenate([l3[w] @ r3[g] for g, w in zip(groups, whole, strict=True)])
    np.testing.assert_allclose(made["dense"], dense, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(made["transposed"], turned, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(made["sparse"], blocks_of(product, mask, 3, 4), rtol=1e-4, atol=1e-5)


def test_softmax_of_block_sparse_matrices(program: Path) -> None:
    mask = (RANDOM.random((4, 4)) < 0.6).astype("float32")
    mask[:, 0] = 1
    there = np.kron(mask, np.ones((2, 2))) != 0
    dense, dy = floats(8, 8), floats(8, 8)
    x = blocks_of(dense, mask[None], 2, 2)
    shape = ("f4", x.shape)
    made = results(
        program,
        "softmax",
        {"mask": mask, "x": x, "dy": blocks_of(dy, mask[None], 2, 2)},
        {"y": shape, "dx": shape, "plain": shape},
    )

    def softmax(kept: np.ndarray) -> torch.Tensor:
        t = torch.tensor(dense, requires_grad=True)
        y = torch.softmax(t.masked_fill(torch.tensor(~kept), float("-inf")), -1)
        (y * torch.tensor(dy * there)).sum().backward()
        return y.detach(), t.grad

    # Two matrices of four rows, each with its own diagonal.
    lower = np.tile(np.tril(np.ones((4, 8))), (2, 1)) != 0
    y, gradient = softmax(there & lower)
    np.testing.assert_allclose(made["y"], blocks_of(y.numpy(), mask[None], 2, 2), atol=1e-6)
    np.testing.assert_allclose(made["dx"], blocks_of(gradient.numpy(), mask[None], 2, 2), atol=1e-6)
    plain, _ = softmax(there)
    np.testing.assert_allclose(made["plain"], blocks_of(plain.numpy(), mask[None], 2, 2), atol=1e-6)
