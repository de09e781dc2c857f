"""popops.reduce against numpy: every operation, type and arrangement of dimensions."""

import itertools
import re

import numpy as np
import pytest

from popir import errors, poplar, popops
from tests.device import Device, run

Op = popops.Operation

NUMPY = {
    Op.ADD: np.add.reduce,
    Op.MUL: np.multiply.reduce,
    Op.MIN: np.minimum.reduce,
    Op.MAX: np.maximum.reduce,
    Op.LOGICAL_AND: np.logical_and.reduce,
    Op.LOGICAL_OR: np.logical_or.reduce,
    Op.SQUARE_ADD: lambda x, axis: np.add.reduce(x * x, axis=axis),
    Op.LOG_ADD: lambda x, axis: np.logaddexp.reduce(x, axis=axis),
}


def oracle(x, op, dims):
    """The reduction in the widest type of its kind, as the type of x; sums of integers modulo."""
    wide = x.astype(np.float64) if x.dtype.kind == "f" else x
    for d in sorted(dims, reverse=True):
        wide = NUMPY[op](wide, axis=d)
        op = Op.ADD if op == Op.SQUARE_ADD else op
    if op == Op.SQUARE_ADD:
        wide = wide * wide
    return np.asarray(wide).astype(x.dtype)


def reduce(x, dims, op, **kwargs):
    return run(lambda g, t, prog: popops.reduce(g, t, dims, op, prog), x, **kwargs)


def random(shape, dtype, rng):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.9
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def close(actual, expected, dtype):
    if np.dtype(dtype).kind == "f":
        eps = np.finfo(dtype).eps
        np.testing.assert_allclose(actual, expected, rtol=8 * eps, atol=32 * eps)
    else:
        np.testing.assert_array_equal(actual, expected)


def subsets(rank):
    return [s for n in range(rank + 1) for s in itertools.combinations(range(rank), n)]


@pytest.mark.parametrize("dims", subsets(4), ids=str)
@pytest.mark.parametrize("op", [Op.ADD, Op.MAX], ids=str)
def test_every_choice_of_dimensions(op, dims):
    x = random((3, 5, 4, 37), np.float32, np.random.default_rng(0))
    close(reduce(x, list(dims), op), oracle(x, op, dims), np.float32)


INTEGERS = [np.int32, np.uint32, np.int64, np.uint64]
SMALL = [np.int8, np.uint8, np.int16, np.uint16]
FLOATS = [np.float32, np.float16, np.float64]
TYPES = [
    *itertools.product([Op.ADD, Op.SQUARE_ADD, Op.MUL], FLOATS + INTEGERS),
    *itertools.product([Op.MIN, Op.MAX], FLOATS + INTEGERS + SMALL),
    *itertools.product([Op.LOG_ADD], FLOATS),
    *itertools.product([Op.LOGICAL_AND, Op.LOGICAL_OR], [np.bool_]),
]


@pytest.mark.parametrize(("shape", "dims"), [((70, 3), [0]), ((3, 70), [1]), ((5, 7, 6), [0, 2])])
@pytest.mark.parametrize(("op", "dtype"), TYPES, ids=lambda v: getattr(v, "__name__", str(v)))
def test_every_type(op, dtype, shape, dims):
    x = random(shape, dtype, np.random.default_rng(1))
    close(reduce(x, dims, op), oracle(x, op, dims), dtype)


# Lengths around those at which the loops change: lanes, leaves, groups of rows, chunks.
@pytest.mark.parametrize(
    "n", [1, 2, 8, 15, 16, 17, 31, 32, 33, 63, 127, 129, 1023, 1024, 1025, 65536, 65537, 200001]
)
@pytest.mark.parametrize("rows", [True, False], ids=["row", "column"])
@pytest.mark.parametrize("width", [1, 3, 40])
def test_lengths(n, rows, width):
    if n * width > 300000:
        width = 1
    x = random((width, n) if rows else (n, width), np.float32, np.random.default_rng(n))
    dim = 1 if rows else 0
    exact = x.astype(np.float64).sum(axis=dim)
    np.testing.assert_allclose(reduce(x, [dim], Op.ADD), exact, rtol=2e-7, atol=4e-7 * n**0.5)
    np.testing.assert_array_equal(reduce(x, [dim], Op.MAX), x.max(axis=dim))


def test_wide_columns():
    x = random((9, 1500), np.float32, np.random.default_rng(3))
    close(reduce(x, [0], Op.ADD), oracle(x, Op.ADD, [0]), np.float32)
    x = x.astype(np.float16)
    close(reduce(x, [0], Op.ADD), oracle(x, Op.ADD, [0]), np.float16)


