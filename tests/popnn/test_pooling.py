"""Pooling of popnn and popir.ext against PyTorch, and against its definition."""

import itertools

import numpy as np
import pytest
import torch

from popir import errors, ext, poplar, popnn
from tests.device import TYPES, run

MAX, AVG, SUM = popnn.PoolingType.MAX, popnn.PoolingType.AVG, popnn.PoolingType.SUM
POOL = {1: "1d", 2: "2d", 3: "3d"}


def torch_function(kind):
    return {rank: getattr(torch.nn.functional, f"{kind}_pool{name}") for rank, name in POOL.items()}


TORCH = {MAX: torch_function("max"), AVG: torch_function("avg")}


def params(kind, x, kernel, stride, lower, upper):
    n, c, *field = x.shape
    return popnn.pooling.PoolParams(
        kind, field, kernel, stride, lower, upper, c, n, TYPES[np.dtype(x.dtype)]
    )


def pool(kind, x, kernel, stride, lower, upper, threads=1, **options):
    p, o = params(kind, x, kernel, stride, lower, upper), ext.PoolOptions(**options)
    return run(lambda g, t, prog: ext.pool(g, p, o, t, prog), x, threads=threads)


def grad(kind, x, g, kernel, stride, lower, upper, threads=1, **options):
    p, o = params(kind, x, kernel, stride, lower, upper), ext.PoolOptions(**options)
    if kind == MAX:
        build = lambda graph, t, u, prog: ext.maxPoolInputGradient(graph, p, o, t, u, prog)  # noqa: E731
        return run(build, x, g, threads=threads)
    return run(
        lambda graph, u, prog: ext.poolInputGradient(graph, p, o, u, prog), g, threads=threads
    )


