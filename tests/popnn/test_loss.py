"""popnn's losses of classifiers, accuracy, argMax and its kin."""

import numpy as np
import pytest
import torch

from popir import errors, ext, poplar, popnn
from tests.device import TYPES, run

SQUARED, ENTROPY = popnn.LossType.SUM_SQUARED_LOSS, popnn.LossType.CROSS_ENTROPY_LOSS
MASKED = 0xFFFFFFFF
BEFORE = 1000  # what numCorrect holds
TOLERANCE = {np.float32: 1e-6, np.float16: 2e-3}


def calc_loss(kind, outputs, labels, *scales, count=True):
    """Loss, deltas and, if counted, the number of right guesses."""

    def build(g, out, expected, *rest):
        *given, prog = rest
        new = lambda t, shape: g.addVariable(t, shape, poplar.VariableMappingMethod.LINEAR)  # noqa: E731
        results = [new(out.elementType(), [out.dim(0)]), new(out.elementType(), out.shape())]
        counted = [new(poplar.UNSIGNED_INT, [1])] if count else []
        for t in counted:
            g.setInitialValue(t, np.array([BEFORE], np.uint32))
        prog.add(popnn.calcLoss(g, out, expected, *results, *given, *counted, kind))
        return results + counted

    return run(build, outputs, labels, *scales)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("label_type", [np.int32, np.uint32])
def test_cross_entropy(dtype, label_type):
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.standard_normal((30, 7))).requires_grad_()
    labels = rng.integers(0, 7, 30)
    losses = torch.nn.functional.cross_entropy(logits, torch.from_numpy(labels), reduction="none")
    losses.sum().backward()
    p = torch.softmax(logits, -1).detach().numpy().astype(dtype)
    loss, deltas, correct = calc_loss(ENTROPY, p, labels.astype(label_type))
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(loss, losses.detach().numpy(), tolerance, tolerance)
    np.testing.assert_allclose(deltas, logits.grad.numpy(), tolerance, tolerance)
    assert correct == BEFORE + (p.argmax(1) == labels).sum()

    # Outputs that were scaled, and deltas that are to be.
    scales = [np.array([8], dtype), np.array([50], dtype)]
    loss, deltas, _ = calc_loss(ENTROPY, (50 * p).astype(dtype), labels.astype(label_type), *scales)
    np.testing.assert_allclose(loss, losses.detach().numpy(), 2 * tolerance, 2 * tolerance)
    np.testing.assert_allclose(deltas, 8 * logits.grad.numpy(), 2 * tolerance, 8 * tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_sum_squared(dtype):
    rng = np.random.default_rng(1)
    x, labels = rng.random((12, 5)).astype(dtype), rng.integers(0, 5, 12).astype(np.int32)
    target = np.eye(5)[labels]
    loss, deltas = calc_loss(SQUARED, x, labels, count=False)
    expected = x.astype(np.float64) - target
    np.testing.assert_allclose(deltas, expected, TOLERANCE[dtype], TOLERANCE[dtype])
    np.testing.assert_allclose(loss, 0.5 * (expected**2).sum(1), TOLERANCE[dtype])


@pytest.mark.parametrize("kind", [SQUARED, ENTROPY], ids=["squared", "entropy"])
def test_labels_that_are_masked_or_no_class(kind):
    x = np.full((4, 3), 1 / 3, np.float32)
    labels = np.array([0, MASKED, 3, 2], np.uint32)
    loss, deltas, correct = calc_loss(kind, x, labels)
    np.testing.assert_array_equal(np.isnan(loss), [0, 0, 1, 0])
    np.testing.assert_array_equal(np.isnan(deltas).all(1), [0, 0, 1, 0])
    assert loss[1] == 0
    assert not deltas[1].any()
    assert correct == BEFORE + 1  # of equal outputs the first counts


def test_a_probability_of_zero_has_a_finite_loss():
    loss, _, _ = calc_loss(ENTROPY, np.array([[0, 1]], np.float32), np.zeros(1, np.int32))
    assert loss[0] == pytest.approx(-np.log(np.finfo(np.float32).tiny))


ORDERED = [d for d in TYPES if d.kind in "fiu"]


@pytest.mark.parametrize("dtype", ORDERED, ids=str)
@pytest.mark.parametrize("shape", [(1, 1), (20, 10), (3, 1000), (0, 4)], ids=str)
def test_extrema(dtype, shape):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 7, shape).astype(dtype)  # ties
    if dtype.kind == "f" and x.size > 100:
        x[1, 5] = x[1, 8] = np.nan
    for max_ in (True, False):
        one = popnn.argMax if max_ else popnn.argMin
        both = popnn.maxAndArgMax if max_ else popnn.minAndArgMin
        index = (np.argmax if max_ else np.argmin)(x, 1)
        result = run(lambda g, t, prog, f=one: f(g, t, prog), x)
        assert result.dtype == np.uint32
        np.testing.assert_array_equal(result, index)
        value, result = run(lambda g, t, prog, f=both: f(g, t, prog), x)
        np.testing.assert_array_equal(result, index)
        np.testing.assert_array_equal(value, x[np.arange(len(x)), index])


@pytest.mark.parametrize("dtype", ORDERED, ids=str)
def test_the_last_of_several_extrema(dtype):
    x = np.random.default_rng(3).integers(0, 4, (20, 300)).astype(dtype)
    if dtype.kind == "f":
        x[1, 5] = x[1, 8] = np.nan
    for max_ in (True, False):
        find = np.argmax if max_ else np.argmin
        for last in (True, False):
            want = 299 - find(x[:, ::-1], 1) if last else find(x, 1)
            result = run(lambda g, t, prog, m=max_, n=last: ext.argExtremum(g, t, m, n, prog), x)
            np.testing.assert_array_equal(result, want)
            lines = x.reshape(2, 10, 300).swapaxes(1, 2)  # along the middle
            result = run(
                lambda g, t, prog, m=max_, n=last: ext.argExtremum(g, t, m, n, prog), lines
            )
            np.testing.assert_array_equal(result, want.reshape(2, 10))


def test_refusals():
    f, labels = np.zeros((2, 3), np.float32), np.zeros(2, np.int32)
    cases = [
        (lambda: calc_loss(ENTROPY, f, np.zeros(3, np.int32)), r"expected is int \[3\]"),
        (lambda: calc_loss(ENTROPY, f.astype(np.float64), labels), r"modelOutputs is double"),
        (lambda: calc_loss(SQUARED, f, labels, *[np.ones(1, np.float32)] * 2), "go with CROSS_ENT"),
        (lambda: calc_loss(ENTROPY, f, labels, *[np.ones(2, np.float32)] * 2), "a scale is float"),
        (lambda: run(popnn.argMax, labels), r"argMax: the input is int \[2\]"),
        (lambda: run(popnn.argMax, f > 0), r"bool \[2,3\]; give integers or floating"),
        (lambda: run(popnn.argMin, np.zeros((2, 0), np.float32)), "no extremum"),
    ]
    for attempt, words in cases:
        with pytest.raises(errors.poplibs_exception, match=words):
            attempt()
