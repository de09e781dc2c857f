"""How many IPUs a model takes that is not placed on virtual graphs.

Its tensors are spread over the tiles of all IPUs that it takes, and what travels between these
takes links, which are slow. So it takes one, and twice as many again as long as it needs their
memory, or has fewer cycles with them, as element-wise operators of large tensors have. Programs
with contractions never have: the planner gives each the tiles of one IPU, as PopLibs' does.
"""

from __future__ import annotations

from collections.abc import Callable

from popir._device import machine
from popir.lowering.lowering import Lowering
from popir.step import Step

Grown = tuple[Lowering, Step]


def grown_on_fewest(grow: Callable[[int], Grown], ipus: int, is_held: bool) -> Grown:
    """The program that `grow` gives on as many of the `ipus` IPUs of a device as it is to take.

    `is_held`: it has to fit their memory. If it fits none of them, it is the one on all; without
    `is_held` it is the one on a single IPU.
    """
    found = one = grow(1)
    n = 1
    while n < ipus and _lacks(found):
        n = min(2 * n, ipus)
        found = grow(n)
    if _lacks(found):
        return found if is_held else one
    while n < ipus and not machine.contracts(found[0].graph):
        n = min(2 * n, ipus)
        more = grow(n)
        if _cycles(more) >= _cycles(found):
            break
        found = more
    return found


def _lacks(grown: Grown) -> bool:
    """Whether a program is out of memory."""
    lowering, step = grown
    return bool(machine.outOfMemory(lowering.graph, step.program))


def _cycles(grown: Grown) -> int:
    lowering, step = grown
    return machine.programReport(lowering.graph, step.program)["cycles"]
