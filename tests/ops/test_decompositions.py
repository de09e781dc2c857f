"""`Decomposition`: operators that the importer replaces by others."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from onnx import helper

import popir.backend
from popir import registry
from popir.errors import OperatorInputError, popart_exception
from popir.ir import Graph, Op, OperatorIdentifier, Tensor, verify
from popir.onnxio.importer import import_model
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType, TensorInfo
from tests.onnxio.test_importer import model

ACME = "com.acme"


class Twice(Decomposition):
    """x + x and x itself; with `steps`, a nested decomposition doubles again."""

    steps: int = 1

    def decompose(self, on: Decomposer, x: Tensor, scale: Tensor | None = None) -> Sequence[Tensor]:
        """Two results, of which the second is the input."""
        y = on.Add(x, x)
        if scale is not None:
            y = on.Mul(y, on.const(on.value(scale, "the scale"), on.info(x).dataType()))
        if self.steps > 1:
            y, _ = on.add(ACME, "Twice", 1, [y], 2, {"steps": self.steps - 1})
        return y, x


@pytest.fixture(autouse=True)
def registered():
    with registry.scoped():
        OpCreator(Twice, OperatorIdentifier(ACME, "Twice", 1))
        yield


def graph_of(inputs: Sequence[str] = ("x",), outputs: Sequence[str] = ("y",), **more: int) -> Graph:
    node = helper.make_node("Twice", inputs, outputs, "double", domain=ACME, **more)
    scale = {"s": np.float32([3])} if "s" in inputs else {}
    graph = import_model(
        model([node], outputs=[o for o in outputs if o], initializers=scale, com_acme=1)
    )
    verify(graph)
    return graph


def test_the_operators_stand_in_its_place() -> None:
    graph = graph_of()
    (op,) = graph.ops.values()
    assert (op.opid.type, op.name(), op.outId(0)) == ("Add", "double/Add", "y")
    assert set(graph.tensors) == {"x", "y"}
    assert graph.getTensor("y").info == TensorInfo("FLOAT", [2, 3])


def test_an_input_that_is_returned_gets_an_identity() -> None:
    graph = graph_of(outputs=["y", "same"])
    producer = graph.getTensor("same").getProducer()
    assert (producer.opid.type, producer.inId(0)) == ("Identity", "x")


def test_an_output_left_out() -> None:
    graph = graph_of(outputs=["", "same"])
    assert graph.getTensor("same").getProducer().opid.type == "Identity"


def test_decompositions_of_decompositions() -> None:
    graph = graph_of(steps=3)
    assert [op.opid.type for op in graph.schedule() if op.opid.type == "Add"] == ["Add"] * 3
    node = helper.make_node("Twice", ["x"], ["y"], domain=ACME, steps=3)
    proto = model([node], com_acme=1)
    proto.graph.output[0].type.CopyFrom(proto.graph.input[0].type)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    (y,) = popir.backend.run_model(proto, [x])
    np.testing.assert_array_equal(y, 8 * x)


def test_constants_and_what_must_be_one() -> None:
    graph = graph_of(inputs=["x", "s"])
    assert [op.opid.type for op in graph.schedule()] == ["Add", "Mul"]
    with pytest.raises(OperatorInputError, match=r"'double': the scale, 'x', must be a constant"):
        graph_of(inputs=["x", "x"])


def test_more_outputs_than_there_are() -> None:
    with pytest.raises(OperatorInputError, match=r"'double' has no output 2, 'z'"):
        graph_of(outputs=["y", "same", "z"])


def test_inputs_of_a_wrong_number_are_blamed_on_the_function() -> None:
    with pytest.raises(popart_exception, match=r"Twice.expand\(\) failed: TypeError"):
        graph_of(inputs=["x", "", "x"])


def test_small_constants_are_folded() -> None:
    node = helper.make_node("LpNormalization", ["c"], ["y"])
    values = {"c": np.int64([[3, 4]])}
    nodes = [helper.make_node("Cast", ["c"], ["d"], to=DataType.FLOAT.onnx), node]
    node.input[0] = "d"
    graph = import_model(model(nodes, inputs={}, initializers=values, opset=22))
    assert not graph.ops or graph.getTensor("y").hasProducer()


def test_every_decomposition_of_popir_is_its_own_class() -> None:
    found = [e for e in registry.entries() if issubclass(e.opClass, Decomposition)]
    assert {str(opid) for opid in onnx_ids("LpNormalization", 1, 22)} <= {
        str(e.opid) for e in found
    }
    for entry in found:
        assert entry.opClass.decompose is not Decomposition.decompose, entry.opid
        assert entry.opClass.setup is Decomposition.setup, entry.opid


@pytest.mark.parametrize(
    ("type", "attributes", "shapes", "words"),
    [
        ("DFT", {"axis": 5}, [[2, 4, 1]], "DFT:17.*axis 5 is outside of a tensor of rank 3"),
        ("RMSNormalization", {"axis": 5}, [[2, 4], [4]], "axis 5 is outside"),
        ("QuantizeLinear", {"axis": 5}, [[2, 4], [4]], "axis 5 is outside"),
        ("Einsum", {"equation": "ij,jk->q"}, [[2, 4], [4, 3]], "the result has 'q'"),
        ("Hardmax", {"axis": 5}, [[2, 4]], "axis 5 is outside"),
    ],
)
def test_errors_name_what_the_model_connects(
    type: str, attributes: Mapping[str, Any], shapes: Sequence[Sequence[int]], words: str
) -> None:
    names = [f"x{i}" for i in range(len(shapes))]
    node = helper.make_node(type, names, ["y"], "n", **attributes)
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(popart_exception, match=words) as raised:
        popir.backend.run_node(node, arrays, opset_version=23 if type[0] == "R" else 17)
    assert f"name='n', inputs={names}, outputs=['y'])" in str(raised.value)


def test_an_operator_that_is_not_connected_says_nothing_of_it() -> None:
    graph = Graph("g")
    op = Twice(OperatorIdentifier(ACME, "Twice", 1), Op.Settings(graph, "n"))
    assert op.debugName() == f"Op({op.id}, com.acme.Twice:1, name='n')"


def test_group_normalization_of_version_18_has_one_scale_for_each_group() -> None:
    """The standard calls that version deprecated; it stays usable."""
    rng = np.random.default_rng(5)
    x, scale, bias = (rng.normal(size=n).astype(np.float32) for n in ([2, 6, 5], [3], [3]))
    node = helper.make_node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=3)
    y = popir.backend.run_node(node, [x, scale, bias], opset_version=18)[0]
    with torch.no_grad():
        given = (torch.tensor(np.repeat(each, 2)) for each in (scale, bias))
        expected = torch.nn.functional.group_norm(torch.tensor(x), 3, *given).numpy()
    np.testing.assert_allclose(y, expected, 1e-5, 1e-5)
