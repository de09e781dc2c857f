"""Operators of ai.onnx.ml and ai.onnx.preview.training: how random nodes are made, and formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from tests.fuzz.generator import INT64, Array, Graph, Value

ML, TRAINING = "ai.onnx.ml", "ai.onnx.preview.training"
_FLOAT = np.dtype(np.float32)
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")


def _numbers(g: Graph, count: int) -> list[float]:
    return [float(np.float32(g.rng.gauss(0, 1))) for _ in range(count)]


def _rows(g: Graph) -> Value:
    """Rows of features, none of them large."""
    shape = (g.rng.choice([0, 1, 2, 5]), g.rng.choice([1, 2, 3, 7]))
    return g.fresh(_FLOAT, shape, lambda rng, s: rng.standard_normal(s))


def _some_rows(g: Graph) -> Value:
    return g.pick([_FLOAT], lambda v: len(v.shape) == 2 and v.shape[1] > 0)


def scaler(g: Graph, type: str) -> None:
    """One number for all features, or one for each; either may be left out."""
    x = _some_rows(g)
    attributes = {
        name: _numbers(g, g.rng.choice([1, x.shape[1]]))
        for name in ("offset", "scale")
        if g.rng.random() < 0.8
    }
    g.node(type, [x], attributes, results=[(_FLOAT, x.shape)], domain=ML)


def normalizer(g: Graph, type: str) -> None:
    """The norm of each row."""
    x, norm = _rows(g), g.rng.choice(["L1", "L2", "MAX"])
    g.node(type, [x], {"norm": norm}, results=[(_FLOAT, x.shape)], domain=ML)


def binarizer(g: Graph, type: str) -> None:
    """A threshold of all types."""
    x = g.pick([_FLOAT, INT64, np.dtype(np.int32), np.dtype(np.float64)])
    threshold = g.rng.choice([0.0, 0.5, -1.25])
    g.node(type, [x], {"threshold": threshold}, results=[(x.dtype, x.shape)], domain=ML)


def imputer(g: Graph, type: str) -> None:
    """NaN, 0 or 1 is replaced."""
    x = _some_rows(g)
    old = g.rng.choice([math.nan, 0.0, 1.0])
    new = _numbers(g, g.rng.choice([1, x.shape[1]]))
    attributes = {"imputed_value_floats": new, "replaced_value_float": old}
    g.node(type, [x], attributes, results=[(_FLOAT, x.shape)], domain=ML)


def vectorizer(g: Graph, type: str) -> None:
    """One to three inputs, cut off or filled."""
    x = _some_rows(g)
    every = [x, *(g.like(_FLOAT, (x.shape[0], g.rng.choice([1, 3]))) for _ in range(2))]
    every = every[: g.rng.choice([1, 2, 3])]
    sizes = [g.rng.choice([v.shape[1], 1, 4]) for v in every]
    shape = (x.shape[0], sum(sizes))
    g.node(type, every, {"inputdimensions": sizes}, results=[(_FLOAT, shape)], domain=ML)


def extractor(g: Graph, type: str) -> None:
    """Any places of the last axis."""
    x = g.pick([_FLOAT, INT64], lambda v: len(v.shape) > 1 and v.shape[-1] > 0)
    places = g.constant([g.rng.randrange(x.shape[-1]) for _ in range(g.rng.choice([1, 2, 4]))])
    results = [(x.dtype, (*x.shape[:-1], *places.shape))]
    g.node(type, [x, places], results=results, domain=ML)


def one_hot(g: Graph, type: str) -> None:
    """Categories of which some are there."""
    x = g.pick([INT64], lambda v: len(v.shape) < 5 and v.size < 500)
    categories = [g.rng.randrange(-9, 10) for _ in range(g.rng.choice([1, 3, 5]))]
    results = [(_FLOAT, (*x.shape, len(categories)))]
    g.node(type, [x], {"cats_int64s": categories}, results=results, domain=ML)


def linear(g: Graph, type: str) -> None:
    """Several scores of a few features."""
    x, rows = _rows(g), g.rng.choice([2, 3])
    attributes: dict[str, Any] = {
        "coefficients": _numbers(g, rows * x.shape[1]),
        "intercepts": _numbers(g, rows),
        "post_transform": g.rng.choice(_TRANSFORMS),
    }
    results: list[tuple[Any, Sequence[int]]] = [(_FLOAT, (x.shape[0], rows))]
    if type == "LinearRegressor":
        attributes["targets"] = rows
    else:
        attributes["classlabels_ints"] = [5, 7, 9][:rows]
        results.insert(0, (INT64, x.shape[:1]))
    g.node(type, [x], attributes, len(results), results, domain=ML)


def machine(g: Graph, type: str) -> None:
    """Two support vectors, with every kernel."""
    x = _rows(g)
    attributes = {
        "coefficients": _numbers(g, 2),
        "kernel_params": [0.5, 0.25, float(g.rng.choice([1, 2, 3]))],
        "kernel_type": g.rng.choice(["LINEAR", "POLY", "RBF", "SIGMOID"]),
        "n_supports": 2,
        "rho": _numbers(g, 1),
        "support_vectors": _numbers(g, 2 * x.shape[1]),
        "one_class": g.rng.choice([0, 0, 1]),
    }
    g.node(type, [x], attributes, results=[(_FLOAT, (x.shape[0], 1))], domain=ML)


def step(g: Graph, type: str) -> None:
    """One or two parameters; states are positive."""
    states = 2 if type == "Adam" else 1
    shapes = [g.shape() for _ in range(g.rng.choice([1, 2]))]
    dtype = g.type([_FLOAT, np.dtype(np.float64)])
    rate = g.fresh(dtype, (), lambda rng, s: rng.uniform(0.01, 0.5, s))
    count = g.fresh(INT64, (), lambda rng, s: rng.integers(0, 5, s))
    normal = [
        g.fresh(dtype, s, lambda rng, s: rng.standard_normal(s)) for _ in "xg" for s in shapes
    ]
    kept = [
        g.fresh(dtype, s, lambda rng, s: rng.uniform(0.1, 2, s))
        for _ in range(states)
        for s in shapes
    ]
    attributes: dict[str, Any] = {"norm_coefficient": g.rng.choice([0.0, 0.125])}
    if type == "Momentum":
        mode = g.rng.choice(["standard", "nesterov"])
        attributes |= {"alpha": 0.875, "beta": 0.5, "mode": mode}
    if type == "Adagrad":
        attributes |= {"decay_factor": g.rng.choice([0.0, 0.25]), "epsilon": 0.0625}
    if type == "Adam":
        attributes |= {"alpha": 0.875, "beta": 0.75, "epsilon": 0.0625}
        attributes["norm_coefficient_post"] = g.rng.choice([0.0, 0.125])
    results = [(dtype, s) for _ in range(1 + states) for s in shapes]
    ins = [rate, count, *normal, *kept]
    g.node(type, ins, attributes, len(results), results, domain=TRAINING)


MAKERS: dict[tuple[str, str], Callable[[Graph, str], object]] = {
    (ML, "Scaler"): scaler,
    (ML, "Normalizer"): normalizer,
    (ML, "Binarizer"): binarizer,
    (ML, "Imputer"): imputer,
    (ML, "FeatureVectorizer"): vectorizer,
    (ML, "ArrayFeatureExtractor"): extractor,
    (ML, "OneHotEncoder"): one_hot,
    (ML, "LinearRegressor"): linear,
    (ML, "LinearClassifier"): linear,
    (ML, "SVMRegressor"): machine,
    **{(TRAINING, type): step for type in ("Adagrad", "Adam", "Momentum")},
}
"""What makes a node, by domain and name."""


# Formulas, in double.


def _normalized(x: Array, norm: str = "MAX") -> Array:
    axis: dict[str, Any] = {"axis": 1, "keepdims": True}
    size = {
        "MAX": x.max(**axis),
        "L1": np.abs(x).sum(**axis),
        "L2": np.sqrt((x * x).sum(**axis)),
    }[norm]
    return x / np.where(size == 0, 1, size)


def _imputed(x: Array, imputed_value_floats: Any, replaced_value_float: float) -> Array:
    nan = math.isnan(replaced_value_float)
    return np.where(np.isnan(x) if nan else x == replaced_value_float, imputed_value_floats, x)


def _joined(*inputs: Array, inputdimensions: Sequence[int]) -> Array:
    parts = [
        np.pad(x[:, :n], [(0, 0), (0, max(0, n - x.shape[1]))])
        for x, n in zip(inputs, inputdimensions, strict=True)
    ]
    return np.concatenate(parts, axis=1)


def _hot(x: Array, cats_int64s: Sequence[int]) -> Array:
    last = [c not in cats_int64s[i + 1 :] for i, c in enumerate(cats_int64s)]
    return (x[..., None] == cats_int64s) & last


def _transformed(x: Array, post_transform: str) -> Array:
    if post_transform == "LOGISTIC":
        return 1 / (1 + np.exp(-x))
    if post_transform in ("SOFTMAX", "SOFTMAX_ZERO"):
        power = np.exp(x - x.max(axis=1, keepdims=True))
        if post_transform == "SOFTMAX_ZERO":
            power = np.where(np.abs(x) <= 1e-7, 0, power)
        total = power.sum(axis=1, keepdims=True)
        return power / np.where(total == 0, 1, total)
    return x


def _scores(
    x: Array,
    coefficients: Any,
    intercepts: Any,
    post_transform: str,
    targets: int = 0,
    classlabels_ints: Any = None,
) -> Any:
    found = x @ np.reshape(coefficients, (len(intercepts), -1)).T + np.array(intercepts)
    scores = _transformed(found, post_transform)
    if targets:
        return scores
    return [np.array(classlabels_ints, np.int64)[found.argmax(axis=1)], scores]


def _machine(
    x: Array, coefficients: Any, kernel_params: Any, kernel_type: str, n_supports: int, rho: Any,
    support_vectors: Any, one_class: int,
) -> Array:  # fmt: skip
    vectors = np.reshape(support_vectors, (n_supports, -1))
    gamma, add, degree = kernel_params
    inner = x @ vectors.T
    far = ((x[:, None] - vectors) ** 2).sum(axis=2)
    kernels = {
        "LINEAR": inner,
        "POLY": (gamma * inner + add) ** degree,
        "RBF": np.exp(-gamma * far),
        "SIGMOID": np.tanh(gamma * inner + add),
    }[kernel_type]
    found = kernels @ np.reshape(coefficients, (-1, 1)) + rho[0]
    return np.where(found > 0, 1.0, -1.0) if one_class else found


def _grouped(states: int, one: Callable[..., list[Array]]) -> Callable[..., list[Array]]:
    def every(r: Array, t: Array, *tensors: Array, norm_coefficient: float, **given: Any) -> Any:
        size = len(tensors) // (2 + states)
        news = []
        for i in range(size):
            x, g, *kept = tensors[i::size]
            news.append(one(r, t, x, g + norm_coefficient * x, *kept, **given))
        return [new[k] for k in range(1 + states) for new in news]

    return every


def _adagrad(r: Any, t: Any, x: Any, g: Any, h: Any, decay_factor: float, epsilon: float) -> Any:
    h = h + g * g
    return [x - r / (1 + t * decay_factor) * g / (np.sqrt(h) + epsilon), h]


def _adam(
    r: Any, t: Any, x: Any, g: Any, v: Any, h: Any, alpha: float, beta: float, epsilon: float,
    norm_coefficient_post: float,
) -> Any:  # fmt: skip
    v, h = alpha * v + (1 - alpha) * g, beta * h + (1 - beta) * g * g
    r = r * np.sqrt(1 - beta ** float(t)) / (1 - alpha ** float(t)) if t > 0 else r
    return [(1 - norm_coefficient_post) * (x - r * v / (np.sqrt(h) + epsilon)), v, h]


def _momentum(r: Any, t: Any, x: Any, g: Any, v: Any, alpha: float, beta: float, mode: str) -> Any:
    v = alpha * v + (beta if t > 0 else 1) * g
    return [x - r * (v if mode == "standard" else g + alpha * v), v]


_FORMULAS: dict[str, Callable[..., Any]] = {
    "Scaler": lambda x, offset=(0,), scale=(1,): (x - np.array(offset)) * np.array(scale),
    "Normalizer": _normalized,
    "Binarizer": lambda x, threshold: x > threshold,
    "Imputer": _imputed,
    "FeatureVectorizer": _joined,
    "ArrayFeatureExtractor": lambda x, places: x[..., places],
    "OneHotEncoder": _hot,
    "LinearRegressor": _scores,
    "LinearClassifier": _scores,
    "SVMRegressor": _machine,
    "Adagrad": _grouped(1, _adagrad),
    "Adam": _grouped(2, _adam),
    "Momentum": _grouped(1, _momentum),
}


def formula(node: onnx.NodeProto, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of a node."""
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    given = {k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()}
    wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in inputs]
    with np.errstate(all="ignore"):
        found = _FORMULAS[node.op_type](*wide, **given)
    results = found if isinstance(found, list) else [found]
    kind = _FLOAT
    if node.domain == TRAINING:
        kind = inputs[2].dtype
    elif node.op_type in ("Binarizer", "ArrayFeatureExtractor"):
        kind = inputs[0].dtype
    return [a if a.dtype == INT64 else np.asarray(a).astype(kind) for a in results]
