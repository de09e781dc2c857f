"""Constants and random numbers."""

from __future__ import annotations

import numpy as np
from onnx import numpy_helper

from tests.ops.cases.case import SMALL, Case, ints

GENERATION = [
    Case("Shape", [[2, 3, 4]], gradient=False),
    Case("Shape", [[2, 3, 4]], {"start": -2, "end": 9}, gradient=False, opsets=(15,), id="part"),
    Case("Size", [[2, 3, 4]], gradient=False),
    Case("ConstantOfShape", [ints(2, 3)], constants=[0], gradient=False),
    Case(
        "ConstantOfShape",
        [ints()],
        {"value": numpy_helper.from_array(ints(7))},
        constants=[0],
        gradient=False,
        opsets=(9,),
        id="integer",
    ),
    Case(
        "Range",
        [np.int64(10), np.int64(-1), np.int64(-3)],
        constants=[0, 1, 2],
        gradient=False,
        opsets=(11,),
    ),
    Case(
        "Range",
        [np.float32(1), np.float32(2), np.float32(0.3)],
        constants=[0, 1, 2],
        gradient=False,
        opsets=(11,),
        id="fractions",
    ),
]

GENERATION += [
    Case("Dropout", [SMALL], opsets=(7, 10), gradient=False),
    Case(
        "Dropout",
        [SMALL, np.float64(0.5), np.bool_(False)],
        constants=[1, 2],
        opsets=(12, 13, 22),
        id="not training",
    ),
]

GENERATION += [
    Case("OneHot", [ints(0, 2, -1), np.int64(4), [2]], constants=[1], opsets=(9, 11)),
    Case(
        "OneHot",
        [ints(0, 5, -4, -5, 2, 1).reshape(2, 3), ints(4), [2]],
        {"axis": 1},
        constants=[1],
        opsets=(11,),
        id="outside",
    ),
    Case(
        "OneHot",
        [np.array([0.0, 2.7, -1.0]), np.float32(3), [2]],
        {"axis": 0},
        constants=[1],
        opsets=(11, 28),
        gradient=False,
        # onnxruntime compares 2.7 as it is; ONNX says that it is 2.
        formula=lambda i, depth, v: v[np.array([[1, 0, 0], [0, 0, 0], [0, 1, 1]])],
        id="of numbers",
    ),
    Case(
        "OneHot",
        [np.int64(1), np.int64(3), ints(4, 5)],
        constants=[1],
        opsets=(28,),
        gradient=False,
        formula=lambda i, depth, values: values[[0, 1, 0]],
        id="scalar",
    ),
    Case("EyeLike", [[3, 4]], opsets=(9, 22), gradient=False),
    Case("EyeLike", [[3, 4]], {"k": -1, "dtype": 6}, opsets=(9,), gradient=False, id="below"),
    Case("EyeLike", [ints(1, 2).reshape(1, 2)], {"k": 1}, opsets=(9,), gradient=False, id="above"),
]
