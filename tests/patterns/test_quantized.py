"""Models in the QDQ form compute integers, by three patterns, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

import popir

Array = np.ndarray[Any, Any]
NAMES = ("QuantizedProducts", "QuantizedScales", "QuantizedMoves")
S, U = np.int8, np.uint8


class Graph:
    """A model of ONNX that is written node by node."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.values: list[onnx.TensorProto] = []

    def const(self, value: Any) -> str:
        name = f"c{len(self.values)}"
        self.values.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [*inputs], [name], **attributes))
        return name

    def quantized(self, x: str, scale: float, zero: Any) -> str:
        given = self.const(np.float32(scale)), self.const(zero)
        return self.add("DequantizeLinear", self.add("QuantizeLinear", x, *given), *given)

    def weights(self, shape: Any, kind: Any, axis: int | None, zero: bool = False) -> str:
        rng = np.random.default_rng(len(self.values))
        limits = np.iinfo(kind)
        count = () if axis is None else shape[axis]
        scales = rng.uniform(0.005, 0.02, count).astype("f")
        points = (rng.integers(-9, 9, count) if zero else np.zeros(count)).astype(np.int64)
        points = (points + (128 if kind is U else 0)).astype(kind)
        values = rng.integers(limits.min, limits.max + 1, shape).astype(kind)
        given = self.const(values), self.const(scales), self.const(points)
        return self.add("DequantizeLinear", *given, axis=1 if axis is None else axis)

    def model(self, result: str, shape: Any) -> bytes:
        ends = [
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, given)]
            for name, given in (("x", shape), (result, None))
        ]
        graph = helper.make_graph(self.nodes, "quantized", *ends, initializer=self.values)
        opsets = [helper.make_opsetid("", 17)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return made.SerializeToString()


def run(model: bytes, x: Array, used: bool, **options: str) -> tuple[Array, popir.InferenceSession]:
    """The result with the patterns, or without."""
    (result,) = [t.name for t in onnx.load_from_string(model).graph.output]
    patterns = popir.Patterns()
    for name in NAMES:
        patterns.enablePattern(name, used)
    user = popir.SessionOptions()
    user.engineOptions = {"host.numThreads": "2", **options}
    session = popir.InferenceSession(
        model,
        popir.DataFlow(1, [result]),
        popir.DeviceManager().createCpuDevice(),
        patterns=patterns,
        userOptions=user,
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    return anchors[result], session


def outcome(session: popir.InferenceSession, name: str) -> list[str | None]:
    return [each.reason for each in session.decisions if each.what == name]


def expected(model: bytes, x: Array) -> Array:
    """What onnxruntime computes of the nodes one by one, in floats."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"x": x})
    assert isinstance(found, np.ndarray)
    return found


def check(model: bytes, x: Array, quantum: float, *, last: str, integers: str) -> None:
    """The result is onnxruntime's, but for the next number at few places, with and without the
    patterns; all that is quantized is fused with the sums.
    """
    wanted = expected(model, x)
    found, session = run(model, x, True)
    assert outcome(session, NAMES[0]) == [None] and outcome(session, NAMES[1]) == [None]
    assert f"{integers}+requantize" in session.planText()
    assert any(op.opid.type.startswith(last) for op in session.graph.ops.values())
    apart, session = run(model, x, False)
    assert "requantize" not in session.planText()
    for each in (found, apart):
        steps = np.rint((each - wanted) / quantum)
        assert abs(steps).max() <= 1 and (steps != 0).mean() < 2e-3
    assert len(np.unique(wanted)) > 20


@pytest.mark.parametrize("rectified", [False, True])
@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("kinds", [(U, S), (S, S), (U, U), (S, U)])
@pytest.mark.parametrize(
    ("shape", "filters", "group", "more"),
    [
        ([2, 8, 9, 7], [16, 8, 3, 3], 1, {"pads": [1, 1, 1, 1]}),
        ([1, 6, 9, 7], [10, 6, 3, 2], 1, {"strides": [2, 1], "dilations": [1, 2]}),
        ([1, 8, 12], [16, 8, 3], 1, {}),
        ([1, 16, 9, 9], [32, 8, 1, 1], 2, {"strides": [2, 2]}),
        ([2, 12, 9, 8], [12, 1, 3, 3], 12, {"pads": [1, 1, 1, 1]}),
        ([1, 40, 11, 9], [40, 1, 5, 3], 40, {"pads": [2, 0, 1, 1], "strides": [2, 2]}),
        ([1, 5, 8, 8], [5, 1, 3, 3], 5, {"dilations": [2, 2]}),
    ],
)
def test_convolutions(
    shape: Any, filters: Any, group: int, more: Any, kinds: Any, axis: int | None, rectified: bool
) -> None:
    graph, (data, weights) = Graph(), kinds
    x = graph.quantized("x", 0.02, data(7))
    w = graph.weights(filters, weights, axis, zero=weights is U or rectified)
    rng = np.random.default_rng(4)
    y = graph.add(
        "Conv", x, w, graph.const(rng.normal(0, 0.3, filters[0]).astype("f")), group=group, **more
    )
    y = graph.add("Relu", y) if rectified else y
    model = graph.model(graph.quantized(y, 0.07, S(-3)), shape)
    x_value = rng.normal(0, 0.9, shape).astype("f")
    last = "Relu" if rectified else "Add"
    check(model, x_value, 0.07, last=last, integers="integerConv")


@pytest.mark.parametrize("bias", [None, (), (24,), (1, 24), (6, 1)])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kinds", [(U, S), (S, S), (S, U)])
def test_gemm(kinds: Any, turned: bool, bias: Any) -> None:
    graph, (data, weights) = Graph(), kinds
    x = graph.quantized("x", 0.02, data(5))
    w = graph.weights([24, 40] if turned else [40, 24], weights, 0 if turned else 1)
    inputs = [x, w]
    rng = np.random.default_rng(4)
    if bias is not None:
        inputs.append(graph.const(rng.normal(0, 1, bias).astype("f")))
    y = graph.add("Gemm", *inputs, transB=int(turned), alpha=0.5, beta=0.25)
    model = graph.model(graph.quantized(y, 0.05, U(120)), [6, 40])
    x_value = rng.normal(0, 1, [6, 40]).astype("f")
    wanted = expected(model, x_value)
    found, session = run(model, x_value, True)
    assert outcome(session, NAMES[0]) == [None] and "integerProduct" in session.planText()
    steps = np.rint((found - wanted) / 0.05)
    assert abs(steps).max() <= 1 and (steps != 0).mean() < 0.02


@pytest.mark.parametrize(
    ("shape", "of_b"), [([2, 5, 40], [40, 24]), ([3, 40], [40, 24]), ([2, 3, 5, 40], [40, 17])]
)
@pytest.mark.parametrize("axis", [None, 1])
def test_matrix_products(shape: Any, of_b: Any, axis: int | None) -> None:
    graph = Graph()
    y = graph.add("MatMul", graph.quantized("x", 0.02, U(128)), graph.weights(of_b, S, axis))
    y = graph.add("Add", y, graph.const(np.linspace(-1, 1, of_b[1], dtype="f")))
    model = graph.model(graph.quantized(y, 0.05, U(120)), shape)
    x = np.random.default_rng(4).normal(0, 1, shape).astype("f")
    wanted = expected(model, x)
    found, session = run(model, x, True)
    assert (
        outcome(session, NAMES[0]) == [None] and "integerProduct+requantize" in session.planText()
    )
    assert abs(np.rint((found - wanted) / 0.05)).max() <= 1


def test_products_of_two_results() -> None:
    """As the two of an attention, which multiply batches of matrices."""
    graph = Graph()
    x = graph.quantized("x", 0.02, S(3))
    turned = graph.quantized(graph.add("Transpose", "x", perm=[0, 2, 1]), 0.02, S(3))
    model = graph.model(graph.quantized(graph.add("MatMul", x, turned), 0.2, S(0)), [4, 6, 20])
    value = np.random.default_rng(4).normal(0, 1, [4, 6, 20]).astype("f")
    wanted = expected(model, value)
    found, session = run(model, value, True)
    assert (
        outcome(session, NAMES[0]) == [None] and "integerProduct+requantize" in session.planText()
    )
    assert abs(np.rint((found - wanted) / 0.2)).max() <= 1


def test_results_that_are_not_quantized() -> None:
    """Sums become floats in the cache."""
    graph = Graph()
    w = graph.weights([16, 8, 3, 3], S, 0)
    bias = graph.const(np.linspace(-1, 1, 16, dtype="f"))
    y = graph.add("Conv", graph.quantized("x", 0.02, U(3)), w, bias)
    model = graph.model(graph.add("Sin", y), [1, 8, 9, 9])
    x = np.random.default_rng(4).normal(0, 1, [1, 8, 9, 9]).astype("f")
    found, session = run(model, x, True)
    assert "integerConv+requantize" in session.planText()
    np.testing.assert_allclose(found, expected(model, x), atol=2e-5)


def blocks(kind: str) -> tuple[bytes, Array]:
    """Convolutions of several kinds, a pooling, a sum and a product, in floats."""
    graph, rng = Graph(), np.random.default_rng(5)

    def conv(x: str, channels: int, outputs: int, size: int, group: int = 1, **more: Any) -> str:
        w = rng.normal(0, 1, [outputs, channels // group, size, size]) / np.sqrt(
            channels // group * size * size
        )
        b = graph.const(rng.normal(0, 0.1, outputs).astype("f"))
        return graph.add("Conv", x, graph.const(w.astype("f")), b, group=group, **more)

    same: Any = {"pads": [1, 1, 1, 1]}
    x = graph.add("Relu", conv("x", 3, 24, 3, **same))
    x = graph.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    y = graph.add(kind, conv(x, 24, 24, 3, 24, **same))
    y = conv(y, 24, 24, 1)
    x = graph.add("Relu", graph.add("Add", x, y))
    x = graph.add("Relu", conv(x, 24, 40, 3, strides=[2, 2], **same))
    x = graph.add("Flatten", graph.add("GlobalAveragePool", x))
    w = graph.const(rng.normal(0, 0.2, [40, 10]).astype("f"))
    model = graph.model(graph.add("Gemm", x, w), [2, 3, 20, 20])
    return model, rng.normal(0, 1, [2, 3, 20, 20]).astype("f")


class One(CalibrationDataReader):
    """One batch to calibrate with."""

    def __init__(self, x: Array) -> None:
        self.left = [{"x": x}]

    def get_next(self) -> Any:
        return self.left.pop() if self.left else None


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("kind", ["Relu", "Clip", "Sigmoid"])
@pytest.mark.parametrize("form", [QuantFormat.QDQ, QuantFormat.QOperator])
@pytest.mark.parametrize("data", [QuantType.QInt8, QuantType.QUInt8])
def test_what_onnxruntime_quantizes(
    tmp_path: Any, data: Any, form: Any, kind: str, per_channel: bool
) -> None:
    model, x = blocks(kind)
    (tmp_path / "float.onnx").write_bytes(model)
    made = tmp_path / "quantized.onnx"
    quantize_static(
        tmp_path / "float.onnx",
        made,
        One(x),
        quant_format=form,
        per_channel=per_channel,
        activation_type=data,
        weight_type=QuantType.QInt8,
    )
    given = made.read_bytes()
    found, session = run(given, x, True)
    wanted, floats = expected(given, x), expected(model, x)
    assert session.planText().count("integerConv+requantize") == 4
    error = abs(wanted - floats).max()
    assert abs(found - wanted).max() < error and abs(found - floats).max() < 2 * error
    again, _ = run(given, x, True)
    np.testing.assert_array_equal(found, again)
    apart, _ = run(given, x, True, **{"host.without": "fuse,block channels"})
    np.testing.assert_allclose(apart, found, atol=error)


@pytest.mark.parametrize(
    ("axis", "shape", "why"),
    [
        (0, [40, 24], "the second operand's scales are not one for each output channel"),
        (None, [40000, 8], "sums of 40000 products may not fit 32 bits"),
    ],
)
def test_what_stays_in_floats(axis: Any, shape: Any, why: str) -> None:
    graph = Graph()
    y = graph.add("MatMul", graph.quantized("x", 0.02, U(1)), graph.weights(shape, S, axis))
    model = graph.model(y, [2, shape[0]])
    x = np.random.default_rng(4).normal(0, 1, [2, shape[0]]).astype("f")
    found, session = run(model, x, True)
    assert outcome(session, NAMES[0]) == [why]
    np.testing.assert_allclose(found, expected(model, x), rtol=1e-4, atol=1e-3)


def test_a_trained_model_keeps_its_floats() -> None:
    """Scales and data have gradients through a QuantizeLinear."""
    b = popir.Builder(opsets={"ai.onnx": 17})
    x = b.addInputTensor("FLOAT", [4, 6], "x")
    w = b.addInitializedInputTensor(np.ones((6, 3), "f"), "w")
    one, zero = b.aiOnnx.constant(np.float32(0.1)), b.aiOnnx.constant(np.int8(0))

    def quantized(t: str) -> str:
        return b.aiOnnx.dequantizelinear([b.aiOnnx.quantizelinear([t, one, zero]), one, zero])

    loss = b.aiGraphcore.l1loss([b.aiOnnx.matmul([quantized(x), quantized(w)])], 1.0)
    session = popir.TrainingSession(
        b.getModelProto(),
        popir.DataFlow(1, []),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
    )
    types = {op.opid.type for op in session.graph.ops.values()}
    assert "MatMul" in types and "MatMulInteger" not in types


@pytest.mark.parametrize("zero", [U(0), S(5)])
@pytest.mark.parametrize("kind", ["pool", "turn", "both"])
def test_bytes_are_moved(kind: str, zero: Any) -> None:
    """Bit for bit what onnxruntime computes, without a float in between."""
    graph = Graph()
    x = graph.quantized("x", 0.05, zero)
    if kind != "turn":
        x = graph.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    if kind != "pool":
        x = graph.add("Transpose", x, perm=[0, 2, 3, 1])
        x = graph.add("Reshape", x, graph.const(np.array([2, -1], np.int64)))
    model = graph.model(graph.quantized(x, 0.05, zero), [2, 6, 9, 8])
    value = np.random.default_rng(4).normal(0, 3, [2, 6, 9, 8]).astype("f")
    found, session = run(model, value, True)
    assert outcome(session, "QuantizedMoves") == [None]
    assert [op.opid.type for op in session.graph.schedule()].count("Div") <= 1
    np.testing.assert_array_equal(found, expected(model, value))


@pytest.mark.parametrize(("scale", "what"), [(0.06, "scale"), (0.05, "zero point")])
def test_other_scales_stay(scale: float, what: str) -> None:
    graph = Graph()
    x = graph.add("MaxPool", graph.quantized("x", 0.05, U(3)), kernel_shape=[2, 2])
    zero = U(3) if what == "scale" else U(4)
    model = graph.model(graph.quantized(x, scale, zero), [1, 4, 6, 6])
    value = np.random.default_rng(4).normal(1, 3, [1, 4, 6, 6]).astype("f")
    found, session = run(model, value, True)
    assert outcome(session, "QuantizedMoves") == [f"it is quantized with another {what}"]
    np.testing.assert_allclose(found, expected(model, value), atol=0.0601)


def test_a_zero_point_between_two_bytes() -> None:
    """As an image of bytes is centred: no byte is 127.5, so nothing is rounded to one."""
    graph = Graph()
    half = numpy_helper.from_array(np.array(127.5, "f"))
    x = graph.add("Cast", "x", to=TensorProto.UINT8)
    x = graph.add("Cast", x, to=TensorProto.FLOAT)
    x = graph.add("Sub", x, graph.add("Constant", value=half))
    x = graph.add("Mul", x, graph.const(np.float32(1 / 127.5)))
    model = graph.model(graph.add("Conv", x, graph.weights([16, 3, 3, 3], S, 0)), [1, 3, 8, 8])
    value = np.random.default_rng(4).integers(0, 256, [1, 3, 8, 8]).astype("f")
    found, session = run(model, value, True)
    assert outcome(session, NAMES[0]) == ["a zero point is not known to be of type UINT8"]
    np.testing.assert_allclose(found, expected(model, value), atol=1e-4)


def test_a_scale_for_each_index_is_not_moved() -> None:
    """After the Transpose the same scales are those of other elements."""
    graph = Graph()
    scales = graph.const(np.array([0.01, 0.02, 0.05, 0.1], "f")), graph.const(np.zeros(4, S))
    x = graph.add("DequantizeLinear", graph.add("QuantizeLinear", "x", *scales), *scales)
    x = graph.add("Transpose", x, perm=[1, 0])
    x = graph.add("DequantizeLinear", graph.add("QuantizeLinear", x, *scales), *scales)
    model = graph.model(x, [4, 4])
    value = np.random.default_rng(4).normal(0, 1, [4, 4]).astype("f")
    found, session = run(model, value, True)
    assert outcome(session, NAMES[2]) == [
        "it was dequantized with a scale for each index of an axis"
    ]
    np.testing.assert_array_equal(found, expected(model, value))


def test_a_negative_scale_turns_the_order() -> None:
    """The greatest number is of the least byte."""
    graph = Graph()
    x = graph.add("MaxPool", graph.quantized("x", -0.05, S(3)), kernel_shape=[2, 2])
    model = graph.model(graph.quantized(x, -0.05, S(3)), [1, 4, 6, 6])
    value = np.random.default_rng(4).normal(0, 1, [1, 4, 6, 6]).astype("f")
    found, session = run(model, value, True)
    why = "a MaxPool is between, and the scale is not known to be positive"
    assert outcome(session, NAMES[2]) == [why]
    np.testing.assert_array_equal(found, expected(model, value))


def test_integers_of_another_model_are_refused() -> None:
    """Scales of a model of other hands act; integers are compiled in."""

    def model(scale: float, zero: int) -> bytes:
        graph = Graph()
        w = graph.weights([16, 8, 3, 3], S, 0)
        return graph.model(graph.add("Conv", graph.quantized("x", scale, U(zero)), w), [1, 8, 6, 6])

    x = np.random.default_rng(4).normal(0, 1, [1, 8, 6, 6]).astype("f")
    _, session = run(model(0.02, 3), x, True)
    session.resetHostWeights(model(0.03, 3))
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    (found,) = anchors.values()
    np.testing.assert_allclose(found, expected(model(0.03, 3), x), atol=1e-4)
    with pytest.raises(popir.popart_exception) as error:
        session.resetHostWeights(model(0.03, 5))
    assert str(error.value) == (
        "The initializer 'c4' of UINT8 has another value: integers are compiled in. Make a session "
        "of that model."
    )


@pytest.mark.parametrize("kind", [S, U])
@pytest.mark.parametrize(
    ("shape", "window"),
    [
        ([2, 32, 9, 11], {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ([1, 20, 9, 11], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [1, 2]}),
        ([1, 4, 12, 10], {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [2, 1, 0, 1]}),
        ([1, 8, 40], {"kernel_shape": [5], "strides": [3], "pads": [1, 1]}),
        ([1, 64, 4, 2100], {"kernel_shape": [2, 2], "strides": [2, 2]}),  # its rows are not turned
    ],
)
def test_pooling_turns_the_channels(shape: Any, window: Any, kind: Any) -> None:
    """A plain input, and a convolution after that reads channels last."""
    graph = Graph()
    x = graph.add("MaxPool", graph.quantized("x", 0.05, kind(9)), **window)
    w = graph.weights([8, shape[1], *[1] * (len(shape) - 2)], S, 0)
    model = graph.model(graph.add("Conv", graph.quantized(x, 0.05, kind(9)), w), shape)
    value = np.random.default_rng(4).normal(0, 3, shape).astype("f")
    found, session = run(model, value, True)
    (pool,) = [line for line in session.planText().splitlines() if "/Pool" in line]
    assert pool.count("/clast") == 1 and outcome(session, NAMES[2]) == [None]
    np.testing.assert_allclose(found, expected(model, value), atol=2e-4)
