"""Windows over spatial dimensions: the attributes that convolutions and poolings share."""

from __future__ import annotations

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op

_LARGEST = 2**31 - 1
"""What the device's library functions take."""


class WindowOp(Op):
    """An operator on [batch, channels, spatial...] that slides a window over the spatial
    dimensions.
    """

    auto_pad: str | None
    kernel_shape: list[int] | None
    pads: list[int] | None
    strides: list[int] | None

    def window(self) -> list[int]:
        """Elements of the window in each spatial dimension."""
        if not self.kernel_shape:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'kernel_shape' is missing."
            )
        return self._perDimension("kernel_shape", self.kernel_shape)

    def spatialShape(self) -> list[int]:
        """The input's one to three spatial dimensions. Raises OperatorInputError for others."""
        shape = self.inShape(0)
        if not 3 <= len(shape) <= 5:
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {shape}; expected is [batch, channels, "
                "spatial...] with one to three spatial dimensions."
            )
        return shape[2:]

    def stride(self) -> list[int]:
        """Steps of the window, 1 by default."""
        return (
            self._perDimension("strides", self.strides)
            if self.strides
            else [1] * len(self.spatialShape())
        )

    def dilation(self) -> list[int]:
        """Distance between the elements of the window, 1 by default."""
        given: list[int] | None = getattr(self, "dilations", None)
        return self._perDimension("dilations", given) if given else [1] * len(self.spatialShape())

    def extent(self) -> list[int]:
        """What the window spans, with its dilation."""
        return [d * (k - 1) + 1 for k, d in zip(self.window(), self.dilation(), strict=True)]

    def padding(self) -> tuple[list[int], list[int]]:
        """Elements added before and after each spatial dimension."""
        n = len(self.spatialShape())
        mode = self.auto_pad or "NOTSET"
        if mode != "NOTSET" and any(self.pads or []):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attributes 'pads', {self.pads}, and 'auto_pad', "
                f"{mode!r}, exclude each other."
            )
        if mode in ("SAME_UPPER", "SAME_LOWER"):
            return self._samePadding(mode == "SAME_UPPER")
        if mode not in ("NOTSET", "VALID"):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'auto_pad' is {mode!r}; expected is NOTSET, "
                "VALID, SAME_UPPER or SAME_LOWER."
            )
        if mode == "VALID" or not self.pads:
            return [0] * n, [0] * n
        if len(self.pads) != 2 * n or max(map(abs, self.pads)) > _LARGEST:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'pads' is {self.pads}; expected are {n} "
                f"beginnings, then {n} ends, each less than 2^31."
            )
        return self.pads[:n], self.pads[n:]

    def _samePadding(self, upper: bool) -> tuple[list[int], list[int]]:
        """As much as makes the output's size the input's divided by the stride, rounded up."""
        small, large = [], []
        for size, extent, step in zip(
            self.spatialShape(), self.extent(), self.stride(), strict=True
        ):
            total = max((-(-size // step) - 1) * step + extent - size, 0)
            small.append(total // 2)
            large.append(total - total // 2)
        return (small, large) if upper else (large, small)

    def outputSpatial(self, roundUp: bool = False) -> list[int]:
        """The output's spatial dimensions. Raises OperatorInputError if the window does not fit."""
        found = []
        lower, upper = self.padding()
        for size, a, b, extent, step in zip(
            self.spatialShape(), lower, upper, self.extent(), self.stride(), strict=True
        ):
            room = size + a + b - extent
            if room < 0:
                raise OperatorInputError(
                    f"{self.debugName()}: a window that spans {self.extent()} does not fit the "
                    f"input {self.inShape(0)} with padding {lower} before and {upper} after."
                )
            steps = -(-room // step) if roundUp else room // step
            if roundUp and steps * step >= size + a:
                steps -= 1
            found.append(steps + 1)
        return found

    def _perDimension(self, name: str, given: list[int]) -> list[int]:
        n = len(self.spatialShape())
        if len(given) != n or min(given) < 1 or max(given) > _LARGEST:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute '{name}' is {given}; expected is one number "
                f"of at least 1, and less than 2^31, for each of the {n} spatial dimensions of "
                f"{self.inShape(0)}."
            )
        return given
