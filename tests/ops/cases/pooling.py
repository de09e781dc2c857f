"""Poolings."""

from __future__ import annotations

import numpy as np

from tests.ops.cases.case import Array, Case, distinct, ints

UNPOOLED = np.array(
    [[[[0, 3], [9, 15]], [[16, 18], [28, 26]]], [[[37, 34], [40, 47]], [[48, 55], [56, 62]]]]
)
"""Where MaxPool finds the maxima of 2 x 2 windows in [2, 2, 4, 4]."""
LINE = np.array([[[0, 3], [5, 6]], [[9, 8], [12, 15]]])
ROIS = np.array([[0.3, 0.2, 5.4, 4.6], [-1.2, 1.1, 2.7, 7.9], [2.2, 2.1, 2.6, 2.4]])


def _interpolating(begin: float, end: float, bins: int, size: int) -> Array:
    """[bins, size]: the weights of pixels in the mean of 2 samples of each bin."""
    found, step = np.zeros((bins, size)), (end - begin) / bins
    for b in range(bins):
        for at in (begin + step * (b + 0.25), begin + step * (b + 0.75)):
            if -1 <= at <= size:
                distance = np.abs(np.arange(size) - np.clip(at, 0, size - 1))
                found[b] += np.maximum(1 - distance, 0) / 2
    return found


def _aligned(x: Array, rois: Array, images: Array) -> Array:
    """RoiAlign to [2, 3]: a product of two matrices with each image."""
    found = []
    for (x0, y0, x1, y1), image in zip(rois.astype(np.float64) - 0.5, images, strict=True):
        down = _interpolating(y0, y1, 2, x.shape[2])
        across = _interpolating(x0, x1, 3, x.shape[3])
        found.append(down @ x[image] @ across.T)
    return np.stack(found)


def _largest_of_regions(x: Array, rois: Array) -> Array:
    """MaxRoiPool to [2, 3] at the scale 0.75."""
    found = np.zeros((len(rois), x.shape[1], 2, 3), x.dtype)
    for r, (image, *corners) in enumerate(rois.astype(np.float64)):
        x0, y0, x1, y1 = np.rint(np.array(corners) * 0.75).astype(int)
        height, width = max(y1 - y0 + 1, 1), max(x1 - x0 + 1, 1)
        for i in range(2):
            for j in range(3):
                rows = slice(max(y0 + i * height // 2, 0), max(y0 - (-(i + 1) * height // 2), 0))
                columns = slice(max(x0 + j * width // 3, 0), max(x0 - (-(j + 1) * width // 3), 0))
                part = x[int(image), :, rows, columns]
                found[r, :, i, j] = part.max((1, 2)) if part.size else 0
    return found


def _unpooled(x: Array, at: Array, size: int) -> Array:
    found = np.zeros((*x.shape[:2], size, size), x.dtype)
    found.reshape(-1)[at.reshape(-1)] = x.reshape(-1)
    return found


def _dilated_norms(x: Array) -> Array:
    """The 2-norms of windows of 2 x 3 elements that are 2 apart, 2 rows from window to window; the
    last windows reach over the end by one row, which does not count.
    """
    padded = np.pad(np.square(x), ((0, 0), (0, 0), (0, 1), (0, 0)))
    rows = padded[:, :, 0:5:2] + padded[:, :, 2:7:2]
    return np.sqrt(rows[..., 0:3] + rows[..., 2:5] + rows[..., 4:7])


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
    *(
        Case("MaxPool", [distinct(*shape)], attributes, opsets=opsets, outputs=2, id=id)
        for shape, attributes, opsets, id in (
            ((2, 2, 4, 6), {"kernel_shape": [2, 2], "strides": [2, 2]}, (8, 10, 11, 12), "indices"),
            (
                (1, 2, 5, 4),
                {"kernel_shape": [3, 2], "pads": [1, 1, 0, 0], "storage_order": 1},
                (8, 11, 12),
                "columns first",
            ),
            ((2, 1, 7), {"kernel_shape": [2], "dilations": [2]}, (12,), "1-D indices"),
            ((1, 2, 3, 4, 3), {"kernel_shape": [2, 2, 2]}, (12,), "3-D indices"),
        )
    ),
    *(
        Case("MaxUnpool", [[*at.shape], at, *shape], attributes, constants=constants, id=id)
        for at, shape, constants, attributes, id in (
            (UNPOOLED, [], [], {"kernel_shape": [2, 2], "strides": [2, 2]}, ""),
            (LINE, [], [], {"kernel_shape": [3], "pads": [0, 0]}, "1-D"),
        )
    ),
    Case(
        "MaxUnpool",
        [[1, 1, 2, 2], UNPOOLED[:1, :1] % 16, ints(1, 1, 5, 6)],
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        constants=[2],
        # The indices count in [4, 4]; onnxruntime counts in the larger shape.
        formula=lambda x, at, _: np.pad(_unpooled(x, at, 4), ((0, 0), (0, 0), (0, 1), (0, 2))),
        id="larger",
    ),
    *(
        Case("LpPool", [shape], attributes, opsets=opsets, away=[0], formula=formula, id=id)
        for shape, attributes, opsets, formula, id in (
            ([2, 2, 4, 6], {"kernel_shape": [2, 2], "strides": [2, 2]}, (), None, ""),
            ([1, 2, 7], {"kernel_shape": [3], "p": 1, "pads": [1, 0]}, (6, 11, 18), None, "1-D"),
            (
                [1, 2, 5, 5],
                {"kernel_shape": [2, 2], "p": 3, "auto_pad": "SAME_UPPER", "strides": [2, 2]},
                (6, 11, 18),
                None,
                "cubes",
            ),
            (
                [1, 1, 6, 7],
                {"kernel_shape": [2, 3], "dilations": [2, 2], "strides": [2, 1], "ceil_mode": 1},
                (18, 22),
                _dilated_norms,
                "dilated",
            ),
        )
    ),
    *(
        Case(
            "RoiAlign",
            [distinct(2, 2, 6, 7), ROIS, ints(0, 1, 1)],
            {"output_height": 2, "output_width": 3, **attributes},
            opsets=opsets,
            frozen=[1],
            rtol=1e-5,
            atol=1e-5,
            id=id,
        )
        for attributes, opsets, id in (
            ({}, (10, 16), ""),
            ({"sampling_ratio": 2, "spatial_scale": 0.5}, (10, 16), "ratio"),
            ({"mode": "max", "sampling_ratio": 1}, (10, 16), "max"),
            ({"coordinate_transformation_mode": "output_half_pixel"}, (16,), "whole pixels"),
        )
    ),
    Case(
        "RoiAlign",
        [distinct(2, 2, 6, 7), ROIS, ints(0, 1, 1)],
        {"output_height": 2, "output_width": 3, "sampling_ratio": 2},
        opsets=(22,),
        frozen=[1],
        formula=_aligned,
        id="newest",
    ),
    *(
        Case(
            "MaxRoiPool",
            [distinct(2, 2, 6, 7), np.insert(ROIS, 0, [0, 1, 1], 1)],
            {"pooled_shape": [2, 3], "spatial_scale": 0.75},
            opsets=(opset,),
            frozen=[1],
            formula=formula,
            id=id,
        )
        # onnxruntime has the first version alone.
        for opset, formula, id in ((6, None, ""), (22, _largest_of_regions, "newest"))
    ),
    Case("GlobalMaxPool", [distinct(2, 3, 4, 2)]),
    Case("GlobalAveragePool", [[2, 3, 4, 2]]),
]
