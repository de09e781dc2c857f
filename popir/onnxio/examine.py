"""Imports as much of a model as possible, and reports why the other nodes cannot be imported:
`examine`.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field

from onnx import ModelProto, NodeProto

from popir import host, registry
from popir.cached import cached_property
from popir.errors import (
    LeavesDeviceError,
    ModelError,
    UnknownOperatorError,
    WorkLimitError,
    popart_exception,
)
from popir.ir import Graph
from popir.onnxio import bodies, sequences
from popir.onnxio.attributes import to_python
from popir.onnxio.dialects import meant
from popir.onnxio.importer import GraphImporter, in_order, opsets, written
from popir.onnxio.inference import infer
from popir.onnxio.load import Loaded, Source, load
from popir.onnxio.origin import origin_of
from popir.onnxio.tensors import TensorReader
from popir.types import TensorInfo


@dataclass(frozen=True)
class Fault:
    """A reason why a part of a model cannot be imported."""

    node: str
    """The node's name or, if it has none, its first output; "" for a fault that is not in a
    node.
    """
    operator: str
    """Domain and type, such as "ai.onnx.Conv"; "" for a fault that is not in a node."""
    version: int | None
    """The model's opset for the domain."""
    message: str


@dataclass
class Examination:
    """The result of `examine`.

    `graph` has the nodes that could be imported. A tensor that a missing node computes is an
    additional input, if ONNX's shape inference knows its type and shape. A tensor that a missing
    node reads is an additional output.
    """

    graph: Graph
    faults: list[Fault] = field(default_factory=list)
    left: list[Fault] = field(default_factory=list)
    """The nodes that run on the host, or that need a value, when they are compiled, that is
    computed at run time: there the model leaves the device (docs/segments.md).
    """
    unexamined: list[str] = field(default_factory=list)
    """Nodes with known operators that could not be checked, because types or shapes of their inputs
    are unknown.
    """


def examine(source: Source, inputShapeInfo: Mapping[str, TensorInfo] | None = None) -> Examination:
    """Imports a model as `import_model` does, but collects faults instead of raising them.

    Raises ModelError only for data that is not an ONNX model, WorkLimitError for too much work.
    """
    loaded = load(source)
    examiner = _Examiner(loaded, inputShapeInfo or {})
    examiner.add_inputs()
    examiner.add_initializers()
    examiner.add_nodes()
    examiner.check_outputs()
    return examiner.finish()


