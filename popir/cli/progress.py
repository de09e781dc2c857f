"""Progress bars of long commands, and their reaction to Ctrl-C."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as RichProgress

from popir.cli.output import console_of, is_terminal


class Progress:
    """A progress bar with the loss and the time left, on a terminal's stderr; nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._total = total
        if is_terminal(sys.stderr):
            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("loss {task.fields[loss]:.6g}"),
                TimeRemainingColumn(),
                TextColumn("left"),
            )
            self._bar = RichProgress(*columns, console=console_of(sys.stderr), transient=True)

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def reach(self, done: int, loss: float) -> None:
        """Shows that `done` batches are done, and the loss of the last. The time left follows from
        the batches since the first call: those before were another process's.
        """
        if not self._bar:
            return
        if self._task is None:
            self._task = self._bar.add_task(
                "training", total=self._total, completed=done, loss=loss
            )
        self._bar.update(self._task, completed=done, loss=loss)


@contextmanager
def bar(text: str) -> Generator[Callable[[int, int], None] | None]:
    """A progress bar on a terminal's stderr. The block gets a function to call with (done, total),
    or None if there is no terminal.
    """
    if not is_terminal(sys.stderr):
        yield None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with RichProgress(*columns, console=console_of(sys.stderr), transient=True) as shown:
        task = shown.add_task(text, total=None)

        def move(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total)

        yield move


class Interruption:
    """Inside the `with` block, the first Ctrl-C sets `asked`, and the second one raises
    KeyboardInterrupt.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Interruption:
        self._before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _take(self, signum: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
