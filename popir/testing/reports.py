"""What a check of gradients found, as numbers and in words."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.ir import OperatorIdentifier

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class InputGradient:
    """The gradient of one input, compared with finite differences."""

    index: int
    name: str
    """What the operator's definition or schema calls the input; "" if they do not."""
    shape: tuple[int, ...]
    checked: int
    """How many of its elements were moved; 0 if the input was not checked."""
    why: str = ""
    """Why it was not checked."""
    wrong: int = 0
    """How many elements are out of tolerance."""
    worst: tuple[int, ...] = ()
    """The element that is furthest out of tolerance, or nearest to it."""
    analytic: float = 0.0
    """The gradient operator's value there."""
    numeric: float = 0.0
    """The finite difference there."""
    allowed: float = 0.0
    """How far apart the two may be there."""
    hint: str = ""
    """What the differences look like, as a sentence."""

    @property
    def ok(self) -> bool:
        """Whether all elements that were checked are within tolerance."""
        return self.wrong == 0

    @property
    def who(self) -> str:
        """The input, for messages."""
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
    """What `gradcheck` found, an item for each input."""

    operator: OperatorIdentifier
    source: str
    """Who registered the operator."""
    dtype: str
    """The floating-point type that the operator ran in."""
    note: str
    """Why that is not float64; "" if it is."""
    rtol: float
    atol: float
    step: float
    """How far each element was moved, times its magnitude where that is above 1."""
    seed: int
    """Of random inputs, of the outputs' weights, and of the operator's own random numbers."""
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
    """`found` with the comparison of values at the elements `at`; the hint is the caller's."""
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
    """What a wrong gradient looks like beside the right one, as a sentence; "" if like nothing."""
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
