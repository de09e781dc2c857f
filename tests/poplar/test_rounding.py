"""Stochastic rounding: the rule, against its definition in double; every kernel that stores 16-bit
floats, against numpy and PyTorch; what draws depend on; and what is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from popir import errors, ext, poplar, poplin, popnn, popops, poprand
from popir.poplar import program
from popir.popops import expr as pe
from tests.device import TYPES
from tests.poplar.test_codelets import Bench
from tests.rounding import between, check

Array = np.ndarray[Any, Any]
F, H, D = poplar.FLOAT, poplar.HALF, poplar.DOUBLE
LINEAR = poplar.VariableMappingMethod.LINEAR
SEED = (0x1234, 0x5678)
N = 60_007


def normal(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Array:
    """Normal random numbers, always the same."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


class Rounded:
    """A program of `build(graph, *tensors, prog)`, which returns a tensor or changes the first
    input, with what is seeded and how it is rounded set before.
    """

    def __init__(
        self, build: Any, *arrays: Array, threads: int = 1, is_on: bool = True, **options: str
    ) -> None:
        self.graph, self.prog = poplar.Graph(poplar.Target.createCPUTarget()), program.Sequence()
        seed = self.graph.addVariable(poplar.UNSIGNED_INT, [2], LINEAR, "seed")
        self.graph.createHostWrite("seed", seed)
        inputs = []
        for i, array in enumerate(arrays):
            t = self.graph.addVariable(TYPES[array.dtype], array.shape, LINEAR, f"in{i}")
            self.graph.createHostWrite(f"in{i}", t)
            inputs.append(t)
        poplar.setStochasticRounding(self.graph, self.prog, is_on)
        self.seeding = program.Sequence()
        poprand.setSeed(self.graph, seed, 0, self.seeding)
        out = build(self.graph, *inputs, self.prog)
        self.out = inputs[0] if out is None else out
        self.graph.createHostRead("out", self.out)
        self.arrays = arrays
        self.engine = poplar.Engine(
            self.graph, [self.prog, self.seeding], {"host.numThreads": str(threads), **options}
        )
        self.seed()

    def seed(self, seed: tuple[int, int] = SEED) -> None:
        self.engine.writeTensor("seed", np.array(seed, np.uint32))
        self.engine.run(1)

    def run(self) -> Array:
        for i, array in enumerate(self.arrays):
            self.engine.writeTensor(f"in{i}", np.ascontiguousarray(array))
        self.engine.run(0)
        out = np.empty(self.out.shape(), self.out.elementType().dtype)
        self.engine.readTensor("out", out)
        return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 3e4, 2.0**-14, 2.0**-18, 1e-7])
