"""Every public header compiles alone and twice, in the C++ that real build lines ask for."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.toolchain import CACHED_CXX, ROOT, attempt

INCLUDE = ROOT / "cpp" / "include"
FOLDERS = sorted(path.name for path in INCLUDE.iterdir() if any(path.rglob("*.h*")))
STANDARDS = {
    "popart": "c++14",
    **dict.fromkeys(("habana", "popir", "tensorflow", "tf", "xla"), "c++17"),
}
"""Of the headers of other interfaces than PopART's and Poplar's, what those ask for today."""
NEWER = {"poputil/OptionParsing.hpp": "c++17"}
"""Headers whose interface has types of a later standard, such as std::optional."""
STRICT = ["-Wall", "-Wextra", "-Werror"]


def faults(name: str, standard: str, folder: Path, include: Path = INCLUDE) -> str:
    """What the compiler says of a file that only includes the header; nothing if all is well."""
    source = folder / (name.replace("/", "_") + ".cpp")
    source.write_text(f"#include <{name}>\n" * 2)
    options = [f"-std={standard}", *STRICT, f"-I{include}", "-DONNX_NAMESPACE=onnx"]
    # Relative names, so that a compiler cache recognises the file wherever pytest puts it.
    command = [*CACHED_CXX, "-c", *options, source.name, "-o", source.name + ".o"]
    env = {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
    result = attempt(*command, cwd=folder, env=env)
    return "" if result.returncode == 0 else f"{name}:\n{result.stderr}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_public_headers_compile_alone(folder: str, tmp_path: Path) -> None:
    standard = STANDARDS.get(folder, "c++11")
    headers = sorted(p.relative_to(INCLUDE).as_posix() for p in (INCLUDE / folder).rglob("*.h*"))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda h: faults(h, NEWER.get(h, standard), tmp_path), headers))
    assert not any(found), "\n".join(filter(None, found))


@pytest.mark.parametrize(
    "text",
    [
        "std::string f();",
        "#include <string>\nstruct Twice {};",
        "#include <optional>\n#pragma once",
    ],
    ids=["leans on others", "has no guard", "is too new"],
)
def test_a_faulty_header_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "faulty.hpp").write_text(text + "\nstd::optional<int> f();" * ("optional" in text))
    assert "faulty.hpp:\n" in faults("faulty.hpp", "c++11", tmp_path, include=tmp_path)
