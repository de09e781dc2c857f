"""How a random node of each operator is made: `OPERATORS`.

Long, because each operator is a few lines of one table.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from onnx import helper

from popir.types import DataType
from tests.fuzz import popart
from tests.fuzz.generator import (
    BFLOAT16,
    BOOL,
    FLOATS,
    INT32,
    INT64,
    INTEGERS,
    Array,
    Graph,
    Invalid,
    Type,
    Value,
)
from tests.fuzz.learning import MAKERS
from tests.ops.cases.control import BRANCHES, LOOP_BODY, SCAN_BODY

Maker = Callable[[Graph, str], object]
GRAPHCORE = "ai.graphcore"
_FLOAT = np.dtype(np.float32)
_HALVES = [np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)]


def _maybe(g: Graph, chance: float = 0.5) -> bool:
    return g.rng.random() < chance


def _factor(g: Graph) -> float:
    return g.rng.choice([0.0, 1.0, 0.01, 0.2, 0.5, 1.5, 2.0, -0.5, 3.0])


def _axis(g: Graph, rank: int, negative: bool | None = None) -> int:
    if not rank:
        raise Invalid("no dimension")
    axis = g.rng.randrange(rank)
    signed = g.opset >= 11 if negative is None else negative
    return axis - rank if signed and _maybe(g) else axis


def _ranked(least: int, most: int = 5) -> Callable[[Value], bool]:
    return lambda v: least <= len(v.shape) <= most


# Element-wise.


def unary(g: Graph, type: str, **attributes: Callable[[Graph], Any]) -> None:
    """One operand; attributes are left out at times."""
    given = {name: make(g) for name, make in attributes.items() if _maybe(g, 0.8)}
    g.node(type, [g.pick(g.types(type))], given)


def own_unary(g: Graph, type: str, **attributes: Callable[[Graph], Any]) -> None:
    """One operand, of ai.graphcore; all attributes are required."""
    x = g.pick(g.types(type, 0, GRAPHCORE))
    given = {name: make(g) for name, make in attributes.items()}
    g.node(type, [x], given, results=[(x.dtype, x.shape)], domain=GRAPHCORE)


def scale(g: Graph, type: str) -> None:
    """Integers by integers."""
    x = g.pick(g.types(type, 0, GRAPHCORE))
    factor = g.rng.choice([0.0, 2.0, -3.0, *([0.3] if x.dtype in FLOATS else [])])
    g.node(type, [x], {"scale": factor}, results=[(x.dtype, x.shape)], domain=GRAPHCORE)


def _divisor(g: Graph, x: Value) -> Value:
    """Integers are divided by what is not 0: of that the standard says nothing."""
    if x.dtype in FLOATS:
        return g.partner(x)
    return g.fresh(x.dtype, x.shape, lambda rng, shape: rng.integers(1, 6, shape))


def _pair(g: Graph, types: Sequence[Type]) -> list[Value]:
    x = g.pick(types)
    pair = [x, g.partner(x)]
    g.rng.shuffle(pair)
    return pair


def binary(g: Graph, type: str) -> None:
    """Two operands that broadcast."""
    pair = _pair(g, g.types(type))
    shape = np.broadcast_shapes(*(v.shape for v in pair))
    compares = type in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
    g.node(type, pair, results=[(BOOL if compares else pair[0].dtype, shape)])


def division(g: Graph, type: str) -> None:
    """Div and Mod."""
    x = g.pick(g.types(type))
    attributes = {}
    if type == "Mod" and (x.dtype in FLOATS or _maybe(g, 0.3)):
        attributes = {"fmod": 1}
    g.node(type, [x, _divisor(g, x)], attributes)


def power(g: Graph, type: str) -> None:
    """Integers to small powers that are not negative; the exponent may have a type of its own."""
    x = g.pick(g.types(type))
    other = g.type(g.types(type, 1)) if g.opset >= 12 and _maybe(g, 0.3) else x.dtype
    if x.dtype in FLOATS and other in FLOATS:
        g.node(type, [x, g.partner(x, other)])
        return
    exponent = g.fresh(other, x.shape[-1:], lambda rng, shape: rng.integers(0, 4, shape))
    g.node(type, [x, exponent])


def variadic(g: Graph, type: str) -> None:
    """One to four operands; before opset 8 of one shape."""
    x = g.pick(g.types(type))
    if g.opset < 8:
        rest = [g.like(x.dtype, x.shape) for _ in range(g.rng.randrange(3))]
    else:
        rest = [g.partner(x) for _ in range(g.rng.randrange(4))]
    shapes = [v.shape for v in rest]
    try:
        np.broadcast_shapes(x.shape, *shapes)
    except ValueError:
        rest = rest[:1]
    g.node(type, [x, *rest])


def where(g: Graph, type: str) -> None:
    """A condition and two operands."""
    x = g.pick(g.types(type, 1))
    y = g.partner(x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    condition = g.partner(Value("", BOOL, shape))
    if len(np.broadcast_shapes(condition.shape, shape)) > 5:
        raise Invalid("rank")
    g.node(type, [condition, x, y])


def clip(g: Graph, type: str) -> None:
    """Bounds as attributes, or from opset 11 on as inputs, of which each may be missing."""
    x = g.pick(g.types(type))
    low, high = sorted(g.rng.sample([-5, -2, -1, 0, 1, 2, 4, 7], 2))
    if x.dtype.kind == "u":
        low, high = abs(low), abs(low) + 3
    if g.opset < 11:
        bounds = {"min": float(low), "max": float(high)}
        g.node(type, [x], {k: v for k, v in bounds.items() if _maybe(g, 0.7)})
        return
    g.node(
        type,
        [x, *(g.constant(b, x.dtype) if _maybe(g, 0.7) else None for b in (low, high))],
    )


def cast(g: Graph, type: str) -> None:
    """From any type to any. What lies beyond the range of integers is cut off before: of that the
    standard says nothing.
    """
    every = g.types(type)
    x = g.pick(every)
    to = g.type(every)
    if x.dtype in FLOATS and to in INTEGERS:
        if g.opset < 13 or x.dtype not in g.types("Clip"):
            raise Invalid("no Clip")
        least = 0 if to.kind == "u" else -20
        bounds = [g.constant(b, x.dtype) for b in (least, 20)]
        # Max and Min leave NaN as it is: only a number may come here.
        x = g.fresh(x.dtype, x.shape, lambda rng, s: rng.standard_normal(s) * 9)
        x = g.node("Clip", [x, *bounds])[0]
    g.node(type, [x], {"to": DataType.of(to).onnx})


def bitwise(g: Graph, type: str) -> None:
    """Of ai.graphcore: the result has the broadcast shape."""
    types = g.types(type, 0, GRAPHCORE)
    pair = _pair(g, types) if type != "BitwiseNot" else [g.pick(types)]
    shape = np.broadcast_shapes(*(v.shape for v in pair))
    g.node(type, pair, results=[(pair[0].dtype, shape)], domain=GRAPHCORE)


def remainder(g: Graph, type: str) -> None:
    """Fmod, Remainder and Atan2 of ai.graphcore."""
    x = g.pick(g.types(type, 0, GRAPHCORE))
    y = _divisor(g, x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    g.node(type, [x, y], results=[(x.dtype, shape)], domain=GRAPHCORE)


# Shapes.


def same(g: Graph, type: str) -> None:
    """Identity, and Dropout as it is when nothing is trained."""
    x = g.pick(g.types(type))
    both = type == "Dropout" and g.opset >= 12 and _maybe(g, 0.3)
    inputs: list[Value | None] = [x]
    if type == "Dropout" and g.opset >= 12 and _maybe(g):
        inputs.append(g.constant(0.3, np.dtype(np.float32)))
    if both:
        g.node(type, inputs, {}, 2, [(x.dtype, x.shape), (BOOL, x.shape)])
    else:
        g.node(type, inputs)


def _factors(g: Graph, size: int) -> list[int]:
    found: list[int] = []
    while size > 1 and len(found) < 4:
        divisors = [d for d in (2, 3, 5, 11, 17) if size % d == 0]
        d = g.rng.choice(divisors) if divisors else size
        found.append(d)
        size //= d
    found.append(size)
    for _ in range(g.rng.randrange(2)):
        found.insert(g.rng.randrange(len(found) + 1), 1)
    return found


def reshape(g: Graph, type: str) -> None:
    """To other dimensions, with 0 and -1 at times, or to the computed shape of itself."""
    x = g.pick(g.types(type))
    if _maybe(g, 0.1):
        shape = g.node("Shape", [x])[0]
        g.node(type, [x, shape], results=[(x.dtype, x.shape)])
        return
    if not x.size:
        target = list(x.shape)
        g.rng.shuffle(target)
        attributes = {"allowzero": 1} if g.opset >= 14 else {}
        if not attributes:
            target = list(x.shape)
        g.node(type, [x, g.constant(target)], attributes, results=[(x.dtype, target)])
        return
    target = _factors(g, x.size)
    full = list(target)
    if _maybe(g, 0.3):
        target[g.rng.randrange(len(target))] = -1
    elif len(x.shape) > 0 and target[0] == x.shape[0] and _maybe(g):
        target[0] = 0
    g.node(type, [x, g.constant(target)], results=[(x.dtype, full)])


def own_reshape(g: Graph, type: str) -> None:
    """Of ai.graphcore: the shape is an attribute."""
    x = g.pick(g.types(type, 0, GRAPHCORE), lambda v: v.size > 0)
    target = _factors(g, x.size)
    g.node(type, [x], {"shape": target}, results=[(x.dtype, target)], domain=GRAPHCORE)


def flatten(g: Graph, type: str) -> None:
    """Any axis, that of a scalar too."""
    x = g.pick(g.types(type))
    low = -len(x.shape) if g.opset >= 11 else 0
    g.node(type, [x], {"axis": g.rng.randint(low, len(x.shape))})


def _axes(
    g: Graph,
    type: str,
    x: Value,
    axes: Sequence[int],
    since: int,
    shape: Sequence[int] | None = None,
    **more: Any,
) -> None:
    """A node whose axes are an attribute, or from a version on an input; its result has the given
    shape, or the one that onnx infers.
    """
    results = None if shape is None else [(x.dtype, shape)]
    if g.version(type) < since:
        g.node(type, [x], {"axes": list(axes), **more}, results=results)
    else:
        g.node(type, [x, g.constant(axes)], more, results=results)


def squeeze(g: Graph, type: str) -> None:
    """Some of the ones, or all."""
    x = g.pick(g.types(type))
    ones = [i for i, d in enumerate(x.shape) if d == 1]
    if _maybe(g, 0.3) or not ones:
        g.node(type, [x])
        return
    chosen = g.rng.sample(ones, g.rng.randint(1, len(ones)))
    signed = g.opset >= 11 and _maybe(g)
    # onnx infers the shape of axes in order alone.
    shape = [d for i, d in enumerate(x.shape) if i not in chosen]
    _axes(g, type, x, [i - len(x.shape) if signed else i for i in chosen], 13, shape)


def unsqueeze(g: Graph, type: str) -> None:
    """One or two new dimensions."""
    x = g.pick(g.types(type), _ranked(0, 4))
    count = 1 if len(x.shape) > 3 or _maybe(g) else 2
    rank = len(x.shape) + count
    chosen = g.rng.sample(range(rank), count)
    signed = g.opset >= 11 and _maybe(g)
    _axes(g, type, x, [i - rank if signed else i for i in chosen], 13)


def transpose(g: Graph, type: str) -> None:
    """Any order, or none given."""
    x = g.pick(g.types(type))
    order = list(range(len(x.shape)))
    g.rng.shuffle(order)
    g.node(type, [x], {"perm": order} if order and _maybe(g, 0.8) else {})


def concat(g: Graph, type: str) -> None:
    """One to four, of different lengths."""
    x = g.pick(g.types(type), _ranked(1))
    axis = _axis(g, len(x.shape))
    parts = [x]
    for _ in range(g.rng.randrange(4)):
        shape = list(x.shape)
        shape[axis] = g.rng.choice([0, 1, 2, 3, x.shape[axis]])
        parts.append(g.like(x.dtype, tuple(shape)))
    g.rng.shuffle(parts)
    g.node(type, parts, {"axis": axis})


def slice_(g: Graph, type: str) -> None:
    """Starts and ends inside, outside and from the end; from opset 10 on with steps."""
    x = g.pick(g.types(type), _ranked(1))
    count = g.rng.randint(1, len(x.shape))
    axes = g.rng.sample(range(len(x.shape)), count)
    starts = [g.rng.randint(-x.shape[a] - 1, x.shape[a] + 1) for a in axes]
    ends = [g.rng.choice([*range(-3, 8), 2**31 - 1]) for _ in axes]
    if g.opset < 10:
        sizes = _sliced(x, axes, starts, ends, [1] * count)
        attributes = {"starts": starts, "ends": ends, "axes": axes}
        g.node(type, [x], attributes, results=[(x.dtype, sizes)])
        return
    steps = [g.rng.choice([1, 1, 1, 2, 3, -1, -2]) for _ in axes]
    ends = [
        -(2**31) + 1 if s < 0 and _maybe(g, 0.7) else e for e, s in zip(ends, steps, strict=True)
    ]
    inputs = [g.constant(v, INT64) for v in (starts, ends, axes, steps)]
    g.node(type, [x, *inputs], results=[(x.dtype, _sliced(x, axes, starts, ends, steps))])


def _sliced(x: Value, axes: Sequence[int], *ranges: Sequence[int]) -> list[int]:
    sizes = list(x.shape)
    for axis, start, end, step in zip(axes, *ranges, strict=True):
        size = sizes[axis]
        if step < 0:  # Where numpy takes nothing, ONNX begins with the first element.
            start = max(start, -size)
        sizes[axis] = len(range(*slice(start, end, step).indices(size)))
    return sizes


def split(g: Graph, type: str) -> None:
    """In given parts, equal parts, or from opset 18 on in a number of parts."""
    x = g.pick(g.types(type), _ranked(1))
    axis = _axis(g, len(x.shape))
    length = x.shape[axis]
    parts = g.rng.randint(1, 4)
    if g.opset >= 18 and length >= parts and _maybe(g, 0.3):
        g.node(type, [x], {"axis": axis, "num_outputs": parts}, parts)
        return
    if length % parts == 0 and g.opset < 18 and _maybe(g, 0.4):
        g.node(type, [x], {"axis": axis}, parts)
        return
    cuts = sorted(g.rng.randint(0, length) for _ in range(parts - 1))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, length], strict=True)]
    shapes = [
        (x.dtype, [*x.shape[: axis % len(x.shape)], s, *x.shape[axis % len(x.shape) + 1 :]])
        for s in sizes
    ]
    if g.opset < 13:
        g.node(type, [x], {"axis": axis, "split": sizes}, parts, shapes)
    else:
        g.node(type, [x, g.constant(sizes)], {"axis": axis}, parts, shapes)


def expand(g: Graph, type: str) -> None:
    """To a shape that broadcasts with the value's, which may be the smaller one."""
    x = g.pick(g.types(type))
    target = [g.rng.choice([2, 3, 5]) if d == 1 and _maybe(g) else d for d in x.shape]
    target = [1 if _maybe(g, 0.2) else d for d in target]
    if len(target) < 5 and _maybe(g, 0.3):
        target = [g.rng.choice([0, 1, 2]), *target]
    g.node(
        type,
        [x, g.constant(target)],
        results=[(x.dtype, np.broadcast_shapes(x.shape, tuple(target)))],
    )


