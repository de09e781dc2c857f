"""Operators of other interfaces: functions that add one to the model of a Builder.

The Builder is that of the input tensors, or the argument `builder`.
"""

from popir.foreign.xla.calls import create_token, custom_call
from popir.foreign.xla.operator import CustomCallGradient
from popir.foreign.xla.programs import xla_program, xla_programs
from popir.foreign.xla.targets import (
    register_custom_call_target,
    register_custom_call_type,
)

__all__ = [
    "CustomCallGradient",
    "create_token",
    "custom_call",
    "register_custom_call_target",
    "register_custom_call_type",
    "xla_program",
    "xla_programs",
]
