"""Models beyond what a model may be: each is refused by name, and soon."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, ModelProto, TensorProto, ValueInfoProto, helper, numpy_helper

from popir.errors import LeavesDeviceError, ModelError, OutOfMemoryException, PopirError
from popir.onnxio import limits, wire
from popir.onnxio.functions import expand
from popir.onnxio.importer import import_model
from popir.onnxio.inference import infer
from popir.onnxio.load import load


def model(*nodes: Any, **more: Any) -> ModelProto:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    default = [helper.make_node("LeakyRelu", ["x"], ["y"], "leaky")]
    graph = helper.make_graph(nodes or default, "g", [x], [ValueInfoProto(name="y")])
    imports = [helper.make_opsetid("", 11), helper.make_opsetid("own", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8, **more)


def changed(change: Callable[[ModelProto], object]) -> ModelProto:
    found = model()
    change(found)
    return found


def leaky(found: ModelProto) -> Any:
    return found.graph.node[0]


def alpha(**fields: Any) -> Callable[[ModelProto], object]:
    return lambda m: leaky(m).attribute.add(name="alpha", **fields)


def twice_alpha(found: ModelProto) -> None:
    alpha(type=AttributeProto.FLOAT, f=0.5)(found)
    alpha(type=AttributeProto.FLOAT, f=0.25)(found)


def weight(name: str = "w", **fields: Any) -> Callable[[ModelProto], object]:
    value = numpy_helper.from_array(np.zeros(3, np.float32), name)
    return lambda m: m.graph.initializer.extend([value] * fields.get("times", 1))


def set_dims(*dims: int) -> Callable[[ModelProto], object]:
    def change(found: ModelProto) -> None:
        shape = found.graph.input[0].type.tensor_type.shape
        del shape.dim[:]
        for dim in dims:
            shape.dim.add(dim_value=dim)

    return change


WRONG: list[tuple[str, Callable[[ModelProto], object], str]] = [
    ("no graph", lambda m: m.ClearField("graph"), "The model has no graph; it is empty, or no"),
    ("empty graph", lambda m: m.graph.Clear(), ""),
    ("no opset", lambda m: m.ClearField("opset_import"), "The model has no opset_import"),
    (
        "opset 0",
        lambda m: setattr(m.opset_import[0], "version", 0),
        "written in opset 0 of ai.onnx",
    ),
    ("opset", lambda m: setattr(m.opset_import[0], "version", 2**63 - 1), "in opset 92233720368"),
    ("two opsets", lambda m: m.opset_import.add(version=12), "imports two versions of the domain"),
    (
        "IR version",
        lambda m: setattr(m, "ir_version", 2**40),
        "The model is of IR version 10995116",
    ),
    (
        "control",
        lambda m: setattr(leaky(m), "name", "a\x1b[31m"),
        "with control characters: 'a\\x1b",
    ),
    (
        "long name",
        lambda m: setattr(leaky(m), "name", "a" * 10_001),
        "a name of 10001 characters, 'a",
    ),
    (
        "no name",
        lambda m: setattr(m.graph.input[0], "name", ""),
        "has a graph input without a name",
    ),
    (
        "missing",
        lambda m: leaky(m).input.__setitem__(0, "z"),
        "reads 'z', which is no tensor of the",
    ),
    ("output", lambda m: setattr(m.graph.output[0], "name", "z"), "output 'z' is no tensor of it"),
    (
        "cycle",
        lambda m: leaky(m).input.__setitem__(0, "y"),
        "These nodes wait for each other: 'leaky",
    ),
    (
        "two nodes",
        lambda m: m.graph.node.append(leaky(m)),
        "defines 'y', which the model has already",
    ),
    ("output twice", lambda m: leaky(m).output.append("y"), "y"),
    (
        "own input",
        lambda m: leaky(m).output.__setitem__(0, "x"),
        "defines 'x', which the model has",
    ),
    ("two weights", weight(times=2), "an initializer defines 'w', which the model has already"),
    ("weight without name", weight(""), "The model has an initializer without a name"),
    ("two inputs", lambda m: m.graph.input.append(m.graph.input[0]), "a graph input defines 'x'"),
    ("two attributes", twice_alpha, "the node 'leaky' (LeakyRelu) has the attribute 'alpha' twice"),
    ("kind", alpha(type=AttributeProto.STRING, s=b"a"), "'alpha' is a float; given was 'a' (str)"),
    ("field", alpha(type=AttributeProto.FLOAT, i=1), "is of type FLOAT, but has a value in i"),
    ("no type", alpha(f=1.0), "The attribute 'alpha' has no value of a known type"),
    ("reference", alpha(type=1, ref_attr_name="b"), "has no value of a known type"),
    ("unknown", lambda m: leaky(m).attribute.add(name="b", type=2, i=1), "unknown attribute 'b'"),
    ("operator", lambda m: setattr(leaky(m), "op_type", "LeakyRelo"), "LeakyRelo"),
    (
        "domain",
        lambda m: setattr(leaky(m), "domain", "other"),
        "has no version of the domain other",
    ),
    (
        "negative",
        set_dims(-1, 3),
        "A tensor's dimensions are 0 or more; given was the shape [-1, 3]",
    ),
    ("huge", set_dims(1 << 40, 1 << 40), "has the shape [1099511627776, 1099511627776], more than"),
    ("empty", set_dims(0, 1 << 40), "has the shape [0, 1099511627776], more than fits an address"),
    ("rank", set_dims(*[1] * 33), "The graph input 'x' has 33 dimensions; popir takes up to 32"),
    ("memory", set_dims(1 << 44), f"The graph input 'x' needs {1 << 46} bytes of memory; "),
    (
        "type",
        lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 99),
        "99 is not an el",
    ),
    (
        "no tensor",
        lambda m: m.graph.input[0].type.sequence_type.SetInParent(),
        "is a sequence",
    ),
]


@pytest.mark.parametrize(
    ("change", "message"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_what_is_no_model(change: Callable[[ModelProto], object], message: str) -> None:
    wrong = changed(change)
    if wrong.HasField("graph") and not wrong.graph.ByteSize():
        assert import_model(wrong).ops == {}  # An empty graph is one.
        return
    for source in (wrong, wrong.SerializeToString()):
        with pytest.raises(PopirError, match=re.escape(message)) as error:
            import_model(source)
        assert error.type is not PopirError


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.0])
def test_any_float_is_an_attribute(value: float) -> None:
    (op,) = import_model(changed(alpha(type=AttributeProto.FLOAT, f=value))).ops.values()
    np.testing.assert_equal(op.attributes["alpha"], value)


@pytest.mark.parametrize("part", ["LeakyRelu", "own", "leaky"])
def test_text_that_is_not_utf8(part: str) -> None:
    data = model().SerializeToString().replace(part.encode(), b"\xff" * len(part))
    with pytest.raises(ModelError, match=r"^The model is damaged: the name b'\\xff"):
        import_model(data)


def test_messages_are_bounded() -> None:
    wrong = changed(alpha(type=AttributeProto.STRINGS, strings=[b"\x1b[31mred"] * 100_000))
    with pytest.raises(PopirError) as error:
        import_model(wrong)
    assert len(str(error.value)) < 6000 and "\x1b" not in str(error.value)
    assert "characters left out" in str(error.value)


def test_near_misses_among_very_many_names() -> None:
    names = [f"{'a' * 150}{i}" for i in range(20_000)]
    wrong = model(helper.make_node("Sum", ["x"], ["y"]))
    for name in names:
        wrong.graph.initializer.append(numpy_helper.from_array(np.float32(0), name))
    wrong.graph.node[0].input[0] = "a" * 151
    with pytest.raises(ModelError, match="which is no tensor of the model"):
        import_model(wrong)


# Files.


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ModelError, match=f"^The model {path} cannot be read: it is no regular"):
            load(path)
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        load(tmp_path)
    with pytest.raises(ModelError, match="cannot be read: embedded null byte"):
        load("a\0b")


def test_a_file_larger_than_onnx_allows(tmp_path: Path) -> None:
    with (tmp_path / "model.onnx").open("wb") as stream:
        stream.truncate(1 << 31)
    with pytest.raises(
        ModelError, match=r"has 2147483648 bytes; ONNX allows 2147483647, and larger"
    ):
        load(tmp_path / "model.onnx")


# Counts.


def wire_model(parts: bytes) -> bytes:
    """A model whose graph consists of `parts`, serialised."""
    found = ModelProto(opset_import=[helper.make_opsetid("", 11)])
    size, digits = len(parts), b""
    while size > 127:
        digits += bytes([size & 127 | 128])
        size >>= 7
    graph = b"\x3a" + digits + bytes([size]) + parts
    return graph + found.SerializeToString()


def test_parts_are_counted_before_they_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = wire_model(b"\x0a\x00" * 10_000)  # empty nodes
    assert wire.count_messages(data, 20_000) == 10_000 + 3
    assert ModelProto.FromString(data).graph.node[9_999] is not None
    monkeypatch.setattr("popir.onnxio.load.MAX_MESSAGES", 1000)
    monkeypatch.setattr("popir.onnxio.load.wire.worst_case", lambda size: 1 << 60)
    with pytest.raises(ModelError, match=r"^The model consists of more than 1000 parts"):
        load(data)


def test_counting_goes_as_the_parser_does() -> None:
    found = model()
    weight()(found)
    leaky(found).attribute.add(name="g", type=5).g.CopyFrom(model().graph)
    data = found.SerializeToString()
    count, waiting = 0, [found]
    while waiting:
        message: Any = waiting.pop()
        count += 1
        for field, value in message.ListFields():
            if field.message_type is not None:
                waiting.extend(value if field.is_repeated else [value])
    assert wire.count_messages(data, 1000) == count
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(data)
        damaged[rng.integers(len(data))] = rng.integers(256)
        wire.count_messages(bytes(damaged[: rng.integers(len(data))]), 1000)


@pytest.mark.parametrize(
    ("name", "limit", "message"),
    [
        ("MAX_NODES", 2, "The model has more than 2 nodes."),
        ("MAX_TENSORS", 5, "The model has more than 5 inputs and outputs of nodes."),
        ("MAX_ATTRIBUTES", 0, "the node 'n0' (LeakyRelu) has 1 attributes; popir takes up to 0."),
    ],
)
def test_counts(monkeypatch: pytest.MonkeyPatch, name: str, limit: int, message: str) -> None:
    nodes = [
        helper.make_node("LeakyRelu", [f"t{i}" if i else "x"], [f"t{i + 1}"], f"n{i}", alpha=0.5)
        for i in range(3)
    ]
    nodes[-1].output[0] = "y"
    import_model(model(*nodes))
    monkeypatch.setattr(limits, name, limit)
    with pytest.raises(ModelError, match=re.escape(message)):
        import_model(model(*nodes))


def nested(depth: int) -> ModelProto:
    found = model()
    graph = found.graph
    for _ in range(depth):
        graph = graph.node.add(op_type="If", name="if", output=["o"]).attribute.add().g
    return found


def test_graphs_in_graphs() -> None:
    with pytest.raises(ModelError, match=r"^Graphs lie in graphs more than 32 deep"):
        load(nested(500))
    with pytest.raises(ModelError, match="cannot be parsed"):  # by protobuf's own limit
        load(nested(500).SerializeToString())
    load(nested(32))


def test_types_in_types() -> None:
    wrong = model()
    kind = wrong.graph.input[0].type
    for _ in range(2000):
        kind = kind.optional_type.elem_type
    kind.SetInParent()
    with pytest.raises(LeavesDeviceError, match="is an optional value"):
        import_model(wrong)


# Functions.


def function(name: str, *calls: str) -> Any:
    nodes = [helper.make_node(call, ["a"], [f"c{i}"], domain="own") for i, call in enumerate(calls)]
    nodes.append(helper.make_node("Neg", ["a"], ["b"]))
    imports = [helper.make_opsetid("", 11), helper.make_opsetid("own", 1)]
    return helper.make_function("own", name, ["a"], ["b"], nodes, imports)


def calling(*functions: Any) -> ModelProto:
    node = helper.make_node(functions[0].name, ["x"], ["y"], domain="own")
    return model(node, functions=functions)


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ([function("F", "F")], "functions that call themselves: own.F calls own.F."),
        (
            [function("F", "G"), function("G", "H"), function("H", "G")],
            "functions that call themselves: own.F calls own.G calls own.H calls own.G.",
        ),
        ([function("F"), function("F")], "defines the function own.F twice."),
        (
            [function(f"F{i}", f"F{i + 1}", f"F{i + 1}") for i in range(30)] + [function("F30")],
            "nodes once its functions are expanded; popir takes up to 500000.",
        ),
        (
            [function(f"F{i}", f"F{i + 1}") for i in range(2000)] + [function("F2000")],
            "has functions that call functions more than 32 deep.",
        ),
    ],
)
def test_functions(functions: list[Any], message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        load(calling(*functions))


def test_functions_are_counted_as_they_expand(monkeypatch: pytest.MonkeyPatch) -> None:
    found = calling(function("F", "G", "G"), function("G", "H"), function("H"))
    count = 10  # calls of F, G, H, G and H, and a Neg in each
    monkeypatch.setattr("popir.onnxio.functions.MAX_NODES", count)
    assert len(expand("The model", found).graph.node) == 5
    monkeypatch.setattr("popir.onnxio.functions.MAX_NODES", count - 1)
    with pytest.raises(ModelError, match=f"^The model has {count} nodes once its functions"):
        expand("The model", found)


# What onnx does.


def test_a_model_that_ends_the_process_in_which_onnx_infers() -> None:
    split = helper.make_node("Split", ["x"], ["y", "z"], split=[1, 1], num_outputs=1, axis=0)
    found = changed(lambda m: leaky(m).CopyFrom(split))
    found.opset_import[0].version = 2**31 - 2
    assert infer(found) == {}
    assert infer(model())["y"].shape() == [2, 3]


# Memory.


def test_outputs_larger_than_memory() -> None:
    nodes = [helper.make_node("Concat", [f"t{i}"] * 2, [f"t{i + 1}"], axis=0) for i in range(45)]
    nodes[0].input[:] = ["x", "x"]
    nodes[-1].output[0] = "y"
    with pytest.raises(
        OutOfMemoryException,
        match=r"^Node '' \(ai.onnx.Concat\): the output 't\d+' needs \d+ bytes of memory; \d+ are",
    ):
        import_model(model(*nodes))


@pytest.mark.parametrize("field", ["producer_name", "doc_string"])
def test_text_of_the_model_that_is_not_utf8(field: str) -> None:
    model = helper.make_model(helper.make_graph([], "g", [], []), **{field: "@@@"})
    data = model.SerializeToString().replace(b"@@@", b"\xff@@")
    with pytest.raises(ModelError, match=f"^The model is damaged: its {field} is not UTF-8"):
        load(data)
