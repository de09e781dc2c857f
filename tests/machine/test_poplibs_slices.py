"""Plans of slices against those of PopLibs' own planner.

poplibs_slices.csv has tables of embeddings and of random sizes, the options of
popops::embedding::plan, and what PopLibs' planner chooses: its splits, the first tile, and the
cycles and the bytes of temporary data that it says of a read and of an update. The planner
(graphcore/poplibs, 7eac0f26) was compiled apart from this project, with the constraint solver that
an earlier release of it has. poplibs_slices_memory.csv has what it minimises with the target
memory, an option of releases up to 2.3 (f5100479): the goal of that one, of the newest one's
estimates, and of bytes of slices and offsets as that one has them.
`python -m tests.machine.test_poplibs_slices` prints the comparison.
"""

import csv
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from popir import errors, poplar
from popir._device import machine

TYPES = {"half": poplar.HALF, "float": poplar.FLOAT, "uint": poplar.UNSIGNED_INT}
SPLITS = {
    "precopy": "precopy",
    "serial": "serial",
    "lookups": "lookupSplit",
    "entries": "entrySplit",
    "columns": "columnSplit",
    "groups": "groupSplit",
    "grain": "grain",
}
"""Fields of a plan, and the columns that have them."""


class Comparison(NamedTuple):
    what: str
    is_same_plan: bool
    is_same_tile: bool
    cycles: tuple[int, int]  # here, in PopLibs
    is_same_memory: bool


def comparisons() -> list[Comparison]:
    found = []
    with Path(__file__).with_name("poplibs_slices.csv").open() as file:
        for row in csv.DictReader(file):
            plan = plan_of(row)
            said = {name: int(value) for name, value in row.items() if value.isdigit()}
            found.append(
                Comparison(
                    " ".join(row.values()),
                    all(plan[ours] == said[theirs] for ours, theirs in SPLITS.items()),
                    plan["first"] == said["first"],
                    (
                        plan["readCycles"] + plan["updateCycles"],
                        said["readCycles"] + said["updateCycles"],
                    ),
                    (plan["readBytes"], plan["updateBytes"])
                    == (said["readBytes"], said["updateBytes"]),
                )
            )
    return found


def plan_of(row: dict[str, str]) -> dict[str, Any]:
    target = poplar.Target.createIPUTarget(1, row["target"])
    sizes = [int(row[name]) for name in ("groups", "entries", "size", "lookups")]
    options = dict(each.split("=") for each in row["options"].split())
    return machine.planSlices(target, TYPES[row["type"]], sizes, options)


def test_each_plan_takes_what_poplibs_says() -> None:
    found = comparisons()
    assert len(found) == 400
    off = [(each.cycles, each.what) for each in found if each.cycles[0] != each.cycles[1]]
    assert not off, off


def test_plans_are_those_of_poplibs_but_for_ties() -> None:
    found = comparisons()
    others = [each.what for each in found if not each.is_same_plan]
    assert len(others) <= 13, others
    same = [each for each in found if each.is_same_plan]
    assert all(each.is_same_memory for each in same)
    assert all(each.is_same_tile for each in same)


def test_plans_of_the_least_memory_are_poplibs() -> None:
    """By the sum that PopLibs minimises: what stays on a tile ten times, and what is temporary."""
    found = []
    with Path(__file__).with_name("poplibs_slices_memory.csv").open() as file:
        for row in csv.DictReader(file):
            plan = plan_of({**row, "options": row["options"] + " planMinimisationTarget=memory"})
            found.append((plan["memory"], int(row["memory"]), " ".join(row.values())))
    assert len(found) == 100
    off = [each for each in found if each[0] != each[1]]
    assert not off, off


@pytest.mark.parametrize("sizes", [[], [1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4, 5]])
def test_other_sizes_are_refused(sizes: list[int]) -> None:
    target = poplar.Target.createIPUTarget(1, "ipu2")
    with pytest.raises(errors.poplar_exception, match=f"{len(sizes)} sizes given, expected 4"):
        machine.planSlices(target, poplar.FLOAT, sizes)


def show() -> None:
    """Prints the comparison."""
    found = comparisons()
    for each in found:
        if not each.is_same_plan:
            print(
                f"another plan, {each.cycles[0]} cycles, {each.cycles[1]} in PopLibs: {each.what}"
            )
    print(
        f"{len(found)} plans, {sum(each.is_same_plan for each in found)} the same, "
        f"{sum(each.cycles[0] == each.cycles[1] for each in found)} of the same cycles"
    )


if __name__ == "__main__":
    show()
