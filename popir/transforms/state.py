"""Keeps the state that operators compute, such as running means, for the next batch."""

from __future__ import annotations

import warnings
from collections.abc import Collection

from popir import registry
from popir.ir import Graph, Op
from popir.ir.graph import called_graphs
from popir.ir.states import states, update_states
from popir.reserved import reservedUpdatedVarPrefix


def keep_state(graph: Graph, kept: Collection[str]) -> None:
    """Adds a CopyVarUpdate for each variable in `kept` that operators update
    (`Op.stateUpdates`): it copies the new value into the variable after the batch. A variable that
    an operator writes itself needs no copy. Warns of those in the body of a loop, which stay as
    they are.

    Raises OperatorInputError for an operator that would compute two new values of one state.
    """
    for each in called_graphs(graph):
        for op in each.ops.values():
            if op.repeatsCalls:
                _warn_of_lost(op)
    if not any(op.stateUpdates() for op in graph.ops.values()):
        return
    latest = update_states(graph, graph.origin, lambda t: t.is_variable() and t.id in kept)
    for variable, value in latest.items():
        settings = Op.Settings(graph, f"CopyVarUpdate/{variable.id}")
        graph.createConnectedOp(
            registry.createOp,
            {0: variable.id, 1: value},
            {0: reservedUpdatedVarPrefix() + variable.id},
            *("ai.graphcore", "CopyVarUpdate", 1, settings, {}),
            [variable, graph.getTensor(value)],
        )


def _warn_of_lost(loop: Op) -> None:
    for body in loop.getCalledGraphs():
        around = dict(zip(body.inputs, loop.argumentsOf(body), strict=True))
        lost: dict[Op, list[str]] = {}
        for op, _, source in states(body):
            if (i := around.get(source.id)) is not None:
                lost.setdefault(op, []).append(repr(loop.inId(i)))
        for op, ids in lost.items():
            warnings.warn(
                f"{op.opid} '{op.name()}' in the body of {loop.opid} '{loop.name()}' is in "
                f"training mode, and its state, {', '.join(ids)}, stays as it is: an iteration "
                "would have to hand it on to the next. Let the operator stand outside of the loop.",
                stacklevel=2,
            )
