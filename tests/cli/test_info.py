"""popir info."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from popir import registry
from tests.cli.commands import WEIGHT, call, call_json, classifier, dense, failure, save

CUSTOM = {"": 17, "com.acme": 1}


def test_what_a_model_says_of_itself(tmp_path: Path) -> None:
    found = call_json("info", dense(tmp_path / "dense.onnx"))
    assert found["ir_version"] == 9
    assert found["producer"] == "test"
    assert found["opsets"] == {"ai.onnx": 17}
    assert found["inputs"] == [{"name": "x", "type": "float32", "shape": ["batch", 8]}]
    assert found["outputs"] == [{"name": "y", "type": "unknown", "shape": None}]
    assert found["operators"] == {"ai.onnx.MatMul": 1, "ai.onnx.Relu": 1}
    size = {"tensors": 1, "elements": WEIGHT.size, "bytes": WEIGHT.nbytes}
    assert found["parameters"] == size
    assert found["constants"] == {"tensors": 0, "elements": 0, "bytes": 0}
    assert found["unsupported"] == found["unexamined"] == []


def test_flops_are_for_the_sizes_given(tmp_path: Path) -> None:
    model = dense(tmp_path / "dense.onnx")
    one, five = call_json("info", model), call_json("info", model, "--dim", "batch=5")
    assert one["assumed_dims"] == {"batch": 1}
    assert five["assumed_dims"] == {}
    for found, batch in ((one, 1), (five, 5)):
        products = {"ai.onnx.MatMul": 2 * batch * 8 * 4, "ai.onnx.Relu": batch * 4}
        assert found["flops_by_operator"] == products
        assert found["flops"] == sum(products.values())
        assert found["flops_complete"]
    assert "FLOPs: 68, with batch=1\n" in call("info", model).stdout


def test_flops_of_a_convolution(tmp_path: Path) -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=[2, 2])
    weights = {"w": np.ones((6, 4, 3, 3), np.float32)}
    model = save(tmp_path / "conv.onnx", [node], {"x": [2, 4, 9, 9]}, ["y"], weights)
    assert call_json("info", model)["flops"] == 2 * (2 * 6 * 4 * 4) * (4 * 3 * 3)


def test_the_text_is_a_table_for_each_kind(tmp_path: Path) -> None:
    text = call("info", dense(tmp_path / "dense.onnx")).stdout
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for expected in (
        "opsets: ai.onnx 17",
        "parameters: 32 in 1 tensors, 128 bytes",
        "x float32 [batch,8]",
        "ai.onnx.MatMul 1 64",
        "supported: all of it",
    ):
        assert expected in lines


def mixed(tmp_path: Path, **attributes: object) -> Path:
    """Known operators around one that nobody has registered."""
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="before"),
        helper.make_node("LeakyRelo", ["a"], ["b"], name="odd", domain="com.acme"),
        helper.make_node("MatMul", ["b", "w"], ["c"], name="after"),
        helper.make_node("Relu", ["a"], ["d"], name="beside"),
    ]
    opsets = {"": 17, "com.acme": 3}
    return save(
        tmp_path / "mixed.onnx", nodes, {"x": [2, 8]}, ["c", "d"], {"w": WEIGHT}, opsets=opsets
    )


def test_what_is_not_supported_is_named_and_the_rest_is_counted(tmp_path: Path) -> None:
    found = call_json("info", mixed(tmp_path), code=1)
    (fault,) = found["unsupported"]
    assert (fault["node"], fault["operator"], fault["version"]) == ("odd", "com.acme.LeakyRelo", 3)
    assert "No operator com.acme.LeakyRelo is registered for version 3" in fault["message"]
    assert found["unexamined"] == ["after"]
    assert found["flops_by_operator"] == {"ai.onnx.Relu": 2 * 16}
    assert not found["flops_complete"]
    text = call("info", mixed(tmp_path), code=1).stdout
    assert "NOT SUPPORTED:" in text
    assert "not examined, for want of shapes: after" in text
    assert "FLOPs: 32, of what could be examined" in text


def test_onnxs_inference_bridges_what_is_not_supported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes behind an operator of ONNX's that popir lacks are examined all the same."""
    monkeypatch.delitem(registry._state.ops, ("ai.onnx", "Det"))
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("Det", ["a"], ["b"], name="det"),
        helper.make_node("Exp", ["b"], ["c"]),
    ]
    model = save(tmp_path / "m.onnx", nodes, {"x": [5, 3, 3]}, ["c"])
    found = call_json("info", model, code=1)
    assert [fault["node"] for fault in found["unsupported"]] == ["det"]
    assert found["unexamined"] == []
    assert found["flops_by_operator"] == {"ai.onnx.Relu": 45, "ai.onnx.Exp": 5}


