"""popir.ext.dequantizeBits and the products that read the numbers, against numpy."""

import ml_dtypes
import numpy as np
import pytest

from popir import errors, ext, poplar, poplin, popops
from popir.poplar import program
from tests.poplin.programs import multiplies_bytes, run, run_again

RNG = np.random.default_rng(3)


def matrix(rows, columns, block, bits, zeros=True):
    """Inputs of ext.dequantizeBits, and the values in double."""
    blocks = -(-columns // block)
    numbers = RNG.integers(0, 1 << bits, (rows, blocks * block)).astype(np.uint8)
    per = 8 // bits
    parts = numbers.reshape(rows, -1, per) << (np.arange(per) * bits).astype(np.uint8)
    given = {
        "w": np.bitwise_or.reduce(parts, axis=2).reshape(rows, blocks, block // per),
        "s": RNG.uniform(-1, 1, (blocks, rows)).astype(np.float32),
    }
    if zeros:
        given["z"] = RNG.integers(-3, 4, (blocks, rows)).astype(np.float32)
    z = given.get("z", np.zeros((blocks, rows))).astype(np.float64)
    values = numbers.reshape(rows, blocks, block) - 2.0 ** (bits - 1) - z.T[:, :, None]
    values = values * given["s"].T.astype(np.float64)[:, :, None]
    return given, values.reshape(rows, -1)[:, :columns]


def product(bits, columns, rounds=False):
    """A program of x times the values, transposed."""

    def build(graph, prog, x, w, s, z=None):
        values = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, bits, columns, rounds, prog)
        return [poplin.matMul(graph, x, values.transpose(), prog)]

    return build


SHAPES = [
    (1, 16, 1, 16),
    (1, 64, 130, 32),
    (2, 70, 64, 16),
    (5, 128, 33, 128),
    (13, 300, 200, 48),
    (20, 600, 100, 304),
    (20, 64, 600, 32),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize(("m", "k", "n", "block"), SHAPES)
def test_values_and_products(m, k, n, block, bits, zeros, threads):
    given, values = matrix(n, k, block, bits, zeros)

    def dequantized(graph, prog, w, s, z=None):
        return [ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, bits, k, False, prog)]

    (found,) = run(given, dequantized, threads)
    np.testing.assert_allclose(found, values, rtol=1e-6)
    x = RNG.standard_normal((m, k)).astype(np.float32)
    plans: list[str] = []
    for fuse in (True, False):
        (found,) = run({"x": x, **given}, product(bits, k), threads, plans=plans, fuse=fuse)
        size = np.abs(x.astype(np.float64)) @ np.abs(values.T)
        np.testing.assert_array_less(np.abs(found - x @ values.T), 1e-6 * size + 1e-12)
    assert ("bitsProduct" in plans[0]) == (n > 1)  # of one column most of a panel would be empty
    assert ("dequantizeBits" in plans[0]) == (n == 1)
    assert "dequantizeBits" in plans[1] and "bitsProduct" not in plans[1]


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize(("m", "k", "n", "block"), SHAPES)
def test_rows_rounded_to_bytes(m, k, n, block, bits, zeros):
    """The product of the rows as they are rounded: each block's largest magnitude becomes 127."""
    given, values = matrix(n, k, block, bits, zeros)
    x = RNG.standard_normal((m, k)).astype(np.float32)
    x[-1, :3] = 0, -1e-30, 1e-42
    (found,) = run({"x": x, **given}, product(bits, k, rounds=True))
    rounded = np.pad(x, ((0, 0), (0, -k % block))).reshape(m, -1, block)
    scales = np.abs(rounded).max(-1, keepdims=True) / np.float32(127)
    rounded = np.rint(rounded / scales) * scales if multiplies_bytes() and n > 1 else rounded
    rounded = rounded.reshape(m, -1)[:, :k].astype(np.float64)
    size = np.abs(rounded) @ np.abs(values.T)
    np.testing.assert_allclose(found, rounded @ values.T, atol=2e-3 * size.max())
    # One number may be rounded the other way: a sum is off by a small part of a step then.
    assert np.quantile(np.abs(found - rounded @ values.T) / size, 0.9) < 1e-5


@pytest.mark.parametrize("rounds", [False, True])
@pytest.mark.parametrize(("dtype", "step"), [(np.float16, 2.0**-11), (ml_dtypes.bfloat16, 2.0**-8)])
def test_rows_of_16_bits(dtype, step, rounds):
    """A result is that of floats, rounded once; what rounding to bytes adds is not small."""
    given, values = matrix(70, 100, 32, 4)
    for m in (1, 20):
        x = RNG.standard_normal((m, 100)).astype(dtype)
        wide, plans = x.astype(np.float64), []
        size = np.abs(wide) @ np.abs(values.T)

        def build(graph, prog, x, w, s, z):
            made = ext.dequantizeBits(graph, w, s, z, x.elementType(), 4, 100, rounds, prog)
            return [poplin.matMul(graph, x, made.transpose(), prog)]

        for fuse in (True, False):
            (found,) = run({"x": x, **given}, build, plans=plans, fuse=fuse)
            assert found.dtype == dtype
            error = np.abs(found.astype(np.float64) - wide @ values.T)
            allowed = step * np.abs(wide @ values.T) + 1e-6 * size
            if not fuse:
                allowed += step * size  # each value is rounded
            elif rounds and multiplies_bytes():
                allowed += 0.01 * size
            np.testing.assert_array_less(error, allowed + 1e-12)
        assert "bitsProduct" in plans[0] and "bitsProduct" not in plans[1]


def test_what_is_not_finite_is_not_lost():
    given, values = matrix(70, 64, 32, 4)
    for bad in (np.nan, np.inf, -np.inf):
        x = np.ones((3, 64), np.float32)
        x[1, 40] = bad
        for rounds in (False, True):
            (found,) = run({"x": x, **given}, product(4, 64, rounds))
            np.testing.assert_allclose(found[[0, 2]], np.stack([values.sum(1)] * 2), rtol=1e-4)
            # A number of 0 times infinity is NaN; rounded, all of the row is.
            assert not np.isfinite(found[1]).any()
    (found,) = run({"x": np.full((1, 64), 1e-40, np.float32), **given}, product(4, 64, rounds=True))
    assert np.abs(found).max() < 1e-35


@pytest.mark.parametrize("rounds", [False, True])
@pytest.mark.parametrize("m", [3, 20])
def test_sums_of_nothing(m, rounds):
    given, _ = matrix(70, 0, 32, 4)
    given["x"] = np.zeros((m, 0), np.float32)
    (found,) = run(given, product(4, 0, rounds))
    np.testing.assert_array_equal(found, np.zeros((m, 70), np.float32))


def test_one_matrix_of_several_products():
    given, values = matrix(40, 32, 16, 4)
    x, y = (RNG.standard_normal((m, 32)).astype(np.float32) for m in (3, 30))
    plans: list[str] = []

    def build(graph, prog, x, y, w, s, z):
        made = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, 4, 32, False, prog).transpose()
        return [poplin.matMul(graph, each, made, prog) for each in (x, y)]

    found = run({"x": x, "y": y, **given}, build, plans=plans)
    np.testing.assert_allclose(found[0], x @ values.T, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found[1], y @ values.T, rtol=1e-4, atol=1e-4)
    assert plans[0].count("bitsProduct") == 2


