"""Element-wise functions over views of every kind: broadcast, strided, written in place."""

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from popir import errors, poplar, popops
from tests.device import TYPES
from tests.popops.rig import Rig, evaluate

e = popops.expr
_1, _2, _3 = e._1, e._2, e._3
F = np.float32
Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def _quiet():
    """Random programs divide by zero."""
    with np.errstate(all="ignore"):
        yield


def floats(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


# ---- Shapes ----


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 4), (4,)),
        ((3, 1), (1, 4)),
        ((2, 3, 4), (3, 1)),
        ((), (2, 3)),
        ((1,), (1, 1, 1)),
        ((5, 1, 7, 1), (6, 1, 9)),
        ((0, 3), (1, 3)),
        ((2, 0), (1,)),
        ((64, 512), (512,)),
        ((64, 512), (64, 1)),
        ((3, 200, 300), (200, 1)),
        ((300, 5), (5,)),
        ((4, 1000, 3), (4, 1, 3)),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_shapes_are_matched_as_numpy_does_it(a, b, threads):
    x, y = floats(a, 1), floats(b, 2)
    for p, q in ((x, y), (y, x)):
        z = evaluate(_1 - 2 * _2, p, q, threads=threads)
        np.testing.assert_array_equal(z, p - np.float32(2) * q, strict=True)


PAIRS = {
    "product and sum": (_1 * _2 + _3, lambda x, a, b: x * a + b),
    "sum and product": (_3 + _1 * _2, lambda x, a, b: b + x * a),
    "less a product": (_3 - _1 * _2, lambda x, a, b: b - x * a),
    "a product less": (_1 * _2 - _3, lambda x, a, b: x * a - b),
    "difference and product": ((_1 - _2) * _3, lambda x, a, b: (x - a) * b),
    "product and difference": (_3 * (_1 - _2), lambda x, a, b: b * (x - a)),
    "squared difference": (e.Square(_1 - _2) + _3, lambda x, a, b: (x - a) * (x - a) + b),
    "both uses of a product": (
        (_1 * _2 + _3) - (_1 * _2),
        lambda x, a, b: (x * a + b) - x * a,
    ),
    "two products": (_1 * 0.9 + _2 * _3, lambda x, a, b: x * F(0.9) + a * b),
    "two products by numbers": (0.1 * _1 + _2 * 0.9, lambda x, a, b: F(0.1) * x + a * F(0.9)),
    "both uses of one of two products": (
        (_1 * 0.9 + _2 * 0.1) - _2 * 0.1,
        lambda x, a, b: (x * F(0.9) + a * F(0.1)) - a * F(0.1),
    ),
    "divided by a root": (
        _1 / (e.Sqrt(_2) + 0.5),
        lambda x, a, b: x / (np.sqrt(a) + F(0.5)),
    ),
    "divided by more than a root": (
        _1 / (_3 + e.Sqrt(_2)),
        lambda x, a, b: x / (b + np.sqrt(a)),
    ),
    "a root twice": (
        _1 / (e.Sqrt(_2) + 0.5) + e.Sqrt(_2),
        lambda x, a, b: x / (np.sqrt(a) + F(0.5)) + np.sqrt(a),
    ),
    "a step of Adam": (
        _1 - (_2 * 0.9 + _3 * 0.1) * 0.5 / (e.Sqrt(_2 * 0.7) + 1e-6) * 0.01,
        lambda x, a, b: (
            x - (a * F(0.9) + b * F(0.1)) * F(0.5) / (np.sqrt(a * F(0.7)) + F(1e-6)) * F(0.01)
        ),
    ),
    "normalised": (
        (_1 - _2) * _3 * _2 + _3,
        lambda x, a, b: (x - a) * b * a + b,
    ),
}
"""Expressions of two operators that are one loop where only one uses the other, and numpy's."""
EDGES = np.array([0, -0.0, 1e-40, 88, -88, 104, 3e38, -3e38, np.inf, -np.inf, np.nan], np.float32)
OPERANDS = {"whole": (3, 700), "one for each row": (3, 1), "one for each column": (700,), "one": ()}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("shapes", list(itertools.product(OPERANDS, repeat=3)), ids=" ".join)
def test_two_operators_in_one_loop_round_as_each_does(
    pair: str, shapes: tuple[str, str, str]
) -> None:
    expr, numpys = PAIRS[pair]
    arrays = [floats(OPERANDS[shape], i) for i, shape in enumerate(shapes)]
    with np.errstate(all="ignore"):  # roots of negative numbers
        expected = numpys(*arrays)
    np.testing.assert_array_equal(evaluate(expr, *arrays), expected)


