"""What is known of an operator before anything implements it: its schema.

ONNX's operators have theirs in `onnx.defs`; those of popir's own domains stand in `schemas/`, one
file each, read by `popir.onnxio.schema_text`. All else follows from a schema: the Builder's
methods, the checks of what an operator is given, and the defaults of attributes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import onnx
import onnx.defs

from popir.definitions import Formal, Formals, OpDefinition
from popir.ir import AttributeKind, AttributeSpec, OperatorIdentifier
from popir.ir.attributes import use_schemas
from popir.onnxio import schema_text
from popir.onnxio.attributes import to_python
from popir.onnxio.schema_text import Schema
from popir.types import DataType

OLDEST_OPSET = 6
"""The oldest opset of ai.onnx that popir reads."""
NEWEST_OPSET = onnx.defs.onnx_opset_version()
"""The newest opset of ai.onnx that the installed onnx describes."""
DEFAULT_OPSET = 10
"""What `Builder.aiOnnx` means, as in PopART."""

_ROOT = Path(__file__).resolve().parents[1]


def find(domain: str, type: str, opset: int) -> Schema | None:
    """The schema in force at `opset`, the version of the domain; None if there is none."""
    versions = _all().get((domain or "ai.onnx", type), {})
    best = max((version for version in versions if version <= opset), default=None)
    return None if best is None else _get(versions, best)


def of(opid: OperatorIdentifier) -> Schema | None:
    """The schema of exactly this operator and version, or None."""
    return _get(_all().get((opid.domain, opid.type), {}), opid.version)


def versions(domain: str, type: str) -> list[int]:
    """The versions in which the operator was introduced or changed, ascending; [] if unknown."""
    return sorted(_all().get((domain or "ai.onnx", type), ()))


def domains() -> set[str]:
    """The domains whose operators have schemas."""
    return {domain for domain, _ in _all()}


@functools.cache
def in_force(domain: str, opset: int) -> dict[str, Schema]:
    """The operators of a domain at a version of it, by the name of their Builder method."""
    found = (find(domain, type, opset) for d, type in _all() if d == domain)
    return {schema.method: schema for schema in found if schema is not None}


def names(domain: str) -> list[str]:
    """The names of all operators of a domain."""
    return [type for d, type in _all() if d == domain]


@functools.cache
def definition(opid: OperatorIdentifier) -> OpDefinition | None:
    """The check that the schema of this operator amounts to; None without a schema."""
    schema = of(opid)
    if schema is None:
        return None
    return OpDefinition(schema.inputs, schema.outputs, dict.fromkeys(schema.attributes, "*"))


def attributes(opid: OperatorIdentifier) -> Mapping[str, AttributeSpec] | None:
    """The attributes that the operator's schema declares; None without a schema."""
    schema = of(opid)
    return None if schema is None else schema.attributes


use_schemas(attributes)


_Versions = dict[int, "Schema | onnx.defs.OpSchema"]


@functools.cache
def _all() -> dict[tuple[str, str], _Versions]:
    """Every operator by domain and name; ONNX's schemas are converted when they are asked for."""
    found: dict[tuple[str, str], _Versions] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        # Libraries register theirs with onnx.defs too, whenever they are loaded.
        if not schema.deprecated and schema.domain.startswith(("ai.onnx", "")[not schema.domain]):
            key = (schema.domain or "ai.onnx", schema.name)
            found.setdefault(key, {})[schema.since_version] = schema
    for path in sorted(_folder().glob("*/*.txt")):
        own = schema_text.parse(path.read_text(encoding="utf-8"), path.parent.name, str(path))
        found.setdefault((own.opid.domain, own.opid.type), {})[own.opid.version] = own
    return found


def _folder() -> Path:
    """`schemas/` of a source tree, else the copy in the installed package."""
    source = (_ROOT.parent / "pyproject.toml").exists()
    return _ROOT.parent / "schemas" if source else _ROOT / "share" / "schemas"


def _get(versions: _Versions, version: int) -> Schema | None:
    found = versions.get(version)
    if isinstance(found, onnx.defs.OpSchema):
        found = versions[version] = _from_onnx(found)
    return found


def _from_onnx(schema: onnx.defs.OpSchema) -> Schema:
    method = schema.name.lower()
    return Schema(
        OperatorIdentifier(schema.domain, schema.name, schema.since_version),
        f"logical_{method}" if schema.name in _LOGICAL else method,
        Formals(_formal(formal) for formal in schema.inputs),
        Formals(_formal(formal) for formal in schema.outputs),
        {name: _spec(schema.attributes[name]) for name in sorted(schema.attributes)},
        schema.doc or "",
    )


_LOGICAL = {"And", "If", "Not", "Or", "Xor"}
_TYPES = {
    f"tensor({kind})": DataType.of(code)
    for kind, code in (
        ("float", 1),
        ("uint8", 2),
        ("int8", 3),
        ("uint16", 4),
        ("int16", 5),
        ("int32", 6),
        ("int64", 7),
        ("string", 8),
        ("bool", 9),
        ("float16", 10),
        ("double", 11),
        ("uint32", 12),
        ("uint64", 13),
        ("complex64", 14),
        ("complex128", 15),
        ("bfloat16", 16),
        ("float8e4m3fnuz", 18),
        ("float8e5m2fnuz", 20),
    )
}


def _formal(formal: onnx.defs.OpSchema.FormalParameter) -> Formal:
    options = onnx.defs.OpSchema.FormalParameterOption
    free = formal.type_str in formal.types or not formal.is_homogeneous
    return Formal(
        formal.name,
        frozenset(_TYPES[kind] for kind in formal.types if kind in _TYPES),
        optional=formal.option == options.Optional,
        variadic=formal.option == options.Variadic,
        least=formal.min_arity,
        constraint="" if free else formal.type_str,
        doc=formal.description,
    )


def _spec(attribute: onnx.defs.OpSchema.Attribute) -> AttributeSpec:
    default = attribute.default_value
    return AttributeSpec(
        attribute.name,
        AttributeKind[cast(Any, attribute.type).name],
        attribute.required,
        to_python(default) if default.type else None,
        attribute.description,
    )
