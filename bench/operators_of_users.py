"""What operators of users cost that grow their program into the graph, beside the built-in one.

    python -m bench.operators_of_users [--json FILE]

LeakyRelu by a PopART library in C++, by a class in Python, as an expression of TensorFlow for the
IPU, and built in, in chains on 16 floats and on 4 Mi. Processor time is measured, in turns: the
machine may have other load.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import popir
from bench.report import Report, measurement, quartiles
from popir import popops
from popir.custom_ops import codelet_expression_op
from popir.popops import expr as pe

SOURCE = Path(__file__).resolve().parents[1] / "models" / "leaky_relu" / "leaky_relu_custom_op.cpp"
SLOPE = 0.1
OPID = popir.OperatorIdentifier("bench", "Leaky", 1)
Add = Callable[[popir.Builder, str], str]


class LeakyOp(popir.Op):
    """LeakyRelu in Python."""

    def setup(self) -> None:
        """The output is like the input."""
        self.setOutInfo(0, self.inInfo(0))


class LeakyOpx(popir.Opx):
    """Its lowering."""

    def grow(self, prog: popir.poplar.program.Sequence) -> None:
        """Adds one map."""
        tree = pe.Select(pe._1, pe.Const(SLOPE) * pe._1, pe._1 > pe.Const(0.0))
        y = popops.map(self.graph(), tree, [self.getInTensor(0)], prog, self.debugContext())
        self.setOutTensor(0, y)


def made(add: Add, elements: int, length: int) -> Callable[[], float]:
    """A function that takes the seconds of one run of a chain."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    y = x = builder.addInputTensor("FLOAT", [elements])
    for _ in range(length):
        y = add(builder, y)
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    step = popir.PyStepIO({x: np.ones(elements, np.float32)}, session.initAnchorArrays())

    def run() -> float:
        begin = time.process_time()
        session.run(step)
        return time.process_time() - begin

    run()
    return run


def rows() -> dict[str, Add]:
    """The built-in operator first: the library takes its place."""
    popir.OpCreator(LeakyOp, OPID)
    popir.OpxCreator(LeakyOpx, OPID)
    return {
        "built in": lambda b, y: b.aiOnnx.leakyrelu([y], alpha=SLOPE),
        "Python": lambda b, y: b.customOp("Leaky", 1, "bench", [y])[0],
        "expression": lambda b, y: codelet_expression_op(
            lambda v: np.where(v > 0, v, SLOPE * v), y
        ),
        "PopART library": lambda b, y: b.aiOnnx.leakyrelu([y], alpha=SLOPE),
    }


@measurement()
def main(report: Report) -> None:
    """Measure and print."""
    report.table("operator", "floats", "us", "over the built-in one", "quartiles of turns")
    for elements, lengths, turns in ((16, (1, 201), 200), (4 << 20, (1, 3), 30)):
        runs: dict[str, list[Callable[[], float]]] = {}
        for name, add in rows().items():
            if name == "PopART library":
                popir.build_op_library(SOURCE)
            runs[name] = [made(add, elements, length) for length in lengths]
        found: dict[str, list[list[float]]] = {name: [] for name in runs}
        for _ in range(turns):
            for name, pair in runs.items():
                found[name].append([run() for run in pair])
        count = lengths[1] - lengths[0]
        each = {
            name: (min(b for _, b in t) - min(a for a, _ in t)) / count for name, t in found.items()
        }
        for name, took in filter(lambda item: report.wants(item[0]), each.items()):
            of_turns = [1e6 * (b - a) / count for a, b in found[name]]
            low, _, high = quartiles(of_turns)
            cells = (1e6 * took, took / each["built in"], f"{low:.3g} to {high:.3g} us")
            report.row(name, elements, *cells)


if __name__ == "__main__":
    main(sys.argv[1:])
