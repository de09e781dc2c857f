"""Pad: adds elements around a tensor, or cuts elements off."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.integers import Form, Integers
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.narrow import as_computed, as_stored
from popir.ops.support.second_order import put_along
from popir.ops.support.shapes import axis, broadcast_to, const_input
from popir.opx import Opx, host_type
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo, as_bytes

NUMPY_MODES = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}
"""The modes that repeat input elements, with numpy's names of them. The other mode is
"constant".
"""
VALUE = 2


class Run(NamedTuple):
    """A run of consecutive output elements along an axis with input positions begin, begin + step,
    ...
    """

    begin: int
    length: int
    step: int
    """1, -1, or 0 if one element is repeated."""

    def of(self, t: Tensor, axis: int) -> Tensor:
        """The view of `t` with the elements of the run, each once."""
        if not self.step:
            return t.slice(self.begin, self.begin + 1, axis)
        first = min(self.begin, self.begin + self.step * (self.length - 1))
        view = t.slice(first, first + self.length, axis)
        return view.reverse(axis) if self.step < 0 else view


NOWHERE = -1
"""The source position of elements with the constant value."""


class PadOp(Op):
    """ONNX's Pad, versions 2, 11, 13, 18, 19, 21, 23, 24 and 25: adds elements before and after
    input 0 along each axis; negative amounts cut off.

    Inputs 1 and 3 are the amounts (all before, then all after) and the axes (all by default), which
    must be known at compile time; of amounts at least the sum for each axis (`padded`). Input 2 is
    the value for the mode "constant" (0 by default). Before version 11 these are attributes.
    """

    constantInputs = frozenset({1, 3})
    mode: str
    pads: list[int] | None
    value: float | None

    def expand(self, inputs: Sequence[IrTensor | None], outputs: Sequence[str]) -> bool:
        """Adds what pads by amounts that are computed at run time, to a size that is known."""
        x, pads, value, named = [*inputs, None, None, None][:4]
        if x is None or pads is None or pads.data is not None or not any(outputs):
            return False
        assert x.info is not None and pads.info is not None
        rank = x.info.rank()
        if named is not None and named.data is None:
            return False
        given = list(range(rank)) if named is None else np.asarray(named.data).reshape(-1).tolist()
        along = [axis(self, name, rank) for name in given]
        if len(set(along)) < len(along) or pads.info.shape() != [2 * len(along)]:
            return False
        if self.mode != "constant" and self.mode not in NUMPY_MODES:
            return False
        if value is not None and (value.info is None or value.info.nelms() != 1):
            return False
        on, kind = Decomposer(self, outputs[0]), x.info.dataType()
        if kind.is_narrow:
            value = value or on.const(0, kind)
            x, value = (as_computed(on, each) for each in (x, value))
        found = padded(on, x, pads, value, along, self.mode)
        if found is None:
            return False
        on.name([as_stored(on, found, kind)], outputs)
        return True

    def amounts(self) -> list[tuple[int, int]]:
        """The numbers of elements (before, after) for each axis. Raises OperatorInputError if they
        do not fit the axes.
        """
        rank = self.inRank(0)
        found = const_input(self, 1)
        pads = [int(v) for v in found.reshape(-1)] if found is not None else self.pads
        named = const_input(self, 3)
        axes = [axis(self, int(v), rank) for v in named.reshape(-1)] if named is not None else None
        axes = list(range(rank)) if axes is None else axes
        if pads is None or len(pads) != 2 * len(axes) or len(set(axes)) != len(axes):
            raise OperatorInputError(
                f"{self.debugName()}: the pads are {pads}; expected are two for each of the axes "
                f"{axes}, all that go before first."
            )
        amounts = [(0, 0)] * rank
        for i, a in enumerate(axes):
            amounts[a] = (pads[i], pads[i + len(axes)])
        return amounts

    def sources(self) -> list[Array]:
        """For each axis, the input position of each output element; `NOWHERE` for the constant
        value.

        Example: reflect with amounts (2, 0) on 3 elements gives [2, 1, 0, 1, 2].
        """
        return [
            self._along(size, before, after)
            for size, (before, after) in zip(self.inShape(0), self.amounts(), strict=True)
        ]

    def _along(self, size: int, before: int, after: int) -> Array:
        added, cut = (max(before, 0), max(after, 0)), (max(-before, 0), max(-after, 0))
        kept = np.arange(size)[cut[0] : max(size - cut[1], 0)]
        mode = NUMPY_MODES.get(self.mode)
        if mode is None:  # The amounts may be any of int64, with opposite signs.
            count = size + before + after
            at = np.arange(count) + max(min(-before, size), -count)
            return np.where((at >= 0) & (at < size), at, NOWHERE)
        return np.pad(kept, added, mode=mode)  # pyright: ignore[reportCallIssue, reportArgumentType]

    def setup(self) -> None:
        """Infers the padded shape.

        Raises OperatorAttributeError for an unknown mode; OperatorInputError for a negative size, a
        mode that would repeat elements of an empty axis, and a constant that is not one number.
        """
        if self.mode != "constant" and self.mode not in NUMPY_MODES:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'mode' is {self.mode!r}; expected is one of "
                f"constant, {', '.join(NUMPY_MODES)}."
            )
        if self.hasInput(VALUE) and self.inInfo(VALUE).nelms() != 1:
            raise OperatorInputError(
                f"{self.debugName()}: the constant '{self.inId(VALUE)}' is {self.inInfo(VALUE)}; "
                "expected is one number."
            )
        shape = self.inShape(0)
        for a, (before, after) in enumerate(self.amounts()):
            size, kept = shape[a], shape[a] + min(before, 0) + min(after, 0)
            shape[a] += before + after
            repeats = self.mode != "constant" and max(before, after) > 0
            if shape[a] < 0 or (repeats and kept <= 0):
                raise OperatorInputError(
                    f"{self.debugName()}: axis {a} has {size} elements, of which {before} and "
                    f"{after} more or less cannot be made."
                )
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The padded array, by numpy."""
        if 0 not in inputs or (self.hasInput(VALUE) and VALUE not in inputs):
            return None
        found = inputs[0]
        value = inputs[VALUE].reshape(()) if VALUE in inputs else self.value or 0
        for a, along in enumerate(self.sources()):
            if not found.shape[a]:
                found = np.zeros([*found.shape[:a], 1, *found.shape[a + 1 :]], found.dtype)
            outside = np.expand_dims(along == NOWHERE, [d for d in range(found.ndim) if d != a])
            found = np.where(outside, value, np.take(found, along, a)).astype(found.dtype)
        return [found]

    def getGradOps(self) -> list[Op]:
        """One gradient operator for the data, and one for the constant."""
        return [PadGradOp(self), *([PadValueGradOp(self)] if self.hasInput(VALUE) else [])]


