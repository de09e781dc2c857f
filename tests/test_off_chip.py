"""Off-chip tensors: no bit changes but by `ROWS`, tiles hold less, the report counts what moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir import TensorLocation, TensorStorage, VirtualGraphMode
from popir.errors import popart_exception
from tests.large_models import ROWS, Stages, assert_same, data, resnet, transformer, unmarked
from tests.models import Array, floats, step

KINDS = ("weight", "optimizerState", "accumulator", "activation")
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "SGD": lambda: popir.ConstSGD(0.05),
    "momentum": lambda: popir.SGD(
        {"defaultLearningRate": (0.05, False), "defaultMomentum": (0.9, False)}
    ),
    "Lamb": lambda: popir.Adam({"defaultLearningRate": (0.01, False)}, popir.AdamMode.Lamb),
}


def options(*kinds: str, least: int = 0, **more: Any) -> popir.SessionOptions:
    """Options with tensors of these kinds off chip; accumulators, where there are any."""
    made = popir.SessionOptions(**more)
    for kind in kinds:
        if kind == "accumulator" and not made.enableGradientAccumulation:
            continue
        where = popir.TensorLocationSettings(TensorStorage.OffChip, least)
        setattr(made, f"{kind}TensorLocationSettings", where)
    return made


def session(
    made: tuple[Any, str],
    asked: popir.SessionOptions,
    optimizer: Any = None,
    ipus: int = 1,
    anchors: list[str] | None = None,
    batches: int = 2,
    tiles: int = 4,
) -> Any:
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": tiles})
    run = popir.TrainingSession(
        made[0],
        popir.DataFlow(batches, anchors or [made[1]]),
        made[1],
        optimizer or popir.ConstSGD(0.05),
        device,
        userOptions=asked,
    )
    run.prepareDevice()
    return run


def trained(made: tuple[Any, str], run: Any) -> dict[str, Array]:
    """The losses, weights and states after two steps of two updates."""
    factor = run.accumulationFactor
    given = data(made[0], 2 * factor)
    if factor > 1:
        given = {id: value.reshape(2, factor, *value.shape[1:]) for id, value in given.items()}
    found = {f"loss{n}": step(run, given)[made[1]].copy() for n in range(2)}
    run.weightsToHost()
    return found | {id: value.copy() for id, value in run._host.items()}


def kinds_of(run: Any) -> list[str]:
    return [op.plainType() for op in run.graph.schedule()]


def assert_equal(one: dict[str, Array], other: dict[str, Array]) -> None:
    assert one.keys() == other.keys()
    for id, value in one.items():
        np.testing.assert_array_equal(other[id], value, err_msg=id)


@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(("model", "without"), [(transformer, ROWS), (resnet, ROWS), (resnet, "")])
def test_off_chip_changes_no_bit(model: Any, without: str, optimizer: str, factor: int) -> None:
    """But where convolutions of what is plain off chip have other sources: within rounding."""
    made, make = model(unmarked), OPTIMIZERS[optimizer]
    more: dict[str, Any] = {"enableGradientAccumulation": factor > 1, "accumulationFactor": factor}
    more["engineOptions"] = {"host.without": without}
    plain = session(made, options(**more), make())
    moved = session(made, options(*KINDS, **more), make())
    assert {"RemoteLoad", "RemoteStore"} <= set(kinds_of(moved))
    assert_same(trained(made, plain), trained(made, moved), without)


@pytest.mark.parametrize("sizes", [{"size": 20}, {"rows": 1, "width": 8}, {"size": 17, "width": 6}])
def test_off_chip_changes_no_bit_of_a_deterministic_engine(sizes: dict[str, int]) -> None:
    """What is plain off chip has no blocks of channels, which half vectors would have here."""
    made, engine = resnet(unmarked, **sizes), {"host.deterministic": "true"}
    runs = [
        session(made, options(*kinds, engineOptions=engine), tiles=256) for kinds in ((), KINDS)
    ]
    assert_equal(trained(made, runs[0]), trained(made, runs[1]))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_by_itself_changes_no_bit(kind: str) -> None:
    made, more = (
        transformer(unmarked),
        {"enableGradientAccumulation": True, "accumulationFactor": 2},
    )
    plain, moved = (
        session(made, options(*kinds, **more), OPTIMIZERS["Lamb"]()) for kinds in ((), (kind,))
    )
    assert "RemoteLoad" in kinds_of(moved)
    assert_equal(trained(made, plain), trained(made, moved))


def test_off_chip_in_a_pipeline_changes_no_bit() -> None:
    made = transformer(Stages(4, 2, 2))
    more: dict[str, Any] = {
        "enableGradientAccumulation": True,
        "accumulationFactor": 8,
        "enablePipelining": True,
        "virtualGraphMode": VirtualGraphMode.Manual,
    }
    kinds = KINDS[:3]
    plain, moved = (
        session(made, options(*each, **more), OPTIMIZERS["Lamb"](), 2) for each in ((), kinds)
    )
    assert_equal(trained(made, plain), trained(made, moved))


def test_with_recomputation() -> None:
    made = transformer(unmarked)
    how = popir.RecomputationType.RecomputeAll
    plain, moved = (session(made, options(*each, autoRecomputation=how)) for each in ((), KINDS))
    assert_equal(trained(made, plain), trained(made, moved))


def chain() -> tuple[Any, str]:
    """x -> product w0 -> product w1 -> loss; 64 x 64 weights of floats."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    h = builder.addInputTensor("FLOAT", [64, 64], "x")
    for n in range(2):
        w = builder.addInitializedInputTensor(floats(64, 64, seed=n), f"w{n}")
        h = builder.aiOnnx.matmul([h, w], f"product{n}")
    loss = builder.aiGraphcore.l1loss([h], 0.1)
    return builder.getModelProto(), loss


