"""Types that are only stored: floats of 8 bits and less, integers of less than 8. How they are
converted, moved and kept in models, and that nothing computes with them.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.opx import host_type, popType
from popir.poplar import QUARTER, UNSIGNED_CHAR
from popir.types import DataType, as_bytes
from tests.models import Array, run

NARROW = [kind for kind in DataType if kind.is_narrow]
FLOATS = [kind for kind in NARROW if not kind.is_integer and kind is not DataType.FLOAT8E8M0]
INTEGERS = [kind for kind in NARROW if kind.is_integer]
FLOAT8 = [kind for kind in FLOATS if kind.bits == 8]
WIDE = [np.dtype(t) for t in (np.float32, np.float16, ml_dtypes.bfloat16, np.float64)]
INF, NAN = np.inf, np.nan


def result(
    type: str, x: Any, *more: Any, opset: int = 28, constant: bool = False, **attributes: Any
) -> Array:
    """One operator's output. Inputs after the first, and with `constant` all, are initializers."""
    arrays = [np.array(a, order="C") for a in (x, *more)]
    names = [f"x{i}" for i in range(len(arrays))]
    node = helper.make_node(type, names, ["y"], name="node", **attributes)
    given = 0 if constant else 1
    graph = helper.make_graph(
        [node],
        "g",
        [
            helper.make_tensor_value_info(n, DataType.of(a.dtype).onnx, a.shape)
            for n, a in zip(names[:given], arrays, strict=False)
        ],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(a, n) for n, a in zip(names[given:], arrays[given:], strict=True)],
    )
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=13)
    return run(model.SerializeToString(), dict(zip(names[:given], arrays, strict=False)), ["y"])[
        "y"
    ]


def codes(kind: DataType) -> Array:
    """Every element of a type, by its code."""
    return np.arange(1 << kind.bits, dtype=np.uint8).view(kind.numpy)


def cast(x: Any, kind: DataType, **attributes: Any) -> Array:
    return result("Cast", x, to=kind.onnx, **attributes)


def test_they_are_bytes_of_one_device_type() -> None:
    for kind in NARROW:
        assert popType(kind) == QUARTER
        assert host_type(kind) == UNSIGNED_CHAR
        assert as_bytes(codes(kind)).dtype == np.uint8
    x = np.zeros(3, np.float32)
    assert as_bytes(x) is x


@pytest.mark.parametrize("kind", NARROW, ids=lambda k: k.name)
@pytest.mark.parametrize("to", [DataType.FLOAT, DataType.FLOAT16, DataType.DOUBLE, DataType.INT32])
def test_every_code_is_widened(kind: DataType, to: DataType) -> None:
    x = codes(kind)
    if to is DataType.INT32:
        wide = x.astype(np.float64)
        x = x[np.isfinite(wide) & (np.abs(wide) < 1 << 31)]
    with np.errstate(over="ignore"):
        want = x.astype(np.float64).astype(to.numpy)
    np.testing.assert_array_equal(cast(x, to), want)
    np.testing.assert_array_equal(result("Cast", x, constant=True, to=to.onnx), want)


def test_to_bool() -> None:
    for kind in NARROW:
        wide = codes(kind).astype(np.float32)
        np.testing.assert_array_equal(cast(codes(kind), DataType.BOOL), wide != 0)


def halfway(kind: DataType) -> Array:
    """The points between neighbours, and what is next to them."""
    values = codes(kind).astype(np.float64)
    values = np.unique(values[np.isfinite(values)])
    middle = (values[1:] + values[:-1]) / 2
    near = np.concatenate([np.nextafter(middle, side) for side in (-INF, INF)])
    return np.concatenate([values, middle, near, values * 1.0001])


@pytest.mark.parametrize("kind", FLOATS, ids=lambda k: k.name)
def test_floats_are_rounded_to_nearest_and_halves_to_even(kind: DataType) -> None:
    x = halfway(kind)
    values = codes(kind).astype(np.float64)
    known = np.isfinite(values)
    order = np.argsort(values[known], kind="stable")
    ordered, code = values[known][order], np.arange(len(values))[known][order]
    for dtype in WIDE:
        given = x.astype(dtype)
        exact = given.astype(np.float64)
        found = cast(given, kind)
        distance = np.abs(exact[:, None] - ordered)
        least = distance == distance.min(1, keepdims=True)
        even = least & (code % 2 == 0)
        want = np.where(even.any(1), ordered[even.argmax(1)], ordered[least.argmax(1)])
        np.testing.assert_array_equal(found.astype(np.float64), want)


