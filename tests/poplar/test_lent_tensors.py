"""Tensors that lie in arrays of the host: `Engine.lendTensor`, and weights of sessions."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir import errors, poplar, popops
from popir.onnxio.serialised import filled
from popir.poplar import program
from popir.weights import is_fixed

Array = np.ndarray[Any, Any]
SIZE = 5000
LINEAR = poplar.VariableMappingMethod.LINEAR
DEVICE = popir.DeviceManager().createCpuDevice()


def fixed(values: Array) -> Array:
    """A read-only copy, aligned as the engine wants it."""
    content = np.ascontiguousarray(values).view(np.uint8).reshape(-1)

    def fill(memory: Array) -> None:
        memory[...] = content

    return filled(content.size, fill).view(values.dtype).reshape(values.shape)


class Doubled:
    """y = w + w, and what is done to w."""

    def __init__(self, more: Callable[[Any, Any], Any] | None = None, **options: str) -> None:
        graph = poplar.Graph(poplar.Target.createCPUTarget())
        self.w = graph.addVariable(poplar.FLOAT, [SIZE], LINEAR, "w")
        graph.createHostWrite("w", self.w)
        graph.createHostRead("w", self.w)
        out = graph.addDeviceToHostFIFO("y", poplar.FLOAT, SIZE)
        steps = program.Sequence()
        steps.add(program.Copy(popops.add(graph, self.w, self.w, steps), out))
        if more is not None:
            more(graph, self.w)
        self.device = poplar.Device.createCPUDevice()
        self.engine = poplar.Engine(graph, [steps], options)
        self.y = np.zeros(SIZE, np.float32)
        self.engine.connectStream("y", self.y)

    def run(self) -> Array:
        self.engine.run()
        return self.y.copy()

    def read(self) -> Array:
        into = np.zeros(SIZE, np.float32)
        self.engine.readTensor("w", into)
        return into


VALUES = np.arange(SIZE, dtype=np.float32)


def test_an_array_is_read_where_it_lies_and_kept_alive() -> None:
    model, array = Doubled(), fixed(VALUES)
    assert model.engine.lendTensor("w", array)
    np.testing.assert_array_equal(model.run(), 2 * VALUES)
    np.testing.assert_array_equal(model.read(), VALUES)
    kept = weakref.ref(array)
    del array
    gc.collect()
    assert kept() is not None
    model.engine.writeTensor("w", VALUES + 1)
    gc.collect()
    assert kept() is None
    np.testing.assert_array_equal(model.run(), 2 * VALUES + 2)
    np.testing.assert_array_equal(model.read(), VALUES + 1)


def test_writing_does_not_change_what_was_lent() -> None:
    model, array = Doubled(), fixed(VALUES)
    model.engine.lendTensor("w", array)
    model.engine.writeTensor("w", -VALUES)
    np.testing.assert_array_equal(array, VALUES)
    assert model.engine.lendTensor("w", array)
    assert model.engine.lendTensor("w", array)
    np.testing.assert_array_equal(model.run(), 2 * VALUES)
    assert model.engine.lendTensor("w", fixed(3 * VALUES))
    np.testing.assert_array_equal(model.run(), 6 * VALUES)


def test_loading_takes_what_was_lent_away() -> None:
    model, array = Doubled(), fixed(VALUES)
    model.engine.lendTensor("w", array)
    kept = weakref.ref(array)
    del array
    model.engine.load(DEVICE.device)
    gc.collect()
    assert kept() is None
    assert not model.run().any()
    assert not model.read().any()


def test_the_option_makes_copies() -> None:
    model = Doubled(**{"host.lendTensors": "false"})
    array = fixed(VALUES)
    kept = weakref.ref(array)
    assert not model.engine.lendTensor("w", array)
    del array
    gc.collect()
    assert kept() is None
    np.testing.assert_array_equal(model.run(), 2 * VALUES)


def test_what_is_not_aligned_is_copied() -> None:
    model = Doubled()
    assert not model.engine.lendTensor("w", fixed(np.arange(-1, SIZE, dtype=np.float32))[1:])
    np.testing.assert_array_equal(model.run(), 2 * VALUES)


def sliced(graph: Any, w: Any) -> None:
    graph.createHostWrite("a part", w.slice(0, 10))


def again(graph: Any, w: Any) -> None:
    graph.createHostWrite("the same", w)


@pytest.mark.parametrize("more", [sliced, again])
def test_what_is_also_written_otherwise_is_copied(more: Callable[[Any, Any], Any]) -> None:
    model = Doubled(more)
    assert not model.engine.lendTensor("w", fixed(VALUES))
    np.testing.assert_array_equal(model.run(), 2 * VALUES)


@pytest.mark.parametrize(
    ("array", "error", "words"),
    [
        (VALUES.copy(), errors.poplar_tensor_io_state_error, "'w' is not read-only; writeTensor"),
        (fixed(VALUES[1:]), errors.poplar_tensor_io_state_error, "lendTensor: 'w' has 5000 elem"),
        (fixed(VALUES.astype(np.int32)), errors.poplar_stream_connection_error, "lendTensor: 'w'"),
    ],
)
def test_another_array_is_refused(array: Array, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Doubled().engine.lendTensor("w", array)


def test_an_unknown_handle_is_refused() -> None:
    with pytest.raises(errors.poplar_tensor_io_state_error, match="no tensor was given the handle"):
        Doubled().engine.lendTensor("v", fixed(VALUES))


def test_an_array_is_fixed_if_nobody_can_write_it() -> None:
    array = fixed(VALUES)
    assert is_fixed(array)
    assert is_fixed(array.reshape(50, 100)[2:])
    assert is_fixed(np.frombuffer(bytes(8), np.float32))
    assert is_fixed(np.frombuffer(memoryview(bytes(8))[4:], np.float32))
    assert not is_fixed(np.frombuffer(bytearray(8), np.float32))
    owner = np.zeros(4)
    view = owner.view()
    view.flags.writeable = False
    assert not is_fixed(owner)
    assert not is_fixed(view)


WIDTH = 192


def model(weight: Array, convolves: bool) -> bytes:
    """y = x * w, a convolution or a product."""
    node = helper.make_node("Conv" if convolves else "MatMul", ["x", "w"], ["y"])
    shapes = [[2, WIDTH, 8, 8], [2, WIDTH, 6, 6]] if convolves else [[3, WIDTH], [3, WIDTH]]
    info = helper.make_tensor_value_info
    x, y = (info(id, TensorProto.FLOAT, shape) for id, shape in zip("xy", shapes, strict=True))
    graph = helper.make_graph([node], "graph", [x], [y], [numpy_helper.from_array(weight, "w")])
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


def session(data: bytes, lends: bool) -> popir.InferenceSession:
    options = popir.SessionOptions()
    options.engineOptions = {"host.lendTensors": str(lends).lower()}
    made = popir.InferenceSession(data, popir.DataFlow(1, ["y"]), DEVICE, userOptions=options)
    made.prepareDevice()
    return made


def run(of: popir.InferenceSession, x: Array) -> Array:
    anchors = of.initAnchorArrays()
    of.run(popir.PyStepIO({"x": x}, anchors))
    return anchors["y"]


@pytest.mark.parametrize("convolves", [False, True])
def test_sessions_that_lend_give_the_same_bits_and_keep_the_meaning_of_weights(
    convolves: bool,
) -> None:
    random = np.random.default_rng(0)
    shape = [WIDTH, WIDTH, 3, 3] if convolves else [WIDTH, WIDTH]
    weight, other = (random.standard_normal(shape, np.float32) for _ in range(2))
    x = random.standard_normal([2, WIDTH, 8, 8] if convolves else [3, WIDTH], np.float32)
    found: list[list[Array]] = []
    for lends in (True, False):
        it = session(model(weight, convolves), lends)
        assert bool(it._lent) is lends
        outs = [run(it, x)]
        it.writeWeights(popir.PyWeightsIO({"w": other}))
        outs.append(run(it, x))  # the device has the old ones still
        np.testing.assert_array_equal(outs[0], outs[1])
        it.weightsFromHost()
        assert not it._lent
        outs.append(run(it, x))
        it.weightsToHost()
        read = popir.PyWeightsIO({"w": np.zeros_like(other)})
        it.readWeights(read)
        np.testing.assert_array_equal(read.weights["w"], other)
        it.resetHostWeights(model(weight, convolves))
        it.loadEngineAndConnectStreams()
        outs.append(run(it, x))
        np.testing.assert_array_equal(outs[0], outs[3])
        found.append(outs)
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(found[0][2], run(session(model(other, convolves), False), x))


def test_fetching_what_was_lent_copies_nothing() -> None:
    it = session(model(np.ones([WIDTH, WIDTH], np.float32), False), True)
    before = it.held_weights()["w"]
    it.weightsToHost()
    assert it.held_weights()["w"] is before
    it.writeWeights(popir.PyWeightsIO({"w": np.zeros([WIDTH, WIDTH], np.float32)}))
    it.weightsToHost()  # what the device has
    assert it.held_weights()["w"].all()


def test_weights_that_a_step_changes_are_copied() -> None:
    data = model(np.ones([WIDTH, WIDTH], np.float32), False)
    builder = popir.Builder(data)
    loss = builder.aiGraphcore.l1loss(["y"], 0.1)
    flow = popir.DataFlow(1, ["y"])
    optimizer = popir.ConstSGD(0.1)
    it = popir.TrainingSession(builder.getModelProto(), flow, loss, optimizer, DEVICE)
    it.prepareDevice()
    assert not it._lent
    x = np.ones([3, WIDTH], np.float32)
    anchors = it.initAnchorArrays()
    it.run(popir.PyStepIO({"x": x}, anchors))
    it.weightsToHost()
    assert not np.array_equal(it.held_weights()["w"], np.ones([WIDTH, WIDTH], np.float32))
