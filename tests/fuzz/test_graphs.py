"""A few of the cases of `python -m tests.fuzz graphs`, and whether it would notice."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import helper

from popir import registry
from tests.fuzz import graphs, oracle
from tests.fuzz.generator import BFLOAT16
from tests.fuzz.graphs import OTHER_WAYS, Way, judge, make
from tests.fuzz.operators import OPERATORS
from tests.fuzz.programs import Program
from tests.fuzz.runner import fuzz
from tests.ops.cases import NEEDS_LIBRARY


def test_random_graphs() -> None:
    totals = fuzz("graphs", range(80), "suite", 60, 1)
    assert totals.cases == 80
    assert not totals.findings
    assert sum(n for what, n in totals.outcomes.items() if "equal" in what) > 70


def test_every_operator_is_made() -> None:
    """But for CopyVarUpdate, which writes a variable, for Gradient, which reads tensors by name,
    for what draws random numbers, PrintTensor, which prints, PackedDataBlock, which has a graph,
    onnxruntime's operators, which `test_microsoft` makes, each alone, those for TensorFlow, of
    which `tests/foreign/tensorflow` makes random expressions, and collectives, which are for the
    replicas of `tests/replicas`.
    """
    drawing = {"Bernoulli", "Multinomial"}
    drawing |= {f"Random{law}{like}" for law in ("Normal", "Uniform") for like in ("", "Like")}
    built_in = {
        (entry.opid.domain, entry.opid.type)
        for entry in registry.entries()
        if entry.source == registry.BUILT_IN and entry.isPublic
    }
    own = ["CopyVarUpdate", "ShapedDropout", "PrintTensor", "PackedDataBlock"]
    own += ["Pow2ScaleThenCast", "CastThenPow2Scale"]
    own += [f"Replicated{what}" for what in ("AllGather", "AllReduce", "ReduceScatter")]
    without = {*(("ai.graphcore", type) for type in own), *(("ai.onnx", type) for type in drawing)}
    without.add(("ai.onnx.preview.training", "Gradient"))
    without |= {*NEEDS_LIBRARY, ("ai.graphcore.tensorflow", "CodeletExpressionOp")}
    without |= {
        ("org.openxla", "CustomCall"),
        ("ai.habana", "TpcKernel"),
        ("ai.graphcore", "Abort"),
    }
    here = {(domain, type) for domain, type in built_in if domain != "com.microsoft"}
    assert here - set(OPERATORS) == without
    made = Counter(node.op_type for n in range(1500) for node in make("made", n)[0].nodes)
    assert sorted({type for _, type in OPERATORS} - set(made)) == []


def test_the_models_are_valid_and_various() -> None:
    types, ranks, sizes = set(), set(), set()
    for n in range(300):
        program, _ = make("valid", n)
        if n < 100 and not any(node.domain for node in program.nodes):
            # onnx's inference counts windows that begin outside, in some versions.
            rounds_up = any(a.name == "ceil_mode" for node in program.nodes for a in node.attribute)
            onnx.checker.check_model(program.model(), full_check=not rounds_up)
        for value in program.values.values():
            types.add(value.dtype)
            ranks.add(len(value.shape))
            sizes.update(value.shape)
    assert types > {np.dtype(t) for t in ("f2", "f4", "f8", "i1", "i8", "u2", "u4", "?")} | {
        BFLOAT16
    }
    assert ranks > {0, 1, 2, 3, 4, 5}
    assert sizes > {0, 1, 2, 3, 5, 17, 33}


def test_a_case_is_the_same_each_time() -> None:
    (first, way), (again, same_way), (other, _) = (make("same", n) for n in (1, 1, 2))
    assert first.text() == again.text() != other.text()
    assert way == same_way


JUMPING = {"Ceil", "Floor", "Round", "NearbyInt", "Sign", "Cast", "CastLike", "Mod", "LRN"}
"""Operators that make a large difference of a rounding, so that the oracle allows any; and LRN, of
which it refuses to judge some.
"""


def of_type(type: str) -> tuple[int, Program]:
    """The first case of several nodes with one of that type in float."""
    for n in range(10_000):
        program, way = make("suite", n)
        nodes = [node for node in program.nodes if node.op_type == type]
        if not nodes or any(node.op_type in JUMPING for node in program.nodes):
            continue
        if not Way().rounds_alike(OTHER_WAYS[0], program):
            continue  # A difference of one rounding is none there.
        if len(program.nodes) > 3 and judge(program, way).outcome.endswith("equal"):
            value = program.values[nodes[0].output[0]]
            if (
                value.dtype == np.float32
                and value.size
                and np.isfinite(run(program, value.name)).all()
            ):
                return n, program
    raise AssertionError


def run(program: Program, name: str) -> np.ndarray:
    return program.evaluated()[name]


@pytest.mark.parametrize("fault", ["wrong", "type", "threads", "error"])
def test_faults_are_noticed_and_reduced_to_their_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    number, program = of_type("Exp")
    right = Way.run

    def faulty(self: Way, given: Program) -> dict[str, np.ndarray]:
        outputs = right(self, given)
        for node in given.nodes:
            if node.op_type == "Exp" and node.output[0] in outputs:
                if fault == "error":
                    raise KeyError("Exp")
                name = node.output[0]
                if fault == "wrong":
                    outputs[name] = outputs[name] * np.float32(1.00002)
                elif fault == "type":
                    outputs[name] = outputs[name].astype(np.float64)
                elif self != Way():
                    outputs[name] = np.nextafter(outputs[name], np.float32(9e9))
        return outputs

    monkeypatch.setattr(Way, "run", faulty)
    everything = Program(
        program.opset,
        program.nodes,
        program.values,
        program.inputs,
        program.initializers,
        [name for node in program.nodes for name in node.output if name],
    )
    monkeypatch.setattr(graphs, "make", lambda *_: (everything, OTHER_WAYS[0]))
    found = graphs.run(tmp_path / "case", "suite", number)
    assert found["outcome"] == ("error" if fault == "error" else "differs")
    assert found["signature"].endswith("| Exp | float32")
    small = onnx.load(tmp_path / "case" / "model.onnx")
    assert [node.op_type for node in small.graph.node] == ["Exp"]
    assert "Exp" in found["finding"]


@pytest.mark.parametrize("values", [[9, 9, 8, 8, 8, 7, 7], [-7, -9, -2, -9], [4], [300, 5, -9]])
def test_the_oracle_sums_exponentials_of_integers_as_reals(values: list[int]) -> None:
    node = helper.make_node("ReduceLogSumExp", ["x"], ["y"], keepdims=0)
    (found,) = oracle.apply(node, 18, [np.array(values, np.int32)])
    top = max(values)
    assert found == int(top + math.log(math.fsum(math.exp(v - top) for v in values)))


@pytest.mark.parametrize("values", [[math.inf] * 2, [-math.inf] * 2, [-math.inf, 3], [800, 800]])
def test_the_oracle_sums_exponentials_without_overflow(values: list[float]) -> None:
    x = np.array(values, np.float32)
    for opset, given, axes in ((13, {"axes": [0]}, []), (18, {}, [np.array([0])])):
        node = helper.make_node("ReduceLogSumExp", ["x", "axes"][: 1 + len(axes)], ["y"], **given)
        (found,) = oracle.apply(node, opset, [x, *axes])
        want = torch.logsumexp(torch.from_numpy(x), 0, keepdim=True)
        np.testing.assert_allclose(found, want, rtol=1e-6)


def test_the_oracle_adds_squares_beyond_their_type() -> None:
    node = helper.make_node("ReduceL2", ["x"], ["y"], axes=[1], keepdims=1)
    x = np.array([[70_000, 80_000], [3, 4]], np.uint32)
    (found,) = oracle.apply(node, 13, [x])
    want = [[math.isqrt(sum(int(v) ** 2 for v in row))] for row in x]
    assert found.dtype == np.uint32 and found.tolist() == want
    with pytest.raises(oracle.Unspecified, match="overflow"):
        oracle.apply(node, 13, [np.full((1, 2), 2**32 - 5, np.uint32)])
    with pytest.raises(oracle.Unspecified, match="rounding decides"):
        oracle.apply(node, 13, [np.full((1, 4), 2**30, np.uint32)])


def test_the_oracle_has_the_types_of_the_schema() -> None:
    x = np.linspace(1, 2, 6, dtype=np.float32).reshape(2, 3)
    node = helper.make_node("Pow", ["x", "y"], ["z"])
    assert oracle.apply(node, 15, [x, x.astype(BFLOAT16)])[0].dtype == np.float32
    assert oracle.apply(node, 15, [x.astype(BFLOAT16), x])[0].dtype == BFLOAT16
    node = helper.make_node("LayerNormalization", ["x", "s"], ["y", "mean", "scale"])
    empty = np.zeros((4, 0), np.float16)
    found = oracle.apply(node, 17, [empty, np.zeros(0, np.float16)])
    assert [a.dtype for a in found] == [np.float16, np.float32, np.float32]


def test_the_oracle_leaves_open_what_padding_times_infinity_is_and_no_more() -> None:
    x, w = np.ones((1, 1, 3, 3), np.float32), np.full((1, 1, 2, 2), np.inf, np.float32)
    plain = helper.make_node("Conv", ["x", "w"], ["y"])
    assert np.isinf(oracle.apply(plain, 11, [x, w])[0]).all()
    for given in ({"pads": [0, 0, 1, 0]}, {"auto_pad": "SAME_UPPER"}):
        node = helper.make_node("Conv", ["x", "w"], ["y"], **given)
        with pytest.raises(oracle.Unspecified, match="padding"):
            oracle.apply(node, 11, [x, w])
        assert np.isinf(oracle.apply(node, 11, [x * np.inf, np.ones_like(w)])[0]).all()


def refused_by_onnxruntime(node: onnx.NodeProto, *inputs: np.ndarray) -> bool:
    return not oracle._is_right(node, inputs)


def test_the_oracle_knows_where_onnxruntime_departs_and_no_more() -> None:
    """Each beside its twin without the cause. The results are what the standard's text says."""
    x = np.array([[1, np.nan, 2, 3]], np.float32).reshape(1, 4, 1)
    tame = np.nan_to_num(x)
    lrn = helper.make_node("LRN", ["x"], ["y"], size=1, alpha=0.5, beta=0.6, bias=1.0)
    assert not refused_by_onnxruntime(lrn, tame)
    (found,) = oracle.apply(lrn, 13, [x])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(x))
    apart = np.array([[70, 0.01, 3]], np.float32).reshape(1, 3, 1)
    (found,) = oracle.apply(lrn, 13, [apart])
    np.testing.assert_allclose(found, apart / (1 + 0.5 * apart**2) ** 0.6, 1e-6)

    sign = helper.make_node("Sign", ["x"], ["y"])
    assert not refused_by_onnxruntime(sign, tame.astype(np.float16))
    assert np.isnan(oracle.apply(sign, 13, [x.astype(np.float16)])[0]).any()

    soft = helper.make_node("LogSoftmax", ["x"], ["y"], axis=1)
    assert not refused_by_onnxruntime(soft, tame.astype(np.float64))
    assert np.isnan(oracle.apply(soft, 13, [x.astype(np.float64)])[0]).all()

    layer = helper.make_node("LayerNormalization", ["x", "s"], ["y", "mean", "scale"])
    wild, scale = np.array([[1, -np.inf, 2]]), np.ones(3)
    assert not refused_by_onnxruntime(layer, np.ones((1, 3)), scale)
    _, mean, inverse = oracle.apply(layer, 17, [wild, scale])
    assert mean.dtype == inverse.dtype == np.float32
    assert mean == -np.inf and np.isnan(inverse)

    top = helper.make_node("GlobalMaxPool", ["x"], ["y"])
    assert not refused_by_onnxruntime(top, tame)
    assert (oracle.apply(top, 13, [np.full((1, 1, 2), -np.inf, np.float32)])[0] == -np.inf).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, BFLOAT16])
