"""Compiled programs in files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from popir import memory, poplar
from popir.engine_cache import why_not
from popir.errors import (
    PopirError,
    popart_exception,
    require_path,
)
from popir.exclusive import exclusive
from popir.executables import Stored, place
from popir.executables import load as load_executable
from popir.session.prepared import Prepared
from popir.typed import typed

Array = np.ndarray[Any, Any]


@typed
class Executables(Prepared):
    """The methods that write compiled programs to files and read them."""

    @exclusive()
    def compileAndExport(self, filename: str | os.PathLike[str]) -> None:
        """Compiles the program of a step and writes it to a file, for `loadExecutable`. PopART's
        method of this name. In a folder, the file is called after the session; folders are made.

        The file has no weights. Its form is popir's, not PopEF. Raises OutOfMemoryException as
        `prepareDevice` does, popart_exception if the file cannot be written.
        """
        self._export("compileAndExport", filename, {})

    @exclusive()
    def saveExecutable(
        self,
        path: str | os.PathLike[str],
        savePopartMetadata: bool = True,
        saveVariables: bool = True,
    ) -> None:
        """Writes the program of a step to a file as `compileAndExport` does and, with
        `saveVariables`, the host's weights, which `loadExecutable` then restores.

        Raises popart_exception for `savePopartMetadata=False`: no session could load the file.
        """
        if not savePopartMetadata:
            raise popart_exception(
                "saveExecutable(savePopartMetadata=False): without its metadata, no session could "
                "load the program. Leave it at True."
            )
        self._export("saveExecutable", path, self._host if saveVariables else {})

    @exclusive()
    def saveVariables(self, path: str | os.PathLike[str]) -> None:
        """Writes the host's weights and states to a file, for `loadExecutable`. PopART's method of
        this name. Raises popart_exception if it cannot be written.
        """
        file = require_path("saveVariables", path)
        Stored(weights=self._host).save("saveVariables", place(file, self.name))

    @exclusive()
    def loadExecutable(self, filename: str | os.PathLike[str]) -> None:
        """Reads a file of `compileAndExport`, `saveExecutable` or `saveVariables`: the next
        `prepareDevice` uses its program and compiles nothing, and the host's weights become those
        of the file. PopART's method of this name.

        The file has native code: load it only from a trusted source. Raises popart_exception for a
        file that cannot be read, and for a program of another model, other options or another size
        of device.
        """
        path = require_path("loadExecutable", filename)
        stored = load_executable("loadExecutable", place(path, self.name))
        if stored.executable and stored.hash != self._program_hash():
            raise popart_exception(
                f"loadExecutable: {path} has the program of another model, of other options, or "
                "for a device of another size than this session's."
            )
        for id, value in stored.weights.items():
            self._host.put(id, value)
        if stored.executable:
            self._stored = stored
            self._is_deserialized = True

    def _export(
        self, who: str, filename: str | os.PathLike[str], weights: Mapping[str, Array]
    ) -> None:
        path = require_path(who, filename)
        if why := why_not(self.graph):
            raise popart_exception(
                f"{who}: the program of the session '{self.name}' cannot be saved: {why}. "
                "Save the model, and make a session of it where it is to run."
            )
        with memory.guarded(f"Compiling the session '{self.name}'"), self._budget.spending():
            lowering, step = self._lowered()
            try:
                made = poplar.compileGraph(lowering.graph, [step.program], self._engine_options)
            except PopirError as error:
                raise self._memory_error(error, lowering.graph, step.program) from error
        inputs = [each.id for each in step.inputs]
        stored = Stored(self._program_hash(), inputs, step.variables, made.serialize(), weights)
        stored.save(who, place(path, self.name))

    def _program_hash(self) -> int:
        """A hash of all that the program depends on. Of the device, that is its size: a program
        made for an offline device runs on another.
        """
        device = self.deviceInfo
        return self._hash(f"{device.version} {device.numIpus} {device.tilesPerIPU}")

    def getSerializedGraph(self) -> bytes:
        """Raises popart_exception: Poplar's graphs have no serialised form here."""
        raise popart_exception(
            "getSerializedGraph(): Poplar's graphs have no serialised form here. saveExecutable() "
            "saves the compiled program, Session.graph prints the model's graph."
        )
