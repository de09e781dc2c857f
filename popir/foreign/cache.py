"""A folder of results by what they were made from: sources, included files, command lines.

A key names what is known before anything runs. What else a result depends on, such as the headers
that a compiler found, is known after it was made once; each result has a list of these files with
digests of their contents, and is right as long as these are. One process at a time works on a key.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from popir.errors import LibraryBuildError

_BUILDING = "building-"


def root() -> Path:
    """$POPIR_CACHE, else the folder popir of the user's cache. It may be removed at any time."""
    if given := os.environ.get("POPIR_CACHE"):
        return Path(given).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "popir"


def digest(content: bytes) -> str:
    """A name for a content."""
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
    """The folder of the result for `key`, anything that JSON holds; made if it is not there.

    `make` fills a folder and returns the files that the result depends on. The folder is complete
    when it appears, and never changes. Raises LibraryBuildError if the cache cannot be written.
    """
    place = root() / name / digest(json.dumps(key).encode())
    try:
        place.mkdir(parents=True, exist_ok=True)
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return _find(place) or _make(place, make)
    except OSError as error:
        raise LibraryBuildError(
            f"The cache of operator libraries, '{root()}', cannot be used: {error}. Set "
            "POPIR_CACHE to a folder that can be written."
        ) from error


def _find(place: Path) -> Path | None:
    for known in place.glob("*/dependencies.json"):
        if known.parent.name.startswith(_BUILDING):
            continue
        recorded = json.loads(known.read_text(encoding="utf-8"))
        if digests(recorded) == recorded:
            return known.parent
    return None


def _make(place: Path, make: Callable[[Path], Iterable[str]]) -> Path:
    for left in place.glob(f"{_BUILDING}*"):  # by a process that was ended
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=place))
    try:
        text = json.dumps(digests(make(folder)))
        (folder / "dependencies.json").write_text(text, encoding="utf-8")
        result = place / digest(text.encode())
        shutil.rmtree(result, ignore_errors=True)
        folder.rename(result)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return result
