"""Products on tiles of bfloat16, emulated everywhere and by AMX where the machine has it."""

from __future__ import annotations

import numpy as np
import pytest

from popir import poplar, poplin
from popir.errors import poplar_invalid_option
from popir.options import OptionWarning
from popir.poplar import program
from popir.poplin import contraction
from tests.poplin.test_contraction import laid, random

SOURCES = ["emulatedTiles"] + ["tiles"] * ("tiles" in contraction.sources())
PRODUCTS = {"highest": 6, "high": 3, "medium": 1}
# The root mean square of errors over that of results, for factors of uniform distribution.
LARGEST = {"highest": 2e-7, "high": 1e-5, "medium": 4e-3}

# m, k, n around the 16 and 32 rows and columns of tiles, and around the 512 steps of one sum.
SHAPES = [
    (1, 1, 1),
    (5, 33, 31),
    (16, 32, 32),
    (17, 31, 33),
    (33, 64, 16),
    (48, 520, 40),
    (70, 700, 65),
]


def result(a, b, source, fpMath="highest", lay="dense", **options):
    c = laid(np.full((1, a.shape[-2], b.shape[-1]), np.nan, np.float32), lay)
    made = contraction.product(a, b, c, source=source, fpMath=fpMath, **options)
    kind = "emulated" if source == "emulatedTiles" else "amx"
    assert made.describe() == f"tiles {kind} {PRODUCTS[fpMath]} x bfloat16"
    made.run()
    return c


def error(c, a, b):
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return np.sqrt(np.mean((c - exact) ** 2) / np.mean(exact**2))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("fpMath", PRODUCTS)
@pytest.mark.parametrize("lay", ["dense", "transposed", "padded"])
def test_errors_are_within_what_is_stated(source, fpMath, lay):
    for m, k, n in SHAPES:
        a, b = random((1, m, k)), random((1, k, n), seed=2)
        c = result(laid(a, lay), laid(b, lay), source, fpMath, "padded" if lay == "padded" else "")
        assert error(c, a, b) <= LARGEST[fpMath] * (1 if m > 1 else 2), (m, k, n)


def test_fewer_products_are_less_accurate():
    a, b = random((1, 32, 256)), random((1, 256, 32), seed=2)
    of = {fpMath: error(result(a, b, "emulatedTiles", fpMath), a, b) for fpMath in PRODUCTS}
    assert of["highest"] * 10 < of["high"] < of["medium"] / 100


def test_six_products_are_as_accurate_as_float32():
    a, b = random((1, 64, 768)), random((1, 768, 64), seed=2)
    c = np.empty((1, 64, 64), np.float32)
    # This one sums parts of 64 steps, which makes it the most accurate of the sources in float32.
    contraction.product(a, b, c, source="portable").run()
    assert error(result(a, b, "emulatedTiles"), a, b) < 1.2 * error(c, a, b)


@pytest.mark.parametrize("source", SOURCES)
def test_numbers_of_bfloat16_lose_nothing(source):
    a, b = (random((1, 40, 96), np.int32, 1) % 16, random((1, 96, 40), np.int32, 2) % 16)
    for fpMath in PRODUCTS:
        c = result(a.astype(np.float32), b.astype(np.float32), source, fpMath)
        np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("source", SOURCES)
def test_scale_bias_and_accumulation(source):
    a, b, bias, before = random((1, 37, 70)), random((1, 70, 45)), random(45), random((1, 37, 45))
    c = before.copy()
    contraction.product(a, b, c, source=source, alpha=-0.25, accumulate=True, bias=bias).run()
    expected = before - 0.25 * (a.astype(np.float64) @ b) + bias
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("source", SOURCES)
def test_no_elements(source):
    bias = random(20)
    c = np.full((1, 3, 20), np.nan, np.float32)
    zero = (np.empty((1, 3, 0), np.float32), np.empty((1, 0, 20), np.float32))
    contraction.product(*zero, c, source=source, bias=bias).run()
    np.testing.assert_array_equal(c, np.broadcast_to(bias, c.shape))
    for m, n in [(0, 20), (3, 0)]:
        a, b = np.ones((1, m, 4), np.float32), np.ones((1, 4, n), np.float32)
        with pytest.raises(ValueError, match="c has no elements"):
            contraction.product(a, b, np.empty((1, m, n), np.float32), source=source)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "scales", [(1e-38, 1e30), (1e-44, 1e20), (1e36, 1e-30), (1e30, 1e-42), (3e38, 1e-10)]
)
def test_the_ends_of_the_range(source, scales):
    """Against float32 arithmetic on operands as they are: denormals are numbers like others."""
    a = (random((1, 20, 64)) * np.float64(scales[0])).astype(np.float32)
    b = (random((1, 64, 40), seed=2) * np.float64(scales[1])).astype(np.float32)
    c = result(a, b, source)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    # Sums of terms of both signs: the bound is on the terms.
    bound = 1e-6 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)) + 1e-44
    assert (np.abs(c - exact) <= bound).all()


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_not_finite_is_what_float32_gives(source):
    a, b = random((1, 40, 50)), random((1, 50, 70), seed=2)
    a[0, 3, 7], a[0, 5, 0] = np.inf, np.nan
    a[0, 20, 9], a[0, 21, 9] = np.finfo(np.float32).max, -np.finfo(np.float32).max
    a.view(np.uint32)[0, 30, 2] = 0x7FFFFFFF  # a NaN that would become -0 if it were rounded
    b[0, 11, 33], b[0, 12, 40] = -np.inf, np.nan
    b[0, 9, 50] = 2.0
    expected = np.empty((1, 40, 70), np.float32)
    contraction.product(a, b, expected, source="portable").run()
    c = result(a, b, source)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)
    assert np.isinf(c).any() and np.isnan(c).any() and np.isfinite(c).any()


