"""What the file of a model says of where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

BUILDER = "popir"
"""The producer of models that a Builder has made, PopART's too."""


@dataclass
class Origin:
    """Who wrote a model, and what the writer says of its initializers."""

    producer: str = BUILDER
    """The file's producer_name, in lower case; "" if it has none."""
    initializers: list[str] = field(default_factory=list)
    """The ids of the initializers, in order."""
    declared: dict[str, str] = field(default_factory=dict)
    """Of initializers that the exporter speaks of: what they are, in words of
    `torch.export.graph_signature.InputKind`: PARAMETER, BUFFER, CONSTANT_TENSOR.
    """
    folded: dict[str, list[str]] = field(default_factory=dict)
    """Of initializers that the exporter has computed: the names of what from."""

    @property
    def keepsUnbiasedVariance(self) -> bool:
        """Whether running variances follow the unbiased variance of a batch. They do in PyTorch,
        whose models name ONNX's operator, which does not.
        """
        return self.producer == "pytorch"

    @property
    def tellsParameters(self) -> bool:
        """Whether the exporter marks what is a parameter, so that all else is none."""
        return bool(self.declared or self.folded)
