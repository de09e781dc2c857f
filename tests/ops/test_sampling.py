"""Sampling operators, transforms, Einsum, Det and InstanceNormalization: errors in words, other
types than float, empty tensors, lengths and sizes that a table of small cases does not reach.
"""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from onnx import ValueInfoProto, helper, numpy_helper

import popir
from popir.errors import PopirError
from tests.models import Array, run, training_session

F32 = np.float32


def computed(
    type: str, inputs: list[Any], constants: tuple[int, ...] = (), opset: int = 22, **given: Any
) -> Array:
    """The first output of one operator; None is an input left out."""
    names = ["" if value is None else f"x{i}" for i, value in enumerate(inputs)]
    arrays = {n: np.asarray(v) for n, v in zip(names, inputs, strict=True) if n}
    fixed = {f"x{i}" for i in constants}
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in arrays.items()
        if n not in fixed
    ]
    weights = [numpy_helper.from_array(arrays[n], n) for n in sorted(fixed)]
    node = helper.make_node(type, names, ["y"], "node", **given)
    graph = helper.make_graph([node], "g", infos, [ValueInfoProto(name="y")], weights)
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()
    return run(model, {n: a for n, a in arrays.items() if n not in fixed}, ["y"])["y"]


def numbers(*shape: int, dtype: Any = F32) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


IMAGE = numbers(1, 2, 4, 5)
SIZES = np.int64([1, 2, 8, 10])
SCALES = F32([1, 1, 2, 2])


@pytest.mark.parametrize(
    ("inputs", "constants", "given", "words"),
    [
        ([IMAGE, None, None, SIZES], (), {}, "the sizes, 'x3', must be a constant"),
        ([IMAGE], (), {}, "given are neither scales nor sizes; expected is one of the two"),
        ([IMAGE, None, SCALES, SIZES], (2, 3), {}, "given are both scales and sizes"),
        ([IMAGE, None, SCALES[:3]], (2,), {}, r"scales are \[1.0, 1.0, 2.0\].*\[0, 1, 2, 3\]"),
        ([IMAGE, None, -SCALES], (2,), {}, "all of them must be positive"),
        ([IMAGE, None, SCALES], (2,), {"axes": [0, 4]}, "the axis 4 is outside"),
        ([IMAGE, None, SCALES], (2,), {"axes": [1, 1]}, "an axis is given twice"),
        (
            [IMAGE, None, None, SIZES],
            (3,),
            {"coordinate_transformation_mode": "tf_crop_and_resize"},
            "the region is None; tf_crop_and_resize takes a start for each",
        ),
        *(
            (
                [IMAGE, F32([0, 0, 0, wrong, 1, 1, 1, 1]), None, SIZES],
                (1, 3),
                {"coordinate_transformation_mode": "tf_crop_and_resize"},
                r"the region is \[0.0, .* all of them less than 2\^31",
            )
            for wrong in (np.nan, np.inf, 1e30)
        ),
        ([IMAGE[:, :, :0], None, None, SIZES], (3,), {}, "axis 2 has no elements to make 8 of"),
        (
            [IMAGE, None, None, SIZES << 58],
            (3,),
            {},
            "would have 2.31 or more, and popir makes less",
        ),
    ],
)
def test_resize_says_what_is_wrong(
    inputs: list[Any], constants: tuple[int, ...], given: dict[str, Any], words: str
) -> None:
    with pytest.raises(PopirError, match=words):
        computed("Resize", inputs, constants, **given)


@pytest.mark.parametrize(
    ("matrices", "size"),
    [([1, 3, 2], SIZES), ([1, 2, 3], SIZES[:3]), ([2, 2, 3], SIZES), ([1, 2, 3], -SIZES)],
)
def test_affine_grid_says_what_is_wrong(matrices: list[int], size: Any) -> None:
    given = re.escape(f"the matrices have shape {matrices} and the size is {size.tolist()}")
    with pytest.raises(PopirError, match=f"AffineGrid.*{given}; expected are .batch, n, n . 1"):
        computed("AffineGrid", [numbers(*matrices), size], (1,))


GRID = numbers(1, 3, 3, 2)
WEIGHTS = numbers(2, 2, 2, 2)
OFFSETS = numbers(1, 8, 3, 4)


