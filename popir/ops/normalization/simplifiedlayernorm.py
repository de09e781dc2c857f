"""onnxruntime's SimplifiedLayerNormalization: division by the root mean square."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import root_mean_square, wide
from popir.ops.support.shapes import axis
from popir.registry import OpCreator
from popir.types import DataType


class SimplifiedLayerNormalization(Decomposition):
    """onnxruntime's SimplifiedLayerNormalization, version 1, which files have in ONNX's domain: X
    divided by the root of the mean of its squares over the dimensions from `axis` on, in FLOAT or
    DOUBLE, in the type of the scale, times the scale.
    """

    axis: int
    epsilon: float
    stash_type: int

    def decompose(self, on: Decomposer, x: Tensor, scale: Tensor) -> list[Tensor]:
        """A mean and products. Raises OperatorAttributeError for a wrong axis, or a `stash_type`
        other than that of the computation.
        """
        if DataType.of(self.stash_type) is not DataType.FLOAT:
            raise OperatorAttributeError(
                f"{self._who()}: stash_type is {self.stash_type}; popir has FLOAT (1) alone."
            )
        first = axis(self, self.axis, len(on.shape(x)))
        along = range(first, len(on.shape(x)))
        y, inverse = root_mean_square(on, self, x, along, self.epsilon)
        return [on.Mul(on.cast(y, on.info(scale).dataType()), scale), on.cast(inverse, wide(on, x))]


OpCreator(SimplifiedLayerNormalization, microsoft_id("SimplifiedLayerNormalization"))
