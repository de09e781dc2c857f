"""Changes to models: `GraphTransformer`; comparisons of trained ones: `NumericsReport`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir.errors import popart_exception
from tests.models import floats, run


def model(type: int, value: Any, nodes: Any = None, inputs: Any = ("x",)) -> bytes:
    nodes = nodes or [helper.make_node("Add", ["x", "w"], ["y"])]
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, type, value.shape) for name in inputs],
        [helper.make_tensor_value_info("y", type, None)],
        [numpy_helper.from_array(value, "w")],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    return proto.SerializeToString()


def changed(proto: bytes, how: str, *arguments: Any) -> Any:
    transformer = popir.GraphTransformer(proto)
    getattr(transformer, how)(*arguments)
    return onnx.load_from_string(transformer.getModelProto())


@pytest.mark.parametrize(
    ("how", "old", "new"),
    [
        ("convertFloatsToHalfs", np.float32, np.float16),
        ("convertDoublesToFloats", np.float64, np.float32),
        ("convertDoublesToHalfs", np.float64, np.float16),
        ("convertBFloats16ToFloat32", ml_dtypes.bfloat16, np.float32),
        ("convertUINT8ToINT32", np.uint8, np.int32),
        ("convertUINT16ToINT32", np.uint16, np.int32),
        ("convertINT8ToINT32", np.int8, np.int32),
        ("convertINT16ToINT32", np.int16, np.int32),
        ("convertINT64ToINT32", np.int64, np.int32),
    ],
)
def test_each_conversion_changes_weights_inputs_and_outputs(how: str, old: Any, new: Any) -> None:
    value = np.arange(6).reshape(2, 3).astype(old)
    code = popir.TensorInfo(value).dataType().onnx
    found = changed(model(code, value), how)
    target = popir.TensorInfo(value.astype(new)).dataType().onnx
    assert {v.type.tensor_type.elem_type for v in found.graph.input} == {target}
    assert found.graph.output[0].type.tensor_type.elem_type == target
    x = np.ones((2, 3), new)
    (y,) = run(found.SerializeToString(), {"x": x}, ["y"]).values()
    np.testing.assert_array_equal(y, value.astype(new) + x)


def test_constants_casts_and_subgraphs_are_converted_too() -> None:
    branch = [
        helper.make_graph(
            [helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))],
            name,
            [],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
        )
        for name, array in (("a", floats(2)), ("b", 2 * floats(2)))
    ]
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
        helper.make_node("Cast", ["sum"], ["is"], to=TensorProto.BOOL),
        helper.make_node("If", ["is"], ["chosen"], then_branch=branch[0], else_branch=branch[1]),
        helper.make_node("Cast", ["is"], ["one"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["chosen", "one"], ["sum2"]),
        helper.make_node("Add", ["sum2", "w"], ["y"]),
    ]
    found = changed(model(TensorProto.FLOAT, floats(2), nodes), "convertFloatsToHalfs")
    (y,) = run(found.SerializeToString(), {"x": np.ones(2, np.float16)}, ["y"]).values()
    expected = floats(2).astype(np.float16) + np.float16(1) + floats(2).astype(np.float16)
    np.testing.assert_allclose(y, expected, rtol=2e-3)
    assert y.dtype == np.float16


def test_integers_out_of_range_are_clipped_or_refused() -> None:
    proto = model(TensorProto.INT64, np.array([1 << 40, -(1 << 40), 3]))
    with pytest.raises(popart_exception, match=r"initializer 'w' has values that do not fit INT32"):
        changed(proto, "convertINT64ToINT32")
    found = changed(proto, "convertINT64ToINT32", True)
    (weight,) = (numpy_helper.to_array(each) for each in found.graph.initializer)
    assert weight.tolist() == [(1 << 31) - 1, -(1 << 31), 3]


def test_unused_inputs_go() -> None:
    found = changed(model(TensorProto.FLOAT, floats(2), inputs=("x", "z")), "removeUnusedInputs")
    assert [each.name for each in found.graph.input] == ["x"]
    assert [each.name for each in found.graph.initializer] == ["w"]


def test_batch_normalization_gets_the_outputs_of_training() -> None:
    nodes = [helper.make_node("BatchNormalization", ["x", "w", "w", "w", "w"], ["y"], name="bn")]
    found = changed(model(TensorProto.FLOAT, floats(2), nodes), "prepareNodesForTraining")
    outputs = list(found.graph.node[0].output)
    assert outputs[0] == "y" and len(set(outputs)) == 5


def test_initializers_become_constants() -> None:
    proto = model(TensorProto.FLOAT, floats(2))
    found = changed(proto, "convertInitializersToConstants", ["w"])
    assert [node.op_type for node in found.graph.node] == ["Constant", "Add"]
    assert not found.graph.initializer
    with pytest.raises(popart_exception, match="'v' is no initializer of the model"):
        changed(proto, "convertInitializersToConstants", ["v"])
    whole = changed(
        model(TensorProto.INT32, np.arange(2, dtype=np.int32)),
        "convertAllFixedPointInitializersToConstants",
    )
    assert not whole.graph.initializer
    kept = changed(proto, "convertAllFixedPointInitializersToConstants")
    assert len(kept.graph.initializer) == 1


def test_initializers_are_saved_externally(tmp_path: Path) -> None:
    transformer = popir.GraphTransformer(model(TensorProto.FLOAT, floats(2)))
    transformer.saveInitializersExternally(["w"], tmp_path / "weights.bin")
    assert (tmp_path / "weights.bin").read_bytes()[:8] == floats(2).tobytes()
    proto = transformer.getModelProto()
    assert len(onnx.load_from_string(proto).graph.initializer[0].raw_data) == 0
    (y,) = run(proto, {"x": floats(2)}, ["y"]).values()
    np.testing.assert_array_equal(y, 2 * floats(2))


def test_a_report_compares_the_changes_of_weights() -> None:
    start = model(TensorProto.FLOAT, floats(4))
    a = model(TensorProto.FLOAT, floats(4) + np.float32(0.5))
    b = model(TensorProto.FLOAT, floats(4) - np.float32(0.5))
    same = popir.NumericsReport(start, a, start, a)
    assert same.getRelativeErrors() == {"w": 0.0}
    report = popir.NumericsReport(start, a, start, b)
    np.testing.assert_allclose(report.getRelativeErrors()["w"], 4, rtol=1e-5)
    assert "|dA||dB| = 0.99999997" in report.report("w")
    assert report.fullReport() == f"\nw : \n{report.report('w')}"
    with pytest.raises(popart_exception, match="No report available for v"):
        report.report("v")
    with pytest.raises(popart_exception, match="TensorProto infos differ"):
        popir.NumericsReport(start, model(TensorProto.FLOAT, floats(2)), start, start)
    whole = model(TensorProto.INT32, np.arange(2, dtype=np.int32))
    assert popir.NumericsReport(whole, whole, whole, whole).getRelativeErrors() == {}
