"""Small parts of PopART's interface in C++: tests/cpp_sessions/tools.cpp."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cpp_sessions.conftest import PYTHON
from tests.toolchain import run


@pytest.fixture(scope="module")
def lines(compiled: Callable[[str], Path]) -> list[str]:
    program = compiled("tools")
    return run(program, cwd=program.parent, env=PYTHON).splitlines()


def test_casts(lines: list[str]) -> None:
    assert lines[:4] == ["1 -1 0", "1357 -2", "-2147483648 2147483647", "1.5"]
    assert (
        lines[4] == "[cast] Cast int64 -> int32 failed: bad numeric conversion: positive overflow"
    )
    assert lines[5].endswith(
        "Cast float32 -> uint8 failed: bad numeric conversion: negative overflow"
    )
    assert lines[6].endswith("bad numeric conversion: not a number")
    assert lines[7].startswith("[cast] Unsupported cast data types int64 -> ")
    assert lines[8].endswith("of 7 bytes: each number has 8")


def test_messages(lines: list[str]) -> None:
    assert lines[9] == "{a}}"
    assert lines[10] == "'{} and {}' has 2 places for 1 arguments"
    assert lines[11] == "1 and {} 1"


def test_indices_and_attributes(lines: list[str]) -> None:
    assert lines[12].split() == ["a", "1", "b", "0"]
    assert lines[13] == "epsilon=0.5; momentum=0.25; spatial=1; unbiased_variance=true; "
    assert lines[14] == ("some given; whole=3; none=; ids={x: 1, y: 2}; forwardOp=ai.onnx.Add:7; ")
