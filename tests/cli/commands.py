"""Models, data and calls of the command line that its tests share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from click.testing import CliRunner, Result
from onnx import TensorProto, helper, numpy_helper

import popir
from popir.cli.main import group

Array = np.ndarray[Any, Any]
WEIGHT = np.random.default_rng(5).standard_normal((8, 4)).astype(np.float32)


def call(*words: object, code: int | None = 0) -> Result:
    """Runs a command line in this process; its exit code must be `code`, if one is given."""
    result = CliRunner().invoke(group, [str(word) for word in words])
    assert code is None or result.exit_code == code, result.output
    return result


def call_json(*words: object, code: int = 0) -> dict[str, Any]:
    """The JSON object that a command line prints."""
    return json.loads(call(*words, "--json", code=code).stdout)


def failure(*words: object, code: int) -> str:
    """The one line on stderr of a command line that ends with `code`."""
    result = call(*words, code=code)
    assert result.stdout == ""
    assert result.stderr.startswith("popir: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def save(
    file: Path,
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, Sequence[int | str | None] | None],
    outputs: Sequence[str],
    weights: dict[str, Array] | None = None,
    dtype: int = TensorProto.FLOAT,
    opsets: dict[str, int] | None = None,
) -> Path:
    """Writes a model; outputs have no shape."""
    domains = opsets or {"": 17}
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, dtype, shape) for name, shape in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in (weights or {}).items()],
    )
    imports = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
    model = helper.make_model(graph, opset_imports=imports, ir_version=9, producer_name="test")
    onnx.save(model, file)
    return file


def dense(file: Path) -> Path:
    """relu(x @ w), with a batch of any size."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="block/fc"),
        helper.make_node("Relu", ["h"], ["y"], name="relu"),
    ]
    return save(file, nodes, {"x": ["batch", 8]}, ["y"], {"w": WEIGHT})


def logarithm(file: Path) -> Path:
    """log(x), three elements: NaN below 0, -inf at 0."""
    return save(file, [helper.make_node("Log", ["x"], ["y"])], {"x": [3]}, ["y"])


def classifier(file: Path, batch: int = 16) -> str:
    """Writes a model that holds its loss, with the inputs x and labels; the loss's id."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [batch, 8], "x")
    labels = builder.addInputTensor("INT32", [batch], "labels")
    w = builder.addInitializedInputTensor(WEIGHT * 0.1, "w")
    loss = builder.aiGraphcore.nllloss(
        [builder.aiOnnx.softmax([builder.aiOnnx.matmul([x, w])], axis=1), labels]
    )
    builder.addOutputTensor(loss)
    file.write_bytes(builder.getModelProto())
    return loss


def samples(file: Path, count: int = 200) -> Path:
    """Data that `classifier` can learn: the label is the largest of the first four numbers."""
    x = np.random.default_rng(1).standard_normal((count, 8)).astype(np.float32)
    np.savez(file, x=x, labels=x[:, :4].argmax(1).astype(np.int32))
    return file