@pytest.mark.parametrize(
    ("kind", "saturate", "want"),
    [
        # -0, NaN, Inf, -Inf, twice the greatest, minus that, the table of ONNX's Cast.
        ("FLOAT8E4M3FN", 1, [-0.0, NAN, 448, -448, 448, -448]),
        ("FLOAT8E4M3FNUZ", 1, [0.0, NAN, 240, -240, 240, -240]),
        ("FLOAT8E5M2", 1, [-0.0, NAN, 57344, -57344, 57344, -57344]),
        ("FLOAT8E5M2FNUZ", 1, [0.0, NAN, 57344, -57344, 57344, -57344]),
        ("FLOAT8E4M3FN", 0, [-0.0, NAN, NAN, NAN, NAN, NAN]),
        ("FLOAT8E4M3FNUZ", 0, [0.0, NAN, NAN, NAN, NAN, NAN]),
        ("FLOAT8E5M2", 0, [-0.0, NAN, INF, -INF, INF, -INF]),
        ("FLOAT8E5M2FNUZ", 0, [0.0, NAN, NAN, NAN, NAN, NAN]),
        ("FLOAT6E2M3", 0, [-0.0, -0.0, 7.5, -7.5, 7.5, -7.5]),
        ("FLOAT6E3M2", 1, [-0.0, -0.0, 28, -28, 28, -28]),
        ("FLOAT4E2M1", 0, [-0.0, -0.0, 6, -6, 6, -6]),
    ],
)
def test_out_of_range(kind: str, saturate: int, want: list[float]) -> None:
    target = DataType[kind]
    most = float(ml_dtypes.finfo(target.numpy).max)
    for dtype in WIDE:
        with np.errstate(over="ignore"):
            far = np.array([-0.0, NAN, INF, -INF, 2 * most, -2 * most]).astype(dtype)
        found = cast(far, target, saturate=saturate).astype(np.float32)
        np.testing.assert_array_equal(found, want)
        np.testing.assert_array_equal(np.signbit(found)[:1], np.signbit(want)[:1])


@pytest.mark.parametrize(
    ("mode", "saturate", "want"),
    [
        ("up", 1, [127, 128, 128, 129, 0, 1, 254, 254, 0, 255]),
        ("down", 1, [127, 127, 127, 128, 0, 0, 254, 254, 0, 255]),
        ("nearest", 1, [127, 127, 128, 128, 0, 1, 254, 254, 0, 255]),
        ("up", 0, [127, 128, 128, 129, 255, 1, 255, 255, 255, 255]),
        ("nearest", 0, [127, 127, 128, 128, 255, 1, 255, 255, 255, 255]),
    ],
)
def test_to_an_exponent(mode: str, saturate: int, want: list[int]) -> None:
    x = np.array([1, 1.25, 1.5, 2.01, 2.0**-130, 1.75 * 2.0**-127, 1.75 * 2.0**127, INF, 0, NAN])
    for dtype in (np.float32, np.float64):
        given = {"round_mode": mode, "saturate": saturate}
        found = cast(x.astype(dtype), DataType.FLOAT8E8M0, **given)
        np.testing.assert_array_equal(found.view(np.uint8), want)
    assert np.isnan(cast(np.array([-1.0]), DataType.FLOAT8E8M0).astype(np.float32)).all()


@pytest.mark.parametrize("kind", INTEGERS, ids=lambda k: k.name)
def test_integers_lose_their_upper_bits(kind: DataType) -> None:
    for dtype in (np.int8, np.int32, np.int64, np.uint8, np.uint64):
        x = np.arange(100).astype(dtype)
        x = x - dtype(50) if np.dtype(dtype).kind == "i" else x
        np.testing.assert_array_equal(cast(x, kind).astype(np.int32), wrapped(x, kind))


def wrapped(x: Array, kind: DataType) -> Array:
    low = x.astype(np.int64) & ((1 << kind.bits) - 1)
    is_signed = not kind.name.startswith("U")
    return np.where(is_signed & (low >> (kind.bits - 1) == 1), low - (1 << kind.bits), low)


