"""
Functions of elements, reductions, slices and casts (PopLibs: popops).
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing
from . import expr
from . import rearrange

__all__: list[str] = [
    "Operation",
    "ReduceParams",
    "ScaledAddSpecialisation",
    "SingleReduceOp",
    "SlicePlan",
    "SortOrder",
    "TopKParams",
    "abs",
    "absInPlace",
    "absWithOutput",
    "add",
    "addCodelets",
    "addInPlace",
    "addWithOutput",
    "asin",
    "asinInPlace",
    "asinWithOutput",
    "atan2",
    "atan2InPlace",
    "atan2WithOutput",
    "bitwiseAnd",
    "bitwiseAndInPlace",
    "bitwiseAndWithOutput",
    "bitwiseNot",
    "bitwiseNotInPlace",
    "bitwiseNotWithOutput",
    "bitwiseOr",
    "bitwiseOrInPlace",
    "bitwiseOrWithOutput",
    "bitwiseXnor",
    "bitwiseXnorInPlace",
    "bitwiseXnorWithOutput",
    "bitwiseXor",
    "bitwiseXorInPlace",
    "bitwiseXorWithOutput",
    "cast",
    "castWithOutput",
    "cbrt",
    "cbrtInPlace",
    "cbrtWithOutput",
    "ceil",
    "ceilInPlace",
    "ceilWithOutput",
    "clamp",
    "clampInPlace",
    "clampWithOutput",
    "cos",
    "cosInPlace",
    "cosWithOutput",
    "countLeadingZeros",
    "countLeadingZerosInPlace",
    "countLeadingZerosWithOutput",
    "createIndicesTensor",
    "createOutputForElementWiseOp",
    "createSliceTensor",
    "createSliceableTensor",
    "createTopKInput",
    "div",
    "divInPlace",
    "divWithOutput",
    "dynamicSlice",
    "dynamicUpdate",
    "eq",
    "eqInPlace",
    "eqWithOutput",
    "erf",
    "erfInPlace",
    "erfWithOutput",
    "exp",
    "exp2",
    "exp2InPlace",
    "exp2WithOutput",
    "expInPlace",
    "expWithOutput",
    "expm1",
    "expm1InPlace",
    "expm1WithOutput",
    "expr",
    "fill",
    "floor",
    "floorInPlace",
    "floorWithOutput",
    "geluErf",
    "geluErfInPlace",
    "geluErfWithOutput",
    "groupedMultiSlice",
    "groupedMultiUpdate",
    "groupedMultiUpdateAdd",
    "groupedMultiUpdateMax",
    "groupedMultiUpdateMul",
    "gt",
    "gtInPlace",
    "gtWithOutput",
    "gteq",
    "gteqInPlace",
    "gteqWithOutput",
    "inv",
    "invInPlace",
    "invStdDevToVariance",
    "invStdDevToVarianceInPlace",
    "invStdDevToVarianceWithOutput",
    "invWithOutput",
    "isFinite",
    "isFiniteInPlace",
    "isFiniteWithOutput",
    "isInf",
    "isInfInPlace",
    "isInfWithOutput",
    "isNaN",
    "isNaNInPlace",
    "isNaNWithOutput",
    "log",
    "log1p",
    "log1pInPlace",
    "log1pWithOutput",
    "logInPlace",
    "logWithOutput",
    "logicalAnd",
    "logicalAndInPlace",
    "logicalAndWithOutput",
    "logicalNot",
    "logicalNotInPlace",
    "logicalNotWithOutput",
    "logicalOr",
    "logicalOrInPlace",
    "logicalOrWithOutput",
    "lt",
    "ltInPlace",
    "ltWithOutput",
    "lteq",
    "lteqInPlace",
    "lteqWithOutput",
    "map",
    "mapInPlace",
    "mapWithOutput",
    "max",
    "maxInPlace",
    "maxWithOutput",
    "min",
    "minInPlace",
    "minWithOutput",
    "mul",
    "mulInPlace",
    "mulWithOutput",
    "multiSlice",
    "multiUpdate",
    "multiUpdateAdd",
    "multiUpdateMax",
    "multiUpdateMul",
    "nearbyint",
    "nearbyintInPlace",
    "nearbyintWithOutput",
    "neg",
    "negInPlace",
    "negWithOutput",
    "neq",
    "neqInPlace",
    "neqWithOutput",
    "popcount",
    "popcountInPlace",
    "popcountWithOutput",
    "pow",
    "powInPlace",
    "powWithOutput",
    "rearrange",
    "reduce",
    "reduceMany",
    "reduceWithOutput",
    "relu",
    "reluInPlace",
    "reluWithOutput",
    "rem",
    "remInPlace",
    "remWithOutput",
    "round",
    "roundInPlace",
    "roundWithOutput",
    "rsqrt",
    "rsqrtInPlace",
    "rsqrtWithOutput",
    "scaledAddTo",
    "scaledSubtractFrom",
    "select",
    "selectInPlace",
    "selectWithOutput",
    "shiftLeft",
    "shiftLeftInPlace",
    "shiftLeftWithOutput",
    "shiftRight",
    "shiftRightInPlace",
    "shiftRightSignExtend",
    "shiftRightSignExtendInPlace",
    "shiftRightSignExtendWithOutput",
    "shiftRightWithOutput",
    "sigmoid",
    "sigmoidInPlace",
    "sigmoidWithOutput",
    "signum",
    "signumInPlace",
    "signumWithOutput",
    "sin",
    "sinInPlace",
    "sinWithOutput",
    "sqrt",
    "sqrtInPlace",
    "sqrtWithOutput",
    "square",
    "squareInPlace",
    "squareWithOutput",
    "sub",
    "subInPlace",
    "subWithOutput",
    "tan",
    "tanInPlace",
    "tanWithOutput",
    "tanh",
    "tanhInPlace",
    "tanhWithOutput",
    "topK",
    "topKWithPermutation",
    "trunc",
    "truncInPlace",
    "truncWithOutput",
    "varianceToInvStdDev",
    "varianceToInvStdDevInPlace",
    "varianceToInvStdDevWithOutput",
    "zero",
]

class Operation:
    """
    What a reduction does with two elements.

    Members:

      ADD

      MUL

      MIN

      MAX

      LOGICAL_AND

      LOGICAL_OR

      SQUARE_ADD

      LOG_ADD
    """

    ADD: typing.ClassVar[Operation]
    LOGICAL_AND: typing.ClassVar[Operation]
    LOGICAL_OR: typing.ClassVar[Operation]
    LOG_ADD: typing.ClassVar[Operation]
    MAX: typing.ClassVar[Operation]
    MIN: typing.ClassVar[Operation]
    MUL: typing.ClassVar[Operation]
    SQUARE_ADD: typing.ClassVar[Operation]
    __members__: typing.ClassVar[dict[str, Operation]]
    @typing.overload
    def __eq__(self, other: Operation) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Operation) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class ReduceParams:
    """
    An Operation; update: add to the output; scale: one FLOAT element that the result is multiplied by. An Operation alone converts to it.
    """
    @typing.overload
    def __init__(self, op: Operation, update: bool = False) -> None: ...
    @typing.overload
    def __init__(self, op: Operation, update: bool, scale: popir._device.poplar.Tensor) -> None: ...
    @property
    def op(self) -> Operation:
        """
        What is done with two elements.
        """
    @property
    def update(self) -> bool:
        """
        Whether the result is added to the output.
        """
    @property
    def useScale(self) -> bool:
        """
        Whether the result is multiplied by a tensor.
        """

class SingleReduceOp:
    """
    One reduction of reduceMany.
    """
    @typing.overload
    def __init__(
        self,
        in_: popir._device.poplar.Tensor,
        dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        params: ReduceParams | Operation,
        debugName: str = "",
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        in_: popir._device.poplar.Tensor,
        dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        params: ReduceParams | Operation,
        outType: popir._device.poplar.Type,
        debugName: str = "",
    ) -> None: ...

class SortOrder:
    """
    The order of the elements that topK gives.

    Members:

      NONE

      ASCENDING

      DESCENDING
    """

    ASCENDING: typing.ClassVar[SortOrder]
    DESCENDING: typing.ClassVar[SortOrder]
    NONE: typing.ClassVar[SortOrder]
    __members__: typing.ClassVar[dict[str, SortOrder]]
    @typing.overload
    def __eq__(self, other: SortOrder) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: SortOrder) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class TopKParams:
    """
    How many elements topK takes, the largest or the smallest, and their order. Equal elements are taken and sorted by their indices, with and without stableSort.
    """
    def __init__(
        self,
        k: typing.SupportsInt | typing.SupportsIndex,
        largest: bool,
        sortOrder: SortOrder,
        stableSort: bool = False,
    ) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def k(self) -> int:
        """
        How many elements are taken.
        """
    @property
    def largest(self) -> bool:
        """
        The largest ones, else the smallest.
        """
    @property
    def sortOrder(self) -> SortOrder:
        """
        Their order; with NONE the best is first.
        """
    @property
    def stableSort(self) -> bool:
        """
        Whether equal elements keep their order; they always do.
        """

class ScaledAddSpecialisation:
    """
    Which formula scaledAddTo computes.

    Members:

      DEFAULT

      X_MINUS_AX_PLUS_BY : A = A - scaleA A + scaleB B.
    """

    DEFAULT: typing.ClassVar[ScaledAddSpecialisation]
    X_MINUS_AX_PLUS_BY: typing.ClassVar[ScaledAddSpecialisation]
    __members__: typing.ClassVar[dict[str, ScaledAddSpecialisation]]
    @typing.overload
    def __eq__(self, other: ScaledAddSpecialisation) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: ScaledAddSpecialisation) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class SlicePlan:
    """
    How a tensor is laid out for its slices; there is one.
    """
    def __init__(self) -> None: ...

def abs(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'absolute', expr.Abs: a new tensor.
    """

def absInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'absolute', expr.Abs, written over `A`.
    """

def absWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'absolute', expr.Abs, into `out`.
    """

def add(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'add', expr.Add: a new tensor.
    """

def addCodelets(graph: popir._device.poplar.Graph) -> None:
    """
    Nothing to add: kernels are built in.
    """

def addInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'add', expr.Add, written over `A`.
    """

def addWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'add', expr.Add, into `out`.
    """

def asin(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'asin', expr.Asin: a new tensor.
    """

def asinInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'asin', expr.Asin, written over `A`.
    """

def asinWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'asin', expr.Asin, into `out`.
    """

def atan2(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'atan2', expr.Atan2: a new tensor.
    """

def atan2InPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'atan2', expr.Atan2, written over `A`.
    """

def atan2WithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'atan2', expr.Atan2, into `out`.
    """

def bitwiseAnd(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'bitwise and', expr.BitwiseAnd: a new tensor.
    """

def bitwiseAndInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise and', expr.BitwiseAnd, written over `A`.
    """

def bitwiseAndWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise and', expr.BitwiseAnd, into `out`.
    """

def bitwiseNot(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'bitwise not', expr.BitwiseNot: a new tensor.
    """

def bitwiseNotInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise not', expr.BitwiseNot, written over `A`.
    """

def bitwiseNotWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise not', expr.BitwiseNot, into `out`.
    """

def bitwiseOr(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'bitwise or', expr.BitwiseOr: a new tensor.
    """

def bitwiseOrInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise or', expr.BitwiseOr, written over `A`.
    """

def bitwiseOrWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise or', expr.BitwiseOr, into `out`.
    """

def bitwiseXnor(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'bitwise xnor', expr.BitwiseXnor: a new tensor.
    """

def bitwiseXnorInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise xnor', expr.BitwiseXnor, written over `A`.
    """

def bitwiseXnorWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise xnor', expr.BitwiseXnor, into `out`.
    """

def bitwiseXor(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'bitwise xor', expr.BitwiseXor: a new tensor.
    """

def bitwiseXorInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise xor', expr.BitwiseXor, written over `A`.
    """

def bitwiseXorWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'bitwise xor', expr.BitwiseXor, into `out`.
    """

def cast(
    graph: popir._device.poplar.Graph,
    src: popir._device.poplar.Tensor,
    dstType: popir._device.poplar.Type,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor of the same values as another type. Floating point to integer goes towards zero and keeps to the range, NaN becomes 0; integers wrap; BOOL is whether the value is not zero.
    """

def castWithOutput(
    graph: popir._device.poplar.Graph,
    src: popir._device.poplar.Tensor,
    dst: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Writes the values of `src` into `dst`, as its type. Raises poplibs_exception for different shapes.
    """

def cbrt(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'cbrt', expr.Cbrt: a new tensor.
    """

def cbrtInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'cbrt', expr.Cbrt, written over `A`.
    """

def cbrtWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'cbrt', expr.Cbrt, into `out`.
    """

def ceil(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'ceil', expr.Ceil: a new tensor.
    """

def ceilInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'ceil', expr.Ceil, written over `A`.
    """

def ceilWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'ceil', expr.Ceil, into `out`.
    """

def clamp(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    C: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'clamp', expr.Clamp: a new tensor.
    """

def clampInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    C: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'clamp', expr.Clamp, written over `A`.
    """

def clampWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    C: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'clamp', expr.Clamp, into `out`.
    """

def cos(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'cos', expr.Cos: a new tensor.
    """

def cosInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'cos', expr.Cos, written over `A`.
    """

def cosWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'cos', expr.Cos, into `out`.
    """

def countLeadingZeros(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'count leading zeros', expr.CountLeadingZeros: a new tensor.
    """

def countLeadingZerosInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'count leading zeros', expr.CountLeadingZeros, written over `A`.
    """

def countLeadingZerosWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'count leading zeros', expr.CountLeadingZeros, into `out`.
    """

def createIndicesTensor(
    graph: popir._device.poplar.Graph,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    numIndices: typing.SupportsInt | typing.SupportsIndex,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new UNSIGNED_INT tensor for the offsets of slices: [numIndices, number of dims].
    """

def createOutputForElementWiseOp(
    graph: popir._device.poplar.Graph,
    inputs: collections.abc.Sequence[popir._device.poplar.Tensor],
    outputType: popir._device.poplar.Type,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new variable of the shape that all inputs have, on tiles as one of them. Raises poplibs_exception if there are no inputs or their shapes differ.
    """

def createSliceTensor(
    graph: popir._device.poplar.Graph,
    type: popir._device.poplar.Type,
    shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    numIndices: typing.SupportsInt | typing.SupportsIndex,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor for `numIndices` slices: [numIndices, shape with `sizes` for `dims`].
    """

def createSliceableTensor(
    graph: popir._device.poplar.Graph,
    type: popir._device.poplar.Type,
    shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor to slice, spread evenly over the tiles.
    """

def createTopKInput(
    graph: popir._device.poplar.Graph,
    type: popir._device.poplar.Type,
    shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    params: TopKParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A tensor for topK, on the tiles in rows.
    """

def div(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'divide', expr.Divide: a new tensor.
    """

def divInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'divide', expr.Divide, written over `A`.
    """

def divWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'divide', expr.Divide, into `out`.
    """

def dynamicSlice(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offset: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    sizes[i] elements of dimension dims[i] from offset[i] on; zeros if not within t.
    """

def dynamicUpdate(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offset: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Writes the slice `s` there: the inverse of dynamicSlice.
    """

def eq(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'equal', expr.Equal: a new tensor.
    """

def eqInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'equal', expr.Equal, written over `A`.
    """

def eqWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'equal', expr.Equal, into `out`.
    """

def erf(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'erf', expr.Erf: a new tensor.
    """

def erfInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'erf', expr.Erf, written over `A`.
    """

def erfWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'erf', expr.Erf, into `out`.
    """

def exp(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'exponent', expr.Exp: a new tensor.
    """

def exp2(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'exponent2', expr.Exp2: a new tensor.
    """

def exp2InPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'exponent2', expr.Exp2, written over `A`.
    """

def exp2WithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'exponent2', expr.Exp2, into `out`.
    """

def expInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'exponent', expr.Exp, written over `A`.
    """

def expWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'exponent', expr.Exp, into `out`.
    """

def expm1(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'exponent minus one', expr.Expm1: a new tensor.
    """

def expm1InPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'exponent minus one', expr.Expm1, written over `A`.
    """

def expm1WithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'exponent minus one', expr.Expm1, into `out`.
    """

@typing.overload
def fill(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    fillValue: bool,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Sets every element of `t` to a number, converted to its type as popops.cast does.
    """

@typing.overload
def fill(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    fillValue: int,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None: ...
@typing.overload
def fill(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    fillValue: typing.SupportsFloat | typing.SupportsIndex,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None: ...
def floor(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'floor', expr.Floor: a new tensor.
    """

def floorInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'floor', expr.Floor, written over `A`.
    """

def floorWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'floor', expr.Floor, into `out`.
    """

def geluErf(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'gelu erf', expr.GeluErf: a new tensor.
    """

def geluErfInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'gelu erf', expr.GeluErf, written over `A`.
    """

def geluErfWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'gelu erf', expr.GeluErf, into `out`.
    """

def groupedMultiSlice(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same for each index of a first dimension.
    """

def groupedMultiUpdate(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    For each index of a first dimension.
    """

def groupedMultiUpdateAdd(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    scale: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    For each index of a first dimension.
    """

def groupedMultiUpdateMax(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    For each index of a first dimension.
    """

def groupedMultiUpdateMul(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    For each index of a first dimension.
    """

def gt(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'greater than', expr.Gt: a new tensor.
    """

def gtInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'greater than', expr.Gt, written over `A`.
    """

def gtWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'greater than', expr.Gt, into `out`.
    """

def gteq(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'greater than equal', expr.Gte: a new tensor.
    """

def gteqInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'greater than equal', expr.Gte, written over `A`.
    """

def gteqWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'greater than equal', expr.Gte, into `out`.
    """

def inv(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'inverse', expr.Inv: a new tensor.
    """

def invInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'inverse', expr.Inv, written over `A`.
    """

def invStdDevToVariance(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'inv std dev to variance', expr.InvStdDevToVariance: a new tensor.
    """

def invStdDevToVarianceInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'inv std dev to variance', expr.InvStdDevToVariance, written over `A`.
    """

def invStdDevToVarianceWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'inv std dev to variance', expr.InvStdDevToVariance, into `out`.
    """

def invWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'inverse', expr.Inv, into `out`.
    """

def isFinite(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'is finite', expr.IsFinite: a new tensor.
    """

def isFiniteInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'is finite', expr.IsFinite, written over `A`.
    """

def isFiniteWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'is finite', expr.IsFinite, into `out`.
    """

def isInf(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'is inf', expr.IsInf: a new tensor.
    """

def isInfInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'is inf', expr.IsInf, written over `A`.
    """

def isInfWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'is inf', expr.IsInf, into `out`.
    """

def isNaN(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'is nan', expr.IsNaN: a new tensor.
    """

def isNaNInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'is nan', expr.IsNaN, written over `A`.
    """

def isNaNWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'is nan', expr.IsNaN, into `out`.
    """

def log(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'logarithm', expr.Log: a new tensor.
    """

def log1p(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'logarithm one plus', expr.Log1p: a new tensor.
    """

def log1pInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logarithm one plus', expr.Log1p, written over `A`.
    """

def log1pWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logarithm one plus', expr.Log1p, into `out`.
    """

def logInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logarithm', expr.Log, written over `A`.
    """

def logWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logarithm', expr.Log, into `out`.
    """

def logicalAnd(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'logical and', expr.And: a new tensor.
    """

def logicalAndInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logical and', expr.And, written over `A`.
    """

def logicalAndWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logical and', expr.And, into `out`.
    """

def logicalNot(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'logical not', expr.Not: a new tensor.
    """

def logicalNotInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logical not', expr.Not, written over `A`.
    """

def logicalNotWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logical not', expr.Not, into `out`.
    """

def logicalOr(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'logical or', expr.Or: a new tensor.
    """

def logicalOrInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logical or', expr.Or, written over `A`.
    """

def logicalOrWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'logical or', expr.Or, into `out`.
    """

def lt(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'less than', expr.Lt: a new tensor.
    """

def ltInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'less than', expr.Lt, written over `A`.
    """

def ltWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'less than', expr.Lt, into `out`.
    """

def lteq(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'less than equal', expr.Lte: a new tensor.
    """

def lteqInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'less than equal', expr.Lte, written over `A`.
    """

def lteqWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'less than equal', expr.Lte, into `out`.
    """

@typing.overload
def map(
    graph: popir._device.poplar.Graph,
    exprs: list[expr.Expr | typing.SupportsFloat | typing.SupportsIndex],
    ts: collections.abc.Sequence[popir._device.poplar.Tensor],
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> list[popir._device.poplar.Tensor]:
    """
    One new tensor for each expression.
    """

@typing.overload
def map(
    graph: popir._device.poplar.Graph,
    expr: expr.Expr | typing.SupportsFloat | typing.SupportsIndex,
    ts: collections.abc.Sequence[popir._device.poplar.Tensor],
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    A new tensor of `expr` over the elements of `ts`; shapes are matched as numpy does it.
    """

@typing.overload
def mapInPlace(
    graph: popir._device.poplar.Graph,
    exprs: list[expr.Expr | typing.SupportsFloat | typing.SupportsIndex],
    ts: collections.abc.Sequence[popir._device.poplar.Tensor],
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Expression i overwrites ts[i]; all of them read what was there before.
    """

@typing.overload
def mapInPlace(
    graph: popir._device.poplar.Graph,
    expr: expr.Expr | typing.SupportsFloat | typing.SupportsIndex,
    ts: collections.abc.Sequence[popir._device.poplar.Tensor],
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Overwrites ts[0].
    """

@typing.overload
def mapWithOutput(
    graph: popir._device.poplar.Graph,
    exprs: list[expr.Expr | typing.SupportsFloat | typing.SupportsIndex],
    ts: collections.abc.Sequence[popir._device.poplar.Tensor],
    outs: collections.abc.Sequence[popir._device.poplar.Tensor],
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Expression i writes outs[i]; all of them read what was there before.
    """

@typing.overload
def mapWithOutput(
    graph: popir._device.poplar.Graph,
    expr: expr.Expr | typing.SupportsFloat | typing.SupportsIndex,
    ts: collections.abc.Sequence[popir._device.poplar.Tensor],
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Writes `out`.
    """

def max(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'maximum', expr.Max: a new tensor.
    """

def maxInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'maximum', expr.Max, written over `A`.
    """

def maxWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'maximum', expr.Max, into `out`.
    """

def min(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'minimum', expr.Min: a new tensor.
    """

def minInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'minimum', expr.Min, written over `A`.
    """

def minWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'minimum', expr.Min, into `out`.
    """

def mul(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'multiply', expr.Mul: a new tensor.
    """

def mulInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'multiply', expr.Mul, written over `A`.
    """

def mulWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'multiply', expr.Mul, into `out`.
    """

def multiSlice(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    One slice for each row of offsets [slices, dims]: [slices, shape of a slice].
    """

def multiUpdate(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Writes slices; where they overlap, the last one stays.
    """

def multiUpdateAdd(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    scale: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Adds slices, times the one element of scale, in their order.
    """

def multiUpdateMax(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Takes the larger of what is there and the slices.
    """

def multiUpdateMul(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    s: popir._device.poplar.Tensor,
    offsets: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    sizes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    prog: popir._device.poplar.program.Sequence,
    plan: SlicePlan = SlicePlan(),
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Multiplies by slices, in their order.
    """

def nearbyint(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'nearby int', expr.NearbyInt: a new tensor.
    """

def nearbyintInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'nearby int', expr.NearbyInt, written over `A`.
    """

def nearbyintWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'nearby int', expr.NearbyInt, into `out`.
    """

def neg(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'negate', expr.Neg: a new tensor.
    """

def negInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'negate', expr.Neg, written over `A`.
    """

def negWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'negate', expr.Neg, into `out`.
    """

def neq(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'not equal', expr.NotEqual: a new tensor.
    """

def neqInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'not equal', expr.NotEqual, written over `A`.
    """

def neqWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'not equal', expr.NotEqual, into `out`.
    """

def popcount(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'popcount', expr.Popcount: a new tensor.
    """

def popcountInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'popcount', expr.Popcount, written over `A`.
    """

def popcountWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'popcount', expr.Popcount, into `out`.
    """

def pow(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'power', expr.Pow: a new tensor.
    """

def powInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'power', expr.Pow, written over `A`.
    """

def powWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'power', expr.Pow, into `out`.
    """

@typing.overload
def reduce(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    outType: popir._device.poplar.Type,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    params: ReduceParams | Operation,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    A new tensor: `in` reduced over `dims`. The order of operations depends on the shape alone, not on the number of threads; sums are pairwise.
    """

@typing.overload
def reduce(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    params: ReduceParams | Operation,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The same with elements of the type of `in_`.
    """

def reduceMany(
    graph: popir._device.poplar.Graph,
    reductions: collections.abc.Sequence[SingleReduceOp],
    outputs: collections.abc.Sequence[popir._device.poplar.Tensor],
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> list[popir._device.poplar.Tensor]:
    """
    Several reductions in one compute set, into `outputs`, or into new tensors if it is empty. Returns the outputs.
    """

def reduceWithOutput(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    params: ReduceParams | Operation,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Reduces `in_` over `dims` into `out`.
    """

def relu(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'relu', expr.Relu: a new tensor.
    """

def reluInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'relu', expr.Relu, written over `A`.
    """

def reluWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'relu', expr.Relu, into `out`.
    """

def rem(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'remainder', expr.Rem: a new tensor.
    """

def remInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'remainder', expr.Rem, written over `A`.
    """

def remWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'remainder', expr.Rem, into `out`.
    """

def round(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'round', expr.Round: a new tensor.
    """

def roundInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'round', expr.Round, written over `A`.
    """

def roundWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'round', expr.Round, into `out`.
    """

def rsqrt(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'rsqrt', expr.Rsqrt: a new tensor.
    """

def rsqrtInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'rsqrt', expr.Rsqrt, written over `A`.
    """

def rsqrtWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'rsqrt', expr.Rsqrt, into `out`.
    """

@typing.overload
def scaledAddTo(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    scaleB: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    A += scaleB B, in place (Subtract: A -= scaleB B).
    """

@typing.overload
def scaledAddTo(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    scaleA: typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor,
    scaleB: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    A = scaleA A + scaleB B, in place (Subtract: A = scaleA A - scaleB B).
    """

@typing.overload
def scaledAddTo(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    scaleA: typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor,
    scaleB: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    speciality: ScaledAddSpecialisation,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None: ...
@typing.overload
def scaledAddTo(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    scaleB: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    A += scaleB B, in place (Subtract: A -= scaleB B).
    """

@typing.overload
def scaledAddTo(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    scaleA: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    scaleB: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    A = scaleA A + scaleB B, in place (Subtract: A = scaleA A - scaleB B).
    """

@typing.overload
def scaledAddTo(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    scaleA: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    scaleB: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    speciality: ScaledAddSpecialisation,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None: ...
@typing.overload
def scaledSubtractFrom(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    scaleB: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    A += scaleB B, in place (Subtract: A -= scaleB B).
    """

@typing.overload
def scaledSubtractFrom(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    scaleA: typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor,
    scaleB: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    A = scaleA A + scaleB B, in place (Subtract: A = scaleA A - scaleB B).
    """

@typing.overload
def scaledSubtractFrom(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    scaleB: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    A += scaleB B, in place (Subtract: A -= scaleB B).
    """

@typing.overload
def scaledSubtractFrom(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    scaleA: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    scaleB: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    A = scaleA A + scaleB B, in place (Subtract: A = scaleA A - scaleB B).
    """

def select(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    C: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'select', expr.Select: a new tensor.
    """

def selectInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    C: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'select', expr.Select, written over `A`.
    """

def selectWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    C: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'select', expr.Select, into `out`.
    """

def shiftLeft(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'shift left', expr.Shl: a new tensor.
    """

def shiftLeftInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'shift left', expr.Shl, written over `A`.
    """

def shiftLeftWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'shift left', expr.Shl, into `out`.
    """

def shiftRight(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'shift right', expr.Shr: a new tensor.
    """

def shiftRightInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'shift right', expr.Shr, written over `A`.
    """

def shiftRightSignExtend(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'shift right sign extend', expr.ShrSE: a new tensor.
    """

def shiftRightSignExtendInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'shift right sign extend', expr.ShrSE, written over `A`.
    """

def shiftRightSignExtendWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'shift right sign extend', expr.ShrSE, into `out`.
    """

def shiftRightWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'shift right', expr.Shr, into `out`.
    """

def sigmoid(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'sigmoid', expr.Sigmoid: a new tensor.
    """

def sigmoidInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'sigmoid', expr.Sigmoid, written over `A`.
    """

def sigmoidWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'sigmoid', expr.Sigmoid, into `out`.
    """

def signum(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'signum', expr.Signum: a new tensor.
    """

def signumInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'signum', expr.Signum, written over `A`.
    """

def signumWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'signum', expr.Signum, into `out`.
    """

def sin(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'sin', expr.Sin: a new tensor.
    """

def sinInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'sin', expr.Sin, written over `A`.
    """

def sinWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'sin', expr.Sin, into `out`.
    """

def sqrt(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'sqrt', expr.Sqrt: a new tensor.
    """

def sqrtInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'sqrt', expr.Sqrt, written over `A`.
    """

def sqrtWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'sqrt', expr.Sqrt, into `out`.
    """

def square(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'square', expr.Square: a new tensor.
    """

def squareInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'square', expr.Square, written over `A`.
    """

def squareWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'square', expr.Square, into `out`.
    """

def sub(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'subtract', expr.Sub: a new tensor.
    """

def subInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'subtract', expr.Sub, written over `A`.
    """

def subWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'subtract', expr.Sub, into `out`.
    """

def tan(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'tan', expr.Tan: a new tensor.
    """

def tanInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'tan', expr.Tan, written over `A`.
    """

def tanWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'tan', expr.Tan, into `out`.
    """

def tanh(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'tanh', expr.Tanh: a new tensor.
    """

def tanhInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'tanh', expr.Tanh, written over `A`.
    """

def tanhWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'tanh', expr.Tanh, into `out`.
    """

def topK(
    graph: popir._device.poplar.Graph,
    prog: popir._device.poplar.program.Sequence,
    t: popir._device.poplar.Tensor,
    params: TopKParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The largest or smallest elements along the last dimension. NaN is larger than every number. Raises poplibs_exception for a k beyond the dimension.
    """

def topKWithPermutation(
    graph: popir._device.poplar.Graph,
    prog: popir._device.poplar.program.Sequence,
    t: popir._device.poplar.Tensor,
    params: TopKParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> tuple[popir._device.poplar.Tensor, popir._device.poplar.Tensor]:
    """
    The same, and the indices of these elements, UNSIGNED_INT.
    """

def trunc(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'trunc', expr.Trunc: a new tensor.
    """

def truncInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'trunc', expr.Trunc, written over `A`.
    """

def truncWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'trunc', expr.Trunc, into `out`.
    """

def varianceToInvStdDev(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    Element by element 'variance to inv std dev', expr.VarianceToInvStdDev: a new tensor.
    """

def varianceToInvStdDevInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'variance to inv std dev', expr.VarianceToInvStdDev, written over `A`.
    """

def varianceToInvStdDevWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    B: popir._device.poplar.Tensor | typing.SupportsFloat | typing.SupportsIndex,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    Element by element 'variance to inv std dev', expr.VarianceToInvStdDev, into `out`.
    """

def zero(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Sets every element of `t` to zero.
    """
