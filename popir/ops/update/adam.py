"""The update of Adam, AdaMax and Lamb: AdamVarUpdate. `popir.optimizers.adam` has the formulas."""

from __future__ import annotations

import math

from popir.ops.support import symbolic as s
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Expr
from popir.ops.update.var_update import Update, VarUpdateOp, VarUpdateOpx, regularized
from popir.registry import OpxCreator


class AdamVarUpdateOp(VarUpdateOp):
    """PopART's AdamVarUpdate together with the operators before it: moments, step and weight in one
    update. The states are Accl1 and Accl2 and, with a correction of the bias, Step; with a scaled
    state that may have to follow the loss scaling, PreviousLossScaling at the end.
    """

    opid = graphcore_id("AdamVarUpdate")

    def update(self, u: Update) -> None:
        """The moments, the count of steps, then the weight."""
        m, v, *more = u.states
        b1, b2 = u.number("adamBeta1"), u.number("adamBeta2")
        rest1, rest2 = _rest(u, "adamBeta1"), _rest(u, "adamBeta2")
        is_max = u.variant("mode") == "AdaMax"
        scale: Expr = s.ONE
        if u.variant("rescaled"):
            scale = u.let(u.number("lossScaling") / more[-1])
            u.set(more[-1], u.number("lossScaling"))
        g = regularized(u, "adamGradientScaling")
        u.set(m, b1 * scale * m + rest1 * g)
        if is_max:
            u.set(v, s.maximum(b2 * scale * v, s.absolute(g)))
        else:
            u.set(v, b2 * scale * scale * v + rest2 * s.square(g))
        first, second = m, v
        if u.variant("corrected"):
            step = more[0]
            u.set(step, step + 1)
            first = m * u.let(1.0 / _one_minus_power(u, "adamBeta1", step))
            if not is_max:
                second = v * u.let(1.0 / _one_minus_power(u, "adamBeta2", step))
        root = second if is_max else s.sqrt(second)
        x = first / (root + u.number("adamEps"))
        if u.variant("decay") == "Decay":
            x = x + u.number("weightDecay") * u.weight
        rate = u.number("learningRate")
        if u.variant("mode") in ("Lamb", "LambNoBias") and u.constant("maxWeightNorm") != 0:
            x = u.let(x)
            rate = u.let(rate * _trust(u, u.squares(u.weight), u.squares(x)))
        u.set(u.weight, u.weight - rate * x)


def _rest(u: Update, name: str) -> Expr:
    """1 - beta, as exact as the constant is."""
    value = u.constant(name)
    return 1.0 - u.number(name) if value is None else s.Const(1.0 - value)


def _one_minus_power(u: Update, name: str, step: Expr) -> Expr:
    """1 - beta^step, without the cancellation of a beta close to 1."""
    value = u.constant(name)
    if value is None:
        return -s.expm1(step * s.log(u.number(name)))
    return s.ONE if value == 0 else -s.expm1(step * math.log(value))


def _trust(u: Update, weights: Expr, steps: Expr) -> Expr:
    """Lamb's factor: the norm of the weight, at most maxWeightNorm, over that of the step; 1 if one
    of the three is 0. The arguments are the squares of the norms.
    """
    most = u.number("maxWeightNorm")
    ratio = s.minimum(s.sqrt(weights), most) / s.sqrt(steps)
    ratio = s.select(1.0, ratio, s.either(s.equal(weights, 0.0), s.equal(steps, 0.0)))
    if u.constant("maxWeightNorm") is None:
        ratio = s.select(1.0, ratio, s.equal(most, 0.0))
    return ratio


OpxCreator(VarUpdateOpx, [AdamVarUpdateOp.opid])
