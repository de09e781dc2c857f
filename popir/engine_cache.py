"""The cache of compiled programs, which `SessionOptions.enableEngineCaching` switches on.

A program is a file in the folder `SessionOptions.cachePath`. The file's name is a digest of
everything the program depends on: compiled graph, options, anchors, device, libpopir, and the files
of operator libraries, Python modules and codelets that are used.

The file has a line "popir engine" with a SHA-256 digest of the rest, a line of JSON with that first
digest and the names of inputs and variables, and a serialised `poplar.Executable`. It is written
atomically. A file that is damaged, cannot be loaded, or is that of another program is not used but
replaced; so, since it contains machine code (codelets), is one that another user owns or may write.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import logging
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from popir import _library, poplar, registry
from popir.errors import PopirError
from popir.files import write
from popir.ir import Graph, Op
from popir.ir.graph import called_graphs

_log = logging.getLogger("popir.session")
_MAGIC = b"popir engine "
_MOST_HEADER = 1 << 24


@dataclass(frozen=True)
class Kept:
    """A program loaded from the cache."""

    engine: poplar.Engine
    inputs: list[str]
    """The ids of the inputs that the host sends."""
    variables: list[str]
    """The ids of the weights and states on the device."""
    again: Callable[[], poplar.Engine]
    """Makes another engine of the same program."""


class EngineCache:
    """The cache file of one program."""

    def __init__(
        self, folder: str, graph: Graph, session_hash: int, codelets: Iterable[str]
    ) -> None:
        """Computes the name of the file in `folder`; `session_hash` is `Session.getHash()`.

        Raises OSError if a file that the program depends on cannot be read.
        """
        digest = hashlib.sha256(str(session_hash).encode())
        digest.update(_library.build_id().encode())
        for file in sorted({*_code_of(graph), *codelets}):
            digest.update(file.encode(errors="surrogateescape") + b"\0")
            digest.update(hashlib.sha256(Path(file).read_bytes()).digest())
        self._program = digest.hexdigest()
        self.path = Path(folder) / f"{self._program[:32]}.engine"
        self._graph = graph

    def load(self, options: Mapping[str, str]) -> Kept | None:
        """The cached program, in an engine with these options; None if there is no usable file."""
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_uid != os.geteuid():
                    return self._refuse("it belongs to another user")
                if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    self.path.unlink()  # what replaces a file keeps its mode
                    return self._refuse("other users may write it")
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
            if names["program"] != self._program:
                return self._refuse("it is another program's, under this one's name")
            inputs, variables = (self._tensors(names[key]) for key in ("inputs", "variables"))
            program = poplar.Executable.deserialize(executable)
            again = functools.partial(poplar.Engine, program, dict(options))
            engine = again()
        except (ValueError, KeyError, TypeError, RecursionError, PopirError) as error:
            return self._refuse(str(error))
        if not all(self._graph.getTensor(id).is_variable() for id in variables):
            return self._refuse("it names weights that the graph does not have")
        return Kept(engine, inputs, variables, again)

    def _tensors(self, ids: Any) -> list[str]:
        """`ids`, if they are a list of distinct tensors of the graph; else raises ValueError."""
        known = self._graph.tensors
        if not isinstance(ids, list) or not all(isinstance(id, str) and id in known for id in ids):
            raise ValueError("it names tensors that the graph does not have")
        if len(set(ids)) < len(ids):
            raise ValueError("it names a tensor twice")
        return ids

    def _refuse(self, why: str) -> None:
        _log.warning("The cached program %s is not used, and made anew: %s", self.path, why)

    def save(self, executable: poplar.Executable, inputs: list[str], variables: list[str]) -> None:
        """Writes a program to the cache. Logs a warning if that fails."""
        described = {"program": self._program, "inputs": inputs, "variables": variables}
        try:
            content = json.dumps(described).encode() + b"\n" + executable.serialize()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256(content).hexdigest().encode()
            write(self.path, _MAGIC + digest + b"\n" + content)
        except (OSError, PopirError) as error:
            _log.warning("The program is not kept in %s: %s", self.path.parent, error)


def why_not(graph: Graph) -> str:
    """Why a program of the graph must not be kept; "" if it may be."""
    return next(filter(None, (op.whyNotKept() for op in _ops(graph))), "")


def _ops(graph: Graph) -> Iterator[Op]:
    return (op for each in called_graphs(graph) for op in each.ops.values())


def _code_of(graph: Graph) -> set[str]:
    """The files of the libraries and Python modules that define or lower the graph's operators."""
    ops = {op.opid: op for op in _ops(graph)}
    files = {op.source for op in _ops(graph) if registry.is_library(op.source)}
    files.update(file for op in _ops(graph) for file in op.filesRead())
    made: list[Any] = [type(op) for op in ops.values() if op.source == registry.PYTHON]
    for entry in (entry for opid in ops for entry in registry.opx_entries(opid)):
        if registry.is_library(entry.source):
            files.add(entry.source)
        elif entry.source == registry.PYTHON:
            made.append(entry.opxClass)
    return files | {file for each in made if (file := inspect.getsourcefile(each))}
