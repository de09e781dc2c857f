"""FeatureVectorizer, ArrayFeatureExtractor and OneHotEncoder: which features there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.errors import LeavesDeviceError, OperatorAttributeError
from popir.host import Call, host_operator, is_strings, shown
from popir.ir import Op, Tensor
from popir.memory import require
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import ml_ids
from popir.registry import OpCreator
from popir.types import DataType

Array = np.ndarray[Any, Any]


class FeatureVectorizer(Decomposition):
    """ONNX's FeatureVectorizer of ai.onnx.ml, version 1: the inputs [n, features] side by side, as
    floats, each with as many features as `inputdimensions` says: the rest is cut off, or is 0.
    """

    inputdimensions: list[int] | None

    def decompose(self, on: Decomposer, *inputs: Tensor) -> Tensor:
        """A concatenation. Raises OperatorInputError for other ranks or numbers of rows."""
        given = ", ".join(str(on.info(x)) for x in inputs)
        parts = [on.reshape(x, [1, *on.shape(x)]) if len(on.shape(x)) == 1 else x for x in inputs]
        if any(len(on.shape(x)) != 2 for x in parts) or len({on.shape(x)[0] for x in parts}) > 1:
            raise self.wrong(
                f"its inputs are {given}; they must be [n, features] with one n, or [features]."
            )
        sizes = [on.shape(x)[1] for x in parts]
        wanted = sizes if self.inputdimensions is None else self.inputdimensions
        if len(wanted) != len(parts) or min(wanted) < 0:
            raise OperatorAttributeError(
                f"{self.opid} '{self.name()}': the attribute 'inputdimensions' is {wanted}; "
                f"expected is a number of features for each of {len(parts)} inputs."
            )
        every = [
            self._sized(on, on.cast(x, DataType.FLOAT), n)
            for x, n in zip(parts, wanted, strict=True)
        ]
        return on.Concat(*every, axis=1)

    def _sized(self, on: Decomposer, x: Tensor, count: int) -> Tensor:
        have = on.shape(x)[1]
        if count < have:
            return on.Slice(x, on.ints(0), on.ints(count), on.ints(1))
        if count == have:
            return x
        require(f"{self.opid} '{self.name()}'", 4 * on.shape(x)[0] * count)
        return on.Pad(x, on.ints(0, 0, 0, count - have))


OpCreator(FeatureVectorizer, ml_ids("FeatureVectorizer", 1))


class ArrayFeatureExtractor(Decomposition):
    """ONNX's ArrayFeatureExtractor of ai.onnx.ml, version 1: the elements of the last axis that the
    second input names. What is taken of a vector is [1, n]. Strings are taken on the host.

    A place out of range, or a negative one, is an error: when the model is compiled if it is
    constant, else when it runs.
    """

    def decompose(self, on: Decomposer, x: Tensor, places: Tensor) -> Tensor:
        """A Gather. Raises OperatorInputError for a scalar, and for constant places out of range;
        what is out of range at run time ends the run.
        """
        shape = on.shape(x)
        if not shape:
            raise self.wrong(f"its input is {on.info(x)}; it must have an axis to take from.")
        if places.isConst() and places.data is not None and (places.data < 0).any():
            raise self.wrong(f"the places {places.data.tolist()} must not be negative.")
        flat = on.reshape(places, [on.info(places).nelms()])
        if not places.isConst():
            outside = on.Or(
                on.Less(flat, on.like(0, flat)),
                on.GreaterOrEqual(flat, on.like(shape[-1], flat)),
            )
            text = f"{self._who()}: a place is out of range; places are in [0, {shape[-1] - 1}]."
            on.add("ai.graphcore", "AbortWith", 1, [outside], 0, {"text": text})
        found = on.Gather(x, flat, axis=-1)
        return on.reshape(found, [1, on.shape(found)[0]]) if len(shape) == 1 else found


OpCreator(ArrayFeatureExtractor, ml_ids("ArrayFeatureExtractor", 1))


@host_operator("ai.onnx.ml", "ArrayFeatureExtractor", 1, why="it handles strings")
def array_feature_extractor(call: Call, x: Array, places: Array) -> Array:
    """Takes strings at places of the last axis."""
    size = x.shape[-1] if x.ndim else 0
    flat = places.reshape(-1)
    if not x.ndim or ((flat < 0) | (flat >= size)).any():
        raise call.wrong(
            f"the places {flat[:8].tolist()} are taken from {shown(x)}; they must be in "
            f"[0, {size - 1}]."
        )
    return np.take(x, flat, -1).reshape([1, -1] if x.ndim == 1 else [*x.shape[:-1], len(flat)])


class OneHotEncoder(Decomposition):
    """ONNX's OneHotEncoder of ai.onnx.ml, version 1: for each element a new axis of floats, with 1
    at the category that it is, the last of equal ones. Floats are cut off to integers.

    Strings are encoded on the host; and so is what must be one of the categories, `zeros` 0.
    """

    cats_int64s: list[int] | None
    cats_strings: list[str] | None
    zeros: int
    getGradOps = Op.getGradOps

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A comparison with all categories. Raises LeavesDeviceError where the host runs it."""
        if not self.cats_int64s or self.cats_strings:
            raise OperatorAttributeError(
                f"{self.opid} '{self.name()}': the input is {on.info(x)}, which needs the "
                "attribute 'cats_int64s', and not 'cats_strings'."
            )
        if not self.zeros:
            raise LeavesDeviceError(
                f"{self.opid} '{self.name()}': with 'zeros' 0 an element that is no category is an "
                "error, which a device program does not find."
            )
        require(f"{self.opid} '{self.name()}'", 4 * on.info(x).nelms() * len(self.cats_int64s))
        numbers = on.cast(x, DataType.INT64)
        found = on.Equal(on.Unsqueeze(numbers, on.ints(-1)), on.ints(*self.cats_int64s))
        last = dict(zip(self.cats_int64s, range(len(self.cats_int64s)), strict=True))
        kept = [last[c] == i for i, c in enumerate(self.cats_int64s)]
        if not all(kept):
            found = on.And(found, on.const(kept, DataType.BOOL))
        return on.cast(found, DataType.FLOAT)


OpCreator(OneHotEncoder, ml_ids("OneHotEncoder", 1))


@host_operator(
    *("ai.onnx.ml", "OneHotEncoder", 1), why="it handles strings, or checks them for categories"
)
def one_hot_encoder(call: Call, x: Array) -> Array:
    """OneHotEncoder of strings, and with `zeros` 0, of which it is an error if one is unknown."""
    numbers, texts = call["cats_int64s"], call["cats_strings"]
    if bool(numbers) == bool(texts) or bool(texts) != is_strings(x):
        raise call.wrong_attribute(
            f"the input is {shown(x)}, which needs the attribute "
            f"'cats_{'strings' if is_strings(x) else 'int64s'}', and not both."
        )
    places = {category: i for i, category in enumerate(texts or numbers)}
    require(call.who, 4 * x.size * len(texts or numbers))
    flat = x.reshape(-1) if texts else x.reshape(-1).astype(np.int64)
    found = np.zeros([x.size, len(texts or numbers)], np.float32)
    for i, value in enumerate(flat.tolist()):
        if value in places:
            found[i, places[value]] = 1
        elif not call["zeros"]:
            raise call.wrong(
                f"{value!r} is none of the {len(places)} categories, and 'zeros' is 0."
            )
    return found.reshape([*x.shape, -1] if x.size else [*x.shape, len(texts or numbers)])
