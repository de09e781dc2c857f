"""poplin's matrix products in programs, against numpy."""

import numpy as np
import pytest

from popir import errors, poplar, poplin
from popir._device import machine
from popir.poplar import program
from tests.poplin.programs import run, run_again


def random(*shape, dtype=np.float32, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 64, 10), (64, 784, 512), (17, 33, 5)])
def test_product(shape, threads):
    m, k, n = shape
    a, b = random(m, k), random(k, n, seed=2)

    def build(graph, prog, a, b):
        return [poplin.matMul(graph, a, b, prog, "mul")]

    (c,) = run({"a": a, "b": b}, build, threads)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=3e-6 * np.sqrt(k))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (1, 64, 10), (7, 33, 17), (13, 700, 40), (64, 51, 129), (3, 0, 4)]
)
def test_shorts_are_summed_in_32_bits(shape, threads):
    m, k, n = shape
    rng = np.random.default_rng(k)
    a = rng.integers(-(2**15), 2**15, (2, m, k)).astype(np.int16)
    b = rng.integers(-(2**15), 2**15, (2, k, n)).astype(np.int16)

    def build(graph, prog, a, b):
        int32 = poplar.INT
        turned = b.dimShuffle([0, 2, 1]).dimShuffle([0, 2, 1])
        return [
            poplin.matMulGrouped(graph, a, turned, prog, int32),
            poplin.matMul(graph, a[0], b[1], prog, int32),
            poplin.matMul(graph, b[0].transpose(), a[1].transpose(), prog, int32),
        ]

    found = run({"a": a, "b": b}, build, threads)
    wide = [a.astype(np.int64), b.astype(np.int64)]
    want = [wide[0] @ wide[1], wide[0][0] @ wide[1][1], (wide[0][1] @ wide[1][0]).T]
    for result, exact in zip(found, want, strict=True):
        np.testing.assert_array_equal(result, exact.astype(np.int32))  # modulo 2^32


@pytest.mark.parametrize("isa", ["base", "avx2"])
def test_shorts_with_smaller_instruction_sets(isa):
    run_again(isa, __file__, "-k", "shorts_are or shorts_accumulate")


def test_shorts_accumulate():
    a, b = (np.arange(-200, 200).reshape(20, 20).astype(np.int16) * 77 for _ in range(2))
    c = np.arange(400).reshape(20, 20).astype(np.int32)

    def build(graph, prog, a, b, c):
        poplin.matMulAcc(graph, c, 1.0, a, b, prog)
        return [c]

    (out,) = run({"a": a, "b": b, "c": c}, build)
    exact = c + a.astype(np.int64) @ b.astype(np.int64)
    np.testing.assert_array_equal(out, exact.astype(np.int32))


