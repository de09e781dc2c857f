"""What an operator in C++ may use, and what happens when it does it wrong."""

import ctypes
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import popir
from popir import Op, OperatorIdentifier, TensorInfo, pattern, registry
from popir.foreign import popart
from popir.ir import Region
from popir.ir.traits import OpSerialiser
from tests.popart.graphs import refusal
from tests.popart.libraries import isolated

DOMAIN = "test.features"


def graph() -> popir.Graph:
    made = popir.Graph("g")
    made.opsets = {"ai.onnx": 17, DOMAIN: 1}
    made.addStream("x", TensorInfo("FLOAT", [4, 3]))
    return made


def add(g: popir.Graph, type: str, notes: dict[str, Any] | None = None, **attributes: Any) -> Op:
    settings = Op.Settings(g, "n", notes or {})
    inputs = [g.getTensor("x")]
    make = registry.createOp
    op = make(DOMAIN, type, 1, settings, attributes, inputs, ["y"])
    return g.createConnectedOp(lambda: op, {0: "x"}, {0: "y"})


def train(
    build: Callable[[popir.Builder, list[str]], str], *values: np.ndarray[Any, Any]
) -> list[np.ndarray[Any, Any]]:
    """The gradients of what `build` makes of the values, summed."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    inputs = [builder.addInitializedInputTensor(v, f"w{i}") for i, v in enumerate(values)]
    loss = builder.aiOnnx.reducesum([build(builder, inputs)], keepdims=0)
    anchors = [popir.reservedGradientPrefix() + i for i in inputs]
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, anchors),
        loss,
        popir.ConstSGD(0.0),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    found = session.initAnchorArrays()
    session.run(popir.PyStepIO({}, found))
    return [found[a] for a in anchors]


def infer(
    build: Callable[[popir.Builder, str], list[str]], x: np.ndarray[Any, Any]
) -> list[np.ndarray[Any, Any]]:
    """The values of what `build` makes of the input `x`."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    outputs = build(builder, builder.addInputTensor(TensorInfo("FLOAT", list(x.shape)), "x"))
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, outputs),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    found = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, found))
    return [found[o] for o in outputs]


def custom(type: str, outputs: int = 1, **attributes: Any) -> Callable[..., list[str]]:
    def add(builder: popir.Builder, inputs: Any) -> list[str]:
        inputs = [inputs] if isinstance(inputs, str) else inputs
        return builder.customOp(type, 1, DOMAIN, inputs, attributes, outputs)

    return add


