"""DynamicSlice, DynamicUpdate, DynamicAdd, DynamicZero: slices at offsets that are known at run
time.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op, OperatorIdentifier
from popir.ir import Tensor as IrTensor
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.inplace import OverwritingOp, variant_id
from popir.ops.support.shapes import axis, product
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

DATA, OFFSET, SLICE = 0, 1, 2


def alike(a: TensorInfo, b: TensorInfo) -> bool:
    """Whether two tensors have one type and, but for dimensions of 1, one shape."""
    shapes = [[d for d in each.shape() if d != 1] for each in (a, b)]
    return a.dataType() is b.dataType() and shapes[0] == shapes[1]


class DynamicOp(Op):
    """The base class: a slice of `sizes` along `axes`, at the offsets in input 1, one for each
    axis. A slice that is not entirely inside of the data is zeros, and is not written.

    The gradient of a slice goes back to its place; what an update replaces has none.
    """

    costly = True
    withoutMeaning = {"noOverlap": "overlapping slices are computed right in any case."}
    axes: list[int]
    sizes: list[int]
    noOverlap: bool | None

    def dims(self) -> list[int]:
        """The axes, counted from 0. Raises OperatorAttributeError for wrong axes and sizes."""
        shape = self.inShape(DATA)
        found = [axis(self, a, len(shape)) for a in self.axes]
        if len(set(found)) < len(found) or len(self.sizes) != len(found):
            raise OperatorAttributeError(
                f"{self.debugName()}: the axes are {self.axes} and the sizes {self.sizes}; there "
                "must be one size for each of different axes."
            )
        for a, size in zip(found, self.sizes, strict=True):
            if not 0 <= size <= shape[a]:
                raise OperatorAttributeError(
                    f"{self.debugName()}: the size {size} of the axis {a} must be in "
                    f"[0, {shape[a]}], for data of shape {shape}."
                )
        return found

    def slice_shape(self) -> list[int]:
        """The shape of the slice. Raises OperatorInputError for a wrong number of offsets."""
        shape, dims = self.inShape(DATA), self.dims()
        for a, size in zip(dims, self.sizes, strict=True):
            shape[a] = size
        if self.inInfo(OFFSET).nelms() != len(dims):
            raise OperatorInputError(
                f"{self.debugName()}: the offsets are {self.inInfo(OFFSET)}; expected is one for "
                f"each of the axes {dims}."
            )
        return shape

    def place(self, inputs: Mapping[int, Array]) -> tuple[slice, ...] | None:
        """The slice as an index of numpy's; None if it is not inside of the data."""
        shape, dims = self.inShape(DATA), self.dims()
        found = [slice(None)] * len(shape)
        for a, size, offset in zip(dims, self.sizes, inputs[OFFSET].reshape(-1), strict=True):
            if not 0 <= int(offset) <= shape[a] - size:
                return None
            found[a] = slice(int(offset), int(offset) + size)
        return tuple(found)


class DynamicSliceOp(DynamicOp):
    """PopART's DynamicSlice. A third input, whose memory PopART may write the slice to, gives its
    shape: dimensions of 1 may lack there.
    """

    nonDifferentiableInputs = frozenset({2})

    def setup(self) -> None:
        """Infers the data's shape, with `sizes` for the axes."""
        self.setOutInfo(0, TensorInfo(self.inInfo(DATA).dataType(), self.slice_shape()))
        if not self.hasInput(2):
            return
        if not alike(self.inInfo(2), self.outInfo(0)):
            raise OperatorInputError(
                f"{self.debugName()}: input 2 is {self.inInfo(2)}; expected is the slice's "
                f"{self.outInfo(0)}, or without dimensions of 1."
            )
        self.setOutInfo(0, self.inInfo(2))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The slice, by numpy."""
        if DATA not in inputs or OFFSET not in inputs:
            return None
        place = self.place(inputs)
        if place is None:
            return [np.zeros(self.outShape(0), inputs[DATA].dtype)]
        return [inputs[DATA][place].reshape(self.outShape(0))]

    def getGradOps(self) -> list[Op]:
        """The gradient in its place, among zeros."""
        return [DynamicGradOp(self, DATA, "place")]


class _Writing(DynamicOp, OverwritingOp):
    """An operator that returns the data with another slice."""

    def setup(self) -> None:
        """Infers the data's shape. Raises OperatorInputError for a slice of another type or
        shape.
        """
        shape = self.slice_shape()
        self.setOutInfo(0, self.inInfo(DATA))
        if not self.hasInput(SLICE):
            return
        given = self.inInfo(SLICE)
        if not alike(given, TensorInfo(self.inInfo(DATA).dataType(), shape)):
            raise OperatorInputError(
                f"{self.debugName()}: the slice is {given}; expected is "
                f"{TensorInfo(self.inInfo(DATA).dataType(), shape)}, or without dimensions of 1."
            )

    def inplacePriorityDefault(self) -> list[tuple[OperatorIdentifier, float]]:
        """The variant that overwrites the data."""
        return [] if self.overwritten() is not None else [(variant_id(self.opid.type), 10.0)]

    def written(self, old: Array, given: Array | None) -> Array:
        """What takes the place of a slice, by numpy."""
        raise NotImplementedError

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The same by numpy."""
        if len(inputs) < self.numInputs():
            return None
        out, place = inputs[DATA].copy(), self.place(inputs)
        if place is not None:
            given = inputs[SLICE].reshape(self.slice_shape()) if SLICE in inputs else None
            out[place] = self.written(out[place], given)
        return [out]


