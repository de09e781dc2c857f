"""DFT and STFT: discrete Fourier transforms, of a whole axis and of frames of a signal."""

from __future__ import annotations

import math

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ir.traits import Array
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.fourier import hermitian, transform
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import axis as counted
from popir.registry import OpCreator


def _number(op: Decomposition, value: Array | None, what: str, least: int = 1) -> int | None:
    """The value of a scalar input, None for one that is left out."""
    if value is None:
        return None
    if value.size != 1 or int(value.reshape(())) < least:
        raise op.wrong(f"{what} is {value.tolist()}; expected is a number of at least {least}.")
    return int(value.reshape(()))


def _parts(on: Decomposer, x: Tensor) -> tuple[Tensor, Tensor | None]:
    """Real and imaginary part of a tensor [..., 1 or 2]; None for a real one."""
    *shape, count = on.shape(x)
    if count == 1:
        return on.reshape(x, shape), None
    last = on.ints(len(shape))
    first, second = (
        on.reshape(on.Slice(x, on.ints(i), on.ints(i + 1), last), shape) for i in (0, 1)
    )
    return first, second


def _joined(on: Decomposer, *parts: Tensor) -> Tensor:
    """The parts as the last dimension."""
    wide = [on.reshape(part, [*on.shape(part), 1]) for part in parts]
    return on.Concat(*wide, axis=len(on.shape(wide[0])) - 1) if len(wide) > 1 else wide[0]


class DFTOp(Decomposition):
    """ONNX's DFT, versions 17 and 20: the Fourier transform, or with `inverse` its inverse, along
    an axis of a tensor [..., 1 or 2], whose last dimension holds real and imaginary parts.

    Inputs 1 and 2, length and axis, must be known at compile time; version 17 has the axis as an
    attribute. With `onesided`, of a real input the first length // 2 + 1 elements; with `inverse`
    too, the real numbers whose transform begins with the input.
    """

    constantInputs = frozenset({1, 2})
    inverse: bool
    onesided: bool
    axis: int | None

    def decompose(
        self, on: Decomposer, x: Tensor, length: Tensor | None = None, axis: Tensor | None = None
    ) -> Tensor:
        """Products with matrices along the axis. Raises OperatorInputError for inputs that do not
        fit, OperatorAttributeError for an axis out of range.
        """
        shape, kind = on.shape(x), on.info(x).dataType()
        if len(shape) < 2 or shape[-1] not in (1, 2):
            raise self.wrong(f"the input has shape {shape}; expected is [..., 1] or [..., 2].")
        given = on.number(axis, "the axis")
        along = int(given) if given is not None else -2 if self.axis is None else self.axis
        along = counted(self, along, len(shape))
        if along == len(shape) - 1:
            raise OperatorAttributeError(
                f"{self.debugName()}: the axis {along} of {shape} is that of real and imaginary "
                "parts; give another one."
            )
        n = _number(self, on.value(length, "the length"), "the length")
        whole = self.onesided and self.inverse
        if n is None:
            n = 2 * (shape[along] - 1) if whole else shape[along]
        if n < 1:
            raise self.wrong(f"axis {along} of {shape} has no elements to transform.")
        if self.onesided and shape[-1] != (2 if self.inverse else 1):
            raise self.wrong(
                f"the input has shape {shape}; onesided transforms real numbers, [..., 1], and the "
                "inverse of that complex ones, [..., 2]."
            )
        bins = n // 2 + 1 if self.onesided else n
        out = [*shape[:along], n if whole else bins, *shape[along + 1 : -1], 1 if whole else 2]
        if 0 in out:
            return on.Expand(on.like(0, x), on.ints(*out))
        x = _cut(on, on.cast(x, accumulator_of(kind)), along, bins if whole else n)
        order = [d for d in range(len(shape) - 1) if d != along] + [along]
        back = [order.index(d) for d in range(len(order))]
        re, im = (
            None if part is None else on.Transpose(part, perm=order) for part in _parts(on, x)
        )
        assert re is not None
        if whole:
            assert im is not None
            parts = [hermitian(on, re, im, n)]
        else:
            parts = list(transform(on, re, im, 1 if self.inverse else -1, bins))
        if self.inverse:
            parts = [on.Mul(part, on.like(1 / n, part)) for part in parts]
        return on.cast(_joined(on, *(on.Transpose(part, perm=back) for part in parts)), kind)


