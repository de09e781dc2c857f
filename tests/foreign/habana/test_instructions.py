"""Instructions of TPC-C, value by value, against NumPy and ml_dtypes.

Long, because it is a table: a case is an instruction and what it gives.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from popir.errors import LibraryBuildError
from tests.foreign.habana.host import Array, Case, bf16, call, compiled, f8, h8, results
from tests.toolchain import CXX, PACKAGE, run

RNG = np.random.default_rng(11)
SHORT: dict[str, Any] = {
    "f32": np.float32,
    "bf16": bf16,
    "f16": np.float16,
    "f8": f8,
    "h8": h8,
    "i32": np.int32,
    "u32": np.uint32,
    "i16": np.int16,
    "u16": np.uint16,
    "i8": np.int8,
    "u8": np.uint8,
}
"""The types by their names in instructions."""
TYPES = {name: np.dtype(kind) for name, kind in SHORT.items()}
FLOATS = [name for name in TYPES if TYPES[name].kind not in "iu"]
INTEGERS = [name for name in TYPES if name not in FLOATS]
EDGES = (
    *(0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 240, 247, 248, 256, 448, 57344, 61440, 65504),
    *(65519, 65520, 3e38, 3.4e38, 2**-6, 2**-9, 2**-10, 2**-14, 2**-16, 2**-17, 1e-30, 0.5, 2.5),
)


def lanes(name: str, registers: int = 1) -> int:
    return registers * 256 // TYPES[name].itemsize


def given(name: str, registers: int = 1, scale: float = 8) -> Array:
    """Operands: of floats some special ones, of integers all bits."""
    kind, count = TYPES[name], lanes(name, registers)
    if name in INTEGERS:
        info = np.iinfo(kind)
        values = RNG.integers(info.min, info.max, count, dtype=np.int64, endpoint=True)
        values[:4] = [info.min, info.max, 0, 1]
        return values.astype(kind)
    values = RNG.standard_normal(count) * scale
    values[: len(EDGES)] = EDGES
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(kind)


def wide(x: Array) -> Array:
    """A type in which the results of one operation are exact, or are rounded as by a float."""
    return x.astype(np.int64 if x.dtype.kind in "iu" else np.float32)


def same(found: Array, expected: Array, what: str) -> None:
    """Equal bits, but for NaNs."""
    if found.dtype.kind in "iu":
        np.testing.assert_array_equal(found, expected, what)
        return
    nan = np.isnan(expected.astype(np.float32))
    bits = np.dtype(f"u{found.dtype.itemsize}")
    np.testing.assert_array_equal(np.isnan(found.astype(np.float32)), nan, what)
    np.testing.assert_array_equal(found.view(bits)[~nan], expected.view(bits)[~nan], what)


def check(folder: Path, cases: list[Case]) -> None:
    with np.errstate(all="ignore"):
        for case, found in zip(cases, results(folder, cases), strict=True):
            same(found, case.expected, case.expression)


def narrowed(x: Array, kind: Any) -> Array:
    return x.astype(kind)  # Wraps integers; floats go to the nearest, ties to even.


@pytest.mark.parametrize("name", TYPES)
def test_arithmetic(tmp_path: Path, name: str) -> None:
    kind = TYPES[name]
    a, b = given(name), given(name)[::-1].copy()
    mask = RNG.integers(-3, 3, 256).astype(np.int8)
    on = (mask > 0).reshape(-1, kind.itemsize)[:, 0]
    mask = np.where(np.repeat(on, kind.itemsize), 1, -1).astype(np.int8)
    operands = {"a": a, "b": b}
    bits = np.dtype(f"u{kind.itemsize}")

    def of_bits(x: Array) -> Array:
        return x.astype(bits).view(kind)

    with np.errstate(all="ignore"):
        most = narrowed(np.fmax(wide(a), wide(b)), kind)
        cases = [
            Case(f"v_{name}_max_b(a, b)", operands, most),
            Case(f"v_{name}_min_b(a, b)", operands, narrowed(np.fmin(wide(a), wide(b)), kind)),
            Case(f"v_{name}_and_b(a, b)", operands, of_bits(a.view(bits) & b.view(bits))),
            Case(f"v_{name}_or_b(a, b)", operands, of_bits(a.view(bits) | b.view(bits))),
            Case(f"v_{name}_xor_b(a, b)", operands, of_bits(a.view(bits) ^ b.view(bits))),
            Case(f"v_{name}_not_b(a)", operands, of_bits(~a.view(bits))),
            Case(f"v_{name}_mov_b(a, 0, b, 0)", operands, b),
            Case(f"v_{name}_mov_b(a, 0, b, 0, 1)", operands, a),
            # A predicate for each lane.
            Case(
                f"v_{name}_max_vb(a, b, 0, a, v_i8_cmp_grt_b(m, 0))",
                {**operands, "m": mask},
                np.where(on, most, a),
            ),
            Case(
                f"v_{name}_max_vb(a, b, 0, a, v_i8_cmp_grt_b(m, 0), 1)",
                {**operands, "m": mask},
                np.where(on, a, most),
            ),
        ]
        if name not in ("f8", "h8"):
            cases += [
                Case(f"v_{name}_add_b(a, b)", operands, narrowed(wide(a) + wide(b), kind)),
                Case(f"v_{name}_sub_b(a, b)", operands, narrowed(wide(a) - wide(b), kind)),
                Case(f"v_{name}_sub_b(a, b, SW_NEG)", operands, narrowed(wide(b) - wide(a), kind)),
            ]
        # Comparisons choose; of the pairs the second is the one of the compared.
        for word, compare in COMPARISONS.items():
            yes = compare(wide(a), wide(b))
            cases.append(
                Case(f"v_{name}_sel_{word}_{name}_b(a, b, b, a)", operands, np.where(yes, b, a))
            )
            cases.append(
                Case(
                    f"v_{name}_sel2_{word}_{name}_b(a, b, b, a)",
                    operands,
                    np.concatenate([np.where(yes, b, a), np.where(yes, a, b)]),
                )
            )
        if name in INTEGERS:
            info = np.iinfo(kind)
            for word, exact in (("add", wide(a) + wide(b)), ("sub", wide(a) - wide(b))):
                expected = exact.clip(info.min, info.max).astype(kind)
                cases.append(Case(f"v_{name}_{word}_b(a, b, SW_SAT)", operands, expected))
        if kind.kind != "u":
            cases.append(Case(f"v_{name}_abs_b(a)", operands, narrowed(np.abs(wide(a)), kind)))
    check(tmp_path, cases)


COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "neq": np.not_equal,
    "less": np.less,
    "leq": np.less_equal,
    "grt": np.greater,
    "geq": np.greater_equal,
}


def all_values(kind: Any) -> Array:
    """All finite numbers of a type of 8 or 16 bits, sorted."""
    bits = np.dtype(f"u{kind.itemsize}")
    with np.errstate(invalid="ignore"):  # Of signalling NaNs.
        values = np.arange(2 ** (8 * kind.itemsize)).astype(bits).view(kind).astype(np.float64)
    return np.unique(values[np.isfinite(values)])


def in_mode(x: Array, kind: Any, mode: str) -> Array:
    """Numbers rounded by looking for the neighbours among all that there are."""
    values = all_values(kind)
    exact = x.astype(np.float64)
    top = values[-1]
    step = top - values[-2]
    out = np.empty_like(exact)
    for i, value in enumerate(exact):
        if not np.isfinite(value):
            out[i] = value
            continue
        beyond = np.concatenate([[-top - step], values, [top + step]])
        at = int(np.searchsorted(beyond, np.clip(value, -top - step, top + step)))
        high = beyond[at]
        low = high if high == value else beyond[at - 1]
        nearer = {
            "SW_RZ": low if value > 0 else high,
            "SW_RD": low,
            "SW_RU": high,
            "SW_RHAZ": (high if value > 0 else low)
            if value - low == high - value
            else (low if value - low < high - value else high),
        }[mode]
        inward = {"SW_RZ": True, "SW_RD": value > 0, "SW_RU": value < 0, "SW_RHAZ": False}[mode]
        if abs(nearer) > top or abs(value) > top + step:
            nearer = np.copysign(top if inward else np.inf, value)
        out[i] = np.copysign(nearer, value)
    return out.astype(np.float32).astype(kind)


MODES = ("SW_RZ", "SW_RD", "SW_RU", "SW_RHAZ")


@pytest.mark.parametrize("name", ["bf16", "f16", "f8", "h8"])
def test_rounding(tmp_path: Path, name: str) -> None:
    """Conversions to narrow floats, to a lane and to all lanes, in all modes."""
    kind = TYPES[name]
    ratio = 4 // kind.itemsize
    x = given("f32", ratio, 30)
    odd = (all_values(kind)[: len(x) - 40] + all_values(kind)[1 : len(x) - 39]) / 2
    x[40 : 40 + len(odd)] = odd.astype(np.float32)  # Ties.
    # Element i of a group of n registers is lane i / n of register i % n.
    registers = x.reshape(-1, ratio).T.reshape(-1).copy()
    first = x[:64].copy()
    income = given(name)
    with np.errstate(all="ignore"):
        cases = [Case(f"v_convert_f32_to_{name}_all_b(x)", {"x": registers}, x.astype(kind))]
        top = all_values(kind)[-1]
        clipped = np.where(np.isnan(x), x, x.clip(-top, top)).astype(kind)
        cases.append(
            Case(f"v_convert_f32_to_{name}_all_b(x, SW_CLIP_FP)", {"x": registers}, clipped)
        )
        for mode in MODES:
            expected = in_mode(x, kind, mode)
            cases.append(
                Case(f"v_convert_f32_to_{name}_all_b(x, {mode})", {"x": registers}, expected)
            )
        for lane in range(ratio):
            expected = income.copy()
            expected[lane::ratio] = first.astype(kind)
            cases.append(
                Case(
                    f"v_convert_f32_to_{name}_b(x, {lane}, 0, old)",
                    {"x": first, "old": income},
                    expected,
                )
            )
        cases.append(
            Case(
                f"v_convert_f32_to_{name}_single_b(x, 0, old)",
                {"x": first, "old": income},
                np.where(np.arange(len(income)) % ratio, income, first.astype(kind).repeat(ratio)),
            )
        )
        # And back: of each group of lanes the first, or all.
        back = income.astype(np.float32)
        cases += [
            Case(f"v_convert_{name}_to_f32_b(x)", {"x": income}, back[::ratio].copy()),
            Case(
                f"v_convert_{name}_to_f32_all_b(x)",
                {"x": income},
                back.reshape(-1, ratio).T.reshape(-1).copy(),
            ),
        ]
    check(tmp_path, cases)


def test_all_numbers_of_8_bits(tmp_path: Path) -> None:
    every = np.arange(256).astype(np.uint8)
    cases = [
        Case(
            f"v_convert_{name}_to_bf16_all_b(as_{v}(x))",
            {"x": every},
            every.view(TYPES[name]).astype(bf16).reshape(-1, 2).T.reshape(-1).copy(),
        )
        for name, v in (("f8", "minifloat256"), ("h8", "minihalf256"))
    ]
    assert np.isinf(every.view(f8).astype(np.float32)).sum() == 2  # As NumPy's type says, 240 ends.
    check(tmp_path, cases)


@pytest.mark.parametrize("size", [4, 2, 1])
def test_conversions(tmp_path: Path, size: int) -> None:
    """From types of this size to all others: all lanes of a group, and scalars."""
    cases = []
    for source in (name for name in TYPES if TYPES[name].itemsize == size):
        for target in TYPES:
            if source == target:
                continue
            more = TYPES[target].itemsize // size  # Registers of the result.
            fewer = size // TYPES[target].itemsize  # Those of the operand.
            x = given(source, max(1, fewer), 40)
            with np.errstate(all="ignore"):
                expected = as_type(x, TYPES[target])
            end = "_all" if more > 1 or fewer > 1 else ""
            cases.append(
                Case(
                    f"v_convert_{source}_to_{target}{end}_b(x)",
                    {"x": spread(x, fewer)},
                    spread(expected, more),
                )
            )
            one = np.full(lanes(target), as_type(np.array(24), TYPES[target]))
            cases.append(Case(f"s_convert_{source}_to_{target}(24)", {}, one))
    check(tmp_path, cases)


def spread(x: Array, registers: int) -> Array:
    return x.reshape(-1, max(1, registers)).T.reshape(-1).copy()


def as_type(x: Array, kind: Any) -> Array:
    """Integers are rounded to the nearest, saturated, and 0 for NaN."""
    exact = x.astype(np.float64)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        whole = np.nan_to_num(np.rint(exact), nan=0, posinf=info.max, neginf=info.min)
        return whole.clip(info.min, info.max).astype(np.int64).astype(kind)
    return exact.astype(kind)  # One rounding; NumPy's types round a double once.


WIDE: dict[str, tuple[str, Any]] = {
    "bf16": ("_acc32", np.float32),
    "f16": ("_acc32", np.float32),
    "f8": ("_acc32", np.float32),
    "h8": ("_acc32", np.float32),
    "i16": ("", np.int32),
    "u16": ("", np.uint32),
    "i8": ("", np.int32),
    "u8": ("", np.uint32),
}


@pytest.mark.parametrize("name", WIDE)
def test_wide_products(tmp_path: Path, name: str) -> None:
    """Products, sums and differences in lanes of 32 bits, with a predicate for each element."""
    end, kind = WIDE[name]
    ratio = 4 // TYPES[name].itemsize
    count = lanes(name)
    if name in INTEGERS:
        a, b = given(name), given(name)[::-1].copy()
        sums = RNG.integers(0, 2**31, count).astype(kind)
        sums[:8] = np.iinfo(kind).max
        exact_a, exact_b, exact = a.astype(np.int64), b.astype(np.int64), sums.astype(np.int64)
    else:
        # Small whole numbers: their products and sums are floats.
        a, b = (RNG.integers(-8, 9, count).astype(TYPES[name]) for _ in range(2))
        sums = RNG.integers(-1000, 1000, count).astype(kind)
        exact_a, exact_b, exact = (each.astype(np.float64) for each in (a, b, sums))
    product = exact_a * exact_b
    operands = {"a": a, "b": b, "c": spread(sums, ratio)}
    on = RNG.integers(0, 2, count).astype(bool)
    mask = np.where(np.repeat(on, TYPES[name].itemsize), 1, -1).astype(np.int8)

    def group(values: Array) -> Array:
        return spread(values.astype(kind), ratio)

    cases = [
        Case(f"v_{name}_mul{end}_b(a, b)", operands, group(product)),
        Case(f"v_{name}_mac{end}_b(a, b, c)", operands, group(exact + product)),
        Case(f"v_{name}_mac{end}_b(a, b, c, SW_NEG)", operands, group(exact - product)),
        Case(f"v_{name}_madd{end}_b(a, b, c)", operands, group(product + exact)),
        Case(f"v_{name}_mac_x2{end}_b(a, b, b, a, c)", operands, group(exact + 2 * product)),
        Case(
            f"v_{name}_mac{end}_vb(a, b, c, 0, v_i8_cmp_grt_b(m, 0))",
            {**operands, "m": mask},
            group(np.where(on, exact + product, exact)),
        ),
    ]
    if name in INTEGERS:
        info = np.iinfo(kind)
        cases += [
            Case(
                f"v_{name}_mac{end}_b(a, b, c, SW_SAT)",
                operands,
                group((exact + product).clip(info.min, info.max)),
            ),
            Case(
                f"v_{name}_mac{end}_b(a, b, c, SW_SAT | SW_NEG)",
                operands,
                group((exact - product).clip(info.min, info.max)),
            ),
        ]
    check(tmp_path, cases)


def test_products_that_are_split(tmp_path: Path) -> None:
    cases = []
    for name in ("i32", "u32"):
        a, b = given(name), given(name)[::-1].copy()
        exact = a.astype(object) * b.astype(object)
        words = [[int(each) >> shift & 0xFFFFFFFF for each in exact] for shift in (0, 32)]
        expected = np.array(words, np.uint32).reshape(-1).view(TYPES[name])
        cases.append(Case(f"v_{name}_mul_b(a, b)", {"a": a, "b": b}, expected))
    cases += [
        Case("(int64)s_i32_mul(-7, 1 << 30, SW_UPPER32)", {}, np.full(64, -2, np.int32)),
        Case("(int64)s_i8_mul(-100, 100)", {}, np.full(64, -10000, np.int32)),
        Case("(int64)s_u8_mac_acc16(200, 200, 60000, SW_SAT)", {}, np.full(64, 65535, np.int32)),
        Case("(float64)s_bf16_mac_acc32(1.5bf, 2, 0.25f)", {}, np.full(64, 3.25, np.float32)),
        Case("(bfloat128)s_bf16_or(1.0bf, -0.0bf)", {}, np.full(128, -1, bf16)),
    ]
    check(tmp_path, cases)


NAMES = """
#include "tpc/tpc.hpp"
#define SAME(type, TYPE, operation, OPERATION)                                                 \\
  static_assert(MkRMW(e_rmw_##type, e_rmw_##operation, e_rmw_atomic, e_tnsr_dt_srf) ==         \\
                    (RMW_SET | RMW_OP_##OPERATION | RMW_DT_##TYPE));                           \\
  static_assert(MkRMW(e_rmw_##type, e_rmw_##operation, e_rmw_atomic, e_tnsr_dt_desc) ==        \\
                    (RMW_TNSR_DT | RMW_SET | RMW_OP_##OPERATION | RMW_DT_##TYPE));
#define OF(type, TYPE)                                                                         \\
  SAME(type, TYPE, add, ADD) SAME(type, TYPE, sub, SUB) SAME(type, TYPE, min, MIN)             \\
  SAME(type, TYPE, max, MAX) SAME(type, TYPE, max_0_add, MAX_0_ADD)
OF(int8, INT8) OF(int16, INT16) OF(int32, INT32) OF(uint8, UINT8) OF(uint16, UINT16)
OF(uint32, UINT32) OF(bf16, BF16) OF(fp32, FP32) OF(fp16, FP16)
static_assert(sizeof(bfloat) == 2);
bfloat of(unsigned short bits) { return as_bfloat(bits); }
"""


def test_names_of_stores_that_combine(tmp_path: Path) -> None:
    """What `MkRMW` makes and what kernels put together by hand are equal."""
    (tmp_path / "names.cpp").write_text(NAMES)
    headers = PACKAGE / "include" / "habana"
    target = ("-march=x86-64-v3", "-D__TPC__=1", "-D__gaudi2__=1", "-w")
    compiler = (CXX, "-std=c++17", "-fsyntax-only", *target, f"-I{headers}")
    run(*compiler, tmp_path / "names.cpp", cwd=tmp_path)


@pytest.mark.parametrize("name", FLOATS)
def test_floats(tmp_path: Path, name: str) -> None:
    kind = TYPES[name]
    a = given(name)
    b, c = (RNG.integers(-top, top, len(a)).astype(kind) for top in (9, 60))
    operands = {"a": a, "b": b, "c": c}
    whole = np.dtype(f"i{kind.itemsize}")
    normal = np.where(b == 0, 1, b.astype(np.float32)).astype(kind)
    power = np.frexp(wide(normal))[1].astype(whole) - whole.type(1)
    bias = {"f32": 127, "bf16": 127, "f16": 15, "f8": 7, "h8": 15}[name]
    with np.errstate(all="ignore"):
        down = np.floor(wide(a)).astype(kind)
        made = np.copysign(wide(a), wide(b)).astype(kind)
        cases = [
            Case(f"v_{name}_nearbyint_b(a, SW_RD)", operands, down),
            Case(f"v_{name}_nearbyint_b(a)", operands, np.rint(wide(a)).astype(kind)),
            # A number is made of its parts.
            Case(f"v_{name}_form_fp_num_b(a, b, a)", operands, made),
            Case(f"v_{name}_extract_exp_b(b)", {"b": normal}, power),
            Case(f"v_{name}_extract_exp_b(b, 1)", {"b": normal}, power + whole.type(bias)),
            Case(f"v_{name}_nearbyint_cnvrt_b(c, 0).v2", {"c": c}, as_type(c, whole)),
        ]
        if name in ("f8", "h8"):
            # Sums are of floats.
            sums = RNG.standard_normal(256).astype(np.float32)
            cases += [
                Case(
                    f"v_{name}_add_b(s, b)",
                    {"s": spread(sums, 4), "b": b},
                    spread(sums + wide(b), 4),
                ),
                Case(
                    f"v_{name}_sub_b(s, b)",
                    {"s": spread(sums, 4), "b": b},
                    spread(sums - wide(b), 4),
                ),
            ]
        else:
            fused = (wide(b) * wide(b) + wide(c)).astype(kind)
            taken = (wide(c) - wide(b) * wide(b)).astype(kind)
            cases += [
                Case(f"v_{name}_mul_b(a, b)", operands, (wide(a) * wide(b)).astype(kind)),
                Case(f"v_{name}_mac_b(b, b, c)", operands, fused),
                Case(f"v_{name}_mac_b(b, b, c, SW_NEG)", operands, taken),
                Case(f"v_{name}_madd_b(b, b, c)", operands, fused),
                Case(f"v_{name}_madd_b(b, b, c, SW_NEG)", operands, taken),
            ]
    check(tmp_path, cases)


@pytest.mark.parametrize("name", [*INTEGERS, "f8", "h8"])
def test_bits(tmp_path: Path, name: str) -> None:
    kind = TYPES[name]
    size = 8 * kind.itemsize
    bits = np.dtype(f"u{kind.itemsize}")
    a = given(name)
    words = a.view(bits).astype(np.uint64)
    by = RNG.integers(0, size + 2, len(a)).astype(np.dtype(f"i{kind.itemsize}"))
    kept = by < size
    left = np.where(kept, words << by.astype(np.uint64), 0).astype(bits).view(kind)
    right = np.where(kept, words >> by.astype(np.uint64), 0).astype(bits).view(kind)
    ones = np.array([int(each).bit_count() for each in words])
    turned = [int(f"{int(each):0{size}b}"[::-1], 2) for each in words]
    counted = bits if kind.kind not in "iu" else kind
    operands = {"a": a, "s": by}
    check(
        tmp_path,
        [
            Case(f"v_{name}_shl_b(a, s)", operands, left),
            Case(f"v_{name}_shr_b(a, s)", operands, right),
            Case(f"v_{name}_popcnt_b(a, SW_COUNT_ONES)", operands, ones.astype(counted)),
            Case(f"v_{name}_popcnt_b(a, SW_COUNT_ZEROS)", operands, (size - ones).astype(counted)),
            Case(f"v_{name}_brev_b(a)", operands, np.array(turned, bits).view(counted)),
            Case(
                f"v_{name}_sel_eq_{name}_b(a, b, a, b, SW_MASK_EQ_ZERO)",
                {"a": a, "b": a[::-1].copy()},
                np.where((words & words[::-1]) == 0, a, a[::-1]),
            ),
        ],
    )


def test_places(tmp_path: Path) -> None:
    """Groups of 32 bytes, dual groups of 64."""
    x, old = (RNG.integers(0, 256, 256).astype(np.uint8) for _ in range(2))
    groups, income = x.reshape(4, 2, 32), old.reshape(4, 2, 32)
    operands = {"x": x, "old": old}

    def changed(change: Callable[[Array], None]) -> Array:
        r = income.copy()
        change(r)
        return r.reshape(-1)

    def moved(r: Array) -> None:
        r[2, 1, :5] = groups[1, 1, :5]

    def all_moved(r: Array) -> None:
        r[0, 0], r[3, 1] = groups[1, 0], groups[2, 1]

    def side_by_side(r: Array) -> None:
        r.reshape(8, 32)[:4] = groups[:, 0]

    def turned(r: Array) -> None:
        r[0, 0], r[2, 0] = groups[0, 1], groups[2, 1]

    def packed(r: Array) -> None:
        r[:, 0, 16:] = groups[:, 1, ::2]

    sparse = np.zeros(256, np.uint8)
    sparse[::2] = x[:128]
    check(
        tmp_path,
        [
            Case(
                "v_u8_mov_dual_group_b(x, 31, 1, 2, SW_WR_UPPER_GROUP, old)",
                operands,
                changed(moved),
            ),
            Case(
                "v_u8_mov_dual_group_all_b(x, 0xffffffff, 1, 0, 0, 2, MkWrA(1, 0, 0, 2), old)",
                operands,
                changed(all_moved),
            ),
            Case("v_u8_mov_dual_group_pack_b(x, SW_PACK21, old)", operands, changed(side_by_side)),
            Case(
                "v_u8_mov_group_b(x, -1, SW_GROUP0_EN | SW_DUAL_GROUP0_EN | SW_DUAL_GROUP2_EN, "
                "old)",
                operands,
                changed(turned),
            ),
            Case("v_u8_pack_b(x, SW_GROUP_1 | SW_STRIDE_2, old)", operands, changed(packed)),
            # As kernels bring bytes that lie in every second place together.
            Case(
                "v_u8_mov_dual_group_pack_b(v_u8_pack_b(x, SW_GROUP_1 | SW_STRIDE_2, "
                "v_u8_pack_b(x, SW_GROUP_0 | SW_STRIDE_2, old)), SW_PACK21, 0)",
                {"x": sparse, "old": old},
                np.concatenate([x[:128], np.zeros(128, np.uint8)]),
            ),
        ],
    )


def test_shifted_conversions(tmp_path: Path) -> None:
    """Integers are divided by powers of two, rounded, saturated."""
    x = RNG.integers(-(2**20), 2**20, 256).astype(np.int32)
    by = RNG.integers(0, 20, 256).astype(np.int8)
    exact = x / 2.0 ** by.astype(np.float64)
    one = np.full(256, 4, np.int8)
    short = given("i16")
    cases = [
        Case(
            f"v_convert_int32_to_i8_all_b(x, s, {mode})",
            {"x": spread(x, 4), "s": by},
            how(exact).clip(-128, 127).astype(np.int8),
        )
        for mode, how in (("SW_RHNE", np.rint), ("SW_RD", np.floor), ("SW_RU", np.ceil))
    ]
    expected = np.zeros(256, np.int8)
    expected[1::2] = np.rint(short / 16).clip(-128, 127).astype(np.int8)
    cases.append(Case("v_convert_int16_to_i8_b(x, s, 1, 0, 0)", {"x": short, "s": one}, expected))
    cases.append(Case("(char256)s_convert_int32_to_i8(1000, 4)", {}, np.full(256, 62, np.int8)))
    check(tmp_path, cases)


LOCAL = """
__local__ float64 kept[4];
__local int counts[2], total;
typedef __local float64 *place;
static float64 sum(__local float64 *p, float64 __local q[2], int n) { return p[n] + q[0]; }
float64 __local *first(void) { return kept; }
void main(tensor x, tensor y, int address) {
  volatile float64 __local *there = (float64 __local *)address;
  const int5 at = {0};
  const _Bool yes = 1;
  *there = v_f32_ld_tnsr_b(at, x);
  ++there;
  *there = 2;
  kept[0] = v_f32_ld_l_v_b(address, 0);
  kept[1] = *(float64 __local *)(address + 256);
  place p = (place)kept;
  total += yes;
  counts[1] = total;
  v_f32_st_tnsr(at, y, sum(kept, p, 1) + *(const float64 __local *)first() * counts[1]);
  volatile int __local *number = (int __local *)64;
  *number = s_i32_mov(as_int(*number)) + 7;
  v_f32_st_tnsr((int5){0, 1}, y, s_i32_ld_l(64));
}
"""


def test_local_memory(tmp_path: Path) -> None:
    """Pointers to it, parameters, and numbers as addresses; variables of each thread."""
    made = compiled(tmp_path, LOCAL)
    x, y = RNG.standard_normal(64).astype(np.float32), np.zeros((2, 64), np.float32)
    assert call(made, x, y, scalars=[512]) is None
    np.testing.assert_array_equal(y, [(2 + x) + x, np.full(64, 7)])
    assert call(made, x, y, scalars=[512]) is None
    np.testing.assert_array_equal(y[0], (2 + x) + 2 * x)  # A variable keeps its value.
    assert "it uses local memory at 81920" in (call(made, x, y, scalars=[81920]) or "")
    assert "it takes 8 as an address of what is aligned" in (call(made, x, y, scalars=[8]) or "")


def test_parts_of_registers(tmp_path: Path) -> None:
    """Loads and stores of a half, of some elements, and of predicates."""
    text = """
    void main(tensor x, tensor y, tensor m) {
      int5 at = {0}, to = {0};
      v_i8_st_tnsr(to, y, v_i8_ld_tnsr_low_b(at, x, 0, 5)); to[1]++;
      v_i8_st_tnsr(to, y, v_i8_ld_tnsr_high_b(at, x, 0, 5)); to[1]++;
      v_i8_st_tnsr(to, y, v_i8_ld_tnsr_partial_b(at, x, 9, 0, 0, 5)); to[1]++;
      v_i8_st_tnsr(to, y, v_i8_ld_tnsr_high_partial_b(at, x, 9, 0, 0, 5)); to[1]++;
      v_i8_st_tnsr_partial(to, y, 3, 9, 0); to[1]++;
      const bool256 above = v_i8_cmp_grt_b(v_i8_ld_tnsr_b(at, x), 0);
      v_i1_st_tnsr(at, m, above);
      v_i8_st_tnsr(to, y, v_i8_mov_vb(7, 0, 0, v_i1_ld_tnsr_b(at, m))); to[1]++;
      v_i1_st_l_v(64, above);
      v_i8_st_tnsr(to, y, v_i8_mov_vb(7, 0, 0, v_i1_ld_l_v_b(64))); to[1]++;
      v_i8_st_l_v(1024, 1);
      v_i8_st_l_v_vb(1024, 2, 0, above);
      v_i8_st_tnsr(to, y, v_i8_ld_l_v_vb(1024, 0, 9, above, 1)); to[1]++;
      v_i8_st_tnsr(to, y, v_i8_ld_tnsr_b(at, x, SW_UNPACK | SW_UNPCK_8_TO_16, 5)); to[1]++;
      v_i8_st_tnsr(to, y, v_i8_ld_tnsr_b(at, x, SW_UNPACK | SW_UNPCK_16_TO_32, 5));
    }"""
    x = RNG.integers(-9, 9, 256).astype(np.int8)
    y, m = np.zeros((10, 256), np.int8), np.zeros(32, np.uint8)
    assert call(compiled(tmp_path, text), x, y, m) is None
    five = np.full(256, 5, np.int8)
    np.testing.assert_array_equal(y[0], np.concatenate([x[:128], five[:128]]))
    np.testing.assert_array_equal(y[1], np.concatenate([five[:128], x[:128]]))
    np.testing.assert_array_equal(y[2], np.concatenate([x[:10], five[10:]]))
    np.testing.assert_array_equal(y[3], np.concatenate([five[:128], x[:10], five[138:]]))
    np.testing.assert_array_equal(y[4], np.where(np.arange(256) < 10, 3, 0))
    np.testing.assert_array_equal(m, np.packbits(x > 0, bitorder="little"))
    np.testing.assert_array_equal(y[5], np.where(x > 0, 7, 0))
    np.testing.assert_array_equal(y[6], y[5])
    np.testing.assert_array_equal(y[7], np.where(x > 0, 9, 1))
    np.testing.assert_array_equal(y[8], np.stack([x[:128], five[:128]], 1).reshape(-1))
    words = np.concatenate([x[:128].reshape(64, 2), five[:128].reshape(64, 2)], 1)
    np.testing.assert_array_equal(y[9], words.reshape(-1))


def test_pad_values(tmp_path: Path) -> None:
    text = """
    void main(tensor x, tensor y) {
      const int5 outside = {-64};
      v_f32_st_tnsr((int5){0, 0}, y, v_f32_ld_tnsr_b(outside, x));
      v_f32_st_tnsr((int5){0, 1}, y, get_pad_value_float(x));
      v_f32_st_tnsr((int5){0, 2}, y, (float)get_pad_value_bf16(x + 0));
      v_f32_st_tnsr((int5){0, 3}, y, get_pad_value_short(x));
      v_f32_st_tnsr((int5){0, 4}, y, get_pad_value_char(x));
      v_f32_st_tnsr((int5){0, 5}, y, get_pad_value_uchar(x));
    }"""
    y = np.zeros((6, 64), np.float32)
    pad = 0x40A0C0E0
    assert call(compiled(tmp_path, text), np.ones(64, np.float32), y, pad=pad) is None
    word = np.array([pad], np.uint32)
    first = [
        word.view(kind)[0] for kind in (np.float32, np.float32, bf16, np.int16, np.int8, np.uint8)
    ]
    np.testing.assert_array_equal(y, np.repeat(np.array(first, np.float32), 64).reshape(6, 64))


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "asin_cephes": lambda x: np.arcsin(x / 9),
    "acos_cephes": lambda x: np.arccos(x / 9),
    "atan_cephes": np.arctan,
    "sinh_cephes": np.sinh,
    "cosh_cephes": np.cosh,
    "tan_cephes": np.tan,
    "asinh": np.arcsinh,
    "acosh": lambda x: np.arccosh(x + 10),
    "atanh": lambda x: np.arctanh(x / 9),
    "expm1": np.expm1,
    "pow2": np.exp2,
    "exp_fast": np.exp,
}
ARGUMENTS = {"asin_cephes": "x / 9", "acos_cephes": "x / 9", "acosh": "x + 10", "atanh": "x / 9"}


def test_functions(tmp_path: Path) -> None:
    x = RNG.uniform(-8, 8, 64).astype(np.float32)
    cases = [
        Case(
            f"v_{name}_f32({ARGUMENTS.get(name, 'x')})",
            {"x": x},
            function(x.astype(np.float64)).astype(np.float32),
        )
        for name, function in FUNCTIONS.items()
    ]
    for case, found in zip(cases, results(tmp_path, cases), strict=True):
        np.testing.assert_allclose(found, case.expected, rtol=2e-6, err_msg=case.expression)


def test_tables_of_the_kernel(tmp_path: Path) -> None:
    """Tables of words, and of three words a row, ten rows in each 32."""
    text = """
    void main(tensor rows, tensor table, tensor y) {
      int5 at = {0};
      set_lut_32(table);
      const uint64 row = v_u32_ld_tnsr_b(at, rows);
      v_f32_st_tnsr(at, y, v_f32_lookup(row, 1 << 2, SW_LUT_PTR, 0)); at[1]++;
      v_f32_st_tnsr(at, y, v_f32_lookup_1c(row, 0, SW_LUT_PTR, 0)); at[1]++;
      const float128 two = v_f32_lookup_2c(row, 0, SW_LUT_PTR, (float128){0});
      v_f32_st_tnsr(at, y, two.v1); at[1]++;
      v_f32_st_tnsr(at, y, two.v2); at[1]++;
      // The interval of a number among those of its exponent, and where it begins.
      const float64 x = v_convert_u32_to_f32_b(row) + 0.3f;
      const uint64_float64 found = v_f32_get_lut_entry_and_interval_start_b(x, 20);
      v_f32_st_tnsr(at, y, v_convert_u32_to_f32_b(found.v1)); at[1]++;
      v_f32_st_tnsr(at, y, found.v2);
    }"""
    made = compiled(tmp_path, text)
    rows = RNG.integers(0, 60, 64).astype(np.uint32)
    table = RNG.standard_normal(256).astype(np.float32)
    y = np.zeros((6, 64), np.float32)
    assert call(made, rows, table, y) is None
    np.testing.assert_array_equal(y[0], table[64 + rows])
    for part in range(3):
        np.testing.assert_array_equal(y[1 + part], table[rows // 10 * 32 + rows % 10 * 3 + part])
    x = rows.astype(np.float32) + np.float32(0.3)
    start = 2 ** np.floor(np.log2(x))
    np.testing.assert_array_equal(y[4], np.floor((x / start - 1) * 8))
    np.testing.assert_array_equal(y[5], start * (1 + y[4] / 8))
    words = call(made, np.full(64, 200, np.uint32), table, y) or ""
    assert "it looks up row 200 outside of its table" in words


REFUSED = {
    "v_f32_st_tnsr(at, y, v_f32_nearbyint_b(1.5, SW_SR));": "it rounds stochastically",
    "v_i8_st_tnsr_partial(at, y, 1, 3, 2);": "it stores a part at an offset",
    "v_i8_st_tnsr(at, y, 1, SW_PCK_32_TO_8);": "it uses a switch that changes the width",
    "v_f8_st_tnsr(at, y, v_convert_f32_to_f8_b(1.0f, 4, 0, 0));": "converts to lane 4 of 4",
    "v_i8_st_tnsr(at, y, (char256)s_convert_int32_to_i8(1, -1));": "a shift of -1",
    "v_f8_st_tnsr(at, y, v_f8_sel_grt_f8_b(1, 2, 3, 4, SW_SUP_NAN));": "it uses SW_SUP_NAN",
    "v_i8_st_tnsr(at, y, v_i8_mov_dual_group_pack_b(1, SW_PACK41, 0));": "it uses SW_PACK41",
}


def test_what_fails_in_a_run(tmp_path: Path) -> None:
    statements = "\n".join(f"if (which == {i}) {{ {each} }}" for i, each in enumerate(REFUSED))
    text = f"void main(tensor y, int which) {{ int5 at = {{0}}; {statements} }}\n"
    made = compiled(tmp_path, text)
    for i, (statement, words) in enumerate(REFUSED.items()):
        assert words in (call(made, np.zeros(256, np.int8), scalars=[i]) or ""), statement


HARDWARE = {
    "v_f32_ld_tnsr_direct_b(1, 2, 0, 0, 1, 0)": "its addresses are those of the device's memory",
    "v_i8_mac_zp_b(1, 2, 3, 4)": "where the hardware takes the zero point away is not public",
    "thread_sync()": "it waits for other threads of the device",
}


@pytest.mark.parametrize("expression", HARDWARE)
def test_what_does_not_compile(tmp_path: Path, expression: str) -> None:
    name = expression.partition("(")[0]
    words = re.escape(f"popir has no {name}: {HARDWARE[expression]}")
    with pytest.raises(LibraryBuildError, match=words):
        compiled(tmp_path, f"void main(tensor y) {{ {expression}; }}\n")
