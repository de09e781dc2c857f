"""Every source of contractions against float64, on the operands as they may lie in memory."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import torch

from popir.poplin import contraction
from tests.poplin.oracle import Conv, Out, Side
from tests.poplin.programs import run_again

FLOAT_SOURCES = ["onednn", "own", "portable"]
DOUBLE = [("own", np.float64), ("portable", np.float64)]
BOUND = {np.float32: (1e-5, 3e-6), np.float64: (1e-13, 1e-14)}
"""Relative, and absolute for a sum of one product."""

# m, k, n: single rows and columns, register blocks and their edges, cache blocks and their edges,
# few rows and a second operand that comes from memory; several packed parts of each operand, and
# several tasks of a thread.
SHAPES = [
    (1, 1, 1), (1, 64, 10), (2, 7, 3), (1, 300, 70), (5, 17, 33), (6, 16, 64), (7, 31, 65),
    (14, 40, 32), (15, 40, 31), (29, 260, 48), (64, 10, 100), (64, 512, 10), (33, 513, 401),
    (100, 9, 16), (3, 1000, 5), (1, 515, 1030), (2, 90, 3001), (3, 300, 1100),
    (40, 270, 390), (523, 5, 130), (13, 8, 8), (20, 17, 901), (1, 600, 421), (2, 600, 421),
]  # fmt: skip


def random(shape, dtype=np.float32, seed=1):
    values = np.random.default_rng(seed).uniform(-1, 1, shape)
    return (
        values.astype(dtype) if np.issubdtype(dtype, np.floating) else (50 * values).astype(dtype)
    )


def make(build, *args, **kwargs):
    """The contraction, or skip where this build or machine has not that source."""
    source = kwargs["source"]
    if source not in ["any", *contraction.sources()]:
        pytest.skip(f"no {source} here")
    return build(*args, **kwargs)


def laid(array: np.ndarray, how: str) -> np.ndarray:
    """The same values, otherwise in memory."""
    g, r, c = array.shape
    if how == "transposed":
        return np.ascontiguousarray(array.transpose(0, 2, 1)).transpose(0, 2, 1)
    if how == "padded":
        wide = np.full((g, r + 2, c + 5), np.nan, array.dtype)
        wide[:, :r, :c] = array
        return wide[:, :r, :c]
    return array


@pytest.mark.parametrize(
    ("source", "dtype"), [*((source, np.float32) for source in FLOAT_SOURCES), *DOUBLE]
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kept", [False, True])
def test_products(source, dtype, threads, kept):
    rtol, atol = BOUND[dtype]
    for (m, k, n), lay in product(SHAPES, ["dense", "transposed", "padded"]):
        a, b = random((1, m, k), dtype), random((1, k, n), dtype, seed=2)
        for la, lb in [(lay, "dense"), ("dense", lay), (lay, lay)]:
            c = laid(np.full((1, m, n), np.nan, dtype), "padded" if lay == "padded" else "")
            p = make(
                contraction.product, laid(a, la), laid(b, lb), c, threads=threads, source=source
            )
            p.run(weightsKept=kept)
            expected = a.astype(np.float64) @ b.astype(np.float64)
            np.testing.assert_allclose(
                c, expected, rtol=rtol, atol=atol * np.sqrt(k), err_msg=f"{m} {k} {n} {la} {lb}"
            )


@pytest.mark.skipif(contraction.isa() != "avx512", reason="the rule is that of AVX-512")
@pytest.mark.parametrize(
    ("m", "k", "n", "by"),
    [
        *((1, 300, 10, "own"), (6, 300, 900, "own"), (90, 300, 900, "own")),
        *((410, 300, 900, "onednn"), (599, 11, 112, "own"), (600, 11, 112, "wide")),
    ],
)
@pytest.mark.parametrize("more", [{}, {"alpha": 2}, {"accumulate": True}, {"bias": True}])
def test_a_second_operand_that_is_packed_once(m, k, n, by, more):
    """Panels of our own for all but many rows."""
    a, b, c = random((1, m, k)), random((1, k, n), seed=2), random((1, m, n), seed=4)
    given = {**more, "bias": random((n,), seed=3)} if "bias" in more else more
    expected = given.get("alpha", 1) * (a.astype(np.float64) @ b) + given.get("bias", 0)
    if "accumulate" in more:
        expected += c
    made = contraction.product(a, b, c, threads=2, **given)
    assert made.describe(weightsKept=True).startswith(by)
    made.run(weightsKept=True)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.skipif(contraction.isa() != "avx512", reason="the form is that of AVX-512")
@pytest.mark.parametrize("bias", [False, True])
def test_blocks_of_columns_are_copied_from_a_result_without_gaps(bias):
    """Two threads share the columns of a few rows. What lies between rows is not written."""
    m, k, n = 5, 520, 700
    wide = np.full((1, m + 2, n + 9), 7, np.float32)
    inner = wide[:, 1 : m + 1, 4 : n + 4]
    a, b = random((1, m, k)), random((1, k, n), seed=2)
    added = random((n,), seed=3) if bias else None
    alpha = 1 if bias else 0.5
    given = {"alpha": alpha, "bias": added, "without": "few rows,kept panels"}
    made = contraction.product(a, b, inner, threads=2, **given)
    assert "brg" in made.describe(weightsKept=True)
    made.run(weightsKept=True)
    expected = alpha * (a.astype(np.float64) @ b) + (0 if added is None else added)
    np.testing.assert_allclose(inner, expected, rtol=1e-5, atol=1e-4)
    inner[...] = 7
    assert (wide == 7).all()


@pytest.mark.skipif(contraction.isa() != "avx512", reason="the rule is that of AVX-512")
@pytest.mark.parametrize(
    ("m", "k", "n", "lies", "threads", "by"),
    [
        (256, 512, 196, ("transposed", "transposed"), 2, "wide"),
        (1600, 512, 64, ("transposed", "transposed"), 1, "wide"),
        (65, 64, 300, ("transposed", "dense"), 2, "wide"),
        (64, 512, 256, ("transposed", "dense"), 2, "own"),  # few rows
        (600, 48, 240, ("transposed", "dense"), 2, "onednn"),
        (600, 48, 256, ("transposed", "dense"), 2, "wide"),
        (256, 1024, 48, ("transposed", "dense"), 2, "onednn"),
        (256, 1024, 256, ("dense", "transposed"), 2, "wide"),
        (256, 1024, 256, ("dense", "transposed"), 1, "onednn"),
        (64, 512, 256, ("dense", "transposed"), 2, "own"),
        (15, 900, 1200, ("dense", "transposed"), 2, "own"),  # dot products, of 24 steps a row
        (16, 384, 1200, ("dense", "transposed"), 2, "onednn"),
        (392, 256, 392, ("dense", "dense"), 2, "wide"),
        (392, 256, 192, ("dense", "dense"), 2, "onednn"),  # threads share rows alone
        (392, 256, 392, ("dense", "dense"), 1, "onednn"),
        (20, 2000, 24, ("dense", "dense"), 2, "own"),  # one block of columns
        (20, 2000, 25, ("dense", "dense"), 2, "onednn"),
        (20, 2000, 32, ("dense", "transposed"), 2, "own"),
        (20, 2000, 33, ("dense", "transposed"), 2, "onednn"),
    ],
)
@pytest.mark.parametrize("kept", [False, True])
def test_the_rule_for_operands_as_they_lie(m, k, n, lies, threads, by, kept):
    a, b, c = random((1, m, k)), random((1, k, n), seed=2), np.full((1, m, n), np.nan, np.float32)
    made = contraction.product(laid(a, lies[0]), laid(b, lies[1]), c, threads=threads)
    assert made.describe().startswith(by)
    made.run(weightsKept=kept)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5 * k**0.5)


@pytest.mark.skipif(contraction.isa() != "avx512", reason="AVX-512 alone has the registers")
@pytest.mark.parametrize("lies", [("dense", "dense"), ("dense", "transposed"), ("transposed",) * 2])
@pytest.mark.parametrize(
    ("m", "k", "n"),
    [
        (1, 1, 1),
        (5, 0, 9),
        (6, 1024, 64),
        (13, 1025, 65),
        (50, 2100, 130),
        (67, 33, 200),
        (9, 7, 48),
    ],
)
def test_panels_of_four_vectors(m, k, n, lies):
    """Of any shape and on any number of threads, with the same bits."""
    a, b, c = random((1, m, k)), random((1, k, n), seed=2), random((1, m, n), seed=4)
    bias, found = random((n,), seed=3), []
    exact = a.astype(np.float64) @ b
    for given in ({}, {"alpha": -0.25, "accumulate": True, "bias": bias}):
        for threads in (1, 2, 3, 8):
            wide = np.full((1, m + 2, n + 3), 7, np.float32)
            wide[:, 1:-1, 1:-2] = c
            inner = wide[:, 1:-1, 1:-2]
            of = laid(a, lies[0]), laid(b, lies[1])
            contraction.product(*of, inner, threads=threads, source="wide", **given).run()
            found.append(inner.copy())
            inner[...] = 7
            assert (wide == 7).all()
    expected = [exact] * 4 + [c - 0.25 * exact + bias] * 4
    for one, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, right, rtol=1e-5, atol=1e-5 * max(k, 1) ** 0.5)
    for part in (found[:4], found[4:]):
        assert all((one == part[0]).all() for one in part)


@pytest.mark.parametrize("source", ["any", *FLOAT_SOURCES])
def test_what_lies_between_rows_is_left_alone(source):
    wide = np.full((2, 9, 21), 7, np.float32)
    a, b = random((2, 7, 5)), random((2, 5, 16))
    make(contraction.product, a, b, wide[:, 1:8, 3:19], source=source).run()
    np.testing.assert_allclose(wide[:, 1:8, 3:19], a @ b, rtol=1e-5, atol=1e-6)
    wide[:, 1:8, 3:19] = 7
    assert (wide == 7).all()


@pytest.mark.skipif(contraction.isa() != "avx2", reason="the rule is that of AVX2")
@pytest.mark.parametrize(
    ("m", "k", "n", "turned", "by"),
    [
        (1024, 24, 1024, False, "onednn"),  # a block of 512 rows for each thread is copied
        (1024, 24, 1024, True, "onednn"),
        (256, 24, 1024, False, "own"),  # oneDNN would read every block in place
        (1024, 24, 256, True, "own"),
        (1000, 24, 256, True, "onednn"),  # not pages apart
    ],
)
def test_rows_that_are_pages_apart(m, k, n, turned, by):
    random = np.random.default_rng(0)
    a = random.standard_normal((1, k, m) if turned else (1, m, k)).astype(np.float32)
    a = a.transpose(0, 2, 1) if turned else a
    b = random.standard_normal((1, k, n)).astype(np.float32)
    c = np.full((1, m, n), np.nan, np.float32)
    made = contraction.product(a, b, c, threads=2)
    made.run()
    assert made.describe().startswith(by)
    expected = a.astype(np.float64) @ b
    assert np.abs(c - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("source", FLOAT_SOURCES)
def test_groups_of_which_one_operand_is_broadcast(source):
    a, b = random((4, 6, 12)), np.broadcast_to(random((1, 12, 20)), (4, 12, 20))
    for kept in (False, True):
        c = np.empty((4, 6, 20), np.float32)
        run = make(contraction.product, a, b, c, threads=2, source=source)
        run.run(weightsKept=kept)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("source", FLOAT_SOURCES)
@pytest.mark.parametrize("threads", [1, 3])
def test_groups_whose_weights_are_kept(source, threads):
    a, b = random((5, 21, 270)), random((5, 270, 37), seed=2)
    c = np.empty((5, 21, 37), np.float32)
    made = make(contraction.product, a, b, c, threads=threads, source=source)
    made.run(weightsKept=True)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kept", [False, True])
def test_own_products_have_the_same_bits_in_any_partition(turned, kept):
    a, b = random((1, 40, 600)), random((1, 600, 900), seed=2)
    a, b = (laid(x, "transposed") if turned else x for x in (a, b))
    results = []
    for threads in (1, 2, 3):
        c = np.empty((1, 40, 900), np.float32)
        made = make(contraction.product, a, b, c, threads=threads, source="own")
        made.run(weightsKept=kept)
        results.append(c)
    assert all((c == results[0]).all() for c in results)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("source", ["own", "portable", "any"])
@pytest.mark.parametrize("shape", [(1, 20, 7), (2, 300, 40), (50, 600, 33)])
def test_scale_bias_and_accumulation(source, shape, dtype):
    m, k, n = shape
    a, b, bias, before = (random(s, dtype) for s in ((1, m, k), (1, k, n), (n,), (1, m, n)))
    c = before.copy()
    make(contraction.product, a, b, c, source=source, alpha=-0.25, accumulate=True, bias=bias).run()
    expected = before - 0.25 * (a.astype(np.float64) @ b) + bias
    bound = {np.float32: 1e-5, np.float64: 1e-13}[dtype]
    np.testing.assert_allclose(c, expected, rtol=bound, atol=bound)


@pytest.mark.parametrize("source", FLOAT_SOURCES)
@pytest.mark.parametrize("accumulate", [False, True])
def test_scale_and_accumulation_without_bias(source, accumulate):
    a, b, before = random((3, 9, 40)), random((3, 40, 17)), random((3, 9, 17))
    c = before.copy()
    make(contraction.product, a, b, c, source=source, alpha=-0.25, accumulate=accumulate).run()
    expected = before * accumulate - 0.25 * (a.astype(np.float64) @ b)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("given", [{}, {"alpha": -0.25}, {"accumulate": True}])
@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("source", ["any", "onednn"])
def test_no_product_is_left_to_a_reference(source, is_turned, given, groups):
    """oneDNN's reference takes a hundred times as long, and some forms of a product fall to it."""
    a = random((groups, 64, 96)).swapaxes(1, 2) if is_turned else random((groups, 96, 64))
    b, before = random((groups, 64, 80)), random((groups, 96, 80))
    for options in (given, {**given, "alpha": 3.0, "accumulate": True}):
        c = before.copy()
        made = make(contraction.product, a, b, c, source=source, threads=2, **options)
        made.run()
        assert "ref" not in made.describe()
        kept = before if options.get("accumulate") else 0
        expected = kept + options.get("alpha", 1.0) * (a.astype(np.float64) @ b)
        np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("source", FLOAT_SOURCES)
