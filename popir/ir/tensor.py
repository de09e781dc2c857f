"""A value that flows through a graph."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import numpy as np

from popir.errors import popart_exception
from popir.types import TensorInfo

if TYPE_CHECKING:
    from popir.ir.graph import Graph
    from popir.ir.op import Op


class TensorType(enum.Enum):
    """Where the value of a tensor comes from."""

    ActGrad = "actgrad"
    """An operator computes it, or a caller passes it to a subgraph."""
    Const = "const"
    """It is known when the model is compiled and never changes."""
    Stream = "stream"
    """The host sends it, anew for each step or batch."""
    Variable = "variable"
    """It stays on the device between steps: a weight or a state."""


class Tensor:
    """One value of a graph: written by at most one operator, read by any number.

    Made by the graph (`addStream`, `addVarInit`, `addConstInit`, `addActGrad`), connected by `Op`.
    """

    __slots__ = (
        "__weakref__",
        "data",
        "graph",
        "id",
        "info",
        "producer",
        "tensorType",
        "twin",
        "uses",
    )

    def __init__(
        self,
        graph: Graph,
        id: str,
        tensorType: TensorType,
        info: TensorInfo | None = None,
        data: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.graph = graph
        self.id = id
        self.tensorType = tensorType
        self.info = info
        """Element type and shape; None until the producer's setup() has run."""
        self.data = data
        """The value of a Const, the initial value of a Variable; None for all others."""
        self.producer: Op | None = None
        self.twin: Any = None
        """What stands for this tensor in C++, once C++ has looked at it."""
        self.uses: dict[Op, int] = {}

    @property
    def consumers(self) -> list[Op]:
        """The operators that read the tensor, one entry a use, in the order of connection."""
        return [op for op, uses in self.uses.items() for _ in range(uses)]

    def hasProducer(self) -> bool:
        """Whether an operator computes the tensor."""
        return self.producer is not None

    def getProducer(self) -> Op:
        """The operator that computes the tensor. Raises popart_exception if there is none."""
        if self.producer is None:
            raise popart_exception(f"{self} has no producer: no operator computes it.")
        return self.producer

    def isConst(self) -> bool:
        """Whether the value is known when the model is compiled."""
        return self.tensorType is TensorType.Const

    def isVariable(self) -> bool:
        """Whether the tensor is a weight or a state."""
        return self.tensorType is TensorType.Variable

    def isStream(self) -> bool:
        """Whether the host sends the tensor."""
        return self.tensorType is TensorType.Stream

    def __repr__(self) -> str:
        return f"Tensor('{self.id}', {self.tensorType.name}, {self.info})"
