"""The same two models trained in every way that training is spread: one table.

    python -m tests.scale [--steps 50] [words in names of ways]

A step trains on ROWS samples: as one batch, or as ROWS / 2 micro-batches that are accumulated, and
that pipelines, replicas and processes share. "Sharded" says of what each replica keeps a part; with
accumulators sharded, gradients are added over the replicas batch by batch. The table has the
largest difference of the losses from PyTorch's, which trains on the same micro-batches, and whether
losses and weights are those of another way bit by bit, where the order of all sums is the same:
planes and columns of convolutions are left out, with which it depends on layouts. The
exit code is 1 if a difference is above 1e-4, or bits that should be equal are not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import popir
from popir import BatchSerializationMethod, RecomputationType, popdist
from popir.trainable import Role
from tests.large_models import Stages, data, resnet, transformer, unmarked
from tests.models import Array

ROOT = Path(__file__).parents[1]
ROWS, EACH = 32, 4
"""The samples of a step, and of a micro-batch."""
TOLERANCE = 1e-4
MOMENTUM = 0.8


@dataclass(frozen=True)
class Way:
    """How a model is trained."""

    batches: int = ROWS // EACH
    """The micro-batches of a step, of all replicas."""
    replicas: int = 1
    ranks: int = 1
    """The processes that the replicas are spread over."""
    ipus: int = 1
    stages: int = 1
    """Of the model, in turn on the IPUs."""
    is_pipelined: bool = False
    recomputed: RecomputationType = RecomputationType.NoRecompute
    sharded: tuple[str, ...] = ()
    """What replicas keep shards of: weight, optimizerState, accumulator."""
    parts: int = 1
    """In which a micro-batch is computed, one after another."""
    method: BatchSerializationMethod = BatchSerializationMethod.UnrollDynamic
    alike: str = ""
    """The way whose bits it has."""
    models: tuple[str, ...] = ("transformer", "ResNet-18")
    """The models for which it has them."""


STATES, BOTH = ("optimizerState",), ("weight", "optimizerState")
ALL = (*BOTH, "accumulator")
WAYS: dict[str, Way] = {
    "plain": Way(1),
    "sharded over 2 IPUs": Way(1, ipus=2, stages=2, alike="plain"),
    "accumulated": Way(),
    "recomputed": Way(recomputed=RecomputationType.RecomputeAll, alike="accumulated"),
    "pipelined over 2": Way(
        ipus=2, stages=2, is_pipelined=True, alike="accumulated", models=("transformer",)
    ),
    "pipelined over 4": Way(
        ipus=4, stages=4, is_pipelined=True, alike="accumulated", models=("transformer",)
    ),
    "in 8 parts": Way(1, parts=8),
    "in 8 parts, as a loop": Way(1, parts=8, method=BatchSerializationMethod.Loop),
    "accumulated, in 2 parts": Way(parts=2),
    "2 replicas": Way(replicas=2),
    "4 replicas": Way(replicas=4),
    "2 ranks": Way(replicas=2, ranks=2, alike="2 replicas"),
    "4 ranks": Way(replicas=4, ranks=4, alike="4 replicas"),
    "2 ranks of 2 replicas": Way(replicas=4, ranks=2, alike="4 replicas"),
    "2 replicas, states sharded": Way(replicas=2, sharded=STATES, alike="2 replicas"),
    "4 replicas, weights and states sharded": Way(replicas=4, sharded=BOTH, alike="4 replicas"),
    "4 replicas, all sharded": Way(replicas=4, sharded=ALL),
    "2 ranks, all sharded": Way(replicas=4, ranks=2, sharded=ALL, alike="4 replicas, all sharded"),
    "4 ranks, weights and states sharded": Way(
        replicas=4, ranks=4, sharded=BOTH, alike="4 replicas"
    ),
}
MODELS: dict[str, tuple[Callable[..., Any], dict[str, Any], int, float]] = {
    "transformer": (transformer, {"dropout": 0.0}, 4, 0.02),
    "ResNet-18": (resnet, {}, 9, 2e-5),
}
"""The function that makes each model, its arguments, its layers, and the learning rate.

