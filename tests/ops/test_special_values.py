"""NaN, infinities, denormals, extremes of integers, sizes of 0 and attributes that no specification
allows, over the whole table of operators: against onnxruntime, in poisoned memory.
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import popir
from popir.errors import OperatorAttributeError, popart_exception
from popir.ops.elementwise.table import ROWS
from popir.testing import run
from tests.ops.cases import CASES, Array, Case
from tests.ops.test_cases import expected, infer, inputs_of, model_of, opsets_of

onnxruntime.set_default_logger_severity(4)

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-42, -1e-42, 3.4e38, -3.4e38, 0.5, 1.5, 2.5, -2.5]
SUMS = {
    *("ConvTranspose", "GlobalAveragePool", "MatMul", "Gemm", "ReduceSum", "ReduceMean"),
    *("AveragePool", "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"),
}
"""Operators that add up. Their operands are without very large numbers: whether a sum of these of
both signs overflows depends on the order.
"""
AGAINST_ORACLE = {
    # onnxruntime looks at numbers alone for the largest one, and drops NaN; torch keeps it.
    *("MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin", "MaxRoiPool", "RoiAlign"),
    *("ArgMax", "ArgMin", "Hardmax", "TopK"),
    # It sums windows by adding and subtracting, has functions of its own for gates, and multiplies
    # padding: what is infinite elsewhere makes NaN of other elements.
    *("LRN", "LSTM", "GRU", "RNN", "Conv"),
    # Squares and products of very large numbers overflow, or not, by the order.
    *("ReduceProd", "LayerNormalization", "RMSNormalization", "RotaryEmbedding"),
    # What weights of 0 make of infinity, and whether weighted sums overflow, depends on the order.
    *("Resize", "Upsample", "GridSample", "DeformConv", "Attention"),
    # Whether a determinant with infinity in it is infinite or NaN depends on the order.
    "Det",
    # What does not fit an integer is undefined: here it is the nearest integer, and NaN is 0.
    *("Cast", "CastLike", "QuantizeLinear", "DynamicQuantizeLinear"),
    # A bound that is left out bounds nothing, not even infinity.
    "Clip",
}
EXTREMA = ("max", "min")
"""Reductions of a scatter for which onnxruntime keeps a NaN or drops it, by the order."""
ROWS_COMPARED = [
    case
    for case in CASES
    if case.domain == "ai.onnx" and case.formula is None and case.type not in AGAINST_ORACLE
    if case.attributes.get("reduction") not in EXTREMA
]


POISON = 0x7FF57FF5


@pytest.fixture(autouse=True)
def _poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"debug.poisonMemory": "true"}))


def assert_same(got: list[Array], want: list[Array]) -> None:
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a, b, 1e-4, 1e-6)
        else:
            np.testing.assert_array_equal(a, b)


def mixed(case: Case, share: float, seed: int) -> list[Array | None]:
    """The row's arrays, a share of their numbers replaced by special ones."""
    rng = np.random.default_rng([seed, zlib.crc32(case.name.encode())])
    special = [x for x in SPECIAL if case.type not in SUMS or not 1e30 < abs(x) < np.inf]
    found: list[Array | None] = []
    for i, a in enumerate(case.arrays(np.float32)):
        if a is not None and a.dtype.kind == "f" and i not in case.constants:
            a = np.where(rng.random(a.shape) < share, rng.choice(special, a.shape), a)
            a = a.astype(np.float32)
        found.append(a)
    return found


@pytest.mark.parametrize("case", ROWS_COMPARED, ids=lambda case: case.name)
@settings(max_examples=2, derandomize=True, suppress_health_check=list(HealthCheck))
@given(share=st.sampled_from([0.2, 0.6, 1.0]), seed=st.integers(0, 1000))
def test_special_values(case: Case, share: float, seed: int) -> None:
    arrays = mixed(case, share, seed)
    model = model_of(case, opsets_of(case)[-1], arrays)
    with np.errstate(all="ignore"):
        assert_same(infer(model, inputs_of(case, arrays)), expected(case, model, arrays))


# Where onnxruntime is wrong, or decides otherwise.
NOT_AS_ORACLE = {
    # It gives the input's shape whatever is reduced, and for a mean of nothing 0; numpy gives NaN.
    *("ReduceSum", "ReduceMean"),
    # It ends the process, and reads memory that it has not written.
    *("LSTM", "GRU", "RNN"),
    # It gives stacks of the wrong shape, and forgets beta, where nothing is added up.
    *("MatMul", "Gemm"),
    # Where nothing is added up it gives what it has not written.
    *("MatMulInteger", "QLinearMatMul", "ConvInteger", "QLinearConv"),
    # After no step it gives what it has not written.
    "Scan",
    # Of nothing it takes 1 for the scale; here, as by ONNX's function, it is 0.
    "DynamicQuantizeLinear",
    # It reads pixels of images without a row or column.
    "RoiAlign",
    # It leaves the dimension that is searched.
    *("ArgMax", "ArgMin"),
    # It takes no axes for all axes.
    "Squeeze",
    # A mean over no label is NaN there, and 0 here.
    *("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"),
}


