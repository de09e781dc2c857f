"""Fusing changes no result, and no cost: programs run with `host.fuse` and without."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from popir import errors, poplar, poplin, popnn, popops
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from tests.plans import instructions

LINEAR = poplar.VariableMappingMethod.LINEAR
CHANNELS, SIZE = 16, 6
SHAPE = [1, CHANNELS, SIZE, SIZE]
RELU = pe.Max(pe.Const(0.0), pe._1)
ADD = pe.Add(pe._1, pe._2)
SCALE = pe.Mul(pe._1, pe.Const(0.5))


class Built:
    """A program under construction, and the values that its variables begin with."""

    def __init__(self, seed: int = 0) -> None:
        self.graph = poplar.Graph(poplar.Target.createCPUTarget())
        self.prog = program.Sequence()
        self.rng = np.random.default_rng(seed)
        self.begin: dict[str, np.ndarray] = {}
        self.sent: dict[str, np.ndarray] = {}
        self.results: dict[str, Tensor] = {}

    def variable(self, shape: Sequence[int], scale: float = 1.0) -> Tensor:
        """A variable that the host writes before the first run."""
        name = f"v{len(self.begin)}"
        t = self.graph.addVariable(poplar.FLOAT, shape, LINEAR, name)
        self.graph.createHostWrite(name, t)
        self.begin[name] = (scale * self.rng.standard_normal(shape)).astype(np.float32)
        return t

    def activation(self, shape: Sequence[int]) -> Tensor:
        """A variable that the host sends anew in each run."""
        name = f"s{len(self.sent)}"
        t = self.graph.addVariable(poplar.FLOAT, shape, LINEAR, name)
        stream = self.graph.addHostToDeviceFIFO(name, poplar.FLOAT, t.numElements())
        self.prog.add(program.Copy(stream, t))
        self.sent[name] = self.rng.standard_normal(shape).astype(np.float32)
        return t

    def result(self, t: Tensor) -> None:
        """Reads `t` after each run, from a copy: nobody but the program looks at `t` itself."""
        name = f"r{len(self.results)}"
        copy = self.graph.addVariable(poplar.FLOAT, t.shape(), LINEAR, name)
        self.prog.add(program.Copy(t, copy))
        self.graph.createHostRead(name, copy)
        self.results[name] = copy

    def watch(self, t: Tensor) -> None:
        """Lets the host read `t` itself after each run."""
        name = f"w{len(self.results)}"
        self.graph.createHostRead(name, t)
        self.results[name] = t

    def conv(self, t: Tensor, prog: program.Sequence | None = None, kernel: int = 3) -> Tensor:
        """A convolution of `t` to 16 channels."""
        inputs = t.dim(1)
        params = poplin.ConvParams(
            poplar.FLOAT, t.dim(0), t.shape()[2:], [kernel] * 2, inputs, CHANNELS, 1
        )
        transform = params.inputTransform
        transform.paddingLower = transform.paddingUpper = [kernel // 2] * 2
        params.inputTransform = transform
        weights = self.variable([1, CHANNELS, inputs, kernel, kernel], 0.3 / inputs**0.5)
        return poplin.convolution(self.graph, t, weights, params, False, prog or self.prog, "conv")

    def map(self, expression, *ts: Tensor, prog: program.Sequence | None = None) -> Tensor:
        return popops.map(self.graph, expression, list(ts), prog or self.prog, "map")

    def engine(self, fuse: bool, without: str = "") -> poplar.Engine:
        options = {"host.fuse": str(fuse).lower(), "host.numThreads": "2", "host.without": without}
        engine = poplar.Engine(self.graph, [self.prog], options)
        for name, array in self.begin.items():
            engine.writeTensor(name, array)
        for name, array in self.sent.items():
            engine.connectStream(name, array)
        return engine

    def run(self, engine: poplar.Engine) -> list[np.ndarray]:
        engine.run()
        found = []
        for name, t in self.results.items():
            found.append(np.zeros(t.shape(), np.float32))
            engine.readTensor(name, found[-1])
        return found

    def check(self, exact: bool = False, runs: int = 2) -> str:
        """Both ways give the same; returns the fused plan."""
        fused, plain = self.engine(True), self.engine(False)
        assert "before the first run" not in plain.planText()
        for _ in range(runs):
            for a, b in zip(self.run(fused), self.run(plain), strict=True):
                if exact:
                    np.testing.assert_array_equal(a, b)
                np.testing.assert_allclose(a, b, 1e-5, 1e-5)
        return instructions(fused)


def names(plan: str) -> list[str]:
    """The kernels of a plan's program, in order."""
    lines = plan.split("before the first run")[0].splitlines()[1:]
    return [line.split()[0] for line in lines if line.split()[0] != "bind"]


