"""Reverse-mode automatic differentiation of a graph, from each operator's `getGradOps()`.

The gradient of a tensor `x` is the tensor `Gradient___x`, as in PopART. If `x` is read by several
inputs, each contributes an *edge gradient*: `Gradient___n_i` through input `i` of the operator with
id `n`. `Gradient___x` is their sum.

A gradient operator that would return the gradient of an output as it is, as that of an Add does, is
not added: its edge gradient is that gradient. `Gradient___x` is a tensor of its own for targets.

Example: for `y = x * x`, a Mul with id 7, the graph gets `Gradient___7_0 = Gradient___y * x`,
`Gradient___7_1 = Gradient___y * x` and `Gradient___x = Gradient___7_0 + Gradient___7_1`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from popir import registry
from popir._device.popart import Likeness
from popir.errors import MissingGradientError, did_you_mean, popart_exception
from popir.ir import (
    Gradient,
    GradInOutMapper,
    GradOp,
    GradOpInType,
    Graph,
    Op,
    Tensor,
    blamed,
    described,
    gradients_of,
)
from popir.ir.graph import GradientGraph, add_alike, copied
from popir.ir.likeness import is_own, may_be_copied
from popir.ops.support.second_order import can_be_decomposed, decomposed
from popir.reserved import reservedGradientPrefix
from popir.transforms.prune import prune
from popir.types import TRAINABLE, DataType, TensorInfo, require_finite

_INPUT, _OUTPUT = GradOpInType.In, GradOpInType.Out


def getGradId(id: str) -> str:
    """The id of the gradient of the tensor `id`."""
    return reservedGradientPrefix() + id


def get_edge_grad_id(op: Op, i: int) -> str:
    """The id of the edge gradient through input `i` of `op`."""
    return f"{reservedGradientPrefix()}{op.id}_{i}"


def differentiate(
    graph: Graph,
    loss: str,
    targets: Iterable[str],
    lossScaling: str | float = 1.0,
    handed: list[Op] | None = None,
) -> dict[str, str]:
    """Adds the operators that compute the gradients of `loss` with respect to `targets`.

    Args:
        graph: the forward graph, to which the operators are added.
        loss: the id of a tensor with one element of a floating-point type, or INT32.
        targets: ids of tensors. Integer tensors have no gradient, except that a loss of INT32 has
            gradients of INT32, which move and add up integers, as PopART's do.
        lossScaling: the gradient of the loss itself: a number, or the id of a tensor of the loss's
            shape.
        handed: gets the gradient operators that are not pruneable and that no target needs, such as
            those of an operator behind a Detach: something that comes later takes their results.
            None if nothing does.

    Returns the id of the gradient for each target that the loss depends on. Only operators that
    these need are added. Raises MissingGradientError if the loss depends on a target through an
    operator without a gradient, popart_exception for an unsuitable loss, for wrong gradient
    operators, and for one that `handed` is to get if it is None.
    """
    wanted = list(targets)
    if not graph.hasTensor(loss):
        near = did_you_mean(loss, graph.tensors)
        raise popart_exception(f"The loss '{loss}' is no tensor of the model.{near}")
    end = graph.getTensor(loss)
    _check_loss(end)
    below = _decompose_above([end], graph, wanted, _kinds(end))
    walk = _Walk(graph, wanted, _kinds(end))
    ops = graph.schedule()
    waiting = _waiting(walk, below, ops)
    if waiting and handed is None:
        op, gradient = next((op, each) for op, made in waiting.items() for each in made)
        at = next(i for i in gradient.towards.values() if op.hasInput(i))
        raise popart_exception(
            f"{op.debugName()}: the gradient of '{op.inId(at)}' is to stay, since "
            f"{gradient.op.debugName()}, which computes it, is not pruneable; and no gradient that "
            "is asked for passes it. Such operators are for a TrainingSession, where a pattern "
            "takes what they compute. Switch off the pattern that put the operator there, or ask "
            f"for the gradient of '{op.inId(at)}' too."
        )
    if waiting:
        waited_for = (
            op.inId(i)
            for op, made in waiting.items()
            for each in made
            for i in each.towards.values()
            if op.hasInput(i)
        )
        walk = _Walk(graph, [*wanted, *waited_for], _kinds(end))
    if walk.is_active(end) or loss in wanted:
        walk.seed(end, lossScaling)
        for op in reversed(ops):
            if getattr(op, "stopsGradient", False) or op not in below:
                continue
            if any(map(walk.is_active, _outputs(op).values())):
                walk.differentiate(op)
            elif op.refusesGradient:
                for i in (i for i, t in _inputs(op).items() if walk.is_active(t)):
                    raise _missing(op, i, set())
    if handed is not None:
        handed += [grad_op for op, grad_op in walk.staying if op in waiting]
    found = {id: walk.total(graph.getTensor(id)) for id in wanted}
    return {id: gradient for id, gradient in found.items() if gradient is not None}


def _decompose_above(
    ends: Collection[Tensor], graph: Graph, targets: Iterable[str], kinds: frozenset[DataType]
) -> set[Op]:
    """Replaces the operators without a gradient between the targets and the ends by operators that
    have gradients: most are gradients themselves, on which the ends depend, and theirs are of the
    second order. Returns the operators that the ends then depend on.
    """
    found = ancestors(*ends)
    known = [op for op in found if can_be_decomposed(op)]
    if not known:
        return found
    walk = _Walk(graph, targets, kinds)
    for op in sorted(known, key=lambda op: op.id):
        if any(map(walk.is_active, _outputs(op).values())):
            with blamed(op, "decompose"):
                decomposed(op)
    return ancestors(*ends)


def _kinds(loss: Tensor) -> frozenset[DataType]:
    """The types of tensors that have gradients of the loss."""
    return TRAINABLE | {DataType.INT32} if _is_whole(loss) else TRAINABLE


def _is_whole(tensor: Tensor) -> bool:
    """Whether the elements are INT32."""
    return tensor.info is not None and tensor.info.dataType() is DataType.INT32


def _check_loss(loss: Tensor) -> None:
    kinds = _kinds(loss)
    if loss.info is None or loss.info.nelms() != 1 or loss.info.dataType() not in kinds:
        raise popart_exception(
            f"The loss '{loss.id}' is {loss.info}; it must have one element of a floating-point "
            "type or INT32. Reduce it, with aiGraphcore.identityloss for example.",
            popart=f"The loss tensor, '{loss.id}' ({loss.info}), must be a scalar tensor",
        )


def ancestors(*ends: Tensor, beyond: Collection[Op] = frozenset()) -> set[Op]:
    """The operators that any of `ends` depends on; each is visited once, however many ends. Those
    of `beyond`, and what they depend on, are not looked at.
    """
    found: set[Op] = set()
    stack = list(ends)
    while stack:
        producer = stack.pop().producer
        if producer is not None and producer not in found and producer not in beyond:
            found.add(producer)
            stack += producer.input.values()
    return found


class _Walk:
    """The state of one reverse walk over the graph.

    A tensor is *active* if it is a target or computed from one, and of a type among `kinds`: only
    gradients of active tensors are needed.
    """

    def __init__(
        self, graph: Graph, targets: Iterable[str], kinds: frozenset[DataType] = TRAINABLE
    ) -> None:
        self.graph = graph
        self.active: set[Tensor] = set()
        """The active tensors."""
        self.parts: dict[Tensor, list[str]] = {}
        """For each tensor, the ids of its edge gradients added so far."""
        self._named = dict.fromkeys(targets)
        """The ids of the targets, whose gradients are tensors of their own."""
        self._passed_on: set[str] = set()
        """The ids of edge gradients that are the gradients of other tensors."""
        self.totals: dict[Tensor, str] = {}
        """For each tensor, the id of its whole gradient, once that is complete."""
        self.staying: list[tuple[Op, Op]] = []
        """The gradient operators of libraries that are not pruneable, behind their operators."""
        self._alike = _AlikeGradients(graph)
        stack = [graph.getTensor(id) for id in self._named]
        passed: set[Op] = set()
        while stack:
            tensor = stack.pop()
            if tensor in self.active or tensor.info is None:
                continue
            if tensor.info.dataType() not in kinds:
                continue
            self.active.add(tensor)
            for op in tensor.consumers:
                if op in passed or getattr(op, "stopsGradient", False):
                    continue
                if any(t is tensor for t in _inputs(op).values()):
                    passed.add(op)
                    stack += _outputs(op).values()

    def is_active(self, tensor: Tensor) -> bool:
        """Whether the gradient of `tensor` is needed for the gradient of a target."""
        return tensor in self.active

    def seed(self, loss: Tensor, scaling: str | float) -> None:
        """Adds the gradient of the loss: a constant, or a copy of the tensor with that id."""
        id = self.graph.uniqueId(getGradId(loss.id))
        assert loss.info is not None
        if isinstance(scaling, str):
            _add(self.graph, "ai.onnx", "Identity", 13, [scaling], id)
        else:
            require_finite(f"The loss scaling of '{loss.id}'", scaling, loss.info.dataType())
            value = np.full(loss.info.shape(), scaling, loss.info.dataType().numpy)
            self.graph.addConstInit(id, value)
        self.totals[loss] = id

    def total(self, tensor: Tensor) -> str | None:
        """The id of the whole gradient of `tensor`; None if there is no edge gradient.

        Adds the sum of the edge gradients at the first call. All readers of the tensor must have
        been differentiated.
        """
        if tensor not in self.totals and tensor in self.parts:
            self.totals[tensor] = self._collect(tensor, self.parts[tensor])
        return self.totals.get(tensor)

    def _collect(self, tensor: Tensor, parts: list[str]) -> str:
        id = self.graph.uniqueId(getGradId(tensor.id))
        if len(parts) > 1 and _is_whole(tensor):  # Sum takes no integers.
            for i, part in enumerate(parts[2:]):
                both = self.graph.uniqueId(f"{id}_{i}")
                _add(self.graph, "ai.onnx", "Add", 14, [parts[0], part], both)
                parts = [both, *parts[1:]]
            _add(self.graph, "ai.onnx", "Add", 14, parts[:2], id)
            return id
        if len(parts) > 1:
            _add(self.graph, "ai.onnx", "Sum", 13, parts, id)
            return id
        if parts[0] in self._passed_on:
            if tensor.id in self._named:
                _add(self.graph, "ai.onnx", "Identity", 13, parts, id)
                return id
            return parts[0]
        only = self.graph.getTensor(parts[0])
        op = only.producer
        if op is None:  # It is given: the gradient of an output of a called graph.
            return only.id
        if only.twin is None:
            self.graph.renameTensor(only.id, id)
            return id
        index = next(i for i, t in op.output.items() if t is only)
        op.disconnectOutTensor(index)
        self.graph.removeTensor(only.id)
        op.createAndConnectOutTensor(index, id)
        op.output[index].info = only.info
        return id

    def differentiate(self, op: Op) -> None:
        """Adds the gradient operators of `op` that compute gradients of active inputs."""
        gradients = {i: self.total(t) for i, t in _outputs(op).items()}
        if not any(gradients.values()):
            return
        active = self.active
        wanted = {i for i, t in _inputs(op).items() if t in active}
        reached: set[int] = set()
        claimed: set[int] = set()
        has_calls = type(op).gradOpsOfCalls is not Op.gradOpsOfCalls
        if has_calls:
            given = [i for i, id in gradients.items() if id is not None]
            ops = op.gradOpsOfCalls(CALLS, given, sorted(wanted))
            made = [described(op, each) for each in ops]
            claimed |= wanted
            reached |= wanted
        else:
            made = self._alike.of(op)
        for each in made:
            towards = each.towards.values()
            if not each.is_set_up:
                _check_maps(op, each)
                each.is_set_up = each.passes_on
            claimed.update(towards)
            if has_calls or wanted.intersection(towards):
                reached.update(towards)
                if each.passes_on:
                    self._pass_on(op, each, gradients)
                elif _contributes(each, gradients):
                    self._connect(op, each, gradients)
        if (missing := wanted - reached) and claimed:
            missing = {i for i in missing if not op.mayLackGradient(i)}
        if missing:
            raise _missing(op, min(missing), claimed)

    def _pass_on(self, op: Op, gradient: Gradient, gradients: dict[int, str | None]) -> None:
        """Takes the gradient of an output for that of an input."""
        id = gradients.get(gradient.given[0])
        if id is not None:
            self._passed_on.add(id)
            for i in gradient.towards.values():
                self.parts.setdefault(op.inTensor(i), []).append(id)

    def _connect(self, op: Op, gradient: Gradient, gradients: dict[int, str | None]) -> None:
        grad_op, graph = gradient.op, self.graph
        if gradient.is_set_up:
            self._connect_copy(op, gradient, gradients)
            return
        graph.moveIntoGraph(grad_op)
        for mapper in gradient.mappers:
            source = self._source(op, mapper, gradients)
            if source is not None:
                grad_op.connectInTensor(mapper.iGrad, source)
        for out, i in gradient.towards.items():
            if not op.hasInput(i):
                continue
            id = graph.uniqueId(get_edge_grad_id(op, i))
            grad_op.createAndConnectOutTensor(out, id)
            self.parts.setdefault(op.inTensor(i), []).append(id)
        with blamed(grad_op, "setup"):
            grad_op.setup()
        for out, i in gradient.towards.items():
            if op.hasInput(i):
                _check_info(op, i, grad_op, out)
        for i, id in grad_op.furtherGradients().items():
            self.parts.setdefault(op.inTensor(i), []).append(id)
        if not is_own(op) and not grad_op.isPruneable():
            self.staying.append((op, grad_op))

    def _connect_copy(self, op: Op, gradient: Gradient, gradients: dict[int, str | None]) -> None:
        """The same for a copy of a gradient operator that is set up."""
        inputs: dict[int, Tensor] = {}
        outputs: dict[int, tuple[str, TensorInfo]] = {}
        for mapper in gradient.mappers:
            source = self._source(op, mapper, gradients)
            if source is not None:
                inputs[mapper.iGrad] = self.graph.tensors[source]
        for out, i in gradient.towards.items():
            if (tensor := op.input.get(i)) is not None and tensor.info is not None:
                id = self.graph.uniqueId(get_edge_grad_id(op, i))
                outputs[out] = id, tensor.info
                self.parts.setdefault(tensor, []).append(id)
        add_alike(self.graph, gradient.op, inputs, outputs)

    def _source(
        self, op: Op, mapper: GradInOutMapper, gradients: dict[int, str | None]
    ) -> str | None:
        i, kind = mapper.iNonGrad, mapper.type
        if kind is _INPUT:
            return op.input[i].id if i in op.input else None
        if i not in op.output:
            return None
        if kind is _OUTPUT:
            return op.output[i].id
        return gradients.get(i) or self._zeros(op.outTensor(i))

    def _zeros(self, tensor: Tensor) -> str:
        """Adds zeros as the gradient of an output that the loss does not depend on.

        A gradient operator may need it besides the gradient of another output.
        """
        assert tensor.info is not None
        id = self.graph.uniqueId(getGradId(tensor.id))
        zeros = np.zeros(tensor.info.shape(), tensor.info.dataType().numpy)
        self.graph.addConstInit(id, zeros)
        self.totals[tensor] = id
        return id


class _AlikeGradients:
    """The gradient operators of one graph: an operator like an earlier one gets copies of its."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._likeness = Likeness()
        self._first: dict[Hashable, tuple[Op, list[Gradient]]] = {}
        """For each key the first operator, and its gradient operators."""
        self._may_repeat: dict[Hashable, bool] = {}

    def of(self, op: Op) -> list[Gradient]:
        """The gradient operators of `op`."""
        key = self._likeness.of(op) if is_own(op) else None
        first = self._first.get(key)
        if key is None or first is None:
            before = self._graph.changes
            made = gradients_of(op)
            if key is not None and self._graph.changes == before:
                self._first[key] = op, made
            return made
        if key not in self._may_repeat:
            self._may_repeat[key] = _may_repeat(*first)
        if not self._may_repeat[key]:
            return gradients_of(op)
        return [each if each.passes_on else self._copy(op, each) for each in first[1]]

    def _copy(self, op: Op, gradient: Gradient) -> Gradient:
        twin = gradient.op.clone()
        twin.settings.name = op.settings.name
        is_set_up = bool(gradient.op.output)
        told = gradient.towards, gradient.mappers, gradient.given
        return Gradient(twin, *told, is_set_up=is_set_up)


