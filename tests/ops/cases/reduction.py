"""Reductions and softmax."""

from __future__ import annotations

import numpy as np

from tests.ops.cases.case import SMALL, Case, distinct, ints

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

SOFTMAX = [
    Case(type, [[2, 3, 4]], attributes, opsets=opsets, id=id)
    for type in ("Softmax", "LogSoftmax")
    for attributes, opsets, id in (
        ({"axis": 1}, (6, 11, 13), "middle"),
        ({}, (6, 11, 13), "default"),
        ({"axis": 0}, (13,), "first"),
    )
]
