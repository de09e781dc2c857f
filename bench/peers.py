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
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
THREADS = 2
TURNS, TURN_SECONDS, LEAST_RUNS = 15, 0.06, 2


def set_priority(realtime: bool) -> None:
    """Of all threads of this process."""
    policy, priority = (os.SCHED_FIFO, 1) if realtime else (os.SCHED_OTHER, 0)
    for thread in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):  # it has ended since
            os.sched_setscheduler(int(thread), policy, os.sched_param(priority))


def work(measurement: str, peer: str, name: str, folder: str, realtime: str) -> None:
    """For each line of stdin, runs a few times and prints the least seconds."""
    once = importlib.import_module(f"bench.{measurement}").start(peer, name, Path(folder))
    once()
    for _ in sys.stdin:
        if realtime:
            set_priority(True)
        times: list[float] = []
        while len(times) < LEAST_RUNS or sum(times) < TURN_SECONDS:
            start = time.perf_counter()
            once()
            times.append(time.perf_counter() - start)
        if realtime:
            set_priority(False)
        print(min(times), flush=True)


class Peer:
    """One runtime with one row."""

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

    def seconds(self) -> float:
        """Of one run, the least of a turn."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


@dataclass(frozen=True)
class Result:
    """Times of popir and a peer, in seconds: the least of all turns, and the ratios of turns."""

    popir: float
    peer: float
    low: float
    high: float

    @property
    def ratio(self) -> float:
        """The peer's time over popir's."""
        return self.peer / self.popir


def compare(measurement: str, peer: str, name: str, folder: Path, realtime: bool) -> Result:
    """Takes the turns. `low` and `high` are the quartiles of the ratios of single turns."""
    both = [Peer(measurement, each, name, folder, realtime) for each in ("popir", peer)]
    for each in both:
        each.seconds()
    turns = [[each.seconds() for each in both] for _ in range(TURNS)]
    for each in both:
        each.process.communicate()
    ours, theirs = (min(times) for times in zip(*turns, strict=True))
    low, _, high = statistics.quantiles([t[1] / t[0] for t in turns], n=4)
    return Result(ours, theirs, low, high)


def mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return statistics.geometric_mean(ratios)


if __name__ == "__main__":
    work(*sys.argv[1:])
