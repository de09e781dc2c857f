"""Loading of operator libraries with a test run before: `load_op_library`."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from popir import _library
from popir.errors import LibraryLoadError
from popir.foreign import popart

_ELF = b"\x7fELF"
_TRIAL = """
import ctypes, sys
ctypes.CDLL(sys.argv[1]).popir_install_terminate_handler()
try:
    ctypes.CDLL(sys.argv[2])
except OSError as error:
    sys.exit(str(error))
"""


def load_op_library(path: str | os.PathLike[str]) -> str:
    """Loads a library of operators, and returns its absolute path.

    The library is loaded in a child process first, since one that throws while it loads ends its
    process. Loading runs the library's code, with all rights of this process: load what you trust.
    A library that is loaded already is not loaded again, unless its file has been replaced since.

    Raises LibraryLoadError if the file is not there, is no shared library, lacks symbols or other
    libraries, or throws or crashes while it loads; DuplicateOperatorError if it registers an
    operator that another library has.
    """
    file = Path(path).absolute()
    _check_file(file)
    _try(file)
    try:
        ctypes.CDLL(_spelling(file))
    except OSError as error:
        raise _refused(file, str(error)) from None
    popart.sync()
    return str(file.resolve())


def _check_file(file: Path) -> None:
    if not file.exists():
        raise LibraryLoadError(f"There is no operator library '{file}'.")
    try:
        with file.open("rb") as stream:
            start = stream.read(4)
    except OSError as error:
        raise LibraryLoadError(f"The operator library '{file}' cannot be read: {error}.") from None
    if start != _ELF:
        raise LibraryLoadError(
            f"'{file}' is no ELF shared library: it begins with {start!r}, not with {_ELF!r}. Give "
            "the path of the library that the compiler made of your sources, with -shared."
        )


def _try(file: Path) -> None:
    """Loads the library in a process of its own."""
    libpopir = _library.ROOT / "lib" / "libpopir.so"
    trial = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _TRIAL, str(libpopir), str(file)],
        capture_output=True,
        text=True,
        errors="replace",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    if trial.returncode == 0:
        return
    said = [line for line in trial.stderr.splitlines() if line.startswith("popir: terminated")]
    if said:
        threw = said[0].partition(": terminated")[2].partition(": ")[2]
        raise _refused(file, f"{threw}. Its static initialisers must not let exceptions out")
    if trial.returncode < 0:
        name = signal.Signals(-trial.returncode).name
        raise _refused(file, f"the process that tried it was ended by {name}")
    raise _refused(file, trial.stderr.strip() or f"the process exited with {trial.returncode}")


def _spelling(file: Path) -> str:
    """A path of `file` by which the dynamic loader does not take it for an older file of its name.

    The loader compares names before it looks at the file.
    """
    resolved = file.resolve()
    inodes: set[int] = set()
    for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[5].removesuffix(" (deleted)") == str(resolved):
            inodes.add(int(fields[4]))
    if not inodes or resolved.stat().st_ino in inodes:
        return str(file)
    return str(resolved.parent) + "/." * len(inodes) + "/" + resolved.name


def _refused(file: Path, why: str) -> LibraryLoadError:
    hint = ""
    if "undefined symbol" in why:
        hint = (
            " Link it against the library that defines the symbol; popir's own are given by "
            "`popir-config --libs`."
        )
    return LibraryLoadError(f"The operator library '{file}' cannot be loaded: {why}.{hint}")
