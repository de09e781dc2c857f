"""Files for TensorBoard, by tensorboardX: `TensorBoard`."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Mapping
from typing import Any

from popir.errors import UnwritableError, popart_runtime_error, require_path
from popir.extras import imported
from popir.typed import typed


@typed
class TensorBoard:
    """Writes the numbers of a training to files that TensorBoard shows: the `log` of `train`.

    Steps that are in the folder from an earlier process, and are written again, are shown once, as
    written last.

    Args:
        folder: the folder, which is made. Each process adds a file.

    Raises MissingPackageError if tensorboardX is not installed, popart_runtime_error for a folder
    that cannot be written to.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._writer: Any = None
        # Its EventsWriter, and not its SummaryWriter, whose flush does not wait for its own thread,
        # and which hangs when that thread has died of a full disk.
        self._writers, self._messages, self._summary = (
            imported(
                f"tensorboardX.{name}",
                "TensorBoard",
                "its files are written by tensorboardX",
                "tensorboard",
            )
            for name in ("event_file_writer", "proto.event_pb2", "summary")
        )
        self._folder = require_path("TensorBoard", folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        if not os.access(self._folder, os.W_OK | os.X_OK):
            raise self._unwritable(PermissionError(0, "Permission denied"))

    def _unwritable(self, error: OSError) -> UnwritableError:
        return UnwritableError(
            f"TensorBoard: the folder {self._folder} cannot be written to: {error.strerror}."
        )

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Takes numbers of a step, by name; a "/" in it makes groups.

        Raises popart_runtime_error if the file cannot be written, and for a step that does not fit
        64 bits.
        """
        if not -(1 << 63) <= step < 1 << 63:
            raise popart_runtime_error(f"TensorBoard.scalars: step = {step} does not fit 64 bits.")
        try:
            if self._writer is None:
                suffix = f".{secrets.token_hex(4)}"  # The rest of the name is host and second.
                self._writer = self._writers.EventsWriter(str(self._folder / "events"), suffix)
                # What is there from this step on was written by a process that was stopped.
                start = self._messages.SessionLog(status=self._messages.SessionLog.START)
                self._write(step, session_log=start)
            for name, value in values.items():
                self._write(step, summary=self._summary.scalar(name, value))
        except OSError as error:
            raise self._unwritable(error) from error

    def _write(self, step: int, **what: Any) -> None:
        event = self._messages.Event(wall_time=time.time(), step=step, **what)
        self._writer.write_event(event)

    def flush(self) -> None:
        """Writes what was taken to the file. Raises popart_runtime_error if that fails."""
        if self._writer is not None:
            try:
                self._writer.flush()
            except OSError as error:
                raise self._unwritable(error) from error

    def close(self) -> None:
        """Writes what was taken, and closes the file. Numbers of later steps make a new one."""
        if self._writer is not None:
            try:
                self._writer.close()
            except OSError as error:
                raise self._unwritable(error) from error
            self._writer = None

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # There is nobody to tell.
            self.close()

    def __enter__(self) -> TensorBoard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
