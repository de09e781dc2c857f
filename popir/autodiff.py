"""Reverse-mode differentiation of a graph, over what each operator says of its own gradient.

The names of gradient tensors are PopART's: the gradient of a tensor `x` is `Gradient___x`; where
several uses of `x` contribute to it, the contribution through input `i` of operator `n` is
`Gradient___n_i`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from popir import registry
from popir.errors import MissingGradientError, did_you_mean, popart_exception
from popir.ir import (
    GradInOutMapper,
    GradOpInType,
    Graph,
    Op,
    Tensor,
    blamed,
    gradientsOf,
)
from popir.types import DataType, TensorInfo, requireFinite

_DIFFERENTIABLE = {DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE}


def reservedGradientPrefix() -> str:
    """What the id of a gradient begins with."""
    return "Gradient___"


def getGradId(id: str) -> str:
    """The id of the gradient of tensor `id`."""
    return reservedGradientPrefix() + id


def getEdgeGradId(op: Op, i: int) -> str:
    """The id of what input `i` of `op` contributes to the gradient of its tensor."""
    return f"{reservedGradientPrefix()}{op.id}_{i}"


def differentiate(
    graph: Graph, loss: str, targets: Iterable[str], lossScaling: str | float = 1.0
) -> dict[str, str]:
    """Adds to `graph` the operators that compute the gradients of `loss` with respect to the
    `targets`.

    Args:
        loss: the id of a tensor of one element and a floating-point type. lossScaling: what the
        gradient of the loss itself is: a number, or the id of a tensor of the loss's shape.

    Returns the gradient's id for each target that the loss depends on. Nothing else is computed.
    Integer tensors carry no gradient. Raises MissingGradientError where a dependence passes through
    an operator that has none.
    """
    wanted = list(targets)
    if not graph.hasTensor(loss):
        near = did_you_mean(loss, graph.tensors)
        raise popart_exception(f"The loss '{loss}' is no tensor of the model.{near}")
    end = graph.getTensor(loss)
    _checkLoss(end)
    walk = _Walk(graph, wanted)
    ops = graph.schedule()
    below = _ancestors(end)
    if walk.isActive(end) or loss in wanted:
        walk.seed(end, lossScaling)
        for op in reversed(ops):
            if op in below and any(map(walk.isActive, _outputs(op).values())):
                walk.differentiate(op)
    found = {id: walk.total(graph.getTensor(id)) for id in wanted}
    return {id: gradient for id, gradient in found.items() if gradient is not None}


def _checkLoss(loss: Tensor) -> None:
    if loss.info is None or loss.info.nelms() != 1 or loss.info.dataType() not in _DIFFERENTIABLE:
        raise popart_exception(
            f"The loss '{loss.id}' is {loss.info}; it must have one element of a floating-point "
            "type. Reduce it, with aiGraphcore.identityloss for example."
        )


def _ancestors(end: Tensor) -> set[Op]:
    """The operators that `end` is computed from."""
    found: set[Op] = set()
    stack = [end]
    while stack:
        producer = stack.pop().producer
        if producer is not None and producer not in found:
            found.add(producer)
            stack += producer.input.values()
    return found


class _Walk:
    """The state of one reverse walk: which tensors matter, what contributes to their gradients."""

    def __init__(self, graph: Graph, targets: Iterable[str]) -> None:
        self.graph = graph
        self.active: set[Tensor] = set()
        """The targets, and every floating-point tensor that is computed from one."""
        self.parts: dict[Tensor, list[str]] = {}
        """For each tensor, the ids of the contributions to its gradient that exist so far."""
        self.totals: dict[Tensor, str] = {}
        stack = [graph.getTensor(id) for id in targets]
        passed: set[Op] = set()
        while stack:
            tensor = stack.pop()
            if tensor in self.active or not _carriesGradient(tensor):
                continue
            self.active.add(tensor)
            for op in tensor.consumers:
                if op in passed or getattr(op, "stopsGradient", False):
                    continue
                if any(t is tensor for t in _inputs(op).values()):
                    passed.add(op)
                    stack += _outputs(op).values()

    def isActive(self, tensor: Tensor) -> bool:
        """Whether the gradient of `tensor` leads to a target's."""
        return tensor in self.active

    def seed(self, loss: Tensor, scaling: str | float) -> None:
        """Starts from the loss."""
        id = getGradId(loss.id)
        assert loss.info is not None
        if isinstance(scaling, str):
            _add(self.graph, "ai.onnx", "Identity", 13, [scaling], id)
        else:
            requireFinite(f"The loss scaling of '{loss.id}'", scaling, loss.info.dataType())
            value = np.full(loss.info.shape(), scaling, loss.info.dataType().numpy)
            self.graph.addConstInit(id, value)
        self.totals[loss] = id

    def total(self, tensor: Tensor) -> str | None:
        """The id of the whole gradient of `tensor`, None if nothing contributes; called after all
        its uses were visited.
        """
        if tensor not in self.totals and tensor in self.parts:
            self.totals[tensor] = self._collect(tensor, self.parts[tensor])
        return self.totals.get(tensor)

    def _collect(self, tensor: Tensor, parts: list[str]) -> str:
        id = getGradId(tensor.id)
        if len(parts) > 1:
            _add(self.graph, "ai.onnx", "Sum", 13, parts, id)
            return id
        only = self.graph.getTensor(parts[0])
        op = only.getProducer()
        index = next(i for i, t in op.output.items() if t is only)
        op.disconnectOutTensor(index)
        self.graph.removeTensor(only.id)
        op.createAndConnectOutTensor(index, id)
        op.output[index].info = only.info
        return id

    def differentiate(self, op: Op) -> None:
        """Adds the gradient operators of `op` that lead to a target."""
        gradients = {i: self.total(t) for i, t in _outputs(op).items()}
        if not any(gradients.values()):
            return
        wanted = {i for i, t in _inputs(op).items() if self.isActive(t)}
        reached: set[int] = set()
        claimed: set[int] = set()
        for gradOp in gradientsOf(op):
            towards = gradOp.gradOutToNonGradIn()
            _checkMaps(op, gradOp, towards)
            claimed.update(towards.values())
            if wanted.intersection(towards.values()):
                reached.update(towards.values())
                if _contributes(gradOp, gradients):
                    self._connect(op, gradOp, gradients)
        if missing := wanted - reached:
            raise _missing(op, min(missing), claimed)

    def _connect(self, op: Op, gradOp: Op, gradients: dict[int, str | None]) -> None:
        self.graph.moveIntoGraph(gradOp)
        for mapper in gradOp.gradInputInfo():
            source = self._source(op, mapper, gradients)
            if source is not None:
                gradOp.connectInTensor(mapper.iGrad, source)
        for out, i in gradOp.gradOutToNonGradIn().items():
            if not op.hasInput(i):
                continue
            id = self.graph.uniqueId(getEdgeGradId(op, i))
            gradOp.createAndConnectOutTensor(out, id)
            self.parts.setdefault(op.inTensor(i), []).append(id)
        with blamed(gradOp, "setup"):
            gradOp.setup()
        for out, i in gradOp.gradOutToNonGradIn().items():
            if op.hasInput(i):
                _checkInfo(op, i, gradOp, out)

    def _source(
        self, op: Op, mapper: GradInOutMapper, gradients: dict[int, str | None]
    ) -> str | None:
        i = mapper.iNonGrad
        if mapper.type is GradOpInType.In:
            return op.inId(i) if op.hasInput(i) else None
        if not op.hasOutput(i):
            return None
        if mapper.type is GradOpInType.Out:
            return op.outId(i)
        return gradients.get(i) or self._zeros(op.outTensor(i))

    def _zeros(self, tensor: Tensor) -> str:
        """The gradient of an output that the loss does not depend on, where another output's
        matters.
        """
        assert tensor.info is not None
        id = getGradId(tensor.id)
        zeros = np.zeros(tensor.info.shape(), tensor.info.dataType().numpy)
        self.graph.addConstInit(id, zeros)
        self.totals[tensor] = id
        return id


