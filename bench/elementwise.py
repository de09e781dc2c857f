"""Element-wise functions against onnxruntime and memcpy, float32, data in place on both sides.

    python -m bench.elementwise                     every row
    python -m bench.elementwise Relu                rows whose names have one of these words
    python -m bench.elementwise --realtime          at real-time priority (as root)
    python -m bench.elementwise --json FILE         the figures as JSON too

Each has a process and two threads of its own, and they take turns: in one process threads that spin
while they wait would take a core from the other. Memcpy copies as many bytes as the function reads
and writes; a share of its speed is shown for the largest size, where the C library stores past the
caches.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

from bench import limits, peers
from bench.report import Report, measurement
from popir import poplar, popops
from popir.poplar import program
from popir.popops import expr as pe

THREADS = peers.THREADS
SIZES = (1 << 10, 1 << 20, 1 << 26)
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


def runs_of(n: int) -> int:
    """How many runs are timed together."""
    return max(1, (1 << 16) // n)


def start(peer: str, name: str, folder: Path) -> Callable[[], None]:
    """Some runs of the row's function; its first result is written to the folder."""
    operator, _, size = name.partition(" of ")
    n = int(size)
    x = np.resize(np.random.default_rng(0).standard_normal(1 << 16, np.float32), n)
    y = np.zeros_like(x)
    if peer == "memcpy":
        run = limits.copier(x, y, ThreadPoolExecutor(THREADS), THREADS)
    elif peer == "popir":
        run = of_popir(FUNCTIONS[operator], x, y)
    else:
        run = of_onnxruntime(operator, x, y)
    run()
    np.save(folder / f"{peer}.npy", y[: 1 << 16])

    def once() -> None:
        for _ in range(runs_of(n)):
            run()

    return once


@measurement(realtime=True)
def main(report: Report) -> None:
    """Print a line for each function and size."""
    report.table("function", *peers.Result.columns("onnxruntime", "us")[:-1], "% of memcpy")
    for operator in FUNCTIONS:
        for n in SIZES:
            if report.wants(name := f"{operator} of {n}"):
                names = ["popir", "onnxruntime", *["memcpy"] * (n == max(SIZES))]
                with tempfile.TemporaryDirectory() as made:
                    folder = Path(made)
                    turns = peers.turns("elementwise", names, name, folder, report.realtime)
                    y, z = (np.load(folder / f"{peer}.npy") for peer in names[:2])
                np.testing.assert_allclose(y, z, 1e-5, 1e-6)
                each = [
                    [seconds / runs_of(n) for seconds in times]
                    for times in zip(*turns, strict=True)
                ]
                shares = [c / a for a, *_, c in zip(*each, strict=True)] if len(each) > 2 else []
                share = 100 * statistics.median(shares) if shares else None
                report.row(name, *peers.Result.of(*each[:2]).cells("us")[:-1], share)


if __name__ == "__main__":
    main(sys.argv[1:])
