"""Layout assignment: a reader of a variable or stream may choose its layout on the tiles.

This follows PopART's `InputCreatorType` and `unwindTensorLayout`. From a tensor, the search visits
its readers, breadth first.

- A reader that can create the input creates the tensor. Of several, the one with the highest
  `inputCreatorPriority` does; of equals, the first.
- A reader that can unwind layouts is passed: the search goes on at the readers of its outputs, and
  the layout found there is transformed back.
- If no reader chooses, the tensor is spread linearly over the tiles.
- Variables and streams that a reader needs before it can create the tensor are created first.
- With virtual graphs, only readers on the tensor's own IPU count; others get a copy.

Example: in `y = MatMul(Transpose(w), x)` MatMul creates Transpose(w), and Transpose unwinds that to
the layout of w.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from popir import poplar
from popir._device.popart import Devicex
from popir.errors import popart_exception
from popir.ir import Op, Tensor, TensorType, blamed
from popir.opx import InputCreatorType, Opx, popType
from popir.virtual_graphs import Places

_CREATES = {InputCreatorType.CanCreate, InputCreatorType.CanCreateOrUnwind}
_UNWINDS = {InputCreatorType.CanUnwind, InputCreatorType.CanCreateOrUnwind}
_FEW = 8
"""The most inputs of an operator that are looked through each time."""
_REACH = 64
"""The most readers visited for one tensor, and outputs of each: keeps compile time linear."""

Make = Callable[[str], poplar.Tensor]
Step = tuple[Opx, int, int]
"""(Opx, input index, output index): one operator that the search passed."""


class LayoutFinder:
    """Creates tensors in the layouts that their readers choose."""

    def __init__(
        self, opxs: Mapping[Op, Opx], devicex: Devicex, places: Places | None = None
    ) -> None:
        self._opxs = opxs
        self._places = places
        self._devicex = devicex
        self._creating: set[str] = set()
        self._indices: dict[Op, dict[Tensor, list[int]]] = {}

    def create(self, tensor: Tensor, make: Make) -> poplar.Tensor | None:
        """The device tensor, created by the nearest reader that can; None if there is none.

        `make(id)` creates a variable, constant or stream that the reader needs first.
        """
        seen = {tensor}
        queue: deque[tuple[Tensor, tuple[Step, ...]]] = deque([(tensor, ())])
        looked = 0
        while queue and looked < _REACH:
            at, path = queue.popleft()
            readers: list[tuple[Opx, int]] = []
            for op, i in self._uses(at):
                looked += 1
                opx = self._opxs[op]
                kind = opx.getInputCreatorType(i)
                says_more = type(opx).canUnwind is not Opx.canUnwind
                if kind is InputCreatorType.Deadend and not says_more:
                    continue
                if self._places and self._places.of(op) != self._places.home(tensor):
                    continue
                if kind in _CREATES and self._provide(tensor, opx, i, make):
                    readers.append((opx, i))
                for out, after in islice(op.output.items(), _REACH):
                    is_through = opx.canUnwind(i, out) if says_more else kind in _UNWINDS
                    if is_through and after not in seen:
                        seen.add(after)
                        queue.append((after, (*path, (opx, i, out))))
            if readers:
                opx, i = max(readers, key=lambda reader: reader[0].inputCreatorPriority)
                return self._created(tensor, opx, i, path)
        return None

    def _uses(self, tensor: Tensor) -> Iterator[tuple[Op, int]]:
        """The readers of a tensor, each with the index of the input."""
        for op in tensor.uses:
            if len(op.input) <= _FEW:
                yield from ((op, i) for i, t in op.input.items() if t is tensor)
                continue
            if op not in self._indices:
                known = self._indices[op] = {}
                for i, t in sorted(op.input.items()):
                    known.setdefault(t, []).append(i)
            yield from ((op, i) for i in self._indices[op][tensor])

    def _provide(self, tensor: Tensor, opx: Opx, i: int, make: Make) -> bool:
        """Makes the tensors that `opx` needs before it can create input `i`, and returns whether
        that succeeded.

        `mustExistBeforeCreateDNF` lists alternative sets. A set fails if one of its tensors is
        computed by an operator, is on another IPU, or is itself being created (a circle).
        """
        self._creating.add(tensor.id)
        try:
            for ids in opx.mustExistBeforeCreateDNF(i):
                missing = [id for id in ids if not self._devicex.contains(id)]
                if self._is_far(opx, ids):
                    continue
                if not any(id in self._creating or self._is_computed(opx, id) for id in missing):
                    for id in missing:
                        make(id)
                    return True
            return False
        finally:
            self._creating.discard(tensor.id)

    def _is_far(self, opx: Opx, ids: Iterable[str]) -> bool:
        """Whether at least one of the tensors is on another IPU than the operator."""
        places, graph = self._places, opx.op_p.graph
        if places is None:
            return False
        return any(places.home(graph.getTensor(id)) != places.of(opx.op_p) for id in ids)

    def _is_computed(self, opx: Opx, id: str) -> bool:
        return opx.op_p.graph.getTensor(id).tensorType is TensorType.ActGrad

    def _created(self, tensor: Tensor, opx: Opx, i: int, path: tuple[Step, ...]) -> poplar.Tensor:
        with blamed(opx.op_p, "createInputTensor", opx):
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
        # A passed operator may change the type: the condition of a Where is BOOL, its output FLOAT.
        # The mapping to tiles is kept.
        return self._devicex.graph().clone(kind, made, tensor.id)
