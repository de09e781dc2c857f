"""What an operator says of its gradient, asked for and checked: `gradientsOf`."""

from __future__ import annotations

from typing import Any

from popir.errors import popart_exception
from popir.ir.blame import blamed
from popir.ir.identifier import GradInOutMapper
from popir.ir.op import Op


def gradientsOf(op: Op) -> list[Op]:
    """The operators that compute the gradients of the inputs; [] if there is no gradient.

    Raises popart_exception if `getGradOps()`, or a function of an operator that it returns, returns
    something else than it has to. Indices are not looked at.
    """
    with blamed(op, "getGradOps"):
        found: Any = op.getGradOps()
    if not isinstance(found, (list, tuple)) or not all(isinstance(each, Op) for each in found):
        raise popart_exception(
            f"{op.debugName()}: {type(op).__name__}.getGradOps() returned {_shown(found)}; "
            f"expected is a list of operators, such as "
            f"[{type(op).__name__.removesuffix('Op')}GradOp(self)]."
        )
    for each in found:
        _check(op, each)
    return list(found)


def _check(op: Op, gradOp: Op) -> None:
    who = f"{gradOp.debugName()}, the gradient of {op.debugName()}: {type(gradOp).__name__}"
    with blamed(gradOp, "gradOutToNonGradIn"):
        towards: Any = gradOp.gradOutToNonGradIn()
    if not isinstance(towards, dict) or not all(
        isinstance(i, int) for pair in towards.items() for i in pair
    ):
        raise popart_exception(
            f"{who}.gradOutToNonGradIn() returned {_shown(towards)}; expected is a dict of its "
            "outputs' indices to those of inputs, such as {0: 0}."
        )
    with blamed(gradOp, "gradInputInfo"):
        mappers: Any = gradOp.gradInputInfo()
    if not isinstance(mappers, (list, tuple)) or not all(
        isinstance(each, GradInOutMapper) for each in mappers
    ):
        raise popart_exception(
            f"{who}.gradInputInfo() returned {_shown(mappers)}; expected is a list of mappers, "
            "such as [popir.GradInOutMapper(0, 0, popir.GradOpInType.GradOut)]."
        )


def _shown(value: object) -> str:
    """The value, or its class where an object says too little of itself."""
    if value is None:
        return "None (is there a `return`?)"
    if isinstance(value, (list, tuple)) and any(isinstance(each, type) for each in value):
        return f"{[getattr(each, '__name__', each) for each in value]}, a class and no object"
    return repr(value) if isinstance(value, (list, tuple, dict, int)) else type(value).__name__
