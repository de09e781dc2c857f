"""Every public header compiles alone and twice, in the C++ that real build lines ask for.

A header alone in a file proves that; hundreds of such files would compile the same few headers for
minutes. So a file has many headers, each of which may see what stands before it and lean on that.
To find it, each header stands in several files: whatever it does not include, itself or by others,
a header or one of the C++ library's files or the declaration of a type, is not before it in one of
them. A second order finds most of that already, and some ten orders all.

The first file has all headers, and is compiled to its end. The compiler stops at the end of the
text of each other file: it would instantiate the functions of templates next, which is two fifths
of its work, where all that the file has is known already.
"""

import functools
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.toolchain import CACHED_CXX, CXX, ROOT, attempt

INCLUDE = ROOT / "cpp" / "include"
STANDARDS = {
    "popart": "c++14",
    **dict.fromkeys(("habana", "popir", "tensorflow", "tf", "xla"), "c++17"),
}
"""Of the headers of other interfaces than PopART's and Poplar's, what those ask for today."""
NEWER = {"poputil/OptionParsing.hpp": "c++17"}
"""Headers whose interface has types of a later standard, such as std::optional."""
OLDER = dict.fromkeys(
    map("popart/{}.hpp".format, ("builder", "op", "opmanager", "popx/opx", "session", "util")),
    "c++11",
)
"""What a public program includes that is built as C++11 (docs/compatibility.md)."""
STRICT = ["-Wall", "-Wextra", "-Werror"]
NAMED = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
DECLARED = re.compile(r"\b(?:class|struct|union|enum|using|namespace)\s+(\w+)")
"""Names that several headers may declare, each for itself."""


def standard(name: str) -> str:
    return (NEWER | OLDER).get(name) or STANDARDS.get(name.partition("/")[0], "c++11")


APART = ("habana/", "popir/cuda/")
"""Folders of headers with a `half` of their own, which stand in files of their own."""


def group(name: str) -> str:
    """The standard of a header, and the folder if it is one of `APART`."""
    return " ".join([standard(name), *filter(name.startswith, APART)])


HEADERS: dict[str, list[str]] = defaultdict(list)
"""Public headers in folders, by their standard, and those of one group."""
for _path in sorted(INCLUDE.glob("*/**/*.h*")):
    _name = _path.relative_to(INCLUDE).as_posix()
    HEADERS[group(_name)].append(_name)


@functools.cache
def named(name: str, include: Path) -> frozenset[str]:
    """What the text of a header includes."""
    if not (path := include / name).is_file():
        return frozenset()
    found: set[str] = set()
    for quote, other in NAMED.findall(path.read_text()):
        if quote == '"':
            other = os.path.relpath(path.parent / other, include)
        found.add(other)
    return frozenset(found)


@functools.cache
def included(name: str, include: Path) -> frozenset[str]:
    """All that a header includes, itself or by others: public headers and the C++ library's."""
    found: set[str] = set()
    left = [name]
    while left:
        fresh = named(left.pop(), include) - found
        found |= fresh
        left += fresh
    return frozenset(found - {name})


@functools.cache
def of_library(name: str, standard: str) -> frozenset[str]:
    """The files that a header of the C++ library or the system's is and includes."""
    line = f"#include <{name}>\n"
    words = [CXX, "-M", f"-std={standard}", "-x", "c++", "-"]
    said = subprocess.run(words, input=line, capture_output=True, text=True).stdout
    return frozenset(said.replace("\\\n", " ").split()[1:]) or frozenset({name})


def brings(name: str, standard: str, include: Path) -> frozenset[str]:
    """What stands before the text that follows a header: files, and types that are declared."""
    found: set[str] = set()
    for each in included(name, include) | {name}:
        if (path := include / each).is_file():
            found |= {each, *(f"type {t}" for t in DECLARED.findall(path.read_text()))}
        else:
            found |= of_library(each, standard)
    return frozenset(found)


