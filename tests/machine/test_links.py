"""Traffic between IPUs: a ladder of two to a rung, by the busiest links."""

import math

import pytest

from popir import poplar
from popir.poplar import program
from popir.profile import MachineReport

FLOAT, TILES = poplar.FLOAT, 4
BYTES = 400_000


def copies(ipus: int, *pairs: tuple[int, int]) -> MachineReport:
    """As many bytes from the first tile of an IPU to that of another, for each pair, at once."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(ipus, TILES, "ipu2"))
    src, dst = [], []
    for i, (a, b) in enumerate(pairs):
        for side, ipu in ((src, a), (dst, b)):
            t = graph.addVariable(FLOAT, [BYTES // 4], f"{i}")
            graph.setTileMapping(t, ipu * TILES)
            side.append(t)
    prog = program.Copy(poplar.concat(src, 0), poplar.concat(dst, 0), "copy")
    return MachineReport.of(poplar.Engine(graph, [prog], {"debug.allowOutOfMemory": "true"}))


def cycles(nbytes: float, links: int) -> int:
    return math.ceil(nbytes / (links * 128 * 2**30 / 8 * 0.85) * 1.33e9)


@pytest.mark.parametrize(
    ("ipus", "pairs", "busiest", "links"),
    [
        # The other of a pair: four links.
        (2, [(0, 1)], 1, 4),
        # Up a rung, or down one: two links.
        (4, [(0, 2)], 1, 2),
        (4, [(3, 1)], 1, 2),
        # Across first, on two links, then up on two others.
        (4, [(0, 3)], 1, 2),
        # Both go up from IPU 2.
        (6, [(0, 4), (2, 4)], 2, 2),
        # Up and down do not meet, nor do the two sides of the ladder.
        (4, [(0, 2), (2, 0), (1, 3)], 1, 2),
        # From 0 across to 1 and up from there, where 1's own goes.
        (4, [(0, 3), (1, 3)], 2, 2),
        # IPU 2 has no partner: what it sends to 1 goes down first, and then across.
        (3, [(2, 1)], 1, 2),
        (64, [(0, 62)], 1, 2),
    ],
)
def test_the_busiest_links_say_how_long_it_takes(ipus, pairs, busiest, links):
    report = copies(ipus, *pairs)
    assert report.interIPUBytes == BYTES * len(pairs)
    assert report.interIPUCycles == cycles(BYTES * busiest, links)
    assert report.numIPUs == ipus
    (step,) = report.steps
    assert step.ipus == sorted({ipu for pair in pairs for ipu in pair})


def test_within_an_ipu_no_link_is_taken():
    report = copies(2, (1, 1))
    assert (report.interIPUBytes, report.interIPUCycles, report.syncCycles) == (0, 0, 288)


def test_a_word_goes_over_once_for_all_tiles_of_an_ipu():
    """Four tiles of IPU 1 want the same 1000 words of IPU 0."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(2, TILES, "ipu2"))
    src = graph.addVariable(FLOAT, [1, 1000], "src")
    dst = graph.addVariable(FLOAT, [4, 1000], "dst")
    graph.setTileMapping(src, 0)
    for i in range(4):
        graph.setTileMapping(dst[i], TILES + i)
    engine = poplar.Engine(graph, [program.Copy(src.broadcast(4, 0), dst)])
    report = MachineReport.of(engine)
    assert (report.interIPUBytes, report.exchangeBytes) == (4000, 16000)


def test_links_have_figures_of_their_own():
    graph = poplar.Graph(
        poplar.Target.createIPUTarget(
            2, TILES, "ipu2", {"linksToPartner": "8", "linkEfficiency": "0.5"}
        )
    )
    a, b = (graph.addVariable(FLOAT, [BYTES // 4], name) for name in "ab")
    graph.setTileMapping(a, 0)
    graph.setTileMapping(b, TILES)
    report = MachineReport.of(poplar.Engine(graph, [program.Copy(a, b)]))
    seconds = BYTES / (8 * 128 * 2**30 / 8 * 0.5)
    assert report.interIPUCycles == math.ceil(seconds * 1.33e9)
