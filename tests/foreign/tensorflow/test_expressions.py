"""Expressions: operators, numbers, functions, types, broadcasting, gradients, texts, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import popir
from popir.custom_ops import codelet_expression_op
from popir.custom_ops import expressions as ex
from popir.foreign.tensorflow.codelet_expression import traced
from popir.testing import gradcheck
from tests.foreign.tensorflow.programs import (
    Array,
    builder,
    floats,
    given,
    gradients,
    stepped,
    training,
)

OP = "ai.graphcore.tensorflow.CodeletExpressionOp"


def computed(function: Callable[..., Any], *operands: Array) -> Array:
    """What the operator gives."""
    model = builder()
    ids = [model.addInitializedInputTensor(v) for v in operands]
    return given(model, codelet_expression_op(function, *ids))[0]


def expected(function: Callable[..., Any], *operands: Array) -> Array:
    """What numpy gives, in double and rounded to the type of the first operand."""
    wide = [
        v.astype(np.float64) if v.dtype.kind == "f" or v.dtype == ml_dtypes.bfloat16 else v
        for v in operands
    ]
    with np.errstate(all="ignore"):
        found = np.asarray(function(*wide))
    shape = np.broadcast_shapes(*(v.shape for v in operands))
    return np.broadcast_to(found, shape).astype(operands[0].dtype)


def test_the_functions_of_the_first_test() -> None:
    """Those that TensorFlow's own test has."""
    a, b, c = floats(8, 1), floats(1, seed=1), floats(1, 8, seed=2)
    assert np.allclose(computed(lambda x, y, z: x * x + y * z, a, b, c), a * a + b * c)
    assert np.array_equal(computed(abs, a), abs(a))


REALS: list[Callable[..., Any]] = [
    lambda x, y: 2 * x - y * 3 + 1.5,
    lambda x, y: -x + +y,
    lambda x, y: x / (2 + y * y) + 1 / (3 + abs(x)),
    lambda x, y: (x - 2) // (abs(y) + 1),
    lambda x, y: x % (abs(y) + 0.5) - (x % -3),
    lambda x, y: abs(x) ** y + x**2 + x**3 + 2**y,
    lambda x, y: (abs(x) + 1) ** 0.5 + (abs(y) + 1) ** -1,
    lambda x, y: np.where(x > y, x, 2 * y) + np.where((x < 0) | ~(y <= 1), 1, x),
    lambda x, y: np.where((x == y) ^ (x != 0), x, y) + np.where((x >= 0) & (y < 1), x, -y),
    lambda x, y: np.exp(x) + np.log(abs(y) + 1) + np.tanh(x) + np.sqrt(abs(x)),
    lambda x, y: np.maximum(x, y) - np.minimum(x, 0.25) + np.clip(y, -0.5, 0.5),
    lambda x, y: np.sin(x) + np.cos(y) + np.tan(x * 0.3) + np.arctan2(x, y),
    lambda x, y: np.expm1(x) + np.log1p(abs(y)) + np.square(x) + np.cbrt(y) + np.exp2(x),
    lambda x, y: np.sign(x) + np.floor(y) + np.ceil(x) + np.rint(y * 3) + np.trunc(x * 2),
    lambda x, y: np.sinh(x) + np.cosh(y) + np.arcsinh(x) + np.arccosh(abs(y) + 1.5),
    lambda x, y: np.arctanh(x / (abs(x) + 1)) + np.arcsin(y / (abs(y) + 1)) + np.arctan(x),
    lambda x, y: np.arccos(x / (abs(x) + 1)) + np.log2(abs(y) + 1) + np.log10(abs(x) + 1),
    lambda x, y: np.reciprocal(abs(x) + 1) + np.fmod(y, 0.75) + np.float32(2) * x,
    lambda x, y: np.where(np.isnan(x) | np.isinf(y) | ~np.isfinite(x), 0, x) * y,
    lambda x, y: np.where(np.logical_xor(x > 0, y > 0), x, np.logical_not(y > 0) * 1.0),
    lambda x, y: (x > 0) * x + (y > 0) * 2,
    lambda x, y: 1 * x + np.divmod(3, 2)[0] * y,
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.float64])
@pytest.mark.parametrize("index", range(len(REALS)))
def test_of_real_numbers(index: int, dtype: Any) -> None:
    x, y = floats(5, 4).astype(dtype), floats(4, seed=1).astype(dtype)
    tolerance = {np.float32: 2e-5, np.float16: 4e-3, np.float64: 1e-12}.get(dtype, 2e-2)
    found, wanted = computed(REALS[index], x, y), expected(REALS[index], x, y)
    assert found.dtype == dtype
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "index", [i for i in range(len(REALS)) if i not in (3, 4, 7, 8, 13, 18, 19, 20, 21)]
)
def test_gradients_against_finite_differences(index: int) -> None:
    text = traced(REALS[index], 2)
    gradcheck(OP, [floats(3, 2).astype(np.float64), [2]], {"expression": text})


