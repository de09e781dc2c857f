"""The operators of HLO, as operators of ONNX: what `xla_program` reads.

Operands and results have the types and shapes that the text declares; HLO itself broadcasts nothing
and converts nothing. Meanings are those of XLA's "Operation Semantics".

Long, because it is the table of these operators: each is a few lines.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir import memory
from popir.builder import Builder
from popir.errors import ModelError
from popir.foreign.xla import shapes
from popir.foreign.xla.hlo_text import Computation, Instruction
from popir.foreign.xla.shapes import Array
from popir.types import DataType

Value = Any
"""A value of a program: a tensor id, a Token, or a list of values for a tuple."""


@dataclass(frozen=True)
class Operand:
    """An array that an instruction reads."""

    id: str
    kind: DataType
    dims: tuple[int, ...]


class At:
    """An instruction that is added to a model."""

    def __init__(
        self, builder: Builder, each: Instruction, called: Callable[[str], Computation]
    ) -> None:
        """`called` looks up the computation that an attribute of the instruction names."""
        self.builder = builder
        self.on = builder.aiOnnx
        self.each = each
        self.called = called

    def wrong(self, why: str) -> ModelError:
        """The error for this instruction."""
        return wrong(self.each, why)

    @property
    def result(self) -> Array:
        """The declared shape of the result. Raises ModelError for a tuple."""
        if not isinstance(self.each.shape, Array) or self.each.shape.kind == shapes.TOKEN:
            raise self.wrong(f"its shape is {self.each.shape}, not an array")
        return self.each.shape

    @property
    def kind(self) -> DataType:
        """The declared element type."""
        return shapes.kind_of(self.result.kind)

    def numbers(self, name: str, size: int | None = None) -> list[int]:
        """An attribute such as dimensions={0,1}, different numbers from 0 up to `size`. Raises
        ModelError if it is not there, or is none.
        """
        text = self.each.attributes.get(name)
        if text is None or not re.fullmatch(r"\{\s*(\d+(\s*,\s*\d+)*)?\s*\}", text):
            given = "is not there" if text is None else f"is {text!r}"
            raise self.wrong(f"its {name} {given}; expected are numbers such as {{0,1}}")
        found = [int(n) for n in re.findall(r"\d+", text)]
        if size is not None and (len({*found}) < len(found) or any(n >= size for n in found)):
            raise self.wrong(f"its {name} is {text}; there are the dimensions 0 to {size - 1}")
        return found

    def number(self, name: str, size: int) -> int:
        """An attribute such as index=1, from 0 up to `size`. Raises ModelError for another one."""
        text = self.each.attributes.get(name, "")
        if not text.isdecimal() or int(text) >= size:
            raise self.wrong(f"its {name} is {text!r}; expected is a number below {size}")
        return int(text)

    def constant(self, value: Any, kind: DataType) -> str:
        """A constant of an element type."""
        return self.on.constant(np.asarray(value).astype(kind.numpy))

    def ints(self, values: Sequence[int]) -> str:
        """A list of int64: axes, a shape, starts and ends."""
        return self.on.constant(np.array(values, np.int64))

    def cast(self, x: str, kind: DataType) -> str:
        """`x` with another element type."""
        return self.on.cast([x], kind.name)

    def reshape(self, x: str, dims: Sequence[int]) -> str:
        """`x` with other dimensions."""
        return self.on.reshape([x, self.ints(dims)])

    def slice(
        self, x: str, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int]
    ) -> str:
        """A slice along all axes."""
        rows = (starts, ends, [*range(len(starts))], steps)
        return self.on.slice([x, *map(self.ints, rows)])


def wrong(each: Instruction, why: str) -> ModelError:
    """The error for an instruction."""
    return ModelError(
        f"Line {each.line} of the HLO module, '{each.name}' ({each.opcode}): {why.rstrip('.')}."
    )


Function = Callable[..., str | list[str]]


@dataclass(frozen=True)
class Operator:
    """An operator of HLO on arrays."""

    function: Function
    """Takes an At and the operands; returns the id of the result, or for a tuple those in it."""
    operands: int | None
    """How many operands there are; None for one or more."""
    elementwise: bool
    """Whether all operands have the dimensions of the result."""
    several: bool = False
    """Whether the result may be a tuple."""


OPERATORS: dict[str, Operator] = {}
"""The operators by their names in HLO."""


def operator(
    name: str, operands: int | None, elementwise: bool = False, several: bool = False
) -> Callable[[Function], Function]:
    """Registers a function for an operator."""

    def register(function: Function) -> Function:
        OPERATORS[name] = Operator(function, operands, elementwise, several)
        return function

    return register


def add(at: At, operands: Sequence[Operand]) -> str | list[str]:
    """Adds the instruction, one of `OPERATORS`, and returns the id of its result, or for a tuple
    those in it. Raises ModelError for operands and attributes that are wrong.
    """
    found = OPERATORS[at.each.opcode]
    if at.each.opcode == "reduce" and len(operands) > 2:
        raise at.wrong("several arrays are reduced together, which is not known here")
    if not found.several:
        at.result  # noqa: B018 - raises for a tuple
    if any(each.kind.numpy.kind == "c" for each in operands):
        raise at.wrong("it computes complex numbers, which is not known here")
    if found.operands not in (None, len(operands)) or (found.operands is None and not operands):
        expected = "at least one" if found.operands is None else found.operands
        raise at.wrong(f"it has {len(operands)} operands; expected is {expected}")
    for i, each in enumerate(operands):
        if found.elementwise and each.dims != at.result.dims:
            raise at.wrong(
                f"its operand {i} has the dimensions {list(each.dims)}, its result "
                f"{list(at.result.dims)}; both must be the same"
            )
    return found.function(at, *operands)


# Element by element.

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


def _whole(kind: DataType) -> bool:
    return kind.numpy.kind in "iu"


@operator("divide", 2, elementwise=True)
def _divide(at: At, a: Operand, b: Operand) -> str:
    """By zero, integers are all ones; the least number by -1 is itself."""
    if not _whole(a.kind):
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
    if not _whole(a.kind):
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
    """Raises ModelError for the total order of floating-point numbers."""
    direction = at.each.attributes.get("direction", "")
    given = at.each.attributes.get("type", "")
    if given == "TOTALORDER" and a.kind.numpy.kind not in "iub":
        raise at.wrong("its type is TOTALORDER, which orders zeros and NaN; it is not known here")
    operands = [a.id, b.id]
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
    if not _whole(x.kind):
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


# Shapes.


operator("copy", 1, elementwise=True)(lambda at, x: x.id)


@operator("reshape", 1)
def _reshape(at: At, x: Operand) -> str:
    if math.prod(x.dims) != math.prod(at.result.dims):
        raise at.wrong(f"{list(x.dims)} has another number of elements than {at.result}")
    return at.reshape(x.id, at.result.dims)


@operator("broadcast", 1)
def _broadcast(at: At, x: Operand) -> str:
    """Dimension i of the operand becomes dimension dimensions[i] of the result."""
    to = at.result.dims
    dims = at.numbers("dimensions", len(to))
    if [*x.dims] != [to[d] for d in dims]:
        raise at.wrong(f"the dimensions {dims} of {list(to)} are not those of {list(x.dims)}")
    order = sorted(range(len(dims)), key=dims.__getitem__)
    found = x.id if order == [*range(len(dims))] else at.on.transpose([x.id], order)
    found = at.reshape(found, [n if d in dims else 1 for d, n in enumerate(to)])
    return at.on.expand([found, at.ints(to)])


@operator("transpose", 1)
def _transpose(at: At, x: Operand) -> str:
    order = at.numbers("dimensions", len(x.dims))
    if len(order) != len(x.dims):
        raise at.wrong(f"its dimensions are {order}; {list(x.dims)} has {len(x.dims)}")
    return at.on.transpose([x.id], order) if order else x.id


@operator("slice", 1)
def _slice(at: At, x: Operand) -> str:
    text = at.each.attributes.get("slice", "")
    row = r"\[\d+:\d+(:\d+)?\]"
    if not re.fullmatch(rf"\{{({row}(\s*,\s*{row})*)?\}}", text):
        raise at.wrong(f"its slice is {text!r}; expected is such as {{[0:2], [1:9:3]}}")
    rows = [[*map(int, part.split(":"))] for part in re.findall(r"\[([\d:]*)\]", text)]
    starts, ends = [row[0] for row in rows], [row[1] for row in rows]
    steps = [row[2] if len(row) > 2 else 1 for row in rows]
    inside = all(0 <= a <= b <= n for a, b, n in zip(starts, ends, x.dims, strict=False))
    if len(rows) != len(x.dims) or not inside or 0 in steps:
        raise at.wrong(f"its slice is {text}, which {list(x.dims)} has not")
    return at.slice(x.id, starts, ends, steps) if rows else x.id


@operator("concatenate", None)
def _concatenate(at: At, *operands: Operand) -> str:
    axes = at.numbers("dimensions", len(at.result.dims))
    if len(axes) != 1:
        raise at.wrong(f"its dimensions are {axes}; expected is one")
    return at.on.concat([each.id for each in operands], axes[0])


@operator("reverse", 1)
def _reverse(at: At, x: Operand) -> str:
    axes = at.numbers("dimensions", len(x.dims))
    if not axes:
        return x.id
    ends = [-(1 << 31)] * len(axes)
    back = [-1] * len(axes)
    return at.on.slice([x.id, *map(at.ints, (back, ends, axes, back))])


@operator("pad", 2)
def _pad(at: At, x: Operand, value: Operand) -> str:
    """Elements before and behind, or fewer if negative; and between any two, which come first."""
    text = at.each.attributes.get("padding", "")
    row = r"-?\d+_-?\d+(_\d+)?"
    if not re.fullmatch(rf"({row}(x{row})*)?", text):
        raise at.wrong(f"its padding is {text!r}; expected is such as 1_2x0_0_1")
    rows = [[*map(int, part.split("_"))] for part in text.split("x")] if text else []
    if len(rows) != len(x.dims) or value.dims:
        raise at.wrong(f"its padding is {text!r}, for {list(x.dims)} and one value")
    found, dims = x.id, [*x.dims]
    for axis, between in ((i, row[2]) for i, row in enumerate(rows) if len(row) > 2 and row[2]):
        if not dims[axis]:
            continue
        wide = [*dims[: axis + 1], 1, *dims[axis + 1 :]]
        pads = [0] * len(wide) * 2
        pads[len(wide) + axis + 1] = between
        found = at.on.pad([at.reshape(found, wide), at.ints(pads), value.id])
        dims[axis] *= between + 1
        found = at.reshape(found, dims)
        ends = [n - between * (d == axis) for d, n in enumerate(dims)]
        found = at.slice(found, [0] * len(dims), ends, [1] * len(dims))
        dims = ends
    pads = [row[0] for row in rows] + [row[1] for row in rows]
    return at.on.pad([found, at.ints(pads), value.id]) if any(pads) else found


@operator("iota", 0)
def _iota(at: At) -> str:
    dims = at.result.dims
    axis = at.number("iota_dimension", len(dims))
    info = at.result.info()
    memory.require(f"Line {at.each.line} of the HLO module", info.nbytes())
    sizes = [n if d == axis else 1 for d, n in enumerate(dims)]
    values = np.arange(dims[axis]).reshape(sizes).astype(info.dataType().numpy)
    return at.on.constant(np.ascontiguousarray(np.broadcast_to(values, dims)))


# Sums.

_REDUCTIONS = {
    "add": ("reducesum", "add"),
    "multiply": ("reduceprod", "mul"),
    "maximum": ("reducemax", "max"),
    "minimum": ("reducemin", "min"),
}


@operator("reduce", 2)
def _reduce(at: At, x: Operand, start: Operand) -> str:
    """Raises ModelError for a computation that is none of the known ones."""
    if start.dims or start.kind is not x.kind:
        raise at.wrong("its second operand must be one number of the type of the first")
    opcode, dims = combination(at), at.numbers("dimensions", len(x.dims))
    kind, value, first = x.kind, x.id, start.id
    truths = {"and": "minimum", "or": "maximum", "add": "maximum", "multiply": "minimum"}
    if kind is DataType.BOOL:
        opcode = truths.get(opcode, opcode)
    if opcode not in _REDUCTIONS:
        raise at.wrong(f"a reduction by {opcode} of {shapes.name(kind)} is not known here")
    wide = DataType.INT32 if kind is DataType.BOOL or _is_short(kind) else kind
    if wide is not kind:
        value, first = at.cast(value, wide), at.cast(first, wide)
    reduction, combined = _REDUCTIONS[opcode]
    if dims:
        value = getattr(at.on, reduction)([value, at.ints(dims)], 0)
    value = getattr(at.on, combined)([value, first])
    return value if wide is kind else at.cast(value, kind)


def _is_short(kind: DataType) -> bool:
    return _whole(kind) and kind.numpy.itemsize < 4


def combination(at: At) -> str:
    """The operator of the computation `to_apply`, which combines its two parameters."""
    steps = at.called("to_apply").instructions
    root = next(s for s in steps if s.name == at.called("to_apply").root)
    parameters = {s.name for s in steps if s.opcode == "parameter"}
    known = {*_REDUCTIONS, "and", "or"}
    plain = len(steps) == 3 and len(parameters) == 2 and {*root.operands} == parameters
    if not plain or len(root.operands) != 2 or root.opcode not in known:
        raise at.wrong(
            f"its computation is none of {', '.join(sorted(known))} of its two parameters"
        )
    return root.opcode


@operator("dot", 2)
def _dot(at: At, a: Operand, b: Operand) -> str:
    """Products and sums in the type of the result."""
    letters = iter(string.ascii_letters)
    left, right = ([next(letters) for _ in each.dims] for each in (a, b))
    pairs: list[tuple[int, int]] = []
    batch: list[int] = []
    for what in ("batch", "contracting"):
        both: list[list[int]] = []
        for side, each in (("lhs", a), ("rhs", b)):
            name = f"{side}_{what}_dims"
            left_out = what == "batch" and name not in at.each.attributes
            both.append([] if left_out else at.numbers(name, len(each.dims)))
        if len(both[0]) != len(both[1]) or any(
            a.dims[i] != b.dims[j] for i, j in zip(*both, strict=False)
        ):
            raise at.wrong(
                f"its {what} dimensions are {both[0]} of {list(a.dims)} and {both[1]} of "
                f"{list(b.dims)}; they must be alike"
            )
        pairs += zip(*both, strict=True)
        if what == "batch":
            batch = both[0]
    for i, j in pairs:
        right[j] = left[i]
    shared = {left[i] for i, _ in pairs}
    out = [left[i] for i in batch]
    out += [letter for letter in left + right if letter not in shared]
    equation = f"{''.join(left)},{''.join(right)}->{''.join(out)}"
    operands = [x.id if x.kind is at.kind else at.cast(x.id, at.kind) for x in (a, b)]
    return at.on.einsum(operands, equation)
