"""Every public header compiles alone and twice, in the C++ that real build lines ask for.

A header alone in a file proves that; hundreds of such files would compile the same few headers for
minutes. What a header includes anyway may stand before it: its own text sees no more of other files
than alone. So do headers that include the same files share one, in this order and in the opposite,
since one of them might lean on another.
"""

import functools
import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.toolchain import CACHED_CXX, ROOT, attempt

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


def standard(name: str) -> str:
    return (NEWER | OLDER).get(name) or STANDARDS.get(name.partition("/")[0], "c++11")


HEADERS: dict[str, list[str]] = defaultdict(list)
"""Public headers in folders, by their standard."""
for _path in sorted(INCLUDE.glob("*/**/*.h*")):
    _name = _path.relative_to(INCLUDE).as_posix()
    HEADERS[standard(_name)].append(_name)


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


def files(names: Collection[str], include: Path) -> Iterator[list[str]]:
    """The headers of each file to compile: each is in one, or in two that differ in order."""
    alike: dict[frozenset[str], list[str]] = defaultdict(list)
    for name in names:
        alike[included(name, include)].append(name)
    left = sorted(alike, key=len, reverse=True)
    while left:
        chain = [alike[left.pop(0)]]
        while inner := next((i for i in left if included_by(chain[0], alike[i], include)), None):
            left.remove(inner)
            chain.insert(0, alike[inner])
        yield [name for group in chain for name in group]
        if any(len(group) > 1 for group in chain):
            yield [name for group in chain for name in reversed(group)]


def included_by(outer: list[str], inner: list[str], include: Path) -> bool:
    return included(outer[0], include).issuperset(inner)


def faults(
    number: int, names: list[str], standard: str, folder: Path, include: Path = INCLUDE
) -> str:
    """What the compiler says of a file that only includes the headers; nothing if all is well."""
    source = folder / (f"{number} {names[-1]}".replace("/", "_") + ".cpp")
    source.write_text("".join(f"#include <{name}>\n" for name in names) * 2)
    options = [f"-std={standard}", *STRICT, f"-I{include}", "-DONNX_NAMESPACE=onnx"]
    # Relative names, so that a compiler cache recognises the file wherever pytest puts it.
    command = [*CACHED_CXX, "-c", *options, source.name, "-o", source.name + ".o"]
    env = {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
    result = attempt(*command, cwd=folder, env=env)
    return "" if result.returncode == 0 else f"{', '.join(names)}:\n{result.stderr}"


def all_faults(names: list[str], standard: str, folder: Path, include: Path = INCLUDE) -> str:
    """What `faults` says of all files that the headers need."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        numbered = enumerate(files(names, include))
        said = pool.map(lambda f: faults(*f, standard, folder, include), numbered)
        return "\n".join(filter(None, said))


@pytest.mark.parametrize("standard", HEADERS)
def test_public_headers_compile_alone(standard: str, tmp_path: Path) -> None:
    assert not (found := all_faults(HEADERS[standard], standard, tmp_path)), found


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
    assert "faulty.hpp:\n" in all_faults(["faulty.hpp"], "c++11", tmp_path, tmp_path)


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
