"""Operators beside a graph, in C++: shapes, parameters of convolutions, steps of optimizers."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.helper
import onnx.shape_inference
import pytest

from tests.cpp_sessions.conftest import PYTHON
from tests.toolchain import run

DATA, WEIGHTS = [1, 4, 7, 8], [6, 2, 3, 3]


@pytest.fixture(scope="module")
def lines(compiled: Callable[[str], Path]) -> list[str]:
    program = compiled("parameters")
    return run(program, cwd=program.parent, env=PYTHON).splitlines()


def lists(line: str) -> list[list[int]]:
    """The numbers in each pair of brackets."""
    return [[int(n) for n in found.split()] for found in re.findall(r"\[([^\]]*)\]", line)]


def inferred(op: str, inputs: Sequence[list[int]], **attributes: Any) -> list[int]:
    """The shape of an operator's result, by ONNX's own inference."""
    names = [f"x{i}" for i in range(len(inputs))]
    tensor = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(op, names, ["y"], **attributes)],
        "graph",
        [tensor(n, onnx.TensorProto.FLOAT, s) for n, s in zip(names, inputs, strict=True)],
        [tensor("y", onnx.TensorProto.FLOAT, None)],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 11)])
    found = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.output[0]
    return [d.dim_value for d in found.type.tensor_type.shape.dim]


KINDS = {
    0: {"pads": [1, 0, 0, 2]},
    1: {"auto_pad": "SAME_UPPER"},
    2: {"auto_pad": "SAME_LOWER"},
    3: {"auto_pad": "VALID"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_convolutions_have_onnx_shapes(lines: list[str], kind: int) -> None:
    shape, lower, upper = lists(lines[3 * kind])
    expected = inferred(
        "Conv", [DATA, WEIGHTS], strides=[2, 1], dilations=[1, 2], group=2, **KINDS[kind]
    )
    assert shape == expected
    spatial = np.array(DATA[2:]) + lower + upper - np.array([1, 2]) * 2 - 1
    assert list(spatial // [2, 1] + 1) == shape[2:]  # with these pads, as a formula has it
    assert lines[3 * kind + 2] == "2 float 1"


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_of_data_are_convolutions_of_its_size(lines: list[str], kind: int) -> None:
    size, kernel, *transforms = lists(lines[3 * kind + 1])
    assert size == lists(lines[3 * kind])[0][2:]

    def after(n: int, d: int, of: list[list[int]]) -> int:
        low, high, dilation, before, behind = (part[d] for part in of)
        n -= low + high
        return (n - 1) * dilation + 1 + before + behind

    for d in range(2):
        field = after(size[d], d, transforms[:5]) - after(kernel[d], d, transforms[5:10]) + 1
        low, high, stride, before, behind = (part[d] for part in transforms[10:])
        field = -(-(field - low - high) // stride) + before + behind
        assert field == DATA[2 + d]


def test_windows(lines: list[str]) -> None:
    pooled = inferred(
        "MaxPool",
        [[5, 3, 8, 9]],
        kernel_shape=[3, 2],
        strides=[2, 3],
        pads=[1, 0, 1, 2],
        ceil_mode=1,
    )
    assert lists(lines[12]) == [[5, 6, *pooled[2:]], [1, 0]]
    assert lines[12].endswith(" 000")  # neither producer nor reader, and no value


def test_products_and_pads(lines: list[str]) -> None:
    assert lists(lines[13]) == [inferred("MatMul", [[5, 1, 3, 4], [2, 4, 6]])]
    assert lines[14] == "[2] FLOAT16 10"
    assert "Invalid operand type: FLOAT16 beside FLOAT8_143" in lines[15]
    # 3 x 5 with 1 row in front and 3 columns behind, without the first 2: column 0 shows column 2.
    assert lines[16] == "[4 6] [1, 0] to [4, 3] [0, 2] to [1, 5] [1 -2 0 3]"


def test_steps_of_optimizers(lines: list[str]) -> None:
    assert lines[17:20] == [
        "2 5 ai.graphcore.SGD1Combo:1 4",
        "2 5 6 9 ai.graphcore.SGD1Combo:1 8",
        "2 7 ai.graphcore.AdamCombo:1 8",
    ]
    for line, why in zip(lines[20:23], ("AccumReduce", "AcclReduce", "UINT32"), strict=True):
        assert why in line
        assert "Combo" in line
    assert lines[23] == "ai.graphcore.SGD1AcclUpdate:1 ai.graphcore.SGD1VarUpdate:1 1"
