"""`popir ops`: lists the registered operators, where they come from, and their arguments."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from pathlib import Path

import click

from popir import host, registry
from popir.cli.catalogue import (
    ON_HOST,
    attributes,
    described,
    formals,
    has_gradient,
    is_target,
    named,
    names,
    on_host,
    origin,
    signature,
    versions,
)
from popir.cli.coverage import WAYS, cells, coverage
from popir.cli.exits import CommandError, ExitCode
from popir.cli.options import common
from popir.cli.output import Output
from popir.definitions import Formal
from popir.errors import LibraryLoadError, did_you_mean
from popir.foreign.habana import libraries as kernels
from popir.foreign.tensorflow import library
from popir.ir import Op, OperatorIdentifier
from popir.onnxio import schemas
from popir.registry import OpEntry


@click.command(short_help="List the operators that are registered, or describe some.")
@click.argument("operators", nargs=-1)
@click.option("--domain", "domains", multiple=True, help="Those of a domain; may be repeated.")
@click.option("--custom", is_flag=True, help="Those that are not built in.")
@click.option("--coverage", "covers", is_flag=True, help="All that have a schema, and what runs.")
@common
def command(
    output: Output, operators: Sequence[str], domains: Sequence[str], custom: bool, covers: bool
) -> ExitCode:
    """List the operators that are registered; with OPERATORS, such as Relu, com.acme.Cubic or
    LeakyRelu:6, describe these.

    A list has the newest version of each.
    """
    if operators and (domains or custom):
        raise click.UsageError("--domain and --custom are for the list, without OPERATORS.")
    if covers and (operators or custom):
        raise click.UsageError("--coverage takes --domain, and neither OPERATORS nor --custom.")
    if covers:
        return _coverage(output, domains)
    lowerings: dict[OperatorIdentifier, list[str]] = {}
    for opx in registry.opx_entries():
        lowerings.setdefault(opx.opid, []).append(opx.source)
    if operators:
        chosen = [named(name) for name in operators]
        for entry in chosen:
            _show(output, entry, lowerings.get(entry.opid, []))
    else:
        chosen = _newest(domains, custom)
        _list(output, chosen)
    functions = [] if operators or domains else _functions(output)
    found = [described(e, versions(e), lowerings) for e in chosen]
    output.result({"operators": found, **({"functions": functions} if functions else {})})
    return ExitCode.FINE


def _functions(output: Output) -> list[dict[str, str]]:
    """What libraries have for operators that name it: the functions for those of TensorFlow on the
    IPU, and TPC kernels.
    """
    found: list[dict[str, str]] = []

    def add(kind: str, names: Sequence[str], path: str) -> None:
        found.extend({"function": name, "kind": kind, "from": path} for name in names)

    for path in library.loaded():
        add("TensorFlow for the IPU", library.functions(Path(path)), path)
    for path in kernels.paths():
        try:
            add("TPC kernel", kernels.guids(path), path)
        except LibraryLoadError as error:
            output.warn(error)
    if found:
        columns = ["function", "kind", "from"]
        output.table("functions of libraries", columns, [[*each.values()] for each in found])
    return found


def _coverage(output: Output, domains: Sequence[str]) -> ExitCode:
    """Prints which of the operators that have schemas run, and how."""
    known = schemas.domains()
    for domain in domains:
        if domain not in known:
            raise CommandError(
                f"No operator of the domain '{domain}' has a schema; the domains are "
                f"{', '.join(sorted(known))}.{did_you_mean(domain, known)}"
            )
    found = coverage(domains)
    columns = ["operator", ">version", "how", "gradient", "versions that are missing"]
    output.table("operators", columns, [cells(each) for each in found])
    output.table("how", ["", "what it means"], [list(row) for row in WAYS.items()])
    for domain in sorted({each.domain for each in found}):
        there = [each for each in found if each.domain == domain]
        runs = sum(each.how != "missing" for each in there)
        output.line(f"{domain}: {runs} of {len(there)}")
    output.result({"coverage": [dataclasses.asdict(each) for each in found]})
    return ExitCode.FINE


_OF_POPIR = (registry.BUILT_IN, ON_HOST)


def _newest(domains: Sequence[str], custom: bool) -> list[OpEntry]:
    """The newest version of each operator to be listed."""
    every = [entry for entry in [*registry.entries(), *on_host()] if entry.isPublic]
    every.sort(key=lambda entry: entry.opid)
    known = {entry.opid.domain for entry in every}
    for domain in domains:
        if domain not in known:
            raise CommandError(
                f"No operator of the domain '{domain}' is registered; the domains are "
                f"{', '.join(sorted(known))}.{did_you_mean(domain, known)}"
            )
    found: dict[tuple[str, str], OpEntry] = {}
    for entry in every:
        wanted = not domains or entry.opid.domain in domains
        if wanted and not (custom and entry.source in _OF_POPIR):
            found[entry.opid.domain, entry.opid.type] = entry
    return list(found.values())


def _list(output: Output, entries: Sequence[OpEntry]) -> None:
    rows = [
        [
            f"{entry.opid.domain}.{entry.opid.type}",
            entry.opid.version,
            signature(formals(entry, "inputs")),
            signature(formals(entry, "outputs")),
            names(attributes(entry)),
            _gradient(entry),
            origin(entry),
        ]
        for entry in entries
    ]
    columns = ["operator", ">version", "inputs", "outputs", "attributes", "gradient", "from"]
    output.table("operators", columns, rows)


def _gradient(entry: OpEntry) -> str:
    return "yes" if has_gradient(entry) else "none"


def _show(output: Output, entry: OpEntry, lowerings: Sequence[str]) -> None:
    opid = entry.opid
    output.line(f"{opid.domain}.{opid.type}")
    output.line(f"version: {opid.version} of {', '.join(map(str, versions(entry)))}")
    output.line(f"from: {origin(entry)}")
    consists = entry.opClass.expand is not Op.expand
    without = "that of the operators it consists of" if consists else "none: it cannot run"
    if is_target(entry):
        without = "that of org.openxla.CustomCall"
    found = host.find(opid.domain, opid.type, opid.version)
    if found is not None:
        always = entry.source == ON_HOST
        without = "none: it runs on the host" if always else without
        output.line(f"host: {'always' if always else 'at times'}: {found.reason}")
    output.line(f"lowering: {', '.join(lowerings) or without}")
    output.line(f"gradient: {_gradient(entry)}")
    for what in "inputs", "outputs":
        _show_formals(output, what, formals(entry, what))
    known = attributes(entry)
    if known is None:
        output.line("attributes: any; its definition names none")
    elif known:
        rows = [
            [each["name"], each["type"], _default(each), each["values"] or "-", _first(each["doc"])]
            for each in known
        ]
        output.table("attributes", ["name", "type", "default", "values", "what"], rows)
    else:
        output.line("attributes: none")


def _show_formals(output: Output, what: str, known: Sequence[Formal] | None) -> None:
    if known is None:
        output.line(f"{what}: not known; its definition names none")
        return
    rows = [
        [
            i,
            signature([each]),
            ", ".join(sorted(k.name for k in each.types)) or "any",
            _first(each.doc),
        ]
        for i, each in enumerate(known)
    ]
    output.table(what, [">index", "name", "types", "what"], rows)


def _default(attribute: dict[str, object]) -> str:
    if attribute["required"]:
        return "required"
    return "-" if attribute["default"] is None else repr(attribute["default"])


def _first(doc: str) -> str:
    """The first sentence of a text."""
    text = " ".join(inspect.cleandoc(doc).split())
    return text.partition(". ")[0].removesuffix(".")
