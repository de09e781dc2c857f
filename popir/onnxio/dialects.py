"""Operators that other tools write in ONNX's domain, although ONNX does not have them there."""

from __future__ import annotations

_LAYER_NORMALIZATION = 17
"""The opset of ONNX that has LayerNormalization first."""


def meant(domain: str, type: str, opset: int) -> tuple[str, int]:
    """The domain and the opset in which popir has the operator of a node.

    onnxruntime has its SimplifiedLayerNormalization in ONNX's domain, and there LayerNormalization
    for opsets that lack it.
    """
    if domain == "ai.onnx" and type == "SimplifiedLayerNormalization":
        return "com.microsoft", 1
    if domain == "ai.onnx" and type == "LayerNormalization":
        return domain, max(opset, _LAYER_NORMALIZATION)
    return domain, opset
