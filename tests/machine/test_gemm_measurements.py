"""Products of matrices against published measurements, and against the plan's own rules.

The measurements: [m, k] x [k, n] on one IPU, m = k, read off a figure to 3 % (graphcore-research,
sparsity-benchmarks, dense). Its program counts the cycles of exchanges and compute sets, no syncs.
The figure names no device and no type of partial sums: see docs/machine_model.md for what was
inferred from it.
"""

import math

import pytest

from popir import errors, poplar
from popir._device import machine, poplin

# (type, m = k): {n: TFLOPS}
MEASURED = {
    ("half", 1024): {
        4: 6.1,
        16: 20.5,
        64: 45.8,
        256: 89.6,
        1024: 120,
        2048: 153,
        4096: 180,
        8192: 206,
        16384: 223,
    },
    ("half", 4096): {4: 18.4, 16: 61.5, 64: 130, 256: 175, 1024: 210, 2048: 226},
    ("float", 1024): {4: 3.7, 16: 11.0, 64: 21.0, 256: 34.1, 1024: 43.4, 4096: 55.3, 16384: 58.3},
    ("float", 4096): {4: 7.0, 16: 22.2, 64: 41.1, 256: 52.4, 1024: 55.3, 4096: 58.3},
}


# The last point of each line of the figure for float, m = k: n. Products of these sizes ran.
LARGEST = {1024: 32768, 2048: 8192, 4096: 4096, 8192: 1024}


def report(version, dtype, m, k, n, figures=None, **options):
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, version, figures or {}))
    prog = poplar.program.Sequence()
    a = poplin.createMatMulInputLHS(graph, dtype, dtype, [m, k], [k, n], "a", options)
    b = poplin.createMatMulInputRHS(graph, dtype, dtype, [m, k], [k, n], "b", options)
    poplin.matMul(graph, a, b, prog, dtype, "product", options)
    return machine.programReport(graph, prog)


def over_measured(kind: str, size: int) -> dict[int, float]:
    """The model's TFLOPS over those measured, by n."""
    dtype = poplar.HALF if kind == "half" else poplar.FLOAT
    ratios = {}
    for n, tflops in MEASURED[kind, size].items():
        cost = report("ipu21", dtype, size, size, n, {"maxIPUSyncDelay": "0"}, partialsType=kind)
        ratios[n] = 2 * n * size * size / cost["cycles"] * cost["clockHz"] / 1e12 / tflops
    return ratios


@pytest.mark.parametrize(("kind", "size"), MEASURED)
def test_products_take_as_long_as_measured(kind, size):
    ratios = over_measured(kind, size)
    assert all(0.85 <= ratio <= 1.15 for ratio in ratios.values()), ratios
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    assert 0.95 <= round(mean, 2) <= 1.05, mean


@pytest.mark.parametrize(("size", "n"), LARGEST.items())
def test_what_was_measured_fits_one_ipu(size: int, n: int) -> None:
    """Operands, result and temporary data of the default plan, which takes 0.6 of a tile."""
    cost = report("ipu21", poplar.FLOAT, size, size, n)
    assert cost["tilesOutOfMemory"] == 0
    matrices = 4 * (size * size + 2 * size * n) / 1472
    assert matrices < cost["maxTileBytes"] < cost["bytesPerTile"] == 638976


def test_halves_with_sums_of_float_take_half_of_the_units():
    """PopLibs has vertices of 16 units for halves with sums of half, of 8 with sums of float. The
    measured rate is beyond what 8 units can do."""
    peak = 2 * 1472 * 8 * 4 * 1.85e9 / 1e12
    assert max(MEASURED["half", 1024].values()) > peak
    cost = report("ipu21", poplar.HALF, 1024, 1024, 16384, partialsType="float")
    assert 2 * 16384 * 1024 * 1024 / cost["cycles"] * cost["clockHz"] / 1e12 < peak


def plan(version, kind, n, k, m, tiles=1472, proportion=600, bits=32, **figures):
    figures = {name: str(value) for name, value in figures.items()}
    target = poplar.Target.createIPUTarget(1, tiles, version, figures)
    sizes = [1, n, k, m, 1, bits, proportion]
    return machine.planContraction(target, "poplin::ConvPartial1x1Out", kind, sizes)


SIZES = [(1, 1, 1), (4, 1024, 1024), (1000, 700, 33), (64, 4096, 4096), (16384, 1024, 1024)]


@pytest.mark.parametrize("kind", [poplar.HALF, poplar.FLOAT], ids=["half", "float"])
@pytest.mark.parametrize(("n", "k", "m"), SIZES)
@pytest.mark.parametrize("tiles", [1, 7, 1472])
def test_a_plan_does_all_of_the_work_with_the_tiles_there_are(kind, n, k, m, tiles):
    found = plan("ipu2", kind, n, k, m, tiles)
    _, rows, inner, columns, *_ = found["part"]
    assert found["tiles"] <= tiles
    if found["swapped"]:
        n, m = m, n
    serial = found["serialInner"] * found["serialColumns"]
    assert min(found["serialInner"], found["serialColumns"]) == 1
    columns *= found["columnSplit"] * found["serialColumns"]
    assert rows * found["rowSplit"] * columns >= n * m
    assert inner * found["innerSplit"] * found["serialInner"] >= k
    if tiles == 1472:
        assert found["temporaryBytes"] <= 0.6 * 638976
    per_step = found["computeCycles"] + found["exchangeCycles"]
    per_step += 126 * found["syncs"] + 288 * found["calls"]
    once = found["onceExchangeCycles"] + found["onceComputeCycles"]
    # Once: an exchange of rows that are the same in all steps, a copy to their layout, and the
    # conversion of what steps add up.
    before = {126 * syncs + 288 * calls for syncs in range(3) for calls in range(3)}
    assert found["cycles"] - serial * per_step - once in (before if serial > 1 else {0})


