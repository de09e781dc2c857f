"""The numbers of optimizers: `OptimizerValue`, `OptimizerValueMap`, and how they are read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from popir.errors import popart_exception
from popir.typed import typed
from popir.types import DataType, require_finite, rounded


@typed
@dataclass(frozen=True)
class OptimizerValue:
    """A number of an optimizer. If `isConst`, it is compiled in and cannot be changed; else
    `TrainingSession.updateOptimizerFromHost` can change it. PopART's class of this name.
    """

    val: float
    """The number itself."""
    isConst: bool = True


Given = Mapping[str, "tuple[float | bool, bool] | OptimizerValue"]

ABOVE_0 = frozenset({"velocityScaling", "eps"})
"""The numbers that must be above 0; the loss scaling must not be 0, all others at least 0."""
BELOW_1 = frozenset({"beta1", "beta2"})
"""The numbers that must be below 1: what is left of 1 is divided by."""


@typed
class OptimizerValueMap:
    """One number of an optimizer: a default, and values for single weights. PopART's class of this
    name.
    """

    def __init__(self, default: OptimizerValue, specific: Mapping[str, OptimizerValue]) -> None:
        self._default = default
        self._specific = dict(specific)

    def getDefault(self) -> OptimizerValue:
        """The value for weights that have no specific one."""
        return self._default

    def get(self, weight: str) -> OptimizerValue:
        """The value for `weight`: the specific one, or the default."""
        return self._specific.get(weight, self._default)

    def hasSpecific(self, weight: str) -> bool:
        """Whether `weight` has a specific value."""
        return weight in self._specific


def specific_key(key: str) -> str:
    """The key of insertSpecific for a key of the constructor: "momentum" for "defaultMomentum"."""
    name = key.removeprefix("default")
    return name[:1].lower() + name[1:]


def combined(value: float, *parts: OptimizerValue) -> OptimizerValue:
    """A number that is computed from others: constant if all of them are."""
    return OptimizerValue(value, all(part.isConst for part in parts))


def parsed(
    who: str, values: Given, known: Sequence[str] | Mapping[str, float]
) -> dict[str, OptimizerValue]:
    """The values as OptimizerValues. Raises popart_exception for an unknown key, for what is no
    pair, and for a number that is out of range.
    """
    if not isinstance(values, Mapping):
        first = next(iter(known))
        raise popart_exception(
            f"{who} takes a dictionary of pairs (value, isConst), such as "
            f"{{'{first}': (0.1, True)}}; given was {values!r}."
        )
    found: dict[str, OptimizerValue] = {}
    for key, given in values.items():
        if key not in known:
            raise popart_exception(f"{who} has no value '{key}'; it has {', '.join(known)}.")
        if isinstance(given, OptimizerValue):
            given = (given.val, given.isConst)
        is_pair = isinstance(given, tuple) and len(given) == 2
        if (
            not is_pair
            or not _is_number(given[0], key == "nesterov")
            or not isinstance(given[1], (bool, np.bool_))
        ):
            raise popart_exception(
                f"{who}: '{key}' must be a pair (value, isConst), such as (0.1, True); given was "
                f"{given!r}."
            )
        value = OptimizerValue(_float(given[0]), bool(given[1]))
        _check_range(f"{who}: '{key}'", specific_key(key), value.val)
        found[key] = value
    return found


def _is_number(value: object, is_switch: bool) -> bool:
    """Whether a value is a number or, for a switch, True or False."""
    if isinstance(value, (bool, np.bool_)):
        return is_switch
    return isinstance(value, (int, float, np.integer, np.floating))


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # A Python int may exceed float's range.
        return math.inf


def _check_range(who: str, name: str, value: float) -> None:
    """Raises popart_exception, naming `who`, for a value that an update cannot use.

    The device has float32, and divides by the loss scaling and the velocity scaling.
    """
    require_finite(who, value, DataType.FLOAT)
    held = rounded(value, DataType.FLOAT)
    if name == "lossScaling":
        if held:
            return
        what = "not 0 as float32, since gradients are divided by it"
    elif name in ABOVE_0 and held <= 0:
        what = "above 0 as float32, since the update divides by it"
    elif name in BELOW_1 and not 0 <= held < 1:
        what = "at least 0, and below 1 as float32"
    elif value < 0:
        what = "at least 0"
    else:
        return
    raise popart_exception(f"{who} must be {what}; given was {value:g}.")


def check_change(key: str, old: OptimizerValue, new: OptimizerValue) -> None:
    """Raises popart_exception if `new` differs from `old` in what is compiled in."""
    if old.isConst != new.isConst or (old.isConst and old.val != new.val):
        raise popart_exception(
            f"The optimizer's {key} was compiled in as ({old.val}, {old.isConst}) and cannot "
            f"become ({new.val}, {new.isConst}): give it as (value, False) when the session is "
            "made."
        )
