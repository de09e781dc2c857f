"""Libraries of TPC kernels, and the look-up of a kernel by its GUID.

Kernels come from the libraries in the environment variable GC_KERNEL_PATH, a list with colons as
Habana's graph compiler reads it, and from those that `load_kernel_library` has loaded.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from popir._device import habana as device
from popir.errors import LibraryLoadError, OperatorAttributeError, require_path
from popir.exclusive import ForkLock
from popir.foreign.habana.tpcc import DEVICES
from popir.foreign.refusals import check_file, library_file
from popir.foreign.trial import tried
from popir.typed import typed

PATH = "GC_KERNEL_PATH"
"""The environment variable with the libraries of kernels."""

_lock = ForkLock()
_loaded: dict[str, tuple[tuple[int, int], device.KernelLibrary]] = {}
"""By path: which file it was (its inode and time of change), and the library."""
_added: dict[str, None] = {}
_allowed: set[str] = set()
"""The resolved paths of libraries that functions of popir were given, without loading them."""


def is_one(file: Path) -> bool:
    """Whether a library has kernels, by its bytes alone."""
    try:
        return b"InstantiateTpcKernel" in file.read_bytes()
    except OSError:
        return False


def allow(library: str | os.PathLike[str]) -> str:
    """Allows models to name a library, and returns its path."""
    path = require_path("tpc_kernel", library)
    with _lock.rlock:
        _allowed.add(os.path.realpath(path))
    return os.fspath(library)


def _place(library: str) -> str:
    """Where a library is that a model names: there, or where one of its file name was loaded from.
    Raises LibraryLoadError for one that is not loaded: a model alone runs no library's code.
    """
    known = {os.path.realpath(path): path for path in paths()}
    wanted = os.path.realpath(require_path("The attribute 'library' of a TpcKernel", library))
    with _lock.rlock:
        if wanted in known or wanted in _allowed:
            return library
    same = [p for p in known.values() if os.path.basename(p) == os.path.basename(library)]
    if len(same) == 1:
        return same[0]
    what = "is not loaded" if os.path.exists(wanted) else "is not there"
    raise LibraryLoadError(
        f"The kernel library '{library}', which the model names, {what}. Load it by "
        f"popir.load_op_library(), or name it in {PATH}; a model alone loads no library."
    )


@typed(error=LibraryLoadError)
def load_kernel_library(path: str | os.PathLike[str]) -> list[str]:
    """Loads a library of TPC kernels, and returns the GUIDs of its kernels.

    Libraries in GC_KERNEL_PATH need not be loaded this way. Raises LibraryLoadError if the file
    is none, or crashes while it loads.
    """
    file = str(library_file("load_kernel_library", path))
    found = guids(file)
    with _lock.rlock:
        _added[file] = None
    return found


def guids(path: str) -> list[str]:
    """The GUIDs of a library's kernels. Raises LibraryLoadError if it cannot be loaded."""
    library = _library_at(path)
    return sorted({guid for number in DEVICES.values() for guid in library.guids(number)})


def _library_at(path: str) -> device.KernelLibrary:
    """The library, loaded again if its file has been replaced."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise LibraryLoadError(
            f"The kernel library '{path}' cannot be read: {error.strerror}."
        ) from None
    which = (status.st_ino, status.st_mtime_ns)
    with _lock.rlock:
        if path not in _loaded or _loaded[path][0] != which:
            check_file(Path(path))
            tried(Path(path))
            _loaded[path] = which, device.KernelLibrary(path)
        return _loaded[path][1]


def paths() -> list[str]:
    """The libraries that kernels are looked for in, in this order."""
    named = [os.path.abspath(each) for each in os.environ.get(PATH, "").split(":") if each]
    with _lock.rlock:
        return [*dict.fromkeys([*named, *_added])]


def device_numbers(who: str, wanted: str) -> Sequence[int]:
    """The devices to look in: the one named, or all of them for "". Raises OperatorAttributeError
    for a name that is none.
    """
    if wanted and wanted not in DEVICES:
        raise OperatorAttributeError(
            f"{who}: '{wanted}' is no device with TPCs; there are {', '.join(DEVICES)}."
        )
    return [DEVICES[wanted]] if wanted else [*DEVICES.values()]


def find(
    guid: str, devices: Sequence[int], library: str = ""
) -> tuple[device.KernelLibrary, int] | None:
    """The first library that has the kernel, and the device it has it for; None if none has.

    `library` is looked in before all others.
    """
    first = [_place(library)] if library else list[str]()
    for path in dict.fromkeys([*first, *paths()]):
        found = _library_at(path)
        for number in devices:
            if guid in found.guids(number):
                return found, number
    return None


def known() -> list[str]:
    """The GUIDs of all kernels of all libraries."""
    return sorted({guid for path in paths() for guid in guids(path)})
