"""Collectives of replicas: ReplicatedAllReduce, ReplicatedReduceScatter, ReplicatedAllGather.

The group of replicas is the annotation of `Builder.commGroup`; by default all replicas. Gradients
are those of the sum of all replicas' losses.
"""

from __future__ import annotations

import re
from typing import Any

from popir import gcl, poplar
from popir.enums import CollectiveOperator, CommGroupType
from popir.errors import OperatorAttributeError, popart_exception
from popir.ir import Graph, Op, OpSerialiser
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id
from popir.options.annotations import COLLECTIVE_OPERATOR, COMM_GROUP, REPLICA_GROUPING
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.replicas import CommGroup, ReplicaGrouping
from popir.types import TensorInfo

_LINEAR = (CollectiveOperator.Add, CollectiveOperator.Mean)


def grouping_of(op: Op) -> ReplicaGrouping:
    """The groups of replicas of an operator. Raises OperatorAttributeError for a `commGroup` that
    is none, or whose groups do not divide the replicas.
    """
    notes, replicas = op.settings.nodeAttributes, op.graph.replicas
    if not isinstance(op, (CollectiveOp, _GradOp)):
        _, stride, size = map(int, re.findall(r"\d+", _texts(op)["collectiveReplicaGrouping"]))
        return ReplicaGrouping(replicas, stride, size)
    given: Any = notes.get(REPLICA_GROUPING) or notes.get(COMM_GROUP) or (0, 0)
    try:
        if REPLICA_GROUPING in notes:
            _, stride, size = given
            return ReplicaGrouping(replicas, stride, size)
        type, size = given
        return CommGroup(CommGroupType(type), size).toReplicaGrouping(replicas)
    except (TypeError, ValueError, popart_exception) as error:
        raise OperatorAttributeError(
            f"{op.debugName()}: the group of replicas is {given!r}, and there are {replicas} "
            f"replicas: {error}"
        ) from error


def _texts(op: Op) -> dict[str, str]:
    """The attributes of an operator of a library, as text."""
    os = OpSerialiser()
    op.appendOutlineAttributes(os)
    return {name: str(value) for name, value in os.attributes.items()}


def operator_of(op: Op) -> CollectiveOperator:
    """How an operator reduces. Raises OperatorAttributeError for an unknown number."""
    if not isinstance(op, (CollectiveOp, _GradOp)):
        return CollectiveOperator[_texts(op)["collectiveOp"]]
    number = op.settings.nodeAttributes.get(COLLECTIVE_OPERATOR, CollectiveOperator.Add.value)
    try:
        return CollectiveOperator(number)
    except ValueError as error:
        raise OperatorAttributeError(
            f"{op.debugName()}: the collective operator is {number!r} ({COLLECTIVE_OPERATOR}); "
            f"there are {', '.join(f'{each.name} ({each.value})' for each in CollectiveOperator)}."
        ) from error


def parts_of(info: TensorInfo, grouping: ReplicaGrouping) -> int:
    """The elements that each replica of a group gets of a tensor: its share, rounded up."""
    return -(-info.nelms() // grouping.size)


class CollectiveOp(Op):
    """The base class of the three: replicas meet in it."""

    def isOutlineable(self) -> bool:
        """False: replicas meet in it."""
        return False

    def hasSideEffect(self) -> bool:
        """True: other replicas wait for it."""
        return True

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The groups of replicas, too."""
        super().appendAttributes(os)
        grouping = grouping_of(self)
        os.appendAttribute("grouping", [grouping.replicas, grouping.stride, grouping.size])


class ReplicatedAllReduceOp(CollectiveOp):
    """PopART's ReplicatedAllReduce: each replica of a group gets the reduction of what all have."""

    def setup(self) -> None:
        """The output is like the input."""
        grouping_of(self)
        operator_of(self)
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        """The same reduction, of the gradients, for Add and Mean."""
        return [ReplicatedAllReduceGradOp(self)] if operator_of(self) in _LINEAR else []


class ReplicatedReduceScatterOp(CollectiveOp):
    """PopART's ReplicatedReduceScatter: each replica of a group gets its part of the reduction."""

    def setup(self) -> None:
        """The output has one dimension, of the elements divided by the replicas, rounded up."""
        operator_of(self)
        info = self.inInfo(0)
        self.setOutInfo(0, TensorInfo(info.dataType(), [parts_of(info, grouping_of(self))]))

    def getGradOps(self) -> list[Op]:
        """The gradients of the parts, gathered, for Add."""
        is_sum = operator_of(self) is CollectiveOperator.Add
        return [ReplicatedReduceScatterGradOp(self)] if is_sum else []


class ReplicatedAllGatherOp(CollectiveOp):
    """PopART's ReplicatedAllGather: each replica of a group gets what all have, one after the
    other.
    """

    def setup(self) -> None:
        """The output has one dimension, of the elements times the replicas of a group."""
        info = self.inInfo(0)
        self.setOutInfo(0, TensorInfo(info.dataType(), [info.nelms() * grouping_of(self).size]))

    def getGradOps(self) -> list[Op]:
        """The replica's part of the sum of the gradients."""
        return [ReplicatedAllGatherGradOp(self)]


class ShardGatherOp(ReplicatedAllGatherOp):
    """A ReplicatedAllGather of the shards of a tensor. The attribute `shape` is that of the whole,
    without what fills the last shard up.
    """

    openAttributes = True

    def setup(self) -> None:
        """The output is the whole tensor."""
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), self.attributes["shape"]))


