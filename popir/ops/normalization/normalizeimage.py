"""NormalizeImage: pixels scaled and shifted by channel."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator
from popir.types import DataType


class NormalizeImage(Decomposition):
    """PopART's NormalizeImage: (scale * image - offsets) * scales for the three channels of the
    last dimension, and a fourth of zeros. An image of UINT8 becomes FLOAT16.

    PopART has no gradient; here it is that of the arithmetic.
    """

    scale: float

    def decompose(self, on: Decomposer, image: Tensor, offsets: Tensor, scales: Tensor) -> Tensor:
        """The arithmetic, in float, and a Pad."""
        shape, kind = on.shape(image), on.info(image).dataType()
        if len(shape) < 2 or shape[-1] != 3:
            raise self.wrong(
                f"it requires the inner dimension to be 3, of two or more; the image is {shape}."
            )
        if abs(self.scale) < 1.2e-7:
            raise OperatorAttributeError(
                f"{self._who()}: scale should be greater than 0; it is {self.scale}."
            )
        out = DataType.FLOAT16 if kind is DataType.UINT8 else kind
        for name, each in (("offsets", offsets), ("scales", scales)):
            if on.shape(each) != [3] or on.info(each).dataType() is not out:
                raise self.wrong(
                    f"{name} is {on.info(each)}; for an image of {kind.name} it must be "
                    f"{out.name}[3]."
                )
        wide = DataType.FLOAT
        pixels = on.Mul(on.cast(image, wide), on.const(self.scale, wide))
        pixels = on.Mul(on.Sub(pixels, on.cast(offsets, wide)), on.cast(scales, wide))
        pads = on.ints(*[0] * (2 * len(shape) - 1), 1)
        return on.Pad(on.cast(pixels, out), pads)


OpCreator(NormalizeImage, graphcore_id("NormalizeImage"))
