"""Slice and Split: parts of a tensor, as views."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.second_order import placed
from popir.ops.support.shapes import axes, axis, const_input, is_one_piece, product
from popir.ops.support.slices import sliced
from popir.ops.support.views import ViewOp
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

Ranges = dict[int, range]
"""For each sliced axis, the indices that are taken."""


class SliceOp(ViewOp):
    """ONNX's Slice, versions 1, 10, 11 and 13: for each named axis, the elements from a start to an
    end, with a step.

    These are attributes before version 10, from then on inputs. Axes and steps must be known at
    compile time; so must be starts and ends, or at least the size of the slice (`sliced`).
    """

    constantInputs = frozenset({1, 2, 3, 4})
    mostFolded = Op.mostFolded
    starts: list[int] | None
    ends: list[int] | None
    axes: list[int] | None

    def expand(self, inputs: Sequence[IrTensor | None], outputs: Sequence[str]) -> bool:
        """Adds what takes a slice of a known size at starts that are computed at run time."""
        if all(tensor is None or tensor.data is not None for tensor in inputs[1:]):
            return False
        x, starts, ends, *further = [*inputs, None, None]
        if x is None or starts is None or ends is None or not any(outputs):
            return False
        assert x.info is not None and starts.info is not None
        rank, count = x.info.rank(), starts.info.nelms()
        if starts.info.rank() != 1 or any(t is not None and t.data is None for t in further):
            return False
        given = [None if t is None or t.data is None else t.data.tolist() for t in further[:2]]
        named, steps = given[0] or list(range(count)), given[1] or [1] * count
        if not len(named) == len(steps) == count or 0 in steps or count > rank:
            return False
        along = [axis(self, name, rank) for name in named]
        if len(set(along)) < count:
            return False
        on = Decomposer(self, outputs[0])
        found = sliced(on, x, starts, ends, along, steps)
        if found is None:
            return False
        on.name([found], outputs)
        return True

    def ranges(self) -> Ranges:
        """The indices taken along each named axis. Raises OperatorInputError for missing or
        malformed parameters.
        """
        starts, ends = self._given(1, self.starts), self._given(2, self.ends)
        if starts is None or ends is None:
            raise OperatorInputError(f"{self.debugName()}: starts or ends are missing.")
        named = self._given(3, self.axes) or list(range(len(starts)))
        steps = self._given(4, None) or [1] * len(starts)
        if not len(starts) == len(ends) == len(named) == len(steps) or 0 in steps:
            raise OperatorInputError(
                f"{self.debugName()}: starts {starts}, ends {ends}, axes {named} and steps "
                f"{steps} must have one length, and no step may be 0."
            )
        shape = self.inShape(0)
        axes(self, named, len(shape))
        found: Ranges = {}
        for name, start, end, step in zip(named, starts, ends, steps, strict=True):
            a = axis(self, name, len(shape))
            # With a negative step and a start before element 0, Python takes nothing; ONNX clamps
            # the start to element 0.
            first = max(start, -shape[a]) if step < 0 else start
            taken = range(*slice(first, end, step).indices(shape[a]))
            # Of one element the step does not matter; it may be any of int64.
            found[a] = taken if len(taken) > 1 else range(taken.start, taken.start + len(taken))
        return found

    def _given(self, i: int, attribute: list[int] | None) -> list[int] | None:
        found = const_input(self, i)
        return attribute if found is None else [int(v) for v in found.reshape(-1)]

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Whether the slice is contiguous."""
        steps = (r.step for r in self.ranges().values() if len(r) > 1)
        return all(step == 1 for step in steps) and is_one_piece(self.inShape(0), self.outShape(0))

    def setup(self) -> None:
        """Infers the shape: the lengths of the ranges."""
        shape = self.inShape(0)
        for a, indices in self.ranges().items():
            shape[a] = len(indices)
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def dimensionNames(self) -> Dimensions | None:
        """Those of which all elements are taken, in order."""
        shape = self.inShape(0)
        cut = [a for a, taken in self.ranges().items() if taken != range(shape[a])]
        return Dimensions.same(len(shape), cut)

    def canBeReplacedByIdentity(self) -> bool:
        """Whether all elements are taken, in order."""
        shape = self.inShape(0)
        return all(taken == range(shape[a]) for a, taken in self.ranges().items())

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The slice, by numpy."""
        if 0 not in inputs:
            return None
        found = inputs[0]
        for a, indices in self.ranges().items():
            found = np.take(found, list(indices), a)
        return [found]

    def getGradOps(self) -> list[Op]:
        """The gradient, with zeros around it."""
        return [SliceGradOp(self)]


class SliceGradOp(InputGradOp):
    """Zeros of the input's shape, with the output's gradient in the place of the slice."""

    opid = graphcore_id("SliceGrad")

    def __init__(self, fwdOp: SliceOp) -> None:
        super().__init__(fwdOp)
        self.taken = fwdOp.ranges()

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """The gradient's elements among zeros."""
        shape = self.target().shape()
        numbers = np.arange(product(shape)).reshape(shape)
        for along, indices in self.taken.items():
            numbers = numbers.take(list(indices), along)
        return placed(on, g, numbers, shape)