def test_bias_and_accumulation_without_scale(source):
    a, b, bias, before = random((3, 9, 40)), random((3, 40, 17)), random(17), random((3, 9, 17))
    c = before.copy()
    make(contraction.product, a, b, c, source=source, accumulate=True, bias=bias).run()
    np.testing.assert_allclose(c, before + a @ b + bias, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("source", ["any", *FLOAT_SOURCES])
def test_a_result_that_is_transposed(source):
    a, b = random((2, 30, 11)), random((2, 11, 18))
    c = np.full((2, 18, 30), np.nan, np.float32).transpose(0, 2, 1)
    make(contraction.product, a, b, c, source=source).run()
    np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("source", ["any", *FLOAT_SOURCES])
def test_the_stride_of_a_single_row_says_nothing(source):
    """Here it is 1: rows would overlap, were there others, and oneDNN runs no such product."""
    a, b = random((1, 1, 29)), random((1, 29, 53))
    c = np.full((1, 53, 1), np.nan, np.float32).transpose(0, 2, 1)
    make(contraction.product, a, b, c, source=source).run()
    np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint32, np.int64, np.uint64])
def test_products_of_other_types(dtype, threads):
    a, b = random((2, 37, 130), dtype), random((2, 130, 65), dtype)
    c = np.empty((2, 37, 65), dtype)
    contraction.product(a, b, c, threads=threads).run()
    if np.issubdtype(dtype, np.floating):
        np.testing.assert_allclose(c, a @ b, rtol=1e-13, atol=1e-13)
    else:
        np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("source", FLOAT_SOURCES)