def _may_repeat(op: Op, made: list[Gradient]) -> bool:
    """Whether copies of these gradient operators are those of operators like `op`."""
    return not op.requiresRandomSeed() and all(
        may_be_copied(each.op)
        and type(each.op).furtherGradients is Op.furtherGradients
        and each.op.settings.name == op.settings.name
        and each.op.output.keys() <= each.towards.keys()
        and len({*each.towards.values()}) == len(each.towards)
        for each in made
    )


class _Calls:
    """Gradients of called graphs, for operators that call them; see `GradientsOfCalls`."""

    def reached(self, graph: Graph, inputs: Collection[int]) -> set[int]:
        """The outputs that depend differentiably on `inputs`."""
        walk = _Walk(graph, [graph.inputs[i] for i in inputs])
        ends = enumerate(graph.outputs)
        return {o for o, id in ends if walk.is_active(graph.getTensor(id))}

    def of(
        self, graph: Graph, given: Sequence[int], wanted: Sequence[int | TensorInfo]
    ) -> GradientGraph:
        """Copies the graph, walks back through the copy, and removes what no gradient needs.

        Gradient operators in the graph itself are decomposed first, as those of the main graph are.
        """
        ends = [graph.getTensor(graph.outputs[o]) for o in given]
        targets = [graph.inputs[i] for i in wanted if isinstance(i, int)]
        _decompose_above(ends, graph, targets, TRAINABLE)
        new = copied(graph, f"{graph.name}/gradient")
        inputs = list(new.inputs)
        walk = _Walk(new, [inputs[i] for i in wanted if isinstance(i, int)])
        below: set[Op] = set()
        ids: list[str] = []
        for o in given:
            end = new.getTensor(new.outputs[o])
            ids.append(new.uniqueId(f"{new.name}/given_{o}"))
            new.addActGrad(ids[-1]).info = end.info
            walk.parts.setdefault(end, []).append(ids[-1])
            below |= ancestors(end)
        for op in reversed(new.schedule()):
            if op in below and any(map(walk.is_active, _outputs(op).values())):
                walk.differentiate(op)
        new.setInputs([*inputs, *ids])
        new.outputs = [_total(new, walk, i, inputs) for i in wanted]
        self.remove_unused(new)
        return GradientGraph(new, inputs, ids)

    def remove_unused(self, graph: Graph) -> None:
        """Removes the operators that no output depends on."""
        prune(graph, graph.outputs)


