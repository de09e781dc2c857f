"""Loads libpopir.so, and runs other programs that the build puts beside the Python code.

Importing popir loads libpopir. An operator library without an rpath that is loaded later, by
ctypes, then finds libpopir by its name.
"""

import ctypes
import functools
import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
"""The folder of the package, with `include`, `lib`, `bin`, `share` and `enable.sh`."""


def load(root: Path = ROOT) -> ctypes.CDLL:
    """Loads libpopir.so from the package folder `root`; later calls return the same library.

    Its symbols stay local, so that PyTorch in the same process does not use our copy of oneDNN.
    Raises ImportError, saying what to do, if the library is missing or cannot be loaded.
    """
    path = root / "lib" / "libpopir.so"
    if not path.exists():
        raise ImportError(
            f"popir is not built: there is no {path}. "
            f"Run `pip install .` or, in a source tree, `pip install -e .`."
        )
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"popir cannot load its library: {error}") from error
    library.popir_version.restype = library.popir_build_id.restype = ctypes.c_char_p
    return library


def version() -> str:
    """The version of the loaded libpopir, which is the version of popir."""
    text: bytes = load().popir_version()
    return text.decode()


def build_id() -> str:
    """A digest of the loaded libpopir's contents, in hexadecimal digits. Unlike one of its file, it
    is that of what runs, also after another build has taken the file's place. Of a library whose
    notes were stripped it is that of the file, which is read.
    """
    text: bytes = load().popir_build_id()
    return text.decode() or _digest_of_file()


@functools.cache
def _digest_of_file() -> str:
    return hashlib.sha256((ROOT / "lib" / "libpopir.so").read_bytes()).hexdigest()


def config() -> None:
    """Runs the command popir-config, a shell script of the package. Replaces the process."""
    script = str(ROOT / "bin" / "popir-config")
    os.execv(script, [script, *sys.argv[1:]])


def popc() -> None:
    """Runs the command popc, which compiles codelets. Replaces the process."""
    program = str(ROOT / "bin" / "popc")
    os.execv(program, [program, *sys.argv[1:]])
