"""LpPool: the p-norm of each window of [batch, channels, spatial...]."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator


class LpPool(Decomposition):
    """ONNX's LpPool, versions 1, 2, 11, 18 and 22: y = (sum of |x|^p over the window)^(1/p).
    Padding counts as zeros. Where y is 0 its gradient is 0.
    """

    auto_pad: str | None
    ceil_mode: bool | None
    dilations: list[int] | None
    kernel_shape: list[int] | None
    p: float
    pads: list[int] | None
    strides: list[int] | None

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A power, the sums of windows, a root; in float for 16-bit types.

        Raises OperatorAttributeError for p below 1, and the errors of a pooling's attributes.
        """
        if not self.p >= 1:
            raise OperatorAttributeError(
                f"{self._who()}: the attribute 'p' is {self.p}; a norm has p = 1 or more."
            )
        given = on.info(x).dataType()
        sizes = on.cast(on.Abs(x), accumulator_of(given))
        if self.p == 1:
            powers = sizes
        else:
            powers = on.Mul(sizes, sizes) if self.p == 2 else on.Pow(sizes, on.like(self.p, sizes))
        attributes = {name: value for name, value in self.attributes.items() if name != "p"}
        total = on.add("ai.graphcore", "SumPool", 1, [powers], 1, attributes)
        assert isinstance(total, Tensor)
        if self.p == 1:
            return on.cast(total, given)
        # The root of 1 stands for that of 0, whose derivative is infinite.
        zero, one = on.like(0, total), on.like(1, total)
        is_zero = on.Equal(total, zero)
        some = on.Where(is_zero, one, total)
        root = on.Sqrt(some) if self.p == 2 else on.Pow(some, on.like(1 / self.p, total))
        return on.cast(on.Where(is_zero, zero, root), given)


OpCreator(LpPool, onnx_ids("LpPool", 1, 2, 11, 18, 22))
