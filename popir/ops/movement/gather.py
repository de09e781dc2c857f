"""Gather and GroupedGather: slices of a tensor along an axis, selected by indices.

Negative indices count from the end. In GroupedGather, PopART's operator, dimension 0 of data and
indices is the group, and the indices of a group select slices of that group.

A constant index out of range is an error. An index that is computed at run time and out of range
gives zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op, OpSerialiser
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import axis, is_one_piece, product
from popir.ops.support.slice_plans import PlannedTable, PlansSlices, add_options, read_options
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, Type, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_MOST_VIEWS = 16


class How(NamedTuple):
    """The parameters of a gather and of its gradient."""

    axis: int
    """The axis, counted from 0."""
    groups: int
    from_end: bool
    """Whether negative indices count from the end; otherwise they are out of range."""

    @property
    def lead(self) -> int:
        """The number of group dimensions: 1, or 0 if there is only one group."""
        return int(self.groups > 1)

    def rows(self, op: Op, size: int) -> list[list[int]] | None:
        """The indices of each group, counted from 0; None if they are not constant.

        Raises OperatorInputError for an index out of range; the axis has `size` elements.
        """
        tensor = op.inTensor(1)
        if not tensor.isConst() or tensor.data is None:
            return None
        found = tensor.data.reshape(self.groups, -1) if tensor.data.size else tensor.data
        if found.size and not (-size * self.from_end <= found.min() and found.max() < size):
            raise OperatorInputError(
                f"{op.debugName()}: an index of {found.min()} to {found.max()} is outside of the "
                f"dimension {self.axis} of {op.inShape(0)}."
            )
        return [[int(i) % size for i in row] for row in found] if found.size else []


class GatherOp(PlansSlices, Op):
    """ONNX's Gather, versions 1, 11 and 13, and PopART's GroupedGather. The output is [dimensions
    before the axis..., dimensions of the indices..., dimensions after the axis...]. With groups,
    dimension 0 is the group and the rest is as above.

    Deviation: an index out of range that is computed at run time gives zeros; ONNX calls it an
    error.
    """

    axis: int
    group_size: int | None
    """The number of groups, in spite of PopART's name; None is 1. In ai.onnx, which has no groups,
    only C++ code sets it.
    """
    zeroOutOfRangeIndices: bool | None
    """Whether all indices outside of [0, size) give zeros, even constant and negative ones. Only
    C++ code and decompositions set it.
    """

    def how(self) -> How:
        """The parameters of the gather.

        Raises OperatorAttributeError if there are no groups, or the axis is the group dimension.
        """
        groups = 1 if self.group_size is None else self.group_size
        if groups < 1:
            raise OperatorAttributeError(
                f"{self.debugName()}: group_size is {groups}; it is the number of groups, at "
                "least 1."
            )
        along = axis(self, self.axis, self.inRank(0))
        if groups > 1 and along == 0:
            raise OperatorAttributeError(
                f"{self.debugName()}: the axis {self.axis} is the dimension of the {groups} "
                f"groups; give one of the others of {self.inShape(0)}."
            )
        return How(along, groups, not self.zeroOutOfRangeIndices)

    def rows(self) -> list[list[int]] | None:
        """The indices of each group if they are constant, else None. Raises OperatorInputError for
        an index out of range.
        """
        how = self.how()
        return how.rows(self, self.inShape(0)[how.axis]) if how.from_end else None

    def views(self) -> list[list[int]] | None:
        """The constant indices if there are so few that the output is a view, else None."""
        if self.inInfo(1).nelms() > _MOST_VIEWS:
            return None
        found = self.rows()
        return found if found is not None and 0 < sum(map(len, found)) <= _MOST_VIEWS else None

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether the output is a view of the data: the indices are constant and few."""
        return inIndex == 0 and self.views() is not None

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Whether the indices are consecutive and the slices contiguous."""
        found = self.views()
        if found is None or len(found) != 1:
            return False
        (row,), shape, along = found, self.inShape(0), self.how().axis
        part = [*shape[:along], len(row), *shape[along + 1 :]]
        return row == list(range(row[0], row[0] + len(row))) and is_one_piece(shape, part)

    def setup(self) -> None:
        """Infers the data's shape with the axis replaced by the indices' shape.

        Raises OperatorInputError for constant indices out of range, and if the group dimensions do
        not match.
        """
        how, shape, indices = self.how(), self.inShape(0), self.inShape(1)
        for i, each in enumerate((shape, indices)):
            if how.lead and each[:1] != [how.groups]:
                raise OperatorInputError(
                    f"{self.debugName()}: input {i} is {each}, which is not {how.groups} groups; "
                    "its first dimension must be group_size."
                )
        self.rows()
        shape[how.axis : how.axis + 1] = indices[how.lead :]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def dimensionNames(self) -> Dimensions | None:
        """Those of the indices, and those of the data but for the axis; none with groups."""
        along, groups, _ = self.how()
        if groups > 1:
            return None
        data = [None if a == along else a for a in range(self.inRank(0))]
        indices = [f"index {i}" for i in range(self.inRank(1))]
        out = [*data[:along], *indices, *data[along + 1 :]]
        return Dimensions({0: data, 1: indices}, {0: out})

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The slices, by numpy."""
        how = self.how()
        if len(inputs) < 2:
            return None
        size = self.inShape(0)[how.axis]
        if not how.from_end and ((inputs[1] < 0) | (inputs[1] >= size)).any():
            return None
        if not how.lead:
            return [np.take(inputs[0], inputs[1], how.axis)]
        if 0 in self.outShape(0):  # The number of empty groups is not bounded by the memory.
            return [np.empty(self.outShape(0), inputs[0].dtype)]
        groups = zip(inputs[0], inputs[1], strict=True)
        return [np.stack([np.take(data, at, how.axis - 1) for data, at in groups])]

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for the data."""
        return [GatherGradOp(self)]


class GatherGradOp(PlansSlices, InputGradOp):
    """Zeros, with each slice of the gradient added where it was taken from."""

    opid = graphcore_id("GatherGrad")
    grouped_opid = graphcore_id("GroupedGatherGrad")
    reads = [(GRAD, 0), (IN, 1)]

    def __init__(self, fwdOp: GatherOp) -> None:
        grouped = fwdOp.opid == _GROUPED
        super().__init__(fwdOp, opid=self.grouped_opid if grouped else None)
        self._forward["axis"] = fwdOp.how().axis

    def decompose(self, on: Decomposer, g: IrTensor, indices: IrTensor) -> IrTensor:
        """Additions to zeros by a ScatterND along the first dimension."""
        if self.opid == self.grouped_opid and (self._forward["group_size"] or 1) > 1:
            return self._of_groups(on, g, indices)
        shape, along, n = self.target().shape(), self._forward["axis"], len(on.shape(indices))
        places = list(range(on.info(g).rank()))
        front = on.Transpose(
            g, perm=[*places[along : along + n], *places[:along], *places[along + n :]]
        )
        rest = [d for i, d in enumerate(shape) if i != along]
        zeros = on.zeros(TensorInfo(self.target().dataType(), [shape[along], *rest]))
        rows = on.reshape(indices, [*on.shape(indices), 1])
        summed = on.ScatterND(zeros, on.cast(rows, DataType.INT64), front, reduction="add")
        order = [i + 1 if i < along else (0 if i == along else i) for i in range(len(shape))]
        return on.Transpose(summed, perm=order)

    def _of_groups(self, on: Decomposer, g: IrTensor, indices: IrTensor) -> IrTensor:
        """Additions to rows of zeros, those of all groups one after the other."""
        shape, along = self.target().shape(), self._forward["axis"]
        if 0 in (*shape, *on.shape(g)):
            return on.zeros(self.target())
        groups, size, count = shape[0], shape[along], product(on.shape(indices)[1:])
        rest = [d for i, d in enumerate(shape) if i not in (0, along)]
        g = on.reshape(g, [groups, *shape[1:along], count, *shape[along + 1 :]])
        places = list(range(len(shape)))
        order = [0, along, *places[1:along], *places[along + 1 :]]
        front = on.reshape(on.Transpose(g, perm=order), [groups * count, product(rest)])
        rows = on.reshape(on.cast(indices, DataType.INT64), [groups, count])
        end, zero = on.like(size, rows), on.like(0, rows)
        rows = on.Where(on.Less(rows, zero), on.Add(rows, end), rows)
        inside = on.And(on.GreaterOrEqual(rows, zero), on.Less(rows, end))
        first = on.like(np.arange(groups).reshape(groups, 1) * size, rows)
        rows = on.Where(inside, on.Add(rows, first), on.like(-1, rows))
        zeros = on.zeros(TensorInfo(on.info(g).dataType(), [groups * size, product(rest)]))
        inputs = [zeros, front, on.reshape(rows, [groups * count])]
        summed = on.add("ai.graphcore", "ScatterRows", 1, inputs, 1, {"reduction": "add"})
        assert isinstance(summed, IrTensor)
        back = on.reshape(summed, [groups, size, *rest])
        return on.Transpose(back, perm=[order.index(d) for d in places])


def _how_of(op: Op) -> How:
    """The parameters of a gradient operator: popir's own, or a library's of class
    popart::GatherGradOp.
    """
    os = OpSerialiser()
    op.appendOutlineAttributes(os)
    groups, zeros = (os.attributes.get(n) for n in ("group_size", "zeroOutOfRangeIndices"))
    return How(int(os.attributes["axis"]), int(groups or 1), str(zeros) not in ("True", "1"))


def offsets(opx: Opx, how: How, size: int, prog: program.Sequence, indices: int = 1) -> Tensor:
    """The indices, the input `indices`, counted from 0, for popops::multiSlice: INT [count, 1] or
    [groups, count, 1].

    Indices out of range stay so, or become -1, also those that do not fit 32 bits.
    """
    t, zero = opx.getInTensor(indices).flatten(), pe.Const(0)
    if t.elementType() == poplar.INT and not how.from_end:
        return t.reshape(
            [how.groups, t.numElements() // how.groups, 1] if how.lead else [t.numElements(), 1]
        )
    below = pe.Add(pe._1, pe.Const(size)) if how.from_end else pe.Const(-1)
    from_start = pe.Select(below, pe._1, pe.Lt(pe._1, zero))
    # An index that does not fit 32 bits is out of range; as -1 it stays out of range.
    known = pe.Select(from_start, pe.Const(-1), pe.Lt(pe._1, pe.Const(size)))
    if t.elementType() == poplar.LONGLONG:
        known = pe.Max(known, pe.Const(-1))
    tree = pe.Cast(known, poplar.INT)
    made = popops.map(opx.graph(), tree, [t], prog, opx.debugContext("offsets"))
    count = made.numElements() // how.groups
    return made.reshape([how.groups, count, 1] if how.lead else [count, 1])


def _views(t: Tensor, how: How, rows: list[list[int]]) -> Tensor:
    """The slices in `rows` of each group, side by side along the axis, as a view."""
    groups = [t.slice(g, g + 1, 0) for g in range(how.groups)] if how.lead else [t]
    parts = [
        poplar.concat([group.slice(i, i + 1, how.axis) for i in row], how.axis)
        for group, row in zip(groups, rows, strict=True)
    ]
    return poplar.concat(parts, 0)


def _zeros(opx: Opx, prog: program.Sequence, kind: Type) -> Tensor:
    """A new tensor of the output's shape, filled with zeros."""
    linear = poplar.VariableMappingMethod.LINEAR
    out = opx.graph().addVariable(kind, opx.outShape(0), linear, opx.debugContext())
    popops.zero(opx.graph(), out, prog, opx.debugContext("zero"))
    return out


