"""What must hold of every program, tried on random ones."""

import random

import numpy as np
import pytest

from popir import poplar
from popir._device import machine, popops
from popir.poplar import program
from popir.profile import MachineReport
from tests.machine.net import FLOAT, Net

TILES = 7
SEEDS = range(20)


def scattered(graph, rng: random.Random, name: str):
    """A variable of two or three dimensions, its elements on tiles in random stretches."""
    shape = [rng.randint(1, 9) for _ in range(rng.randint(2, 3))]
    t = graph.addVariable(FLOAT, shape, name)
    at, n = 0, t.numElements()
    while at < n:
        end = min(n, at + rng.randint(1, 12))
        graph.setTileMapping(t.flatten().slice(at, end), rng.randrange(TILES))
        at = end
    return t


def view(graph, rng: random.Random):
    """Slices, shuffles, joins, reversals and reshapes of such variables, no element twice."""
    t = scattered(graph, rng, "first")
    for _ in range(rng.randint(0, 5)):
        d = rng.randrange(t.rank())
        kind = rng.randrange(5)
        if kind == 0 and t.dim(d) > 1:
            t = t.slice(rng.randint(0, 1), t.dim(d), d)
        elif kind == 1:
            t = t.dimShuffle(rng.sample(range(t.rank()), t.rank()))
        elif kind == 2:
            t = t.reverse(d)
        elif kind == 3:
            t = t.flatten().reshape([t.numElements()])
        else:
            t = poplar.concat([t.flatten(), scattered(graph, rng, "more").flatten()], 0)
    return t


@pytest.mark.parametrize("seed", SEEDS)
def test_every_element_belongs_to_exactly_one_tile(seed):
    """The runs that share a vertex over tiles are disjoint, complete, and those of the mapping."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, TILES, "ipu2"))
    t = view(graph, random.Random(seed))
    runs = machine.tileRuns(graph, t)
    assert [run[0] for run in runs] == [0, *(run[1] for run in runs[:-1])]
    assert runs[-1][1] == t.numElements()
    owner = np.full(t.numElements(), -1)
    for tile, intervals in enumerate(graph.getTileMapping(t)):
        for begin, end in intervals:
            assert (owner[begin:end] == -1).all()
            owner[begin:end] = tile
    assert owner.tolist() == [tile for begin, end, tile in runs for _ in range(begin, end)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plan_covers_a_contraction_without_rest(seed):
    """Parts times splits reach all groups, rows, inner elements and columns, one part less none."""
    rng = random.Random(seed)
    target = poplar.Target.createIPUTarget(1, rng.choice([1, 16, 1472]), "ipu2")
    groups, rows, inner, columns = (rng.randint(1, top) for top in (4, 3000, 2000, 2000))
    plan = machine.planContraction(
        target,
        "poplin::ConvPartial1x1Out",
        rng.choice([FLOAT, poplar.HALF]),
        [groups, rows, inner, columns, 1],
    )
    if plan["swapped"]:
        rows, columns = columns, rows
    inner, columns = -(-inner // plan["serialInner"]), -(-columns // plan["serialColumns"])
    splits = [plan[f"{name}Split"] for name in ("group", "row", "inner", "column")]
    for whole, part, split in zip(
        (groups, rows, inner, columns), plan["part"][:4], splits, strict=True
    ):
        assert part * split >= whole > part * (split - 1)
    assert plan["tiles"] == np.prod(splits) <= target.getNumTiles()


def random_net(seed: int) -> Net:
    rng = random.Random(seed)
    net = Net(TILES)
    known = [net.input(f"in{i}", [420], *rng.sample(range(TILES), 3)) for i in range(3)]
    for i in range(12):
        a, b = rng.choice(known), rng.choice(known)
        known.append(net.add(a, b, *rng.sample(range(TILES), rng.choice([1, 2, 4]))))
        if i % 4 == 3:
            net.prog.add(program.Copy(known[-1], known[0]))
    net.graph.createHostRead("out", known[-1])
    return net


@pytest.mark.parametrize("seed", SEEDS)
def test_memory_is_the_sum_of_its_categories(seed):
    report = random_net(seed).report()
    assert sum(m.totalBytes for m in report.memory) == report.totalBytes
    assert sum(m.fullestTileBytes for m in report.memory) == report.maxTileBytes
    tiles = np.sum([m.tileBytes for m in report.memory], axis=0)
    assert (tiles == report.tileBytes()).all()
    assert (int(tiles.sum()), int(tiles.max())) == (report.totalBytes, report.maxTileBytes)
    # No step has more beside what is always live than the tiles' worst moments.
    worst = int((report.tileBytes() - report.tileBytes(alwaysLive=True)).max())
    assert max(s.fullestTileLiveBytes for s in report.steps) == worst


@pytest.mark.parametrize("seed", SEEDS)
def test_no_operation_is_faster_than_memory_or_exchange(seed):
    """24 bytes a cycle of a tile's memory; 4 that a tile receives, and as many that it sends."""
    report = random_net(seed).report()
    for row in report.operations:
        assert row.computeCycles + row.exchangeCycles > 0
        assert row.exchangeCycles * 4 * TILES >= row.exchangeBytes
        if row.vertexClass.startswith("popops"):
            assert row.computeCycles * TILES >= 3 * 420 * 4 * row.times / 24


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_and_operations_say_the_same(seed):
    report = random_net(seed).report()
    assert sum(s.times * s.cycles for s in report.steps) == report.cycles
    assert sum(row.flops for row in report.operations) == report.flops
    for i, row in enumerate(report.operations):
        assert row.times == sum(s.times for s in report.steps if i in s.operations)


def test_profiling_costs_no_instruction():
    """Costed or not, and whatever the machine is, the host runs the same instructions as often."""

    def executed(cost: bool, **figures: str) -> list[tuple[str, str, int]]:
        net = Net(4)
        net.graph = poplar.Graph(poplar.Target.createIPUTarget(1, 4, "ipu2", figures))
        net.prog = program.Sequence()
        a, b = net.input("a", [1000], 0), net.input("b", [1000], 1)
        net.add(net.add(a, b, 2, name="first"), b, 3, name="second")
        popops.mulInPlace(net.graph, a, b, net.prog)
        engine = poplar.Engine(net.graph, [net.prog], {"host.profile": "true"})
        if cost:
            MachineReport.of(engine)
        for _ in range(3):
            engine.run(0)
            if cost:
                MachineReport.of(engine)
        return [(names, what, runs) for names, what, runs, _ in engine.hostProfile()]

    plain = executed(cost=False)
    assert plain and all(runs == 3 for *_, runs in plain)
    assert executed(cost=True) == plain == executed(cost=True, exchangeBytesPerCycle="8")