@pytest.mark.parametrize("index", [4, 7, 8, 20])
def test_gradients_of_pieces(index: int) -> None:
    """Away from where the pieces meet."""
    x = np.array([[0.3, -1.7], [2.2, -0.4]])
    gradcheck(OP, [x, np.array([0.9, -0.8])], {"expression": traced(REALS[index], 2)})


WHOLE: list[Callable[..., Any]] = [
    lambda x, y: 2 * x - y * 3 + 1,
    lambda x, y: x / y,
    lambda x, y: x // y + x % y,
    lambda x, y: x**2 + (y & 3) ** 3,
    lambda x, y: (x & y) | (x ^ 5) | ~y,
    lambda x, y: (x << 2) + (y >> 1),
    lambda x, y: np.where(x > y, x, y * 0.5),
    lambda x, y: abs(x) + np.sign(y) - (-x),
    lambda x, y: np.maximum(x, y) * (x != y),
    lambda x, y: np.sqrt(abs(x)) + np.exp(y / 20),
    lambda x, y: np.floor(x / y) + np.trunc(x) + np.fmod(x, y),
    lambda x, y: (x * 100000) * 0 + (x > 3) + (y > 3),
]


CONDITIONS: list[Callable[..., Any]] = [
    lambda x, y: (x > 0) + (y > 0),
    lambda x, y: ((x == x) + (y < 0)) * 2 + ((x > 1) + True) * 3,
    lambda x, y: ((x > 0) * (y > 0) + (x == y)) * 1.5,
    lambda x, y: np.maximum(x > 0, y > 0) + np.minimum(x > 0, y > 0) + (x == 0),
    lambda x, y: abs(x > 0) + abs(y > 0),
    lambda x, y: np.floor(x > 0) + np.ceil(y > 0) + np.trunc(x > y),
    lambda x, y: np.clip(x > 0, False, y > 0) + (y > 0),
    lambda x, y: np.where(x > 0, x == x, y == y) + (y > 0),
    lambda x, y: np.square(x > 0) + np.square(y > 0) + (x > 0) * 1 + (y > 0) * 1,
]


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("index", range(len(CONDITIONS)))
def test_of_conditions(index: int, dtype: Any) -> None:
    """The sum of two conditions is a condition, and so is their product."""
    rng = np.random.default_rng(index)
    x, y = (rng.integers(-3, 4, (8, 5)).astype(dtype) for _ in range(2))
    assert np.array_equal(computed(CONDITIONS[index], x, y), expected(CONDITIONS[index], x, y))


@pytest.mark.parametrize("index", range(len(WHOLE)))
def test_of_integers(index: int) -> None:
    rng = np.random.default_rng(index)
    x, y = (rng.integers(-20, 20, (4, 5)).astype(np.int32) for _ in range(2))
    y[y == 0] = 7
    assert np.array_equal(computed(WHOLE[index], x, y), expected(WHOLE[index], x, y))


