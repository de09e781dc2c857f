"""What a call costs beside its work: a 16-float operator, and LeakyRelu against memcpy."""

import ctypes
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from popir import poplar, popops
from popir.poplar import program
from popir.popops import expr as pe

SMALL, LARGE = 16, 16 << 20
CALLS, ROUNDS = 50_000, 21
ALPHA = 0.1


def leaky_relu(elements: int, threads: int) -> tuple[poplar.Engine, np.ndarray, np.ndarray]:
    """An engine that sends a stream through LeakyRelu into another, its input and its output."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    x = graph.addVariable(poplar.FLOAT, [elements], poplar.VariableMappingMethod.LINEAR, "x")
    source = graph.addHostToDeviceFIFO("x", poplar.FLOAT, elements)
    sink = graph.addDeviceToHostFIFO("y", poplar.FLOAT, elements)
    step = program.Sequence([program.Copy(source, x)])
    leaky = pe.Select(pe.Mul(pe.Const(ALPHA), pe._1), pe._1, pe.Lt(pe._1, pe.Const(0.0)))
    step.add(program.Copy(popops.map(graph, leaky, [x], step, "leaky"), sink))
    engine = poplar.Engine(graph, [step], {"host.numThreads": str(threads)})
    given = np.random.default_rng(0).normal(size=elements).astype(np.float32)
    result = np.zeros_like(given)
    engine.connectStream("x", given)
    engine.connectStream("y", result)
    engine.run()
    np.testing.assert_array_equal(result, np.where(given < 0, np.float32(ALPHA) * given, given))
    return engine, given, result


def seconds(call) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def memcpy(source: np.ndarray, target: np.ndarray, pool: ThreadPoolExecutor, threads: int):
    """A function that copies the bytes, in equal parts on `threads` threads."""
    copy = ctypes.CDLL(None).memcpy
    copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    part = source.nbytes // threads

    def run() -> None:
        def one(i: int) -> None:
            copy(target.ctypes.data + i * part, source.ctypes.data + i * part, part)

        list(pool.map(one, range(threads)))

    return run


def main() -> None:
    """Print both measurements."""
    engine, _, _ = leaky_relu(SMALL, 1)
    rounds = [seconds(lambda: [engine.run() for _ in range(CALLS // 10)]) for _ in range(10)]
    per_call = statistics.median(rounds) / (CALLS // 10) * 1e6
    print(f"{SMALL} floats: {per_call:.2f} us a call of Engine.run from Python")
    for threads in (1, 2):
        engine, given, result = leaky_relu(LARGE, threads)
        with ThreadPoolExecutor(threads) as pool:
            copy = memcpy(given, np.empty_like(result), pool, threads)
            copy()
            pairs = [(seconds(engine.run), seconds(copy)) for _ in range(ROUNDS)]
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        best = min(ours for ours, _ in pairs) / min(theirs for _, theirs in pairs)
        print(
            f"LeakyRelu, {LARGE >> 20} Mi floats, {threads} threads: {ratio:.2f} of memcpy "
            f"(median of {ROUNDS} rounds in turns; of the fastest: {best:.2f})"
        )
