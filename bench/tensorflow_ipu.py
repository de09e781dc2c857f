"""What an operator for TensorFlow on the IPU costs in a run: a callback on the host, and a program
that a library builds.

    python -m bench.tensorflow_ipu [--json FILE]

A callback is called in a chain of operators on 16 floats; what one more costs is compared with the
same function called from C++. With 16 million floats it is compared with the copies that its
interface demands: of the inputs before API level 5, which may be written, none from there on. A
program of a library is a product, compared with the built-in Mul.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import popir
from bench.report import Report, measurement
from popir.custom_ops import cpu_user_operation, precompiled_user_op

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "popir" / "bin" / "popir-config"
SMALL, LARGE = 16, 16 << 20
CHAIN, ROUNDS, TURNS = 201, 300, 3
SOURCE = r"""
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWise.hpp>

extern "C" {
std::int32_t custom_op_api_level = LEVEL;
void Callback(const std::vector<void*>& data, const std::vector<std::uint32_t>& counts,
              std::vector<void*>& outputs, const std::string&, const std::string&) {
  const auto* x = static_cast<const float*>(data[0]);
  auto* y = static_cast<float*>(outputs[0]);
  for (std::uint32_t i = 0; i < counts[0]; ++i) y[i] = x[i] + 1;
}
double own(std::uint32_t count, int calls) {
  std::vector<float> x(count), y(count);
  const std::vector<void*> data = {x.data()};
  std::vector<void*> outputs = {y.data()};
  const std::vector<std::uint32_t> counts = {count};
  Callback(data, counts, outputs, "", "");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) Callback(data, counts, outputs, "", "");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return took.count() / calls;
}
}
extern "C" poplar::program::Program Build(poplar::Graph& graph,
    const std::vector<poplar::Tensor>& inputs, std::vector<poplar::Tensor>& outputs,
    const std::string&, const std::string& name) {
  poplar::program::Sequence prog;
  outputs.push_back(popops::mul(graph, inputs[0], inputs[1], prog, name));
  return prog;
}
"""


def build(folder: Path, level: int) -> str:
    """The library for an API level."""
    flags = subprocess.run(
        [CONFIG, "--cflags", "--libs"], check=True, capture_output=True, text=True
    ).stdout.split()
    source, library = folder / f"ops{level}.cpp", folder / f"libops{level}.so"
    source.write_text(SOURCE)
    command = ["g++", "-std=c++17", "-O3", "-fPIC", "-shared", f"-DLEVEL={level}", source]
    subprocess.run([*command, *flags, "-o", library], check=True)
    return str(library)


def runner(add, elements: int, length: int, clock=time.perf_counter):
    """A function that takes the time of a step of a chain of operators on that many floats."""
    builder = popir.Builder()
    y = x = builder.addInputTensor("FLOAT", [elements])
    for _ in range(length):
        y = add(builder, y, x)
    builder.addOutputTensor(y)
    session = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [y]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    step = popir.PyStepIO({x: np.ones(elements, np.float32)}, anchors)
    session.run(step)

    def run() -> float:
        begin = clock()
        session.run(step)
        return clock() - begin

    return run


def seconds(add, elements: int, length: int, rounds: int) -> float:
    """The least time of a step."""
    run = runner(add, elements, length)
    return min(run() for _ in range(rounds))


def own_time(library: str, elements: int, calls: int) -> float:
    """What the function itself takes, called from C++."""
    import ctypes

    own = ctypes.CDLL(library).own
    own.restype, own.argtypes = ctypes.c_double, [ctypes.c_uint32, ctypes.c_int]
    return min(own(elements, calls) for _ in range(5))


def large(libraries: dict[int, str], turns: int) -> dict[str, float]:
    """Seconds of a copy of a large array, and of calls by level.

    Processor time is measured, in turns: the machine may have other load.
    """
    a, b = np.ones(LARGE, np.float32), np.ones(LARGE, np.float32)

    def copy() -> float:
        begin = time.process_time()
        np.copyto(b, a)
        return time.process_time() - begin

    runs = {"copy": copy}
    for level, library in libraries.items():
        for length in (1, 2):
            runs[f"{level}, {length}"] = runner(callback(library), LARGE, length, time.process_time)
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(turns):
        for name, run in runs.items():
            taken[name].append(run())
    best = {name: min(each) for name, each in taken.items()}
    calls = {f"level {n}": best[f"{n}, 2"] - best[f"{n}, 1"] for n in libraries}
    return {"copy": best["copy"], **calls}


def callback(library: str):
    """Adds the operator on the host."""

    def add(builder, y, _):
        outs = {"output_types": ["FLOAT"], "output_shapes": [builder.getTensorShape(y)]}
        return cpu_user_operation([y], library, outs)[0]

    return add


def product(library: str):
    """Adds the operator that a library builds."""

    def add(builder, y, x):
        outs = {"output_types": ["FLOAT"], "output_shapes": [builder.getTensorShape(y)]}
        return precompiled_user_op([y, x], library, "", outs)[0]

    return add


def built_in(builder, y, x):
    """Adds the operator that popir has."""
    return builder.aiOnnx.mul([y, x])


def each_of(add) -> list[float]:
    """Microseconds of one operator of a chain, in each turn."""

    def turn() -> float:
        one, many = (seconds(add, SMALL, n, ROUNDS // TURNS) for n in (1, CHAIN))
        return (many - one) / (CHAIN - 1) * 1e6

    return [turn() for _ in range(TURNS)]


@measurement(words=False)
def main(report: Report) -> None:
    """Measure and print."""
    libraries: dict[int, str] = {}
    report.table(f"{SMALL} floats", "us", "least turn", "most", "the function's own us")
    with tempfile.TemporaryDirectory() as folder:
        for level in (2, 5):
            library = libraries[level] = build(Path(folder), level)
            rows = {"callback": callback(library), "product of a library": product(library)}
            for name, add in (rows | {"product, built in": built_in}).items():
                of = 1e6 * own_time(library, SMALL, 1_000_000) if name == "callback" else None
                found = each_of(add)
                cells = (statistics.median(found), min(found), max(found))
                report.row(f"level {level}, {name}", *cells, of)
        taken = large(libraries, 15)
        report.table(f"{LARGE >> 20} Mi floats", "ms", "in copies")
        for name, each in taken.items():
            report.row(name, 1e3 * each, each / taken["copy"])


if __name__ == "__main__":
    main(sys.argv[1:])
