"""DeformConv: a convolution whose window has an offset of its own at each position."""

from __future__ import annotations

import math

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.fields import Field, linear_taps
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator


class DeformConvOp(Decomposition):
    """ONNX's DeformConv, versions 19 and 22. Inputs: data [batch, in channels, spatial...], weights
    [out channels, in channels / group, window...], offsets
    [batch, offset_group * window * n, out spatial...], and if given a bias [out channels] and a
    mask [batch, offset_group * window, out spatial...]. The n offsets of an element of the window
    are the distance to where the data is sampled, linearly; beyond the data it is 0.

    Any number n of spatial dimensions. All floating-point inputs have gradients.
    """

    dilations: list[int] | None
    group: int
    kernel_shape: list[int] | None
    offset_group: int
    pads: list[int] | None
    strides: list[int] | None

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        w: Tensor,
        offset: Tensor,
        bias: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        """Samples the data for each element of the window, and multiplies by the weights. Raises
        OperatorInputError for shapes that do not fit, OperatorAttributeError for wrong attributes.
        """
        out = self._checked(on, x, w, offset, bias, mask)
        kind = on.info(x).dataType()
        batch, channels, *spatial = on.shape(x)
        out_channels, depth, *window = on.shape(w)
        shape = [batch, out_channels, *out]
        if 0 in shape:
            return on.Expand(on.like(0, x), on.ints(*shape))
        wide = accumulator_of(kind)
        x, w, offset = (on.cast(each, wide) for each in (x, w, offset))
        n, size, places, parts = len(spatial), math.prod(window), math.prod(out), self.offset_group
        points = size * places
        field = Field(on, on.reshape(x, [batch * parts, channels // parts, *spatial]))
        # Points lie place by place, so that what a place needs becomes a row.
        offset = on.reshape(offset, [batch * parts, size, n, places])
        offset = on.Transpose(offset, perm=[2, 0, 3, 1])
        taps = []
        for d, base in enumerate(self._positions(window, out)):
            along = on.Squeeze(on.Slice(offset, on.ints(d), on.ints(d + 1), on.ints(0)), on.ints(0))
            position = on.Add(along, on.const(base.T, wide))
            position = on.Clip(position, on.like(-2, x), on.like(spatial[d] + 1, x))
            taps.append(linear_taps(on, on.reshape(position, [batch * parts, points])))
        found = field.sum(taps)
        if mask is not None:
            each = on.reshape(on.cast(mask, wide), [batch * parts, size, places])
            each = on.reshape(on.Transpose(each, perm=[0, 2, 1]), [batch * parts, points, 1])
            found = on.Mul(found, each)
        group = self.group
        columns = on.reshape(found, [batch, parts, places, size, channels // parts])
        if parts > 1 or group > 1:
            columns = on.Transpose(columns, perm=[0, 2, 3, 1, 4])
            columns = on.reshape(columns, [batch, places, size, group, depth])
            columns = on.Transpose(columns, perm=[0, 3, 1, 2, 4])
        columns = on.reshape(columns, [batch, group, places, size * depth])
        rows = on.Transpose(
            on.reshape(w, [group, out_channels // group, depth, size]), perm=[0, 3, 2, 1]
        )
        rows = on.reshape(rows, [group, size * depth, out_channels // group])
        y = on.reshape(on.Transpose(on.MatMul(columns, rows), perm=[0, 1, 3, 2]), shape)
        if bias is not None:
            y = on.Add(y, on.reshape(on.cast(bias, wide), [out_channels, *[1] * n]))
        return on.cast(y, kind)

    def _positions(self, window: list[int], out: list[int]) -> list[np.ndarray]:
        """For each dimension the positions [window, out], without offsets."""
        n = len(window)
        strides, dilations = self.strides or [1] * n, self.dilations or [1] * n
        pads = self.pads or [0] * 2 * n
        each = np.indices(window).reshape(n, -1, 1)
        at = np.indices(out).reshape(n, 1, -1)
        return [at[d] * strides[d] - pads[d] + each[d] * dilations[d] for d in range(n)]

    def _checked(
        self,
        on: Decomposer,
        x: Tensor,
        w: Tensor,
        offset: Tensor,
        bias: Tensor | None,
        mask: Tensor | None,
    ) -> list[int]:
        """The spatial dimensions of the result."""
        data, weights = on.shape(x), on.shape(w)
        n = len(data) - 2
        if n < 1 or len(weights) != n + 2 or 0 in weights[2:]:
            raise self.wrong(
                f"data has shape {data} and the weights {weights}; expected are [batch, in "
                "channels, spatial...] and [out channels, in channels / group, window...]."
            )
        window = weights[2:]
        for name, least, count in (
            ("strides", 1, n),
            ("dilations", 1, n),
            ("pads", 0, 2 * n),
            ("kernel_shape", 1, n),
        ):
            given = getattr(self, name)
            if given and (len(given) != count or min(given) < least):
                raise OperatorAttributeError(
                    f"{self.debugName()}: the attribute '{name}' is {given}; expected are {count} "
                    f"numbers of at least {least}."
                )
        if self.kernel_shape and self.kernel_shape != window:
            raise self.wrong(
                f"the weights have shape {weights}, which is not of the kernel_shape "
                f"{self.kernel_shape}."
            )
        group, parts = self.group, self.offset_group
        if group < 1 or weights[1] * group != data[1] or weights[0] % group:
            raise self.wrong(
                f"data {data} and weights {weights} do not fit with group={group}: expected are "
                f"weights [out channels, {data[1]} / {group}, window...], the out channels a "
                "multiple of the group."
            )
        if parts < 1 or data[1] % parts:
            raise self.wrong(f"offset_group is {parts}, which does not divide {data[1]} channels.")
        strides, dilations = self.strides or [1] * n, self.dilations or [1] * n
        pads = self.pads or [0] * 2 * n
        out: list[int] = []
        for d, size in enumerate(data[2:]):
            room = size + pads[d] + pads[n + d] - dilations[d] * (window[d] - 1) - 1
            if room < 0:
                raise self.wrong(f"the window {window} does not fit the data {data}.")
            out.append(room // strides[d] + 1)
        elements = parts * math.prod(window)
        for name, tensor, expected in (
            ("offsets", offset, [data[0], elements * n, *out]),
            ("mask", mask, [data[0], elements, *out]),
            ("bias", bias, weights[:1]),
        ):
            if tensor is not None and on.shape(tensor) != expected:
                raise self.wrong(
                    f"the {name} have shape {on.shape(tensor)}; expected is {expected}."
                    if name == "offsets"
                    else f"the {name} has shape {on.shape(tensor)}; expected is {expected}."
                )
        return out


OpCreator(DeformConvOp, onnx_ids("DeformConv", 19, 22))
