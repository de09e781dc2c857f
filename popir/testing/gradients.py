"""Checks gradients with finite differences: `gradcheck`."""

from __future__ import annotations

import dataclasses
import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir import memory
from popir.devices import DeviceInfo
from popir.errors import GradientError, MissingGradientError, PopirError, popart_exception
from popir.ir import OperatorIdentifier
from popir.onnxio import schemas
from popir.registry import OpEntry
from popir.testing.nodes import Node, is_float, node
from popir.testing.reports import GradientReport, InputGradient, compared, likeness
from popir.testing.trials import Trial
from popir.typed import typed
from popir.types import TensorInfo

Array = np.ndarray[Any, Any]
Input = Array | Sequence[int] | None


@dataclass(frozen=True)
class Precision:
    """The step and tolerances for one floating-point type."""

    dtype: np.dtype[Any]
    step: float
    rtol: float
    atol: float


PRECISIONS = [
    Precision(np.dtype(np.float64), 1e-5, 1e-5, 1e-6),
    Precision(np.dtype(np.float32), 1e-2, 1e-2, 1e-3),
    Precision(np.dtype(np.float16), 1e-1, 1e-1, 5e-2),
]
"""The types in the order in which they are tried, until the operator runs in one."""


@typed
def gradcheck(
    operator: str | OperatorIdentifier,
    inputs: Sequence[Input],
    attributes: Mapping[str, Any] | None = None,
    *,
    version: int | None = None,
    outputs: int | None = None,
    through: Sequence[int] | None = None,
    wrt: Sequence[int] | None = None,
    constants: Sequence[int] = (),
    low: float = -2.0,
    high: float = 2.0,
    seed: int = 0,
    most: int = 200,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    device: DeviceInfo | None = None,
    raiseError: bool = True,
) -> GradientReport:
    """Compares the gradients of an operator with central differences.

    The loss is the sum of all floating-point outputs, each element with a random weight. It is
    computed in double. An operator that does not support double runs in float32 or float16, with
    larger steps and tolerances; the report says so, and why. An operator that draws random numbers
    gets the same seed in each run. Inputs that are not floating-point, left out, constant, or
    without a gradient are not checked; the report lists them.

    Args:
        operator: "com.acme.Cubic", "Relu", or an OperatorIdentifier.
        inputs: for each input an array; or a shape, as a list or tuple, for random floats; or None
            to leave it out.
        attributes: the attributes, by name.
        version: the version of the operator; by default the newest. For ONNX's operators, the
            opset.
        outputs: the number of outputs; by default what its definition requires, or 1.
        through: the outputs to differentiate; by default all floating-point ones.
        wrt: the inputs to check; by default all that have a gradient.
        constants: inputs to make constants of the model, besides those that the operator requires
            to be.
        low, high: the range of random floats.
        seed: the seed of random inputs, of the weights, and of the operator's random numbers.
        most: the most elements of an input to check; of more, a random selection is checked.
        step: how far an element is moved; multiplied by its magnitude if that is above 1.
        rtol, atol: |gradient - difference| <= atol + rtol * |difference| must hold for every
            element.
        device: the device; by default a Cpu device.
        raiseError: False to return the report instead of raising GradientError for a wrong
            gradient.

    Raises GradientError, naming input and element, for a wrong gradient, or if the operator does
    not give the same outputs twice; MissingGradientError if it has none; popart_exception for wrong
    arguments; and the errors of building and running a model.
    """
    if not (low <= high and math.isfinite(high - low)):
        raise popart_exception(f"gradcheck: random floats cannot be from {low} to {high}.")
    _check_least("seed", seed, 0)
    _check_least("most", most, 1)
    _check_least("step", step, sys.float_info.min)
    _check_least("rtol", rtol, 0)
    _check_least("atol", atol, 0)
    rng = np.random.default_rng(seed)
    given = [_array(value, rng, low, high) for value in inputs]
    asked = node(operator, given, attributes, version, outputs, constants)
    entry = asked.entry
    trial, tried, kind, note = _trial(asked, rng, through, wrt, device)
    kind = Precision(
        kind.dtype,
        kind.step if step is None else step,
        kind.rtol if rtol is None else rtol,
        kind.atol if atol is None else atol,
    )
    outcome = _Check(tried, trial, kind, seed, most, rng).all()
    report = GradientReport(
        *(entry.opid, entry.source, kind.dtype.name, note, kind.rtol, kind.atol, kind.step, seed),
        [dataclasses.replace(each, name=_name(entry, each.index)) for each in outcome],
    )
    if raiseError and not report.ok:
        raise GradientError(f"The gradient of {entry.opid} ({entry.source}) is wrong.\n{report}")
    return report


def _check_least(name: str, value: float | None, least: float) -> None:
    if value is not None and not least <= value < math.inf:
        raise popart_exception(f"gradcheck: {name} is {value}; expected is {least} or more.")


def _array(value: Input, rng: np.random.Generator, low: float, high: float) -> Array | None:
    if value is None or isinstance(value, (np.ndarray, np.generic)):
        return None if value is None else np.asarray(value)
    info = TensorInfo("DOUBLE", value)
    memory.require("A random input of gradcheck", info.nbytes())
    return rng.uniform(low, high, info.shape())


def _name(entry: OpEntry, i: int) -> str:
    definition = entry.definition or schemas.definition(entry.opid)
    return definition.inputs.at(i).name if definition and definition.inputs else ""


