"""Random nodes of PopART's operators that consist of others, and their formulas in numpy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.fuzz.generator import FLOATS, INT32, Array, Graph, Invalid, Type, Value

DOMAIN = "ai.graphcore"
UINT32 = np.dtype(np.uint32)


def _add(
    g: Graph,
    type: str,
    inputs: Sequence[Value | None],
    shape: Sequence[int],
    dtype: Type | None = None,
    **attributes: Any,
) -> None:
    kind = dtype or next(v for v in inputs if v is not None).dtype
    g.node(type, inputs, attributes, results=[(kind, shape)], domain=DOMAIN)


def _some(g: Graph, type: str, least: int, most: int = 4, input: int = 0) -> Value:
    def fits(v: Value) -> bool:
        return least <= len(v.shape) <= most and 0 not in v.shape

    return g.pick(g.types(type, input, DOMAIN), fits)


def _numbers(g: Graph, most: int, count: int, dtype: Type = UINT32) -> Value:
    return g.fresh(dtype, [count], lambda rng, s: rng.integers(0, most + 1, s))


def reverse(g: Graph, type: str) -> None:
    """Some of the dimensions, in any order."""
    x = _some(g, type, 1)
    dims = g.rng.sample(range(len(x.shape)), g.rng.randint(1, len(x.shape)))
    _add(g, type, [x], x.shape, dimensions=dims)


def subsample(g: Graph, type: str) -> None:
    """Strides of up to more than the dimension."""
    x = _some(g, type, 1)
    strides = [g.rng.choice([1, 1, 2, 3, 7]) for _ in x.shape]
    shape = [-(-d // s) for d, s in zip(x.shape, strides, strict=True)]
    _add(g, type, [x], shape, strides=strides)


def slice_(g: Graph, type: str) -> None:
    """A part of one dimension."""
    x = _some(g, type, 1)
    a = g.rng.randrange(len(x.shape))
    start = g.rng.randrange(x.shape[a])
    end = g.rng.randint(start, x.shape[a] + 2)
    shape = [*x.shape[:a], min(end, x.shape[a]) - start, *x.shape[a + 1 :]]
    _add(g, type, [x], shape, starts=[start], ends=[end], axes=[a])


def depth_to_space(g: Graph, type: str) -> None:
    """Both orders of the channels."""
    s = g.rng.choice([1, 2])
    h, w = g.rng.choice([1, 3]), g.rng.choice([2, 3])
    x = g.like(g.type(g.types(type, 0, DOMAIN)), (2, 3 * s * s, h, w))
    _add(g, type, [x], (2, 3, h * s, w * s), blocksize=s, mode=g.rng.choice(["DCR", "CRD"]))


def scaled_add(g: Graph, type: str) -> None:
    """Factors as attributes, or as one input or two."""
    x = g.pick(g.types(type, 0, DOMAIN))
    y = g.like(x.dtype, x.shape)
    count = g.rng.randrange(3)
    factors = [g.like(x.dtype, ()) for _ in range(count)]
    _add(g, type, [x, y, *factors], x.shape, scale0=2.0, scale1=-3.0)


def increment_mod(g: Graph, type: str) -> None:
    """Integers, whose remainders do not depend on rounding."""
    integers = [t for t in g.types(type, 0, DOMAIN) if g.smooth or t.kind in "iu"]
    x = g.pick(integers)
    if g.smooth:
        raise Invalid("a remainder has jumps")
    _add(g, type, [x], x.shape, increment=1.0, modulus=5.0)


def sort(g: Graph, type: str) -> None:
    """Either order along any axis."""
    x = _some(g, type, 1)
    given = {"axis": g.rng.randrange(-len(x.shape), len(x.shape)), "descending": g.rng.randrange(2)}
    results = [(x.dtype, x.shape), (INT32, x.shape)]
    g.node(type, [x], given, outputs=2, results=results, domain=DOMAIN)


def median(g: Graph, type: str) -> None:
    """Some axes or all, kept or not."""
    x = _some(g, type, 1)
    axes = sorted(g.rng.sample(range(len(x.shape)), g.rng.randint(1, len(x.shape))))
    keepdims = g.rng.randrange(2)
    shape = [1 if d in axes else n for d, n in enumerate(x.shape) if keepdims or d not in axes]
    results = [(x.dtype, shape), (INT32, shape)]
    given = {"axes": axes, "keepdims": keepdims}
    g.node(type, [x], given, outputs=2, results=results, domain=DOMAIN)


def bucketize(g: Graph, type: str) -> None:
    """Up to four boundaries, ascending."""
    x = g.pick(g.types(type, 0, DOMAIN))
    count = g.rng.choice([1, 2, 3, 4])
    bounds = g.fresh(x.dtype, [count], lambda rng, s: np.sort(rng.integers(-3, 4, s)))
    _add(g, type, [x, bounds], x.shape, INT32, right=g.rng.randrange(2))


def normalize_image(g: Graph, type: str) -> None:
    """Images of one to three dimensions."""
    kinds = [t for t in g.types(type, 0, DOMAIN) if t in FLOATS]
    dtype = g.type(kinds)
    if g.smooth:
        raise Invalid("there is no double")
    shape = [2, g.rng.choice([1, 3]), 3][g.rng.randrange(2) :]
    parts = [g.like(dtype, tuple(shape)), g.like(dtype, (3,)), g.like(dtype, (3,))]
    _add(g, type, parts, [*shape[:-1], 4], scale=0.5)


def group_norm(g: Graph, type: str) -> None:
    """One group to all channels; the statistics are not compared."""
    groups, each = g.rng.choice([1, 2]), g.rng.choice([2, 3])
    channels = groups * each
    dtype = g.type(g.types(type, 0, DOMAIN))
    x = g.fresh(dtype, (2, channels, 3))
    parts = [g.like(dtype, (channels,)) for _ in range(2)]
    results = [(dtype, x.shape), (dtype, (2 * groups,)), (dtype, (2 * groups,))]
    given = {"num_groups": groups, "epsilon": 0.5}
    g.node(type, [x, *parts], given, outputs=3, results=results, domain=DOMAIN)


def lstm(g: Graph, type: str) -> None:
    """Small ones, of the whole sequence or the last state."""
    steps, batch, inputs, hidden = (g.rng.choice([1, 2, 3]) for _ in range(4))
    dtype = g.type(g.types(type, 0, DOMAIN))
    shapes = [(steps, batch, inputs), (4, inputs + hidden, hidden), (4, hidden)]
    parts = [g.like(dtype, shape) for shape in (*shapes, (2, batch, hidden))]
    full = g.rng.randrange(2)
    out = (steps, batch, hidden) if full else (batch, hidden)
    results = [(dtype, out), (dtype, (batch, hidden))]
    given = {"outputFullSequence": full}
    g.node(type, parts, given, outputs=2, results=results, domain=DOMAIN)


def multi_conv(g: Graph, type: str) -> None:
    """Two convolutions of one dimension."""
    dtype = g.type(g.types(type, 0, DOMAIN))
    inputs: list[Value | None] = []
    results: list[tuple[Type, Sequence[int]]] = []
    pads: list[int] = []
    for _ in range(2):
        size, pad = g.rng.choice([3, 5]), g.rng.randrange(2)
        inputs += [g.like(dtype, (1, 2, size)), g.like(dtype, (3, 2, 2)), None]
        inputs[-1] = g.like(dtype, (3,))
        results.append((dtype, (1, 3, size + 2 * pad - 1)))
        pads += [pad, pad]
    g.node(type, inputs, {"pads": pads}, outputs=2, results=results, domain=DOMAIN)


def init(g: Graph, type: str) -> None:
    """Zeros of any shape."""
    shape = g.shape() or (2,)
    if g.smooth:
        raise Invalid("there is nothing to differentiate")
    given = {"shape": list(shape), "data_type": 1, "init_type": 1}
    g.node(type, [], given, results=[(np.dtype(np.float32), shape)], domain=DOMAIN)


def remap(g: Graph, type: str) -> None:
    """All three ways of the gradient."""
    x = g.pick(g.types(type, 0, DOMAIN))
    _add(g, type, [x], x.shape, remap_type=g.rng.randrange(3))


def sequence_slice(g: Graph, type: str) -> None:
    """Sequences that lie behind each other in the destination."""
    x = _some(g, type, 1)
    rows, count = x.shape[0], g.rng.choice([1, 2])
    to = g.like(x.dtype, (4, *x.shape[1:]))
    n = _numbers(g, min(2, rows), count)
    start = _numbers(g, max(rows - 2, 0), count)
    places = g.fresh(UINT32, [count], lambda rng, s: np.arange(2 * count, step=2))
    _add(g, type, [x, to, n, start, places], to.shape, zeroUnused=g.rng.randrange(2))


def dynamic(g: Graph, type: str) -> None:
    """Slices of one axis, inside or beyond the end."""
    x = _some(g, type, 1)
    a = g.rng.randrange(len(x.shape))
    size = g.rng.randint(1, x.shape[a])
    offset = _numbers(g, x.shape[a], 1)
    part = [*x.shape[:a], size, *x.shape[a + 1 :]]
    inputs = [x, offset]
    if type in ("DynamicUpdate", "DynamicAdd"):
        inputs.append(g.like(x.dtype, tuple(part)))
    if type == "DynamicAdd" and x.dtype.kind == "b":
        raise Invalid("no sums of truth values")
    _add(g, type, inputs, part if type == "DynamicSlice" else x.shape, axes=[a], sizes=[size])


def scatter_reduce(g: Graph, type: str) -> None:
    """A vector of indices along any axis."""
    x = _some(g, type, 1)
    a = g.rng.randrange(len(x.shape))
    size = g.rng.choice([1, 3, 4])
    indices = _numbers(g, size - 1, x.shape[a])
    shape = [*x.shape[:a], size, *x.shape[a + 1 :]]
    name = g.rng.choice(["sum", "max", "min"])
    first = [g.like(x.dtype, tuple(shape))] if g.rng.random() < 0.5 else []
    given = {"axis_size": size, "axis": a, "reduction": name}
    _add(g, type, [x, indices, *first], shape, **given)


def spline_basis(g: Graph, type: str) -> None:
    """Points in one or two dimensions."""
    dims, degree = g.rng.choice([1, 2]), g.rng.choice([1, 2])
    x = g.fresh(np.dtype(np.float32), (3, dims), lambda rng, s: rng.uniform(0.05, 0.95, s))
    size = g.fresh(INT32, [dims], lambda rng, s: rng.integers(3, 6, s))
    opened = g.fresh(np.dtype(np.uint8), [dims], lambda rng, s: rng.integers(0, 2, s))
    out = (3, (degree + 1) ** dims)
    results = [(x.dtype, out), (INT32, out)]
    given = {"degree": degree}
    g.node(type, [x, size, opened], given, outputs=2, results=results, domain=DOMAIN)


def spline_weighting(g: Graph, type: str) -> None:
    """A few points and splines."""
    if g.smooth:
        raise Invalid("there is no double")
    dtype = g.type(g.types(type, 0, DOMAIN))
    points, fan, out, count, splines = (g.rng.choice([1, 2, 3]) for _ in range(5))
    shapes = [(points, fan), (count, fan, out), (points, splines)]
    parts = [g.like(dtype, shape) for shape in shapes]
    index = g.fresh(INT32, (points, splines), lambda rng, s: rng.integers(0, count, s))
    _add(g, type, [*parts, index], (points, out))


def ctc(g: Graph, type: str) -> None:
    """Three steps and two labels, of probabilities that do not add up to 1."""
    if g.smooth:
        raise Invalid("there is no double")
    dtype = np.dtype(np.float32)
    x = g.fresh(dtype, (3, 2, 3), lambda rng, s: np.log(rng.uniform(0.1, 0.9, s)))
    labels = g.fresh(UINT32, (2, 2), lambda rng, s: np.stack([rng.permutation([1, 2])] * 2))
    steps = g.fresh(UINT32, [2], lambda rng, s: rng.integers(2, 4, s))
    counts = g.fresh(UINT32, [2], lambda rng, s: rng.integers(1, 3, s))
    name = g.rng.choice(["Mean", "Sum", "NoReduction"])
    out = (2,) if name == "NoReduction" else ()
    results = [(dtype, out), (dtype, x.shape)]
    inputs = [x, labels, steps, counts]
    g.node(type, inputs, {"reduction": name}, outputs=2, results=results, domain=DOMAIN)


def ctc_decoder(g: Graph, type: str) -> None:
    """As many beams as there are labellings: nothing is lost."""
    if g.smooth:
        raise Invalid("there is no gradient")
    dtype = np.dtype(np.float32)
    time, batch, classes = g.rng.choice([1, 2, 4]), g.rng.choice([1, 3]), g.rng.choice([1, 2, 3])
    x = g.fresh(
        dtype,
        (time, batch, classes),
        lambda rng, s: np.log(rng.uniform(0.1, 0.9, s)),
    )
    lengths = g.fresh(UINT32, [batch], lambda rng, s: rng.integers(0, time + 1, s))
    top = g.rng.choice([1, 2])
    blank = g.rng.randrange(classes)
    attributes = {"blank": blank, "beam_width": g.rng.choice([31, 100]), "top_paths": top}
    results = [(dtype, (batch, top)), (UINT32, (batch, top)), (UINT32, (batch, top, time))]
    g.node(type, [x, lengths], attributes, outputs=3, results=results, domain=DOMAIN)


MAKERS: dict[str, Callable[[Graph, str], None]] = {
    "Reverse": reverse,
    "Subsample": subsample,
    "Slice": slice_,
    "DepthToSpace": depth_to_space,
    "ScaledAdd": scaled_add,
    "IncrementMod": increment_mod,
    "Sort": sort,
    "ReduceMedian": median,
    "Bucketize": bucketize,
    "NormalizeImage": normalize_image,
    "GroupNormalization": group_norm,
    "LSTM": lstm,
    "MultiConv": multi_conv,
    "Init": init,
    "TensorRemap": remap,
    "SequenceSlice": sequence_slice,
    **dict.fromkeys(("DynamicSlice", "DynamicUpdate", "DynamicAdd", "DynamicZero"), dynamic),
    "ScatterReduce": scatter_reduce,
    "SplineBasis": spline_basis,
    "SplineWeighting": spline_weighting,
    "Ctc": ctc,
    "CtcBeamSearchDecoder": ctc_decoder,
}
"""What makes a node, by the operator's type."""


