"""Random graphs of all operators and types against onnxruntime, and against other ways to run them.

A finding is a result that differs by more than rounding explains, one that depends on how popir
runs the graph where it must not, an error of one side alone, or an exception that is no PopirError.
Its model is reduced to what still shows it.
"""

from __future__ import annotations

import random
import re
import shutil
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import popir
from popir.errors import PopirError
from tests.fuzz import oracle
from tests.fuzz.generator import BFLOAT16, FLOATS, OPSETS, Array, Graph
from tests.fuzz.operators import grow
from tests.fuzz.programs import Program

CONTRACTIONS = {
    *("MatMul", "Gemm", "Conv", "ConvTranspose", "MultiConv", "LSTM", "GRU", "RNN"),
    *("SplineWeighting", "AffineGrid", "DeformConv", "Einsum", "Attention", "DFT", "STFT"),
}
"""Operators that are one, or are made of them."""


@dataclass(frozen=True)
class Way:
    """One way for popir to run a model."""

    outlining: bool = False
    inplace: bool = True
    fuses: bool = True
    threads: int = 1
    tiles: int = 0
    """Tiles of a simulated machine; 0 for the CPU device."""
    batches: int = 1
    """Batches of a step, all with the same inputs; the last one's outputs count."""
    function: bool = False
    """Whether a part of the model is in a function."""

    def rounds_alike(self, other: Way, program: Program) -> bool:
        """Whether the documentation promises the same bits: a contraction may be another one, also
        where a loop of batches has its operands gathered before it, and without in-place operators
        what is reduced may lie in another order.
        """
        types = {node.op_type for node in program.nodes}
        changed, others = (
            (way.threads, way.fuses, way.outlining, way.batches) for way in (self, other)
        )
        if changed != others and types & CONTRACTIONS:
            return False
        return self.inplace == other.inplace or not any(t.startswith("Reduce") for t in types)

    def options(self) -> popir.SessionOptions:
        """Those of the session."""
        options = popir.SessionOptions()
        options.enableOutlining = self.outlining
        if self.outlining:
            options.outlineThreshold = -1.0
            options.enableOutliningCopyCostPruning = False
        options.opxAliasChecking = options.opxModifyChecking = True
        options.engineOptions = {
            "host.numThreads": str(self.threads),
            "host.fuse": str(self.fuses).lower(),
        }
        return options

    def device(self) -> Any:
        """The machine."""
        manager = popir.DeviceManager()
        if self.tiles:
            return manager.createIpuModelDevice({"tilesPerIPU": self.tiles})
        return manager.createCpuDevice()

    def patterns(self) -> popir.Patterns:
        """Those of the session."""
        return popir.Patterns().enablePattern("InPlace", self.inplace)

    def run(self, program: Program) -> dict[str, Array]:
        """The program's outputs."""
        session = popir.InferenceSession(
            program.with_function() if self.function else program.model(),
            popir.DataFlow(self.batches, list(program.outputs)),
            self.device(),
            patterns=self.patterns(),
            userOptions=self.options(),
        )
        session.prepareDevice()
        outputs = session.initAnchorArrays()
        if self.batches == 1:
            session.run(popir.PyStepIO(dict(program.inputs), outputs))
            return outputs
        inputs = {name: np.stack([a] * self.batches) for name, a in program.inputs.items()}
        session.run(popir.PyStepIO(inputs, outputs))
        return {name: np.asarray(array[-1]) for name, array in outputs.items()}

    def __str__(self) -> str:
        default = Way()
        changed = [f"{k}={v}" for k, v in vars(self).items() if v != getattr(default, k)]
        return ", ".join(changed) or "default"


OTHER_WAYS = [
    Way(outlining=True),
    Way(inplace=False),
    Way(fuses=False),
    Way(threads=2),
    Way(outlining=True, inplace=False, fuses=False),
    Way(tiles=4),
    Way(batches=3),
    Way(function=True),
]


def make(seed: str, number: int) -> tuple[Program, Way]:
    """The case of this number, and the second way to run it."""
    rng = random.Random(f"{seed}/{number}")
    graph = Graph(rng, rng.choice(OPSETS))
    grow(graph, rng.choice([1, 1, 2, 3, 5, 8, 12]))
    if rng.random() < 0.25:
        graph.repeat()
    return Program.of(graph, graph.results()), rng.choice(OTHER_WAYS)


@dataclass(frozen=True)
class Verdict:
    """What became of a program; with a kind of finding if that should not be."""

    outcome: str
    kind: str = ""
    text: str = ""


def judge(program: Program, other: Way) -> Verdict:
    """Runs the program both ways, and compares it with the oracle."""
    refusal, who, want = "", "onnxruntime", None
    try:
        want = oracle.whole(program.model(), program.inputs, program.values)
    except oracle.Refused:
        try:
            who, known = "node by node", program.evaluated()
            want = {name: known[name] for name in program.outputs}
        except oracle.Unspecified:
            who = "unspecified"
        except oracle.Refused as error:
            refusal, who = str(error), "no oracle"
    first = Way()
    try:
        got = first.run(program)
    except PopirError as error:
        if want is None:
            return Verdict("both refuse", "", f"{error}\n{refusal}")
        return Verdict(f"{who}; refused", f"refused: {words(error)}", repr(error))
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return Verdict("error", f"{type(error).__name__}: {words(error)}", text)
    try:
        again = other.run(program)
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return Verdict("error", f"{other} alone: {type(error).__name__} {words(error)}", text)
    if want is not None and (text := different(program, got, want)):
        try:
            known = program.evaluated()
        except oracle.Unspecified:
            return Verdict("unspecified")
        except oracle.Refused:
            known = want
        if different(program, got, {name: known[name] for name in program.outputs}):
            return Verdict("differs", "differs", text)
    exact = first.rounds_alike(other, program)
    text = unequal(got, again) if exact else different(program, again, got)
    if text:
        return Verdict("differs", f"depends on {other}", text)
    return Verdict(f"{who}; equal")


