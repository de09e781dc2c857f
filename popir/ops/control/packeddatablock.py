"""PackedDataBlock: a graph for sequences that lie packed."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.onnxio.subgraphs import Subgraph
from popir.ops.control.scan import scan
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.sequences import as_numbers, cover, masked
from popir.registry import OpCreator
from popir.types import DataType, TensorInfo


class PackedDataBlock(Decomposition):
    """PopART's PackedDataBlock: sequences of rows, found by offsets and lengths, go padded with
    zeros through the graph `callback`, `callbackBatchSize` at a time, and the rows of each result
    to where offsets and lengths say; rows that no result covers are zeros.

    PopART has no gradient; here it is that of the parts.
    """

    importsSubgraphs = True
    maxSequenceLengths: list[int]
    resultSize: int
    callbackBatchSize: int
    callback: Any

    def decompose(self, on: Decomposer, *inputs: Tensor) -> Tensor:
        """Gathers, a loop over batches of sequences, and a Gather of the results."""
        body: Subgraph = self.callback
        count, batch = (len(inputs) - 2) // 3, self.callbackBatchSize
        if len(inputs) != 3 * count + 2 or count < 1 or len(self.maxSequenceLengths) != count:
            raise self.wrong(
                f"it has {len(inputs)} inputs and the maxSequenceLengths "
                f"{self.maxSequenceLengths}; there must be data, offsets and lengths for each "
                "length, and offsets and lengths of the results."
            )
        sequences = {on.info(t).nelms() for i, t in enumerate(inputs) if i % 3 or i == 3 * count}
        if len(sequences) != 1 or len(body.inputs) != count or len(body.outputs) != 1:
            raise self.wrong(
                f"there are {sorted(sequences)} offsets and lengths; the graph has "
                f"{len(body.inputs)} inputs and {len(body.outputs)} outputs. There must be one of "
                f"each for a sequence; {count} inputs, and one output."
            )
        (total,) = sequences
        if batch < 1 or total % batch or not total:
            raise OperatorAttributeError(
                f"{self._who()}: callbackBatchSize is {batch}; it must divide the number of "
                f"sequences, {total}."
            )
        padded: list[Tensor] = []
        for i, longest in enumerate(self.maxSequenceLengths):
            data, offsets, lengths = inputs[3 * i : 3 * i + 3]
            rows = self._unpacked(on, data, offsets, lengths, longest)
            padded.append(on.reshape(rows, [total // batch, batch, *on.shape(rows)[1:]]))
        (made,) = scan(on, body, [], padded, [0] * count, [0])
        shape = on.shape(made)
        if len(shape) < 3 or shape[1] != batch:
            raise self.wrong(
                f"the graph returns {shape[1:]}; its output must be [{batch}, rows, ...]."
            )
        flat = on.reshape(made, [total * shape[2], *shape[3:]])
        offsets, lengths = inputs[-2:]
        if not self.resultSize or not shape[2]:
            return on.zeros(TensorInfo(on.info(made).dataType(), [self.resultSize, *shape[3:]]))
        found = cover(on, self.resultSize, offsets, lengths)
        width = on.const(shape[2], DataType.INT32)
        inside = on.And(found.covered, on.Less(found.place, width))
        rows = on.Add(on.Mul(found.sequence, width), found.place)
        last = on.const(total * shape[2] - 1, DataType.INT32)
        return masked(on, inside, on.Gather(flat, on.Min(rows, last)))

    def _unpacked(
        self, on: Decomposer, data: Tensor, offsets: Tensor, lengths: Tensor, longest: int
    ) -> Tensor:
        """[sequences, longest, ...]."""
        rows = on.shape(data)[0] if on.shape(data) else 0
        if not rows or longest < 1:
            raise self.wrong(
                f"the data are {on.info(data)}, the longest sequence is {longest}; both must have "
                "rows."
            )
        first = on.Unsqueeze(as_numbers(on, offsets), on.ints(1))
        count = on.Unsqueeze(as_numbers(on, lengths), on.ints(1))
        place = on.const(np.arange(longest)[None], DataType.INT32)
        row = on.Add(first, place)
        end = on.const(rows, DataType.INT32)
        inside = on.And(on.Less(place, count), on.Less(row, end))
        return masked(on, inside, on.Gather(data, on.Where(inside, row, on.like(0, row))))


OpCreator(PackedDataBlock, graphcore_id("PackedDataBlock"))
