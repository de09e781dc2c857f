"""Gradients of biases, sums over batch and field, against PopLibs' reduction estimate.

poplibs_bias_gradients.csv has 200 random gradients of activations, of which each of `tiles` tiles
has all `channels` of `points` points. The cycles are what PopLibs' functions say (7eac0f26 of
graphcore/poplibs: getCyclesEstimateForStridedReduce, and modelBalancedIntertileReduction of
popops/reduction/Modelling.cpp, whose division among workers is that of both stages), compiled apart
from this project: `own` of what each tile adds up of its own points, with sums of float, none of a
single point; `between` of what it adds up of all tiles' sums for its share of the channels; and
`exchange` before that, of all these sums.
`python -m tests.machine biases` prints the comparison.
"""

import csv
import math
from pathlib import Path
from typing import NamedTuple

from popir import poplar, popops
from popir.poplar import program
from popir.profile import MachineReport

ADD = popops.ReduceParams(popops.Operation.ADD)


class Ratios(NamedTuple):
    """Of cycles said here over PopLibs'."""

    type: str
    tiles: int
    points: int
    compute: float
    exchange: float


def gradient(type: poplar.Type, tiles: int, points: int, channels: int) -> MachineReport:
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, tiles, "ipu2"))
    deltas = graph.addVariable(type, [tiles, points, channels], "deltas")
    biases = graph.addVariable(type, [channels], "biases")
    each = channels // tiles
    for tile in range(tiles):
        graph.setTileMapping(deltas[tile], tile)
        graph.setTileMapping(biases.slice(tile * each, (tile + 1) * each), tile)
    graph.createHostWrite("deltas", deltas)
    graph.createHostRead("biases", biases)
    prog = program.Sequence()
    popops.reduceWithOutput(graph, deltas, biases, [0, 1], ADD, prog)
    options = {"debug.allowOutOfMemory": "true"}
    return MachineReport.of(poplar.Engine(graph, [prog], options))


def ratios() -> list[Ratios]:
    found: list[Ratios] = []
    with Path(__file__).with_name("poplibs_bias_gradients.csv").open() as file:
        for row in csv.DictReader(file):
            sizes = [int(row[name]) for name in ("tiles", "points", "channels")]
            type = poplar.HALF if row["type"] == "half" else poplar.FLOAT
            report = gradient(type, sizes[0], sizes[1], sizes[2])
            compute = report.computeCycles / (int(row["own"]) + int(row["between"]))
            exchange = report.exchangeCycles / int(row["exchange"])
            found.append(Ratios(row["type"], sizes[0], sizes[1], compute, exchange))
    return found


def test_bias_gradients_take_what_poplibs_estimates() -> None:
    """Floats within 1 %. Of halves the sums of a tile's own points count as stored in half, a cycle
    more each; where there is one point, workers share the few sums of halves, and PopLibs' estimate
    says that they do not. What a tile has itself does not move, which that estimate leaves out.
    """
    found = ratios()
    assert len(found) == 200
    for each in found:
        if each.type == "float":
            assert math.isclose(each.compute, 1, abs_tol=0.01), each
        else:
            assert (0.99 if each.points > 1 else 0.5) <= each.compute <= 1.07, each
        assert math.isclose(each.exchange, 1 - 1 / each.tiles, abs_tol=0.01), each


def show() -> None:
    """Prints the comparison."""
    print(f"{'type':<6} {'gradients':>9} {'mean':>6} {'least':>6} {'most':>6}")
    found = ratios()
    for type in ("float", "half"):
        values = [each.compute for each in found if each.type == type]
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{type:<6} {len(values):>9} {mean:>6.3f} {min(values):>6.3f} {max(values):>6.3f}")


if __name__ == "__main__":
    show()
