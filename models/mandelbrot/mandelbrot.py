"""The Mandelbrot set by a codelet: a vertex for each row, a tile for each vertex."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from popir import poplar
from popir.poplar import program

CODELET = Path(__file__).with_name("mandelbrot_codelet.cpp")


def steps(rows: int, columns: int, limit: int = 50) -> np.ndarray:
    """Steps until the orbit of each point leaves the circle of radius 2, `limit` for those inside.

    The points are float32, -2 to 0.5 in `columns` steps and -1.2 to 1.2 in `rows`; the result is
    uint32 of shape (rows, columns). The target has one IPU, so at most 1472 rows.
    """
    graph = poplar.Graph(poplar.IPUModel().createDevice())
    graph.addCodelets(str(CODELET))
    real = graph.addConstant(poplar.FLOAT, [columns], np.linspace(-2, 0.5, columns))
    imaginary = graph.addConstant(poplar.FLOAT, [rows], np.linspace(-1.2, 1.2, rows))
    result = graph.addVariable(poplar.UNSIGNED_INT, [rows, columns], "steps")
    graph.setTileMapping(real, 0)
    cs = graph.addComputeSet("mandelbrot")
    for row in range(rows):
        edges = {"real": real, "imaginary": imaginary[row], "steps": result[row], "limit": limit}
        vertex = graph.addVertex(cs, "Mandelbrot<float>", edges)
        for what in (vertex, imaginary[row], result[row]):
            graph.setTileMapping(what, row)
        # Six instructions a step, if every point takes half of them.
        graph.setPerfEstimate(vertex, cycles=3 * limit * columns, flops=4 * limit * columns)
    graph.createHostRead("steps", result)
    engine = poplar.Engine(graph, [program.Execute(cs)])
    engine.run(0)
    values = np.empty((rows, columns), np.uint32)
    engine.readTensor("steps", values)
    return values


if __name__ == "__main__":
    for line in steps(24, 72):
        print("".join(" .:-=+*#%@"[min(int(n).bit_length(), 9)] for n in line))
