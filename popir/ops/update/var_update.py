"""The base of the operators that update a weight: `VarUpdateOp`, and how they are lowered.

An operator says what it does as steps over its tensors (`Update`): a state or the weight gets a new
value, element by element, or a value is computed on the way. Each step is a map in place; the
engine joins maps of one shape, so that an update is one pass over weight, gradient and states.

Numbers that may change between steps are scalar inputs; the others are attributes and become
constants. The names are PopART's; `popir.optimizers` has the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from popir import gcl
from popir.cached import cached_property
from popir.errors import OperatorInputError
from popir.ir import Graph, Op, OperatorIdentifier, Tensor
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.symbolic import Arg, Expr
from popir.ops.support.variable import VAR, VariableOp
from popir.options.annotations import REPLICA_GROUPING
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import program
from popir.replicas import ReplicaGrouping
from popir.reserved import reservedUpdatedVarPrefix
from popir.types import DataType

GRADIENT, FIRST_STATE = 1, 2


@dataclass(frozen=True)
class State:
    """A state that an optimizer keeps for a weight. Its id is the prefix and the weight's id."""

    prefix: str
    type: DataType
    initial: float | np.ndarray[Any, Any] = 0.0
    """The value it starts with: one number, or an array of the weight's shape, with the dimension
    of the groups of replicas that have weights of their own.
    """
    is_scalar: bool = False
    """Whether it is one number, such as a count of steps."""


@dataclass(frozen=True)
class Given:
    """The gradient that an update gets."""

    id: str
    """The id of its tensor: the gradient of the loss, or what was accumulated of it."""
    batches: int = 1
    """What the gradient is divided by: the batches whose mean it is to be."""
    factors: tuple[str, ...] = ()
    """The ids of scalar tensors that it is multiplied by."""
    is_each: bool = False
    """Whether it is that of one batch of several before the update, which the update adds up."""
    divided: dict[str, int] = field(default_factory=dict)
    """What is divided by in each tensor of a changeable number that updates have so far."""


class Step(NamedTuple):
    """One step of an update. Its expression reads the operator's inputs, and after them the values
    that earlier steps have computed.
    """

    kind: str
    """"set" writes an input, "let" computes a value, "squares" computes the sum of squares."""
    target: int
    """The input that "set" writes."""
    value: Expr


class Update:
    """The tensors of an update, as operands of expressions, and the steps made of them."""

    def __init__(self, op: VarUpdateOp) -> None:
        self._op = op
        self.steps: list[Step] = []
        self._operands = max(op.input) + 1

    @property
    def weight(self) -> Expr:
        """The weight that is updated."""
        return Arg(VAR)

    @cached_property
    def gradient(self) -> Expr:
        """The gradient, times its factors."""
        factors: list[Expr] = [Arg(i) for i in self._op.input if i >= self._op.first_factor()]
        return s.folded(s.mul, [*factors, Arg(GRADIENT)])

    @property
    def states(self) -> list[Expr]:
        """The states, in the order of their inputs."""
        return [Arg(FIRST_STATE + i) for i in range(self._op.states)]

    def number(self, name: str) -> Expr:
        """A number of the update: a constant, or a scalar input."""
        if name in self._op.attributes:
            return s.Const(self._op.attributes[name])
        return Arg(self._op.scalar_inputs()[name])

    def constant(self, name: str) -> float | None:
        """The value of a constant number; None for one that may change."""
        return self._op.attributes.get(name)

    def variant(self, name: str) -> Any:
        """An attribute that says what variant of the optimizer this is."""
        return self._op.attributes[name]

    def set(self, target: Expr, value: Expr) -> None:
        """Gives the weight or a state a new value. Expressions of later steps read the new one."""
        assert isinstance(target, Arg)
        self.steps.append(Step("set", target.index, value))

    def let(self, value: Expr) -> Expr:
        """Computes a value once, with the shape of its operands."""
        return self._made("let", value)

    def squares(self, value: Expr) -> Expr:
        """The sum of the squares of all elements."""
        return self._made("squares", value)

    def _made(self, kind: str, value: Expr) -> Expr:
        self.steps.append(Step(kind, -1, value))
        self._operands += 1
        return Arg(self._operands - 1)


