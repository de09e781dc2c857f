"""Operators of all interfaces in one model: trained together, saved, loaded by another process."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_one_model_with_an_operator_of_each_interface() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "models" / "five_doors" / "five_doors.py"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(
        r"gradients: (\S+) from differences of the loss\n"
        r"loss: (\S+) at first, (\S+) after 100 steps\n"
        r"another process computes the same bits\n",
        done.stdout,
    )
    assert found, done.stdout
    error, first, last = map(float, found.groups())
    assert error < 1e-3
    assert last < 0.5 * first
