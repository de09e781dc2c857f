"""Operators of other interfaces: functions that add one to the model of a Builder.

The Builder is that of the input tensors, or the argument `builder`.

- TensorFlow for the IPU: `precompiled_user_op`, `cpu_user_operation` and `codelet_expression_op`,
  with `expressions`, the functions of its expressions.
- XLA: `custom_call`, `create_token`, `xla_program` and `xla_programs`, with targets by
  `register_custom_call_target`.
"""

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
    "codelet_expression_op",
    "cpu_user_operation",
    "create_token",
    "custom_call",
    "expressions",
    "precompiled_user_op",
    "register_custom_call_target",
    "register_custom_call_type",
    "xla_program",
    "xla_programs",
]