def test_nodes_of_one_unknown_operator_share_a_row(tmp_path: Path) -> None:
    nodes = [helper.make_node("Reluu", ["x"], [f"y{i}"], name=f"n{i}") for i in range(3)]
    model = save(tmp_path / "m.onnx", nodes, {"x": [3]}, ["y0"])
    for fault in call_json("info", model, code=1)["unsupported"]:
        assert "Similar operators are ai.onnx.Relu" in fault["message"]
    row = call("info", model, code=1).stdout.splitlines()[-1].split()
    assert row[:3] == ["ai.onnx.Reluu", "17", "3"]
    assert row[-3:] == ["n0,", "n1,", "n2"]


@pytest.mark.parametrize(
    ("node", "where", "words"),
    [
        (helper.make_node("MatMul", ["x", "x"], ["y"], name="n"), "n", "MatMul"),
        (helper.make_node("Softmax", ["x"], ["y"], axis=7), "y", "axis"),
        (helper.make_node("Relu", ["x"], ["y"], nonsense=1), "y", "nonsense"),
        (helper.make_node("Relu", ["none"], ["y"], name="n"), "", ""),
        (helper.make_node("Odd", ["x"], ["y"], domain="org.none"), "y", "org.none"),
    ],
)
def test_nodes_that_popir_refuses(
    tmp_path: Path, node: helper.NodeProto, where: str, words: str
) -> None:
    model = save(tmp_path / "m.onnx", [node], {"x": [2, 8]}, ["y"])
    found = call_json("info", model, code=1 if words else 0)
    if words:
        (fault,) = found["unsupported"]
        assert fault["node"] == where
        assert words in fault["message"]
    else:
        assert found["unexamined"] == ["n"]


def test_operators_of_subgraphs_are_counted(tmp_path: Path) -> None:
    value = helper.make_tensor_value_info("b", TensorProto.FLOAT, [2])
    branch = helper.make_graph([helper.make_node("Exp", ["x"], ["b"])], "branch", [], [value])
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
        helper.make_node("Cast", ["s"], ["c"], to=TensorProto.BOOL),
        helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
    ]
    model = save(tmp_path / "m.onnx", nodes, {"x": [2]}, ["y"])
    operators = call("info", model, "--json", code=None)
    assert '"ai.onnx.Exp": 2' in operators.stdout


def test_a_model_wrong_as_a_whole(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Relu", ["b"], ["a"], name="one"),
        helper.make_node("Relu", ["a"], ["b"], name="two"),
    ]
    model = save(tmp_path / "m.onnx", nodes, {"x": [2]}, ["b"], opsets={"": 3})
    messages = [f["message"] for f in call_json("info", model, code=1)["unsupported"]]
    assert len(messages) == 2
    assert "opset 3 of ai.onnx" in messages[0]
    assert "wait for each other" in messages[1]


def test_an_output_that_nothing_computes(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    model = save(tmp_path / "m.onnx", nodes, {"x": [2]}, ["y", "z"])
    (fault,) = call_json("info", model, code=1)["unsupported"]
    assert fault["message"] == "The model's output 'z' is no tensor of it."


def test_a_model_with_a_loss(tmp_path: Path) -> None:
    classifier(tmp_path / "m.onnx")
    found = call_json("info", tmp_path / "m.onnx")
    assert found["opsets"] == {"ai.onnx": 17, "ai.graphcore": 1}
    assert found["flops_by_operator"]["ai.onnx.Softmax"] == 4 * 16 * 4


def test_what_patterns_do_and_why_not(tmp_path: Path) -> None:
    loss = classifier(tmp_path / "m.onnx")
    assert call_json("info", tmp_path / "m.onnx")["decisions"] is None
    found = call_json("info", tmp_path / "m.onnx", "--decisions", "--loss", loss)["decisions"]
    assert [(row["what"], row["reason"]) for row in found] == [
        ("NlllWithSoftMaxGradDirect", None),
        ("SoftMaxGradDirect", None),
    ]
    nodes = [
        helper.make_node("Exp", ["x"], ["a"]),
        helper.make_node("Sum", ["a"], ["b"]),
        helper.make_node("Identity", ["b"], ["y"]),
        helper.make_node("Neg", ["b"], ["z"]),
    ]
    model = save(tmp_path / "n.onnx", nodes, {"x": [2]}, ["y", "z"])
    text = call("info", model, "--decisions").stdout
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert any(line.startswith("PreUniRepl done Op(1, ai.onnx.Sum:13,") for line in lines)
    words = "PostNRepl 'y' is kept: an anchor, the loss, or an output Op(2, ai.onnx.Identity:"
    assert any(line.startswith(words) for line in lines)


def test_a_loss_is_for_decisions(tmp_path: Path) -> None:
    loss = classifier(tmp_path / "m.onnx")
    assert "--loss is for --decisions" in failure(
        "info", tmp_path / "m.onnx", "--loss", loss, code=2
    )
