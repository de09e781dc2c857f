"""Builds ONNX models in Python: `Builder`."""

from popir.builder.builder import Builder

__all__ = ["Builder"]
