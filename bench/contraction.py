"""The sources of contractions side by side: time, and error against float64, per shape.

    python -m bench.contraction [--realtime] [--json FILE]

With --realtime (as root) samples are taken in short bursts of real-time priority, with pauses
between them: on a machine that others use, two threads are else hardly ever at work together.

The sources take turns, sample by sample, so that other load on the machine meets all of them. A
ratio is oneDNN's time over another source's: above 1, that source is faster. What is compared is a
whole run as a program makes it: oneDNN's reorders are in it. The share of the limit is that of the
source that popir chooses.
"""

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np

from bench import limits
from bench.report import Report, measurement
from popir.poplin import contraction

# Of one sample, and of all samples of a line.
SAMPLE_SECONDS, LINE_SECONDS = 1.5e-4, 0.35
LINE = 64
"""Bytes of a line of the cache."""
LEAST_SAMPLES, MOST_SAMPLES = 7, 400
# The portable source is left out of larger work.
PORTABLE_FLOPS = 1e7


@dataclass
class Product:
    """C [m, n] = A [m, k] B [k, n]; a layout "t" is that of a transposed operand."""

    what: str
    m: int
    k: int
    n: int
    a: str = "n"
    b: str = "n"


PRODUCTS = [
    Product("classifier, batch 1", 1, 64, 10),
    Product("classifier, batch 20", 20, 64, 10),
    Product("small square", 32, 32, 32),
    Product("layer, batch 1", 1, 512, 512),
    Product("layer, batch 1, weights [n, k]", 1, 512, 512, b="t"),
    Product("BERT layer, batch 1", 1, 768, 3072),
    Product("layer, batch 4", 4, 512, 512),
    Product("layer, batch 8", 8, 512, 512),
    Product("layer, batch 8, weights [n, k]", 8, 512, 512, b="t"),
    Product("layer, batch 14", 14, 512, 512),
    Product("layer, batch 16", 16, 512, 512),
    Product("layer, batch 32", 32, 512, 512),
    Product("MLP 1, forward", 64, 784, 512),
    Product("MLP 2, forward", 64, 512, 512),
    Product("MLP 2, input gradient", 64, 512, 512, b="t"),
    Product("MLP 1, weights gradient", 784, 64, 512, a="t"),
    Product("MLP 2, weights gradient", 512, 64, 512, a="t"),
    Product("MLP 3, forward", 64, 512, 10),
    Product("MLP 3, input gradient", 64, 10, 512, b="t"),
    Product("MLP 3, weights gradient", 512, 64, 10, a="t"),
    Product("BERT, 128 tokens", 128, 768, 768),
    Product("BERT, 128 tokens, wide", 128, 768, 3072),
    Product("square", 256, 256, 256),
    Product("square", 512, 512, 512),
    Product("square", 1024, 1024, 1024),
]


@dataclass
class Convolution:
    """n images of i channels of size x size to o channels."""

    what: str
    n: int
    i: int
    o: int
    size: int
    kernel: int
    stride: int = 1
    groups: int = 1


CONVOLUTIONS = [
    Convolution("digits 1", 64, 1, 16, 8, 3),
    Convolution("digits 2", 64, 16, 32, 8, 3),
    Convolution("ResNet-50 stem", 1, 3, 64, 224, 7, 2),
    Convolution("ResNet-50, 3x3 at 56", 1, 64, 64, 56, 3),
    Convolution("ResNet-50, 1x1 at 28", 1, 128, 512, 28, 1),
    Convolution("ResNet-50, 3x3 at 7", 1, 512, 512, 7, 3),
    Convolution("MobileNet, depthwise at 28", 1, 192, 192, 28, 3, 1, 192),
]


