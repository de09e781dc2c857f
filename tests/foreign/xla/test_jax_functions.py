"""The HLO text of a hundred functions of JAX gives what jaxlib computes."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import popir
from popir import custom_ops
from tests.foreign.xla.models import leaves, run

if importlib.util.find_spec("jax") is None:
    pytest.skip(
        "jax is not installed, which is what popir is compared with", allow_module_level=True
    )

SOURCE = Path(__file__).parent / "jax_functions.py"


def names() -> list[str]:
    """The keys of FUNCTIONS, read from the source: this process does not import jax."""
    for each in ast.parse(SOURCE.read_text()).body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.value, ast.Dict):
            return [ast.literal_eval(key) for key in each.value.keys if key is not None]
    raise AssertionError("jax_functions.py has no FUNCTIONS")


MISSING = {
    "argmax": "several arrays are reduced together",
    "argmin": "several arrays are reduced together",
    "searchsorted": "its type is TOTALORDER",
}
"""Functions whose modules have what is not known here, and the words of the error."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules, and the inputs and results of jaxlib."""
    made = tmp_path_factory.mktemp("jax_functions")
    command = [sys.executable, str(SOURCE), str(made)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("name", names())
def test_results(name: str, folder: Path) -> None:
    text = (folder / f"{name}.hlo").read_text()
    if name in MISSING:
        with pytest.raises(popir.ModelError, match=MISSING[name]):
            custom_ops.xla_program(text)
        return
    arrays = np.load(folder / f"{name}.npz")
    program = custom_ops.xla_program(text)
    values = [arrays[key] for key in arrays if key.startswith("in")]
    want = [arrays[key] for key in arrays if key.startswith("out")]
    inputs = dict(zip(leaves(program.inputs), values, strict=True))
    got = run(program.builder.getModelProto(), inputs, leaves(program.output))
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)