def infer_or_refuse(model: onnx.ModelProto, inputs: dict[str, Array]) -> list[Array] | None:
    """The results; None if the operator itself, not a library that it calls, refuses them."""
    words = ""
    try:
        return infer(model, inputs)
    except popart_exception as error:
        words = str(error)
    assert "grow() failed" not in words
    return None


def emptied(case: Case) -> Iterator[list[Array | None]]:
    """The row's arrays with sizes of 0: one dimension of one input; one size wherever it occurs."""
    arrays = case.arrays(np.float32)
    for size in sorted({d for a in arrays if a is not None for d in a.shape}):
        yield [a if a is None else _cut(a, [d == size for d in a.shape]) for a in arrays]
    for i, a in enumerate(arrays):
        for d in range(0 if a is None else a.ndim):
            yield [*arrays[:i], _cut(a, [k == d for k in range(a.ndim)]), *arrays[i + 1 :]]


def _cut(a: Array, dims: list[bool]) -> Array:
    return a[tuple(slice(0, 0) if cut else slice(None) for cut in dims)]


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.domain == "ai.onnx"], ids=lambda case: case.name
)
def test_sizes_of_0(case: Case) -> None:
    for arrays in emptied(case):
        model = model_of(case, opsets_of(case)[-1], arrays)
        got = infer_or_refuse(model, inputs_of(case, arrays))
        if got is None:
            continue
        for a in got:  # nothing that was never written
            assert a.dtype != np.float32 or not (a.reshape(-1).view(np.uint32) == POISON).any()
        if case.formula is not None or case.type in NOT_AS_ORACLE:
            continue
        try:
            want = expected(case, model, arrays)
        except Exception:  # onnxruntime refuses more: its exceptions have no base of their own
            continue
        assert_same(got, want)


def test_a_product_over_nothing_is_0_and_what_is_added() -> None:
    a, b = np.ones((2, 0), np.float32), np.ones((0, 3), np.float32)
    c = np.full(3, 1.5, np.float32)
    assert (run("MatMul", [a, b])[0] == np.zeros((2, 3))).all()
    assert (run("Gemm", [a, b])[0] == np.zeros((2, 3))).all()
    assert (run("Gemm", [a, b, c], {"alpha": 0.5, "beta": 2.0})[0] == np.full((2, 3), 3)).all()
    half = [x.astype(np.float16) for x in (a, b)]
    assert (run("MatMul", half)[0] == np.zeros((2, 3))).all()
    x, w = np.ones((1, 0, 3, 3), np.float32), np.ones((2, 0, 2, 2), np.float32)
    assert (run("Conv", [x, w, c[:2]])[0] == np.full((1, 2, 2, 2), 1.5)).all()


def test_gather_of_nothing() -> None:
    none = np.zeros((0, 2), np.int64)
    for shape in ([3, 4], [0, 4], [3, 0]):
        table = np.ones(shape, np.float32)
        assert run("Gather", [table, none])[0].shape == (0, 2, shape[1])
        assert run("Gather", [table, none], constants=[1])[0].shape == (0, 2, shape[1])


INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.__name__)
def test_integers_divide_by_0_and_beyond_their_range(dtype: Any) -> None:
    """No trap: what has no quotient gives some number, and its neighbours are right."""
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    x = np.array([least, most, 7, least, 7], dtype)
    y = np.array([dtype(0) - dtype(1) if least else most, 0, 2, 0, 7], dtype)
    for constants in ([], [0, 1]):
        assert run("Div", [x, y], constants=constants)[0][[2, 4]].tolist() == [3, 1]
        for fmod in (0, 1):
            rest = run("Mod", [x, y], {"fmod": fmod}, constants=constants)[0]
            assert rest[[2, 4]].tolist() == [1, 0]


def test_the_sign_of_nan_is_nan() -> None:
    x = np.array([np.nan, -np.inf, -0.0, 3], np.float32)
    np.testing.assert_array_equal(run("Sign", [x])[0], np.sign(x))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=str)
@pytest.mark.parametrize("type", ["ReduceLogSumExp", "ReduceSum", "ReduceMean", "ReduceL2"])
def test_nan_beside_other_special_values_wherever_it_stands(type: str, dtype: Any) -> None:
    """Every three of them, in every order: against numpy."""
    every = [np.array(v, dtype) for v in itertools.product([np.nan, np.inf, -np.inf, 1], repeat=3)]
    x = np.stack(every)
    found = run(type, [x], {"axes": [1], "keepdims": 0}, version=11)[0]
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        want = {
            "ReduceLogSumExp": np.logaddexp.reduce(wide, 1),
            "ReduceSum": wide.sum(1),
            "ReduceMean": wide.mean(1),
            "ReduceL2": np.sqrt((wide * wide).sum(1)),
        }[type]
    np.testing.assert_allclose(found, want.astype(dtype), 1e-3)


