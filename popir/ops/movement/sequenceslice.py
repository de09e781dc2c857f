"""SequenceSlice: sequences of rows copied between tensors."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.sequences import as_numbers, cover, masked
from popir.registry import OpCreator


class SequenceSlice(Decomposition):
    """PopART's SequenceSlice: the destination with sequences of the source's rows, of N rows each
    from `SourceOffset` to `DestinationOffset`; of those that overlap the last. With `zeroUnused`
    the other rows become zeros.

    What reaches beyond the end is left out. PopART has no gradient; here it is that of the copies.
    """

    zeroUnused: bool

    def decompose(
        self,
        on: Decomposer,
        source: Tensor,
        destination: Tensor,
        counts: Tensor,
        source_offsets: Tensor,
        destination_offsets: Tensor,
    ) -> Tensor:
        """A Gather of the row that each row of the destination gets."""
        shape, given = on.shape(destination), on.shape(source)
        kinds = {on.info(source).dataType(), on.info(destination).dataType()}
        if not shape or len(given) != len(shape) or given[1:] != shape[1:] or len(kinds) > 1:
            raise self.wrong(
                f"the source is {on.info(source)}, the destination {on.info(destination)}; they "
                "must be alike, but for the first dimension."
            )
        if {on.info(t).nelms() for t in (source_offsets, destination_offsets)} != {
            on.info(counts).nelms()
        }:
            raise self.wrong(
                f"N is {on.info(counts)}, the offsets are {on.info(source_offsets)} and "
                f"{on.info(destination_offsets)}; there must be one of each for a sequence."
            )
        if not on.info(counts).nelms() or not shape[0] or not given[0]:
            return on.Sub(destination, destination) if self.zeroUnused else destination
        found = cover(on, shape[0], destination_offsets, counts)
        rows = on.Add(on.Gather(as_numbers(on, source_offsets), found.sequence), found.place)
        inside = on.And(found.covered, on.Less(rows, on.like(given[0], rows)))
        taken = on.Gather(source, on.Min(rows, on.like(given[0] - 1, rows)))
        return masked(on, inside, taken, None if self.zeroUnused else destination)


OpCreator(SequenceSlice, graphcore_id("SequenceSlice"))
