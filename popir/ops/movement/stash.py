"""Stash and Restore: keep the values that a pipeline needs some stages later. The compiler adds
them; models do not have them.
"""

from __future__ import annotations

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ops.support.identifiers import graphcore_id
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator


class StashOp(Op):
    """PopART's Stash, version 1: writes the input to the next place of a stash of `stash_size`
    places, the output. After the last place comes the first.
    """

    openAttributes = True

    def setup(self) -> None:
        """Infers the type of the input, with a dimension for the places before its shape. Raises
        OperatorAttributeError for less than one place.
        """
        info, places = self.inInfo(0), self.attributes.get("stash_size", 1)
        if not isinstance(places, int) or not 1 <= places < 1 << 31:
            raise OperatorAttributeError(
                f"{self.debugName()}: stash_size is {places!r}; expected is 1 or more, below 2^31."
            )
        self.setOutInfo(0, type(info)(info.dataType(), [places, *info.shape()]))

    def isOutlineable(self) -> bool:
        """False: each has places of its own."""
        return False


class RestoreOp(Op):
    """PopART's Restore, version 1: reads the next place of a stash of `stash_size` places. It takes
    the places in the order in which the Stash fills them.
    """

    openAttributes = True

    def setup(self) -> None:
        """Infers the type and shape of a place. Raises OperatorInputError for a stash without
        places.
        """
        info = self.inInfo(0)
        if not info.shape() or info.shape()[0] < 1:
            raise OperatorInputError(
                f"{self.debugName()}: the stash has shape {info.shape()}; its first dimension are "
                "its places, 1 or more."
            )
        self.setOutInfo(0, type(info)(info.dataType(), info.shape()[1:]))

    def isOutlineable(self) -> bool:
        """False: each has places of its own."""
        return False


class _StashingOpx(Opx):
    """What both have: the number of the place that is next."""

    def place(self) -> Tensor:
        """The variable with the number, which begins at 0."""
        context = self.debugContext("place")
        linear = poplar.VariableMappingMethod.LINEAR
        place = self.graph().addVariable(poplar.UNSIGNED_INT, [1], linear, context)
        self.graph().setInitialValue(place, np.zeros(1, np.uint32))
        return place

    def count(self, prog: program.Sequence, place: Tensor, places: int) -> None:
        """Goes on to the next place."""
        one, n = (pe.Const(each, poplar.UNSIGNED_INT) for each in (1, places))
        after = pe.Rem(pe.Add(pe._1, one), n)
        popops.mapInPlace(self.graph(), after, [place], prog, self.debugContext("count"))


class StashOpx(_StashingOpx):
    """The lowering: an update of the stash at the place, a plain copy if there is one place."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the stash and the update."""
        info, context, given = self.outInfo(0), self.debugContext(), self.getInTensor(0)
        row = given.reshape([1, *given.shape()])
        stash = popops.createSliceableTensorFromSlice(
            self.graph(), row, [0], [info.shape()[0]], context
        )
        self.setOutTensor(0, stash)
        if info.shape()[0] == 1:
            prog.add(program.Copy(given, stash.reshape(given.shape()), context))
            return
        place = self.place()
        popops.dynamicUpdate(self.graph(), stash, row, place, [0], [1], prog, context)
        self.count(prog, place, info.shape()[0])


class RestoreOpx(_StashingOpx):
    """The lowering: a slice of the stash at the place, a plain copy if there is one place."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the slice, and the step to the next place."""
        stash, shape = self.getInTensor(0), self.outShape(0)
        if stash.shape()[0] == 1:
            self.setOutTensor(0, self.cloneNcopy(prog, stash.reshape(shape)))
            return
        place, context = self.place(), self.debugContext()
        found = popops.dynamicSlice(self.graph(), stash, place, [0], [1], prog, context)
        self.count(prog, place, stash.shape()[0])
        self.setOutTensor(0, found.reshape(shape))


OpCreator(StashOp, [graphcore_id("Stash")], isPublic=False)
OpCreator(RestoreOp, [graphcore_id("Restore")], isPublic=False)
OpxCreator(StashOpx, [graphcore_id("Stash")])
OpxCreator(RestoreOpx, [graphcore_id("Restore")])
