"""onnxruntime's GroupNorm and SkipGroupNorm, of diffusion models."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import grouped, row_of
from popir.registry import OpCreator


class _Grouped(Decomposition):
    activation: int
    groups: int
    channels_last: int
    epsilon: float

    def channels(self, on: Decomposer, x: Tensor) -> int:
        """The number of channels. Raises OperatorInputError if x has none, or the groups do not
        divide it.
        """
        shape = on.shape(x)
        if len(shape) < 3:
            raise self.wrong(f"X has shape {shape}; expected are a batch, channels and space.")
        found = shape[-1] if self.channels_last else shape[1]
        if self.groups < 1 or found % self.groups:
            raise OperatorAttributeError(
                f"{self._who()}: groups is {self.groups}; it must divide the {found} channels of "
                f"X, {shape}, whose channels are "
                + ("last." if self.channels_last else "dimension 1.")
            )
        return found

    def normalised(self, on: Decomposer, x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
        """The operator's first output for x."""
        if self.activation not in (0, 1):
            raise OperatorAttributeError(
                f"{self._who()}: activation is {self.activation}; expected is 0 (none) or 1 (SiLU)."
            )
        channels, rank = self.channels(on, x), len(on.shape(x))
        first = [0, rank - 1, *range(1, rank - 1)]
        y = on.Transpose(x, perm=first) if self.channels_last else x
        y = grouped(on, y, self.groups, self.epsilon)
        for what, t, apply in (("gamma", gamma, on.Mul), ("beta", beta, on.Add)):
            row = on.cast(row_of(self, on, what, t, channels), on.info(x).dataType())
            y = apply(y, on.reshape(row, [channels, *[1] * (rank - 2)]))
        y = on.Transpose(y, perm=[0, *range(2, rank), 1]) if self.channels_last else y
        return on.Mul(y, on.Sigmoid(y)) if self.activation else y


class GroupNorm(_Grouped):
    """onnxruntime's GroupNorm, version 1: each group of channels at mean 0 and variance 1, then
    scaled and shifted by channel, then SiLU if `activation` is 1.
    """

    def decompose(self, on: Decomposer, x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
        """A normalization of groups between transpositions. Raises OperatorInputError for shapes
        that do not fit, OperatorAttributeError for another activation.
        """
        return self.normalised(on, x, gamma, beta)


class SkipGroupNorm(_Grouped):
    """onnxruntime's SkipGroupNorm, version 1: GroupNorm of the sum of X, skip and bias."""

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        gamma: Tensor,
        beta: Tensor,
        skip: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> list[Tensor]:
        """Sums, then GroupNorm. Raises what GroupNorm does, and for a skip of another shape."""
        assert skip is not None
        channels, shape = self.channels(on, x), on.shape(x)
        space = [1] * (len(shape) - 2)
        rest = [*space, channels] if self.channels_last else [channels, *space]
        rows = [shape[0], channels]
        if on.shape(skip) not in (shape, rows, [shape[0], *rest]):
            raise self.wrong(
                f"skip has shape {on.shape(skip)}; expected is {shape}, {rows} or "
                f"{[shape[0], *rest]}."
            )
        if on.shape(skip) == rows:
            skip = on.reshape(skip, [shape[0], *rest])
        total = on.Add(x, skip)
        if bias is not None:
            total = on.Add(total, on.reshape(row_of(self, on, "the bias", bias, channels), rest))
        return [self.normalised(on, total, gamma, beta), total]


OpCreator(GroupNorm, microsoft_id("GroupNorm"))
OpCreator(SkipGroupNorm, microsoft_id("SkipGroupNorm"))