@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("out", ["like", np.float32])
def test_halves_are_summed_in_float(source, kind, out):
    out = kind if out == "like" else out
    a, b = random((1, 20, 2000)).astype(kind), random((1, 2000, 40)).astype(kind)
    c = np.empty((1, 20, 40), out)
    p = make(contraction.product, a, b, c, threads=2, source=source)
    p.run()
    expected = a.astype(np.float64) @ b.astype(np.float64)
    # Sums in half would be off by more than 0.01.
    eps = {np.float16: 2.0**-11, np.float32: 1e-6}.get(out, 2.0**-8)
    np.testing.assert_allclose(c.astype(np.float64), expected, rtol=eps, atol=2e-4)


def test_conversions_between_half_and_float_are_exact():
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)].reshape(1, 1, -1)
    wide = np.empty(finite.shape, np.float32)
    one = np.ones((1, 1, 1), np.float16)
    contraction.product(one, finite, wide).run()
    np.testing.assert_array_equal(wide, finite.astype(np.float32))
    values = random((1, 1, 100_003)) * 70_000
    narrow = np.empty(values.shape, np.float16)
    contraction.product(np.ones((1, 1, 1), np.float32), values, narrow).run()
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(narrow, values.astype(np.float16))


@pytest.mark.parametrize("source", ["own", "portable"])
def test_the_number_of_threads_does_not_change_a_bit(source):
    # Halves of the last ones are small enough to be computed in registers.
    for m, k, n in [(64, 784, 100), (200, 300, 8), (1, 700, 499), (2, 270, 1800), (3, 900, 500)]:
        a, b, c = random((1, m, k)), random((1, k, n)), np.empty((2, 1, m, n), np.float32)
        for i in range(2):
            make(contraction.product, a, b, c[i], threads=1 + i, source=source).run()
        np.testing.assert_array_equal(c[0], c[1])


