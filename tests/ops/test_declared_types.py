"""Element-wise operators take every element type that ONNX declares for them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from onnx import ValueInfoProto, helper

from popir.ops.elementwise.table import ROWS, Row
from popir.types import DataType
from tests.models import Array, run

NAMES = [
    *("bool", "float16", "bfloat16", "float", "double"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
]
TYPES = {f"tensor({name})": DataType[name.upper()] for name in NAMES}
FIRST = 6
"""The first opset that popir reads."""


def declared() -> Iterator[tuple[str, int, DataType]]:
    for row in ROWS:
        for version in row.versions:
            if row.domain != "ai.onnx" or version < FIRST:
                continue
            schema = onnx.defs.get_schema(row.type, version, "")
            data = schema.inputs[0 if row.type == "Pow" else -1].type_str
            types = next(c for c in schema.type_constraints if c.type_param_str == data)
            for name in sorted(set(types.allowed_type_strs) & set(TYPES)):
                yield row.type, version, TYPES[name]


def model(type: str, version: int, types: list[DataType]) -> bytes:
    row: Row = next(r for r in ROWS if (r.type, r.domain) == (type, "ai.onnx"))
    given = {
        "Mod": {"fmod": int(types[0].numpy.kind not in "iu")},
        "BitShift": {"direction": "LEFT"},
    }
    node = helper.make_node(row.type, [f"x{i}" for i in range(len(types))], ["y"])
    for name, value in given.get(type, {}).items():
        node.attribute.append(helper.make_attribute(name, value))
    infos = [helper.make_tensor_value_info(f"x{i}", t.onnx, [4]) for i, t in enumerate(types)]
    graph = helper.make_graph([node], "g", infos, [ValueInfoProto(name="y")])
    imports = [helper.make_opsetid("", version)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()


def result(type: str, version: int, arrays: list[Array]) -> Array:
    given = model(type, version, [DataType.of(a.dtype) for a in arrays])
    return run(given, {f"x{i}": a for i, a in enumerate(arrays)}, ["y"])["y"]


@pytest.mark.parametrize("type", sorted({type for type, _, _ in declared()}))
def test_every_type_that_is_declared_is_taken(type: str) -> None:
    for found, version, kind in declared():
        if found != type:
            continue
        inputs = len(onnx.defs.get_schema(type, version, "").inputs)
        if type == "Pow" and kind is DataType.BFLOAT16 and version == 13:
            continue  # that version leaves it out of the exponent's types
        arrays = [np.ones(4, kind.numpy)] * inputs
        if type == "Where":
            arrays[0] = np.ones(4, np.bool_)
        assert result(type, version, arrays).shape == (4,)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_erf_of_integers_is_cut_off_after_the_point(dtype: str) -> None:
    x = np.array([0, 1, 5, 100], dtype)
    if dtype[0] == "i":
        x[2:] = -x[2:]
    want = [math.trunc(math.erf(n)) for n in x.tolist()]
    found = result("Erf", 9, [x])
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, want)
