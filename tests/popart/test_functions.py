"""Functions, comparisons, reductions, Gemm and recurrent layers by PopART's classes."""

import ctypes
import logging
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator

import popir
from tests.popart.conftest import Library
from tests.popart.graphs import floats, results
from tests.popart.libraries import isolated
from tests.popart.test_operator_classes import Lines


def reference(type: str, inputs: list[np.ndarray], **attributes: Any) -> list[Any]:
    """What onnx.reference computes with one node."""
    names = [f"in{i}" for i in range(len(inputs))]
    outs = ["out"]
    node = onnx.helper.make_node(type, names, outs, **attributes)
    kinds = [onnx.helper.np_dtype_to_tensor_dtype(x.dtype) for x in inputs]
    graph = onnx.helper.make_graph(
        [node],
        "g",
        [onnx.helper.make_tensor_value_info(n, k, None) for n, k in zip(names, kinds, strict=True)],
        [onnx.helper.make_tensor_value_info(n, 0, None) for n in outs],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 11)])
    found = ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))
    assert isinstance(found, list)
    return found


def check_made(library: str) -> None:
    ctypes.CDLL(library)
    x, b = floats(3, 4, 5), floats(4, 5)
    b[1] = x[0, 1]
    small, positive = np.clip(x, -0.9, 0.9), np.abs(x) + 0.5
    a, m, c = floats(6, 3), floats(6, 5), floats(5)
    steps = floats(7, 2, 3)
    gates, bias3 = (floats(1, 12, 3), floats(1, 12, 4)), floats(1, 24)
    sequence = torch.tensor(steps)
    lstm = torch.nn.LSTM(3, 4)
    order = [0, 2, 3, 1]  # torch's input, forget, candidate, output in ONNX's order i, o, f, c

    def of_onnx(t: np.ndarray) -> torch.Tensor:
        return torch.tensor(t.reshape(4, 4, -1)[order].reshape(16, -1))

    w16, r16, b32 = floats(1, 16, 3), floats(1, 16, 4), floats(1, 32)
    with torch.no_grad():
        lstm.get_parameter("weight_ih_l0").copy_(of_onnx(w16[0]))
        lstm.get_parameter("weight_hh_l0").copy_(of_onnx(r16[0]))
        lstm.get_parameter("bias_ih_l0").copy_(of_onnx(b32[0, :16]).reshape(-1))
        lstm.get_parameter("bias_hh_l0").copy_(of_onnx(b32[0, 16:]).reshape(-1))
        states = lstm(sequence)[0].numpy().reshape(7, 1, 2, 4)
        # PopART has forget, input, candidate, output, and weights [inputs + hidden, hidden].
        joined = np.concatenate([w16[0], r16[0]], 1).reshape(4, 4, 7)[[2, 0, 3, 1]]
        joined = joined.transpose(0, 2, 1).copy()
        biases = (b32[0, :16] + b32[0, 16:]).reshape(4, 4)[[2, 0, 3, 1]]
    tanh_free = torch.nn.RNN(3, 4, nonlinearity="relu")
    w4, r4, b8 = floats(1, 4, 3), floats(1, 4, 4), floats(1, 8)
    with torch.no_grad():
        tanh_free.get_parameter("weight_ih_l0").copy_(torch.tensor(w4[0]))
        tanh_free.get_parameter("weight_hh_l0").copy_(torch.tensor(r4[0]))
        tanh_free.get_parameter("bias_ih_l0").copy_(torch.tensor(b8[0, :4]))
        tanh_free.get_parameter("bias_hh_l0").copy_(torch.tensor(b8[0, 4:]))
        plain = tanh_free(sequence)[0].numpy().reshape(7, 1, 2, 4)
    cell = torch.nn.GRU(3, 4)
    swap = [1, 0, 2]  # torch's reset, update, candidate of ONNX's update, reset, candidate

    def of_gru(t: np.ndarray) -> torch.Tensor:
        return torch.tensor(t.reshape(3, 4, -1)[swap].reshape(12, -1))

    with torch.no_grad():
        cell.get_parameter("weight_ih_l0").copy_(of_gru(gates[0][0]))
        cell.get_parameter("weight_hh_l0").copy_(of_gru(gates[1][0]))
        cell.get_parameter("bias_ih_l0").copy_(of_gru(bias3[0, :12]).reshape(-1))
        cell.get_parameter("bias_hh_l0").copy_(of_gru(bias3[0, 12:]).reshape(-1))
        gated = cell(sequence)[0].numpy().reshape(7, 1, 2, 4)
    cases = {
        "sum": ([x], x.sum((0, 2), keepdims=True)),
        "mean": ([x], x.mean(1)),
        "max": ([x], np.asarray(x.max())),
        "l2 set": ([x], np.sqrt(np.square(x).sum(2, keepdims=True))),
        "equal": ([x, b], x == b),
        "less": ([x, b], x < b),
        "greater": ([x, b], x > b),
        "pow": ([positive, b], positive**b),
        "fmod": ([x, positive], np.fmod(x, positive)),
        "atan2": ([x, b], np.arctan2(x, b)),
        "largest": ([x, b, small], np.maximum(np.maximum(x, b), small)),
        "asin": ([small], np.arcsin(small)),
        "swish": ([x], torch.nn.functional.silu(torch.tensor(x)).numpy()),
        "elu": ([x], torch.nn.functional.elu(torch.tensor(x), 0.5).numpy()),
        "leaky": ([x], torch.nn.functional.leaky_relu(torch.tensor(x), 0.25).numpy()),
        "hard": ([x], np.clip(0.25 * x + 0.375, 0, 1)),
        "shrink": ([x], reference("Shrink", [x], lambd=0.25, bias=0.125)[0]),
        "lrn": (
            [x],
            torch.nn.functional.local_response_norm(torch.tensor(x), 3, 0.5, 0.75, 2.0).numpy(),
        ),
        "increment": ([x], np.fmod(x + np.float32(0.25), np.float32(0.5))),
        "gemm": ([a, m, c], 0.5 * a.T @ m + 2 * c),
        "rnn": ([steps, w4, r4, b8], plain),
        "gru": ([steps, *gates, bias3], gated),
        "lstm": ([steps, w16, r16, b32], states),
        "popart lstm": ([steps, joined, biases], states[-1, 0]),
    }
    for kind, (inputs, expected) in cases.items():
        given = {f"in{i}": value for i, value in enumerate(inputs)}
        y, _, _ = results("Made", given, kind=kind, shape=list(expected.shape))
        np.testing.assert_allclose(y, expected, rtol=2e-5, atol=2e-6, err_msg=kind)
        assert y.dtype == expected.dtype, kind


