"""Tensor views against numpy: random chains of view operations, read and written through."""

import random
import time
from collections.abc import Callable

import numpy as np
import pytest

from popir import errors, poplar, popops
from popir.poplar import program
from popir.popops import expr as pe
from tests.device import run

CHAINS = 600


class Pair:
    """A poplar tensor and the numpy array of the elements it must show."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.graph = poplar.Graph(poplar.Target.createCPUTarget())
        self.next_value = 0
        self.log: list[str] = []
        shape = [self.rng.randint(1, 4) for _ in range(self.rng.randint(1, 4))]
        self.tensor, self.array = self.variable(shape)

    def variable(self, shape):
        size = int(np.prod(shape))
        array = np.arange(self.next_value, self.next_value + size, dtype=np.int32).reshape(shape)
        self.next_value += size
        linear = poplar.VariableMappingMethod.LINEAR
        tensor = self.graph.addVariable(poplar.INT, shape, linear, "v")
        self.graph.setInitialValue(tensor, array)
        return tensor, array

    def factors(self, n: int) -> list[int]:
        found = []
        while n > 1:
            found.append(self.rng.choice([k for k in range(2, n + 1) if n % k == 0]))
            n //= found[-1]
        if self.rng.random() < 0.3:
            found.insert(self.rng.randint(0, len(found)), 1)
        return found

    def step(self) -> None:
        rng, t, a = self.rng, self.tensor, self.array
        growing = ["broadcast", "upsample", "join", "twice"] if a.size < 400 else []
        shrinking = ["slice", "reverse", "subSample"]
        kind = rng.choice(["shuffle", "reshape"] + ((growing + shrinking) if a.ndim else []))
        d = rng.randrange(a.ndim) if a.ndim else 0
        k = rng.randint(1, 3)
        if kind == "slice":
            begin = rng.randint(0, a.shape[d] - 1)
            end = rng.randint(begin + 1, a.shape[d])
            t, a = t.slice(begin, end, d), np.take(a, range(begin, end), d)
        elif kind == "shuffle":
            order = rng.sample(range(a.ndim), a.ndim)
            t, a = t.dimShuffle(order), a.transpose(order)
        elif kind == "reshape":
            shape = self.factors(a.size)
            t, a = t.reshape(shape), a.reshape(shape)
        elif kind == "broadcast":
            t, a = t.broadcast(k, d), np.concatenate([a] * k, d)
        elif kind == "upsample":
            t, a = t.upsample(k, d), np.repeat(a, k, d)
        elif kind == "reverse":
            t, a = t.reverse(d), np.flip(a, d)
        elif kind == "subSample":
            t, a = t.subSample(k, d), np.take(a, range(0, a.shape[d], k), d)
        elif kind == "join":
            shape = list(a.shape)
            shape[d] = k
            other, values = self.variable(shape)
            t, a = poplar.concat([t, other], d), np.concatenate([a, values], d)
        else:
            t, a = poplar.concat([t, t], d), np.concatenate([a, a], d)
        self.log.append(kind)
        self.tensor, self.array = t, a

    def run(self, programs) -> np.ndarray:
        out = self.graph.addDeviceToHostFIFO("out", poplar.INT, self.array.size)
        sequence = program.Sequence([*programs, program.Copy(self.tensor, out)])
        engine = poplar.Engine(self.graph, [sequence], {"host.numThreads": "2"})
        result = np.full(self.array.shape, -1, np.int32)
        engine.connectStream("out", result)
        for handle, array in self.inputs.items():
            engine.connectStream(handle, array)
        engine.run()
        return result

    inputs: dict[str, np.ndarray] = {}


def chain(seed: int) -> Pair:
    pair = Pair(seed)
    for _ in range(pair.rng.randint(1, 9)):
        pair.step()
        assert pair.tensor.shape() == list(pair.array.shape), (seed, pair.log)
    return pair


def test_chains_of_views_show_what_numpy_shows():
    for seed in range(CHAINS):
        pair = chain(seed)
        aliased = np.unique(pair.array).size != pair.array.size
        assert pair.tensor.containsAliases() == aliased, (seed, pair.log)
        np.testing.assert_array_equal(pair.run([]), pair.array, err_msg=f"{seed} {pair.log}")


def test_writing_through_a_view_writes_its_variables():
    written = 0
    for seed in range(CHAINS):
        pair = chain(seed)
        if pair.tensor.containsAliases():
            continue
        values = np.random.default_rng(seed).integers(0, 999, pair.array.shape).astype(np.int32)
        stream = pair.graph.addHostToDeviceFIFO("in", poplar.INT, values.size)
        pair.inputs = {"in": values}
        result = pair.run([program.Copy(stream, pair.tensor)])
        np.testing.assert_array_equal(result, values, err_msg=f"{seed} {pair.log}")
        written += 1
    assert written > CHAINS // 10


def test_a_reshape_of_a_transpose_stays_few_pieces():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    t = graph.addVariable(poplar.FLOAT, [1000, 1000], "t")
    assert t.transpose().flatten().numPieces() == 1
    assert t.transpose().reshape([10, 100000]).slice(3, 7, 0).numPieces() == 1
    joined = poplar.concat([t, t.transpose()], 1).dimShuffle([1, 0]).flatten()
    assert joined.numPieces() <= 2


@pytest.mark.parametrize("shapes", [[[0, 3], [0, 4]], [[2, 0], [2, 0]], [[2, 0], [2, 3]]])
def test_concatenations_of_what_has_no_elements(shapes):
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    parts = [graph.addVariable(poplar.FLOAT, shape, "t") for shape in shapes]
    expected = np.concatenate([np.zeros(shape) for shape in shapes], 1)
    assert poplar.concat(parts, 1).shape() == list(expected.shape)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: t.slice(1, 9, 0), r"Tensor::slice: range \[1,9\).*within \[0,2\).*\[2,3\]"),
        (lambda t: t.slice(0, 1, 5), "dimension 5 given, expected less than 2"),
        (lambda t: t.reshape([7]), r"shape \[7\].*7 elements, expected 6"),
        (lambda t: t.dimShuffle([0, 0]), r"\[0,0\] is no permutation"),
        (lambda t: t.squeeze([0]), "dimension 0 is not of size 1"),
        (lambda t: t.reinterpret(poplar.HALF), "expected a type of the 4 bytes of float"),
        (lambda t: poplar.concat([t, t.reshape([3, 2])], 0), "does not fit the first tensor"),
        (lambda t: t.subSample(0, 0), "stride 0"),
        (lambda t: t[0][0].dim(0), "expected less than 0"),
        (lambda t: poplar.Tensor().shape(), "not valid"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(call, words):
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    t = graph.addVariable(poplar.FLOAT, [2, 3], "t")
    with pytest.raises(errors.poplar_exception, match=words):
        call(t)


def test_one_variable_shown_as_two_types() -> None:
    """What they share is found, and parts of it are written as either type."""

    def build(graph, x, prog):
        part = x.slice(0, 2)
        bits = x.reinterpret(poplar.UNSIGNED_INT)
        assert part.intersectsWith(bits)
        assert not part.intersectsWith(bits.slice(2, 4))
        popops.mapInPlace(graph, pe.Neg(pe._1), [part], prog)
        sign = pe.Const(1 << 31, poplar.UNSIGNED_INT)
        popops.mapInPlace(graph, pe.BitwiseOr(pe._1, sign), [bits.slice(2, 4)], prog)
        both = pe.Add(
            pe._1, pe.Cast(pe.Shr(pe._2, pe.Const(31, poplar.UNSIGNED_INT)), poplar.FLOAT)
        )
        return popops.map(graph, both, [x, bits], prog)

    found = run(build, np.array([1, -2, 3, -4], np.float32))
    np.testing.assert_array_equal(found, [0, 2, -2, -3])


def test_intersections_of_parts_that_contain_one_another() -> None:
    rng = random.Random(5)
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    v = graph.addVariable(poplar.INT, [64], poplar.VariableMappingMethod.LINEAR, "v")

    def parts(most: int) -> tuple[poplar.Tensor, set[int]]:
        """Some of them hold an element several times, or every other one, or go backwards."""
        tensors, elements = [], set[int]()
        for _ in range(rng.randint(1, 5)):
            begin = rng.randrange(64)
            end = min(64, begin + rng.randint(1, most))
            step = rng.choice([1, 1, 2, 3, 5])
            part = v.slice(begin, end).subSample(step, 0)
            if rng.random() < 0.3:
                part = part.reverse(0)
            if rng.random() < 0.3:
                part = part.expand([rng.randrange(2)]).broadcast(3, 0).flatten()
            tensors.append(part)
            elements |= set(range(begin, end, step))
        return poplar.concat(tensors), elements

    found = []
    for _ in range(500):
        (a, mine), (b, theirs) = parts(20), parts(4)
        found.append(bool(mine & theirs))
        assert a.intersectsWith(b) == b.intersectsWith(a) == found[-1]
    assert set(found) == {False, True}


def test_intersections_of_what_is_broadcast() -> None:
    """An element counts once, however often it is shown."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    v = graph.addVariable(poplar.INT, [64], poplar.VariableMappingMethod.LINEAR, "v")
    many = v.slice(0, 32).expand([1]).expand([0]).broadcast(1 << 20, 0).broadcast(1 << 20, 2)
    assert many.containsAliases()
    assert not many.intersectsWith(v.slice(32, 64))
    assert many.intersectsWith(v.slice(31, 64))
    assert v.slice(31, 33).intersectsWith(many)
    assert many.intersectsWith(many)


