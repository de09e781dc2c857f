"""Operator schemas: what is known of an operator without its implementation.

ONNX's operators have schemas in `onnx.defs`. Those of popir's own domains are in the folder
`schemas/`, one file each, in the form of `popir.onnxio.schema_text`. The Builder's methods, the
checks of an operator's arguments and the defaults of attributes come from schemas.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import onnx
import onnx.defs

from popir.definitions import Formal, Formals, OpDefinition
from popir.ir import AttributeKind, AttributeSpec, OperatorIdentifier
from popir.ir.attributes import use_schemas
from popir.onnxio import schema_text
from popir.onnxio.attributes import to_python
from popir.onnxio.schema_text import TRUTHS, Schema
from popir.types import FLOAT8, DataType

OLDEST_OPSET = 6
"""The oldest opset of ai.onnx that popir reads."""
NEWEST_OPSET = onnx.defs.onnx_opset_version()
"""The newest opset of ai.onnx in the installed onnx."""
defaultAiOnnxOpset = DEFAULT_OPSET = 10
"""The opset of `Builder.aiOnnx`, as in PopART."""
defaultAiOnnxMlOpset = defaultAiGraphcoreOpset = 1
"""The opsets of `Builder.aiOnnxMl` and `Builder.aiGraphcore`."""

_ROOT = Path(__file__).resolve().parents[1]


@functools.lru_cache(4096)  # Asked for at each node of a model.
def find(domain: str, type: str, opset: int) -> Schema | None:
    """The schema that applies at `opset`, the version of the domain; None if there is none."""
    versions = _versions(domain or "ai.onnx", type)
    best = max((version for version in versions if version <= opset), default=None)
    return None if best is None else _get(versions, best)


def of(opid: OperatorIdentifier) -> Schema | None:
    """The schema of exactly this operator and version; None if there is none."""
    return _get(_versions(opid.domain, opid.type), opid.version)


def versions(domain: str, type: str) -> list[int]:
    """The versions that introduced or changed the operator, ascending; [] if it is unknown."""
    return sorted(_versions(domain or "ai.onnx", type))


def domains() -> set[str]:
    """The domains with operators that have schemas."""
    return {domain for domain, _ in _all()}


@functools.cache
def in_force(domain: str, opset: int) -> dict[str, Schema]:
    """The schemas that apply at an opset of a domain, by the name of the Builder's method."""
    found = (find(domain, type, opset) for d, type in _all() if d == domain)
    return {schema.method: schema for schema in found if schema is not None}


def names(domain: str) -> list[str]:
    """The types of all operators of a domain."""
    return [type for d, type in _all() if d == domain]


@functools.cache
def definition(opid: OperatorIdentifier) -> OpDefinition | None:
    """The OpDefinition that follows from the schema of this operator; None without a schema."""
    schema = of(opid)
    if schema is None:
        return None
    attributes = (*schema.attributes, *_BEYOND_ONNX.get((opid.type, opid.version), ()))
    return OpDefinition(schema.inputs, schema.outputs, dict.fromkeys(attributes, "*"))


def attributes(opid: OperatorIdentifier) -> Mapping[str, AttributeSpec] | None:
    """The attributes in the operator's schema, by name; None without a schema."""
    schema = of(opid)
    return None if schema is None else schema.attributes


use_schemas(attributes)


_BEYOND_ONNX = {("Resize", 10): ("nearest_mode",)}
"""Attributes that PopART takes and ONNX's schema does not have, by type and version."""


class _Own(NamedTuple):
    """A schema in `schemas/` that nobody has asked for yet."""

    text: str
    path: Path


_Versions = dict[int, "Schema | onnx.defs.OpSchema | _Own"]


@functools.cache
def _all() -> dict[tuple[str, str], None]:
    """The domains and types of all operators that have schemas, in order. All schemas of ONNX take
    15 MiB: a session asks for those of its operators alone.
    """
    given = onnx.defs.get_all_schemas_with_history()
    named = dict.fromkeys((schema.domain or "ai.onnx", schema.name) for schema in given)
    found = [key for key in named if _versions(*key)]
    own = ((domain, type) for domain in sorted(_domains()) for type in _own(domain))
    return dict.fromkeys([*found, *own])


@functools.lru_cache(4096)  # Models, which are not trusted, name the operators.
def _versions(domain: str, type: str) -> _Versions:
    """The schemas of an operator by version. Each is converted at its first use."""
    found: _Versions = {}
    if domain.startswith("ai.onnx"):  # Others are those that operator libraries have registered.
        for schema in _history("" if domain == "ai.onnx" else domain, type):
            # One that is deprecated has no meaning, unless a function defines it.
            has_function = getattr(schema, "has_context_dependent_function")  # noqa: B009
            if not schema.deprecated or has_function:
                found[schema.since_version] = schema
    return found | (_own(domain).get(type, {}) if domain in _domains() else {})


