"""Progress of a compilation, reported to a logger: `Progress`."""

from __future__ import annotations

from collections.abc import Callable

Logger = Callable[[int, int], None]
"""A function called with (done, total). The engine and the machine report call the same form."""


class Progress:
    """Progress in `total` ticks of work that is made of stages.

    The logger is called with rising numbers of ticks, each at most once, from 0 to `total`. Without
    a logger nothing happens. PopART's `compilationProgressLogger` and `compilationProgressTotal`.
    """

    def __init__(self, logger: Logger | None, total: int = 100) -> None:
        self._logger = logger
        self._total = total
        self._said = -1

    def reach(self, part: float) -> None:
        """Reports that the fraction `part`, 0 to 1, of the whole work is done."""
        tick = int(part * self._total + 1e-9)
        if self._logger is not None and tick > self._said:
            self._said = tick
            self._logger(tick, self._total)

    def stage(self, begin: float, end: float) -> Logger | None:
        """A logger for one stage, which is the part from `begin` to `end`, 0 to 1, of the whole.
        None without a logger: a stage has a call for each operator.
        """
        if self._logger is None:
            return None

        def log(done: int, of: int) -> None:
            self.reach(begin + (end - begin) * done / max(of, 1))

        return log
