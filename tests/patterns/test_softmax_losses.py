"""SoftMaxGradDirect and NlllWithSoftMaxGradDirect: the nll of a softmax against PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

import popir
from tests.models import step, training_session
from tests.patterns.graphs import Array, assert_same, compiled, plain

REDUCTIONS = {"Mean": "mean", "Sum": "sum", "NoReduction": "none"}
TOLERANCE = {np.float16: 5e-3, np.float32: 2e-6, np.float64: 1e-12}
DIRECT, LOSS = "SoftMaxGradDirect", "NlllWithSoftMaxGradDirect"


def scores(shape: Sequence[int], scale: float, dtype: Any = np.float32) -> tuple[Array, Array]:
    """Numbers before a softmax, and labels."""
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(shape) * scale).astype(dtype)
    return x, rng.integers(0, shape[-1], shape[:-1]).astype(np.int32)


def oracle(x: Array, labels: Array, reduction: str = "Mean", ignored: int = -7) -> Any:
    """The loss and the gradient of its sum, in double."""
    t = torch.tensor(x.astype(np.float64), requires_grad=True)
    at = torch.tensor(labels.astype(np.int64).reshape(-1))
    loss = torch.nn.functional.cross_entropy(
        t.reshape(-1, x.shape[-1]), at, ignore_index=ignored, reduction=REDUCTIONS[reduction]
    )
    loss.sum().backward()
    shape = labels.shape if reduction == "NoReduction" else ()
    return loss.detach().numpy().reshape(shape), t.grad.numpy()


class Net:
    """A weight "w", a softmax, perhaps something between, and an nll; see the arguments."""

    def __init__(
        self,
        x: Array,
        labels: Array,
        axis: int = -1,
        reduction: str = "Mean",
        ignored: int | None = None,
        reshape: Sequence[int] | None = None,
        anchors: Sequence[str] = (),
        other: bool = False,
        is_log: bool = False,
        excluded: Sequence[str] = (),
    ) -> None:
        self.__dict__.update({k: v for k, v in locals().items() if k != "self"})

    def __call__(self, builder: Any) -> list[str]:
        net: Any = self
        w = builder.addInitializedInputTensor(net.x, "w")
        t = builder.addInputTensor("INT32", list(net.labels.shape), "t")
        p = q = builder.aiOnnx.softmax([w], axis=net.axis, debugContext="p")
        if net.reshape is not None:
            q = builder.reshape_const(builder.aiOnnx, [p], net.reshape)
        kind, ignored = popir.ReductionType(net.reduction), net.ignored
        more: dict[str, Any] = {} if ignored is None else {"ignoreIndex": ignored}
        if net.is_log:
            more["inputIsLogProbability"] = True
        nll = loss = builder.aiGraphcore.nllloss([q, t], kind, **more)
        if net.excluded:
            builder.excludePatterns(nll, net.excluded)
        if net.reduction == "NoReduction":
            loss = builder.aiGraphcore.identityloss([loss], popir.ReductionType.Sum)
        if net.other:
            loss = builder.aiOnnx.add(
                [loss, builder.aiGraphcore.l1loss([p], 0.5, popir.ReductionType.Sum)]
            )
        names = {"p": p, "dp": f"Gradient___{p}"}
        return [loss, nll, f"Gradient___{w}", *(names[name] for name in net.anchors)]


def trained(net: Net, patterns: popir.Patterns | None = None, **numbers: Any) -> Any:
    """nll and the gradient of "w"; then the other anchors."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    anchors = net(builder)
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, anchors),
        anchors[0],
        popir.SGD({"defaultLearningRate": (0.0, True), **numbers}),
        popir.DeviceManager().createCpuDevice(),
        patterns=patterns,
    )
    session.prepareDevice()
    found = step(session, {"t": net.labels})  # type: ignore[attr-defined]
    return [found[id] for id in anchors[1:]], session


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(
    ("shape", "scale", "ignored"),
    [((6, 5), 1, None), ((6, 5), 300, None), ((2, 3, 7), 300, 2), ((40, 1000), 30, 5)],
    ids=str,
)
def test_a_loss_that_saturates(
    shape: Sequence[int], scale: float, ignored: int | None, reduction: str, dtype: Any
) -> None:
    x, labels = scores(shape, scale, dtype)
    (loss, gradient), session = trained(Net(x, labels, reduction=reduction, ignored=ignored))
    types = [op.opid.type for op in session.graph.schedule()]
    assert "SoftmaxGradDirect" in types
    assert "Softmax" not in types
    want, dx = oracle(x, labels, reduction, -7 if ignored is None else ignored)
    rtol = TOLERANCE[dtype]
    assert loss.dtype == gradient.dtype == dtype
    np.testing.assert_allclose(loss.astype(np.float64), want, rtol, rtol)
    np.testing.assert_allclose(gradient.astype(np.float64), dx, 2 * rtol, rtol * np.abs(dx).max())