def test_quotients_of_large_integers_are_exact() -> None:
    x = np.int32([2**31 - 1, -(2**31) + 1, 16777217])
    y = np.int32([1, 2, 1])
    assert np.array_equal(computed(lambda x, y: x // y, x, y), x // y)


SPECIAL = np.float32([1, 6, -1, 7.5, -7.5, np.inf, 5, 5, 0, np.nan, 3, -3, 1e20, -89])
BY = np.float32([0.1, 0.1, 0.1, 2, 2, 1, -np.inf, np.inf, 1, 1, 0, 0, 3, -0.7])


def test_whole_quotients_of_floats_are_numpys() -> None:
    """Such as 1 // 0.1, which is 9, and not 10."""
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(computed(lambda x, y: x // y, SPECIAL, BY), SPECIAL // BY)
        np.testing.assert_array_equal(computed(lambda x, y: x % y, SPECIAL, BY), SPECIAL % BY)


@pytest.mark.parametrize("name", ["sign", "sinh", "cosh", "arcsinh", "arccosh"])
def test_functions_at_their_ends(name: str) -> None:
    function = getattr(np, name)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(computed(function, SPECIAL), function(SPECIAL), rtol=2e-6)


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int64])
def test_integers_among_real_numbers_keep_their_digits(kind: type) -> None:
    n = np.array([16777217, 123456789, 7], kind)
    for function in (lambda x: x * 1.0, lambda x: x / 1, lambda x: np.where(x > 8, x, 0.5)):
        assert np.array_equal(computed(function, n), function(n).astype(kind))
    x = np.array([1, 2, 0.5])
    assert np.array_equal(computed(lambda x, n: n * x, x, n), n * x)


def test_numbers_that_no_operand_can_hold() -> None:
    with pytest.raises(
        popir.OperatorInputError, match="the number 3000000000 of the expression is no"
    ):
        computed(lambda x: x + 3000000000, np.int32([1]))
    for wrong in (lambda x: int(x), lambda x: float(x), lambda x: [1][x]):
        with pytest.raises(TypeError, match="in0 is no number yet"):
            codelet_expression_op(wrong, "x")
    with pytest.raises(TypeError, match="without digits"):
        codelet_expression_op(lambda x: round(x, 2), "x")


NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "floats": lambda x, m: m.where(x > 0, 0.1, 0.7),
    "one float": lambda x, m: m.where(x > 0, 1, 0.3),
    "truths": lambda x, m: m.where(x > 0, True, False),
    "a float of a function": lambda x, m: m.where(x > 0, m.exp(1.0), 0.1),
    "a float added": lambda x, m: m.where(x > 0, 1.0, 0.0) + 0.1,
    "large integers": lambda x, m: m.where(x > 0, 2**33, 3) // 2**20,
}


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, np.int32, np.int64, np.bool_]
)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_alone(name: str, dtype: Any) -> None:
    """Of two numbers the type is that of numpy, whatever the operands are."""
    x = np.array([0, 1, 2]).astype(dtype)
    got = computed(lambda v: NUMBERS[name](v, ex), x)
    want = NUMBERS[name](x.astype(np.float64), np).astype(dtype)
    np.testing.assert_allclose(got, want, rtol=2e-3 if dtype == np.float16 else 1e-6)


