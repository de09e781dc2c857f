"""SequenceMap, and loops that carry sequences, in one device program: against onnxruntime."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from popir.errors import LeavesDeviceError, ModelError
from tests.models import floats, run
from tests.ops.control.models import expected, gradients, parsed, results

HEAD = "g (float[4, 3] x, float[2] z, int64 n, bool c) => (float[] y) {"
MADE = "two = Constant<value_int = 2>() s = SplitToSequence<axis = 0>(x, two) "
MAPS = {
    "a map": "t = SequenceMap<body = b (float[K, 3] v) => (float[K, 3] u) { u = Exp(v) }>(s) "
    "y = ConcatFromSequence<axis = 1>(t)",
    "a map of two": "t = SequenceMap<body = b (float[K, 3] v, float[K, 3] w) => (float[L, 3] u) "
    "{ u = Concat<axis = 0>(v, w) }>(s, s) y = ConcatFromSequence<axis = 0>(t)",
    "a map that reads a tensor, and one around": "o = Constant<value_float = 2.0>() "
    "e = Constant<value_int = 1>() "
    "t, q = SequenceMap<body = b (float[K, 3] v, float[2] w) => (float[K, 3] u, float[2] r) "
    "{ u = Mul(v, o) r = Identity(w) }>(s, z) a = SequenceAt(t, e) b2 = SequenceAt(q, e) "
    "c1 = ReduceSum<keepdims = 0>(b2) y = Add(a, c1)",
    "a map of nothing": "s0 = SequenceEmpty() "
    "t = SequenceMap<body = b (float[K, 3] v) => (float[K, 3] u) { u = Exp(v) }>(s0) "
    "y = SequenceLength(t)",
}
LOOPS = {
    "a trip count": """three = Constant<value_int = 3>() true = Constant<value = bool {1}>()
        t = Loop<body = b (int64 i, bool d, seq(float[K, 3]) v) => (bool e, seq(float[K, 3]) u) {
            f = Cast<to = 1>(i) p = Add(x, f) u = SequenceInsert(v, p) e = Identity(d)
        }>(three, true, s) y = ConcatFromSequence<axis = 0>(t)""",
    "a condition that counts": """zero = Constant<value_int = 0>()
        true = Constant<value = bool {1}>()
        k, t = Loop<body = b (int64 i, bool d, int64 j, seq(float[K, 3]) v)
            => (bool e, int64 m, seq(float[K, 3]) u) {
            one = Constant<value_int = 1>() m = Add(j, one) p = Neg(x) u = SequenceInsert(v, p, j)
            four = Constant<value_int = 4>() e = Less(m, four)
        }>("", true, zero, s) y = ConcatFromSequence<axis = 0>(t)""",
    "slices of each iteration": """three = Constant<value_int = 3>()
        true = Constant<value = bool {1}>()
        t, y = Loop<body = b (int64 i, bool d, seq(float[K, 3]) v)
            => (bool e, seq(float[K, 3]) u, float[3] o) {
            h = Constant<value_int = 0>() p = SequenceAt(v, h)
            axes = Constant<value_ints = [0]>() r = ReduceSum<keepdims = 0>(p, axes)
            f = Cast<to = 1>(i) o = Mul(r, f) u = Identity(v) e = Identity(d) }>(three, true, s)""",
}  # fmt: skip
INPUTS = {"x": floats(4, 3), "z": floats(2), "n": np.array(2), "c": np.array(True)}


def model_of(nodes: str) -> onnx.ModelProto:
    model = parsed(f"{HEAD} {MADE} {nodes} }}")
    model.graph.output[0].type.Clear()
    read = {id for node in model.graph.node for id in node.input}
    for value in list(model.graph.input):
        if value.name not in read and f"({value.name})" not in nodes:
            model.graph.input.remove(value)
    return model


def fed(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    return {value.name: INPUTS[value.name] for value in model.graph.input}


@pytest.mark.parametrize("name", [*MAPS, *LOOPS])
def test_results(name: str) -> None:
    model = model_of({**MAPS, **LOOPS}[name])
    found, want = results(model, fed(model))[0], expected(model, fed(model))[0]
    assert found.shape == want.shape
    np.testing.assert_allclose(found, want, 1e-6)


def test_the_gradient() -> None:
    found = gradients(
        model_of(MAPS["a map"]), {"x": INPUTS["x"]}, {"y": np.ones((2, 6), "f4")}, "x"
    )
    np.testing.assert_allclose(found["x"], np.exp(INPUTS["x"]), 1e-6)


@pytest.mark.parametrize(
    ("nodes", "error", "words"),
    [
        (
            LOOPS["a trip count"].replace("(three, true", "(n, true"),
            LeavesDeviceError,
            "carries sequences, and its trip count, 'n', is not known",
        ),
        (
            LOOPS["a trip count"].replace("(three, true", "(three, c"),
            LeavesDeviceError,
            "carries sequences, and its condition, 'c', is not known",
        ),
        (
            LOOPS["a trip count"].replace("e = Identity(d)", "e = Identity(c)"),
            LeavesDeviceError,
            "the condition of a further iteration",
        ),
        (
            LOOPS["a trip count"].replace("(three, true", '("", true'),
            LeavesDeviceError,
            "through more than 1024 iterations",
        ),
        (MAPS["a map"].replace("(s) ", "(x) "), ModelError, "the first input is a sequence"),
        (MAPS["a map"].replace("(s) ", "(s, z) "), ModelError, "must be equal"),
    ],
)
def test_what_is_refused(nodes: str, error: type[Exception], words: str) -> None:
    model = model_of(nodes)
    with pytest.raises(error, match=words):
        run(model, fed(model), ["y"])
