"""Products of few columns, of few steps, or of few rows and a large B, by our own kernels."""

import numpy as np
import pytest
import torch

from popir.poplin import contraction
from tests.poplin.programs import run_again


def random(shape, seed=1, dtype=np.float32):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)


def lying(b: np.ndarray, turned: bool) -> np.ndarray:
    """The same values between others that are NaN, [k, n] or [n, k] in memory."""
    groups, k, n = b.shape
    rows, columns = (n, k) if turned else (k, n)
    around = np.full((groups, rows + 2, columns + 3), np.nan, b.dtype)
    inner = around[:, 1 : rows + 1, 2 : columns + 2]
    inner[...] = b.transpose(0, 2, 1) if turned else b
    return inner.transpose(0, 2, 1) if turned else inner


def multiply(a, b, c, threads=1, kept=False, **how):
    if "own" not in contraction.sources():
        pytest.skip("no own here")
    contraction.product(a, b, c, threads=threads, source="own", **how).run(weightsKept=kept)
    return c


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("k", [1, 3, 7, 8, 9, 19, 97, 256, 257])
def test_few_columns(k, turned, dtype):
    """Whatever lies around; the columns of a wide product have the bits of the same ones alone."""
    bound = {np.float32: 1e-5, np.float64: 1e-14}[dtype]
    for m in (5, 9, 14, 15, 33, 57):
        a, wide = random((3, m, k), 1, dtype), random((3, k, 70), 2, dtype)
        whole = multiply(a, lying(wide, turned), np.full((3, m, 70), np.nan, dtype))
        for n in (1, 2, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 31, 33):
            b = lying(wide[:, :, :n], turned)
            c = multiply(a, b, np.full((3, m, n), np.nan, dtype))
            expected = a.astype(np.float64) @ wide[:, :, :n]
            np.testing.assert_allclose(c, expected, rtol=bound, atol=bound * np.sqrt(k))
            if n > 1 or not turned:  # one column lies in a row: few rows make no dot products of it
                np.testing.assert_array_equal(c, whole[:, :, :n])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("m", [8, 11, 14, 15, 30])
def test_threads_share_rows_of_few_columns(m, kept, turned):
    """Of one block of columns; with other bits only where fewer rows are dot products."""
    a, b = random((1, m, 3000)), random((1, 3000, 26), 2)
    given = lying(b, turned)
    results = [
        multiply(a, given, np.full((1, m, 26), np.nan, np.float32), threads, kept)
        for threads in (1, 2, 3)
    ]
    for c in results:
        np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-4)
    if not turned:
        assert all((c == results[0]).all() for c in results)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("more", [{}, {"alpha": 2}, {"accumulate": True}, {"bias": True}])
def test_few_columns_that_are_scaled_or_added(turned, more):
    m, k, n = 33, 21, 11
    a, b, c = random((4, m, k)), random((4, k, n), 2), random((4, m, n), 3)
    given = {**more, "bias": random((n,), 4)} if "bias" in more else more
    expected = given.get("alpha", 1) * (a.astype(np.float64) @ b) + given.get("bias", 0)
    if "accumulate" in more:
        expected += c
    found = [multiply(a, lying(b, turned), c.copy(), threads, **given) for threads in (1, 2)]
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.skipif(contraction.isa() != "avx512", reason="the rule is that of AVX-512")
@pytest.mark.parametrize(
    ("groups", "m", "k", "n", "by"),
    [
        (1, 2, 1040, 256, "own"),
        (1, 4, 1500, 1010, "own"),
        (1, 4, 1600, 1010, "onednn"),  # of which not all stays near a core
        (1, 14, 1600, 1010, "onednn"),
        (1, 1, 1600, 1010, "own"),
        (60, 9, 300, 300, "own"),
        (80, 9, 300, 300, "onednn"),
    ],
)
def test_the_rule_for_few_rows_and_a_large_b(groups, m, k, n, by):
    a, b = random((groups, m, k)), random((groups, k, n), 2)
    c = np.full((groups, m, n), np.nan, np.float32)
    made = contraction.product(a, b, c, threads=2)
    assert made.describe().startswith(by)
    made.run()
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5 * k**0.5)


@pytest.mark.skipif(contraction.isa() == "base", reason="no own kernels here")
@pytest.mark.parametrize(
    ("m", "turned", "machines"),
    [
        (11, True, {"avx2", "avx512"}),
        (8, True, {"avx2", "avx512"}),
        (6, False, {"avx512"}),
        (7, False, set()),
    ],
)
def test_a_small_b_that_is_packed_once(m, turned, machines):
    """Where dot products, or a B as it lies, take longer; no other small product is packed."""
    k, n = 13, 400
    a, b, c = random((1, m, k)), random((1, k, n), 2), np.full((1, m, n), np.nan, np.float32)
    made = contraction.product(a, lying(b, turned), c, threads=1)
    made.run(weightsKept=True)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)
    packed = made.describe(weightsKept=True).endswith(" packed")
    assert packed == (contraction.isa() in machines)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 9, 16, 17])