def padded(
    on: Decomposer,
    x: IrTensor,
    pads: IrTensor,
    value: IrTensor | None,
    axes: Sequence[int],
    mode: str,
) -> IrTensor | None:
    """`x`, padded by amounts that only the run knows; None if the sizes of the result are not
    known, or if a mode other than "constant" might have to cut off.
    """
    forms, shape = Integers().of(pads), on.shape(x)
    if forms is None:
        return None
    amounts = [(forms[i], forms[i + len(axes)]) for i in range(len(axes))]
    sizes = [
        before + after + Form(shape[a]) for a, (before, after) in zip(axes, amounts, strict=True)
    ]
    cuts = mode != "constant" and any(form.low < 0 for pair in amounts for form in pair)
    if cuts or any(not size.is_constant or size.constant < 0 for size in sizes):
        return None
    if mode != "constant" and any(shape[a] == 0 for a in axes):
        return None
    for i, (a, count) in enumerate(zip(axes, (size.constant for size in sizes), strict=True)):
        size = shape[a]
        before = on.cast(on.Gather(pads, on.ints(i), axis=0), DataType.INT64)
        at = on.Sub(on.const(np.arange(count, dtype=np.int64)), before)
        if mode == "constant":
            inside = on.And(on.GreaterOrEqual(at, on.ints(0)), on.Less(at, on.ints(size)))
            x = on.Gather(x, on.Where(inside, at, on.ints(size)), axis=a)  # Zeros for `size`.
            if value is not None:
                wide = on.reshape(inside, [count, *[1] * (len(shape) - a - 1)])
                x = on.Where(wide, x, on.reshape(value, []))
            continue
        if mode == "edge":
            at = on.Min(on.Max(at, on.ints(0)), on.ints(size - 1))
        elif mode == "wrap":
            at = on.Mod(at, on.ints(size))
        else:
            there_and_back = max(2 * (size - 1), 1)
            at = on.Mod(at, on.ints(there_and_back))
            at = on.Min(at, on.Sub(on.ints(there_and_back), at)) if size > 1 else at
        x = on.Gather(x, at, axis=a)
    return x


