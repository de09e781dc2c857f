"""Operators of other interfaces: functions that add one to the model of a Builder.

The Builder is that of the input tensors, or the argument `builder`.

- TensorFlow for the IPU: `precompiled_user_op`, `cpu_user_operation` and `codelet_expression_op`,
  with `expressions`, the functions of its expressions.
"""

from popir.foreign.tensorflow import expression as expressions
from popir.foreign.tensorflow.functions import (
    codelet_expression_op,
    cpu_user_operation,
    precompiled_user_op,
)

__all__ = ["codelet_expression_op", "cpu_user_operation", "expressions", "precompiled_user_op"]
