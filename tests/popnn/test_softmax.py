"""Softmax, its logarithm and their gradients against PyTorch in double."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from popir import errors, ext
from tests.device import run
from tests.popnn.isa_digest import LENGTHS

DTYPES = [np.float32, np.float16, np.float64]
SHAPES = [(1,), (10,), (64, 10), (3, 4, 17), (5, 128), (2, 1000), (2, 2049), (1, 50257), (300, 2)]
TOLERANCE = {np.float32: 1e-6, np.float16: 2e-3, np.float64: 1e-13}


def close(actual, expected, dtype, log=False):
    """Relative, but for logarithms, near 0 differences of larger numbers, also absolute."""
    assert actual.dtype == dtype
    tolerance = TOLERANCE[dtype]
    absolute = tolerance / (3 if log else 1000)
    np.testing.assert_allclose(actual.astype(np.float64), expected, tolerance, absolute)


def random(shape, dtype, scale=3.0, seed=0):
    return (scale * np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


def oracle(x, g, log):
    t = torch.from_numpy(x.astype(np.float64)).requires_grad_()
    y = torch.log_softmax(t, -1) if log else torch.softmax(t, -1)
    y.backward(torch.from_numpy(g.astype(np.float64)))
    return y.detach().numpy(), t.grad.numpy()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("log", [False, True], ids=["softmax", "log_softmax"])
def test_forwards_and_backwards(log, shape, dtype):
    x, g = random(shape, dtype), random(shape, dtype, 1, 1)
    function, gradient = (
        (ext.logSoftmax, ext.logSoftmaxGrad) if log else (ext.softmax, ext.softmaxGrad)
    )
    y, dx = oracle(x, g, log)
    close(run(function, x), y, dtype, log)
    # y is rounded before the gradient sees it, so errors are of the size of g's sum over a row.
    bound = 4 * TOLERANCE[dtype] * np.abs(g.astype(np.float64)).sum(-1).max()
    result = run(gradient, y.astype(dtype), g)
    np.testing.assert_allclose(result.astype(np.float64), dx, TOLERANCE[dtype], bound)


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_inputs(dtype):
    limit = np.finfo(dtype).max
    x = np.array([[limit, 0, -limit], [1e4, 1e4 - 8, 0]], np.float64).astype(dtype)
    result = run(ext.softmax, x)
    np.testing.assert_array_equal(result[0], [1, 0, 0])
    assert result[1].sum() == pytest.approx(1, abs=1e-3)
    logs = run(ext.logSoftmax, x).astype(np.float64)
    assert logs[0, 0] == 0
    assert logs[1, 1] == pytest.approx(-8, abs=1e-2)


def test_values_that_are_no_numbers():
    inf, nan = np.inf, np.nan
    x = np.array([[1, -inf, 1], [inf, 0, 0], [-inf] * 3, [nan, 0, 0], [0, 0, 0]], np.float32)
    expected = torch.softmax(torch.from_numpy(x), -1).numpy()
    np.testing.assert_allclose(run(ext.softmax, x), expected, rtol=1e-6)


@pytest.mark.parametrize("log", [False, True], ids=["softmax", "log_softmax"])
def test_differences_at_the_end_of_the_range(log):
    """What is hardly a normal number, or less, is 0; all else is exact to the last places."""
    x = np.concatenate([[0], -np.linspace(80, 110, 4001)]).astype(np.float32)[None]
    exact, _ = oracle(x, np.zeros_like(x), log)
    result = run(ext.logSoftmax if log else ext.softmax, x)
    if log:
        return close(result, exact, np.float32, log=True)
    is_zero = x < -87
    np.testing.assert_array_equal(result[is_zero], 0)
    np.testing.assert_allclose(result[~is_zero], exact[~is_zero], rtol=1e-6)


def test_in_place_and_scale():
    x = random((6, 33), np.float32)

    def build(g, t, prog):
        ext.softmaxInPlace(g, t, prog, "", 10.0)

    (result,) = run(build, x)
    expected = 10 * torch.softmax(torch.from_numpy(x.astype(np.float64)), -1).numpy()
    close(result, expected, np.float32)

    def logs(g, t, prog):
        ext.logSoftmaxInPlace(g, t, prog)

    (result,) = run(logs, x)
    close(result, np.log(expected / 10), np.float32, log=True)


def test_views_and_threads():
    x = random((400, 300), np.float32)
    build = lambda g, t, prog: ext.softmax(g, t.transpose(), prog)  # noqa: E731
    results = [run(build, x, threads=t) for t in (1, 2)]
    np.testing.assert_array_equal(*results)
    close(
        results[0], torch.softmax(torch.from_numpy(x.T.astype(np.float64)), -1).numpy(), np.float32
    )


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0)], ids=str)
def test_empty(shape):
    assert run(ext.softmax, np.zeros(shape, np.float32)).shape == shape


def test_refusals():
    with pytest.raises(errors.poplibs_exception, match=r"softmax of float \[\]; give FLOAT"):
        run(ext.softmax, np.zeros((), np.float32))
    with pytest.raises(errors.poplibs_exception, match=r"logSoftmax of int \[3\]"):
        run(ext.logSoftmax, np.zeros(3, np.int32))
    with pytest.raises(errors.poplibs_exception, match=r"output is float \[3\], its gradient half"):
        run(ext.softmaxGrad, np.zeros(3, np.float32), np.zeros(3, np.float16))


def test_every_instruction_set_gives_the_same_bits():
    script = Path(__file__).with_name("isa_digest.py")
    outputs = []
    for isa in ("base", "avx2", "avx512"):
        env = {**os.environ, "POPIR_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, script], env=env, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.splitlines())
    assert len(outputs[0]) == 2 * len(LENGTHS)
    assert outputs[1] == outputs[0]
    assert outputs[2] == outputs[0]
