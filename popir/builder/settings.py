"""Settings of inputs and weights: `InputSettings`, `VariableSettings`, `CommGroup`."""

from __future__ import annotations

from popir.enums import (
    CommGroupType,
    ExchangeStrategy,
    ReplicatedStreamMode,
    TileSet,
    VariableRetrievalMode,
)
from popir.errors import popart_exception
from popir.options.table import OptionWarning, warn
from popir.typed import shown, typed


@typed
class InputSettings:
    """How the host sends an input: `InputSettings(tileSet, exchangeStrategy)` or
    `InputSettings(replicatedStreamMode)`. PopART's class of this name.

    None of them has an effect: the device reads the host's arrays in place, and there is one
    replica. Anything but the defaults gives an OptionWarning.
    """

    def __init__(
        self,
        tileSet: TileSet | ReplicatedStreamMode = TileSet.Compute,
        exchangeStrategy: ExchangeStrategy = ExchangeStrategy.JustInTime,
        relicatedStreamMode: ReplicatedStreamMode = ReplicatedStreamMode.Replicate,
    ) -> None:
        if isinstance(tileSet, ReplicatedStreamMode):
            tileSet, relicatedStreamMode = TileSet.Compute, tileSet
        self._tile_set = tileSet
        self._exchange_strategy = exchangeStrategy
        self._mode = relicatedStreamMode
        for name, value, default in (
            ("tileSet", tileSet, TileSet.Compute),
            ("exchangeStrategy", exchangeStrategy, ExchangeStrategy.JustInTime),
            ("replicatedStreamMode", relicatedStreamMode, ReplicatedStreamMode.Replicate),
        ):
            if value is not default:
                warn(
                    f"InputSettings: {name} = {shown(value)} has no meaning here: the device reads "
                    "the host's arrays in place, and there is one replica.",
                    OptionWarning,
                )

    def tileSet(self) -> TileSet:
        """The `tileSet` given; it has no effect."""
        return self._tile_set

    def exchangeStrategy(self) -> ExchangeStrategy:
        """The `exchangeStrategy` given; it has no effect."""
        return self._exchange_strategy

    def replicatedStreamMode(self) -> ReplicatedStreamMode:
        """The ReplicatedStreamMode given; it has no effect."""
        return self._mode


@typed
class CommGroup:
    """A grouping of replicas: its type, and the replicas in a group where the type needs them.
    PopART's `CommGroup`. There is one replica, so that all groupings are the same here.
    """

    def __init__(self, type: CommGroupType = CommGroupType.All, replicaGroupSize: int = 0) -> None:
        self.type = type
        self.replicaGroupSize = replicaGroupSize

    def __repr__(self) -> str:
        return f"CommGroup({self.type.name}, {self.replicaGroupSize})"


@typed
class VariableSettings:
    """Which replicas share a weight, and how the host gets it: `VariableSettings(domain, mode)`,
    each of which may be left out. PopART's class of this name.

    There is one replica: the Builder takes the defaults, and refuses the rest. Raises
    popart_exception for PopART's form with a stride and the size of groups.
    """

    def __init__(
        self,
        sharedVariableDomain_: CommGroup | VariableRetrievalMode | int | None = None,
        retrievalMode_: VariableRetrievalMode | int = VariableRetrievalMode.OnePerGroup,
        mode: VariableRetrievalMode | None = None,
    ) -> None:
        domain = sharedVariableDomain_
        if isinstance(domain, int) or isinstance(retrievalMode_, int) or mode is not None:
            raise popart_exception(
                f"VariableSettings({shown(domain)}, {shown(retrievalMode_)}, {shown(mode)}): "
                "replicas are not grouped here, since there is one. Leave the settings out."
            )
        if isinstance(domain, VariableRetrievalMode):
            domain, retrievalMode_ = None, domain
        self._domain = domain or CommGroup()
        self._mode = retrievalMode_

    def getSharedVariableDomain(self) -> CommGroup:
        """The grouping of the replicas that share the weight."""
        return self._domain

    def getRetrievalMode(self) -> VariableRetrievalMode:
        """How the host gets the weight from its replicas."""
        return self._mode

    def check(self) -> None:
        """Raises popart_exception unless these are the defaults."""
        domain, mode = self._domain, self._mode
        is_all = domain.type is CommGroupType.All and not domain.replicaGroupSize
        if not is_all or mode is not VariableRetrievalMode.OnePerGroup:
            raise popart_exception(
                f"VariableSettings({domain}, {shown(mode)}): there is one replica, which has every "
                "weight. Leave the settings out."
            )
