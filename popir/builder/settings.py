"""Settings of inputs: `InputSettings`."""

from __future__ import annotations

from popir.enums import ExchangeStrategy, ReplicatedStreamMode, TileSet
from popir.options.table import OptionWarning, warn
from popir.typed import shown, typed


@typed
class InputSettings:
    """How the host sends an input: `InputSettings(tileSet, exchangeStrategy)` or
    `InputSettings(replicatedStreamMode)`. PopART's class of this name.

    With ReplicatedStreamMode.Broadcast all replicas get the same values. The others have no effect:
    the device reads the host's arrays in place. Anything but their defaults gives an OptionWarning.
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
        ):
            if value is not default:
                warn(
                    f"InputSettings: {name} = {shown(value)} has no effect: the device reads the "
                    "host's arrays in place, and estimates have inputs on the tiles that compute, "
                    "without overlap.",
                    OptionWarning,
                )

    def tileSet(self) -> TileSet:
        """The `tileSet` given; it has no effect."""
        return self._tile_set

    def exchangeStrategy(self) -> ExchangeStrategy:
        """The `exchangeStrategy` given; it has no effect."""
        return self._exchange_strategy

    def replicatedStreamMode(self) -> ReplicatedStreamMode:
        """Whether each replica gets values of its own, or all the same."""
        return self._mode
