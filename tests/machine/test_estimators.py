"""Estimators against values worked out by hand, and what must hold of all of them."""

import re

import pytest

from popir import errors, poplar
from popir._device import machine
from tests.toolchain import ROOT

IPU2 = poplar.Target.createIPUTarget(1, "ipu2")
FLOAT, HALF, INT = poplar.FLOAT, poplar.HALF, poplar.INT

OPS = re.findall(
    r"^  X\(\w+, (\w+), \w+\)", (ROOT / "cpp/include/popops/ExprOp.hpp").read_text(), re.MULTILINE
)
KINDS = re.findall(
    r"^    (\w+),?$",
    (ROOT / "cpp/include/poplar/Type.hpp").read_text().split("enum class Kind")[1].split("}")[0],
    re.MULTILINE,
)


def op(name: str) -> int:
    return OPS.index(name)


def cycles(vertex_class: str, dtype: poplar.Type, *sizes: int) -> int:
    return machine.estimateCycles(IPU2, vertex_class, dtype, list(sizes))


# Six workers; a vector is 2 floats or 4 halves. Of 1,000 elements a worker has ceil(1000/6) = 167:
# 84 vectors of floats, 42 of halves.
GOLDEN = [
    # 84 vectors, 1 cycle each and 2 to load and store: 11 + 6 (29 + 84*3)
    ("popops::BinaryOp1D", FLOAT, [1000, op("ADD")], 1697),
    # 11 + 6 (26 + 42*3)
    ("popops::BinaryOp1D", HALF, [1000, op("ADD")], 923),
    # 11 + 6 (58 + 84*3)
    ("popops::BinaryOp1DInPlace", FLOAT, [1000, op("ADD")], 1871),
    # 200 elements a worker, 9 cycles for 4: 11 + 6 (26 + 50*9)
    ("popops::BinaryOp1D", HALF, [1200, op("LESS_THAN")], 2867),
    # Integers: 7 cycles each, 100 a worker: 11 + 6 (26 + 700)
    ("popops::BinaryOp1D", INT, [600, op("ADD")], 4367),
    # 1 cycle and 1 to load and store: 11 + 6 (20 + 84*2)
    ("popops::BroadcastScalar1D", FLOAT, [1000, op("MULTIPLY")], 1139),
    # 3 cycles for 2: 11 + 9 + 6 (17 + 84*3)
    ("popops::UnaryOp1D", FLOAT, [1000, op("RELU")], 1634),
    # exp starts slower, 4 cycles for 4: 11 + 9 + 6 (33 + 42*4)
    ("popops::UnaryOp1D", HALF, [1000, op("EXPONENT")], 1226),
    # 100 a worker, 10 cycles for 2 in place: 11 + 9 + 6 (55 + 50*10)
    ("popops::UnaryOp1DInPlace", FLOAT, [600, op("TANH")], 3350),
    # 20 a worker, 5 cycles a vector and 4 to load and store: 11 + 9 + 6 (17 + 9*21 // 2)
    ("popops::UnaryOp1D", FLOAT, [120, op("SIGNUM")], 686),
    # 10 a worker, one by one, 1 cycle and 4: 11 + 9 + 6 (17 + 50)
    ("popops::UnaryOp1D", FLOAT, [60, op("ABSOLUTE")], 422),
    # 240 rows of 8, 40 a worker, down the columns: 19 + 6 (17 + 3 + 7 + 8 (8 + 2*40))
    ("popops::BroadcastVectorInner", FLOAT, [1920, op("ADD"), 8], 4405),
    # 12 rows of 64, 2 a worker, 2 cycles a vector: 11 + 6 (15 + 2 (7 + 2*65 // 2))
    ("popops::BroadcastVectorOuter", FLOAT, [768, op("ADD"), 64], 965),
    # x < 0 ? 0.1 x : x, one load and one store; of two floats: select 10 - 2, multiply 1, less
    # 7 - 2 cycles: 11 + 6 (25 + 84 (2 + 8 + 1 + 5))
    (
        "popops::MapExpr",
        FLOAT,
        [1000, 1, 1, 0, op("MULTIPLY"), 1, op("LESS_THAN"), 1, op("SELECT"), 1],
        8225,
    ),
    # 400 a worker, 2 cycles for 4, 2 checks for a rest: 12 + 6 (18 + 19 + 200 + 2)
    ("popops::Cast1D", FLOAT, [2400, KINDS.index("Float"), KINDS.index("Half")], 1446),
    # 200 a worker: 6 (23 + 100)
    ("popops::Fill", FLOAT, [1200], 738),
    # 100 vectors a worker: 11 + 21 + 7 + 12 + 6, and 6 (19 + 6 + 3*99)
    ("popops::ScaledAdd", FLOAT, [1200], 1989),
    # 10 slices a worker, 2 cycles for 2 elements of 64: 6 (30 + 10 (19 + 64))
    ("popops::MultiSlice", FLOAT, [60, 64], 5160),
    # One slice of 6 elements a worker: 6 (29 + 19 + 2*3)
    ("popops::MultiUpdate", HALF, [6, 6], 324),
    # Scaled and added, the first two halves in 13 cycles, 3 for more: 6 (37 + 13 + 3*2)
    ("popops::MultiUpdateAdd", HALF, [6, 6], 336),
    # 10 of 4 x 4 a worker, started by the supervisor: 7 + 6 (17 + 20 + 8*4 - 7)
    ("popops::Transpose", HALF, [60, 4, 4], 379),
    # Up to 4 of 4 x 4 are one worker's: 6 (17 + 20 + 4)
    ("popops::Transpose", HALF, [3, 4, 4], 246),
    # 2 of 16 x 16 a worker: 7 + 6 (29 + 2 (18 + 4 (12 + 4*2)) - 7)
    ("popops::Transpose", HALF, [12, 16, 16], 1315),
    # 2 of 32 x 16: 3 workers share each, 3 of its 8 steps of rows: 7 + 6 (29 + 18 + 3 (12 + 4*2))
    ("popops::Transpose", HALF, [2, 32, 16], 649),
    # 5 rows are in no steps of 4, one matrix a worker: 6 (15 + 8 + 4 (5 + 25 // 2))
    ("popops::Transpose", HALF, [6, 5, 4], 546),
    # Floats, 2 of 8 x 4 a worker, in twos: 6 (27 + 2 (11 + 4 (6 + 3)))
    ("popops::Transpose", FLOAT, [12, 8, 4], 726),
    # 3 columns, one by one: 6 (13 + 8 + 3 (5 + 2*4))
    ("popops::Transpose", FLOAT, [6, 4, 3], 360),
    # One sum of 1,000 floats side by side a worker: 6 (17 + 12 + 500)
    ("popops::Reduce", FLOAT, [6000, 6, 1000], 3174),
    # 12 columns are 6 vectors, one a worker, 500 deep: 6 (16 + 3 + 5 + 3 + 499)
    ("popops::Reduce", FLOAT, [6000, 12, 1], 3156),
    # 4 groups of 8 input channels, one of 16 output channels, 16 rows a worker. Weights load in
    # 16*8*4/8 = 64 cycles; a pass takes 46 + 8*13 = 150, the first also 2 + 8*16 to zero: 280.
    # All workers have as much: 14 more to wait for the last.
    # 50 + 13 + 3 (15 + 19 + 6 + 64 + 6*150 + 14) + 11 + 18 + 7 + 64 + 6*280 + 14
    ("poplin::ConvPartial1x1Out", FLOAT, [1, 96, 32, 16, 1], 4911),
    # 2 groups of 16. With sums of float 8 units, and 2 passes for 16 columns, whose weights load in
    # 8*16*2/8 = 32 cycles; a pass takes 38 + 4*13 - 7 = 83, the first, which zeroes nothing, 82.
    # 50 + 6 (7 + 3) + 13 + 15 + 19 + 2 (6 + 32 + 6*83 + 14) + 11 + 18 + 2 (7 + 32 + 6*82 + 14)
    ("poplin::ConvPartial1x1Out", HALF, [1, 96, 32, 16, 1], 2376),
    # The same with weights loaded 128 bits at a time: four times 16 cycles less.
    ("poplin::ConvPartial1x1Out", HALF, [1, 96, 32, 16, 1, 32, 600, 1], 2312),
    # 9 kernel elements, 10 rows a worker: 17 + 3 + 45 + 8*7 - 9 = 112 each; to zero
    # 6 (60*16/6/2 + 5):
    # 109 + 6 (9 + 9) + 18 + 1 + 16 + 14 + 14 + 9 (14 + 12 + 64 + 15 + 3 + 6*112 + 9) + 510
    ("poplin::ConvPartialnx1", FLOAT, [1, 60, 8, 16, 9], 7891),
    # 60 rows of 100, 10 a worker. Twice 6 (17 + 10 (12 + 50)) for the maximum and the sum;
    # twice 11 + 6 (15 + 10 (7 + 101)) to subtract and to multiply; exp 20 + 6 (55 + 3000); the
    # inverse of the sums 20 + 6 (55 + 30)
    ("popnn::Softmax", FLOAT, [60, 100], 39686),
    # 6 images of a row of 100, 2 groups of 16 channels, which are 4 vectors: a worker has a row. To
    # clear 2 (4 + 6*100*4/6 + 1), a row 15, each of 2 kernel elements 23 + 2*2 + 4, a vector of a
    # group 3 + 4 + 3*99: 7 + 6 + 6 (28 + 810 + 13 + 15 + 2*31 + 2*2*4*304)
    ("popnn::MaxPooling", HALF, [6, 32, 16, 0, 200, 100, 2, 2, 1, 1, 0], 34765),
    # 3 rows of 8 on 6 workers, half a row each; a group of 2 vectors: 5 + 24*2/6 to clear; 14 and
    # 15; each of 9 kernel elements 23 + 2, a vector 3 + 5 + 3*3:
    # 7 + 6 + 6 (28 + 13 + 14 + 15 + 9*25 + 9*2*17)
    ("popnn::SumPooling", FLOAT, [1, 4, 4, 0, 5, 3, 3, 1, 1, 1, 0, 10, 8, 3, 1, 1, 1, 0], 3619),
    # The gradient of 12 rows of 8, 2 rows a worker; in a row every second element is of one kernel
    # column: 5 + 96*2/6 to clear; 23; each of 9 kernel elements 2 (23 + 2), a vector 2 (3 + 7) and
    # 2*3*5: 7 + 6 + 6 (28 + 37 + 23 + 2*15 + 9*2*25 + 9*2*(20 + 30))
    (
        "popnn::MaxPoolingGradient",
        FLOAT,
        [1, 4, 4, 1, 12, 6, 3, 2, 1, 1, 1, 8, 4, 3, 2, 1, 1, 1],
        8821,
    ),
    # 34 elements a worker, 12 cycles and 7 for each of a window: 11 + 6 (30 + 34*75)
    ("popnn::MaxPoolingIndex", FLOAT, [200, 9], 15491),
    ("popnn::RoiPooling", FLOAT, [200, 9], 15491),
    # Twice the window: 11 + 6 (30 + 34*138)
    ("popnn::RoiPoolingGradient", FLOAT, [200, 9], 28343),
    # 2 lines of 100 a worker, 12 cycles and 7 for each element: 11 + 6 (26 + 2*712)
    ("popops::Scan", FLOAT, [12, 100], 8711),
    # 16 for each element: 11 + 6 (26 + 2*1612)
    ("popops::ScanProductGradient", FLOAT, [12, 100], 19511),
    # 12 rows of 100, the 5 largest, and all of them: 22 and 28 steps of PopLibs' network, whose
    # lists of comparisons were made and costed by its formulas outside of this project.
    ("popops::TopK", FLOAT, [12, 100, 5], 78580),
    ("popops::TopK", FLOAT, [12, 100, 100], 186772),
    # 4 + 22*6 + 4*1001 // 2
    ("poprand::Normal", FLOAT, [1000], 2138),
    # 288 for the call and 8 bytes a cycle
    ("poplar::Copy", FLOAT, [800], 100),
]


