"""Slices with a plan: results are those without one; layouts, costs and refusals."""

from __future__ import annotations

from math import ceil
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from popir import errors, poplar, popops
from popir._device import machine
from popir.poplar import program
from popir.profile import MachineReport
from tests.popops.rig import Rig

HALF, FLOAT = poplar.HALF, poplar.FLOAT
RNG = np.random.default_rng(3)
SIZES = [
    # entries, size, lookups
    pytest.param((30522, 64, 128), id="rows are split"),
    pytest.param((2, 768, 128), id="lookups are split"),
    pytest.param((509, 30, 1007), id="odd"),
    pytest.param((7, 3, 1), id="one"),
]
USES = {"slice": {"usedForUpdate": "false"}, "add": {"usedForSlice": "false"}, "both": {}}


def ipu(tiles: int = 1472) -> poplar.Target:
    return poplar.Target.createIPUTarget(1, tiles, "ipu2")


def planned(graph: poplar.Graph, entries: int, size: int, lookups: int, **options: str) -> Any:
    return popops.embeddingPlan(graph, HALF, 1, entries, size, [lookups], options)


def held(graph: poplar.Graph, t: poplar.Tensor) -> list[int]:
    """Elements on each tile."""
    return [sum(end - begin for begin, end in spans) for spans in graph.getTileMapping(t)]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("use", USES)
def test_tables_and_slices_lie_as_the_plan_says(sizes: Any, use: str) -> None:
    entries, size, lookups = sizes
    graph = poplar.Graph(ipu())
    plan = planned(graph, *sizes, **USES[use])
    fields = machine.planSlices(graph.getTarget(), HALF, [1, entries, size, lookups], USES[use])
    table = popops.createSliceableTensor(graph, HALF, [entries, size], [0], [1], plan)
    slices = popops.createSliceTensor(graph, HALF, [entries, size], [0], [1], lookups, plan)
    assert table.shape() == [entries, size] and slices.shape() == [lookups, 1, size]
    on_table, on_slices = held(graph, table), held(graph, slices)
    assert sum(on_table) == entries * size and sum(on_slices) == lookups * size
    rows, columns = ceil(entries / fields["entries"]), ceil(size / fields["columns"])
    # Sets that share lookups share what they have of the table.
    assert rows * columns // fields["lookups"] <= max(on_table) <= rows * columns
    each = ceil(ceil(lookups / fields["serial"]) / fields["lookups"])
    most = ceil(each / fields["entries"]) * columns * fields["serial"]
    assert max(on_slices) <= most
    # The first element is on the first tile, and all are on the tiles of the plan.
    tiles = fields["lookups"] * fields["entries"] * fields["columns"] * fields["groups"]
    used = {(fields["first"] + i) % 1472 for i in range(tiles)}
    for t, on in ((table, on_table), (slices, on_slices)):
        assert graph.getTileMapping(t[0].flatten()[0])[fields["first"]]
        assert {tile for tile, n in enumerate(on) if n} <= used


def test_offsets_begin_on_the_first_tile_of_a_plan() -> None:
    graph = poplar.Graph(ipu())
    plan = planned(graph, 30522, 768, 128)
    offsets = popops.createIndicesTensor(graph, [0], 128, plan)
    first = machine.planSlices(ipu(), HALF, [1, 30522, 768, 128], {})["first"]
    assert [i for i, n in enumerate(held(graph, offsets)) if n] == list(range(first, first + 4))


def rows_of(kind: str, table: np.ndarray, offsets: np.ndarray, new: np.ndarray) -> np.ndarray:
    """The table after an update, in order."""
    table = table.copy()
    for at, row in zip(offsets[:, 0], new[:, 0], strict=True):
        if at < len(table):
            old = table[at]
            values = {"Add": old + 2 * row, "Max": np.maximum(old, row), "Mul": old * row, "": row}
            table[at] = values[kind]
    return table


