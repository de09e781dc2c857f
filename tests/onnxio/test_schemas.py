"""Schemas: ONNX's against onnx.defs, popir's own against the form that they are written in."""

import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.defs
import pytest

from popir.definitions import Formal
from popir.errors import popart_exception
from popir.ir import AttributeKind, AttributeSpec, OperatorIdentifier
from popir.onnxio import schemas
from popir.onnxio.schema_text import parse
from popir.types import DataType

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("opset", [6, 11, 13, schemas.NEWEST_OPSET])
def test_versions_in_force_are_those_of_onnx(opset: int) -> None:
    for schema in schemas.in_force("ai.onnx", opset).values():
        found = onnx.defs.get_schema(schema.opid.type, opset, "")
        if not found.deprecated:
            assert schema.opid.version == found.since_version


@pytest.mark.parametrize(("opset", "count"), [(10, 137), (11, 156)])
def test_operators_of_an_opset(opset: int, count: int) -> None:
    """As many as PopART has methods for the opset."""
    assert len(schemas.in_force("ai.onnx", opset)) == count


def test_schema_of_onnx() -> None:
    schema = schemas.find("", "Conv", 12)
    assert schema is not None
    assert schema is schemas.of(OperatorIdentifier("ai.onnx", "Conv", 11))
    floats = frozenset({DataType.FLOAT, DataType.FLOAT16, DataType.DOUBLE})
    assert [(formal.name, formal.optional, formal.constraint) for formal in schema.inputs] == [
        ("X", False, "T"),
        ("W", False, "T"),
        ("B", True, "T"),
    ]
    assert schema.inputs[0].types == floats
    assert list(schema.attributes) == sorted(schema.attributes)
    assert schema.attributes["group"].default == 1
    assert schema.attributes["auto_pad"].default == "NOTSET"
    assert schema.attributes["pads"].default is None


def test_required_attribute_variadic_and_heterogeneous_inputs() -> None:
    concat = schemas.find("", "Concat", 11)
    assert concat is not None
    assert concat.attributes["axis"].required
    assert concat.inputs[0].variadic
    assert concat.inputs[0].constraint == "T"
    loop = schemas.find("", "Loop", 11)
    assert loop is not None
    assert (loop.inputs[2].variadic, loop.inputs[2].least, loop.inputs[2].constraint) == (
        True,
        0,
        "",
    )


def test_what_has_no_schema() -> None:
    assert schemas.find("", "LeakyRleu", 11) is None
    assert schemas.find("", "Where", 8) is None
    assert schemas.of(OperatorIdentifier("ai.onnx", "Conv", 12)) is None
    assert schemas.versions("com.acme", "Own") == []
    assert schemas.definition(OperatorIdentifier("com.acme", "Own", 1)) is None


def test_operators_that_nobody_knows_are_forgotten() -> None:
    schemas.find("", "Relu", 14)
    tracemalloc.start()
    try:
        for i in range(30_000):  # of 1 kB each
            assert schemas.find(f"ai.onnx.{i:1000}", "Relu", 14) is None
        assert tracemalloc.get_traced_memory()[0] < 12_000_000
    finally:
        tracemalloc.stop()


def test_versions() -> None:
    assert schemas.versions("", "LeakyRelu") == [1, 6, 16]
    assert {"ai.onnx", "ai.onnx.ml", "ai.graphcore"} <= schemas.domains()


def test_every_file_is_a_schema_of_its_name() -> None:
    files = sorted((ROOT / "schemas" / "ai.graphcore").iterdir())
    own = schemas.in_force("ai.graphcore", 1)
    assert [path.stem for path in files] == sorted(schema.opid.type for schema in own.values())
    for schema in own.values():
        assert schema.doc, f"{schema.opid} has no documentation"
        for part in [*schema.inputs, *schema.outputs, *schema.attributes.values()]:
            assert part.doc, f"{schema.opid}: {part.name} has no documentation"


