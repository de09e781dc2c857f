"""Computations on scalars, which reductions, sorts and maps of HLO call, for whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from popir.foreign.xla import shapes
from popir.foreign.xla.hlo_text import Computation, Instruction
from popir.foreign.xla.instructions import OPERATORS, At, Operand
from popir.foreign.xla.shapes import Array, Shape, Tuple
from popir.types import DataType

Mask = np.ndarray[Any, np.dtype[np.bool_]]

_KEPT = ("parameter", "tuple", "get-tuple-element", "select", "clamp")
"""Instructions that are the same for arrays, beside the operators that work element by element."""


def mapped(
    at: At, values: Sequence[str], dims: Sequence[int], attribute: str = "to_apply"
) -> list[str]:
    """What the computation that an attribute names returns for each element of arrays of the
    dimensions `dims`.

    Raises ModelError for a computation that works not on scalars or not element by element.
    """
    found = at.run(_over(at, at.called(attribute), tuple(dims)), values)
    return found if isinstance(found, list) else [found]


def _over(at: At, computation: Computation, dims: tuple[int, ...]) -> Computation:
    """The computation with arrays in place of scalars."""

    def wide(leaf: Array) -> Array:
        if leaf.dims or leaf.kind == shapes.TOKEN:
            raise at.wrong(f"its computation '{computation.name}' has the type {leaf}, no scalar")
        return Array(leaf.kind, dims)

    def widened(shape: Shape) -> Shape:
        if isinstance(shape, Tuple):
            return Tuple(tuple(widened(leaf) for leaf in shape.elements))
        return wide(shape)

    steps: list[Instruction] = []
    for each in computation.instructions:
        shape = widened(each.shape)
        known = OPERATORS.get(each.opcode)
        if each.opcode == "constant":
            one = replace(each, name=f"{each.name} of one")
            fill = {"dimensions": "{}"}
            steps += [one, replace(each, shape=shape, opcode="broadcast", attributes=fill)]
            steps[-1].operands = [one.name]
        elif each.opcode == "call":
            inner = _over(at, at.lookup(each, "to_apply"), dims)
            steps += _inlined(each, inner)
        elif each.opcode in _KEPT or (known is not None and known.elementwise):
            steps.append(replace(each, shape=shape))
        else:
            raise at.wrong(
                f"its computation '{computation.name}' has '{each.name}' ({each.opcode}), which "
                "does not work element by element"
            )
    return Computation(computation.name, steps, computation.root)


def _inlined(call: Instruction, inner: Computation) -> list[Instruction]:
    """The instructions of a computation in place of its call."""

    def renamed(name: str) -> str:
        return call.name if name == inner.root else f"{call.name} {name}"

    steps: list[Instruction] = []
    for each in inner.instructions:
        if each.opcode == "parameter":
            source = [call.operands[int(each.operands[0])]]
            steps.append(replace(each, name=renamed(each.name), opcode="copy", operands=source))
        elif each.opcode == "constant":
            steps.append(replace(each, name=renamed(each.name)))
        else:
            operands = [renamed(name) for name in each.operands]
            steps.append(replace(each, name=renamed(each.name), operands=operands))
    return steps


def folded(at: At, values: Sequence[Operand], starts: Sequence[Operand], axis: int) -> list[str]:
    """Arrays combined along an axis, which is then gone, after the starts."""
    dims = [*values[0].dims]
    rest = [n for d, n in enumerate(dims) if d != axis]
    first = [at.on.expand([each.id, at.ints(rest)]) for each in starts]
    if dims[axis] == 0:
        return first
    return mapped(at, [*first, *paired(at, [x.id for x in values], dims, axis)], rest)


Combination = Callable[[Sequence[str], Sequence[str], Sequence[int]], list[str]]
"""Combines two lists of arrays of some dimensions, the earlier elements first."""


def paired(
    at: At,
    values: Sequence[str],
    dims: Sequence[int],
    axis: int,
    there: Mask | None = None,
    combine: Combination | None = None,
) -> list[str]:
    """Arrays of the dimensions `dims` combined along an axis, which is then gone: neighbours in
    pairs, again and again. The order is kept; how it is bracketed XLA too leaves open.

    `there` says which elements count, with dimensions that broadcast to `dims`; by default all.
    Where none counts, any element is the result. `combine` is by default `to_apply`.
    """
    combine = combine or (lambda a, b, dims: mapped(at, [*a, *b], dims))
    dims, found = [*dims], [*values]
    if there is None:
        there = np.ones([n if d == axis else 1 for d, n in enumerate(dims)], np.bool_)
    while (count := dims[axis]) > 1:
        even = count - count % 2
        a, b = ([_part(at, x, axis, i, even, 2) for x in found] for i in (0, 1))
        left, right = (there.take(range(i, even, 2), axis) for i in (0, 1))
        dims[axis] = even // 2
        made = combine(a, b, dims)
        if not (left & right).all():
            one = at.on.constant(left)
            both = at.on.constant(left & right)
            made = [
                at.on.where([both, c, at.on.where([one, x, y])])
                for x, y, c in zip(a, b, made, strict=True)
            ]
        there = np.concatenate([left | right, there.take(range(even, count), axis)], axis)
        if even < count:
            last = [_part(at, x, axis, even, count, 1) for x in found]
            made = [at.on.concat(pair, axis) for pair in zip(made, last, strict=True)]
        found, dims[axis] = made, count - even // 2
    rest = [n for d, n in enumerate(dims) if d != axis]
    return [at.reshape(x, rest) for x in found]


def _part(at: At, x: str, axis: int, start: int, end: int, step: int) -> str:
    return at.on.slice([x, *(at.ints([n]) for n in (start, end, axis, step))])


def require_results(at: At, kinds: Sequence[DataType], attribute: str = "to_apply") -> None:
    """Raises ModelError unless the computation returns scalars of these types."""
    called = at.called(attribute)
    given = called.step(called.root).shape
    found = [(leaf.kind, leaf.dims) for leaf in shapes.leaves(given)]
    if found != [(shapes.name(kind), ()) for kind in kinds]:
        expected = ", ".join(f"{shapes.name(kind)}[]" for kind in kinds)
        raise at.wrong(f"its computation '{called.name}' returns {given}; expected is {expected}")
