"""The classes that lower PopART's operators, for operators of other names, beside NumPy."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import popir
from tests.popart.conftest import Library
from tests.popart.graphs import floats, results
from tests.popart.libraries import isolated

Function = Callable[..., np.ndarray]


def erf(x: np.ndarray) -> np.ndarray:
    """The error function, by its series."""
    x = np.asarray(x, "float64")
    total, term = x.copy(), x.copy()
    for n in range(1, 60):
        term *= -x * x / n
        total += term / (2 * n + 1)
    return 2 / np.sqrt(np.pi) * total


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def bits(x: np.ndarray) -> np.ndarray:
    return (x * 100).astype("int32")


DIFFERENTIATED: dict[str, Function] = {
    "Asin": np.arcsin,
    "Atan": np.arctan,
    "Erf": erf,
    "GeluErf": lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2))),
    "Relu": lambda x: np.maximum(x, 0),
    "Sigmoid": sigmoid,
    "Sinh": np.sinh,
    "SoftSign": lambda x: x / (1 + np.abs(x)),
    "Swish": lambda x: x * sigmoid(x),
    "Negate": np.negative,
    "Identity": lambda x: x,
}
UNARY: dict[str, Function] = {
    "Abs": np.abs,
    "Cos": np.cos,
    "Sin": np.sin,
    "Log": np.log,
    "Sqrt": np.sqrt,
    "Square": np.square,
    "Reciprocal": np.reciprocal,
    "Ceil": np.ceil,
    "Floor": np.floor,
    "NearbyInt": np.rint,
    "Round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "Sign": np.sign,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Log1p": np.log1p,
    "Gelu": gelu,
    "Detach": lambda x: x,
    "Nop": lambda x: x,
}
INPLACE = (
    "Asin Atan Ceil Exp Expm1 Floor GeluErf Gelu Log1p Relu NearbyInt Round Sigmoid Sign Sinh "
    "SoftSign Swish Detach"
).split()
WITH_NUMBERS: dict[str, Callable[[np.ndarray, float, float], np.ndarray]] = {
    "Elu": lambda x, a, b: np.where(x < 0, a * np.expm1(x), x),
    "LeakyRelu": lambda x, a, b: np.where(x < 0, a * x, x),
    "ThresholdedRelu": lambda x, a, b: np.where(x > a, x, 0),
    "Scale": lambda x, a, b: a * x,
    "ScaleInplace": lambda x, a, b: a * x,
    "Clip": lambda x, a, b: np.clip(x, a, b),
    "HardSigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "Selu": lambda x, a, b: b * np.where(x < 0, a * np.expm1(x), x),
    "Shrink": lambda x, a, b: np.where(x < -a, x + b, np.where(x > a, x - b, 0)),
}
BINARY: dict[str, Function] = {
    "Add": np.add,
    "Mul": np.multiply,
    "Pow": np.power,
    "Div": np.divide,
    "Subtract": np.subtract,
    "Fmod": np.fmod,
    "Atan2": np.arctan2,
    "PRelu": lambda x, slope: np.where(x < 0, slope * x, x),
    "AddLhs": np.add,
    "AddRhs": np.add,
    "MulLhs": np.multiply,
    "MulRhs": np.multiply,
    "PowLhs": np.power,
    "Atan2Lhs": np.arctan2,
}
REDUCED: dict[str, Function] = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceL1": lambda x, **how: np.sum(np.abs(x), **how),
    "ReduceL2": lambda x, **how: np.sqrt(np.sum(x * x, **how)),
    "ReduceLogSum": lambda x, **how: np.log(np.sum(x, **how)),
    "ReduceLogSumExp": lambda x, **how: np.log(np.sum(np.exp(x), **how)),
    "ReduceSumSquare": lambda x, **how: np.sum(x * x, **how),
}


def derivative(f: Function, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The gradient of the sum of `weights` and f(x), by central differences in 64 bits."""
    x = x.astype("float64")
    found = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        found[place] = np.sum(weights * (f(x + step) - f(x - step))) / 2e-6
    return found


