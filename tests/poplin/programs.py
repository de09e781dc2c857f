"""Graphs of a few tensors, built, run and read back."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from popir import poplar
from popir.poplar import program
from tests.plans import instructions


def run(
    inputs: dict[str, np.ndarray],
    build: Callable[..., list[poplar.Tensor]],
    threads: int = 2,
    runs: int = 1,
    plans: list[str] | None = None,
    fuse: bool = True,
) -> list[np.ndarray]:
    """What `build(graph, prog, **tensors)` returns, with the inputs in variables of their names.

    The engine's plan is added to `plans`.
    """
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    linear = poplar.VariableMappingMethod.LINEAR
    tensors = {}
    for name, values in inputs.items():
        shape = list(values.shape)
        tensors[name] = graph.addVariable(poplar.typeOf(values.dtype), shape, linear, name)
        graph.createHostWrite(name, tensors[name])
    prog = program.Sequence()
    outputs = build(graph, prog, **tensors)
    for i, t in enumerate(outputs):
        graph.createHostRead(f"out{i}", t)
    options = {"host.numThreads": str(threads), "host.fuse": str(fuse).lower()}
    engine = poplar.Engine(graph, [prog], options)
    if plans is not None:
        plans.append(instructions(engine))
    for name, values in inputs.items():
        engine.writeTensor(name, np.ascontiguousarray(values))
    for _ in range(runs):
        engine.run(0)
    results = [np.empty(t.shape(), t.elementType().dtype) for t in outputs]
    for i, result in enumerate(results):
        engine.readTensor(f"out{i}", result)
    return results


def multiplies_bytes() -> bool:
    """Whether kernels multiply bytes by VNNI here."""
    found = "avx512_vnni" in Path("/proc/cpuinfo").read_text().split()
    return found and not os.environ.get("POPIR_ISA")


def run_again(isa: str, *words: str | Path) -> None:
    """Runs tests, the arguments `words` of pytest, once more in a process that is held to an
    instruction set; skips the test that calls it in such a process.
    """
    if os.environ.get("POPIR_ISA"):
        pytest.skip("this process is held to less already")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    done = subprocess.run(
        command, env={**os.environ, "POPIR_ISA": isa}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
