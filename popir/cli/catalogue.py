"""The description of a registered operator, from its definition, its schema or its class."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from popir import host, registry
from popir.definitions import Formal, OpDefinition
from popir.errors import LeavesDeviceError, UnknownOperatorError
from popir.foreign.habana.operators import NODE_ATTRIBUTES, HpuOpBase
from popir.foreign.habana.specs import Signature
from popir.foreign.xla.operator import TARGET_DOMAINS
from popir.ir import AttributeSpec, Op
from popir.onnxio import schemas
from popir.registry import OpEntry
from popir.types import TRAINABLE

ANY = "?"
"""Shown if nothing is known of inputs, outputs or attributes."""


def is_target(entry: OpEntry) -> bool:
    """Whether the operator is a target of XLA's custom calls."""
    return entry.opid.domain in TARGET_DOMAINS.values()


def origin(entry: OpEntry) -> str:
    """Where the operator comes from: "built in", the file of a Python module, or a library."""
    if entry.source != registry.PYTHON:
        return entry.source
    if is_target(entry):
        return "register_custom_call_target"
    name = entry.opClass.__module__
    return getattr(sys.modules.get(name), "__file__", None) or f"Python module {name}"


ON_HOST = "built in, on the host"


def on_host() -> list[OpEntry]:
    """The operators that run on the host alone, as entries: no Op stands behind them."""
    return [
        OpEntry(each.opid, Op, None, _no_factory, True, ON_HOST, False)
        for each in host.registered()
        if not registry.versions(each.opid.domain, each.opid.type)
    ]


def _no_factory(info: registry.OpCreatorInfo) -> Op:
    raise LeavesDeviceError(f"{info.opid} runs on the host.")


def versions(entry: OpEntry) -> list[int]:
    """The versions of the operator that are there."""
    opid = entry.opid
    find = host.versions if entry.source == ON_HOST else registry.versions
    return find(opid.domain, opid.type)


def named(text: str) -> OpEntry:
    """The newest version of an operator, or the one that is named; see `registry.named`."""
    try:
        return registry.named(text)[0]
    except UnknownOperatorError:
        name, _, version = text.partition(":")
        found = [
            entry
            for entry in on_host()
            if name in (entry.opid.type, f"{entry.opid.domain}.{entry.opid.type}")
            and version in ("", str(entry.opid.version))
        ]
        if not found:
            raise
        return found[-1]


def definition(entry: OpEntry) -> OpDefinition | None:
    """The operator's own definition, or that of its schema; None if there is neither."""
    if issubclass(entry.opClass, HpuOpBase):
        return entry.opClass.registration.signature.definition()
    return entry.definition or schemas.definition(entry.opid)


def has_gradient(entry: OpEntry) -> bool:
    """Whether the operator has gradient operators, at least for some types."""
    known = definition(entry)
    # The graphs of an operator read tensors that are no inputs of it.
    carried = (
        known is None
        or getattr(entry.opClass, "importsSubgraphs", False)
        or all(
            not all_ or any(not each.types or each.types & TRAINABLE for each in all_)
            for all_ in (known.inputs, known.outputs)
        )
    )
    stops = getattr(entry.opClass, "stopsGradient", False)
    return entry.hasGradOps and carried and not stops


def signature(formals: Iterable[Formal] | None) -> str:
    """Names of inputs or outputs in one line: `[optional]`, `variadic...`."""
    if formals is None:
        return ANY
    return ", ".join(_name(formal) for formal in formals) or "-"


def _name(formal: Formal) -> str:
    name = f"{formal.name}..." if formal.variadic else formal.name
    return name if formal.required else f"[{name}]"


def formals(entry: OpEntry, what: str) -> list[Formal] | None:
    """The operator's "inputs" or "outputs"; None if nothing is known of them."""
    known = definition(entry)
    found = list(getattr(known, what)) if known else []
    # A library may define attributes alone.
    return found if found or (known and entry.definition is not known) else None


def formal_json(formal: Formal) -> dict[str, Any]:
    """One input or output as a dict of JSON values."""
    return {
        "name": formal.name,
        "types": sorted(kind.name for kind in formal.types),
        "optional": not formal.required,
        "variadic": formal.variadic,
        "doc": formal.doc,
    }


def attributes(entry: OpEntry) -> list[dict[str, Any]] | None:
    """The attributes of an operator; None if nothing is known of them.

    Each is a dict with name, type, required, default, values (a regular expression) and doc.
    """
    if issubclass(entry.opClass, HpuOpBase):
        return _by_registration(entry.opClass.registration.signature)
    specs = schemas.attributes(entry.opid)
    declared = {} if entry.opClass.openAttributes else _by_class(entry.opClass)
    if entry.definition is not None and (registry.is_library(entry.source) or specs is None):
        own = entry.definition.attributes
        return [{**declared.get(n, _attribute(n)), "values": own[n]} for n in own]
    if specs is not None:
        return [_by_schema(spec) for spec in specs.values()]
    return None if entry.opClass.openAttributes else list(declared.values())


def _by_class(opClass: type[Op]) -> dict[str, dict[str, Any]]:
    return {
        name: _attribute(
            name,
            type=each.kind.name if each.kind else ANY,
            required=not each.optional and not hasattr(opClass, each.member),
            default=getattr(opClass, each.member, None),
        )
        for name, each in opClass.declaredAttributes().items()
    }


def _by_schema(spec: AttributeSpec) -> dict[str, Any]:
    default = spec.shown_default
    return _attribute(
        spec.name, type=spec.kind.name, required=spec.required, default=default, doc=spec.doc
    )


def _by_registration(signature: Signature) -> list[dict[str, Any]]:
    """The attributes of an operator for Habana's accelerators, and those of all its nodes."""
    inferred = signature.inferred()
    own = [
        _attribute(
            name,
            type=each.kind,
            required=each.default is None and name not in inferred,
            default=each.default,
            values=", ".join(each.allowed) or None,
        )
        for name, each in signature.attributes.items()
    ]
    return own + [_by_schema(spec) for spec in NODE_ATTRIBUTES]


def _attribute(name: str, **known: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "type": ANY, "required": False, "default": None}
    found |= {"values": None, "doc": "", **known}
    if not isinstance(found["default"], (int, float, str, list, type(None))):
        found["default"] = str(found["default"])
    return found


def names(known: list[dict[str, Any]] | None) -> str:
    """Names of attributes in one line; optional ones in brackets."""
    if known is None:
        return ANY
    shown = (each["name"] if each["required"] else f"[{each['name']}]" for each in known)
    return ", ".join(shown) or "-"


def described(entry: OpEntry, versions: Iterable[int], lowerings: Mapping[Any, list[str]]) -> Any:
    """The whole description of an operator as JSON values."""
    inputs, outputs = formals(entry, "inputs"), formals(entry, "outputs")
    schema = schemas.of(entry.opid)
    return {
        "domain": entry.opid.domain,
        "name": entry.opid.type,
        "version": entry.opid.version,
        "versions": list(versions),
        "from": origin(entry),
        "inputs": None if inputs is None else [formal_json(each) for each in inputs],
        "outputs": None if outputs is None else [formal_json(each) for each in outputs],
        "attributes": attributes(entry),
        "gradient": has_gradient(entry),
        "lowerings": lowerings.get(entry.opid, []),
        "doc": schema.doc if schema else "",
    }
