"""Keeps the state that operators compute, such as running means, for the next batch."""

from __future__ import annotations

from collections.abc import Collection

from popir import registry
from popir.errors import OperatorInputError
from popir.ir import Graph, Op
from popir.trainable import state_source


def keep_state(graph: Graph, states: Collection[str]) -> None:
    """Adds a CopyVarUpdate for each variable in `states` that operators update
    (`Op.stateUpdates`): it copies the new value into the variable after the batch.

    Operators that share a state, such as a layer that is used twice, update it one after the other
    in scheduled order. A variable that an operator writes itself needs no copy.

    Raises OperatorInputError for an operator that would compute two new values of one state.
    """
    if not any(op.stateUpdates() for op in graph.ops.values()):
        return
    latest: dict[str, str] = {}
    for op in graph.schedule():
        updates = op.stateUpdates()
        if updates:
            op.keepStateOf(graph.origin)
        taken: dict[str, int] = {}
        for i, out in updates.items():
            variable = state_source(op.inTensor(i)) if op.hasInput(i) else None
            if variable is None or variable.id not in states:
                continue
            if (other := taken.setdefault(variable.id, i)) != i:
                raise OperatorInputError(
                    f"{op.debugName()}: inputs {other} and {i} are both the state "
                    f"'{variable.id}', of which the operator would compute two next values. Give "
                    "each an initializer of its own, or train with the state frozen."
                )
            if not op.hasOutput(out):
                id = graph.uniqueId(f"{variable.id}/next")
                op.createAndConnectOutTensor(out, id)
                op.setup()
            if variable.id in latest and _reads_first(op, i):
                op.disconnectInTensor(i)
                op.connectInTensor(i, latest[variable.id])
            latest[variable.id] = op.outId(out)
    for variable, value in latest.items():
        settings = Op.Settings(graph, f"CopyVarUpdate/{variable}")
        tensors = [graph.getTensor(variable), graph.getTensor(value)]
        graph.createConnectedOp(
            registry.createOp,
            {0: variable, 1: value},
            {0: f"UpdatedVar___{variable}"},
            *("ai.graphcore", "CopyVarUpdate", 1, settings, {}, tensors),
        )


def _reads_first(op: Op, i: int) -> bool:
    """Whether input `i` is the state as it was before the batch, or a copy of that, and not the
    updated value of another operator.
    """
    tensor = op.inTensor(i)
    while (producer := tensor.producer) is not None:
        if tensor in [producer.output.get(n) for n in producer.stateUpdates().values()]:
            return False
        tensor = producer.inTensor(0)
    return True