def test_types_are_mixed() -> None:
    """The result has the type of the first operand."""
    x, n, c = floats(6), np.arange(6, dtype=np.int32), np.array([True, False] * 3)
    half = floats(6, seed=3).astype(np.float16)
    for operands in ((x, n, c, half), (n, x, c, half), (half, n, c, x)):

        def function(a: Any, b: Any, c: Any, d: Any) -> Any:
            return np.where(c, a * 2 + b, d / 3)

        found = computed(function, *operands)
        assert found.dtype == operands[0].dtype
        assert np.allclose(found, expected(function, *operands), rtol=2e-3, atol=2e-3)
    assert np.array_equal(computed(lambda c, x: ~c & (x > 0), c, x), ~c & (x > 0))
    big = np.arange(6, dtype=np.int64) * 2**40
    assert np.array_equal(computed(lambda a, b: a + b * 3, big, n), big + n * 3)
    unsigned = np.uint32([1, 2, 3, 4, 5, 2**32 - 1])
    found = computed(lambda a, b: (a * 2 - b) // 2, unsigned, n)
    assert np.array_equal(found, ((unsigned * 2 - n) // 2).astype(np.uint32))


def test_a_gradient_is_that_of_floats_alone() -> None:
    model = builder()
    x, h = floats(3), floats(3, seed=1).astype(np.float16)
    n = model.aiOnnx.constant(np.int32([1, 2, 3]))
    c = model.aiOnnx.constant(np.array([True, False, True]))
    ids = [model.addInitializedInputTensor(v) for v in (x, h)]
    y = codelet_expression_op(lambda a, b, n, c: np.where(c, a * a * n, b * b), *ids, n, c)
    found = gradients(model, y, *ids)
    assert found[1].dtype == np.float16
    assert np.allclose(found[0], 2 * x * [1, 2, 3] * [1, 0, 1])
    assert np.allclose(found[1], 2 * h * [0, 1, 0], atol=1e-3)


def test_an_operand_that_is_not_read_has_a_gradient_of_zeros() -> None:
    model = builder()
    x, y = (model.addInitializedInputTensor(floats(2, 3)) for _ in range(2))
    found = gradients(model, codelet_expression_op(lambda a, b: a * a, x, y), x, y)
    assert not found[1].any() and found[0].all()


@pytest.mark.parametrize(
    "shapes",
    [([2, 3], [3]), ([3], [2, 3]), ([], [4]), ([4, 1, 3], [2, 1]), ([0, 3], [1, 3]), ([2, 1], [])],
)
def test_shapes_broadcast_as_numpys(shapes: tuple[list[int], list[int]]) -> None:
    operands = [floats(*shape, seed=i) for i, shape in enumerate(shapes)]

    def function(x: Any, y: Any) -> Any:
        return x * y + x

    found = computed(function, *operands)
    assert np.allclose(found, expected(function, *operands))
    if found.size:
        gradcheck(OP, [v.astype(np.float64) for v in operands], {"expression": "in0 * in1 + in0"})


def test_one_compute_set() -> None:
    """The whole expression is one step of the machine, as in TensorFlow."""
    model = builder()
    x = model.addInitializedInputTensor(floats(100))
    y = codelet_expression_op(lambda a: np.tanh(a * 2 + 1) / (1 + a * a), x)
    model.addOutputTensor(y)
    session = popir.InferenceSession(
        model.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
    )
    session.prepareDevice()
    steps = [s for s in session.getReport().steps if "Codelet" in s.name and s.cycles]
    assert len(steps) == 1


def test_random_expressions() -> None:
    """Trees of all operators over operands of several shapes and types, against numpy."""
    rng = np.random.default_rng(7)
    unary: list[Callable[[Any], Any]] = [
        lambda a: -a,
        abs,
        np.tanh,
        np.sin,
        lambda a: np.exp(np.minimum(a, 2)),
        lambda a: np.sqrt(abs(a)),
        np.square,
    ]
    binary: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / (abs(b) + 1),
        np.maximum,
        lambda a, b: np.where(a > b, a, b * 0.5),
    ]

    def tree(depth: int) -> Callable[..., Any]:
        kind = rng.integers(0, 4) if depth else rng.integers(2, 4)
        if kind == 0:
            f, inner = unary[rng.integers(len(unary))], tree(depth - 1)
            return lambda *xs: f(inner(*xs))
        if kind == 1:
            g, left, right = binary[rng.integers(len(binary))], tree(depth - 1), tree(depth - 1)
            return lambda *xs: g(left(*xs), right(*xs))
        if kind == 2:
            number = [2, 0.5, -3, 1.25][rng.integers(4)]
            i = int(rng.integers(3))
            return lambda *xs: xs[i] * number
        i = int(rng.integers(3))
        return lambda *xs: xs[i]

    shapes = [[2, 3], [3], [2, 1]]
    for _ in range(60):
        function = tree(5)
        operands = [
            floats(*shapes[i], seed=int(rng.integers(100))).astype(
                [np.float32, np.float32, np.float16][rng.integers(3)]
            )
            for i in range(3)
        ]
        wanted, found = expected(function, *operands), computed(function, *operands)
        tolerance = 5e-5 if found.dtype == np.float32 else 4e-3
        assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance), traced(function, 3)


@pytest.mark.parametrize("index", range(len(REALS)))
def test_texts_are_read_again(index: int) -> None:
    text = traced(REALS[index], 2)
    again = ex.parsed("op", text, 2)
    assert ex.text(again) == text


def test_an_expression_in_a_model() -> None:
    """As somebody writes it by hand."""
    model = builder()
    x = model.addInitializedInputTensor(floats(4))
    for text, function in (
        ("in0 * in0 + 2", lambda v: v * v + 2),
        ("where(in0 > 0, in0, exp(in0) - 1)", lambda v: np.where(v > 0, v, np.exp(v) - 1)),
        (
            "relu(-in0) + sigmoid(in0) // 0.3",
            lambda v: np.maximum(-v, 0) + 1 / (1 + np.exp(-v)) // 0.3,
        ),
        ("minimum(in0, inf) + erf(in0)", lambda v: v + np.vectorize(math.erf)(v)),
        ("clip(~(in0 > 0) * 3.0, 1, 2)", lambda v: np.clip(~(v > 0) * 3.0, 1, 2)),
    ):
        (y,) = model.customOp(
            "CodeletExpressionOp", 1, "ai.graphcore.tensorflow", [x], {"expression": text}
        )
        found = given(popir.Builder(model.getModelProto()), y)[0]
        assert np.allclose(found, function(floats(4)), rtol=1e-5, atol=1e-6), text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("in0 +", "is no expression: invalid syntax"),
        ("", "is no expression"),
        ("in1", "'in1' is no operand; they are in0"),
        ("2 + 3", "reads no operand"),
        ("exo(in0)", "there is no function 'exo'. Did you mean 'exp'"),
        ("__import__('os').system('true')", "cannot be computed for each element"),
        ("in0 and in0", "cannot be computed for each element"),
        ("0 < in0 < 1", "cannot be computed for each element"),
        ("in0.real", "cannot be computed for each element"),
        ("exp(in0, in0)", "is none of popir's"),
        ("in0 + 'a'", "constant() takes a number; given was str"),
        ("in0 + 1j", "constant() takes a number; given was complex"),
        ("in0 + " + "9" * 30, "has more than 64 bits"),
        ("-" * 100_000 + "in0", "is no"),
        ("(" * 5000 + "in0" + ")" * 5000, "is no"),
        ("+".join(["in0"] * 400), "levels"),
        ("in0" + " " * 300_000, "at most are read"),
        ("in0 & in0", "takes bits of FLOAT"),
        ("in0\0", "is no expression"),
        (b"\xff", "'expression' is text in UTF-8"),
    ],
)
def test_texts_that_are_none(text: str | bytes, words: str) -> None:
    model = builder()
    x = model.addInitializedInputTensor(floats(3))
    (y,) = model.customOp(
        "CodeletExpressionOp", 1, "ai.graphcore.tensorflow", [x], {"expression": text}
    )
    with pytest.raises((popir.OperatorAttributeError, popir.OperatorInputError)) as caught:
        given(model, y)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: 3, "<lambda> gives int; expected is an expression"),
        (lambda x: None, "gives NoneType"),
        (lambda x: ex.constant(3) + 1, "gives (3 + 1); expected is an expression of its arguments"),
        (lambda x: x if x > 0 else -x, "Use where(condition, x, y) in place of `if`"),
        (lambda x: x and x, "& | ~ in place of `and`"),
        (
            lambda x: x + "a",
            "is an expression or a number; given was str",
        ),
        (lambda x: x + np.ones(3), "given was ndarray"),
        (lambda x: x @ x, "unsupported operand type"),
        (lambda x: x[0], "not subscriptable"),
        (
            lambda x: math.exp(x),
            "is no number yet, so float() has none, nor have functions of math",
        ),
        (lambda x: np.hypot(x, x), "numpy.hypot has no form for expressions"),
        (lambda x: np.sum(x), "no form"),
        (lambda x: np.add.reduce(x), "numpy.add.reduce is not of single elements"),
        (lambda x: np.add(x, 1, dtype=np.float32), "numpy.add of expressions takes no options"),
        (lambda x: np.clip(x, 0, 1, out=None), "takes no options; given was out="),
        (lambda x: np.concatenate([x, x]), "numpy.concatenate has no form"),
        (lambda x: ex.constant("a"), "constant() takes a number"),
        (lambda x: x.nothing, "nothing"),
        (lambda x: x + 2**70, "more than 64 bits"),
    ],
)
def test_functions_that_give_none(function: Callable[..., Any], words: str) -> None:
    model = builder()
    x = model.addInitializedInputTensor(floats(3))
    with pytest.raises((TypeError, AttributeError)) as caught:
        codelet_expression_op(function, x)
    assert words in str(caught.value)