@pytest.mark.parametrize(
    ("view", "dims"),
    [
        (lambda t: t.dimShuffle([2, 0, 1]), [1]),
        (lambda t: t.dimShuffle([1, 2, 0]), [2]),
        (lambda t: t.slice(2, 9, 1), [0, 2]),
        (lambda t: t.slice(1, 5, 2), [1]),
        (lambda t: t.reverse(1), [1]),
        (lambda t: t.subSample(3, 2), [2]),
        (lambda t: t.expand([1]).broadcast(3, 1), [1]),
        (lambda t: t.expand([1]).broadcast(3, 1), [0, 3]),
    ],
)
def test_views(view, dims):
    x = random((6, 11, 20), np.float32, np.random.default_rng(4))
    both = lambda g, t, prog: [view(t), popops.reduce(g, view(t), dims, Op.ADD, prog)]  # noqa: E731
    seen, result = run(both, x)
    close(result, oracle(seen, Op.ADD, dims), np.float32)


def test_sums_are_as_accurate_as_numpys():
    rng = np.random.default_rng(5)
    x = rng.random((4, 1 << 20), np.float32)
    exact = x.astype(np.longdouble).sum(axis=1)
    ours = np.abs(reduce(x, [1], Op.ADD) - exact).max()
    numpys = np.abs(np.add.reduce(x, axis=1) - exact).max()
    assert ours <= max(2 * numpys, np.spacing(np.float32(exact.max())))
    # Down columns too, where numpy adds one row after another.
    ours = np.abs(reduce(np.ascontiguousarray(x.T), [0], Op.ADD) - exact).max()
    assert ours <= max(2 * numpys, np.spacing(np.float32(exact.max())))


