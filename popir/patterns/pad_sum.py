"""PadSum: a sum of pieces, each with zeros around it, is the pieces side by side.

That is the gradient of a tensor which was sliced: of a tensor of n elements cut into k slices it is
n elements, where the sum would fill and read k n.
"""

from __future__ import annotations

import numpy as np

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import SUMS, constraint, isBuiltIn, make, removeUnread, replace


class PadSum(Rewrite):
    """A Sum or an Add of gradients of slices along one axis, side by side, becomes a Concat."""

    types = SUMS

    def pattern(self, op: Op) -> bool:
        """A sum of several tensors, one of which is the gradient of a slice."""
        makers = [t.producer for t in op.input.values()]
        return (
            isBuiltIn(op, *SUMS)
            and len(makers) > 1
            and any(isBuiltIn(maker, "SliceGrad") for maker in makers)
        )

    def check(self, op: Op) -> str | None:
        """All must be gradients of slices along one axis, side by side, that nobody else reads."""
        axes: set[int] = set()
        for tensor in op.input.values():
            maker = tensor.producer
            if maker is None or not isBuiltIn(maker, "SliceGrad"):
                return f"'{tensor.id}' is no slice's gradient"
            if len(tensor.consumers) > 1:
                return f"'{tensor.id}' has other readers"
            if tensor.info != op.outInfo(0):
                return f"'{tensor.id}' is broadcast"
            cut = _cut(maker)
            if not all(map(len, cut.values())):
                return f"'{tensor.id}' is the gradient of a slice of nothing"
            if any(taken.step != 1 for taken in cut.values()):
                return f"'{tensor.id}' is the gradient of a slice with steps"
            axes |= set(cut)
            if why := constraint(maker):
                return why
        if len(axes) != 1:
            return f"the slices are along the axes {sorted(axes)}; one is expected"
        taken = [part for _, part in _parts(op)]
        for first, second in zip(taken, taken[1:], strict=False):
            if second.start < first.stop:
                return f"slices overlap, at {second.start} of axis {axes.pop()}"
        return constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """What goes."""
        return list(op.input.values())

    def rewrite(self, op: Op) -> None:
        """A Concat of the slices' gradients, with zeros where no slice was."""
        padded = list(op.input.values())
        parts, axis = _parts(op), _axis(op)
        pieces: list[str] = []
        end = 0
        for maker, taken in parts:
            if taken.start > end:
                pieces.append(_zeros(op, axis, taken.start - end))
            pieces.append(maker.inId(0))
            end = taken.stop
        if (size := op.outShape(0)[axis]) > end:
            pieces.append(_zeros(op, axis, size - end))
        replace(op, ("ai.onnx", "Concat", 13), pieces, {"axis": axis})
        for tensor in padded:
            removeUnread(tensor)


def _cut(maker: Op) -> dict[int, range]:
    """The indices that a slice took, of the axes that it cut."""
    taken: dict[int, range] = getattr(maker, "taken")  # noqa: B009
    shape = maker.outShape(0)
    return {axis: part for axis, part in taken.items() if part != range(shape[axis])}


def _axis(op: Op) -> int:
    """The axis that all slices cut."""
    return next(axis for t in op.input.values() for axis in _cut(t.getProducer()))


def _parts(op: Op) -> list[tuple[Op, range]]:
    """The gradients of the slices, and what those took, in the order of the axis."""
    makers = [t.getProducer() for t in op.input.values()]
    whole = range(op.outShape(0)[_axis(op)])
    found = [(maker, _cut(maker).get(_axis(op), whole)) for maker in makers]
    return sorted(found, key=lambda part: (part[1].start, part[1].stop))


def _zeros(op: Op, axis: int, size: int) -> str:
    """The id of a tensor of zeros, as wide as the output but for the axis: one zero, repeated."""
    graph, info = op.graph, op.outInfo(0)
    shape = info.shape()
    shape[axis] = size
    zero = graph.uniqueId(f"{op.outId(0)}/zero")
    graph.addConstInit(zero, np.zeros([1] * len(shape), info.dataType().numpy))
    wide = graph.uniqueId(f"{op.outId(0)}/zeros")
    graph.addConstInit(to := graph.uniqueId(f"{wide}/shape"), np.array(shape, np.int64))
    make(op, ("ai.onnx", "Expand", 13), [zero, to], wide)
    return wide


PatternCreator(PadSum, "PadSum", source="built in")
