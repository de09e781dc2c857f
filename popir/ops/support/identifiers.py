"""Short constructors of operator identifiers."""

from __future__ import annotations

import functools

from popir.ir import OperatorIdentifier


def onnx_ids(type: str, *versions: int) -> list[OperatorIdentifier]:
    """The identifiers of an ai.onnx operator in the versions that an implementation supports."""
    return [OperatorIdentifier("ai.onnx", type, version) for version in versions]


@functools.cache  # Identifiers are asked for again and again, at each operator.
def graphcore_id(type: str, version: int = 1) -> OperatorIdentifier:
    """The identifier of an ai.graphcore operator: PopART's own operators and all gradient
    operators.
    """
    return OperatorIdentifier("ai.graphcore", type, version)


def microsoft_id(type: str) -> OperatorIdentifier:
    """The identifier of an operator of onnxruntime's own, in the only version of its domain."""
    return OperatorIdentifier("com.microsoft", type, 1)


def ml_ids(type: str, *versions: int) -> list[OperatorIdentifier]:
    """The identifiers of an ai.onnx.ml operator in the versions that an implementation supports."""
    return [OperatorIdentifier("ai.onnx.ml", type, version) for version in versions]
