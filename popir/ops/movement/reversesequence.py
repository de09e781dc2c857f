"""ReverseSequence: the first elements of each sequence of a batch, in reverse."""

from __future__ import annotations

import math

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.places import (
    Indices,
    check_range,
    gather_rows,
    positions,
    row_numbers,
    strides_of,
)
from popir.ops.support.shapes import axis
from popir.registry import OpCreator


class ReverseSequence(Decomposition):
    """ONNX's ReverseSequence, versions 10 and 28: of sequence i of the batch, the first
    sequence_lens[i] elements along `time_axis` are reversed, and the others stay.

    Deviation: a length out of range that is computed at run time gives zeros where the sequence has
    no element; ONNX does not allow it.
    """

    batch_axis: int
    time_axis: int

    def decompose(self, on: Decomposer, x: Tensor, lengths: Tensor) -> Tensor:
        """A Gather of the steps. Raises OperatorAttributeError for axes other than 0 and 1,
        OperatorInputError for lengths that do not fit.
        """
        shape = on.shape(x)
        if len(shape) < 2:
            raise self.wrong(f"the input has shape {shape}; it takes batch and time.")
        axes = [axis(self, a, len(shape)) for a in (self.batch_axis, self.time_axis)]
        if sorted(axes) != [0, 1]:
            raise OperatorAttributeError(
                f"{self._who()}: batch_axis is {self.batch_axis}, time_axis {self.time_axis}; one "
                "must be 0 and the other 1."
            )
        batch, time = (shape[a] for a in axes)
        if on.shape(lengths) != [batch]:
            raise self.wrong(
                f"sequence_lens has shape {on.shape(lengths)}; give [{batch}], a length for each "
                "sequence."
            )
        check_range(self, lengths, time + 1, f"the {time} steps of {shape}", 0)
        each = [1, 1]
        each[axes[0]] = batch
        lengths = on.reshape(lengths, each)
        # Step t is taken from length - 1 - t while t is within the sequence.
        strides = strides_of(shape[:2])
        steps = on.like(range(time), lengths)
        each[axes[0]], each[axes[1]] = 1, time
        steps = on.reshape(steps, each)
        back = on.Sub(on.Sub(lengths, on.like(1, lengths)), steps)
        taken = on.Where(on.Less(steps, lengths), back, steps)
        part = Indices(taken, time, strides[axes[1]], from_end=False)
        bases = [0 if d == axes[1] else strides[d] for d in range(2)]
        places, width = shape[0] * shape[1], math.prod(shape[2:])
        rows = row_numbers(on, [part], places, positions(on, shape[:2], bases))
        found = gather_rows(on, on.reshape(x, [places, width]), rows)
        return on.reshape(found, shape)


OpCreator(ReverseSequence, onnx_ids("ReverseSequence", 10, 28))
