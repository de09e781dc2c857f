"""Types and shapes of the tensors of a model that is being built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx.shape_inference
from onnx import ModelProto, numpy_helper

from popir.errors import UnknownOperatorError, popart_exception
from popir.ir import Graph, Tensor
from popir.onnxio import exporter
from popir.onnxio.importer import GraphImporter
from popir.types import TensorInfo


class Inference:
    """Imports a growing model piece by piece, so that each operator's setup() runs once.

    Where an operator is not registered, ONNX's own shape inference stands in for the whole model.
    """

    def __init__(self, model: ModelProto, outer: Callable[[str], Tensor | None]) -> None:
        """`outer` looks up a tensor of the surrounding graph, for a subgraph."""
        self.values: dict[str, np.ndarray[Any, Any]] = {}
        """Initializers as arrays, where they are at hand."""
        self._model = model
        self._outer = outer
        self.restart()

    def restart(self) -> None:
        """Forgets what was imported; for a change to a node that has been."""
        self._graph = Graph()
        self._done = [0, 0, 0]

    def tensor(self, id: str, opsets: dict[str, int]) -> Tensor | None:
        """The tensor as imported, with its value if it has one; None if there is no such tensor.

        Raises what importing raises.
        """
        self._graph.opsets.update(opsets)
        try:
            self._extend()
        except Exception:
            self.restart()
            raise
        return self._graph.tensors.get(id)

    def info(self, id: str, opsets: dict[str, int]) -> TensorInfo:
        """Type and shape of the tensor. Raises popart_exception if they cannot be inferred."""
        try:
            found = self.tensor(id, opsets)
        except UnknownOperatorError:
            info = self._by_onnx(id, opsets)
            if info is None:
                raise
            return info
        if found is None or found.info is None:
            raise popart_exception(f"Type and shape of '{id}' are not known.")
        return found.info

    def _extend(self) -> None:
        proto, importer = self._model.graph, GraphImporter(self._graph)
        initializers = {tensor.name for tensor in proto.initializer}
        for value in self._new(0, proto.input):
            if value.name not in initializers:
                importer.addInput(value, {})
        for tensor in self._new(1, proto.initializer):
            value = self.values.get(tensor.name)
            data = numpy_helper.to_array(tensor) if value is None else value
            importer.addInitializer(tensor.name, data)
        for node in self._new(2, proto.node):
            for id in node.input:
                if id and not self._graph.hasTensor(id):
                    self._borrow(id)
            importer.addNode(node)

    def _new(self, which: int, items: Any) -> list[Any]:
        fresh = list(items[self._done[which] :])
        self._done[which] += len(fresh)
        return fresh

    def _borrow(self, id: str) -> None:
        """Takes a tensor of the surrounding graph as an input of this one."""
        tensor = self._outer(id)
        if tensor is not None and tensor.data is not None:
            self._graph.addConstInit(id, tensor.data)
        elif tensor is not None and tensor.info is not None:
            self._graph.addStream(id, tensor.info)

    def _by_onnx(self, id: str, opsets: dict[str, int]) -> TensorInfo | None:
        model = ModelProto()
        model.CopyFrom(self._model)
        del model.opset_import[:]
        model.opset_import.extend(
            exporter.opset(domain, version) for domain, version in opsets.items()
        )
        try:
            inferred = onnx.shape_inference.infer_shapes(exporter.finish(model))
        except (onnx.shape_inference.InferenceError, ValueError):
            return None
        for value in [*inferred.graph.value_info, *inferred.graph.output]:
            kind = value.type.tensor_type
            dims = [dim.dim_value for dim in kind.shape.dim if dim.HasField("dim_value")]
            if value.name == id and kind.HasField("shape") and len(dims) == len(kind.shape.dim):
                return TensorInfo(kind.elem_type, dims)
        return None