def files(names: Sequence[str], standard: str, include: Path) -> Iterator[list[str]]:
    """The headers of each file to compile: whatever a header does not bring itself is not before it
    in one of these files.

    Each file takes next the header that hides least from those that shall yet be seen without it.
    """
    brought = [brings(name, standard, include) for name in names]
    each = sorted(frozenset().union(*brought))
    columns = {tuple(what in those for those in brought) for what in each}  # alike ones once
    has = np.array(sorted(columns), np.float32).T.copy()
    unseen = has == 0  # by header: what has been before it in each file so far
    fresh = True
    while fresh or unseen.any():
        before = np.zeros(len(columns), bool)
        left = np.ones(len(names), bool)
        file: list[str] = []
        while True:
            gains = unseen & ~before & left[:, None]
            some = gains.any(axis=1) | (left & fresh)
            if not some.any():
                break
            hidden = has @ gains.sum(axis=0, dtype=np.float32)
            cost = np.where(some, hidden - gains.sum(axis=1), np.inf)
            at = int(cost.argmin())
            file.append(names[at])
            unseen[at] &= before
            before |= has[at] > 0
            left[at] = False
        fresh = False
        yield file


END = "the text ends here"
"""What the compiler is told to stop with."""


def faults(
    number: int, names: list[str], standard: str, folder: Path, include: Path = INCLUDE
) -> str:
    """What the compiler says of a file that only includes the headers; nothing if all is well."""
    source = folder / f"{number}.cpp"
    text = "".join(f"#include <{name}>\n" for name in names) * 2
    options = [f"-std={standard}", *STRICT, f"-I{include}", "-DONNX_NAMESPACE=onnx"]
    if number:
        source.write_text(f'{text}static_assert(false, "{END}");\n')
        said = attempt(CXX, "-fsyntax-only", "-Wfatal-errors", *options, source, cwd=folder).stderr
        return "" if END in said else said or "The compiler did not stop at the end."
    source.write_text(text)
    # Relative names, so that a compiler cache recognises the file wherever pytest puts it.
    command = [*CACHED_CXX, "-c", *options, source.name, "-o", source.name + ".o"]
    env = {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
    result = attempt(*command, cwd=folder, env=env)
    return "" if result.returncode == 0 else result.stderr


def all_faults(names: list[str], standard: str, folder: Path, include: Path = INCLUDE) -> str:
    """What `faults` says of all files that the headers need."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        numbered = enumerate(files(names, standard, include))
        said = pool.map(lambda f: faults(*f, standard, folder, include), numbered)
        return "\n".join(filter(None, said))


@pytest.mark.parametrize("group", HEADERS)
def test_public_headers_compile_alone(group: str, tmp_path: Path) -> None:
    assert not (found := all_faults(HEADERS[group], group.split()[0], tmp_path)), found


@pytest.mark.parametrize(
    "text",
    [
        "std::string f();",
        "#include <string>\nstruct Twice {};",
        "#include <optional>\n#pragma once\nstd::optional<int> f();",
    ],
    ids=["leans on others", "has no guard", "is too new"],
)
def test_a_faulty_header_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "faulty.hpp").write_text(text)
    assert "faulty.hpp" in all_faults(["faulty.hpp"], "c++11", tmp_path, tmp_path)


@pytest.mark.parametrize("first", [0, 1])
def test_a_header_that_leans_on_another_is_found(first: int, tmp_path: Path) -> None:
    """On one with the same includes, on what another includes, and on what its own includes do."""
    texts = {
        "base.hpp": "#include <string>",
        "same.hpp": '#include "base.hpp"\nstruct Same {};',
        "more.hpp": '#include "base.hpp"\n#include <vector>\nstruct More { std::string name; };',
        "leaf.hpp": '#include "more.hpp"\nstruct Leaf { std::vector<More> all; };',
    }
    faulty = {
        "Same": '#include "base.hpp"\nSame f();',
        "vector": '#include "base.hpp"\nstd::vector<int> f();',
        "map": '#include "base.hpp"\n#include "more.hpp"\nstd::map<int, More> f();',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(f"#pragma once\n{text}\n")
    assert not all_faults([*texts], "c++11", tmp_path, tmp_path)
    for missing, text in faulty.items():
        name = ["a.hpp", "z.hpp"][first]
        (tmp_path / name).write_text(f"#pragma once\n{text}\n")
        assert missing in all_faults(sorted([*texts, name]), "c++11", tmp_path, tmp_path)
