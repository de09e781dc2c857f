"""InstanceNormalization: normalises each channel of each sample by itself."""

from __future__ import annotations

import math

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator


class InstanceNormOp(Decomposition):
    """ONNX's InstanceNormalization, versions 6 and 22. Inputs: data [batch, channels, spatial...],
    scale and bias [channels]. Mean and variance are those of the spatial dimensions.
    """

    epsilon: float

    def decompose(self, on: Decomposer, x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
        """A BatchNormalization whose channels are those of all samples. Raises OperatorInputError
        for shapes that do not fit.
        """
        shape = on.shape(x)
        if len(shape) < 3:
            raise self.wrong(f"data has shape {shape}; expected is [batch, channels, spatial...].")
        for name, tensor in (("scale", scale), ("bias", bias)):
            if on.shape(tensor) != [shape[1]]:
                raise self.wrong(
                    f"the {name} has shape {on.shape(tensor)}; expected is [{shape[1]}]."
                )
        if 0 in shape:
            return on.Identity(x)
        batch, channels = shape[:2]
        count = batch * channels
        flat = on.reshape(x, [1, count, math.prod(shape[2:])])
        each = [
            on.reshape(on.Expand(given, on.ints(batch, channels)), [count])
            for given in (scale, bias)
        ]
        # The running statistics are not used.
        unused = on.Expand(on.like(0, x), on.ints(count))
        y = on.BatchNormalization(
            flat, *each, unused, unused, training_mode=1, epsilon=self.epsilon, outputs=3
        )
        return on.reshape(y[0], shape)


OpCreator(InstanceNormOp, onnx_ids("InstanceNormalization", 6, 22))
