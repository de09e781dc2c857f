"""Names of operators, and the maps between an operator and its gradient."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

from popir.typed import typed


@typed
@dataclass(frozen=True, order=True)
class OperatorIdentifier:
    """Which operator, and since which version of its domain.

    The domain "" is ONNX's own, "ai.onnx".
    """

    domain: str
    type: str
    version: int

    def __post_init__(self) -> None:
        if not self.domain:
            object.__setattr__(self, "domain", "ai.onnx")

    def __str__(self) -> str:
        return f"{self.domain}.{self.type}:{self.version}"


class GradOpInType(enum.Enum):
    """What an input of a gradient operator is, seen from the forward operator."""

    In = "In"
    """An input of the forward operator."""
    Out = "Out"
    """An output of the forward operator."""
    GradOut = "GradOut"
    """The gradient of an output of the forward operator."""


@typed
class GradInOutMapper(NamedTuple):
    """Input `iGrad` of a gradient operator is the forward operator's tensor `iNonGrad` of kind
    `type`.
    """

    iGrad: int
    iNonGrad: int
    type: GradOpInType
