"""popir.ext.integerProduct: products of bytes minus zero points, against numpy."""

import numpy as np
import pytest

from popir import errors, ext, poplar
from popir.poplar import program
from tests.poplin.programs import run, run_again

BYTES = (np.int8, np.uint8)


def bytes_of(dtype, *shape, seed=1):
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True)


def expected(a, b, x=None, y=None):
    """The exact result modulo 2^32, of a [g, m, k], b [g, k, n], x [g, m] or [1], y [g, n] or
    [1].
    """
    wide, other = a.astype(np.int64), b.astype(np.int64)
    if x is not None:
        wide = wide - (x.astype(np.int64)[..., None] if x.ndim > 1 else x.astype(np.int64))
    if y is not None:
        other = other - (y.astype(np.int64)[:, None] if y.ndim > 1 else y.astype(np.int64))
    return (wide @ other).astype(np.int32)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (1, 64, 10), (7, 33, 17), (61, 700, 40), (100, 51, 129), (3, 0, 4)]
)
@pytest.mark.parametrize("b_type", BYTES)
@pytest.mark.parametrize("a_type", BYTES)
def test_zero_points_of_each_kind(a_type, b_type, shape, threads):
    m, k, n = shape
    given = {
        "a": bytes_of(a_type, 2, m, k),
        "b": bytes_of(b_type, 2, k, n, seed=2),
        "x": bytes_of(a_type, 1, seed=3),
        "y": bytes_of(b_type, 1, seed=4),
        "xs": bytes_of(a_type, 2, m, seed=5),
        "ys": bytes_of(b_type, 2, n, seed=6),
    }
    kinds = [
        *((None, None), ("x", None), (None, "y"), ("x", "y"), ("xs", None), (None, "ys")),
        *(("xs", "ys"), ("xs", "y"), ("x", "ys")),
    ]

    def build(graph, prog, **t):
        return [
            ext.integerProduct(graph, t["a"], t["b"], t.get(x), t.get(y), prog) for x, y in kinds
        ]

    found = run(given, build, threads)
    for result, (x, y) in zip(found, kinds, strict=True):
        want = expected(given["a"], given["b"], given.get(x), given.get(y))
        np.testing.assert_array_equal(result, want, err_msg=f"{x}, {y}")


@pytest.mark.parametrize("b_type", BYTES)
@pytest.mark.parametrize("a_type", BYTES)
def test_operands_lie_in_any_way(a_type, b_type):
    a, b = bytes_of(a_type, 3, 40, 30), bytes_of(b_type, 3, 50, 40, seed=2)
    x = bytes_of(a_type, 1, seed=3)

    def build(graph, prog, a, b, x):
        turned, other = a.dimShuffle([0, 2, 1]), b.dimShuffle([0, 2, 1])
        one, cut = turned[1].expand([0]), a.slice([0, 3, 0], [3, 40, 24])
        return [
            ext.integerProduct(graph, turned, other, x, None, prog),
            ext.integerProduct(graph, one.broadcast(3, 0), other, x, None, prog),
            ext.integerProduct(
                graph, turned, other[2].expand([0]).broadcast(3, 0), None, None, prog
            ),
            ext.integerProduct(graph, b.slice([0, 0, 3], [3, 50, 40]), cut, None, None, prog),
        ]

    found = run({"a": a, "b": b, "x": x}, build, 2)
    turned, other = a.transpose(0, 2, 1), b.transpose(0, 2, 1)
    np.testing.assert_array_equal(found[0], expected(turned, other, x))
    np.testing.assert_array_equal(found[1], expected(turned[[1, 1, 1]], other, x))
    np.testing.assert_array_equal(found[2], expected(turned, other[[2, 2, 2]]))
    np.testing.assert_array_equal(found[3], expected(b[:, :, 3:], a[:, 3:, :24]))


def test_sums_wrap_around():
    k = 140_000
    a, b = np.full((1, 1, k), 255, np.uint8), np.full((1, k, 1), -128, np.int8)

    def build(graph, prog, a, b):
        return [ext.integerProduct(graph, a, b, None, None, prog)]

    (found,) = run({"a": a, "b": b}, build)
    assert found.ravel()[0] == expected(a, b).ravel()[0] == -255 * 128 * k + 2**32


@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_without_the_instructions_for_bytes(isa):
    run_again(isa, __file__)


@pytest.mark.parametrize(
    ("kinds", "shapes", "zeros", "message"),
    [
        (
            *((poplar.SHORT, poplar.SHORT), ([1, 2, 3], [1, 3, 4]), ([], [])),
            "A is short [1, 2, 3], B short [1, 3, 4]; expected signed char or unsigned char",
        ),
        (
            *((poplar.SIGNED_CHAR,) * 2, ([2, 3], [3, 4]), ([], [])),
            "A is signed char [2, 3], B signed char [3, 4]; expected 3 dimensions in each",
        ),
        (
            *((poplar.SIGNED_CHAR,) * 2, ([2, 2, 3], [1, 3, 4]), ([], [])),
            "expected as many groups in both",
        ),
        (
            *((poplar.SIGNED_CHAR,) * 2, ([1, 2, 3], [1, 2, 4]), ([], [])),
            "expected as many columns in A as rows in B",
        ),
        (
            *((poplar.SIGNED_CHAR,) * 2, ([1, 2, 3], [1, 3, 4]), ([3], [])),
            "the zero points of A are signed char [3]; expected signed char [1] or [1, 2]",
        ),
        (
            *((poplar.SIGNED_CHAR,) * 2, ([1, 2, 3], [1, 3, 4]), ([], [2, 4])),
            "the zero points of B are signed char [2, 4]; expected signed char [1] or [1, 4]",
        ),
    ],
)
def test_what_does_not_fit(kinds, shapes, zeros, message):
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    made = [graph.addVariable(kind, shape) for kind, shape in zip(kinds, shapes, strict=True)]
    points = [graph.addVariable(kinds[0], shape) if shape else None for shape in zeros]
    with pytest.raises(errors.poplibs_exception) as raised:
        ext.integerProduct(graph, *made, *points, program.Sequence())
    assert message in str(raised.value)
