"""Operator definitions: the inputs, outputs and attributes of an operator, and checks of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popir.errors import OperatorAttributeError, OperatorInputError, popart_exception
from popir.ir import Tensor
from popir.ir.attributes import unknown_attribute
from popir.typed import typed
from popir.types import FLOAT8, DataType, TensorInfo

_INDICES = frozenset({DataType.INT32, DataType.INT64})
_FLOAT = frozenset({DataType.FLOAT})
_HALVES = frozenset({DataType.FLOAT16, DataType.BFLOAT16})

Given = tuple[str, DataType | None]
"""The id of an input, and its element type or None if that is not known."""
Kinds = tuple[DataType | None, ...]
"""The element types of inputs: None for one that is left out, UNDEFINED if it is not known."""


def kinds(inputs: Iterable[Tensor | None]) -> Kinds:
    """The element types of inputs."""
    return tuple(
        [t and (DataType.UNDEFINED if t.info is None else t.info.dataType()) for t in inputs]
    )


@dataclass(frozen=True)
class Formal:
    """One input or output in an operator's definition."""

    name: str
    """The name, for messages and listings."""
    types: frozenset[DataType] = frozenset()
    """The accepted element types; empty for any."""
    optional: bool = False
    """True if it may be left out; each of a variadic formal."""
    variadic: bool = False
    """True for the last formal if it takes any number of tensors, at least `least`."""
    least: int = 1
    """The least number of tensors of a variadic formal."""
    constraint: str = ""
    """ONNX's type constraint, such as "T": all its inputs and outputs have the same type."""
    doc: str = ""
    later: frozenset[DataType] = frozenset()
    """Types that newer versions of the operator accept; they are taken here too, as in PopART."""
    apart: str = ""
    """The constraint in the newest version, where inputs that have one type here may differ."""
    spared: bool = False
    """Whether newer versions of the operator do without it: it may be left out here too."""
    converts: bool = False
    """Whether an input of some other types is converted when a model is read (`conversion`)."""

    def accepts(self, kind: DataType) -> bool:
        """Whether an input may have this element type without a conversion."""
        return not self.types or kind in self.types or kind in self.later

    def conversion(self, kind: DataType) -> DataType | None:
        """The type to which an input of this element type is converted; None for as it is.

        As in PopART, any integers may be indices, sizes and axes, and halves the factors of a size,
        for which ONNX names one or two types.
        """
        if not self.converts or self.accepts(kind):
            return None
        if self.types <= _INDICES and kind.numpy.kind in "iu" and not kind.is_narrow:
            return DataType.INT64 if DataType.INT64 in self.types else DataType.INT32
        if self.types == _FLOAT and kind in _HALVES:
            return DataType.FLOAT
        return None

    @staticmethod
    def of(row: Formal | tuple[Any, ...]) -> Formal:
        """A Formal from ("x", types), ("x", types, "optional") or ("x", types, "variadic").

        Raises popart_exception for a row of another form.
        """
        if isinstance(row, Formal):
            return row
        name, types, *option = row if len(row) > 1 else ("", ())
        is_row = isinstance(name, str) and isinstance(types, Iterable) and len(row) > 1
        if not is_row or option not in ([], ["optional"], ["variadic"]):
            raise popart_exception(
                f"OpDefinition: {row!r} is not (name, types), (name, types, 'optional') or "
                f"(name, types, 'variadic')."
            )
        kinds = frozenset(DataType.of(item) for item in types)
        return Formal(name, kinds, option == ["optional"], option == ["variadic"])

    @property
    def required(self) -> bool:
        """Whether at least one tensor must be given for it."""
        return not self.optional and (not self.variadic or self.least > 0)


