"""The operators of HLO that work element by element, as operators of ONNX."""

from __future__ import annotations

import numpy as np

from popir.foreign.xla import shapes
from popir.foreign.xla.instructions import At, Function, Operand, is_whole, operator
from popir.types import DataType

_SAME = {
    1: {
        "abs": "abs",
        "ceil": "ceil",
        "cosine": "cos",
        "erf": "erf",
        "exponential": "exp",
        "floor": "floor",
        "log": "log",
        "logistic": "sigmoid",
        "round-nearest-even": "round",
        "sign": "sign",
        "sine": "sin",
        "sqrt": "sqrt",
        "tan": "tan",
        "tanh": "tanh",
    },
    2: {"power": "pow", "subtract": "sub"},
}
"""The operators of ONNX that are the same, by the number of their operands."""


def _same(name: str) -> Function:
    return lambda at, *operands: getattr(at.on, name)([each.id for each in operands])


for _count, _names in _SAME.items():
    for _hlo, _onnx in _names.items():
        operator(_hlo, _count, elementwise=True)(_same(_onnx))


def _of_truths(name: str, otherwise: str) -> Function:
    def function(at: At, a: Operand, b: Operand) -> str:
        chosen = name if a.kind is DataType.BOOL else otherwise
        return getattr(at.on, chosen)([a.id, b.id])

    return function


for _hlo, _truths, _numbers in (
    ("add", "logical_or", "add"),
    ("multiply", "logical_and", "mul"),
    ("maximum", "logical_or", "max"),
    ("minimum", "logical_and", "min"),
    ("and", "logical_and", "bitwiseand"),
    ("or", "logical_or", "bitwiseor"),
    ("xor", "logical_xor", "bitwisexor"),
):
    operator(_hlo, 2, elementwise=True)(_of_truths(_truths, _numbers))


@operator("not", 1, elementwise=True)
def _not(at: At, x: Operand) -> str:
    return (at.on.logical_not if x.kind is DataType.BOOL else at.on.bitwisenot)([x.id])


@operator("negate", 1, elementwise=True)
def _negate(at: At, x: Operand) -> str:
    if x.kind.numpy.kind == "u":
        return at.on.sub([at.constant(0, x.kind), x.id])
    return at.on.neg([x.id])


@operator("divide", 2, elementwise=True)
def _divide(at: At, a: Operand, b: Operand) -> str:
    """By zero, integers are all ones; the least number by -1 is itself."""
    if not is_whole(a.kind):
        return at.on.div([a.id, b.id])
    quotient = at.on.div([a.id, _divisor(at, b)])
    if a.kind.numpy.kind == "i":
        negative = at.on.sub([at.constant(0, a.kind), a.id])
        quotient = at.on.where([_is(at, b, -1), negative, quotient])
    ones = -1 if a.kind.numpy.kind == "i" else np.iinfo(a.kind.numpy).max
    return at.on.where([_is(at, b, 0), at.constant(ones, a.kind), quotient])


@operator("remainder", 2, elementwise=True)
def _remainder(at: At, a: Operand, b: Operand) -> str:
    """With the sign of the dividend. Of integers by zero it is the dividend."""
    if not is_whole(a.kind):
        return at.on.mod([a.id, b.id], fmod=1)
    rest = at.on.mod([a.id, _divisor(at, b)], fmod=1)
    return at.on.where([_is(at, b, 0), a.id, rest])


def _is(at: At, x: Operand, value: int) -> str:
    return at.on.equal([x.id, at.constant(value, x.kind)])


def _divisor(at: At, b: Operand) -> str:
    """The divisor, with 1 in place of 0 and -1, by which division may trap."""
    bad = _is(at, b, 0)
    if b.kind.numpy.kind == "i":
        bad = at.on.logical_or([bad, _is(at, b, -1)])
    return at.on.where([bad, at.constant(1, b.kind), b.id])


@operator("convert", 1, elementwise=True)
def _convert(at: At, x: Operand) -> str:
    return at.cast(x.id, at.kind)


