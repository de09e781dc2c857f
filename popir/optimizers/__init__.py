"""Optimizers: each is one file with its formulas, and a row of `OPTIMIZERS`.

An optimizer has numbers such as the learning rate, with a default and values for single weights.
Each is constant, or may be changed between steps. For each weight the optimizer adds the operator
that updates it (`popir/ops/update/`), with the states that it keeps.
"""

from __future__ import annotations

from popir.optimizers.adam import Adam
from popir.optimizers.adaptive import Adaptive
from popir.optimizers.base import Optimizer, TableOptimizer
from popir.optimizers.clipping import ClipNormSettings
from popir.optimizers.sgd import SGD, ConstSGD
from popir.optimizers.values import OptimizerValue, OptimizerValueMap

OPTIMIZERS: dict[str, type[TableOptimizer]] = {"sgd": SGD, "adam": Adam, "adaptive": Adaptive}
"""The optimizers, by name."""

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
