"""AttributeProto and Python values."""

import enum
import re

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, helper

from popir.backend import prepare
from popir.errors import ModelError, OperatorAttributeError
from popir.ir import AttributeKind
from popir.onnxio.attributes import to_proto, to_python
from popir.types import ReductionType


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (3, "INT"),
        (True, "INT"),
        (np.int32(3), "INT"),
        (0.5, "FLOAT"),
        (np.float32(0.5), "FLOAT"),
        ("text", "STRING"),
        (b"\xff\x00", "STRING"),
        ([1, 2], "INTS"),
        ((1, 2), "INTS"),
        ([], "INTS"),
        ([1, 0.5], "FLOATS"),
        (["a", "b"], "STRINGS"),
        (np.array([[1, 2]], np.int8), "TENSOR"),
        ([np.array(1.0)], "TENSORS"),
        (helper.make_graph([], "g", [], []), "GRAPH"),
    ],
)
def test_kind_follows_from_the_value(value: object, kind: str) -> None:
    proto = to_proto("Own", "a", value)
    assert AttributeProto.AttributeType.Name(proto.type) == kind
    onnx.checker.check_attribute(proto)
    found = to_python(proto)
    if isinstance(value, np.ndarray):
        assert found.dtype == value.dtype
    np.testing.assert_array_equal(found, list(value) if isinstance(value, tuple) else value)


@pytest.mark.parametrize(
    ("value", "kind", "stored"),
    [
        (1, "FLOAT", 1.0),
        ([], "FLOATS", []),
        ([], "STRINGS", []),
        (np.array([1, 2]), "INTS", [1, 2]),
        (ReductionType.Mean, "STRING", "Mean"),
    ],
)
def test_declared_kind(value: object, kind: str, stored: object) -> None:
    proto = to_proto("Own", "a", value, AttributeKind[kind])
    assert AttributeProto.AttributeType.Name(proto.type) == kind
    assert to_python(proto) == stored


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("1", "INT", "Own: the attribute 'a' is an integer; given was '1' (str)."),
        (0.5, "INT", "Own: the attribute 'a' is an integer; given was 0.5 (float)."),
        ([1], "FLOAT", "Own: the attribute 'a' is a float; given was [1] (list)."),
        (1, "STRING", "Own: the attribute 'a' is a string; given was 1 (int)."),
        ([0.5], "INTS", "Own: the attribute 'a' is a list of integers; given was [0.5] (list)."),
        ([1], "TENSOR", "Own: the attribute 'a' is a numpy array; given was [1] (list)."),
        (1 << 63, None, f"Own: the attribute 'a' cannot hold {1 << 63}: "),
        ({}, None, "Own: the attribute 'a' is {} (dict); an attribute is an integer, a float,"),
        ([1, "a"], None, "Own: the attribute 'a' is [1, 'a'] (list); an attribute is"),
        ([[1]], None, "Own: the attribute 'a' is [[1]] (list); an attribute is"),
    ],
)
def test_values_that_do_not_fit(value: object, kind: str | None, message: str) -> None:
    with pytest.raises(OperatorAttributeError, match=re.escape(message)):
        to_proto("Own", "a", value, AttributeKind[kind] if kind else None)


def test_attribute_without_a_value() -> None:
    with pytest.raises(ModelError, match="The attribute 'a' has no value of a known type"):
        to_python(AttributeProto(name="a"))
    with pytest.raises(ModelError, match="The attribute 'a' has no value of a known type"):
        to_python(AttributeProto(name="a", type=AttributeProto.INT, ref_attr_name="b"))


def test_tensor_that_does_not_fit_its_shape() -> None:
    proto = AttributeProto(name="a", type=AttributeProto.TENSOR)
    proto.t.data_type = 1
    proto.t.dims.append(3)
    proto.t.raw_data = b"1234"
    with pytest.raises(
        ModelError, match=r"The tensor in the attribute 'a' of type FLOAT and shape \[3"
    ):
        to_python(proto)


def test_value_of_another_type() -> None:
    with pytest.raises(
        ModelError,
        match="The attribute 'a' is of type INT, but has a value in f, ints; expected it in i",
    ):
        to_python(AttributeProto(name="a", type=AttributeProto.INT, i=1, f=2.0, ints=[3]))


def test_enumeration_stands_for_its_name() -> None:
    class Mode(enum.Enum):
        Fast = 7

    assert to_proto("Own", "a", Mode.Fast).s == b"Fast"


@pytest.mark.parametrize(
    "body",
    [
        "y = ReduceSum<keepdims = 2>(x)",  # of a device
        "y, i = TopK<largest = -1>(x, n)",
        "y = Unique<sorted = 2>(x)",  # of the host
        "y = HannWindow<periodic = 3>(n)",  # a function
        "s = SplitToSequence<keepdims = 2>(x, n) y = SequenceAt(s, n)",  # without sequences
        "s = SplitToSequence(x, n) y = ConcatFromSequence<axis = 0, new_axis = 2>(s)",
    ],
)
def test_a_truth_value_is_0_or_1(body: str) -> None:
    """onnxruntime takes a `keepdims` of 2 for 0, a `transA` for 1, and refuses an `exclusive`."""
    text = f"g (float[4] x) => (float[N] y) <int64 n = {{1}}> {{ {body} }}"
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 18]> {text}')
    with pytest.raises(OperatorAttributeError, match=r"is (2|3|-1); expected is 0 or 1\.$"):
        prepare(model).run({"x": np.zeros(4, np.float32)})
