"""PadSum: replaces a sum of slices' gradients, each padded with zeros, by a concatenation.

Such a sum is the gradient of a tensor of n elements that was cut into k slices. The sum would fill
and read k * n elements, the concatenation n.

Example: [a, b, 0, 0] + [0, 0, c, d] is [a, b, c, d].
"""

from __future__ import annotations

import numpy as np

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import SUMS, constraint, is_built_in, make, remove_unread, replace


class PadSum(Rewrite):
    """A Sum or Add of gradients of adjacent slices along one axis becomes a Concat."""

    types = SUMS

    def pattern(self, op: Op) -> bool:
        """Whether `op` sums several tensors, one of them the gradient of a slice."""
        makers = [t.producer for t in op.input.values()]
        return (
            is_built_in(op, *SUMS)
            and len(makers) > 1
            and any(is_built_in(maker, "SliceGrad") for maker in makers)
        )

    def check(self, op: Op) -> str | None:
        """All must be gradients of slices along one axis that do not overlap, without other
        readers.
        """
        axes: set[int] = set()
        for tensor in op.input.values():
            maker = tensor.producer
            if maker is None or not is_built_in(maker, "SliceGrad"):
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
        """The summed tensors, which are removed."""
        return list(op.input.values())

    def rewrite(self, op: Op) -> None:
        """Replaces `op` by a Concat of the gradients, with zeros where no slice was taken."""
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
            remove_unread(tensor)


def _cut(maker: Op) -> dict[int, range]:
    """For each axis that a slice has cut, the indices it has taken."""
    taken: dict[int, range] = getattr(maker, "taken")  # noqa: B009
    shape = maker.outShape(0)
    return {axis: part for axis, part in taken.items() if part != range(shape[axis])}


def _axis(op: Op) -> int:
    """The axis that all slices have cut."""
    return next(axis for t in op.input.values() for axis in _cut(t.getProducer()))


def _parts(op: Op) -> list[tuple[Op, range]]:
    """The gradient operators of the slices and the indices taken, in the order of the axis."""
    makers = [t.getProducer() for t in op.input.values()]
    whole = range(op.outShape(0)[_axis(op)])
    found = [(maker, _cut(maker).get(_axis(op), whole)) for maker in makers]
    return sorted(found, key=lambda part: (part[1].start, part[1].stop))


def _zeros(op: Op, axis: int, size: int) -> str:
    """The id of a tensor of zeros with the output's shape, but `size` along the axis: an expanded
    scalar.
    """
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
