"""What `with` takes of a Builder: `AttributeContextManager` and its like, by PopART's names."""

from __future__ import annotations

from collections.abc import Callable


class _ContextManager:
    """Changes a Builder at the beginning of a `with` block, and changes it back at its end. Blocks
    nest, also those of one object.
    """

    def __init__(self, enter: Callable[[], Callable[[], None]]) -> None:
        """`enter` changes the Builder, and returns the function that changes it back."""
        self._enter = enter
        self._exits: list[Callable[[], None]] = []

    def __enter__(self) -> None:
        self._exits.append(self._enter())

    def __exit__(self, *_error: object) -> None:
        self._exits.pop()()


class AttributeContextManager(_ContextManager):
    """What `Builder.virtualGraph`, `pipelineStage` and the like return. PopART's class of this
    name.
    """


class KeyValueContextManager(_ContextManager):
    """What `Builder.outlineAttributes` returns. PopART's class of this name."""


class NameContextManager(_ContextManager):
    """What `Builder.nameScope` returns. PopART's class of this name."""