@pytest.mark.parametrize(
    ("shape", "dims"),
    [((1 << 20,), [0]), ((3, 300000), [1]), ((300000, 3), [0]), ((40, 8, 30, 30), [0, 2, 3])],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_number_of_threads_changes_nothing(shape, dims, dtype):
    x = random(shape, dtype, np.random.default_rng(6))
    results = [reduce(x, dims, Op.ADD, threads=t).tobytes() for t in (1, 2, 3)]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("op", [Op.MIN, Op.MAX, Op.ADD], ids=str)
@pytest.mark.parametrize("at", [0, 5, 40, 1500])
def test_nan_stays(op, at):
    x = np.zeros(2000, np.float32)
    x[at] = np.nan
    assert np.isnan(reduce(x, [0], op))
    assert np.isnan(reduce(x.reshape(500, 4), [0], op)).sum() == 1


@pytest.mark.parametrize(
    ("op", "dtype", "neutral"),
    [
        (Op.ADD, np.float32, 0),
        (Op.SQUARE_ADD, np.float16, 0),
        (Op.MUL, np.int32, 1),
        (Op.MIN, np.float32, np.inf),
        (Op.MAX, np.float16, -np.inf),
        (Op.MAX, np.int32, np.iinfo(np.int32).min),
        (Op.MIN, np.uint8, 255),
        (Op.LOG_ADD, np.float32, -np.inf),
        (Op.LOGICAL_AND, np.bool_, True),
        (Op.LOGICAL_OR, np.bool_, False),
    ],
)
def test_nothing_to_reduce(op, dtype, neutral):
    result = reduce(np.zeros((3, 0, 2), dtype), [1], op)
    np.testing.assert_array_equal(result, np.full((3, 2), neutral, dtype))


def test_nothing_to_give():
    assert reduce(np.zeros((0, 4), np.float32), [1], Op.ADD).shape == (0,)


@pytest.mark.parametrize(
    ("shape", "dims", "kept"),
    [
        ((32,), [0], (1,)),
        ((4, 5), [1], (4, 1)),
        ((4, 5), [0], (1, 5, 1)),
        ((3, 1, 6), [2], (3,)),
        ((3, 1), [1], (1, 3)),
    ],
)
@pytest.mark.parametrize("update", [False, True])
def test_an_output_may_have_other_dimensions_of_one_element(shape, dims, kept, update):
    x = np.random.default_rng(8).integers(-50, 50, shape).astype(np.int32)
    out = np.full(kept, 7, np.int32)

    def build(g, t, o, prog):
        popops.reduceWithOutput(g, t, o, dims, popops.ReduceParams(Op.ADD, update), prog)
        return o

    expected = np.add.reduce(x, axis=tuple(dims)).reshape(kept)
    np.testing.assert_array_equal(run(build, x, out), expected + 7 * update)


@pytest.mark.parametrize("kept", [(5,), (2, 2), (), (4, 4), (0,)])
def test_an_output_of_another_size_is_refused(kept):
    def build(g, t, o, prog):
        popops.reduceWithOutput(g, t, o, [1], popops.ReduceParams(Op.ADD), prog)
        return o

    with pytest.raises(errors.poplibs_exception, match="the output has shape"):
        run(build, np.zeros((4, 5), np.float32), np.zeros(kept, np.float32))


def test_scale_update_and_output_type():
    rng = np.random.default_rng(7)
    x, out = rng.random((20, 30), np.float32), rng.random(30, np.float32)
    scale = np.array([0.25], np.float32)

    def build(g, t, o, s, prog):
        popops.reduceWithOutput(g, t, o, [0], popops.ReduceParams(Op.SQUARE_ADD, True, s), prog)
        return o

    np.testing.assert_allclose(run(build, x, out, scale), out + 0.25 * (x * x).sum(0), rtol=1e-6)

    def logs(g, t, o, s, prog):
        popops.reduceWithOutput(g, t, o, [0], popops.ReduceParams(Op.LOG_ADD, True, s), prog)
        return o

    expected = np.logaddexp(out, np.logaddexp.reduce(x, axis=0) + np.float32(0.25))
    np.testing.assert_allclose(run(logs, x, out, scale), expected, rtol=1e-6)

    half = x.astype(np.float16)
    wide = run(lambda g, t, p: popops.reduce(g, t, poplar.FLOAT, [0, 1], Op.ADD, p), half)
    assert wide.dtype == np.float32
    np.testing.assert_allclose(wide, half.astype(np.float64).sum(), rtol=1e-6)


def test_update_of_integers_and_halves():
    x = np.arange(12, dtype=np.int32).reshape(3, 4)

    def build(g, t, o, prog):
        popops.reduceWithOutput(g, t, o, [0], popops.ReduceParams(Op.ADD, True), prog)
        return o

    np.testing.assert_array_equal(run(build, x, np.full(4, 100, np.int32)), x.sum(0) + 100)
    h = x.astype(np.float16)
    np.testing.assert_array_equal(run(build, h, np.full(4, 0.5, np.float16)), h.sum(0) + 0.5)


def test_half_is_summed_in_float():
    x = np.full(4096, 1.0, np.float16)
    x[0] = 2048.0
    assert reduce(x, [0], Op.ADD) == np.float16(2048 + 4095)


def test_several_at_once():
    rng = np.random.default_rng(8)
    x, y = rng.random((5, 6), np.float32), rng.random((7,), np.float32)

    def build(g, t, u, prog):
        ops = [
            popops.SingleReduceOp(t, [1], Op.ADD),
            popops.SingleReduceOp(u, [0], Op.MAX),
        ]
        return popops.reduceMany(g, ops, [], prog)

    a, b = run(build, x, y)
    close(a, oracle(x, Op.ADD, [1]), np.float32)
    assert b == y.max()


def test_runs_again_with_other_values():
    x = np.arange(100, dtype=np.float32)
    device = Device(lambda g, t, prog: popops.reduce(g, t, [0], Op.ADD, prog), x)
    assert device.run() == 4950
    device.write(x + 1)
    assert device.run() == 5050


@pytest.mark.parametrize(
    ("shape", "dtype", "dims", "params", "words"),
    [
        ((2, 3), np.float32, [2], Op.ADD, "dimension 2 of a tensor of shape [2,3]"),
        ((2, 3), np.float32, [1, 1], Op.ADD, "dimension 1 is named twice"),
        ((2,), np.float32, [0], Op.LOGICAL_AND, "LOGICAL_AND of float elements to float"),
        ((2,), np.bool_, [0], Op.ADD, "ADD of bool elements to bool is not supported"),
        ((2,), np.int8, [0], Op.MUL, "MUL of"),
        ((2,), np.int32, [0], Op.LOG_ADD, "LOG_ADD of int elements"),
        ((2,), np.float32, [0], popops.ReduceParams(Op.ADD, True), "use reduceWithOutput"),
    ],
)
def test_refusals(shape, dtype, dims, params, words):
    with pytest.raises(errors.poplibs_exception, match=re.escape(words)):
        run(lambda g, t, prog: popops.reduce(g, t, dims, params, prog), np.zeros(shape, dtype))


def test_refusals_of_outputs_and_scales():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    prog = poplar.program.Sequence()
    x = graph.addVariable(poplar.FLOAT, [2, 3])
    with pytest.raises(errors.poplibs_exception, match=r"output has shape \[2\]"):
        popops.reduceWithOutput(graph, x, graph.addVariable(poplar.FLOAT, [2]), [0], Op.ADD, prog)
    two = graph.addVariable(poplar.FLOAT, [2])
    with pytest.raises(errors.poplibs_exception, match=r"scale must be one FLOAT element"):
        popops.reduce(graph, x, [0], popops.ReduceParams(Op.ADD, False, two), prog)
    one = graph.addVariable(poplar.FLOAT, [1])
    with pytest.raises(errors.poplibs_exception, match="scale goes with ADD"):
        popops.reduce(graph, x, [0], popops.ReduceParams(Op.MAX, False, one), prog)
