"""Replicated tensor sharding: of weights, states and accumulators that replicas share, each replica
keeps a shard: the elements divided by the replicas, rounded up (`popir.replicas.Sharding`).

An update runs on shards if one of its variables is sharded. The sum of the gradient over the
replicas is then a ReplicatedReduceScatter; of a variable that is whole, such as the weight where
only its state is sharded, a ReplicatedReduceScatter with the operator Local takes the shard, and
after the update a ReplicatedAllGather and a CopyVarUpdate bring it back. Gradients are scattered
before they are added to an accumulator that is sharded, and right where they are made, so that they
need not be kept whole. Whatever else reads a sharded variable gets it from a ReplicatedAllGather,
once in each period of a step (`popir.transforms.off_chip`), so that the whole is there only as long
as a pass reads it.

With groups of replicas, a gradient is scattered within a group of the sharding domain, and the
shards are added across the groups.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping

from popir.enums import CollectiveOperator, CommGroupType
from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ops.collectives.replicated import (
    ReplicatedAllReduceOp,
    ReplicatedReduceScatterOp,
    ShardGatherOp,
    settings_of,
    sharers,
)
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.variable import VAR
from popir.ops.update.accumulate import AccumulateOp, AccumulatorZeroOp
from popir.ops.update.clip import GradientSquaresOp
from popir.ops.update.copyvarupdate import VALUE, CopyVarUpdateOp
from popir.ops.update.var_update import FIRST_STATE, GRADIENT, VarUpdateOp
from popir.options.annotations import (
    COLLECTIVE_OPERATOR,
    EXECUTION_PHASE,
    PIPELINE_STAGE,
    REPLICA_GROUPING,
    VIRTUAL_GRAPH,
)
from popir.replicas import CommGroup, ReplicaGrouping, Sharding
from popir.reserved import (
    reservedAccumPrefix,
    reservedFinalReducedGradPrefix,
    reservedUpdatedVarPrefix,
    weight_of_state,
)
from popir.transforms.off_chip import Period, changed_output
from popir.types import TensorInfo

_SHARDED = (VarUpdateOp, AccumulatorZeroOp, GradientSquaresOp)
"""The operators that run on shards: element by element, or with sums that replicas add."""


def weight_of(id: str) -> str:
    """The weight that a variable belongs to: the one that is updated, or the variable itself."""
    return weight_of_state(id) or id.removeprefix(reservedAccumPrefix())


def groups_of(tensor: Tensor, domain: CommGroup | None) -> ReplicaGrouping:
    """The groups of replicas over which a variable is sharded, if the option shardingDomain asks
    for `domain`. Raises popart_exception if they do not divide the replicas that share it.
    """
    graph = tensor.graph
    own = sharers(graph, weight_of(tensor.id))
    if domain is None or domain.type is CommGroupType.All:
        return own
    try:
        groups = domain.toReplicaGrouping(graph.replicas)
    except popart_exception as error:
        raise popart_exception(f"The shardingDomain {domain} of '{tensor.id}': {error}") from None
    if groups.size > 1 and own.across(groups) is None:
        raise popart_exception(
            f"The shardingDomain {domain} of '{tensor.id}', of {graph.replicas} replicas: groups "
            f"of {own.size} of them, with a stride of {own.stride}, share the weight. The "
            "replicas of a sharding domain have to be among those that share it, and to follow "
            "one another there or be equally far apart. Leave shardingDomain at None for all of "
            "them."
        )
    return groups


def changed_apart(tensor: Tensor) -> Op | None:
    """An operator that changes a variable on each replica by itself, and not by a gradient that
    replicas share; None if there is none.
    """
    shared = (VarUpdateOp, AccumulatorZeroOp)
    return next((op for op in _changes(tensor)[1] if not isinstance(op, shared)), None)


def _changes(tensor: Tensor) -> tuple[list[Tensor], list[Op]]:
    """A variable and what it is after each change in place, and the operators that change it."""
    values: list[Tensor] = [tensor]
    ops: list[Op] = []
    for value in values:  # It grows.
        for op in value.uses:
            changed = [i for i, t in op.input.items() if t is value and op.modifies(i)]
            if not changed:
                continue
            ops.append(op)
            outs = [changed_output(op, i) for i in changed]
            after = [op.output[o] for o in outs if o in op.output]
            values += [out for out in after if out not in values]
    return values, ops


def why_whole(tensor: Tensor, kept: Collection[str]) -> str:
    """Why a variable stays whole though it is asked for; "" if it can be sharded. `kept` are the
    ids of anchors and outputs.
    """
    if (op := changed_apart(tensor)) is not None:
        return f"{op.debugName()} changes it, on each replica by itself"
    prefixes = reservedFinalReducedGradPrefix(), reservedUpdatedVarPrefix()
    names = [tensor.id, *(prefix + weight_of(tensor.id) for prefix in prefixes)]
    names += [value.id for value in _changes(tensor)[0]]
    held = [id for id in names if id in kept]
    return f"'{held[0]}' is an anchor, which the host reads" if held else ""


def shard_variables(graph: Graph, chosen: Mapping[Tensor, ReplicaGrouping], period: Period) -> None:
    """Makes shards of variables, each over its groups of replicas, and adds the collectives.

    `period` has the period of a step in which an operator runs. Raises popart_exception for an
    update whose variables are sharded over groups that differ.
    """
    if chosen:
        _Sharder(graph, chosen, period).run()


class _Sharder:
    def __init__(
        self, graph: Graph, chosen: Mapping[Tensor, ReplicaGrouping], period: Period
    ) -> None:
        self.graph = graph
        self.period = {op: period(op) for op in graph.ops.values()}
        self.order = graph.schedule()
        self.shards: dict[Tensor, Sharding] = {}
        """The tensors that are shards."""
        for tensor, grouping in chosen.items():
            assert tensor.data is not None
            self.shards[tensor] = Sharding(grouping, tensor.data)
        self.gathered: dict[tuple[Tensor, Hashable], Tensor] = {}
        self.new: list[Op] = []
        self.after: dict[Op, list[Op]] = {}
        """What scatters the gradient that an operator makes: right after it, since the whole is not
        needed any more.
        """

    def run(self) -> None:
        """Goes through the schedule."""
        for tensor, sharding in self.shards.items():
            self.graph.sharded[tensor.id] = sharding
            tensor.data = sharding.shard(sharding.values, 0)
            tensor.info = TensorInfo(tensor.data)
        for op in self.order:
            if isinstance(op, ReplicatedAllReduceOp) and self._scatter(op):
                continue
            if isinstance(op, _SHARDED) and any(t in self.shards for t in op.input.values()):
                self._update(op)
                continue
            for i, tensor in list(op.input.items()):
                if tensor in self.shards:
                    self._connect(op, i, self._whole(tensor, op))
            self.new.append(op)
        order = (each for op in self.new for each in (op, *self.after.get(op, ())))
        self.graph.ops = {op.id: op for op in order}
        self.graph.changes += 1

    def _scatter(self, op: ReplicatedAllReduceOp) -> bool:
        """Takes the place of the sum of a gradient over the replicas; returns whether it is one of
        which shards are needed.
        """
        source, out = op.inTensor(0), op.outTensor(0)
        if source in self.shards and source.producer is not None and source.producer.accumulates:
            sharding = self.shards[source]
            new = self._across(source, sharding, op)
        else:
            readers = (r for r in out.uses if isinstance(r, VarUpdateOp))
            found = (self.shards.get(t) for r in readers for t in r.input.values())
            sharding = next((each for each in found if each is not None), None)
            if sharding is None:
                return False
            new = self._across(self._part(source, sharding, op, "Add"), sharding, op)
        for reader in list(out.uses):
            for i in [i for i, t in reader.input.items() if t is out]:
                self._connect(reader, i, new)
        self.graph.eraseOp(op.id)
        self.graph.removeTensor(out.id)
        return True

    def _update(self, op: Op) -> None:
        """Makes an operator run on shards."""
        sharding = self._sharding(op)
        whole: list[tuple[int, Tensor]] = []
        shape = sharding.values.shape
        for i, tensor in list(op.input.items()):
            if tensor in self.shards or not self._is_each(op, i) or op.inShape(i) != [*shape]:
                continue
            assert i != GRADIENT or isinstance(op, AccumulateOp)
            way = "Add" if i == GRADIENT else "Local"
            self._connect(op, i, self._part(tensor, sharding, op, way))
            if op.modifies(i):
                whole.append((i, tensor))
        if isinstance(op, VarUpdateOp) and op.has_sums():
            grouping = sharding.grouping
            numbers = [grouping.replicas, grouping.stride, grouping.size]
            op.settings.nodeAttributes[REPLICA_GROUPING] = numbers
        op.setup()
        self.new.append(op)
        if isinstance(op, GradientSquaresOp):
            self._add_squares(op, sharding)
            return
        for i in list(op.input):
            out = changed_output(op, i)
            if out is not None and op.hasOutput(out) and op.inTensor(i) in self.shards:
                self.shards[op.outTensor(out)] = sharding
        for i, tensor in whole:
            self._restore(op, i, tensor)

    def _sharding(self, op: Op) -> Sharding:
        """How the shards lie that an operator gets. Raises popart_exception for several ways."""
        found = [self.shards[t] for t in op.input.values() if t in self.shards]
        if any(each.grouping != found[0].grouping for each in found):
            ids = ", ".join(f"'{t.id}'" for t in op.input.values() if t in self.shards)
            raise popart_exception(
                f"{op.debugName()}: {ids} are sharded over groups of replicas that differ. Give "
                "weights, optimizer states and accumulators the same shardingDomain in "
                "SessionOptions.weightTensorLocationSettings, optimizerStateTensorLocationSettings "
                "and accumulatorTensorLocationSettings."
            )
        return found[0]

    @staticmethod
    def _is_each(op: Op, i: int) -> bool:
        """Whether an operator works through an input element by element."""
        if not isinstance(op, VarUpdateOp):
            return i == VAR
        return i in (VAR, GRADIENT) or FIRST_STATE <= i < FIRST_STATE + op.states

    def _restore(self, op: Op, i: int, tensor: Tensor) -> None:
        """Brings a variable that is whole up to date, of which `op` has changed a shard."""
        out = changed_output(op, i)
        assert out is not None
        if not op.hasOutput(out):
            op.createAndConnectOutTensor(out, self.graph.uniqueId(f"{tensor.id}/changed"))
            op.setup()
        shard = op.outTensor(out)
        self.shards[shard] = self.shards[op.inTensor(i)]
        value = self._gather(shard, op)
        name = f"CopyVarUpdate/{tensor.id}"
        copy = CopyVarUpdateOp(graphcore_id("CopyVarUpdate"), self._settings(name, op))
        self._add(copy, {VAR: tensor, VALUE: value}, f"{tensor.id}/gathered")

    def _add_squares(self, op: GradientSquaresOp, sharding: Sharding) -> None:
        """Adds the sum over the replicas of the squares of a gradient's shards."""
        own = op.outTensor(0)
        readers = list(own.uses)
        total = self._sum(own, sharding.grouping, op)
        for reader in readers:
            for i in [i for i, t in reader.input.items() if t is own]:
                self._connect(reader, i, total)

    def _across(self, shard: Tensor, sharding: Sharding, at: Op) -> Tensor:
        """The sum of a gradient's shards over the groups of the sharding domain."""
        weight = at.outTensor(0).id.removeprefix(reservedFinalReducedGradPrefix())
        across = sharers(self.graph, weight).across(sharding.grouping)
        assert across is not None
        made = shard if across.size == 1 else self._sum(shard, across, at)
        self.shards[made] = sharding
        return made

    def _sum(self, tensor: Tensor, grouping: ReplicaGrouping, at: Op) -> Tensor:
        settings = self._settings(f"ReplicatedAllReduce/{tensor.id}", at, grouping)
        op = ReplicatedAllReduceOp(graphcore_id("ReplicatedAllReduce"), settings)
        return self._add(op, {0: tensor}, f"{tensor.id}/reduced")

    def _part(self, tensor: Tensor, sharding: Sharding, at: Op, operator: str) -> Tensor:
        """A replica's shard of a tensor that is whole, or of its sum over the replicas."""
        after = tensor.producer if operator == "Add" else None
        name = f"ReplicatedReduceScatter/{tensor.id}"
        settings = self._settings(name, after or at, sharding.grouping)
        settings.nodeAttributes[COLLECTIVE_OPERATOR] = CollectiveOperator[operator].value
        op = ReplicatedReduceScatterOp(graphcore_id("ReplicatedReduceScatter"), settings)
        made = self._add(op, {0: tensor}, f"{tensor.id}/shard", after)
        self.shards[made] = sharding
        return made

    def _whole(self, shard: Tensor, reader: Op) -> Tensor:
        """What an operator reads in the place of a shard: the whole tensor."""
        key = shard, self.period[reader]
        if key not in self.gathered:
            self.gathered[key] = self._gather(shard, reader)
        return self.gathered[key]

    def _gather(self, shard: Tensor, at: Op) -> Tensor:
        sharding = self.shards[shard]
        settings = self._settings(f"ReplicatedAllGather/{shard.id}", at, sharding.grouping)
        shape = {"shape": list(sharding.values.shape)}
        op = ShardGatherOp(graphcore_id("ReplicatedAllGather"), settings, shape)
        return self._add(op, {0: shard}, f"{shard.id}/whole")

    def _settings(self, name: str, at: Op, grouping: ReplicaGrouping | None = None) -> Op.Settings:
        """Settings that place an operator where another one is."""
        notes = at.settings.nodeAttributes
        settings = (
            Op.Settings(self.graph, name)
            if grouping is None
            else settings_of(self.graph, name, grouping)
        )
        keys = (PIPELINE_STAGE, VIRTUAL_GRAPH, EXECUTION_PHASE)
        settings.nodeAttributes.update({key: notes[key] for key in keys if key in notes})
        return settings

    def _add(
        self, op: Op, inputs: Mapping[int, Tensor], out: str, after: Op | None = None
    ) -> Tensor:
        ids = {i: tensor.id for i, tensor in inputs.items()}
        self.graph.createConnectedOp(lambda: op, ids, {0: self.graph.uniqueId(out)})
        if after is None:
            self.new.append(op)
        else:
            self.after.setdefault(after, []).append(op)
        return op.outTensor(0)

    @staticmethod
    def _connect(op: Op, i: int, tensor: Tensor) -> None:
        op.disconnectInTensor(i)
        op.connectInTensor(i, tensor.id)
