"""Expressions over all types: values against numpy, in wider types where rounding matters."""

import math
import operator

import ml_dtypes
import numpy as np
import pytest

from popir import popops
from popir.poplar import INT
from tests.popops.rig import Rig, evaluate
from tests.popops.values import (
    ALL,
    FLOATS,
    INTS,
    NUMBERS,
    assert_same,
    name_of,
    samples,
    ulps,
    wide,
)

e = popops.expr
_1, _2, _3 = e._1, e._2, e._3

erf = np.vectorize(math.erf, otypes=[np.float64])


# Oracles meet NaN and infinities on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


# ---- Operators of floating types that are exact or rounded once ----


def half_away(x):
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), np.copysign(whole, x))


EXACT_UNARY = {
    "Abs": np.abs,
    "Ceil": np.ceil,
    "Floor": np.floor,
    "Inv": lambda x: 1 / x,
    "NearbyInt": np.rint,
    "Neg": np.negative,
    "Relu": lambda x: np.where(x <= 0, 0, x),
    "Round": half_away,
    "Signum": lambda x: np.where(x > 0, 1.0, np.where(x < 0, -1.0, 0.0)),
    "Sqrt": np.sqrt,
    "Square": np.square,
    "Trunc": np.trunc,
}


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("node", EXACT_UNARY)
def test_a_function_rounded_once(node, dtype):
    x = samples(dtype)
    y = evaluate(getattr(e, node)(_1), x)
    # Rounding twice, over float, is what popir does for 16 bits; it is the same here.
    inner = x if x.dtype in (np.float32, np.float64) else x.astype(np.float32)
    want = EXACT_UNARY[node](inner).astype(dtype)
    assert_same(y, want)


# Largest errors in ulps, for float; for 16 bits all are rounded from float. `domain` is sampled
# densely beside samples().
FUNCTIONS = {
    "Asin": (np.arcsin, 1.1, (-1, 1)),
    "Cbrt": (np.cbrt, 0.51, (-9, 9)),
    "Cos": (np.cos, 0.51, (-50, 50)),
    "Erf": (erf, 1.0, (-4, 4)),
    "Exp": (np.exp, 1.05, (-104, 89)),
    "Exp2": (np.exp2, 1.0, (-150, 128)),
    "Expm1": (np.expm1, 1.6, (-3, 3)),
    "Log": (np.log, 0.9, (0, 3)),
    "Log1p": (np.log1p, 0.51, (-1, 3)),
    "Rsqrt": (lambda x: 1 / np.sqrt(x), 1.5, (0, 4)),
    "Sigmoid": (lambda x: np.where(x < 0, np.exp(x), 1) / (1 + np.exp(-np.abs(x))), 2.4, (-90, 90)),
    "Sin": (np.sin, 0.51, (-50, 50)),
    "Tan": (np.tan, 0.51, (-50, 50)),
    "Tanh": (np.tanh, 2.4, (-10, 10)),
}
# Of double, what is not libm's.
DOUBLES = {"Cos": 0.54, "Exp": 0.95, "Sigmoid": 2.1, "Sin": 0.54, "Tanh": 2.4}


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("node", FUNCTIONS)
def test_a_function_within_its_bound(node, dtype):
    function, bound, (low, high) = FUNCTIONS[node]
    dense = np.linspace(low, high, 20011).astype(dtype)
    x = np.concatenate([samples(dtype, 20011), dense])
    y = evaluate(getattr(e, node)(_1), x)
    exact = function(wide(x))
    if dtype == np.float16 or dtype == ml_dtypes.bfloat16:
        bound = 0.5 + bound * 2.0**-8
    elif dtype == np.float64:
        bound = DOUBLES.get(node, 3.0)  # libm's, and the step that rsqrt adds
    error = ulps(y, exact)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, (x[worst], y[worst], exact[worst])
    np.testing.assert_array_equal(np.signbit(y[y == 0]), np.signbit(exact[y == 0]))


