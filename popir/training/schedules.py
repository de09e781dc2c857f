"""Schedules of the learning rate: each is a formula, and a row of `SCHEDULES`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from popir.errors import did_you_mean, popart_exception
from popir.typed import typed


@dataclass(frozen=True)
class Kind:
    """A formula: the factor at a step of so many, both counted from the end of the warm-up."""

    formula: Callable[[Schedule, int, int], float]
    needs: tuple[str, ...] = ()
    """The settings that must be given."""
    takes: tuple[str, ...] = ()
    """The settings that may be given."""


def _linear(schedule: Schedule, step: int, steps: int) -> float:
    return 1 + (schedule.end - 1) * (step / steps)


def _cosine(schedule: Schedule, step: int, steps: int) -> float:
    return schedule.end + (1 - schedule.end) * (1 + math.cos(math.pi * step / steps)) / 2


def _step(schedule: Schedule, step: int, _: int) -> float:
    assert schedule.every is not None
    return schedule.gamma ** (step // schedule.every)


SCHEDULES = {
    "constant": Kind(lambda schedule, step, steps: 1.0),
    "linear": Kind(_linear, ("steps",), ("end",)),
    "cosine": Kind(_cosine, ("steps",), ("end",)),
    "step": Kind(_step, ("every",), ("gamma",)),
}
"""The schedules by name. After the warm-up, t steps of T, the factor is that of PyTorch's
ConstantLR (1), LinearLR (1 + (end - 1) t / T), CosineAnnealingLR
(end + (1 - end) (1 + cos(pi t / T)) / 2) or StepLR (gamma ** (t // every)).
"""


@typed
class Schedule:
    """The learning rate of each step, as a factor of the optimizer's.

    Args:
        kind: "constant", "linear", "cosine" or "step": see `SCHEDULES`.
        steps: the step at which "linear" and "cosine" reach `end`, where they stay; the warm-up is
            part of it.
        warmup: the steps before the schedule begins, in which the factor rises by equal parts: it
            is (step + 1) / (warmup + 1), as PyTorch's LinearLR has it.
        end: the last factor of "linear" and "cosine"; by default 0.
        every: the steps after which "step" multiplies the factor by `gamma`.
        gamma: that number; by default 0.1.

    Raises popart_exception for another kind, and for a setting that is missing, out of range, or
    not one of the kind.
    """

    def __init__(
        self,
        kind: str = "constant",
        steps: int | None = None,
        warmup: int = 0,
        end: float | None = None,
        every: int | None = None,
        gamma: float | None = None,
    ) -> None:
        if kind not in SCHEDULES:
            raise popart_exception(
                f"Schedule: there is no kind {kind!r}; there are {', '.join(SCHEDULES)}."
                f"{did_you_mean(kind, SCHEDULES)}"
            )
        given = {"steps": steps, "end": end, "every": every, "gamma": gamma}
        found = SCHEDULES[kind]
        for name, value in given.items():
            if value is None and name in found.needs:
                raise popart_exception(
                    f"Schedule: the kind {kind} needs {name}, a number of steps."
                )
            if value is not None and name not in (*found.needs, *found.takes):
                raise popart_exception(
                    f"Schedule: {name} = {value:g} does nothing for the kind {kind}; leave it out."
                )
        for name, number, least in (
            ("warmup", warmup, 0),
            ("steps", steps, 1),
            ("every", every, 1),
        ):
            if number is not None and not least <= number < 1 << 63:
                raise popart_exception(
                    f"Schedule: {name} = {number}; it is at least {least}, and fits 64 bits."
                )
        for name, factor in (("end", end), ("gamma", gamma)):
            if factor is not None and not 0 <= factor <= 1:
                raise popart_exception(f"Schedule: {name} = {factor:g}; it is from 0 to 1.")
        if steps is not None and warmup >= steps:
            raise popart_exception(
                f"Schedule: warmup = {warmup} leaves nothing of {steps} steps; it must be less."
            )
        self.kind, self.steps, self.warmup, self.every = kind, steps, warmup, every
        self.end = 0.0 if end is None else end
        self.gamma = 0.1 if gamma is None else gamma

    def factor(self, step: int) -> float:
        """What the learning rate is multiplied by in a step; the first is 0.

        Raises popart_exception for a negative step.
        """
        if step < 0:
            raise popart_exception(f"Schedule.factor: step = {step}; it is 0 or more.")
        if step < self.warmup:
            return (step + 1) / (self.warmup + 1)
        after, steps = step - self.warmup, 0
        if self.steps is not None:
            steps = self.steps - self.warmup
            after = min(after, steps)
        return SCHEDULES[self.kind].formula(self, after, steps)

    def __repr__(self) -> str:
        settings: dict[str, Any] = {"kind": self.kind, "warmup": self.warmup}
        kind = SCHEDULES[self.kind]
        settings |= {name: getattr(self, name) for name in (*kind.needs, *kind.takes)}
        return f"Schedule({', '.join(f'{name}={value!r}' for name, value in settings.items())})"
