"""The UCI 8x8 handwritten digits; README.md says where they come from."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).with_name("digits.csv.gz")
TRAINING = 1440
"""Images to learn from; the other 357 are held out."""


class Digits(NamedTuple):
    """Images [n, 1, 8, 8], float32 from 0 to 1, and what they show, int32 [n]."""

    images: np.ndarray
    labels: np.ndarray


def load() -> tuple[Digits, Digits]:
    """Images to learn from and held-out ones; the split is always the same."""
    with gzip.open(FILE, "rt", encoding="ascii") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.int32)
    table = table[np.random.default_rng(0).permutation(len(table))]
    images = (table[:, :64] / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    labels = np.ascontiguousarray(table[:, 64])
    return (
        Digits(images[:TRAINING], labels[:TRAINING]),
        Digits(images[TRAINING:], labels[TRAINING:]),
    )
