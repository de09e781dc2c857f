"""Pipelines: results are those without one, values go from stage to stage, errors name nodes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import popir
from popir import RecomputationType, VirtualGraphMode
from popir.errors import popart_exception
from popir.options import OptionWarning
from popir.profile import traceOf
from tests.large_models import Mark, Stages, assert_same, data, resnet, transformer, unmarked
from tests.models import Array, floats, step

FACTOR = 8


def device(ipus: int) -> Any:
    return popir.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": 16})


def session(
    made: tuple[Any, str], ipus: int, is_pipelined: bool, factor: int, how: Any, without: str = ""
) -> Any:
    options = popir.SessionOptions(
        engineOptions={"host.without": without},
        enableGradientAccumulation=True,
        accumulationFactor=factor,
        enablePipelining=is_pipelined,
        autoRecomputation=how,
        virtualGraphMode=VirtualGraphMode.Manual if ipus > 1 else VirtualGraphMode.Off,
    )
    run = popir.TrainingSession(
        *(made[0], popir.DataFlow(2, [made[1]]), made[1], popir.ConstSGD(0.05), device(ipus)),
        userOptions=options,
    )
    run.prepareDevice()
    return run


def trained(
    model: Any,
    mark: Mark,
    ipus: int = 1,
    is_pipelined: bool = False,
    factor: int = FACTOR,
    how: RecomputationType = RecomputationType.NoRecompute,
    without: str = "",
) -> dict[str, Array]:
    """The losses, weights and states after two steps of two updates."""
    made = model(mark)
    run = session(made, ipus, is_pipelined, factor, how, without)
    given = data(made[0], 2 * factor)
    given = {id: value.reshape(2, factor, *value.shape[1:]) for id, value in given.items()}
    found = {f"loss{n}": step(run, given)[made[1]].copy() for n in range(2)}
    run.weightsToHost()
    return found | {id: value.copy() for id, value in run._host.items()}


@cache
def plain_transformer(factor: int = FACTOR) -> dict[str, Array]:
    """The same without a pipeline."""
    return trained(transformer, unmarked, factor=factor)


@cache
def plain_resnet(without: str, **sizes: int) -> dict[str, Array]:
    """The same without a pipeline."""
    return trained(partial(resnet, **sizes), unmarked, without=without)


@pytest.mark.parametrize("how", [RecomputationType.NoRecompute, RecomputationType.Pipeline])
@pytest.mark.parametrize(("ipus", "stages"), [(2, 2), (4, 4), (2, 4)])
def test_a_pipeline_changes_no_bit(ipus: int, stages: int, how: RecomputationType) -> None:
    """The transformer has dropout: the seed goes with its micro-batch."""
    plain = plain_transformer()
    piped = trained(transformer, Stages(4, stages, ipus), ipus, True, how=how)
    for id, value in plain.items():
        np.testing.assert_array_equal(piped[id], value, err_msg=id)


@pytest.mark.parametrize("how", [RecomputationType.NoRecompute, RecomputationType.Pipeline])
@pytest.mark.parametrize(("ipus", "stages"), [(2, 2), (4, 4)])
@pytest.mark.parametrize("sizes", [{"width": 4}, {"width": 8, "size": 20}, {"width": 8, "rows": 8}])
@pytest.mark.parametrize("without", ["planes, columns", ""])
def test_a_pipeline_of_convolutions_changes_no_bit(
    ipus: int, stages: int, how: RecomputationType, sizes: dict[str, int], without: str
) -> None:
    """What a stash keeps has no blocks of channels, which the plain model has; and may be a part of
    what a convolution of stride 2 leaves out. Planes compute convolutions of such: within rounding.
    """
    plain, mark = plain_resnet(without, **sizes), Stages(9, stages, ipus)
    piped = trained(partial(resnet, **sizes), mark, ipus, True, how=how, without=without)
    assert_same(plain, piped, without)


@pytest.mark.parametrize("factor", [7, 8, 12])
def test_any_depth_of_at_least_the_stages(factor: int) -> None:
    plain = plain_transformer(factor)
    piped = trained(transformer, Stages(4, 4, 4), 4, True, factor)
    for id, value in plain.items():
        np.testing.assert_array_equal(piped[id], value, err_msg=id)


def chain(stages: Sequence[int | None], ipus: Sequence[int | None]) -> tuple[Any, list[str]]:
    """x -> matmul w, four times, with the stages and IPUs."""
    builder = popir.Builder()
    ids = [builder.addInputTensor("FLOAT", [2, 3], "x")]
    w = builder.addInitializedInputTensor(floats(3, 3, seed=4), "w")
    for n, (stage, ipu) in enumerate(zip(stages, ipus, strict=True)):
        product = builder.aiOnnx.matmul([ids[-1], w], f"m{n}")
        ids.append(builder.aiOnnx.sin([product], f"s{n}"))
        for id in (product, ids[-1]):
            if stage is not None:
                builder.pipelineStage(id, stage)
            if ipu is not None:
                builder.virtualGraph(id, ipu)
    builder.addOutputTensor(ids[-1])
    return builder.getModelProto(), ids


def inference(
    stages: Sequence[int | None], ipus: Sequence[int | None], batches: int = 4, **more: Any
) -> tuple[Any, list[str]]:
    model, ids = chain(stages, ipus)
    options: dict[str, Any] = {"virtualGraphMode": VirtualGraphMode.Manual, **more}
    made = popir.InferenceSession(
        model,
        popir.DataFlow(batches, [ids[-1]]),
        device(2),
        userOptions=popir.SessionOptions(enablePipelining=True, **options),
    )
    return made, ids


@pytest.mark.parametrize("batches", [4, 5, 9])
@pytest.mark.parametrize("stages", [[0, 1, 2, 3], [0, 0, 1, 1], [None] * 4])
def test_inference_in_a_pipeline(stages: Any, batches: int) -> None:
    ipus = [0, 0, 1, 1] if stages != [0, 1, 2, 3] else [0, 1, 0, 1]
    made, ids = inference(stages, ipus, batches)
    made.prepareDevice()
    x = floats(batches, 2, 3, seed=6)
    found = step(made, {"x": x})[ids[-1]]
    expected = x
    for _ in range(4):
        expected = np.sin(expected @ floats(3, 3, seed=4))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_stages_are_those_of_the_annotations() -> None:
    made, _ = inference([0, 1, 2, 3], [0, 1, 0, 1])
    stages = {
        op.name(): op.settings.nodeAttributes["__pipeline_stage"]
        for op in made.graph.schedule()
        if op.name()
    }
    assert stages == {f"{kind}{n}": n for n in range(4) for kind in "ms"}


def test_copies_and_stashes_stand_in_the_graph() -> None:
    """The weight is copied to the other IPU once; a value of the stage before comes by IpuCopy."""
    made, _ = inference([0, 1, 2, 3], [0, 1, 0, 1])
    types = [op.opid.type for op in made.graph.schedule()]
    assert types.count("IpuCopy") == 4 and "Stash" not in types


def test_stages_on_one_ipu_become_one() -> None:
    made, _ = inference([0, 1, 4, 5], [0, 0, 1, 1], 2)
    found = [op.settings.nodeAttributes["__pipeline_stage"] for op in made.graph.schedule()]
    assert set(found) == {0, 1}


@pytest.mark.parametrize(
    ("stages", "ipus", "batches", "words"),
    [
        ([0, 1, 1, 1], [0, 1, 1, None], 4, "stage 1, and on the IPUs 1 and None"),
        ([0, 0, 1, 1], [0, 0, 0, 1], 4, "in the pipeline stage 1, and on the IPUs 0 and 1"),
        ([0, None, 1, 1], [0, 0, 1, 1], 4, "has no pipelineStage, and .* has one"),
        ([0, 2, 1, 3], [0, 0, 1, 0], 4, "in the pipeline stage 1, and reads .* in stage 2"),
        ([0, -1, 1, 3], [0, 0, 1, 1], 4, "pipelineStage = -1; expected"),
        ([0, 1, 2, 3], [0, 1, 0, 1], 3, "has 4 stages, and batchesPerStep is 3"),
    ],
)
def test_wrong_stages(stages: Any, ipus: Any, batches: int, words: str) -> None:
    with pytest.raises(popart_exception, match=words):
        inference(stages, ipus, batches)


def test_a_pipeline_needs_several_ipus() -> None:
    with pytest.raises(popart_exception, match="needs several IPUs, and a virtualGraphMode"):
        inference([0, 0, 1, 1], [None] * 4, virtualGraphMode=VirtualGraphMode.Off)


def test_the_report_shows_ramp_up_steady_state_and_bubble() -> None:
    made = transformer(Stages(4, 4, 4))
    run = session(made, 4, True, 16, RecomputationType.NoRecompute)
    report = run.getPipelineReport()
    assert [each.ipu for each in report.stages] == [0, 1, 2, 3, 2, 1, 0]
    assert (report.batches, report.updates) == (16, 2)
    # By hand: an IPU has a stage of each pass; the last one has both in one stage.
    cost = [each.cycles for each in report.stages]
    longest = max(cost[0] + cost[6], cost[1] + cost[5], cost[2] + cost[4], cost[3])
    assert report.steadyCycles == 2 * 10 * longest
    assert report.fillCycles >= 2 * sum(max(cost[: n + 1]) for n in range(4))
    assert 0 < report.bubble < 1
    assert report.cycles == run.getCycleCount() < report.sequentialCycles
    assert "ramp-up" in report.summary and "bubble" in report.summary


def test_no_report_without_a_pipeline() -> None:
    with pytest.warns(OptionWarning, match="pipelineStage = 0 .*enablePipelining is False"):
        made = session(transformer(Stages(4, 2, 2)), 2, False, 2, RecomputationType.NoRecompute)
    with pytest.raises(popart_exception, match="no pipeline whose stages run at once"):
        made.getPipelineReport()
    lanes = [e["args"]["name"] for e in traced(made) if e["name"] == "thread_name"]
    assert lanes[-2:] == ["IPU 0", "IPU 1"]


def traced(made: Any) -> list[Any]:
    return traceOf(made.getProfile())["traceEvents"]


@pytest.mark.parametrize("factor", [1, 8])
def test_what_stages_restore_may_be_an_anchor(factor: int) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [2, 4], "x")
    w, v = (builder.addInitializedInputTensor(floats(4, 4, seed=n), f"w{n}") for n in range(2))
    with builder.virtualGraph(0):
        h = builder.aiOnnx.exp([builder.aiOnnx.matmul([x, w])])
    with builder.virtualGraph(1):
        g = builder.aiOnnx.sin([builder.aiOnnx.matmul([h, v])])
    with builder.virtualGraph(2):
        loss = builder.aiGraphcore.l1loss([builder.aiOnnx.exp([g])], 0.1)
    options = popir.SessionOptions(
        enablePipelining=True, virtualGraphMode=popir.VirtualGraphMode.Manual
    )
    if factor > 1:
        options.enableGradientAccumulation, options.accumulationFactor = True, factor
    first = popir.reservedRestoredPrefix()

    def made(*anchors: str) -> popir.TrainingSession:
        flow = popir.DataFlow(8 // factor, list(anchors), popir.AnchorReturnType("All"))
        return popir.TrainingSession(
            *(builder.getModelProto(), flow, loss, popir.ConstSGD(0.1), device(3)),
            userOptions=options,
        )

    run = made(h, first + h, first + x)
    run.prepareDevice()
    anchors, rows = run.initAnchorArrays(), floats(8, 2, 4, seed=3)
    given = rows if factor == 1 else rows.reshape(1, 8, 2, 4)
    run.run(popir.PyStepIO({"x": given}, anchors))
    np.testing.assert_array_equal(anchors[first + h], anchors[h])
    np.testing.assert_array_equal(anchors[first + x].reshape(rows.shape), rows)
    with pytest.raises(popart_exception, match="anchor 'Restored___nothing' is no tensor"):
        made(first + "nothing")
    if factor > 1:
        with pytest.raises(popart_exception, match="no later stage of the pipeline gets"):
            made(first + loss)


def test_a_conversion_has_the_stage_of_its_operator() -> None:
    """Indices of a type that ONNX does not name are converted."""
    builder = popir.Builder(opsets={"ai.onnx": 11})
    table, rows = np.arange(8, dtype=np.float32).reshape(4, 2), np.array([[3, 0], [1, 2]])
    i = builder.addInputTensor("UINT32", [1, 2], "i")
    with builder.virtualGraph(0), builder.pipelineStage(0):
        t = builder.addInitializedInputTensor(table, "table")
        x = builder.aiOnnx.gather([t, i])
    with builder.virtualGraph(1), builder.pipelineStage(1):
        y = builder.aiOnnx.neg([x])
    options = popir.SessionOptions(
        virtualGraphMode=popir.VirtualGraphMode.Manual, enablePipelining=True
    )
    made = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(2, [y]), device(2), userOptions=options
    )
    made.prepareDevice()
    anchors = made.initAnchorArrays()
    made.run(popir.PyStepIO({"i": rows.reshape(2, 1, 2).astype(np.uint32)}, anchors))
    np.testing.assert_array_equal(anchors[y].reshape(2, 2, 2), -table[rows])