@pytest.mark.parametrize("kind", INTEGERS, ids=lambda k: k.name)
def test_floats_are_truncated_to_integers(kind: DataType) -> None:
    limits = ml_dtypes.iinfo(kind.numpy)
    x = np.array([limits.min, limits.max, 1.9, 0.5, 0, NAN])
    for dtype in WIDE:
        found = cast(x.astype(dtype), kind).astype(np.int32)
        np.testing.assert_array_equal(found, [limits.min, limits.max, 1, 0, 0, 0])


def test_between_narrow_types() -> None:
    found = cast(codes(DataType.INT4), DataType.FLOAT8E4M3FN)
    np.testing.assert_array_equal(found.astype(np.int32), codes(DataType.INT4).astype(np.int32))
    found = cast(found, DataType.UINT4)
    np.testing.assert_array_equal(found.view(np.uint8), np.arange(16))
    found = cast(codes(DataType.FLOAT4E2M1), DataType.FLOAT6E3M2)
    want = codes(DataType.FLOAT4E2M1).astype(np.float32)
    np.testing.assert_array_equal(found.astype(np.float32), want)


def test_cast_like() -> None:
    like = np.zeros(1, ml_dtypes.float8_e5m2)
    found = result("CastLike", np.array([1e6], np.float32), like, opset=25, saturate=0)
    assert found.dtype == like.dtype
    assert np.isinf(found.astype(np.float32)).all()


@pytest.mark.parametrize("kind", [k for k in NARROW if k.bits != 6], ids=lambda k: k.name)
def test_moved(kind: DataType) -> None:
    """ONNX has floats of 6 bits in Cast and quantization alone."""
    x = np.resize(codes(kind), (2, 3, 4))

    def same(found: Array, want: Array) -> None:
        assert found.dtype == kind.numpy
        np.testing.assert_array_equal(found.view(np.uint8), want.view(np.uint8))

    opset = 25
    for constant in (False, True):
        how = {"opset": opset, "constant": constant}
        same(result("Identity", x, **how), x)
        same(result("Transpose", x, perm=[2, 0, 1], **how), x.transpose(2, 0, 1))
        same(result("Reshape", x, np.array([4, 6]), **how), x.reshape(4, 6))
        same(result("Flatten", x, axis=2, **how), x.reshape(6, 4))
        same(result("Unsqueeze", x, np.array([0]), **how), x[None])
        same(result("Squeeze", x[:, :1], np.array([1]), **how), x[:, 0])
    assert result("Shape", x, opset=opset).tolist() == [2, 3, 4]
    value = numpy_helper.from_array(codes(kind)[-1:])
    filled = result("ConstantOfShape", np.array([2, 3]), opset=opset, constant=True, value=value)
    same(filled, np.broadcast_to(codes(kind)[-1], (2, 3)).copy())


STORED = [kind for kind in NARROW if kind.bits != 6]


@pytest.mark.parametrize("kind", STORED, ids=lambda k: k.name)
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_padded(kind: DataType, mode: Any) -> None:
    """By amounts that are known, and by such that the run knows, against numpy on the codes."""
    x, one = np.resize(codes(kind), (2, 3)), codes(kind)[1:2].reshape(())
    zero = np.array(0).astype(kind.numpy)
    for pads in ([1, 2, 0, 1], [0, 1, 0, 1]):
        around = ((pads[0], pads[2]), (pads[1], pads[3]))
        for value in (one, None) if mode == "constant" else (None,):
            fill = zero if value is None else value
            more: Any = {"constant_values": fill.view(np.uint8)} if mode == "constant" else {}
            want = np.pad(x.view(np.uint8), around, mode, **more)
            given = [np.array(pads)] if value is None else [np.array(pads), value]
            for constant in (False, True):
                found = result("Pad", x, *given, opset=25, constant=constant, mode=mode)
                assert found.dtype == kind.numpy
                np.testing.assert_array_equal(found.view(np.uint8), want)
            again = padded_at_run_time(kind, x, pads[1], pads[1] + pads[3], value, mode)
            want = np.pad(x.view(np.uint8), ((0, 0), around[1]), mode, **more)
            np.testing.assert_array_equal(again.view(np.uint8), want)


