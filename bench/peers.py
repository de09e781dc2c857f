"""Runtimes in processes of their own that take turns, so that other load meets all of them.

A measurement has a function `start(peer, name, folder)` that gives a function to be timed. Of each
turn the least time counts; a ratio is the peer's time over popir's, so above 1 popir is faster.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
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
    """Times of popir and a peer, in seconds: the least of all turns; quartiles of turns' ratios."""

    popir: float
    peer: float
    low: float
    median: float
    high: float

    @property
    def ratio(self) -> float:
        """The peer's time over popir's."""
        return self.peer / self.popir


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
    ours, theirs = (min(times) for times in zip(*found, strict=True))
    return Result(ours, theirs, *statistics.quantiles([t[1] / t[0] for t in found], n=4))


def summary(ratios: Sequence[float]) -> str:
    """The geometric mean and the least."""
    return f"geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}"


def table(
    measurement: str,
    peer: str,
    rows: Iterable[str],
    prepare: Callable[[str, Path], None],
    agree: Callable[[str, Path], None],
    arguments: list[str] | None,
) -> None:
    """Prints a line for each row, and the geometric mean of the ratios.

    `prepare` writes what the peers read to the folder of a row; `agree` raises AssertionError if
    what they wrote there differs. Arguments: words in names of rows, --realtime, --json FILE.
    """
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(prog=f"bench.{measurement}")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--json")
    asked = parser.parse_args(arguments or [])
    found: dict[str, Result] = {}
    print(f"| network | popir ms | {peer} ms | ratio | of single turns |\n|---|---|---|---|---|")
    for name in rows:
        if asked.words and not any(word in name for word in asked.words):
            continue
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            prepare(name, folder)
            r = found[name] = compare(measurement, peer, name, folder, asked.realtime)
            agree(name, folder)
        times = f"{1e3 * r.popir:.3f} | {1e3 * r.peer:.3f}"
        of_turns = f"{r.low:.2f}, {r.median:.2f}, {r.high:.2f}"
        print(f"| {name} | {times} | {r.ratio:.2f} | {of_turns} |", flush=True)
    if len(found) > 1:
        print(f"of the least times: {summary([r.ratio for r in found.values()])}")
        print(f"of the medians of turns: {summary([r.median for r in found.values()])}")
    if asked.json:
        figures = {name: vars(r) | {"ratio": r.ratio} for name, r in found.items()}
        Path(asked.json).write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    work(*sys.argv[1:])
