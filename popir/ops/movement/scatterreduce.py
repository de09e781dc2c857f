"""ScatterReduce: elements with one index reduced to one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.places import Indices, positions, row_numbers, scatter_rows, strides_of
from popir.registry import OpCreator
from popir.types import DataType

_NAMES = {"sum": "add", "max": "max", "min": "min", "mul": "mul", "none": "none"}


class ScatterReduce(Decomposition):
    """PopART's ScatterReduce: output[..., index, ...] is the reduction of all elements of the data
    with that index along the axis, and of what is there in `initial_values`. Without these,
    places that no index names are 0, and 1 for a product.

    The indices have the data's shape, or are a vector along the axis. With groups the first
    dimension is the group. Without `enable_index_broadcast` they may have fewer elements in any
    dimension; the rest of the data is left out. An index out of range is left out.

    The gradient of "max" and "min" is shared evenly by equal elements.
    """

    axis_size: int
    axis: int
    reduction: str
    enable_index_broadcast: bool
    group_size: int

    def decompose(
        self, on: Decomposer, data: Tensor, indices: Tensor, initial: Tensor | None = None
    ) -> Tensor:
        """ScatterRows of whole rows for a vector of indices, of elements otherwise."""
        axis, reduction = self._checked(on, data)
        given, grouped = on.shape(data), self.group_size > 1
        kind = on.info(data).dataType()
        expanded = self._expanded(on.shape(indices), given, axis)
        indices = on.reshape(on.cast(indices, DataType.INT64), expanded)
        lead = int(grouped)
        others = [d for d in range(len(given)) if d != axis and not (grouped and d == 0)]
        is_vector = all(expanded[d] == 1 for d in others) and expanded[axis] == given[axis]
        if not self.enable_index_broadcast:
            data = self._cut(on, data, expanded)
            is_vector = is_vector and on.shape(data) == expanded
        elif not is_vector and expanded != given:
            raise self.wrong(
                f"Partial broadcasting of indices is not currently supported: the indices "
                f"{expanded} must have the data's shape {given}, or be a vector along the axis "
                f"{axis}."
            )
        shape = on.shape(initial) if initial is not None else on.shape(data)
        fits = len(shape) == len(given) and all(shape[d] == given[d] for d in others)
        if is_vector and not fits:
            indices = on.Expand(indices, on.ints(*given))
        if is_vector and fits and on.shape(data) != expanded:
            order = [*range(lead), axis, *others]
        else:
            order = list(range(len(given)))
            is_vector = False
        if initial is None:
            shape[axis] = self.axis_size
        else:
            if on.info(initial).dataType() is not kind or len(shape) != len(given):
                raise self.wrong(
                    f"the initial values are {on.info(initial)}; expected is the data's type and "
                    f"rank, {on.info(data)}."
                )
        moved = [shape[d] for d in order]
        base = initial if initial is not None else self._start(on, shape, kind)
        base = on.Transpose(base, perm=order) if is_vector else base
        updates = on.Transpose(data, perm=order) if is_vector else data
        if is_vector:
            rows, width = self._vector_rows(on, indices, moved, lead, on.shape(updates))
        else:
            rows, width = self._element_rows(on, indices, shape, axis), 1
        out = scatter_rows(on, base, updates, rows, width, reduction)
        if initial is None and reduction in ("max", "min"):
            out = self._without_untouched(on, out, rows, width)
        if not is_vector:
            return out
        back = [order.index(d) for d in range(len(order))]
        return on.Transpose(out, perm=back)

    def _checked(self, on: Decomposer, data: Tensor) -> tuple[int, str]:
        rank = len(on.shape(data))
        if self.axis_size < 1:
            raise OperatorAttributeError(
                f"{self._who()}: axis_size = {self.axis_size} is not valid: must be > 0."
            )
        if self.group_size < 1:
            raise OperatorAttributeError(
                f"{self._who()}: group_size = {self.group_size} is not valid: must be > 0."
            )
        if not -rank <= self.axis < rank:
            raise OperatorAttributeError(
                f"{self._who()}: axis = {self.axis} is outside the acceptable range "
                f"[{-rank}, {rank - 1}]."
            )
        if self.reduction.lower() not in _NAMES:
            raise OperatorAttributeError(
                f"{self._who()}: the reduction is '{self.reduction}'; it must be one of "
                f"{', '.join(_NAMES)}."
            )
        axis = self.axis % rank
        if self.group_size > 1 and (axis == 0 or on.shape(data)[0] != self.group_size):
            raise self.wrong(
                f"the axis is {axis} of {on.shape(data)}; with {self.group_size} groups the first "
                "dimension must be the group."
            )
        return axis, _NAMES[self.reduction.lower()]

    def _expanded(self, given: list[int], data: list[int], axis: int) -> list[int]:
        """The shape of the indices in the data's rank."""
        lead = int(self.group_size > 1)
        if len(given) == len(data):
            found = given
        elif len(given) == 1 + lead:
            found = [1] * len(data)
            found[:lead], found[axis] = given[:lead], given[-1]
        else:
            raise self.wrong(
                f"Invalid rank for indices input. Indices {given} must have the rank of the data "
                f"{data}, or be a vector for each group."
            )
        if any(n > max(of, 1) for n, of in zip(found, data, strict=True)) or (
            self.enable_index_broadcast
            and any(n not in (1, of) for n, of in zip(found, data, strict=True))
        ):
            raise self.wrong(f"Failed to expand 'indices' shape {given} using 'data' shape {data}.")
        return found

    def _cut(self, on: Decomposer, data: Tensor, shape: list[int]) -> Tensor:
        """The part of the data that the indices choose."""
        if on.shape(data) == shape:
            return data
        return on.Slice(data, on.ints(*[0] * len(shape)), on.ints(*shape))

    def _start(self, on: Decomposer, shape: list[int], kind: DataType) -> Tensor:
        value = 0
        name = self.reduction.lower()
        if name == "mul":
            value = 1
        elif name in ("max", "min"):
            value = _least(kind) if name == "max" else _most(kind)
        return on.ConstantOfShape(on.ints(*shape), value=_one(value, kind))

    def _vector_rows(
        self, on: Decomposer, indices: Tensor, shape: list[int], lead: int, updates: list[int]
    ) -> tuple[Tensor, int]:
        """The rows of the output, [groups, axis_size] of them, and their width."""
        size, count = shape[lead], updates[lead]
        groups = shape[0] if lead else 1
        flat = on.reshape(indices, [groups, count])
        bases = positions(on, [groups, count], [size, 0]) if groups > 1 else []
        part = Indices(flat, size, 1, from_end=False)
        return row_numbers(on, [part], groups * size, bases), math.prod(shape[lead + 1 :])

    def _element_rows(self, on: Decomposer, indices: Tensor, shape: list[int], axis: int) -> Tensor:
        """The number of each element in an output of `shape`."""
        given, strides = on.shape(indices), strides_of(shape)
        if any(n > of for d, (n, of) in enumerate(zip(given, shape, strict=True)) if d != axis):
            raise self.wrong(f"the indices have shape {given}, the output only {shape}.")
        part = Indices(indices, shape[axis], strides[axis], from_end=False)
        steps = [0 if d == axis else stride for d, stride in enumerate(strides)]
        return row_numbers(on, [part], math.prod(shape), positions(on, given, steps))

    def _without_untouched(self, on: Decomposer, out: Tensor, rows: Tensor, width: int) -> Tensor:
        """0 in the rows that no index names."""
        shape = on.shape(out)
        places = math.prod(shape) // width if width else 0
        none = on.ConstantOfShape(on.ints(places, 1), value=_one(0, DataType.INT32))
        count = on.info(rows).nelms()
        ones = on.ConstantOfShape(on.ints(count, 1), value=_one(1, DataType.INT32))
        touched = scatter_rows(on, none, ones, rows, 1)
        flat = on.reshape(out, [places, width])
        named = on.Greater(touched, on.const(0, DataType.INT32))
        return on.reshape(on.Where(named, flat, on.like(0, flat)), shape)


def _one(value: float, kind: DataType) -> np.ndarray[Any, Any]:
    return np.full(1, value, kind.numpy)


def _least(kind: DataType) -> float:
    return -np.inf if kind.numpy.kind not in "iu" else np.iinfo(kind.numpy).min


def _most(kind: DataType) -> float:
    return np.inf if kind.numpy.kind not in "iu" else np.iinfo(kind.numpy).max


OpCreator(ScatterReduce, graphcore_id("ScatterReduce"))
