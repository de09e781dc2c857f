"""Layouts of variables and streams: whoever consumes a tensor may say how it should lie on the
tiles.

From a tensor the search goes to its readers. One that can create the input does, of several the one
of the highest priority, and of equals the first; one through which
layouts can be unwound is passed, towards the readers of its outputs. Where nobody has a say the
tensor is spread evenly. Variables and streams that must exist before a tensor are made first. Where
operators are placed on IPUs, those of other IPUs have no say: they get a copy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from popir import poplar
from popir.errors import popart_exception
from popir.ir import Op, Tensor, TensorType
from popir.opx import InputCreatorType, Opx, popType
from popir.virtual_graphs import Places

_CREATES = {InputCreatorType.CanCreate, InputCreatorType.CanCreateOrUnwind}
_REACH = 64
"""Readers looked at for one tensor, and outputs of each, so that compiling takes linear time."""

Make = Callable[[str], poplar.Tensor]
Step = tuple[Opx, int, int]
"""Through this Opx, from the input of this index to the output of that."""


class LayoutFinder:
    """Creates tensors by what their readers say."""

    def __init__(self, opxs: Mapping[Op, Opx], devicex: Any, places: Places | None = None) -> None:
        self._opxs = opxs
        self._places = places
        self._devicex = devicex
        self._creating: set[str] = set()
        self._indices: dict[Op, dict[Tensor, list[int]]] = {}

    def create(self, tensor: Tensor, make: Make) -> poplar.Tensor | None:
        """The device's tensor, made by the nearest reader that can; None if there is none.

        `make` makes the variable, constant or stream of an id, which must exist before.
        """
        seen = {tensor}
        queue: deque[tuple[Tensor, tuple[Step, ...]]] = deque([(tensor, ())])
        looked = 0
        while queue and looked < _REACH:
            at, path = queue.popleft()
            readers: list[tuple[Opx, int]] = []
            for op, i in self._uses(at):
                looked += 1
                if self._places and self._places.of(op) != self._places.home(tensor):
                    continue
                opx = self._opxs[op]
                if opx.getInputCreatorType(i) in _CREATES and self._provide(tensor, opx, i, make):
                    readers.append((opx, i))
                for out, after in islice(op.output.items(), _REACH):
                    if after not in seen and opx.canUnwind(i, out):
                        seen.add(after)
                        queue.append((after, (*path, (opx, i, out))))
            if readers:
                opx, i = max(readers, key=lambda reader: reader[0].inputCreatorPriority)
                return self._created(tensor, opx, i, path)
        return None

    def _uses(self, tensor: Tensor) -> Iterator[tuple[Op, int]]:
        """The readers of a tensor, with the index of the input."""
        for op in tensor.uses:
            if op not in self._indices:
                known = self._indices[op] = {}
                for i, t in sorted(op.input.items()):
                    known.setdefault(t, []).append(i)
            yield from ((op, i) for i in self._indices[op][tensor])

    def _provide(self, tensor: Tensor, opx: Opx, i: int, make: Make) -> bool:
        """Whether what must exist before input `i` does, or can be made before `tensor`."""
        self._creating.add(tensor.id)
        try:
            for ids in opx.mustExistBeforeCreateDNF(i):
                missing = [id for id in ids if not self._devicex.contains(id)]
                if self._isFar(opx, ids):
                    continue
                if not any(id in self._creating or self._isComputed(opx, id) for id in missing):
                    for id in missing:
                        make(id)
                    return True
            return False
        finally:
            self._creating.discard(tensor.id)

    def _isFar(self, opx: Opx, ids: Iterable[str]) -> bool:
        """Whether some of the tensors are on another IPU than the operator."""
        places, graph = self._places, opx.op_p.graph
        if places is None:
            return False
        return any(places.home(graph.getTensor(id)) != places.of(opx.op_p) for id in ids)

    def _isComputed(self, opx: Opx, id: str) -> bool:
        return opx.op_p.graph.getTensor(id).tensorType is TensorType.ActGrad

    def _created(self, tensor: Tensor, opx: Opx, i: int, path: tuple[Step, ...]) -> poplar.Tensor:
        made = opx.createInputTensor(i, tensor.id)
        for through, inIndex, outIndex in reversed(path):
            made = through.unwindTensorLayout(made, inIndex, outIndex)
        assert tensor.info is not None
        if list(made.shape()) != tensor.info.shape():
            raise popart_exception(
                f"{opx.op_p.debugName()}: {type(opx).__name__} created '{tensor.id}' of shape "
                f"{list(made.shape())}; the tensor has {tensor.info.shape()}."
            )
        kind = popType(tensor.info)
        if made.elementType() == kind:
            return made
        # An operator on the way has a result of another type than this input, as Where has of its
        # condition: the elements lie in the same places.
        return self._devicex.graph().clone(kind, made, tensor.id)
