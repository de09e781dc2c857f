"""Quantization."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.ops.cases.case import Array, Case

_X = np.linspace(-30.0, 30.0, 24).reshape(2, 3, 4)
_SCALES = np.array([0.1, 0.25, 0.5])
_ZEROS = np.array([0, 100, 255], np.uint8)
_BYTES = np.arange(-12, 12, dtype=np.int8).reshape(2, 3, 4) * 10
_BLOCKS = np.linspace(0.1, 0.9, 12).reshape(2, 3, 2)
_ONE = [np.array([0.3]), np.array([-7], np.int8)]
_OLD, _NEW = (10, 13, 19, 21), (23, 24, 25, 28)


def _quantized(x: Array, scale: Array, zero: Array) -> Array:
    limits = np.iinfo(zero.dtype)
    return np.clip(np.rint(x / scale) + zero, limits.min, limits.max).astype(zero.dtype)


def _quantizing() -> list[Case]:
    each = [_X, _SCALES, _ZEROS]
    found = [
        Case("QuantizeLinear", [_X, np.float64(0.3), np.int8(-7)], opsets=_OLD),
        Case("QuantizeLinear", [_X, np.float64(0.3), np.int8(-7)], opsets=_NEW, formula=_quantized),
        Case("QuantizeLinear", [_X, np.float64(0.3)], opsets=_OLD, id="no zero point"),
        Case("QuantizeLinear", each, {"axis": -2}, opsets=_OLD[1:], id="axis"),
        Case(
            "QuantizeLinear",
            [_X * 1e6, np.float64(7), np.uint16(9)],
            opsets=_OLD[3:],
            id="16 bits",
        ),
        Case(
            "QuantizeLinear",
            [_X, _BLOCKS, np.arange(12, dtype=np.int8).reshape(2, 3, 2)],
            {"axis": 2, "block_size": 3},
            opsets=(21, 28),
            formula=lambda x, s, z: _quantized(x, *(np.repeat(t, 3, 2)[..., :4] for t in (s, z))),
            id="blocks",
        ),
        Case("QuantizeLinear", [np.zeros((3, 0)), np.float64(1)], opsets=_OLD, id="nothing"),
    ]
    dequantized = [
        Case("DequantizeLinear", [_BYTES, *_ONE], opsets=_OLD),
        Case(
            "DequantizeLinear",
            [_BYTES, *_ONE],
            opsets=_NEW,
            formula=lambda x, scale, zero: (x.astype(np.float32) - zero) * scale,
        ),
        Case(
            "DequantizeLinear",
            [np.abs(_BYTES).astype(np.uint8), _SCALES, _ZEROS],
            {"axis": 1},
            opsets=_OLD[1:],
            id="axis",
        ),
        Case(
            "DequantizeLinear",
            [np.array([1 << 30, -5, 7], np.int32), np.array([0.5])],
            opsets=_OLD,
            id="integers",
        ),
        Case(
            "DequantizeLinear",
            [_BYTES, _BLOCKS],
            {"axis": 2, "block_size": 2},
            opsets=(21, 28),
            formula=lambda x, s: x * np.repeat(s, 2, 2),
            id="blocks",
        ),
        Case(
            "DequantizeLinear",
            [
                np.arange(-50, 46, dtype=np.int8).reshape(32, 3),
                np.float64([[0.5, 2, 1], [3, 1, 4]]),
            ],
            {"axis": 0, "block_size": 16},
            opsets=(21, 28),
            constants=[0],
            formula=lambda x, s: x * np.repeat(s, 16, 0),
            id="constant blocks",
        ),
    ]
    return [
        *(replace(case, gradient=False) for case in found),
        *(replace(case, widest="float32") for case in dequantized),
    ]


def _grouped(x: Array, w: Array, x_zero: Array, w_zero: Array) -> Array:
    """A convolution of two groups, in whole numbers, with a dilation of [2, 1]."""
    import torch

    data = torch.from_numpy(x.astype(np.float64) - x_zero)
    weights = torch.from_numpy(w.astype(np.float64) - w_zero.reshape(-1, 1, 1, 1))
    found = torch.nn.functional.conv2d(data, weights, groups=2, dilation=(2, 1))
    return found.numpy().astype(np.int32)


_A = np.arange(24, dtype=np.uint8).reshape(2, 3, 4) * 10
_B = np.arange(-10, 10, dtype=np.int8).reshape(4, 5)
_SCALE = np.float32(0.05)
_DATA = (np.arange(2 * 4 * 7 * 6) % 251).astype(np.uint8).reshape(2, 4, 7, 6)
_WEIGHTS = (np.arange(6 * 4 * 3 * 3) % 255 - 128).astype(np.int8).reshape(6, 4, 3, 3)
_PER_CHANNEL = np.arange(-3, 3, dtype=np.int8)

QUANTIZATION = [
    *_quantizing(),
    Case("DynamicQuantizeLinear", [_X], outputs=3, gradient=False),
    Case(
        "QLinearMatMul",
        [_A, _SCALE, np.uint8(9), _B, _SCALE, np.int8(3), np.float32(0.5), np.uint8(100)],
        gradient=False,
    ),
    Case(
        "QLinearMatMul",
        [
            *(_A[0], np.array([0.113, 0.227, 0.319], np.float32), np.array([0, 9, 7], np.uint8)),
            *(_B, np.linspace(0.1, 0.9, 5, dtype=np.float32), np.arange(5, dtype=np.int8)),
            *(np.float32(2), np.int8(-10)),
        ],
        gradient=False,
        formula=lambda a, sa, za, b, sb, zb, sy, zy: _quantized(
            ((a.astype(int) - za[:, None]) @ (b.astype(int) - zb)) * sa[:, None] * sb, sy, zy
        ),
        id="rows and columns",
    ),
    Case("ConvInteger", [_DATA, _WEIGHTS], {"strides": [2, 1]}, gradient=False),
    Case(
        "ConvInteger",
        [_DATA, _WEIGHTS.view(np.uint8), np.uint8(120), np.uint8(7)],
        {"pads": [1, 0, 1, 1]},
        gradient=False,
        id="zero points",
    ),
    Case(
        "ConvInteger",
        [_DATA, _WEIGHTS[:, :2], np.uint8(120), _PER_CHANNEL],
        {"group": 2, "dilations": [2, 1]},
        gradient=False,
        constants=[1, 2, 3],
        formula=_grouped,
        id="channels",
    ),
    Case(
        "QLinearConv",
        [
            *(_DATA, _SCALE, np.uint8(120)),
            *(_WEIGHTS, np.linspace(0.01, 0.05, 6, dtype=np.float32), np.zeros(6, np.int8)),
            *(np.float32(3), np.uint8(110), np.arange(-3, 3, dtype=np.int32) * 500),
        ],
        {"auto_pad": "SAME_UPPER"},
        gradient=False,
    ),
    Case(
        "QLinearConv",
        [_DATA, _SCALE, np.uint8(0), _WEIGHTS, _SCALE, np.int8(0), np.float32(2), np.uint8(90)],
        gradient=False,
        id="no bias",
    ),
]