def batch_norm(b: Built, t: Tensor) -> Tensor:
    """Scale and shift of each channel, computed from weights as a model's are."""
    factor = b.map(pe.Add(pe._1, pe.Const(2.0)), b.variable([CHANNELS]))
    shift = b.map(pe.Mul(pe._1, pe._2), b.variable([CHANNELS]), factor)
    wide = [v.reshape([CHANNELS, 1, 1]) for v in (factor, shift)]
    return b.map(pe.Add(pe.Mul(pe._1, pe._2), pe._3), t, *wide)


def test_convolution_takes_normalisation_bias_residual_and_activation_along():
    b = Built()
    x = b.activation(SHAPE)
    y = b.conv(x)
    poplin.addBias(b.graph, y, b.variable([CHANNELS]), b.prog)
    y = b.map(RELU, b.map(ADD, batch_norm(b, y), x))
    b.result(y)
    plan = b.check()
    assert names(plan) == ["conv+add+multiply+add+add+relu", "copy"]
    once = [line.split()[0] for line in plan.split("before the first run\n")[1].splitlines()]
    assert once[:2] == ["map", "map"], "factor and shift"


def test_nan_passes_a_fused_relu():
    b = Built()
    x = b.activation(SHAPE)
    b.sent["s0"][0, 0, 2, 2] = np.nan
    b.result(b.map(RELU, b.conv(x, kernel=1)))
    plan = b.check(exact=True)
    assert names(plan)[0] == "conv+relu"
    (y,) = b.run(b.engine(True))
    assert np.isnan(y).sum() == CHANNELS
    assert not np.signbit(y[y == 0]).any()


@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("slope", [None, 0.0, 0.1])
def test_what_is_infinite_passes_as_without_a_tail(kernel, slope):
    """Of 3 x 3 another source may compute the convolution alone."""
    b = Built()
    x = b.activation(SHAPE)
    b.sent["s0"][0, 0, 2, 2] = -np.inf  # times weights of either sign
    b.sent["s0"][0, 0, 5, 5] = np.nan
    y, tail = b.conv(x, kernel=kernel), RELU
    if slope is not None:
        tail = pe.Select(pe.Mul(pe.Const(slope), pe._1), pe._1, pe.Lt(pe._1, pe.Const(0.0)))
    b.result(b.map(tail, y))
    b.check(exact=kernel == 1)


def test_leaky_relu_and_arithmetic_with_numbers():
    b = Built()
    leaky = pe.Select(pe.Mul(pe.Const(0.1), pe._1), pe._1, pe.Lt(pe._1, pe.Const(0.0)))
    y = b.map(leaky, b.map(pe.Sub(pe._1, pe.Const(0.5)), b.conv(b.activation(SHAPE))))
    b.result(b.map(pe.Divide(pe._1, pe.Const(3.0)), y))
    assert names(b.check())[0] == "conv+subtract+leaky_relu+divide"