@pytest.mark.parametrize("sizes", SIZES[1:])
@pytest.mark.parametrize("kind", ["Read", "Add", "Max", "Mul", ""])
def test_results_are_those_without_a_plan(kind: str, sizes: Any) -> None:
    entries, size, lookups = sizes
    values = RNG.integers(-4, 5, (entries, size)).astype(np.float32)
    new = RNG.integers(-1, 2, (lookups, 1, size)).astype(np.float32)
    offsets = RNG.integers(0, entries + 2, (lookups, 1)).astype(np.uint32)
    rig = Rig(target=ipu())
    options = {
        "Read": {"usedForUpdate": "false"},
        "": {"usedForSlice": "false", "operationForUpdate": "none"},
    }.get(kind, {"usedForSlice": "false", "operationForUpdate": kind.lower()})
    plan = popops.embeddingPlan(rig.graph, FLOAT, 1, entries, size, [lookups], options)
    table = popops.createSliceableTensor(rig.graph, FLOAT, [entries, size], [0], [1], plan)
    rig.prog.add(program.Copy(rig.tensor(values), table))
    given = rig.tensor(offsets)
    if kind == "Read":
        found = popops.multiSlice(
            rig.graph, table, given, [0], [1], rig.prog, plan, {"usedForUpdate": "false"}
        )
        inside = (offsets < entries)[:, :, None]
        expected = np.where(inside, values[np.minimum(offsets, entries - 1)], 0)
    else:
        slices = popops.createSliceTensor(
            rig.graph, FLOAT, [entries, size], [0], [1], lookups, plan
        )
        rig.prog.add(program.Copy(rig.tensor(new), slices))
        more = [rig.tensor(np.float32(2))] if kind == "Add" else []
        update = getattr(popops, f"multiUpdate{kind}")
        update(rig.graph, table, slices, given, *more, [0], [1], rig.prog, plan)
        found, expected = table, rows_of(kind, values, offsets, new)
    name = rig.result(found)
    np.testing.assert_array_equal(rig.run()[name], expected)


def report_of(
    kind: str, sizes: tuple[int, ...], target: poplar.Target, **options: str
) -> tuple[Any, dict[str, Any]]:
    """The report of slices that lie as their plan says, and the plan."""
    groups, entries, size, lookups = sizes
    graph, prog = poplar.Graph(target), program.Sequence()
    use = {**USES["slice" if kind == "Read" else "add"], **options}
    plan = popops.embeddingPlan(graph, HALF, groups, entries, size, [lookups], use)
    dims, ones, lead = ([0, 1], [1, 1], [groups]) if groups > 1 else ([0], [1], [])
    table = popops.createSliceableTensor(graph, HALF, [*lead, entries, size], dims, ones, plan)
    offsets = popops.createIndicesTensor(graph, dims[:1], groups * lookups, plan)
    if groups > 1:
        offsets = offsets.reshape([groups, lookups, 1])
    name = "Slice" if kind == "Read" else f"Update{kind}"
    function = getattr(popops, f"{'groupedMulti' if groups > 1 else 'multi'}{name}")
    if kind == "Read":
        function(graph, table, offsets, [0], [1], prog, plan, use)
    else:
        slices = popops.createSliceTensor(
            graph, HALF, [*lead, entries, size], dims, ones, groups * lookups, plan
        )
        if groups > 1:
            slices = slices.reshape([groups, lookups, 1, size])
        scale = graph.addConstant(HALF, [], 1.0, "one")
        graph.setTileMapping(scale, 0)
        function(graph, table, slices, offsets, scale, [0], [1], prog, plan, use)
    return MachineReport.of(poplar.Engine(graph, [prog])), machine.planSlices(
        target, HALF, list(sizes), use
    )


def operation(report: Any) -> Any:
    return next(each for each in report.operations if each.vertexClass.startswith("popops::Multi"))


@pytest.mark.parametrize(
    "sizes",
    [(1, 30522, 768, 128), (1, 2, 768, 128), (1, 512, 768, 128), (12, 64, 64, 40), (1, 77, 8, 9)],
)
@pytest.mark.parametrize("kind", ["Read", "Add"])
def test_cycles_are_what_the_planner_says_and_syncs(kind: str, sizes: tuple[int, ...]) -> None:
    """The planner leaves out syncs, calls and offsets, and takes the table's own part for moved."""
    report, plan = report_of(kind, sizes, ipu())
    said = plan["readCycles" if kind == "Read" else "updateCycles"]
    found = operation(report)
    syncs = found.syncCycles
    assert syncs > 0
    assert 0.5 * said <= found.cycles - syncs <= 1.6 * said, (found.cycles, syncs, said)


def test_a_table_that_lies_by_its_plan_does_not_move() -> None:
    """128 rows of halves: what moves are offsets, and candidates between parts of the rows."""
    sizes = (1, 30522, 768, 128)
    report, plan = report_of("Read", sizes, ipu())
    assert plan["lookups"] == 1 and plan["entries"] > 1
    part = 128 * 768 * 2
    candidates = (plan["entries"] - 1) * part
    assert candidates <= operation(report).exchangeBytes <= 1.5 * candidates + 1472 * 1024


@pytest.mark.parametrize("kind", ["Read", "Add"])
def test_serial_steps_take_what_the_planner_says(kind: str) -> None:
    """Memory for 16,000 bytes of offsets at a time; nothing else moves."""
    sizes = (1, 2000, 64, 8000)
    report, plan = report_of(kind, sizes, ipu(8), availableMemoryProportion="0.03")
    assert plan["serial"] == 2 and plan["columns"] == 8
    said = plan["readCycles" if kind == "Read" else "updateCycles"]
    assert operation(report).computeCycles == said