def random(shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


# shape, kernel, stride, padding, dilation
CASES = [
    ((2, 3, 17), [3], [1], [1], [1]),
    ((2, 3, 17), [4], [3], [2], [1]),
    ((1, 2, 40), [3], [2], [0], [5]),
    ((2, 4, 8, 8), [2, 2], [2, 2], [0, 0], [1, 1]),
    ((2, 3, 15, 20), [3, 3], [2, 2], [1, 1], [1, 1]),
    ((2, 3, 15, 20), [3, 2], [1, 3], [0, 1], [1, 1]),
    ((1, 3, 33, 18), [3, 3], [1, 1], [1, 1], [2, 3]),
    ((3, 5, 7, 7), [7, 7], [7, 7], [0, 0], [1, 1]),
    ((1, 2, 13, 13), [13, 13], [1, 1], [6, 6], [1, 1]),
    ((2, 2, 6, 7, 8), [2, 3, 2], [2, 1, 2], [1, 1, 0], [1, 1, 1]),
    ((1, 1, 5, 9, 6), [3, 3, 3], [1, 2, 1], [1, 1, 1], [2, 1, 1]),
    # rows long enough that neighbouring outputs are computed together
    ((2, 3, 110), [3], [1], [1], [1]),
    ((2, 3, 201), [4], [2], [1], [1]),
    ((1, 17, 6, 203), [2, 2], [2, 2], [0, 0], [1, 1]),
    ((2, 3, 9, 131), [3, 3], [1, 1], [1, 1], [1, 1]),
    ((2, 3, 9, 200), [3, 3], [2, 2], [1, 1], [1, 1]),
    ((1, 3, 12, 209), [3, 3], [1, 2], [1, 1], [2, 3]),
    ((1, 3, 12, 110), [5, 6], [1, 1], [2, 3], [1, 1]),
    ((1, 2, 4, 6, 205), [2, 3, 2], [2, 1, 2], [1, 1, 0], [1, 1, 1]),
    ((2, 5, 19, 23), [19, 23], [1, 1], [0, 0], [1, 1]),
    # rows of one or a few groups of outputs, with and without a rest
    ((2, 3, 6, 64), [3, 3], [1, 1], [1, 1], [1, 1]),
    ((1, 18, 9, 66), [3, 3], [1, 1], [0, 0], [1, 1]),
    ((2, 3, 8, 28), [2, 2], [2, 2], [0, 0], [1, 1]),
    ((1, 2, 7, 33), [2, 2], [1, 1], [1, 1], [1, 1]),
    ((1, 2, 1, 31), [3, 3], [1, 1], [1, 1], [1, 1]),
    ((1, 2, 11, 30), [5, 5], [1, 1], [2, 2], [1, 1]),
    ((1, 2, 9, 61), [3, 3], [2, 2], [1, 1], [1, 2]),
    ((1, 2, 4, 5, 40), [3, 3, 3], [1, 1, 1], [1, 1, 1], [1, 1, 1]),
]
IDS = ["-".join("x".join(map(str, part)) for part in case) for case in CASES]


@pytest.mark.parametrize(("shape", "kernel", "stride", "pad", "dilation"), CASES, ids=IDS)
def test_max_as_in_pytorch(shape, kernel, stride, pad, dilation):
    # Few values, so that maxima tie.
    x = np.random.default_rng(1).integers(-3, 3, shape).astype(np.float32)
    t = torch.from_numpy(x).requires_grad_()
    y = TORCH[MAX][len(shape) - 2](t, kernel, stride, pad, dilation)
    g = random(y.shape)
    y.backward(torch.from_numpy(g))
    args = (kernel, stride, pad, pad)
    np.testing.assert_array_equal(pool(MAX, x, *args, dilation=dilation), y.detach().numpy())
    result = grad(MAX, x, g, *args, dilation=dilation)
    np.testing.assert_allclose(result, t.grad.numpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("include", [False, True], ids=["exclude_pad", "include_pad"])
@pytest.mark.parametrize(
    ("shape", "kernel", "stride", "pad"),
    [c[:4] for c in CASES if set(c[4]) == {1}],
    ids=[i for i, c in zip(IDS, CASES, strict=True) if set(c[4]) == {1}],
)
def test_average_as_in_pytorch(shape, kernel, stride, pad, include):
    x = random(shape)
    t = torch.from_numpy(x).requires_grad_()
    y = TORCH[AVG][len(shape) - 2](t, kernel, stride, pad, False, include)
    g = random(y.shape, seed=2)
    y.backward(torch.from_numpy(g))
    args = (kernel, stride, pad, pad)
    result = pool(AVG, x, *args, countIncludePad=include)
    np.testing.assert_allclose(result, y.detach().numpy(), rtol=1e-5, atol=1e-6)
    result = grad(AVG, x, g, *args, countIncludePad=include)
    np.testing.assert_allclose(result, t.grad.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("include", [False, True], ids=["exclude_pad", "include_pad"])
@pytest.mark.parametrize("kind", [MAX, AVG], ids=["max", "avg"])
def test_ceil_mode_by_upper_padding(kind, include):
    x = random((2, 3, 11, 12))
    kernel, stride, pad = [3, 3], [2, 3], 1
    if kind == MAX:
        y = torch.nn.functional.max_pool2d(torch.from_numpy(x), kernel, stride, pad, 1, True)
    else:
        y = torch.nn.functional.avg_pool2d(torch.from_numpy(x), kernel, stride, pad, True, include)
    upper = [
        (o - 1) * s + k - n - pad
        for o, s, k, n in zip(y.shape[2:], stride, kernel, x.shape[2:], strict=True)
    ]
    extra = [max(u - pad, 0) for u in upper]
    result = pool(
        kind,
        x,
        kernel,
        stride,
        [pad, pad],
        upper,
        countIncludePad=include,
        uncountedPaddingUpper=extra,
    )
    np.testing.assert_allclose(result, y.numpy(), rtol=1e-5, atol=1e-6)


def naive(kind, x, kernel, stride, lower, upper):
    """The definition, in double for floating point; and the elements of each window."""
    n, c, *field = x.shape
    out = popnn.pooling.getOutputFieldShape(params(kind, x, kernel, stride, lower, upper))
    wide = x.astype(np.float64) if x.dtype.kind == "f" else x
    y = np.zeros((n, c, *out), wide.dtype)
    windows = {}
    for o in np.ndindex(*out):
        spans = [
            [i for i in range(a * s - p, a * s - p + k) if 0 <= i < f]
            for a, s, p, k, f in zip(o, stride, lower, kernel, field, strict=True)
        ]
        windows[o] = list(itertools.product(*spans))
        values = [wide[(slice(None), slice(None), *w)] for w in windows[o]]
        if values:
            f = {MAX: np.max, SUM: np.sum, AVG: np.mean}[kind]
            y[(slice(None), slice(None), *o)] = f(values, axis=0)
    return y, windows


UNEVEN = [
    ([3, 2], [2, 1], [0, 2], [3, 0]),
    ([2, 2], [2, 2], [-1, -2], [0, -1]),
    ([1, 1], [3, 2], [0, 0], [0, 0]),
    ([2, 3], [1, 1], [3, 0], [0, 4]),
]


@pytest.mark.parametrize(("kernel", "stride", "lower", "upper"), UNEVEN)
@pytest.mark.parametrize("kind", [MAX, AVG, SUM], ids=["max", "avg", "sum"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
def test_uneven_padding_and_truncation(kind, dtype, kernel, stride, lower, upper):
    x = random((2, 3, 9, 11), dtype)
    p = params(kind, x, kernel, stride, lower, upper)
    y, windows = naive(kind, x, kernel, stride, lower, upper)
    result = run(lambda g, t, prog: popnn.pooling.pool(g, p, t, prog), x)
    eps = 4 * np.finfo(dtype).eps
    np.testing.assert_allclose(result, y, rtol=eps, atol=eps)

    g = random(y.shape, dtype, 3)
    if kind == MAX:
        build = lambda graph, t, u, v, prog: [  # noqa: E731
            popnn.pooling.poolInputGradient(graph, p, t, u, v, shared, prog)
            for shared in (False, True)
        ]
        every, shared = run(build, x, result, g)
        expected = [np.zeros(x.shape), np.zeros(x.shape)]
        for o, window in windows.items():
            at = (slice(None), slice(None), *o)
            hits = [(x[(slice(None), slice(None), *w)] == result[at]) for w in window]
            for w, hit in zip(window, hits, strict=True):
                for e, share in zip(expected, (1, np.maximum(sum(hits), 1)), strict=True):
                    e[(slice(None), slice(None), *w)] += hit * g[at] / share
        np.testing.assert_allclose(every, expected[0], rtol=eps, atol=8 * eps)
        np.testing.assert_allclose(shared, expected[1], rtol=eps, atol=8 * eps)
        return
    expected = np.zeros(x.shape)
    for o, window in windows.items():
        at = (slice(None), slice(None), *o)
        for w in window:
            expected[(slice(None), slice(None), *w)] += g[at] / (len(window) if kind == AVG else 1)
    build = lambda graph, u, prog: popnn.pooling.poolInputGradient(graph, p, 1, u, prog)  # noqa: E731
    np.testing.assert_allclose(run(build, g), expected, rtol=eps, atol=8 * eps)


def test_ties_are_shared_or_not():
    x = np.array([[[[1, 3, 3], [3, 0, 3]]]], np.float32)
    p = params(MAX, x, [2, 3], [1, 1], [0, 0], [0, 0])
    y, g = np.array([[[[3]]]], np.float32), np.array([[[[2]]]], np.float32)
    build = lambda graph, t, u, v, prog: [  # noqa: E731
        popnn.pooling.poolInputGradient(graph, p, t, u, v, False, prog),
        popnn.pooling.poolInputGradient(graph, p, t, u, v, True, prog),
        ext.maxPoolInputGradient(graph, p, ext.PoolOptions(), t, v, prog),
    ]
    every, shared, first = run(build, x, y, g)
    np.testing.assert_array_equal(every, 2.0 * (x == 3))
    np.testing.assert_array_equal(shared, 0.5 * (x == 3))
    np.testing.assert_array_equal(first, [[[[0, 2, 0], [0, 0, 0]]]])


@pytest.mark.parametrize("dtype", [d for d in TYPES if d.kind in "iu"], ids=str)
def test_max_of_integers(dtype):
    info = np.iinfo(dtype)
    x = np.random.default_rng(4).integers(info.min, info.max, (2, 3, 9, 9), dtype, endpoint=True)
    y, _ = naive(MAX, x, [3, 3], [2, 2], [1, 1], [1, 1])
    np.testing.assert_array_equal(pool(MAX, x, [3, 3], [2, 2], [1, 1], [1, 1]), y)


def test_nan_is_a_maximum():
    x = random((1, 2, 6, 6))
    x[0, 1, 2, 3] = np.nan
    y = torch.nn.functional.max_pool2d(torch.from_numpy(x), 2).numpy()
    np.testing.assert_array_equal(pool(MAX, x, [2, 2], [2, 2], [0, 0], [0, 0]), y)


def test_minus_infinities_have_a_first_maximum():
    x = np.full((1, 1, 4, 4), -np.inf, np.float32)
    t = torch.from_numpy(x).requires_grad_()
    torch.nn.functional.max_pool2d(t, 2).sum().backward()
    g = np.ones((1, 1, 2, 2), np.float32)
    result = grad(MAX, x, g, [2, 2], [2, 2], [0, 0], [0, 0])
    np.testing.assert_array_equal(result, t.grad.numpy())


@pytest.mark.parametrize("kind", [MAX, AVG], ids=["max", "avg"])
def test_the_number_of_threads_changes_nothing(kind):
    x = random((4, 16, 40, 40))
    args = ([3, 3], [2, 2], [1, 1], [1, 1])
    results = [pool(kind, x, *args, threads=t) for t in (1, 2)]
    np.testing.assert_array_equal(*results)
    g = random(results[0].shape, seed=5)
    np.testing.assert_array_equal(*[grad(kind, x, g, *args, threads=t) for t in (1, 2)])


@pytest.mark.parametrize("shape", [(0, 3, 8, 8), (2, 0, 8, 8)])
def test_empty(shape):
    x = np.zeros(shape, np.float32)
    assert pool(MAX, x, [2, 2], [2, 2], [0, 0], [0, 0]).shape == (*shape[:2], 4, 4)


@pytest.mark.parametrize("kind", [MAX, AVG], ids=["max", "avg"])
@pytest.mark.parametrize(("kernel", "shape"), [([5, 1], (1, 2, 0, 3)), ([1, 5], (1, 2, 3, 0))])
def test_kernel_larger_than_input(kind, kernel, shape):
    x = random((1, 2, 3, 3))
    assert pool(kind, x, kernel, [1, 1], [0, 0], [0, 0]).shape == shape
    g = np.zeros(shape, np.float32)
    assert not grad(AVG, x, g, kernel, [1, 1], [0, 0], [0, 0]).any()


@pytest.mark.parametrize("include", [False, True], ids=["exclude_pad", "include_pad"])
@pytest.mark.parametrize("kind", [MAX, AVG, SUM], ids=["max", "avg", "sum"])
def test_windows_of_padding_alone(kind, include):
    """The first and the last rows, and the first outputs of each."""
    x = random((1, 3, 8, 32))
    got = pool(kind, x, [2, 2], [1, 1], [2, 2], [2, 0], countIncludePad=include)
    inner = pool(kind, x, [2, 2], [1, 1], [0, 0], [0, 0], countIncludePad=include)
    assert got.shape == (1, 3, 11, 33)
    assert not got[:, :, 0].any()
    assert not got[:, :, -1].any()
    assert not got[:, :, :, 0].any()
    np.testing.assert_array_equal(got[:, :, 2:9, 2:], inner)


def test_flops_and_text():
    p = params(AVG, np.zeros((2, 3, 4), np.float32), [2], [1], [1], [0])
    # 4 windows, of which one has one element; one division each.
    assert popnn.pooling.getFwdFlops(p) == 2 * 3 * (7 + 4)
    assert "avg pooling of 2 x 3 float, field {4}, kernel {2}" in repr(p)


@pytest.mark.timeout(20)
def test_huge_sizes_take_no_time():
    half, most = 2**31 - 1, 2**32 - 1
    p = popnn.pooling.PoolParams(MAX, [most], [2**31], [1], [0], [0], 3, 1, poplar.FLOAT)
    assert popnn.pooling.getFwdFlops(p) == 3 * 2**31 * 2**31
    # Windows of the first element, of all, and of the last one.
    x = np.array([[[3, 1, 2]]], np.float32)
    got = pool(AVG, x, [half], [2**30], [half - 1], [half - 1])
    np.testing.assert_array_equal(got, [[[3, 2, 2]]])
    for field, kernel in ([2**32], [1]), ([1], [2**63]):
        p = popnn.pooling.PoolParams(MAX, field, kernel, [1], [0], [0], 1, 1, poplar.FLOAT)
        with pytest.raises(errors.poplibs_exception, match="4294967295 elements at most"):
            p.getOutputFieldShape()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kernel": [2]}, "kernelShape has 1 entries for 2 spatial dimensions"),
        ({"kernel": []}, "kernelShape has 0 entries for 2 spatial dimensions"),
        ({"stride": []}, "stride has 0 entries for 2 spatial dimensions"),
        ({"stride": [1, 0]}, "stride and dilation of spatial dimension 1 are 2, 0, 1"),
        ({"dtype": np.int32}, "int elements cannot be pooled so"),
        ({"shape": (2, 3, 5, 5)}, r"the input is float \[2,3,5,5\]"),
    ],
)
def test_refusals(change, words):
    x = np.zeros((2, 3, 4, 4), change.get("dtype", np.float32))
    p = params(AVG, x, change.get("kernel", [2, 2]), change.get("stride", [1, 1]), [0, 0], [0, 0])
    given = np.zeros(change.get("shape", x.shape), x.dtype)
    with pytest.raises(errors.poplibs_exception, match=words):
        run(lambda g, t, prog: popnn.pooling.pool(g, p, t, prog), given)


def test_refusals_of_gradients():
    x = np.zeros((1, 1, 4), np.float32)
    p = params(MAX, x, [2], [2], [0], [0])
    with pytest.raises(errors.poplibs_exception, match="needs the input of the pooling"):
        run(lambda g, u, prog: popnn.pooling.poolInputGradient(g, p, 1, u, prog), x[:, :, :2])
    with pytest.raises(errors.poplibs_exception, match=r"the gradient is float \[1,1,4\]"):
        run(lambda g, t, prog: ext.maxPoolInputGradient(g, p, ext.PoolOptions(), t, t, prog), x)


@pytest.mark.parametrize(("shape", "kernel", "stride", "pad", "dilation"), CASES, ids=IDS)
def test_indices_of_maxima(shape, kernel, stride, pad, dilation):
    """PyTorch counts the elements of a channel; a pooling of these numbers by hand counts columns
    first.
    """
    x = np.random.default_rng(2).integers(-3, 3, shape).astype(np.float32)
    rank, plane = len(shape) - 2, int(np.prod(shape[2:]))
    _, want = TORCH[MAX][rank](
        torch.from_numpy(x), kernel, stride, pad, dilation, return_indices=True
    )
    planes = np.arange(shape[0] * shape[1]).reshape(*shape[:2], *[1] * rank) * plane
    p = params(MAX, x, kernel, stride, pad, pad)
    for column_major in (False, True):
        options = ext.PoolOptions(dilation)
        found = run(
            lambda g, t, prog, o=options, c=column_major: ext.maxPoolIndices(g, p, o, t, c, prog),
            x,
            threads=2,
        )
        assert found.dtype == np.int64
        numbers = np.arange(plane).reshape(shape[2:], order="F" if column_major else "C")
        np.testing.assert_array_equal(found, planes + numbers.reshape(-1)[want.numpy()])


def test_indices_of_nan_of_nothing_and_of_other_types():
    def indices(x, kernel, lower, upper, dilation=1):
        p, o = params(MAX, x, [kernel], [1], [lower], [upper]), ext.PoolOptions([dilation])
        return run(lambda g, t, prog: ext.maxPoolIndices(g, p, o, t, False, prog), x)[0, 0]

    x = np.array([[[1, np.nan, 7, np.nan]]], np.float32)
    np.testing.assert_array_equal(indices(x, 4, 0, 0), [1])
    np.testing.assert_array_equal(indices(x, 1, 1, 1), [-1, 0, 1, 2, 3, -1])
    for dtype in TYPES:
        if dtype.kind in "fiu":
            np.testing.assert_array_equal(indices(np.array([[[3, 9, 9]]], dtype), 3, 0, 0), [1])
    with pytest.raises(errors.poplibs_exception, match="maxPoolIndices of a pooling by avg"):
        p = params(AVG, x, [1], [1], [0], [0])
        run(lambda g, t, prog: ext.maxPoolIndices(g, p, ext.PoolOptions(), t, False, prog), x)
