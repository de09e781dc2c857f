"""The origin of a model: the tool that wrote its file, and the exporter's metadata."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from popir.ir.graph import Op

BUILDER = "popir"
"""The producer name of models made by a Builder; models made by PopART's Builder count as such."""


@dataclass
class Origin:
    """The tool that wrote a model, and its metadata about the initializers."""

    producer: str = BUILDER
    """The file's `producer_name`, in lower case; "" if it has none."""
    initializers: list[str] = field(default_factory=list)
    """The ids of the initializers, in the file's order."""
    declared: dict[str, str] = field(default_factory=dict)
    """Initializer id to its kind, for the initializers that the exporter annotates. The kinds are
    names of `torch.export.graph_signature.InputKind`: PARAMETER, BUFFER, CONSTANT_TENSOR.
    """
    folded: dict[str, list[str]] = field(default_factory=dict)
    """For initializers that the exporter computed by constant folding: id to the names of the
    tensors it was computed from.
    """

    values: set[str] = field(default_factory=set)
    """The names of inputs, and of what nodes compute; an input's name in PyTorch too."""

    decomposed: dict[str, list[tuple[Op, int]]] = field(default_factory=dict)
    """For initializers that operators took which became others: id to those operators, and which of
    their inputs it was.
    """

    @property
    def keeps_unbiased_variance(self) -> bool:
        """Whether BatchNormalization's running variance is updated with the unbiased variance.

        PyTorch divides by n - 1 there; ONNX's operator, which its exporter writes, divides by n.
        """
        return self.producer == "pytorch"

    @property
    def tells_parameters(self) -> bool:
        """Whether the exporter marks parameters: then an unmarked initializer is not one."""
        return bool(self.declared or self.folded)
