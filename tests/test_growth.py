"""Compiling takes work in proportion to the model: for every operator, many of them, and models
that were made to take long.

Work is counted, so that the same model takes the same on every machine: lines of Python that run,
and what the device counts in its budget.

Long, because each model that once took long stands here beside what it showed.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import popir
from popir.budget import Budget
from popir.errors import PopirError, WorkLimitError, popart_exception
from popir.onnxio.examine import examine
from popir.onnxio.load import load
from popir.profile.work import workOf
from tests.models import step
from tests.ops.cases import CASES, Array, Case
from tests.ops.test_cases import model_of, opsets_of
from tests.toolchain import CACHED_CXX, run

MOST = 2.6
"""The work that doubling a model adds, and doubling it again: their ratio is 2 if the work is
linear, 4 if it is quadratic.
"""


LINE_COUNTER = r"""
#include <Python.h>
#include <frameobject.h>

static long long lines;

static int count(PyObject* self, PyFrameObject* frame, int event, PyObject* argument) {
  lines += event == PyTrace_LINE;
  return 0;
}

void begin(void) {
  lines = 0;
  PyEval_SetTrace(count, NULL);
}

long long end(void) {
  PyEval_SetTrace(NULL, NULL);
  return lines;
}
"""
"""A function of Python for each line would take most of these tests' time."""


@cache
def line_counter() -> ctypes.PyDLL:
    """LINE_COUNTER, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "lines.c", Path(folder) / "liblines.so"
        source.write_text(LINE_COUNTER)
        include = f"-I{sysconfig.get_path('include')}"
        run(
            *CACHED_CXX,
            "-xc",
            "-shared",
            "-fPIC",
            include,
            source,
            "-o",
            library,
            cwd=source.parent,
        )
        made = ctypes.PyDLL(str(library))
    made.end.restype = ctypes.c_longlong
    return made


def counted(run: Callable[[], Any]) -> int:
    """The lines of Python that `run` executes; a line counts again in each round of a loop."""
    before = sys.gettrace()
    line_counter().begin()
    try:
        run()
    finally:
        lines = line_counter().end()
        sys.settrace(before)
    return lines


def session_of(model: ModelProto | bytes, device: Any = None, loss: str = "") -> Any:
    """A prepared session, for training where there is a loss."""
    data = model if isinstance(model, bytes) else model.SerializeToString()
    names = [value.name for value in onnx.load_from_string(data).graph.output]
    device = device or popir.DeviceManager().createCpuDevice()
    options = popir.SessionOptions(engineOptions={"debug.allowOutOfMemory": "true"})
    flow = popir.DataFlow(1, names)
    if loss:
        session: Any = popir.TrainingSession(
            *(data, flow, loss, popir.ConstSGD(0.1), device),
            userOptions=options,
            trained=["*"],
        )
    else:
        session = popir.InferenceSession(data, flow, device, userOptions=options)
    session.prepareDevice()
    return session


def work(model: ModelProto, device: Any = None, loss: str = "") -> int:
    """What it takes to load, compile and prepare a model, in lines and units."""
    sessions = []
    lines = counted(lambda: sessions.append(session_of(model, device, loss)))
    return lines + sessions[0]._budget.spent


def check_linear(make: Callable[[int], ModelProto], n: int, **more: Any) -> None:
    session_of(make(2), **more)  # what is made once
    once, twice, again = (work(make(n * k), **more) for k in (1, 2, 4))
    assert again - twice < MOST * max(twice - once, once / 10), (once, twice, again)


# Every operator.


def copies(case: Case, n: int, in_series: bool) -> ModelProto:
    """The operator of a row `n` times: beside each other, or one on the result of the other."""
    model = model_of(case, opsets_of(case)[-1], case.arrays(np.float32))
    one = model.graph.node[0]
    nodes, last = [], next(iter(one.input), "")
    for k in range(n):
        node = onnx.NodeProto()
        node.CopyFrom(one)
        node.name = f"node{k}"
        node.output[:] = [f"{id}_{k}" for id in one.output]
        if in_series:
            node.input[0] = last
            last = node.output[0]
        nodes.append(node)
    del model.graph.node[:], model.graph.output[:]
    model.graph.node.extend(nodes)
    named = [last] if in_series else [id for node in nodes for id in node.output]
    model.graph.output.extend(onnx.ValueInfoProto(name=id) for id in named)
    return model


def can_be_in_series(case: Case, session: Any) -> bool:
    """Whether the operator's result has the type and shape of its first input."""
    arrays = case.arrays(np.float32)
    if not arrays or arrays[0] is None or 0 in case.constants:
        return False
    result = next(iter(session.initAnchorArrays().values()))
    return (result.shape, result.dtype) == (arrays[0].shape, arrays[0].dtype)