class Formals(tuple[Formal, ...]):
    """The declared inputs, or the declared outputs, of an operator, in order."""

    least: int
    """The least number of tensors."""
    most: int | None
    """The greatest number of tensors; None for any."""
    scaled: Formals | None
    """What a contraction takes in place of these if an operand, input 0 or 1, is an 8-bit float
    (`popir.types.FLOAT8`); its outputs are FLOAT16 then.
    """
    unconverted: set[tuple[Kinds, bool]]
    """Types of inputs that the importer has found to need no conversion (`Formal.conversion`,
    `mixes`, `widens`), each with `has_narrow_indices`. Most nodes of a model are like an earlier
    one.
    """

    def __new__(cls, rows: Iterable[Formal | tuple[Any, ...]] = ()) -> Formals:
        """Makes Formals from rows that `Formal.of` accepts. Raises popart_exception for others."""
        if isinstance(rows, Formals):
            return rows
        self = super().__new__(cls, map(Formal.of, rows))
        self.least = max((i + 1 for i, formal in enumerate(self) if formal.required), default=0)
        self.most = len(self)
        self.scaled = None
        self.unconverted = set()
        if self and self[-1].variadic:
            self.most = None
            self.least = max(self.least, len(self) - 1 + self[-1].least if self[-1].least else 0)
        return self

    def at(self, i: int) -> Formal:
        """The formal of the tensor at index `i`; the last one may stand for several tensors."""
        return self[i] if i < len(self) else self[-1]

    def check_count(self, who: str, what: str, given: int) -> None:
        """Raises OperatorInputError for a wrong number. `what` is "input" or "output"."""
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
    """The inputs, outputs and attributes that an operator takes. PopART's `OpDefinition`.

    `inputs` and `outputs` are rows (name, [DataType, ...]), with "optional" or "variadic" as a
    third item if it applies; an empty list of types allows any type. `attributes` maps each name to
    a regular expression that must match the whole value as text; "*" allows any value. An attribute
    that is not there is refused when the operator is made.
    """

    def __init__(
        self,
        inputs: Iterable[Formal | tuple[Any, ...]] = (),
        outputs: Iterable[Formal | tuple[Any, ...]] = (),
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        """Raises popart_exception for a row of another form."""
        self.inputs = Formals(inputs)
        self.outputs = Formals(outputs)
        self.attributes = dict(attributes or {})
        self.fitting: set[tuple[Kinds, int | None]] = set()
        """What has been found to fit: element types of inputs, and the number of outputs. Most
        nodes of a model are like an earlier one.
        """


def check(
    who: str,
    definition: OpDefinition,
    attributes: Mapping[str, Any],
    inputs: Sequence[Given | None],
    numOutputs: int | None = None,
    infos: Sequence[TensorInfo | None] = (),
) -> None:
    """Checks the arguments of an operator against its definition; `who` names it in messages.

    `inputs` are in order, with None for one that is left out. `numOutputs` is None if not known;
    `infos` are those of the inputs, for messages, as far as known.
    Raises OperatorInputError or OperatorAttributeError.
    """
    check_inputs(who, definition.inputs, inputs, infos=infos)
    if numOutputs is not None:
        definition.outputs.check_count(who, "output", numOutputs)
    for name, value in attributes.items():
        _check_attribute(who, definition.attributes, name, value)


def check_inputs(
    who: str,
    formals: Formals,
    inputs: Sequence[Given | None],
    converting: bool = False,
    infos: Sequence[TensorInfo | None] = (),
) -> dict[str, DataType]:
    """Checks number, presence and element types of inputs; see `check`. With `converting`, types
    are allowed that a conversion fits (`Formal.conversion`, `mixes`, `widens`).

    Returns the element type of each type constraint, as far as known: {"T": DataType.FLOAT}.
    """
    if formals.scaled is not None and any(given and given[1] in FLOAT8 for given in inputs[:2]):
        check_inputs(who, formals.scaled, inputs, converting, infos)
        return {formal.constraint: DataType.FLOAT16 for formal in formals}
    formals.check_count(who, "input", len(inputs))
    bound: dict[str, tuple[int, str, DataType]] = {}
    for i, given in enumerate(inputs):
        formal = formals.at(i)
        if given is None:
            if not (formal.optional or formal.spared):
                raise OperatorInputError(f"{who}: input {i} ({formal.name}) is required.")
            continue
        id, kind = given
        if kind is None:
            continue
        if converting:
            kind = formal.conversion(kind) or kind
        if not formal.accepts(kind):
            takes = ", ".join(sorted(each.name for each in formal.types))
            raise OperatorInputError(
                f"{who}: input {i} ({formal.name}) is '{id}' of type {kind.name}; the operator "
                f"takes {takes}."
            )
        if formal.constraint:
            first = bound.setdefault(formal.constraint, (i, id, kind))
            if converting and formal.converts and mixes(first[2], kind):
                half = kind if kind in _HALVES else first[2]
                bound[formal.constraint] = (*first[:2], half)
            elif converting and formal.converts and widens(first[2], kind):
                bound[formal.constraint] = (*first[:2], DataType.INT64)
            elif first[2] is not kind and formals.at(first[0]).apart == formal.apart:
                raise OperatorInputError(
                    f"{who}: input {i} ({formal.name}) is '{id}' of type {kind.name}, but input "
                    f"{first[0]} is '{first[1]}' of type {first[2].name}; the operator takes "
                    f"inputs of one type{_incompatible(first, (i, id, kind), infos)}"
                )
    return {name: kind for name, (_, _, kind) in bound.items()}


def _incompatible(
    one: tuple[int, str, DataType],
    other: tuple[int, str, DataType],
    infos: Sequence[TensorInfo | None],
) -> str:
    """The end of the message for two types that do not go together, in PopART's words."""
    found = [infos[i] if i < len(infos) else None for i, *_ in (one, other)]
    shapes = [f"[{' '.join(map(str, info.shape()))}]" for info in found if info is not None]
    if len(shapes) < 2:
        return "."
    types = f"{one[2].name} and {other[2].name}"
    return f": incompatible types {types} (shapes {' and '.join(shapes)})"


def mixes(a: DataType, b: DataType) -> bool:
    """Whether two types may meet under one constraint: halves and FLOAT, of which one number, as
    in PopART, is converted to the halves.
    """
    return DataType.FLOAT in (a, b) and (a in _HALVES or b in _HALVES)


INDEX_OUTPUTS = {"ArgMax": 0, "ArgMin": 0, "TopK": 1}
"""The outputs of ONNX's operators that are indices, INT64; in PopART INT32."""
has_narrow_indices = False
"""Whether indices have PopART's type."""


def indices_as_popart() -> None:
    """Lets models from now on have indices (`INDEX_OUTPUTS`) as INT32, which programs for PopART
    expect, and INT32 under one constraint with INT64, to which it is converted.
    """
    global has_narrow_indices
    has_narrow_indices = True


def narrow_index(domain: str, type: str) -> int | None:
    """The output of an operator that is converted to INT32; None if there is none."""
    is_known = has_narrow_indices and domain in ("", "ai.onnx")
    return INDEX_OUTPUTS.get(type) if is_known else None


def widens(a: DataType, b: DataType) -> bool:
    """Whether two types may meet under one constraint: INT32, which is converted, and INT64."""
    return has_narrow_indices and {a, b} == {DataType.INT32, DataType.INT64}


def _check_attribute(who: str, known: Mapping[str, str], name: str, value: Any) -> None:
    pattern = known.get(name)
    if pattern is None:
        raise unknown_attribute(who, name, value, known)
    if pattern != "*" and not re.fullmatch(pattern, str(value)):
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is {value!r}; the operator takes what matches "
            f"{pattern!r}."
        )
