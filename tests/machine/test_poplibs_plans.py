"""Plans of convolutions and of layers' products against those of PopLibs' own planner.

poplibs_plans.csv has convolutions of MobileNet, EfficientNet, ResNeXt and ResNet, the method that
PopLibs' planner chooses on an ipu2 of 1,472 tiles, how many groups, input and output channels lie
together, and the cycles that it says of the plan and of its vertices. The planner
(graphcore/poplibs, 7eac0f26) was compiled apart from this project, with the constraint solver that
an earlier release of it has. Sizes: batch, groups, channels of a group, and of each dimension of
the field the input, the kernel, the stride and the padding. Those in 8-bit floats are of an ipu21.

poplibs_layers.csv has the three passes of fully connected layers of forward products [m, k] x
[k, n]: whether PopLibs plans them together, and cycles as the plan that it chooses counts them.

poplibs_serial.csv has products and convolutions that are too large for a tile's memory: into how
many serial steps PopLibs divides output channels or input channels, its splits over tiles, bytes
of temporary data and cycles; of passes that it plans together their sum, and the most bytes.
`python -m tests.machine.test_poplibs_plans` prints the comparison.
"""

import csv
import functools
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
DEFAULTS = (0, 1, 0, 0)  # ContractionWork: layer, multiStageReduce, fastReduce, preArranged
# ContractionWork::Layer
TRAINING = {"TRAINING_FWD": 2, "TRAINING_BWD": 3, "TRAINING_WU": 4}
LAYER = {"NONE_MATMUL": 0, "INFERENCE_FWD": 1, **TRAINING}
TYPES = {"half": poplar.HALF, "float": poplar.FLOAT, "quarter": poplar.QUARTER}


class Comparison(NamedTuple):
    what: str
    is_same_vertex: bool
    ratio: float  # cycles here over PopLibs'


def plan_of(row: dict[str, str], layer: int = 0) -> dict[str, Any]:
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
    sizes += [
        16 if row["partials"] == "half" else 32,
        round(1000 * float(row.get("memory", "0.6"))),
        0,
    ]
    sizes += [layer, *DEFAULTS[1:]]
    sizes += [FORWARD if row["pass"] == "forward" else WEIGHTS, batch, *dims]
    kind = TYPES[row["type"]]
    target = poplar.Target.createIPUTarget(1, "ipu21" if kind == poplar.QUARTER else "ipu2")
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


def layer_plan(row: dict[str, str]) -> dict[str, Any]:
    m, k, n = (int(row[name]) for name in "mkn")
    sizes = {"TRAINING_BWD": [m, n, k], "TRAINING_WU": [k, m, n]}
    target = poplar.Target.createIPUTarget(1, "ipu2")
    bits = 16 if row["partials"] == "half" else 32
    memory = round(1000 * float(row["memory"]))
    work = [
        int(row["groups"]),
        *sizes.get(row["pass"], [m, k, n]),
        1,
        bits,
        memory,
        0,
        LAYER[row["pass"]],
    ]
    return machine.planContraction(target, "poplin::ConvPartial1x1Out", TYPES[row["type"]], work)


class Layer(NamedTuple):
    what: str
    is_same_plan: bool  # the same vertex, grouping and orientation
    joint: tuple[bool, bool]  # whether it is one plan of three passes: here, in PopLibs
    ratio: float


@functools.cache
def layers() -> list[Layer]:
    found = []
    with Path(__file__).with_name("poplibs_layers.csv").open() as file:
        for row in csv.DictReader(file):
            plan = layer_plan(row)
            grains = (1, int(row["inner"]), int(row["columns"]))
            is_same = (
                plan["vertexClass"] in CLASSES[row["method"]]
                and plan["grains"] == grains
                and plan["swapped"] == bool(int(row["swapped"]))
            )
            found.append(
                Layer(
                    " ".join(row.values()),
                    is_same,
                    (plan["joint"], bool(int(row["joint"]))),
                    plan["comparedCycles"] / int(row["cycles"]),
                )
            )
    return found


class Serial(NamedTuple):
    what: str
    is_same_division: bool  # as many steps, of the same channels
    is_same_split: bool  # over tiles, too
    ratio: float
    bytes_ratio: float


SPLITS = ("groupSplit", "rowSplit", "columnSplit", "innerSplit", "tapSplit")


def conv_plan(row: dict[str, str]) -> dict[str, Any]:
    kind = "weights" if row["pass"] == "TRAINING_WU" else "forward"
    layer = 0 if kind == "weights" else LAYER[row["pass"]]
    return plan_of({**row, "pass": kind}, layer)


