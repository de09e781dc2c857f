"""The registry: look-up, who may replace whom, checks of what an operator is given."""

import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest

from popir import registry
from popir.definitions import OpDefinition
from popir.errors import (
    DuplicateOperatorError,
    MissingOpxError,
    OperatorAttributeError,
    OperatorInputError,
    UnknownOperatorError,
    popart_exception,
)
from popir.ir import Graph, Op, OperatorIdentifier
from popir.opx import InputCreatorType, Opx
from popir.registry import OpCreator, OpCreatorInfo, OpxCreator
from popir.types import DataType, TensorInfo

FLOATS = [DataType.FLOAT, DataType.FLOAT16]
LIBRARY = "/lib/libone.so"


class TwiceOp(Op):
    factor: float = 2.0

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))


class TwiceOpx(Opx):
    pass


class OtherOp(TwiceOp):
    pass


class OtherOpx(Opx):
    pass


DEFINITION = OpDefinition([("x", FLOATS)], [("y", FLOATS)], {"factor": "*"})


@pytest.fixture(autouse=True)
def _scoped() -> Iterator[None]:
    with registry.scoped():
        yield


def opid(version: int = 1, type: str = "Twice", domain: str = "com.acme") -> OperatorIdentifier:
    return OperatorIdentifier(domain, type, version)


def create(
    opset: int = 1, type: str = "Twice", domain: str = "com.acme", **attributes: object
) -> Op:
    graph = Graph()
    x = graph.addStream("x", TensorInfo("FLOAT", [2]))
    return registry.createOp(domain, type, opset, Op.Settings(graph, "n"), attributes, [x], ["y"])


def test_highest_version_not_above_the_opset() -> None:
    OpCreator(TwiceOp, [opid(1), opid(6), opid(16)])
    found = [registry.find("com.acme", "Twice", opset).opid.version for opset in (1, 5, 6, 15, 40)]
    assert found == [1, 1, 6, 6, 16]
    assert registry.versions("com.acme", "Twice") == [1, 6, 16]


def test_empty_domain_is_onnx() -> None:
    OpCreator(TwiceOp, [OperatorIdentifier("", "Own", 1)])
    assert registry.find("ai.onnx", "Own", 1) is registry.find("", "Own", 1)
    assert str(registry.find("", "Own", 1).opid) == "ai.onnx.Own:1"


def test_create_op() -> None:
    OpCreator(TwiceOp, {opid(): DEFINITION})
    op = create(factor=3.0)
    assert isinstance(op, TwiceOp)
    assert (op.factor, op.opid, op.name(), op.source) == (3.0, opid(), "n", "python")


def test_factory() -> None:
    def factory(info: OpCreatorInfo) -> Op:
        assert [tensor and tensor.id for tensor in info.inputs] == ["x"]
        return TwiceOp(info.opid, info.settings, {"factor": info.attributes["times"]})

    OpCreator(TwiceOp, [opid()], factory)
    assert create(times=7).attributes == {"factor": 7.0}


def test_unknown_operator() -> None:
    OpCreator(TwiceOp, [opid(3), opid(5), opid(1, "Thrice")])
    with pytest.raises(UnknownOperatorError) as error:
        registry.find("com.acme", "Twize", 4)
    assert str(error.value) == (
        "No operator com.acme.Twize is registered for version 4 of the domain com.acme, nor for "
        "any other. Similar operators are com.acme.Twice. Load the library that defines it "
        "(popir.load_op_library, or --op-library on the command line), or register it by "
        "OpCreator."
    )
    with pytest.raises(UnknownOperatorError) as error:
        registry.find("com.acme", "Twice", 2)
    assert str(error.value) == (
        "No operator com.acme.Twice is registered for version 2 of the domain com.acme: its "
        "registered versions are 3, 5, all newer."
    )
    with pytest.raises(UnknownOperatorError) as error:
        registry.find("com.other", "Twice", 2)
    assert "nor for any other. Similar operators are com.acme.Twice. Load" in str(error.value)
    with pytest.raises(UnknownOperatorError) as error:
        registry.find("com.other", "Unheard", 2)
    assert str(error.value).endswith(
        "nor for any other. Load the library that defines it (popir.load_op_library, or "
        "--op-library on the command line), or register it by OpCreator."
    )