class VarUpdateOp(VariableOp):
    """The base class of the updates. Input 0 is the weight, input 1 its gradient, of the same
    shape, if it is read; the states, the scalar numbers that may change and scalar factors of the
    gradient follow. Output 0 is the weight after the update; from 1 on there are the states, as far
    as they are connected.
    """

    opid: OperatorIdentifier
    openAttributes = True
    """The attributes are the constant numbers, what variant of the optimizer it is, the number of
    `states`, and `changing`, the names of the other numbers.
    """

    def __init__(
        self, opid: OperatorIdentifier, settings: Op.Settings, attributes: Mapping[str, Any]
    ) -> None:
        super().__init__(opid, settings, attributes)

    @property
    def states(self) -> int:
        """The number of states."""
        return self.attributes["states"]

    def scalar_inputs(self) -> dict[str, int]:
        """The input index of each number that is not a constant."""
        changing: list[str] = self.attributes["changing"]
        return {name: FIRST_STATE + self.states + i for i, name in enumerate(changing)}

    def first_factor(self) -> int:
        """The index of the first input that is a factor of the gradient."""
        return FIRST_STATE + self.states + len(self.attributes["changing"])

    def setup(self) -> None:
        """Infers the type and shape of the weight. Raises OperatorInputError for a gradient of
        another shape.
        """
        if self.hasInput(GRADIENT) and self.inShape(GRADIENT) != self.inShape(VAR):
            raise OperatorInputError(
                f"{self.debugName()}: the weight '{self.inId(VAR)}' is {self.inInfo(VAR)}, its "
                f"gradient {self.inInfo(GRADIENT)}; they must have one shape."
            )
        super().setup()
        for i in range(self.states):
            if self.hasOutput(1 + i):
                self.setOutInfo(1 + i, self.inInfo(FIRST_STATE + i))

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The outputs are the weight and the states themselves."""
        return super().aliases(inIndex, outIndex) or (
            inIndex - FIRST_STATE == outIndex - 1 and 0 < outIndex <= self.states
        )

    def modifies(self, inIndex: int) -> bool:
        """The weight and the states are modified."""
        return super().modifies(inIndex) or FIRST_STATE <= inIndex < FIRST_STATE + self.states

    def modified_inputs(self) -> list[int]:
        """The weight and the states are modified."""
        states = range(FIRST_STATE, FIRST_STATE + self.states)
        return [i for i in (VAR, *states) if i in self.input]

    def optimizerInputs(self) -> dict[int, Tensor]:
        """The scalar inputs, by index."""
        return {i: self.inTensor(i) for i in self.scalar_inputs().values()}

    def sharding(self) -> ReplicaGrouping | None:
        """The groups of replicas that have shards of the weight, if the update is one of shards
        that needs sums over the whole.
        """
        numbers = self.settings.nodeAttributes.get(REPLICA_GROUPING)
        return None if numbers is None else ReplicaGrouping(*numbers)

    def has_sums(self) -> bool:
        """Whether the update needs sums over all elements."""
        update = Update(self)
        self.update(update)
        return any(step.kind == "squares" for step in update.steps)

    def isOutlineable(self) -> bool:
        """False if replicas meet in it."""
        return super().isOutlineable() and self.sharding() is None

    def update(self, u: Update) -> None:
        """Adds the steps of the update to `u`."""
        raise NotImplementedError


class VarUpdateOpx(Opx):
    """The lowering: one map for each step, in place where it writes an input."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the steps in order."""
        op = self.getOp(VarUpdateOp)
        update = Update(op)
        op.update(update)
        tensors: list[Any] = [None] * (max(op.input) + 1)
        for i in op.input:
            tensors[i] = self.getInTensor(i)
        weight = tensors[VAR]
        arithmetic = Arithmetic(self, prog)
        for step in update.steps:
            if step.kind == "set":
                value = _over(step.value, tensors, step.target)
                arithmetic.mapInPlace(*value)
                continue
            value, operands = _over(step.value, tensors)
            # Intermediate values have the type that sums have, whatever the operands' types are.
            kind = accumulator(popType(self.inInfo(VAR)))
            if step.kind == "let":
                tensors.append(arithmetic.map(value, operands, out=kind))
                continue
            squared = arithmetic.map(s.square(value), operands, "squares", out=kind)
            dims = list(range(len(squared.shape())))
            total = arithmetic.reduce(squared, dims, "squares") if dims else squared
            tensors.append(self._of_all(total, prog))
        self.setOutTensor(0, weight)
        for i in range(op.states):
            if self.hasOutput(1 + i):
                self.setOutTensor(1 + i, tensors[FIRST_STATE + i])

    def _of_all(self, total: Any, prog: program.Sequence) -> Any:
        """The sum over the replicas that have shards of the weight, if they do."""
        grouping = self.getOp(VarUpdateOp).sharding()
        if grouping is None:
            return total
        group = gcl.CommGroup(grouping.size, grouping.stride)
        add = gcl.CollectiveOperator.ADD
        return gcl.allReduceCrossReplica(
            self.graph(), total, add, prog, group, self.debugContext("squares")
        )

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """States, and what gradients are accumulated in, are laid out as the weight is."""
        op = self.getOp(VarUpdateOp)
        if not self._lies_with_weight(op, i) or self.inShape(i) != self.inShape(VAR):
            return InputCreatorType.Deadend
        return InputCreatorType.CanCreate

    @staticmethod
    def _lies_with_weight(op: VarUpdateOp, i: int) -> bool:
        if i == GRADIENT:
            producer = op.inTensor(i).producer
            return producer is not None and producer.accumulates
        return FIRST_STATE <= i < FIRST_STATE + op.states

    def mustExistBeforeCreate(self, i: int) -> list[str]:
        """The weight, whose layout is taken."""
        return [self.inId(VAR)]

    def createInputTensor(self, i: int, debugContext: str) -> Any:
        """A tensor in the layout of the weight."""
        kind = popType(self.inInfo(i))
        return self.graph().clone(kind, self.getInTensor(VAR), debugContext)


