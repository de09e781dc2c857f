"""Element-wise functions against onnxruntime and memcpy, float32, data in place on both sides.

    python -m bench.elementwise                     every row
    python -m bench.elementwise Relu                rows whose names have one of these words
    python -m bench.elementwise --realtime          at real-time priority (as root)
    python -m bench.elementwise --json FILE         the figures as JSON too

All three take turns in one process. Memcpy copies as many bytes as the function reads and writes; a
share of its speed is shown for the largest size, where the C library stores past the caches.
"""

import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

from bench import limits, peers
from bench.report import Report, measurement
from popir import poplar, popops
from popir.poplar import program
from popir.popops import expr as pe

THREADS, ROUNDS = peers.THREADS, 25
SIZES = (1 << 10, 1 << 16, 1 << 20, 1 << 26)
FUNCTIONS = {
    "Relu": pe.Relu(pe._1),
    "LeakyRelu": pe.Select(0.01 * pe._1, pe._1, pe._1 < 0.0),
    "Exp": pe.Exp(pe._1),
    "Tanh": pe.Tanh(pe._1),
    "Sigmoid": pe.Sigmoid(pe._1),
    "Erf": pe.Erf(pe._1),
    "Gelu": pe.GeluErf(pe._1),
}


def of_popir(expr, x: np.ndarray, y: np.ndarray):
    """A function that writes the expression over `x` to `y`."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    t = graph.addVariable(poplar.FLOAT, [x.size], poplar.VariableMappingMethod.LINEAR)
    source = graph.addHostToDeviceFIFO("x", poplar.FLOAT, x.size)
    sink = graph.addDeviceToHostFIFO("y", poplar.FLOAT, x.size)
    step = program.Sequence([program.Copy(source, t)])
    step.add(program.Copy(popops.map(graph, expr, [t], step), sink))
    engine = poplar.Engine(graph, [step], {"host.numThreads": str(THREADS)})
    engine.connectStream("x", x)
    engine.connectStream("y", y)
    return engine.run


def of_onnxruntime(operator: str, x: np.ndarray, y: np.ndarray):
    """The same by an ONNX operator."""
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [x.size]) for n in ("x", "y")]
    node = helper.make_node(operator, ["x"], ["y"])
    graph = helper.make_graph([node], "g", infos[:1], infos[1:])
    opsets = [helper.make_opsetid("", 20)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    options = ort.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(x))
    binding.bind_ortvalue_output("y", ort.OrtValue.ortvalue_from_numpy(y))
    return lambda: session.run_with_iobinding(binding)


def seconds(call, calls: int) -> float:
    """How long one call takes, of `calls` in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def measure(operator: str, n: int, pool: ThreadPoolExecutor) -> tuple[peers.Result, float | None]:
    """The times of popir and of onnxruntime, and those of memcpy over popir's."""
    x = np.resize(np.random.default_rng(0).standard_normal(1 << 16, np.float32), n)
    y, z = np.zeros_like(x), np.zeros_like(x)
    runs = [of_popir(FUNCTIONS[operator], x, y), of_onnxruntime(operator, x, z)]
    if n == max(SIZES):
        runs.append(limits.copier(x, np.ones_like(x), pool, THREADS))
    calls = max(1, (1 << 20) // n)
    for run in runs:
        run()
    np.testing.assert_allclose(y, z, 1e-5, 1e-6)
    turns = [[seconds(run, calls) for run in runs] for _ in range(ROUNDS)]
    ours, theirs, *copies = zip(*turns, strict=True)
    share = (
        statistics.median(c / a for a, c in zip(ours, copies[0], strict=True)) if copies else None
    )
    return peers.Result.of(ours, theirs), share


@measurement(realtime=True)
def main(report: Report) -> None:
    """Print a line for each function and size."""
    report.table("function", *peers.Result.columns("onnxruntime", "us")[:-1], "% of memcpy")
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(time.sleep, [0.01] * THREADS))  # its threads are there
        for operator in FUNCTIONS:
            for n in SIZES:
                if report.wants(name := f"{operator} of {n}"):
                    peers.set_priority(report.realtime)
                    found, share = measure(operator, n, pool)
                    peers.set_priority(False)
                    report.row(name, *found.cells("us")[:-1], share and 100 * share)


if __name__ == "__main__":
    main(sys.argv[1:])
