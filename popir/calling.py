"""Lowering of called graphs: `Function`, `CallingOpx`. A called graph becomes one function, however
often it is called.

The function has its own input tensors, and each call copies its inputs there. A *shared* input, one
that is the same tensor in every call, is not copied but read directly, unless a nested function
writes to it. The outputs are the function's own tensors too, and the next call overwrites them. A
reader after the next call gets a copy (see `popir.lowering.undeclared_writes`).

An operator's `argumentsOf` says which inputs it passes. Others it makes itself, such as a loop's
iteration number: they are the function's own tensors, which the operator writes before each call.

For example, the calls f(x1, w) and f(x2, w) copy x1 and x2 to the same variable; w is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, Protocol

from popir import poplar
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
        self.shared = _shared(body.ir, calls)
        """The inputs that are the same tensor in every call."""
        self._passed_on = _passed_on(body.ir, calls)
        self._free: set[int] = set()
        """The inputs for which no operator of the called graph prefers a layout."""
        self._liked: dict[int, poplar.Tensor | None] = {}
        """Tensors in the preferred layouts of shared inputs, made to be cloned."""
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

    def preferred(self, i: int) -> poplar.Tensor | None:
        """A tensor in the layout that the operators prefer for the shared input `i`."""
        if i in self.shared and i not in self._given and i not in self._liked:
            self._liked[i] = self._body.layout(self._body.ir.inputs[i])
        return self._liked.get(i)

    def accept(self, i: int, tensor: poplar.Tensor) -> poplar.Tensor:
        """The function's own tensor for input `i`: `tensor`, a new one, unless it has one."""
        assert i not in self.shared
        return self._given.setdefault(i, tensor)

    def fix(self, i: int, tensor: poplar.Tensor) -> None:
        """Makes `tensor` input `i`, which the operator writes and the function must not."""
        self._given.setdefault(i, tensor)
        self.shared.add(i)

    def is_read(self, i: int) -> bool:
        """Whether the graph reads input `i`, or returns it."""
        id = self._body.ir.inputs[i]
        return bool(self._body.ir.getTensor(id).uses) or id in self._body.ir.outputs

    def call(self, debugContext: str) -> program.Call:
        """The program that calls the function. The first call lowers the function's graph.

        `input` must have been called for all inputs.
        """
        if self._function is None:
            for i, id in enumerate(self._body.ir.inputs):
                self._body.give(id, self._given[i], i in self.shared)
            body = self._body.grow()
            self.outputs = [self._body.tensor(id) for id in self._body.ir.outputs]
            for o, i in self._passed_on.items():
                if i not in self.shared:
                    self._lay_as(o, self._given[i], body)
            self._function = self._graph.addFunction(body)
        return program.Call(self._function, debugContext)

    def _lay_as(self, o: int, own: poplar.Tensor, body: program.Sequence) -> None:
        """Gives output `o` the layout of the function's own tensor `own`. The next call copies it
        there: so data moves between tiles in the function, whose exchange code all calls share.
        """
        made, id = self.outputs[o], self._body.ir.outputs[o]
        if made.elementType() == own.elementType() and not poplar.mappedAlike(made, own):
            self.outputs[o] = self._graph.clone(own, id)
            body.add(program.Copy(made, self.outputs[o], f"{id}/laid"))

    def changed_by(self, tensors: Iterable[poplar.Tensor]) -> set[int]:
        """The outputs that are in the memory of `tensors`."""
        variables = set().union(*(t.variables() for t in tensors))
        shown = enumerate(self.outputs)
        return {o for o, t in shown if not variables.isdisjoint(t.variables())}

    def _writes(self, tensor: poplar.Tensor) -> bool:
        """Whether a nested function has its inputs or outputs in the memory of `tensor`."""
        theirs = [t for f in self._body.functions() for t in (*f._given.values(), *f.outputs)]
        return not tensor.variables().isdisjoint(set().union(*(t.variables() for t in theirs)))

    def is_own(self, o: int) -> bool:
        """Whether output `o` has memory of its own: it aliases no input and no constant."""
        made = self.outputs[o]
        given = set().union(*(t.variables() for t in self._given.values()))
        return made.isParallelWriteable() and made.variables().isdisjoint(given)


def _shared(graph: Graph, calls: list[Op]) -> set[int]:
    """The inputs of a graph that are the same tensor in every call."""
    passed = [(call, call.argumentsOf(graph)) for call in calls]
    return {
        i
        for i in range(len(graph.inputs))
        if all(given[i] is not None for _, given in passed)
        and len({(call.graph, call.inTensor(given[i] or 0)) for call, given in passed}) == 1
    }


def _passed_on(graph: Graph, calls: list[Op]) -> dict[int, int]:
    """The outputs of a graph that a call of it gets from another one, and as which input."""
    found: dict[int, int] = {}
    makers = {call for call in calls if not call.repeatsCalls}
    for call in calls:
        for i, index in enumerate(call.argumentsOf(graph)):
            tensor = None if index is None else call.inTensor(index)
            maker = None if tensor is None else tensor.producer
            if maker in makers:
                found.update((o, i) for o, t in maker.output.items() if t is tensor)
    return found


class CallingOpx(Opx):
    """The base class of the lowering of an operator that calls graphs."""

    function_of: Callable[[Graph], Function]
    """The function of a called graph; set before any other use."""
    creates_shared: ClassVar[bool] = False
    """Whether the called graphs also choose the layouts of inputs that are not copied."""

    def pass_in(self, callee: Graph, prog: program.Sequence) -> Function:
        """The function of a called graph, after copies of the operator's inputs to its own tensors:
        one copy for all of an element type.
        """
        function = self.function_of(callee)
        pairs: list[tuple[poplar.Tensor, poplar.Tensor]] = []
        for i, index in enumerate(self.op_p.argumentsOf(callee)):
            if index is None:
                continue
            actual = self.getInTensor(index)
            own = function.input(i, actual)
            if i not in function.shared:
                pairs.append((actual, own))
        self.copy_all(pairs, prog, "in")
        return function

    def copy_all(
        self,
        pairs: Iterable[tuple[poplar.Tensor, poplar.Tensor]],
        prog: program.Sequence,
        name: str,
    ) -> None:
        """Adds copies from the first to the second of each pair: one for all of an element type."""
        by_type: dict[str, list[tuple[poplar.Tensor, poplar.Tensor]]] = {}
        for one, other in pairs:
            kind = str(one.elementType())
            by_type.setdefault(kind, []).append((one.flatten(), other.flatten()))
        for each in by_type.values():
            one, other = (poplar.concat(side) for side in zip(*each, strict=True))
            prog.add(program.Copy(one, other, self.debugContext(name)))

    def _layout(self, i: int) -> poplar.Tensor | None:
        """A tensor in the layout that a called graph prefers for the operator's input `i`; None if
        none prefers one.
        """
        for callee in self.op_p.getCalledGraphs():
            for inside, index in enumerate(self.op_p.argumentsOf(callee)):
                if index != i:
                    continue
                function = self.function_of(callee)
                found = function.layout(inside)
                if found is None and self.creates_shared:
                    found = function.preferred(inside)
                if found is not None:
                    return found
        return None

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """CanCreate if a called graph prefers a layout for the input: then a copy is cheap."""
        known = self._layout(i) is not None
        return InputCreatorType.CanCreate if known else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> poplar.Tensor:
        """A tensor in the layout that the called graph prefers."""
        found = self._layout(i)
        assert found is not None
        return self.graph().clone(found, debugContext)