@pytest.mark.parametrize("node", DOUBLES)
def test_doubles_where_a_reduction_is_hard(node):
    rng = np.random.default_rng(3)
    turns = rng.integers(1, 954_929, 4001) * (np.pi / 2)  # up to 1.5e6, where libm begins
    x = np.concatenate(
        [
            *(turns, -turns, np.nextafter(turns, 0), rng.uniform(-1.5e6, 1.5e6, 9001)),
            *(rng.uniform(-750, 712, 9001), rng.uniform(-1, 1, 9001)),
            *(10.0 ** rng.uniform(-320, -1, 4001), -(10.0 ** rng.uniform(1, 308, 4001))),
            np.log(2) * rng.integers(-1074, 1024, 4001),
            [1.5e6, np.nextafter(1.5e6, 2e6), -1.5e6, 709.782712893384, 709.7827128933841],
            [-745.1332191019411, -745.1332191019412, -708.3964185322641, 5e-324, -5e-324],
            [np.inf, -np.inf, np.nan, 0.0, -0.0, np.finfo(float).max, -np.finfo(float).max],
        ]
    )
    y = evaluate(getattr(e, node)(_1), x)
    exact = FUNCTIONS[node][0](wide(x))
    error = ulps(y, exact)
    worst = int(np.argmax(error))
    assert error[worst] <= DOUBLES[node], (x[worst], y[worst], exact[worst])
    np.testing.assert_array_equal(np.signbit(y[y == 0]), np.signbit(exact[y == 0]))


HALVES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
ONE = ["Abs", "Exp", "Inv", "Neg", "Relu", "Sigmoid", "Sqrt", "Square", "Tanh"]
TWO = ["Add", "Divide", "Max", "Min", "Mul", "Sub"]


@pytest.mark.parametrize("dtype", HALVES, ids=name_of)
@pytest.mark.parametrize("node", [*ONE, "Swish"])
def test_every_half_is_rounded_once_from_what_float_gives(node, dtype):
    """One loop widens, computes and rounds."""
    x = np.arange(2**16, dtype=np.uint16).view(dtype)
    tree = e.Mul(_1, e.Sigmoid(_1)) if node == "Swish" else getattr(e, node)(_1)
    assert_same(evaluate(tree, x), evaluate(tree, x.astype(np.float32)).astype(dtype))


@pytest.mark.parametrize("dtype", HALVES, ids=name_of)
@pytest.mark.parametrize("node", TWO)
def test_two_halves_are_rounded_once_from_what_float_gives(node, dtype):
    tree = getattr(e, node)(_1, _2)
    values = samples(dtype, 3011)
    for count in (*range(1, 40), 3011):
        x, y = values[:count], np.roll(values, 7)[:count]
        for with_number in (getattr(e, node)(_1, 3), getattr(e, node)(3, _1)):
            wanted = evaluate(with_number, x.astype(np.float32)).astype(dtype)
            assert_same(evaluate(with_number, x), wanted)
        for a, b in ((x, y), (x, y[-1:]), (x[-1:], y)):
            wanted = evaluate(tree, a.astype(np.float32), b.astype(np.float32)).astype(dtype)
            assert_same(evaluate(tree, a, b), wanted)


@pytest.mark.parametrize("dtype", HALVES, ids=name_of)
@pytest.mark.parametrize("begin", [0, 3])
def test_halves_larger_than_the_caches(begin, dtype):
    x = np.resize(samples(dtype, 40009), (13 << 20) + 5)
    rig = Rig()
    out = rig.tensor(np.zeros(x.size + 4, dtype))
    part = out.slice(begin, begin + x.size, 0)
    popops.mapWithOutput(rig.graph, e.Add(_1, _1), [rig.tensor(x)], part, rig.prog)
    name = rig.result(out)
    result = rig.run()[name]
    wide_sum = (x.astype(np.float32) * np.float32(2)).astype(dtype)
    assert_same(result[begin : begin + x.size], wide_sum)
    assert not result[:begin].any()
    assert not result[begin + x.size :].any()


def one_plus(sign, x):
    return e.Sub(1.0, x) if sign < 0 else e.Add(x, 1.0)


# Written with other functions; in float each is one.
COMPOSED = {
    "atan": (e.Atan2(_1, 1.0), np.arctan, (-9, 9)),
    "acos": (
        e.Atan2(e.Sqrt(e.Mul(one_plus(-1, _1), one_plus(1, _1))), _1),
        np.arccos,
        (-1.01, 1.01),
    ),
}


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("name", COMPOSED)
def test_functions_that_are_composed_of_others(name, dtype):
    expression, function, (low, high) = COMPOSED[name]
    dense = np.linspace(low, high, 20011).astype(dtype)
    edges = np.array([0, -0.0, 1, -1, 0.5, -0.5, 2, np.inf, -np.inf, np.nan]).astype(dtype)
    x = np.concatenate([samples(dtype, 20011), dense, edges])
    y = evaluate(expression, x)
    exact = function(wide(x))
    bound = {2: 0.51, 4: 1.3, 8: 2}[x.dtype.itemsize]
    error = ulps(y, exact)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, (x[worst], y[worst], exact[worst])
    np.testing.assert_array_equal(np.signbit(y[y == 0]), np.signbit(exact[y == 0]))


