"""RotaryEmbedding, ONNX's and onnxruntime's: positions as rotations of pairs of numbers."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.attention import heads_first, merge_heads, rotated, split_heads
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id, onnx_ids
from popir.registry import OpCreator


class RotaryEmbedding(Decomposition):
    """ONNX's RotaryEmbedding, version 23: pairs of numbers of each head turned by the angle of the
    position. The caches hold cosines and sines, [positions, half of what is turned], of which
    `position_ids` chooses, or without these [batch, places, half of what is turned].

    Deviation: a position out of range that is computed at run time gives zeros; onnxruntime calls
    it an error.
    """

    interleaved: int
    num_heads: int | None
    rotary_embedding_dim: int

    def decompose(
        self, on: Decomposer, x: Tensor, cos: Tensor, sin: Tensor, positions: Tensor | None = None
    ) -> Tensor:
        """Gathers of the caches and products. Raises OperatorInputError for shapes that do not
        fit.
        """
        whole = heads_first(on, self, "X", x, "num_heads", self.num_heads)
        batch, _, places, width = on.shape(whole)
        size = self.rotary_embedding_dim or width
        if size % 2 or not 0 <= size <= width:
            raise self.wrong(
                f"rotary_embedding_dim is {size}; expected is an even number up to {width}, the "
                "size of a head."
            )
        caches = (("cos_cache", cos), ("sin_cache", sin))
        if positions is None:
            for name, cache in caches:
                if on.shape(cache) != [batch, places, size // 2]:
                    raise self.wrong(
                        f"{name} is {on.shape(cache)}; expected is {[batch, places, size // 2]}."
                    )
            at = [cos, sin]
        else:
            if on.shape(positions) != [batch, places]:
                raise self.wrong(
                    f"position_ids is {on.shape(positions)}; expected is {[batch, places]}."
                )
            rows = on.shape(cos)[0] if on.shape(cos) else 0
            wanted = [rows or ("positions" if batch and places else 0), size // 2]
            for name, cache in caches:
                if on.shape(cache) != wanted:
                    raise self.wrong(f"{name} is {on.shape(cache)}; expected is {wanted}.")
            at = [on.Gather(cache, positions, axis=0) for _, cache in caches]
        angles = [on.reshape(each, [batch, 1, places, size // 2]) for each in at]
        y = rotated(on, whole, angles[0], angles[1], bool(self.interleaved), size)
        return y if len(on.shape(x)) == 4 else merge_heads(on, y)


class MicrosoftRotaryEmbedding(Decomposition):
    """onnxruntime's RotaryEmbedding, version 1: pairs of numbers of each head turned by the angle
    of the position, whose cosines and sines the caches hold.

    Deviation: a position out of range that is computed at run time gives zeros; onnxruntime calls
    it an error. `is_packed_batching` and `scale`, which onnxruntime's CPU kernel does not read, are
    refused where they would mean something.
    """

    interleaved: int
    num_heads: int
    rotary_embedding_dim: int
    is_packed_batching: int
    scale: float

    def decompose(
        self, on: Decomposer, x: Tensor, positions: Tensor, cos: Tensor, sin: Tensor
    ) -> Tensor:
        """Gathers of the caches and products. Raises OperatorInputError for shapes that do not
        fit, OperatorAttributeError for packed batches and a scale.
        """
        if self.is_packed_batching or self.scale != 1.0:
            raise OperatorAttributeError(
                f"{self._who()}: is_packed_batching is {self.is_packed_batching}, scale "
                f"{self.scale}; popir has 0 and 1 alone."
            )
        shape = on.shape(x)
        if len(shape) not in (3, 4):
            raise self.wrong(
                f"the input has shape {shape}; expected is [batch, places, heads * size] or "
                "[batch, heads, places, size]."
            )
        batch, places = shape[0], shape[-2]
        half = self._half(on, cos, sin)
        size = self.rotary_embedding_dim or 2 * half
        if size != 2 * half:
            raise self.wrong(
                f"the caches have rows of {half}; rotary_embedding_dim {size} needs {size // 2}."
            )
        whole = x if len(shape) == 4 else split_heads(on, x, self._heads(shape[2], size))
        width = on.shape(whole)[3]
        if width < size or (width > size and not self.rotary_embedding_dim):
            raise self.wrong(
                f"heads have {width} numbers and the caches rows of {half}, for {size}; to turn a "
                "part of each head give rotary_embedding_dim and num_heads."
            )
        if on.shape(positions) == [1] and [batch, places] != [1, 1]:
            steps = on.reshape(on.ints(*range(places)), [1, places])
            positions = on.Add(steps, positions)
        elif on.shape(positions) in ([1], [batch, places]):
            positions = on.reshape(positions, [batch, places])
        else:
            raise self.wrong(
                f"position_ids have shape {on.shape(positions)}; expected is [1] or "
                f"{[batch, places]}."
            )
        lead = on.shape(positions)[0]
        at = [
            on.reshape(on.Gather(t, positions, axis=0), [lead, 1, places, half]) for t in (cos, sin)
        ]
        y = rotated(on, whole, at[0], at[1], bool(self.interleaved), size)
        return y if len(shape) == 4 else merge_heads(on, y)

    def _half(self, on: Decomposer, cos: Tensor, sin: Tensor) -> int:
        if len(on.shape(cos)) != 2 or on.shape(cos) != on.shape(sin):
            raise self.wrong(
                f"cos_cache has shape {on.shape(cos)}, sin_cache {on.shape(sin)}; expected is "
                "[positions, half of what is turned] for both."
            )
        return on.shape(cos)[1]

    def _heads(self, width: int, size: int) -> int:
        if not self.num_heads and self.rotary_embedding_dim:
            raise OperatorAttributeError(
                f"{self._who()}: rotary_embedding_dim is {self.rotary_embedding_dim}; give "
                "num_heads too."
            )
        heads = self.num_heads or width // max(size, 1)
        if not heads or width % heads:
            raise self.wrong(f"{width} numbers are not those of {heads} heads of {size}.")
        return heads


OpCreator(RotaryEmbedding, onnx_ids("RotaryEmbedding", 23))
OpCreator(MicrosoftRotaryEmbedding, microsoft_id("RotaryEmbedding"))
