"""What a C++ operator sees of the compiler, and what the compiler sees of it."""

import ctypes
import gc
from pathlib import Path

import numpy as np
import pytest

import popir
from popir import DataType, OperatorIdentifier, TensorInfo, registry
from popir.foreign import popart
from popir.ir import verify
from popir.ir.traits import OpSerialiser
from popir.onnxio.importer import import_model
from tests.popart.graphs import add, graph, refusal
from tests.popart.libraries import isolated

device = popart.device


def texts(op: popir.Op) -> dict[str, str]:
    os = OpSerialiser()
    op.appendAttributes(os)
    return os.attributes


def check_leaky_relu(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    op = add(g, "LeakyRelu", ["x"], domain="ai.onnx", name="act", alpha=0.1)
    assert (op.opid, op.source) == (OperatorIdentifier("ai.onnx", "LeakyRelu", 6), library)
    assert op.outInfo(0) == TensorInfo("FLOAT", [2, 3])
    assert texts(op) == {"alpha": "0.100000001"}
    assert op.getSubgraphValue() == 1000.0
    assert not op.requiresRandomSeed()

    (grad,) = op.getGradOps()
    assert (str(grad.opid), grad.source) == ("ai.onnx.LeakyReluGrad:6", library)
    assert grad.name() == "act"
    kinds = [(m.iGrad, m.iNonGrad, m.type.name) for m in grad.gradInputInfo()]
    assert kinds == [(0, 0, "GradOut"), (1, 0, "In")]
    assert grad.gradOutToNonGradIn() == {0: 0}
    assert texts(grad) == {"alpha": "0.100000001"}
    g.addActGrad("dy").info = TensorInfo("FLOAT", [2, 3])
    g.createConnectedOp(lambda: grad, {0: "dy", 1: "x"}, {0: "dx"})
    assert grad.outInfo(0) == TensorInfo("FLOAT", [2, 3])

    twin = op.clone()
    assert isinstance(twin, popart.CppOp)
    assert twin.id not in g.ops
    assert (twin.input, texts(twin), twin.attributes) == ({}, texts(op), {"alpha": 0.1})


def test_the_guides_operator(library, tmp_path: Path) -> None:
    isolated(check_leaky_relu, library("leaky_relu_custom_op"), cwd=tmp_path)


def check_versions(library: str) -> None:
    ctypes.CDLL(library)
    for opset, version in (1, 1), (5, 1), (6, 6), (15, 6):
        g = graph()
        g.opsets["ai.onnx"] = opset
        op = add(g, "LeakyRelu", ["x"], domain="ai.onnx")
        assert op.opid.version == version
        assert [o.opid.version for o in op.getGradOps()] == [version]
        assert texts(op) == {"alpha": "0.00999999978"}


def test_the_version_and_the_default(library, tmp_path: Path) -> None:
    isolated(check_versions, library("leaky_relu_custom_op"), cwd=tmp_path)


def check_setup_again(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    first = add(g, "LeakyRelu", ["x"], "y", domain="ai.onnx")
    second = add(g, "LeakyRelu", ["y"], "z", domain="ai.onnx")
    g.getTensor("x").info = TensorInfo("FLOAT16", [7])
    for op in first, second:
        op.setup()
        assert op.outInfo(0) == TensorInfo("FLOAT16", [7])
    g.addStream("other", TensorInfo("FLOAT", []))
    second.disconnectInTensor(0)
    second.connectInTensor(0, "other")
    second.disconnectOutTensor(0)
    second.createAndConnectOutTensor(0, "w")
    second.setup()
    assert second.outInfo(0) == TensorInfo("FLOAT", [])
    assert g.getTensor("z").info == TensorInfo("FLOAT16", [7])


def test_setup_after_changes(library, tmp_path: Path) -> None:
    isolated(check_setup_again, library("leaky_relu_custom_op"), cwd=tmp_path)


def check_attributes(library: str) -> None:
    ctypes.CDLL(library)
    given = {
        "i": 5,
        "b": True,
        "ints": [1, -2, 2**40],
        "f": 0.1,
        "floats": [1, 0.5],
        "s": "word",
        "strings": ["a", "b"],
    }
    (definition,) = [e.definition for e in registry.entries() if e.opid.type == "Attributes"]
    assert definition is not None
    assert definition.attributes == {"f": "*"}
    assert definition.inputs[0].types == {DataType.FLOAT}
    create = next(e.factory for e in registry.entries() if e.opid.type == "Attributes")
    g = graph()

    def op(**attributes: object) -> popir.Op:
        opid = OperatorIdentifier("test", "Attributes", 1)
        return create(registry.OpCreatorInfo(opid, popir.Op.Settings(g, "n"), attributes, []))

    assert texts(op(**given)) == {
        "i": "5", "b": "true", "ints": "[1, -2, 1099511627776]", "f": "0.100000001",
        "floats": "[1, 0.5]", "s": "word", "strings": "[a, b]",
        "names": "[i, b, ints, f, floats, s, strings]",
    }  # fmt: skip
    assert texts(op(f=1.0))["i"] == "-1"
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [2])
    given = {
        "i": np.int8(5),
        "b": np.bool_(True),
        "ints": np.array([1, 2]),
        "f": np.float32(0.5),
        "floats": np.array([1, 0.5], "float16"),
        "strings": ("a", "b"),
    }
    (y,) = builder.customOp("Attributes", 1, "test", [x], {**given, "s": b"word"})
    (y,) = builder.customOp("Attributes", 1, "test", [y], {"f": 0.5, "ints": range(3)})
    builder.addOutputTensor(y)
    with pytest.warns(UserWarning, match="the operator takes f"):
        first, second = map(texts, import_model(builder.getModelProto()).ops.values())
    expected = {"i": "5", "b": "true", "ints": "[1, 2]", "f": "0.5", "floats": "[1, 0.5]"}
    assert expected.items() <= first.items()
    assert (first["strings"], second["ints"]) == ("[a, b]", "[0, 1, 2]")

    kind = popir.OperatorAttributeError
    where = f" (test.Attributes:1 'n', in the factory() of '{library}')"
    who = "test.Attributes:1 'n': the attribute"
    assert refusal(kind, lambda: op(i=1)) == (
        f"{who} 'f' (FLOAT) is required, and was not given; given were [i]{where}"
    )
    assert refusal(kind, lambda: op(f="x")) == (
        f"{who} 'f' must be of type FLOAT; given was one of type STRING{where}"
    )
    assert "'f' must be of type FLOAT; given was one of type INT" in refusal(kind, lambda: op(f=1))
    assert refusal(kind, lambda: op(f=0.5, b=2)) == f"{who} 'b' must be 0 or 1; given was 2{where}"
    for odd in ({"a": 1}, None, [1, "a"], object):
        text = refusal(kind, lambda odd=odd: op(f=0.5, odd=odd))
        assert f"{who} 'odd' is {odd!r}, which an operator written in C++ cannot take" in text
    assert texts(op(f=0.5))["f"] == "0.5"


def test_attributes(library, tmp_path: Path) -> None:
    isolated(check_attributes, library("probe"), cwd=tmp_path)


def check_definition(library: str) -> None:
    ctypes.CDLL(library)
    with pytest.warns(UserWarning, match="may be wrong") as record:
        add(graph(x=("FLOAT16", [2])), "Attributes", ["x"], f=0.5)
    message = str(record[0].message)
    assert "input 0 (x) is 'x' of type FLOAT16; the operator takes FLOAT." in message
    assert library in message


def test_a_definition_that_does_not_fit_warns(library, tmp_path: Path) -> None:
    isolated(check_definition, library("probe"), cwd=tmp_path)


def check_traits(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    op = add(g, "Variant", ["x"])
    assert not op.modifies(0)
    assert not op.aliases(0, 0)
    ((opid, priority),) = op.inplacePriorityDefault()
    assert (str(opid), priority) == ("test.InPlace:1", 10.0)
    inplace = op.getInplaceVariant(opid)
    g.createConnectedOp(lambda: inplace, {0: "x", 1: "x"}, {0: "z"})
    assert [inplace.modifies(i) for i in (0, 1)] == [True, False]
    assert [inplace.aliases(i, 0) for i in (0, 1)] == [True, False]
    assert [o.opid.type for o in g.schedule()] == ["Variant", "InPlace"]
    unknown = OperatorIdentifier("test", "Other", 1)
    assert "has no in-place variant test.Other:1" in refusal(
        popir.popart_exception, inplace.getInplaceVariant, unknown
    )


def test_work_in_place(library, tmp_path: Path) -> None:
    isolated(check_traits, library("probe"), cwd=tmp_path)


def check_pair(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    second = add(g, "Pair", ["x"], "y")
    assert [op.name() for op in g.schedule()] == ["first", "second"]
    assert list(g.tensors) == ["x", "y__t0", "y"]
    assert second.outInfo(0) == TensorInfo("FLOAT", [2, 3])
    g.outputs.append("y")
    verify(g)


def test_a_factory_that_makes_two_operators(library, tmp_path: Path) -> None:
    isolated(check_pair, library("probe"), cwd=tmp_path)


def check_shapes(library: str) -> None:
    ctypes.CDLL(library)
    infos = {0: TensorInfo("FLOAT16", [4])}
    opid = OperatorIdentifier("test", "Shapes", 1)
    assert popart.inferShapes(opid, infos, {}, 1) == [TensorInfo("FLOAT16", [4])]
    assert popart.inferShapes(opid, infos, {"n": 3}, 2) == [
        *infos.values(),
        TensorInfo("INT32", [3]),
    ]
    assert popart.inferShapes(OperatorIdentifier("test", "NoOpx", 1), infos, {}, 1) is None
    text = refusal(popir.popart_exception, popart.inferShapes, opid, {}, {}, 1)
    assert "asked for input 0, of which nothing is known" in text
    assert f"(test.Shapes:1, in the shape inference function() of '{library}')" in text
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT16", [4])
    first, second = builder.customOp("Shapes", 1, "test", [x], {"n": 3}, 2)
    assert builder.getTensorShape(first) == [4]
    assert builder.getTensorDtypeString(second) == "int32"
    # What follows the operator, which is not registered, is inferred from that.
    assert builder.getTensorShape(builder.aiOnnx.concat([second, second], axis=0)) == [6]
    (unknown,) = builder.customOp("Unknown", 1, "test", [x], {}, 1)
    said = refusal(popir.UnknownOperatorError, builder.getTensorShape, unknown)
    assert "No operator test.Unknown is registered" in said


def test_shape_inference(library, tmp_path: Path) -> None:
    isolated(check_shapes, library("probe"), cwd=tmp_path)


def check_owners(library: str) -> None:
    ctypes.CDLL(library)
    assert device.liveOps() == 0
    g = graph()
    op = add(g, "LeakyRelu", ["x"], domain="ai.onnx")
    kept = add(g, "LeakyRelu", ["y"], "z", domain="ai.onnx")
    grads = [*op.getGradOps(), op.clone()]
    assert device.liveOps() == 4
    grads.clear()
    assert device.liveOps() == 2
    g.eraseOp(op.id)
    del op
    assert device.liveOps() == 1
    del g
    gc.collect()
    assert kept.outInfo(0) == TensorInfo("FLOAT", [2, 3])  # an operator keeps its graph
    del kept
    gc.collect()
    assert device.liveOps() == 0


def test_an_operator_lives_as_long_as_the_compilers(library, tmp_path: Path) -> None:
    isolated(check_owners, library("leaky_relu_custom_op"), cwd=tmp_path)


def check_crossings(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    before, n = device.crossings(), 100
    for i in range(n):
        add(g, "LeakyRelu", [f"y{i - 1}" if i else "x"], f"y{i}", domain="ai.onnx")
    assert device.crossings() - before == 2 * n  # the factory and setup()
    g.outputs.append(f"y{n - 1}")
    verify(g)
    for op in g.ops.values():
        assert not op.hasSideEffect()
    assert device.crossings() - before == 3 * n  # and once for all that never changes


def test_calls_for_each_operator(library, tmp_path: Path) -> None:
    isolated(check_crossings, library("leaky_relu_custom_op"), cwd=tmp_path)
