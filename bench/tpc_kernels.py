"""TPC kernels in a compiled program: what a call costs besides the kernel.

    python -m bench.tpc_kernels [--json FILE]

A chain of 500 kernels of 64 elements is run as one program; the same kernel is called as often by a
loop in C++. A kernel of 4 Mi elements is compared with memcpy of its input, and with the same
kernel on one thread.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench.report import Report, measurement

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "models" / "softsign_hpu"
LENGTH, ROUNDS, TURNS = 500, 200, 3
LOOP = r"""
#include <dlfcn.h>
#include <chrono>
#include <cstdio>
#include <vector>
#include <tpc/abi.hpp>
int main(int, char** words) {
  auto run = (popir_tpc_run_function)dlsym(dlopen(words[1], RTLD_NOW), "popir_tpc_run");
  std::vector<float> x(64, 1), y(64);
  popir_tpc_tensor tensors[2]{};
  for (auto& t : tensors) t = {nullptr, 1, 4, {64, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 0};
  tensors[0].data = (unsigned char*)x.data();
  tensors[1].data = (unsigned char*)y.data();
  popir_tpc_call call{tensors, 2, 0, nullptr, {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}};
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100000; ++i) run(&call);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (took.count() < best) best = took.count();
  }
  std::printf("%.9f\n", best / 100000);
}
"""


def build(folder: Path) -> float:
    """Builds the library into GC_KERNEL_PATH; returns the seconds of the small kernel alone."""
    from popir import custom_ops
    from popir.foreign.habana.tpcc import include

    sources = [MODEL / name for name in ("softsign_f32.c", "softsign_grad_f32.c", "glue.cpp")]
    library = custom_ops.build_kernel_library(sources, "softsign_kernels").library
    os.environ["GC_KERNEL_PATH"] = str(library)
    (folder / "loop.cpp").write_text(LOOP)
    command = ["g++", "-O2", f"-I{include()}", folder / "loop.cpp", "-ldl", "-o", folder / "loop"]
    subprocess.run(command, check=True)
    kernel = custom_ops.compile_kernel(MODEL / "softsign_f32.c")
    done = subprocess.run([folder / "loop", kernel], check=True, capture_output=True, text=True)
    return float(done.stdout)


def seconds(length: int, elements: int, rounds: int) -> float:
    """The least seconds of one run of a chain of kernels."""
    import popir
    from popir import custom_ops

    builder = popir.Builder(opsets={"ai.onnx": 17})
    shape = [elements] if elements <= 64 else [elements // 1024, 1024]
    x = tensor = builder.addInputTensor("FLOAT", shape, "x")
    for _ in range(length):
        tensor = custom_ops.tpc_kernel("softsign_fwd_f32", [tensor])
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [tensor]), device)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    step = popir.PyStepIO({x: np.ones(shape, np.float32)}, anchors)
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        session.run(step)
        best = min(best, time.perf_counter() - begin)
    return best


@measurement(words=False)
def main(report: Report) -> None:
    """Prints the measurements."""
    with tempfile.TemporaryDirectory() as folder:
        alone = build(Path(folder))
    calls = []
    for _ in range(TURNS):
        calls.append((seconds(LENGTH, 64, ROUNDS) - seconds(1, 64, ROUNDS)) / (LENGTH - 1))
    elements = 4 << 20
    larges = [seconds(2, elements, 20) - seconds(1, elements, 20) for _ in range(TURNS)]
    x = np.ones(elements, np.float32)
    y = np.empty_like(x)
    copies: list[float] = []
    for _ in range(20):
        begin = time.perf_counter()
        np.copyto(y, x)
        copies.append(time.perf_counter() - begin)
    report.table("a call of", "us", "least of turns", "most", "beside it, us", "what that is")
    for name, found, beside, what in (
        ("64 elements", calls, alone, "the kernel alone"),
        ("4 Mi elements", larges, min(copies), "a copy of them"),
    ):
        micro = (1e6 * each for each in (statistics.median(found), min(found), max(found), beside))
        report.row(name, *micro, what)


if __name__ == "__main__":
    main(sys.argv[1:])
