"""Operators that sample fields of numbers between their elements."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import numpy as np

from tests.ops.cases.case import Array, Case, ints

IMAGE = [2, 3, 4, 5]


def _scales(*values: float) -> Array:
    return np.array(values, np.float32)


def _by_scales(
    mode: str, scales: Array, id: str, opsets: tuple[int, ...] = (19,), **attributes: Any
) -> Case:
    """A row of Resize with an image and scales."""
    inputs, constants = [IMAGE, None, scales], [2]
    if min(opsets) < 13:
        inputs, constants = [IMAGE, np.zeros(0, np.float32), scales], [1, 2]
    return Case(
        *("Resize", inputs, {"mode": mode, **attributes}),
        constants=constants,
        opsets=opsets,
        id=id,
        atol=4e-6,
        widest="float32",
    )


def _by_sizes(mode: str, *sizes: int, id: str, shape: Any = None, **attributes: Any) -> Case:
    inputs = [shape or IMAGE, None, None, ints(*sizes)]
    return Case(
        *("Resize", inputs, {"mode": mode, **attributes}),
        constants=[3],
        opsets=(18, 19),
        id=id,
        atol=4e-6,
    )


def _cropped(mode: str, id: str, **attributes: Any) -> Case:
    """The second half of the rows, and more than all columns."""
    given = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 3.5}
    region = np.array([0.5, -0.25, 1.0, 1.25], np.float32)
    return Case(
        "Resize",
        [IMAGE, region, None, ints(3, 6)],
        {"mode": mode, "axes": [2, 3], **given, **attributes},
        constants=[1, 3],
        opsets=(18, 19),
        id=id,
        atol=4e-6,
    )


def _cropped_by_scales(mode: str) -> Case:
    """As `_cropped`, with scales in the place of sizes, which do not change with the region."""
    case = _cropped(mode, f"crop-{mode}, scales")
    attributes = {name: value for name, value in case.attributes.items() if name != "axes"}
    region = np.array([0, 0, 0.5, -0.25, 1, 1, 1, 1.25], np.float32)
    scales = np.array([1, 1, 0.8, 1.3], np.float32)
    inputs = [IMAGE, region, scales]
    more = {"attributes": attributes, "constants": [1, 2], "widest": "float32"}
    return dataclasses.replace(case, inputs=inputs, **more)


_ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
_WAYS = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
RESIZE = [
    Case(
        "Resize",
        [IMAGE, _scales(1, 1, 2, 0.6)],
        constants=[1],
        opsets=(10,),
        id="nearest-10",
    ),
    Case(
        *("Resize", [IMAGE, _scales(1, 1, 0.6, 2)], {"mode": "linear"}),
        constants=[1],
        opsets=(10,),
        id="linear-10",
    ),
    *(_by_scales(m, _scales(1, 1, 2, 1.5), m, (11, 13, 18)) for m in ("nearest", "linear")),
    _by_scales("cubic", _scales(1, 1, 1.7, 2), "cubic", (11, 13, 18, 19)),
    *(
        _by_scales("nearest", _scales(1, 1, 0.6, 2.3), name, nearest_mode=name)
        for name in _ROUNDINGS
    ),
    *(
        _by_scales("linear", _scales(1, 1, 0.6, 2.3), name, coordinate_transformation_mode=name)
        for name in _WAYS
    ),
    _by_scales(
        *("nearest", _scales(1, 1, 2, 0.6), "tf_half_pixel_for_nn", (11,)),
        coordinate_transformation_mode="tf_half_pixel_for_nn",
    ),
    _by_scales("cubic", _scales(1, 1, 0.7, 1.6), "inside", exclude_outside=1, cubic_coeff_a=-0.5),
    _by_scales("linear", _scales(1, 1, 0.3, 0.5), "filtered", antialias=1),
    _by_scales("cubic", _scales(1, 1, 0.5, 0.4), "cubic-filtered", antialias=1),
    _by_scales(
        *("cubic", _scales(1, 1, 0.5, 0.4), "inside-filtered"), antialias=1, exclude_outside=1
    ),
    _by_sizes("linear", 2, 3, 8, 10, id="sizes"),
    _by_sizes("nearest", 2, 3, 8, 15, id="repeated"),
    _by_sizes("nearest", 2, 3, 2, 5, id="steps", coordinate_transformation_mode="asymmetric"),
    _by_sizes("cubic", 7, 3, id="axes", axes=[-1, 2]),
    _by_sizes("linear", 7, 7, id="not-larger", axes=[2, 3], keep_aspect_ratio_policy="not_larger"),
    _by_sizes(
        "linear", 7, 7, id="not-smaller", axes=[2, 3], keep_aspect_ratio_policy="not_smaller"
    ),
    _by_sizes("linear", 6, 3, 7, id="three dimensions", axes=[2, 3, 4], shape=[1, 1, 3, 2, 4]),
    _by_sizes("linear", 5, 9, id="two dimensions", shape=[4, 3]),
    _by_sizes("linear", 2, 3, 4, 5, id="same"),
    _cropped("nearest", "crop-nearest"),
    _cropped("linear", "crop-linear"),
    _cropped("cubic", "crop-cubic"),
    _cropped_by_scales("nearest"),
    _cropped_by_scales("linear"),
    _cropped_by_scales("cubic"),
    Case(
        "Resize",
        [ints(*range(60), dtype=np.uint8).reshape(1, 3, 4, 5), None, _scales(1, 1, 2, 2)],
        {"mode": "nearest"},
        constants=[2],
        opsets=(19,),
        gradient=False,
        id="bytes",
    ),
    *(
        Case("Upsample", [IMAGE], {"mode": m, "scales": [1.0, 1.0, 2.0, 1.5]}, opsets=(7,), id=m)
        for m in ("nearest", "linear")
    ),
    Case(
        *("Upsample", [IMAGE, _scales(1, 1, 3, 2)], {"mode": "linear"}),
        constants=[1],
        opsets=(9,),
        id="input",
        widest="float32",
    ),
    Case(
        "Upsample",
        [IMAGE],
        {"mode": "nearest", "height_scale": 2.0, "width_scale": 3.0},
        opsets=(6,),
        formula=lambda x: x.repeat(2, 2).repeat(3, 3),
        id="height and width",
    ),
]


def _sampled(mode: str, padding: str, aligned: int, x: Array, grid: Array) -> Array:
    """By PyTorch."""
    import torch  # not for the fuzzer, which imports this module and bounds its memory

    found = torch.nn.functional.grid_sample(
        torch.tensor(x),
        torch.tensor(grid),
        mode={"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode),
        padding_mode=padding,
        align_corners=bool(aligned),
    )
    return found.numpy()


def _grid(*shape: int) -> Array:
    """Positions in and around the field that lie between elements."""
    rng = np.random.default_rng(sum(shape))
    return rng.integers(-15, 16, shape) / 10 + rng.uniform(0.011, 0.033, shape)


GRID = [
    *(
        Case(
            "GridSample",
            [[2, 2, 4, 5], _grid(2, 3, 2, 2)],
            {"mode": mode, "padding_mode": padding, "align_corners": aligned},
            opsets=(20, 22),
            formula=partial(_sampled, mode, padding, aligned),
            rtol=2e-5,
            atol=2e-5,
            frozen=[1] if mode == "nearest" else [],
            id=f"{mode}-{padding}-{aligned}",
        )
        for mode in ("linear", "nearest", "cubic")
        for padding in ("zeros", "border", "reflection")
        for aligned in (0, 1)
    ),
    Case("GridSample", [[1, 3, 4, 5], _grid(1, 3, 2, 2)], opsets=(16,), atol=1e-5),
    Case(
        *("GridSample", [[1, 3, 4, 5], _grid(1, 3, 2, 2)], {"mode": "bicubic"}),
        opsets=(16,),
        atol=2e-5,
        id="bicubic",
    ),
    *(
        Case(
            "GridSample",
            [[2, 2, 3, 4, 2], _grid(2, 2, 1, 3, 3)],
            {"mode": mode, "padding_mode": padding},
            opsets=(20, 22),
            formula=partial(_sampled, mode, padding, 0),
            rtol=2e-5,
            atol=2e-5,
            frozen=[1] if mode == "nearest" else [],
            id=f"{mode}-{padding}-3d",
        )
        for mode in ("linear", "nearest")
        for padding in ("zeros", "reflection")
    ),
]


def _affine(aligned: int, theta: Array, size: Array) -> Array:
    """By PyTorch."""
    import torch  # not for the fuzzer, which imports this module and bounds its memory

    theta = torch.tensor(theta)
    return torch.nn.functional.affine_grid(
        theta, size.tolist(), align_corners=bool(aligned)
    ).numpy()


AFFINE = [
    Case(
        "AffineGrid",
        [[size[0], len(size) - 2, len(size) - 1], ints(*size)],
        {"align_corners": aligned},
        constants=[1],
        formula=partial(_affine, aligned),
        id=f"{'-'.join(map(str, size))}-{aligned}",
    )
    for size in ([2, 3, 4, 5], [1, 1, 2, 3], [2, 1, 4, 2, 3], [1, 2, 2, 3, 2])
    for aligned in (0, 1)
]


def _deformed(
    x: Array,
    w: Array,
    offset: Array,
    bias: Array | None = None,
    mask: Array | None = None,
    **how: Any,
) -> Array:
    """By the definition, element by element, in two spatial dimensions."""
    strides, pads, dilations = (
        how.get(name, default)
        for name, default in (("strides", [1, 1]), ("pads", [0] * 4), ("dilations", [1, 1]))
    )
    parts, group = how.get("offset_group", 1), how.get("group", 1)
    batch, channels, height, width = x.shape
    kh, kw = w.shape[2:]
    oh, ow = offset.shape[2:]
    y = np.zeros([batch, len(w), oh, ow], x.dtype)

    def at(b: int, c: int, i: float, j: float) -> float:
        total = 0.0
        for p in range(height):
            for q in range(width):
                total += max(0, 1 - abs(i - p)) * max(0, 1 - abs(j - q)) * x[b, c, p, q]
        return total

    for b, o, i, j in np.ndindex(*y.shape):
        for c, u, v in np.ndindex(*w.shape[1:]):
            channel = o // (len(w) // group) * w.shape[1] + c
            part = channel // (channels // parts)
            place = (part * kh + u) * kw + v
            row = i * strides[0] - pads[0] + u * dilations[0] + offset[b, 2 * place, i, j]
            column = j * strides[1] - pads[1] + v * dilations[1] + offset[b, 2 * place + 1, i, j]
            weight = w[o, c, u, v] * (1 if mask is None else mask[b, place, i, j])
            y[b, o, i, j] += weight * at(b, channel, row, column)
        y[b, o, i, j] += 0 if bias is None else bias[o]
    return y


def _offsets(*shape: int) -> Array:
    rng = np.random.default_rng(sum(shape))
    return rng.integers(-2, 3, shape) + rng.uniform(0.1, 0.9, shape)


_HOW = {
    "strides": [2, 1],
    "pads": [1, 0, 1, 1],
    "dilations": [1, 2],
    "group": 2,
    "offset_group": 2,
}
DEFORMED = [
    Case("DeformConv", [[1, 2, 4, 3], [2, 2, 2, 2], _offsets(1, 8, 3, 2)], atol=1e-5),
    Case(
        "DeformConv",
        [[2, 4, 3, 4], [2, 2, 2, 2], _offsets(2, 16, 2, 3), [2], [2, 8, 2, 3]],
        _HOW,
        formula=lambda *given: _deformed(*given, **_HOW),
        rtol=1e-5,
        atol=1e-5,
        id="all",
    ),
]
SAMPLING = [*RESIZE, *GRID, *AFFINE, *DEFORMED]
