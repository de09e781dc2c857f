"""How many IPUs a model takes that is not placed on virtual graphs.

Its tensors are spread over the tiles of all IPUs that it takes, and what travels between these
takes links, which are slow. So it takes one, and twice as many again as long as it needs their
memory, or has fewer cycles with them, as element-wise operators of large tensors have. Programs
with contractions never have: the planner gives each the tiles of one IPU, as PopLibs' does.

Programs are compared on targets of just these IPUs, which have fewer tiles to cost. Their cycles
are the same on the device: IPUs beyond those in use have no part in a program.
"""

from __future__ import annotations

from collections.abc import Callable

from popir._device import machine
from popir.errors import PopirError
from popir.lowering.lowering import Lowering
from popir.step import Step

Grown = tuple[Lowering, Step]
Grow = Callable[[int, int], Grown]
"""Gives the program on the first IPUs of a target: `grow(IPUs it takes, IPUs of the target)`."""


def grown_on_fewest(grow: Grow, ipus: int, is_held: bool) -> Grown:
    """The program that `grow` gives on as many of the `ipus` IPUs of a device as it is to take.

    `is_held`: it has to fit their memory. If it fits none of them, it is the one on all; without
    `is_held` it is the one on a single IPU. An operator may want the IPUs of its device, and throw
    where there are fewer: then it is the one on all.
    """
    try:
        found = one = grow(1, ipus)
    except PopirError:
        if ipus == 1:
            raise
        return grow(ipus, ipus)
    n = 1
    while n < ipus and _lacks(found):
        n = min(2 * n, ipus)
        found = grow(n, ipus)
    if _lacks(found):
        return found if is_held else one
    if n == ipus or machine.contracts(found[0].graph):
        return found
    fewest = _fewest(grow, n, ipus)
    return found if fewest == n else grow(fewest, ipus)


def _fewest(grow: Grow, n: int, ipus: int) -> int:
    """How many IPUs the program takes that fits `n` of `ipus`: twice as many while cycles fall."""
    cycles = _cycles(grow(n, n))
    while n < ipus:
        more = min(2 * n, ipus)
        others = _cycles(grow(more, more))
        if others >= cycles:
            break
        n, cycles = more, others
    return n


def _lacks(grown: Grown) -> bool:
    """Whether a program is out of memory."""
    lowering, step = grown
    return bool(machine.outOfMemory(lowering.graph, step.program))


def _cycles(grown: Grown) -> int:
    lowering, step = grown
    return machine.programReport(lowering.graph, step.program)["cycles"]