def test_no_tensors() -> None:
    with pytest.raises(TypeError, match="takes the tensors that the function is applied to"):
        codelet_expression_op(lambda: 1)


def test_arguments_that_are_no_tensors() -> None:
    x = builder().addInitializedInputTensor(floats(3))
    words = r"^codelet_expression_op takes a string as args\[1\]; given was 2.5."
    with pytest.raises(popir.popart_exception, match=words):
        codelet_expression_op(lambda x, y: x * y, x, 2.5)  # pyright: ignore


def test_an_expression_that_is_too_large() -> None:
    def squared(x: Any) -> Any:
        for _ in range(30):
            x = x + x
        return x

    model = builder()
    x = model.addInitializedInputTensor(floats(3))
    with pytest.raises(OverflowError, match="at most 10000 nodes and 200 levels"):
        codelet_expression_op(squared, x)


def test_tensors_that_do_not_fit() -> None:
    model = builder()
    x = model.addInitializedInputTensor(floats(2, 3))
    y = model.addInitializedInputTensor(floats(4))
    z = codelet_expression_op(lambda a, b: a + b, x, y)
    with pytest.raises(popir.OperatorInputError, match=r"\[2, 3\], \[4\] do not broadcast"):
        given(model, z)
    model = builder()
    n = model.addInitializedInputTensor(np.int8([1]))
    with pytest.raises(popir.OperatorInputError, match="INT8"):
        given(model, codelet_expression_op(lambda a: a, n))