def _cut(on: Decomposer, x: Tensor, axis: int, size: int) -> Tensor:
    """The first `size` elements along an axis, with zeros behind if there are fewer."""
    have = on.shape(x)[axis]
    if have > size:
        return on.Slice(x, on.ints(0), on.ints(size), on.ints(axis))
    return on.Pad(x, on.ints(0, size - have), None, on.ints(axis)) if have < size else x


class STFTOp(Decomposition):
    """ONNX's STFT, version 17: the Fourier transforms of frames of a signal
    [batch, length, 1 or 2], every `frame_step` elements one, each times the window. A real signal
    may be [batch, length], as PyTorch's exporter writes it and onnxruntime takes it.

    Inputs 1 and 3, step and length of the frames, must be known at compile time.
    """

    constantInputs = frozenset({1, 3})
    onesided: bool

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        frame_step: Tensor,
        window: Tensor | None = None,
        frame_length: Tensor | None = None,
    ) -> Tensor:
        """Gathers the frames and transforms them. Raises OperatorInputError for inputs that do not
        fit.
        """
        shape, kind = on.shape(x), on.info(x).dataType()
        if len(shape) == 2:
            shape = [*shape, 1]
            x = on.reshape(x, shape)
        if len(shape) != 3 or shape[2] not in (1, 2):
            raise self.wrong(
                f"the signal has shape {shape}; expected is [batch, length], [batch, length, 1] or "
                "[batch, length, 2]."
            )
        step = _number(self, on.value(frame_step, "the step"), "the step")
        assert step is not None
        n = _number(self, on.value(frame_length, "the frames' length"), "the frames' length")
        if n is None:
            n = shape[1] if window is None else math.prod(on.shape(window))
        if window is not None and on.shape(window) != [n]:
            raise self.wrong(f"the window has shape {on.shape(window)}; expected is [{n}].")
        if not 1 <= n <= shape[1]:
            raise self.wrong(f"a frame of {n} elements does not fit the signal {shape}.")
        if self.onesided and shape[2] == 2:
            raise self.wrong(
                f"the signal has shape {shape}, complex numbers; onesided, which is 1 by default, "
                "takes real ones."
            )
        frames, bins = (shape[1] - n) // step + 1, n // 2 + 1 if self.onesided else n
        if not shape[0]:
            return on.Expand(on.like(0, x), on.ints(0, frames, bins, 2))
        x = on.cast(x, accumulator_of(kind))
        parts = [None if part is None else _frames(on, part, step, n) for part in _parts(on, x)]
        if window is not None:
            weights = on.cast(window, accumulator_of(kind))
            parts = [None if part is None else on.Mul(part, weights) for part in parts]
        assert parts[0] is not None
        return on.cast(_joined(on, *transform(on, parts[0], parts[1], -1, bins)), kind)


def _frames(on: Decomposer, x: Tensor, step: int, size: int) -> Tensor:
    """The frames [batch, frames, size] of a signal [batch, length]."""
    batch, length = on.shape(x)
    count = (length - size) // step + 1
    # Frames begin and end between pieces of one length, of which they are made.
    piece = math.gcd(step, size)
    pieces = ((count - 1) * step + size) // piece
    x = on.Slice(x, on.ints(0), on.ints(pieces * piece), on.ints(1))
    x = on.reshape(x, [batch, pieces, piece])
    at = np.arange(count)[:, None] * (step // piece) + np.arange(size // piece)
    return on.reshape(on.Gather(x, on.const(at), axis=1), [batch, count, size])


OpCreator(DFTOp, onnx_ids("DFT", 17, 20))
OpCreator(STFTOp, onnx_ids("STFT", 17))