@pytest.mark.parametrize(
    ("vertex_class", "dtype", "sizes", "expected"),
    GOLDEN,
    ids=[f"{c}-{t.toString()}-{s}" for c, t, s, _ in GOLDEN],
)
def test_golden_values(vertex_class, dtype, sizes, expected):
    assert cycles(vertex_class, dtype, *sizes) == expected


@pytest.mark.parametrize(
    ("vertex_class", "sums"),
    [
        ("popnn::CTCAlpha", 2),
        ("popnn::CTCGradGivenAlpha", 5),
        ("popnn::CTCGenerateExtendCandidates", 2),
    ],
)
def test_ctc_takes_two_exponentials_and_a_logarithm_for_a_sum_of_probabilities(
    vertex_class: str, sums: int
) -> None:
    """Of 10 steps and 7 states."""
    unary = "popops::UnaryOp1D"
    expected = cycles(unary, FLOAT, 2 * sums * 70, op("EXPONENT"))
    expected += cycles(unary, FLOAT, sums * 70, op("LOGARITHM"))
    assert cycles(vertex_class, FLOAT, 10, 7) == expected


PACKINGS = ["None", "OneFiveTwo", "MinNorm", "MaxNorm", "Bfloat16", "NoDenormals", "Denormals"]


@pytest.mark.parametrize(
    ("vertex_class", "dtype", "halves", "bits", "packing", "expected"),
    [
        ("CastToGfloat", HALF, 1, 16, "None", 5 + 15 + 250 * (1 + 13 + 4 + 8 + 7 + 5 + 6)),
        ("CastToGfloat", FLOAT, 1, 16, "None", 5 + 15 + 250 * (1 + 7 + 4 + 8 + 7 + 5 + 6)),
        ("CastToGfloat", FLOAT, 0, 32, "None", 35 + 500 * (7 + 7 + 10 + 3)),
        ("CastToGfloat", FLOAT, 0, 16, "None", 35 + 11 + 500 * (7 + 7 + 10 + 5)),
        ("CastFromGfloat", HALF, 1, 8, "OneFiveTwo", 14 + 250 * 5),
        ("CastFromGfloat", HALF, 1, 8, "MinNorm", 14 + 250 * (8 + 15)),
        ("CastFromGfloat", HALF, 1, 8, "MaxNorm", 14 + 250 * (8 + 9)),
        ("CastFromGfloat", FLOAT, 0, 16, "Bfloat16", 25 + 500 * 3),
        ("CastFromGfloat", FLOAT, 0, 16, "NoDenormals", 25 + 500 * (9 + 15)),
        ("CastFromGfloat", FLOAT, 0, 16, "Denormals", 25 + 500 * (9 + 16)),
    ],
)
def test_casts_of_small_floats_take_the_steps_that_popfloat_counts(
    vertex_class: str, dtype: poplar.Type, halves: int, bits: int, packing: str, expected: int
) -> None:
    """Of 1,000 numbers, four halves or two floats at a time (popfloatCycleCount.hpp)."""
    to, name = vertex_class == "CastToGfloat", f"popfloat::{vertex_class}"
    sizes = [1000, to, halves, bits, PACKINGS.index(packing)]
    assert cycles(name, dtype, *sizes) == expected
    assert machine.sourceOfCycles(name, dtype, sizes) == "estimator"


