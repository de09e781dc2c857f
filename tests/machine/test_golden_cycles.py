"""Estimators against values worked out by hand, the working beside each.

Six workers take turns, so a worker's cycle is six of the tile's. A vector is 2 floats or 4 halves.
Of 1,000 elements a worker has ceil(1000/6) = 167: 84 vectors of floats, 42 of halves. Of 1,200 it
has 200: 100 vectors of floats, 50 of halves. The formulas are those of the sources that
docs/machine_model.md names.
"""

import pytest

from popir import poplar
from tests.machine.test_estimators import FLOAT, HALF, INT, KINDS, cycles, op

KIND = {name: KINDS.index(name) for name in ("Float", "Half", "Int", "UnsignedChar", "Quarter")}
GELU = "GELU_ERF"

# Supervisor 11; a worker 29 (float), 26 (half) or, in place, 58; a natural operator has 1 a vector
# and 2 to load and store in assembly (add, subtract, multiply).
BINARY = [
    ("BinaryOp1D", FLOAT, "ADD", 1000, 1697),  # 11 + 6 (29 + 84*3)
    ("BinaryOp1D", HALF, "ADD", 1000, 923),  # 11 + 6 (26 + 42*3)
    ("BinaryOp1DInPlace", FLOAT, "ADD", 1000, 1871),  # 11 + 6 (58 + 84*3)
    ("BinaryOp1DInPlace", HALF, "ADD", 1000, 1115),  # 11 + 6 (58 + 42*3)
    ("BinaryOp1D", FLOAT, "MULTIPLY", 1, 203),  # one vector: 11 + 6 (29 + 3)
    ("BinaryOp1D", FLOAT, "DIVIDE", 1200, 6185),  # 10 for 2: 11 + 6 (29 + 100*10)
    ("BinaryOp1D", HALF, "DIVIDE", 1200, 6467),  # 21 for 4: 11 + 6 (26 + 50*21)
    ("BinaryOp1D", FLOAT, "MAXIMUM", 1200, 1985),  # 3 for 2: 11 + 6 (29 + 100*3)
    ("BinaryOp1DInPlace", FLOAT, "MAXIMUM", 1200, 2759),  # 4 for 2: 11 + 6 (58 + 100*4)
    ("BinaryOp1D", FLOAT, "EQUAL", 1200, 4385),  # 14 for 4: 11 + 6 (29 + 50*14)
    ("BinaryOp1D", FLOAT, "NOT_EQUAL", 1200, 6185),  # 20 for 4: 11 + 6 (29 + 50*20)
    ("BinaryOp1D", FLOAT, "POWER", 60, 18905),  # 10 a worker, 312 each: 11 + 6 (29 + 3120)
    ("BinaryOp1D", HALF, "ATAN2", 1200, 173567),  # 578 for 4: 11 + 6 (26 + 50*578)
    ("BinaryOp1D", INT, "MULTIPLY", 600, 4367),  # 7 each: 11 + 6 (26 + 100*7)
    # Second operand one element: a worker 20; 1 less to load.
    ("BroadcastScalar1D", FLOAT, "ADD", 1000, 1139),  # 11 + 6 (20 + 84*2)
    ("BroadcastScalar1D", HALF, "ADD", 1000, 635),  # 11 + 6 (20 + 42*2)
    ("BroadcastScalar1DInPlace", FLOAT, "DIVIDE", 1200, 3731),  # 6 for 2: 11 + 6 (20 + 600)
    ("BroadcastScalar1D", HALF, "DIVIDE", 1200, 4931),  # 8 for 2: 11 + 6 (20 + 100*8)
    ("BroadcastScalar1D", HALF, "EQUAL", 1200, 2531),  # 8 for 4: 11 + 6 (20 + 50*8)
    ("BroadcastScalar1D", INT, "ADD", 600, 3731),  # 6 each: 11 + 6 (20 + 100*6)
]