def test_nearly_an_arc_cosine_is_none():
    x = np.linspace(-0.9, 0.9, 1001).astype(np.float32)
    for inner, value in (
        (e.Mul(e.Sub(1.0, _1), e.Add(_1, 2.0)), (1 - x) * (x + 2)),
        (e.Mul(e.Sub(2.0, _1), e.Add(_1, 1.0)), (2 - x) * (x + 1)),
        (e.Mul(e.Sub(1.0, _1), e.Sub(1.0, _1)), (1 - x) * (1 - x)),
    ):
        y = evaluate(e.Atan2(e.Sqrt(inner), _1), x)
        np.testing.assert_allclose(y, np.arctan2(np.sqrt(value), x), rtol=1e-6)


@pytest.mark.parametrize("count", [1, 7, 8, 255, 256, 257, 1000])
@pytest.mark.parametrize("node", ["Sigmoid", "Tanh"])
def test_functions_in_stages_on_every_length(node, count):
    x = samples(np.float32, 4 * count + 64, 3)[:count]
    y = evaluate(getattr(e, node)(_1), x)
    each = np.array([evaluate(getattr(e, node)(_1), np.full(3, v, np.float32))[1] for v in x[:9]])
    np.testing.assert_array_equal(y[:9], each)
    exact = FUNCTIONS[node][0](wide(x))
    assert np.all(ulps(y, exact) <= FUNCTIONS[node][1])


@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 2.0**-23), (np.float64, 2.0**-52)])
def test_gelu_erf_is_accurate_to_the_last_place_of_its_argument(dtype, bound):
    x = np.linspace(-12, 12, 30011).astype(dtype)
    y = evaluate(e.GeluErf(_1), x)
    exact = 0.5 * x.astype(np.float64) * np.vectorize(math.erfc)(-x.astype(np.float64) / 2**0.5)
    assert np.all(np.abs(y - exact) <= 1.5 * bound * np.maximum(np.abs(x), 2.0**-20))


# ---- Two operands ----

ARITHMETIC = {"Add": operator.add, "Sub": operator.sub, "Mul": operator.mul}
COMPARE = {
    "Equal": operator.eq,
    "NotEqual": operator.ne,
    "Lt": operator.lt,
    "Lte": operator.le,
    "Gt": operator.gt,
    "Gte": operator.ge,
}


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("node", [*ARITHMETIC, "Divide", "Max", "Min", "Rem", "Atan2", "Pow"])
def test_two_floats(node, dtype):
    a, b = samples(dtype, seed=1), samples(dtype, seed=2)
    special = np.array([0.0, -0.0, 1, -1, 2, 3, -3, 0.5, np.inf, -np.inf, np.nan], np.float32)
    grid = [g.ravel().astype(dtype) for g in np.meshgrid(special, special)]
    a, b = np.concatenate([a, grid[0]]), np.concatenate([b, grid[1]])
    y = evaluate(getattr(e, node)(_1, _2), a, b)
    functions = {**ARITHMETIC, "Divide": np.divide, "Max": np.maximum, "Min": np.minimum}
    functions |= {"Rem": np.fmod, "Atan2": np.arctan2, "Pow": np.power}
    exact = functions[node](wide(a), wide(b))
    bound = {"Atan2": 0.51, "Pow": 0.51}.get(node, 0.5)
    if dtype == np.float64:
        bound = {"Atan2": 1.0, "Pow": 1.0}.get(node, 0.51)
    error = ulps(y, exact)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, (a[worst], b[worst], y[worst], exact[worst])


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
@pytest.mark.parametrize("count", [1, 8, 37, 4099])
def test_remainders_are_exact(count, far):
    rng = np.random.default_rng(count)
    x = (rng.standard_normal(count) * 10.0 ** rng.uniform(-3, 4, count)).astype(np.float32)
    y = (rng.standard_normal(count) * 10.0 ** rng.uniform(-3, 2, count)).astype(np.float32)
    x[::5] = np.round(y[::5] * 7, 4)
    if far:  # Among what is near enough for the fast way.
        special = [3e38, -np.inf, np.nan, -0.0, 1, 1e-45, -1e30, 5]
        x[::11] = np.resize(special, len(x[::11]))
        y[::7] = np.resize([np.inf, 0, 3, np.nan, -1e-40], len(y[::7]))
    assert_same(evaluate(e.Rem(_1, _2), x, y), np.fmod(x, y))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16], ids=name_of)
