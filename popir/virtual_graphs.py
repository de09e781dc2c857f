"""Virtual graphs: the placement of operators, and of their outputs, on IPUs.

With `SessionOptions.virtualGraphMode` Manual, the annotation of `Builder.virtualGraph` gives the
IPU. Auto first sets that annotation for all operators. An operator without it is placed by the
first rule that applies:

1. If it writes a weight, on the IPU of the first placed operator that only reads that weight. This
   overrides its own annotation. What makes a state in place that such an operator changes is there
   too: a copy of it would be changed, and lost.
2. On the IPU of the producer of its first placed input; without one, of the first placed operator
   with a variable that it changes.
3. On the IPU of the first placed reader of its outputs.
4. On IPU 0.

A weight, constant or input is on the IPU of the operator that writes it, or else of its first
reader. An operator reads a tensor of another IPU from a copy on its own IPU, which IpuCopy makes
(`popir.transforms.ipu_copies`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

from popir.enums import VirtualGraphMode
from popir.errors import OperatorAttributeError, popart_exception
from popir.ir import Graph, Op, Tensor, TensorType
from popir.options import OptionWarning, warn
from popir.options.annotations import VIRTUAL_GRAPH


def check_ipus(graph: Graph, ipus: int) -> None:
    """Raises OperatorAttributeError, naming the node, if an operator is to be on an IPU that the
    device, of `ipus` IPUs, does not have.
    """
    for op in graph.schedule():
        ipu = op.settings.nodeAttributes.get(VIRTUAL_GRAPH, 0)
        if ipu >= ipus and op.opid.type not in ("IpuCopy", "Stash", "Restore"):
            inputs, outputs = (
                ", ".join(t.id for t in tensors.values()) for tensors in (op.input, op.output)
            )
            raise OperatorAttributeError(
                f"{op.debugName()}: virtualGraph = {ipu!r} ({VIRTUAL_GRAPH}) is no IPU of the "
                f"device, which has {ipus}: expected 0 to {ipus - 1}. createIpuModelDevice takes "
                "numIPUs.",
                popart=f"Op({op.id}, {op.opid}, inputs=[{inputs}], outputs=[{outputs}]) has been "
                f"assigned to an invalid virtual graph {ipu}",
            )


def check_virtual_graphs(graph: Graph, mode: VirtualGraphMode, ipus: int) -> None:
    """Checks the annotations, for a device of `ipus` IPUs.

    Raises OperatorAttributeError, naming the node, for what is no IPU at all. Warns if there are
    annotations that have no effect because the mode is Off.
    """
    is_off = mode is VirtualGraphMode.Off
    annotated: Op | None = None
    for op in graph.ops.values():
        ipu = op.settings.nodeAttributes.get(VIRTUAL_GRAPH)
        if ipu is None:
            continue
        if not isinstance(ipu, int) or ipu < 0:
            raise OperatorAttributeError(
                f"{op.debugName()}: virtualGraph = {ipu!r} ({VIRTUAL_GRAPH}) is no IPU of the "
                f"device, which has {ipus}: expected 0 to {ipus - 1}. createIpuModelDevice takes "
                "numIPUs."
            )
        if ipus > 1 or ipu:
            annotated = annotated or op
    if annotated is not None and is_off:
        warn(
            f"{annotated.debugName()}: virtualGraph ({VIRTUAL_GRAPH}) has no meaning here: "
            "SessionOptions.virtualGraphMode is Off, and the session chooses the IPUs.",
            OptionWarning,
        )


def split_over_ipus(graph: Graph, ipus: int, ratios: Sequence[float]) -> None:
    """Splits the schedule into one part for each IPU, and annotates the operators with it.

    `ratios` are the parts' shares of all bytes of weights and outputs; none for equal shares.
    Annotations in the model are kept. Raises popart_exception if there is not one ratio for each
    IPU, if they are negative or all 0, or if there are fewer operators than parts.
    """
    shares = list(ratios) or [1.0] * ipus
    if len(shares) != ipus or min(shares) < 0 or not sum(shares) > 0:
        raise popart_exception(
            f"SessionOptions.virtualGraphSplitRatios takes one number of at least 0 for each of "
            f"the {ipus} IPUs, not all 0; given were {shares}."
        )
    order = graph.schedule()
    parts = sum(1 for share in shares if share)
    if len(order) < parts:
        raise popart_exception(
            f"SessionOptions.virtualGraphMode = {VirtualGraphMode.Auto}: a model of {len(order)} "
            f"operators cannot be cut into {parts} parts. Use fewer IPUs, or "
            "virtualGraphSplitRatios with zeros.",
            popart=f"[AutoVirtualGraph] Couldn't find enough splits for {parts} IPUs",
        )
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
    weights = {t for t in op.input.values() if t.is_variable() or t.isConst()} - seen
    seen |= weights
    tensors = [*weights, *op.output.values()]
    return sum(t.info.nbytes() for t in tensors if t.info is not None)


class Places:
    """The IPU of each operator and tensor of one graph."""

    def __init__(self, graph: Graph, fixed: int | None = None) -> None:
        """Places all operators. In a called graph, all are on the IPU `fixed`."""
        order = graph.schedule()
        self._ops: dict[Op, int] = {}
        self._fixed = fixed
        if fixed is not None:
            return
        for op in order:
            if (ipu := op.settings.nodeAttributes.get(VIRTUAL_GRAPH)) is not None:
                self._ops[op] = ipu
        self._rank = {op: n for n, op in enumerate(order)}
        # Rule 1 overrides the annotation of the operator: a weight is where it is read.
        for op in order:
            written = (t for i, t in op.input.items() if t.is_variable() and op.modifies(i))
            for tensor in written:
                readers = [r for r in self._readers(tensor) if not _writes(r, tensor)]
                ipu = next(filter(_is_some, map(_copied_from, readers)), self._first(readers))
                if ipu is not None:
                    self._ops[op] = ipu
        for op in reversed(order):
            for i, tensor in op.input.items() if op in self._ops else ():
                maker = tensor.producer
                if maker is None or maker in self._ops or not op.modifies(i):
                    continue
                if any(t.is_variable() for t in map(maker.inTensor, maker.modified_inputs())):
                    self._ops[maker] = self._ops[op]
        for op in order:
            if op not in self._ops:
                producers = (t.producer for t in op.input.values() if t.producer is not None)
                changed = (t for i, t in op.input.items() if t.is_variable() and op.modifies(i))
                near = (user for tensor in changed for user in self._readers(tensor))
                self._set(op, self._first(chain(producers, near)))
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
        """The IPU that an operator is placed on."""
        return self._ops[op] if self._fixed is None else self._fixed

    def home(self, tensor: Tensor) -> int:
        """The IPU that a tensor is placed on."""
        if self._fixed is not None:
            return self._fixed
        if tensor.producer is not None:
            return self._ops[tensor.producer]
        writers = [r for r in tensor.uses if _writes(r, tensor)]
        copied = next(filter(_is_some, map(_copied_from, tensor.uses)), None)
        if copied is not None:
            return copied
        if tensor.tensorType is TensorType.Variable and writers:
            return self._ops[writers[0]]
        return self._first(self._readers(tensor)) or 0


def _copied_from(op: Op) -> int | None:
    """For an IpuCopy, the IPU that it copies from."""
    return op.attributes.get("source_ipu") if op.opid.type == "IpuCopy" else None


def _is_some(ipu: int | None) -> bool:
    return ipu is not None


def _writes(op: Op, tensor: Tensor) -> bool:
    return any(t is tensor and op.modifies(i) for i, t in op.input.items())