def test_intersections_of_repeated_parts() -> None:
    """Equal parts count once: all elements of all of them would be 256 million."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    v = graph.addVariable(poplar.INT, [1 << 19, 2], poplar.VariableMappingMethod.LINEAR, "v")
    left, right = v.slice(0, 1, 1).flatten(), v.slice(1, 2, 1).flatten()
    many = poplar.concat([left] * 512)
    begin = time.process_time()
    assert not many.intersectsWith(right)
    assert many.intersectsWith(v.slice(5, 6).flatten())
    assert time.process_time() - begin < 10


def test_intersections_of_many_parts() -> None:
    """Nearly as fast as to look for an element that is there twice, though no part meets another;
    comparing each with each would take hundreds of times as long.
    """
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    v = graph.addVariable(poplar.INT, [40_000, 2], poplar.VariableMappingMethod.LINEAR, "v")
    left, right = v.slice(0, 1, 1).flatten(), v.slice(1, 2, 1).flatten()
    twice = poplar.concat([left, left])
    both = poplar.concat([twice, right])

    def seconds(call: Callable[[], bool]) -> float:
        begin = time.process_time()
        call()
        return time.process_time() - begin

    assert not twice.intersectsWith(right)
    asked = [
        (seconds(lambda: twice.intersectsWith(right)), seconds(both.containsAliases))
        for _ in range(5)
    ]
    meeting, own = map(min, zip(*asked, strict=True))
    assert meeting < 40 * own
