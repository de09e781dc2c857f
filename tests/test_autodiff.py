"""The reverse walk: names, sums, what is left out, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import popir
from popir import autodiff, registry
from popir.autodiff import differentiate
from popir.ir import (
    Gradient,
    GradInOutMapper,
    GradOp,
    GradOpInType,
    Graph,
    Op,
    OperatorIdentifier,
    verify,
)
from popir.ir.text import print_graph

SCALAR = np.float32(2.0).reshape(())


class GraphMaker:
    """A graph of operators of opset 13, built in one line each."""

    def __init__(self) -> None:
        self.graph = Graph("test")
        self.graph.opsets = {"ai.onnx": 13, "ai.graphcore": 1}

    def weight(self, id: str, value: Any = SCALAR) -> str:
        self.graph.addVarInit(id, np.asarray(value))
        return id

    def add(
        self, type: str, inputs: list[str], output: str, domain: str = "ai.onnx", **attributes: Any
    ) -> str:
        tensors = [self.graph.getTensor(id) for id in inputs]
        settings = Op.Settings(self.graph, output)
        version = self.graph.opsets.get(domain, 1)
        self.graph.createConnectedOp(
            registry.createOp,
            dict(enumerate(inputs)),
            {0: output},
            domain,
            type,
            version,
            settings,
            attributes,
            tensors,
        )
        return output


@pytest.fixture
def make() -> GraphMaker:
    return GraphMaker()


@pytest.fixture(autouse=True)
def scope() -> Iterator[None]:
    with registry.scoped():
        yield


def types(graph: Graph) -> list[str]:
    return [op.opid.type for op in graph.schedule()]


def test_one_use_gives_the_gradient_its_name(make: GraphMaker) -> None:
    make.weight("w")
    make.add("Exp", ["w"], "loss")
    assert differentiate(make.graph, "loss", ["w"]) == {"w": "Gradient___w"}
    verify(make.graph)
    gradient = make.graph.getTensor("Gradient___w")
    assert gradient.getProducer().opid.type == "ExpGrad"
    assert [t.id for t in gradient.getProducer().input.values()] == ["Gradient___loss", "loss"]
    assert make.graph.getTensor("Gradient___loss").data == np.float32(1)


def test_several_uses_are_summed_under_the_names_of_their_edges(make: GraphMaker) -> None:
    make.weight("w")
    make.add("Mul", ["w", "w"], "square")
    make.add("Add", ["square", "w"], "loss")
    differentiate(make.graph, "loss", ["w"])
    verify(make.graph)
    total = make.graph.getTensor("Gradient___w").getProducer()
    assert total.opid.type == "Sum"
    mul = next(iter(make.graph.ops))
    ids = sorted(t.id for t in total.input.values())
    # The Add passes the gradient of its output on as it is.
    assert ids == sorted([f"Gradient___{mul}_0", f"Gradient___{mul}_1", "Gradient___loss"])


def test_only_what_a_target_needs_is_differentiated(make: GraphMaker) -> None:
    make.weight("w")
    make.weight("other")
    make.add("Exp", ["other"], "e")
    make.add("Mul", ["w", "e"], "loss")
    make.add("Tanh", ["w"], "aside")
    assert differentiate(make.graph, "loss", ["w"]) == {"w": "Gradient___w"}
    assert types(make.graph) == ["Exp", "Mul", "Tanh", "MulArg0Grad"]


def test_a_target_that_the_loss_does_not_depend_on_is_left_out(make: GraphMaker) -> None:
    make.weight("w")
    make.weight("unused")
    make.add("Exp", ["w"], "loss")
    assert set(differentiate(make.graph, "loss", ["w", "unused"])) == {"w"}


def test_a_target_inside_the_model(make: GraphMaker) -> None:
    make.weight("w")
    make.add("Exp", ["w"], "middle")
    make.add("Log", ["middle"], "loss")
    assert differentiate(make.graph, "loss", ["middle"]) == {"middle": "Gradient___middle"}
    assert types(make.graph) == ["Exp", "Log", "LogGrad"]


def test_loss_scaling_by_number_and_by_tensor(make: GraphMaker) -> None:
    make.weight("w")
    make.add("Exp", ["w"], "loss")
    make.weight("scaling")
    differentiate(make.graph, "loss", ["w"], "scaling")
    assert make.graph.getTensor("Gradient___loss").getProducer().inId(0) == "scaling"


def test_detach_stops_the_gradient(make: GraphMaker) -> None:
    make.weight("w")
    make.add("Detach", ["w"], "d", "ai.graphcore")
    make.add("Mul", ["w", "d"], "loss")
    differentiate(make.graph, "loss", ["w"])
    assert types(make.graph) == ["Detach", "Mul", "MulArg0Grad"]


def test_integers_carry_no_gradient(make: GraphMaker) -> None:
    make.weight("w")
    make.add("Cast", ["w"], "whole", to=6)
    make.add("Cast", ["whole"], "back", to=1)
    make.add("Mul", ["w", "back"], "loss")
    differentiate(make.graph, "loss", ["w"])
    assert "CastGrad" not in types(make.graph)


def test_the_loss_must_be_one_number(make: GraphMaker) -> None:
    make.weight("w", np.zeros((2, 3), np.float32))
    make.add("Exp", ["w"], "loss")
    with pytest.raises(popir.popart_exception, match=r"'loss' is FLOAT\[2, 3\]; it must have one"):
        differentiate(make.graph, "loss", ["w"])


class Plain(Op):
    """Passes its input on; two outputs; no gradient."""

    def setup(self) -> None:
        for i in self.output:
            self.setOutInfo(i, self.inInfo(0))


class Wrong(Plain):
    """Its gradient operator has another shape than its input."""

    def getGradOps(self) -> list[Op]:
        return [WrongGrad(self)]


class WrongGrad(GradOp):
    opid = OperatorIdentifier("test", "WrongGrad", 1)

    def setup(self) -> None:
        self.setOutInfo(0, popir.TensorInfo("FLOAT", [7]))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        return [GradInOutMapper(0, 0, GradOpInType.GradOut)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        return {0: 0}


class Kept(Plain):
    """Its gradient operator is that of its input, and is to stay if `kept`."""

    kept: bool

    def getGradOps(self) -> list[Op]:
        return [KeptGrad(self)]


class KeptGrad(WrongGrad):
    opid = OperatorIdentifier("test", "KeptGrad", 1)

    def __init__(self, op: Kept) -> None:
        super().__init__(op)
        self.kept = op.kept

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def isPruneable(self) -> bool:
        return not self.kept


class Pair(Plain):
    """Two outputs, whose gradients one operator wants."""

    def getGradOps(self) -> list[Op]:
        return [PairGrad(self)]


class PairGrad(WrongGrad):
    opid = OperatorIdentifier("test", "PairGrad", 1)

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        return [GradInOutMapper(i, i, GradOpInType.GradOut) for i in (0, 1)]


def register(opClass: type[Op]) -> None:
    popir.OpCreator(opClass, [OperatorIdentifier("test", opClass.__name__, 1)])


def test_a_missing_gradient_names_the_operator_and_what_to_do(make: GraphMaker) -> None:
    register(Plain)
    make.weight("w")
    make.add("Plain", ["w"], "p", "test")
    make.add("Exp", ["p"], "loss")
    with pytest.raises(popir.MissingGradientError) as error:
        differentiate(make.graph, "loss", ["w"])
    for words in ("test.Plain:1", "name='p'", "input 0, 'w'", "getGradOps() of Plain", "Detach"):
        assert words in str(error.value)


def test_a_gradient_of_another_shape_is_refused(make: GraphMaker) -> None:
    register(Wrong)
    make.weight("w")
    make.add("Wrong", ["w"], "loss", "test")
    with pytest.raises(
        popir.popart_exception, match=r"WrongGrad.*FLOAT\[7\].*gradient of input 0.*FLOAT\[\]"
    ):
        differentiate(make.graph, "loss", ["w"])


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("detached", [False, True])
def test_a_gradient_that_is_to_stay_is_handed_on(
    make: GraphMaker, kept: bool, detached: bool
) -> None:
    """A library may hide an operator behind a Detach, and hand its gradient on by itself."""
    register(Kept)
    make.weight("w")
    hidden = make.add("Detach", ["w"], "d", "ai.graphcore") if detached else "w"
    make.add("Kept", [hidden], "k", "test", kept=kept)
    make.add("Mul", ["k", "w"], "loss")
    if kept and detached:
        said = r"test.Kept:1.*name='k'.* of 'd' is to stay.*KeptGrad:1.*pruneable.*TrainingSession"
        with pytest.raises(popir.popart_exception, match=said):
            differentiate(make.graph, "loss", ["w"])
    handed: list[Op] = []
    differentiate(make.graph, "loss", ["w"], handed=handed)
    verify(make.graph)
    assert ("KeptGrad" in types(make.graph)) == (kept or not detached)
    assert [op.opid.type for op in handed] == ["KeptGrad"] * (kept and detached)


def test_each_gradient_that_is_to_stay_is_handed_on(make: GraphMaker) -> None:
    """Those of two readers of one tensor, and one that another reads. They are not summed."""
    register(Kept)
    make.weight("w")
    make.add("Detach", ["w"], "d", "ai.graphcore")
    first, second = (make.add("Kept", ["d"], id, "test", kept=True) for id in ("a", "b"))
    third = make.add("Kept", [first], "c", "test", kept=True)
    make.add("Add", [second, third], "k")
    make.add("Mul", ["k", "w"], "loss")
    handed: list[Op] = []
    differentiate(make.graph, "loss", ["w"], handed=handed)
    verify(make.graph)
    assert len(handed) == types(make.graph).count("KeptGrad") == 3
    assert "Sum" not in types(make.graph)


def test_an_output_that_the_loss_ignores_has_the_gradient_zero(make: GraphMaker) -> None:
    register(Pair)
    make.weight("w")
    op = Pair(OperatorIdentifier("test", "Pair", 1), Op.Settings(make.graph))
    make.graph.createConnectedOp(lambda: op, {0: "w"}, {0: "a", 1: "b"})
    make.add("Exp", ["b"], "loss")
    differentiate(make.graph, "loss", ["w"])
    verify(make.graph)
    grad_op = make.graph.getTensor("Gradient___w").getProducer()
    assert [t.id for _, t in sorted(grad_op.input.items())] == ["Gradient___a", "Gradient___b"]
    assert make.graph.getTensor("Gradient___a").data == np.float32(0)


def test_a_layer_as_text(make: GraphMaker, golden: Any) -> None:
    graph = make.graph
    graph.addStream("x", popir.TensorInfo("FLOAT", [2, 3]))
    make.weight("w", np.ones((3, 4), np.float32))
    make.weight("b", np.zeros(4, np.float32))
    make.add("MatMul", ["x", "w"], "product")
    make.add("Add", ["product", "b"], "sum")
    make.add("Relu", ["sum"], "y")
    make.add("IdentityLoss", ["y"], "loss", "ai.graphcore", reduction="Sum")
    differentiate(graph, "loss", ["w", "b"])
    golden("layer.txt", print_graph(graph))


def test_the_gradient_of_a_constant() -> None:
    """It is there if it is an anchor; what reads the constant is not computed beforehand then."""
    builder = popir.Builder()
    table = builder.aiOnnx.constant(np.arange(9, dtype=np.float32).reshape(3, 3))
    rows = builder.aiOnnx.constant(np.array([0, 2], np.int32))
    taken = builder.aiOnnx.gather([table, rows], 0)
    squares = builder.aiOnnx.mul([taken, taken])
    loss = builder.aiGraphcore.l1loss([squares], 1.0, popir.ReductionType.Sum)
    gradient = popir.reservedGradientPrefix() + table
    session = popir.TrainingSession(
        fnModel=builder.getModelProto(),
        dataFlow=popir.DataFlow(1, [gradient, taken]),
        loss=loss,
        optimizer=popir.ConstSGD(0.1),
        deviceInfo=popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({}, anchors))
    np.testing.assert_array_equal(anchors[gradient], [[0, 2, 4], [0, 0, 0], [12, 14, 16]])


@pytest.mark.parametrize("of", ["x", "w", "z"])
def test_shapes_of_what_has_a_gradient_that_is_asked_for(of: str) -> None:
    """They are known, whatever is an anchor."""
    builder = popir.Builder()
    onnx = builder.aiOnnxOpset17
    x = builder.addInputTensor("FLOAT", [2, 3], "x")
    w = builder.addInitializedInputTensor(np.ones((2, 3), np.float32), debugContext="w")
    z = onnx.mul([x, w])
    tensor = {"x": x, "w": w, "z": z}[of]
    y = onnx.reshape([onnx.mul([z, z]), onnx.shape([tensor])])
    loss = builder.aiGraphcore.l1loss([y], 1.0, popir.ReductionType.Sum)
    gradient = popir.reservedGradientPrefix() + tensor
    session = popir.TrainingSession(
        fnModel=builder.getModelProto(),
        dataFlow=popir.DataFlow(1, [gradient]),
        loss=loss,
        optimizer=popir.ConstSGD(0.1),
        deviceInfo=popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({x: np.full((2, 3), 3, np.float32)}, anchors))
    expected = {"x": 6, "w": 18, "z": 6}[of]
    np.testing.assert_array_equal(anchors[gradient], np.full((2, 3), expected))


def test_gradients_of_operators_that_are_alike_are_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The graph is the one in which each operator makes its own."""
    made: list[str] = []
    original = autodiff.gradients_of

    def counted(op: Op) -> list[Gradient]:
        made.append(op.outId(0))
        return original(op)

    def differentiated() -> str:
        made.clear()
        maker = GraphMaker()
        at = maker.weight("x")
        for id in "abcd":
            at = maker.add("Sigmoid", [at], id)
        at = maker.add("Elu", [maker.add("Elu", [at], "e", alpha=0.5)], "f", alpha=0.25)
        differentiate(maker.graph, at, ["x"])
        verify(maker.graph)
        return print_graph(maker.graph)

    monkeypatch.setattr(autodiff, "gradients_of", counted)
    found = differentiated()
    assert made == ["f", "e", "d", "a"]  # The input of "a" is a weight, those of others are not.
    monkeypatch.setattr(autodiff, "is_own", lambda op: False)
    assert differentiated() == found
    assert made == ["f", "e", "d", "c", "b", "a"]
