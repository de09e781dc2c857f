"""Forked children, of processes that have run sessions on several threads. Each case is a function
that a process of its own runs, since the tests' process has threads of others.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import poplar
from popir.cached import cached_property
from popir.data.prefetch import Prefetch
from popir.errors import popart_runtime_error, poplar_runtime_error
from tests.models import floats, step
from tests.toolchain import ROOT

LIMIT = 60
"""Seconds for a case; a hanging one never ends."""


class Net:
    """Products, a convolution, a reduction and element-wise operators, all large enough for two
    threads.
    """

    def __init__(self, threads: int = 2, batches: int = 1) -> None:
        builder = popir.Builder()
        self.x = builder.addInputTensor("FLOAT", [1, 8, 96, 96])
        op, weight = builder.aiOnnx, builder.addInitializedInputTensor
        y = op.conv([self.x, weight(floats(16, 8, 3, 3))], pads=[1, 1, 1, 1])
        y = op.matmul([op.tanh([y]), weight(floats(96, 96, seed=1))])
        self.y = op.reducesum([op.softmax([y])], axes=[1], keepdims=0)
        builder.addOutputTensor(self.y)
        options = popir.SessionOptions()
        options.engineOptions = {"host.numThreads": str(threads)}
        self.session = popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(batches, [self.y]),
            popir.DeviceManager().createCpuDevice(),
            userOptions=options,
        )
        self.session.prepareDevice()
        self.batches = batches

    def run(self, seed: int = 2) -> Any:
        shape = (*([self.batches] if self.batches > 1 else []), 1, 8, 96, 96)
        return step(self.session, {self.x: floats(*shape, seed=seed)})[self.y]


def child(work: Callable[[], None]) -> None:
    """Runs `work` in a forked child. AssertionError unless it ends well, in half of the limit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that there are other threads
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            sys.excepthook(*sys.exc_info()) if code else None  # type: ignore[arg-type]
            os._exit(code)
    end = time.monotonic() + LIMIT / 2
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            assert status == 0, f"the child ended with {os.waitstatus_to_exitcode(status)}"
            return
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError("the child hangs")


def after_a_run() -> None:
    """Old and new sessions run in the child, on two threads, and in the parent afterwards."""
    net = Net()
    want = net.run()

    def work() -> None:
        before = len(os.listdir("/proc/self/task"))
        np.testing.assert_array_equal(net.run(), want)
        assert len(os.listdir("/proc/self/task")) == before + 1
        np.testing.assert_array_equal(Net().run(), want)
        child(lambda: np.testing.assert_array_equal(net.run(), want))

    child(work)
    np.testing.assert_array_equal(net.run(), want)
    child(work)


def during_a_run() -> None:
    """What another thread was running is refused in the child, with words, until it is loaded."""
    net, other = Net(), Net(threads=1)
    want = net.run()
    inside, go = threading.Event(), threading.Event()

    def give(id: str, prefetch: bool) -> Any:
        inside.set()
        assert go.wait(LIMIT)
        return floats(1, 8, 96, 96, seed=2)

    result = np.empty_like(want)
    stepio = popir.PyStepIOCallback(give, lambda id: None, lambda id: result, lambda id: None)
    running = threading.Thread(target=net.session.run, args=(stepio,))
    running.start()
    assert inside.wait(LIMIT)

    def work() -> None:
        np.testing.assert_allclose(other.run(), want, rtol=1e-4)
        with pytest.raises(
            popart_runtime_error,
            match=r"^InferenceSession.run\(\) was called in a process that was forked while "
            r"another thread used the session, .* Call loadEngineAndConnectStreams\(\) first",
        ):
            net.run()
        net.session.loadEngineAndConnectStreams()
        np.testing.assert_array_equal(net.run(), want)

    child(work)
    go.set()
    running.join()
    np.testing.assert_array_equal(result, want)


