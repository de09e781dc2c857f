"""What an operator may be given: `OpDefinition`, and the checks against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popir.errors import OperatorAttributeError, OperatorInputError, popart_exception
from popir.ir.attributes import unknown_attribute
from popir.typed import typed
from popir.types import DataType

Given = tuple[str, DataType | None]
"""The id of an input and, where it is known, its element type."""


@dataclass(frozen=True)
class Formal:
    """One declared input or output."""

    name: str
    types: frozenset[DataType] = frozenset()
    """The element types that it takes; none means any."""
    optional: bool = False
    variadic: bool = False
    """Stands for any number of tensors, at least `least`, from its place to the last."""
    least: int = 1
    constraint: str = ""
    """Inputs and outputs of one constraint, such as "T", have one element type."""
    doc: str = ""

    @staticmethod
    def of(row: Formal | tuple[Any, ...]) -> Formal:
        """A Formal from ("x", types), ("x", types, "optional") or ("x", types, "variadic")."""
        if isinstance(row, Formal):
            return row
        name, types, *option = row if len(row) > 1 else ("", ())
        isRow = isinstance(name, str) and isinstance(types, Iterable) and len(row) > 1
        if not isRow or option not in ([], ["optional"], ["variadic"]):
            raise popart_exception(
                f"OpDefinition: {row!r} is not (name, types), (name, types, 'optional') or "
                f"(name, types, 'variadic')."
            )
        kinds = frozenset(DataType.of(item) for item in types)
        return Formal(name, kinds, option == ["optional"], option == ["variadic"])

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return not self.optional and (not self.variadic or self.least > 0)


class Formals(tuple[Formal, ...]):
    """The declared inputs, or the declared outputs, of an operator, in order."""

    least: int
    """How many must be given."""
    most: int | None
    """How many may be given; None for any number."""

    def __new__(cls, rows: Iterable[Formal | tuple[Any, ...]] = ()) -> Formals:
        """From Formals, or rows as `Formal.of` takes them. Raises popart_exception."""
        if isinstance(rows, Formals):
            return rows
        self = super().__new__(cls, map(Formal.of, rows))
        self.least = max((i + 1 for i, formal in enumerate(self) if formal.required), default=0)
        self.most = len(self)
        if self and self[-1].variadic:
            self.most = None
            self.least = max(self.least, len(self) - 1 + self[-1].least if self[-1].least else 0)
        return self

    def at(self, i: int) -> Formal:
        """The formal that the tensor at index `i` is for."""
        return self[i] if i < len(self) else self[-1]

    def check_count(self, who: str, what: str, given: int) -> None:
        """Raises OperatorInputError unless there may be so many; `what` is "input" or "output"."""
        if self.least <= given and (self.most is None or given <= self.most):
            return
        expected = str(self.least)
        if self.most != self.least:
            expected += " or more" if self.most is None else f" to {self.most}"
        names = f" ({', '.join(formal.name for formal in self)})" if self else ""
        raise OperatorInputError(
            f"{who} has invalid number of {what}s {given}: it takes {expected}{names}."
        )


@typed
class OpDefinition:
    """The inputs, outputs and attributes that an operator takes.

    `inputs` and `outputs` are rows (name, [DataType, ...]), with "optional" or "variadic" as a
    third item where it holds. `attributes` maps each name to a regular expression that the value,
    as text, must match whole; "*" is any value.
    """

    def __init__(
        self,
        inputs: Iterable[Formal | tuple[Any, ...]] = (),
        outputs: Iterable[Formal | tuple[Any, ...]] = (),
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        """Raises popart_exception for a row that is not of that form."""
        self.inputs = Formals(inputs)
        self.outputs = Formals(outputs)
        self.attributes = dict(attributes or {})


def check(
    who: str,
    definition: OpDefinition,
    attributes: Mapping[str, Any],
    inputs: Sequence[Given | None],
    numOutputs: int | None = None,
) -> None:
    """Compares what an operator is given with its definition; `who` names it in messages.

    `inputs` are in order; None is left out. Raises OperatorInputError or OperatorAttributeError.
    """
    check_inputs(who, definition.inputs, inputs)
    if numOutputs is not None:
        definition.outputs.check_count(who, "output", numOutputs)
    for name, value in attributes.items():
        _check_attribute(who, definition.attributes, name, value)


def check_inputs(who: str, formals: Formals, inputs: Sequence[Given | None]) -> dict[str, DataType]:
    """Checks number, presence and element types of inputs; see `check`.

    Returns the element type that each type constraint stands for here, where it is known.
    """
    formals.check_count(who, "input", len(inputs))
    bound: dict[str, tuple[int, str, DataType]] = {}
    for i, given in enumerate(inputs):
        formal = formals.at(i)
        if given is None:
            if formal.required:
                raise OperatorInputError(f"{who}: input {i} ({formal.name}) is required.")
            continue
        id, kind = given
        if kind is None:
            continue
        if formal.types and kind not in formal.types:
            takes = ", ".join(sorted(each.name for each in formal.types))
            raise OperatorInputError(
                f"{who}: input {i} ({formal.name}) is '{id}' of type {kind.name}; the operator "
                f"takes {takes}."
            )
        if formal.constraint:
            first = bound.setdefault(formal.constraint, (i, id, kind))
            if first[2] is not kind:
                raise OperatorInputError(
                    f"{who}: input {i} ({formal.name}) is '{id}' of type {kind.name}, but input "
                    f"{first[0]} is '{first[1]}' of type {first[2].name}; the operator takes "
                    f"inputs of one type."
                )
    return {name: kind for name, (_, _, kind) in bound.items()}


def _check_attribute(who: str, known: Mapping[str, str], name: str, value: Any) -> None:
    pattern = known.get(name)
    if pattern is None:
        raise unknown_attribute(who, name, value, known)
    if pattern != "*" and not re.fullmatch(pattern, str(value)):
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is {value!r}; the operator takes what matches "
            f"{pattern!r}."
        )
