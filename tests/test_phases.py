"""Execution phases: operators run by phases, on alternate IPUs, and no bit changes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import popir
from popir import VirtualGraphMode
from popir.errors import OperatorAttributeError, popart_exception
from popir.options import OptionWarning
from popir.options.annotations import EXECUTION_PHASE, VIRTUAL_GRAPH
from tests.models import Array, floats, step

KINDS = ("weight", "optimizerState", "accumulator", "activation")


def model(layers: int = 3, phase: Any = None) -> tuple[Any, str]:
    """A product, an activation and dropout in each phase, with a weight that two of them share."""
    builder, loss = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1}), ""
    h = builder.addInputTensor("FLOAT", [8, 8], "x")
    shared = builder.addInitializedInputTensor(floats(8, seed=7), "shared")
    for n in range(layers):
        with builder.executionPhase(n if phase is None else phase(n)):
            w = builder.addInitializedInputTensor(floats(8, 8, seed=n), f"w{n}")
            h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([h, w], f"product{n}")], f"tanh{n}")
            h = builder.aiOnnx.dropout([h], 1, 0.5)[0]
            if n in (0, layers - 1):
                h = builder.aiOnnx.add([h, shared])
            if n == layers - 1:
                loss = builder.aiGraphcore.l1loss([h], 0.1)
    return builder.getModelProto(), loss


def session(
    made: tuple[Any, str], kinds: tuple[str, ...] = (), ipus: int = 2, factor: int = 1, **more: Any
) -> Any:
    asked = popir.SessionOptions(**more)
    if factor > 1:
        asked.enableGradientAccumulation, asked.accumulationFactor = True, factor
    for kind in kinds:
        if kind == "accumulator" and factor == 1:
            continue
        where = popir.TensorLocationSettings(popir.TensorStorage.OffChip, 0)
        setattr(asked, f"{kind}TensorLocationSettings", where)
    run = popir.TrainingSession(
        made[0],
        popir.DataFlow(2, [made[1]]),
        made[1],
        popir.Adam({"defaultLearningRate": (0.01, False)}),
        popir.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": 4}),
        userOptions=asked,
    )
    run.prepareDevice()
    return run


def phased(phases: int = 3, stages: int = 2) -> dict[str, Any]:
    return {
        "executionPhaseSettings": popir.ExecutionPhaseSettings(phases=phases, stages=stages),
        "virtualGraphMode": VirtualGraphMode.ExecutionPhases,
    }


def trained(run: Any, factor: int = 1) -> dict[str, Array]:
    shape = (2, factor, 8, 8) if factor > 1 else (2, 8, 8)
    given = {"x": floats(*shape, seed=3)}
    (loss,) = run.dataFlow.anchors()
    found = {f"loss{n}": step(run, given)[loss].copy() for n in range(2)}
    run.weightsToHost()
    return found | {id: value.copy() for id, value in run._host.items()}


@pytest.mark.parametrize("factor", [1, 3])
@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("kinds", [(), KINDS])
def test_phases_change_no_bit(kinds: tuple[str, ...], stages: int, factor: int) -> None:
    with pytest.warns(OptionWarning, match=r"executionPhase = 0 .* has no meaning here"):
        plain = trained(session(model(), ipus=1, factor=factor), factor)
    cut = trained(session(model(), kinds, stages, factor, **phased(stages=stages)), factor)
    for id, value in plain.items():
        np.testing.assert_array_equal(cut[id], value, err_msg=id)


def test_operators_run_by_phases() -> None:
    run = session(model(), KINDS, **phased())
    order = run.graph.schedule()
    found = [op.settings.nodeAttributes.get(EXECUTION_PHASE) for op in order]
    numbers = [phase for phase in found if phase is not None]
    assert set(numbers) == {0, 1, 2, 3, 4}
    assert all(a <= b for a, b in pairwise(numbers))
    of = {op.name(): p for op, p in zip(order, found, strict=True) if op.plainType() == "MatMul"}
    assert of == {"product0": 0, "product1": 1, "product2": 2}
    backward = [p for op, p in zip(order, found, strict=True) if op.plainType() == "MatMulRhsGrad"]
    assert backward == [2, 3, 4]


def test_phases_alternate_between_ipus() -> None:
    for stages, expected in ((1, {0}), (2, {0, 1})):
        run = session(model(), **phased(stages=stages))
        for op in run.graph.schedule():
            notes = op.settings.nodeAttributes
            if op.plainType() in ("MatMul", "MatMulRhsGrad"):
                assert notes[VIRTUAL_GRAPH] == notes[EXECUTION_PHASE] % stages
        assert {
            op.settings.nodeAttributes[VIRTUAL_GRAPH] for op in run.graph.ops.values()
        } == expected


def test_each_phase_loads_what_it_reads() -> None:
    """A weight of phase 0 is loaded there and in phase 4, where it is updated; what phase 0 makes
    is loaded by its backward pass.
    """
    run = session(model(), KINDS, **phased())
    loads: dict[str, list[int]] = {}
    for op in run.graph.schedule():
        if op.plainType() == "RemoteLoad":
            notes = op.settings.nodeAttributes
            loads.setdefault(op.attributes["remote_buffer"], []).append(notes[EXECUTION_PHASE])
    assert loads["w0"] == [0, 4] and loads["w1"] == [1, 3] and loads["w2"] == [2]
    assert loads["Accl1___w0"] == [4]
    assert loads["shared"][0] == 0 and 2 in loads["shared"]
    assert loads["tanh0/Tanh:0"] == [4]


@pytest.mark.parametrize(
    ("made", "more", "words"),
    [
        (model, {"executionPhaseSettings": popir.ExecutionPhaseSettings(phases=3)}, "goes with"),
        (model, {"virtualGraphMode": VirtualGraphMode.ExecutionPhases}, "phases = 0 and virtual"),
        (model, {**phased(), "enablePipelining": True}, "are no stages of a pipeline"),
        (lambda: model(phase=lambda n: 2 - n), phased(), "reads 'Add:0', which"),
    ],
)
@pytest.mark.filterwarnings("ignore::popir.options.OptionWarning")
def test_wrong_phases_are_refused(made: Any, more: dict[str, Any], words: str) -> None:
    with pytest.raises(popart_exception, match=re.escape(words)):
        session(made(), **more)


def test_a_phase_is_one_of_those_that_there_are() -> None:
    with pytest.raises(OperatorAttributeError, match=r"executionPhase = 2 .* is none of the 2"):
        session(model(), **phased(phases=2))


def test_phases_share_outlined_code() -> None:
    """Six equal phases on one IPU: the products are one function."""
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    h = builder.addInputTensor("FLOAT", [64, 64], "x")
    for n in range(6):
        with builder.executionPhase(n):
            w = builder.addInitializedInputTensor(floats(64, 64, seed=n), f"w{n}")
            h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([h, w])])
    with builder.executionPhase(5):
        loss = builder.aiGraphcore.l1loss([h], 0.1)
    run = session((builder.getModelProto(), loss), ("weight",), 1, **phased(6, 1))
    kinds = [op.plainType() for op in run.graph.schedule()]
    assert kinds.count("Call") >= 6 and "MatMul" not in kinds
