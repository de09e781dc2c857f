"""Operator identifiers, and the types that connect an operator to its gradient operator."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

from popir.typed import typed


@typed
@dataclass(frozen=True, order=True)
class OperatorIdentifier:
    """Identifies an operator: domain, type, and the opset version that introduced this definition.

    The domain "" means "ai.onnx". `str` gives "ai.onnx.LeakyRelu:6". Hashable; ordered by domain,
    type and version. PopART's class of this name. Raises popart_exception for an argument of a
    wrong type.
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
    """The source of an input of a gradient operator. PopART's enum of this name."""

    In = "In"
    """An input of the forward operator."""
    Out = "Out"
    """An output of the forward operator."""
    GradOut = "GradOut"
    """The gradient of an output of the forward operator."""


@typed
class GradInOutMapper(NamedTuple):
    """Says which tensor of the forward operator is an input of its gradient operator.

    Input `iGrad` of the gradient operator is the forward operator's input (In), output (Out), or
    output gradient (GradOut) with the index `iNonGrad`. PopART's class of this name. Raises
    popart_exception for an argument of a wrong type.
    """

    iGrad: int
    iNonGrad: int
    type: GradOpInType
