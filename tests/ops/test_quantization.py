"""Quantization: granularity, exact sums, the scale's gradient, and what is refused."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.types import DataType
from tests.models import run
from tests.ops.test_narrow_types import result

X = np.linspace(-9, 9, 24).astype(np.float32).reshape(2, 3, 4)
Q = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
ONE, ZERO = np.float32(1), np.uint8(0)
SCALES = np.array([1, 2, 3], np.float32)


def test_a_block_may_be_larger_than_the_axis_and_the_last_one_smaller() -> None:
    for block, blocks in ((3, 2), (7, 1)):
        scale = np.linspace(0.5, 2, 6 * blocks).astype(np.float32).reshape(2, 3, blocks)
        found = result("DequantizeLinear", Q, scale, axis=-1, block_size=block)
        np.testing.assert_array_equal(found, Q * np.repeat(scale, block, 2)[..., :4])


def test_the_precision_of_the_division() -> None:
    """In half 30.16 / 0.3 is 100.5, which is rounded to 100."""
    x, scale = np.array([30.16], np.float32), np.float32(0.3)
    assert result("QuantizeLinear", x, scale).tolist() == [101]
    assert result("QuantizeLinear", x, scale, precision=TensorProto.FLOAT16).tolist() == [100]
    assert result("QuantizeLinear", x, np.float16(0.3)).tolist() == [100]


@pytest.mark.parametrize("scale", [2.0**-7, 0.3, 1.7e-5, 913.7, 3e-39])
@pytest.mark.parametrize("zero", [np.uint8(3), np.int8(-5)])
def test_ties_and_what_is_next_to_them(scale: float, zero: Any) -> None:
    """Of the quotient in FLOAT, by whatever way it is found; the smallest scale is subnormal."""
    s = np.float32(scale)
    ties = (np.arange(-300.5, 300) * float(s)).astype(np.float32)
    up, down = (np.nextafter(ties, np.float32(to)) for to in (np.inf, -np.inf))
    x = np.concatenate([ties, up, down, np.nextafter(up, np.float32(np.inf)), [-np.inf, np.inf]])
    x = x.astype(np.float32)
    limits = np.iinfo(zero.dtype)
    want = np.clip(np.rint(x / s) + zero, limits.min, limits.max)
    np.testing.assert_array_equal(result("QuantizeLinear", x, s, zero), want)


@pytest.mark.parametrize("op", ["Add", "Mul"])
@pytest.mark.parametrize("scale", [0.0231, 2.0**-5, 1.7e-5, 913.7, 3e-39])
@pytest.mark.parametrize("zero", [np.uint8(0), np.uint8(7), np.int8(-3)])
def test_sums_and_products_of_all_pairs_of_bytes(op: str, scale: float, zero: Any) -> None:
    """Of bytes to bytes, which is one loop; quotients are rounded as if they were divided."""
    rng = np.random.default_rng(0)
    by, limits = np.float32(scale), np.iinfo(zero.dtype)
    for zeros in itertools.product([np.uint8(0), np.int8(5)], [np.int8(0), np.uint8(200)]):
        kinds = [np.iinfo(z.dtype) for z in zeros]
        pairs = np.meshgrid(*(np.arange(k.min, k.max + 1, dtype=k.dtype) for k in kinds))
        cut = int(rng.integers(0, 300))  # so that any number of elements is left
        sides = [p.ravel()[cut:] for p in pairs]
        scales = rng.uniform(0.001, 0.05, 2).astype(np.float32)
        x, y = (
            (side.astype(np.float32) - np.float32(z)) * s
            for side, z, s in zip(sides, zeros, scales, strict=True)
        )
        with np.errstate(over="ignore"):
            exact = np.rint((x + y if op == "Add" else x * y) / by) + np.float32(zero)
        want = np.clip(exact, limits.min, limits.max).astype(zero.dtype)
        terms = {"s": scales[0], "z": zeros[0], "t": scales[1], "w": zeros[1], "u": by, "v": zero}
        found = of_bytes(op, sides, terms)
        np.testing.assert_array_equal(found, want)


def of_bytes(op: str, sides: list[np.ndarray], terms: dict[str, Any]) -> np.ndarray:
    """What `op` makes of arrays of bytes in the QDQ form, with these scales and zero points."""
    nodes = [
        helper.make_node("DequantizeLinear", ["a", "s", "z"], ["x"]),
        helper.make_node("DequantizeLinear", ["b", "t", "w"], ["y"]),
        helper.make_node(op, ["x", "y"], ["both"]),
        helper.make_node("QuantizeLinear", ["both", "u", "v"], ["out"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, DataType.of(side.dtype).onnx, side.shape)
        for name, side in zip("ab", sides, strict=True)
    ]
    constants = [numpy_helper.from_array(np.array(v), name) for name, v in terms.items()]
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name="out")], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return run(model.SerializeToString(), dict(zip("ab", sides, strict=True)), ["out"])["out"]


def test_integers_are_quantized() -> None:
    x = np.array([-7, 1 << 30, 100, 5], np.int32)
    found = result("QuantizeLinear", x, np.float32(2), np.int8(1))
    assert found.tolist() == [-3, 127, 51, 3]
    found = result("QuantizeLinear", x, np.int32(2), np.int16(0))
    assert found.tolist() == [-4, 32767, 50, 2]


def test_a_zero_point_of_16_bits_is_added_exactly_to_halves() -> None:
    x = np.array([-3, 0.5, 70], np.float16)
    found = result("QuantizeLinear", x, np.float16(0.5), np.uint16(65501))
    assert found.tolist() == [65495, 65502, 65535]


@pytest.mark.parametrize("kind", ["uint8", "int8"])
def test_sums_are_exact_and_wrap_around(kind: str) -> None:
    """Up to 2^31 and beyond; in FLOAT the last digits would be lost."""
    rng = np.random.default_rng(1)
    limits = np.iinfo(kind)
    for channels in (3, 300, 5000, 40_000):
        x = rng.integers(limits.max - 3, limits.max, (1, channels, 2), endpoint=True).astype(kind)
        w = rng.integers(limits.max - 3, limits.max, (2, channels, 1), endpoint=True).astype(kind)
        want = np.einsum("ncx,mco->nmx", x.astype(np.int64), w.astype(np.int64)).astype(np.int32)
        np.testing.assert_array_equal(result("ConvInteger", x, w), want)
        zero = np.array(limits.min, kind)
        found = result("ConvInteger", x, w, zero, zero)
        a, b = (t.astype(np.int64) - limits.min for t in (x, w))
        np.testing.assert_array_equal(found, np.einsum("ncx,mco->nmx", a, b).astype(np.int32))


@pytest.mark.parametrize("kind", ["uint8", "int8"])
def test_products_of_matrices_are_exact_and_wrap_around(kind: str) -> None:
    rng, limits = np.random.default_rng(1), np.iinfo(kind)
    for inner in (3, 300, 5000, 40_000):
        a = rng.integers(limits.max - 3, limits.max, (2, inner), endpoint=True).astype(kind)
        b = rng.integers(limits.min, limits.min + 3, (inner, 3)).astype(kind)
        zero = np.array(limits.max, kind)
        for given in ([], [np.array(limits.min, kind), zero]):
            x, y = (
                (a.astype(np.int64) - (given[0] if given else 0)),
                (b.astype(np.int64) - (given[1] if given else 0)),
            )
            found = result("MatMulInteger", a, b, *given)
            np.testing.assert_array_equal(found, (x @ y).astype(np.int32))


def test_the_bias_of_a_quantized_convolution_is_added_before_scaling() -> None:
    x, w = np.full((1, 1, 3), 10, np.uint8), np.ones((2, 1, 1), np.int8)
    given = [ONE, ZERO, w, ONE, np.int8(0), np.float32(4), ZERO, np.array([0, 100], np.int32)]
    assert result("QLinearConv", x, *given, opset=10).tolist() == [[[2, 2, 2], [28, 28, 28]]]


@pytest.mark.parametrize(
    ("type", "inputs", "attributes", "words"),
    [
        ("QuantizeLinear", [X, SCALES[:2]], {}, r"the scale has shape \[2\]; for x of shape"),
        ("QuantizeLinear", [X, SCALES, ZERO], {}, r"has shape \[3\] and the zero point \[\]"),
        (
            "QuantizeLinear",
            [X, ONE, ZERO],
            {"output_dtype": TensorProto.INT8},
            "the zero point is of type UINT8, but the attribute 'output_dtype' says INT8",
        ),
        (
            "DequantizeLinear",
            [Q, SCALES.reshape(1, 3, 1)],
            {"block_size": 2},
            r"in blocks of 2 along axis 1 expected is \[2, 2, 4\]",
        ),
        ("QLinearMatMul", [Q, ONE, ZERO, Q[0].T, SCALES[:2], ZERO, ONE, ZERO], {}, "b_scale has"),
        (
            "QLinearMatMul",
            [Q[0, 0], SCALES, ZERO, Q[0].T, ONE, ZERO, ONE, ZERO],
            {},
            r"a_scale has shape \[3\]; of vectors expected is one number",
        ),
        (
            "ConvInteger",
            [Q, Q, np.array([1, 2], np.uint8)],
            {},
            r"the zero point of x has shape \[2\]; expected is one number",
        ),
        (
            "ConvInteger",
            [Q, Q[:, :, :1], ZERO, np.array([1, 2, 3], np.uint8)],
            {},
            r"for weights \[2, 3, 1\] expected is one number, or 2 of them",
        ),
        (
            "QLinearConv",
            [Q, ONE, ZERO, Q, ONE, ZERO, ONE, ZERO],
            {"group": 0},
            r"ai\.onnx\.QLinearConv:10 .*: group=0: expected is 1 or more\.",
        ),
        (
            "QLinearConv",
            [Q, ONE, ZERO, Q, ONE, ZERO, ONE, ZERO],
            {"group": 2},
            r"ai\.onnx\.QLinearConv:10 .* do not fit with group=2: .* channels, 3 / 2, 1 dimens",
        ),
        ("ConvInteger", [Q, Q], {"group": 0}, r"ConvInteger:10, .*: group=0: expected is 1"),
    ],
)
def test_what_does_not_fit(
    type: str, inputs: list[Any], attributes: dict[str, Any], words: str
) -> None:
    with pytest.raises(OperatorInputError, match=words):
        result(type, *inputs, **attributes)


def test_wrong_attributes() -> None:
    with pytest.raises(OperatorAttributeError, match="the axis 3 is outside of a tensor of rank 3"):
        result("QuantizeLinear", X, SCALES, axis=3)
    blocks = np.ones((2, 2, 4), np.float32)
    with pytest.raises(OperatorAttributeError, match="'block_size' is -2; expected is a positive"):
        result("QuantizeLinear", X, blocks, block_size=-2)


@pytest.mark.parametrize(
    "window",
    [
        {"dilations": [2**20], "pads": [2**20, 0]},
        {"strides": [2**30], "pads": [2**30, 2**30]},
        {"strides": [2**30]},
        {"dilations": [50], "pads": [40, 40], "strides": [7]},
    ],
)
def test_windows_that_reach_far(window: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.integers(0, 255, (1, 2, 9)), rng.integers(-128, 127, (9, 2, 2))
    zero = np.uint8(7)
    found = result("ConvInteger", x.astype(np.uint8), w.astype(np.int8), zero, **window)
    lower, upper = window.get("pads", [0, 0])
    step, dilation = (window.get(name, [1])[0] for name in ("strides", "dilations"))
    last = 9 + lower + upper - dilation - 1
    # The places of the two elements of each window; outside of the data is padding.
    starts = np.arange(last // step + 1) * step - lower
    taps = np.stack([starts, starts + dilation])
    inside = (taps >= 0) & (taps < 9)
    values = np.where(inside, x[0][:, np.clip(taps, 0, 8)] - 7, 0)
    np.testing.assert_array_equal(found[0], np.einsum("ckn,ock->on", values, w))


def test_windows_that_see_no_data() -> None:
    """Both windows lie beside the one element, at -1 and at 2: what they read is padding."""
    x, w = np.full((1, 3, 1), 9, np.uint8), np.ones((9, 3, 1), np.int8)
    found = result("ConvInteger", x, w, np.uint8(7), strides=[3], pads=[1, 1])
    np.testing.assert_array_equal(found, np.zeros((1, 9, 1)))


@pytest.mark.parametrize(
    ("a", "b"), [((4, 5), (1, 5, 6)), ((3, 4, 5), (1, 1, 5, 6)), ((2, 1, 4, 5), (1, 3, 5, 6))]
)
def test_zero_points_of_all_dimensions(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.integers(0, 255, a).astype(np.uint8), rng.integers(-128, 127, b).astype(np.int8)
    x_zero = rng.integers(0, 255, (*a[:-1], 1)).astype(np.uint8)
    w_zero = rng.integers(-128, 127, (*b[:-2], 1, b[-1])).astype(np.int8)
    want = (x.astype(int) - x_zero) @ (w.astype(int) - w_zero)
    np.testing.assert_array_equal(result("MatMulInteger", x, w, x_zero, w_zero), want)
