"""Loads the operators of --op-library: a library, its C++ sources, or a Python file."""

from __future__ import annotations

import importlib.util
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

from popir import custom_ops, pattern, registry
from popir.cli.exits import CommandError, ExitCode
from popir.errors import LibraryLoadError, PopirError
from popir.foreign.build import build_op_library
from popir.foreign.load import load_op_library
from popir.foreign.refusals import SOURCES


def load_operators(path: str) -> None:
    """Registers the operators of a file, by its suffix.

    A .py file is imported. C++ sources are compiled (or taken from the cache) and loaded, with
    codelets in NAME_codelets.cpp beside NAME.cpp if that exists. Any other file is loaded as a
    library. Either may be written for PopART, or against Habana's hpu_kernel.h. Raises the errors
    of the functions that build and load libraries; CommandError if Python code fails.
    """
    suffix = Path(path).suffix
    if suffix == ".py":
        _import(Path(path).absolute())
    elif suffix in SOURCES:
        if _HPU in Path(path).read_bytes():
            custom_ops.build_hpu_library(path)
            return
        beside = Path(path).with_name(f"{Path(path).stem}_codelets.cpp")
        build_op_library(path, codelets=[beside] if beside.exists() else [], verbose=True)
    else:
        _load(path)


_HPU = b"hpu_kernel.h"


def _load(path: str) -> None:
    """Loads a library of operators for PopART, or else for Habana's accelerators."""
    try:
        load_op_library(path)
    except LibraryLoadError as error:
        if "registers nothing" not in str(error):
            raise
        try:
            custom_ops.load_hpu_library(path)
        except LibraryLoadError:
            raise error from None


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
    before = _registered()
    try:
        spec.loader.exec_module(module)
    except PopirError:
        raise
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(file)]
        place = f", line {lines[-1]}" if lines else ""
        raise CommandError(
            f"The operators of '{file}' cannot be imported: {type(error).__name__}: {error}"
            f"{place}.",
            ExitCode.MODEL,
        ) from error
    if before == _registered():
        warnings.warn(f"'{file}' has registered nothing: popir.OpCreator does that.", stacklevel=2)


def _registered() -> tuple[list[Any], ...]:
    return registry.entries(), registry.opx_entries(), pattern.entries()
