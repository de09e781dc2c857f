"""Products on tiles of bfloat16 (AMX) against oneDNN, B packed once by both.

    python -m bench.tiles [--realtime] [--json FILE]

A ratio is oneDNN's time over that of the tiles: above 1, tiles are faster.
"""

import sys

import numpy as np

from bench.contraction import LEAST_SAMPLES, empty, error, start_threads, undisturbed, uniform
from bench.report import Report, measurement, quartiles
from popir.poplin import contraction

SHAPES = [
    (16, 768, 768),
    (32, 768, 768),
    (32, 768, 3072),
    (64, 512, 512),
    (64, 768, 3072),
    (128, 256, 256),
    (128, 768, 768),
    (128, 768, 3072),
    (128, 3072, 768),
    (256, 784, 512),
    (384, 768, 768),
    (512, 512, 512),
    (1024, 1024, 1024),
]
MATHS = ["highest", "high", "medium"]
SAMPLE_SECONDS = 2e-3


@measurement(realtime=True)
def main(report: Report) -> None:
    """Prints the table, for one thread and for two."""
    if "tiles" not in contraction.sources():
        report.table("tiles of bfloat16 (AMX)")
        report.row("this machine has none: nothing to measure")
        return
    start_threads(report.realtime)
    of_maths = [f"{m}: {of}" for m in MATHS for of in ("ratio", "error")]
    report.table("m x k x n", "threads", "oneDNN us", *of_maths, "quartiles of highest")
    for threads in (1, 2):
        for m, k, n in SHAPES:
            name = f"{m} x {k} x {n}"
            if report.wants(name):
                report.row(name, threads, *measure(m, k, n, threads, report.realtime))


def measure(m: int, k: int, n: int, threads: int, realtime: bool) -> list[float | str]:
    """The cells of a row, after its name and number of threads."""
    a, b = uniform((1, m, k), 1), uniform((1, k, n), 2)
    exact = a.astype(np.float64) @ b
    results = [empty((1, m, n)) for _ in range(1 + len(MATHS))]
    runs = [contraction.product(a, b, results[0], threads=threads, source="onednn")]
    for math, c in zip(MATHS, results[1:], strict=True):
        runs.append(contraction.product(a, b, c, threads=threads, source="tiles", fpMath=math))
    for run in runs:
        run.run()
    repeats = [max(1, int(SAMPLE_SECONDS / run.seconds(2, True) * 2)) for run in runs]
    samples: list[list[float]] = []
    for _ in range(LEAST_SAMPLES):
        with undisturbed(realtime):
            samples.append([r.seconds(i, True) / i for r, i in zip(runs, repeats, strict=True)])
    times = [float(t) for t in np.median(samples, axis=0)]
    cells: list[float | str] = [1e6 * times[0]]
    for t, c in zip(times[1:], results[1:], strict=True):
        cells += [times[0] / t, error(c, exact)]
    low, _, high = quartiles([each[0] / each[1] for each in samples])
    return [*cells, f"{low:.2f} to {high:.2f}"]


if __name__ == "__main__":
    main(sys.argv[1:])
