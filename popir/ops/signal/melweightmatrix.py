"""MelWeightMatrix: from the bins of a spectrum to bands of the mel scale."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from popir.ir import Op, Tensor
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType


class MelWeightMatrixOp(Decomposition):
    """ONNX's MelWeightMatrix, version 17: the weights [dft_length // 2 + 1, num_mel_bins] of the
    bins of a spectrum in overlapping triangular bands, whose edges lie evenly on the mel scale.

    All inputs must be known at compile time, and the result is a constant.
    """

    constantInputs = frozenset(range(5))
    output_datatype: int
    getGradOps = Op.getGradOps

    def decompose(self, on: Decomposer, *inputs: Tensor) -> Tensor:
        """The matrix as a constant. Raises OperatorInputError for numbers that are no scalars, or
        out of range.
        """
        names = ("num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz")
        given: dict[str, Any] = {}
        for name, tensor in zip((*names, "upper_edge_hertz"), inputs, strict=True):
            given[name] = on.number(tensor, name)
        bands, length, rate, low, high = given.values()
        if bands < 0 or length < 1 or rate < 1 or not 0 <= low <= high <= rate / 2:
            raise self.wrong(
                f"the inputs are {given}; expected are lengths and a rate above 0, and "
                "0 <= lower_edge_hertz <= upper_edge_hertz <= sample_rate / 2."
            )
        if bands * (length // 2 + 1) >= 2**31:
            raise self.wrong(
                f"the inputs are {given}; the matrix would have 2^31 elements or more, and popir "
                "makes less."
            )
        kind = DataType.of(self.output_datatype)
        return on.const(_matrix(bands, length, rate, low, high), kind)


def _matrix(bands: int, length: int, rate: int, low: float, high: float) -> Array:
    first, last = (2595 * math.log10(1 + hertz / 700) for hertz in (low, high))
    mels = first + np.arange(bands + 2) * (last - first) / (bands + 2)
    edges = np.floor((length + 1) * 700 * (10 ** (mels / 2595) - 1) / rate).astype(np.int64)
    bins = np.arange(length // 2 + 1)[:, None]
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    rising = np.where(centre > left, (bins - left) / np.maximum(centre - left, 1), bins == centre)
    falling = (right - bins) / np.maximum(right - centre, 1)
    found = np.where(bins <= centre, rising, np.where(bins < right, falling, 0))
    return np.where((bins >= left) & (bins <= right), found, 0)


OpCreator(MelWeightMatrixOp, onnx_ids("MelWeightMatrix", 17))
