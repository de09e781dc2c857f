"""Losses against PyTorch: values and gradients, and what they are at the edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper

import popir
from popir.errors import OperatorAttributeError, OperatorInputError, popart_exception
from tests.models import step, training_session

Array = np.ndarray[Any, Any]
FUNCTIONS = {
    "NegativeLogLikelihoodLoss": torch.nn.functional.nll_loss,
    "SoftmaxCrossEntropyLoss": torch.nn.functional.cross_entropy,
}
TOLERANCE = {np.float32: 2e-6, np.float16: 2e-3, np.float64: 1e-13}


def model(
    type: str, x: Array, labels: Array, weights: Array | None, more: Any = (), **attributes: Any
) -> onnx.ModelProto:
    """The loss of the initializer "x", and from it "loss", a scalar."""
    given = {"x": x, "labels": labels, **({} if weights is None else {"weights": weights})}
    nodes = [
        helper.make_node(type, list(given), ["each", "log_prob"][: 2 if more else 1], **attributes),
        *more,
        helper.make_node(
            "IdentityLoss",
            [more[-1].output[0] if more else "each"],
            ["loss"],
            domain="ai.graphcore",
            reduction="Sum",
        ),
    ]
    graph = helper.make_graph(
        nodes,
        "loss",
        [helper.make_tensor_value_info("labels", onnx.TensorProto.INT64, labels.shape)],
        [onnx.ValueInfoProto(name="loss")],
        [numpy_helper.from_array(a, name) for name, a in given.items() if name != "labels"],
    )
    imports = [helper.make_opsetid("", 13), helper.make_opsetid("ai.graphcore", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def trained(model: onnx.ModelProto, labels: Array, *more: str) -> list[Array]:
    """The loss of each label, or their reduction, and the gradient of "x"."""
    anchors = ["each", "Gradient___x", *more]
    found = step(training_session(model, "loss", anchors), {"labels": labels})
    return [found[id] for id in anchors]


def close(found: Array, want: torch.Tensor, tolerance: float) -> None:
    expected = want.detach().double().numpy()
    np.testing.assert_allclose(found.astype(np.float64), expected, tolerance, tolerance)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    ("shape", "ignored", "is_weighted"),
    [((5, 4), None, False), ((5, 4), 1, True), ((2, 3, 4, 2), -100, True), ((3, 2, 4), 0, False)],
    ids=str,
)
@pytest.mark.parametrize("type", FUNCTIONS)
def test_a_loss_of_classes(
    type: str,
    shape: tuple[int, ...],
    ignored: int | None,
    is_weighted: bool,
    reduction: str,
    dtype: Any,
) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(dtype)
    labels = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    attributes: dict[str, Any] = {"reduction": reduction}
    if ignored is not None:
        attributes["ignore_index"] = ignored
        labels.flat[0] = ignored
    weights = rng.uniform(0.5, 2, shape[1]).astype(dtype) if is_weighted else None
    loss, gradient = trained(model(type, x, labels, weights, **attributes), labels)
    t = torch.tensor(x.astype(np.float64), requires_grad=True)
    w = None if weights is None else torch.tensor(weights.astype(np.float64))
    ignore = -7 if ignored is None else ignored
    want = FUNCTIONS[type](t, torch.tensor(labels), w, ignore_index=ignore, reduction=reduction)
    want.sum().backward()
    assert loss.dtype == gradient.dtype == dtype
    close(loss, want, TOLERANCE[dtype])
    close(gradient, t.grad, TOLERANCE[dtype])


@pytest.mark.parametrize("shape", [(0, 3), (2, 3, 0)])
@pytest.mark.parametrize("type", FUNCTIONS)
def test_the_mean_over_no_labels_is_0(type: str, shape: tuple[int, ...]) -> None:
    x, labels = np.zeros(shape, np.float32), np.zeros((shape[0], *shape[2:]), np.int64)
    loss, gradient = trained(model(type, x, labels, None, reduction="mean"), labels)
    assert loss == 0 and gradient.shape == shape


def test_the_second_output_may_be_a_part_of_the_loss() -> None:
    x, labels = np.random.default_rng(0).standard_normal((3, 4, 2)), np.array([[0, 1]] * 3)
    more = [
        helper.make_node("Mul", ["log_prob", "log_prob"], ["squares"]),
        helper.make_node("ReduceSum", ["squares"], ["sum"], keepdims=0),
        helper.make_node("Add", ["sum", "each"], ["both"]),
    ]
    made = model("SoftmaxCrossEntropyLoss", x, labels, None, more)
    _, gradient, found = trained(made, labels, "log_prob")
    t = torch.tensor(x, requires_grad=True)
    logs = t.log_softmax(1)
    (logs.square().sum() + torch.nn.functional.cross_entropy(t, torch.tensor(labels))).backward()
    close(found, logs, 1e-12)
    close(gradient, t.grad, 1e-12)
    # Alone, too: the loss itself then has no gradient.
    more[-1] = helper.make_node("Identity", ["sum"], ["both"])
    _, gradient = trained(model("SoftmaxCrossEntropyLoss", x, labels, None, more), labels)
    t.grad = None
    t.log_softmax(1).square().sum().backward()
    close(gradient, t.grad, 1e-12)


@pytest.mark.parametrize("type", FUNCTIONS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_mean_over_no_label_is_0(type: str, is_weighted: bool) -> None:
    x, labels = np.ones((3, 4), np.float32), np.full(3, 2)
    weights = np.ones(4, np.float32) if is_weighted else None
    loss, gradient = trained(model(type, x, labels, weights, ignore_index=2), labels)
    assert loss == 0 and not gradient.any()
    # Nor does a sum of weights of 0 divide by 0.
    loss, gradient = trained(model(type, x, labels, np.zeros(4, np.float32)), labels)
    assert loss == 0 and not gradient.any()


@pytest.mark.parametrize("type", FUNCTIONS)
@pytest.mark.parametrize("label", [4, -1, -100])
def test_a_label_that_is_no_class_makes_nan(type: str, label: int) -> None:
    x, labels = np.ones((3, 4), np.float32), np.array([1, label, 3])
    loss, gradient = trained(model(type, x, labels, None, reduction="none"), labels)
    np.testing.assert_array_equal(np.isnan(loss), [False, True, False])
    np.testing.assert_array_equal(np.isnan(gradient).all(1), [False, True, False])
    loss, _ = trained(model(type, x, labels, None), labels)
    assert np.isnan(loss)


def test_weights_of_classes_are_not_trained(tmp_path: Path) -> None:
    x, labels = np.zeros((2, 3), np.float32), np.array([0, 1])
    made = model("SoftmaxCrossEntropyLoss", x, labels, np.ones(3, np.float32))
    session = training_session(made, "loss")
    step(session, {"labels": labels})
    session.modelToHost(target := str(tmp_path / "trained.onnx"))
    initializers = onnx.load(target).graph.initializer
    saved = {tensor.name: numpy_helper.to_array(tensor) for tensor in initializers}
    assert saved["x"].any()
    assert (saved["weights"] == 1).all()
    made.graph.input.append(helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape))
    del made.graph.initializer[0]
    words = "'weights': the class weights of SoftmaxCrossEntropyLoss"
    with pytest.raises(popart_exception, match=words):
        training_session(made, "loss")
    # Nor does a gradient flow there if it is asked for.
    given = (popir.DataFlow(1, []), "loss", popir.ConstSGD(0.1))
    with pytest.raises(popart_exception, match="depends on none of the weights weights"):
        popir.TrainingSession(
            made, *given, popir.DeviceManager().createCpuDevice(), trained=["weights"]
        )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_losses_of_scores_that_saturate(dtype: Any, scale: float) -> None:
    """The probability of a label is 0 in the type; its logarithm, and the gradient, are not."""
    x = np.array([[60, -60, 0], [-40, 40, 39]], dtype) * dtype(scale)
    labels = np.array([1, 0])
    loss, gradient = trained(model("SoftmaxCrossEntropyLoss", x, labels, None), labels)
    t = torch.tensor(x.astype(np.float64), requires_grad=True)
    want = torch.nn.functional.cross_entropy(t, torch.tensor(labels))
    want.backward()
    if want <= np.finfo(dtype).max:
        close(loss, want, 1e-3)
    close(gradient, t.grad, 1e-3)


def test_what_a_loss_of_classes_refuses() -> None:
    x, labels = np.ones((3, 4), np.float32), np.zeros(3, np.int64)
    with pytest.raises(OperatorInputError, match=r"scores are FLOAT\[3, 4\], the labels .*\[N, d1"):
        trained(model("SoftmaxCrossEntropyLoss", x, labels[:2], None), labels[:2])
    with pytest.raises(OperatorInputError, match=r"the weights are .*; expected is one for each"):
        trained(model("NegativeLogLikelihoodLoss", x, labels, np.ones(3, np.float32)), labels)
    with pytest.raises(
        OperatorAttributeError, match="'reduction' is 'Mean'; expected is one of mean"
    ):
        trained(model("SoftmaxCrossEntropyLoss", x, labels, None, reduction="Mean"), labels)


# PopART's element-wise losses.


def popart_loss(dtype: Any, n: int, size: float, reduction: str, **scaling: Any) -> Any:
    """lambda |x| and its gradient; also the identity loss's value of |x|."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    x = (np.random.default_rng(0).standard_normal(n) * size).astype(dtype)
    w = builder.addInitializedInputTensor(x, "w")
    kind = popir.ReductionType(reduction)
    l1 = builder.aiGraphcore.l1loss([w], 0.125, kind)
    positive = builder.aiOnnx.abs([w])
    identity = builder.aiGraphcore.identityloss([positive], kind)
    anchors = [l1, f"Gradient___{w}", identity]
    optimizer = popir.SGD({"defaultLearningRate": (0.0, True), **scaling})
    session = training_session(builder.getModelProto(), l1, anchors, optimizer)
    found = step(session, {})
    return x.astype(np.float64), *(found[id].astype(np.float64) for id in anchors)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("reduction", ["Mean", "Sum"])
def test_sums_of_losses_are_made_in_float(dtype: Any, reduction: str) -> None:
    n, size = (200000, 8.0) if reduction == "Mean" else (1000, 8.0)
    x, l1, gradient, identity = popart_loss(dtype, n, size, reduction)
    total = np.abs(x).sum() / (n if reduction == "Mean" else 1)
    rtol = {np.float16: 5e-4, np.float32: 1e-6, np.float64: 1e-12}[dtype]
    assert l1 == pytest.approx(0.125 * total, rel=rtol)
    assert identity == pytest.approx(total, rel=rtol)
    each = 0.125 / (n if reduction == "Mean" else 1)
    small = 6e-8 if dtype is np.float16 else 0  # half's smallest number
    np.testing.assert_allclose(gradient, np.sign(x) * each, 2e-3 if small else 1e-6, small)


def test_a_scaled_loss_keeps_gradients_that_half_would_lose() -> None:
    scaling = {"lossScaling": (32768.0, True)}
    x, _, gradient, _ = popart_loss(np.float16, 200000, 1.0, "Mean", **scaling)
    np.testing.assert_allclose(gradient, np.sign(x) * 32768 * 0.125 / 200000, rtol=1e-3)
