"""The specifications of REGISTER_OP: what inputs, outputs and attributes an operator has."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popir.errors import (
    LibraryLoadError,
    OperatorAttributeError,
    OperatorInputError,
    did_you_mean,
)
from popir.foreign.habana.types import NAMES, TENSORFLOW, TENSORFLOW_NAMES
from popir.types import DataType, TensorInfo

_PLAIN = ("int", "float", "bool", "string", "type", "shape")
_KINDS = (*_PLAIN, "list(int)", "list(float)", "list(string)")
_GROUPS = {
    "numbertype": set(NAMES) - {"bool"},
    "realnumbertype": set(NAMES) - {"bool"},
}

Value = bool | int | float | str | list[int] | list[float] | list[str]


@dataclass(frozen=True)
class Argument:
    """An input or output: its name, its type or the attribute that is it, and the attribute with
    the number of tensors, if it is several.
    """

    name: str
    type: str
    count: str = ""

    @staticmethod
    def parse(who: str, text: str) -> Argument:
        """Reads "x: T", "x: float" or "xs: N * T". Raises LibraryLoadError for anything else."""
        match = re.fullmatch(r"\s*(\w+)\s*:\s*(?:(\w+)\s*\*\s*)?(\w+)\s*", text)
        if match is None:
            raise LibraryLoadError(
                f"{who}: '{text}' is no input or output that popir can have; write 'name: type', "
                "'name: T' with an attribute T, or 'name: N * T'."
            )
        return Argument(match[1], match[3], match[2] or "")


@dataclass(frozen=True)
class Attribute:
    """An attribute: its kind, the values that it may have, and its default."""

    name: str
    kind: str
    allowed: tuple[str, ...] = ()
    least: int | None = None
    default: Any = None

    @staticmethod
    def parse(who: str, text: str) -> Attribute:
        """Reads "T: {float, bfloat16}", "n: int >= 1 = 3" and so on. Raises LibraryLoadError for
        anything else.
        """
        match = re.fullmatch(r"\s*(\w+)\s*:\s*(.*?)\s*", text, re.DOTALL)
        wrong = LibraryLoadError(f"{who}: '{text}' is no attribute that popir can have.")
        if match is None:
            raise wrong
        name, rest = match[1], match[2]
        limit = re.fullmatch(
            r"(\{[^}]*\}|list\(\w+\)|\w+)\s*(?:>=\s*(-?\d+))?\s*(?:=\s*(.*))?", rest, re.DOTALL
        )
        if limit is None:
            raise wrong
        kind, allowed = limit[1], ()
        if kind.startswith("{"):
            words = [each.strip() for each in kind[1:-1].split(",") if each.strip()]
            allowed = tuple(each.strip("'\"") for each in words)
            kind = "string" if words and words[0][0] in "'\"" else "type"
        elif kind in _GROUPS:
            kind, allowed = "type", tuple(sorted(_GROUPS[kind]))
        if kind not in _KINDS:
            raise wrong
        least = None if limit[2] is None else int(limit[2])
        given = limit[3]
        default = None if given is None else _default(kind, given, wrong)
        return Attribute(name, kind, allowed, least, default)

    def value(self, who: str, given: Any) -> Value:
        """The value for C++: a type is its number. Raises OperatorAttributeError for another kind,
        or one that is not allowed.
        """
        value = _fitted(self.kind, given)
        if value is None:
            raise OperatorAttributeError(
                f"{who}: the attribute '{self.name}' is of the kind {self.kind}; given was "
                f"{given!r}."
            )
        if self.kind == "type":
            if self.allowed and not _is_among(value, self.allowed):
                raise OperatorAttributeError(
                    f"{who}: '{self.name}' may be {', '.join(self.allowed)}; given was {given!r}."
                )
            return TENSORFLOW[NAMES[value]]
        if self.allowed and value not in self.allowed:
            raise OperatorAttributeError(
                f"{who}: '{self.name}' may be {', '.join(self.allowed)}; given was {given!r}."
            )
        if self.least is not None and isinstance(value, int) and value < self.least:
            raise OperatorAttributeError(
                f"{who}: '{self.name}' is {value}; it must be at least {self.least}."
            )
        return value


def _is_among(name: str, allowed: Sequence[str]) -> bool:
    return NAMES[name] in {NAMES[each] for each in allowed if each in NAMES}


def _default(kind: str, text: str, wrong: LibraryLoadError) -> Any:
    """A default as Python writes it."""
    if kind == "type":
        name = text.strip().removeprefix("DT_").lower()
        if name not in NAMES:
            raise wrong
        return name
    plain = text.strip()
    if plain in ("true", "false"):
        return plain == "true"
    try:
        return ast.literal_eval(plain)
    except (ValueError, SyntaxError):
        raise wrong from None


def _fitted(kind: str, given: Any) -> Any:
    """The value as that kind, None if it is another."""
    whole = isinstance(given, int) and not isinstance(given, bool)
    if kind == "int":
        return given if whole else None
    if kind == "float":
        return float(given) if whole or isinstance(given, float) else None
    if kind == "bool":
        return bool(given) if isinstance(given, bool) or given in (0, 1) else None
    if kind == "string":
        return given if isinstance(given, str) else None
    if kind == "type":
        if isinstance(given, DataType):
            given = TENSORFLOW_NAMES.get(given)
        return given if isinstance(given, str) and given in NAMES else None
    if not isinstance(given, (list, tuple)):
        return None
    inner = "int" if kind == "shape" else kind[5:-1]
    items = [_fitted(inner, each) for each in given]
    return None if any(each is None for each in items) else items


@dataclass(frozen=True)
class Signature:
    """All that REGISTER_OP says of an operator's arguments."""

    who: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    attributes: Mapping[str, Attribute]

    @staticmethod
    def parse(
        who: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Sequence[str]
    ) -> Signature:
        """Raises LibraryLoadError for texts that popir cannot read, or that contradict each
        other.
        """
        parsed = [Attribute.parse(who, each) for each in attributes]
        signature = Signature(
            who,
            tuple(Argument.parse(who, each) for each in inputs),
            tuple(Argument.parse(who, each) for each in outputs),
            {each.name: each for each in parsed},
        )
        for argument in [*signature.inputs, *signature.outputs]:
            known = signature.attributes.get(argument.type)
            if argument.type not in NAMES and (known is None or known.kind != "type"):
                raise LibraryLoadError(
                    f"{who}: '{argument.name}' is of the type '{argument.type}', which is neither "
                    "a type nor an attribute that is one."
                )
            if argument.count and argument.count not in signature.attributes:
                raise LibraryLoadError(
                    f"{who}: '{argument.name}' is '{argument.count}' tensors, which is no "
                    "attribute."
                )
        return signature

    def known(self, who: str, given: Mapping[str, Any]) -> None:
        """Raises OperatorAttributeError for an attribute that is unknown or wrong."""
        for name, value in given.items():
            if name not in self.attributes:
                raise OperatorAttributeError(
                    f"{who}: there is no attribute '{name}'; there are "
                    f"{', '.join(self.attributes) or 'none'}.{did_you_mean(name, self.attributes)}"
                )
            self.attributes[name].value(who, value)

    def resolve(
        self, who: str, given: Mapping[str, Any], inputs: Sequence[TensorInfo | None]
    ) -> dict[str, tuple[str, Value]]:
        """Kind and value of every attribute, with defaults, and with types and numbers of tensors
        from the inputs.

        Raises OperatorAttributeError for an attribute that is unknown, missing or wrong, and
        OperatorInputError for inputs that do not fit.
        """
        values = dict(given)
        self.known(who, given)
        self._count(who, values, len(inputs))
        at = 0
        for argument in self.inputs:
            n = int(values[argument.count]) if argument.count else 1
            for info in inputs[at : at + n]:
                if info is None:
                    raise OperatorInputError(f"{who}: its input '{argument.name}' is left out.")
                self._infer(who, argument, info.dataType(), values)
            at += n
        found: dict[str, tuple[str, Value]] = {}
        for name, attribute in self.attributes.items():
            value = values.get(name, attribute.default)
            if value is None:
                raise OperatorAttributeError(
                    f"{who}: the attribute '{name}', of the kind {attribute.kind}, is required."
                )
            found[name] = attribute.kind, attribute.value(who, value)
        return found

    def _count(self, who: str, values: dict[str, Any], given: int) -> None:
        """Infers numbers of tensors, and checks the number of inputs."""
        single = sum(not argument.count for argument in self.inputs)
        open_ = {each.count for each in self.inputs if each.count and each.count not in values}
        if len(open_) == 1:
            name = open_.pop()
            lists = sum(argument.count == name for argument in self.inputs)
            known = sum(int(values[a.count]) for a in self.inputs if a.count and a.count != name)
            if (given - single - known) % lists == 0:
                values[name] = (given - single - known) // lists
        expected = single + sum(int(values.get(a.count, 0)) for a in self.inputs if a.count)
        if expected != given:
            names = ", ".join(argument.name for argument in self.inputs) or "none"
            raise OperatorInputError(
                f"{who}: it has {expected} inputs ({names}); given were {given}."
            )

    def _infer(self, who: str, argument: Argument, kind: DataType, values: dict[str, Any]) -> None:
        """Checks the type of an input, or takes it for its attribute."""
        name = TENSORFLOW_NAMES.get(kind, kind.name)
        if argument.type in NAMES:
            if NAMES[argument.type] is not kind:
                raise OperatorInputError(
                    f"{who}: its input '{argument.name}' is of {argument.type}; given was {name}."
                )
            return
        before = values.setdefault(argument.type, name)
        if before not in NAMES or NAMES[before] is not kind:
            raise OperatorInputError(
                f"{who}: '{argument.type}' is {before}, and its input '{argument.name}' is of "
                f"{name}."
            )
        allowed = self.attributes[argument.type].allowed
        if name not in NAMES or (allowed and not _is_among(name, allowed)):
            raise OperatorInputError(
                f"{who}: its input '{argument.name}' is of {name}; '{argument.type}' may be "
                f"{', '.join(allowed or NAMES)}."
            )

    def output_types(self, attributes: Mapping[str, tuple[str, Value]]) -> list[int]:
        """TensorFlow's numbers of the types of all outputs."""
        found: list[int] = []
        for argument in self.outputs:
            number = (
                TENSORFLOW[NAMES[argument.type]]
                if argument.type in NAMES
                else attributes[argument.type][1]
            )
            n = attributes[argument.count][1] if argument.count else 1
            assert isinstance(n, int) and isinstance(number, int)
            found += [number] * n
        return found

    def indices(self, names: Sequence[str]) -> frozenset[int]:
        """The inputs of these names; none for one behind a list, whose place is not fixed."""
        plain = []
        for argument in self.inputs:
            if argument.count:
                break
            plain.append(argument.name)
        return frozenset(plain.index(name) for name in names if name in plain)


def snake(name: str) -> str:
    """The name of an operator's function in Python: CustomDivOp becomes custom_div_op."""
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", text).lower()
