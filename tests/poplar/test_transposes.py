"""Transposing copies, with the tiles of every instruction set."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_transposes_of_all_sizes_equal_numpys(isa):
    script = Path(__file__).with_name("transposes.py")
    env = {**os.environ, "POPIR_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "equal\n"
