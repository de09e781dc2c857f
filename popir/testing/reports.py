"""The results of a gradient check, as data and as text."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.ir import OperatorIdentifier

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class InputGradient:
    """The comparison of one input's gradient with finite differences."""

    index: int
    name: str
    """The name of the input in the operator's definition or schema; "" if there is none."""
    shape: tuple[int, ...]
    checked: int
    """The number of elements checked; 0 if the input was not checked."""
    why: str = ""
    """The reason why it was not checked."""
    wrong: int = 0
    """The number of elements out of tolerance."""
    worst: tuple[int, ...] = ()
    """The index of the element with the largest error relative to its tolerance."""
    analytic: float = 0.0
    """The gradient operator's value for that element."""
    numeric: float = 0.0
    """The finite difference for that element."""
    allowed: float = 0.0
    """The tolerance of that element."""
    hint: str = ""
    """A sentence that describes the error, such as a wrong sign."""

    @property
    def ok(self) -> bool:
        """Whether all checked elements are within tolerance."""
        return self.wrong == 0

    @property
    def who(self) -> str:
        """The input's index and name, for messages."""
        return f"input {self.index}{f' ({self.name})' if self.name else ''}"

    def __str__(self) -> str:
        if not self.checked:
            return f"{self.who}: not checked: {self.why}"
        size = int(np.prod(self.shape))
        of = f"{self.checked} of its {size} elements" if self.checked < size else f"{size} elements"
        values = (
            f"the gradient is {self.analytic:.9g}, the finite difference {self.numeric:.9g}, "
            f"{abs(self.analytic - self.numeric):.3g} apart where {self.allowed:.3g} is allowed"
        )
        if self.ok:
            return f"{self.who}: right at {of}; at {list(self.worst)} {values}"
        return (
            f"{self.who}: WRONG at {self.wrong} of {self.checked} elements; worst at "
            f"{list(self.worst)}: {values}.{self.hint}"
        )


@dataclass(frozen=True)
class GradientReport:
    """The result of `gradcheck`, with one item for each input. `str` gives it as text."""

    operator: OperatorIdentifier
    source: str
    """Who registered the operator."""
    dtype: str
    """The floating-point type in which the operator ran."""
    note: str
    """The reason why that is not float64; "" if it is."""
    rtol: float
    atol: float
    step: float
    """How far each element was moved; multiplied by its magnitude if that was above 1."""
    seed: int
    """The seed of random inputs, of the outputs' weights, and of the operator's random numbers."""
    inputs: list[InputGradient]

    @property
    def ok(self) -> bool:
        """Whether every gradient is right."""
        return all(each.ok for each in self.inputs)

    def __str__(self) -> str:
        lines = [
            f"{self.operator} in {self.dtype}, step {self.step:g}, rtol {self.rtol:g}, atol "
            f"{self.atol:g}, seed {self.seed}"
        ]
        lines += [self.note] if self.note else []
        return "\n  ".join(lines + [str(each) for each in self.inputs])


def compared(
    found: InputGradient, at: list[tuple[int, ...]], analytic: Array, numeric: Array, allowed: Array
) -> InputGradient:
    """`found` with the comparison of the values at the elements `at`, without a hint."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(analytic - numeric)
        bad = ~(apart <= allowed)
        excess = np.where(np.isnan(apart), np.inf, apart / allowed)
    i = int(np.argmax(excess))
    return dataclasses.replace(
        found,
        checked=len(at),
        wrong=int(bad.sum()),
        worst=at[i],
        analytic=float(analytic[i]),
        numeric=float(numeric[i]),
        allowed=float(allowed[i]),
    )


def likeness(analytic: Array, numeric: Array) -> str:
    """A sentence that describes a wrong gradient, such as a wrong sign or factor; "" if none
    applies.
    """
    if not np.isfinite(analytic).all():
        return " The gradient holds NaN or infinity."
    if not np.isfinite(numeric).all():
        return " The finite differences hold NaN or infinity: choose other inputs."
    if not analytic.any():
        return " The gradient is 0 everywhere."
    if not numeric.any():
        return " The outputs do not depend on this input."
    factor = float(analytic @ numeric) / float(numeric @ numeric)
    if np.allclose(analytic, factor * numeric, rtol=1e-3, atol=1e-3 * np.abs(analytic).max()):
        if abs(factor + 1) < 1e-3:
            return " Its sign is wrong everywhere."
        return f" Everywhere it is {factor:.4g} times what it should be."
    return ""
