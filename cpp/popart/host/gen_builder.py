"""Writes the operators of ONNX that a Builder in C++ has, from the schemas of the installed onnx:
cpp/include/popart/builder.gen.hpp and cpp/popart/host/builder.gen.cpp.

Run it when onnx or a schema changes: `python cpp/popart/host/gen_builder.py`. A test compares.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from popir.ir import AttributeKind, AttributeSpec
from popir.onnxio import schemas
from popir.onnxio.schema_text import Schema

CPP = Path(__file__).resolve().parents[2]
HEADER = CPP / "include" / "popart" / "builder.gen.hpp"
SOURCE = CPP / "popart" / "host" / "builder.gen.cpp"
OPSETS = range(6, 12)
"""The opsets that PopART's Builder has classes for."""

HEADER_TEXT = """\
// popart/builder.gen.hpp: the operators of ONNX by opset, as methods that add them to a model.
// clang-format off
// Written by cpp/popart/host/gen_builder.py from the schemas of onnx; do not edit.
// Long, because ONNX is. After popart/builder.gen.hpp of PopART 3.
#ifndef popart_builder_gen_hpp
#define popart_builder_gen_hpp

#include <popart/debugcontext.hpp>
#include <popart/domainopset.hpp>
#include <popart/names.hpp>
#include <popart/vendored/optional.hpp>
#include <popart/voiddata.hpp>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {{

class Builder;

// The arguments are ids of inputs, the number of outputs if it is variable, and attributes; those
// without a default stand first. An empty list is an attribute that is left out.

{classes}
}}  // namespace popart

#pragma GCC visibility pop

#endif
"""

SOURCE_TEXT = """\
// The bodies of popart/builder.gen.hpp.
// clang-format off
// Written by cpp/popart/host/gen_builder.py from the schemas of onnx; do not edit.
#include "popart/host/builder.hpp"

namespace popart {{

using popir::python::constantNode;
using popir::python::ids;
using popir::python::node;
using popir::python::valueOf;

{bodies}
}}  // namespace popart
"""

VECTORS = {
    AttributeKind.INTS: "std::vector<int64_t>",
    AttributeKind.FLOATS: "std::vector<float>",
    AttributeKind.STRINGS: "std::vector<std::string>",
}
SCALARS = {AttributeKind.INT: "int64_t", AttributeKind.FLOAT: "float"}


class Parameter:
    """One parameter of a method: its declaration, its default, and its value for Python."""

    def __init__(self, type: str, name: str, default: str | None, value: str = "") -> None:
        self.declaration = f"{type} {name}" if type[-1] != "&" else f"{type[:-1]}& {name}"
        self.default = default
        self.name = name
        self.value = value or name


def attribute(schema: Schema, spec: AttributeSpec) -> Parameter:
    """The parameter for an attribute, with PopART's types."""
    kind, default = spec.kind, spec.default
    if (schema.opid.type, spec.name) == ("Cast", "to") or kind is AttributeKind.STRING:
        text = None if spec.required else f'"{default or ""}"'
        return Parameter("const std::string&", spec.name, text)
    if kind in SCALARS:
        type = SCALARS[kind]
        if spec.required:
            return Parameter(type, spec.name, None)
        if default is None:
            return Parameter(f"nonstd::optional<{type}>", spec.name, f"nonstd::optional<{type}>()")
        is_float = kind is AttributeKind.FLOAT
        return Parameter(type, spec.name, f"{np.float32(default)!s}f" if is_float else str(default))
    if kind in VECTORS:
        type = VECTORS[kind]
        if spec.required:
            return Parameter(f"const {type}&", spec.name, None)
        if schema.opid.type.startswith("Reduce"):  # where an empty list is no axis at all
            type = f"nonstd::optional<{type}>"
        return Parameter(f"const {type}&", spec.name, f"{type}()")
    if kind is AttributeKind.TENSOR:
        return Parameter("const ConstVoidData&", spec.name, None, f"valueOf({spec.name})")
    assert kind is AttributeKind.GRAPH, f"{schema.opid}: {spec.name} has a kind C++ has no type for"
    return Parameter("const Builder&", spec.name, None, f"valueOf({spec.name})")


