"""Parts of tensors that begin or end where only the run knows, as a cache of keys and values has
them: attended to, joined, split, padded. Results are onnxruntime's, gradients PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import popir
from popir.errors import LeavesDeviceError
from tests.models import Array, floats, run
from tests.ops.control.models import expected, gradients, parsed, results

CACHE, QUERY = floats(2, 6, 4), floats(2, 3, 4)
INTS = """zero = Constant<value_ints = [0]>() one = Constant<value_ints = [1]>()
    two = Constant<value_ints = [2]>() six = Constant<value_ints = [6]>()
    big = Constant<value_ints = [9223372036854775807]>() n = Unsqueeze(i, zero) """
PREFIX = INTS + "k = Slice(c, zero, n, one) "
BEHIND = INTS + "k = Slice(c, n, big, one) "
SCORES = "t = Transpose<perm = [0, 2, 1]>(k) s = MatMul(q, t) p = Softmax<axis = -1>(s) "


def in_heads(c: torch.Tensor, q: torch.Tensor, i: int, scale: float | None = None) -> torch.Tensor:
    """Two heads that attend to the first `i` of the cache: [2, 3, 2, 2]."""
    k = c[:, :i].reshape(2, i, 2, 2).transpose(1, 2)
    q = q.view(2, 3, 2, 2).transpose(1, 2)
    return F.scaled_dot_product_attention(q, k, k, scale=scale).transpose(1, 2)


Case = tuple[str, Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]]
CASES: dict[str, Case] = {
    "attention": (
        PREFIX + SCORES + "y = MatMul(p, k)",
        lambda c, q, i: (q @ c[:, :i].mT).softmax(-1) @ c[:, :i],
    ),
    "attention to what is behind": (
        BEHIND + SCORES + "y = MatMul(p, k)",
        lambda c, q, i: (q @ c[:, i:].mT).softmax(-1) @ c[:, i:],
    ),
    "attention in heads": (
        PREFIX + """d = Constant<value_ints = [2]>() h = Concat<axis = 0>(two, n, d, d)
        w = Reshape(k, h) a = Transpose<perm = [0, 2, 1, 3]>(w)
        e = Constant<value_ints = [2, 3, 2, 2]>() u = Reshape(q, e)
        b = Transpose<perm = [0, 2, 1, 3]>(u) s = Einsum<equation = "bhqd,bhkd->bhqk">(b, a)
        p = Softmax<axis = -1>(s) y = Einsum<equation = "bhqk,bhkd->bqhd">(p, a)""",
        lambda c, q, i: in_heads(c, q, i, 1.0),
    ),
    "the operator Attention": (
        PREFIX + "y = Attention<q_num_heads = 2, kv_num_heads = 2>(q, k, k)",
        lambda c, q, i: in_heads(c, q, i).flatten(2),
    ),
    "rows by matrices": (
        PREFIX + "t = Transpose<perm = [0, 2, 1]>(q) s = MatMul(k, t) p = Softmax<axis = 1>(s) "
        "y = ReduceSumSquare<keepdims = 0>(p, one)",
        lambda c, q, i: (c[:, :i] @ q.mT).softmax(1).square().sum(1),
    ),
    "a cache that grows": (
        PREFIX + "g = Concat<axis = 1>(k, q) t = Transpose<perm = [0, 2, 1]>(g) s = MatMul(q, t) "
        "p = Softmax<axis = -1>(s) y = MatMul(p, g)",
        lambda c, q, i: (q @ torch.cat([c[:, :i], q], 1).mT).softmax(-1)
        @ torch.cat([c[:, :i], q], 1),
    ),
    "what changes places": (
        PREFIX + "b = Slice(c, n, big, one) y = Concat<axis = 1>(b, k)",
        lambda c, q, i: torch.cat([c[:, i:], c[:, :i]], 1),
    ),
    "parts of a Split": (
        INTS + "m = Sub(six, n) z = Concat<axis = 0>(n, m) k, b = Split<axis = 1>(c, z) "
        "d = Exp(b) y = Concat<axis = 1>(d, k, q)",
        lambda c, q, i: torch.cat([c[:, i:].exp(), c[:, :i], q], 1),
    ),
    "parts of a sequence": (
        INTS + "m = Sub(six, n) z = Concat<axis = 0>(n, m) a = SplitToSequence<axis = 1>(c, z) "
        "j = Constant<value_int = 1>() b = SequenceAt(a, j) y = ReduceMax<keepdims = 0>(b, one)",
        lambda c, q, i: c[:, i:].amax(1),
    ),
    "running sums": (
        BEHIND + "j = Constant<value_int = 1>() u = CumSum<reverse = 1>(k, j) v = Mul(u, k) "
        "y = ReduceMean<keepdims = 0>(v, one)",
        lambda c, q, i: (c[:, i:].flip(1).cumsum(1).flip(1) * c[:, i:]).mean(1),
    ),
    "a constant behind": (
        BEHIND + "r = Shape(k) v = Constant<value = float {0.5}>() l = CastLike(v, k) "
        "w = Expand(l, r) j = Constant<value_int = 0>() m = Constant<value_int = 6>() "
        "o = Constant<value_int = 1>() a = Range(j, m, o) e = Slice(a, n, big, zero) "
        "f = Unsqueeze(e, one) t = Transpose<perm = [1, 0, 2]>(c) "
        "h = Transpose<perm = [1, 0, 2]>(w) g = ScatterND(t, f, h) "
        "y = Transpose<perm = [1, 0, 2]>(g)",
        lambda c, q, i: torch.cat([c[:, :i], torch.full_like(c[:, i:], 0.5)], 1),
    ),
}  # fmt: skip


def fed(i: int) -> dict[str, Array]:
    return {"c": CACHE, "q": QUERY, "i": np.array(i)}


@pytest.mark.parametrize("name", CASES)
def test_against_onnxruntime_and_pytorch(name: str) -> None:
    body, function = CASES[name]
    types = "float[2, 6, 4] c, float[2, 3, 4] q, int64 i"
    model = parsed(f"g ({types}) => (float y) {{ {body} }}", 23)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    for i in (1, 4, 5):
        (found,), (want,) = results(model, fed(i)), expected(model, fed(i))
        np.testing.assert_allclose(found, want, 1e-5, 1e-6)
        given = [torch.tensor(each, requires_grad=True) for each in (CACHE, QUERY)]
        y = function(given[0], given[1], i)
        factors = floats(*y.shape)
        (y * torch.from_numpy(factors)).sum().backward()
        towards = {id: t.grad for id, t in zip("cq", given, strict=True) if t.grad is not None}
        slopes = gradients(model, fed(i), {"y": factors}, [*towards])
        for id, grad in towards.items():
            np.testing.assert_allclose(slopes[id], grad.numpy(), 1e-4, 1e-6, err_msg=id)


@pytest.mark.parametrize("value", ["", ", v"])
@pytest.mark.parametrize("mode", ["constant", "edge", "wrap", "reflect"])
def test_pads_whose_sum_is_known(mode: str, value: str) -> None:
    """From the back, or with bounds if elements are repeated."""
    clip = "a = Clip(i, low, high)" if mode != "constant" else "a = Identity(i)"
    model = parsed(f"""g (float[2, 4] x, int64 i) => (float[2, 7] y) {{
        low = Constant<value_int = 0>() high = Constant<value_int = 3>() {clip}
        v = Constant<value = float {{2.5}}>() zero = Constant<value_ints = [0]>()
        three = Constant<value_ints = [3]>() n = Unsqueeze(a, zero) m = Sub(three, n)
        p = Concat<axis = 0>(n, m) axes = Constant<value_ints = [1]>()
        y = Pad<mode = "{mode}">(x, p{value or ","}, axes) }}""")
    x = floats(2, 4)
    for i in (0, 2, 3, *((-2, 5) if mode == "constant" else ())):
        feeds = {"x": x, "i": np.array(i)}
        np.testing.assert_array_equal(results(model, feeds)[0], expected(model, feeds)[0])
        factors = floats(2, 7)
        slope = gradients(model, feeds, {"y": factors}, ["x"])["x"]
        ahead = np.pad(np.arange(4), 7, "constant" if mode == "constant" else mode)  # pyright: ignore[reportCallIssue, reportArgumentType]
        there = np.pad(np.ones(4, bool), 7) if mode == "constant" else np.ones(18, bool)
        at, kept = ahead[7 - i : 14 - i], there[7 - i : 14 - i]
        want = factors[:, kept] @ np.eye(4, dtype=np.float32)[at[kept]]
        np.testing.assert_allclose(slope, want, 1e-6)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("y = Identity(k)", "Slice"),
        ("y = Concat<axis = 1>(k, q)", "Slice"),
        ("p = Concat<axis = 0>(zero, n) y = Pad(q, p, , one)", "Pad"),
        ("w = Constant<value_ints = [2]>() d = Expand(one, n) y = ReduceSum(d)", "Expand"),
        ("t = Transpose<perm = [0, 2, 1]>(k) s = MatMul(k, t) y = ReduceSum(s)", "Slice"),
    ],
)  # fmt: skip
def test_what_is_not_done_leaves_the_device(body: str, what: str) -> None:
    model = parsed(f"""g (float[2, 6, 4] c, float[2, 3, 4] q, int64 i) => (float[A, B, C] y) {{
        {PREFIX} {body} }}""")
    with pytest.raises(LeavesDeviceError, match=what):
        run(model, fed(2), ["y"])


def test_counts_that_are_clamped() -> None:
    """What says i + 1 elsewhere is not the clamped length of a slice up to there."""
    model = parsed(f"""g (float[2, 6, 4] c, int64 i) => (float y) {{ {PREFIX}
        m = ReduceMax(k) v = Constant<value = float {{1}}>() o = Expand(v, n)
        u = ReduceSum<keepdims = 0>(o) e = Squeeze(m) y = Add(e, u) }}""")
    feeds = {"c": CACHE, "i": np.array(9)}
    with pytest.raises(LeavesDeviceError, match="Expand"):
        run(model, feeds, ["y"])
    (found,) = popir.SegmentedModel(model).run(feeds).values()
    np.testing.assert_allclose(found, expected(model, feeds)[0], 1e-6)