def test_registering_twice() -> None:
    OpCreator(TwiceOp, [opid()])
    OpxCreator(TwiceOpx, opid())
    with pytest.raises(DuplicateOperatorError) as error:
        OpCreator(OtherOp, [opid()])
    assert str(error.value) == (
        "com.acme.Twice:1 (operator) is registered already (python). To replace it, pass "
        "override=True; to add an operator, choose another name, version or domain."
    )
    with pytest.raises(DuplicateOperatorError, match=r"com\.acme\.Twice:1 \(Opx\) is registered"):
        OpxCreator(OtherOpx, opid())
    OpCreator(OtherOp, [opid()], override=True)
    OpxCreator(OtherOpx, opid(), override=True)
    assert isinstance(create(), OtherOp)
    assert isinstance(registry.createOpx(create(), None), OtherOpx)


def test_a_class_defined_again_replaces_its_older_edition() -> None:
    OpCreator(TwiceOp, opid())
    OpxCreator(TwiceOpx, opid())
    again = type("TwiceOp", (TwiceOp,), {"__module__": __name__, "__qualname__": "TwiceOp"})
    lowering = type("TwiceOpx", (Opx,), {"__module__": __name__, "__qualname__": "TwiceOpx"})
    OpCreator(again, opid())
    OpxCreator(lowering, opid())
    assert type(create()) is again
    assert type(registry.createOpx(create(), None)) is lowering
    local = [type("X", (TwiceOp,), {"__qualname__": "f.<locals>.X"}) for _ in range(2)]
    OpCreator(local[0], opid(2))
    with pytest.raises(DuplicateOperatorError, match="is registered already"):
        OpCreator(local[1], opid(2))


@pytest.mark.parametrize(
    ("register", "words"),
    [
        (
            lambda: OpCreator(TwiceOpx, [opid()]),
            "OpCreator takes a class derived from Op as opClass; given was",
        ),
        (lambda: OpCreator(lambda: 1, [opid()]), "OpCreator takes a class"),
        (
            lambda: OpCreator(TwiceOp, ["a.B"]),
            "object of OperatorIdentifier as definitions; given was ['a.B']",
        ),
        (lambda: OpCreator(TwiceOp, "a.B"), "given was 'a.B'"),
        (lambda: OpxCreator(TwiceOp, opid()), "a class that is derived from popir.Opx, or a func"),
        (lambda: OpxCreator(TwiceOpx, 3), "objects of OperatorIdentifier as opid; given was 3"),
        (
            lambda: OperatorIdentifier("a", "B", "1"),
            "OperatorIdentifier takes an integer as version; given was '1'",
        ),
    ],
)
def test_what_cannot_be_registered(register: Any, words: str) -> None:
    with pytest.raises(popart_exception, match=re.escape(words)):
        register()
    assert registry.registered(opid()) is None


def test_a_lowering_without_its_operator() -> None:
    OpxCreator(TwiceOpx, opid())
    words = "nor for any other; only an Opx is, from Python code. Register the operator by OpCrea"
    with pytest.raises(UnknownOperatorError, match=words):
        registry.find("com.acme", "Twice", 1)


def test_python_replaces_a_built_in_operator_only_on_request() -> None:
    OpCreator(TwiceOp, [opid()], source=registry.BUILT_IN)
    with pytest.raises(DuplicateOperatorError, match="is registered already \\(built in\\)"):
        OpCreator(OtherOp, [opid()])
    OpCreator(OtherOp, [opid()], override=True)
    assert create().source == "python"