def words(error: BaseException) -> str:
    """The message without names, numbers and shapes."""
    text = re.sub(r"'[^']*'|\[[^]]*\]|-?\d+", "_", str(error))
    return text.splitlines()[0][:140] if text else ""


TOLERANCE = {
    np.dtype(np.float64): 1e-12,
    np.dtype(np.float32): 4e-6,
    np.dtype(np.float16): 2.0**-9,
    BFLOAT16: 2.0**-6,
}
"""The relative difference of a good implementation of a function from another one."""
_SMALLEST = {type: float(ml_dtypes.finfo(type).tiny) for type in TOLERANCE}
"""Below the normal numbers digits are lost."""


def different(program: Program, got: Mapping[str, Array], want: Mapping[str, Array]) -> str:
    """Where results differ by more than rounding explains; "" if nowhere."""
    apart = {name: _apart(got[name], want[name]) for name in program.outputs}
    apart = {name: where for name, where in apart.items() if where is not None}
    if not apart:
        return ""
    wrong = {n: w for n, w in apart.items() if isinstance(w, str)}
    if wrong:
        return "\n".join(f"{name}: {text}" for name, text in wrong.items())
    try:
        spread = oracle.spread(program, program.nodes, program.given, list(apart))
    except oracle.Refused:
        return ""
    lines = []
    for name, where in apart.items():
        gap = _gap(got[name], want[name])
        allowed = 16 * spread[name] + 4 * _SMALLEST.get(got[name].dtype, 0)
        with np.errstate(all="ignore"):
            wrong_at = np.asarray(where) & ~(gap <= allowed) & ~np.isinf(spread[name])
        if wrong_at.any():
            at = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong_at)))
            values = [np.atleast_1d(a)[at] for a in (got[name], want[name], allowed)]
            lines.append(
                f"{name}: {wrong_at.sum()} of {wrong_at.size} elements; at {list(at)} popir has "
                f"{values[0]!r}, expected {values[1]!r}, allowed are {values[2]:.3g}"
            )
    return "\n".join(lines)


def _apart(got: Array, want: Array) -> Array | str | None:
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if got.dtype not in FLOATS:
        where = np.asarray(got != want)
        return where if where.any() else None
    gap = _gap(got, want)
    rtol = TOLERANCE[got.dtype]
    with np.errstate(all="ignore"):
        size = np.abs(want.astype(np.float64))
        where = np.asarray(~(gap <= rtol * size))
    return where if where.any() else None


def _gap(got: Array, want: Array) -> Array:
    """The distance of elements; 0 for equal infinities and for two NaN, infinite for one."""
    with np.errstate(all="ignore"):
        a, b = got.astype(np.float64), want.astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        gap = np.abs(a - b)
    return np.where(same, 0, np.where(np.isnan(gap), np.inf, gap))


def unequal(got: Mapping[str, Array], again: Mapping[str, Array]) -> str:
    """Where bits differ, signs and payloads of NaN aside; "" if nowhere."""
    for name, array in got.items():
        a, b = np.ascontiguousarray(array), np.ascontiguousarray(again[name])
        if a.dtype in FLOATS:
            whole = np.dtype(f"u{a.dtype.itemsize}")
            where = (a.view(whole) != b.view(whole)) & ~(np.isnan(a) & np.isnan(b))
        else:
            where = a != b
        if where.any():
            at = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(where)))
            values = np.atleast_1d(a)[at], np.atleast_1d(b)[at]
            return (
                f"{name}: {where.sum()} elements; at {list(at)} {values[0]!r}, then {values[1]!r}"
            )
    return ""


def start() -> None:
    """Nothing to prepare."""


def run(folder: Path, seed: str, number: int) -> dict[str, Any]:
    """Makes one case in the folder, and says what became of it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program, other = make(seed, number)
    program.save(folder)  # For a case that does not come back.
    verdict = judge(program, other)
    if not verdict.kind:
        return {"stage": "graph", "outcome": verdict.outcome}
    small = program.reduced(lambda p: judge(p, other).kind == verdict.kind)
    last = judge(small, other)
    small.save(folder)
    operators = " ".join(sorted({node.op_type for node in small.nodes}))
    read = [small.values[name] for node in small.nodes for name in node.input if name]
    types = " ".join(sorted({str(v.dtype) for v in read}))
    return {
        "stage": "graph",
        "outcome": verdict.outcome,
        "signature": f"{verdict.kind} | {operators} | {types}",
        "finding": f"{verdict.kind}\n{last.text}\n\n{small.text()}",
    }
