"""A model that tests train: a classifier with dropout and batch norm, and data for it.

`python -m tests.training.model FOLDER LAST [resume]` trains it with checkpoints in FOLDER every 3
steps, and prints a line for each step.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir.data import Batches
from popir.training import Schedule, Step, train
from tests.models import floats, training_session

LOSS, BATCH, EPOCHS = "Nll:0", 16, 5


def data(count: int = 200, seed: int = 1) -> dict[str, Any]:
    """Samples whose label is the largest of their first four numbers."""
    x = floats(count, 8, seed=seed)
    return {"x": x, "labels": x[:, :4].argmax(1).astype(np.int32)}


def model(plain: bool = False) -> bytes:
    """The model; if `plain`, without dropout and batch norm."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [BATCH, 8], "x")
    labels = builder.addInputTensor("INT32", [BATCH], "labels")
    one = builder.addInitializedInputTensor(0.3 * floats(8, 12, seed=2), "one")
    two = builder.addInitializedInputTensor(0.3 * floats(12, 4, seed=3), "two")
    h = builder.aiOnnx.matmul([x, one])
    if not plain:
        given = [np.ones(12), np.zeros(12), np.zeros(12), np.ones(12)]
        names = [
            builder.addInitializedInputTensor(value.astype(np.float32), name)
            for value, name in zip(given, ("scale", "shift", "mean", "var"), strict=True)
        ]
        h = builder.aiOnnx.batchnormalization([h, *names], 3, training_mode=1)[0]
        (h,) = builder.aiOnnx.dropout([h], 1)
    h = builder.aiOnnx.tanh([h])
    p = builder.aiOnnx.softmax([builder.aiOnnx.matmul([h, two])], axis=1)
    loss = builder.aiGraphcore.nllloss([p, labels])
    assert loss == LOSS
    builder.addOutputTensor(loss)
    return builder.getModelProto()


def adam(rate: float = 0.01) -> popir.Adam:
    """An optimizer whose learning rate may change."""
    return popir.Adam({"defaultLearningRate": (rate, False)})


def session(optimizer: Any = None, proto: bytes | None = None) -> Any:
    """A prepared session of the model."""
    made = training_session(proto or model(), LOSS, [LOSS], optimizer or adam())
    made.setRandomSeed(7)
    return made


def batches(seed: int = 1) -> Batches:
    """The data, shuffled."""
    return Batches(data(), BATCH, shuffle=True, seed=seed)


def schedule() -> Schedule:
    """One that changes in each step of EPOCHS epochs."""
    return Schedule("cosine", steps=EPOCHS * (200 // BATCH), warmup=5)


def main(folder: Path, epochs: int, resume: bool) -> None:
    """Trains with checkpoints, and prints each step and its loss."""

    def told(what: Any) -> None:
        if isinstance(what, Step):
            print(what.step, what.loss.hex(), flush=True)

    options: Any = {"folder": folder, "save_every": 3, "resume": resume, "report": told}
    optimizer = adam()
    with batches() as given:
        train(session(optimizer), given, LOSS, epochs, optimizer, schedule(), **options)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), "resume" in sys.argv)
