"""Runtimes in processes of their own that take turns, so that other load meets all of them.

A measurement has a function `start(peer, name, folder)` that gives a function to be timed. Of each
turn the least time counts; a ratio is the peer's time over popir's, so above 1 popir is faster.
"""

from __future__ import annotations

import importlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bench.report import Report, quartiles

ROOT = Path(__file__).resolve().parents[1]
THREADS = 2
TURNS, TURN_SECONDS, LEAST_RUNS = 15, 0.06, 2
UNITS = {"ms": 1e3, "us": 1e6}


def set_priority(realtime: bool) -> None:
    """Of all threads of this process."""
    policy, priority = (os.SCHED_FIFO, 1) if realtime else (os.SCHED_OTHER, 0)
    for thread in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):  # it has ended since
            os.sched_setscheduler(int(thread), policy, os.sched_param(priority))


def work(measurement: str, peer: str, name: str, folder: str, realtime: str) -> None:
    """For each line of stdin, runs for so many seconds and prints the least and the mean time."""
    once = importlib.import_module(f"bench.{measurement}").start(peer, name, Path(folder))
    once()
    for line in sys.stdin:
        if realtime:
            set_priority(True)
        times: list[float] = []
        end = time.perf_counter() + float(line)
        while len(times) < LEAST_RUNS or time.perf_counter() < end:
            start = time.perf_counter()
            once()
            times.append(time.perf_counter() - start)
        if realtime:
            set_priority(False)
        print(min(times), statistics.fmean(times), flush=True)


class Peer:
    """One runtime with one row. Raises RuntimeError where its process ends early."""

    def __init__(self, measurement: str, peer: str, name: str, folder: Path, realtime: bool):
        worker = ["-W", "ignore", "-m", "bench.peers", measurement, peer, name, str(folder)]
        self.process = subprocess.Popen(
            [sys.executable, *worker, "realtime" if realtime else ""],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": str(THREADS)},
        )

    def turn(self, seconds: float) -> tuple[float, float]:
        """Runs for so long: the least and the mean seconds of a run."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            print(seconds, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            self.process.communicate()
            raise RuntimeError(f"bench.peers: {self.process.args!r} ended early; see above")
        least, mean = map(float, line.split())
        return least, mean

    def seconds(self) -> float:
        """Of one run, the least of a turn."""
        return self.turn(TURN_SECONDS)[0]


@dataclass(frozen=True)
class Result:
    """Times of popir and a peer, in seconds: the least of all turns; quartiles of turns' ratios."""

    popir: float
    peer: float
    low: float
    median: float
    high: float

    @classmethod
    def of(cls, ours: Sequence[float], theirs: Sequence[float]) -> Result:
        """From the times of turns."""
        ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
        return cls(min(ours), min(theirs), *quartiles(ratios))

    @property
    def ratio(self) -> float:
        """The peer's time over popir's."""
        return self.peer / self.popir

    @staticmethod
    def columns(peer: str, unit: str = "ms") -> tuple[str, ...]:
        """Of a table of results."""
        times = (f"popir {unit}", f"{peer} {unit}")
        return (
            *times,
            "ratio",
            "median of turns",
            "lower quartile",
            "upper quartile",
            "% of limit",
        )

    def cells(self, unit: str = "ms", limit: float | None = None) -> tuple[float | None, ...]:
        """Of a row. `limit` has the seconds that the machine needs at least."""
        times = (self.popir * UNITS[unit], self.peer * UNITS[unit])
        share = 100 * limit / self.popir if limit else None
        return (*times, self.ratio, self.median, self.low, self.high, share)


def turns(
    measurement: str, names: Sequence[str], row: str, folder: Path, realtime: bool
) -> list[list[float]]:
    """For each turn the seconds of each runtime, after a first turn that does not count."""
    peers = [Peer(measurement, each, row, folder, realtime) for each in names]
    for each in peers:
        each.seconds()
    found = [[each.seconds() for each in peers] for _ in range(TURNS)]
    for each in peers:
        each.process.communicate()
    return found


def compare(measurement: str, peer: str, name: str, folder: Path, realtime: bool) -> Result:
    """Takes the turns."""
    found = turns(measurement, ["popir", peer], name, folder, realtime)
    ours, theirs = zip(*found, strict=True)
    return Result.of(ours, theirs)


def summary(found: Sequence[Result]) -> str:
    """The geometric mean and the least, of the least times and of the medians of turns."""

    def of(ratios: list[float]) -> str:
        return f"geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}"

    least, medians = of([r.ratio for r in found]), of([r.median for r in found])
    return f"Of the least times: {least}; of the medians of turns: {medians}."


def table(
    report: Report,
    peer: str,
    rows: Iterable[str],
    prepare: Callable[[str, Path], None],
    agree: Callable[[str, Path], None],
    work: Callable[[str], tuple[float, float]],
) -> None:
    """Reports a line for each row that is asked for, and the geometric mean of the ratios.

    `prepare` writes what the peers read to the folder of a row; `agree` raises AssertionError if
    what they wrote there differs; `work` gives a row's operations and bytes. Ends with an error if
    no row is asked for.
    """
    from bench import limits

    found: list[Result] = []
    asked = list(filter(report.wants, rows))
    if not asked:
        raise SystemExit(
            f"bench.{report.name}: no row has {' or '.join(report.asked.words)} in its name; "
            f"rows are: {'; '.join(rows)}"
        )
    report.table("network", *Result.columns(peer))
    for name in asked:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            prepare(name, folder)
            found.append(compare(report.name, peer, name, folder, report.realtime))
            agree(name, folder)
        limit = limits.seconds(*work(name), report.realtime)
        report.row(name, *found[-1].cells(limit=limit))
    if len(found) > 1:
        report.say(summary(found))


if __name__ == "__main__":
    work(*sys.argv[1:])
