"""Constants and random numbers."""

from __future__ import annotations

import numpy as np
from onnx import numpy_helper

from tests.ops.cases.case import BOOLS, SMALL, Case, ints

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

# What is drawn is one number here; tests/ops/test_random_numbers.py has the distributions.
_SURE = np.array([[-np.inf, 0.0, -np.inf], [3.0, -np.inf, -np.inf]])
GENERATION += [
    Case(
        "RandomNormal",
        [],
        {"shape": [2, 3], "mean": 1.5, "scale": 0.0},
        gradient=False,
        formula=lambda: np.full((2, 3), 1.5, np.float32),
    ),
    Case(
        "RandomUniform",
        [],
        {"shape": [3], "low": 1.0, "high": float(np.nextafter(np.float32(1), np.float32(2)))},
        gradient=False,
        formula=lambda: np.ones(3, np.float32),
    ),
    Case(
        "RandomNormalLike",
        [SMALL],
        {"mean": 1.5, "scale": 0.0},
        gradient=False,
        formula=lambda x: np.full_like(x, 1.5),
    ),
    Case(
        "RandomUniformLike",
        [ints(4, 5)],
        {"low": -1.0, "high": -0.9999999403953552, "dtype": 1},
        gradient=False,
        formula=lambda x: np.full(2, -1, np.float32),
    ),
    Case(
        "RandomUniformLike",
        [SMALL],
        {"low": -1.0, "high": -0.9999999403953552},
        gradient=False,
        formula=lambda x: np.full_like(x, -1),
        id="of floats",
    ),
    Case(
        "Multinomial",
        [_SURE],
        {"sample_size": 3},
        gradient=False,
        formula=lambda x: np.array([[1] * 3, [0] * 3], np.int32),
    ),
    Case("Bernoulli", [BOOLS.astype(np.float64)], gradient=False, formula=lambda x: x),
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
