"""Settings of inputs: `InputSettings`."""

from __future__ import annotations

from popir.dataflow import Exchange
from popir.enums import ExchangeStrategy, ReplicatedStreamMode, TileSet
from popir.typed import typed


@typed
class InputSettings:
    """How the host sends an input: `InputSettings(tileSet, exchangeStrategy)` or
    `InputSettings(replicatedStreamMode)`. PopART's class of this name.

    With ReplicatedStreamMode.Broadcast all replicas get the same values. With TileSet.IO the input
    comes to the IO tiles (`SessionOptions.numIOTiles`), and is copied from there when its batch
    begins: by JustInTime right after it has come; by OverlapInnerLoop it comes while the batch
    before is computed, if that is in the same innermost loop of a step; by OverlapLoops in any of
    its loops. Raises popart_exception for OverlapStep, and for a strategy that overlaps without
    TileSet.IO.
    """

    def __init__(
        self,
        tileSet: TileSet | ReplicatedStreamMode = TileSet.Compute,
        exchangeStrategy: ExchangeStrategy = ExchangeStrategy.JustInTime,
        relicatedStreamMode: ReplicatedStreamMode = ReplicatedStreamMode.Replicate,
    ) -> None:
        if isinstance(tileSet, ReplicatedStreamMode):
            tileSet, relicatedStreamMode = TileSet.Compute, tileSet
        self._exchange = Exchange("InputSettings", tileSet, exchangeStrategy)
        self._mode = relicatedStreamMode

    def tileSet(self) -> TileSet:
        """The tiles that the input comes to."""
        return self._exchange.tile_set

    def exchangeStrategy(self) -> ExchangeStrategy:
        """When the input comes."""
        return self._exchange.strategy

    def replicatedStreamMode(self) -> ReplicatedStreamMode:
        """Whether each replica gets values of its own, or all the same."""
        return self._mode
