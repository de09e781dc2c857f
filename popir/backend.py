"""popir as an ONNX backend, with the interface of `onnx.backend.base`, for ONNX's tests and other
tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, ValueInfoProto, defs, helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from popir.cached import cached_property
from popir.dataflow import DataFlow
from popir.devices import DeviceManager
from popir.errors import (
    LeavesDeviceError,
    OperatorInputError,
    OpsetVersionError,
    did_you_mean,
    popart_exception,
)
from popir.segments import SegmentedModel
from popir.segments.sessions import Sessions
from popir.session import InferenceSession
from popir.typed import fitted, typed
from popir.types import TensorInfo

Array = np.ndarray[Any, Any]


class DeviceError(popart_exception, ValueError):
    """An unknown device. Also a ValueError, which backends raise."""


class BackendOptionError(popart_exception, TypeError):
    """An unknown option. Also a TypeError, as for any unknown argument."""


def _refuse(who: str, options: Mapping[str, Any]) -> None:
    """Raises BackendOptionError for any option: popir has none of those that ONNX allows for."""
    if options:
        raise BackendOptionError(
            f"popir.backend: {who}() takes no option {', '.join(map(repr, options))}."
        )


def _check_count(who: str, names: Sequence[str], given: Sequence[Any]) -> None:
    if len(given) != len(names):
        raise OperatorInputError(
            f"{who} {len(names)} inputs ({', '.join(names)}); given were {len(given)} arrays."
        )


@typed(by_hand=["run"])
class PopirRep(BackendRep):
    """A prepared model. It is compiled for each new combination of input types and shapes; the
    compiled sessions used last are kept. A model that is more than one device program runs in
    segments (docs/segments.md).
    """

    def __init__(self, model: ModelProto) -> None:
        initializers = {tensor.name for tensor in model.graph.initializer}
        self._model = model
        names = [value.name for value in model.graph.input]
        self._inputs = [name for name in names if name not in initializers]
        self._defaults = initializers.intersection(names)
        """The inputs that have a default, which the caller may replace."""
        self._replacing: dict[frozenset[str], PopirRep] = {}
        """The model with some of the defaults as plain inputs."""
        self._outputs = [value.name for value in model.graph.output]
        self._sessions = Sessions()
        self._segmented: SegmentedModel | None = None

    def run(self, inputs: Sequence[Any] | Mapping[str, Any], **kwargs: Any) -> tuple[Any, ...]:
        """Runs the model and returns its outputs as a named tuple in the order of the graph.

        `inputs` are arrays in the order of the graph's inputs without those that have an
        initializer, or by name; for a sequence a list, for an empty optional value None. By name an
        input that has an initializer may be given too, in place of it. Raises OperatorInputError
        for a wrong number of inputs or an unknown name, BackendOptionError for any option, and the
        errors of compiling and running a model.
        """
        if kwargs:
            _refuse("PopirRep.run", kwargs)
        is_named = inputs.__class__ is dict and {*map(type, inputs)} <= {str}
        if not is_named and inputs.__class__ is not list:
            inputs = fitted("PopirRep.run", "inputs", inputs, Sequence[Any] | Mapping[str, Any])
        if isinstance(inputs, Mapping):
            by_name = inputs
            self._check_names(by_name)
            if replaced := self._defaults.intersection(by_name):
                return self._with_inputs(frozenset(replaced)).run(by_name)
        else:
            _check_count("The model has", self._inputs, inputs)
            by_name = dict(zip(self._inputs, inputs, strict=True))
        outputs = self._run(by_name)
        return self._results(*(outputs[id] for id in self._outputs))

    @cached_property
    def _results(self) -> Callable[..., tuple[Any, ...]]:
        """Makes the tuple of results. To make its class takes longer than to run a small model."""
        return namedtupledict("Outputs", self._outputs)

    def _check_names(self, given: Mapping[str, Any]) -> None:
        known = [*self._inputs, *sorted(self._defaults)]
        for name in given:
            if name not in known:
                near = did_you_mean(name, known)
                raise OperatorInputError(
                    f"The model has no input '{name}'; its inputs are {', '.join(known)}.{near}"
                )

    def _with_inputs(self, names: frozenset[str]) -> PopirRep:
        """The model with these initializers as plain inputs."""
        if names not in self._replacing:
            model = ModelProto()
            model.CopyFrom(self._model)
            kept = [t for t in model.graph.initializer if t.name not in names]
            del model.graph.initializer[:]
            model.graph.initializer.extend(kept)
            self._replacing[names] = PopirRep(model)
        return self._replacing[names]

    def _run(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._segmented is None:
            try:
                return self._run_whole(inputs)
            except LeavesDeviceError:
                self._segmented = SegmentedModel(self._model)
        return self._segmented.run(inputs)

    def _run_whole(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Runs the model as one program. Raises LeavesDeviceError if it is more than one."""
        arrays: dict[str, Array] = {}
        for id, value in inputs.items():
            if value is None or isinstance(value, list):
                raise LeavesDeviceError(f"The input '{id}' is no tensor.")
            is_plain = type(value) is np.ndarray and value.flags.c_contiguous
            arrays[id] = value if is_plain else np.require(value, requirements="C")
            if arrays[id].dtype.kind in "OSU":
                raise LeavesDeviceError(f"The input '{id}' holds strings.")
        known = tuple((id, array.dtype, array.shape) for id, array in arrays.items())
        session = self._sessions.get(known)
        if session is None:
            infos = {id: TensorInfo(array) for id, array in arrays.items()}
            session = self._sessions.add(known, self._compiled(self._model, infos))
        return session.run(arrays)

    def _compiled(self, model: ModelProto, infos: Mapping[str, TensorInfo]) -> InferenceSession:
        device = DeviceManager().createCpuDevice()
        session = InferenceSession(model, DataFlow(1, self._outputs), device, infos)
        session.graph.require_exact()
        session.prepareDevice()
        return session


