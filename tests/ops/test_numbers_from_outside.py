"""Numbers of inputs and attributes that no operator can use: empty where one is needed, not finite,
beyond the type that computes; inputs left out where there are none to leave out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from onnx import ValueInfoProto, helper, numpy_helper

import popir
from popir.errors import PopirError
from tests.models import Array

GRAPHCORE = "ai.graphcore"
F32, I64 = np.float32, np.int64
X = np.zeros([2, 3], F32)
NONE = np.zeros([0], I64)
IMAGE = np.zeros([1, 1, 3, 3], F32)
BODY = helper.make_graph(
    [helper.make_node("Identity", ["a"], ["b"])],
    "body",
    [helper.make_tensor_value_info("a", 1, [1, 2])],
    [helper.make_tensor_value_info("b", 1, [1, 2])],
)


def refused(
    type: str, inputs: list[Array | None], domain: str = "", opset: int = 21, **attributes: Any
) -> str:
    """The error of a session with one operator. Integers of up to one dimension are constants."""
    arrays = {f"x{i}": a for i, a in enumerate(inputs) if a is not None}
    fixed = {n for n, a in arrays.items() if a.dtype.kind == "i" and a.ndim < 2}
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in arrays.items()
        if n not in fixed
    ]
    names = [f"x{i}" if a is not None else "" for i, a in enumerate(inputs)]
    outputs = ["y", "z"] if type == "TopK" else ["y"]
    node = helper.make_node(type, names, outputs, "node", domain=domain, **attributes)
    weights = [numpy_helper.from_array(arrays[n], n) for n in sorted(fixed)]
    graph = helper.make_graph([node], "g", infos, [ValueInfoProto(name="y")], weights)
    imports = [helper.make_opsetid(domain, opset)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()
    flow = popir.DataFlow(1, ["y"])
    with pytest.raises(PopirError) as caught:
        popir.InferenceSession(model, flow, popir.DeviceManager().createCpuDevice()).prepareDevice()
    return str(caught.value)


@pytest.mark.parametrize("given", [NONE, np.zeros([2], I64)], ids=["none", "two"])
@pytest.mark.parametrize(
    ("type", "x", "opset"),
    [("Trilu", X, 14), ("TopK", X, 11), ("CumSum", X, 14), ("CumProd", X, 26)],
)
def test_one_number(type: str, x: Array, opset: int, given: Array) -> None:
    """An input that is one number has one element."""
    words = refused(type, [x, given], opset=opset)
    assert f"input 1 has shape [{len(given)}]; expected is one number." in words


def test_one_number_of_decompositions() -> None:
    """Those that consist of others name the input."""
    words = refused("DFT", [X[..., None], None, NONE], opset=20)
    assert words == "ai.onnx.DFT:20 'node': the axis has shape [0]; expected is one number."
    one = np.array(4, I64)
    words = refused(
        "RelativePositionBias",
        [np.zeros([8, 2], F32), NONE, one],
        "com.microsoft",
        1,
        max_distance=9,
    )
    assert "query_length has shape [0]; expected is one number." in words
    words = refused(
        "RelativePositionBias",
        [np.zeros([8, 2], F32), -one, one],
        "com.microsoft",
        1,
        max_distance=9,
    )
    assert "query_length is -4; expected is a number of at least 0." in words
    many = np.array(1 << 40, I64)
    words = refused(
        "RelativePositionBias",
        [np.zeros([8, 2], F32), many, many],
        "com.microsoft",
        1,
        max_distance=9,
    )
    assert "bytes of memory" in words


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("name", ["increment", "modulus"])
def test_integers_modulo_what_is_none(name: str, value: float) -> None:
    """IncrementMod of integers."""
    given = {"increment": 1.0, "modulus": 3.0, name: value}
    words = refused("IncrementMod", [np.zeros([2, 2], np.int32)], GRAPHCORE, 1, **given)
    assert f"the {name} {value} is no INT32." in words


def test_sizes_beyond_all() -> None:
    """Upsample by a factor whose product is beyond FLOAT."""
    words = refused("Upsample", [IMAGE], opset=7, scales=[1.0, 1.0, 3e38, 1.0])
    assert "an axis of 3 elements would have 2^31 or more, and popir makes less." in words


def test_booleans_between_two() -> None:
    """Resize of truth values, which have none between them."""
    image = np.zeros([1, 1, 3, 3], np.bool_)
    sizes = np.array([1, 1, 4, 4], I64)
    words = refused("Resize", [image, None, None, sizes], opset=19, mode="linear")
    assert "which the mode linear cannot interpolate; give it the mode nearest" in words


def test_ranks_of_several_convolutions() -> None:
    """MultiConv with weights of another rank."""
    words = refused("MultiConv", [IMAGE, np.zeros([1], F32), None], GRAPHCORE, 1)
    assert "the convolution 0 has data [1, 1, 3, 3] and weights [1]" in words


@pytest.mark.parametrize(
    ("type", "domain", "opset", "given", "inputs"),
    [
        ("Loop", "", 21, {"body": BODY}, [np.array(1, I64), None, None]),
        (
            "PackedDataBlock",
            GRAPHCORE,
            1,
            {
                "callback": BODY,
                "maxSequenceLengths": [2],
                "resultSize": 2,
                "callbackBatchSize": 1,
            },
            [X, None, None, None, None],
        ),
        ("Call", GRAPHCORE, 1, {"callee": BODY}, [None]),
        ("Sum", "", 13, {}, [X, None, X]),
    ],
)
def test_nothing_to_leave_out(
    type: str, domain: str, opset: int, given: dict[str, Any], inputs: list[Array | None]
) -> None:
    """An empty name among any number of tensors."""
    assert "is required." in refused(type, inputs, domain, opset, **given)


def test_constants_that_no_host_holds() -> None:
    """A cache of more positions than memory has room for."""
    x = np.zeros([2, 1, 16], F32)
    past = np.zeros([2, 1, 2, 16], F32)
    words = refused(
        "GroupQueryAttention",
        [x, x, x, past, past, np.zeros([2, 1], np.int32), np.array(2**31 - 2, np.int32)],
        "com.microsoft",
        1,
        num_heads=1,
        kv_num_heads=1,
    )
    assert "GroupQueryAttention:1 'node' needs" in words and "bytes of memory" in words


def test_a_body_of_fewer_inputs() -> None:
    """Scan, whose vectors may be given to the body in two ways, if it takes them at all."""
    vector = np.zeros([3], F32)
    words = refused("Scan", [vector, vector], opset=9, body=BODY, num_scan_inputs=2)
    assert "its body has the inputs ['a']; the operator gives it 2." in words


def test_text_of_more_than_all_elements() -> None:
    """PrintTensor with a number beyond 32 bits."""
    words = refused("PrintTensor", [X], GRAPHCORE, 1, edgeItems=2**40)
    assert "each number is 0 to 2^32 - 1" in words


@pytest.mark.parametrize("opset", [-(2**63), -(2**31) - 1, -1])
def test_versions_that_no_domain_has(opset: int) -> None:
    """Opsets below those of every operator, some of which onnx's own look-up cannot take."""
    words = refused("IncrementMod", [X], GRAPHCORE, opset, increment=1.0, modulus=2.0)
    assert str(opset) in words