def _sliced(x: Array, starts: list[int], ends: list[int], axes: list[int]) -> Array:
    at = [slice(None)] * x.ndim
    for s, e, a in zip(starts, ends, axes, strict=True):
        at[a] = slice(s, e)
    return x[tuple(at)]


def _depth(x: Array, blocksize: int, mode: str) -> Array:
    b, c, h, w = x.shape
    s, c = blocksize, c // blocksize**2
    if mode == "DCR":
        return x.reshape(b, s, s, c, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(b, c, h * s, w * s)
    return x.reshape(b, c, s, s, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(b, c, h * s, w * s)


def _sorted(x: Array, axis: int, descending: int) -> tuple[Array, Array]:
    key = x.astype(np.float64) if x.dtype.kind not in "iu" else x.astype(object)
    at = np.argsort(-key if descending else key, axis, kind="stable").astype(np.int32)
    return np.take_along_axis(x, at, axis), at


def _median(x: Array, axes: list[int], keepdims: int) -> tuple[Array, Array]:
    left = [d for d in range(x.ndim) if d not in axes]
    rows = x.transpose(*left, *axes).reshape(*(x.shape[d] for d in left), -1)
    at = np.argsort(rows, -1, kind="stable")
    half = (rows.shape[-1] - 1) // 2
    at = at[..., half : half + 1]
    found = np.take_along_axis(rows, at, -1)
    shape = [1 if d in axes else n for d, n in enumerate(x.shape) if keepdims or d not in axes]
    return found.reshape(shape), at.reshape(shape).astype(np.int32)


def _groups(
    x: Array, scale: Array, bias: Array, num_groups: int, epsilon: float
) -> tuple[Array, ...]:
    rows = x.reshape(x.shape[0] * num_groups, -1)
    mean, inverse = rows.mean(1, keepdims=True), 1 / np.sqrt(rows.var(1, keepdims=True) + epsilon)
    normed = ((rows - mean) * inverse).reshape(x.shape)
    return normed * scale[:, None] + bias[:, None], mean[:, 0], inverse[:, 0]


def _lstm(
    x: Array, w: Array, b: Array, state: Array, outputFullSequence: int
) -> tuple[Array, Array]:
    h, c = state
    found: list[Array] = []
    for step in x:
        both = np.concatenate([step, h], 1)
        f, i, n, o = (both @ w[k] + b[k] for k in range(4))
        c = c / (1 + np.exp(-f)) + np.tanh(n) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        found.append(h)
    return np.stack(found) if outputFullSequence else h, c


def _convs(*inputs: Array, pads: list[int]) -> tuple[Array, ...]:
    found: list[Array] = []
    for k in range(2):
        x, w, b = inputs[3 * k : 3 * k + 3]
        x = np.pad(x, [(0, 0), (0, 0), (pads[2 * k], pads[2 * k + 1])])
        size = x.shape[2] - 1
        out = sum(np.einsum("bct,oc->bot", x[:, :, j : j + size], w[:, :, j]) for j in range(2))
        found.append(out + b[:, None])
    return tuple(found)


def _sequences(
    source: Array, to: Array, n: Array, start: Array, at: Array, zeroUnused: int
) -> Array:
    out = np.zeros_like(to) if zeroUnused else to.copy()
    for count, s, t in zip(n.tolist(), start.tolist(), at.tolist(), strict=True):
        out[t : t + count] = source[s : s + count]
    return out


def _place(x: Array, offset: Array, axes: list[int], sizes: list[int]) -> Any:
    (a,), (size,), o = axes, sizes, int(offset[0])
    inside = o + size <= x.shape[a]
    return (*[slice(None)] * a, slice(o, o + size)) if inside else None


def _dynamic_slice(x: Array, offset: Array, axes: list[int], sizes: list[int]) -> Array:
    at = _place(x, offset, axes, sizes)
    shape = [*x.shape[: axes[0]], sizes[0], *x.shape[axes[0] + 1 :]]
    return np.zeros(shape, x.dtype) if at is None else x[at]


def _dynamic(how: str) -> Callable[..., Array]:
    def formula(x: Array, offset: Array, *part: Array, axes: list[int], sizes: list[int]) -> Array:
        out, at = x.copy(), _place(x, offset, axes, sizes)
        if at is not None:
            out[at] = 0 if how == "zero" else part[0] + (out[at] if how == "add" else 0)
            if how == "update":
                out[at] = part[0]
        return out

    return formula


def _scattered(
    x: Array, index: Array, first: Array | None = None, *, axis_size: int, axis: int, reduction: str
) -> Array:
    moved = np.moveaxis(x, axis, 0)
    start = None if first is None else np.moveaxis(first, axis, 0)
    out = np.zeros((axis_size, *moved.shape[1:]), x.dtype)
    for k in range(axis_size):
        rows = moved[index == k]
        rows = rows if start is None else np.concatenate([start[k : k + 1], rows])
        if len(rows):
            out[k] = {"sum": np.sum, "max": np.max, "min": np.min}[reduction](rows, 0)
    return np.moveaxis(out, 0, axis)


def _spline(x: Array, size: Array, opened: Array, degree: int) -> tuple[Array, Array]:
    def b(i: int, d: int, v: float) -> float:
        if d == 0:
            return float(i <= v < i + 1)
        return ((v - i) * b(i, d - 1, v) + (i + d + 1 - v) * b(i + 1, d - 1, v)) / d

    dims, pieces = x.shape[1], degree + 1
    basis = np.ones((len(x), pieces**dims))
    index = np.zeros(basis.shape, np.int32)
    for e, s in itertools.product(range(len(x)), range(pieces**dims)):
        for d in range(dims):
            k = s // pieces**d % pieces
            v = np.float32(x[e, d]) * np.float32(int(size[d]) - degree * int(opened[d]))
            basis[e, s] *= b(k - degree, degree, float(v - np.floor(v)))
            index[e, s] += (int(v) + k) % size[d] * math.prod(size[:d].tolist())
    return basis, index


def _ctc(
    x: Array, labels: Array, steps: Array, counts: Array, reduction: str
) -> tuple[Array, Array]:
    """Sums over all alignments."""
    losses, gradient = np.zeros(x.shape[1]), np.zeros(x.shape)
    for n in range(x.shape[1]):
        wanted, total = labels[n, : counts[n]].tolist(), 0.0
        for path in itertools.product(range(x.shape[2]), repeat=int(steps[n])):
            if [k for k, _ in itertools.groupby(path) if k] == wanted:
                p = math.exp(sum(float(x[t, n, c]) for t, c in enumerate(path)))
                total += p
                for t, c in enumerate(path):
                    gradient[t, n, c] -= p
        losses[n] = -np.log(total)
        gradient[:, n] /= total
    if reduction == "Mean":
        return np.mean(losses / np.maximum(counts, 1)), gradient
    return losses.sum() if reduction == "Sum" else losses, gradient


def _decoded(
    x: Array, lengths: Array, blank: int, beam_width: int, top_paths: int
) -> tuple[Array, Array, Array]:
    """The most probable labellings, of all alignments."""
    time, batch, classes = x.shape
    logs, sizes = np.full((batch, top_paths), -np.inf), np.zeros((batch, top_paths), np.uint32)
    labels = np.zeros((batch, top_paths, time), np.uint32)
    for n in range(batch):
        found: dict[tuple[int, ...], float] = {}
        for path in itertools.product(range(classes), repeat=int(lengths[n])):
            spelt = tuple(k for k, _ in itertools.groupby(path) if k != blank)
            p = math.exp(sum(float(x[t, n, c]) for t, c in enumerate(path)))
            found[spelt] = found.get(spelt, 0) + p
        best = sorted(found.items(), key=lambda item: -item[1])[:top_paths]
        for i, (spelt, p) in enumerate(best):
            logs[n, i], sizes[n, i], labels[n, i, : len(spelt)] = math.log(p), len(spelt), spelt
    return logs, sizes, labels


def _subsampled(x: Array, strides: list[int]) -> Array:
    return x[tuple(slice(None, None, s) for s in strides)]


def _scaled(
    x: Array, y: Array, a: Any = None, b: Any = None, *, scale0: float, scale1: float
) -> Array:
    kind = x.dtype.type
    return x * (kind(scale0) if a is None else a) + y * (kind(scale1) if b is None else b)


FORMULAS: dict[str, Callable[..., Any]] = {
    "Reverse": lambda x, dimensions: np.flip(x, dimensions),
    "Subsample": _subsampled,
    "Slice": _sliced,
    "DepthToSpace": _depth,
    "ScaledAdd": _scaled,
    "IncrementMod": lambda x, increment, modulus: np.fmod(
        x + x.dtype.type(increment), x.dtype.type(modulus)
    ),
    "Sort": _sorted,
    "ReduceMedian": _median,
    "Bucketize": lambda x, b, right: (
        np.searchsorted(b, x, "right" if right else "left").astype(np.int32),
    ),
    "NormalizeImage": lambda x, o, s, scale: np.pad(
        (x * scale - o) * s, [*[(0, 0)] * (x.ndim - 1), (0, 1)]
    ),
    "GroupNormalization": _groups,
    "LSTM": _lstm,
    "MultiConv": _convs,
    "Init": lambda shape, data_type, init_type: (np.zeros(shape, np.float32),),
    "TensorRemap": lambda x, remap_type: x,
    "SequenceSlice": _sequences,
    "DynamicSlice": _dynamic_slice,
    "DynamicUpdate": _dynamic("update"),
    "DynamicAdd": _dynamic("add"),
    "DynamicZero": _dynamic("zero"),
    "ScatterReduce": _scattered,
    "SplineBasis": _spline,
    "SplineWeighting": lambda x, w, b, i: np.einsum("es,ei,esio->eo", b, x, w[i]),
    "Ctc": _ctc,
    "CtcBeamSearchDecoder": _decoded,
}
"""What they compute, of arrays in double; of several outputs a tuple."""
