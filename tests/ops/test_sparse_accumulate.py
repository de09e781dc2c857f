"""SparseAccumulate by itself, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import popir
from popir.testing import run
from tests.models import Array, floats

TABLE, G = floats(6, 4, seed=1), floats(5, 4, seed=2)
INDICES = np.array([5, 0, 5, 7, 2], np.uint32)
DOMAIN = "ai.graphcore.PopartSparseAccumulate"


def summed(mode: str, factor: float, indices: Array) -> Array:
    found = TABLE.astype(np.float64)
    for i, row in zip(indices.astype(np.int64), G.astype(np.float64), strict=True):
        if i < len(TABLE):
            found[i] += row if mode == "Add" else factor * (row if "Sq" not in mode else row * row)
    return found


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("is_input", [False, True])
@pytest.mark.parametrize("mode", ["Add", "DampenedAdd", "DampenedAddSquare"])
def test_rows_are_added(mode: str, is_input: bool, axis: int) -> None:
    table = TABLE if axis == 0 else TABLE.T
    given: dict[str, Any] = {"mode": mode, "axis": axis}
    factor = None
    if mode != "Add":
        factor = np.array(0.3, np.float32) if is_input else None
        given |= {} if is_input else {"factor": 0.3}
    (found,) = run(DOMAIN, [np.ascontiguousarray(table), G, factor, INDICES], given)
    want = summed(mode, 0.3, INDICES)
    np.testing.assert_allclose(found if axis == 0 else found.T, want, rtol=1e-5, atol=1e-6)


def test_what_is_refused() -> None:
    with pytest.raises(popir.popart_exception, match="one of Add, DampenedAdd"):
        run(DOMAIN, [TABLE, G, None, INDICES], {"mode": "Mean", "axis": 0})
    with pytest.raises(popir.popart_exception, match="takes a factor"):
        run(DOMAIN, [TABLE, G, None, INDICES], {"mode": "DampenedAdd", "axis": 0})
    with pytest.raises(popir.popart_exception, match="axis 2 of"):
        run(DOMAIN, [TABLE, G, None, INDICES], {"mode": "Add", "axis": 2})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"part": 0, "parts": 4}, r"part 0 of 4 .*6 rows.* parts of equal size, numbered from 0"),
        ({"part": 2, "parts": 2}, r"part 2 of 2 .*6 rows"),
        ({"part": -1, "parts": 2}, r"part -1 of 2 .*6 rows"),
        ({"part": 0, "parts": 0}, r"part 0 of 0 .*6 rows"),
    ],
)
def test_parts_that_a_table_does_not_have_are_refused(given: dict[str, int], said: str) -> None:
    with pytest.raises(popir.OperatorAttributeError, match=said):
        run(DOMAIN, [TABLE, G, None, INDICES], {"mode": "Add", "axis": 0, **given})


@pytest.mark.parametrize("rows", [G[:, :3], G[:4], G.T])
def test_rows_of_another_shape_are_refused(rows: Array) -> None:
    said = r"PopartSparseAccumulate.*input 1 is FLOAT.*expected are 5 rows of 4, one for each index"
    given = [TABLE, np.ascontiguousarray(rows), None, INDICES]
    with pytest.raises(popir.OperatorInputError, match=said):
        run(DOMAIN, given, {"mode": "Add", "axis": 0})