def test_quotients_of_all_small_integers(dtype):
    info = np.iinfo(dtype)
    some = np.unique(np.linspace(info.min, info.max, 513).astype(dtype))
    few = np.array([0, 1, 2, 3, 7, 10, info.max - 1, info.max, info.min, info.min + 1]).astype(
        dtype
    )
    a, b = (g.ravel() for g in np.meshgrid(some, np.concatenate([some[::8], few])))
    wide_a, wide_b = a.astype(np.int64), np.where(b == 0, 1, b).astype(np.int64)
    q = np.trunc(wide_a / wide_b).astype(np.int64) * (b != 0)
    assert_same(evaluate(e.Divide(_1, _2), a, b), q.astype(dtype))
    assert_same(evaluate(e.Rem(_1, _2), a, b), ((wide_a - q * wide_b) * (b != 0)).astype(dtype))


def test_quotients_of_integers_of_32_bits_near_multiples():
    rng = np.random.default_rng(0)
    b = rng.integers(1, 2**31, 5003) >> rng.integers(0, 31, 5003)
    b = np.where(b == 0, 3, b) * rng.choice([-1, 1], 5003)
    q = rng.integers(0, 2**31, 5003) // np.abs(b)
    a = np.clip(q * b + rng.integers(-1, 2, 5003), -(2**31), 2**31 - 1)
    a, b = a.astype(np.int32), b.astype(np.int32)
    exact = [
        abs(int(x)) // abs(int(y)) * (1 if (x < 0) == (y < 0) else -1)
        for x, y in zip(a, b, strict=True)
    ]
    assert_same(evaluate(e.Divide(_1, _2), a, b), np.array(exact, np.int32))
    assert_same(evaluate(e.Divide(_1, 7), a), np.trunc(a / 7.0).astype(np.int32))


@pytest.mark.parametrize("dtype", NUMBERS, ids=name_of)
def test_extrema_with_a_number_on_the_left(dtype):
    x = samples(dtype, 1013)
    assert_same(evaluate(e.Max(3, _1), x), np.maximum(dtype(3), x))
    assert_same(evaluate(e.Min(3, _1), x), np.minimum(dtype(3), x))


def test_bounds_in_either_order():
    x = np.concatenate([samples(np.float32, 997), np.float32([np.nan, -0.0, 0.0, np.inf])])
    for low, high in ((0, 1), (-2.5, -2.5), (3, 1)):
        a, b = np.float32(low), np.float32(high)
        inner = np.minimum(b, x)
        assert_same(evaluate(e.Max(low, e.Min(high, _1)), x), np.maximum(a, inner))
        assert_same(evaluate(e.Max(e.Min(_1, high), low), x), np.maximum(inner, a))
        assert_same(evaluate(e.Min(high, e.Max(low, _1)), x), np.minimum(b, np.maximum(a, x)))


@pytest.mark.parametrize("dtype", ALL, ids=name_of)
@pytest.mark.parametrize("node", COMPARE)
def test_comparisons(node, dtype):
    a, b = samples(dtype, seed=1), samples(dtype, seed=2)
    b[::3] = a[::3]
    y = evaluate(getattr(e, node)(_1, _2), a, b)
    assert_same(y, COMPARE[node](a, b))
    # A scalar on either side takes another loop.
    c = a[5]
    number = (
        bool(c) if dtype == np.bool_ else c.item() if np.dtype(dtype).kind in "iu" else float(c)
    )
    assert_same(evaluate(getattr(e, node)(_1, number), b), COMPARE[node](b, c))
    assert_same(evaluate(getattr(e, node)(number, _1), b), COMPARE[node](c, b))


