"""The host's data of a step: `PyStepIO`, `PyStepIOCallback`, `PyWeightsIO`; and `Port`, which
connects an array to a stream.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from popir.errors import StepIOError, popart_exception
from popir.step import Stream
from popir.typed import fitted, shown, typed
from popir.types import FLOAT8, DataType

Array = np.ndarray[Any, Any]
_log = logging.getLogger("popir.session")
_TEXT, _ARRAYS = {str}, {np.ndarray}

# 64-bit host arrays that are converted for 32-bit tensors, in both directions, as in PopART.
_NARROWED = {DataType.INT32: DataType.INT64, DataType.UINT32: DataType.UINT64}


class IStepIO:
    """What `Session.run` takes: a PyStepIO or a PyStepIOCallback. PopART's class of this name.
    Making another one raises popart_exception.
    """

    def __init__(self, *_arguments: object) -> None:
        raise _abstract(type(self), "IStepIO", "PyStepIO or PyStepIOCallback")


class IWeightsIO:
    """What `Session.readWeights` takes: a PyWeightsIO. PopART's class of this name. Making another
    one raises popart_exception.
    """

    def __init__(self, *_arguments: object) -> None:
        raise _abstract(type(self), "IWeightsIO", "PyWeightsIO")


def _abstract(made: type[Any], base: str, known: str) -> popart_exception:
    return popart_exception(
        f"{made.__name__}: programs in Python do not implement {base}, which is a class of "
        f"PopART's in C++. Make a {known}."
    )


@typed(by_hand=["__init__"])
class PyStepIO(IStepIO):
    """The input and output arrays of one step, by tensor id. PopART's `PyStepIO`.

    An array has the elements of all batches of the step: [batches, *shape of the tensor], where an
    output has as many values as `Session.initAnchorArrays` says. Any shape with the right number of
    elements will do; it must be C-contiguous and of the tensor's type, an output writeable. It is
    used without a copy. An int64 or uint64 array for an INT32 or UINT32 tensor is converted; one of
    uint8 has the codes of 8-bit floats.

    Raises StepIOError unless both are dicts of strings to numpy arrays. `Session.run` raises it for
    an array that does not fit, or has a number that the tensor's type does not hold.
    """

    def __init__(self, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> None:
        for what, given in (("inputs", inputs), ("outputs", outputs)):
            is_dict = given.__class__ is dict and {*map(type, given)} <= _TEXT
            if not is_dict or not {*map(type, given.values())} <= _ARRAYS:
                fitted("PyStepIO", what, given, Mapping[str, Array], StepIOError)
        self.inputs = inputs
        self.outputs = outputs
        self.checks = True

    def enableRuntimeAsserts(self, enable: bool) -> None:
        """Switches the checks of the arrays in `run`, which are on by default. Without them, a
        wrong array is undefined behaviour.
        """
        self.checks = enable


@typed(error=StepIOError)
class PyStepIOCallback(IStepIO):
    """Functions that supply the inputs and receive the outputs of a step, one batch at a time.
    PopART's `PyStepIOCallback`.

    The inputs of all batches are read before the step runs, batch by batch, and the outputs
    delivered after it in the same way: all streams of one batch, then those of the next.
    Arrays are C-contiguous or not, of the tensor's type (or int64 and uint64 for INT32 and UINT32),
    with the elements of one batch.

    Args:
        input_callback: called with (id, prefetch); returns the array of one batch. `prefetch` is
            always False.
        input_complete_callback: called with (id) after the array has been read.
        output_callback: called with (id); returns an array to be filled with one batch.
        output_complete_callback: called with (id) after the array has been filled.

    An output is delivered as often as the step returns it: see `AnchorReturnType`. Raises
    StepIOError if one of them cannot be called. `Session.run` raises it for an array that does not
    fit.
    """

    def __init__(
        self,
        input_callback: Callable[[str, bool], Array],
        input_complete_callback: Callable[[str], None],
        output_callback: Callable[[str], Array],
        output_complete_callback: Callable[[str], None],
    ) -> None:
        self.input_callback = input_callback
        self.input_complete_callback = input_complete_callback
        self.output_callback = output_callback
        self.output_complete_callback = output_complete_callback


@typed
class PyWeightsIO(IWeightsIO):
    """Arrays for `Session.readWeights` and `writeWeights`, by weight id. PopART's `PyWeightsIO`.

    An array has the type and shape of its weight. Raises popart_exception unless `weights` is a
    dict of strings to numpy arrays.
    """

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self.weights = weights


UNBOUND: Array = np.empty(0)
"""The value of `Port.array` if the stream is not bound to a caller's array."""


