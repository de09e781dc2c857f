"""Concat: tensors joined along an axis. The result and its gradients are views."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from popir import poplar
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import axis, is_one_piece
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class ConcatOp(Op):
    """ONNX's Concat, versions 4, 11 and 13: the inputs one after another along `axis`. All other
    dimensions are equal.
    """

    axis: int

    def along(self) -> int:
        """The axis, counted from 0."""
        return axis(self, self.axis, self.inRank(0))

    def setup(self) -> None:
        """Infers the sum of the sizes along the axis. Raises OperatorInputError if other dimensions
        differ.
        """
        a, shape = self.along(), self.inShape(0)
        for i in range(1, self.numInputs()):
            other = self.inShape(i)
            if other[:a] + other[a + 1 :] != shape[:a] + shape[a + 1 :] or len(other) != len(shape):
                raise OperatorInputError(
                    f"{self.debugName()}: input {i} has shape {other}, input 0 {self.inShape(0)}; "
                    f"they may differ at axis {a} alone."
                )
        shape[a] = sum(self.inShape(i)[a] for i in range(self.numInputs()))
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def dimensionNames(self) -> Dimensions | None:
        """All but the axis."""
        one = Dimensions.same(self.inRank(0), [self.along()])
        return Dimensions(dict.fromkeys(self.input, one.inputs[0]), one.outputs)

    def canBeReplacedByIdentity(self) -> bool:
        """Whether there is only one input."""
        return self.numInputs() == 1

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The inputs, concatenated by numpy."""
        if len(inputs) < self.numInputs():
            return None
        return [np.concatenate([inputs[i] for i in sorted(inputs)], self.along())]

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is a view of all inputs."""
        return True

    def getGradOps(self) -> list[Op]:
        """A slice of the gradient for each input."""
        sizes = [self.inShape(i)[self.along()] for i in range(self.numInputs())]
        begins = [0, *accumulate(sizes)]
        return [ConcatGradOp(self, i, begins[i]) for i in range(len(sizes))]


class ConcatGradOp(InputGradOp):
    """The slice of the output's gradient that belongs to one input."""

    opid = graphcore_id("ConcatGrad")

    def __init__(self, fwdOp: ConcatOp, index: int, begin: int) -> None:
        super().__init__(fwdOp, index)
        self._axis = fwdOp.along()
        self._begin = begin

    def part(self) -> tuple[int, int, int]:
        """The slice as (begin, end, axis)."""
        return self._begin, self._begin + self.target().dim(self._axis), self._axis

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A Slice of the output's gradient."""
        begin, end, along = self.part()
        return on.Slice(g, on.ints(begin), on.ints(end), on.ints(along))

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The gradient is a view of the output's gradient."""
        return True

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Whether the slice is contiguous."""
        return is_one_piece(self.inShape(0), self.target().shape())


class ConcatOpx(Opx):
    """The lowering of Concat: joins views."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        op = self.getOp(ConcatOp)
        parts = [self.getInTensor(i) for i in range(op.numInputs())]
        self.setOutTensor(0, poplar.concat(parts, op.along()))


class ConcatGradOpx(Opx):
    """The lowering of the gradient: a slice."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        self.setOutTensor(0, self.getInTensor(0).slice(*self.getOp(ConcatGradOp).part()))


_IDS = onnx_ids("Concat", 4, 11, 13)
OpCreator(ConcatOp, _IDS)
OpxCreator(ConcatOpx, _IDS)
OpxCreator(ConcatGradOpx, ConcatGradOp.opid)
