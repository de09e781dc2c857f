"""Weights of which only packed forms are read: their originals are given back, and made again."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir import poplar, poplin, popops
from popir.poplar import program
from popir.types import as_bytes
from tests.models import floats
from tests.poplar.test_lent_tensors import fixed

Array = np.ndarray[Any, Any]
LINEAR = poplar.VariableMappingMethod.LINEAR
DEVICE = popir.DeviceManager().createCpuDevice()
ROWS, DEPTH, COLUMNS = 64, 512, 320
SHAPE = [DEPTH, COLUMNS]


def of_all_kinds(shape: list[int], seed: int = 0) -> Array:
    """Numbers of all kinds of bits: NaN with payloads, denormals, infinities, both zeros."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 1 << 32, shape, np.uint32)
    bits.reshape(-1)[:4] = [0, 1 << 31, 0x7F800001, 1]
    return bits.view(np.float32)


def same(found: Array, expected: Array) -> None:
    """The same bits."""
    np.testing.assert_array_equal(found.view(np.uint32), expected.view(np.uint32))


class Product:
    """y = x w, and what else is done."""

    def __init__(
        self,
        without: str = "",
        shape: list[int] = SHAPE,
        turned: bool = False,
        more: Callable[[Any, Any, Any], None] | None = None,
        threads: str = "2",
    ) -> None:
        graph = poplar.Graph(poplar.Target.createCPUTarget())
        self.shape = shape
        self.w = graph.addVariable(poplar.FLOAT, shape, LINEAR, "w")
        graph.createHostWrite("w", self.w)
        graph.createHostRead("w", self.w)
        x = graph.addVariable(poplar.FLOAT, [ROWS, shape[turned]], LINEAR, "x")
        given = graph.addHostToDeviceFIFO("x", poplar.FLOAT, x.numElements())
        steps = program.Sequence()
        steps.add(program.Copy(given, x))
        y = poplin.matMul(graph, x, self.w.transpose() if turned else self.w, steps)
        out = graph.addDeviceToHostFIFO("y", poplar.FLOAT, y.numElements())
        steps.add(program.Copy(y, out))
        if more is not None:
            more(graph, self.w, steps)
        options = {"host.without": without, "host.numThreads": threads}
        self.engine = poplar.Engine(graph, [steps], options)
        self.x = floats(ROWS, shape[turned])
        self.y = np.zeros([ROWS, shape[not turned]], np.float32)
        self.engine.connectStream("x", self.x)
        self.engine.connectStream("y", self.y)
        self.device = poplar.Device.createCPUDevice()

    def run(self) -> Array:
        self.engine.run()
        return self.y.copy()

    def read(self) -> Array:
        into = np.zeros(self.shape, np.float32)
        self.engine.readTensor("w", into)
        return into


def test_what_was_lent_is_let_go_and_read_back_bit_by_bit() -> None:
    it, array = Product(), fixed(of_all_kinds(SHAPE))
    expected, told = array.copy(), list[str]()
    assert it.engine.lendTensor("w", array, lambda: told.append("w"))
    kept = weakref.ref(array)
    del array
    assert it.engine.givenBackBytes() == 0 and not told
    first = it.run()
    gc.collect()
    assert kept() is None and told == ["w"]
    assert it.engine.givenBackBytes() == expected.nbytes
    for _ in range(2):
        same(it.read(), expected)
        same(it.run(), first)
    assert told == ["w"]


def test_what_was_written_is_given_back_too() -> None:
    it, other = Product(), Product("unpacking")
    for seed in range(3):
        w = floats(*SHAPE, seed=seed)
        for each in (it, other):
            each.engine.writeTensor("w", w)
        same(it.run(), other.run())
        same(it.read(), w)
        same(other.read(), w)
        assert it.engine.givenBackBytes() == w.nbytes
        assert other.engine.givenBackBytes() == 0


def test_values_change_between_all_ways_of_giving_them() -> None:
    it = Product()
    one, two = (floats(*SHAPE, seed=seed) for seed in (1, 2))
    lent = fixed(one)
    assert it.engine.lendTensor("w", lent)
    y = it.run()
    it.engine.writeTensor("w", two)
    assert it.engine.givenBackBytes() == 0
    same(it.read(), two)
    z = it.run()
    assert not np.array_equal(y, z)
    assert it.engine.lendTensor("w", lent)
    same(it.read(), one)
    same(it.run(), y)
    assert it.engine.lendTensor("w", lent)  # it is no more there
    same(it.run(), y)
    it.engine.load(it.device)
    assert it.engine.givenBackBytes() == 0
    assert not it.run().any() and not it.read().any()
    same(it.read(), np.zeros(SHAPE, np.float32))


