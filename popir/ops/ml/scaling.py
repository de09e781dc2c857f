"""Scaler, Normalizer, Binarizer and Imputer: features one by one."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import ml_ids
from popir.registry import OpCreator
from popir.types import DataType


def features(op: Decomposition, on: Decomposer, x: Tensor) -> int:
    """The number of features of [n, features] or [features]. Raises OperatorInputError for another
    rank.
    """
    shape = on.shape(x)
    if len(shape) not in (1, 2):
        raise op.wrong(f"its input is {on.info(x)}; it must be [n, features] or [features].")
    return shape[-1]


def real(on: Decomposer, x: Tensor) -> Tensor:
    """The features as floats in which to compute: doubles stay doubles."""
    kind = on.info(x).dataType()
    return x if kind in (DataType.FLOAT, DataType.DOUBLE) else on.cast(x, DataType.FLOAT)


def per_feature(op: Decomposition, name: str, values: list[float], count: int) -> None:
    """Raises OperatorAttributeError unless there is one value, or one for each feature."""
    if len(values) not in (1, count):
        raise OperatorAttributeError(
            f"{op.opid} '{op.name()}': the attribute '{name}' has {len(values)} values; expected "
            f"is one, or one for each of {count} features."
        )


class Scaler(Decomposition):
    """ONNX's Scaler of ai.onnx.ml, version 1: `(x - offset) * scale`, one number for all features
    or one for each; 0 and 1 where they are left out. The result is float.
    """

    offset: list[float] | None
    scale: list[float] | None

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A subtraction and a multiplication."""
        count, x = features(self, on, x), real(on, x)
        if self.offset is not None:
            per_feature(self, "offset", self.offset, count)
            x = on.Sub(x, on.like(self.offset, x))
        if self.scale is not None:
            per_feature(self, "scale", self.scale, count)
            x = on.Mul(x, on.like(self.scale, x))
        return on.cast(x, DataType.FLOAT)


class Normalizer(Decomposition):
    """ONNX's Normalizer of ai.onnx.ml, version 1: each row over its largest element (MAX), its
    1-norm (L1) or its 2-norm (L2); as it is where that is 0. The result is float.
    """

    norm: str

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A reduction and a division. Raises OperatorAttributeError for another norm."""
        features(self, on, x)
        x = real(on, x)
        norms = {"MAX": on.ReduceMax, "L1": on.ReduceL1, "L2": on.ReduceL2}
        if self.norm not in norms:
            raise OperatorAttributeError(
                f"{self.opid} '{self.name()}': the attribute 'norm' is {self.norm!r}; expected is "
                "MAX, L1 or L2."
            )
        if not on.info(x).nelms():
            return on.cast(x, DataType.FLOAT)
        norm = norms[self.norm](x, on.ints(-1))
        safe = on.Where(on.Equal(norm, on.like(0, x)), on.like(1, x), norm)
        return on.cast(on.Div(x, safe), DataType.FLOAT)


class Binarizer(Decomposition):
    """ONNX's Binarizer of ai.onnx.ml, version 1: 1 for what is above `threshold`, else 0, also for
    NaN, in the type of the input.
    """

    threshold: float
    getGradOps = Op.getGradOps

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A comparison; of integers in double."""
        kind = on.info(x).dataType()
        wide = on.cast(x, DataType.DOUBLE) if kind.is_integer else x
        return on.cast(on.Greater(wide, on.like(self.threshold, wide)), kind)


class Imputer(Decomposition):
    """ONNX's Imputer of ai.onnx.ml, version 1: the input with other values in place of those equal
    to `replaced_value_float` or `replaced_value_int64`, which may be NaN; one for all features or
    one for each.
    """

    imputed_value_floats: list[float] | None
    imputed_value_int64s: list[int] | None
    replaced_value_float: float
    replaced_value_int64: int

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A comparison and a selection. Raises OperatorAttributeError if the values of the input's
        kind are left out.
        """
        count, whole = features(self, on, x), on.info(x).dataType().is_integer
        name = "imputed_value_int64s" if whole else "imputed_value_floats"
        given = self.imputed_value_int64s if whole else self.imputed_value_floats
        if given is None:
            raise OperatorAttributeError(
                f"{self.opid} '{self.name()}': the input is {on.info(x)}, which needs the "
                f"attribute '{name}'."
            )
        per_feature(self, name, [*given], count)
        replaced = self.replaced_value_int64 if whole else self.replaced_value_float
        is_nan = replaced != replaced
        found = on.IsNaN(x) if is_nan else on.Equal(x, on.like(replaced, x))
        return on.Where(found, on.like(given, x), x)


OpCreator(Scaler, ml_ids("Scaler", 1))
OpCreator(Normalizer, ml_ids("Normalizer", 1))
OpCreator(Binarizer, ml_ids("Binarizer", 1))
OpCreator(Imputer, ml_ids("Imputer", 1))
