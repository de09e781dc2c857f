"""What tests of control flow share: models as text, the answers of onnxruntime, gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnxruntime
from onnx import helper, numpy_helper

import popir
from tests.models import Array, run, step, training_session

HEADER = '<ir_version: 10, opset_import: ["" : {opset}]>\n'


def parsed(text: str, opset: int = 21, **initializers: Array) -> onnx.ModelProto:
    """A model of the graph `text`, in ONNX's own text form, and of initializers."""
    model = onnx.parser.parse_model(HEADER.format(opset=opset) + text)
    for name, value in initializers.items():
        model.graph.initializer.append(numpy_helper.from_array(value, name))
    return model


def expected(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> list[Array]:
    """onnxruntime's outputs."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # Threads take eight times as long to start as this to run.
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    found: Any = session.run(None, dict(inputs))
    return found


def results(model: onnx.ModelProto, inputs: Mapping[str, Array], **more: Any) -> list[Array]:
    """popir's outputs."""
    ids = [value.name for value in model.graph.output]
    found = run(model.SerializeToString(), inputs, ids, **more)
    return [found[id] for id in ids]


def agrees(model: onnx.ModelProto, inputs: Mapping[str, Array], tolerance: float = 2e-6) -> None:
    """Compares popir's outputs with those of onnxruntime."""
    for given, want in zip(results(model, inputs), expected(model, inputs), strict=True):
        assert given.shape == want.shape
        np.testing.assert_allclose(given, want, tolerance, tolerance)


def weighed(model: onnx.ModelProto, factors: Mapping[str, Array]) -> onnx.ModelProto:
    """The model with the output `loss`: the sum of some tensors, each element by its factor."""
    found = onnx.ModelProto()
    found.CopyFrom(model)
    graph = found.graph
    parts = []
    for id, factor in factors.items():
        graph.node.append(
            helper.make_node("Constant", [], [f"{id}/f"], value=numpy_helper.from_array(factor))
        )
        graph.node.append(helper.make_node("Mul", [id, f"{id}/f"], [f"{id}/m"]))
        graph.node.append(helper.make_node("ReduceSum", [f"{id}/m"], [f"{id}/s"], keepdims=0))
        parts.append(f"{id}/s")
    graph.node.append(helper.make_node("Sum", parts, ["loss"]))
    del graph.output[:]
    graph.output.append(onnx.ValueInfoProto(name="loss"))
    return found


def gradients(
    model: onnx.ModelProto,
    inputs: Mapping[str, Array],
    factors: Mapping[str, Array],
    towards: Sequence[str],
    **more: Any,
) -> dict[str, Array]:
    """The gradients of `weighed` with respect to some tensors, by their ids."""
    whole = weighed(model, factors)
    anchors = [f"Gradient___{id}" for id in towards]
    session = training_session(
        whole.SerializeToString(), "loss", anchors, popir.ConstSGD(0.1), **more
    )
    found = step(session, inputs)
    return {id: found[f"Gradient___{id}"] for id in towards}