@pytest.mark.parametrize("sorted_offsets", ["false", "true"])
def test_offsets_in_order_are_searched(sorted_offsets: str) -> None:
    _, plan = report_of("Add", (1, 200000, 8, 4000), ipu(), indicesAreSorted=sorted_offsets)
    assert plan["searches"] == (sorted_offsets == "true")


def test_plans_are_equal_by_how_they_split() -> None:
    graph = poplar.Graph(ipu())
    a, b = planned(graph, 30522, 768, 128), planned(graph, 30522, 768, 128)
    assert a == b and a != popops.SlicePlan() and popops.SlicePlan() == popops.SlicePlan()
    assert a != planned(graph, 512, 768, 128)
    assert "slicedDimSplit 23" in repr(a) and repr(popops.SlicePlan()) == "SlicePlan()"


def test_what_has_no_elements_has_an_empty_plan() -> None:
    graph = poplar.Graph(ipu())
    assert planned(graph, 0, 768, 128) == popops.SlicePlan()
    assert planned(graph, 4, 768, 0) == popops.SlicePlan()


def test_refusals() -> None:
    graph, prog = poplar.Graph(ipu()), program.Sequence()
    refused = pytest.raises(errors.poplibs_exception, match="set one of them")
    with refused:
        planned(graph, 8, 8, 8, usedForSlice="false", usedForUpdate="false")
    with pytest.raises(errors.poplibs_exception, match="leave partialType, or set it to float"):
        popops.embeddingPlan(graph, FLOAT, 1, 8, 8, [8], {"partialType": "half"})
    plan = planned(graph, 2, 768, 128)
    table = popops.createSliceableTensor(graph, HALF, [2, 768], [0], [1], plan)
    slices = popops.createSliceTensor(graph, HALF, [2, 768], [0], [1], 128, plan)
    offsets = popops.createIndicesTensor(graph, [0], 128, plan)
    with pytest.raises(errors.poplibs_exception, match="slices of one row along one dimension"):
        popops.multiSlice(graph, table, offsets, [0], [2], prog, plan)
    with pytest.raises(errors.poplibs_exception, match="operationForUpdate none"):
        popops.multiUpdate(graph, table, slices, offsets, [0], [1], prog, plan)
    ordered = planned(graph, 200000, 8, 4000, usedForSlice="false", indicesAreSorted="true")
    wide = popops.createSliceableTensor(graph, HALF, [200000, 8], [0], [1], ordered)
    rows = popops.createSliceTensor(graph, HALF, [200000, 8], [0], [1], 128, ordered)
    one = graph.addConstant(HALF, [], 1.0, "one")
    with pytest.raises(errors.poplibs_exception, match="set the option indicesAreSorted"):
        popops.multiUpdateAdd(graph, wide, rows, offsets, one, [0], [1], prog, ordered)
    with pytest.raises(errors.poplar_invalid_option, match="planMinimisationTarget"):
        planned(graph, 8, 8, 8, planMinimisationTarget="time")


def test_slices_of_a_plan_of_groups_are_as_many_of_each() -> None:
    rig = Rig(target=ipu(16))
    plan = popops.embeddingPlan(rig.graph, FLOAT, 3, 50, 8, [5])
    values = RNG.random((3, 50, 8)).astype(np.float32)
    offsets = np.array([[2, 7], [0, 3], [1, 49], [1, 0], [2, 2], [0, 0]], np.uint32)
    table, ones = rig.tensor(values), [1, 1]
    found = popops.multiSlice(
        rig.graph, table, rig.tensor(offsets), [0, 1], ones, rig.prog, plan
    ).reshape([6, 8])
    name = rig.result(found)
    np.testing.assert_array_equal(rig.run()[name], values[tuple(offsets.T)])
    refused = pytest.raises(errors.poplibs_exception, match="3 groups, and there are 4 slices")
    some = rig.tensor(offsets[:4])
    with refused:
        popops.multiSlice(rig.graph, table, some, [0, 1], ones, rig.prog, plan)
    with refused:
        popops.createSliceTensor(rig.graph, FLOAT, [3, 50, 8], [0, 1], ones, 4, plan)
    with refused:
        slices = rig.tensor(np.zeros((4, 1, 1, 8), np.float32))
        popops.multiUpdateMax(rig.graph, table, slices, some, [0, 1], ones, rig.prog, plan)


def test_a_graph_keeps_its_plans() -> None:
    """Twenty more of one plan take less than the first."""

    def seconds(lookups: int, times: int) -> float:
        begin = perf_counter()
        for _ in range(times):
            planned(graph, 50257, 1024, lookups)
        return perf_counter() - begin

    graph = poplar.Graph(ipu())
    first = seconds(8192, 1)
    assert seconds(8192, 20) < first
    assert planned(graph, 50257, 1024, 8192) != planned(graph, 50257, 1024, 64)
