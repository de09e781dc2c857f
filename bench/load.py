"""Beside other load: how much slower popir and onnxruntime get while other processes are busy.

    python -m bench.load                     some networks beside 0 to 8 busy processes
    python -m bench.load MobileNetV2         rows whose names have one of these words
    python -m bench.load --every             every network of `inference`, beside 8 alone
    python -m bench.load --json FILE         the figures as JSON too

So many processes compute without end, at the same priority, while the two runtimes take turns of
half a second on two threads. A time is the mean of a turn's runs, the median over turns; a slowdown
is that time over the one without load. On C cores, with T threads and N busy processes, a fair
share is C / (T + N) of a core for each thread where that is below 1: "fair" is its inverse.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import inference, peers
from bench.report import Report, measurement

BUSY = [0, 1, 2, 4, 8]
TURNS, TURN_SECONDS = 9, 0.5
ROWS = ["MobileNetV2", "4 BERT-base layers, 128 tokens", "MLP batch 1", "BERT-tiny, batch 16"]
start = inference.start


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Processes that compute while this lasts."""
    made = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in made:
            each.kill()
            each.wait()


def measure(name: str, folder: Path, count: int) -> tuple[float, float]:
    """Seconds of a run of popir and of onnxruntime beside so many busy processes."""
    both = [peers.Peer("load", each, name, folder, False) for each in ("popir", "onnxruntime")]
    for each in both:
        each.seconds()
    with busy(count):
        turns = [[each.turn(TURN_SECONDS)[1] for each in both] for _ in range(TURNS)]
    for each in both:
        each.process.communicate()
    ours, theirs = map(statistics.median, zip(*turns, strict=True))
    return ours, theirs


def beside_most(report: Report) -> None:
    """All networks beside the greatest number of busy processes."""
    from bench import networks  # brings in PyTorch

    report.table("network", "busy processes", "popir ms", "onnxruntime ms", "ratio")
    for name in filter(report.wants, networks.ROWS):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            inference.export(name, folder)
            ours, theirs = measure(name, folder, BUSY[-1])
        report.row(name, BUSY[-1], 1e3 * ours, 1e3 * theirs, theirs / ours)


@measurement()
def main(report: Report) -> None:
    """Measure and print."""
    if report.asked.every:
        return beside_most(report)
    columns = ["popir ms", "onnxruntime ms", "ratio", "popir's slowdown", "onnxruntime's", "fair"]
    report.table("network", "busy processes", *columns)
    cores = len(os.sched_getaffinity(0))
    for name in filter(report.wants, ROWS):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            inference.export(name, folder)
            found = {count: measure(name, folder, count) for count in BUSY}
        alone = found[BUSY[0]]
        for count, (ours, theirs) in found.items():
            slowdowns = (ours / alone[0], theirs / alone[1])
            fair = max(1.0, (peers.THREADS + count) / cores)
            report.row(name, count, 1e3 * ours, 1e3 * theirs, theirs / ours, *slowdowns, fair)


main.parser.add_argument("--every", action="store_true", help="every network, beside most load")

if __name__ == "__main__":
    main(sys.argv[1:])
