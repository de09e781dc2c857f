"""onnxruntime's Attention and MultiHeadAttention."""

from __future__ import annotations

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.attention import Scores, grouped_product, may_see, merge_heads, split_heads
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import row_of
from popir.ops.support.shapes import product
from popir.registry import OpCreator
from popir.types import DataType

MASKED = -10000.0
"""What is added where a mask is 0, if `mask_filter_value` is not given."""


class _MultiHead(Decomposition):
    num_heads: int
    unidirectional: int
    scale: float | None
    mask_filter_value: float | None

    def scores(
        self, on: Decomposer, places: int, total: int, mask: Tensor | None, bias: Tensor | None
    ) -> Scores:
        """How queries see keys: masks and bias are added, and later keys are not seen."""
        added = [] if mask is None else [mask]
        if bias is not None:
            given = on.shape(bias)
            if len(given) != 4 or given[2:] != [places, total]:
                raise self.wrong(
                    f"attention_bias has shape {given}; expected is [batch or 1, heads or 1, "
                    f"{places}, {total}]."
                )
            added.append(bias)
        seen = None
        if self.unidirectional and places:
            visible = may_see(places, total)
            seen = None if visible.all() else on.const(visible, DataType.BOOL)
        return Scores(self.scale or 0.0, added, seen)

    def masked(self, on: Decomposer, seen: Tensor, like: Tensor) -> Tensor:
        """0 where `seen` is true and the value for masks elsewhere, in the type of `like`."""
        value = MASKED if self.mask_filter_value is None else self.mask_filter_value
        return on.Where(seen, on.like(0.0, like), on.like(value, like))

    def mask(
        self, on: Decomposer, mask: Tensor, batch: int, places: int, total: int, like: Tensor
    ) -> Tensor:
        """What a mask of whatever form adds, broadcast to [batch, heads, places, total]. Raises
        OperatorInputError for a shape that is none of these forms.
        """
        shape = on.shape(mask)
        zero = on.const(0, DataType.INT32)
        forms: dict[tuple[int, ...], list[int]] = {
            (batch, total): [batch, 1, 1, total],
            (batch, places, total): [batch, 1, places, total],
        }
        if tuple(shape) in forms:
            seen = on.reshape(on.Greater(mask, zero), forms[tuple(shape)])
        elif shape == [batch] or shape == [2 * batch]:
            at = on.const(np.arange(total, dtype=np.int32))
            ends = on.Slice(mask, on.ints(0), on.ints(batch), on.ints(0))
            seen = on.Less(at, on.reshape(ends, [batch, 1, 1, 1]))
            if shape == [2 * batch]:
                starts = on.Slice(mask, on.ints(batch), on.ints(2 * batch), on.ints(0))
                from_start = on.GreaterOrEqual(at, on.reshape(starts, [batch, 1, 1, 1]))
                seen = on.And(seen, from_start)
        else:
            raise self.wrong(
                f"the mask has shape {shape}; expected is {[batch, total]}, "
                f"{[batch, places, total]}, or the ends of rows, {[batch]}, with their starts, "
                f"{[2 * batch]}."
            )
        return self.masked(on, seen, like)

    def attended(
        self, on: Decomposer, q: Tensor, k: Tensor, v: Tensor, how: Scores
    ) -> list[Tensor]:
        """The result [batch, places, heads * size], and the probabilities."""
        _, probabilities = how.probabilities(on, q, k)
        return [merge_heads(on, grouped_product(on, probabilities, v)), probabilities]

    def heads_of(self, what: str, width: int) -> int:
        """The size of a head. Raises OperatorAttributeError if there is no such number of heads."""
        if self.num_heads < 1 or width % self.num_heads:
            raise OperatorAttributeError(
                f"{self._who()}: num_heads is {self.num_heads}; it must divide the {width} numbers "
                f"of {what}."
            )
        return width // self.num_heads


