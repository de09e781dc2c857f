"""Element-wise functions against onnxruntime, float32, data in place on both sides."""

import time

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

from popir import poplar, popops
from popir.poplar import program
from popir.popops import expr as pe

THREADS, ROUNDS = 2, 25
SIZES = (1 << 10, 1 << 16, 1 << 20, 1 << 24)
FUNCTIONS = {
    "Relu": pe.Relu(pe._1),
    "LeakyRelu": pe.Select(0.01 * pe._1, pe._1, pe._1 < 0.0),
    "Exp": pe.Exp(pe._1),
    "Tanh": pe.Tanh(pe._1),
    "Sigmoid": pe.Sigmoid(pe._1),
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


def main() -> None:
    """Print a line for each function: our speed as a multiple of onnxruntime's, by size."""
    print(f"{THREADS} threads; speed relative to onnxruntime, fastest of {ROUNDS} rounds in turns")
    for operator, expr in FUNCTIONS.items():
        line = []
        for n in SIZES:
            x = np.random.default_rng(0).normal(size=n).astype(np.float32)
            y, z = np.zeros_like(x), np.zeros_like(x)
            ours, theirs = of_popir(expr, x, y), of_onnxruntime(operator, x, z)
            calls = max(1, (1 << 20) // n)
            pairs = [(seconds(ours, calls), seconds(theirs, calls)) for _ in range(ROUNDS)]
            ratio = min(b for _, b in pairs) / min(a for a, _ in pairs)
            line.append(f"{n}: {ratio:.2f}")
        print(f"  {operator:10s} {'   '.join(line)}")
