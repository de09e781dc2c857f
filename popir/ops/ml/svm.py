"""SVMRegressor and SVMClassifier: support vector machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from popir.errors import OperatorAttributeError
from popir.host import Call, host_operator, shown
from popir.ir import Tensor
from popir.memory import require
from popir.ops.ml import scores
from popir.ops.ml.scaling import features, real
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import ml_ids
from popir.registry import OpCreator

Array = np.ndarray[Any, Any]

KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")
_ROWS = 1 << 22
"""The most elements of a matrix of kernels that are computed at once."""


def _parameters(kind: str, given: Sequence[float] | None) -> tuple[float, float, float] | str:
    """gamma, coef0 and degree of a kernel; or what is wrong with them."""
    if kind not in KERNELS:
        return f"the attribute 'kernel_type' is {kind!r}; expected is one of {', '.join(KERNELS)}."
    if not given and kind == "LINEAR":
        return 0.0, 0.0, 0.0
    if given is None or len(given) != 3:
        return (
            f"the attribute 'kernel_params' is {given}; the kernel {kind} needs gamma, coef0 and "
            "degree."
        )
    return given[0], given[1], given[2]


class SVMRegressor(Decomposition):
    """ONNX's SVMRegressor of ai.onnx.ml, version 1: the sum of the kernels of each row and the
    support vectors, times `coefficients`, plus `rho`; or without support vectors a product with
    the coefficients. With `one_class` 1 it is 1 where that is above 0, else -1.

    The transform acts on the result; onnxruntime ignores it.
    """

    coefficients: list[float] | None
    kernel_params: list[float] | None
    kernel_type: str
    n_supports: int
    one_class: int
    post_transform: str
    rho: list[float] | None
    support_vectors: list[float] | None

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """Matrix products and the kernel's functions."""
        count, x = features(self, on, x), real(on, x)
        x = on.reshape(x, [1, count]) if len(on.shape(x)) == 1 else x
        factors, vectors = self.coefficients or [], self.support_vectors or []
        rho = self.rho or [0.0]
        kind = self.kernel_type if self.n_supports > 0 else "LINEAR"
        known = _parameters(kind, self.kernel_params)
        why = scores.unknown(self.post_transform)
        if isinstance(known, str):
            why = known
        elif len(rho) != 1 or self.n_supports < 0:
            why = f"'n_supports' is {self.n_supports} and 'rho' {rho}; expected is 0 or more, one."
        elif len(factors) != (self.n_supports or count):
            why = f"there are {len(factors)} coefficients for {self.n_supports or count}."
        elif len(vectors) != self.n_supports * count:
            why = (
                f"there are {len(vectors)} numbers for {self.n_supports} support vectors of "
                f"{count} features."
            )
        if why or isinstance(known, str):
            raise OperatorAttributeError(f"{self.opid} '{self.name()}': {why}")
        if self.n_supports:
            table = np.array(vectors).reshape(self.n_supports, count)
            kernels = self._kernels(on, x, table, known)
        else:
            kernels = x
        column = np.array(factors).reshape(-1, 1)
        found = on.Add(on.MatMul(kernels, on.like(column, x)), on.like(rho, x))
        if self.one_class:
            above = on.Greater(found, on.like(0, found))
            found = on.Where(above, on.like(1, found), on.like(-1, found))
        return scores.added(on, found, self.post_transform)

    def _kernels(
        self, on: Decomposer, x: Tensor, vectors: Array, known: tuple[float, float, float]
    ) -> Tensor:
        gamma, add, degree = known
        if self.kernel_type == "RBF":
            # A row less a vector, for each pair: their squares would cancel each other out.
            require(f"{self.opid} '{self.name()}'", 8 * on.info(x).nelms() * max(len(vectors), 1))
            far = on.Sub(on.Unsqueeze(x, on.ints(1)), on.like(vectors, x))
            square = on.ReduceSum(on.Mul(far, far), on.ints(2), keepdims=0)
            return on.Exp(on.Mul(square, on.like(-gamma, x)))
        found = on.MatMul(x, on.like(vectors.T, x))
        if self.kernel_type == "LINEAR":
            return found
        found = on.Add(on.Mul(found, on.like(gamma, x)), on.like(add, x))
        if self.kernel_type == "SIGMOID":
            return on.Tanh(found)
        return on.Pow(found, on.like(degree, x))