SIZE = 64 * 64 * 4


def test_the_report_counts_what_moves() -> None:
    """w1 is read forward, backward (for the gradient of what it multiplies) and by its update; w0
    forward and by its update. Both are stored once for each of two batches.
    """
    made = chain()
    plain, moved = (session(made, options(*kinds)).getReport() for kinds in ((), ("weight",)))
    assert (plain.streamingMemoryBytes, plain.remoteBuffers) == (0, [])
    found = {b.name: (b.bytes, b.bytesIn, b.bytesOut) for b in moved.remoteBuffers}
    assert found == {
        "w0": (SIZE, 2 * 2 * SIZE, 2 * SIZE),
        "w1": (SIZE, 2 * 3 * SIZE, 2 * SIZE),
    }
    assert moved.streamingMemoryBytes == 2 * SIZE
    assert (moved.streamingBytesIn, moved.streamingBytesOut) == (10 * SIZE, 4 * SIZE)
    assert moved.streamingSeconds == pytest.approx(14 * SIZE / 20e9)
    assert moved.hostBytesIn == plain.hostBytesIn and moved.hostBytesOut == plain.hostBytesOut
    assert f"Streaming memory: {2 * SIZE} bytes in 2 remote buffers" in moved.summary


def test_tiles_hold_less_by_what_is_off_chip() -> None:
    """Of variables there are the weights and their states less, but for what stays on chip."""
    made = transformer(unmarked, rows=4, length=32, width=64)
    plain, moved = (
        session(made, options(*kinds), OPTIMIZERS["Lamb"](), tiles=16).getReport()
        for kinds in ((), ("weight", "optimizerState"))
    )
    bytes_of = [
        next(m.totalBytes for m in r.memory if m.category == "variables") for r in (plain, moved)
    ]
    assert bytes_of[0] - bytes_of[1] == moved.streamingMemoryBytes
    assert moved.maxTileBytes < plain.maxTileBytes