@pytest.mark.parametrize("shape", OPERANDS.values(), ids=str)
def test_the_exponential_of_a_difference_is_that_of_its_result(shape: tuple[int, ...]) -> None:
    x, a = floats((3, 700), 1), floats(shape, 2)
    made = evaluate(e.Exp(_1 - _2), x, a)
    np.testing.assert_array_equal(made, evaluate(e.Exp(_1), x - a))
    np.testing.assert_allclose(made, np.exp((x - a).astype(np.float64)), rtol=1e-6)


def tanh_slope(x: e.Expr, y: e.Expr) -> e.Expr:
    """The derivative of Gelu by Tanh with two numbers of its own, with y in one place."""
    t = e.Tanh(0.8 * (x + 0.04 * (x * e.Square(x))))
    inner = 0.8 * (1 + 0.04 * (e.Square(y) + x * (2 * x)))
    return (1 + t) * 0.5 + 0.5 * x * ((1 - e.Square(t)) * inner)


def erf_slope(x: e.Expr, y: e.Expr) -> e.Expr:
    """The derivative of Gelu by Erf with two numbers of its own, with y in one place."""
    inner = 1.1 * e.Exp(-e.Square(0.7 * y)) * 0.7
    return (1 + e.Erf(0.7 * x)) * 0.5 + 0.5 * x * inner


def density(x: Array) -> Array:
    return evaluate(e.Exp(_1), -((F(0.7) * x) * (F(0.7) * x)))


GATES = {
    "swish": (_1 * e.Sigmoid(_1), e.Sigmoid(_1), lambda x: x, lambda x, y: x * y),
    "gelu": (
        e.Const(0.5)
        * _1
        * (e.Const(1.0) + e.Tanh(e.Const(0.8) * (_1 + 0.04 * (_1 * e.Square(_1))))),
        e.Tanh(_1),
        lambda x: F(0.8) * (x + F(0.04) * (x * (x * x))),
        lambda x, y: F(0.5) * x * (F(1) + y),
    ),
    "gelu by erf": (
        (e.Erf(_1 * 0.7) + 1.0) * (_1 * 0.5),
        e.Erf(_1),
        lambda x: F(0.7) * x,
        lambda x, y: F(0.5) * x * (F(1) + y),
    ),
    "slope of gelu": (
        tanh_slope(_1, _1),
        e.Tanh(_1),
        lambda x: F(0.8) * (x + F(0.04) * (x * (x * x))),
        lambda x, t: (
            (F(1) + t) * F(0.5)
            + F(0.5) * x * ((F(1) - t * t) * (F(0.8) * (F(1) + F(0.04) * (x * x + x * (F(2) * x)))))
        ),
    ),
    "slope of gelu by erf": (
        erf_slope(_1, _1),
        e.Erf(_1),
        lambda x: F(0.7) * x,
        lambda x, y: (F(1) + y) * F(0.5) + F(0.5) * x * (F(1.1) * density(x) * F(0.7)),
    ),
}
"""What is one loop with a gate: whole; the gate's function, its argument, and the rest."""


@pytest.mark.parametrize("count", [1, 15, 16, 255, 257, 3000])
@pytest.mark.parametrize("name", GATES)
def test_gates_in_one_loop_round_as_each_operator_does(name: str, count: int) -> None:
    whole, function, argument, product = GATES[name]
    x = np.resize(np.concatenate([EDGES, 6 * floats(3000, 1)]), count)
    y = evaluate(function, argument(x))
    np.testing.assert_array_equal(evaluate(whole, x), product(x, y))


