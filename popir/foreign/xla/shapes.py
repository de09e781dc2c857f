"""Shapes as XLA writes them: "f32[2,3]{1,0}", "(s32[], (f32[4], token[]))"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from popir._device import xla as device
from popir.errors import OperatorAttributeError, PopirError, did_you_mean
from popir.types import DataType, TensorInfo

_T = TypeVar("_T")

TOKEN = "token"
ANY = "_"
"""In place of an element type and shape: those of the tensor that is connected."""

_KINDS: dict[str, tuple[int, DataType]] = {
    "pred": (1, DataType.BOOL),
    "s2": (26, DataType.INT2),
    "s4": (21, DataType.INT4),
    "s8": (2, DataType.INT8),
    "s16": (3, DataType.INT16),
    "s32": (4, DataType.INT32),
    "s64": (5, DataType.INT64),
    "u2": (27, DataType.UINT2),
    "u4": (22, DataType.UINT4),
    "u8": (6, DataType.UINT8),
    "u16": (7, DataType.UINT16),
    "u32": (8, DataType.UINT32),
    "u64": (9, DataType.UINT64),
    "f16": (10, DataType.FLOAT16),
    "f32": (11, DataType.FLOAT),
    "f64": (12, DataType.DOUBLE),
    "bf16": (16, DataType.BFLOAT16),
    "f8e5m2": (19, DataType.FLOAT8E5M2),
    "f8e4m3fn": (20, DataType.FLOAT8E4M3FN),
    "f8e4m3fnuz": (25, DataType.FLOAT8E4M3FNUZ),
    "f8e5m2fnuz": (24, DataType.FLOAT8E5M2FNUZ),
    "f8e8m0fnu": (33, DataType.FLOAT8E8M0),
    "f4e2m1fn": (32, DataType.FLOAT4E2M1),
    "c64": (15, DataType.COMPLEX64),
    "c128": (18, DataType.COMPLEX128),
}
_NAMES = {kind: name for name, (_, kind) in _KINDS.items()}
_TOKEN_INFO = TensorInfo(DataType.UINT8, [0])
"""A token is a tensor without elements, so that operators that pass one on run in that order."""


def number(kind: str) -> int:
    """The number of an element type in xla::PrimitiveType. "f32" is 11."""
    return 17 if kind == TOKEN else _KINDS[kind][0]


def name(kind: DataType) -> str:
    """XLA's name of an element type. Raises OperatorAttributeError if XLA has none."""
    if kind not in _NAMES:
        raise OperatorAttributeError(f"XLA has no element type for {kind.name}.")
    return _NAMES[kind]


def is_computed(kind: DataType) -> bool:
    """Whether XLA has the element type, and a device too: no complex numbers, no strings."""
    return kind in _NAMES and kind.numpy.kind != "c"


def kind_of(name: str) -> DataType:
    """The element type that XLA calls `name`."""
    return _KINDS[name][1]


@dataclass(frozen=True)
class Array:
    """An array: its element type by XLA's name, its dimensions, and maybe its layout.

    The layout is the order of dimensions in memory, from the one whose neighbours are adjacent;
    None for row-major. The kind `TOKEN` is a token, and `ANY` stands for whatever is connected.
    """

    kind: str
    dims: tuple[int, ...] = ()
    layout: tuple[int, ...] | None = None

    def info(self) -> TensorInfo:
        """Type and shape of the tensor."""
        return _TOKEN_INFO if self.kind == TOKEN else TensorInfo(kind_of(self.kind), self.dims)

    def of(self, info: TensorInfo) -> Array:
        """This array with the element type and dimensions of a tensor."""
        return Array(name(info.dataType()), tuple(info.shape()), self.layout)

    def order(self) -> list[int] | None:
        """The dimensions from the outermost to the innermost in memory; None for 0, 1, ..."""
        if self.layout is None or list(self.layout) == [*reversed(range(len(self.layout)))]:
            return None
        return [*reversed(self.layout)]

    def device(self) -> Any:
        """The shape as the device's library has it; `dims` are the logical ones."""
        return device.Shape.array(number(self.kind), list(self.dims))

    def __str__(self) -> str:
        layout = "" if self.layout is None else f"{{{','.join(map(str, self.layout))}}}"
        if self.kind == ANY:
            return ANY + layout
        return f"{self.kind}[{','.join(map(str, self.dims))}]{layout}"


@dataclass(frozen=True)
class Tuple:
    """A tuple of shapes."""

    elements: tuple[Array | Tuple, ...]

    def device(self) -> Any:
        """The shape as the device's library has it."""
        return device.Shape.tupleOf([each.device() for each in self.elements])

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"


Shape = Array | Tuple


def leaves(shape: Shape) -> Iterator[Array]:
    """The arrays and tokens of a shape, in pre-order."""
    if isinstance(shape, Array):
        yield shape
        return
    for each in shape.elements:
        yield from leaves(each)


def rebuilt(shape: Shape, make: Callable[[Array], _T]) -> Any:
    """What `make` gives for each leaf, in lists that are nested as the tuples are."""
    if isinstance(shape, Array):
        return make(shape)
    return [rebuilt(each, make) for each in shape.elements]


