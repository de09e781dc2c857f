"""onnxruntime's normalizations of sums: SkipLayerNormalization, SkipSimplifiedLayerNormalization,
EmbedLayerNormalization.
"""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import root_mean_square, row_of, wide
from popir.registry import OpCreator
from popir.types import DataType


class _Skipping(Decomposition):
    epsilon: float

    def summed(
        self, on: Decomposer, x: Tensor, skip: Tensor, bias: Tensor | None
    ) -> tuple[Tensor, int]:
        """The sum of input, skip and bias, and the number of channels. Raises OperatorInputError
        for shapes that do not fit.
        """
        shape, other = on.shape(x), on.shape(skip)
        if len(shape) not in (2, 3):
            raise self.wrong(
                f"the input has shape {shape}; expected is [batch, places, channels] or "
                "[tokens, channels]."
            )
        if other not in (shape, shape[1:], [1, *shape[1:]]) or len(other) < 2:
            raise self.wrong(
                f"skip has shape {other}; expected is {shape}"
                + (f", {[1, *shape[1:]]} or {shape[1:]}." if len(shape) == 3 else ".")
            )
        total = on.Add(x, skip)
        if bias is not None:
            total = on.Add(total, row_of(self, on, "the bias", bias, shape[-1]))
        return total, shape[-1]


class SkipLayerNormalization(_Skipping):
    """onnxruntime's SkipLayerNormalization, version 1: LayerNormalization over the last dimension
    of the sum of input, skip and bias.
    """

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        skip: Tensor,
        gamma: Tensor,
        beta: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> list[Tensor]:
        """LayerNormalization of sums. Raises OperatorInputError for shapes that do not fit."""
        total, size = self.summed(on, x, skip, bias)
        row_of(self, on, "gamma", gamma, size)
        if beta is not None:
            row_of(self, on, "beta", beta, size)
        y, mean, inverse = on.LayerNormalization(
            total, gamma, beta, axis=-1, epsilon=self.epsilon, outputs=3
        )
        return [y, mean, inverse, total]


class SkipSimplifiedLayerNormalization(_Skipping):
    """onnxruntime's SkipSimplifiedLayerNormalization, version 1: the sum of input, skip and bias,
    divided by the root of the mean of the squares of its last dimension, times gamma.
    """

    def decompose(
        self, on: Decomposer, x: Tensor, skip: Tensor, gamma: Tensor, bias: Tensor | None = None
    ) -> list[Tensor]:
        """A mean and products. Raises OperatorInputError for shapes that do not fit."""
        total, size = self.summed(on, x, skip, bias)
        row_of(self, on, "gamma", gamma, size)
        y, inverse = root_mean_square(on, self, total, [-1], self.epsilon)
        kind = wide(on, total)
        mean = on.ReduceMean(on.cast(total, kind), on.ints(-1), keepdims=1)
        y = on.cast(on.Mul(y, on.cast(gamma, kind)), on.info(x).dataType())
        return [y, mean, inverse, total]


class EmbedLayerNormalization(Decomposition):
    """onnxruntime's EmbedLayerNormalization, version 1: LayerNormalization of the sum of the
    embeddings of words, positions and segments.

    Deviation: an index out of range that is computed at run time gives zeros; onnxruntime calls it
    an error.
    """

    epsilon: float
    mask_index_type: int | None

    def decompose(
        self,
        on: Decomposer,
        words: Tensor,
        segments: Tensor | None,
        word_table: Tensor,
        position_table: Tensor,
        segment_table: Tensor | None,
        gamma: Tensor,
        beta: Tensor,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
    ) -> list[Tensor]:
        """Gathers, sums, LayerNormalization. Raises OperatorInputError for shapes that do not fit,
        OperatorAttributeError for an unknown `mask_index_type`.
        """
        if self.mask_index_type not in (None, 0, 1):
            raise OperatorAttributeError(
                f"{self._who()}: mask_index_type is {self.mask_index_type}; expected is 0 (no "
                "mask_index) or 1."
            )
        shape = on.shape(words)
        width = on.shape(word_table)[-1:]
        for what, table in (
            ("word_embedding", word_table),
            ("position_embedding", position_table),
            ("segment_embedding", segment_table),
        ):
            if table is not None and (len(on.shape(table)) != 2 or on.shape(table)[1:] != width):
                raise self.wrong(
                    f"{what} has shape {on.shape(table)}; expected is [rows, numbers], with as "
                    "many numbers in each table."
                )
        for what, row in (("gamma", gamma), ("beta", beta)):
            row_of(self, on, what, row, width[0])
        self._check(on, shape, segments, segment_table, mask, positions, position_table)
        batch, places = shape
        total = on.Gather(word_table, words, axis=0)
        if positions is None:
            total = on.Add(total, on.Slice(position_table, on.ints(0), on.ints(places), on.ints(0)))
        else:
            total = on.Add(total, on.Gather(position_table, positions, axis=0))
        if segments is not None:
            total = on.Add(total, on.Gather(segment_table, segments, axis=0))
        y = on.LayerNormalization(total, gamma, beta, axis=-1, epsilon=self.epsilon)
        if mask is None or self.mask_index_type == 0:
            index = on.const([0] * batch, DataType.INT32)
        else:
            ones = on.cast(on.Equal(mask, on.const(1, DataType.INT32)), DataType.INT32)
            index = on.ReduceSum(ones, on.ints(1), keepdims=0)
        return [y, index, total]

    def _check(
        self,
        on: Decomposer,
        shape: list[int],
        segments: Tensor | None,
        segment_table: Tensor | None,
        mask: Tensor | None,
        positions: Tensor | None,
        position_table: Tensor,
    ) -> None:
        if len(shape) != 2:
            raise self.wrong(f"input_ids have shape {shape}; expected is [batch, places].")
        for what, given, allowed in (
            ("segment_ids", segments, [shape]),
            ("the mask", mask, [shape]),
            ("position_ids", positions, [shape, [1, shape[1]]]),
        ):
            if given is not None and on.shape(given) not in allowed:
                raise self.wrong(f"{what} has shape {on.shape(given)}; expected is {allowed[0]}.")
        if (segments is None) != (segment_table is None):
            raise self.wrong("give segment_ids and segment_embedding both, or neither.")
        if positions is None and on.shape(position_table)[0] < shape[1]:
            raise self.wrong(
                f"position_embedding has {on.shape(position_table)[0]} rows for {shape[1]} places."
            )


OpCreator(SkipLayerNormalization, microsoft_id("SkipLayerNormalization"))
OpCreator(SkipSimplifiedLayerNormalization, microsoft_id("SkipSimplifiedLayerNormalization"))
OpCreator(EmbedLayerNormalization, microsoft_id("EmbedLayerNormalization"))
