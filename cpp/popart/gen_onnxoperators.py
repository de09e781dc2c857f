"""Writes cpp/include/popart/onnxoperators.gen.hpp from the schemas of the installed onnx.

Run it when onnx brings a new opset: `python cpp/popart/gen_onnxoperators.py`. A test compares.
"""

from pathlib import Path

import onnx.defs

HEADER = Path(__file__).resolve().parents[1] / "include" / "popart" / "onnxoperators.gen.hpp"
OPSETS = range(6, 12)
"""The opsets with a namespace of their own, as in PopART; newer operators go by their version."""

TEXT = """\
// popart/onnxoperators.gen.hpp: identifiers of ONNX's operators, one for each version of each.
// clang-format off
// Written by cpp/popart/gen_onnxoperators.py from the schemas of onnx; do not edit.
// Long, because ONNX is.
#ifndef popart_onnxoperators_gen_hpp
#define popart_onnxoperators_gen_hpp

#include <popart/operatoridentifier.hpp>

#pragma GCC visibility push(default)

// Each row: name, since-version, least and most inputs, outputs.
#define POPART_ONNX_OPERATORS(X) \\
{rows}

namespace popart {{
namespace Onnx {{

namespace Operators {{
#define POPART_DECLARE(NAME, VERSION, ...) extern const OperatorIdentifier NAME##_##VERSION;
POPART_ONNX_OPERATORS(POPART_DECLARE)
#undef POPART_DECLARE
}}  // namespace Operators

namespace AiOnnx {{
#define POPART_SAME(NAME, VERSION) \\
  static const OperatorIdentifier& NAME __attribute__((unused)) = Operators::NAME##_##VERSION;
{opsets}
#undef POPART_SAME
}}  // namespace AiOnnx

}}  // namespace Onnx
}}  // namespace popart

#pragma GCC visibility pop

#endif
"""


def packed(entries: list[str], end: str) -> str:
    """The entries on lines of at most 100 columns, each ended by `end`."""
    lines = [""]
    for entry in entries:
        if len(lines[-1]) + len(entry) > 96:
            lines.append("")
        lines[-1] += " " + entry
    return end.join(" " + line for line in lines)


def opset(version: int, schemas: list[onnx.defs.OpSchema]) -> str:
    """The namespace of one opset: each operator in the version that is in force there."""
    newest: dict[str, onnx.defs.OpSchema] = {}
    for schema in schemas:
        if schema.since_version <= version:
            newest[schema.name] = schema
    entries = [
        f"POPART_SAME({s.name}, {s.since_version})" for s in newest.values() if not s.deprecated
    ]
    return f"namespace OpSet{version} {{\n{packed(entries, chr(10))}\n}}"


def text() -> str:
    """The header."""
    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain == ""]
    schemas.sort(key=lambda s: (s.name, s.since_version))
    rows = [
        f"X({s.name}, {s.since_version}, {s.min_input}, {s.max_input}, {s.max_output})"
        for s in schemas
        if not s.deprecated
    ]
    return TEXT.format(
        rows=packed(rows, " \\\n"), opsets="\n".join(opset(n, schemas) for n in OPSETS)
    )


if __name__ == "__main__":
    HEADER.write_text(text())