def filled(shape: Shape, infos: Iterator[TensorInfo]) -> Shape:
    """The shape with element types and dimensions of tensors, for its leaves in order."""
    if isinstance(shape, Array):
        info = next(infos)
        return shape if shape.kind == TOKEN else shape.of(info)
    return Tuple(tuple(filled(each, infos) for each in shape.elements))


_TOKENS = re.compile(r"\s*([A-Za-z_]\w*|\d+|[][(){},])")


def parsed(who: str, text: str) -> Shape:
    """The shape that a text says. Raises OperatorAttributeError, naming `who`, if it says none."""
    shape, rest = _Parser(who, text).all()
    return _only(who, text, shape, rest)


def _only(who: str, text: str, shape: Shape, rest: str) -> Shape:
    if rest:
        raise OperatorAttributeError(f"{who}: the shape {text!r} goes on after its end: {rest!r}.")
    return shape


class _Parser:
    def __init__(self, who: str, text: str) -> None:
        self.who, self.text, self.at = who, text, 0

    def all(self) -> tuple[Shape, str]:
        shape = self.shape(0)
        return shape, self.text[self.at :].strip()

    def wrong(self, expected: str) -> OperatorAttributeError:
        return OperatorAttributeError(
            f"{self.who}: the shape {self.text!r} has {self.text[self.at :][:20]!r} where "
            f"{expected} is expected. Shapes are written as f32[2,3], with a layout as "
            "f32[2,3]{0,1}, and tuples as (f32[2], s32[])."
        )

    def peek(self) -> str:
        found = _TOKENS.match(self.text, self.at)
        return found[1] if found else ""

    def take(self, expected: str = "") -> str:
        found = _TOKENS.match(self.text, self.at)
        if found is None or (expected and found[1] != expected):
            raise self.wrong(repr(expected) if expected else "an element type")
        self.at = found.end()
        return found[1]

    def shape(self, depth: int) -> Shape:
        if self.peek() != "(":
            return self.array()
        if depth > 100:
            raise self.wrong("no tuple deeper than 100")
        self.take("(")
        elements: list[Shape] = []
        while self.peek() != ")":
            elements.append(self.shape(depth + 1))
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        return Tuple(tuple(elements))

    def array(self) -> Array:
        kind = self.take()
        if kind != ANY and kind != TOKEN and kind not in _KINDS:
            near = did_you_mean(kind, _KINDS)
            raise OperatorAttributeError(
                f"{self.who}: the shape {self.text!r} has the unknown element type {kind!r}.{near}"
            )
        dims = () if kind == ANY else self.numbers("[", "]")
        layout = self.numbers("{", "}") if self.peek() == "{" else None
        if layout is not None and sorted(layout) != [*range(len(layout if kind == ANY else dims))]:
            raise OperatorAttributeError(
                f"{self.who}: the layout of {self.text!r} must have each dimension once."
            )
        return Array(kind, dims, layout)

    def numbers(self, begin: str, end: str) -> tuple[int, ...]:
        self.take(begin)
        found: list[int] = []
        while self.peek() != end:
            if not self.peek().isdecimal() or int(self.peek()) >= 1 << 63:
                raise self.wrong("a number below 2^63")
            found.append(int(self.take()))
            if self.peek() != end:
                self.take(",")
        self.take(end)
        return tuple(found)


def shape_of(who: str, given: Any) -> Shape:
    """The shape that a user has given: text, a TensorInfo, a pair (type, shape), an object with
    `dtype` and `shape`, or a list or tuple of these, which is a tuple.

    Raises OperatorAttributeError, naming `who`, for anything else.
    """
    if isinstance(given, str):
        return parsed(who, given)
    if isinstance(given, (Array, Tuple)):
        return given
    if isinstance(given, TensorInfo):
        return Array(name(given.dataType()), tuple(given.shape()))
    if isinstance(given, (list, tuple)):
        if (pair := _pair(given)) is not None:
            return pair
        return Tuple(tuple(shape_of(who, each) for each in given))
    if hasattr(given, "dtype") and hasattr(given, "shape"):
        pair = _pair((given.dtype, tuple(given.shape)))
        if pair is not None:
            return pair
    raise OperatorAttributeError(
        f"{who}: {given!r} is no shape; expected is text such as 'f32[2,3]', a TensorInfo, a pair "
        "such as ('float32', [2, 3]), or a list of these for a tuple."
    )


def _pair(given: Sequence[Any]) -> Array | None:
    """The array of a pair (type, shape); None if it is no such pair."""
    if len(given) != 2 or isinstance(given[1], (str, Mapping)):
        return None
    kind, dims = given
    if not isinstance(dims, Iterable):
        return None
    sizes: list[Any] = list(dims)
    if not all(isinstance(size, int) and not isinstance(size, bool) for size in sizes):
        return None
    if isinstance(kind, (list, tuple)):
        return None
    if isinstance(kind, str) and kind in _KINDS:
        kind = kind_of(kind)
    try:
        info = TensorInfo(kind, sizes)
    except PopirError as error:
        raise OperatorAttributeError(f"{given!r} is no shape: {error}") from None
    return Array(name(info.dataType()), tuple(sizes))