@functools.cache
def _own(domain: str) -> dict[str, _Versions]:
    """The schemas in `schemas/` of a domain that has some, by type, then by version."""
    found: dict[str, _Versions] = {}
    for path in sorted((_folder() / domain).glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        own = schema_text.identifier(text, domain, str(path))
        found.setdefault(own.type, {})[own.version] = _Own(text, path)
    return found


@functools.cache
def _domains() -> set[str]:
    """The domains that have schemas in `schemas/`."""
    return {path.name for path in _folder().iterdir() if path.is_dir()}


@functools.lru_cache(4096)
def _history(domain: str, type: str) -> list[onnx.defs.OpSchema]:
    """ONNX's schemas of an operator, ascending by version."""
    found: list[onnx.defs.OpSchema] = []
    version = _NEWEST
    while version > 0:
        try:
            found.insert(0, onnx.defs.get_schema(type, version, domain))
        except onnx.defs.SchemaError:
            break
        version = found[0].since_version - 1
    return found


_NEWEST = 2**31 - 1
"""No version of an operator is newer."""


def _folder() -> Path:
    """The folder `schemas/` of the source tree, or its copy in an installed package."""
    source = (_ROOT.parent / "pyproject.toml").exists()
    return _ROOT.parent / "schemas" if source else _ROOT / "share" / "schemas"


def _get(versions: _Versions, version: int) -> Schema | None:
    found = versions.get(version)
    if isinstance(found, onnx.defs.OpSchema):
        found = versions[version] = _from_onnx(found)
    elif isinstance(found, _Own):
        own = schema_text.parse(found.text, found.path.parent.name, str(found.path))
        found = versions[version] = own
    return found


def _from_onnx(schema: onnx.defs.OpSchema) -> Schema:
    method = schema.name.lower()
    inputs = Formals(_input(schema, i) for i in range(len(schema.inputs)))
    if schema.domain == "" and schema.name in _SCALED:
        inputs.scaled = _of_eight_bits(inputs)
    return Schema(
        OperatorIdentifier(schema.domain, schema.name, schema.since_version),
        f"logical_{method}" if schema.name in _LOGICAL else method,
        inputs,
        Formals(_formal(formal) for formal in schema.outputs),
        {name: _spec(schema.attributes[name]) for name in sorted(schema.attributes)},
        schema.doc or "",
    )


_LOGICAL = {"And", "If", "Not", "Or", "Xor"}
_SCALED = {"MatMul", "Conv", "ConvTranspose"}
"""The contractions that PopART has for 8-bit floats, with the logarithm of a scale as input 2."""


def _of_eight_bits(inputs: Formals) -> Formals:
    """The inputs of such a contraction. Its setup() checks that one operand goes with the other,
    and that there is a scale.
    """
    operands = [Formal(formal.name, FLOAT8) for formal in inputs[:2]]
    doc = "the logarithm of a scale, a scalar in [-32, 32)"
    scale = Formal("log2_scale", frozenset({DataType.INT32}), optional=True, doc=doc)
    return Formals([*operands, scale])


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
        *(("float8e4m3fn", 17), ("float8e4m3fnuz", 18), ("float8e5m2", 19)),
        *(("float8e5m2fnuz", 20), ("float8e8m0", 24)),
        *(("float6e2m3", 27), ("float6e3m2", 28), ("float4e2m1", 23)),
        *(("uint4", 21), ("int4", 22), ("uint2", 25), ("int2", 26)),
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


def _input(schema: onnx.defs.OpSchema, i: int) -> Formal:
    """An input, with what newer versions of the operator take at its place."""
    found = _formal(schema.inputs[i])
    newer = [
        _formal(each.inputs[i])
        for each in _history(schema.domain, schema.name)
        if each.since_version > schema.since_version and i < len(each.inputs)
    ]
    later = {kind for each in newer for kind in each.types} if found.types else set[DataType]()
    later |= _READ.get((schema.domain, schema.name, i), set())
    last = newer[-1] if newer else found
    spared = last.optional
    return replace(
        found, later=frozenset(later), apart=last.constraint, spared=spared, converts=True
    )


_READ = {
    ("", "Gather", 1): {DataType.UINT32},
    ("", "Gather", 0): FLOAT8,
    ("", "Slice", 0): FLOAT8,
    ("", "Concat", 0): FLOAT8,
    ("", "RoiAlign", 2): {DataType.INT32},
    ("", "Split", 0): FLOAT8,
}
"""Types that an input may have as it is, although ONNX does not name them: those that programs for
PopART use, whose operators in C++ look for them behind a Gather, and 8-bit floats that are moved.
"""


def _spec(attribute: onnx.defs.OpSchema.Attribute) -> AttributeSpec:
    default = attribute.default_value
    kind = AttributeKind[cast(Any, attribute.type).name]
    return AttributeSpec(
        attribute.name,
        kind,
        attribute.required,
        to_python(default) if default.type else None,
        attribute.description,
        kind is AttributeKind.INT and attribute.name in TRUTHS,
    )
