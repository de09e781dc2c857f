"""Outlining, from text to text; and each reason to leave what repeats, by its words."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pytest

from popir.ir import Graph, Tensor, verify
from popir.ir.graph import called_graphs
from popir.transforms.decision import Decision
from popir.transforms.outlining.outline import OutlineOptions, outline
from tests.transforms.graphs import graph_of

Row = "FLOAT[64, 64]"


def layers(n: int, body: str, head: str = "") -> Graph:
    """`n` times the lines `body`, with # for the number of the layer, which computes %next from
    %last; %h0 is the first %last, and each layer has a weight %w#.
    """
    zeros = base64.b64encode(bytes(64 * 64 * 4)).decode()
    lines = [f"opset ai.onnx 13\nstream %h0: {Row}", head]
    lines += [f'variable %w{i}: {Row} = base64 "{zeros}"' for i in range(n)]
    for layer in range(n):
        for line in body.strip().splitlines():
            text = line.strip().replace("%next", f"%h{layer + 1}").replace("%last", f"%h{layer}")
            lines.append(text.replace("#", str(layer)))
    return graph_of("\n".join([*lines, f"inputs %h0\noutputs %h{n}"]))


def outlined(graph: Graph, *kept: str, **options: float) -> tuple[list[str], list[Decision]]:
    """The operators' lines of the graph and of those that it calls; and the decisions."""
    decisions = outline(graph, kept, OutlineOptions(**options))  # type: ignore[arg-type]
    verify(graph)
    found: list[str] = []
    for each in called_graphs(graph):
        found += [f"{each.name}({', '.join(each.inputs)}) -> {', '.join(each.outputs)}"]
        found += [
            f"  {op.opid.type}({_ids(op.input)}) -> {_ids(op.output)}" for op in each.schedule()
        ]
    return found, decisions


def _ids(tensors: Mapping[int, Tensor]) -> str:
    return ", ".join(tensor.id for _, tensor in sorted(tensors.items()))


LAYER = """
    %a#: FLOAT[64, 64] = ai.onnx.MatMul:13(%last, %w#)
    %b#: FLOAT[64, 64] = ai.onnx.Relu:13(%a#)
    %next: FLOAT[64, 64] = ai.onnx.Add:13(%b#, %last)
"""


def test_layers_become_one_graph_that_is_called() -> None:
    found, decisions = outlined(layers(3, LAYER))
    assert found == [
        "main(h0) -> h3",
        "  Call(h0, w0) -> h1",
        "  Call(h1, w1) -> h2",
        "  Call(h2, w2) -> h3",
        "subgraph_0(subgraph_0/h0, subgraph_0/w0) -> subgraph_0/h1",
        "  MatMul(subgraph_0/h0, subgraph_0/w0) -> subgraph_0/a0",
        "  Relu(subgraph_0/a0) -> subgraph_0/b0",
        "  Add(subgraph_0/b0, subgraph_0/h0) -> subgraph_0/h1",
    ]
    assert decisions[0].reason is None
    assert decisions[0].what == "3 calls of subgraph_0, 3 operators"


def test_the_operators_keep_their_names_for_each_call() -> None:
    graph = layers(2, LAYER.replace("(%last, %w#)", '(%last, %w#) name "fc#"'))
    outline(graph, (), OutlineOptions())
    names = [list(op.called_names.values()) for op in graph.schedule()]
    assert names == [["fc0", "Relu/1", "Add/2"], ["fc1", "Relu/4", "Add/5"]]


def test_what_somebody_else_reads_is_an_output_of_every_call() -> None:
    found, _ = outlined(layers(3, LAYER), "b1", copyCostPruning=False)
    assert found[:4] == [
        "main(h0) -> h3",
        "  Call(h0, w0) -> b0, h1",
        "  Call(h1, w1) -> b1, h2",
        "  Call(h2, w2) -> b2, h3",
    ]


def test_equal_constants_go_inside_and_others_are_passed() -> None:
    body = LAYER.replace("(%b#, %last)", "(%b#, %c#)")
    equal = "".join(f"const %c{i}: FLOAT[1] = [0.5]\n" for i in range(2))
    other = "".join(f"const %c{i}: FLOAT[1] = [{i}.5]\n" for i in range(2))
    for constants, inputs in ((equal, 2), (other, 3)):
        graph = layers(2, body, constants)
        outline(graph, (), OutlineOptions())
        assert len(called_graphs(graph)[1].inputs) == inputs


