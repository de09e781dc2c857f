"""Reductions and softmax."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.ops.cases.case import SMALL, Array, Case, distinct, ints

REDUCTIONS = [
    Case(type, [distinct(2, 3, 2) + 2.5], {"axes": [0, 2], "keepdims": 0}, opsets=(6, 11))
    for type in (
        "ReduceSum",
        "ReduceMean",
        "ReduceMax",
        "ReduceMin",
        "ReduceProd",
        "ReduceSumSquare",
        "ReduceL1",
        "ReduceL2",
        "ReduceLogSum",
        "ReduceLogSumExp",
    )
] + [
    Case("ReduceSum", [[2, 3, 2], ints(-2)], constants=[1], opsets=(13,), id="input"),
    Case(
        "ReduceSum",
        [SMALL, ints()],
        {"noop_with_empty_axes": 1},
        constants=[1],
        opsets=(13,),
        id="noop",
    ),
    Case(
        "ReduceMean", [[2, 3, 2], ints(1)], {"keepdims": 0}, constants=[1], opsets=(18,), id="input"
    ),
    Case("ReduceMax", [distinct(2, 3, 2)], opsets=(13,), id="all"),
    Case("ReduceL1", [[2, 3]], {"axes": [1]}, opsets=(13,), away=[0], id="signs"),
    Case("GlobalLpPool", [[2, 3, 4]], opsets=(6,), away=[0]),
    Case("GlobalLpPool", [[2, 3, 2, 3]], {"p": 1}, opsets=(6,), away=[0], id="absolute"),
    Case(
        "GlobalLpPool",
        [[1, 2, 5]],
        {"p": 3},
        opsets=(22,),
        away=[0],
        formula=lambda x: np.cbrt((np.abs(x) ** 3).sum(-1, keepdims=True)),
        id="cubes",
    ),
]

TIES = np.array([[[2.0, 1, 2], [0, 1, 0]], [[1, 1, 1], [3, 0, 3]]])


def _cumulated(x: Array, axis: Array, exclusive: bool = False, reverse: bool = False) -> Array:
    """CumProd, which onnxruntime lacks."""
    x = np.flip(x, axis) if reverse else x
    if exclusive:
        first = np.ones_like(np.take(x, [0], int(axis)))
        x = np.concatenate([first, np.delete(x, -1, int(axis))], int(axis))
    found = np.cumprod(x, int(axis))
    return np.flip(found, axis) if reverse else found


SEARCHES = [
    Case(type, [x], attributes, opsets=opsets, gradient=False, id=id)
    for type in ("ArgMax", "ArgMin")
    for x, attributes, opsets, id in (
        (distinct(2, 3, 4), {}, (), ""),
        (TIES, {"axis": 2, "keepdims": 0}, (6, 11, 13), "ties"),
        (TIES, {"axis": -1, "select_last_index": 1}, (12, 13), "last"),
        (TIES, {"axis": 1, "select_last_index": 1, "keepdims": 0}, (12, 13), "middle"),
        (np.array([[3, 1, 3], [2, 5, 1]], np.int32), {"axis": 1}, (11, 13), "integers"),
        (np.zeros((0, 3)), {"axis": 1, "keepdims": 0}, (13,), "empty"),
        (np.zeros((0, 0, 2)), {"axis": 1, "keepdims": 0}, (13,), "no rows"),
    )
] + [
    Case("Hardmax", [TIES], gradient=False),
    Case("Hardmax", [TIES], {"axis": 1}, opsets=(6, 11, 13), gradient=False, id="middle"),
    Case("Hardmax", [TIES], {"axis": -3}, opsets=(11, 13), gradient=False, id="first"),
    Case("Hardmax", [np.zeros((2, 0))], opsets=(13,), gradient=False, id="empty"),
    Case("TopK", [distinct(2, 5, 3)], {"k": 2, "axis": 1}, opsets=(6,), outputs=2, id="attribute"),
    *(
        Case("TopK", [x, ints(k)], attributes, constants=[1], opsets=opsets, outputs=2, id=id)
        for x, k, attributes, opsets, id in (
            (distinct(3, 6), 3, {}, (10, 11, 24), ""),
            (distinct(2, 5, 3), 2, {"axis": 1}, (10, 11), "middle"),
            (distinct(2, 5, 3), 3, {"axis": -2, "largest": 0}, (11,), "smallest"),
            (distinct(2, 4), 4, {"axis": 0 - 1, "sorted": 1}, (11,), "all"),
            (distinct(4), 0, {}, (11,), "none"),
        )
    ),
    Case(
        "TopK", [TIES, ints(2)], constants=[1], opsets=(11,), outputs=2, gradient=False, id="ties"
    ),
]

SCANS = [
    Case("CumSum", [[2, 5, 3], ints(axis)[0]], attributes, constants=[1], id=id)
    for axis, attributes, id in (
        (1, {}, ""),
        (-1, {"exclusive": 1}, "exclusive"),
        (0, {"reverse": 1}, "reverse"),
        (-2, {"reverse": 1, "exclusive": 1}, "both"),
    )
] + [
    Case("CumSum", [[4], np.array([0], np.int32)], constants=[1], opsets=(11,), id="vector"),
    Case("CumSum", [np.arange(6) - 2, ints(0)[0]], constants=[1], gradient=False, id="integers"),
    *(
        Case(
            "CumProd",
            [x, ints(axis)[0]],
            {"exclusive": int(exclusive), "reverse": int(reverse)},
            constants=[1],
            formula=partial(_cumulated, exclusive=exclusive, reverse=reverse),
            id=id,
        )
        for x, axis, exclusive, reverse, id in (
            ([2, 5, 3], 1, False, False, ""),
            ([2, 5], -1, True, False, "exclusive"),
            ([5, 3], 0, False, True, "reverse"),
            ([2, 5, 3], -2, True, True, "both"),
            (np.array([[2.0, 0, 3, -1], [0, 0.5, 0, 2], [0, 0, 0, 0]]), 1, False, False, "zeros"),
        )
    ),
]

SOFTMAX = [
    Case(type, [[2, 3, 4]], attributes, opsets=opsets, id=id)
    for type in ("Softmax", "LogSoftmax")
    for attributes, opsets, id in (
        ({"axis": 1}, (6, 11, 13), "middle"),
        ({}, (6, 11, 13), "default"),
        ({"axis": 0}, (13,), "first"),
    )
]
