"""What the machine can do, measured beside each row: no program is faster than both allow.

The limit of a row is the longer of two times: that of its multiplications and additions at the rate
of a product that fits the second-level cache, and that of its bytes (input, output and weights,
each once) at the rate of memcpy, if they do not fit the last-level cache. What lies between
operators and element-wise functions count nothing. Winograd's convolutions do fewer multiplications
than are counted, so such a row may pass 100 %.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench import peers

Array = np.ndarray[Any, Any]
SIZES = (256, 384, 512)
COPIED = 256 << 20
REPEATS, SAMPLES = 10, 5


@cache
def last_level_cache() -> int:
    """Bytes of the largest cache of core 0; 0 if the system does not say."""
    folder = Path("/sys/devices/system/cpu/cpu0/cache")
    sizes = [each.read_text().strip() for each in folder.glob("index*/size")]
    return max((int(each.rstrip("K")) << 10 for each in sizes if each.endswith("K")), default=0)


@cache
def _products(threads: int) -> list[tuple[float, Any]]:
    from bench.contraction import uniform
    from popir.poplin import contraction

    found: list[tuple[float, Any]] = []
    for n in SIZES:
        a, b = uniform((1, n, n), 1), uniform((1, n, n), 2)
        for source in ("any", "onednn"):
            c = np.empty_like(a)
            run = contraction.product(a, b, c, threads=threads, source=source)
            run.run()
            found.append((2.0 * n**3, run))
    return found


def operations_per_second(threads: int = peers.THREADS) -> float:
    """Multiplications and additions, by the fastest of a few products whose operands stay."""
    return max(
        flops * REPEATS / min(run.seconds(REPEATS, True) for _ in range(SAMPLES))
        for flops, run in _products(threads)
    )


@cache
def _blocks() -> tuple[Array, Array]:
    return np.ones(COPIED, np.uint8), np.ones(COPIED, np.uint8)


def copier(
    source: Array, target: Array, pool: ThreadPoolExecutor, threads: int
) -> Callable[[], object]:
    """Memcpy from one array to the other, in equal parts on the threads."""
    copy = ctypes.CDLL(None).memcpy
    copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    part = source.nbytes // threads

    def one(i: int) -> None:
        copy(target.ctypes.data + i * part, source.ctypes.data + i * part, part)

    return lambda: list(pool.map(one, range(threads)))


def bytes_per_second(threads: int = peers.THREADS) -> float:
    """Bytes read and bytes written by memcpy of 256 MiB, in equal parts on the threads. (The C
    library stores past the caches from about the size of the last-level cache on; smaller copies
    read what they write, and take up to twice as long for each byte.)
    """
    times: list[float] = []
    with ThreadPoolExecutor(threads) as pool:
        run = copier(*_blocks(), pool, threads)
        for _ in range(SAMPLES):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    return 2 * COPIED / min(times)


def seconds(flops: float, moved: float, realtime: bool, threads: int = peers.THREADS) -> float:
    """The limit of a row with so many operations and bytes."""
    peers.set_priority(realtime)
    try:
        by_bytes = moved > last_level_cache()
        return max(
            flops / operations_per_second(threads),
            moved / bytes_per_second(threads) if by_bytes else 0.0,
        )
    finally:
        peers.set_priority(False)
