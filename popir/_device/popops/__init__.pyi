"""
Element-wise functions, reductions, slices, casts and layouts (PopLibs: popops).
Results are new tensors unless the name ends with InPlace or WithOutput. Shapes of
element-wise functions are broadcast by numpy's rules.
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
    "createSliceableTensorFromSlice",
    "createTopKInput",
    "div",
    "divInPlace",
    "divWithOutput",
    "dynamicSlice",
    "dynamicUpdate",
    "embeddingPlan",
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
    "multiUpdateMin",
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
    The operation of a reduction (PopLibs: popops/Operation.hpp). SQUARE_ADD adds
    squares; LOG_ADD is log(sum(exp(x))).

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
    The operation of a reduction, and how its result is written (PopLibs:
    popops/Reduce.hpp). An Operation converts to it.
    `update`: add the result to the output.
    `scale`: one element of FLOAT, which multiplies the result; for LOG_ADD
    it is added to the result.
    Both are for ADD, SQUARE_ADD and LOG_ADD only; reduce() checks that.
    """
    @typing.overload
    def __init__(self, op: Operation, update: bool = False) -> None: ...
    @typing.overload
    def __init__(self, op: Operation, update: bool, scale: popir._device.poplar.Tensor) -> None: ...
    @property
    def op(self) -> Operation:
        """
        The operation that is done with the elements.
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
    One reduction of reduceMany(). The arguments are those of reduce(); without
    `outType` the result has the type of `in_`.
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
    The formula of scaledAddTo() with two scales.

    Members:

      DEFAULT

      X_MINUS_AX_PLUS_BY : A = A - scaleA * A + scaleB * B.
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
    How a table and its slices are split over tiles (PopLibs: popops/DynamicSlice.hpp).
    embeddingPlan() makes one. An empty plan is for slices without one: a tile has all
    elements along the sliced dimensions. Results do not depend on plans.
    """

    __hash__: typing.ClassVar[None] = None
    def __eq__(self, other: SlicePlan) -> bool: ...
    def __init__(self) -> None: ...
    def __repr__(self) -> str: ...

