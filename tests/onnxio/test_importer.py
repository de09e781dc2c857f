"""ONNX models to graphs."""

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper

from popir.errors import (
    ModelError,
    OperatorInputError,
    OpsetVersionError,
    UnknownOperatorError,
    popart_exception,
)
from popir.ir import Graph, verify
from popir.onnxio.importer import InputShapeInfo, import_model
from popir.types import TensorInfo
from tests.onnxio.ops import LeakyReluOp

FLOAT = TensorProto.FLOAT


def model(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, list[int | str | None]] | None = None,
    outputs: list[str] | None = None,
    initializers: dict[str, np.ndarray] | None = None,
    opset: int = 11,
    **domains: int,
) -> ModelProto:
    """A model with float inputs of the shapes given; "com_acme" stands for the domain com.acme."""
    shapes = {"x": [2, 3]} if inputs is None else inputs
    graph = helper.make_graph(
        nodes,
        "test graph",
        [helper.make_tensor_value_info(id, FLOAT, shape) for id, shape in shapes.items()],
        [onnx.ValueInfoProto(name=id) for id in outputs or ["y"]],
        [numpy_helper.from_array(data, id) for id, data in (initializers or {}).items()],
    )
    imports = [helper.make_opsetid("", opset)]
    imports += [helper.make_opsetid(name.replace("_", "."), v) for name, v in domains.items()]
    return helper.make_model(graph, opset_imports=imports)


def leaky(alpha: float = 0.25) -> ModelProto:
    return model([helper.make_node("LeakyRelu", ["x"], ["y"], name="act", alpha=alpha)])


def check_leaky(graph: Graph) -> None:
    verify(graph)
    (op,) = graph.ops.values()
    assert isinstance(op, LeakyReluOp)
    assert (op.alpha, op.name(), str(op.opid)) == (0.25, "act", "ai.onnx.LeakyRelu:6")
    assert (op.inId(0), op.outInfo(0)) == ("x", TensorInfo("FLOAT", [2, 3]))
    assert (graph.name, graph.inputs, graph.outputs) == ("test graph", ["x"], ["y"])
    assert graph.opsets == {"ai.onnx": 11}


def test_from_a_message() -> None:
    check_leaky(import_model(leaky()))


def test_from_bytes() -> None:
    check_leaky(import_model(leaky().SerializeToString()))


@pytest.mark.parametrize("kind", [str, Path])
def test_from_a_file(tmp_path: Path, kind: Callable[[Path], str | Path]) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(leaky(), path)
    check_leaky(import_model(kind(path)))


def test_kinds_of_tensors() -> None:
    half = np.ones(3, np.float16)
    found = import_model(
        model(
            [
                helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(half)),
                helper.make_node("Reshape", ["x", "shape"], ["r"]),
                helper.make_node("Clip", ["r", "low"], ["y"]),
                helper.make_node("Add", ["y", "w"], ["z"]),
                helper.make_node("Clip", ["z", "", "both"], ["q"]),
                helper.make_node("Add", ["q", "both"], ["end"]),
            ],
            outputs=["end"],
            initializers={
                "shape": np.array([3, 2]),
                "low": np.array(0.0, np.float32),
                "w": np.ones(2, np.float32),
                "both": np.array(1.0, np.float32),
                "unused": np.ones(1, np.float32),
            },
        )
    )
    verify(found)
    kinds = {id: tensor.tensorType.name for id, tensor in found.tensors.items()}
    assert kinds == {
        "x": "Stream",
        "c": "Const",
        "shape": "Const",
        "low": "Const",
        "w": "Variable",
        "both": "Variable",
        "unused": "Variable",
        **dict.fromkeys(["r", "y", "z", "q", "end"], "ActGrad"),
    }
    np.testing.assert_array_equal(found.getTensor("c").data, half)
    assert [found.ops[3].hasInput(i) for i in range(3)] == [True, False, True]


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ({"value_float": 1.5}, np.array(1.5, np.float32)),
        ({"value_floats": [1.0, 2.0]}, np.array([1, 2], np.float32)),
        ({"value_int": 3}, np.array(3, np.int64)),
        ({"value_ints": [1, 2]}, np.array([1, 2], np.int64)),
        ({"value_string": "a"}, np.array("a", object)),
        ({"value_strings": ["a", "b"]}, np.array(["a", "b"], object)),
    ],
)
def test_constant_nodes(attribute: dict[str, object], expected: np.ndarray) -> None:
    nodes = [
        helper.make_node("Constant", [], ["c"], **attribute),
        helper.make_node("Relu", ["x"], ["y"]),
    ]
    data = import_model(model(nodes, opset=13)).getTensor("c").data
    assert data is not None
    assert data.dtype == expected.dtype
    np.testing.assert_array_equal(data, expected)