@operator("compare", 2, elementwise=True)
def _compare(at: At, a: Operand, b: Operand) -> str:
    """In the total order -NaN is the least number, -0 is below 0, and NaN is the greatest."""
    direction = at.each.attributes.get("direction", "")
    given = at.each.attributes.get("type", "")
    operands = [a.id, b.id]
    if given == "TOTALORDER" and a.kind.numpy.kind not in "iub":
        operands = [_ordered(at, each) for each in (a, b)]
    if a.kind is DataType.BOOL and direction not in ("EQ", "NE"):
        operands = [at.cast(x, DataType.INT32) for x in operands]
    names = {
        "EQ": at.on.equal,
        "NE": at.on.equal,
        "LT": at.on.less,
        "GT": at.on.greater,
        "LE": at.on.lessorequal,
        "GE": at.on.greaterorequal,
    }
    if direction not in names:
        raise at.wrong(f"its direction is {direction!r}; expected is one of {', '.join(names)}")
    found = names[direction](operands)
    return at.on.logical_not([found]) if direction == "NE" else found


def _ordered(at: At, x: Operand) -> str:
    """Integers in the total order of the numbers: their bits, where those behind the sign of
    negative ones are inverted.
    """
    width = 8 * x.kind.numpy.itemsize
    kind = DataType.of(f"INT{width}")
    bits = at.on.bitcast([x.id], kind.onnx)
    turned = at.on.bitwisexor([bits, at.constant((1 << (width - 1)) - 1, kind)])
    return at.on.where([at.on.less([bits, at.constant(0, kind)]), turned, bits])


@operator("bitcast-convert", 1, elementwise=True)
def _bitcast_convert(at: At, x: Operand) -> str:
    """Raises ModelError for types of different widths."""
    if x.kind.numpy.itemsize != at.kind.numpy.itemsize or DataType.BOOL in (x.kind, at.kind):
        raise at.wrong(
            f"the bits of {shapes.name(x.kind)} become {shapes.name(at.kind)}; expected are types "
            "of the same width"
        )
    return x.id if x.kind is at.kind else at.on.bitcast([x.id], at.kind.onnx)


@operator("reduce-precision", 1, elementwise=True)
def _reduce_precision(at: At, x: Operand) -> str:
    """Rounded to nearest, ties to even, to fewer bits; numbers below the smallest normal one are
    zeros.
    """
    if x.kind not in _FRACTIONS:
        raise at.wrong(f"its operand is {shapes.name(x.kind)}; expected are real numbers")
    width, fraction = x.kind.numpy.itemsize * 8, _FRACTIONS[x.kind]
    exponent = width - 1 - fraction
    kept = at.number("exponent_bits", exponent + 1), at.number("mantissa_bits", fraction + 1)
    if kept[0] < 1:
        raise at.wrong("its exponent_bits are 0; expected is one or more")
    kind = DataType.of(f"INT{width}")
    bits = at.on.bitcast([x.id], kind.onnx)

    def part(mask: int) -> str:
        return at.on.bitwiseand([bits, at.constant(mask, kind)])

    sign = part(-(1 << (width - 1)))
    if gone := fraction - kept[1]:
        is_even = at.on.equal([part(1 << gone), at.constant(0, kind)])
        half = 1 << (gone - 1)
        up = at.on.where([is_even, at.constant(half - 1, kind), at.constant(half, kind)])
        bits = at.on.add([bits, up])
        bits = part(-(1 << gone))
    infinity = ((1 << exponent) - 1) << fraction
    if kept[0] < exponent:
        middle, reach = (1 << (exponent - 1)) - 1, (1 << (kept[0] - 1)) - 1
        found = part(infinity)
        above = at.on.greater([found, at.constant((middle + reach) << fraction, kind)])
        below = at.on.lessorequal([found, at.constant((middle - reach) << fraction, kind)])
        most = at.on.bitwiseor([sign, at.constant(infinity, kind)])
        bits = at.on.where([above, most, at.on.where([below, sign, bits])])
    return at.on.where([at.on.isnan([x.id]), x.id, at.on.bitcast([bits], x.kind.onnx)])