class GatherOpx(Opx):
    """The lowering: views, or slices at positions that are computed at run time, by a plan that the
    table lies by, too.
    """

    inputCreatorPriority = float("inf")
    """As PopART's: a table lies as its gather wants it, whoever else reads it."""

    def grow(self, prog: program.Sequence) -> None:
        """Concatenates views, or calls popops::multiSlice or groupedMultiSlice."""
        op, t = self.getOp(GatherOp), self.getInTensor(0)
        how, rows = op.how(), op.views()
        if rows is not None:
            self.setOutTensor(0, _views(t, how, rows).reshape(self.outShape(0)))
            return
        if t.numElements() == 0 or 0 in self.outShape(0):
            self.setOutTensor(0, _zeros(self, prog, t.elementType()))
            return
        take = popops.groupedMultiSlice if how.lead else popops.multiSlice
        places = offsets(self, how, t.dim(how.axis), prog)
        dims, context, options = [how.axis - how.lead], self.debugContext(), read_options(op)
        plan = self._planned().plan(self.graph(), t.elementType(), options)
        found = take(
            *(self.graph(), t, places, dims, [1], prog, plan, options), debugContext=context
        )
        found = found.squeeze([how.axis + 1]).dimRoll(how.lead, how.axis)
        self.setOutTensor(0, found.reshape(self.outShape(0)))

    def _planned(self) -> PlannedTable:
        how = self.getOp(GatherOp).how()
        count = self.inInfo(1).nelms() // how.groups
        return PlannedTable(tuple(self.inShape(0)), how.axis, how.groups, count)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The table can be created, unless the output is a view of it."""
        op = self.getOp(GatherOp)
        creates = i == 0 and op.views() is None and 0 not in (*self.inShape(0), *self.outShape(0))
        return InputCreatorType.CanCreate if creates else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """The table in the layout of popops::createSliceableTensor."""
        planned, kind = self._planned(), popType(self.inInfo(i))
        options = read_options(self.op_p)
        plan = planned.plan(self.graph(), kind, options)
        return planned.table(self.graph(), kind, plan, options, debugContext)


class GatherGradOpx(Opx):
    """The lowering of the gradient: adds slices to zeros."""

    lowersLibraries = True

    def grow(self, prog: program.Sequence) -> None:
        """Fills with zeros, then copies the slices, or calls popops::multiUpdateAdd or
        groupedMultiUpdateAdd.

        Slices that may overlap are summed in the accumulator type.
        """
        how, g, shape = _how_of(self.op_p), self.getInTensor(0), self.outShape(0)
        if g.numElements() == 0:
            self.setOutTensor(0, _zeros(self, prog, g.elementType()))
            return
        a, count = how.axis, self.getInTensor(1).numElements() // how.groups
        g = g.reshape([*shape[:a], count, *shape[a + 1 :]])
        rows = how.rows(self.op_p, shape[a]) if count * how.groups <= _MOST_VIEWS else None
        if rows is not None and all(len(set(row)) == len(row) for row in rows):
            out = _zeros(self, prog, g.elementType())
            prog.add(program.Copy(g, _views(out, how, rows), self.debugContext("place")))
            self.setOutTensor(0, out)
            return
        arithmetic, kind = Arithmetic(self, prog), g.elementType()
        wide, options = accumulator(kind), add_options(self.op_p)
        planned = PlannedTable(tuple(shape), a, how.groups, count)
        plan = planned.plan(self.graph(), wide, options)
        out = planned.table(self.graph(), wide, plan, options, self.debugContext())
        popops.zero(self.graph(), out, prog, self.debugContext("zero"))
        g = arithmetic.converted(g, wide, "wide")
        add = popops.groupedMultiUpdateAdd if how.lead else popops.multiUpdateAdd
        places = offsets(self, how, shape[a], prog)
        slices = g.dimRoll(a, how.lead).expand([a + 1])
        one = self.getConst(g.elementType(), [], 1, "one")
        dims, context = [a - how.lead], self.debugContext()
        add(
            *(self.graph(), out, slices, places, one, dims, [1], prog, plan, options),
            debugContext=context,
        )
        self.setOutTensor(0, arithmetic.converted(out, kind, "narrow"))


_GROUPED = graphcore_id("GroupedGather")
_ROWS = graphcore_id("GatherRows")  # see popir.ops.support.places
_IDS = [*onnx_ids("Gather", 1, 11, 13), _GROUPED]
OpCreator(GatherOp, _IDS)
OpCreator(GatherOp, [_ROWS], isPublic=False)
OpxCreator(GatherOpx, [*_IDS, _ROWS])
OpxCreator(GatherGradOpx, [GatherGradOp.opid, GatherGradOp.grouped_opid])
