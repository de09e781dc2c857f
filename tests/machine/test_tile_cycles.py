"""Cycles of a tile's worker that are worked out from the compiler's intermediate representation.

Oracles: how many bundles Graphcore's own compiler makes of such functions, which its public tests
say (graphcore/llvm-project-fork, llvm/test/CodeGen/Colossus, f32-arithmetic, f32-comparisons,
f16-arithmetic, f16-memory, f32-conversions, coissue, counted-loop-mir, colossus-hwloop-pass,
post-increment, the lowering of mulhu; its pass of counted loops for what is repeated), PopLibs'
cycle functions of vertices that are compiled, not assembly, and what popc made of two loops, as
their authors quote it (thorbenlouw/lbm-graphcore, UoB-HPC/ipu-hpc-cookbook).
The functions and codelets here are our own.
`python -m tests.machine.test_tile_cycles` prints both. Long, because one table and its
helpers serve the tests and the print.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from popir._device import machine
from popir.profile import MachineReport
from tests.machine.test_counted_codelets import CONTEXTS, Bench
from tests.toolchain import clang

SOURCE = Path(__file__).parents[1] / "poplar" / "tile_cycles.cpp"


@pytest.fixture(scope="module", autouse=True)
def anew(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """What this build counts, not what another one has kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POPIR_CACHE", str(tmp_path_factory.mktemp("codelets")))
        yield


LOOP = """
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %before, label %after
before:
  br label %body
body:
  %i = phi i32 [ 0, %before ], [ %next, %body ]
  BODY
  %next = add i32 %i, STEP
  %more = icmp eq i32 %next, %n
  br i1 %more, label %after, label %body
after:
  ret void
"""


def loop(arguments: str, body: str, step: int = 1) -> str:
    text = LOOP.replace("BODY", body).replace("STEP", str(step))
    return f"define void @f({arguments}) {{{text}}}"


def straight(signature: str, *body: str) -> str:
    lines = "\n".join(f"  {line}" for line in body)
    return f"define {signature} {{\n{lines}\n}}"


def compared(predicate: str) -> str:
    return straight("i1 @f(float %x, float %y)", f"%r = fcmp {predicate} float %x, %y", "ret i1 %r")


def halved(operation: str) -> str:
    """Of halves, as a compiler of the host has it."""
    return straight(
        "half @f(half %x, half %y)",
        "%a = fpext half %x to float",
        "%b = fpext half %y to float",
        f"%c = {operation} float %a, %b",
        "%r = fptrunc float %c to half",
        "ret half %r",
    )


PAIRS = """%a = getelementptr float, ptr %x, i32 %i
  %b = getelementptr float, ptr %y, i32 %i
  %p = load <2 x float>, ptr %a, align 4
  %q = load <2 x float>, ptr %b, align 4
  %s = fadd <2 x float> %p, %q
  store <2 x float> %s, ptr %b, align 4"""
COPY = """%a = getelementptr i32, ptr %x, i32 %i
  %b = getelementptr i32, ptr %y, i32 %i
  %p = load <2 x i32>, ptr %a, align 4
  store <2 x i32> %p, ptr %b, align 4"""
COUNTED_TWICE = """%narrow = phi i32 [ 0, %before ], [ %more_narrow, %body ]
  %sum = add i32 %narrow, %first
  %a = getelementptr i32, ptr %x, i64 %i
  store i32 %sum, ptr %a, align 4
  %more_narrow = add i32 %narrow, 1"""
MANY = """%p = load i32, ptr %x, align 4
  %q = add i32 %p, %n
  %r = mul i32 %q, %q
  %s = xor i32 %r, %p
  %t = shl i32 %s, %n
  store i32 %t, ptr %y, align 4"""
MOVE = "%p = load <2 x float>, ptr %x, align 8\n  store <2 x float> %p, ptr %y, align 8"