def test_product_of_views():
    a, b = random(20, 12), random(30, 20, seed=2)

    def build(graph, prog, a, b):
        left, right = a.transpose().slice(1, 9), b.slice(2, 27).transpose()
        return [
            poplin.matMul(graph, left, right, prog),
            poplin.matMul(graph, left.reverse(0), right.subSample(2, 1), prog),
        ]

    c, d = run({"a": a, "b": b}, build)
    left, right = a.T[1:9], b[2:27].T
    np.testing.assert_allclose(c, left @ right, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(d, left[::-1] @ right[:, ::2], rtol=1e-5, atol=1e-6)


def test_product_into_a_view():
    a, b, c = random(4, 6), random(6, 5, seed=2), random(7, 8, seed=3)

    def build(graph, prog, a, b, c):
        poplin.matMulWithOutput(graph, a, b, c.transpose().slice([2, 1], [6, 6]), prog)
        return [c]

    (out,) = run({"a": a, "b": b, "c": c}, build)
    expected = c.copy()
    expected.T[2:6, 1:6] = a @ b
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n", [5, 64, 130])
def test_product_into_an_operand(n):
    """As in PopLibs, the operands are read before the result is written."""
    a, b, c = random(n, n), random(n, n, seed=2), random(n, n, seed=3)

    def build(graph, prog, a, b, c):
        poplin.matMulWithOutput(graph, a, b, b, prog)
        poplin.matMulWithOutput(graph, c.transpose(), c, c, prog)
        poplin.matMulAcc(graph, a, -0.5, b, a, prog)
        return [a, b, c]

    left, right, square = run({"a": a, "b": b, "c": c}, build)
    np.testing.assert_allclose(right, a @ b, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(square, c.T @ c, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(left, a - 0.5 * a @ b @ a, rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("k", [1.0, -0.5])
def test_accumulation(k):
    a, b, c = random(9, 6), random(6, 5, seed=2), random(9, 5, seed=3)

    def build(graph, prog, a, b, c):
        poplin.matMulAcc(graph, c, k, a, b, prog)
        return [c]

    (out,) = run({"a": a, "b": b, "c": c}, build, runs=3)
    np.testing.assert_allclose(out, c + 3 * k * (a @ b), rtol=1e-5, atol=1e-5)


def test_accumulation_scaled_by_a_tensor():
    a, b, c, k = random(9, 6), random(6, 5, seed=2), random(9, 5, seed=3), random(1, seed=4)

    def build(graph, prog, a, b, c, k):
        poplin.matMulAcc(graph, c, k.reshape([]), a, b, prog)
        g = [t.expand([0]) for t in (c, a, b)]
        poplin.matMulGroupedAcc(graph, g[0], k.reshape([]), g[1], g[2], prog)
        return [c]

    (out,) = run({"a": a, "b": b, "c": c, "k": k}, build)
    np.testing.assert_allclose(out, c + 2 * k * (a @ b), rtol=1e-5, atol=1e-5)


def test_groups():
    a, b, c = random(3, 4, 6), random(3, 6, 5, seed=2), random(3, 4, 5, seed=3)

    def build(graph, prog, a, b, c):
        poplin.matMulGroupedAcc(graph, c, 2.0, a, b, prog)
        turned = poplin.transposeGroupedMatrix(b)
        one = turned.slice(1, 2).broadcast(3, 0)
        product = poplin.matMulGrouped(graph, a, one.dimShuffle([0, 2, 1]), prog, poplar.FLOAT)
        return [c, product]

    out, product = run({"a": a, "b": b, "c": c}, build)
    np.testing.assert_allclose(out, c + 2 * (a @ b), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(product, a @ b[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int32, np.int64])
def test_other_types(dtype):
    a, b = (10 * random(5, 300)).astype(dtype), (10 * random(300, 7, seed=2)).astype(dtype)

    def build(graph, prog, a, b):
        return [poplin.matMul(graph, a, b, prog)]

    (c,) = run({"a": a, "b": b}, build)
    assert c.dtype == dtype
    wide = np.float64 if np.issubdtype(dtype, np.floating) else dtype
    rtol = {np.float16: 2.0**-10, np.float64: 1e-13}.get(dtype, 0)
    np.testing.assert_allclose(c, a.astype(wide) @ b.astype(wide), rtol=rtol, atol=100 * rtol)


def test_halves_into_float():
    a, b = random(5, 300, dtype=np.float16), random(300, 7, dtype=np.float16, seed=2)

    def build(graph, prog, a, b):
        return [poplin.matMul(graph, a, b, prog, poplar.FLOAT)]

    (c,) = run({"a": a, "b": b}, build)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)


def test_allocators_give_the_shapes_asked_for():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    a, b = [3, 4, 5], [3, 5, 6]
    assert poplin.createMatMulInputLHS(graph, poplar.FLOAT, a[1:], b[1:], "a").shape() == a[1:]
    assert poplin.createMatMulInputRHS(graph, poplar.FLOAT, a[1:], b[1:], "b").shape() == b[1:]
    half, single = poplar.HALF, poplar.FLOAT
    out = poplin.createMatMulOutput(graph, half, single, a[1:], b[1:], "c")
    assert (out.shape(), out.elementType()) == ([4, 6], single)
    left = poplin.createMatMulGroupedInputLHS(graph, half, single, a, b, "a")
    assert (left.shape(), left.elementType()) == (a, half)
    assert poplin.createMatMulGroupedInputRHS(graph, half, single, a, b, "b").shape() == b
    assert poplin.createMatMulGroupedOutput(graph, half, single, a, b, "c").shape() == [3, 4, 6]
    assert graph.getTileMapping(left)


def test_cache_knows_what_it_has_seen():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    cache, prog = poplin.PlanningCache(), poplar.program.Sequence()
    a = poplin.createMatMulInputLHS(graph, poplar.FLOAT, [4, 5], [5, 6], "a")
    b = poplin.createMatMulInputRHS(graph, poplar.FLOAT, [4, 5], [5, 6], "b")
    for _ in range(2):
        poplin.matMul(graph, a, b, prog, cache=cache)
    assert cache.size() == 1
    poplin.matMul(graph, a, b, prog, options={"partialsType": "half"}, cache=cache)
    assert cache.size() == 2


@pytest.fixture
def operands():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    linear = poplar.VariableMappingMethod.LINEAR
    a = graph.addVariable(poplar.FLOAT, [4, 5], linear, "a")
    b = graph.addVariable(poplar.FLOAT, [5, 6], linear, "b")
    return graph, a, b, poplar.program.Sequence()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"partialType": "half"},
            r"poplin::matMul: there is no option 'partialType'. Did you mean 'partialsType'\?",
        ),
        (
            {"partialsType": "double"},
            "partialsType is 'double', expected one of float, half",
        ),
        ({"availableMemoryProportion": "2"}, "is '2', expected a number from 0 to 1"),
        ({"fullyConnectedPass": "FWD"}, "is 'FWD', expected one of NONE, INFERENCE_FWD"),
        ({"enableFastReduce": "yes"}, "is 'yes', expected true or false"),
    ],
)
def test_options_that_are_refused(operands, options, message):
    graph, a, b, prog = operands
    with pytest.raises(errors.poplar_invalid_option, match=message):
        poplin.matMul(graph, a, b, prog, options=options)


