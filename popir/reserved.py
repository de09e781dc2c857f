"""The ids of states that a saved model has; the names are PopART's."""

from __future__ import annotations


def reservedAcclPrefix() -> str:
    """What the id of SGD's state of a weight begins with, in its combined form."""
    return "Accl___"


def reservedAccl1Prefix() -> str:
    """What the id of SGD's state of a weight begins with, in its separate form."""
    return "Accl1___"


RANDOM_SEED = "randomSeed___fromHost"
"""The id of the tensor that holds the random seed: UINT32[2], the lower word first."""
_STATES = (reservedAcclPrefix(), reservedAccl1Prefix())


def weightOfState(id: str) -> str | None:
    """The weight that `id` is, by its name, an optimizer's state of; None if it is no state's."""
    return next((id[len(prefix) :] for prefix in _STATES if id.startswith(prefix)), None)