def test_the_oracle_multiplies_matrices_of_nothing(dtype: np.dtype) -> None:
    a, b, c = np.zeros((2, 0), dtype), np.zeros((0, 3), dtype), np.ones(3, dtype)
    matmul = helper.make_node("MatMul", ["a", "b"], ["y"])
    gemm = helper.make_node("Gemm", ["a", "b", "c"], ["y"], beta=2.0)
    for _ in range(20):  # What is not written may be 0 by chance.
        np.testing.assert_array_equal(oracle.apply(matmul, 13, [a, b])[0], np.zeros((2, 3), dtype))
    np.testing.assert_array_equal(oracle.apply(gemm, 13, [a, b, c])[0], np.full((2, 3), 2, dtype))
    assert not refused_by_onnxruntime(matmul, np.zeros((2, 1)), np.zeros((1, 3)))


@pytest.mark.parametrize(
    ("start", "end", "step", "want"),
    [
        (2, 2**31 - 1, -1, []),
        (-9, 2**31 - 1, -2, []),
        (1, -(2**31) + 1, -1, [1, 0]),
        (-9, -9, -1, [0]),
        (9, 0, -2, [3, 1]),
        (1, 2**31 - 1, 2, [1, 3]),
    ],
)
def test_the_oracle_clamps_the_ends_of_slices(
    start: int, end: int, step: int, want: list[int]
) -> None:
    """By the text: backwards a start is clamped to [0, size - 1], an end to [-1, size - 1]."""
    node = helper.make_node("Slice", ["x", "s", "e", "a", "t"], ["y"])
    given = [np.array([v]) for v in (start, end, 0, step)]
    assert refused_by_onnxruntime(node, np.arange(4), *given) == (step < 0 and end == 2**31 - 1)
    assert oracle._slice(np.arange(4), *given).tolist() == want
    assert oracle.apply(node, 13, [np.arange(4), *given])[0].tolist() == want


