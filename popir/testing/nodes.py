"""A single operator with its arguments, as a model: `run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir import registry
from popir.builder import Builder
from popir.dataflow import DataFlow
from popir.devices import DeviceInfo, DeviceManager
from popir.errors import popart_exception
from popir.ir import OperatorIdentifier
from popir.onnxio import schemas
from popir.registry import OpEntry
from popir.session import InferenceSession
from popir.stepio import PyStepIO
from popir.typed import typed
from popir.types import TRAINABLE, DataType, TensorInfo

Array = np.ndarray[Any, Any]


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether `dtype` is a floating-point type that has gradients."""
    return DataType.of(dtype) in TRAINABLE


@dataclass
class Node:
    """One node of a model: an operator, its inputs and attributes."""

    entry: OpEntry
    opset: int
    """The model's opset of the operator's domain."""
    inputs: Sequence[Array | None]
    attributes: Mapping[str, Any]
    outputs: int
    constants: Sequence[int]
    """The indices of inputs that are constants of the model."""

    def build(self) -> tuple[Builder, list[str], list[str]]:
        """A model with this one node, and the ids of its inputs and outputs."""
        opid = self.entry.opid
        opsets = {"ai.onnx": 13, "ai.graphcore": 1}
        if opid.domain.startswith("ai.onnx"):
            opsets[opid.domain] = self.opset
        builder = Builder(opsets=opsets)
        inputs: list[str] = []
        for i, value in enumerate(self.inputs):
            if value is None:
                inputs.append("")
            elif i in self.constants:
                inputs.append(builder.aiOnnx.constant(value, f"x{i}"))
            else:
                info = TensorInfo(value.dtype, list(value.shape))
                inputs.append(builder.addInputTensor(info, f"x{i}"))
        attributes = dict(self.attributes)
        outputs = builder.customOp(
            opid.type, opid.version, opid.domain, inputs, attributes, self.outputs, "node"
        )
        return builder, inputs, outputs

    def is_floating(self, i: int) -> bool:
        """Whether input `i` can have a gradient: it is floating-point and no constant."""
        value = self.inputs[i]
        return value is not None and is_float(value.dtype) and i not in self.constants

    def feed(self, ids: Sequence[str], inputs: Sequence[Array | None]) -> dict[str, Array]:
        """The values of the model's inputs, by id."""
        return {
            id: value
            for i, (id, value) in enumerate(zip(ids, inputs, strict=True))
            if value is not None and i not in self.constants
        }


def node(
    operator: str | OperatorIdentifier,
    inputs: Sequence[Array | None],
    attributes: Mapping[str, Any] | None,
    version: int | None,
    outputs: int | None,
    constants: Sequence[int],
) -> Node:
    """Looks an operator up and makes its Node; the arguments are those of `gradcheck`.

    Raises UnknownOperatorError, or popart_exception for wrong `constants`.
    """
    if isinstance(operator, OperatorIdentifier):
        opid, newest = operator, version or operator.version
    else:
        opid = registry.named(operator)[0].opid
        newest = version or opid.version
    entry = registry.find(opid.domain, opid.type, newest)
    definition = entry.definition or schemas.definition(entry.opid)
    least = definition.outputs.least if definition else 1
    if wrong := [i for i in constants if not 0 <= i < len(inputs) or inputs[i] is None]:
        raise popart_exception(
            f"{entry.opid}: input {wrong[0]} cannot be a constant: it is not given; there are "
            f"{len(inputs)} inputs, counted from 0."
        )
    needed = {i for i in entry.opClass.constantInputs if i < len(inputs) and inputs[i] is not None}
    return Node(
        entry,
        max(version or entry.opid.version, schemas.OLDEST_OPSET),
        inputs,
        attributes or {},
        max(1, least) if outputs is None else outputs,
        sorted({*constants, *needed}),
    )


@typed
def run(
    operator: str | OperatorIdentifier,
    inputs: Sequence[Array | None],
    attributes: Mapping[str, Any] | None = None,
    *,
    version: int | None = None,
    outputs: int | None = None,
    constants: Sequence[int] = (),
    device: DeviceInfo | None = None,
) -> list[Array]:
    """Runs an operator once, alone, and returns its outputs.

    `inputs` are arrays, None for one that is left out; their types and shapes are those of the
    model. The other arguments are those of `gradcheck`. Raises UnknownOperatorError,
    popart_exception for wrong `constants`, and the errors of building and running a model.
    """
    only = node(operator, inputs, attributes, version, outputs, constants)
    builder, ids, results = only.build()
    session = InferenceSession(
        builder.getModelProto(),
        DataFlow(1, results),
        device or DeviceManager().createCpuDevice(),
        name=f"run of {only.entry.opid}",
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(PyStepIO(only.feed(ids, inputs), anchors))
    return [anchors[id] for id in results]
