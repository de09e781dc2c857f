"""Operators whose gradients are as wrong as a test wants them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import popir
from popir import popops
from popir.ir import Op
from popir.popops import expr as pe

DOMAIN = "test.gradcheck"


def define(
    name: str,
    outputs: Sequence[Any],
    gradients: Mapping[int, Any],
    setup: Callable[[Op], None] = lambda _: None,
    reached: Mapping[int, int] | None = None,
) -> str:
    """An operator of inputs pe._1, pe._2; all of its tensors are alike.

    `outputs` are its expressions, `gradients` those of the inputs by their index: of the gradients
    of all outputs, then of all inputs. `reached` says which output of the gradient operator is
    which input's, by default as `gradients` has it.
    """
    opid = popir.OperatorIdentifier(DOMAIN, name, 1)
    grad_id = popir.OperatorIdentifier(DOMAIN, f"{name}Grad", 1)
    order = list(gradients)

    class Forward(popir.Op):
        def setup(self) -> None:
            setup(self)
            for o in range(len(outputs)):
                self.setOutInfo(o, self.inInfo(0))

        def getGradOps(self) -> list[Op]:
            return [Backward(self)] if order else []

    class Backward(popir.GradOp):
        opid = grad_id

        def __init__(self, fwdOp: Op) -> None:
            super().__init__(fwdOp)
            self.inputs_of_forward = sorted(fwdOp.input)

        def setup(self) -> None:
            for o in range(len(order)):
                self.setOutInfo(o, self.inInfo(0))

        def gradInputInfo(self) -> list[popir.GradInOutMapper]:
            grads = [
                popir.GradInOutMapper(o, o, popir.GradOpInType.GradOut) for o in range(len(outputs))
            ]
            return grads + [
                popir.GradInOutMapper(len(outputs) + i, i, popir.GradOpInType.In)
                for i in self.inputs_of_forward
            ]

        def gradOutToNonGradIn(self) -> dict[int, int]:
            return dict(reached if reached is not None else enumerate(order))

    def lowering(trees: Sequence[Any]) -> type[popir.Opx]:
        class Lowering(popir.Opx):
            def grow(self, prog: Any) -> None:
                operands = [self.getInTensor(i) for i in sorted(self.op_p.input)]
                for o, tree in enumerate(trees):
                    self.setOutTensor(o, popops.map(self.graph(), tree, operands, prog))

        return Lowering

    popir.OpCreator(Forward, [opid])
    popir.OpxCreator(lowering(outputs), opid)
    popir.OpxCreator(lowering([gradients[i] for i in order]), grad_id)
    return f"{DOMAIN}.{name}"


def square(name: str, gradient: Any) -> str:
    """x * x, with a gradient in terms of pe._1, the output's gradient, and pe._2, x."""
    return define(name, [pe._1 * pe._1], {0: gradient})
