"""Graphs as graphviz draws them: the files of `SessionOptions.dotChecks`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from popir.errors import UnwritableError
from popir.files import write
from popir.ir import Graph, Op
from popir.ir.graph import called_graphs
from popir.typed import shown

if TYPE_CHECKING:
    from popir.options import SessionOptions

ALL = "ALL"
"""The check that stands for all of them."""


@dataclass(frozen=True)
class DotOptions:
    """What of a graph is drawn, and where."""

    checks: frozenset[str]
    folder: str
    """Where the files go, which is made; the working directory for ""."""
    has_names: bool
    """Whether operators have their names beside their types."""
    is_separate: bool
    """Whether each called graph is drawn in a file of its own."""
    first: int
    last: int
    """The first operator that is drawn, and the one behind the last, counted over all graphs."""

    @classmethod
    def of(cls, options: SessionOptions) -> DotOptions | None:
        """The options of a session; None if they ask for no file."""
        if not options.dotChecks:
            return None
        return cls(
            frozenset(options.dotChecks),
            options.logDir,
            options.dotOpNames,
            options.separateCallOpPdfs,
            options.firstDotOp,
            options.finalDotOp,
        )


def write_dot(graphs: Sequence[Graph], check: str, options: DotOptions) -> None:
    """Writes graphs, the main one first, to `CHECK.dot`, and those that are called to
    `CHECK_GRAPH.dot` if they are separate. Without effect if the options do not name the check.

    Raises UnwritableError.
    """
    if not options.checks & {check, ALL}:
        return
    first, files = 0, dict[str, list[str]]()
    for number, graph in enumerate(graphs):
        is_own = number > 0 and options.is_separate
        name = f"{check}_{re.sub('[^A-Za-z0-9_.-]', '_', graph.name)}" if is_own else check
        while is_own and name in files:
            name += "_"
        files.setdefault(name, []).extend(_cluster(graph, number, first, options))
        first += len(graph.ops)
    folder = Path(options.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in files.items():
            whole = [f"digraph {_quoted(name)} {{", *lines, "}", ""]
            write(folder / f"{name}.dot", "\n".join(whole))
    except OSError as error:
        raise UnwritableError(
            f"SessionOptions.logDir = {shown(options.folder)}: the file of the dotChecks "
            f"'{check}' cannot be written there: {error.strerror} ({error.filename})."
        ) from error


def write_checkpoint(graph: Graph, check: str, options: SessionOptions) -> None:
    """The same for the graphs of a program in C++, also those that nothing calls yet."""
    asked = DotOptions.of(options)
    if asked is not None:
        write_dot([*dict.fromkeys([*called_graphs(graph), *graph.made.values()])], check, asked)


def _cluster(graph: Graph, number: int, first: int, options: DotOptions) -> list[str]:
    """The lines of a graph, whose first operator has the number `first`."""
    ops = dict(enumerate(graph.schedule(), first))
    drawn = {op: at for at, op in ops.items() if options.first <= at < options.last}
    lines = [f"subgraph cluster_{number} {{", f"label={_quoted(str(graph.name) or 'main')}"]
    lines += [
        f"op{at} [shape=box label={_quoted(_label(op, options.has_names))}]"
        for op, at in drawn.items()
    ]
    for op, at in drawn.items():
        for tensor in op.input.values():
            producer = tensor.producer
            if producer in drawn:
                source = f"op{drawn[producer]}"
            else:
                # Operators have other names, and so have the tensors of other graphs.
                source = _quoted(f"{number}:{tensor.id}")
                lines.append(f"{source} [shape=ellipse label={_quoted(tensor.id)}]")
            lines.append(f"{source} -> op{at} [label={_quoted(tensor.id)}]")
    return [*lines, "}"]


def _label(op: Op, has_name: bool) -> str:
    return f"{op.opid.type} {op.name()}" if has_name and op.name() else op.opid.type


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
