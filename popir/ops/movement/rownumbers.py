"""RowNumbers: the numbers of the rows that indices along a dimension point to.

It is popir's own: operators that gather or scatter at computed indices consist of it, of sums, and
of a Gather or ScatterRows (`popir.ops.support.places`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.support.identifiers import graphcore_id
from popir.opx import Opx
from popir.poplar import program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

NONE = -(2**31)
"""What stands for an index out of range: negative, and so are its sums with rows."""


class RowNumbersOp(Op):
    """Each index, INT32 or INT64, times `stride`, as INT32; `NONE` for one outside of [0, size).

    With `from_end` negative indices count from the end. `size` * `stride` is less than 2^31.
    """

    size: int
    stride: int
    from_end: bool

    def setup(self) -> None:
        """Infers the input's shape. Raises OperatorInputError for other types."""
        info = self.inInfo(0)
        if info.dataType() not in (DataType.INT32, DataType.INT64):
            raise OperatorInputError(
                f"{self.debugName()}: the indices are {info.dataType().name}; they must be INT32 "
                "or INT64."
            )
        self.setOutInfo(0, TensorInfo(DataType.INT32, info.shape()))

    def dimensionNames(self) -> Dimensions | None:
        """All dimensions of the input."""
        return Dimensions.same(self.inRank(0))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The same by numpy."""
        if 0 not in inputs:
            return None
        given = inputs[0].astype(np.int64)
        counted = np.where(given < 0, given + self.size, given) if self.from_end else given
        inside = (counted >= 0) & (counted < self.size)
        return [np.where(inside, counted * self.stride, NONE).astype(np.int32)]


class RowNumbersOpx(Opx):
    """The lowering: one map."""

    def grow(self, prog: program.Sequence) -> None:
        """Compares in the type of the indices. Element-wise programs know this form
        (`cpp/kernels/elementwise/program.cpp`) and compute it in one loop.
        """
        op, t = self.getOp(RowNumbersOp), self.getInTensor(0)
        zero, size = pe.Const(0), pe.Const(op.size)
        below = pe.Lt(pe._1, zero)
        counted = pe.Select(pe.Add(pe._1, size), pe._1, below) if op.from_end else pe._1
        inside = pe.And(pe.Gte(counted, zero), pe.Lt(counted, size))
        number = counted if t.elementType() == poplar.INT else pe.Cast(counted, poplar.INT)
        number = pe.Mul(number, pe.Const(op.stride)) if op.stride != 1 else number
        tree = pe.Select(number, pe.Const(NONE), inside)
        self.setOutTensor(0, popops.map(self.graph(), tree, [t], prog, self.debugContext()))


_ID = graphcore_id("RowNumbers")
OpCreator(RowNumbersOp, [_ID], isPublic=False)
OpxCreator(RowNumbersOpx, [_ID])
