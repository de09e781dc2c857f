"""How far a compilation is, as a session's listener hears it."""

from __future__ import annotations

import numpy as np
import pytest

import popir
from popir.progress import Progress


def test_each_tick_is_said_once() -> None:
    heard: list[tuple[int, int]] = []
    progress = Progress(lambda done, total: heard.append((done, total)), 10)
    progress.reach(0)
    first, second = progress.stage(0.1, 0.5), progress.stage(0.5, 1)
    assert first is not None and second is not None
    for i in range(101):
        first(i, 100)
    for i in range(3):
        second(i, 2)
    second(1, 2)
    assert heard == [(i, 10) for i in (0, 1, 2, 3, 4, 5, 7, 10)]


def test_without_a_listener_nothing_is_told() -> None:
    assert Progress(None).stage(0, 1) is None


def test_a_stage_without_parts_is_at_its_beginning() -> None:
    heard: list[int] = []
    stage = Progress(lambda done, total: heard.append(done)).stage(0.2, 0.4)
    assert stage is not None
    stage(0, 0)
    assert heard == [20]


@pytest.mark.parametrize("total", [100, 7])
def test_a_session_says_how_far_it_is(total: int) -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = h = builder.addInputTensor("FLOAT", [2, 4], "x")
    for _ in range(60):
        h = builder.aiOnnx.tanh([h])
    builder.addOutputTensor(h)
    heard: list[tuple[int, int]] = []
    options = popir.SessionOptions(
        compilationProgressLogger=lambda done, total: heard.append((done, total)),
        compilationProgressTotal=total,
    )
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [h]),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
        userOptions=options,
    )
    made = len(heard)
    session.prepareDevice()
    assert 0 < made < len(heard)
    assert heard[0] == (0, total) and heard[-1] == (total, total)
    assert heard == sorted(set(heard)) and {of for _, of in heard} == {total}
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({x: np.zeros((2, 4), np.float32)}, anchors))

    costed: list[tuple[int, int]] = []
    session.getProfile(lambda done, of: costed.append((done, of)))
    steps = len(session.getReport().steps)
    assert costed == [(i + 1, steps) for i in range(steps)]


def test_a_listener_that_raises_ends_it() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    builder = popir.Builder(opsets={"ai.onnx": 17})
    builder.addOutputTensor(builder.aiOnnx.tanh([builder.addInputTensor("FLOAT", [2], "x")]))
    with pytest.raises(KeyboardInterrupt):
        popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(1, []),
            popir.DeviceManager().createCpuDevice(),
            userOptions=popir.SessionOptions(compilationProgressLogger=stop),
        )