@pytest.mark.parametrize(
    ("type", "inputs", "given", "words"),
    [
        ("GridSample", [IMAGE, GRID[..., :1]], {}, "the field has shape .* and the positions"),
        ("GridSample", [IMAGE[:, :, :0], GRID], {}, "the field has no elements to sample"),
        ("Einsum", [IMAGE], {"equation": "ij"}, "input 0 has 4 dimensions, the term 'ij' .* 2"),
        ("Einsum", [GRID, GRID], {"equation": "...->"}, "it has 1 terms for 2 inputs"),
        ("Einsum", [GRID], {"equation": "i1jk"}, "more than letters and '...'"),
        ("Einsum", [GRID], {"equation": "ijkl->x"}, "the result has 'x', which no input has"),
        ("Einsum", [GRID], {"equation": "ijkl->ii"}, "the result has a letter twice"),
        (
            "Einsum",
            [GRID[0, 0], GRID[0, 0]],
            {"equation": "ij,jk"},
            "'j' of 'ij,jk' is 2 in one input and 3 in input 1",
        ),
        ("Det", [IMAGE], {}, r"the input has shape \[1, 2, 4, 5\]; expected are matrices"),
        ("Det", [np.zeros(3, F32)], {}, r"expected are matrices \[..., n, n\]"),
        ("DFT", [IMAGE], {}, r"expected is \[..., 1\] or \[..., 2\]"),
        ("DFT", [GRID, None, np.int64(3)], {}, "the axis 3 of .* is that of real and imaginary"),
        ("DFT", [GRID, np.int64(0)], {}, "the length is 0; expected is a number of at least 1"),
        ("DFT", [GRID], {"onesided": 1}, "onesided transforms real numbers"),
        ("STFT", [GRID, np.int64(1)], {}, "the signal has shape"),
        ("STFT", [GRID[0], np.int64(1)], {}, "onesided, which is 1 by default, takes real ones"),
        (
            "STFT",
            [GRID[0], np.int64(1), None, np.int64(4)],
            {"onesided": 0},
            "a frame of 4 elements does not fit the signal",
        ),
        (
            "MelWeightMatrix",
            [np.int64(4), np.int64(8), np.int64(100), F32(0), F32(80)],
            {},
            "lower_edge_hertz <= upper_edge_hertz <= sample_rate / 2",
        ),
        *(
            (
                "MelWeightMatrix",
                [np.int64(bands), np.int64(length), np.int64(100), F32(0), F32(40)],
                {},
                "the matrix would have 2.31 elements or more",
            )
            for bands, length in ((4, 2**62), (2**62, 4), (2**16, 2**16))
        ),
        ("DeformConv", [IMAGE[0], WEIGHTS, OFFSETS], {}, "data has shape .* and the weights"),
        ("DeformConv", [IMAGE, WEIGHTS, OFFSETS], {"group": 3}, "do not fit with group=3"),
        (
            "DeformConv",
            [IMAGE, WEIGHTS, OFFSETS],
            {"offset_group": 3},
            "does not divide 2 channels",
        ),
        ("DeformConv", [IMAGE, WEIGHTS, OFFSETS], {"pads": [1]}, "'pads' is .*expected are 4"),
        ("DeformConv", [IMAGE, WEIGHTS, OFFSETS[:, 1:]], {}, "the offsets have shape"),
        ("DeformConv", [IMAGE[:, :, :1], WEIGHTS, OFFSETS], {}, "does not fit the data"),
        *(
            (
                type,
                [IMAGE[:, :channels], WEIGHTS[:, :channels]],
                {"group": group},
                f"group={group}: expected is 1 or more",
            )
            for type in ("Conv", "ConvTranspose")
            for group, channels in ((0, 2), (-1, 2), (0, 0))
        ),
        ("InstanceNormalization", [IMAGE, F32([1]), F32([1, 2])], {}, "the scale has shape"),
        ("InstanceNormalization", [IMAGE[0, 0], F32([1]), F32([1])], {}, "data has shape"),
    ],
)
def test_others_say_what_is_wrong(
    type: str, inputs: list[Any], given: dict[str, Any], words: str
) -> None:
    scalars = tuple(
        i
        for i, value in enumerate(inputs)
        if value is not None and (value.ndim == 0 or type == "MelWeightMatrix")
    )
    with pytest.raises(PopirError, match=words):
        computed(type, inputs, scalars, opset=20, **given)