def test_bounds():
    b = Built()
    x = b.activation(SHAPE)
    b.sent["s0"][0, 0, 2, 2] = np.nan
    low, high = pe.Const(-0.25), pe.Const(0.5)
    b.result(b.map(pe.Min(pe.Max(pe._1, low), high), b.conv(x)))
    assert names(b.check())[0] == "conv+max+min"
    (y,) = b.run(b.engine(True))
    assert np.isnan(y).any()
    assert np.nanmin(y) == -0.25
    assert np.nanmax(y) == 0.5


@pytest.mark.parametrize(
    "expression",
    [
        pe.Sub(pe._2, pe._1),
        pe.Mul(pe._1, pe.Sigmoid(pe._1)),
        pe.Max(pe.Const(1.0), pe._1),
        pe.Add(pe._1, pe._1),
    ],
    ids=["turned round", "used twice", "a bound first", "with itself"],
)
def test_what_is_no_chain_stays_a_pass(expression):
    b = Built()
    x = b.activation(SHAPE)
    y = b.conv(x)
    ts = [y, x] if "2" in str(expression) or expression.__class__ is pe.Sub else [y]
    b.result(b.map(expression, *ts))
    assert names(b.check())[:2] == ["conv", "map"]


def test_a_result_that_others_read_too_is_written():
    b = Built()
    y = b.conv(b.activation(SHAPE))
    z = b.map(RELU, y)
    b.result(z)
    b.result(y)
    assert names(b.check())[:2] == ["conv", "map"]


def test_a_result_that_the_host_reads_is_written():
    b = Built()
    y = b.conv(b.activation(SHAPE))
    b.watch(y)
    b.result(b.map(RELU, y))
    assert names(b.check())[:2] == ["conv", "map"]


def test_the_activation_may_not_overwrite_what_the_convolution_reads():
    b = Built()
    x = b.activation(SHAPE)
    y = b.conv(x)
    popops.mapWithOutput(b.graph, RELU, [y], x, b.prog, "into x")
    b.watch(x)
    assert names(b.check())[1:3] == ["conv", "map"]


def test_a_convolution_does_not_pass_a_write_of_what_it_reads():
    b = Built()
    x = b.map(SCALE, b.activation(SHAPE))
    y = b.conv(x)
    popops.zero(b.graph, x, b.prog, "zero")
    b.result(b.map(RELU, y))
    b.watch(x)
    assert "conv+relu" not in b.check()


@pytest.mark.parametrize("watched", [False, True])
def test_what_an_element_wise_step_overwrites_is_written_elsewhere(watched):
    b = Built()
    t = b.map(SCALE, b.activation(SHAPE))
    popops.mapInPlace(b.graph, ADD, [t, b.conv(b.activation(SHAPE))], b.prog, "accumulate")
    (b.watch if watched else b.result)(t)
    assert ("conv+add" in b.check()) != watched


def test_element_wise_steps_join_and_keep_what_is_read_later():
    b = Built()
    x, y = b.activation([40, 50]), b.variable([50])
    first = b.map(ADD, x, y)
    second = b.map(RELU, first)
    third = b.map(pe.Mul(pe._1, pe._2), second, first)
    b.result(second)
    b.result(third)
    plan = b.check(exact=True)
    assert names(plan) == ["map", "copy", "copy"]
    assert "map map + map + map [40,50] [40,50] [40,50] [40,50]\n" in plan, "two written, two read"


def test_element_wise_steps_on_shifted_views_stay_apart():
    b = Built()
    t = b.map(SCALE, b.activation([64]))
    popops.mapInPlace(b.graph, ADD, [t.slice(0, 63), t.slice(1, 64)], b.prog, "shift")
    popops.mapInPlace(b.graph, ADD, [t.slice(1, 64), t.slice(0, 63)], b.prog, "back")
    b.result(t)
    b.check(exact=True)


def test_a_value_that_the_next_round_reads_is_written():
    b = Built()
    state, out = b.map(SCALE, b.activation([32])), b.variable([32])
    body = program.Sequence()
    popops.mapInPlace(b.graph, ADD, [out, state], body, "sum")
    popops.mapInPlace(b.graph, SCALE, [state], body, "halve")
    b.prog.add(program.Repeat(3, body))
    b.result(out)
    b.check(exact=True)


