"""Gathers of models: the table and its gradient lie by the plan of slices, and cost by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import popir
from popir import poplar
from popir._device import machine
from popir.profile import MachineReport

WORDS, SIZE, COUNT = 30522, 768, 128
READS, ADDS = {"usedForUpdate": "false"}, {"usedForSlice": "false"}


def device() -> Any:
    return popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "ipuVersion": "ipu2"})


class Model:
    """Rows of a table, of float or of half; with a loss if it trains."""

    def __init__(
        self, table: np.ndarray, ids: list[int], axis: int = 0, share: float | None = None
    ) -> None:
        self.builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
        self.ids = self.builder.addInputTensor("INT32", ids, "ids")
        self.table = self.builder.addInitializedInputTensor(table, "table")
        self.out = self.builder.aiOnnx.gather([self.table, self.ids], axis)
        if share is not None:
            self.builder.setAvailableMemoryProportion(self.out, share)

    def inference(self, on: Any) -> Any:
        self.builder.addOutputTensor(self.out)
        flow = popir.DataFlow(1, [self.out])
        return popir.InferenceSession(self.builder.getModelProto(), flow, on)

    def training(self, on: Any) -> Any:
        loss = self.builder.aiGraphcore.l1loss([self.out], 0.5, popir.ReductionType.Sum)
        flow = popir.DataFlow(1, [loss])
        return popir.TrainingSession(
            self.builder.getModelProto(), flow, loss, popir.ConstSGD(0.5), on
        )


def cost_of(report: MachineReport, vertex_class: str) -> Any:
    return next(each for each in report.operations if each.vertexClass == vertex_class)


def planned(options: dict[str, str]) -> dict[str, Any]:
    target = poplar.Target.createIPUTarget(1, "ipu2")
    return machine.planSlices(target, poplar.HALF, [1, WORDS, SIZE, COUNT], options)


def bert(**more: Any) -> Model:
    return Model(np.zeros((WORDS, SIZE), np.float16), [COUNT], **more)


def test_a_table_lies_by_its_plan_and_a_gather_takes_what_it_says() -> None:
    session = bert().inference(device())
    session.prepareDevice(loadEngine=False)
    report, plan = session.getReport(), planned(READS)
    gather = cost_of(report, "popops::MultiSlice")
    assert plan["entries"] > 1 and plan["columns"] > 1
    # The stages of the planner, and a sync and a call before each.
    calls = 2 * (126 + 288)
    assert plan["readCycles"] <= gather.cycles - calls <= 1.2 * plan["readCycles"]
    rows, columns = -(-WORDS // plan["entries"]), -(-SIZE // plan["columns"])
    variables = next(each for each in report.memory if each.category == "variables")
    assert variables.tileBytes.max() == rows * columns * 2


def test_a_gradient_lies_by_its_plan() -> None:
    session = bert().training(device())
    session.prepareDevice(loadEngine=False)
    report, plan = session.getReport(), planned(ADDS)
    update = cost_of(report, "popops::MultiUpdateAdd")
    assert 0.8 * plan["updateCycles"] <= update.cycles <= 3 * plan["updateCycles"]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("trains", [False, True])
def test_results_are_those_of_numpy_on_an_ipu(axis: int, trains: bool) -> None:
    rng = np.random.default_rng(axis)
    table = rng.integers(-9, 10, (20, 24, 18)).astype(np.float32)
    ids = rng.integers(-table.shape[axis], table.shape[axis], (5, 7)).astype(np.int32)
    model = Model(table, list(ids.shape), axis)
    session = model.training(device()) if trains else model.inference(device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({model.ids: ids}, anchors))
    if not trains:
        np.testing.assert_array_equal(anchors[model.out], np.take(table, ids, axis))
        return
    signs = np.sign(np.take(table, ids, axis))
    flat = ids.reshape(-1) % table.shape[axis]
    step = np.zeros_like(table)
    given = signs.reshape([*table.shape[:axis], flat.size, *table.shape[axis + 1 :]])
    np.add.at(np.moveaxis(step, axis, 0), flat, np.moveaxis(given, axis, 0))
    found = np.empty_like(table)
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO({model.table: found}))
    np.testing.assert_array_equal(found, table - 0.25 * step)


def test_memory_for_temporary_data_is_the_nodes() -> None:
    def bytes_of(share: float) -> int:
        session = bert(share=share).inference(device())
        session.prepareDevice(loadEngine=False)
        return cost_of(session.getReport(), "popops::MultiSlice").cycles

    little = planned({**READS, "availableMemoryProportion": "0.005"})
    assert little["readBytes"] <= 0.005 * 638976 < planned(READS)["readBytes"]
    assert bytes_of(0.005) > bytes_of(0.6)
