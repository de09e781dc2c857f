"""Smaller classes of PopART's headers."""

from pathlib import Path

import pytest

from tests.cpp_sessions.conftest import HERE, Program
from tests.toolchain import CACHED_CXX, popir_config, run

PRINTED = """\
undefined fromOpTask_7_ai.onnx.Add:7 fromOpTask_7_ai.onnx.Add:7_1 initTensorTask_w 10 w \
initTensorTask
41001
2b 3z[]
any
010 pop INT8 [3]
no 1 [0] 1
0 10 1 1
Ir::getDefaultOpsetVersion: 'com.acme' is no domain of PopART's; there are ai.onnx, ai.onnx.ml and \
ai.graphcore
1
Boundary01 Boundary
ai.onnx... stands for another operator and has no shapes: put that in its place
0 2
1 0 0 4 5 0
The array for the input 'x' has 4 elements; expected are 6: 2 for each of 3 batches and \
1 replicas
There is an array for the input 'z', and the graph has no such tensor
The inputs of a step have no array for 'z'
"""


def test_pieces(program: Program, tmp_path: Path) -> None:
    printed = program("pieces")
    lines, expected = printed.splitlines(), PRINTED.splitlines()
    for line, words in zip(lines, expected, strict=True):
        if "stands for another" in words:
            assert "Later" in line and line.endswith("put that in its place")
        else:
            assert line.rstrip() == words
    (picture,) = tmp_path.glob("*.dot")  # of the stage that the options name
    assert "here" in picture.name.lower() and "Relu" in picture.read_text()


@pytest.mark.parametrize("standard", ["11", "17"])
def test_any_value_in_each_standard(tmp_path: Path, standard: str) -> None:
    words = [*CACHED_CXX, f"-std=c++{standard}", "-Wall", "-Werror", *popir_config("--cflags")]
    run(*words, HERE / "any.cpp", "-o", tmp_path / "any", cwd=tmp_path)
    assert run(tmp_path / "any", cwd=tmp_path) == "anythingany017 bad13\n"