def test_without_the_patterns_a_saturated_loss_has_no_gradient() -> None:
    """What the patterns are for; PopART is the same without them."""
    x, labels = np.array([[200, 0, 0]], np.float32), np.array([1], np.int32)
    (loss, gradient), _ = trained(Net(x, labels), popir.Patterns(popir.PatternsLevel.NoPatterns))
    assert loss == pytest.approx(-np.log(1e-7))
    assert not gradient.any()
    (loss, gradient), _ = trained(Net(x, labels), popir.Patterns([DIRECT]))
    assert loss == pytest.approx(-np.log(1e-7))
    np.testing.assert_array_equal(gradient, [[1, -1, 0]])
    (loss, gradient), _ = trained(Net(x, labels), popir.Patterns([LOSS]))
    assert loss == 200
    np.testing.assert_array_equal(gradient, [[1, -1, 0]])


def test_saturated_scores_learn_as_pytorchs_do() -> None:
    x, labels = scores((8, 4), 40)
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    loss, *_ = Net(x, labels)(builder)
    session = training_session(builder.getModelProto(), loss, [loss], popir.ConstSGD(20.0))
    t = torch.tensor(x, requires_grad=True)
    optimizer = torch.optim.SGD([t], 20.0)
    found, want = [], []
    for _ in range(30):
        found.append(float(step(session, {"t": labels})[loss]))
        optimizer.zero_grad()
        value = torch.nn.functional.cross_entropy(t, torch.tensor(labels.astype(np.int64)))
        value.backward()
        optimizer.step()
        want.append(value.item())
    np.testing.assert_allclose(found, want, 1e-4, 1e-6)
    assert found[0] > 20
    assert found[-1] < 0.1


def test_a_scaled_loss() -> None:
    x, labels = scores((512, 4), 1, np.float16)
    (_, gradient), _ = trained(Net(x, labels), lossScaling=(4096.0, False))
    _, dx = oracle(x, labels)
    np.testing.assert_allclose(gradient, dx * 4096, 1e-2, 1e-2)


def test_an_inference_session_gives_the_same_loss() -> None:
    x, labels = scores((6, 5), 100)
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    _, nll, *_ = Net(x, labels)(builder)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [nll]),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    (training, _), _ = trained(Net(x, labels))
    assert step(session, {"t": labels})[nll] == training


def test_probabilities_that_are_an_anchor_stay() -> None:
    x, labels = scores((6, 5), 100)
    (loss, gradient, p), _ = trained(Net(x, labels, anchors=["p"]))
    want, dx = oracle(x, labels)
    np.testing.assert_allclose(loss, want, 1e-6)
    np.testing.assert_allclose(gradient, dx, 1e-5, 1e-7)
    np.testing.assert_allclose(p, torch.tensor(x).softmax(-1).numpy(), 1e-5, 1e-7)


def test_a_softmax_that_others_read_too() -> None:
    x, labels = scores((6, 5), 10)
    (_, gradient), session = trained(Net(x, labels, other=True))
    types = [op.opid.type for op in session.graph.schedule()]
    assert {"Softmax", "SoftmaxGrad", "LogSoftmax", "SoftmaxGradDirect"} <= set(types)
    t = torch.tensor(x.astype(np.float64), requires_grad=True)
    at = torch.tensor(labels.astype(np.int64))
    (torch.nn.functional.cross_entropy(t, at) + 0.5 * t.softmax(-1).sum()).backward()
    np.testing.assert_allclose(gradient, t.grad.numpy(), 1e-4, 1e-7)
    # Without the loss's pattern the gradients of both readers are summed before the softmax's.
    found = compiled(DIRECT, Net(x, labels, other=True), {"t": labels}, True)
    assert found.done == 0
    (reason,) = found.reasons
    assert reason.endswith("is a sum: the probabilities have other readers than the loss")


