"""Operators for Habana's accelerators on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

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


def test_what_an_operator_takes_is_listed(library: custom_ops.HpuLibrary, tmp_path: Path) -> None:
    """As REGISTER_OP says it: lists, types, and attributes that inputs give."""
    words = ("ops", "--op-library", library.path, "--json", "RatioOp", "SplitSignOp")
    ratio, split = json.loads(popir(*words, cwd=tmp_path)[0])["operators"]
    shown = [(x["name"], x["types"], x["variadic"]) for x in ratio["inputs"] + split["inputs"]]
    types = ["BFLOAT16", "FLOAT", "INT32"]
    assert shown == [
        ("dividend", types, False),
        ("divisor", types, False),
        ("xs", ["FLOAT"], True),
    ]
    assert [x["name"] for x in split["outputs"]] == ["low", "high"]
    attributes = [
        (a["name"], a["type"], a["required"], a["default"], a["values"])
        for a in ratio["attributes"]
    ]
    assert attributes[:3] == [
        ("T", "type", False, None, "float, bfloat16, int32"),
        ("example_attr", "int", False, 7, None),
        ("swapped", "bool", False, False, None),
    ]
    rest = ["gradient", "gradient_inputs", "gradient_outputs", "library", "time_limit_ms"]
    assert [name for name, *_ in attributes[3:]] == [*rest, "several_kernels"]
    said = popir("ops", "--custom", "--op-library", library.path, cwd=tmp_path)[0]
    assert " ? " not in said


def test_kernels_are_listed_and_a_path_without_a_library_is_said(
    kernels: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GC_KERNEL_PATH", f"{kernels}:/absent.so")
    said, warned = popir("ops", "--custom", cwd=tmp_path)
    (line,) = [line for line in said.splitlines() if "probe_affine_f32" in line]
    assert line.split() == ["probe_affine_f32", "TPC", "kernel", str(kernels)]
    assert "The kernel library '/absent.so' cannot be read: No such file or directory." in warned


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
