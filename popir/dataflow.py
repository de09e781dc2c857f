"""The tensors that a session returns to the host, and how often: `DataFlow`, `AnchorReturnType`."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping

from popir.enums import ExchangeStrategy, TileSet
from popir.errors import AnchorError, did_you_mean, popart_exception
from popir.options import OptionWarning, warn
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


@typed
class AnchorReturnType:
    """How an anchor is returned: "Final" (the last batch), "All" (each batch), "EveryN" (each
    `returnPeriod`-th batch) or "Sum" (over all batches), in any case. PopART's class of this name.

    Raises popart_exception for another name, for "EveryN" without a period of at least 1, and for
    another kind with a period. `tileSet` and `exchangeStrategy` have no effect (OptionWarning). As
    in PopART they may come second and third, without a period.
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
        for given, name, otherwise in (
            (tileSet, "tileSet", TileSet.Compute),
            (exchangeStrategy, "exchangeStrategy", ExchangeStrategy.JustInTime),
        ):
            if given is not otherwise:
                warn(
                    f"AnchorReturnType: {name} = {shown(given)} has no effect: the device writes "
                    "the host's arrays in place, and estimates have anchors on the tiles that "
                    "compute, without overlap.",
                    OptionWarning,
                )
        self._id = found
        self.period = returnPeriod or 1
        """The return period of EveryN; 1 for the other kinds."""
        self._tile_set = tileSet
        self._exchange_strategy = exchangeStrategy

    def id(self) -> AnchorReturnTypeId:
        """The kind of return, such as AnchorReturnTypeId.All."""
        return self._id

    def rp(self) -> int:
        """The return period of EveryN. Raises popart_exception for other kinds."""
        if self._id is not AnchorReturnTypeId.EveryN:
            raise popart_exception(f"AnchorReturnType '{self._id.name}' has no return period.")
        return self.period

    def tileSet(self) -> TileSet:
        """The `tileSet` given; it has no effect."""
        return self._tile_set

    def exchangeStrategy(self) -> ExchangeStrategy:
        """The `exchangeStrategy` given; it has no effect."""
        return self._exchange_strategy

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
