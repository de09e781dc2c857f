"""TiedGather: a Gather of rows of a table that is the weight of a matrix product too.

The pattern of this name puts it in the place of a Gather. A table whose product is computed in
parts (`Builder.setSerializeMatMul`) lies in parts, and has a TiedGather for each: it gives the rows
of its part, and zeros for the indices of others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from popir import poplar, popops
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.traits import Array
from popir.ops.movement.gather import GatherGradOp, GatherOp, How, offsets
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import graphcore_id
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType


class TiedGatherOp(GatherOp):
    """PopART's TiedGather, of rows of a matrix (axis 0). Of the attribute `parts` many parts of the
    table, `part` is the one that it reads.
    """

    part: int
    parts: int

    def place(self) -> Part:
        """The part of the table."""
        return Part(self.part, self.parts)

    def views(self) -> list[list[int]] | None:
        """None: the rows are never views of the table."""
        return None

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """None: the table is a weight."""
        return None

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for the table."""
        return [TiedGatherGradOp(self)]


class TiedGatherGradOp(GatherGradOp):
    """Zeros, with each row of the gradient of the part added where it was taken from. The pattern
    TiedGatherAccumulate puts a SparseAccumulate in its place.
    """

    opid = graphcore_id("TiedGatherGrad")

    def place(self) -> Part:
        """The part of the table."""
        return Part(self._forward["part"], self._forward["parts"])

    def decompose(self, on: Decomposer, g: IrTensor, indices: IrTensor) -> IrTensor:
        """The gradient of a Gather, of those rows of g that are from the part."""
        part, size = self.place(), self.target().shape()[0]
        here, rows = size // part.parts, on.cast(indices, DataType.INT64)
        first, end = (on.like((part.number + i) * here, rows) for i in range(2))
        from_end = on.Add(rows, on.like(size, rows))
        places = on.Where(on.Less(rows, on.like(0, rows)), from_end, rows)
        inside = on.And(on.GreaterOrEqual(places, first), on.Less(places, end))
        mask = on.reshape(inside, [*on.shape(indices), 1])
        return super().decompose(on, on.Where(mask, g, on.like(0, g)), places)


@dataclass(frozen=True)
class Part:
    """A part of a table: which of how many of equal size, with the rows along `axis`."""

    number: int = 0
    parts: int = 1
    axis: int = 0

    def of(self, table: Tensor) -> Tensor:
        """The view of the part."""
        size = table.dim(self.axis) // self.parts
        return table.slice(self.number * size, (self.number + 1) * size, self.axis)

    def rows(
        self, opx: Opx, indices: int, size: int, prog: program.Sequence, of_table: bool = True
    ) -> Tensor:
        """The places in the part, for popops::multiSlice: INT [count, 1], out of range for those of
        other parts. The input `indices` has them or, if they are `of_table`, the indices into a
        table of `size` rows, negative ones from its end.
        """
        here = size // self.parts
        if not of_table:
            return offsets(opx, How(0, 1, False), here, prog, indices)
        places = offsets(opx, How(0, 1, True), size, prog, indices)
        if self.parts == 1:
            return places
        first, end = pe.Const(self.number * here), pe.Const((self.number + 1) * here)
        inside = pe.And(pe.Gte(pe._1, first), pe.Lt(pe._1, end))
        tree = pe.Select(pe.Sub(pe._1, first), pe.Const(-1), inside)
        return popops.map(opx.graph(), tree, [places], prog, opx.debugContext("part"))

    def add(
        self,
        opx: Opx,
        table: Tensor,
        g: Tensor,
        indices: int,
        scale: Tensor,
        prog: program.Sequence,
        of_table: bool = True,
    ) -> None:
        """Adds the rows of `g` that belong to the part, times `scale`, to the table."""
        places = self.rows(opx, indices, table.dim(self.axis), prog, of_table)
        count, width = places.dim(0), table.dim(1 - self.axis)
        slices = g.reshape([count, width]).expand([1 + self.axis])
        dims, context = [self.axis], opx.debugContext()
        popops.multiUpdateAdd(
            *(opx.graph(), self.of(table), slices, places, scale, dims, [1], prog),
            debugContext=context,
        )


class TiedGatherOpx(Opx):
    """The lowering: slices of the table as the product has laid it out."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::multiSlice on the part."""
        part, table = self.getOp(TiedGatherOp).place(), self.getInTensor(0)
        rows, dims = part.rows(self, 1, table.dim(0), prog), [0]
        found = popops.multiSlice(
            *(self.graph(), part.of(table), rows, dims, [1], prog),
            debugContext=self.debugContext(),
        )
        self.setOutTensor(0, found.reshape(self.outShape(0)))


class TiedGatherGradOpx(Opx):
    """The lowering of the gradient: adds rows to zeros."""

    def grow(self, prog: program.Sequence) -> None:
        """Fills with zeros, then calls popops::multiUpdateAdd on the part."""
        op, g, shape = self.getOp(TiedGatherGradOp), self.getInTensor(0), self.outShape(0)
        arithmetic, kind = Arithmetic(self, prog), g.elementType()
        wide, linear = accumulator(kind), poplar.VariableMappingMethod.LINEAR
        out = self.graph().addVariable(wide, shape, linear, self.debugContext())
        popops.zero(self.graph(), out, prog, self.debugContext("zero"))
        one = self.getConst(wide, [], 1, "one")
        op.place().add(self, out, arithmetic.converted(g, wide, "wide"), 1, one, prog)
        self.setOutTensor(0, arithmetic.converted(out, kind, "narrow"))


_TIED = graphcore_id("PopartTiedGather")
OpCreator(TiedGatherOp, [_TIED], isPublic=False)
OpxCreator(TiedGatherOpx, [_TIED])
OpxCreator(TiedGatherGradOpx, [TiedGatherGradOp.opid])
