"""GatherElements and GatherND: elements and slices at indices in one or several dimensions."""

from __future__ import annotations

import math

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.places import Element, Slice, gather_rows
from popir.ops.support.shapes import axis
from popir.registry import OpCreator


class GatherElements(Decomposition):
    """ONNX's GatherElements, versions 11 and 13: at each position of `indices`, the element of the
    data at that position, but at that index along `axis`. Dimensions of the indices other than
    `axis` may be smaller than the data's.

    Deviation: an index out of range that is computed at run time gives 0; ONNX calls it an error.
    """

    axis: int

    def decompose(self, on: Decomposer, data: Tensor, indices: Tensor) -> Tensor:
        """A Gather of the data taken flat. Raises OperatorInputError for shapes that do not match
        and for constant indices out of range.
        """
        along = axis(self, self.axis, len(on.shape(data)))
        rows = Element(self, along).rows(on, data, indices)
        return gather_rows(on, on.reshape(data, [math.prod(on.shape(data))]), rows)


class GatherND(Decomposition):
    """ONNX's GatherND, versions 11, 12 and 13: each row of the last dimension of `indices` selects
    a slice of the data. The first `batch_dims` dimensions of both are the same and count the
    batches.

    Deviation: an index out of range that is computed at run time gives zeros; ONNX calls it an
    error.
    """

    batch_dims: int | None

    def decompose(self, on: Decomposer, data: Tensor, indices: Tensor) -> Tensor:
        """A Gather of the data [places, elements of a slice]. Raises OperatorInputError for shapes
        that do not match and for constant indices out of range.
        """
        slices = Slice(self, on.shape(data), on.shape(indices), self.batch_dims or 0)
        rows = slices.rows(on, indices)
        found = gather_rows(on, on.reshape(data, [slices.places, slices.width]), rows)
        return on.reshape(found, [*on.shape(indices)[:-1], *slices.shape])


OpCreator(GatherElements, onnx_ids("GatherElements", 11, 13))
OpCreator(GatherND, onnx_ids("GatherND", 11, 12, 13))