def test_library_shadows_a_built_in_operator(caplog: pytest.LogCaptureFixture) -> None:
    OpCreator(TwiceOp, [opid()], source=registry.BUILT_IN)
    OpxCreator(TwiceOpx, opid(), source=registry.BUILT_IN)
    with caplog.at_level(logging.INFO, logger="popir.registry"):
        OpCreator(OtherOp, [opid()], source=LIBRARY)
        OpxCreator(OtherOpx, opid(), source=LIBRARY)
    assert [record.getMessage() for record in caplog.records] == [
        "com.acme.Twice:1 of /lib/libone.so replaces the built-in operator."
    ]
    assert create().source == LIBRARY
    assert isinstance(registry.createOpx(create(), None), OtherOpx)
    built_in = TwiceOp(opid(), Op.Settings(Graph()))
    built_in.source = registry.BUILT_IN
    assert isinstance(registry.createOpx(built_in, None), TwiceOpx)


def test_built_in_opx_does_not_lower_a_librarys_operator() -> None:
    OpCreator(OtherOp, [opid()], source=LIBRARY)
    OpxCreator(TwiceOpx, opid(), source=registry.BUILT_IN)
    with pytest.raises(MissingOpxError) as error:
        registry.createOpx(create(), None)
    assert "is defined by /lib/libone.so, which brings no Opx for com.acme.Twice:1" in str(
        error.value
    )


def test_two_libraries_with_one_identifier() -> None:
    OpCreator(TwiceOp, [opid()], source=LIBRARY)
    OpxCreator(TwiceOpx, opid(), source=LIBRARY)
    with pytest.raises(DuplicateOperatorError) as error:
        OpCreator(OtherOp, [opid()], source="/lib/libtwo.so")
    assert str(error.value) == (
        "com.acme.Twice:1 (operator) of /lib/libtwo.so is refused: /lib/libone.so has registered "
        "this identifier."
    )
    with pytest.raises(DuplicateOperatorError, match=r"\(Opx\) of /lib/libtwo.so is refused"):
        OpxCreator(OtherOpx, opid(), source="/lib/libtwo.so")
    assert isinstance(create(), TwiceOp)


def test_rebuilt_library_replaces_itself() -> None:
    OpCreator(TwiceOp, [opid()], source=LIBRARY)
    OpxCreator(TwiceOpx, opid(), source=LIBRARY)
    OpCreator(OtherOp, [opid()], source=LIBRARY)
    OpxCreator(OtherOpx, opid(), source=LIBRARY)
    assert isinstance(create(), OtherOp)
    assert isinstance(registry.createOpx(create(), None), OtherOpx)


def test_library_and_the_domain_ai_graphcore() -> None:
    ours = opid(domain="ai.graphcore", type="Ours")
    OpCreator(TwiceOp, [ours], source=registry.BUILT_IN)
    OpCreator(OtherOp, [opid(domain="ai.graphcore", type="New")], source=LIBRARY)
    with pytest.raises(DuplicateOperatorError) as error:
        OpCreator(OtherOp, [ours], source=LIBRARY)
    assert str(error.value) == (
        "ai.graphcore.Ours:1 (operator) of /lib/libone.so is refused: the operator is popir's own. "
        "A library may add operators to the domain ai.graphcore, but replace none."
    )


def test_missing_opx() -> None:
    OpCreator(TwiceOp, [opid(1), opid(2)])
    OpxCreator(TwiceOpx, opid(1))
    with pytest.raises(MissingOpxError) as error:
        registry.createOpx(create(opset=2), None)
    assert re.fullmatch(
        r"Op\(0, com\.acme\.Twice:2, name='n'\) cannot be lowered: no Opx is registered for "
        r"com\.acme\.Twice:2\. One is registered for com\.acme\.Twice:1\. "
        r"Register one by OpxCreator\.",
        str(error.value),
    )


