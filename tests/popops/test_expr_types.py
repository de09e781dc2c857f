"""Expressions: casts, constants, what is refused, and how Python builds them."""

import operator

import numpy as np
import pytest

from popir import errors, poplar, popops
from tests.popops.rig import evaluate
from tests.popops.values import ALL, assert_same, name_of, samples

e = popops.expr
_1, _2, _3 = e._1, e._2, e._3

# Oracles meet NaN and infinities on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


# ---- Casts and constants ----


def saturated(x, dtype):
    """Towards zero, kept to the range of an integer type; NaN is 0."""
    info = np.iinfo(dtype)
    values = [0 if np.isnan(v) else v for v in x.astype(np.float64)]
    return np.array(
        [min(max(int(v) if np.isfinite(v) else int(np.sign(v)) * 2**70, info.min), info.max)
         for v in values],
        dtype,
    )  # fmt: skip


@pytest.mark.parametrize("to", ALL, ids=name_of)
@pytest.mark.parametrize("start", ALL, ids=name_of)
def test_casts(start, to):
    x = samples(start)
    if np.dtype(start).kind not in "biu":
        edges = [2.0**k * s for k in (7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1)]
        edges = np.array(edges).astype(start)
        x = np.concatenate([x, edges, (samples(np.int32) / 1000).astype(start)])
    y = evaluate(e.Cast(_1, poplar.typeOf(to)), x)
    if np.dtype(to) == np.bool_:
        want = x != 0
    elif np.dtype(to).kind in "iu" and np.dtype(start).kind not in "biu":
        want = saturated(x, to)
    else:
        want = x.astype(to)
    assert_same(y, want)


def test_a_double_reaches_half_in_one_rounding():
    # Just above halfway between 1 and its neighbour: over float it would fall on halfway, and down.
    x = np.array([1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11, 1 + 3 * 2.0**-11 - 2.0**-40])
    y = evaluate(e.Cast(_1, poplar.HALF), x)
    assert_same(y, np.array([1 + 2.0**-10, 1, 1 + 2.0**-10], np.float16))


def test_a_half_expression_is_rounded_at_its_end_and_by_casts():
    x = np.array([2048.0, 3.0], np.float16)
    assert_same(evaluate((_1 + 1) - 1, x), x)  # 2049 is no half
    cast = e.Cast(_1 + 1, poplar.HALF) - 1
    assert_same(evaluate(cast, x), np.array([2047, 3], np.float16))


def test_constants_take_the_type_of_their_place():
    x = np.array([0.1, 1.0, 3.0])
    assert_same(evaluate(_1 + 0.1, x), x + 0.1)  # not a float's 0.1
    assert_same(evaluate(_1 + 0.1, x.astype(np.float32)), x.astype(np.float32) + np.float32(0.1))
    half = x.astype(np.float16)
    want = half.astype(np.float32) + np.float32(np.float16(0.1))
    assert_same(evaluate(_1 + 0.1, half), want.astype(np.float16))
    assert_same(evaluate(_1 * 3, np.array([2**40], np.int64)), np.array([3 * 2**40], np.int64))
    assert_same(evaluate(_1 + 2**63, np.array([1], np.uint64)), np.array([2**63 + 1], np.uint64))
    assert_same(evaluate(_1 & -1, np.array([7], np.uint32)), np.array([7], np.uint32))


def test_constants_alone_keep_the_type_they_were_made_with():
    x = np.array([1.0, -1.0], np.float16)
    choose = e.Select(2, 3, _1 < 0)
    assert evaluate(choose, x).dtype == np.int32
    assert evaluate(e.Select(2, 3.5, _1 < 0), x).dtype == np.float32
    # ... unless what stands around them has one, as in the gradient of LeakyRelu.
    assert_same(evaluate(e.Select(0.5, 1.0, _1 < 0) * _1, x), np.array([1, -0.5], np.float16))


# ---- Errors ----


def error_of(expr, *arrays):
    with pytest.raises(errors.poplibs_exception) as info:
        evaluate(expr, *arrays)
    return str(info.value)


def test_errors_say_which_operator_and_which_types():
    f, i, b = np.ones(3, np.float32), np.ones(3, np.int32), np.ones(3, bool)
    assert error_of(e.Neg(_1 + _2), f, i) == (
        "popops::map: Add(_1, _2): operands have types float and int; they must have one type, so "
        "Cast one of them (in Neg(Add(_1, _2)))"
    )
    assert error_of(e.Exp(_1), i) == (
        "popops::map: Exp(_1): there is no such operation on int, only on half, bfloat16, float, "
        "double"
    )
    assert "the condition has type float, expected bool" in error_of(e.Select(_1, _1, _1), f)
    assert "_2: there is no such tensor; 1 were given" in error_of(_1 + _2, f)
    assert "Const(0.5): the constant is used as int, which cannot hold it" in error_of(_1 + 0.5, i)
    assert "Const(300): the constant is used as bool" in error_of(_1 & 300, b)
    assert "uses no tensor" in error_of(e.Const(1), f)
    assert "shapes [3] and [4] do not match: dimension 0 is 3 and 4" in error_of(
        _1 + _2, f, np.ones(4, np.float32)
    )


def test_what_is_no_expression_is_refused():
    with pytest.raises(TypeError, match=r"an expression or a number is expected, not .*str"):
        e.Add(_1, "2")
    with pytest.raises(TypeError, match=r"Lt\(_1, Const\(3\)\) has no truth value.*expr.And"):
        bool(_1 < 3)
    with pytest.raises(TypeError, match=r"an expression or a number is expected, not .*ndarray"):
        e.Neg(np.ones(3))


# ---- Python's side ----


def test_operators_build_nodes():
    assert repr(-_1 + 2 * _2) == "Add(Neg(_1), Mul(Const(2), _2))"
    assert repr((~_1 & 3) | (_2 ^ _3)) == "BitwiseOr(BitwiseAnd(BitwiseNot(_1), Const(3)), " + (
        "BitwiseXor(_2, _3))"
    )
    assert repr((1.5 - _1) / _2 % 4) == "Rem(Divide(Sub(Const(1.5), _1), _2), Const(4))"
    assert repr(abs(_1) ** 2) == "Pow(Abs(_1), Const(2))"
    assert repr((_1 << 1) >> 2) == "Shr(Shl(_1, Const(1)), Const(2))"
    for symbol, node in {"lt": "Lt", "le": "Lte", "gt": "Gt", "ge": "Gte", "eq": "Equal"}.items():
        assert repr(getattr(operator, symbol)(_1, True)) == f"{node}(_1, Const(true))"
    assert repr(_1 != np.float32(0.1)) == "NotEqual(_1, Const(0.1))"
    assert repr(_1 + np.bool_(True)) == "Add(_1, Const(true))"


def test_trees_can_be_walked():
    tree = e.Select(e.Mul(0.1, _1), e.Neg(_2), e.Lt(_1, 0))
    assert tree.opType == e.TernaryOpType.SELECT
    scaled, negated, _ = tree.args
    assert scaled.opType == e.BinaryOpType.MULTIPLY
    assert negated.opType == e.UnaryOpType.NEGATE
    assert (scaled.args[0].value, scaled.args[1].index) == (0.1, 1)
    assert tree.deepEquals(e.Select(0.1 * _1, -_2, _1 < 0))
    assert not tree.deepEquals(e.Select(0.1 * _1, -_2, _1 < 1))
    assert not e.Const(1).deepEquals(e.Const(1.0))
