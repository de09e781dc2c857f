"""A step's host data: `PyStepIO`, `PyStepIOCallback`, `PyWeightsIO`, and the ports that a session
binds them to.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from popir.errors import StepIOError
from popir.step import Stream
from popir.typed import fitted, shown, typed
from popir.types import DataType

Array = np.ndarray[Any, Any]
_log = logging.getLogger("popir.session")
_TEXT, _ARRAYS = {str}, {np.ndarray}

# What PopART narrows on the way to the device, and back on the way from it.
_NARROWED = {DataType.INT32: DataType.INT64, DataType.UINT32: DataType.UINT64}


@typed(byHand=["__init__"])
class PyStepIO:
    """Input and output arrays of one step, by tensor id.

    An array has the elements of all batches of the step, in any shape with the right count,
    C-contiguous and of the tensor's type. It is read and written in place, without a copy.
    """

    def __init__(self, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> None:
        for what, given in (("inputs", inputs), ("outputs", outputs)):
            isDict = given.__class__ is dict and {*map(type, given)} <= _TEXT
            if not isDict or not {*map(type, given.values())} <= _ARRAYS:
                fitted("PyStepIO", what, given, Mapping[str, Array], StepIOError)
        self.inputs = inputs
        self.outputs = outputs
        self.checks = True

    def enableRuntimeAsserts(self, enable: bool) -> None:
        """Whether `run` checks the arrays; without, a wrong one is undefined behaviour."""
        self.checks = enable


@typed(error=StepIOError)
class PyStepIOCallback:
    """Functions that deliver a step's inputs and take its outputs, one batch at a time.

    Args:
        input_callback: (id, prefetch) -> array of one batch.
        input_complete_callback: (id), after the array was read.
        output_callback: (id) -> array that takes one batch.
        output_complete_callback: (id), after the array was written.

    Raises StepIOError for what cannot be called. A step raises it for an array that does not fit.
    """

    def __init__(
        self,
        input_callback: Callable[[str, bool], Array],
        input_complete_callback: Callable[[str], None],
        output_callback: Callable[[str], Array],
        output_complete_callback: Callable[[str], None],
    ) -> None:
        self.inputCallback = input_callback
        self.inputCompleteCallback = input_complete_callback
        self.outputCallback = output_callback
        self.outputCompleteCallback = output_complete_callback


@typed
class PyWeightsIO:
    """Host arrays of weights, by tensor id, for `readWeights` and `writeWeights`."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self.weights = weights


UNBOUND: Array = np.empty(0)
"""Stands for no array of a caller's."""


class Port:
    """One stream between host and device, and the array that it is bound to.

    `connect(handle, array)` is the engine's; it is called only where another array is given than
    last time. With a `period` above 1 only every period-th batch is the caller's.
    """

    def __init__(
        self, stream: Stream, connect: Callable[[str, Array], None], isInput: bool, period: int = 1
    ) -> None:
        self.id = stream.id
        self.info = stream.info
        self.dtype = stream.info.dataType().numpy
        self.period = period
        self.array = UNBOUND
        """What the stream is bound to, if the caller's array is it."""
        self._handle = stream.handle
        self._batches = stream.transfers
        self._connect = connect
        self._isInput = isInput
        self._staging: Array | None = None

    def bind(self, array: Array, checks: bool = True) -> None:
        """Makes `array` the stream's memory; one of a wider type, or with a period, goes through a
        buffer.
        """
        self.array = UNBOUND
        if checks:
            self.check(array)
        if array.dtype == self.dtype and self.period == 1:
            self._connect(self._handle, array)
            self.array = array
            return
        buffer = self.stage()
        if self._isInput:
            self.fill(buffer, array)

    def stage(self) -> Array:
        """The port's own buffer, [batches, ...], bound to the stream."""
        self.array = UNBOUND
        if self._staging is None:
            self._staging = np.empty([self._batches, *self.info.shape()], self.dtype)
        self._connect(self._handle, self._staging)
        return self._staging

    def finish(self, array: Array) -> None:
        """Brings an output from the port's buffer to the caller's array."""
        assert self._staging is not None
        self.spill(self._staging[self.period - 1 :: self.period], array)

    def fill(self, buffer: Array, array: Array) -> None:
        """Copies an array of the caller's into a buffer of the stream's type."""
        self._checkType(array)
        np.copyto(buffer, array.reshape(buffer.shape), casting="same_kind")

    def spill(self, buffer: Array, array: Array) -> None:
        """Copies a buffer of the stream's type into an array of the caller's."""
        self._checkType(array)
        np.copyto(array, buffer.reshape(array.shape), casting="same_kind")

    def _checkType(self, array: Array) -> None:
        """Raises StepIOError unless `array` has the stream's type, or the wider one that PopART
        narrows.
        """
        if array.dtype == self.dtype:
            return
        wide = _NARROWED.get(self.info.dataType())
        if wide is None or array.dtype != wide.numpy:
            raise StepIOError(
                f"{self._who()} is {self.info.data_type_lcase()}; given was an array of "
                f"{array.dtype}. Convert it: array.astype('{self.info.data_type_lcase()}')."
            )
        _warnOnce(self.id, array.dtype, self.dtype)

    def check(self, array: Array) -> None:
        """Raises StepIOError unless `array` has the elements of a step, one after another."""
        self._checkElements(array, self._batches // self.period)
        if not array.flags.c_contiguous:
            raise StepIOError(
                f"{self._who()} needs a C-contiguous array; given was one of shape "
                f"{list(array.shape)} with strides {list(array.strides)}. Make it so: "
                "numpy.ascontiguousarray(array)."
            )
        self._checkWriteable(array)

    def checkBatch(self, array: Array) -> None:
        """Raises StepIOError unless `array`, of a callback, has the elements of one batch."""
        self._checkElements(array, 1)
        self._checkWriteable(array)

    def _checkElements(self, array: Array, values: int) -> None:
        if not isinstance(array, np.ndarray):
            raise StepIOError(
                f"{self._who()}, {self.info}, needs a numpy array; given was {shown(array)}."
            )
        self._checkType(array)
        nelms = self.info.nelms() * values
        if array.size != nelms:
            perStep = f" in each of {values} batches" if values > 1 else ""
            raise StepIOError(
                f"{self._who()} has shape {self.info.shape()}{perStep}, which is {nelms} "
                f"elements; given was an array of shape {list(array.shape)} with {array.size}."
            )

    def _checkWriteable(self, array: Array) -> None:
        if not self._isInput and not array.flags.writeable:
            raise StepIOError(
                f"{self._who()} needs an array that can be written; given was a read-only one."
            )

    def _who(self) -> str:
        return f"The {'input' if self._isInput else 'anchor'} '{self.id}'"


_warned: set[str] = set()


def _warnOnce(id: str, given: object, taken: object) -> None:
    if id not in _warned:
        _warned.add(id)
        _log.warning(
            "'%s' is %s on the device; the host's arrays of %s are converted.", id, taken, given
        )
