"""Non-linear functions and their gradients against PyTorch in double."""

import numpy as np
import pytest
import torch

from popir import errors, popnn
from tests.device import run

T = popnn.NonLinearityType
F = torch.nn.functional
TORCH = {
    T.SIGMOID: torch.sigmoid,
    T.HARD_SIGMOID: lambda x: torch.clamp(0.2 * x + 0.5, 0, 1),
    T.RELU: torch.relu,
    T.TANH: torch.tanh,
    T.GELU: lambda x: F.gelu(x, approximate="tanh"),
    T.GELU_ERF: F.gelu,
    T.SWISH: F.silu,
    T.SOFTMAX: lambda x: torch.softmax(x, -1),
    T.SOFTMAX_STABLE: lambda x: torch.softmax(x, -1),
    T.SOFTMAX_SCALED: lambda x: 62000 * torch.softmax(x, -1),
}
NAMES = {
    T.SIGMOID: "sigmoid",
    T.RELU: "relu",
    T.TANH: "tanh",
    T.GELU: "gelu",
    T.GELU_ERF: "geluErf",
    T.SWISH: "swish",
    T.SOFTMAX: "softmax",
    T.SOFTMAX_STABLE: "softmaxStable",
    T.SOFTMAX_SCALED: "scaledSoftmaxStable",
}
OF_INPUT = {T.GELU, T.GELU_ERF, T.SWISH}
DTYPES = [np.float32, np.float16, np.float64]
TOLERANCE = {np.float32: 3e-6, np.float16: 2e-3, np.float64: 1e-12}


def oracle(kind, x, g):
    t = torch.from_numpy(x.astype(np.float64)).requires_grad_()
    y = TORCH[kind](t)
    y.backward(torch.from_numpy(g.astype(np.float64)))
    return y.detach().numpy(), t.grad.numpy()


def operands(dtype):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.standard_normal((20, 30)) * 3, np.linspace(-9, 9, 30)[None]])
    return x.astype(dtype), rng.standard_normal((21, 30)).astype(dtype)


@pytest.mark.parametrize("kind", TORCH, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_forwards(kind, dtype):
    x, g = operands(dtype)
    y, _ = oracle(kind, x, g)
    tolerance = TOLERANCE[dtype]
    result = run(lambda graph, t, prog: popnn.nonLinearity(graph, kind, t, prog), x)
    assert result.dtype == dtype
    absolute = tolerance * (62000 if kind == T.SOFTMAX_SCALED else 1) / 10
    np.testing.assert_allclose(result.astype(np.float64), y, tolerance, absolute)

    def in_place(graph, t, prog):
        popnn.nonLinearityInPlace(graph, kind, t, prog)

    np.testing.assert_array_equal(run(in_place, x)[0], result)
    if kind in NAMES:
        np.testing.assert_array_equal(run(getattr(popnn, NAMES[kind]), x), result)

        def by_name(graph, t, prog):
            getattr(popnn, NAMES[kind] + "InPlace")(graph, t, prog)

        np.testing.assert_array_equal(run(by_name, x)[0], result)


@pytest.mark.parametrize("kind", [k for k in TORCH if k != T.SOFTMAX_SCALED], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients(kind, dtype):
    x, g = operands(dtype)
    y, dx = oracle(kind, x, g)
    act = x if kind in OF_INPUT else y.astype(dtype)
    build = lambda graph, a, b, prog: popnn.nonLinearityInputGradient(graph, kind, a, b, prog)  # noqa: E731
    result = run(build, act, g)
    assert result.dtype == dtype
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(result.astype(np.float64), dx, 2 * tolerance, 4 * tolerance)


def test_refusals():
    x = np.zeros((2, 3), np.int32)
    with pytest.raises(errors.poplibs_exception, match=r"nonLinearity of int \[2,3\]"):
        run(popnn.relu, x)
    f = x.astype(np.float32)
    with pytest.raises(errors.poplibs_exception, match="SOFTMAX_SCALED has no gradient"):
        run(lambda g, a, b, p: popnn.nonLinearityInputGradient(g, T.SOFTMAX_SCALED, a, b, p), f, f)
    with pytest.raises(errors.poplibs_exception, match=r"act is float \[2,3\], outGradient half"):
        run(
            lambda g, a, b, p: popnn.nonLinearityInputGradient(g, T.TANH, a, b, p),
            f,
            f.astype(np.float16),
        )
