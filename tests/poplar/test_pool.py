"""The threads that run kernels: how they share work, wait, and survive forks and refusals."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from popir import poplar, poplin, popops
from popir.errors import poplar_invalid_option
from popir.poplar import program
from tests.toolchain import CACHED_CXX, PACKAGE, ROOT, run

PROGRAM = ROOT / "tests" / "poplar" / "programs" / "pool.cpp"
SIZE = 192


def test_the_pool_by_itself(tmp_path: Path) -> None:
    """Tasks run once, exceptions, forks, callers side by side: the program says what is wrong."""
    cpp, pool = ROOT / "cpp", tmp_path / "pool"
    for source in (PROGRAM, cpp / "kernels" / "pool.cpp"):
        compiled = tmp_path / f"{source.parent.name}.o"
        options = ["-std=c++17", "-O1", "-I", cpp, "-I", cpp / "include"]
        run(*CACHED_CXX, *options, "-c", source, "-o", compiled, cwd=ROOT)
    libraries = [PACKAGE / "lib" / "libpopir.so", f"-Wl,-rpath,{PACKAGE / 'lib'}", "-pthread"]
    run(*CACHED_CXX[-1:], *tmp_path.glob("*.o"), "-o", pool, *libraries, cwd=ROOT)
    assert run(pool, cwd=tmp_path) == "0 wrong\n"


def engine(**options: str) -> tuple[poplar.Engine, np.ndarray]:
    """An engine whose program has steps of several kinds, each of work for many threads; what it
    reads. A stream gives its input, so that every run computes.
    """
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    linear = poplar.VariableMappingMethod.LINEAR
    shape = [SIZE, SIZE]
    rng = np.random.default_rng(1)
    tensors = [graph.addVariable(poplar.FLOAT, shape, linear) for _ in range(2)]
    values = [rng.standard_normal(shape).astype(np.float32) for _ in tensors]
    graph.setInitialValue(tensors[1], values[1])
    stream = graph.addHostToDeviceFIFO("x", poplar.FLOAT, SIZE * SIZE)
    sequence = program.Sequence()
    sequence.add(program.Copy(stream, tensors[0]))
    product = poplin.matMul(graph, tensors[0], tensors[1], sequence)
    result = popops.tanh(graph, popops.add(graph, product, tensors[0], sequence), sequence)
    graph.createHostRead("result", result)
    made = poplar.Engine(graph, sequence, options)
    made.load(poplar.Device.createCPUDevice())
    made.connectStream("x", values[0])
    return made, np.empty(shape, np.float32)


def test_the_same_bits_whoever_does_the_work() -> None:
    """Engines on more threads than there are cores, several at a time: who takes which task differs
    from run to run.
    """

    def results(_: int) -> set[bytes]:
        made, result = engine(**{"host.numThreads": "7"})
        found = set()
        for _ in range(20):
            made.run()
            made.readTensor("result", result)
            found.add(result.tobytes())
        return found

    with ThreadPoolExecutor(3) as threads:
        assert len(set().union(*threads.map(results, range(3)))) == 1


def sleeps() -> int:
    """How often the workers of this process have gone to sleep, all together."""
    found = 0
    for task in Path("/proc/self/task").iterdir():
        if (task / "comm").read_text() == "popir worker\n":
            status = (task / "status").read_text()
            found += int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])
    return found


def sleeps_of_runs(adapts: str) -> tuple[list[int], set[bytes]]:
    """How often workers go to sleep in eight runs, and in the next two; the results of both."""
    options = {"host.numThreads": "2", "host.spinMicroseconds": "0", "host.adaptThreads": adapts}
    made, result = engine(**options)
    counts, results = [0], set[bytes]()
    for runs in (8, 2):
        for _ in range(runs):
            made.run()
        time.sleep(0.05)
        counts.append(sleeps())
        made.readTensor("result", result)
        results.add(result.tobytes())
    return np.diff(counts).tolist(), results


@pytest.mark.parametrize("adapts", ["true", "false"])
def test_short_programs_try_one_thread(adapts: str) -> None:
    """After eight runs the next two are on the caller's thread: no worker wakes up for them. In a
    process of its own, which has no workers of other tests.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        (first, tried), results = process.submit(sleeps_of_runs, adapts).result()
    assert first > 0 and len(results) == 1
    assert (tried == 0) == (adapts == "true")


def seconds_of_idle_threads(spin: str, after: float = 0.1) -> float:
    """Processor time in the seconds after a run."""
    made, _ = engine(**{"host.numThreads": "2", "host.spinMicroseconds": spin})
    made.run()
    before = time.process_time()
    time.sleep(after)
    return time.process_time() - before


def test_idle_threads_spin_as_long_as_said_and_sleep_then() -> None:
    assert min(seconds_of_idle_threads("0") for _ in range(3)) < 0.01
    assert min(seconds_of_idle_threads("200") for _ in range(3)) < 0.01
    assert max(seconds_of_idle_threads("1000000", 0.4) for _ in range(3)) > 0.03


@pytest.mark.parametrize("given", ["-1", "1000001", "long", ""])
def test_a_time_that_is_none(given: str) -> None:
    with pytest.raises(
        poplar_invalid_option,
        match=f"^Engine: host.spinMicroseconds is '{given}', expected a number from 0 to 1000000",
    ):
        engine(**{"host.spinMicroseconds": given})
