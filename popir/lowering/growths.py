"""Growing of operators: one like an earlier one gets what that one has added, without its Opx.

Models repeat themselves, and an Opx is Python code of many calls. So what the Opx of an operator
has added to the device's graph is kept, and added again with other variables and other names for
each operator like it (`popir._device.popart.Growth`). The result is what its own Opx would have
added, since that depends on nothing else than

- the class and the members of the operator and its annotations, and the class of the Opx;
- types and shapes of its tensors, and the values of its constants;
- where its inputs lie: the views, and type, shape and tiles of their variables.

All this is compared. Opxs of users and libraries, which may read anything, always grow; so do those
that keep something in the object for later calls, and those that add what Growth does not repeat.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable
from typing import Any

from popir import poplar
from popir._device.popart import Devicex, Growth
from popir.ir import Tensor
from popir.opx import Opx, debug_prefix
from popir.poplar import program, programWrites
from popir.types import TensorInfo

_ELSEWHERE = frozenset({"id", "settings", "input", "output", "twin", "called_names"})
"""Members of an operator that say where it is, or that are compared by themselves."""
_PLAIN = frozenset({type(None), bool, int, str, TensorInfo})
"""Types of which equal values of one type are the same to an Opx."""
_INTEGERS = frozenset({int})
_PARAMETERS = "__dataclass_params__"
"""Where a dataclass has the arguments of its decorator."""
_OF_OPX = {"op_p", "dv_p"}
"""The members of an Opx that keeps nothing for later."""
_LAYOUTS = 8
"""The most growths kept for operators that are alike, but whose inputs lie in different ways."""
_SMALL = 1 << 10
"""The bytes up to which constants are compared by value; larger ones must be the same array."""


class Growths:
    """Grows the operators of one device graph."""

    def __init__(self, devicex: Devicex, repeats: bool = True) -> None:
        """Without `repeats`, each operator is grown by its Opx."""
        self._devicex = devicex
        self._graph: poplar.Graph = devicex.graph()
        self._repeats = repeats
        self._likeness = _Likeness()
        self._known: dict[Hashable, list[Growth] | None] = {}
        """By what operators have in common; None if what they add cannot be repeated."""

    def grow(self, opx: Opx, prog: program.Sequence) -> list[int]:
        """Adds what `opx` adds to the graph and to `prog`, which is empty; sets its outputs.

        Returns the numbers of the variables that it writes and that were there before, ascending.
        """
        op = opx.op_p
        key = self._likeness.of(opx) if self._repeats and _is_comparable(opx) else None
        known = None if key is None else self._known.setdefault(key, [])
        if known is None:
            return self.grow_afresh(opx, prog)
        inputs = [tensor.id for tensor in op.input.values()]
        outputs = [tensor.id for tensor in op.output.values()]
        prefix = debug_prefix(op)
        for n, growth in enumerate(known):
            written = growth.repeat(self._devicex, prog, inputs, outputs, prefix)
            if written is not None:
                known.insert(0, known.pop(n))  # The next operator probably lies like this one.
                return written
        if len(known) == _LAYOUTS:
            return self.grow_afresh(opx, prog)
        growth = Growth(self._devicex)
        written = self.grow_afresh(opx, prog)
        is_plain = vars(opx).keys() == _OF_OPX and all(map(self._devicex.contains, outputs))
        if is_plain and growth.end(self._devicex, prog, inputs, outputs, prefix):
            known.append(growth)
        else:
            self._known[key] = None
        return written

    def grow_afresh(self, opx: Opx, prog: program.Sequence) -> list[int]:
        """The same, by the code of `opx`."""
        before = self._graph.numVariables()
        opx.grow(prog)
        return sorted(v for v in programWrites(self._graph, prog) if v < before)


def _is_comparable(opx: Opx) -> bool:
    """Whether the operator and its Opx are popir's own, in Python."""
    return opx.op_p.source == "built in" and type(opx).__module__.startswith("popir.")


class _Likeness:
    """Keys of operators, which are equal if the operators are alike as far as the IR says."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, Hashable]] = {}
        """The forms of immutable objects, which many operators share, by id; and the objects."""

    def of(self, opx: Opx) -> Hashable:
        """The key of an operator and of its Opx."""
        op = opx.op_p
        return (
            type(opx),
            type(op),
            tuple([(k, self._form(v)) for k, v in vars(op).items() if k not in _ELSEWHERE]),
            self._form(op.settings.nodeAttributes),
            tuple([(i, *_seen(tensor)) for i, tensor in op.input.items()]),
            tuple([(i, tensor.info) for i, tensor in op.output.items()]),
        )

    def _form(self, value: Any) -> Hashable:
        """A value to compare: numbers, text, collections and immutable dataclasses by what they
        hold, anything else by identity.
        """
        kind = value.__class__
        if kind in _PLAIN:
            return kind, value
        if kind is float:
            return kind, value.hex()
        if kind is list or kind is tuple:
            if _INTEGERS.issuperset(map(type, value)):
                return kind, tuple(value)
            return kind, tuple([self._form(each) for each in value])
        if kind is dict:
            if not value:
                return kind
            return kind, tuple([(self._form(k), self._form(v)) for k, v in value.items()])
        fields = _fields(kind)
        if fields is None:
            return kind, id(value)
        known = self._known.get(id(value))
        if known is None:
            form = kind, tuple([self._form(getattr(value, field)) for field in fields])
            known = self._known[id(value)] = value, form
        return known[1]


@functools.cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a class of immutable objects; None for any other class."""
    if not dataclasses.is_dataclass(kind) or not getattr(kind, _PARAMETERS).frozen:
        return None
    return tuple(field.name for field in dataclasses.fields(kind))


def _seen(tensor: Tensor) -> tuple[Hashable, ...]:
    """What an Opx may ask of an input in the IR."""
    if not tensor.isConst() or tensor.data is None:
        return tensor.info, id(tensor.tensorType)
    data = tensor.data
    value = data.tobytes() if data.nbytes <= _SMALL and data.dtype != object else id(data)
    return tensor.info, id(tensor.tensorType), value
