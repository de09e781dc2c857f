"""Files that appear whole or not at all: `atomic_write`, for everything that popir writes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import stat
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

_TRIES = 100
_SHOWN = 40
"""How much of the target's name a temporary name repeats, so that it stays within 255 bytes."""


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], follow: bool = True) -> Generator[BinaryIO]:
    """A binary file to write to; what was written replaces the file `path` when the block ends.

    It has another name in the same folder until then, so that whoever reads `path` finds the old
    contents or the new ones, whole, whenever the process or the machine stops; after an exception
    in the block nothing has changed. A file that is replaced keeps its permissions. A link stays a
    link to the new file, or without `follow` becomes a file itself. A device or a pipe is written
    to directly.

    What a killed process leaves behind, `.NAME.XXXXXXXX.tmp`, goes when `path` is next written.
    Raises OSError, which names `path` unless the block names another file.
    """
    target = Path(os.path.realpath(path) if follow else path)
    try:
        with _replacing(target, follow) as stream:
            yield stream
    except OSError as error:
        named = None if error.filename is None else Path(error.filename)
        if named is None or target.parent in (named, named.parent):
            error.filename = str(path)
        raise


@contextlib.contextmanager
def _replacing(target: Path, follow: bool) -> Generator[BinaryIO]:
    old = _status(target, follow)
    if old is not None and not stat.S_ISREG(old.st_mode) and not stat.S_ISLNK(old.st_mode):
        with target.open("wb") as stream:  # Raises IsADirectoryError for a folder.
            yield stream
        return
    _remove_leftovers(target)
    temporary, descriptor = _create(target)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if old is not None and stat.S_ISREG(old.st_mode):
                os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
            yield stream
            stream.flush()
            os.fsync(descriptor)
            os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(target.parent)


def write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Writes a whole file, text as UTF-8, by `atomic_write`."""
    with atomic_write(path) as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


def _status(path: Path, follow: bool) -> os.stat_result | None:
    try:
        return path.stat(follow_symlinks=follow)
    except FileNotFoundError:
        return None


def _create(target: Path) -> tuple[Path, int]:
    """A new empty file beside the target, locked for as long as its descriptor is open.

    The lock ends with the process, and so tells a file in the making from a leftover.
    """
    for _ in range(_TRIES):
        path = target.with_name(f".{target.name[:_SHOWN]}.{secrets.token_hex(4)}.tmp")
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            continue
        _lock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return path, descriptor
        os.close(descriptor)  # Another writer took it for a leftover before it was locked.
    raise FileExistsError(f"No temporary name beside {target} is free.")


def _remove_leftovers(target: Path) -> None:
    prefix = f".{target.name[:_SHOWN]}."
    length = len(prefix) + len("00000000.tmp")
    for name in os.listdir(target.parent):
        if len(name) == length and name.startswith(prefix) and name.endswith(".tmp"):
            with contextlib.suppress(OSError):
                _remove_unlocked(target.with_name(name))


def _remove_unlocked(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if _lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
            path.unlink()
    finally:
        os.close(descriptor)


def _lock(descriptor: int, how: int) -> bool:
    """Whether the lock was had; some file systems have none."""
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        return False
    return True


def sync(folder: Path) -> None:
    """Makes the files in a folder, and their names, last when the machine stops."""
    for path in (*folder.rglob("*"), folder):
        if not path.is_symlink():
            _sync(path)


def _sync(path: Path) -> None:
    """Writes a file, or a folder's names; a file system that cannot do it is left alone."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