def test_steps_of_a_conditional_stay_in_it():
    b = Built()
    flag = b.graph.addVariable(poplar.INT, [], LINEAR, "flag")
    b.graph.createHostWrite("flag", flag)
    x = b.variable([32])
    y, body = b.map(SCALE, x), program.Sequence()
    popops.mapInPlace(b.graph, ADD, [y, x], body, "inside")
    z = b.graph.clone(x, "z")
    popops.mapWithOutput(b.graph, SCALE, [x], z, body, "invariant, but not always done")
    b.prog.add(program.Copy(x, z))
    b.prog.add(program.If(flag, body, program.Sequence()))
    b.result(b.map(RELU, y))
    b.result(z)
    for value in (0, 1):
        b.begin["flag"] = np.array(value, np.int32)
        b.check(exact=True)


def test_what_the_host_writes_between_runs_is_seen():
    b = Built()
    b.result(b.map(RELU, batch_norm(b, b.conv(b.activation(SHAPE)))))
    fused, plain = b.engine(True), b.engine(False)
    for name, change in [*((name, 0.5) for name in b.begin), *((name, -0.5) for name in b.begin)]:
        np.testing.assert_allclose(b.run(fused)[0], b.run(plain)[0], 1e-5, 1e-5)
        changed = np.ascontiguousarray(b.begin[name] + change)
        before = b.run(fused)[0]
        for engine in (fused, plain):
            engine.writeTensor(name, changed)
        after = b.run(fused)[0]
        assert np.abs(after - before).max() > 1e-3
        np.testing.assert_allclose(after, b.run(plain)[0], 1e-4, 1e-4)


def test_a_program_of_constants_is_computed_once():
    b = Built()
    b.result(b.map(RELU, b.conv(b.variable(SHAPE))))
    assert names(b.check()) == []


@pytest.mark.parametrize("wide", [False, True])
def test_an_update_reads_a_gradient_transposed(wide):
    """Weights that the product reads transposed are updated in the product of their gradient."""
    b = Built()
    x, g = b.activation([16, 24]), b.activation([16, 40])
    w = b.variable([48, 24] if wide else [40, 24])
    part = w.slice(3, 43) if wide else w
    gradient = poplin.matMul(b.graph, x.transpose(), g, b.prog, poplar.FLOAT, "gradient")
    descent = pe.Sub(pe._1, pe.Mul(pe.Const(0.25), pe._2))
    popops.mapInPlace(b.graph, descent, [part, gradient.transpose()], b.prog, "update")
    b.watch(w)
    assert names(b.check(runs=3)) == ["matmul"]
    fused = b.run(b.engine(True))[0]
    expected = b.begin["v0"].astype(np.float64)
    expected[slice(3, 43) if wide else slice(None)] -= 0.25 * (b.sent["s1"].T @ b.sent["s0"])
    np.testing.assert_allclose(fused, expected, 1e-5, 1e-5)


def test_weights_that_the_program_changes_are_not_kept():
    b = Built()
    x, w = b.activation(SHAPE), b.variable([1, CHANNELS, CHANNELS, 1, 1])
    params = poplin.ConvParams(poplar.FLOAT, 1, [SIZE] * 2, [1, 1], CHANNELS, CHANNELS, 1)
    b.result(poplin.convolution(b.graph, x, w, params, False, b.prog, "conv"))
    popops.mapInPlace(b.graph, SCALE, [w], b.prog, "update")
    assert "packed" not in b.check(runs=3)


def test_what_is_read_before_it_is_computed_is_of_the_last_run():
    b = Built()
    x = b.variable([32])
    state = b.graph.clone(x, "state")
    b.graph.setInitialValue(state, np.full(32, 7, np.float32))
    b.result(state)
    popops.mapWithOutput(b.graph, SCALE, [x], state, b.prog, "state")
    b.check(exact=True)
    assert (b.run(b.engine(True))[0] == 7).all()


