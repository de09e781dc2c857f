"""onnxruntime's own operators on random shapes and attributes, against onnxruntime."""

from __future__ import annotations

import zlib

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from popir import registry
from tests.fuzz.microsoft import MAKERS, NO_KERNEL, Array, Made, Random
from tests.models import run

CASES = 12
"""How many nodes of each operator are made."""


def model_of(type: str, made: Made) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """The node alone, and its inputs."""
    names = ["" if array is None else f"x{i}" for i, array in enumerate(made.inputs)]
    given = {name: a for name, a in zip(names, made.inputs, strict=True) if a is not None}
    kept = {names[i] for i in made.constants}
    while not names[-1]:
        names.pop()
    outputs = [f"y{i}" for i in range(made.outputs)]
    graph = helper.make_graph(
        [helper.make_node(type, names, outputs, "n", domain="com.microsoft", **made.attributes)],
        "g",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in given.items()
            if n not in kept
        ],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(given[name], name) for name in sorted(kept)],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    feeds = {name: a for name, a in given.items() if name not in kept}
    return helper.make_model(graph, opset_imports=imports, ir_version=8), feeds


@pytest.mark.parametrize("type", sorted(MAKERS))
def test_onnxruntime_agrees(type: str) -> None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # Threads take eight times as long to start as this to run.
    for number in range(CASES):
        made = MAKERS[type](Random(zlib.crc32(f"{type}/{number}".encode())))
        model, feeds = model_of(type, made)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        names = [value.name for value in model.graph.output]
        found = run(model, feeds, names)
        for name, want in zip(names, session.run(names, feeds), strict=True):
            assert found[name].shape == want.shape
            assert found[name].dtype == want.dtype
            a, b = found[name].astype(np.float64), np.asarray(want, np.float64)
            np.testing.assert_allclose(a, b, made.atol, made.atol, err_msg=f"{number}: {made}")


def test_every_operator_is_made() -> None:
    known = {e.opid.type for e in registry.entries() if e.opid.domain == "com.microsoft"}
    assert known == set(MAKERS) | NO_KERNEL
