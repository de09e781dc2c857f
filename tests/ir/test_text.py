"""The text form of graphs: text in, text out; and any graph, printed, parsed and printed again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from popir.errors import popart_exception
from popir.ir import Graph, Op, OperatorIdentifier, verify
from popir.ir.text import AnyOp, parse_graph, print_graph
from popir.types import DataType, TensorInfo
from tests.conftest import Golden
from tests.ir.ops import LEAKY_RELU, LeakyReluOp, stream_graph

ANY = OperatorIdentifier("test", "Any", 3)

EVERYTHING = """
// Every kind of line and value.
graph "every thing" {
  opset ai.onnx 11
  opset com.acme 2
  stream %x: FLOAT[2, 3]
  variable %w: FLOAT16[3] = [1.0, -inf, nan]
  variable %third: FLOAT[] = [0.33333334]
  const %"odd \\" id": INT64[2] = [-1, 9223372036854775807]
  const %flags: BOOL[2] = [true, false]
  const %words: STRING[2] = ["a, b", "\\u00fc"]
  const %empty: FLOAT[0, 3] = []
  const %bits: UINT8[17] = base64 "AAECAwQFBgcICQoLDA0ODxA="
  actgrad %g: ?
  3: %Relu:0: FLOAT[2, 3], _, %aux/1: ? = ai.onnx.Relu:6(%x, _, %"odd \\" id")
  %late: FLOAT[2] = com.acme.Own:2(%Relu:0, %Relu:0) {
    i = 1, f = 1.0, e = 1e-05, s = "x", b = base64 "/w==",
    is = [1, 2], none = [], fs = [0.1, inf], ss = ["a", "b"],
    t = tensor INT32[2, 1] [1, 2], ts = [tensor FLOAT[] [0.5]],
    body = graph "body" {
      stream %x: FLOAT[1] 0: %y: FLOAT[1] = ai.onnx.Abs:6(%x) inputs %x outputs %y
    }
  } name "own/op" notes {__ipu_number = 1}
  5: = com.acme.Sink:1()
  after 5: 4, 3
  inputs %x
  outputs %late, %Relu:0
}
"""


def test_every_kind_of_line(golden: Golden) -> None:
    graph = parse_graph(EVERYTHING)
    golden("everything.txt", print_graph(graph))
    assert graph.ops[4].attributes["is"] == [1, 2]
    assert type(graph.ops[4].attributes["f"]) is float
    assert graph.ops[4].settings.nodeAttributes == {"__ipu_number": 1}
    assert [op.id for op in graph.constraints[graph.ops[5]]] == [4, 3]
    assert graph.ops[3].outId(2) == "aux/1"
    assert not graph.ops[3].hasOutput(1)
    assert graph.tensors["words"].data is not None
    assert graph.tensors["words"].data.tolist() == ["a, b", "ü"]


def test_printing_what_was_parsed_gives_the_same_text() -> None:
    text = print_graph(parse_graph(EVERYTHING))
    assert print_graph(parse_graph(text)) == text


def test_factory_makes_the_operators() -> None:
    text = """graph "" { stream %x: FLOAT[4]
        0: %y: FLOAT[4] = ai.onnx.LeakyRelu:6(%x) {alpha = 0.5} outputs %y inputs %x }"""
    op = parse_graph(text, LeakyReluOp).ops[0]
    assert isinstance(op, LeakyReluOp)
    assert op.alpha == 0.5
    verify(op.graph)


def test_print_of_operators_with_declared_attributes(golden: Golden) -> None:
    graph = stream_graph()
    settings = Op.Settings(graph, "act")
    graph.createConnectedOp(LeakyReluOp, {0: "x"}, {0: "y"}, LEAKY_RELU, settings, {"alpha": 0.1})
    graph.outputs.append("y")
    golden("leaky_relu.txt", print_graph(graph))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: expected 'graph', found ''"),
        ("graph x", "line 1, column 7: expected a string in quotes, found 'x'"),
        ('graph "a" {\n stream x: FLOAT[1] }', "line 2, column 9: expected an id, which begins"),
        ('graph "a" { stream %x: HALF[1] }', "column 24: expected an element type, found 'HALF[1"),
        ('graph "a" { const %x: FLOAT[2] = [1.0] }', "expected 2 values for FLOAT[2] before it"),
        ('graph "a" { const %x: INT8[1] = base64 "?" }', "expected base64, found"),
        ('graph "a" { 0: %y: ? = a.B:x() }', "expected an integer, found 'x() }'"),
        ('graph "a" { = a.B:1() {k = @} }', "expected a word, a number, a string or a mark, found"),
        ('graph "a" { = a.B:1() {k = what} }', "expected a value, found 'what} }'"),
        ('graph "a" { after 0: 1 }', "expected the number of an operator above, found '0: 1 }'"),
        ('graph "a" { } graph', "expected the end, found 'graph'"),
        ('graph "a" { %y: ? = a.B:1(%x) }', "The graph 'a' has no tensor 'x'."),
    ],
)
def test_wrong_text(text: str, message: str) -> None:
    with pytest.raises(popart_exception) as error:
        parse_graph(text)
    assert message in str(error.value)


def test_attribute_without_a_text_form() -> None:
    graph = Graph()
    graph.moveIntoGraph(AnyOp(ANY, Op.Settings(graph), {"body": object()}))
    with pytest.raises(
        popart_exception, match="the attribute 'body' is a object, which has no text"
    ):
        print_graph(graph)


kinds = st.sampled_from(
    [kind for kind in DataType if kind not in (DataType.STRING, DataType.UNDEFINED)]
)
arrays = kinds.flatmap(
    lambda kind: (
        hnp.arrays(np.uint8, st.tuples(st.integers(0, 20))).map(
            lambda raw: np.frombuffer(
                raw.tobytes()[: len(raw) // kind.nbytes * kind.nbytes], kind.numpy
            )
        )
        if kind is not DataType.BOOL
        else hnp.arrays(np.bool_, hnp.array_shapes(max_dims=3, max_side=3))
    )
)
ids = st.text(min_size=1)
scalars = st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text() | st.binary() | arrays
values = scalars | st.lists(st.integers()) | st.lists(st.floats()) | st.lists(st.text())
attributes = st.dictionaries(st.from_regex(r"[A-Za-z_]\w*", fullmatch=True), values, max_size=3)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    graph = Graph(draw(st.text()))
    graph.addStream(draw(ids), TensorInfo(draw(kinds), draw(st.lists(st.integers(0, 9)))))
    for data in draw(st.lists(arrays, max_size=3)):
        add = draw(st.sampled_from([graph.addVarInit, graph.addConstInit]))
        add(graph.uniqueId(draw(ids)), data)
    for _ in range(draw(st.integers(0, 3))):
        settings_ = Op.Settings(graph, draw(st.text()), draw(attributes))
        known = st.sampled_from(list(graph.tensors))
        ins = draw(st.dictionaries(st.integers(0, 3), known, max_size=3))
        op = graph.createConnectedOp(AnyOp, ins, {}, ANY, settings_, draw(attributes))
        for i in draw(st.sets(st.integers(0, 3), max_size=3)):
            op.createAndConnectOutTensor(i, graph.uniqueId(draw(ids)))
    graph.outputs = draw(st.lists(st.sampled_from(list(graph.tensors)), max_size=2))
    return graph


@given(graphs())
@settings(max_examples=200)
def test_round_trip(graph: Graph) -> None:
    text = print_graph(graph)
    other = parse_graph(text)
    assert print_graph(other) == text
    assert (other.name, other.inputs, other.outputs) == (graph.name, graph.inputs, graph.outputs)
    assert other.tensors.keys() == graph.tensors.keys()
    for id, tensor in graph.tensors.items():
        found = other.tensors[id]
        assert (found.tensorType, found.info) == (tensor.tensorType, tensor.info)
        if tensor.data is not None:
            assert found.data is not None
            assert found.data.tobytes() == tensor.data.tobytes()
    for op, found in zip(graph.ops.values(), other.ops.values(), strict=True):
        assert (found.id, found.opid, found.name()) == (op.id, op.opid, op.name())
        assert {i: t.id for i, t in found.input.items()} == {i: t.id for i, t in op.input.items()}
        assert {i: t.id for i, t in found.output.items()} == {i: t.id for i, t in op.output.items()}
        assert found.attributes.keys() == op.attributes.keys()
