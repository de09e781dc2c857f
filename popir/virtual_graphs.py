"""Virtual graphs: which IPU each operator is on, and with it all tensors that it makes.

`SessionOptions.virtualGraphMode` Manual takes the annotation that `Builder.virtualGraph` sets;
Auto first sets it itself. An operator without one is where the weight is that it writes, else where
the first of its inputs is made, else where its result is read. A weight, constant or input of the
model is where its first reader is. What an operator reads from another IPU is copied to its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from popir.enums import VirtualGraphMode
from popir.errors import OperatorAttributeError, popart_exception
from popir.ir import Graph, Op, Tensor, TensorType
from popir.options import OptionWarning, warn
from popir.options.annotations import VIRTUAL_GRAPH


def checkVirtualGraphs(graph: Graph, mode: VirtualGraphMode, ipus: int) -> None:
    """Raises OperatorAttributeError, naming the node, for an IPU that the device does not have.

    Warns of annotations that virtualGraphMode Off leaves without effect.
    """
    annotated: Op | None = None
    for op in graph.ops.values():
        ipu = op.settings.nodeAttributes.get(VIRTUAL_GRAPH)
        if ipu is None:
            continue
        if not isinstance(ipu, int) or not 0 <= ipu < ipus:
            raise OperatorAttributeError(
                f"{op.debugName()}: virtualGraph = {ipu!r} ({VIRTUAL_GRAPH}) is no IPU of the "
                f"device, which has {ipus}: expected 0 to {ipus - 1}. createIpuModelDevice takes "
                "numIPUs."
            )
        annotated = annotated or op
    if annotated is not None and ipus > 1 and mode is VirtualGraphMode.Off:
        warn(
            f"{annotated.debugName()}: virtualGraph ({VIRTUAL_GRAPH}) has no meaning here: "
            "SessionOptions.virtualGraphMode is Off, and operators are laid out over all tiles.",
            OptionWarning,
        )


def splitOverIpus(graph: Graph, ipus: int, ratios: Sequence[float]) -> None:
    """Annotates the operators, in the order of their schedule, so that each IPU gets its share of
    the bytes of weights and results; those that have an annotation keep it.

    `ratios` are the shares, one for each IPU; none for equal ones. Raises popart_exception if they
    are of another number, negative, or all 0.
    """
    shares = list(ratios) or [1.0] * ipus
    if len(shares) != ipus or min(shares) < 0 or not sum(shares) > 0:
        raise popart_exception(
            f"SessionOptions.virtualGraphSplitRatios takes one number of at least 0 for each of "
            f"the {ipus} IPUs, not all 0; given were {shares}."
        )
    order = graph.schedule()
    seen: set[Tensor] = set()
    costs = [_bytes(op, seen) for op in order]
    total = sum(costs) or 1
    bounds = [share * total / sum(shares) for share in accumulate(shares)]
    done = 0
    for op, cost in zip(order, costs, strict=True):
        middle = done + cost / 2
        done += cost
        ipu = next((i for i, bound in enumerate(bounds) if middle <= bound), ipus - 1)
        op.settings.nodeAttributes.setdefault(VIRTUAL_GRAPH, ipu)


def _bytes(op: Op, seen: set[Tensor]) -> int:
    weights = {t for t in op.input.values() if t.isVariable() or t.isConst()} - seen
    seen |= weights
    tensors = [*weights, *op.output.values()]
    return sum(t.info.nbytes() for t in tensors if t.info is not None)


class Places:
    """The IPU of each operator and tensor of one graph."""

    def __init__(self, graph: Graph, fixed: int | None = None) -> None:
        """`fixed` is the one IPU of a graph that is called."""
        order = graph.schedule()
        self._ops: dict[Op, int] = {}
        self._fixed = fixed
        if fixed is not None:
            return
        for op in order:
            if (ipu := op.settings.nodeAttributes.get(VIRTUAL_GRAPH)) is not None:
                self._ops[op] = ipu
        self._rank = {op: n for n, op in enumerate(order)}
        # The weight that an operator writes is moved by no annotation of that operator.
        for op in order:
            written = (t for i, t in op.input.items() if t.isVariable() and op.modifies(i))
            for tensor in written:
                readers = (r for r in self._readers(tensor) if not _writes(r, tensor))
                ipu = self._first(readers)
                if ipu is not None:
                    self._ops[op] = ipu
        for op in order:
            if op not in self._ops:
                producers = (t.producer for t in op.input.values() if t.producer is not None)
                self._set(op, self._first(producers))
        for op in reversed(order):
            if op not in self._ops:
                self._set(op, self._first(r for t in op.output.values() for r in t.uses))
        for op in order:
            self._ops.setdefault(op, 0)

    def _set(self, op: Op, ipu: int | None) -> None:
        if ipu is not None:
            self._ops[op] = ipu

    def _first(self, ops: Iterable[Op]) -> int | None:
        return next((self._ops[op] for op in ops if op in self._ops), None)

    def _readers(self, tensor: Tensor) -> list[Op]:
        return sorted(set(tensor.uses), key=self._rank.__getitem__)

    def of(self, op: Op) -> int:
        """The IPU of an operator."""
        return self._ops[op] if self._fixed is None else self._fixed

    def home(self, tensor: Tensor) -> int:
        """The IPU of a tensor."""
        if self._fixed is not None:
            return self._fixed
        if tensor.producer is not None:
            return self._ops[tensor.producer]
        writers = [r for r in tensor.uses if _writes(r, tensor)]
        if tensor.tensorType is TensorType.Variable and writers:
            return self._ops[writers[0]]
        return self._first(self._readers(tensor)) or 0


def _writes(op: Op, tensor: Tensor) -> bool:
    return any(t is tensor and op.modifies(i) for i, t in op.input.items())
