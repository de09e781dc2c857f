"""`tests.alone` finds the file that leans on what another one includes."""

import json
from pathlib import Path

import pytest

from tests import alone
from tests.toolchain import CXX


@pytest.mark.parametrize("header", ["own.hpp", "vector"])
@pytest.mark.parametrize("is_included", [True, False])
def test_what_a_file_includes(
    header: str, is_included: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    include = f'#include "{header}"\n' if header == "own.hpp" else f"#include <{header}>\n"
    (tmp_path / "own.hpp").write_text("#pragma once\n#include <vector>\nstd::vector<int> own();\n")
    use = "auto made = own();\n" if header == "own.hpp" else "std::vector<int> made;\n"
    (tmp_path / "a.cpp").write_text(f"{include}static {use}")
    (tmp_path / "b.cpp").write_text((include if is_included else "") + f"namespace b {{ {use} }}")
    (tmp_path / "Unity").mkdir()
    both = tmp_path / "Unity" / "unity_0.cxx"
    both.write_text("".join(f'#include "{tmp_path}/{name}.cpp"\n' for name in "ab"))
    command = f"{CXX} -std=c++17 -O1 -o both.o -c {both}"
    entry = {"file": str(both), "command": command, "directory": str(tmp_path)}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    monkeypatch.setattr(alone, "_worth_it", lambda files: [tmp_path / "own.hpp"])
    said = alone.failures(tmp_path)
    assert len(said) == (not is_included)
    assert all(f"{tmp_path}/b.cpp" in each and "error" in each for each in said)
