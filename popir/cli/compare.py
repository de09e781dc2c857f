"""Comparison of results with onnxruntime's."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from popir.cli.exits import CommandError, ExitCode
from popir.ir import Graph, Tensor
from popir.reserved import RANDOM_SEED
from popir.types import DataType

Array = np.ndarray[Any, Any]

_LEAST_RTOL, _LEAST_ATOL = 1e-3, 1e-5
"""The least default tolerances, also for float32 and float64: two tools sum in other orders."""


def default_tolerances(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The default (rtol, atol) for results of computations in a type; atol is multiplied by the
    largest value.

    For 16-bit floats, 8 and 2 units in the last place; for those of 8 bits and less, one. Integers
    must be equal.
    """
    if is_exact(dtype):
        return 0.0, 0.0
    unit = float(ml_dtypes.finfo(dtype).eps)
    if DataType.of(dtype).is_narrow:
        return unit, _LEAST_ATOL
    return max(_LEAST_RTOL, 8 * unit), max(_LEAST_ATOL, 2 * unit)


def is_exact(dtype: np.dtype[Any]) -> bool:
    """Whether elements of the type must be equal: integers, of any width, and BOOL."""
    return dtype.kind in "iub" or DataType.of(dtype).is_integer


def coarsest(dtypes: Iterable[np.dtype[Any]]) -> np.dtype[Any]:
    """The floating-point type with the fewest digits of those computed with; float64 if there is
    none.
    """
    kinds = [d for d in dtypes if not DataType.of(d).is_narrow]
    kinds = [d for d in kinds if d.kind != "O"]
    floats = [d for d in kinds if d.kind == "f" or d == ml_dtypes.bfloat16]
    return max(floats, key=lambda d: float(ml_dtypes.finfo(d).eps), default=np.dtype(np.float64))


@dataclass(frozen=True)
class Difference:
    """The comparison of one output: |a - b| <= atol + rtol * |b| must hold for every element.

    `relative` is the largest |a - b| / |b| over elements with b not 0. Elements that are NaN in
    both, or the same infinity, are equal. An element that is finite in only one is out of
    tolerance, and not in the maxima.
    """

    name: str
    absolute: float
    relative: float
    outside: int
    """The number of elements out of tolerance."""
    rtol: float
    atol: float

    @property
    def ok(self) -> bool:
        """Whether all elements are within tolerance."""
        return self.outside == 0


def require_onnxruntime() -> Any:
    """The module onnxruntime. Raises CommandError, saying what to do, if it is not installed."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise CommandError(
            "--check compares with onnxruntime, which is not installed: pip install onnxruntime",
            ExitCode.SYSTEM,
        )
    return importlib.import_module("onnxruntime")


def run_onnxruntime(
    model: str, inputs: Mapping[str, Array], outputs: list[str], threads: int | None
) -> dict[str, Array]:
    """The outputs that onnxruntime computes. Raises CommandError if it cannot run the model."""
    ort = require_onnxruntime()
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads or 0
    try:
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        known = {each.name for each in session.get_inputs()}
        feeds = {name: array for name, array in inputs.items() if name in known}
        values = session.run(outputs, feeds)
    except Exception as error:  # onnxruntime's exceptions have no common base class.
        raise CommandError(_why(inputs, str(error)), ExitCode.SYSTEM) from error
    return dict(zip(outputs, values, strict=True))


def random_outputs(graph: Graph, outputs: Iterable[str]) -> dict[str, str]:
    """The outputs that depend on random numbers, and so differ between tools: id to the operator
    that draws, in words.
    """
    drawn = {id: _draws(graph.getTensor(id)) for id in outputs}
    return {id: who for id, who in drawn.items() if who}


def _draws(tensor: Tensor) -> str:
    """The operator with a random seed that a tensor depends on; "" if there is none."""
    stack, seen = [tensor], {tensor}
    while stack:
        op = stack.pop().producer
        if op is None:
            continue
        if any(each.id == RANDOM_SEED for each in op.input.values()):
            return f"{op.opid.type} '{op.name()}'"
        fresh = [each for each in op.input.values() if each not in seen]
        seen.update(fresh)
        stack += fresh
    return ""


def _why(inputs: Mapping[str, Array], said: str) -> str:
    """The explanation if onnxruntime refuses the model."""
    lacks = "NOT_IMPLEMENTED" in said or any(a.dtype == ml_dtypes.bfloat16 for a in inputs.values())
    if not lacks:
        return f"onnxruntime cannot run this model: {said}"
    return (
        "--check has nothing to compare with: onnxruntime has no implementation of an operator of "
        "this model for its types on the CPU (it has few for bfloat16). Run without --check, or "
        f"check the same model in float32. It says: {said}"
    )


def compare(
    name: str,
    ours: Array,
    theirs: Array,
    rtol: float | None,
    atol: float | None,
    computed: np.dtype[Any] | None = None,
) -> Difference:
    """Compares one output.

    Without tolerances from the user, integers must be equal; floats must agree within
    `default_tolerances` of the output's type, or of `computed`, the coarsest type in the model. A
    largest value below 1 counts as 1. Raises CommandError if type or shape differ.
    """
    theirs = np.asarray(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        raise CommandError(
            f"The output '{name}' is {ours.dtype}{list(ours.shape)}, with onnxruntime "
            f"{theirs.dtype}{list(theirs.shape)}.",
            ExitCode.NO,
        )
    if ours.dtype.kind == "O":
        return Difference(name, 0.0, 0.0, int((ours != theirs).sum()), 0.0, 0.0)
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    error = np.abs(a[finite] - b[finite])
    size = np.abs(b[finite])
    fixed = is_exact(ours.dtype) or DataType.of(ours.dtype).is_narrow
    kind = ours.dtype if fixed or computed is None else coarsest([ours.dtype, computed])
    relative_share, absolute_share = default_tolerances(kind)
    if rtol is None:
        rtol = relative_share
    if atol is None:
        atol = absolute_share * max(1.0, float(size.max(initial=0.0)))
    outside = int((error > atol + rtol * size).sum()) + int((~finite & ~same).sum())
    relative = error[size > 0] / size[size > 0]
    return Difference(
        name,
        absolute=float(error.max(initial=0.0)),
        relative=float(relative.max(initial=0.0)),
        outside=outside,
        rtol=rtol,
        atol=atol,
    )
