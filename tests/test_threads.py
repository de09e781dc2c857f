"""Sessions, engines and libraries that several threads use; and what callbacks may not call."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import popir
from popir import poplar
from popir.errors import popart_runtime_error, poplar_runtime_error
from tests.models import floats, training_session

pytestmark = pytest.mark.timeout(60)

THREADS = 4
SIDE = 48


@pytest.fixture(autouse=True)
def _switch_often() -> Generator[None]:
    """Threads take turns at every occasion."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """What `work(number)` returns in each of the threads, which begin at one time."""
    begin = threading.Barrier(count)

    def begun(number: int) -> Any:
        begin.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begun, range(count)))


class Layers:
    """y = relu(relu(x u) v)"""

    def __init__(self, seed: int = 0, threads: int = 2) -> None:
        builder = popir.Builder()
        self.x = builder.addInputTensor("FLOAT", [SIDE, SIDE])
        self.weights = [floats(SIDE, SIDE, seed=seed + i) for i in range(2)]
        self.y = self.x
        for weight in self.weights:
            w = builder.addInitializedInputTensor(weight)
            self.y = builder.aiOnnx.relu([builder.aiOnnx.matmul([self.y, w])])
        builder.addOutputTensor(self.y)
        options = popir.SessionOptions()
        options.engineOptions = {"host.numThreads": str(threads)}
        self.session = popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(1, [self.y]),
            popir.DeviceManager().createCpuDevice(),
            userOptions=options,
        )
        self.session.prepareDevice()

    def want(self, x: Any) -> Any:
        for weight in self.weights:
            x = np.maximum(x @ weight, 0)
        return x


class Yielding(dict[str, Any]):
    """Arrays by name; other threads run while one is looked up."""

    def __getitem__(self, name: str) -> Any:
        time.sleep(1e-4)
        return super().__getitem__(name)


def test_threads_share_a_session_and_each_gets_its_own_results() -> None:
    layers = Layers()

    def work(number: int) -> None:
        x = floats(SIDE, SIDE, seed=10 + number)
        want = layers.want(x)
        for _ in range(60):
            y = np.full((SIDE, SIDE), np.nan, np.float32)
            arrays = Yielding({layers.x: x.copy()}), Yielding({layers.y: y})
            layers.session.run(popir.PyStepIO(*arrays))
            np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)

    together(work)


def test_threads_share_a_session_by_callbacks() -> None:
    layers = Layers()

    def work(number: int) -> None:
        x = floats(SIDE, SIDE, seed=10 + number)
        want = layers.want(x)
        for _ in range(20):
            y = np.full((SIDE, SIDE), np.nan, np.float32)
            stepio = popir.PyStepIOCallback(
                lambda id, prefetch: x, lambda id: None, lambda id, y=y: y, lambda id: None
            )
            layers.session.run(stepio)
            np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)

    together(work)


class Twins:
    """Two weights that each step changes alike."""

    size = 1 << 16

    def __init__(self) -> None:
        builder = popir.Builder()
        self.x = builder.addInputTensor("FLOAT", [self.size])
        self.input = floats(self.size, seed=5)
        self.weights = [builder.addInitializedInputTensor(floats(self.size)) for _ in range(2)]
        products = [builder.aiOnnx.mul([self.x, w]) for w in self.weights]
        self.loss = builder.aiGraphcore.l1loss([builder.aiOnnx.add(products)], 1.0)
        builder.addOutputTensor(self.loss)
        self.session = training_session(builder.getModelProto(), self.loss, [self.loss])

    def step(self) -> None:
        stepio = popir.PyStepIO({self.x: self.input}, self.session.initAnchorArrays())
        self.session.run(stepio)

    def read(self) -> list[Any]:
        values = [np.empty(self.size, np.float32) for _ in self.weights]
        self.session.readWeights(popir.PyWeightsIO(dict(zip(self.weights, values, strict=True))))
        return values


def test_steps_of_all_threads_count() -> None:
    one, many = Twins(), Twins()
    for _ in range(THREADS * 50):
        one.step()
    together(lambda number: [many.step() for _ in range(50)])
    for each in (one, many):
        each.session.weightsToHost()
    np.testing.assert_array_equal(one.read(), many.read())


def test_weights_that_are_read_while_a_thread_trains_are_those_of_one_step(tmp_path: Path) -> None:
    twins = Twins()
    file = tmp_path / "m.onnx"

    def work(number: int) -> None:
        if number < 2:
            for _ in range(200):
                twins.step()
            return
        for _ in range(20):
            twins.session.weightsToHost()
            if number == 2:
                u, v = twins.read()
            else:
                twins.session.modelToHost(file)
                u, v = map(onnx.numpy_helper.to_array, onnx.load(file).graph.initializer[:2])
            np.testing.assert_array_equal(u, v)

    together(work)


def test_sessions_are_made_and_dropped_in_many_threads() -> None:
    def work(number: int) -> None:
        for seed in range(3):
            layers = Layers(seed=10 * number + seed, threads=1)
            layers.session.cycle = layers  # type: ignore[attr-defined]
            x, y = floats(SIDE, SIDE), np.empty((SIDE, SIDE), np.float32)
            layers.session.run(popir.PyStepIO({layers.x: x}, {layers.y: y}))
            np.testing.assert_allclose(y, layers.want(x), rtol=1e-4, atol=1e-4)
            del layers
            gc.collect()  # also what other threads have dropped

    together(work)


# Callbacks.


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("run", lambda s: s.run(None)),
        ("weightsToHost", lambda s: s.weightsToHost()),
        ("modelToHost", lambda s: s.modelToHost("never.onnx")),
        ("prepareDevice", lambda s: s.prepareDevice()),
        ("getReport", lambda s: s.getReport()),
        ("setRandomSeed", lambda s: s.setRandomSeed(1)),
    ],
)
def test_a_callback_must_not_call_its_own_session(name: str, call: Any) -> None:
    layers = Layers()
    x, y = floats(SIDE, SIDE), np.empty((SIDE, SIDE), np.float32)

    def give(id: str, prefetch: bool) -> Any:
        call(layers.session)
        return x

    stepio = popir.PyStepIOCallback(give, lambda id: None, lambda id: y, lambda id: None)
    with pytest.raises(
        popart_runtime_error,
        match=rf"^InferenceSession\.{name}\(\) was called by a callback of a step of the same "
        r"session\. Call it when run\(\) has returned, or let the callback use another session\.$",
    ):
        layers.session.run(stepio)
    layers.session.run(popir.PyStepIO({layers.x: x}, {layers.y: y}))
    np.testing.assert_allclose(y, layers.want(x), rtol=1e-4, atol=1e-4)


def test_a_callback_may_use_another_session() -> None:
    outer, inner = Layers(), Layers(seed=7)
    x, between, y = (floats(SIDE, SIDE, seed=i) for i in range(3))

    def give(id: str, prefetch: bool) -> Any:
        inner.session.run(popir.PyStepIO({inner.x: x}, {inner.y: between}))
        return between

    stepio = popir.PyStepIOCallback(give, lambda id: None, lambda id: y, lambda id: None)
    outer.session.run(stepio)
    np.testing.assert_allclose(y, outer.want(inner.want(x)), rtol=1e-4, atol=1e-3)


# Engines, which sessions run.


def streaming() -> Any:
    """An engine that copies stream "in" to stream "out" by way of the tensor "t"."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    t = graph.addVariable(poplar.FLOAT, [8], poplar.VariableMappingMethod.LINEAR)
    read = graph.addHostToDeviceFIFO("in", poplar.FLOAT, 8)
    written = graph.addDeviceToHostFIFO("out", poplar.FLOAT, 8)
    graph.createHostRead("t", t)
    copy = poplar.program.Copy
    return poplar.Engine(graph, poplar.program.Sequence([copy(read, t), copy(t, written)]))


