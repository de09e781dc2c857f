"""popops.topK: the largest and smallest elements, in order."""

import numpy as np
import pytest

from popir import errors, poplar, popops
from popir.popops import SortOrder, TopKParams
from tests.device import run
from tests.popops.values import NUMBERS, name_of, samples


def top_k(x, k, largest, order=SortOrder.NONE, threads=1):
    params = TopKParams(k, largest, order)
    return run(
        lambda g, t, prog: popops.topKWithPermutation(g, prog, t, params), x, threads=threads
    )


def expected(x, k, largest, ascending):
    """By a stable sort of Python's, with NaN beyond every number."""

    def row(values):
        def key(i):
            v = values[i]
            return (True, 0) if v != v else (False, v)

        order = sorted(range(len(values)), key=key)
        if largest:
            # Of equal elements those of lower indices.
            order = sorted(range(len(values)), key=lambda i: (_negated(key(i)), i))
        chosen = order[:k]
        return sorted(chosen, key=lambda i: ((key(i) if ascending else _negated(key(i))), i))

    flat = x.reshape(-1, x.shape[-1])
    index = np.array([row([v.item() for v in each]) for each in flat], np.uint32)
    index = index.reshape(*x.shape[:-1], k)
    return np.take_along_axis(x, index.astype(np.int64), -1), index


def _negated(key):
    return (not key[0], -key[1])


@pytest.mark.parametrize("dtype", NUMBERS, ids=name_of)
@pytest.mark.parametrize("largest", [True, False], ids=["largest", "smallest"])
def test_every_type_and_order(dtype, largest):
    x = samples(dtype, 3 * 200).reshape(3, 200)
    x[1, 50:90] = x[1, 20]  # ties
    for k in (1, 7, 200):
        for order in (SortOrder.ASCENDING, SortOrder.DESCENDING):
            values, index = top_k(x, k, largest, order)
            want, at = expected(x, k, largest, order == SortOrder.ASCENDING)
            assert index.dtype == np.uint32
            np.testing.assert_array_equal(index, at)
            np.testing.assert_array_equal(values.view(np.uint8), want.view(np.uint8))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8], ids=name_of)
@pytest.mark.parametrize("largest", [True, False], ids=["largest", "smallest"])
def test_few_of_many(dtype, largest):
    x = np.stack([samples(dtype, 1111, seed) for seed in range(4)])
    x[1] = np.sort(x[1])
    x[2] = np.sort(x[2])[::-1]
    x[3] = x[3, 7]
    if np.dtype(dtype).kind == "f":
        x[0, ::40] = np.nan
    for k in (1, 10, 60):
        values, index = top_k(x, k, largest, SortOrder.DESCENDING)
        want, at = expected(x, k, largest, False)
        np.testing.assert_array_equal(index, at)
        np.testing.assert_array_equal(values.view(np.uint8), want.view(np.uint8))


def test_without_an_order_the_best_is_first():
    x = np.array([[3, 1, 2]], np.float32)
    for largest, want in ((True, [[3, 2]]), (False, [[1, 2]])):
        np.testing.assert_array_equal(top_k(x, 2, largest)[0], want)


@pytest.mark.parametrize("shape", [(5,), (2, 3, 4), (0, 4), (3, 0)], ids=str)
def test_shapes(shape):
    x = np.random.default_rng(0).random(shape).astype(np.float32)
    k = min(2, shape[-1])
    values, index = top_k(x, k, True)
    assert values.shape == index.shape == (*shape[:-1], k)
    np.testing.assert_array_equal(values, -np.sort(-x, -1)[..., :k])
    assert top_k(x, 0, True)[0].shape == (*shape[:-1], 0)


def test_threads_share_the_rows():
    x = np.random.default_rng(1).random((64, 3000)).astype(np.float32)
    for threads in (1, 3):
        values, index = top_k(x, 5, False, threads=threads)
        np.testing.assert_array_equal(index, np.argsort(x, -1, kind="stable")[:, :5])
        np.testing.assert_array_equal(values, np.sort(x, -1)[:, :5])


def test_values_alone_and_an_input_in_rows():
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu2"))
    params = TopKParams(2, True, SortOrder.DESCENDING, True)
    t = popops.createTopKInput(graph, poplar.FLOAT, [30, 8], params)
    assert t.shape() == [30, 8]
    for intervals in graph.getTileMapping(t):
        assert all(begin % 8 == 0 and end % 8 == 0 for begin, end in intervals)
    assert repr(params) == "largest 2, order descending, stable"
    x = np.array([4, 9, 1], np.float32)
    found = run(lambda g, u, prog: popops.topK(g, prog, u, params), x)
    np.testing.assert_array_equal(found, [9, 4])


@pytest.mark.parametrize(
    ("x", "k", "words"),
    [
        (np.float32(1), 1, r"topK: the input is float \[\]; give a tensor with a dimension"),
        (np.zeros((2, 3), np.float32), 4, r"float \[2,3\]; k is 4, more than the last dimension"),
        (np.zeros(3, np.bool_), 1, r"bool \[3\]; give integers or floating-point"),
    ],
)
def test_refusals(x, k, words):
    with pytest.raises(errors.poplibs_exception, match=words):
        top_k(x, k, True)
