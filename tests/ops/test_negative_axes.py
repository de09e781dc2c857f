"""Axes counted from the end, for each row of the table of operators that has axes: the results are
those of the row, against its oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import pytest

from tests.ops.cases import CASES, Array, Case
from tests.ops.test_cases import expected, infer, inputs_of, model_of, opsets_of

NEW_DIMENSIONS = {"Unsqueeze": lambda axes: len(axes), "OneHot": lambda _: 1}
"""Operators whose axes are those of the output, with the number of its further dimensions."""
FROM_THE_FRONT = {"ReverseSequence", "Scan"}
"""Operators without axes that are counted from the end."""
OPSET = 11
"""The first with negative axes."""


def counted_back(case: Case, arrays: list[Array | None], axes: Sequence[int]) -> list[int] | None:
    """The axes counted from the end; None if one is so already, or is no dimension."""
    assert arrays[0] is not None
    rank = arrays[0].ndim + NEW_DIMENSIONS.get(case.type, lambda _: 0)(axes)
    if not axes or not all(0 <= a < rank for a in axes):
        return None
    return [a - rank for a in axes]


def changed(case: Case) -> tuple[Case, list[Array | None]] | None:
    """The row with its axes counted from the end, and its arrays; None if it has none."""
    opset = opsets_of(case)[-1]
    if case.domain != "ai.onnx" or case.type in FROM_THE_FRONT or opset < OPSET:
        return None
    arrays = case.arrays(np.float32)
    if not arrays or arrays[0] is None:
        return None
    for name in ("axis", "axes"):
        if name in case.attributes:
            given = case.attributes[name]
            found = counted_back(case, arrays, np.reshape(given, -1).tolist())
            if found is None:
                return None
            attributes: Any = {**case.attributes, name: found if name == "axes" else found[0]}
            return replace(case, attributes=attributes), arrays
    for i, formal in enumerate(onnx.defs.get_schema(case.type, opset).inputs):
        if formal.name not in ("axis", "axes") or i >= len(arrays):
            continue
        given = arrays[i]
        found = None if given is None else counted_back(case, arrays, given.reshape(-1).tolist())
        if found is None:
            return None
        new = np.array(found, given.dtype).reshape(given.shape)
        return case, [*arrays[:i], new, *arrays[i + 1 :]]
    return None


ROWS = [(case, made) for case in CASES if (made := changed(case)) is not None]


def test_there_are_rows() -> None:
    assert len({case.type for case, _ in ROWS}) > 35


@pytest.mark.parametrize(("case", "made"), ROWS, ids=[case.name for case, _ in ROWS])
def test_axes_counted_from_the_end(case: Case, made: tuple[Case, list[Array | None]]) -> None:
    opset, arrays = opsets_of(case)[-1], case.arrays(np.float32)
    want = expected(case, model_of(case, opset, arrays), arrays)
    other, changed_arrays = made
    model = model_of(other, opset, changed_arrays)
    found = infer(model, inputs_of(other, changed_arrays))
    for one, two in zip(found, want, strict=False):
        assert one.shape == two.shape
        wide = [each.astype(np.float64) for each in (one, two)]
        np.testing.assert_allclose(wide[0], wide[1], 10 * case.rtol, 10 * case.atol)
