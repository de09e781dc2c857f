"""Reserved ids of states in a saved model, with PopART's names."""

from __future__ import annotations


def reservedAcclPrefix() -> str:
    """The prefix of the id of SGD's state of a weight, with Combined accumulator and momentum."""
    return "Accl___"


def reservedAccl1Prefix() -> str:
    """The prefix of the id of SGD's state of a weight, with Separate accumulator and momentum."""
    return "Accl1___"


RANDOM_SEED = "randomSeed___fromHost"
"""The id of the tensor with the random seed: UINT32[2], the lower word first."""
_STATES = (reservedAcclPrefix(), reservedAccl1Prefix())


def weight_of_state(id: str) -> str | None:
    """The weight that `id` is the optimizer state of: "w" for "Accl___w". None for other ids."""
    return next((id[len(prefix) :] for prefix in _STATES if id.startswith(prefix)), None)