def test_nllloss() -> None:
    schema = schemas.in_force("ai.graphcore", 1)["nllloss"]
    assert schema.opid == OperatorIdentifier("ai.graphcore", "Nll", 1)
    assert [formal.name for formal in schema.inputs] == ["A", "B"]
    assert {name: spec.default for name, spec in schema.attributes.items()} == {
        "reduction": "Mean",
        "ignoreIndex": None,
        "inputIsLogProbability": 0,
    }


TEXT = """Own:3 ownmethod
Does what it does.

More of it.

type   T = FLOAT FLOAT16
type   U = BOOL
input  a: T                what it reads
input  b: INT32?
input  rest: T*            any number
output y: U+
attr   scale: FLOAT = 1.5  the factor
attr   axes: INTS = [0,1]
attr   mode: STRING?
attr   size: INT
"""


def test_text_form() -> None:
    schema = parse(TEXT, "com.acme", "own.txt")
    floats = frozenset({DataType.FLOAT, DataType.FLOAT16})
    of_t: Any = {"apart": "T", "converts": True}
    assert schema.opid == OperatorIdentifier("com.acme", "Own", 3)
    assert schema.method == "ownmethod"
    assert schema.doc == "Does what it does.\n\nMore of it."
    assert schema.inputs == (
        Formal("a", floats, constraint="T", doc="what it reads", **of_t),
        Formal("b", frozenset({DataType.INT32}), optional=True, converts=True),
        Formal(*("rest", floats), variadic=True, least=0, constraint="T", doc="any number", **of_t),
    )
    assert schema.outputs == (
        Formal(
            *("y", frozenset({DataType.BOOL})),
            variadic=True,
            least=1,
            constraint="U",
            apart="U",
            converts=True,
        ),
    )
    assert schema.attributes == {
        "scale": AttributeSpec("scale", AttributeKind.FLOAT, False, 1.5, "the factor"),
        "axes": AttributeSpec("axes", AttributeKind.INTS, False, [0, 1]),
        "mode": AttributeSpec("mode", AttributeKind.STRING),
        "size": AttributeSpec("size", AttributeKind.INT, required=True),
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Own:3 ownmethod", "Own ownmethod", "own.txt, line 1: 'Own ownmethod' is not of the form"),
        (
            "input  b: INT32?",
            "input  b",
            "own.txt, line 9: 'input  b' is not of the form that popir",
        ),
        ("output y: U+", "outptu y: U+", "own.txt, line 11: 'outptu y: U+' is no row."),
        (
            "attr   size: INT",
            "attr   size: HUGE",
            "own.txt, line 15: 'HUGE' is not a kind of attribute",
        ),
        (
            "scale: FLOAT = 1.5",
            "scale: FLOAT = many",
            "own.txt, line 12: the default many of the attribute",
        ),
        (
            "scale: FLOAT = 1.5",
            "scale: INT = 1.5",
            "own.txt, line 12: the default 1.5 of the attribute",
        ),
        (
            "input  a: T  ",
            "input  a: V  ",
            "own.txt, line 8: 'V' is neither declared as a type nor an element",
        ),
        ("type   U = BOOL", "type   U = BOOLE", "own.txt, line 7: 'BOOLE' is not an element type"),
    ],
)
def test_text_that_is_no_schema(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(popart_exception, match=re.escape(message)):
        parse(TEXT.replace(old, new), "com.acme", "own.txt")


@pytest.mark.parametrize(
    ("text", "shown"), [("0.01", 0.01), ("1e-5", 1e-05), ("1.67326324", 1.6732632)]
)
def test_a_default_is_a_32_bit_float_and_is_shown_as_it_is_written(text: str, shown: float) -> None:
    schema = parse(f"Op:1 op\n\nattr a: FLOAT = {text}", "com.acme", "here")
    default = schema.attributes["a"].default
    assert default == np.float32(text).item() != float(text)
    assert schema.attributes["a"].shown_default == shown
    assert np.float32(shown) == np.float32(default)