def test_scoped_registrations_end() -> None:
    with registry.scoped():
        OpCreator(TwiceOp, [opid()])
        OpxCreator(TwiceOpx, opid())
        assert opid() in [entry.opid for entry in registry.entries()]
    assert registry.versions("com.acme", "Twice") == []
    with pytest.raises(MissingOpxError):
        registry.createOpx(TwiceOp(opid(), Op.Settings(Graph())), None)


def test_sync_is_called_before_looking_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def late() -> None:
        if not registry._state.ops.get(("com.acme", "Late")):
            OpCreator(TwiceOp, [opid(type="Late")], source=LIBRARY)

    monkeypatch.setattr(registry, "sync", [late])
    assert registry.find("com.acme", "Late", 1).source == LIBRARY


# What an operator is given.


def given(inputs: list[str | None], numOutputs: int = 1, **attributes: object) -> Op:
    """Creates Twice with inputs of the element types named, None for one that is left out."""
    graph = Graph()
    tensors = [
        kind and graph.addStream(f"t{i}", TensorInfo(kind, [2])) for i, kind in enumerate(inputs)
    ]
    settings = Op.Settings(graph)
    outputs = [f"y{i}" for i in range(numOutputs)]
    return registry.createOp("com.acme", "Twice", 1, settings, attributes, tensors, outputs)


OPTIONAL = OpDefinition(
    [("a", FLOATS), ("b", FLOATS, "optional"), ("c", [DataType.INT32], "optional")],
    [("y", FLOATS), ("z", FLOATS, "optional")],
)
VARIADIC = OpDefinition([("a", FLOATS), ("rest", [], "variadic")], [("y", [])])


@pytest.mark.parametrize(
    ("definition", "inputs", "numOutputs", "message"),
    [
        (DEFINITION, [], 1, "has invalid number of inputs 0: it takes 1 (x)."),
        (DEFINITION, ["FLOAT"] * 2, 1, "has invalid number of inputs 2: it takes 1 (x)."),
        (DEFINITION, ["FLOAT"], 2, "has invalid number of outputs 2: it takes 1 (y)."),
        (
            DEFINITION,
            ["INT32"],
            1,
            ": input 0 (x) is 't0' of type INT32; the operator takes FLOAT, ",
        ),
        (DEFINITION, [None], 1, ": input 0 (x) is required."),
        (OPTIONAL, ["FLOAT"] * 4, 1, "has invalid number of inputs 4: it takes 1 to 3 (a, b, c)."),
        (
            OPTIONAL,
            ["FLOAT", None, "FLOAT"],
            1,
            ": input 2 (c) is 't2' of type FLOAT; the operator",
        ),
        (OPTIONAL, ["FLOAT"], 0, "has invalid number of outputs 0: it takes 1 to 2 (y, z)."),
        (VARIADIC, ["FLOAT"], 1, "has invalid number of inputs 1: it takes 2 or more (a, rest)."),
    ],
)
def test_inputs_that_do_not_fit(
    definition: OpDefinition, inputs: list[str | None], numOutputs: int, message: str
) -> None:
    OpCreator(TwiceOp, {opid(): definition})
    with pytest.raises(OperatorInputError) as error:
        given(inputs, numOutputs)
    assert str(error.value).startswith(
        f"com.acme.Twice:1{' ' * message.startswith('has')}{message}"
    )


@pytest.mark.parametrize(
    ("definition", "inputs"),
    [
        (OPTIONAL, ["FLOAT"]),
        (OPTIONAL, ["FLOAT", None, "INT32"]),
        (VARIADIC, ["FLOAT", "INT8"]),
        (VARIADIC, ["FLOAT16", "BOOL", "FLOAT", "INT64"]),
    ],
)
def test_inputs_that_fit(definition: OpDefinition, inputs: list[str | None]) -> None:
    OpCreator(TwiceOp, {opid(): definition})
    assert given(inputs).opid == opid()


