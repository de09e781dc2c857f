"""onnxruntime's own operators, of the domain com.microsoft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.ops.cases.case import Array, Case, erf, ints, sigmoid


def row(type: str, inputs: Sequence[Any], id: str = "", **more: Any) -> Case:
    """A row of the domain; `more` are fields of Case, and `given` its attributes."""
    given = more.pop("given", {})
    numbers = {"rtol": 2e-5, "atol": 2e-6, **more}
    return Case(type, inputs, given, domain="com.microsoft", opsets=(1,), id=id, **numbers)


def gelu(x: Array) -> Array:
    return x * 0.5 * (1 + erf(x / np.sqrt(2)))


def group_norm(groups: int, last: bool, silu: bool) -> Callable[..., Array]:
    """GroupNorm, or SkipGroupNorm with a skip of X's shape and a bias."""

    def of(x: Array, gamma: Array, beta: Array, skip: Any = 0.0, bias: Any = 0.0) -> Array:
        x = np.moveaxis(x, -1, 1) if last else x
        skip = np.moveaxis(skip, -1, 1) if last and np.ndim(skip) == x.ndim else skip
        wide = (-1, *[1] * (x.ndim - 2))
        x = x + (np.reshape(skip, (*np.shape(skip), *wide[1:])) if np.ndim(skip) == 2 else skip)
        x = x + (np.reshape(bias, wide) if np.ndim(bias) else bias)
        rows = x.reshape(len(x), groups, -1)
        centred = rows - rows.mean(2, keepdims=True)
        y = centred / np.sqrt((centred**2).mean(2, keepdims=True) + 1e-5)
        y = y.reshape(x.shape) * gamma.reshape(wide) + beta.reshape(wide)
        y = y * sigmoid(y) if silu else y
        return np.moveaxis(y, 1, -1) if last else y

    return of


def bias_softmax(x: Array, bias: Array) -> Array:
    e = np.exp(x + bias)
    return e / e.sum(-1, keepdims=True)


WORDS, SEGMENTS = ints(1, 3, 0, 2, 2, 4, dtype=np.int32), ints(0, 0, 1, 0, 1, 1, dtype=np.int32)
TABLES = [[5, 4], [3, 4], [2, 4], [4], [4]]
MASK = ints(1, 1, 0, 1, 0, 0, dtype=np.int32).reshape(2, 3)
A, B = (np.float32(0.05), np.uint8(100)), (np.float32(0.07), np.uint8(120))
"""Two scales and zero points."""
_numbers = np.random.default_rng(0).integers(0, 256, 90).astype(np.uint8)
QUANTIZED = [
    *(_numbers[:30].reshape(2, 3, 5), _numbers[30:].reshape(5, 12).view(np.int8)),
    *([12], np.float32(0.02), np.float32(0.01), None, np.uint8(120), np.int8(3)),
]
"""What QAttention takes."""

