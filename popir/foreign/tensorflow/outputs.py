"""The types and shapes of an operator's outputs, as TensorFlow's `outs` and as attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from popir.errors import OperatorAttributeError, popart_exception
from popir.onnxio.limits import check_shape
from popir.types import DataType, TensorInfo

_KEYS = ("output_types", "output_shapes")


def declared(who: str, outs: Mapping[str, Any] | None) -> tuple[list[int], list[str]]:
    """The attributes `output_types` and `output_shapes` for TensorFlow's `outs`.

    A type is anything that `DataType.of` takes, or a type of TensorFlow; a shape is a sequence of
    integers, or a TensorShape. Raises OperatorAttributeError for other keys or values, or if there
    are not as many types as shapes.
    """
    if outs is None:
        return [], []
    if not isinstance(outs, Mapping) or set(outs) != set(_KEYS):
        given = sorted(map(str, outs)) if isinstance(outs, Mapping) else type(outs).__name__
        raise OperatorAttributeError(
            f"{who}: outs is a dict with the keys 'output_types' and 'output_shapes'; given was "
            f"{given}."
        )
    types, shapes = (_listed(who, key, outs[key]) for key in _KEYS)
    codes = [_type(who, i, each).onnx for i, each in enumerate(types)]
    texts = [",".join(map(str, _shape(who, i, each))) for i, each in enumerate(shapes)]
    _check_counts(who, len(types), len(shapes))
    infos(who, codes, texts)
    return codes, texts


def _listed(who: str, key: str, given: Any) -> list[Any]:
    try:
        if isinstance(given, (str, bytes, Mapping)):
            raise TypeError
        return [*given]
    except TypeError:
        raise OperatorAttributeError(
            f"{who}: {key} of outs is a list with an entry for each output; given was "
            f"{given!r:.60}."
        ) from None


def infos(who: str, types: Sequence[int], shapes: Sequence[str]) -> list[TensorInfo]:
    """The types and shapes in attributes of a model.

    Raises OperatorAttributeError for what is none, or if there are not as many types as shapes.
    """
    _check_counts(who, len(types), len(shapes))
    found: list[TensorInfo] = []
    for i, (code, text) in enumerate(zip(types, shapes, strict=True)):
        kind = _type(who, i, code)
        try:
            sizes = [int(part) for part in text.split(",")] if text.strip() else []
        except (ValueError, AttributeError):
            sizes = [-1]
        if any(size < 0 for size in sizes):
            raise OperatorAttributeError(
                f"{who}: the shape of output {i} is {text!r}; expected are sizes with commas, such "
                "as '2,3', or '' for a scalar."
            )
        check_shape(f"{who}: output {i}", kind, sizes)
        found.append(TensorInfo(kind, sizes))
    return found


def _check_counts(who: str, types: int, shapes: int) -> None:
    if types != shapes:
        raise OperatorAttributeError(
            f"{who}: output_types has {types} types and output_shapes {shapes} shapes; there must "
            "be one of each for each output."
        )


def _type(who: str, i: int, value: Any) -> DataType:
    try:
        return DataType.of(getattr(value, "as_numpy_dtype", value))
    except popart_exception as error:
        raise OperatorAttributeError(f"{who}: the type of output {i}: {error}") from None


def _shape(who: str, i: int, value: Any) -> list[int]:
    try:
        sizes = value.as_list() if hasattr(value, "as_list") else [*value]
        whole = [int(size) for size in sizes]
        if any(a != b or a < 0 for a, b in zip(whole, sizes, strict=True)):
            raise ValueError
        return whole
    except (TypeError, ValueError):
        raise OperatorAttributeError(
            f"{who}: the shape of output {i} is {value!r}; expected are whole sizes, all known."
        ) from None
