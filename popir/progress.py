"""How far a compilation is: `Progress`, which tells it to whoever listens."""

from __future__ import annotations

from collections.abc import Callable

Logger = Callable[[int, int], None]
"""Hears how many ticks of how many are done; the engine's and the machine report's form too."""


class Progress:
    """Ticks of a whole that is made of stages.

    The logger hears of each number of ticks once, in rising order, from 0 to `total`. Without a
    logger nothing happens.
    """

    def __init__(self, logger: Logger | None, total: int = 100) -> None:
        self._logger = logger
        self._total = total
        self._said = -1

    def reach(self, part: float) -> None:
        """The whole is done up to `part`, 0 to 1."""
        tick = int(part * self._total + 1e-9)
        if self._logger is not None and tick > self._said:
            self._said = tick
            self._logger(tick, self._total)

    def stage(self, begin: float, end: float) -> Logger:
        """A logger of work that is the part from `begin` to `end` of the whole, each 0 to 1."""

        def log(done: int, of: int) -> None:
            self.reach(begin + (end - begin) * done / max(of, 1))

        return log
