"""Ids of tensors that know the Builder that made them: `TensorId`, `builder_of`."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from popir.errors import popart_exception

if TYPE_CHECKING:
    from popir.builder.builder import Builder


class TensorId(str):
    """The id of a tensor in a Builder: text, as in PopART.

    Functions that add operators, such as those of `popir.custom_ops`, find the Builder by it. A
    copy made by an operation on text, or by pickling, is a plain str.
    """

    __slots__ = ("_builder",)
    _builder: weakref.ref[Any]

    def __new__(cls, id: str, builder: weakref.ref[Any]) -> TensorId:
        """The id in the Builder that the reference is for."""
        made = super().__new__(cls, id)
        made._builder = builder
        return made

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)

    @property
    def builder(self) -> Builder | None:
        """The Builder, or None if it is no longer there."""
        found: Builder | None = self._builder()
        return found


def builder_of(who: str, inputs: Sequence[str], builder: Builder | None = None) -> Builder:
    """The Builder that the operator `who` is added to: `builder` if given, else that of the inputs.

    Raises popart_exception if there is none, or if the inputs are of several.
    """
    if builder is not None:
        return builder
    made = [id.builder for id in inputs if isinstance(id, TensorId)]
    found = {b for b in made if b is not None}
    if len(found) == 1:
        return found.pop()
    if found:
        raise popart_exception(
            f"{who}: its inputs are tensors of {len(found)} Builders. Give the one that the "
            "operator is added to as the argument `builder`."
        )
    raise popart_exception(
        f"{who}: none of its inputs is a tensor id that a Builder has returned, so the model it is "
        "added to is not known. Give the argument `builder`."
    )