FUSED = [
    row("Gelu", [[2, 3]]),
    row("FastGelu", [[2, 3]]),
    row("FastGelu", [[2, 3], [3]], "bias"),
    row("BiasGelu", [[2, 3], [3]]),
    row("QuickGelu", [[2, 3]]),
    row("QuickGelu", [[2, 3]], "alpha", given={"alpha": 0.5}),
    row(
        "BiasSplitGelu",
        [[2, 3, 4], [4]],
        formula=lambda x, b: (x + b)[..., :2] * gelu((x + b)[..., 2:]),
    ),
    row("BiasAdd", [[2, 3, 4], [4], [2, 3, 4]], formula=lambda x, b, s: x + b + s),
    row(
        "BiasSoftmax",
        [[2, 3, 4], [2, 1, 4]],
        given={"axis": 2, "is_inner_broadcast": 1},
        formula=bias_softmax,
    ),
    row(
        "BiasSoftmax",
        [[2, 3, 4], [3, 4]],
        "outer",
        given={"axis": 2, "is_inner_broadcast": 0},
        formula=bias_softmax,
    ),
]
NORMS = [
    row("SkipLayerNormalization", [[2, 3, 4], [2, 3, 4], [4]], atol=1e-5),
    row(
        "SkipLayerNormalization",
        [[2, 3, 4], [3, 4], [4], [4], [4]],
        "bias",
        given={"epsilon": 0.1},
        atol=1e-5,
    ),
    row("SkipSimplifiedLayerNormalization", [[2, 3, 4], [2, 3, 4], [4]], atol=1e-5),
    row(
        "SkipSimplifiedLayerNormalization",
        [[5, 4], [5, 4], [4], [4]],
        "tokens",
        given={"epsilon": 0.1},
        atol=1e-5,
    ),
    row(
        "EmbedLayerNormalization",
        [WORDS.reshape(2, 3), SEGMENTS.reshape(2, 3), *TABLES, MASK],
        outputs=3,
        atol=1e-5,
    ),
    row(
        "EmbedLayerNormalization",
        [
            WORDS.reshape(2, 3),
            None,
            *TABLES[:2],
            None,
            *TABLES[3:],
            None,
            ints(2, 0, 1, dtype="i4")[None],
        ],
        "positions",
        given={"epsilon": 0.1},
        outputs=2,
        atol=1e-5,
    ),
    row(
        "GroupNorm",
        [[2, 3, 2, 4], [4], [4]],
        given={"groups": 2, "activation": 1},
        formula=group_norm(2, True, True),
        atol=1e-5,
    ),
    row(
        "GroupNorm",
        [[2, 4, 3], [4], [4]],
        "first",
        given={"groups": 2, "activation": 0, "channels_last": 0},
        formula=group_norm(2, False, False),
        atol=1e-5,
    ),
    row(
        "SkipGroupNorm",
        [[2, 3, 2, 4], [4], [4], [2, 3, 2, 4], [4]],
        given={"groups": 2, "activation": 1},
        formula=group_norm(2, True, True),
        atol=1e-5,
    ),
    row(
        "SkipGroupNorm",
        [[2, 4, 3], [4], [4], [2, 4]],
        "row",
        given={"groups": 4, "activation": 0, "channels_last": 0},
        formula=group_norm(4, False, False),
        atol=1e-5,
    ),
    row(
        "SimplifiedLayerNormalization",
        [[2, 3, 4], [4]],
        formula=lambda x, scale: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale,
    ),
    row(
        "SimplifiedLayerNormalization",
        [[2, 3, 4], [3, 4]],
        "axis",
        given={"axis": 1, "epsilon": 0.1},
        formula=lambda x, scale: x / np.sqrt((x * x).mean((1, 2), keepdims=True) + 0.1) * scale,
    ),
]


def attention(type: str, inputs: Sequence[Any], id: str = "", **more: Any) -> Case:
    """A row with two heads."""
    return row(type, inputs, id, **{**more, "given": {"num_heads": 2, **more.get("given", {})}})


def packed_attention(parts: Callable[..., list[Array]]) -> Callable[..., Array]:
    """MultiHeadAttention of what `parts` makes of the inputs: queries, keys and values, [batch,
    places, heads, size] each.
    """

    def of(*given: Array) -> Array:
        q, k, v = (t.transpose(0, 2, 1, 3) for t in parts(*given))
        e = np.exp(q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]))
        y = (e / e.sum(-1, keepdims=True)) @ v
        return y.transpose(0, 2, 1, 3).reshape(*y.shape[::2], -1)

    return of


def heads_of(t: Array) -> Array:
    return t.reshape(*t.shape[:2], 2, -1)


