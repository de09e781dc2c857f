"""Schemas, and the text form in which `schemas/` holds those of popir's own domains.

    Nll:1 nllloss
    Negative log likelihood of the target classes.

    input  A: T                    probabilities, [..., classes]
    input  B: I                    the target classes, [...]
    output C: T                    the loss
    attr   reduction: STRING = "Mean"   "Mean", "Sum" or "NoReduction"
    attr   ignoreIndex: INT?       a class that counts for nothing
    type   T = FLOAT FLOAT16
    type   I = INT32 UINT32

The first line has the operator's name, the version that introduced this form, and the name of the
Builder's method; the folder is the domain. Then comes what the operator does, up to the first line
that starts with `input`, `output`, `attr` or `type`. A name with `?` after its type is optional,
with `*` variadic from none, with `+` variadic from one. An attribute has one of ONNX's types, and a
default as a Python literal if it has one; without `?` or default it is required. The order of the
attributes is that of the method's arguments. What follows two blanks is documentation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from popir.definitions import Formal
from popir.errors import popart_exception
from popir.ir import AttributeKind, AttributeSpec, OperatorIdentifier
from popir.types import DataType


@dataclass(frozen=True, eq=False)
class Schema:
    """One version of one operator."""

    opid: OperatorIdentifier
    """Its version is the first opset that has the operator in this form."""
    method: str
    """The name of the Builder's method: "leakyrelu", "logical_and"."""
    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    attributes: Mapping[str, AttributeSpec]
    doc: str = ""


_HEAD = re.compile(r"(?P<type>\w+):(?P<version>\d+) (?P<method>\w+)")
_FORMAL = re.compile(
    r"(input|output) +(?P<name>\w+): (?P<type>\w+)(?P<mark>[?*+]?)(?:  +(?P<doc>.*))?"
)
_ATTR = re.compile(
    r"attr +(?P<name>\w+): (?P<kind>[A-Z]+)(?P<optional>\??)(?: = (?P<default>\S+))?"
    r"(?:  +(?P<doc>.*))?"
)
_TYPE = re.compile(r"type +(?P<name>\w+) = (?P<types>[A-Z0-9 ]+)")


def parse(text: str, domain: str, where: str) -> Schema:
    """The schema that `text` is.

    Raises popart_exception, with `where` and the line, if it is none.
    """
    lines = text.splitlines()
    try:
        head = _match(_HEAD, lines[0] if lines else "")
    except ValueError as error:
        raise popart_exception(f"{where}, line 1: {error}.") from error
    rows: dict[str, list[re.Match[str]]] = {"input": [], "output": [], "attr": [], "type": []}
    doc: list[str] = []
    patterns = {"input": _FORMAL, "output": _FORMAL, "attr": _ATTR, "type": _TYPE}
    for number, line in enumerate(lines[1:], start=2):
        word = line.partition(" ")[0]
        try:
            if word in patterns:
                rows[word].append(_match(patterns[word], line))
            elif not any(rows.values()):
                doc.append(line)
            elif line.strip():
                raise ValueError(f"{line!r} is no row")
        except ValueError as error:
            raise popart_exception(f"{where}, line {number}: {error}.") from error
    types = {row["name"]: frozenset(map(DataType.of, row["types"].split())) for row in rows["type"]}
    return Schema(
        OperatorIdentifier(domain, head["type"], int(head["version"])),
        head["method"],
        tuple(_formal(row, types) for row in rows["input"]),
        tuple(_formal(row, types) for row in rows["output"]),
        {row["name"]: _attribute(row) for row in rows["attr"]},
        "\n".join(doc).strip(),
    )


def _match(pattern: re.Pattern[str], line: str) -> re.Match[str]:
    found = pattern.fullmatch(line)
    if found is None:
        raise ValueError(f"{line!r} is not of the form that popir/onnxio/schema_text.py describes")
    return found


def _formal(row: re.Match[str], types: Mapping[str, frozenset[DataType]]) -> Formal:
    kind, mark = row["type"], row["mark"]
    return Formal(
        row["name"],
        types[kind] if kind in types else frozenset({DataType.of(kind)}),
        optional=mark == "?",
        variadic=mark != "" and mark in "*+",
        least=0 if mark == "*" else 1,
        constraint=kind if kind in types else "",
        doc=row["doc"] or "",
    )


def _attribute(row: re.Match[str]) -> AttributeSpec:
    kind = AttributeKind[row["kind"]]
    text = row["default"]
    default = None if text is None else kind.coerce(ast.literal_eval(text))
    required = text is None and not row["optional"]
    return AttributeSpec(row["name"], kind, required, default, row["doc"] or "")
