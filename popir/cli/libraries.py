"""What --op-library takes: a library, C++ sources of one, or Python that registers operators."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path

from popir.cli.exits import CommandError, ExitCode
from popir.errors import PopirError
from popir.foreign.build import build_op_library
from popir.foreign.load import load_op_library

SOURCES = {".cpp", ".cc", ".cxx"}


def load_operators(path: str) -> None:
    """Makes the operators of a file known, by its suffix: a .py file is imported, C++ is compiled
    (or taken from the cache) and loaded, all else is a library.

    Raises what `build_op_library` and `load_op_library` raise; CommandError if Python code fails.
    """
    suffix = Path(path).suffix
    if suffix == ".py":
        _import(Path(path).absolute())
    elif suffix in SOURCES:
        build_op_library(path, verbose=True)
    else:
        load_op_library(path)


def _import(file: Path) -> None:
    known = sys.modules.get(file.stem)
    if known is not None:
        if getattr(known, "__file__", None) == str(file):
            return
        raise CommandError(
            f"'{file}' cannot be imported: a module '{file.stem}' is there already. Give the file "
            "another name."
        )
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    sys.path.append(str(file.parent))
    try:
        spec.loader.exec_module(module)
    except PopirError:
        raise
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]
        place = f", line {lines[-1]}" if lines else ""
        raise CommandError(
            f"The operators of '{file}' cannot be imported: {type(error).__name__}: {error}{place}",
            ExitCode.MODEL,
        ) from error
