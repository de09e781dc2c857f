"""A cache folder of results, found by what they were made from: sources, included files, commands.

A key contains what is known before anything is made. Further dependencies, such as included
headers, are known only afterwards. Each result has a record of these files and of its own files,
with digests of their contents, and is valid while the digests match. Only one process at a time
works on a key.

Results are loaded as native code, so the folder must belong to the user. A damaged result is made
again, even if there is a file in place of a folder or a folder in place of a file.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from popir.errors import LibraryBuildError
from popir.files import sync

_BUILDING = "building-"
_RECORD = "record.json"
"""The file with a result's record: {"depends": {file: digest}, "holds": {name: digest}}."""


def root() -> Path:
    """The cache folder: $POPIR_CACHE, else `popir` in the user's cache folder. It may be deleted at
    any time.
    """
    if given := os.environ.get("POPIR_CACHE"):
        return Path(given).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "popir"


def digest(content: bytes) -> str:
    """A digest of `content`, which serves as a name of it."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def digests(files: Iterable[str]) -> dict[str, str]:
    """The digest of each file's content; "" for one that cannot be read."""
    found: dict[str, str] = {}
    for file in sorted(set(files)):
        try:
            found[file] = digest(Path(file).read_bytes())
        except OSError:
            found[file] = ""
    return found


def cached(name: str, key: Any, make: Callable[[Path], Iterable[str]]) -> Path:
    """The folder of the result for `key`, a JSON value. The result is made if there is no valid
    one.

    `make(folder)` fills a new folder and returns the files that the result depends on. A result
    folder appears complete and never changes. Raises LibraryBuildError if the cache cannot be
    written or does not belong to the user.
    """
    place = root() / name / digest(json.dumps(key).encode())
    try:
        root().mkdir(parents=True, exist_ok=True)
        _require_own(root())
        for folder in (place.parent, place):
            _cleared(folder, of_file=True)
            folder.mkdir(exist_ok=True)
            _require_own(folder)
        _cleared(place / "lock", of_file=False)
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return _find(place) or _make(place, make)
    except OSError as error:
        raise LibraryBuildError(
            f"The cache of operator libraries, '{root()}', cannot be used: {error}. Set "
            "POPIR_CACHE to a folder that can be written."
        ) from error


def _require_own(folder: Path) -> None:
    """Raises LibraryBuildError if another user could have written to the folder."""
    status = folder.stat()
    if status.st_uid != os.geteuid():
        why = f"belongs to the user {status.st_uid}, and this process is {os.geteuid()}'s"
    elif status.st_mode & stat.S_IWOTH:
        why = "can be written by everybody"
    else:
        return
    raise LibraryBuildError(
        f"The cache of operator libraries is not used: '{folder}' {why}, so that code of others "
        "could be run. Set POPIR_CACHE to a folder of your own."
    )


def _cleared(path: Path, *, of_file: bool) -> None:
    """Removes a file at `path` if `of_file`, else a folder: the wrong kind for that path."""
    leads_nowhere = path.is_symlink() and not path.exists()
    if leads_nowhere or (of_file and path.exists() and not path.is_dir()):
        path.unlink(missing_ok=True)
    elif not of_file and path.is_dir():
        shutil.rmtree(path)


def _find(place: Path) -> Path | None:
    for known in place.glob(f"*/{_RECORD}"):
        folder = known.parent
        if folder.name.startswith(_BUILDING):
            continue
        try:
            recorded = json.loads(known.read_text(encoding="utf-8"))
            if recorded == _record(folder, recorded["depends"]):
                return folder
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue  # A damaged result: the new one will replace it, or be beside it.
    return None


def _record(folder: Path, depends: Iterable[str]) -> dict[str, dict[str, str]]:
    holds = {
        str(file.relative_to(folder)): digest(file.read_bytes())
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file != folder / _RECORD
    }
    return {"depends": digests(depends), "holds": holds}


def _make(place: Path, make: Callable[[Path], Iterable[str]]) -> Path:
    for left in place.glob(f"{_BUILDING}*"):  # Leftovers of a killed process.
        _cleared(left, of_file=True)
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=place))
    try:
        record = _record(folder, make(folder))
        # The name depends on the dependencies only, so that a damaged result is replaced.
        result = place / digest(json.dumps(record["depends"]).encode())
        (folder / _RECORD).write_text(json.dumps(record), encoding="utf-8")
        sync(folder)
        _cleared(result, of_file=True)
        shutil.rmtree(result, ignore_errors=True)
        folder.rename(result)
        sync(place)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return result
