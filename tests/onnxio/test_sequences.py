"""Sequences that models make and take apart, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from popir.errors import PopirError
from tests.models import floats, run

X = floats(5, 3, 1)
NUMBERS = {"n1": -1, "n0": 0, "n2": 2, "n9": 9, "sizes": [1, 3, 1]}


def model_of(nodes: list[Any], opset: int) -> onnx.ModelProto:
    arrays = {id: np.array(value, np.int64) for id, value in NUMBERS.items()}
    graph = helper.make_graph(
        [helper.make_node(*given, **more) for *given, more in nodes],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(value, id) for id, value in arrays.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


@pytest.mark.parametrize("opset", [11, 13, 17])
@pytest.mark.parametrize(
    "nodes",
    [
        [("SplitToSequence", ["x", "n2"], ["s"], {}), ("SequenceAt", ["s", "n1"], ["y"], {})],
        [
            ("SplitToSequence", ["x", "sizes"], ["s"], {"axis": -3}),
            ("SequenceAt", ["s", "n1"], ["y"], {}),
        ],
        [
            ("SplitToSequence", ["x"], ["s"], {"axis": 1, "keepdims": 0}),
            ("ConcatFromSequence", ["s"], ["y"], {"axis": 1, "new_axis": 1}),
        ],
        [
            ("Neg", ["x"], ["z"], {}),
            ("SequenceConstruct", ["x", "z", "x"], ["s"], {}),
            ("SequenceErase", ["s", "n0"], ["t"], {}),
            ("SequenceInsert", ["t", "z", "n0"], ["u"], {}),
            ("SequenceInsert", ["u", "z"], ["v"], {}),
            ("SequenceErase", ["v"], ["w"], {}),
            ("ConcatFromSequence", ["w"], ["y"], {"axis": 2}),
        ],
        [
            ("SequenceEmpty", [], ["s"], {}),
            ("SequenceInsert", ["s", "x"], ["t"], {}),
            ("SequenceLength", ["t"], ["y"], {}),
        ],
    ],
)
def test_what_needs_no_sequence(nodes: list[Any], opset: int) -> None:
    model = model_of(nodes, opset)
    other = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (want,) = other.run(None, {"x": X})
    np.testing.assert_array_equal(run(model, {"x": X}, ["y"])["y"], want)


def test_a_sequence_under_another_name() -> None:
    nodes = [
        ("SplitToSequence", ["x", "n2"], ["s"], {}),
        ("Identity", ["s"], ["t"], {}),
        ("SequenceAt", ["t", "n0"], ["y"], {}),
    ]
    np.testing.assert_array_equal(run(model_of(nodes, 17), {"x": X}, ["y"])["y"], X[:2])


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([("SequenceAt", ["x"], ["y"], {})], r"SequenceAt\) has the inputs \['x'\] and outputs"),
        (
            [("SequenceConstruct", ["x"], ["s"], {}), ("SequenceAt", ["s", "n9"], ["y"], {})],
            r"SequenceAt\): the position 9 is outside of 1",
        ),
        ([("SequenceAt", ["x", "n0"], ["y"], {})], r"its input 0, 'x', is no sequence"),
        (
            [
                ("SequenceConstruct", ["x"], ["s"], {}),
                ("ReduceSum", ["x"], ["i"], {}),
                ("SequenceAt", ["s", "i"], ["y"], {}),
            ],
            r"its input 1, 'i', must be integers that are known when",
        ),
        (
            [("SequenceConstruct", ["x"], ["s"], {}), ("Neg", ["s"], ["y"], {})],
            r"Neg\) reads the sequence 's'; a device program knows sequences where",
        ),
        (
            [("SplitToSequence", ["x", "n0"], ["s"], {}), ("SequenceAt", ["s", "n0"], ["y"], {})],
            r"5 elements in parts of 0; popir makes up to",
        ),
        (
            [("SplitToSequence", ["x"], ["s"], {"axis": 7})],
            r"axis 7 is outside of FLOAT",
        ),
    ],
)
def test_what_is_refused(nodes: list[Any], words: str) -> None:
    with pytest.raises(PopirError, match=words):
        run(model_of(nodes, 17), {"x": X}, ["y"])
