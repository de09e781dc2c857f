"""The negative log likelihood and its gradients against PyTorch in double."""

import itertools

import numpy as np
import pytest
import torch

from popir import errors, ext
from tests.device import run

DTYPES = [np.float32, np.float16, np.float64]
LABELS = [np.int32, np.uint32, np.int64, np.uint64]
REDUCTIONS = {"None": "none", "Sum": "sum", "Mean": "mean"}
TOLERANCE = {np.float32: 2e-6, np.float16: 2e-3, np.float64: 1e-13}


def params(reduction="Mean", log=False, ignore=None):
    p = ext.NllParams()
    p.reduction = ext.LossReduction.__members__[reduction.replace("None", "None_")]
    p.inputIsLogProbability = log
    p.hasIgnoreIndex = ignore is not None
    p.ignoreIndex = ignore or 0
    return p


def case(shape, dtype, log, label_type=np.int32, seed=0):
    rng = np.random.default_rng(seed)
    logits = torch.from_numpy(rng.standard_normal(shape))
    p = (torch.log_softmax if log else torch.softmax)(logits, -1).numpy().astype(dtype)
    return p, rng.integers(0, shape[-1], shape[:-1]).astype(label_type)


def oracle(p, labels, reduction, log, ignore, g):
    """Loss, gradient with respect to p, and to the input of the softmax that p is taken to be."""
    t = torch.from_numpy(p.astype(np.float64)).requires_grad_()
    flat = (t if log else t.log()).reshape(-1, p.shape[-1])
    at = torch.from_numpy(labels.astype(np.int64).reshape(-1))
    ignore = -100 if ignore is None else ignore
    loss = torch.nn.functional.nll_loss(flat, at, None, None, ignore, None, REDUCTIONS[reduction])
    g = torch.from_numpy(np.asarray(g, np.float64)).reshape(loss.shape)
    loss.backward(g)
    probabilities = torch.from_numpy(p.astype(np.float64)).reshape(-1, p.shape[-1])
    probabilities = probabilities.exp() if log else probabilities
    hot = torch.zeros_like(probabilities)
    keep = at != ignore
    hot[torch.arange(len(at))[keep], at[keep]] = 1
    scale = g / keep.sum() if reduction == "Mean" else g
    dx = (probabilities - hot) * (scale.reshape(-1, 1) * keep.reshape(-1, 1))
    shape = labels.shape if reduction == "None" else ()
    return loss.detach().numpy().reshape(shape), t.grad.numpy(), dx.numpy().reshape(p.shape)


