"""popir: an operator registry, compiler and runtime for ONNX models in the style of PopART."""

from popir import _library

__version__ = _library.version()

__all__ = ["__version__"]
