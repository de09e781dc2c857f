"""What the environment says about the host: OMP_NUM_THREADS and POPIR_ISA."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.toolchain import CACHED_CXX, ROOT, run

ENGINE = """
from popir import poplar
from popir.poplar import program
graph = poplar.Graph(poplar.Target.createCPUTarget())
print(poplar.Engine(graph, [program.Sequence()]).numThreads())
"""


def engine(**variables: str) -> subprocess.CompletedProcess[str]:
    """Makes an engine in a process of its own, which prints its threads."""
    return subprocess.run(
        [sys.executable, "-c", ENGINE],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("text", "threads"),
    [("3", 3), ("3,2", 3), (" 3 , 2\t", 3), ("1024", 1024), ("", len(os.sched_getaffinity(0)))],
)
def test_threads(text: str, threads: int) -> None:
    assert engine(OMP_NUM_THREADS=text).stdout == f"{threads}\n"


@pytest.mark.parametrize(
    "text", ["abc", "0", "-2", "1025", "4 threads", "3,", "3,abc", " ", "99999999999999999999"]
)
def test_no_number_of_threads(text: str) -> None:
    done = engine(OMP_NUM_THREADS=text)
    assert done.stdout == ""
    assert (
        f"invalid_option: OMP_NUM_THREADS is '{text}'; set it to a number from 1 to 1024, or "
        "leave it unset"
    ) in done.stderr


def test_an_instruction_set_that_the_machine_has_is_used_silently() -> None:
    done = engine(POPIR_ISA="base")
    assert done.returncode == 0 and done.stderr == ""


def test_an_instruction_set_that_the_machine_does_not_have(tmp_path: Path) -> None:
    """A machine whose processor has nothing, by a macro in place of the compiler's question."""
    main = tmp_path / "main.cpp"
    main.write_text(
        """
#include <iostream>
#include "kernels/vector/isa.hpp"
int main() { std::cout << popir::isMissing() << " " << popir::name(popir::isa()) << "\\n"; }
"""
    )
    program = tmp_path / "main"
    source = ROOT / "cpp/kernels/vector/isa.cpp"
    nothing = "-D__builtin_cpu_supports(feature)=false"
    compiler = [*CACHED_CXX, "-std=c++17", nothing, f"-I{ROOT / 'cpp'}"]
    run(*compiler, main, source, "-o", program, cwd=tmp_path)
    for wanted, expected in {"avx512": "1 base", "avx2": "1 base", "base": "0 base"}.items():
        assert run(program, cwd=tmp_path, env={"POPIR_ISA": wanted}) == f"{expected}\n"
