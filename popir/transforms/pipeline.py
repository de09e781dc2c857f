"""Pipelines: the stage of each operator, and what is kept from stage to stage.

The annotation of `Builder.pipelineStage` gives the stage in the forward pass; if no operator has
it, the IPU is the stage. With stages 0 to n in the forward pass, the backward pass of stage s is
stage 2 n - s; that of the last one is in that stage itself. All stages run at once, each on another
micro-batch: while stage s works on micro-batch b, stage s + 1 works on b - 1.

In one cycle of the pipeline the later stages run first. So a stage reads what the one before it has
made in the last cycle before that is made again. What is needed more than a cycle later, or was not
copied from another IPU, goes through a Stash and a Restore: a tensor that stage s makes and stage t
reads through one of t - s places. A variable that changes with each micro-batch, such as the random
seed, is stashed as well; so each stage draws the numbers of its micro-batch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from popir import registry
from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor
from popir.lowering.accumulation import after_accumulation
from popir.ops.support.variable import VAR
from popir.options.annotations import PIPELINE_STAGE, VIRTUAL_GRAPH
from popir.reserved import reservedRestoredPrefix, reservedStashedPrefix


def check_stages(graph: Graph) -> None:
    """Checks the annotations of a model: all or no operators have stages, each stage is on one IPU.

    Raises popart_exception, naming operators.
    """
    ops = graph.schedule()
    staged = {
        op: n for op in ops if (n := op.settings.nodeAttributes.get(PIPELINE_STAGE)) is not None
    }
    if not staged:
        return
    missing = [op for op in ops if op not in staged]
    if missing:
        raise popart_exception(
            f"{missing[0].debugName()} has no pipelineStage, and {next(iter(staged)).debugName()} "
            "has one: all operators of a model have one, or none.",
            popart="Only some ops have had their pipeline stage set. Ops missing the pipeline "
            f"stage: {', '.join(op.debugName() for op in missing)}",
        )
    for op, stage in staged.items():
        if not isinstance(stage, int) or stage < 0:
            raise popart_exception(
                f"{op.debugName()}: pipelineStage = {stage!r}; expected is an integer from 0."
            )
    of_stage: dict[int, Op] = {}
    for op, stage in staged.items():
        first = of_stage.setdefault(stage, op)
        both = [each.settings.nodeAttributes.get(VIRTUAL_GRAPH) for each in (first, op)]
        if both[0] != both[1]:
            raise popart_exception(
                f"{first.debugName()} and {op.debugName()} are in the pipeline stage {stage}, and "
                f"on the IPUs {both[0]} and {both[1]}: a stage is on one IPU.",
                popart=f"Ops [{first.debugName()}, {op.debugName()}] have the same pipeline stage "
                f"{stage}, but different virtual graph ids {both}. All ops with the same pipeline "
                "stage must also have the same virtual graph id",
            )


def stage_key(ops: Iterable[Op]) -> str:
    """The annotation that gives the stage: the IPU if no operator has a stage."""
    has_stages = any(PIPELINE_STAGE in op.settings.nodeAttributes for op in ops)
    return PIPELINE_STAGE if has_stages else VIRTUAL_GRAPH


def merge_stages(graph: Graph) -> None:
    """Makes stages that follow one another on one IPU a single stage, and numbers all from 0."""
    of_stage: dict[int, object] = {}
    for op in graph.schedule():
        stage = op.settings.nodeAttributes.get(PIPELINE_STAGE)
        if stage is not None:
            of_stage.setdefault(stage, op.settings.nodeAttributes.get(VIRTUAL_GRAPH))
    numbers: dict[int, int] = {}
    before: object = ...
    for stage in sorted(of_stage):
        ipu = of_stage[stage]
        is_new = before is ... or ipu != before or ipu is None
        numbers[stage] = max(numbers.values(), default=-1) + is_new
        before = ipu
    for op in graph.ops.values():
        stage = op.settings.nodeAttributes.get(PIPELINE_STAGE)
        if stage is not None:
            op.settings.nodeAttributes[PIPELINE_STAGE] = numbers[stage]


def assign_stages(graph: Graph, backward: Collection[Op]) -> int:
    """Gives each operator that runs for each micro-batch its stage, as its annotation, and returns
    the number of stages.

    Raises popart_exception if an operator reads what a later stage of the forward pass makes.
    """
    later = after_accumulation(graph)
    order = [op for op in graph.schedule() if op not in later]
    stages = numbers_of(order, backward, stage_key(order), "pipeline stage")
    for op in graph.ops.values():
        op.settings.nodeAttributes.pop(PIPELINE_STAGE, None)
    for op, stage in stages.items():
        op.settings.nodeAttributes[PIPELINE_STAGE] = stage
    return max(stages.values(), default=0) + 1


def numbers_of(order: Sequence[Op], backward: Collection[Op], key: str, what: str) -> dict[Op, int]:
    """The stage or phase of each operator of a schedule; the annotation `key` gives those of the
    forward pass. With 0 to n forwards, the backward pass of s is 2 n - s. An operator without one
    is where the last of what it reads is made, else where its first reader is, or the first other
    operator with a variable that it changes, such as a count of batches.

    Raises popart_exception if an operator reads what a later one of the forward pass makes; `what`
    names the annotation.
    """
    given = {op: n for op in order if (n := op.settings.nodeAttributes.get(key)) is not None}
    last = max((n for op, n in given.items() if op not in backward), default=0)
    found: dict[Op, int] = {}
    for op in order:
        producers = [t.producer for t in op.input.values() if t.producer is not None]
        least = max((found[p] for p in producers if p in found), default=None)
        own = given.get(op)
        if own is not None and op in backward:
            own = max(2 * last - own, least or 0)
        elif own is not None and least is not None and own < least:
            late = (t for t in op.input.values() if t.producer and found.get(t.producer) == least)
            tensor = next(late)
            raise popart_exception(
                f"{op.debugName()} is in the {what} {own}, and reads '{tensor.id}', which "
                f"{tensor.getProducer().debugName()} makes in {what.split()[-1]} {least}: values "
                f"go to later {what.split()[-1]}s only.",
                popart=f"Tensor {tensor.id} is consumed in an earlier {what} than it is produced",
            )
        number = own if own is not None else least
        if number is not None:
            found[op] = number
    for op in reversed(order):
        if op not in found:
            near = [*op.output.values(), *(t for i, t in op.input.items() if op.modifies(i))]
            found[op] = min((found[r] for t in near for r in t.uses if r in found), default=0)
    return found


def stash_between_stages(graph: Graph) -> None:
    """Adds the Stash and Restore operators. Runs when all operators are placed on IPUs.

    Raises popart_exception for a running mean to which several stages add.
    """
    order = graph.schedule()
    stage = {
        op: n for op in order if (n := op.settings.nodeAttributes.get(PIPELINE_STAGE)) is not None
    }
    _check_sums(stage)
    changing = _changing(stage)
    for op in order:  # Copies of inputs and weights run where their first reader is.
        if op.opid.type == "IpuCopy" and op not in stage:
            source = op.inTensor(0)
            readers = [stage[r] for r in op.outTensor(0).uses if r in stage]
            stage[op] = changing.get(source, min(readers, default=0))
            op.settings.nodeAttributes[PIPELINE_STAGE] = stage[op]
    restored: dict[tuple[Tensor, int], str] = {}
    tensors = dict.fromkeys(t for op in order for t in op.input.values())
    for tensor in tensors:
        at = _stage_of(tensor, stage, changing)
        if at is None:
            continue
        for reader in [r for r in tensor.uses if stage.get(r, at) > at]:
            to = stage[reader]
            is_copy = tensor.producer is not None and tensor.producer.opid.type == "IpuCopy"
            if is_copy and to == at + 1:
                continue
            if (tensor, to) not in restored:
                ipu = reader.settings.nodeAttributes[VIRTUAL_GRAPH]
                restored[tensor, to] = _stash(graph, tensor, at, to, ipu)
            for i in [i for i, t in reader.input.items() if t is tensor]:
                reader.disconnectInTensor(i)
                reader.connectInTensor(i, restored[tensor, to])


def _check_sums(stage: Mapping[Op, int]) -> None:
    """Raises popart_exception for a running mean to which several stages add: each is at another
    batch.
    """
    for op, at in stage.items():
        if not op.accumulates:
            continue
        first = op
        while (before := first.inTensor(VAR).producer) is not None and before.accumulates:
            first = before
        if first.attributes.get("mode") == "Mean" and stage.get(first, at) != at:
            raise popart_exception(
                f"{op.debugName()} adds to a running mean in the pipeline stage {at}, and "
                f"{first.debugName()} in stage {stage[first]}, which is at another "
                "micro-batch. Choose SessionOptions."
                "meanAccumulationAndReplicationReductionStrategy = MeanReductionStrategy.Post."
            )


def _changing(stage: Mapping[Op, int]) -> dict[Tensor, int]:
    """The variables that operators read and change with each micro-batch, and the stage in which
    they change. What accumulates is left out: nothing else reads it.
    """
    found: dict[Tensor, int] = {}
    for op, at in stage.items():
        for i, tensor in op.input.items():
            if tensor.is_variable() and op.modifies(i) and not op.accumulates:
                found[tensor] = at
    return found


def _stage_of(
    tensor: Tensor, stage: Mapping[Op, int], changing: Mapping[Tensor, int]
) -> int | None:
    """The stage from which on a tensor is there; None if it is always there."""
    op = tensor.producer
    if op is not None and op.opid.type == "IpuCopy" and op.inTensor(0).is_variable():
        return stage[op] if op.inTensor(0) in changing else None
    if op is not None:  # What stages add up is one variable.
        return None if op.accumulates else stage.get(op)
    if tensor.is_stream():
        return min((stage[r] for r in tensor.uses if r in stage), default=None)
    return changing.get(tensor)


def _stash(graph: Graph, tensor: Tensor, at: int, to: int, ipu: int) -> str:
    """Adds a Stash in the stage `at`, a Restore in the stage `to`, and returns what that gives."""
    ids = [tensor.id]
    for kind, prefix, where in (
        ("Stash", reservedStashedPrefix(), at),
        ("Restore", reservedRestoredPrefix(), to),
    ):
        settings = Op.Settings(graph, "", {VIRTUAL_GRAPH: ipu, PIPELINE_STAGE: where})
        ids.append(graph.uniqueId(prefix + tensor.id))
        graph.createConnectedOp(
            registry.createOp,
            {0: ids[-2]},
            {0: ids[-1]},
            *("ai.graphcore", kind, 1, settings),
            *({"stash_size": to - at}, [graph.getTensor(ids[-2])]),
        )
    return ids[-1]
