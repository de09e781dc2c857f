"""What an operator is told besides its attributes, and how its attributes are collected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from popir.typed import typed

if TYPE_CHECKING:
    from popir.ir.graph import Graph


@typed
@dataclass(slots=True)
class OpSettings:
    """What an operator is told besides its attributes. Also `Op.Settings`."""

    graph: Graph
    name: str = ""
    nodeAttributes: dict[str, Any] = field(default_factory=dict)
    """Annotations such as "__ipu_number", by PopART's names: they say how to run, not what to
    compute.
    """

    def copy(self, name: str | None = None) -> OpSettings:
        """A copy of its own, under another name if one is given."""
        return OpSettings(
            self.graph, self.name if name is None else name, dict(self.nodeAttributes)
        )


class OpSerialiser:
    """Collects the attributes of an operator, for hashing, comparing and printing."""

    def __init__(self) -> None:
        self.attributes: dict[str, Any] = {}

    def appendAttribute(self, name: str, value: Any) -> None:
        """Adds one attribute; a later value of the same name replaces an earlier one."""
        self.attributes[name] = value