def test_the_operand_itself() -> None:
    assert np.array_equal(
        computed(lambda x, y: x, floats(3), floats(2, 3)), np.broadcast_to(floats(3), (2, 3))
    )
    assert np.array_equal(computed(lambda x, y: y, np.int32([1, 2]), np.int32([3, 4])), [3, 4])


def test_the_gradient_of_the_gradient() -> None:
    """d(sum (dy/dx)^2)/dx for y = tanh(x)^2 exp(x)."""
    value = floats(5)
    model = builder()
    x = model.addInitializedInputTensor(value)
    y = codelet_expression_op(lambda a: np.tanh(a) ** 2 * np.exp2(a) + np.cbrt(a), x)
    summed = model.aiOnnx.reducesum([y], keepdims=0)
    (dx,) = model.customOp(
        "Gradient", 1, "ai.onnx.preview.training", [x], {"xs": [x], "y": summed}, 1
    )
    found = gradients(model, model.aiOnnx.mul([dx, dx]), x)[0]

    def slope(v: Array) -> Array:
        t = np.tanh(v)
        root = np.abs(v) ** (-2 / 3) / 3
        return 2 * t * (1 - t * t) * 2**v + t * t * 2**v * math.log(2) + root

    wide, step = value.astype(np.float64), 1e-6
    numeric = (slope(wide + step) ** 2 - slope(wide - step) ** 2) / (2 * step)
    assert np.allclose(found, numeric, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: np.arctan(y) * x * y,
        lambda x, y: np.arctan2(x, y) * x,
        lambda x, y: np.trunc(3 * x) * y * y,
        lambda x, y: np.where(np.isfinite(x), x, 0) * y * y,
    ],
    ids=["arctan", "arctan2", "trunc", "isfinite"],
)
def test_the_gradient_of_the_gradient_of_two(function: Callable[..., Any]) -> None:
    """d(sum (dz/dy)^2)/dy, against finite differences in double."""
    x, y = np.float32([-1.3, 0.4, 2.6]), np.float32([0.7, -1.1, 1.9])
    model = builder()
    given = model.addInitializedInputTensor(x), model.addInitializedInputTensor(y)
    summed = model.aiOnnx.reducesum([codelet_expression_op(function, *given)], keepdims=0)
    (dy,) = model.customOp(
        "Gradient", 1, "ai.onnx.preview.training", given[1:], {"xs": [given[1]], "y": summed}, 1
    )
    found = gradients(model, model.aiOnnx.mul([dy, dy]), given[1])[0]
    at, step = y.astype(np.float64), 1e-4

    def slope(v: Array) -> Array:
        return (function(x, v + step) - function(x, v - step)) / (2 * step)

    numeric = (slope(at + step) ** 2 - slope(at - step) ** 2) / (2 * step)
    np.testing.assert_allclose(found, numeric, rtol=1e-3, atol=1e-3)


def test_it_trains() -> None:
    model = builder()
    w = model.addInitializedInputTensor(np.float32([2.0, -1.0]), "w")
    y = codelet_expression_op(lambda a: (a - 0.5) ** 2, w)
    loss = model.aiGraphcore.identityloss([y])
    session = training(model, loss, rate=0.3)
    losses = [float(stepped(session)[loss]) for _ in range(20)]
    assert losses[-1] < 1e-2 * losses[0]