def test_in_a_loop():
    given, values = matrix(32, 32, 16, 4)
    x = RNG.standard_normal((3, 32)).astype(np.float32)
    plans: list[str] = []

    def build(graph, prog, x, w, s, z):
        made = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, 4, 32, False, prog).transpose()
        body = program.Sequence()
        body.add(program.Copy(poplin.matMul(graph, x, made, body), x))
        prog.add(program.Repeat(2, body))
        return [x]

    (found,) = run({"x": x, **given}, build, plans=plans)
    np.testing.assert_allclose(found, x @ values.T @ values.T, rtol=1e-3, atol=1e-3)
    assert "bitsProduct" in plans[0]


def other_readers(graph, prog, x, w, s, z):
    made = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, 4, 32, False, prog)
    return [poplin.matMul(graph, x, made.transpose(), prog), popops.neg(graph, made, prog)]


def gram(graph, prog, x, w, s, z):
    made = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, 4, 32, False, prog)
    return [poplin.matMul(graph, made, made.transpose(), prog), popops.neg(graph, x, prog)]


def gram_of_some_rows(graph, prog, x, w, s, z):
    made = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, 4, 32, False, prog)
    some = made.slice(0, 5, 0)
    return [poplin.matMul(graph, some, made.transpose(), prog), popops.neg(graph, x, prog)]


