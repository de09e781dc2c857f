"""Operators that derive from PopART's classes of built-in operators, or make objects of them."""

import ctypes
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

import popir
from popir.lowering.lowering import Lowering
from popir.opx import InputCreatorType, Opx
from tests.popart.conftest import Library
from tests.popart.graphs import KINDS, add, floats, graph, refusal, results
from tests.popart.libraries import isolated


def check_against_torch(library: str) -> None:
    ctypes.CDLL(library)
    indices = np.array([[0, 2], [2, 3]], "int32")
    cases = {
        "Squashed": ({"x": floats(3, 4)}, "x", lambda x: x / (1 + x.abs())),
        "Blend": ({"a": floats(3, 4), "b": floats(4)}, "ab", lambda a, b: a + 2 * b),
        "Pick": (
            {"x": floats(3, 4, 2), "i": indices},
            "x",
            lambda x, i: x[:, i.long()],
        ),
    }
    for name, (inputs, trained, function) in cases.items():
        y, gradients, weights = results(name, inputs, trained)
        tensors = {k: torch.tensor(x, requires_grad=k in trained) for k, x in inputs.items()}
        expected = function(**tensors)
        (expected * torch.tensor(weights)).sum().backward()
        np.testing.assert_allclose(y, expected.detach().numpy(), rtol=1e-6, err_msg=name)
        for k, gradient in gradients.items():
            given = tensors[k].grad
            assert given is not None
            np.testing.assert_allclose(gradient, given.numpy(), rtol=1e-5, err_msg=name)
        alone, _, _ = results(name, inputs)
        np.testing.assert_array_equal(alone, y)


def test_classes_that_derive_compute_what_torch_does(library: Library, tmp_path: Path) -> None:
    isolated(check_against_torch, library("classes"), cwd=tmp_path)


def check_variants(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT", [3, 4]), b=("FLOAT", [4]))
    op = add(g, "Squashed", ["x"])
    ((variant, priority),) = op.inplacePriorityDefault()
    assert (variant.type, priority) == ("SquashedInplace", 10)
    made = op.getInplaceVariant(variant)
    assert made.opid.type == "SquashedInplace"
    blend = add(g, "Blend", ["x", "b"], "z")
    ((variant, _),) = blend.inplacePriorityDefault()
    assert variant.type == "BlendLhsInplace"
    # The right input is smaller than the output, so the left one alone can hold it.
    assert add(g, "Blend", ["b", "x"], "v").inplacePriorityDefault() == []
    x = floats(3, 4)
    g.moveIntoGraph(made)
    made.connectInTensor(0, "x")
    made.createAndConnectOutTensor(0, "w")
    made.setup()
    assert made.modifies(0) and made.aliases(0, 0)
    assert x.shape == tuple(made.outShape(0))


def test_variants_in_place(library: Library, tmp_path: Path) -> None:
    isolated(check_variants, library("classes"), cwd=tmp_path)


def check_parameters(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(2, 3)
    y, _, _ = results("Affine", {"x": x}, scale=3.0, shift=-1.0)
    np.testing.assert_allclose(y, 3 * x - 1, rtol=1e-6)
    op = add(graph(), "Affine", ["x"], scale=3.0)
    clone = op.clone()
    texts: dict[str, str] = {}

    class Texts:
        def appendAttribute(self, name: str, text: str) -> None:
            texts[name] = text

    clone.appendOutlineAttributes(Texts())  # type: ignore[arg-type]
    assert texts == {"scale": "3", "shift": "0"}


def test_an_operator_of_parameters_whose_output_is_there_before(
    library: Library, tmp_path: Path
) -> None:
    isolated(check_parameters, library("classes"), cwd=tmp_path)


def check_accumulation(library: str) -> None:
    ctypes.CDLL(library)
    v, u, f = floats(4), floats(4), np.array(0.75, "float32")
    expected = [
        v + u,
        v + f * u,
        v + f * u**2,
        f * v + u,
        f * v + u**2,
        f * v + (1 - f) * u,
        f * v + (1 - f) * u**2,
        np.maximum(f * v, np.abs(u)),
        (f * v + u) / (f + 1),
        v + f * u,  # SGD1AccumulateOp
    ]
    for kind, value in enumerate(expected):
        y, _, _ = results("Average", {"v": v, "u": u, "f": f}, kind=kind)
        np.testing.assert_allclose(y, value, rtol=1e-5, err_msg=str(kind))


def test_accumulations_that_a_pattern_makes(library: Library, tmp_path: Path) -> None:
    isolated(check_accumulation, library("classes"), cwd=tmp_path)


def training(builder: popir.Builder, loss: str) -> popir.TrainingSession:
    """A session that is ready to train by steps of 0.1."""
    made = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss]),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
    )
    made.prepareDevice()
    return made