_FRACTIONS = {
    DataType.FLOAT16: 10,
    DataType.BFLOAT16: 7,
    DataType.FLOAT: 23,
    DataType.DOUBLE: 52,
}
"""The bits of the fraction."""


@operator("select", 3)
def _select(at: At, chooses: Operand, x: Operand, y: Operand) -> str:
    if chooses.kind is not DataType.BOOL or chooses.dims not in ((), at.result.dims):
        raise at.wrong("its first operand must be pred, one or for each element")
    _require_dims(at, x, y)
    return at.on.where([chooses.id, x.id, y.id])


@operator("clamp", 3)
def _clamp(at: At, low: Operand, x: Operand, high: Operand) -> str:
    for bound in (low, high):
        if bound.dims:
            _require_dims(at, bound)
    _require_dims(at, x)
    return at.on.min([at.on.max([x.id, low.id]), high.id])


def _require_dims(at: At, *operands: Operand) -> None:
    for each in operands:
        if each.dims != at.result.dims:
            raise at.wrong(
                f"an operand has the dimensions {list(each.dims)}, its result "
                f"{list(at.result.dims)}; both must be the same"
            )


@operator("log-plus-one", 1, elementwise=True)
def _log_plus_one(at: At, x: Operand) -> str:
    return at.builder.aiGraphcore.log1p([x.id])


@operator("exponential-minus-one", 1, elementwise=True)
def _exponential_minus_one(at: At, x: Operand) -> str:
    return at.builder.aiGraphcore.expm1([x.id])


@operator("rsqrt", 1, elementwise=True)
def _rsqrt(at: At, x: Operand) -> str:
    return at.on.reciprocal([at.on.sqrt([x.id])])


@operator("cbrt", 1, elementwise=True)
def _cbrt(at: At, x: Operand) -> str:
    wide = DataType.FLOAT if x.kind.numpy.itemsize < 4 else x.kind
    value = at.cast(x.id, wide)
    root = at.on.pow([at.on.abs([value]), at.constant(1 / 3, wide)])
    return at.cast(at.on.mul([at.on.sign([value]), root]), x.kind)


@operator("atan2", 2, elementwise=True)
def _atan2(at: At, y: Operand, x: Operand) -> str:
    """The angle of (x, y), by the arctangent of the quotient of their sizes."""
    on, kind = at.on, x.kind
    across, up = on.abs([x.id]), on.abs([y.id])
    zero = at.constant(0, kind)
    # Both are zero, or both infinite: quotients that have no value.
    none = on.equal([on.max([across, up]), zero])
    infinite = on.logical_and([on.isinf([v]) for v in _as_floats(at, kind, across, up)])
    angle = on.atan([on.div([up, across])])
    angle = on.where([none, zero, angle])
    angle = on.where([infinite, at.constant(np.pi / 4, kind), angle])
    behind = on.sub([at.constant(np.pi, kind), angle])
    angle = on.where([_is_negative(at, kind, x.id), behind, angle])
    return on.where([_is_negative(at, kind, y.id), on.neg([angle]), angle])


def _as_floats(at: At, kind: DataType, *ids: str) -> list[str]:
    """Values that IsInf takes."""
    if kind in (DataType.FLOAT, DataType.DOUBLE):
        return [*ids]
    return [at.cast(x, DataType.FLOAT) for x in ids]


def _is_negative(at: At, kind: DataType, x: str) -> str:
    """Whether the sign is set, also that of a zero."""
    zero = at.constant(0, kind)
    below = at.on.less([x, zero])
    inverse = at.on.less([at.on.reciprocal([x]), zero])
    return at.on.logical_or([below, at.on.logical_and([at.on.equal([x, zero]), inverse])])