def test_every_factor_may_be_0() -> None:
    """Attributes that are factors: of a number 0 is made, of NaN still NaN."""
    x = np.array([-2, 0.5, np.nan], np.float32)
    for row in ROWS:
        for name in row.attributes if row.kind is float else []:
            attributes = dict.fromkeys(row.attributes, 0.5) | {name: 0.0}
            (y,) = run(f"{row.domain}.{row.type}", [x], attributes)
            assert np.isfinite(y[:2]).all()
    assert run("HardSigmoid", [x[:2]], {"alpha": 0.0, "beta": 0.25})[0].tolist() == [0.25, 0.25]
    data = np.ones((1, 3, 2), np.float32)
    assert (run("LRN", [data], {"size": 3, "alpha": 0.0, "bias": 1.0})[0] == data).all()


ODD: dict[Any, list[Any]] = {
    onnx.defs.OpSchema.AttrType.INT: [-7, -1, 0, 2, 2**40],
    onnx.defs.OpSchema.AttrType.FLOAT: [float("nan"), float("inf"), 0.0, -1.0],
    onnx.defs.OpSchema.AttrType.STRING: ["bogus", ""],
    onnx.defs.OpSchema.AttrType.INTS: [[0], [-9], [1] * 7, [2**40], [-3, -3]],
    onnx.defs.OpSchema.AttrType.STRINGS: [["bogus"]],
}


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.domain == "ai.onnx"], ids=lambda case: case.name
)
@pytest.mark.filterwarnings("ignore:.*no meaning here:popir.options.OptionWarning")
def test_odd_attributes_are_refused_with_words_or_run(case: Case) -> None:
    opset = opsets_of(case)[-1]
    arrays = case.arrays(np.float32)
    schema = onnx.defs.get_schema(case.type, opset, "")
    for name, attribute in schema.attributes.items():
        for value in ODD.get(attribute.type, []):
            odd = replace(case, attributes={**case.attributes, name: value})
            infer_or_refuse(model_of(odd, opset, arrays), inputs_of(odd, arrays))


@pytest.mark.parametrize(
    ("type", "attributes", "words"),
    [
        ("ReduceSum", {"keepdims": 2}, "the attribute 'keepdims' is 2; expected is 0 or 1"),
        ("Gelu", {"approximate": "sigmoid"}, "'approximate' is 'sigmoid'; expected is one of none"),
        ("Trilu", {"upper": -1}, "the attribute 'upper' is -1; expected is 0 or 1"),
        (
            "MaxPool",
            {"kernel_shape": [2], "auto_pad": "SAME_UPPER", "pads": [1, 1]},
            "'pads', .* and 'auto_pad', 'SAME_UPPER', exclude each other",
        ),
    ],
)
def test_what_no_specification_allows(type: str, attributes: dict[str, Any], words: str) -> None:
    x = np.ones((1, 2, 4) if type == "MaxPool" else (2, 4), np.float32)
    with pytest.raises(OperatorAttributeError, match=words):
        run(type, [x], attributes)


@pytest.mark.parametrize(
    ("pads", "constant", "mode", "words"),
    [
        ([1, 1], [], "constant", "the constant 'x2.*' is FLOAT\\[0\\]; expected is one number"),
        ([1, 1], [1, 2], "constant", "the constant 'x2.*' is FLOAT\\[2\\]; expected is one number"),
        ([-2, -2], [1], "constant", "axis 0 has 3 elements, of which -2 and -2 more or less"),
        ([-3, 1], [1], "edge", "axis 0 has 3 elements, of which -3 and 1 more or less"),
        ([0, 2**62], [1], "constant", "more than fits an address"),
        ([0, 1], [1], "none", "'mode' is 'none'; expected is one of constant, reflect, edge"),
    ],
)
def test_pads_that_cannot_be(pads: list[int], constant: list[float], mode: str, words: str) -> None:
    inputs = [np.ones(3, np.float32), np.array(pads, np.int64), np.array(constant, np.float32)]
    with pytest.raises(popir.PopirError, match=words):
        run("Pad", inputs, {"mode": mode}, version=18, constants=[1, 2])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integer_powers_of_negative_exponents(dtype: Any) -> None:
    """The whole part of the quotient, against onnxruntime; but of 0, where that has a number which
    no integer is.
    """
    least = np.iinfo(dtype).min
    base = np.array([2, 1, -1, -1, 5, -1, 1, -2], dtype)
    exponent = np.array([-1, -1, -3, -2, -9, least, least, -1], dtype)
    case = Case("Pow", [base, exponent])
    (found,) = run("Pow", [base, exponent])
    model = model_of(case, 15, [base, exponent])
    np.testing.assert_array_equal(found, expected(case, model, [base, exponent])[0])
    assert run("Pow", [np.zeros(1, dtype), exponent[:1]])[0] == 0
