"""Sizes that depend on the data in one device program: padded, with a count."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest
import torch

import popir
from popir.backend import prepare
from popir.errors import LeavesDeviceError
from tests.models import Array, floats, run
from tests.ops.control.models import expected, gradients, parsed, results

MASKS = [
    np.array(bits, np.bool_).reshape(2, 3)
    for bits in ([0, 1, 0, 1, 1, 0], [0] * 6, [1] * 6, [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1])
]
PICKED = "i = NonZero(m) t = Transpose(i) p = GatherND(x, t) "
ONES = """one = Constant<value_ints = [1]>() zero = Constant<value_ints = [0]>()
    minus = Constant<value_ints = [-1]>() """

Case = tuple[str, Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor] | None]
CASES: dict[str, Case] = {
    "a sum": (PICKED + "y = ReduceSum<keepdims = 0>(p)", lambda x, m, v: x[m].sum()),
    "a mean": (PICKED + "y = ReduceMean<keepdims = 1>(p)", lambda x, m, v: x[m].mean()[None]),
    "a product": (PICKED + "y = ReduceProd<keepdims = 0>(p)", lambda x, m, v: x[m].prod()),
    "a norm": (PICKED + "y = ReduceL2<keepdims = 0>(p)", None),
    "functions": (
        PICKED + "e = Exp(p) q = Mul(e, p) r = Add(q, s) y = ReduceSum<keepdims = 0>(r)",
        lambda x, m, v: (x[m].exp() * x[m] + 0.5).sum(),
    ),
    "what is infinite elsewhere": (
        "a = Relu(x) g = Greater(x, o) i = NonZero(g) t = Transpose(i) p = GatherND(a, t) "
        "l = Log(p) y = ReduceSum<keepdims = 0>(l)",
        lambda x, m, v: x[x > 0].relu().log().sum(),
    ),
    "rows": (
        ONES + """c = Slice(m, zero, one, one) f = Squeeze(c, one) i = NonZero(f)
        r = Squeeze(i, zero) p = Gather<axis = 0>(x, r) q = MatMul(p, w) u = Softmax(q)
        y = ReduceSum<keepdims = 0>(u, zero)""",
        lambda x, m, v: (x[m[:, 0]] @ torch.from_numpy(W)).softmax(-1).sum(0),
    ),
    "a softmax": (
        PICKED + "q = Softmax<axis = 0>(p) r = Mul(q, p) y = ReduceSum<keepdims = 0>(r)",
        lambda x, m, v: (x[m].softmax(0) * x[m]).sum(),
    ),
    "the entropy of a softmax": (
        PICKED + "q = Softmax<axis = 0>(p) l = Log(q) r = Mul(q, l) y = ReduceSum<keepdims = 0>(r)",
        lambda x, m, v: (x[m].softmax(0) * x[m].log_softmax(0)).sum(),
    ),
    "exponentials of a running sum": (
        PICKED + "a = Constant<value_int = 0>() u = Add(p, s) k = CumSum(u, a) "
        "h = Constant<value_float = 30.0>() g = Mul(k, h) e = Exp(g) f = Sqrt(e) "
        "l = Log(f) y = ReduceSum<keepdims = 0>(l)",
        lambda x, m, v: ((x[m] + 0.5).cumsum(0) * 30).exp().sqrt().log().sum(),
    ),
    "what is 0 behind the end": (
        ONES + """r = Mul(x, x) h = Reshape(r, minus) f = Reshape(m, minus) k = Cast<to = 7>(f)
        n = ReduceSum(k) p = Constant<value_ints = [0, 1, 2, 3, 4, 5]>() b = Less(p, n)
        c = Cast<to = 1>(b) d = Mul(h, c) q = Slice(d, zero, n, zero) l = Log(q)
        y = ReduceSum<keepdims = 0>(l)""",
        lambda x, m, v: x.square().flatten()[: int(m.sum())].log().sum(),
    ),
    "columns": (
        ONES + """c = Slice(m, zero, one, zero) f = Squeeze(c, zero) i = NonZero(f)
        r = Squeeze(i, zero) p = Gather<axis = 1>(x, r) q = Transpose<perm = [1, 0]>(p)
        u = ReduceSum<keepdims = 0>(q, one) z = Mul(u, u) y = ReduceSum<keepdims = 0>(z)""",
        lambda x, m, v: x[:, m[0]].sum(0).square().sum(),
    ),
    "the greatest": (
        PICKED + "z = Reshape(o, e1) c = Size(p) y = ReduceMax<keepdims = 0>(p)",
        None,
    ),
    "a write": (
        "i = NonZero(m) t = Transpose(i) c = Shape(i) two = Constant<value_ints = [2]>() " + ONES +
        "n = Slice(c, one, two) u = Expand(s, n) y = ScatterND(x, t, u)",
        lambda x, m, v: x.masked_fill(m, 0.5),
    ),
    "a write whose count is a sum": (
        ONES + "i = NonZero(m) t = Transpose(i) f = Reshape(m, minus) z = Cast<to = 7>(f) "
        "n = ReduceSum(z) u = Expand(s, n) y = ScatterND(x, t, u)",
        lambda x, m, v: x.masked_fill(m, 0.5),
    ),
    "what is read and written": (
        PICKED + "q = Mul(p, p) y = ScatterND(x, t, q)",
        lambda x, m, v: torch.where(m, x * x, x),
    ),
    "values in order": (
        ONES + """i = NonZero(m) t = Transpose(i) c = Shape(t) n = Slice(c, zero, one)
        h = Reshape(v, minus) u = Slice(h, zero, n, zero) y = ScatterND(x, t, u)""",
        lambda x, m, v: x.masked_scatter(m, v),
    ),
    "elements that a condition selects": (
        ONES + "f = Reshape(m, minus) p = Compress(x, f) q = Exp(p) y = ReduceSum<keepdims = 0>(q)",
        lambda x, m, v: x[m].exp().sum(),
    ),
    "columns that a condition selects": (
        ONES + """c = Slice(m, zero, one, zero) f = Squeeze(c, zero)
        p = Compress<axis = -1>(x, f) u = Mul(p, p)
        y = ReduceSum<keepdims = 0>(u, one)""",
        lambda x, m, v: x[:, m[0]].square().sum(1),
    ),
    "a condition of another length": (
        ONES + """f = Reshape(m, minus) p = Compress<axis = 0>(x, f)
        a = ReduceSum<keepdims = 0>(p, zero) two = Constant<value_ints = [2]>()
        g = Slice(f, zero, two) q = Compress<axis = 1>(x, g) b = ReduceSum<keepdims = 0>(q)
        y = Mul(a, b)""",
        lambda x, m, v: x[m[0, :2]].sum(0) * x[:, :2][:, m[0, :2]].sum(),
    ),
    "the greatest ones": (
        ONES + """f = Reshape(m, minus) c = Cast<to = 7>(f) n = ReduceSum(c) h = Reshape(x, minus)
        p, i = TopK(h, n) g = Gather(w9, i) q = Mul(p, g) y = ReduceSum<keepdims = 0>(q)""",
        lambda x, m, v: (
            x.flatten().topk(int(m.sum())).values
            * torch.from_numpy(W9)[x.flatten().topk(int(m.sum())).indices]
        ).sum(),
    ),
    "the least ones of each row": (
        ONES + """c = Slice(m, zero, one, zero) z = Cast<to = 7>(c) n = ReduceSum(z)
        k = Reshape(n, one) p, i = TopK<axis = 1, largest = 0>(x, k)
        q = Softmax<axis = 1>(p) r = Mul(q, p)
        y = ReduceSum<keepdims = 0>(r, one)""",
        lambda x, m, v: (lambda p: (p.softmax(1) * p).sum(1))(
            x.topk(int(m[0].sum()), largest=False).values
        ),
    ),
    "ranges and constants": (
        ONES + """i = NonZero(m) c = Shape(i) two = Constant<value_ints = [2]>()
        n = Slice(c, one, two) k = ConstantOfShape<value = float[1] {2.0}>(n)
        z = Constant<value_int = 0>() d = Constant<value_int = 1>() l = Squeeze(n)
        a = Range(z, l, d) b = Cast<to = 1>(a) q = Mul(k, b) g = ReduceSum<keepdims = 0>(q)
        y = Add(x, g)""",
        lambda x, m, v: x + float(m.sum() * (m.sum() - 1)),
    ),
    "places": (
        """i = NonZero(m) a, b = Split<axis = 0, num_outputs = 2>(i) """
        + ONES
        + """r = Squeeze(b, zero) f = Cast<to = 1>(r) h = ConstantOfShape(three)
        y = ScatterElements<axis = 0, reduction = "add">(h, r, f)""",
        None,
    ),
    "several masks": (
        PICKED + """n = Not(m) j = NonZero(n) l = Transpose(j) q = GatherND(v, l)
        a = ReduceSum<keepdims = 0>(p) b = ReduceSum<keepdims = 0>(q) y = Mul(a, b)""",
        lambda x, m, v: x[m].sum() * v[~m].sum(),
    ),
    "rows of a mask, flat": (
        ONES + """c = Slice(m, zero, one, one) g = Expand(c, shape) i = NonZero(g) t = Transpose(i)
        k = Reshape(c, minus) z = Cast<to = 7>(k) a = ReduceSum(z)
        three = Constant<value_ints = [3]>()
        n = Concat<axis = 0>(a, three) h = Expand(s, n) u = Reshape(h, minus)
        y = ScatterND(x, t, u)""",
        lambda x, m, v: x.masked_fill(m[:, :1], 0.5),
    ),
}  # fmt: skip
W, W9 = floats(3, 3, seed=5), floats(9, seed=6)


SIZE = {"size": np.array([3])}


def model_of(name: str) -> onnx.ModelProto:
    body = CASES[name][0].replace("three)", "size)" if name == "places" else "three)")
    sizes: dict[str, Array] = SIZE if name == "places" else {}
    text = f"""g (float[2, 3] x, bool[2, 3] m, float[2, 3] v) => (float[] y) {{
        s = Constant<value = float {{0.5}}>() o = Constant<value = float {{0.0}}>()
        e1 = Constant<value_ints = [1]>() shape = Constant<value_ints = [2, 3]>() {body} }}"""
    made = parsed(text, 21, **sizes, w=W, w9=W9)
    made.graph.output[0].type.tensor_type.ClearField("shape")
    return made


def fed(mask: Array) -> dict[str, Array]:
    return {"x": floats(2, 3), "m": mask, "v": floats(2, 3, seed=7)}


@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients(name: str) -> None:
    model, function = model_of(name), CASES[name][1]
    for mask in MASKS:
        if name in ("the greatest", "a mean") and not mask.any():
            continue  # ONNX leaves them open.
        inputs = fed(mask)
        (found,), (want,) = results(model, inputs), expected(model, inputs)
        assert found.shape == want.shape
        np.testing.assert_allclose(found, want, 1e-5, 1e-6)
        if function is None:
            continue
        x = torch.tensor(inputs["x"], requires_grad=True)
        y = function(x, torch.from_numpy(mask), torch.from_numpy(inputs["v"]))
        factors = floats(*y.shape, seed=3)
        (y * torch.from_numpy(np.asarray(factors))).sum().backward()
        factors = np.asarray(factors, np.float32)
        slope = gradients(model, inputs, {"y": factors}, ["x"])["x"]
        assert x.grad is not None
        np.testing.assert_allclose(slope, x.grad.numpy(), 1e-4, 1e-5)


@pytest.mark.parametrize("kind", ["double", "float16", "int32", "uint8"])
def test_types(kind: str) -> None:
    model = parsed(f"""g ({kind}[2, 3] x, bool[2, 3] m) => ({kind} y, {kind} z) {{
        {PICKED} {
        "q = Cast<to = 7>(p) r = ReduceMax<keepdims = 0>(q) z = Cast<to = 2>(r)"
        if kind == "uint8"
        else "z = ReduceMax<keepdims = 0>(p)"
    }
        y = ReduceMin<keepdims = 0>(p) }}""")
    x = (floats(2, 3) * 9).astype(kind)
    for mask in MASKS:
        if mask.any():
            found = results(model, {"x": x, "m": mask})
            assert [each.item() for each in found] == [x[mask].min(), x[mask].max()]


@pytest.mark.parametrize("shape", [[4], [2, 3, 2]])
def test_what_is_not_0_is_found(shape: list[int]) -> None:
    dims = ", ".join(map(str, shape))
    model = parsed(f"""g (float[{dims}] x) => (float y) {{ i = NonZero(x) t = Transpose(i)
        p = GatherND(x, t) q = Exp(p) y = ReduceSum<keepdims = 0>(q) }}""")
    x = floats(*shape)
    x[x < 0.2] = 0
    np.testing.assert_allclose(results(model, {"x": x})[0], np.exp(x[x != 0]).sum(), 1e-6)


def test_slices_of_any_length() -> None:
    model = parsed("""g (float[9, 2] x, int64[1] a, int64[1] b) => (float[2] y, int64[1] n) {
        zero = Constant<value_ints = [0]>() p = Slice(x, a, b, zero) e = Exp(p)
        y = ReduceSum<keepdims = 0>(e, zero) s = Shape(p) one = Constant<value_ints = [1]>()
        n = Slice(s, zero, one) }""")
    x = floats(9, 2)
    for a in (-20, -3, 0, 2, 8, 9, 20):
        for b in (-20, -3, 0, 1, 5, 9, 20):
            found = results(model, {"x": x, "a": np.array([a]), "b": np.array([b])})
            np.testing.assert_allclose(found[0], np.exp(x[a:b]).sum(0), 1e-6)
            assert found[1].tolist() == [len(x[a:b])]


def test_the_mean_of_halves_whose_sum_is_none() -> None:
    model = parsed("""g (float16[4096] x, bool[4096] m) => (float16 y) {
        i = NonZero(m) t = Transpose(i) p = GatherND(x, t) y = ReduceMean<keepdims = 0>(p) }""")
    x = np.full(4096, 20, np.float16)
    assert results(model, {"x": x, "m": np.arange(4096) > 5})[0] == 20


@pytest.mark.parametrize("number", [np.finfo(np.float32).min, -np.inf, 2.0])
def test_softmax_of_what_masks_write(number: float) -> None:
    """The padding has no part in it, even where all that exists is the least number."""
    model = parsed("""g (float[4] x, bool[4] m) => (float y, int64[4] n) {
        i = NonZero(m) t = Transpose(i) p = GatherND(x, t) q = Softmax<axis = 0>(p)
        y = ReduceMax<keepdims = 0>(q) n = Cast<to = 7>(m) }""")
    x, mask = np.full(4, number, np.float32), np.array([True, False, True, False])
    found = results(model, {"x": x, "m": mask})[0]
    np.testing.assert_array_equal(found, np.nan if number == -np.inf else 0.5)


REFUSED = {
    "it is an output": "i = NonZero(m) y = Transpose(i)",
    "it is sorted": PICKED + "k = Constant<value_ints = [1]>() y, z = TopK(p, k)",
    "its masks differ": PICKED
    + "n = Not(m) j = NonZero(n) l = Transpose(j) q = GatherND(x, l) r = Add(p, q) "
    "y = ReduceSum(r)",
    "it meets others": PICKED + "r = Add(p, row) y = ReduceSum(r)",
    "one is taken of it": PICKED + "z = Constant<value_int = 0>() y = Gather(p, z)",
    "a graph reads it": PICKED + "n = ReduceSum<keepdims = 0>(p) c = Greater(n, n) "
    "y = If<then_branch = a () => (float[K] u) { u = Exp(p) }, "
    "else_branch = b () => (float[K] v) { v = Identity(p) }>(c)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_leaves_the_device(name: str) -> None:
    model = parsed(
        f"g (float[2, 3] x, bool[2, 3] m) => (float[K] y) {{ {REFUSED[name]} }}",
        row=np.ones(3, np.float32),
    )
    model.graph.output[0].type.Clear()
    inputs = {"x": floats(2, 3), "m": MASKS[0]}
    with pytest.raises(LeavesDeviceError, match=r"NonZero.*runs on the host"):
        run(model, inputs, ["y"])
    if name in ("it is an output", "it is sorted", "it meets others"):
        (found,) = prepare(model).run(inputs)
        if name == "it is sorted":
            np.testing.assert_array_equal(found, [inputs["x"][MASKS[0]].max()])


def test_segments_do_as_before() -> None:
    model = popir.SegmentedModel(model_of("a sum"))
    for mask in MASKS:
        inputs = fed(mask)
        want = inputs["x"][mask].sum()
        np.testing.assert_allclose(model.run(inputs)["y"], want, 1e-6, 1e-7)
    assert any("NonZero" in node for node in model.left)


def test_of_constants_the_size_is_known() -> None:
    model = parsed("g () => (int64[2, N] i) { i = NonZero(x) }", x=np.array([[0, 3], [1, 0]]))
    np.testing.assert_array_equal(results(model, {})[0], [[0, 1], [1, 0]])


@pytest.mark.parametrize(
    "node",
    [
        "y = ReduceSum<axes = [3]>(p)",
        "y = ReduceMean<axes = [-3]>(p)",
        "q = Unsqueeze<axes = [0]>(p) y = Concat(q, q)",
        "y = Softmax<axis = 9>(p)",
        "q = Transpose<perm = [1, 2]>(p) y = ReduceSum(q)",
    ],
)
def test_malformed_nodes(node: str) -> None:
    text = f"g (float[2, 3] x, bool[2, 3] m) => (float[K] y) {{ {PICKED} {node} }}"
    model = parsed(text, opset=12)
    with pytest.raises(popir.PopirError):
        run(model, {"x": floats(2, 3), "m": MASKS[0]}, ["y"])
