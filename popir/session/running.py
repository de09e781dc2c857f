"""Running the steps of a session: inputs in, anchors out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from threading import get_ident
from typing import Any

import numpy as np

from popir.errors import (
    PopirError,
    StepIOError,
    did_you_mean,
)
from popir.exclusive import IN_STEP, exclusive
from popir.session.prepared import Prepared
from popir.stepio import UNBOUND, Port, PyStepIO, PyStepIOCallback
from popir.typed import fitted, typed

Array = np.ndarray[Any, Any]
_log = logging.getLogger("popir.session")


def _by_batches(buffers: Iterable[tuple[Port, Array]], first: bool) -> list[tuple[Port, Array]]:
    """The slots of all streams, those of one batch together, in the order of the streams. What a
    stream has once for several batches comes with the first of them, or else the last.
    """
    found: list[tuple[float, int, Port, Array]] = []
    for i, (port, buffer) in enumerate(buffers):
        slots = port.slots(buffer)
        for k, slot in enumerate(slots, 0 if first else 1):
            found.append((k / len(slots), i, port, slot))
    return [(port, slot) for _, _, port, slot in sorted(found, key=lambda each: each[:2])]


@typed(by_hand=["run"])
class Running(Prepared):
    """The methods that run steps."""

    def run(self, stepio: PyStepIO | PyStepIOCallback, debugName: str = "") -> None:
        """Runs one step: all its batches, from the inputs to the anchors of `stepio`.

        `stepio` must have all anchors, and all inputs that an operator reads. An array for an input
        that none reads is ignored, which the log says once. With `SessionOptions.syntheticDataMode`
        its inputs are not read. `debugName` is put before the message of an error.

        Raises popart_exception before `prepareDevice`, StepIOError for an array that is missing,
        that is no input or anchor, or has a wrong type or size, poplar_exception for a fault of the
        running program; in the first step of a training in several processes popart_runtime_error
        if their weights differ.
        """
        if debugName.__class__ is not str:
            debugName = fitted("Session.run", "debugName", debugName, str)
        lock = self.lock
        if lock.refused:
            self.refuse_own_call("run")
        with lock.rlock:
            if lock.refused:
                self.refuse("run")
            lock.refused, lock.runner = IN_STEP, get_ident()
            try:
                runner = self._runner or self._prepared("run")
                if self._is_unmatched or self._sent_seed is not None:
                    self._match()
                if isinstance(stepio, PyStepIOCallback):
                    self._run_with_callbacks(stepio)
                    self.steps += 1
                    return
                try:
                    given = stepio.inputs
                except AttributeError:
                    fitted("Session.run", "stepio", stepio, PyStepIO | PyStepIOCallback)
                    raise
                if stepio.checks:
                    if self._is_synthetic or len(given) > len(self._inputs):
                        self._check_inputs(given)
                    if len(stepio.outputs) > len(self._outputs):
                        self._check_outputs(stepio.outputs)
                try:
                    if not self._is_synthetic:
                        for port in self._inputs:
                            if given[port.id] is not port.array:
                                port.bind(given[port.id], stepio.checks)
                    given = stepio.outputs
                    for port in self._outputs:
                        if given[port.id] is not port.array:
                            port.bind(given[port.id], stepio.checks)
                except KeyError as error:
                    raise self._missing(error.args[0], given) from None
                try:
                    runner.run(0)
                except BaseException as error:
                    # The streams stopped inside a step: bind them again at the next one.
                    for port in (*self._inputs, *self._outputs):
                        port.array = UNBOUND
                    if self._is_synthetic:
                        for port in self._inputs:
                            port.stage()
                    if isinstance(error, PopirError):
                        raise self._owners.told(error) from None
                    raise
                for port in self._outputs:
                    if port.array is UNBOUND:
                        port.finish(given[port.id])
                self.steps += 1
            except PopirError as error:
                if debugName:
                    error.args = (f"{debugName}: {error}", *error.args[1:])
                raise
            finally:
                lock.refused = ""

    def _missing(self, id: str, given: Mapping[str, Array]) -> StepIOError:
        is_input = any(port.id == id for port in self._inputs)
        kind = "input" if is_input else "anchor"
        return StepIOError(
            f"The step's {kind} '{id}', {self.getInfo(id)}, was not given; given were the {kind}s "
            f"{', '.join(repr(name) for name in given) or '(none)'}.{did_you_mean(id, given)}"
        )

    def _check_inputs(self, given: Mapping[str, Array]) -> None:
        """Raises StepIOError for an array that is no input; warns once of one that nobody reads."""
        read = {port.id for port in self._inputs}
        for id in given:
            if id in read or id in self._told:
                continue
            if id in self.graph.inputs:
                self._told.add(id)
                _log.warning(
                    "PyStepIO has an array for the input '%s', which no operator reads.", id
                )
                continue
            if id in self._host:
                reason = "is a weight; Session.writeWeights and weightsFromHost change it"
            elif id in self.graph.tensors:
                reason = "is computed by the model or a constant of it"
            else:
                names = ", ".join(map(repr, self.graph.inputs)) or "(none)"
                reason = f"the model does not have; its inputs are {names}"
            near = did_you_mean(id, self.graph.inputs)
            raise StepIOError(f"PyStepIO has an array for the input '{id}', which {reason}.{near}")

    def _check_outputs(self, given: Mapping[str, Array]) -> None:
        """Raises StepIOError for an array that is no anchor."""
        anchors = [port.id for port in self._outputs]
        id = next(id for id in given if id not in anchors)
        hint = " Name it in the DataFlow." if id in self.graph.tensors else ""
        raise StepIOError(
            f"PyStepIO has an array for the output '{id}', which is no anchor; the anchors are "
            f"{', '.join(map(repr, anchors)) or '(none)'}.{did_you_mean(id, anchors)}{hint}"
        )

    def _run_with_callbacks(self, stepio: PyStepIOCallback) -> None:
        if not self._is_synthetic:
            for port, slot in _by_batches(((port, port.stage()) for port in self._inputs), True):
                array = stepio.input_callback(port.id, False)
                port.check_batch(array)
                port.fill(slot, array)
                stepio.input_complete_callback(port.id)
        staged = [(port, port.stage()) for port in self._outputs]
        try:
            self._runner.run(0)
        except PopirError as error:
            raise self._owners.told(error) from None
        returned = [(port, buffer[port.returned()]) for port, buffer in staged]
        for port, slot in _by_batches(returned, False):
            array = stepio.output_callback(port.id)
            port.check_batch(array)
            port.spill(slot, array)
            stepio.output_complete_callback(port.id)

    def _per_callback(self, id: str) -> int:
        """The elements that a callback of a PyStepIOCallback gives or gets, for programs in C++."""
        ports = (*self._inputs, *self._outputs)
        return next(port.per_callback for port in ports if port.id == id)

    @exclusive()
    def connectHostFunction(
        self, functionHandle: str, callback: Callable[[list[Array], list[Array]], None]
    ) -> None:
        """Connects a Python function to a host function that an operator calls
        (`poplar::Graph::addHostFunction`).

        Args:
            functionHandle: the handle that the operator gave the host function.
            callback: called with the flattened inputs, to read, and the flattened outputs, to fill.
                Several replicas call it from threads of their own.

        Raises popart_exception before `prepareDevice`, poplar_runtime_error for an unknown handle.
        """
        self._prepared("connectHostFunction")
        for engine in self._engines:
            engine.connectHostFunction(functionHandle, callback)
