"""`KeepsStates`: what operators that run graphs once do for the states in these graphs."""

from __future__ import annotations

from collections.abc import Mapping

from popir.ir import Graph, Op
from popir.ir.origin import Origin
from popir.ir.states import states, update_states


class KeepsStates(Op):
    """A mixin for an operator that runs each graph at most once: states that their operators
    update, such as running means, are states of this operator. The graphs get outputs for their
    next values, after the others.
    """

    _kept: Mapping[int, int] | None = None
    """What `stateUpdates` returns from `keepStateOf` on."""

    def stateUpdates(self) -> dict[int, int]:
        """The inputs that are states in a called graph."""
        if self._kept is not None:
            return dict(self._kept)
        found: dict[int, None] = {}
        for callee in self.getCalledGraphs():
            arguments = dict(zip(callee.inputs, self.argumentsOf(callee), strict=True))
            for _, _, source in states(callee):
                if (i := arguments.get(source.id)) is not None:
                    found[i] = None
        outputs = len(self.getCalledGraphs()[0].outputs)
        return {i: outputs + n for n, i in enumerate(found)}

    def keepStateOf(self, origin: Origin) -> None:
        """Lets the called graphs return the next values of the states."""
        if self._kept is not None:
            return
        self._kept = self.stateUpdates()
        for callee in self.getCalledGraphs():
            inputs = set(callee.inputs)
            latest = update_states(callee, origin, lambda t, own=inputs: t.id in own)
            next_values = {tensor.id: id for tensor, id in latest.items()}
            for i in self._kept:
                id = self.argument(callee, i)
                callee.outputs.append(next_values.get(id, id))

    def argument(self, callee: Graph, i: int) -> str:
        """The input of a called graph that input `i` is, a new one if there is none."""
        return callee.inputs[self.argumentsOf(callee).index(i)]