# name: (module, cycles of a run through it)
STRAIGHT = {
    "f32 add, in the bundle of the return": (
        straight("float @f(float %x, float %y)", "%r = fadd float %x, %y", "ret float %r"),
        1,
    ),
    "load, then multiply and return": (
        straight(
            "float @f(ptr %x, float %y)",
            "%a = load float, ptr %x, align 4",
            "%r = fmul float %a, %y",
            "ret float %r",
        ),
        2,
    ),
    "two of y + x, loads and sums in one bundle": (
        straight(
            "void @f(float %y, ptr %in, ptr %out)",
            "%in1 = getelementptr float, ptr %in, i32 1",
            "%out1 = getelementptr float, ptr %out, i32 1",
            "%a = load float, ptr %in, align 4",
            "%b = load float, ptr %in1, align 4",
            "%c = fadd float %y, %a",
            "%d = fadd float %y, %b",
            "store float %c, ptr %out, align 4",
            "store float %d, ptr %out1, align 4",
            "ret void",
        ),
        5,
    ),
    "oeq": (compared("oeq"), 3),
    "une": (compared("une"), 3),
    "ugt": (compared("ugt"), 4),
    "one": (compared("one"), 5),
    "ord": (compared("ord"), 5),
    "uno": (compared("uno"), 5),
    "ueq": (compared("ueq"), 6),
    "f16 add": (halved("fadd"), 2),
    "f16 multiply": (halved("fmul"), 2),
    "float to int": (
        straight("i32 @f(float %x)", "%r = fptosi float %x to i32", "ret i32 %r"),
        4,
    ),
    "a half by an index": (
        straight(
            "half @f(ptr %x, i32 %i)",
            "%a = getelementptr half, ptr %x, i32 %i",
            "%r = load half, ptr %a, align 2",
            "ret half %r",
        ),
        2,
    ),
    "a half at an offset": (
        straight(
            "half @f(ptr %x)",
            "%a = getelementptr half, ptr %x, i32 4095",
            "%r = load half, ptr %a, align 2",
            "ret half %r",
        ),
        2,
    ),
    # The frame and the call 8, the runtime's function 7 or 8
    "a half is stored by a function": (
        straight(
            "void @f(ptr %x, ptr %y)",
            "%a = load half, ptr %x, align 2",
            "store half %a, ptr %y, align 2",
            "ret void",
        ),
        16,
    ),
    "complements that are part of an instruction": (
        straight(
            "i32 @f(i32 %x, i32 %y, i32 %z)",
            "%a = xor i32 %x, %y",
            "%b = xor i32 %a, -1",
            "%c = xor i32 %z, -1",
            "%r = and i32 %b, %c",
            "ret i32 %r",
        ),
        3,
    ),
    # 16 of the product's upper word, a shift, the return
    "a division by a constant": (
        straight("i32 @f(i32 %x)", "%r = udiv i32 %x, 6", "ret i32 %r"),
        18,
    ),
    "half of a number with a sign": (
        straight("i32 @f(i32 %x)", "%r = sdiv i32 %x, 2", "ret i32 %r"),
        4,
    ),
    "a branch compares with zero": (
        "define void @f(i32 %x) {\n  %z = icmp eq i32 %x, 0\n  br i1 %z, label %a, label %b\n"
        "a:\n  unreachable\nb:\n  unreachable\n}",
        1,
    ),
}
# name: (module, cycles of its blocks entry, before, body, after)
LOOPS: dict[str, tuple[str, list[int | None]]] = {
    "pairs move, counted down": (loop("i32 %n, ptr %x, ptr %y", MOVE), [2, 1, 3, 1]),
    "pairs move, repeated": (
        loop("i16 %k, ptr %x, ptr %y", MOVE).replace(
            "entry:", "entry:\n  %n = zext i16 %k to i32", 1
        ),
        [None, 1, 2, 1],
    ),
    "pairs add, in two loads each": (loop("i32 %n, ptr %x, ptr %y", PAIRS, 2), [2, None, 8, 1]),
    # An index has the width of a pointer, which on a tile is that of the counter
    "ints counted up, and their index": (
        loop("i64 %n, i32 %first, ptr %x", COUNTED_TWICE)
        .replace("i32 %n, 0", "i64 %n, 0")
        .replace("phi i32 [ 0, %before ], [ %next", "phi i64 [ 0, %before ], [ %next")
        .replace("%next = add i32 %i, 1", "%next = zext i32 %more_narrow to i64")
        .replace("icmp eq i32 %next", "icmp eq i64 %next"),
        [None, None, 3, 1],
    ),
    # Of 6 bundles 5 are nops beside one instruction: not repeated
    "ints add up, too many nops": (
        loop("i16 %k, ptr %x, ptr %y", MANY).replace(
            "entry:", "entry:\n  %n = zext i16 %k to i32", 1
        ),
        [None, None, 7, 1],
    ),
    "pairs of ints move": (loop("i32 %n, ptr %x, ptr %y", COPY, 2), [2, None, 5, 1]),
}