def abs(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'absolute' of each element, expr.Abs: a new tensor.
    Shapes, types and errors are those of map().
    """

def absInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'absolute' of each element, expr.Abs, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'absolute' of each element, expr.Abs, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'add' of each element, expr.Add: a new tensor.
    Shapes, types and errors are those of map().
    """

def addCodelets(graph: popir._device.poplar.Graph) -> None:
    """
    Does nothing: kernels are built in.
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
    The operator 'add' of each element, expr.Add, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'add' of each element, expr.Add, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def asin(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'asin' of each element, expr.Asin: a new tensor.
    Shapes, types and errors are those of map().
    """

def asinInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'asin' of each element, expr.Asin, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'asin' of each element, expr.Asin, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'atan2' of each element, expr.Atan2: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'atan2' of each element, expr.Atan2, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'atan2' of each element, expr.Atan2, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'bitwise and' of each element, expr.BitwiseAnd: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'bitwise and' of each element, expr.BitwiseAnd, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'bitwise and' of each element, expr.BitwiseAnd, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def bitwiseNot(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'bitwise not' of each element, expr.BitwiseNot: a new tensor.
    Shapes, types and errors are those of map().
    """

def bitwiseNotInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'bitwise not' of each element, expr.BitwiseNot, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'bitwise not' of each element, expr.BitwiseNot, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'bitwise or' of each element, expr.BitwiseOr: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'bitwise or' of each element, expr.BitwiseOr, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'bitwise or' of each element, expr.BitwiseOr, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'bitwise xnor' of each element, expr.BitwiseXnor: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'bitwise xnor' of each element, expr.BitwiseXnor, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'bitwise xnor' of each element, expr.BitwiseXnor, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'bitwise xor' of each element, expr.BitwiseXor: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'bitwise xor' of each element, expr.BitwiseXor, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'bitwise xor' of each element, expr.BitwiseXor, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

@typing.overload
def cast(
    graph: popir._device.poplar.Graph,
    src: popir._device.poplar.Tensor,
    dstType: popir._device.poplar.Type,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor of the shape of `src`, with its values converted to `dstType`. To
    floating point: the nearest value, or as poplar.setStochasticRounding says. From
    floating point to integers: truncated and clamped to the range; NaN becomes 0.
    Between integers: modulo 2^bits. To BOOL: whether the value is not 0. Of QUARTER: the
    number times 2^scale, by its metadata.
    Raises poplar_type_error for QUARTER without metadata.
    """

@typing.overload
def cast(
    graph: popir._device.poplar.Graph,
    src: popir._device.poplar.Tensor,
    dstType: popir._device.poplar.Type,
    metadata: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    To QUARTER, `dstType`, with this metadata, one UNSIGNED_CHAR: the nearest number to
    x / 2^scale, ties to even, NaN beyond the largest.
    Raises poplar_type_error for another type.
    """

def castWithOutput(
    graph: popir._device.poplar.Graph,
    src: popir._device.poplar.Tensor,
    dst: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Writes the values of `src` to `dst`, converted to its type as cast() does.
    Raises poplibs_exception for different shapes, poplar_type_error for QUARTER without
    metadata.
    """

def cbrt(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'cbrt' of each element, expr.Cbrt: a new tensor.
    Shapes, types and errors are those of map().
    """

def cbrtInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'cbrt' of each element, expr.Cbrt, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'cbrt' of each element, expr.Cbrt, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def ceil(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'ceil' of each element, expr.Ceil: a new tensor.
    Shapes, types and errors are those of map().
    """

def ceilInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'ceil' of each element, expr.Ceil, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'ceil' of each element, expr.Ceil, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'clamp' of each element, expr.Clamp: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'clamp' of each element, expr.Clamp, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'clamp' of each element, expr.Clamp, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def cos(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'cos' of each element, expr.Cos: a new tensor.
    Shapes, types and errors are those of map().
    """

def cosInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'cos' of each element, expr.Cos, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'cos' of each element, expr.Cos, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def countLeadingZeros(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'count leading zeros' of each element, expr.CountLeadingZeros: a new tensor.
    Shapes, types and errors are those of map().
    """

def countLeadingZerosInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'count leading zeros' of each element, expr.CountLeadingZeros, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'count leading zeros' of each element, expr.CountLeadingZeros, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    A new variable for the offsets of slices: UNSIGNED_INT
    [numIndices, number of `dims`].
    """

def createOutputForElementWiseOp(
    graph: popir._device.poplar.Graph,
    inputs: collections.abc.Sequence[popir._device.poplar.Tensor],
    outputType: popir._device.poplar.Type,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new variable of the shape that all inputs have, with the tile mapping of
    one of them: the one that is spread best, without aliases. If all have
    aliases it is mapped linearly.
    Raises poplibs_exception if there are no inputs or their shapes differ.
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
    A new variable for `numIndices` slices: [numIndices, shape with
    sizes[i] for dimension dims[i]], where a tensor for such slices has them.
    Raises poplibs_exception unless `dims` are distinct dimensions of `shape` and
    `sizes` are within theirs.
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
    A new variable of a shape, of which slices of `sizes` in the dimensions `dims` are taken: a
    tile has all elements along these, and the others are spread evenly over the tiles.
    With a plan the rows are split, too, as it says.
    Raises poplibs_exception unless `dims` are distinct dimensions of `shape` and
    `sizes` are within theirs.
    """

def createSliceableTensorFromSlice(
    graph: popir._device.poplar.Graph,
    s: popir._device.poplar.Tensor,
    dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    numSlices: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new variable to slice, of the shape of `s` with numSlices[i] times its elements in
    dimension dims[i]. Each slice is on the tiles that `s` is on.
    Raises poplibs_exception unless `dims` are distinct dimensions of `s`, with a number
    for each.
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
    The operator 'divide' of each element, expr.Divide: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'divide' of each element, expr.Divide, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'divide' of each element, expr.Divide, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    A new tensor: one slice of `t`, with elements [offset[i], offset[i] +
    sizes[i]) of dimension dims[i] and all of the others. A slice that is not
    entirely inside of `t` is zero.
    `offset`: UNSIGNED_INT or INT [number of `dims`].
    Raises poplibs_exception for other offsets, and unless `dims` are distinct
    dimensions of `t` and `sizes` are within theirs.
    Raises poplar_invalid_option for invalid options.
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
    Writes the slice `s` to the place from which dynamicSlice() reads it. A slice that
    is not entirely inside of `t` is not written.
    Raises poplibs_exception as dynamicSlice() does, and for a slice
    of another shape or type.
    """

def embeddingPlan(
    graph: popir._device.poplar.Graph,
    dataType: popir._device.poplar.Type,
    groupSize: typing.SupportsInt | typing.SupportsIndex,
    numEntries: typing.SupportsInt | typing.SupportsIndex,
    outputSize: typing.SupportsInt | typing.SupportsIndex,
    numLookups: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> SlicePlan:
    """
    popops::embedding::plan: the plan with the fewest cycles, by the machine model, for
    slices of `groupSize` tables [numEntries, outputSize], of which the largest of
    `numLookups` rows are read or updated at a time. An empty plan if a size is 0.
    Raises poplibs_exception for a plan that is neither for slices nor for updates, and
    for sums of half for FLOAT; poplar_invalid_option for invalid options.
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
    The operator 'equal' of each element, expr.Equal: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'equal' of each element, expr.Equal, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'equal' of each element, expr.Equal, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def erf(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'erf' of each element, expr.Erf: a new tensor.
    Shapes, types and errors are those of map().
    """

def erfInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'erf' of each element, expr.Erf, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'erf' of each element, expr.Erf, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def exp(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'exponent' of each element, expr.Exp: a new tensor.
    Shapes, types and errors are those of map().
    """

def exp2(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'exponent2' of each element, expr.Exp2: a new tensor.
    Shapes, types and errors are those of map().
    """

def exp2InPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'exponent2' of each element, expr.Exp2, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'exponent2' of each element, expr.Exp2, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def expInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'exponent' of each element, expr.Exp, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'exponent' of each element, expr.Exp, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def expm1(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'exponent minus one' of each element, expr.Expm1: a new tensor.
    Shapes, types and errors are those of map().
    """

def expm1InPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'exponent minus one' of each element, expr.Expm1, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'exponent minus one' of each element, expr.Expm1, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    Sets every element of `t` to a number, converted to its type as cast() does.
    Raises poplibs_exception for QUARTER.
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
    The operator 'floor' of each element, expr.Floor: a new tensor.
    Shapes, types and errors are those of map().
    """

def floorInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'floor' of each element, expr.Floor, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'floor' of each element, expr.Floor, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def geluErf(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'gelu erf' of each element, expr.GeluErf: a new tensor.
    Shapes, types and errors are those of map().
    """

def geluErfInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'gelu erf' of each element, expr.GeluErf, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'gelu erf' of each element, expr.GeluErf, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The same as multiSlice() for each group: `t` is [groups, ...], `offsets` [groups,
    slices, number of `dims`], the result [groups, slices, shape of a slice]. `dims` and
    `sizes` are those of one group.
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
    The same as multiUpdate() for each group: `t` is [groups, ...], `s` [groups,
    slices, shape of a slice], `offsets` [groups, slices, number of `dims`]. `dims` and
    `sizes` are those of one group.
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
    The same as multiUpdateAdd() for each group; see groupedMultiUpdate().
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
    The same as multiUpdateMax() for each group; see groupedMultiUpdate().
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
    The same as multiUpdateMul() for each group; see groupedMultiUpdate().
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
    The operator 'greater than' of each element, expr.Gt: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'greater than' of each element, expr.Gt, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'greater than' of each element, expr.Gt, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'greater than equal' of each element, expr.Gte: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'greater than equal' of each element, expr.Gte, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'greater than equal' of each element, expr.Gte, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def inv(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'inverse' of each element, expr.Inv: a new tensor.
    Shapes, types and errors are those of map().
    """

def invInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'inverse' of each element, expr.Inv, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'inv std dev to variance' of each element, expr.InvStdDevToVariance: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'inv std dev to variance' of each element, expr.InvStdDevToVariance, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'inv std dev to variance' of each element, expr.InvStdDevToVariance, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'inverse' of each element, expr.Inv, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def isFinite(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'is finite' of each element, expr.IsFinite: a new tensor.
    Shapes, types and errors are those of map().
    """

def isFiniteInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'is finite' of each element, expr.IsFinite, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'is finite' of each element, expr.IsFinite, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def isInf(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'is inf' of each element, expr.IsInf: a new tensor.
    Shapes, types and errors are those of map().
    """

def isInfInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'is inf' of each element, expr.IsInf, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'is inf' of each element, expr.IsInf, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def isNaN(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'is nan' of each element, expr.IsNaN: a new tensor.
    Shapes, types and errors are those of map().
    """

def isNaNInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'is nan' of each element, expr.IsNaN, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'is nan' of each element, expr.IsNaN, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def log(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'logarithm' of each element, expr.Log: a new tensor.
    Shapes, types and errors are those of map().
    """

def log1p(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'logarithm one plus' of each element, expr.Log1p: a new tensor.
    Shapes, types and errors are those of map().
    """

def log1pInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'logarithm one plus' of each element, expr.Log1p, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'logarithm one plus' of each element, expr.Log1p, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def logInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'logarithm' of each element, expr.Log, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'logarithm' of each element, expr.Log, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'logical and' of each element, expr.And: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'logical and' of each element, expr.And, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'logical and' of each element, expr.And, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def logicalNot(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'logical not' of each element, expr.Not: a new tensor.
    Shapes, types and errors are those of map().
    """

def logicalNotInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'logical not' of each element, expr.Not, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'logical not' of each element, expr.Not, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'logical or' of each element, expr.Or: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'logical or' of each element, expr.Or, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'logical or' of each element, expr.Or, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'less than' of each element, expr.Lt: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'less than' of each element, expr.Lt, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'less than' of each element, expr.Lt, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'less than equal' of each element, expr.Lte: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'less than equal' of each element, expr.Lte, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'less than equal' of each element, expr.Lte, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    A list of new tensors, one for each expression over `ts`. Tensors, shapes, types and
    errors are those of the form for one expression.
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
    A new tensor: `expr` computed for each element of `ts`, where _1 stands for ts[0].
    Its shape is that of the tensors in the expression, broadcast by numpy's rules; its
    type follows from `expr`.
    `options`: those of popops.map in `popir options`.
    Raises poplibs_exception for shapes that do not match, operands of different
    types (use Cast), a constant that its type cannot represent, and an
    expression without tensors.
    Raises poplar_invalid_option for invalid options.
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
    Writes the result of expression i to ts[i]; all expressions read the old values.
    Raises poplibs_exception as for one expression, and for more
    expressions than tensors.
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
    The same as map(), with the result written to ts[0], which must
    have its type and shape.
    Raises poplibs_exception if it does not.
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
    Writes the result of expression i to outs[i]; all expressions read the old values.
    Raises poplibs_exception as for one expression, for another number of tensors, and
    for tensors that overlap.
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
    The same as map(), with the result written to `out`, which must
    have its type and shape.
    Raises poplibs_exception if it does not.
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
    The operator 'maximum' of each element, expr.Max: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'maximum' of each element, expr.Max, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'maximum' of each element, expr.Max, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'minimum' of each element, expr.Min: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'minimum' of each element, expr.Min, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'minimum' of each element, expr.Min, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'multiply' of each element, expr.Mul: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'multiply' of each element, expr.Mul, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'multiply' of each element, expr.Mul, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    A new tensor with one slice of `t` for each row of `offsets`: [slices,
    shape of a slice]. A slice is that of dynamicSlice(); one that is not
    entirely inside of `t` is zero.
    `offsets`: UNSIGNED_INT or INT [slices, number of `dims`].
    Raises poplibs_exception for other offsets, and unless `dims` are distinct
    dimensions of `t` and `sizes` are within theirs.
    Raises poplar_invalid_option for invalid options.
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
    Writes slices to `t`, at the places from which multiSlice() reads them.
    Where slices overlap, the last one stays. A slice that is not entirely
    inside of `t` is not written.
    `s`: [slices, shape of a slice], of the type of `t`.
    `offsets`: UNSIGNED_INT or INT [slices, number of `dims`].
    Raises poplibs_exception for shapes, types and dimensions that do not match,
    poplar_invalid_option for invalid options.
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
    The same as multiUpdate(), with scale * slice added to the
    elements of `t`, in order.
    `scale`: one element of the type of `t`, or FLOAT if that is HALF or BFLOAT16.
    Types: FLOAT, HALF, BFLOAT16 or DOUBLE, INT or UNSIGNED_INT.
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
    The same as multiUpdate(), with the maximum of the elements of `t` and of the
    slices. Types: FLOAT, HALF, BFLOAT16 or DOUBLE, INT or UNSIGNED_INT.
    """

def multiUpdateMin(
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
    The same as multiUpdateMax(), with the minimum.
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
    The same as multiUpdate(), with the elements of `t` multiplied by the slices, in
    order. Types: FLOAT, HALF, BFLOAT16 or DOUBLE, INT or UNSIGNED_INT.
    """

def nearbyint(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'nearby int' of each element, expr.NearbyInt: a new tensor.
    Shapes, types and errors are those of map().
    """

def nearbyintInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'nearby int' of each element, expr.NearbyInt, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'nearby int' of each element, expr.NearbyInt, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def neg(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'negate' of each element, expr.Neg: a new tensor.
    Shapes, types and errors are those of map().
    """

def negInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'negate' of each element, expr.Neg, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'negate' of each element, expr.Neg, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'not equal' of each element, expr.NotEqual: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'not equal' of each element, expr.NotEqual, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'not equal' of each element, expr.NotEqual, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def popcount(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'popcount' of each element, expr.Popcount: a new tensor.
    Shapes, types and errors are those of map().
    """

def popcountInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'popcount' of each element, expr.Popcount, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'popcount' of each element, expr.Popcount, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'power' of each element, expr.Pow: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'power' of each element, expr.Pow, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'power' of each element, expr.Pow, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    A new tensor: `in_` reduced over the dimensions `dims`, with the others in their
    order. Sums and products are computed in the type of `in_`, for 16-bit floats in
    FLOAT. Sums are pairwise, in an order that depends on the shape only. Without
    elements to reduce the result is the neutral element.
    `in_`: FLOAT, HALF, BFLOAT16 or DOUBLE, 32-bit and 64-bit integers; for
    MIN and MAX any integer, for LOGICAL_AND and LOGICAL_OR only BOOL, for
    LOG_ADD only floating point.
    `outType`: the type of `in_`; FLOAT and 16-bit floats may be combined.
    `dims`: each at most once; if empty, every element is reduced by itself.
    Raises poplibs_exception for dimensions, types and parameters that do not fit, and
    for `update`, which needs reduceWithOutput().
    Raises poplar_invalid_option for invalid options.
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
    The same with a result of the type of `in_`.
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
    Runs several reductions in one compute set. Returns a list with the result of each:
    the tensors `outputs`, which are written, or new tensors if `outputs` is empty.
    Raises poplibs_exception for another number of outputs, and as
    reduce() and reduceWithOutput().
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
    The same as reduce(), with the result written to `out`, or
    added to it with `update`.
    `out`: of the shape of the remaining dimensions, and of a type that
    reduce() takes as `outType`.
    """

def relu(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'relu' of each element, expr.Relu: a new tensor.
    Shapes, types and errors are those of map().
    """

def reluInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'relu' of each element, expr.Relu, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'relu' of each element, expr.Relu, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'remainder' of each element, expr.Rem: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'remainder' of each element, expr.Rem, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'remainder' of each element, expr.Rem, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def round(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'round' of each element, expr.Round: a new tensor.
    Shapes, types and errors are those of map().
    """

def roundInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'round' of each element, expr.Round, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'round' of each element, expr.Round, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def rsqrt(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'rsqrt' of each element, expr.Rsqrt: a new tensor.
    Shapes, types and errors are those of map().
    """

def rsqrtInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'rsqrt' of each element, expr.Rsqrt, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'rsqrt' of each element, expr.Rsqrt, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    A += scaleB * B, in place; scaledSubtractFrom: A -= scaleB * B. If a type is HALF
    the result is computed in FLOAT and rounded once.
    `A`, `B`: of one shape and type: FLOAT, HALF, DOUBLE, 32-bit or 64-bit
    integers; FLOAT and HALF may be combined. A tensor as scale: one
    element of any of these types.
    Raises poplibs_exception for other shapes and types,
    poplar_invalid_option for invalid options.
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
    A = scaleA * A + scaleB * B, in place; scaledSubtractFrom: A = scaleA * A - scaleB *
    B. Types, shapes and errors are those of the form with one scale.
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
) -> None:
    """
    The same for DEFAULT; A = A - scaleA * A + scaleB * B for X_MINUS_AX_PLUS_BY.
    """

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
    A += scaleB * B, in place; scaledSubtractFrom: A -= scaleB * B. If a type is HALF
    the result is computed in FLOAT and rounded once.
    `A`, `B`: of one shape and type: FLOAT, HALF, DOUBLE, 32-bit or 64-bit
    integers; FLOAT and HALF may be combined. A tensor as scale: one
    element of any of these types.
    Raises poplibs_exception for other shapes and types,
    poplar_invalid_option for invalid options.
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
    A = scaleA * A + scaleB * B, in place; scaledSubtractFrom: A = scaleA * A - scaleB *
    B. Types, shapes and errors are those of the form with one scale.
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
) -> None:
    """
    The same for DEFAULT; A = A - scaleA * A + scaleB * B for X_MINUS_AX_PLUS_BY.
    """

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
    A += scaleB * B, in place; scaledSubtractFrom: A -= scaleB * B. If a type is HALF
    the result is computed in FLOAT and rounded once.
    `A`, `B`: of one shape and type: FLOAT, HALF, DOUBLE, 32-bit or 64-bit
    integers; FLOAT and HALF may be combined. A tensor as scale: one
    element of any of these types.
    Raises poplibs_exception for other shapes and types,
    poplar_invalid_option for invalid options.
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
    A = scaleA * A + scaleB * B, in place; scaledSubtractFrom: A = scaleA * A - scaleB *
    B. Types, shapes and errors are those of the form with one scale.
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
    A += scaleB * B, in place; scaledSubtractFrom: A -= scaleB * B. If a type is HALF
    the result is computed in FLOAT and rounded once.
    `A`, `B`: of one shape and type: FLOAT, HALF, DOUBLE, 32-bit or 64-bit
    integers; FLOAT and HALF may be combined. A tensor as scale: one
    element of any of these types.
    Raises poplibs_exception for other shapes and types,
    poplar_invalid_option for invalid options.
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
    A = scaleA * A + scaleB * B, in place; scaledSubtractFrom: A = scaleA * A - scaleB *
    B. Types, shapes and errors are those of the form with one scale.
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
    The operator 'select' of each element, expr.Select: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'select' of each element, expr.Select, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'select' of each element, expr.Select, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'shift left' of each element, expr.Shl: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'shift left' of each element, expr.Shl, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'shift left' of each element, expr.Shl, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'shift right' of each element, expr.Shr: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'shift right' of each element, expr.Shr, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'shift right sign extend' of each element, expr.ShrSE: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'shift right sign extend' of each element, expr.ShrSE, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'shift right sign extend' of each element, expr.ShrSE, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'shift right' of each element, expr.Shr, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def sigmoid(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'sigmoid' of each element, expr.Sigmoid: a new tensor.
    Shapes, types and errors are those of map().
    """

def sigmoidInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'sigmoid' of each element, expr.Sigmoid, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'sigmoid' of each element, expr.Sigmoid, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def signum(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'signum' of each element, expr.Signum: a new tensor.
    Shapes, types and errors are those of map().
    """

def signumInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'signum' of each element, expr.Signum, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'signum' of each element, expr.Signum, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def sin(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'sin' of each element, expr.Sin: a new tensor.
    Shapes, types and errors are those of map().
    """

def sinInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'sin' of each element, expr.Sin, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'sin' of each element, expr.Sin, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def sqrt(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'sqrt' of each element, expr.Sqrt: a new tensor.
    Shapes, types and errors are those of map().
    """

def sqrtInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'sqrt' of each element, expr.Sqrt, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'sqrt' of each element, expr.Sqrt, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def square(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'square' of each element, expr.Square: a new tensor.
    Shapes, types and errors are those of map().
    """

def squareInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'square' of each element, expr.Square, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'square' of each element, expr.Square, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'subtract' of each element, expr.Sub: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'subtract' of each element, expr.Sub, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'subtract' of each element, expr.Sub, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def tan(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'tan' of each element, expr.Tan: a new tensor.
    Shapes, types and errors are those of map().
    """

def tanInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'tan' of each element, expr.Tan, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'tan' of each element, expr.Tan, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
    """

def tanh(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> popir._device.poplar.Tensor:
    """
    The operator 'tanh' of each element, expr.Tanh: a new tensor.
    Shapes, types and errors are those of map().
    """

def tanhInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'tanh' of each element, expr.Tanh, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'tanh' of each element, expr.Tanh, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'trunc' of each element, expr.Trunc: a new tensor.
    Shapes, types and errors are those of map().
    """

def truncInPlace(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    The operator 'trunc' of each element, expr.Trunc, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'trunc' of each element, expr.Trunc, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
    The operator 'variance to inv std dev' of each element, expr.VarianceToInvStdDev: a new tensor.
    Shapes, types and errors are those of map().
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
    The operator 'variance to inv std dev' of each element, expr.VarianceToInvStdDev, written to `A`.
    Shapes, types and errors are those of mapInPlace().
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
    The operator 'variance to inv std dev' of each element, expr.VarianceToInvStdDev, written to `out`.
    Shapes, types and errors are those of mapWithOutput().
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