def close(got: np.ndarray, want: np.ndarray, name: str, within: float = 2e-5) -> None:
    assert got.shape == np.shape(want), name
    np.testing.assert_allclose(got, want, rtol=within, atol=within, err_msg=name)


def check_unary(library: str) -> None:
    ctypes.CDLL(library)
    x: np.ndarray = np.tanh(floats(3, 5)) * np.float32(0.9)
    for name, f in DIFFERENTIATED.items():
        y, gradients, weights = results(name, {"x": x}, "x")
        close(y, f(x.astype("float64")), name)
        close(gradients["x"], derivative(f, x, weights), name)
    some: np.ndarray = np.concatenate(
        [np.abs(x), np.array([[0.5, 1.5, 2.5, 3.0, 7.25]], "float32")]
    )
    for name, f in UNARY.items():
        close(results(name, {"x": some})[0], f(some.astype("float64")), name)
        half = results(name, {"x": some.astype("float16")})[0]
        assert half.dtype == np.float16
        close(half, f(some.astype("float16").astype("float64")), name, 2e-3)
    signed: np.ndarray = np.concatenate([x, np.array([[-0.5, -1.5, -2.5, 0.0, -3.0]], "float32")])
    for name in ("Round", "NearbyInt", "Ceil", "Floor", "Sign", "Abs"):
        close(results(name, {"x": signed})[0], UNARY[name](signed), name)
    for name in INPLACE:
        f = (UNARY | DIFFERENTIATED)[name]
        close(results(name + "Inplace", {"x": np.abs(x)})[0], f(np.abs(x)), name)
    odd = np.array([1, np.inf, np.nan, -np.inf, 0], "float32")
    assert results("IsInf", {"x": odd})[0].tolist() == [False, True, False, True, False]
    assert results("IsNaN", {"x": odd})[0].tolist() == [False, False, True, False, False]


def test_unary_operators(library: Library, tmp_path: Path) -> None:
    isolated(check_unary, library("lowered"), cwd=tmp_path)


