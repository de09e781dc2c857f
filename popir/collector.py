"""Python's garbage collector while much is made that stays: `run_seldom`."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Generator

LARGE = 1_000
"""The nodes from which a model counts as large. Below, the collector takes no time to speak of."""
SELDOM = (100_000, 1, 1)
"""Thresholds (`gc.set_threshold`). A collection of everything comes after some 400,000 new objects,
so that sessions which were dropped still go, with their weights, after a few new ones."""

_usual = gc.get_threshold()
_running: set[object] = set()
"""One object for each `with` block that is open, in any thread."""


@contextlib.contextmanager
def run_seldom(nodes: int = LARGE) -> Generator[None]:
    """Lets the collector run less often in the `with` block, which compiles a model of so many
    nodes, or makes as much else.

    A graph is all cycles and none of it is garbage yet: the collector looks at what there is again
    and again and finds little. It stays as it is for a model that is not large, and if it is off or
    set to run as seldom. There is no lock, which a fork might leave locked: threads that meet here
    may get the usual thresholds too early, never the others too long.
    """
    global _usual
    now = gc.get_threshold()
    if now != SELDOM:
        _usual = now
    if nodes < LARGE or not 0 < _usual[0] < SELDOM[0]:
        yield
        return
    mine = object()
    _running.add(mine)
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        _running.discard(mine)
        if not _running:
            gc.set_threshold(*_usual)
