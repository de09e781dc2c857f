"""Schemas, and the text form in which `schemas/` holds those of popir's own domains.

    Nll:1 nllloss
    Negative log likelihood of the target classes.

    type   T = FLOAT FLOAT16
    type   I = INT32 UINT32
    input  A: T                    probabilities, [..., classes]
    input  B: I                    the target classes, [...]
    output C: T                    the loss
    attr   reduction: STRING = "Mean"   "Mean", "Sum" or "NoReduction"
    attr   ignoreIndex: INT?       a class that counts for nothing

- The first line has the operator's type, the version that introduced this form, and the name of the
  Builder's method. The folder's name is the domain.
- The operator's documentation follows, up to the first `input`, `output`, `attr` or `type` line.
- All inputs and outputs of a `type` have one of its element types; those of `types` may differ.
- An input or output with `?` after its type is optional; `*` is variadic with none or more, `+`
  with one or more, `*?` with none or more of which any may be left out.
- The type `any` is any element type, which may differ between tensors.
- An attribute has an ONNX type and possibly a default, a Python literal. Without a default or `?`
  it is required. The method's arguments are in the order of the attributes.
- Text after two blanks is documentation.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass

import numpy as np

from popir.definitions import Formal, Formals
from popir.errors import popart_exception
from popir.ir import AttributeKind, AttributeSpec, OperatorIdentifier
from popir.types import DataType


@dataclass(frozen=True, eq=False)
class Schema:
    """The schema of one version of an operator."""

    opid: OperatorIdentifier
    """The identifier; its version is the first opset with the operator in this form."""
    method: str
    """The name of the Builder's method, such as "leakyrelu" or "logical_and"."""
    inputs: Formals
    outputs: Formals
    attributes: Mapping[str, AttributeSpec]
    doc: str = ""


TRUTHS = frozenset(
    """
    align_corners allowzero antialias broadcast ceil_mode center_point_box count_include_pad
    detect_negative detect_positive exclude_outside exclusive fmod input_forget interleaved inverse
    is_case_sensitive is_causal is_test keepdims largest layout linear_before_reset new_axis
    noop_with_empty_axes one_class onesided output_sequence periodic reverse saturate
    select_last_index sorted spatial storage_order training_mode transA transB upper zeros
    causal channels_last do_rotary is_bidirectional is_inner_broadcast is_packed_batching
    past_present_share_buffer rotary_interleaved sliding_window_cache transBatchA transBatchB
    unidirectional
    descending enable_index_broadcast inputIsLogProbability noOverlap outputFullSequence
    print_gradient print_self right separate_gradients stable zeroInfinity zeroUnused
    has_side_effect
    """.split()
)
"""The integers that are truth values: ONNX's, onnxruntime's, those of popir's own domains. ONNX has
no type for them; its texts say "if set to 1" or "whether".
"""


_HEAD = re.compile(r"(?P<type>\w+):(?P<version>\d+) (?P<method>\w+)")
_FORMAL = re.compile(
    r"(input|output) +(?P<name>\w+): (?P<type>\w+)(?P<mark>\*\?|[?*+]?)(?:  +(?P<doc>.*))?"
)
_ATTR = re.compile(
    r"attr +(?P<name>\w+): (?P<kind>[A-Z]+)(?P<optional>\??)(?: = (?P<default>\S+))?"
    r"(?:  +(?P<doc>.*))?"
)
_TYPE = re.compile(r"types? +(?P<name>\w+) = (?P<types>[A-Z0-9_ ]+)")
_ROWS = {"input": _FORMAL, "output": _FORMAL, "attr": _ATTR, "type": _TYPE, "types": _TYPE}


def identifier(text: str, domain: str, where: str) -> OperatorIdentifier:
    """The identifier in the text of a schema. Raises popart_exception as `parse` does."""
    first = _head(text, where)
    return OperatorIdentifier(domain, first["type"], int(first["version"]))


def parse(text: str, domain: str, where: str) -> Schema:
    """Parses the text of a schema.

    Raises popart_exception, with `where` and the line, for a syntax error.
    """
    first, lines = _head(text, where), text.splitlines()[1:]
    start = next((i for i, line in enumerate(lines) if line.partition(" ")[0] in _ROWS), len(lines))
    types: dict[str, frozenset[DataType]] = {}
    free = set[str]()
    formals: dict[str, list[Formal]] = {"input": [], "output": []}
    attributes: dict[str, AttributeSpec] = {}
    for number, line in enumerate(lines[start:], start + 2):
        word = line.partition(" ")[0]
        with _located(where, number):
            if word not in _ROWS:
                raise ValueError(f"{line!r} is no row")
            row = _match(_ROWS[word], line)
            if word in ("type", "types"):
                types[row["name"]] = frozenset(map(DataType.of, row["types"].split()))
                free.update([row["name"]] if word == "types" else [])
            elif word == "attr":
                attributes[row["name"]] = _attribute(row)
            else:
                formals[word].append(_formal(row, types, free))
    return Schema(
        identifier(text, domain, where),
        first["method"],
        Formals(formals["input"]),
        Formals(formals["output"]),
        attributes,
        "\n".join(lines[:start]).strip(),
    )


@contextlib.contextmanager
def _located(where: str, line: int) -> Generator[None]:
    try:
        yield
    except (ValueError, popart_exception) as error:
        raise popart_exception(f"{where}, line {line}: {str(error).rstrip('.')}.") from error


def _head(text: str, where: str) -> re.Match[str]:
    with _located(where, 1):
        return _match(_HEAD, text.partition("\n")[0])


def _match(pattern: re.Pattern[str], line: str) -> re.Match[str]:
    found = pattern.fullmatch(line)
    if found is None:
        raise ValueError(f"{line!r} is not of the form that popir/onnxio/schema_text.py describes")
    return found


def _formal(row: re.Match[str], types: Mapping[str, frozenset[DataType]], free: set[str]) -> Formal:
    kind, mark = row["type"], row["mark"]
    if kind not in types and kind not in DataType.__members__ and kind != "any":
        raise ValueError(f"{kind!r} is neither declared as a type nor an element type")
    if kind == "any":
        accepted = frozenset[DataType]()
    else:
        accepted = types[kind] if kind in types else frozenset({DataType[kind]})
    return Formal(
        row["name"],
        accepted,
        optional=mark in ("?", "*?"),
        variadic=mark in ("*", "+", "*?"),
        least=0 if mark in ("*", "*?") else 1,
        constraint=kind if kind in types and kind not in free else "",
        doc=row["doc"] or "",
        apart=kind if kind in types else "",
        converts=True,
    )


def _attribute(row: re.Match[str]) -> AttributeSpec:
    if row["kind"] not in AttributeKind.__members__:
        raise ValueError(f"{row['kind']!r} is not a kind of attribute")
    kind = AttributeKind[row["kind"]]
    text = row["default"]
    try:
        default = None if text is None else kind.coerce(ast.literal_eval(text))
    except (SyntaxError, TypeError, ValueError):
        raise ValueError(f"the default {text} of the attribute is not {kind.words}") from None
    if kind is AttributeKind.FLOAT and default is not None:
        default = np.float32(default).item()  # ONNX attributes store 32-bit floats.
    return AttributeSpec(
        row["name"],
        kind,
        text is None and not row["optional"],
        default,
        row["doc"] or "",
        kind is AttributeKind.INT and row["name"] in TRUTHS,
    )
