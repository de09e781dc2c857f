"""The tensors that a session returns to the host, and how often: `DataFlow`, `AnchorReturnType`."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from popir.enums import ExchangeStrategy, TileSet
from popir.errors import AnchorError, did_you_mean, popart_exception
from popir.typed import shown, typed


class AnchorReturnTypeId(enum.Enum):
    """The batches of a step for which an anchor is returned. PopART's enum of this name."""

    Final = 0
    """The last batch."""
    EveryN = 1
    """Every `returnPeriod`-th batch."""
    All = 2
    """Every batch."""
    Sum = 3
    """The sum over all batches."""


@dataclass(frozen=True)
class Exchange:
    """How a tensor travels between host and device: by which tiles, and when.

    Raises popart_exception for OverlapStep, and for a strategy that overlaps on tiles that compute.
    """

    who: str
    """Whose settings these are, for errors."""
    tile_set: TileSet = TileSet.Compute
    strategy: ExchangeStrategy = ExchangeStrategy.JustInTime

    @classmethod
    def of_text(cls, who: str, text: str) -> Exchange:
        """That of a tile set and a strategy by their names, "IO OverlapLoops". Raises ValueError or
        KeyError for another text.
        """
        tiles, when = text.split()
        return cls(who, TileSet[tiles], ExchangeStrategy[when])

    def __post_init__(self) -> None:
        if self.strategy is ExchangeStrategy.OverlapStep:
            raise popart_exception(
                f"{self.who}: exchangeStrategy = ExchangeStrategy.OverlapStep: the host gives the "
                "arrays of a step when it calls run(), so nothing of the next one is there. Use "
                "OverlapLoops, which overlaps all batches of a step."
            )
        if self.strategy is not ExchangeStrategy.JustInTime and self.tile_set is not TileSet.IO:
            raise popart_exception(
                f"{self.who}: exchangeStrategy = {shown(self.strategy)} with tileSet = "
                f"{shown(self.tile_set)}: tiles that compute transfer nothing meanwhile. Give "
                "tileSet = TileSet.IO, and SessionOptions.numIOTiles."
            )


@typed
class AnchorReturnType:
    """How an anchor is returned: "Final" (the last batch), "All" (each batch), "EveryN" (each
    `returnPeriod`-th batch) or "Sum" (over all batches), in any case. PopART's class of this name.

    Raises popart_exception for another name, for "EveryN" without a period of at least 1, and for
    another kind with a period. With TileSet.IO the anchor is copied to the IO tiles, and sent from
    there beside what follows; all strategies but OverlapStep, which is refused, come to that. Those
    that overlap need TileSet.IO. As in PopART both may come second and third, without a period.
    """

    def __init__(
        self,
        anchorReturnTypeString: str,
        returnPeriod: int | TileSet | None = None,
        tileSet: TileSet | ExchangeStrategy = TileSet.Compute,
        exchangeStrategy: ExchangeStrategy = ExchangeStrategy.JustInTime,
    ) -> None:
        if isinstance(returnPeriod, TileSet):
            if isinstance(tileSet, ExchangeStrategy):
                exchangeStrategy = tileSet
            returnPeriod, tileSet = None, returnPeriod
        if not isinstance(tileSet, TileSet):
            raise popart_exception(
                f"AnchorReturnType takes a TileSet as tileSet; given was {shown(tileSet)}."
            )
        by_name = {member.name.lower(): member for member in AnchorReturnTypeId}
        found = by_name.get(anchorReturnTypeString.lower())
        if found is None:
            raise popart_exception(
                f"No AnchorReturnType is called {anchorReturnTypeString!r}; "
                f"there are {', '.join(m.name for m in AnchorReturnTypeId)}.",
                popart=f"Invalid anchor return type ID supplied: {anchorReturnTypeString}",
            )
        if found is AnchorReturnTypeId.EveryN:
            if returnPeriod is None or returnPeriod < 1:
                raise popart_exception(
                    "AnchorReturnType 'EveryN' needs a return period of at least 1; "
                    f"given was {returnPeriod}.",
                    popart="Must specify return period with option 'EVERYN'"
                    if returnPeriod is None
                    else "Anchor return period must be greater than zero",
                )
        elif returnPeriod is not None:
            raise popart_exception(
                f"A return period goes with AnchorReturnType 'EveryN' alone; given was "
                f"{returnPeriod} with '{found.name}'.",
                popart="A return period should not be supplied for this anchor return type",
            )
        self._exchange = Exchange("AnchorReturnType", tileSet, exchangeStrategy)
        self._id = found
        self.period = returnPeriod or 1
        """The return period of EveryN; 1 for the other kinds."""

    def id(self) -> AnchorReturnTypeId:
        """The kind of return, such as AnchorReturnTypeId.All."""
        return self._id

    def rp(self) -> int:
        """The return period of EveryN. Raises popart_exception for other kinds."""
        if self._id is not AnchorReturnTypeId.EveryN:
            raise popart_exception(f"AnchorReturnType '{self._id.name}' has no return period.")
        return self.period

    def tileSet(self) -> TileSet:
        """The tiles that send the anchor."""
        return self._exchange.tile_set

    def exchangeStrategy(self) -> ExchangeStrategy:
        """When it may be sent: the `exchangeStrategy` given."""
        return self._exchange.strategy

    def __repr__(self) -> str:
        period = f", {self.period}" if self._id is AnchorReturnTypeId.EveryN else ""
        return f"AnchorReturnType('{self._id.name}'{period})"


