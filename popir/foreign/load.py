"""Loading of operator libraries with a test run before: `load_op_library`."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from popir import _library, registry
from popir._device import popart as device
from popir.errors import LibraryLoadError, require_path
from popir.foreign import popart
from popir.foreign.refusals import check_file, refused
from popir.ir import OperatorIdentifier

_NOTHING = "popir: registered nothing"
_TRIAL = f"""
import ctypes, sys
popir = ctypes.CDLL(sys.argv[1])
popir.popir_install_terminate_handler()
before = popir.popir_registrations()
try:
    ctypes.CDLL(sys.argv[2])
except OSError as error:
    sys.exit(str(error))
if popir.popir_registrations() == before:
    sys.exit("{_NOTHING}")
"""
_LONGEST_TRIAL = 120
"""Seconds."""


@dataclass(frozen=True)
class OpLibrary:
    """A library of operators that is loaded, and what is registered from it."""

    path: str
    """Its absolute path."""
    source: str
    """Who it is in messages and in lists of operators: its path, or what it was built from."""
    operators: tuple[OperatorIdentifier, ...]
    lowerings: tuple[OperatorIdentifier, ...]
    """The identifiers, gradient operators' among them, that it has an Opx for."""
    patterns: tuple[str, ...]

    def __str__(self) -> str:
        return self.path


def load_op_library(path: str | os.PathLike[str]) -> OpLibrary:
    """Loads a library of operators, and returns what is registered from it.

    The library is loaded in a child process first, since one that throws while it loads ends its
    process. Loading runs the library's code, with all rights of this process: load what you trust.
    A library that is loaded already is not loaded again, unless its file has been replaced since.

    Raises LibraryLoadError if the file is not there, is no shared library of this machine, lacks
    symbols or other libraries, was compiled with the headers of another version of popir, throws or
    crashes while it loads, or registers nothing; DuplicateOperatorError if it registers an operator
    that another library has.
    """
    file = require_path("load_op_library", path).absolute()
    check_file(file)
    _try(file)
    source = _text(str(file.resolve()))
    with registry.lock.rlock:
        if source != str(file.resolve()):
            _name(file, source)
        _open(file, _spelling(file))
        popart.sync()
        return _loaded(file, source)


_built: dict[str, Path] = {}
"""For each name, the file that was loaded last under it."""


def load_built(file: Path, name: str) -> OpLibrary:
    """Loads what was built from sources and is called `name`; it replaces what was loaded under
    that name before.

    `file` never changes. Raises what `load_op_library` raises.
    """
    name = _text(name)
    with registry.lock.rlock:
        if _built.get(name) != file:
            _try(file, name)
            _name(file, name)
            if str(file.resolve()) in _mapped():
                _open_copy(file, name)
            else:
                _open(file, str(file), name)
            _built[name] = file
        popart.sync()
        return _loaded(file, name)


def _open_copy(file: Path, name: str) -> None:
    """Loads a copy, beside `file`: the loader would give the old one, whose operators have been
    replaced since.
    """
    handle, copy = tempfile.mkstemp(".so", f"{file.stem}-", file.parent)
    os.close(handle)
    try:
        shutil.copyfile(file, copy)
        _name(Path(copy), name)
        _open(file, copy, name)
    finally:
        os.unlink(copy)


def _text(name: str) -> str:
    """What of a name is text: those of files may be any bytes."""
    return os.fsencode(name).decode(errors="replace")


def _name(file: Path, name: str) -> None:
    device.nameLibrary(os.fsencode(file.resolve()), name)


def _open(file: Path, spelling: str, source: str = "") -> None:
    try:
        ctypes.CDLL(spelling)
    except OSError as error:
        raise refused(file, str(error), source) from None


def _loaded(file: Path, source: str) -> OpLibrary:
    patterns = [name for name, _, _, library in device.patterns() if library == source]
    return OpLibrary(
        str(file.resolve()),
        source,
        tuple(entry.opid for entry in registry.entries() if entry.source == source),
        tuple(entry.opid for entry in registry.opxEntries() if entry.source == source),
        tuple(patterns),
    )


def _try(file: Path, source: str = "") -> None:
    """Loads the library in a process of its own; messages call it `source` if that is given."""
    libpopir = _library.ROOT / "lib" / "libpopir.so"
    try:
        trial = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _TRIAL, str(libpopir), str(file)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST_TRIAL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        )
    except subprocess.TimeoutExpired:
        raise refused(
            file, f"the process that tried it did not end within {_LONGEST_TRIAL} seconds", source
        ) from None
    if trial.returncode == 0:
        return
    said = [line for line in trial.stderr.splitlines() if line.startswith("popir: ")]
    if _NOTHING in said:
        raise LibraryLoadError(
            f"The operator library '{source or file}' loads, but registers nothing: no operator, "
            "Opx, pattern, schema or shape inference function. They are registered by static "
            "objects (popart::OpCreator<...>, popart::popx::OpxCreator<...>) in the sources that "
            "the library is linked from; those in a static archive are left out unless it is "
            "linked with -Wl,--whole-archive."
        )
    if said and said[0].startswith("popir: terminated"):
        threw = said[0].partition(": terminated")[2].partition(": ")[2]
        why = f"{threw}. Its static initialisers must not let exceptions out"
        raise refused(file, why, source)
    if trial.returncode < 0:
        name = signal.Signals(-trial.returncode).name
        raise refused(file, f"the process that tried it was ended by {name}", source)
    why = trial.stderr.strip() or f"the process exited with {trial.returncode}"
    raise refused(file, why, source)


def _mapped() -> dict[str, set[int]]:
    """The files that are mapped into this process, by their resolved paths, with their inodes."""
    found: dict[str, set[int]] = {}
    for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6:
            found.setdefault(fields[5].removesuffix(" (deleted)"), set()).add(int(fields[4]))
    return found


def _spelling(file: Path) -> str:
    """A path of `file` by which the dynamic loader does not take it for an older file of its name.

    The loader compares names before it looks at the file.
    """
    resolved = file.resolve()
    inodes = _mapped().get(str(resolved), set[int]())
    if not inodes or resolved.stat().st_ino in inodes:
        return str(file)
    return str(resolved.parent) + "/." * len(inodes) + "/" + resolved.name
