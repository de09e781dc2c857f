"""`CallGrad`: what gradient operators that call graphs have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from popir.ir import GradInOutMapper, GradOpInType, Op


class CallGrad(Op):
    """A mixin for the gradient of an operator that calls graphs, which is an operator of the same
    kind.
    """

    _sources: Mapping[int, tuple[GradOpInType, int]]
    _towards: Sequence[int]

    def map(self, sources: Mapping[int, tuple[GradOpInType, int]], towards: Sequence[int]) -> Op:
        """Sets which tensor of the forward operator each input is; and for each output
        the forward operator's input that it is the gradient of. Returns itself.
        """
        self._sources, self._towards = sources, towards
        return self

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """What `map` has set."""
        return [GradInOutMapper(n, i, kind) for n, (kind, i) in self._sources.items()]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """What `map` has set; outputs whose input is -1 are left out."""
        return {o: i for o, i in enumerate(self._towards) if i >= 0}