@typed
class DataFlow:
    """The batches per step and the anchors: the tensors that a step returns to the host. PopART's
    `DataFlow`.

    `DataFlow(n, {id: AnchorReturnType})` or `DataFlow(n, [ids], AnchorReturnType("All"))`; "All" is
    the default. `anchorIds` is PopART's name of the list. Raises popart_exception unless 1 <= n <
    2^32. A session raises AnchorError for an id that is no tensor of its model.
    """

    def __init__(
        self,
        batchesPerStep: int = 1,
        anchorTensors: Mapping[str, AnchorReturnType] | Iterable[str] = (),
        anchorReturnType: AnchorReturnType | None = None,
        *,
        anchorIds: Iterable[str] | None = None,
    ) -> None:
        self.setBatchesPerStep(batchesPerStep)
        if isinstance(anchorTensors, Mapping):
            self._anchors = dict(anchorTensors)
        else:
            art = anchorReturnType or AnchorReturnType("All")
            self._anchors = dict.fromkeys((*anchorTensors, *(anchorIds or ())), art)

    def setBatchesPerStep(self, batchesPerStep: int) -> None:
        """Sets the number of batches of one `Session.run`.

        Raises popart_exception unless it is at least 1 and less than 2^32.
        """
        if not 1 <= batchesPerStep < 1 << 32:
            raise popart_exception(
                f"Batches per step must be a whole number of 1 or more, less than 2^32; given was "
                f"{batchesPerStep!r}."
            )
        self._batches_per_step = batchesPerStep

    def batchesPerStep(self) -> int:
        """The number of batches of one `Session.run`."""
        return self._batches_per_step

    def anchors(self) -> list[str]:
        """The ids of the anchors, in the order given."""
        return list(self._anchors)

    def nAnchors(self) -> int:
        """The number of anchors."""
        return len(self._anchors)

    def isAnchored(self, id: str) -> bool:
        """Whether the tensor is an anchor."""
        return id in self._anchors

    def art(self, id: str) -> AnchorReturnType:
        """How the anchor `id` is returned. Raises AnchorError if the tensor is not an anchor."""
        if id not in self._anchors:
            raise AnchorError(f"'{id}' is not an anchor.{did_you_mean(id, self._anchors)}")
        return self._anchors[id]

    def rows(self, id: str) -> int | None:
        """The leading dimension of the anchor's array: the number of values a step returns. None if
        that is one, since no dimension is added then.

        Raises popart_exception if the period of EveryN does not divide the batches per step.
        """
        art = self.art(id)
        if art.id() is AnchorReturnTypeId.EveryN and self._batches_per_step % art.rp():
            raise popart_exception(
                f"The anchor '{id}' has the return period {art.rp()}, which does not divide the "
                f"{self._batches_per_step} batches per step."
            )
        if art.id() in (AnchorReturnTypeId.Final, AnchorReturnTypeId.Sum):
            return None
        rows = self._batches_per_step // art.period
        return rows if rows > 1 else None
