"""Lowering of calls: a called graph becomes one function, however often it is called.

The function has its own input tensors, and each call copies its inputs there. A *shared* input, one
that is the same tensor in every call, is not copied but read directly, unless a nested function
writes to it. The outputs are the function's own tensors too, and the next call overwrites them. A
reader after the next call gets a copy (see `popir.lowering.undeclared_writes`).

For example, the calls f(x1, w) and f(x2, w) copy x1 and x2 to the same variable; w is shared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from popir import poplar
from popir._device.popart import Devicex
from popir.ir import Graph, Op
from popir.opx import InputCreatorType, Opx
from popir.poplar import program


class Body(Protocol):
    """The lowering of a called graph. `popir.lowering.lowering.Lowering` implements it."""

    ir: Graph

    def layout(self, id: str) -> poplar.Tensor | None:
        """A new tensor for the input `id` in the layout its readers prefer; None if none does."""
        ...

    def give(self, id: str, tensor: poplar.Tensor, is_shared: bool) -> None:
        """Sets the input `id`. The function must not write to a shared one."""
        ...

    def grow(self) -> program.Sequence:
        """The program of all operators of the graph. All inputs must have been set."""
        ...

    def tensor(self, id: str) -> poplar.Tensor:
        """The device tensor of `id`, which is an input or whose operator has been lowered."""
        ...

    def functions(self) -> list[Function]:
        """The functions made so far for the graphs that this one calls, directly or not."""
        ...


class Function:
    """The device function of one called graph; `calls` are all operators that call it."""

    def __init__(self, graph: poplar.Graph, body: Body, calls: list[Op]) -> None:
        self._graph = graph
        self._body = body
        self._given: dict[int, poplar.Tensor] = {}
        inputs = range(len(body.ir.inputs))
        self.shared = {i for i in inputs if len({(c.graph, c.inTensor(i)) for c in calls}) == 1}
        """The inputs that are the same tensor in every call."""
        self._free: set[int] = set()
        """The inputs for which no operator of the called graph prefers a layout."""
        self._function: poplar.Function | None = None
        self.outputs: list[poplar.Tensor] = []

    def layout(self, i: int) -> poplar.Tensor | None:
        """The function's own tensor for input `i`, in the layout that its operators prefer.

        None if the input is shared, or if no operator prefers a layout.
        """
        if i not in self._given and i not in self.shared and i not in self._free:
            made = self._body.layout(self._body.ir.inputs[i])
            if made is None:
                self._free.add(i)  # Cached: nested calls would take exponential time otherwise.
            else:
                self._given[i] = made
        return self._given.get(i)

    def input(self, i: int, actual: poplar.Tensor) -> poplar.Tensor:
        """The tensor that the function reads as input `i`, when a call passes `actual`.

        For a shared input that is `actual` itself. Otherwise it is the function's own tensor; if no
        operator prefers a layout, it has the layout of `actual` in the first call.
        """
        if i in self.shared and i not in self._given and self._writes(actual):
            self.shared.remove(i)
        if i in self.shared:
            return self._given.setdefault(i, actual)
        if self.layout(i) is None:
            self._given[i] = self._graph.clone(actual, self._body.ir.inputs[i])
        return self._given[i]

    def call(self, debugContext: str) -> program.Call:
        """The program that calls the function. The first call lowers the function's graph.

        `input` must have been called for all inputs.
        """
        if self._function is None:
            for i, id in enumerate(self._body.ir.inputs):
                self._body.give(id, self._given[i], i in self.shared)
            self._function = self._graph.addFunction(self._body.grow())
            self.outputs = [self._body.tensor(id) for id in self._body.ir.outputs]
        return program.Call(self._function, debugContext)

    def _writes(self, tensor: poplar.Tensor) -> bool:
        """Whether a nested function has its inputs or outputs in the memory of `tensor`."""
        theirs = [t for f in self._body.functions() for t in (*f._given.values(), *f.outputs)]
        return not tensor.variables().isdisjoint(set().union(*(t.variables() for t in theirs)))

    def is_own(self, o: int) -> bool:
        """Whether output `o` has memory of its own: it aliases no input and no constant."""
        made = self.outputs[o]
        given = set().union(*(t.variables() for t in self._given.values()))
        return made.isParallelWriteable() and made.variables().isdisjoint(given)


class CallOpx(Opx):
    """The lowering of an operator that calls a graph."""

    def __init__(self, op: Op, devicex: Devicex, function_of: Callable[[Graph], Function]) -> None:
        super().__init__(op, devicex)
        self._function_of = function_of

    def _function(self) -> Function:
        return self._function_of(self.op_p.getCalledGraphs()[0])

    def grow(self, prog: program.Sequence) -> None:
        """Adds one copy for all inputs of an element type, then the call."""
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
            if not function.is_own(o):
                made = self.cloneNcopy(prog, made, f"out{o}")
            self.setOutTensor(o, made)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """CanCreate if the function prefers a layout for the input: then the copy is cheap."""
        known = self._function().layout(i) is not None
        return InputCreatorType.CanCreate if known else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> poplar.Tensor:
        """A tensor in the layout of the function's own input."""
        own = self._function().layout(i)
        assert own is not None
        return self.graph().clone(own, debugContext)