NEARLY = {
    "swish": (_1 * e.Sigmoid(_2), lambda x, y: x * evaluate(e.Sigmoid(_1), y)),
    "gelu": (
        e.Const(0.5)
        * _1
        * (e.Const(1.0) + e.Tanh(e.Const(0.8) * (_1 + 0.04 * (_1 * e.Square(_2))))),
        lambda x, y: (
            F(0.5) * x * (F(1) + evaluate(e.Tanh(_1), F(0.8) * (x + F(0.04) * (x * (y * y)))))
        ),
    ),
    "gelu by erf": (
        (e.Erf(_2 * 0.7) + 1.0) * (_1 * 0.5),
        lambda x, y: F(0.5) * x * (F(1) + evaluate(e.Erf(_1), F(0.7) * y)),
    ),
    "slope of gelu": (
        tanh_slope(_1, _2),
        lambda x, y: (
            lambda t: (
                (F(1) + t) * F(0.5)
                + F(0.5)
                * x
                * ((F(1) - t * t) * (F(0.8) * (F(1) + F(0.04) * (y * y + x * (F(2) * x)))))
            )
        )(evaluate(e.Tanh(_1), F(0.8) * (x + F(0.04) * (x * (x * x))))),
    ),
    "slope of gelu by erf": (
        erf_slope(_1, _2),
        lambda x, y: (
            (F(1) + evaluate(e.Erf(_1), F(0.7) * x)) * F(0.5)
            + F(0.5) * x * (F(1.1) * density(y) * F(0.7))
        ),
    ),
}
"""What has another operand in one place, and what it is, by one operator at a time."""


@pytest.mark.parametrize("name", NEARLY)
def test_gates_of_another_operand_are_not_taken_for_one_of_x(name: str) -> None:
    whole, apart = NEARLY[name]
    x, y = floats(3000, 1), floats(3000, 2)
    np.testing.assert_array_equal(evaluate(whole, x, y), apart(x, y))