@pytest.mark.parametrize("dtype", INTS, ids=name_of)
def test_integers_wrap_and_never_trap(dtype):
    a, b = samples(dtype, seed=1), samples(dtype, seed=2)
    info, width = np.iinfo(dtype), np.dtype(dtype).itemsize * 8
    b[5], a[5] = 0, info.min
    if info.min < 0:
        a[6], b[6] = info.min, -1
    exact_a, exact_b = a.astype(object), b.astype(object)

    def wrapped(values):
        return np.array([int(v) % 2**width for v in values], np.uint64).astype(dtype)

    def shift(x, s):
        return int(s) if 0 <= int(s) < width else width

    def quotient(x, y):
        return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    unsigned = a.astype(f"u{a.itemsize}").astype(object)
    pairs = list(zip(exact_a, exact_b, strict=True))
    want = {
        e.Add(_1, _2): exact_a + exact_b,
        e.Sub(_1, _2): exact_a - exact_b,
        e.Mul(_1, _2): exact_a * exact_b,
        e.Divide(_1, _2): [quotient(x, y) for x, y in pairs],
        e.Rem(_1, _2): [0 if y == 0 else x - y * quotient(x, y) for x, y in pairs],
        e.Max(_1, _2): np.maximum(a, b),
        e.Min(_1, _2): np.minimum(a, b),
        e.BitwiseAnd(_1, _2): a & b,
        e.BitwiseOr(_1, _2): a | b,
        e.BitwiseXor(_1, _2): a ^ b,
        e.BitwiseXnor(_1, _2): ~(a ^ b),
        e.BitwiseNot(_1): ~a,
        e.Shl(_1, _2): [x << shift(x, s) for x, s in pairs],
        e.Shr(_1, _2): [x >> shift(x, s) for x, s in zip(unsigned, exact_b, strict=True)],
        e.ShrSE(_1, _2): [x >> shift(x, s) for x, s in pairs],
        e.Neg(_1): -exact_a,
        e.Abs(_1): abs(exact_a),
        e.Square(_1): exact_a * exact_a,
        e.Signum(_1): np.sign(a),
        e.Relu(_1): np.maximum(a, dtype(0)),
        e.Popcount(_1): [bin(v).count("1") for v in unsigned],
        e.CountLeadingZeros(_1): [width - int(v).bit_length() for v in unsigned],
        e.Clamp(_1, 1, 7): np.clip(a, 1, 7),
    }
    rig = Rig()
    tensors = [rig.tensor(a), rig.tensor(b)]
    names = {x: rig.result(popops.map(rig.graph, x, tensors, rig.prog)) for x in want}
    results = rig.run()
    for x, values in want.items():
        np.testing.assert_array_equal(results[names[x]], wrapped(values), err_msg=repr(x))


@pytest.mark.parametrize("dtype", INTS, ids=name_of)
def test_integer_powers(dtype):
    a = samples(dtype, 300)
    b = np.resize(np.arange(-3 if np.iinfo(dtype).min < 0 else 0, 40), 300).astype(dtype)
    width = np.dtype(dtype).itemsize * 8
    a[:8] = [1, -1 if np.iinfo(dtype).min < 0 else 1] * 4
    b[:8] = (
        [*b[:3], *b[:3], *np.iinfo(dtype).min + np.arange(2)] if np.iinfo(dtype).min < 0 else b[:8]
    )
    want = [
        (int(x) ** (y % 2) if abs(int(x)) == 1 else 0) if y < 0 else pow(int(x), y, 2**width)
        for x, y in zip(a, map(int, b), strict=True)
    ]
    want = [each % 2**width for each in want]
    y = evaluate(e.Pow(_1, _2), a, b)
    np.testing.assert_array_equal(y, np.array(want, np.uint64).astype(dtype))


def test_booleans():
    a, b = samples(np.bool_, seed=1), samples(np.bool_, seed=2)
    want = {
        e.And(_1, _2): a & b,
        e.Or(_1, _2): a | b,
        e.Not(_1): ~a,
        e.BitwiseAnd(_1, _2): a & b,
        e.BitwiseOr(_1, _2): a | b,
        e.BitwiseXor(_1, _2): a ^ b,
        e.BitwiseXnor(_1, _2): a == b,
        e.BitwiseNot(_1): ~a,
        e.Add(_1, _2): a | b,
        e.Mul(_1, _2): a & b,
        e.Sub(_1, _2): a ^ b,
        e.Max(_1, _2): a | b,
        e.Min(_1, _2): a & b,
        e.Select(_1, _2, e.Lt(_1, _2)): np.where(a < b, a, b),
    }
    for x, values in want.items():
        assert_same(evaluate(x, a, b), values)


@pytest.mark.parametrize("dtype", NUMBERS, ids=name_of)
def test_logical_operators_ask_whether_a_number_is_zero(dtype):
    a, b = samples(dtype, seed=1), samples(dtype, seed=2)
    assert_same(evaluate(e.And(_1, _2), a, b), (a != 0) & (b != 0))
    assert_same(evaluate(e.Or(_1, _2), a, b), (a != 0) | (b != 0))
    assert_same(evaluate(e.Not(_1), a), a == 0)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
