"""The bytes of large initializers beside the message: `popir.onnxio.wire`."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

import popir
from popir import memory
from popir.onnxio import wire
from popir.onnxio.load import load, load_apart
from popir.onnxio.serialised import InFile, InMemory, part

CPU = popir.DeviceManager().createCpuDevice()

SIDE = 192
"""A square of so many floats is large, of half as many not."""


def model(*names: str, side: int = SIDE) -> ModelProto:
    """y = x + the sum of the initializers, which have a text behind their bytes."""
    weights = [
        numpy_helper.from_array(np.full((side, side), i + 1, np.float32), name)
        for i, name in enumerate(names)
    ]
    for weight in weights:
        weight.doc_string = "behind the bytes"
    info = helper.make_tensor_value_info
    shape = [side, side]
    graph = helper.make_graph(
        [helper.make_node("Sum", ["x", *names], ["y"])],
        "graph",
        [info("x", TensorProto.FLOAT, shape)],
        [info("y", TensorProto.FLOAT, shape)],
        weights,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    made.metadata_props.add(key="behind", value="the graph")
    return made


def test_taking_out_and_putting_in_again_gives_the_same_bytes() -> None:
    data = model("a", "b").SerializeToString(deterministic=True)
    found = wire.apart(InMemory(data), 1000)
    assert found is not None
    rest, places = found
    values = {name: memoryview(data)[begin:end] for name, (begin, end) in places.items()}
    assert len(rest) < 500
    assert {name: len(value) for name, value in values.items()} == dict.fromkeys(
        "ab", SIDE * SIDE * 4
    )
    assert wire.whole(ModelProto.FromString(rest), values) == data
    assert wire.whole(ModelProto.FromString(data), {}) == data


def functions(made: ModelProto) -> bytes:
    made.functions.add(name="F", domain="d")
    return made.SerializeToString()


def twice(made: ModelProto) -> bytes:
    made.graph.initializer[1].name = "a"
    return made.SerializeToString()


def two_graphs(made: ModelProto) -> bytes:
    return made.SerializeToString() + ModelProto(graph=made.graph).SerializeToString()


def cut_off(made: ModelProto) -> bytes:
    return made.SerializeToString()[:-1]


def no_model(made: ModelProto) -> bytes:
    return b"\x3b" * len(made.graph.initializer)


def replaced_text(made: ModelProto, field: bytes) -> bytes:
    """The model with a field in place of the text behind the bytes of its first initializer."""
    made.graph.initializer[0].doc_string = "\0" * (len(field) - 2)
    data = made.SerializeToString()
    text = bytes([TensorProto.DOC_STRING_FIELD_NUMBER << 3 | 2, len(field) - 2])
    return data.replace(text + bytes(len(field) - 2), field, 1)


def few_bytes_again(made: ModelProto) -> bytes:
    return replaced_text(made, bytes([TensorProto.RAW_DATA_FIELD_NUMBER << 3 | 2, 5]) + b"later")


@pytest.mark.parametrize(
    "damage", [functions, twice, two_graphs, cut_off, no_model, few_bytes_again]
)
def test_what_is_out_of_the_ordinary_stays_whole(damage: Callable[[ModelProto], bytes]) -> None:
    data = damage(model("a", "b"))
    assert wire.apart(InMemory(data), 1000) is None


def test_of_bytes_that_are_there_twice_the_last_are_meant() -> None:
    data = few_bytes_again(model("a"))
    assert ModelProto.FromString(data).graph.initializer[0].raw_data == b"later"
    with pytest.raises(popir.ModelError, match=r"'a' .* needs 147456 bytes of data; it has 5"):
        popir.InferenceSession(data, popir.DataFlow(1, ["y"]), CPU)


def test_a_field_of_another_kind_is_no_name() -> None:
    kind = bytes([TensorProto.NAME_FIELD_NUMBER << 3]) + b"b"  # a number
    data = replaced_text(model("a"), kind + bytes([TensorProto.NAME_FIELD_NUMBER << 3]) + b"c")
    assert ModelProto.FromString(data).graph.initializer[0].name == "a"
    assert [*load_apart(data).values] == ["a"]


@pytest.mark.parametrize("small", [0, 1])
def test_two_of_one_name_of_which_one_is_small_stay_whole(small: int) -> None:
    made = model("a", "b")
    made.graph.initializer[small].CopyFrom(numpy_helper.from_array(np.ones(2, np.float32), "b"))
    made.graph.initializer[1 - small].name = "b"
    data = made.SerializeToString()
    loaded = load_apart(data)
    assert (loaded.model, loaded.values) == (made, {})
    with pytest.raises(popir.ModelError, match="'b'"):
        popir.InferenceSession(data, popir.DataFlow(1, ["y"]), CPU)


def test_small_values_stay_in_the_message() -> None:
    data = model("a", side=SIDE // 2).SerializeToString()
    assert wire.apart(InMemory(data), 1000) is None


def test_what_has_too_many_fields_stays_whole() -> None:
    data = model("a", "b").SerializeToString()
    assert wire.apart(InMemory(data), 22) is not None
    assert wire.apart(InMemory(data), 21) is None  # of the second initializer
    assert wire.apart(InMemory(data), 11) is None  # of the first one
    assert wire.apart(InMemory(data), 3) is None  # of the model


def test_what_is_read_whole_is_in_memory_once(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(bytes(4_000_000))
    with file.open("rb") as stream:
        source = InFile(stream.fileno())
        tracemalloc.start()
        try:
            data = part(source, 0, source.size)
            assert tracemalloc.get_traced_memory()[0] < 1.5 * len(data)
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("in_file", [False, True])
def test_loading_apart_leaves_the_values_out(in_file: bool, tmp_path: Path) -> None:
    made = model("a", "b")
    made.graph.node[0].doc_string = "d" * 600_000  # longer than what is read of a file at once
    data = made.SerializeToString()
    file = tmp_path / "model.onnx"
    file.write_bytes(data)
    source = file if in_file else data
    loaded = load_apart(source)
    for initializer in made.graph.initializer:
        value = loaded.values[initializer.name]
        assert value == initializer.raw_data
        assert value.readonly
        assert np.frombuffer(value, np.uint8).ctypes.data % 64 == 0
        initializer.ClearField("raw_data")
    assert loaded.model == made
    assert load(source).model == ModelProto.FromString(data)


@pytest.mark.parametrize("size", [0, 1, 1000, 200_000])
def test_a_file_that_becomes_shorter_is_refused(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(model("a", "b").SerializeToString())
    told = memory.require

    def shorter(what: str, size_of_it: int) -> None:
        told(what, size_of_it)
        os.truncate(file, size)

    monkeypatch.setattr("popir.onnxio.load.memory.require", shorter)
    with pytest.raises(popir.ModelError, match="cannot be read: it became shorter while it was"):
        load_apart(file)


def test_a_value_of_another_size_is_an_error_of_its_initializer() -> None:
    made = model("a")
    made.graph.initializer[0].dims[0] += 1
    with pytest.raises(popir.ModelError, match="The initializer 'a' of type FLOAT and shape"):
        popir.InferenceSession(made.SerializeToString(), popir.DataFlow(1, ["y"]), CPU)


def test_a_builder_gives_the_model_that_onnx_makes_of_the_same_tensors() -> None:
    values = {
        "large": np.arange(SIDE**2, dtype=np.float32).reshape(SIDE, SIDE),
        "small": np.full((), 2, np.float32),
    }
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [SIDE, SIDE], "x")
    ids = [builder.addInitializedInputTensor(v, None, k) for k, v in values.items()]
    builder.addOutputTensor(builder.aiOnnx.sum([x, *ids], "y"))
    first = builder.getModelProto()
    checker.check_model(ModelProto.FromString(first))
    found = {
        t.name: numpy_helper.to_array(t) for t in ModelProto.FromString(first).graph.initializer
    }
    for name, value in values.items():
        np.testing.assert_array_equal(found[name], value)
    values["large"][...] = 0
    assert builder.getModelProto() == first
    assert ModelProto.FromString(first).SerializeToString(deterministic=True) == first


def test_what_a_session_learns_is_not_in_the_model_it_came_from() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [2, SIDE], "x")
    w = builder.addInitializedInputTensor(np.ones((SIDE, SIDE), np.float32), None, "w")
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.matmul([x, w])], 0.1)
    data = builder.getModelProto()
    kept = bytes(bytearray(data))
    sessions = [
        popir.TrainingSession(data, popir.DataFlow(1, [loss]), loss, popir.ConstSGD(0.5), CPU)
        for _ in range(2)
    ]
    for session in sessions:
        session.prepareDevice()
    session, other = sessions
    session.weightsFromHost()
    session.run(popir.PyStepIO({x: np.ones((2, SIDE), np.float32)}, session.initAnchorArrays()))
    session.weightsToHost()
    learned, initial = (np.empty((SIDE, SIDE), np.float32) for _ in range(2))
    session.readWeights(popir.PyWeightsIO({w: learned}))
    other.readWeights(popir.PyWeightsIO({w: initial}))
    assert data == kept and (initial == 1).all() and (learned != 1).all()
    other.writeWeights(popir.PyWeightsIO({w: learned}))
    other.readWeights(popir.PyWeightsIO({w: initial}))
    np.testing.assert_array_equal(initial, learned)
    assert data == kept
