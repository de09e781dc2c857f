"""Operators like an earlier one get what its Opx has added: the same as their own Opx adds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir import poplar, popops, poputil, registry
from popir._device.popart import Devicex, Growth, KnownGrowths
from popir.lowering.growths import Grown, Growths
from popir.opx import Opx
from popir.poplar import program
from tests.models import Array, floats, run

SHAPE = [4, 6]
LINEAR = poplar.VariableMappingMethod.LINEAR


def model(nodes: list[Any], constants: dict[str, Array], output: str, shape: Any = ()) -> bytes:
    graph = helper.make_graph(
        nodes,
        "repeats",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape or SHAPE)],
        [numpy_helper.from_array(value, id) for id, value in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return made.SerializeToString()


def layers(count: int) -> bytes:
    """Layers of a product, an addition that broadcasts, softmax, views and a residual."""
    nodes: list[Any] = []
    constants: dict[str, Array] = {"turned": np.array([6, 4], np.int64)}
    at = "x"
    for n in range(count):
        constants |= {f"w{n}": floats(6, 6, seed=n), f"b{n}": floats(6, seed=n + 50)}

        def add(type: str, *inputs: str, n: int = n, **attributes: Any) -> str:
            id = f"layer{n}/{type}{len(nodes)}"
            nodes.append(helper.make_node(type, inputs, [id], name=id, **attributes))
            return id

        t = add("Add", add("MatMul", at, f"w{n}"), f"b{n}")
        t = add("Softmax", add("Reshape", t, "turned"), axis=-1)
        t = add("Mul", add("Transpose", t, perm=[1, 0]), add("Sigmoid", at))
        at = add("Add", at, add("Sub", t, add("ReduceMean", t, axes=[-1])))
    nodes.append(helper.make_node("ReduceMean", [at], ["loss"], keepdims=0))
    return model(nodes, constants, "loss", [])


def prepared(made: bytes, trains: bool, device: Any) -> Any:
    if trains:
        flow, sgd = popir.DataFlow(1, ["loss"]), popir.ConstSGD(0.1)
        session: Any = popir.TrainingSession(made, flow, "loss", sgd, device)
    else:
        session = popir.InferenceSession(made, popir.DataFlow(1, ["loss"]), device)
    session.prepareDevice()
    return session


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The types of the operators whose Opx grows."""
    types: list[str] = []
    own = Growths.grow_afresh

    def noted(self: Growths, opx: Opx) -> Grown:
        types.append(opx.op_p.plainType())
        return own(self, opx)

    monkeypatch.setattr(Growths, "grow_afresh", noted)
    return types


