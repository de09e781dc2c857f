"""HLO text that JAX does not write, or whose edges it does not reach, gives what jaxlib gives."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from popir import custom_ops
from tests.foreign.xla.models import Array, leaves, run

if importlib.util.find_spec("jax") is None:
    pytest.skip(
        "jax is not installed, which is what popir is compared with", allow_module_level=True
    )

draw = np.random.default_rng(0)


def f32(*dims: int) -> Array:
    return draw.standard_normal(dims).astype(np.float32)


def whole(*values: object) -> Array:
    return np.array(values, np.int32)


SUM = """sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
"""
AGAIN = """again {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  half = f32[] constant(0.5)
  c = f32[] multiply(a, half)
  ROOT d = f32[] add(c, b)
}
"""
"""Its order matters."""
JOINED = """joined {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] multiply(a, b)
  d = f32[] add(a, b)
  ROOT e = f32[] add(c, d)
}
"""
GREATER = """ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE
}
"""
AFFINE = """after {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ac = f32[] multiply(a, c)
  bc = f32[] multiply(b, c)
  e = f32[] add(bc, d)
  ROOT t = (f32[], f32[]) tuple(ac, e)
}
"""
"""Affine maps one after the other: the order matters, but not how it is bracketed."""
OUT = whole([-5, 0], [-1, 1], [0, -2], [2, 3], [3, 1], [9, 9], [1, 2], [1, 2])
"""Places of boxes in f32[4,5], of which some do not lie inside."""
FAR = np.array([[2**40, 0], [-(2**40), 1], [1, 2**31 + 1], [2**32 + 1, 2]], np.int64)
"""Places that an int32 has not, or takes for others."""


def gather(kind: str, count: int) -> str:
    return f"""ENTRY e {{
      x = f32[4,5] parameter(0)
      i = {kind}[{count},2] parameter(1)
      ROOT y = f32[{count},2,3] gather(x, i), offset_dims={{1,2}}, collapsed_slice_dims={{}},
        start_index_map={{0,1}}, index_vector_dim=1, slice_sizes={{2,3}}
    }}"""


def scatter(computation: str, kind: str, count: int, more: str = "") -> str:
    name = computation.split()[0]
    return f"""{computation}ENTRY e {{
      x = f32[4,5] parameter(0)
      i = {kind}[{count},2] parameter(1)
      u = f32[{count},2,3] parameter(2)
      ROOT y = f32[4,5] scatter(x, i, u), update_window_dims={{1,2}}, inserted_window_dims={{}},
        scatter_dims_to_operand_dims={{0,1}}, index_vector_dim=1{more}, to_apply={name}
    }}"""


def window(computation: str, dims: str, to: str, text: str, start: float = 2) -> str:
    name = computation.split()[0]
    return f"""{computation}ENTRY e {{
      x = f32[{dims}] parameter(0)
      s = f32[] constant({start})
      ROOT y = f32[{to}] reduce-window(x, s), window={{{text}}}, to_apply={name}
    }}"""


def two_windows(dims: str, to: str, text: str) -> str:
    return f"""{AFFINE}ENTRY e {{
      x = f32[{dims}] parameter(0)
      y = f32[{dims}] parameter(1)
      s = f32[] constant(3)
      t = f32[] constant(-1)
      ROOT r = (f32[{to}], f32[{to}]) reduce-window(x, y, s, t), window={{{text}}}, to_apply=after
    }}"""


def select(dims: str, source: str, text: str, start: float = 0, scatter: str = SUM) -> str:
    return f"""{GREATER}{scatter}ENTRY e {{
      x = f32[{dims}] parameter(0)
      s = f32[{source}] parameter(1)
      i = f32[] constant({start})
      ROOT y = f32[{dims}] select-and-scatter(x, s, i), window={{{text}}}, select=ge,
        scatter={scatter.split()[0]}
    }}"""


def convolution(x: str, w: str, to: str, attributes: str) -> str:
    return f"""ENTRY e {{
      x = f32[{x}] parameter(0)
      w = f32[{w}] parameter(1)
      ROOT y = f32[{to}] convolution(x, w), {attributes}
    }}"""


LAST = "last {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n"
FUNCTION = """function {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] sine(a)
}
"""
"""What jax.lax.scatter_apply makes: the update is not used, equal places apply it again."""
TIES = np.array([3, 3, 1, 3, np.nan, 2, 2, -1, np.nan, 0, 5, 5], np.float32)

CASES: dict[str, tuple[str, list[Array]]] = {
    "gather_out_of_range": (gather("s32", 8), [f32(4, 5), OUT]),
    "gather_far_out": (gather("s64", 4), [f32(4, 5), FAR]),
    "gather_unsigned": (gather("u8", 3), [f32(4, 5), np.array([[255, 0], [1, 200], [0, 1]], "u1")]),
    "scatter_out_of_range": (scatter(SUM, "s32", 8), [f32(4, 5), OUT, f32(8, 2, 3)]),
    "scatter_far_out": (scatter(SUM, "s64", 4), [f32(4, 5), FAR, f32(4, 2, 3)]),
    "scatter_last": (scatter(LAST, "s32", 7), [f32(4, 5), OUT[:7], f32(7, 2, 3)]),
    "scatter_unsigned": (
        scatter(SUM, "u8", 3),
        [f32(4, 5), np.array([[255, 0], [1, 200], [0, 1]], "u1"), f32(3, 2, 3)],
    ),
    "scatter_again": (scatter(AGAIN, "s32", 8), [f32(4, 5), OUT, f32(8, 2, 3)]),
    "scatter_function": (scatter(FUNCTION, "s32", 8), [f32(4, 5), OUT, f32(8, 2, 3)]),
    "scatter_unique": (
        scatter(AGAIN, "s32", 3, ", unique_indices=true"),
        [f32(4, 5), whole([0, 0], [2, 2], [7, 7]), f32(3, 2, 3)],
    ),
    "scatter_one": (scatter(AGAIN, "s32", 1), [f32(4, 5), whole([1, 1]), f32(1, 2, 3)]),
    "scatter_truths": (
        """or {
          a = pred[] parameter(0)
          b = pred[] parameter(1)
          ROOT c = pred[] or(a, b)
        }
        ENTRY e {
          x = pred[4] parameter(0)
          i = s32[6,1] parameter(1)
          u = pred[6] parameter(2)
          ROOT y = pred[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},
            scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=or
        }""",
        [
            np.array([True, False, False, False]),
            whole([0], [1], [1], [2], [4], [-1]),
            np.array([False, True, False, False, True, True]),
        ],
    ),
    "scatter_two": (
        f"""{AFFINE}ENTRY e {{
          x = f32[6,2] parameter(0)
          y = f32[6,2] parameter(1)
          i = s32[5] parameter(2)
          u = f32[5,2] parameter(3)
          v = f32[5,2] parameter(4)
          ROOT r = (f32[6,2], f32[6,2]) scatter(x, y, i, u, v), update_window_dims={{1}},
            inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1,
            to_apply=after
        }}""",
        [f32(6, 2), f32(6, 2), whole(1, 4, 1, 6, 4), f32(5, 2), f32(5, 2)],
    ),
    "scatter_inner_window": (
        f"""{AGAIN}ENTRY e {{
          x = f32[3,4,5] parameter(0)
          i = s32[2,6] parameter(1)
          u = f32[4,6] parameter(2)
          ROOT y = f32[3,4,5] scatter(x, i, u), update_window_dims={{0}},
            inserted_window_dims={{0,2}}, scatter_dims_to_operand_dims={{2,0}},
            index_vector_dim=0, to_apply=again
        }}""",
        [f32(3, 4, 5), whole([0, 4, 5, 0, 2, 2], [0, 1, 0, 0, -1, 2]), f32(4, 6)],
    ),
    "window_of_a_computation": (
        window(JOINED, "5,6", "6,4", "size=3x3 stride=1x2 pad=2_1x1_2"),
        [f32(5, 6)],
    ),
    "windows": (two_windows("4,5", "3,4", "size=2x2"), [f32(4, 5), f32(4, 5)]),
    "windows_padded": (
        two_windows("4,5", "6,4", "size=3x3 stride=1x2 pad=2_2x2_2"),
        [f32(4, 5), f32(4, 5)],
    ),
    "windows_spread": (
        two_windows("3,4", "5,6", "size=3x4 stride=1x2 pad=1_1x3_2 lhs_dilate=2x3 rhs_dilate=1x1"),
        [f32(3, 4), f32(3, 4)],
    ),
    "windows_dilated": (
        two_windows("6,7", "4,3", "size=2x3 pad=0_0x1_-1 rhs_dilate=2x2"),
        [f32(6, 7), f32(6, 7)],
    ),
    "windows_of_padding": (two_windows("3", "6", "size=2 pad=3_1"), [f32(3), f32(3)]),
    "windows_of_nothing": (
        two_windows("0,3", "2,2", "size=2x2 pad=2_1x0_0"),
        [f32(0, 3), f32(0, 3)],
    ),
    "window_sum_padded": (
        window(SUM, "4,5", "6,4", "size=3x3 stride=1x2 pad=2_2x2_2"),
        [f32(4, 5)],
    ),
    "select": (
        select("6,6", "3,2", "size=2x3 stride=2x3"),
        [f32(6, 6), f32(3, 2)],
    ),
    "select_overlapping": (
        select("1,7,6,2", "1,5,3,2", "size=1x3x3x1 stride=1x1x2x1 pad=0_0x0_0x1_0x0_0", 0.5),
        [f32(1, 7, 6, 2), f32(1, 5, 3, 2)],
    ),
    "select_ties": (select("12", "12", "size=3 pad=1_1"), [TIES, f32(12)]),
    "select_padding": (select("4", "8", "size=2 pad=3_2"), [f32(4), f32(8)]),
    "select_again": (
        select("6", "5", "size=2", scatter=AGAIN),
        [np.array([1, 3, 2, 2, 5, 4], np.float32), f32(5)],
    ),
    "batch_groups": (
        convolution(
            "4,3,6,7",
            "8,3,2,3",
            "2,8,5,5",
            "window={size=2x3}, dim_labels=bf01_oi01->bf01, batch_group_count=2",
        ),
        [f32(4, 3, 6, 7), f32(8, 3, 2, 3)],
    ),
    "batch_groups_moved": (
        convolution(
            "5,7,6",
            "4,5,9",
            "3,9,2",
            "window={size=4 pad=1_1 rhs_reversal=1 stride=2}, "
            "dim_labels=f0b_0io->0fb, batch_group_count=3",
        ),
        [f32(5, 7, 6), f32(4, 5, 9)],
    ),
}


WIDE = (draw.standard_normal(500) * np.exp2(draw.integers(-160, 120, 500))).astype(np.float32)
ENDS = np.array([0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.9, 65520, 6.1e-5, 6e-5], np.float32)
for kind, array in {"f16": np.float16, "f32": np.float32, "f64": np.float64}.items():
    for e, m in ((5, 10), (8, 7), (4, 3), (5, 2), (2, 0), (5, 9)):
        if e <= 5 or kind != "f16":
            text = f"""ENTRY e {{
              x = {kind}[510] parameter(0)
              ROOT y = {kind}[510] reduce-precision(x), exponent_bits={e}, mantissa_bits={m}
            }}"""
            with np.errstate(over="ignore", under="ignore"):
                values = np.concatenate([WIDE, ENDS]).astype(array)
            CASES[f"reduce_precision_{kind}_{e}_{m}"] = (text, [values])
CASES["dot_of_truths"] = (
    """ENTRY e {
      x = pred[3,400] parameter(0)
      y = pred[400,4] parameter(1)
      ROOT z = pred[3,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    }""",
    [draw.random((3, 400)) < 0.05, draw.random((400, 4)) < 0.05],
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hlo")
    for name, (text, values) in CASES.items():
        (made / f"{name}.hlo").write_text(f"HloModule {name}\n{text}\n")
        np.savez(made / f"{name}.npz", **{f"{i}": x for i, x in enumerate(values)})
    command = [sys.executable, str(Path(__file__).parent / "hlo_oracle.py"), str(made)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("name", CASES)
def test_results(name: str, folder: Path) -> None:
    text, values = CASES[name]
    program = custom_ops.xla_program(text)
    inputs = dict(zip(leaves(program.inputs), values, strict=True))
    got = run(program.builder.getModelProto(), inputs, leaves(program.output))
    want = np.load(folder / f"{name}.out.npz")
    assert len(got) == len(want)
    for i, each in enumerate(got):
        assert each.dtype == want[f"{i}"].dtype
        if "precision" in name:
            np.testing.assert_array_equal(each.view("u1"), want[f"{i}"].view("u1"))
        np.testing.assert_allclose(each, want[f"{i}"], rtol=1e-5, atol=1e-6)
