"""Products with constant matrices of few bits: DequantizeLinear in blocks and MatMulNBits, against
onnxruntime.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir

RNG = np.random.default_rng(4)
KINDS = ("INT4", "UINT4", "INT8", "UINT8", "INT2", "UINT2")


def constant(kind: str, shape: tuple[int, ...], name: str) -> onnx.TensorProto:
    bits = int(kind[-1])
    low = 0 if kind.startswith("U") else -(1 << bits - 1)
    values = RNG.integers(low, low + (1 << bits), shape)
    return helper.make_tensor(
        name, TensorProto.DataType.Value(kind), shape, values.ravel().tolist()
    )


def dequantized(
    kind: str, sizes: tuple[int, int, int, int], how: str, zeros: bool, type: Any = np.float32
) -> onnx.ModelProto:
    """x [m, k] times DequantizeLinear of a constant; `how` is the product's name."""
    m, k, n, block = sizes
    axis = int(how != "MatMul")
    shape, blocks = (k, n), (-(-k // block), n)
    if axis:
        shape, blocks = shape[::-1], blocks[::-1]
    scales = RNG.uniform(0.01, 0.02, blocks).astype(type)
    names = ["w", "s", "z"] if zeros else ["w", "s"]
    weights = [constant(kind, shape, "w"), numpy_helper.from_array(scales, "s")]
    nodes = [helper.make_node("DequantizeLinear", names, ["d"], axis=axis, block_size=block)]
    if how == "Gemm":
        nodes.append(helper.make_node("Gemm", ["x", "d"], ["y"], transB=1))
    elif how == "Gather":
        nodes.append(helper.make_node("Gather", ["d", "x"], ["y"]))
    else:
        if axis:
            nodes.append(helper.make_node("Transpose", ["d"], ["t"]))
        nodes.append(helper.make_node("MatMul", ["x", "t" if axis else "d"], ["y"]))
    float = helper.np_dtype_to_tensor_dtype(np.dtype(type))
    given = (TensorProto.INT64, [m]) if how == "Gather" else (float, [m, k])
    graph = helper.make_graph(
        nodes,
        "bits",
        [helper.make_tensor_value_info("x", *given)],
        [helper.make_tensor_value_info("y", float, None)],
        [*weights, *([constant(kind, blocks, "z")] if zeros else [])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13)


def run(model: onnx.ModelProto, x: Any) -> tuple[np.ndarray, str]:
    """What popir computes, and the engine's plan."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    model.graph.output[0].ClearField("type")
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(model.SerializeToString(), popir.DataFlow(1, ["y"]), device)
    session.prepareDevice()
    arrays = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, arrays))
    return arrays["y"], session.planText()


def test_halves() -> None:
    model = dequantized("INT4", (5, 64, 40, 32), "MatMul", zeros=True, type=np.float16)
    x = RNG.standard_normal((5, 64)).astype(np.float16)
    options = ort.SessionOptions()  # Optimized, it rounds x to bytes on some machines.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options)
    want = np.asarray(session.run(None, {"x": x})[0])
    found, plan = run(model, x)
    assert found.dtype == np.float16 and "bitsProduct" in plan
    np.testing.assert_allclose(found, want, rtol=2e-3, atol=2e-3 * np.abs(want).max())


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("how", ["MatMul", "Gemm", "Transpose", "Gather"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_constant_in_blocks(kind: str, how: str, zeros: bool) -> None:
    for sizes in ((1, 64, 96, 32), (3, 70, 33, 16), (20, 256, 100, 128), (3, 64, 0, 32)):
        if how == "Gather" and not sizes[2]:
            continue  # There is nothing to gather.
        model = dequantized(kind, sizes, how, zeros)
        x: Any = RNG.standard_normal(sizes[:2]).astype(np.float32)
        if how == "Gather":
            x = RNG.integers(0, sizes[2], sizes[0])
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = ort.InferenceSession(model.SerializeToString(), options)
        want = np.asarray(session.run(None, {"x": x})[0])
        found, plan = run(model, x)
        assert found.shape == want.shape
        np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-5 * np.abs(want).max(initial=0))
        assert ("bitsProduct" in plan) == (how != "Gather" and sizes[2] > 0)


def test_the_products_of_a_matrix_with_itself() -> None:
    model = dequantized("INT4", (40, 40, 40, 16), "Transpose", zeros=True)
    (product,) = (node for node in model.graph.node if node.op_type == "MatMul")
    product.input[0] = "d"
    session = ort.InferenceSession(model.SerializeToString())
    x = np.zeros((40, 40), np.float32)
    want = np.asarray(session.run(None, {"x": x})[0])
    found, _ = run(model, x)
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())
