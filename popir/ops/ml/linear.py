"""LinearRegressor and LinearClassifier: a matrix product and a transform of the scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.errors import LeavesDeviceError, OperatorAttributeError
from popir.host import Call, host_operator
from popir.ir import Tensor
from popir.ops.ml import scores
from popir.ops.ml.scaling import features, real
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import ml_ids
from popir.registry import OpCreator
from popir.types import DataType

Array = np.ndarray[Any, Any]


def _wrong_sizes(coefficients: int, intercepts: int | None, rows: int, count: int) -> str:
    """What is wrong with the numbers of coefficients and intercepts; "" if nothing."""
    if coefficients == rows * count and intercepts in (None, rows):
        return ""
    return (
        f"there are {coefficients} coefficients and {intercepts or 0} intercepts for {rows} scores "
        f"of {count} features."
    )


class _Linear(Decomposition):
    """Scores that are linear in the features."""

    coefficients: list[float] | None
    intercepts: list[float] | None
    post_transform: str

    def product(self, on: Decomposer, x: Tensor, rows: int) -> Tensor:
        """The scores [n, rows] before the transform. Raises OperatorAttributeError for attributes
        that do not fit.
        """
        count, x = features(self, on, x), real(on, x)
        given = self.coefficients or []
        none = None if self.intercepts is None else len(self.intercepts)
        why = scores.unknown(self.post_transform) or _wrong_sizes(len(given), none, rows, count)
        if why:
            raise OperatorAttributeError(f"{self.opid} '{self.name()}': {why}")
        x = on.reshape(x, [1, count]) if len(on.shape(x)) == 1 else x
        factors = np.array(given).reshape(rows, count).T
        found = on.MatMul(x, on.like(factors, x))
        return found if self.intercepts is None else on.Add(found, on.like(self.intercepts, x))


class LinearRegressor(_Linear):
    """ONNX's LinearRegressor of ai.onnx.ml, version 1: `x coefficients^T + intercepts`, [n,
    targets], after the transform, as floats.

    A transform acts on a single target, too; onnxruntime ignores all but PROBIT then.
    """

    targets: int

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A matrix product, an addition and the transform."""
        if self.targets < 1:
            raise OperatorAttributeError(
                f"{self.opid} '{self.name()}': the attribute 'targets' is {self.targets}; it must "
                "be 1 or more."
            )
        return scores.added(on, self.product(on, x, self.targets), self.post_transform)


OpCreator(LinearRegressor, ml_ids("LinearRegressor", 1))


class LinearClassifier(_Linear):
    """ONNX's LinearClassifier of ai.onnx.ml, version 1: the label of the class with the greatest
    score, and the scores, `x coefficients^T + intercepts`, after the transform.

    With two labels and the coefficients of one class that is the second class: its label is that of
    a score above 0, and the score of the other is 1 minus it, or `logistic(-score)`. Labels that
    are strings are given on the host. `multi_class` has no effect: OvR and multinomial differ in
    what was learnt, and in `post_transform`.
    """

    classlabels_ints: list[int] | None
    classlabels_strings: list[str] | None
    multi_class: int

    def decompose(self, on: Decomposer, x: Tensor) -> list[Tensor]:
        """A matrix product, a search, and the transform. Raises LeavesDeviceError for labels that
        are strings.
        """
        if self.classlabels_strings and not self.classlabels_ints:
            raise LeavesDeviceError(
                f"{self.opid} '{self.name()}': its labels are strings, which a device program does "
                "not hold."
            )
        names = self.classlabels_ints
        if not names or self.classlabels_strings:
            raise OperatorAttributeError(
                f"{self.opid} '{self.name()}': it needs labels of classes, in one of "
                "'classlabels_ints' and 'classlabels_strings'."
            )
        count = features(self, on, x)
        one = len(names) == 2 and len(self.coefficients or []) == count
        found = self.product(on, x, 1 if one else len(names))
        each = on.const(names, DataType.INT64)
        if not one:
            place = on.ArgMax(found, axis=1, keepdims=0)
            return [on.Gather(each, place), scores.added(on, found, self.post_transform)]
        above = on.cast(on.Greater(found, on.like(0, found)), DataType.INT64)
        label = on.Gather(each, on.reshape(above, [on.shape(found)[0]]))
        is_logistic = self.post_transform == "LOGISTIC"
        first = on.Neg(found) if is_logistic else on.Sub(on.like(1, found), found)
        pair = on.Concat(first, found, axis=1)
        acts = is_logistic or self.post_transform == "PROBIT"
        return [label, scores.added(on, pair, self.post_transform if acts else "NONE")]


OpCreator(LinearClassifier, ml_ids("LinearClassifier", 1))


@host_operator("ai.onnx.ml", "LinearClassifier", 1, why="its labels are strings")
def linear_classifier(call: Call, x: Array) -> tuple[Array, Array]:
    """LinearClassifier with labels that are strings."""
    names, transform = scores.labels(call, "classlabels_ints"), scores.checked(call)
    if x.ndim not in (1, 2):
        raise call.wrong(f"its input has rank {x.ndim}; it must be [n, features] or [features].")
    x = x.reshape(-1, x.shape[-1]) if x.size or x.ndim == 1 else x
    given, add = call["coefficients"], call["intercepts"]
    one = len(names) == 2 and len(given) == x.shape[1]
    rows = 1 if one else len(names)
    if why := _wrong_sizes(len(given), None if add is None else len(add), rows, x.shape[1]):
        raise call.wrong_attribute(why)
    wide = x.astype(np.float64 if x.dtype == np.float64 else np.float32)
    found = wide @ np.array(given, wide.dtype).reshape(rows, -1).T
    if add is not None:
        found = found + np.array(add, wide.dtype)
    if one:
        label = names[(found[:, 0] > 0).astype(int)]
        found = scores.both(found[:, 0], transform, mixed=False)
    else:
        label, found = names[scores.best(found)], scores.transformed(found, transform)
    return label, found.astype(np.float32)
