"""The specifications of REGISTER_OP: what inputs, outputs and attributes an operator has."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popir.definitions import Formal, OpDefinition
from popir.errors import (
    LibraryLoadError,
    OperatorAttributeError,
    OperatorInputError,
    did_you_mean,
)
from popir.foreign.habana.types import NAMES, TENSORFLOW, TENSORFLOW_NAMES
from popir.types import DataType, TensorInfo

_PLAIN = ("int", "float", "bool", "string", "type", "shape")
_KINDS = (*_PLAIN, *(f"list({kind})" for kind in _PLAIN))
_GROUPS = {
    "numbertype": set(NAMES) - {"bool"},
    "realnumbertype": set(NAMES) - {"bool"},
}

Value = bool | int | float | str | list[int] | list[float] | list[str] | list[list[int]]


@dataclass(frozen=True)
class Argument:
    """An input or output: its name, its type or the attribute that is it, and the attribute with
    the number of tensors, if it is several. An attribute that is a list of types gives both.
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
            r"(\{[^}]*\}|list\(\s*(?:\w+|\{[^}]*\})\s*\)|\w+)\s*(?:>=\s*(-?\d+))?\s*(?:=\s*(.*))?",
            rest,
            re.DOTALL,
        )
        if limit is None:
            raise wrong
        kind, allowed = limit[1], ()
        is_list = kind.startswith("list(")
        if is_list:
            kind = kind[5:-1].strip()
        if kind.startswith("{"):
            words = [each.strip() for each in kind[1:-1].split(",") if each.strip()]
            allowed = tuple(each.strip("'\"") for each in words)
            kind = "string" if words and words[0][0] in "'\"" else "type"
        elif kind in _GROUPS:
            kind, allowed = "type", tuple(sorted(_GROUPS[kind]))
        kind = f"list({kind})" if is_list else kind
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
        several: list[Any] = value if isinstance(value, list) and self.kind != "shape" else [value]
        is_type = self.kind in ("type", "list(type)")
        for each in several if self.allowed else ():
            if not (_is_among(each, self.allowed) if is_type else each in self.allowed):
                raise OperatorAttributeError(
                    f"{who}: '{self.name}' may be {', '.join(self.allowed)}; given was {each!r}."
                )
        if self.least is not None and isinstance(value, (int, list)):
            is_list = isinstance(value, list)
            size = len(value) if is_list else value
            if size < self.least:
                raise OperatorAttributeError(
                    f"{who}: '{self.name}' "
                    + (
                        f"has {size} elements; it must have"
                        if is_list
                        else f"is {size}; it must be"
                    )
                    + f" at least {self.least}."
                )
        if is_type:
            numbers = [TENSORFLOW[NAMES[each]] for each in several]
            return numbers if isinstance(value, list) else numbers[0]
        return value


def _is_among(name: str, allowed: Sequence[str]) -> bool:
    return NAMES[name] in {NAMES[each] for each in allowed if each in NAMES}


def _default(kind: str, text: str, wrong: LibraryLoadError) -> Any:
    """A default as Python writes it."""
    plain = text.strip()
    if kind == "shape" and plain.startswith("{"):
        return _shape(plain, wrong)
    if kind == "list(shape)":
        found = re.fullmatch(r"\[\s*((?:\{.*\})?)\s*\]", plain, re.DOTALL)
        shapes = re.split(r"(?<=\})\s*,\s*(?=\{)", found[1]) if found and found[1] else []
        if found:
            return [_shape(each, wrong) for each in shapes]
    # Words are those of types, and of truth.
    known = {"true": "True", "false": "False"}
    if kind in ("type", "list(type)"):
        known |= {name: repr(name) for name in NAMES}
        known |= {f"DT_{name.upper()}": repr(name) for name in NAMES}
    quoted = re.compile(r"'[^']*'|\"[^\"]*\"|\b[A-Za-z_]\w*")
    written = quoted.sub(lambda match: known.get(match[0], match[0]), plain)
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError):
        raise wrong from None
    if _fitted(kind, value) is None:
        raise wrong
    return value


