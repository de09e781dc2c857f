"""Prints a line for each function and shape: a digest of its results. Run under POPIR_ISA."""

import hashlib

import numpy as np

from popir import ext
from tests.device import run

LENGTHS = (1, 15, 16, 17, 31, 32, 33, 48, 63, 100, 1000, 1024, 1025, 2049, 5003)


def rows(length):
    """Rows of near numbers, of far ones, of zeros of both signs, with infinities and with a NaN."""
    random = np.random.default_rng(length)
    x = random.standard_normal((9, length)).astype(np.float32)
    x[1] *= 60
    x[2] = np.where(random.random(length) < 0.5, np.float32(0), np.float32(-0.0))
    x[3, random.integers(length)] = np.inf
    x[4, random.integers(length)] = -np.inf
    x[5] = -np.inf
    x[6, length - 1] = np.nan
    x[7, 0] = 95
    return x


def main():
    """Softmax and its logarithm of all lengths, one row after the other."""
    for name in ("softmax", "logSoftmax"):
        for length in LENGTHS:
            y = run(getattr(ext, name), rows(length))
            y[np.isnan(y)] = np.nan
            print(name, length, hashlib.sha256(y.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
