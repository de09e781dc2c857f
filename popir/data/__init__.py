"""Data to train on: `Batches`, from files, arrays or anything that gives batches; `read_arrays`."""

from popir.data.batches import Batches
from popir.data.files import read_arrays

__all__ = ["Batches", "read_arrays"]
