"""Recomputation: the backward pass computes activations again that the forward pass has computed.

An operator of the forward pass that is recomputed gets a clone, which the readers in the backward
pass read instead. A clone reads the same inputs, or the clones of their producers, down to results
that are kept (*checkpoints*), weights and inputs. It runs directly before its first reader, so that
an activation is in memory twice for a short time, and not from the forward pass to the backward
pass. Clones compute the same bits: those of random operators draw the same numbers.

Which operators are recomputed, an annotation says (`Builder.recomputeOutputInBackwardPass`), or
`SessionOptions.autoRecomputation`:

- Standard: the schedule of the forward pass is cut into intervals, which become shorter towards the
  loss. Of each interval the point is kept at which the results that are still needed have the least
  bytes. All else is recomputed.
- NormOnly: normalisations are recomputed.
- RecomputeAll: everything is, but for what `Builder.checkpointOutput` marks, and what comes between
  the last marks and the loss. If nothing is marked, points of the schedule are kept as Standard
  does, chosen so that these and the longest stretch between two of them have the least bytes.
- Pipeline: of each stage of a pipeline, what it gets from the one before is kept. In the last
  stage, whose backward pass follows at once, what comes before its last marks is recomputed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise

from popir.enums import RecomputationType, RecomputeType
from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor
from popir.options.annotations import CHECKPOINT, PIPELINE_STAGE, RECOMPUTE, RECOMPUTED
from popir.transforms.decision import Decision
from popir.transforms.prune import stays

_NORMS = frozenset(
    {
        *(
            "BatchNormalization",
            "GroupNormalization",
            "InstanceNormalization",
            "LayerNormalization",
        ),
    }
)


def asks_for_recomputation(graph: Graph, how: RecomputationType) -> bool:
    """Whether `how` or an annotation asks for recomputation."""
    if how is not RecomputationType.NoRecompute:
        return True
    return any(_mark(op) == RECOMPUTED for op in graph.ops.values())


def recomputed_operators(graph: Graph, forward: Collection[Op], how: RecomputationType) -> set[Op]:
    """The operators among `forward`, those that the loss depends on, that are recomputed.

    Raises popart_exception if annotations ask for recomputation and `how` does, too.
    """
    order = [op for op in graph.schedule() if op in forward]
    marked = [op for op in order if _mark(op) == RECOMPUTED]
    if how is RecomputationType.NoRecompute:
        return {op for op in marked if _can_be_recomputed(op)}
    if marked:
        raise popart_exception(
            f"SessionOptions.autoRecomputation = {how}: {marked[0].debugName()} is annotated to be "
            "recomputed (recomputeOutputInBackwardPass), too. Use one of the two; "
            "Builder.checkpointOutput says what autoRecomputation keeps.",
            popart="A mixture of auto and manual recomputation is not supported",
        )
    if how is RecomputationType.NormOnly:
        found = {op for op in order if op.plainType() in _NORMS}
    elif how is RecomputationType.Standard:
        found = set(order) - _kept_by_intervals(order)
    elif how is RecomputationType.Pipeline:
        last = _last_stage(order)
        found = set(order) - last
        if any(_mark(op) == CHECKPOINT for op in last):
            found |= _before_the_last_marks([op for op in order if op in last])
    elif any(_mark(op) == CHECKPOINT for op in order):
        found = _before_the_last_marks(order)
    else:
        found = set(order) - _kept_for_least_memory(order)
    return {op for op in found if _can_be_recomputed(op) and _mark(op) != CHECKPOINT}


def recompute(
    graph: Graph, backward: Collection[Op], chosen: Collection[Op], key: str | None = None
) -> list[Decision]:
    """Gives the operators in `backward` clones of the results of the operators `chosen`, which
    are in the forward pass. Returns a decision for each operator that got a clone.

    In a pipeline, `key` is the annotation that gives the stage. What an operator reads from another
    stage is not recomputed.
    """
    if not chosen:
        return []
    # A state such as a running mean or the seed changes after all have read it. What changes it
    # must not be where it would ask for its readers, and the clones among them, early.
    graph.ops = dict(sorted(graph.ops.items(), key=lambda item: stays(item[1])))
    graph.changes += 1
    clones: dict[Op, Op] = {}
    previous: Op | None = None
    order: list[Op] = []
    for op in graph.schedule():
        known = len(clones)
        if op in backward:
            for i, tensor in list(op.input.items()):
                if tensor.producer in chosen and _is_near(op, tensor, key):
                    again = _again(graph, tensor, chosen, clones, previous, key)
                    op.disconnectInTensor(i)
                    op.connectInTensor(i, again.id)
            previous = op
        order += list(clones.values())[known:]
        order.append(op)
    graph.ops = {op.id: op for op in sorted(order, key=stays)}
    graph.changes += 1
    for ops, kind in (chosen, RecomputeType.Recompute), (clones.values(), RecomputeType.Recomputed):
        graph.recomputed |= {t.id: kind for op in ops for t in op.output.values()}
    return [Decision(op.debugName(), "recomputation", None) for op in clones]


def _again(
    graph: Graph,
    tensor: Tensor,
    chosen: Collection[Op],
    clones: dict[Op, Op],
    after: Op | None,
    key: str | None,
) -> Tensor:
    """The result of a clone for `tensor`; adds what is missing, to run after `after`."""
    assert tensor.producer is not None
    stack = [tensor.producer]
    while stack:
        op = stack[-1]
        near = (t for t in op.input.values() if _is_near(op, t, key))
        before = {t.producer for t in near if t.producer in chosen}
        if op not in clones and (missing := [b for b in before if b and b not in clones]):
            stack += sorted(missing, key=lambda each: each.id)
            continue
        stack.pop()
        if op not in clones:
            clones[op] = _clone(graph, op, clones, after, key)
    clone = clones[tensor.producer]
    index = next(o for o, t in tensor.producer.output.items() if t is tensor)
    return clone.outTensor(index)


def _clone(graph: Graph, op: Op, clones: dict[Op, Op], after: Op | None, key: str | None) -> Op:
    clone = op.clone()
    clone.source, clone.called_names = op.source, op.called_names
    graph.moveIntoGraph(clone)
    for i, tensor in op.input.items():
        by = tensor.producer
        known = clones.get(by) if by is not None and _is_near(op, tensor, key) else None
        if known is not None and by is not None:
            index = next(o for o, t in by.output.items() if t is tensor)
            tensor = known.outTensor(index)
        clone.connectInTensor(i, tensor.id)
    for o, tensor in op.output.items():
        clone.createAndConnectOutTensor(o, graph.uniqueId(f"{tensor.id}/recomputed"))
        clone.outTensor(o).info = tensor.info
    if after is not None:
        graph.addConstraint(after, clone)
    return clone


def _is_near(op: Op, tensor: Tensor, key: str | None) -> bool:
    """Whether the operator that makes a tensor is of the stage of one that reads it."""
    if key is None or tensor.producer is None:
        return True
    notes = [each.settings.nodeAttributes.get(key) for each in (op, tensor.producer)]
    return notes[0] == notes[1]


def _mark(op: Op) -> int:
    return op.settings.nodeAttributes.get(RECOMPUTE, 0)


def _can_be_recomputed(op: Op) -> bool:
    """Whether a second execution has the same results and no other effect."""
    return not stays(op) and not any(map(op.modifies, op.input)) and not op.accumulates


def _bytes(ops: Iterable[Op]) -> int:
    return sum(t.info.nbytes() for op in ops for t in op.output.values() if t.info is not None)


def _live(order: list[Op]) -> list[list[Op]]:
    """For each operator, those whose results are needed after it has run, itself among them."""
    place = {op: n for n, op in enumerate(order)}
    last = [
        max([n, *(place[r] for t in op.output.values() for r in t.uses if r in place)])
        for n, op in enumerate(order)
    ]
    found: list[list[Op]] = []
    live: list[Op] = []
    for n, op in enumerate(order):
        live = [each for each in live if last[place[each]] > n]
        found.append([*live, op] if op not in live else live)
        live = [*live, op]
    return found


def _kept_by_intervals(order: list[Op]) -> set[Op]:
    """What Standard keeps. The first interval of n operators has about 0.75 sqrt(2 n); each one is
    shorter than the one before, down to 1.
    """
    live, kept = _live(order), set[Op]()
    length = int(0.75 * max(int((2 * len(order)) ** 0.5) - 1, 0))
    begin = 0
    while begin < len(order):
        end = min(begin + max(length, 1), len(order))
        kept.update(min(live[begin:end], key=_bytes))
        begin, length = end, length - 1
    return kept


def _kept_for_least_memory(order: list[Op]) -> set[Op]:
    """The results to keep so that the most bytes that are there at once are the least: when the
    backward pass comes to a stretch between two points, what is kept up to its end, its results and
    a gradient of the largest one. Of several limits for the bytes of a stretch, the best one.
    """
    live = _live(order)
    held, each = [_bytes(ops) for ops in live], [_bytes([op]) for op in order]
    total = sum(each)
    best, found = total, [len(order)]
    for parts in range(2, 65):
        cuts = _cuts(held, each, total // parts)
        kept, most = set[Op](), 0
        for a, b in pairwise([-1, *cuts, len(order) - 1]):
            kept.update(live[b] if b in cuts else ())
            again = sum(each[n] for n in range(a + 1, b + 1) if order[n] not in kept)
            most = max(most, again + _bytes(kept) + max(each[a + 1 : b + 1], default=0))
        if most < best:
            best, found = most, cuts
    if found == [len(order)]:
        return set(order)
    # What comes after the last point is needed at once: it is kept, too.
    return {op for cut in found for op in live[cut]} | set(order[found[-1] + 1 :])


def _cuts(held: list[int], each: list[int], limit: int) -> list[int]:
    """The points to keep, if a stretch is to have about `limit` bytes: of the second half of each
    stretch, the point with the least bytes.
    """
    cuts: list[int] = []
    begin = 0
    while begin < len(each):
        size, middle, end = 0, begin, begin
        while end < len(each) and (size < limit or end == begin):
            size += each[end]
            middle = end if size <= limit // 2 else middle
            end += 1
        if end == len(each):
            break
        cuts.append(min(range(middle, end), key=lambda n: (held[n], -n)))
        begin = cuts[-1] + 1
    return cuts


def _before_the_last_marks(order: list[Op]) -> set[Op]:
    """All operators but those between the last marks and the loss, which are needed at once."""
    found = set(order)
    stack = order[-1:]
    while stack:
        op = stack.pop()
        if op in found and _mark(op) != CHECKPOINT:
            found.remove(op)
            stack += [t.producer for t in op.input.values() if t.producer is not None]
    return found


def _last_stage(order: list[Op]) -> set[Op]:
    """The operators of the last stage of a pipeline, which its backward pass follows at once."""
    stages = {op: op.settings.nodeAttributes.get(PIPELINE_STAGE, 0) for op in order}
    last = max(stages.values(), default=0)
    return {op for op, stage in stages.items() if stage == last}
