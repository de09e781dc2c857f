"""A minimum and a maximum of the same are one step, with the bits of the two apart."""

import numpy as np
import pytest
from onnx import helper

import popir


def outcome(x, axes, between=False, without=""):
    """The plan's text, and both results; `between`: of what changes between the two."""
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    given = helper.make_tensor_value_info("x", kind, x.shape)
    made = [helper.make_tensor_value_info(name, kind, None) for name in ("low", "high")]
    of = "z" if between else "x"
    nodes = [
        helper.make_node("ReduceMin", ["x"], ["low"], axes=axes),
        helper.make_node("Neg", ["x"], ["z"]),
        helper.make_node("ReduceMax", [of], ["high"], axes=axes),
    ]
    graph = helper.make_graph(nodes if between else nodes[::2], "extrema", [given], made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = popir.InferenceSession(
        *(model.SerializeToString(), popir.DataFlow(1, ["low", "high"])),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(engineOptions={"host.without": without}),
    )
    session.prepareDevice()
    results = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, results))
    return session.planText(), results


SHAPES = [
    ((5,), [0]),
    ((7, 100), [1]),
    ((64, 4096), [0, 1]),
    ((3, 70_001), [1]),
    ((6, 1056), [1]),
    ((40, 33), [0]),
    ((4, 5, 6), [0, 2]),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
@pytest.mark.parametrize(("shape", "axes"), SHAPES, ids=str)
def test_one_step_has_the_bits_of_two(shape, axes, dtype):
    random = np.random.default_rng(0)
    x = (100 * random.standard_normal(shape)).astype(dtype)
    plan, found = outcome(x, axes)
    apart, expected = outcome(x, axes, without="fuse")
    assert "extrema" in plan
    assert "extrema" not in apart
    for name, function in (("low", np.min), ("high", np.max)):
        np.testing.assert_array_equal(found[name], expected[name])
        np.testing.assert_array_equal(found[name], function(x, tuple(axes), keepdims=True))


@pytest.mark.parametrize("length", [16, 64, 100, 3000, 70_000])
def test_nan_and_zeros_of_both_signs(length):
    random = np.random.default_rng(length)
    x = np.where(random.random((4, length)) < 0.5, np.float32(0), np.float32(-0.0))
    x[1, random.integers(length)] = np.nan
    x[2, 0], x[2, -1] = np.inf, -np.inf
    x[3] = np.nan
    _, found = outcome(x, [1])
    _, expected = outcome(x, [1], without="fuse")
    for name in found:
        both = (found[name], expected[name])
        bits = [np.where(np.isnan(y), np.float32(np.nan), y).view(np.uint32) for y in both]
        np.testing.assert_array_equal(*bits)
    assert np.isnan(found["low"][[1, 3]]).all()


def test_of_two_tensors_they_stay_apart():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    plan, found = outcome(x, [1], between=True)
    assert "extrema" not in plan
    np.testing.assert_array_equal(found["high"][:, 0], [0, -4, -8])