class ProjectedAttention(_MultiHead):
    """The base class of Attention and QAttention: from queries, keys and values side by side on."""

    qkv_hidden_sizes: list[int] | None = None
    do_rotary: int | None
    rotary_embedding_dim: int | None = None
    past_present_share_buffer: int | None

    def check_ranks(self, on: Decomposer, x: Tensor, weights: Tensor) -> None:
        """Raises OperatorInputError for an input or weights of another rank than they have."""
        if len(on.shape(x)) != 3 or len(on.shape(weights)) != 2:
            raise self.wrong(
                f"the input has shape {on.shape(x)}, the weights {on.shape(weights)}; expected is "
                "[batch, places, numbers] and [numbers, queries + keys + values]."
            )

    def from_projected(
        self,
        on: Decomposer,
        projected: Tensor,
        mask: Tensor | None,
        past: Tensor | None,
        attention_bias: Tensor | None,
    ) -> list[Tensor]:
        """The outputs, from queries, keys and values side by side."""
        for name in ("do_rotary", "rotary_embedding_dim", "past_present_share_buffer"):
            if getattr(self, name, 0):
                raise OperatorAttributeError(
                    f"{self._who()}: {name} is {getattr(self, name)}; popir does not have it."
                )
        batch, places, width = on.shape(projected)
        sizes = self.qkv_hidden_sizes or [width // 3] * 3
        if len(sizes) != 3 or sum(sizes) != width or sizes[0] != sizes[1]:
            raise self.wrong(
                f"qkv_hidden_sizes are {sizes}; expected are three numbers, the first two alike, "
                f"whose sum is {width}."
            )
        for size in sizes:
            self.heads_of("queries, keys or values", size)
        parts = on.Split(projected, on.ints(*sizes), axis=2, outputs=3)
        q, k, v = (split_heads(on, each, self.num_heads) for each in parts)
        if past is not None:
            expected = [2, batch, self.num_heads, None, on.shape(k)[3]]
            given = on.shape(past)
            fits = len(given) == 5 and all(
                e in (None, d) for e, d in zip(expected, given, strict=True)
            )
            if not fits or on.shape(k) != on.shape(v):
                raise self.wrong(
                    f"past has shape {given}; expected is [2, {batch}, {self.num_heads}, "
                    f"positions, {on.shape(k)[3]}], with keys and values of one size."
                )
            old = [
                on.reshape(t, given[1:]) for t in on.Split(past, axis=0, num_outputs=2, outputs=2)
            ]
            k, v = (on.Concat(o, new, axis=2) for o, new in zip(old, (k, v), strict=True))
        total = on.shape(k)[2]
        added = None if mask is None else self.mask(on, mask, batch, places, total, q)
        how = self.scores(on, places, total, added, attention_bias)
        result = self.attended(on, q, k, v, how)[0]
        if on.shape(k) != on.shape(v):
            return [result]
        return [result, on.Concat(*(on.reshape(t, [1, *on.shape(t)]) for t in (k, v)), axis=0)]


class Attention(ProjectedAttention):
    """onnxruntime's Attention, version 1: queries, keys and values by one product with merged
    weights, then attention by `num_heads` heads. `past` and `present` are [keys and values, batch,
    heads, positions, size].

    Rotary positions, and past and present in one buffer, are refused.
    """

    qkv_hidden_sizes: list[int] | None
    rotary_embedding_dim: int | None

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        weights: Tensor,
        bias: Tensor | None = None,
        mask: Tensor | None = None,
        past: Tensor | None = None,
        attention_bias: Tensor | None = None,
        past_length: Tensor | None = None,
    ) -> list[Tensor]:
        """Products of matrices and Softmax. Raises OperatorInputError for shapes that do not fit,
        OperatorAttributeError for what is refused.
        """
        if past_length is not None:
            raise self.wrong("past_sequence_length goes with past_present_share_buffer, refused.")
        self.check_ranks(on, x, weights)
        projected = on.MatMul(x, weights)
        if bias is not None:
            projected = on.Add(projected, row_of(self, on, "the bias", bias, on.shape(weights)[1]))
        return self.from_projected(on, projected, mask, past, attention_bias)


