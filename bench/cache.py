"""Creating a session again from the cache of compiled programs, in a process that is new.

    python -m bench.cache                     every row
    python -m bench.cache BERT                rows whose names have one of these words
    python -m bench.cache --json FILE         the figures as JSON too

Each creation is in a process of its own, after the import of its runtime: import of the model,
compilation and prepareDevice, with two threads. "first" has an empty cache folder, "second" what
"first" has left. Beside: without a cache, onnxruntime, and reading the model's file alone, of which
weights are all but some kilobytes. Then comes the first run, apart. The rounds take turns; median
and least of the rounds are shown.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench import inference, peers
from bench.report import Report, measurement

ROUNDS = 5
ROWS = ["ResNet-50, batch 1", "4 BERT-base layers, 128 tokens", "ResNet-18, batch 8"]
WAYS = ["no cache", "first", "second", "onnxruntime", "bytes alone"]


def worker(way: str, model: str, input: str, cache: str) -> None:
    """Prints the seconds of a creation, and of the first run after it."""
    x = np.load(input)
    if way == "bytes alone":
        start = time.perf_counter()
        Path(model).read_bytes()
        print(json.dumps([time.perf_counter() - start, 0.0]))
        return
    peer = "onnxruntime" if way == "onnxruntime" else "popir"
    __import__(peer)
    start = time.perf_counter()
    kept = cache if way in ("first", "second") else None
    run = inference.runner(peer, model, "x", "y", x, cache=kept)
    created = time.perf_counter()
    run()
    print(json.dumps([created - start, time.perf_counter() - created]))


def measure(way: str, folder: Path, cache: str) -> list[float]:
    """In a process of its own."""
    words = [sys.executable, "-W", "ignore", "-m", "bench.cache", "--worker", way]
    words += [str(folder / "model.onnx"), str(folder / "x.npy"), cache]
    done = subprocess.run(words, cwd=peers.ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


@measurement()
def main(report: Report) -> None:
    """Measure and print."""
    columns = ["creation ms", "least", "first run ms", "over onnxruntime's creation"]
    report.table("network", "creation", *columns)
    for name in filter(report.wants, ROWS):
        found: dict[str, list[list[float]]] = {way: [] for way in WAYS}
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            inference.export(name, folder)
            for i in range(ROUNDS):
                for way in WAYS:
                    found[way].append(measure(way, folder, str(folder / f"cache{i}")))
        theirs = statistics.median(created for created, _ in found["onnxruntime"])
        for way, times in found.items():
            created = [1e3 * a for a, _ in times]
            run = None if way == "bytes alone" else 1e3 * statistics.median(b for _, b in times)
            median = statistics.median(created)
            report.row(name, way, median, min(created), run, median / 1e3 / theirs)
    report.say(f"Medians of {ROUNDS} rounds.")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    else:
        main(sys.argv[1:])
