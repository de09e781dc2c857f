"""Outlining changes no bit, whatever a model repeats: scalars, constants that are shared and of no
elements, several outputs, repeats in repeats; and where it is on unless asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir.ir.graph import called_graphs
from tests.models import floats, step

Arrays = dict[str, np.ndarray[Any, Any]]
N = 6
"""Whatever goes from block to block is a square of this size."""


class Model:
    """A model of repeated blocks, made at random."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
        self._on = self._builder.aiOnnx
        self._shared = [
            self._builder.addInitializedInputTensor(floats(N, N, seed=seed) * 0.3, "shared"),
            self._builder.addInitializedInputTensor(np.float32(0.7), "sharedScalar"),
        ]
        self.nothing = self._builder.addInitializedInputTensor(np.zeros((0, N), np.float32), "none")
        self._last = self._builder.addInputTensor("FLOAT", [N, N], "x")
        self._extra: list[str] = []
        self._weights = 2
        self._repeat(self._plan(2))
        loss = self._builder.aiGraphcore.l1loss([self._last], 1.0)
        self.anchors = [loss, self._last, *self._extra[:: 1 + seed % 3][:4]]
        for id in self.anchors:
            self._builder.addOutputTensor(id)
        self.proto = self._builder.getModelProto()

    def weight(self, *shape: int) -> str:
        """A weight of its own; a scalar without a shape."""
        self._weights += 1
        data = floats(*shape, seed=self._weights) * np.float32(0.5)
        return self._builder.addInitializedInputTensor(np.asarray(data, np.float32))

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        """A constant of its own."""
        return self._on.constant(np.array(value, dtype))

    def _plan(self, depth: int) -> list[Any]:
        """What a block consists of: ways by name, and blocks that are repeated in it."""
        plan: list[Any] = [*self._rng.choice(list(WAYS), 2)]
        if depth:
            plan.insert(int(self._rng.integers(3)), self._plan(depth - 1))
        return [2 if depth else 3, *plan]

    def _repeat(self, plan: list[Any]) -> None:
        times, *ways = plan
        for _ in range(times):
            for way in ways:
                if isinstance(way, list):
                    self._repeat(way)
                else:
                    self._last = WAYS[way](self, self._on, self._last)
            self._last = self._on.tanh([self._on.matmul([self._last, self.weight(N, N)])])
            self._extra.append(self._last)

    def number(self) -> float:
        """Another one in every second block."""
        return float(len(self._extra) // 2)

    def shared(self, i: int) -> str:
        """A weight that all blocks share: a matrix, or a scalar."""
        return self._shared[i]


def _split(m: Model, on: Any, h: str) -> str:
    parts = on.split([h, m.constant([2, 3, 1])], num_outputs=3, axis=1)
    return on.concat([parts[1], on.relu([parts[0]]), parts[2]], 1)


def _left_out(m: Model, on: Any, h: str) -> str:
    first, _ = on.split([h, m.constant([N, 0])], num_outputs=2, axis=0)
    return on.mul([first, m.weight()])


def _normalised(m: Model, on: Any, h: str) -> str:
    out = on.layernormalization([h, m.weight(N), m.weight(N)], 1)
    return out if isinstance(out, str) else out[0]


WAYS: dict[str, Callable[[Model, Any, str], str]] = {
    "scalar": lambda m, on, h: on.mul([h, m.weight()]),
    "one element": lambda m, on, h: on.add([h, m.weight(1)]),
    "shared scalar": lambda m, on, h: on.mul([h, m.shared(1)]),
    "shared matrix": lambda m, on, h: on.add([on.matmul([h, m.shared(0)]), h]),
    "equal constants": lambda m, on, h: on.add([h, m.constant(0.5, np.float32)]),
    "other constants": lambda m, on, h: on.add([h, m.constant(m.number(), np.float32)]),
    "no elements": lambda m, on, h: on.concat([m.nothing, h], 0),
    "no elements of its own": lambda m, on, h: on.concat([h, m.weight(N, 0)], 1),
    "sum of no elements": lambda m, on, h: on.add([h, on.reducesum([m.weight(N, 0)], False)]),
    "softmax": lambda m, on, h: on.softmax([on.mul([on.matmul([h, m.weight(N, N)]), m.weight()])]),
    "several outputs": _split,
    "an output that nobody reads": _left_out,
    "normalised": _normalised,
    "scalar gathered": lambda m, on, h: on.add([h, on.gather([h, m.constant(2)], 0)]),
    "scalar computed": lambda m, on, h: on.mul([h, on.reducemean([h], keepdims=False)]),
    "condition": lambda m, on, h: on.where([on.less([h, m.weight()]), h, m.weight()]),
    "view": lambda m, on, h: on.transpose([on.reshape([h, m.constant([N, N])])], [1, 0]),
    "twice the same": lambda m, on, h: on.mul([h, h]),
}


def result(model: Model, training: bool, device: Any, **options: Any) -> tuple[Arrays, Any]:
    """Anchors of one step, and all weights after it; and the session."""
    flow, asked = popir.DataFlow(1, model.anchors), popir.SessionOptions(**options)
    asked.engineOptions = {"debug.allowOutOfMemory": "true"}
    if training:
        session: Any = popir.TrainingSession(
            *(model.proto, flow, model.anchors[0], popir.ConstSGD(0.1), device), userOptions=asked
        )
    else:
        session = popir.InferenceSession(model.proto, flow, device, userOptions=asked)
    session.prepareDevice()
    found = step(session, {"x": floats(N, N, seed=1)})
    session.weightsToHost()
    weights = [t for t in session.graph.tensors.values() if t.is_variable()]
    arrays = {t.id: np.zeros(t.info.shape(), t.info.dataType().numpy) for t in weights}
    session.readWeights(popir.PyWeightsIO(arrays))
    return {**found, **arrays}, session


def cpu() -> Any:
    return popir.DeviceManager().createCpuDevice()


def machine() -> Any:
    return popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4})