def padded_at_run_time(
    kind: DataType, x: Array, before: int, whole: int, value: Array | None, mode: str
) -> Array:
    """Pads axis 1 of a matrix by `before` and the rest of `whole`."""
    named = ["x", "pads", "" if value is None else "value", "axes"]
    nodes = [
        helper.make_node("Clip", ["n", "least", "whole"], ["before"]),
        helper.make_node("Sub", ["whole", "before"], ["after"]),
        helper.make_node("Reshape", ["before", "axes"], ["first"]),
        helper.make_node("Reshape", ["after", "axes"], ["last"]),
        helper.make_node("Concat", ["first", "last"], ["pads"], axis=0),
        helper.make_node("Pad", named, ["y"], mode=mode),
    ]
    known = {"least": np.array(0), "whole": np.array(whole), "axes": np.array([1])}
    known |= {} if value is None else {"value": value}
    graph = helper.make_graph(
        nodes,
        "g",
        [
            helper.make_tensor_value_info("x", kind.onnx, x.shape),
            helper.make_tensor_value_info("n", DataType.INT64.onnx, []),
        ],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(array, id) for id, array in known.items()],
    )
    imports = [helper.make_opsetid("", 25)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=13)
    return run(model.SerializeToString(), {"x": x, "n": np.array(before)}, ["y"])["y"]


@pytest.mark.parametrize("kind", STORED, ids=lambda k: k.name)
def test_one_change_of_shape_after_another(kind: DataType) -> None:
    x = np.resize(codes(kind), (2, 3))
    nodes = [
        helper.make_node("Unsqueeze", ["x", "axes"], ["u"]),
        helper.make_node("Flatten", ["u"], ["y"], axis=2),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", kind.onnx, x.shape)],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(np.array([0, 1]), "axes")],
    )
    imports = [helper.make_opsetid("", 25)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=13)
    found = run(model.SerializeToString(), {"x": x}, ["y"])["y"]
    np.testing.assert_array_equal(found.view(np.uint8), x.reshape(1, 6).view(np.uint8))


@pytest.mark.parametrize("kind", FLOAT8, ids=lambda k: k.name)
def test_what_is_infinite_or_no_number(kind: DataType) -> None:
    x = codes(kind)
    wide = x.astype(np.float32)
    for constant in (False, True):
        how: dict[str, Any] = {"opset": 20, "constant": constant}
        np.testing.assert_array_equal(result("IsNaN", x, **how), np.isnan(wide))
        np.testing.assert_array_equal(result("IsInf", x, **how), np.isinf(wide))
        found = result("IsInf", x, detect_negative=0, **how)
        np.testing.assert_array_equal(found, np.isposinf(wide))


@pytest.mark.parametrize("kind", FLOAT8, ids=lambda k: k.name)
def test_dropout(kind: DataType) -> None:
    x = np.resize(codes(kind), (8, 256))
    ratio = np.float32(0.5)
    same = result("Dropout", x, ratio, np.array(False), opset=22)
    np.testing.assert_array_equal(same.view(np.uint8), x.view(np.uint8))
    found = result("Dropout", x, ratio, np.array(True), opset=22).astype(np.float32)
    wide = x.astype(np.float32)
    most = float(ml_dtypes.finfo(kind.numpy).max)
    twice = np.where(np.isfinite(wide), np.clip(2 * wide, -most, most), wide)
    twice = np.where(np.isinf(wide), np.sign(wide) * most, twice)  # A Cast saturates.
    dropped = (found == 0) & (twice != 0)
    np.testing.assert_array_equal(found[~dropped], twice[~dropped])
    assert 0.4 < dropped.mean() < 0.6


@pytest.mark.parametrize(
    ("given", "to"),
    [
        (np.uint8, "FLOAT8E4M3FN"),
        (np.int8, "FLOAT8E8M0"),
        (ml_dtypes.float8_e5m2, "INT8"),
        (ml_dtypes.int4, "UINT4"),
        (ml_dtypes.uint4, "FLOAT4E2M1"),
        (ml_dtypes.int2, "UINT2"),
        (np.float32, "UINT32"),
        (np.float16, "BFLOAT16"),
        (np.int64, "DOUBLE"),
        (np.uint8, "UINT8"),
    ],
)
def test_bit_cast(given: Any, to: str) -> None:
    kind, source = DataType[to], DataType.of(np.dtype(given))
    x = np.arange(0, 240, dtype=np.uint8)
    x = (x & ((1 << min(source.bits, 8)) - 1)).view(given).reshape(2, -1)
    for constant in (False, True):
        found = result("BitCast", x, opset=26, constant=constant, to=kind.onnx)
        assert found.dtype == kind.numpy
        np.testing.assert_array_equal(found.view(np.uint8), x.view(np.uint8))