def test_a_reshape_between_softmax_and_loss() -> None:
    x, labels = scores((2, 3, 7), 200)
    flat = labels.reshape(-1)
    (loss, gradient), _ = trained(Net(x, flat, reshape=[6, 7]))
    want, dx = oracle(x, labels)
    np.testing.assert_allclose(loss, want, 1e-6)
    np.testing.assert_allclose(gradient, dx, 1e-5, 1e-7)
    wrong = Net(x, np.zeros(14, np.int32), reshape=[14, 3])
    found = compiled(LOSS, wrong, {"t": np.zeros(14, np.int32)}, True)
    assert found.reasons == ["a reshape between them changes the last dimension, the classes"]


def test_a_loss_of_no_samples() -> None:
    x, labels = np.empty((0, 5), np.float32), np.empty(0, np.int32)
    (loss, gradient), _ = trained(Net(x, labels))
    assert loss == 0
    assert gradient.shape == (0, 5)


def test_two_losses_of_one_softmax_share_its_logarithm() -> None:
    x, labels = scores((6, 5), 1)

    def build(builder: Any) -> list[str]:
        loss, *_ = Net(x, labels)(builder)
        w, p = "w", next(node.output[0] for node in builder._model.graph.node)
        again = builder.aiGraphcore.nllloss([p, "t"], popir.ReductionType.Sum)
        return [builder.aiOnnx.add([loss, again]), f"Gradient___{w}"]

    found = compiled(LOSS, build, {"t": labels}, True)
    assert found.types.count("LogSoftmax") == 1
    assert found.done == 2
    _, dx = oracle(x, labels)
    np.testing.assert_allclose(found.values["Gradient___w"], 7 * dx, 1e-5, 1e-6)


@pytest.mark.parametrize("name", [LOSS, DIRECT])
def test_a_softmax_over_another_axis_stays(name: str) -> None:
    x, labels = scores((2, 3, 7), 1)
    build = Net(x, labels, axis=1)
    found = compiled(name, build, {"t": labels}, True)
    assert found.reasons == [
        "the softmax is over axis 1 of [2, 3, 7]; the classes of the loss are the last dimension"
    ]
    assert_same(found, plain(build, {"t": labels}, True))
    # Before opset 13 a softmax is over all dimensions from its axis on.
    found = compiled(name, build, {"t": labels}, True, opset=11)
    assert found.reasons == [
        "the softmax is over all dimensions from 1 on of [2, 3, 7]; the classes of the loss are "
        "the last dimension"
    ]
    assert compiled(name, Net(x, labels, axis=2), {"t": labels}, True, opset=11).done == 1


def test_probabilities_whose_gradient_is_an_anchor() -> None:
    x, labels = scores((6, 5), 1)
    build = Net(x, labels, anchors=["dp"])
    for name, words in (
        (LOSS, "'Gradient___p/Softmax:0', the gradient of the probabilities, is an anchor"),
        (DIRECT, "'Gradient___p/Softmax:0' is kept: an anchor, the loss, or an output"),
    ):
        found = compiled(name, build, {"t": labels}, True)
        assert found.reasons == [words]
        assert_same(found, plain(build, {"t": labels}, True))


def test_logarithms_and_probabilities_are_not_mixed_up() -> None:
    x, labels = scores((6, 5), 1)
    build = Net(x, labels, is_log=True)
    found = compiled(DIRECT, build, {"t": labels}, True)
    assert found.reasons == ["the loss takes logarithms for probabilities, or the other way round"]
    assert_same(found, plain(build, {"t": labels}, True))
    found = compiled(LOSS, build, {"t": labels}, True)
    assert (found.done, found.reasons) == (0, [])


@pytest.mark.parametrize("name", [LOSS, "NlllWithSoftmaxGradDirect"])
def test_a_loss_may_exclude_the_pattern(name: str) -> None:
    x, labels = scores((6, 5), 1)
    found = compiled(LOSS, Net(x, labels, excluded=[name]), {"t": labels}, True)
    assert found.reasons == ["the operator excludes the pattern"]
    assert "Softmax" in found.types
