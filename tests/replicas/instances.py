"""What instances of a program do, for tests: `popir run-distributed -n N THIS_FILE CASE`. What an
instance finds is checked there, and printed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir import CommGroup, CommGroupType, VariableRetrievalMode, VariableSettings, popdist
from popir.data import Batches
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


def session(
    factor: float = 1.0,
    size: int = ROWS,
    name: str = "training",
    is_sharded: bool = False,
    draws: bool = False,
) -> Any:
    """Trains w, of `size` elements: its gradient is the sum of the replicas' x times `factor`, of
    which a dropout takes half if it `draws`.
    """
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [size], "x")
    w = builder.addInitializedInputTensor(np.zeros(size, np.float32), "w")
    y = builder.aiOnnx.mul(
        [builder.aiOnnx.mul([x, w]), builder.aiOnnx.constant(np.float32(factor))]
    )
    if draws:
        y = builder.aiOnnx.dropout([y], 1, ratio=0.5)[0]
    loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    options = configured()
    if is_sharded:
        on = popir.TensorLocation(replicatedTensorSharding=popir.ReplicatedTensorSharding.On)
        settings = popir.TensorLocationSettings(on, minElementsForReplicatedTensorSharding=2)
        options.weightTensorLocationSettings = settings
    made = popir.TrainingSession(
        *(builder.getModelProto(), popir.DataFlow(1, [loss]), loss, popir.ConstSGD(1.0)),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
        name=name,
    )
    made.prepareDevice()
    return made


WIDE, LAYERS = 300, 4
"""The width of the layers of `deep`, so that gradients travel in several buckets."""


def deep(optimizer: Any, overlaps: bool, **asked: Any) -> Any:
    """Trains layers of products on x, [2, WIDE]."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    h = builder.addInputTensor("FLOAT", [2, WIDE], "x")
    for n in range(LAYERS):
        given = np.random.default_rng(n).standard_normal([WIDE, WIDE]).astype(np.float32)
        w = builder.addInitializedInputTensor(0.05 * given, f"w{n}")
        h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([h, w])])
    loss = builder.aiGraphcore.identityloss([h], reduction=popir.ReductionType.Sum)
    options = configured()
    options.engineOptions = options.engineOptions | {
        "host.overlapCollectives": str(overlaps).lower()
    }
    for name, value in asked.items():
        setattr(options, name, value)
    made = popir.TrainingSession(
        *(builder.getModelProto(), popir.DataFlow(1, [loss]), loss, optimizer),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    made.prepareDevice()
    return made


def rate(value: float, **more: float) -> dict[str, tuple[float, bool]]:
    """Constant numbers of an optimizer."""
    return {"defaultLearningRate": (value, True)} | {n: (v, True) for n, v in more.items()}


MOMENTUM = rate(0.01, defaultMomentum=0.9)
OPTIMIZERS: dict[str, Any] = {
    "plain": lambda: popir.SGD(rate(0.01)),
    "combined": lambda: popir.SGD(MOMENTUM),
    "clipped": lambda: popir.SGD(MOMENTUM, [popir.ClipNormSettings.clipAllWeights(0.5)]),
    "scaled": lambda: popir.SGD({**MOMENTUM, "lossScaling": (8.0, True)}),
    "adam": lambda: popir.Adam(rate(0.01, defaultWeightDecay=0.1)),
    "lamb": lambda: popir.Adam(rate(0.01), popir.AdamMode.Lamb),
}


def overlap() -> None:
    """Gradients travel in the backward pass, in buckets, and no bit of a weight changes."""
    total = popdist.getNumTotalReplicas()
    ways: dict[str, tuple[Any, dict[str, Any]]] = {
        name: (make, {}) for name, make in OPTIMIZERS.items()
    }
    accumulated = {"enableGradientAccumulation": True, "accumulationFactor": 2}
    ways["accumulated"] = (OPTIMIZERS["adam"], accumulated)
    on = popir.TensorLocation(replicatedTensorSharding=popir.ReplicatedTensorSharding.On)
    sharded = popir.TensorLocationSettings(on, minElementsForReplicatedTensorSharding=2)
    states = {"optimizerStateTensorLocationSettings": sharded}
    ways["scattered"] = (OPTIMIZERS["adam"], states)
    ways["sharded"] = (OPTIMIZERS["plain"], {"weightTensorLocationSettings": sharded})
    for name, (make, asked) in ways.items():
        batches = asked.get("accumulationFactor", 1)
        x = np.random.default_rng(9).standard_normal([3, total, batches, 2, WIDE])
        found: list[dict[str, Any]] = []
        for overlaps in (False, True):
            made = deep(make(), overlaps, **asked)
            plan = made._engine.planText()
            assert ("begin of" in plan) == overlaps, plan
            # Sums are joined in buckets, and each gather of shards travels alone.
            gathers = plan.count("begin of ReplicatedAllGather")
            assert (gathers > 0) == (overlaps and name == "sharded"), plan
            said = f"{LAYERS + gathers} collectives in {2 + gathers} buckets"
            assert not overlaps or said in plan, plan
            for each in x:
                rows = mine(each).swapaxes(0, 1).reshape(-1, 2, WIDE).astype(np.float32)
                made.run(popir.PyStepIO({"x": rows}, made.initAnchorArrays()))
            made.weightsToHost()
            found.append({id: value.copy() for id, value in made._host.items()})
        for id, want in found[0].items():
            np.testing.assert_array_equal(found[1][id], want, err_msg=f"{name}: {id}")
    print("overlap agrees", flush=True)


def dies_in_a_step() -> None:
    """Rank 1 is killed while all run steps in which gradients travel."""
    made = deep(popir.SGD(rate(0.01)), True)
    x = mine(numbers(popdist.getNumTotalReplicas(), 2, WIDE))
    anchors = made.initAnchorArrays()

    def kill() -> None:
        Path(sys.argv[2]).write_text(str(time.time()))
        os.kill(os.getpid(), signal.SIGKILL)

    made.run(popir.PyStepIO({"x": x}, anchors))
    if popdist.getInstanceIndex() == 1:
        threading.Timer(0.5, kill).start()
    while True:
        made.run(popir.PyStepIO({"x": x}, anchors))


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
    """Broadcast weights, and a checkpoint of all instances; also where each has a shard."""
    x = numbers(popdist.getNumTotalReplicas(), ROWS)
    rank = popdist.getInstanceIndex()
    (folder,) = set(popdist.gather("folder", sys.argv[2]))
    for is_sharded in (False, True):
        made = session(is_sharded=is_sharded)
        assert (made.graph.sharded.keys() == {"w"}) == is_sharded
        made.writeWeights(popir.PyWeightsIO({"w": np.full(ROWS, 10.0 * rank, np.float32)}))
        made.broadcastWeights(1)
        np.testing.assert_array_equal(weight(made), np.full(ROWS, 10.0))
        run(made, x)
        want = weight(made)
        np.testing.assert_allclose(want, 10 - x.sum(0), rtol=1e-5)
        made.save(folder)
        again = session(name="again", is_sharded=not is_sharded)
        assert again.load(folder).step == 1
        np.testing.assert_array_equal(weight(again), want)
    x = numbers(2, popdist.getNumTotalReplicas(), 2, WIDE)
    ends: list[Any] = []
    for is_broadcast in (False, True):
        made = deep(OPTIMIZERS["combined"](), True, disableOptimizerStateTensorStreams=True)
        run(made, x[0])
        if is_broadcast:  # The momentum of the devices stays as it is.
            made.weightsToHost()
            made.broadcastWeights()
        run(made, x[1])
        made.weightsToHost()
        ends.append(made.held_weights()["w0"].copy())
    np.testing.assert_array_equal(*ends)
    print("weights agree", flush=True)


GROUPS: dict[tuple[CommGroupType, int], list[list[int]]] = {
    (CommGroupType.Consecutive, 2): [[0, 1], [2, 3]],
    (CommGroupType.Consecutive, 1): [[0], [1], [2], [3]],
    (CommGroupType.Orthogonal, 2): [[0, 2], [1, 3]],
    (CommGroupType.Ungrouped, 0): [[0], [1], [2], [3]],
}
"""Groupings of four replicas."""


def grouped(model: Any, loss: str, optimizer: Any, is_sharded: bool = False) -> Any:
    """A session of a model with weights of groups."""
    options = configured()
    if is_sharded:
        on = popir.TensorLocation(replicatedTensorSharding=popir.ReplicatedTensorSharding.On)
        settings = popir.TensorLocationSettings(on, minElementsForReplicatedTensorSharding=2)
        options.weightTensorLocationSettings = settings
    made = popir.TrainingSession(
        *(model, popir.DataFlow(1, [loss]), loss, optimizer),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
    )
    made.prepareDevice()
    return made


def product(initial: Any, settings: VariableSettings) -> tuple[bytes, str]:
    """A model whose gradient of w is the replica's x, and its loss."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [ROWS], "x")
    w = builder.addInitializedInputTensor(initial, settings, "w")
    y = builder.aiOnnx.mul([x, w])
    loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    return builder.getModelProto(), loss


def groups() -> None:
    """What the host, saved models and checkpoints have of weights that groups of replicas share:
    in all instances what the replicas of all have.
    """
    (folder,) = set(popdist.gather("folder", sys.argv[2]))
    for key, table in GROUPS.items():
        for mode in VariableRetrievalMode.__members__.values():
            for is_sharded in (False, True):
                of_groups(VariableSettings(CommGroup(*key), mode), table, is_sharded, folder)
    print("groups agree", flush=True)


def of_groups(
    settings: VariableSettings, table: list[list[int]], is_sharded: bool, folder: str
) -> None:
    """The weight of each group becomes w - the sum of its replicas' x."""
    x, initial = numbers(3, 4, ROWS), numbers(len(table), ROWS)
    proto, loss = product(initial, settings)
    sums = np.stack([x[:, members].sum(1) for members in table], 1)
    rows = list(range(len(table)))
    is_sum = settings.getRetrievalMode() is VariableRetrievalMode.AllReduceReplicas
    factor = len(table[0]) if is_sum else 1
    if settings.getRetrievalMode() is VariableRetrievalMode.AllReplicas:
        rows = [next(g for g in rows if r in table[g]) for r in range(4)]

    def require(made: Any, steps: int) -> Any:
        found = np.empty([len(rows), ROWS], np.float32)
        made.weightsToHost()
        made.readWeights(popir.PyWeightsIO({"w": found}))
        want = factor * (initial - sums[:steps].sum(0))
        np.testing.assert_allclose(found, want[rows], rtol=1e-4)
        return found

    made = grouped(proto, loss, popir.ConstSGD(1.0), is_sharded)
    run(made, x[0])
    held = require(made, 1)
    made.broadcastWeights(1)  # All have the same.
    np.testing.assert_array_equal(require(made, 1), held)
    made.save(folder)
    file = f"{folder}.{popdist.getInstanceIndex()}.onnx"
    made.modelToHost(file)
    assert len({*popdist.gather("model", Path(file).read_bytes().hex())}) == 1
    run(made, x[1])
    held = require(made, 2)
    again = grouped(proto, loss, popir.ConstSGD(1.0), not is_sharded)
    again.load(folder)
    for each in (again, grouped(file, loss, popir.ConstSGD(1.0))):
        run(each, x[1])
        np.testing.assert_array_equal(require(each, 2), held)


def averaging(settings: VariableSettings, groups: int = 1) -> tuple[bytes, str, str]:
    """A model whose variable v becomes v / 2 + x on each replica, and its loss."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [3], "x")
    initial = np.zeros([*[groups] * (groups > 1), 3], np.float32)
    v = builder.addInitializedInputTensor(initial, settings, "v")
    w = builder.addInitializedInputTensor(np.ones(3, np.float32), "w")
    half = builder.aiOnnx.constant(np.float32(0.5))
    new = builder.aiOnnx.add([builder.aiOnnx.mul([v, half]), x])
    changed = builder.aiGraphcore.copyvarupdate([v, new])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([w, changed])])
    return builder.getModelProto(), changed, loss


def averages(x: Any) -> Any:
    """What `averaging` has after each step of x [steps, replicas, 3], by NumPy."""
    found = [x[0]]
    for each in x[1:]:
        found.append(found[-1] / 2 + each)
    return np.array(found)


def own() -> None:
    """What each replica of each instance changes by itself, after a restart from a checkpoint, and
    after its weights went to the host and back.
    """
    x = numbers(6, 4, 3).round(1)
    (folder,) = set(popdist.gather("folder", sys.argv[2]))
    model, v, loss = averaging(VariableSettings())

    def session() -> Any:
        made = popir.TrainingSession(
            *(model, popir.DataFlow(1, [v]), loss, popir.ConstSGD(1.0)),
            popir.DeviceManager().createCpuDevice(),
            userOptions=configured(),
        )
        made.prepareDevice()
        return made

    def go(made: Any, steps: range) -> list[Any]:
        found: list[Any] = []
        for n in steps:
            anchors = made.initAnchorArrays()
            made.run(popir.PyStepIO({"x": mine(x[n])}, anchors))
            found.append(anchors[v].reshape(-1, 3).copy())
        return found

    first = session()
    go(first, range(3))
    first.save(folder)
    again = session()
    again.load(folder)
    again.weightsToHost()
    again.weightsFromHost()
    want = mine(averages(x).swapaxes(0, 1)).swapaxes(0, 1)[3:]
    for made in (first, again):
        np.testing.assert_allclose(go(made, range(3, 6)), want, rtol=1e-6)
    print("what replicas have of their own agrees", flush=True)


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


SHARES = 12
"""The rows of a step in `continues`, which all instances have together, however many they are."""


def continues(folder: str, until: int) -> None:
    """Goes on from the checkpoint in a folder, if there is one, and saves one; weights are sharded.
    Each weight is the negated sum of all rows.
    """
    made, total = session(is_sharded=True), popdist.getNumTotalReplicas()
    rows = np.random.default_rng(0).standard_normal((6, SHARES, ROWS)).astype(np.float32)
    first = made.load(folder).step if Path(folder).exists() else 0
    for n in range(first, until):
        run(made, rows[n].reshape(total, -1, ROWS).sum(1))
    made.save(folder, shards=total)
    np.testing.assert_allclose(weight(made), -rows[:until].sum((0, 1)), rtol=1e-4)
    print(f"went on from step {first}", flush=True)


def gathers() -> None:
    """A gather is the last thing that each rank does."""
    ranks = [popdist.getInstanceIndex()] * popdist.getNumInstances()
    assert popdist.gather("gathers()", ranks[0]) == list(range(len(ranks)))
    print("gathered", flush=True)


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
            if how == "leaves":
                os._exit(0)
            if how == "raises":
                raise RuntimeError("the data are gone")
            return
        run(made, x)


def endless() -> None:
    """Steps without end; prints the process."""
    made, x = session(), numbers(popdist.getNumTotalReplicas(), ROWS)
    run(made, x)
    os.write(1, f"{os.getpid()}\n".encode())  # In one piece.
    while True:
        run(made, x)


def differ(how: str, folder: str) -> None:
    """Instances that do not run the same."""
    rank = popdist.getInstanceIndex()
    x = numbers(popdist.getNumTotalReplicas(), ROWS)
    if how == "models":
        session(factor=1.0 + rank)
    if how == "sizes":
        session(size=ROWS + rank)
    if how == "options":
        deep(popir.SGD({}), True, enableGradientAccumulation=True, accumulationFactor=2 + rank)
    if how == "optimizers":
        deep(popir.SGD({}) if rank == 0 else popir.Adam({}), True)
    if how == "constants":
        deep(popir.SGD(rate(0.5 + rank)), True)
    if how == "rates":
        deep(popir.SGD({"defaultLearningRate": (0.5 + rank, False)}), True)
    if how == "changed rates":
        made = deep(popir.SGD({"defaultLearningRate": (0.5, False)}), True)
        made.updateOptimizerFromHost(popir.SGD({"defaultLearningRate": (0.25, False)}))
        made.updateOptimizerFromHost(popir.SGD({"defaultLearningRate": (1.0 + rank, False)}))
    if how == "calls":
        made = deep(popir.SGD({"defaultLearningRate": (0.5, False)}), True)
        if rank == 0:
            made.save(folder)
        made.updateOptimizerFromHost(popir.SGD({"defaultLearningRate": (0.25, False)}))
    if how in ("a save", "a broadcast"):
        made = session()
        run(made, x)
        if rank == 0:
            made.save(folder) if how == "a save" else made.broadcastWeights()
        run(made, x)
    if how == "weights":
        made = session()
        made.writeWeights(popir.PyWeightsIO({"w": np.full(ROWS, float(rank), np.float32)}))
        made.weightsFromHost()
        run(made, x)
    if how == "checkpoints":
        made = session()
        for n in range(2):
            run(made, x)
            made.save(f"{folder}/{n}")
        made.load(f"{folder}/{rank}")
        run(made, x)
    if how == "seeds":
        made = session(draws=True)
        made.setRandomSeed(7)
        run(made, x)
        made.setRandomSeed(8 + rank)
        run(made, x)
    if how == "positions":
        made = session()
        rows = np.zeros((6 + rank, ROWS), np.float32)
        made.save(folder, Batches({"x": rows}, 1))
    if how == "folders":
        session().save(f"{folder}/{rank}")
    if how == "orders":
        both = [session(name="one"), session(name="two")]
        for made in both if rank == 0 else both[::-1]:
            run(made, x)
    if how in ("steps", "deep steps"):
        made = session() if how == "steps" else deep(popir.SGD(rate(0.01)), True)
        if how == "deep steps":
            x = numbers(popdist.getNumTotalReplicas(), 2, WIDE)
        if rank == 1:
            time.sleep(30)  # it never comes
        run(made, x)


def all_differ(names: str) -> None:
    """Cases of `differ`, one after another; each instance prints each error."""
    rank, found = popdist.getInstanceIndex(), 0
    for how in names.split(","):
        try:
            differ(how, sys.argv[2] if len(sys.argv) > 2 else "")
        except PopirError as error:
            print(f"rank {rank}: {how}: {error}", flush=True)
            found = 3
            if how in ("steps", "deep steps"):
                os._exit(found)
    raise SystemExit(found)


if __name__ == "__main__":
    if sys.argv[1] == "absent" and os.environ["PMI_RANK"] == "1":
        time.sleep(30)  # it never comes
    popdist.init()
    case, _, variant = sys.argv[1].partition(":")
    if case == "collectives":
        collectives()
    elif case == "weights":
        weights()
    elif case == "groups":
        groups()
    elif case == "own":
        own()
    elif case == "gathers":
        gathers()
    elif case == "resumes":
        resumes()
    elif case == "continues":
        continues(sys.argv[2], int(variant))
    elif case == "overlap":
        overlap()
    elif case == "dies" and variant == "in a step":
        dies_in_a_step()
    elif case == "dies":
        dies(variant)
    elif case == "endless":
        endless()
    else:
        all_differ(variant)
