"""Python's garbage collector while much is made that stays: `run_seldom`."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Generator

LARGE = 1_000
"""The nodes from which a model counts as large. Below, the collector takes no time to speak of."""
MOST = 400_000
"""The new objects after which everything is collected, so that sessions which were dropped go,
with their weights, after a few new ones. If there are more than four times as many objects, it is a
quarter of them, as with Python's own collections of everything.
"""
SELDOM = (MOST, 1, 1)
"""Thresholds (`gc.set_threshold`)."""

_usual = gc.get_threshold()
_running: set[object] = set()
"""One object for each `with` block that is open, in any thread."""
_limit = MOST
_new = 0
"""The objects that were made old since the last collection of everything."""


@contextlib.contextmanager
def run_seldom(nodes: int = LARGE) -> Generator[None]:
    """Lets the collector run less often in the `with` block, which compiles a model of so many
    nodes, or makes as much else.

    A graph is all cycles and none of it is garbage yet: the collector looks at what there is again
    and again and finds little. At the end all objects count as old. The collector stays as it is
    for a model that is not large, and if it is off or set to run as seldom. There is no lock, which
    a fork might leave locked: threads that meet here may get the usual thresholds too early, never
    the others too long.
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
            _make_old()
            gc.set_threshold(*_usual)


def _make_old() -> None:
    """Moves all objects to the oldest generation, or collects everything when its time has come.

    With the usual thresholds Python's next collection would look at all that was just made.
    Unfreezing moves objects there; it would move those too that the program has frozen.
    """
    global _limit, _new
    if gc.get_freeze_count():
        return
    _new += gc.get_count()[0]
    if _new > _limit:
        gc.collect()
        _new, _limit = 0, max(MOST, len(gc.get_objects()) // 4)
    else:
        gc.freeze()
        gc.unfreeze()