def check_several(library: str) -> None:
    ctypes.CDLL(library)
    a, b, c, u, v = np.random.default_rng(0).standard_normal((5, 2, 3))

    def loss(builder: popir.Builder, inputs: list[str]) -> str:
        y, s = custom("Products", 2)(builder, inputs)
        u_, v_ = builder.aiOnnx.constant(u), builder.aiOnnx.constant(v)
        parts = [builder.aiOnnx.mul([y, u_]), builder.aiOnnx.mul([s, v_])]
        return builder.aiOnnx.add(parts)

    for given, expected in {
        (0, 1, 2): (u * b * c + v, u * a * c + v, u * a * b),
        (0, 1): (u * b + v, u * a + v),  # the third input is left out
    }.items():
        values = [(a, b, c)[i] for i in given]
        for found, wanted in zip(train(loss, *values), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
    y, s = infer(lambda builder, x: custom("Products", 2)(builder, [x, x]), a.astype(np.float32))
    np.testing.assert_allclose(y, (a * a).astype(np.float32), rtol=1e-6)
    np.testing.assert_allclose(s, (a + a).astype(np.float32), rtol=1e-6)


def test_several_outputs_gradients_and_optional_inputs(library, tmp_path: Path) -> None:
    isolated(check_several, library("features"), cwd=tmp_path)


def check_proxy(library: str) -> None:
    ctypes.CDLL(library)
    x = np.random.default_rng(0).standard_normal((2, 3))
    u = np.random.default_rng(1).standard_normal((2, 3))

    def loss(builder: popir.Builder, inputs: list[str]) -> str:
        (w,) = inputs
        pair = [builder.aiOnnx.exp([w]), builder.aiOnnx.mul([w, w])]
        (y,) = custom("Proxy")(builder, pair)
        return builder.aiOnnx.mul([y, builder.aiOnnx.constant(u)])

    np.testing.assert_allclose(train(loss, x)[0], 2 * x * u, rtol=1e-12)
    y = infer(lambda builder, x: custom("Proxy")(builder, [x, x]), x.astype(np.float32))[0]
    np.testing.assert_array_equal(y, x.astype(np.float32))


def test_gradients_of_some_inputs_and_outputs_with_leading_ones(library, tmp_path: Path) -> None:
    isolated(check_proxy, library("features"), cwd=tmp_path)


def check_seed(library: str) -> None:
    ctypes.CDLL(library)
    x = np.zeros((50, 40), np.float32)
    first, again = infer(custom("Noise"), x)[0], infer(custom("Noise"), x)[0]
    assert 0.45 < first.mean() < 0.55 and first.min() >= 0 and first.max() <= 1
    np.testing.assert_array_equal(first, again)  # sessions begin with the seed 0
    np.testing.assert_array_equal(infer(custom("Noise", seed=-1), x)[0], x)  # draws by itself


def test_a_random_seed(library, tmp_path: Path) -> None:
    isolated(check_seed, library("features"), cwd=tmp_path)


def check_graph_attributes(library: str) -> None:
    ctypes.CDLL(library)
    value = helper.make_tensor_value_info("p", TensorProto.FLOAT16, [5])
    node = helper.make_node("Foo", ["p", ""], ["q"], domain="d", word="w")
    body = helper.make_graph([node], "body", [value], [])
    notes = {
        "__ipu_number": 3,
        "__pipeline_stage": 1,
        "__schedule_priority": 2.5,
        "__exclude_patterns": ["A", "B"],
        "__outline": ["key", "word"],
    }
    op = add(graph(), "Subgraph", notes, body=body, more=[body, body], floats=[1, 2.5])
    os = OpSerialiser()
    op.appendAttributes(os)
    assert os.attributes == {
        "key": "word",
        "body": "body d.Foo(p,) -> q, 10 5 word=w",
        "graphs": "3",
        "more": "2",
        "floats": "[1, 2.5]",
        "vgraph": "3",
        "stage": "1",
        "priority": "2.5",
        "excluded": "2",
    }
    # A list without elements is of each kind.
    add(graph(), "Subgraph", body=body, more=[], floats=[])
    said = refusal(popir.OperatorAttributeError, lambda: add(graph(), "Subgraph", body=1))
    assert "the attribute 'body' must be of type GRAPH; given was one of type INT" in said
    said = refusal(
        popir.popart_exception, lambda: add(graph(), "Subgraph", {"__ipu_number": "one"}, body=body)
    )
    assert "The node 'n' has an annotation of a wrong type; it has {'__ipu_number': 'one'}" in said


def test_graphs_as_attributes_and_annotations(library, tmp_path: Path) -> None:
    isolated(check_graph_attributes, library("features"), cwd=tmp_path)


def check_constants_and_transforms(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    g.addConstInit("three", np.int64([3]))
    g.addConstInit("pair", np.int64([3, 4]))
    g.addConstInit("half", np.float32([0.5]))
    g.addStream("unknown", TensorInfo("INT64", [1]))

    def scaled(name: str, *inputs: str) -> Op:
        tensors = [g.getTensor(id) for id in ("x", *inputs)]
        settings = Op.Settings(g, name)
        op = registry.createOp(DOMAIN, "Scaled", 1, settings, {}, tensors, [name])
        return g.createConnectedOp(lambda: op, dict(enumerate(("x", *inputs))), {0: name})

    def attributes(op: Op) -> dict[str, Any]:
        os = OpSerialiser()
        op.appendAttributes(os)
        return os.attributes

    assert attributes(scaled("old")) == {"factor": "2", "bytes": "0"}
    assert attributes(scaled("keeps", "three")) == {"factor": "3", "bytes": "8"}
    for given, words in {
        "pair": "takes input 1 for one value, and it has 2 elements",
        "half": "reads input 1, 'half', as INT64, and it is FLOAT",
        "unknown": "needs the value of input 1, 'unknown', which is not known when the model is",
    }.items():
        said = refusal(popir.popart_exception, scaled, given, given)
        assert words in said and f"in the factory() of '{library}'" in said, said

    (rename,) = [e.create() for e in pattern.entries() if e.name == "Rename"]
    old = g.ops[0]
    assert rename.apply(old) and old.name() == "new" and not rename.apply(old)
    said = refusal(popir.popart_exception, rename.apply, scaled("lost"))
    assert "No transform 'Nothing' is registered" in said


def test_constant_inputs_and_transforms(library, tmp_path: Path) -> None:
    isolated(check_constants_and_transforms, library("features"), cwd=tmp_path)


def check_regions(library: str) -> None:
    ctypes.CDLL(library)
    g = graph()
    notes = {"__inplace_op_names": ["HeadInplace"], "__inplace_op_priorities": [0.5]}
    op = add(g, "Head", notes, rows=2)
    top, low = Region((0, 0), (2, 3)), Region((2, 0), (4, 3))
    assert op.aliasedRegions(0, 0) == [] == op.modifiedRegions(0)
    assert op.usedRegions(0) == [top]
    assert op.fwdRegMap(0, 0, Region.full([4, 3])) == [top]
    assert op.fwdRegMap(0, 0, low) == []
    assert op.bwdRegMap(0, 0, Region((1, 0), (2, 2))) == [Region((1, 0), (2, 2))]
    assert op.inplacePriorityVeto() == [("HeadInplace", 0.5)]
    assert not op.canBeReplacedByIdentity() and op.isOutlineable()
    whole, one = add(graph(), "Head", rows=4), add(graph(), "Head", rows=1)
    assert whole.canBeReplacedByIdentity() and not one.isOutlineable()

    ((variant, priority),) = op.inplacePriorityDefault()
    assert (variant, priority) == (OperatorIdentifier(DOMAIN, "HeadInplace", 1), 5.0)
    made = op.getInplaceVariant(variant)
    op.disconnectAllInputs()
    op.disconnectAllOutputs()
    g.removeTensor("y")
    g.createConnectedOp(lambda: made, {0: "x"}, {0: "y"})
    assert made.aliasedRegions(0, 0) == [top] and made.aliases(0, 0) and not made.modifies(0)
    assert made.showsInOrder(0, 0)
    silent = add(graph(), "Head", rows=2, how="wrong rank")
    assert not silent.showsInOrder(0, 0)


def test_regions_and_variants(library, tmp_path: Path) -> None:
    isolated(check_regions, library("features"), cwd=tmp_path)


def check_wrong(library: str) -> None:
    ctypes.CDLL(library)
    before = {entry.opid for entry in registry.entries()}
    place = f"of '{library}')"

    def head(how: str, method: str, *arguments: Any) -> Callable[[], Any]:
        return lambda: getattr(add(graph(), "Head", rows=2, how=how), method)(*arguments)

    variant = OperatorIdentifier(DOMAIN, "HeadInplace", 1)
    outside = "It returned "
    for (how, method, *arguments), (words, function) in {
        ("no info", "setup"): ("It did not set type and shape of output 0, 'y'", "setup"),
        ("outside", "usedRegions", 0): (outside, "uses"),
        ("wrong rank", "bwdRegMap", 0, 0, Region((0, 0), (1, 1))): (outside, "bwdRegMap"),
        ("other variant", "getInplaceVariant", variant): (
            "It was asked for test.features.HeadInplace:1 and returned test.features.Head:1",
            "getInplaceVariant",
        ),
    }.items():
        said = refusal(popir.popart_exception, head(how, method, *arguments))
        assert words in said, said
        assert f"in {function}() {place}" in said and "test.features.Head:1" in said, said

    x = np.zeros((4, 3), np.float32)
    for how, (words, function) in {
        "constructor": ("not made", "the Opx's constructor"),
        "no output": ("It did not set output 0, ", "grow"),
        "throws": ("It threw something that is no std::exception", "grow"),
        "flat": ("of shape [12]; setup() says [4, 3]", "grow"),
        "codelet": ("there_is_no_such_codelet.cpp", "grow"),
    }.items():
        with pytest.raises(popir.PopirError) as caught:
            infer(custom("Wrong", how=how), x)
        said = str(caught.value)
        assert words in said and f"in {function}() {place}" in said, said

    for how, words in {
        "null": "It returned a null pointer in place of an operator",
        "negative": "It maps input 0 to GradOut -1; no index is negative",
        "twice": "gradInputInfo() maps input 0 to In 0; expected each input once",
        "negative output": "gradOutToNonGradIn() returned {-3: 0}; expected the index of each",
        "no such input": "gradOutToNonGradIn() returned {0: 7}; expected the index of each",
        "unset": "It did not set type and shape of output 0",
        "other shape": "but it is the gradient of input 0 of",
    }.items():
        with pytest.raises(popir.PopirError) as caught:
            train(lambda b, i, how=how: custom("Wrong", how=how)(b, i)[0], x)
        assert words in str(caught.value), str(caught.value)

    assert {entry.opid for entry in registry.entries()} == before
    np.testing.assert_array_equal(infer(custom("Wrong"), x)[0], x)
    del caught
    gc.collect()
    assert popart.device.liveOps() == 0


def test_what_an_operator_does_wrong(library, tmp_path: Path) -> None:
    isolated(check_wrong, library("features"), cwd=tmp_path)
