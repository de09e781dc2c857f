"""Virtual graphs: where operators and tensors are, and that results do not depend on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import popir
from popir import VirtualGraphMode
from popir.errors import OperatorAttributeError, popart_exception
from popir.lowering.lowering import Lowering
from popir.options import OptionWarning, SessionOptions
from popir.virtual_graphs import Places

TILES = 4


def builder(places: dict[str, int], training: bool = False) -> tuple[popir.Builder, str]:
    """x -> MatMul a -> Relu b -> MatMul c -> Add d (with b's value), with a loss in training."""
    made = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    op = made.aiOnnx
    rng = np.random.default_rng(3)

    def weight(name: str, shape: tuple[int, ...]) -> str:
        return made.addInitializedInputTensor(rng.standard_normal(shape).astype(np.float32), name)

    def at(name: str, id: str) -> str:
        if name in places:
            made.virtualGraph(id, places[name])
        return id

    x = made.addInputTensor("FLOAT", [8, 16], "x")
    a = at("a", op.matmul([x, weight("w0", (16, 16))], "a"))
    b = at("b", op.relu([a], "b"))
    c = at("c", op.matmul([op.transpose([b], perm=[0, 1]), weight("w1", (16, 16))], "c"))
    d = at("d", op.add([c, b], "d"))
    made.addOutputTensor(d)
    if training:
        return made, made.aiGraphcore.l1loss([d], 0.1, popir.ReductionType.Sum, "loss")
    return made, d


def session(
    made: tuple[popir.Builder, str],
    mode: VirtualGraphMode,
    ipus: int = 2,
    training: bool = False,
    **options: Any,
) -> Any:
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": TILES})
    flow = popir.DataFlow(1, [made[1]])
    settings = SessionOptions(virtualGraphMode=mode, **options)
    model = made[0].getModelProto()
    if training:
        sgd = popir.SGD({"defaultLearningRate": (0.1, True), "defaultMomentum": (0.9, True)})
        return popir.TrainingSession(model, flow, made[1], sgd, device, userOptions=settings)
    return popir.InferenceSession(model, flow, device, userOptions=settings)


@pytest.fixture
def lowerings(monkeypatch: pytest.MonkeyPatch) -> list[Lowering]:
    """Those that sessions make."""
    made: list[Lowering] = []

    class Kept(Lowering):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            made.append(self)

    monkeypatch.setattr("popir.session.prepared.Lowering", Kept)
    return made


def ipus_of(lowering: Lowering, id: str) -> set[int]:
    """The IPUs that have elements of a tensor."""
    mapping = lowering.graph.getTileMapping(lowering.tensor(id))
    return {tile // TILES for tile, spans in enumerate(mapping) if spans}


def run(made: Any, steps: int = 1) -> Any:
    made.prepareDevice()
    anchors = made.initAnchorArrays()
    x = np.random.default_rng(1).standard_normal((8, 16)).astype(np.float32)
    for _ in range(steps):
        made.run(popir.PyStepIO({"x": x}, anchors))
    return next(iter(anchors.values()))


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(
    "places",
    [
        {"a": 0, "b": 0, "c": 1, "d": 1},
        {"a": 1, "b": 0, "c": 1, "d": 0},
        {"a": 1, "d": 0},
        {"c": 1},
        {"a": 1, "b": 1, "c": 1, "d": 1},
    ],
)
def test_tensors_lie_on_the_ipu_of_their_operator(
    places: dict[str, int], training: bool, lowerings: list[Lowering]
) -> None:
    made = session(builder(places, training), VirtualGraphMode.Manual, training=training)
    found = run(made, 3)
    (lowering,) = lowerings
    where = Places(made.graph)
    for op in made.graph.ops.values():
        name = op.name().rpartition("/")[0] or op.name()
        if op.opid.domain == "ai.onnx" and name in places:
            assert where.of(op) == places[name], op
        for tensor in op.output.values():
            assert ipus_of(lowering, tensor.id) == {where.of(op)}, (op, tensor)
    for tensor in made.graph.tensors.values():
        if lowering.devicex.contains(tensor.id):
            assert len(ipus_of(lowering, tensor.id)) == 1, tensor
    between = (s.interIPUBytes for s in made.getReport().steps if s.kind != "StreamCopy")
    assert any(between) == (len(set(places.values())) > 1)
    off = session(builder({}, training), VirtualGraphMode.Off, ipus=1, training=training)
    np.testing.assert_allclose(found, run(off, 3), rtol=1e-5, atol=1e-5)


def test_an_ipu_without_operators_holds_nothing() -> None:
    made = session(builder(dict.fromkeys("abcd", 1)), VirtualGraphMode.Manual)
    made.prepareDevice()
    variables = next(m for m in made.getReport().memory if m.category == "variables")
    assert not any(variables.tileBytes[:TILES]) and any(variables.tileBytes[TILES:])


@pytest.mark.parametrize(
    ("mode", "ipu", "ipus"),
    [
        (VirtualGraphMode.Manual, 3, 1),
        (VirtualGraphMode.Auto, 2, 2),
        (VirtualGraphMode.Manual, -1, 2),
        (VirtualGraphMode.Off, -1, 2),
    ],
)
def test_an_ipu_that_does_not_exist_names_the_node(
    mode: VirtualGraphMode, ipu: int, ipus: int
) -> None:
    with pytest.raises(
        OperatorAttributeError,
        match=rf"'c'.*virtualGraph = {ipu} .*has {ipus}: expected 0 to {ipus - 1}",
    ):
        session(builder({"c": ipu}), mode, ipus).prepareDevice()


def test_auto_needs_an_operator_for_each_ipu() -> None:
    with pytest.raises(popart_exception, match="of 5 operators cannot be cut into 7 parts"):
        session(builder({}), VirtualGraphMode.Auto, 7)


def test_without_the_mode_a_warning_says_that_nothing_is_placed() -> None:
    with pytest.warns(OptionWarning, match=r"'a'.*virtualGraphMode is Off") as said:
        session(builder({"a": 0, "b": 1}), VirtualGraphMode.Off)
    assert len(said) == 1
    session(builder({"a": 0}), VirtualGraphMode.Off, ipus=1)
    with pytest.warns(OptionWarning, match=r"'b'.*virtualGraphMode is Off"):
        session(builder({"a": 0, "b": 3}), VirtualGraphMode.Off, ipus=1)


def test_auto_splits_by_the_ratios(lowerings: list[Lowering]) -> None:
    def split(**options: Any) -> list[int]:
        made = session(builder({}), VirtualGraphMode.Auto, **options)
        run(made)
        where = Places(made.graph)
        ops = made.graph.schedule()
        return [where.of(op) for op in ops if op.opid.type != "IpuCopy"]

    even = split()
    assert even == sorted(even) and set(even) == {0, 1}
    assert set(split(virtualGraphSplitRatios=[1.0, 0.0])) == {0}
    assert set(split(virtualGraphSplitRatios=[0.0, 1.0])) == {1}
    assert sum(split(virtualGraphSplitRatios=[0.8, 0.2])) < sum(even)
    for wrong in ([1.0], [1.0, -1.0], [0.0, 0.0]):
        with pytest.raises(
            popart_exception, match=r"virtualGraphSplitRatios takes (one|a list of) number"
        ):
            split(virtualGraphSplitRatios=wrong)


def test_what_repeats_on_one_ipu_is_outlined_if_asked_for(lowerings: list[Lowering]) -> None:
    """Four equal layers, two on each IPU: one graph for each, whose operators lie there."""
    made = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    h = made.addInputTensor("FLOAT", [8, 16], "x")
    for n in range(4):
        w = made.addInitializedInputTensor(np.full((16, 16), 0.1, np.float32), f"w{n}")
        with made.virtualGraph(n // 2):
            h = made.aiOnnx.tanh([made.aiOnnx.matmul([h, w])])
    more: dict[str, Any] = {"outlineThreshold": -1.0, "enableOutliningCopyCostPruning": False}
    plain = session((made, h), VirtualGraphMode.Manual)
    cut = session((made, h), VirtualGraphMode.Manual, enableOutlining=True, **more)
    assert any("placed on IPUs" in str(each) for each in plain.decisions)
    where = Places(cut.graph)
    order = [(op.opid.type, where.of(op)) for op in cut.graph.schedule()]
    assert order == [("Call", 0), ("Call", 0), ("IpuCopy", 1), ("Call", 1), ("Call", 1)]
    np.testing.assert_array_equal(run(cut), run(plain))
    assert [ipus_of(lowerings[0], op.outId(0)) for op in cut.graph.schedule()][::4] == [{0}, {1}]


def test_a_random_program_on_three_ipus_gives_the_same() -> None:
    rng = np.random.default_rng(11)
    for _ in range(10):
        places = {name: int(rng.integers(3)) for name in "abcd" if rng.random() < 0.7}
        made = session(builder(places), VirtualGraphMode.Manual, ipus=3)
        np.testing.assert_allclose(
            run(made, 2), run(session(builder({}), VirtualGraphMode.Off, ipus=1)), rtol=1e-5
        )