def test_casts_go_to_a_neighbour_with_the_probability_of_the_distance(
    dtype: Any, scale: float
) -> None:
    x = np.random.default_rng(3).uniform(-2, 2, N).astype(dtype) * dtype(scale)
    got = Rounded(lambda g, t, p: popops.cast(g, t, H, p), x).run()
    check(got, x, 0.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_mean_of_many_roundings_of_one_number(dtype: Any) -> None:
    for value in (1 + 0.3 / 1024, -7.123456, 2.0**-24 * 0.37, 2.0**-15 * 1.2345, 2.0**-24 * 0.002):
        x = np.full(400_000, value, dtype)
        got = Rounded(lambda g, t, p: popops.cast(g, t, H, p), x).run().astype(np.float64)
        _, ulp = between(x[:1].astype(np.float64))
        assert len(np.unique(got)) == 2
        assert abs(got.mean() - float(x[0])) < 5 * ulp[0] * 0.5 / np.sqrt(got.size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_half_holds_stays(dtype: Any) -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    got = Rounded(lambda g, t, p: popops.cast(g, t, H, p), halves.astype(dtype)).run()
    nan = np.isnan(halves)
    assert np.all(np.isnan(got[nan]))
    np.testing.assert_array_equal(got[~nan].view(np.uint16), halves[~nan].view(np.uint16))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_overflow_is_as_to_nearest(dtype: Any) -> None:
    x = np.array([65504, 65510, 65519.9, 65520, 65536, 1e30, np.inf], dtype)
    x = np.tile(np.concatenate([x, -x]), 100)
    with np.errstate(over="ignore"):
        want = x.astype(np.float16)
    cast = Rounded(lambda g, t, p: popops.cast(g, t, H, p), x)
    np.testing.assert_array_equal(cast.run(), want)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bfloat16(dtype: Any) -> None:
    """Read back as float, which holds it."""

    def through(g: Any, t: Any, p: Any) -> Any:
        return popops.cast(g, popops.cast(g, t, poplar.BFLOAT16, p), F, p)

    value = 1 + 0.3 / 128
    x = np.full(200_000, value, dtype)
    got = Rounded(through, x).run().astype(np.float64)
    assert set(np.unique(got)) == {1, 1 + 1 / 128}
    assert abs(got.mean() - value) < 5 / 128 * 0.5 / np.sqrt(got.size)
    for tiny in (2.0**-126, 2.0**-130):
        got = Rounded(through, np.full(200_000, tiny * (1 + 1 / 3), dtype)).run()
        assert abs(got.astype(np.float64).mean() / tiny - 4 / 3) < 0.01
    kept = np.array([0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, 3.3895314e38, 3.4028235e38], dtype)
    with np.errstate(over="ignore"):
        want = torch.from_numpy(kept).to(torch.bfloat16).float().numpy()
    np.testing.assert_array_equal(Rounded(through, kept).run(), want)


# Every kernel that stores 16-bit floats: (build, arrays, what comes out in double).

A, B = normal(64, 96, seed=1, dtype=np.float16), normal(96, 80, seed=2, dtype=np.float16)
X = normal(N, seed=3, dtype=np.float16)
IMAGES = normal(2, 20, 34, 30, seed=4, dtype=np.float16)
KERNEL = normal(1, 24, 20, 3, 3, seed=5, dtype=np.float16)
ROWS = normal(300, 70, seed=6, dtype=np.float16)
LABELS = np.random.default_rng(7).integers(70, size=300).astype(np.int32)
GOOD = popops.Operation.ADD


def wide(x: Array) -> torch.Tensor:
    return torch.from_numpy(x.astype(np.float64))


def pooled(kind: Any) -> Any:
    return popnn.pooling.PoolParams(kind, [34, 30], [3, 3], [1, 1], [0, 0], [0, 0], 20, 2, H)


def convolution(g: Any, x: Any, w: Any, p: Any) -> Any:
    params = poplin.ConvParams(H, H, 2, [34, 30], [3, 3], 20, 24, 1)
    return poplin.convolution(g, x, w, params, False, p)


def softmaxed(x: Array) -> Array:
    e = np.exp(x.astype(np.float64))
    return e / e.sum(-1, keepdims=True)


def summed(g: Any, t: Any, p: Any) -> Any:
    return popops.reduce(g, t, H, [1], popops.ReduceParams(GOOD), p)


def update_add(g: Any, t: Any, s: Any, at: Any, scale: Any, p: Any) -> None:
    popops.multiUpdateAdd(g, t, s, at, scale, [0], [1], p)


def loss_grad(g: Any, grad: Any, probabilities: Any, labels: Any, p: Any) -> Any:
    params = ext.NllParams()
    params.reduction = ext.LossReduction.Sum
    return ext.nllSoftmaxGrad(g, grad, probabilities, labels, params, p)


def losses(g: Any, probabilities: Any, labels: Any, p: Any) -> Any:
    params = ext.NllParams()
    params.reduction = ext.LossReduction.None_
    return ext.nllLoss(g, probabilities, labels, params, p)


def pool_gradient(g: Any, grad: Any, p: Any) -> Any:
    return ext.poolInputGradient(g, pooled(popnn.PoolingType.AVG), ext.PoolOptions(), grad, p)


def spread(grad: Array) -> Array:
    """What an average over windows of 3 by 3 passes back."""
    image = torch.zeros(2, 20, 34, 30, dtype=torch.float64, requires_grad=True)
    (wide(grad) * torch.nn.functional.avg_pool2d(image, 3, 1)).sum().backward()
    assert image.grad is not None
    return image.grad.numpy()


def squared_loss(g: Any, rows: Any, labels: Any, p: Any) -> Any:
    losses = g.addVariable(H, [N], LINEAR, "losses")
    deltas = g.addVariable(H, [N, 2], LINEAR, "deltas")
    p.add(popnn.calcLoss(g, rows, labels, losses, deltas, popnn.LossType.SUM_SQUARED_LOSS))
    return deltas


def dropped(g: Any, t: Any, p: Any) -> Any:
    seed = g.addConstant(poplar.UNSIGNED_INT, [2], np.array([1, 2], np.uint32))
    g.setTileMapping(seed, 0)
    return poprand.dropout(g, seed, 0, t, t, 1.0, 1.1, p)


ONE_HOT = np.eye(70)[LABELS]
AT = np.random.default_rng(8).permutation(900)[:300].astype(np.uint32)
TABLE = normal(900, 70, seed=9, dtype=np.float16)
ADDED = TABLE.astype(np.float64)
ADDED[AT] += np.float32(0.3) * ROWS.astype(np.float64)
SMALL = (normal(N, 2, seed=10) * 0.01).astype(np.float16)
SIDES = (np.arange(N) % 2).astype(np.int32)
SCALES = normal(300, 70, seed=14, dtype=np.float16)
GRADIENT = normal(2, 20, 32, 28, seed=15, dtype=np.float16)
PROBABILITIES = np.random.default_rng(16).uniform(0.1, 0.9, (N, 2)).astype(np.float16)
KERNELS: dict[str, tuple[Any, tuple[Array, ...], Any]] = {
    "map": (
        lambda g, t, p: popops.map(g, pe.Mul(pe._1, pe.Const(1.1)), [t], p),
        (X,),
        X.astype(np.float64) * np.float64(np.float16(1.1)),
    ),
    "map in place": (
        lambda g, t, p: popops.mapInPlace(g, pe.Add(pe.Mul(pe._1, pe._1), pe._1), [t], p),
        (X,),
        X.astype(np.float64) ** 2 + X,
    ),
    "map of a broadcast": (
        lambda g, t, p: popops.map(g, pe.Mul(pe._1, pe._2), [t, t.slice(0, 1).broadcast(N, 0)], p),
        (X,),
        X.astype(np.float64) * X[0],
    ),
    "scaled add": (
        lambda g, t, u, p: popops.scaledAddTo(g, t, u, 0.001, p),
        (X, X[::-1]),
        X.astype(np.float64) + np.float64(np.float32(0.001)) * X[::-1],
    ),
    "scaled add of float": (
        lambda g, t, u, p: popops.scaledAddTo(g, t, u, 0.001, p),
        (X, X[::-1].astype(np.float32)),
        X.astype(np.float64) + np.float64(np.float32(0.001)) * X[::-1],
    ),
    "product": (
        lambda g, a, b, p: poplin.matMul(g, a, b, p),
        (A, B),
        A.astype(np.float64) @ B.astype(np.float64),
    ),
    "reduction of rows": (summed, (normal(3000, 40, seed=11, dtype=np.float16),), None),
    "reduction of long rows": (summed, (normal(2000, 3000, seed=12, dtype=np.float16),), None),
    "reduction of columns": (
        lambda g, t, p: popops.reduce(g, t, H, [0], popops.ReduceParams(GOOD), p),
        (normal(40, 3000, seed=13, dtype=np.float16),),
        None,
    ),
    "convolution": (
        convolution,
        (IMAGES, KERNEL),
        torch.nn.functional.conv2d(wide(IMAGES), wide(KERNEL[0])).numpy(),
    ),
    "softmax": (lambda g, t, p: popnn.softmaxStable(g, t, p), (ROWS,), softmaxed(ROWS)),
    "average pooling": (
        lambda g, t, p: popnn.pooling.pool(g, pooled(popnn.PoolingType.AVG), t, p),
        (IMAGES,),
        torch.nn.functional.avg_pool2d(wide(IMAGES), 3, 1).numpy(),
    ),
    "sum pooling": (
        lambda g, t, p: popnn.pooling.pool(g, pooled(popnn.PoolingType.SUM), t, p),
        (IMAGES,),
        torch.nn.functional.avg_pool2d(wide(IMAGES), 3, 1).numpy() * 9,
    ),
    "gradient of average pooling": (pool_gradient, (GRADIENT,), spread(GRADIENT)),
    "losses": (
        losses,
        (PROBABILITIES, SIDES),
        -np.log(PROBABILITIES.astype(np.float64))[np.arange(N), SIDES],
    ),
    "slices that are multiplied": (
        lambda g, t, s, at, p: popops.multiUpdateMul(g, t, s, at, [0], [1], p),
        (ROWS, SCALES[:, None], np.arange(300, dtype=np.uint32)[:, None]),
        ROWS.astype(np.float64) * SCALES,
    ),
    "slices that are added": (
        update_add,
        (TABLE, ROWS[:, None], AT[:, None], np.array([0.3], np.float32)),
        ADDED,
    ),
    "gradient of a loss and softmax": (
        loss_grad,
        (np.array([1.37], np.float32), softmaxed(ROWS).astype(np.float16), LABELS),
        np.float64(np.float32(1.37))
        * (softmaxed(ROWS).astype(np.float16).astype(np.float64) - ONE_HOT),
    ),
    "squared loss": (
        squared_loss,
        (SMALL, SIDES),
        SMALL.astype(np.float64) - np.eye(2)[SIDES],
    ),
    "dropout": (dropped, (X,), X.astype(np.float64) * np.float64(np.float32(1.1))),
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    build, arrays, exact = KERNELS[name]
    if exact is None:
        exact = arrays[0].astype(np.float64).sum(0 if name.endswith("columns") else 1)
    made = Rounded(build, *arrays)
    first, second = made.run(), made.run()
    check(first, exact, 0.01)
    assert np.count_nonzero(first != second) > 100
    made.seed()
    np.testing.assert_array_equal(made.run(), first)
    np.testing.assert_array_equal(made.run(), second)
    made.seed((SEED[0] + 1, SEED[1]))
    assert np.count_nonzero(made.run() != first) > 100
    np.testing.assert_array_equal(Rounded(build, *arrays, threads=2).run(), first)
    error = np.abs(Rounded(build, *arrays, is_on=False).run() - exact) / between(exact)[1]
    assert np.all(error[np.abs(exact) > exact.std() / 20] <= 0.51)


def test_every_step_of_a_run_and_every_execution_draws_anew() -> None:
    rounds = 50

    def build(g: Any, t: Any, total: Any, p: Any) -> Any:
        one, other = popops.cast(g, t, H, p), popops.cast(g, t, H, p)
        p.add(program.PrintTensor("kept apart", one.slice(0, 1)))
        body = program.Sequence()
        for h in (popops.cast(g, t, H, body), popops.cast(g, t, H, body)):
            popops.mapInPlace(g, pe.Add(pe._1, pe.Cast(pe._2, F)), [total, h], body)
        p.add(program.Repeat(rounds, body))
        return poplar.concat([popops.cast(g, one, F, p), popops.cast(g, other, F, p), total])

    n, value = 4000, np.float32(1 + 0.5 / 1024)
    options: dict[str, Any] = {"host.fuse": "false"}
    out = Rounded(build, np.full(n, value), np.zeros(n, np.float32), **options)
    one, other, total = out.run().reshape(3, n)
    assert 0.4 < np.mean(one != other) < 0.6
    # The variance of independent draws, and not that of one draw many times.
    error = (total.astype(np.float64) - 2 * rounds * float(value)) * 1024
    assert abs(error.mean()) < 5 * np.sqrt(rounds / 2 / n)
    assert rounds / 2 * 0.8 < error.var() < rounds / 2 * 1.2


def test_an_engine_that_is_loaded_begins_anew() -> None:
    made = Rounded(KERNELS["map"][0], X)
    device = poplar.Device.createCPUDevice()
    results = []
    for _ in range(2):
        made.engine.load(device)
        results += [made.run(), made.run()]
    np.testing.assert_array_equal(results[0], results[2])
    np.testing.assert_array_equal(results[1], results[3])
    assert not np.array_equal(results[0], results[1])


def test_constants_are_not_hoisted_but_drawn_in_each_run() -> None:
    def build(g: Any, _: Any, p: Any) -> Any:
        c = g.addConstant(F, [1000], np.full(1000, 1 + 0.5 / 1024, np.float32))
        g.setTileMapping(c, 0)
        return popops.cast(g, c, H, p)

    made = Rounded(build, X)
    assert 300 < np.count_nonzero(made.run() != made.run()) < 700


def test_fused_steps_round_what_lies_between_them() -> None:
    """A half is half on its way from one step to the next."""

    def build(g: Any, t: Any, p: Any) -> Any:
        return popops.cast(g, popops.cast(g, t, H, p), F, p)

    made = Rounded(build, np.full(N, 1 + 0.25 / 1024, np.float32))
    got = made.run()
    assert set(np.unique(got)) == {1, np.float32(1 + 1 / 1024)}
    assert abs(np.mean(got != 1) - 0.25) < 0.01


def test_a_saved_program_rounds_as_before() -> None:
    made = Rounded(KERNELS["map"][0], X)
    want = [made.run(), made.run()]
    kept = poplar.compileGraph(made.graph, [made.prog, made.seeding]).serialize()
    made.engine = poplar.Engine(poplar.Executable.deserialize(kept))
    made.seed()
    np.testing.assert_array_equal(made.run(), want[0])
    np.testing.assert_array_equal(made.run(), want[1])


def test_on_and_off_in_one_program() -> None:
    def build(g: Any, t: Any, p: Any) -> Any:
        drawn = popops.cast(g, t, H, p)
        poplar.setStochasticRounding(g, p, False)
        nearest = popops.cast(g, t, H, p)
        poplar.setStochasticRounding(g, p, True)
        return poplar.concat([drawn, nearest])

    x = np.full(1000, 1 + 0.4 / 1024, np.float32)
    drawn, nearest = Rounded(build, x).run().reshape(2, 1000)
    assert 300 < np.count_nonzero(drawn != 1) < 500
    assert np.all(nearest == 1)


def refused(*programs: Any, match: str, error: Any = errors.poplar_exception) -> None:
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    x = graph.addVariable(F, [8], LINEAR, "x")
    flag = graph.addVariable(poplar.BOOL, [], LINEAR, "flag")
    made = []
    for build in programs:
        prog = program.Sequence()
        build(graph, x, flag, prog)
        made.append(prog)
    with pytest.raises(error, match=match):
        poplar.Engine(graph, made)


def on(graph: Any, prog: Any) -> Any:
    poplar.setStochasticRounding(graph, prog, True)
    return prog


def test_how_something_rounds_is_known_before_it_runs() -> None:
    S = program.Sequence
    refused(
        lambda g, x, f, p: p.add(program.Repeat(3, on(g, S()))),
        match="a loop ends with another rounding than it begins with",
    )
    refused(
        lambda g, x, f, p: p.add(program.RepeatWhileTrue(S(), f, on(g, S()))),
        match="a loop ends with another rounding than it begins with",
    )
    refused(
        lambda g, x, f, p: p.add(program.If(f, S(), on(g, S()))),
        match="one branch ends with another rounding than the other",
    )
    refused(
        lambda g, x, f, p: popops.cast(g, x, H, p),
        lambda g, x, f, p: on(g, p),
        match=r"vertex 'Cast.*\(map\) rounds before its program says how, and program 1 leaves",
    )


def test_nearest_may_be_said_again_anywhere() -> None:
    def build(g: Any, t: Any, p: Any) -> Any:
        body = program.Sequence()
        poplar.setStochasticRounding(g, body, False)
        out = popops.cast(g, t, H, body)
        p.add(program.Repeat(2, body))
        return out

    x = np.full(100, 1 + 0.4 / 1024, np.float32)
    assert np.all(Rounded(build, x, is_on=False).run() == 1)
    graph, prog = poplar.Graph(poplar.Target.createCPUTarget()), program.Sequence()
    body = program.Sequence()
    poplar.setStochasticRounding(graph, body, False)
    prog.add(program.Repeat(2, body))
    poplar.Engine(graph, [prog])


def test_seeds_and_graphs_that_are_refused() -> None:
    graph, prog = poplar.Graph(poplar.Target.createCPUTarget()), program.Sequence()
    bad = graph.addVariable(F, [2], LINEAR, "bad")
    with pytest.raises(errors.poplar_exception, match=r"setSeed: the seed must be unsigned int"):
        poprand.setSeed(graph, bad, 0, prog)
    machine = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu2"))
    with pytest.raises(errors.poplar_exception, match=r"has 16 of the machine's 1472 tiles"):
        poplar.setStochasticRounding(machine.createVirtualGraph(0, 16), prog, True)


def test_codelets_that_store_half_are_refused() -> None:
    def made(dtype: Any, is_off: bool) -> Any:
        bench = Bench()
        name = {np.float16: "half", np.float32: "float"}[dtype]
        rows = bench.variable(np.full((2, 8), 1.5), dtype)
        out = bench.variable([0], dtype, "out")
        bench.vertex(
            f"maths::Reduce<{name},maths::Op::Add,2,false>",
            rows=[rows.slice(i, i + 1).flatten() for i in range(2)],
            out=out.slice(0, 1).reshape([]),
        )
        prog = program.Sequence()
        poplar.setStochasticRounding(bench.graph, prog, True)
        if is_off:
            poplar.setStochasticRounding(bench.graph, prog, False)
        prog.add(program.Execute(bench.set))
        bench.graph.createHostRead("out", out)
        engine = poplar.Engine(bench.graph, [prog])
        engine.run(0)
        result = np.zeros(1, dtype)
        engine.readTensor("out", result)
        return result[0]

    assert made(np.float32, False) == made(np.float16, True) == 48
    with pytest.raises(errors.poplar_exception, match=r"'set' \(codelets\) stores 16-bit"):
        made(np.float16, False)


def test_an_engine_s_option_begins_every_program() -> None:
    """With its seed it gives the bits of a program that says so itself, also after a load."""
    x = np.random.default_rng(3).uniform(-2, 2, N).astype(np.float32)

    def made(**options: str) -> Any:
        graph, prog = poplar.Graph(poplar.Target.createCPUTarget()), program.Sequence()
        t = graph.addVariable(F, x.shape, LINEAR, "t")
        graph.createHostWrite("t", t)
        graph.createHostRead("out", popops.cast(graph, t, H, prog))
        return poplar.Engine(graph, [prog], options)

    def run(engine: Any) -> Array:
        engine.writeTensor("t", x)
        engine.run(0)
        out = np.empty(x.shape, np.float16)
        engine.readTensor("out", out)
        return out

    name, seed = "prng.enableStochasticRounding", str(SEED[0] + (SEED[1] << 32))
    for engine in made(), made(**{name: "false", "prng.seed": seed}):
        np.testing.assert_array_equal(run(engine), x.astype(np.float16))
    engine = made(**{name: "true", "prng.seed": seed})
    first, second = run(engine), run(engine)
    said = Rounded(lambda g, t, p: popops.cast(g, t, H, p), x)
    np.testing.assert_array_equal(first, said.run())
    np.testing.assert_array_equal(second, said.run())
    check(first, x, 0.0)
    assert np.any(first != second)
    assert np.any(run(made(**{name: "true", "prng.seed": "7"})) != first)
    with pytest.raises(errors.poplar_invalid_option, match=r"prng.seed"):
        made(**{name: "true", "prng.seed": "-1"})
    with pytest.raises(errors.poplar_invalid_option, match=r"prng.seed"):
        made(**{name: "true", "prng.seed": str(1 << 64)})


def test_the_former_name_of_an_engine_s_option() -> None:
    """Either name gives the same bits."""
    x = np.random.default_rng(3).uniform(-2, 2, N).astype(np.float32)

    def run(**options: str) -> Array:
        graph, prog = poplar.Graph(poplar.Target.createCPUTarget()), program.Sequence()
        t = graph.addVariable(F, x.shape, LINEAR, "t")
        graph.createHostWrite("t", t)
        graph.createHostRead("out", popops.cast(graph, t, H, prog))
        engine = poplar.Engine(graph, [prog], {"prng.seed": "5", **options})
        engine.writeTensor("t", x)
        engine.run(0)
        out = np.empty(x.shape, np.float16)
        engine.readTensor("out", out)
        return out

    rounded = run(**{"prng.enable": "true"})
    check(rounded, x, 0.0)
    assert np.any(rounded != x.astype(np.float16))
    np.testing.assert_array_equal(rounded, run(**{"prng.enableStochasticRounding": "true"}))
    np.testing.assert_array_equal(run(**{"prng.enable": "false"}), x.astype(np.float16))
