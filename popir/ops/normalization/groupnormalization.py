"""GroupNormalization of ONNX and of PopART: channels normalised in groups."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.registry import OpCreator
from popir.types import DataType

FLOATS = (DataType.FLOAT, DataType.DOUBLE, DataType.FLOAT16, DataType.BFLOAT16)


class _GroupNormalization(Decomposition):
    """Each group of channels that follow one another gets mean 0 and variance 1 in each sample,
    then scales and biases.
    """

    num_groups: int
    epsilon: float

    def normed(
        self,
        on: Decomposer,
        x: Tensor,
        scale: Tensor,
        bias: Tensor,
        wide: DataType,
        per_group: bool = False,
    ) -> tuple[Tensor, Tensor, Sequence[Tensor]]:
        """The result; the groups in the type `wide`, [samples * groups, elements of a group]; and
        what LayerNormalization makes of these. All is computed in that type, and rounded once.
        Scale and bias are one for each channel, or for each group.

        Raises OperatorInputError for shapes that do not fit, and OperatorAttributeError if
        `num_groups` does not divide the channels.
        """
        shape, groups = on.shape(x), self.num_groups
        channels = shape[1] if len(shape) > 1 else 0
        many, name = (groups, "groups") if per_group else (channels, "channels")
        if len(shape) < 2 or on.shape(scale) != [many] or on.shape(bias) != [many]:
            raise self.wrong(
                f"the input is {on.info(x)}, the scale {on.info(scale)}, the bias "
                f"{on.info(bias)}; expected are [samples, channels, ...] and twice [{name}]."
            )
        if groups < 1 or channels % groups:
            raise OperatorAttributeError(
                f"{self._who()}: num_groups is {groups}; it must divide the {channels} channels."
            )
        width = channels // groups * math.prod(shape[2:])
        rows = on.cast(on.reshape(x, [shape[0] * groups, width]), wide)
        ones = on.const(np.ones(width), wide)
        made = on.LayerNormalization(rows, ones, axis=-1, epsilon=self.epsilon, outputs=3)
        y = on.reshape(made[0], [shape[0], many, groups * width // many if many else 0])
        y = on.Mul(y, on.reshape(on.cast(scale, wide), [many, 1]))
        y = on.Add(y, on.reshape(on.cast(bias, wide), [many, 1]))
        return on.reshape(on.cast(y, on.info(x).dataType()), shape), rows, made


class GroupNormalization(_GroupNormalization):
    """ONNX's GroupNormalization, versions 18 and 21. Up to opset 20 scale and bias are one for each
    group, then one for each channel.

    It is computed in the type `stash_type`; with FLOAT, the default, DOUBLE stays DOUBLE.
    """

    stash_type: int | None

    def decompose(self, on: Decomposer, x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
        """A LayerNormalization of the groups, and the scales and biases. Raises what `normed`
        raises, and OperatorAttributeError for a `stash_type` that is no floating-point type.
        """
        code = DataType.FLOAT.onnx if self.stash_type is None else self.stash_type
        wide = next((kind for kind in FLOATS if kind.onnx == code), None)
        if wide is None:
            raise OperatorAttributeError(
                f"{self._who()}: stash_type is {code}; expected is one of "
                f"{', '.join(f'{kind.onnx} ({kind.name})' for kind in FLOATS)}."
            )
        if wide is DataType.FLOAT:
            wide = accumulator_of(on.info(x).dataType())
        return self.normed(on, x, scale, bias, wide, self.opid.version < 21)[0]


class PopartGroupNormalization(_GroupNormalization):
    """PopART's GroupNormalization: scale and bias are one for each channel. The other outputs are
    mean and inverse standard deviation of each group, which have no gradient.
    """

    def decompose(self, on: Decomposer, x: Tensor, scale: Tensor, bias: Tensor) -> Sequence[Tensor]:
        """A LayerNormalization of the groups, and the channels' scales and biases. Raises what
        `normed` raises.
        """
        kind = on.info(x).dataType()
        wide = accumulator_of(kind)
        y, rows, (_, mean, deviation) = self.normed(on, x, scale, bias, wide)
        if kind is DataType.DOUBLE:  # LayerNormalization returns its statistics in float.
            mean, deviation = self._statistics(on, rows)
        count = on.shape(rows)[:1]
        return [y, *(on.reshape(on.cast(each, kind), count) for each in (mean, deviation))]

    def _statistics(self, on: Decomposer, rows: Tensor) -> list[Tensor]:
        """Mean and inverse standard deviation of each row, without a gradient."""
        mean = on.ReduceMean(rows, on.ints(1))
        apart = on.Sub(rows, mean)
        variance = on.ReduceMean(on.Mul(apart, apart), on.ints(1))
        epsilon = on.like(self.epsilon, rows)
        deviation = on.Reciprocal(on.Sqrt(on.Add(variance, epsilon)))
        found = [on.add("ai.graphcore", "Detach", 1, [each], 1, {}) for each in (mean, deviation)]
        return [each for each in found if isinstance(each, Tensor)]


OpCreator(GroupNormalization, onnx_ids("GroupNormalization", 18, 21))
OpCreator(PopartGroupNormalization, graphcore_id("GroupNormalization"))
