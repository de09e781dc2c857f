"""
Expressions over the elements of tensors, for popops.map() (PopLibs:
popops/Expr.hpp, popops/ExprOp.hpp). An example, a leaky ReLU:
Select(_1 * 0.1, _1, _1 < 0).
Operands have one type; comparisons, logical operators and IS_FINITE,
IS_INF, IS_NAN give BOOL, the others the type of their operands. HALF and
BFLOAT16 are computed in FLOAT.
The operands of Clamp are (value, lower, upper), those of Select (value if true,
value if false, condition). InvStdDevToVariance(a, b) is 1 / a^2 - b,
VarianceToInvStdDev(a, b) is 1 / sqrt(a + b).
Integers wrap. Integer division and remainder by 0 give 0. Rem has the sign of its
left operand. Round rounds ties away from zero, NearbyInt to even. Max, Min, Relu
and Clamp propagate NaN. Shr shifts in zeros, ShrSE copies of the sign.
"""

from __future__ import annotations
import popir._device.poplar
import typing

__all__: list[str] = [
    "Expr",
    "UnaryOpType",
    "BinaryOpType",
    "TernaryOpType",
    "UnaryOp",
    "BinaryOp",
    "TernaryOp",
    "Const",
    "PlaceHolder",
    "Cast",
    "Abs",
    "Asin",
    "BitwiseNot",
    "Cbrt",
    "Ceil",
    "Cos",
    "CountLeadingZeros",
    "Erf",
    "Exp",
    "Exp2",
    "Expm1",
    "Floor",
    "GeluErf",
    "Inv",
    "IsFinite",
    "IsInf",
    "IsNaN",
    "Log",
    "Log1p",
    "NearbyInt",
    "Neg",
    "Not",
    "Popcount",
    "Relu",
    "Round",
    "Rsqrt",
    "Sigmoid",
    "Signum",
    "Sin",
    "Sqrt",
    "Square",
    "Tan",
    "Tanh",
    "Trunc",
    "Add",
    "And",
    "Atan2",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXnor",
    "BitwiseXor",
    "Divide",
    "Equal",
    "Gt",
    "Gte",
    "InvStdDevToVariance",
    "Lt",
    "Lte",
    "Max",
    "Min",
    "Mul",
    "NotEqual",
    "Or",
    "Pow",
    "Rem",
    "Shl",
    "Shr",
    "ShrSE",
    "Sub",
    "VarianceToInvStdDev",
    "Clamp",
    "Select",
    "ConstHalf",
    "_1",
    "_2",
    "_3",
    "_4",
    "_5",
    "_6",
    "_7",
    "_8",
    "_9",
    "_10",
    "_11",
    "_12",
    "_13",
    "_14",
    "_15",
    "_16",
    "_17",
    "_18",
    "_19",
    "_20",
]

class Expr:
    """
    The base class of expressions over the elements of tensors. Python's operators make
    expressions too: _1 * 2 is Mul(_1, 2).
    """
    def __abs__(self) -> UnaryOp: ...
    def __add__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __and__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __ge__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __gt__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __hash__(self) -> int: ...
    def __invert__(self) -> UnaryOp: ...
    def __le__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __lshift__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __lt__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __mod__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __mul__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __ne__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __neg__(self) -> UnaryOp: ...
    def __or__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __pow__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __radd__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __rand__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __repr__(self) -> str: ...
    def __rlshift__(
        self, other: Expr | typing.SupportsFloat | typing.SupportsIndex
    ) -> BinaryOp: ...
    def __rmod__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __rmul__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __ror__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __rpow__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __rrshift__(
        self, other: Expr | typing.SupportsFloat | typing.SupportsIndex
    ) -> BinaryOp: ...
    def __rshift__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __rsub__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __rtruediv__(
        self, other: Expr | typing.SupportsFloat | typing.SupportsIndex
    ) -> BinaryOp: ...
    def __rxor__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __sub__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def __truediv__(
        self, other: Expr | typing.SupportsFloat | typing.SupportsIndex
    ) -> BinaryOp: ...
    def __xor__(self, other: Expr | typing.SupportsFloat | typing.SupportsIndex) -> BinaryOp: ...
    def deepEquals(self, other: Expr) -> bool:
        """
        Whether both are the same tree, with the same operators and with constants of the
        same values and types. `==` makes an expression.
        """

