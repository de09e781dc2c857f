"""The interface of onnx.backend, by the node tests that onnx itself brings."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnx.backend.test.loader
import pytest
from onnx import helper

import popir.backend
import tests.models  # noqa: F401
from popir import UnknownOperatorError, registry

# The node tests of onnx that popir is not meant to pass, by their names, and why.
EXCLUDED = {
    "cast(like)?_.*(FLOAT|DOUBLE|INT|STRING)": "types that the device lacks, or data kept as text",
    "_string": "strings",
    "training_dropout(_default)?(_mask)?$": "random numbers of numpy's",
    "identity_(sequence|opt)": "sequences and optional values",
    "maxpool_with_argmax": "the second output of MaxPool",
    "not_[234]d": "written in opset 1",
}


def model() -> onnx.ModelProto:
    value = helper.make_tensor_value_info
    node = helper.make_node("Sub", ["a", "b"], ["c"])
    graph = helper.make_graph(
        [node, helper.make_node("Neg", ["c"], ["d"])],
        "g",
        [value("a", 1, ["n"]), value("b", 1, ["n"])],
        [value("c", 1, ["n"]), value("d", 1, ["n"])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


A, B = np.float32([1, 2, 3]), np.float32([5, 7, 9])


def test_inputs_in_order_and_by_name() -> None:
    rep = popir.backend.prepare(model())
    for inputs in ([A, B], {"b": B, "a": A}):
        out = rep.run(inputs)
        np.testing.assert_array_equal(out[0], A - B)
        np.testing.assert_array_equal(out.d, B - A)


def test_shapes_that_the_model_leaves_open() -> None:
    rep = popir.backend.prepare(model())
    for n in (1, 3):
        np.testing.assert_array_equal(rep.run([A[:n], B[:n]])[0], (A - B)[:n])


def compiled_shapes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The first dimensions of the inputs of each session that is compiled from now on."""
    found: list[int] = []
    compiled = popir.backend.PopirRep._compiled

    def watched(self: Any, proto: Any, infos: Any) -> Any:
        found.append(infos["a"].shape()[0])
        return compiled(self, proto, infos)

    monkeypatch.setattr(popir.backend.PopirRep, "_compiled", watched)
    return found


def test_the_sessions_used_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(popir.backend, "MOST_SESSIONS", 3)
    shapes = compiled_shapes(monkeypatch)
    rep = popir.backend.prepare(model())
    for n in (1, 2, 3, 1, 4, 1, 2):  # 4 takes the place of 2, then 2 that of 3
        x = np.arange(n, dtype=np.float32)
        np.testing.assert_array_equal(rep.run([x, x + 1])[0], np.full(n, -1, np.float32))
    assert shapes == [1, 2, 3, 4, 2]


def test_sessions_are_kept_up_to_a_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(popir.backend, "MOST_BYTES", 1_000_000)
    shapes = compiled_shapes(monkeypatch)
    rep = popir.backend.prepare(model())
    # Sixteen bytes an element: 60,000 leave no room for 40,000, and 100,000 none for anything.
    for n in (40_000, 50, 40_000, 60_000, 50, 60_000, 100_000, 100_000, 50):
        rep.run([np.zeros(n, np.float32)] * 2)
    assert shapes == [40_000, 50, 60_000, 50, 100_000, 50]


def test_devices() -> None:
    assert popir.backend.supports_device("CPU")
    assert popir.backend.supports_device("CPU:0")
    assert not popir.backend.supports_device("CUDA")
    with pytest.raises(ValueError, match=r"device 'CPU'; asked for was 'CUDA'"):
        popir.backend.prepare(model(), "CUDA")


def test_options_that_there_are_not() -> None:
    x = np.zeros(3, np.float32)
    for call in (
        lambda: popir.backend.prepare(model(), threads=2),
        lambda: popir.backend.prepare(model()).run([x], threads=2),
        lambda: popir.backend.run_node(helper.make_node("Neg", ["x"], ["y"]), [x], threads=2),
    ):
        with pytest.raises(TypeError, match=r"popir.backend: \w+(\.run)?\(\) takes no option 'thr"):
            call()


def test_one_node_with_a_shape_as_input() -> None:
    node = helper.make_node("Reshape", ["x", "shape"], ["y"])
    x = np.arange(6, dtype=np.float32)
    for shape in ([2, 3], [3, -1]):
        (y,) = popir.backend.run_node(node, [x, np.int64(shape)], opset_version=13)
        np.testing.assert_array_equal(y, x.reshape(shape))


def test_one_node_at_an_opset() -> None:
    node = helper.make_node("Softmax", ["x"], ["y"])
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    (old,) = popir.backend.run_node(node, [x], opset_version=11)
    (new,) = popir.backend.run_node(node, [x], opset_version=13)
    np.testing.assert_allclose(old.sum((1, 2)), 1, rtol=1e-5)
    np.testing.assert_allclose(new.sum(2), 1, rtol=1e-5)


def test_an_operator_that_popir_lacks() -> None:
    node = helper.make_node("Det", ["x"], ["y"])
    with pytest.raises(UnknownOperatorError, match=r"ai.onnx.Det"):
        popir.backend.run_node(node, [np.eye(2, dtype=np.float32)])


def known(case: Any) -> bool:
    """Whether popir has all operators of a test, and it is not excluded."""
    operators = {(entry.opid.domain, entry.opid.type) for entry in registry.entries()}
    operators.add(("ai.onnx", "Constant"))
    used = {(node.domain or "ai.onnx", node.op_type) for node in case.model.graph.node}
    return used <= operators and not any(re.search(name, case.name) for name in EXCLUDED)


@pytest.mark.filterwarnings("ignore::Warning:onnx.*")
@pytest.mark.filterwarnings("ignore:.*no meaning here:popir.options.OptionWarning")
def test_the_node_tests_of_onnx() -> None:
    cases = [case for case in onnx.backend.test.loader.load_model_tests(kind="node") if known(case)]
    failures = [f"{case.name}: {fault}" for case in cases if (fault := fault_of(case))]
    assert not failures, "\n".join(failures)
    assert len(cases) > 400


def fault_of(case: Any) -> str | None:
    """What is wrong with popir's result for a node test."""
    rep = popir.backend.prepare(case.model)
    for inputs, outputs in case.data_sets:
        try:
            for got, want in zip(rep.run(inputs), outputs, strict=True):
                assert (got.dtype, got.shape) == (want.dtype, want.shape)
                # Its halves are rounded after each step, popir's once for each operator.
                is_half = (
                    got.dtype.kind != "O" and got.dtype.itemsize == 2 and got.dtype.kind in "fV"
                )
                rtol = 4 * ml_dtypes.finfo(got.dtype).eps if is_half else 0
                got, want = (a.astype(np.float32) if is_half else a for a in (got, want))
                np.testing.assert_allclose(got, want, max(case.rtol, rtol), case.atol)
        except (AssertionError, popir.PopirError) as error:
            return str(error)
    return None
