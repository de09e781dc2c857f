"""A graph of operators and tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from popir.errors import did_you_mean, popart_exception
from popir.ir import schedule
from popir.ir.op import Op
from popir.ir.origin import Origin
from popir.ir.tensor import Tensor, TensorType
from popir.typed import fitted, typed
from popir.types import TensorInfo

AnyOp = TypeVar("AnyOp", bound=Op)

_MANY_READERS = 64


@typed(byHand=["createConnectedOp", "getTensor"])
class Graph:
    """Operators and tensors by id, with the inputs and outputs of the whole, in order."""

    def __init__(self, name: str = "", caller: Graph | None = None) -> None:
        """`caller` is a graph that will call this one: ids of operators are unique in both."""
        self.name = name
        self.ops: dict[int, Op] = {}
        self.tensors: dict[str, Tensor] = {}
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.opsets: dict[str, int] = {}
        """The version of each operator domain that the model is written in."""
        self.origin = Origin()
        """Who wrote the model that this was made from."""
        self.constraints: dict[Op, dict[Op, None]] = {}
        """The operators that must run before the key, besides those that its inputs come from."""
        self.isTraining = False
        """Whether the graph is compiled to be trained, where some operators compute otherwise."""
        self.hasGradients = False
        """Whether the loss has been differentiated."""
        self.saved: list[str] = []
        """Variables that a saved model has besides those of the model that this was made from."""
        self.told: set[str] = set()
        """The attributes without meaning, as `Cast.saturate`, of which a warning was given."""
        self.twin: Any = None
        """What stands for this graph in C++, once C++ has looked at it."""
        self._lastOpId: list[int] = caller._lastOpId if caller else [-1]
        self._taken: dict[str, int] = {}

    # Tensors.

    def addStream(self, id: str, info: TensorInfo) -> Tensor:
        """Adds a tensor that the host sends, as the last of the graph's inputs."""
        tensor = self._add(Tensor(self, id, TensorType.Stream, info))
        self.inputs.append(id)
        return tensor

    def addVarInit(self, id: str, data: np.ndarray[Any, Any]) -> Tensor:
        """Adds a weight or a state, with its initial value."""
        return self._add(Tensor(self, id, TensorType.Variable, TensorInfo(data), data))

    def addState(self, id: str, initial: np.ndarray[Any, Any]) -> Tensor:
        """Adds a state that goes on where the model was saved: with the value of its initializer of
        that id, or else with `initial`.

        Raises popart_exception if the model's is of another type or shape.
        """
        if id not in self.tensors:
            self.addVarInit(id, initial)
        state = self.tensors[id]
        if state.data is None or state.info != TensorInfo(initial):
            raise popart_exception(
                f"The model has a tensor '{id}', {state.info}; the state of that id must be an "
                f"initializer {TensorInfo(initial)}. Was it saved for another model?"
            )
        state.tensorType = TensorType.Variable
        return state

    def saveVariable(self, id: str) -> None:
        """Makes a variable part of saved models. Raises popart_exception if it is none."""
        if not self.getTensor(id).isVariable():
            raise popart_exception(f"{self.getTensor(id)} is no variable; a model saves those.")
        if id not in self.saved:
            self.saved.append(id)

    def addConstInit(self, id: str, data: np.ndarray[Any, Any]) -> Tensor:
        """Adds a constant."""
        return self._add(Tensor(self, id, TensorType.Const, TensorInfo(data), data))

    def addActGrad(self, id: str) -> Tensor:
        """Adds a tensor that an operator will compute."""
        return self._add(Tensor(self, id, TensorType.ActGrad))

    def _add(self, tensor: Tensor) -> Tensor:
        if tensor.id in self.tensors:
            raise popart_exception(
                f"The graph '{self.name}' has a tensor '{tensor.id}' already: "
                f"{self.tensors[tensor.id]}."
            )
        self.tensors[tensor.id] = tensor
        return tensor

    def hasTensor(self, id: str) -> bool:
        """Whether the graph has a tensor of that id."""
        return id in self.tensors

    def getTensor(self, id: str) -> Tensor:
        """The tensor of that id. Raises popart_exception, naming near misses, if there is none."""
        try:
            return self.tensors[id]
        except (KeyError, TypeError):
            fitted("Graph.getTensor", "id", id, str)
            raise popart_exception(
                f"The graph '{self.name}' has no tensor '{id}'.{did_you_mean(id, self.tensors)}"
            ) from None

    def removeTensor(self, id: str) -> None:
        """Removes a tensor that nothing produces, reads or names as input or output."""
        tensor = self.getTensor(id)
        if tensor.producer or tensor.consumers or id in self.inputs or id in self.outputs:
            raise popart_exception(
                f"{tensor} is in use and cannot be removed: producer {tensor.producer}, "
                f"consumers {tensor.consumers}, graph input {id in self.inputs}, "
                f"graph output {id in self.outputs}."
            )
        del self.tensors[id]

    def uniqueId(self, base: str) -> str:
        """`base`, or `base/1`, `base/2`, ... : the first that no tensor has."""
        if base not in self.tensors:
            return base
        n = self._taken.get(base, 0) + 1
        while f"{base}/{n}" in self.tensors:
            n += 1
        self._taken[base] = n
        return f"{base}/{n}"

    # Operators.

    @property
    def lastOpId(self) -> int:
        """The greatest id that an operator made for this graph has had."""
        return self._lastOpId[0]

    def nextOpId(self) -> int:
        """A number that no operator made for this graph has."""
        self._lastOpId[0] += 1
        return self._lastOpId[0]

    def moveIntoGraph(self, op: Op) -> int:
        """Takes an operator that is not connected yet into the graph, and returns its id."""
        if op.settings.graph is not self:
            op.settings.graph = self
            if op.twin is not None:
                op.twin.moveTo(self)
            op.id = self.nextOpId()
        if op.id in self.ops:
            raise popart_exception(
                f"{self!r} has an operator of the id of {op.debugName()} already."
            )
        self._lastOpId[0] = max(self._lastOpId[0], op.id)
        self.ops[op.id] = op
        return op.id

    def createConnectedOp(
        self,
        factory: Callable[..., AnyOp],
        in_: dict[int, str],
        out: dict[int, str],
        *args: Any,
        **kwargs: Any,
    ) -> AnyOp:
        """`factory(*args, **kwargs)`, taken into the graph, connected and set up.

        `in_` are ids of existing tensors by input index; `out` ids of tensors by output index,
        added if there are none.
        """
        if not callable(factory) or in_.__class__ is not dict or out.__class__ is not dict:
            who = "Graph.createConnectedOp"
            fitted(who, "factory", factory, Callable)
            fitted(who, "in_", in_, dict[int, str])
            fitted(who, "out", out, dict[int, str])
        op = factory(*args, **kwargs)
        self.moveIntoGraph(op)
        for i, id in in_.items():
            op.connectInTensor(i, id)
        for i, id in out.items():
            if id in self.tensors:
                op.connectOutTensor(i, id)
            else:
                op.createAndConnectOutTensor(i, id)
        op.setup()
        return op

    def eraseOp(self, id: int) -> None:
        """Disconnects an operator and removes it; its output tensors stay, without a producer."""
        op = self.ops.get(id)
        if op is None:
            raise popart_exception(f"The graph '{self.name}' has no operator of id {id}.")
        op.disconnectAllInputs()
        op.disconnectAllOutputs()
        self.constraints.pop(op, None)
        for befores in self.constraints.values():
            befores.pop(op, None)
        del self.ops[id]

    def replaceOp(self, old: Op, new: Op) -> None:
        """Puts `new`, which is not connected yet, in the place of `old`: its id, connections and
        constraints, in the same order; among more than 64 readers of a tensor, as the last one.
        Calls `new.setup()`.
        """
        new.id = old.id
        new.input, new.output = old.input, old.output
        old.input, old.output = {}, {}
        for tensor in dict.fromkeys(new.input.values()):
            if len(tensor.uses) > _MANY_READERS:  # The order of so many is not worth the time.
                tensor.uses[new] = tensor.uses.pop(old)
            else:
                tensor.uses = {(new if op is old else op): n for op, n in tensor.uses.items()}
        for tensor in new.output.values():
            tensor.producer = new
        self.ops[old.id] = new
        if self.constraints:
            self.constraints = {
                (new if after is old else after): {
                    (new if before is old else before): None for before in befores
                }
                for after, befores in self.constraints.items()
            }
        new.setup()

    # Order.

    def addConstraint(self, before: Op, after: Op) -> None:
        """Makes `before` run before `after`, whatever their tensors say."""
        self.constraints.setdefault(after, {})[before] = None

    def removeConstraint(self, before: Op, after: Op) -> None:
        """Takes `addConstraint` back; nothing happens where there was none."""
        self.constraints.get(after, {}).pop(before, None)

    def befores(self, op: Op) -> list[Op]:
        """The operators that constraints make run before `op`."""
        return list(self.constraints.get(op, {}))

    def afters(self, op: Op) -> list[Op]:
        """The operators that constraints make run after `op`."""
        return [after for after, befores in self.constraints.items() if op in befores]

    def schedule(self) -> list[Op]:
        """All operators in an order in which they can run; the same for the same graph.

        See `popir.ir.schedule`. Raises VerificationError, naming the operators, if they wait for
        each other.
        """
        return schedule.schedule(self)

    def __repr__(self) -> str:
        return f"Graph('{self.name}', {len(self.ops)} ops, {len(self.tensors)} tensors)"


def calledGraphs(graph: Graph) -> list[Graph]:
    """The graph and all that its operators call, directly or not, each once."""
    found = {graph: None}
    stack = [graph]
    while stack:
        for op in stack.pop().ops.values():
            if type(op).getCalledGraphs is not Op.getCalledGraphs:
                fresh = [each for each in op.getCalledGraphs() if each not in found]
                found.update(dict.fromkeys(fresh))
                stack += fresh
    return list(found)
