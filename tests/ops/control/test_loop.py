"""Loop: forward against onnxruntime, gradients against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
import torch

import popir
from popir.errors import ModelError, OperatorInputError
from popir.ir import Graph, verify
from popir.ir.graph import called_graphs
from popir.ir.text import parse_graph, print_graph
from popir.onnxio.importer import import_model
from popir.trainable import Role, choose
from tests.models import Array, floats, step, training_session
from tests.ops.control.models import agrees, gradients, parsed, results, weighed

W = floats(3, 3, seed=1) / 2


def loop(
    body: str,
    inputs: str = "float[2, 3] x",
    outputs: str = "y",
    node: str = "m, , x",
    types: str = "",
    before: str = "",
    opset: int = 21,
    **initializers: Array,
) -> onnx.ModelProto:
    """A model of one Loop. The default has a trip count m and one carried value."""
    shown = types or ", ".join(f"float {id}" for id in outputs.split(", "))
    text = f"g ({inputs}) => ({shown}) {{ {before} {outputs} = Loop ({node}) <body = {body}> }}"
    model = parsed(text, opset, **initializers)
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return model


STEP = """step (int64 i, bool c, float[2, 3] h) => (bool d, float[2, 3] n{more}) {{
    d = Identity(c)
    t = MatMul(h, w)
    f = Cast<to = 1>(i)
    u = Add(t, f)
    n = Tanh(u)
    {extra}
}}"""
PLAIN = STEP.format(more="", extra="")
SCANNED = STEP.format(more=", float[2, 3] s, float k", extra="s = Mul(n, h) k = Identity(f)")
THREE = np.array(3)


def graph_of(model: onnx.ModelProto) -> Graph:
    graph = import_model(model.SerializeToString())
    for each in called_graphs(graph):
        verify(each)
    return graph


@pytest.mark.parametrize("opset", [11, 13, 16, 21])
def test_a_constant_trip_count(opset: int) -> None:
    model = loop(PLAIN, opset=opset, m=THREE, w=W)
    assert len(called_graphs(graph_of(model))) == 2
    agrees(model, {"x": floats(2, 3)})


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_scan_outputs(count: int) -> None:
    model = loop(SCANNED, outputs="y, s, k", m=np.array(count), w=W)
    agrees(model, {"x": floats(2, 3)})


@pytest.mark.parametrize("m", [-2, 0, 1, 5])
@pytest.mark.parametrize("starts", [True, False])
def test_what_is_known_at_run_time(m: int, starts: bool) -> None:
    model = loop(PLAIN, "float[2, 3] x, int64 m, bool p", node="m, p, x", w=W)
    agrees(model, {"x": floats(2, 3), "m": np.array(m), "p": np.array(starts)})


WHILE = """step (int64 i, bool c, float[2] h, int64 k) => (bool d, float[2] n, int64 l) {
    n = Add(h, h)
    one = Constant <value_int = 1> ()
    l = Add(k, one)
    a = Abs(n)
    r = ReduceMax <keepdims = 0> (a)
    top = Constant <value_float = 100.0> ()
    d = Less(r, top)
}"""


@pytest.mark.parametrize("m", [None, 0, 3, 2**40, 2**63 - 1])
@pytest.mark.parametrize("known", [True, False])
def test_a_condition_ends_it(m: int | None, known: bool) -> None:
    types = "float y, int64 n"
    inputs = "float[2] x, int64 k"
    before = ""
    given: dict[str, Array] = {"x": np.array([0.5, -1], np.float32), "k": np.array(10)}
    more: dict[str, Any] = {}
    if m is not None and known:
        more["m"] = np.array(m)
    elif m is not None:
        inputs += ", int64 m"
        given["m"] = np.array(m)
    node = ("" if m is None else "m") + ", , x, k"
    if m is None:
        before, node = "t = Constant <value = bool {1}> ()", '"", t, x, k'
    model = loop(WHILE, inputs, "y, n", node, types, before, **more)
    agrees(model, given)


def test_a_first_value_that_is_a_constant_array() -> None:
    """Only constants of one element can count iterations."""
    before = """t = Constant <value = bool {1}> ()
    v = Constant <value = float[2] {0.5, -1.0}> ()"""
    model = loop(WHILE, "int64 k", "y, n", '"", t, v, k', "float y, int64 n", before)
    agrees(model, {"k": np.array(10)})


def test_a_condition_that_is_false_at_once() -> None:
    body = """step (int64 i, bool c, float[2] h) => (bool d, float[2] n, float[2] s) {
        d = Constant <value = bool {0}> () n = Exp(h) s = Neg(h)
    }"""
    for m in (THREE, np.array(0)):
        agrees(loop(body, "float[2] x", "y, s", m=m), {"x": floats(2)})
    inner = body.replace(", float[2] s", "").replace("s = Neg(h)", "")
    model = loop(inner, "float[2] x, int64 m", "y")
    for m in (0, 1, 4):
        agrees(model, {"x": floats(2), "m": np.array(m)})


def test_values_that_are_swapped() -> None:
    body = """step (int64 i, bool c, float[2] a, float[2] b, float[2] k)
        => (bool d, float[2] e, float[2] f, float[2] l) {
        d = Identity(c) e = Identity(b) f = Identity(a) l = Identity(k)
    }"""
    model = loop(body, "float[2] x, float[2] z", "y, u, v", "m, , x, z, x", m=THREE)
    agrees(model, {"x": floats(2), "z": floats(2, seed=4)})


def test_a_value_that_never_changes_is_read_where_it_is() -> None:
    body = """step (int64 i, bool c, float[2] a, int64[1] k) => (bool d, float[2] e, int64[1] l) {
        d = Identity(c) t = Reshape(a, k) e = Neg(t) l = Identity(k)
    }"""
    model = loop(
        body, "float[2] x", "y, v", "m, , x, k", "float y, int64 v", m=THREE, k=np.array([2])
    )
    (op,) = (op for op in graph_of(model).ops.values() if op.getCalledGraphs())
    assert op.attributes["carried"] == 1
    agrees(model, {"x": floats(2)})


def test_nothing_is_carried() -> None:
    body = "step (int64 i, bool c) => (bool d, float[2] s) { d = Identity(c) s = Exp(x) }"
    true = "t = Constant <value = bool {1}> ()"
    agrees(loop(body, "float[2] x", "s", "m, t", "", true, m=THREE), {"x": floats(2)})


NESTED = """outer (int64 i, bool c, float[2] h) => (bool d, float[2] n, float[2] s) {
    d = Identity(c)
    two = Constant <value_int = 2> ()
    n, q = Loop (two, , h) <body = inner (int64 j, bool e, float[2] g)
            => (bool f, float[2] o, float[2] p) {
        f = Identity(e)
        r = Add(i, j)
        u = Cast<to = 1>(r)
        v = Mul(g, b)
        o = Add(v, u)
        p = Mul(o, h)
    }>
    s = ReduceSum<keepdims = 0>(q, zero)
}"""


def test_a_loop_in_a_loop() -> None:
    b, zero = floats(2, seed=7), np.array([0])
    model = loop(NESTED, "float[2] x", "y, s", m=THREE, b=b, zero=zero)
    agrees(model, {"x": floats(2)})
    factors = {"y": floats(2, seed=3), "s": floats(3, 2, seed=4)}
    found = gradients(model, {"x": floats(2)}, factors, ["x", "b"])
    x, tb = (torch.tensor(each, requires_grad=True) for each in (floats(2), b))
    h, slices = x, []
    for i in range(3):
        g, parts = h, []
        for j in range(2):
            g = g * tb + (i + j)
            parts.append(g * h)
        h = g
        slices.append(sum(parts))
    loss = (h * torch.tensor(factors["y"])).sum()
    (loss + (torch.stack(slices) * torch.tensor(factors["s"])).sum()).backward()
    for id, tensor in (("x", x), ("b", tb)):
        assert tensor.grad is not None
        np.testing.assert_allclose(found[id], tensor.grad.numpy(), 1e-5, 1e-5)


def test_an_if_in_a_loop() -> None:
    body = """step (int64 i, bool c, float[2] h) => (bool d, float[2] n) {
        d = Identity(c)
        one = Constant <value_int = 1> ()
        q = Equal(i, one)
        n = If (q) <
            then_branch = yes () => (float[2] t) { t = Mul(h, b) },
            else_branch = no () => (float[2] t) { u = Tanh(h) t = Add(u, x) }
        >
    }"""
    b = floats(2, seed=7)
    model = loop(body, "float[2] x", m=THREE, b=b)
    agrees(model, {"x": floats(2)})
    factor = floats(2, seed=3)
    found = gradients(model, {"x": floats(2)}, {"y": factor}, ["x", "b"])
    x, tb = (torch.tensor(each, requires_grad=True) for each in (floats(2), b))
    h = x
    for i in range(3):
        h = h * tb if i == 1 else torch.tanh(h) + x
    (h * torch.tensor(factor)).sum().backward()
    for id, tensor in (("x", x), ("b", tb)):
        assert tensor.grad is not None
        np.testing.assert_allclose(found[id], tensor.grad.numpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("through", ["y", "s", "both"])
@pytest.mark.parametrize("count", [1, 4])
def test_gradients(through: str, count: int) -> None:
    model = loop(SCANNED, outputs="y, s, k", m=np.array(count), w=W)
    factors = {"y": floats(2, 3, seed=3), "s": floats(count, 2, 3, seed=4)}
    factors = factors if through == "both" else {through: factors[through]}
    found = gradients(model, {"x": floats(2, 3)}, factors, ["x", "w"])
    x, w = (torch.tensor(each, requires_grad=True) for each in (floats(2, 3), W))
    h, slices = x, []
    for i in range(count):
        before, h = h, torch.tanh(h @ w + i)
        slices.append(h * before)
    values = {"y": h, "s": torch.stack(slices)}
    sum((values[id] * torch.tensor(f)).sum() for id, f in factors.items()).backward()  # type: ignore
    for id, tensor in (("x", x), ("w", w)):
        assert tensor.grad is not None
        np.testing.assert_allclose(found[id], tensor.grad.numpy(), 1e-5, 1e-6)


def test_a_trained_weight_of_the_body() -> None:
    model = loop(PLAIN, m=THREE, w=W)
    assert choose(graph_of(model))["w"].role is Role.TRAINED


GROWING = """step (int64 i, bool c, float[N] h) => (bool d, float[N] n, float[1] s) {
    d = Identity(c) n = Concat<axis = 0>(h, x) s = ReduceSum(h)
}"""


def test_shapes_that_change_in_known_iterations() -> None:
    model = loop(GROWING, "float[2] x", "y, s", m=THREE)
    assert len(called_graphs(graph_of(model))) == 1
    agrees(model, {"x": floats(2)})


def test_shapes_that_follow_the_number_of_the_iteration() -> None:
    body = """step (int64 i, bool c, float h) => (bool d, float n) {
        d = Identity(c)
        zero = Constant <value_ints = [0]> () one = Constant <value_ints = [1]> ()
        e = Unsqueeze(i, zero) t = Add(e, one) s = Slice(x, zero, t)
        r = ReduceSum<keepdims = 0>(s) n = Add(h, r)
    }"""
    agrees(
        loop(body, "float[4] x, float h", node="m, , h", m=THREE), {"x": floats(4), "h": floats()}
    )


def test_no_iteration_writes_what_others_read() -> None:
    """An operator of the body is in place only on values of the body itself."""
    body = """step (int64 i, bool c, float[5] h) => (bool d, float[5] n, float[5] s) {
        d = Identity(c) t = Relu(a) u = Neg(h) n = Add(u, t) s = Exp(h)
    }"""
    model = loop(body, "float[5] x", "y, s", before="a = Neg(x)", m=THREE)
    agrees(model, {"x": floats(5)})


def test_weights_are_trained() -> None:
    """Three steps of training change the weight as PyTorch does."""
    whole = weighed(loop(PLAIN, m=THREE, w=W), {"y": np.ones((2, 3), np.float32)})
    session = training_session(whole.SerializeToString(), "loss", ["loss"], popir.ConstSGD(0.1))
    w, x = torch.tensor(W, requires_grad=True), torch.tensor(floats(2, 3))
    for _ in range(3):
        loss = step(session, {"x": floats(2, 3)})["loss"]
        h = x
        for i in range(3):
            h = torch.tanh(h @ w + i)
        want = h.sum()
        np.testing.assert_allclose(loss, want.item(), 1e-5)
        w.grad = None
        want.backward()
        assert w.grad is not None
        with torch.no_grad():
            w -= 0.1 * w.grad


SAME = "n = Identity(h)"
REFUSED: list[tuple[onnx.ModelProto, type[popir.PopirError], str]] = [
    (
        loop(GROWING.replace(", float[1] s", ""), "float[2] x, int64 m"),
        OperatorInputError,
        r"the carried value 0 is FLOAT\[2\] before and FLOAT\[4\] after an iteration",
    ),
    (
        loop(GROWING.replace(", float[1] s", ""), "float[2] x", m=np.array(5000)),
        OperatorInputError,
        r"the carried value 0 is FLOAT\[2\] before and FLOAT\[4\] after an iteration",
    ),
    (
        loop(SCANNED, "float[2, 3] x, int64 m", "y, s, k", w=W),
        OperatorInputError,
        "it has 2 scan outputs, whose size is the number of iterations",
    ),
    (
        loop(SCANNED, outputs="y, s, k", m=np.array(2**31), w=W),
        popir.OutOfMemoryException,
        "the output 'y/Loop.*' needs 51539607552 bytes of memory",
    ),
    (
        loop(PLAIN, m=np.array(2**40), w=W),
        OperatorInputError,
        "its trip count is 1099511627776, and no condition ends it; popir repeats up to 4294967295",
    ),
    (
        loop(PLAIN, node='"", , x', w=W),
        OperatorInputError,
        "it has neither a trip count nor a condition: it is endless",
    ),
    (
        loop("step (int64 i, bool c) => (bool d) { d = Identity(c) }", m=THREE),
        OperatorInputError,
        "it has 1 carried values; its body has 2 inputs and 1 outputs",
    ),
    (
        loop(
            "step (int64 i, bool c, float[2, 3] h) => (bool d, float[2, 3] n) { d = Identity(c) }",
            m=THREE,
        ),
        ModelError,
        "its body has the output 'n', which is no tensor of it",
    ),
    (
        loop(PLAIN, m=THREE),
        ModelError,
        "reads 'w', which is no tensor of the model",
    ),
    (
        loop(PLAIN.replace("float[2, 3] h", "double[2, 3] h"), m=THREE, w=W),
        ModelError,
        r"declares its input 'h' as DOUBLE; the operator gives it FLOAT\[2, 3\]",
    ),
    (
        loop(PLAIN, m=np.array([1, 2]), w=W),
        OperatorInputError,
        r"the trip count 'm' is INT64\[2\]; expected one INT64",
    ),
]


@pytest.mark.parametrize(("model", "error", "words"), REFUSED)
def test_what_is_refused(model: onnx.ModelProto, error: type[popir.PopirError], words: str) -> None:
    with pytest.raises(error, match=words):
        import_model(model.SerializeToString())


def test_the_gradient_of_an_unknown_number_of_iterations() -> None:
    unknown, known = loop(PLAIN, "float[2, 3] x, int64 m", w=W), loop(PLAIN, m=THREE, w=W)
    x, factors = floats(2, 3), {"y": floats(2, 3)}
    found = gradients(unknown, {"x": x, "m": THREE}, factors, ["x"])
    np.testing.assert_allclose(found["x"], gradients(known, {"x": x}, factors, ["x"])["x"], 1e-5)


def test_values_that_no_iteration_changes_in_type() -> None:
    body = """step (int64 i, bool c, float[2] h) => (bool d, double[2] n) {
        d = Identity(c) n = Cast<to = 11>(h)
    }"""
    model = loop(body, "float[2] x, int64 m", types="double y")
    with pytest.raises(OperatorInputError, match=r"FLOAT\[2\] before and DOUBLE\[2\] after"):
        results(model, {"x": floats(2), "m": THREE})


def test_random_numbers_in_a_loop() -> None:
    body = """step (int64 i, bool c, float[2] h) => (bool d, float[2] n) {
        d = Identity(c) t = Dropout(h) n = Exp(t)
    }"""
    model = loop(body, "float[2] x", m=THREE)
    agrees(model, {"x": floats(2)})
    with pytest.raises(popir.popart_exception, match=r"Dropout.* draws random numbers in 'y/body'"):
        gradients(model, {"x": floats(2)}, {"y": floats(2)}, ["x"])


def test_the_text_of_a_loop() -> None:
    graph = graph_of(loop(SCANNED, outputs="y, s, k", m=THREE, w=W))
    assert print_graph(parse_graph(print_graph(graph))) == print_graph(graph)


def test_the_host_profile_names_what_the_body_has() -> None:
    model = loop(PLAIN, m=THREE, w=W)
    session = popir.InferenceSession(
        model.SerializeToString(),
        popir.DataFlow(1, ["y"]),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(engineOptions={"host.profile": "true"}),
    )
    session.prepareDevice()
    step(session, {"x": floats(2, 3)})
    runs = {each.type: each.runs for each in session.getHostProfile().instructions}
    assert runs["MatMul"] == 3


@pytest.mark.parametrize("outlining", [True, False])
def test_loops_on_a_machine(outlining: bool) -> None:
    """The cycles of a body are counted once for each iteration."""
    cycles = []
    for count in (2, 20):
        model = loop(PLAIN, m=np.array(count), w=W)
        session = popir.InferenceSession(
            model.SerializeToString(),
            popir.DataFlow(1, ["y"]),
            popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
            userOptions=popir.SessionOptions(enableOutlining=outlining),
        )
        session.prepareDevice()
        found = step(session, {"x": floats(2, 3)})["y"]
        np.testing.assert_allclose(found, results(model, {"x": floats(2, 3)})[0], 1e-5, 1e-6)
        cycles.append(session.getCycleCount())
    assert 8 < cycles[1] / cycles[0] < 10
