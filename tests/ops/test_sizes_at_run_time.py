"""Operators whose sizes are known when the model is compiled, although they are at places that only
the run knows: Slice, Range, Trilu.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
import torch

import popir
from popir.backend import prepare
from popir.errors import LeavesDeviceError, PopirError
from popir.ir import Graph
from popir.ir.graph import called_graphs
from popir.ir.integers import Integers
from popir.onnxio.importer import import_model
from tests.models import floats, run
from tests.ops.control.models import agrees, expected, gradients, parsed, results

X = np.arange(20, dtype=np.float32).reshape(2, 10) + 1


def window(start: str, length: int, step: int = 1, axis: int = 1) -> onnx.ModelProto:
    """A slice of x [2, 10] from `start`, text that makes `c` of the input `i`."""
    return parsed(f"""g (float[2, 10] x, int64 i) => (float[A, B] y) {{
        zero = Constant<value_ints = [0]>() {start}
        s = Unsqueeze(c, zero)
        n = Constant<value_ints = [{length}]>() e = Add(s, n)
        a = Constant<value_ints = [{axis}]>() d = Constant<value_ints = [{step}]>()
        y = Slice(x, s, e, a, d) }}""")


FREE = "c = Identity(i)"
LAST = """m = Constant<value_int = -4>() l = Constant<value_int = -9>()
    c = Clip(i, l, m)"""
CLIPPED = """low = Constant<value_int = 0>() high = Constant<value_int = 7>()
    c = Clip(i, low, high)"""


def kinds(graph: Graph) -> list[str]:
    inside = [each for called in called_graphs(graph) for each in called.ops.values()]
    return [op.opid.type for op in [*graph.ops.values(), *inside]]


def fed(i: int) -> dict[str, Any]:
    return {"x": X, "i": np.array(i, np.int64)}


@pytest.mark.parametrize(
    ("start", "length", "step", "inside"),
    [
        (FREE, 3, 1, [0, 2, 7, -4, -10]),
        (FREE, 6, 2, [0, 4, 5, -7]),
        (FREE, -5, -2, [9, 5, -1, -5, -6]),
        (FREE, 10, 1, [0]),
        (CLIPPED, 3, 1, [0, 5, 7, 9, 99, -1, -99]),
        (CLIPPED, 3, 2, [0, 5, 8]),
        ("five = Constant<value_int = 5>() c = Mod(i, five)", 4, 1, [0, 3, 13]),
        (LAST, 3, 1, [-5, 1, -9, -99]),
    ],
)
def test_slices_inside(start: str, length: int, step: int, inside: list[int]) -> None:
    for i in inside:
        agrees(window(start, length, step), fed(i), 0)


@pytest.mark.parametrize(("length", "step"), [(3, 1), (5, 2), (-3, -1)])
def test_slices_that_reach_out_end_with_zeros(length: int, step: int) -> None:
    model = window(FREE, length, step)
    for i in range(-14, 15):
        (short,) = expected(model, fed(i))
        (found,) = results(model, fed(i))
        assert found.shape == (2, -(-length // step))
        np.testing.assert_array_equal(found[:, : short.shape[1]], short)
        assert not found[:, short.shape[1] :].any()


def test_only_slices_that_lie_inside_are_plain() -> None:
    for start in ("c = Identity(i)", CLIPPED):
        graph = import_model(window(start, 3))
        is_inside = start == CLIPPED
        assert ("DynamicSlice" in kinds(graph)) == is_inside
        assert graph.assumed is not None
        assert bool(graph.assumed) != is_inside


def test_several_axes_some_of_them_known() -> None:
    model = parsed("""g (float[2, 10] x, int64[2] i) => (float[A, B] y) {
        n = Constant<value_ints = [1, 4]>() e = Add(i, n)
        y = Slice(x, i, e) }""")
    agrees(model, {"x": X, "i": np.array([1, 3])}, 0)
    model = parsed("""g (float[2, 10] x, int64 i) => (float[A, B] y) {
        one = Constant<value_ints = [1]>() zero = Constant<value_ints = [0]>()
        s = Unsqueeze(i, zero) starts = Concat<axis = 0>(s, one)
        n = Constant<value_ints = [4]>() e = Add(s, n)
        two = Constant<value_ints = [2]>() ends = Concat<axis = 0>(e, two)
        axes = Constant<value_ints = [1, 0]>() y = Slice(x, starts, ends, axes) }""")
    agrees(model, fed(6), 0)


@pytest.mark.parametrize("start", [FREE, CLIPPED])
@pytest.mark.parametrize("step", [1, 2])
def test_gradients(start: str, step: int) -> None:
    x = floats(2, 10)
    for i in (0, 4, 7):
        given = torch.tensor(x, requires_grad=True)
        y = given[:, i : i + 3 : step]
        factors = floats(*y.shape)
        (y * torch.from_numpy(factors)).sum().backward()
        found = gradients(window(start, 3, step), {"x": x, "i": np.array(i)}, {"y": factors}, ["x"])
        assert given.grad is not None
        np.testing.assert_array_equal(found["x"], given.grad.numpy())


MEAN = "m = ReduceMean<keepdims = 0>(w, one)"
NORMED = "u = LpNormalization<axis = 1>(w) m = ReduceMax<keepdims = 0>(u, one)"


def windows(count: int, length: int, reduced: str = MEAN) -> onnx.ModelProto:
    """A loop over windows of x."""
    return parsed(f"""g (float[2, 10] x, float[2] h) => (float[2] y, float[N, 2] each) {{
        count = Constant<value_int = {count}>() true = Constant<value = bool {{1}}>()
        y, each = Loop<body = b (int64 i, bool c, float[2] h) => (bool d, float[2] k, float[2] o) {{
            zero = Constant<value_ints = [0]>() one = Constant<value_ints = [1]>()
            s = Unsqueeze(i, zero) n = Constant<value_ints = [{length}]>() e = Add(s, n)
            w = Slice(x, s, e, one) {reduced}
            sum = Add(m, h) k = Tanh(sum) o = Identity(m) d = Identity(c) }}>(count, true, h)
        }}""")


def test_windows_in_a_loop() -> None:
    model = windows(8, 3)
    agrees(model, {"x": floats(2, 10), "h": floats(2)})
    assert {"Loop", "DynamicSlice"} <= {*kinds(import_model(model))}


@pytest.mark.parametrize("reduced", [MEAN, NORMED])
def test_windows_in_a_loop_that_get_shorter_are_exact(reduced: str) -> None:
    model = windows(9, 3, reduced)
    agrees(model, {"x": floats(2, 10), "h": floats(2)})
    assert ("Loop" in kinds(import_model(model))) == (reduced == MEAN)


def test_gradients_of_windows_in_a_loop() -> None:
    x, h = floats(2, 10), floats(2)
    given = [torch.tensor(each, requires_grad=True) for each in (x, h)]
    state = given[1]
    for i in range(8):
        state = torch.tanh(given[0][:, i : i + 3].mean(1) + state)
    factors = floats(2)
    (state * torch.from_numpy(factors)).sum().backward()
    model = windows(8, 3)
    del model.graph.output[1:]
    found = gradients(model, {"x": x, "h": h}, {"y": factors}, ["x", "h"])
    for name, want in zip(("x", "h"), given, strict=True):
        assert want.grad is not None
        np.testing.assert_allclose(found[name], want.grad.numpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("delta", [1, 3, -2])
def test_ranges(delta: int) -> None:
    model = parsed(f"""g (int64 i) => (int64[N] y) {{
        n = Constant<value_int = {5 if delta > 0 else -5}>() e = Add(i, n)
        d = Constant<value_int = {delta}>() y = Range(i, e, d) }}""")
    for i in (0, 4, -7):
        agrees(model, {"i": np.array(i)}, 0)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("shape", [[3, 4], [2, 3, 2], [0, 2]])
def test_triangles(upper: int, shape: list[int]) -> None:
    dims = ", ".join(map(str, shape))
    model = parsed(f"""g (float[{dims}] x, int64 k) => (float[{dims}] y) {{
        y = Trilu<upper = {upper}>(x, k) }}""")
    for k in (-9, -1, 0, 2, 9):
        agrees(model, {"x": floats(*shape), "k": np.array(k)}, 0)


@pytest.mark.parametrize(
    "ends",
    [
        "e = Constant<value_ints = [9]>()",
        "e = Add(s, s)",
        "n = Constant<value_ints = [11]>() e = Add(s, n)",
        "n = Constant<value_ints = [-1]>() e = Add(s, n)",
    ],
)
def test_sizes_that_are_not_known(ends: str) -> None:
    model = parsed(f"""g (float[2, 10] x, int64 i) => (float[A, B] y) {{
        zero = Constant<value_ints = [0]>() s = Unsqueeze(i, zero) {ends}
        a = Constant<value_ints = [1]>() y = Slice(x, s, e, a) }}""")
    with pytest.raises(LeavesDeviceError, match=r"Slice.*input 1.*must be a constant"):
        run(model, fed(2), ["y"])
    for i in (2, -3, 8):
        (found,) = prepare(model).run(fed(i))
        np.testing.assert_array_equal(found, expected(model, fed(i))[0])


@pytest.mark.parametrize("wrong", ["a = Constant<value_ints = [2]>()", "a = Identity(s)"])
def test_wrong_axes(wrong: str) -> None:
    model = parsed(f"""g (float[2, 10] x, int64 i) => (float[A, B] y) {{
        zero = Constant<value_ints = [0]>() s = Unsqueeze(i, zero)
        n = Constant<value_ints = [3]>() e = Add(s, n) {wrong} y = Slice(x, s, e, a) }}""")
    with pytest.raises(PopirError, match="Slice"):
        run(model, fed(2), ["y"])


@pytest.mark.parametrize("start", [FREE, CLIPPED])
def test_segments_are_exact(start: str) -> None:
    model = window(start, 3)
    prepared, segmented = prepare(model), popir.SegmentedModel(model)
    for i in (0, 8, 3, 12, -2, -11, 5):
        want = expected(model, fed(i))[0]
        np.testing.assert_array_equal(prepared.run(fed(i))[0], want)
        np.testing.assert_array_equal(segmented.run(fed(i))["y"], want)
    assert (segmented.compiled == 1) == (start == CLIPPED)


def test_a_long_way_to_an_index() -> None:
    """It is not looked at to its end, and harms nothing."""
    steps = " ".join(f"i{n + 1} = Add(i{n}, i{n})" for n in range(3000))
    model = parsed(f"""g (float[9] x, int64[1] i0) => (float[3] y) {{ {steps}
        three = Constant<value_ints = [3]>() e = Add(i3000, three) y = Slice(x, i3000, e) }}""")
    agrees(model, {"x": floats(9), "i0": np.zeros(1, np.int64)})


def forms(text: str) -> list[tuple[int, int]]:
    """The least and greatest values of y, which the nodes compute."""
    model = parsed(f"g (int64 i, int64[2] j, float[3, 4] x, bool b) => (int64[N] y) {{ {text} }}")
    found = Integers().of(import_model(model).getTensor("y"))
    assert found is not None
    return [(form.low, form.high) for form in found.reshape(-1)]


THREES = [(0, 3), (0, 3)]
FOUR = "four = Constant<value_int = 4>() minus = Constant<value_int = -4>() "


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("y = ArgMax<axis = 1, keepdims = 0>(x)", [(0, 3)] * 3),
        (FOUR + "m = Mod(i, four) y = Mul(m, minus)", [(-12, 0)]),
        (FOUR + "m = Mod(i, four) y = Mul(m, m)", [(0, 9)]),
        (FOUR + "m = Min(i, four) y = Max(m, minus)", [(-4, 4)]),
        (FOUR + "m = Mod(i, four) y = Max(m, four)", [(4, 4)]),
        (FOUR + "m = Mod(i, four) y = Sub(m, m)", [(0, 0)]),
        (FOUR + "c = Cast<to = 7>(b) y = Add(c, four)", [(4, 5)]),
        (FOUR + "y = Where(b, four, minus)", [(-4, 4)]),
        (FOUR + "m = Mod(j, four) n = Neg(m) y = Concat<axis = 0>(n, m)", [(-3, 0)] * 2 + THREES),
        (FOUR + "m = Mod(i, four) s = Shape(x) y = Expand(m, s)", [(0, 3)] * 12),
        (FOUR + "y = Mod(i, minus)", [(-(1 << 63), (1 << 63) - 1)]),
    ],
)  # fmt: skip
def test_ranges_of_integers(text: str, want: list[tuple[int, int]]) -> None:
    assert forms(text) == want