@pytest.mark.parametrize(
    ("batch", "channels", "order"),
    [(1, [16, 32], [0, 1]), (1, [16, 16], [1, 0]), (2, [16, 16], [0, 1]), (1, [16, 8], [0, 1])],
)
def test_concatenated_convolutions(batch, channels, order):
    b = Built()
    x = b.activation([batch, 16, SIZE, SIZE])
    parts = []
    for n in channels:
        y = b.conv(x)
        parts.append(b.map(RELU, y if n == 16 else b.conv(y)).slice(0, min(n, 16), 1))
        if n > 16:
            parts.append(b.map(SCALE, b.conv(y)))
    whole = poplar.concat([parts[i] for i in order] + parts[2:], 1)
    b.result(b.conv(b.map(RELU, whole)))
    b.result(popnn_max(b, whole))
    b.result(parts[0])
    b.check()


def popnn_max(b: Built, t: Tensor) -> Tensor:
    """The maxima of pairs of rows and columns."""
    params = popnn.pooling.PoolParams(
        popnn.PoolingType.MAX,
        t.shape()[2:],
        [2, 2],
        [2, 2],
        [0, 0],
        [0, 0],
        t.dim(1),
        t.dim(0),
        poplar.FLOAT,
    )
    return popnn.pooling.pool(b.graph, params, t, b.prog, "pool")


def test_concatenations_that_share_their_beginning_lie_in_one_piece():
    """As in a dense block: each layer reads all layers before it."""
    b = Built()
    layers = [b.map(RELU, b.conv(b.activation(SHAPE)))]
    for _ in range(3):
        layers.append(b.map(RELU, b.conv(poplar.concat(layers, 1))))
    b.result(layers[-1])
    assert "gather" not in b.check()


def test_concatenations_that_want_different_neighbours():
    b = Built()
    x = b.activation(SHAPE)
    p, q = (b.map(RELU, b.conv(x)) for _ in range(2))
    both = [poplar.concat(pair, 1) for pair in ([p, q], [q, p], [p, p])]
    b.result(b.map(ADD, b.map(ADD, b.conv(both[0]), b.conv(both[1])), b.conv(both[2])))
    b.check()


@pytest.mark.parametrize("stride", [2, 3])
def test_a_stride_that_leaves_out_the_last_elements(stride):
    b = Built()
    x = b.map(SCALE, b.activation([1, CHANNELS, 8, 8]))
    params = poplin.ConvParams(poplar.FLOAT, 1, [8, 8], [1, 1], CHANNELS, CHANNELS, 1)
    out = params.outputTransform
    out.stride = [stride, stride]
    params.outputTransform = out
    weights = b.variable([1, CHANNELS, CHANNELS, 1, 1])
    b.result(poplin.convolution(b.graph, x, weights, params, False, b.prog, "strided"))
    assert any("conv strided [1,16,8,8]" in line for line in b.check().splitlines())


def test_costs_are_those_of_the_program_as_grown():
    reports = []
    for fuse in (True, False):
        graph = poplar.Graph(poplar.IPUModel("ipu2").createDevice())
        b = Built()
        b.graph = graph
        b.result(b.map(RELU, batch_norm(b, b.conv(b.activation(SHAPE)))))
        reports.append(b.engine(fuse).machineReport())
    assert reports[0] == reports[1]


def test_an_option_that_is_neither_true_nor_false():
    with pytest.raises(errors.poplar_exception, match=r"host\.fuse is 'maybe', expected true or"):
        b = Built()
        poplar.Engine(b.graph, [b.prog], {"host.fuse": "maybe"})


