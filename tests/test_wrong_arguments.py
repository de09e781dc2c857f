"""What users give by mistake where a model, an optimizer, anchors or arrays are expected."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper

import popir
from popir import load_op_library

DEVICE = popir.DeviceManager().createCpuDevice()


def relu() -> tuple[bytes, str]:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [2, 2], "x")
    y = builder.aiOnnx.relu([x])
    builder.addOutputTensor(y)
    return builder.getModelProto(), y


MODEL, Y = relu()


def told(call: Callable[[], Any]) -> str:
    with pytest.raises(popir.PopirError) as error:
        call()
    return str(error.value)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (torch.nn.Linear(2, 2), "an object of Linear, or of PyTorch export it first, with torch."),
        (None, "given was an object of NoneType."),
        (np.ones(3), "given was an object of ndarray."),
        (onnx.GraphProto(), "given was an object of GraphProto."),
        ("a\0b", "cannot be read: embedded null byte"),
        ("\udc80.onnx", "cannot be read"),
    ],
)
def test_models(model: Any, words: str) -> None:
    assert words in told(lambda: popir.InferenceSession(model, popir.DataFlow(1, ["y"]), DEVICE))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1, [3]), "An anchor is a tensor's id; given was 3."),
        ((1, None), "takes the anchors as a list of tensor ids; given was None."),
        (("1", [Y]), "whole number of 1 or more, less than 2^32; given was '1'."),
        ((1.5, [Y]), "given was 1.5."),
        ((2**70, [Y]), "given was 1180591620717411303424."),
    ],
)
def test_data_flows(arguments: Any, words: str) -> None:
    assert words in told(lambda: popir.DataFlow(*arguments))


@pytest.mark.parametrize(
    "values",
    [
        0.01,
        {"defaultLearningRate": 0.1},
        {"defaultLearningRate": ("a", True)},
        {"defaultLearningRate": (float("nan"), True)},
        {"defaultLearningRate": (0.1, "no")},
        {"defaultLearningRate": [0.1, True]},
    ],
)
def test_optimizers(values: Any) -> None:
    assert re.search(
        r"pairs? \(value, isConst\), such as .*; given was", told(lambda: popir.SGD(values))
    )


def test_arrays_of_a_step() -> None:
    session = popir.InferenceSession(MODEL, popir.DataFlow(1, [Y]), DEVICE)
    session.prepareDevice()
    x = {"x": np.ones((2, 2), np.float32)}
    assert "by tensor id as outputs; given was None" in told(lambda: popir.PyStepIO(x, None))
    assert "as inputs; given was {3: 4}" in told(lambda: popir.PyStepIO({3: 4}, {}))
    nothing: Any = {Y: None}
    assert told(lambda: session.run(popir.PyStepIO(x, nothing))) == (
        f"The anchor '{Y}' needs a numpy array; given was NoneType."
    )


@pytest.mark.parametrize("path", [3, None, "a\0", b"a"])
def test_paths(path: Any) -> None:
    session = popir.InferenceSession(MODEL, popir.DataFlow(1, [Y]), DEVICE)
    for who, call in (("modelToHost", session.modelToHost), ("load_op_library", load_op_library)):
        assert told(lambda c=call: c(path)) == (
            f"{who} takes the path of a file; given was {path!r}."
        )


@pytest.mark.parametrize("array", [np.array([3, None]), np.array(["2020"], "M8")])
def test_arrays_of_a_builder(array: Any) -> None:
    words = told(lambda: popir.Builder().addInitializedInputTensor(array))
    assert (
        "cannot put an array of object into a model" in words or "is not an element type" in words
    )


def test_devices() -> None:
    wrong: Any = 3
    assert "takes a dictionary of options, such as {'numIPUs': 1}; given was 3" in told(
        lambda: popir.DeviceManager().createIpuModelDevice(wrong)
    )


def computed(type: str, **constants: np.ndarray[Any, Any]) -> Any:
    node = helper.make_node(type, list(constants), ["y"])
    graph = helper.make_graph(
        [node],
        "g",
        [],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = popir.InferenceSession(model, popir.DataFlow(1, ["y"]), DEVICE)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({}, anchors))
    return anchors["y"]


@pytest.mark.parametrize("limit", [np.nan, np.inf, -np.inf])
def test_a_range_without_an_end(limit: float) -> None:
    start, step = np.array(0, np.float32), np.array(1, np.float32)
    end = np.array(limit, np.float32)
    assert "Range takes finite numbers" in told(lambda: computed("Range", a=start, b=end, c=step))


def test_ranges_are_counted_exactly() -> None:
    far = np.array(2**62 + 3)
    found = computed("Range", a=np.array(2**62), b=far, c=np.array(2))
    np.testing.assert_array_equal(found, [2**62, 2**62 + 2])
    least, most = np.array(-(2**63)), np.array(2**63 - 1)
    told(lambda: computed("Range", a=least, b=most, c=np.array(1)))


@pytest.mark.parametrize(
    ("ratio", "words"),
    [([0.5, 0.5], "input 1 has shape [2]; expected is one number"), (1.5, "the ratio is 1.5")],
)
def test_dropout(ratio: Any, words: str) -> None:
    x, given = np.ones((2, 2), np.float32), np.array(ratio, np.float32)
    assert words in told(lambda: computed("Dropout", x=x, ratio=given, mode=np.array(True)))