def test_what_repeats_inside_is_outlined_too() -> None:
    body = """
        %a#: FLOAT[64, 64] = ai.onnx.MatMul:13(%last, %w#)
        %b#: FLOAT[64, 64] = ai.onnx.MatMul:13(%a#, %w#)
        %c#: FLOAT[64, 64] = ai.onnx.MatMul:13(%b#, %w#)
        %next: FLOAT[64, 64] = ai.onnx.Gemm:13(%c#, %w#) {transB = 1}
    """
    found, _ = outlined(layers(3, body))
    assert found[:4] == ["main(h0) -> h3", *(f"  Call(h{i}, w{i}) -> h{i + 1}" for i in range(3))]
    assert [line.split("(")[0].strip() for line in found[4:]] == [
        *("subgraph_0", "Call", "Call", "Call", "Gemm"),
        *("subgraph_1", "MatMul"),
    ]


REFUSED = [
    # Too little for the copies, and below the threshold.
    (LAYER.replace("MatMul", "Mul"), {}, "is not enough for 3 calls (outlineThreshold 1)"),
    (LAYER, {"threshold": 1e9}, "is not enough for 3 calls (outlineThreshold 1e+09)"),
    # Equal one by one, but connected in another way each time.
    ("%next: FLOAT[64, 64] = ai.onnx.Relu:13(%last)", {"copyCostPruning": False}, "not enough"),
]


@pytest.mark.parametrize(("body", "options", "reason"), REFUSED)
def test_what_is_not_worth_it_stays(body: str, options: dict[str, float], reason: str) -> None:
    found, decisions = outlined(layers(3, body), **options)
    assert not [line for line in found if "Call" in line]
    assert any(reason in str(d.reason) for d in decisions)


def test_without_the_costs_of_copies_only_the_values_count() -> None:
    body = LAYER.replace("MatMul", "Mul") * 1
    assert "Call" in str(outlined(layers(30, body), threshold=0.2, copyCostPruning=False)[0])
    assert "Call" not in str(outlined(layers(30, body), threshold=0.2)[0])


def test_other_attributes_are_another_piece() -> None:
    body = """
        %a#: FLOAT[64, 64] = ai.onnx.MatMul:13(%last, %w#)
        %next: FLOAT[64, 64] = ai.onnx.LeakyRelu:6(%a#) {alpha = 0.#}
    """
    found, _ = outlined(layers(2, body))
    assert [line.split("(")[0].strip() for line in found] == [
        *("main", "Call", "LeakyRelu", "Call", "LeakyRelu"),
        *("subgraph_0", "MatMul"),
    ]


def test_operators_that_stay_say_why() -> None:
    graph = layers(2, LAYER)
    graph.addConstraint(graph.ops[0], graph.ops[3])
    _, decisions = outlined(graph)
    reasons = {d.where.split(",")[1]: d.reason for d in decisions if d.what == "part of a piece"}
    assert reasons == {" ai.onnx.MatMul:13": "it has a constraint"}


def test_many_layers_become_calls_of_one_graph() -> None:
    graph = layers(300, LAYER)
    outline(graph, (), OutlineOptions())
    assert [len(each.ops) for each in called_graphs(graph)] == [300, 3]


def test_a_chain_of_small_operators_is_cut_into_pieces_that_are_worth_a_call() -> None:
    # One is worth 0.1 * sqrt(16 bytes), a call copies sqrt(16) in and out: 23 are just enough.
    small = "FLOAT[4]"
    lines = [f"opset ai.onnx 13\nstream %h0: {small}"]
    lines += [f"%h{i + 1}: {small} = ai.onnx.Relu:13(%h{i})" for i in range(300)]
    graph = graph_of("\n".join([*lines, "inputs %h0\noutputs %h300"]))
    outlined(graph)
    sizes = [len(each.ops) for each in called_graphs(graph)]
    assert len(sizes) > 1
    assert max(sizes[1:]) >= 23
    assert sum(sizes) < 60
