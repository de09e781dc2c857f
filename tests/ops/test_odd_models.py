"""What mutated models found in operators: each runs, or is refused by its name."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from popir.errors import OperatorAttributeError, OperatorInputError, popart_exception
from tests.models import Array, run


def model_of(node: Any, shape: list[int], *initializers: Any, opset: int = 13) -> bytes:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    graph = helper.make_graph([node], "g", [x], [ValueInfoProto(name="y")], initializers)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("ai.graphcore", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    return model.SerializeToString()


def result(model: bytes, x: Array) -> Array:
    return run(model, {"x": x}, ["y"])["y"]


@pytest.mark.parametrize("size", [15, 4096, 2**32])
def test_a_window_beyond_all_channels(size: int) -> None:
    x = np.linspace(-1, 1, 14, dtype=np.float32).reshape(1, 7, 2)
    alpha = 0.5 * size
    node = helper.make_node("LRN", ["x"], ["y"], size=size, alpha=alpha, beta=0.75, bias=1.0)
    found = result(model_of(node, [1, 7, 2]), x)
    expected = x / (1 + 0.5 * np.square(x).sum(1, keepdims=True)) ** 0.75
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_mean_of_nothing() -> None:
    node = helper.make_node("ReduceMean", ["x"], ["y"], axes=[1], keepdims=0)
    found = result(model_of(node, [2, 0]), np.zeros((2, 0), np.float32))
    assert np.isnan(found).all() and found.shape == (2,)


def test_the_statistics_of_a_normalisation_of_nothing() -> None:
    """Against onnx.reference, which divides 0 by 0."""
    x = np.zeros((2, 0), np.float32)
    names = ["y", "mean", "scale"]
    node = helper.make_node("LayerNormalization", ["x", "n"], names)
    nothing = numpy_helper.from_array(np.zeros(0, np.float32), "n")
    model = onnx.ModelProto.FromString(model_of(node, [2, 0], nothing, opset=17))
    del model.opset_import[1:]
    model.graph.output.extend(ValueInfoProto(name=name) for name in names[1:])
    found = run(model.SerializeToString(), {"x": x}, names)
    with np.errstate(all="ignore"):
        want = ReferenceEvaluator(model).run(None, {"x": x})
    for name, array in zip(names, want, strict=True):
        np.testing.assert_array_equal(found[name], array)
    assert np.isnan(found["mean"]).all()


@pytest.mark.parametrize("type", ["L1", "IdentityLoss"])
def test_the_mean_of_no_loss(type: str) -> None:
    given = {"lambda": 1.0, "reduction": "Mean"} if type == "L1" else {"reduction": "Mean"}
    node = helper.make_node(type, ["x"], ["y"], domain="ai.graphcore", **given)
    assert np.isnan(result(model_of(node, [0]), np.zeros(0, np.float32)))


@pytest.mark.parametrize("type", ["ReduceMax", "ReduceMin"])
def test_the_extremum_of_a_constant_without_elements(type: str) -> None:
    nothing = numpy_helper.from_array(np.zeros(0, np.int64), "n")
    node = helper.make_node(type, ["n"], ["y"], keepdims=0)
    assert result(model_of(node, [1], nothing), np.zeros(1, np.float32)).shape == ()


def test_a_sum_of_very_many() -> None:
    node = helper.make_node("Sum", ["x"] * 3000, ["y"])
    model = model_of(node, [2])
    x = np.array([0.1, 2], np.float32)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(result(model, x), session.run(None, {"x": x})[0], rtol=1e-4)


@pytest.mark.parametrize("size", [2**31, 2**40])
@pytest.mark.parametrize("name", ["strides", "kernel_shape", "pads"])
def test_windows_that_no_device_takes(name: str, size: int) -> None:
    attributes = {"kernel_shape": [2, 2], name: [size, 2, 0, 0][: 4 if name == "pads" else 2]}
    node = helper.make_node("MaxPool", ["x"], ["y"], **attributes)
    with pytest.raises(OperatorAttributeError, match=rf"attribute '{name}' is .*less than 2\^31"):
        result(model_of(node, [1, 1, 4, 4]), np.zeros((1, 1, 4, 4), np.float32))


def test_a_shape_that_is_no_list() -> None:
    scalar = numpy_helper.from_array(np.array(2, np.int64), "s")
    node = helper.make_node("Reshape", ["x", "s"], ["y"])
    with pytest.raises(OperatorInputError, match=r"the shape, is of shape \[\]; expected is \[N\]"):
        result(model_of(node, [2], scalar), np.zeros(2, np.float32))


def test_more_outputs_than_there_are() -> None:
    node = helper.make_node("NextRandomSeed", ["x"], ["y", "z"], domain="ai.graphcore")
    with pytest.raises(OperatorInputError, match=r"the operator has no output 1, 'z'"):
        result(model_of(node, [2]), np.zeros(2, np.float32))


@pytest.mark.parametrize("first", ["Where", "Pow"])
@pytest.mark.parametrize("then", ["MatMul", "Conv"])
def test_an_input_of_another_type_than_what_a_contraction_reads(first: str, then: str) -> None:
    """Against onnx.reference. The contraction wants floats laid out; not all that leads to them is
    of floats.
    """
    rng = np.random.default_rng(7)
    x = rng.standard_normal((2, 3, 3, 3), np.float32)
    inputs: dict[str, Array] = {"x": x, "y": rng.standard_normal((2, 3, 1, 3), np.float32)}
    inputs["w"] = rng.standard_normal((3, 3) if then == "MatMul" else (4, 3, 2, 2), np.float32)
    other = x > 0 if first == "Where" else rng.integers(0, 4, x.shape, np.int32)
    inputs["other"] = other
    names = ["other", "x", "y"] if first == "Where" else ["x", "other"]
    nodes = [
        helper.make_node(first, names, ["between"]),
        helper.make_node(then, ["between", "w"], ["z"]),
    ]
    kept = {name: inputs[name] for name in {*names, "w"}}
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in kept.items()
    ]
    graph = helper.make_graph(nodes, "g", infos, [ValueInfoProto(name="z")])
    imports = [helper.make_opsetid("", 13)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    (want,) = ReferenceEvaluator(onnx.ModelProto.FromString(model)).run(None, kept)
    np.testing.assert_allclose(run(model, kept, ["z"])["z"], want, rtol=1e-5, atol=1e-5)


_EXPONENTS = [0.5, 2.0, 1.5, 3.0, 0.0, 2.0, 7.015, 3.0]


@pytest.mark.parametrize("base", ["i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("exponent", ["i4", "i8", "f2", "f4", "f8"])
def test_an_exponent_of_another_type_is_not_rounded_to_the_base(base: str, exponent: str) -> None:
    """Against onnxruntime. 7.015 is 7.016 in half, and 3 + 2^-30 is 3 in float: only of a whole
    exponent there is a power of a negative number. 70000 is infinite in half.
    """
    x = np.array([5, 3, 9, -8, 0, 7, 1.5, -2], base)
    y = np.array(_EXPONENTS, exponent)
    if exponent == "f8" and base != "f8" and base[0] == "f":
        y[-1] += 2.0**-30
    if exponent in ("i4", "i8"):
        x[-2], y[-2] = -1, 70000
    node = helper.make_node("Pow", ["x", "y"], ["z"])
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in (("x", x), ("y", y))
    ]
    graph = helper.make_graph([node], "g", infos, [ValueInfoProto(name="z")])
    imports = [helper.make_opsetid("", 13)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    (want,) = onnxruntime.InferenceSession(model).run(None, {"x": x, "y": y})
    rtol = 2e-3 if base == "f2" else 1e-6
    found = run(model, {"x": x, "y": y}, ["z"])["z"]
    assert found.dtype == x.dtype
    np.testing.assert_allclose(found, want, rtol=rtol)


@pytest.mark.parametrize("step", [1, -1, -2])
def test_a_gather_from_what_was_reversed(step: int) -> None:
    """Against onnx.reference, at places that are known when the model runs."""
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    indices = np.array([0, 1, -1, 2], np.int64)
    ends = np.iinfo(np.int64)
    given = {"s": 0 if step > 0 else 4, "e": ends.max if step > 0 else ends.min, "a": 0, "t": step}
    nodes = [
        helper.make_node("Slice", ["x", *given], ["between"]),
        helper.make_node("Gather", ["between", "i"], ["y"], axis=0),
    ]
    infos = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape),
        helper.make_tensor_value_info("i", TensorProto.INT64, indices.shape),
    ]
    known = [numpy_helper.from_array(np.array([v]), name) for name, v in given.items()]
    graph = helper.make_graph(nodes, "g", infos, [ValueInfoProto(name="y")], known)
    imports = [helper.make_opsetid("", 13)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    feeds = {"x": x, "i": indices}
    (want,) = ReferenceEvaluator(onnx.ModelProto.FromString(model)).run(None, feeds)
    np.testing.assert_array_equal(run(model, feeds, ["y"])["y"], want)


@pytest.mark.parametrize(
    ("node", "initializers", "words"),
    [
        (helper.make_node("Cast", ["x"], ["y"], to=2**62), [], "is not an element type"),
        (
            helper.make_node("Tile", ["x", "n"], ["y"]),
            [numpy_helper.from_array(np.array([2**63 - 1]), "n")],
            "dimensions fit 64 bits",
        ),
    ],
    ids=["a type", "a shape"],
)
def test_what_operators_share_says_of_which_one_it_speaks(
    node: Any, initializers: list[Any], words: str
) -> None:
    with pytest.raises(popart_exception, match=rf"ai\.onnx\.{node.op_type}:13.*{words}"):
        result(model_of(node, [3], *initializers), np.zeros(3, np.float32))
