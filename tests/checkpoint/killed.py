"""Trains and saves a checkpoint after each step: `python killed.py FOLDER LOG LAST`.

Goes on from the checkpoint in FOLDER, if there is one, up to the step LAST, and appends the number
of each step that was saved to LOG.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import popir
from tests.models import floats, step, training_session


def made() -> Any:
    """A session with dropout and 600 kB of weights and states."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 128], "x")
    one = builder.addInitializedInputTensor(0.1 * floats(128, 384, seed=1), "one")
    two = builder.addInitializedInputTensor(0.1 * floats(384, 4, seed=2), "two")
    h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, one])])
    (h,) = builder.aiOnnx.dropout([h], 1)
    y = builder.aiOnnx.matmul([h, two])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([y, y])])
    return training_session(builder.getModelProto(), loss, [loss], popir.Adam({}))


def train(session: Any, at: int) -> None:
    """Runs the step with that number."""
    step(session, {"x": np.random.default_rng(at).standard_normal((4, 128)).astype(np.float32)})


def main(folder: Path, log: Path, last: int) -> None:
    """Trains up to the step `last`."""
    session = made()
    if (folder / "checkpoint.json").exists():
        session.load(folder)
    while session.steps < last:
        train(session, session.steps)
        session.save(folder, shards=2)
        with log.open("a") as stream:
            stream.write(f"{session.steps}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