def test_options_that_are_taken(operands):
    graph, a, b, prog = operands
    options = {
        "partialsType": "half",
        "availableMemoryProportion": "0.1",
        "fullyConnectedPass": "TRAINING_FWD",
        "enableFastReduce": "false",
    }
    assert poplin.matMul(graph, a, b, prog, options=options).shape() == [4, 6]


def test_weights_are_transposed_for_a_backward_pass_once():
    """By the product, or by preArrangeMatMulInputRHS before several of them."""

    def cycles(prearranged: bool, products: int) -> int:
        graph = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu2"))
        options = {"partialsType": "half", "fullyConnectedPass": "TRAINING_BWD"}
        if prearranged:
            options["inputRHSIsPreArranged"] = "true"
        shapes = [8, 1024], [1024, 1024]
        a = poplin.createMatMulInputLHS(
            graph, poplar.HALF, poplar.HALF, *shapes, options=options, debugContext="a"
        )
        forward = {**options, "fullyConnectedPass": "TRAINING_FWD"}
        weights = poplin.createMatMulInputRHS(
            graph, poplar.HALF, poplar.HALF, *shapes, options=forward, debugContext="b"
        ).transpose()
        prog = program.Sequence()
        if prearranged:
            weights = poplin.preArrangeMatMulInputRHS(
                graph, shapes[0], weights, prog, options=options
            )
        for _ in range(products):
            poplin.matMul(graph, a, weights, prog, poplar.HALF, options=options)
        return machine.programReport(graph, prog)["cycles"]

    each = cycles(False, 2) - cycles(False, 1)
    arranged = cycles(True, 2) - cycles(True, 1)
    assert arranged < each


def test_operands_that_do_not_fit(operands):
    graph, a, b, prog = operands

    def refused(message, function, *args):
        with pytest.raises(errors.poplibs_exception, match=message):
            function(graph, *args)

    refused(r"poplin::matMul: A is \[4, 5\] and B \[4, 5\]; .* columns", poplin.matMul, a, a, prog)
    refused("expected 2 dimensions in each", poplin.matMul, a.expand([0]), b, prog)
    refused(r"result is \[5, 6\], expected \[4, 6\]", poplin.matMulWithOutput, a, b, b, prog)
    half = graph.clone(poplar.HALF, b, "half")
    refused("one type of A and B; A is float, B half", poplin.matMul, a, half, prog)
    refused("both are of float, half and bfloat16", poplin.matMul, a, b, prog, poplar.INT)
    whole = graph.addVariable(poplar.INT, [4, 6], "whole")
    refused("matMulWithOutput: .*the result int", poplin.matMulWithOutput, a, b, whole, prog)
    refused("matMulAcc: .*the result int", poplin.matMulAcc, whole, 1.0, a, b, prog)
    grouped = a.expand([0]).broadcast(2, 0)
    refused("as many groups", poplin.matMulGrouped, grouped, b.expand([0]), prog, poplar.FLOAT)
