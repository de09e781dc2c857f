"""`popir tpcc`: compiles TPC-C kernels for the host, and links them with glue code to a library.

A kernel becomes a shared object of its own. The object code of a library carries it as bytes, under
the symbols `_binary___NAME_o_start` and `_binary___NAME_o_end` that glue code expects, and gives
them to whoever loads the library, as it would give the program of a TPC.
"""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from popir import _library
from popir.errors import LibraryBuildError
from popir.foreign import cache
from popir.foreign.compiler import Compiler, dependencies
from popir.foreign.habana.source import as_cpp
from popir.typed import typed

DEVICES = {"gaudi": 1, "gaudi2": 3, "gaudi3": 4}
"""The numbers of the devices in the interface of kernel libraries."""
_HEADER = "tpc/tpc.hpp"
KERNEL = ".c"
"""The suffix of TPC-C."""
GLUE = (".cpp", ".cc", ".cxx", ".C")
"""The suffixes of glue code, which is C++ for the host."""

_COMMON = ("-std=c++17", "-O2", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off")
# Names that are operators in C++ are names of instructions; vectors are passed within one object.
_TPC = (
    *_COMMON,
    *("-ftree-vectorize", "-fno-math-errno", "-fno-operator-names", "-fvisibility=hidden"),
    *("-Wno-psabi", "-Wno-narrowing", "-Wno-unknown-pragmas", "-Wno-write-strings"),
    *("-Wno-attributes", "-Wno-uninitialized", "-Wno-maybe-uninitialized"),
)


@dataclass(frozen=True)
class KernelLibrary:
    """What `build_kernel_library` has built."""

    library: Path
    kernels: tuple[str, ...]
    """The names of the kernels that it carries."""
    said: str
    """The compiler's warnings."""


def include() -> Path:
    """The folder of the headers that kernels, glue code and operators are compiled against."""
    return _library.ROOT / "include" / "habana"


@typed(error=LibraryBuildError)
def compile_kernel(
    source: str | os.PathLike[str], device: str = "gaudi", flags: Sequence[str] = ()
) -> Path:
    """Compiles one TPC-C file for the host, and returns the object file.

    Args:
        source: the file; it defines `void main(tensor..., scalars...)`.
        device: "gaudi", "gaudi2" or "gaudi3", which the source can ask for.
        flags: for the compiler: folders of headers, macros.

    Raises LibraryBuildError with the compiler's output. What has not changed is taken from a cache.
    """
    file = _file(source, (KERNEL,), "a TPC-C kernel")
    job = _Job.of(device, flags)
    return job.kernel(file)[0]


@typed(error=LibraryBuildError)
def build_kernel_library(
    sources: Sequence[str | os.PathLike[str]],
    name: str = "",
    device: str | None = None,
    flags: Sequence[str] = (),
    ldflags: Sequence[str] = (),
) -> KernelLibrary:
    """Compiles TPC-C kernels and the glue code for them to a library for `GC_KERNEL_PATH`.

    Args:
        sources: files ending in .c are TPC-C, others C++. Two kernels cannot have one name.
        name: the library is libNAME.so; by default the name of the first source.
        device: that of the kernels. By default the name of the folder that a kernel lies in, if it
            is one of the devices, else "gaudi".
        flags: for compiling kernels and glue code.
        ldflags: for linking, at the end of the command.

    Raises LibraryBuildError with the compiler's output if anything does not compile.
    """
    files = [_file(each, (KERNEL, *GLUE), "a source") for each in sources]
    kernels = [file for file in files if file.suffix == KERNEL]
    glue = [file for file in files if file.suffix != KERNEL]
    if not glue:
        raise LibraryBuildError(
            "A kernel library needs glue code: C++ with GetKernelGuids and InstantiateTpcKernel, "
            "which say how the kernels are run (docs/habana.md)."
        )
    twice = {k.stem for k in kernels if sum(k.stem == other.stem for other in kernels) > 1}
    if twice:
        raise LibraryBuildError(
            f"Two kernels are called {', '.join(sorted(twice))}: glue code finds them by these "
            "names. Rename one, or build two libraries."
        )
    name = name or re.sub(r"\W", "_", files[0].stem)
    compiled: list[Path] = []
    said: list[str] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [_Job.of(device or _folder_device(kernel), flags) for kernel in kernels]
        for made, words in pool.map(lambda job, file: job.kernel(file), jobs, kernels):
            compiled.append(made)
            said.append(words)
        objects = [*pool.map(lambda file: _Job.of("gaudi", flags).glue(file), glue)]
    said += [words for _, words in objects]
    key = [list(map(str, [*compiled, *(made for made, _ in objects)])), list(ldflags)]
    linker = _Job.of("gaudi", flags)

    def link(folder: Path) -> list[str]:
        assembly = folder / "kernels.s"
        assembly.write_text(_carrier([k.stem for k in kernels], compiled))
        library = str(folder / f"lib{name}.so")
        inputs = [str(assembly), *(str(made) for made, _ in objects)]
        options = ["-shared", "-Wl,-z,defs", "-Wl,-z,noexecstack", *ldflags, "-o", library]
        linker.compiler.run(f"The kernel library '{name}'", [*inputs, *options])
        assembly.unlink()
        return []

    folder = cache.cached(name, ["tpc library", *key, linker.compiler.key()], link)
    names = tuple(kernel.stem for kernel in kernels)
    return KernelLibrary(folder / f"lib{name}.so", names, "".join(said))


def _folder_device(kernel: Path) -> str:
    return kernel.parent.name if kernel.parent.name in DEVICES else "gaudi"


def _file(given: str | os.PathLike[str], suffixes: Sequence[str], what: str) -> Path:
    file = Path(given).absolute()
    if file.suffix not in suffixes:
        raise LibraryBuildError(
            f"'{file}' is not {what}: its name ends in none of {', '.join(suffixes)}."
        )
    if not file.is_file():
        raise LibraryBuildError(f"There is no file '{file}'.")
    return file


def _carrier(names: Sequence[str], objects: Sequence[Path]) -> str:
    """Assembly text of a section that holds the objects, each between two symbols."""
    lines = ['.section .note.GNU-stack,"",@progbits', ".section .rodata"]
    for name, made in zip(names, objects, strict=True):
        symbol = "_binary___" + re.sub(r"\W", "_", name) + "_o"
        lines += [".balign 64", f".globl {symbol}_start", f"{symbol}_start:"]
        lines += [f".incbin {json.dumps(str(made))}", f".globl {symbol}_end", f"{symbol}_end:"]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Job:
    """How sources of one device are compiled."""

    device: str
    flags: tuple[str, ...]
    compiler: Compiler

    @staticmethod
    def of(device: str, flags: Sequence[str]) -> _Job:
        if device not in DEVICES:
            raise LibraryBuildError(
                f"'{device}' is no device with TPCs; there are {', '.join(DEVICES)}."
            )
        return _Job(device, tuple(flags), Compiler.find())

    def kernel(self, file: Path) -> tuple[Path, str]:
        """The object of a kernel, and the compiler's warnings."""
        generations = ["__gaudi__", "__gaudi2__", "__gaudi3__"]
        own = generations[[*DEVICES].index(self.device)]
        plus = ["-D__TPC__=1", "-D__gaudi_plus__=1", f"-D{own}=1"]
        plus += ["-D__gaudi2_plus__=1"] if self.device != "gaudi" else []
        flags = [*_TPC, _instructions(), *plus]
        return self._cached(f"The TPC-C kernel '{file}'", file, flags, kernel=True)

    def glue(self, file: Path) -> tuple[Path, str]:
        """The object of a file of glue code, and the compiler's warnings."""
        return self._cached(f"The glue code '{file}'", file, [*_COMMON], kernel=False)

    def _cached(
        self, who: str, file: Path, flags: Sequence[str], *, kernel: bool
    ) -> tuple[Path, str]:
        options = [*flags, f"-I{include()}", f"-I{file.parent}", *self.flags]
        key = [str(file), kernel, options, _library.version(), self.compiler.key(), os.getcwd()]

        def make(folder: Path) -> list[str]:
            source, made, rule = folder / "unit.cpp", folder / f"{file.stem}.o", folder / "rule.d"
            source.write_text(f"#include {json.dumps(str(file))}\n")
            depends = ["-MD", "-MF", str(rule), "-MT", "unit"]
            said = ""
            if kernel:
                said = self._as_cpp(who, source, [*options, *depends])
                command = [*options, str(source), "-shared", "-Wl,-z,defs", "-s"]
            else:
                command = [*options, *depends, str(source), "-c"]
            said += self.compiler.run(who, [*command, "-o", str(made)], f"{folder}/")
            (folder / "said").write_text(said)
            read = [os.path.abspath(each) for each in dependencies(rule)]
            source.unlink()
            rule.unlink()
            read = [each for each in read if not each.startswith(f"{folder}/")]
            return [*read, inspect.getfile(as_cpp)] if kernel else read

        folder = cache.cached("tpcc", key, make)
        return folder / f"{file.stem}.o", (folder / "said").read_text()

    def _as_cpp(self, who: str, source: Path, options: Sequence[str]) -> str:
        """Makes a file that includes TPC-C one of C++; returns the preprocessor's warnings."""
        read = source.with_suffix(".i")
        macros = ["-imacros", str(include() / _HEADER), "-Dmain=popir_tpc_main"]
        preprocess = [*options, *macros, "-E", str(source), "-o", str(read)]
        said = self.compiler.run(who, preprocess, f"{source.parent}/")
        text = as_cpp(read.read_text(errors="surrogateescape"))
        # A namespace of its own: sources define again what the header or the system has.
        source.write_text(
            f"#include <{_HEADER}>\n"
            "namespace popir_kernel {\n"
            f"{text}\n"
            "}\n"
            "POPIR_TPC_ENTRY(popir_kernel::popir_tpc_main)\n",
            errors="surrogateescape",
        )
        read.unlink()
        return said


def _instructions() -> str:
    """The instruction set that kernels are compiled for: with AVX2 if this machine has it."""
    wanted = {"avx2", "fma", "f16c", "bmi2", "movbe"}
    for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
        if line.startswith("flags") and wanted <= set(line.split()):
            return "-march=x86-64-v3"
    return "-march=x86-64"
