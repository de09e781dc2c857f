"""ScatterElements, ScatterND and Scatter: data with elements or slices replaced, or computed with
updates.
"""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.movement.scatterrows import REDUCTIONS
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.places import Element, Slice, scatter_rows
from popir.ops.support.shapes import axis
from popir.registry import OpCreator


class _Reducing(Decomposition):
    reduction: str | None

    def checked(self) -> str:
        """The reduction; version 16 takes those of version 18 too, since PyTorch writes them there.
        Raises OperatorAttributeError for one that there is not.
        """
        found = "none" if self.reduction is None else self.reduction
        if found not in REDUCTIONS:
            raise OperatorAttributeError(
                f"{self._who()}: the reduction is '{found}'; expected is one of "
                f"{', '.join(REDUCTIONS)}."
            )
        return found


class ScatterElements(_Reducing):
    """ONNX's ScatterElements, versions 11, 13, 16 and 18, and Scatter, version 9: the data, with
    each element of `updates` at its position, but at its index along `axis`. `reduction` says what
    an update does with the element that is there; without one the last update stays.

    Deviations: an update at an index out of range that is computed at run time is left out; ONNX
    calls it an error. Scatter leaves out updates beyond the shape of the indices, as PopART does.
    """

    axis: int

    def decompose(self, on: Decomposer, data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """ScatterRows of the data taken flat. Raises OperatorInputError for shapes that do not
        match and for constant indices out of range.
        """
        reduction, along = self.checked(), axis(self, self.axis, len(on.shape(data)))
        few, many = on.shape(indices), on.shape(updates)
        differ = self.opid.type == "Scatter" and len(few) == len(many) and few != many
        if differ and all(a <= b for a, b in zip(few, many, strict=True)):
            zeros, dims = [0] * len(few), range(len(few))
            updates = on.Slice(updates, on.ints(*zeros), on.ints(*few), on.ints(*dims))
        if on.shape(updates) != on.shape(indices):
            raise self.wrong(
                f"the updates have shape {on.shape(updates)}, the indices {on.shape(indices)}; "
                "give one index for each update."
            )
        rows = Element(self, along).rows(on, data, indices)
        return scatter_rows(on, data, updates, rows, 1, reduction)


class ScatterND(_Reducing):
    """ONNX's ScatterND, versions 11, 13, 16 and 18: the data, with a slice of `updates` where each
    row of the last dimension of `indices` points to. `reduction` says what an update does with
    what is there; without one the last update stays.

    Deviation: an update at an index out of range that is computed at run time is left out; ONNX
    calls it an error.
    """

    def decompose(self, on: Decomposer, data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """ScatterRows of the data [places, elements of a slice]. Raises OperatorInputError for
        shapes that do not match and for constant indices out of range.
        """
        reduction = self.checked()
        slices = Slice(self, on.shape(data), on.shape(indices))
        expected = [*on.shape(indices)[:-1], *slices.shape]
        if on.shape(updates) != expected:
            raise self.wrong(
                f"the updates have shape {on.shape(updates)}; indices {on.shape(indices)} into "
                f"{on.shape(data)} take {expected}."
            )
        return scatter_rows(on, data, updates, slices.rows(on, indices), slices.width, reduction)


OpCreator(ScatterElements, onnx_ids("ScatterElements", 11, 13, 16, 18))
OpCreator(ScatterElements, onnx_ids("Scatter", 9))
OpCreator(ScatterND, onnx_ids("ScatterND", 11, 13, 16, 18))
