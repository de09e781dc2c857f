"""Libraries of operators for TensorFlow on the IPU: which may be used, and where a model's are.

A node names its library, and using it runs its code. A model comes from somebody, so that alone
loads nothing: the library must have been loaded in this process (`popir.load_op_library`,
`--op-library`), or be the argument of a function of `popir.custom_ops`. A model from another
machine finds it by its file name.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path

from popir._device import tensorflow as device
from popir.errors import LibraryLoadError
from popir.exclusive import ForkLock
from popir.foreign.refusals import library_file
from popir.foreign.trial import tried

LEVEL = "custom_op_api_level"
"""The symbol by which such a library is known."""

_loaded: dict[str, tuple[int, int, int]] = {}
"""The libraries that may be used, by their resolved paths: the file that was tried last."""
_codelets: set[str] = set()
"""The files of codelets that may be used, besides those in the libraries' folders."""
_held: dict[tuple[str, str], device.UserOp] = {}
"""The operators in use; they keep their libraries loaded."""
_lock = ForkLock()


def is_one(file: Path) -> bool:
    """Whether the file has the symbol of the API level, by its text alone: it is not loaded."""
    try:
        return f"\0{LEVEL}\0".encode() in file.read_bytes()
    except OSError:
        return False


_SECTION, _SYMBOL = "<IIQQQQIIQQ", "<IBBHQQ"
"""Entries of ELF's tables, for 64 bits: a section's header, and a symbol."""
_DYNSYM, _FUNCTION, _GLOBAL = 11, 2, 1


def functions(file: Path) -> list[str]:
    """The functions with C linkage that the library has and operators may name: those whose names
    do not end as those of metadata and allocators do.
    """
    content = file.read_bytes()
    (table,) = struct.unpack_from("<Q", content, 40)
    each, count = struct.unpack_from("<HH", content, 58)
    sections = [struct.unpack_from(_SECTION, content, table + i * each) for i in range(count)]
    found: set[str] = set()
    for section in sections:
        if section[1] != _DYNSYM:
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], struct.calcsize(_SYMBOL)):
            name, info, _, where, *_ = struct.unpack_from(_SYMBOL, content, at)
            if info & 15 == _FUNCTION and info >> 4 == _GLOBAL and where:
                begin = names + name
                found.add(content[begin : content.index(b"\0", begin)].decode(errors="replace"))
    ends = ("_metadata", "_allocator")
    return sorted(name for name in found if not name.startswith("_") and not name.endswith(ends))


def loaded() -> list[str]:
    """The paths of the libraries that may be used."""
    return sorted(path for path in _loaded if os.path.exists(path))


def load(
    path: str | os.PathLike[str], who: str, codelets: Sequence[str] = (), name: str = ""
) -> str:
    """Allows models to use a library, and these files of codelets; returns its resolved path.

    A file that is new, or has changed, is tried in a separate process, after its API level was read
    without running it. Raises LibraryLoadError, which says that the operator `name` was asked for
    if it is given, if that level is not supported or the file is no library that can be loaded.
    """
    file = library_file(who, path)
    resolved = str(file.resolve())
    with _lock.rlock:
        now = _identity(file)
        if _loaded.get(resolved) != now:
            try:
                device.requireLevel(resolved, name)
            except LibraryLoadError as error:
                raise LibraryLoadError(f"{who}: {error}.") from None
            tried(file)
            _loaded[resolved] = now
        _codelets.update(str(Path(each).absolute().resolve()) for each in codelets)
    return resolved


def _identity(file: Path) -> tuple[int, int, int]:
    status = file.stat()
    return status.st_dev, status.st_ino, status.st_mtime_ns


def operator(who: str, library: str, name: str) -> device.UserOp:
    """The operator `name` of the library that a model calls `library`.

    Raises LibraryLoadError, beginning with `who`, if the library may not be used, is of an API
    level that is not supported, or lacks the symbol.
    """
    path = load(_place(who, library), who)
    try:
        found = device.UserOp(path, name)
    except LibraryLoadError as error:
        raise LibraryLoadError(f"{who}: {error}.") from None
    _held[path, name] = found
    return found


def _place(who: str, library: str) -> str:
    """The path of a loaded library: that itself, or the one with the same file name."""
    wanted = os.path.realpath(library)
    if wanted in _loaded and os.path.exists(wanted):
        return wanted
    name = os.path.basename(library)
    same = [path for path in _loaded if os.path.basename(path) == name and os.path.exists(path)]
    if len(same) == 1:
        return same[0]
    if same:
        raise LibraryLoadError(
            f"{who}: the model's library '{library}' is not loaded, and several others of that "
            f"name are: {', '.join(sorted(same))}. Load the one that is meant alone."
        )
    runs = "a model alone does not run a library's code"
    there = runs if os.path.exists(wanted) else "there is no such file"
    raise LibraryLoadError(
        f"{who}: the model's library '{library}' is not loaded: {there}. Load it by "
        "popir.load_op_library(path), or --op-library on the command line; it may lie in another "
        "folder, under the same name."
    )


def codelets(who: str, gp_path: str, library: str) -> str:
    """The file of codelets that a model calls `gp_path`, for an operator of `library`, a resolved
    path.

    It may be used if it was given with the library, or lies beside it. Raises LibraryLoadError,
    beginning with `who`, otherwise.
    """
    wanted = os.path.realpath(gp_path)
    beside = Path(library).parent
    if os.path.exists(wanted) and (wanted in _codelets or Path(wanted).parent == beside):
        return wanted
    moved = beside / os.path.basename(gp_path)
    if moved.exists():
        return str(moved)
    there = "" if os.path.exists(wanted) else f" There is no file '{gp_path}'."
    raise LibraryLoadError(
        f"{who}: the codelets '{gp_path}' are not loaded.{there} A model may use those that lie in "
        f"the folder of its library, '{beside}'."
    )