class SplitOp(ViewOp):
    """ONNX's Split, versions 2, 11, 13 and 18: parts of a tensor along an axis, of given or of
    equal sizes; the last may be smaller, in all versions (ONNX: from 18 on).

    The sizes are an attribute before version 13, from then on an input that must be known at
    compile time.
    """

    constantInputs = frozenset({1})
    axis: int
    split: list[int] | None
    num_outputs: int | None

    def along(self) -> int:
        """The axis, counted from 0."""
        return axis(self, self.axis, self.inRank(0))

    def sizes(self) -> list[int]:
        """The size of each part. Raises OperatorAttributeError if they do not add up to the
        axis.
        """
        found = const_input(self, 1)
        given = self.split if found is None else [int(v) for v in found.reshape(-1)]
        size, parts = self.inShape(0)[self.along()], self.numOutputs()
        if self.num_outputs is not None and (given or self.num_outputs != parts):
            raise OperatorAttributeError(
                f"{self.debugName()}: num_outputs is {self.num_outputs}, with {parts} outputs and "
                f"the sizes {given}; it goes without sizes, and is the number of outputs."
            )
        if not given:
            each = -(-size // parts)
            given = [each] * (parts - 1) + [size - each * (parts - 1)]
        if len(given) != parts or sum(given) != size or min(given) < 0:
            raise OperatorAttributeError(
                f"{self.debugName()}: axis {self.along()} of {self.inShape(0)} does not split "
                f"into {parts} outputs of the sizes {given}."
            )
        return given

    def begins(self) -> list[int]:
        """The start index of each part along the axis."""
        return list(itertools.accumulate(self.sizes()[:-1], initial=0))

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """All outputs are views of input 0."""
        return inIndex == 0

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Whether the part is contiguous."""
        return is_one_piece(self.inShape(0), self.outShape(outIndex))

    def setup(self) -> None:
        """Infers the shape of each part."""
        shape = self.inShape(0)
        for i, size in enumerate(self.sizes()):
            shape[self.along()] = size
            self.setOutInfo(i, TensorInfo(self.inInfo(0).dataType(), shape))

    def dimensionNames(self) -> Dimensions | None:
        """All but the axis."""
        return Dimensions.same(self.inRank(0), [self.along()], self.numOutputs())

    def canBeReplacedByIdentity(self) -> bool:
        """Whether there is only one part."""
        return self.numOutputs() == 1

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The parts, by numpy, as views."""
        return np.split(inputs[0], self.begins()[1:], self.along()) if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """One operator that joins the gradients of the parts."""
        return [SplitGradOp(self)]


class SplitGradOp(InputGradOp):
    """The gradients of the parts, joined along the axis."""

    opid = graphcore_id("SplitGrad")

    def __init__(self, fwdOp: SplitOp) -> None:
        super().__init__(fwdOp)
        self.along = fwdOp.along()
        self._parts = fwdOp.numOutputs()

    def decompose(self, on: Decomposer, *parts: IrTensor) -> IrTensor:
        """A Concat of the parts' gradients."""
        return on.Concat(*parts, axis=self.along)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The gradients of all outputs."""
        return [GradInOutMapper(i, i, GRAD) for i in range(self._parts)]

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The gradient is a view of all outputs' gradients."""
        return True


def _taken(t: Tensor, ranges: Ranges) -> Tensor:
    """The view of `t` with the indices in `ranges`."""
    for a, indices in ranges.items():
        if not indices:
            t = t.slice(0, 0, a)
            continue
        low, high = sorted((indices[0], indices[-1]))
        t = t.slice(low, high + 1, a)
        t = t.reverse(a) if indices.step < 0 else t
        t = t.subSample(abs(indices.step), a) if abs(indices.step) > 1 else t
    return t


class SliceOpx(Opx):
    """The lowering of Slice: a view."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        self.setOutTensor(0, _taken(self.getInTensor(0), self.getOp(SliceOp).ranges()))


class SliceGradOpx(Opx):
    """The lowering of the gradient of Slice."""

    def grow(self, prog: program.Sequence) -> None:
        """Fills with zeros, and copies the gradient to the place of the slice."""
        linear = poplar.VariableMappingMethod.LINEAR
        g, shape = self.getInTensor(0), self.outShape(0)
        out = self.graph().addVariable(g.elementType(), shape, linear, self.debugContext())
        popops.zero(self.graph(), out, prog, self.debugContext("zero"))
        place = _taken(out, self.getOp(SliceGradOp).taken)
        prog.add(program.Copy(g, place, self.debugContext("place")))
        self.setOutTensor(0, out)


class SplitOpx(Opx):
    """The lowering of Split: one view for each output."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the outputs are views."""
        op, t = self.getOp(SplitOp), self.getInTensor(0)
        for i, (begin, size) in enumerate(zip(op.begins(), op.sizes(), strict=True)):
            if op.hasOutput(i):
                self.setOutTensor(i, t.slice(begin, begin + size, op.along()))


class SplitGradOpx(Opx):
    """The lowering of the gradient of Split: joins views."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        op = self.getOp(SplitGradOp)
        parts = [self.getInTensor(i) for i in sorted(op.input)]
        self.setOutTensor(0, poplar.concat(parts, op.along))


for _op_class, _opx, _ids in (
    (SliceOp, SliceOpx, [*onnx_ids("Slice", 1, 10, 11, 13), graphcore_id("Slice")]),
    (SplitOp, SplitOpx, onnx_ids("Split", 2, 11, 13, 18)),
):
    OpCreator(_op_class, _ids)
    OpxCreator(_opx, _ids)
OpxCreator(SliceGradOpx, SliceGradOp.opid)
OpxCreator(SplitGradOpx, SplitGradOp.opid)