def regularized(u: Update, scaling: str) -> Expr:
    """The gradient, without the loss scaling, by the number `scaling`; with the attribute `decay`
    L2Regularization, weightDecay * w is added.
    """
    g = u.number(scaling) * u.gradient
    if u.variant("decay") == "L2Regularization":
        g = g + u.number("weightDecay") * u.weight
    return g


def _over(value: Expr, tensors: Sequence[Any], target: int | None = None) -> tuple[Expr, list[Any]]:
    """The expression over the tensors that it reads alone, the target first."""
    read = sorted(s.operands(value) - {target})
    order = read if target is None else [target, *read]
    renumbered = s.renumber(value, {old: new for new, old in enumerate(order)})
    return renumbered, [tensors[i] for i in order]


def add_states(graph: Graph, weight: str, states: Sequence[State]) -> list[str]:
    """Adds the variables of the states of a weight; returns their ids.

    A state starts with the model's initializer of its id, or else with its initial value. It is
    saved with the model. Groups of replicas that have weights of their own have states of their
    own.
    """
    info, shared = graph.getTensor(weight).info, graph.shared.get(weight)
    assert info is not None
    ids: list[str] = []
    for state in states:
        shape = [] if state.is_scalar else info.shape()
        groups = 1 if shared is None else shared.grouping.getNumGroups()
        initial = np.zeros([groups, *shape], state.type.numpy)
        initial[...] = state.initial
        id = state.prefix + weight
        ids.append(id)
        first = np.array(initial[0])
        graph.addState(id, first)
        graph.saveVariable(id)
        if shared is not None and id not in graph.shared:
            graph.shared[id] = shared.like(initial if groups > 1 else first)
    return ids


def connect_var_update(
    op_class: type[VarUpdateOp],
    graph: Graph,
    weight: str,
    gradient: str | None,
    states: Sequence[str],
    constants: Mapping[str, Any],
    changing: Mapping[str, str],
    factors: Sequence[str] = (),
    output: str = "",
    context: str = "",
) -> Op:
    """Adds the update of a weight, or of what is updated like one.

    Args:
        weight, gradient, states: the ids of the tensors.
        constants: the values of constant numbers, by name, and the operator's other attributes.
        changing: the ids of the tensors of the other numbers, by name.
        factors: the ids of scalar tensors that the gradient is multiplied by.
        output: the id of the output; by default that of an updated weight.
        context: a prefix for the operator's name.
    """
    name = "/".join(filter(None, (context, op_class.opid.type, weight)))
    attributes = {**constants, "states": len(states), "changing": list(changing)}
    op = op_class(op_class.opid, Op.Settings(graph, name), attributes)
    inputs = {VAR: weight, **dict(enumerate(states, FIRST_STATE))}
    if gradient is not None:
        inputs[GRADIENT] = gradient
    inputs.update({i: changing[name] for name, i in op.scalar_inputs().items()})
    inputs.update(enumerate(factors, op.first_factor()))
    made = output or f"{reservedUpdatedVarPrefix()}{weight}"
    graph.createConnectedOp(lambda: op, dict(sorted(inputs.items())), {0: made})
    return op
