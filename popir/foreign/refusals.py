"""Explains why a file cannot be loaded as an operator library, and what to do about it."""

from __future__ import annotations

import ctypes
import os
import re
import struct
import sys
from pathlib import Path

from popir import _library
from popir.errors import LibraryLoadError, require_path

_ELF = b"\x7fELF"
_OTHER_FILES = {
    b"!<arch>\n": "a static archive, of which nothing can be loaded",
    b"MZ": "a library or program for Windows",
    b"\xcf\xfa\xed\xfe": "a library or program for macOS",
    b"\xca\xfe\xba\xbe": "a library or program for macOS",
    b"version https://git-lfs": "a pointer of git-lfs to a file that was not fetched",
    b"popir codelets": "a file of codelets; an operator's lowering adds it by addCodelets()",
    b"PK\x03\x04": "an archive (a wheel, a zip file)",
}
SOURCES = (".cpp", ".cc", ".cxx", ".c++", ".cp", ".CPP", ".C", ".cu")
"""The suffixes of C++ sources. A compiler takes other files for something to link."""
_MACHINES = {3: "x86", 40: "ARM", 62: "x86-64", 183: "ARM64 (aarch64)", 243: "RISC-V"}
_X86_64, _SHARED = 62, 3


def refused(file: Path, why: str, source: str = "") -> LibraryLoadError:
    """Returns the error for a library `file`, built from `source` if given, that cannot be loaded.

    `why` may be a message of the dynamic loader.
    """
    why = why.strip().rstrip(".").removeprefix(f"{file}: ")
    who = f"The operator library '{source or file}'"
    return LibraryLoadError(f"{who} cannot be loaded: {why}.{_hint(why)}")


def library_file(who: str, path: str | os.PathLike[str]) -> Path:
    """The absolute path of an operator library.

    Raises an error that names `who` if `path` is no path, or empty; and those of `check_file`.
    """
    if isinstance(path, str) and not path:
        raise LibraryLoadError(
            f"{who}: the path of the library is empty. Give that of an .so file."
        )
    file = require_path(who, path).absolute()
    check_file(file)
    return file


def check_file(file: Path) -> None:
    """Raises LibraryLoadError unless `file` starts like a shared library for this machine."""
    if not os.path.exists(file):  # Also False for a name that is too long.
        raise LibraryLoadError(f"There is no operator library '{file}'.{_others(file)}")
    if file.is_dir():
        raise LibraryLoadError(
            f"'{file}' is a folder, not an operator library. Give the path of the .so file."
        )
    if file.suffix in SOURCES:
        raise LibraryLoadError(
            f"'{file}' is C++ source, not an operator library: popir.build_op_library(...) "
            "compiles and loads it, and so does --op-library on the command line."
        )
    if file.suffix == ".py":
        raise LibraryLoadError(
            f"'{file}' is Python, not an operator library: its operators are registered when it is "
            "imported. (--op-library on the command line does that.)"
        )
    try:
        with file.open("rb") as stream:
            start = stream.read(64)
    except OSError as error:
        raise LibraryLoadError(f"The operator library '{file}' cannot be read: {error}.") from None
    _check_start(file, start)


def _others(file: Path) -> str:
    """A sentence with the libraries in the folder of a missing file."""
    if not file.parent.is_dir():
        return f" There is no folder '{file.parent}' either."
    found = sorted(path.name for path in file.parent.glob("*.so"))
    return f" The libraries in that folder: {', '.join(found[:5])}." if found else ""


def _check_start(file: Path, start: bytes) -> None:
    if not start:
        raise LibraryLoadError(
            f"'{file}' is empty: what should have written the library has failed. Compile it again."
        )
    if not start.startswith(_ELF):
        for magic, what in _OTHER_FILES.items():
            if start.startswith(magic):
                raise LibraryLoadError(f"'{file}' is no shared library but {what}.")
        raise LibraryLoadError(
            f"'{file}' is no ELF shared library: it begins with {start[:4]!r}, not with {_ELF!r}. "
            "Give the path of the library that the compiler made of your sources, with -shared."
        )
    size = file.stat().st_size
    if len(start) < 64:
        raise _cut(file, size)
    kind, machine = struct.unpack("<HH" if start[5] == 1 else ">HH", start[16:20])
    if machine != _X86_64:
        name = _MACHINES.get(machine, f"machine {machine} of ELF's list")
        raise refused(
            file, f"it is built for {name}, and this process is x86-64. Compile it on this machine"
        )
    if kind != _SHARED:
        what = {1: "an object file, which was not linked", 2: "a program"}.get(kind, "no library")
        raise refused(file, f"it is {what}. Compile it with -shared -fPIC, and without -c")
    (sections,) = struct.unpack("<Q", start[40:48])
    each, count = struct.unpack("<HH", start[58:62])
    if size < sections + each * count:
        raise _cut(file, size)