@pytest.mark.parametrize("turned", [False, True])
def test_few_steps(k, turned, dtype):
    """C in long runs, and in wide blocks: with the bits of a few rows and columns alone."""
    bound = {np.float32: 1e-5, np.float64: 1e-14}[dtype]
    b = random((2, k, 2500), 2, dtype)
    for m in (3, 9, 15, 37, 70):
        a, n = random((2, m, k), 1, dtype), 2500 - m
        given = lying(a, turned), lying(b[:, :, :n], False)
        around = np.full((2, m, n + 7), 3, dtype)
        found = [multiply(*given, around[:, :, 2 : n + 2], threads).copy() for threads in (1, 2)]
        np.testing.assert_allclose(found[0], a.astype(np.float64) @ b[:, :, :n], atol=k * bound)
        np.testing.assert_array_equal(found[0], found[1])
        assert (np.delete(around, np.s_[2 : n + 2], axis=2) == 3).all()
        few = multiply(a[:, :3].copy(), b[:, :, 40:77].copy(), np.full((2, 3, 37), np.nan, dtype))
        np.testing.assert_array_equal(few, found[0][:, :3, 40:77])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [57, 256, 257, 1181, 5000])
@pytest.mark.parametrize("n", [2, 20])
@pytest.mark.parametrize("k", [3, 16])
def test_few_steps_of_many_rows_that_are_turned(k, n, m, dtype):
    """A is transposed in memory, and turned in scratch that has room for some rows."""
    a = lying(random((4, m, k), 1, dtype), turned=True)
    b = random((4, k, n), 2, dtype)
    found = multiply(a, b, np.full((4, m, n), np.nan, dtype))
    np.testing.assert_allclose(found, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("more", [{"alpha": 2}, {"accumulate": True}, {"bias": True}])
def test_few_steps_that_are_scaled_or_added(k, more):
    m, n = 37, 2000
    a, b, c = random((2, m, k)), random((2, k, n), 2), random((2, m, n), 3)
    given = {**more, "bias": random((n,), 4)} if "bias" in more else more
    expected = given.get("alpha", 1) * (a.astype(np.float64) @ b) + given.get("bias", 0)
    if "accumulate" in more:
        expected += c
    np.testing.assert_allclose(multiply(a, b, c, 2, **given), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(contraction.isa() != "avx512", reason="the rule is that of AVX-512")
@pytest.mark.parametrize(
    ("groups", "m", "k", "n", "by"),
    [
        (1, 300, 4, 5000, "own"),
        (1, 300, 5, 5000, "onednn"),
        (1, 300, 5, 700, "own"),  # little work
        (8, 64, 16, 2000, "own"),
        (8, 65, 16, 2000, "onednn"),
        (8, 64, 17, 2000, "onednn"),
        (32, 64, 16, 255, "onednn"),
        (32, 64, 16, 31, "own"),  # few columns
    ],
)
def test_the_rule_for_few_steps(groups, m, k, n, by):
    a, b = random((groups, m, k)), random((groups, k, n), 2)
    c = np.full((groups, m, n), np.nan, np.float32)
    made = contraction.product(a, b, c, threads=2)
    assert made.describe().startswith(by)
    made.run()
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)


def at_a_line(shape: tuple[int, ...], behind: int) -> np.ndarray:
    """NaN, `behind` elements behind the begin of a line of the cache."""
    whole = np.full(np.prod(shape) + 64, np.nan, np.float32)
    first = -whole.ctypes.data % 64 // 4 + behind
    return whole[first : first + np.prod(shape)].reshape(shape)


@pytest.mark.parametrize("k", [3, 9])
@pytest.mark.parametrize(("n", "behind"), [(3216, 0), (3216, 5), (3201, 0)])
def test_results_larger_than_the_caches(n, k, behind):
    """They are written past the caches where rows begin at lines of them: the bits are the same."""
    a, b = random((1, 2100, k)), random((1, k, n), 2)
    c = at_a_line((1, 2100, n), behind)
    assert c.nbytes > 24 << 20
    contraction.product(a, b, c, threads=2).run()
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)
    few = at_a_line((1, 100, n), behind)
    contraction.product(a[:, :100].copy(), b, few, threads=2).run()
    np.testing.assert_array_equal(few, c[:, :100])


@pytest.mark.parametrize("accumulate", [False, True])
def test_results_that_are_larger_together(accumulate):
    """Products of groups, all of which write more than the caches hold."""
    a, b = random((40, 33, 14)), random((40, 14, 5008), 2)
    c = at_a_line((40, 33, 5008), 0)
    c[...] = 3
    contraction.product(a, b, c, threads=2, accumulate=accumulate).run()
    expected = a.astype(np.float64) @ b + 3 * accumulate
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("size", "before"), [(1, 0), (3, 1)])
@pytest.mark.parametrize("bias", [False, True])
def test_convolutions_that_write_more_than_the_caches_hold(size, before, bias):
    """In groups of one image after another: products of points, or of columns."""
    x, w = random((8, 64, 56, 56)), random((8, 33, 8, size, size), 2)
    y, added = at_a_line((8, 264, 56, 56), 0), random((264,), 3) if bias else None
    assert y.nbytes > 24 << 20
    contraction.convolution(
        *("forward", x, w, y, [1, 1], [1, 1], [1, 1], [before] * 2), threads=2, bias=added
    ).run()
    exact = torch.nn.functional.conv2d(
        torch.from_numpy(x),
        torch.from_numpy(w).flatten(0, 1),
        None if added is None else torch.from_numpy(added),
        padding=before,
        groups=8,
    )
    np.testing.assert_allclose(y, exact, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(contraction.isa() != "avx512", reason="it is the smaller one already")
def test_the_same_on_avx2():
    run_again("avx2", __file__)