class UnaryOpType:
    """
    Operators of one operand.

    Members:

      ABSOLUTE

      ASIN

      BITWISE_NOT

      CBRT

      CEIL

      COS

      COUNT_LEADING_ZEROS

      ERF

      EXPONENT

      EXPONENT2

      EXPONENT_MINUS_ONE

      FLOOR

      GELU_ERF

      INVERSE

      IS_FINITE

      IS_INF

      IS_NAN

      LOGARITHM

      LOGARITHM_ONE_PLUS

      NEARBY_INT

      NEGATE

      LOGICAL_NOT

      POPCOUNT

      RELU

      ROUND

      RSQRT

      SIGMOID

      SIGNUM

      SIN

      SQRT

      SQUARE

      TAN

      TANH

      TRUNC
    """

    ABSOLUTE: typing.ClassVar[UnaryOpType]
    ASIN: typing.ClassVar[UnaryOpType]
    BITWISE_NOT: typing.ClassVar[UnaryOpType]
    CBRT: typing.ClassVar[UnaryOpType]
    CEIL: typing.ClassVar[UnaryOpType]
    COS: typing.ClassVar[UnaryOpType]
    COUNT_LEADING_ZEROS: typing.ClassVar[UnaryOpType]
    ERF: typing.ClassVar[UnaryOpType]
    EXPONENT: typing.ClassVar[UnaryOpType]
    EXPONENT2: typing.ClassVar[UnaryOpType]
    EXPONENT_MINUS_ONE: typing.ClassVar[UnaryOpType]
    FLOOR: typing.ClassVar[UnaryOpType]
    GELU_ERF: typing.ClassVar[UnaryOpType]
    INVERSE: typing.ClassVar[UnaryOpType]
    IS_FINITE: typing.ClassVar[UnaryOpType]
    IS_INF: typing.ClassVar[UnaryOpType]
    IS_NAN: typing.ClassVar[UnaryOpType]
    LOGARITHM: typing.ClassVar[UnaryOpType]
    LOGARITHM_ONE_PLUS: typing.ClassVar[UnaryOpType]
    LOGICAL_NOT: typing.ClassVar[UnaryOpType]
    NEARBY_INT: typing.ClassVar[UnaryOpType]
    NEGATE: typing.ClassVar[UnaryOpType]
    POPCOUNT: typing.ClassVar[UnaryOpType]
    RELU: typing.ClassVar[UnaryOpType]
    ROUND: typing.ClassVar[UnaryOpType]
    RSQRT: typing.ClassVar[UnaryOpType]
    SIGMOID: typing.ClassVar[UnaryOpType]
    SIGNUM: typing.ClassVar[UnaryOpType]
    SIN: typing.ClassVar[UnaryOpType]
    SQRT: typing.ClassVar[UnaryOpType]
    SQUARE: typing.ClassVar[UnaryOpType]
    TAN: typing.ClassVar[UnaryOpType]
    TANH: typing.ClassVar[UnaryOpType]
    TRUNC: typing.ClassVar[UnaryOpType]
    __members__: typing.ClassVar[dict[str, UnaryOpType]]
    @typing.overload
    def __eq__(self, other: UnaryOpType) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: UnaryOpType) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class BinaryOpType:
    """
    Operators of two operands.

    Members:

      ADD

      LOGICAL_AND

      ATAN2

      BITWISE_AND

      BITWISE_OR

      BITWISE_XNOR

      BITWISE_XOR

      DIVIDE

      EQUAL

      GREATER_THAN

      GREATER_THAN_EQUAL

      INV_STD_DEV_TO_VARIANCE

      LESS_THAN

      LESS_THAN_EQUAL

      MAXIMUM

      MINIMUM

      MULTIPLY

      NOT_EQUAL

      LOGICAL_OR

      POWER

      REMAINDER

      SHIFT_LEFT

      SHIFT_RIGHT

      SHIFT_RIGHT_SIGN_EXTEND

      SUBTRACT

      VARIANCE_TO_INV_STD_DEV
    """

    ADD: typing.ClassVar[BinaryOpType]
    ATAN2: typing.ClassVar[BinaryOpType]
    BITWISE_AND: typing.ClassVar[BinaryOpType]
    BITWISE_OR: typing.ClassVar[BinaryOpType]
    BITWISE_XNOR: typing.ClassVar[BinaryOpType]
    BITWISE_XOR: typing.ClassVar[BinaryOpType]
    DIVIDE: typing.ClassVar[BinaryOpType]
    EQUAL: typing.ClassVar[BinaryOpType]
    GREATER_THAN: typing.ClassVar[BinaryOpType]
    GREATER_THAN_EQUAL: typing.ClassVar[BinaryOpType]
    INV_STD_DEV_TO_VARIANCE: typing.ClassVar[BinaryOpType]
    LESS_THAN: typing.ClassVar[BinaryOpType]
    LESS_THAN_EQUAL: typing.ClassVar[BinaryOpType]
    LOGICAL_AND: typing.ClassVar[BinaryOpType]
    LOGICAL_OR: typing.ClassVar[BinaryOpType]
    MAXIMUM: typing.ClassVar[BinaryOpType]
    MINIMUM: typing.ClassVar[BinaryOpType]
    MULTIPLY: typing.ClassVar[BinaryOpType]
    NOT_EQUAL: typing.ClassVar[BinaryOpType]
    POWER: typing.ClassVar[BinaryOpType]
    REMAINDER: typing.ClassVar[BinaryOpType]
    SHIFT_LEFT: typing.ClassVar[BinaryOpType]
    SHIFT_RIGHT: typing.ClassVar[BinaryOpType]
    SHIFT_RIGHT_SIGN_EXTEND: typing.ClassVar[BinaryOpType]
    SUBTRACT: typing.ClassVar[BinaryOpType]
    VARIANCE_TO_INV_STD_DEV: typing.ClassVar[BinaryOpType]
    __members__: typing.ClassVar[dict[str, BinaryOpType]]
    @typing.overload
    def __eq__(self, other: BinaryOpType) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: BinaryOpType) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class TernaryOpType:
    """
    Operators of three operands.

    Members:

      CLAMP

      SELECT
    """

    CLAMP: typing.ClassVar[TernaryOpType]
    SELECT: typing.ClassVar[TernaryOpType]
    __members__: typing.ClassVar[dict[str, TernaryOpType]]
    @typing.overload
    def __eq__(self, other: TernaryOpType) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: TernaryOpType) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class UnaryOp(Expr):
    """
    An operator and its one operand.
    """
    def __init__(
        self, opType: UnaryOpType, a: Expr | typing.SupportsFloat | typing.SupportsIndex
    ) -> None: ...
    @property
    def args(self) -> tuple[Expr, ...]:
        """
        The operands, in their order.
        """
    @property
    def opType(self) -> UnaryOpType:
        """
        The operator of the node.
        """

