"""What whole networks are compared with: onnxruntime, and how far apart results may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime

Array = np.ndarray[Any, Any]


def onnxruntime_outputs(
    model: onnx.ModelProto, inputs: Mapping[str, Array], ids: Sequence[str]
) -> list[Array]:
    """The tensors of those ids, which need not be outputs of the model."""
    known = {value.name for value in model.graph.output}
    added = [onnx.ValueInfoProto(name=id) for id in ids if id not in known]
    model.graph.output.extend(added)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    del model.graph.output[len(known) :]
    return list(session.run(list(ids), dict(inputs)))


def assert_close(found: Array, want: Array, rtol: float = 1e-3, atol: float = 1e-5) -> None:
    """Finite, and within rtol of each element and atol of the largest one."""
    assert found.shape == want.shape
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, want, rtol, atol * float(np.abs(want).max()))


def assert_varies(found: Array) -> None:
    """A result whose elements are alike says little of what computed it."""
    assert found.std() > 1e-2 * np.abs(found).max()
