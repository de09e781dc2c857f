"""Schemas that libraries register: onnx.checker and onnx.shape_inference know their operators."""

import ctypes
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, checker, helper, shape_inference

import popir
from popir.onnxio import schemas
from tests.popart.graphs import refusal
from tests.popart.libraries import isolated

OPSETS = [helper.make_opsetid("test.onnx", 1), helper.make_opsetid("", 17)]


def model(shape: Any, *inputs: str, dims: Any = None, **attributes: Any) -> onnx.ModelProto:
    node = helper.make_node("Stack", ["x", *inputs], ["y"], "n", domain="test.onnx", **attributes)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, dims or ["a", "b", "c"])
    last = helper.make_tensor("last", TensorProto.INT64, [1], [9])
    graph = helper.make_graph([node], "g", [x], [y], initializer=[last] if inputs else [])
    return helper.make_model(graph, opset_imports=OPSETS)


def inferred(of: onnx.ModelProto) -> list[Any]:
    known = shape_inference.infer_shapes(of, strict_mode=True, data_prop=True)
    return [d.dim_value or d.dim_param for d in known.graph.output[0].type.tensor_type.shape.dim]


def check(library: str) -> None:
    assert not onnx.defs.has("Stack", "test.onnx")
    ctypes.CDLL(library)
    schema = onnx.defs.get_schema("Stack", 1, "test.onnx")
    assert schema.doc == "The input several times."
    assert [(p.name, p.type_str, p.option.name) for p in schema.inputs] == [
        ("x", "T", "Single"),
        ("last", "tensor(int64)", "Optional"),
    ]
    attributes = schema.attributes
    assert list(attributes["weights"].default_value.floats) == [1.0, 0.5]
    assert not attributes["label"].required
    assert [(c.type_param_str, len(c.allowed_type_strs)) for c in schema.type_constraints] == [
        ("T", 3)
    ]
    assert onnx.defs.has("Once", "test.onnx")

    good = model([2, "n"], times=3, label="l")
    checker.check_model(good, full_check=True)
    assert inferred(good) == [3, 2, "c"]  # a name that the model gives stays
    assert inferred(model([2, 5])) == [2, 2, 5]
    assert inferred(model([2, 5], "last", dims=list("abcd"))) == [2, 2, 5, 9]

    unknown = refusal(checker.ValidationError, checker.check_model, model([2, "n"], unknown=1))
    assert "Unrecognized attribute: unknown for operator Stack" in unknown
    for words, bad in {
        "times is 0, expected 1 or more": model([2, 3], times=0),
        "Input 0 has rank 1, expected 2": model([2]),
    }.items():
        with pytest.raises(shape_inference.InferenceError) as caught:
            inferred(bad)
        assert words in str(caught.value)
        place = f"(test.onnx.Stack:1, in the schema's inference function() of '{library}')"
        assert place in str(caught.value)

    # What the library did wrong is said once; popir's own look-up of schemas is as before.
    said = refusal(popir.DuplicateOperatorError, popir.registry.find, "test.onnx", "Stack", 1)
    assert f"The library '{library}' registers the schema of test.onnx.Stack:1 twice" in said
    assert f"The schema of test.onnx.Odd:1, of the library '{library}', is refused: " in said
    assert popir.registry.find("test.onnx", "Stack", 1).source == library
    assert "test.onnx" not in schemas.domains()
    ctypes.CDLL(library)


def test_onnx_knows_the_operators(library, tmp_path: Path) -> None:
    isolated(check, library("schema"), cwd=tmp_path)
