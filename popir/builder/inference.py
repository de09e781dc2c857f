"""Type and shape inference for a model under construction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from popir import registry
from popir.errors import UnknownOperatorError, popart_exception
from popir.ir import Graph, OperatorIdentifier, Tensor
from popir.onnxio.attributes import to_python
from popir.onnxio.importer import GraphImporter
from popir.onnxio.inference import infer
from popir.onnxio.proto import ModelProto, NodeProto, finish
from popir.onnxio.tensors import TensorReader
from popir.types import TensorInfo


class Inference:
    """Imports the growing model incrementally, so that each operator's setup() runs only once.

    For an operator that is not registered, it uses the library's shape inference function or,
    without one, ONNX's shape inference of the whole model.
    """

    def __init__(self, model: ModelProto, outer: Callable[[str], Tensor | None]) -> None:
        """`outer` looks up a tensor of the parent graph, for a subgraph."""
        self.values: dict[str, np.ndarray[Any, Any]] = {}
        """The values of initializers, as far as they are available as arrays."""
        self._model = model
        self._outer = outer
        self.restart()

    def restart(self) -> None:
        """Discards everything imported. Needed if a node that was imported has changed."""
        self._graph = Graph()
        self._done = [0, 0, 0]

    def lies_in(self, raw: memoryview, id: str) -> None:
        """Lets the value of an initializer lie in `raw`, which begins with the same bytes, so that
        its own memory can be freed.
        """
        old = self.values[id]
        value = np.frombuffer(raw, old.dtype, old.size).reshape(old.shape)
        self.values[id] = value
        if self._graph.hasTensor(id):
            self._graph.getTensor(id).data = value

    def tensor(self, id: str, opsets: dict[str, int]) -> Tensor | None:
        """The imported tensor, with its value if that is known; None if it does not exist.

        Raises the errors of importing.
        """
        self._graph.opsets.update(opsets)
        try:
            for take in (self._take_initializers, self._take_inputs, self._take_nodes):
                if not self._graph.hasTensor(id):
                    take()
        except Exception:
            self.restart()
            raise
        return self._graph.tensors.get(id) or self._outer(id)

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

    def _take_initializers(self) -> None:
        importer = GraphImporter(self._graph)
        for tensor in self._new(0, self._model.graph.initializer):
            value = self.values.get(tensor.name)
            data = TensorReader().array(tensor) if value is None else value
            importer.add_initializer(tensor.name, data)

    def _take_inputs(self) -> None:
        importer = GraphImporter(self._graph)
        for value in self._new(1, self._model.graph.input):
            if value.HasField("type") and not self._graph.hasTensor(value.name):
                importer.add_input(value, {})
            else:
                self._borrow(value.name)

    def _take_nodes(self) -> None:
        importer = GraphImporter(self._graph)
        for node in self._new(2, self._model.graph.node):
            for id in node.input:
                if id:
                    self._borrow(id)
            try:
                importer.addNode(node)
            except UnknownOperatorError:
                if not self._by_function(node, importer.reader):
                    raise

    def _by_function(self, node: NodeProto, reader: TensorReader) -> bool:
        """Infers the outputs of a node by `registry.shape_functions`. Returns False if none knows
        the operator.
        """
        domain = node.domain or "ai.onnx"
        opid = OperatorIdentifier(domain, node.op_type, self._graph.opsets.get(domain, 1))
        infos = {
            i: info
            for i, id in enumerate(node.input)
            if id and (info := self._graph.getTensor(id).info)
        }
        attributes = {item.name: to_python(item, reader) for item in node.attribute}
        for function in registry.shape_functions:
            found = function(opid, infos, attributes, len(node.output))
            if found is not None:
                for id, info in zip(node.output, found, strict=True):
                    if id:
                        self._graph.addActGrad(id).info = info
                return True
        return False

    def _new(self, which: int, items: Any) -> list[Any]:
        fresh = list(items[self._done[which] :])
        self._done[which] += len(fresh)
        return fresh

    def _borrow(self, id: str) -> None:
        """Copies a tensor of the parent graph to this graph, unless it is there already."""
        if self._graph.hasTensor(id):
            return
        tensor = self._outer(id)
        if tensor is not None and tensor.data is not None:
            self._graph.addConstInit(id, tensor.data)
        else:
            self._graph.addActGrad(id).info = tensor.info if tensor is not None else None

    def _by_onnx(self, id: str, opsets: dict[str, int]) -> TensorInfo | None:
        model = ModelProto()
        model.CopyFrom(self._model)
        return infer(finish(model, opsets)).get(id)
