"""Lowering of calls: a called graph becomes one function, whatever the number of its calls.

The function works on tensors of its own. A call copies its inputs there; an input that is the same
in every call is read where it is, unless a function that it calls in its turn writes there. The
outputs are the function's own tensors, until the next call; whoever needs one longer gets a copy
(see `popir.watch`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from popir import poplar
from popir.ir import Graph, Op
from popir.opx import InputCreatorType, Opx
from popir.poplar import program


class Body(Protocol):
    """The lowering of a called graph; see `popir.lowering.Lowering`."""

    ir: Graph

    def layout(self, id: str) -> poplar.Tensor | None:
        """A tensor laid out as the readers of an input would have it; None if they do not say."""
        ...

    def give(self, id: str, tensor: poplar.Tensor, isShared: bool) -> None:
        """Sets an input; a shared one is not to be written."""
        ...

    def grow(self) -> program.Sequence:
        """The operators' program."""
        ...

    def tensor(self, id: str) -> poplar.Tensor:
        """A tensor that has been set or grown."""
        ...

    def functions(self) -> list[Function]:
        """Those that have been made of the graphs that it calls, directly or not."""
        ...


class Function:
    """One called graph on the device."""

    def __init__(self, graph: poplar.Graph, body: Body, calls: list[Op]) -> None:
        self._graph = graph
        self._body = body
        self._given: dict[int, poplar.Tensor] = {}
        inputs = range(len(body.ir.inputs))
        self.shared = {i for i in inputs if len({(c.graph, c.inTensor(i)) for c in calls}) == 1}
        """The inputs that are the same tensor in every call."""
        self._free: set[int] = set()
        """The inputs of which the called operators do not say how they must lie."""
        self._function: Any = None
        self.outputs: list[poplar.Tensor] = []

    def layout(self, i: int) -> poplar.Tensor | None:
        """The function's own tensor for an input, if the called operators say how it must lie."""
        if i not in self._given and i not in self.shared and i not in self._free:
            made = self._body.layout(self._body.ir.inputs[i])
            if made is None:
                self._free.add(i)  # Asked but once, or calls in calls would take exponential time.
            else:
                self._given[i] = made
        return self._given.get(i)

    def input(self, i: int, actual: poplar.Tensor) -> poplar.Tensor:
        """The function's own tensor for an input: if nobody says how, it lies as that of the first
        call; or the actual one, where all calls share it.
        """
        if i in self.shared and i not in self._given and self._writes(actual):
            self.shared.remove(i)
        if i in self.shared:
            return self._given.setdefault(i, actual)
        if self.layout(i) is None:
            self._given[i] = self._graph.clone(actual, self._body.ir.inputs[i])
        return self._given[i]

    def call(self, debugContext: str) -> program.Call:
        """Once all inputs are known; grows the function first if this is the first call."""
        if self._function is None:
            for i, id in enumerate(self._body.ir.inputs):
                self._body.give(id, self._given[i], i in self.shared)
            self._function = self._graph.addFunction(self._body.grow())
            self.outputs = [self._body.tensor(id) for id in self._body.ir.outputs]
        return program.Call(self._function, debugContext)

    def _writes(self, tensor: poplar.Tensor) -> bool:
        """Whether a function that the body calls leaves its inputs or results there."""
        theirs = [t for f in self._body.functions() for t in (*f._given.values(), *f.outputs)]
        return not tensor.variables().isdisjoint(set().union(*(t.variables() for t in theirs)))

    def isOwn(self, o: int) -> bool:
        """Whether output `o` is nothing but the function's: no part of an input or a constant."""
        made = self.outputs[o]
        given = set().union(*(t.variables() for t in self._given.values()))
        return made.isParallelWriteable() and made.variables().isdisjoint(given)


class CallOpx(Opx):
    """Lowers an operator that calls a graph."""

    def __init__(self, op: Op, devicex: Any, functionOf: Callable[[Graph], Function]) -> None:
        super().__init__(op, devicex)
        self._functionOf = functionOf

    def _function(self) -> Function:
        return self._functionOf(self.op_p.getCalledGraphs()[0])

    def grow(self, prog: program.Sequence) -> None:
        """A copy of the inputs, one for each element type, and the call."""
        function = self._function()
        pairs: dict[str, list[tuple[poplar.Tensor, poplar.Tensor]]] = {}
        for i in sorted(self.op_p.input):
            actual = self.getInTensor(i)
            own = function.input(i, actual)
            if i not in function.shared:
                kind = str(actual.elementType())
                pairs.setdefault(kind, []).append((actual.flatten(), own.flatten()))
        for each in pairs.values():
            actual, own = (poplar.concat(side) for side in zip(*each, strict=True))
            prog.add(program.Copy(actual, own, self.debugContext("in")))
        prog.add(function.call(self.debugContext()))
        for o in sorted(self.op_p.output):
            made = function.outputs[o]
            if not function.isOwn(o):
                made = self.cloneNcopy(prog, made, f"out{o}")
            self.setOutTensor(o, made)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """What is copied to the function lies as it does there."""
        known = self._function().layout(i) is not None
        return InputCreatorType.CanCreate if known else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> poplar.Tensor:
        """Like the function's own."""
        own = self._function().layout(i)
        assert own is not None
        return self.graph().clone(own, debugContext)
