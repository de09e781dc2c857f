"""Outlining: replaces repeated parts of a graph by calls of one subgraph.

1. Operators are sorted into classes. Two are in one class if identifier,
   `appendOutlineAttributes`, annotations, and types and shapes of inputs and outputs are equal.
2. The schedules of all graphs, one after the other, are a text with classes as letters.
3. A suffix array gives the repeated substrings of that text.
4. Repeats with equal connections between their operators are occurrences of one piece.
5. The pieces that save most are outlined, and the search starts again with the new graphs.

Example: the schedule `MatMul Add Relu MatMul Add Relu Softmax` is the text `abcabcd`. The substring
`abc` occurs twice and becomes subgraph_0; the graph becomes `Call Call Softmax`.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Collection, Hashable
from dataclasses import dataclass

import numpy as np

from popir.ir import Graph, Op
from popir.ir.graph import called_graphs
from popir.transforms.decision import Decision
from popir.transforms.outlining.pieces import Piece, Text
from popir.transforms.outlining.repeats import Ints, Repeats
from popir.transforms.outlining.subgraph import call_instead

_log = logging.getLogger("popir.transforms")
_EVALUATIONS = 20000
"""The most occurrences compared in one round: bounds the time if nearly everything repeats."""


@dataclass(frozen=True)
class OutlineOptions:
    """What is worth outlining. The names are close to those of PopART's SessionOptions:
    `outlineThreshold` and `enableOutliningCopyCostPruning`.
    """

    threshold: float = 1.0
    """A piece is outlined if its value exceeds this. The value is the sum of its operators'
    `getSubgraphValue()`.
    """
    copyCostPruning: bool = True
    """Whether sizes count. Then an operator's value is multiplied by the square root of the bytes
    it reads, and the square root of its bytes is subtracted for each tensor that a call copies.
    """


def outline(graph: Graph, kept: Collection[str], options: OutlineOptions) -> list[Decision]:
    """Outlines repeated pieces; `kept` are the anchors and the loss.

    Returns a decision for each outlined piece, and for the pieces refused in the last round. The
    time of a round is about linear in the operators; the number of rounds is about the depth of
    nested repeats.
    """
    decisions: list[Decision] = []
    made = 0
    known: dict[Op, Hashable] = {}
    while True:
        text = Text(_once(graph), kept, options.copyCostPruning, known)
        pieces, refused = _choose(text, options.threshold)
        if not pieces:
            return [*decisions, *text.refusals, *refused]
        for piece in pieces:
            callee = call_instead(f"subgraph_{made}", piece.instances(), text.is_read)
            made += 1
            what = f"{len(piece.starts)} calls of {callee.name}, {piece.length} operators"
            decisions.append(Decision(piece.where(), what, None))
            _log.debug("%s", decisions[-1])


def _once(graph: Graph) -> list[Graph]:
    """The graph and all that it calls, without those that loops repeat."""
    found = called_graphs(graph)
    loops = (op for each in found for op in each.ops.values() if op.repeatsCalls)
    bodies = {
        body for op in loops for callee in op.getCalledGraphs() for body in called_graphs(callee)
    }
    return [each for each in found if each not in bodies]


def _choose(text: Text, threshold: float) -> tuple[list[Piece], list[Decision]]:
    """The pieces to outline in this round, and decisions for the refused ones.

    A heap is ordered by gain. A repeat enters with an upper bound, which is cheap; when it comes to
    the top, its true gain is computed and it goes back into the heap. A piece that comes to the top
    the second time has the greatest gain of all and is chosen.
    """
    repeats = Repeats(text.tokens)
    chosen: list[Piece] = []
    refused: list[Decision] = []
    heap: list[tuple[float, int]] = []
    for n, repeat in enumerate(repeats.found):
        first, times = int(repeats.suffixes[repeat.low]), repeat.high - repeat.low
        heap.append((-text.most_gain(repeat.length, first, times), n))
    heapq.heapify(heap)
    known: dict[int, Piece] = {}
    seen: set[tuple[int, int]] = set()
    budget = _EVALUATIONS
    while heap:
        gain, n = heapq.heappop(heap)
        if gain >= 0:
            break
        if n in known:
            if not text.is_taken(np.array(known[n].starts), known[n].length):
                chosen.append(known[n])
                text.take(chosen[-1])
            continue
        if budget <= 0:
            continue
        repeat = repeats.found[n]
        places = repeats.places(repeat, repeat.length)
        if chosen and text.is_taken(places, repeat.length):
            continue  # What remains of it is considered in the next round.
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
    """The length of the repeat's prefix to outline: all of it, unless its occurrences overlap.

    Occurrences that are `period` apart and overlap are a run of one block of that length. Then the
    prefix is 1, 2, 4, ... blocks, the most that fit; shorter ones are repeats of their own.
    Example: `abababab` at places 0 and 2 with length 6 has period 2 and three blocks: length 4.
    """
    period = int(np.diff(places).min())
    return length if period >= length else period << (length // period).bit_length() - 1
