"""Atomic writing of files: `atomic_write`, used for everything that popir writes."""

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
"""The characters of the target's name in a temporary name: keeps that within 255 bytes."""


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], follow: bool = True) -> Generator[BinaryIO]:
    """Opens a temporary binary file for writing, which replaces the file `path` at the end of the
    `with` block.

    A reader of `path` finds either the old contents or the new ones, complete, even if the process
    or the machine stops in between. After an exception in the block, `path` is unchanged.

    The permissions of a replaced file are kept. A symbolic link is followed; with `follow=False` it
    is replaced by a file. A device or a pipe is written directly.

    A killed process leaves `.NAME.XXXXXXXX.tmp`, which the next write of `path` removes. Raises
    OSError, which names `path` and not the temporary file.
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
    flush(target.parent)


def write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Writes a file atomically; text is encoded as UTF-8. Raises OSError."""
    with atomic_write(path) as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


def _status(path: Path, follow: bool) -> os.stat_result | None:
    try:
        return path.stat(follow_symlinks=follow)
    except FileNotFoundError:
        return None


def _create(target: Path) -> tuple[Path, int]:
    """Creates a temporary file beside the target, and locks it while its descriptor is open.

    The lock ends with the process: a temporary file without a lock is a leftover.
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
        os.close(descriptor)  # Another writer removed it as a leftover before it was locked.
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
    """Locks a file, and returns whether that worked; some file systems have no locks."""
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        return False
    return True


def sync(folder: Path) -> None:
    """Flushes all files of a folder, and their names, to the disk."""
    for path in (*folder.rglob("*"), folder):
        if not path.is_symlink():
            flush(path)


def flush(path: Path) -> None:
    """Flushes a file, or the names in a folder, to the disk, if the file system can do that."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
