"""Blocked layouts between contractions: kept where every use allows, right wherever they are."""

import numpy as np
import pytest

from popir import poplar, poplin, popops, poputil
from popir.poplar import program
from popir.poplin import contraction
from popir.popops import expr as pe
from tests.plans import instructions

ALPHA = 0.1
LEAKY = pe.Select(pe.Mul(pe.Const(ALPHA), pe._1), pe._1, pe.Lt(pe._1, pe.Const(0.0)))
BATCH, CHANNELS, SIZE = 2, 32, 12


def convolve(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A 3x3 convolution with padding 1, in double."""
    n, _, h, v = x.shape
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = np.zeros((n, w.shape[0], h, v))
    for i in range(3):
        for j in range(3):
            window = padded[:, :, i : i + h, j : j + v]
            out += np.einsum("nchw,oc->nohw", window, w[:, :, i, j].astype(np.float64))
    return out


class Net:
    """Convolution, LeakyRelu, convolution; `look` sends the tensor in the middle to the host.

    That has `middle` channels, or as many as the others.
    """

    def __init__(
        self,
        threads: int,
        look: bool,
        channels: int = CHANNELS,
        fuse: bool = False,
        middle: int | None = None,
        size: int = SIZE,
        without: str = "",
    ) -> None:
        rng = np.random.default_rng(3)
        shape = (BATCH, channels, size, size)
        of = [channels, middle or channels, channels]
        self.x = rng.normal(size=shape).astype(np.float32)
        self.w = [
            (rng.normal(size=(of[i + 1], of[i], 3, 3)) / of[i]).astype(np.float32) for i in range(2)
        ]
        graph = poplar.Graph(poplar.Target.createCPUTarget())
        linear = poplar.VariableMappingMethod.LINEAR
        self.step = program.Sequence()
        field, kernel = [size, size], [3, 3]
        t = graph.addVariable(poplar.FLOAT, shape, linear, "x")
        source = graph.addHostToDeviceFIFO("x", poplar.FLOAT, self.x.size)
        self.step.add(program.Copy(source, t))
        for i in range(2):
            params = poplin.ConvParams(poplar.FLOAT, BATCH, field, kernel, of[i], of[i + 1], 1)
            params.inputTransform.paddingLower = params.inputTransform.paddingUpper = [1, 1]
            w = graph.addVariable(poplar.FLOAT, [1, *self.w[i].shape], linear, "w")
            graph.setInitialValue(w, self.w[i][None])
            t = poplin.convolution(graph, t, w, params, False, self.step, f"conv{i}")
            if i == 0:
                t = popops.map(graph, LEAKY, [t], self.step, "leaky")
                looked = t
        self.results = {"y": np.zeros(shape, np.float32)}
        anchors = {"y": t}
        if look:
            self.results["middle"] = np.zeros((BATCH, of[1], size, size), np.float32)
            anchors["middle"] = looked
        for name, anchor in anchors.items():
            sink = graph.addDeviceToHostFIFO(name, poplar.FLOAT, self.results[name].size)
            self.step.add(program.Copy(anchor, sink))
        options = {"host.numThreads": str(threads), "host.fuse": str(fuse).lower()}
        options["host.without"] = without
        self.engine = poplar.Engine(graph, [self.step], options)
        self.engine.connectStream("x", self.x)
        for name, array in self.results.items():
            self.engine.connectStream(name, array)

    def plan(self) -> dict[str, str]:
        """The instructions by the names that they were given."""
        lines = instructions(self.engine).splitlines()
        return {line.split()[1]: line for line in lines if len(line.split()) > 1}

    def check(self) -> None:
        self.engine.run()
        middle = convolve(self.x, self.w[0])
        middle = np.where(middle < 0, ALPHA * middle, middle)
        expected = {"middle": middle, "y": convolve(middle, self.w[1])}
        for name, array in self.results.items():
            np.testing.assert_allclose(array, expected[name], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_custom_operator_between_convolutions_works_on_their_blocks(threads):
    net = Net(threads, look=False)
    plan = net.plan()
    layouts = {
        name: [w for w in plan[name].split() if "/c" in w] for name in ("conv0", "leaky", "conv1")
    }
    assert len(layouts["leaky"]) == 2, "input and output of the operator are both blocked"
    assert layouts["conv0"] and layouts["conv1"]
    assert len({w.split("/")[1] for found in layouts.values() for w in found}) == 1
    net.check()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_tensor_that_the_host_sees_stays_plain(threads):
    net = Net(threads, look=True)
    assert "/c" not in net.plan()["leaky"].split("[")[2]
    net.check()


@pytest.mark.skipif(contraction.isa() != "avx512", reason="planes are chosen on AVX-512 alone")
@pytest.mark.parametrize("without", ["", "planes,columns"])
def test_convolutions_that_are_faster_of_rows_ask_for_no_blocks(without: str) -> None:
    """Planes compute both in less time than oneDNN would with what is between them in blocks."""
    net = Net(2, look=False, channels=7, middle=16, size=64, without=without)
    plan = net.plan()
    assert ["/c" in plan[name] for name in ("conv0", "leaky", "conv1")] == [without != ""] * 3
    net.check()


def reduced(
    x: np.ndarray, dimensions: list[int], operation: str, threads: int, blocks: bool
) -> tuple[np.ndarray, str]:
    """A reduction, and its line of the plan. A convolution before it, whose weights are the
    identity, asks for channels in blocks and changes no number.
    """
    graph, step = poplar.Graph(poplar.Target.createCPUTarget()), program.Sequence()
    linear = poplar.VariableMappingMethod.LINEAR
    t = graph.addVariable(poplar.FLOAT, x.shape, linear, "x")
    graph.createHostWrite("x", t)
    if blocks:
        channels = x.shape[1]
        params = poplin.ConvParams(
            poplar.FLOAT, x.shape[0], [*x.shape[2:]], [1, 1], channels, channels, 1
        )
        weights = graph.addVariable(poplar.FLOAT, [1, channels, channels, 1, 1], linear, "w")
        graph.setInitialValue(weights, np.eye(channels, dtype="f4")[None, :, :, None, None])
        t = poplin.convolution(graph, t, weights, params, False, step, "conv")
    else:
        t = poputil.duplicate(graph, t, step, "copy")
    how = popops.ReduceParams(getattr(popops.Operation, operation))
    result = popops.reduce(graph, t, dimensions, how, step, "reduce")
    graph.createHostRead("result", result)
    engine = poplar.Engine(graph, [step], {"host.numThreads": str(threads), "host.fuse": "false"})
    line = next(each for each in instructions(engine).splitlines() if "reduce reduce" in each)
    found = np.empty(result.shape(), np.float32)
    engine.writeTensor("x", x)
    engine.run()
    engine.readTensor("result", found)
    return found, line


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("operation", ["ADD", "SQUARE_ADD", "MAX"])
@pytest.mark.parametrize("dimensions", [[0, 2, 3], [2, 3]])
@pytest.mark.parametrize(
    "shape",
    [
        pytest.param((3, 32, 2, 2), id="few positions"),
        pytest.param((1, 16, 4, 4), id="sixteen positions"),
        pytest.param((2, 48, 7, 5), id="a full set of lanes and some"),
        pytest.param((2, 16, 31, 29), id="nearly a leaf"),
        pytest.param((20, 16, 64, 64), id="leaves, and samples in two chunks"),
        pytest.param((2, 16, 300, 301), id="rows in pieces"),
    ],
)
def test_a_reduction_of_blocks_has_the_bits_of_plain_channels(
    shape: tuple[int, ...], dimensions: list[int], operation: str, threads: int
) -> None:
    x = np.random.default_rng(5).normal(size=shape).astype(np.float32)
    found, line = reduced(x, dimensions, operation, threads, blocks=True)
    assert "/c" in line, line
    plain, line = reduced(x, dimensions, operation, threads, blocks=False)
    assert "/c" not in line, line
    np.testing.assert_array_equal(found, plain)
    wide = x.astype(np.float64)
    want = {
        "ADD": wide.sum,
        "SQUARE_ADD": (wide**2).sum,
        "MAX": wide.max,
    }[operation](axis=tuple(dimensions))
    np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dimensions", [[1], [0], [3], [1, 2, 3]])
def test_a_reduction_that_keeps_positions_or_reduces_channels_reads_them_plain(
    dimensions: list[int],
) -> None:
    x = np.random.default_rng(6).normal(size=(3, 32, 5, 6)).astype(np.float32)
    found, line = reduced(x, dimensions, "ADD", 2, blocks=True)
    assert "/c" not in line, line
    np.testing.assert_allclose(found, x.astype("f8").sum(tuple(dimensions)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("channels", [5, 24])
def test_channels_that_fill_no_block_stay_plain(channels):
    net = Net(2, look=False, channels=channels)
    if channels == 5:
        assert "/c" not in net.plan()["leaky"]
    net.check()


def test_the_same_bits_every_time():
    results = []
    for _ in range(3):
        net = Net(2, look=False)
        net.engine.run()
        results.append(net.results["y"].tobytes())
    assert len(set(results)) == 1


@pytest.mark.parametrize("flat", [False, True])
def test_what_convolutions_leave_in_blocks_is_joined(flat):
    """Along channels it is in blocks as a whole; as two rows of numbers it is in none."""
    rng = np.random.default_rng(4)
    graph, prog = poplar.Graph(poplar.Target.createCPUTarget()), program.Sequence()
    linear = poplar.VariableMappingMethod.LINEAR
    given: dict[str, np.ndarray] = {}

    def tensor(shape):
        name = f"t{len(given)}"
        t = graph.addVariable(poplar.FLOAT, shape, linear, name)
        graph.createHostWrite(name, t)
        given[name] = (rng.normal(size=shape) / 8).astype(np.float32)
        return t, given[name]

    def convolution(t, channels):
        w, values = tensor((1, CHANNELS, channels, 3, 3))
        params = poplin.ConvParams(poplar.FLOAT, 1, [SIZE, SIZE], [3, 3], channels, CHANNELS, 1)
        params.inputTransform.paddingLower = params.inputTransform.paddingUpper = [1, 1]
        return poplin.convolution(graph, t, w, params, False, prog), values[0]

    x, values = tensor((1, CHANNELS, SIZE, SIZE))
    halves, expected = [], []
    for _ in range(2):
        t, y = x, values
        for _ in range(2):
            t, w = convolution(t, CHANNELS)
            t = popops.map(graph, LEAKY, [t], prog)
            y = convolve(y, w)
            y = np.where(y < 0, ALPHA * y, y)
        halves.append(t)
        expected.append(y)
    rows = [half.reshape([1, half.numElements()]) if flat else half for half in halves]
    joined = poplar.concat(rows, 0 if flat else 1)
    other, values = tensor(tuple(joined.shape()))
    total = popops.add(graph, joined, other, prog)
    last, w = convolution(poplar.concat(halves, 1), 2 * CHANNELS)
    both = np.concatenate(expected, 1)
    results = {
        "total": (total, both.reshape(values.shape) + values),
        "last": (last, convolve(both, w)),
    }
    for name, (t, _) in results.items():
        graph.createHostRead(name, t)
    engine = poplar.Engine(graph, prog, {"host.numThreads": "1", "host.fuse": "false"})
    for name, array in given.items():
        engine.writeTensor(name, array)
    engine.run()
    for name, (t, values) in results.items():
        found = np.zeros(t.shape(), np.float32)
        engine.readTensor(name, found)
        np.testing.assert_allclose(found, values, rtol=1e-4, atol=1e-3, err_msg=name)


def test_of_rows_that_contradict_the_first_stand():
    """a, b and b, c lie side by side; then c, b and b, a and a, c cannot, and are gathered."""
    graph, prog = poplar.Graph(poplar.Target.createCPUTarget()), program.Sequence()
    linear = poplar.VariableMappingMethod.LINEAR
    parts = []
    for i in range(3):
        given = graph.addVariable(poplar.FLOAT, [1, 8], linear, f"given{i}")
        graph.createHostWrite(f"given{i}", given)
        parts.append(popops.exp(graph, given, prog))
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(3, 8)
    pairs = [(0, 1), (2, 1), (1, 0), (0, 2), (1, 2)]
    for name, pair in enumerate(pairs):
        joined = poplar.concat([parts[i] for i in pair], 0)
        graph.createHostRead(str(name), popops.neg(graph, joined, prog))
    engine = poplar.Engine(graph, prog)
    assert engine.planText().count("gather") == 3
    for i, row in enumerate(x):
        engine.writeTensor(f"given{i}", row[None])
    engine.run()
    for name, pair in enumerate(pairs):
        found = np.zeros((2, 8), np.float32)
        engine.readTensor(str(name), found)
        np.testing.assert_allclose(found, -np.exp(x[list(pair)]), rtol=1e-6)
