"""Targets of custom calls on the command line."""

from pathlib import Path

import popir
from tests.cli.test_build_op import popir as command


def test_a_target_is_listed_as_what_it_runs_as(targets: popir.OpLibrary, tmp_path: Path) -> None:
    said, _ = command("ops", "add2", "--op-library", targets.path, cwd=tmp_path)
    lines = said.splitlines()
    assert lines[0] == "org.openxla.Host.add2"
    assert f"from: {targets.path}" in lines
    assert "lowering: that of org.openxla.CustomCall" in lines