@pytest.mark.parametrize("type", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize("zero", [None, 3.0, -200.0])
@pytest.mark.parametrize("count", [1, 31, 64, 3001])
def test_quantization_in_one_loop(type: str, zero: float | None, count: int) -> None:
    dtype, scale = np.dtype(type), np.float32(0.3)
    x = np.resize(
        np.concatenate([EDGES, np.arange(-9, 9, dtype=F) * F(0.15), 99 * floats(3000, 2)]), count
    )
    rounded = e.NearbyInt(_1 / _2)
    given = [x, np.array(scale)]
    want = np.rint(x / scale)
    if zero is not None:
        rounded, want = rounded + _3, want + F(zero)
        given.append(np.array(zero, np.float32))
    limits = np.iinfo(dtype)
    want = np.clip(np.where(np.isnan(want), 0, want), limits.min, limits.max).astype(dtype)
    np.testing.assert_array_equal(evaluate(e.Cast(rounded, TYPES[dtype]), *given), want)


def test_what_only_a_joined_loop_used_is_kept_where_others_use_it() -> None:
    x, scale = floats(1000, 3), np.array(0.3, np.float32)
    rig = Rig()
    t, s = rig.tensor(x), rig.tensor(scale)
    cast = e.Cast(e.NearbyInt(_1 / _2), poplar.SIGNED_CHAR)
    q = popops.map(rig.graph, cast, [t, s], rig.prog)
    both = popops.map(rig.graph, (_1 / _2) + e.NearbyInt(_1 / _2), [t, s], rig.prog)
    names = rig.result(q), rig.result(both)
    results = rig.run()
    np.testing.assert_array_equal(results[names[0]], np.rint(x / scale).astype(np.int8))
    np.testing.assert_array_equal(results[names[1]], x / scale + np.rint(x / scale))


def test_three_shapes_are_matched_together():
    a, b, c = floats((4, 1, 1), 1), floats((5, 1), 2), floats((6,), 3)
    np.testing.assert_array_equal(evaluate(_1 + _2 * _3, a, b, c), a + b * c, strict=True)


def test_tensors_that_no_placeholder_names_count_for_nothing():
    y = evaluate(_1 + _3, floats(3), floats((7, 9)), floats(3))
    assert y.shape == (3,)


# ---- Random programs over random views ----

UNARY = {
    e.Neg: np.negative,
    e.Abs: np.abs,
    e.Square: np.square,
    e.Floor: np.floor,
    e.Relu: lambda x: np.where(x <= 0, np.float32(0), x),
}
BINARY = {e.Add: np.add, e.Sub: np.subtract, e.Mul: np.multiply, e.Max: np.maximum}
BINARY |= {e.Min: np.minimum, e.Divide: np.divide}
COMPARE = {e.Lt: np.less, e.Lte: np.less_equal, e.Gt: np.greater, e.Gte: np.greater_equal}


def random_expression(rng, leaves, depth):
    """An expression and its values, from (expression, array) pairs for the leaves."""
    if depth == 0 or rng.random() < 0.1:
        if rng.random() < 0.2:
            value = float(np.float32(rng.normal()))
            return e.Const(value), np.float32(value)
        return leaves[rng.integers(len(leaves))]
    kind = rng.integers(3)
    args = [random_expression(rng, leaves, depth - 1) for _ in range(2 + 2 * (kind == 2))]
    if kind == 0:
        node, function = list(UNARY.items())[rng.integers(len(UNARY))]
        return node(args[0][0]), function(args[0][1])
    if kind == 1:
        node, function = list(BINARY.items())[rng.integers(len(BINARY))]
        return node(args[0][0], args[1][0]), function(args[0][1], args[1][1])
    node, function = list(COMPARE.items())[rng.integers(len(COMPARE))]
    (a, x), (b, y), (c, u), (d, v) = args
    return e.Select(a, b, node(c, d)), np.where(function(u, v), x, y)


def random_view(rng, rig, shape):
    """A tensor of `shape`, or that broadcasts to it, and its values; none overlap."""
    shape = [1 if rng.random() < 0.15 else n for n in shape][rng.integers(2) * rng.integers(3) :]
    order = rng.permutation(len(shape)) if rng.random() < 0.5 else np.arange(len(shape))
    stored = [shape[d] for d in order]
    steps = [int(rng.integers(1, 4)) if rng.random() < 0.2 else 1 for _ in stored]
    starts = [int(rng.integers(0, 3)) if rng.random() < 0.3 else 0 for _ in stored]
    values = floats([a + n * s for a, n, s in zip(starts, stored, steps, strict=True)], rng)
    t = rig.tensor(values)
    for d, (a, n, s) in enumerate(zip(starts, stored, steps, strict=True)):
        t = t.slice(a, a + n * s, d).subSample(s, d)
        values = values[(slice(None),) * d + (slice(a, a + n * s, s),)]
        if rng.random() < 0.15:
            t, values = t.reverse(d), np.flip(values, d)
    back = np.argsort(order)
    return t.dimShuffle([int(d) for d in back]), values.transpose(back)


SHAPES = [(7,), (3000,), (40, 50), (5, 6, 7), (2, 3, 100, 20), (130, 3, 70), (1, 1), (70, 70)]


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_over_random_views(seed):
    rng = np.random.default_rng(seed)
    rig = Rig(threads=int(rng.integers(1, 4)))
    wanted = {}
    for _ in range(4):
        shape = SHAPES[rng.integers(len(SHAPES))]
        views = [random_view(rng, rig, shape) for _ in range(3)]
        leaves = [(e.PlaceHolder(i + 1), v) for i, (_, v) in enumerate(views)]
        expr, values = random_expression(rng, leaves, 4)
        tensors = [t for t, _ in views]
        if values.ndim == 0:
            continue
        full = tuple(views[0][1].shape) == shape == values.shape
        if full and rng.random() < 0.5:
            popops.mapInPlace(rig.graph, expr, tensors, rig.prog)
            result = tensors[0]
        else:
            result = popops.map(rig.graph, expr, tensors, rig.prog)
        wanted[rig.result(result)] = (expr, values)
    results = rig.run()
    for name, (expr, values) in wanted.items():
        np.testing.assert_array_equal(results[name], values, err_msg=repr(expr))


# ---- In place ----


def in_place(expr, values, view, *others):
    """`mapInPlace` on `view` of a variable; gives all of the variable."""
    rig = Rig()
    t = rig.tensor(values)
    popops.mapInPlace(rig.graph, expr, [view(t), *map(rig.tensor, others)], rig.prog)
    name = rig.result(t)
    return rig.run()[name]


def test_an_input_may_be_read_in_several_places_and_overwritten():
    x = floats((50, 60))
    expr = e.Select(_1 * _1, _1 + 1, _1 < e.Max(_1 * 0.5, 0.1)) - _1
    y = in_place(expr, x, lambda t: t)
    want = np.where(x < np.maximum(x * np.float32(0.5), np.float32(0.1)), x * x, x + 1) - x
    np.testing.assert_array_equal(y, want)


def test_a_strided_view_is_overwritten_and_nothing_beside_it():
    x, b = floats((40, 50)), floats((20, 30), 1)
    y = in_place(_1 * 2 + _2, x, lambda t: t.slice(5, 35, 1).slice(0, 20, 0), b)
    x[:20, 5:35] = x[:20, 5:35] * 2 + b
    np.testing.assert_array_equal(y, x)


def test_a_transposed_view_with_an_operand_that_is_not():
    x, b = floats((130, 70)), floats((70, 130), 1)
    y = in_place(_1 - _2, x, lambda t: t.transpose(), b)
    np.testing.assert_array_equal(y, (x.T - b).T)


def test_pieces_of_several_variables_are_overwritten():
    a, b = floats((3, 4)), floats((5, 4), 1)
    rig = Rig()
    s, t = rig.tensor(a), rig.tensor(b)
    popops.negInPlace(rig.graph, poplar.concat([s, t.slice(1, 3, 0)], 0), rig.prog)
    names = [rig.result(s), rig.result(t)]
    results = rig.run()
    b[1:3] = -b[1:3]
    np.testing.assert_array_equal(results[names[0]], -a)
    np.testing.assert_array_equal(results[names[1]], b)


def test_what_is_overwritten_elsewhere_is_read_as_it_was():
    x = floats(5000)
    rig = Rig(threads=2)
    t = rig.tensor(x)
    popops.addInPlace(rig.graph, t.slice(1, 5000, 0), t.slice(0, 4999, 0), rig.prog)
    name = rig.result(t)
    want = x.copy()
    want[1:] += x[:-1]
    np.testing.assert_array_equal(rig.run()[name], want)


def test_a_tensor_divided_by_its_own_first_element():
    x = floats(3000)
    rig = Rig()
    t = rig.tensor(x)
    popops.divInPlace(rig.graph, t, t[0], rig.prog)
    name = rig.result(t)
    np.testing.assert_array_equal(rig.run()[name], x / x[0])


@pytest.mark.parametrize(("written", "read"), [((), (1,)), ((), (1, 1)), ((3, 4), (1, 1, 3, 4))])
def test_an_operand_may_have_leading_dimensions_of_one(written, read):
    x, y = floats(written, 1), floats(read, 2)
    np.testing.assert_array_equal(
        in_place(_1 - _2, x, lambda t: t, y), x - y.reshape(written), strict=True
    )


def test_the_same_view_as_both_operands():
    x = floats((20, 30))
    rig = Rig()
    t = rig.tensor(x)
    popops.mulInPlace(rig.graph, t.transpose(), t.dimShuffle([1, 0]), rig.prog)
    name = rig.result(t)
    np.testing.assert_array_equal(rig.run()[name], x * x)


def test_several_results_read_what_was_there_before():
    x, y = floats((30, 40)), floats((30, 40), 1)
    rig = Rig()
    s, t = rig.tensor(x), rig.tensor(y)
    popops.mapInPlace(rig.graph, [_2, _1], [s, t], rig.prog)
    popops.mapInPlace(rig.graph, [_1 + _2, _1 - _2], [s, t.transpose().transpose()], rig.prog)
    names = [rig.result(s), rig.result(t)]
    results = rig.run()
    np.testing.assert_array_equal(results[names[0]], y + x)
    np.testing.assert_array_equal(results[names[1]], y - x)


def test_several_new_tensors_and_several_written_ones():
    x, y = floats((3, 4)), floats(4, 1)
    rig = Rig()
    s, t, u = rig.tensor(x), rig.tensor(y), rig.tensor(np.zeros((4, 3), np.float32))
    new = popops.map(rig.graph, [_1 + _2, _1 < _2], [s, t], rig.prog)
    popops.mapWithOutput(rig.graph, _1 * _2, [s, t], u.transpose(), rig.prog)
    popops.subWithOutput(rig.graph, 1, new[0], s, rig.prog)
    names = [rig.result(v) for v in (*new, u, s)]
    results = rig.run()
    for name, want in zip(names, (x + y, x < y, (x * y).T, 1 - (x + y)), strict=True):
        np.testing.assert_array_equal(results[name], want)


def test_a_constant_or_an_operand_alone_can_be_stored():
    x = floats((3, 4))
    rig = Rig()
    s, t = rig.tensor(x), rig.tensor(floats(4, 1))
    names = [rig.result(popops.map(rig.graph, _1, [s], rig.prog))]
    names.append(rig.result(popops.map(rig.graph, e.Cast(_1, poplar.HALF), [s], rig.prog)))
    popops.mapInPlace(rig.graph, 2.5, [t], rig.prog)
    names.append(rig.result(t))
    results = rig.run()
    for name, want in zip(names, (x, x.astype(np.float16), np.full(4, 2.5)), strict=True):
        np.testing.assert_array_equal(results[name], want)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            lambda g, f, i, p: popops.mapInPlace(g, _1 < _2, [f, f], p, "where"),
            "popops::mapInPlace 'where': the result has type bool, the tensor to be written float",
        ),
        (
            lambda g, f, i, p: popops.addInPlace(g, f.slice(0, 1, 0), f, p),
            "popops::mapInPlace: tensor _2 has shape [3,4], the tensor to be written [1,4]",
        ),
        (
            lambda g, f, i, p: popops.mapInPlace(g, [_1, _2, _1], [f, f], p),
            "popops::mapInPlace: 3 expressions for 2 tensors to be written",
        ),
        (
            lambda g, f, i, p: popops.mapInPlace(g, [_1, _2], [f, f.slice(0, 3, 0)], p),
            "popops::mapInPlace: two of the tensors to be written overlap",
        ),
        (
            lambda g, f, i, p: popops.add(g, f, i, p),
            "popops::map: Add(_1, _2): operands have types float and int; they must have one type, "
            "so Cast one of them",
        ),
    ],
)
def test_errors_say_what_was_given_and_expected(run, message):
    rig = Rig()
    f, i = rig.tensor(floats((3, 4))), rig.tensor(np.zeros(4, np.int32))
    with pytest.raises(errors.poplibs_exception) as info:
        run(rig.graph, f, i, rig.prog)
    assert str(info.value) == message


