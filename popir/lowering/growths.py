"""Growing of operators: one like an earlier one gets what that one has added, without its Opx.

Models repeat themselves, and an Opx is Python code of many calls. So what the Opx of an operator
has added to the device's graph is kept, and added again with other variables and other names for
each operator like it (`popir._device.popart.Growth`). The result is what its own Opx would have
added, since that depends on nothing else than

- the class and the members of the operator and its annotations, and the class of the Opx;
- types and shapes of its tensors, and the values of its constants;
- where its inputs lie: the views, and type, shape and tiles of their variables; of variables that
  are spread linearly, only which of them begin at one tile.

All this is compared. Opxs of users and libraries, which may read anything, always grow; so do those
that keep something in the object for later calls, and those that add what Growth does not repeat.
"""

from __future__ import annotations

from popir import poplar
from popir._device.popart import Devicex, Growth, KnownGrowths, Likeness
from popir.ir import blamed
from popir.ir.likeness import is_of_popir, is_own
from popir.opx import Opx, block_of, debug_prefix
from popir.poplar import program, programWrites

Shown = tuple[list[int], bool]
"""The variables that a tensor shows, and whether it is tangled: `Devicex.shown`."""
Grown = tuple[program.Sequence, list[int], list[Shown] | None]
"""What `Growths.grow` returns."""
_UNKNOWN = KnownGrowths()
"""Stands for the growths of operators that none is like."""
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
        self._known: dict[type[Opx], dict[int, KnownGrowths | None]] = {}
        """By the class of the Opx and by what operators have in common, a number; None if what they
        add cannot be repeated.
        """

    def grow(self, opx: Opx) -> Grown:
        """Adds what `opx` adds to the graph, and sets its outputs.

        Returns the program, of the name `block_of`; the numbers of the variables that it writes and
        that were there before, ascending; and what each output shows, or None if that is not known
        yet.
        """
        op = opx.op_p
        if not (self._repeats and is_own(op) and is_of_popir(opx.__class__)):
            return self.grow_afresh(opx)
        kinds = self._known.setdefault(opx.__class__, {})
        key = self._likeness.of(op)
        known = kinds.get(key, _UNKNOWN)
        if known is None:
            return self.grow_afresh(opx)
        inputs = [tensor.id for tensor in op.input.values()]
        outputs = [tensor.id for tensor in op.output.values()]
        prefix = debug_prefix(op)
        if known is _UNKNOWN:
            known = kinds[key] = KnownGrowths()
        else:
            repeated = known.repeat(self._devicex, inputs, outputs, prefix, block_of(op))
            if repeated is not None:
                return repeated
        if len(known) == _LAYOUTS:
            return self.grow_afresh(opx)
        growth = Growth(self._devicex)
        grown = self.grow_afresh(opx)
        is_plain = vars(opx).keys() == _OF_OPX and all(map(self._devicex.contains, outputs))
        if is_plain and growth.end(self._devicex, grown[0], inputs, outputs, prefix):
            known.add(growth)
        else:
            kinds[key] = None
        return grown

    def grow_afresh(self, opx: Opx) -> Grown:
        """The same, by the code of `opx`."""
        prog = program.Sequence(debugContext=block_of(opx.op_p))
        before = self._graph.numVariables()
        with blamed(opx.op_p, "grow", opx):
            opx.grow(prog)
        return prog, sorted(v for v in programWrites(self._graph, prog) if v < before), None