class DynamicUpdateOp(_Writing):
    """PopART's DynamicUpdate: the slice is replaced by input 2."""

    def written(self, old: Array, given: Array | None) -> Array:
        """The slice that is given."""
        return old if given is None else given

    def getGradOps(self) -> list[Op]:
        """Zeros for what is replaced, and the gradient of the slice."""
        return [DynamicGradOp(self, DATA, "clear"), DynamicGradOp(self, SLICE, "take")]


class DynamicAddOp(_Writing):
    """PopART's DynamicAdd: input 2 is added to the slice."""

    def written(self, old: Array, given: Array | None) -> Array:
        """The sum of both slices."""
        return old if given is None else old + given

    def getGradOps(self) -> list[Op]:
        """The gradient as it is, and that of the slice."""
        return [DynamicGradOp(self, DATA, "pass"), DynamicGradOp(self, SLICE, "take")]


class DynamicZeroOp(_Writing):
    """PopART's DynamicZero: the slice is replaced by zeros."""

    def written(self, old: Array, given: Array | None) -> Array:
        """Zeros in the slice's shape."""
        return np.zeros_like(old)

    def getGradOps(self) -> list[Op]:
        """The gradient with zeros in the slice."""
        return [DynamicGradOp(self, DATA, "clear")]


class DynamicGradOp(InputGradOp):
    """A gradient of these operators. `how`: "place" puts the gradient into a slice of zeros, "take"
    takes a slice, "clear" puts zeros into it, "pass" leaves it.
    """

    opid = graphcore_id("DynamicSliceGrad")
    ids = {
        "place": opid,
        "take": graphcore_id("DynamicUpdateUpdaterGrad"),
        "clear": graphcore_id("DynamicUpdateToUpdateGrad"),
        "pass": graphcore_id("DynamicAddToUpdateGrad"),
    }
    reads = [(GRAD, 0), (IN, OFFSET)]

    def __init__(self, fwdOp: DynamicOp, index: int, how: str) -> None:
        super().__init__(fwdOp, index, self.ids[how])
        self.how, self.dims, self.sizes = how, fwdOp.dims(), list(fwdOp.sizes)
        self.slice = fwdOp.slice_shape()

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The gradient, and the offsets where they are needed."""
        return super().gradInputInfo()[: 1 if self.how == "pass" else 2]

    def decompose(self, on: Decomposer, g: IrTensor, *offsets: IrTensor) -> IrTensor:
        """The operator of this group that does the same."""
        if self.how == "pass":
            return g
        types = {"place": "DynamicUpdate", "take": "DynamicSlice", "clear": "DynamicZero"}
        inputs = [g, *offsets]
        if self.how == "place":
            inputs = [on.zeros(self.target()), *offsets, on.reshape(g, self.slice)]
        attributes = {"axes": self.dims, "sizes": self.sizes}
        found = on.add("ai.graphcore", types[self.how], 1, inputs, 1, attributes)
        assert isinstance(found, IrTensor)
        return found


class _DynamicOpx(Opx):
    """popops' functions on a slice."""

    def offsets(self, prog: program.Sequence, count: int) -> Tensor:
        """The offsets, INT [count]; -1 for those that do not fit."""
        given, context = self.getInTensor(OFFSET), self.debugContext("offsets")
        most = pe.Const(2**31 - 1)
        known = pe.Select(pe._1, pe.Const(-1), pe.Lte(pe._1, most))
        tree = pe.Cast(known, poplar.INT)
        if given.elementType() == poplar.INT:
            return given.reshape([count])
        return popops.map(self.graph(), tree, [given], prog, context).reshape([count])

    def take(self, prog: program.Sequence, t: Tensor, dims: list[int], sizes: list[int]) -> Tensor:
        """The slice of `t`."""
        offsets, context = self.offsets(prog, len(dims)), self.debugContext("slice")
        return popops.dynamicSlice(self.graph(), t, offsets, dims, sizes, prog, context)

    def put(
        self, prog: program.Sequence, t: Tensor, s: Tensor, dims: list[int], sizes: list[int]
    ) -> None:
        """Writes `s` to the slice of `t`."""
        offsets, context = self.offsets(prog, len(dims)), self.debugContext("update")
        popops.dynamicUpdate(self.graph(), t, s, offsets, dims, sizes, prog, context)

    def zeros(self, prog: program.Sequence, like: Tensor, shape: list[int]) -> Tensor:
        """A new tensor of zeros."""
        linear, context = poplar.VariableMappingMethod.LINEAR, self.debugContext("zeros")
        out = self.graph().addVariable(like.elementType(), shape, linear, context)
        popops.zero(self.graph(), out, prog, context)
        return out


