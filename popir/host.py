"""Operators that run on the host, between device programs.

A device program has fixed shapes and holds tensors of numbers. An operator whose result has a shape
that depends on the data, or that handles strings, sequences or optional values, is a function in
Python instead, registered by `host_operator`. `popir.segments` runs models that have such
operators; docs/segments.md says how.

Example:

    @host_operator("ai.onnx", "NonZero", 9, 13)
    def nonzero(call: Call, x: Array) -> HostValue:
        return np.array(np.nonzero(x), np.int64)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np

from popir import definitions
from popir.errors import OperatorAttributeError, OperatorInputError, PopirError, popart_exception
from popir.ir import OperatorIdentifier
from popir.ir.attributes import schema_attributes
from popir.onnxio import schemas
from popir.types import DataType, TensorInfo

_T = TypeVar("_T")
Array = np.ndarray[Any, Any]
HostValue = Any
"""A value on the host: an array (strings are an array of objects), a list of values for a sequence,
a dict for a map, or None for an optional value that is empty.
"""


class Call:
    """A node of an operator on the host: its name, its attributes, and how to say what is wrong.

    It serves all runs of the node.
    """

    def __init__(
        self, opid: OperatorIdentifier, name: str, attributes: Mapping[str, Any], outputs: int
    ) -> None:
        """`attributes` are those of the node; defaults are those of the operator's schema.

        Raises OperatorAttributeError for an attribute of another kind, or that is missing.
        """
        self.opid = opid
        self.who = f"{opid} '{name}'" if name else str(opid)
        self.outputs = outputs
        """The number of outputs that the node names."""
        known = schema_attributes(opid)
        self._values = {name: spec.default for name, spec in known.items()}
        for each, value in attributes.items():
            self._values[each] = known[each].coerce(self.who, value) if each in known else value
        self.given = frozenset(attributes)
        """The attributes that the node has."""
        self._kept: Any = None
        missing = [n for n, spec in known.items() if spec.required and n not in attributes]
        if missing:
            raise OperatorAttributeError(
                f"{self.who}: the attribute {', '.join(map(repr, missing))} is required."
            )

    def __getitem__(self, name: str) -> Any:
        """The value of an attribute, its default, or None if it has neither."""
        return self._values.get(name)

    def once(self, make: Callable[[Call], _T]) -> _T:
        """What `make` makes of the attributes, at the first run. A function has one such."""
        if self._kept is None:
            self._kept = make(self)
        return cast(_T, self._kept)

    def wrong(self, why: str) -> OperatorInputError:
        """The error that says what is wrong with the inputs."""
        return OperatorInputError(f"{self.who}: {why}")

    def wrong_attribute(self, why: str) -> OperatorAttributeError:
        """The error that says what is wrong with the attributes."""
        return OperatorAttributeError(f"{self.who}: {why}")

    def axis(self, rank: int, name: str = "axis") -> int:
        """The attribute `axis` counted from 0. Raises OperatorAttributeError if it is out of
        range.
        """
        value = self[name]
        if not -rank <= value < rank:
            raise OperatorAttributeError(
                f"{self.who}: the axis {value} is outside of a tensor of rank {rank}; it must be "
                f"in [{-rank}, {rank - 1}]."
            )
        return value % rank


Function = Callable[..., HostValue]


@dataclass(frozen=True)
class HostOperator:
    """An operator that runs on the host: its identifier, its function, and why it does."""

    opid: OperatorIdentifier
    function: Function
    reason: str

    def call(self, name: str, attributes: Mapping[str, Any], outputs: int) -> Call:
        """A node of the operator, to be run. Raises OperatorAttributeError as `Call` does."""
        return Call(self.opid, name, attributes, outputs)

    def run(self, call: Call, inputs: Sequence[HostValue]) -> list[HostValue]:
        """The outputs for these inputs; MISSING stands for an input that is left out.

        Raises OperatorInputError for inputs that do not fit the operator's schema.
        """
        self._check(call, inputs)
        try:
            with np.errstate(all="ignore"):
                found = self.function(call, *(None if v is MISSING else v for v in inputs))
        except (PopirError, MemoryError):
            raise
        except Exception as error:
            given = ", ".join(map(shown, inputs))
            raise popart_exception(
                f"{call.who} failed on the host, with the inputs {given}: {error}"
            ) from error
        return [_array(v) for v in (found if isinstance(found, tuple) else (found,))]

    def _check(self, call: Call, inputs: Sequence[HostValue]) -> None:
        definition = schemas.definition(self.opid)
        if definition is not None:
            given = [
                None if v is MISSING else (f"value {i}", _kind(v)) for i, v in enumerate(inputs)
            ]
            attributes = {name: call[name] for name in call.given}
            definitions.check(call.who, definition, attributes, given, call.outputs)


def _array(value: HostValue) -> HostValue:
    """The value with an array for each tensor: of no dimension, numpy's functions return numbers,
    and those over objects the string itself.
    """
    if isinstance(value, list):
        return [_array(each) for each in value]
    if isinstance(value, str):
        return np.array(value, object)
    return np.asarray(value) if isinstance(value, np.generic) else value


def _kind(value: HostValue) -> DataType | None:
    return kind_of(value) if isinstance(value, np.ndarray) else None


class _Missing:
    def __repr__(self) -> str:
        return "left out"


MISSING = _Missing()
"""Stands for an input that is left out, unlike None, which is an empty optional value."""

_registered: dict[tuple[str, str], dict[int, HostOperator]] = {}


def host_operator(
    domain: str, type: str, *versions: int, why: str
) -> Callable[[Function], Function]:
    """Registers a function as the operator `type`, in these versions, to run on the host.

    The function gets the Call, then the inputs, with None for one that is left out; it returns its
    output, or a tuple of its outputs. `why` completes "runs on the host: ".
    """

    def register(function: Function) -> Function:
        for version in versions:
            opid = OperatorIdentifier(domain, type, version)
            entry = HostOperator(opid, function, why)
            _registered.setdefault((domain, type), {})[version] = entry
        return function

    return register


def find(domain: str, type: str, opset: int) -> HostOperator | None:
    """The host's operator in the highest version that is not above `opset`; None if there is
    none.
    """
    by_version = _registered.get((domain or "ai.onnx", type), {})
    best = max((version for version in by_version if version <= opset), default=None)
    return None if best is None else by_version[best]


def versions(domain: str, type: str) -> list[int]:
    """The versions of an operator that run on the host, ascending; [] if there is none."""
    return sorted(_registered.get((domain or "ai.onnx", type), ()))


def registered() -> Iterator[HostOperator]:
    """All operators that run on the host, by name and version."""
    for key in sorted(_registered):
        for version in sorted(_registered[key]):
            yield _registered[key][version]


def is_numbers(value: HostValue) -> bool:
    """Whether a value is a tensor of numbers, which a device program can hold."""
    return isinstance(value, np.ndarray) and value.dtype.kind not in "OSU"


def is_strings(value: HostValue) -> bool:
    """Whether a value is a tensor of strings."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "OSU"


def is_sequence(value: HostValue) -> bool:
    """Whether a value is a sequence."""
    return isinstance(value, list)


def kind_of(array: Array) -> DataType:
    """The element type of an array; STRING for objects."""
    return DataType.STRING if array.dtype.kind in "OSU" else DataType.of(array.dtype)


def strings(values: Any, shape: Sequence[int] | None = None) -> Array:
    """An array of strings, of `shape` if that is given."""
    found = np.array(values, dtype=object)
    return found if shape is None else found.reshape(shape)


def shown(value: HostValue) -> str:
    """Type and shape of a value, for messages."""
    if is_numbers(value):
        return str(TensorInfo(value))
    if is_strings(value):
        return f"STRING{list(value.shape)}"
    if isinstance(value, list):
        return f"a sequence of {len(value)}"
    if isinstance(value, dict):
        return f"a map of {len(value)}"
    return "an empty optional value" if value is None else repr(value)
