"""Patterns that see built-in operators by PopART's classes, and that make them."""

import ctypes
import logging
from pathlib import Path

import numpy as np
import pytest
import torch

import popir
from popir import poplar
from popir._device import machine
from tests.popart.conftest import Library
from tests.popart.graphs import floats, results
from tests.popart.libraries import isolated


def check_made(library: str) -> None:
    ctypes.CDLL(library)
    x, b, c = floats(3, 4, 2), floats(2, 5), floats(3, 4, 2)
    image, w = floats(2, 4, 7, 8), floats(6, 2, 3, 3)

    def convolved(
        pads: tuple[int, int, int, int],
        stride: tuple[int, int],
        dilation: tuple[int, int] = (1, 1),
    ) -> np.ndarray:
        top, left, bottom, right = pads
        padded = np.pad(image, [(0, 0), (0, 0), (top, bottom), (left, right)])
        y = torch.conv2d(
            torch.tensor(padded), torch.tensor(w), None, stride, (0, 0), dilation, groups=2
        )
        return y.numpy()

    levels = np.histogram(np.abs(x), [0, 0.25, 0.5, 1, np.inf])[0]
    cases = {
        "matmul": ([x, b], x @ b),
        "transpose": ([x], x.transpose(1, 2, 0)),
        "softmax": ([x], torch.softmax(torch.tensor(x), 1).numpy()),
        "slice": ([c], c[1:3, :, 0:-1]),
        "clip": ([x], x.clip(-0.5, 0.25)),
        "detach": ([x], x),
        "square": ([x], np.square(x).sum()),
        "histogram": ([x.reshape(-1)], levels.astype("uint32")),
        "conv": ([image, w], convolved((1, 0, 0, 2), stride=(2, 1), dilation=(1, 2))),
        "conv same": ([image, w], convolved((1, 1, 1, 1), stride=(2, 1))),
        "conv restored": ([image, w], convolved((1, 0, 2, 1), stride=(1, 3), dilation=(1, 2))),
        "pad": ([x], np.pad(x, [(1, 0), (0, 2), (0, 0)], constant_values=0.5)[:-1]),
        "slice set": ([c], c[1:3, :, 0:-1]),
        "transpose set": ([x], x.transpose(1, 2, 0)),
        "clip set": ([x], x.clip(-0.5, 0.25)),
    }
    for kind, (inputs, expected) in cases.items():
        given = {f"in{i}": value for i, value in enumerate(inputs)}
        y, _, _ = results("Chosen", given, kind=kind, shape=list(expected.shape))
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6, err_msg=kind)
        assert y.dtype == expected.dtype


