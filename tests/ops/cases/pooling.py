"""Poolings."""

from __future__ import annotations

from tests.ops.cases.case import Case, distinct

POOLING = [
    Case("MaxPool", [distinct(2, 2, 4, 6)], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    Case(
        "MaxPool",
        [distinct(1, 2, 5, 5)],
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1},
        opsets=(10, 12),
        id="ceil",
    ),
    Case(
        "MaxPool",
        [distinct(1, 1, 9)],
        {"kernel_shape": [3], "dilations": [2]},
        opsets=(10, 12),
        id="1-D dilated",
    ),
    Case(
        "MaxPool",
        [distinct(1, 1, 5, 5)],
        {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"},
        opsets=(8, 12),
        id="same lower",
    ),
    Case("AveragePool", [[2, 2, 4, 6]], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    Case(
        "AveragePool",
        [[1, 2, 5, 5]],
        {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
        opsets=(7, 10, 19),
        id="padding counts",
    ),
    Case(
        "AveragePool",
        [[1, 1, 5, 5, 4]],
        {"kernel_shape": [2, 3, 2], "strides": [2, 2, 1], "pads": [0, 1, 0, 0, 1, 1]},
        opsets=(7, 11),
        id="3-D padded",
    ),
    Case("GlobalMaxPool", [distinct(2, 3, 4, 2)]),
    Case("GlobalAveragePool", [[2, 3, 4, 2]]),
]