def test_activations_leave_the_tiles_between_the_passes() -> None:
    made = transformer(unmarked, rows=8, length=64, width=64)
    live = [
        max(each.liveBytes for each in session(made, options(*kinds), tiles=16).getReport().steps)
        for kinds in ((), ("activation",))
    ]
    assert live[1] < 0.8 * live[0]


def test_streaming_memory_has_a_rate() -> None:
    device = popir.DeviceManager().createIpuModelDevice(
        {"tilesPerIPU": 4, "streamingBytesPerSecond": 1e9}
    )
    made = chain()
    run = popir.TrainingSession(
        *(made[0], popir.DataFlow(1, [made[1]]), made[1], popir.ConstSGD(0.1), device),
        userOptions=options("weight"),
    )
    run.prepareDevice(loadEngine=False)
    report = run.getReport()
    moved = report.streamingBytesIn + report.streamingBytesOut
    assert report.streamingSeconds == pytest.approx(moved / 1e9)


def remote_buffers(run: Any) -> set[str]:
    return {op.attributes["remote_buffer"] for op in run.graph.ops.values() if _is_remote(op)}


def _is_remote(op: Any) -> bool:
    return op.plainType() in ("RemoteLoad", "RemoteStore")


def test_small_tensors_stay_on_chip() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 4], "x")
    w = builder.addInitializedInputTensor(floats(4, 4, seed=0), "w")
    b = builder.addInitializedInputTensor(floats(4, seed=1), "b")
    h = builder.aiOnnx.add([builder.aiOnnx.matmul([x, w]), b])
    loss = builder.aiGraphcore.l1loss([h], 0.1)
    made = builder.getModelProto(), loss
    assert remote_buffers(session(made, options("weight"))) == {"w", "b"}
    assert remote_buffers(session(made, options("weight", least=5))) == {"w"}
    assert remote_buffers(session(made, options("weight", least=17))) == set()


def test_single_tensors_can_be_placed() -> None:
    made, asked = chain(), options("weight")
    asked.tensorLocationSettingsOverride = {"w1": TensorLocation(TensorStorage.OnChip)}
    assert remote_buffers(session(made, asked)) == {"w0"}
    asked = options()
    asked.tensorLocationSettingsOverride = {"w1": TensorLocation(TensorStorage.OffChip)}
    assert remote_buffers(session(made, asked)) == {"w1"}


def test_the_place_of_a_tensor_has_its_name() -> None:
    graph = session(chain(), options("weight")).graph
    assert graph.getTensor(popir.reservedRemoteArgPrefix() + "w0").isConst()


def test_an_inference_session_loads_its_weights() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [8, 8], "x")
    w = builder.addInitializedInputTensor(floats(8, 8, seed=0), "w")
    y = builder.aiOnnx.matmul([x, w])
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4})
    run = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [y]), device, userOptions=options("weight")
    )
    run.prepareDevice()
    given = floats(8, 8, seed=1)
    np.testing.assert_allclose(step(run, {x: given})[y], given @ floats(8, 8, seed=0), rtol=1e-4)
    assert run.getReport().remoteBuffers[0].bytesOut == 0


def test_weights_are_read_written_and_saved(tmp_path: Any) -> None:
    made = chain()
    run = session(made, options("weight"), popir.ConstSGD(0.0))
    value = floats(64, 64, seed=9)
    run.writeWeights(popir.PyWeightsIO({"w0": value}))
    run.weightsFromHost()
    step(run, data(made[0], 2))
    found = np.empty_like(value)
    run.weightsToHost()
    run.readWeights(popir.PyWeightsIO({"w0": found}))
    np.testing.assert_array_equal(found, value)
    run.modelToHost(str(tmp_path / "model.onnx"))
    again = session((str(tmp_path / "model.onnx"), made[1]), options("weight"))
    np.testing.assert_array_equal(again._host["w0"], value)
    again = session(made, options("weight"), popir.ConstSGD(0.0))
    run.save(tmp_path / "folder")
    again.load(tmp_path / "folder")
    np.testing.assert_array_equal(again._host["w0"], value)


