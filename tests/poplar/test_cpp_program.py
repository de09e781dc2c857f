"""A Poplar program in C++, compiled with the installed headers and run by itself."""

from pathlib import Path

from tests.toolchain import CACHED_CXX, attempt, popir_config, run


def test_an_ordinary_poplar_program_compiles_as_cpp11_and_runs(tmp_path: Path):
    source, binary = Path(__file__).with_name("program.cpp"), tmp_path / "program"
    flags = popir_config("--cflags"), popir_config("--libs")
    run(
        *CACHED_CXX, "-std=c++11", "-Wall", *flags[0], source, *flags[1], "-o", binary, cwd=tmp_path
    )
    result = attempt(binary, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("|")[0].split() == (
        [
            "0",
            "1",
            "2",
            "3",
            "2.5",
            "2",
            "1.5",
            "1",
            "4",
            "5",
            "6",
            "7",
            "2.5",
            "2",
            "1.5",
            "1",
            "4",
            "5",
            "6",
            "7",
        ]
    )
    assert "tile 5000 given, the target has 1472" in result.stdout
    assert "a: {4,5,6,7}" in result.stderr