def empty(shape: tuple[int, ...]) -> np.ndarray:
    """float32 values that nobody set. They begin where a line of the cache does, as an engine's
    tensors and onnxruntime's do; NumPy's larger arrays begin 16 bytes behind a page.
    """
    size = 4 * math.prod(shape)
    memory = np.empty(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(np.float32).reshape(shape)


def uniform(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """float32 values between -1 and 1, from where a line of the cache begins."""
    values = empty(shape)
    values[...] = np.random.default_rng(seed).uniform(-1, 1, shape)
    return values


def turned(values: np.ndarray) -> np.ndarray:
    """The same matrices, whose columns lie in a row."""
    lying = empty((*values.shape[:-2], values.shape[-1], values.shape[-2])).swapaxes(-1, -2)
    lying[...] = values
    return lying


@contextmanager
def undisturbed(realtime: bool) -> Iterator[None]:
    """Real-time priority inside, if asked for, and a pause afterwards for everybody else."""
    if not realtime:
        yield
        return
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        time.sleep(LINE_SECONDS)


def start_threads(realtime: bool) -> None:
    """Make the pool's threads: they inherit the priority of who makes them."""
    if realtime:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    a = uniform((1, 256, 256), 1)
    contraction.product(a, a, empty(a.shape), threads=2, source="portable").run()
    if realtime:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def median_and_least(runs: list[contraction.Prepared]) -> list[tuple[float, float]]:
    """Seconds of a run of each, sampled in turns."""
    repeats = []
    for run in runs:
        run.run()
        repeats.append(max(1, int(SAMPLE_SECONDS / max(run.seconds(1), 1e-7))))
    times = []
    end = time.perf_counter() + LINE_SECONDS
    while len(times) < LEAST_SAMPLES or (time.perf_counter() < end and len(times) < MOST_SAMPLES):
        times.append([run.seconds(n) / n for run, n in zip(runs, repeats, strict=True)])
    return list(zip(np.median(times, axis=0), np.min(times, axis=0), strict=True))


def error(result: np.ndarray, exact: np.ndarray) -> float:
    """Root of the mean square of the errors, over that of the exact values."""
    return float(np.sqrt(((result - exact) ** 2).mean() / (exact**2).mean()))


# From source and number of threads: the contraction, and the array that it writes.
Prepare = Callable[[str, int], tuple[contraction.Prepared, np.ndarray]]
# Name, floating-point operations, how to make it, what it should give.
Row = tuple[str, float, Prepare, np.ndarray]


def products() -> Iterator[Row]:
    """The rows of PRODUCTS."""
    for s in PRODUCTS:
        a, b = uniform((1, s.m, s.k), 1), uniform((1, s.k, s.n), 2)
        exact = a.astype(np.float64) @ b
        if s.a == "t":
            a = turned(a)
        if s.b == "t":
            b = turned(b)

        def prepare(source: str, threads: int, a=a, b=b, shape=exact.shape):
            c = empty(shape)
            return contraction.product(a, b, c, threads=threads, source=source), c

        yield f"{s.m}x{s.k}x{s.n} {s.a}{s.b}  {s.what}", 2.0 * s.m * s.k * s.n, prepare, exact


def convolutions(which: str) -> Iterator[Row]:
    """The rows of CONVOLUTIONS, in the pass `which`."""
    for s in CONVOLUTIONS:
        pad = s.kernel // 2
        out = (s.size + 2 * pad - s.kernel) // s.stride + 1
        shapes = [
            (s.n, s.i, s.size, s.size),
            (s.groups, s.o // s.groups, s.i // s.groups, s.kernel, s.kernel),
            (s.n, s.o, out, out),
        ]
        written = {"data_gradient": 0, "weights_gradient": 1, "forward": 2}[which]
        where = {
            "stride": [s.stride] * 2,
            "dilation": [1, 1],
            "inDilation": [1, 1],
            "padLower": [pad] * 2,
        }
        wide = [uniform(shape, i).astype(np.float64) for i, shape in enumerate(shapes)]
        exact = wide[written]
        contraction.convolution(which, *wide, **where, source="portable").run()

        def prepare(
            source: str, threads: int, shapes=shapes, written=written, where=where, which=which
        ):
            arrays = [uniform(shape, i) for i, shape in enumerate(shapes)]
            run = contraction.convolution(which, *arrays, **where, threads=threads, source=source)
            return run, arrays[written]

        flops = 2.0 * s.n * s.o * (s.i // s.groups) * s.kernel**2 * out**2
        yield f"{s.what}, {which.replace('_', ' ')}", flops, prepare, exact


def table(title: str, rows: Iterator[Row], sources: list[str], report: Report) -> None:
    """One line per shape and number of threads; all other sources against the first."""
    head = [title, "threads", *(f"{s} us" for s in sources)]
    head += [f"{s}: {of}" for s in sources[1:] for of in ("ratio", "of least times")]
    report.table(*head, *(f"{s} error" for s in sources), "chosen", "% of limit")
    for name, flops, prepare, exact in filter(lambda row: report.wants(row[0]), rows):
        for threads in (1, 2):
            runs = {}
            for source in sources:
                if source != "portable" or flops < PORTABLE_FLOPS:
                    with suppress(ValueError):  # the source does not do this one
                        runs[source] = prepare(source, threads)
            with undisturbed(report.realtime):
                found = median_and_least([run for run, _ in runs.values()])
            times = dict(zip(runs, found, strict=True))
            cells: list[float | str | None] = [
                1e6 * times[s][0] if s in times else None for s in sources
            ]
            for s in sources[1:]:
                pairs = zip(times[sources[0]], times.get(s, (None, None)), strict=True)
                cells += [a / b if b else None for a, b in pairs]
            cells += [error(runs[s][1], exact) if s in runs else None for s in sources]
            chosen = prepare("any", threads)[0].describe().split()[0]
            share = None
            if chosen in times:
                limit = limits.seconds(flops, 0, report.realtime, threads)
                share = 100 * limit / times[chosen][1]
            report.row(name, threads, *cells, chosen, share)


@measurement(realtime=True)
def main(report: Report) -> None:
    """Print the tables."""
    start_threads(report.realtime)
    sources = contraction.sources()
    table("matrix product", products(), sources, report)
    for which in ("forward", "data_gradient", "weights_gradient"):
        title = f"convolution, {which.replace('_', ' ')}"
        table(title, convolutions(which), sources, report)


if __name__ == "__main__":
    main(sys.argv[1:])
