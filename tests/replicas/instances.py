"""What instances of a program do, for tests: `popir run-distributed -n N THIS_FILE CASE`. What an
instance finds is checked there, and printed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir import CommGroup, CommGroupType, popdist
from popir.errors import PopirError

ROWS = 3


def configured() -> popir.SessionOptions:
    options = popir.SessionOptions(engineOptions={"host.numThreads": "1"})
    popdist.configureSessionOptions(options)
    return options


def mine(values: Any) -> Any:
    """The rows of this instance's replicas."""
    first = popdist.getReplicaIndexOffset()
    return np.ascontiguousarray(values[first : first + popdist.getNumLocalReplicas()])


def session(factor: float = 1.0, size: int = ROWS, name: str = "training") -> Any:
    """Trains w, of `size` elements: its gradient is the sum of the replicas' x times `factor`."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [size], "x")
    w = builder.addInitializedInputTensor(np.zeros(size, np.float32), "w")
    y = builder.aiOnnx.mul(
        [builder.aiOnnx.mul([x, w]), builder.aiOnnx.constant(np.float32(factor))]
    )
    loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    made = popir.TrainingSession(
        *(builder.getModelProto(), popir.DataFlow(1, [loss]), loss, popir.ConstSGD(1.0)),
        popir.DeviceManager().createCpuDevice(),
        userOptions=configured(),
        name=name,
    )
    made.prepareDevice()
    return made


def run(made: Any, x: Any) -> None:
    """One step: `x` has a row for each replica of all instances."""
    made.run(popir.PyStepIO({"x": mine(x)}, made.initAnchorArrays()))


def weight(made: Any) -> Any:
    """The weight on the device."""
    made.weightsToHost()
    found = np.empty(made.getInfo("w").shape(), np.float32)
    made.readWeights(popir.PyWeightsIO({"w": found}))
    return found


def numbers(*shape: int) -> Any:
    """The same numbers in all instances."""
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def collectives() -> None:
    """All kinds over all groupings, of few elements and of many, against numpy."""
    total = popdist.getNumTotalReplicas()
    groups = {
        (CommGroupType.All, 0): np.arange(total).reshape(1, -1),
        (CommGroupType.Consecutive, 2): np.arange(total).reshape(-1, 2),
        (CommGroupType.Orthogonal, 2): np.arange(total).reshape(2, -1).T,
    }
    for elements in (7, 10001):
        values = numbers(total, elements)
        builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
        x = builder.addInputTensor("FLOAT", [elements], "x")
        own = builder.aiGraphcore
        ids = {}
        for key in groups:
            group = CommGroup(*key)
            ids[key] = [
                own.replicatedallreduce([x], commGroup=group),
                own.replicatedreducescatter([x], commGroup=group),
                own.replicatedallgather([x], commGroup=group),
            ]
        made = popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(1, [id for each in ids.values() for id in each]),
            popir.DeviceManager().createCpuDevice(),
            userOptions=configured(),
        )
        made.prepareDevice()
        found = made.initAnchorArrays()
        made.run(popir.PyStepIO({"x": mine(values)}, found))
        for key, table in groups.items():
            reduced = np.empty_like(values)
            part = -(-elements // table.shape[1])
            scattered = np.zeros([total, part], np.float32)
            gathered = np.empty([total, elements * table.shape[1]], np.float32)
            for members in table:
                summed = values[members[0]].copy()
                for member in members[1:]:
                    summed += values[member]
                parts = np.zeros(part * len(members), np.float32)
                parts[:elements] = summed
                for i, member in enumerate(members):
                    reduced[member] = summed
                    scattered[member] = parts[i * part : (i + 1) * part]
                    gathered[member] = values[members].reshape(-1)
            for id, want in zip(ids[key], (reduced, scattered, gathered), strict=True):
                np.testing.assert_array_equal(found[id].reshape(mine(want).shape), mine(want))
    print("collectives agree", flush=True)


def weights() -> None:
    """Broadcast weights, and a checkpoint of all instances."""
    made, x = session(), numbers(popdist.getNumTotalReplicas(), ROWS)
    rank = popdist.getInstanceIndex()
    made.writeWeights(popir.PyWeightsIO({"w": np.full(ROWS, 10.0 * rank, np.float32)}))
    made.broadcastWeights(1)
    np.testing.assert_array_equal(weight(made), np.full(ROWS, 10.0))
    run(made, x)
    want = weight(made)
    np.testing.assert_allclose(want, 10 - x.sum(0), rtol=1e-5)
    (folder,) = set(popdist.gather("folder", sys.argv[2]))
    made.save(folder)
    again = session(name="again")
    assert again.load(folder).step == 1
    np.testing.assert_array_equal(weight(again), want)
    print("weights agree", flush=True)


def resumes() -> None:
    """Trains with a checkpoint after each step; rank 1 is killed at the third one, once."""
    folder = Path(sys.argv[2])
    made, x = session(), numbers(6, popdist.getNumTotalReplicas(), ROWS)
    if (folder / "checkpoint.json").exists():
        made.load(folder)
    first = made.steps
    for n in range(first, 6):
        if n == 3 and first == 0 and popdist.getInstanceIndex() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        run(made, x[n])
        made.save(folder)
    np.testing.assert_allclose(weight(made), -x.sum((0, 1)), rtol=1e-4)
    print(f"went on from step {first}", flush=True)


def dies(how: str) -> None:
    """Rank 1 ends after three steps, while the others go on."""
    made, x = session(), numbers(popdist.getNumTotalReplicas(), ROWS)
    for n in range(1000):
        if n == 3 and popdist.getInstanceIndex() == 1:
            Path(sys.argv[2]).write_text(str(time.time()))
            if how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if how == "exits":
                sys.exit(7)
            if how == "raises":
                raise RuntimeError("the data are gone")
            return
        run(made, x)


def differ(how: str) -> None:
    """Instances that do not run the same; each prints the error."""
    rank = popdist.getInstanceIndex()
    x = numbers(popdist.getNumTotalReplicas(), ROWS)
    try:
        if how == "models":
            session(factor=1.0 + rank)
        if how == "orders":
            both = [session(name="one"), session(name="two")]
            for made in both if rank == 0 else both[::-1]:
                run(made, x)
        if how == "steps":
            made = session()
            if rank == 1:
                time.sleep(30)  # it never comes
            run(made, x)
    except PopirError as error:
        print(f"rank {rank}: {error}", flush=True)
        if how == "steps":
            os._exit(3)
        raise SystemExit(3) from None


if __name__ == "__main__":
    popdist.init()
    case, _, variant = sys.argv[1].partition(":")
    if case == "collectives":
        collectives()
    elif case == "weights":
        weights()
    elif case == "resumes":
        resumes()
    elif case == "dies":
        dies(variant)
    else:
        differ(variant)