def test_engines_run_side_by_side() -> None:
    both = threading.Barrier(2, timeout=30)

    def work(number: int) -> Any:
        engine, got = streaming(), []

        def fill(buffer: Any) -> None:
            both.wait()  # returns only while the other engine is in its run too
            buffer[...] = number

        engine.connectStreamToCallback("in", fill)
        engine.connectStreamToCallback("out", lambda buffer: got.extend(buffer))
        engine.run()
        return got

    assert together(work, 2) == [[0] * 8, [1] * 8]


def test_calls_of_other_threads_wait_for_the_end_of_a_run() -> None:
    engine, inside, go = streaming(), threading.Event(), threading.Event()

    def fill(buffer: Any) -> None:
        inside.set()
        assert go.wait(30)
        buffer[...] = 3

    engine.connectStreamToCallback("in", fill)
    engine.connectStreamToCallback("out", lambda buffer: None)
    seen = np.zeros(8, np.float32)
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(engine.run)
        assert inside.wait(30)
        reading = pool.submit(engine.readTensor, "t", seen)
        with pytest.raises(TimeoutError):
            reading.result(0.1)
        go.set()
        running.result()
        reading.result()
    np.testing.assert_array_equal(seen, 3)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("run", lambda e: e.run()),
        ("readTensor", lambda e: e.readTensor("t", np.zeros(8, np.float32))),
        ("connectStream", lambda e: e.connectStream("in", np.zeros(8, np.float32))),
        ("load", lambda e: e.load(poplar.Device.createCPUDevice())),
        ("machineReport", lambda e: e.machineReport()),
    ],
)
def test_a_callback_must_not_call_its_own_engine(name: str, call: Any) -> None:
    engine = streaming()
    engine.connectStreamToCallback("in", lambda buffer: call(engine))
    engine.connectStreamToCallback("out", lambda buffer: None)
    with pytest.raises(
        poplar_runtime_error,
        match=rf"^Engine(::|\.){name}: called from a callback of this engine's own run; do it when "
        "the run has ended$",
    ):
        engine.run()
    engine.connectStreamToCallback("in", lambda buffer: buffer.fill(2))
    engine.run()
