"""Writes arrays to .npz files, atomically."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib import format as npy

from popir.cli.exits import CommandError, ExitCode
from popir.files import atomic_write

Array = np.ndarray[Any, Any]


def write(path: str, arrays: Mapping[str, Array]) -> None:
    """Writes an .npz file atomically.

    Raises CommandError if the file cannot be written.
    """
    try:
        with atomic_write(path) as whole, zipfile.ZipFile(whole, "w") as file:
            for name, given in arrays.items():
                array = np.asanyarray(given)
                if array.dtype.kind == "O":  # Without a pickle, a file holds strings of one width.
                    array = array.astype(np.str_)
                with file.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    npy.write_array(stream, array, allow_pickle=False)
    except OSError as error:
        raise CommandError(
            f"{path} cannot be written: {error.strerror}.", ExitCode.SYSTEM
        ) from error