def test_a_kept_program_has_its_remote_buffers(tmp_path: Any) -> None:
    made, make = chain(), OPTIMIZERS["Lamb"]
    plain = trained(made, session(made, options(), make()))
    for _ in range(2):  # The second session compiles nothing.
        cached = options(*KINDS, enableEngineCaching=True, cachePath=str(tmp_path))
        assert_equal(plain, trained(made, session(made, cached, make())))
    assert len(list(tmp_path.glob("*.engine"))) == 1


def test_a_product_that_is_added_to_its_weight_rounds_once_more() -> None:
    """On chip the host adds the gradient to the weight in one step, off chip it rounds it first."""
    made = chain()
    plain, moved = (trained(made, session(made, options(*kinds))) for kinds in ((), ("weight",)))
    for id, value in plain.items():
        np.testing.assert_allclose(moved[id], value, rtol=1e-6, atol=1e-7)


def test_what_stays_on_chip_has_its_reason() -> None:
    made = chain()
    run = session(made, options("weight", "activation"), anchors=[made[1], "w0"])
    why = {d.where: d.reason for d in run.decisions if d.what == "streaming memory"}
    assert why["w0"] == "it is an anchor, which the host reads"
    assert why["w1"] is None
    assert why["x"] == "the host sends it for each batch"


@pytest.mark.parametrize("tiles", [0, 1])
def test_replicas_keep_their_own_off_chip(tiles: int) -> None:
    made = chain()
    rows = floats(2, 2, 64, 64)  # batches, replicas
    found = []
    for kinds in [(), KINDS[:3]]:
        asked = options(*kinds, enableReplicatedGraphs=True, replicatedGraphCount=2)
        asked.numIOTiles = tiles if kinds else 0
        run = session(made, asked, OPTIMIZERS["Lamb"](), ipus=2)
        losses = [step(run, {"x": rows})[made[1]].copy() for _ in range(2)]
        run.weightsToHost()
        found.append({id: value.copy() for id, value in run._host.items()} | {"losses": losses})
        assert bool(remote_buffers(run)) == bool(kinds)
        assert run.getProfile().data["pod"]["replicas"] == 2
    assert_equal(*found)


def by_io(*kinds: str, tiles: int = 4) -> popir.SessionOptions:
    """Options with tensors of these kinds off chip, by way of IO tiles."""
    made = popir.SessionOptions(numIOTiles=tiles)
    io = popir.TileSet.IO
    where = TensorLocation(TensorStorage.OffChip, io, io)
    for kind in kinds:
        setattr(made, f"{kind}TensorLocationSettings", popir.TensorLocationSettings(where, 0))
    return made


def test_io_tiles_change_no_bit() -> None:
    made, make = transformer(unmarked), OPTIMIZERS["Lamb"]
    plain, moved = options(), by_io(*KINDS)
    for asked in (plain, moved):
        asked.enableGradientAccumulation, asked.accumulationFactor = True, 2
    assert_equal(*(trained(made, session(made, o, make(), tiles=16)) for o in (plain, moved)))


def test_io_tiles_compute_nothing() -> None:
    """They have no vertices, and nothing but code and stacks if nothing is off chip."""
    made = chain()
    all_, fewer = (
        session(made, asked, tiles=16).getReport() for asked in (options(), by_io(tiles=4))
    )
    for category in ("variables", "vertex state", "temporaries", "gathered operands"):
        (bytes_of,) = (m.tileBytes for m in fewer.memory if m.category == category)
        assert bytes_of[12:].sum() == 0 and (category == "variables" or bytes_of[:12].sum() > 0)
    assert fewer.computeCycles > all_.computeCycles


