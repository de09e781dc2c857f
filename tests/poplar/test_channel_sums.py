"""Element-wise steps that sum what they compute for each channel, with the bits of steps apart."""

from collections.abc import Sequence

import numpy as np
import pytest

from popir import poplar, poplin, popops
from popir.poplar import program
from popir.popops import expr as pe
from tests.plans import instructions

LINEAR = poplar.VariableMappingMethod.LINEAR
SQUARE = pe.Square(pe.Sub(pe._1, pe._2))
PRODUCT = pe.Mul(pe._1, pe._2)


def array(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


class Net:
    """Values of data and of a number for each channel, and their sums. In blocks, the data come
    from a convolution whose weights are the identity.
    """

    def __init__(self, shape: Sequence[int], blocks: bool, keeps: bool, over: Sequence[int]):
        self.graph = graph = poplar.Graph(poplar.Target.createCPUTarget())
        self.prog = prog = program.Sequence()
        self.x, self.mean = array(*shape), array(shape[1], seed=1)
        x = graph.addVariable(poplar.FLOAT, shape, LINEAR, "x")
        mean = graph.addVariable(poplar.FLOAT, [shape[1]], LINEAR, "mean")
        prog.add(program.Copy(graph.addHostToDeviceFIFO("x", poplar.FLOAT, self.x.size), x))
        prog.add(program.Copy(graph.addHostToDeviceFIFO("mean", poplar.FLOAT, shape[1]), mean))
        channels = shape[1]
        x = self._convolved(x) if blocks else x
        wide = mean.reshape([1, channels, *[1] * (len(shape) - 2)])
        for d in range(len(shape)):
            if d != 1:
                wide = wide.broadcast(shape[d], d)
        add = popops.ReduceParams(popops.Operation.ADD)
        squares = popops.map(graph, SQUARE, [x, wide], prog, "squares")
        self.results: dict[str, np.ndarray] = {}
        self._give("sum", popops.reduce(graph, squares, list(over), add, prog, "sum"))
        if keeps:
            products = popops.map(graph, PRODUCT, [squares, x], prog, "products")
            self._give("more", popops.reduce(graph, products, list(over), add, prog, "more"))
            self._give("kept", self._convolved(products) if blocks else products)

    def _convolved(self, t: poplar.Tensor) -> poplar.Tensor:
        samples, channels, *positions = t.shape()
        params = poplin.ConvParams(poplar.FLOAT, samples, positions, [1, 1], channels, channels, 1)
        w = self.graph.addVariable(poplar.FLOAT, [1, channels, channels, 1, 1], LINEAR, "w")
        self.graph.setInitialValue(w, np.eye(channels, dtype=np.float32).reshape(w.shape()))
        return poplin.convolution(self.graph, t, w, params, False, self.prog, "conv")

    def _give(self, name: str, t: poplar.Tensor) -> None:
        self.results[name] = np.zeros(t.shape(), np.float32)
        stream = self.graph.addDeviceToHostFIFO(name, poplar.FLOAT, t.numElements())
        self.prog.add(program.Copy(t, stream))

    def run(self, fuse: bool, threads: int) -> tuple[str, dict[str, np.ndarray]]:
        """Instructions, and results."""
        options = {
            "host.fuse": str(fuse).lower(),
            "host.numThreads": str(threads),
            "debug.verifyPlan": "true",
            "debug.poisonMemory": "true",
        }
        engine = poplar.Engine(self.graph, [self.prog], options)
        found = {name: np.zeros_like(result) for name, result in self.results.items()}
        for name, given in {"x": self.x, "mean": self.mean, **found}.items():
            engine.connectStream(name, given)
        engine.run()
        return instructions(engine), found


CASES = [
    ([4, 16, 7, 7], True),
    ([2, 48, 5, 3], True),
    ([3, 32, 40, 40], True),  # more positions than a leaf, the last of another size
    ([1, 16, 64, 64], True),
    ([19, 16, 6, 6], True),  # samples are joined some at a time
    ([2, 16, 4, 4], True),
    ([4, 6, 9, 9], False),
    ([2, 5, 130, 130], False),
    ([40, 3, 2, 2], False),
    ([3, 7, 11], False),
    ([1, 1, 9, 9], False),
    ([2, 3, 2, 3, 4], False),
    ([300, 2, 20, 20], False),  # more than one part of the samples
]


@pytest.mark.parametrize(("shape", "blocks"), CASES)
@pytest.mark.parametrize("keeps", [False, True])
def test_sums_have_the_bits_of_the_steps_apart(shape: list[int], blocks: bool, keeps: bool) -> None:
    over = [0, *range(2, len(shape))]
    net = Net(shape, blocks, keeps, over)
    apart, expected = net.run(False, 1)
    for threads in (1, 2, 3):
        plan, found = net.run(True, threads)
        assert "map+sums" in plan and "reduce" not in plan
        assert "map+sums" not in apart
        for name, result in expected.items():
            np.testing.assert_array_equal(found[name], result)
    mean = net.mean.reshape(-1, *[1] * (len(shape) - 2)).astype(np.float64)
    squares = np.square(net.x - mean)
    np.testing.assert_allclose(found["sum"], squares.sum(tuple(over)), 1e-5)
    if keeps:
        np.testing.assert_allclose(found["kept"], squares * net.x, 1e-5, 1e-6)
        np.testing.assert_allclose(found["more"], (squares * net.x).sum(tuple(over)), 1e-4, 1e-3)


@pytest.mark.parametrize(
    ("shape", "over"),
    [
        ([4, 6, 9, 9], [2, 3]),  # samples stay, too
        ([4, 6, 9, 9], [0, 1, 2]),
        ([4, 6], [0]),
        ([4, 6, 1, 1], [0, 2, 3]),  # of one position
        ([30, 1, 7], [0, 2]),  # of one channel: the positions of all samples are one row
        ([1, 2, 300, 300], [0, 2, 3]),  # of more positions than a row of a reduction
    ],
)
def test_other_sums_stay_apart(shape: list[int], over: list[int]) -> None:
    net = Net(shape, False, False, over)
    plan, found = net.run(True, 2)
    assert "map+sums" not in plan
    np.testing.assert_array_equal(found["sum"], net.run(False, 2)[1]["sum"])
