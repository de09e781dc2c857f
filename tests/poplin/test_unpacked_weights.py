"""Large weights of 3 x 3 are not packed for few tiles: the packed ones are four times as large."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import popir
from popir.poplin import contraction

Array = np.ndarray[Any, Any]
DEVICE = popir.DeviceManager().createCpuDevice()
pytestmark = pytest.mark.skipif(
    contraction.isa() not in ("avx512", "avx2"), reason="no convolutions in blocks"
)


def ran(images: int, channels: int, side: int, kept: bool) -> tuple[Array, Array, int]:
    """The result of a session, PyTorch's, and how many weights are packed once: three convolutions
    of 3 x 3 and Relus, of weights that stay, or are given with the images. The second one is in
    blocks on both sides.
    """
    random = np.random.default_rng(0)
    shape = [images, channels, side, side]
    x = random.standard_normal(shape, np.float32)
    ws = [
        random.standard_normal([channels, channels, 3, 3], np.float32) / np.float32(48)
        for _ in range(3)
    ]
    info = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c0"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c0"], ["r0"]),
        helper.make_node("Conv", ["r0", "w1"], ["c1"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["y"]),
    ]
    given = {} if kept else {f"w{i}": w for i, w in enumerate(ws)}
    graph = helper.make_graph(
        nodes,
        "graph",
        [info("x", TensorProto.FLOAT, shape)]
        + [info(id, TensorProto.FLOAT, w.shape) for id, w in given.items()],
        [info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(ws)] if kept else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = popir.SessionOptions(engineOptions={"host.numThreads": "2"})
    session = popir.InferenceSession(
        model.SerializeToString(), popir.DataFlow(1, ["y"]), DEVICE, userOptions=options
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x, **given}, anchors))
    y = torch.from_numpy(x)
    for w in ws:
        y = torch.relu(torch.nn.functional.conv2d(y, torch.from_numpy(w), padding=1))
    return anchors["y"], y.numpy(), session.planText().count(", packed")


@pytest.mark.parametrize(
    ("images", "channels", "side", "packs"),
    [
        (8, 256, 7, False),  # 32 tiles of 4 x 4
        (16, 256, 7, False),  # 64
        (17, 256, 7, True),  # more
        (8, 192, 7, True),  # 5 MiB
        (1, 256, 14, False),  # 16 tiles of 4 x 4, or 49 of 2 x 2
        (4, 256, 7, True),  # as many, but 64 of 2 x 2
    ],
)
def test_large_weights_are_packed_for_many_tiles(
    images: int, channels: int, side: int, packs: bool
) -> None:
    found, expected, packed = ran(images, channels, side, True)
    assert packed == (3 if packs else 2)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)
    if not packs and (images, side) != (1, 14):  # there the others, packed, have larger tiles
        np.testing.assert_array_equal(found, ran(images, channels, side, False)[0])
