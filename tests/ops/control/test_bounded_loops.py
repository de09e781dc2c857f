"""Loops whose number of iterations only the run knows, with and without a bound of it that the
compiler knows: their gradients.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import onnx
import pytest
import torch
from onnx import helper

from popir.autodiff import differentiate
from popir.backend import prepare
from popir.errors import LeavesDeviceError
from popir.ir import Graph
from popir.onnxio.importer import import_model
from tests.models import Array, floats
from tests.ops.control.models import agrees, expected, gradients, parsed, results, weighed

BODY = """h, n = Loop<body = b (int64 i, bool c, float[2, 3] h, int64 n)
    => (bool d, float[2, 3] k, int64 m) {{
        one = Constant<value_int = 1>() m = Add(n, one)
        p = MatMul(h, w) q = Tanh(p) k = Add(q, v)
        a = Abs(k) s = ReduceSum<keepdims = 0>(a) {condition} }}>({trip}, {first}, x, zero)
"""
SMALL = "limit = Constant<value_float = 4.0>() d = Less(s, limit)"
ALWAYS = "d = Identity(c)"
COUNTED = """limit = Constant<value_float = 4.0>() e = Less(s, limit)
    most = Constant<value_int = 5>() within = Less(m, most) d = And(e, within)"""

UNTIL = """limit = Constant<value_float = 4.0>() e = Less(s, limit)
    within = Less(m, t) d = And(e, within)"""


def looped(condition: str, trip: str, first: str = "") -> onnx.ModelProto:
    """A loop that carries a matrix and a count; `bound` says what its trip count is."""
    body = BODY.format(condition=condition, trip=trip, first=first)
    return parsed(f"""g (float[2, 3] x, float[3, 3] w, float[2, 3] v, int64 t, bool f)
        => (float[2, 3] h, int64 n) {{
        zero = Constant<value_int = 0>() five = Constant<value_int = 5>()
        bounded = Min(t, five) {body} }}""")


def by_torch(x: Array, w: Array, v: Array, goes_on: Callable[[int, float], bool]) -> list[Array]:
    """The gradients with respect to x, w and v, and the number of iterations."""
    given = [torch.tensor(each, requires_grad=True) for each in (x, w, v)]
    h, count, size = given[0], 0, -1.0
    while goes_on(count, size):
        h = torch.tanh(h @ given[1]) + given[2]
        count, size = count + 1, float(h.detach().abs().sum())
    (h * torch.from_numpy(floats(2, 3, seed=9))).sum().backward()
    found = [each.grad for each in given]
    zeros = [np.zeros(each.shape, np.float32) for each in given]
    both = zip(found, zeros, strict=True)
    return [*(zero if each is None else each.numpy() for each, zero in both), np.array(count)]


def compare(model: onnx.ModelProto, t: int, f: bool, goes_on: Callable[[int, float], bool], scale: float) -> int:  # fmt: skip # noqa: E501
    x, w, v = (scale * floats(*shape, seed=n) for n, shape in enumerate([(2, 3), (3, 3), (2, 3)]))
    inputs = {"x": x, "w": w, "v": v, "t": np.array(t), "f": np.array(f)}
    read = {value for node in model.graph.node for value in node.input}
    unread = [value for value in model.graph.input if value.name in "tf" and value.name not in read]
    inputs = {id: value for id, value in inputs.items() if id not in [v.name for v in unread]}
    for value in unread:
        model.graph.input.remove(value)
    agrees(model, inputs)
    *want, count = by_torch(x, w, v, goes_on)
    found = gradients(model, inputs, {"h": floats(2, 3, seed=9)}, ["x", "w", "v"])
    for id, each in zip(("x", "w", "v"), want, strict=True):
        np.testing.assert_allclose(found[id], each, 1e-4, 1e-6, err_msg=id)
    return int(count)


def test_a_constant_trip_count_with_a_condition() -> None:
    counts = {
        compare(looped(SMALL, "five", "f"), 0, f, lambda n, s, f=f: f and n < 5 and s < 4, scale)
        for f in (True, False)
        for scale in (0.1, 0.5, 0.7, 1.0)
    }
    assert counts >= {0, 1, 5}
    assert len(counts) > 3


@pytest.mark.parametrize("condition", [SMALL, ALWAYS])
def test_a_trip_count_with_a_bound(condition: str) -> None:
    is_small = condition == SMALL
    for t in (0, 1, 3, 5, 8, -2):
        compare(
            looped(condition, "bounded"), t, True,
            lambda n, s, t=t: n < min(t, 5) and (s < 4 or not is_small), 0.3,
        )  # fmt: skip


@pytest.mark.parametrize("trip", ["", "t"])
def test_a_condition_that_counts(trip: str) -> None:
    for scale in (0.1, 0.5, 1.0):
        compare(
            looped(COUNTED, trip, "f"), 4, True,
            lambda n, s: n < (4 if trip else 5) and s < 4, scale,
        )  # fmt: skip


@pytest.mark.parametrize(("condition", "trip"), [(SMALL, "t"), (UNTIL, "")])
def test_a_condition_without_a_bound(condition: str, trip: str) -> None:
    counts = {
        compare(looped(condition, trip, "f"), 6, f, lambda n, s, f=f: f and n < 6 and s < 4, scale)
        for f in (True, False)
        for scale in (0.1, 0.5, 0.7, 1.0)
    }
    assert counts >= {0, 1, 6}
    assert len(counts) > 3


def test_a_trip_count_without_a_bound() -> None:
    for t in (0, 1, 3, 11, -2):
        compare(looped(ALWAYS, "t"), t, True, lambda n, s, t=t: n < t, 0.3)


@pytest.mark.parametrize("most", [1 << 40, 1 << 30])
def test_a_bound_that_no_memory_holds(most: int) -> None:
    model = looped(SMALL, "many", "f")
    limit = helper.make_node("Constant", [], ["top"], value_int=most)
    model.graph.node.insert(0, helper.make_node("Min", ["t", "top"], ["many"]))
    model.graph.node.insert(0, limit)
    for t in (0, 3, 6):
        compare(model, t, True, lambda n, s, t=t: n < t and s < 4, 0.3)


def test_what_is_kept_takes_half_of_the_memory_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    model = weighed(looped(ALWAYS, "bounded"), {"h": floats(2, 3)})
    model.graph.node[1].attribute[0].i = 1 << 23
    needed = (1 << 23) * 2 * 3 * 4  # Iterations, elements of h, bytes of each.
    kept = {}
    for available in (2 * needed, 2 * needed - 1):
        monkeypatch.setattr("popir.memory.available", lambda n=available: n)
        graph = import_model(model)
        differentiate(graph, "loss", ["x"])
        loop = next(op for op in graph.ops.values() if op.opid.type == "LoopGrad")
        again = [op for op in loop.getCalledGraphs()[0].ops.values() if op.opid.type == "Loop"]
        kept[available] = loop.attributes["scanned"], len(again)
    assert kept == {2 * needed: (1, 0), 2 * needed - 1: (0, 1)}


@pytest.mark.parametrize(("trip", "within"), [("five", "five"), ("t", "five"), ("t", "t")])
def test_two_loops_one_in_the_other(trip: str, within: str) -> None:
    given_t = ", int64 t" if trip == "t" else ""
    text = """g (float[3] x, float[3] wGIVEN) => (float[3] y) {
        five = Constant<value_int = 5>() true = Constant<value = bool {1}>()
        limit = Constant<value_float = 2.5>()
        y = Loop<body = b (int64 i, bool c, float[3] h) => (bool d, float[3] k) {
            k = Loop<body = o (int64 j, bool e, float[3] u) => (bool f, float[3] z) {
                q = Mul(u, w) z = Tanh(q) a = Abs(z) s = ReduceSum<keepdims = 0>(a)
                f = Greater(s, limit) }>(INNER, true, h)
            a2 = Abs(k) s2 = ReduceSum<keepdims = 0>(a2) half = Constant<value_float = 1.0>()
            d = Greater(s2, half) }>(OUTER, true, x) }"""
    text = text.replace("GIVEN", given_t).replace("INNER", within).replace("OUTER", trip)
    model, more = parsed(text), {"t": np.array(5)} if given_t else {}
    for scale in (0.8, 1.3, 2.0, 4.0):
        x, w = floats(3), np.full(3, scale, np.float32)
        agrees(model, {"x": x, "w": w, **more})
        given = [torch.tensor(each, requires_grad=True) for each in (x, w)]
        h, i, total = given[0], 0, 9.0
        while i < 5 and total > 1.0:
            j, inner = 0, 9.0
            while j < 5 and inner > 2.5:
                h = torch.tanh(h * given[1])
                j, inner = j + 1, float(h.detach().abs().sum())
            i, total = i + 1, float(h.detach().abs().sum())
        (h * torch.from_numpy(floats(3, seed=1))).sum().backward()
        found = gradients(model, {"x": x, "w": w, **more}, {"y": floats(3, seed=1)}, ["x", "w"])
        for id, each in zip(("x", "w"), given, strict=True):
            assert each.grad is not None
            np.testing.assert_allclose(found[id], each.grad.numpy(), 1e-4, 1e-6)


def loop_of(graph: Graph) -> int:
    (op,) = [each for each in graph.ops.values() if each.opid.type == "Loop"]
    return int(op.attributes["trip"])


@pytest.mark.parametrize("first", [0, 3, -2])
@pytest.mark.parametrize("step", [1, 3, -2])
def test_the_bound_is_what_the_condition_allows(first: int, step: int) -> None:
    compared = [("Less", int.__lt__), ("LessOrEqual", int.__le__), ("Greater", int.__gt__)]
    for (kind, holds), limit in itertools.product(compared, (-3, 0, 1, 7)):
        model = parsed(f"""g (float[2] x) => (float[2] y, int64 n) {{
            first = Constant<value_int = {first}>() true = Constant<value = bool {{1}}>()
            y, n = Loop<body = b (int64 i, bool c, float[2] h, int64 n)
                => (bool d, float[2] k, int64 m) {{
                step = Constant<value_int = {step}>() m = Add(n, step)
                limit = Constant<value_int = {limit}>() e = {kind}(m, limit)
                k = Sin(h) s = ReduceSum<keepdims = 0>(k) z = Constant<value_float = 9.0>()
                f = Less(s, z) d = And(e, f) }}>("", true, x, first) }}""")
        count, value = 0, first
        while count < 100:
            count, value = count + 1, value + step
            if not holds(value, limit):
                break
        found = loop_of(import_model(model))
        assert found == (count if count < 100 else -1), (kind, limit)


@pytest.mark.parametrize("inner", ["i", "twice", "half", "before"])
def test_an_inner_loop_runs_as_often_as_the_outer_one_has(inner: str) -> None:
    model = parsed(f"""g (float[3] x, float[3] w, int64 t) => (float[3] y) {{
        one = Constant<value_int = 1>() two = Constant<value_int = 2>()
        zero = Constant<value_int = 0>()
        y = Loop<body = b (int64 i, bool c, float[3] h) => (bool d, float[3] k) {{
            twice = Mul(i, two) half = Div(i, two) less = Sub(i, one) before = Max(less, zero)
            d = Identity(c)
            k = Loop<body = o (int64 j, bool e, float[3] u) => (bool f, float[3] z) {{
                f = Identity(e) q = Mul(u, w) z = Tanh(q) }}>({inner}, , h) }}>(t, , x) }}""")
    count = {"i": lambda i: i, "twice": lambda i: 2 * i, "half": lambda i: i // 2}
    x, w = floats(3), floats(3, seed=1)
    for t in (0, 1, 4):
        given = [torch.tensor(each, requires_grad=True) for each in (x, w)]
        h = given[0] * 1
        for i in range(t):
            for _ in range(count.get(inner, lambda i: max(i - 1, 0))(i)):
                h = torch.tanh(h * given[1])
        (h * torch.from_numpy(floats(3, seed=2)) + 0 * given[1]).sum().backward()
        inputs = {"x": x, "w": w, "t": np.array(t)}
        agrees(model, inputs)
        found = gradients(model, inputs, {"y": floats(3, seed=2)}, ["x", "w"])
        for id, each in zip(("x", "w"), given, strict=True):
            assert each.grad is not None
            np.testing.assert_allclose(found[id], each.grad.numpy(), 1e-4, 1e-6)


SCANNED = """h, s, r = Loop<body = b (int64 i, bool c, float[2, 3] h)
    => (bool d, float[2, 3] k, float[2, 3] s, float r) {{
        p = MatMul(h, w) q = Tanh(p) k = Add(q, v) s = Mul(k, h)
        a = Abs(k) r = ReduceSum<keepdims = 0>(a) {condition} }}>({trip}, f, x)
    """
LESS = "limit = Constant<value_float = 4.0>() d = Less(r, limit)"
READ = """axis = Constant<value_ints = [0]>() e = Exp(s) y = ReduceSum<keepdims = 0>(e, axis)
    u = Mul(r, r) z = ReduceSum<keepdims = 0>(u, axis)"""


def scanned(condition: str, trip: str, read: str = READ) -> onnx.ModelProto:
    """A loop with scan outputs, of which all slices that there are make `y` and `z`."""
    body = SCANNED.format(condition=condition, trip=trip)
    return parsed(f"""g (float[2, 3] x, float[3, 3] w, float[2, 3] v, int64 t, bool f)
        => (float[2, 3] h, float[2, 3] y, float z, int64 n) {{
        five = Constant<value_int = 5>() bounded = Min(t, five) n = Identity(t) {body} {read} }}""")


def check_scanned(model: onnx.ModelProto, t: int, f: bool, scale: float, goes_on: Callable[[int, float], bool]) -> int:  # fmt: skip # noqa: E501
    x, w, v = (scale * floats(*shape, seed=n) for n, shape in enumerate([(2, 3), (3, 3), (2, 3)]))
    inputs = {"x": x, "w": w, "v": v, "t": np.array(t), "f": np.array(f)}
    agrees(model, inputs, 1e-5)
    factors = {"h": floats(2, 3, seed=9), "y": floats(2, 3, seed=8), "z": np.array(0.3, np.float32)}
    found = gradients(model, inputs, factors, ["x", "w", "v"])
    given = [torch.tensor(each, requires_grad=True) for each in (x, w, v)]
    h, y, z, n, size = given[0], torch.zeros(2, 3), torch.zeros(()), 0, -1.0
    while goes_on(n, size):
        before, h = h, torch.tanh(h @ given[1]) + given[2]
        total = h.abs().sum()
        y, z = y + (h * before).exp(), z + total * total
        n, size = n + 1, total.item()
    values = {"h": h, "y": y, "z": z}
    sum((values[k] * torch.from_numpy(e)).sum() for k, e in factors.items()).backward()  # type: ignore
    for id, each in zip(("x", "w", "v"), given, strict=True):
        want = torch.zeros_like(each) if each.grad is None else each.grad
        np.testing.assert_allclose(found[id], want.numpy(), 1e-4, 1e-5, err_msg=id)
    return n


@pytest.mark.parametrize(
    ("condition", "trip"), [(LESS, "five"), (LESS, "bounded"), (ALWAYS, "bounded")]
)
def test_scan_outputs_of_a_loop_that_stops_early(condition: str, trip: str) -> None:
    model, counts = scanned(condition, trip), set[int]()
    for t, f in [(3, True), (3, False), (8, True), (0, True), (-1, True)]:
        most = 5 if trip == "five" else min(t, 5)
        for scale in (0.1, 0.4, 0.6, 1.0):
            counts.add(
                check_scanned(
                    model, t, f, scale,
                    lambda n, s, f=f, most=most: f and n < most and (s < 4 or condition == ALWAYS),
                )
            )  # fmt: skip
    assert {0, 5} < counts


def test_scan_outputs_of_a_loop_that_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("popir.memory.SMALL", 0)
    monkeypatch.setattr("popir.memory.available", lambda: 100)
    monkeypatch.setattr("popir.memory.require", lambda *_: None)
    model = scanned(LESS, "five")
    for scale in (0.1, 0.5, 1.0):
        check_scanned(model, 3, True, scale, lambda n, s: n < 5 and s < 4)


def test_scan_outputs_of_a_size_that_the_run_knows_leave_the_device() -> None:
    """One is an output of the model, or there is no most of the iterations."""
    taken = READ.replace("y = ReduceSum<keepdims = 0>(e, axis)", "y = Identity(e)")
    for model in (scanned(LESS, "five", taken), scanned(ALWAYS, "t")):
        model.graph.output[1].type.Clear()
        inputs = {id: floats(*shape) for id, shape in (("x", (2, 3)), ("w", (3, 3)), ("v", (2, 3)))}
        inputs |= {"t": np.array(3), "f": np.array(True)}
        with pytest.raises(LeavesDeviceError, match="it has 2 scan outputs, whose size is"):
            results(model, inputs)
        model.graph.output[1].type.tensor_type.elem_type = onnx.TensorProto.FLOAT
        found = prepare(model).run(inputs)
        for one, two in zip(found, expected(model, inputs), strict=True):
            np.testing.assert_allclose(one, two, 1e-5, 1e-5)
