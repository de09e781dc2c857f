"""Operators for Habana's accelerators on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from popir import custom_ops
from tests.cli.test_build_op import popir
from tests.foreign.habana.graphs import model
from tests.toolchain import ROOT

HERE = Path(__file__).parent


def test_libraries_and_sources(library: custom_ops.HpuLibrary, tmp_path: Path) -> None:
    for file in (library.path, HERE / "operators.cpp"):
        found = json.loads(
            popir("ops", "ai.habana.RatioOp", "--op-library", file, "--json", cwd=tmp_path)[0]
        )
        (operator,) = found["operators"]
        assert operator["from"].endswith(".so")
        assert operator["gradient"]


def test_a_model_is_run_costed_and_explained(
    library: custom_ops.HpuLibrary, kernels: Path, tmp_path: Path
) -> None:
    """The library of the operator is loaded by an option; the kernel is found by GC_KERNEL_PATH."""
    x = np.ones((4, 70), np.float32)
    tpc = custom_ops.tpc_kernel
    proto, _ = model(
        lambda b, x: tpc("probe_affine_f32", [library.ramp6_op(x)], parameters=[1.0]), x
    )
    file = tmp_path / "model.onnx"
    file.write_bytes(proto)
    for words in (["run"], ["info"], ["plan"], ["profile", "--tiles", "8"]):
        command = [sys.executable, "-m", "popir", words[0], str(file), *words[1:]]
        command += ["--op-library", library.path]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
