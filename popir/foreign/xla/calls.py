"""Custom calls as operators of a Builder: `custom_call`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.builder import Builder
from popir.builder.tensor_id import builder_of
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.foreign.xla import attributes as typed_attributes
from popir.foreign.xla import libraries, shapes, targets
from popir.foreign.xla.operator import (
    CUSTOM_CALL,
    VERSIONS,
    CustomCallGradient,
    bytes_of,
    check_target,
    gradient_text,
)
from popir.foreign.xla.shapes import Array, Shape, Tuple
from popir.typed import typed


@dataclass(frozen=True)
class Token:
    """A token of XLA: it only says which custom call comes first."""

    id: str
    """The tensor without elements that stands for it in the model."""


@typed
def create_token(builder: Builder) -> Token:
    """A token that waits for nothing, for the first of some custom calls in order."""
    return Token(builder.aiOnnx.constant(np.zeros([0], np.uint8), "token"))


@typed
def custom_call(
    target: str,
    operands: Any,
    result_shapes: Any,
    *,
    opaque: str | bytes = b"",
    attributes: Mapping[str, Any] | None = None,
    api_version: int = 1,
    gradient: str | CustomCallGradient | None = None,
    platform: str = "Host",
    library: str | os.PathLike[str] = "",
    has_side_effect: bool = False,
    output_operand_aliases: Mapping[int, int] | None = None,
    operand_layouts: Sequence[Sequence[int] | None] | None = None,
    time_limit: float = 0.0,
    name: str = "",
    builder: Builder | None = None,
) -> Any:
    """Adds a custom call of XLA, and returns its result.

    Args:
        target: the name under which the function is registered for the platform; or, with
            `library`, a symbol in it.
        operands: ids of tensors, or Tokens; a list in the list is a tuple.
        result_shapes: the shape of the result: "f32[2,3]", a TensorInfo, ("float32", [2, 3]), an
            object with `dtype` and `shape`, or a list of these for a tuple. A layout may follow
            text, as in "f32[2,3]{0,1}".
        opaque: bytes for the function.
        attributes: for API version 4: numbers, text, lists and dicts, by name. numpy's numbers keep
            their types; a bool, int and float of Python are pred, s64 and f64.
        api_version: 1 for the original interface, 2 with a status, 3 with a status and opaque bytes
            also on Host, 4 for handlers of the typed FFI.
        gradient: the target that computes the gradients, or a CustomCallGradient. Without it,
            nothing can be trained through the call.
        platform: "Host", or "CUDA" or "ROCM" for functions that queue work on a stream.
        library: the library with the target, if it is not registered. Another library than the one
            that has registered the target is an error.
        has_side_effect: whether the call is made even if nobody reads its result.
        output_operand_aliases: results by number, and the operands whose memory they have.
        operand_layouts: for each operand its dimensions in memory, from the one whose neighbours
            are adjacent; None for row-major.
        time_limit: the longest time that the call may take, in seconds; 0 for any.
        name: the name of the node.
        builder: the model to add it to; by default that of the operands.

    Returns the id of the result; for a tuple, a list, nested as the shapes are. Raises
    OperatorAttributeError or OperatorInputError for wrong arguments. The target is looked up when a
    session is made.
    """
    who = f"The custom call to '{target}'"
    check_target(who, target)
    if api_version not in VERSIONS:
        raise OperatorAttributeError(f"{who}: the API version is {api_version}; known are 1 to 4.")
    given = _sequence(operands)
    if given is None:
        raise OperatorInputError(
            f"{who}: its operands are {operands!r}; expected is a list of tensor ids."
        )
    ids: list[str] = []
    structure = _structure(who, given, ids)
    structure = _with_layouts(who, structure, operand_layouts)
    result = shapes.shape_of(who, result_shapes)
    leaves = [*shapes.leaves(result)]
    if not leaves:
        raise OperatorAttributeError(f"{who}: its result must have at least one array.")
    if isinstance(gradient, str):
        gradient = CustomCallGradient(gradient)
    platform = targets.platform_of(who, platform)
    values: dict[str, Any] = {
        "target": target,
        "result": str(result),
        "operands": "" if _is_plain(structure) else str(structure),
        "platform": platform,
        "api_version": api_version,
        "opaque": bytes_of(opaque),
        "attributes": typed_attributes.encoded(who, attributes or {}),
        "output_operand_aliasing": [
            i for pair in (output_operand_aliases or {}).items() for i in pair
        ],
        "library": _library(who, target, platform, str(library)),
        "has_side_effect": int(has_side_effect),
        "time_limit": float(time_limit),
        "gradient": gradient_text(who, gradient),
    }
    defaults: dict[str, Any] = {"platform": "Host", "api_version": 1}
    values = {
        key: v for key, v in values.items() if v not in ("", b"", 0, []) and v != defaults.get(key)
    }
    made = builder_of("custom_call", ids, builder).customOp(
        CUSTOM_CALL.type,
        CUSTOM_CALL.version,
        CUSTOM_CALL.domain,
        ids,
        values,
        len(leaves),
        name,
    )
    rest = iter(made)
    return shapes.rebuilt(result, lambda leaf: _output(leaf, next(rest)))


def _library(who: str, target: str, platform: str, library: str) -> str:
    """The library of a target. Raises OperatorAttributeError if the target that is registered is
    not that of the library which is given.
    """
    allowed = libraries.allow("custom_call", library) if library else ""
    found = targets.library_of(target, platform)
    if allowed and found is not None and os.path.realpath(found) != allowed:
        other = f"the library '{found}'" if found else "register_custom_call_target"
        raise OperatorAttributeError(
            f"{who}: its library is '{allowed}', but {other} has registered a target of that name "
            f"for {platform}, and a name has one target. Leave 'library' out to call that one."
        )
    return found or allowed


def _output(leaf: Array, id: str) -> str | Token:
    return Token(id) if leaf.kind == shapes.TOKEN else id


def _sequence(given: Any) -> list[Any] | None:
    return [*given] if isinstance(given, (list, tuple)) else None


def _structure(who: str, given: Sequence[Any], ids: list[str]) -> Tuple:
    """The operands with ids in place of tensors, which are appended to `ids`."""
    elements: list[Shape] = []
    for each in given:
        inner = _sequence(each)
        if inner is not None:
            elements.append(_structure(who, inner, ids))
        elif isinstance(each, Token):
            ids.append(each.id)
            elements.append(Array(shapes.TOKEN))
        elif isinstance(each, str):
            ids.append(each)
            elements.append(Array(shapes.ANY))
        else:
            raise OperatorInputError(
                f"{who}: an operand is {each!r}; expected is a tensor id, a Token, or a list of "
                "these for a tuple."
            )
    return Tuple(tuple(elements))


def _with_layouts(
    who: str, structure: Tuple, layouts: Sequence[Sequence[int] | None] | None
) -> Tuple:
    if layouts is None:
        return structure
    if len(layouts) != len(structure.elements):
        raise OperatorAttributeError(
            f"{who}: there are {len(layouts)} operand_layouts for {len(structure.elements)} "
            "operands."
        )
    elements: list[Shape] = []
    for i, (each, layout) in enumerate(zip(structure.elements, layouts, strict=True)):
        if layout is not None and not (isinstance(each, Array) and each.kind == shapes.ANY):
            raise OperatorAttributeError(f"{who}: operand {i} is {each}, which has no layout.")
        if layout is not None:
            if sorted(layout) != [*range(len(layout))]:
                raise OperatorAttributeError(
                    f"{who}: the layout {[*layout]} of operand {i} must have each dimension once."
                )
            each = Array(shapes.ANY, (), tuple(layout))
        elements.append(each)
    return Tuple(tuple(elements))


def _is_plain(structure: Tuple) -> bool:
    return all(each == Array(shapes.ANY) for each in structure.elements)
