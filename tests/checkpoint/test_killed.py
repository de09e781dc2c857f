"""Processes that are killed at any moment of a save: the last whole checkpoint is there."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from popir.checkpoint import read
from tests.checkpoint.killed import made, train
from tests.toolchain import ROOT, started

KILLS, LAST = 12, 100000


def saved(log: Path) -> int:
    """The last step that was saved as a whole, by the words of who saved it."""
    lines = log.read_text().split() if log.exists() else []
    return int(lines[-1]) if lines else 0


@pytest.mark.timeout(300)
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """Each process goes on where the one before was killed. The checkpoint has, bit by bit, what a
    process has that was never stopped.
    """
    folder, log = tmp_path / "checkpoint", tmp_path / "log"
    chance = random.Random(3)
    whole: Any = made()
    partial = 0
    for _ in range(KILLS):
        before = saved(log)
        program = [sys.executable, "-m", "tests.checkpoint.killed", folder, log, str(LAST)]
        with started(*program, cwd=ROOT) as process:
            while saved(log) < before + 2:
                assert process.poll() is None
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.02))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        found = read(folder)
        assert found.step in (saved(log), saved(log) + 1)
        files = {each.name for each in folder.glob("*.safetensors")}
        partial += files != {shard.file for shard in found.manifest.shards}
        while whole.steps < found.step:
            train(whole, whole.steps)
        whole.weightsToHost()
        assert found.manifest.seed == whole.getRandomSeed()
        tensors = found.tensors()
        assert len(tensors) == 8
        for id, array in tensors.items():
            np.testing.assert_array_equal(array, whole._host[id])
    assert partial, "no process was killed while it saved"