def check_cost(library: str) -> None:
    """PopLibs' histogram: each tile counts its own elements; what they have is added up."""
    ctypes.CDLL(library)
    n, tiles, levels = 4096, 4, 3
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [n]), "x")
    attributes = {"kind": "histogram", "shape": [levels + 1]}
    (y,) = builder.customOp("Chosen", 1, "test", [x], attributes)
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": tiles})
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice(loadEngine=False)
    rows = [r for r in session.getReport().operations if r.vertexClass == "popops::Histogram1D"]
    target = poplar.Target.createIPUTarget(1, tiles, "ipu2")
    own = machine.estimateCycles(
        target, "popops::Histogram1D", poplar.FLOAT, [n // tiles, levels, 1]
    )
    assert [row.source for row in rows] == ["estimator"]
    # Sums of four numbers of each of four tiles, and their cast, take less than counting.
    assert own < rows[0].computeCycles < 2 * own
    # All other tiles get the levels, and one the counts of the others, and one more move at most.
    counts = (levels + 1) * 4
    assert 3 * levels * 4 + 3 * counts <= rows[0].exchangeBytes <= 3 * levels * 4 + 4 * counts


def check_refused(library: str) -> None:
    ctypes.CDLL(library)
    given = {"in0": floats(2, 4, 7, 8), "in1": floats(6, 2, 3, 3)}
    with pytest.raises(
        popir.popart_exception, match=r"truncations of input .* output \[1, 0, 0, 0\]"
    ):
        results("Chosen", given, kind="conv cut", shape=[2, 6, 4, 6])


def test_convolutions_that_onnx_does_not_have_are_refused(library: Library, tmp_path: Path) -> None:
    isolated(check_refused, library("operators"), cwd=tmp_path)


def test_a_histogram_costs_as_poplibs_vertex(library: Library, tmp_path: Path) -> None:
    isolated(check_cost, library("operators"), cwd=tmp_path)


def test_operators_that_a_pattern_makes(library: Library, tmp_path: Path) -> None:
    isolated(check_made, library("operators"), cwd=tmp_path)


class Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one."""
        self.lines.append(record.getMessage())


def check_seen(library: str) -> None:
    ctypes.CDLL(library)
    lines = Lines()
    logger = logging.getLogger("popir.pattern")
    logger.setLevel(logging.INFO)
    logger.addHandler(lines)
    builder = popir.Builder(opsets={"ai.onnx": 9, "ai.graphcore": 1})
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [4, 6]), "x")
    w = builder.addInitializedInputTensor(floats(6, 8), "w")
    labels = builder.addInputTensor(popir.TensorInfo("INT32", [4]), "labels")
    product = builder.aiOnnx.matmul([x, w])
    builder.setSerializeMatMul({product}, "output_channels", 2)
    turned = builder.aiOnnx.transpose([builder.aiOnnx.transpose([product], [1, 0])], [1, 0])
    part = builder.aiOnnx.slice([turned], [7], [1], [1])
    clipped = builder.aiOnnx.clip([builder.aiGraphcore.detach([part])], 2.0, -3.0)
    probabilities = builder.aiOnnx.softmax([clipped], axis=1)
    loss = builder.aiGraphcore.nllloss(
        [probabilities, labels], popir.ReductionType.Sum, ignoreIndex=5
    )
    builder.addOutputTensor(loss)
    made = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [loss]), popir.DeviceManager().createCpuDevice()
    )
    made.prepareDevice()
    for line in (
        "matmul mode 3 of 2",
        "roots w x ",
        "after x",
        "transpose back [1, 0]",
        "softmax 1",
        "slice [1] [7] [1]",
        "clip -3 2",
        "nll ignores 5",
        "detach",
    ):
        assert line in lines.lines, (line, lines.lines)


def test_built_in_operators_by_class(library: Library, tmp_path: Path) -> None:
    isolated(check_seen, library("operators"), cwd=tmp_path)


def check_windows(library: str) -> None:
    ctypes.CDLL(library)
    lines = Lines()
    logger = logging.getLogger("popir.pattern")
    logger.setLevel(logging.INFO)
    logger.addHandler(lines)
    builder = popir.Builder(opsets={"ai.onnx": 11})
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [1, 4, 7, 8]), "x")
    w = builder.addInitializedInputTensor(floats(6, 2, 3, 3), "w")
    pads = builder.aiOnnx.constant(np.array([0, 0, 1, 0, 0, 0, 0, -3], "int64"))
    padded = builder.aiOnnx.pad([x, pads])
    y = builder.aiOnnx.conv([padded, w], strides=[2, 1], group=2, auto_pad="SAME_LOWER")
    builder.addOutputTensor(y)
    made = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, [y]), popir.DeviceManager().createCpuDevice()
    )
    made.prepareDevice()
    for line in (
        # 8 rows by strides of 2 need one more, which SAME_LOWER has in front.
        "conv pads [1, 1] [0, 1] stride [2, 1] groups 2",
        "pad [0, 0, 1, 0, 0, 0, 0, -3] of dimensions [2, 3] shows [0, 0, 1, 0] to [1, 4, 8, 5]",
    ):
        assert any(line in seen for seen in lines.lines), (line, lines.lines)


def test_windows_and_pads_by_class(library: Library, tmp_path: Path) -> None:
    isolated(check_windows, library("operators"), cwd=tmp_path)


def check_trips(library: str) -> None:
    ctypes.CDLL(library)
    for trips, expected in ((7, 3), (6, 6)):
        builder = popir.Builder(opsets={"ai.onnx": 11})
        x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2]), "x")
        body = builder.createSubgraphBuilder()
        body.addInputTensor(popir.TensorInfo("INT64", []), "i")
        going = body.addInputTensor(popir.TensorInfo("BOOL", []), "going")
        seen = body.addInputTensor(popir.TensorInfo("FLOAT", [2]), "seen")
        one = body.aiOnnx.constant(np.array([1, 2], "float32"))
        body.addOutputTensor(going)
        body.addOutputTensor(body.aiOnnx.add([seen, one]))
        (y,) = builder.aiOnnx.loop(
            [
                builder.aiOnnx.constant(np.array(trips, "int64")),
                builder.aiOnnx.constant(np.array(True)),
                x,
            ],
            1,
            body,
        )
        builder.addOutputTensor(y)
        session = popir.InferenceSession(
            builder.getModelProto(),
            popir.DataFlow(1, [y]),
            popir.DeviceManager().createCpuDevice(),
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        given = floats(2)
        session.run(popir.PyStepIO({x: given}, anchors))
        np.testing.assert_allclose(anchors[y], given + np.array([1, 2]) * expected, rtol=1e-6)


def test_a_pattern_changes_how_often_a_loop_runs(library: Library, tmp_path: Path) -> None:
    isolated(check_trips, library("operators"), cwd=tmp_path)
