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