@pytest.mark.parametrize(
    ("sizes", "more"),
    [([16, 0, 1], 3), ([16, 0, 2], 8), ([8, 1, 0], 9), ([16, 0, 0, 1], 0)],
    ids=["noise", "noise of a few bits", "packed", "in place"],
)
def test_casts_of_small_floats_that_popfloat_estimates_as_one_cycle(
    sizes: list[int], more: int
) -> None:
    """Guesses, by its steps for them: so many cycles more for four halves."""
    plain, given = [1000, 1, 1, 16], [1000, 1, 1, *sizes]
    name = "popfloat::CastToGfloat"
    start = 7 if sizes[0] == 8 else 0  # the result has another address
    assert cycles(name, HALF, *given) == cycles(name, HALF, *plain) + 250 * more + start
    assert machine.sourceOfCycles(name, HALF, given) == "guess"


def sizes_of(vertex_class: str, n: int) -> list[int]:
    """Sizes of a vertex that reads or writes at least n elements."""
    if vertex_class == "popops::Reduce":
        return [n, n // 16, 16]
    if "Conv" in vertex_class:
        return [1, n // 16, 16, 16, 1]
    if "Cast1D" in vertex_class:
        return [n, KINDS.index("Float"), KINDS.index("Half")]
    if vertex_class == "popops::MapExpr":
        return [n, 2, 1, 0, op("ADD"), 1]
    if vertex_class == "popops::Transpose":
        return [n // 48, 8, 8]
    if re.search("Softmax|Nll|Loss|ClassGather", vertex_class):
        return [n // 48, 48]
    if re.search("Scan|TopK", vertex_class):
        return [n // 48, 48]
    if vertex_class in ("popnn::MaxPooling", "popnn::SumPooling", "popnn::MaxPoolingGradient"):
        return [1, 16, 16, "Gradient" in vertex_class, *[n // 16, n // 16, 4, 1, 1, 1, 0]]
    if "Pooling" in vertex_class:
        return [n, 4]
    if "BroadcastVector" in vertex_class:
        return [n, op("ADD"), 48]
    if "UnaryOp1D" in vertex_class:
        return [n, op("SQUARE")]
    return [n, op("ADD")] if re.search("BinaryOp1D|BroadcastScalar", vertex_class) else [n]


# Whole grains: full vectors for every worker, and enough rows that the branch stays the same.
GRAINS = [48 * 16 * k for k in (4, 5, 6, 8, 16, 64, 256)]


@pytest.mark.parametrize("dtype", [FLOAT, HALF, INT, poplar.LONGLONG], ids=lambda t: t.toString())
@pytest.mark.parametrize("vertex_class", machine.vertexClasses())
def test_cycles_do_not_fall_when_work_grows_by_whole_grains(vertex_class, dtype):
    found = [cycles(vertex_class, dtype, *sizes_of(vertex_class, n)) for n in GRAINS]
    assert found == sorted(found)
    assert found[0] < found[-1]


@pytest.mark.parametrize("dtype", [FLOAT, HALF, INT], ids=lambda t: t.toString())
@pytest.mark.parametrize("vertex_class", machine.vertexClasses())
def test_no_vertex_is_faster_than_memory(vertex_class, dtype):
    """A tile moves at most 24 bytes a cycle: two loads and a store of 8 bytes."""
    inputs = {"Binary": 2, "MapExpr": 2, "ScaledAdd": 2, "aXPlusbY": 2, "Fill": 0, "poprand": 0}
    reads = next((n for part, n in inputs.items() if part in vertex_class), 1)
    for n in GRAINS:
        if vertex_class == "poplar::Copy":
            size = 2 * n  # sizes are bytes
        elif vertex_class == "popops::Reduce" or "Conv" in vertex_class:
            size = n * dtype.sizeInBytes()
        elif vertex_class == "popnn::Nll":
            size = n // 48 * dtype.sizeInBytes()  # of every sample, one element
        else:
            size = (reads + 1) * n * min(dtype.sizeInBytes(), 2 if "Cast" in vertex_class else 4)
        assert cycles(vertex_class, dtype, *sizes_of(vertex_class, n)) >= size / 24


@pytest.mark.parametrize(("dtype", "peak"), [(HALF, 64), (FLOAT, 16)], ids=["half", "float"])
@pytest.mark.parametrize("vertex_class", [c for c in machine.vertexClasses() if "Conv" in c])
@pytest.mark.parametrize("rows", [1, 6, 100, 5000])
@pytest.mark.parametrize("inner", [1, 16, 400])
@pytest.mark.parametrize("columns", [1, 16, 300])
def test_no_contraction_is_faster_than_the_units(vertex_class, dtype, peak, rows, inner, columns):
    for groups, kernel in [(1, 1), (1, 9), (64, 9)]:
        products = groups * rows * inner * columns * kernel
        assert cycles(vertex_class, dtype, groups, rows, inner, columns, kernel) >= products / peak


def test_a_large_contraction_comes_near_the_units_peak():
    products = 2400 * 1024 * 512
    assert (
        cycles("poplin::ConvPartial1x1Out", HALF, 1, 2400, 1024, 512, 1, 16) < 1.2 * products / 64
    )


def test_an_older_machine_has_half_the_units():
    ipu1 = poplar.Target.createIPUTarget(1, "ipu1")
    sizes = [1, 6000, 256, 256, 1, 16]
    older = machine.estimateCycles(ipu1, "poplin::ConvPartial1x1Out", HALF, sizes)
    newer = machine.estimateCycles(IPU2, "poplin::ConvPartial1x1Out", HALF, sizes)
    # A little less than twice: a row of fewer sums takes less to zero.
    assert 1.85 < older / newer < 2.1


def test_a_class_without_an_estimator_is_refused_by_name():
    with pytest.raises(errors.poplar_exception, match=r"'popops::Juggle'.*cpp/machine/estimators"):
        cycles("popops::Juggle", FLOAT, 10)


def test_a_list_of_sizes_stands_for_the_fields_of_the_class() -> None:
    """What is left out is as if nobody said it; what is too much is refused."""
    assert cycles("popops::Reduce", FLOAT, 6000, 6) == cycles(
        "popops::Reduce", FLOAT, 6000, 6, 1000
    )
    with pytest.raises(errors.poplar_exception, match=r"sizes\[1\] is 1000000000; the enumeration"):
        cycles("popops::BinaryOp1D", FLOAT, 600, 10**9)
    with pytest.raises(errors.poplar_exception, match=r"sizes has 2 numbers; the class takes 1"):
        cycles("popops::Fill", FLOAT, 600, 7)
    product = [2, 96, 32, 16, 9]
    for name in ("poplin::ConvPartial1x1Out", "poplin::ConvPartialnx1"):
        assert cycles(name, HALF, *product) == cycles(name, HALF, *product, 32, 600, 0)
    assert cycles(name, HALF, *product, 32) > cycles(name, HALF, *product, 16)
    plan = machine.planContraction(
        IPU2, "poplin::ConvPartial1x1Out", HALF, [1, 6, 32, 16, 1, 16, 300]
    )
    assert plan["part"][4:8] == [1, 16, 300, 0]


@pytest.mark.parametrize(
    ("at", "what"),
    [
        (1, "the batch"),
        (2, "the input of field dimension 0"),
        (3, "the output of field dimension 0"),
        (4, "the kernel of field dimension 0"),
        (5, "the stride of field dimension 0"),
        (6, "the dilation of field dimension 0"),
        (7, "the dilation of the input of field dimension 0"),
    ],
)
@pytest.mark.parametrize("which", [1, 2, 3], ids=["forward", "data", "weights"])
def test_a_convolution_without_a_size_is_refused(which: int, at: int, what: str) -> None:
    geometry = [which, 1, 4, 2, 3, 1, 1, 1, 0]
    sizes = [1, 4, 4, 4, 3, 32, 600, 0, 0, 1, 0, 0]
    name = "poplin::ConvPartialnx1"
    assert machine.planContraction(IPU2, name, FLOAT, sizes + geometry)["cycles"] > 0
    geometry[at] = 0
    with pytest.raises(errors.poplar_exception, match=f"{what} is 0, expected 1 or more"):
        machine.planContraction(IPU2, name, FLOAT, sizes + geometry)


def test_every_class_that_a_kernel_names_has_an_estimator():
    named = set()
    for path in (ROOT / "cpp" / "kernels").rglob("*"):
        if path.suffix in (".cpp", ".hpp", ".inc"):
            named |= set(re.findall(r'"(pop(?:ops|lin|nn|rand|lar)::\w+)"', path.read_text()))
    assert {"popops::BinaryOp1D", "popops::Fill", "poplin::ConvPartialnx1"} <= named
    assert named <= set(machine.vertexClasses())
