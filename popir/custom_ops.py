"""Operators of other interfaces: functions that add one to the model of a Builder.

The Builder is that of the input tensors, or the argument `builder`.

- Habana: `load_hpu_library`, `build_hpu_library` and `hpu_op` for operators of its TensorFlow API,
  `tpc_kernel` for one TPC kernel, `load_kernel_library` and `build_kernel_library` for libraries of
  kernels, `register_gradient` for gradients that name another operator.
"""

from popir.foreign.habana.functions import build_hpu_library, hpu_op, tpc_kernel
from popir.foreign.habana.libraries import load_kernel_library
from popir.foreign.habana.operators import HpuLibrary, load_hpu_library, register_gradient
from popir.foreign.habana.tpcc import KernelLibrary, build_kernel_library, compile_kernel

__all__ = [
    "HpuLibrary",
    "KernelLibrary",
    "build_hpu_library",
    "build_kernel_library",
    "compile_kernel",
    "hpu_op",
    "load_hpu_library",
    "load_kernel_library",
    "register_gradient",
    "tpc_kernel",
]