def check_average(library: str) -> None:
    ctypes.CDLL(library)
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    weight, average = floats(5, 3), floats(5, 3)
    w = builder.addInitializedInputTensor(weight, "w")
    mean = builder.addInitializedInputTensor(average, "mean")
    x, f = (
        builder.addInputTensor(popir.TensorInfo("FLOAT", shape), id)
        for id, shape in (("x", [4, 5]), ("f", [1]))
    )
    builder.customOp("Average", 1, "test", [mean, w, f], {"kind": 5})
    product = builder.aiOnnx.matmul([x, w])
    loss = builder.aiGraphcore.identityloss([product], popir.ReductionType.Sum)
    made = training(builder, loss)
    anchors = made.initAnchorArrays()
    for factor in (0.9, 0.5, 0.25):
        data = floats(4, 5)
        made.run(popir.PyStepIO({"x": data, "f": np.array([factor], "float32")}, anchors))
        # The update of a weight comes after all that reads it.
        average = factor * average + (1 - factor) * weight
        weight = weight - 0.1 * data.sum(0)[:, None]
    made.weightsToHost()
    found = {id: np.empty((5, 3), "float32") for id in ("w", "mean")}
    made.readWeights(popir.PyWeightsIO(found))
    np.testing.assert_allclose(found["w"], weight, rtol=1e-5)
    np.testing.assert_allclose(found["mean"], average, rtol=1e-5)


def test_the_average_of_a_weight_in_training_which_nothing_reads(
    library: Library, tmp_path: Path
) -> None:
    isolated(check_average, library("classes"), cwd=tmp_path)


def check_shadow(library: str) -> None:
    ctypes.CDLL(library)
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    weight = floats(5, 3)
    w = builder.addInitializedInputTensor(weight, "w")
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [4, 5]), "x")
    builder.customOp("Shadow", 1, "test", [w], {})
    loss = builder.aiGraphcore.identityloss(
        [builder.aiOnnx.matmul([x, w])], popir.ReductionType.Sum
    )
    made = training(builder, loss)
    average = weight
    for _ in range(3):
        data = floats(4, 5)
        made.run(popir.PyStepIO({"x": data}, made.initAnchorArrays()))
        average = np.float32(0.75) * average + np.float32(0.25) * weight
        weight = weight - np.float32(0.1) * data.sum(0)[:, None]
    made.modelToHost("saved.onnx")
    saved = {
        each.name: onnx.numpy_helper.to_array(each)
        for each in onnx.load("saved.onnx").graph.initializer
    }
    np.testing.assert_allclose(saved["w"], weight, rtol=1e-5)
    np.testing.assert_allclose(saved["average_w"], average, rtol=1e-5)
    said = refusal(popir.popart_exception, made.graph.saveVariable, "x")
    assert "is no variable; a model saves those" in said


def test_a_variable_that_a_pattern_adds_and_saves(library: Library, tmp_path: Path) -> None:
    isolated(check_shadow, library("classes"), cwd=tmp_path)


class Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one."""
        self.lines.append(record.getMessage())


def check_patterns(library: str) -> None:
    ctypes.CDLL(library)
    lines = Lines()
    logger = logging.getLogger("popir.pattern")
    logger.setLevel(logging.INFO)
    logger.addHandler(lines)
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [3, 4]), "x")
    index = builder.addInputTensor(popir.TensorInfo("INT32", [2]), "i")
    relu = builder.aiOnnx.relu([x])
    y = builder.aiOnnx.add([relu, x])
    z = builder.aiOnnx.gather([y, index], axis=-1)
    builder.addOutputTensor(builder.aiGraphcore.l1loss([z], 0.5, popir.ReductionType.Sum))
    builder.addOutputTensor(y)
    made = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [y]), popir.DeviceManager().createCpuDevice()
    )
    made.prepareDevice()
    anchors = made.initAnchorArrays()
    given = floats(3, 4)
    made.run(popir.PyStepIO({"x": given, "i": np.array([0, 1], "int32")}, anchors))
    np.testing.assert_array_equal(anchors[y], np.maximum(given, 0) - given)
    types = [type(op).__name__ for op in made.graph.ops.values() if op.plainType() == "Sub"]
    assert types and "CppOp" not in types
    assert "gather along -1" in lines.lines
    assert "l1 of 0.5 Sum" in lines.lines


def test_patterns_see_built_in_operators_by_class_and_make_them(
    library: Library, tmp_path: Path
) -> None:
    isolated(check_patterns, library("classes"), cwd=tmp_path)


def check_gradients_of_bases(library: str) -> None:
    ctypes.CDLL(library)
    x, z = floats(3, 4), floats(4)
    y, gradients, weights = results("Summed", {"x": x, "z": z}, trained="xz")
    np.testing.assert_allclose(y, x + z, rtol=1e-6)
    np.testing.assert_allclose(gradients["x"], weights, rtol=1e-6)
    np.testing.assert_allclose(gradients["z"], weights.sum(0), rtol=1e-5)
    y, gradients, weights = results("Logistic", {"x": x}, trained="x")
    truth = 1 / (1 + np.exp(-x.astype(np.float64)))
    np.testing.assert_allclose(y, truth, rtol=1e-6)
    np.testing.assert_allclose(gradients["x"], weights * truth * (1 - truth), rtol=1e-5)


def test_a_class_has_the_gradients_of_its_base(library: Library, tmp_path: Path) -> None:
    isolated(check_gradients_of_bases, library("classes"), cwd=tmp_path)


def check_errors(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT", [2]), z=("FLOAT", [2]))
    said = refusal(popir.popart_exception, add(g, "Derived", ["x"]).getGradOps)
    assert "derives from one of a built-in operator, whose gradient is the compiler's" in said
    assert f"in getGradOps() of '{library}'" in said
    # An operator that builds or runs a model is one that calls the compiler: its errors arrive.
    for what, expected in {
        "build": "Unknown tensor 'x', input 0 of Relu",
        "run": "A session needs a device, and was given a null pointer",
    }.items():
        said = refusal(popir.popart_exception, lambda w=what: add(g, "Host", ["x"], what=w))
        assert expected in said


def test_what_classes_refuse(library: Library, tmp_path: Path) -> None:
    isolated(check_errors, library("classes"), cwd=tmp_path)


def check_priorities(library: str) -> None:
    ctypes.CDLL(library)

    class First(popir.Op):
        """Reads the same tensor, and comes before."""

        def setup(self) -> None:
            self.setOutInfo(0, self.inInfo(0))

    class FirstOpx(Opx):
        def getInputCreatorType(self, i: int) -> InputCreatorType:
            return InputCreatorType.CanCreate

        def createInputTensor(self, i: int, debugContext: str) -> object:
            raise AssertionError("the other reader has the higher priority")

        def grow(self, prog: object) -> None:
            self.setOutTensor(0, self.cloneNcopy(prog, self.getInTensor(0)))

    opid = popir.OperatorIdentifier("test", "First", 1)
    popir.OpCreator(First, [opid])
    popir.OpxCreator(FirstOpx, opid)
    g = graph(x=("FLOAT", [3, 4, 2]), i=("INT32", [2]))
    add(g, "First", ["x"], "before")
    add(g, "Pick", ["x", "i"], "y")
    lowering = Lowering(g, popir.DeviceManager().createCpuDevice().device, ["y", "before"])
    lowering.grow()
    assert list(lowering.tensor("x").shape()) == [3, 4, 2]


def test_of_several_creators_the_one_of_the_highest_priority(
    library: Library, tmp_path: Path
) -> None:
    isolated(check_priorities, library("classes"), cwd=tmp_path)


def check_more_functions(call: Callable[..., None]) -> None:
    x, other = np.round(floats(3, 4, 2), 2), floats(3, 4, 2)
    n = len(x)
    for number, reduced in enumerate((x.sum(0), None, x.prod(0), x.min(0), x.max(0))):
        if reduced is not None:
            y, _, _ = results(
                "Call", {"in0": x}, what="within", type="FLOAT", shape=[3, 4, 2], number=number
            )
            np.testing.assert_allclose(y, np.broadcast_to(reduced, x.shape), rtol=1e-6)
    mean, _, _ = results("Call", {"in0": x}, what="within", type="FLOAT", shape=[3, 4, 2], number=1)
    np.testing.assert_allclose(mean, np.broadcast_to(x.sum(0) / n, x.shape), rtol=1e-6)
    call("within", x, to=x, number=8)
    call("several", x, other, to=other * other, number=7)
    keys = np.random.default_rng(5).permutation(24).astype("float32").reshape(2, 3, 4)
    values = np.arange(24, dtype="int32").reshape(2, 3, 4) * 3
    best = np.argsort(-keys, -1)[..., :2]
    call("topKKeys", keys, values, to=np.take_along_axis(keys, best, -1), number=2)
    call("topKValues", keys, values, to=np.take_along_axis(values, best, -1), number=2)
    call("constant", to=np.arange(1, 7, dtype="float32").reshape(2, 3))
    call("constant", to=np.ones((2, 3), "float32"), number=1)
    samples = floats(4, 3, 5)
    flat = samples.transpose(1, 0, 2).reshape(3, -1)
    inverse = 1 / np.sqrt(flat.var(1) + 0.5)
    for group in (1, 2):  # Replicas with the same samples: the statistics of one.
        options: dict[str, Any] = {"type": "FLOAT", "shape": [3], "number": group}
        y, _, _ = results("Call", {"in0": samples}, what="mean", **options)
        np.testing.assert_allclose(y, flat.mean(1), rtol=1e-5, atol=1e-6)
        y, _, _ = results("Call", {"in0": samples}, what="deviation", **options)
        np.testing.assert_allclose(y, inverse, rtol=1e-5)
        along = [1, 3, 1]
        white = (samples - flat.mean(1).reshape(along)) * inverse.reshape(along)
        given = floats(4, 3, 5)[::-1].copy()
        expected = given - given.mean((0, 2), keepdims=True)
        expected -= white * (given * white).mean((0, 2), keepdims=True)
        expected *= inverse.reshape(along)
        inputs = {"in0": white, "in1": given, "in2": inverse.astype("float32")}
        options["shape"] = [4, 3, 5]
        y, _, _ = results("Call", inputs, what="statistics", **options)
        np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)


def check_functions(library: str) -> None:
    ctypes.CDLL(library)

    def call(what: str, *inputs: np.ndarray, to: np.ndarray, number: int = 0) -> None:
        given = {f"in{i}": x for i, x in enumerate(inputs)}
        kind, shape = KINDS[str(to.dtype)], list(to.shape)
        given = given or {"x": floats(1)}
        y, _, _ = results("Call", given, what=what, type=kind, shape=shape, number=number)
        np.testing.assert_array_equal(y, to, err_msg=what)

    call("iota", to=np.arange(-3, 7, dtype="int32"), number=-3)
    call("iota", to=np.arange(5, 9, dtype="uint32"), number=5)
    indices = np.array([2, 0, 0xFFFFFFFF, 3], "uint32")
    hot = (indices[:, None] == np.arange(4)).astype("float32")
    call("onehot", indices, to=hot)
    call("onehot", indices.astype("int32"), to=hot.astype("int32"))
    on, off = np.array(2.5, "float16"), np.array(-1, "float16")
    call("on and off", indices, on, off, to=np.where(hot, on, off))
    rows = floats(4, 3)
    rows[2] = np.inf
    call("select", rows, indices, to=np.array([rows[0, 2], rows[1, 0], 0, np.nan], "float32"))
    x = floats(3, 4, 2)
    for axis in range(3):
        given = np.array([1, 0, 1], "int32")
        call("gather", x, given, to=x.take(given, axis), number=axis)
    for number in range(9):
        call("allReduce", x, to=x * x if number == 7 else x, number=number)
    call("allGather", x, to=x[None])
    call("allToAll", x, to=x)
    call("reduceScatter", x, to=x.reshape(-1))
    check_more_functions(call)
    with pytest.raises(popir.poplar_exception, match="leave nanoo off, or give oflo too"):
        call("refused", x, to=x)
    with np.errstate(all="ignore"):
        tested = {
            "inverse": (0, 1 / np.zeros(3, "float32"), 2, "infinity"),
            "root": (-1, np.sqrt(np.full(3, -1, "float32")), 1, "NaN"),
            "half": (1e30, np.full(3, 1e30, "float32").astype("float16"), 2, "infinity"),
        }
    for what, (value, to, number, made) in tested.items():
        given = np.full(3, value, "float32")
        for other in {0, 3 - number}:  # what is not asked for does not stop
            call(what, given, to=to, number=other)
        with pytest.raises(popir.poplar_exception, match=f"wrote {made} to its operand"):
            call(what, given, to=to, number=number)
    between = np.full(4000, 1 + 0.25 / 1024, "float32")
    given = {"in0": between}
    y, _, _ = results("Call", given, what="stochastic", type="FLOAT16", shape=[4000])
    assert set(np.unique(y)) == {1, np.float16(1 + 1 / 1024)}
    assert 0.2 < np.mean(y != 1) < 0.3


def test_functions_without_a_binding_to_python(library: Library, tmp_path: Path) -> None:
    isolated(check_functions, library("collections"), cwd=tmp_path)