class MultiHeadAttention(_MultiHead):
    """onnxruntime's MultiHeadAttention, version 1: attention by `num_heads` heads, of queries, keys
    and values that are projected already, or packed.

    Past and present in one buffer, with a length or a beam's indices, are refused.
    """

    def decompose(
        self,
        on: Decomposer,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        bias: Tensor | None = None,
        padding: Tensor | None = None,
        attention_bias: Tensor | None = None,
        past_key: Tensor | None = None,
        past_value: Tensor | None = None,
        past_length: Tensor | None = None,
        beams: Tensor | None = None,
    ) -> list[Tensor]:
        """Products of matrices and Softmax. Raises OperatorInputError for shapes that do not fit
        and inputs that are refused.
        """
        if past_length is not None or beams is not None:
            raise self.wrong(
                "past_sequence_length and cache_indirection are for past and present in one "
                "buffer, which popir does not have."
            )
        q, k, v = self._heads(on, query, key, value, bias)
        batch, _, places, size = on.shape(q)
        for what, t in (("key", k), ("value", v)):
            if on.shape(t)[:2] != [batch, self.num_heads] or on.shape(t)[2] != on.shape(k)[2]:
                raise self.wrong(
                    f"the {what} is {on.shape(t)} in heads, the query {on.shape(q)}; batch, heads "
                    "and positions must be alike."
                )
        if on.shape(k)[3] != size:
            raise self.wrong(
                f"heads of the query have {size} numbers, of the key {on.shape(k)[3]}."
            )
        if (past_key is None) != (past_value is None):
            raise self.wrong("give past_key and past_value both, or neither.")
        if past_key is not None and past_value is not None:
            k, v = (self._after(on, old, new) for old, new in ((past_key, k), (past_value, v)))
        total = on.shape(k)[2]
        added = None if padding is None else self.mask(on, padding, batch, places, total, q)
        how = self.scores(on, places, total, added, attention_bias)
        result, probabilities = self.attended(on, q, k, v, how)
        return [result, k, v, probabilities]

    def _after(self, on: Decomposer, old: Tensor, new: Tensor) -> Tensor:
        a, b = on.shape(old), on.shape(new)
        if len(a) != 4 or [*a[:2], a[3]] != [*b[:2], b[3]]:
            raise self.wrong(
                f"the past has shape {a}; expected is [{b[0]}, {b[1]}, positions, {b[3]}]."
            )
        return on.Concat(old, new, axis=2)

    def _heads(
        self,
        on: Decomposer,
        query: Tensor,
        key: Tensor | None,
        value: Tensor | None,
        bias: Tensor | None,
    ) -> list[Tensor]:
        """Queries, keys and values, [batch, heads, positions, size], with their biases."""
        parts = self._parts(on, query, key, value)
        if bias is None:
            return parts
        # Keys and values that come in heads already have had their biases.
        widths = [self.num_heads * on.shape(t)[3] for t in parts]
        row_of(self, on, "the bias", bias, sum(widths))
        rows = on.Split(bias, on.ints(*widths), axis=0, outputs=3)
        done = key is not None and value is not None and len(on.shape(key)) == 4
        return [
            t if done and i else on.Add(t, on.reshape(r, [self.num_heads, 1, on.shape(t)[3]]))
            for i, (t, r) in enumerate(zip(parts, rows, strict=True))
        ]

    def _parts(
        self, on: Decomposer, query: Tensor, key: Tensor | None, value: Tensor | None
    ) -> list[Tensor]:
        shape = on.shape(query)
        if key is None and value is None:
            if len(shape) != 5 or shape[2:4] != [self.num_heads, 3]:
                raise self.wrong(
                    f"the query has shape {shape}; without key and value expected is [batch, "
                    f"places, {self.num_heads}, 3, size]."
                )
            return self._packed(on, query, 3)
        if len(shape) != 3 or key is None:
            raise self.wrong(
                f"the query has shape {shape}; with a key expected is [batch, places, heads * "
                "size]."
            )
        self.heads_of("the query", shape[2])
        q = split_heads(on, query, self.num_heads)
        if value is None:
            if len(on.shape(key)) != 5 or on.shape(key)[2:4] != [self.num_heads, 2]:
                raise self.wrong(
                    f"the key has shape {on.shape(key)}; without a value expected is [batch, "
                    f"places, {self.num_heads}, 2, size]."
                )
            return [q, *self._packed(on, key, 2)]
        found = [q]
        for what, t in (("key", key), ("value", value)):
            if len(on.shape(t)) not in (3, 4) or len(on.shape(t)) != len(on.shape(key)):
                raise self.wrong(
                    f"the {what} has shape {on.shape(t)}; expected is [batch, positions, heads * "
                    "size] or [batch, heads, positions, size], alike for key and value."
                )
            if len(on.shape(t)) == 3:
                self.heads_of(f"the {what}", on.shape(t)[2])
                t = split_heads(on, t, self.num_heads)
            found.append(t)
        return found

    def _packed(self, on: Decomposer, t: Tensor, count: int) -> list[Tensor]:
        batch, places, heads, _, size = on.shape(t)
        parts = on.Split(t, axis=3, num_outputs=count, outputs=count)
        shape = [batch, places, heads, size]
        assert product(shape) == product(on.shape(parts[0]))
        return [on.Transpose(on.reshape(each, shape), perm=[0, 2, 1, 3]) for each in parts]


OpCreator(Attention, microsoft_id("Attention"))
OpCreator(MultiHeadAttention, microsoft_id("MultiHeadAttention"))
