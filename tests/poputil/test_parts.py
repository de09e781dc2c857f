"""poputil: tensors laid out by their users, like others, and on other IPUs."""

import numpy as np
import pytest

from popir import errors, poplar, poputil
from popir.poplar import program

FLOAT = poplar.FLOAT


@pytest.fixture
def graph():
    return poplar.Graph(poplar.Target.createIPUTarget(2, 4, "ipu2"))


def owners(graph, t) -> list[int]:
    """The tile of each element."""
    found = np.full(t.numElements(), -1)
    for tile, intervals in enumerate(graph.getTileMapping(t)):
        for begin, end in intervals:
            assert (found[begin:end] == -1).all()
            found[begin:end] = tile
    return found.tolist()


def test_a_virtual_graph_is_some_tiles_of_the_same_graph(graph):
    second = graph.createVirtualGraph(4, 8)
    target = second.getTarget()
    assert (target.getNumTiles(), target.getNumIPUs(), target.getTilesPerIPU()) == (4, 1, 4)
    t = second.addVariable(FLOAT, [4, 40], "t")
    for tile in range(4):
        second.setTileMapping(t[tile], tile)
    assert owners(graph, t) == [4 + i // 40 for i in range(160)]
    assert owners(second, t) == [i // 40 for i in range(160)]
    again = second.createVirtualGraph(1, 3)
    u = again.addVariable(FLOAT, [80], poplar.VariableMappingMethod.LINEAR, "u")
    assert owners(graph, u) == [5 + i // 40 for i in range(80)]
    assert owners(again.getTopLevelGraph(), u) == owners(graph, u)
    with pytest.raises(errors.poplar_invalid_tile_mapping, match="tile 4 given, the target has 4"):
        second.setTileMapping(t, 4)
    with pytest.raises(errors.poplar_invalid_tile_mapping, match="are on tiles that this virtual"):
        again.getTileMapping(t)


def test_a_virtual_graph_of_the_same_tiles_of_each_ipu(graph):
    io = graph.createVirtualGraph([1, 3])
    assert (io.getTarget().getNumIPUs(), io.getTarget().getTilesPerIPU()) == (2, 2)
    t = io.addVariable(FLOAT, [128], "t")
    poputil.mapTensorLinearly(io, t)
    assert owners(graph, t) == [(1, 3, 5, 7)[i // 32] for i in range(128)]


@pytest.mark.parametrize("tiles", [(3, 3), (0, 9), (8, 9)])
def test_virtual_graphs_that_cannot_be(graph, tiles):
    with pytest.raises(errors.poplar_invalid_tile_mapping, match=r"of the 8 that the graph has"):
        graph.createVirtualGraph(*tiles)
    with pytest.raises(errors.poplar_invalid_tile_mapping, match="tiles of each IPU given"):
        graph.createVirtualGraph([0, 4])


def test_elements_go_to_tiles_that_use_them(graph):
    """Elements 0-7 are used by tile 1, 8-15 by 1 and 2, 16-23 by 2, and no one uses the rest."""
    t = graph.addVariable(FLOAT, [32], "t")
    uses = poputil.TensorUseTracker(8)
    uses.add(graph, 1, t.slice(0, 16))
    uses.add(graph, 2, t.slice(8, 24))
    uses.mapTensorsByUse(graph, 1, 1, True)
    assert owners(graph, t) == [1] * 12 + [2] * 20


def test_grains_stay_together(graph):
    t = graph.addVariable(FLOAT, [10], "t")
    uses = poputil.TensorUseTracker(8)
    for tile in (5, 6, 7):
        uses.add(graph, tile, t)
    uses.mapTensorsByUse(graph, 4, 1)
    assert owners(graph, t) == [5] * 4 + [6] * 4 + [7] * 2
    with pytest.raises(errors.poplibs_exception, match="a use on tile 8 given, of 8"):
        uses.add(graph, 8, t)


def test_an_operand_of_a_broadcast_lies_with_what_it_is_added_to(graph):
    full = graph.addVariable(FLOAT, [8, 6], "full")
    for row in range(8):
        graph.setTileMapping(full[row], row)
    operand = poputil.createBroadcastOperand(graph, full, FLOAT, 0)
    assert owners(graph, operand) == list(range(8))
    columns = poputil.createBroadcastOperand(graph, full, FLOAT, 1)
    assert owners(graph, columns) == [0, 0, 1, 1, 2, 2]


def test_a_clone_on_another_ipu(graph):
    t = graph.addVariable(FLOAT, [8], "t")
    graph.setTileMapping(t.slice(0, 3), 0)
    graph.setTileMapping(t.slice(3, 7), 2)
    graph.setTileMapping(t.slice(7, 8), 3)
    clone = poputil.cloneToIpu(graph, t, 1)
    assert owners(graph, clone) == [4] * 3 + [6] * 4 + [7]
    with pytest.raises(errors.poplibs_exception, match="IPU 2 given, the graph has 2"):
        poputil.cloneToIpu(graph, t, 2)


def test_a_copy_to_another_ipu_runs(graph):
    t = graph.addVariable(FLOAT, [8], "t")
    graph.setTileMapping(t, 1)
    graph.setInitialValue(t, np.arange(8, dtype=np.float32))
    prog = program.Sequence()
    moved = poputil.copyToIpu(graph, t, prog, 1, "moved")
    graph.createHostRead("moved", moved)
    engine = poplar.Engine(graph, [prog])
    engine.run(0)
    found = np.zeros(8, np.float32)
    engine.readTensor("moved", found)
    assert found.tolist() == list(range(8))


def test_dimensions_that_are_split_over_ipus(graph):
    t = graph.addVariable(FLOAT, [2, 8], "t")
    graph.setTileMapping(t[0], 1)
    graph.setTileMapping(t[1].slice(0, 4), 5)
    graph.setTileMapping(t[1].slice(4, 8), 6)
    assert poputil.dimIsSplitOverTiles(graph, t, 1)
    assert not poputil.dimIsSplitOverIPUs(graph, t, 1)
    assert poputil.dimIsSplitOverIPUs(graph, t, 0)


def test_groupings_by_memory(graph):
    t = graph.addVariable(FLOAT, [4, 6, 2], "t")
    graph.setTileMapping(t, 0)
    assert poputil.detectDimGroupings(graph, t) == [(2, 2), (1, 6), (0, 4)]
    assert poputil.detectInnermostGrouping(graph, t) == 2
    turned = t.dimShuffle([2, 0, 1])
    assert poputil.detectDimGroupings(graph, turned) == [(0, 2), (2, 6), (1, 4)]
    assert poputil.detectInnermostGrouping(graph, turned) == 1
    assert poputil.detectDimGroupings(graph, t.flatten().reverse(0)) == []
    assert poputil.detectDimGroupings(graph, t.slice(0, 1, 2).broadcast(3, 2)) == []


def test_groupings_of_joined_tensors(graph):
    t, other = (graph.addVariable(FLOAT, [2, 12], name) for name in "tu")
    for each in (t, other):
        graph.setTileMapping(each, 0)
    again = poplar.concat([t.slice(0, 5, 1), t.slice(5, 12, 1)], 1)
    assert poputil.detectInnermostGrouping(graph, again) == 12
    joined = poplar.concat([t.slice(0, 8, 1), other.slice(0, 4, 1)], 1)
    assert poputil.detectDimGroupings(graph, joined) == [(1, 4)]
    swapped = poplar.concat([t.slice(6, 12, 1), t.slice(0, 6, 1)], 1)
    assert poputil.detectInnermostGrouping(graph, swapped) == 6


def test_groupings_end_at_tiles(graph):
    t = graph.addVariable(FLOAT, [8, 12], "t")
    graph.setTileMapping(t.slice(0, 8, 1), 1)
    graph.setTileMapping(t.slice(8, 12, 1), 2)
    assert poputil.detectInnermostGrouping(graph, t) == 4
    assert poputil.detectDimGroupings(graph, t.transpose()) == [(0, 4)]