def cycles(module: str) -> list[int]:
    return machine.tileCycles(module)["f"]


@pytest.mark.parametrize("name", STRAIGHT)
def test_functions_take_as_many_bundles_as_graphcores_compiler_makes(name: str) -> None:
    module, bundles = STRAIGHT[name]
    assert sum(cycles(module)) == bundles


@pytest.mark.parametrize("name", LOOPS)
def test_loops_take_as_many_bundles_as_graphcores_compiler_makes(name: str) -> None:
    module, expected = LOOPS[name]
    for found, wanted in zip(cycles(module), expected, strict=True):
        assert wanted is None or found == wanted


# ---- codelets


def ints(n: int) -> np.ndarray:
    return np.arange(n, dtype=np.int32)


def floats(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def counted(name: str, **fields: Any) -> int:
    """Cycles of a worker, of a MultiVertex those of the one that has most."""
    bench = Bench(str(SOURCE))
    connected = {}
    for field, value in fields.items():
        if isinstance(value, np.ndarray):
            value = bench.variable(value, value.dtype)
        elif isinstance(value, list):
            value = [bench.variable(row, row.dtype) for row in value]
        connected[field] = value
    bench.vertex(name, **connected)
    report = bench.report()
    assert [row.source for row in report.operations] == ["counted"]
    found, rest = divmod(report.computeCycles, CONTEXTS)
    assert rest == 0
    return found


def largest(n: int) -> int:
    one = np.zeros((), np.int32)
    labels = ints(n).astype(np.uint32)
    return counted("Largest", values=ints(n), labels=labels, most=one, label=one.astype(np.uint32))


def column(rows: int) -> int:
    matrix = [floats(20) for _ in range(rows)]
    return counted("Column", matrix=matrix, column=floats(rows), zeros=floats(rows), at=16)


def squares(n: int) -> int:
    return counted("Squares", values=floats(n))


def move(height: int, width: int) -> int:
    rows = [[floats(width) for _ in range(height)] for _ in range(2)]
    return counted("Move", to=rows[0], height=height, width=width, **{"from": rows[1]})


def subtract(rows: int, columns: int, inner: int) -> int:
    return counted(
        "Subtract",
        a=[floats(inner) for _ in range(rows)],
        b=[floats(inner) for _ in range(columns)],
        c=[floats(columns) for _ in range(rows)],
        rows=rows,
        columns=columns,
        inner=inner,
    )


def opposite(n: int) -> int:
    return counted("Opposite", **{"in": np.zeros(n, bool), "out": np.zeros(n, bool)})


def quotients(dtype: Any, rest: bool) -> int:
    """Of the numbers that PopLibs' tables were made with: any by at most 15 bits and a sign."""
    random, signed = np.random.default_rng(1), dtype is np.int32
    limits = np.iinfo(dtype)
    a = random.integers(limits.min, limits.max, 400, dtype, endpoint=True)
    b = random.integers(-32767 if signed else 1, 32768, 400).astype(dtype)
    name = f"Quotients<{'int' if signed else 'unsigned int'},{'true' if rest else 'false'}>"
    return counted(name, a=a, b=np.where(b == 0, 1, b).astype(dtype), out=np.zeros(400, dtype))


def turns(name: str, n: int, **fields: Any) -> int:
    """What a worker has of n integers."""
    return counted(name, out=ints(n), **{field: ints(n) for field in fields.pop("of")}, **fields)


def longs_more(op: str) -> int:
    """What a worker has of 50 integers of two words more."""
    fields = {
        n: {name: np.arange(n, dtype=np.int64) for name in ("a", "b", "out")} for n in (600, 300)
    }
    more, less = (counted(f"OfLongs<'{op}'>", **fields[n]) for n in (600, 300))
    return more - less


def exchanges(kind: str, n: int) -> int:
    """Keys that all change places."""
    key = np.float32 if "float" in kind else np.int32
    keys = np.arange(2 * n)[::-1].astype(key)
    return counted(f"Exchange<{kind}>", keys=keys, values=floats(2 * n), apart=n, blocks=1)


def stencil(pairs: int) -> int:
    rows = {name: floats(2 * pairs + 2) for name in ("middle", "top", "bottom", "left", "right")}
    return counted("Stencil", **rows, out=floats(2 * pairs), alpha=0.5, beta=0.25, pairs=pairs)


def pairs(n: int) -> int:
    return counted("Pairs", values=floats(2 * n), more=0.5, pairs=n)


def pairs_more(op: str) -> int:
    of = {n: {name: floats(n) for name in ("a", "b", "out")} for n in (40, 80)}
    less, more = (counted(f"OfPairs<'{op}'>", n=n, **of[n]) for n in (40, 80))
    return more - less


def raised(name: str, n: int, dtype: Any = np.float32) -> int:
    more = {} if name == "Counted" else {"more": 0.5}
    size = {"n": n} if name.startswith("RaisedInPairs") else {}
    return counted(name, values=np.ones(n, dtype), **more, **size)


def raised_more(name: str, dtype: Any = np.float32) -> int:
    return raised(name, 120, dtype) - raised(name, 80, dtype)


# What, what it takes here, what is published of it. A worker's share of a vertex.
PUBLISHED = {
    "popnn::ReduceMaxClassSparse of ints, 64": (lambda: largest(64), 5 + 18 + 6 * 64),
    "popnn::ReduceMaxClassSparse of ints, 200": (lambda: largest(200), 5 + 18 + 6 * 200),
    "poplin::RowCopy, 30 rows": (lambda: column(30), 16 + 7 * 5 + 16),
    "poplin::RowCopy, 120 rows": (lambda: column(120), 16 + 7 * 20 + 16),
    "poplin::PartialSquareElements, 60 more": (lambda: squares(120) - squares(60), 5 * 10),
    "poplin::LUDBlockSplitVertex, 24 x 24": (lambda: move(24, 24), 4 * (12 + 4 * 24)),
    "poplin::LUDBlockSplitVertex, 60 x 48": (lambda: move(60, 48), 10 * (12 + 4 * 48)),
    "poplin::LUDBlockVertex<4>, 24^3": (
        lambda: subtract(24, 24, 24),
        5 + 24 * (5 + 4 * (8 + 7 * 24)),
    ),
    "popops::UnaryOp2D of bools, 40 more": (lambda: opposite(80) - opposite(40), 40 * (17 + 4)),
    "popops::BinaryOp2D, quotients of ints, 400": (lambda: quotients(np.int32, False), 400 * 277),
    "popops::BinaryOp2D, rests of ints, 400": (lambda: quotients(np.int32, True), 400 * 292),
    "popops::BinaryOp2D, of unsigned, 400": (lambda: quotients(np.uint32, False), 400 * 265),
    "popops::BinaryOp2D, rests, 400": (lambda: quotients(np.uint32, True), 400 * 282),
    "popops::BinaryOp1D, sums of ints, 50 more": (
        lambda: turns("Sums", 600, of="ab") - turns("Sums", 300, of="ab"),
        50 * 7,
    ),
    "popops::BinaryOp1D, xnor of ints, 50 more": (
        lambda: turns("Alike", 600, of="ab") - turns("Alike", 300, of="ab"),
        50 * 7,
    ),
    "popops::BroadcastScalar1D, products of ints, 50 more": (
        lambda: turns("Scaled", 600, of="a", by=3) - turns("Scaled", 300, of="a", by=3),
        50 * 6,
    ),
    "popops::BinaryOp1D of 64 bits, sums, 50 more": (lambda: longs_more("+"), 50 * 11),
    "popops::BinaryOp1D of 64 bits, products, 50 more": (lambda: longs_more("*"), 50 * 30),
    "popops::BinaryOp1D of 64 bits, and, 50 more": (lambda: longs_more("&"), 50 * 9),
    "popops::BinaryOp1D of 64 bits, maxima, 50 more": (lambda: longs_more(">"), 50 * 15),
    "popops::CompareAndSwapAtDistance of ints, 40 more": (
        lambda: exchanges("int,false", 60) - exchanges("int,false", 20),
        40 * 12,
    ),
    "popops::CompareAndSwapAtDistance of floats, 40 more": (
        lambda: exchanges("float,false", 60) - exchanges("float,false", 20),
        40 * 13,
    ),
    "popops::CompareAndSwapAtDistanceKeyVal, 40 more": (
        lambda: exchanges("int,true", 60) - exchanges("int,true", 20),
        40 * 17,
    ),
    "pairs of floats, by popc, 20 more": (lambda: pairs(40) - pairs(20), 20 * 4),
    # Of a loop that asks for no vectors: instructions of a turn of 2 floats, 2 floats, 4 halves,
    # 1 int
    "sums of floats, by popc, 40 more": (lambda: raised_more("Raised<float>"), 20 * 6),
    "sums of floats by 8 bytes, by popc, 40 more": (
        lambda: raised_more("RaisedInPairs<float>"),
        20 * 4,
    ),
    "sums of halves by 8 bytes, by popc, 40 more": (
        lambda: raised_more("RaisedInPairs<half>", np.float16),
        10 * 4,
    ),
    "sums of ints, by popc, 40 more": (lambda: raised_more("Counted", np.int32), 40 * 7),
    "popops::BinaryOp2D of floats, maxima, 40 more": (lambda: pairs_more(">"), 20 * 3),
    "popops::BroadcastVectorOuterByRow1D, sums, 40 more": (lambda: pairs_more("+"), 20 * 2),
    "popops::BroadcastScalar2DData, quotients, 40 more": (lambda: pairs_more("/"), 20 * 6),
    "a stencil of seven points, by popc, 20 more": (lambda: stencil(40) - stencil(20), 20 * 16),
}


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
@pytest.mark.parametrize("name", PUBLISHED)
def test_codelets_take_what_is_published_within_a_quarter(name: str) -> None:
    ours, published = PUBLISHED[name]
    assert 0.75 <= ours() / published <= 1.25


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
def test_a_division_takes_as_long_as_its_quotient_has_bits() -> None:
    def of(value: int) -> int:
        sixteen = np.full(16, value, np.uint32)
        return counted("Divide", **{"in": sixteen, "out": sixteen, "by": 1})

    assert of(1 << 20) - of(1 << 10) == of(1 << 30) - of(1 << 20) > 0
    assert of(0) < of(1)


@pytest.mark.parametrize(("kind", "takes"), [("float", 3), ("<2 x float>", 6)])
def test_a_division_of_floats_takes_three_cycles_each(kind: str, takes: int) -> None:
    """PopLibs' vertices say "1 or 3 cycles depending on input"; its functions count 3."""
    of = {
        operation: sum(
            cycles(
                straight(
                    f"void @f({kind} %x, {kind} %y, ptr %to)",
                    f"%r = {operation} {kind} %x, %y",
                    f"store {kind} %r, ptr %to, align 8",
                    "ret void",
                )
            )
        )
        for operation in ("fdiv", "fmul")
    }
    assert of["fdiv"] - of["fmul"] == takes - 1


LANES = """
  %a0 = extractelement <2 x float> %x, i64 0
  %b0 = extractelement <2 x float> %y, i64 LANE
  %m0 = call float @llvm.maxnum.f32(float %a0, float %b0)
  %v = insertelement <2 x float> poison, float %m0, i64 0
  %a1 = extractelement <2 x float> %x, i64 1
  %b1 = extractelement <2 x float> %y, i64 1
  %m1 = call float @llvm.maxnum.f32(float %a1, float %b1)
  %r = insertelement <2 x float> %v, float %m1, i64 1
  ret <2 x float> %r
"""


@pytest.mark.parametrize(("lane", "takes"), [("0", 1), ("1", 2)])
def test_lanes_that_are_put_back_are_one_instruction(lane: str, takes: int) -> None:
    """Not where a lane meets another one: f32v2max takes the lanes of both as they are."""
    body = LANES.replace("LANE", lane)
    module = f"define <2 x float> @f(<2 x float> %x, <2 x float> %y) {{{body}}}"
    assert sum(cycles(module)) == takes


POINTERS = """
entry:
  br label %body
body:
  %p = phi ptr [ %from, %entry ], [ %next, %body ]
  %i = phi i32 [ 0, %entry ], [ %more, %body ]
  store float %x, ptr %p, align 4
  %next = STEP %p, i64 4
  %more = add i32 %i, 1
  %end = icmp eq i32 %more, %n
  br i1 %end, label %after, label %body
after:
  store float %y, ptr %next, align 4
  ret void
"""


@pytest.mark.parametrize(("step", "takes"), [("getelementptr i8, ptr", 2), ("add i64", 3)])
def test_a_pointer_that_steps_is_there_after_its_loop(step: str, takes: int) -> None:
    """A store and the way back; what no load or store steps takes an addition."""
    body = POINTERS.replace("STEP", step)
    if step == "add i64":
        body = body.replace("ptr %from", "i64 0").replace("phi ptr [ %from", "phi i64 [ 0")
        body = body.replace("store float %x, ptr %p", "store float %x, ptr %from")
        body = body.replace("store float %y, ptr %next", "store i64 %next, ptr %from")
    module = f"define void @f(ptr %from, i32 %n, float %x, float %y) {{{body}}}"
    assert cycles(module)[1] == takes


SQUARES = """
#include <ipudef.h>
#include <poplar/Vertex.hpp>
using namespace poplar;
struct Squares : Vertex {
  InOut<Vector<float, VectorLayout::ONE_PTR, 8>> values;
  unsigned n;
FIELD
  void compute() {
#ifdef __IPU__
    auto* at = reinterpret_cast<float2*>(&values[0]);
    const unsigned pairs = n / 2;
    for (unsigned i = 0; i < pairs; ++i) at[i] *= at[i];
    OTHER
#else
    for (unsigned i = 0; i < n; ++i) values[i] = values[i] * values[i] * 1.5f / 1.5f;
#endif
  }
};
"""


def squares_more(field: str = "", other: str = "") -> int:
    source = SQUARES.replace("FIELD", field).replace("OTHER", other)

    def of(n: int) -> int:
        bench = Bench(source)
        values = bench.variable(floats(n) * 3, np.float32)
        bench.vertex("Squares", values=values, n=n)
        bench.graph.createHostRead("values", values)
        engine = bench.engine()
        engine.run(0)
        found = np.empty(n, np.float32)
        engine.readTensor("values", found)
        np.testing.assert_allclose(found, 9)
        report = MachineReport.of(engine)
        assert [row.source for row in report.operations] == ["counted"]
        return report.computeCycles // CONTEXTS

    return of(80) - of(40)


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
def test_what_a_source_has_for_a_tile_is_counted() -> None:
    """Of a pair a load, its square, a store, the way back; of single floats a division and more."""
    assert squares_more() == 20 * 4


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("", "const long2 same = at[0] == at[0]; n += same[0] + 1;"),
        ("", "n += reinterpret_cast<unsigned>(ushort2{1, 0}) - 1;"),
        (
            "#ifdef __IPU__\n  static unsigned state() { return __builtin_ipu_get(112); }\n#endif",
            "",
        ),
    ],
    ids=["vectors of long", "bits of a vector", "a builtin that is not called"],
)
def test_what_only_a_tiles_compiler_takes_does_not_keep_it_from_counting(
    field: str, other: str
) -> None:
    assert squares_more(field, other) == 20 * 4


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
@pytest.mark.parametrize(("most", "takes"), [("rptsize_t", 2), ("unsigned", 3)])
def test_a_counter_of_hardware_loops_repeats(most: str, takes: int) -> None:
    """A load and a store in two bundles; else the way back, too."""
    source = SOURCE.read_text().replace("const rptsize_t more", f"const {most} more")

    def of(n: int) -> int:
        bench = Bench(source)
        fields = {name: bench.variable(floats(n), np.float32) for name in ("a", "b", "out")}
        bench.vertex("OfPairs<'+'>", n=n, **fields)
        return bench.worker()

    assert of(80) - of(40) == 20 * takes


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("", 'asm volatile("no instruction of the host" :::);'),
        ("", "values[0] = undeclared();"),
        ("", "n += __builtin_ipu_get(112);"),
        ("#ifdef __IPU__\n  unsigned more;\n#endif", ""),
    ],
    ids=["assembly", "a name", "a builtin", "another field"],
)
def test_what_the_host_cannot_run_is_counted_as_the_host_has_it(field: str, other: str) -> None:
    assert squares_more(field, other) > 40 * 5


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
def test_sums_over_a_loop_and_strides_are_not_vectorised() -> None:
    """One at a time: a load and its sum, what counts down; a load, a store and that."""
    sums = [counted("Summed", values=floats(n), sum=floats()) for n in (40, 80)]
    assert sums[1] - sums[0] == 40 * 2
    others = [counted("EveryOther", values=floats(2 * n), out=floats(n)) for n in (40, 80)]
    assert others[1] - others[0] >= 40 * 3


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 40])
def test_loops_in_vectors_have_the_same_results(n: int) -> None:
    for dtype, name in ((np.float32, "float"), (np.float16, "half")):
        bench = Bench(str(SOURCE))
        given = np.arange(max(n, 1), dtype=dtype)
        values = bench.variable(given, given.dtype)
        bench.vertex(f"RaisedInPairs<{name}>", values=values, more=0.5, n=n)
        bench.graph.createHostRead("values", values)
        engine = bench.engine()
        engine.run(0)
        found = np.empty_like(given)
        engine.readTensor("values", found)
        np.testing.assert_array_equal(found[:n], given[:n] + dtype(0.5))
        np.testing.assert_array_equal(found[n:], given[n:])


@pytest.mark.skipif(not clang(), reason="no clang 15 or newer")
def test_a_builtin_is_an_instruction() -> None:
    """A load, the exponential's three cycles, a store, the branch back."""
    fields = {n: {"values": floats(n)} for n in (40, 80)}
    assert counted("Exponentials", **fields[80]) - counted("Exponentials", **fields[40]) == 40 * 6


def show() -> None:
    """Prints the comparison."""
    print(f"{'function':<50} {'bundles':>8} {'here':>8}")
    for name, (module, bundles) in STRAIGHT.items():
        print(f"{name:<50} {bundles:>8} {sum(cycles(module)):>8}")
    for name, (module, expected) in LOOPS.items():
        print(f"{name:<50} {expected!s:>8} {cycles(module)!s:>8}")
    print(f"\n{'codelet':<50} {'published':>9} {'here':>8} {'over it':>8}")
    for name, (ours, published) in PUBLISHED.items():
        found = ours()
        print(f"{name:<50} {published:>9} {found:>8} {found / published:>8.2f}")


if __name__ == "__main__":
    show()
