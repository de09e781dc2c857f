"""Operators of other interfaces: functions that add one to the model of a Builder.

The Builder is that of the input tensors, or the argument `builder`.

- TensorFlow for the IPU: `precompiled_user_op`, `cpu_user_operation`.
"""

from popir.foreign.tensorflow.functions import cpu_user_operation, precompiled_user_op

__all__ = ["cpu_user_operation", "precompiled_user_op"]
