"""The collective operators, against numpy and, for gradients, the sum of all replicas' losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import popir
from popir import CollectiveOperator, CommGroup, CommGroupType, poplar
from popir.errors import popart_exception, poplar_exception
from popir.poplar import program
from tests.models import Array, floats, training_session

N = 4
X = floats(N, 3, 7, seed=1)
REDUCTIONS: dict[str, Any] = {
    "Add": lambda x: x.sum(0),
    "Mean": lambda x: x.mean(0),
    "Mul": lambda x: x.prod(0),
    "Min": lambda x: x.min(0),
    "Max": lambda x: x.max(0),
    "SquareAdd": lambda x: (x * x).sum(0),
    "LogicalAnd": lambda x: x.all(0),
    "LogicalOr": lambda x: x.any(0),
}


def replicas(count: int = N) -> popir.SessionOptions:
    return popir.SessionOptions(enableReplicatedGraphs=True, replicatedGraphCount=count)


def results(x: Array, add: Any) -> Array:
    """What each replica gets of `add(builder, x)`."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    y = add(builder, builder.addInputTensor(popir.TensorInfo(x[0]), "x"))
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createCpuDevice(),
        userOptions=replicas(len(x)),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    return anchors[y]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int32])
def test_reductions(name: str, kind: Any) -> None:
    x = np.round(3 * X).astype(kind)
    operator = CollectiveOperator[name]
    found = results(x, lambda b, t: b.aiGraphcore.replicatedallreduce([t], operator))
    if name == "Mean" and kind is np.int32:
        want = np.trunc(x.sum(0) / N).astype(kind)
    else:
        want = REDUCTIONS[name](x.astype(np.float64)).astype(kind)
    np.testing.assert_allclose(found, np.broadcast_to(want, x.shape), rtol=1e-6)
    np.testing.assert_array_equal(found, np.broadcast_to(found[0], x.shape))


