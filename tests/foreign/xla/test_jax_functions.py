"""The HLO text of two hundred functions and programs of JAX gives what jaxlib computes."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from popir import custom_ops
from tests.foreign.xla.models import leaves, run

if importlib.util.find_spec("jax") is None:
    pytest.skip(
        "jax is not installed, which is what popir is compared with", allow_module_level=True
    )

SOURCES = [Path(__file__).parent / f"{name}.py" for name in ("jax_functions", "jax_programs")]


def names() -> list[tuple[str, str]]:
    """The keys of FUNCTIONS, read from the sources: this process does not import jax."""
    found: list[tuple[str, str]] = []
    for source in SOURCES:
        for each in ast.parse(source.read_text()).body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.value, ast.Dict):
                keys = [ast.literal_eval(key) for key in each.value.keys if key is not None]
                found += [(source.stem, key) for key in keys]
    return found


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules, and the inputs and results of jaxlib."""
    made = tmp_path_factory.mktemp("jax")
    for source in SOURCES:
        (made / source.stem).mkdir()
        command = [sys.executable, str(source), str(made / source.stem)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize(("source", "name"), names())
def test_results(source: str, name: str, folder: Path) -> None:
    text = (folder / source / f"{name}.hlo").read_text()
    arrays = np.load(folder / source / f"{name}.npz")
    program = custom_ops.xla_program(text)
    values = [arrays[key] for key in arrays if key.startswith("in")]
    want = [arrays[key] for key in arrays if key.startswith("out")]
    inputs = dict(zip(leaves(program.inputs), values, strict=True))
    got = run(program.builder.getModelProto(), inputs, leaves(program.output))
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape
        # Large products that cancel leave the rounding of the large ones.
        most = float(np.abs(b).max(initial=0)) if b.dtype.kind == "f" else 0.0
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=max(2e-6, 2e-7 * most))
