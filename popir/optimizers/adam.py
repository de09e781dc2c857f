"""Adam, AdamW, AdaMax and Lamb: `Adam`.

With the weight w, the gradient g of the loss (already divided by the loss scaling), the moments m
and v, and the number t of this update, from 1:

    g <- g + weightDecay * w                               (L2Regularization)
    m <- beta1 * m + (1 - beta1) * g
    v <- beta2 * v + (1 - beta2) * g^2                     (AdaMax: max(beta2 * v, |g|))
    M, V = m / (1 - beta1^t), v / (1 - beta2^t)            (NoBias: m, v; AdaMax: V = v)
    x = M / (sqrt(V) + eps)                                (AdaMax: M / (V + eps))
    x <- x + weightDecay * w                               (Decay)
    w <- w - learningRate * x                              (Lamb: * min(|w|, maxWeightNorm) / |x|)

|w| and |x| are norms of all elements; the last factor is 1 if one of the three numbers is 0. The
states are m, `Accl1___w`, v, `Accl2___w`, and t, `Step___w`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from popir.enums import AdamMode, WeightDecayMode
from popir.ir import Graph
from popir.ops.update.adam import AdamVarUpdateOp
from popir.ops.update.var_update import Given, State, VarUpdateOp
from popir.optimizers import values as v
from popir.optimizers.base import TableOptimizer, type_or
from popir.optimizers.clipping import ClipNormSettings
from popir.optimizers.values import OptimizerValue, OptimizerValueMap, combined
from popir.reserved import (
    PREVIOUS_LOSS_SCALING,
    reservedAccl1Prefix,
    reservedAccl2Prefix,
    reservedStepPrefix,
)
from popir.typed import typed
from popir.types import DataType, TensorInfo

_CORRECTED = (AdamMode.Adam, AdamMode.AdaMax, AdamMode.Lamb)
_LAMB = (AdamMode.Lamb, AdamMode.LambNoBias)


@typed
class Adam(TableOptimizer):
    """Adam, and with other modes AdaMax and Lamb. PopART's `Adam`; `popir.optimizers.adam` has the
    formulas.

    Args:
        values: `{key: (value, isConst)}`. The keys and their defaults are in `Adam.DEFAULTS`;
            `maxWeightNorm` is an older name of `defaultMaxWeightNorm`.
            `TrainingSession.updateOptimizerFromHost` can change a value with isConst False.
        mode: the variant.
        weight_decay_mode: Decay takes weightDecay * w from the weight, as AdamW does;
            L2Regularization adds it to the gradient.
        accum_type: the type of variables that gradients are accumulated in: UNDEFINED is the
            weight's.
        accl1_type, accl2_type: the types of the moments m and v: UNDEFINED is the weight's.
        clip_norm_settings: gradients that are clipped together.
        scaled_optimizer_state: keeps the states times the loss scaling, v times its square, which
            small gradients in half need. They follow a loss scaling that changes. (PopART
            multiplies v by the change once, which is one time too few.)
        debugContext: a prefix for the names of the update operators.

    Raises popart_exception for an unknown key, a value that is not such a pair, and a number that
    is not finite as float32 or out of range: the loss scaling must not be 0, eps must be above 0,
    beta1 and beta2 at least 0 and below 1, all others at least 0.
    """

    DEFAULTS = {
        "defaultLearningRate": 0.1,
        "defaultWeightDecay": 0.0,
        "defaultBeta1": 0.9,
        "defaultBeta2": 0.999,
        "defaultEps": 1e-6,
        "defaultMaxWeightNorm": 10.0,
        "lossScaling": 1.0,
    }
    ALIASES = {"maxWeightNorm": "defaultMaxWeightNorm"}
    COMPILED = (
        *("mode", "weight_decay_mode", "accl1_type", "accl2_type", "scaled_optimizer_state"),
        "debugContext",
    )

    def __init__(
        self,
        values: v.Given | None = None,
        mode: AdamMode = AdamMode.Adam,
        weight_decay_mode: WeightDecayMode = WeightDecayMode.Decay,
        accum_type: DataType = DataType.UNDEFINED,
        accl1_type: DataType = DataType.FLOAT,
        accl2_type: DataType = DataType.FLOAT,
        clip_norm_settings: Sequence[ClipNormSettings] = (),
        scaled_optimizer_state: bool = False,
        debugContext: str = "",
    ) -> None:
        super().__init__(values, clip_norm_settings, accum_type, debugContext)
        self.mode = mode
        self.weight_decay_mode = weight_decay_mode
        self.accl1_type, self.accl2_type = accl1_type, accl2_type
        self._check_type("accl1_type", accl1_type)
        self._check_type("accl2_type", accl2_type)
        self.scaled_optimizer_state = scaled_optimizer_state

    def beta1s(self) -> OptimizerValueMap:
        """beta1, by default and for single weights."""
        return self._map("beta1")

    def beta2s(self) -> OptimizerValueMap:
        """beta2, by default and for single weights."""
        return self._map("beta2")

    def epss(self) -> OptimizerValueMap:
        """eps, by default and for single weights."""
        return self._map("eps")

    def maxWeightNorms(self) -> OptimizerValueMap:
        """Lamb's largest norm of a weight, by default and for single weights."""
        return self._map("maxWeightNorm")

    def _is_rescaled(self) -> bool:
        """Whether the states follow a loss scaling that may change."""
        return self.scaled_optimizer_state and not self.lossScaling().isConst

    def _scalars(self, weight: str, batches: int) -> dict[str, OptimizerValue]:
        lr, wd, b1, b2, eps, norm = self._of(
            *(weight, "learningRate", "weightDecay", "beta1", "beta2", "eps", "maxWeightNorm")
        )
        ls = self.lossScaling()
        kept = ls if self.scaled_optimizer_state else OptimizerValue(1.0)
        found = {"learningRate": lr, "adamBeta1": b1, "adamBeta2": b2}
        found["adamEps"] = combined(eps.val * abs(kept.val), eps, kept)
        found["adamGradientScaling"] = combined(kept.val / (ls.val * batches), ls)
        if self.scaled_optimizer_state:
            found["adamGradientScaling"] = OptimizerValue(1 / batches)
        if self.weight_decay_mode is WeightDecayMode.L2Regularization:
            wd = combined(wd.val * kept.val, wd, kept)
        found["weightDecay"] = wd
        if self.mode in _LAMB:
            found["maxWeightNorm"] = norm
        if self._is_rescaled():
            found["lossScaling"] = ls
        return found

    def _states(self, graph: Graph, weight: str, info: TensorInfo, given: Given) -> list[State]:
        del graph, weight, given
        wide = DataType.DOUBLE if info.dataType() is DataType.DOUBLE else DataType.FLOAT
        found = [
            State(reservedAccl1Prefix(), type_or(self.accl1_type, info)),
            State(reservedAccl2Prefix(), type_or(self.accl2_type, info)),
        ]
        if self.mode in _CORRECTED:
            found.append(State(reservedStepPrefix(), wide, is_scalar=True))
        if self._is_rescaled():
            prefix, scaling = PREVIOUS_LOSS_SCALING, self.lossScaling().val
            found.append(State(prefix, wide, scaling, is_scalar=True))
        return found

    def _unused(self, weight: str) -> dict[str, str]:
        if self.mode in _LAMB:
            return {}
        return {"maxWeightNorm": f"the mode {self.mode.name} does not look at the weight's norm"}

    def _operator(self, weight: str) -> type[VarUpdateOp]:
        return AdamVarUpdateOp

    def _variant(self, weight: str) -> dict[str, Any]:
        return {
            "mode": self.mode.name,
            "decay": self.weight_decay_mode.name,
            "corrected": int(self.mode in _CORRECTED),
            "rescaled": int(self._is_rescaled()),
        }