def variable(schema: Schema) -> bool:
    """Whether the number of outputs is an argument."""
    return any(formal.optional or formal.variadic for formal in schema.outputs)


def parameters(schema: Schema, version: int) -> tuple[list[Parameter], list[Parameter]]:
    """All parameters of a method, and those that are attributes."""
    specs = [s for n, s in schema.attributes.items() if n not in ("num_outputs", "auto_pad")]
    specs = [s for s in specs if s.kind is not AttributeKind.SPARSE_TENSOR]
    if schema.opid.type == "Constant":
        specs = [s for s in specs if s.name == "value"]
    made = [attribute(schema, s) for s in specs]
    made.sort(key=lambda p: p.default is not None)
    first: list[Parameter] = []
    if schema.inputs:
        first.append(Parameter("const std::vector<TensorId>&", "args", None))
    if variable(schema):
        first.append(Parameter("unsigned", "num_outputs", None))
    last: list[Parameter] = []
    if schema.opid.type == "Constant" and version >= 11:
        last.append(Parameter("bool", "is_value_sparse", "false"))
    last.append(Parameter("const DebugContext&", "debugContext", "{}"))
    return [*first, *made, *last], made


class Method:
    """A method for an operator of one opset."""

    def __init__(self, name: str, schema: Schema, version: int) -> None:
        self.name = name
        every, attributes = parameters(schema, version)
        self.several = variable(schema) or len(schema.outputs) > 1
        result = "std::vector<TensorId>" if self.several else "TensorId"
        given = [p.declaration + (f" = {p.default}" if p.default else "") for p in every]
        self.declaration = f"  {result} {name}({', '.join(given)});"
        taken = ", ".join(p.declaration for p in every)
        self.head = f"{result} {{cls}}::{name}({taken}) {{{{"
        names = [p.name for p in every]
        if schema.opid.type == "Constant":
            sparse = "is_value_sparse" if "is_value_sparse" in names else "false"
            call = f"constantNode(*this, value, {sparse}, debugContext)"
        else:
            positional = [n for n in ("args", "num_outputs") if n in names]
            named = ", ".join(f'{{{{"{p.name}", {p.value}}}}}' for p in attributes)
            inputs = f"{{{{{', '.join(positional)}}}}}"
            call = f'node(*this, "{name}", {inputs}, {{{{{named}}}}}, debugContext)'
            call = f"ids({call})" if self.several else f"{call}.text()"
        self.body = f"  return {call};\n}}}}"


def methods(version: int) -> dict[str, Method]:
    """The methods of an opset, by name."""
    known = schemas.in_force("ai.onnx", version)
    return {name: Method(name, known[name], version) for name in sorted(known)}


def texts() -> tuple[str, str]:
    """The header and the source."""
    classes: list[str] = []
    bodies: list[str] = []
    before: dict[str, Method] = {}
    for version in OPSETS:
        cls, base = f"AiOnnxOpset{version}", f"AiOnnxOpset{version - 1}"
        base = base if before else "DomainOpSet"
        current = methods(version)
        new = [
            m
            for name, m in current.items()
            if name not in before or before[name].declaration != m.declaration
        ]
        declarations = "\n".join(m.declaration for m in new)
        classes.append(
            f"class {cls} : public {base} {{\n public:\n  using {base}::{base};\n\n"
            f"{declarations}\n}};\n"
        )
        bodies += [f"{m.head}\n{m.body}\n".format(cls=cls) for m in new]
        before |= current
    return (
        HEADER_TEXT.format(classes="\n".join(classes)),
        SOURCE_TEXT.format(bodies="\n".join(bodies)),
    )


if __name__ == "__main__":
    HEADER.write_text(texts()[0])
    SOURCE.write_text(texts()[1])
