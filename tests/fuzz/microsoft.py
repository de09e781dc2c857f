"""Random nodes of onnxruntime's own operators, to be compared with onnxruntime: `MAKERS`.

Those that it has no CPU kernel for are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
NO_KERNEL = {
    *("BiasAdd", "BiasSoftmax", "BiasSplitGelu", "GroupNorm", "SkipGroupNorm", "NhwcConv"),
    *("NhwcFusedConv", "QLinearReduceMean", "SimplifiedLayerNormalization"),
}
"""Operators of the domain without one; the last is in ONNX's domain there."""


class Made(NamedTuple):
    """A node: its inputs, its attributes, which inputs are initializers, how many outputs."""

    inputs: Sequence[Array | None]
    attributes: dict[str, Any] = {}
    constants: Sequence[int] = ()
    outputs: int = 1
    atol: float = 1e-5


class Random:
    """Random choices, numbers and arrays."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def maybe(self, chance: float = 0.5) -> bool:
        return bool(self.rng.random() < chance)

    def of(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def floats(self, *shape: int) -> Array:
        return self.rng.standard_normal(shape).astype(np.float32)

    def scales(self, *shape: int) -> Array:
        return self.rng.uniform(0.01, 0.2, shape).astype(np.float32)

    def bytes(self, *shape: int, signed: bool = False) -> Array:
        found = self.rng.integers(0, 256, shape).astype(np.uint8)
        return found.view(np.int8) if signed else found

    def below(self, high: int, *shape: int, dtype: Any = np.int64) -> Array:
        return self.rng.integers(0, high, shape).astype(dtype)

    def shape(self, least: int = 1, most: int = 3) -> list[int]:
        return [self(1, 5) for _ in range(self(least, most))]


def _unary(r: Random) -> Made:
    return Made([r.floats(*r.shape())])


def _biased(r: Random) -> Made:
    shape = r.shape()
    return Made([r.floats(*shape), r.floats(shape[-1])])


def _fast_gelu(r: Random) -> Made:
    return _biased(r) if r.maybe() else _unary(r)


def _skip(r: Random, betas: int) -> Made:
    b, s, n = r(1, 3), r(1, 4), r(2, 6)
    bias = [r.floats(n) if r.maybe() else None for _ in range(betas)]
    inputs = [r.floats(b, s, n), r.floats(b, s, n), r.floats(n), *bias]
    return Made(inputs, {"epsilon": r.of(1e-5, 0.1)})


def _embed(r: Random) -> Made:
    b, s, n = r(1, 3), r(1, 4), r(2, 6)
    segments = r.maybe()
    words = [
        r.below(5, b, s, dtype=np.int32),
        r.below(2, b, s, dtype=np.int32) if segments else None,
    ]
    tables = [r.floats(5, n), r.floats(6, n), r.floats(2, n) if segments else None]
    mask = r.below(2, b, s, dtype=np.int32) if r.maybe() else None
    return Made([*words, *tables, r.floats(n), r.floats(n), mask], outputs=2)


def _mask(r: Random, b: int, s: int, total: int) -> Array | None:
    form = r(0, 3)
    if form == 3:
        return r.below(total + 1, b, dtype=np.int32)
    shapes = [None, (b, total), (b, s, total)]
    shape = shapes[form]
    return None if shape is None else r.below(2, *shape, dtype=np.int32)


def _attention(r: Random) -> Made:
    b, s, heads, size, past = r(1, 3), r(1, 4), r(1, 3), r(1, 4), r.of(0, r(1, 3))
    n, width = r(1, 5), heads * size
    inputs = [r.floats(b, s, n), r.floats(n, 3 * width), r.floats(3 * width)]
    old = r.floats(2, b, heads, past, size) if past else None
    bias = r.floats(r.of(1, b), r.of(1, heads), s, s) if not past and r.maybe() else None
    attributes = {"num_heads": heads, "unidirectional": r(0, 1)}
    # A row that sees nothing has its scores near -10000, where float has four digits less.
    return Made(
        [*inputs, _mask(r, b, s, s + past), old, bias], attributes, (), 1 + bool(past), 1e-3
    )


def _multi_head(r: Random) -> Made:
    b, s, heads, size, past = r(1, 3), r(1, 4), r(1, 3), r(1, 4), r.of(0, r(1, 3))
    width = heads * size
    t = s if past else r(1, 5)
    keys = [r.floats(b, t, width), r.floats(b, t, width)]
    bias = r.floats(3 * width) if r.maybe() else None
    old = [r.floats(b, heads, past, size) for _ in range(2)] if past else []
    added = r.floats(r.of(1, b), r.of(1, heads), s, t + past) if r.maybe() else None
    inputs = [r.floats(b, s, width), *keys, bias, _mask(r, b, s, t + past), added, *old]
    attributes = {"num_heads": heads, "unidirectional": int(t == s and r.maybe())}
    return Made(inputs, attributes, outputs=3, atol=1e-3)


def _group_query(r: Random) -> Made:
    b, kv, group, size = r(1, 2), r(1, 2), r(1, 2), 16
    past = r.of(0, r(1, 4))
    s = r(1, 3) if not past or b == 1 else 1
    total, heads = s + past, kv * group
    turned = r.maybe()
    caches = [r.floats(9, size // 2) for _ in range(2)] if turned else []
    old = [r.floats(b, kv, past, size) for _ in range(2)] if past else [None, None]
    new = [r.floats(b, s, kv * size) for _ in range(2)]
    lengths = [np.full(b, total - 1, np.int32), np.array(total, np.int32)]
    attributes = {
        "num_heads": heads,
        "kv_num_heads": kv,
        "do_rotary": int(turned),
        "local_window_size": r.of(-1, r(1, 4)),
        "softcap": r.of(0.0, 1.5),
        "smooth_softmax": r.of(0, 1),
    }
    return Made([r.floats(b, s, heads * size), *new, *old, *lengths, *caches], attributes, [6], 3)


def _rotary(r: Random) -> Made:
    b, s, heads, half, rest = r(1, 3), r(1, 4), r(1, 3), r(1, 3), r.of(0, r(1, 3))
    size = 2 * half + rest
    part = {"rotary_embedding_dim": 2 * half, "num_heads": heads} if rest else {}
    x = r.floats(b, heads, s, size) if r.maybe() else r.floats(b, s, heads * size)
    positions = r.below(4, 1) if r.maybe() else r.below(8, b, s)
    caches = [r.floats(8, half) for _ in range(2)]
    return Made([x, positions, *caches], {"interleaved": r(0, 1), **part})


def _matmul(r: Random, batches: bool) -> Made:
    batch, m, k, n = r.shape(1, 2), r(1, 4), r(1, 4), r(1, 4)
    attributes = {"alpha": r.of(1.0, 0.5)}
    arrays = []
    for side, shape in (("A", [*batch, m, k]), ("B", [*batch, k, n])):
        if r.maybe():
            attributes[f"trans{side}"] = 1
            shape[-2:] = shape[:-3:-1]
        if batches and r.maybe():
            attributes[f"transBatch{side}"] = 1
            shape = [shape[-2], *shape[:-2], shape[-1]]
        arrays.append(r.floats(*shape))
    return Made(arrays, attributes)


def _gemm(r: Random) -> Made:
    m, k, n = r(1, 4), r(1, 4), r(1, 4)
    a, b = r(0, 1), r(0, 1)
    c = r.floats(*r.of((n,), (m, n), (1,))) if r.maybe() else None
    x, w = r.floats(*((k, m) if a else (m, k))), r.floats(*((n, k) if b else (k, n)))
    name = r.of("Relu", "Tanh", "Sigmoid", "Softplus", "Softsign", "LeakyRelu")
    more = {"activation_alpha": 0.25} if name == "LeakyRelu" else {}
    factors = {"alpha": r.of(1.0, 0.5), "beta": r.of(1.0, 2.0)}
    return Made([x, w, c], {"transA": a, "transB": b, "activation": name, **factors, **more})


def _conv(r: Random) -> Made:
    groups, k = r(1, 2), r(1, 3)
    i, o = groups * r(1, 2), groups * r(1, 2)
    name = r.of("Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Clip")
    parameters = {"LeakyRelu": [0.25], "HardSigmoid": [0.3, 0.4], "Clip": [-0.5, 0.5]}.get(name)
    attributes = {"group": groups, "strides": [r(1, 2), 1], "pads": [r(0, 1), 0, 0, 1]}
    attributes |= {"activation": name}
    attributes |= {"activation_params": parameters} if parameters else {}
    inputs = [r.floats(r(1, 2), i, r(3, 6), r(3, 6)), r.floats(o, i // groups, k, k)]
    return Made([*inputs, r.floats(o) if r.maybe() else None], attributes)


def _nbits(r: Random) -> Made:
    bits, block, k, n = r.of(2, 4, 8), r.of(16, 32), r(1, 70), r(1, 5)
    blocks = -(-k // block)
    packed = [r.bytes(n, blocks, block * bits // 8), r.scales(n, blocks)]
    zeros = [r.bytes(n, -(-blocks * bits // 8))] if r.maybe() else []
    attributes = {"K": k, "N": n, "bits": bits, "block_size": block}
    x = r.floats(*r.shape(1, 2), k)
    return Made([x, *packed, *zeros], attributes, range(1, 3 + len(zeros)), 1, 1e-4)


def _gather_bits(r: Random) -> Made:
    bits, block, rows, blocks = r.of(2, 4, 8), 16, r(1, 5), r.of(1, 2, 4)
    table = [r.bytes(rows, block * blocks * bits // 8), r.scales(rows, blocks)]
    zeros = [r.bytes(rows, -(-blocks * bits // 8))] if r.maybe() else []
    indices = r.below(rows, *r.shape(1, 2))
    attributes = {"bits": bits, "block_size": block}
    constants = (0, 2, 3)[: 2 + len(zeros)]
    return Made([table[0], indices, table[1], *zeros], attributes, constants)


def _quantized(r: Random, signed: bool, *shape: int) -> list[Array]:
    return [r.bytes(*shape, signed=signed), r.scales(), r.bytes(signed=signed)]


def _qlinear_binary(r: Random) -> Made:
    shape, signed = r.shape(), r.maybe()
    other = shape[r(0, len(shape) - 1) :]
    parts = [*_quantized(r, signed, *shape), *_quantized(r, signed, *other)]
    return Made([*parts, *_quantized(r, signed, 1)[1:]], atol=1)


def _qlinear_unary(r: Random, **attributes: Any) -> Made:
    signed = r.maybe()
    last = _quantized(r, signed, 1)[1:]
    return Made([*_quantized(r, signed, *r.shape(2, 3)), *last], attributes, atol=1)


def _qlinear_pool(r: Random, window: bool) -> Made:
    signed, last = r.maybe(), r(0, 1)
    shape = [r(1, 2), r(1, 3), r(3, 6), r(3, 6)]
    shape = [shape[0], *shape[2:], shape[1]] if last else shape
    more = {"kernel_shape": [2, 3], "strides": [r(1, 2), 1], "ceil_mode": r(0, 1)} if window else {}
    parts = [*_quantized(r, signed, *shape), *_quantized(r, signed, 1)[1:]]
    return Made(parts, {"channels_last": last, **more}, atol=1)


def _qlinear_concat(r: Random) -> Made:
    shape, signed = r.shape(2, 3), r.maybe()
    axis = r(0, len(shape) - 1)
    parts: list[Array] = []
    for _ in range(r(1, 3)):
        parts += _quantized(r, signed, *shape[:axis], r(1, 3), *shape[axis + 1 :])
    return Made([*_quantized(r, signed, 1)[1:], *parts], {"axis": axis}, atol=1)


def _qlinear_where(r: Random) -> Made:
    shape, signed = r.shape(), r.maybe()
    parts = [*_quantized(r, signed, *shape), *_quantized(r, signed, *shape)]
    condition = r.below(2, *shape, dtype=np.bool_)
    return Made([condition, *parts, *_quantized(r, signed, 1)[1:]], atol=1)


def _qlinear_conv(r: Random) -> Made:
    last, groups, k = r(0, 1), r(1, 2), r(1, 3)
    i, o = groups * r(1, 2), groups * r(1, 2)
    image = [r(1, 2), i, r(3, 6), r(3, 6)]
    image = [image[0], *image[2:], i] if last else image
    weights = [r.bytes(o, i // groups, k, k, signed=True), r.scales(), np.array(0, np.int8)]
    bias = [r.below(999, o, dtype=np.int32)] if r.maybe() else []
    scale = np.array(r.rng.uniform(1, 5), np.float32)
    inputs = [*_quantized(r, False, *image), *weights, scale, r.bytes(), *bias]
    attributes = {"channels_last": last, "group": groups, "pads": [1, 0, 0, 1]}
    return Made(inputs, attributes, [3], atol=1)


def _quantize(r: Random) -> Made:
    shape, signed = r.shape(), r.maybe()
    axis = r(0, len(shape) - 1)
    several = [shape[axis]] if r.maybe() else []
    inputs = [10 * r.floats(*shape), r.scales(*several), r.bytes(*several, signed=signed)]
    return Made(inputs, {"axis": axis} if several else {})


def _dequantize(r: Random) -> Made:
    shape, signed = r.shape(), r.maybe()
    axis = r(0, len(shape) - 1)
    several = [shape[axis]] if r.maybe() else []
    parts = [r.bytes(*shape, signed=signed), r.scales(*several), r.bytes(*several, signed=signed)]
    return Made(parts, {"axis": axis} if several else {})


def _integer_to_float(r: Random) -> Made:
    m, k, n, signed = r(1, 4), r(1, 4), r(1, 4), r.maybe()
    columns = [n] if r.maybe() else []
    zeros = [r.bytes(), r.bytes(*columns, signed=signed)]
    inputs = [r.bytes(m, k), r.bytes(k, n, signed=signed), r.scales(), r.scales(*columns), *zeros]
    return Made([*inputs, r.floats(n) if r.maybe() else None], {}, [1, 3, 5], 1, 1e-4)


def _dynamic(r: Random) -> Made:
    m, k, n, signed = r(1, 4), r(1, 4), r(1, 4), r.maybe()
    columns = [n] if r.maybe() else []
    weights = [r.bytes(k, n, signed=signed), r.scales(*columns), r.bytes(*columns, signed=signed)]
    bias = r.floats(n) if r.maybe() else None
    return Made([r.floats(m, k), *weights, bias], {}, [1, 2, 3], 1, 1e-4)


def _qgemm(r: Random) -> Made:
    m, k, n, signed = r(1, 4), r(1, 4), r(1, 4), r.maybe()
    b = r(0, 1)
    columns = [n] if r.maybe() else []
    weights = r.bytes(*((n, k) if b else (k, n)), signed=signed)
    parts = [*_quantized(r, False, m, k), weights, r.scales(*columns)]
    c = r.below(999, n, dtype=np.int32) if r.maybe() else None
    result = [np.array(2.5, np.float32), r.bytes()] if r.maybe() else []
    inputs = [*parts, r.bytes(*columns, signed=signed), c, *result]
    return Made(inputs, {"transB": b, "alpha": r.of(1.0, 0.5)}, [3], 1, 1 if result else 1e-4)


def _qattention(r: Random) -> Made:
    b, s, heads, size, n = r(1, 3), r(1, 4), r(1, 3), r(1, 4), r(1, 5)
    width = 3 * heads * size
    numbers = [r.bytes(b, s, n), r.bytes(n, width, signed=True), r.floats(width)]
    ends = r.below(s + 1, b, dtype=np.int32) if r.maybe() else None
    inputs = [
        *numbers,
        *(np.asarray(r.scales() / 10) for _ in range(2)),
        ends,
        r.bytes(),
        np.array(0, np.int8),
    ]
    attributes = {"num_heads": heads, "unidirectional": r(0, 1)}
    return Made(inputs, attributes, [1], 1, 1e-3)


MAKERS: dict[str, Callable[[Random], Made]] = {
    "Gelu": _unary,
    "QuickGelu": _unary,
    "FastGelu": _fast_gelu,
    "BiasGelu": _biased,
    "SkipLayerNormalization": lambda r: _skip(r, 2),
    "SkipSimplifiedLayerNormalization": lambda r: _skip(r, 1),
    "EmbedLayerNormalization": _embed,
    "Attention": _attention,
    "MultiHeadAttention": _multi_head,
    "GroupQueryAttention": _group_query,
    "QAttention": _qattention,
    "RotaryEmbedding": _rotary,
    "FusedMatMul": lambda r: _matmul(r, True),
    "TransposeMatMul": lambda r: _matmul(r, False),
    "FusedGemm": _gemm,
    "FusedConv": _conv,
    "MatMulNBits": _nbits,
    "GatherBlockQuantized": _gather_bits,
    "QuantizeLinear": _quantize,
    "DequantizeLinear": _dequantize,
    "QLinearAdd": _qlinear_binary,
    "QLinearMul": _qlinear_binary,
    "QLinearSigmoid": _qlinear_unary,
    "QLinearLeakyRelu": lambda r: _qlinear_unary(r, alpha=0.25),
    "QLinearSoftmax": lambda r: _qlinear_unary(r, opset=r.of(11, 13), axis=1),
    "QLinearGlobalAveragePool": lambda r: _qlinear_pool(r, False),
    "QLinearAveragePool": lambda r: _qlinear_pool(r, True),
    "QLinearConcat": _qlinear_concat,
    "QLinearWhere": _qlinear_where,
    "QLinearConv": _qlinear_conv,
    "MatMulIntegerToFloat": _integer_to_float,
    "DynamicQuantizeMatMul": _dynamic,
    "QGemm": _qgemm,
}
