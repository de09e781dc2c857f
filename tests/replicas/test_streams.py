"""What the host exchanges with replicas: inputs, anchors, weights, random numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import CommGroup, CommGroupType, VariableRetrievalMode, VariableSettings
from popir.checkpoint import Writer, read
from popir.errors import CheckpointError, StepIOError, popart_exception, poplar_exception
from popir.types import TensorInfo
from tests.models import Array, floats, step, training_session
from tests.replicas.instances import averages, averaging

N = 4
CPU = popir.DeviceManager().createCpuDevice


def replicas(count: int = N, **more: Any) -> popir.SessionOptions:
    return popir.SessionOptions(enableReplicatedGraphs=True, replicatedGraphCount=count, **more)


def inference(model: Any, flow: popir.DataFlow, asked: Any = None, device: Any = None) -> Any:
    session = popir.InferenceSession(model, flow, device or CPU(), userOptions=asked or replicas())
    session.prepareDevice()
    return session


def doubled(mode: popir.ReplicatedStreamMode = popir.ReplicatedStreamMode.Replicate) -> Any:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2], popir.InputSettings(mode), "x")
    return builder.getModelProto, builder.aiOnnx.add([x, x])


@pytest.mark.parametrize(
    ("kind", "shape"),
    [("All", (6, N, 2)), ("Final", (N, 2)), ("Sum", (N, 2)), ("EveryN", (3, N, 2))],
)
@pytest.mark.parametrize("callback", [False, True])
def test_arrays_have_a_dimension_of_replicas(kind: str, shape: Any, callback: bool) -> None:
    model, y = doubled()
    art = popir.AnchorReturnType(kind, 2) if kind == "EveryN" else popir.AnchorReturnType(kind)
    session = inference(model(), popir.DataFlow(6, {y: art}))
    anchors = session.initAnchorArrays()
    assert anchors[y].shape == shape
    x = floats(6, N, 2)
    if callback:
        given, taken = iter(x.reshape(-1, 2)), iter(anchors[y].reshape(-1, 2))
        stepio: Any = popir.PyStepIOCallback(
            lambda id, ahead: next(given), lambda id: None, lambda id: next(taken), lambda id: None
        )
    else:
        stepio = popir.PyStepIO({"x": x}, anchors)
    session.run(stepio)
    want = {"All": 2 * x, "Final": 2 * x[-1], "Sum": 2 * x.sum(0), "EveryN": 2 * x[1::2]}[kind]
    np.testing.assert_allclose(anchors[y], want, rtol=1e-6)


def test_all_replicas_get_a_broadcast_input() -> None:
    model, y = doubled(popir.ReplicatedStreamMode.Broadcast)
    session = inference(model(), popir.DataFlow(3, [y]))
    x = floats(3, 2)
    found = step(session, {"x": x})[y]
    np.testing.assert_array_equal(found, np.repeat(2 * x[:, None], N, 1))


def test_an_array_without_all_replicas_is_refused() -> None:
    model, y = doubled()
    session = inference(model(), popir.DataFlow(3, [y]))
    with pytest.raises(StepIOError, match="12 batches of all replicas, which is 24 elements"):
        step(session, {"x": floats(3, 2)})


def test_replicas_draw_different_numbers() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [64], "x")
    (y,) = builder.aiOnnx.dropout([x], 1, ratio=0.5)
    w = builder.addInitializedInputTensor(np.ones(64, np.float32), "w")
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([y, w])])
    session = training_session(builder.getModelProto(), loss, [y], batches=5, options=replicas())
    x = np.ones((5, N, 64), np.float32)
    session.setRandomSeed(7)
    first = step(session, {"x": x})[y].reshape(5 * N, 64)
    session.setRandomSeed(7)
    again = step(session, {"x": x})[y].reshape(5 * N, 64)
    np.testing.assert_array_equal(first, again)
    assert len({row.tobytes() for row in first}) == 5 * N
    assert session.getRandomSeed() == 12


SETTINGS = {
    "all": (VariableSettings(), [0, 0, 0, 0]),
    "consecutive": (VariableSettings(CommGroup(CommGroupType.Consecutive, 2)), [0, 0, 1, 1]),
    "orthogonal": (VariableSettings(CommGroup(CommGroupType.Orthogonal, 2)), [0, 1, 0, 1]),
    "stride": (VariableSettings(2, 2, VariableRetrievalMode.OnePerGroup), [0, 1, 0, 1]),
    "ungrouped": (VariableSettings(CommGroup(CommGroupType.Ungrouped)), [0, 1, 2, 3]),
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("mode", VariableRetrievalMode.__members__.values(), ids=lambda m: m.name)
def test_groups_of_replicas_have_weights_of_their_own(
    name: str, mode: VariableRetrievalMode, tmp_path: Path
) -> None:
    """The weight of each group becomes w - rate * the sum of its replicas' x."""
    settings, groups = SETTINGS[name]
    count = max(groups) + 1
    if settings.isUsingCommGroup():
        settings = VariableSettings(settings.getSharedVariableDomain(), mode)
    else:
        settings = VariableSettings(2, 2, mode)
    initial = floats(*([count] if count > 1 else []), 3, seed=3)
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [3], "x")
    w = builder.addInitializedInputTensor(initial, settings, "w")
    y = builder.aiOnnx.mul([x, w])
    loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    rate = popir.ConstSGD(0.5)
    session = training_session(builder.getModelProto(), loss, [y], rate, options=replicas())
    x = floats(N, 3, seed=4)
    own = initial.reshape(count, 3)[groups]
    np.testing.assert_array_equal(step(session, {"x": x})[y], x * own)
    want = np.stack(
        [own[r] - 0.5 * sum(x[s] for s in range(N) if groups[s] == groups[r]) for r in range(N)]
    )
    np.testing.assert_allclose(step(session, {"x": x})[y], x * want, rtol=1e-5, atol=1e-6)

    rows = settings.numReplicasReturningVariable(N)
    want = want - 0.5 * np.stack(
        [sum(x[s] for s in range(N) if groups[s] == groups[r]) for r in range(N)]
    )
    if mode is VariableRetrievalMode.AllReplicas:
        expected = want
    else:
        firsts = [groups.index(g) for g in range(count)]
        sizes = [groups.count(g) for g in range(count)]
        is_sum = mode is VariableRetrievalMode.AllReduceReplicas
        expected = np.stack(
            [want[f] * (n if is_sum else 1) for f, n in zip(firsts, sizes, strict=True)]
        )
    found = np.empty([rows, 3] if initial.ndim > 1 or rows > 1 else [3], np.float32)
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO({"w": found}))
    np.testing.assert_allclose(found.reshape(rows, 3), expected, rtol=1e-5, atol=1e-6)


