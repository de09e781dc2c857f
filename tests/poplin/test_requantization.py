"""Convolutions of bytes whose sums become bytes while they are in the cache, against exact sums and
the arithmetic of ONNX's QLinearConv by numpy.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import helper, numpy_helper

import popir
from tests.poplin.programs import run_again
from tests.poplin.test_integer_conv import FORMS, expected
from tests.poplin.test_integer_product import BYTES, bytes_of

Array = npt.NDArray[Any]
USED = {
    name: form
    for name, form in FORMS.items()
    if 0 not in form[0] and min(*form[5], *form[6]) >= 0 and form[1][0] // form[2] >= 8
}
"""Forms of ONNX, without negative padding, that are computed as integers."""
GIVEN = (np.float32(0.02), np.float32(0.3))
"""The scales of data and result."""


def model(form: Any, x: Array, w: Array, operands: dict[str, Array]) -> onnx.ModelProto:
    data, _, group, stride, dilation, lower, upper = form
    names = ["x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "bias"]
    node = helper.make_node(
        "QLinearConv",
        ["x", *(name for name in names if name in operands)],
        ["y"],
        group=group,
        strides=list(stride),
        dilations=list(dilation),
        pads=[*lower, *upper],
    )
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    out = helper.np_dtype_to_tensor_dtype(operands["y_zero"].dtype)
    graph = helper.make_graph(
        [node],
        "convolution",
        [helper.make_tensor_value_info("x", kind, data)],
        [helper.make_tensor_value_info("y", out, None)],
        [numpy_helper.from_array(value, name) for name, value in operands.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def run(proto: onnx.ModelProto, x: Array, **options: str) -> tuple[Array, str]:
    """The result, and the plan of the engine."""
    user = popir.SessionOptions()
    user.engineOptions = {"host.numThreads": "2", **options}
    session = popir.InferenceSession(
        fnModel=proto.SerializeToString(),
        dataFlow=popir.DataFlow(1, ["y"]),
        deviceInfo=popir.DeviceManager().createCpuDevice(),
        userOptions=user,
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    return anchors["y"], session.planText()


@pytest.mark.parametrize("each", [False, True], ids=["one scale", "a scale for each channel"])
@pytest.mark.parametrize("w_type", BYTES)
@pytest.mark.parametrize("x_type", BYTES)
@pytest.mark.parametrize("form", USED.values(), ids=USED)
def test_sums_become_bytes(form: Any, x_type: Any, w_type: Any, each: bool) -> None:
    data, weights = form[:2]
    channels = weights[0]
    x, w = bytes_of(x_type, *data), bytes_of(w_type, *weights, seed=2)
    rng = np.random.default_rng(3)
    spread = rng.uniform(0.2, 2, channels if each else ()).astype(np.float32)
    # So that results fill the range of a byte, and some go beyond it.
    w_scale = spread * np.float32(3.0 / np.sqrt(np.prod(weights[1:])) / 64)
    operands = {
        "x_scale": np.array(GIVEN[0]),
        "x_zero": bytes_of(x_type, 1, seed=4).reshape(()),
        "w": w,
        "w_scale": np.asarray(w_scale, np.float32),
        "w_zero": bytes_of(w_type, *([channels] if each else []), seed=5),
        "y_scale": np.array(GIVEN[1]),
        "y_zero": np.array(11, x_type),
    }
    if each:
        operands["bias"] = rng.integers(-(2**31), 2**31, channels, dtype=np.int32)
        operands["bias"][::2] %= 1000
    zeros = operands["w_zero"].reshape(-1)
    sums = expected(x, w, operands["x_zero"].reshape(1), zeros, form[2], *form[3:])
    shape = (-1, *[1] * (len(data) - 2))
    with np.errstate(over="ignore"):
        sums = sums + operands.get("bias", np.zeros(1, np.int32)).reshape(shape)
    factor = (GIVEN[0] * w_scale / GIVEN[1]).reshape(shape)
    limits = np.iinfo(x_type)
    wanted = np.rint(sums.astype(np.float32) * factor) + np.float32(11)
    wanted = np.clip(wanted, limits.min, limits.max).astype(x_type)
    assert len(np.unique(wanted)) > 8

    proto = model(form, x, w, operands)
    found, plan = run(proto, x)
    assert "integerConv+requantize" in plan
    np.testing.assert_array_equal(found, wanted)
    apart, plan = run(proto, x, **{"host.without": "fuse"})
    assert "requantize" not in plan and "integerConv" in plan
    np.testing.assert_array_equal(apart, wanted)


@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_without_the_instructions_for_bytes(isa: str) -> None:
    run_again(isa, __file__)
