"""AdaGrad, RMSProp, CenteredRMSProp and AdaDelta: `Adaptive`.

With the weight w, the gradient g of the loss (already divided by the loss scaling) and the states
v1, v2 and v3:

    g <- g + weightDecay * w                               (L2Regularization)
    v1 <- alpha * v1 + (1 - alpha) * g^2                   (AdaGrad: v1 + g^2)
    v2 <- alpha * v2 + (1 - alpha) * g                     (CenteredRMSProp)
    x = g / (sqrt(v1) + eps)                               (AdaGrad, RMSProp)
    x = g / (sqrt(v1 - v2^2) + eps)                        (CenteredRMSProp)
    x = g * sqrt(v2 + eps) / sqrt(v1 + eps)                (AdaDelta)
    v2 <- alpha * v2 + (1 - alpha) * x^2                   (AdaDelta)
    v3 <- momentum * v3 + x                                (with momentum; else v3 is x)
    w <- w - learningRate * (v3 + weightDecay * w)         (Decay; else without the decay)

TensorFlow's variant of RMSProp begins with v1 = 1 and has eps in the root: x = g / sqrt(v1 + eps).
With momentum, its state has the learning rate: v3 <- momentum * v3 + learningRate * x and w <- w -
(v3 + weightDecay * w). The states are `Accl1___w`, `Accl2___w` and `Accl3___w`.
"""

from __future__ import annotations

from typing import Any

from popir.enums import AdaptiveMode, WeightDecayMode
from popir.ir import Graph
from popir.ops.update.adaptive import AdaptiveVarUpdateOp
from popir.ops.update.var_update import Given, State, VarUpdateOp
from popir.optimizers import values as v
from popir.optimizers.base import TableOptimizer, type_or
from popir.optimizers.values import OptimizerValue, OptimizerValueMap, combined
from popir.reserved import reservedAccl1Prefix, reservedAccl2Prefix, reservedAccl3Prefix
from popir.typed import typed
from popir.types import DataType, TensorInfo

_CENTERED = (AdaptiveMode.CenteredRMSProp, AdaptiveMode.AdaDelta)
"""The modes with a state v2."""


@typed
class Adaptive(TableOptimizer):
    """RMSProp, and with other modes AdaGrad, CenteredRMSProp and AdaDelta. PopART's `Adaptive`;
    `popir.optimizers.adaptive` has the formulas.

    Args:
        values: `{key: (value, isConst)}`. The keys and their defaults are in `Adaptive.DEFAULTS`.
            `TrainingSession.updateOptimizerFromHost` can change a value with isConst False.
        mode: the variant.
        weight_decay_mode: Decay takes weightDecay * w from the weight; L2Regularization adds it to
            the gradient.
        accum_type: the type of variables that gradients are accumulated in: UNDEFINED is the
            weight's.
        accl1_type, accl2_type, accl3_type: the types of the states v1, v2 and v3: UNDEFINED is the
            weight's.
        rmsprop_tf_variant: TensorFlow's variant. In the mode AdaDelta it changes what v1 begins
            with, and the momentum.
        debugContext: a prefix for the names of the update operators.

    Raises popart_exception for an unknown key, a value that is not such a pair, and a number that
    is not finite as float32 or out of range: the loss scaling must not be 0, eps must be above 0,
    all others at least 0.
    """

    DEFAULTS = {
        "defaultLearningRate": 0.01,
        "defaultWeightDecay": 0.0,
        "defaultAlpha": 0.99,
        "defaultMomentum": 0.0,
        "defaultEps": 1e-6,
        "lossScaling": 1.0,
    }
    COMPILED = (
        *("mode", "weight_decay_mode", "accl1_type", "accl2_type", "accl3_type"),
        *("rmsprop_tf_variant", "debugContext"),
    )

    def __init__(
        self,
        values: v.Given | None = None,
        mode: AdaptiveMode = AdaptiveMode.RMSProp,
        weight_decay_mode: WeightDecayMode = WeightDecayMode.Decay,
        accum_type: DataType = DataType.UNDEFINED,
        accl1_type: DataType = DataType.FLOAT,
        accl2_type: DataType = DataType.FLOAT,
        accl3_type: DataType = DataType.UNDEFINED,
        rmsprop_tf_variant: bool = False,
        debugContext: str = "",
    ) -> None:
        super().__init__(values, (), accum_type, debugContext)
        self.mode = mode
        self.weight_decay_mode = weight_decay_mode
        self.accl1_type, self.accl2_type, self.accl3_type = accl1_type, accl2_type, accl3_type
        for name in ("accl1_type", "accl2_type", "accl3_type"):
            self._check_type(name, getattr(self, name))
        self.rmsprop_tf_variant = rmsprop_tf_variant

    def alphas(self) -> OptimizerValueMap:
        """alpha, by default and for single weights."""
        return self._map("alpha")

    def momentums(self) -> OptimizerValueMap:
        """The momentum, by default and for single weights."""
        return self._map("momentum")

    def epss(self) -> OptimizerValueMap:
        """eps, by default and for single weights."""
        return self._map("eps")

    def _has_momentum(self, weight: str) -> bool:
        momentum = self.momentums().get(weight)
        return not (momentum.isConst and momentum.val == 0)

    def _scalars(self, weight: str, batches: int) -> dict[str, OptimizerValue]:
        lr, wd, alpha, mm, eps = self._of(
            weight, "learningRate", "weightDecay", "alpha", "momentum", "eps"
        )
        ls = self.lossScaling()
        found = {"learningRate": lr, "weightDecay": wd, "adaptiveEps": eps}
        found["adaptiveGradientScaling"] = combined(1 / (ls.val * batches), ls)
        if self.mode is not AdaptiveMode.AdaGrad:
            found["adaptiveAlpha"] = alpha
        if self._has_momentum(weight):
            found["adaptiveMomentum"] = mm
        return found

    def _states(self, graph: Graph, weight: str, info: TensorInfo, given: Given) -> list[State]:
        del graph, given
        first = 1.0 if self.rmsprop_tf_variant else 0.0
        found = [State(reservedAccl1Prefix(), type_or(self.accl1_type, info), first)]
        if self.mode in _CENTERED:
            found.append(State(reservedAccl2Prefix(), type_or(self.accl2_type, info)))
        if self._has_momentum(weight):
            found.append(State(reservedAccl3Prefix(), type_or(self.accl3_type, info)))
        return found

    def _unused(self, weight: str) -> dict[str, str]:
        found: dict[str, str] = {}
        if self.mode is AdaptiveMode.AdaGrad:
            found["alpha"] = "the mode AdaGrad adds up all squares"
        if self.mode not in _CENTERED:
            found["accl2_type"] = f"the mode {self.mode.name} has no state v2"
        if not self._has_momentum(weight):
            found["accl3_type"] = "there is no momentum, so no state v3"
        return found

    def _operator(self, weight: str) -> type[VarUpdateOp]:
        return AdaptiveVarUpdateOp

    def _variant(self, weight: str) -> dict[str, Any]:
        return {
            "mode": self.mode.name,
            "decay": self.weight_decay_mode.name,
            "tf": int(self.rmsprop_tf_variant),
            "momentum": int(self._has_momentum(weight)),
        }
