"""Plans of convolutions against those of PopLibs' own planner.

poplibs_plans.csv has convolutions of MobileNet, EfficientNet, ResNeXt and ResNet, the method that
PopLibs' planner chooses on an ipu2 of 1,472 tiles, how many groups, input and output channels lie
together, and the cycles that it says of the plan and of its vertices. The planner
(graphcore/poplibs, 7eac0f26) was compiled apart from this project, with the constraint solver that
an earlier release of it has. Sizes: batch, groups, channels of a group, and of each dimension of
the field the input, the kernel, the stride and the padding.
`python -m tests.machine.test_poplibs_plans` prints the comparison.
"""

import csv
import math
from pathlib import Path
from typing import Any, NamedTuple

from popir import poplar
from popir._device import machine

CLASSES = {
    "AMP": ("poplin::ConvPartial1x1Out", "poplin::ConvPartialnx1"),
    "SLIC": ("poplin::ConvPartial1xNSLIC",),
    "HMAC": ("poplin::ConvPartialHorizontalMac",),
    "VMAC": ("poplin::ConvPartialVerticalMac",),
    "OUTER_PRODUCT": ("poplin::OuterProduct",),
}
FORWARD, WEIGHTS = 1, 3  # ContractionWork::Pass


class Comparison(NamedTuple):
    what: str
    is_same_vertex: bool
    ratio: float  # cycles here over PopLibs'


def plan_of(row: dict[str, str]) -> dict[str, Any]:
    batch, groups, inner, columns, *field = map(int, row["sizes"].split())
    dims = []
    points = kernel = 1
    for size, taps, stride, padding in zip(*(field[i::4] for i in range(4)), strict=True):
        output = (size + 2 * padding - taps) // stride + 1
        dims += [size, output, taps, stride, 1, 1, padding]
        points, kernel = points * output, kernel * taps
    sizes = (
        [groups, batch * points, inner, columns, kernel]
        if row["pass"] == "forward"
        else [groups, inner * kernel, batch, columns, points]
    )
    sizes += [16 if row["partials"] == "half" else 32, 600, 0]
    sizes += [FORWARD if row["pass"] == "forward" else WEIGHTS, batch, *dims]
    kind = poplar.HALF if row["type"] == "half" else poplar.FLOAT
    target = poplar.Target.createIPUTarget(1, "ipu2")
    return machine.planContraction(target, "poplin::ConvPartialnx1", kind, sizes)


def comparisons() -> list[Comparison]:
    found = []
    with Path(__file__).with_name("poplibs_plans.csv").open() as file:
        for row in csv.DictReader(file):
            plan = plan_of(row)
            grains = tuple(int(row[name]) for name in ("groups", "inner", "columns"))
            found.append(
                Comparison(
                    " ".join(row.values()),
                    plan["vertexClass"] in CLASSES[row["method"]] and plan["grains"] == grains,
                    plan["comparedCycles"] / int(row["cycles"]),
                )
            )
    return found


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def test_most_plans_have_poplibs_vertex() -> None:
    found = comparisons()
    assert len(found) == 71
    others = [c.what for c in found if not c.is_same_vertex]
    assert len(others) <= 5, others
    assert not [what for what in others if " SLIC " in what], others


def test_plans_take_what_poplibs_says() -> None:
    found = comparisons()
    off = [(c.ratio, c.what) for c in found if not 0.9 <= c.ratio <= 1.14]
    assert len(off) <= 1, off
    assert 0.98 <= mean([c.ratio for c in found]) <= 1.02


if __name__ == "__main__":
    rows = comparisons()
    for each in rows:
        print(f"{each.ratio:5.2f} {'' if each.is_same_vertex else 'another vertex: '}{each.what}")
    print(
        f"{len(rows)} plans, {sum(c.is_same_vertex for c in rows)} of the same vertex, mean "
        f"{mean([c.ratio for c in rows]):.3f}"
    )