def test_the_oracle_computes_integers_modulo_their_size() -> None:
    base, exponent = np.array([-(2**31), 7, 3], np.int32), np.array([2, 12, 4], np.int32)
    node = helper.make_node("Pow", ["x", "y"], ["z"])
    exact = [int(a) ** int(b) for a, b in zip(base, exponent, strict=True)]
    want = [(v + 2**31) % 2**32 - 2**31 for v in exact]
    assert oracle.apply(node, 13, [base, exponent])[0].tolist() == want
    assert not refused_by_onnxruntime(node, base[2:], exponent[2:])

    a, b = np.array([[3, 2**32 - 4]], np.uint32), np.array([[2**32 - 1, 9]], np.uint32)
    node = helper.make_node("Gemm", ["a", "b", "c"], ["y"], alpha=2.0, beta=2.0, transB=1)
    (found,) = oracle.apply(node, 13, [a, b, np.array([5], np.uint32)])
    whole = 2 * sum(int(v) * int(w) for v, w in zip(a[0], b[0], strict=True)) + 10
    assert found.tolist() == [[whole % 2**32]]


@pytest.mark.parametrize("type", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize(("window", "stride", "size"), [(1, 3, 9), (2, 4, 7), (2, 3, 6), (3, 2, 7)])
@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER"])
def test_the_oracle_does_not_cut_off_what_need_not_be_padded(
    type: str, window: int, stride: int, size: int, mode: str
) -> None:
    """Where windows do not reach each other, the first one begins at the first element."""
    x = np.arange(size, dtype=np.float32).reshape(1, 1, size)
    given: dict[str, Any] = {"kernel_shape": [window], "strides": [stride], "auto_pad": mode}
    (found,) = oracle.apply(helper.make_node(type, ["x"], ["y"], **given), 12, [x])
    assert found.size == -(-size // stride)
    if window < stride:
        parts = [x[0, 0, i : i + window] for i in range(0, size, stride)]
        want = [part.max() if type == "MaxPool" else part.mean() for part in parts]
        assert found.reshape(-1).tolist() == want


def test_the_oracle_gives_each_group_its_own_bias() -> None:
    """Against onnxruntime, which has this in float alone."""
    rng = np.random.default_rng(1)
    given = [rng.standard_normal(s) for s in ((1, 2, 5), (2, 1, 3), (2,))]
    node = helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"], group=2)
    (double,) = oracle.apply(node, 11, given)
    (single,) = oracle.apply(node, 11, [a.astype(np.float32) for a in given])
    np.testing.assert_allclose(double, single, rtol=1e-5, atol=1e-6)


def test_the_oracle_ends_losses_where_popart_does() -> None:
    node = helper.make_node(
        "Nll", ["p", "l"], ["y"], domain="ai.graphcore", reduction="NoReduction"
    )
    p, labels = np.array([[1, 1e-30], [0.5, 0.5]], np.float32), np.array([1, 0])
    np.testing.assert_allclose(
        oracle.apply(node, 13, [p, labels])[0], [-math.log(1e-7), math.log(2)], rtol=1e-6
    )
    half = oracle.apply(node, 13, [p.astype(np.float16), labels])[0]
    np.testing.assert_allclose(half, [-math.log(6.104e-5), math.log(2)], rtol=1e-3)
    soft = helper.make_node("Softmax", ["x"], ["p"])
    given = {"x": np.array([[0, -90], [0, 0]], np.float32), "l": labels}
    with pytest.raises(oracle.Unspecified, match="nearly 0"):
        oracle.evaluate([soft, node], 13, given)
    given["x"][0, 1] = -9
    assert oracle.evaluate([soft, node], 13, given)["y"][0] > 9


@pytest.mark.parametrize("type", ["MaxPool", "AveragePool"])
def test_the_oracle_leaves_open_what_a_window_of_padding_is(type: str) -> None:
    x = np.ones((1, 1, 1), np.float32)
    given: dict[str, Any] = {"kernel_shape": [2], "dilations": [2], "pads": [1, 1]}
    with pytest.raises(oracle.Unspecified, match="padding alone"):
        oracle.apply(helper.make_node(type, ["x"], ["y"], **given), 22, [x])
    node = helper.make_node(type, ["x"], ["y"], **{**given, "pads": [2, 0]})
    assert oracle.apply(node, 22, [x])[0].tolist() == [[[1]]]


def test_the_oracle_leaves_open_what_overflows_on_its_way() -> None:
    a, b = np.array([[3e38, -np.inf]], np.float32), np.array([[2.0], [1.0]], np.float32)
    node = helper.make_node("MatMul", ["a", "b"], ["y"])
    with pytest.raises(oracle.Unspecified, match="overflows"):
        oracle.apply(node, 13, [a, b])
    assert oracle.apply(node, 13, [a * np.float32(0.5), b])[0] == -np.inf

    node = helper.make_node("ReduceProd", ["x"], ["y"])
    with pytest.raises(oracle.Unspecified, match="overflows"):
        oracle.apply(node, 13, [np.array([3e38, 2, 0], np.float32)])
    assert oracle.apply(node, 13, [np.array([3e38, 2], np.float32)])[0] == np.inf

    node = helper.make_node("BatchNormalization", [*"xsbmv"], ["y"], domain="ai.graphcore")
    x, one = np.array([[1.0], [2]], np.float32), np.ones(1, np.float32)
    with pytest.raises(oracle.Unspecified, match="factor"):
        oracle.apply(node, 13, [x, one * np.inf, one, one, one])
    assert np.isfinite(oracle.apply(node, 13, [x, one * 9, one, one, one])[0]).all()


def spread_of(nodes: list[onnx.NodeProto], output: str, **given: np.ndarray) -> np.ndarray:
    return oracle.spread(Program(13, nodes, {}, given, {}, [output]), nodes, given, [output])[
        output
    ]


def test_the_spread_sees_what_is_cut_off_on_one_side() -> None:
    """Of Sigmoid(-20) onnxruntime makes 0, of which no random error need make Relu see more."""
    nodes = [helper.make_node("Sigmoid", ["x"], ["s"]), helper.make_node("Relu", ["s"], ["y"])]
    assert (spread_of(nodes, "y", x=np.full(2000, -20, np.float32)) > 1e-8).all()
    atan = helper.make_node("Atan2", ["x", "z"], ["y"], domain="ai.graphcore")
    given = {"x": np.zeros(2000, np.float32), "z": -np.ones(1, np.float32)}
    assert (spread_of([atan], "y", **given) > 6).all()


def test_the_spread_leaves_whole_exponents_whole() -> None:
    node = helper.make_node("Pow", ["x", "e"], ["y"])
    x, e = np.array([-2, -3, 2], np.float32), np.array([3, 2, 0.5], np.float32)
    found = spread_of([node], "y", x=x, e=e)
    assert np.isfinite(found).all() and (found > 0).all()


def test_the_spread_of_a_shape_that_rounding_decides_has_no_bound() -> None:
    nodes = [helper.make_node("Range", ["a", "b", "c"], ["y"])]
    given = {"a": np.float32(0), "b": np.float32(1), "c": np.float32(0.1)}
    assert np.isinf(spread_of(nodes, "y", **{k: np.asarray(v) for k, v in given.items()})).all()


def test_the_spread_of_a_normalisation_grows_with_the_mean() -> None:
    one = np.ones(1, np.float32)
    node = helper.make_node("BatchNormalization", [*"xsbmv"], ["y"], domain="ai.graphcore")
    small, large = (
        spread_of([node], "y", x=np.full((2, 1), m, np.float32), s=one, b=one, m=one * m, v=one)
        for m in (np.float32(0.001), np.float32(1000))
    )
    assert (large > 100 * small).all()
