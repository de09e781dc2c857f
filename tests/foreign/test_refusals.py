"""What is said of files that are no operator libraries, and of the words of the loader."""

import re
import struct
import sys
from pathlib import Path

import pytest

import popir
from popir.foreign import refusals
from popir.foreign.refusals import refused
from tools import sdk_digest

ELF = b"\x7fELF\x02\x01\x01" + bytes(9)


def elf(kind: int, machine: int, order: str = "<") -> bytes:
    """The beginning of an ELF file."""
    start = bytearray(ELF)
    start[5] = 1 if order == "<" else 2
    return bytes(start) + struct.pack(f"{order}HH", kind, machine) + bytes(44)


FILES = {
    "text.so": (b"not a library", "is no ELF shared library: it begins with b'not '"),
    "empty.so": (b"", "is empty: what should have written the library has failed."),
    "short.so": (ELF, "cannot be loaded: it ends after 16 bytes: it was cut off"),
    "lib.a": (b"!<arch>\n...", "is no shared library but a static archive"),
    "lib.dll": (b"MZ....", "is no shared library but a library or program for Windows"),
    "fat.so": (b"version https://git-lfs.github.com/spec/v1", "git-lfs to a file that was not"),
    "some.gp": (b"popir codelets 1", "no shared library but a file of codelets"),
    "arm.so": (elf(3, 183), "it is built for ARM64 (aarch64), and this process is x86-64. Compile"),
    "big.so": (elf(3, 21, ">"), "it is built for machine 21 of ELF's list"),
    "a.o": (elf(1, 62), "it is an object file, which was not linked. Compile it with -shared"),
    "a.out": (elf(2, 62), "it is a program. Compile it with -shared -fPIC, and without -c."),
    "op.cpp": (b"", "is C++ source, not an operator library: popir.build_op_library(...)"),
    "op.py": (b"", "is Python, not an operator library: its operators are registered when it is"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_other_kinds(name: str, tmp_path: Path) -> None:
    content, words = FILES[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(popir.LibraryLoadError, match=re.escape(words)) as caught:
        popir.load_op_library(tmp_path / name)
    assert f"'{tmp_path / name}'" in str(caught.value)


def test_places_where_no_file_is(tmp_path: Path) -> None:
    with pytest.raises(
        popir.LibraryLoadError, match=r"is a folder, not an operator library\. Give"
    ):
        popir.load_op_library(tmp_path)
    with pytest.raises(popir.LibraryLoadError, match=r"There is no folder '.*none' either\.$"):
        popir.load_op_library(tmp_path / "none" / "lib.so")


def test_empty_paths() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2]))
    for who, load in {
        "load_op_library": popir.load_op_library,
        "load_kernel_library": popir.custom_ops.load_kernel_library,
        "precompiled_user_op": lambda path: popir.custom_ops.precompiled_user_op(
            [x], library_path=path
        ),
    }.items():
        words = f"{who}: the path of the library is empty"
        with pytest.raises(popir.LibraryLoadError, match=words):
            load("")


SYMBOLS = {
    "popir_sdk_0_9_2": "was compiled with the headers of popir 0.9.2, and this is popir 0.1.0",
    "popir_sdk_0_9_2_1a2b3c4d": "was compiled with the headers of popir 0.9.2, and this is popir",
    "popir_sdk_0_1_0_1a2b3c4d": "was compiled with other headers of popir 0.1.0 than those of this",
    "_ZN6popart2Op9somethingEi": "It stands for popart::Op::something(int). popir 0.1.0 has no",
    "_ZTIN6popart2OpE": "libpopir has it, but the library is not linked with libpopir: put",
    "_ZN6popart5errorC1ERKSs": "compiled with -D_GLIBCXX_USE_CXX11_ABI=0; popir is not. Compile",
    "_ZN4onnx9NodeProtoC1Ev": "popir brings no ONNX library: link yours, or do without.",
    "_ZTV4Mine": "It stands for vtable for Mine. A virtual function of that class is declared and",
    "_Z4elsev": "It stands for else(). Add the source that defines it, or link the library that",
    "cblas_sgemm": "undefined symbol: cblas_sgemm. Add the source that defines it, or link",
    "PyFloat_Type": "It uses Python's own interface, and this is Python 3.",
    "_Py_NoneStruct": "It uses Python's own interface, and this is Python 3.",
}


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_symbols_that_nobody_has(symbol: str) -> None:
    file = Path("/somewhere/libop.so")
    said = str(refused(file, f"{file}: undefined symbol: {symbol}"))
    begin = f"The operator library '{file}' cannot be loaded: undefined symbol: {symbol}. "
    assert said.startswith(begin)
    assert SYMBOLS[symbol] in said


def test_libraries_that_are_needed() -> None:
    file = Path("/somewhere/libop.so")
    open_ = "cannot open shared object file: No such file or directory"
    said = str(refused(file, f"libfoo.so: {open_}"))
    assert "It needs that library, and the loader does not find it: put its folder into" in said
    said = str(refused(file, f"libpython3.7.so.1.0: {open_}"))
    mine = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"It was built for Python 3.7, and this is Python {mine}. An operator library" in said
    said = str(refused(file, "libstdc++.so.6: version `GLIBCXX_9.9.9' not found (required by x)"))
    assert "by a newer compiler, or on a newer system, than this one, which has no GLIBCXX" in said


def test_the_symbol_of_the_headers(tmp_path: Path) -> None:
    assert sdk_digest.text() == sdk_digest.FILE.read_text(), "run: python -m tools.sdk_digest"
    assert sdk_digest.symbol().startswith(f"popir_sdk_{popir.__version__.replace('.', '_')}_")
    header = tmp_path / "popart" / "op.hpp"
    header.parent.mkdir()
    symbols: list[str] = []
    plain, commented, other = (
        "struct Op { int a; };",
        "struct Op {\n  int a;  // a\n};",
        "struct Op;",
    )
    for said in (plain, commented, other):
        header.write_text(said)
        symbols.append(sdk_digest.symbol(tmp_path))
    assert symbols[0] == symbols[1] != symbols[2]


def test_names_of_symbols() -> None:
    assert refusals.demangled("_ZN3one3twoEv") == "one::two()"
    assert refusals.demangled("plain") == "plain"
