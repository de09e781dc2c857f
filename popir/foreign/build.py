"""Builds operator libraries from their C++ sources: `build_op_library`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from popir import _library
from popir.errors import LibraryBuildError, did_you_mean
from popir.foreign import cache
from popir.foreign.compiler import Compiler, dependencies, run, sdk
from popir.foreign.load import OpLibrary, load_built
from popir.foreign.refusals import SOURCES
from popir.foreign.xla import cuda
from popir.typed import typed

Source = str | os.PathLike[str]

FLAGS = ("-std=c++17", "-O2", "-fPIC", "-Wall")
"""The flags for compiling every source, before the caller's flags."""
_SAID = "said.txt"


@dataclass(frozen=True)
class Built:
    """A library in the cache."""

    library: Path
    codelets: list[Path]
    """The compiled codelets, .gp files."""
    source: str
    """The name of the library in messages."""
    said: str
    """The warnings of the compiler."""


@typed(error=LibraryBuildError)
def build_op_library(
    sources: Source | Sequence[Source],
    *,
    name: str = "",
    flags: Sequence[str] = (),
    ldflags: Sequence[str] = (),
    codelets: Source | Sequence[Source] = (),
    verbose: bool = False,
) -> OpLibrary:
    """Compiles an operator library, loads it, and returns what it registers.

    The compiler is $CXX, or else g++, c++ or clang++. The result is cached in $POPIR_CACHE (by
    default ~/.cache/popir). It is compiled again if a source, an included file, an argument, the
    compiler or popir changes. Building the same files, or the same name, again replaces the
    operators of the earlier build, so that a notebook cell can be run repeatedly.

    Args:
        sources: C++ files, or .cu files for the simulated device of XLA's custom calls. A str that
            contains a line break is source text, not a file name.
        name: the library is libNAME.so; by default the name of the first file.
        flags: flags for compiling, also used for linking.
        ldflags: flags for linking, at the end of the command.
        codelets: files of codelets; each is compiled to a .gp file beside the library.
        verbose: print the compiler's warnings.

    Raises LibraryBuildError, with the compiler's output, if a source does not compile; and the
    errors of `load_op_library`.
    """
    built = compile_op_library(sources, name, flags, ldflags, codelets)
    if verbose and built.said:
        print(built.said, file=sys.stderr)
    return load_built(built.library, built.source)


def compile_op_library(
    sources: Source | Sequence[Source],
    name: str = "",
    flags: Sequence[str] = (),
    ldflags: Sequence[str] = (),
    codelets: Source | Sequence[Source] = (),
) -> Built:
    """Compiles an operator library without loading it; see `build_op_library`."""
    given = _sources("sources", sources)
    texts = [each for each in given if isinstance(each, str)]
    files = [each for each in given if isinstance(each, Path)]
    vertices = _sources("codelets", codelets)
    if not given:
        raise LibraryBuildError("build_op_library() was given no sources.")
    if any(isinstance(each, str) for each in vertices):
        raise LibraryBuildError(
            "build_op_library() takes codelets as files; text is what Graph.addCodelets() takes."
        )
    name = name or (re.sub(r"\W", "_", files[0].stem) if files else "operators")
    if not re.fullmatch(r"[\w.+-]+", name):
        raise LibraryBuildError(f"{name!r} cannot be a library's name: use letters, digits and _.")
    who = ", ".join(map(str, files)) or f"{name} (source text)"
    job = _Job(f"The operator library '{who}'", name, tuple(flags), tuple(ldflags))
    contents = [each if isinstance(each, str) else _read(each) for each in [*given, *vertices]]
    key = [
        *(name, contents, list(map(str, files)), list(flags), list(ldflags), len(vertices)),
        *(_library.version(), str(_library.ROOT), job.compiler.key()),
        os.getcwd() if texts or flags or ldflags else "",
    ]

    def make(folder: Path) -> list[str]:
        return job.make(folder, given, [each for each in vertices if isinstance(each, Path)])

    folder = cache.cached(name, key, make)
    said = (folder / _SAID).read_text(encoding="utf-8")
    return Built(folder / f"lib{name}.so", sorted(folder.glob("*.gp")), who, said)


def _sources(what: str, given: Source | Sequence[Source]) -> list[str | Path]:
    """The sources in `given`: texts as str, files as absolute paths."""
    items = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    found: list[str | Path] = []
    for item in items:
        if isinstance(item, str) and "\n" in item:
            found.append(item)
        else:
            file = Path(item).absolute()
            found.append(_source(file) if what == "sources" else file)
    return found


