"""Execution phases: the model is cut into phases that run one after another.

The annotation of `Builder.executionPhase` gives the phase in the forward pass. With phases 0 to n
there, the backward pass of phase p is phase 2 n - p; an update is in the phase of its gradient.
Operators of one phase follow one another, so that only what the phase needs has to be on tiles:
what is off chip is loaded and stored by each phase (`popir.transforms.off_chip`).

Phase p is on IPU p mod `stages`, unless `Builder.virtualGraph` says otherwise.
"""

from __future__ import annotations

from collections.abc import Collection

from popir.errors import OperatorAttributeError
from popir.ir import Graph, Op
from popir.lowering.accumulation import after_accumulation
from popir.options.annotations import EXECUTION_PHASE, VIRTUAL_GRAPH
from popir.transforms.pipeline import numbers_of


def place_phases(graph: Graph, phases: int, stages: int) -> None:
    """Checks the annotations of a model, and gives each operator the IPU of its phase.

    Raises OperatorAttributeError, naming the node, for a phase that there is not; popart_exception
    for an operator that reads what a later phase makes.
    """
    order = graph.schedule()
    for op in order:
        phase = op.settings.nodeAttributes.get(EXECUTION_PHASE, 0)
        if not isinstance(phase, int) or not 0 <= phase < phases:
            raise OperatorAttributeError(
                f"{op.debugName()}: executionPhase = {phase!r} ({EXECUTION_PHASE}) is none of the "
                f"{phases} of SessionOptions.executionPhaseSettings.phases: expected is 0 to "
                f"{phases - 1}."
            )
    for op, phase in numbers_of(order, (), EXECUTION_PHASE, "execution phase").items():
        op.settings.nodeAttributes[EXECUTION_PHASE] = phase
        op.settings.nodeAttributes.setdefault(VIRTUAL_GRAPH, phase % stages)


def order_phases(graph: Graph, backward: Collection[Op]) -> None:
    """Gives each operator its phase, as its annotation, and sorts the graph by phases. What runs
    after accumulation has none.
    """
    later = after_accumulation(graph)
    order = graph.schedule()
    phases = numbers_of(
        [op for op in order if op not in later], backward, EXECUTION_PHASE, "execution phase"
    )
    for op in order:  # What changes a variable comes after all that read it.
        written = [t for i, t in op.input.items() if t.is_variable() and op.modifies(i)]
        if op in phases and written:
            readers = [phases[r] for t in written for r in t.uses if r in phases]
            phases[op] = max(phases[op], *readers)
    for op in order:
        op.settings.nodeAttributes.pop(EXECUTION_PHASE, None)
        if op in phases:
            op.settings.nodeAttributes[EXECUTION_PHASE] = phases[op]
    end = max(phases.values(), default=0) + 1
    graph.ops = {op.id: op for op in sorted(order, key=lambda op: phases.get(op, end))}
    graph.changes += 1
