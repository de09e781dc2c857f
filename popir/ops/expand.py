"""Expand, Tile: the same elements several times, as views."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir.op import Array
from popir.ops.arithmetic import Arithmetic
from popir.ops.gradient import InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import broadcastShapes, broadcastTo, constInput
from popir.ops.views import ViewOp
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class ExpandOp(ViewOp):
    """The input and a constant shape, broadcast against each other."""

    constantInputs = frozenset({1})

    def setup(self) -> None:
        """The common shape."""
        given = constInput(self, 1)
        assert given is not None
        shape = broadcastShapes(self, [self.inShape(0), [int(d) for d in given.reshape(-1)]])
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def canBeReplacedByIdentity(self) -> bool:
        """To the same shape."""
        return self.inShape(0) == self.outShape(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """A view."""
        return [np.broadcast_to(inputs[0], self.outShape(0))] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, summed over the copies."""
        return [ExpandGradOp(self)]


class ExpandGradOp(InputGradOp):
    """Summed to the input's shape."""

    opid = graphcoreId("ExpandGrad")

    def canBeReplacedByIdentity(self) -> bool:
        """Of what was not expanded."""
        return self.inShape(0) == self.outShape(0)


class TileOp(ViewOp):
    """The input as often along each dimension as the constant second input says."""

    constantInputs = frozenset({1})
    mostFolded = Op.mostFolded

    def repeats(self) -> list[int]:
        """One number for each dimension. Raises OperatorInputError if there are more or fewer."""
        given = constInput(self, 1)
        assert given is not None
        found = [int(n) for n in given.reshape(-1)]
        if len(found) != self.inRank(0) or min(found, default=0) < 0:
            raise OperatorInputError(
                f"{self.debugName()}: the repeats are {found} for a tensor of shape "
                f"{self.inShape(0)}; there must be one for each dimension, none below 0."
            )
        return found

    def setup(self) -> None:
        """Each dimension, times its repeats."""
        shape = [d * n for d, n in zip(self.inShape(0), self.repeats(), strict=True)]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def canBeReplacedByIdentity(self) -> bool:
        """Once along each dimension."""
        return all(n == 1 for n in self.repeats())

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The copies."""
        return [np.tile(inputs[0], self.repeats())] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, summed over the copies."""
        return [TileGradOp(self)]


class TileGradOp(InputGradOp):
    """Summed over the copies along each dimension."""

    opid = graphcoreId("TileGrad")

    def __init__(self, fwdOp: TileOp) -> None:
        super().__init__(fwdOp)
        self.repeats = fwdOp.repeats()


class ExpandOpx(Opx):
    """Broadcasts."""

    def grow(self, prog: program.Sequence) -> None:
        """A view."""
        self.setOutTensor(0, broadcastTo(self.getInTensor(0), self.outShape(0)))


class ExpandGradOpx(Opx):
    """Sums."""

    def grow(self, prog: program.Sequence) -> None:
        """A reduction."""
        g, arithmetic = self.getInTensor(0), Arithmetic(self, prog)
        summed = arithmetic.reduceTo(g, self.outShape(0), "", g.elementType())
        self.setOutTensor(0, arithmetic.separate(summed))


class TileOpx(Opx):
    """Repeats."""

    def grow(self, prog: program.Sequence) -> None:
        """A view."""
        t = self.getInTensor(0)
        for d, n in enumerate(self.getOp(TileOp).repeats()):
            t = t.broadcast(n, d) if n != 1 else t
        self.setOutTensor(0, t)


class TileGradOpx(Opx):
    """Sums."""

    def grow(self, prog: program.Sequence) -> None:
        """A reduction over a dimension for each number of copies."""
        g, shape = self.getInTensor(0), self.outShape(0)
        repeats = self.getOp(TileGradOp).repeats
        split = [n for pair in zip(repeats, shape, strict=True) for n in pair]
        params = popops.ReduceParams(popops.Operation.ADD)
        dims = list(range(0, 2 * len(shape), 2))
        out = popops.reduce(self.graph(), g.reshape(split), dims, params, prog, self.debugContext())
        self.setOutTensor(0, out.reshape(shape))


for _name, _opClass, _opx, _versions in (
    ("Expand", ExpandOp, ExpandOpx, (8, 13)),
    ("Tile", TileOp, TileOpx, (6, 13)),
):
    OpCreator(_opClass, onnxIds(_name, *_versions))
    OpxCreator(_opx, onnxIds(_name, *_versions))
OpxCreator(ExpandGradOpx, ExpandGradOp.opid)
OpxCreator(TileGradOpx, TileGradOp.opid)