def also_plain(graph: Any, w: Any, steps: Any) -> None:
    out = graph.addDeviceToHostFIFO("sum", poplar.FLOAT, w.numElements())
    steps.add(program.Copy(popops.add(graph, w, w, steps), out))


def also_in_part(graph: Any, w: Any, steps: Any) -> None:
    out = graph.addDeviceToHostFIFO("sum", poplar.FLOAT, 4)
    steps.add(program.Copy(w.flatten().slice(5, 9), out))


@pytest.mark.parametrize("more", [also_plain, also_in_part])
def test_what_somebody_reads_plainly_stays(more: Callable[[Any, Any, Any], None]) -> None:
    it, array = Product(more=more), fixed(floats(*SHAPE))
    found = np.zeros(array.size if more is also_plain else 4, np.float32)
    it.engine.connectStream("sum", found)
    told = list[str]()
    assert it.engine.lendTensor("w", array, lambda: told.append("w"))
    it.run()
    it.run()
    assert it.engine.givenBackBytes() == 0 and not told
    flat = array.reshape(-1)
    same(found, 2 * flat if more is also_plain else flat[5:9])


def test_the_choice_keeps_originals() -> None:
    for without in ("unpacking", "packing"):
        it, array = Product(without), fixed(floats(*SHAPE))
        kept = weakref.ref(array)
        assert it.engine.lendTensor("w", array, lambda: pytest.fail("let go"))
        it.run()
        del array
        gc.collect()
        assert kept() is not None and it.engine.givenBackBytes() == 0


def test_an_error_of_who_is_told_comes_out_of_the_run() -> None:
    it = Product()

    def fails() -> None:
        raise KeyError("told")

    it.engine.lendTensor("w", fixed(floats(*SHAPE)), fails)
    with pytest.raises(KeyError, match="told"):
        it.run()
    expected = Product("unpacking")
    expected.engine.writeTensor("w", floats(*SHAPE))
    same(it.run(), expected.run())


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "shape", [[768, 768], [256, 1000], [64, 64], [100, 513], [513, 100], [2048, 64], [96, 3000]]
)
def test_products_of_all_shapes(shape: list[int], turned: bool, threads: str) -> None:
    it, other = (Product(without, shape, turned, threads=threads) for without in ("", "unpacking"))
    w = floats(*shape)
    for each in (it, other):
        assert each.engine.lendTensor("w", fixed(w))
    same(it.run(), other.run())
    bits = of_all_kinds(shape)
    assert it.engine.lendTensor("w", fixed(bits))
    it.run()
    same(it.read(), bits)
    assert (it.engine.givenBackBytes() > 0) == (", packed" in it.engine.planText())


# Of sessions.