OpCreator(SVMRegressor, ml_ids("SVMRegressor", 1))


class _Machine:
    """The attributes of an SVMClassifier, checked."""

    def __init__(self, call: Call) -> None:
        self.labels = scores.labels(call, "classlabels_ints")
        self.transform = scores.checked(call)
        self.counts = np.array(call["vectors_per_class"] or [], np.int64)
        vectors, factors = call["support_vectors"] or [], call["coefficients"] or []
        count = int(self.counts.sum())
        self.has_vectors = count > 0
        known = _parameters(
            call["kernel_type"] if self.has_vectors else "LINEAR", call["kernel_params"]
        )
        if isinstance(known, str):
            raise call.wrong_attribute(known)
        self.kind, self.known = call["kernel_type"], known
        classes = len(self.labels)
        self.rho = np.array(call["rho"] or [0.0])
        self.a, self.b = np.array(call["prob_a"] or []), np.array(call["prob_b"] or [])
        if not self.has_vectors:
            if len(factors) % classes or len(self.rho) not in (1, classes) or len(vectors):
                raise call.wrong_attribute(
                    f"there are {len(factors)} coefficients and {len(self.rho)} 'rho' for "
                    f"{classes} classes without support vectors."
                )
            self.factors = np.array(factors).reshape(classes, -1)
            return
        pairs = classes * (classes - 1) // 2
        wrong = ""
        if len(self.counts) != classes or self.counts.min() < 0:
            wrong = f"'vectors_per_class' is {self.counts.tolist()} for {classes} labels."
        elif len(vectors) % count:
            wrong = f"there are {len(vectors)} numbers for {count} support vectors."
        elif len(factors) != (classes - 1) * count:
            wrong = f"there are {len(factors)} coefficients; expected are {(classes - 1) * count}."
        elif len(self.rho) != pairs:
            wrong = f"there are {len(self.rho)} 'rho'; expected are {pairs}, one for each pair."
        elif len(self.a) != len(self.b) or len(self.a) not in (0, pairs):
            wrong = (
                f"there are {len(self.a)} 'prob_a' and {len(self.b)} 'prob_b'; expected are "
                f"{pairs} of each, or none."
            )
        if wrong:
            raise call.wrong_attribute(wrong)
        self.vectors = np.array(vectors).reshape(count, -1)
        self.factors = np.array(factors).reshape(classes - 1, count)

    def features(self) -> int:
        """The number of features that it takes."""
        return self.vectors.shape[1] if self.has_vectors else self.factors.shape[1]

    def kernels(self, x: Array) -> Array:
        """The kernel of each row and each support vector."""
        gamma, add, degree = self.known
        found = x @ self.vectors.T
        if self.kind == "RBF":
            square = (x * x).sum(axis=1)[:, None] + (self.vectors**2).sum(axis=1) - 2 * found
            return np.exp(-gamma * np.maximum(square, 0))
        if self.kind == "POLY":
            return np.power(gamma * found + add, degree)
        return np.tanh(gamma * found + add) if self.kind == "SIGMOID" else found

    def decisions(self, x: Array) -> tuple[Array, Array]:
        """For each pair of classes whether, and how far, a row is of the first; and the votes."""
        classes, ends = len(self.labels), np.cumsum(self.counts)
        spans = [slice(end - n, end) for end, n in zip(ends, self.counts, strict=True)]
        kernels, found = self.kernels(x), np.empty([len(x), len(self.rho)])
        votes = np.zeros([len(x), classes], np.int64)
        k = 0
        for i in range(classes):
            for j in range(i + 1, classes):
                found[:, k] = (
                    kernels[:, spans[i]] @ self.factors[j - 1, spans[i]]
                    + kernels[:, spans[j]] @ self.factors[i, spans[j]]
                    + self.rho[k]
                )
                above = found[:, k] > 0
                votes[:, i] += above
                votes[:, j] += ~above
                k += 1
        return found, votes


