"""Models out: trained weights, opsets, IR versions, files."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from popir.errors import ModelError
from popir.onnxio import exporter
from popir.onnxio.importer import import_model

W = np.arange(3, dtype=np.float32)
X = np.array([[-1, 0, 2], [3, -4, 5]], np.float32)


def affine(opset: int) -> ModelProto:
    nodes = [
        helper.make_node("Add", ["x", "w"], ["h"], name="sum"),
        helper.make_node("LeakyRelu", ["h"], ["y"], alpha=0.5, __ipu_number=1),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
    graph = helper.make_graph(nodes, "affine", [x], [y], [numpy_helper.from_array(W, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def run(model: ModelProto) -> np.ndarray:
    for node in model.graph.node:
        kept = [attribute for attribute in node.attribute if not attribute.name.startswith("__")]
        del node.attribute[:]
        node.attribute.extend(kept)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return np.asarray(session.run(None, {"x": X})[0])


def leaky(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, np.float32(0.5) * x, x)


@pytest.mark.parametrize(
    ("opset", "ir"), [(7, 3), (8, 3), (9, 4), (10, 5), (11, 6), (13, 7), (17, 8)]
)
def test_trained_model_keeps_its_opset_with_the_lowest_ir_version(opset: int, ir: int) -> None:
    model = exporter.with_weights(affine(opset), {"w": W + 1})
    assert (model.opset_import[0].version, model.ir_version) == (opset, ir)
    onnx.checker.check_model(model)
    np.testing.assert_array_equal(run(model), leaky(X + W + 1))


def test_original_is_left_alone_and_unnamed_weights_are_kept() -> None:
    original = affine(11)
    before = original.SerializeToString()
    assert exporter.with_weights(original, {}).graph.initializer[0] == original.graph.initializer[0]
    exporter.with_weights(original, {"w": W + 1})
    assert original.SerializeToString() == before


def test_weights_that_do_not_fit() -> None:
    with pytest.raises(ModelError) as error:
        exporter.with_weights(affine(11), {"ww": W})
    assert (
        str(error.value) == "The model has no initializer 'ww' to take a weight. Did you mean 'w'?"
    )
    with pytest.raises(ModelError) as error:
        exporter.with_weights(affine(11), {"w": W.astype(np.float64)})
    assert str(error.value) == "The weight 'w' is FLOAT[3] in the model; given was DOUBLE[3]."


@pytest.mark.parametrize("opset", [7, 11, 13])
def test_graph_to_model_and_back(opset: int) -> None:
    graph = import_model(affine(opset))
    model = exporter.to_model(graph)
    onnx.checker.check_model(model)
    assert [item.version for item in model.opset_import] == [opset]
    assert model.graph.node[0].name == "sum"
    assert {item.name for item in model.graph.node[1].attribute} == {"alpha", "__ipu_number"}
    again = import_model(model)
    assert [op.attributes for op in again.ops.values()] == [{}, {"alpha": 0.5}]
    assert again.ops[1].settings.nodeAttributes == {"__ipu_number": 1}
    assert again.inputs == ["x"]
    np.testing.assert_array_equal(run(model), leaky(X + W))


def test_left_out_inputs_and_outputs_are_empty_names() -> None:
    node = helper.make_node("Split", ["x"], ["a", "", "b"], axis=1)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    b = helper.make_tensor_value_info("b", TensorProto.FLOAT, [2, 1])
    model = helper.make_model(helper.make_graph([node], "g", [x], [b]))
    model.opset_import[0].version = 11
    assert list(exporter.to_model(import_model(model)).graph.node[0].output) == ["a", "", "b"]


def test_save_replaces_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    exporter.save(affine(11), path)
    exporter.save(affine(13).SerializeToString(), str(path))
    assert onnx.load(path).opset_import[0].version == 13
    assert list(tmp_path.iterdir()) == [path]


def test_save_where_it_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "model.onnx"
    with pytest.raises(ModelError) as error:
        exporter.save(affine(11), path)
    assert str(error.value) == f"The model cannot be saved as {path}: No such file or directory."
    (tmp_path / "folder").mkdir()
    with pytest.raises(ModelError, match=r"cannot be saved as .*/folder: Is a directory\."):
        exporter.save(affine(11), tmp_path / "folder")
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]
