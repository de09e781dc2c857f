"""onnxruntime's RelativePositionBias: what T5 adds to its scores."""

from __future__ import annotations

import numpy as np

from popir import memory
from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.registry import OpCreator


class RelativePositionBias(Decomposition):
    """onnxruntime's RelativePositionBias, version 1: for each query and key the row of the table
    that belongs to their distance, [1, heads, queries, keys].

    Half of the buckets are for small distances, one each; the others grow with the logarithm up to
    `max_distance`. With `is_bidirectional` half of them all are for keys that come later; without
    it those have the distance 0. Both lengths must be constants.
    """

    is_bidirectional: int
    max_distance: int

    def decompose(self, on: Decomposer, table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        """A Gather of the table's rows. Raises OperatorInputError for lengths that are computed and
        for a table of another rank, OperatorAttributeError for a `max_distance` that is too small.
        """
        if len(on.shape(table)) != 2:
            raise self.wrong(
                f"the table has shape {on.shape(table)}; expected is [buckets, heads]."
            )
        lengths: list[int] = []
        for what, t in (("query_length", queries), ("key_length", keys)):
            length = on.number(t, what)
            assert isinstance(length, int)
            if length < 0:
                raise self.wrong(f"{what} is {length}; expected is a number of at least 0.")
            lengths.append(length)
        memory.require(self._who(), 8 * lengths[0] * lengths[1])
        found = on.Gather(table, on.const(self._buckets(on.shape(table)[0], *lengths)), axis=0)
        return on.reshape(on.Transpose(found, perm=[2, 0, 1]), [1, on.shape(table)[1], *lengths])

    def _buckets(self, count: int, queries: int, keys: int) -> np.ndarray:
        """The bucket of each pair, INT64 [queries, keys]."""
        distance = np.arange(keys)[None, :] - np.arange(queries)[:, None]
        first = np.zeros_like(distance)
        if self.is_bidirectional:
            count //= 2
            first = np.where(distance > 0, count, 0)
            distance = np.abs(distance)
        else:
            distance = np.maximum(-distance, 0)
        exact = count // 2
        if self.max_distance <= exact or not exact:
            raise OperatorAttributeError(
                f"{self._who()}: max_distance is {self.max_distance}; with {count} buckets for a "
                f"direction it must be more than {exact}, and these at least 2."
            )
        # In FLOAT and in this order, as T5 does it: where a bucket begins, roundings decide.
        largest = np.float32(np.log(self.max_distance / exact))
        logarithm = np.log(np.maximum(distance, 1).astype(np.float32) / np.float32(exact)) / largest
        far = exact + (logarithm * np.float32(count - exact)).astype(np.int64)
        return first + np.where(distance < exact, distance, np.minimum(far, count - 1))


OpCreator(RelativePositionBias, microsoft_id("RelativePositionBias"))