def _cut(file: Path, size: int) -> LibraryLoadError:
    return refused(file, f"it ends after {size} bytes: it was cut off, or is still being written")


def _hint(why: str) -> str:
    """Advice for a message of the dynamic loader; "" for an unknown one."""
    if found := re.search(r"undefined symbol: (\S+)", why):
        return _about_symbol(found[1].rstrip(","))
    if found := re.search(r"version `(\S+)' not found", why):
        return (
            f" It was compiled by a newer compiler, or on a newer system, than this one, which has "
            f"no {found[1]}. Compile it here."
        )
    if found := re.search(r"libpython(\d\.\d+)", why):
        return _about_python(found[1])
    if "cannot open shared object file" in why:
        return (
            " It needs that library, and the loader does not find it: put its folder into the "
            "operator library's rpath (-Wl,-rpath,FOLDER), or into LD_LIBRARY_PATH before Python "
            "starts."
        )
    return ""


def _about_symbol(symbol: str) -> str:
    version = _library.version()
    if found := re.fullmatch(r"popir_sdk_(\d+_\d+_\d+)(_[0-9a-f]+)?", symbol):
        built = found[1].replace("_", ".")
        whose = f"other headers of popir {built} than those of this one"
        if built != version:
            whose = f"the headers of popir {built}, and this is popir {version}"
        return (
            f" The library was compiled with {whose}. Compile it again, with this popir's headers "
            f"(`popir-config --cflags`)."
        )
    if re.match(r"_?Py[A-Z_]", symbol):
        return _about_python(None)
    name = demangled(symbol)
    shown = f" It stands for {name}." if name != symbol else ""
    is_ours = re.search(r"\b(popart|poplar|pop(ops|lin|nn|rand|util)|popir)::", name)
    if is_ours and hasattr(_library.load(), symbol):
        return (
            f"{shown} libpopir has it, but the library is not linked with libpopir: put "
            "`popir-config --libs` behind the sources when you link it."
        )
    if is_ours:
        why = (
            " The library was compiled with -D_GLIBCXX_USE_CXX11_ABI=0; popir is not."
            if "std::string" in name
            else f" popir {version} has no such function: the library was compiled with other "
            "headers, or uses a part of PopART that popir lacks."
        )
        return f"{shown}{why} Compile it again with `popir-config --cflags --libs`."
    if re.search(r"\b(onnx|google::protobuf)::", name):
        return f"{shown} popir brings no ONNX library: link yours, or do without."
    if name.startswith(("vtable for", "typeinfo for")):
        return (
            f"{shown} A virtual function of that class is declared and nowhere defined: define it, "
            "or add the source that does."
        )
    return (
        f"{shown} Add the source that defines it, or link the library that does; popir's own are "
        "given by `popir-config --libs`."
    )


def _about_python(built: str | None) -> str:
    mine = f"{sys.version_info.major}.{sys.version_info.minor}"
    what = f" It was built for Python {built}" if built else " It uses Python's own interface"
    return (
        f"{what}, and this is Python {mine}. An operator library needs no Python: leave out its "
        f"headers and libraries, or build the library again for Python {mine}."
    )


def demangled(symbol: str) -> str:
    """The C++ name of a mangled symbol; the symbol itself if it is not mangled."""
    free = ctypes.CDLL(None).free
    free.argtypes, free.restype = [ctypes.c_void_p], None
    demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = demangle(symbol.encode(), None, None, ctypes.byref(status))
    if status.value != 0 or not text:
        return symbol
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        free(text)
