"""Loads operator libraries, after a trial in a separate process: `load_op_library`."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from popir import registry
from popir._device import popart as device
from popir._device import xla
from popir.errors import LibraryLoadError
from popir.foreign import popart
from popir.foreign.habana import libraries as hpu_kernels
from popir.foreign.habana import operators as hpu_operators
from popir.foreign.refusals import library_file, refused
from popir.foreign.tensorflow import library as tensorflow
from popir.foreign.trial import tried
from popir.foreign.xla import libraries as xla_libraries
from popir.ir import OperatorIdentifier


@dataclass(frozen=True)
class OpLibrary:
    """A loaded operator library, and what it has registered."""

    path: str
    """The absolute path of the library."""
    source: str
    """The name in messages and lists of operators: its path, or the sources it was built from."""
    operators: tuple[OperatorIdentifier, ...]
    """The identifiers of the operators that it defines."""
    lowerings: tuple[OperatorIdentifier, ...]
    """The identifiers with an Opx in the library, including those of gradient operators."""
    patterns: tuple[str, ...]
    """The names of its patterns."""
    functions: tuple[str, ...] = ()
    """For a library for TensorFlow on the IPU: the functions that operators may name. For a library
    of TPC kernels: their GUIDs.
    """
    custom_calls: tuple[tuple[str, str], ...] = ()
    """The targets of XLA's custom calls in it: name and platform."""

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path


def load_op_library(path: str | os.PathLike[str]) -> OpLibrary:
    """Loads a library of operators, and returns what it registers.

    That may be a library for PopART, or one for TensorFlow on the IPU, which registers nothing:
    models name its functions (`popir.custom_ops`); or one for XLA or Habana's accelerators. The
    library is loaded in a child process first, because a library that throws or crashes while it
    loads ends its process. Loading runs the library's code with all rights of this process: load
    only what you trust. A library that is already loaded is not loaded again, unless its file has
    been replaced.

    Raises LibraryLoadError if the file does not exist, is no shared library for this machine, lacks
    symbols or other libraries, was compiled with headers of another popir version, throws or
    crashes while it loads, or registers nothing; DuplicateOperatorError if it registers an operator
    of another library. Of a library that registers a wrong target of custom calls no target is
    taken.
    """
    file = library_file("load_op_library", path)
    source = _text(str(file.resolve()))
    if tensorflow.is_one(file):
        tensorflow.load(file, "load_op_library")
        if tried(file) == 0:
            return _of_functions(file, source)
    if xla_libraries.is_one(file) and tried(file) == 0:
        return OpLibrary(xla_libraries.allow("load_op_library", file), source, (), (), ())
    if hpu_operators.is_one(file):
        loaded = hpu_operators.load_hpu_library(file)
        ids = tuple(OperatorIdentifier("ai.habana", name, 1) for name in loaded.operators)
        return OpLibrary(str(file.resolve()), source, ids, (), ())
    if hpu_kernels.is_one(file):
        kernels = tuple(hpu_kernels.load_kernel_library(file))
        return OpLibrary(str(file.resolve()), source, (), (), (), kernels)
    _try(file)
    with registry.lock.rlock:
        if source != str(file.resolve()):
            _name(file, source)
        _open(file, _spelling(file))
        popart.sync()
        return _loaded(file, source)


def _of_functions(file: Path, source: str) -> OpLibrary:
    return OpLibrary(str(file.resolve()), source, (), (), (), tuple(tensorflow.functions(file)))


_built: dict[str, Path] = {}
"""For each name, the file that was last loaded under it."""


def load_built(file: Path, name: str) -> OpLibrary:
    """Loads a library that was built from sources and is called `name`.

    It replaces the library loaded under that name before. `file` must not change later. Raises the
    errors of `load_op_library`.
    """
    name = _text(name)
    if tensorflow.is_one(file):
        tensorflow.load(file, "build_op_library")
        if tried(file, name) == 0:
            return _of_functions(file, name)
    with registry.lock.rlock:
        if xla_libraries.is_one(file) and tried(file, name) == 0:
            return OpLibrary(xla_libraries.allow(name, file), name, (), (), ())
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
    """Loads a temporary copy of `file`. The dynamic loader would return the library that is already
    loaded, which has been replaced since.
    """
    handle, copy = tempfile.mkstemp(".so", f"{file.stem}-", file.parent)
    os.close(handle)
    try:
        shutil.copyfile(file, copy)
        _name(Path(copy), name, file)
        _open(file, copy, name)
    finally:
        os.unlink(copy)


def _text(name: str) -> str:
    """`name` as text; bytes of a file name that are not UTF-8 are replaced."""
    return os.fsencode(name).decode(errors="replace")


def _name(file: Path, name: str, found: Path | None = None) -> None:
    """Calls the library that will be loaded from `file` by `name`. It is found again at `found`."""
    device.nameLibrary(os.fsencode(file.resolve()), name)
    xla.nameLibrary(os.fsencode(file.resolve()), name, os.fsencode((found or file).resolve()))


def _open(file: Path, spelling: str, source: str = "") -> None:
    try:
        ctypes.CDLL(spelling)
    except OSError as error:
        raise refused(file, str(error), source) from None


def _loaded(file: Path, source: str) -> OpLibrary:
    xla_libraries.require_accepted(str(file.resolve()))
    patterns = [name for name, _, _, library in device.patterns() if library == source]
    calls = tuple((t.name, t.platform) for t in xla.targets() if t.source == source)
    if calls or xla_libraries.is_one(file):
        xla_libraries.allow(source, file, is_tried=True)
    return OpLibrary(
        str(file.resolve()),
        source,
        tuple(entry.opid for entry in registry.entries() if entry.source == source),
        tuple(entry.opid for entry in registry.opx_entries() if entry.source == source),
        tuple(patterns),
        custom_calls=calls,
    )


def _try(file: Path, source: str = "") -> None:
    """Loads the library in a separate process; messages call it `source` if given.

    Raises LibraryLoadError if that fails, or if the library registers nothing.
    """
    if tried(file, source) == 0:
        raise LibraryLoadError(
            f"The operator library '{source or file}' loads, but registers nothing: no operator, "
            "Opx, pattern, schema, shape inference function or target of custom calls. They are "
            "registered by static "
            "objects (popart::OpCreator<...>, popart::popx::OpxCreator<...>) in the sources that "
            "the library is linked from; those in a static archive are left out unless it is "
            "linked with -Wl,--whole-archive."
        )


def _mapped() -> dict[str, set[int]]:
    """The files mapped into this process: resolved path to inodes."""
    found: dict[str, set[int]] = {}
    for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6:
            found.setdefault(fields[5].removesuffix(" (deleted)"), set()).add(int(fields[4]))
    return found


def _spelling(file: Path) -> str:
    """A spelling of the path under which the dynamic loader loads `file` again after it was
    replaced.

    The loader compares names first, and would return the old library for the same name.
    """
    resolved = file.resolve()
    inodes = _mapped().get(str(resolved), set[int]())
    if not inodes or resolved.stat().st_ino in inodes:
        return str(file)
    return str(resolved.parent) + "/." * len(inodes) + "/" + resolved.name