class BinaryOp(Expr):
    """
    An operator and its two operands.
    """
    def __init__(
        self,
        opType: BinaryOpType,
        a: Expr | typing.SupportsFloat | typing.SupportsIndex,
        b: Expr | typing.SupportsFloat | typing.SupportsIndex,
    ) -> None: ...
    @property
    def args(self) -> tuple[Expr, ...]:
        """
        The operands, in their order.
        """
    @property
    def opType(self) -> BinaryOpType:
        """
        The operator of the node.
        """

class TernaryOp(Expr):
    """
    An operator and its three operands.
    """
    def __init__(
        self,
        opType: TernaryOpType,
        a: Expr | typing.SupportsFloat | typing.SupportsIndex,
        b: Expr | typing.SupportsFloat | typing.SupportsIndex,
        c: Expr | typing.SupportsFloat | typing.SupportsIndex,
    ) -> None: ...
    @property
    def args(self) -> tuple[Expr, ...]:
        """
        The operands, in their order.
        """
    @property
    def opType(self) -> TernaryOpType:
        """
        The operator of the node.
        """

class Const(Expr):
    """
    A number. It takes the type of the other operands around it, and must be
    representable in that type. Without such operands its type is `type`, or by default
    that of the Python value: BOOL, INT, a 64-bit integer if INT is too small, or FLOAT.
    Raises TypeError for a value that is no number.
    """
    @typing.overload
    def __init__(self, value: typing.Any) -> None: ...
    @typing.overload
    def __init__(
        self, value: typing.SupportsFloat | typing.SupportsIndex, type: popir._device.poplar.Type
    ) -> None: ...
    @property
    def type(self) -> popir._device.poplar.Type:
        """
        The type of the number.
        """
    @property
    def value(self) -> bool | int | float:
        """
        The number as a bool, int or float.
        """

