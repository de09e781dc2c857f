"""Operators that leave everything to a class of PopART's built-in operators."""

import ctypes
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import popir
from popir import Op, TensorInfo, registry
from tests.popart.conftest import Library
from tests.popart.graphs import add, floats, graph, results
from tests.popart.libraries import isolated
from tests.popart.test_cpp_patterns import Lines, known


def check_classes(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT", [3, 4]), b=("FLOAT", [4]), n=("INT32", [2, 3, 4]))
    made = {
        "Unary": add(g, "Unary", ["n"], "unary"),
        "Boolean": add(g, "Boolean", ["x"], "boolean"),
        "Inplace": add(g, "Inplace", ["x"], "inplace"),
        "Binary": add(g, "Binary", ["x", "b"], "binary"),
        "Lhs": add(g, "Lhs", ["x", "b"], "lhs"),
        "Rhs": add(g, "Rhs", ["b", "x"], "rhs"),
        "Compared": add(g, "Compared", ["b", "x"], "compared"),
    }
    for name, op in made.items():
        kind = {"Unary": "INT32", "Boolean": "BOOL", "Compared": "BOOL"}.get(name, "FLOAT")
        shape = [2, 3, 4] if name == "Unary" else [3, 4]
        assert op.outInfo(0) == TensorInfo(kind, shape), name
        assert op.clone().opid == op.opid
        written = {"Inplace": [0], "Lhs": [0], "Rhs": [1]}.get(name, [])
        inputs = range(len(op.input))
        assert [i for i in inputs if op.modifies(i)] == written, name
        assert [i for i in inputs if op.aliases(i, 0)] == written, name


def test_what_classes_say(library: Library, tmp_path: Path) -> None:
    isolated(check_classes, library("derived"), cwd=tmp_path)


def check_shapes(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT16", [3, 4]))
    for number, (reduction, shape) in enumerate(
        {"Sum": [], "Mean": [], "NoReduction": [3, 4]}.items()
    ):
        loss = add(g, "Magnitude", ["x"], f"loss{number}", reduction=reduction)
        assert loss.outInfo(0) == TensorInfo("FLOAT16", shape)
    for number, shape in enumerate(([-1, 2], [0, -1, 2], [2, 6], [12], [1, 3, 4, -1])):
        op = add(g, "Reshaped", ["x"], f"y{number}", shape=shape)
        expected = np.zeros((3, 4)).reshape([n or 3 for n in shape]).shape
        assert op.outInfo(0) == TensorInfo("FLOAT16", expected)


def test_shapes_of_losses_and_reshapes(library: Library, tmp_path: Path) -> None:
    isolated(check_shapes, library("derived"), cwd=tmp_path)


def check_answers(library: str) -> None:
    ctypes.CDLL(library)
    log = Lines()
    g = graph(x=("FLOAT", [3]))
    op = add(g, "Unary", ["x"])
    assert not known("AskDerived").apply(op)
    assert log.lines == [
        f"{op.id} modifies 0",
        "none true true true b",
        "all serial 60 0.25",
    ]


def test_aliases_and_options_of_convolutions(library: Library, tmp_path: Path) -> None:
    isolated(check_answers, library("derived"), cwd=tmp_path)


def check_first(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(5)
    np.testing.assert_array_equal(results("Unary", {"x": x})[0], -x)


def test_the_first_lowering_that_a_library_registers_is_kept(
    library: Library, tmp_path: Path
) -> None:
    isolated(check_first, library("derived"), cwd=tmp_path)


def check_made(library: str) -> None:
    ctypes.CDLL(library)
    g = graph(x=("FLOAT", [2, 6]))
    g.opsets["ai.graphcore"] = 1
    g.addConstInit("shape", np.array([4, 3]))
    made = {
        "ai.graphcore": add(g, "Reshape", ["x"], "a", domain="ai.graphcore", shape=[4, 3]),
        "ai.onnx": add(g, "Reshape", ["x", "shape"], "b", domain="ai.onnx"),
    }
    for domain, op in made.items():
        tensor = op.outTensor(0)
        assert known("Remake").apply(op)
        again = tensor.producer
        assert again is not None and again is not op
        assert again.opid == op.opid and again.attributes == op.attributes
        assert tuple(again.outShape(0)) == (4, 3), domain


def test_what_built_in_operators_are_made_of(library: Library, tmp_path: Path) -> None:
    isolated(check_made, library("derived"), cwd=tmp_path)


class Norm(Op):
    """A GroupNormalization as one operator: its statistics are as long as the batch has groups."""

    num_groups: int

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))
        rows = self.inShape(0)[0] * self.num_groups
        for i in (1, 2):
            self.setOutInfo(i, TensorInfo("FLOAT", [rows]))


def check_norm(library: str) -> None:
    ctypes.CDLL(library)
    opid = popir.OperatorIdentifier("ai.graphcore", "GroupNormalization", 1)
    popir.OpCreator(Norm, [opid], override=True)  # popir's is a decomposition
    g = graph(x=("FLOAT", [2, 6]), scale=("FLOAT", [6]), bias=("FLOAT", [6]))
    inputs = dict(enumerate(["x", "scale", "bias"]))
    tensors = [g.getTensor(id) for id in inputs.values()]
    outputs = {0: "y", 1: "mean", 2: "var"}
    settings, ids = Op.Settings(g), list(outputs.values())
    values = {"num_groups": 2}
    op = registry.createOp(opid.domain, opid.type, 1, settings, values, tensors, ids)
    g.createConnectedOp(lambda: op, inputs, outputs)
    log = Lines()
    assert not known("AskNorm").apply(op)
    assert log.lines == ["2 1e-05"]


def test_a_normalisation_that_says_no_epsilon_has_poparts(library: Library, tmp_path: Path) -> None:
    isolated(check_norm, library("derived"), cwd=tmp_path)


def check_left_out(library: str) -> None:
    ctypes.CDLL(library)
    w = floats(3)
    node = helper.make_node("Parts", ["w"], ["", "y"], domain="test")
    total = helper.make_node("ReduceSum", ["y"], ["loss"], keepdims=0)
    outputs = [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])]
    proto = helper.make_graph([node, total], "g", [], outputs, [numpy_helper.from_array(w, "w")])
    opsets = [helper.make_opsetid("", 11), helper.make_opsetid("test", 1)]
    session = popir.TrainingSession(
        helper.make_model(proto, opset_imports=opsets, ir_version=8).SerializeToString(),
        popir.DataFlow(1, ["loss", "Gradient___w"]),
        "loss",
        popir.ConstSGD(0.0),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({}, anchors))
    np.testing.assert_allclose(anchors["loss"], 3 * w.sum(), rtol=1e-5)
    np.testing.assert_array_equal(anchors["Gradient___w"], np.full(3, 3.0, np.float32))


def test_an_output_before_another_may_be_left_out(library: Library, tmp_path: Path) -> None:
    isolated(check_left_out, library("derived"), cwd=tmp_path)
