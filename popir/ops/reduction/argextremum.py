"""ArgMax and ArgMin: the index of the largest or smallest element along an axis; Hardmax."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from popir import ext, poplar, popops
from popir.errors import OperatorInputError
from popir.ir import Op, Tensor
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import axis, product
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo


class ArgExtremumOp(Op):
    """The base class of both. The output is INT64, the index along the axis; a NaN counts as an
    extremum. There is no gradient.
    """

    takes_max: ClassVar[bool]
    axis: int
    keepdims: bool
    select_last_index: bool | None

    def along(self) -> int:
        """The axis, counted from 0. Raises OperatorAttributeError if it is out of range."""
        return axis(self, self.axis, self.inRank(0))

    def setup(self) -> None:
        """Infers the input's shape with the axis removed or, with `keepdims`, 1.

        Raises OperatorAttributeError for an axis out of range, OperatorInputError if there are rows
        without elements.
        """
        along, shape = self.along(), self.inShape(0)
        size, shape[along] = shape[along], 1
        if size == 0 and product(shape) > 0:
            raise OperatorInputError(
                f"{self.debugName()}: the input has the shape {self.inShape(0)}, without elements "
                f"along the axis {along}; {self.opid.type} needs at least one."
            )
        if not self.keepdims:
            del shape[along]
        self.setOutInfo(0, TensorInfo(DataType.INT64, shape))

    def dimensionNames(self) -> Dimensions | None:
        """All but the axis."""
        names = [None if a == self.along() else a for a in range(self.inRank(0))]
        out = [n for n in names if self.keepdims or n is not None]
        return Dimensions({0: names}, {0: out})

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The indices of integers, by numpy."""
        if 0 not in inputs or inputs[0].dtype.kind not in "iu" or inputs[0].size == 0:
            return None
        find, along = np.argmax if self.takes_max else np.argmin, self.along()
        if self.select_last_index:
            found = inputs[0].shape[along] - 1 - find(np.flip(inputs[0], along), along)
        else:
            found = find(inputs[0], along)
        return [np.asarray(found)]


class ArgMaxOp(ArgExtremumOp):
    """ONNX's ArgMax, versions 1, 11, 12 and 13: the index of the first maximum or, with
    `select_last_index`, of the last one.
    """

    takes_max = True


class ArgMinOp(ArgExtremumOp):
    """ONNX's ArgMin, versions 1, 11, 12 and 13: the index of the first minimum or, with
    `select_last_index`, of the last one.
    """

    takes_max = False


class Hardmax(Decomposition):
    """ONNX's Hardmax, versions 1, 11 and 13: 1 for the first maximum along `axis`, 0 elsewhere;
    before version 13, along all dimensions from `axis` on. There is no gradient.
    """

    axis: int

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A comparison of the axis's indices with ArgMax. Raises OperatorAttributeError for an axis
        out of range.
        """
        shape, along = on.shape(x), axis(self, self.axis, len(on.shape(x)))
        if product(shape) == 0:
            return on.Identity(x)
        rows = x
        if self.opid.version < 13:
            rows = on.reshape(x, [product(shape[:along]), product(shape[along:])])
            along = 1
        size = on.shape(rows)
        indices = np.arange(size[along]).reshape([-1] + [1] * (len(size) - along - 1))
        is_first = on.Equal(on.ArgMax(rows, axis=along), on.const(indices, DataType.INT64))
        return on.reshape(on.Cast(is_first, to=on.info(x).dataType().onnx), shape)

    getGradOps = Op.getGradOps


class ArgExtremumOpx(Opx):
    """The lowering of ArgMax and ArgMin."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::argExtremum, and casts to INT64."""
        op, t = self.getOp(ArgExtremumOp), self.getInTensor(0)
        shape, along = op.inShape(0), op.along()
        outer, inner = product(shape[:along]), product(shape[along + 1 :])
        if shape[along] == 0:  # Then there are no rows either.
            self.setOutTensor(0, self.graph().addVariable(poplar.LONGLONG, self.outShape(0)))
            return
        rows = t.reshape([outer, shape[along], *([] if inner == 1 else [inner])])
        is_last, context = bool(op.select_last_index), self.debugContext()
        found = ext.argExtremum(self.graph(), rows, op.takes_max, is_last, prog, context)
        context = self.debugContext("cast")
        index = popops.cast(self.graph(), found, poplar.LONGLONG, prog, context)
        self.setOutTensor(0, index.reshape(self.outShape(0)))


for _name, _op in (("ArgMax", ArgMaxOp), ("ArgMin", ArgMinOp)):
    OpCreator(_op, onnx_ids(_name, 1, 11, 12, 13))
    OpxCreator(ArgExtremumOpx, onnx_ids(_name, 1, 11, 12, 13))
OpCreator(Hardmax, onnx_ids("Hardmax", 1, 11, 13))
