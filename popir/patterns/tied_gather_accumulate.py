"""TiedGatherAccumulate: adds the gradient of a TiedGather to an accumulator row by row."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.ops.movement.tiedgather import TiedGatherGradOp
from popir.ops.movement.transpose import TransposeGradOp, TransposeOp
from popir.ops.update.accumulate import AccumulateOp
from popir.ops.update.sparse_accumulate import connect_sparse
from popir.ops.update.var_update import GRADIENT
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import SUMS, constraint, is_built_in, remove_unread, replace
from popir.patterns.pre_uni_repl import PreUniRepl


class TiedGatherAccumulate(Rewrite):
    """The gradient of a TiedGather is added to the accumulator of the table row by row, and is no
    part of the sum any more that Accumulate adds. PopART's pattern of this name; it runs when the
    updates are there.
    """

    types = frozenset({"TiedGatherGrad"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` is the gradient of a TiedGather, and gradients are accumulated."""
        return isinstance(op, TiedGatherGradOp) and any(
            isinstance(each, AccumulateOp) for each in op.graph.ops.values()
        )

    def check(self, op: Op) -> str | None:
        """Only transposes and sums may be between it and an Accumulate, whose gradient has another
        part.
        """
        found = _Path(op)
        return found.reason or constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """The sums, which are without the gradient after that."""
        return _Path(op).tensors

    def rewrite(self, op: Op) -> None:
        """Adds the SparseAccumulate, and takes the gradient out of the sum."""
        assert isinstance(op, TiedGatherGradOp)
        found = _Path(op)
        assert found.accumulate is not None
        connect_sparse(found.accumulate, op, found.axis)
        _take_out(op.outTensor(0))


class _Path:
    """The way of a gradient to the accumulator."""

    def __init__(self, op: Op) -> None:
        self.tensors: list[Tensor] = []
        self.accumulate: AccumulateOp | None = None
        self.axis = 0
        """The axis of the accumulator along which the rows of the table are."""
        self.reason = self._follow(op.outTensor(0))

    def _follow(self, tensor: Tensor) -> str | None:
        is_summed = False
        while True:
            self.tensors.append(tensor)
            readers = [(op, i) for op in tensor.uses for i, t in op.input.items() if t is tensor]
            if len(readers) != 1:
                return f"{len(readers)} operators read '{tensor.id}'; one is expected"
            ((reader, i),) = readers
            if isinstance(reader, AccumulateOp) and i == GRADIENT:
                self.accumulate = reader
                return None if is_summed else "the gradient has no other part"
            if isinstance(reader, (TransposeOp, TransposeGradOp)):
                if reader.permutation() == [1, 0]:
                    self.axis = 1 - self.axis
            elif is_built_in(reader, *SUMS):
                if any(t.info != tensor.info for t in reader.input.values()):
                    return f"{reader.debugName()} broadcasts"
                is_summed = is_summed or reader.numInputs() > 1
            else:
                return f"{reader.debugName()} reads '{tensor.id}', and is no sum"
            tensor = reader.outTensor(0)


def _take_out(tensor: Tensor) -> None:
    """Removes a term, and what is made of it alone, up to the sum that has others."""
    (reader,) = tensor.uses
    rest = [t.id for t in reader.input.values() if t is not tensor]
    if not rest:
        _take_out(reader.outTensor(0))
        remove_unread(tensor)
        return
    out = reader.outTensor(0)
    replace(reader, ("ai.onnx", "Sum", 13), rest)
    remove_unread(tensor)
    left, single = out.getProducer(), PreUniRepl()
    if len(rest) == 1 and single.check(left) is None:
        single.rewrite(left)


PatternCreator(TiedGatherAccumulate, "TiedGatherAccumulate", enabled=False, source="built in")