def test_initializer_that_is_also_an_input_is_no_stream() -> None:
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    shapes = {"w": [3], "x": [2, 3]}
    graph = import_model(model(nodes, shapes, initializers={"w": np.ones(3, np.float32)}, opset=7))
    assert graph.inputs == ["x"]
    assert graph.getTensor("w").is_variable()


def test_annotations_are_kept_apart_from_attributes() -> None:
    node = helper.make_node("LeakyRelu", ["x"], ["y"], alpha=0.5, __ipu_number=3)
    op = import_model(model([node])).ops[0]
    assert op.attributes == {"alpha": 0.5}
    assert op.settings.nodeAttributes == {"__ipu_number": 3}


def test_several_outputs_one_left_out() -> None:
    node = helper.make_node("Split", ["x"], ["a", "", "y"], axis=1)
    op = import_model(model([node])).ops[0]
    assert {i: tensor.id for i, tensor in op.output.items()} == {0: "a", 2: "y"}


def test_unsorted_nodes_are_sorted() -> None:
    nodes = [
        helper.make_node("Relu", ["b"], ["y"]),
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
    ]
    graph = import_model(model(nodes))
    verify(graph)
    assert [op.outId(0) for op in graph.ops.values()] == ["a", "b", "y"]


def test_functions_of_the_model_are_expanded() -> None:
    twice = helper.make_function(
        "com.acme",
        "Twice",
        ["a"],
        ["c"],
        [helper.make_node("Relu", ["a"], ["b"]), helper.make_node("LeakyRelu", ["b"], ["c"])],
        [helper.make_opsetid("", 11)],
    )
    proto = model([helper.make_node("Twice", ["x"], ["y"], domain="com.acme")], com_acme=1)
    proto.functions.append(twice)
    assert [op.opid.type for op in import_model(proto).ops.values()] == ["Relu", "LeakyRelu"]


@pytest.mark.parametrize("opset", [6, 8, 13, onnx.defs.onnx_opset_version()])
def test_opsets(opset: int) -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], opset=opset)
    assert import_model(proto).opsets == {"ai.onnx": opset}


@pytest.mark.parametrize("opset", [5, onnx.defs.onnx_opset_version() + 1])
def test_opsets_that_are_too_old_or_too_new(opset: int) -> None:
    with pytest.raises(OpsetVersionError, match=f"in opset {opset} of ai.onnx; popir reads 6 to "):
        import_model(model([helper.make_node("Relu", ["x"], ["y"])], opset=opset))


def test_input_shapes_given_from_outside() -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], {"x": ["N", 3]})
    shapes = InputShapeInfo()
    shapes.add("x", TensorInfo("FLOAT", [5, 3]))
    assert shapes.has("x")
    assert import_model(proto, shapes).getTensor("y").info == TensorInfo("FLOAT", [5, 3])


# What is wrong with a model.


def relu(*edges: str) -> list[onnx.NodeProto]:
    """Relu nodes "a b", from tensor a to tensor b, named n0, n1, ..."""
    pairs = [edge.split() for edge in edges]
    return [helper.make_node("Relu", [a], [b], f"n{i}") for i, (a, b) in enumerate(pairs)]