class PlaceHolder(Expr):
    """
    Stands for tensor number `index`, counted from 1. _1 to _20 are such objects.
    """
    def __init__(self, index: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def index(self) -> int:
        """
        The number of the tensor that it stands for, counted from 1.
        """

class Cast(Expr):
    """
    An expression converted to another type, as popops.cast() does.
    """
    def __init__(
        self, a: Expr | typing.SupportsFloat | typing.SupportsIndex, type: popir._device.poplar.Type
    ) -> None: ...
    @property
    def args(self) -> tuple[Expr, ...]:
        """
        The expression that is converted.
        """
    @property
    def type(self) -> popir._device.poplar.Type:
        """
        The type that it is converted to.
        """

def Abs(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'absolute' of its operands.
    """

def Add(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'add' of its operands.
    """

def And(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'logical and' of its operands.
    """

def Asin(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'asin' of its operands.
    """

def Atan2(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'atan2' of its operands.
    """

def BitwiseAnd(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'bitwise and' of its operands.
    """

def BitwiseNot(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'bitwise not' of its operands.
    """

def BitwiseOr(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'bitwise or' of its operands.
    """

def BitwiseXnor(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'bitwise xnor' of its operands.
    """

def BitwiseXor(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'bitwise xor' of its operands.
    """

def Cbrt(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'cbrt' of its operands.
    """

def Ceil(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'ceil' of its operands.
    """

def Clamp(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
    c: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> TernaryOp:
    """
    An expression: the operator 'clamp' of its operands.
    """

def ConstHalf(value: typing.SupportsFloat | typing.SupportsIndex) -> Const:
    """
    A Const of the type HALF.
    """

def Cos(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'cos' of its operands.
    """

def CountLeadingZeros(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'count leading zeros' of its operands.
    """

def Divide(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'divide' of its operands.
    """

def Equal(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'equal' of its operands.
    """

def Erf(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'erf' of its operands.
    """

def Exp(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'exponent' of its operands.
    """

def Exp2(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'exponent2' of its operands.
    """

def Expm1(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'exponent minus one' of its operands.
    """

def Floor(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'floor' of its operands.
    """

def GeluErf(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'gelu erf' of its operands.
    """

def Gt(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'greater than' of its operands.
    """

def Gte(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'greater than equal' of its operands.
    """

def Inv(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'inverse' of its operands.
    """

def InvStdDevToVariance(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'inv std dev to variance' of its operands.
    """

def IsFinite(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'is finite' of its operands.
    """

def IsInf(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'is inf' of its operands.
    """

def IsNaN(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'is nan' of its operands.
    """

def Log(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'logarithm' of its operands.
    """

def Log1p(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'logarithm one plus' of its operands.
    """

def Lt(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'less than' of its operands.
    """

def Lte(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'less than equal' of its operands.
    """

def Max(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'maximum' of its operands.
    """

def Min(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'minimum' of its operands.
    """

def Mul(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'multiply' of its operands.
    """

def NearbyInt(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'nearby int' of its operands.
    """

def Neg(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'negate' of its operands.
    """

def Not(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'logical not' of its operands.
    """

def NotEqual(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'not equal' of its operands.
    """

def Or(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'logical or' of its operands.
    """

def Popcount(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'popcount' of its operands.
    """

def Pow(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'power' of its operands.
    """

def Relu(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'relu' of its operands.
    """

def Rem(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'remainder' of its operands.
    """

def Round(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'round' of its operands.
    """

def Rsqrt(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'rsqrt' of its operands.
    """

def Select(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
    c: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> TernaryOp:
    """
    An expression: the operator 'select' of its operands.
    """

def Shl(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'shift left' of its operands.
    """

def Shr(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'shift right' of its operands.
    """

def ShrSE(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'shift right sign extend' of its operands.
    """

def Sigmoid(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'sigmoid' of its operands.
    """

def Signum(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'signum' of its operands.
    """

def Sin(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'sin' of its operands.
    """

def Sqrt(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'sqrt' of its operands.
    """

def Square(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'square' of its operands.
    """

def Sub(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'subtract' of its operands.
    """

def Tan(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'tan' of its operands.
    """

def Tanh(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'tanh' of its operands.
    """

def Trunc(a: Expr | typing.SupportsFloat | typing.SupportsIndex) -> UnaryOp:
    """
    An expression: the operator 'trunc' of its operands.
    """

def VarianceToInvStdDev(
    a: Expr | typing.SupportsFloat | typing.SupportsIndex,
    b: Expr | typing.SupportsFloat | typing.SupportsIndex,
) -> BinaryOp:
    """
    An expression: the operator 'variance to inv std dev' of its operands.
    """

_1: PlaceHolder
_10: PlaceHolder
_11: PlaceHolder
_12: PlaceHolder
_13: PlaceHolder
_14: PlaceHolder
_15: PlaceHolder
_16: PlaceHolder
_17: PlaceHolder
_18: PlaceHolder
_19: PlaceHolder
_2: PlaceHolder
_20: PlaceHolder
_3: PlaceHolder
_4: PlaceHolder
_5: PlaceHolder
_6: PlaceHolder
_7: PlaceHolder
_8: PlaceHolder
_9: PlaceHolder
