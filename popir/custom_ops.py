"""Operators of other interfaces: functions that add one to the model of a Builder.

The Builder is that of the input tensors, or the argument `builder`.

- TensorFlow for the IPU: `precompiled_user_op`, `cpu_user_operation` and `codelet_expression_op`,
  with `expressions`, the functions of its expressions.
- XLA: `custom_call`, `create_token`, `xla_program` and `xla_programs`, with targets by
  `register_custom_call_target`.
- Habana: `load_hpu_library`, `build_hpu_library` and `hpu_op` for operators of its TensorFlow API,
  `tpc_kernel` for one TPC kernel, `load_kernel_library` and `build_kernel_library` for libraries of
  kernels, `register_gradient` for gradients that name another operator.
"""

from popir.foreign.habana.functions import build_hpu_library, hpu_op, tpc_kernel
from popir.foreign.habana.libraries import load_kernel_library
from popir.foreign.habana.operators import HpuLibrary, load_hpu_library, register_gradient
from popir.foreign.habana.tpcc import KernelLibrary, build_kernel_library, compile_kernel
from popir.foreign.tensorflow import expression as expressions
from popir.foreign.tensorflow.functions import (
    codelet_expression_op,
    cpu_user_operation,
    precompiled_user_op,
)
from popir.foreign.xla.calls import create_token, custom_call
from popir.foreign.xla.operator import CustomCallGradient
from popir.foreign.xla.programs import xla_program, xla_programs
from popir.foreign.xla.targets import (
    register_custom_call_target,
    register_custom_call_type,
)

__all__ = [
    "CustomCallGradient",
    "HpuLibrary",
    "KernelLibrary",
    "build_hpu_library",
    "build_kernel_library",
    "codelet_expression_op",
    "compile_kernel",
    "cpu_user_operation",
    "create_token",
    "custom_call",
    "expressions",
    "hpu_op",
    "load_hpu_library",
    "load_kernel_library",
    "precompiled_user_op",
    "register_custom_call_target",
    "register_custom_call_type",
    "register_gradient",
    "tpc_kernel",
    "xla_program",
    "xla_programs",
]