def test_a_broadcast_view_is_not_written():
    rig = Rig()
    t = rig.tensor(floats((1, 4))).broadcast(3, 0)
    with pytest.raises(errors.poplar_exception, match="cannot be written"):
        popops.negInPlace(rig.graph, t, rig.prog)


# ---- Named functions ----


def test_named_functions_with_tensors_and_numbers():
    x, y, c = floats((3, 4)), floats(4, 1), np.array([True, False, True, False])
    rig = Rig()
    g, p = rig.graph, rig.prog
    s, t, u = rig.tensor(x), rig.tensor(y), rig.tensor(c)
    wanted = {
        popops.add: (x + y, (s, t)),
        popops.sub: (2 - x, (2, s)),
        popops.mul: (x * np.float32(0.1), (s, 0.1)),
        popops.div: (1 / x, (1.0, s)),
        popops.max: (np.maximum(x, 0), (s, 0)),
        popops.lt: (x < y, (s, t)),
        popops.neq: (x != 1, (s, 1)),
        popops.neg: (-x, (s,)),
        popops.square: (x * x, (s,)),
        popops.isFinite: (np.isfinite(x), (s,)),
        popops.logicalNot: (~c, (u,)),
        popops.select: (np.where(c, x, y), (s, t, u)),
        popops.clamp: (np.minimum(np.maximum(x, y - 1), y + 1), None),
    }
    names = {}
    for function, (_, args) in wanted.items():
        if function is popops.clamp:
            args = (s, popops.sub(g, t, 1, p), popops.add(g, t, 1, p))
        names[function] = rig.result(function(g, *args, p, "name", {}))
    results = rig.run()
    for function, (want, _) in wanted.items():
        np.testing.assert_array_equal(results[names[function]], want, err_msg=function.__name__)


