"""`PodReport`: what a step costs on many replicas of a model, with the collectives between them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from popir import poplar
from popir.errors import popart_exception
from popir.opx import device
from popir.profile.report import TransferCost

MOST = 4096
"""The most replicas, and the most IPUs of all of them."""


class Kind(enum.Enum):
    """What replicas do with data together."""

    AllReduce = "all-reduce"
    ReduceScatter = "reduce-scatter"
    AllGather = "all-gather"


@dataclass(frozen=True)
class Traffic:
    """Data that replicas exchange in a step."""

    kind: Kind
    what: str
    """What is exchanged, such as "gradients"."""
    bytes: Sequence[int]
    """By IPU of a replica, the bytes of the whole: what is reduced, or what gathering gives."""
    times: int = 1
    """How often a step does it."""
    replicas: int | None = None
    """The replicas of a group that exchange it; None for all."""


@dataclass(frozen=True)
class CollectiveCost:
    """The cost of a collective between replicas."""

    name: str
    """What it is: "all-reduce of gradients", for example."""
    algorithm: str
    """ "ring", or "two-level": a ring in each pod and one of pods."""
    bytes: int
    """The bytes that a replica takes part with, over its IPUs."""
    linkBytes: int
    """The bytes that a replica sends over IPU-Links; likewise gatewayBytes, over GW-Links."""
    gatewayBytes: int
    rounds: int
    """The transfers, one after another, that it consists of."""
    times: int
    """How often a step does it."""
    linkSeconds: float
    """The time of IPU-Links, of GW-Links beyond that, and of syncs, each time."""
    gatewaySeconds: float
    syncSeconds: float

    @property
    def seconds(self) -> float:
        """The time that it takes, each time."""
        return self.linkSeconds + self.gatewaySeconds + self.syncSeconds


@dataclass(frozen=True)
class PodReport:
    """The time of a step on several replicas: that of one replica, which is costed, of its
    transfers, and of the collectives, which nothing overlaps with.
    """

    replicas: int
    ipusPerReplica: int
    replicaSeconds: float
    """The time of one replica's step, without collectives and transfers."""
    transferSeconds: float
    """The time in which tiles wait for the host and for streaming memory. Replicas at the same
    gateway share its link, those of a pod its servers: what that takes longer is waited for.
    """
    collectives: list[CollectiveCost]

    @property
    def ipus(self) -> int:
        """The IPUs of all replicas."""
        return self.replicas * self.ipusPerReplica

    @property
    def collectiveSeconds(self) -> float:
        """The time of all collectives of a step."""
        return sum(each.seconds * each.times for each in self.collectives)

    @property
    def seconds(self) -> float:
        """The time of a step."""
        return self.replicaSeconds + self.transferSeconds + self.collectiveSeconds

    @property
    def share(self) -> float:
        """The share of the collectives in the time of a step."""
        return self.collectiveSeconds / self.seconds if self.seconds else 0.0

    @property
    def summary(self) -> str:
        """The report as a few lines of text."""
        head = (
            f"{self.replicas} replicas of {self.ipusPerReplica} IPUs: {self.seconds * 1e3:.4g} ms, "
            f"transfers {self.transferSeconds * 1e3:.4g} ms, collectives {self.share:.1%}"
        )
        rows = [
            f"{each.name}: {each.algorithm}, {each.bytes} bytes, {each.times} x "
            f"{each.seconds * 1e3:.4g} ms (IPU-Links {each.linkSeconds * 1e3:.4g}, GW-Links "
            f"{each.gatewaySeconds * 1e3:.4g}, syncs {each.syncSeconds * 1e3:.4g})"
            for each in self.collectives
        ]
        return "\n".join([head, *rows])

    @staticmethod
    def of(
        target: poplar.Target,
        replicas: int,
        replicaSeconds: float,
        ipusPerReplica: int,
        traffic: Sequence[Traffic],
        transfers: Sequence[TransferCost] = (),
        waitedSeconds: float = 0.0,
    ) -> PodReport:
        """Adds the transfers and collectives to the time of one replica's step.

        Args:
            target: the machine of one replica, with the figures of the links.
            replicas: the number of replicas.
            replicaSeconds: the time of one replica's step.
            ipusPerReplica: the number of IPUs of a replica.
            traffic: what the replicas exchange. Reducing and scattering is one half of the way of
                an all-reduce, and gathering the other half.
            transfers: those of one replica, with the host and streaming memory.
            waitedSeconds: the time in which it waits for them, alone.

        Raises popart_exception for less than one replica, poplar_invalid_option for a replica that
        does not fit a pod, and for more than 4096 IPUs together.
        """
        if not 1 <= replicas <= MOST:
            raise popart_exception(f"replicas = {replicas}: expected is a number from 1 to {MOST}.")
        # One replica that is too large, and too many, are refused whatever there is to exchange.
        device("machine").costOfAllReduce(target, replicas, [0] * ipusPerReplica)

        def seconds(each: TransferCost, together: int) -> float:
            return device("machine").secondsOfTransfer(
                target, each.withHost, each.bytes, each.gatewayBytes, together, ipusPerReplica
            )

        collectives: list[CollectiveCost] = []
        for each in traffic:
            group = min(each.replicas or replicas, replicas)
            if group == 1 or not any(each.bytes):
                continue
            cost: dict[str, Any] = device("machine").costOfAllReduce(
                target, group, list(each.bytes)
            )
            ways = 2 if each.kind is Kind.AllReduce else 1
            collectives.append(
                CollectiveCost(
                    f"{each.kind.value} of {each.what}",
                    cost["algorithm"],
                    sum(each.bytes),
                    cost["linkBytes"] * ways // 2,
                    cost["gatewayBytes"] * ways // 2,
                    cost["steps"] * ways // 2,
                    each.times,
                    cost["linkSeconds"] * ways / 2,
                    cost["gatewaySeconds"] * ways / 2,
                    cost["syncSeconds"] * ways / 2,
                )
            )
        waited = waitedSeconds + sum(
            each.times * (seconds(each, replicas) - seconds(each, 1)) for each in transfers
        )
        return PodReport(replicas, ipusPerReplica, replicaSeconds, waited, collectives)