def test_operators_that_a_pattern_makes(library: Library, tmp_path: Path) -> None:
    isolated(check_made, library("functions"), cwd=tmp_path)


def check_seen(library: str) -> None:
    ctypes.CDLL(library)
    lines = Lines()
    logger = logging.getLogger("popir.pattern")
    logger.setLevel(logging.INFO)
    logger.addHandler(lines)
    builder = popir.Builder(opsets={"ai.onnx": 13})
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [7, 2, 3]), "x")
    axes = builder.aiOnnx.constant(np.array([-1], "int64"))
    total = builder.aiOnnx.reducesum([x, axes], keepdims=0)
    mean = builder.aiOnnx.reducemean([builder.aiOnnx.leakyrelu([x], 0.125)], axes=[0, -2])
    w, r = builder.aiOnnx.constant(floats(1, 16, 3)), builder.aiOnnx.constant(floats(1, 16, 4))
    state = builder.aiOnnx.lstm([x, w, r], 3)[1]
    gemm = builder.aiOnnx.gemm([total, total], alpha=0.5, transB=1)
    less = builder.aiOnnx.logical_and([builder.aiOnnx.less([total, total])] * 2)
    for out in (mean, state, gemm, less):
        builder.addOutputTensor(out)
    made = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [mean, state, gemm, less]),
        popir.DeviceManager().createCpuDevice(),
    )
    made.prepareDevice()
    for line in (
        "ReduceSum over [2] keeps false back [7, 2, 1]",
        "ReduceMean over [0, 1] keeps true back [1, 1, 3]",
        "leaky 0.125",
        "lstm of 7 steps, 3 inputs, 4 hidden, false",
        "gemm 0.5 1 false true",
        "less",
        "and",
    ):
        assert line in lines.lines, (line, lines.lines)


def test_built_in_operators_by_class(library: Library, tmp_path: Path) -> None:
    isolated(check_seen, library("functions"), cwd=tmp_path)


def check_derived(library: str) -> None:
    ctypes.CDLL(library)
    x = floats(3, 4, 5)
    y, gradients, weights = results("Total", {"x": x}, "x", axes=[2, 0])
    np.testing.assert_allclose(y, x.sum((0, 2)), rtol=1e-5)
    expected = np.broadcast_to(weights[None, :, None], x.shape)
    np.testing.assert_allclose(gradients["x"], expected, rtol=1e-6)
    with pytest.raises(popir.popart_exception, match=r"axis 3 given, and the input is \[3, 4, 5\]"):
        results("Total", {"x": x}, axes=[3])


def check_gradients(library: str) -> None:
    """PopART's own gradients of two reductions, one of which reads what was reduced."""
    ctypes.CDLL(library)
    x = floats(3, 4, 5)
    for keeps in (0, 1):
        y, gradients, weights = results("Average", {"x": x}, "x", axes=[2, 0], keepdims=keeps)
        np.testing.assert_allclose(y, x.mean((0, 2), keepdims=bool(keeps)), rtol=1e-5)
        spread = np.broadcast_to(weights.reshape(1, 4, 1), x.shape)
        np.testing.assert_allclose(gradients["x"], spread / 15, rtol=1e-6)
        y, gradients, weights = results("Squares", {"x": x}, "x", axes=[2, 0], keepdims=keeps)
        np.testing.assert_allclose(y, (x * x).sum((0, 2), keepdims=bool(keeps)), rtol=1e-5)
        spread = np.broadcast_to(weights.reshape(1, 4, 1), x.shape)
        np.testing.assert_allclose(gradients["x"], 2 * x * spread, rtol=1e-6)


def test_gradients_of_popart(library: Library, tmp_path: Path) -> None:
    isolated(check_gradients, library("functions"), cwd=tmp_path)


def test_a_class_that_derives_from_a_reduction(library: Library, tmp_path: Path) -> None:
    isolated(check_derived, library("functions"), cwd=tmp_path)