def _outputs(op: Op) -> dict[int, Tensor]:
    """The outputs that a gradient may come back through."""
    return {i: t for i, t in op.output.items() if i not in op.nonDifferentiableOutputs}


def _inputs(op: Op) -> dict[int, Tensor]:
    """The inputs that a gradient may flow to."""
    return {i: t for i, t in op.input.items() if i not in op.nonDifferentiableInputs}


def _contributes(gradOp: Op, gradients: dict[int, str | None]) -> bool:
    """Whether it reads the gradient of an output that has one; all others are zero, and a gradient
    is linear in them.
    """
    mappers = gradOp.gradInputInfo()
    reads = [m.iNonGrad for m in mappers if m.type is GradOpInType.GradOut]
    return not reads or any(gradients.get(i) for i in reads)


def _carriesGradient(tensor: Tensor) -> bool:
    return tensor.info is not None and tensor.info.dataType() in _DIFFERENTIABLE


def _add(
    graph: Graph, domain: str, type: str, version: int, inputs: list[str], output: str
) -> None:
    """Adds a built-in operator with one output."""
    settings = Op.Settings(graph, output)
    tensors = [graph.getTensor(id) for id in inputs]
    attributes: dict[str, Any] = {}
    graph.createConnectedOp(
        registry.createOp,
        dict(enumerate(inputs)),
        {0: output},
        domain,
        type,
        version,
        settings,
        attributes,
        tensors,
    )


