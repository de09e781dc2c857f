"""Rows of operators of ai.onnx.ml that are others on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.cases.case import Array, Case, ints

_OWN = {"domain": "ai.onnx.ml", "opsets": (1,), "widest": "float32"}


def ml(type: str, inputs: Any, attributes: Any = None, **more: Any) -> Case:
    """A row of ai.onnx.ml. Results are floats there, whatever the inputs are."""
    return Case(type, inputs, attributes or {}, **{**_OWN, **more})


THREE = {"offset": [1.0, 2.0, 3.0], "scale": [2.0, -1.0, 5.0]}
LINE = {"coefficients": [0.1, 0.2, 0.3], "intercepts": [0.4]}
LINES = {"coefficients": [0.1, 0.2, 0.3, 0.3, -0.2, 0.1, 1.0, 0.5, 0.0]}
LINES |= {"intercepts": [0.4, 0.0, -1.0]}
LABELS = {"classlabels_ints": [5, 7, 9]}
SUPPORT = {
    "coefficients": [0.5, -0.2, 0.3],
    "kernel_params": [0.5, 0.1, 3.0],
    "n_supports": 3,
    "support_vectors": [1.0, 0.0, 0.0, 1.0, 1.0, 1.0],
    "rho": [0.1],
}
GAPS = np.array([[1.0, np.nan, 3.0], [0.0, -0.0, np.inf]])


def one_hot(x: Array) -> Array:
    return (np.trunc(x)[..., None] == [2, 0, -1]).astype(np.float32)


def logistic(x: Array) -> Array:
    line = x.astype(np.float32) @ np.float32([0.1, 0.2, 0.3]) + np.float32(0.4)
    return (1 / (1 + np.exp(-line)))[:, None]


def probit(x: Array) -> Array:
    """By halving: the number whose normal distribution is at 0.5 + x / 10."""
    import math

    def one(p: float) -> float:
        low, high = -9.0, 9.0
        for _ in range(80):
            middle = (low + high) / 2
            below = 0.5 * (1 + math.erf(middle / math.sqrt(2))) < p
            low, high = (middle, high) if below else (low, middle)
        return low

    return np.vectorize(one)(x.astype(np.float64) / 10 + 0.5)


def poly(x: Array) -> Array:
    vectors = np.array(SUPPORT["support_vectors"]).reshape(3, 2)
    kernels = (0.5 * x @ vectors.T + 0.1) ** 3
    found = kernels @ np.array(SUPPORT["coefficients"])[:, None] + 0.1
    return 1 / (1 + np.exp(-found))


def features(*inputs: Array) -> Array:
    a, b = inputs
    wide = np.concatenate([a[:, :2], b, np.zeros([len(b), 2])], axis=1)
    return wide.astype(np.float32)


ML = [
    ml("Scaler", [[2, 3]], THREE),
    ml("Scaler", [[2, 3]], {"offset": [1.0], "scale": [0.5]}, id="one"),
    ml("Scaler", [[3]], THREE, id="vector"),
    ml("Scaler", [[0, 3]], THREE, id="empty"),
    ml("Scaler", [ints(1, 2, 3)], THREE, gradient=False, id="integers"),
    ml("Scaler", [[2, 3]], {"scale": [3.0]}, formula=lambda x: x * 3, id="scale"),
    *(ml("Normalizer", [[2, 3]], {"norm": n}, id=n) for n in ("L1", "L2")),
    ml("Normalizer", [np.array([[1.0, 4.0], [2.0, -5.0]])], {"norm": "MAX"}, id="MAX"),
    ml("Normalizer", [np.array([[1.0, 4.0], [0.0, 0.0]])], {"norm": "L1"}, gradient=False, id="0"),
    ml("Normalizer", [[3]], {"norm": "L2"}, id="vector"),
    ml("Normalizer", [[2, 0]], {"norm": "L2"}, formula=lambda x: x, id="no features"),
    ml("Normalizer", [ints(1, -2, 3).reshape(1, 3)], {"norm": "L1"}, gradient=False, id="integers"),
    ml("Binarizer", [[2, 3]], {"threshold": 0.25}, gradient=False),
    ml(
        *("Binarizer", [ints(1, 2, -3)], {"threshold": 1.5}),
        formula=lambda x: (x > 1.5).astype(np.int64),
        gradient=False,
        id="integers",
    ),
    ml("Imputer", [[2, 3]], {"imputed_value_floats": [9.0]}, widest="float64"),
    *(
        ml(
            *("Imputer", [GAPS], {"imputed_value_floats": v, "replaced_value_float": old}),
            gradient=False,
            id=f"{len(v)}-{old}",
        )
        for v in ([9.0], [9.0, 8.0, 7.0])
        for old in (0.0, float("nan"), float("inf"))
    ),
    ml(
        *("Imputer", [ints(1, 4, -3).reshape(1, 3)],),
        {"imputed_value_int64s": [9, 8, 7], "replaced_value_int64": 4},
        gradient=False,
        id="integers",
    ),
    ml("FeatureVectorizer", [[2, 3], [2, 1]], {"inputdimensions": [3, 1]}),
    ml("FeatureVectorizer", [[2, 3], [2, 1]], {"inputdimensions": [2, 3]}, formula=features,
       id="sized"),
    ml("FeatureVectorizer", [[3], [2]], {"inputdimensions": [3, 2]}, id="vectors"),
    ml("ArrayFeatureExtractor", [[2, 3], ints(2, 0)], widest="float64"),
    ml("ArrayFeatureExtractor", [[2, 3, 4], ints(1).reshape(1, 1)], widest="float64", id="rank 3"),
    ml("ArrayFeatureExtractor", [[3], ints(1, 1)], widest="float64", id="vector"),
    ml("ArrayFeatureExtractor", [ints(1, 2, 3), ints(1)], gradient=False, id="integers"),
    ml("OneHotEncoder", [ints(1, 3, 7)], {"cats_int64s": [1, 3]}, gradient=False),
    ml("OneHotEncoder", [ints(1, 3, 7)], {"cats_int64s": [3, 3]}, gradient=False, id="equal"),
    ml("OneHotEncoder", [np.int64(3)], {"cats_int64s": [1, 3]}, gradient=False, id="scalar"),
    ml("OneHotEncoder", [[2, 5]], {"cats_int64s": [2, 0, -1]}, formula=one_hot, low=-3, high=3,
       gradient=False, id="floats"),
    ml("LinearRegressor", [[2, 3]], LINE),
    *(ml("LinearRegressor", [[2, 3]], {**LINES, "targets": 3, "post_transform": t}, id=t)
      for t in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")),
    ml("LinearRegressor", [[2, 3]], {**LINE, "post_transform": "LOGISTIC"}, formula=logistic,
       id="LOGISTIC of one"),
    ml("LinearRegressor", [np.array([[-4.99], [-4.9], [-1.0], [0.0], [0.1], [4.5], [4.995]])],
       {"coefficients": [0.1], "intercepts": [0.5], "post_transform": "PROBIT"}, formula=probit,
       rtol=1e-4, gradient=False, id="PROBIT"),
    ml("LinearRegressor", [[3]], LINE, id="vector"),
    ml("LinearRegressor", [[0, 3]], LINE, id="empty"),
    ml("LinearClassifier", [[4, 3]], {**LINES, **LABELS}, outputs=2, gradient=False),
    *(
        ml("LinearClassifier", [[4, 3]], {**attributes, "post_transform": t}, outputs=2,
           gradient=False, id=f"{name}-{t}")
        for name, attributes in (
            ("several", {**LINES, **LABELS}),
            ("one", {**LINE, "classlabels_ints": [5, 7]}),
        )
        for t in ("SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")
    ),
    ml("LinearClassifier", [[4, 3]], {**LINE, "classlabels_ints": [5, 7]}, outputs=2,
       gradient=False, id="one"),
    *(ml("SVMRegressor", [[4, 2]], {**SUPPORT, "kernel_type": k}, rtol=1e-5, id=k)
      for k in ("LINEAR", "POLY", "RBF", "SIGMOID")),
    ml("SVMRegressor", [[4, 2]], {**SUPPORT, "kernel_type": "SIGMOID", "one_class": 1,
                                  "rho": [-0.2]}, gradient=False, id="one class"),
    ml("SVMRegressor", [[4, 2]], {"coefficients": [0.5, -0.25], "kernel_params": [0.0] * 3,
                                  "rho": [0.5]}, id="no vectors"),
    ml("SVMRegressor", [[4, 2]], {**SUPPORT, "kernel_type": "POLY", "post_transform": "LOGISTIC"},
       formula=poly, rtol=1e-5, id="LOGISTIC"),
]  # fmt: skip
