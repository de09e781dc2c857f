"""popops.fill and popops.zero."""

import numpy as np
import pytest

from popir import errors, poplar, popops
from tests.device import TYPES, run


def fill(array, value, view=lambda t: t):
    def build(g, t, prog):
        popops.fill(g, view(t), prog, value)

    return run(build, array)[0]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (7,), (3, 50, 70), (0, 4)], ids=str)
def test_every_type(dtype, shape):
    np.testing.assert_array_equal(fill(np.zeros(shape, dtype), 1), np.ones(shape, dtype))

    def build(g, t, prog):
        popops.zero(g, t, prog)

    np.testing.assert_array_equal(run(build, np.ones(shape, dtype))[0], np.zeros(shape, dtype))


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        (np.int8, 3.9, 3),
        (np.int8, -1000.5, -128),
        (np.uint8, float("inf"), 255),
        (np.int64, 1e30, np.iinfo(np.int64).max),
        (np.int64, (1 << 62) + 1, (1 << 62) + 1),
        (np.uint64, 1e19, 10**19),
        (np.int32, float("nan"), 0),
        (np.float16, 1e6, np.inf),
        (np.float32, 0.1, np.float32(0.1)),
        (np.float64, 0.1, 0.1),
        (np.bool_, 0.5, True),
        (np.int32, True, 1),
    ],
)
def test_conversion_of_the_value(dtype, value, expected):
    np.testing.assert_array_equal(fill(np.zeros(2, dtype), value), np.full(2, expected, dtype))


def test_views():
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    expected = x.copy()
    expected[:, 1:3, ::2] = 9
    result = fill(x, 9.0, lambda t: t.slice(1, 3, 1).subSample(2, 2).dimShuffle([2, 0, 1]))
    np.testing.assert_array_equal(result, expected)
    expected = x.copy()
    expected[1] = 4
    np.testing.assert_array_equal(fill(x, 4, lambda t: t[1].reverse(0)), expected)


def test_large_with_threads():
    def build(g, t, prog):
        popops.fill(g, t.slice(1, 999, 1), prog, 2.0)

    x = np.zeros((300, 1000), np.float32)
    (result,) = run(build, x, threads=2)
    assert result[:, 1:999].min() == 2
    assert result[:, [0, 999]].max() == 0


def test_types_without_numbers():
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    t = graph.addVariable(poplar.QUARTER, [2])
    with pytest.raises(errors.poplibs_exception, match="cannot be filled with a number"):
        popops.fill(graph, t, poplar.program.Sequence(), 1)


NAMED = {
    "bool": np.bool_,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "half": np.float16,
    "float": np.float32,
}


@pytest.mark.parametrize("name", NAMED)
def test_vertices_by_name(name: str) -> None:
    value = 1 if name == "bool" else 3

    def build(g: poplar.Graph, t: poplar.Tensor, prog: poplar.program.Sequence) -> None:
        cs = g.addComputeSet("fill")
        one = g.addVertex(cs, f"popops::Fill<{name}>")
        g.connect(one["out"], t[0])
        rows = g.addVertex(cs, f"popops::Fill2d<{name}>")
        g.connect(rows["out"], t.slice(2, 4, 0))
        for vertex in (one, rows):
            g.setInitialValue(vertex["in"], value)
            g.setTileMapping(vertex, 0)
        prog.add(poplar.program.Execute(cs))

    filled = run(build, np.zeros((4, 5), NAMED[name]))[0]
    expected = np.full((4, 5), value, NAMED[name])
    expected[1] = 0
    np.testing.assert_array_equal(filled, expected)


@pytest.mark.parametrize("name", ["int", "unsigned int", "half", "float"])
def test_zeros_by_name(name: str) -> None:
    def build(g: poplar.Graph, t: poplar.Tensor, prog: poplar.program.Sequence) -> None:
        cs = g.addComputeSet("zero")
        vertices = {g.addVertex(cs, f"popops::Zero<{name}>"): t[0].slice(1, 4, 0)}
        if name in ("half", "float"):
            vertices[g.addVertex(cs, f"popops::Zero2d<{name}>")] = t.slice(2, 4, 0)
        for vertex, out in vertices.items():
            g.connect(vertex["out"], out)
            g.setTileMapping(vertex, 0)
        prog.add(poplar.program.Execute(cs))

    zeroed = run(build, np.ones((4, 5), NAMED[name]))[0]
    expected = np.ones((4, 5), NAMED[name])
    expected[0, 1:4] = 0
    if name in ("half", "float"):
        expected[2:] = 0
    np.testing.assert_array_equal(zeroed, expected)
