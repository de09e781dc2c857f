"""Adds an operator to a graph: look-up, connection, shape inference, folding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from popir import budget, memory, registry
from popir.errors import LeavesDeviceError, OperatorInputError, popart_exception
from popir.ir import Op, Tensor, blamed, fold
from popir.onnxio import schemas
from popir.onnxio.limits import check_shape
from popir.types import TensorInfo


def add_op(
    domain: str,
    type: str,
    opset: int,
    settings: Op.Settings,
    attributes: Mapping[str, Any],
    inputs: Sequence[Tensor | None],
    outputs: Sequence[str],
) -> Op | None:
    """Makes an operator (see `registry.createOp`), adds it to the graph of `settings`, connects it
    and infers types and shapes.

    `inputs` are in order, with None for one that is left out; `outputs` are the ids of tensors to
    be added, "" for one that is left out. Returns None if there is no single operator: it became
    constants (see `popir.ir.folding`), or several operators (see `Op.expand`).

    Raises the errors of `registry.createOp` and of the operator's `setup()`, and ModelError for an
    output that is too large.
    """
    op = registry.createOp(domain, type, opset, settings, attributes, inputs, outputs)
    budget.operator(op)
    if op.output:
        return op
    if op.__class__.expand is not Op.expand:
        given = [tensor.id for tensor in inputs if tensor is not None]
        op.expanded = given, [id for id in outputs if id]
        with memory.guarded(op.debugName()), blamed(op, "expand"):
            if op.expand(inputs, outputs):
                return None
    ins = {i: tensor.id for i, tensor in enumerate(inputs) if tensor is not None}
    outs = {i: id for i, id in enumerate(outputs) if id}
    with blamed(op, "setup"):
        settings.graph.createConnectedOp(lambda: op, ins, outs)
        for i in op.constantInputs:
            if i in ins:
                require_known(op, i)
    _check_outputs(op)
    with blamed(op, "evaluate"):
        return None if fold(op) else op


def require_known(op: Op, i: int, popart: str | None = None) -> None:
    """Raises LeavesDeviceError if the value of input `i` is not known at compile time. `popart` has
    PopART's words for the error, where they are others than usual.
    """
    tensor = op.inTensor(i)
    if tensor.data is None:
        raise LeavesDeviceError(
            f"{op.debugName()}: input {i}, '{tensor.id}', must be a constant, since its value is "
            "needed when the model is compiled; given was a tensor of type "
            f"{tensor.tensorType.name}.",
            [tensor.id],
            popart=popart or _unknown(op, i),
        )


def _unknown(op: Op, i: int) -> str:
    definition = schemas.definition(op.opid)
    name = definition.inputs.at(i).name if definition and definition.inputs else str(i)
    return (
        f"Need the value of the {op.opid} input '{name}' "
        "to determine the output shape, but was unable because [Tensor::getDataViaGraphTraversal] "
        f"Could not work out tensor data for {op.inId(i)}."
    )


def _check_outputs(op: Op) -> None:
    known = {id(tensor.info) for tensor in op.input.values()}
    for i, tensor in op.output.items():
        if tensor.info is not None and id(tensor.info) in known:
            continue  # It is that of an input, which has been checked.
        who = f"Node '{op.settings.name}' ({op.opid.domain}.{op.opid.type})"
        if tensor.info is not None:
            by = f", by setup() of '{op.source}'," if registry.is_library(op.source) else ""
            check_info(f"{who}: the output '{tensor.id}'{by}", tensor.info)
        elif op.source == registry.BUILT_IN and schemas.of(op.opid) is None:
            raise OperatorInputError(f"{who}: the operator has no output {i}, '{tensor.id}'.")
        elif op.source == registry.PYTHON:
            raise popart_exception(
                f"{op.debugName()}: {op.__class__.__name__}.setup() has not set type and shape of "
                f"output {i}; let it call self.setOutInfo({i}, ...), or give the node fewer "
                "outputs."
            )


def check_info(who: str, info: TensorInfo) -> None:
    """Raises an error for a tensor too large for the host, before anything is allocated for it."""
    memory.require(who, check_shape(who, info.dataType(), info.shape()))


def expand_in_place(op: Op) -> None:
    """Puts what an operator consists of in its place, in a graph where others read its outputs;
    nothing for one that is computed itself.
    """
    graph = op.graph
    inputs = [op.input.get(i) for i in range(max(op.input, default=-1) + 1)]
    outputs = [op.output.get(i) for i in range(max(op.output, default=-1) + 1)]
    ids = [tensor and graph.uniqueId(f"{tensor.id}/made") for tensor in outputs]
    if not op.expand(inputs, [id or "" for id in ids]):
        return
    graph.eraseOp(op.id)
    for tensor, id in zip(outputs, ids, strict=True):
        if tensor is not None and id is not None:
            take_place(tensor, graph.getTensor(id))


def take_place(old: Tensor, new: Tensor) -> None:
    """Gives `new` the readers and the id of `old`, which nothing computes any more."""
    graph, id = old.graph, old.id
    at = [i for i, each in enumerate(graph.outputs) if each == id]
    graph.outputs = [each for each in graph.outputs if each != id]
    replace_tensor(old, new)
    graph.renameTensor(new.id, id)
    for i in at:
        graph.outputs.insert(i, id)


def replace_tensor(old: Tensor, new: Tensor) -> None:
    """Makes all readers of `old`, which nothing computes any more, read `new`."""
    reconnect(old, new)
    old.graph.removeTensor(old.id)


def reconnect(old: Tensor, new: Tensor) -> None:
    """Makes all readers of `old` read `new`."""
    for op in list(old.uses):
        for i in [i for i, tensor in op.input.items() if tensor is old]:
            op.disconnectInTensor(i)
            op.connectInTensor(i, new.id)
