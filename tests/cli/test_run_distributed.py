"""What `popir run-distributed` hands to a launcher, and what it makes of its end. Jobs that talk by
MPI are in tests/replicas/test_ranks.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import failure
from tests.toolchain import ROOT

LAUNCHER = """
import json, os, sys
file, codes = sys.argv[1:3]
calls = json.load(open(file)) if os.path.exists(file) else []
seen = {name: value for name, value in os.environ.items() if name.startswith("POPIR_")}
calls.append({"words": sys.argv[3:], "environment": seen})
json.dump(calls, open(file, "w"))
sys.exit(int(codes.split(",")[len(calls) - 1]))
"""
"""Keeps each of its calls in a file, and ends with one exit code after the other."""


def called(folder: Path, codes: str, *words: str) -> tuple[int, str, list[dict[str, Any]]]:
    """The exit code and standard error of the command, and the calls of the launcher."""
    (folder / "launcher.py").write_text(LAUNCHER)
    (folder / "train.py").write_text("")
    launcher = f"{sys.executable} {folder}/launcher.py {folder}/calls.json {codes}"
    command = [sys.executable, "-m", "popir", "run-distributed", "--mpiexec", launcher, *words]
    made = subprocess.run(
        [*command, str(folder / "train.py"), "--lr", "0.1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return made.returncode, made.stderr, json.loads((folder / "calls.json").read_text())


def test_ranks_replicas_and_the_limit_reach_the_launcher(tmp_path: Path) -> None:
    code, said, (call,) = called(
        tmp_path, "0", "--ranks", "3", "--replicas", "2", "--timeout", "7.5"
    )
    assert (code, said) == (0, "")
    script = str(tmp_path / "train.py")
    made = ["-n", "3", sys.executable, "-m", "popir.rank", script, "--lr", "0.1"]
    assert call["words"] == made
    assert call["environment"]["POPIR_REPLICAS_PER_RANK"] == "2"
    assert float(call["environment"]["POPIR_MPI_TIMEOUT"]) == 7.5


def test_a_job_that_fails_is_started_again(tmp_path: Path) -> None:
    code, said, calls = called(tmp_path, "3,0", "-n", "2", "--restarts", "2")
    assert code == 0 and len(calls) == 2
    assert said == "popir: restart 1 of 2.\n"


def test_the_exit_code_is_that_of_the_last_job(tmp_path: Path) -> None:
    code, said, calls = called(tmp_path, "3,5", "-n", "2", "--restarts", "1")
    assert code == 5 and len(calls) == 2
    assert said == "popir: restart 1 of 1.\n"


def test_wrong_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "train.py"
    script.write_text("")
    assert "Missing option '-n'" in failure("run-distributed", script, code=2)
    assert "0 is not in the range x>=1" in failure("run-distributed", "-n", 0, script, code=2)
    assert "does not exist" in failure("run-distributed", "-n", 2, tmp_path / "no.py", code=2)
    words = ("run-distributed", "-n", 2, "--mpiexec", "no-such-launcher")
    assert "'no-such-launcher' cannot be run" in failure(*words, script, code=2)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    said = failure("run-distributed", "-n", 2, script, code=4)
    assert "pip install 'popir[distributed]'" in said
