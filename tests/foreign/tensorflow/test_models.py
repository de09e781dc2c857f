"""The examples of models/tensorflow_ipu, and the command line, for libraries for TensorFlow."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.foreign.tensorflow.conftest import UserLibrary
from tests.toolchain import ROOT, run


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An empty cache, and this tree's popir."""
    paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    return {"POPIR_CACHE": str(tmp_path / "cache"), "PYTHONPATH": ":".join(paths)}


def test_the_examples(tmp_path: Path, environment: dict[str, str]) -> None:
    script = ROOT / "models" / "tensorflow_ipu" / "run.py"
    said = run(sys.executable, "-W", "error", script, cwd=tmp_path, env=environment)
    found = json.loads(said.splitlines()[-1])
    assert found["accumulate"] == [[1, 2, 3, -4], [2, 4, 6, -8]]
    assert found["matmul_in_parts"] is True
    assert found["turn"]["losses"][0] == 8 and found["turn"]["losses"][1] < 1e-6
    assert (found["turn"]["x"], found["turn"]["y"]) == ([3.0], [-2.0])
    assert found["quantize"] == [-1.0, -0.25, 0.0, 0.5, 1.0]
    assert found["expression"] == [-1.2642, 0.0, 1.0]


def test_the_command_line(
    tmp_path: Path, environment: dict[str, str], user_library: UserLibrary
) -> None:
    folder = ROOT / "models" / "tensorflow_ipu"
    popir = (sys.executable, "-m", "popir")
    said = run(
        *popir, "build-op", folder / "user_ops.cpp", cwd=tmp_path, env=environment
    ).splitlines()
    assert said[0] == "wrote libuser_ops.so"
    names = "Accumulate, MatMulInParts, Quantize, Quantize_grad, Turn, Turn_grad"
    assert f"functions: {names}" in said
    library = user_library("features")
    listed = run(*popir, "ops", "--op-library", library, "--json", cwd=tmp_path, env=environment)
    found = json.loads(listed)
    grad = {"function": "Build_grad", "kind": "TensorFlow for the IPU"}
    assert grad | {"from": os.path.realpath(library)} in found["functions"]
    types = {each["name"] for each in found["operators"] if "tensorflow" in each["domain"]}
    assert types == {"CodeletExpressionOp", "IpuUserOp", "IpuUserReadWriteOp"}