class PadGradOp(InputGradOp):
    """For each input element, the sum of the gradients of the output elements copied from it."""

    opid = graphcore_id("PadGrad")

    def __init__(self, fwdOp: PadOp) -> None:
        super().__init__(fwdOp)
        self.sources = fwdOp.sources()

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """The same by operators, axis by axis."""
        for a, along in enumerate(self.sources):
            g = put_along(on, g, a, along, self.target().shape()[a])
        return g


class PadValueGradOp(InputGradOp):
    """The sum of the gradients of the output elements that have the constant value."""

    opid = graphcore_id("PadValueGrad")

    def __init__(self, fwdOp: PadOp) -> None:
        super().__init__(fwdOp, VALUE)
        self.sources = fwdOp.sources()

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """The same by operators."""
        along = [each != NOWHERE for each in self.sources]
        inside = functools.reduce(np.logical_and.outer, along, np.True_)
        outside = on.Where(on.const(inside, DataType.BOOL), on.like(0, g), g)
        return on.reshape(on.ReduceSum(outside, keepdims=0), self.target().shape())


def runs(along: Array) -> list[Run]:
    """The positions `along` an axis as the fewest runs."""
    found: list[Run] = []
    for source in along.tolist():
        last = found[-1] if found else None
        step = source - (last.begin + last.step * (last.length - 1)) if last else 2
        goes_on = step == last.step if last and last.length > 1 else abs(step) <= 1
        if last and goes_on and (source == NOWHERE) == (last.begin == NOWHERE):
            found[-1] = Run(last.begin, last.length + 1, step)
        else:
            found.append(Run(source, 1, 1))
    return [run._replace(step=0) if run.begin == NOWHERE else run for run in found]


class PadOpx(Opx):
    """The lowering: joins views, then copies them once."""

    def grow(self, prog: program.Sequence) -> None:
        """Concatenates the runs axis by axis, and copies the result."""
        op, t = self.getOp(PadOp), self.getInTensor(0)
        for a, along in enumerate(op.sources()):
            pieces = [self._piece(t, run, a) for run in runs(along)]
            t = poplar.concat(pieces, a) if pieces else t.slice(0, 0, a)
        self.setOutTensor(0, self.cloneNcopy(prog, t))

    def _piece(self, t: Tensor, run: Run, a: int) -> Tensor:
        if run.begin != NOWHERE:
            view = run.of(t, a)
            return view if run.step else view.broadcast(run.length, a)
        shape = list(t.shape())
        shape[a] = run.length
        return broadcast_to(self._value(t), shape)

    def _value(self, t: Tensor) -> Tensor:
        op = self.getOp(PadOp)
        if op.hasInput(VALUE):
            return self.getInTensor(VALUE).reshape([])
        info = op.inInfo(0)
        value = as_bytes(np.array(op.value or 0, info.dataType().numpy))
        return self.getConst(host_type(info), [], value, "value").reinterpret(t.elementType())


