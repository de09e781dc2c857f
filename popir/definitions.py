"""What an operator may be given: `OpDefinition`, and the check against it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popir.errors import OperatorAttributeError, OperatorInputError, did_you_mean, popart_exception
from popir.ir import Tensor
from popir.types import DataType


@dataclass(frozen=True)
class Formal:
    """One declared input or output. No `types` means any."""

    name: str
    types: frozenset[DataType]
    optional: bool = False
    variadic: bool = False
    """Stands for any number of tensors, from the place where it is declared to the last."""

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
        self.inputs = [Formal.of(row) for row in inputs]
        self.outputs = [Formal.of(row) for row in outputs]
        self.attributes = dict(attributes or {})


def check(
    definition: OpDefinition,
    who: str,
    attributes: Mapping[str, Any],
    inputs: Sequence[Tensor | None],
    numOutputs: int | None,
    strict: bool,
) -> None:
    """Compares what an operator is given with its definition; `who` names it in messages.

    If `strict`, a mismatch raises OperatorInputError or OperatorAttributeError; else it is a
    warning.
    """
    try:
        _check_count(who, "input", definition.inputs, len(inputs))
        if numOutputs is not None:
            _check_count(who, "output", definition.outputs, numOutputs)
        for i, tensor in enumerate(inputs):
            _check_input(who, definition.inputs[min(i, len(definition.inputs) - 1)], i, tensor)
        for name, value in attributes.items():
            _check_attribute(who, definition.attributes, name, value)
    except (OperatorInputError, OperatorAttributeError) as error:
        if strict:
            raise
        warnings.warn(f"{error} The OpDefinition of its library may be wrong.", stacklevel=2)


def _check_count(who: str, what: str, formals: list[Formal], given: int) -> None:
    variadic = any(formal.variadic for formal in formals)
    least = sum(not formal.optional for formal in formals) - variadic
    if given < least or (given > len(formals) and not variadic):
        most = "or more" if variadic else f"to {len(formals)}"
        expected = f"{least}" if least == len(formals) else f"{least} {most}"
        names = ", ".join(formal.name for formal in formals)
        raise OperatorInputError(
            f"{who}: given were {given} {what}s; the operator takes {expected} ({names})."
        )


def _check_input(who: str, formal: Formal, i: int, tensor: Tensor | None) -> None:
    if tensor is None:
        if not (formal.optional or formal.variadic):
            raise OperatorInputError(f"{who}: input {i} ({formal.name}) is required.")
    elif tensor.info and formal.types and tensor.info.dataType() not in formal.types:
        types = ", ".join(sorted(kind.name for kind in formal.types))
        raise OperatorInputError(
            f"{who}: input {i} ({formal.name}) is '{tensor.id}' of type "
            f"{tensor.info.data_type()}; the operator takes {types}."
        )


def _check_attribute(who: str, known: Mapping[str, str], name: str, value: Any) -> None:
    pattern = known.get(name)
    if pattern is None:
        takes = f"takes {', '.join(known)}" if known else "takes none"
        raise OperatorAttributeError(
            f"{who}: unknown attribute '{name}' (value {value!r}); the operator {takes}."
            f"{did_you_mean(name, known)}"
        )
    if pattern != "*" and not re.fullmatch(pattern, str(value)):
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is {value!r}; the operator takes what "
            f"matches {pattern!r}."
        )
