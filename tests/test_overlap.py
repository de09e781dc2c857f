"""Inputs and anchors by way of IO tiles: the same numbers, beside compute, as strategies say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import popir
from popir import ExchangeStrategy, TileSet
from popir.errors import ModelError, popart_exception
from popir.profile import HostLinks, traceOf

WIDE = 64
JIT, INNER, LOOPS = list(ExchangeStrategy)[:3]
IO = TileSet.IO


def session(
    strategy: ExchangeStrategy | None,
    batches: int,
    accumulated: int = 1,
    kind: str = "All",
    io_tiles: int = 4,
) -> popir.TrainingSession:
    """Three layers that train with momentum; by IO tiles, unless `strategy` is None."""
    random = np.random.default_rng(0)
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    given = popir.InputSettings() if strategy is None else popir.InputSettings(IO, strategy)
    h = builder.addInputTensor("FLOAT", [16, WIDE], given, "x")
    for i in range(3):
        weight = random.standard_normal((WIDE, WIDE)).astype(np.float32) / 8
        h = builder.aiOnnx.relu(
            [builder.aiOnnx.matmul([h, builder.addInitializedInputTensor(weight, f"w{i}")])]
        )
    loss = builder.aiGraphcore.l1loss([h], 0.1)
    asked = popir.SessionOptions(numIOTiles=io_tiles)
    if accumulated > 1:
        asked.enableGradientAccumulation, asked.accumulationFactor = True, accumulated
    returned = (
        popir.AnchorReturnType(kind)
        if strategy is None
        else popir.AnchorReturnType(kind, IO, strategy)
    )
    made = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(batches, {h: returned, loss: returned}),
        loss,
        popir.SGD({"defaultLearningRate": (0.1, True), "defaultMomentum": (0.9, True)}),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 32}),
        userOptions=asked,
    )
    made.prepareDevice()
    return made


def steps(made: popir.TrainingSession, batches: int, accumulated: int) -> list[np.ndarray]:
    """The anchors of two steps, and the weights after them."""
    random, found, anchors = np.random.default_rng(1), [], made.initAnchorArrays()
    for _ in range(2):
        x = random.standard_normal((batches, accumulated, 16, WIDE)).astype(np.float32)
        made.run(popir.PyStepIO({"x": x}, anchors))
        found += [each.copy() for each in anchors.values()]
    made.weightsToHost()
    weights = {f"w{i}": np.empty((WIDE, WIDE), np.float32) for i in range(3)}
    made.readWeights(popir.PyWeightsIO(weights))
    return [*found, *weights.values()]


@pytest.mark.parametrize(("batches", "accumulated"), [(1, 1), (2, 1), (4, 1), (1, 3), (3, 2)])
@pytest.mark.parametrize("kind", ["All", "Final", "Sum"])
def test_no_bit_changes(kind: str, batches: int, accumulated: int) -> None:
    expected, *others = (
        steps(session(how, batches, accumulated, kind), batches, accumulated)
        for how in (None, JIT, INNER, LOOPS)
    )
    for found in others:
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_inputs_come_beside_compute() -> None:
    """Of 3 x 4 batches, those but the first of each update, or of the step. Compute takes longer
    than a transfer, and nothing but time changes between strategies.
    """
    jit, inner, loops = (session(how, 3, 4, "Final").getReport() for how in (JIT, INNER, LOOPS))
    assert jit.cycles == inner.cycles == loops.cycles
    assert jit.hostSeconds == inner.hostSeconds == loops.hostSeconds
    (each,) = {step.transferSeconds for step in jit.steps if step.name == "x/in"}
    hidden = [(one.overlapSeconds - jit.overlapSeconds) / each for one in (inner, loops)]
    assert hidden == pytest.approx([3 * 3, 3 * 4 - 1])


def test_anchors_leave_beside_compute() -> None:
    """All but the last, which nothing follows."""
    straight, by_io = (session(how, 4).getReport() for how in (None, LOOPS))
    out = sum(
        step.times * step.transferSeconds for step in by_io.steps if step.name.endswith("/out")
    )
    waited = sum(step.waitSeconds for step in by_io.steps if step.name.endswith("/out"))
    assert straight.overlapSeconds == 0
    assert waited == pytest.approx(out / 4, rel=0.02)
    assert by_io.hostTransfers == straight.hostTransfers


def test_the_trace_has_the_overlap() -> None:
    """Transfers have a track. Nothing else runs where tiles wait; all end with the run."""
    run = session(LOOPS, 6)
    report, trace = run.getReport(), traceOf(run.getProfile())
    (lane,) = (e["tid"] for e in trace["traceEvents"] if e.get("args", {}).get("name") == "host")
    slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    host = [e for e in slices if e["tid"] == lane]
    assert sum(e["dur"] for e in host) == pytest.approx(report.hostSeconds * 1e6)
    computing = [e for e in slices if e["cat"] == "compute"]
    beside = sum(
        max(0, min(a["ts"] + a["dur"], b["ts"] + b["dur"]) - max(a["ts"], b["ts"]))
        for a in host
        for b in [e for e in slices if e["tid"] == computing[0]["tid"] - 3]
    )
    assert beside == pytest.approx(report.overlapSeconds * 1e6, rel=0.05)
    ends = max(e["ts"] + e["dur"] for e in slices)
    assert ends == pytest.approx(report.runSeconds * 1e6, rel=1e-6)


def test_strategies_are_part_of_the_hash() -> None:
    assert len({session(how, 4).getHash() for how in (None, JIT, INNER, LOOPS)}) == 4


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: popir.InputSettings(IO, ExchangeStrategy.OverlapStep),
            r"InputSettings: exchangeStrategy = ExchangeStrategy.OverlapStep: .*Use OverlapLoops",
        ),
        (
            lambda: popir.AnchorReturnType("All", TileSet.Compute, INNER),
            r"AnchorReturnType: .*OverlapInnerLoop with tileSet = TileSet.Compute: .*numIOTiles",
        ),
        (lambda: session(INNER, 4, io_tiles=0), r"The input 'x': .*no IO tiles"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, words: str) -> None:
    with pytest.raises(popart_exception, match=words):
        make()


def test_an_anchor_without_io_tiles_is_refused() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    y = builder.aiOnnx.relu([builder.addInputTensor("FLOAT", [4], "x")])
    flow = popir.DataFlow(1, {y: popir.AnchorReturnType("All", IO)})
    with pytest.raises(popart_exception, match=rf"The anchor '{y}': .*Set SessionOptions.numIOTil"):
        popir.InferenceSession(
            builder.getModelProto(), flow, popir.DeviceManager().createIpuModelDevice({})
        )


def pipeline(
    strategy: ExchangeStrategy | None, batches: int, accumulated: int = 1, **figures: int
) -> tuple[Any, list[np.ndarray]]:
    """A session with four layers on two IPUs, and the anchors and weights after two steps. Each
    stage has an input; it trains if it accumulates.
    """
    random = np.random.default_rng(0)
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    given = popir.InputSettings() if strategy is None else popir.InputSettings(IO, strategy)
    h = builder.addInputTensor("FLOAT", [16, WIDE], given, "x")
    scale = builder.addInputTensor("FLOAT", [WIDE], given, "scale")
    for i in range(4):
        with builder.virtualGraph(i // 2), builder.pipelineStage(i // 2):
            weight = random.standard_normal((WIDE, WIDE)).astype(np.float32) / 8
            h = builder.aiOnnx.matmul([h, builder.addInitializedInputTensor(weight, f"w{i}")])
            h = builder.aiOnnx.relu([h if i < 3 else builder.aiOnnx.mul([h, scale])])
    art = (
        popir.AnchorReturnType("All")
        if strategy is None
        else popir.AnchorReturnType("All", IO, strategy)
    )
    asked = popir.SessionOptions(
        numIOTiles=4, enablePipelining=True, virtualGraphMode=popir.VirtualGraphMode.Manual
    )
    device = popir.DeviceManager().createIpuModelDevice(
        {"numIPUs": 2, "tilesPerIPU": 32, **figures}
    )
    flow = popir.DataFlow(batches, {h: art})
    made: Any
    if accumulated > 1:
        asked.enableGradientAccumulation, asked.accumulationFactor = True, accumulated
        with builder.virtualGraph(1), builder.pipelineStage(1):
            loss = builder.aiGraphcore.l1loss([h], 0.1)
        made = popir.TrainingSession(
            *(builder.getModelProto(), flow, loss, popir.ConstSGD(0.01), device), userOptions=asked
        )
    else:
        made = popir.InferenceSession(builder.getModelProto(), flow, device, userOptions=asked)
    made.prepareDevice()
    values, found, anchors = np.random.default_rng(1), [], made.initAnchorArrays()
    rows = (batches, accumulated) if accumulated > 1 else (batches,)
    for _ in range(2):
        x, y = (values.standard_normal((*rows, *s)).astype("f4") for s in ((16, WIDE), (WIDE,)))
        made.run(popir.PyStepIO({"x": x, "scale": y}, anchors))
        found += [each.copy() for each in anchors.values()]
    return made, found


@pytest.mark.parametrize(("batches", "accumulated"), [(2, 1), (3, 1), (8, 1), (3, 3), (3, 6)])
def test_a_pipeline_changes_no_bit(batches: int, accumulated: int) -> None:
    _, expected = pipeline(None, batches, accumulated)
    for how in (JIT, INNER, LOOPS):
        _, found = pipeline(how, batches, accumulated)
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_pipeline_with_transfers() -> None:
    """By hand, of 8 batches in two stages. Inputs and results that tiles wait for are added to the
    cycles; those beside compute lengthen a cycle of the pipeline that is shorter than they are.
    """
    straight, _ = pipeline(None, 8)
    report, machine = straight.getPipelineReport(), straight.getReport()
    assert report.runSeconds == pytest.approx(
        report.cycles / machine.clockHz + machine.hostSeconds, rel=1e-9
    )
    beside, _ = pipeline(INNER, 8)
    report, clock = beside.getPipelineReport(), machine.clockHz
    first, last = report.stages
    assert not (first.transferSeconds or last.transferSeconds or first.behindSeconds)
    a, b, c = first.aheadSeconds, last.aheadSeconds, last.behindSeconds
    one, two = first.cycles / clock, last.cycles / clock
    both = max(one, two)
    cycles = [
        max(one, a),
        max(both, a + b),
        *[max(both, a + b + c)] * 5,
        max(both, b + c),
        max(two, c),
    ]
    alone = max(0.0, c - report.otherCycles / clock)
    want = a + b + sum(cycles) + report.otherCycles / clock + alone
    assert report.runSeconds == pytest.approx(want, rel=1e-3)
    assert report.runSeconds < straight.getPipelineReport().runSeconds
    assert f"{report.runSeconds * 1e6:.1f} us with transfers" in report.summary


def test_stages_on_two_machines_have_links_of_their_own() -> None:
    """The same by hand, of stages that share no link: the longer transfer, not both."""
    one, two = HostLinks(4, 25 / 5.5), HostLinks(1, 25 / 5.5)
    assert one.seconds([(0, 2.0), (1, 3.0), (1, 1.0)]) == 6
    assert two.seconds([(0, 2.0), (1, 3.0), (1, 1.0)]) == 4
    assert two.seconds([(ipu, 1.0) for ipu in range(10)]) == pytest.approx(10 * 5.5 / 25)
    assert two.seconds([]) == 0
    shared, _ = pipeline(None, 8)
    own, _ = pipeline(None, 8, ipusPerGateway=1)
    shared_report, own_report = shared.getPipelineReport(), own.getPipelineReport()
    first, last = shared_report.stages
    saved = 7 * min(first.transferSeconds, last.transferSeconds)
    assert saved > 0
    assert shared_report.runSeconds - own_report.runSeconds == pytest.approx(saved)


def test_the_first_input_of_each_update_is_waited_for() -> None:
    inner, loops = (pipeline(how, 3, 6)[0].getPipelineReport() for how in (INNER, LOOPS))
    ahead = sum(each.aheadSeconds for each in inner.stages)
    assert inner.cycles == loops.cycles
    assert inner.runSeconds - loops.runSeconds == pytest.approx(2 * ahead, rel=0.3)


def test_metadata_of_an_input_that_says_nothing_known() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [4], popir.InputSettings(IO, INNER), "x")
    y = builder.aiOnnx.relu([x])
    model = builder.getModelProto().replace(b"IO OverlapInnerLoop", b"IO OverlapOuterLoop")
    with pytest.raises(ModelError, match=r"'x': 'IO OverlapOuterLoop' is no tile set"):
        popir.InferenceSession(
            model, popir.DataFlow(1, [y]), popir.DeviceManager().createCpuDevice()
        )
