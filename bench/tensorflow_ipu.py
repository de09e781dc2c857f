"""What an operator for TensorFlow on the IPU costs in a run: a callback on the host, and a program
that a library builds.

    python -m bench.tensorflow_ipu

A callback is called in a chain of operators on 16 floats; what one more costs is compared with the
same function called from C++. With 16 million floats it is compared with the copies that its
interface demands: of the inputs before API level 5, which may be written, none from there on. A
program of a library is a product, compared with the built-in Mul.
"""

import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import popir
from popir.custom_ops import cpu_user_operation, precompiled_user_op

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "popir" / "bin" / "popir-config"
SMALL, LARGE = 16, 16 << 20
CHAIN, ROUNDS = 201, 300
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


def large(libraries: dict[int, str], turns: int) -> None:
    """Prints what calls on large arrays take, and what those of level 2 take more, in copies.

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
    of_2, of_5 = (best[f"{level}, 2"] - best[f"{level}, 1"] for level in libraries)
    print(f"callback, {LARGE >> 20} Mi floats: ", end="")
    print(f"level 5 {of_5 * 1e3:.1f} ms, level 2 {of_2 * 1e3:.1f} ms: ", end="")
    print(f"{(of_2 - of_5) / best['copy']:.2f} copies of {best['copy'] * 1e3:.1f} ms more")


def callback(library: str):
    """Adds the operator on the host."""

    def add(builder, y, _):
        outs = {"output_types": ["FLOAT"], "output_shapes": [builder.getTensorShape(y)]}
        return cpu_user_operation([y], library, outs)[0]

    return add


def main() -> None:
    """Measure and print."""
    libraries: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for level in (2, 5):
            library = libraries[level] = build(Path(folder), level)

            def product(builder, y, x, library=library):
                outs = {
                    "output_types": ["FLOAT"],
                    "output_shapes": [builder.getTensorShape(y)],
                }
                return precompiled_user_op([y, x], library, "", outs)[0]

            def built_in(builder, y, x):
                return builder.aiOnnx.mul([y, x])

            print(f"level {level}")
            one, many = (seconds(callback(library), SMALL, n, ROUNDS) for n in (1, CHAIN))
            each, own = (many - one) / (CHAIN - 1), own_time(library, SMALL, 1_000_000)
            print(
                f"  callback, {SMALL} floats: {each * 1e6:.3f} us, the function's own "
                f"{own * 1e6:.3f} us"
            )
            rows = {"library": product, "built in": built_in}
            for name, add in rows.items():
                one, many = (seconds(add, SMALL, n, ROUNDS) for n in (1, CHAIN))
                print(f"  product, {name:8}: {(many - one) / (CHAIN - 1) * 1e9:.1f} ns")
        large(libraries, 15)


if __name__ == "__main__":
    main()