A batch norm over 4 small images makes much of little: at a rate of 0.02 PyTorch's own losses in
float are 0.2 from those in double. At 2e-5 they are 3e-5 from them, and 4e-3 from those of a
network that is not trained.
"""


@dataclass(frozen=True)
class Curve:
    """The losses of all steps, and the trained weights as bytes."""

    losses: Array
    weights: bytes


def model_of(name: str, way: Way) -> tuple[Any, str]:
    """The model for a micro-batch, with its stages, and the id of the loss."""
    make, more, layers, _ = MODELS[name]
    mark = Stages(layers, way.stages, way.ipus) if way.stages > 1 else unmarked
    return make(mark, rows=ROWS // way.batches, **more)


def samples(name: str, steps: int) -> Mapping[str, Array]:
    """What all ways train on: [steps, ROWS, ...]."""
    found = data(model_of(name, WAYS["plain"])[0], max(steps, 2), seed=7)
    return {id: value[:steps] for id, value in found.items()}


def train(name: str, way: Way, steps: int) -> Curve:
    """Trains the replicas of this process, and gives the losses of all."""
    model, loss = model_of(name, way)
    options = popir.SessionOptions(
        autoRecomputation=way.recomputed,
        enablePipelining=way.is_pipelined,
        engineOptions={"host.numThreads": "1", "host.without": "planes,columns"},
    )
    options.batchSerializationSettings.factor = way.parts
    options.batchSerializationSettings.method = way.method
    if way.batches > 1:
        options.accumulationAndReplicationReductionType = popir.ReductionType.Mean
    on = popir.TensorLocation(replicatedTensorSharding=popir.ReplicatedTensorSharding.On)
    for kind in way.sharded:
        if kind == "accumulator" and way.batches == way.replicas:
            continue
        settings = popir.TensorLocationSettings(on, minElementsForReplicatedTensorSharding=2)
        setattr(options, f"{kind}TensorLocationSettings", settings)
    if way.stages > 1:
        options.virtualGraphMode = popir.VirtualGraphMode.Manual
    local = way.replicas // way.ranks
    if way.ranks > 1:
        popdist.configureSessionOptions(options)
    else:
        options.enableReplicatedGraphs, options.replicatedGraphCount = local > 1, local
    factor = way.batches // way.replicas
    options.enableGradientAccumulation, options.accumulationFactor = factor > 1, factor
    devices = popir.DeviceManager()
    device = (
        devices.createIpuModelDevice({"numIPUs": way.ipus, "tilesPerIPU": 64})
        if way.stages > 1
        else devices.createCpuDevice()
    )
    sgd = popir.SGD(
        {"defaultLearningRate": (MODELS[name][3], True), "defaultMomentum": (MOMENTUM, True)},
        accumulatorAndMomentum=popir.SGDAccumulatorAndMomentum.Separate,
    )
    session = popir.TrainingSession(
        *(model, popir.DataFlow(1, [loss]), loss, sgd, device), userOptions=options
    )
    session.prepareDevice()
    first = options.globalReplicaOffset
    losses: list[Any] = []
    for n in range(steps):
        anchors = session.initAnchorArrays()
        inputs: dict[str, Array] = {}
        for id, value in samples(name, steps).items():
            # Replica r has the micro-batches from r * factor on: [factor, replicas, rows, ...].
            rows = value[n].reshape(way.replicas, factor, -1, *value.shape[2:])
            own = rows[first : first + local].swapaxes(0, 1)
            inputs[id] = np.ascontiguousarray(own).reshape(-1, *value.shape[2:])
        session.run(popir.PyStepIO(inputs, anchors))
        losses.append(float(anchors[loss].astype(np.float64).mean()))
    if way.ranks > 1:
        losses = np.array(popdist.gather("losses", losses)).mean(0).tolist()
    session.weightsToHost()
    trained = [id for id, choice in session.choices.items() if choice.role is Role.TRAINED]
    weights = {id: np.empty(session.getInfo(id).shape(), np.float32) for id in trained}
    session.readWeights(popir.PyWeightsIO(weights))
    return Curve(np.array(losses), b"".join(w.tobytes() for w in weights.values()))


def by_ranks(name: str, way: str, steps: int) -> Curve:
    """The same in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        each = str(WAYS[way].replicas // WAYS[way].ranks)
        made = [sys.executable, "-m", "popir", "run-distributed", "-n", str(WAYS[way].ranks)]
        made += ["--replicas", each, __file__, "--rank", folder, name, way, str(steps)]
        subprocess.run(made, cwd=ROOT, check=True)
        with np.load(Path(folder) / "curve.npz") as found:
            return Curve(found["losses"], found["weights"].tobytes())


def as_rank(folder: str, name: str, way: str, steps: str) -> None:
    """What one of these processes does."""
    popdist.init()
    found = train(name, WAYS[way], int(steps))
    if popdist.getInstanceIndex() == 0:
        weights = np.frombuffer(found.weights, np.uint8)
        np.savez(Path(folder) / "curve.npz", losses=found.losses, weights=weights)


def by_torch(name: str, batches: int, steps: int) -> Array:
    """PyTorch's losses, with the mean of the gradients of so many micro-batches."""
    import onnx
    import torch
    from torch.nn import functional as F

    from popir.onnxio.load import load

    model = load(model_of(name, WAYS["plain"])[0]).model
    given = [torch.tensor(onnx.numpy_helper.to_array(w)) for w in model.graph.initializer]
    given = [w.requires_grad_() for w in given if w.dtype == torch.float32]
    network = torch_transformer if name == "transformer" else torch_resnet
    optimizer = torch.optim.SGD(given, MODELS[name][3], MOMENTUM)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    losses: list[float] = []
    for n in range(steps):
        optimizer.zero_grad()
        total = 0.0
        parts = [np.split(value[n], batches) for value in samples(name, steps).values()]
        for x, labels in zip(*parts, strict=True):
            scores = network(torch.tensor(x), iter(given)).flatten(0, -2)
            loss = F.cross_entropy(scores, torch.tensor(labels).flatten().long()) / batches
            loss.backward()
            total += loss.item()
        optimizer.step()
        losses.append(total)
    torch.set_num_threads(threads)
    return np.array(losses)


def torch_transformer(x: Any, weights: Iterator[Any], heads: int = 2, blocks: int = 2) -> Any:
    """`tests.large_models.transformer`, whose weights come in the order in which it makes them."""
    from torch.nn import functional as F

    rows, length, width = x.shape

    def norm(x: Any) -> Any:
        return F.layer_norm(x, [width], next(weights), next(weights), 1e-5)

    def linear(x: Any) -> Any:
        return x @ next(weights) + next(weights)

    for _ in range(blocks):
        h = norm(x)
        q, k, v = (linear(h).view(rows, length, heads, -1).transpose(1, 2) for _ in range(3))
        scores = (q @ k.transpose(2, 3) * (width // heads) ** -0.5).softmax(-1)
        x = x + linear((scores @ v).transpose(1, 2).reshape(rows, length, width))
        x = x + linear(F.gelu(linear(norm(x)), approximate="tanh"))
    return linear(norm(x))


def torch_resnet(x: Any, weights: Iterator[Any]) -> Any:
    """`tests.large_models.resnet`, likewise."""
    from torch.nn import functional as F

    def layer(x: Any, stride: int = 1) -> Any:
        kernel = next(weights)
        x = F.conv2d(x, kernel, stride=stride, padding=kernel.shape[2] // 2)
        scale, bias, _, _ = (next(weights) for _ in range(4))
        return F.batch_norm(x, None, None, scale, bias, True)

    x = layer(x).relu()
    for n in range(8):
        stride = 2 if n in (2, 4, 6) else 1
        h = layer(layer(x, stride).relu())
        x = (h + (layer(x, stride) if stride == 2 else x)).relu()
    return x.mean((2, 3)) @ next(weights) + next(weights)


def rows(
    steps: int, ways: Collection[str], models: Collection[str] = tuple(MODELS)
) -> Iterator[tuple[str, str, float, str, bool | None]]:
    """For each model and way: both, the largest difference from PyTorch, the way that it is alike,
    and whether it is.
    """
    for name in models:
        curves: dict[str, Curve] = {}

        def curve(way: str, name: str = name, curves: dict[str, Curve] = curves) -> Curve:
            if way not in curves:
                is_spread = WAYS[way].ranks > 1
                made = by_ranks(name, way, steps) if is_spread else train(name, WAYS[way], steps)
                curves[way] = made
            return curves[way]

        torch = {n: by_torch(name, n, steps) for n in (1, ROWS // EACH)}
        for way, how in WAYS.items():
            if way not in ways:
                continue
            found = curve(way)
            difference = float(np.abs(found.losses - torch[how.batches]).max())
            alike = how.alike if name in how.models else ""
            equal = None
            if alike:
                want = curve(alike)
                same = np.array_equal(found.losses, want.losses) or how.ranks > 1
                equal = same and found.weights == want.weights
            yield name, way, difference, alike, equal


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="tests.scale")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--steps", type=int, default=50)
    asked = parser.parse_args()
    print(f"{asked.steps} steps of {ROWS} samples; differences of losses from PyTorch's\n")
    print("| model | way | difference | the same bits as |\n|---|---|---|---|")
    is_fine = True
    words = asked.words or [""]
    ways = [way for way in WAYS if any(word in way for word in words)]
    for name, way, difference, alike, equal in rows(asked.steps, ways):
        said = alike if equal else f"NOT {alike}" if alike else ""
        print(f"| {name} | {way} | {difference:.1e} | {said} |", flush=True)
        is_fine = is_fine and difference <= TOLERANCE and equal is not False
    return 0 if is_fine else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        as_rank(*sys.argv[2:])
    else:
        sys.exit(main())