MANY = 60
"""Operators that are many, for what grows with their number."""
ROWS = {(case.domain, case.type): case for case in CASES}
"""One row for each operator of the registry: tests/ops/test_cases.py has them all."""


@pytest.mark.parametrize("case", ROWS.values(), ids=lambda case: case.name)
def test_many_of_an_operator(case: Case) -> None:
    """Fewer of one that becomes many operators."""
    one = session_of(copies(case, 1, in_series=False))
    n = max(2, min(6, MANY // max(1, len(one.graph.ops))))
    check_linear(lambda n: copies(case, n, in_series=False), n)
    if can_be_in_series(case, one):
        check_linear(lambda n: copies(case, n, in_series=True), n)


# What operators are given.


def f32(*shape: int) -> Array:
    return np.ones(shape, np.float32)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


def model_with(
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, Sequence[int]],
    outputs: Sequence[str],
    initializers: dict[str, Array] | None = None,
    functions: Sequence[Any] = (),
) -> ModelProto:
    """A model of opset 17."""
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(id, TensorProto.FLOAT, s) for id, s in inputs.items()],
        [onnx.ValueInfoProto(name=id) for id in outputs],
        [numpy_helper.from_array(array, id) for id, array in (initializers or {}).items()],
    )
    opsets = [helper.make_opsetid(domain, v) for domain, v in (("", 17), ("f", 1))]
    opsets.append(helper.make_opsetid("ai.graphcore", 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=functions)


node = helper.make_node


def wide(type: str, n: int, **attributes: Any) -> ModelProto:
    """An operator of `n` inputs, each of which was computed."""
    nodes = [node("Relu", [f"x{i}"], [f"r{i}"]) for i in range(n)]
    nodes.append(node(type, [f"r{i}" for i in range(n)], ["y"], **attributes))
    return model_with(nodes, {f"x{i}": [1] for i in range(n)}, ["y"])


def parts(n: int) -> ModelProto:
    """A tensor in `n` parts, which are changed and joined."""
    nodes = [node("Split", ["x"], [f"y{i}" for i in range(n)], axis=0)]
    nodes += [node("Relu", [f"y{i}"], [f"z{i}"]) for i in range(n)]
    nodes.append(node("Concat", [f"z{i}" for i in range(n)], ["y"], axis=0))
    return model_with(nodes, {"x": [n]}, ["y"])


def chain(n: int, links: Callable[[int], list[Any]], shape: Sequence[int], **more: Any) -> Any:
    """What computes h1 from h0, h2 from h1, ..."""
    nodes = [each for i in range(n) for each in links(i)]
    return model_with(nodes, {"h0": shape}, [f"h{n}"], more or None)


def fan(n: int) -> ModelProto:
    """One tensor that many read, in which nobody may write."""
    nodes = [node("Relu", ["x"], ["h"]), *(node("Relu", ["h"], [f"y{i}"]) for i in range(n))]
    return model_with(nodes, {"x": [4]}, [f"y{i}" for i in range(n)])


def initializers(n: int) -> ModelProto:
    nodes = [node("Add", [f"h{i}", f"w{i}"], [f"h{i + 1}"]) for i in range(n)]
    return model_with(nodes, {"h0": [4]}, [f"h{n}"], {f"w{i}": f32(4) for i in range(n)})


def anchors(n: int) -> ModelProto:
    nodes = [node("Relu", [f"h{i}"], [f"h{i + 1}"]) for i in range(n)]
    return model_with(nodes, {"h0": [4]}, [f"h{i + 1}" for i in range(n)])


def residual(n: int) -> ModelProto:
    """A tensor that every block reads."""

    def link(i: int) -> list[Any]:
        return [node("Relu", [f"h{i}"], [f"r{i}"]), node("Add", [f"r{i}", "h0"], [f"h{i + 1}"])]

    return chain(n, link, [4])


def transposed(n: int) -> ModelProto:
    def link(i: int) -> list[Any]:
        transpose = node("Transpose", [f"h{i}"], [f"t{i}"], perm=[1, 0])
        return [transpose, node("Reshape", [f"t{i}", "s"], [f"h{i + 1}"])]

    return chain(n, link, [5, 7], s=ints(5, 7))


def growing(n: int) -> ModelProto:
    return chain(n, lambda i: [node("Concat", [f"h{i}", "h0"], [f"h{i + 1}"], axis=0)], [1])


def rotated(n: int) -> ModelProto:
    def link(i: int) -> list[Any]:
        split = node("Split", [f"h{i}", "s"], [f"a{i}", f"b{i}"], axis=0)
        return [split, node("Concat", [f"b{i}", f"a{i}"], [f"h{i + 1}"], axis=0)]

    return chain(n, link, [30], s=ints(7, 23))


def reshaped(n: int) -> ModelProto:
    """Shapes that are computed when the model is compiled."""

    def link(i: int) -> list[Any]:
        return [
            node("Shape", [f"h{i}"], [f"s{i}"]),
            node("Reshape", [f"h{i}", f"s{i}"], [f"h{i + 1}"]),
        ]

    return chain(n, link, [4, 4])


def shuffled(n: int) -> ModelProto:
    """A tensor in `n` parts, which are joined in another order."""
    nodes = [node("Split", ["x"], [f"y{i}" for i in range(n)], axis=0)]
    nodes.append(node("Concat", [f"y{i * 7 % n}" for i in range(n)], ["y"], axis=0))
    return model_with(nodes, {"x": [n]}, ["y"])


def shuffles(n: int) -> ModelProto:
    """The same of eight parts, again and again."""

    def link(i: int) -> list[Any]:
        split = node("Split", [f"h{i}"], [f"p{i}_{k}" for k in range(8)], axis=0)
        joined = [f"p{i}_{k * 5 % 8}" for k in range(8)]
        return [split, node("Concat", joined, [f"h{i + 1}"], axis=0)]

    return chain(n, link, [8, 2])


def calls(n: int) -> ModelProto:
    """A function called many times."""
    opsets = [helper.make_opsetid("", 17)]
    body = [node("Relu", ["a"], ["t"]), node("Tanh", ["t"], ["b"])]
    function = helper.make_function("f", "F", ["a"], ["b"], body, opsets)
    nodes = [node("F", [f"h{i}"], [f"h{i + 1}"], domain="f") for i in range(n)]
    return model_with(nodes, {"h0": [4]}, [f"h{n}"], functions=[function])


def steps(n: int) -> ModelProto:
    weights = {"w": f32(1, 8, 2), "r": f32(1, 8, 2)}
    lstm = node("LSTM", ["x", "w", "r"], ["y"], hidden_size=2)
    return model_with([lstm], {"x": [n, 1, 2]}, ["y"], weights)


def layers(n: int) -> ModelProto:
    """A network to train, and its loss."""
    nodes, weights = [], {}
    for i in range(n):
        weights[f"w{i}"] = f32(4, 4)
        weights[f"s{i}"] = np.float32(0.5)
        nodes += [
            node("MatMul", [f"h{i}", f"w{i}"], [f"a{i}"]),
            node("Mul", [f"a{i}", f"s{i}"], [f"b{i}"]),
            node("Softmax", [f"b{i}"], [f"h{i + 1}"]),
        ]
    nodes.append(node("ReduceSum", [f"h{n}"], ["loss"], keepdims=0))
    return model_with(nodes, {"h0": [4, 4]}, ["loss"], weights)


MODELS: dict[str, tuple[Callable[[int], ModelProto], int]] = {
    **{f"{type} of many": (lambda n, type=type: wide(type, n), 24) for type in ("Sum", "Max")},
    "Min of many": (lambda n: wide("Min", n), 24),
    "Mean of many": (lambda n: wide("Mean", n), 24),
    "Concat of many": (lambda n: wide("Concat", n, axis=0), 40),
    "Split into many": (parts, 80),
    "fan": (fan, 80),
    "initializers": (initializers, 40),
    "anchors": (anchors, 40),
    "residual": (residual, 40),
    "transposed": (transposed, 40),
    "growing": (growing, 40),
    "rotated": (rotated, 40),
    "shuffled": (shuffled, 80),
    "shuffles": (shuffles, 10),
    "reshaped": (reshaped, 40),
    "calls of a function": (calls, 24),
    "time steps": (steps, 30),
}


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str) -> None:
    make, n = MODELS[name]
    check_linear(make, n)


