"""Computations on scalars in HLO text: any comparison sorts, any computation reduces."""

import numpy as np
import pytest

from popir import custom_ops
from tests.foreign.xla.models import Array, leaves, run
from tests.foreign.xla.test_calls import f32


def ran(text: str, *values: Array) -> list[Array]:
    program = custom_ops.xla_program(text)
    inputs = dict(zip(leaves(program.inputs), values, strict=True))
    return run(program.builder.getModelProto(), inputs, leaves(program.output))


LEXICOGRAPHIC = """less {{
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = s32[] parameter(4)
  f = s32[] parameter(5)
  first = pred[] compare(a, b), direction=LT
  same = pred[] compare(a, b), direction=EQ
  second = pred[] compare(c, d), direction=GT
  both = pred[] and(same, second)
  ROOT less = pred[] or(first, both)
}}
ENTRY e {{
  i = s32[{n},2] parameter(0)
  x = f32[{n},2] parameter(1)
  k = s32[{n},2] iota(), iota_dimension=0
  ROOT s = (s32[{n},2], f32[{n},2], s32[{n},2]) sort(i, x, k), dimensions={{0}}, to_apply=less
}}"""


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 16, 17, 100])
def test_sort_by_two_keys(n: int) -> None:
    """One ascending, one descending; what is equal keeps its order."""
    draw = np.random.default_rng(n)
    i = draw.integers(0, 4, (n, 2)).astype(np.int32)
    x = draw.integers(0, 3, (n, 2)).astype(np.float32)
    found = ran(LEXICOGRAPHIC.format(n=n), i, x)
    order = np.lexsort((-x, i), axis=0)
    for got, want in zip(found, (i, x, np.arange(n)[:, None].repeat(2, 1)), strict=True):
        np.testing.assert_array_equal(got, np.take_along_axis(want, order, 0))


def test_sort_in_the_total_order() -> None:
    """The computation makes neither zeros nor NaN one, so TopK would be wrong."""
    text = """less {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = pred[] compare(a, b), direction=LT, type=TOTALORDER
    }
    ENTRY e {
      x = f32[9] parameter(0)
      ROOT s = f32[9] sort(x), dimensions={0}, to_apply=less
    }"""
    nan = np.float32(np.nan)
    x = f32(0.0, nan, -0.0, 1, -np.inf, 0.0, -nan, np.inf, -0.0)
    (got,) = ran(text, x)
    want = f32(-nan, -np.inf, -0.0, -0.0, 0.0, 0.0, 1, np.inf, nan)
    np.testing.assert_array_equal(got.view(np.int32), want.view(np.int32))


@pytest.mark.parametrize("direction", ["EQ", "NE", "LT", "LE", "GT", "GE"])
@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_compares_in_the_total_order(direction: str, kind: str) -> None:
    text = f"""ENTRY e {{
      x = {kind}[8,8] parameter(0)
      y = {kind}[8,8] parameter(1)
      ROOT c = pred[8,8] compare(x, y), direction={direction}, type=TOTALORDER
    }}"""
    dtype = np.dtype(f"float{kind[1:]}")
    nan = np.array(np.nan, dtype)
    row = np.array([-nan, -np.inf, -2, -0.0, 0.0, 2, np.inf, nan], dtype)
    rank = np.arange(8)
    names = {"EQ": "equal", "NE": "not_equal", "LT": "less", "LE": "less_equal"}
    names |= {"GT": "greater", "GE": "greater_equal"}
    want = getattr(np, names[direction])(rank[:, None], rank[None])
    (got,) = ran(text, row[:, None].repeat(8, 1), row[None].repeat(8, 0))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8])
def test_reduce_of_two_arrays(n: int) -> None:
    """Affine maps one after the other, whose order matters: (a, b) then (c, d)."""
    text = f"""after {{
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      c = f32[] parameter(2)
      d = f32[] parameter(3)
      ac = f32[] multiply(a, c)
      bc = f32[] multiply(b, c)
      e = f32[] add(bc, d)
      ROOT t = (f32[], f32[]) tuple(ac, e)
    }}
    ENTRY e {{
      x = f32[3,{n}] parameter(0)
      y = f32[3,{n}] parameter(1)
      one = f32[] constant(1)
      zero = f32[] constant(0)
      ROOT r = (f32[3], f32[3]) reduce(x, y, one, zero), dimensions={{1}}, to_apply=after
    }}"""
    draw = np.random.default_rng(n)
    x, y = draw.standard_normal((2, 3, n)).astype(np.float32)
    a, b = np.ones(3, np.float32), np.zeros(3, np.float32)
    for i in range(n):
        a, b = a * x[:, i], b * x[:, i] + y[:, i]
    got = ran(text, x, y)
    np.testing.assert_allclose(got[0], a, rtol=1e-5)
    np.testing.assert_allclose(got[1], b, rtol=1e-5, atol=1e-6)


def test_map_with_a_call() -> None:
    text = """square {
      v = f32[] parameter(0)
      ROOT w = f32[] multiply(v, v)
    }
    f {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      two = f32[] constant(2)
      c = f32[] call(a), to_apply=square
      d = f32[] call(b), to_apply=square
      e = f32[] multiply(d, two)
      ROOT g = f32[] subtract(c, e)
    }
    ENTRY e {
      x = f32[2,3] parameter(0)
      y = f32[2,3] parameter(1)
      ROOT m = f32[2,3] map(x, y), dimensions={0,1}, to_apply=f
    }"""
    x, y = np.random.default_rng(0).standard_normal((2, 2, 3)).astype(np.float32)
    (got,) = ran(text, x, y)
    np.testing.assert_allclose(got, x * x - 2 * y * y, rtol=1e-5)


def test_bits() -> None:
    text = "ENTRY e {\n  x = f32[3] parameter(0)\n  ROOT y = u32[3] bitcast-convert(x)\n}"
    x = f32(1, -0.0, np.inf)
    (got,) = ran(text, x)
    np.testing.assert_array_equal(got, x.view(np.uint32))
