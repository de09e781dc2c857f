"""Tensors without elements, for each row of the table of operators, of all domains.

A row is changed in two ways: its first dimension is 0 wherever it stands first, as in a batch of
none; and the last dimension of its first input is 0 wherever that size is. What onnxruntime, the
row's formula or onnx's reference evaluator gives for it, popir must give. Where none of these gives
anything, it must end in a tensor like that of the row, or in an error of popir's own.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from popir.errors import PopirError
from tests.ops.cases import CASES, Array, Case
from tests.ops.test_cases import expected, infer, inputs_of, model_of, opsets_of

Given = list[Array | None]

OTHERWISE = {
    **dict.fromkeys(
        ("Nll", "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"),
        "of no labels the loss is 0, not NaN: docs/losses.md",
    ),
    "Multinomial": "the formula is what the row draws",
    "Scan": "the states of no step are the first ones; onnxruntime gives zeros for version 8",
    "LSTM": "the same",
    "GRU": "onnxruntime dies of no features; onnx's evaluator has other activations",
    "ScatterReduce": "the formula has the row's shape",
    "DynamicQuantizeLinear": "the scale of nothing is 0, as the function gives; onnxruntime: 1",
    "SplineBasis": "the formula has the row's dimensions",
    "PackedDataBlock": "the same",
}
"""Operators with other results than the oracle's, and why."""

STRICTER = {
    **dict.fromkeys(
        ("Conv", "QLinearConv", "LpPool", "MaxPool", "AveragePool"),
        "a window does not fit the input, which onnxruntime or PyTorch refuses too",
    ),
    **dict.fromkeys(("ArgMax", "ArgMin"), "onnxruntime gives a place in nothing, of a wrong shape"),
    **dict.fromkeys(
        ("GlobalAveragePool", "GlobalMaxPool"), "there is nothing to pool, though no batch either"
    ),
    **dict.fromkeys(
        ("QuantizeLinear", "DequantizeLinear", "AffineGrid", "CopyVarUpdate", "ShapedDropout"),
        "the other inputs or an attribute have other shapes",
    ),
    **dict.fromkeys(
        ("ReverseSequence", "Split", "TensorScatter"),
        "the lengths or sizes are those of more elements; onnx's evaluator does not look at them",
    ),
    **dict.fromkeys(
        ("GatherND", "ScatterND"), "the specification wants indices of one dimension at least"
    ),
    "Pad": "elements are cut off, or repeated, that there are not",
    "Multinomial": "there is no class; the formula is what the row draws",
    **dict.fromkeys(
        ("Imputer", "LinearRegressor", "LinearClassifier", "FeatureVectorizer"),
        "the attributes are those of other numbers of features",
    ),
    **dict.fromkeys(
        ("DynamicSlice", "DynamicZero"), "the slice is larger than the tensor; a formula clamps"
    ),
    "GridSample": "PyTorch refuses a field without elements too",
    "RotaryEmbedding": "heads have a size",
    "NormalizeImage": "an image has channels; the formula has those of the row",
    "SplineBasis": "the formula has the row's dimensions",
    "PackedDataBlock": "the formula has the row's shape",
    **dict.fromkeys(("Ctc", "CtcBeamSearchDecoder"), "there is no class, so no blank"),
}
"""Operators that refuse what an oracle takes, and why."""


def variants(case: Case) -> Iterator[Given]:
    """The arrays of a row, with sizes of 0."""
    arrays = case.arrays(np.float32)
    first = next(
        (a for i, a in enumerate(arrays) if a is not None and i not in case.constants), None
    )
    if first is None or not first.ndim:
        return
    found: list[Given] = []
    changes: list[Callable[[int, int], bool]] = [
        lambda d, size: d == 0 and size == first.shape[0],
        lambda _, size: size == first.shape[-1],
    ]
    for fits in changes:
        made: Given = [
            a
            if a is None or i in case.constants
            else a[tuple(slice(0) if fits(d, n) else slice(None) for d, n in enumerate(a.shape))]
            for i, a in enumerate(arrays)
        ]
        if [a is None or a.shape for a in made] not in [
            [a is None or a.shape for a in each] for each in found
        ]:
            found.append(made)
    yield from found


def oracle(row: int, is_reference: bool) -> list[Array]:
    """What onnxruntime or the formula, or onnx's reference evaluator gives for a row of `ROWS`."""
    case, arrays = ROWS[row]
    model = model_of(case, opsets_of(case)[-1], arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_reference:
            found = ReferenceEvaluator(model).run(None, inputs_of(case, arrays))
        else:
            found = expected(case, model, arrays)
    return [np.asarray(each) for each in found]


class Apart:
    """A process of its own for the oracles: onnxruntime divides by sizes, which ends it."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__])
        self._pool = ProcessPoolExecutor(1, self._context)

    def ask(self, row: int, is_reference: bool) -> list[Array] | None:
        """The results of `oracle`; None if it raises or dies."""
        try:
            found = self._pool.submit(oracle, row, is_reference).result()
        except BrokenProcessPool:
            self._pool = ProcessPoolExecutor(1, self._context)
            return None
        except Exception:
            return None
        return None if any(each.dtype.kind == "O" for each in found) else found

    def end(self) -> None:
        """Ends the process."""
        self._pool.shutdown()


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    made = Apart()
    yield made
    made.end()


ROWS = [(case, each) for case in CASES for each in variants(case)]


def test_there_are_rows_of_all_domains() -> None:
    domains = {case.domain for case, _ in ROWS}
    assert {"ai.onnx", "ai.graphcore", "ai.onnx.ml", "com.microsoft"} < domains
    assert len({case.type for case, _ in ROWS}) > 250


@pytest.mark.filterwarnings("ignore:PyStepIO has an array")
@pytest.mark.parametrize(
    "row",
    range(len(ROWS)),
    ids=[f"{c.name}-{next(a.shape for a in g if a is not None)}" for c, g in ROWS],
)
def test_sizes_of_0(row: int, apart: Apart) -> None:
    case, arrays = ROWS[row]
    try:
        found = infer(model_of(case, opsets_of(case)[-1], arrays), inputs_of(case, arrays))
    except PopirError:
        found = None
    answers = (apart.ask(row, is_reference) for is_reference in (False, True))
    if case.type in STRICTER if found is None else case.type in OTHERWISE:
        answers = ()
    wanted: list[list[Array]] = []
    for want in answers:
        if want is None:
            continue
        assert found is not None, "popir refuses what an oracle takes"
        if is_close(case, found, want):
            return
        wanted.append(want)
    assert not wanted, (found, wanted)
    if found is not None:
        whole = case.arrays(np.float32)
        like = infer(model_of(case, opsets_of(case)[-1], whole), inputs_of(case, whole))
        assert [(a.dtype, a.ndim) for a in found] == [(a.dtype, a.ndim) for a in like]


def is_close(case: Case, found: list[Array], want: list[Array]) -> bool:
    """Whether results are those of an oracle."""
    return len(found) == len(want) and all(
        (one.shape, one.dtype) == (two.shape, two.dtype)
        and np.allclose(
            one.astype(np.float64),
            two.astype(np.float64),
            10 * case.rtol,
            10 * case.atol,
            equal_nan=True,
        )
        for one, two in zip(found, want, strict=True)
    )