def _shape(text: str, wrong: LibraryLoadError) -> list[int]:
    """A shape as `{ dim { size: 2 } dim { size: -1 } }`."""
    dim = r"dim\s*\{\s*size\s*:\s*(-?\d+)\s*\}"
    if re.fullmatch(rf"\{{\s*(?:{dim}\s*,?\s*)*\}}", text) is None:
        raise wrong
    return [int(size) for size in re.findall(dim, text)]


def _fitted(kind: str, given: Any) -> Any:
    """The value as that kind, None if it is another."""
    whole = isinstance(given, int) and not isinstance(given, bool)
    if kind == "int":
        return given if whole and -(1 << 63) <= given < 1 << 63 else None
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
    if kind == "shape" and isinstance(given, str):
        # How a list of shapes is written in a model.
        try:
            given = json.loads(given)
        except ValueError:
            return None
    if not isinstance(given, (list, tuple)):
        return None
    inner = "int" if kind == "shape" else kind[5:-1]
    items = [_fitted(inner, each) for each in given]
    if kind == "shape" and any(each is not None and each < -1 for each in items):
        return None
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
            kinds = ("type",) if argument.count else ("type", "list(type)")
            if argument.type not in NAMES and (known is None or known.kind not in kinds):
                raise LibraryLoadError(
                    f"{who}: '{argument.name}' is of the type '{argument.type}', which is neither "
                    "a type nor an attribute that is one."
                )
            number = signature.attributes.get(argument.count)
            if argument.count and (number is None or number.kind != "int"):
                raise LibraryLoadError(
                    f"{who}: '{argument.name}' is '{argument.count}' tensors, which is no "
                    "attribute that is an int."
                )
        return signature

    def definition(self) -> OpDefinition:
        """The inputs, outputs and attributes for lists of operators. An input that is a list may
        stand before others, which checks by a definition do not expect: `resolve` is the check.
        """
        inputs, outputs = (
            [self._formal(each) for each in arguments] for arguments in (self.inputs, self.outputs)
        )
        values = {n: "|".join(each.allowed) or "*" for n, each in self.attributes.items()}
        return OpDefinition(inputs, outputs, values)

    def _formal(self, argument: Argument) -> Formal:
        attribute = self.attributes.get(argument.type)
        named = attribute.allowed if attribute else (argument.type,)
        number = self.attributes.get(self._lister(argument))
        return Formal(
            argument.name,
            frozenset(NAMES[each] for each in named if each in NAMES),
            variadic=number is not None,
            least=number.least or 0 if number else 1,
        )

    def inferred(self) -> set[str]:
        """The attributes that inputs give, by their types or their number."""
        return {name for each in self.inputs for name in (each.type, each.count)}

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
        self.known(who, given)
        numbers = self.numbers(who, given, len(inputs))
        values = dict(given)
        for name, number in numbers.items():
            if self.attributes[name].kind == "int":
                values.setdefault(name, number)
        at = 0
        for argument in self.inputs:
            n = numbers.get(self._lister(argument), 1)
            kinds: list[DataType] = []
            for info in inputs[at : at + n]:
                if info is None:
                    raise OperatorInputError(f"{who}: its input '{argument.name}' is left out.")
                kinds.append(info.dataType())
            if self._is_list(argument.type):
                self._infer_list(who, argument, kinds, values)
            for kind in () if self._is_list(argument.type) else kinds:
                self._infer(who, argument, kind, values)
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

    def _is_list(self, type: str) -> bool:
        return type in self.attributes and self.attributes[type].kind == "list(type)"

    def _lister(self, argument: Argument) -> str:
        """The attribute that says how many tensors it is; "" for one tensor."""
        return argument.count or (argument.type if self._is_list(argument.type) else "")

    def numbers(self, who: str, given: Mapping[str, Any], inputs: int) -> dict[str, int]:
        """How many tensors the attributes stand for that say it: as given, by the number of inputs,
        or by default. Raises OperatorInputError for another number of inputs.
        """
        listers = [name for name in map(self._lister, self.inputs) if name]
        single = len(self.inputs) - len(listers)
        found = {name: _number(given[name]) for name in listers if name in given}
        left = inputs - single - sum(found.get(name, 0) for name in listers)
        open_ = [name for name in listers if name not in found]
        if len({*open_}) == 1 and left >= 0 and left % len(open_) == 0:
            found[open_[0]] = left // len(open_)
        if single + sum(found.get(name, 0) for name in listers) != inputs:
            names = ", ".join(argument.name for argument in self.inputs) or "none"
            least = "at least " if open_ else ""
            expected = inputs - left
            raise OperatorInputError(
                f"{who}: it has {least}{expected} input{'' if expected == 1 else 's'} ({names}); "
                f"given were {inputs}."
            )
        for name in map(self._lister, self.outputs):
            value = given.get(name, self.attributes[name].default) if name else None
            if value is not None:
                found.setdefault(name, _number(value))
        return found

    def output_number(self, who: str, given: Mapping[str, Any], inputs: int) -> int:
        """The number of outputs for so many inputs. Raises the errors of `numbers`, and
        OperatorAttributeError if an attribute that says it is missing.
        """
        numbers = self.numbers(who, given, inputs)
        for name in map(self._lister, self.outputs):
            if name and name not in numbers:
                raise OperatorAttributeError(
                    f"{who}: the attribute '{name}', of the kind {self.attributes[name].kind}, is "
                    "required."
                )
        return sum(numbers.get(self._lister(argument), 1) for argument in self.outputs)

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

    def _infer_list(
        self, who: str, argument: Argument, kinds: Sequence[DataType], values: dict[str, Any]
    ) -> None:
        """The same, for an attribute that is a list of types."""
        names = [TENSORFLOW_NAMES.get(kind, kind.name) for kind in kinds]
        before = list(values.setdefault(argument.type, names))
        if [NAMES.get(name) for name in before] != [*kinds]:
            raise OperatorInputError(
                f"{who}: '{argument.type}' is {', '.join(before)}, and its inputs "
                f"'{argument.name}' are of {', '.join(names)}."
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
            if isinstance(number, list):
                found += [each for each in number if isinstance(each, int)]
                continue
            n = attributes[argument.count][1] if argument.count else 1
            assert isinstance(n, int) and isinstance(number, int)
            found += [number] * n
        return found

    def fixed(self) -> list[str]:
        """The names of the inputs before the first list."""
        single = itertools.takewhile(lambda argument: not self._lister(argument), self.inputs)
        return [argument.name for argument in single]

    def places(
        self, arguments: Sequence[Argument], attributes: Mapping[str, tuple[str, Value]]
    ) -> dict[str, tuple[int, int]]:
        """By the names of inputs, or of outputs: the first of its tensors, and how many."""
        found: dict[str, tuple[int, int]] = {}
        at = 0
        for argument in arguments:
            name = self._lister(argument)
            n = _number(attributes[name][1]) if name else 1
            found[argument.name] = at, n
            at += n
        return found


def _number(value: Any) -> int:
    """The number of tensors that the value of an attribute stands for."""
    return len(value) if isinstance(value, (list, tuple)) else int(value)


def snake(name: str) -> str:
    """The name of an operator's function in Python: CustomDivOp becomes custom_div_op, Conv2DOp
    conv2d_op, and Name>SpaceOp name_space_op.

    A word begins at an upper-case letter behind a lower-case one or before one; a digit is neither.
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[^>])(?=[A-Z][a-z])", "_", name)
    return text.replace(">", "_").lower()