def tile(g: Graph, type: str) -> None:
    """Each dimension none to three times."""
    x = g.pick(g.types(type))
    repeats = [g.rng.choice([0, 1, 1, 1, 2, 3]) for _ in x.shape]
    g.node(type, [x, g.constant(repeats)])


def center_crop_pad(g: Graph, type: str) -> None:
    """Some dimensions or all, made longer and shorter."""
    x = g.pick(g.types(type), _ranked(1))
    rank = len(x.shape)
    axes = g.rng.sample(range(rank), g.rng.randint(1, rank)) if _maybe(g) else None
    chosen = range(rank) if axes is None else axes
    sizes = [max(0, min(40, x.shape[d] + g.rng.randint(-4, 4))) for d in chosen]
    out = list(x.shape)
    for d, size in zip(chosen, sizes, strict=True):
        out[d] = size
    given = {} if axes is None else {"axes": [d - g.rng.choice([0, rank]) for d in axes]}
    shape = g.constant(sizes, np.dtype(g.rng.choice([np.int32, np.int64])))
    g.node(type, [x, shape], given, results=[(x.dtype, tuple(out))])


def trilu(g: Graph, type: str) -> None:
    """Any diagonal, inside and outside."""
    x = g.pick(g.types(type), _ranked(2))
    k = [g.constant(g.rng.randint(-6, 6))] if _maybe(g) else []
    g.node(type, [x, *k], {"upper": g.rng.randrange(2)} if _maybe(g) else {})


def _indices(g: Graph, length: int, shape: Sequence[int], dtype: Type, negative: bool) -> Value:
    if not length and math.prod(shape):
        raise Invalid("nothing to gather")
    low = -length if negative else 0
    return g.fresh(dtype, shape, lambda rng, s: rng.integers(low, max(length, 1), s))


def gather(g: Graph, type: str) -> None:
    """Indices of any shape, from opset 11 on negative ones too."""
    x = g.pick(g.types(type), _ranked(1))
    axis = _axis(g, len(x.shape))
    shape = g.shape(g.rng.choice([0, 1, 1, 2]))
    dtype = g.rng.choice([INT32, INT64])
    indices = _indices(g, x.shape[axis], shape, dtype, g.opset >= 11)
    g.node(type, [x, indices], {"axis": axis} if axis or _maybe(g) else {})


def _computes(g: Graph) -> dict[str, str]:
    """What a scatter does with its updates, in the version in force."""
    newest = ["add", "mul", *(["max", "min"] if g.opset >= 18 else [])] if g.opset >= 16 else []
    found = g.rng.choice(["none", *newest])
    return {"reduction": found} if found != "none" or (_maybe(g, 0.2) and newest) else {}


def gather_elements(g: Graph, type: str) -> None:
    """As many indices as the data in other dimensions than the axis, or fewer."""
    x = g.pick(g.types(type), _ranked(1))
    axis = _axis(g, len(x.shape))
    shape = [g.rng.randint(min(d, 1), d) for d in x.shape]
    shape[axis] = g.rng.choice([1, 2, 5])
    indices = _indices(g, x.shape[axis], shape, g.rng.choice([INT32, INT64]), True)
    g.node(type, [x, indices], {"axis": axis} if axis or _maybe(g) else {})


def _rows_of(g: Graph, sizes: Sequence[int], shape: Sequence[int], unique: bool) -> Value:
    """Indices [shape..., dimensions] into `sizes`; none of them twice if `unique`."""
    count, places = math.prod(shape), math.prod(sizes)
    if (count and not places) or (unique and count > places):
        raise Invalid("too few places")

    def sampler(rng: np.random.Generator, _: Any) -> Array:
        flat = rng.permutation(places)[:count] if unique else rng.integers(0, max(places, 1), count)
        at = np.stack(np.unravel_index(flat, sizes), -1) if count else np.zeros((0, len(sizes)))
        signed = np.where(rng.random(at.shape) < 0.3, at - np.array(sizes), at)
        return signed.reshape([*shape, len(sizes)])

    return g.fresh(INT64, [*shape, len(sizes)], sampler)


def gather_nd(g: Graph, type: str) -> None:
    """Rows of indices, from opset 12 on with batches."""
    x = g.pick(g.types(type), _ranked(1))
    batch = g.rng.randrange(min(len(x.shape), 3)) if g.opset >= 12 and _maybe(g, 0.4) else 0
    depth = g.rng.randint(1, len(x.shape) - batch)
    shape = [*x.shape[:batch], *g.shape(g.rng.choice([0, 1, 1, 2]))]
    indices = _rows_of(g, x.shape[batch : batch + depth], shape, False)
    g.node(type, [x, indices], {"batch_dims": batch} if batch else {})


def scatter_elements(g: Graph, type: str) -> None:
    """Also Scatter. ONNX does not say which of two updates without a reduction stays."""
    x = g.pick(g.types(type), _ranked(1))
    attributes = _computes(g) if type == "ScatterElements" else {}
    axis = _axis(g, len(x.shape), type == "ScatterElements")
    shape = [g.rng.randint(min(d, 1), d) for d in x.shape]
    length = x.shape[axis]

    def distinct(rng: np.random.Generator, shape: Sequence[int]) -> Array:
        whole = [*shape]
        whole[axis] = length
        line = np.arange(length).reshape([-1, *[1] * (len(whole) - 1 - axis % len(whole))])
        mixed = rng.permuted(np.broadcast_to(line, whole), axis=axis)
        return np.take(mixed, np.arange(shape[axis]), axis)

    if attributes.get("reduction", "none") == "none":
        indices = g.fresh(g.rng.choice([INT32, INT64]), shape, distinct)
    else:
        shape[axis] = g.rng.choice([1, 3])
        indices = _indices(g, length, shape, g.rng.choice([INT32, INT64]), True)
    g.node(type, [x, indices, g.like(x.dtype, tuple(shape))], {**attributes, "axis": axis})


