"""The graph verifier, which runs after each compiler pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NoReturn

from popir.errors import VerificationError
from popir.ir.graph import Graph, Op, Tensor, TensorType, called_graphs
from popir.types import TensorInfo

_COMPUTED = TensorType.ActGrad
_VALUED = (TensorType.Const, TensorType.Variable)
"""The types of tensors that have a value before anything runs."""


def verify(graph: Graph) -> None:
    """Checks the consistency of a graph and of all graphs that it calls.

    Raises VerificationError, naming the operator or tensor, unless

    - every operator and tensor is stored under its own id,
    - an operator and its tensors agree on their connections,
    - every tensor has a type and shape,
    - constants and variables have a value of that type and shape, and other tensors have none,
    - every ActGrad has a producer or is a graph input, and no other tensor has a producer,
    - all graph inputs and outputs exist, and no input is listed twice,
    - the operators can be scheduled: there is no cycle.
    """
    for each in called_graphs(graph):
        _verify(each)


def _verify(graph: Graph) -> None:
    # Each connection is stored at its operator and at its tensor. Those of the operators are looked
    # up at the tensors; if the tensors have no more of them, the others agree as well.
    reads = makes = 0
    for id, op in graph.ops.items():
        if op.id != id or op.settings.graph is not graph:
            _fail(f"{op.debugName()} of {op.graph!r} is filed under the id {id} of {graph!r}")
        reads += _check_inputs(graph, op)
        makes += _check_outputs(graph, op)
    inputs = set(graph.inputs)
    for id, tensor in graph.tensors.items():
        if tensor.id != id or tensor.graph is not graph:
            _fail(f"{tensor} of {tensor.graph!r} is filed under the id '{id}' of {graph!r}")
        reads -= len(tensor.uses)
        makes -= tensor.producer is not None
        _check_tensor(tensor, inputs)
    if reads or makes:
        _find_extra(graph)
    for what, ids in (("input", graph.inputs), ("output", graph.outputs)):
        for id in ids:
            if id not in graph.tensors:
                _fail(f"the graph's {what} '{id}' does not exist")
    doubled = [id for id, n in Counter(graph.inputs).items() if n > 1]
    if doubled:
        _fail(f"the graph's input '{doubled[0]}' is listed twice")
    graph.schedule()


def _check_inputs(graph: Graph, op: Op) -> int:
    """Checks the inputs of an operator, and returns how many tensors it reads."""
    given = op.input
    if len(given) == 1:  # As most operators have; the rest says the same, and takes longer.
        (tensor,) = given.values()
        if graph.tensors.get(tensor.id) is tensor and tensor.uses.get(op) == 1:
            return 1
    uses: Mapping[Tensor, int] = dict.fromkeys(given.values(), 1)
    if len(uses) < len(given):
        uses = Counter(given.values())
    for tensor, count in uses.items():
        if graph.tensors.get(tensor.id) is not tensor:
            _fail(f"{op.debugName()} reads '{tensor.id}', which is not a tensor of {graph!r}")
        if tensor.uses.get(op) != count:
            _fail(f"{op.debugName()} reads '{tensor.id}', whose consumers do not say so")
    return len(uses)


def _check_outputs(graph: Graph, op: Op) -> int:
    """Checks the outputs of an operator, and returns how many tensors it writes."""
    for i, tensor in op.output.items():
        if graph.tensors.get(tensor.id) is not tensor:
            _fail(f"{op.debugName()} writes '{tensor.id}', which is not a tensor of {graph!r}")
        if tensor.producer is not op:
            _fail(
                f"{op.debugName()} writes '{tensor.id}' as output {i}, whose producer is "
                f"{tensor.producer}"
            )
    return len(op.output) if len(op.output) < 2 else len(set(op.output.values()))


def _check_tensor(tensor: Tensor, inputs: Collection[str]) -> None:
    producer, kind, data = tensor.producer, tensor.tensorType, tensor.data
    if kind is _COMPUTED and producer is not None and data is None and tensor.info:
        return
    if tensor.info is None:
        _fail(f"'{tensor.id}' has no type and shape; its producer is {producer}")
    if kind is _COMPUTED:
        if producer is None and tensor.id not in inputs:
            _fail(f"'{tensor.id}' dangles: no operator computes it; read by {tensor.consumers}")
    elif producer is not None:
        _fail(f"{tensor} is computed by {producer.debugName()}; only an ActGrad may be")
    if (data is not None) != (kind in _VALUED):
        _fail(f"{tensor} has {'a' if data is not None else 'no'} value")
    if data is not None and TensorInfo(data) != tensor.info:
        _fail(f"{tensor} has a value of another type or shape, {TensorInfo(data)}")


def _find_extra(graph: Graph) -> NoReturn:
    """Raises VerificationError for the connection that a tensor has and no operator of the graph
    has.
    """
    for tensor in graph.tensors.values():
        for op in filter(None, [tensor.producer, *tensor.uses]):
            if graph.ops.get(op.id) is not op:
                _fail(f"'{tensor.id}' is connected to {op.debugName()}, which is not in {graph!r}")
        for op in tensor.uses:
            if tensor not in op.input.values():
                _fail(
                    f"'{tensor.id}' counts {op.debugName()} as a consumer, which does not read it"
                )
        by = tensor.producer
        if by is not None and tensor not in by.output.values():
            _fail(f"'{tensor.id}' has {by.debugName()} as its producer, which does not write it")
    raise AssertionError("Operators and tensors disagree on no connection.")


def _fail(what: str) -> NoReturn:
    raise VerificationError(f"The graph is inconsistent: {what}.")
