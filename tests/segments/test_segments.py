"""Models that are more than one device program, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, parser

import popir
import popir.backend
from popir.errors import LeavesDeviceError
from popir.segments import SegmentedModel

Array = np.ndarray[Any, Any]


def model(text: str, opset: int = 21) -> ModelProto:
    return parser.parse_model(f'<ir_version: 10, opset_import: ["": {opset}]> {text}')


def expected(proto: ModelProto, inputs: dict[str, Any]) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def check(text: str, *runs: dict[str, Any], opset: int = 21) -> SegmentedModel:
    """Runs a model in segments and by onnxruntime."""
    proto = model(text, opset)
    found = SegmentedModel(proto)
    for inputs in runs:
        outputs = found.run(inputs)
        for name, want in expected(proto, inputs).items():
            same(outputs[name], want, name)
        whole = popir.backend.prepare(proto).run(inputs)
        for name, value in outputs.items():
            same(getattr(whole, name), value, name)
    return found


def same(have: Any, want: Any, name: str) -> None:
    if want is None or isinstance(want, list):
        assert type(have) is type(want), name
        for one, other in zip(have or [], want or [], strict=True):
            same(one, other, name)
        return
    want = np.asarray(want)
    assert have.shape == want.shape, name
    if want.dtype == object:
        assert have.tolist() == want.tolist(), name
        return
    assert have.dtype == want.dtype, name
    np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-6, err_msg=name)


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


def test_a_mask_selects_rows_that_are_multiplied() -> None:
    text = """g (float[N,4] x, float[4,3] w) => (float[M,3] y, int64[1,M] where)
    {
        zero = Constant<value = float {0}>()
        total = ReduceSum<keepdims=0>(x, one)
        one = Constant<value_ints = [1]>()
        mask = Greater(total, zero)
        where = NonZero(mask)
        flat = Squeeze(where)
        rows = Gather(x, flat)
        y = MatMul(rows, w)
    }"""
    w = floats(4, 3)
    found = check(text, *({"x": floats(6, 4, seed=s), "w": w} for s in range(3)))
    assert list(found.left) == ["Node '' (ai.onnx.NonZero)"]
    before = found.compiled
    found.run({"x": floats(6, 4, seed=1), "w": w})
    assert found.compiled == before, "known shapes are compiled already"


def test_nothing_is_found() -> None:
    text = """g (float[N] x) => (float[M] y, int64 n)
    {
        where = NonZero(x)
        flat = Squeeze(where, axes)
        axes = Constant<value_ints = [0]>()
        y0 = Gather(x, flat)
        y = Exp(y0)
        n = Size(flat)
    }"""
    check(text, {"x": np.zeros(5, np.float32)}, {"x": floats(5)}, {"x": np.zeros(0, np.float32)})


def test_shapes_and_counts_that_are_inputs() -> None:
    text = """g (float[N] x, int64[2] shape, int64[1] k, int64 n)
    => (float[A,B] y, float[K] top, int64[R] r)
    {
        y = Reshape(x, shape)
        top, at = TopK(x, k)
        zero = Constant<value = int64 {0}>()
        two = Constant<value = int64 {2}>()
        end = Mul(n, two)
        r = Range(zero, end, two)
    }"""
    runs = (
        {"x": floats(12), "shape": ints(*shape), "k": ints(k), "n": np.array(n)}
        for shape, k, n in (((3, 4), 2, 3), ((2, -1), 12, 0), ((12, 1), 1, 7))
    )
    found = check(text, *runs)
    assert found.compiled == 3, "few integers are compiled in, and nothing is cut"


def test_a_shape_that_is_computed_from_data() -> None:
    text = """g (float[12] x) => (float[A,B] y, float z)
    {
        zero = Constant<value = float {0}>()
        above = Greater(x, zero)
        wide = Cast<to = 7>(above)
        axes = Constant<value_ints = [0]>()
        count = ReduceSum<keepdims = 1>(wide, axes)
        two = Constant<value_ints = [2]>()
        half = Mod(count, two)
        rows = Add(half, two)
        left = Constant<value_ints = [-1]>()
        shape = Concat<axis = 0>(rows, left)
        taken = Constant<value_ints = [6]>()
        start = Constant<value_ints = [0]>()
        part = Slice(x, start, taken)
        y = Reshape(part, shape)
        z = ReduceMax<keepdims = 0>(y)
    }"""
    check(text, *({"x": floats(12, seed=s)} for s in range(4)))


BRANCHES = """g (bool c, float[N] x) => (float[M] y)
{
    y = If(c) <
        then_branch = a () => (float[P] p) { p = Concat<axis=0>(x, x) },
        else_branch = b () => (float[Q] q) {
            w = NonZero(x)
            axes = Constant<value_ints=[0]>()
            f = Squeeze(w, axes)
            q = Gather(x, f)
        }
    >
}"""


def test_branches_of_other_shapes() -> None:
    x = np.float32([1, 0, 2, 0, 3])
    check(BRANCHES, *({"c": np.array(c), "x": x} for c in (True, False, True)))


def test_a_loop_that_grows_its_value() -> None:
    text = """g (int64 n, float[1] x) => (float[M] y, float[K] means)
    {
        true = Constant<value = bool {1}>()
        y, means = Loop(n, true, x) <
            body = b (int64 i, bool c, float[P] v) => (bool d, float[Q] w, float m) {
                d = Identity(c)
                last = Constant<value_ints = [-1]>()
                one = Gather<axis=0>(v, last)
                half = Constant<value = float {0.5}>()
                next = Mul(one, half)
                w = Concat<axis=0>(v, next)
                m = ReduceMean<keepdims=0>(w)
            }
        >
    }"""
    x = np.float32([8])
    check(text, *({"n": np.array(n), "x": x} for n in (3, 1, 5)))


def test_a_loop_whose_condition_ends_it_with_scan_outputs() -> None:
    text = """g (float x) => (float y, float[K] seen)
    {
        true = Constant<value = bool {1}>()
        most = Constant<value = int64 {50}>()
        y, seen = Loop(most, true, x) <
            body = b (int64 i, bool c, float v) => (bool d, float w, float s) {
                half = Constant<value = float {0.5}>()
                one = Constant<value = float {1}>()
                w = Mul(v, half)
                d = Greater(w, one)
                s = Add(w, one)
            }
        >
    }"""
    check(text, *({"x": np.array(x, np.float32)} for x in (100, 3, 1000)))


def test_sequences_at_run_time() -> None:
    text = """g (seq(float[N]) s, float[N] x, int64 at)
    => (seq(float[N]) t, float[N] one, int64 n, float[M] all)
    {
        t = SequenceInsert(s, x, at)
        one = SequenceAt(t, at)
        e = SequenceErase(t, at)
        n = SequenceLength(e)
        doubled = Add(one, one)
        u = SequenceInsert(e, doubled)
        all = ConcatFromSequence<axis=0>(u)
    }"""
    s = [floats(3, seed=1), floats(2, seed=2)]
    check(text, *({"s": s, "x": floats(2), "at": np.array(at)} for at in (0, 1, -1)))


def test_a_sequence_made_on_the_device_and_taken_at_a_computed_place() -> None:
    text = """g (float[6,2] x, int64 i) => (float[2,2] y)
    {
        two = Constant<value = int64 {2}>()
        doubled = Add(x, x)
        parts = SplitToSequence<axis=0>(doubled, two)
        m = Mod(i, three)
        three = Constant<value = int64 {3}>()
        part = SequenceAt(parts, m)
        y = Exp(part)
    }"""
    check(text, *({"x": floats(6, 2), "i": np.array(i)} for i in (0, 4, 2)))


def test_strings_are_moved() -> None:
    text = """g (string[N] s, int64[2] at) => (string[2,1] t, string[M] u, int64[1] n)
    {
        g = Gather<axis=0>(s, at)
        axes = Constant<value_ints=[1]>()
        t = Unsqueeze(g, axes)
        u = Concat<axis=0>(g, s)
        n = Shape(u)
    }"""
    s = np.array(["a", "bb", "", "déjà"], object)
    check(text, {"s": s, "at": ints(3, 0)}, {"s": s[:2], "at": ints(-1, 1)})


def test_weights_of_segments() -> None:
    text = """g (float[N,3] x) => (float[M,3] y)
    < float[3,3] w = {1,2,3,4,5,6,7,8,9}, float[3] b = {1,-1,0.5} >
    {
        h = Gemm(x, w, b)
        r = Relu(h)
        flat = ReduceMax<keepdims=0>(r, axes)
        axes = Constant<value_ints=[1]>()
        at = NonZero(flat)
        z = Constant<value_ints=[0]>()
        rows = Squeeze(at, z)
        kept = Gather(r, rows)
        y = Gemm(kept, w, b)
    }"""
    check(text, *({"x": floats(5, 3, seed=s)} for s in range(3)))


def test_boxes_of_a_detector() -> None:
    text = """g (float[1,N,4] raw, float[1,C,N] logits)
    => (float[M,4] best, float[M] score, int64[M,3] picked)
    {
        boxes = Sigmoid(raw)
        scores = Softmax<axis=1>(logits)
        most = Constant<value_ints=[3]>()
        iou = Constant<value_floats=[0.5]>()
        least = Constant<value_floats=[0.3]>()
        picked = NonMaxSuppression(boxes, scores, most, iou, least)
        two = Constant<value_ints=[2]>()
        place = Gather<axis=1>(picked, two)
        one = Constant<value_ints=[1]>()
        flat = Squeeze(place, one)
        zero = Constant<value_ints=[0]>()
        all = Squeeze(boxes, zero)
        best = Gather(all, flat)
        s = Transpose<perm=[0,2,1]>(scores)
        s2 = Squeeze(s, zero)
        s3 = Gather(s2, flat)
        score = ReduceMax<keepdims=0>(s3, one)
    }"""
    runs = (
        {"raw": floats(1, 20, 4, seed=s), "logits": floats(1, 3, 20, seed=9 + s)} for s in range(4)
    )
    check(text, *runs)


def test_a_session_says_where_a_model_leaves_the_device() -> None:
    proto = model("g (float[4] x) => (int64[1,M] y) { e = Exp(x) y = NonZero(e) }")
    said = (
        r"Node '' \(ai.onnx.NonZero\) runs on the host \(the shape of its result is the number of "
        r"elements found\).*popir.backend.prepare and popir run run such a model in segments"
    )
    device = popir.DeviceManager().createCpuDevice()
    with pytest.raises(LeavesDeviceError, match=said):
        popir.InferenceSession(proto, popir.DataFlow(1, ["y"]), device)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, r"needs the input 'x'; its inputs are x"),
        ({"x": np.float32([1]), "z": 1}, r"has no input 'z'"),
        ({"x": np.float64([1])}, r"'x' is of type FLOAT; given was DOUBLE\[1\]"),
        ({"x": np.float32([[1]])}, r"'x' has the shape \['N'\]; given was FLOAT\[1, 1\]"),
        ({"x": [np.float32([1])]}, r"'x' is a tensor; given was a sequence of 1"),
        ({"x": None}, r"'x' is a tensor; given was an empty optional value"),
    ],
)
def test_wrong_inputs(inputs: dict[str, Any], said: str) -> None:
    found = SegmentedModel(model("g (float[N] x) => (int64[1,M] y) { y = NonZero(x) }"))
    with pytest.raises(popir.OperatorInputError, match=said):
        found.run(inputs)


def test_an_operator_that_runs_nowhere() -> None:
    text = "g (float[N] x) => (int64[1,M] y) { y = NonZero(x) z = Nowhere(y) }"
    SegmentedModel(model(text)).run({"x": floats(3)})  # nothing reads z
    found = SegmentedModel(model(text.replace("[1,M] y)", "[1,M] z)")))
    with pytest.raises(popir.UnknownOperatorError, match=r"No operator ai.onnx.Nowhere"):
        found.run({"x": floats(3)})


def test_a_slice_at_a_place_that_moves_is_not_compiled_again_and_again() -> None:
    text = """g (float[N,4] table, int64[1] at, float[4,3] w) => (float[M,3] y)
    {
        one = Constant<value_ints = [2]>()
        end = Add(at, one)
        e = Exp(table)
        axes = Constant<value_ints = [0]>()
        row = Slice(e, at, end, axes)
        y = MatMul(row, w)
    }"""
    table, w = floats(40, 4), floats(4, 3, seed=1)
    proto = model(text)
    found = SegmentedModel(proto)
    for at in range(30):
        inputs = {"table": table, "at": ints(at), "w": w}
        want = np.exp(table)[at : at + 2] @ w
        np.testing.assert_allclose(found.run(inputs)["y"], want, rtol=1e-5)
    assert found.compiled < 12
    said = "what it needs when it is compiled is another value in each run"
    assert found.left["Node '' (ai.onnx.Slice)"] == said


TEXTS = np.array(["1.5", "2"], object)


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        (
            """m (float[2, 3] x) => (string[2] y) {
                i = ArgMax <axis = 1, keepdims = 0> (x)
                c = Constant <value_strings = ["a", "b", "c"]> ()
                y = Gather <axis = 0> (c, i)
            }""",
            {"x": np.float32([[1, 2, 0], [5, 1, 1]])},
        ),
        (
            """m (float[2, 3] x) => (string[2] y) <string[3] c = {"a", "b", "c"}> {
                i = ArgMax <axis = 1, keepdims = 0> (x)
                y = Gather <axis = 0> (c, i)
            }""",
            {"x": np.float32([[1, 2, 0], [5, 1, 1]])},
        ),
        (
            """m (float[2, 3] x) => (string[2, 3] y, bool[2, 3] e) {
                z = Add (x, x)
                y = Cast <to = 8> (z)
                c = Constant <value_string = "2"> ()
                e = Equal (y, c)
            }""",
            {"x": np.float32([[1, 2, 0], [5, 1, 1]])},
        ),
        (
            """m (string[2] x) => (float[2] y) {
                f = Cast <to = 1> (x)
                y = Mul (f, f)
            }""",
            {"x": TEXTS},
        ),
        *(
            (
                """m (string[2] x, bool c) => (string[2] y) {
                    y = If (c) <
                        then_branch = t () => (string[2] a) { a = Identity (x) },
                        else_branch = e () => (string[2] b) { b = StringConcat (x, x) }
                    >
                }""",
                {"x": TEXTS, "c": np.array(c)},
            )
            for c in (True, False)
        ),
    ],
)
def test_strings_and_numbers_in_turn(text: str, inputs: dict[str, Any]) -> None:
    check(text, inputs, inputs)


def test_a_count_that_is_no_limit_where_a_condition_ends_the_loop() -> None:
    text = """g (float[1] x, int64 n) => (float[M] y)
    {
        y = Loop(n, , x) <
            body = b (int64 i, bool c, float[P] v) => (bool d, float[Q] w) {
                w = Concat<axis=0>(v, v)
                k = Constant<value = int64 {3}>()
                d = Less(i, k)
            }
        >
    }"""
    for count in (1 << 23, 2**63 - 1):
        found = SegmentedModel(model(text)).run({"x": floats(1), "n": np.array(count)})
        assert found["y"].shape == (16,)
    for end in ("d = Identity(c)", "d = Constant<value = bool {1}>()"):
        endless = SegmentedModel(model(text.replace("d = Less(i, k)", end)))
        with pytest.raises(popir.OperatorInputError, match="trip count is 8388608; the host runs"):
            endless.run({"x": floats(1), "n": np.array(1 << 23)})
