"""Synthetic data, which stand for the inputs of a session."""

from __future__ import annotations

import zlib

import numpy as np

from popir.enums import SyntheticDataMode
from popir.stepio import Port


def synthesize(port: Port, mode: SyntheticDataMode) -> None:
    """Fills an input with synthetic data, once for all steps, unless the mode is Off."""
    if mode is SyntheticDataMode.Off:
        return
    buffer = port.stage()
    random = np.random.default_rng([0, zlib.crc32(port.id.encode())])
    if mode is SyntheticDataMode.Zeros:
        buffer[...] = 0
    elif buffer.dtype.kind in "iub":
        buffer[...] = random.integers(2, size=buffer.shape)
    elif mode is SyntheticDataMode.RandomNormal:
        buffer[...] = random.standard_normal(buffer.shape, np.float32)
    else:
        buffer[...] = random.random(buffer.shape, np.float32)