class DynamicSliceOpx(_DynamicOpx):
    """The lowering of a slice."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::dynamicSlice at the offsets."""
        op, t = self.getOp(DynamicSliceOp), self.getInTensor(DATA)
        if not op.dims() or 0 in self.outShape(0):
            self.setOutTensor(
                0,
                self.cloneNcopy(prog, t.reshape(self.outShape(0)))
                if not op.dims()
                else self.zeros(prog, t, self.outShape(0)),
            )
            return
        found = self.take(prog, t, op.dims(), op.sizes)
        self.setOutTensor(0, found.reshape(self.outShape(0)))


class DynamicWritingOpx(_DynamicOpx):
    """The lowering of updates: a copy of the data, and one update."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::dynamicUpdate, for a sum with the slice and the update added."""
        op, data = self.getOp(_Writing), self.getInTensor(DATA)
        out = data if op.overwritten() is not None else self.cloneNcopy(prog, data)
        dims, shape = op.dims(), op.slice_shape()
        if product(shape) == 0:
            self.setOutTensor(0, out)
            return
        if isinstance(op, DynamicZeroOp):
            s = self.zeros(prog, data, shape)
        else:
            s = self.getInTensor(SLICE).reshape(shape)
        if isinstance(op, DynamicAddOp):
            old = self.take(prog, out, dims, op.sizes) if dims else out
            s = popops.add(self.graph(), old, s, prog, self.debugContext("add"))
        if dims:
            self.put(prog, out, s, dims, op.sizes)
        else:
            prog.add(program.Copy(s, out, self.debugContext("copy")))
        self.setOutTensor(0, out)


class DynamicGradOpx(_DynamicOpx):
    """The lowering of the gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """A slice, or an update of zeros or by zeros."""
        op, g = self.getOp(DynamicGradOp), self.getInTensor(0)
        shape, dims = op.target().shape(), op.dims
        empty = product(op.slice) == 0
        if op.how == "take":
            if not dims or empty:
                out = self.zeros(prog, g, shape) if empty else self.cloneNcopy(prog, g)
            else:
                out = self.take(prog, g, dims, op.sizes).reshape(shape)
            self.setOutTensor(0, out.reshape(shape))
            return
        out = self.zeros(prog, g, shape) if op.how == "place" else self.cloneNcopy(prog, g)
        if op.how != "pass" and not empty:
            s = g.reshape(op.slice) if op.how == "place" else self.zeros(prog, g, op.slice)
            if dims:
                self.put(prog, out, s, dims, op.sizes)
            else:
                prog.add(program.Copy(s, out, self.debugContext("copy")))
        self.setOutTensor(0, out)


_WRITING = {
    "DynamicUpdate": DynamicUpdateOp,
    "DynamicAdd": DynamicAddOp,
    "DynamicZero": DynamicZeroOp,
}
OpCreator(DynamicSliceOp, graphcore_id("DynamicSlice"))
OpxCreator(DynamicSliceOpx, graphcore_id("DynamicSlice"))
for _type, _class in _WRITING.items():
    OpCreator(_class, graphcore_id(_type))
    OpxCreator(DynamicWritingOpx, [graphcore_id(_type), variant_id(_type)])
OpxCreator(DynamicGradOpx, list(DynamicGradOp.ids.values()))
