"""Conversion to and from the types that are only stored (`DataType.is_narrow`).

On the device an element is a byte with its code. Floats are converted by integer arithmetic on the
bits of FLOAT.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from popir import popops
from popir.ir import Tensor as IrTensor
from popir.ops.support.arithmetic import is_float
from popir.ops.support.decomposition import Decomposer
from popir.opx import Opx
from popir.poplar import (
    BFLOAT16,
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    QUARTER,
    SIGNED_CHAR,
    UNSIGNED_CHAR,
    UNSIGNED_INT,
    Tensor,
    Type,
    program,
)
from popir.popops import expr as pe
from popir.types import DataType

_SIGN = 1 << 31
_MANTISSA = 23
"""Bits of the mantissa of FLOAT."""
_LEADING = 1 << _MANTISSA
"""The bit that normal numbers have above their mantissa."""
_INFINITE, _NAN = 0xFF << _MANTISSA, 0x7FC00000
"""The bits of FLOATs."""
_BIAS = 127
"""Of the exponent of FLOAT."""


@dataclass(frozen=True)
class Format:
    """A floating-point format: a sign, `exponent` bits and `mantissa` bits."""

    exponent: int
    mantissa: int
    bias: int
    greatest: int
    """The code of the greatest finite number."""
    nan: int
    """The code of NaN without a sign; of minus zero if there is no NaN."""
    overflow: int
    """The code of what is too large, without a sign, if it is not to be saturated."""
    unsigned: bool = False
    """Whether zero and NaN have no sign."""

    @property
    def sign(self) -> int:
        """The code with the sign bit alone."""
        return 1 << (self.exponent + self.mantissa)


FORMATS = {
    DataType.FLOAT8E4M3FN: Format(4, 3, 7, 0x7E, 0x7F, 0x7F),
    DataType.FLOAT8E4M3FNUZ: Format(4, 3, 8, 0x7F, 0x80, 0x80, unsigned=True),
    DataType.FLOAT8E5M2: Format(5, 2, 15, 0x7B, 0x7E, 0x7C),
    DataType.FLOAT8E5M2FNUZ: Format(5, 2, 16, 0x7F, 0x80, 0x80, unsigned=True),
    # These have neither infinities nor NaN: what is too large is always saturated.
    DataType.FLOAT6E2M3: Format(2, 3, 1, 0x1F, 0x20, 0x1F),
    DataType.FLOAT6E3M2: Format(3, 2, 3, 0x1F, 0x20, 0x1F),
    DataType.FLOAT4E2M1: Format(2, 1, 1, 0x07, 0x08, 0x07),
}
"""The formats with a sign. FLOAT8E8M0 has an exponent alone."""


class Narrow:
    """Conversions for an Opx."""

    def __init__(self, opx: Opx, prog: program.Sequence) -> None:
        self._opx = opx
        self._prog = prog

    def widened(self, t: Tensor, kind: DataType, out: Type) -> Tensor:
        """`t`, whose elements are of the narrow type `kind`, converted to `out`."""
        if not kind.is_integer:
            return self._cast(self._as_bits(t, kind), out)
        if kind.name.startswith("U"):
            return self._cast(t.reinterpret(UNSIGNED_CHAR), out)
        shift = pe.Const(8 - kind.bits)
        signed = t.reinterpret(SIGNED_CHAR)
        value = pe.ShrSE(pe.Shl(pe._1, shift), shift)
        return self._map(pe.Cast(value, out), [signed], "widen")

    def narrowed(
        self, t: Tensor, kind: DataType, saturate: bool = True, round_mode: str = "up"
    ) -> Tensor:
        """`t` converted to the narrow type `kind`. `saturate` and `round_mode` are those of Cast.

        To floats numbers are rounded to nearest, halves to even. To integers floats are truncated,
        and then all lose their upper bits.
        """
        if kind.is_integer:
            return self._as_integer(t, kind)
        wide = self._as_float(t)
        bits = wide.reinterpret(UNSIGNED_INT)
        is_exponent = kind is DataType.FLOAT8E8M0
        code = _exponent(saturate, round_mode) if is_exponent else _code(FORMATS[kind], saturate)
        return self._map(pe.Cast(code, UNSIGNED_CHAR), [bits], "narrow").reinterpret(QUARTER)

    def _as_integer(self, t: Tensor, kind: DataType) -> Tensor:
        mask = (1 << kind.bits) - 1
        whole = self._cast(t, INT) if is_float(t.elementType()) else t
        # Between integers a conversion keeps the lower bits.
        byte = self._cast(whole, UNSIGNED_CHAR)
        return self._map(pe.BitwiseAnd(pe._1, pe.Const(mask)), [byte], "bits").reinterpret(QUARTER)

    def _as_float(self, t: Tensor) -> Tensor:
        """`t` as FLOAT, such that a further rounding gives what one rounding would."""
        kind = t.elementType()
        if kind == FLOAT:
            return t
        if kind in (HALF, BFLOAT16, BOOL) or kind.sizeInBytes() < 4:
            return self._cast(t, FLOAT)
        wide = self._cast(t, DOUBLE)
        near = self._cast(wide, FLOAT)
        # Rounded to odd: cut off, and the last bit set if anything was.
        far = pe.Cast(
            pe.Gt(pe.Abs(pe.Cast(pe._2, DOUBLE)), pe.Abs(pe._3)),
            UNSIGNED_INT,
        )
        inexact = pe.Cast(pe.NotEqual(pe.Cast(pe._2, DOUBLE), pe._3), UNSIGNED_INT)
        odd = pe.BitwiseOr(pe.Sub(pe._1, far), inexact)
        bits = near.reinterpret(UNSIGNED_INT)
        return self._map(odd, [bits, near, wide], "odd").reinterpret(FLOAT)

    def _as_bits(self, t: Tensor, kind: DataType) -> Tensor:
        """The elements of a narrow floating-point type, FLOAT."""
        codes = t.reinterpret(UNSIGNED_CHAR)
        if kind is DataType.FLOAT8E8M0:
            return self._map(_power(), [codes], "widen").reinterpret(FLOAT)
        format = FORMATS[kind]
        # With the exponent as it stands, then put right by a product, which is exact: that does
        # what is below the least normal number too.
        placed = self._map(_placed(format), [codes], "place").reinterpret(FLOAT)
        tree = pe.Mul(pe._1, pe.Const(2.0 ** (_BIAS - format.bias)))
        return self._map(tree, [placed], "widen")

    def _cast(self, t: Tensor, kind: Type) -> Tensor:
        if t.elementType() == kind:
            return t
        return popops.cast(self._opx.graph(), t, kind, self._prog, self._opx.debugContext("cast"))

    def _map(self, tree: Any, operands: Sequence[Tensor], name: str) -> Tensor:
        context = self._opx.debugContext(name)
        return popops.map(self._opx.graph(), tree, list(operands), self._prog, context)


def _const(value: int) -> Any:
    return pe.Const(value, UNSIGNED_INT)


def _placed(format: Format) -> Any:
    """The bits of a FLOAT with the sign, exponent and mantissa of the code in operand 1; for codes
    that are no numbers, those of infinity and NaN.
    """
    code = pe.Cast(pe._1, UNSIGNED_INT)
    size = pe.BitwiseAnd(code, _const(format.sign - 1))
    sign = pe.Shl(pe.Shr(code, _const(format.exponent + format.mantissa)), _const(31))
    bits = pe.Shl(size, _const(_MANTISSA - format.mantissa))
    if format.unsigned:
        return pe.Select(_const(_NAN), pe.BitwiseOr(sign, bits), pe.Equal(code, _const(format.nan)))
    if format.greatest < format.sign - 1:
        other = pe.Select(
            _const(_NAN), _const(_INFINITE), pe.Gte(size, _const(format.overflow + 1))
        )
        if format.overflow == format.nan:
            other = _const(_NAN)
        bits = pe.Select(other, bits, pe.Gt(size, _const(format.greatest)))
    return pe.BitwiseOr(sign, bits)


def _power() -> Any:
    """The bits of 2^(code - 127), for the code in operand 1; NaN for 255."""
    code = pe.Cast(pe._1, UNSIGNED_INT)
    bits = pe.Select(
        _const(_LEADING >> 1), pe.Shl(code, _const(_MANTISSA)), pe.Equal(code, _const(0))
    )
    return pe.Select(_const(_NAN), bits, pe.Equal(code, _const(255)))


def _code(format: Format, saturate: bool) -> Any:
    """The code of a FLOAT with the bits in operand 1."""

    size = pe.BitwiseAnd(pe._1, _const(_SIGN - 1))
    cut = _MANTISSA - format.mantissa
    is_odd = pe.BitwiseAnd(pe.Shr(size, _const(cut)), _const(1))
    rounded = pe.Shr(pe.Add(size, pe.Add(is_odd, _const((1 << (cut - 1)) - 1))), _const(cut))
    normal = pe.Sub(rounded, _const((_BIAS - format.bias) << format.mantissa))
    # Below the least normal number codes count multiples of the least number: the mantissa, with
    # its leading one, is cut by as many bits more as the exponent is smaller.
    whole = pe.BitwiseOr(pe.BitwiseAnd(size, _const(_LEADING - 1)), _const(_LEADING))
    more = pe.Sub(_const(cut + _BIAS + 1 - format.bias), pe.Shr(size, _const(_MANTISSA)))
    more = pe.Min(more, _const(_MANTISSA + 2))
    half = pe.Sub(pe.Shl(_const(1), pe.Sub(more, _const(1))), _const(1))
    counted = pe.Shr(
        pe.Add(whole, pe.Add(pe.BitwiseAnd(pe.Shr(whole, more), _const(1)), half)), more
    )
    is_small = pe.Lt(size, _const((_BIAS + 1 - format.bias) << _MANTISSA))
    code = pe.Select(counted, normal, is_small)
    too_large = format.greatest if saturate else format.overflow
    code = pe.Select(_const(too_large), code, pe.Gt(code, _const(format.greatest)))
    is_nan = pe.Gt(size, _const(_INFINITE))
    code = pe.Select(_const(format.nan), code, is_nan)
    sign = pe.Shr(
        pe.BitwiseAnd(pe._1, _const(_SIGN)), _const(31 - format.exponent - format.mantissa)
    )
    if format.unsigned:
        has_sign = pe.And(pe.NotEqual(code, _const(0)), pe.NotEqual(code, _const(format.nan)))
        sign = pe.Select(sign, _const(0), has_sign)
    elif format.nan == format.sign:
        sign = pe.Select(_const(0), sign, is_nan)  # The code is that of minus zero.
    return pe.BitwiseOr(code, sign)


def _exponent(saturate: bool, round_mode: str) -> Any:
    """The code in FLOAT8E8M0 of a FLOAT with the bits in operand 1: its exponent."""

    half, least, infinite = _LEADING >> 1, _LEADING >> 1, _INFINITE
    size = pe.BitwiseAnd(pe._1, _const(_SIGN - 1))
    exponent, rest = pe.Shr(size, _const(_MANTISSA)), pe.BitwiseAnd(size, _const(2 * half - 1))
    # A subnormal is 2^-127 or more with the upper bit of the mantissa, which the exponent 0 means.
    is_subnormal = pe.Equal(exponent, _const(0))
    part = pe.Select(pe.Sub(pe.Max(rest, _const(least)), _const(least)), rest, is_subnormal)
    whole = pe.Select(_const(half), _const(2 * half), is_subnormal)
    if round_mode == "up":
        more = pe.Gt(part, _const(0))
    elif round_mode == "nearest":
        more = pe.Gte(pe.Shl(part, _const(1)), whole)
    else:
        more = pe.Lt(size, _const(0))
    code = pe.Add(exponent, pe.Cast(more, UNSIGNED_INT))
    if saturate:
        code = pe.Min(code, _const(254))
    else:
        code = pe.Select(_const(255), pe.Min(code, _const(255)), pe.Lt(size, _const(least)))
    nothing = pe.Or(pe.Gt(size, _const(infinite)), pe.Gt(pe._1, _const(_SIGN)))
    return pe.Select(_const(255), code, nothing)


def as_computed(on: Decomposer, x: IrTensor) -> IrTensor:
    """A tensor of a narrow type in one that operators select and move: its bytes, or FLOAT, which
    has all that types of less than 8 bits have.
    """
    if on.info(x).dataType().bits == 8:
        return _bit_cast(on, x, DataType.UINT8)
    return on.cast(x, DataType.FLOAT)


def as_stored(on: Decomposer, x: IrTensor, kind: DataType) -> IrTensor:
    """What `as_computed` has made of a tensor of type `kind`, in that type again; a tensor of that
    type itself.
    """
    if on.info(x).dataType() is DataType.UINT8 and kind.bits == 8 and kind.is_narrow:
        return _bit_cast(on, x, kind)
    return on.cast(x, kind)


def _bit_cast(on: Decomposer, x: IrTensor, to: DataType) -> IrTensor:
    found = on.add("ai.onnx", "BitCast", 26, [x], 1, {"to": to.onnx})
    assert not isinstance(found, list)
    return found
