"""ONNX's own type and shape inference, for operators that popir does not have."""

from __future__ import annotations

import functools
import subprocess
import sys

from google.protobuf.message import DecodeError, EncodeError
from onnx import ModelProto

from popir.errors import popart_exception
from popir.types import TensorInfo

_SECONDS = 60
_PROGRAM = """
import sys
sys.path[:] = sys.argv[1:]
import onnx.shape_inference
model = onnx.load_model_from_string(sys.stdin.buffer.read())
model = onnx.shape_inference.infer_shapes(model, data_prop=True)
sys.stdout.buffer.write(model.SerializeToString())
"""


def infer(model: ModelProto) -> dict[str, TensorInfo]:
    """The types and shapes of tensors that nodes compute, as far as ONNX infers them.

    Inference runs in a separate process, because some models crash onnx.
    """
    try:
        return dict(_infer(model.SerializeToString(deterministic=True)))
    except (ValueError, EncodeError):
        return {}


@functools.lru_cache(maxsize=8)
def _infer(model: bytes) -> dict[str, TensorInfo]:
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, *filter(None, sys.path)],
            input=model,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        )
        graph = ModelProto.FromString(done.stdout).graph
    except (OSError, subprocess.SubprocessError, DecodeError):
        return {}
    found: dict[str, TensorInfo] = {}
    for value in [*graph.value_info, *graph.output]:
        kind = value.type.tensor_type
        dims = [dim.dim_value for dim in kind.shape.dim if dim.HasField("dim_value")]
        if kind.HasField("shape") and len(dims) == len(kind.shape.dim):
            try:
                found[value.name] = TensorInfo(kind.elem_type, dims)
            except popart_exception:
                continue
    return found
