"""The operators that models may have: `getSupportedOperations` and its kin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from popir import registry
from popir.definitions import Formal
from popir.ir import OperatorIdentifier
from popir.onnxio import bodies, schemas, sequences
from popir.typed import typed


@dataclass(frozen=True)
class SupportedTensor:
    """An input or output of an operator."""

    name: str
    supportedTensors: list[str]
    """The element types that it takes, by name; empty for any."""
    constant: bool = False
    """Always False: that an input must be constant is no part of a definition here."""


@dataclass(frozen=True)
class SupportedAttribute:
    """An attribute of an operator."""

    supportedValuesRegex: str
    """The regular expression that values match; "*" for any value."""


@dataclass(frozen=True)
class SupportedOperation:
    """What an operator takes and makes."""

    inputs: list[SupportedTensor]
    outputs: list[SupportedTensor]
    attributes: dict[str, SupportedAttribute]


@typed
def getSupportedOperations(includeInternal: bool) -> list[OperatorIdentifier]:
    """The operators that a model may have, also those of loaded libraries. PopART's function of
    this name.

    With `includeInternal` also those that only the compiler makes, such as gradients.
    """
    return sorted(_supported(includeInternal), key=_key)


@typed
def getUnsupportedOperations(opsetVersion: int) -> list[OperatorIdentifier]:
    """The operators of an opset of ai.onnx that are refused in a model. PopART's function of this
    name.
    """
    known = set(_supported(False))
    found = (schema.opid for schema in schemas.in_force("ai.onnx", opsetVersion).values())
    return sorted(set(found) - known, key=_key)


@typed
def getSupportedOperationsDefinition(
    includeInternal: bool,
) -> dict[OperatorIdentifier, SupportedOperation]:
    """What the operators of `getSupportedOperations` take and make; nothing for an operator without
    definition and schema. PopART's function of this name.
    """
    return {opid: _described(opid) for opid in getSupportedOperations(includeInternal)}


def _key(opid: OperatorIdentifier) -> tuple[str, str, int]:
    return opid.domain, opid.type, opid.version


def _supported(internal: bool) -> Iterator[OperatorIdentifier]:
    for entry in registry.entries():
        if entry.isPublic or internal:
            yield entry.opid
    registered = {(entry.opid.domain, entry.opid.type) for entry in registry.entries()}
    for domain in schemas.domains():
        for type in schemas.names(domain):
            if (domain, type) in registered:
                continue
            resolved = domain == "ai.onnx" and type in {"Constant", *sequences.resolved()}
            for version in schemas.versions(domain, type):
                if resolved or bodies.has_body(domain, type, version):
                    yield OperatorIdentifier(domain, type, version)


def _described(opid: OperatorIdentifier) -> SupportedOperation:
    entry, schema = registry.registered(opid), schemas.of(opid)
    known = entry.definition if entry is not None and entry.definition else None
    known = known or schemas.definition(opid)
    attributes = dict.fromkeys(schema.attributes, "*") if schema is not None else {}
    attributes |= known.attributes if known is not None else {}
    return SupportedOperation(
        [_tensor(each) for each in known.inputs] if known is not None else [],
        [_tensor(each) for each in known.outputs] if known is not None else [],
        {name: SupportedAttribute(regex) for name, regex in sorted(attributes.items())},
    )


def _tensor(formal: Formal) -> SupportedTensor:
    return SupportedTensor(formal.name, sorted(kind.name for kind in formal.types))