def trained(model: ModelProto) -> ModelProto:
    """Its inputs are weights, and the sum of its outputs is the loss."""
    graph = model.graph
    for value in graph.input:
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        graph.initializer.append(numpy_helper.from_array(f32(*shape), value.name))
    sums = [f"sum{i}" for i in range(len(graph.output))]
    for value, total in zip(graph.output, sums, strict=True):
        graph.node.append(node("ReduceSum", [value.name], [total], keepdims=0))
    graph.node.append(node("Sum", sums, ["loss"]))
    del graph.input[:], graph.output[:]
    graph.output.append(onnx.ValueInfoProto(name="loss"))
    return model


@pytest.mark.parametrize("name", MODELS)
def test_models_in_training(name: str) -> None:
    make, n = MODELS[name]
    check_linear(lambda n: trained(make(n)), n, loss="loss")


def seconds(model: ModelProto, loss: str) -> float:
    begin = time.process_time()
    session_of(model, loss=loss)
    return time.process_time() - begin


@pytest.mark.parametrize("is_trained", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("name", MODELS)
def test_what_is_not_counted_takes_time_in_proportion(name: str, is_trained: bool) -> None:
    """Lines and units leave out what the device's C++ does. Of eight times as much that takes 64
    times the time if it is quadratic; four times what is linear is allowed for other processes.
    """
    make, _ = MODELS[name]
    small, large = (trained(make(n)) if is_trained else make(n) for n in (60, 480))
    loss = "loss" if is_trained else ""
    seconds(small, loss)
    ratios = (seconds(large, loss) / max(seconds(small, loss), 0.02) for _ in range(3))
    assert any(ratio < 4 * 480 / 60 for ratio in ratios)


def test_training() -> None:
    check_linear(layers, 8, loss="loss")


def test_training_on_a_machine_where_what_repeats_is_outlined() -> None:
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4})
    check_linear(layers, 8, loss="loss", device=device)


