"""GroupNormalization of PopART: channels normalised in groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator
from popir.types import DataType


class PopartGroupNormalization(Decomposition):
    """PopART's GroupNormalization: each group of channels that follow one another gets mean 0 and
    variance 1, then each channel its scale and bias. The other outputs are mean and inverse
    standard deviation of each group, which have no gradient.
    """

    num_groups: int
    epsilon: float

    def decompose(self, on: Decomposer, x: Tensor, scale: Tensor, bias: Tensor) -> Sequence[Tensor]:
        """A LayerNormalization of the groups, and the channels' scales and biases."""
        shape, groups = on.shape(x), self.num_groups
        channels = shape[1] if len(shape) > 1 else 0
        if len(shape) < 2 or on.shape(scale) != [channels] or on.shape(bias) != [channels]:
            raise self.wrong(
                f"the input is {on.info(x)}, the scale {on.info(scale)}, the bias "
                f"{on.info(bias)}; expected are [samples, channels, ...] and twice [channels]."
            )
        if groups < 1 or channels % groups:
            raise OperatorAttributeError(
                f"{self._who()}: num_groups is {groups}; it must divide the {channels} channels."
            )
        kind, rows = on.info(x).dataType(), shape[0] * groups
        width = on.info(x).nelms() // rows if rows else channels // groups
        grouped = on.reshape(x, [rows, width])
        ones = on.const(np.ones(width), kind)
        normed, mean, deviation = on.LayerNormalization(
            grouped, ones, axis=-1, epsilon=self.epsilon, outputs=3
        )
        if kind is DataType.DOUBLE:  # LayerNormalization returns its statistics in float.
            mean, deviation = self._statistics(on, grouped)
        per_channel = [channels, *[1] * (len(shape) - 2)]
        y = on.Mul(on.reshape(normed, shape), on.reshape(scale, per_channel))
        y = on.Add(y, on.reshape(bias, per_channel))
        statistics = (on.reshape(on.cast(each, kind), [rows]) for each in (mean, deviation))
        return [y, *statistics]

    def _statistics(self, on: Decomposer, rows: Tensor) -> list[Tensor]:
        """Mean and inverse standard deviation of each row, without a gradient."""
        mean = on.ReduceMean(rows, on.ints(1))
        apart = on.Sub(rows, mean)
        variance = on.ReduceMean(on.Mul(apart, apart), on.ints(1))
        epsilon = on.like(self.epsilon, rows)
        deviation = on.Reciprocal(on.Sqrt(on.Add(variance, epsilon)))
        found = [on.add("ai.graphcore", "Detach", 1, [each], 1, {}) for each in (mean, deviation)]
        return [each for each in found if isinstance(each, Tensor)]


OpCreator(PopartGroupNormalization, graphcore_id("GroupNormalization"))