def test_a_weight_without_a_value_for_each_group_is_refused() -> None:
    builder = popir.Builder()
    group = VariableSettings(CommGroup(CommGroupType.Consecutive, 2))
    w = builder.addInitializedInputTensor(np.ones((3, 2), np.float32), group, "w")
    y = builder.aiOnnx.relu([w])
    with pytest.raises(popart_exception, match=r"'w' has the shape \[3, 2\], and 2 groups"):
        inference(builder.getModelProto(), popir.DataFlow(1, [y]))


def test_each_replica_has_its_share_of_the_ipus() -> None:
    model, y = doubled()
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 4, "tilesPerIPU": 4})
    session = inference(model(), popir.DataFlow(1, [y]), replicas(2), device)
    x = floats(2, 2)
    np.testing.assert_array_equal(step(session, {"x": x})[y], 2 * x)
    with pytest.raises(popart_exception, match="4 IPUs; expected is a multiple"):
        inference(model(), popir.DataFlow(1, [y]), replicas(3), device)
    with pytest.raises(popart_exception, match="enableReplicatedGraphs = True only"):
        inference(model(), popir.DataFlow(1, [y]), popir.SessionOptions(replicatedGraphCount=2))


@pytest.mark.timeout(60)
def test_a_replica_that_fails_ends_all() -> None:
    """One replica divides by zero before the others wait for it in a collective."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [2], "x")
    y = builder.aiGraphcore.replicatedallreduce([builder.aiOnnx.log([x])])
    checks = replicas(enableFloatingPointChecks=True)
    session = inference(builder.getModelProto(), popir.DataFlow(1, [y]), checks)
    x = np.full((N, 2), np.e, np.float32)
    x[2] = -1
    with pytest.raises(poplar_exception, match="Log"):
        step(session, {"x": x})
    x[2] = np.e
    np.testing.assert_allclose(step(session, {"x": x})[y], N, rtol=1e-6)


@pytest.mark.timeout(60)
def test_replicas_that_part_are_no_deadlock() -> None:
    """A collective in a branch that one replica does not take."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [2], "x")
    c = builder.addInputTensor("BOOL", [], "c")
    yes, no = builder.createSubgraphBuilder(), builder.createSubgraphBuilder()
    for branch in (yes, no):
        branch.addInputTensorFromParentGraph(x)
    yes.addOutputTensor(yes.aiGraphcore.replicatedallreduce([x]))
    no.addOutputTensor(no.aiOnnx.relu([x]))
    (y,) = builder.aiOnnx.logical_if([c], 1, no, yes)
    session = inference(builder.getModelProto(), popir.DataFlow(1, [y]))
    x = floats(N, 2)
    with pytest.raises(poplar_exception, match="replica 1 has ended its program"):
        step(session, {"x": x, "c": np.array([1, 0, 1, 1], bool)})
    total = step(session, {"x": x, "c": np.ones(N, bool)})[y]
    np.testing.assert_allclose(total, np.repeat(x.sum(0)[None], N, 0), rtol=1e-5)