def close(actual, expected, dtype):
    assert actual.dtype == dtype
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(actual.astype(np.float64), expected, tolerance, tolerance / 10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(
    ("log", "ignore"), list(itertools.product([False, True], [None, 1])), ids=str
)
@pytest.mark.parametrize("shape", [(7, 5), (2, 3, 10), (1500, 3), (4, 700), (6,)], ids=str)
def test_loss_and_gradients(shape, reduction, log, ignore, dtype):
    p, labels = case(shape, dtype, log)
    if ignore is not None and shape == (6,):
        labels = np.asarray(3, np.int32)  # one sample, not ignored
    nll = params(reduction, log, ignore)
    loss = run(lambda g, t, u, prog: ext.nllLoss(g, t, u, nll, prog), p, labels)
    grad = np.random.default_rng(1).standard_normal(loss.shape).astype(np.float32)
    expected, dp, dx = oracle(p, labels, reduction, log, ignore, grad)
    close(loss, expected, dtype)
    build = lambda g, t, u, v, prog: [  # noqa: E731
        ext.nllLossGrad(g, t, u, v, nll, prog),
        ext.nllSoftmaxGrad(g, t, u, v, nll, prog),
    ]
    ours = run(build, grad, p, labels)
    close(ours[0], dp, dtype)
    close(ours[1], dx, dtype)


@pytest.mark.parametrize("label_type", LABELS)
def test_labels_of_every_type(label_type):
    p, labels = case((9, 4), np.float32, False, label_type)
    nll = params("Sum")
    loss = run(lambda g, t, u, prog: ext.nllLoss(g, t, u, nll, prog), p, labels)
    expected = -np.log(p[np.arange(9), labels.astype(np.int64)].astype(np.float64)).sum()
    assert loss == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("label_type", LABELS)
def test_labels_that_are_no_class(label_type):
    p, labels = case((4, 3), np.float32, False, label_type)
    labels[1] = 3
    labels[2] = label_type(-1) if np.dtype(label_type).kind == "i" else np.iinfo(label_type).max
    nll = params("None")
    g = np.ones(4, np.float32)
    build = lambda g, t, u, v, prog: [  # noqa: E731
        ext.nllLoss(g, u, v, nll, prog),
        ext.nllLossGrad(g, t, u, v, nll, prog),
        ext.nllSoftmaxGrad(g, t, u, v, nll, prog),
    ]
    for result in run(build, g, p, labels):
        np.testing.assert_array_equal(np.isnan(result).reshape(4, -1).all(1), [0, 1, 1, 0])
        assert np.isfinite(result[[0, 3]]).all()
    # One of them may be the label to ignore.
    nll = params("None", ignore=-1)
    for result in run(build, g, p, labels):
        np.testing.assert_array_equal(np.isnan(result).reshape(4, -1).all(1), [0, 1, 0, 0])
        assert not result[2].any()


@pytest.mark.parametrize(("dtype", "least"), [(np.float32, 1e-7), (np.float16, 6.104e-5)])
def test_probabilities_of_zero_are_kept_away_from(dtype, least):
    p = np.array([[0, 1], [np.nan, 1]], dtype)
    labels, g = np.zeros(2, np.int32), np.ones(2, np.float32)
    nll = params("None")
    loss = run(lambda g, t, u, prog: ext.nllLoss(g, t, u, nll, prog), p, labels)
    np.testing.assert_allclose(loss, [-np.log(least), np.nan], rtol=1e-3)
    grad = run(lambda g, t, u, v, prog: ext.nllLossGrad(g, t, u, v, nll, prog), g, p, labels)
    inverse = 1e10 if dtype == np.float32 else 1 / least
    np.testing.assert_allclose(grad, [[-inverse, 0], [np.nan, 0]], rtol=1e-3)


def test_the_mean_over_nothing_is_0():
    p, labels = case((3, 4), np.float32, False)
    labels[:] = 2
    nll, g = params("Mean", ignore=2), np.ones((), np.float32)
    build = lambda g, t, u, v, prog: [  # noqa: E731
        ext.nllLoss(g, u, v, nll, prog),
        ext.nllLossGrad(g, t, u, v, nll, prog),
        ext.nllSoftmaxGrad(g, t, u, v, nll, prog),
    ]
    for result in run(build, g, p, labels):
        assert not result.any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_weights_of_classes(reduction, dtype):
    p, labels = case((40, 6), dtype, True)
    weights = np.random.default_rng(2).uniform(0.5, 2, 6).astype(dtype)
    weights[5] = 0
    nll = params(reduction, True, 1)
    g = np.ones(40 if reduction == "None" else (), np.float32)
    build = lambda g, t, u, v, w, prog: [  # noqa: E731
        ext.nllLoss(g, u, v, nll, prog, weights=w),
        ext.nllLossGrad(g, t, u, v, nll, prog, weights=w),
        ext.nllSoftmaxGrad(g, t, u, v, nll, prog, weights=w),
    ]
    loss, dp, dx = run(build, g, p, labels, weights)
    logits = torch.from_numpy(p.astype(np.float64)).requires_grad_()
    at, w = torch.from_numpy(labels.astype(np.int64)), torch.from_numpy(weights.astype(np.float64))
    for function, found in (("nll_loss", dp), ("cross_entropy", dx)):
        logits.grad = None
        f = getattr(torch.nn.functional, function)
        want = f(logits, at, w, ignore_index=1, reduction=REDUCTIONS[reduction])
        want.sum().backward()
        close(loss, want.detach().numpy(), dtype)
        close(found, logits.grad.numpy(), dtype)


def test_the_number_of_threads_changes_nothing():
    p, labels = case((5000, 40), np.float32, False)
    nll, g = params("Mean"), np.ones((), np.float32)
    build = lambda g, t, u, v, prog: [  # noqa: E731
        ext.nllLoss(g, u, v, nll, prog),
        ext.nllSoftmaxGrad(g, t, u, v, nll, prog),
    ]
    one, two = (run(build, g, p, labels, threads=t) for t in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_probability_near_1_keeps_the_digits_of_its_distance():
    p, labels = np.array([[-1e-12, -30]], np.float32), np.zeros(1, np.int32)
    nll, g = params("Sum", True), np.ones((), np.float32)
    dx = run(lambda g, t, u, v, prog: ext.nllSoftmaxGrad(g, t, u, v, nll, prog), g, p, labels)
    np.testing.assert_allclose(dx, [[-1e-12, np.exp(-30)]], rtol=1e-5)


def test_refusals():
    p, labels = case((3, 4), np.float32, False)
    nll = params("None")
    for bad_p, bad_labels, words in [
        (p, labels[:2], r"labels int \[2\]"),
        (p, labels.astype(np.float32), r"labels float \[3\]"),
        (p.astype(np.int32), labels, r"the probabilities are int \[3,4\]"),
    ]:
        with pytest.raises(errors.poplibs_exception, match=words):
            run(lambda g, t, u, prog: ext.nllLoss(g, t, u, nll, prog), bad_p, bad_labels)
    for weights in (np.ones(3, np.float32), np.ones(4, np.float16)):
        with pytest.raises(errors.poplibs_exception, match="give one for each class, of the same"):
            run(
                lambda g, t, u, v, prog: ext.nllLoss(g, t, u, nll, prog, weights=v),
                p,
                labels,
                weights,
            )
    with pytest.raises(errors.poplibs_exception, match="give one element for each sample"):
        run(
            lambda g, t, u, v, prog: ext.nllLossGrad(g, t, u, v, nll, prog),
            np.ones(1, np.float32),
            p,
            labels,
        )