class PadGradOpx(Opx):
    """The lowering of the gradient: sums axis by axis, the last axis first."""

    def grow(self, prog: program.Sequence) -> None:
        """For each axis, starts with a run that covers the whole axis, or with zeros, and adds the
        other runs.
        """
        op, g = self.getOp(PadGradOp), self.getInTensor(0)
        for a, along in reversed(list(enumerate(op.sources))):
            g = self._summed(g, a, along, op.target().shape()[a], prog)
        self.setOutTensor(0, self.cloneNcopy(prog, g))

    def _summed(self, g: Tensor, a: int, along: Array, size: int, prog: program.Sequence) -> Tensor:
        parts: list[tuple[Run, Tensor]] = []
        at = 0
        for run in runs(along):
            if run.begin != NOWHERE:
                parts.append((run, g.slice(at, at + run.length, a)))
            at += run.length
        whole = [i for i, (run, _) in enumerate(parts) if run == Run(0, size, 1)]
        if len(parts) == 1 and whole:
            return parts[0][1]
        if whole:
            total = self.cloneNcopy(prog, parts.pop(whole[0])[1])
        else:
            total = self._zeros(g, a, size, prog)
        for run, part in parts:
            if not run.step:
                part = self._reduced(part, a, prog)
            place = run.of(total, a)
            popops.mapInPlace(
                self.graph(), pe.Add(pe._1, pe._2), [place, part], prog, self.debugContext("add")
            )
        return total

    def _zeros(self, g: Tensor, a: int, size: int, prog: program.Sequence) -> Tensor:
        shape: Sequence[int] = [size if d == a else n for d, n in enumerate(g.shape())]
        linear = poplar.VariableMappingMethod.LINEAR
        total = self.graph().addVariable(g.elementType(), shape, linear, self.debugContext())
        popops.zero(self.graph(), total, prog, self.debugContext("zero"))
        return total

    def _reduced(self, part: Tensor, a: int, prog: program.Sequence) -> Tensor:
        params = popops.ReduceParams(popops.Operation.ADD)
        shape = [1 if d == a else n for d, n in enumerate(part.shape())]
        summed = popops.reduce(self.graph(), part, [a], params, prog, self.debugContext("sum"))
        return summed.reshape(shape)


class PadValueGradOpx(Opx):
    """The lowering of the gradient of the constant: one sum of what lies outside."""

    def grow(self, prog: program.Sequence) -> None:
        """Takes off, axis by axis, what has the constant, and adds it up."""
        op, rest = self.getOp(PadValueGradOp), self.getInTensor(0)
        outside = [rest.flatten().slice(0, 0, 0)]
        for a, along in enumerate(op.sources):
            inside: list[Tensor] = [rest.slice(0, 0, a)]
            at = 0
            for run in runs(along):
                part = rest.slice(at, at + run.length, a)
                at += run.length
                if run.begin == NOWHERE:
                    outside.append(part.flatten())
                else:
                    inside.append(part)
            rest = poplar.concat(inside, a)
        params = popops.ReduceParams(popops.Operation.ADD)
        whole = poplar.concat(outside)
        total = popops.reduce(self.graph(), whole, [0], params, prog, self.debugContext("sum"))
        self.setOutTensor(0, total.reshape(op.target().shape()))


_IDS = onnx_ids("Pad", 2, 11, 13, 18, 19, 21, 23, 24, 25)
OpCreator(PadOp, _IDS)
OpxCreator(PadOpx, _IDS)
OpxCreator(PadGradOpx, PadGradOp.opid)
OpxCreator(PadValueGradOpx, PadValueGradOp.opid)
