"""Abort ends a run with an error; what takes places from data says so with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

import popir
from popir import ext, poplar
from popir.errors import OperatorInputError, PopirError
from popir.segments import SegmentedModel

X = np.float32([1, -1])


def cpu() -> Any:
    return popir.DeviceManager().createCpuDevice()


def session_of(builder: Any, output: str, device: Any = None) -> Any:
    builder.addOutputTensor(output)
    flow = popir.DataFlow(1, [output])
    found = popir.InferenceSession(builder.getModelProto(), flow, device or cpu())
    found.prepareDevice()
    return found


def run(session: Any, feeds: dict[str, Any]) -> dict[str, Any]:
    outputs = session.initAnchorArrays()
    session.run(popir.PyStepIO(feeds, outputs))
    return outputs


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("BOOL", [True]),
        ("INT32", [-3, 7]),
        ("UINT32", [4]),
        ("FLOAT", [0.5, np.nan]),
        ("FLOAT16", [1.0]),
    ],
)
@pytest.mark.parametrize("tiles", [0, 4])
def test_a_condition_that_is_not_0_ends_the_run(kind: str, values: list[Any], tiles: int) -> None:
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2]))
    c = builder.addInputTensor(popir.TensorInfo(kind, []), "c")
    assert builder.aiGraphcore.abort([c], "stop") is None
    manager = popir.DeviceManager()
    device = manager.createIpuModelDevice({"tilesPerIPU": tiles}) if tiles else cpu()
    y = builder.aiOnnx.relu([x])
    session = session_of(builder, y, device)
    dtype = popir.DataType.of(kind).numpy
    for value in values:
        assert run(session, {x: X, c: np.array(0, dtype)})[y].tolist() == [1, 0]
        with pytest.raises(PopirError) as error:
            run(session, {x: X, c: np.array(value, dtype)})
        assert str(error.value) == (
            "The run was ended by ai.graphcore.Abort:1 'stop'. The condition, 'c', is not 0."
        )
    assert run(session, {x: X, c: np.array(0, dtype)})[y].tolist() == [1, 0]


def test_without_a_condition_every_run_ends() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2]))
    builder.aiGraphcore.abort()
    session = session_of(builder, builder.aiOnnx.relu([x]))
    for _ in range(2):
        with pytest.raises(PopirError, match=r"^The run was ended by ai.graphcore.Abort:1\.$"):
            run(session, {x: X})


def test_one_branch_of_an_if_aborts() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2]))
    c = builder.addInputTensor(popir.TensorInfo("BOOL", []))
    good, bad = builder.createSubgraphBuilder(), builder.createSubgraphBuilder()
    good.addOutputTensor(good.aiOnnx.relu([x]))
    bad.aiGraphcore.abort()
    bad.addOutputTensor(bad.aiOnnx.neg([x]))
    y = builder.aiOnnx.logical_if([c], 1, bad, good)[0]
    session = session_of(builder, y)
    assert run(session, {x: X, c: np.array(True)})[y].tolist() == [1, 0]
    with pytest.raises(PopirError, match="was ended by"):
        run(session, {x: X, c: np.array(False)})


def test_several_conditions_are_refused() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2]))
    builder.aiGraphcore.abort([x])
    with pytest.raises(OperatorInputError, match=r"the condition is FLOAT\[2\]; expected is one"):
        session_of(builder, builder.aiOnnx.relu([x]))


PLACES = """<ir_version: 10, opset_import: ["": 21, "ai.onnx.ml": 3]>
g (float[2,3] x, int64[2] i) => (float[2,2] y) { y = ai.onnx.ml.ArrayFeatureExtractor(x, i) }"""
ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize("places", [[3, 0], [0, -1]])
def test_a_place_out_of_range_ends_the_run(places: list[int]) -> None:
    model = onnx.parser.parse_model(PLACES)
    session = popir.InferenceSession(model, popir.DataFlow(1, ["y"]), cpu())
    session.prepareDevice()
    words = r"ArrayFeatureExtractor:1: a place is out of range; places are in \[0, 2\]\."
    with pytest.raises(PopirError, match=words):
        run(session, {"x": ROWS, "i": np.int64(places)})
    assert run(session, {"x": ROWS, "i": np.int64([2, 0])})["y"].tolist() == [[2, 0], [5, 3]]
    with pytest.raises(PopirError, match=words):
        SegmentedModel(model).run({"x": ROWS, "i": np.int64(places)})


def test_the_gradient_goes_by_the_places() -> None:
    model = onnx.parser.parse_model(
        PLACES.replace("float[2,2] y)", "float l)").replace(
            "(x, i) }", "(x, i) l = ReduceSum<keepdims=0>(y) }"
        )
    )
    flow = popir.DataFlow(1, ["Gradient___x"])
    session = popir.TrainingSession(model, flow, "l", popir.ConstSGD(0.1), cpu())
    session.prepareDevice()
    found = run(session, {"x": ROWS, "i": np.int64([2, 2])})
    assert found["Gradient___x"].tolist() == [[0, 0, 2], [0, 0, 2]]
    with pytest.raises(PopirError, match="out of range"):
        run(session, {"x": ROWS, "i": np.int64([2, 3])})


def test_a_saved_program_aborts() -> None:
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    c = graph.addVariable(poplar.BOOL, [3], "c")
    graph.setTileMapping(c, 0)
    graph.createHostWrite("c", c)
    prog = poplar.program.Sequence()
    ext.abortOnCondition(graph, c, "stop here", prog)
    executable = poplar.compileGraph(graph, [prog])
    for each in (executable, poplar.Executable.deserialize(executable.serialize())):
        engine = poplar.Engine(each)
        engine.writeTensor("c", np.array([False] * 3))
        engine.run(0)
        engine.writeTensor("c", np.array([False, True, False]))
        with pytest.raises(PopirError, match=r"^stop here$"):
            engine.run(0)
    n = graph.addVariable(poplar.INT, [3], "n")
    with pytest.raises(PopirError, match="the condition is of type int; expected is BOOL"):
        ext.abortOnCondition(graph, n, "", prog)