def test_less_memory_makes_a_slower_plan_in_serial_steps():
    costs = [plan("ipu2", poplar.HALF, 4096, 4096, 4096, proportion=p) for p in (900, 300, 100)]
    assert all(
        c["temporaryBytes"] <= p * 638.976 for c, p in zip(costs, (900, 300, 100), strict=True)
    )
    assert costs[0]["cycles"] < costs[1]["cycles"] < costs[2]["cycles"]
    assert costs[2]["serialInner"] * costs[2]["serialColumns"] > 1


def test_where_nothing_fits_twice_as_much_memory_may_be_taken():
    """As PopLibs' planner, which has the same splits, cycles and bytes for this product."""
    found = plan("ipu2", poplar.HALF, 4096, 4096, 4096, proportion=50)
    assert found == plan("ipu2", poplar.HALF, 4096, 4096, 4096, proportion=100) | {
        "part": found["part"]
    }
    assert 0.05 * 638976 < found["temporaryBytes"] == 61376
    assert (found["comparedCycles"], found["serialColumns"]) == (2880048, 128)


def test_with_no_memory_at_all_the_smallest_plan_is_taken():
    found = plan("ipu2", poplar.HALF, 256, 256, 256, proportion=0)
    usual = plan("ipu2", poplar.HALF, 256, 256, 256)
    assert 0 < found["temporaryBytes"] <= usual["temporaryBytes"]


def test_the_plan_follows_the_machine():
    """A bus of one tile takes longer. Like PopLibs' planner this one weighs no syncs and calls."""
    size = (1024, 1024, 1024)
    usual = plan("ipu2", poplar.HALF, *size)
    alone = plan("ipu2", poplar.HALF, *size, tilesPerSharedExchangeBus=1)
    assert alone["exchangeCycles"] > usual["exchangeCycles"]
    free = plan("ipu2", poplar.HALF, *size, callCycles=0, maxIPUSyncDelay=0)
    assert free["cycles"] == usual["cycles"] - 126 * usual["syncs"] - 288 * usual["calls"]


def test_a_tile_that_has_the_result_works_alone_where_that_is_cheapest():
    """Also in serial steps: a small product, whose temporary data may take nothing."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 4, "ipu2"))
    prog = poplar.program.Sequence()
    a, b = (graph.addVariable(poplar.FLOAT, [1, 1], name) for name in "ab")
    out = poplin.matMul(graph, a, b, prog, "product", {"availableMemoryProportion": "0"})
    for t in (a, b, out):
        graph.setTileMapping(t, 3)
    (row,) = machine.programReport(graph, prog)["operations"]
    assert (row["exchangeBytes"], row["exchangeCycles"]) == (0, 0)


def test_half_partials_are_cheaper_than_float_partials():
    assert (
        plan("ipu2", poplar.HALF, 256, 4096, 4096, bits=16)["cycles"]
        < plan("ipu2", poplar.HALF, 256, 4096, 4096, bits=32)["cycles"]
    )


def test_the_report_counts_what_the_plan_was_chosen_by():
    """Of operands that lie as the plan wants them, but for parts that are not quite equal."""
    for n, k, m in SIZES[1:]:
        cost, found = report("ipu2", poplar.FLOAT, n, k, m), plan("ipu2", poplar.FLOAT, n, k, m)
        serial = found["serialInner"] * found["serialColumns"]
        assert cost["computeCycles"] == serial * found["computeCycles"]
        syncs = 126 * (serial * found["syncs"] + (found["onceExchangeCycles"] > 0))
        assert cost["syncCycles"] == syncs + 288 * serial * found["calls"]
        assert cost["cycles"] == pytest.approx(found["cycles"], rel=0.03)


@pytest.mark.parametrize(("kind", "memory"), [(poplar.FLOAT, 200), (poplar.HALF, 100)])
def test_the_report_counts_steps_of_inner_elements(kind, memory):
    """Steps add up their results; the whole of it is then converted or regrouped, in one call."""
    found = plan("ipu2", kind, 512, 8192, 8192, proportion=memory)
    cost = report("ipu2", kind, 512, 8192, 8192, availableMemoryProportion=str(memory / 1000))
    steps = found["serialInner"]
    assert steps > 1
    assert cost["computeCycles"] == steps * found["computeCycles"] + found["onceComputeCycles"]
    assert cost["syncCycles"] == steps * (126 * found["syncs"] + 288 * found["calls"]) + 288
    assert cost["cycles"] == pytest.approx(found["cycles"], rel=0.03)


@pytest.mark.parametrize(
    ("name", "sizes"), [("popops::Fill", [1] * 5), ("poplin::ConvPartialnx1", [1] * 4)]
)
def test_only_contractions_are_planned(name, sizes):
    ipu2 = poplar.Target.createIPUTarget(1, "ipu2")
    with pytest.raises(errors.poplar_exception, match=f"'{name}' with {len(sizes)} sizes given"):
        machine.planContraction(ipu2, name, poplar.FLOAT, sizes)


def show() -> None:
    """Prints the comparison."""
    print(f"{'type':<6} {'m = k':>6} {'n':>6} {'measured':>9} {'over it':>8}")
    for kind, size in MEASURED:
        for n, ratio in over_measured(kind, size).items():
            print(f"{kind:<6} {size:>6} {n:>6} {MEASURED[kind, size][n]:>9} {ratio:>8.2f}")


if __name__ == "__main__":
    show()