def _trial(
    asked: Node,
    rng: np.random.Generator,
    through: Sequence[int] | None,
    wrt: Sequence[int] | None,
    device: DeviceInfo | None,
) -> tuple[Trial, Node, Precision, str]:
    """The trial in the first type in which the operator runs, and gives its results, and the
    reason if that is not double.
    """
    refusals: list[PopirError] = []
    for kind in PRECISIONS:
        inputs = [
            a.astype(kind.dtype) if a is not None and is_float(a.dtype) else a for a in asked.inputs
        ]
        tried = dataclasses.replace(asked, inputs=inputs)
        try:
            with warnings.catch_warnings():
                # A definition may lack types in which the operator runs nevertheless.
                warnings.filterwarnings("ignore", ".*The definition that .* may be wrong")
                trial = Trial(tried, rng, through, wrt, device)
        except MissingGradientError:
            raise
        except PopirError as error:
            refusals.append(error)
            continue
        rounded = min((w.dtype for w in trial.weights.values()), key=lambda t: t.itemsize)
        if rounded.itemsize < kind.dtype.itemsize and rounded == np.float32:
            refusals.append(popart_exception(f"its output is {rounded.name}"))
            continue
        note = f"not in float64, since: {refusals[0]}" if refusals else ""
        return trial, tried, kind, note
    # The lack of double is rarely the actual fault, so another error is preferred.
    others = [error for error in refusals if "double" not in str(error).lower()]
    raise (others or refusals)[0]


class _Check:
    """Checks inputs, one element at a time."""

    def __init__(
        self,
        node: Node,
        trial: Trial,
        kind: Precision,
        seed: int,
        most: int,
        rng: np.random.Generator,
    ) -> None:
        self._node, self._trial, self._kind = node, trial, kind
        self._seed, self._most, self._rng = seed, most, rng

    def all(self) -> list[InputGradient]:
        """The result for each input."""
        inputs, trial = self._node.inputs, self._trial
        self._still = trial.run(inputs, self._seed)
        self._gradients = trial.gradients()
        again = trial.run(inputs, self._seed)
        for i, y in self._still.items():
            if not np.array_equal(y, again[i], equal_nan=True):
                raise GradientError(
                    f"gradcheck: {self._node.entry.opid} gives other values in its output {i} when "
                    "it runs again on the same inputs, so that it has no gradient. Random numbers "
                    "must come from the seed that requiresRandomSeed() asks for; all of an output "
                    "must be written."
                )
        return [self._input(i, value) for i, value in enumerate(inputs)]

    def _input(self, i: int, value: Array | None) -> InputGradient:
        shape = () if value is None else value.shape
        found = InputGradient(i, "", shape, 0)
        if why := self._passed_over(i, value):
            return dataclasses.replace(found, why=why)
        assert value is not None
        chosen = np.arange(value.size)
        if value.size > self._most:
            chosen = np.sort(self._rng.choice(value.size, self._most, replace=False))
        at = [tuple(map(int, np.unravel_index(n, shape))) for n in chosen]
        slopes = np.array([self._slopes(i, value, place) for place in at])
        numeric = slopes[:, 2]
        analytic = np.array([self._gradients[i][place] for place in at])
        allowed = self._kind.atol + self._kind.rtol * np.abs(numeric)
        result = compared(found, at, analytic, numeric, allowed)
        if result.ok:
            return result
        worst = slopes[at.index(result.worst)]
        return dataclasses.replace(result, hint=self._hint(i, worst, analytic, numeric))

    def _passed_over(self, i: int, value: Array | None) -> str:
        """The reason why input `i` is not checked; "" if it is."""
        if i in self._trial.checked:
            return "" if value is not None and value.size else "it has no elements"
        if value is None:
            return "it is left out"
        if i in self._node.constants:
            return "its value is part of the model"
        if not is_float(value.dtype):
            return f"{value.dtype} carries no gradient"
        if i not in self._trial.reached:
            return "it has no gradient"
        return "it is not among those asked for"

    def _slopes(self, i: int, value: Array, place: tuple[int, ...]) -> tuple[float, float, float]:
        """The slope of the loss below the element's value, above it, and from below to above."""
        step = self._kind.step * max(1.0, abs(float(value[place])))
        sides: list[tuple[dict[int, Array], float]] = []
        for sign in (-1, 1):
            moved = value.copy()
            moved[place] += sign * step
            inputs = [moved if j == i else a for j, a in enumerate(self._node.inputs)]
            sides.append((self._trial.run(inputs, self._seed), float(moved[place])))
        (down, low), (up, high), x = *sides, float(value[place])
        change = self._trial.change
        return (
            change(down, self._still) / (x - low),
            change(self._still, up) / (high - x),
            change(down, up) / (high - low),
        )

    def _hint(self, i: int, worst: Array, analytic: Array, numeric: Array) -> str:
        before, after, _ = worst
        if abs(after - before) > 0.1 * max(abs(before), abs(after)):
            return (
                f" The slope there is {before:.6g} from below and {after:.6g} from above: if the "
                "operator has a corner or a step there, choose inputs away from it."
            )
        whole = len(analytic) == self._gradients[i].size
        for j in self._trial.checked:
            alike = j != i and self._gradients[j].shape == self._gradients[i].shape
            if alike and whole and self._is_that_of(j, analytic):
                return (
                    f" It is that of input {j}: compare gradOutToNonGradIn() with the order of the "
                    "gradient operator's outputs."
                )
        return likeness(analytic, numeric)

    def _is_that_of(self, j: int, analytic: Array) -> bool:
        value = self._node.inputs[j]
        assert value is not None
        slopes = [self._slopes(j, value, place)[2] for place in np.ndindex(value.shape)]
        return np.allclose(analytic, slopes, rtol=1e-2, atol=self._kind.atol)
