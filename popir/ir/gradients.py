"""Calls and checks an operator's gradient functions: `gradients_of`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from popir.errors import popart_exception
from popir.ir.blame import blamed
from popir.ir.gradop import GradOp
from popir.ir.graph import Op
from popir.ir.identifier import GradInOutMapper, GradOpInType


@dataclass(slots=True)
class Gradient:
    """A gradient operator, and what it says of the operator whose gradient it is."""

    op: Op
    towards: dict[int, int]
    """Its `gradOutToNonGradIn()`: for each of its outputs, the input that it is the gradient of."""
    mappers: list[GradInOutMapper]
    """Its `gradInputInfo()`: where its inputs come from."""
    given: list[int]
    """The outputs of that operator whose gradients it reads."""
    passes_on: bool = False
    """Whether its result is the gradient of the output `given[0]` itself."""
    is_set_up: bool = False
    """Whether it is a copy of one that has been checked, connected and set up, or has been checked
    and passes on.
    """


def gradients_of(op: Op) -> list[Gradient]:
    """`op.getGradOps()`: the operators that compute the gradients of the inputs, [] if none.

    Raises popart_exception if `getGradOps()`, or `gradOutToNonGradIn()` or `gradInputInfo()` of one
    of its operators, returns a value of the wrong type. Indices are not checked.
    """
    with blamed(op, "getGradOps"):
        found: Any = op.getGradOps()
    if not isinstance(found, (list, tuple)) or not all(isinstance(each, Op) for each in found):
        raise popart_exception(
            f"{op.debugName()}: {type(op).__name__}.getGradOps() returned {_shown(found)}; "
            f"expected is a list of operators, such as "
            f"[{type(op).__name__.removesuffix('Op')}GradOp(self)]."
        )
    return [described(op, each) for each in found]


def described(op: Op, grad_op: Op) -> Gradient:
    """What a gradient operator of `op` says of it; raises as `gradients_of` does."""
    with blamed(grad_op, "gradOutToNonGradIn"):
        towards: Any = grad_op.gradOutToNonGradIn()
    if not isinstance(towards, dict) or not all(
        isinstance(i, int) for pair in towards.items() for i in pair
    ):
        raise popart_exception(
            f"{_who(op, grad_op)}.gradOutToNonGradIn() returned {_shown(towards)}; expected is a "
            "dict of its outputs' indices to those of inputs, such as {0: 0}."
        )
    with blamed(grad_op, "gradInputInfo"):
        mappers: Any = grad_op.gradInputInfo()
    if not isinstance(mappers, (list, tuple)) or not all(
        isinstance(each, GradInOutMapper) for each in mappers
    ):
        raise popart_exception(
            f"{_who(op, grad_op)}.gradInputInfo() returned {_shown(mappers)}; expected is a "
            "list of mappers, such as [popir.GradInOutMapper(0, 0, popir.GradOpInType.GradOut)]."
        )
    given = [mapper.iNonGrad for mapper in mappers if mapper.type is GradOpInType.GradOut]
    passes_on = isinstance(grad_op, GradOp) and grad_op.passesOn()
    return Gradient(grad_op, towards, list(mappers), given, passes_on)


def _who(op: Op, grad_op: Op) -> str:
    return f"{grad_op.debugName()}, the gradient of {op.debugName()}: {type(grad_op).__name__}"


def _shown(value: object) -> str:
    """`value` for a message: its repr, or its class name if the repr says little."""
    if value is None:
        return "None (is there a `return`?)"
    if isinstance(value, (list, tuple)) and any(isinstance(each, type) for each in value):
        return f"{[getattr(each, '__name__', each) for each in value]}, a class and no object"
    return repr(value) if isinstance(value, (list, tuple, dict, int)) else type(value).__name__