# Elements.


def scaled(case: Case, k: int) -> ModelProto | None:
    """The operator of a row on `k` times as much: along the first dimension of the inputs that are
    streams. None where nothing can be longer.
    """
    arrays = case.arrays(np.float32)
    streams = [i for i, a in enumerate(arrays) if a is not None and i not in case.constants]
    longest = max((len(arrays[i]) for i in streams if arrays[i].ndim), default=0)
    for i in streams:
        if arrays[i].ndim and len(arrays[i]) == longest:
            arrays[i] = np.concatenate([arrays[i]] * k)
    return model_of(case, opsets_of(case)[-1], arrays) if longest else None


def test_elements() -> None:
    """More elements are no more work: what is compiled are tensors."""
    grown: list[str] = []
    for case in ROWS.values():
        models = [scaled(case, k) for k in (1, 64, 256)]
        if models[0] is None or case.type == "LSTM":  # which is unrolled
            continue
        try:
            spent = [session_of(model)._budget.spent for model in models if model is not None]
        except PopirError:
            continue  # other sizes of that operator do not go together
        assert spent[2] <= 1.2 * spent[1], case.name
        grown.append(case.name)
    assert len(grown) > 80


# The budget.


def doubled(n: int) -> ModelProto:
    """A kilobyte of file, and 2^n elements."""
    return chain(n, lambda i: [node("Concat", [f"h{i}", f"h{i}"], [f"h{i + 1}"], axis=0)], [1])


