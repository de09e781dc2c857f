"""Identifiers of operators, as the files of this folder write them."""

from __future__ import annotations

from popir.ir import OperatorIdentifier


def onnxIds(type: str, *versions: int) -> list[OperatorIdentifier]:
    """The operator of ONNX's own domain, in the versions that an implementation holds for."""
    return [OperatorIdentifier("ai.onnx", type, version) for version in versions]


def graphcoreId(type: str, version: int = 1) -> OperatorIdentifier:
    """An operator of PopART's domain: one that ONNX does not have, and every gradient operator."""
    return OperatorIdentifier("ai.graphcore", type, version)
