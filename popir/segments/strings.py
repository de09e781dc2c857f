"""Operators that move elements, on tensors of strings.

A device holds no strings. Where they go does not depend on what they are: the operator runs on
their positions, and the strings are taken by the result. Where it puts a zero, as Pad and Trilu do,
there is the empty string, ONNX's default of that type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from popir.errors import OperatorAttributeError
from popir.host import MISSING, HostValue, is_strings, strings
from popir.onnxio.proto import NodeProto

Array = np.ndarray[Any, Any]

MOVES = {
    *("CenterCropPad", "Compress", "Concat", "DepthToSpace", "Expand", "Flatten", "Gather"),
    *("GatherElements", "GatherND", "GridSample", "OneHot", "Pad", "RandomNormalLike"),
    *("RandomUniformLike", "Reshape", "Resize", "ReverseSequence", "Scatter", "ScatterElements"),
    *("ScatterND", "Shape", "Size", "Slice", "SpaceToDepth", "Split", "Squeeze", "TensorScatter"),
    *("Tile", "Transpose", "Trilu", "Unsqueeze", "Upsample", "Where"),
}
"""The types of operators of ai.onnx that only move the elements of some of their inputs, or read
only their shape.
"""

_OF_SHAPES = ("RandomNormalLike", "RandomUniformLike", "Shape", "Size")
"""Those of them that read only the shape: their outputs are numbers."""

_MOVING: dict[tuple[str, str], tuple[Any, ...]] = {
    ("GridSample", "mode"): ("nearest",),
    ("Resize", "mode"): (None, "nearest"),
    ("Resize", "extrapolation_value"): (None, 0.0),
    ("ScatterElements", "reduction"): (None, "none"),
    ("ScatterND", "reduction"): (None, "none"),
    ("Upsample", "mode"): (None, "nearest"),
}
"""For an attribute with which an operator may compute with elements, the values with which it only
moves them; None stands for an attribute that is left out.
"""


def check_moves(who: str, type: str, attributes: Mapping[str, Any]) -> None:
    """Raises OperatorAttributeError if an operator of `MOVES` would compute with strings."""
    for (each, name), values in _MOVING.items():
        given = attributes.get(name)
        if each == type and given not in values:
            only = [repr(value) for value in values if value is not None]
            raise OperatorAttributeError(
                f"{who}: the attribute '{name}' is {given!r}, which would compute with strings; "
                f"for these it must be {' or '.join(only)}."
            )


def moved(
    node: NodeProto,
    inputs: Sequence[HostValue],
    run: Callable[[Mapping[str, HostValue]], Sequence[Array]],
) -> list[HostValue]:
    """The outputs of an operator that moves strings; `run` runs it on numbers, by name, and returns
    the outputs that have names.
    """
    values: dict[str, HostValue] = {}
    held: list[Array] = [strings([""])]
    count = 1
    for id, value in zip(node.input, inputs, strict=True):
        if value is MISSING:
            continue
        values[id] = value
        if is_strings(value):
            values[id] = np.arange(count, count + value.size).reshape(value.shape)
            held.append(value.reshape(-1))
            count += value.size
    found = iter(run(values))
    if node.op_type in _OF_SHAPES:
        return [*found]
    every = np.concatenate(held)
    return [strings(every[next(found)]) if id else None for id in node.output]
