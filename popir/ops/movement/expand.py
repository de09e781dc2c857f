"""Expand and Tile: repeated elements, as views."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import popops
from popir.errors import OperatorInputError
from popir.ir import Op, OperatorIdentifier
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions, from_end
from popir.ir.traits import Array
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.inplace import PRIORITY, variant_id
from popir.ops.support.second_order import sum_to
from popir.ops.support.shapes import (
    broadcast_shapes,
    broadcast_to,
    const_input,
    popart_name,
    spaced,
)
from popir.ops.support.views import ViewOp
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

EXPAND_INPLACE = variant_id("Expand")


class ExpandOp(ViewOp):
    """ONNX's Expand, versions 8 and 13: the input broadcast with the shape in input 1, which must
    be known at compile time.
    """

    constantInputs = frozenset({1})

    def setup(self) -> None:
        """Infers the broadcast shape. Raises OperatorInputError if the shapes do not broadcast."""
        given = const_input(self, 1)
        assert given is not None
        shape = broadcast_shapes(self, [self.inShape(0), [int(d) for d in given.reshape(-1)]])
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def dimensionNames(self) -> Dimensions | None:
        """All, aligned as they are broadcast."""
        return Dimensions({0: from_end(self.inRank(0))}, {0: from_end(self.outRank(0))})

    def constantsOfPart(self, outputs: Mapping[int, list[int]]) -> dict[int, Array]:
        """The shape of a part."""
        return {1: np.array(outputs[0], np.int64)}

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the shape stays the same."""
        return self.inShape(0) == self.outShape(0)

    def inplacePriorityDefault(self) -> list[tuple[OperatorIdentifier, float]]:
        """PopART's variant, which is the same view here."""
        return [] if self.opid == EXPAND_INPLACE else [(EXPAND_INPLACE, PRIORITY)]

    def getInplaceVariant(self, opid: OperatorIdentifier) -> Op:
        """A clone with the other identifier. Raises popart_exception for one that it has not."""
        if opid != EXPAND_INPLACE:
            return super().getInplaceVariant(opid)
        twin = self.clone()
        twin.opid = opid
        return twin

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The input, broadcast without a copy."""
        return [np.broadcast_to(inputs[0], self.outShape(0))] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, summed over the repetitions."""
        return [ExpandGradOp(self)]


class ExpandGradOp(InputGradOp):
    """The output's gradient, summed to the input's shape."""

    opid = graphcore_id("ExpandGrad")

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A sum over the repetitions."""
        return sum_to(on, g, self.target().shape())

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the shape stays the same."""
        return self.inShape(0) == self.outShape(0)


class TileOp(ViewOp):
    """ONNX's Tile, versions 6 and 13: the input repeated along each dimension, as often as input 1
    says, which must be known at compile time.
    """

    constantInputs = frozenset({1})
    mostFolded = Op.mostFolded

    def repeats(self) -> list[int]:
        """The repetitions of each dimension. Raises OperatorInputError for a wrong number of them,
        or a negative one.
        """
        given = const_input(self, 1, f"{popart_name(self)}: the repeats must be of type Constant")
        assert given is not None
        found = [int(n) for n in given.reshape(-1)]
        if len(found) != self.inRank(0) or min(found, default=0) < 0:
            of_each = "should have one element for each dimension of the data tensor"
            raise OperatorInputError(
                f"{self.debugName()}: the repeats are {found} for a tensor of shape "
                f"{self.inShape(0)}; there must be one for each dimension, none below 0.",
                popart=f"{popart_name(self)}: the repeats {spaced(found)} {of_each}"
                if len(found) != self.inRank(0)
                else f"{popart_name(self)} has repeats {spaced(found)}. Values must be "
                "non-negative in each shape dimension",
            )
        return found

    def setup(self) -> None:
        """Infers each dimension times its repetitions."""
        shape = [d * n for d, n in zip(self.inShape(0), self.repeats(), strict=True)]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def canBeReplacedByIdentity(self) -> bool:
        """Whether no dimension is repeated."""
        return all(n == 1 for n in self.repeats())

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The input, repeated by numpy."""
        return [np.tile(inputs[0], self.repeats())] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, summed over the repetitions."""
        return [TileGradOp(self)]


class TileGradOp(InputGradOp):
    """The output's gradient, summed over the repetitions of each dimension."""

    opid = graphcore_id("TileGrad")

    def __init__(self, fwdOp: TileOp) -> None:
        super().__init__(fwdOp)
        self.repeats = fwdOp.repeats()

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A sum over the repetitions of each dimension."""
        shape = self.target().shape()
        parts = [n for pair in zip(self.repeats, shape, strict=True) for n in pair]
        wide = on.reshape(g, parts)
        dims = on.ints(*range(0, len(parts), 2))
        return on.ReduceSum(wide, dims, keepdims=0) if shape else g


class ExpandOpx(Opx):
    """The lowering of Expand: a broadcast view."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        self.setOutTensor(0, broadcast_to(self.getInTensor(0), self.outShape(0)))


class ExpandGradOpx(Opx):
    """The lowering of the gradient of Expand."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds one reduction, or a copy if nothing was repeated."""
        g, arithmetic = self.getInTensor(0), Arithmetic(self, prog)
        summed = arithmetic.reduce_to(g, self.outShape(0), "", g.elementType())
        self.setOutTensor(0, arithmetic.separate(summed))


class TileOpx(Opx):
    """The lowering of Tile: a view that repeats elements."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        t = self.getInTensor(0)
        for d, n in enumerate(self.getOp(TileOp).repeats()):
            t = t.broadcast(n, d) if n != 1 else t
        self.setOutTensor(0, t)


class TileGradOpx(Opx):
    """The lowering of the gradient of Tile."""

    def grow(self, prog: program.Sequence) -> None:
        """Splits each dimension into (repetitions, size) and sums over the repetitions."""
        g, shape = self.getInTensor(0), self.outShape(0)
        repeats = self.getOp(TileGradOp).repeats
        split = [n for pair in zip(repeats, shape, strict=True) for n in pair]
        params = popops.ReduceParams(popops.Operation.ADD)
        dims = list(range(0, 2 * len(shape), 2))
        out = popops.reduce(self.graph(), g.reshape(split), dims, params, prog, self.debugContext())
        self.setOutTensor(0, out.reshape(shape))


for _name, _op_class, _opx, _versions in (
    ("Expand", ExpandOp, ExpandOpx, (8, 13)),
    ("Tile", TileOp, TileOpx, (6, 13)),
):
    OpCreator(_op_class, onnx_ids(_name, *_versions))
    OpxCreator(_opx, onnx_ids(_name, *_versions))
OpxCreator(ExpandOpx, EXPAND_INPLACE)
OpxCreator(ExpandGradOpx, ExpandGradOp.opid)
OpxCreator(TileGradOpx, TileGradOp.opid)
