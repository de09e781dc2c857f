"""The update of AdaGrad, RMSProp, CenteredRMSProp and AdaDelta: AdaptiveVarUpdate.

`popir.optimizers.adaptive` has the formulas.
"""

from __future__ import annotations

from popir.ops.support import symbolic as s
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Expr
from popir.ops.update.var_update import Update, VarUpdateOp, VarUpdateOpx, regularized
from popir.registry import OpxCreator


class AdaptiveVarUpdateOp(VarUpdateOp):
    """PopART's ScaledVarUpdate together with the operators before it. The states are Accl1, in the
    modes CenteredRMSProp and AdaDelta Accl2, and with momentum Accl3.
    """

    opid = graphcore_id("AdaptiveVarUpdate")

    def update(self, u: Update) -> None:
        """The states, then the weight."""
        mode, is_tf = u.variant("mode"), u.variant("tf")
        v1, *more = u.states
        rate, eps = u.number("learningRate"), u.number("adaptiveEps")
        g = regularized(u, "adaptiveGradientScaling")
        if mode == "AdaGrad":
            u.set(v1, v1 + s.square(g))
        else:
            _average(u, v1, s.square(g))
        if mode == "AdaDelta":
            x = u.let(s.sqrt(more[0] + eps) / s.sqrt(v1 + eps) * g)
            _average(u, more[0], s.square(x))
        else:
            square: Expr = v1
            if mode == "CenteredRMSProp":
                _average(u, more[0], g)
                square = v1 - s.square(more[0])
            x = g / (s.sqrt(square + eps) if is_tf else s.sqrt(square) + eps)
        decays = u.variant("decay") == "Decay"
        decay = u.number("weightDecay") * u.weight if decays else s.ZERO
        if u.variant("momentum"):
            v3 = more[-1]
            u.set(v3, u.number("adaptiveMomentum") * v3 + (rate * x if is_tf else x))
            x = v3
        if u.variant("momentum") and is_tf:
            u.set(u.weight, u.weight - (decay + x))
        else:
            u.set(u.weight, u.weight - rate * (decay + x))


def _average(u: Update, state: Expr, value: Expr) -> None:
    """Sets a state to alpha * state + (1 - alpha) * value."""
    constant = u.constant("adaptiveAlpha")
    alpha = u.number("adaptiveAlpha")
    rest = 1.0 - alpha if constant is None else s.Const(1.0 - constant)
    u.set(state, alpha * state + rest * value)


OpxCreator(VarUpdateOpx, [AdaptiveVarUpdateOp.opid])
