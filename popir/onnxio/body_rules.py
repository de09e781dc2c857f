"""Rules for the arguments of operators that ONNX defines by a function.

A function computes something of many arguments that the operator does not allow: a head of one
number broadcasts. So the shapes that ONNX's documentation of an operator asks for are checked here,
before the importer puts the function in the node's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Shape = Sequence[int]
Shapes = Mapping[str, Shape]
"""Those of the inputs that are given, by their names in the schema."""
Attributes = Mapping[str, Any]
"""Those of the node, and the defaults of the others."""


def broken(type: str, attributes: Attributes, shapes: Shapes) -> str:
    """What is wrong with the arguments of an operator of `ai.onnx`; "" if nothing is."""
    rule = _RULES.get(type)
    return next(rule(attributes, shapes), "") if rule else ""


def _attention(attributes: Attributes, shapes: Shapes) -> Iterator[str]:
    """Versions 23 and later: [batch, heads, positions, size], or the heads side by side."""
    yield from _is_truth(attributes, "is_causal")
    mode = attributes.get("qk_matmul_output_mode", 0)
    if mode not in range(4):
        yield f"qk_matmul_output_mode is {mode}; expected is 0, 1, 2 or 3"
    by_head: dict[str, list[int]] = {}
    for name, count in (("Q", "q_num_heads"), ("K", "kv_num_heads"), ("V", "kv_num_heads")):
        shape = list(shapes[name])
        if len(shape) != len(shapes["Q"]):
            yield f"{name} is {shape}, and Q {list(shapes['Q'])}; expected are as many dimensions"
        yield from _heads(name, shape, count, attributes)
        by_head[name] = shape if len(shape) == 4 else _split(shape, attributes[count])
    q, k, v = by_head["Q"], by_head["K"], by_head["V"]
    names = "[batch, heads, positions, size]"
    if not q[0] == k[0] == v[0]:
        yield f"Q is {q}, K {k} and V {v}, as {names}; expected is one batch"
    if k[1:3] != v[1:3]:
        yield f"K is {k} and V {v}, as {names}; expected are the same heads and positions"
    if q[3] != k[3]:
        yield f"Q is {q} and K {k}, as {names}; expected is the same size of a head"
    if k[1] == 0 or q[1] % k[1]:
        yield f"Q has {q[1]} heads, and K {k[1]}; expected is a multiple"
    if ("past_key" in shapes) != ("past_value" in shapes):
        yield "one of past_key and past_value is left out; expected are both or none"
    if "past_key" in shapes:
        past = list(shapes["past_key"])
        if len(past) != 4 or [*past[:2], past[3]] != [*k[:2], k[3]]:
            yield f"past_key is {past}; expected is {[*k[:2], 'positions', k[3]]}"
        wanted = [*v[:2], past[2], v[3]]
        if list(shapes["past_value"]) != wanted:
            yield f"past_value is {list(shapes['past_value'])}; expected is {wanted}"


def _rotary(attributes: Attributes, shapes: Shapes) -> Iterator[str]:
    """Version 23: X [batch, heads, positions, size], or the heads side by side."""
    yield from _is_truth(attributes, "interleaved")
    x = list(shapes["X"])
    yield from _heads("X", x, "num_heads", attributes)
    batch, _, length, size = x if len(x) == 4 else _split(x, attributes["num_heads"])
    turned = attributes.get("rotary_embedding_dim", 0) or size
    if turned % 2 or not 0 <= turned <= size:
        yield (
            f"rotary_embedding_dim is {turned}; expected is an even number up to {size}, the size "
            "of a head"
        )
    wanted: list[Any] = [batch, length, turned // 2]
    if "position_ids" in shapes:
        ids = list(shapes["position_ids"])
        if ids != [batch, length]:
            yield f"position_ids is {ids}; expected is {[batch, length]}"
        wanted = [shapes["cos_cache"][0] if shapes["cos_cache"] else 0, turned // 2]
        if length and batch and wanted[0] == 0:
            wanted[0] = "positions"
    for name in ("cos_cache", "sin_cache"):
        if list(shapes[name]) != wanted:
            yield f"{name} is {list(shapes[name])}; expected is {wanted}"


def _rms(attributes: Attributes, shapes: Shapes) -> Iterator[str]:
    """Version 23: X normalised from `axis` on, and a scale that broadcasts to it."""
    x, scale, axis = list(shapes["X"]), list(shapes["scale"]), attributes["axis"]
    if not -len(x) <= axis < len(x):
        yield f"axis is {axis}; X has {len(x)} dimensions, {x}"
    pairs = zip(reversed(scale), reversed(x), strict=False)
    if len(scale) > len(x) or any(size not in (1, whole) for size, whole in pairs):
        yield f"scale is {scale}, which does not broadcast to X, {x}"


def _is_truth(attributes: Attributes, name: str) -> Iterator[str]:
    value = attributes.get(name, 0)
    if value not in (0, 1):
        yield f"{name} is {value}; expected is 0 or 1"


def _heads(name: str, shape: Shape, count: str, attributes: Attributes) -> Iterator[str]:
    """Whether a tensor has heads as a dimension, or as many as an attribute says side by side."""
    if len(shape) not in (3, 4):
        yield (
            f"{name} is {list(shape)}; expected is [batch, heads, positions, size], or [batch, "
            f"positions, heads * size] with {count}"
        )
    heads = attributes.get(count) or 0
    if len(shape) == 3 and (heads <= 0 or shape[2] % heads):
        yield (
            f"{name} is {list(shape)} and {count} {heads or 'not given'}; expected is a number of "
            f"heads that divides {shape[2]}"
        )


def _split(shape: Shape, heads: int) -> list[int]:
    batch, positions, width = shape
    return [batch, heads, positions, width // heads]


_RULES: dict[str, Callable[[Attributes, Shapes], Iterator[str]]] = {
    "Attention": _attention,
    "RotaryEmbedding": _rotary,
    "RMSNormalization": _rms,
}
