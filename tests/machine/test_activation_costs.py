"""What costs as PopLibs' own vertex: activations, scaled additions of two types, single slices.

The cycles are PopLibs' formulas by hand, for 1,200 elements on each of two tiles: 100 vectors of
floats, 50 of halves a worker.
"""

import numpy as np
import pytest

import popir
from popir import errors, poplar
from popir._device import popnn, popops
from popir.popops import expr
from popir.profile import MachineReport
from tests.machine.net import FLOAT, Net

HALF, EACH = poplar.HALF, 1200
NonLinearity = popnn.NonLinearityType


def only(net: Net) -> tuple[str, str, int]:
    """Class and source of the one vertex that computes, and what a tile computes."""
    report = net.report()
    (row,) = (row for row in report.operations if row.computeCycles > 0)
    return row.vertexClass, row.source, report.computeCycles


@pytest.mark.parametrize(
    ("kind", "dtype", "cycles"),
    [
        # 9 + 6 (20 + 4 + 99*3 + 1 + 4)
        ("RELU", FLOAT, 1965),
        ("TANH", FLOAT, 1965),
        # 9 + 6 (20 + 4 + 49*3 + 1 + 6)
        ("SIGMOID", HALF, 1077),
        # 9 + 6 (20 + 4 + 99*10 + 1 + 4)
        ("GELU", FLOAT, 6123),
        # 9 + 6 (20 + 4 + 49*15 + 1 + 6)
        ("GELU_ERF", HALF, 4605),
        # 9 + 6 (20 + 4 + 49*9 + 1 + 6)
        ("SWISH", HALF, 2841),
    ],
)
def test_gradients_of_activations(kind: str, dtype: poplar.Type, cycles: int) -> None:
    net = Net()
    act, grad = (net.input(name, [2 * EACH], 0, 1, dtype=dtype) for name in ("act", "grad"))
    popnn.nonLinearityInputGradient(
        net.graph, getattr(NonLinearity, kind), act, grad, net.prog, "gradient"
    )
    assert only(net) == ("popnn::NonLinearityGrad1D", "estimator", cycles)


def test_activations() -> None:
    """Swish has a vertex with a result of its own; Gelu works on a copy, 8 bytes a cycle."""

    def of(kind: str, in_place: bool) -> tuple[str, str, int]:
        net = Net()
        x = net.input("x", [2 * EACH], 0, 1)
        how = popnn.nonLinearityInPlace if in_place else popnn.nonLinearity
        how(net.graph, getattr(NonLinearity, kind), x, net.prog, "activation")
        return only(net)

    # 9 + 6 (20 + 2 + 2*6 + 1 + 99*11 + 3), in place a branch more
    assert of("SWISH", False) == ("popnn::NonLinearity1D", "estimator", 6771)
    assert of("SWISH", True) == ("popnn::NonLinearity1DInPlace", "estimator", 6777)
    # 9 + 6 (20 + 2 + 2*10 + 1 + 99*10 + 3)
    assert of("GELU", True) == ("popnn::NonLinearity1DInPlace", "estimator", 6225)
    assert of("GELU", False) == ("popnn::NonLinearity1D", "estimator", 6225 + EACH * 4 // 8)
    assert of("RELU", True)[0] == "popops::UnaryOp1DInPlace"


@pytest.mark.parametrize("name", ["relu", "sigmoid", "tanh", "gelu", "geluerf", "swish"])
def test_sessions_use_these_vertices(name: str) -> None:
    """As PopART's operators do; what they compute stays as it was."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInitializedInputTensor(np.linspace(-2, 2, 64, dtype=np.float32), "x")
    source = builder.aiOnnx if name in ("relu", "sigmoid", "tanh") else builder.aiGraphcore
    y = getattr(source, name)([x], debugContext="activation")
    loss = builder.aiGraphcore.l1loss([y], 0.1, debugContext="loss")
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, []),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 16}),
    )
    session.prepareDevice(loadEngine=False)
    report: MachineReport = session.getReport()
    classes = {row.vertexClass: row.source for row in report.operations}
    assert classes["popnn::NonLinearityGrad1D"] == "estimator"
    forward = "popnn::NonLinearity1D" if name in ("gelu", "swish") else None
    assert forward is None or classes[forward] == "estimator"


def test_a_name_that_no_vertex_has_is_refused() -> None:
    net = Net()
    x = net.input("x", [8], 0)
    with pytest.raises(errors.poplar_invalid_option, match=r"costedAs is 'elu'.*reluGrad"):
        popops.map(net.graph, expr._1 * 2, [x], net.prog, "x", {"costedAs": "elu"})
    y = net.input("y", [8], 0)
    with pytest.raises(
        errors.poplar_invalid_option,
        match="popops::mapInPlace: costedAs is 'gelu' for 2 expressions, which are one vertex; "
        "expected is one expression",
    ):
        popops.mapInPlace(
            net.graph, [expr._1 * 2, expr._2 * 2], [x, y], net.prog, "x", {"costedAs": "gelu"}
        )


@pytest.mark.parametrize(
    ("to", "other", "cycles"),
    [
        # 57, and 6 (19 + 6 + 99*3); of halves 100 vectors of the other type take four cycles each
        (FLOAT, FLOAT, 57 + 6 * 322),
        (FLOAT, HALF, 57 + 6 * (19 + 6 + 99 * 4)),
        # 50 vectors: 57, and 6 (20 + 9 + 49*5)
        (HALF, FLOAT, 57 + 6 * (20 + 9 + 49 * 5)),
    ],
)
def test_scaled_additions_of_two_types(to: poplar.Type, other: poplar.Type, cycles: int) -> None:
    net = Net()
    a = net.input("a", [2 * EACH], 0, 1, dtype=to)
    b = net.input("b", [2 * EACH], 0, 1, dtype=other)
    popops.scaledAddTo(net.graph, a, b, 0.5, net.prog)
    assert only(net) == ("popops::ScaledAdd", "estimator", cycles)


def test_workers_share_the_elements_of_one_slice() -> None:
    """Columns on two tiles, 300 on each: 25 + 6 (39 + 24 + 2*25); two rows 24 + 2*25 more."""

    def takes(rows: int) -> int:
        net = Net()
        t = popops.createSliceableTensor(net.graph, FLOAT, [10, 600], [0], [rows], debugContext="t")
        for tile in range(2):
            net.map(t.slice(tile * 300, (tile + 1) * 300, 1), tile)
        at = net.input("at", [1], 0, dtype=poplar.UNSIGNED_INT)
        popops.dynamicSlice(net.graph, t, at, [0], [rows], net.prog)
        return net.report().computeCycles

    assert takes(1) == 25 + 6 * (39 + 24 + 50)
    assert takes(2) == takes(1) + 6 * (24 + 50)
