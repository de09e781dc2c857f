"""Optimizers: each is one file with its formulas, and a row of `OPTIMIZERS`.

An optimizer has numbers such as the learning rate, with a default and values for single weights.
Each is constant, or may be changed between steps. For each weight the optimizer adds the operator
that updates it (`popir/ops/update/`), with the states that it keeps.
"""

from __future__ import annotations

from collections.abc import Callable

from popir.enums import AdamMode, AdaptiveMode
from popir.optimizers.adam import Adam
from popir.optimizers.adaptive import Adaptive
from popir.optimizers.base import Optimizer, TableOptimizer
from popir.optimizers.clipping import ClipNormSettings
from popir.optimizers.sgd import SGD, ConstSGD
from popir.optimizers.values import Given, OptimizerValue, OptimizerValueMap

OPTIMIZERS: dict[str, Callable[[Given], TableOptimizer]] = {
    "sgd": SGD,
    **{
        mode.name.lower(): lambda values, mode=mode: Adam(values, mode)
        for mode in (AdamMode.Adam, AdamMode.AdaMax, AdamMode.Lamb)
    },
    **{
        mode.name.lower(): lambda values, mode=mode: Adaptive(values, mode)
        for mode in (AdaptiveMode.AdaGrad, AdaptiveMode.RMSProp, AdaptiveMode.AdaDelta)
    },
}
"""The optimizers that commands have, by name: what makes each from its values."""

__all__ = [
    "OPTIMIZERS",
    "SGD",
    "Adam",
    "Adaptive",
    "ClipNormSettings",
    "ConstSGD",
    "Optimizer",
    "OptimizerValue",
    "OptimizerValueMap",
    "TableOptimizer",
]
