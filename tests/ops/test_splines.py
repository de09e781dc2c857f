"""The gradient of SplineBasis against PyTorch's, of the basis as torch-spline-conv states it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from onnx import helper

from tests.models import floats
from tests.ops.control.models import gradients, parsed, results

PIECES = {
    1: [lambda v: 1 - v, lambda v: v],
    2: [lambda v: v * v / 2 - v + 0.5, lambda v: -v * v + v + 0.5, lambda v: v * v / 2],
    3: [
        lambda v: (1 - v) ** 3 / 6,
        lambda v: (3 * v**3 - 6 * v * v + 4) / 6,
        lambda v: (-3 * v**3 + 3 * v * v + 3 * v + 1) / 6,
        lambda v: v**3 / 6,
    ],
}


def by_torch(
    points: torch.Tensor, sizes: list[int], opened: list[int], degree: int
) -> tuple[torch.Tensor, list[list[int]]]:
    """The basis of each point, and the numbers of the weights; dimension 0 counts fastest."""
    rows, numbers = [], []
    for point in points:
        products, places = [], []
        for pieces in itertools.product(range(degree + 1), repeat=len(sizes)):
            basis, number, stride = torch.ones(()), 0, 1
            for d, k in enumerate(reversed(pieces)):
                v = point[d] * (sizes[d] - degree * opened[d])
                knot = int(torch.floor(v))
                basis = basis * PIECES[degree][k](v - knot)
                number += (knot + k) % sizes[d] * stride
                stride *= sizes[d]
            products.append(basis)
            places.append(number)
        rows.append(torch.stack(products))
        numbers.append(places)
    return torch.stack(rows), numbers


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("opened", [[1, 1], [0, 1], [0, 0]])
def test_the_gradient_is_that_of_the_polynomials(degree: int, opened: list[int]) -> None:
    sizes, x = [5, 4], np.abs(floats(6, 2)) % 0.9 + 0.05
    model = parsed("g (float[6, 2] x, int32[2] sizes, uint8[2] opened) => (float y, int32 n) {}")
    node = helper.make_node(
        "SplineBasis", ["x", "sizes", "opened"], ["y", "n"], domain="ai.graphcore", degree=degree
    )
    model.graph.node.append(node)
    model.opset_import.append(helper.make_opsetid("ai.graphcore", 1))
    inputs = {"x": x, "sizes": np.array(sizes, np.int32), "opened": np.array(opened, np.uint8)}
    given = torch.tensor(x, requires_grad=True)
    basis, numbers = by_torch(given, sizes, opened, degree)
    y, n = results(model, inputs)
    np.testing.assert_allclose(y, basis.detach().numpy(), 1e-5, 1e-6)
    np.testing.assert_array_equal(n, numbers)
    factors = floats(*y.shape, seed=1)
    (basis * torch.from_numpy(factors)).sum().backward()
    assert given.grad is not None
    found = gradients(model, inputs, {"y": factors}, ["x"])["x"]
    np.testing.assert_allclose(found, given.grad.numpy(), 1e-4, 1e-5)