class Port:
    """Binds one stream between host and device to arrays: [batches, replicas, *shape], without the
    dimension of the replicas if there is one, or if all get the same.

    Each of `connects(handle, array)` is `Engine.connectStream` of a replica; it is called only if
    the array has changed since the last step. `period` is that of an anchor with EveryN: the caller
    gets every period-th value only.
    """

    def __init__(
        self,
        stream: Stream,
        connects: Sequence[Callable[[str, Array], None]],
        is_input: bool,
        period: int = 1,
    ) -> None:
        self.id = stream.id
        self.info = stream.info
        self.dtype = stream.info.dataType().numpy
        self.period = period
        self.array = UNBOUND
        """The caller's array that the stream is bound to; UNBOUND if it is bound to `_staging`."""
        self._handle = stream.handle
        self._batches = stream.transfers
        self._parts = stream.parts
        self._connects = connects
        self._replicas = len(connects)
        self._is_input = is_input
        self._staging: Array | None = None

    def bind(self, array: Array, checks: bool = True) -> None:
        """Binds the stream to `array`. An array of a wider type, or of an anchor with a period, is
        copied through the staging buffer instead.

        Raises StepIOError for an array that does not fit, if `checks`.
        """
        self.array = UNBOUND
        if checks:
            self.check(array)
        is_one = self._replicas == 1 or self._batches == 1
        seen = self._seen(array)
        if seen.dtype == self.dtype and self.period == 1 and is_one:
            self._connect(seen)
            self.array = array
            return
        buffer = self.stage()
        if self._is_input:
            self.fill(buffer, array)

    def stage(self) -> Array:
        """Binds the stream to the port's own buffer, and returns it."""
        self.array = UNBOUND
        if self._staging is None:
            shape = [self._batches, *self.info.shape()]
            shape = shape if self._replicas == 1 else [self._replicas, *shape]
            self._staging = np.empty(shape, self.dtype)
        self._connect(self._staging)
        return self._staged()

    def _staged(self) -> Array:
        """The port's own buffer in the form of a caller's array."""
        assert self._staging is not None
        return self._staging if self._replicas == 1 else np.swapaxes(self._staging, 0, 1)

    def _connect(self, array: Array) -> None:
        """Connects the streams of the replicas to their parts of an array, of which each is
        contiguous.
        """
        parts = array.reshape([self._replicas, -1]) if self._replicas > 1 else [array]
        for connect, part in zip(self._connects, parts, strict=True):
            connect(self._handle, part)

    def slots(self, buffer: Array) -> list[Array]:
        """The parts of the port's own buffer, each for one batch of one replica; a batch is what
        one copy sends or gets.
        """
        slots = [buffer[n : n + 1] for n in range(len(buffer))]
        if self._replicas > 1:
            slots = [batch[:, r] for batch in slots for r in range(self._replicas)]
        if self._parts == 1:
            return slots
        return [part for slot in slots for part in slot.reshape([self._parts, -1])]

    @property
    def per_callback(self) -> int:
        """The elements of what a callback gives or gets."""
        return self.info.nelms() // self._parts

    def finish(self, array: Array) -> None:
        """Copies the output in the staging buffer to the caller's array."""
        self.spill(self._staged()[self.returned()], array)

    def returned(self) -> list[int]:
        """The batches whose values the caller gets."""
        return list(range(self.period - 1, self._batches, self.period))

    def fill(self, buffer: Array, array: Array) -> None:
        """Copies a caller's array into a buffer, and converts it to the stream's type."""
        self._check_type(array)
        array = self._seen(array)
        given = array.reshape(buffer.shape)
        np.copyto(buffer, given, casting="same_kind")
        if array.dtype != self.dtype and (lost := given[buffer != given]).size:
            raise StepIOError(
                f"{self._who()} is {self.info.data_type_lcase()}; given was an array of "
                f"{array.dtype} with {lost[0]}, which that type does not hold."
            )

    def spill(self, buffer: Array, array: Array) -> None:
        """Copies a buffer into a caller's array, and converts it to the array's type."""
        self._check_type(array)
        np.copyto(self._seen(array), buffer.reshape(array.shape), casting="same_kind")

    def _seen(self, array: Array) -> Array:
        """Codes of PopART's 8-bit floats, bytes or what PopART has for them, as these floats; any
        other array itself.
        """
        kind = self.info.dataType()
        is_codes = kind in FLOAT8 and array.dtype in (np.uint8, kind.record)
        return array.view(self.dtype) if is_codes else array

    def _check_type(self, array: Array) -> None:
        """Raises StepIOError unless `array` has the stream's type, or the 64-bit type that is
        converted to it.
        """
        if self._seen(array).dtype == self.dtype:
            return
        wide = _NARROWED.get(self.info.dataType())
        if wide is None or array.dtype != wide.numpy:
            raise StepIOError(
                f"{self._who()} is {self.info.data_type_lcase()}; given was an array of "
                f"{array.dtype}. Convert it: array.astype('{self.dtype.name}')."
            )
        _warn_once(self.id, array.dtype, self.dtype)

    def check(self, array: Array) -> None:
        """Raises StepIOError unless `array` is C-contiguous and has the elements of a step."""
        self._check_elements(array, self._batches // self.period * self._replicas)
        if not array.flags.c_contiguous:
            raise StepIOError(
                f"{self._who()} needs a C-contiguous array; given was one of shape "
                f"{list(array.shape)} with strides {list(array.strides)}. Make it so: "
                "numpy.ascontiguousarray(array)."
            )
        self._check_writeable(array)

    def check_batch(self, array: Array) -> None:
        """Raises StepIOError unless `array`, from a callback, has the elements of one batch."""
        self._check_elements(array, 1, self._parts)
        self._check_writeable(array)

    def _check_elements(self, array: Array, values: int, parts: int = 1) -> None:
        if not isinstance(array, np.ndarray):
            raise StepIOError(
                f"{self._who()}, {self.info}, needs a numpy array; given was {shown(array)}."
            )
        self._check_type(array)
        nelms = self.info.nelms() * values // parts
        if array.size != nelms:
            each = "batches" if self._replicas == 1 else "batches of all replicas"
            per_step = f" in each of {values} {each}" if values > 1 else ""
            per_step += f" in {parts} copies" if parts > 1 else ""
            raise StepIOError(
                f"{self._who()} has shape {self.info.shape()}{per_step}, which is {nelms} "
                f"elements; given was an array of shape {list(array.shape)} with {array.size}."
            )

    def _check_writeable(self, array: Array) -> None:
        if not self._is_input and not array.flags.writeable:
            raise StepIOError(
                f"{self._who()} needs an array that can be written; given was a read-only one."
            )

    def _who(self) -> str:
        return f"The {'input' if self._is_input else 'anchor'} '{self.id}'"


_warned: set[str] = set()


def _warn_once(id: str, given: object, taken: object) -> None:
    if id not in _warned:
        _warned.add(id)
        _log.warning(
            "'%s' is %s on the device; the host's arrays of %s are converted.", id, taken, given
        )