class Random:
    """A program of random steps over variables of one shape."""

    def __init__(self, seed: int) -> None:
        self.b = Built(seed)
        self.rng = np.random.default_rng(seed + 1000)
        self.pool = [self.b.activation(SHAPE) for _ in range(2)]
        self.pool += [self.b.map(SCALE, t) for t in self.pool]
        self.steps: list[Callable[[program.Sequence], Tensor | None]] = [
            self.unary,
            self.binary,
            self.in_place,
            self.output,
            self.conv,
            self.bias,
            self.copy,
            self.slices,
            self.channels,
            self.concat,
            self.update,
        ]

    def any(self) -> Tensor:
        return self.pool[self.rng.integers(len(self.pool))]

    def unary(self, prog: program.Sequence) -> Tensor:
        return self.b.map(
            [RELU, SCALE, pe.Tanh(pe._1)][self.rng.integers(3)], self.any(), prog=prog
        )

    def binary(self, prog: program.Sequence) -> Tensor:
        return self.b.map(
            pe.Mul(pe.Add(pe._1, pe._2), pe.Const(0.5)), self.any(), self.any(), prog=prog
        )

    def in_place(self, prog: program.Sequence) -> None:
        popops.mapInPlace(
            self.b.graph,
            pe.Mul(pe.Sub(pe._1, pe._2), pe.Const(0.5)),
            [self.any(), self.any()],
            prog,
        )

    def output(self, prog: program.Sequence) -> None:
        popops.mapWithOutput(self.b.graph, RELU, [self.any()], self.any(), prog)

    def conv(self, prog: program.Sequence) -> Tensor:
        return self.b.conv(self.any(), prog, kernel=1)

    def bias(self, prog: program.Sequence) -> None:
        poplin.addBias(self.b.graph, self.any(), self.b.variable([CHANNELS]), prog)

    def channels(self, prog: program.Sequence) -> Tensor:
        factor = self.b.variable([CHANNELS, 1, 1])
        return self.b.map(pe.Mul(pe._1, pe._2), self.any(), factor, prog=prog)

    def copy(self, prog: program.Sequence) -> None:
        prog.add(program.Copy(self.any(), self.any()))

    def slices(self, prog: program.Sequence) -> None:
        at = [int(n) for n in self.rng.integers(0, 3, 2)]
        a, b = (self.any().slice(n, n + 3, 2) for n in at)
        popops.mapInPlace(self.b.graph, pe.Mul(pe.Add(pe._1, pe._2), pe.Const(0.5)), [a, b], prog)

    def concat(self, prog: program.Sequence) -> Tensor:
        return self.b.conv(poplar.concat([self.any(), self.any()], 1), prog, kernel=1)

    def update(self, prog: program.Sequence) -> None:
        a, b, c, w = (self.any().reshape([16, 36]) for _ in range(4))
        square = poplin.matMul(self.b.graph, a, b.transpose(), prog, poplar.FLOAT, "square")
        gradient = poplin.matMul(self.b.graph, square, c, prog, poplar.FLOAT, "gradient")
        descent = pe.Sub(pe._1, pe.Mul(pe.Const(0.001), pe._2))
        popops.mapInPlace(self.b.graph, descent, [w, gradient], prog, "update")

    def grow(self, count: int) -> None:
        for _ in range(count):
            into, inside = self.b.prog, len(self.pool)
            kind = self.rng.integers(8)
            body = program.Sequence() if kind == 0 else into
            for _ in range(3 if kind == 0 else 1):
                made = self.steps[self.rng.integers(len(self.steps))](body)
                if made is not None:
                    self.pool.append(made)
            if kind == 0:
                into.add(program.Repeat(2, body))
                del self.pool[inside:]
        for t in self.pool:
            if self.rng.integers(3) == 0:
                self.b.result(t)
        self.b.result(self.pool[-1])


@pytest.mark.parametrize("block", range(4))
def test_random_programs(block):
    plans = ""
    for seed in range(40 * block, 40 * block + 40):
        random = Random(seed)
        random.grow(12)
        plans += random.b.check()
    assert "conv+" in plans and ", packed" in plans
