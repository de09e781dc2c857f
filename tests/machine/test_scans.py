"""What running sums cost: lines over tiles, and pieces of lines over workers."""

import pytest

from popir import poplar
from popir._device import ext
from popir.profile import MachineReport
from tests.machine.net import CALL, FLOAT, SYNC, Net

KINDS = {"sum": ext.runningSum, "product": ext.runningProduct}
REDUCED = {"sum": 0.2, "product": 1}
"""What the reduction of a piece takes at most, over its scan."""


def scan(tiles: int, shape: list[int], axis: int, kind: str = "sum") -> MachineReport:
    net = Net(tiles)
    each = -(-shape[0] * shape[1] // tiles)
    x = net.graph.addVariable(FLOAT, shape, poplar.VariableMappingMethod.LINEAR, "x")
    net.graph.createHostWrite("x", x)
    assert each * tiles >= x.numElements()
    out = KINDS[kind](net.graph, x, axis, ext.ScanOptions(), net.prog)
    net.graph.createHostRead("y", out)
    return net.report()


def test_lines_enough_for_all_workers_stay_whole():
    """24 lines of 64 on 4 tiles: each of six workers walks along one, 6 (26 + 12 + 7 64)."""
    report = scan(4, [24, 64], 1)
    assert report.computeCycles == pytest.approx(6 * (26 + 12 + 7 * 64), abs=20)
    assert (report.exchangeBytes, report.syncCycles) == (0, CALL)


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_is_scanned_by_all_workers(kind: str):
    """Each of 4 x 6 workers reduces its piece, the 24 results are scanned, each scans its piece."""
    report = scan(4, [1, 24 * 400], 1, kind)
    alone = 6 * (12 + 7 * 400)
    assert alone < report.computeCycles < (1.1 + REDUCED[kind]) * alone
    assert report.syncCycles == 3 * CALL + 2 * SYNC
    assert report.exchangeBytes > 0


def test_a_long_line_is_scanned_in_several_stages():
    """The results of 8,192 pieces are themselves too many for one worker: 344,064 cycles."""
    report = scan(1472, [1, 1 << 20], 1)
    assert report.cycles < 20_000  # 44 million on one worker
    assert report.syncCycles > 5 * CALL


@pytest.mark.parametrize("length", [1, 7, 100, 3000])
def test_pieces_are_never_dearer_than_a_worker(length: int):
    alone = 6 * (26 + 12 + 7 * length)
    assert scan(16, [1, length], 1).computeCycles <= alone + 50


def test_lines_that_lie_across_move_to_their_tiles_and_back():
    along, across = (scan(64, [256, 256], axis) for axis in (1, 0))
    assert along.exchangeBytes < across.exchangeBytes
    assert across.exchangeBytes >= 2 * 256 * 256 * 4 * 63 // 64
    assert across.computeCycles == along.computeCycles