def _total(graph: Graph, walk: _Walk, i: int | TensorInfo, inputs: Sequence[str]) -> str:
    """The gradient of input `i` of a called graph; zeros if it has none."""
    info = i if isinstance(i, TensorInfo) else graph.getTensor(inputs[i]).info
    found = None if isinstance(i, TensorInfo) else walk.total(graph.getTensor(inputs[i]))
    if found is None:
        assert info is not None
        found = graph.uniqueId(f"{graph.name}/zeros")
        graph.addConstInit(found, np.zeros(info.shape(), info.dataType().numpy))
    return found


CALLS = _Calls()
"""For operators that call graphs, and for gradients of graphs by themselves."""


def _outputs(op: Op) -> dict[int, Tensor]:
    """The differentiable outputs of an operator, by index."""
    if not op.nonDifferentiableOutputs:
        return op.output
    return {i: t for i, t in op.output.items() if i not in op.nonDifferentiableOutputs}


def _inputs(op: Op) -> dict[int, Tensor]:
    """The differentiable inputs of an operator, by index."""
    if not op.nonDifferentiableInputs:
        return op.input
    return {i: t for i, t in op.input.items() if i not in op.nonDifferentiableInputs}


def _contributes(gradient: Gradient, gradients: dict[int, str | None]) -> bool:
    """Whether the result of a gradient operator may differ from zero.

    It is linear in the output gradients it reads, and an output without a gradient has zeros. So it
    is zero if none of these outputs has one.
    """
    return not gradient.given or any(map(gradients.get, gradient.given))