@pytest.mark.parametrize("source", FLOAT_SOURCES)
def test_two_runs_have_the_same_bits(source):
    a, b, c = random((1, 70, 900)), random((1, 900, 200)), np.empty((2, 1, 70, 200), np.float32)
    for i in range(2):
        make(contraction.product, a, b, c[i], threads=2, source=source).run()
    np.testing.assert_array_equal(c[0], c[1])


@pytest.mark.parametrize("kept", [False, True])
def test_one_column_that_groups_share_has_gaps(kept):
    """Its stride from column to column is 0 in numpy, and says nothing."""
    a, wide = random((3, 2, 40)), random((1, 40, 5), seed=2)
    b = np.broadcast_to(wide[:, :, 1:2], (3, 40, 1))
    assert b.strides[2] == 0
    c = np.full((3, 2, 1), np.nan, np.float32)
    contraction.product(a, b, c, threads=2).run(weightsKept=kept)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, 1e-5, 1e-5)


def test_what_nobody_does_is_refused_by_name():
    a = np.zeros((1, 2, 2), np.int8)
    with pytest.raises(ValueError, match=r"matrix product signed char \[1,2,2\].*any source"):
        contraction.product(a, a, a)
    f = np.zeros((1, 2, 2), np.int32)
    with pytest.raises(ValueError, match=r"int \[1,2,2\].*not done by own"):
        contraction.product(f, f, f, source="own")
    gaps = np.zeros((1, 4, 4), np.float32)[:, ::2, ::2]
    with pytest.raises(ValueError, match="neither the rows nor the columns of an array"):
        contraction.product(gaps, gaps, np.zeros((1, 2, 2), np.float32))
    none = np.zeros((0, 2, 2), np.float32)
    with pytest.raises(ValueError, match="c has no elements"):
        contraction.product(none, none, none)
    with pytest.raises(ValueError, match="no source 'cublas'"):
        contraction.product(f, f, f, source="cublas")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bias": np.zeros(3, np.float32)}, "bias: expected a dense array of 8 elements of float"),
        ({"bias": np.zeros(8)}, "bias: expected a dense array of 8 elements of float"),
        ({"bias": np.zeros(16, np.float32)[::2]}, "bias: expected a dense array of 8 elements"),
        ({"bias": np.zeros((1, 8), np.float32)}, "bias: expected a dense array of 8 elements"),
        (
            {"c": np.zeros((1, 8, 4), np.float32).transpose(0, 2, 1)},
            "with a bias the columns of c must have stride 1",
        ),
        ({"b": np.zeros((1, 6, 8), np.float16)}, "a and b have different types"),
        ({"threads": 0}, "threads: expected 1 to 1024, got 0"),
        ({"threads": 100000}, "threads: expected 1 to 1024, got 100000"),
    ],
)
def test_operands_that_do_not_fit_a_product_are_refused(change, says):
    given = {
        "a": np.zeros((1, 4, 6), np.float32),
        "b": np.zeros((1, 6, 8), np.float32),
        "c": np.zeros((1, 4, 8), np.float32),
        "bias": np.zeros(8, np.float32),
    }
    with pytest.raises(ValueError, match=says):
        contraction.product(**given | change)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bias": np.zeros(3, np.float32)}, "bias: expected a dense array of 5 elements of float"),
        ({"threads": 0}, "threads: expected 1 to 1024, got 0"),
        ({"stride": [1, 2**40]}, "strides and dilations do not fit"),
        ({"padLower": [1, 2**40]}, "strides and dilations do not fit"),
        ({"out": np.broadcast_to(np.float32(0), (1, 5, 4, 4))}, "the result is read-only"),
    ],
)
def test_operands_that_do_not_fit_a_convolution_are_refused(change, says):
    given = {
        "in_": np.zeros((1, 3, 4, 4), np.float32),
        "weights": np.zeros((1, 5, 3, 3, 3), np.float32),
        "out": np.zeros((1, 5, 4, 4), np.float32),
        "stride": [1, 1], "dilation": [1, 1], "inDilation": [1, 1], "padLower": [1, 1],
    }  # fmt: skip
    with pytest.raises(ValueError, match=says):
        contraction.convolution("forward", **given | change)


