"""AffineGrid: positions for GridSample, by an affine map of each batch."""

from __future__ import annotations

import numpy as np

from popir import memory
from popir.ir import Tensor
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator


class AffineGridOp(Decomposition):
    """ONNX's AffineGrid, version 20. Inputs: a matrix [batch, n, n + 1] for each image, and the
    size [batch, channels, spatial...] of what is to be sampled, with n spatial dimensions, 2 or 3,
    known at compile time. The result is [batch, spatial..., n]: where the map takes each element,
    the last dimension first; -1 is the beginning of the image and 1 its end.

    With `align_corners` these are the centres of the first and last element, else their outer
    edges. With it the place in a dimension of one element is -1, as the standard's definition of
    the operator has it, where PyTorch has 0; GridSample takes them for the same.
    """

    align_corners: bool

    def decompose(self, on: Decomposer, theta: Tensor, size: Tensor) -> Tensor:
        """A product of each matrix with the places of all elements. Raises OperatorInputError for
        shapes that do not fit.
        """
        given = on.value(size, "the size")
        assert given is not None
        sizes, shape = given.ravel().tolist(), on.shape(theta)
        n = len(sizes) - 2
        if n not in (2, 3) or min(sizes) < 0 or shape != [sizes[0], n, n + 1]:
            raise self.wrong(
                f"the matrices have shape {shape} and the size is {sizes}; expected are [batch, n, "
                "n + 1] and [batch, channels, spatial...] with n spatial dimensions, 2 or 3."
            )
        kind = on.info(theta).dataType()
        wide = accumulator_of(kind)
        points = on.const(self._places(sizes[2:]), wide)
        found = on.MatMul(points, on.Transpose(on.cast(theta, wide), perm=[0, 2, 1]))
        return on.cast(on.reshape(found, [sizes[0], *sizes[2:], n]), kind)

    def _places(self, spatial: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """[elements, n + 1]: the place of each element, its last dimension first, and a 1."""
        n = len(spatial)
        memory.require(self._who(), 8 * (n + 1) * int(np.prod(spatial, dtype=object)))
        places = np.ones((*spatial, n + 1))
        for d, count in enumerate(spatial):
            steps = 2 * np.arange(count)
            if self.align_corners:
                along = steps / max(count - 1, 1) - 1
            else:
                along = (steps + 1) / max(count, 1) - 1
            places[..., n - 1 - d] = along.reshape([-1, *[1] * (n - 1 - d)])
        return places.reshape(-1, n + 1)


OpCreator(AffineGridOp, onnx_ids("AffineGrid", 20))
