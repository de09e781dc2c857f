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
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as RichProgress

from popir.cli.output import console_of, is_terminal


class Progress:
    """A progress bar with the loss, on a terminal's stderr; nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self._bar: RichProgress | None = None
        if is_terminal(sys.stderr):
            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("loss {task.fields[loss]:.6g}"),
                TimeRemainingColumn(),
            )
            self._bar = RichProgress(*columns, console=console_of(sys.stderr), transient=True)
            self._task = self._bar.add_task("training", total=total, loss=float("nan"))

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def advance(self, loss: float) -> None:
        """Advances the bar by one batch and shows the loss."""
        if self._bar:
            self._bar.update(self._task, advance=1, loss=loss)


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