@pytest.mark.parametrize("source", SOURCES)
def test_threads_do_not_change_bits(source):
    a, b = random((1, 100, 600)), random((1, 600, 130), seed=2)
    one = result(a, b, source)
    for threads in (2, 3, 7):
        np.testing.assert_array_equal(result(a, b, source, threads=threads), one)


def test_bands_of_rows_do_not_change_bits():
    """With many steps over k only some rows at a time have room in the cache."""
    a, b = random((1, 70, 9000)), random((1, 9000, 3), seed=2)
    whole = result(a, b, "emulatedTiles")
    parts = [result(a[:, i : i + 32], b, "emulatedTiles") for i in (0, 32, 64)]
    # The last six rows are 16 in one block, whose sums go by turns to two tiles.
    np.testing.assert_array_equal(whole, np.concatenate(parts, 1))


@pytest.mark.skipif("tiles" not in SOURCES, reason="this machine has no AMX")
@pytest.mark.parametrize("fpMath", PRODUCTS)
def test_amx_gives_the_bits_of_its_emulation(fpMath):
    for spread in (1, 20, 60):
        a, b = random((1, 70, 700)), random((1, 700, 65), seed=2)
        a *= np.exp(random(a.shape, seed=3) * spread)
        b *= np.exp(random(b.shape, seed=4) * spread)
        np.testing.assert_array_equal(
            result(a, b, "tiles", fpMath), result(a, b, "emulatedTiles", fpMath)
        )


def test_other_products_are_refused():
    for a, b, c in [
        (random((2, 4, 4)), random((2, 4, 4)), np.empty((2, 4, 4), np.float32)),
        (random((1, 4, 4), np.float64), random((1, 4, 4), np.float64), np.empty((1, 4, 4))),
    ]:
        with pytest.raises(ValueError, match="not done by emulatedTiles"):
            contraction.product(a, b, c, source="emulatedTiles")


def test_an_accuracy_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match="fpMath is 'low'; it can be highest, high or medium"):
        contraction.product(*(random((1, 4, 4)) for _ in range(3)), fpMath="low")
    with pytest.raises(poplar_invalid_option, match=r"host.fpMath.*'low'.*highest, high"):
        poplar.Engine(
            poplar.Graph(poplar.Target.createCPUTarget()),
            [program.Sequence()],
            {"host.fpMath": "low"},
        )


def planned(fpMath: str) -> tuple[str, np.ndarray]:
    """A layer of 64 rows whose weights are constants, and its plan."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    a, b = random((64, 512)), random((512, 512), seed=2)
    x = graph.addVariable(poplar.FLOAT, a.shape, "x")
    weights = graph.addVariable(poplar.FLOAT, b.shape, "weights")
    graph.setTileMapping(x, 0)
    graph.setTileMapping(weights, 0)
    graph.createHostWrite("x", x)
    graph.createHostWrite("weights", weights)
    done = program.Sequence()
    y = poplin.matMul(graph, x, weights, done, "layer")
    graph.createHostRead("y", y)
    engine = poplar.Engine(graph, [done], {"host.fpMath": fpMath})
    engine.writeTensor("x", a)
    engine.writeTensor("weights", b)
    engine.run(0)
    out = np.empty((64, 512), np.float32)
    engine.readTensor("y", out)
    return engine.planText(), out


def test_an_engine_has_the_accuracy_that_it_was_asked_for():
    a, b = random((64, 512)), random((512, 512), seed=2)
    if "tiles" in SOURCES:
        for fpMath in PRODUCTS:
            _, out = planned(fpMath)
            np.testing.assert_array_equal(out, result(a[None], b[None], "tiles", fpMath)[0])
        return
    _, expected = planned("highest")
    with pytest.warns(OptionWarning, match="no tiles of bfloat16"):
        _, out = planned("medium")
    np.testing.assert_array_equal(out, expected)