def test_local_keeps_what_a_replica_has() -> None:
    def add(b: Any, t: str) -> str:
        return b.aiGraphcore.replicatedallreduce([t], CollectiveOperator.Local)

    np.testing.assert_array_equal(results(X, add), X)

    def scatter(b: Any, t: str) -> str:
        return b.aiGraphcore.replicatedreducescatter([t], CollectiveOperator.Local)

    elements = X[0].size
    part = -(-elements // N)
    assert part * N > elements  # zeros fill the last part up
    for n, found in enumerate(results(X, scatter)):
        own = np.append(X[n].reshape(-1), np.zeros(part * N - elements, np.float32))
        np.testing.assert_array_equal(found, own[n * part : (n + 1) * part])


GROUPS = {
    (CommGroupType.All, 0): [[0, 1, 2, 3]],
    (CommGroupType.Consecutive, 2): [[0, 1], [2, 3]],
    (CommGroupType.Orthogonal, 2): [[0, 2], [1, 3]],
    (CommGroupType.Ungrouped, 0): [[0], [1], [2], [3]],
}


@pytest.mark.parametrize("key", GROUPS, ids=lambda key: key[0].name)
def test_groups_of_replicas(key: Any) -> None:
    group = CommGroup(*key)

    def reduce(b: Any, t: str) -> str:
        with b.commGroup(*key):
            return b.aiGraphcore.replicatedallreduce([t])

    def scatter(b: Any, t: str) -> str:
        return b.aiGraphcore.replicatedreducescatter([t], commGroup=group)

    def gather(b: Any, t: str) -> str:
        return b.aiGraphcore.replicatedallgather([t], commGroup=group)

    reduced, scattered, gathered = (results(X, add) for add in (reduce, scatter, gather))
    for members in GROUPS[key]:
        total = X[members[0]].copy()
        for member in members[1:]:
            total += X[member]  # the order of the sum is that of the replicas
        parts = np.zeros([len(members), -(-total.size // len(members))], np.float32)
        parts.reshape(-1)[: total.size] = total.reshape(-1)
        for member, part in zip(members, parts, strict=True):
            np.testing.assert_array_equal(reduced[member], total)
            np.testing.assert_array_equal(scattered[member], part)
            np.testing.assert_array_equal(gathered[member], X[members].reshape(-1))


def test_groups_that_do_not_divide_the_replicas_are_refused() -> None:
    def add(b: Any, t: str) -> str:
        group = CommGroup(CommGroupType.Consecutive, 3)
        return b.aiGraphcore.replicatedallreduce([t], commGroup=group)

    with pytest.raises(popart_exception, match=r"[Gg]roups of 3 replicas .* do not divide 4"):
        results(X, add)


def forward(kind: str, v: Array) -> Array:
    """The operator's results for all replicas, of values in double."""
    if kind == "replicatedallgather":
        return np.stack([v.reshape(-1)] * N)
    total = v.sum(0)
    if kind == "replicatedallreduce":
        return np.stack([total] * N)
    parts = np.zeros([N, -(-total.size // N)])
    parts.reshape(-1)[: total.size] = total.reshape(-1)
    return parts


@pytest.mark.parametrize(
    "kind", ["replicatedallreduce", "replicatedreducescatter", "replicatedallgather"]
)
def test_gradients_are_those_of_the_sum_of_all_losses(kind: str) -> None:
    """Against central differences of the sum over the replicas of (c y)^2, with a c for each."""
    x = floats(N, 2, 3, seed=5)
    shape = forward(kind, x.astype(np.float64)).shape
    c = floats(*shape, seed=6)
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    t = builder.addInputTensor(popir.TensorInfo(x[0]), "x")
    factors = builder.addInputTensor(popir.TensorInfo(c[0]), "c")
    w = builder.addInitializedInputTensor(np.zeros([2, 3], np.float32), "w")
    y = getattr(builder.aiGraphcore, kind)([builder.aiOnnx.add([t, w])])
    y = builder.aiOnnx.mul([factors, y])
    square = builder.aiOnnx.mul([y, y])
    loss = builder.aiGraphcore.identityloss([square], reduction=popir.ReductionType.Sum)
    anchors = ["Gradient___w", loss]
    session = training_session(builder.getModelProto(), loss, anchors, options=replicas())
    arrays = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x, "c": c}, arrays))

    def total(v: Array) -> float:
        return float(((c * forward(kind, v)) ** 2).sum())

    v, step = x.astype(np.float64), 1e-5
    want = np.zeros_like(v)
    for i in np.ndindex(*v.shape):
        for sign in (1, -1):
            moved = v.copy()
            moved[i] += sign * step
            want[i] += sign * total(moved) / (2 * step)
    np.testing.assert_allclose(arrays["Gradient___w"], want, rtol=1e-3, atol=1e-4)


def test_a_group_of_fewer_than_no_replicas_is_refused() -> None:
    with pytest.raises(popart_exception, match="CommGroup: replicaGroupSize = -2; expected is the"):
        CommGroup(CommGroupType.Consecutive, -2)


def test_replicas_without_an_engine_of_their_own_are_refused() -> None:
    graph = poplar.Graph(poplar.Device.createCPUDevice(), 2)
    engine = poplar.Engine(graph, [program.Sequence()])
    with pytest.raises(poplar_exception, match="no engines given; each replica has one"):
        poplar.Replicas([])
    with pytest.raises(poplar_exception, match="an engine is given twice"):
        poplar.Replicas([engine, engine])


@pytest.mark.parametrize("kind", [np.uint32, np.int64, np.uint64, np.uint8])
def test_types_whose_names_are_two_words(kind: Any) -> None:
    x = np.arange(X.size, dtype=kind).reshape(X.shape)
    found = results(x, lambda b, t: b.aiGraphcore.replicatedallgather([t]))
    np.testing.assert_array_equal(found, np.broadcast_to(x.reshape(-1), (N, x.size)))
