"""A second opinion on results: onnxruntime's."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.cli.exits import CommandError, ExitCode

Array = np.ndarray[Any, Any]

_RTOL = {"float16": 1e-2, "bfloat16": 5e-2}
"""Relative tolerances of types that store few digits."""


@dataclass(frozen=True)
class Difference:
    """One output compared: |a - b| <= atol + rtol * |b| must hold for every element.

    `relative` is the largest |a - b| / |b| where b is not 0. Elements that are NaN in both, or the
    same infinity, agree; one that is finite on one side alone differs, and is not in the maxima.
    """

    name: str
    absolute: float
    relative: float
    outside: int
    """How many elements are out of tolerance."""
    rtol: float
    atol: float

    @property
    def ok(self) -> bool:
        """Whether all elements are within tolerance."""
        return self.outside == 0


def require_onnxruntime() -> Any:
    """The module. Raises CommandError, with the way out, if it is not installed."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise CommandError(
            "--check compares with onnxruntime, which is not installed: pip install onnxruntime",
            ExitCode.SYSTEM,
        )
    return importlib.import_module("onnxruntime")


def run_onnxruntime(
    model: str, inputs: Mapping[str, Array], outputs: list[str], threads: int | None
) -> dict[str, Array]:
    """What onnxruntime computes. Raises CommandError if it cannot."""
    ort = require_onnxruntime()
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads or 0
    try:
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        known = {each.name for each in session.get_inputs()}
        feeds = {name: array for name, array in inputs.items() if name in known}
        values = session.run(outputs, feeds)
    except Exception as error:  # Its exceptions have no base of their own.
        raise CommandError(
            f"onnxruntime cannot run this model: {error}", ExitCode.SYSTEM
        ) from error
    return dict(zip(outputs, values, strict=True))


def compare(
    name: str, ours: Array, theirs: Array, rtol: float | None, atol: float | None
) -> Difference:
    """Compares one output. Without tolerances of the caller's, integers must be equal, and floats
    agree to 1e-3 (float16 1e-2, bfloat16 5e-2) and 1e-5 of the largest value, which counts as 1
    where it is smaller.

    Raises CommandError if type or shape differ.
    """
    theirs = np.asarray(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        raise CommandError(
            f"The output '{name}' is {ours.dtype}{list(ours.shape)}, with onnxruntime "
            f"{theirs.dtype}{list(theirs.shape)}.",
            ExitCode.NO,
        )
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    error = np.abs(a[finite] - b[finite])
    size = np.abs(b[finite])
    exact = ours.dtype.kind in "iub"
    if rtol is None:
        rtol = 0.0 if exact else _RTOL.get(ours.dtype.name, 1e-3)
    if atol is None:
        atol = 0.0 if exact else 1e-5 * max(1.0, float(size.max(initial=0.0)))
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