def test_bit_cast_to_bool() -> None:
    found = result("BitCast", np.array([0, 1, 2, 255], np.uint8), opset=26, to=9)
    assert found.tolist() == [False, True, True, True]


def test_bit_cast_to_another_width() -> None:
    words = "'to' is FLOAT16, of 16 bits; the input is FLOAT, of 32. They must be as wide"
    with pytest.raises(OperatorAttributeError, match=words):
        result("BitCast", np.zeros(2, np.float32), opset=26, to=10)


@pytest.mark.parametrize("kind", [DataType.FLOAT8E4M3FN, DataType.INT4], ids=lambda k: k.name)
def test_nothing_computes_with_them(kind: DataType) -> None:
    with pytest.raises(OperatorInputError, match=f"of type {kind.name}; the operator takes"):
        result("Add", codes(kind), codes(kind), opset=14)


def test_quantized_to_floats() -> None:
    x = np.array([0.1, -3.0, 208.0, 1e5], np.float32)
    zero = np.zeros((), ml_dtypes.float8_e4m3fn)
    for saturate, last in ((1, 448), (0, NAN)):
        found = result("QuantizeLinear", x, np.float32(2), zero, opset=19, saturate=saturate)
        assert found.dtype == zero.dtype
        want = [np.float32(0.05).astype(zero.dtype), -1.5, 104, last]
        np.testing.assert_array_equal(found.astype(np.float32), np.array(want, np.float32))
    back = result("DequantizeLinear", found[:3], np.float32(2), opset=19)
    np.testing.assert_array_equal(back, found[:3].astype(np.float32) * 2)


@pytest.mark.parametrize("kind", INTEGERS, ids=lambda k: k.name)
def test_quantized_to_few_bits(kind: DataType) -> None:
    x = np.linspace(-12, 24, 30).astype(np.float32)
    limits = ml_dtypes.iinfo(kind.numpy)
    zero = np.array(1, kind.numpy)
    found = result("QuantizeLinear", x, np.float32(1.7), zero)
    want = np.clip(np.rint(x / np.float32(1.7)) + 1, limits.min, limits.max)
    np.testing.assert_array_equal(found.astype(np.int32), want)
    back = result("DequantizeLinear", found, np.float32(1.7), zero)
    np.testing.assert_allclose(back, (want - 1) * np.float32(1.7), rtol=1e-6)


def test_blocks_with_scales_that_are_exponents() -> None:
    """The formats of Microscaling: blocks of 4-bit floats, each with a power of two."""
    x = np.resize(codes(DataType.FLOAT4E2M1), (2, 8))
    scales = np.array([[126, 127], [128, 130]], np.uint8).view(ml_dtypes.float8_e8m0fnu)
    given = {"axis": 1, "block_size": 4}
    with pytest.raises(OperatorInputError, match="would be of type FLOAT8E8M0; give the attribute"):
        result("DequantizeLinear", x, scales, **given)
    found = result("DequantizeLinear", x, scales, output_dtype=1, **given)
    factors = np.repeat(scales.astype(np.float32), 4, 1)
    np.testing.assert_array_equal(found, x.astype(np.float32) * factors)
    back = result("QuantizeLinear", found, scales, output_dtype=23, **given)
    np.testing.assert_array_equal(back.view(np.uint8), x.view(np.uint8))


def test_a_product_of_floats_of_8_bits() -> None:
    a = np.arange(6).reshape(2, 3).astype(ml_dtypes.float8_e4m3fn)
    b = np.arange(-6, 6).reshape(3, 4).astype(ml_dtypes.float8_e5m2)
    one, half = np.float32(1), np.float32(0.5)
    none = np.zeros((), ml_dtypes.float8_e4m3fn)
    given = [a, one, none, b, half, np.zeros((), b.dtype), half, none]
    found = result("QLinearMatMul", *given, opset=21)
    want = (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)
    np.testing.assert_array_equal(found.view(np.uint8), want.view(np.uint8))
