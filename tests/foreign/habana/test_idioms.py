"""TensorFlow's idioms in operators for Habana's accelerators, by the values they give."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import custom_ops
from popir.errors import (
    OperatorAttributeError,
    OperatorInputError,
    UnknownOperatorError,
)
from popir.foreign.habana import operators
from popir.foreign.habana.specs import Attribute, snake
from popir.testing import gradcheck
from popir.types import DataType
from tests.foreign.habana.graphs import model, run, session_of

Library = custom_ops.HpuLibrary
X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)


@pytest.fixture(scope="module")
def idioms() -> Library:
    """The operators of idioms.cpp."""
    return custom_ops.build_hpu_library(
        Path(__file__).parent / "idioms.cpp", name="popir_hpu_idioms"
    )


SHAPES: dict[str, tuple[list[list[int]], Any, dict[str, Any], str]] = {
    "conv": ([[2, 9, 8, 3], [3, 3, 3, 5]], [0], {}, r"\[2,5,4,5\]"),
    "conv valid": ([[2, 9, 8, 3], [3, 3, 3, 5]], [0], {"padding": "VALID"}, r"\[2,4,3,5\]"),
    "conv channels": (
        [[2, 3, 9, 8], [3, 3, 3, 5]],
        [0],
        {"data_format": "NCHW", "strides": [1, 1, 2, 2]},
        r"\[2,5,5,4\]",
    ),
    "conv depth": ([[2, 9, 8, 4], [3, 3, 3, 5]], [0], {}, "is not a multiple of input depth"),
    "depthwise": ([[2, 9, 8, 3], [3, 3, 3, 2]], [0], {}, r"\[2,5,4,6\]"),
    "pool": ([[2, 9, 8, 3]], [0], {"padding": "VALID"}, r"\[2,4,4,3\]"),
    "bias": ([[2, 9, 3], [3]], [0], {}, r"\[2,9,3\]"),
    "bias size": ([[2, 9, 3], [4]], [0], {}, "Dimensions must be equal, but are 3 and 4"),
    "batch": ([[7, 1, 2, 3], [5, 4, 3]], [0], {"adj_y": True}, r"\[7,5,2,4\]"),
    "matmul": ([[2, 3], [3, 4]], [0], {}, r"\[2,4\]"),
    "reduce": ([[2, 3, 4]], [-1, 0], {}, r"\[1,3,1\]"),
    "concat": ([[2, 3], [2, 5]], 1, {}, r"\[2,8\]"),
    "concat rows": ([[2, 3], [2, 5]], -2, {}, "in both shapes must be equal, but are 3 and 5"),
    "explicit": ([[1]], [0], {"shape": [4, -1]}, r"\[4,\?\]"),
    "norm": ([[2, 9, 8, 3], [3], [3]], [0], {}, r"\[2,9,8,3\]"),
    "gather": ([[4, 5, 6], [7, 2]], [0], {}, r"\[7,6\]"),
    "broadcast": ([[4, 1, 6], [5, 1]], [0], {}, r"\[4,5,6\]"),
    "broadcast empty": ([[4, 0], [4, 3]], [0], {}, r"Incompatible shapes for broadcasting"),
    "sizes": ([[4, 5]], [0], {}, "20 2 4 5 31$"),
    "uneven": ([[4]], [0], {}, "must be evenly divisible by 3 but is 4"),
    "negative": ([[4]], [0], {}, "computed of 4 and 9 is negative"),
    "no dimension": ([[4]], [0], {}, r"threw: Dim: there is no dimension 7 in \[4\]"),
    "backwards": ([[4, 5, 6]], [0], {}, r"\[6,5,4\]"),
    "from values": ([[4]], [7, -1], {}, r"\[7,\?\] of values"),
    "names": ([[4], [5]], [0], {}, r"Unknown input name: zs\n\tafter 2\[5\]"),
    "partial": ([[4]], [0], {}, r"\[2,3\] 12$"),
    "partial rank": ([[4]], [0], {"shape": [1, 2, 3]}, "Incompatible shapes during merge"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape_functions(idioms: Library, name: str) -> None:
    shapes, values, given, words = SHAPES[name]
    how = name.split()[0] if name.split()[0] in _FUNCTIONS else name

    def make(b: popir.Builder, *xs: str) -> Any:
        k = b.aiOnnx.constant(np.array(values, np.int32))
        return idioms.shape_text_op(*xs, k, how=how, **given)

    with pytest.raises(OperatorInputError, match=words):
        run(make, *(np.zeros(shape, np.float32) for shape in shapes))


_FUNCTIONS = ("conv", "bias", "concat", "broadcast", "partial")


def test_a_shape_from_values_that_are_not_known(idioms: Library) -> None:
    with pytest.raises(OperatorInputError, match=r"\[\?,\?\] of nothing"):
        run(
            lambda b, x, k: idioms.shape_text_op(x, k, how="from values"),
            X,
            np.array([2, 3], np.int32),
        )


TEXTS: dict[str, tuple[dict[str, Any], str]] = {
    "attributes": ({}, r"1,2 1,0 int32 \[4\];\[\] 0 0\.5 02DT_INT320\.5$"),
    "given attributes": (
        {
            "ints": np.array([5, 6, 7]),
            "flags": [False, True, True],
            "types": [DataType.FLOAT, "bfloat16"],
            "shapes": [[2, -1], []],
            "reals": [1.0],
            "real": 2,
        },
        r"5,6,7 0,1,1 float, bfloat16 \[2,\?\];\[\] 1 2 03DT_FLOAT2$",
    ),
    "strings": ({}, r"a\|b\|\|c x  2\.50 007% 92Q-30112$"),
    "numbers": ({}, r"3\.75 1 inf 2\.5 65504 11878$"),
    "shapes": ({}, r"24\[3,4\]01\[3,4,5\]1Invalid argument: Expected a size .* got -23$"),
    "tensors": ({}, r"12110 1\.\.\. 2\.53$"),
    "node": ({}, "1x0/device:HPU:0TextOp"),
    "index": ({}, "threw: the index 2 is outside of a dimension of 2"),
    "rank": ({}, r"a tensor of the shape \[2\] is read as one of 2 dimensions"),
    "check": ({}, r"threw: .*Check failed: context->NumInputs\(\) == 7 inputs"),
    "check_eq": ({}, r"Check failed: context->NumInputs\(\) == 7 \(1 vs\. 7\) seven"),
    "fatal": ({}, r"threw: .*idioms\.cpp:\d+: the end"),
    "wide": ({"ints": [2**40 + 5, 1]}, "'ints' has the value 1099511627781, which does not fit"),
    "large": ({}, r"'huge' has the value 1e\+60, which does not fit a float"),
    "or": ({}, "2Out of range: 3 is odd1$"),
    "environment": ({}, "variable POPIR_TEST_FLAG is 'perhaps', which is no bool"),
    "complex": ({}, "defines output 0 as complex64; the operator is registered with FLOAT"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(idioms: Library, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given, words = TEXTS[name]
    monkeypatch.setenv("POPIR_TEST_FLAG", "perhaps")
    with pytest.raises(OperatorInputError, match=words):
        run(lambda b, x: idioms.text_op(x, what=name.removeprefix("given "), **given), X)


def test_logs(
    idioms: Library, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "0")  # JAX, once imported, sets another one.
    with pytest.raises(OperatorInputError):
        run(lambda b, x: idioms.text_op(x, what="log"), X)
    lines = [line.split("] ") for line in capfd.readouterr().err.splitlines()]
    assert [line[-1] for line in lines][:3] == ["said 0", "said 1", "last"]
    assert {line[-1] for line in lines[3:]} <= {"last"}  # The functor is asked again.
    assert lines[0][0].startswith("W idioms.cpp:")


def test_lists_of_types(idioms: Library) -> None:
    whole = np.array([1, -2], np.int32)
    y, n = run(lambda b, x, n: idioms.neg2d_each_op(x, n, several_kernels=True), X, whole)
    np.testing.assert_array_equal(y, -X)
    np.testing.assert_array_equal(n, -whole)
    with pytest.raises(OperatorInputError, match="'Ts' is int32, float, and its inputs 'xs' are"):
        run(lambda b, x, n: idioms.neg2d_each_op(x, n, Ts=["int32", "float"]), X, whole)
    with pytest.raises(OperatorAttributeError, match="'Ts' has 0 elements; it must have at least"):
        run(lambda b, x: b.customOp("Neg2DEachOp", 1, "ai.habana", [], {}, 1), X)


@pytest.mark.parametrize("count", [1, 3])
def test_host_memory_behind_a_list(idioms: Library, count: int) -> None:
    def make(b: popir.Builder, x: str) -> Any:
        return idioms.behind_op(*[x] * count, b.aiOnnx.constant(np.array([4], np.int32)))

    (y,) = run(make, X)
    np.testing.assert_array_equal(y, np.where(X > 0, X, 4 * X))
    with pytest.raises(OperatorInputError, match=f"input {count}, 'x1', must be a constant"):
        run(lambda b, x, s: idioms.behind_op(*[x] * count, s), X, np.array([4], np.int32))


def test_host_memory_of_another_kernel(idioms: Library) -> None:
    """The kernel for bfloat16 has none, so the input need not be known."""
    x = X.astype(DataType.BFLOAT16.numpy)
    (y,) = run(lambda b, x, s: idioms.behind_op(x, s), x, np.array([4], np.int32))
    np.testing.assert_array_equal(y.astype(np.float32), np.abs(X))


def test_a_list_without_the_other_input(idioms: Library) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    with pytest.raises(
        OperatorInputError, match=r"it has at least 1 input \(xs, s\); given were 0"
    ):
        idioms.behind_op(builder=builder)


def test_the_least_length_of_a_list(idioms: Library) -> None:
    for ints in ([1], []):
        words = f"'ints' has {len(ints)} elements; it must have at least 2"
        with pytest.raises(OperatorAttributeError, match=words):
            run(lambda b, x, ints=ints: idioms.text_op(x, what="", ints=ints), X)
    with pytest.raises(OperatorAttributeError, match="'types' may be float, int32, bfloat16"):
        run(lambda b, x: idioms.text_op(x, what="", types=["float", "int8"]), X)


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("a: list(int) = [1, -2]", [1, -2]),
        ("a: list(type) = [DT_FLOAT, int32]", ["float", "int32"]),
        ("a: type = DT_HALF", "half"),
        ("a: list({'p', 'q'}) >= 1 = ['q']", ["q"]),
        ("a: list(bool) = [true]", [True]),
        ("a: string = 'true DT_FLOAT'", "true DT_FLOAT"),
        ("a: shape = {}", []),
        ("a: shape = { dim { size: 2 } dim { size: -1 } }", [2, -1]),
        ("a: list(shape) = []", []),
    ],
)
def test_defaults(text: str, default: Any) -> None:
    assert Attribute.parse("it", text).default == default


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CustomDivOp", "custom_div_op"),
        ("Conv2DOp", "conv2d_op"),
        ("MaxPool3D", "max_pool3d"),
        ("Conv2d", "conv2d"),
        ("ABOp", "ab_op"),
        ("Ns>NsOp", "ns_ns_op"),
        ("HTTPServer2Go", "http_server2_go"),
        ("plain", "plain"),
    ],
)
def test_snake_case(name: str, expected: str) -> None:
    assert snake(name) == expected


def test_names_of_functions(idioms: Library) -> None:
    assert idioms.my_space_op.operator == "My>SpaceOp"
    assert (idioms.ABOp.operator, idioms.AbOp.operator) == ("ABOp", "AbOp")
    with pytest.raises(AttributeError, match="are 'ab_op' in snake case: ABOp, AbOp"):
        _ = idioms.ab_op


def test_copies_of_a_library(idioms: Library) -> None:
    for copied in (copy.copy(idioms), copy.deepcopy(idioms), pickle.loads(pickle.dumps(idioms))):
        assert copied == idioms
        assert copied.text_op == idioms.text_op


GRADIENTS: dict[str, tuple[dict[str, Any], str]] = {
    "twice": (
        {"gradient": "TwoGradientsOp", "gradient_outputs": [0, 0]},
        "gradient_outputs names input 0 more than once",
    ),
    "outputs": (
        {"gradient": "TwoGradientsOp"},
        r"TwoGradientsOp has 2 outputs \(a, b\), and gradient_outputs says of 1",
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_wrong_gradients(idioms: Library, library: Library, name: str) -> None:
    given, words = GRADIENTS[name]
    with pytest.raises(OperatorAttributeError, match=words):
        gradcheck("ai.habana.Ramp6Op", [X], given)


def test_gradients_of_operators_that_are_not_there(library: Library) -> None:
    with pytest.raises(UnknownOperatorError, match=r"operator 'Ramp7Op'.*Did you mean 'Ramp6Op'"):
        custom_ops.register_gradient("Ramp7Op", "Ramp6GradOp")
    with pytest.raises(
        UnknownOperatorError, match="no library that is loaded has an operator 'No'"
    ):
        custom_ops.register_gradient("Ramp6Op", "No")
    with pytest.raises(OperatorAttributeError, match="names input 0 more than once"):
        custom_ops.register_gradient("Ramp6Op", "Ramp6GradOp", outputs=[0, 0])
    assert not operators._gradients


def test_time_limits(library: Library) -> None:
    for limit in (-1, 2**40):
        with pytest.raises(OperatorAttributeError, match=f"'time_limit_ms' is {limit}; it is"):
            proto, outputs = model(
                lambda b, x, limit=limit: library.ramp6_op(x, time_limit_ms=limit), X
            )
            session_of(proto, outputs)
