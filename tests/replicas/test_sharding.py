"""Replicated tensor sharding: replicas that keep shards of weights, states and accumulators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import CommGroup, CommGroupType, ReplicatedTensorSharding, TensorLocation
from popir.errors import popart_exception
from popir.options import OptionWarning
from popir.replicas import ReplicaGrouping
from tests.models import Array, floats

W: dict[str, Array] = {"a": floats(5, 7, seed=1), "c": floats(7, seed=2), "b": floats(7, 3, seed=3)}
"""Of sizes that neither 2 nor 4 divide, and more."""
STEPS, ROWS = 3, 4
WEIGHT, STATE, ACCUMULATOR = "weight", "optimizerState", "accumulator"
ALL = (WEIGHT, STATE, ACCUMULATOR)
ON = ReplicatedTensorSharding.On
RATE = {"defaultLearningRate": (0.05, True)}
MOMENTUM = {**RATE, "defaultMomentum": (0.9, True), "defaultWeightDecay": (0.1, True)}
SEPARATE = popir.SGDAccumulatorAndMomentum.Separate
SCALED = {**RATE, "lossScaling": (8.0, False)}
CLIPPED = [popir.ClipNormSettings.clipAllWeights(0.5)]
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: popir.SGD(RATE),
    "combined": lambda: popir.SGD(MOMENTUM),
    "separate": lambda: popir.SGD(MOMENTUM, accumulatorAndMomentum=SEPARATE),
    "adam": lambda: popir.Adam({**RATE, "defaultWeightDecay": (0.1, True)}),
    "scaled": lambda: popir.Adam(SCALED, scaled_optimizer_state=True),
    "rmsprop": lambda: popir.Adaptive(RATE, popir.AdaptiveMode.RMSProp),
}
OVER_ALL: dict[str, Callable[[], Any]] = {
    "clipped": lambda: popir.SGD(MOMENTUM, CLIPPED),
    "lamb": lambda: popir.Adam(RATE, popir.AdamMode.Lamb),
}
"""Those that need norms of whole tensors."""


def model(settings: popir.VariableSettings | None = None, groups: int = 1) -> tuple[bytes, str]:
    """The mean of (tanh(x a + c) b)^2; with `settings`, each group of replicas has weights of its
    own.
    """
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [ROWS, 5], "x")
    ids: dict[str, str] = {}
    for id, value in W.items():
        if settings is None:
            ids[id] = builder.addInitializedInputTensor(value, id)
        else:
            own = np.stack([value + n for n in range(groups)]) if groups > 1 else value
            ids[id] = builder.addInitializedInputTensor(own, settings, id)
    h = builder.aiOnnx.add([builder.aiOnnx.matmul([x, ids["a"]]), ids["c"]])
    y = builder.aiOnnx.matmul([builder.aiOnnx.tanh([h]), ids["b"]])
    square = builder.aiOnnx.mul([y, y])
    loss = builder.aiGraphcore.identityloss([square], reduction=popir.ReductionType.Mean)
    return builder.getModelProto(), loss


def options(
    replicas: int,
    kinds: Sequence[str] = (),
    batches: int = 1,
    least: int = 2,
    where: TensorLocation | None = None,
    **more: Any,
) -> popir.SessionOptions:
    asked = popir.SessionOptions(
        enableReplicatedGraphs=replicas > 1,
        replicatedGraphCount=replicas,
        enableGradientAccumulation=batches > 1,
        accumulationFactor=batches,
        engineOptions={"host.numThreads": "1"},
        **more,
    )
    location = where or TensorLocation(replicatedTensorSharding=ON)
    for kind in kinds:
        if kind == "accumulator" and batches == 1:
            continue
        settings = popir.TensorLocationSettings(location, 2, least)
        setattr(asked, f"{kind}TensorLocationSettings", settings)
    return asked


def session(
    optimizer: Any,
    asked: popir.SessionOptions,
    made: tuple[Any, str] | None = None,
    device: Any = None,
    anchors: Sequence[str] = (),
) -> Any:
    proto, loss = made or model()
    found = popir.TrainingSession(
        *(proto, popir.DataFlow(1, [loss, *anchors]), loss, optimizer),
        device or popir.DeviceManager().createCpuDevice(),
        userOptions=asked,
    )
    found.prepareDevice()
    return found


def train(found: Any, first: int = 0, steps: int = STEPS) -> dict[str, Array]:
    """Trains, and gives the losses, and the weights and states on the host."""
    shape = found.accumulationFactor, found.replicationFactor, ROWS, 5
    losses: list[Array] = []
    for n in range(first, first + steps):
        anchors = found.initAnchorArrays()
        found.run(popir.PyStepIO({"x": floats(*shape, seed=n)}, anchors))
        losses.append(next(iter(anchors.values())).copy())
    found.weightsToHost()
    return {"losses": np.array(losses)} | {id: each.copy() for id, each in found._host.items()}


def require_equal(found: dict[str, Array], want: dict[str, Array]) -> None:
    assert found.keys() == want.keys()
    for id, value in want.items():
        np.testing.assert_array_equal(found[id], value, err_msg=id)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_sharded_variables_train_as_whole_ones(name: str) -> None:
    """No bit differs, but where gradients are added over the replicas batch by batch."""
    make, replicas = OPTIMIZERS[name], 4 if name in ("separate", "adam") else 2
    for batches in (1, 3):
        want = train(session(make(), options(replicas, batches=batches)))
        assert np.abs(want["a"] - W["a"]).max() > 1e-3
        for kinds in ((STATE,), (WEIGHT,), ALL):
            made = session(make(), options(replicas, kinds, batches))
            found = train(made)
            if WEIGHT in kinds:
                assert {*W} <= made.graph.sharded.keys()
            if name != "sgd" and STATE in kinds and (name != "combined" or batches == 1):
                assert any(id.endswith("___a") for id in made.graph.sharded)
            if batches > 1 and ACCUMULATOR in kinds and name != "combined":
                assert "Accum___a" in made.graph.sharded
                for id, value in want.items():
                    np.testing.assert_allclose(found[id], value, 1e-4, 1e-5, err_msg=id)
            else:
                require_equal(found, want)


@pytest.mark.parametrize("name", OVER_ALL)
@pytest.mark.parametrize("kinds", [(STATE,), ALL])
def test_norms_are_those_of_whole_tensors(name: str, kinds: Sequence[str]) -> None:
    """Their squares are added shard by shard."""
    for batches in (1, 2):
        want = train(session(OVER_ALL[name](), options(4, batches=batches)))
        for dom in (None, CommGroup(CommGroupType.Orthogonal, 2)):
            where = TensorLocation(replicatedTensorSharding=ON, shardingDomain=dom)
            asked = options(4, kinds, batches, where=where)
            found = train(session(OVER_ALL[name](), asked))
            for id, value in want.items():
                np.testing.assert_allclose(found[id], value, 1e-4, 1e-5, err_msg=id)


def test_groups_of_the_sharding_domain() -> None:
    want = train(session(OPTIMIZERS["adam"](), options(4, batches=2)))
    for type in (CommGroupType.Consecutive, CommGroupType.Orthogonal):
        where = TensorLocation(replicatedTensorSharding=ON, shardingDomain=CommGroup(type, 2))
        made = session(OPTIMIZERS["adam"](), options(4, ALL, 2, where=where))
        stride = 1 if type is CommGroupType.Consecutive else 2
        assert {each.grouping for each in made.graph.sharded.values()} == {
            ReplicaGrouping(4, stride, 2)
        }
        assert made.graph.getTensor("a").info.shape() == [18]  # of 35 elements
        found = train(made)
        for id, value in want.items():
            np.testing.assert_allclose(found[id], value, 1e-4, 1e-5, err_msg=id)


def test_small_variables_stay_whole() -> None:
    made = session(OPTIMIZERS["adam"](), options(2, ALL, 2, least=21))
    assert {id.rpartition("_")[2] for id in made.graph.sharded} == {"a", "b"}
    made = session(OPTIMIZERS["adam"](), options(2, ALL, 2, least=22))
    assert {id.rpartition("_")[2] for id in made.graph.sharded} == {"a"}


@pytest.mark.parametrize("replicas", [2, 4])
def test_a_replica_needs_memory_for_its_shards_alone(replicas: int) -> None:
    """In the report of the machine, and on the host."""
    width = 300
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [ROWS, width], "x")
    w = builder.addInitializedInputTensor(floats(width, width), "w")
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.matmul([x, w])])
    size = 4 * width * width

    def bytes_of(kinds: Sequence[str]) -> tuple[int, int]:
        device = popir.DeviceManager().createIpuModelDevice({"numIPUs": replicas})
        asked = options(replicas, kinds)
        made = session(popir.Adam(RATE), asked, (builder.getModelProto(), loss), device)
        (on_machine,) = (m.totalBytes for m in made.getReport().memory if m.category == "variables")
        return on_machine, made._engine.arenaBytes()

    whole = bytes_of(())
    assert whole[0] >= 3 * size
    share = 1 - 1 / replicas
    for kinds, tensors in (((STATE,), 2), ((WEIGHT, STATE), 3)):
        found = bytes_of(kinds)
        assert whole[0] - found[0] == pytest.approx(tensors * share * size, rel=0.01)
        assert whole[1] - found[1] >= 0.99 * tensors * share * size


def test_gradients_do_not_stay_whole() -> None:
    """Each is scattered before the next one is computed."""
    layers, width = 6, 100
    builder = popir.Builder()
    h = builder.addInputTensor("FLOAT", [ROWS, width], "x")
    for n in range(layers):
        w = builder.addInitializedInputTensor(floats(width, width, seed=n), f"w{n}")
        h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([h, w])])
    loss = builder.aiGraphcore.identityloss([h])
    for kinds, batches in (((STATE,), 1), (ALL, 2)):
        device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 4})
        asked = options(4, kinds, batches)
        made = session(popir.Adam(RATE), asked, (builder.getModelProto(), loss), device)
        (found,) = (m.totalBytes for m in made.getReport().memory if m.category == "temporaries")
        assert found < 4 * width * width * (layers / 4 + 2)


def test_the_host_sees_whole_tensors(tmp_path: Path) -> None:
    made = session(OPTIMIZERS["adam"](), options(4, (WEIGHT, STATE)))
    state = {id: floats(*W["a"].shape, seed=9) for id in ("a", "Accl1___a")}
    made.writeWeights(popir.PyWeightsIO(state))
    made.weightsFromHost()
    made.writeWeights(popir.PyWeightsIO({id: 0 * each for id, each in state.items()}))
    made.weightsToHost()
    read = {id: np.empty(made.getInfo(id).shape(), np.float32) for id in state}
    made.readWeights(popir.PyWeightsIO(read))
    require_equal(read, state)
    made.modelToHost(str(tmp_path / "model.onnx"))
    again = session(
        OPTIMIZERS["adam"](), options(1), (str(tmp_path / "model.onnx"), made.dataFlow.anchors()[0])
    )
    require_equal({id: again._host[id] for id in state}, state)


@pytest.mark.parametrize("before", [(1, ()), (2, (WEIGHT, STATE)), (4, (STATE,))])
def test_checkpoints_are_those_of_whole_tensors(
    before: tuple[int, Sequence[str]], tmp_path: Path
) -> None:
    """Any number of replicas loads what any other one has saved."""
    saves = session(OPTIMIZERS["adam"](), options(*before))
    want = train(saves)
    saves.save(tmp_path)
    for after in ((1, ()), (2, ()), (4, (WEIGHT, STATE))):
        loads = session(OPTIMIZERS["adam"](), options(*after))
        assert loads.load(tmp_path).step == STEPS
        loads.weightsToHost()
        require_equal(
            {id: loads._host[id] for id in want if id != "losses"},
            {id: value for id, value in want.items() if id != "losses"},
        )


def test_training_goes_on_from_a_checkpoint_bit_for_bit(tmp_path: Path) -> None:
    saves = session(OPTIMIZERS["adam"](), options(2, (WEIGHT, STATE)))
    train(saves)
    saves.save(tmp_path)
    want = train(saves, STEPS)
    loads = session(OPTIMIZERS["adam"](), options(2, (STATE,)))
    loads.load(tmp_path)
    require_equal(train(loads, STEPS), want)


def test_anchors_stay_whole() -> None:
    ids = ["a", "FinalReducedGradient___b", "UpdatedVar___c"]
    made = session(OPTIMIZERS["adam"](), options(2, (WEIGHT, STATE)), anchors=ids)
    assert made.graph.sharded.keys() == {"Accl1___a", "Accl2___a"}
    why = {d.where: d.reason for d in made.decisions if d.what == "replicated tensor sharding"}
    for id, anchor in (("a", ids[0]), ("b", ids[1]), ("Accl1___b", ids[1]), ("Accl1___c", ids[2])):
        assert why[id] == f"'{anchor}' is an anchor, which the host reads"
    require_equal(train(made), train(session(OPTIMIZERS["adam"](), options(2), anchors=ids)))


def test_off_chip_and_sharded() -> None:
    where = TensorLocation(popir.TensorStorage.OffChip, ON)
    for name in ("separate", "adam"):
        for batches in (1, 2):
            for kinds in ((WEIGHT, STATE), (STATE,), (WEIGHT,)):
                want = train(session(OPTIMIZERS[name](), options(2, (), batches)))
                made = session(OPTIMIZERS[name](), options(2, kinds, batches, where=where))
                assert made.graph.sharded
                assert made._compilation.off_chip >= made.graph.sharded.keys()
                require_equal(train(made), want)


def test_an_inference_session_gathers_weights_before_their_readers() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [ROWS, 5], "x")
    h = builder.aiOnnx.matmul([x, builder.addInitializedInputTensor(W["a"], "a")])
    h = builder.aiOnnx.matmul([h, builder.addInitializedInputTensor(W["b"], "b")])
    builder.addOutputTensor(h)
    found: list[Array] = []
    for kinds in ((), (WEIGHT,)):
        made = popir.InferenceSession(
            *(builder.getModelProto(), popir.DataFlow(2, [h])),
            popir.DeviceManager().createCpuDevice(),
            userOptions=options(4, kinds),
        )
        made.prepareDevice()
        assert made.graph.sharded.keys() == ({"a", "b"} if kinds else set())
        anchors = made.initAnchorArrays()
        made.run(popir.PyStepIO({"x": floats(2, 4, ROWS, 5)}, anchors))
        found.append(anchors[h])
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize(
    "where",
    [TensorLocation(replicatedTensorSharding=ON), TensorLocation(popir.TensorStorage.OffChip, ON)],
)
@pytest.mark.filterwarnings("ignore:.*has no meaning here")
def test_pipelines_and_phases(where: TensorLocation) -> None:
    def of(kinds: Sequence[str], **more: Any) -> dict[str, Array]:
        builder = popir.Builder()
        h = builder.addInputTensor("FLOAT", [ROWS, 5], "x")
        for n, id in enumerate(("a", "b")):
            with builder.virtualGraph(n), builder.pipelineStage(n), builder.executionPhase(n):
                w = builder.addInitializedInputTensor(W[id], id)
                h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([h, w])])
        with builder.virtualGraph(1), builder.pipelineStage(1), builder.executionPhase(1):
            loss = builder.aiGraphcore.identityloss([h])
        device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 4, "tilesPerIPU": 8})
        asked = options(2, kinds, 4, where=where, **more)
        made = session(OPTIMIZERS["separate"](), asked, (builder.getModelProto(), loss), device)
        assert bool(made.graph.sharded) == bool(kinds)
        return train(made)

    manual = {"virtualGraphMode": popir.VirtualGraphMode.Manual}
    phases = {
        "virtualGraphMode": popir.VirtualGraphMode.ExecutionPhases,
        "executionPhaseSettings": popir.ExecutionPhaseSettings(phases=2, stages=2),
    }
    want = of((), **manual)
    for kinds in ((STATE,), (WEIGHT,), (WEIGHT, STATE)):
        require_equal(of(kinds, **manual), want)
        require_equal(of(kinds, **manual, enablePipelining=True), want)
        require_equal(of(kinds, **phases), want)


@pytest.mark.parametrize("mode", ["OnePerGroup", "AllReplicas", "AllReduceReplicas"])
def test_weights_of_groups(mode: str) -> None:
    """Each group of replicas has weights of its own, of which each has a shard."""
    for type in (CommGroupType.Consecutive, CommGroupType.Orthogonal):
        settings = popir.VariableSettings(CommGroup(type, 2), popir.VariableRetrievalMode[mode])
        made = model(settings, 2)
        want = train(session(OPTIMIZERS["adam"](), options(4), made))
        sharded = session(OPTIMIZERS["adam"](), options(4, (WEIGHT, STATE)), made)
        assert sharded.graph.getTensor("a").info.shape() == [18]
        require_equal(train(sharded), want)


def test_groups_that_do_not_go_together() -> None:
    def with_(dom: CommGroup, made: Any = None, kinds: Sequence[str] = ALL) -> Any:
        where = TensorLocation(replicatedTensorSharding=ON, shardingDomain=dom)
        return session(OPTIMIZERS["adam"](), options(4, kinds, where=where), made)

    with pytest.raises(
        popart_exception, match=r"shardingDomain CommGroup\(Consecutive, 3\) of 'a'"
    ):
        with_(CommGroup(CommGroupType.Consecutive, 3))
    settings = popir.VariableSettings(CommGroup(CommGroupType.Orthogonal, 2))
    with pytest.raises(popart_exception, match=r"groups of 2 of them, with a stride of 2, share"):
        with_(CommGroup(CommGroupType.Consecutive, 2), model(settings, 2))
    asked = options(4, (STATE,))
    asked.weightTensorLocationSettings = popir.TensorLocationSettings(
        TensorLocation(
            replicatedTensorSharding=ON, shardingDomain=CommGroup(CommGroupType.Consecutive, 2)
        ),
        minElementsForReplicatedTensorSharding=2,
    )
    with pytest.raises(popart_exception, match="the same shardingDomain"):
        session(OPTIMIZERS["adam"](), asked)


def test_single_tensors() -> None:
    asked = options(2)
    asked.tensorLocationSettingsOverride = {
        "a": TensorLocation(replicatedTensorSharding=ON),
        "Accl1___c": TensorLocation(replicatedTensorSharding=ON),
    }
    made = session(OPTIMIZERS["adam"](), asked)
    assert made.graph.sharded.keys() == {"a", "Accl1___c"}
    require_equal(train(made), train(session(OPTIMIZERS["adam"](), options(2))))
    asked.tensorLocationSettingsOverride = {"x": TensorLocation(replicatedTensorSharding=ON)}
    with pytest.raises(popart_exception, match=r"\['x'\].*it is no weight or state"):
        session(OPTIMIZERS["adam"](), asked)


def test_a_single_tensor_of_one_replica_says_that_nothing_is_sharded() -> None:
    asked = options(1)
    asked.tensorLocationSettingsOverride = {"a": TensorLocation(replicatedTensorSharding=ON)}
    with pytest.warns(OptionWarning, match=r"\['a'\].*acts only where there are several replicas"):
        session(OPTIMIZERS["adam"](), asked)


@pytest.mark.parametrize("replicas", [8, 12])
def test_groups_across_those_of_a_domain(replicas: int) -> None:
    """A replica of each group of the domain, all at the same place, in each group across."""
    groups = [
        ReplicaGrouping(replicas, stride, size)
        for stride in range(1, replicas + 1)
        for size in range(1, replicas + 1)
        if replicas % (stride * size) == 0
    ]
    found = 0
    for outer in groups:
        for inner in groups:
            across = outer.across(inner)
            for r in range(replicas):
                own, whole = (set(g.getReplicasAt(g.getGroupAt(r))) for g in (inner, outer))
                if across is None:
                    continue
                others = across.getReplicasAt(across.getGroupAt(r))
                assert own <= whole
                assert len(others) * len(own) == len(whole)
                assert set(others) <= whole
                assert {inner.getIndexInGroupAt(o) for o in others} == {inner.getIndexInGroupAt(r)}
                assert len({inner.getGroupAt(o) for o in others}) == len(others)
            found += across is not None
    assert found > len(groups)
