"""ONNX's Attention: scaled products of queries and keys, with masks, caches and windows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.attention import (
    capped,
    grouped_product,
    heads_first,
    merge_heads,
    scaled_products,
)
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import broadcasts_to
from popir.registry import OpCreator
from popir.types import DataType

PRECISIONS = (DataType.FLOAT, DataType.FLOAT16, DataType.DOUBLE, DataType.BFLOAT16)
"""In which Softmax may be computed."""

NAMES = "[batch, heads, positions, size]"


@dataclass(frozen=True)
class _Bias:
    """What is added to the scores."""

    added: Tensor
    """Broadcast to the scores' shape, in their type; -inf where nothing is seen."""
    blind: Tensor | None
    """BOOL, [..., places, 1]: the queries that see no key; None if there is none."""


class Attention(Decomposition):
    """ONNX's Attention, versions 23, 24 and 25: attention of the heads of queries to as many heads
    of keys and values, or to fewer, of which each serves a group of the queries'.

    Inputs are [batch, heads, positions, size], or [batch, positions, heads * size] with
    `q_num_heads` and `kv_num_heads`. A query that sees no key has a result of 0, and no gradient
    goes through it. An integer mask is added, as a floating-point one is. Values may be of another
    type than queries; the product with them is in the type of the queries.
    """

    is_causal: int
    kv_num_heads: int | None
    left_window_size: int = -1
    q_num_heads: int | None
    qk_matmul_output_mode: int
    right_window_size: int = -1
    scale: float | None
    softcap: float
    softmax_precision: int | None

    def decompose(
        self,
        on: Decomposer,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        past_key: Tensor | None = None,
        past_value: Tensor | None = None,
        lengths: Tensor | None = None,
    ) -> list[Tensor]:
        """Products of matrices and Softmax. Raises OperatorInputError for shapes that do not fit,
        OperatorAttributeError for attributes without a meaning.
        """
        self._check_attributes()
        q, k, v = self._heads(on, query, key, value)
        past = self._past(on, k, v, past_key, past_value)
        if past_key is not None and past_value is not None:
            k, v = on.Concat(past_key, k, axis=2), on.Concat(past_value, v, axis=2)
        shape = [*on.shape(q)[:3], on.shape(k)[2]]
        kind = on.info(q).dataType()
        bias = self._bias(on, self._visible(on, past, lengths, shape), mask, shape, kind)
        factor = 1 / math.sqrt(on.shape(q)[3] or 1) if self.scale is None else self.scale
        products = scaled_products(on, q, k, factor)
        scores = capped(on, products, self.softcap)
        masked = scores if bias is None else on.Add(scores, bias.added)
        seen, blind = masked, None
        if bias is not None and (blind := bias.blind) is not None:
            # Softmax of -inf alone is NaN, and so is its gradient.
            seen = on.Add(scores, on.Where(blind, on.like(0.0, scores), bias.added))
        precision = kind if self.softmax_precision is None else DataType.of(self.softmax_precision)
        weights = on.cast(on.Softmax(on.cast(seen, precision), axis=-1), kind)
        y = grouped_product(on, weights, on.cast(v, kind))
        if blind is not None:
            y = on.Where(blind, on.like(0.0, y), y)
            weights = on.Where(blind, on.like(0.0, weights), weights)
        if len(on.shape(query)) == 3:
            y = merge_heads(on, y)
        return [y, k, v, (products, scores, masked, weights)[self.qk_matmul_output_mode]]

    def _check_attributes(self) -> None:
        if self.qk_matmul_output_mode not in range(4):
            raise OperatorAttributeError(
                f"{self._who()}: qk_matmul_output_mode is {self.qk_matmul_output_mode}; expected "
                "is 0, 1, 2 or 3."
            )
        for name in ("left_window_size", "right_window_size"):
            if getattr(self, name) < -1:
                raise OperatorAttributeError(
                    f"{self._who()}: {name} is {getattr(self, name)}; expected is -1, for no "
                    "bound, or a number of positions."
                )
        codes = [kind.onnx for kind in PRECISIONS]
        if self.softmax_precision is not None and self.softmax_precision not in codes:
            names = ", ".join(f"{kind.onnx} ({kind.name})" for kind in PRECISIONS)
            raise OperatorAttributeError(
                f"{self._who()}: softmax_precision is {self.softmax_precision}; expected is one "
                f"of {names}."
            )

    def _heads(self, on: Decomposer, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        found: list[Tensor] = []
        for name, t, count in (
            ("Q", query, "q_num_heads"),
            ("K", key, "kv_num_heads"),
            ("V", value, "kv_num_heads"),
        ):
            if len(on.shape(t)) != len(on.shape(query)):
                raise self.wrong(
                    f"{name} is {on.shape(t)}, and Q {on.shape(query)}; expected are as many "
                    "dimensions."
                )
            found.append(heads_first(on, self, name, t, count, getattr(self, count)))
        q, k, v = (on.shape(t) for t in found)
        if not q[0] == k[0] == v[0]:
            raise self.wrong(f"Q is {q}, K {k} and V {v}, as {NAMES}; expected is one batch.")
        if k[1:3] != v[1:3]:
            raise self.wrong(
                f"K is {k} and V {v}, as {NAMES}; expected are the same heads and positions."
            )
        if q[3] != k[3]:
            raise self.wrong(
                f"Q is {q} and K {k}, as {NAMES}; expected is the same size of a head."
            )
        if k[1] == 0 or q[1] % k[1]:
            raise self.wrong(f"Q has {q[1]} heads, and K {k[1]}; expected is a multiple.")
        return found

    def _past(
        self,
        on: Decomposer,
        k: Tensor,
        v: Tensor,
        past_key: Tensor | None,
        past_value: Tensor | None,
    ) -> int:
        """How many positions precede those of `k`, checked."""
        if (past_key is None) != (past_value is None):
            raise self.wrong(
                "one of past_key and past_value is left out; expected are both or none."
            )
        if past_key is None or past_value is None:
            return 0
        batch, heads, _, size = on.shape(k)
        past = on.shape(past_key)
        if len(past) != 4 or [*past[:2], past[3]] != [batch, heads, size]:
            raise self.wrong(
                f"past_key is {past}; expected is {[batch, heads, 'positions', size]}."
            )
        wanted = [batch, heads, past[2], on.shape(v)[3]]
        if on.shape(past_value) != wanted:
            raise self.wrong(f"past_value is {on.shape(past_value)}; expected is {wanted}.")
        return past[2]

    def _visible(
        self, on: Decomposer, past: int, lengths: Tensor | None, shape: list[int]
    ) -> np.ndarray | Tensor | None:
        """BOOL, broadcast to `shape`: which keys the attributes, and the lengths of rows, let a
        query see. None for all.
        """
        batch, _, places, total = shape
        first, last = self._window()
        if lengths is None:
            at = np.arange(past, past + places)[:, None]
            visible = np.ones((places, total), bool)
            if first is not None:
                visible &= np.arange(total) >= at + first
            if last is not None:
                visible &= np.arange(total) <= at + last
            return None if visible.all() else visible
        if past:
            raise self.wrong("nonpad_kv_seqlen goes with neither past_key nor past_value.")
        if on.shape(lengths) != [batch]:
            raise self.wrong(f"nonpad_kv_seqlen is {on.shape(lengths)}; expected is {[batch]}.")
        lengths = on.reshape(lengths, [batch, 1, 1, 1])
        steps = on.const(np.arange(total))
        found = on.Less(steps, lengths)
        # A query i is at position lengths + i - places.
        at = on.Add(lengths, on.const(np.arange(-places, 0).reshape(places, 1)))
        if first is not None:
            found = on.And(found, on.GreaterOrEqual(steps, on.Add(at, on.ints(first))))
        if last is not None:
            found = on.And(found, on.LessOrEqual(steps, on.Add(at, on.ints(last))))
        return found

    def _window(self) -> tuple[int | None, int | None]:
        """The first and the last position that a query sees, from its own on; None for no bound."""
        left, right = self.left_window_size, self.right_window_size
        last = None if right < 0 else right
        return (None if left < 0 else -left), (0 if self.is_causal else last)

    def _bias(
        self,
        on: Decomposer,
        visible: np.ndarray | Tensor | None,
        mask: Tensor | None,
        shape: list[int],
        kind: DataType,
    ) -> _Bias | None:
        """What is added to the scores, broadcast to `shape`. None for nothing."""
        added = None
        if mask is not None:
            mask = self._fitted(on, mask, shape)
            if on.info(mask).dataType() is DataType.BOOL:
                known = on.known(mask)
                visible = _both(on, visible, mask if known is None else known)
            else:
                added = on.cast(mask, kind)
        if visible is None:
            return None if added is None else _Bias(added, _blind(on, added))
        if added is None and isinstance(visible, np.ndarray):
            blind = np.asarray(~visible.any(-1, keepdims=True))
            return _Bias(
                on.shared(np.where(visible, 0, -math.inf).astype(kind.numpy)),
                on.shared(blind) if blind.any() else None,
            )
        visible = on.shared(visible) if isinstance(visible, np.ndarray) else visible
        given = on.const(0.0, kind) if added is None else added
        added = on.Where(visible, given, on.const(-math.inf, kind))
        return _Bias(added, _blind(on, added))

    def _fitted(self, on: Decomposer, mask: Tensor, shape: list[int]) -> Tensor:
        """The mask, with keys that it does not name as such that are not seen: from version 24 on
        it may be shorter.
        """
        given, total = on.shape(mask), shape[-1]
        is_short = self.opid.version >= 24 and len(given) > 0 and given[-1] < total
        if not broadcasts_to([*given[:-1], total] if is_short else given, shape):
            raise self.wrong(
                f"attn_mask is {given}; expected is what broadcasts to {shape}, [batch, heads, "
                "places, positions]"
                + (", or has fewer positions." if self.opid.version >= 24 else ".")
            )
        if not is_short:
            return mask
        kind = on.info(mask).dataType()
        if kind is DataType.BOOL:
            unseen = on.const(False, kind)
        else:
            kind = DataType.FLOAT if kind.numpy.kind in "iu" else kind
            mask, unseen = on.cast(mask, kind), on.const(-math.inf, kind)
        return on.Pad(mask, on.ints(0, total - given[-1]), unseen, on.ints(-1))


def _both(
    on: Decomposer, a: np.ndarray | Tensor | None, b: np.ndarray | Tensor | None
) -> np.ndarray | Tensor | None:
    """Where both are true; None is true everywhere."""
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a & b
    return on.And(*(on.shared(t) if isinstance(t, np.ndarray) else t for t in (a, b)))


def _blind(on: Decomposer, bias: Tensor) -> Tensor:
    """BOOL [..., places, 1]: which queries see no key."""
    most = on.ReduceMax(bias, on.ints(-1), keepdims=1)
    return on.Equal(most, on.like(-math.inf, most))


OpCreator(Attention, onnx_ids("Attention", 23, 24, 25))
