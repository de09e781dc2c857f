"""Operators that ONNX defines by a function, which the importer expands."""

import numpy as np
import onnx
import pytest
from onnx import FunctionProto, helper

import popir.backend
from popir.errors import ModelError, OperatorAttributeError, UnknownOperatorError
from popir.ir import verify
from popir.onnxio import bodies
from popir.onnxio.examine import examine
from popir.onnxio.importer import import_model
from popir.types import DataType, TensorInfo
from tests.onnxio.test_importer import model


def swish(alpha: float | None = None, opset: int = 24, name: str = "act") -> onnx.ModelProto:
    given = {} if alpha is None else {"alpha": alpha}
    return model([helper.make_node("Swish", ["x"], ["y"], name, **given)], opset=opset)


def test_a_node_becomes_the_nodes_of_its_function() -> None:
    graph = import_model(swish())
    verify(graph)
    types = [op.opid.type for op in graph.schedule()]
    assert types[-1] == "Mul" and "Sigmoid" in types and "Swish" not in types
    assert graph.getTensor("y").info == TensorInfo("FLOAT", [2, 3])
    inner = [id for id in graph.tensors if id not in ("x", "y")]
    assert inner and all(id.startswith("y/Swish/") for id in inner)
    assert all(op.name().startswith("y/Swish/") for op in graph.ops.values())


@pytest.mark.parametrize("alpha", [None, 2.5])
def test_attributes_are_the_nodes_or_the_functions_default(alpha: float | None) -> None:
    graph = import_model(swish(alpha))
    constants = [t.data for t in graph.tensors.values() if t.isConst() and t.data is not None]
    assert {value.item() for value in constants} == {1 if alpha is None else alpha}


def test_names_that_the_model_has_already() -> None:
    nodes = [
        helper.make_node("Neg", ["x"], ["y/Swish/SigmoidAlphaMulX"]),
        helper.make_node("Swish", ["y/Swish/SigmoidAlphaMulX"], ["y"]),
        helper.make_node("Swish", ["y"], ["z"]),
    ]
    graph = import_model(model(nodes, outputs=["z"], opset=24))
    verify(graph)
    assert graph.getTensor("y/Swish/SigmoidAlphaMulX/1").hasProducer()


def test_an_opset_before_the_operator_existed() -> None:
    assert not bodies.has_body("ai.onnx", "Swish", 23)
    with pytest.raises(
        UnknownOperatorError,
        match=r"'act' \(ai.onnx.Swish\): No operator ai.onnx.Swish .* for version 23",
    ):
        import_model(swish(opset=23))
    assert examine(swish()).faults == []
    assert [fault.node for fault in examine(swish(opset=23)).faults] == ["act"]


def test_a_function_that_depends_on_types_and_on_optional_inputs() -> None:
    nodes = [helper.make_node("LayerNormalization", ["x", "s", ""], ["y"])]
    (node,) = nodes
    infos = [TensorInfo(DataType.FLOAT16, [2, 3]), TensorInfo(DataType.FLOAT16, [3]), None]
    found = bodies.body(node, 17, infos)
    assert isinstance(found, FunctionProto)
    casts = [n.attribute[0].i for n in found.node if n.op_type == "Cast" and n.attribute]
    assert DataType.FLOAT16.onnx in casts


def test_a_function_that_cannot_be_made() -> None:
    node = helper.make_node("RotaryEmbedding", ["x", "c", "s"], ["y"], "rotary")
    with pytest.raises(ModelError, match=r"'rotary' \(ai.onnx.RotaryEmbedding\): ONNX's function"):
        bodies.body(node, 23, [None, None, None])


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"alpha": "text"}, "the attribute 'alpha' is a float; given was 'text' (str)."),
        ({"nonsense": 3}, "unknown attribute 'nonsense' (value 3); the operator takes alpha."),
    ],
)
def test_wrong_attributes(attributes: dict[str, object], message: str) -> None:
    node = helper.make_node("Swish", ["x"], ["y"], "act", **attributes)
    with pytest.raises(OperatorAttributeError) as error:
        import_model(model([node], opset=24))
    assert str(error.value) == f"Node 'act' (ai.onnx.Swish): {message}"


def test_what_the_function_refuses_is_told_of_the_operator() -> None:
    node = helper.make_node("MeanVarianceNormalization", ["x"], ["y"], "norm", axes=[7])
    with pytest.raises(OperatorAttributeError) as error:
        import_model(model([node], opset=13))
    assert str(error.value).startswith(
        "Node 'norm' (ai.onnx.MeanVarianceNormalization): in the function that ONNX defines it by: "
    )


def test_a_functions_subgraph_is_renamed_too() -> None:
    inner = helper.make_graph(
        [helper.make_node("Add", ["a", "b"], ["c"])],
        "then",
        [],
        [onnx.ValueInfoProto(name="c")],
    )
    function = helper.make_function(
        *("d", "F", ["a", "p"], ["r"]),
        [
            helper.make_node("Neg", ["a"], ["b"]),
            helper.make_node("If", ["p"], ["r"], then_branch=inner, else_branch=inner),
        ],
        [helper.make_opsetid("", 17)],
    )
    call = helper.make_node("F", ["x", "q"], ["y"], domain="d")
    neg, branch = bodies.expanded(call, function, lambda id: f"{id}!")
    assert (list(neg.input), list(neg.output)) == (["x"], ["y/F/b!"])
    assert (list(branch.input), list(branch.output)) == (["q"], ["y"])
    (add,) = branch.attribute[0].g.node
    assert list(add.input) == ["x", "y/F/b!"]
    assert [o.name for o in branch.attribute[0].g.output] == list(add.output)


def test_a_value_is_right() -> None:

    x = np.linspace(-3, 3, 6, dtype=np.float32).reshape(2, 3)
    (y,) = popir.backend.run_model(swish(2.5), [x])
    np.testing.assert_allclose(y, x / (1 + np.exp(-2.5 * x)), rtol=1e-6)


def test_which_functions_compute_in_float() -> None:
    for type, opset, expected in (
        ("MeanVarianceNormalization", 13, True),
        ("Swish", 24, False),
        ("Mish", 22, False),
    ):
        node = helper.make_node(type, ["x"], ["y"])
        found = bodies.body(node, opset, [TensorInfo(DataType.FLOAT16, [2, 3, 4, 5])])
        assert found is not None
        assert bodies.computes_in_float(found) is expected