def test_every_operator_has_its_three_functions():
    rows = {"GREATER_THAN_EQUAL": "gteq", "LESS_THAN": "lt", "EXPONENT": "exp", "SELECT": "select"}
    for name, suffix in itertools.product(rows.values(), ("", "InPlace", "WithOutput")):
        assert callable(getattr(popops, name + suffix))
    count = sum(len(t.__members__) for t in (e.UnaryOpType, e.BinaryOpType, e.TernaryOpType))
    others = {"mapWithOutput", "castWithOutput", "reduceWithOutput"}
    assert count == len({n for n in dir(popops) if n.endswith("WithOutput")} - others)


# ---- The layout of results ----


def test_a_result_is_laid_out_as_the_operand_on_the_most_tiles():
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 4, "ipu2"))
    prog = poplar.program.Sequence()
    packed, spread = (graph.addVariable(poplar.FLOAT, [8]) for _ in range(2))
    graph.setTileMapping(packed, 3)
    graph.setTileMapping(spread, [[(0, 4)], [(4, 8)]])
    y = popops.add(graph, packed, spread, prog)
    assert graph.getTileMapping(y) == graph.getTileMapping(spread)
    z = popops.add(graph, packed, y.slice(0, 1, 0), prog)
    assert graph.getTileMapping(z) == graph.getTileMapping(packed)


