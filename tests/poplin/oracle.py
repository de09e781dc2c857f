"""Convolutions by their definition, in float64, and the adjoint of each step for the gradients."""

from dataclasses import dataclass, field

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


@dataclass
class Side:
    """What is done to one dimension of an operand: truncate, dilate, pad, flip."""

    truncation: tuple[int, int] = (0, 0)
    dilation: int = 1
    padding: tuple[int, int] = (0, 0)
    flip: bool = False

    def apply(self, x: np.ndarray, axis: int) -> np.ndarray:
        x = np.moveaxis(x, axis, -1)
        x = x[..., self.truncation[0] : x.shape[-1] - self.truncation[1]]
        dilated = np.zeros((*x.shape[:-1], (x.shape[-1] - 1) * self.dilation + 1))
        dilated[..., :: self.dilation] = x
        x = np.pad(dilated, [(0, 0)] * (x.ndim - 1) + [self.padding])
        return np.moveaxis(x[..., ::-1] if self.flip else x, -1, axis)

    def adjoint(self, x: np.ndarray, axis: int) -> np.ndarray:
        x = np.moveaxis(x, axis, -1)
        x = x[..., ::-1] if self.flip else x
        x = x[..., self.padding[0] : x.shape[-1] - self.padding[1]][..., :: self.dilation]
        return np.moveaxis(np.pad(x, [(0, 0)] * (x.ndim - 1) + [self.truncation]), -1, axis)


@dataclass
class Out:
    """What is done to one dimension of the result: truncate, stride, pad."""

    truncation: tuple[int, int] = (0, 0)
    stride: int = 1
    padding: tuple[int, int] = (0, 0)

    def apply(self, x: np.ndarray, axis: int) -> np.ndarray:
        x = np.moveaxis(x, axis, -1)
        x = x[..., self.truncation[0] : x.shape[-1] - self.truncation[1]][..., :: self.stride]
        return np.moveaxis(np.pad(x, [(0, 0)] * (x.ndim - 1) + [self.padding]), -1, axis)

    def adjoint(self, x: np.ndarray, axis: int, size: int) -> np.ndarray:
        x = np.moveaxis(x, axis, -1)
        x = x[..., self.padding[0] : x.shape[-1] - self.padding[1]]
        full = np.zeros((*x.shape[:-1], size))
        full[..., self.truncation[0] : size - self.truncation[1] : self.stride] = x
        return np.moveaxis(full, -1, axis)


@dataclass
class Conv:
    """One convolution; channels of one group, one Side and Out for each field dimension."""

    batch: int
    groups: int
    channels: tuple[int, int]
    field: tuple[int, ...]
    kernel: tuple[int, ...]
    inputs: list[Side] = field(default_factory=list)
    kernels: list[Side] = field(default_factory=list)
    outs: list[Out] = field(default_factory=list)

    def __post_init__(self) -> None:
        dims = len(self.field)
        self.inputs = self.inputs or [Side()] * dims
        self.kernels = self.kernels or [Side()] * dims
        self.outs = self.outs or [Out()] * dims

    def operands(self, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, (self.batch, self.groups * self.channels[0], *self.field))
        w = rng.uniform(-1, 1, (self.groups, self.channels[1], self.channels[0], *self.kernel))
        return x, w

    def _transformed(self, x: np.ndarray, sides: list[Side], first: int) -> np.ndarray:
        for d, side in enumerate(sides):
            x = side.apply(x, first + d)
        return x

    def _windows(self, x: np.ndarray, taps: tuple[int, ...]) -> np.ndarray:
        x = self._transformed(x.astype(np.float64), self.inputs, 2)
        x = x.reshape(self.batch, self.groups, self.channels[0], *x.shape[2:])
        return sliding_window_view(x, taps, axis=tuple(range(3, x.ndim)))

    def forward(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        w = self._transformed(w.astype(np.float64), self.kernels, 3)
        taps, points = "tuv"[: len(self.field)], "xyz"[: len(self.field)]
        y = np.einsum(f"ngi{points}{taps},goi{taps}->ngo{points}", self._windows(x, w.shape[3:]), w)
        y = y.reshape(self.batch, -1, *y.shape[3:])
        for d, out in enumerate(self.outs):
            y = out.apply(y, 2 + d)
        return y

    def _inner_gradient(self, dy: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
        dy = dy.astype(np.float64)
        for d, out in enumerate(self.outs):
            dy = out.adjoint(dy, 2 + d, sizes[d])
        return dy.reshape(self.batch, self.groups, self.channels[1], *sizes)

    def weights_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        taps = tuple(
            s.apply(np.zeros(k), 0).size for s, k in zip(self.kernels, self.kernel, strict=True)
        )
        windows = self._windows(x, taps)
        dims = len(self.field)
        g = self._inner_gradient(dy, windows.shape[3 : 3 + dims])
        t, p = "tuv"[:dims], "xyz"[:dims]
        dw = np.einsum(f"ngi{p}{t},ngo{p}->goi{t}", windows, g)
        for d, side in enumerate(self.kernels):
            dw = side.adjoint(dw, 3 + d)
        return dw

    def data_gradient(self, w: np.ndarray, dy: np.ndarray) -> np.ndarray:
        w = self._transformed(w.astype(np.float64), self.kernels, 3)
        sizes = tuple(
            s.apply(np.zeros(n), 0).size for s, n in zip(self.inputs, self.field, strict=True)
        )
        points = tuple(n - k + 1 for n, k in zip(sizes, w.shape[3:], strict=True))
        g = self._inner_gradient(dy, points)
        dx = np.zeros((self.batch, self.groups, self.channels[0], *sizes))
        for tap in np.ndindex(*w.shape[3:]):
            where = tuple(slice(t, t + n) for t, n in zip(tap, points, strict=True))
            dx[(..., *where)] += np.einsum("ngo...,goi->ngi...", g, w[(..., *tap)])
        dx = dx.reshape(self.batch, -1, *sizes)
        for d, side in enumerate(self.inputs):
            dx = side.adjoint(dx, 2 + d)
        return dx
