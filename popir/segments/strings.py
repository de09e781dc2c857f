"""Operators that move elements, on tensors of strings.

A device holds no strings. Where they go does not depend on what they are: the operator runs on
their positions, and the strings are taken by the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from popir.host import MISSING, HostValue, is_strings, strings
from popir.onnxio.proto import NodeProto

Array = np.ndarray[Any, Any]

MOVES = {
    *("Compress", "Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements"),
    *("GatherND", "Reshape", "ReverseSequence", "ScatterElements", "ScatterND", "Shape", "Size"),
    *("Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze", "Where"),
}
"""The types of operators of ai.onnx that only move the elements of some of their inputs."""


def moved(
    node: NodeProto,
    inputs: Sequence[HostValue],
    run: Callable[[Mapping[str, HostValue]], Sequence[Array]],
) -> list[HostValue]:
    """The outputs of an operator that moves strings; `run` runs it on numbers, by name, and returns
    the outputs that have names.
    """
    values: dict[str, HostValue] = {}
    held: list[Array] = []
    count = 0
    for id, value in zip(node.input, inputs, strict=True):
        if value is MISSING:
            continue
        values[id] = value
        if is_strings(value):
            values[id] = np.arange(count, count + value.size).reshape(value.shape)
            held.append(value.reshape(-1))
            count += value.size
    found = iter(run(values))
    if node.op_type in ("Shape", "Size"):
        return [*found]
    every = np.concatenate([strings([]), *held])
    return [every[next(found)] if id else None for id in node.output]
