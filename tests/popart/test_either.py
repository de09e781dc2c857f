"""Lowerings that derive from EitherOpx, and constants that a library's ConstExprOp computes."""

import ctypes
from pathlib import Path

import numpy as np
import onnx
import pytest

import popir
from popir.errors import popart_exception
from tests.popart.conftest import Library
from tests.popart.graphs import floats, results
from tests.popart.libraries import isolated


def check_results(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(3, 4)
    for name in ("Snap", "Poplar"):
        y, gradients, weights = results(name, {"x": x}, "x")
        np.testing.assert_array_equal(y, 2 * x, name)
        np.testing.assert_array_equal(gradients["x"], 2 * weights, name)


def test_either_program_is_grown(library: Library, tmp_path: Path) -> None:
    isolated(check_results, library("either"), cwd=tmp_path)


def check_refusals(library: str) -> None:
    ctypes.CDLL(library)
    with pytest.raises(popart_exception) as caught:
        results("Empty", {"x": floats(3)})
    print(caught.value)


def test_a_class_without_grow_is_named(library: Library, tmp_path: Path) -> None:
    text = isolated(check_refusals, library("either"), cwd=tmp_path)
    assert "grow" in text and "Empty" in text and "libeither.so" in text


def check_layouts(library: str) -> None:
    """In front of a convolution, whose operand asks for a layout through the operator."""
    ctypes.CDLL(library)

    def prepared(name: str) -> None:
        builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
        x = builder.addInputTensor("FLOAT", [1, 4, 6, 6], "x")
        w = builder.addInitializedInputTensor(floats(4, 4, 3, 3), "w")
        (y,) = builder.customOp(name, 1, "test", [x], {})
        out = builder.aiOnnx.conv([y, w])
        session = popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(1, {out: popir.AnchorReturnType("ALL")}),
            popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
        )
        session.prepareDevice()

    prepared("Snap")
    prepared("Poplar")
    with pytest.raises(popart_exception) as caught:
        prepared("Layoutless")
    print(caught.value)


def test_layouts_go_through_either(library: Library, tmp_path: Path) -> None:
    text = isolated(check_layouts, library("either"), cwd=tmp_path)
    assert "unwindTensorLayout" in text and "Layoutless" in text


def _session(values: np.ndarray, type: str) -> popir.InferenceSession:
    node = onnx.helper.make_node(type, ["w"], ["y"], domain="test")
    add = onnx.helper.make_node("Add", ["x", "y"], ["z"])
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            [node, add],
            "g",
            [onnx.helper.make_tensor_value_info("x", 1, values.shape)],
            [onnx.helper.make_tensor_value_info("z", 1, values.shape)],
            [],
        ),
        opset_imports=[onnx.helper.make_opsetid("", 11), onnx.helper.make_opsetid("test", 1)],
    )
    constant = onnx.helper.make_node(
        "Constant", [], ["w"], value=onnx.numpy_helper.from_array(values)
    )
    model.graph.node.insert(0, constant)
    return popir.InferenceSession(
        model.SerializeToString(),
        popir.DataFlow(1, {"z": popir.AnchorReturnType("ALL")}),
        popir.DeviceManager().createCpuDevice(),
    )


def check_constants(library: str) -> None:
    ctypes.CDLL(library)
    values = floats(2, 3)
    session = _session(values, "Known")
    (left,) = session.graph.schedule()
    assert left.opid.type == "Add"
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": np.ones((2, 3), "float32")}, anchors))
    np.testing.assert_array_equal(anchors["z"], 2 * values + 1)
    with pytest.raises(popart_exception) as caught:
        _session(values, "Longer")
    print(caught.value)


def test_constants_of_a_library_are_computed(library: Library, tmp_path: Path) -> None:
    text = isolated(check_constants, library("either"), cwd=tmp_path)
    assert "The ConstExprOp computed 99 bytes; output 0 has 24" in text and "libeither.so" in text