HALVES = [np.float16, ml_dtypes.bfloat16]
STACK = numbers(2, 3, 3)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    ("type", "inputs", "constants", "given"),
    [
        ("Resize", [IMAGE, None, F32([1, 1, 1.5, 3])], (2,), {"mode": "linear"}),
        ("Resize", [IMAGE, None, F32([1, 1, 0.4, 1])], (2,), {"mode": "cubic", "antialias": 1}),
        ("GridSample", [IMAGE, GRID], (), {}),
        ("DeformConv", [IMAGE, WEIGHTS, OFFSETS, numbers(2)], (), {}),
        ("Einsum", [STACK, STACK, STACK], (), {"equation": "bij,bjk,bkl->il"}),
        ("Einsum", [STACK, STACK], (), {"equation": "bij,cjk->ik"}),
        ("Det", [STACK], (), {}),
        ("Det", [numbers(2, 5, 5)], (), {}),
        ("DFT", [GRID], (), {}),
        ("STFT", [numbers(1, 9, 1), np.int64(2), None, np.int64(4)], (1, 3), {}),
        ("InstanceNormalization", [IMAGE, F32([1, 2]), F32([0, 1])], (), {}),
    ],
)
def test_halves_are_rounded_once(
    dtype: Any, type: str, inputs: list[Any], constants: tuple[int, ...], given: dict[str, Any]
) -> None:
    """What is computed in float from the same values is rounded to the nearest half."""
    narrow = [
        x.astype(dtype) if i not in constants and x is not None else x for i, x in enumerate(inputs)
    ]
    wide = [
        x.astype(F32) if i not in constants and x is not None else x for i, x in enumerate(narrow)
    ]
    opset = 28 if type == "Einsum" else 22
    found = computed(type, narrow, constants, opset, **given)
    want = computed(type, wide, constants, opset, **given)
    assert found.dtype == dtype
    unit = float(ml_dtypes.finfo(dtype).eps) / 2
    np.testing.assert_allclose(found.astype(F32), want, unit * 1.01, 1e-6)


@pytest.mark.parametrize(
    ("type", "inputs", "constants", "given", "shape"),
    [
        ("Resize", [IMAGE[:0], None, SCALES], (2,), {"mode": "linear"}, (0, 2, 8, 10)),
        ("Resize", [IMAGE, None, F32([1, 1, 0.1, 2])], (2,), {}, (1, 2, 0, 10)),
        ("GridSample", [IMAGE, GRID[:, :0]], (), {}, (1, 2, 0, 3)),
        ("GridSample", [IMAGE[:0], GRID[:0]], (), {}, (0, 2, 3, 3)),
        ("DeformConv", [IMAGE[:0], WEIGHTS, OFFSETS[:0]], (), {}, (0, 2, 3, 4)),
        ("Det", [STACK[:0]], (), {}, (0,)),
        ("DFT", [GRID[:, :, :0].reshape(3, 0, 2, 2)[:0]], (), {}, (0, 0, 2, 2)),
        ("STFT", [numbers(0, 9, 1), np.int64(2), None, np.int64(4)], (1, 3), {}, (0, 3, 3, 2)),
        ("InstanceNormalization", [IMAGE[:0], F32([1, 2]), F32([0, 1])], (), {}, (0, 2, 4, 5)),
    ],
)
def test_nothing_gives_nothing(
    type: str,
    inputs: list[Any],
    constants: tuple[int, ...],
    given: dict[str, Any],
    shape: tuple[int, ...],
) -> None:
    assert computed(type, inputs, constants, **given).shape == shape


def test_the_determinant_of_nothing_is_one() -> None:
    np.testing.assert_array_equal(computed("Det", [np.zeros((2, 0, 0), F32)]), [1, 1])


def test_a_determinant_keeps_nan_and_zero() -> None:
    x = np.stack([np.eye(5, dtype=F32)] * 3)
    x[0, 3, 1] = np.nan
    x[1, 2] = 0
    found = computed("Det", [x])
    assert np.isnan(found[0])
    np.testing.assert_array_equal(found[1:], [0, 1])


def test_a_large_determinant() -> None:
    x = numbers(40, 40, dtype=np.float64)
    np.testing.assert_allclose(computed("Det", [x]), np.linalg.det(x), 1e-10)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_infinity_stays_where_it_is(mode: str) -> None:
    """Only elements near it are infinite or NaN, however the sums are computed."""
    x = np.zeros((1, 1, 30, 32), F32)
    x[0, 0, 10, 20] = np.inf
    found = computed("Resize", [x, None, None, np.int64([1, 1, 60, 70])], (3,), mode=mode)
    rows, columns = np.nonzero(~np.isfinite(found[0, 0]))
    reach = {"nearest": 1, "linear": 2, "cubic": 4}[mode]
    assert rows.min() >= 2 * (10 - reach)
    assert rows.max() <= 2 * (11 + reach)
    assert columns.min() >= 2 * (20 - reach)
    assert columns.max() <= 2.2 * (21 + reach)


