"""`Builder`: makes ONNX models, with PopART's interface."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from popir.builder.core import Core, check_text, name_of
from popir.builder.inference import Inference
from popir.builder.methods import Opset, opset
from popir.builder.settings import InputSettings
from popir.dataflow import Exchange
from popir.enums import ReplicatedStreamMode, TileSet
from popir.errors import (
    ModelError,
    OperatorAttributeError,
    did_you_mean,
    popart_exception,
    require_path,
)
from popir.ir import AttributeSpec, Tensor
from popir.ir.attributes import unknown_attribute
from popir.onnxio import exporter, proto, replication, schemas, wire
from popir.onnxio.external import points_to, write_external
from popir.onnxio.limits import MAX_MESSAGES
from popir.onnxio.load import ModelInFolder, Source, embed, load
from popir.onnxio.proto import GraphProto, ModelProto, TensorProto, TypeProto
from popir.onnxio.serialised import InMemory
from popir.onnxio.tensors import TensorReader
from popir.options.annotations import CHECKPOINT, RECOMPUTE
from popir.replicas import VariableSettings
from popir.typed import shown, typed
from popir.types import FLOAT8, DataType, TensorInfo

_OPSET_NAME = re.compile(r"ai(Onnx|OnnxMl|Graphcore)(?:Opset(\d+))?")
_DOMAINS = {"Onnx": "ai.onnx", "OnnxMl": "ai.onnx.ml", "Graphcore": "ai.graphcore"}


@typed
class Builder(Core):
    """Makes an ONNX model, one operator at a time. Tensors are identified by their ids. PopART's
    `Builder`.

    `builder.aiOnnxOpset11.relu([x])` adds an operator of opset 11 and returns the id of its output.
    `builder.aiOnnx` is the opset of the model, 10 if none has been used before;
    `builder.aiGraphcore` has PopART's own operators. All operators of a domain have the same opset:
    naming another one raises OpsetVersionError. `popir.builder.methods` describes the arguments of
    these methods.
    """

    def __init__(
        self, modelProtoOrFilename: Source | None = None, opsets: Mapping[str, int] | None = None
    ) -> None:
        """Starts with an empty model, or with a copy of a model: bytes, a ModelProto or a file
        name.

        `opsets` sets the opset of domains. Raises ModelError for a model that cannot be read,
        OpsetVersionError for an unknown opset.
        """
        super().__init__()
        self._inference = Inference(self._model, lambda id: None)
        self._raw: dict[str, memoryview] = {}
        """The bytes of large initializers, which `_model` lacks."""
        self._replicas = 0
        """The number of replicas that `embedReplicationFactor` gave; 0 if it is not known."""
        self._folder: Path | None = None
        """The folder of the model's external data, if it has any."""
        self._open: dict[str, TypeProto.Tensor] = {}
        """Types of tensors of a loaded model that have dimensions which it leaves open."""
        if modelProtoOrFilename is not None:
            self._load(modelProtoOrFilename)
        for domain, version in (opsets or {}).items():
            self._opsets.pin(domain, version)

    def _load(self, source: Source) -> None:
        loaded = load(source)
        self._model.CopyFrom(loaded.model)
        graph = embed(self._model, loaded.folder).graph
        for item in self._model.opset_import:
            self._opsets.pin(item.domain or "ai.onnx", item.version)
        for tensor in graph.initializer:
            self._declare(tensor.name, DataType.of(tensor.data_type))
        for value in graph.input:
            self._inputs.append(value.name)
            code = value.type.tensor_type.elem_type
            self._declare(value.name, DataType.of(code) if code else None)
        for node in graph.node:
            for id in node.output:
                self._nodes[id] = node
                self._declare(id, None)
        for value in (*graph.input, *graph.output, *graph.value_info):
            kind = value.type.tensor_type
            if not all(dim.HasField("dim_value") for dim in kind.shape.dim):
                self._open[value.name] = kind

    def createSubgraphBuilder(self) -> Builder:
        """A builder of a subgraph: a branch of an If, the body of a Loop.

        It can use the tensors of this builder. Ids are unique in both. The result is the value of
        the node's graph attribute.
        """
        child = Builder()
        child._parent = self
        child._opsets = self._opsets
        child._taken = self._taken
        child._inference = Inference(child._model, self._tensor)
        child.setGraphName(f"{self._model.graph.name}/subgraph")
        return child

    # Domains and operators.

    def __getattr__(self, name: str) -> Opset:
        match = _OPSET_NAME.fullmatch(name)
        if match is None:
            near = did_you_mean(name, dir(self))
            raise AttributeError(f"Builder has no '{name}'.{near}", name=name, obj=None)
        domain = _DOMAINS[match[1]]
        return opset(self, domain, self._opsets.pin(domain, int(match[2]) if match[2] else None))

    def __dir__(self) -> list[str]:
        opsets = range(schemas.OLDEST_OPSET, schemas.NEWEST_OPSET + 1)
        made = ["aiOnnx", "aiOnnxMl", "aiGraphcore", "aiGraphcoreOpset1", "aiOnnxMlOpset1"]
        return sorted([*super().__dir__(), *made, *(f"aiOnnxOpset{n}" for n in opsets)])

    def customOp(
        self,
        opName: str,
        opVersion: int,
        domain: str,
        inputs: Sequence[str],
        attributes: Mapping[str, Any] | None = None,
        numOutputs: int = 1,
        name: Any = "",
    ) -> list[str]:
        """Adds an operator by its identifier, and returns the ids of its outputs.

        Args:
            opName, opVersion, domain: the identifier. In ONNX's domains, `opVersion` must be the
                operator's version at the model's opset, which is not changed. In other domains, the
                model's opset is raised if necessary. The domain "" is ai.onnx.
            inputs: ids; "" for an input that is left out.
            attributes: by name: int, float, str, ndarray, a list of one of these, or the Builder of
                a subgraph.
            numOutputs: the number of outputs.
            name: the name of the node, or a debug context.

        Raises OpsetVersionError, OperatorInputError or OperatorAttributeError.
        """
        domain = domain or "ai.onnx"
        schema = self._opsets.custom(domain, opName, opVersion)
        specs = schema.attributes if schema else {}
        given = attributes or {}
        if schema and not self._opsets.shadowed(domain, opName):
            _check_names(opName, specs, given, self._opsets.tolerated(domain, opName))
        typed = {key: (specs[key].kind if key in specs else None, given[key]) for key in given}
        return self.addNode(domain, opName, inputs, numOutputs, typed, name, schema)

    def checkpointOutput(self, nodeOutputNames: Iterable[str]) -> list[str]:
        """Marks tensors not to be recomputed in the backward pass, by an Identity behind each.
        Returns the ids of the Identities' outputs, to be used instead.
        """
        found: list[str] = []
        for id in nodeOutputNames:
            self._opsets.pin("ai.onnx")
            found += self.addNode("ai.onnx", "Identity", [id], 1, {}, "Checkpoint")
            self.addNodeAttribute(RECOMPUTE, CHECKPOINT, found[-1])
            self.excludePatterns(found[-1], ["PreUniRepl", "PostNRepl"])
        return found

    def reshape_const(
        self, aiOnnx: Opset, args: Sequence[str], shape: Iterable[float], debugContext: str = ""
    ) -> str:
        """Adds a Reshape of one tensor, `args`, to a constant shape, and returns the id of its
        output.

        `aiOnnx` is the opset to use, such as `builder.aiOnnx`. A dimension may be a float of a
        whole value, such as 64.0. Raises popart_exception unless `args` is one id and the
        dimensions are whole and fit 64 bits.
        """
        try:
            sizes = [*shape]
            whole = [int(size) for size in sizes]
            if whole != sizes:
                raise ValueError
            (data,), dims = args, np.array(whole, np.int64)
        except (ValueError, OverflowError):
            raise popart_exception(
                "reshape_const takes the id of one tensor and whole dimensions that fit 64 bits; "
                f"given were {shown(args)} and {shown(shape)}."
            ) from None
        # By name: from opset 14 on, an attribute of Reshape stands where the context stood before.
        new = aiOnnx.constant(dims, debugContext=f"{debugContext}_const")
        return aiOnnx.reshape([data, new], debugContext=debugContext)

    # Inputs and outputs.

    def addInputTensor(
        self,
        tensorInfo: Any = None,
        shape: Any = None,
        settings: Any = None,
        debugContext: Any = "",
        dataType: Any = None,
    ) -> str:
        """Adds an input that the host sends, and returns its id.

        `addInputTensor(info)` with a TensorInfo, or `addInputTensor("INT32", [2])` with a type that
        `DataType.of` accepts; InputSettings, a debug context, or both may follow in both forms. The
        id is the name in the debug context, or "input", with the name scopes around it; if it is
        taken, "/1", "/2", ... follows. Raises popart_exception for an unknown type or a wrong
        shape.
        """
        tensorInfo = dataType if tensorInfo is None else tensorInfo
        more = [settings, debugContext]
        if isinstance(tensorInfo, TensorInfo):
            # addInputTensor(info, debugContext): the second argument is no shape.
            info, more = tensorInfo, [shape, *more]
        else:
            info = TensorInfo(tensorInfo, shape)
        debugContext = _debug_context("addInputTensor", InputSettings, more)
        id = self._declare(self._next_id(name_of(debugContext) or "input"), info.dataType())
        self._model.graph.input.append(proto.value_info(id, info))
        self._inputs.append(id)
        for each in more:
            if isinstance(each, InputSettings):
                if each.replicatedStreamMode() is ReplicatedStreamMode.Broadcast:
                    replication.set_broadcast(self._model, id)
                if each.tileSet() is TileSet.IO:
                    exchange = Exchange("InputSettings", each.tileSet(), each.exchangeStrategy())
                    replication.set_exchange(self._model, id, exchange)
        return id

    def addUntypedInputTensor(self, debugContext: Any = "") -> str:
        """Adds an input of a subgraph, and returns its id. Its type and shape are those of the
        caller's tensor.

        Raises popart_exception for the main graph, where nothing would determine them.
        """
        if self._parent is None:
            raise popart_exception(
                "Can not add untyped tensors to the top-level graph. Nothing says their type and "
                "shape: use Builder.addInputTensor(TensorInfo(...))."
            )
        id = self._declare(self._next_id(name_of(debugContext) or "input"), None)
        self._model.graph.input.append(proto.value_info(id, None))
        self._inputs.append(id)
        return id

    def addInputTensorFromParentGraph(self, tensorId: str) -> None:
        """Makes a tensor of the parent graph an input of this subgraph, with the same id.

        Raises popart_exception if there is no such tensor.
        """
        if self._parent is None or not self._parent._knows(tensorId):
            raise popart_exception(
                f"Failed to add unrecognised Tensor {tensorId} from higher scope: no surrounding "
                f"graph has it."
            )
        self._declare(tensorId, self._parent._kind(tensorId))
        self._model.graph.input.append(proto.value_info(tensorId, None))
        self._inputs.append(tensorId)

    def addInitializedInputTensor(
        self, initVal: Any, variableSettings: Any = None, debugContext: Any = ""
    ) -> str:
        """Adds a weight, a numpy array that gives its value, type and shape; returns its id.

        VariableSettings or a debug context may follow: with several groups of replicas, the first
        dimension of the value is theirs. The id is the name in the debug context, or "init_input",
        as in `addInputTensor`. Raises popart_exception for a value that is no array, or of a type
        that ONNX does not have.
        """
        more = [variableSettings, debugContext]
        debugContext = _debug_context("addInitializedInputTensor", VariableSettings, more)
        if not isinstance(initVal, (np.ndarray, np.generic)):
            raise popart_exception(
                f"addInitializedInputTensor takes a numpy array; given was "
                f"{type(initVal).__name__}."
            )
        value = np.array(initVal, order="C")
        kind = DataType.of(value.dtype)
        value = value.view(kind.numpy) if kind in FLOAT8 else value
        try:
            initializer, raw = proto.apart(value)
        except (NotImplementedError, TypeError, ValueError) as error:
            raise popart_exception(
                f"addInitializedInputTensor cannot put an array of {value.dtype} into a model: "
                f"{error}."
            ) from error
        id = self._declare(self._next_id(name_of(debugContext) or "init_input"), kind)
        initializer.name = id
        self._model.graph.initializer.append(initializer)
        self._inference.values[id] = value
        if raw is not None:
            self._raw[id] = raw
        if isinstance(variableSettings, VariableSettings) and not variableSettings.isDefault():
            replication.set_settings(self._model, id, variableSettings)
            if self._replicas and variableSettings.getGroupCount(self._replicas) > 1:
                self._inference.values[id] = value[0]
        self._inputs.append(id)
        return id

    def addOutputTensor(self, outputName: str) -> None:
        """Makes a tensor an output of the model; type and shape are inferred. Raises
        popart_exception if there is no such tensor.
        """
        if not self._knows(outputName):
            near = did_you_mean(outputName, self._kinds)
            raise popart_exception(f"Unknown tensor '{outputName}' cannot be an output.{near}")
        self._model.graph.output.append(proto.value_info(outputName, None))

    # The model.

    def getModelProto(self) -> bytes:
        """The model as a serialised onnx.ModelProto, with the types and shapes of the outputs where
        they can be inferred.

        If weights were saved externally, the result is a ModelInFolder, which has their folder.
        """
        model = ModelProto()
        model.CopyFrom(self._model)
        self._declare_outputs(model.graph)
        self._opsets.pin("ai.onnx")
        data = wire.whole(proto.finish(model, self._opsets.versions), self._raw)
        self._share(data)
        return data if self._folder is None else ModelInFolder(data, self._folder)

    def saveModelProto(self, filename: str | os.PathLike[str]) -> None:
        """Writes the model to a file, atomically.

        Raises ModelError if that fails, or if the model's external data are in another folder.
        """
        folder = require_path("Builder.saveModelProto", filename).resolve().parent
        if self._folder is not None and folder != self._folder:
            raise ModelError(
                f"The model has data in the folder {self._folder}, and cannot be saved in "
                f"{folder}: a model finds its data in its own folder only."
            )
        exporter.save(self.getModelProto(), filename)

    def saveInitializersExternally(
        self, ids: Iterable[str], filename: str | os.PathLike[str]
    ) -> None:
        """Moves the values of initialized inputs to a data file. The model may then exceed
        protobuf's 2 GiB.

        The model must be saved in the folder of that file. Raises popart_exception for an id that
        is no initialized input or has been saved already; ModelError if the file cannot be written,
        or is not in or below the folder of the earlier files.
        """
        initializers = {tensor.name: tensor for tensor in self._model.graph.initializer}
        chosen = list(dict.fromkeys(ids))
        for id in chosen:
            if id not in initializers:
                near = did_you_mean(id, initializers)
                raise popart_exception(f"'{id}' is no initialized input of the model.{near}")
            if initializers[id].data_location == TensorProto.EXTERNAL:
                raise popart_exception(f"The value of '{id}' is in a file already.")
            if initializers[id].data_type == TensorProto.STRING:
                raise popart_exception(f"The strings of '{id}' cannot lie outside of the model.")
        reader = TensorReader(values=self._raw)
        values = {id: reader.initializer(initializers[id]) for id in chosen}
        path = require_path("Builder.saveInitializersExternally", filename).absolute()
        folder = self._folder or path.resolve().parent
        places = write_external(values, folder / "model", path)
        self._folder = folder
        for id, place in places.items():
            self._inference.values[id] = values[id]
            self._raw.pop(id, None)
            points_to(initializers[id], place)

    def _share(self, data: bytes) -> None:
        """Lets the values of large initializers lie in `data`, the serialised model, alone."""
        _, places = wire.apart(InMemory(data), MAX_MESSAGES) or (data, {})
        for id in self._raw.keys() & places.keys():
            begin, end = places[id]
            self._raw[id] = memoryview(data)[begin:end]
            self._inference.lies_in(self._raw[id], id)

    def subgraph(self) -> GraphProto:
        """A copy of the graph, with types and shapes of its outputs where they are known."""
        graph = GraphProto()
        graph.CopyFrom(self._model.graph)
        for tensor in graph.initializer:
            if tensor.name in self._raw:
                tensor.raw_data = bytes(self._raw[tensor.name])
        self._declare_outputs(graph)
        return graph

    def _declare_outputs(self, graph: GraphProto) -> None:
        for output in graph.output:
            if not output.HasField("type"):
                output.CopyFrom(proto.value_info(output.name, self._info_or_none(output.name)))

    def embedReplicationFactor(self, replicationFactor: int) -> None:
        """Stores the number of replicas in the model's metadata, as PopART does: the shapes of
        weights that are added later, of which groups of replicas have values of their own, are
        then known to the Builder.
        """
        self._replicas = replicationFactor
        replication.set_factor(self._model, replicationFactor)

    def setGraphName(self, name: str) -> None:
        """Sets the name of the graph. Raises popart_exception for text that is no Unicode."""
        check_text(name)
        self._model.graph.name = name

    # Contents of the model.

    def getInputTensorIds(self) -> list[str]:
        """The ids of inputs and initialized inputs, in the order in which they were added."""
        return self._ids(self._inputs)

    def getOutputTensorIds(self) -> list[str]:
        """The ids of the outputs, in order."""
        return self._ids(value.name for value in self._model.graph.output)

    def getValueTensorIds(self) -> list[str]:
        """The ids of all tensors that operators compute, in order."""
        return self._ids(id for node in self._model.graph.node for id in node.output if id)

    def getTrainableTensorIds(self) -> list[str]:
        """The ids of the initialized inputs, in order, whether a session would train them
        or not.
        """
        return self._ids(tensor.name for tensor in self._model.graph.initializer)

    def isInitializer(self, id: str) -> bool:
        """Whether the tensor is an initialized input."""
        return any(tensor.name == id for tensor in self._model.graph.initializer)

    def getTensorShape(self, id: str) -> list[int]:
        """The shape of a tensor; 0 for a dimension that a loaded model leaves open, as in PopART.
        Raises popart_exception if it cannot be inferred.
        """
        if id in self._open:
            return [dim.dim_value for dim in self._open[id].shape.dim]
        return self._info(id).shape()

    def getTensorDtypeString(self, id: str) -> str:
        """numpy's name of a tensor's element type, such as "float32". Raises popart_exception if it
        cannot be inferred.
        """
        kind = self._kind(id)
        if kind is None and id in self._open and self._open[id].elem_type:
            kind = DataType.of(self._open[id].elem_type)
        return (kind or self._info(id).dataType()).lcase

    def _info(self, id: str) -> TensorInfo:
        if not self._knows(id):
            raise popart_exception(
                f"{id} is not a known tensor of the model.{did_you_mean(id, self._kinds)}"
            )
        return self._inference.info(id, self._opsets.versions)

    def _info_or_none(self, id: str) -> TensorInfo | None:
        try:
            return self._info(id)
        except popart_exception:
            return None  # Compiling the model will raise the error with its reason.

    def _tensor(self, id: str) -> Tensor | None:
        return self._inference.tensor(id, self._opsets.versions)

    def _changed(self, name: str) -> None:
        if not name.startswith("__"):
            self._inference.restart()


def _debug_context(who: str, settings: type, given: Iterable[Any]) -> Any:
    """The debug context among arguments that may be settings, a debug context, or left out."""
    contexts = [each for each in given if each is not None and not isinstance(each, settings)]
    contexts = [each for each in contexts if not isinstance(each, str) or each]
    if len(contexts) > 1:
        raise popart_exception(
            f"{who} takes {settings.__name__} and a debug context; given were "
            f"{', '.join(map(shown, contexts))}."
        )
    return contexts[0] if contexts else ""


def _check_names(
    who: str,
    specs: Mapping[str, AttributeSpec],
    given: Mapping[str, Any],
    tolerated: Collection[str],
) -> None:
    for name, value in given.items():
        if name not in specs and name not in tolerated and not name.startswith("__"):
            raise unknown_attribute(who, name, value, specs)
    for name, spec in specs.items():
        if spec.required and name not in given:
            raise OperatorAttributeError(
                f"{who}: the attribute '{name}' is required, and was not given."
            )
