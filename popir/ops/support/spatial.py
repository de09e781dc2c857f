"""Sliding windows over spatial dimensions: the attributes common to convolution and pooling."""

from __future__ import annotations

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op

_LARGEST = 2**31 - 1
"""The largest value that the device's library functions accept."""


class WindowOp(Op):
    """An operator on [batch, channels, spatial...] with a window that slides over one to three
    spatial dimensions. `auto_pad`, `kernel_shape`, `pads` and `strides` are ONNX's attributes.
    """

    auto_pad: str | None
    kernel_shape: list[int] | None
    pads: list[int] | None
    strides: list[int] | None

    def window(self) -> list[int]:
        """The size of the window in each spatial dimension. Raises OperatorAttributeError if
        `kernel_shape` is missing or malformed.
        """
        if not self.kernel_shape:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'kernel_shape' is missing."
            )
        return self._per_dimension("kernel_shape", self.kernel_shape)

    def spatial_shape(self) -> list[int]:
        """The one to three spatial dimensions of the input. Raises OperatorInputError for another
        number.
        """
        shape = self.inShape(0)
        if not 3 <= len(shape) <= 5:
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {shape}; expected is [batch, channels, "
                "spatial...] with one to three spatial dimensions."
            )
        return shape[2:]

    def stride(self) -> list[int]:
        """The step of the window in each spatial dimension; 1 by default. Raises
        OperatorAttributeError for malformed `strides`.
        """
        return (
            self._per_dimension("strides", self.strides)
            if self.strides
            else [1] * len(self.spatial_shape())
        )

    def dilation(self) -> list[int]:
        """The distance between elements of the window in each spatial dimension; 1 by default.
        Raises OperatorAttributeError for malformed `dilations`.
        """
        given: list[int] | None = getattr(self, "dilations", None)
        return self._per_dimension("dilations", given) if given else [1] * len(self.spatial_shape())

    def extent(self) -> list[int]:
        """The input elements that the dilated window spans in each spatial dimension."""
        return [d * (k - 1) + 1 for k, d in zip(self.window(), self.dilation(), strict=True)]

    def padding(self) -> tuple[list[int], list[int]]:
        """The elements added before and after each spatial dimension.

        Raises OperatorAttributeError for contradicting or malformed attributes.
        """
        n = len(self.spatial_shape())
        mode = self.auto_pad or "NOTSET"
        if mode != "NOTSET" and any(self.pads or []):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attributes 'pads', {self.pads}, and 'auto_pad', "
                f"{mode!r}, exclude each other."
            )
        if mode in ("SAME_UPPER", "SAME_LOWER"):
            return self._same_padding(mode == "SAME_UPPER")
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

    def _same_padding(self, upper: bool) -> tuple[list[int], list[int]]:
        """The padding for an output of the input's size divided by the stride, rounded up."""
        small, large = [], []
        for size, extent, step in zip(
            self.spatial_shape(), self.extent(), self.stride(), strict=True
        ):
            total = max((-(-size // step) - 1) * step + extent - size, 0)
            small.append(total // 2)
            large.append(total - total // 2)
        return (small, large) if upper else (large, small)

    def output_spatial(self, round_up: bool = False) -> list[int]:
        """The spatial dimensions of the output. Raises OperatorInputError if the window does not
        fit.

        `round_up` is ONNX's ceil_mode: the last window, which may be the first, reaches beyond the
        input.
        """
        found = []
        lower, upper = self.padding()
        for size, a, b, extent, step in zip(
            self.spatial_shape(), lower, upper, self.extent(), self.stride(), strict=True
        ):
            room = size + a + b - extent
            steps = -(-room // step) if round_up else room // step
            if round_up and steps * step >= size + a:
                steps -= 1
            if steps < 0:
                raise OperatorInputError(
                    f"{self.debugName()}: a window that spans {self.extent()} does not fit the "
                    f"input {self.inShape(0)} with padding {lower} before and {upper} after."
                )
            found.append(steps + 1)
        return found

    def _per_dimension(self, name: str, given: list[int]) -> list[int]:
        n = len(self.spatial_shape())
        if len(given) != n or min(given) < 1 or max(given) > _LARGEST:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute '{name}' is {given}; expected is one number "
                f"of at least 1, and less than 2^31, for each of the {n} spatial dimensions of "
                f"{self.inShape(0)}."
            )
        return given