@pytest.mark.parametrize("size", [(448, 448), (300, 200), (100, 90)])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_large_images_are_resized_as_by_pytorch(mode: str, size: tuple[int, int]) -> None:
    x = numbers(1, 3, 224, 224)
    found = computed("Resize", [x, None, None, np.int64([1, 3, *size])], (3,), mode=mode)
    name = {"linear": "bilinear", "cubic": "bicubic"}[mode]
    want = F.interpolate(torch.tensor(x), size, mode=name, align_corners=False)
    np.testing.assert_allclose(found, want.numpy(), 1e-4, 1e-4)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_the_filter_is_that_of_pytorch(mode: str) -> None:
    """PyTorch leaves out what lies outside."""
    x, size = numbers(1, 3, 40, 50), (17, 11)
    found = computed(
        *("Resize", [x, None, None, np.int64([1, 3, *size])], (3,)),
        mode=mode,
        antialias=1,
        exclude_outside=1,
        cubic_coeff_a=-0.5,
    )
    name = {"linear": "bilinear", "cubic": "bicubic"}[mode]
    want = F.interpolate(torch.tensor(x), size, mode=name, align_corners=False, antialias=True)
    np.testing.assert_allclose(found, want.numpy(), 1e-4, 1e-5)


def test_integers_are_cut_off_and_stay_in_range() -> None:
    x = np.uint8([[0, 255, 0, 255]])
    found = computed("Resize", [x, None, None, np.int64([1, 8])], (3,), mode="cubic")
    assert found.dtype == np.uint8
    wide = computed(*("Resize", [x.astype(F32), None, None, np.int64([1, 8])], (3,)), mode="cubic")
    np.testing.assert_array_equal(found, np.trunc(np.clip(wide, 0, 255)))


@pytest.mark.parametrize("opset", [9, 10, 13, 22])
def test_upsample_stays_usable_in_newer_opsets(opset: int) -> None:
    found = computed("Upsample", [IMAGE, SCALES], (1,), opset=opset)
    np.testing.assert_array_equal(found, IMAGE.repeat(2, 2).repeat(2, 3))


def test_scales_are_no_weights() -> None:
    """They are of floating-point numbers, and initializers, but are not trained."""
    nodes = [
        helper.make_node("Mul", ["x", "w"], ["z"]),
        helper.make_node("Resize", ["z", "", "s"], ["y"], mode="linear"),
        helper.make_node("ReduceSum", ["y"], ["loss"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", 1, [1, 2, 4, 5])],
        [ValueInfoProto(name="loss")],
        [numpy_helper.from_array(SCALES, "s"), numpy_helper.from_array(F32([2.0] * 5), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    session = training_session(model, "loss", ["Gradient___w"], popir.ConstSGD(0.1))
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": IMAGE}, anchors))
    # Each output is a mean of inputs.
    assert anchors["Gradient___w"].shape == (5,)
    total = 4 * IMAGE.sum()
    np.testing.assert_allclose(anchors["Gradient___w"].sum(), total, 1e-4)


@pytest.mark.parametrize("far", [1e9, -1e30, np.inf, np.nan])
def test_positions_far_away_sample_nothing(far: float) -> None:
    grid = np.full((1, 1, 2, 2), far, F32)
    grid[..., 1, :] = 0
    found = computed("GridSample", [IMAGE, grid], mode="nearest")
    np.testing.assert_array_equal(found[..., 0], 0)
    assert (found[..., 1] != 0).all()


@pytest.mark.parametrize("n", [1, 257, 289, 521, 2048, 3001])
@pytest.mark.parametrize("inverse", [0, 1])
def test_transforms_of_any_length(n: int, inverse: int) -> None:
    x = numbers(2, n, 2, dtype=np.float64)
    found = computed("DFT", [x], opset=20, inverse=inverse)
    want = (np.fft.ifft if inverse else np.fft.fft)(x[..., 0] + 1j * x[..., 1])
    np.testing.assert_allclose(found[..., 0] + 1j * found[..., 1], want, 1e-10, 1e-10)


@pytest.mark.parametrize("n", [257, 258, 1031])
def test_the_inverse_of_half_a_spectrum(n: int) -> None:
    x = numbers(2, n // 2 + 1, 2, dtype=np.float64)
    given = {"inverse": 1, "onesided": 1}
    found = computed("DFT", [x, np.int64(n)], (1,), opset=20, **given)
    want = np.fft.irfft(x[..., 0] + 1j * x[..., 1], n)
    np.testing.assert_allclose(found[..., 0], want, 1e-10, 1e-10)
