"""Growing of operators: one like an earlier one gets what that one has added, without its Opx.

Models repeat themselves, and an Opx is Python code of many calls. So what the Opx of an operator
has added to the device's graph is kept, and added again with other variables and other names for
each operator like it (`popir._device.popart.Growth`). The result is what its own Opx would have
added, since that depends on nothing else than

- the class and the members of the operator and its annotations, and the class of the Opx;
- types and shapes of its tensors, and the values of its constants;
- where its inputs lie: the views, and type, shape and tiles of their variables.

All this is compared. Opxs of users and libraries, which may read anything, always grow; so do those
that keep something in the object for later calls, and those that add what Growth does not repeat.
"""

from __future__ import annotations

from collections.abc import Hashable

from popir import poplar
from popir._device.popart import Devicex, Growth
from popir.ir.likeness import Likeness, is_own
from popir.opx import Opx, debug_prefix
from popir.poplar import program, programWrites

Shown = tuple[list[int], bool]
"""The variables that a tensor shows, and whether it is tangled: `Devicex.shown`."""
_OF_OPX = {"op_p", "dv_p"}
"""The members of an Opx that keeps nothing for later."""
_LAYOUTS = 8
"""The most growths kept for operators that are alike, but whose inputs lie in different ways."""


class Growths:
    """Grows the operators of one device graph."""

    def __init__(self, devicex: Devicex, repeats: bool = True) -> None:
        """Without `repeats`, each operator is grown by its Opx."""
        self._devicex = devicex
        self._graph: poplar.Graph = devicex.graph()
        self._repeats = repeats
        self._likeness = Likeness()
        self._known: dict[Hashable, list[Growth] | None] = {}
        """By what operators have in common; None if what they add cannot be repeated."""

    def grow(self, opx: Opx, prog: program.Sequence) -> tuple[list[int], list[Shown] | None]:
        """Adds what `opx` adds to the graph and to `prog`, which is empty; sets its outputs.

        Returns the numbers of the variables that it writes and that were there before, ascending,
        and what each output shows; None in place of that if it is not known yet.
        """
        op = opx.op_p
        if not (self._repeats and _is_comparable(opx)):
            return self.grow_afresh(opx, prog), None
        key = type(opx), self._likeness.of(op)
        known = self._known.setdefault(key, [])
        if known is None:
            return self.grow_afresh(opx, prog), None
        inputs = [tensor.id for tensor in op.input.values()]
        outputs = [tensor.id for tensor in op.output.values()]
        prefix = debug_prefix(op)
        for n, growth in enumerate(known):
            repeated = growth.repeat(self._devicex, prog, inputs, outputs, prefix)
            if repeated is not None:
                if n > 0:  # The next operator probably lies like this one.
                    known.insert(0, known.pop(n))
                return repeated
        if len(known) == _LAYOUTS:
            return self.grow_afresh(opx, prog), None
        growth = Growth(self._devicex)
        written = self.grow_afresh(opx, prog)
        is_plain = vars(opx).keys() == _OF_OPX and all(map(self._devicex.contains, outputs))
        if is_plain and growth.end(self._devicex, prog, inputs, outputs, prefix):
            known.append(growth)
        else:
            self._known[key] = None
        return written, None

    def grow_afresh(self, opx: Opx, prog: program.Sequence) -> list[int]:
        """The same, by the code of `opx`. Returns what it writes."""
        before = self._graph.numVariables()
        opx.grow(prog)
        return sorted(v for v in programWrites(self._graph, prog) if v < before)


def _is_comparable(opx: Opx) -> bool:
    """Whether the operator and its Opx are popir's own, in Python."""
    return is_own(opx.op_p) and type(opx).__module__.startswith("popir.")