def test_io_tiles_carry_what_moves() -> None:
    """A load fills the IO tiles without an exchange; one copy brings it from there."""
    made = chain()
    run = session(made, by_io("weight"), tiles=16)
    report = run.getReport()
    for step_ in report.steps:
        if step_.streamingBytesIn or step_.streamingBytesOut:
            assert step_.exchangeBytes == 0
    copies = [s for s in report.steps if s.kind == "Copy" and s.name.startswith("RemoteLoad")]
    assert copies and all(s.exchangeBytes >= SIZE for s in copies)
    (temporaries,) = (m.tileBytes for m in report.memory if m.category == "temporaries")
    assert temporaries[12:].sum() >= SIZE


@pytest.mark.parametrize(
    ("ipus", "tiles", "words"), [(1, 16, "an IPU of the device has 16 tiles"), (2, 4, "on 2 IPUs")]
)
def test_wrong_io_tiles_are_refused(ipus: int, tiles: int, words: str) -> None:
    with pytest.raises(popart_exception, match=words):
        session(chain(), by_io(tiles=tiles), ipus=ipus, tiles=16)


def test_activations_of_a_pipeline_are_refused() -> None:
    more: dict[str, Any] = {
        "enableGradientAccumulation": True,
        "accumulationFactor": 8,
        "enablePipelining": True,
        "virtualGraphMode": VirtualGraphMode.Manual,
    }
    with pytest.raises(popart_exception, match=r"activationTensorLocationSettings.*in a pipeline"):
        session(transformer(Stages(4, 2, 2)), options("activation", **more), ipus=2)


def test_an_override_names_a_tensor() -> None:
    asked = options()
    asked.tensorLocationSettingsOverride = {"weight0": TensorLocation(TensorStorage.OffChip)}
    with pytest.raises(
        popart_exception, match=r"names 'weight0', which is no tensor of the compiled model"
    ):
        session(chain(), asked)


@pytest.mark.parametrize("kind", ["RemoteLoad", "RemoteStore"])
def test_a_model_that_has_a_copy_without_its_buffer(kind: str) -> None:
    builder = popir.Builder()
    given = [builder.addInputTensor("INT32", [1]) for _ in range(2)]
    (y,) = builder.customOp(kind, 1, "ai.graphcore", given, {})
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createCpuDevice()
    with pytest.raises(popir.OperatorAttributeError, match=f"{kind}.*'remote_buffer' is required"):
        popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)


def scheduled(kind: str, schedule: popir.ExecutionPhaseIOSchedule) -> popir.SessionOptions:
    """Options with tensors of all kinds off chip by IO tiles; those of one kind come like this."""
    asked, demand = by_io(*KINDS), popir.ExecutionPhaseIOSchedule.OnDemand
    for each in ("weight", "activation", "optimizerState", "accumulator"):
        setattr(asked.executionPhaseSettings, f"{each}IOSchedule", demand)
    setattr(asked.executionPhaseSettings, f"{kind}IOSchedule", schedule)
    asked.enableGradientAccumulation, asked.accumulationFactor = True, 2
    return asked


@pytest.mark.parametrize("kind", ["weight", "activation", "optimizerState", "accumulator"])
def test_loads_come_ahead(kind: str) -> None:
    """Beside compute, and no bit changes. Copies to and from IO tiles that then follow one another
    are one exchange, which saves a few cycles.
    """
    made, make = transformer(unmarked), OPTIMIZERS["Lamb"]
    runs = [
        session(made, scheduled(kind, schedule), make(), tiles=16)
        for schedule in popir.ExecutionPhaseIOSchedule
    ]
    ahead, demanded = (run.getReport() for run in runs)
    assert ahead.streamingBytesIn == demanded.streamingBytesIn
    assert 0.99 * demanded.cycles < ahead.cycles <= demanded.cycles
    assert ahead.overlapSeconds > 1.05 * demanded.overlapSeconds
    assert ahead.runSeconds < demanded.runSeconds
    assert_equal(*(trained(made, run) for run in runs))
