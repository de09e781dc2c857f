"""Patterns in Python, once the updates of the weights are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import popir
from popir import pattern
from popir.ir import Op
from popir.ops.update.sparse_accumulate import SPARSE, SparseAccumulateOp
from popir.patterns.edit import make
from tests.models import Array, floats

X, W = floats(4, 3, seed=1), floats(3, 2, seed=2)
SEEN: list[str] = []
UPDATES = frozenset({"SGD0VarUpdate", "SGD1VarUpdate"})


class Once(popir.Rewrite):
    """Changes each operator once that is there with the updates."""

    def pattern(self, op: Op) -> bool:
        """Whether the operator has not been seen yet."""
        SEEN.append(f"{op.graph.has_gradients} {op.graph.has_updates}")
        return op.graph.has_updates and "seen" not in op.settings.nodeAttributes

    def rewrite(self, op: Op) -> None:
        """Marks it, and changes it."""
        op.settings.nodeAttributes["seen"] = 1
        self.change(op)

    def change(self, op: Op) -> None:
        """Changes the operator."""
        raise NotImplementedError


class Ascent(Once):
    """Turns the gradient that an update gets around."""

    types = UPDATES

    def change(self, op: Op) -> None:
        """Puts a Neg before it."""
        turned = f"{op.inId(1)}/turned"
        make(op, ("ai.onnx", "Neg", 13), [op.inId(1)], turned)
        op.disconnectInTensor(1)
        op.connectInTensor(1, turned)


class TurnGradient(Once):
    """Turns the gradient of a product's weight around."""

    types = frozenset({"MatMulRhsGrad"})

    def change(self, op: Op) -> None:
        """Puts a Neg behind it, which all its readers read."""
        out = op.outTensor(0)
        readers = list(out.uses)
        turned = f"{out.id}/turned"
        make(op, ("ai.onnx", "Neg", 13), [out.id], turned)
        for reader in readers:
            for i in [i for i, t in reader.input.items() if t is out]:
                reader.disconnectInTensor(i)
                reader.connectInTensor(i, turned)


class TurnRate(Once):
    """Updates in the other direction."""

    types = UPDATES

    def change(self, op: Op) -> None:
        """Changes the sign of the learning rate."""
        (name,) = (name for name in op.attributes if name.startswith("scaledLearningRate"))
        op.attributes[name] = -op.attributes[name]
        op.bindAttributes(op.attributes)


class Read(Once):
    """Reads what each update makes."""

    types = UPDATES

    def change(self, op: Op) -> None:
        """Adds a Neg of it."""
        make(op, ("ai.onnx", "Neg", 13), [op.outId(0)], f"{op.outId(0)}/read")


class Replace(Once):
    """Puts another operator in the place of each update."""

    types = UPDATES

    def change(self, op: Op) -> None:
        """Makes a copy, with the same connections."""
        inputs = {i: t.id for i, t in op.input.items()}
        outputs = {i: t.id for i, t in op.output.items()}
        graph = op.graph
        graph.eraseOp(op.id)
        graph.createConnectedOp(op.clone, inputs, outputs)


class Astray(Once):
    """Accumulates rows in what is no accumulator."""

    types = UPDATES

    def change(self, op: Op) -> None:
        """Adds them to the weight."""
        graph = op.graph
        at = graph.addConstInit(graph.uniqueId("at"), np.array([0, 1, 1, 0], np.int32))
        rows = SparseAccumulateOp(SPARSE, Op.Settings(graph, "rows"), {"mode": "Add", "axis": 1})
        out = graph.uniqueId("astray")
        graph.createConnectedOp(lambda: rows, {0: op.inId(0), 1: "x", 3: at.id}, {0: out})


PATTERNS = (Ascent, TurnGradient, TurnRate, Read, Replace, Astray)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    for each in PATTERNS:
        popir.PatternCreator(each, each.__name__, enabled=False)
    yield
    for each in PATTERNS:
        pattern.remove(each.__name__)
    del SEEN[:]


def plain() -> Any:
    return popir.ConstSGD(0.1)


def momentum() -> Any:
    return popir.SGD({"defaultLearningRate": (0.1, True), "defaultMomentum": (0.9, True)})


def trained(
    name: str | None,
    accumulation: int,
    optimizer: Callable[[], Any] = plain,
    parts: int = 1,
) -> Array:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 3], "x")
    w = builder.addInitializedInputTensor(W, "w")
    y = builder.aiOnnx.matmul([x, w])
    if parts > 1:
        builder.setSerializeMatMul({y}, "output_channels", parts, True)
    loss = builder.aiGraphcore.l1loss([y], 1.0, popir.ReductionType.Sum)
    options = popir.SessionOptions(enableGradientAccumulation=accumulation > 1)
    options.accumulationFactor = accumulation
    options.accumulationAndReplicationReductionType = popir.ReductionType.Sum
    patterns = popir.Patterns()
    if name is not None:
        patterns.enablePattern(name, True)
    session = popir.TrainingSession(
        *(builder.getModelProto(), popir.DataFlow(1, [loss]), loss, optimizer()),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
        patterns=patterns,
    )
    session.prepareDevice()
    data = np.stack([X] * accumulation) if accumulation > 1 else X
    session.run(popir.PyStepIO({"x": data}, session.initAnchorArrays()))
    session.weightsToHost()
    found = {"w": np.empty_like(W)}
    session.readWeights(popir.PyWeightsIO(found))
    return found["w"]


def step(accumulation: int) -> Array:
    return 0.1 * accumulation * X.T @ np.sign(X @ W)


@pytest.mark.parametrize("accumulation", [1, 3])
def test_updates_are_seen(accumulation: int) -> None:
    moved = step(accumulation)
    np.testing.assert_allclose(trained(None, accumulation), W - moved, rtol=1e-5, atol=1e-6)
    assert not SEEN
    np.testing.assert_allclose(trained("Ascent", accumulation), W + moved, rtol=1e-5, atol=1e-6)
    assert {*SEEN} == {"True True"}


@pytest.mark.parametrize("optimizer", [plain, momentum])
@pytest.mark.parametrize("parts", [1, 2])
def test_what_is_put_behind_a_gradient_is_accumulated(
    parts: int, optimizer: Callable[[], Any]
) -> None:
    found = trained("TurnGradient", 3, optimizer, parts)
    np.testing.assert_allclose(found, W + step(3), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("optimizer", [plain, momentum])
def test_an_update_may_be_replaced(optimizer: Callable[[], Any]) -> None:
    found = trained("Replace", 3, optimizer)
    np.testing.assert_allclose(found, W - step(3), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "optimizer", "parts", "said"),
    [
        ("Ascent", momentum, 1, r"Ascent lets Op\(.*SGD1VarUpdate.*turned.*Separate"),
        ("Ascent", plain, 2, r"Ascent has changed input 1 of Op\(.*, a part of the update of 'w'"),
        ("TurnRate", plain, 2, r"TurnRate has changed Op\(.*SGD0VarUpdate.* a part of"),
        ("Read", plain, 2, r"Read lets Op\(.*Neg.* read a part of the update of 'w'"),
        ("Replace", plain, 2, r"Replace has removed a part .*do without setSerializeMatMul"),
        ("Astray", plain, 1, r"inputs=\['w', 'x', 'at'\].* rows in 'w', where no.*input 0 of an"),
    ],
)
def test_what_would_be_lost_is_refused(
    name: str, optimizer: Callable[[], Any], parts: int, said: str
) -> None:
    with pytest.raises(popir.popart_exception, match=said):
        trained(name, 3, optimizer, parts)
