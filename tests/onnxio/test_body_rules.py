"""Arguments of operators that ONNX defines by functions, which would compute something of many."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import helper

import popir
from popir.backend import prepare
from popir.errors import OperatorAttributeError, OperatorInputError
from tests.models import Array, floats

QKV = {"Q": (2, 4, 3, 8), "K": (2, 2, 5, 8), "V": (2, 2, 5, 6)}
ROTARY = {"X": (2, 3, 4, 8), "cos_cache": (10, 4), "sin_cache": (10, 4), "position_ids": (2, 4)}
RMS = {"X": (2, 3, 4), "scale": (4,)}
AS = ", as [batch, heads, positions, size]; expected"


def ran(type: str, shapes: dict[str, tuple[int, ...]], **attributes: Any) -> Array:
    """The first output, which is onnxruntime's."""
    given = {
        name: np.zeros(shape, np.int64) if name == "position_ids" else floats(*shape)
        for name, shape in shapes.items()
    }
    kinds = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in given.items()}
    order = (
        ["Q", "K", "V", "attn_mask", "past_key", "past_value"] if type == "Attention" else shapes
    )
    names = [name if name in shapes else "" for name in order]
    while not names[-1]:
        names.pop()
    outputs = ["y", "k", "v"] if "past_key" in shapes else ["y"]
    graph = helper.make_graph(
        [helper.make_node(type, names, outputs, "it", **attributes)],
        "g",
        [helper.make_tensor_value_info(name, kinds[name], a.shape) for name, a in given.items()],
        [helper.make_tensor_value_info("y", kinds[names[0]], None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    (found,) = prepare(model).run(given)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    np.testing.assert_allclose(found, session.run(None, given)[0], 1e-4, 1e-5)
    return found


@pytest.mark.parametrize(
    ("type", "shapes", "attributes"),
    [
        ("Attention", QKV, {}),
        ("Attention", {"Q": (2, 3, 32), "K": (2, 5, 16), "V": (2, 5, 12)},
         {"q_num_heads": 4, "kv_num_heads": 2}),
        ("Attention", {**QKV, "past_key": (2, 2, 7, 8), "past_value": (2, 2, 7, 6)}, {}),
        ("RotaryEmbedding", ROTARY, {}),
        ("RotaryEmbedding", {**ROTARY, "X": (2, 4, 24)}, {"num_heads": 3}),
        ("RotaryEmbedding", {"X": (2, 3, 4, 8), "cos_cache": (2, 4, 4), "sin_cache": (2, 4, 4)},
         {"interleaved": 1}),
        ("RMSNormalization", {"X": (2, 3, 4), "scale": (3, 4)}, {"axis": 1}),
    ],
)  # fmt: skip
def test_what_is_right(type: str, shapes: dict[str, Any], attributes: dict[str, Any]) -> None:
    assert ran(type, shapes, **attributes).size


@pytest.mark.parametrize(
    ("type", "shapes", "attributes", "message"),
    [
        ("Attention", {**QKV, "K": (1, 2, 2, 5, 8)}, {},
         "K is [1, 2, 2, 5, 8], and Q [2, 4, 3, 8]; expected are as many dimensions"),
        ("Attention", {**QKV, "K": (2, 2, 5, 1)}, {},
         f"Q is [2, 4, 3, 8] and K [2, 2, 5, 1]{AS} is the same size of a head"),
        ("Attention", {**QKV, "V": (2, 1, 5, 6)}, {},
         f"K is [2, 2, 5, 8] and V [2, 1, 5, 6]{AS} are the same heads and positions"),
        ("Attention", {**QKV, "V": (2, 2, 1, 6)}, {},
         f"K is [2, 2, 5, 8] and V [2, 2, 1, 6]{AS} are the same heads and positions"),
        ("Attention", {**QKV, "Q": (1, 4, 3, 8)}, {},
         f"Q is [1, 4, 3, 8], K [2, 2, 5, 8] and V [2, 2, 5, 6]{AS} is one batch"),
        ("Attention", {**QKV, "Q": (2, 3, 3, 8)}, {},
         "Q has 3 heads, and K 2; expected is a multiple"),
        ("Attention", {name: shape[1:] for name, shape in QKV.items()}, {},
         "Q is [4, 3, 8] and q_num_heads not given; expected is a number of heads that divides 8"),
        ("Attention", {name: shape[2:] for name, shape in QKV.items()}, {},
         "Q is [3, 8]; expected is [batch, heads, positions, size], or [batch, positions, heads * "
         "size] with q_num_heads"),
        ("Attention", {**QKV, "past_key": (2, 2, 7, 8), "past_value": (2, 2, 6, 6)}, {},
         "past_value is [2, 2, 6, 6]; expected is [2, 2, 7, 6]"),
        ("Attention", QKV, {"is_causal": 7}, "is_causal is 7; expected is 0 or 1"),
        ("Attention", QKV, {"qk_matmul_output_mode": 9},
         "qk_matmul_output_mode is 9; expected is 0, 1, 2 or 3"),
        ("RotaryEmbedding", {**ROTARY, "cos_cache": (10, 5)}, {},
         "cos_cache is [10, 5]; expected is [10, 4]"),
        ("RotaryEmbedding", {**ROTARY, "sin_cache": (10, 1)}, {},
         "sin_cache is [10, 1]; expected is [10, 4]"),
        ("RotaryEmbedding", {**ROTARY, "cos_cache": (0, 4)}, {},
         "cos_cache is [0, 4]; expected is ['positions', 4]"),
        ("RotaryEmbedding", {**ROTARY, "position_ids": (2, 3)}, {},
         "position_ids is [2, 3]; expected is [2, 4]"),
        ("RotaryEmbedding", ROTARY, {"rotary_embedding_dim": 10},
         "rotary_embedding_dim is 10; expected is an even number up to 8, the size of a head"),
        ("RotaryEmbedding", ROTARY, {"rotary_embedding_dim": 6},
         "cos_cache is [10, 4]; expected is [10, 3]"),
        ("RMSNormalization", RMS, {"axis": 5}, "axis is 5; X has 3 dimensions, [2, 3, 4]"),
        ("RMSNormalization", {**RMS, "scale": (3,)}, {},
         "scale is [3], which does not broadcast to X, [2, 3, 4]"),
    ],
)  # fmt: skip
def test_what_is_wrong(
    type: str, shapes: dict[str, Any], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(OperatorInputError) as error:
        ran(type, shapes, **attributes)
    assert str(error.value) == f"Node 'it' (ai.onnx.{type}): {message}."


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"scale": "text"}, "the attribute 'scale' is a float; given was 'text' (str)."),
        ({"is_causal": "text"}, "the attribute 'is_causal' is an integer; given was 'text' (str)."),
        ({"nonsense": 3}, "unknown attribute 'nonsense' (value 3); the operator takes is_causal, "
         "kv_num_heads, q_num_heads, qk_matmul_output_mode, scale, softcap, softmax_precision."),
    ],
)  # fmt: skip
def test_wrong_attributes(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(OperatorAttributeError) as error:
        ran("Attention", QKV, **attributes)
    assert str(error.value) == f"Node 'it' (ai.onnx.Attention): {message}"


def test_what_the_function_refuses_is_told_of_the_operator() -> None:
    with pytest.raises(OperatorInputError) as error:
        ran("Attention", {**QKV, "attn_mask": (7, 7)})
    assert str(error.value).startswith(
        "Node 'it' (ai.onnx.Attention): in the function that ONNX defines it by: "
    )


@pytest.mark.parametrize("opset", [23, 24])
def test_gradients_where_a_query_sees_no_key(opset: int) -> None:
    """As in a batch with padding on the left, whose mask is causal."""
    body = "y = Attention(x, x, x, m) loss = ReduceSum<keepdims = 0>(y)"
    text = f"g (float[1,1,3,2] x, bool[3,3] m) => (float loss) {{ {body} }}"
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {opset}]> {text}')
    x, seen = floats(1, 1, 3, 2), np.array([[1, 0, 0], [0, 0, 0], [1, 1, 0]], bool)
    session = popir.TrainingSession(
        model,
        popir.DataFlow(1, ["loss", "Gradient___x"]),
        "loss",
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    found = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x, "m": seen}, found))
    t = torch.tensor(x, requires_grad=True)
    attention = torch.nn.functional.scaled_dot_product_attention
    expected = attention(t, t, t, attn_mask=torch.tensor(seen)).sum()
    expected.backward()
    np.testing.assert_allclose(found["loss"], expected.item(), 1e-5)
    assert t.grad is not None
    np.testing.assert_allclose(found["Gradient___x"], t.grad.numpy(), 1e-5, 1e-6)