def not_transposed(graph, prog, x, w, s, z):
    made = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, 4, 32, False, prog)
    return [poplin.matMul(graph, x, made, prog)]


def changed_scales(graph, prog, x, w, s, z):
    made = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, 4, 32, False, prog)
    popops.mulInPlace(graph, s, s, prog)
    return [poplin.matMul(graph, x, made.transpose(), prog), s]


def in_a_conditional(graph, prog, x, w, s, z):
    body = program.Sequence()
    made = ext.dequantizeBits(graph, w, s, z, poplar.FLOAT, 4, 32, False, body)
    flag = graph.addVariable(poplar.BOOL, [], poplar.VariableMappingMethod.LINEAR)
    prog.add(program.Copy(popops.neq(graph, x.flatten()[0], x.flatten()[1], prog), flag))
    other = program.Sequence()
    popops.zero(graph, made, other)
    prog.add(program.If(flag, body, other))
    return [poplin.matMul(graph, x, made.transpose(), prog)]


@pytest.mark.parametrize(
    "build",
    [other_readers, gram, gram_of_some_rows, not_transposed, changed_scales, in_a_conditional],
)
def test_where_the_values_are_wanted(build):
    given, _ = matrix(32, 32, 16, 4)
    given["x"] = RNG.standard_normal((5, 32)).astype(np.float32)
    plans: list[str] = []
    found = run(given, build, plans=plans)
    assert "bitsProduct" not in plans[0]
    for each, want in zip(found, run(given, build, fuse=False), strict=True):
        np.testing.assert_array_equal(each, want)


@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_with_fewer_instructions(isa):
    run_again(isa, __file__, "-k", "test_values or test_what_is_not")


@pytest.mark.parametrize(
    ("kind", "shape", "scales", "bits", "columns", "message"),
    [
        (poplar.UNSIGNED_CHAR, [3, 2, 8], [2, 3], 3, 32, "3 bits; expected are 2, 4 or 8"),
        (poplar.SIGNED_CHAR, [3, 2, 8], [2, 3], 4, 32, "signed char [3, 2, 8]; expected are unsi"),
        (poplar.UNSIGNED_CHAR, [3, 16], [2, 3], 4, 32, "unsigned char [3, 16]; expected are unsi"),
        (poplar.UNSIGNED_CHAR, [3, 2, 4], [2, 3], 4, 16, "8 numbers; expected is a multiple of 16"),
        (poplar.UNSIGNED_CHAR, [3, 2, 8], [2, 3], 4, 33, "33 columns do not fit 2 blocks of 16"),
        (poplar.UNSIGNED_CHAR, [3, 2, 8], [2, 3], 4, -1, "-1 columns do not fit 2 blocks of 16"),
        (
            poplar.UNSIGNED_CHAR,
            [3, 2, 8],
            [3, 2],
            4,
            32,
            "scales are float [3, 2]; expected are",
        ),
    ],
)
def test_what_does_not_fit(kind, shape, scales, bits, columns, message):
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    w, s = graph.addVariable(kind, shape), graph.addVariable(poplar.FLOAT, scales)
    with pytest.raises(errors.poplibs_exception) as raised:
        ext.dequantizeBits(
            graph, w, s, None, poplar.FLOAT, bits, columns, False, program.Sequence()
        )
    assert message in str(raised.value)
