"""Tries to load a library in a separate process: what throws or crashes there ends that process."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

from popir import _library
from popir.foreign.refusals import refused

_TRIAL = """
import ctypes, sys
popir = ctypes.CDLL(sys.argv[1])
popir.popir_install_terminate_handler()
before = popir.popir_registrations()
try:
    ctypes.CDLL(sys.argv[2])
except OSError as error:
    sys.exit(str(error))
print("popir: registered", popir.popir_registrations() - before)
"""
_LONGEST_TRIAL = 120
"""The time limit of a trial, in seconds."""


def tried(file: Path, source: str = "") -> int:
    """How many operators, Opxs, patterns and the like of PopART the library registers. Messages
    call it `source` if that is given.

    Raises LibraryLoadError if it cannot be loaded.
    """
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
        return int(re.findall(r"^popir: registered (\d+)$", trial.stdout, re.MULTILINE)[-1])
    said = [line for line in trial.stderr.splitlines() if line.startswith("popir: ")]
    if said and said[0].startswith("popir: terminated"):
        threw = said[0].partition(": terminated")[2].partition(": ")[2]
        why = f"{threw}. Its static initialisers must not let exceptions out"
        raise refused(file, why, source)
    if trial.returncode < 0:
        name = signal.Signals(-trial.returncode).name
        raise refused(file, f"the process that tried it was ended by {name}", source)
    why = trial.stderr.strip() or f"the process exited with {trial.returncode}"
    raise refused(file, why, source)