@operator("round-nearest-afz", 1, elementwise=True)
def _round_away_from_zero(at: At, x: Operand) -> str:
    sign, size = at.on.sign([x.id]), at.on.abs([x.id])
    whole = at.on.floor([size])
    up = at.on.greaterorequal([at.on.sub([size, whole]), at.constant(0.5, x.kind)])
    return at.on.mul([sign, at.on.add([whole, at.cast(up, x.kind)])])


@operator("is-finite", 1, elementwise=True)
def _is_finite(at: At, x: Operand) -> str:
    return at.on.logical_not([at.on.logical_or([at.on.isinf([x.id]), at.on.isnan([x.id])])])


# Bits.


@operator("shift-left", 2, elementwise=True)
def _shift_left(at: At, x: Operand, by: Operand) -> str:
    return _shifted(at, x, by, "LEFT")


@operator("shift-right-logical", 2, elementwise=True)
def _shift_right_logical(at: At, x: Operand, by: Operand) -> str:
    return _shifted(at, x, by, "RIGHT")


@operator("shift-right-arithmetic", 2, elementwise=True)
def _shift_right_arithmetic(at: At, x: Operand, by: Operand) -> str:
    """The bits that come in are the highest one, also of unsigned integers."""
    (bits, kind) = _unsigned(at, x)
    highest = at.constant(1 << (8 * kind.numpy.itemsize - 1), kind)
    negative = at.on.greaterorequal([bits, highest])
    inverted = Operand(at.on.bitwisenot([x.id]), x.kind, x.dims)
    below = at.on.bitwisenot([_shifted(at, inverted, by, "RIGHT")])
    return at.on.where([negative, below, _shifted(at, x, by, "RIGHT")])


def _unsigned(at: At, x: Operand) -> tuple[str, DataType]:
    """The bits as an unsigned integer."""
    kind = DataType.of(f"UINT{8 * x.kind.numpy.itemsize}")
    return (x.id if kind is x.kind else at.cast(x.id, kind)), kind


def _shifted(at: At, x: Operand, by: Operand, direction: str) -> str:
    """The bits shifted; by the width and more nothing is left of them."""
    if not is_whole(x.kind):
        raise at.wrong(f"its operands are {shapes.name(x.kind)}; expected are integers")
    (bits, kind), (count, _) = _unsigned(at, x), _unsigned(at, by)
    width = at.constant(8 * kind.numpy.itemsize, kind)
    zero = at.constant(0, kind)
    inside = at.on.less([count, width])
    found = at.on.bitshift([bits, at.on.where([inside, count, zero])], direction)
    found = at.on.where([inside, found, zero])
    return found if kind is x.kind else at.cast(found, x.kind)


@operator("popcnt", 1, elementwise=True)
def _popcnt(at: At, x: Operand) -> str:
    bits, kind = _unsigned(at, x)
    return at.cast(_ones(at, bits, kind), x.kind)


@operator("count-leading-zeros", 1, elementwise=True)
def _count_leading_zeros(at: At, x: Operand) -> str:
    """The width without the bits from the highest one on."""
    bits, kind = _unsigned(at, x)
    width = 8 * kind.numpy.itemsize
    step = 1
    while step < width:
        moved = at.on.bitshift([bits, at.constant(step, kind)], "RIGHT")
        bits = at.on.bitwiseor([bits, moved])
        step *= 2
    found = at.on.sub([at.constant(width, kind), _ones(at, bits, kind)])
    return at.cast(found, x.kind)


def _ones(at: At, bits: str, kind: DataType) -> str:
    """The number of bits that are set: sums of pairs, of fours, and so on."""
    width = 8 * kind.numpy.itemsize
    step = 1
    while step < width:
        mask = at.constant(sum((2**step - 1) << i for i in range(0, width, 2 * step)), kind)
        moved = at.on.bitshift([bits, at.constant(step, kind)], "RIGHT")
        bits = at.on.add([at.on.bitwiseand([bits, mask]), at.on.bitwiseand([moved, mask])])
        step *= 2
    return bits