@host_operator("ai.onnx.ml", "SVMClassifier", 1, why="its classes vote in pairs")
def svm_classifier(call: Call, x: Array) -> tuple[Array, Array]:
    """SVMClassifier of ai.onnx.ml, version 1: labels and scores.

    With support vectors each pair of classes decides for one; the label is that of most votes, the
    first of several. Scores are the decisions, [n, pairs]; with two classes minus and plus the one
    decision (1 minus it, if there is a transform); with `prob_a` and `prob_b` probabilities, [n,
    classes], by the iteration of Wu, Lin and Weng, as libsvm computes them. Without support
    vectors scores are linear in the features, and the label is that of the greatest.
    """
    machine = call.once(_Machine)
    if x.ndim not in (1, 2) or x.shape[-1] != machine.features():
        raise call.wrong(f"its input is {shown(x)}; it must be [n, {machine.features()}].")
    rows = x.reshape(-1, x.shape[-1]) if x.ndim == 1 else x
    width = len(machine.vectors) if machine.has_vectors else len(machine.labels)
    require(call.who, 8 * width * min(len(rows), 1))
    step = max(1, _ROWS // max(width, 1))
    parts = [_part(machine, rows[i : i + step]) for i in range(0, max(len(rows), 1), step)]
    labels, found = (np.concatenate(each) for each in zip(*parts, strict=True))
    return labels, found.astype(np.float32)


def _part(machine: _Machine, rows: Array) -> tuple[Array, Array]:
    x = rows.astype(np.float64)
    if not machine.has_vectors:
        found = x @ machine.factors.T + machine.rho
        label = machine.labels[scores.best(found)]
        return label, scores.transformed(found, machine.transform)
    found, votes = machine.decisions(x)
    label = machine.labels[np.argmax(votes, axis=1)]
    if len(machine.a):
        found = scores.transformed(_probabilities(machine, found), machine.transform)
    elif len(machine.labels) == 2:
        found = scores.both(found[:, 0], machine.transform, mixed=machine.transform == "NONE")
    else:
        found = scores.transformed(found, machine.transform)
    return label, found


def _probabilities(machine: _Machine, decisions: Array) -> Array:
    """The probabilities of the classes from those of the pairs."""
    classes, n = len(machine.labels), len(decisions)
    pair = np.zeros([n, classes, classes])
    k = 0
    for i in range(classes):
        for j in range(i + 1, classes):
            p = 1 - scores.logistic(decisions[:, k] * machine.a[k] + machine.b[k])
            pair[:, i, j] = np.clip(p, 1e-7, 1 - 1e-7)
            pair[:, j, i] = 1 - pair[:, i, j]
            k += 1
    q = -pair.transpose(0, 2, 1) * pair
    own = np.arange(classes)
    q[:, own, own] = (pair**2).sum(axis=1)
    found = np.full([n, classes], 1 / classes)
    going = np.arange(n)
    for _ in range(max(100, classes)):
        p, m = found[going], q[going]
        gradient = np.einsum("nij,nj->ni", m, p)
        whole = (p * gradient).sum(axis=1)
        far = np.abs(gradient - whole[:, None]).max(axis=1, initial=0) >= 0.005 / classes
        going, p, m, gradient, whole = going[far], p[far], m[far], gradient[far], whole[far]
        if not len(going):
            break
        for t in range(classes):
            d = (whole - gradient[:, t]) / m[:, t, t]
            p[:, t] += d
            whole = (whole + d * (d * m[:, t, t] + 2 * gradient[:, t])) / (1 + d) ** 2
            gradient = (gradient + d[:, None] * m[:, t]) / (1 + d)[:, None]
            p /= (1 + d)[:, None]
        found[going] = p
    return found
