"""Attention in operators of ONNX, for decompositions: heads, masks, the softmax of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.types import DataType


def split_heads(on: Decomposer, x: Tensor, heads: int) -> Tensor:
    """[batch, places, heads * size] as [batch, heads, places, size]."""
    batch, places, width = on.shape(x)
    return on.Transpose(on.reshape(x, [batch, places, heads, width // heads]), perm=[0, 2, 1, 3])


def merge_heads(on: Decomposer, x: Tensor) -> Tensor:
    """[batch, heads, places, size] as [batch, places, heads * size]."""
    batch, heads, places, size = on.shape(x)
    return on.reshape(on.Transpose(x, perm=[0, 2, 1, 3]), [batch, places, heads * size])


def heads_first(
    on: Decomposer, op: Decomposition, name: str, x: Tensor, count: str, heads: int | None
) -> Tensor:
    """x, [batch, heads, places, size] or [batch, places, heads * size], as the first of these. The
    attribute `count` says how many `heads` there are. Raises OperatorInputError, which calls x
    `name`, for shapes and numbers that do not fit.
    """
    shape = on.shape(x)
    if len(shape) not in (3, 4):
        raise op.wrong(
            f"{name} is {shape}; expected is [batch, heads, positions, size], or [batch, "
            f"positions, heads * size] with {count}."
        )
    if len(shape) == 4:
        if heads not in (None, shape[1]):
            raise op.wrong(f"{name} is {shape}, with {shape[1]} heads, and {count} {heads}.")
        return x
    if not heads or heads < 0 or shape[2] % heads:
        raise op.wrong(
            f"{name} is {shape} and {count} {heads or 'not given'}; expected is a number of heads "
            f"that divides {shape[2]}."
        )
    return split_heads(on, x, heads)


def scaled_products(on: Decomposer, q: Tensor, k: Tensor, factor: float) -> Tensor:
    """The products of queries and keys times a factor, [batch, heads, places, total]. `q` and `k`
    are [batch, heads, positions, size]; `k` may have fewer heads, of which each serves a group of
    `q`'s.
    """
    q = on.Mul(q, on.like(factor, q))
    return grouped_product(on, q, on.Transpose(k, perm=[0, 1, 3, 2]))


def capped(on: Decomposer, scores: Tensor, cap: float) -> Tensor:
    """The scores s as cap * tanh(s / cap), or as they are if cap is 0."""
    if not cap:
        return scores
    limit = on.like(cap, scores)
    return on.Mul(on.Tanh(on.Div(scores, limit)), limit)


def lowest(on: Decomposer, like: Tensor) -> Tensor:
    """A number so low that its exponential is 0, of the type of `like`."""
    half = on.info(like).dataType() is DataType.FLOAT16
    return on.like(-65504.0 if half else float(np.finfo(np.float32).min), like)


def may_see(places: int, total: int, window: int = -1) -> np.ndarray:
    """[places, total]: whether the last `places` of `total` positions may see each of these: those
    up to themselves, of them the last `window` if that is not negative.
    """
    query = np.arange(total - places, total)[:, None]
    key = np.arange(total)[None, :]
    return (key <= query) & ((key > query - window) | (window < 0))


@dataclass
class Scores:
    """How queries see keys."""

    scale: float
    """The factor of the products; 0 is 1 / sqrt(size of a head)."""
    added: list[Tensor] = field(default_factory=list)
    """What is added to the products, broadcast to [batch, heads, places, total]."""
    seen: Tensor | None = None
    """BOOL, broadcast to that shape: false where nothing is seen at all."""
    softcap: float = 0.0
    """If not 0, products p become softcap * tanh(p / softcap)."""
    sink: Tensor | None = None
    """[heads]: the exponential of this is added to the sum that softmax divides by."""

    def probabilities(self, on: Decomposer, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Before and after softmax, [batch, heads, places, total], of queries and keys as
        `scaled_products` takes them.
        """
        batch, heads, places, size = on.shape(q)
        total = on.shape(k)[2]
        factor = self.scale or 1 / math.sqrt(size or 1)
        scores = capped(on, scaled_products(on, q, k, factor), self.softcap)
        for each in self.added:
            scores = on.Add(scores, each)
        if self.seen is not None:
            scores = on.Where(self.seen, scores, lowest(on, scores))
        if self.sink is None:
            return scores, on.Softmax(scores, axis=-1)
        column = on.Expand(on.reshape(self.sink, [heads, 1, 1]), on.ints(batch, heads, places, 1))
        whole = on.Softmax(on.Concat(scores, column, axis=-1), axis=-1)
        return scores, on.Slice(whole, on.ints(0), on.ints(total), on.ints(3))


def grouped_product(on: Decomposer, a: Tensor, b: Tensor) -> Tensor:
    """The product of the matrices of `a`, [batch, heads, rows, k], with those of `b`, [batch,
    heads or fewer, k, columns]; each of `b` serves as many heads in a row.
    """
    batch, heads, rows, inner = on.shape(a)
    fewer, columns = on.shape(b)[1], on.shape(b)[3]
    wide = on.reshape(a, [batch, fewer, heads // max(fewer, 1) * rows, inner])
    return on.reshape(on.MatMul(wide, b), [batch, heads, rows, columns])


def rotated(
    on: Decomposer, x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool, size: int
) -> Tensor:
    """x, [batch, heads, places, width], with the first `size` numbers of each head turned: pairs
    of neighbours if `interleaved`, otherwise of the halves. `cos` and `sin` broadcast to [batch,
    heads, places, size / 2].
    """
    batch, heads, places, width = on.shape(x)
    turned, rest = x, None
    if size != width:
        turned, rest = on.Split(x, on.ints(size, width - size), axis=3, outputs=2)
    if interleaved:
        pairs = on.reshape(turned, [batch, heads, places, size // 2, 2])
        a, b = (on.reshape(t, [batch, heads, places, size // 2]) for t in halves(on, pairs))
    else:
        a, b = halves(on, turned)
    parts = [
        on.Sub(on.Mul(a, cos), on.Mul(b, sin)),
        on.Add(on.Mul(a, sin), on.Mul(b, cos)),
    ]
    if interleaved:
        parts = [on.reshape(t, [batch, heads, places, size // 2, 1]) for t in parts]
        turned = on.reshape(on.Concat(*parts, axis=4), [batch, heads, places, size])
        parts = [turned]
    parts += [] if rest is None else [rest]
    return parts[0] if len(parts) == 1 else on.Concat(*parts, axis=3)


def halves(on: Decomposer, x: Tensor) -> Sequence[Tensor]:
    """The two halves of the last dimension."""
    return on.Split(x, axis=-1, num_outputs=2, outputs=2)