def test_a_checkpoint_goes_on_bit_for_bit(tmp_path: Path) -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [8, 5], "x")
    w = builder.addInitializedInputTensor(floats(5, 3), "w")
    (h,) = builder.aiOnnx.dropout([builder.aiOnnx.matmul([x, w])], 1, ratio=0.3)
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([h, h])])
    x = floats(6, N, 8, 5, seed=2)

    def session() -> Any:
        adam = popir.Adam({"defaultLearningRate": (0.01, False)})
        return training_session(builder.getModelProto(), loss, [loss], adam, options=replicas())

    def run(session: Any, steps: range) -> list[Array]:
        return [step(session, {"x": x[n]})[loss] for n in steps]

    whole, first, second = session(), session(), session()
    want = run(whole, range(6))
    run(first, range(3))
    first.save(tmp_path)
    second.load(tmp_path)
    np.testing.assert_array_equal(run(second, range(3, 6)), want[3:])


@pytest.mark.parametrize("way", ["model", "checkpoint", "variables", "host"])
@pytest.mark.parametrize("mode", VariableRetrievalMode.__members__.values(), ids=lambda m: m.name)
@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_training_goes_on_with_the_weights_and_states_of_groups(
    optimizer: str, size: int, mode: VariableRetrievalMode, way: str, tmp_path: Path
) -> None:
    """Also where the host gets sums, which no replica has, and of states without dimensions."""
    settings = VariableSettings(CommGroup(CommGroupType.Orthogonal, size), mode)
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [8, 5], "x")
    w = builder.addInitializedInputTensor(floats(*[2] * (size == 2), 5, 3), settings, "w")
    h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, w])])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([h, h])])
    x = floats(6, N, 8, 5, seed=2)

    def session(model: Any) -> Any:
        numbers = {"defaultLearningRate": (0.1, True), "defaultWeightDecay": (0.1, True)}
        momentum = {"defaultMomentum": (0.9, True)}
        made = popir.SGD(numbers | momentum) if optimizer == "SGD" else popir.Adam(numbers)
        return training_session(model, loss, [loss], made, options=replicas())

    def run(session: Any, steps: range) -> list[Array]:
        return [step(session, {"x": x[n]})[loss] for n in steps]

    def got(session: Any) -> list[Array]:
        """What the host gets of the weight, and of its states."""
        session.weightsToHost()
        groups, rows = N // size, settings.numReplicasReturningVariable(N)
        of_state = rows if mode is VariableRetrievalMode.AllReplicas else groups
        first = [of_state] * (of_state > 1)
        shapes = {"w": [*[rows] * (rows > 1), 5, 3]}
        if optimizer == "SGD":
            shapes["Accl___w"] = [*first, 5, 3]
        else:
            shapes |= {"Accl1___w": [*first, 5, 3], "Accl2___w": [*first, 5, 3], "Step___w": first}
        found = {id: np.empty(shape, np.float32) for id, shape in shapes.items()}
        session.readWeights(popir.PyWeightsIO(found))
        return list(found.values())

    whole = session(builder.getModelProto())
    want = run(whole, range(6))
    first = session(builder.getModelProto())
    run(first, range(3))
    file = str(tmp_path / "file")
    if way == "model":
        first.modelToHost(file)
        second = session(file)
    elif way == "checkpoint":
        first.save(tmp_path)
        second = session(builder.getModelProto())
        second.load(tmp_path)
    elif way == "variables":
        first.weightsToHost()
        first.saveVariables(file)
        second = session(builder.getModelProto())
        second.loadExecutable(file)
        second.weightsFromHost()
    else:
        first.weightsToHost()
        first.weightsFromHost()
        second = first
    np.testing.assert_array_equal(run(second, range(3, 6)), want[3:])
    for found, expected in zip(got(second), got(whole), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("way", ["checkpoint", "host"])
@pytest.mark.parametrize("mode", VariableRetrievalMode.__members__.values(), ids=lambda m: m.name)
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_each_replica_goes_on_with_what_it_has_changed_itself(
    groups: int, mode: VariableRetrievalMode, way: str, tmp_path: Path
) -> None:
    settings = VariableSettings(CommGroup(CommGroupType.Consecutive, N // groups), mode)
    model, v, loss = averaging(settings, groups)
    x = np.random.default_rng(5).integers(-8, 8, (6, N, 3)).astype(np.float32)
    want = averages(x)
    first = training_session(model, loss, [v], options=replicas())
    for n in range(3):
        np.testing.assert_array_equal(step(first, {"x": x[n]})[v], want[n])
    second = first
    if way == "checkpoint":
        first.save(tmp_path)
        second = training_session(model, loss, [v], options=replicas())
        second.load(tmp_path)
        second.save(tmp_path)
        second.load(tmp_path)
    else:
        first.weightsToHost()
        first.weightsFromHost()
    for n in range(3, 6):
        np.testing.assert_array_equal(step(second, {"x": x[n]})[v], want[n])


def test_what_replicas_have_of_their_own_in_sessions_that_differ(tmp_path: Path) -> None:
    """Of other replicas, the value of the first one; and what the host writes, for all."""
    model, v, loss = averaging(VariableSettings())
    x = np.random.default_rng(5).integers(-8, 8, (3, N, 3)).astype(np.float32)
    first = training_session(model, loss, [v], options=replicas())
    for each in x[:2]:
        step(first, {"x": each})
    first.save(tmp_path)
    held = averages(x)[1]
    for count in (1, 2):
        asked = replicas(count) if count > 1 else None
        other = training_session(model, loss, [v], options=asked)
        other.load(tmp_path)
        found = step(other, {"x": x[2, :count]})[v]
        np.testing.assert_array_equal(found.reshape(count, 3), held[0] / 2 + x[2, :count])
    as_inference = inference(model, popir.DataFlow(1, [v]))
    as_inference.load(tmp_path)
    np.testing.assert_array_equal(step(as_inference, {"x": x[2]})[v], averages(x)[2])
    written = np.array([2, 4, 6], np.float32)
    as_inference.writeWeights(popir.PyWeightsIO({"v": written}))
    as_inference.weightsFromHost()
    np.testing.assert_array_equal(step(as_inference, {"x": x[2]})[v], written / 2 + x[2])

    ungrouped = VariableSettings(CommGroup(CommGroupType.Ungrouped))
    model, v, loss = averaging(ungrouped, N)
    with pytest.raises(CheckpointError, match="'v' is FLOAT"):
        training_session(model, loss, [v], options=replicas()).load(tmp_path)


def test_what_replicas_have_in_common_is_saved_once(tmp_path: Path) -> None:
    """Weights and states of an optimizer; also where all replicas get the same numbers."""
    model, v, loss = averaging(VariableSettings())
    adam = popir.Adam({"defaultLearningRate": (0.1, True)})
    session = training_session(model, loss, [v], adam, options=replicas())
    x = floats(2, N, 3)
    step(session, {"x": np.repeat(x[:1, :1], N, 1)[0]})
    session.save(tmp_path)
    names = {"v", "w", "Accl1___w", "Accl2___w", "Step___w"}
    assert read(tmp_path).manifest.tensors.keys() == names
    step(session, {"x": x[1]})
    session.save(tmp_path)
    assert read(tmp_path).manifest.tensors.keys() == {*names, "Replicas___v"}


@pytest.mark.parametrize("shape", [(), (N, 2)])
def test_values_of_replicas_that_are_none_are_refused(shape: Any, tmp_path: Path) -> None:
    """A checkpoint whose digests are right, and what it says of replicas is not."""
    builder = popir.Builder()
    w = builder.addInitializedInputTensor(np.float32(3), "w")
    y = builder.aiOnnx.add([w, w])
    session = inference(builder.getModelProto(), popir.DataFlow(1, [y]))
    session.save(tmp_path)
    found = read(tmp_path)
    arrays = {"w": np.array(7, np.float32), "Replicas___w": np.ones(shape, np.float32)}
    manifest = replace(found.manifest, tensors={id: TensorInfo(a) for id, a in arrays.items()})
    with Writer(tmp_path, 0) as writer:
        writer.commit(manifest, [writer.write(arrays, 0, 1)])
    with pytest.raises(CheckpointError, match="what it has of the replicas' 'w' is FLOAT"):
        session.load(tmp_path)
    np.testing.assert_array_equal(step(session, {})[y], np.full(N, 6))