# Supervisor 11 + 9; a worker 17 (exp 33) or, in place, 55.
UNARY = [
    ("UnaryOp1D", FLOAT, "EXPONENT", 1000, 3242),  # 6 for 2: 20 + 6 (33 + 84*6)
    ("UnaryOp1D", FLOAT, "LOGARITHM", 1200, 7322),  # 12 for 2: 20 + 6 (17 + 100*12)
    ("UnaryOp1DInPlace", FLOAT, "LOGARITHM", 1200, 8750),  # 14 for 2: 20 + 6 (55 + 1400)
    ("UnaryOp1D", HALF, "SIGMOID", 1200, 1922),  # 6 for 4: 20 + 6 (17 + 50*6)
    ("UnaryOp1DInPlace", HALF, "TANH", 1200, 950),  # 2 for 4: 20 + 6 (55 + 50*2)
    ("UnaryOp1DInPlace", FLOAT, "RELU", 1200, 1550),  # 2 for 2: 20 + 6 (55 + 100*2)
    ("UnaryOp1D", HALF, "RSQRT", 1200, 5822),  # 19 for 4: 20 + 6 (17 + 50*19)
    ("UnaryOp1D", FLOAT, "ERF", 600, 24722),  # 41 each: 20 + 6 (17 + 100*41)
    ("UnaryOp1D", HALF, GELU, 600, 9722),  # 16 each: 20 + 6 (17 + 100*16)
    ("UnaryOp1D", FLOAT, "FLOOR", 1200, 3740),  # a vector 2 and 4: 20 + 6 (17 + 6*201 // 2)
    ("UnaryOp1D", HALF, "CBRT", 1200, 6512),  # a vector 17 and 4: 20 + 6 (17 + 21*203 // 4)
    ("UnaryOp1D", FLOAT, "SIN", 6, 13946),  # one each, 2300 and 4: 20 + 6 (17 + 2304)
]

ROWS = [
    # By row, 4 a worker of 2*16 halves, 8 vectors: 7 to start, 1 + 1 each:
    # 11 + 6 (15 + 4 (7 + 2*35 // 4))
    ("popops::BroadcastVectorOuter", HALF, [24 * 32, op("ADD"), 32], 677),
    # A row that does not fill vectors starts with 25: 11 + 6 (15 + 4 (25 + 2*36 // 4))
    ("popops::BroadcastVectorOuter", HALF, [24 * 33, op("ADD"), 33], 1133),
    # Down 16 columns, 10 rows a worker: 19 + 6 (19 + 3 + 12 + 2 (15 + 2*9))
    ("popops::BroadcastVectorInner", HALF, [60 * 16, op("ADD"), 16], 619),
    # 10 columns are no multiple of 4: 19 + 6 (19 + 3 + 9 + 6 + 10 (5 + 9*10))
    ("popops::BroadcastVectorInner", HALF, [60 * 10, op("ADD"), 10], 5941),
    # In place, a product starts 5 later than a sum, and takes 2 for each row:
    # 19 + 6 (19 + 24 + 3 + 9 + 4 (7 + 2*10))
    ("popops::BroadcastVectorInnerInPlace", HALF, [60 * 16, op("MULTIPLY"), 16], 997),
]

