"""Estimators against those of PopLibs, at about 200 random sizes of each class.

poplibs_cycles.csv has the class, the type, the sizes as an estimator here takes them, and the
cycles of a tile that PopLibs' own estimator says of them. It was made by compiling PopLibs'
estimators (graphcore/poplibs, 7eac0f26) apart from this project, for ipu2, of 8-bit floats for
ipu21. Of
Uniform and Bernoulli numbers PopLibs' formulas have 32 floats or 16 halves at a time, more than a
tile can store: they were compiled with the vectors of Normal, which the loops of PopLibs' assembly
store; Uniform integers are as published, of a range that is not all of 32 bits. Histograms have the
cheaper one of PopLibs' two vertices. Of
reductions each worker has a sixth of the results: 200 of rows, 200 of columns, 200 logical ones,
and 200 of elements that do not lie together, or of products. Poolings are parts of a tile, by
PopLibs' estimate for plans, whose parts meet no padding. Transpositions have the formulas of
PopLibs 2.4 (sdk-release-2.4), the last release with any, for the vertices that the newest one
chooses; those of matrices that several workers share have none. Element-wise operators of integers
and booleans have four sizes for each operator and type that PopLibs has, casts to 64 bits and of
quarters eight. Updates have a number for their scale (SliceScale), activations one for what they
are (Activation), in workload/work.hpp.
`python -m tests.machine.test_poplibs_estimators` prints the comparison.
"""

import csv
import math
import re
from collections import defaultdict
from pathlib import Path

from popir import poplar
from popir._device import machine
from tests.machine.test_estimators import KINDS, op
from tests.toolchain import ROOT

WIDE = (poplar.FLOAT, poplar.HALF, poplar.INT, poplar.UNSIGNED_INT)
BYTES = (poplar.BOOL, poplar.CHAR, poplar.SIGNED_CHAR, poplar.UNSIGNED_CHAR, poplar.QUARTER)
OTHERS = (poplar.SHORT, poplar.UNSIGNED_SHORT, poplar.LONGLONG, poplar.UNSIGNED_LONGLONG)
TYPES = {dtype.toString(): dtype for dtype in (*WIDE, *BYTES, *OTHERS)}
REDUCTIONS = re.findall(
    r"^  ([A-Z_]+)", (ROOT / "cpp/include/popops/OperationDef.hpp").read_text(), re.MULTILINE
)


def size(vertex_class: str, word: str) -> int:
    """A number, an element type or an operator, as estimators take it."""
    if word.isdigit():
        return int(word)
    if vertex_class == "popops::Reduce":
        return REDUCTIONS.index(word)
    return KINDS.index(word) if word in KINDS else op(word)


def ratios() -> dict[str, list[tuple[float, str]]]:
    """By class: the cycles said here over PopLibs' cycles, and of what."""
    ipu2, ipu21 = (poplar.Target.createIPUTarget(1, name) for name in ("ipu2", "ipu21"))
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with Path(__file__).with_name("poplibs_cycles.csv").open() as file:
        for row in csv.DictReader(file):
            sizes = [size(row["class"], word) for word in row["sizes"].split()]
            dtype = TYPES[row["type"]]
            assert machine.sourceOfCycles(row["class"], dtype, sizes) == "estimator"
            target = ipu21 if dtype == poplar.QUARTER else ipu2
            ours = machine.estimateCycles(target, row["class"], dtype, sizes)
            what = f"{row['type']} {row['sizes']}"
            found[row["class"]].append((ours / int(row["cycles"]), what))
    return found


def test_every_estimate_is_within_three_percent() -> None:
    found = ratios()
    assert len(found) == 47 and all(len(rows) >= 175 for rows in found.values())
    for name, rows in found.items():
        off = [(ratio, what) for ratio, what in rows if not 0.97 <= ratio <= 1.03]
        assert not off, (name, off[:5])


def show() -> None:
    """Prints the comparison."""
    print(f"{'class':<36} {'sizes':>5} {'mean':>6} {'least':>6} {'most':>6}")
    for name, rows in ratios().items():
        values = [ratio for ratio, _ in rows]
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{name:<36} {len(rows):>5} {mean:>6.3f} {min(values):>6.3f} {max(values):>6.3f}")


if __name__ == "__main__":
    show()