class _Examiner:
    def __init__(self, loaded: Loaded, infos: Mapping[str, TensorInfo]) -> None:
        self.model = model = loaded.model
        self.infos = infos
        self.graph = Graph(model.graph.name)
        self.graph.origin = origin_of(model)
        self.found = Examination(self.graph)
        self._imported: set[int] = set()
        self._began: dict[LeavesDeviceError, NodeProto] = {}
        """By the error of tensors whose size only the run knows: the node that they begin with."""
        try:
            self.graph.opsets = opsets(model)
        except popart_exception as error:
            self.fault(error)
            self.graph.opsets = {
                each.domain or "ai.onnx": each.version for each in model.opset_import
            }
        reader = TensorReader(loaded.folder)
        self.importer = GraphImporter(self.graph, reader, written(model.graph, self.graph.opsets))

    def fault(self, error: Exception, node: NodeProto | None = None) -> None:
        """Records an error, of a node or of the model as a whole."""
        faults = self.found.left if isinstance(error, LeavesDeviceError) else self.found.faults
        text = (
            str(error)
            if isinstance(error, popart_exception)
            else f"{type(error).__name__}: {error}"
        )
        if node is None:
            faults.append(Fault("", "", None, text))
            return
        domain = node.domain or "ai.onnx"
        version = self.graph.opsets.get(domain)
        faults.append(Fault(_name(node), f"{domain}.{node.op_type}", version, text))

    def add_inputs(self) -> None:
        """Adds the graph inputs with known type and shape."""
        proto = self.model.graph
        initialized = {tensor.name for tensor in proto.initializer}
        initialized |= {tensor.values.name for tensor in proto.sparse_initializer}
        for value in proto.input:
            if value.name not in initialized:
                with self._noted():
                    self.importer.add_input(value, self.infos)

    def add_initializers(self) -> None:
        """Adds the initializers that can be read."""
        importer, reader = self.importer, self.importer.reader
        for tensor in self.model.graph.initializer:
            with self._noted():
                importer.add_initializer(tensor.name, reader.array(tensor))
        for tensor in self.model.graph.sparse_initializer:
            with self._noted():
                importer.add_initializer(tensor.values.name, reader.dense(tensor))

    @contextlib.contextmanager
    def _noted(self) -> Generator[None]:
        try:
            yield
        except popart_exception as error:
            self.fault(error)

    def add_nodes(self) -> None:
        """Adds the nodes that can be imported, and inputs in place of the others' outputs."""
        try:
            nodes = in_order(self.model.graph.node, self.graph.tensors)
        except popart_exception as error:
            self.fault(error)
            return
        for node in nodes:
            if not self._add(node):
                self._stand_in(node)

    def check_outputs(self) -> None:
        """Finds outputs of the model whose size only the run knows."""
        ragged = self.importer.ragged
        for error in [
            ragged.refusal(v.name) for v in self.model.graph.output if ragged.has(v.name)
        ]:
            self._leaves(error, self._began[error])

    def _add(self, node: NodeProto) -> bool:
        lost = [id for id in node.input if id and not self._has(id)]
        try:
            if node.op_type != "Constant":  # The importer handles Constant without the registry.
                self._check_known(node)
            if lost:
                self.found.unexamined.append(_name(node))
                return False
            self.importer.addNode(node)
        except WorkLimitError:
            raise
        except LeavesDeviceError as error:
            self._leaves(error, node)
            return False
        except Exception as error:  # setup() may be user code, which may raise anything.
            self.fault(error, node)
            return False
        for id in filter(self.importer.ragged.has, node.output):
            self._began.setdefault(self.importer.ragged.refusal(id), node)
        self._imported.update(self._new())
        return True

    def _leaves(self, error: LeavesDeviceError, node: NodeProto) -> None:
        """Records once where a model leaves the device: at the node that the error began with."""
        node = self._began.get(error, node)
        if all(each.message != str(error) for each in self.found.left):
            self.fault(error, node)

    def _has(self, id: str) -> bool:
        kept = (self.importer.sequences, self.importer.ragged)
        return id in self.graph.tensors or any(each.has(id) for each in kept)

    def _check_known(self, node: NodeProto) -> None:
        domain = node.domain or "ai.onnx"
        if domain not in self.graph.opsets:
            raise UnknownOperatorError(f"The model imports no version of the domain {domain}.")
        domain, opset = meant(domain, node.op_type, self.graph.opsets[domain])
        handled = host.find(domain, node.op_type, opset) or node.op_type in sequences.resolved()
        if not handled and not bodies.has_body(domain, node.op_type, opset):
            if domain in registry.loaders:
                given = {
                    each.name: to_python(each, self.importer.reader) for each in node.attribute
                }
                registry.load_for(domain, node.op_type, given)
            registry.find(domain, node.op_type, opset)

    def _new(self) -> Iterable[int]:
        """The ids of the operators that the last imported node has added."""
        return itertools.takewhile(lambda id: id not in self._imported, reversed(self.graph.ops))

    def _stand_in(self, node: NodeProto) -> None:
        """Removes what a failed node has added, makes its inputs graph outputs, and its outputs
        graph inputs.
        """
        graph = self.graph
        for id in list(self._new()):
            graph.eraseOp(id)
        kept = [id for id in node.input if id in graph.tensors and id not in graph.outputs]
        graph.outputs.extend(kept)
        for id in filter(None, node.output):
            if id in graph.tensors:
                graph.removeTensor(id)
            if id in self._inferred:
                graph.addStream(id, self._inferred[id])

    @cached_property
    def _inferred(self) -> dict[str, TensorInfo]:
        """Types and shapes by ONNX's own shape inference, as far as it knows them. Computed at the
        first use.
        """
        model = ModelProto()
        model.CopyFrom(self.model)
        for value in model.graph.input:
            if value.name in self.infos:
                dims = value.type.tensor_type.shape.dim
                del dims[:]
                for n in self.infos[value.name].shape():
                    dims.add(dim_value=n)
        return infer(model)

    def finish(self) -> Examination:
        """Adds the model's outputs that exist, and returns the result."""
        graph = self.model.graph
        named = {id for node in graph.node for id in node.output}
        named |= {each.name for each in (*graph.input, *graph.initializer)}
        for value in graph.output:
            if value.name in self.graph.tensors:
                if value.name not in self.graph.outputs:
                    self.graph.outputs.append(value.name)
            elif value.name not in named:
                self.fault(ModelError(f"The model's output '{value.name}' is no tensor of it."))
        self.importer.finish()
        return self.found


def _name(node: NodeProto) -> str:
    return node.name or next(filter(None, node.output), node.op_type)
