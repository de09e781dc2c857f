"""What convolutions gain from kept layouts: activations in blocks, weights as oneDNN wants them.

    python -m bench.layouts [--realtime] [--json FILE]

Three ways of one convolution by oneDNN, sampled in turns: everything plain, so that activations and
weights are reordered in every run; activations in the blocks it likes, as the engine keeps them
between convolutions; and the weights kept in its form too. See bench/contraction.py for --realtime.
"""

import sys
import time

import numpy as np

from bench.contraction import (
    CONVOLUTIONS,
    LEAST_SAMPLES,
    LINE_SECONDS,
    Convolution,
    start_threads,
    undisturbed,
    uniform,
)
from bench.report import Report, measurement, quartiles
from popir.poplin import contraction

PASSES = ("forward", "data_gradient", "weights_gradient")


def blocked(x: np.ndarray, block: int) -> np.ndarray:
    """[n, c, h, w] as it lies in blocks of channels; 0 for as it is."""
    if block == 0:
        return x
    n, c, h, w = x.shape
    return np.ascontiguousarray(np.moveaxis(x.reshape(n, c // block, block, h, w), 2, -1))


def prepared(s: Convolution, pass_: str, threads: int) -> list[contraction.Prepared]:
    """The convolution on plain activations, and on those in the blocks that it wishes."""
    pad = s.kernel // 2
    out = (s.size + 2 * pad - s.kernel) // s.stride + 1
    x, y = (s.n, s.i, s.size, s.size), (s.n, s.o, out, out)
    w = (s.groups, s.o // s.groups, s.i // s.groups, s.kernel, s.kernel)
    where = {"stride": [s.stride] * 2, "dilation": [1, 1], "inDilation": [1, 1]}
    where["padLower"] = [pad, pad]
    wish = contraction.preferredBlocks(pass_, x, w, y, **where, threads=threads)
    return [
        contraction.convolution(
            pass_,
            blocked(uniform(x, 0), blocks[0]),
            uniform(w, 1),
            blocked(uniform(y, 2), blocks[1]),
            **where,
            threads=threads,
            source="onednn",
            inBlock=blocks[0],
            outBlock=blocks[1],
        )
        for blocks in [(0, 0), wish]
    ]


@measurement(realtime=True)
def main(report: Report) -> None:
    """Print the table."""
    start_threads(report.realtime)
    times_of = ("plain us", "blocks us", "weights kept too us")
    report.table("convolution", "threads", *times_of, "gain", "lower quartile", "upper quartile")
    for s in CONVOLUTIONS:
        for pass_ in PASSES:
            name = f"{s.what}, {pass_.replace('_', ' ')}"
            for threads in (1, 2) if report.wants(name) else ():
                plain, kept = prepared(s, pass_, threads)
                plain.run()
                kept.run()
                times = []
                with undisturbed(report.realtime):
                    end = time.perf_counter() + LINE_SECONDS
                    while len(times) < LEAST_SAMPLES or time.perf_counter() < end:
                        times.append([plain.seconds(1), kept.seconds(1), kept.seconds(1, True)])
                middle = [float(1e6 * t) for t in np.median(times, axis=0)]
                low, gain, high = quartiles([a / c for a, _, c in times])
                report.row(name, threads, *middle, gain, low, high)


if __name__ == "__main__":
    main(sys.argv[1:])
