"""poputil: mappings, intervals, broadcasting, duplicates."""

import itertools

import numpy as np
import pytest

from popir import errors, poplar, poputil
from tests.device import run


def graph_of(tiles):
    device = poplar.IPUModel()
    device.tilesPerIPU = tiles
    return poplar.Graph(device.createDevice().getTarget())


@pytest.fixture
def graph():
    return graph_of(10)


def flat(mapping):
    return sorted(i for tile in mapping for begin, end in tile for i in range(begin, end))


@pytest.mark.parametrize(
    ("n", "minimum", "grain", "expected"),
    [
        (100, 1, 1, [10] * 10),
        (101, 1, 1, [10] * 9 + [11]),
        (100, 32, 1, [33, 33, 34]),
        (100, 1, 8, [8, 16, 16, 16, 16, 16, 12]),
        (5, 1, 4, [4, 1]),
        (0, 1, 1, []),
    ],
)
def test_linear_sizes(graph, n, minimum, grain, expected):
    mapping = poputil.calcLinearTileMapping(graph, [n], minimum, grain)
    assert len(mapping) == 10
    assert [sum(e - b for b, e in tile) for tile in mapping if tile] == expected
    assert flat(mapping) == list(range(n))


def begins(n, grain, most, least=0, largest=2**32 - 1):
    """Where the parts of PopLibs' splitRegions begin and the last one ends, step by step: a part
    has so many grains as an even division over all parts needs, then no more than `largest` holds,
    then no fewer than parts of `least` need; there are as many parts as these grains fill, and the
    grains are dealt out to them by products rounded down.
    """
    grains = -(-n // grain)
    if grains == 0:
        return [0]
    each = min(-(-grains // most), max(largest // grain, 1))
    if least > 0:
        fewest = -(-least // grain)
        each = max(each, -(-grains // max(grains // fewest, 1)))
    parts = -(-grains // each)
    return [min(part * grains // parts * grain, n) for part in range(parts + 1)]


@pytest.mark.parametrize("grain", [*range(1, 18), 24, 32, 64, 100])
def test_linear_mappings_have_the_rule_of_poplibs(grain):
    rng = np.random.default_rng(grain)
    for tiles in (1, 3, 10, 64, 1472):
        graph = graph_of(tiles)
        for n in rng.integers(1, 40 * tiles * grain, 12).tolist():
            least = int(rng.choice([0, 1, grain - 1, grain, grain + 1, 32, 128]))
            edges = begins(n, grain, tiles, least)
            mapping = poputil.calcLinearTileMapping(graph, [n], least, grain)
            expected = [[(b, e)] for b, e in itertools.pairwise(edges)]
            assert mapping == expected + [[]] * (tiles - len(expected))
            t = graph.addVariable(poplar.FLOAT, [n])
            offset = int(rng.integers(tiles))
            poputil.mapTensorLinearlyWithOffset(graph, t, least, grain, offset)
            around = [mapping[(tile - offset) % tiles] for tile in range(tiles)]
            assert graph.getTileMapping(t) == around
            poputil.mapTensorLinearlyWithOffset(graph, t, least, grain, offset, False)
            assert graph.getTileMapping(t) == around[::-1]


@pytest.mark.parametrize(
    ("kind", "grain", "least"),
    [(poplar.FLOAT, 2, 32), (poplar.HALF, 4, 64), (poplar.CHAR, 8, 128), (poplar.INT, 2, 32)],
)
def test_what_is_spread_without_sizes_has_grains_of_8_and_128_bytes(kind, grain, least):
    graph = graph_of(10)
    for n in (1, 2, 63, 64, 65, 319, 320, 321, 1279, 1281, 5003):
        edges = begins(n, grain, 10, least)
        expected = [[(b, e)] for b, e in itertools.pairwise(edges)]
        expected += [[]] * (10 - len(expected))
        t = graph.addVariable(kind, [n])
        poputil.mapTensorLinearly(graph, t)
        assert graph.getTileMapping(t) == expected
        linear = graph.addVariable(kind, [n], poplar.VariableMappingMethod.LINEAR)
        assert graph.getTileMapping(linear) == expected


def test_offset_and_order(graph):
    up = poputil.calcLinearTileMapping(graph, [30], 10, 1, offset=8)
    assert [i for i, tile in enumerate(up) if tile] == [0, 8, 9]
    assert up[8] == [(0, 10)]
    assert up[0] == [(20, 30)]
    down = poputil.calcLinearTileMapping(graph, [30], 10, 1, offset=1, ascendingOrder=False)
    assert down[8] == [(0, 10)]
    assert down[7] == [(10, 20)]
    assert down[6] == [(20, 30)]


def test_set_on_tensors(graph):
    t = graph.addVariable(poplar.FLOAT, [16, 8])
    poputil.mapTensorLinearly(graph, t)
    assert graph.getTileMapping(t) == poputil.calcLinearTileMapping(graph, t)
    assert [sum(e - b for b, e in tile) for tile in graph.getTileMapping(t)][:4] == [32] * 4
    poputil.mapTensorLinearly(graph, t.transpose(), 1, 1)
    assert poputil.getTileImbalance(graph, t) == 0
    assert poputil.dimIsSplitOverTiles(graph, t, 0)
    assert poputil.dimIsSplitOverTiles(graph, t, 1)
    poputil.mapTensorLinearlyWithOffset(graph, t, 32, 8, 7)
    assert [i for i, tile in enumerate(graph.getTileMapping(t)) if tile] == [0, 7, 8, 9]
    assert not poputil.dimIsSplitOverTiles(graph, t, 1)
    mapping, following = poputil.calcLinearTileMappingAndNewOffset(graph, t, 9)
    assert flat(mapping) == list(range(128))
    assert following == 3
    graph.setTileMapping(t, 0)
    assert poputil.getTileImbalance(graph, t) == 128 - 13


@pytest.mark.parametrize("grain", [*range(1, 18), 33])
def test_regions_are_split_by_the_rule_of_poplibs(grain):
    rng = np.random.default_rng(100 + grain)
    target = graph_of(1).getTarget()
    for _ in range(60):
        ends = np.cumsum(rng.integers(1, 60, 2 * int(rng.integers(1, 8)))).tolist()
        regions = list(zip(ends[::2], ends[1::2], strict=True))
        elements = [i for b, e in regions for i in range(b, e)]
        most, least = int(rng.integers(1, 12)), int(rng.choice([0, 5, grain, 40, 1000]))
        largest = int(rng.choice([grain, 2 * grain + 1, 64 + grain, 2**32 - 1]))
        longest = int(rng.choice([grain, 3 * grain + 2, 2**32 - 1]))
        edges = begins(len(elements), grain, most, least, largest)
        parts = poputil.splitRegions(regions, grain, most, least, largest, longest)
        held = [[i for b, e in part for i in range(b, e)] for part in parts]
        assert held == [elements[b:e] for b, e in itertools.pairwise(edges)]
        assert all(e - b <= longest // grain * grain for part in parts for b, e in part)
        lists = poputil.splitRegions([regions], grain, most, least, largest, longest)
        assert [[i for r in part for b, e in r for i in range(b, e)] for part in lists] == held
        of_one = [[sum(e - b for b, e in region) for region in part] for part in lists]
        whole = longest // grain * grain
        for sizes in of_one:
            assert all(size == whole for size in sizes[:-1])
            assert 0 < sizes[-1] <= whole
        between = poputil.splitRegionsBetweenWorkers(target, regions, grain, least)
        edges = begins(len(elements), grain, target.getNumWorkerContexts(), least)
        held = [[i for b, e in part for i in range(b, e)] for part in between]
        assert held == [elements[b:e] for b, e in itertools.pairwise(edges)]


@pytest.mark.parametrize(
    ("grain", "most", "least", "largest"),
    list(itertools.product([1, 3, 8], [1, 4, 6], [0, 10], [7, 2**32 - 1])),
)
def test_split_regions(grain, most, least, largest):
    regions = [(3, 20), (30, 31), (40, 83)]
    elements = [i for b, e in regions for i in range(b, e)]
    parts = poputil.splitRegions(regions, grain, most, least, largest)
    assert [i for part in parts for b, e in part for i in range(b, e)] == elements
    sizes = [sum(e - b for b, e in part) for part in parts]
    assert all(sizes)
    assert all(s % grain == 0 for s in sizes[:-1])
    assert max(sizes) <= max(largest, grain, 2 * least + grain)
    if largest > 1000:
        assert len(parts) <= most
        assert max(sizes) - min(sizes) <= 2 * grain
        assert len(parts) == 1 or min(sizes[:-1]) >= least


def test_split_regions_limits_regions():
    parts = poputil.splitRegions([(0, 100)], 1, 2, maxElementsPerRegion=16)
    assert all(e - b <= 16 for part in parts for b, e in part)
    nested = poputil.splitRegions([[(0, 10), (20, 30)], [(40, 45)]], 1, 2)
    assert nested == [[[(0, 10), (20, 22)]], [[(22, 30)], [(40, 45)]]]


def test_split_between_workers(graph):
    target = graph.getTarget()
    parts = poputil.splitRegionsBetweenWorkers(target, [(0, 60)], 1)
    assert [sum(e - b for b, e in p) for p in parts] == [10] * target.getNumWorkerContexts()


def test_broadcast():
    x = np.arange(3, dtype=np.float32).reshape(3, 1)
    y = np.zeros((2, 1, 4), np.float32)

    def build(g, t, u, prog):
        return list(poputil.broadcastToMatch(t, u))

    for result, expected in zip(run(build, x, y), np.broadcast_arrays(x, y), strict=True):
        np.testing.assert_array_equal(result, expected)
    seen = run(lambda g, t, prog: poputil.broadcastToMatch(t, [5, 3, 2]), x)
    np.testing.assert_array_equal(seen, np.broadcast_to(x, (5, 3, 2)))


def test_copies():
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    np.testing.assert_array_equal(run(poputil.duplicate, x), x)
    assert run(lambda g, t, p: poputil.cloneN(g, t, 4), x).shape == (4, 2, 3)
    assert poputil.balancedPartition(11, 3) == [4, 4, 3]


def test_refusals(graph):
    with pytest.raises(errors.poplibs_exception, match="grainSize is 0"):
        poputil.calcLinearTileMapping(graph, [3], 1, 0)
    with pytest.raises(errors.poplibs_exception, match="grainSize 0, maxPartitions 2"):
        poputil.splitRegions([(0, 3)], 0, 2)
    with pytest.raises(errors.poplibs_exception, match="N is 0"):
        poputil.cloneN(graph, graph.addVariable(poplar.FLOAT, [1]), 0)