def _source(file: Path) -> Path:
    """`file`, if it has a suffix of C++ sources. Raises LibraryBuildError otherwise."""
    if file.suffix in SOURCES:
        return file
    about = {
        ".py": "This is Python, whose operators are registered when it is imported.",
        ".so": "This is a library, which load_op_library() loads.",
    }
    what = about.get(file.suffix, "")
    if re.search("[;{}]", file.name):
        what = "A str is taken for source text if there is a line break in it."
    raise LibraryBuildError(
        f"The source '{file}' cannot be compiled: names of C++ sources end in one of "
        f"{', '.join(SOURCES)}. {what}".rstrip()
    )


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode(errors="surrogateescape")
    except OSError as error:
        why = error.strerror or str(error)
        beside = [each.name for each in file.parent.iterdir()] if file.parent.is_dir() else []
        near = "" if file.exists() else did_you_mean(file.name, beside)
        raise LibraryBuildError(f"The source '{file}' cannot be read: {why}.{near}") from None


def _without_cuda(folder: Path, number: int, source: Path) -> tuple[Path, list[str]]:
    """The source, or for one of CUDA its translation in `folder`; and the flags for CUDA's headers,
    which stand behind those of the system for C++.
    """
    headers = str(_library.ROOT / "include" / "popir" / "cuda")
    if source.suffix != ".cu":
        return source, ["-idirafter", headers]
    text = _read(source)
    translated = folder / f"{source.stem}{number or ''}.cu.cpp"
    line = f'#line 1 "{source}"\n'
    content = f"{line}{cuda.as_cpp(text)}"
    translated.write_text(content, encoding="utf-8", errors="surrogateescape")
    barriers = [f"-D{cuda.BARRIERS}"] if cuda.needs_barriers(text) else []
    return translated, ["-I", headers, "-iquote", str(source.parent), *barriers]


class _Job:
    """The build of one library."""

    def __init__(
        self, who: str, name: str, flags: tuple[str, ...], ldflags: tuple[str, ...]
    ) -> None:
        self.who = who
        self.name = name
        self.flags = flags
        self.ldflags = ldflags
        self.compiler = Compiler.find()

    def make(self, folder: Path, sources: list[str | Path], codelets: list[Path]) -> list[str]:
        """Builds everything in `folder`, and returns the files that were read."""
        self._cflags = sdk("--cflags")
        self._hide = f"{folder}/"
        texts = sum(isinstance(source, str) for source in sources)
        units = [
            (i, self._written(folder, source, i if texts > 1 else 0))
            for i, source in enumerate(sources)
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda unit: self._compile(folder, *unit), units))
            said += pool.map(lambda codelet: self._codelets(folder, codelet), codelets)
        objects = [str(folder / f"{i}.o") for i, _ in units]
        library = str(folder / f"lib{self.name}.so")
        linked = [*objects, "-shared", *self.flags, *sdk("--libs"), *self.ldflags, "-o", library]
        said.append(self.compiler.run(self.who, linked, self._hide))
        (folder / _SAID).write_text("".join(said), encoding="utf-8")
        rules = [dependencies(rule) for rule in folder.glob("*.d")]
        read = [os.path.abspath(file) for files in rules for file in files]
        for left in [*folder.glob("*.o"), *folder.glob("*.d")]:
            left.unlink()
        return [file for file in read if not file.startswith(self._hide)]

    def _written(self, folder: Path, source: str | Path, number: int) -> Path:
        """The file of a source; source text is written to a file first."""
        if isinstance(source, Path):
            return source
        file = folder / f"{self.name}{number or ''}.cpp"
        file.write_text(source, encoding="utf-8")
        return file

    def _compile(self, folder: Path, number: int, source: Path) -> str:
        here = ["-iquote", os.getcwd()] if source.parent == folder else []
        rule, object_ = folder / f"{number}.d", folder / f"{number}.o"
        source, cuda = _without_cuda(folder, number, source)
        arguments = [*FLAGS, *self._cflags, *here, *cuda, *self.flags, "-MD", "-MF", str(rule)]
        arguments += ["-c", str(source), "-o", str(object_)]
        return self.compiler.run(self.who, arguments, self._hide)

    def _codelets(self, folder: Path, source: Path) -> str:
        who = f"The codelets '{source}'"
        popc = str(_library.ROOT / "bin" / "popc")
        said = run(who, [popc, "-o", str(folder / f"{source.stem}.gp"), str(source)], self._hide)
        # popc does not list the files it has read, so the compiler is run for that.
        rule = ["-M", "-MF", str(folder / f"{source.stem}.gp.d"), "-D__POPC__"]
        return said + self.compiler.run(who, [*rule, *FLAGS, *self._cflags, str(source)])
