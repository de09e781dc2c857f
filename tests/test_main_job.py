"""The main example: from an operator's source to a trained model, in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


def run(*arguments: str) -> dict[str, Any]:
    """What models/run.py prints as its last line."""
    command = [sys.executable, str(ROOT / "models" / "run.py"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    lines = done.stdout.strip().splitlines()
    assert lines, done.stderr
    assert lines[-1].startswith("{"), done.stdout + done.stderr
    return {**json.loads(lines[-1]), "code": done.returncode, "lines": lines}


def test_the_whole_of_it() -> None:
    result = run()
    assert result["code"] == 0
    assert result["accuracy"] >= 0.97
    assert result["max_abs_diff_onnxruntime"] <= 1e-4
    assert result["cycles_per_step"] > 0
    assert result["max_tile_bytes"] > 0
    assert list(json.loads(result["lines"][-1])) == [
        "accuracy",
        "max_abs_diff_onnxruntime",
        "cycles_per_step",
        "max_tile_bytes",
        "seconds",
    ]


@pytest.fixture(scope="module")
def builtin(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("weights") / "builtin.npz"
    run("--activation", "builtin", "--epochs", "2", "--weights", str(file))
    return np.load(file)


@pytest.mark.parametrize("activation", ["cpp", "python"])
def test_the_same_weights_by_each_way_in(activation: str, builtin: Any, tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    run("--activation", activation, "--epochs", "2", "--weights", str(file))
    weights = np.load(file)
    assert set(weights) == set(builtin)
    for name in builtin:
        np.testing.assert_array_equal(weights[name], builtin[name], err_msg=name, strict=True)