@pytest.mark.parametrize("seed", range(24))
def test_outlined_or_not_the_bits_are_the_same(seed: int) -> None:
    model, training = Model(seed), bool(seed % 2)
    device = (cpu, machine)[seed // 2 % 2]()
    costs = bool(seed // 4 % 2)
    plain, _ = result(model, training, device, enableOutlining=False)
    options = {"enableOutliningCopyCostPruning": costs, "outlineThreshold": 1.0 if costs else -1.0}
    found, session = result(model, training, device, enableOutlining=True, **options)
    assert len(called_graphs(session.graph)) > 1 or costs
    assert found.keys() == plain.keys()
    for id, array in plain.items():
        np.testing.assert_array_equal(found[id], array, id)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("training", [False, True])
def test_each_kind_of_block(way: str, training: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "_plan", lambda self, depth: [3, way])
    model = Model(7)
    for device in (cpu(), machine()):
        plain, _ = result(model, training, device, enableOutlining=False)
        options = {"enableOutliningCopyCostPruning": False, "outlineThreshold": -1.0}
        found, session = result(model, training, device, enableOutlining=True, **options)
        assert len(called_graphs(session.graph)) > 1
        for id, array in plain.items():
            np.testing.assert_array_equal(found[id], array, id)


def test_a_machine_outlines_unless_told_not_to_and_a_cpu_if_asked() -> None:
    model = Model(3)
    on, words = {}, {}
    for name, device in (("Cpu", cpu()), ("machine", machine())):
        for asked in (None, False, True):
            options = popir.SessionOptions(enableOutlining=asked)
            if asked or (asked is None and name == "machine"):
                options.enableOutliningCopyCostPruning = False
            session = popir.InferenceSession(
                *(model.proto, popir.DataFlow(1, model.anchors), device), userOptions=options
            )
            on[name, asked] = len(called_graphs(session.graph)) > 1
            words[name, asked] = [d.reason for d in session.decisions if d.what == "outlining"]
    outlined = {name for name, is_outlined in on.items() if is_outlined}
    assert outlined == {("Cpu", True), ("machine", None), ("machine", True)}
    assert words["Cpu", None] == [
        "a Cpu device gains nothing by it; SessionOptions.enableOutlining = True asks for it all "
        "the same"
    ]
    assert words["machine", False] == ["SessionOptions.enableOutlining is False"]
    assert words["Cpu", False] == ["SessionOptions.enableOutlining is False"]
    assert words["machine", None] == words["machine", True] == words["Cpu", True] == []
