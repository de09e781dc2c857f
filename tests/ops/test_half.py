"""The 16-bit floats: what lies between inputs and results is float; results are rounded once.

Forwards against onnxruntime in float32 on the same numbers, gradients against those in double,
which `test_cases` compares with finite differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from popir import registry
from popir.onnxio import schemas
from popir.testing import run
from popir.testing.nodes import node
from popir.testing.trials import Trial
from popir.types import DataType
from tests.ops.cases import CASES, Array, Case
from tests.ops.test_cases import expected, infer, inputs_of, model_of, opsets_of

HALVES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
"""What rounding to nearest changes a number by, relatively."""
STEPS = {"LSTM", "Loop", "Scan", "SoftmaxCrossEntropyLoss"}
"""Operators of several steps, each of which begins from what the one before has stored."""
FUNCTIONS = {"Attention", "CausalConvWithState", "RMSNormalization", "RotaryEmbedding", "SwiGLU"}
"""The same, of the functions that ONNX defines them by. Terms of both signs are stored before they
are added, so the largest element says how far off a result may be.
"""
STORED = {"Tanh", "Softsign", "ReduceLogSumExp", "ReduceL2", "Softmax", "LogSoftmax"}
"""Operators whose gradients are functions of the result, as it is stored."""


def declares(case: Case, opset: int, dtype: np.dtype[Any]) -> bool:
    """Whether an input of the operator may be of the type."""
    return any(takes(case, opset, i, dtype) for i in range(len(case.inputs)))


def takes(case: Case, opset: int, i: int, dtype: np.dtype[Any]) -> bool:
    if case.domain != "ai.onnx" or case.inputs[i] is None:
        return False
    schema = schemas.find(case.domain, case.type, opset)
    assert schema is not None
    definition = schemas.definition(schema.opid)
    assert definition is not None
    return DataType.of(dtype) in definition.inputs.at(i).types


def inType(case: Case, opset: int, dtype: np.dtype[Any]) -> list[Array | None]:
    """The row's inputs, rounded to the type wherever the operator takes it."""
    with np.errstate(over="ignore"):
        return [
            a.astype(dtype)
            if a is not None and a.dtype == np.float32 and takes(case, opset, i, dtype)
            else a
            for i, a in enumerate(case.arrays(np.float32))
        ]


def widened(arrays: list[Array | None], dtype: np.dtype[Any]) -> list[Array | None]:
    return [a.astype(dtype) if a is not None and a.dtype in HALVES else a for a in arrays]


def off(got: Array, want: Array, least: float = 1e-3) -> float:
    """By how many times the rounding of its type a result is off, of an element or, if that is
    more, of the part `least` of the largest one.
    """
    with np.errstate(over="ignore"):
        is_same = got == want.astype(got.dtype)  # what overflows is infinite
    a, b = (np.where(is_same, 0, each.astype(np.float64)) for each in (got, want))
    size = np.maximum(np.abs(b), least * np.abs(b).max(initial=0) + 1e-30)
    return float((np.abs(a - b) / size).max(initial=0)) / ROUNDING[got.dtype.name]


def rows() -> Iterator[Any]:
    for case in CASES:
        if any(a is not None and a.dtype.kind == "f" for a in case.arrays(np.float32)):
            for dtype in HALVES:
                opsets = [o for o in opsets_of(case) if declares(case, o, dtype)]
                if opsets:
                    id = f"{case.name}-{opsets[-1]}-{dtype.name}"
                    yield pytest.param(case, opsets[-1], dtype, id=id)


@pytest.mark.parametrize(("case", "opset", "dtype"), list(rows()))
def test_a_result_is_rounded_once(case: Case, opset: int, dtype: np.dtype[Any]) -> None:
    arrays = inType(case, opset, dtype)
    results = infer(model_of(case, opset, arrays), inputs_of(case, arrays))
    floats = widened(arrays, np.dtype(np.float32))
    wanted = expected(case, model_of(case, opset, floats), floats)
    for result, want in zip(results, wanted, strict=True):
        assert result.dtype == want.dtype or result.dtype == dtype
        if result.dtype == dtype:
            if case.type in FUNCTIONS:
                assert off(result, want, least=1) < 3
            else:
                assert off(result, want) < (50 if case.type in STEPS else 1.01)


ADDED_UP = (
    *("Reduce", "Batch", "Layer", "LRN", "MatMul", "Gemm", "Conv", "Gather", "Expand", "Tile"),
    *("Average", "GlobalAverage", "Mean", "Sum", "Mul", "Add", "Pow", "HardSigmoid", "Selu"),
)
SUMMING = [
    case
    for case in CASES
    if case.gradient
    and case.domain == "ai.onnx"
    and case.type not in STORED | STEPS
    and case.type.startswith(ADDED_UP)
]