@pytest.mark.parametrize("kind", ["cpu", "ipu"])
@pytest.mark.parametrize("trains", [False, True])
def test_the_program_is_the_same(
    trains: bool, kind: str, grown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = popir.DeviceManager()
    options = {"numIPUs": 1, "tilesPerIPU": 4}
    device = manager.createCpuDevice() if kind == "cpu" else manager.createIpuModelDevice(options)
    made = layers(6)
    repeated = prepared(made, trains, device)
    operators = len(repeated.graph.ops)
    if kind == "cpu":  # On the machine, outlining leaves little to repeat.
        assert len(grown) < operators * 0.7
    grown.clear()
    begin = Growths.__init__
    monkeypatch.setattr(Growths, "__init__", lambda self, devicex, *_: begin(self, devicex, False))
    plain = prepared(made, trains, device)
    assert kind == "ipu" or len(grown) >= operators
    assert repeated.planText() == plain.planText()
    if kind == "ipu":
        assert repeated.getProfile().data == plain.getProfile().data


def test_a_chain_grows_once(grown: list[str]) -> None:
    nodes = [helper.make_node("Exp", ["x"], ["t0"])]
    nodes += [helper.make_node("Tanh", [f"t{n}"], [f"t{n + 1}"]) for n in range(50)]
    found = run(model(nodes, {}, "t50"), {"x": floats(*SHAPE)}, ["t50"])["t50"]
    assert grown.count("Tanh") <= 2
    expected = np.exp(floats(*SHAPE))
    for _ in range(50):
        expected = np.tanh(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def unlike() -> dict[str, bytes]:
    """Models of operators of one type that differ in one respect."""
    node = helper.make_node
    ints = np.int64
    pair = node("Add", ["a", "b"], ["y"])
    return {
        "attribute": model(
            [node("LeakyRelu", ["x"], ["a"], alpha=0.25), node("LeakyRelu", ["x"], ["b"]), pair],
            {},
            "y",
        ),
        "sign of zero": model(
            [
                node("Elu", ["x"], ["a"], alpha=0.0),
                node("Elu", ["x"], ["b"], alpha=-0.0),
                node("Div", ["one", "a"], ["c"]),
                node("Div", ["one", "b"], ["d"]),
                node("Max", ["c", "d"], ["y"]),
            ],
            {"one": np.ones(1, np.float32)},
            "y",
        ),
        "constant": model(
            [node("Gather", ["x", "i"], ["a"]), node("Gather", ["x", "j"], ["b"]), pair],
            {"i": np.array([3, 0, 1, 1], ints), "j": np.array([2, 1, 3, 0], ints)},
            "y",
        ),
        "operands that are one": model(
            [
                node("Exp", ["x"], ["e"]),
                node("Mul", ["x", "e"], ["a"]),
                node("Mul", ["x", "x"], ["b"]),
                pair,
            ],
            {},
            "y",
        ),
        "order of operands": model(
            [
                node("Exp", ["x"], ["e"]),
                node("Sub", ["x", "e"], ["a"]),
                node("Sub", ["e", "x"], ["b"]),
                node("Mul", ["a", "b"], ["y"]),
            ],
            {},
            "y",
        ),
        "view": model(
            [
                node("Transpose", ["x"], ["t"], perm=[1, 0]),
                node("Reshape", ["t", "shape"], ["r"]),
                node("Softmax", ["r"], ["a"], axis=-1),
                node("Softmax", ["x"], ["b"], axis=-1),
                pair,
            ],
            {"shape": np.array(SHAPE, ints)},
            "y",
        ),
    }


@pytest.mark.parametrize("respect", unlike())
def test_operators_that_differ_are_not_taken_for_alike(respect: str) -> None:
    made = unlike()[respect]
    x = floats(*SHAPE)
    found = run(made, {"x": x}, ["y"])["y"]
    peer = onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])
    expected = np.asarray(peer.run(None, {"x": x})[0])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_an_opx_of_a_user_always_grows(grown: list[str]) -> None:
    seen: list[str] = []

    class Twice(popir.Op):
        def setup(self) -> None:
            self.setOutInfo(0, self.inInfo(0))

    class TwiceOpx(popir.Opx):
        def grow(self, prog: Any) -> None:
            seen.append(self.op_p.name())  # No other operator has this one's name.
            t = self.getInTensor(0)
            self.setOutTensor(0, popops.add(self.graph(), t, t, prog, self.debugContext()))

    opid = popir.OperatorIdentifier("test", "Twice", 1)
    nodes = [
        helper.make_node("Twice", ["x"], ["a"], domain="test", name="one"),
        helper.make_node("Twice", ["a"], ["y"], domain="test", name="two"),
    ]
    made = onnx.load_from_string(model(nodes, {}, "y"))
    made.opset_import.append(helper.make_opsetid("test", 1))
    with registry.scoped():
        popir.OpCreator(Twice, opid)
        popir.OpxCreator(TwiceOpx, opid)
        found = run(made.SerializeToString(), {"x": floats(*SHAPE)}, ["y"])["y"]
    assert seen == ["one", "two"] and grown == ["Twice", "Twice"]
    np.testing.assert_array_equal(found, 4 * floats(*SHAPE))


class Bench:
    """A graph with tensors a, b and c, of which a and b are alike."""

    def __init__(self) -> None:
        self.graph = poplar.Graph(poplar.Device.createCPUDevice())
        self.devicex = Devicex(self.graph)
        for id, shape in (("a", [4]), ("b", [4]), ("c", [2, 2])):
            self.devicex.insert(id, self.graph.addVariable(poplar.FLOAT, shape, LINEAR, id))

    def of(self, id: str) -> poplar.Tensor:
        return self.devicex.get(id)

    def kept(self, code: Callable[[program.Sequence], poplar.Tensor]) -> tuple[Growth, bool]:
        growth, prog = Growth(self.devicex), program.Sequence()
        self.devicex.insert("y", code(prog))
        return growth, growth.end(self.devicex, prog, ["a"], ["y"], "op")

    def squared(self, prog: program.Sequence, name: str = "op/square") -> poplar.Tensor:
        return popops.square(self.devicex.graph(), self.of("a"), prog, name)


def repeated(
    known: KnownGrowths, bench: Bench, inputs: list[str], outputs: list[str], prefix: str
) -> tuple[program.Sequence, list[int], list[tuple[list[int], bool]]]:
    found = known.repeat(bench.devicex, inputs, outputs, prefix, "block")
    assert found is not None
    return found


def test_a_growth_is_repeated_for_inputs_that_lie_alike() -> None:
    bench = Bench()
    growth, is_kept = bench.kept(bench.squared)
    assert is_kept
    known, variables = KnownGrowths(), bench.graph.numVariables()
    known.add(growth)
    again, written, shown = repeated(known, bench, ["b"], ["z"], "other")
    (new,) = bench.of("z").variables()
    assert (written, shown) == ([], [([new], False)])
    assert new >= variables and bench.graph.variableName(new) == "other/square"
    assert poplar.programWrites(bench.graph, again) == {new}
    for ids in (["c"], ["a", "b"]):
        assert known.repeat(bench.devicex, ids, ["w"], "w", "w") is None
    bench.graph.setTileMapping(bench.of("b"), 0)
    bench.devicex.insert("sliced", bench.graph.addVariable(poplar.FLOAT, [8], LINEAR).slice(0, 4))
    assert known.repeat(bench.devicex, ["sliced"], ["w"], "w", "w") is None
    with pytest.raises(popir.popart_exception, match="no device tensor"):
        known.repeat(bench.devicex, ["none"], ["w"], "w", "w")