def _add(
    graph: Graph, domain: str, type: str, version: int, inputs: list[str], output: str
) -> None:
    """Adds a built-in operator without attributes and with one output."""
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


def _waiting(walk: _Walk, below: Collection[Op], ops: Iterable[Op]) -> dict[Op, list[Gradient]]:
    """The operators that no gradient of a target passes, but some of whose gradient operators are
    to stay, with these: something else than a weight waits for the results.
    """
    found: dict[Op, list[Gradient]] = {}
    for op in ops:
        if op not in below or is_own(op) or any(map(walk.is_active, _outputs(op).values())):
            continue
        kept = [
            each
            for each in gradients_of(op)
            if any(map(op.hasInput, each.towards.values())) and not each.op.isPruneable()
        ]
        if kept:
            found[op] = kept
    return found


def _check_maps(op: Op, gradient: Gradient) -> None:
    """Raises popart_exception if a gradient operator refers to inputs or outputs that `op` cannot
    have. An index that is not connected may belong to an optional input or output.
    """
    grad_op, towards = gradient.op, gradient.towards
    lacking = [i for i in towards.values() if i not in op.input and not _may_lack(op, i, True)]
    if min((*towards, *towards.values(), 0)) < 0 or lacking:
        raise popart_exception(
            f"{_gradient(op, grad_op)}: gradOutToNonGradIn() returned {towards}; expected the "
            f"index of each of its outputs to that of an input, one of {sorted(op.input)}."
        )
    reads: set[int] = set()
    for mapper in gradient.mappers:
        is_input = mapper.type is GradOpInType.In
        known = op.input if is_input else op.output
        is_there = mapper.iNonGrad in known or _may_lack(op, mapper.iNonGrad, is_input)
        if min(mapper.iGrad, mapper.iNonGrad) < 0 or mapper.iGrad in reads or not is_there:
            raise popart_exception(
                f"{_gradient(op, grad_op)}: gradInputInfo() maps input {mapper.iGrad} to "
                f"{mapper.type.name} "
                f"{mapper.iNonGrad}; expected each input once, and indices among {sorted(known)}."
            )
        reads.add(mapper.iGrad)


