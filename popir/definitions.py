"""What an operator may be given: `OpDefinition`, and the checks against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from popir.errors import OperatorAttributeError, OperatorInputError, did_you_mean, popart_exception
from popir.types import DataType


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
        name, types, *option = row
        if option not in ([], ["optional"], ["variadic"]):
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


@dataclass(frozen=True)
class OpDefinition:
    """The inputs, outputs and attributes that an operator takes.

    `inputs` and `outputs` are rows (name, [DataType, ...]), with "optional" or "variadic" as a
    third item where it holds. `attributes` maps each name to a regular expression that the value,
    as text, must match whole; "*" is any value.
    """

    inputs: Sequence[Formal | tuple[Any, ...]] = ()
    outputs: Sequence[Formal | tuple[Any, ...]] = ()
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])


def check(
    who: str,
    definition: OpDefinition,
    attributes: Mapping[str, Any],
    inputs: Sequence[tuple[str, DataType | None] | None],
    numOutputs: int | None = None,
) -> None:
    """Compares what an operator is given with its definition; `who` names it in messages.

    `inputs` are the id and, where known, the element type of each, in order; None is left out.
    Raises OperatorInputError or OperatorAttributeError.
    """
    check_inputs(who, [Formal.of(row) for row in definition.inputs], inputs)
    if numOutputs is not None:
        check_count(who, "output", [Formal.of(row) for row in definition.outputs], numOutputs)
    for name, value in attributes.items():
        _check_attribute(who, definition.attributes, name, value)


def check_count(who: str, what: str, formals: Sequence[Formal], given: int) -> None:
    """Raises OperatorInputError unless `formals` allow that many inputs or outputs."""
    last = formals[-1] if formals else None
    least = max((i + 1 for i, formal in enumerate(formals) if formal.required), default=0)
    most = len(formals)
    if last is not None and last.variadic:
        least = max(least, len(formals) - 1 + last.least) if last.least else least
        most = max(given, most)
    if not least <= given <= most:
        names = ", ".join(formal.name for formal in formals)
        if last is not None and last.variadic:
            expected = f"{least} or more"
        else:
            expected = f"{least}" if least == most else f"{least} to {most}"
        raise OperatorInputError(
            f"{who} has invalid number of {what}s {given}: it takes {expected}"
            f"{f' ({names})' if names else ''}."
        )


def check_inputs(
    who: str, formals: Sequence[Formal], inputs: Sequence[tuple[str, DataType | None] | None]
) -> dict[str, DataType]:
    """Checks number, presence and element types of inputs; see `check`.

    Returns the element type that each type constraint stands for here, where it is known.
    """
    check_count(who, "input", formals, len(inputs))
    bound: dict[str, tuple[int, str, DataType]] = {}
    for i, given in enumerate(inputs):
        formal = formals[min(i, len(formals) - 1)]
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
                    f"{who}: input {i} ({formal.name}) is '{id}' of type {kind.name}, but "
                    f"input {first[0]} is '{first[1]}' of type {first[2].name}; the operator takes "
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


def unknown_attribute(
    who: str, name: str, value: Any, known: Iterable[str]
) -> OperatorAttributeError:
    """The error for an attribute that is not one of the `known`."""
    names = list(known)
    takes = f"takes {', '.join(names)}" if names else "takes none"
    return OperatorAttributeError(
        f"{who}: unknown attribute '{name}' (value {value!r}); the operator {takes}."
        f"{did_you_mean(name, names)}"
    )
