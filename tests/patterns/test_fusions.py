"""LayerNormFusion and GeluFusion: operators that are written as several become one."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import popir
from tests.models import floats
from tests.patterns.graphs import compiled

Array = np.ndarray[Any, Any]
X = floats(3, 4, 8)
SCALE, BIAS = 1 + floats(8) / 4, floats(8)
EPSILON = 1e-3


def const(b: popir.Builder, value: Any, kind: Any = np.float32) -> str:
    return b.aiOnnx.constant(np.asarray(value, kind))


def divided(b: popir.Builder, centred: str, deviation: str) -> str:
    return b.aiOnnx.div([centred, deviation])


def multiplied(b: popir.Builder, centred: str, deviation: str) -> str:
    return b.aiOnnx.mul([b.aiOnnx.reciprocal([deviation]), centred])


def power(b: popir.Builder, t: str) -> str:
    return b.aiOnnx.pow([t, const(b, 2)])


def product(b: popir.Builder, t: str) -> str:
    return b.aiOnnx.mul([t, t])


def norm(
    b: popir.Builder,
    x: str,
    scale: str,
    bias: str | None = None,
    square: Callable[[popir.Builder, str], str] = power,
    divide: Callable[[popir.Builder, str, str], str] = divided,
    axes: tuple[int, ...] = (-1,),
    epsilon: str | None = None,
    twice: bool = False,
    swapped: bool = False,
) -> str:
    """A layer normalisation in small operators."""

    def ordered(*operands: str) -> list[str]:
        return [*operands][:: -1 if swapped else 1]

    def centred() -> str:
        return b.aiOnnx.sub([x, mean])

    mean = b.aiOnnx.reducemean([x], axes=axes, keepdims=1)
    one = centred()
    other = centred() if twice else one
    variance = b.aiOnnx.reducemean([square(b, one)], axes=axes, keepdims=1)
    epsilon = epsilon or const(b, EPSILON)
    deviation = b.aiOnnx.sqrt([b.aiOnnx.add(ordered(variance, epsilon))])
    y = b.aiOnnx.mul(ordered(divide(b, other, deviation), scale))
    return b.aiOnnx.add(ordered(y, bias)) if bias else y


def expected(x: Array, dims: int = 1, scale: Any = SCALE, bias: Any = None) -> Array:
    """The layer normalisation by PyTorch, in double."""
    given = [None if a is None else torch.tensor(a, dtype=torch.float64) for a in (x, scale, bias)]
    data, weight, offset = given
    assert data is not None
    whole = [None if t is None else t.expand(data.shape[-dims:]) for t in (weight, offset)]
    found: Array = torch.nn.functional.layer_norm(
        data, data.shape[-dims:], whole[0], whole[1], EPSILON
    ).numpy()
    return found


def model(**form: Any) -> Callable[[popir.Builder], list[str]]:
    def build(b: popir.Builder) -> list[str]:
        x = b.addInputTensor("FLOAT", list(X.shape), "x")
        given = dict(form)
        bias = given.pop("bias", BIAS)
        scale = const(b, given.pop("scale", SCALE))
        return [norm(b, x, scale, None if bias is None else const(b, bias), **given)]

    return build


FORMS: dict[str, dict[str, Any]] = {
    "Pow and Div": {},
    "Mul": {"square": product},
    "Reciprocal": {"divide": multiplied},
    "Sub twice": {"twice": True},
    "swapped operands": {"swapped": True},
    "no bias": {"bias": None},
    "all": {"square": product, "divide": multiplied, "twice": True, "swapped": True},
    "two axes": {"axes": (1, 2), "scale": 1 + floats(4, 8) / 4},
    "numbers": {"scale": np.full(1, 0.5, np.float32), "bias": np.full((), 2, np.float32)},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_layer_normalisation_becomes_one_operator(form: dict[str, Any]) -> None:
    found = compiled("LayerNormFusion", model(**form), {"x": X})
    assert found.types == ["LayerNormalization"]
    assert (found.done, found.reasons) == (1, [])
    dims = len(form.get("axes", (-1,)))
    wanted = expected(X, dims, form.get("scale", SCALE), form.get("bias", BIAS))
    (value,) = found.values.values()
    np.testing.assert_allclose(value, wanted, rtol=0, atol=3e-6)


def test_what_follows_and_is_no_bias_stays() -> None:
    def build(b: popir.Builder) -> list[str]:
        x = b.addInputTensor("FLOAT", list(X.shape), "x")
        return [b.aiOnnx.add([norm(b, x, const(b, SCALE)), x])]

    found = compiled("LayerNormFusion", build, {"x": X})
    assert found.types == ["LayerNormalization", "Add"]
    (value,) = found.values.values()
    np.testing.assert_allclose(value, expected(X) + X, rtol=0, atol=3e-6)


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"scale": floats(4, 1)}, "has shape [4, 1], the normalised dimensions are [8]"),
        ({"scale": floats(3, 4, 8)}, "has shape [3, 4, 8], the normalised dimensions are [8]"),
    ],
    ids=["across", "whole"],
)
def test_a_scale_that_does_not_fit(form: dict[str, Any], reason: str) -> None:
    found = compiled("LayerNormFusion", model(**form), {"x": X})
    assert "LayerNormalization" not in found.types
    assert len(found.reasons) == 1
    assert found.reasons[0].endswith(reason)


@pytest.mark.parametrize("axes", [(1,), (0, 2)])
def test_other_axes_are_no_layer_normalisation(axes: tuple[int, ...]) -> None:
    found = compiled("LayerNormFusion", model(axes=axes), {"x": X})
    assert "LayerNormalization" not in found.types


def test_an_inner_value_that_is_wanted_keeps_the_operators() -> None:
    def build(b: popir.Builder, is_anchor: bool) -> list[str]:
        x = b.addInputTensor("FLOAT", list(X.shape), "x")
        inner: list[str] = []

        def noted(b: popir.Builder, t: str) -> str:
            inner.append(power(b, t))
            return inner[0]

        y = norm(b, x, const(b, SCALE), const(b, BIAS), square=noted)
        return [y, inner[0]] if is_anchor else [y, b.aiOnnx.neg(inner)]

    for is_anchor, reason in (
        (True, "'Pow:0' is kept: an anchor, the loss, or an output"),
        (False, "'Pow:0' has other readers"),
    ):
        found = compiled("LayerNormFusion", lambda b, a=is_anchor: build(b, a), {"x": X})
        assert found.reasons == [reason]
        y, inner = found.values.values()
        np.testing.assert_allclose(y, expected(X, bias=BIAS), rtol=0, atol=3e-6)
        square = (X - X.mean(-1, keepdims=True)) ** 2
        np.testing.assert_allclose(inner, square if is_anchor else -square, rtol=0, atol=3e-6)


def test_a_part_that_excludes_the_pattern_keeps_the_operators() -> None:
    def build(b: popir.Builder) -> list[str]:
        x = b.addInputTensor("FLOAT", list(X.shape), "x")

        def excluding(b: popir.Builder, t: str) -> str:
            y = power(b, t)
            b.excludePatterns(y, ["LayerNormFusion"])
            return y

        return [norm(b, x, const(b, SCALE), square=excluding)]

    found = compiled("LayerNormFusion", build, {"x": X})
    assert "LayerNormalization" not in found.types
    assert found.reasons[0].endswith("has other annotations")


def test_gradients_are_those_of_pytorch() -> None:
    def build(b: popir.Builder) -> list[str]:
        x, scale, bias = (
            b.addInitializedInputTensor(value, name)
            for value, name in ((X, "x"), (SCALE, "scale"), (BIAS, "bias"))
        )
        y = gelu(b, norm(b, x, scale, bias))
        loss = b.aiGraphcore.l1loss([b.aiOnnx.mul([y, const(b, 1 + X)])], 1.0)
        return [loss, *(f"Gradient___{name}" for name in ("x", "scale", "bias"))]

    found = compiled("LayerNormFusion", build, {}, training=True)
    assert found.types.count("LayerNormalization") == 1
    values = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in (X, SCALE, BIAS)]
    y = torch.nn.functional.layer_norm(values[0], (8,), values[1], values[2], EPSILON)
    y = torch.nn.functional.gelu(y) * torch.tensor(1 + X)
    y.abs().mean().backward()
    for (id, value), source in zip([*found.values.items()][1:], values, strict=True):
        assert source.grad is not None
        np.testing.assert_allclose(value, source.grad.numpy(), rtol=2e-5, atol=2e-5, err_msg=id)


def gelu(b: popir.Builder, x: str) -> str:
    o = b.aiOnnx
    bell = o.add([o.erf([o.div([x, const(b, math.sqrt(2))])]), const(b, 1)])
    return o.mul([o.mul([x, const(b, 0.5)]), bell])


def gelus(b: popir.Builder, x: str) -> dict[str, str]:
    """GELUs with erf, in several ways to write them."""
    o = b.aiOnnx
    half, one, root = const(b, 0.5), const(b, 1), const(b, math.sqrt(2))

    def bell() -> str:
        return o.add([o.erf([o.div([x, root])]), one])

    other = o.add([one, o.erf([o.mul([const(b, math.sqrt(0.5)), x])])])
    return {
        "half first": o.mul([o.mul([x, half]), bell()]),
        "half last": o.mul([half, o.mul([x, other])]),
        "bell halved": o.mul([o.mul([bell(), half]), x]),
        "divided": o.div([o.mul([x, bell()]), const(b, 2)]),
    }


def tanhs(b: popir.Builder, x: str) -> dict[str, str]:
    """The same with tanh."""
    o = b.aiOnnx
    half, one, factor = const(b, 0.5), const(b, 1), const(b, math.sqrt(2 / math.pi))
    cube = const(b, 0.044715)

    def made(argument: str) -> str:
        return o.mul([o.mul([half, x]), o.add([one, o.tanh([argument])])])

    return {
        "power": made(
            o.mul([factor, o.add([x, o.mul([cube, o.pow([x, const(b, 3)])])])]),
        ),
        "products": made(o.mul([o.add([x, o.mul([o.mul([o.mul([x, x]), x]), cube])]), factor])),
        "factored": made(
            o.mul([o.mul([x, factor]), o.add([one, o.mul([o.mul([cube, x]), x])])]),
        ),
    }


@pytest.mark.parametrize("name", ["half first", "half last", "bell halved", "divided"])
def test_a_gelu_becomes_one_operator(name: str) -> None:
    _check_gelu(gelus, name, "none")


@pytest.mark.parametrize("name", ["power", "products", "factored"])
def test_a_gelu_with_tanh_becomes_one_operator(name: str) -> None:
    _check_gelu(tanhs, name, "tanh")


def _check_gelu(
    forms: Callable[[popir.Builder, str], dict[str, str]], name: str, approximate: str
) -> None:
    x = 3 * floats(4, 8)

    def build(b: popir.Builder) -> list[str]:
        return [forms(b, b.addInputTensor("FLOAT", [4, 8], "x"))[name]]

    found = compiled("GeluFusion", build, {"x": x})
    assert found.types == ["Gelu"]
    wanted = torch.nn.functional.gelu(torch.tensor(x).double(), approximate=approximate).numpy()
    (value,) = found.values.values()
    np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=1e-6)


OTHERS: dict[str, Callable[[popir.Builder, str], str]] = {
    "another slope": lambda b, x: _bell(b, x, math.sqrt(2), 0.4),
    "another width": lambda b, x: _bell(b, x, 1.4, 0.5),
    "another tensor": lambda b, x: _bell(b, x, math.sqrt(2), 0.5, b.aiOnnx.neg([x])),
    "another sum": lambda b, x: _bell(b, x, math.sqrt(2), 0.5, one=1.5),
}


def _bell(
    b: popir.Builder, x: str, width: float, slope: float, of: str | None = None, one: float = 1
) -> str:
    o = b.aiOnnx
    bell = o.add([o.erf([o.div([of or x, const(b, width)])]), const(b, one)])
    return o.mul([o.mul([x, const(b, slope)]), bell])


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_gelu_stays(name: str) -> None:
    found = compiled(
        "GeluFusion",
        lambda b: [OTHERS[name](b, b.addInputTensor("FLOAT", [8], "x"))],
        {"x": X[0, 0]},
    )
    assert "Erf" in found.types
    assert (found.done, found.reasons) == (0, [])


def test_a_gelu_whose_parts_are_read_stays() -> None:
    def build(b: popir.Builder) -> list[str]:
        x = b.addInputTensor("FLOAT", [8], "x")
        o = b.aiOnnx
        bell = o.add([o.erf([o.div([x, const(b, math.sqrt(2))])]), const(b, 1)])
        return [o.mul([o.mul([x, const(b, 0.5)]), bell]), o.neg([bell])]

    found = compiled("GeluFusion", build, {"x": X[0, 0]})
    assert found.reasons == ["'Add:0' has other readers"]


@pytest.mark.parametrize("kind", ["FLOAT16", "BFLOAT16", "DOUBLE"])
def test_rounded_constants_are_known_in_every_type(kind: str) -> None:
    """A constant of 16 bits is not the square root of 2, but near it."""
    type = popir.DataType.of(kind)

    def build(b: popir.Builder) -> list[str]:
        x, o = b.addInputTensor(kind, [8], "x"), b.aiOnnx
        root, half, one = (
            o.constant(np.asarray(value, type.numpy)) for value in (math.sqrt(2), 0.5, 1)
        )
        bell = o.add([o.erf([o.div([x, root])]), one])
        return [o.mul([o.mul([x, half]), bell])]

    x = X[0, 0].astype(type.numpy)
    found = compiled("GeluFusion", build, {"x": x})
    assert found.types == ["Gelu"]
    (value,) = found.values.values()
    wanted = torch.nn.functional.gelu(torch.tensor(x.astype(np.float64))).numpy()
    bound = {"FLOAT16": 1e-3, "BFLOAT16": 8e-3, "DOUBLE": 1e-14}[kind]
    np.testing.assert_allclose(value.astype(np.float64), wanted, rtol=bound, atol=bound)


def file(epsilon: float = EPSILON, loss: bool = False) -> bytes:
    """A layer normalisation as exporters write it, with its numbers as initializers; and the sum
    of its squares as a loss.
    """
    numbers = {"two": 2, "epsilon": epsilon, "scale": SCALE, "bias": BIAS}
    nodes = [
        ("ReduceMean", ["x"], "mean"),
        ("Sub", ["x", "mean"], "centred"),
        ("Pow", ["centred", "two"], "squares"),
        ("ReduceMean", ["squares"], "variance"),
        ("Add", ["variance", "epsilon"], "sum"),
        ("Sqrt", ["sum"], "deviation"),
        ("Div", ["centred", "deviation"], "normal"),
        ("Mul", ["normal", "scale"], "scaled"),
        ("Add", ["scaled", "bias"], "y"),
        ("ReduceSumSquare", ["y"], "loss"),
    ][: None if loss else -1]

    def attributes(type: str) -> dict[str, Any]:
        known = {"ReduceMean": {"axes": [-1]}, "ReduceSumSquare": {"keepdims": 0}}
        return known.get(type, {})

    graph = helper.make_graph(
        [helper.make_node(type, inputs, [y], **attributes(type)) for type, inputs, y in nodes],
        "norm",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info(*(("loss", 1, []) if loss else ("y", 1, X.shape)))],
        [numpy_helper.from_array(np.asarray(v, np.float32), k) for k, v in numbers.items()],
    )
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


def theirs(model: bytes) -> Array:
    """What onnxruntime computes."""
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": X})[0])


def session(patterns: popir.Patterns | None = None) -> popir.InferenceSession:
    device = popir.DeviceManager().createCpuDevice()
    flow = popir.DataFlow(1, ["y"])
    return popir.InferenceSession(file(), flow, device, patterns=patterns or popir.Patterns())


def test_numbers_of_a_file_are_compiled_in_and_cannot_be_changed(tmp_path: Path) -> None:
    made = session()
    assert [op.opid.type for op in made.graph.schedule()] == ["LayerNormalization"]
    made.prepareDevice()
    anchors = made.initAnchorArrays()
    made.run(popir.PyStepIO({"x": X}, anchors))
    np.testing.assert_allclose(anchors["y"], theirs(file()), rtol=0, atol=3e-6)

    made.resetHostWeights(file())  # the same numbers
    with pytest.raises(popir.popart_exception) as raised:
        made.resetHostWeights(file(0.25))
    assert str(raised.value) == (
        "The value of 'epsilon', 0.0010000000474974513, cannot become 0.25: the pattern "
        "LayerNormFusion has compiled it in. Make the session without it: "
        "patterns.LayerNormFusion = False."
    )
    with pytest.raises(popir.popart_exception, match=r"'two', 2\.0, cannot become 3.0"):
        made.writeWeights(popir.PyWeightsIO({"two": np.full((), 3, np.float32)}))
    read = {"epsilon": np.zeros((), np.float32)}
    made.readWeights(popir.PyWeightsIO(read))
    assert read["epsilon"] == np.float32(EPSILON)
    made.modelToHost(str(tmp_path / "again.onnx"))
    again = (tmp_path / "again.onnx").read_bytes()
    np.testing.assert_allclose(anchors["y"], theirs(again), rtol=0, atol=3e-6)


def test_without_the_pattern_they_can_be_changed() -> None:
    patterns = popir.Patterns()
    patterns.LayerNormFusion = False
    made = session(patterns)
    made.prepareDevice()
    made.resetHostWeights(file(0.25))
    made.weightsFromHost()
    anchors = made.initAnchorArrays()
    made.run(popir.PyStepIO({"x": X}, anchors))
    np.testing.assert_allclose(anchors["y"], theirs(file(0.25)), rtol=0, atol=3e-6)


def test_a_checkpoint_with_another_number_changes_nothing(tmp_path: Path) -> None:
    device, flow = popir.DeviceManager().createCpuDevice(), popir.DataFlow(1, ["y"])
    other = popir.InferenceSession(file(0.25), flow, device)
    other.prepareDevice()
    other.save(tmp_path / "other")
    made = session()
    made.prepareDevice()
    with pytest.raises(popir.popart_exception, match=r"'epsilon', .* cannot become 0\.25"):
        made.load(tmp_path / "other")


def test_a_number_whose_gradient_is_an_anchor_is_no_constant() -> None:
    device = popir.DeviceManager().createCpuDevice()
    flow = popir.DataFlow(1, ["loss", "Gradient___epsilon"])
    made = popir.TrainingSession(file(loss=True), flow, "loss", popir.ConstSGD(0.1), device)
    assert "LayerNormalization" not in [op.opid.type for op in made.graph.schedule()]
    made.prepareDevice()
    anchors = made.initAnchorArrays()
    made.run(popir.PyStepIO({"x": X}, anchors))
    epsilon = torch.tensor(EPSILON, dtype=torch.float64, requires_grad=True)
    x = torch.tensor(X, dtype=torch.float64)
    centred = x - x.mean(-1, keepdim=True)
    normal = centred / (centred.square().mean(-1, keepdim=True) + epsilon).sqrt()
    (normal * torch.tensor(SCALE) + torch.tensor(BIAS)).square().sum().backward()
    assert epsilon.grad is not None
    np.testing.assert_allclose(anchors["Gradient___epsilon"], epsilon.grad.numpy(), rtol=1e-4)


def test_a_trained_epsilon_is_no_constant() -> None:
    def build(b: popir.Builder) -> list[str]:
        x = b.addInputTensor("FLOAT", list(X.shape), "x")
        epsilon = b.addInitializedInputTensor(np.float32(EPSILON), "epsilon")
        y = norm(b, x, const(b, SCALE), epsilon=epsilon)
        return [b.aiGraphcore.l1loss([y], 1.0), "Gradient___epsilon"]

    found = compiled("LayerNormFusion", build, {"x": X}, training=True)
    assert "LayerNormalization" not in found.types
    assert found.values["Gradient___epsilon"]


def test_long_products_are_looked_at_in_linear_time() -> None:
    """A chain of products has no more than a few of its factors looked at each time."""

    def build(b: popir.Builder) -> list[str]:
        x = y = b.addInputTensor("FLOAT", [2], "x")
        for _ in range(2_000):
            y = b.aiOnnx.mul([y, x])
        return [y]

    found = compiled("GeluFusion", build, {"x": np.ones(2, np.float32)})
    assert found.types == ["Mul"] * 2_000
