"""Products of matrices against published measurements, and against the plan's own rules.

The measurements: [n, k] x [k, m] on one IPU, m = k, read off a figure to 3 % (graphcore-research,
sparsity-benchmarks, dense). The figure names no device and no type of partial sums: see
docs/machine_model.md for what was inferred from it.
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


def report(version, dtype, n, k, m, **options):
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, version))
    prog = poplar.program.Sequence()
    a = poplin.createMatMulInputLHS(graph, dtype, dtype, [n, k], [k, m], "a", options)
    b = poplin.createMatMulInputRHS(graph, dtype, dtype, [n, k], [k, m], "b", options)
    poplin.matMul(graph, a, b, prog, dtype, "product", options)
    return machine.programReport(graph, prog)


def ratios(kind):
    dtype = poplar.HALF if kind == "half" else poplar.FLOAT
    found = {}
    for (name, size), points in MEASURED.items():
        for n, tflops in points.items() if name == kind else ():
            cost = report("ipu21", dtype, n, size, size, partialsType=kind)
            found[size, n] = 2 * n * size * size / cost["cycles"] * cost["clockHz"] / 1e12 / tflops
    return found


@pytest.mark.parametrize("kind", ["half", "float"])
def test_products_take_as_long_as_measured(kind):
    found = ratios(kind)
    assert len(found) == (15 if kind == "half" else 13)
    assert all(0.7 <= ratio <= 1.4 for ratio in found.values()), found
    mean = math.exp(sum(map(math.log, found.values())) / len(found))
    assert 0.9 <= mean <= 1.1


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
    serial = found["serialRows"] * found["serialColumns"]
    assert rows * found["rowSplit"] * columns * found["columnSplit"] * serial >= n * m
    assert inner * found["innerSplit"] >= k
    if tiles == 1472:
        assert found["temporaryBytes"] <= 0.6 * 638976
    per_step = found["computeCycles"] + found["exchangeCycles"] + 400 * found["phases"]
    assert found["cycles"] == serial * per_step


def test_less_memory_makes_a_slower_plan_in_serial_steps():
    costs = [plan("ipu2", poplar.HALF, 4096, 4096, 4096, proportion=p) for p in (900, 300, 50)]
    assert all(
        c["temporaryBytes"] <= p * 638.976 for c, p in zip(costs, (900, 300, 50), strict=True)
    )
    assert costs[0]["cycles"] < costs[1]["cycles"] < costs[2]["cycles"]
    assert costs[2]["serialRows"] * costs[2]["serialColumns"] > 1


def test_with_no_memory_at_all_the_smallest_plan_is_taken():
    found = plan("ipu2", poplar.HALF, 256, 256, 256, proportion=0)
    usual = plan("ipu2", poplar.HALF, 256, 256, 256)
    assert 0 < found["temporaryBytes"] <= usual["temporaryBytes"]


def test_the_plan_follows_the_machine():
    """With a slow exchange less is fetched; with slow phases there are fewer of them."""
    size = (1024, 1024, 1024)
    usual = plan("ipu2", poplar.HALF, *size)
    alone = plan("ipu2", poplar.HALF, *size, tilesPerSharedExchangeBus=1)
    assert alone["exchangeCycles"] > usual["exchangeCycles"]
    assert plan("ipu2", poplar.HALF, *size, phaseCycles=100000)["phases"] < usual["phases"] + 1
    assert plan("ipu2", poplar.HALF, *size, phaseCycles=0)["cycles"] < usual["cycles"]


def test_a_tile_that_has_the_result_works_alone_where_that_is_cheapest():
    """Also in serial steps: a small product, whose temporary data may take nothing."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 4, "ipu2"))
    prog = poplar.program.Sequence()
    a, b = (graph.addVariable(poplar.FLOAT, [1, 1], name) for name in "ab")
    out = poplin.matMul(graph, a, b, prog, "product", {"availableMemoryProportion": "0"})
    for t in (a, b, out):
        graph.setTileMapping(t, 3)
    (row,) = machine.programReport(graph, prog)["operations"]
    assert (row["exchangeBytes"], row["exchangeCycles"], row["syncCycles"]) == (0, 0, 400)


def test_half_partials_are_cheaper_than_float_partials():
    assert (
        plan("ipu2", poplar.HALF, 256, 4096, 4096, bits=16)["cycles"]
        < plan("ipu2", poplar.HALF, 256, 4096, 4096, bits=32)["cycles"]
    )


def test_the_report_counts_what_the_plan_was_chosen_by():
    """Of operands that lie as the plan wants them, but for parts that are not quite equal."""
    for n, k, m in SIZES[1:]:
        cost, found = report("ipu2", poplar.FLOAT, n, k, m), plan("ipu2", poplar.FLOAT, n, k, m)
        serial = found["serialRows"] * found["serialColumns"]
        assert cost["computeCycles"] == serial * found["computeCycles"]
        assert cost["syncCycles"] == serial * found["phases"] * 400
        assert cost["cycles"] == pytest.approx(found["cycles"], rel=0.01)


@pytest.mark.parametrize(
    ("name", "sizes"), [("popops::Fill", [1] * 5), ("poplin::ConvPartialnx1", [1] * 4)]
)
def test_only_contractions_are_planned(name, sizes):
    ipu2 = poplar.Target.createIPUTarget(1, "ipu2")
    with pytest.raises(errors.poplar_exception, match=f"'{name}' with {len(sizes)} sizes given"):
        machine.planContraction(ipu2, name, poplar.FLOAT, sizes)
