"""Sorts, pools, movements, random numbers and losses by PopART's classes."""

import ctypes
import logging
from pathlib import Path

import numpy as np
import pytest
import torch

import popir
from tests.popart.conftest import Library
from tests.popart.graphs import floats, results
from tests.popart.libraries import isolated
from tests.popart.test_functions import reference
from tests.popart.test_operator_classes import Lines

TYPES = {"float32": "FLOAT", "int64": "INT64", "int32": "INT32", "uint32": "UINT32"}


def check_made(library: str) -> None:
    ctypes.CDLL(library)
    x, image = floats(3, 4, 5), floats(2, 4, 7, 8)
    slope, scale, bias = floats(4, 1), floats(4), floats(4)
    bits = np.array([[5, 12, 7], [255, 0, 9]], "uint32")
    places = np.array([[[1, 0, 3, 2, 0]]], "int32")
    updates = floats(1, 1, 5)
    boxes = np.array([[0, 0, 8, 8], [2, 4, 6, 10]], "float32")
    windows = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
    logs = torch.log_softmax(torch.tensor(floats(6, 2, 4)), 2)
    labels, lengths = np.array([[1, 2], [3, 3]], "uint32"), np.array([6, 5], "uint32")
    label_lengths = np.array([2, 1], "uint32")
    loss = torch.nn.functional.ctc_loss(
        logs,
        torch.tensor(labels.astype("int64")),
        torch.tensor(lengths.astype("int64")),
        torch.tensor(label_lengths.astype("int64")),
        reduction="sum",
    ).numpy()
    cases = {
        "topk": ([x], np.sort(x, 2)[:, :, :-3:-1]),
        "smallest": ([x], np.sort(x, 1)[:, :2]),  # K is the constructor's, without an input
        "sort": ([x], -np.sort(-x, 1)),
        "argmax": ([x], x.argmax(1)),
        "argmin": ([x], x.argmin(0)[None]),
        "average": ([image], reference("AveragePool", [image], count_include_pad=1, **windows)[0]),
        "largest": ([image], reference("MaxPool", [image], **windows)[0]),
        "channel averages": ([image], image.mean((2, 3), keepdims=True)),
        "channel maxima": ([image], image.max((2, 3), keepdims=True)),
        "instance norm": (
            [image, scale, bias],
            torch.nn.functional.instance_norm(
                *(torch.tensor(t) for t in (image,)),
                weight=torch.tensor(scale),
                bias=torch.tensor(bias),
                eps=0.25,
            ).numpy(),
        ),
        "log softmax": ([x], torch.log_softmax(torch.tensor(x), 2).numpy()),
        "prelu": ([x, slope], np.where(x < 0, x * slope, x)),
        "scatter": (
            [x, places, updates],
            reference("ScatterElements", [x, places.astype("int64"), updates], axis=1)[0],
        ),
        "reverse": ([x], x[::-1, :, ::-1]),
        "subsample": ([x], x[:, ::2, ::2]),
        "upsample": ([image], image.repeat(2, 2).repeat(3, 3)),
        "nop": ([x], x),
        "remap": ([x], x),
        "xor": ([bits, bits[::-1].copy()], bits ^ bits[::-1]),
        "not": ([bits], ~bits),
        "bucketize": (
            [x, np.array([-1, 0, 1], "float32")],
            np.digitize(x, [-1, 0, 1]).astype("int32"),
        ),
        "median": ([x], torch.median(torch.tensor(x), 1)[0].numpy()),
        "roi align": (
            [image, boxes, np.array([1, 0], "int32")],
            reference(
                "RoiAlign",
                [image, boxes, np.array([1, 0])],
                output_height=3,
                output_width=2,
                sampling_ratio=2,
                spatial_scale=0.5,
                coordinate_transformation_mode="output_half_pixel",
            )[0],
        ),
        "ctc": ([logs.numpy(), labels, lengths, label_lengths], loss),
        "split": ([x], x),
    }
    for kind, (inputs, expected) in cases.items():
        given = {f"in{i}": value for i, value in enumerate(inputs)}
        shape = list(expected.shape)
        y, _, _ = results("Made", given, kind=kind, shape=shape, type=TYPES[str(expected.dtype)])
        np.testing.assert_allclose(y, expected, rtol=2e-5, atol=2e-6, err_msg=kind)
    many = {"in0": floats(40, 50)}
    y, _, _ = results("Made", many, kind="normal", shape=[40, 50], type="FLOAT")
    assert abs(y.mean() - 5) < 0.05
    assert abs(y.std() - 0.5) < 0.05
    y, _, _ = results("Made", many, kind="uniform", shape=[40, 50], type="FLOAT")
    assert 6 <= y.min() < 6.02 < 6.98 < y.max() <= 7
    with pytest.raises(popir.popart_exception, match="enableReducedClassesInLabel is not there"):
        results("Made", many, kind="ctc reduced", shape=[], type="FLOAT")


def test_operators_that_a_pattern_makes(library: Library, tmp_path: Path) -> None:
    isolated(check_made, library("models"), cwd=tmp_path)


def check_seen(library: str) -> None:
    ctypes.CDLL(library)
    lines = Lines()
    logger = logging.getLogger("popir.pattern")
    logger.setLevel(logging.INFO)
    logger.addHandler(lines)
    builder = popir.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
    x = builder.addInputTensor(popir.TensorInfo("FLOAT", [2, 3, 6, 5]), "x")
    onnx = builder.aiOnnx

    def constant(*values: int) -> str:
        return onnx.constant(np.array(values, "int64"))

    outs = [
        onnx.topk([x, constant(4)], axis=2, largest=0)[0],
        onnx.argmin([x], axis=1, keepdims=0),
        onnx.maxpool([x], 1, [2, 3], strides=[2, 2], pads=[0, 1, 1, 1])[0],
        onnx.globalaveragepool([x]),
        onnx.tile([x, constant(1, 2, 1, 1)]),
        onnx.expand([x, constant(4, 1, 1, 1, 1)]),
        *onnx.split([x], 2, axis=2, split=[4, 2]),
        onnx.cumsum([x, constant(-1)], exclusive=1),
        onnx.randomnormal([2, 2], mean=3.0, scale=0.25),
    ]
    for out in outs:
        builder.addOutputTensor(out)
    popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, outs),
        popir.DeviceManager().createCpuDevice(),
    ).prepareDevice()
    for line in (
        "topk 4 along 2, false, true, false",
        "ArgMin along 1 keeps 0",
        "windows [2, 3] at [2, 2] pads [0, 1] [1, 1] of 3 channels",
        "all of [6, 5] [0, 0]",
        "tile [1, 2, 1, 1] false [2, 6, 6, 5]",
        "expand [4, 2, 3, 6, 5]",
        "split [4, 2] along 2",
        "cumsum along -1 true false",
        "normal [2, 2] 3 0.25",
    ):
        assert line in lines.lines, (line, lines.lines)


def test_built_in_operators_by_class(library: Library, tmp_path: Path) -> None:
    isolated(check_seen, library("models"), cwd=tmp_path)
