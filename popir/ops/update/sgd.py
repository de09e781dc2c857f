"""The updates of SGD: SGD0VarUpdate, and with momentum SGD1VarUpdate and SGD2VarUpdate.

`popir.optimizers.sgd` has the formulas.
"""

from __future__ import annotations

from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Expr
from popir.ops.update.var_update import Update, VarUpdateOp, VarUpdateOpx
from popir.registry import OpxCreator


class SGD0VarUpdateOp(VarUpdateOp):
    """PopART's SGD0VarUpdate, without momentum: w * weightDecayScaleFactor0 - scaledLearningRate0 *
    g.
    """

    opid = graphcore_id("SGD0VarUpdate")

    def update(self, u: Update) -> None:
        """The new weight, from the weight and its gradient."""
        decayed = u.weight * u.number("weightDecayScaleFactor0")
        u.set(u.weight, decayed - u.number("scaledLearningRate0") * u.gradient)


class SGD1VarUpdateOp(VarUpdateOp):
    """PopART's SGD1VarUpdate and SGD1AcclUpdate: SGD with momentum in the form Combined. The state
    v holds momentum and weight decay of the next update already, so that gradients may be added to
    it one by one: v + dampeningScaleFactor1 * g, by Accumulate or, without the attribute
    `accumulated`, here. Then it is w - scaledLearningRate1 * v, and v * scaledMomentum1 +
    scaledWeightDecay1 * w. Output 1 is v.
    """

    opid = graphcore_id("SGD1VarUpdate")

    def update(self, u: Update) -> None:
        """The state with the gradient, the new weight, then the state of the next update."""
        (v,) = u.states
        if not u.variant("accumulated"):
            u.set(v, v + u.number("dampeningScaleFactor1") * u.gradient)
        u.set(u.weight, u.weight - u.number("scaledLearningRate1") * _along(u, v))
        u.set(v, v * u.number("scaledMomentum1") + u.number("scaledWeightDecay1") * u.weight)


class SGD2VarUpdateOp(VarUpdateOp):
    """PopART's SGD with momentum in the form Separate: v * scaledMomentum2 + scaledWeightDecay1 * w
    + dampeningScaleFactor2 * g, then w - scaledLearningRate2 * v.
    """

    opid = graphcore_id("SGD2VarUpdate")

    def update(self, u: Update) -> None:
        """The new state v, then the new weight, which reads the new v."""
        (v,) = u.states
        decay = u.number("scaledWeightDecay1") * u.weight
        momentum = u.number("scaledMomentum2") * v
        u.set(v, momentum + u.number("dampeningScaleFactor2") * u.gradient + decay)
        u.set(u.weight, u.weight - u.number("scaledLearningRate2") * _along(u, v))


def _along(u: Update, v: Expr) -> Expr:
    """What the weight moves along: v or, with Nesterov's momentum, velocityScaling * (g +
    weightDecay * w) + momentum * v.
    """
    if not u.variant("nesterov"):
        return v
    gradient = u.number("nesterovGradScaleFactor") * u.gradient
    decay = u.number("nesterovWeightDecay") * u.weight
    return gradient + decay + u.number("sgdMomentum") * v


OpxCreator(VarUpdateOpx, [SGD0VarUpdateOp.opid, SGD1VarUpdateOp.opid, SGD2VarUpdateOp.opid])
