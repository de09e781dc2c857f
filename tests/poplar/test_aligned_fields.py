"""Fields of codelets that ask for an alignment begin there, wherever their elements lie."""

from pathlib import Path

import numpy as np
import pytest

from popir import poplar
from popir.poplar import program

TYPES = {"float": np.float32, "half": np.float16, "signed char": np.int8}
N = 21
"""Elements of a field: not a whole number of vectors."""
ROWS = 3


@pytest.fixture(scope="module")
def graphs():
    """Makes graphs that have the codelets, which are compiled once."""
    source = str(Path(__file__).with_name("aligned.cpp"))

    def make() -> poplar.Graph:
        graph = poplar.Graph(poplar.IPUModel().createDevice())
        graph.addCodelets(source)
        return graph

    return make


@pytest.mark.parametrize("bytes_", [4, 8, 16, 64, 256])
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("step", [1, 2])
def test_fields_begin_where_they_ask_to(graphs, kind, bytes_, step):
    """Slices from each offset on, of neighbours and of every other element, read and written. What
    lies around those that are written stays.
    """
    dtype, graph = TYPES[kind], graphs()
    vertices = graph.addComputeSet("vertices")
    rng = np.random.default_rng(bytes_)
    values: list[np.ndarray] = []
    tensors: list[poplar.Tensor] = []
    expected: list[np.ndarray] = []

    def variable(elements: int) -> int:
        value = rng.integers(-9, 9, elements).astype(dtype)
        t = graph.addVariable(poplar.typeOf(value.dtype), [elements], f"v{len(tensors)}")
        graph.setTileMapping(t, 0)
        graph.setInitialValue(t, value)
        graph.createHostRead(f"v{len(tensors)}", t)
        tensors.append(t)
        values.append(value)
        expected.append(value.copy())
        return len(tensors) - 1

    places: list[poplar.Tensor] = []
    for offset in range(9):
        span = slice(offset, offset + N * step, step)

        def part(v: int, offset: int = offset) -> poplar.Tensor:
            whole = tensors[v].slice(offset, offset + N * step)
            return whole if step == 1 else whole.subSample(step, 0)

        one, bare, both, out = (variable(80) for _ in range(4))
        rows, changed, written = ([variable(80) for _ in range(ROWS)] for _ in range(3))
        state = rng.integers(-9, 9, N).astype(dtype)
        where = graph.addVariable(poplar.UNSIGNED_INT, [5 + 3 * ROWS], "where")
        graph.setTileMapping(where, 0)
        graph.createHostRead(f"where{offset}", where)
        places.append(where)
        vertex = graph.addVertex(
            vertices,
            f"Aligned<{kind},{bytes_}>",
            {
                "in": part(one),
                "bare": part(bare),
                "both": part(both),
                "out": part(out),
                "rows": [part(v) for v in rows],
                "changed": [part(v) for v in changed],
                "written": [part(v) for v in written],
                "state": state.tolist(),
                "where": where,
            },
        )
        graph.setTileMapping(vertex, 0)
        expected[out][span] = values[one][span] + values[bare][span]
        expected[both][span] = values[both][span] + values[one][span] + state
        for r in range(ROWS):
            expected[written[r]][span] = values[rows[r]][span] + values[rows[r]][span]
            expected[changed[r]][span] = values[changed[r]][span] + values[rows[r]][span]

    engine = poplar.Engine(graph, [program.Execute(vertices)])
    engine.run(0)
    for offset, where in enumerate(places):
        found = np.ones(where.shape(), np.uint32)
        engine.readTensor(f"where{offset}", found)
        assert not found.any(), f"offset {offset}: {found}"
    for i, t in enumerate(tensors):
        found = np.zeros(t.shape(), dtype)
        engine.readTensor(f"v{i}", found)
        np.testing.assert_array_equal(found, expected[i])
