"""Builds ONNX models in Python: `Builder`."""

from popir.builder.builder import Builder
from popir.builder.tensor_id import TensorId, builder_of

__all__ = ["Builder", "TensorId", "builder_of"]