def scatter_nd(g: Graph, type: str) -> None:
    """Rows of indices, none of them twice without a reduction."""
    x = g.pick(g.types(type), _ranked(1))
    attributes = _computes(g)
    depth = g.rng.randint(1, len(x.shape))
    shape = [g.rng.choice([1, 2, 3])] if _maybe(g, 0.8) else []
    unique = attributes.get("reduction", "none") == "none"
    indices = _rows_of(g, x.shape[:depth], shape, unique)
    updates = g.like(x.dtype, (*shape, *x.shape[depth:]))
    g.node(type, [x, indices, updates], attributes)


def tensor_scatter(g: Graph, type: str) -> None:
    """A cache, and an update within it, or around its end."""
    x = g.pick(g.types(type), _ranked(2))
    axis = g.rng.randrange(1, len(x.shape))
    size = x.shape[axis]
    count = g.rng.randint(min(size, 1), size)
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    circular = bool(size) and _maybe(g)
    last = 2 * size if circular else size - count
    start = g.fresh(INT64, x.shape[:1], lambda rng, s: rng.integers(0, last + 1, s))
    attributes = {"axis": axis - len(x.shape), **({"mode": "circular"} if circular else {})}
    g.node(type, [x, g.like(x.dtype, shape), *([start] if _maybe(g, 0.8) else [])], attributes)


def reverse_sequence(g: Graph, type: str) -> None:
    """Batch or time first."""
    x = g.pick(g.types(type), _ranked(2))
    batch = g.rng.randrange(2)
    time = x.shape[1 - batch]
    if not time:
        raise Invalid("no time")
    lengths = g.fresh(INT64, [x.shape[batch]], lambda rng, s: rng.integers(1, time + 1, s))
    g.node(type, [x, lengths], {"batch_axis": batch, "time_axis": 1 - batch})


def one_hot(g: Graph, type: str) -> None:
    """Some indices are out of range."""
    depth = g.rng.choice([1, 2, 5])
    shape = g.shape(g.rng.choice([0, 1, 2, 3]))
    indices = g.fresh(INT64, shape, lambda rng, s: rng.integers(-depth - 1, depth + 2, s))
    values = g.like(g.type(g.types(type, 2)), (2,))
    axis = g.rng.randint(-len(shape) - 1, len(shape))
    g.node(type, [indices, g.constant(depth), values], {"axis": axis} if _maybe(g, 0.7) else {})


def eye_like(g: Graph, type: str) -> None:
    """Any diagonal. The oracle widens bfloat16, and with it the type of the result."""
    types = [t for t in g.types(type) if t != BFLOAT16]
    x = g.pick(types, lambda v: len(v.shape) == 2)
    kind = {"dtype": DataType.of(g.rng.choice([INT64, np.dtype(np.float32)])).onnx}
    g.node(type, [x], {"k": g.rng.randint(-3, 3), **(kind if _maybe(g) else {})})


def compress(g: Graph, type: str) -> None:
    """A condition that may be shorter than the axis."""
    x = g.pick(g.types(type), _ranked(1))
    axis = _axis(g, len(x.shape)) if _maybe(g, 0.7) else None
    size = math.prod(x.shape) if axis is None else x.shape[axis]
    flags = np.array([_maybe(g) for _ in range(min(g.rng.randint(0, size), 64))], np.bool_)
    shape = [int(flags.sum())]
    if axis is not None:
        shape = [*x.shape]
        shape[axis] = int(flags.sum())
    g.node(
        type,
        [x, g.constant(flags, BOOL)],
        {} if axis is None else {"axis": axis},
        results=[(x.dtype, shape)],
    )


def col2im(g: Graph, type: str) -> None:
    """Blocks with strides, dilations and padding, in two dimensions."""
    pick = g.rng.choice
    image, block = [pick([3, 5, 6]) for _ in range(2)], [pick([1, 2, 3]) for _ in range(2)]
    strides, dilations = [pick([1, 1, 2, 3]) for _ in range(2)], [pick([1, 1, 2]) for _ in range(2)]
    pads = [pick([0, 0, 1]) for _ in range(4)]
    counts = [
        (image[d] + pads[d] + pads[d + 2] - dilations[d] * (block[d] - 1) - 1) // strides[d] + 1
        for d in range(2)
    ]
    if min(counts) < 1:
        raise Invalid("no block")
    batch, channels = pick([1, 2]), pick([1, 2])
    shape = (batch, channels * math.prod(block), math.prod(counts))
    x = g.like(g.type(set(g.types(type)) & set(FLOATS)), shape)
    attributes = {"strides": strides, "dilations": dilations, "pads": pads}
    results = [(x.dtype, [batch, channels, *image])]
    g.node(type, [x, g.constant(image), g.constant(block)], attributes, results=results)


def grouped_gather(g: Graph, type: str) -> None:
    """Of ai.graphcore: each group has indices of its own."""
    x = g.pick(g.types(type, 0, GRAPHCORE), _ranked(2))
    groups = x.shape[0]
    if not groups:
        raise Invalid("no groups")
    axis = g.rng.randrange(1, len(x.shape)) if groups > 1 else g.rng.randrange(len(x.shape))
    rest = [g.rng.choice([1, 2, 3])]
    shape = [groups, *rest] if groups > 1 else rest
    indices = _indices(g, x.shape[axis], shape, g.rng.choice([INT32, INT64]), True)
    out = [*x.shape[:axis], *rest, *x.shape[axis + 1 :]]
    g.node(
        type,
        [x, indices],
        {"axis": axis, "group_size": groups},
        results=[(x.dtype, out)],
        domain=GRAPHCORE,
    )


def shape_of(g: Graph, type: str) -> None:
    """Shape, with a part of it from opset 15 on, and Size."""
    x = g.pick(g.types(type))
    part = type == "Shape" and g.opset >= 15 and _maybe(g)
    g.node(type, [x], {"start": g.rng.randint(-6, 6), "end": g.rng.randint(-6, 6)} if part else {})


def constant_of_shape(g: Graph, type: str) -> None:
    """Any type and shape."""
    dtype = g.type([*FLOATS[:3], *INTEGERS, BOOL])
    value = helper.make_tensor("value", DataType.of(dtype).onnx, [1], [g.rng.choice([0, 1, 3])])
    g.node(type, [g.constant(g.shape(), INT64)], {"value": value} if _maybe(g, 0.8) else {})


def range_(g: Graph, type: str) -> None:
    """Upwards, downwards, of nothing."""
    dtype = g.type(g.types(type))
    start, limit = g.rng.randint(-5, 20), g.rng.randint(-5, 20)
    delta = g.rng.choice([1, 2, 3, -1, -2])
    if dtype.kind == "u":
        raise Invalid("unsigned")
    numbers = [g.constant(v, dtype) for v in (start, limit, delta)]
    count = max(0, math.ceil((limit - start) / delta))
    g.node(type, numbers, results=[(dtype, [count])])


def pad(g: Graph, type: str) -> None:
    """All modes; a negative padding cuts off."""
    version = g.version(type)
    x = g.pick(g.types(type), lambda v: _ranked(1, 4)(v) and v.size > 0)
    mode = g.rng.choice(
        ["constant", "constant", "reflect", "edge", *(["wrap"] if version > 18 else [])]
    )
    axes = list(range(len(x.shape)))
    if version >= 18 and _maybe(g, 0.4):
        axes = g.rng.sample(axes, g.rng.randint(1, len(axes)))
    most = [x.shape[a] - 1 if mode == "reflect" else min(3, x.shape[a]) for a in axes]
    pads = [g.rng.randint(0, min(m, 3)) for m in most * 2]
    if mode == "constant" and _maybe(g, 0.2):
        i = g.rng.randrange(len(pads))
        pads[i] = -g.rng.randint(0, x.shape[axes[i % len(axes)]] - 1)
    shape = list(x.shape)
    for i, a in enumerate(axes):
        shape[a] += pads[i] + pads[len(axes) + i]
    results = [(x.dtype, shape)]
    if version < 11:
        g.node(type, [x], {"mode": mode, "pads": pads, "value": 1.5}, results=results)
        return
    inputs: list[Value | None] = [x, g.constant(pads)]
    inputs.append(g.like(x.dtype, ()) if mode == "constant" and _maybe(g) else None)
    if axes != list(range(len(x.shape))):
        inputs.append(g.constant(axes))
    g.node(type, inputs, {"mode": mode}, results=results)


def prelu(g: Graph, type: str) -> None:
    """The slope broadcasts to the data, never the other way round."""
    x = g.pick(g.types(type))
    shape = x.shape[g.rng.randrange(len(x.shape) + 1) :]
    slope = g.like(x.dtype, tuple(1 if _maybe(g, 0.3) else d for d in shape))
    g.node(type, [x, slope], results=[(x.dtype, x.shape)])


def cast_like(g: Graph, type: str) -> None:
    """Between floating-point types, or between integers."""
    x = g.pick(g.types(type))
    family = FLOATS if x.dtype in FLOATS else INTEGERS if x.dtype in INTEGERS else (BOOL,)
    target = g.pick([t for t in family if t in g.types(type, 1)])
    g.node(type, [x, target], results=[(target.dtype, x.shape)])


def blocks(g: Graph, type: str) -> None:
    """Depth to space, in both orders, and back."""
    size = g.rng.choice([1, 2, 3])
    n, c, h, w = (g.rng.choice([1, 2, 3]) for _ in range(4))
    if type == "DepthToSpace":
        x = g.like(g.type(g.types(type)), (n, c * size * size, h, w))
        mode = {"mode": g.rng.choice(["DCR", "CRD"])} if g.opset >= 11 and _maybe(g) else {}
        g.node(type, [x], {"blocksize": size, **mode})
    else:
        x = g.like(g.type(g.types(type)), (n, c, h * size, w * size))
        g.node(type, [x], {"blocksize": size})


# Normalisation.


def _variances(rng: np.random.Generator, shape: Sequence[int]) -> Array:
    return rng.uniform(0.2, 2, shape)