def t5_bias(table: Array, queries: int, keys: int, both: int) -> Array:
    """The table's rows, pair by pair, for a `max_distance` of 6."""
    found = np.zeros((1, table.shape[1], queries, keys))
    count = len(table) // 2 if both else len(table)
    for q in range(queries):
        for k in range(keys):
            start = count if both and k > q else 0
            far = abs(q - k) if both else max(q - k, 0)
            if far >= count // 2:
                part = np.log(far / (count // 2)) / np.log(6 / (count // 2))
                far = min(count // 2 + int(part * (count - count // 2) + 1e-6), count - 1)
            found[0, :, q, k] = table[start + far]
    return found


PROJECTED = [[2, 3, 5], [5, 12], [12]]
QKV = [[2, 3, 4], [2, 4, 4], [2, 4, 4]]
SEEN = ints(1, 1, 0, 0, 1, 1, dtype=np.int32).reshape(2, 3)
PAST = [2, 2, 2, 2]
ENDS = ints(2, 1, dtype=np.int32)
ATTENTION = [
    attention("Attention", PROJECTED),
    attention("Attention", [*PROJECTED, SEEN], "mask", given={"unidirectional": 1}),
    attention("Attention", [*PROJECTED, ENDS], "ends", given={"mask_filter_value": -2.0}),
    attention(
        "Attention", [*PROJECTED, ints(3, 3, 1, 0, dtype=np.int32)], "starts", given={"scale": 0.3}
    ),
    attention(
        "Attention",
        [*PROJECTED, None, [2, *PAST]],
        "past",
        given={"unidirectional": 1},
        outputs=2,
    ),
    attention("Attention", [*PROJECTED, SEEN, None, [1, 2, 3, 3]], "added"),
    attention(
        "Attention", [[2, 3, 5], [5, 14], [14]], "sizes", given={"qkv_hidden_sizes": [4, 4, 6]}
    ),
    attention("QAttention", QUANTIZED, constants=[1], gradient=False, rtol=1e-4, atol=1e-4),
    attention(
        "QAttention",
        [*QUANTIZED, [2, *PAST]],
        "past",
        given={"unidirectional": 1},
        outputs=2,
        constants=[1],
        gradient=False,
        rtol=1e-4,
        atol=1e-4,
    ),
    attention("MultiHeadAttention", QKV),
    attention("MultiHeadAttention", [*QKV, [12], ENDS, [2, 1, 3, 4]], "bias"),
    attention(
        "MultiHeadAttention",
        [*[[2, 3, 4]] * 3, None, None, None, PAST, PAST],
        "past",
        given={"unidirectional": 1},
        outputs=3,
    ),
    attention("MultiHeadAttention", [[2, 3, 4], *[[2, 2, 4, 2]] * 2, [12]], "cross"),
    attention(
        "MultiHeadAttention",
        [[2, 3, 2, 3, 2]],
        "packed",
        formula=packed_attention(lambda x: [x[:, :, :, i] for i in range(3)]),
    ),
    attention(
        "MultiHeadAttention",
        [[2, 3, 4], [2, 4, 2, 2, 2]],
        "packed keys",
        formula=packed_attention(lambda q, x: [heads_of(q), x[:, :, :, 0], x[:, :, :, 1]]),
    ),
    *(
        row(
            "RelativePositionBias",
            [[8, 2], np.int64(7), np.int64(7)],
            ("causal", "both ways")[way],
            given={"max_distance": 6, "is_bidirectional": way},
            constants=[1, 2],
            formula=lambda table, q, k, way=way: t5_bias(table, int(q), int(k), way),
        )
        for way in (0, 1)
    ),
    row("RotaryEmbedding", [[2, 3, 8], ints(0, 1, 2, 2, 0, 4).reshape(2, 3), [5, 2], [5, 2]]),
    row(
        "RotaryEmbedding",
        [[2, 3, 2, 6], ints(1, 0, 3, 2).reshape(2, 2), [5, 2], [5, 2]],
        "part",
        given={"interleaved": 1, "rotary_embedding_dim": 4, "num_heads": 3},
    ),
    row("RotaryEmbedding", [[1, 3, 8], ints(2), [5, 2], [5, 2]], "first"),
]
# onnxruntime turns heads whose size is a multiple of 16.
GROUPS = {"num_heads": 4, "kv_num_heads": 2}
CACHE = [2, 2, 3, 16]
GROUPED = [
    row(
        "GroupQueryAttention",
        [[2, 3, 32], [2, 3, 16], [2, 3, 16], None, None, ints(2, 2, dtype="i4"), np.int32(3)],
        given=GROUPS,
        constants=[6],
        outputs=3,
    ),
    row(
        "GroupQueryAttention",
        [[2, 1, 128], None, None, CACHE, CACHE, ints(3, 3, dtype="i4"), np.int32(4), *[[6, 8]] * 2],
        "one more",
        given={**GROUPS, "do_rotary": 1, "local_window_size": 3, "softcap": 2.0},
        constants=[6],
        outputs=3,
    ),
    row(
        "GroupQueryAttention",
        [
            *([1, 2, 64], [1, 2, 32], [1, 2, 32], [1, 2, 2, 16], [1, 2, 2, 16]),
            *(ints(3, dtype="i4"), np.int32(4), [6, 8], [6, 8], ints(2, 3)[None]),
            *([1, 4, 2, 4], [4]),
        ],
        "sink",
        given={**GROUPS, "do_rotary": 1, "rotary_interleaved": 1, "scale": 0.3},
        constants=[6],
        outputs=3,
    ),
    row(
        "GroupQueryAttention",
        [[2, 3, 32], [2, 3, 16], [2, 3, 16], None, None, ints(2, 1, dtype="i4"), np.int32(3)],
        "all",
        given={**GROUPS, "causal": 0, "smooth_softmax": 1},
        constants=[6],
    ),
]
IMAGE = [[1, 4, 5, 5], [6, 2, 3, 3], [6]]
GROUPED_CONV = {"group": 2, "pads": [1, 0, 0, 1]}


def last(x: Array) -> Array:
    return np.moveaxis(x, 1, -1)


def pointwise(x: Array, w: Array, b: Array, z: Any = 0.0) -> Array:
    """Conv with channels last and a kernel of one element."""
    return x @ w.reshape(len(w), -1).T + b + z


PRODUCTS = [
    row("FusedMatMul", [[2, 3, 4], [2, 4, 5]], given={"alpha": 0.5}),
    row(
        "FusedMatMul",
        [[3, 2, 6, 4], [2, 6, 5, 4]],
        "transposed",
        given={"transBatchA": 1, "transB": 1},
        formula=lambda a, b: a.transpose(1, 2, 0, 3) @ b.swapaxes(2, 3),
    ),
    row("TransposeMatMul", [[4, 3], [4, 5]], given={"transA": 1}),
    row(
        "FusedGemm",
        [[2, 3], [4, 3], [4]],
        given={"transB": 1, "activation": "LeakyRelu", "activation_alpha": 0.25},
    ),
    row("FusedConv", IMAGE, given={**GROUPED_CONV, "activation": "Tanh"}),
    row(
        "FusedConv",
        [*IMAGE, [1, 6, 4, 4]],
        "sum",
        given={**GROUPED_CONV, "activation": "Relu"},
        atol=1e-5,
    ),
    row(
        "NhwcConv",
        [[1, 3, 2, 4], [6, 1, 1, 2], [6]],
        given={"group": 2},
        formula=lambda x, w, b: np.concatenate(
            [pointwise(x[..., i : i + 2], w[g : g + 3], b[g : g + 3]) for i, g in ((0, 0), (2, 3))],
            -1,
        ),
        atol=1e-5,
    ),
    row(
        "NhwcFusedConv",
        [[1, 3, 2, 4], [6, 4, 1, 1], [6], [1, 3, 2, 6]],
        given={"activation": "Sigmoid"},
        formula=lambda *given: sigmoid(pointwise(*given)),
        atol=1e-5,
    ),
]
BYTES = np.random.default_rng(1).integers(0, 256, (3, 2, 8)).astype(np.uint8)
BITS = {"K": 24, "N": 3, "block_size": 16}
TABLE = BYTES.reshape(3, 16)
FOUR_BITS = [
    row("MatMulNBits", [[2, 24], BYTES, [3, 2]], given=BITS, constants=[1], atol=1e-4),
    row(
        "MatMulNBits",
        [[2, 24], BYTES, [3, 2], TABLE[:, :1], None, [3]],
        "zero points",
        given=BITS,
        constants=[1, 3],
        atol=1e-4,
    ),
    row(
        "MatMulNBits",
        [[2, 24], BYTES, [3, 2], None, np.arange(24, dtype=np.int32) * 7 % 2],
        "rows in groups",
        given=BITS,
        constants=[1, 4],
        atol=1e-4,
    ),
    row(
        "GatherBlockQuantized",
        [TABLE, ints(1, 2), [3, 2], TABLE[:, :1]],
        given={"block_size": 16},
        constants=[0, 3],
    ),
    row(
        "GatherBlockQuantized",
        [TABLE, ints(1, 0, 1, 2).reshape(2, 2), [3, 1]],
        "bytes",
        given={"block_size": 16, "bits": 8},
        constants=[0],
    ),
]


def exact(type: str, inputs: Sequence[Any], id: str = "", **more: Any) -> Case:
    """A row of integers, without a gradient."""
    return row(type, inputs, id, **{"rtol": 0, "atol": 0, **more, "gradient": False})


QUANTIZED_X = [TABLE[:2, :6].copy(), *A]
QUANTIZED_Y = [TABLE[1:, 3:9].copy(), *B]
QLINEAR = [
    exact("QuantizeLinear", [[2, 3], np.float64(0.02), np.uint8(100)], widest="float32"),
    exact(
        "QuantizeLinear",
        [[2, 3], np.float64([0.02, 0.03]), np.int8([1, -3])],
        "axis",
        given={"axis": 0},
        widest="float32",
    ),
    row("DequantizeLinear", [QUANTIZED_X[0], np.float64(0.1), np.uint8(9)], widest="float32"),
    row(
        "DequantizeLinear",
        [QUANTIZED_X[0].view(np.int8), np.float64([0.1, 0.2])],
        "axis",
        given={"axis": 0},
        widest="float32",
    ),
    exact("QLinearAdd", [*QUANTIZED_X, *QUANTIZED_Y, *B]),
    exact("QLinearMul", [*QUANTIZED_X, *QUANTIZED_Y, *B]),
    exact("QLinearSigmoid", [*QUANTIZED_X, np.float32(1 / 256), np.uint8(0)]),
    exact("QLinearLeakyRelu", [*QUANTIZED_X, *B], given={"alpha": 0.25}),
    exact(
        "QLinearSoftmax",
        [*QUANTIZED_X, np.float32(1 / 256), np.uint8(0)],
        given={"opset": 13, "axis": 0},
    ),
    exact(
        "QLinearReduceMean",
        [*QUANTIZED_X, *B],
        given={"axes": [1], "keepdims": 0},
        formula=lambda x, s, z, t, y: np.clip(
            np.round((x.astype("f4") - z).mean(1) * (s / t)) + y, 0, 255
        ).astype("u1"),
    ),
    exact("QLinearGlobalAveragePool", [TABLE[:2, :12].reshape(1, 2, 3, 4), *A, *B]),
    exact(
        "QLinearAveragePool",
        [TABLE[:2, :12].reshape(1, 3, 4, 2), *A, *B],
        given={"kernel_shape": [2, 2], "channels_last": 1, "strides": [1, 2]},
        atol=1,
    ),
    exact("QLinearConcat", [*B, *QUANTIZED_X, *QUANTIZED_Y], given={"axis": 1}),
    exact(
        "QLinearWhere",
        [np.array([True, False, True, True, False, False]), *QUANTIZED_X, *QUANTIZED_Y, *B],
    ),
    exact(
        "QLinearConv",
        [
            *(TABLE.reshape(1, 4, 4, 3), *A, TABLE[:2, :12].reshape(4, 3, 1, 2), *B),
            *(np.float32(2.5), np.uint8(100), ints(9, -40, 500, 3, dtype=np.int32)),
        ],
        given={"channels_last": 1},
        constants=[3],
    ),
    row(
        "MatMulIntegerToFloat",
        [
            *(TABLE[:2, :4], TABLE[:3, :4].T.view(np.int8), np.float32(0.05)),
            *(np.float32([0.1, 0.2, 0.3]), np.uint8(9), np.int8([1, 2, 3]), np.float32([1, 2, 3])),
        ],
        constants=[1, 3, 5],
        gradient=False,
        widest="float32",
    ),
    row(
        "DynamicQuantizeMatMul",
        [[2, 4], TABLE[:3, :4].T.view(np.int8), np.float32([0.1, 0.2, 0.3]), np.int8([1, 2, 3])],
        constants=[1, 2, 3],
        gradient=False,
        widest="float32",
    ),
    exact(
        "QGemm",
        [
            *(TABLE[:2, :4], *A, TABLE[:3, :4], *B, ints(7, -300, 9, dtype=np.int32)),
            *(np.float32(2.5), np.uint8(100)),
        ],
        given={"transB": 1, "alpha": 0.5},
        constants=[3],
    ),
    row(
        "QGemm",
        [TABLE[:2, :4], *A, TABLE[:3, :4], *B],
        "float",
        given={"transB": 1},
        constants=[3],
        gradient=False,
        widest="float32",
    ),
]
MICROSOFT = [*FUSED, *NORMS, *ATTENTION, *GROUPED, *PRODUCTS, *FOUR_BITS, *QLINEAR]