def _gradient(op: Op, grad_op: Op) -> str:
    return f"{grad_op.debugName()} of '{grad_op.source}', the gradient of {op.debugName()}"


def _may_lack(op: Op, i: int, is_input: bool) -> bool:
    """Whether input `i` (or output `i`) of an operator is optional."""
    entry = registry.registered(op.opid) if op.source == registry.PYTHON else None
    if entry is not None and entry.definition is not None:
        formals = entry.definition.inputs if is_input else entry.definition.outputs
        if formals.most is not None and i >= formals.most:
            return False
    return op.mayLackInput(i) if is_input else op.mayLackOutput(i)


def _check_info(op: Op, i: int, grad_op: Op, out: int) -> None:
    expected: TensorInfo = op.inInfo(i)
    given = grad_op.outInfo(out)
    if given != expected:
        raise popart_exception(
            f"{grad_op.debugName()}: output {out} is {given}, but it is the gradient of input {i} "
            f"of {op.debugName()}, which is {expected}. Correct setup() or gradOutToNonGradIn() "
            "of the gradient operator."
        )


def _missing(op: Op, i: int, claimed: set[int]) -> MissingGradientError:
    is_cpp = registry.is_library(op.source)
    who = f"its class in '{op.source}'" if is_cpp else type(op).__name__
    others = f" Its gradient operators lead to inputs {sorted(claimed)}." if claimed else ""
    if isinstance(op, GradOp) and op.source == "built in":
        return MissingGradientError(
            f"{op.debugName()}: the loss depends on a gradient that this operator computes, and "
            "there is no gradient of it. Leave this gradient out of the loss, or put a Detach "
            "(ai.graphcore) behind it."
        )
    return MissingGradientError(
        f"{op.debugName()}: the loss depends on input {i}, '{op.inId(i)}', through this operator, "
        f"which has no gradient for it. {op.gradient_remedy or f'Define getGradOps() of {who}'}; "
        "or, if no gradient is to flow, freeze the weights before it (TrainingSession(..., "
        f"frozen=[...]), popir train --freeze) or put a Detach (ai.graphcore) there.{others}"
    )
