"""SGD, with and without momentum: `SGD`, `ConstSGD`.

With the weight w, the gradient g of the loss (already divided by the loss scaling) and the velocity
v:

    v <- momentum * v + (1 - dampening) * (g + weightDecay * w)
    w <- w - learningRate * v

With Nesterov's momentum, the weight moves by learningRate * (g + weightDecay * w + momentum * v).
Without momentum there is no state, and the update is
w <- w * weightDecayScaleFactor0 - scaledLearningRate0 * g.

The state is v * velocityScaling. With momentum it has one of PopART's two forms:

- Separate: `Accl1___w` is v * velocityScaling, as above.
- Combined: `Accl___w` holds what the next update begins with, velocityScaling * (momentum * v + (1
  - dampening) * weightDecay * w): gradients of several batches are added to it, and need no
  variable of their own. It begins with the weight's decay. A momentum or weight decay that is
  changed acts from the update after the next on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from popir.enums import SGDAccumulatorAndMomentum
from popir.errors import popart_exception
from popir.ir import Graph
from popir.ops.update.accumulate import AccumulateOp
from popir.ops.update.sgd import SGD0VarUpdateOp, SGD1VarUpdateOp, SGD2VarUpdateOp
from popir.ops.update.var_update import Given, State, VarUpdateOp, connect_var_update
from popir.optimizers import values as v
from popir.optimizers.base import Optimizer, TableOptimizer, type_or
from popir.optimizers.clipping import ClipNormSettings
from popir.optimizers.values import OptimizerValue, OptimizerValueMap, combined
from popir.options import OptionWarning, warn
from popir.reserved import (
    reservedAccl1Prefix,
    reservedAcclFinalOutPrefix,
    reservedAcclPrefix,
    reservedAcclToUpdatePrefix,
)
from popir.typed import shown, typed
from popir.types import DataType, TensorInfo


@typed
class SGD(TableOptimizer):
    """Stochastic gradient descent, with or without momentum. PopART's `SGD`;
    `popir.optimizers.sgd` has the formulas.

    Args:
        values: `{key: (value, isConst)}`. The keys and their defaults are in `SGD.DEFAULTS`.
            `TrainingSession.updateOptimizerFromHost` can change a value with isConst False.
        clip_norm_settings: gradients that are clipped together.
        accumulatorAndMomentum: the form of the state of a weight w: `Accl___w` (Combined) or
            `Accl1___w` (Separate).
        accumType: the type of variables that gradients are accumulated in: UNDEFINED is the
            weight's. Combined needs none of its own, unless it clips or has Nesterov's momentum.
        accl1Type: the type of the state `Accl1___w`: UNDEFINED is the weight's. Another than the
            weight's has no effect with Combined, as in PopART (OptionWarning).
        debugContext: a prefix for the names of the update operators.

    Raises popart_exception for an unknown key, a value that is not such a pair, Nesterov's momentum
    with dampening, and a number that is not finite as float32 or out of range: the loss scaling
    must not be 0, the velocity scaling must be above 0, all others at least 0.
    """

    DEFAULTS = {
        "defaultLearningRate": 0.1,
        "defaultWeightDecay": 0.0,
        "defaultMomentum": 0.0,
        "defaultDampening": 0.0,
        "defaultVelocityScaling": 1.0,
        "lossScaling": 1.0,
        "nesterov": 0.0,
    }
    COMPILED = ("accumulatorAndMomentum", "accl1Type", "debugContext")

    def __init__(
        self,
        values: v.Given | None = None,
        clip_norm_settings: Sequence[ClipNormSettings] = (),
        accumulatorAndMomentum: SGDAccumulatorAndMomentum = SGDAccumulatorAndMomentum.Combined,
        accumType: DataType = DataType.UNDEFINED,
        accl1Type: DataType = DataType.UNDEFINED,
        debugContext: str = "",
    ) -> None:
        super().__init__(values, clip_norm_settings, accumType, debugContext)
        self.accumulatorAndMomentum = accumulatorAndMomentum
        self.accl1Type = accl1Type
        self._check_type("accl1Type", accl1Type)
        self._check_nesterov("", self._values["defaultDampening"])

    def _check_nesterov(self, weight: str, dampening: OptimizerValue) -> None:
        if self._values["nesterov"].val and dampening.val:
            of = f" of '{weight}'" if weight else ""
            raise popart_exception(
                f"SGD: Nesterov's momentum has no dampening; the dampening{of} is "
                f"{dampening.val:g}."
            )

    def insertSpecific(self, weight: str, values: v.Given) -> None:
        """Sets values for one weight: see `TableOptimizer.insertSpecific`. The keys are
        learningRate, weightDecay, momentum, dampening and velocityScaling.
        """
        super().insertSpecific(weight, values)
        self._check_nesterov(weight, self.dampenings().get(weight))

    def momentums(self) -> OptimizerValueMap:
        """The momentum, by default and for single weights."""
        return self._map("momentum")

    def dampenings(self) -> OptimizerValueMap:
        """The dampening, by default and for single weights."""
        return self._map("dampening")

    def velocityScalings(self) -> OptimizerValueMap:
        """The velocity scaling, by default and for single weights: the state is v times this."""
        return self._map("velocityScaling")

    def nesterov(self) -> OptimizerValue:
        """Whether the momentum is Nesterov's, as a number: 0 if it is not. It cannot change."""
        return self._values["nesterov"]

    def _has_momentum(self, weight: str) -> bool:
        momentum = self._specific.get(weight, {}).get("momentum", self._values["defaultMomentum"])
        return not (momentum.isConst and momentum.val == 0)

    def _needs_sum(self) -> bool:
        """Whether an update needs the sum of the gradients for itself."""
        return bool(self.nesterov().val or self._clip)

    def _is_combined(self) -> bool:
        return self.accumulatorAndMomentum is SGDAccumulatorAndMomentum.Combined

    def _scalars(self, weight: str, batches: int) -> dict[str, OptimizerValue]:
        lr, wd, mm, dm, vs = self._of(
            weight, "learningRate", "weightDecay", "momentum", "dampening", "velocityScaling"
        )
        ls = self.lossScaling()
        scale, undamped = ls.val * batches, 1 - dm.val
        if not self._has_momentum(weight):
            return {
                "scaledLearningRate0": combined(lr.val * undamped / scale, lr, dm, ls),
                "weightDecayScaleFactor0": combined(1 - lr.val * undamped * wd.val, lr, dm, wd),
            }
        form = "1" if self._is_combined() else "2"
        found = {
            f"scaledLearningRate{form}": combined(lr.val / vs.val, lr, vs),
            "scaledWeightDecay1": combined(undamped * wd.val * vs.val, dm, wd, vs),
            f"dampeningScaleFactor{form}": combined(undamped * vs.val / scale, dm, vs, ls),
            f"scaledMomentum{form}": combined(mm.val, mm),
        }
        if self.nesterov().val:
            found["nesterovGradScaleFactor"] = combined(vs.val / scale, vs, ls)
            found["nesterovWeightDecay"] = combined(vs.val * wd.val, vs, wd)
            found["sgdMomentum"] = combined(mm.val, mm)
        return found

    def accumulator(self, weight: str, info: TensorInfo) -> DataType | None:
        """The type of the variable that gradients of `weight` are accumulated in: `accumType`, or
        the weight's. None for the form Combined, which adds gradients to its state, unless it needs
        their sum for itself.
        """
        if self._has_momentum(weight) and self._is_combined() and not self._needs_sum():
            return None
        return type_or(self.accumType, info)

    def _states(self, graph: Graph, weight: str, info: TensorInfo, given: Given) -> list[State]:
        if not self._has_momentum(weight):
            return []
        if not self._is_combined():
            return [State(reservedAccl1Prefix(), type_or(self.accl1Type, info))]
        if self.accl1Type not in (DataType.UNDEFINED, info.dataType()):
            warn(
                f"SGD: accl1Type = {shown(self.accl1Type)} has no effect with the form Combined: "
                "the state has the type of its weight. "
                "Leave accl1Type at DataType.UNDEFINED, or ask for "
                "accumulatorAndMomentum = SGDAccumulatorAndMomentum.Separate.",
                OptionWarning,
            )
        shared = graph.shared.get(weight)
        data = graph.getTensor(weight).data if shared is None else shared.values
        assert data is not None
        decay = self.scalars(weight, given.batches)["scaledWeightDecay1"].val
        kind = info.dataType().numpy
        initial = (data * decay).astype(kind) if decay else 0.0
        return [State(reservedAcclPrefix(), info.dataType(), initial)]

    def _connect(
        self,
        graph: Graph,
        weight: str,
        given: Given,
        states: Sequence[str],
        constants: dict[str, Any],
        changing: dict[str, str],
    ) -> None:
        if not (self._has_momentum(weight) and self._is_combined()):
            super()._connect(graph, weight, given, states, constants, changing)
            return
        constants |= self._variant(weight) | {"accumulated": int(given.is_each)}
        gradient, factors = given.id, given.factors
        if given.is_each:
            states = [self._accumulated(graph, weight, given, states[0], constants, changing)]
            gradient, factors = None, ()
        update = connect_var_update(
            *(SGD1VarUpdateOp, graph, weight, gradient, states, constants, changing),
            *(factors, "", self.debugContext),
        )
        update.createAndConnectOutTensor(1, reservedAcclFinalOutPrefix() + weight)
        update.setup()

    def _accumulated(
        self,
        graph: Graph,
        weight: str,
        given: Given,
        state: str,
        constants: dict[str, Any],
        changing: dict[str, str],
    ) -> str:
        """Adds the operator that adds a gradient to the state of the form Combined; returns the id
        of the state with all of them. Its number is removed from those of the update.
        """
        name = "dampeningScaleFactor1"
        fixed = {name: constants.pop(name)} if name in constants else {}
        moving = {name: changing[name]} if name in changing else {}
        summed = reservedAcclToUpdatePrefix() + weight
        connect_var_update(
            *(AccumulateOp, graph, state, given.id, [], {"mode": "DampenedAdd", **fixed}, moving),
            *(given.factors, summed, self.debugContext),
        )
        return summed

    def _unused(self, weight: str) -> dict[str, str]:
        if not self._has_momentum(weight):
            names = ("velocityScaling", "nesterov", "accumulatorAndMomentum", "accl1Type")
            return dict.fromkeys(names, "there is no momentum, so no velocity")
        if self._is_combined() and not self._needs_sum():
            return {"accumType": "the form Combined adds gradients to its state"}
        return {}

    def _operator(self, weight: str) -> type[VarUpdateOp]:
        if not self._has_momentum(weight):
            return SGD0VarUpdateOp
        return SGD1VarUpdateOp if self._is_combined() else SGD2VarUpdateOp

    def _variant(self, weight: str) -> dict[str, Any]:
        return {"nesterov": int(bool(self.nesterov().val))} if self._has_momentum(weight) else {}

    def checkReplacement(self, other: Optimizer) -> None:
        """See `TableOptimizer.checkReplacement`. Nesterov's momentum cannot be switched."""
        super().checkReplacement(other)
        assert isinstance(other, SGD)
        if bool(self.nesterov().val) != bool(other.nesterov().val):
            raise popart_exception(
                f"The SGD was compiled in with nesterov {self.nesterov().val:g} and cannot become "
                f"one with {other.nesterov().val:g}."
            )


@typed
class ConstSGD(SGD):
    """SGD without momentum and with constant values. PopART's `ConstSGD`.

    w <- w - learning_rate * (g + weight_decay * w), with the gradient g of the loss. Raises
    popart_exception as SGD does.
    """

    def __init__(
        self,
        learning_rate: float,
        weight_decay: float = 0.0,
        loss_scaling: float = 1.0,
        clip_norm_settings: Sequence[ClipNormSettings] = (),
    ) -> None:
        super().__init__(
            {
                "defaultLearningRate": (learning_rate, True),
                "defaultWeightDecay": (weight_decay, True),
                "lossScaling": (loss_scaling, True),
            },
            clip_norm_settings,
        )
