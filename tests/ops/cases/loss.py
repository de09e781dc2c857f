"""Losses."""

from __future__ import annotations

import numpy as np

from tests.ops.cases.case import POPART, Array, Case, ints


def _nll(p: Array, labels: Array, reduction: str = "Mean", ignored: int = -1) -> Array:
    used = labels != ignored
    picked = np.take_along_axis(p, np.where(used, labels, 0)[..., None], -1)[..., 0]
    losses = np.where(used, -np.log(picked), 0).astype(p.dtype)
    total = losses.sum() / (used.sum() if reduction == "Mean" else 1)
    return losses if reduction == "NoReduction" else np.asarray(total, p.dtype)


_PROBABILITIES = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]])
_LABELS = ints(1, 0, 2, 1, dtype=np.int32)
_MAP = ints(1, 0, 2, 1, 0, 0, 2, 2).reshape(2, 4)

LOSSES = [
    Case("Nll", [_PROBABILITIES, _LABELS], **POPART, formula=_nll),
    Case(
        "Nll",
        [_PROBABILITIES, _LABELS],
        {"reduction": "Sum", "ignoreIndex": 0},
        **POPART,
        formula=lambda p, t: _nll(p, t, "Sum", 0),
        id="ignored",
    ),
    Case(
        "Nll",
        [_PROBABILITIES, _LABELS],
        {"ignoreIndex": 1},
        **POPART,
        formula=lambda p, t: _nll(p, t, "Mean", 1),
        id="mean of the rest",
    ),
    Case(
        "Nll",
        [_PROBABILITIES.reshape(2, 2, 3), _LABELS.reshape(2, 2)],
        {"reduction": "NoReduction"},
        **POPART,
        formula=lambda p, t: _nll(p, t, "NoReduction"),
        id="each",
    ),
    Case(
        "Nll",
        [np.log(_PROBABILITIES), _LABELS],
        {"inputIsLogProbability": 1},
        **POPART,
        formula=lambda p, t: _nll(np.exp(p), t),
        id="logarithms",
    ),
    *(
        Case(type, [scores, labels, *weights], attributes, frozen=[2] * len(weights), id=id)
        for type in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
        for scores, labels, weights, attributes, id in (
            ([4, 3], _LABELS, [], {}, "mean"),
            ([4, 3], _LABELS, [np.array([0.5, 2.0, 1.5])], {"ignore_index": 1}, "weighted"),
            ([2, 3, 4], _MAP, [np.array([0.5, 2.0, 1.5])], {"reduction": "none"}, "each"),
            ([2, 3, 2, 2], _MAP.reshape(2, 2, 2), [], {"reduction": "sum"}, "2-D"),
        )
    ),
    Case("SoftmaxCrossEntropyLoss", [[2, 3, 4], _MAP], outputs=2, id="log_prob"),
] + [
    Case(
        type,
        [[2, 3]],
        {**attributes, "reduction": reduction},
        **POPART,
        away=[0],
        formula=formula,
        id=reduction,
    )
    for type, attributes, factor in (
        ("L1", {"lambda": 0.3}, np.abs),
        ("IdentityLoss", {}, np.positive),
    )
    for reduction, formula in (
        (
            "Mean",
            lambda x, f=factor, a=attributes: np.asarray(f(x).mean() * a.get("lambda", 1), x.dtype),
        ),
        (
            "Sum",
            lambda x, f=factor, a=attributes: np.asarray(f(x).sum() * a.get("lambda", 1), x.dtype),
        ),
        (
            "NoReduction",
            lambda x, f=factor, a=attributes: (f(x) * a.get("lambda", 1)).astype(x.dtype),
        ),
    )
]
