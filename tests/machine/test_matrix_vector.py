"""A product of a matrix and a vector by vertices of its own, against Poplar's own model of an IPU.

The measurement (graphcore/examples, sixth Poplar tutorial): a 10000 x 1000 float matrix, streamed
in, times a vector. On a GC200 the tiles' average exchange is 8,743 cycles, by the IPUModel of ipu2
8,697. How sections of rows lie on tiles is that tutorial's; no figure of the machine was fitted to
it.
"""

from pathlib import Path

import numpy as np
import pytest

from popir import poplar
from popir.poplar import program
from popir.profile import MachineReport

FLOAT = poplar.FLOAT
MEASURED = 8697


def worker(elements: int) -> int:
    """Cycles of a worker that takes two elements a cycle."""
    return 5 + (elements + 1) // 2


def best_split(rows: int, columns: int, tiles: int, workers: int = 6, rate: int = 4) -> int:
    """Sections of a row for the least cycles: products, their operands, sums, theirs."""

    def cycles(split: int) -> int:
        section, each, sums = -(-columns // split), -(-rows * split // tiles), -(-rows // tiles)
        products = -(-each // workers) * workers * worker(section)
        return (
            products
            + -(-each // rows) * section * 4 // rate
            + -(-sums // workers) * workers * worker(split)
            + sums * split * 4 // rate
        )

    return min(range(1, columns), key=cycles)


class Product:
    """On an ipu2 of so many tiles; streams matrix and vector in, the result out."""

    def __init__(self, rows: int, columns: int, tiles: int, split: int = 0) -> None:
        self.graph = graph = poplar.Graph(poplar.Target.createIPUTarget(1, tiles, "ipu2"))
        graph.addCodelets(str(Path(__file__).with_name("matrix_vector.cpp")))
        split = split or best_split(rows, columns, tiles)
        matrix = graph.addVariable(FLOAT, [rows, columns], "matrix")
        vector = graph.addVariable(FLOAT, [columns], "vector")
        partial = graph.addVariable(FLOAT, [rows, split], "partial")
        result = graph.addVariable(FLOAT, [rows], "result")
        for i in range(columns):
            graph.setTileMapping(vector[i], i * tiles // columns)
        products, sums = graph.addComputeSet("products"), graph.addComputeSet("sums")
        for i in range(split):
            begin, end = i * columns // split, (i + 1) * columns // split
            for row in range(rows):
                tile = (i * rows + row) * tiles // (split * rows)
                section = matrix[row].slice(begin, end)
                fields = {
                    "row": section,
                    "vector": vector.slice(begin, end),
                    "sum": partial[row][i],
                }
                self.vertex(products, "SectionProduct", fields, tile, end - begin)
                graph.setTileMapping(section, tile)
                graph.setTileMapping(partial[row][i], tile)
        for row in range(rows):
            tile = row * tiles // rows
            fields = {"sections": partial[row], "sum": result[row]}
            self.vertex(sums, "RowSum", fields, tile, split)
            graph.setTileMapping(result[row], tile)
        streams = (
            graph.addHostToDeviceFIFO("vector", FLOAT, columns),
            graph.addHostToDeviceFIFO("matrix", FLOAT, rows * columns),
            graph.addDeviceToHostFIFO("result", FLOAT, rows),
        )
        self.program = program.Sequence(
            [
                program.Copy(streams[0], vector),
                program.Copy(streams[1], matrix),
                program.Execute(products),
                program.Execute(sums),
                program.Copy(result, streams[2]),
            ]
        )
        self.engine = poplar.Engine(graph, [self.program])

    def vertex(self, cs, kind: str, fields, tile: int, elements: int) -> None:
        vertex = self.graph.addVertex(cs, kind, fields)
        self.graph.setTileMapping(vertex, tile)
        self.graph.setPerfEstimate(vertex, worker(elements), 2 * elements)


def test_the_product_is_right():
    product = Product(40, 24, 16)
    rng = np.random.default_rng(1)
    matrix, vector = rng.random((40, 24), np.float32), rng.random(24, np.float32)
    result = np.zeros(40, np.float32)
    for name, array in (("matrix", matrix.ravel()), ("vector", vector), ("result", result)):
        product.engine.connectStream(name, array)
    product.engine.run(0)
    np.testing.assert_allclose(result, matrix @ vector, 1e-5)


def test_operands_of_several_vertices_on_a_tile_arrive_once():
    """Two rows on each of two tiles, unsplit, want the same vector of 8 that lies on both."""
    product = Product(4, 8, 2, split=1)
    report = MachineReport.of(product.engine)
    products = report.steps[2]
    assert (products.exchangeBytes, products.exchangeCycles) == (2 * 4 * 4, 4)


@pytest.fixture(scope="module")
def report() -> MachineReport:
    return MachineReport.of(Product(10_000, 1_000, 1472).engine)


def test_exchange_is_that_of_the_ipu_model(report):
    operands = report.exchangeCycles - report.rearrangementCycles
    assert operands > 0
    assert report.rearrangementCycles == sum(
        s.exchangeCycles for s in report.steps if s.kind == "StreamCopy"
    )
    # The matrix comes in over all tiles: each gets its 48 sections of 143, less what is there.
    assert report.rearrangementCycles == pytest.approx(48 * 143, rel=0.02)
    assert report.exchangeCycles == pytest.approx(MEASURED, rel=0.25)


def test_products_take_the_workers_of_each_tile(report):
    """48 sections are eight rounds of six workers; IPUModel's compute is 3,802 cycles in all."""
    products, sums = report.steps[2:4]
    assert products.computeCycles == 8 * 6 * worker(143)
    assert products.computeCycles + sums.computeCycles == pytest.approx(3802, rel=0.1)
