"""onnxruntime's GroupQueryAttention: attention with a cache of keys and values."""

from __future__ import annotations

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.attention import Scores, grouped_product, merge_heads, rotated, split_heads
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import root_mean_square, row_of
from popir.registry import OpCreator
from popir.types import DataType, TensorInfo

NEWEST = 24
"""The opset of TensorScatter."""


class GroupQueryAttention(Decomposition):
    """onnxruntime's GroupQueryAttention, version 1: attention of `num_heads` heads of queries to
    `kv_num_heads` heads of keys and values, each for as many of the queries' heads, after those of
    the cache.

    `total_sequence_length` must be a constant. If it is the number of places, the rows of the
    batch begin anew, padded on the right; otherwise each row goes on at `seqlens_k` + 1 - places.
    What rows give at places of the padding is left open; positions of the cache after the last one
    keep what is there, as in a buffer that past and present share. Quantized caches and caches of a
    window are refused.
    """

    num_heads: int
    kv_num_heads: int
    scale: float | None
    softcap: float | None
    local_window_size: int
    causal: int
    do_rotary: int | None
    rotary_interleaved: int | None
    smooth_softmax: int
    qk_output: int
    qk_norm_epsilon: float
    sliding_window_cache: int | None
    kv_cache_bit_width: int | None
    k_quant_type: str
    v_quant_type: str

    def decompose(
        self,
        on: Decomposer,
        query: Tensor,
        key: Tensor | None,
        value: Tensor | None,
        past_key: Tensor | None,
        past_value: Tensor | None,
        lengths: Tensor,
        total: Tensor,
        cos: Tensor | None = None,
        sin: Tensor | None = None,
        positions: Tensor | None = None,
        bias: Tensor | None = None,
        sink: Tensor | None = None,
        k_scale: Tensor | None = None,
        v_scale: Tensor | None = None,
        q_norm: Tensor | None = None,
        k_norm: Tensor | None = None,
    ) -> list[Tensor]:
        """Products of matrices and Softmax. Raises OperatorInputError for shapes that do not fit,
        OperatorAttributeError for what is refused.
        """
        self._refuse(k_scale is not None or v_scale is not None)
        q, k, v = self._heads(on, query, key, value)
        batch, _, places, _ = on.shape(q)
        if on.shape(lengths) not in ([batch], [batch, 1]):
            raise self.wrong(f"seqlens_k has shape {on.shape(lengths)}; expected is [{batch}].")
        lengths = on.reshape(lengths, [batch])
        end = on.number(total, "total_sequence_length")
        assert isinstance(end, int)
        if end < places:
            raise self.wrong(f"total_sequence_length is {end}, with {places} places in the query.")
        if (q_norm is None) != (k_norm is None):
            raise self.wrong("give q_norm_weight and k_norm_weight both, or neither.")
        if q_norm is not None and k_norm is not None:
            q, k = self._normalised(on, q, q_norm), self._normalised(on, k, k_norm)
        before = self._before(on, lengths, batch, places, end)
        if self.do_rotary:
            q, k = self._turned(on, [q, k], cos, sin, positions, before)
        present = [
            self._cached(on, old, new, before, end) for old, new in ((past_key, k), (past_value, v))
        ]
        k, v = (on.Slice(t, on.ints(0), on.ints(end), on.ints(2)) for t in present)
        how = Scores(
            self.scale or 0.0,
            [] if bias is None else [self._bias(on, bias, places, end)],
            self._seen(on, lengths, before, places, end),
            self.softcap or 0.0,
            self._sink(on, sink, q),
        )
        scores, probabilities = how.probabilities(on, q, k)
        y = merge_heads(on, grouped_product(on, probabilities, v))
        if not self.qk_output:
            return [y, *present]
        if self.qk_output == 1 and how.seen is not None:
            scores = on.Where(how.seen, scores, on.like(0.0, scores))
        return [y, *present, scores if self.qk_output == 1 else probabilities]

    def _refuse(self, scales: bool) -> None:
        """Raises OperatorAttributeError for attributes that popir does not have."""
        refused = {
            "k_quant_type": self.k_quant_type != "NONE",
            "v_quant_type": self.v_quant_type != "NONE",
            "kv_cache_bit_width": bool(self.kv_cache_bit_width),
            "sliding_window_cache": bool(self.sliding_window_cache),
        }
        for name, is_wrong in refused.items():
            if is_wrong:
                raise OperatorAttributeError(
                    f"{self._who()}: {name} is {getattr(self, name)!r}; popir has neither "
                    "quantized caches nor caches of a window."
                )
        if scales:
            raise self.wrong("k_scale and v_scale are for quantized caches, which popir lacks.")
        for name, known in (("qk_output", (0, 1, 2)), ("smooth_softmax", (-1, 0, 1))):
            if getattr(self, name) not in known:
                raise OperatorAttributeError(
                    f"{self._who()}: {name} is {getattr(self, name)}; expected is one of {known}."
                )
        if not self.causal and self.local_window_size >= 0:
            raise OperatorAttributeError(
                f"{self._who()}: local_window_size is {self.local_window_size} with causal = 0; "
                "leave it at -1."
            )
        if self.num_heads < 1 or self.kv_num_heads < 1 or self.num_heads % self.kv_num_heads:
            raise OperatorAttributeError(
                f"{self._who()}: num_heads is {self.num_heads}, kv_num_heads {self.kv_num_heads}, "
                "which must divide it."
            )

    def _heads(
        self, on: Decomposer, query: Tensor, key: Tensor | None, value: Tensor | None
    ) -> list[Tensor]:
        shape, counts = on.shape(query), [self.num_heads, self.kv_num_heads, self.kv_num_heads]
        if len(shape) != 3 or (key is None) != (value is None):
            raise self.wrong(
                f"the query has shape {shape}; expected is [batch, places, numbers], with key and "
                "value both or neither."
            )
        parts = [query] if key is None or value is None else [query, key, value]
        if len(parts) == 1:
            if shape[2] % sum(counts):
                raise self.wrong(
                    f"the query has {shape[2]} numbers; packed with key and value they are "
                    f"{sum(counts)} heads of one size."
                )
            size = shape[2] // sum(counts)
            parts = on.Split(query, on.ints(*(n * size for n in counts)), axis=2, outputs=3)
        size = on.shape(parts[0])[2] // self.num_heads
        for what, t, n in zip(("query", "key", "value"), parts, counts, strict=True):
            if on.shape(t) != [*shape[:2], n * size]:
                raise self.wrong(
                    f"the {what} has shape {on.shape(t)}; expected is {[*shape[:2], n * size]}, "
                    f"{n} heads of {size}."
                )
        return [split_heads(on, t, n) for t, n in zip(parts, counts, strict=True)]

    def _normalised(self, on: Decomposer, x: Tensor, weight: Tensor) -> Tensor:
        row_of(self, on, "the norm's weight", weight, on.shape(x)[3])
        y, _ = root_mean_square(on, self, x, [-1], self.qk_norm_epsilon)
        return on.Mul(on.cast(y, on.info(x).dataType()), weight)

    def _before(
        self, on: Decomposer, lengths: Tensor, batch: int, places: int, end: int
    ) -> Tensor | int:
        """How many positions precede the places: a number if it is known, else [batch]."""
        if end == places or batch == 1:
            return end - places
        return on.Sub(lengths, on.const(places - 1, DataType.INT32))

    def _at(self, on: Decomposer, before: Tensor | int, places: int) -> Tensor:
        """The positions of the places, INT32 [places] or [batch, 1, places]."""
        steps = on.const(np.arange(places, dtype=np.int32))
        if isinstance(before, int):
            return on.Add(steps, on.const(before, DataType.INT32))
        return on.Add(steps, on.reshape(before, [-1, 1, 1]))

    def _turned(
        self,
        on: Decomposer,
        heads: list[Tensor],
        cos: Tensor | None,
        sin: Tensor | None,
        positions: Tensor | None,
        before: Tensor | int,
    ) -> list[Tensor]:
        """Queries and keys, turned by the angles of their positions."""
        if cos is None or sin is None:
            raise self.wrong("do_rotary is 1; give cos_cache and sin_cache.")
        if len(on.shape(cos)) != 2 or on.shape(cos) != on.shape(sin):
            raise self.wrong(
                f"cos_cache has shape {on.shape(cos)}, sin_cache {on.shape(sin)}; expected is "
                "[positions, half of what is turned] for both."
            )
        batch, _, places, size = on.shape(heads[0])
        half = on.shape(cos)[1]
        if 2 * half > size:
            raise self.wrong(f"the caches have rows of {half} for heads of {size}.")
        at = self._at(on, before, places)
        if positions is not None:
            if on.shape(positions) != [batch, places]:
                raise self.wrong(
                    f"position_ids have shape {on.shape(positions)}; expected is {[batch, places]}."
                )
            at = on.reshape(positions, [batch, 1, places])
        angles = [on.Gather(t, at, axis=0) for t in (cos, sin)]
        return [
            rotated(on, x, angles[0], angles[1], bool(self.rotary_interleaved), 2 * half)
            for x in heads
        ]

    def _cached(
        self, on: Decomposer, old: Tensor | None, new: Tensor, before: Tensor | int, end: int
    ) -> Tensor:
        """The cache with what is new, [batch, heads, positions, size]."""
        batch, heads, places, size = on.shape(new)
        if old is None:
            if end != places:
                raise self.wrong(
                    f"total_sequence_length is {end} for {places} places; give past_key and "
                    "past_value."
                )
            return new
        given = on.shape(old)
        if len(given) != 4 or [*given[:2], given[3]] != [batch, heads, size]:
            raise self.wrong(
                f"the past has shape {given}; expected is [{batch}, {heads}, positions, {size}]."
            )
        room = max(given[2], end)
        if isinstance(before, int):
            if given[2] < before:
                raise self.wrong(f"the past has {given[2]} positions; needed are {before}.")
            parts = [on.Slice(old, on.ints(0), on.ints(before), on.ints(2)), new]
            if room > end:
                whole = given[2] >= room
                rest = on.Slice(old, on.ints(end), on.ints(room), on.ints(2)) if whole else None
                parts += [] if rest is None else [rest]
            parts = [t for t in parts if on.shape(t)[2]]
            return parts[0] if len(parts) == 1 else on.Concat(*parts, axis=2)
        if room > given[2]:
            more = TensorInfo(on.info(old).dataType(), [batch, heads, room - given[2], size])
            old = on.Concat(old, on.zeros(more), axis=2)
        starts = on.cast(before, DataType.INT64)
        found = on.add("ai.onnx", "TensorScatter", NEWEST, [old, new, starts], 1, {"axis": 2})
        assert not isinstance(found, list)
        return found

    def _seen(
        self, on: Decomposer, lengths: Tensor, before: Tensor | int, places: int, end: int
    ) -> Tensor | None:
        """Which positions each place sees, broadcast to [batch, heads, places, total]."""
        keys = on.const(np.arange(end, dtype=np.int32))
        if not self.causal:
            return on.LessOrEqual(keys, on.reshape(lengths, [-1, 1, 1, 1]))
        at = self._at(on, before, places)
        at = on.reshape(at, [*on.shape(at), 1])
        seen = on.LessOrEqual(keys, at)
        if self.local_window_size >= 0:
            window = on.const(min(self.local_window_size, end), DataType.INT32)
            seen = on.And(seen, on.Greater(keys, on.Sub(at, window)))
        return seen

    def _bias(self, on: Decomposer, bias: Tensor, places: int, end: int) -> Tensor:
        given = on.shape(bias)
        if len(given) != 4 or given[2] != places or given[3] < end:
            raise self.wrong(
                f"attention_bias has shape {given}; expected is [batch or 1, heads or 1, {places}, "
                f"{end}]."
            )
        return on.Slice(bias, on.ints(0), on.ints(end), on.ints(3))

    def _sink(self, on: Decomposer, sink: Tensor | None, like: Tensor) -> Tensor | None:
        if sink is not None:
            return row_of(self, on, "head_sink", sink, self.num_heads)
        return on.like([0.0] * self.num_heads, like) if self.smooth_softmax == 1 else None


OpCreator(GroupQueryAttention, microsoft_id("GroupQueryAttention"))
