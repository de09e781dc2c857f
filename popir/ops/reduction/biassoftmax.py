"""onnxruntime's BiasSoftmax: Softmax of a sum."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.shapes import axis, product
from popir.registry import OpCreator


class BiasSoftmax(Decomposition):
    """onnxruntime's BiasSoftmax, version 1: Softmax of data plus bias over the dimensions from
    `axis` on, taken together.

    The bias has the shape of the data but for dimensions that it lacks or has as 1:
    with `is_inner_broadcast` some just before `axis`, otherwise the first ones.
    """

    axis: int
    is_inner_broadcast: int

    def decompose(self, on: Decomposer, x: Tensor, bias: Tensor) -> Tensor:
        """A sum and Softmax of rows. Raises OperatorInputError for a bias of another shape,
        OperatorAttributeError for a wrong axis.
        """
        shape, given = on.shape(x), on.shape(bias)
        at = axis(self, self.axis, len(shape))
        for n in range(at + 1):
            before, after = (
                ([], shape[n:]) if not self.is_inner_broadcast else (shape[:n], shape[at:])
            )
            ones = [1] * (len(shape) - len(before) - len(after))
            if given in ([*before, *after], [*before, *ones, *after]):
                total = on.Add(x, on.reshape(bias, [*before, *ones, *after]))
                rows = on.reshape(total, [*shape[:at], product(shape[at:])])
                return on.reshape(on.Softmax(rows, axis=-1), shape)
        where = f"just before dimension {at}" if self.is_inner_broadcast else "at the beginning"
        raise self.wrong(
            f"the bias has shape {given}; expected is {shape} with dimensions {where} left out "
            "or 1."
        )


OpCreator(BiasSoftmax, microsoft_id("BiasSoftmax"))