@pytest.mark.parametrize("dtype", HALVES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("case", SUMMING, ids=lambda case: case.name)
def test_a_gradient_is_rounded_once(case: Case, dtype: np.dtype[Any]) -> None:
    opsets = [o for o in opsets_of(case) if declares(case, o, dtype)]
    if not opsets:
        return  # no version of the operator takes the type
    arrays = inType(case, opsets[-1], dtype)
    trial = trial_of(case, opsets[-1], arrays, np.random.default_rng(0))
    floats = [a.astype(np.float64) if is_real(a) else a for a in arrays]
    wanted = trial_of(case, opsets[-1], floats, Weights(trial)).gradients()
    for i, gradient in trial.gradients().items():
        stored = gradient.astype(arrays[i].dtype)
        if stored.dtype == dtype:
            # The gradient that it begins from is rounded too.
            assert off(stored, wanted[i]) < 2.1


def is_real(a: Array | None) -> bool:
    return a is not None and (a.dtype in HALVES or a.dtype == np.float32)


class Weights:
    """Gives a second trial the weights of the first one's outputs."""

    def __init__(self, trial: Trial) -> None:
        self._given = [np.asarray(w, np.float64) for w in trial.weights.values()]

    def uniform(self, low: float, high: float, shape: list[int]) -> Array:
        return self._given.pop(0)


def trial_of(case: Case, opset: int, arrays: list[Array | None], rng: Any) -> Trial:
    one = node(f"ai.onnx.{case.type}", arrays, case.attributes, opset, case.outputs, case.constants)
    trial = Trial(one, rng, [0])
    trial.run(arrays, 0)
    return trial


def deviating(*shape: int, by: float) -> Array:
    return (by * np.random.default_rng(7).standard_normal(shape)).astype(np.float32)


def full(*shape: int, value: float) -> Array:
    return np.full(shape, value, np.float32)


# What overflows, vanishes or stands still if it is added up in 16 bits.
LARGE = [
    Case("LayerNormalization", [deviating(2, 4096, by=6), full(4096, value=1)], opsets=(17,)),
    Case(
        "LayerNormalization",
        [deviating(2, 64, by=2000), full(64, value=1), full(64, value=0.5)],
        opsets=(17,),
        id="squares",
    ),
    Case(
        "BatchNormalization",
        [deviating(64, 2, 64, by=300), *(full(2, value=v) for v in (1, 0, 0, 1))],
        {"training_mode": 1},
        opsets=(15,),
        outputs=3,
    ),
    Case("LRN", [deviating(1, 6, 2, 2, by=1000)], {"size": 3}, opsets=(13,)),
    Case("LRN", [deviating(1, 20, 2, 2, by=1000)], {"size": 11}, opsets=(13,), id="wide"),
    Case("ReduceMean", [full(1, 70000, value=4)], {"axes": [1]}, opsets=(13,)),
    Case("ReduceSum", [full(1, 40000, value=1), np.array([1])], constants=[1], opsets=(13,)),
    Case("ReduceL1", [deviating(1, 4096, by=10)], {"axes": [1]}, opsets=(13,)),
    Case("ReduceL2", [full(2, 4096, value=300)], {"axes": [1]}, opsets=(13,)),
    Case("ReduceSumSquare", [full(2, 4096, value=1e-3)], {"axes": [1]}, opsets=(13,)),
    Case("ReduceLogSum", [full(2, 4096, value=100)], {"axes": [1]}, opsets=(13,)),
    Case("ReduceLogSumExp", [deviating(2, 4096, by=3)], {"axes": [1]}, opsets=(13,)),
    Case("Mean", [full(3, value=v) for v in (60000, 40000, 50000)], opsets=(13,)),
    Case("Sum", [full(3, value=v) for v in (60000, 40000, -50000)], opsets=(13,)),
    Case("Softmax", [deviating(2, 1000, by=0.3)], {"axis": 1}, opsets=(13,)),
    Case("LogSoftmax", [deviating(2, 1000, by=0.3)], {"axis": 1}, opsets=(13,)),
    Case(
        "AveragePool", [full(1, 1, 32, 32, value=60000)], {"kernel_shape": [16, 16]}, opsets=(22,)
    ),
    Case("GlobalAveragePool", [full(1, 1, 64, 64, value=50000)], opsets=(22,)),
    Case("MatMul", [full(2, 5000, value=1), full(5000, 3, value=1)], opsets=(13,)),
    Case(
        "Gemm",
        [full(2, 400, value=20), full(400, 3, value=20), full(3, value=-100)],
        {"alpha": 0.001, "beta": 1.5},
        opsets=(13,),
    ),
    Case(
        "Conv",
        [full(1, 40, 4, 4, value=20), full(2, 40, 3, 3, value=10), full(2, value=-60000)],
        opsets=(22,),
    ),
    Case("ReduceMin", [deviating(2, 64, by=300)], {"axes": [1]}, opsets=(13,)),
    Case("ReduceProd", [full(2, 64, value=1.125)], {"axes": [1]}, opsets=(13,)),
    Case("Equal", [deviating(8, by=1), deviating(8, by=1)], opsets=(13,)),
    Case("HardSigmoid", [deviating(500, by=3)], {"alpha": 0.1, "beta": 0.3}, opsets=(22,)),
    Case("Selu", [deviating(500, by=3)], opsets=(22,)),
]


@pytest.mark.parametrize("dtype", HALVES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.name)
def test_sums_are_formed_in_float(case: Case, dtype: np.dtype[Any]) -> None:
    opset = max(o for o in (*case.opsets, 22) if declares(case, o, dtype))
    if case.attributes.get("axes") and opset >= 18:
        opset = case.opsets[-1]
    test_a_result_is_rounded_once(replace(case, opsets=(opset,)), opset, dtype)


@pytest.mark.parametrize("dtype", HALVES, ids=lambda dtype: dtype.name)
def test_gradients_of_equal_indices_and_of_what_was_broadcast(dtype: np.dtype[Any]) -> None:
    """4,096 ones, each added to what is there, stop at 2,048 in half and at 256 in bfloat16."""
    table, row = np.zeros((3, 2), dtype), np.ones((1, 2), dtype)
    for case in (
        Case("Gather", [table, np.ones(4096, np.int64)]),
        Case("GatherND", [table, np.ones((4096, 1), np.int64)]),
        Case("GatherElements", [table, np.ones((4096, 2), np.int64)]),
        Case("Mul", [np.ones((4096, 2), dtype), row]),
        Case("Expand", [row, np.array([4096, 2])], constants=[1]),
        Case("Tile", [row, np.array([4096, 1])], constants=[1]),
    ):
        trial = trial_of(case, 13, list(case.inputs), Ones())
        checked = 1 if case.type == "Mul" else 0
        assert trial.gradients()[checked].max() == 4096, case.type


class Ones:
    """A generator of weights that are all 1."""

    def uniform(self, low: float, high: float, shape: list[int]) -> Array:
        return np.ones(shape)


@pytest.mark.parametrize("dtype", [*HALVES, np.dtype(np.float32), np.dtype(np.float64)])
def test_layer_normalization_stores_its_statistics_as_it_is_told(dtype: np.dtype[Any]) -> None:
    x, scale = deviating(2, 4096, by=6).astype(dtype), np.ones(4096, dtype)
    for code, stored in ((None, np.float32), (1, np.float32), (16, ml_dtypes.bfloat16)):
        attributes = {} if code is None else {"stash_type": code}
        y, mean, deviation = run("LayerNormalization", [x, scale], attributes, outputs=3)
        assert (y.dtype, mean.dtype, deviation.dtype) == (dtype, stored, stored)
        exact = x.astype(np.float64)
        np.testing.assert_allclose(mean[:, 0].astype(float), exact.mean(1), 1e-2, 1e-6)
        np.testing.assert_allclose(deviation[:, 0].astype(float), 1 / exact.std(1), 1e-2)
    with pytest.raises(
        Exception, match=r"stash_type is 10; the statistics are stored as float \(1\)"
    ):
        run("LayerNormalization", [x, scale], {"stash_type": 10})


def test_every_operator_that_declares_bfloat16_has_a_row() -> None:
    tested = {param.values[0].type for param in rows() if param.values[2] == HALVES[1]}
    tested |= {case.type for case in LARGE} | {"Range", "BitCast"}
    declaring = {
        entry.opid.type
        for entry in registry.entries()
        if entry.source == registry.BUILT_IN and entry.opid.domain == "ai.onnx"
        for formal in schemas.definition(entry.opid).inputs
        if DataType.BFLOAT16 in formal.types
    }
    assert sorted(declaring - tested) == []


@pytest.mark.parametrize("dtype", HALVES, ids=lambda dtype: dtype.name)
def test_a_range_is_counted_and_stepped_in_float(dtype: np.dtype[Any]) -> None:
    start, limit, delta = (np.array(v, dtype) for v in (-60000, 60000, 128))
    (found,) = run("Range", [start, limit, delta], version=27)
    exact = np.arange(float(start), float(limit), float(delta), np.float32)
    np.testing.assert_array_equal(found, exact.astype(dtype))


@pytest.mark.parametrize("dtype", HALVES, ids=lambda dtype: dtype.name)
def test_constants_are_computed_as_the_device_computes(dtype: np.dtype[Any]) -> None:
    operands = [np.array([v], dtype) for v in (60000, 40000, -50000)]
    (folded,), (ran,) = (run("Sum", operands, constants=c) for c in ([0, 1, 2], []))
    np.testing.assert_array_equal(folded, ran)
    assert folded == np.array(sum(float(x[0]) for x in operands)).astype(dtype)
