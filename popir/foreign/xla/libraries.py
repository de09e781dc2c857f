"""Libraries with functions that custom calls name: which may be used, and where a model's are.

A custom call names its target's library, and a call runs that library's code. A model comes from
somebody, so that alone loads nothing: the library must have been loaded in this process
(`popir.load_op_library`, `--op-library`), or be an argument of a function of `popir.custom_ops`. A
model from another machine finds it by its file name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from popir._device import xla as device
from popir.errors import DuplicateOperatorError, LibraryLoadError
from popir.exclusive import ForkLock
from popir.foreign.refusals import library_file
from popir.foreign.trial import tried

_MARKS = (b"popir_xla_computation\0", b"3xla3ffi")
"""What a library contains that builds programs, and one with handlers of the typed interface."""

_allowed: dict[str, tuple[int, int, int]] = {}
"""The libraries that may be used, by their resolved paths: the file that was tried last."""
_lock = ForkLock()


def is_one(file: Path) -> bool:
    """Whether the library builds programs of XLA or has typed handlers, by its bytes alone."""
    try:
        content = file.read_bytes()
    except OSError:
        return False
    return any(mark in content for mark in _MARKS)


def allow(who: str, path: str | os.PathLike[str], is_tried: bool = False) -> str:
    """Allows custom calls to use a library, and returns its resolved path. Loads it.

    A file that is new, or has changed, is tried in a separate process first unless `is_tried`.
    Raises LibraryLoadError, naming `who`, if it is no library that can be loaded, and the errors of
    `require_accepted`.
    """
    file = library_file(who, path)
    resolved = str(file.resolve())
    with _lock.rlock:
        status = file.stat()
        now = (status.st_dev, status.st_ino, status.st_mtime_ns)
        if _allowed.get(resolved) != now:
            if not is_tried:
                tried(file)
            _allowed[resolved] = now
        if not is_tried:
            device.symbol(os.fsencode(resolved), "")
    require_accepted(resolved)
    return resolved


def require_accepted(resolved: str) -> None:
    """Raises DuplicateOperatorError or LibraryLoadError if targets of a library were refused, and
    so all of them.
    """
    if faults := device.refusals(os.fsencode(resolved)):
        device.takeFaults()
        require_none(faults)


def require_none(faults: Sequence[tuple[bool, str]]) -> None:
    """Raises DuplicateOperatorError if a name was taken, LibraryLoadError for other faults."""
    if faults:
        is_duplicate = any(each for each, _ in faults)
        error = DuplicateOperatorError if is_duplicate else LibraryLoadError
        raise error("\n".join(f"{text}." for _, text in faults))


def symbol(who: str, library: str, name: str) -> tuple[int, str]:
    """The address of a symbol that a library defines, 0 if it has none of that name; and the path
    of the library, which is that itself or the one with the same file name.

    Raises LibraryLoadError, beginning with `who`, if the library may not be used.
    """
    path = _place(who, library)
    try:
        return device.symbol(os.fsencode(path), name), path
    except LibraryLoadError as error:
        raise LibraryLoadError(f"{who}: {error}.") from None


def _place(who: str, library: str) -> str:
    wanted = os.path.realpath(library)
    if wanted in _allowed and os.path.exists(wanted):
        return wanted
    name = os.path.basename(library)
    same = [path for path in _allowed if os.path.basename(path) == name and os.path.exists(path)]
    if len(same) == 1:
        return same[0]
    what = "is not loaded" if os.path.exists(wanted) else "is not there"
    others = f", and several loaded ones have its name: {', '.join(same)}" if same else ""
    raise LibraryLoadError(
        f"{who}: its library '{library}' {what}{others}. Load it by popir.load_op_library(), or by "
        "--op-library on the command line; a model alone loads no library."
    )