def check_numbers(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(4, 6) * np.float32(2)
    for name, f in WITH_NUMBERS.items():
        a, b = 0.25, 0.75
        close(results(name, {"x": x}, a=a, b=b)[0], f(x.astype("float64"), a, b), name)


def test_operators_with_numbers(library: Library, tmp_path: Path) -> None:
    isolated(check_numbers, library("lowered"), cwd=tmp_path)


def check_binary(library: str) -> None:
    ctypes.CDLL(library)
    a, b = floats(2, 3, 4), floats(3, 1)
    for name, f in BINARY.items():
        x = np.abs(a) if name.startswith("Pow") else a
        first, second = ("b", "a") if name.endswith("Rhs") else ("a", "b")
        tensors = {"a": x, "b": b}
        got = results(name, {first: tensors[first], second: tensors[second]})[0]
        close(got, f(tensors[first].astype("float64"), tensors[second].astype("float64")), name)
    for name, compared in {"Equal": np.equal, "Greater": np.greater, "Less": np.less}.items():
        same = np.where(a > 0, a, b)
        np.testing.assert_array_equal(results(name, {"a": same, "b": b})[0], compared(same, b))
    p, q = a > 0, b > 0
    np.testing.assert_array_equal(results("And", {"p": p, "q": q})[0], p & q)
    np.testing.assert_array_equal(results("Or", {"p": p, "q": q})[0], p | q)
    np.testing.assert_array_equal(results("Not", {"p": p})[0], ~p)
    m, n = bits(a), bits(b)
    for name, logic in {
        "BitwiseAnd": np.bitwise_and,
        "BitwiseOr": np.bitwise_or,
        "BitwiseXor": np.bitwise_xor,
        "BitwiseXnor": lambda x, y: ~(x ^ y),
    }.items():
        np.testing.assert_array_equal(results(name, {"m": m, "n": n})[0], logic(m, n))
    np.testing.assert_array_equal(results("BitwiseNot", {"m": m})[0], ~m)
    with pytest.raises(popir.popart_exception, match="expects BitwiseAnd, BitwiseOr"):
        results("BitwiseNand", {"m": m, "n": n})


def test_binary_operators(library: Library, tmp_path: Path) -> None:
    isolated(check_binary, library("lowered"), cwd=tmp_path)


def check_reduced(library: str) -> None:
    ctypes.CDLL(library)
    for name, f in REDUCED.items():
        for axes, keepdims in (([1], 1), ([0, 2], 0), ([0, 1, 2], 0)):
            x = floats(2, 3, 4)
            if name == "ReduceLogSum":
                x = np.abs(x)

            def reduced(
                x: np.ndarray, f: Function = f, axes: list[int] = axes, kept: int = keepdims
            ) -> np.ndarray:
                return f(x, axis=tuple(axes), keepdims=bool(kept))

            y, gradients, weights = results(name, {"x": x}, "x", axes=axes, keepdims=keepdims)
            close(y, reduced(x.astype("float64")), name)
            close(gradients["x"], derivative(reduced, x, weights), name, 1e-4)
    x = floats(3, 4)
    x[1, 2] = x[2, 0] = x[2, 3] = 0  # one factor 0, and two
    _, gradients, weights = results("ReduceProd", {"x": x}, "x", axes=[1], keepdims=0)
    close(gradients["x"], derivative(lambda x: np.prod(x, axis=1), x, weights), "zeros")
    far = np.array([[100, 101, 90]], "float32")
    y = results("ReduceLogSumExp", {"x": far}, axes=[1], keepdims=0)[0]
    close(y, np.log(np.sum(np.exp(far.astype("float64")), axis=1)), "far")


def test_reductions_and_their_gradients(library: Library, tmp_path: Path) -> None:
    isolated(check_reduced, library("lowered"), cwd=tmp_path)


def check_others(library: str) -> None:
    ctypes.CDLL(library)
    a, b, c = floats(2, 3), floats(3), floats(2, 1)
    for name, f in {"Sum": np.add, "Min": np.minimum, "Max": np.maximum}.items():
        close(results(name, {"a": a, "b": b, "c": c})[0], f(f(a, b), c), name)
    close(results("Mean", {"a": a, "b": b, "c": c})[0], (a + b + c) / 3, "Mean")
    g = floats(2, 3)
    for name, f in {"Min": np.minimum, "Max": np.maximum}.items():
        out = f(f(a, b), c)
        want = np.sum(g * (b == out), axis=0)
        close(results(name + "Part", {"g": g, "b": b, "out": out})[0], want, name)
    close(results("SumPart", {"g": g, "c": c})[0], g.sum(axis=1, keepdims=True), "SumPart")
    np.testing.assert_array_equal(results("Cast", {"a": a * 9}, to="INT32")[0], np.int32(a * 9))
    np.testing.assert_array_equal(results("Reshape", {"a": a}, to=[3, 2])[0], a.reshape(3, 2))
    d = floats(2, 3, 4)
    turned = results("Transpose", {"d": d}, perm=[2, 0, 1])[0]
    np.testing.assert_array_equal(turned, d.transpose(2, 0, 1))
    e = floats(2, 2)
    joined = results("Concat", {"a": a, "e": e}, axis=1)[0]
    np.testing.assert_array_equal(joined, np.concatenate([a, e], axis=1))


def test_operators_of_several_tensors_and_views(library: Library, tmp_path: Path) -> None:
    isolated(check_others, library("lowered"), cwd=tmp_path)


def check_replaced(library: str) -> None:
    ctypes.CDLL(library)
    a, b = floats(2, 3), floats(3)
    np.testing.assert_array_equal(results("OwnLess", {"a": a, "b": b})[0], a < b)
    close(results("OwnProduct", {"a": a}, axes=[1])[0], a.prod(axis=1), "OwnProduct")


def test_a_source_that_defines_members_of_the_classes(library: Library, tmp_path: Path) -> None:
    isolated(check_replaced, library("replaced"), cwd=tmp_path)
