"""Training that tests compare: one process, or an instance of several.

`python tests/replicas/training.py FOLDER` trains what `prepare` wrote there, as an instance that
`popir run-distributed` has started, and the first instance writes what came of it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import popir
from popir import popdist

Array = np.ndarray[Any, Any]
STEPS, ROWS = 50, 16
"""The steps, and the samples of each, of all replicas together."""


class Trained(NamedTuple):
    losses: Array
    """[steps, replicas of the process]"""
    weights: dict[str, Array]


def options(replicas: int = 1) -> popir.SessionOptions:
    """The mean over the replicas, on one thread each."""
    asked = popir.SessionOptions(
        enableReplicatedGraphs=replicas > 1,
        replicatedGraphCount=replicas,
        engineOptions={"host.numThreads": "1"},
    )
    if replicas > 1:
        asked.accumulationAndReplicationReductionType = popir.ReductionType.Mean
    return asked


def momentum() -> popir.SGD:
    """An optimizer with a state."""
    return popir.SGD({"defaultLearningRate": (0.05, True), "defaultMomentum": (0.8, True)})


def session_of(model: bytes, asked: popir.SessionOptions, name: str = "training") -> Any:
    """A prepared session of a model whose loss is the tensor `loss`."""
    made = popir.TrainingSession(
        model,
        popir.DataFlow(1, ["loss"]),
        "loss",
        momentum(),
        popir.DeviceManager().createCpuDevice(),
        userOptions=asked,
        name=name,
    )
    made.prepareDevice()
    return made


def train(
    model: bytes, data: dict[str, Array], asked: popir.SessionOptions, steps: int = STEPS
) -> Trained:
    """Trains a model on the rows of this process: `data` are [steps, ROWS, ...]."""
    session = session_of(model, asked)
    total, local = asked.getGlobalReplicationFactor(), asked.replicatedGraphCount
    each = ROWS // total
    first = asked.globalReplicaOffset * each
    losses: list[Array] = []
    for n in range(steps):
        anchors = session.initAnchorArrays()
        inputs = {id: rows[n, first : first + local * each] for id, rows in data.items()}
        session.run(popir.PyStepIO(inputs, anchors))
        losses.append(np.atleast_1d(anchors["loss"]).copy())
    session.weightsToHost()
    weights = {
        id: np.empty(session.getInfo(id).shape(), np.float32)
        for id in session.choices
        if session.graph.getTensor(id).is_variable()
    }
    session.readWeights(popir.PyWeightsIO(weights))
    return Trained(np.array(losses), weights)


def main(folder: Path) -> None:
    """Trains as one instance."""
    popdist.init()
    asked = options()
    popdist.configureSessionOptions(asked)
    asked.accumulationAndReplicationReductionType = popir.ReductionType.Mean
    with np.load(folder / "data.npz") as data:
        found = train((folder / "model.onnx").read_bytes(), dict(data), asked)
    losses = popdist.gather("losses", found.losses.tolist())
    digests = popdist.gather("weights", {id: w.tobytes().hex() for id, w in found.weights.items()})
    assert all(each == digests[0] for each in digests)
    if popdist.getInstanceIndex() == 0:
        np.savez(folder / "found.npz", losses=np.concatenate(losses, 1), **found.weights)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
