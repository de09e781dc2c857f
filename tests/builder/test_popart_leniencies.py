"""What PopART takes beyond ONNX's schemas, its builder's ways of calling, and the words of errors
that its programs compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir import Builder, popart_exception
from tests.models import run

Array = np.ndarray[Any, Any]
X = np.array([[0.5, -1.5, 2.0], [3.0, 0.25, -2.0]], np.float32)
HALF = X.astype(np.float16)


def of(build: Callable[..., Any], *arrays: Array, opset: int = 10) -> Array:
    """The output of what `build` adds for inputs of the main graph."""
    builder = Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
    ids = [builder.addInputTensor(popir.TensorInfo(a)) for a in arrays]
    out = build(builder, *ids)
    out = out if isinstance(out, str) else out[0]
    builder.addOutputTensor(out)
    return run(builder.getModelProto(), dict(zip(ids, arrays, strict=True)), [out])[out]


def constant(builder: Builder, *values: int, dtype: Any = np.int64) -> str:
    return builder.aiOnnx.constant(np.array(values, dtype))


@pytest.mark.parametrize("name", ["INT32", "FLOAT16", popir.DataType.INT8])
def test_the_type_of_a_cast_by_name(name: Any) -> None:
    found = of(lambda b, x: b.aiOnnx.cast([x], name), X)
    assert found.dtype == popir.DataType.of(name).numpy
    np.testing.assert_array_equal(found, X.astype(found.dtype))


def test_types_that_newer_versions_take() -> None:
    assert of(lambda b, x: b.aiOnnx.equal([x, x]), X).all()  # from 11 on
    whole = np.array([4, 9, 1], np.int32)
    top = of(lambda b, x: b.aiOnnx.topk([x, constant(b, 2)]), whole)  # from 11 on
    np.testing.assert_array_equal(top, [9, 4])
    sums = of(lambda b, x: b.aiOnnx.cumsum([x, constant(b, 1)]), HALF, opset=11)  # from 14 on
    np.testing.assert_allclose(sums, np.cumsum(HALF, 1), rtol=1e-3)
    with pytest.raises(popart_exception, match="is 'input' of type INT32; the operator takes"):
        of(lambda b, x: b.aiOnnx.sigmoid([x]), whole)


def test_statistics_may_be_wider_than_the_data() -> None:
    one = np.ones(3, np.float16)
    wide = np.array([1, 2, 3], np.float32)

    def build(b: Builder, x: str, s: str, m: str) -> Any:
        return b.aiOnnx.batchnormalization([x, s, s, m, m], 1)

    found = of(build, HALF, one, wide, opset=9)
    want = (HALF - wide) / np.sqrt(wide + 1e-5) + 1
    np.testing.assert_allclose(found, want, rtol=1e-2)


def test_shapes_and_indices_of_any_integers() -> None:
    def expand(b: Builder, x: str) -> str:
        return b.aiOnnx.expand([x, constant(b, 2, 2, 3, dtype=np.int32)])

    np.testing.assert_array_equal(of(expand, X), np.broadcast_to(X, (2, 2, 3)))
    at = np.array([[1, 0, 1]], np.uint32)
    found = of(lambda b, x, i, u: b.aiOnnx.scatter([x, i, u], axis=0), X, at, X[:1], opset=9)
    want = X.copy()
    np.put_along_axis(want, at.astype(np.int64), X[:1], 0)
    np.testing.assert_array_equal(found, want)


def test_one_number_of_floats_meets_halves() -> None:
    factor = np.array(3, np.float32)
    for order in (1, -1):
        found = of(lambda b, x, f, order=order: b.aiOnnx.mul([x, f][::order]), HALF, factor)
        assert found.dtype == np.float16
        np.testing.assert_allclose(found, HALF * 3, rtol=1e-3)
    with pytest.raises(popart_exception, match="takes inputs of one type"):
        of(lambda b, x, f: b.aiOnnx.mul([x, f]), HALF, X)


def test_an_input_that_newer_versions_spare() -> None:
    image = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)

    def build(b: Builder, x: str) -> str:
        roi = b.aiOnnx.constant(np.array([], np.float32))
        return b.aiOnnx.resize([x, roi, "", constant(b, 1, 1, 4, 2)], mode="nearest")

    assert of(build, image, opset=11).shape == (1, 1, 4, 2)


def test_no_axes_reduce_nothing() -> None:
    found = of(lambda b, x: b.aiOnnx.reducesum([x], axes=[], keepdims=0), X)
    np.testing.assert_array_equal(found, X)
    np.testing.assert_allclose(of(lambda b, x: b.aiOnnx.reducesum([x]), X), [[X.sum()]])


def test_text_that_is_the_default_is_no_attribute() -> None:
    builder = Builder()
    x, w, r = (builder.addInputTensor("FLOAT", [1, 1, 1]) for _ in range(3))
    y = builder.aiOnnx.rnn([x, w, r], 2)[0]
    assert not builder.nodeHasAttribute("activations", {y})
    builder.addNodeAttribute("activations", ["Relu"], {y})
    assert builder.getStringVectorNodeAttribute("activations", {y}) == ["Relu"]


def test_nearest_mode_of_the_oldest_resize() -> None:
    line = np.arange(4, dtype=np.float32).reshape(1, 1, 4)

    def build(mode: str) -> Callable[[Builder, str], str]:
        def added(b: Builder, x: str) -> str:
            scales = b.aiOnnx.constant(np.array([1, 1, 1.5], np.float32))
            y = b.aiOnnx.resize([x, scales])
            b.addNodeAttribute("nearest_mode", mode, {y})
            return y

        return added

    assert of(build("ceil"), line).ravel().tolist() == [0, 1, 2, 2, 3, 3]
    assert of(build("pytorch"), line).ravel().tolist() == [0, 0, 1, 2, 2, 3]


@pytest.mark.parametrize("chosen", [True, False])
def test_branches_that_name_the_tensors_around_them(chosen: bool) -> None:
    def build(b: Builder, x: str, y: str, c: str) -> Any:
        branches: list[Builder] = []
        for type in ("add", "sub"):
            branch = b.createSubgraphBuilder()
            branch.addInputTensorFromParentGraph(x)
            branch.addInputTensorFromParentGraph(y)
            branch.addOutputTensor(getattr(branch.aiOnnx, type)([x, y]))
            branches.append(branch)
        return b.aiOnnx.logical_if([c], 1, branches[1], branches[0])

    found = of(build, X, X[::-1].copy(), np.array(chosen))
    np.testing.assert_array_equal(found, X + X[::-1] if chosen else X - X[::-1])


def test_calls_in_the_forms_of_popart() -> None:
    def constants(b: Builder) -> str:
        return b.aiOnnxOpset11.constant(X, False, "name")

    np.testing.assert_array_equal(of(constants, opset=11), X)
    found = of(lambda b, x: b.aiGraphcore.reshape(x, [3, 2]), X)
    np.testing.assert_array_equal(found, X.reshape(3, 2))
    made = of(lambda b: b.aiGraphcore.init([2], popir.DataType.INT32, popir.InitType.Zero, "n"))
    np.testing.assert_array_equal(made, np.zeros(2, np.int32))
    index = np.array([[0, 1], [1, 1]], np.uint32)
    data = np.arange(12, dtype=np.float32).reshape(2, 2, 3)

    def scatter(b: Builder, x: str, i: str) -> str:
        return b.aiGraphcore.groupedscatterreduce([x, i], 2, axis=1, group_size=2)

    want = np.stack([data[0], [[0] * 3, data[1].sum(0)]])
    np.testing.assert_array_equal(of(scatter, data, index), want)


def test_several_convolutions() -> None:
    builder = Builder()
    x = builder.addInputTensor("FLOAT", [1, 2, 4, 4])
    w = builder.addInputTensor("FLOAT", [3, 2, 3, 3])
    two = [[x, w], [x, w]]
    made = builder.aiGraphcore.multiconv(two, pads=[[1] * 4, [0] * 4], strides=[[1, 1], [2, 2]])
    assert [builder.getTensorShape(y) for y in made] == [[1, 3, 4, 4], [1, 3, 1, 1]]
    for words, call in {
        "Length of dilations vector 3 != number of spatial dimensions 2": lambda: (
            builder.aiGraphcore.multiconv(two, dilations=[[1, 1], [2, 2, 2]])
        ),
        "number of pads parameter sets (1) does not match the number of input sets (2)": lambda: (
            builder.aiGraphcore.multiconv(two, pads=[[1] * 4])
        ),
        "must have at least two inputs - data and weights": lambda: builder.aiGraphcore.multiconv(
            [[x]]
        ),
        "can have at most three inputs - data, weights, and bias": lambda: (
            builder.aiGraphcore.multiconv([[x, w, w, w]])
        ),
    }.items():
        with pytest.raises(popart_exception) as error:
            call()
        assert error.value.args[0].endswith(words)


def test_the_format_of_what_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    def shown(**given: Any) -> str:
        def build(b: Builder, x: str) -> str:
            return b.aiGraphcore.printtensor([x], **{"title": "t", **given})

        of(build, np.arange(8, dtype=np.float32) / 3)
        return capfd.readouterr().err

    plain = shown()
    for given in (
        {"title": "other"},
        {"summariseThreshold": 4, "edgeItems": 1},
        {"summariseThreshold": 4, "edgeItems": 2},
        {"maxLineWidth": 20},
        {"digits": 3},
        {"floatFormat": 2},
        {"separator": ","},
        {"openBracket": "("},
        {"closeBracket": ")"},
    ):
        assert shown(**given) != plain, given


def test_a_gradient_is_printed_if_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    for asked, title in ((1, "t"), (1, ""), (0, "t")):
        builder = Builder()
        x = builder.addInitializedInputTensor(X)
        y = builder.aiGraphcore.printtensor([x], asked, title=title)
        loss = builder.aiGraphcore.identityloss([y])
        session = popir.TrainingSession(
            builder.getModelProto(),
            popir.DataFlow(1, [loss]),
            loss,
            popir.ConstSGD(0.1),
            deviceInfo=popir.DeviceManager().createCpuDevice(),
        )
        session.prepareDevice()
        session.weightsFromHost()
        session.run(popir.PyStepIO({}, session.initAnchorArrays()))
        text = capfd.readouterr().err
        assert ("t_gradient:" in text) == bool(asked and title)
        assert (f"Gradient___{x}:" in text) == (not title)


def test_printed_integers_are_aligned(capfd: pytest.CaptureFixture[str]) -> None:
    builder = Builder()
    x = builder.addInputTensor("INT32", [2, 3])
    y = builder.aiGraphcore.printtensor([x], title="t")
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    values = np.array([[6, 9, 12], [-1, 0, 100]], np.int32)
    session.run(popir.PyStepIO({x: values}, session.initAnchorArrays()))
    assert "[  6   9  12]\n [ -1   0 100]" in capfd.readouterr().err


def test_values_are_printed(capfd: pytest.CaptureFixture[str]) -> None:
    def build(b: Builder, x: str) -> str:
        return b.aiGraphcore.printtensor([x], title="seen", separator=",", openBracket="(")

    np.testing.assert_array_equal(of(build, np.array([1, 2], np.int32)), [1, 2])
    assert "".join(capfd.readouterr().err.split()) == "seen:(1,2]"
    with pytest.raises(popart_exception, match="separator is '--'; expected is one ASCII"):
        of(lambda b, x: b.aiGraphcore.printtensor([x], separator="--"), X)


WORDS: list[tuple[Callable[..., Any], list[Array], str, str]] = [
    (
        lambda b, x: b.aiOnnx.reducemax([x], axes=[2]),
        [X],
        "Axis 2 is out of acceptable range [-2, 1]",
        "the axis 2 is outside of a tensor of rank 2",
    ),
    (
        lambda b, x: b.aiOnnx.matmul([x, x]),
        [X],
        "Op(ai.onnx.MatMul:9, inputs=[input, input], outputs=[MatMul:0]) contracting dimensions "
        "unequal: lhs 'input' [2 3], rhs 'input' [2 3]",
        "do not multiply: 3 columns meet 2 rows",
    ),
    (
        lambda b, x: b.aiOnnx.transpose([x], perm=[0]),
        [X],
        "Rank of permutation tensor [0], rank 1 must be equal to rank of input tensor, shape "
        "[2 3], rank 2.",
        "perm [0] is no order of the 2 dimensions",
    ),
    (
        lambda b, x, n: b.aiOnnx.slice([x, n, n]),
        [X, np.array([1])],
        "Need the value of the ai.onnx.Slice:10 input 'starts' to determine the output shape, but "
        "was unable because [Tensor::getDataViaGraphTraversal] Could not work out tensor data for "
        "input/1.",
        "input 1, 'input/1', must be a constant",
    ),
    (
        lambda b, x: b.aiGraphcore.subsample([x], [1, 0]),
        [X],
        "Strides invalid. 0 stride at index 1",
        "the strides are [1, 0]",
    ),
    (
        lambda b, x: b.aiGraphcore.reverse([x], [-1]),
        [X],
        "invalid dimension '-1'. Only positive dimensions are supported",
        "the dimensions are [-1]; expected are different ones",
    ),
]


@pytest.mark.parametrize(("build", "arrays", "popart", "own"), WORDS)
def test_errors_have_words_of_both(
    build: Callable[..., Any], arrays: list[Array], popart: str, own: str
) -> None:
    with pytest.raises(popart_exception) as error:
        of(build, *arrays)
    assert error.value.args[0] == popart
    assert own in str(error.value)


def test_an_anchor_that_there_is_not() -> None:
    with pytest.raises(popart_exception) as error:
        builder = Builder()
        x = builder.addInputTensor("FLOAT", [2])
        run(builder.getModelProto(), {x: X[0, :2]}, ["Gradient___x"])
    assert error.value.args[0].startswith("Anchor tensor `Gradient___x' not in Ir Tensors.")
    assert str(error.value).startswith("The anchor 'Gradient___x' is no tensor of the model.")


@pytest.mark.parametrize("backwards", [0, 1])
def test_a_scan_of_vectors_whose_body_takes_no_scalars(backwards: int) -> None:
    """Its slices keep a dimension, and what it makes of them is joined."""
    pairs = np.array([[1, 2], [3, 4], [5, 6]], np.float32)

    def build(b: Builder, x: str, y: str) -> Any:
        body = b.createSubgraphBuilder()
        each = [body.addUntypedInputTensor(x), body.addUntypedInputTensor(y)]
        body.addOutputTensor(body.aiOnnx.concat(each, 0))
        return b.aiOnnx.scan(
            *([x, y], 1, body, 2), scan_output_directions=[backwards], scan_output_axes=[0]
        )

    found = of(build, np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))
    np.testing.assert_array_equal(found, (pairs[::-1] if backwards else pairs).reshape(-1))


def test_a_scan_that_onnx_takes_stacks_its_slices() -> None:
    def build(b: Builder, x: str) -> Any:
        body = b.createSubgraphBuilder()
        body.addOutputTensor(body.aiOnnx.neg([body.addUntypedInputTensor(x)]))
        return b.aiOnnx.scan([x], 1, body, 1)

    np.testing.assert_array_equal(of(build, X), -X)
    np.testing.assert_array_equal(of(build, X[0]), -X[0])


def whole_gradient(reduction: popir.ReductionType) -> tuple[Array, Array]:
    """A loss of integers, and its gradient by the data: of the median of each row, thrice."""
    x = np.array([[7, 1, 4], [2, 2**24 + 1, 2**24 + 3]], np.int32)
    builder = Builder()
    x_id = builder.addInputTensor(popir.TensorInfo(x))
    median = builder.aiGraphcore.reducemedian([x_id], axes=[1], keepdims=False)[0]
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.concat([median] * 3, 0)], reduction)
    gradient = popir.reservedGradientPrefix() + x_id
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss, gradient]),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({x_id: x}, anchors))
    return anchors[loss], anchors[gradient]


def test_gradients_of_integers() -> None:
    loss, gradient = whole_gradient(popir.ReductionType.Sum)
    assert loss.dtype == gradient.dtype == np.int32
    assert loss == 3 * (4 + 2**24 + 1)
    np.testing.assert_array_equal(gradient, [[0, 0, 3], [0, 3, 0]])
    with pytest.raises(popart_exception, match="is 'Mean', which is no integer"):
        whole_gradient(popir.ReductionType.Mean)


def test_a_scatter_of_the_first_updates() -> None:
    """Those that have an index."""
    at, updates = np.array([[1, 0]], np.int64), np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    found = of(lambda b, x, i, u: b.aiOnnx.scatter([x, i, u], axis=0), X, at, updates, opset=9)
    want = X.copy()
    want[1, 0], want[0, 1] = 1, 2
    np.testing.assert_array_equal(found, want)
