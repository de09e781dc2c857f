"""What programs in C++ do with builders, sessions, optimizers and devices."""

from pathlib import Path

import onnx
import onnx.numpy_helper
import pytest

import popir
from tests.cpp_sessions.conftest import Program

PRINTED = {
    "callbacks": """\
x read
x read
sum/Add:0 written
sum/Add:0 written
11 22 31 42
""",
    "interface": "in 2\ninComplete 2\nout 2\n2 3\n",
    "former": "in 20\ninComplete 2\n2 3\nin 71\ninComplete 8\nin 5\ninComplete 6\n"
    + 3 * "IStepIO: in() was called of a class that does not override it\n"
    + 2 * "IStepIO: inComplete() was called of a class that does not override it\n",
    "threads": "1 2 2 12 3 22 4 32\n",
    "attributes": """\
1 2
words 1.5 1 1
__ipu_number
31
00
2 2
scope/y/Relu:0 float32 FLOAT 0
""",
    "loop": "8 16\n",
    "devices": """\
2 4 ipu2 8 IpuModel
1 1
You have attempted to acquire 3 IPUs. The number of IPUs requested must be a power of two.
""",
    "information": "FLOAT [2] 10\n",
    "outlives": "kept\n",
    "models": """\
Add x w 9
1 2
The bytes are no serialised ONNX model, or are cut off
There is no file 'missing.onnx'
There is no folder 'missing'
11
""",
    "halves": "3 4096\n",
    "schedule": """\
Abs
ExpInplace
The main graph has no order of its operators that keeps what is to be before 1 of them""",
}
"""By program, what it prints, or how that begins."""


@pytest.mark.parametrize("name", PRINTED)
def test_programs_print_what_they_should(program: Program, name: str) -> None:
    printed = program("features", name)
    assert printed[: len(PRINTED[name])] == PRINTED[name]


def test_what_a_callback_throws_arrives_unchanged(program: Program) -> None:
    custom, values, own = program("features", "thrown").splitlines()
    assert custom == "custom 42"
    assert values == "2 3"
    assert own.startswith("InferenceSession.weightsToHost() was called by a callback of a step")


def test_weights_go_to_and_from_a_session(program: Program, tmp_path: Path) -> None:
    assert program("features", "weights") == "5 6\n5 6\n1 2\n"
    (weight,) = onnx.load(str(tmp_path / "saved.onnx")).graph.initializer
    assert onnx.numpy_helper.to_array(weight).tolist() == [5, 6]


def test_optimizers_update_as_those_of_python(program: Program) -> None:
    adam = popir.Adam({"defaultLearningRate": (0.25, False)})
    printed = program("features", "optimizers").splitlines()
    assert printed[0] == "0 0"  # 4 - 0.5 * 2 * 4
    assert printed[1] == "0 0"
    assert "an optimizer was expected; given was a null pointer" in printed[2]
    # The gradient {8, -8} is clipped to the norm 1; 4 - 0.5 / sqrt(2).
    assert printed[3] == "3.64645 -3.64645"
    assert adam.learningRates().getDefault().val == 0.25
    assert printed[4] == "3.75 -3.75"
    assert printed[5] == "1.5 -1.5"  # 4 - 0.25 / sqrt(1 - 0.99)
    assert printed[6] == "3 -3"  # 4 - 0.125 * 8


def test_options_act_or_are_refused(program: Program, tmp_path: Path) -> None:
    heard, refused, unknown, grouped, sharded = program("features", "options").splitlines()
    assert heard == "100100"
    assert list((tmp_path / "cache").iterdir())
    assert refused.startswith("SessionOptions.decomposeGradSum = True: ")
    assert unknown.startswith("SessionOptions has no option 'enableSerializedMatmuls'.")
    assert grouped.startswith("SessionOptions has no option 'enableGroupedMatmuls'.")
    assert sharded.startswith("The shardingDomain CommGroup(Consecutive, 3) of 'w")


FAULTS = [
    "Unknown tensor 'no such', input 0 of Relu.",
    "Invalid opset 'aiOnnxOpset10' selected.",
    "The attribute 'a' is a C++ value of the type ",
    "popart::Builder::getModelProto: popir writes no model as text",
    "The memory of a tensor FLOAT [2] is a null pointer",
    "The model missing.onnx cannot be read: No such file",
    "The model is no ONNX model, or is cut off: its 10 bytes",
    "A session needs a device, and was given a null pointer",
    "Invalid anchor return type ID supplied: Some",
    "An optimizer was given the values learningRate; it has lossScaling, ",
    "The input 'x' has shape [2], which is 2 elements; given was an array of shape [3] with 3.",
    "my step: The step's anchor 'sum/Add:0', FLOAT[2], was not given",
    "The model has no weight 'no weight'.",
    "The weight 'w' is FLOAT[2]; given was an array FLOAT[1].",
    "The graph 'BuilderGraph' has no tensor 'no such'.",
    "loadExecutable: missing.popir cannot be read",
    "Unknown tensor 'x', input 0 of Relu.",
]


def test_faults_are_errors_that_say_what_was_wrong(program: Program) -> None:
    printed = program("features", "faults").splitlines()
    assert len(printed) == len(FAULTS)
    for line, expected in zip(printed, FAULTS, strict=True):
        assert line.startswith(expected)
