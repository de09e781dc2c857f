"""What a custom call of XLA costs beside its function, by calling convention.

    python -m bench.xla_calls [--json FILE]

A model is a chain of calls of a function that adds 1 to some floats. A call's time is what 400
more of them add to a run; beside it stands that of the function itself, which C++ calls as often on
two arrays. A result in the operand's memory needs a copy of it, and so does a layout that is not
row-major; memcpy copies as many bytes for comparison.
"""

import ctypes
import importlib.util
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import popir
from bench.report import Report, measurement
from popir import custom_ops

SOURCE = r"""
#include <cstring>
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

static void __attribute__((noinline)) add1(float* out, const float* x, int n) {
  for (int i = 0; i < n; ++i) out[i] = x[i] + 1;
}
#define SIZED(N)                                                                                \
  static void v1_##N(void* out, const void** in) {                                              \
    add1((float*)out, (const float*)in[0], N);                                                  \
  }                                                                                             \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("bench.v1." #N, v1_##N, "Host");                     \
  static void v2_##N(void* out, const void** in, XlaCustomCallStatus*) {                        \
    add1((float*)out, (const float*)in[0], N);                                                  \
  }                                                                                             \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("bench.v2." #N, v2_##N, "Host");                     \
  static void v3_##N(void* out, const void** in, const char*, size_t, XlaCustomCallStatus*) {   \
    add1((float*)out, (const float*)in[0], N);                                                  \
  }                                                                                             \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("bench.v3." #N, v3_##N, "Host");                     \
  static void gpu_##N(void*, void** buffers, const char*, size_t) {                             \
    add1((float*)buffers[1], (const float*)buffers[0], N);                                      \
  }                                                                                             \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("bench.gpu." #N, gpu_##N, "CUDA");                   \
  static void tuple_##N(void* out, const void** in) {                                           \
    const float* const* x = (const float* const*)in[0];                                         \
    add1(((float**)out)[0], x[0], N);                                                           \
  }                                                                                             \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("bench.tuple." #N, tuple_##N, "Host");
SIZED(16)
SIZED(65536)

extern "C" {
void own(float* a, float* b, int n, int calls) {
  void (*volatile function)(float*, const float*, int) = add1;
  for (int i = 0; i < calls; i += 2) function(b, a, n), function(a, b, n);
}
void copies(float* a, float* b, int n, int calls) {
  for (int i = 0; i < calls; ++i) {
    std::memcpy(b, a, sizeof(float) * n);
    asm volatile("" : : : "memory");
  }
}
}
"""
TYPED = r"""
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;
static ffi::Error add1(float by, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  const float* from = x.typed_data();
  float* to = y->typed_data();
  const int n = (int)x.element_count();
  for (int i = 0; i < n; ++i) to[i] = from[i] + by;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Add1, add1,
    ffi::Ffi::Bind().Attr<float>("by").Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());
"""
CALLS = 400
ROUNDS, TURNS = 60, 3


def seconds(function: Any) -> float:
    """The least time of one call."""
    best = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def chain(target: str, shape: list[int], calls: int, **options: Any) -> float:
    """Seconds of a run of a chain of calls."""
    tupled, layout = options.pop("tupled", False), options.pop("layout", None)
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", shape))
    y: Any = x
    result: Any = f"f32[{','.join(map(str, shape))}]"
    for _ in range(calls):
        operands = [[y]] if tupled else [y]
        layouts = [layout] if layout else None
        made = custom_ops.custom_call(
            target, operands, [result] if tupled else result, operand_layouts=layouts, **options
        )
        y = made[0] if tupled else made
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, {y: popir.AnchorReturnType("All")}),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    io = popir.PyStepIO({x: np.zeros(shape, np.float32)}, session.initAnchorArrays())
    return seconds(lambda: session.run(io))


@measurement()
def main(report: Report) -> None:
    """Prints a table."""
    library = popir.build_op_library(SOURCE, name="xla_bench", flags=["-O3"])
    c = ctypes.CDLL(library.path)
    headers = importlib.util.find_spec("jaxlib")
    report.table("call", "floats", "own us", "call us", "more us", "least turn", "most")
    for n in (16, 65536):
        memory = [np.zeros(n, np.float32) for _ in range(2)]
        a, b = (each.ctypes.data_as(ctypes.POINTER(ctypes.c_float)) for each in memory)
        own = seconds(lambda a=a, b=b, n=n: c.own(a, b, n, CALLS)) / CALLS
        copy = seconds(lambda a=a, b=b, n=n: c.copies(a, b, n, CALLS)) / CALLS
        rows: list[tuple[str, str, dict[str, Any]]] = [
            ("version 1", f"bench.v1.{n}", {}),
            ("version 1, tuples", f"bench.tuple.{n}", {"tupled": True}),
            ("version 2", f"bench.v2.{n}", {"api_version": 2}),
            ("version 3", f"bench.v3.{n}", {"api_version": 3, "opaque": "bytes"}),
            ("version 1 on the stream", f"bench.gpu.{n}", {"platform": "CUDA"}),
            (
                "version 1, result in the operand's memory",
                f"bench.v1.{n}",
                {"output_operand_aliases": {0: 0}},
            ),
            ("version 1, column-major operand", f"bench.v1.{n}", {"layout": [0, 1]}),
        ]
        if headers is not None and headers.origin is not None:
            flags = ["-O3", "-isystem", str(Path(headers.origin).parent / "include")]
            typed = popir.build_op_library(TYPED, name="xla_bench_typed", flags=flags)
            attributes = {"by": np.float32(1)}
            options = {"api_version": 4, "attributes": attributes, "library": typed.path}
            rows.insert(4, ("version 4, typed", "Add1", options))
        for name, target, options in rows:
            if not report.wants(name):
                continue
            turns: list[float] = []
            for _ in range(TURNS):
                one, two = (
                    chain(target, [n // 16, 16], calls, **options) for calls in (CALLS, 2 * CALLS)
                )
                turns.append(1e6 * (two - one) / CALLS)
            call = statistics.median(turns)
            report.row(name, n, 1e6 * own, call, call - 1e6 * own, min(turns), max(turns))
        report.row("memcpy of the operand", n, None, 1e6 * copy, None, None, None)


if __name__ == "__main__":
    main(sys.argv[1:])
