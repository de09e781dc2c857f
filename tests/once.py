"""What takes long to make, and is made once for all workers of a run of tests: `once`."""

import atexit
import fcntl
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
FOLDER = "POPIR_TESTS_ONCE"
"""Environment variable: the folder of this run, which its processes inherit."""


def begin() -> None:
    """Makes the folder of this run if there is none; it goes when this process ends."""
    if FOLDER in os.environ:
        return
    owner, folder = os.getpid(), tempfile.mkdtemp(prefix="popir-tests-")
    os.environ[FOLDER] = folder

    def end() -> None:
        if os.getpid() == owner:  # not in a fork
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)


def once(name: str, make: Callable[[], T]) -> T:
    """What `make` returns, in the first process of a run that asks; others wait, and get a copy."""
    if FOLDER not in os.environ:
        return make()
    path = Path(os.environ[FOLDER], name)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return pickle.loads(path.read_bytes())
        made = make()
        path.write_bytes(pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
        return made