class _GradOp(InputGradOp):
    """The base class of the gradients: the forward operator's groups are its own."""

    def __init__(self, fwdOp: Op) -> None:
        super().__init__(fwdOp)
        for note in (COMM_GROUP, COLLECTIVE_OPERATOR, REPLICA_GROUPING):
            if note in fwdOp.settings.nodeAttributes:
                self.settings.nodeAttributes[note] = fwdOp.settings.nodeAttributes[note]

    isOutlineable = CollectiveOp.isOutlineable
    hasSideEffect = CollectiveOp.hasSideEffect


class ReplicatedAllReduceGradOp(_GradOp):
    """The gradient of ReplicatedAllReduce."""

    opid = graphcore_id("ReplicatedAllReduceGrad")

    def getGradOps(self) -> list[Op]:
        """It is linear, and its own gradient."""
        return [ReplicatedAllReduceGradOp(self)]


class ReplicatedReduceScatterGradOp(_GradOp):
    """The gradient of ReplicatedReduceScatter."""

    opid = graphcore_id("ReplicatedReduceScatterGrad")


class ReplicatedAllGatherGradOp(_GradOp):
    """The gradient of ReplicatedAllGather."""

    opid = graphcore_id("ReplicatedAllGatherGrad")


def connect_sum(graph: Graph, id: str, grouping: ReplicaGrouping, output: str) -> str:
    """Adds the ReplicatedAllReduce of a tensor over the replicas of a group. Returns the id of its
    output, or of the tensor if each replica is alone.
    """
    if grouping.size == 1:
        return id
    settings = settings_of(graph, f"ReplicatedAllReduce/{id}", grouping)
    op = ReplicatedAllReduceOp(graphcore_id("ReplicatedAllReduce"), settings)
    graph.createConnectedOp(lambda: op, {0: id}, {0: output})
    return output


def sharers(graph: Graph, weight: str) -> ReplicaGrouping:
    """The replicas that share a weight."""
    shared, replicas = graph.shared.get(weight), graph.replicas
    return ReplicaGrouping(replicas, 1, replicas) if shared is None else shared.grouping


def settings_of(graph: Graph, name: str, grouping: ReplicaGrouping) -> Op.Settings:
    """The settings of a collective over groups of replicas."""
    numbers = [grouping.replicas, grouping.stride, grouping.size]
    return Op.Settings(graph, name, {REPLICA_GROUPING: numbers})


class CollectiveOpx(Opx):
    """The base class of the lowerings."""

    lowersLibraries = True

    def reduced(self, prog: program.Sequence) -> poplar.Tensor:
        """The reduction of the input."""
        return gcl.allReduceCrossReplica(
            *(self.graph(), self.getInTensor(0), self.operator(), prog, self.group()),
            self.debugContext(),
        )

    def scattered(self, prog: program.Sequence) -> poplar.Tensor:
        """The replica's part of the reduction."""
        return gcl.reduceScatterCrossReplica(
            *(self.graph(), self.getInTensor(0), self.operator(), prog, self.group()),
            self.debugContext(),
        )

    def gathered(self, prog: program.Sequence) -> poplar.Tensor:
        """What the replicas have, in one dimension."""
        return gcl.allGatherCrossReplica(
            *(self.graph(), self.getInTensor(0), prog, self.group()), self.debugContext()
        ).flatten()

    def whole(self, prog: program.Sequence) -> poplar.Tensor:
        """What the replicas have, without what fills the last part up, in the output's shape."""
        info = self.outInfo(0)
        return self.gathered(prog).slice(0, info.nelms()).reshape(info.shape())

    def group(self) -> gcl.CommGroup:
        """The groups of replicas."""
        grouping = grouping_of(self.op_p)
        return gcl.CommGroup(grouping.size, grouping.stride)

    def operator(self) -> gcl.CollectiveOperator:
        """How replicas' values become one. The two lists have one order."""
        return gcl.CollectiveOperator(operator_of(self.op_p).value)


class ReplicatedAllReduceOpx(CollectiveOpx):
    """The lowering of ReplicatedAllReduce and its gradient."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the reduction over a group of replicas."""
        self.setOutTensor(0, self.reduced(prog))


class ReplicatedReduceScatterOpx(CollectiveOpx):
    """The lowering of ReplicatedReduceScatter."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the reduction over a group of replicas."""
        self.setOutTensor(0, self.scattered(prog).reshape(self.outInfo(0).shape()))


class ReplicatedAllGatherOpx(CollectiveOpx):
    """The lowering of ReplicatedAllGather."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the gathering of what replicas have."""
        self.setOutTensor(0, self.whole(prog))


class ReplicatedReduceScatterGradOpx(CollectiveOpx):
    """The lowering of ReplicatedReduceScatter's gradient."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the gathering, and leaves out what filled the last part up."""
        self.setOutTensor(0, self.whole(prog))


class ReplicatedAllGatherGradOpx(CollectiveOpx):
    """The lowering of ReplicatedAllGather's gradient."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the reduction over a group of replicas."""
        self.setOutTensor(0, self.scattered(prog).reshape(self.outInfo(0).shape()))


OpCreator(ReplicatedAllReduceOp, graphcore_id("ReplicatedAllReduce"))
OpCreator(ReplicatedReduceScatterOp, graphcore_id("ReplicatedReduceScatter"))
OpCreator(ReplicatedAllGatherOp, graphcore_id("ReplicatedAllGather"))
OpxCreator(
    ReplicatedAllReduceOpx, [graphcore_id("ReplicatedAllReduce"), ReplicatedAllReduceGradOp.opid]
)
OpxCreator(ReplicatedReduceScatterOpx, [graphcore_id("ReplicatedReduceScatter")])
OpxCreator(ReplicatedAllGatherOpx, [graphcore_id("ReplicatedAllGather")])
OpxCreator(ReplicatedReduceScatterGradOpx, [ReplicatedReduceScatterGradOp.opid])
OpxCreator(ReplicatedAllGatherGradOpx, [ReplicatedAllGatherGradOp.opid])
