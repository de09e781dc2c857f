"""A model that is run in segments: `SegmentedModel`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from popir.devices import DeviceInfo, DeviceManager
from popir.errors import OperatorInputError, did_you_mean
from popir.exclusive import Exclusive, exclusive
from popir.host import HostValue, is_numbers, is_sequence, is_strings, kind_of, shown, strings
from popir.onnxio.importer import opsets
from popir.onnxio.load import load
from popir.onnxio.proto import NodeProto, ValueInfoProto
from popir.onnxio.tensors import TensorReader
from popir.options import SessionOptions
from popir.segments.program import Context, Program, initializers_of
from popir.typed import typed
from popir.types import DataType

Array = np.ndarray[Any, Any]


@typed
class SegmentedModel(Exclusive):
    """A model of one or more device programs, with operators on the host between them.

    Segments are compiled when they are first run, for the types and shapes of their inputs; the
    sessions used last are kept. Threads may share a model: they run it one at a time. Values may be
    arrays, sequences (lists of values), optional values (None if empty) and maps (dicts); strings
    are arrays of objects.

    Args:
        fnModel: the model: the path of a file, its bytes, or a ModelProto.
        deviceInfo: the device of the segments; by default the Cpu.
        userOptions: the SessionOptions of the segments; by default all defaults.

    Raises ModelError for a model that cannot be read.
    """

    def __init__(
        self,
        fnModel: Any,
        deviceInfo: DeviceInfo | None = None,
        userOptions: SessionOptions | None = None,
    ) -> None:
        super().__init__()
        loaded = load(fnModel)
        graph = loaded.model.graph
        initializers = initializers_of(graph)
        self._inputs = {v.name: v for v in graph.input if v.name not in initializers}
        self._names = [value.name for value in graph.output]
        self._context = Context(
            graph.name or "model",
            loaded.folder,
            loaded.model.ir_version,
            deviceInfo or DeviceManager().createCpuDevice(),
            userOptions or SessionOptions(),
            TensorReader(loaded.folder),
        )
        versions = opsets(loaded.model)
        self._program = self._new_program(
            self._context, graph.node, self._names, versions, initializers, self._inputs
        )

    def _new_program(
        self,
        context: Context,
        nodes: Iterable[NodeProto],
        outputs: Sequence[str],
        opsets: Mapping[str, int],
        initializers: Mapping[str, Any],
        known: Iterable[str],
    ) -> Program:
        return Program(context, nodes, outputs, opsets, initializers, known)

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, in order."""
        return [*self._inputs]

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs, in order."""
        return self._names

    @property
    def compiled(self) -> int:
        """The number of device programs compiled so far."""
        return self._context.compiled

    @property
    def left(self) -> dict[str, str]:
        """The nodes at which a run so far left the device, and why."""
        return self._context.left

    @exclusive()
    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Runs the model, and returns its outputs by name.

        Raises OperatorInputError for inputs that are missing, unknown, or of another type than the
        model declares; LeavesDeviceError for an operator that runs neither on the device nor on the
        host; and the errors of compiling and running a segment.
        """
        unknown = [name for name in inputs if name not in self._inputs]
        missing = [name for name in self._inputs if name not in inputs]
        if unknown or missing:
            wrong = f"has no input '{unknown[0]}'" if unknown else f"needs the input '{missing[0]}'"
            near = did_you_mean(unknown[0], self._inputs) if unknown else ""
            raise OperatorInputError(
                f"The model {wrong}; its inputs are {', '.join(self._inputs)}.{near}"
            )
        values = {id: _checked(self._inputs[id], value) for id, value in inputs.items()}
        return dict(zip(self._names, self._program.run(values), strict=True))


def _checked(declared: ValueInfoProto, given: Any) -> HostValue:
    """A given input as a value. Raises OperatorInputError for one of another type or shape."""
    value = _value(given)
    kind = declared.type.WhichOneof("value")
    who = f"The graph input '{declared.name}'"
    if kind == "sequence_type" and not is_sequence(value):
        raise OperatorInputError(f"{who} is a sequence; given was {shown(value)}.")
    if kind != "tensor_type":
        return value
    tensor = declared.type.tensor_type
    if not (is_numbers(value) or is_strings(value)):
        raise OperatorInputError(f"{who} is a tensor; given was {shown(value)}.")
    if tensor.elem_type and kind_of(value) is not DataType.of(tensor.elem_type):
        raise OperatorInputError(
            f"{who} is of type {DataType.of(tensor.elem_type).name}; given was {shown(value)}."
        )
    if tensor.HasField("shape"):
        dims = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
        fits = len(dims) == value.ndim and all(
            d is None or d == n for d, n in zip(dims, value.shape, strict=True)
        )
        if not fits:
            shape = [d.dim_value or d.dim_param or "?" for d in tensor.shape.dim]
            raise OperatorInputError(f"{who} has the shape {shape}; given was {shown(value)}.")
    return value


def _value(given: Any) -> Any:
    if given is None or isinstance(given, dict):
        return given
    if isinstance(given, (list, tuple)):
        return [_value(each) for each in given]
    array = np.require(given, requirements="C")
    return strings(array.astype(object), array.shape) if array.dtype.kind in "US" else array