def test_what_lies_as_an_input_follows_it_to_another_first_tile() -> None:
    bench = Bench()
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 16, "ipu2"))
    bench.graph, bench.devicex = graph, Devicex(graph)

    def at(id: str, tile: int) -> None:
        t = graph.addVariable(poplar.FLOAT, [64], id)
        poputil.mapTensorLinearlyWithOffset(graph, t, tile)
        bench.devicex.insert(id, t)

    for id, tile in (("a", 3), ("b", 5), ("wraps", 15), ("zero", 0)):
        at(id, tile)
    growth, is_kept = bench.kept(bench.squared)
    known = KnownGrowths()
    known.add(growth)
    assert is_kept
    for id in ("b", "wraps", "zero"):
        repeated(known, bench, [id], [f"of {id}"], id)
        made, given = bench.of(f"of {id}"), bench.of(id)
        assert graph.getTileMapping(made) == graph.getTileMapping(given)
    # At tile 0 lies what depends on no input, too.
    growth, _ = bench.kept(lambda prog: popops.square(graph, bench.of("zero"), prog, "op/square"))
    known = KnownGrowths()
    known.add(growth)
    assert known.repeat(bench.devicex, ["b"], ["w"], "w", "w") is None


def test_inputs_that_lay_alike_do_so_again() -> None:
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 16, "ipu2"))
    devicex = Devicex(graph)
    for id, tile in (("a", 3), ("b", 3), ("c", 5), ("d", 5), ("e", 7)):
        t = graph.addVariable(poplar.FLOAT, [64], id)
        poputil.mapTensorLinearlyWithOffset(graph, t, tile)
        devicex.insert(id, t)
    growth, prog = Growth(devicex), program.Sequence()
    devicex.insert("y", popops.add(graph, devicex.get("a"), devicex.get("b"), prog, "op/add"))
    assert growth.end(devicex, prog, ["a", "b"], ["y"], "op")
    known = KnownGrowths()
    known.add(growth)
    assert known.repeat(devicex, ["c", "d"], ["z"], "z", "z") is not None
    assert known.repeat(devicex, ["c", "e"], ["w"], "w", "w") is None


def test_a_write_is_repeated_to_what_stands_for_the_input() -> None:
    bench = Bench()

    def negated(prog: program.Sequence) -> poplar.Tensor:
        popops.negInPlace(bench.devicex.graph(), bench.of("a"), prog, "op")
        return bench.of("a")

    growth, is_kept = bench.kept(negated)
    assert is_kept
    known = KnownGrowths()
    known.add(growth)
    (b,) = bench.of("b").variables()
    assert repeated(known, bench, ["b"], ["z"], "other")[1:] == ([b], [([b], False)])
    assert bench.of("z").variables() == {b}


def test_what_cannot_be_repeated_is_not_kept() -> None:
    bench = Bench()
    graph = bench.devicex.graph()

    def sum_with_b(prog: program.Sequence) -> poplar.Tensor:
        return popops.add(graph, bench.of("a"), bench.of("b"), prog, "op")

    def calls(prog: program.Sequence) -> poplar.Tensor:
        inner = program.Sequence()
        y = bench.squared(inner)
        prog.add(program.Call(graph.addFunction(inner)))
        return y

    def streams(prog: program.Sequence) -> poplar.Tensor:
        y = bench.squared(prog)
        stream = graph.addDeviceToHostFIFO("stream", poplar.FLOAT, 4)
        prog.add(program.Copy(y, stream))
        return y

    assert not bench.kept(sum_with_b)[1]
    assert not bench.kept(calls)[1]
    assert not bench.kept(streams)[1]
    assert not bench.kept(lambda prog: bench.squared(prog, "a/square"))[1]
    assert not bench.kept(lambda prog: bench.squared(prog, "operator"))[1]
    assert bench.kept(bench.squared)[1]


def test_views_of_views_are_compared_once() -> None:
    """Each level shows the one below twice: there are 2^40 ways from the top to the bottom."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    h = builder.addInputTensor("FLOAT", [2, 8], "x")
    for _ in range(40):
        a, b = builder.aiOnnx.split([h], 2, 0)
        h = builder.aiOnnx.concat([b, a], 0)
        h = builder.aiOnnx.reshape([h, builder.aiOnnx.constant(np.array([2, 8]))])
    builder.addOutputTensor(h)
    values = np.arange(16, dtype=np.float32).reshape(2, 8)
    session = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [h]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": values}, anchors))
    np.testing.assert_array_equal(anchors[h], values)