@functools.cache
def serial() -> list[Serial]:
    found = []
    with Path(__file__).with_name("poplibs_serial.csv").open() as file:
        for row in csv.DictReader(file):
            if row["kind"] == "conv":
                plans = [conv_plan(row)]
            else:
                groups, m, k, n = map(int, row["sizes"].split())
                # Sizes are those of the pass; layer_plan() takes those of the forward product.
                if row["pass"] == "TRAINING_BWD":
                    k, n = n, k
                if row["pass"] == "TRAINING_WU":
                    m, k = k, m
                sizes = {"groups": str(groups), "m": str(m), "k": str(k), "n": str(n)}
                passes = list(TRAINING) if int(row["joint"]) else [row["pass"]]
                plans = [layer_plan({**row, **sizes, "pass": name}) for name in passes]
            plan = plans[0]
            steps = ("serialColumns", "serialInner")
            found.append(
                Serial(
                    " ".join(row.values()),
                    all(plan[name] == int(row[name]) for name in steps),
                    all(plan[name] == int(row[name]) for name in (*steps, *SPLITS)),
                    sum(each["comparedCycles"] for each in plans) / int(row["cycles"]),
                    max(each["temporaryBytes"] for each in plans) / int(row["bytes"]),
                )
            )
    return found


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def test_most_plans_have_poplibs_vertex() -> None:
    found = comparisons()
    assert len(found) == 87
    others = [c.what for c in found if not c.is_same_vertex]
    assert len(others) <= 5, others
    assert not [what for what in others if " SLIC " in what], others


def test_plans_take_what_poplibs_says() -> None:
    found = comparisons()
    off = [(c.ratio, c.what) for c in found if not 0.9 <= c.ratio <= 1.14]
    assert len(off) <= 1, off
    assert 0.98 <= mean([c.ratio for c in found]) <= 1.02


def test_passes_of_a_layer_are_planned_together_where_poplibs_does() -> None:
    found = layers()
    assert len(found) == 168 and sum(each.joint[1] for each in found) == 39
    others = [each.what for each in found if each.joint[0] != each.joint[1]]
    assert len(others) <= 3, others
    others = [each.what for each in found if not each.is_same_plan]
    assert len(others) <= 20, others


def test_plans_of_layers_take_what_poplibs_says() -> None:
    found = layers()
    off = [(each.ratio, each.what) for each in found if not 0.8 <= each.ratio <= 1.3]
    assert len(off) <= 3, off
    assert 0.98 <= mean([each.ratio for each in found]) <= 1.02


def test_serial_steps_are_those_of_poplibs() -> None:
    """62 of 63 divide the same channels into as many steps; the other one's cycles are 1.04."""
    found = serial()
    assert len(found) == 63
    assert sum(each.is_same_division for each in found) >= 62
    assert sum(each.is_same_split for each in found) >= 50
    off = [(each.ratio, each.what) for each in found if not 0.99 <= each.ratio <= 1.08]
    assert not off, off
    assert 0.995 <= mean([each.ratio for each in found]) <= 1.01
    assert 0.98 <= mean([each.bytes_ratio for each in found]) <= 1.02


def test_each_weight_of_a_joint_plan_stays_on_its_tile() -> None:
    """Parts of the weights [k, n] are the same in all passes, and tiles have one each."""
    row = {"type": "half", "partials": "half", "memory": "0.6", "groups": "1"}
    row |= {"m": "4", "k": "4096", "n": "4096"}
    forward, backward, update = (layer_plan({**row, "pass": name}) for name in TRAINING)
    assert forward["joint"] and backward["joint"] and update["joint"]
    k, n = forward["innerSplit"], forward["rowSplit"]
    assert forward["columnSplit"] == backward["columnSplit"] == update["innerSplit"] == 1
    assert (backward["rowSplit"], backward["innerSplit"]) == (k, n)
    assert (update["columnSplit"], update["rowSplit"]) == (k, n)
    inner, rows = forward["part"][2], forward["part"][1]
    assert (backward["part"][1], backward["part"][2]) == (inner, rows)
    assert (update["part"][3], update["part"][1]) == (inner, rows)


def show() -> None:
    """Prints the comparison."""
    rows = comparisons()
    for each in rows:
        print(f"{each.ratio:5.2f} {'' if each.is_same_vertex else 'another vertex: '}{each.what}")
    print(
        f"{len(rows)} plans, {sum(c.is_same_vertex for c in rows)} of the same vertex, mean "
        f"{mean([c.ratio for c in rows]):.3f}"
    )
    steps = serial()
    for large in steps:
        other = "" if large.is_same_split else "another split: "
        print(f"{large.ratio:5.3f} {large.bytes_ratio:5.3f} {other}{large.what}")
    print(
        f"{len(steps)} in serial steps, {sum(s.is_same_division for s in steps)} in the same, "
        f"{sum(s.is_same_split for s in steps)} of the same split, cycles "
        f"{mean([s.ratio for s in steps]):.3f}, bytes {mean([s.bytes_ratio for s in steps]):.3f}"
    )
    passes = layers()
    for one in passes:
        print(f"{one.ratio:5.2f} {'' if one.is_same_plan else 'another plan: '}{one.what}")
    print(
        f"{len(passes)} passes of layers, {sum(p.is_same_plan for p in passes)} of the same plan, "
        f"{sum(p.joint[0] == p.joint[1] for p in passes)} planned together or not as PopLibs', "
        f"mean {mean([p.ratio for p in passes]):.3f}"
    )


if __name__ == "__main__":
    show()
