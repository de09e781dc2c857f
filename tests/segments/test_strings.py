"""Operators that move elements, on strings: on their positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, parser

import popir
from popir.errors import OperatorAttributeError
from popir.segments.model import SegmentedModel

WORDS = np.array([["a", "b", "c"], ["d", "e", "f"]], object)
EDGE = 'v = Constant<value_string="z">()'


def model(body: str, opset: int, inputs: str = "string[A,B] x") -> ModelProto:
    proto = parser.parse_model(
        f'<ir_version: 10, opset_import: ["": {opset}, "acme": 1, "com.microsoft": 1]> '
        f"g ({inputs}) => (string[M] y) {{ {body} }}"
    )
    proto.graph.output[0].type.tensor_type.ClearField("shape")
    return proto


def run(body: str, opset: int = 21, inputs: str = "string[A,B] x", **values: Any) -> list[Any]:
    found = SegmentedModel(model(body, opset, inputs).SerializeToString()).run(
        {"x": WORDS, **values} if "x" in inputs else values
    )
    return found["y"].tolist()


@pytest.mark.parametrize(
    ("body", "opset", "want"),
    [
        (
            "p = Constant<value_ints=[0, 1, 1, 0]>() y = Pad(x, p)",
            21,
            [["", "a", "b", "c"], ["", "d", "e", "f"], ["", "", "", ""]],
        ),
        (
            f"p = Constant<value_ints=[0, -1, 1, 1]>() {EDGE} y = Pad(x, p, v)",
            21,
            [["b", "c", "z"], ["e", "f", "z"], ["z", "z", "z"]],
        ),
        (
            f"p = Constant<value_ints=[1, 0]>() a = Constant<value_ints=[-1]>() {EDGE} "
            "y = Pad(x, p, v, a)",
            21,
            [["z", "a", "b", "c"], ["z", "d", "e", "f"]],
        ),
        (
            'p = Constant<value_ints=[0, 2, 0, 1]>() y = Pad<mode="reflect">(x, p)',
            13,
            [["c", "b", "a", "b", "c", "b"], ["f", "e", "d", "e", "f", "e"]],
        ),
        (
            'p = Constant<value_ints=[0, 1, 0, 2]>() y = Pad<mode="edge">(x, p)',
            13,
            [["a", "a", "b", "c", "c", "c"], ["d", "d", "e", "f", "f", "f"]],
        ),
        (
            'p = Constant<value_ints=[0, 1, 0, 2]>() y = Pad<mode="wrap">(x, p)',
            19,
            [["c", "a", "b", "c", "a", "b"], ["f", "d", "e", "f", "d", "e"]],
        ),
        ("y = Trilu<upper=0>(x)", 14, [["a", "", ""], ["d", "e", ""]]),
        (
            "k = Constant<value_int=1>() y = Trilu(x, k)",
            14,
            [["", "b", "c"], ["", "", "f"]],
        ),
        (
            "i = Constant<value_ints=[3, 2]>() y = CenterCropPad(x, i)",
            18,
            [["a", "b"], ["d", "e"], ["", ""]],
        ),
        (
            "i = Constant<value_ints=[5]>() y = CenterCropPad<axes=[-1]>(x, i)",
            18,
            [["", "a", "b", "c", ""], ["", "d", "e", "f", ""]],
        ),
        (
            's = Constant<value_floats=[2.0, 1.0]>() y = Resize<mode="nearest">(x,, s)',
            19,
            [list("abc"), list("abc"), list("def"), list("def")],
        ),
        (
            "s = Constant<value_floats=[1.0, 2.0]>() y = Upsample(x, s)",
            9,
            [list("aabbcc"), list("ddeeff")],
        ),
        (
            "i = Constant<value_ints=[1, 0]>() a = Constant<value_ints=[0]>() "
            "b = Constant<value_ints=[1]>() u = Slice(x, a, b, b) "
            "y = TensorScatter<axis=1>(x, u, i)",
            24,
            [["a", "a", "c"], ["d", "e", "f"]],
        ),
        (
            'i = Constant<value=int64[1,1] {1}>() u = Constant<value=string[1,1] {"q"}>() '
            "y = Scatter(x, i, u)",
            9,
            [["a", "b", "c"], ["q", "e", "f"]],
        ),
    ],
)
def test_what_is_moved(body: str, opset: int, want: list[Any]) -> None:
    assert run(body, opset) == want


def test_amounts_and_values_at_run_time() -> None:
    body = f"{EDGE} y = Pad(x, p, v)"
    for pads, want in (
        ([0, 0, 0, 1], [["a", "b", "c", "z"], ["d", "e", "f", "z"]]),
        ([-1, 0, 0, -1], [["d", "e"]]),
    ):
        assert run(body, 21, "string[A,B] x, int64[4] p", p=np.array(pads)) == want
    body = "d = Constant<value=int64 {3}>() y = OneHot(i, d, v)"
    given = {"i": np.array([0, -1, 3]), "v": np.array(["no", "yes"], object)}
    want = [["yes", "no", "no"], ["no", "no", "yes"], ["no", "no", "no"]]
    assert run(body, 21, "int64[N] i, string[2] v", **given) == want


def test_places_that_there_are_not_are_empty() -> None:
    body = "y = Gather(x, i)"
    found = run(body, 21, "string[A,B] x, int64[N] i", i=np.array([-1, 7]))
    assert found == [["d", "e", "f"], ["", "", ""]]


def test_samples_of_a_picture_of_strings() -> None:
    given = {
        "x": np.array([[[["a", "b"], ["c", "d"]]]], object),
        "g": np.float32([[[[-0.5, -0.5], [0.5, 0.5], [9, 9]]]]),
    }
    body, inputs = 'y = GridSample<mode="nearest">(x, g)', "string[1,1,2,2] x, float[1,1,3,2] g"
    assert run(body, 20, inputs, **given) == [[[["a", "d", ""]]]]
    with pytest.raises(OperatorAttributeError, match=r"'mode' is 'linear'.*it must be 'nearest'"):
        run(body.replace("nearest", "linear"), 20, inputs, **given)


@pytest.mark.parametrize(
    ("body", "opset", "said"),
    [
        (
            "i = Constant<value=int64[1,1] {1}>() "
            'u = Constant<value=string[1,3] {"q", "r", "s"}>() '
            'y = ScatterND<reduction="add">(x, i, u)',
            18,
            "'reduction' is 'add', which would compute with strings; for these it must be 'none'",
        ),
        (
            's = Constant<value_floats=[2.0, 1.0]>() y = Resize<mode="linear">(x,, s)',
            19,
            "'mode' is 'linear', which would compute",
        ),
        (
            "s = Constant<value_floats=[2.0, 1.0]>() y = Resize<extrapolation_value=1.0>(x,, s)",
            19,
            "'extrapolation_value' is 1.0, which would compute",
        ),
    ],
)
def test_what_would_compute_with_strings(body: str, opset: int, said: str) -> None:
    with pytest.raises(OperatorAttributeError, match=said):
        run(body, opset)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("y = acme.Foo(x)", r"\(acme.Foo\): No operator acme.Foo is registered"),
        ("y = Foo(x)", r"\(ai.onnx.Foo\): No operator ai.onnx.Foo is registered"),
        ("y = com.microsoft.Tokenizer(x)", "No operator com.microsoft.Tokenizer is registered"),
        ("y = StringConcat(x, x)", "imports version 19 of the domain, .* versions are 20, all new"),
    ],
)
def test_operators_that_there_are_not(body: str, said: str) -> None:
    with pytest.raises(popir.UnknownOperatorError, match=said):
        run(body, 19)


def test_an_operator_that_takes_no_strings() -> None:
    with pytest.raises(popir.LeavesDeviceError, match="popir's Abs takes tensors of numbers"):
        run("y = Abs(x)")
