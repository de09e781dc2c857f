"""Division by the root mean square: ONNX's RMSNormalization and onnxruntime's
SimplifiedLayerNormalization.
"""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id, onnx_ids
from popir.ops.support.norms import root_mean_square, wide
from popir.ops.support.shapes import axis, broadcasts_to
from popir.registry import OpCreator
from popir.types import DataType

STAGES = (DataType.FLOAT, DataType.FLOAT16, DataType.DOUBLE, DataType.BFLOAT16)
"""In which the mean of the squares may be computed."""


class RMSNormalization(Decomposition):
    """ONNX's RMSNormalization, version 23: X divided by the root of the mean of its squares over
    the dimensions from `axis` on, computed in the type `stash_type`, in the type of X; times the
    scale, in whose type the result is.

    Deviation: for DOUBLE data it is computed in double, as onnxruntime does it.
    """

    axis: int
    epsilon: float
    stash_type: int

    def decompose(self, on: Decomposer, x: Tensor, scale: Tensor) -> Tensor:
        """A mean and products. Raises OperatorAttributeError for a wrong axis, or a `stash_type`
        that is no floating-point type; OperatorInputError for a scale that does not broadcast.
        """
        stages = {kind.onnx: kind for kind in STAGES}
        if self.stash_type not in stages:
            names = ", ".join(f"{code} ({kind.name})" for code, kind in stages.items())
            raise OperatorAttributeError(
                f"{self._who()}: stash_type is {self.stash_type}; expected is one of {names}."
            )
        given, shape = on.info(x).dataType(), on.shape(x)
        stage = given if given is DataType.DOUBLE else stages[self.stash_type]
        first = axis(self, self.axis, len(shape))
        if not broadcasts_to(on.shape(scale), shape):
            raise self.wrong(f"scale is {on.shape(scale)}, which does not broadcast to X, {shape}.")
        y, _ = root_mean_square(on, self, x, range(first, len(shape)), self.epsilon, stage)
        return on.Mul(on.cast(on.cast(y, given), on.info(scale).dataType()), scale)


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


OpCreator(RMSNormalization, onnx_ids("RMSNormalization", 23))
OpCreator(SimplifiedLayerNormalization, microsoft_id("SimplifiedLayerNormalization"))
