"""Discrete Fourier transforms along the last axis, as products with constant matrices.

Complex numbers are pairs of tensors, or the two halves of a dimension: all real parts, then all
imaginary parts. A transform of n = a * b elements is one of a elements, a multiplication by roots
of unity and one of b elements, so that no matrix has more than `_MOST` rows unless n has a large
prime factor; such a length is a convolution of a power of 2 (Bluestein). Work and memory
grow as n * sqrt(n).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from popir.ir import Tensor
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer

Complex = NDArray[np.complex128]

_MOST = 256
"""The longest transform that is one product with its matrix."""


def transform(
    on: Decomposer, re: Tensor, im: Tensor | None, sign: int, bins: int | None = None
) -> tuple[Tensor, Tensor]:
    """sum_j x[j] * exp(sign * 2 pi i j k / n) for each k, or for the first `bins` of them: real and
    imaginary part. `re` and `im` have one shape, [..., n]; None stands for zeros.
    """
    *lead, n = on.shape(re)
    rows = math.prod(lead)
    flat = on.reshape(re, [rows, n]), None if im is None else on.reshape(im, [rows, n])
    bins = n if bins is None else bins
    found = _transform(on, *flat, sign, bins)
    real, imaginary = (on.reshape(part, [*lead, bins]) for part in found)
    return real, imaginary


def hermitian(on: Decomposer, re: Tensor, im: Tensor, n: int) -> Tensor:
    """The real part of the unscaled inverse transform of n elements, from its first n // 2 + 1
    ones [..., n // 2 + 1]: the others are their conjugates.
    """
    bins = n // 2 + 1
    *lead, _ = on.shape(re)
    rows = math.prod(lead)
    re, im = on.reshape(re, [rows, bins]), on.reshape(im, [rows, bins])
    if n <= _MOST:
        weight = np.full([bins, 1], 2.0)
        weight[0] = 1
        if n % 2 == 0:
            weight[-1] = 1
        roots = _roots(np.outer(np.arange(bins), np.arange(n)), n, 1)
        matrix = np.concatenate([roots.real * weight, -roots.imag * weight])
        return on.reshape(on.MatMul(on.Concat(re, im, axis=1), on.like(matrix, re)), [*lead, n])
    # The imaginary parts of what is its own conjugate do not count.
    keep = np.ones(bins)
    keep[0] = 0
    if n % 2 == 0:
        keep[-1] = 0
    im = on.Mul(im, on.like(keep, im))
    mirrored = np.arange(n - bins, 0, -1)
    rest = [on.Slice(part, *_backwards(on, mirrored)) for part in (re, im)]
    full = on.Concat(re, rest[0], axis=1), on.Concat(im, on.Neg(rest[1]), axis=1)
    return on.reshape(_transform(on, *full, 1, n)[0], [*lead, n])


def _backwards(on: Decomposer, at: Array) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return on.ints(int(at[0])), on.ints(int(at[-1]) - 1), on.ints(1), on.ints(-1)


def _roots(powers: Array, n: int, sign: int) -> Complex:
    """exp(sign * 2 pi i p / n), from exact remainders, with exact zeros."""
    found: Complex = np.exp(sign * 2j * np.pi / n * (powers % n))
    re, im = (np.where(np.abs(part) < 1e-15, 0, part) for part in (found.real, found.imag))
    return re + 1j * im


def _factor(n: int) -> int | None:
    """The divisor of n next to its square root if n has no large prime factor."""
    rest = n
    for p in range(2, _MOST + 1):
        while rest % p == 0:
            rest //= p
    if rest > 1:
        return None
    return next(d for d in range(math.isqrt(n), 0, -1) if n % d == 0)


def _transform(
    on: Decomposer, re: Tensor, im: Tensor | None, sign: int, bins: int
) -> tuple[Tensor, Tensor]:
    n = on.shape(re)[1]
    if n <= _MOST:
        roots = _roots(np.outer(np.arange(n), np.arange(bins)), n, sign)
        matrix = np.concatenate([roots.real, roots.imag], 1)
        if im is not None:
            matrix = np.concatenate([matrix, np.concatenate([-roots.imag, roots.real], 1)])
        x = re if im is None else on.Concat(re, im, axis=1)
        return _halves(on, on.MatMul(x, on.like(matrix, re)), 1, bins)
    a = _factor(n)
    if a is None or a == 1:
        found = _bluestein(on, re, im, sign)
    else:
        found = _by_factors(on, re, im, sign, a)
    if bins == n:
        return found
    first, second = (on.Slice(x, on.ints(0), on.ints(bins), on.ints(1)) for x in found)
    return first, second


def _by_factors(
    on: Decomposer, re: Tensor, im: Tensor | None, sign: int, a: int
) -> tuple[Tensor, Tensor]:
    """With b = n / a, element j = b p + q and result k = r + a s: over p for each q, times
    exp(2 pi i q r / n), then over q for each r.
    """
    rows, n = on.shape(re)
    b = n // a
    roots = _roots(np.outer(np.arange(a), np.arange(a)), a, sign)
    matrix = np.concatenate([roots.real, roots.imag])
    x = on.reshape(re, [rows, a, b])
    if im is not None:
        matrix = np.concatenate([matrix, np.concatenate([-roots.imag, roots.real])], 1)
        x = on.Concat(x, on.reshape(im, [rows, a, b]), axis=1)
    re, im = _halves(on, on.MatMul(on.like(matrix, re), x), 1, a)
    turn = _roots(np.outer(np.arange(a), np.arange(b)), n, sign)
    parts = [on.reshape(x, [rows * a, b]) for x in _times(on, re, im, turn)]
    found = _transform(on, parts[0], parts[1], sign, b)
    real, imaginary = (
        on.reshape(on.Transpose(on.reshape(x, [rows, a, b]), perm=[0, 2, 1]), [rows, n])
        for x in found
    )
    return real, imaginary


def _bluestein(on: Decomposer, re: Tensor, im: Tensor | None, sign: int) -> tuple[Tensor, Tensor]:
    """As a convolution with a chirp, since j k = (j^2 + k^2 - (k - j)^2) / 2."""
    n = on.shape(re)[1]
    size = 1 << (2 * n - 2).bit_length()
    at = np.arange(n)
    chirp = _roots(at * at, 2 * n, sign)
    around = np.zeros(size, complex)
    around[:n] = chirp.conj()
    around[size - n + 1 :] = chirp.conj()[:0:-1]
    if im is None:
        re, im = on.Mul(re, on.like(chirp.real, re)), on.Mul(re, on.like(chirp.imag, re))
    else:
        re, im = _times(on, re, im, chirp)
    pad = on.ints(0, size - n)
    wide = [on.Pad(x, pad, None, on.ints(1)) for x in (re, im)]
    spectrum = _transform(on, wide[0], wide[1], -1, size)
    back = _transform(on, *_times(on, *spectrum, np.fft.fft(around) / size), 1, size)
    first = [on.Slice(x, on.ints(0), on.ints(n), on.ints(1)) for x in back]
    return _times(on, first[0], first[1], chirp)


def _times(on: Decomposer, re: Tensor, im: Tensor, factor: Complex) -> tuple[Tensor, Tensor]:
    """The product with complex constants."""
    c, s = on.like(factor.real, re), on.like(factor.imag, re)
    return on.Sub(on.Mul(re, c), on.Mul(im, s)), on.Add(on.Mul(re, s), on.Mul(im, c))


def _halves(on: Decomposer, x: Tensor, axis: int, size: int) -> tuple[Tensor, Tensor]:
    """Real and imaginary parts, which lie behind each other along an axis."""
    first, second = (
        on.Slice(x, on.ints(i * size), on.ints((i + 1) * size), on.ints(axis)) for i in (0, 1)
    )
    return first, second