@pytest.mark.parametrize("source", ["any", *FLOAT_SOURCES])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_a_product_over_nothing_is_written(source, dtype):
    """onednn leaves C as it was, so it refuses; the others write zeros, or what is added."""
    a, b, bias = np.ones((2, 3, 0), dtype), np.ones((2, 0, 70), dtype), np.arange(70, dtype=dtype)
    c = np.full((2, 3, 70), np.nan, dtype)
    if source == "onednn":
        with pytest.raises(ValueError, match="not done by onednn"):
            make(contraction.product, a, b, c, source=source)
        return
    make(contraction.product, a, b, c, source=source).run()
    assert (c == 0).all()
    c[:] = 3
    make(contraction.product, a, b, c, source=source, accumulate=True).run()
    assert (c == 3).all()
    make(contraction.product, a, b, c, source=source, bias=bias).run()
    assert (c == bias).all()


@pytest.mark.parametrize("source", ["any", "own", "portable"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_convolutions_over_nothing_are_written(source, dtype):
    def run(pass_, x, w, y, **more):
        p = make(
            contraction.convolution, pass_, x, w, y, source=source, stride=[1, 1],
            dilation=[1, 1], inDilation=[1, 1], padLower=[0, 0], **more,
        )  # fmt: skip
        p.run()

    def unwritten(*shape):
        return np.full(shape, np.nan, dtype)

    y = unwritten(2, 4, 3, 3)
    run("forward", np.ones((2, 0, 4, 4), dtype), np.ones((1, 4, 0, 2, 2), dtype), y)
    assert (y == 0).all()
    x = unwritten(2, 3, 4, 4)
    run("data_gradient", x, np.ones((1, 0, 3, 2, 2), dtype), np.ones((2, 0, 3, 3), dtype))
    assert (x == 0).all()
    w = unwritten(1, 4, 3, 2, 2)
    run("weights_gradient", np.ones((0, 3, 4, 4), dtype), w, np.ones((0, 4, 3, 3), dtype))
    assert (w == 0).all()


@pytest.mark.skipif(contraction.isa() != "avx512", reason="the rule is that of AVX-512")
@pytest.mark.parametrize(
    ("images", "channels", "outputs", "size", "by"),
    [
        (4, 35, 90, 56, "own"),
        (4, 35, 91, 56, "onednn"),
        (4, 32, 24, 56, "onednn"),  # whole vectors
        (4, 35, 24, 45, "onednn"),
        (1, 35, 24, 70, "own"),
        (1, 35, 24, 72, "onednn"),
        (2, 35, 24, 72, "own"),
    ],
)
def test_the_rule_for_gradients_of_strided_points(images, channels, outputs, size, by):
    x = np.full((images, channels, size, size), np.nan, np.float32)
    half = (size + 1) // 2
    w, y = random((1, outputs, channels, 1, 1)), random((images, outputs, half, half), seed=2)
    made = contraction.convolution(
        "data_gradient", x, w, y, stride=[2, 2], dilation=[1, 1], inDilation=[1, 1],
        padLower=[0, 0], threads=2,
    )  # fmt: skip
    assert made.describe().startswith(by)
    made.run()
    expected = np.zeros(x.shape)
    expected[:, :, ::2, ::2] = np.einsum("oi,nohw->nihw", w[0, :, :, 0, 0].astype(np.float64), y)
    np.testing.assert_allclose(x, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.skipif(contraction.isa() != "avx512", reason="AVX-512 alone has wide panels")
@pytest.mark.parametrize(("without", "by"), [("", "wide"), ("wide panels", "own")])
def test_convolutions_that_write_much_fetch_it_before(without, by):
    """Columns of few steps by panels that fetch the output."""
    x, w = random((2, 3, 450, 450)), random((1, 17, 3, 3, 3), seed=2)
    y = np.full((2, 17, 448, 448), np.nan, np.float32)
    made = make(
        contraction.convolution, "forward", x, w, y, source="own", stride=[1, 1], dilation=[1, 1],
        inDilation=[1, 1], padLower=[0, 0], threads=2, without=without,
    )  # fmt: skip
    assert made.describe().startswith(by)
    made.run()
    expected = torch.conv2d(torch.from_numpy(x).double(), torch.from_numpy(w[0]).double())
    np.testing.assert_allclose(y, expected.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("source", ["any", "own", "portable"])
@pytest.mark.parametrize("which", ["forward", "data_gradient", "weights_gradient"])
@pytest.mark.parametrize("groups", [1, 2])
def test_convolutions_of_no_channels_images_or_points(groups, which, source):
    """Of each pass the result is empty, or a sum of nothing."""
    for images, channels, size in ((1, 0, 9), (0, 3, 9), (2, 3, 0), (2, 3, 2)):
        x = np.ones((images, 2 * groups, size, size), np.float32)
        w = np.ones((groups, channels, 2, 3, 3), np.float32)
        y = np.ones((images, channels * groups, max(size - 2, 0), max(size - 2, 0)), np.float32)
        result = {"forward": y, "data_gradient": x, "weights_gradient": w}[which]
        result[...] = np.nan
        make(
            contraction.convolution, which, x, w, y, source=source, stride=[1, 1],
            dilation=[1, 1], inDilation=[1, 1], padLower=[0, 0], threads=2,
        ).run()  # fmt: skip
        assert (result == 0).all()


def pads(*pairs):
    return [Side(padding=p) for p in pairs]


def dilated(*sides):
    return [Side(dilation=dilation, padding=padding) for dilation, padding in sides]


def strides(*steps):
    return [Out(stride=step) for step in steps]


STRIDED = strides(2, 2)
CONVS = {
    "1x1": Conv(2, 1, (5, 7), (6, 5), (1, 1)),
    "3x3 padded": Conv(2, 1, (16, 32), (9, 8), (3, 3), pads((1, 1), (1, 1))),
    "blocks": Conv(2, 1, (32, 16), (7, 7), (3, 3), pads((1, 1), (1, 1))),
    "stem": Conv(1, 1, (3, 64), (23, 23), (7, 7), pads((3, 3), (3, 3)), outs=STRIDED),
    "strided": Conv(3, 1, (16, 16), (9, 9), (3, 3), pads((1, 1), (1, 1)), outs=STRIDED),
    "unused last row": Conv(1, 1, (4, 4), (8, 8), (3, 3), outs=[Out((0, 1), 2), Out((0, 1), 2)]),
    "dilated": Conv(1, 1, (8, 8), (11, 12), (3, 3), kernels=[Side(dilation=2), Side(dilation=3)]),
    "grouped": Conv(2, 4, (3, 5), (6, 6), (3, 3), pads((1, 1), (0, 2))),
    "grouped blocks": Conv(2, 2, (16, 16), (6, 6), (3, 3), pads((1, 1), (1, 1))),
    "depthwise": Conv(2, 32, (1, 1), (7, 7), (3, 3), pads((1, 1), (1, 1))),
    "depth multiplier": Conv(1, 6, (1, 2), (7, 7), (3, 3)),
    "one channel": Conv(4, 1, (1, 8), (8, 8), (3, 3), pads((1, 1), (1, 1))),
    "rank 1": Conv(2, 1, (6, 9), (20,), (5,), pads((2, 1)), outs=strides(2)),
    "rank 3": Conv(1, 1, (4, 6), (5, 6, 4), (3, 2, 2), pads((1, 1), (0, 0), (1, 0))),
    "dilated input": Conv(2, 2, (3, 4), (5, 6), (3, 3), dilated((2, (1, 1)), (3, (2, 0)))),
    "both": Conv(1, 1, (3, 4), (6, 7), (2, 3), dilated((3, (0, 0)), (4, (3, 2))), outs=STRIDED),
    "no tap for a point": Conv(1, 1, (2, 3), (9,), (4,), dilated((6, (1, 4))), outs=strides(4)),
    "many points": Conv(1, 1, (3, 4), (30, 31), (3, 3), pads((1, 1), (1, 1))),
}  # fmt: skip


def parameters(conv: Conv) -> dict:
    """The seam's parameters; those of a Conv that needs no view around it."""
    return {
        "stride": [o.stride for o in conv.outs],
        "dilation": [k.dilation for k in conv.kernels],
        "inDilation": [i.dilation for i in conv.inputs],
        "padLower": [
            i.padding[0] - o.truncation[0] for i, o in zip(conv.inputs, conv.outs, strict=True)
        ],
    }


def blocked(x: np.ndarray, block: int) -> np.ndarray:
    if block == 0:
        return x
    if block == -1:
        return np.ascontiguousarray(np.moveaxis(x, 1, -1))
    split = x.reshape(x.shape[0], x.shape[1] // block, block, *x.shape[2:])
    return np.ascontiguousarray(np.moveaxis(split, 2, -1))


def run_all_passes(conv: Conv, dtype, threads, source, in_block=0, out_block=0):
    """Results of the three passes, and what they should be."""
    x, w = (a.astype(dtype) for a in conv.operands())
    y = conv.forward(x, w)
    dy = random(y.shape, dtype, seed=3)
    expected = {
        "forward": y,
        "data_gradient": conv.data_gradient(w, dy),
        "weights_gradient": conv.weights_gradient(x, dy),
    }
    for name, value in expected.items():
        arrays = {"forward": [x, w, None], "data_gradient": [None, w, dy]}.get(name, [x, None, dy])
        arrays = [np.full(value.shape, np.nan, dtype) if a is None else a for a in arrays]
        written = ["data_gradient", "weights_gradient", "forward"].index(name)
        arrays[0], arrays[2] = blocked(arrays[0], in_block), blocked(arrays[2], out_block)
        p = make(
            contraction.convolution, name, *arrays, **parameters(conv), threads=threads,
            source=source, inBlock=in_block, outBlock=out_block,
        )  # fmt: skip
        p.run()
        block = [in_block, 0, out_block][written]
        yield name, arrays[written], blocked(value, block)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("source", ["any", "own", "portable"])
@pytest.mark.parametrize("name", CONVS)
def test_convolutions(name, source, threads):
    for which, result, expected in run_all_passes(CONVS[name], np.float32, threads, source):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=2e-5, err_msg=which)


@pytest.mark.parametrize("source", ["any", "own", "portable"])
@pytest.mark.parametrize("blocks", [(16, 16), (8, 16), (-1, -1), (0, 16), (16, 0), (-1, 8)])
@pytest.mark.parametrize("name", ["blocks", "3x3 padded", "grouped blocks", "depthwise"])
def test_blocked_activations(name, blocks, source):
    for which, result, expected in run_all_passes(CONVS[name], np.float32, 2, source, *blocks):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=2e-5, err_msg=which)


@pytest.mark.parametrize("source", ["any", "own", "portable"])
@pytest.mark.parametrize("name", CONVS)
def test_convolutions_in_double(name, source):
    for which, result, expected in run_all_passes(CONVS[name], np.float64, 2, source):
        np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12, err_msg=which)


@pytest.mark.parametrize("name", ["1x1", "strided", "grouped", "rank 1"])
def test_convolutions_in_half(name):
    for which, result, expected in run_all_passes(CONVS[name], np.float16, 2, "any"):
        np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-3, err_msg=which)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("source", ["any", "portable"])
@pytest.mark.parametrize("name", CONVS)
def test_a_weight_without_bounds_reaches_what_it_is_multiplied_into(name, source, dtype):
    """A data gradient has no products with zeros between the points or around them."""
    conv = CONVS[name]
    x, w = (a.astype(dtype) for a in conv.operands())
    dy = np.abs(random(conv.forward(x, w).shape, dtype, seed=3)) + dtype(0.5)
    w[0, 0, 0] = 1e30
    reached = conv.data_gradient(w, dy) > 1e20
    w[0, 0, 0] = np.inf
    result = np.full(x.shape, np.nan, dtype)
    make(
        contraction.convolution, "data_gradient", result, w, dy, **parameters(conv), source=source
    ).run()
    np.testing.assert_array_equal(result == np.inf, reached)
    assert np.isfinite(result[~reached]).all()


@pytest.mark.parametrize("source", ["any", "own", "portable"])
def test_bias_of_a_convolution(source):
    conv = CONVS["grouped"]
    x, w = (a.astype(np.float32) for a in conv.operands())
    expected = conv.forward(x, w)
    bias = random(expected.shape[1])
    out = np.full(expected.shape, np.nan, np.float32)
    make(
        contraction.convolution, "forward", x, w, out, **parameters(conv), source=source, bias=bias
    ).run()
    np.testing.assert_allclose(out, expected + bias[:, None, None], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CONVS)
def test_two_runs_of_a_convolution_have_the_same_bits(name):
    first = list(run_all_passes(CONVS[name], np.float32, 2, "any"))
    for (which, a, _), (_, b, _) in zip(
        first, run_all_passes(CONVS[name], np.float32, 2, "any"), strict=True
    ):
        np.testing.assert_array_equal(a, b, err_msg=which)


def test_wishes_for_blocks_are_kept_where_channels_divide():
    if contraction.isa() != "avx512" or "onednn" not in contraction.sources():
        pytest.skip("the blocks of oneDNN on AVX-512")
    where = {"stride": [1, 1], "dilation": [1, 1], "inDilation": [1, 1], "padLower": [1, 1]}

    def wish(pass_, i, o):
        return contraction.preferredBlocks(
            pass_, [2, i, 14, 14], [1, o, i, 3, 3], [2, o, 14, 14], **where
        )

    for pass_ in ["forward", "data_gradient", "weights_gradient"]:
        assert wish(pass_, 64, 64) == (16, 16)
    assert wish("forward", 3, 64) == (0, 16)
    assert wish("forward", 20, 64)[0] == 0


@pytest.mark.parametrize("isa", ["base", "avx2"])
def test_smaller_instruction_sets(isa):
    """The tests of contractions once more in a process that is held to less."""
    others = ["test_blocked.py", "test_narrow_groups.py"]
    run_again(isa, __file__, *(Path(__file__).with_name(name) for name in others))


def test_an_instruction_set_that_does_not_exist_is_an_error():
    code = "from popir.poplin import contraction; contraction.isa()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "POPIR_ISA": "neon"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "POPIR_ISA is 'neon'; set it to base, avx2 or avx512" in done.stderr


def in_blocks(x: np.ndarray, block: int) -> np.ndarray:
    """[n, c, h, w] as [n, c / block, h, w, block]."""
    n, c, h, w = x.shape
    parts = x.reshape(n, c // block, block, h, w) if block else x
    return np.ascontiguousarray(parts.transpose(0, 1, 3, 4, 2) if block else parts)


def plain(x: np.ndarray, block: int) -> np.ndarray:
    n, parts, h, w = x.shape[:4]
    return x.transpose(0, 1, 4, 2, 3).reshape(n, parts * block, h, w) if block else x


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("pass_", ["forward", "data_gradient", "weights_gradient"])
@pytest.mark.parametrize(
    ("rows", "channels", "size", "kernel", "stride"),
    [
        (2, (3, 16), 20, 3, 1),
        (2, (16, 16), 20, 3, 1),
        (8, (16, 32), 20, 3, 1),  # by Winograd's algorithm
        (2, (16, 32), 20, 3, 2),
        (2, (4, 16), 16, 3, 2),
        (2, (16, 32), 16, 1, 2),
        (2, (32, 48), 9, 1, 1),
        (2, (16, 16), 11, 5, 1),
    ],
)
def test_a_convolution_has_the_same_bits_in_all_layouts_but_by_rows(
    pass_: str,
    rows: int,
    channels: tuple[int, int],
    size: int,
    kernel: int,
    stride: int,
    threads: int,
) -> None:
    """Of activations that are plain or in blocks of a vector.

    Where both are plain, planes or columns may take the place of the source of blocks: then sums of
    another order, within what rounding of float32 may add up to.
    """
    vector = 16 if contraction.isa() == "avx512" else 8
    after = (size + 2 * (kernel // 2) - kernel) // stride + 1
    x = random((rows, channels[0], size, size))
    w = random((1, channels[1], channels[0], kernel, kernel), seed=2)
    y = random((rows, channels[1], after, after), seed=3)
    field = [[stride] * 2, [1] * 2, [1] * 2, [kernel // 2] * 2]

    def computed(blocks: tuple[int, int], *plains: np.ndarray) -> tuple[np.ndarray, str]:
        """The result, plain, and what computed it."""
        given = [in_blocks(plains[0], blocks[0]), plains[1].copy(), in_blocks(plains[2], blocks[1])]
        names = {"inBlock": blocks[0], "outBlock": blocks[1]}
        made = contraction.convolution(pass_, *given, *field, threads=threads, **names)
        made.run()
        results = {
            "forward": plain(given[2], blocks[1]),
            "data_gradient": plain(given[0], blocks[0]),
            "weights_gradient": given[1],
        }
        return results[pass_], made.describe()

    found: list[tuple[np.ndarray, str]] = []
    for blocks in product([0, vector], repeat=2):
        if any(block and n % block for block, n in zip(blocks, channels, strict=True)):
            continue
        found.append(computed(blocks, x, w, y))
    assert len(found) >= 2
    reference = found[-1][0]
    bound = 2e-6 * float(computed((0, 0), abs(x), abs(w), abs(y))[0].max())
    for each, by in found[:-1]:
        if by.startswith(("planes ", "own ")):
            np.testing.assert_allclose(each, reference, rtol=0, atol=bound)
        else:
            np.testing.assert_array_equal(each, reference)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", range(1, 10))
@pytest.mark.parametrize(("k", "n"), [(64, 1024), (300, 230), (257, 1024)])
def test_few_rows_read_b_in_long_runs(rows, k, n, dtype):
    """With as many threads, in parts, and in place of what is there: the same bits as by one
    thread, and those of a row alone.
    """
    a, b, bias, before = (random(s, dtype) for s in ((1, rows, k), (1, k, n), (n,), (1, rows, n)))
    how = {"source": "own", "alpha": 0.5, "accumulate": True, "bias": bias}
    found = []
    for threads in (1, 2):
        c = before.copy()
        make(contraction.product, a, b, c, threads=threads, **how).run()
        found.append(c)
    expected = before + 0.5 * (a.astype(np.float64) @ b) + bias
    bound = {np.float32: 1e-4, np.float64: 1e-13}[dtype]
    np.testing.assert_allclose(found[0], expected, rtol=bound, atol=bound)
    np.testing.assert_array_equal(found[0], found[1])
    for row in range(rows):
        c = before[:, row : row + 1].copy()
        make(contraction.product, a[:, row : row + 1], b, c, **how).run()
        np.testing.assert_array_equal(c[0, 0], found[0][0, row])