def model(layers: dict[str, tuple[str, Array]], x: list[int], outputs: list[int]) -> bytes:
    """Layers one after another: MatMul or Conv, by the id of their weights."""
    info, nodes, id = helper.make_tensor_value_info, [], "x"
    for name, (kind, weights) in layers.items():
        side = weights.shape[-1]
        of_conv = (
            {"pads": [side // 2] * 4, "group": x[1] // weights.shape[1]} if kind == "Conv" else {}
        )
        nodes += [
            helper.make_node(kind, [id, name], [f"{name}:out"], **of_conv),
            helper.make_node("Relu", [f"{name}:out"], [f"{name}:relu"]),
        ]
        id = f"{name}:relu"
    nodes.append(helper.make_node("Identity", [id], ["y"]))
    graph = helper.make_graph(
        nodes,
        "graph",
        [info("x", TensorProto.FLOAT, x)],
        [info("y", TensorProto.FLOAT, outputs)],
        [numpy_helper.from_array(weights, name) for name, (_, weights) in layers.items()],
    )
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


WIDTH = 384
X = floats(ROWS, WIDTH)


@pytest.fixture(scope="module")
def layers() -> dict[str, tuple[str, Array]]:
    return {f"w{i}": ("MatMul", floats(WIDTH, WIDTH, seed=i) / 16) for i in range(3)}


@pytest.fixture(scope="module")
def products(layers: dict[str, tuple[str, Array]]) -> bytes:
    return model(layers, [ROWS, WIDTH], [ROWS, WIDTH])


def session(data: bytes | str, without: str = "") -> popir.InferenceSession:
    options = popir.SessionOptions(engineOptions={"host.without": without, "host.numThreads": "2"})
    made = popir.InferenceSession(data, popir.DataFlow(1, ["y"]), DEVICE, userOptions=options)
    made.prepareDevice()
    return made


def run(of: popir.InferenceSession, x: Array = X) -> Array:
    anchors = of.initAnchorArrays()
    of.run(popir.PyStepIO({"x": x}, anchors))
    return anchors["y"]


def left(of: popir.InferenceSession) -> int:
    return of._engine.givenBackBytes()


def read(of: popir.InferenceSession, like: dict[str, tuple[str, Array]]) -> dict[str, Array]:
    found = {id: np.empty_like(weights) for id, (_, weights) in like.items()}
    of.readWeights(popir.PyWeightsIO(found))
    return found


def test_a_session_lets_go_of_its_weights(
    products: bytes, layers: dict[str, tuple[str, Array]]
) -> None:
    it, other = session(products), session(products, "unpacking")
    kept = [weakref.ref(it._lent[id]) for id in layers]
    before = it.hostBytes()
    same(run(it), run(other))
    gc.collect()
    nbytes = sum(weights.nbytes for _, weights in layers.values())
    assert left(it) == nbytes and left(other) == 0
    assert it.hostBytes() == before - nbytes
    assert not any(each() for each in kept) and not it._lent
    found = read(it, layers)
    for id, (_, weights) in layers.items():
        same(found[id], weights)
        same(it.held_weights()[id], weights)
        data = it.graph.tensors[id].data
        assert data is not None
        same(data, weights)
        assert not data.flags.writeable
    assert left(it) == nbytes  # still
    same(run(it), run(other))


def test_everything_that_reads_weights_finds_them(
    products: bytes, layers: dict[str, tuple[str, Array]], tmp_path: Path
) -> None:
    it = session(products)
    y = run(it)
    it.modelToHost(tmp_path / "saved.onnx")
    same(run(session(str(tmp_path / "saved.onnx"))), y)
    it.saveExecutable(tmp_path / "executable")
    it.saveVariables(tmp_path / "variables")
    for name in ("executable", "variables"):
        again = popir.InferenceSession(
            model({id: (k, 0 * w) for id, (k, w) in layers.items()}, [ROWS, WIDTH], [ROWS, WIDTH]),
            popir.DataFlow(1, ["y"]),
            DEVICE,
            userOptions=popir.SessionOptions(
                engineOptions={"host.numThreads": "2", "host.without": ""}
            ),
        )
        again.loadExecutable(tmp_path / name)
        again.prepareDevice()
        same(run(again), y)
        for id, (_, weights) in layers.items():
            same(read(again, layers)[id], weights)
    it.weightsToHost()
    it.weightsFromHost()
    same(run(it), y)
    it.loadEngineAndConnectStreams()
    assert left(it) == 0
    same(run(it), y)
    assert left(it) > 0
    it.prepareDevice()
    assert left(it) == 0
    same(run(it), y)
    assert left(it) > 0
    for id, (_, weights) in layers.items():
        same(read(it, layers)[id], weights)


def test_weights_that_are_written_change_alone(
    products: bytes, layers: dict[str, tuple[str, Array]]
) -> None:
    it = session(products)
    y = run(it)
    new = floats(WIDTH, WIDTH, seed=9) / 16
    it.writeWeights(popir.PyWeightsIO({"w1": new}))
    same(run(it), y)  # the device has the old ones still
    it.weightsToHost()
    same(read(it, layers)["w1"], layers["w1"][1])
    it.writeWeights(popir.PyWeightsIO({"w1": new}))
    it.weightsFromHost()
    changed = model(layers | {"w1": ("MatMul", new)}, [ROWS, WIDTH], [ROWS, WIDTH])
    expected = run(session(changed, "unpacking"))
    same(run(it), expected)
    found = read(it, layers)
    for id, (_, weights) in layers.items():
        same(found[id], new if id == "w1" else weights)
    data = it.graph.tensors["w1"].data
    assert data is not None
    same(data, layers["w1"][1])  # the initial value
    it.resetHostWeights(products)
    it.weightsFromHost()
    same(run(it), y)


def test_sessions_of_one_model_do_not_share(products: bytes, tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(products)
    one, two = session(str(file)), session(str(file))
    y = run(one)
    new = floats(WIDTH, WIDTH, seed=5)
    one.writeWeights(popir.PyWeightsIO({"w0": new}))
    one.weightsFromHost()
    assert not np.array_equal(run(one), y)
    same(run(two), y)
    del one
    gc.collect()
    same(run(two), y)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_them(products: bytes, layers: dict[str, tuple[str, Array]]) -> None:
    it = session(products)
    y = run(it)
    child = os.fork()
    if child == 0:
        try:
            same(run(it), y)
            for id, weights in read(it, layers).items():
                same(weights, layers[id][1])
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    same(run(it), y)


def test_threads_read_while_others_run_and_write(
    products: bytes, layers: dict[str, tuple[str, Array]]
) -> None:
    it = session(products)
    new = {id: (kind, 2 * weights) for id, (kind, weights) in layers.items()}
    wrong: list[str] = []
    stop = threading.Event()

    def reads() -> None:
        while not stop.is_set():
            for id, weights in read(it, layers).items():
                bits = as_bytes(weights)
                if not any(np.array_equal(bits, as_bytes(w[id][1])) for w in (layers, new)):
                    wrong.append(id)
            data = it.graph.tensors["w0"].data
            if data is None or not np.array_equal(data, layers["w0"][1]):
                wrong.append("the initial value")

    readers = [threading.Thread(target=reads) for _ in range(2)]
    for each in readers:
        each.start()
    try:
        for i in range(12):
            run(it)
            values = (new, layers)[i % 2]
            it.writeWeights(popir.PyWeightsIO({id: w for id, (_, w) in values.items()}))
            it.weightsFromHost()
    finally:
        stop.set()
        for each in readers:
            each.join()
    assert not wrong


CONVOLUTIONS = {
    "points": ([2, 64, 14, 14], [96, 64, 1, 1]),
    "points of images": ([8, 64, 28, 28], [64, 64, 1, 1]),
    "plain": ([2, 32, 14, 14], [64, 32, 3, 3]),
    "of bytes": ([1, 3, 32, 32], [64, 3, 7, 7]),
    "depthwise": ([2, 64, 14, 14], [64, 1, 5, 5]),
    "in groups": ([2, 64, 14, 14], [64, 16, 3, 3]),
    "odd": ([2, 19, 9, 9], [21, 19, 3, 3]),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_of_all_kinds(name: str) -> None:
    x, shape = CONVOLUTIONS[name]
    if name == "of bytes":
        x = [1, 3, 32, 32]
    weights = {"w": ("Conv", floats(*shape) / 16)}
    data = model(weights, x, [x[0], shape[0], *x[2:]])
    it, other = session(data), session(data, "unpacking")
    given = floats(*x)
    same(run(it, given), run(other, given))
    same(read(it, weights)["w"], weights["w"][1])
    bits = {"w": ("Conv", of_all_kinds(shape))}
    strange = session(model(bits, x, [x[0], shape[0], *x[2:]]))
    run(strange, given)
    same(read(strange, bits)["w"], bits["w"][1])


MEMORY = """
import gc, sys
gc.disable()
from bench.memory import resident
from tests.poplar.test_originals import run, session
from tests.models import floats
it = session(sys.argv[1], sys.argv[2])
before = resident()
run(it, floats(64, 2048))
print(resident() - before, resident("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_after_the_first_run_is_that_of_the_packed_form(tmp_path: Path) -> None:
    """Packing 64 MiB: resident stay as many, and never two weights more than that."""
    weights = {f"w{i}": ("MatMul", np.full([2048, 2048], i, np.float32)) for i in range(4)}
    file = tmp_path / "model.onnx"
    file.write_bytes(model(weights, [64, 2048], [64, 2048]))
    found = {}
    for without in ("", "unpacking"):
        words = [sys.executable, "-c", MEMORY, str(file), without]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        found[without] = [float(each) for each in done.stdout.split()]
    assert found[""][0] < 16 and found[""][1] < 48
    assert found["unpacking"][0] > 56