def batch_norm(g: Graph, type: str) -> None:
    """With given statistics, and from opset 14 on with those of the batch."""
    x = g.pick(g.types(type), _ranked(2))
    c = x.shape[1:2]
    scale, bias, mean = (g.like(x.dtype, c) for _ in range(3))
    variance = g.fresh(x.dtype, c, _variances)
    attributes: dict[str, Any] = {"epsilon": g.rng.choice([1e-5, 1e-3, 0.1])} if _maybe(g) else {}
    training = g.opset >= 14 and x.size > 0 and _maybe(g, 0.3)
    if training:
        attributes |= {"training_mode": 1, "momentum": g.rng.choice([0.9, 0.5])}
        results = [(x.dtype, x.shape), (x.dtype, c), (x.dtype, c)]
        g.node(type, [x, scale, bias, mean, variance], attributes, 3, results)
    else:
        g.node(type, [x, scale, bias, mean, variance], attributes)


def own_batch_norm(g: Graph, type: str) -> None:
    """Of ai.graphcore: one output with given statistics, five with those of the batch."""
    types = g.types(type, 0, GRAPHCORE)
    x = g.pick(types, lambda v: len(v.shape) > 1 and v.size > v.shape[1])
    c = x.shape[1:2]
    scale, bias, mean = (g.like(x.dtype, c) for _ in range(3))
    inputs = [x, scale, bias, mean, g.fresh(x.dtype, c, _variances)]
    count = g.rng.choice([1, 5])
    results = [(x.dtype, x.shape), *[(x.dtype, c)] * 4][:count]
    attributes = {"epsilon": 1e-3} if _maybe(g) else {}
    g.node(type, inputs, attributes, count, results, GRAPHCORE)


def layer_norm(g: Graph, type: str) -> None:
    """Over the last dimensions, with and without a bias and the further outputs. Scale and bias
    broadcast to X.
    """
    x = g.pick(g.types(type), _ranked(1))
    axis = _axis(g, len(x.shape))

    def given() -> Value:
        if _maybe(g, 0.7):
            return g.like(x.dtype, x.shape[axis:])
        dims = x.shape[g.rng.randrange(len(x.shape) + 1) :]
        return g.like(x.dtype, tuple(1 if _maybe(g, 0.4) else d for d in dims))

    scale, bias = given(), [given()] if _maybe(g) else []
    attributes: dict[str, Any] = {"axis": axis}
    if _maybe(g):
        attributes["epsilon"] = g.rng.choice([1e-5, 1e-3, 0.1])
    g.node(type, [x, scale, *bias], attributes, g.rng.choice([1, 1, 1, 3]))


def lp_normalization(g: Graph, type: str) -> None:
    """Along any axis, by either norm."""
    x = g.pick(g.types(type), _ranked(1))
    given = {"axis": _axis(g, len(x.shape)), "p": g.rng.choice([1, 2])}
    g.node(type, [x], given)


def rms_normalization(g: Graph, type: str) -> None:
    """Over the last dimensions, by a scale of any type that broadcasts to X."""
    x = g.pick(g.types(type), _ranked(1))
    axis = _axis(g, len(x.shape), True)
    kind = x.dtype if _maybe(g, 0.7) else g.type(g.types(type, 1))
    shape = tuple(g.rng.choice([1, d]) for d in x.shape[g.rng.randrange(len(x.shape)) :])
    given: dict[str, Any] = {"axis": axis}
    if _maybe(g):
        given["epsilon"] = g.rng.choice([1e-5, 1e-3, 0.1])
    g.node(type, [x, g.like(kind, shape)], given, results=[(kind, x.shape)])


def attention(g: Graph, type: str) -> None:
    """Heads of queries that share those of keys, after a past or not, with and without a mask."""
    dtype = g.type(g.types(type))
    batch, heads, group, places, new, size, width = (g.rng.choice([1, 2, 3]) for _ in range(7))
    past = g.rng.choice([None, None, 1, 2])
    total, many = new + (past or 0), heads * group
    shapes = [(batch, many, places, size), (batch, heads, new, size), (batch, heads, new, width)]
    given: dict[str, Any] = {}
    flat = _maybe(g)
    if flat:
        given = {"q_num_heads": many, "kv_num_heads": heads}
    parts = [_normal(g, dtype, *((b, n, h * d) if flat else (b, h, n, d))) for b, h, n, d in shapes]
    mask = None
    if _maybe(g):
        shape = (g.rng.choice([1, batch]), g.rng.choice([1, many]), places, total)
        shape = shape[g.rng.randrange(3) :]
        mask = g.fresh(BOOL, shape) if _maybe(g) else _normal(g, dtype, *shape)
    old: list[Value] = []
    if past:
        old = [_normal(g, dtype, batch, heads, past, n) for n in (size, width)]
    for name, value in (("is_causal", 1), ("scale", 0.25), ("softcap", 2.0)):
        if _maybe(g, 0.4):
            given[name] = value
    if g.opset >= 25 and _maybe(g):
        given |= {"left_window_size": g.rng.choice([0, 1]), "right_window_size": 1}
    inputs = [*parts, mask, *old] if old or mask else parts
    shapes = [shapes[0], *((*s[:2], total, s[3]) for s in shapes[1:])]
    shapes[0] = (batch, places, many * width) if flat else (batch, many, places, width)
    g.node(type, inputs, given, 3 if past else 1, [(dtype, s) for s in shapes][: 3 if past else 1])


def swiglu(g: Graph, type: str) -> None:
    """Two tensors of one shape."""
    x = g.pick(g.types(type))
    g.node(type, [x, g.like(x.dtype, x.shape)], {"alpha": _factor(g)}, results=[(x.dtype, x.shape)])


def causal_conv(g: Graph, type: str) -> None:
    """A row of weights for each channel, from the first position or from a state on."""
    dtype = g.type(g.types(type))
    batch, channels, positions, size = (g.rng.choice([1, 2, 3]) for _ in range(4))
    shape, state = (batch, channels, positions), (batch, channels, size - 1)
    inputs: list[Value | None] = [_normal(g, dtype, *shape), _normal(g, dtype, channels, 1, size)]
    inputs.append(_normal(g, dtype, channels) if _maybe(g) else None)
    inputs.append(_normal(g, dtype, *state) if _maybe(g) else None)
    given = {"activation": g.rng.choice(["none", "silu", "swish"])}
    g.node(type, inputs, given, 2, [(dtype, shape), (dtype, state)])


def rotary_embedding(g: Graph, type: str) -> None:
    """All or a part of each head; angles of positions, or of places."""
    dtype = g.type(g.types(type))
    batch, heads, places, half, rest = (g.rng.choice([1, 2, 3]) for _ in range(5))
    rest = g.rng.choice([0, 2 * rest])
    size = 2 * half + rest
    given: dict[str, Any] = {"rotary_embedding_dim": 2 * half} if rest else {}
    shape: tuple[int, ...] = (batch, heads, places, size)
    if rest or _maybe(g):  # onnxruntime wants the number of heads where a part is turned.
        shape, given["num_heads"] = (batch, places, heads * size), heads
    given["interleaved"] = int(_maybe(g))
    rows: tuple[int, ...] = (batch, places)
    at: list[Value] = []
    if _maybe(g):
        rows = (5,)
        at = [g.fresh(INT64, (batch, places), lambda rng, s: rng.integers(0, 5, s))]
    caches = [_normal(g, dtype, *rows, half) for _ in range(2)]
    g.node(type, [_normal(g, dtype, *shape), *caches, *at], given)


def group_normalization(g: Graph, type: str) -> None:
    """One group to all channels; images without pixels, and no image."""
    if g.opset < 18:
        raise Invalid("none yet")
    groups, each = g.rng.choice([1, 2, 3]), g.rng.choice([1, 2])
    dtype = g.type(g.types("LayerNormalization"))
    shape = (g.rng.choice([0, 1, 2]), groups * each, *g.rng.choice([(3,), (2, 2), (), (5, 1)]))
    many = groups if g.opset < 21 else groups * each
    parts = [g.like(dtype, (many,)) for _ in range(2)]
    given = {"num_groups": groups, "epsilon": 0.5}
    g.node(type, [_normal(g, dtype, *shape), *parts], given, results=[(dtype, shape)])


def lrn(g: Graph, type: str) -> None:
    """Windows narrower and wider than the channels."""
    x = g.pick(g.types(type), _ranked(3, 4))
    size = g.rng.choice([1, 3, 5, 7])
    g.node(type, [x], {"size": size, "alpha": 0.5, "beta": 0.6, "bias": g.rng.choice([1.0, 1.5])})


def softmax(g: Graph, type: str) -> None:
    """Any axis; before opset 13 all dimensions from it on are one."""
    x = g.pick(g.types(type), _ranked(1))
    given = g.opset < 13 and len(x.shape) == 1  # The default is 1.
    g.node(type, [x], {"axis": _axis(g, len(x.shape))} if given or _maybe(g, 0.8) else {})


# Contractions.


def matmul(g: Graph, type: str) -> None:
    """Vectors, matrices and stacks of them that broadcast."""
    a = g.pick(g.types(type), _ranked(1))
    k = a.shape[-1]
    if _maybe(g, 0.2):
        shape: tuple[int, ...] = (k,)
    else:
        stack = a.shape[:-2] if _maybe(g, 0.4) else ()
        stack = tuple(1 if _maybe(g, 0.3) else d for d in stack)
        shape = (*stack, k, g.rng.choice([0, 1, 1, 3, 5, 17, 33]))
    if math.prod(shape) > 3000:
        raise Invalid("too large")
    g.node(type, [a, g.like(a.dtype, shape)])


def matmul_integer(g: Graph, type: str) -> None:
    """Operands of either 8-bit type, with and without zero points, one for all or for each row of
    the first and each column of the second.
    """
    a = g.pick(g.types(type), _ranked(2))
    columns = g.rng.choice([1, 3, 17])
    b = g.like(g.rng.choice(list(g.types(type, 1))), (a.shape[-1], columns))
    inputs = [a, b]
    if _maybe(g, 0.6):
        inputs.append(g.like(a.dtype, ()))
        if _maybe(g, 0.6):
            inputs.append(g.like(b.dtype, g.rng.choice([(), (columns,)])))
    g.node(type, inputs)


_QUANTIZED = [np.dtype(t) for t in (np.int8, np.uint8)]