def _checkMaps(op: Op, gradOp: Op, towards: dict[int, int]) -> None:
    """Refuses indices that no operator has; one that is merely not connected may be optional."""
    who = f"{gradOp.debugName()} of '{gradOp.source}', the gradient of {op.debugName()}"
    lacking = [i for i in towards.values() if i not in op.input and not _mayLack(op, i, True)]
    if min((*towards, *towards.values(), 0)) < 0 or lacking:
        raise popart_exception(
            f"{who}: gradOutToNonGradIn() returned {towards}; expected the index of each of its "
            f"outputs to that of an input, one of {sorted(op.input)}."
        )
    reads: set[int] = set()
    for mapper in gradOp.gradInputInfo():
        isInput = mapper.type is GradOpInType.In
        known = op.input if isInput else op.output
        isThere = mapper.iNonGrad in known or _mayLack(op, mapper.iNonGrad, isInput)
        if min(mapper.iGrad, mapper.iNonGrad) < 0 or mapper.iGrad in reads or not isThere:
            raise popart_exception(
                f"{who}: gradInputInfo() maps input {mapper.iGrad} to {mapper.type.name} "
                f"{mapper.iNonGrad}; expected each input once, and indices among {sorted(known)}."
            )
        reads.add(mapper.iGrad)


def _mayLack(op: Op, i: int, isInput: bool) -> bool:
    """Whether a model may leave out input `i`, or output `i`, of an operator."""
    entry = registry.registered(op.opid) if op.source == registry.PYTHON else None
    if entry is not None and entry.definition is not None:
        formals = entry.definition.inputs if isInput else entry.definition.outputs
        if formals.most is not None and i >= formals.most:
            return False
    return op.mayLackInput(i) if isInput else op.mayLackOutput(i)


def _checkInfo(op: Op, i: int, gradOp: Op, out: int) -> None:
    expected: TensorInfo = op.inInfo(i)
    given = gradOp.outInfo(out)
    if given != expected:
        raise popart_exception(
            f"{gradOp.debugName()}: output {out} is {given}, but it is the gradient of input {i} "
            f"of {op.debugName()}, which is {expected}. Correct setup() or gradOutToNonGradIn() "
            "of the gradient operator."
        )


def _missing(op: Op, i: int, claimed: set[int]) -> MissingGradientError:
    isCpp = registry.is_library(op.source)
    who = f"its class in '{op.source}'" if isCpp else type(op).__name__
    others = f" Its gradient operators lead to inputs {sorted(claimed)}." if claimed else ""
    return MissingGradientError(
        f"{op.debugName()}: the loss depends on input {i}, '{op.inId(i)}', through this operator, "
        f"which has no gradient for it. Define getGradOps() of {who}; or, if no gradient is to "
        "flow, freeze the weights before it (TrainingSession(..., frozen=[...]), popir train "
        f"--freeze) or put a Detach (ai.graphcore) there.{others}"
    )
