"""libpopir.so and what else the build puts beside the Python code.

Importing popir loads libpopir, so that an operator library without an rpath, loaded afterwards by
ctypes, finds it by its name.
"""

import ctypes
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
"""The installed package; holds `include`, `lib`, `bin`, `share` and `enable.sh`."""


def load(root: Path = ROOT) -> ctypes.CDLL:
    """Load libpopir.so of `root`; further calls give the same library.

    Its symbols stay local: a process that also holds PyTorch must not see our oneDNN in its place.
    Raises ImportError, with the way out, if the library is missing or cannot be loaded.
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
    library.popir_version.restype = ctypes.c_char_p
    return library


def version() -> str:
    """Version of the loaded libpopir, which is the version of popir."""
    text: bytes = load().popir_version()
    return text.decode()


def config() -> None:
    """The command popir-config, which is a shell script of the package."""
    script = str(ROOT / "bin" / "popir-config")
    os.execv(script, [script, *sys.argv[1:]])


def popc() -> None:
    """The command popc, which compiles codelets; a program of the package."""
    program = str(ROOT / "bin" / "popc")
    os.execv(program, [program, *sys.argv[1:]])