def test_attributes_that_do_not_fit() -> None:
    definition = OpDefinition([("x", FLOATS)], [("y", FLOATS)], {"factor": r"[1-9]\.\d*"})
    OpCreator(TwiceOp, {opid(): definition})
    with pytest.raises(OperatorAttributeError) as error:
        given(["FLOAT"], fcator=1.0)
    assert str(error.value) == (
        "com.acme.Twice:1: unknown attribute 'fcator' (value 1.0); the operator takes factor. "
        "Did you mean 'factor'?"
    )
    with pytest.raises(OperatorAttributeError) as error:
        given(["FLOAT"], factor=0.5)
    assert str(error.value) == (
        r"com.acme.Twice:1: the attribute 'factor' is 0.5; the operator takes what matches "
        r"'[1-9]\\.\\d*'."
    )
    assert given(["FLOAT"], factor=1.5).attributes == {"factor": 1.5}


def test_definition_of_a_library_only_warns() -> None:
    OpCreator(TwiceOp, {opid(): DEFINITION}, source=LIBRARY)
    with pytest.warns(
        UserWarning, match=r"takes 1 \(x\)\. The definition that /lib/libone\.so gives"
    ):
        op = given(["FLOAT", "FLOAT"])
    assert isinstance(op, TwiceOp)


def test_operator_of_onnx_is_checked_by_its_schema() -> None:
    class AddOp(Op):
        pass

    OpCreator(AddOp, [OperatorIdentifier("", "Add", 7)], override=True)
    graph = Graph()
    a = graph.addStream("a", TensorInfo("FLOAT", [2]))
    b = graph.addStream("b", TensorInfo("INT32", [2]))
    settings = Op.Settings(graph, "sum")
    with pytest.raises(OperatorInputError) as error:
        registry.createOp("", "Add", 11, settings, {}, [a])
    assert str(error.value) == (
        "ai.onnx.Add:7 'sum' has invalid number of inputs 1: it takes 2 (A, B)."
    )
    with pytest.raises(OperatorInputError) as error:
        registry.createOp("", "Add", 11, settings, {}, [a, b])
    assert str(error.value) == (
        "ai.onnx.Add:7 'sum': input 1 (B) is 'b' of type INT32, but input 0 is 'a' of type FLOAT; "
        "the operator takes inputs of one type: incompatible types FLOAT and INT32 (shapes [2] and "
        "[2])"
    )
    with pytest.raises(OperatorAttributeError, match=r"unknown attribute 'axis' .* takes none"):
        registry.createOp("", "Add", 11, settings, {"axis": 1}, [a, a])


def test_wrong_row_of_a_definition() -> None:
    with pytest.raises(popart_exception, match=r"'maybe'.* is not \(name, types\)"):
        OpDefinition([("x", FLOATS, "maybe")])


# Opx.


def test_opx_knows_its_operator() -> None:
    graph = Graph()
    graph.addStream("x", TensorInfo("FLOAT", [2, 3]))
    op = graph.createConnectedOp(TwiceOp, {0: "x"}, {0: "y"}, opid(), Op.Settings(graph, "n"))
    opx = TwiceOpx(op, None)
    assert opx.getOp(TwiceOp) is op
    assert (opx.inShape(0), opx.outId(0), opx.inInfo(0)) == (
        [2, 3],
        "y",
        TensorInfo("FLOAT", [2, 3]),
    )
    assert opx.debugContext("add") == "n/add"
    assert opx.getInputCreatorType(0) is InputCreatorType.Deadend
    opx.verifyOp(TwiceOp, [opid(), opid(2)])
    with pytest.raises(popart_exception, match=r"TwiceOpx lowers OtherOp; given was Op\(0, com"):
        opx.getOp(OtherOp)
    with pytest.raises(popart_exception, match=r"TwiceOpx lowers com\.acme\.Twice:2; given was"):
        opx.verifyOp(TwiceOp, opid(2))
    with pytest.raises(popart_exception, match=r"TwiceOpx has no grow\(\), needed for Op\(0"):
        opx.grow(None)