def functions(n: int) -> ModelProto:
    """Each function calls the next one twice: 2^n operators."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
    made = []
    for i in range(n):
        domain, type = ("f", f"F{i + 1}") if i + 1 < n else ("", "Relu")
        pair = [(["a"], ["t"]), (["t"], ["b"])]
        body = [node(type, *each, domain=domain) for each in pair]
        made.append(helper.make_function("f", f"F{i}", ["a"], ["b"], body, opsets))
    return model_with([node("F0", ["x"], ["y"], domain="f")], {"x": [4]}, ["y"], functions=made)


def everything(model: ModelProto) -> None:
    """Loading, describing, compiling, preparing."""
    loaded = load(model)
    with Budget("Describing the model", loaded.nodes).spending():
        workOf(examine(loaded).graph)
    session_of(model)


def test_a_concat_that_doubles_itself() -> None:
    check_linear(doubled, 6)
    small = session_of(doubled(12))
    x = np.array([3], np.float32)
    np.testing.assert_array_equal(step(small, {"h0": x})["h12"], np.full(2**12, 3, np.float32))
    everything(doubled(26))


def test_a_view_of_views_without_end_has_the_right_elements() -> None:
    n = 200
    session = session_of(transposed(n))
    want = x = np.arange(35, dtype=np.float32).reshape(5, 7)
    for _ in range(n):
        want = want.T.reshape(5, 7)
    np.testing.assert_array_equal(step(session, {"h0": x})[f"h{n}"], want)


def test_a_weight_is_updated_through_views_of_any_depth() -> None:
    """A copy of such a view would be updated in the weight's place."""
    n = 40
    nodes, last = [], "w"
    for i in range(n):
        nodes += [node("Transpose", [last], [f"t{i}"], perm=[1, 0])]
        nodes += [node("Reshape", [f"t{i}", "s"], [f"v{i}"])]
        last = f"v{i}"
    nodes += [node("Mul", ["x", last], ["p"]), node("ReduceSum", ["p"], ["loss"], keepdims=0)]
    weight = np.arange(35, dtype=np.float32).reshape(5, 7)
    model = model_with(nodes, {"x": [5, 7]}, ["loss"], {"w": weight, "s": ints(5, 7)})
    session = session_of(model, loss="loss")
    x = np.random.default_rng(0).standard_normal((5, 7)).astype(np.float32)
    step(session, {"x": x})
    session.weightsToHost()
    found = {"w": np.empty((5, 7), np.float32)}
    session.readWeights(popir.PyWeightsIO(found))
    order = np.arange(35).reshape(5, 7)
    for _ in range(n):
        order = order.T.reshape(5, 7)
    gradient = np.empty(35, np.float32)
    gradient[order.reshape(-1)] = x.reshape(-1)
    np.testing.assert_allclose(found["w"], weight - 0.1 * gradient.reshape(5, 7), rtol=1e-6)


def test_functions_that_amount_to_too_many_operators() -> None:
    everything(functions(6))
    with pytest.raises(WorkLimitError) as error:
        load(functions(16))
    assert str(error.value) == (
        "Expanding the functions of the model takes more than 10660000 units of work, the limit "
        "for a model of 33 nodes; a unit is about a microsecond. Set the environment variable "
        "POPIR_MAX_WORK to a larger number, or to 0 for no limit."
    )


def test_time_steps_beyond_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POPIR_MAX_WORK", "100000")
    with pytest.raises(WorkLimitError) as error:
        session_of(steps(65_536))
    assert str(error.value) == (
        "Compiling the session 'inference' takes more than 100000 units of work, the limit that "
        "POPIR_MAX_WORK sets; a unit is about a microsecond. It was at Op(0, ai.onnx.LSTM:14, "
        "name='', inputs=['x', 'w', 'r'], outputs=['y']). Set the environment variable "
        "POPIR_MAX_WORK to a larger number, or to 0 for no limit."
    )
    monkeypatch.setenv("POPIR_MAX_WORK", "0")
    assert session_of(steps(1000))._budget.spent > 100_000


def test_the_limit_by_default_refuses_what_takes_minutes() -> None:
    spent = [session_of(steps(n))._budget.spent for n in (50, 100)]
    assert 65_536 * (spent[1] - spent[0]) // 50 > Budget("", 1).limit


def test_a_limit_that_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ("a lot", "-1", "1e9", "", "9" * 40):
        monkeypatch.setenv("POPIR_MAX_WORK", words)
        with pytest.raises(popart_exception, match=r"POPIR_MAX_WORK is '.*'; it must be a number"):
            session_of(steps(2))


def test_work_is_counted_for_each_session_by_itself() -> None:
    first, second = session_of(fan(5)), session_of(fan(5))
    assert first._budget.spent == second._budget.spent > 0


def test_a_part_of_a_transposed_matrix_in_many_pieces() -> None:
    """Two hundred bytes of file, cut at each of its rows: one after the other, not one in the
    other.
    """
    n = 100_000
    nodes = [
        node("Transpose", ["x"], ["t"], perm=[1, 0]),
        node("Reshape", ["t", "s"], ["f"]),
        node("Slice", ["f", "b", "e", "a", "st"], ["y"]),
    ]
    given = {"s": ints(-1), "b": ints(0), "e": ints(2**40), "a": ints(0), "st": ints(3)}
    session = session_of(model_with(nodes, {"x": [7, n]}, ["y"], given))
    x = np.arange(7 * n, dtype=np.float32).reshape(7, n)
    np.testing.assert_array_equal(step(session, {"x": x})["y"], x.T.reshape(-1)[::3])