@typed
class PopirBackend(Backend):
    """The backend class of ONNX's interface (`onnx.backend.base.Backend`); the functions of this
    module are its methods.
    """

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> PopirRep:
        """Prepares a model to be run; it is compiled at the first run. Raises DeviceError for
        another device than "CPU", BackendOptionError for any further option.
        """
        _refuse("prepare", kwargs)
        if not cls.supports_device(device):
            raise DeviceError(f"popir's backend has the device 'CPU'; asked for was {device!r}.")
        return PopirRep(model)

    @classmethod
    def run_model(
        cls,
        model: ModelProto,
        inputs: Sequence[Any] | Mapping[str, Any],
        device: str = "CPU",
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Prepares and runs a model once; see `prepare` and `PopirRep.run`."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Sequence[Any],
        device: str = "CPU",
        outputs_info: Sequence[Any] | None = None,
        opset_version: int | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Runs one operator, at the opset `opset_version` or the newest of the installed onnx.

        `outputs_info` is not used: types and shapes of the outputs are inferred. Raises
        OpsetVersionError for an impossible opset, OperatorInputError for a wrong number of inputs.
        """
        arrays = [np.asarray(value) for value in inputs]
        names = [name for name in node.input if name]
        _check_count(f"{node.op_type} has", names, arrays)
        declared = [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
            )
            for name, array in zip(names, arrays, strict=True)
        ]
        outputs = [ValueInfoProto(name=name) for name in node.output if name]
        graph = helper.make_graph([node], "node", declared, outputs)
        version = opset_version or defs.onnx_opset_version()
        if not 0 < version < 1 << 31:
            raise OpsetVersionError(f"run_node: there is no opset {version}.")
        _refuse("run_node", kwargs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)])
        return cls.run_model(model, arrays, device)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether `device` is "CPU", or "CPU:n" with a number."""
        return device.split(":")[0] == "CPU"


prepare = PopirBackend.prepare
run_model = PopirBackend.run_model
run_node = PopirBackend.run_node
supports_device = PopirBackend.supports_device