def often_while_threads_run() -> None:
    """Children of a process whose threads run on two threads each, at any place of a run."""
    net, busy = Net(), [Net(batches=8), Net(batches=8)]
    want, stop = net.run(), threading.Event()

    def keep_running(each: Net) -> None:
        while not stop.is_set():
            each.run()

    threads = [threading.Thread(target=keep_running, args=(each,)) for each in busy]
    for thread in threads:
        thread.start()

    def work() -> None:
        np.testing.assert_array_equal(net.run(), want)
        for each in busy:
            each.session.loadEngineAndConnectStreams()
            np.testing.assert_array_equal(each.run()[0].shape, want.shape)

    try:
        for _ in range(6):
            child(work)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def of_an_engine() -> None:
    """An engine by itself refuses and can be loaded anew, too."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    t = graph.addVariable(poplar.FLOAT, [8], poplar.VariableMappingMethod.LINEAR)
    stream = graph.addHostToDeviceFIFO("in", poplar.FLOAT, 8)
    graph.createHostRead("t", t)
    engine = poplar.Engine(graph, poplar.program.Copy(stream, t))
    inside, go, seen = threading.Event(), threading.Event(), np.zeros(8, np.float32)

    def fill(buffer: Any) -> None:
        inside.set()
        assert go.wait(LIMIT)
        buffer[...] = 3

    engine.connectStreamToCallback("in", fill)
    running = threading.Thread(target=engine.run)
    running.start()
    assert inside.wait(LIMIT)

    def work() -> None:
        with pytest.raises(
            poplar_runtime_error,
            match=r"^Engine::readTensor: this process was forked while another thread used the "
            r"engine, .*; load it anew \(Engine::load\)$",
        ):
            engine.readTensor("t", seen)
        engine.load(poplar.Device.createCPUDevice())
        go.set()
        engine.run()
        engine.readTensor("t", seen)
        np.testing.assert_array_equal(seen, 3)

    child(work)
    go.set()
    running.join()


def during_a_cached_property() -> None:
    """A child does not wait for a value that another thread of its parent was computing."""
    parent = os.getpid()
    inside, go = threading.Event(), threading.Event()

    class Kept:
        @cached_property
        def value(self) -> int:
            if os.getpid() == parent:
                inside.set()
                assert go.wait(LIMIT)
            return os.getpid()

    kept, other = Kept(), Kept()
    computing = threading.Thread(target=lambda: kept.value)
    computing.start()
    assert inside.wait(LIMIT)

    def work() -> None:
        assert kept.value == other.value == os.getpid()

    child(work)
    go.set()
    computing.join()
    assert kept.value == parent


def of_data_read_ahead() -> None:
    """What a thread of the parent reads ahead is the parent's."""
    ahead = Prefetch(lambda: range(3), 2)

    def work() -> None:
        with pytest.raises(
            popart_runtime_error, match=r"^The thread that fetches data is gone: .* was forked"
        ):
            ahead.next()

    child(work)
    assert [ahead.next() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(StopIteration):
        ahead.next()


def often_while_threads_compile() -> None:
    """Children of a process whose threads make sessions, at any place of that, make their own."""
    net = Net()
    want, stop = net.run(), threading.Event()

    def keep_compiling() -> None:
        while not stop.is_set():
            Net()

    threads = [threading.Thread(target=keep_compiling) for _ in range(2)]
    for thread in threads:
        thread.start()

    def work() -> None:
        np.testing.assert_array_equal(net.run(), want)
        np.testing.assert_array_equal(Net().run(), want)

    try:
        for _ in range(12):
            child(work)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _loaded(seeds: Any, batches: Any) -> None:
    """Makes batches of data with a session, as a worker of a loader does."""
    net = Net()
    for seed in iter(seeds.get, None):
        batches.put((seed, net.run(seed)))


def of_loaders() -> None:
    """Workers of multiprocessing's three kinds make batches while the parent trains."""
    net = Net()
    want = [net.run(seed) for seed in range(4)]
    for kind in ("fork", "spawn", "forkserver"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context = multiprocessing.get_context(kind)
            seeds, batches = context.Queue(), context.Queue()
            count = 2 if kind == "fork" else 1
            workers = [context.Process(target=_loaded, args=(seeds, batches)) for _ in range(count)]
            for worker in workers:
                worker.start()
        for seed in [*range(4), *[None] * count]:
            seeds.put(seed)
        net.run()
        for _ in range(4):
            seed, batch = batches.get(timeout=LIMIT)
            np.testing.assert_array_equal(batch, want[seed])
        for worker in workers:
            worker.join(LIMIT)
            assert worker.exitcode == 0


@pytest.mark.timeout(3 * LIMIT)
@pytest.mark.parametrize(
    "case",
    [
        *(after_a_run, during_a_run, often_while_threads_run, during_a_cached_property),
        *(often_while_threads_compile, of_data_read_ahead, of_an_engine, of_loaders),
    ],
    ids=lambda case: case.__name__,
)
def test_children(case: Any, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    main.write_text(
        f"from tests.test_forks import {case.__name__}\n"
        f"if __name__ == '__main__':\n    {case.__name__}()\n"
    )
    done = subprocess.run(
        [sys.executable, main],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=2 * LIMIT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
