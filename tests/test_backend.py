"""The interface of onnx.backend; ONNX's own tests are in test_node_tests.py."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import popir.backend
import tests.models  # noqa: F401
from popir import UnknownOperatorError
from popir.errors import LeavesDeviceError
from popir.segments import sessions


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
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 3)
    shapes = compiled_shapes(monkeypatch)
    rep = popir.backend.prepare(model())
    for n in (1, 2, 3, 1, 4, 1, 2):  # 4 takes the place of 2, then 2 that of 3
        x = np.arange(n, dtype=np.float32)
        np.testing.assert_array_equal(rep.run([x, x + 1])[0], np.full(n, -1, np.float32))
    assert shapes == [1, 2, 3, 4, 2]


def test_sessions_are_kept_up_to_a_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_BYTES", 1_000_000)
    shapes = compiled_shapes(monkeypatch)
    rep = popir.backend.prepare(model())
    # Sixteen bytes an element, and eight more of large results that are written again: 40,000 leave
    # no room for 30,000, and 100,000 none for anything.
    for n in (30_000, 50, 30_000, 40_000, 50, 40_000, 100_000, 100_000, 50):
        rep.run([np.zeros(n, np.float32)] * 2)
    assert shapes == [30_000, 50, 40_000, 50, 100_000, 50]


def test_memory_of_large_results_that_nobody_holds_is_written_again() -> None:
    rep = popir.backend.prepare(model())
    n = sessions.LARGE_BYTES // 4

    def address(array: np.ndarray[Any, Any]) -> int:
        return array.__array_interface__["data"][0]

    def run(a: int) -> np.ndarray[Any, Any]:
        return rep.run([np.full(n, a, np.float32), np.zeros(n, np.float32)])[0]

    seen = set()
    last = run(0)
    for a in range(1, 6):  # the usual loop: the last result is held while the next one is made
        last = run(a)
        seen.add(address(last))
    assert len(seen) == 2 and (last == 5).all()

    part = run(6)[10:20]  # a view holds it
    held = [run(a) for a in range(7, 12)]
    assert (part == 6).all() and [x[0] for x in held] == [7, 8, 9, 10, 11]
    assert len({address(x) for x in held}) == 5

    shared = memoryview(run(12))  # so does a buffer
    assert run(13)[0] == 13 and run(14)[0] == 14 and shared[0] == 12


TRACED = """
import sys
import numpy as np

def trace(frame, event, argument):
    assert frame.f_locals is not None  # as debuggers do: the frame then refers to them once more
    return trace

sys.settrace(trace)
from popir.segments.sessions import LARGE_BYTES, Result
sys.settrace(None)
result = Result(np.empty(LARGE_BYTES, np.uint8))
one = result.array()
assert not np.shares_memory(one, result.array())
"""


def test_results_are_told_apart_after_an_import_that_was_traced() -> None:
    subprocess.run([sys.executable, "-c", TRACED], check=True)


@pytest.mark.parametrize("dtype", ["float16", "bool", "int64", "float32"])
def test_results_of_all_types_can_be_written(dtype: str) -> None:
    result = sessions.Result(np.empty((3, 1 << 16), dtype))
    array = result.array()
    array[...] = 1
    assert (array.shape, array.dtype) == ((3, 1 << 16), np.dtype(dtype))
    held = array.reshape(-1)[5:].view(np.uint8)[::2]
    where = array.ctypes.data
    del array
    assert not np.shares_memory(held, result.array())
    del held
    assert where in (result.array().ctypes.data for _ in range(2))


def test_threads_do_not_get_the_memory_of_one_result() -> None:
    rep = popir.backend.prepare(model())
    n = sessions.LARGE_BYTES // 4
    zeros = np.zeros(n, np.float32)

    def run(a: int) -> bool:
        result = rep.run([np.full(n, a, np.float32), zeros])[0]
        return bool((result == a).all())

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(run, range(400)))


def test_initializers_that_are_inputs_may_be_replaced() -> None:
    proto = model()
    proto.graph.initializer.append(numpy_helper.from_array(B, "b"))
    rep = popir.backend.prepare(proto)
    for given, expected in [({"a": A}, A - B), ({"a": A, "b": 2 * B}, A - 2 * B), ([A], A - B)]:
        np.testing.assert_array_equal(rep.run(given)[0], expected)
        theirs = ReferenceEvaluator(proto)
        named = given if isinstance(given, dict) else {"a": A}
        np.testing.assert_array_equal(theirs.run(None, named)[0], expected)


def test_inputs_that_there_are_not() -> None:
    rep = popir.backend.prepare(model())
    with pytest.raises(popir.OperatorInputError) as error:
        rep.run({"a": A, "b": B, "bb": B})
    assert str(error.value) == (
        "The model has no input 'bb'; its inputs are a, b. Did you mean 'b'?"
    )


@pytest.mark.parametrize("constant", [True, False])
def test_outputs_that_are_strings_and_nothing_on_the_host_makes(constant: bool) -> None:
    words = numpy_helper.from_array(np.array(["a", "é"], object), "words")
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Neg", ["x"], ["y"])]
    if constant:
        nodes.append(helper.make_node("Constant", [], ["words"], value=words))
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", 1, [3])],
        [value("y", 1, [3]), value("words", onnx.TensorProto.STRING, [2])],
        [] if constant else [words],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    out = popir.backend.prepare(made).run([A])
    np.testing.assert_array_equal(out[0], -A)
    assert out[1].tolist() == ["a", "é"]
    device = popir.DeviceManager().createCpuDevice()
    with pytest.raises(LeavesDeviceError, match="'words' holds strings"):
        popir.InferenceSession(made, popir.DataFlow(1, ["words"]), device)


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
    node = helper.make_node("NoSuchOperator", ["x"], ["y"])
    with pytest.raises(UnknownOperatorError, match=r"ai.onnx.NoSuchOperator"):
        popir.backend.run_node(node, [np.zeros(9, np.uint8)])
