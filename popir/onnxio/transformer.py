"""`GraphTransformer`: changes to a model before a session is made of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto

from popir.errors import did_you_mean, popart_exception, require_path
from popir.onnxio import proto
from popir.onnxio.external import points_to, write_external
from popir.onnxio.load import ModelInFolder, Source, embed, load
from popir.onnxio.tensors import TensorReader
from popir.typed import typed
from popir.types import DataType

Array = np.ndarray[Any, Any]


@typed
class GraphTransformer:
    """A model, and changes to its types and initializers. PopART's `GraphTransformer`.

    A conversion of types changes initializers, tensors in attributes, the attribute `to` of Cast,
    declared types of inputs, outputs and values, and subgraphs. Raises ModelError for a model that
    cannot be read.
    """

    def __init__(self, modelProtoOrFilename: Source) -> None:
        loaded = load(modelProtoOrFilename)
        self._model = ModelProto()
        self._model.CopyFrom(loaded.model)
        embed(self._model, loaded.folder)
        self._folder: Any = None

    def getModelProto(self) -> bytes:
        """The model as a serialised onnx.ModelProto."""
        data = self._model.SerializeToString(deterministic=True)
        return data if self._folder is None else ModelInFolder(data, self._folder)

    # Types.

    def convertFloatsToHalfs(self) -> None:
        """Makes float tensors half; values are rounded to nearest."""
        self._convert(DataType.FLOAT, DataType.FLOAT16)

    def convertDoublesToFloats(self) -> None:
        """Makes double tensors float; values are rounded to nearest."""
        self._convert(DataType.DOUBLE, DataType.FLOAT)

    def convertDoublesToHalfs(self) -> None:
        """Makes double tensors half; values are rounded to nearest."""
        self._convert(DataType.DOUBLE, DataType.FLOAT16)

    def convertBFloats16ToFloat32(self) -> None:
        """Makes bfloat16 tensors float."""
        self._convert(DataType.BFLOAT16, DataType.FLOAT)

    def convertUINT8ToINT32(self) -> None:
        """Makes uint8 tensors int32."""
        self._convert(DataType.UINT8, DataType.INT32)

    def convertUINT16ToINT32(self) -> None:
        """Makes uint16 tensors int32."""
        self._convert(DataType.UINT16, DataType.INT32)

    def convertINT8ToINT32(self) -> None:
        """Makes int8 tensors int32."""
        self._convert(DataType.INT8, DataType.INT32)

    def convertINT16ToINT32(self) -> None:
        """Makes int16 tensors int32."""
        self._convert(DataType.INT16, DataType.INT32)

    def convertINT64ToINT32(self, clip: bool = False) -> None:
        """Makes int64 tensors int32. Values out of range become the nearest ones in it if `clip`;
        otherwise they raise popart_exception.
        """
        self._convert(DataType.INT64, DataType.INT32, _clipped if clip else _in_range)

    def _convert(
        self, old: DataType, new: DataType, check: Callable[[str, Array], Array] | None = None
    ) -> None:
        reader = TensorReader()

        def changed(tensor: TensorProto, who: str) -> None:
            if tensor.data_type == old.onnx:
                value = reader.array(tensor, who)
                value = value if check is None else check(who, value)
                with np.errstate(over="ignore"):
                    tensor.CopyFrom(proto.tensor(tensor.name, value.astype(new.numpy)))

        for graph in _graphs(self._model.graph):
            for tensor in graph.initializer:
                changed(tensor, f"The initializer '{tensor.name}'")
            for value in (*graph.input, *graph.output, *graph.value_info):
                _retype(value.type, old, new)
            for node in graph.node:
                for attribute in node.attribute:
                    who = f"The attribute {attribute.name} of {node.op_type} '{node.name}'"
                    if attribute.type == AttributeProto.TENSOR:
                        changed(attribute.t, who)
                    if _names_type(node, attribute) and attribute.i == old.onnx:
                        attribute.i = new.onnx

    # Inputs and initializers.

    def removeUnusedInputs(self) -> None:
        """Removes inputs and initializers that no node reads and that are no outputs."""
        graph = self._model.graph
        used = {id for each in _graphs(graph) for node in each.node for id in node.input}
        used |= {value.name for each in _graphs(graph) for value in each.output}
        _keep(graph.input, used.__contains__)
        _keep(graph.initializer, used.__contains__)

    def prepareNodesForTraining(self) -> None:
        """Gives BatchNormalization nodes all five outputs that they have in training."""
        graph = self._model.graph
        taken = {id for node in graph.node for id in node.output}
        for node in graph.node:
            if node.op_type != "BatchNormalization":
                continue
            for i in range(len(node.output), 5):
                id = base = f"{node.op_type}_{node.name}_oi{i}"
                number = 0
                while id in taken:
                    number += 1
                    id = f"{base}_{number}"
                taken.add(id)
                node.output.append(id)

    def convertInitializersToConstants(self, ids: Iterable[str]) -> None:
        """Makes initializers the outputs of Constant nodes: they are not trained then.

        Raises popart_exception for an id that is no initializer.
        """
        graph = self._model.graph
        chosen = list(dict.fromkeys(ids))
        initializers = {each.name: each for each in graph.initializer}
        for id in chosen:
            if id not in initializers:
                near = did_you_mean(id, initializers)
                raise popart_exception(
                    f"'{id}' is no initializer of the model.{near}",
                    popart=f"TensorId {id} not in the model initalizers",
                )
        nodes: list[NodeProto] = []
        for id in chosen:
            node = NodeProto(op_type="Constant", output=[id])
            node.attribute.append(AttributeProto(name="value", type=AttributeProto.TENSOR))
            node.attribute[0].t.CopyFrom(initializers[id])
            nodes.append(node)
        nodes += graph.node
        del graph.node[:]
        graph.node.extend(nodes)
        _keep(graph.input, lambda id: id not in chosen)
        _keep(graph.initializer, lambda id: id not in chosen)

    def convertAllFixedPointInitializersToConstants(self) -> None:
        """Makes all initializers of integers the outputs of Constant nodes."""
        each = self._model.graph.initializer
        self.convertInitializersToConstants(
            [tensor.name for tensor in each if DataType.of(tensor.data_type).is_integer]
        )

    def saveInitializersExternally(
        self, ids: Iterable[str], filename: str | os.PathLike[str]
    ) -> None:
        """Moves the values of initializers to a data file, in whose folder the model must be saved.

        Raises popart_exception for an id that is no initializer, ModelError if the file cannot be
        written.
        """
        initializers = {each.name: each for each in self._model.graph.initializer}
        chosen = list(dict.fromkeys(ids))
        for id in chosen:
            if id not in initializers:
                near = did_you_mean(id, initializers)
                raise popart_exception(
                    f"'{id}' is no initializer of the model.{near}",
                    popart=f"TensorId {id} not in the model initalizers",
                )
        reader = TensorReader()
        path = require_path("GraphTransformer.saveInitializersExternally", filename).absolute()
        folder = self._folder or path.resolve().parent
        values = {id: reader.array(initializers[id]) for id in chosen}
        for id, place in write_external(values, folder / "model", path).items():
            points_to(initializers[id], place)
        self._folder = folder


def _graphs(graph: GraphProto) -> Iterator[GraphProto]:
    """The graph, and all graphs in attributes of its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from _graphs(attribute.g)
            for each in attribute.graphs:
                yield from _graphs(each)


def _keep(field: Any, is_kept: Callable[[str], bool]) -> None:
    """Removes from a list of messages those whose name is not to be kept."""
    kept = [each for each in field if is_kept(each.name)]
    del field[:]
    field.extend(kept)


def _names_type(node: NodeProto, attribute: AttributeProto) -> bool:
    is_cast = node.op_type == "Cast" and attribute.name == "to"
    return attribute.type == AttributeProto.INT and (is_cast or attribute.name == "dtype")


def _retype(type: TypeProto, old: DataType, new: DataType) -> None:
    if type.HasField("tensor_type") and type.tensor_type.elem_type == old.onnx:
        type.tensor_type.elem_type = new.onnx


_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def _clipped(_who: str, value: Array) -> Array:
    return np.clip(value, _LEAST, _MOST)


def _in_range(who: str, value: Array) -> Array:
    if value.size and (value.min() < _LEAST or value.max() > _MOST):
        raise popart_exception(
            f"{who} has values that do not fit INT32, from {value.min()} to {value.max()}. "
            "convertINT64ToINT32(clip=True) makes them the nearest that fit."
        )
    return value