OTHERS = [
    # a + b into one tensor of two: 2 loads, 1 store, 1 cycle: 11 + 6 (25 + 84*4)
    ("popops::MapExpr", FLOAT, [1000, 2, 1, 0, op("ADD"), 1], 2177),
    # 50 vectors: 11 + 21 + 7 + 12 + 6, and 6 (19 + 6 + 3*49)
    ("popops::ScaledAdd", HALF, [1200], 1089),
    # 12 more for the second factor
    ("popops::aXPlusbY", HALF, [1200], 1101),
    # Half to float: 1 cycle for 2, 1 check: 12 + 6 (18 + 19 + 100 + 1)
    ("popops::Cast1D", HALF, [1200, KIND["Half"], KIND["Float"]], 840),
    # The compiler's conversions, 2 each: 12 + 6 (18 + 19 + 400)
    ("popops::Cast1D", INT, [1200, KIND["Int"], KIND["Float"]], 2634),
    # Of 167 three are left over beside 41 fours: two checks taken, 3 each:
    # 12 + 6 (18 + 19 + 2*41 + 6)
    ("popops::Cast1D", FLOAT, [1000, KIND["Float"], KIND["Half"]], 762),
    # To 8-bit floats 2 cycles for 8: of 267 three are left over beside 33 eights:
    # 12 + 6 (18 + 19 + 66 + 7)
    ("popops::Cast1D", HALF, [1600, KIND["Half"], KIND["Quarter"]], 672),
    # Back 1 cycle for 4, 66 of them: 12 + 6 (18 + 19 + 66 + 6)
    ("popops::Cast1D", poplar.QUARTER, [1600, KIND["Quarter"], KIND["Half"]], 666),
    ("popops::Fill", HALF, [1200], 456),  # 6 (26 + 50)
    ("popops::Fill", poplar.UNSIGNED_CHAR, [1200], 384),  # 200 a worker: 6 (39 + 25)
    ("popops::Select", FLOAT, [600], 3066),  # 6 (5 + 6 + 5*100)
    ("popops::Clamp", HALF, [1200], 672),  # 6 (5 + 6 + 2*203 // 4)
    # 2 sums, each shared by three workers, of 500 halves: 167 are 41 vectors and odd:
    # 6 (17 + 2 + 12 + 41)
    ("popops::Reduce", HALF, [1000, 2, 500], 432),
    # 60 slices of 8 elements, 10 a worker: 6 (30 + 10 (19 + 2*4))
    ("popops::MultiSlice", FLOAT, [60, 8], 1800),
    # 6 (38 + 10 (11 + 3*7))
    ("popops::MultiUpdateAdd", FLOAT, [60, 8], 2148),
    ("poprand::Bernoulli", HALF, [1000], 380),  # 4 + 21*6 + 250
    ("poprand::Dropout", HALF, [1000], 651),  # 6 + 24*6 + 2*1003 // 4
    # Three tries: 4 + 26*6 + (11*3 + 5) 1001 // 2
    ("poprand::TruncatedNormal", FLOAT, [1000], 19179),
    # 10 rows a worker, the first and only pass 37 + 4*7 - 7 = 58. 64 columns are 4 groups.
    # All workers have as much: 14 more. 50 + 6*7 + 13 + 11 + 4 (18 + 7 + 64 + 6*58 + 14)
    ("poplin::ConvPartial1x1Out", HALF, [1, 60, 16, 64, 1, 16], 1920),
    # With float sums on 8 units, two passes a group of 16, or 8 groups of 8:
    # 50 + 6*7 + 13 + 11 + 4 (18 + 2 (7 + 32 + 6*58 + 14))
    ("poplin::ConvPartial1x1Out", HALF, [1, 60, 16, 64, 1, 32], 3396),
    # One row a worker, two groups of 8: later 47, first 2 + 8 more.
    # 50 + 13 + 15 + 19 + 6 + 64 + 282 + 14 + 11 + 18 + 7 + 64 + 342 + 14
    ("poplin::ConvPartial1x1Out", FLOAT, [1, 6, 16, 16, 1], 919),
    # Integers do without the units: 10*10*10/6 products a worker: 11 + 6 (26 + 167)
    ("poplin::ConvPartial1x1Out", INT, [1, 10, 10, 10, 1], 1169),
    # 2 times 4 groups, 10 rows of 9 kernel elements a worker: 6 (19 + 10 (7 + 5 + 3 + 2*8)); to
    # zero 4 + 60/2, to add up 9 + 19*10/4: 61 + 14 + 26 + 2 (34 + 32 + 24 + 1974 + 56)
    ("poplin::ConvPartialVerticalMac", HALF, [8, 60, 1, 1, 9], 4341),
    # 8 bytes a cycle
    ("poplar::Copy", HALF, [4000], 500),
]

GOLDEN = [(f"popops::{c}", t, [n, op(o)], e) for c, t, o, n, e in BINARY + UNARY] + ROWS + OTHERS


@pytest.mark.parametrize(
    ("vertex_class", "dtype", "sizes", "expected"),
    GOLDEN,
    ids=[f"{c}-{t.toString()}-{s}" for c, t, s, _ in GOLDEN],
)
def test_golden_cycles(vertex_class, dtype, sizes, expected):
    assert cycles(vertex_class, dtype, *sizes) == expected