def untyped_attribute() -> onnx.NodeProto:
    node = helper.make_node("Relu", ["x"], ["y"])
    node.attribute.add(name="a")
    return node


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        (
            model(relu("xx y")),
            "Node 'n0' (ai.onnx.Relu) reads 'xx', which is no tensor of the model. Did you mean "
            "'x'?",
        ),
        (
            model(relu("x y"), outputs=["z"]),
            "The model's output 'z' is no tensor of it.",
        ),
        (
            model(relu("x y", "x y")),
            "Node 'n1' (ai.onnx.Relu) defines 'y', which the model has already (Op(0, ai.onnx.",
        ),
        (
            model(relu("x x"), outputs=["x"]),
            "Node 'n0' (ai.onnx.Relu) defines 'x', which the model has already (a Stream).",
        ),
        (
            model(relu("x y", "b a", "a b")),
            "These nodes wait for each other: 'n1' (Relu) reads from 'n2' (Relu) reads from 'n1'",
        ),
        (
            model(relu("x y"), {"x": ["N", 3]}),
            "The graph input 'x' has the shape ['N', 3]; popir compiles for known dimensions: give "
            "its TensorInfo by an InputShapeInfo.",
        ),
        (
            model(relu("x y"), {"x": None}),
            "The graph input 'x' has no shape; give its TensorInfo by an InputShapeInfo.",
        ),
        (
            model([helper.make_node("Own", ["x"], ["y"], "n0", domain="com.acme")]),
            "Node 'n0' (com.acme.Own): the model's opset_import has no version of the domain "
            "com.acme; it has ai.onnx 11.",
        ),
        (
            model([helper.make_node("Constant", [], ["y"], "n0")]),
            "Node 'n0' (ai.onnx.Constant) has no value of a kind that popir reads; it has: none.",
        ),
        (
            model([untyped_attribute()]),
            "Node '' (ai.onnx.Relu): The attribute 'a' has no value of a known type.",
        ),
        (
            model(relu("x y"), initializers={"x": np.ones(1), "w": np.ones(1)}, ai_onnx=12),
            "The model imports two versions of the domain ai.onnx: 11 and 12.",
        ),
    ],
)
def test_model_that_is_not_well_formed(proto: ModelProto, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        import_model(proto)


def test_no_opset() -> None:
    proto = leaky()
    del proto.opset_import[:]
    with pytest.raises(ModelError, match=r"The model has no opset_import, so nothing says which"):
        import_model(proto)


def test_unknown_operator_names_the_node() -> None:
    proto = model([helper.make_node("LeakyRleu", ["x"], ["y"], "act")])
    with pytest.raises(UnknownOperatorError) as error:
        import_model(proto)
    assert str(error.value).startswith(
        "Node 'act' (ai.onnx.LeakyRleu): No operator ai.onnx.LeakyRleu is registered for version "
        "11 of the domain ai.onnx, nor for any other. Similar operators are ai.onnx.LeakyRelu"
    )


def test_wrong_number_of_inputs_names_the_node() -> None:
    proto = model([helper.make_node("LeakyRelu", ["x", "x"], ["y"], "act")])
    with pytest.raises(
        OperatorInputError, match=r"^ai\.onnx\.LeakyRelu:6 'act' has invalid number"
    ):
        import_model(proto)


def test_setup_that_fails_names_the_operator() -> None:
    proto = model([helper.make_node("Faulty", ["x"], ["y"], domain="com.acme")], com_acme=1)
    with pytest.raises(popart_exception) as error:
        import_model(proto)
    assert str(error.value) == (
        "Op(0, com.acme.Faulty:1, name='', inputs=['x'], outputs=['y']): FaultyOp.setup() failed: "
        "IndexError: list index out of range"
    )


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as error:
        import_model(tmp_path / "none.onnx")
    path = f"{tmp_path}/none.onnx"
    assert str(error.value) == f"The model {path} cannot be read: No such file or directory."
    with pytest.raises(ModelError, match=r"cannot be read: Is a directory\."):
        import_model(tmp_path)


def test_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(leaky().SerializeToString()[:-20])
    with pytest.raises(ModelError) as error:
        import_model(path)
    assert str(error.value).startswith(f"The model {path} is no ONNX model, or is cut off: its ")


@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    words = r"is no ONNX model, or is cut off|has no graph|has no opset_import|is damaged"
    with pytest.raises(ModelError, match=words):
        import_model(data)


@given(st.data())
def test_damaged_model_is_read_or_refused(data: st.DataObject) -> None:
    """Cut off anywhere or with a byte changed: a graph or an error of ours, never another one."""
    original = leaky().SerializeToString()
    at = data.draw(st.integers(0, len(original) - 1))
    changed = bytearray(original)
    changed[at] = data.draw(st.integers(0, 255))
    for broken in (original[:at], bytes(changed)):
        with contextlib.suppress(popart_exception):
            verify(import_model(broken))
