"""Lowerings written in C++."""

import ctypes
from pathlib import Path

import numpy as np

import popir
from popir import Op, poplar, registry
from popir._device.popart import Devicex
from popir.opx import InputCreatorType
from popir.poplar import program
from tests.popart.graphs import add, graph, refusal
from tests.popart.libraries import isolated


def session(type: str, domain: str = "test", **attributes: object) -> popir.InferenceSession:
    """A session of a model of one custom operator."""
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2, 3]))
    (y,) = builder.customOp(type, 6 if domain == "ai.onnx" else 1, domain, [x], attributes)
    builder.addOutputTensor(y)
    made = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, {y: popir.AnchorReturnType("All")}),
        popir.DeviceManager().createCpuDevice(),
    )
    made.prepareDevice()
    return made


def result(made: popir.InferenceSession, x: np.ndarray) -> np.ndarray:
    """What one step gives."""
    (name,) = made.graph.inputs
    anchors = made.initAnchorArrays()
    made.run(popir.PyStepIO({name: x}, anchors))
    (y,) = anchors.values()
    return y


def check_refusals(library: str) -> None:
    ctypes.CDLL(library)
    said = refusal(popir.MissingOpxError, session, "NoOpx")
    assert "cannot be lowered: no Opx is registered for test.NoOpx:1" in said
    said = refusal(popir.popart_exception, session, "Removed")
    assert said.startswith("a pattern must remove Removed (Op(0, test.Removed:1")
    assert said.endswith(f"in the Opx's constructor() of '{library}')")
    given = {"where": "grow", "what": "logic_error"}
    said = refusal(popir.popart_exception, lambda: session("Fails", **given))
    assert said.startswith("bad logic (Op(0, test.Fails:1")
    assert f"in grow() of '{library}'" in said
    given["what"] = "poplar_error"
    assert "in grow() of" in refusal(popir.poplar_exception, lambda: session("Fails", **given))
    given["what"] = "nothing"
    said = refusal(popir.popart_exception, lambda: session("Fails", **given))
    assert "It did not set output 0, " in said
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(result(session("Same"), x), x)


def test_what_cannot_be_lowered_is_refused(library, tmp_path: Path) -> None:
    isolated(check_refusals, library("probe"), cwd=tmp_path)


def check_mismatch(leaky_relu: str) -> None:
    ctypes.CDLL(leaky_relu)

    class Other(Op):
        source = leaky_relu

    op = Other(popir.OperatorIdentifier("ai.onnx", "LeakyRelu", 6), Op.Settings(graph()))
    devicex = Devicex(poplar.Graph(popir.DeviceManager().createCpuDevice().device))
    said = refusal(popir.popart_exception, registry.createOpx(op, devicex).grow, program.Sequence())
    assert "The Opx of Op(0, ai.onnx.LeakyRelu:6" in said
    assert "asked for an operator of another class" in said


def test_an_opx_of_another_operator(library, tmp_path: Path) -> None:
    isolated(check_mismatch, library("leaky_relu_custom_op"), cwd=tmp_path)


def check_layout(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT", [4]), w=("FLOAT", [4]))
    op = add(g, "Layout", ["x", "w"])
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4})
    lowered = poplar.Graph(device.device)
    devicex = Devicex(lowered)
    opx = registry.createOpx(op, devicex)
    says = [opx.getInputCreatorType(i) for i in (0, 1)]
    assert says == [InputCreatorType.CanCreate, InputCreatorType.CanUnwind]
    assert opx.mustExistBeforeCreate(0) == ["w"]
    tensor = opx.createInputTensor(0, "x")
    assert (tensor.shape(), tensor.elementType()) == ([4], poplar.FLOAT)
    assert [len(spans) for spans in lowered.getTileMapping(tensor)] == [0, 0, 0, 1]
    assert opx.unwindTensorLayout(tensor, 1, 0).shape() == [4]
    devicex.insert("x", tensor)
    opx.grow(program.Sequence())
    assert devicex.get("y").shape() == [4]
    said = refusal(popir.popart_exception, devicex.get, "z")
    assert said.startswith("The tensor 'z' has no device tensor yet")


def test_layouts(library, tmp_path: Path) -> None:
    isolated(check_layout, library("probe"), cwd=tmp_path)
