"""The operators of HLO, as operators of ONNX: what `xla_program` reads.

Operands and results have the types and shapes that the text declares; HLO itself broadcasts nothing
and converts nothing. Meanings are those of XLA's "Operation Semantics". The operators themselves
are in modules by kind, which register them here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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


Step = Callable[["At", str, list[str]], list[str]]
Loop = Callable[[int, Sequence[str], Step], list[str]]


class At:
    """An instruction that is added to a model."""

    def __init__(
        self,
        builder: Builder,
        each: Instruction,
        lookup: Callable[[Instruction, str], Computation],
        run: Callable[[Computation, Sequence[Value]], Value],
        loop: Loop,
    ) -> None:
        """`lookup` finds the computation that an attribute of an instruction names, `run` adds one
        with its arguments, `loop` adds a Loop: how often, the first state, and what adds a step
        with its number and state and returns the next state.
        """
        self.builder = builder
        self.on = builder.aiOnnx
        self.each = each
        self.lookup = lookup
        self.run = run
        self.loop = loop

    def called(self, attribute: str) -> Computation:
        """The computation that an attribute names. Raises ModelError if there is none."""
        return self.lookup(self.each, attribute)

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

    def reversed(self, x: str, axes: Sequence[int]) -> str:
        """`x` from the last to the first, along axes."""
        if not axes:
            return x
        back = [-1] * len(axes)
        return self.on.slice([x, *map(self.ints, (back, [-(1 << 31)] * len(axes), axes, back))])

    def spaced(self, x: str, dims: list[int], axis: int, between: int, value: str) -> str:
        """`x` with `between` times the value between any two neighbours along an axis. `dims`
        become those of the result.
        """
        if not between or not dims[axis]:
            return x
        wide = [*dims[: axis + 1], 1, *dims[axis + 1 :]]
        pads = [0] * len(wide) * 2
        pads[len(wide) + axis + 1] = between
        x = self.on.pad([self.reshape(x, wide), self.ints(pads), value])
        dims[axis] *= between + 1
        x = self.reshape(x, dims)
        dims[axis] -= between
        return self.slice(x, [0] * len(dims), dims, [1] * len(dims))


def wrong(each: Instruction, why: str) -> ModelError:
    """The error for an instruction."""
    return ModelError(
        f"Line {each.line} of the HLO module, '{each.name}' ({each.opcode}): {why.rstrip('.')}."
    )


def is_whole(kind: DataType) -> bool:
    """Whether numbers of this type are integers."""
    return kind.numpy.kind in "iu"


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
