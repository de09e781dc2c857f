"""Products on tiles of bfloat16 (AMX) against oneDNN, B packed once by both.

    python -m bench.tiles [--realtime]

A ratio is oneDNN's time over that of the tiles: above 1, tiles are faster.
"""

import argparse
import sys

import numpy as np

from bench.contraction import LEAST_SAMPLES, error, start_threads, undisturbed, uniform
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


def main(realtime: bool = False) -> None:
    """Prints the table, for one thread and for two."""
    if "tiles" not in contraction.sources():
        print("this machine has no tiles of bfloat16 (AMX): nothing to measure")
        return
    start_threads(realtime)
    print(f"{'m x k x n':>16} threads  oneDNN us " + "".join(f"{m:>9} error  " for m in MATHS))
    for threads in (1, 2):
        for m, k, n in SHAPES:
            a, b = uniform((1, m, k), 1), uniform((1, k, n), 2)
            exact = a.astype(np.float64) @ b
            results = [np.empty((1, m, n), np.float32) for _ in range(1 + len(MATHS))]
            runs = [contraction.product(a, b, results[0], threads=threads, source="onednn")]
            for math, c in zip(MATHS, results[1:], strict=True):
                runs.append(
                    contraction.product(a, b, c, threads=threads, source="tiles", fpMath=math)
                )
            for run in runs:
                run.run()
            repeats = [max(1, int(SAMPLE_SECONDS / run.seconds(2, True) * 2)) for run in runs]
            samples = []
            for _ in range(LEAST_SAMPLES):
                with undisturbed(realtime):
                    samples.append(
                        [r.seconds(i, True) / i for r, i in zip(runs, repeats, strict=True)]
                    )
            times = np.median(samples, axis=0)
            columns = "".join(
                f"{times[0] / t:9.2f} {error(c, exact):.0e}  "
                for t, c in zip(times[1:], results[1:], strict=True)
            )
            print(f"{f'{m} x {k} x {n}':>16} {threads:7} {times[0] * 1e6:10.0f} {columns}")
            sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--realtime", action="store_true")
    main(parser.parse_args().realtime)