def _granular(g: Graph, x: Value) -> tuple[tuple[int, ...], dict[str, Any]]:
    """The shape of a scale of `x`, and the attributes that say so."""
    if x.shape and g.opset >= 13 and _maybe(g):
        axis = _axis(g, len(x.shape), True)
        if g.opset < 21 or 0 in x.shape or _maybe(g):  # Blocks of nothing end onnxruntime.
            return (x.shape[axis],), {"axis": axis}
        block = g.rng.choice([1, 2, 3, 5])
        blocks = -(-x.shape[axis] // block)
        shape = list(x.shape)
        shape[axis] = blocks
        return tuple(shape), {"axis": axis, "block_size": block}
    return (), {}


def _positive(g: Graph, dtype: Type, shape: Sequence[int] = ()) -> Value:
    return g.fresh(dtype, shape, lambda rng, s: rng.uniform(0.01, 2, s))


def quantize(g: Graph, type: str) -> None:
    """By one scale, along an axis or in blocks; with and without a zero point."""
    x = g.pick([t for t in g.types(type) if t in _HALVES])
    shape, attributes = _granular(g, x)
    inputs = [x, _positive(g, x.dtype, shape)]
    if _maybe(g, 0.7):
        inputs.append(g.like(g.rng.choice([t for t in g.types(type, 2) if t in INTEGERS]), shape))
    g.node(type, inputs, attributes)


def dequantize(g: Graph, type: str) -> None:
    """As quantize, the other way round."""
    x = g.pick([t for t in g.types(type) if t in INTEGERS])
    shape, attributes = _granular(g, x)
    scale = g.type([t for t in g.types(type, 1) if t in _HALVES])
    inputs = [x, _positive(g, scale, shape)]
    if x.dtype != INT32 and _maybe(g, 0.7):
        inputs.append(g.like(x.dtype, shape))
    g.node(type, inputs, attributes)


def qlinear_matmul(g: Graph, type: str) -> None:
    """One scale for each operand."""
    a = g.pick(_QUANTIZED, lambda v: len(v.shape) > 1 and 0 not in v.shape)
    b = g.like(g.rng.choice(_QUANTIZED), (a.shape[-1], g.rng.choice([1, 3, 17])))
    one = np.dtype(np.float32)
    inputs = []
    for t in (a, b):
        inputs += [t, _positive(g, one), g.like(t.dtype, ())]
    g.node(type, [*inputs, _positive(g, one), g.like(a.dtype, ())])


def integer_conv(g: Graph, type: str) -> None:
    """ConvInteger and QLinearConv, as Conv."""
    x = g.pick([np.dtype(np.uint8)], lambda v: 3 <= len(v.shape) <= 5 and 0 not in v.shape)
    channels, spatial = x.shape[1], x.shape[2:]
    window = [g.rng.choice([1, 1, 2, 3, min(5, d)]) for d in spatial]
    attributes = _windows(g, spatial, True, window)
    out = g.rng.choice([1, 2, 4])
    w = g.like(g.rng.choice(_QUANTIZED), (out, channels, *window))
    if type == "ConvInteger":
        zeros = [g.like(x.dtype, ()), g.like(w.dtype, ())] if _maybe(g) else []
        g.node(type, [x, w, *zeros], attributes)
        return
    one, inputs = np.dtype(np.float32), []
    for t in (x, w):
        inputs += [t, _positive(g, one), g.like(t.dtype, ())]
    bias = [g.like(INT32, (out,))] if _maybe(g) else []
    g.node(type, [*inputs, _positive(g, one), g.like(x.dtype, ()), *bias], attributes)


def shift(g: Graph, type: str) -> None:
    """By less than the width: of more the standard says nothing before version 28."""
    x = g.pick(g.types(type))
    y = g.fresh(x.dtype, x.shape, lambda rng, s: rng.integers(0, 8 * x.dtype.itemsize, s))
    g.node(type, [x, y], {"direction": g.rng.choice(["LEFT", "RIGHT"])})


def bit_cast(g: Graph, type: str) -> None:
    """To any type as wide."""
    x = g.pick([t for t in g.types(type) if t != BOOL])
    wide = [t for t in g.types(type) if t.itemsize == x.dtype.itemsize and t != BOOL]
    g.node(type, [x], {"to": DataType.of(g.rng.choice(wide)).onnx})


def gemm(g: Graph, type: str) -> None:
    """Transposed or not, with factors, with a bias of any shape that broadcasts."""
    a = g.pick(g.types(type), _ranked(2, 2))
    attributes: dict[str, Any] = {}
    rows, k = a.shape
    if _maybe(g, 0.3):
        attributes["transA"] = 1
        rows, k = k, rows
    columns = g.rng.choice([0, 1, 2, 5, 17])
    shape = (k, columns)
    if _maybe(g, 0.4):
        attributes["transB"] = 1
        shape = (columns, k)
    for name in ("alpha", "beta"):
        if _maybe(g, 0.3):
            attributes[name] = g.rng.choice([0.5, 2.0, 1.0, 0.0]) if a.dtype in FLOATS else 2.0
    inputs = [a, g.like(a.dtype, shape)]
    if g.opset < 11 or _maybe(g, 0.7):
        bias = [(columns,), (rows, columns), (1, columns), (rows, 1), (1,), ()]
        inputs.append(g.like(a.dtype, g.rng.choice(bias)))
    g.node(type, inputs, attributes)


def _windows(
    g: Graph, spatial: Sequence[int], dilates: bool, window: Sequence[int]
) -> dict[str, Any]:
    """Strides, dilations and padding, each at times."""
    n = len(spatial)
    attributes: dict[str, Any] = {}
    if _maybe(g, 0.5):
        attributes["strides"] = [g.rng.choice([1, 1, 2, 3]) for _ in range(n)]
    if dilates and _maybe(g, 0.25):
        attributes["dilations"] = [g.rng.choice([1, 2]) for _ in range(n)]
    if "dilations" not in attributes and _maybe(g, 0.2):
        attributes["auto_pad"] = g.rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif _maybe(g, 0.5):
        attributes["pads"] = [g.rng.randint(0, max(0, w - 1)) for w in window] * 2
        if _maybe(g):
            attributes["pads"] = [g.rng.randint(0, max(0, w - 1)) for w in (*window, *window)]
    reach = attributes.get("dilations", [1] * n)
    pads = attributes.get("pads", [0] * 2 * n)
    for i, (d, w) in enumerate(zip(spatial, window, strict=True)):
        padded = d + pads[i] + pads[n + i]
        if d < 1 or (
            not attributes.get("auto_pad", "VALID").startswith("SAME")
            and padded < (w - 1) * reach[i] + 1
        ):
            raise Invalid("the window is larger than the field")
    return attributes


def _field(g: Graph, type: str, spatial: tuple[int, ...] = (1, 2, 2, 3)) -> Value:
    """A value of samples, channels and a field, mostly of some size."""
    rank = 2 + g.rng.choice(spatial)
    types = g.types(type)
    found = [
        v
        for v in g.values.values()
        if v.dtype in g._usable(types) and len(v.shape) == rank and min(v.shape[1:], default=0) > 0
    ]
    if found and _maybe(g, 0.6):
        return g.rng.choice(found)
    while True:
        sizes = [g.rng.choice([1, 2, 3, 4, 5, 6, 7, 9]) for _ in range(rank - 2)]
        shape = (g.rng.choice([0, 1, 1, 1, 2, 3]), g.rng.choice([1, 2, 3, 4, 6, 8]), *sizes)
        if math.prod(shape) <= 3000:
            return g.fresh(g.type(types), shape)


def conv(g: Graph, type: str) -> None:
    """One to three dimensions, groups, strides, dilations, padding, with and without a bias."""
    x = _field(g, type)
    channels, spatial = x.shape[1], x.shape[2:]
    groups = g.rng.choice([d for d in range(1, channels + 1) if channels % d == 0])
    window = [g.rng.choice([1, 1, 2, 3, min(5, d)]) for d in spatial]
    attributes = _windows(g, spatial, True, window)
    if groups > 1 or _maybe(g, 0.3):
        attributes["group"] = groups
    if _maybe(g, 0.3):
        attributes["kernel_shape"] = window
    out = groups * g.rng.choice([1, 1, 2, 4])
    w = g.like(x.dtype, (out, channels // groups, *window))
    bias = [g.like(x.dtype, (out,))] if _maybe(g) else []
    (y,) = g.node(type, [x, w, *bias], attributes)
    if _maybe(g, 0.4):  # What may become one with the convolution.
        tail = g.rng.choice(["Relu", "Add", "Mul", "LeakyRelu"])
        other = [g.like(y.dtype, g.rng.choice([y.shape, (out, *[1] * len(spatial))]))]
        g.node(tail, [y, *(other if tail in ("Add", "Mul") else [])])


def conv_transpose(g: Graph, type: str) -> None:
    """As Conv, the other way round."""
    x = _field(g, type)
    channels, rank = x.shape[1], len(x.shape) - 2
    groups = g.rng.choice([d for d in range(1, channels + 1) if channels % d == 0])
    window = [g.rng.choice([1, 2, 3]) for _ in range(rank)]
    attributes: dict[str, Any] = {"group": groups}
    if _maybe(g):
        attributes["strides"] = [g.rng.choice([1, 2, 3]) for _ in range(rank)]
    if _maybe(g, 0.3):
        attributes["dilations"] = [g.rng.choice([1, 2]) for _ in range(rank)]
    if _maybe(g, 0.3):
        attributes["pads"] = [g.rng.randint(0, (k - 1) // 2) for k in window * 2]
    if "strides" in attributes and _maybe(g, 0.3):
        attributes["output_padding"] = [s - 1 for s in attributes["strides"]]
    out = g.rng.choice([1, 2, 3])
    w = g.like(x.dtype, (channels, out, *window))
    bias = [g.like(x.dtype, (out * groups,))] if _maybe(g) else []
    (y,) = g.node(type, [x, w, *bias], attributes)
    if min(y.shape[2:]) < 1:
        raise Invalid("nothing is left")


def pool(g: Graph, type: str) -> None:
    """MaxPool and AveragePool of one to three dimensions."""
    x = _field(g, type)
    spatial = x.shape[2:]
    window = [g.rng.choice([1, 2, 2, 3]) for _ in spatial]
    version = g.version(type)
    dilates = version >= (10 if type == "MaxPool" else 19)
    attributes = {"kernel_shape": window, **_windows(g, spatial, dilates, window)}
    if version >= 10 and _maybe(g, 0.3):
        attributes["ceil_mode"] = 1
    if type == "AveragePool" and _maybe(g, 0.4):
        attributes["count_include_pad"] = 1
    made = g.node(type, [x], attributes)
    if "ceil_mode" in attributes:
        sizes = _rounded_up(spatial, window, attributes)
        g.values[made[0].name] = dataclasses.replace(made[0], shape=(*x.shape[:2], *sizes))


def lp_pool(g: Graph, type: str) -> None:
    """The norm of windows."""
    x = _field(g, type)
    spatial = x.shape[2:]
    window = [g.rng.choice([1, 2, 2, 3]) for _ in spatial]
    attributes = {"kernel_shape": window, **_windows(g, spatial, g.version(type) >= 18, window)}
    if _maybe(g, 0.7):
        attributes["p"] = g.rng.choice([1, 2, 3])
    g.node(type, [x], attributes)


def max_unpool(g: Graph, type: str) -> None:
    """What MaxPool has found; its windows do not overlap, so that no two values have one place."""
    x = _field(g, "MaxPool")
    if x.dtype not in g.types(type) or min(x.shape[2:]) < 2 or not x.size:
        raise Invalid("no windows")
    window = [2] * (len(x.shape) - 2)
    given = {"kernel_shape": window, "strides": window}
    shape = (*x.shape[:2], *(d // 2 for d in x.shape[2:]))
    pooled = g.node("MaxPool", [x], given, 2, [(x.dtype, shape), (INT64, shape)])
    whole = (*x.shape[:2], *(d // 2 * 2 for d in x.shape[2:]))
    if whole != x.shape:
        raise Invalid("the indices count in another shape")
    g.node(type, pooled, given, results=[(x.dtype, whole)])


def roi(g: Graph, type: str) -> None:
    """Regions that lie in the images, and some that do not."""
    x = _field(g, type, (2,))
    n, (images, _, height, width) = g.rng.choice([1, 2, 5]), x.shape
    if not x.size:
        raise Invalid("no images")

    def regions(rng: np.random.Generator, shape: Sequence[int]) -> Array:
        # Eighths: rounding decides nothing.
        size = np.array([width, height])
        first = rng.integers(-4, 8 * size, (n, 2)) / 8 + 1 / 32
        second = first + rng.integers(1, 8 * size + 4, (n, 2)) / 8
        corners = np.concatenate([first, second], 1)
        index = rng.integers(0, images, (n, 1))
        return corners if shape[1] == 4 else np.concatenate([index, corners], 1)

    bins = [g.rng.choice([1, 2, 3]) for _ in range(2)]
    if type == "MaxRoiPool":
        g.node(type, [x, g.fresh(x.dtype, (n, 5), regions)], {"pooled_shape": bins})
        return
    index = g.fresh(INT64, (n,), lambda rng, s: rng.integers(0, images, s))
    given: dict[str, Any] = {"output_height": bins[0], "output_width": bins[1]}
    given["sampling_ratio"] = g.rng.choice([1, 2, 3])
    if _maybe(g):
        given["mode"] = g.rng.choice(["avg", "max"])
    g.node(type, [x, g.fresh(x.dtype, (n, 4), regions), index], given)


def _rounded_up(
    spatial: Sequence[int], window: Sequence[int], attributes: Mapping[str, Any]
) -> list[int]:
    """The dimensions of a pooling with ceil_mode. onnx's inference counts windows that begin
    outside, in some versions, and with SAME.
    """
    rank = len(spatial)
    strides, dilations = (attributes.get(name, [1] * rank) for name in ("strides", "dilations"))
    if str(attributes.get("auto_pad")).startswith("SAME"):
        return [-(-d // step) for d, step in zip(spatial, strides, strict=True)]
    pads = attributes.get("pads", [0] * 2 * rank)
    found = []
    for i, size in enumerate(spatial):
        room = size + pads[i] + pads[rank + i] - (window[i] - 1) * dilations[i] - 1
        steps = -(-room // strides[i])
        found.append(steps + (steps * strides[i] < size + pads[i]))
    return found


def global_pool(g: Graph, type: str) -> None:
    """Over the whole field."""
    given = {"p": g.rng.choice([1, 2, 3])} if type == "GlobalLpPool" and _maybe(g, 0.7) else {}
    g.node(type, [_field(g, type)], given)


def lstm(g: Graph, type: str) -> None:
    """All directions; optional inputs each at times."""
    dtype = g.type(g.types(type))
    direction = g.rng.choice(["forward", "reverse", "bidirectional"])
    d = 2 if direction == "bidirectional" else 1
    t, n, i, h = (g.rng.choice(s) for s in ([1, 2, 3, 5], [1, 2, 3], [1, 2, 3], [1, 2, 4]))
    x = g.like(dtype, (t, n, i))
    inputs: list[Value | None] = [x, g.like(dtype, (d, 4 * h, i)), g.like(dtype, (d, 4 * h, h))]
    inputs.append(g.like(dtype, (d, 8 * h)) if _maybe(g) else None)
    lengths = g.fresh(INT32, (n,), lambda rng, s: rng.integers(1, t + 1, s))
    inputs.append(lengths if _maybe(g, 0.3) else None)
    inputs += [g.like(dtype, (d, n, h)) if _maybe(g, 0.4) else None for _ in range(2)]
    inputs.append(g.like(dtype, (d, 3 * h)) if _maybe(g, 0.3) else None)
    attributes: dict[str, Any] = {"hidden_size": h, "direction": direction}
    results = [(dtype, (t, d, n, h)), (dtype, (d, n, h)), (dtype, (d, n, h))]
    count = g.rng.randint(1, 3)
    g.node(type, inputs, attributes, count, results[:count])


# Sampling and transforms.


def _normal(g: Graph, dtype: Type, *shape: int) -> Value:
    """Finite numbers: what a weight of 0 makes of infinity is left open."""
    return g.fresh(dtype, shape, lambda rng, s: rng.standard_normal(s))


def resize(g: Graph, type: str) -> None:
    """Images by sizes or scales, in the ways that PyTorch has too. onnxruntime has positions in
    float: they are such that a float holds them, but for gradients.
    """
    if type == "Upsample" and g.opset > 9:
        raise Invalid("deprecated")
    version = g.version(type)
    mode = g.rng.choice(["nearest", "linear", *(["cubic"] if version > 10 else [])])
    dtype = g.type([t for t in g.types(type) if t in FLOATS and (g.smooth or t != np.float64)])
    n, c, h, w = shape = (*(g.rng.choice([1, 2]) for _ in range(2)), g.rng.randint(2, 7), 5)
    x = _normal(g, dtype, *shape)
    sizes = [g.rng.choice([2, 3, 9, 12] if g.smooth else [d, 2 * d, 4 * d]) for d in (h, w)]
    scales = g.constant([1, 1, *(s / d for s, d in zip(sizes, (h, w), strict=True))], _FLOAT)
    result = [(dtype, (n, c, *sizes))]
    if type == "Upsample":
        factors = [g.rng.choice([1.0, 2.0, 3.0]) for _ in range(2)]
        result = [(dtype, (n, c, int(h * factors[0]), int(w * factors[1])))]
        given = [1.0, 1.0, *factors]
        mode = "nearest" if mode == "cubic" else mode
        if version < 7:
            both = dict(zip(("height_scale", "width_scale"), factors, strict=True))
            g.node(type, [x], {"mode": "nearest", **both}, results=result)
        elif version < 9:
            g.node(type, [x], {"mode": mode, "scales": given}, results=result)
        else:
            g.node(type, [x, g.constant(given, _FLOAT)], {"mode": mode}, results=result)
        return
    if version == 10:
        factors = [1.0, 1.0, float(g.rng.choice([1, 2, 3])), 2.0]
        result = [(dtype, tuple(int(d * f) for d, f in zip(shape, factors, strict=True)))]
        g.node(type, [x, g.constant(factors, _FLOAT)], {"mode": mode}, results=result)
        return
    if mode == "nearest":
        way = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    else:
        ways = ["half_pixel", *(["align_corners"] if g.smooth else [])]
        way = {"coordinate_transformation_mode": g.rng.choice(ways)}
    left_out = g.constant(np.zeros(0), _FLOAT) if version < 13 else None
    inputs = [x, left_out, left_out, g.constant([n, c, *sizes])]
    exact = all(size % d == 0 for d, size in zip((h, w), sizes, strict=True))
    if exact and _maybe(g) and way["coordinate_transformation_mode"] == "half_pixel":
        inputs = [x, left_out, scales]
    g.node(type, inputs, {"mode": mode, **way}, results=result)


def grid_sample(g: Graph, type: str) -> None:
    """All modes; positions inside and outside of the field."""
    dtype = g.type([t for t in g.types(type) if t in FLOATS and t in g.types(type, 1)])
    shape = (g.rng.choice([1, 2]), g.rng.choice([1, 3]), g.rng.randint(1, 5), g.rng.randint(1, 5))
    points = (shape[0], g.rng.randint(1, 4), g.rng.randint(1, 3), 2)
    grid = g.fresh(dtype, points, lambda rng, s: rng.uniform(-1.5, 1.5, s))
    old = g.version(type) < 20
    modes = ["bilinear", "nearest", "bicubic"] if old else ["linear", "nearest", "cubic"]
    attributes = {
        "mode": g.rng.choice(modes),
        "padding_mode": g.rng.choice(["zeros", "border", "reflection"]),
        "align_corners": g.rng.randrange(2),
    }
    results = [(dtype, (*shape[:2], *points[1:3]))]
    g.node(type, [_normal(g, dtype, *shape), grid], attributes, results=results)


def affine_grid(g: Graph, type: str) -> None:
    """Two and three dimensions. In one of a single element with align_corners, oracles differ."""
    dtype, n, aligned = g.type(g.types(type)), g.rng.choice([2, 3]), g.rng.randrange(2)
    batch = g.rng.choice([1, 2])
    size = [batch, g.rng.randint(0, 2), *(g.rng.randint(1 + aligned, 4) for _ in range(n))]
    results = [(dtype, (batch, *size[2:], n))]
    inputs = [_normal(g, dtype, batch, n, n + 1), g.constant(size)]
    g.node(type, inputs, {"align_corners": aligned}, results=results)


def deform_conv(g: Graph, type: str) -> None:
    """Groups of channels and of offsets, with and without bias and mask."""
    dtype = g.type(g.types(type))
    parts, group, size = g.rng.choice([1, 2]), g.rng.choice([1, 2]), g.rng.choice([1, 2])
    n, h, w = g.rng.choice([1, 2]), g.rng.randint(2, 4), g.rng.randint(2, 4)
    out = (h + 2 - size, w + 1 - size)
    x, weights = _normal(g, dtype, n, 4, h, w), _normal(g, dtype, 4, 4 // group, size, size)
    # Positions keep away from elements, where there is no derivative.
    offsets = g.fresh(
        dtype,
        (n, parts * size * size * 2, *out),
        lambda rng, s: rng.integers(-2, 2, s) + rng.uniform(0.2, 0.8, s),
    )
    inputs: list[Value | None] = [x, weights, offsets]
    inputs.append(_normal(g, dtype, 4) if _maybe(g) else None)
    inputs.append(_normal(g, dtype, n, parts * size * size, *out) if _maybe(g) else None)
    attributes = {"group": group, "offset_group": parts, "pads": [1, 0, 0, 0]}
    g.node(type, inputs, attributes, results=[(dtype, (n, 4, *out))])


_EQUATIONS = (
    *("ij,jk->ik", "bij,bjk->bik", "bqhd,bkhd->bhqk", "i,j->ij", "ij,ij->", "ij->ji", "ijk->j"),
    *("ii->i", "bii", "ij,jk,kl->il", "...ij,...jk->...ik", "i,i", "ij,k->i"),
)


def einsum(g: Graph, type: str) -> None:
    """One to three tensors. onnxruntime divides by a size of 0, which ends the process."""
    equation = g.rng.choice(_EQUATIONS)
    dtype = g.type([t for t in g.types(type) if t in FLOATS])
    size = {c: g.rng.choice([1, 2, 3, 4]) for c in "bqhkdijl"}
    left, _, right = equation.partition("->")
    if "->" not in equation:
        right = "".join(sorted(c for c in {*left} - {","} if left.count(c) == 1))
    wide = [2, 3]

    def shape(term: str) -> tuple[int, ...]:
        whole = [size[c] for c in term.replace("...", "")]
        return tuple([*wide, *whole] if "..." in term else whole)

    terms = [_normal(g, dtype, *shape(term)) for term in left.split(",")]
    g.node(type, terms, {"equation": equation}, results=[(dtype, shape(right))])


def det(g: Graph, type: str) -> None:
    """Matrices and stacks of them."""
    n, stack = g.rng.choice([1, 2, 3, 4, 5]), g.rng.choice([(), (2,), (2, 3)])
    x = _normal(g, g.type(g.types(type)), *stack, n, n)
    g.node(type, [x], results=[(x.dtype, stack)])


def dft(g: Graph, type: str) -> None:
    """Forwards and back, with another length at times; of complex numbers, but for gradients: where
    a result of real ones is 0, onnxruntime has a rounding error.
    """
    dtype = g.type([t for t in g.types(type) if g.smooth or t != np.float64])
    inverse, onesided = g.rng.randrange(2), g.rng.randrange(2) if g.smooth else 0
    parts = 2 if not g.smooth else g.rng.choice([1, 2]) if not onesided else 2 if inverse else 1
    n = g.rng.choice([1, 2, 3, 4, 5, 8])
    shape = (g.rng.choice([1, 2]), n, g.rng.choice([1, 3]), parts)
    given = g.rng.choice([n, n, 2, 7])
    old = g.version(type) < 20
    inputs: list[Value | None] = [_normal(g, dtype, *shape), g.constant(given)]
    inputs += [] if old else [g.constant(1)]
    bins = given if not onesided or inverse else given // 2 + 1
    out = (shape[0], bins, shape[2], 1 if inverse and onesided else 2)
    attributes = {"inverse": inverse, "onesided": onesided, **({"axis": 1} if old else {})}
    g.node(type, inputs, attributes, results=[(dtype, out)])


def stft(g: Graph, type: str) -> None:
    """With and without a window; of complex numbers, as DFT."""
    dtype = g.type([t for t in g.types(type) if g.smooth or t != np.float64])
    n, step, length = g.rng.choice([2, 3, 4]), g.rng.choice([1, 2, 3]), g.rng.randint(4, 12)
    onesided = g.rng.randrange(2) if g.smooth else 0
    x = _normal(g, dtype, g.rng.choice([1, 2]), length, 1 if g.smooth else 2)
    window = _normal(g, dtype, n) if _maybe(g) else None
    inputs = [x, g.constant(step), window, g.constant(n)]
    out = (x.shape[0], (length - n) // step + 1, n // 2 + 1 if onesided else n, 2)
    g.node(type, inputs, {"onesided": onesided}, results=[(dtype, out)])


def mel_weights(g: Graph, type: str) -> None:
    """Narrow bands and wide ones."""
    bands, length = g.rng.choice([1, 4, 8]), g.rng.choice([16, 32, 64])
    low, high = g.rng.choice([0.0, 125.0]), g.rng.choice([1000.0, 4000.0])
    numbers = [g.constant(v) for v in (bands, length, 8000)]
    edges = [g.constant(v, _FLOAT) for v in (low, high)]
    g.node(type, [*numbers, *edges], results=[(_FLOAT, (length // 2 + 1, bands))])


def instance_norm(g: Graph, type: str) -> None:
    """Several samples and channels."""
    dtype = g.type(g.types(type))
    x = _normal(g, dtype, g.rng.choice([1, 2]), g.rng.choice([1, 3]), g.rng.choice([2, 5]), 3)
    each = [_normal(g, dtype, x.shape[1]) for _ in range(2)]
    g.node(type, [x, *each], {"epsilon": g.rng.choice([1e-5, 0.1])})


def recurrent(g: Graph, type: str) -> None:
    """GRU and RNN: all directions; optional inputs each at times."""
    dtype, gates = g.type(g.types(type)), 3 if type == "GRU" else 1
    direction = g.rng.choice(["forward", "reverse", "bidirectional"])
    d = 2 if direction == "bidirectional" else 1
    t, n, i, h = (g.rng.choice(s) for s in ([1, 2, 3, 5], [1, 2, 3], [1, 2, 3], [1, 2, 4]))
    inputs: list[Value | None] = [g.like(dtype, (t, n, i)), g.like(dtype, (d, gates * h, i))]
    inputs.append(g.like(dtype, (d, gates * h, h)))
    inputs.append(g.like(dtype, (d, 2 * gates * h)) if _maybe(g) else None)
    lengths = g.fresh(INT32, (n,), lambda rng, s: rng.integers(1, t + 1, s))
    inputs.append(lengths if _maybe(g, 0.3) else None)
    inputs.append(g.like(dtype, (d, n, h)) if _maybe(g, 0.4) else None)
    attributes: dict[str, Any] = {"hidden_size": h, "direction": direction}
    if type == "GRU" and _maybe(g):
        attributes["linear_before_reset"] = 1
    results = [(dtype, (t, d, n, h)), (dtype, (d, n, h))]
    count = g.rng.randint(1, 2)
    g.node(type, inputs, attributes, count, results[:count])


# Graphs in graphs.


def if_(g: Graph, type: str) -> None:
    """Branches of numbers, under a condition that is a constant or not."""
    condition = g.fresh(BOOL, (), lambda rng, s: rng.integers(0, 2, s) > 0)
    if _maybe(g, 0.3):
        condition = g.constant(g.rng.random() < 0.5, BOOL)
    g.node(type, [condition], BRANCHES, results=[(np.dtype(np.float32), (2,))])


def loop(g: Graph, type: str) -> None:
    """A known number of iterations."""
    x = g.pick(g.types("Tanh"), lambda v: v.size > 0)
    times = g.rng.choice([1, 2, 3, 5])
    results = [(x.dtype, x.shape), (x.dtype, (times, *x.shape))]
    if len(x.shape) > 4:
        raise Invalid("rank")
    go = g.constant(True, BOOL)
    g.node(type, [g.constant(times, INT64), go, x], {"body": LOOP_BODY}, 2, results)


def scan(g: Graph, type: str) -> None:
    """Of one state and one input, from opset 9 on."""
    if g.opset < 9:
        raise Invalid("version 8 is another operator")
    x = g.pick(g.types("Tanh"), lambda v: 0 < len(v.shape) < 5 and v.size > 0)
    state = g.like(x.dtype, x.shape[1:])
    attributes = {"body": SCAN_BODY, "num_scan_inputs": 1}
    if _maybe(g, 0.3):
        attributes["scan_input_directions"] = [1]
    results = [(x.dtype, x.shape[1:]), (x.dtype, x.shape)]
    g.node(type, [state, x], attributes, 2, results)


# Reductions and losses.


def reduce(g: Graph, type: str) -> None:
    """Over some dimensions, none or all; kept or not."""
    x = g.pick(g.types(type))
    since = 13 if type == "ReduceSum" else 18
    attributes: dict[str, Any] = {"keepdims": g.rng.randrange(2)} if _maybe(g, 0.7) else {}
    if not x.shape or _maybe(g, 0.2):
        g.node(type, [x], attributes)
        return
    axes = g.rng.sample(range(len(x.shape)), g.rng.randint(1, len(x.shape)))
    axes = [a - len(x.shape) if g.opset >= 11 and _maybe(g, 0.3) else a for a in axes]
    if g.version(type) >= since and _maybe(g, 0.1):
        attributes["noop_with_empty_axes"] = g.rng.randrange(2)
        axes = []
    _axes(g, type, x, axes, since, **attributes)


def hardmax(g: Graph, type: str) -> None:
    """Any axis; before opset 13 the last one, since onnx.reference knows no other meaning there."""
    x = g.pick(g.types(type), _ranked(1))
    g.node(type, [x], {"axis": _axis(g, len(x.shape)) if g.opset >= 13 else len(x.shape) - 1})


def search(g: Graph, type: str) -> None:
    """ArgMax and ArgMin, of elements that may be equal."""
    x = g.pick(g.types(type), lambda v: _ranked(1)(v) and v.size > 0)
    attributes: dict[str, Any] = {"axis": _axis(g, len(x.shape))} if _maybe(g, 0.8) else {}
    if _maybe(g):
        attributes["keepdims"] = g.rng.randrange(2)
    if g.version(type) >= 12 and _maybe(g):
        attributes["select_last_index"] = g.rng.randrange(2)
    g.node(type, [x], attributes)


def top_k(g: Graph, type: str) -> None:
    """Any k that the axis has."""
    x = g.pick(g.types(type), lambda v: _ranked(1)(v) and v.size > 0)
    axis = _axis(g, len(x.shape))
    k = g.rng.randint(0, x.shape[axis])
    attributes: dict[str, Any] = {"axis": axis}
    if g.version(type) >= 11 and _maybe(g):
        attributes["largest"] = g.rng.randrange(2)
    shape = (*x.shape[:axis], k, *x.shape[axis:][1:]) if axis >= 0 else ()
    if axis < 0:
        shape = (*x.shape[:axis], k, *x.shape[len(x.shape) + axis + 1 :])
    results = [(x.dtype, shape), (INT64, shape)]
    if g.version(type) < 10:
        if not k:
            raise Invalid("k is 0")
        g.node(type, [x], {**attributes, "k": k}, 2, results)
    else:
        g.node(type, [x, g.constant([k])], attributes, 2, results)


def running(g: Graph, type: str) -> None:
    """CumSum and CumProd along any axis, in any direction."""
    x = g.pick(g.types(type), _ranked(1))
    attributes = {n: g.rng.randrange(2) for n in ("exclusive", "reverse") if _maybe(g)}
    g.node(type, [x, g.constant(_axis(g, len(x.shape), True))], attributes)


def _reduction(g: Graph) -> str:
    return g.rng.choice(["Mean", "Sum", "NoReduction"])


def loss(g: Graph, type: str) -> None:
    """L1 and IdentityLoss of ai.graphcore."""
    x = g.pick(g.types(type, 0, GRAPHCORE), lambda v: v.size > 0)
    reduction = _reduction(g)
    if reduction == "Mean" and x.dtype == INT32:
        raise Invalid("integers have no mean")
    attributes: dict[str, Any] = {"reduction": reduction}
    if type == "L1":
        attributes["lambda"] = g.rng.choice([0.3, 1.0, 2.0])
    shape = x.shape if reduction == "NoReduction" else ()
    g.node(type, [x], attributes, results=[(x.dtype, shape)], domain=GRAPHCORE)


def nll(g: Graph, type: str) -> None:
    """Of Softmax or LogSoftmax over the last dimension, with labels that may be ignored."""
    x = g.pick(
        [t for t in _HALVES if t in g.types(type, 0, GRAPHCORE)],
        lambda v: _ranked(1)(v) and v.size > 0,
    )
    logarithms = _maybe(g)
    function = "LogSoftmax" if logarithms else "Softmax"
    p = g.node(function, [x], {"axis": len(x.shape) - 1})[0]
    classes, samples = p.shape[-1], p.shape[:-1]
    labels = _indices(g, classes, samples, g.rng.choice([INT32, INT64]), False)
    reduction = _reduction(g)
    attributes: dict[str, Any] = {"reduction": reduction}
    if logarithms or _maybe(g, 0.2):
        attributes["inputIsLogProbability"] = int(logarithms)
    if _maybe(g, 0.3):
        attributes["ignoreIndex"] = g.rng.randrange(classes)
    shape = samples if reduction == "NoReduction" else ()
    g.node(type, [p, labels], attributes, results=[(x.dtype, shape)], domain=GRAPHCORE)


def class_loss(g: Graph, type: str) -> None:
    """SoftmaxCrossEntropyLoss and NegativeLogLikelihoodLoss, with weights of classes at times."""
    rest = g.rng.choice([(), (), (2,), (3, 2)])
    n, classes = g.rng.choice([1, 2, 5]), g.rng.choice([1, 2, 3, 17])
    dtype = g.type(g.types(type))
    x = g.like(dtype, (n, classes, *rest))
    labels = _indices(g, classes, (n, *rest), g.rng.choice([INT32, INT64]), False)
    inputs = [x, labels]
    if _maybe(g, 0.4):
        inputs.append(g.fresh(dtype, (classes,), lambda rng, s: rng.uniform(0.2, 2, s)))
    reduction = g.rng.choice(["none", "mean", "sum"])
    attributes: dict[str, Any] = {"reduction": reduction}
    if _maybe(g, 0.3):
        attributes["ignore_index"] = g.rng.choice([*range(classes), -100])
    results = [(dtype, (n, *rest) if reduction == "none" else ()), (dtype, x.shape)]
    both = type == "SoftmaxCrossEntropyLoss" and _maybe(g, 0.3)
    g.node(type, inputs, attributes, 1 + both, results[: 1 + both])


def _flag(g: Graph) -> int:
    return g.rng.choice([0, 1])


def _rows(maker: Maker, *types: str) -> dict[str, Maker]:
    return dict.fromkeys(types, maker)


_SMALL: dict[str, Callable[[Graph], Any]] = {"alpha": _factor}
_ONNX: dict[str, Maker] = {
    **_rows(unary, "Neg", "Abs", "Sign", "Floor", "Ceil", "Exp", "Log", "Sqrt", "Reciprocal"),
    **_rows(unary, "Sin", "Cos", "Tan", "Erf", "Relu", "Tanh", "Sigmoid", "Softplus", "Softsign"),
    **_rows(unary, "Not", "Mish", "HardSwish", "Round", "IsNaN", "BitwiseNot"),
    **_rows(unary, "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh"),
    "IsInf": partial(unary, detect_negative=_flag, detect_positive=_flag),
    "Celu": partial(unary, alpha=lambda g: abs(_factor(g)) + 0.1),
    **_rows(binary, "BitwiseAnd", "BitwiseOr", "BitwiseXor"),
    **_rows(partial(unary, **_SMALL), "Elu", "ThresholdedRelu", "LeakyRelu"),
    "Selu": partial(unary, alpha=_factor, gamma=_factor),
    "HardSigmoid": partial(unary, alpha=_factor, beta=_factor),
    "Gelu": partial(unary, approximate=lambda g: g.rng.choice(["none", "tanh"])),
    **_rows(binary, "Add", "Sub", "Mul", "Equal", "Less", "Greater", "LessOrEqual"),
    **_rows(binary, "GreaterOrEqual", "And", "Or", "Xor"),
    **_rows(division, "Div", "Mod"),
    "Pow": power,
    **_rows(variadic, "Sum", "Mean", "Max", "Min"),
    "Where": where,
    "Clip": clip,
    "Cast": cast,
    **_rows(same, "Identity", "Dropout"),
    "Reshape": reshape,
    "Flatten": flatten,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Transpose": transpose,
    "Pad": pad,
    "PRelu": prelu,
    "CastLike": cast_like,
    **_rows(blocks, "DepthToSpace", "SpaceToDepth"),
    **_rows(class_loss, "SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"),
    "ConvTranspose": conv_transpose,
    "Concat": concat,
    "Slice": slice_,
    "Split": split,
    "Expand": expand,
    "Tile": tile,
    "Trilu": trilu,
    "CenterCropPad": center_crop_pad,
    "Gather": gather,
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    **_rows(scatter_elements, "Scatter", "ScatterElements"),
    "ScatterND": scatter_nd,
    "TensorScatter": tensor_scatter,
    "ReverseSequence": reverse_sequence,
    "OneHot": one_hot,
    "EyeLike": eye_like,
    "Compress": compress,
    "Col2Im": col2im,
    **_rows(shape_of, "Shape", "Size"),
    "ConstantOfShape": constant_of_shape,
    "Range": range_,
    "BatchNormalization": batch_norm,
    "LayerNormalization": layer_norm,
    "LRN": lrn,
    "LpNormalization": lp_normalization,
    "GroupNormalization": group_normalization,
    "RMSNormalization": rms_normalization,
    "Attention": attention,
    "RotaryEmbedding": rotary_embedding,
    "SwiGLU": swiglu,
    "CausalConvWithState": causal_conv,
    "Shrink": partial(
        unary, lambd=lambda g: abs(_factor(g)), bias=lambda g: g.rng.choice([0.0, 1.0, 2.0])
    ),
    **_rows(softmax, "Softmax", "LogSoftmax"),
    "Hardmax": hardmax,
    **_rows(search, "ArgMax", "ArgMin"),
    "TopK": top_k,
    **_rows(running, "CumSum", "CumProd"),
    "MatMul": matmul,
    "MatMulInteger": matmul_integer,
    "QuantizeLinear": quantize,
    "DequantizeLinear": dequantize,
    "QLinearMatMul": qlinear_matmul,
    **_rows(integer_conv, "ConvInteger", "QLinearConv"),
    "BitShift": shift,
    "BitCast": bit_cast,
    "Gemm": gemm,
    "Conv": conv,
    **_rows(pool, "MaxPool", "AveragePool"),
    "LpPool": lp_pool,
    "MaxUnpool": max_unpool,
    **_rows(roi, "RoiAlign", "MaxRoiPool"),
    **_rows(global_pool, "GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"),
    "LSTM": lstm,
    **_rows(resize, "Resize", "Upsample"),
    "GridSample": grid_sample,
    "AffineGrid": affine_grid,
    "DeformConv": deform_conv,
    "Einsum": einsum,
    "Det": det,
    "DFT": dft,
    "STFT": stft,
    "MelWeightMatrix": mel_weights,
    "InstanceNormalization": instance_norm,
    **_rows(recurrent, "GRU", "RNN"),
    "If": if_,
    "Loop": loop,
    "Scan": scan,
    **_rows(reduce, "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"),
    **_rows(reduce, "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"),
}
_OWN: dict[str, Maker] = {
    **_rows(own_unary, "Log1p", "Expm1", "Swish", "Gelu", "GeluErf", "Round", "NearbyInt"),
    **_rows(own_unary, "Nop", "Detach"),
    "Scale": scale,
    **_rows(remainder, "Fmod", "Remainder", "Atan2"),
    **_rows(bitwise, "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseXnor", "BitwiseNot"),
    "Reshape": own_reshape,
    "BatchNormalization": own_batch_norm,
    "GroupedGather": grouped_gather,
    **_rows(loss, "L1", "IdentityLoss"),
    "Nll": nll,
    **popart.MAKERS,
}
OPERATORS: dict[tuple[str, str], Maker] = {
    **{("ai.onnx", type): maker for type, maker in _ONNX.items()},
    **{(GRAPHCORE, type): maker for type, maker in _OWN.items()},
    **MAKERS,
}
"""What makes a node, by domain and name; it may add a few more nodes."""


def grow(g: Graph, nodes: int, operators: Sequence[tuple[str, str]] = tuple(OPERATORS)) -> None:
    """Adds that many nodes and more; each operator as often as any other."""
    while len(g.nodes) < nodes:
        domain, type = g.rng.choice(operators)
        before = len(g.nodes)
        try:
            OPERATORS[domain, type](g, type)
        except Invalid:
            del g.nodes[before:]
            read = {name for node in g.nodes for name in (*node.input, *node.output)}
            g.values = {k: v for k, v in g.values.items() if k in read}
            g.inputs = {k: v for k, v in g.inputs.items() if k in read}
            g.initializers = {k: v for k, v in g.initializers.items() if k in read}
