"""Outlining: what repeats in a graph becomes one graph that is called.

Two operators are equal if they share identifier, `appendOutlineAttributes`, annotations, and types
and shapes of what they read and write. The schedules of all graphs, laid end to end, are a text
over these classes; its repeats come from a suffix array, and those whose operators are connected
alike are occurrences of one piece of code. The piece that gains most is taken first, then the rest
and the new graphs are looked at again.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Collection, Hashable
from dataclasses import dataclass

import numpy as np

from popir.ir import Graph, Op
from popir.ir.graph import calledGraphs
from popir.transforms.decision import Decision
from popir.transforms.pieces import Piece, Text
from popir.transforms.repeats import Ints, Repeats
from popir.transforms.subgraph import callInstead

_log = logging.getLogger("popir.transforms")
_EVALUATIONS = 20000
"""Occurrences that are compared in one round: what bounds the time where nearly all repeats."""


@dataclass(frozen=True)
class OutlineOptions:
    """What is worth to be outlined; the names are those of PopART's SessionOptions."""

    threshold: float = 1.0
    """A piece of code is outlined if what it saves is above this: the sum of its operators'
    `getSubgraphValue()`.
    """
    copyCostPruning: bool = True
    """Whether each operator's value is multiplied by the square root of the bytes that it reads,
    and the square roots of the bytes that a call copies are taken off.
    """


def outline(graph: Graph, kept: Collection[str], options: OutlineOptions) -> list[Decision]:
    """Outlines what repeats; `kept` are the anchors and the loss.

    Returns a decision for each piece of code that was outlined, and for those that came into
    question last. Takes time about linear in the operators for each round, and a round for each
    level of nesting or a few more.
    """
    decisions: list[Decision] = []
    made = 0
    known: dict[Op, Hashable] = {}
    while True:
        text = Text(calledGraphs(graph), kept, options.copyCostPruning, known)
        pieces, refused = _choose(text, options.threshold)
        if not pieces:
            return [*decisions, *text.refusals, *refused]
        for piece in pieces:
            callee = callInstead(f"subgraph_{made}", piece.instances(), text.isRead)
            made += 1
            what = f"{len(piece.starts)} calls of {callee.name}, {piece.length} operators"
            decisions.append(Decision(piece.where(), what, None))
            _log.debug("%s", decisions[-1])


def _choose(text: Text, threshold: float) -> tuple[list[Piece], list[Decision]]:
    """The pieces to outline now, the one that gains most first; and why others are left."""
    repeats = Repeats(text.tokens)
    chosen: list[Piece] = []
    refused: list[Decision] = []
    heap: list[tuple[float, int]] = []
    for n, repeat in enumerate(repeats.found):
        first, times = int(repeats.suffixes[repeat.low]), repeat.high - repeat.low
        heap.append((-text.mostGain(repeat.length, first, times), n))
    heapq.heapify(heap)
    known: dict[int, Piece] = {}
    seen: set[tuple[int, int]] = set()
    budget = _EVALUATIONS
    while heap:
        gain, n = heapq.heappop(heap)
        if gain >= 0:
            break
        if n in known:
            if not text.isTaken(np.array(known[n].starts), known[n].length):
                chosen.append(known[n])
                text.take(chosen[-1])
            continue
        if budget <= 0:
            continue
        repeat = repeats.found[n]
        places = repeats.places(repeat, repeat.length)
        if chosen and text.isTaken(places, repeat.length):
            continue  # What is left of it may be better off with what is taken: another round.
        length = _apart(places, repeat.length)
        starts: list[int] = repeats.places(repeat, length).tolist()
        if (starts[0], length) in seen:
            continue
        seen.add((starts[0], length))
        piece = text.piece(starts, length)
        budget -= len(piece.starts)
        reason = piece.reason(threshold)
        if reason is None:
            known[n] = piece
            heapq.heappush(heap, (-piece.gain, n))
        else:
            refused.append(Decision(piece.where(), f"{len(piece.starts)} calls", reason))
    return chosen, refused


def _apart(places: Ints, length: int) -> int:
    """How much of a repeat to look at: all, unless it overlaps itself. Then it is made of one piece
    again and again, and of twice, four, eight times that: the most of them that it holds. Fewer are
    repeats of their own.
    """
    period = int(np.diff(places).min())
    return length if period >= length else period << (length // period).bit_length() - 1
