"""Compiled programs that are kept: what `SessionOptions.enableEngineCaching` switches on.

A program is kept in a file of the folder `cachePath`, named after all that it depends on: the
compiled graph, options, anchors, machine, popir itself, and the files of libraries, Python modules
and codelets that take part. The file is one line, "popir engine" and a digest of what follows;
another line, JSON; then a `poplar.Executable`. It appears whole or not at all. One that is damaged,
of which no engine can be made, or that belongs to another user, is not used and made anew: codelets
in it are machine code.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from popir import _library, poplar, registry
from popir.errors import PopirError
from popir.files import write
from popir.ir import Graph
from popir.ir.graph import calledGraphs

_log = logging.getLogger("popir.session")
_MAGIC = b"popir engine "
_MOST_HEADER = 1 << 24


@dataclass(frozen=True)
class Kept:
    """A program as it was kept."""

    engine: Any
    inputs: list[str]
    """The ids of the tensors that the host sends."""
    variables: list[str]
    """The handles of the weights and states."""


class EngineCache:
    """The file of one program in a folder."""

    def __init__(
        self, folder: str, graph: Graph, sessionHash: int, codelets: Iterable[str]
    ) -> None:
        """`sessionHash` is `Session.getHash()`. Raises OSError if a file that takes part cannot be
        read.
        """
        digest = hashlib.sha256(str(sessionHash).encode())
        for file in sorted({*_codeOf(graph), *codelets, str(_library.ROOT / "lib/libpopir.so")}):
            digest.update(file.encode(errors="surrogateescape") + b"\0")
            digest.update(hashlib.sha256(Path(file).read_bytes()).digest())
        self.path = Path(folder) / f"{digest.hexdigest()[:32]}.engine"
        self._graph = graph

    def load(self, options: Mapping[str, str]) -> Kept | None:
        """The program in an engine of these options; None if there is none that can be used."""
        try:
            with self.path.open("rb") as file:
                if os.fstat(file.fileno()).st_uid != os.geteuid():
                    return self._refuse("it belongs to another user")
                line, content = file.readline(len(_MAGIC) + 65), file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            return self._refuse(str(error))
        if line != _MAGIC + hashlib.sha256(content).hexdigest().encode() + b"\n":
            return self._refuse("it is damaged")
        header, _, executable = content.partition(b"\n")
        try:
            names = json.loads(header[:_MOST_HEADER])
            inputs, variables = (self._tensors(names[key]) for key in ("inputs", "variables"))
            engine = poplar.Engine(poplar.Executable.deserialize(executable), options)
        except (ValueError, KeyError, TypeError, RecursionError, PopirError) as error:
            return self._refuse(str(error))
        if not all(self._graph.getTensor(id).isVariable() for id in variables):
            return self._refuse("it names weights that the graph does not have")
        return Kept(engine, inputs, variables)

    def _tensors(self, ids: Any) -> list[str]:
        """The ids; ValueError for what is no list of different tensors of the graph."""
        known = self._graph.tensors
        if not isinstance(ids, list) or not all(isinstance(id, str) and id in known for id in ids):
            raise ValueError("it names tensors that the graph does not have")
        if len(set(ids)) < len(ids):
            raise ValueError("it names a tensor twice")
        return ids

    def _refuse(self, why: str) -> None:
        _log.warning("The cached program %s is not used, and made anew: %s", self.path, why)

    def save(self, executable: Any, inputs: list[str], variables: list[str]) -> None:
        """Keeps a program; a warning is logged if that cannot be done."""
        names = json.dumps({"inputs": inputs, "variables": variables}).encode()
        try:
            content = names + b"\n" + executable.serialize()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256(content).hexdigest().encode()
            write(self.path, _MAGIC + digest + b"\n" + content)
        except (OSError, PopirError) as error:
            _log.warning("The program is not kept in %s: %s", self.path.parent, error)


def _codeOf(graph: Graph) -> set[str]:
    """The files of libraries and Python modules that define or lower operators of the graph."""
    ops = {op.opid: op for each in calledGraphs(graph) for op in each.ops.values()}
    files = {op.source for op in ops.values() if registry.is_library(op.source)}
    made: list[Any] = [type(op) for op in ops.values() if op.source == registry.PYTHON]
    for entry in registry.opxEntries():
        if entry.opid not in ops:
            continue
        if registry.is_library(entry.source):
            files.add(entry.source)
        elif entry.source == registry.PYTHON:
            made.append(entry.opxClass)
    return files | {file for each in made if (file := inspect.getsourcefile(each))}
