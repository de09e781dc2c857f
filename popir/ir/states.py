"""The state that operators keep from batch to batch, such as running means: `Op.stateUpdates`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from popir.errors import OperatorInputError
from popir.ir.graph import Graph, Op, Tensor
from popir.ir.origin import Origin


def state_source(tensor: Tensor) -> Tensor | None:
    """What a state tensor starts from: a variable, or an input of a called graph. None if it is
    computed.

    Follows the tensor back through copies (Identity, Nop, Detach) and through earlier operators
    that update the same state.
    """
    while (op := tensor.producer) is not None:
        if op.opid.type in ("Identity", "Nop", "Detach"):
            tensor = op.inTensor(0)
            continue
        before = [i for i, out in op.stateUpdates().items() if op.output.get(out) is tensor]
        if not before:
            return None
        tensor = op.inTensor(before[0])
    return tensor


def states(graph: Graph) -> Iterator[tuple[Op, int, Tensor]]:
    """The states that operators of a graph update: the operator, its input, and what that starts
    from.
    """
    for op in graph.ops.values():
        for i in op.stateUpdates():
            source = state_source(op.inTensor(i)) if op.hasInput(i) else None
            if source is not None:
                yield op, i, source


def update_states(
    graph: Graph, origin: Origin, is_kept: Callable[[Tensor], bool]
) -> dict[Tensor, str]:
    """Lets operators compute the next values of the states that start from a tensor that is kept.
    Returns the id of the last one for each of these.

    Operators that share a state, such as a layer that is used twice, update it one after the other
    in scheduled order.

    Raises OperatorInputError for an operator that would compute two next values of one state.
    """
    latest: dict[Tensor, str] = {}
    for op in graph.schedule():
        updates = op.stateUpdates()
        if updates:
            op.keepStateOf(origin)
        taken: dict[Tensor, int] = {}
        for i, out in updates.items():
            state = state_source(op.inTensor(i)) if op.hasInput(i) else None
            if state is None or not is_kept(state):
                continue
            if (other := taken.setdefault(state, i)) != i:
                raise OperatorInputError(
                    f"{op.debugName()}: inputs {other} and {i} are both the state "
                    f"'{state.id}', of which the operator would compute two next values. Give "
                    "each an initializer of its own, or train with the state frozen."
                )
            if not op.hasOutput(out):
                op.createAndConnectOutTensor(out, graph.uniqueId(f"{state.id}/next"))
                op.setup()
            if state in latest and _reads_first(op, i):
                op.disconnectInTensor(i)
                op.connectInTensor(i, latest[state])
            latest[state] = op.outId(out)
    return latest


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
