"""What users give by mistake where a model, an optimizer, anchors or arrays are expected."""

import re
from collections.abc import Callable
from pathlib import Path
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
        ((1, [3]), "a list of strings as anchorTensors; given was [3]."),
        ((1, None), "or a list of strings as anchorTensors; given was None."),
        (("1", [Y]), "DataFlow takes an integer as batchesPerStep; given was '1'."),
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
        {"defaultLearningRate": (0.1, "no")},
        {"defaultLearningRate": [0.1, True]},
    ],
)
def test_optimizers(values: Any) -> None:
    assert re.search(
        r"pair \(value, isConst\), such|tuples \(a number .*, True or False\).* given was",
        told(lambda: popir.SGD(values)),
    )


def test_arrays_of_a_step() -> None:
    session = popir.InferenceSession(MODEL, popir.DataFlow(1, [Y]), DEVICE)
    session.prepareDevice()
    x = {"x": np.ones((2, 2), np.float32)}
    assert "a dict of strings to numpy arrays as outputs; given was None" in told(
        lambda: popir.PyStepIO(x, None)
    )
    assert "as inputs; given was {3: 4}" in told(lambda: popir.PyStepIO({3: 4}, {}))
    nothing: Any = {Y: None}
    assert "numpy arrays as outputs; given was" in told(lambda: popir.PyStepIO(x, nothing))
    io = popir.PyStepIO(x, {})
    io.outputs = nothing
    assert told(lambda: session.run(io)) == (
        f"The anchor '{Y}', FLOAT[2, 2], needs a numpy array; given was None."
    )


@pytest.mark.parametrize("path", [3, None, "a\0", b"a"])
def test_paths(path: Any) -> None:
    session = popir.InferenceSession(MODEL, popir.DataFlow(1, [Y]), DEVICE)
    builder = popir.Builder()
    for call in (session.modelToHost, load_op_library, builder.saveModelProto):
        words = told(lambda c=call: c(path))
        assert re.search(r"takes (the path of a file|a string or a path as filename); given", words)


def refused(change: Callable[[popir.Builder, str], None]) -> str:
    """Why there is no session of a Relu that was changed."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    y = builder.aiOnnx.relu([builder.addInputTensor("FLOAT", [2, 2], "x")])
    builder.addOutputTensor(y)
    change(builder, y)
    flow = popir.DataFlow(1, [y])
    return told(lambda: popir.InferenceSession(builder.getModelProto(), flow, DEVICE))


def test_names_of_variants_that_there_are_not() -> None:
    words = refused(lambda b, y: b.setInplacePreferences(y, {"ReluInplac": 1.0}))
    assert "names 'ReluInplac', which is no in-place variant of it; it has ReluInplace." in words
    words = refused(lambda b, y: b.setInplacePreferences(y, {"ReluInplac": -1.0}))
    assert "names 'ReluInplac'" in words


def test_that_there_is_to_be_no_variant_where_there_is_none() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    y = builder.aiOnnx.softmax([builder.addInputTensor("FLOAT", [2, 2], "x")])
    builder.setInplacePreferences(y, {"SoftmaxInplace": -1})
    popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), DEVICE)
    builder.setInplacePreferences(y, {"SoftmaxInplace": 1})
    words = told(
        lambda: popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), DEVICE)
    )
    assert "names 'SoftmaxInplace', which is no in-place variant of it; it has none." in words


def made(**options: Any) -> popir.InferenceSession:
    """A session with these options."""
    flow = popir.DataFlow(1, [Y])
    return popir.InferenceSession(MODEL, flow, DEVICE, userOptions=popir.SessionOptions(**options))


def test_folders_that_cannot_be_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for folder in (file, file / "below", Path("/proc/nowhere")):
        words = told(lambda folder=folder: made(logDir=folder))
        assert words.startswith(f"SessionOptions.logDir = '{folder}': the logs of the session")


def test_a_cache_without_a_folder() -> None:
    assert "Name one; '.' is" in told(lambda: made(enableEngineCaching=True, cachePath=""))


def test_flags_without_codelets() -> None:
    with pytest.warns(popir.options.OptionWarning, match="acts only where customCodelets has"):
        made(customCodeletCompileFlags="-g")


def test_options_that_there_are_not() -> None:
    options: Any = popir.SessionOptions()
    with pytest.raises(popir.PopirError, match=r"has no option 'logDirr'. Did you mean 'logDir'"):
        options.logDirr = "logs"
    assert not hasattr(options, "logDirr")


@pytest.mark.parametrize("array", [np.array([3, None]), np.array(["2020"], "M8")])
def test_arrays_of_a_builder(array: Any) -> None:
    words = told(lambda: popir.Builder().addInitializedInputTensor(array))
    assert (
        "cannot put an array of object into a model" in words or "is not an element type" in words
    )


def test_devices() -> None:
    wrong: Any = 3
    assert "True or False or None as options; given was 3" in told(
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