def test_a_result_of_broadcast_operands_alone_is_spread_evenly():
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 4, "ipu2"))
    column, row = graph.addVariable(poplar.FLOAT, [64, 1]), graph.addVariable(poplar.FLOAT, [1, 64])
    for t in (column, row):
        graph.setTileMapping(t, 0)
    y = popops.add(graph, column, row, poplar.program.Sequence())
    tiles = graph.getTileMapping(y)
    assert [sum(end - begin for begin, end in tile) for tile in tiles] == [1024] * 4


# ---- Threads and instruction sets ----


@pytest.mark.parametrize("shape", [(200_003,), (401, 499), (50, 64, 64)])
def test_results_do_not_depend_on_the_number_of_threads(shape):
    x, y = floats(shape, 1), floats(shape[-1], 2)
    expr = e.Tanh(0.9 * _1) + e.Sigmoid(_1 * _2) - e.Select(_2, e.Exp(_1), _1 < _2)
    one = evaluate(expr, x, y, threads=1)
    for threads in (2, 3):
        np.testing.assert_array_equal(evaluate(expr, x, y, threads=threads), one)


@pytest.mark.parametrize("begin", [0, 3])
def test_results_larger_than_the_caches(begin):
    x = floats((8 << 20) + 5)
    alpha = np.float32(0.1)
    wanted = {
        e.Select(0.1 * _1, _1, _1 < 0): np.where(x < 0, alpha * x, x),
        e.Mul(e.Select(0.1, 1, _1 < 0), _1): np.where(x < 0, alpha, np.float32(1)) * x,
        e.Select(_1, 0, _1 > 1) + 2: np.where(x > 1, x, np.float32(0)) + np.float32(2),
        3 - _1: np.float32(3) - x,
    }
    for expr, want in wanted.items():
        rig = Rig(threads=2)
        out = rig.tensor(np.zeros(x.size + 4, np.float32))
        part = out.slice(begin, begin + x.size, 0)
        popops.mapWithOutput(rig.graph, expr, [rig.tensor(x)], part, rig.prog)
        name = rig.result(out)
        result = rig.run()[name]
        np.testing.assert_array_equal(result[begin : begin + x.size], want)
        assert not result[:begin].any()
        assert not result[begin + x.size :].any()


def digest_of(isa):
    script = Path(__file__).with_name("isa_digest.py")
    env = {**os.environ, "POPIR_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def test_every_instruction_set_gives_the_same_bits():
    base = digest_of("base")
    assert len(base) > 300
    for isa in ("avx2", "avx512"):
        assert digest_of(isa) == base


def test_an_unknown_instruction_set_is_refused():
    code = "from popir import _device; from tests.popops.rig import evaluate; import numpy as np\n"
    code += "from popir import popops; evaluate(popops.expr._1 + 1, np.ones(3, np.float32))"
    env = {**os.environ, "POPIR_ISA": "mmx", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert run.returncode != 0
    assert "POPIR_ISA is 'mmx'; set it to base, avx2 or avx512" in run.stderr