def test_questions_about_floats(dtype):
    x = samples(dtype)
    assert_same(evaluate(e.IsFinite(_1), x), np.isfinite(x))
    assert_same(evaluate(e.IsInf(_1), x), np.isinf(x))
    assert_same(evaluate(e.IsNaN(_1), x), np.isnan(x))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_variance_and_inverse_standard_deviation(dtype):
    v, eps = np.abs(samples(dtype, seed=3)), dtype(1e-3)
    want = 1 / np.sqrt(v + eps)
    assert_same(evaluate(e.VarianceToInvStdDev(_1, 1e-3), v), want)
    assert_same(evaluate(e.InvStdDevToVariance(_1, 1e-3), v), 1 / (v * v) - eps)


@pytest.mark.parametrize("dtype", ALL, ids=name_of)
def test_select_moves_bits(dtype):
    a, b, c = samples(dtype, seed=1), samples(dtype, seed=2), samples(np.bool_, seed=3)
    y = evaluate(e.Select(_1, _2, _3), a, b, c)
    raw = f"u{a.itemsize}"
    np.testing.assert_array_equal(y.view(raw), np.where(c, a.view(raw), b.view(raw)))


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
def test_clamp(dtype):
    x = samples(dtype)
    low, high = samples(dtype, seed=5), samples(dtype, seed=6)

    def clamp(x, low, high):
        y = np.where(x < low, low, x)
        return np.where(y > high, high, y)

    assert_same(evaluate(e.Clamp(_1, -1, 2), x), clamp(x, dtype(-1), dtype(2)))
    assert_same(evaluate(e.Clamp(_1, _2, _3), x, low, high), clamp(x, low, high))


def test_leaky_relu_and_its_gradient_to_the_bit():
    x, g = samples(np.float32, 9973, 1), samples(np.float32, 9973, 2)
    alpha = np.float32(0.1)
    assert_same(
        evaluate(e.Select(e.Mul(e.Const(0.1), _1), _1, e.Lt(_1, e.Const(0.0))), x),
        np.where(x < 0, alpha * x, x),
    )
    gradient = e.Mul(e.Select(e.Const(0.1), e.Const(1.0), e.Lt(_2, e.Const(0.0))), _1)
    assert_same(evaluate(gradient, g, x), np.where(x < 0, alpha, np.float32(1)) * g)


def test_fused_selects_keep_what_comparison_and_nan_mean():
    a, b, x, y = (samples(np.float32, 997, s) for s in range(4))
    y[::3] = x[::3]
    for node, compare in COMPARE.items():
        test = getattr(e, node)
        want = compare(x, y)
        assert_same(evaluate(e.Select(_1, _2, test(_3, e._4)), a, b, x, y), np.where(want, a, b))
        want = compare(x, np.float32(0.5))
        assert_same(evaluate(e.Select(_1, _2, test(_3, 0.5)), a, b, x), np.where(want, a, b))
        assert_same(
            evaluate(e.Select(_1, 7, test(_2, 0.5)), a, x), np.where(want, a, np.float32(7))
        )
        ints = a.view(np.int32)
        assert_same(
            evaluate(e.Select(_1, 7, test(_2, 0.5)), ints, x), np.where(want, ints, np.int32(7))
        )


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("end", [0, 1, -2])
@pytest.mark.parametrize("size", [-3, 0, 4])
def test_row_numbers_of_any_size(size, end, dtype):
    """A form that is one loop: indices from either end, and the least number for one of no row."""
    x = np.array([5, -1, 0, -4, 3, 2**31 - 1, -(2**31)], dtype)
    least = e.Const(-(2**31))
    from_end = e.Select(e.Add(_1, e.Const(end)), _1, e.Lt(_1, e.Const(0)))
    number = from_end if dtype is np.int32 else e.Cast(from_end, INT)
    inside = e.And(e.Gte(from_end, e.Const(0)), e.Lt(from_end, e.Const(size)))
    with np.errstate(over="ignore"):
        counted = np.where(x < 0, x + dtype(end), x)
    known = np.where((counted >= 0) & (counted < size), counted, -(2**31)).astype(np.int32)
    np.testing.assert_array_equal(evaluate(e.Select(number, least, inside), x), known)
