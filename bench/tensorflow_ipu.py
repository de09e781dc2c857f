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


def seconds(add, elements: int, length: int, rounds: int) -> float:
    """The least time of a step of a chain of operators on that many floats."""
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
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        session.run(step)
        best = min(best, time.perf_counter() - begin)
    return best


def own_time(library: str, elements: int, calls: int) -> float:
    """What the function itself takes, called from C++."""
    import ctypes

    own = ctypes.CDLL(library).own
    own.restype, own.argtypes = ctypes.c_double, [ctypes.c_uint32, ctypes.c_int]
    return min(own(elements, calls) for _ in range(5))


def memcpy_time(elements: int) -> float:
    """What a copy of that many floats takes."""
    a, b = np.ones(elements, np.float32), np.ones(elements, np.float32)
    best = float("inf")
    for _ in range(9):
        begin = time.perf_counter()
        np.copyto(b, a)
        best = min(best, time.perf_counter() - begin)
    return best


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        for level in (2, 5):
            library = build(Path(folder), level)

            def callback(builder, y, _, library=library):
                outs = {
                    "output_types": ["FLOAT"],
                    "output_shapes": [builder.getTensorShape(y)],
                }
                return cpu_user_operation([y], library, outs)[0]

            def product(builder, y, x, library=library):
                outs = {
                    "output_types": ["FLOAT"],
                    "output_shapes": [builder.getTensorShape(y)],
                }
                return precompiled_user_op([y, x], library, "", outs)[0]

            def built_in(builder, y, x):
                return builder.aiOnnx.mul([y, x])

            print(f"level {level}")
            one, many = (seconds(callback, SMALL, n, ROUNDS) for n in (1, CHAIN))
            each, own = (many - one) / (CHAIN - 1), own_time(library, SMALL, 1_000_000)
            print(
                f"  callback, {SMALL} floats: {each * 1e6:.3f} us, the function's own "
                f"{own * 1e6:.3f} us"
            )
            one, two = (seconds(callback, LARGE, n, 5) for n in (1, 2))
            own, copy = own_time(library, LARGE, 3), memcpy_time(LARGE)
            print(
                f"  callback, {LARGE >> 20} Mi floats: {(two - one) * 1e3:.2f} ms, its own "
                f"{own * 1e3:.2f} ms, a copy {copy * 1e3:.2f} ms"
            )
            rows = {"library": product, "built in": built_in}
            for name, add in rows.items():
                one, many = (seconds(add, SMALL, n, ROUNDS) for n in (1, CHAIN))
                print(f"  product, {name:8}: {(many - one) / (CHAIN - 1) * 1e9:.1f} ns")


if __name__ == "__main__":
    main()
