"""The importer: converts an ONNX model to a Graph. Long, because one class knows all of a graph as
it grows: its tensors, functions, subgraphs and annotations.
"""

from __future__ import annotations

import graphlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    ValueInfoProto,
)

from popir import definitions, host, registry
from popir.adding import add_op, check_info
from popir.definitions import Formals, kinds, mixes, narrow_index, widens
from popir.errors import (
    LeavesDeviceError,
    ModelError,
    OperatorAttributeError,
    OperatorInputError,
    OpsetVersionError,
    UnknownOperatorError,
    did_you_mean,
    popart_exception,
)
from popir.ir import Graph, Op, OperatorIdentifier, Tensor, TensorType
from popir.ir.integers import bounds_of
from popir.onnxio import bodies, replication, schemas
from popir.onnxio.alike import AlikeNodes
from popir.onnxio.attributes import to_python
from popir.onnxio.dialects import meant
from popir.onnxio.limits import subgraphs
from popir.onnxio.load import Source, load_apart
from popir.onnxio.origin import origin_of
from popir.onnxio.proto import who as _who
from popir.onnxio.ragged import RaggedValues
from popir.onnxio.sequences import Sequences
from popir.onnxio.subgraphs import Subgraph, differentiated, reads, rename_read
from popir.onnxio.tensors import TensorReader
from popir.onnxio.unrolled import unroll, unrolls
from popir.options.annotations import PLACES
from popir.options.session import SessionOptions
from popir.replicas import Shared, VariableSettings
from popir.reserved import weight_of_state
from popir.typed import typed
from popir.types import TRAINABLE, DataType, TensorInfo

STRING = DataType.STRING.onnx


def import_model(
    source: Source,
    inputShapeInfo: Mapping[str, TensorInfo] | None = None,
    nodes: Sequence[NodeProto] | None = None,
    differentiated: Collection[str] = (),
    options: SessionOptions | None = None,
) -> Graph:
    """Imports an ONNX model as a graph with types and shapes of all tensors.

    Graph inputs become Streams, Constant nodes Consts. Initializers become Variables; or Consts, if
    their type is not trainable or all readers need the value at compile time (`Op.constantInputs`).

    Args:
        source: a path, the bytes of a model, a ModelProto, or what `load` returned.
        inputShapeInfo: types and shapes of graph inputs, for those that the model leaves open.
        nodes: nodes to import instead of the model's own.
        differentiated: ids of tensors whose gradients are asked for. What depends on them is not
            computed beforehand, even if they are constants.
        options: those of the session, which say how many replicas there are.

    Raises ModelError for a malformed model, OpsetVersionError for an opset that popir does not
    read, and the errors of `registry.createOp` and of the operators' `setup()`.
    """
    loaded = load_apart(source)
    model = loaded.model
    graph = Graph(model.graph.name)
    graph.opsets = opsets(model)
    graph.differentiated = frozenset(differentiated)
    graph.session_options = options
    graph.replicas = options.getGlobalReplicationFactor() if options is not None else 1
    graph.origin = origin_of(model)
    importer = GraphImporter(
        graph, TensorReader(loaded.folder, loaded.values), written(model.graph, graph.opsets)
    )
    initializers = {tensor.name for tensor in model.graph.initializer}
    initializers |= {tensor.values.name for tensor in model.graph.sparse_initializer}
    for value in model.graph.input:
        if value.name not in initializers:
            importer.add_input(value, inputShapeInfo or {})
    settings = replication.settings_of(model)
    for tensor in model.graph.initializer:
        data = importer.reader.initializer(tensor)
        found = settings.get(tensor.name) or settings.get(weight_of_state(tensor.name) or "")
        if found is not None:
            graph.variable_settings[tensor.name] = found
            data = _shared(graph, tensor.name, found, data)
        importer.add_initializer(tensor.name, data)
    importer.reader.forget_initializers()  # the importer is all cycles, and stays for a while
    graph.broadcast = replication.broadcast_of(model)
    graph.exchanges = replication.exchanges_of(model)
    for tensor in model.graph.sparse_initializer:
        importer.add_initializer(tensor.values.name, importer.reader.dense(tensor))
    for node in in_order(model.graph.node if nodes is None else nodes, graph.tensors):
        importer.addNode(node)
    for value in model.graph.output:
        if importer.sequences.has(value.name):
            raise LeavesDeviceError(
                f"The model's output '{value.name}' is a sequence, which a device program does not "
                "hold."
            )
        if importer.ragged.has(value.name):
            raise importer.ragged.refusal(value.name)
        if not graph.hasTensor(value.name):
            near = did_you_mean(value.name, graph.tensors)
            raise ModelError(f"The model's output '{value.name}' is no tensor of it.{near}")
        graph.outputs.append(value.name)
    importer.finish()
    return graph


def _shared(graph: Graph, id: str, settings: VariableSettings, data: Any) -> Any:
    """The initial value that the first replica has of a weight, of which groups of replicas may
    have values of their own. Raises popart_exception if these do not divide the replicas, and if
    the first dimension is not that of the groups.
    """
    grouping = settings.getReplicaGrouping(graph.replicas)
    if settings.isDefault() or graph.replicas == 1:
        return data
    settings.shapeOnReplica(data.shape, graph.replicas, id)  # checks it
    shared = Shared(grouping, settings.getRetrievalMode(), data)
    graph.shared[id] = shared if weight_of_state(id) is None else shared.like(data)
    return data if grouping.getNumGroups() == 1 else np.array(data[0])


class GraphImporter:
    """Adds parts of an ONNX graph to a `Graph`. Producers must be added before their readers."""

    def __init__(
        self,
        graph: Graph,
        reader: TensorReader | None = None,
        variables: Collection[str] = (),
        parent: GraphImporter | None = None,
    ) -> None:
        """`reader` reads tensors in attributes. `variables` are the initializers that operators
        write. `parent` is the importer of the graph around this one, for a subgraph.
        """
        self.graph = graph
        self.captured: dict[str, Tensor] = {}
        """The tensors of the graph around this one that it reads, by their ids here."""
        self._parent = parent
        self._names: dict[str, str] = {}
        """The ids here of what it reads from the graphs around it, by their ids there."""
        self._variables = variables
        self.reader = reader or TensorReader()
        self.sequences = Sequences(graph)
        self.ragged = RaggedValues(self)
        self._alike = AlikeNodes(graph)
        self.opsets: Mapping[str, int] = graph.opsets
        """The opset of each domain for the nodes being added: the model's, or a function body's."""
        self._is_body = False
        """Whether the nodes being added are those of a function that defines an operator."""

    def add_input(self, value: ValueInfoProto, inputShapeInfo: Mapping[str, TensorInfo]) -> None:
        """Adds a graph input as a Stream. Raises ModelError if its type or shape is not known."""
        self._check_new(value.name, "a graph input")
        _check_held(value)
        info = inputShapeInfo.get(value.name) or _info(value)
        check_info(f"The graph input '{value.name}'", info)
        self.graph.addStream(value.name, info)

    def add_initializer(self, id: str, data: Any) -> None:
        """Adds an initializer: a Variable if its type is trainable or an operator writes it, else a
        Const.

        Raises ModelError if a tensor of that id exists.
        """
        self._check_new(id, "an initializer")
        if id in self._variables or DataType.of(data.dtype) in TRAINABLE:
            self.graph.addVarInit(id, data)
        else:
            self.graph.addConstInit(id, data)

    def addNode(self, node: NodeProto) -> Op | None:
        """Adds the operator of a node, connects it and infers its shapes.

        Returns None if the node becomes a constant (see `popir.ir.folding`) or only handles
        sequences. Raises ModelError for a malformed node, and the errors of `registry.createOp` and
        `setup()`.
        """
        if self._parent is not None:
            node = self._with_captures(node)
        key = None if self._is_body else self._alike.key(node)
        if key is not None and (op := self._alike.repeated(key, node)) is not None:
            return op
        op = self._add_anew(node)
        if key is not None and op is not None:
            self._alike.keep(key, node, op)
        return op

    def _add_anew(self, node: NodeProto) -> Op | None:
        """As `addNode`, for a node that is like none before."""
        if self.ragged.follow(node):
            return None
        if unrolls(self, node):
            unroll(self, node)
            return None
        plain = self.sequences.rewritten(node)
        if plain is not None:
            for each in plain:
                self.addNode(each)
            return None
        tensors = self.graph.tensors
        for id in node.output:
            if id in tensors:
                self._check_new(id, _who(node))
        for id in node.input:
            if id and id not in tensors:
                self._refuse_ragged(id)
                near = did_you_mean(id, tensors)
                raise ModelError(
                    f"{_who(node)} reads '{id}', which is no tensor of the model.{near}"
                )
        try:
            attributes = {item.name: to_python(item, self.reader) for item in node.attribute}
        except ModelError as error:
            raise ModelError(f"{_who(node)}: {error}") from error
        if node.op_type == "Constant" and node.domain in ("", "ai.onnx"):
            return self._add_constant(_who(node), node, attributes)
        before = next(reversed(self.graph.ops), -1)
        try:
            return self._add_op(node, attributes)
        except LeavesDeviceError as error:
            if not self.graph.keeps_ragged:
                raise
            self._undo(node, before)
            if not self.ragged.begin(node, error):
                raise
            return None

    def _undo(self, node: NodeProto, before: int) -> None:
        """Removes what a node has added that could not be added as a whole, after the operator
        `before`.
        """
        graph = self.graph
        while graph.ops and (last := next(reversed(graph.ops))) != before:
            graph.eraseOp(last)
        for id in filter(None, node.output):
            if id in graph.tensors:
                graph.removeTensor(id)

    def _refuse_ragged(self, id: str) -> None:
        """Raises LeavesDeviceError for a ragged tensor of this graph, or of one around it."""
        importer: GraphImporter | None = self
        while importer is not None:
            if importer.ragged.has(id):
                raise importer.ragged.refusal(id)
            importer = importer._parent

    def _add_constant(self, who: str, node: NodeProto, attributes: dict[str, Any]) -> None:
        if len(node.output) != 1 or not node.output[0] or node.input:
            raise ModelError(
                f"{who} has {len(node.input)} inputs and the outputs {list(node.output)}; a "
                f"Constant has no input and one output."
            )
        if "sparse_value" in attributes:
            attributes["value"] = self.reader.dense(attributes["sparse_value"], who)
        self.graph.addConstInit(node.output[0], _constant(who, attributes))

    def _add_op(self, node: NodeProto, attributes: dict[str, Any]) -> Op | None:
        graph = self.graph
        domain, type = node.domain or "ai.onnx", node.op_type
        opset = self.opsets.get(domain)
        if opset is None:
            raise ModelError(
                f"{_who(node)}: the model's opset_import has no version of the domain {domain}; it "
                f"has {', '.join(f'{name} {version}' for name, version in self.opsets.items())}."
            )
        domain, opset = meant(domain, type, opset)
        settings = Op.Settings(graph, node.name)
        if attributes:
            notes = [name for name in attributes if name.startswith("__")]
            settings.nodeAttributes.update({name: attributes.pop(name) for name in notes})
            if any(each.type == AttributeProto.GRAPH for each in node.attribute):
                self._wrap(_who(node), domain, type, opset, attributes)
        inputs = [graph.tensors[id] if id else None for id in node.input]
        _check_numbers(node, inputs)
        inputs = self._as_declared(node, self._converted(node, opset, inputs))
        index = None if self._is_body else narrow_index(domain, type)
        if index is not None and len(node.output) > index and node.output[index]:
            self._add_narrow(node, index, opset, settings, attributes, inputs)
            return None
        try:
            return add_op(domain, type, opset, settings, attributes, inputs, list(node.output))
        except UnknownOperatorError as error:
            function = bodies.body(node, opset, [t and t.info for t in inputs])
            if function is None:
                raise self._unknown(_who(node), domain, type, opset, error) from error
            self._check_body(node, opset, attributes, inputs)
            try:
                self._add_body(node, function, bodies.is_typed(domain, type, opset))
            except LeavesDeviceError:
                raise
            except (OperatorInputError, OperatorAttributeError) as inner:
                raise inner.__class__(
                    f"{_who(node)}: in the function that ONNX defines it by: {inner}"
                ) from inner
            return None

    def _add_narrow(
        self,
        node: NodeProto,
        index: int,
        opset: int,
        settings: Op.Settings,
        attributes: Mapping[str, Any],
        inputs: Sequence[Tensor | None],
    ) -> None:
        """Adds an operator, and the conversion of output `index` to INT32."""
        graph, outputs = self.graph, list(node.output)
        outputs[index] = wide = graph.uniqueId(f"{node.output[index]}/wide")
        add_op("ai.onnx", node.op_type, opset, settings, attributes, inputs, outputs)
        narrow = Op.Settings(graph, f"{node.name or node.op_type}/Cast")
        narrow.nodeAttributes.update(self._notes(node))
        to, source = {"to": DataType.INT32.onnx}, [graph.tensors[wide]]
        add_op("ai.onnx", "Cast", 13, narrow, to, source, [node.output[index]])

    def _check_body(
        self,
        node: NodeProto,
        opset: int,
        attributes: Mapping[str, Any],
        inputs: Sequence[Tensor | None],
    ) -> None:
        """Checks the arguments of an operator that a function defines, as `createOp` does those of
        others. Raises OperatorInputError or OperatorAttributeError.
        """
        schema = schemas.find(node.domain, node.op_type, opset)
        definition = schema and schemas.definition(schema.opid)
        if schema is None or definition is None:
            return
        who, infos = _who(node), [tensor and tensor.info for tensor in inputs]
        given = [t and (t.id, t.info and t.info.dataType()) for t in inputs]
        definitions.check(who, definition, attributes, given, len(node.output), infos)
        for name, value in attributes.items():
            schema.attributes[name].coerce(who, value)
        for name, spec in schema.attributes.items():
            if spec.required and name not in attributes:
                raise OperatorAttributeError(
                    f"{who}: the attribute '{name}' is required, and was not given."
                )

    def _unknown(
        self, who: str, domain: str, type: str, opset: int, error: UnknownOperatorError
    ) -> Exception:
        """The error for an operator that no device program can have."""
        entry = host.find(domain, type, opset)
        if entry is None:
            return UnknownOperatorError(f"{who}: {error}")
        return LeavesDeviceError(
            f"{who} runs on the host ({entry.reason}), and a session is one program of a device. "
            "popir.backend.prepare and popir run run such a model in segments."
        )

    def _converted(
        self, node: NodeProto, opset: int, inputs: list[Tensor | None]
    ) -> list[Tensor | None]:
        """The inputs of a node, those cast that have a type which only a conversion fits: see
        `Formal.conversion`, `definitions.mixes` and `definitions.widens`.
        """
        schema = schemas.find(node.domain, node.op_type, opset)
        if schema is None or not schema.inputs or len(inputs) < schema.inputs.least:
            return inputs
        given = kinds(inputs), definitions.has_narrow_indices
        if given in schema.inputs.unconverted and not self._is_body:
            return inputs
        halves: dict[str, DataType] = {}
        wide: set[str] = set()
        found = list(inputs)
        for i, tensor in enumerate(inputs):
            if tensor is None or tensor.info is None:
                continue
            formal, kind = schema.inputs.at(i), tensor.info.dataType()
            to = formal.conversion(kind)
            if to is not None:
                found[i] = self._cast(node, i, tensor, to)
            if formal.constraint and mixes(kind, DataType.FLOAT):
                halves[formal.constraint] = kind
            if formal.constraint and kind is DataType.INT64:
                wide.add(formal.constraint)
        for i, tensor in enumerate(inputs):
            if tensor is None or tensor.info is None:
                continue
            formal, info = schema.inputs.at(i), tensor.info
            half = halves.get(formal.constraint)
            if half and mixes(half, info.dataType()) and info.nelms() == 1 and formal.converts:
                found[i] = self._cast(node, i, tensor, half)
            is_wide = formal.constraint in wide and formal.converts
            if is_wide and widens(info.dataType(), DataType.INT64):
                found[i] = self._cast(node, i, tensor, DataType.INT64)
        if found == inputs and not halves:
            schema.inputs.unconverted.add(given)
        return self._in_double(node, schema.inputs, found) if self._is_body else found

    def _in_double(
        self, node: NodeProto, formals: Formals, inputs: list[Tensor | None]
    ) -> list[Tensor | None]:
        """The inputs of a node of a function, with FLOAT constants that meet DOUBLE under one
        constraint as DOUBLE: ONNX writes its functions of any type with such constants.
        """
        kinds = [tensor and tensor.info and tensor.info.dataType() for tensor in inputs]
        names = [formals.at(i).constraint for i in range(len(inputs))]
        pairs = zip(names, kinds, strict=True)
        doubles = {name for name, kind in pairs if name and kind is DataType.DOUBLE}
        found = list(inputs)
        for i, tensor in enumerate(inputs):
            is_known = kinds[i] is DataType.FLOAT and names[i] in doubles
            if tensor is not None and tensor.isConst() and is_known:
                found[i] = self._cast(node, i, tensor, DataType.DOUBLE)
        return found

    def _cast(self, node: NodeProto, i: int, tensor: Tensor, to: DataType) -> Tensor:
        id = self.graph.uniqueId(f"{next(filter(None, node.output), node.name)}/Cast:{i}")
        settings = Op.Settings(self.graph, f"{node.name or node.op_type}/Cast:{i}")
        settings.nodeAttributes.update(self._notes(node))
        cast = add_op("ai.onnx", "Cast", 13, settings, {"to": to.onnx}, [tensor], [id])
        if cast is not None:
            cast.is_conversion = to.is_integer
        return self.graph.tensors[id]

    def _as_declared(self, node: NodeProto, inputs: list[Tensor | None]) -> list[Tensor | None]:
        """The inputs of a Loop or Scan, as INT64 where they are INT32 and its body declares that:
        see `definitions.widens`.
        """
        is_known = node.domain in ("", "ai.onnx") and node.op_type in ("Loop", "Scan")
        if not definitions.has_narrow_indices or not is_known:
            return inputs
        found = list(inputs)
        for body in subgraphs(node):
            first = max(0, len(inputs) - len(body.input))  # Scan's version 8 has another input.
            pairs = zip(range(first, len(inputs)), body.input, strict=False)
            for i, value in pairs:
                tensor = found[i]
                if tensor is not None and _is_widened(tensor, value):
                    found[i] = self._cast(node, i, tensor, DataType.INT64)
        return found

    def output_as_declared(self, tensor: Tensor, value: ValueInfoProto) -> Tensor:
        """The output of a subgraph, as INT64 where it is INT32 and the subgraph declares that: see
        `definitions.widens`.
        """
        if not _is_widened(tensor, value):
            return tensor
        settings = Op.Settings(self.graph, f"{tensor.id}/Cast")
        if tensor.producer is not None:
            notes = tensor.producer.settings.nodeAttributes
            settings.nodeAttributes.update({key: notes[key] for key in PLACES if key in notes})
        id = self.graph.uniqueId(f"{tensor.id}/Cast")
        add_op("ai.onnx", "Cast", 13, settings, {"to": DataType.INT64.onnx}, [tensor], [id])
        return self.graph.tensors[id]

    def _notes(self, node: NodeProto) -> dict[str, Any]:
        """What the builder has noted of where and when a node runs: what is made for it has the
        same.
        """
        noted = [item for item in node.attribute if item.name in PLACES]
        return {item.name: to_python(item, self.reader) for item in noted}

    def _wrap(
        self, who: str, domain: str, type: str, opset: int, attributes: dict[str, Any]
    ) -> None:
        """Wraps the graphs among the attributes of an operator that imports them itself."""
        known = [v for v in registry.versions(domain, type) if v <= opset]
        entry = registry.registered(OperatorIdentifier(domain, type, known[-1])) if known else None
        if entry is not None and entry.opClass.importsSubgraphs:
            for name, value in attributes.items():
                if isinstance(value, GraphProto):
                    attributes[name] = Subgraph(value, self, f"{who}: its {name}")

    def add_nodes(self, nodes: Sequence[NodeProto]) -> None:
        """Adds nodes in topological order. Raises ModelError if they form a cycle."""
        computed = {id for node in nodes for id in node.output}
        known = {id for node in nodes for id in reads(node)} - computed
        for node in in_order(nodes, known):
            self.addNode(node)

    def find(self, id: str) -> Tensor | None:
        """The tensor of that id, of this graph or of one around it; None if there is none.

        A tensor of a graph around becomes an input of this one, or a constant if it is one.
        """
        id = self._names.get(id, id)
        if id in self.graph.tensors or self._parent is None:
            return self.graph.tensors.get(id)
        outer = self._parent.find(id)
        if outer is None or outer.info is None:
            return None
        mine = self._names[id] = self.graph.uniqueId(f"{self.graph.name}/{id}")
        if outer.isConst() and outer.data is not None:
            return self.graph.addConstInit(mine, outer.data)
        self.captured[mine] = outer
        tensor = self.graph.addActGrad(mine)
        tensor.info = outer.info
        if (bounds := bounds_of(outer)) is not None:
            self.graph.ranges[mine] = bounds
        return tensor

    def _with_captures(self, node: NodeProto) -> NodeProto:
        """The node, with the ids here of what it reads from graphs around this one."""
        names: dict[str, str] = {}
        for id in filter(None, [*node.input, *differentiated(node)]):
            if id not in self.graph.tensors and (tensor := self.find(id)) is not None:
                names[id] = tensor.id
        if not names:
            return node
        found = NodeProto()
        found.CopyFrom(node)
        rename_read(found, names)
        return found

    def _add_body(self, node: NodeProto, function: FunctionProto, is_typed: bool) -> None:
        """Adds the nodes of a function that defines the operator of `node`.

        A function that computes with constants of FLOAT, and that is not made for the types of the
        inputs, is computed in FLOAT for the halves, in which a constant such as
        MeanVarianceNormalization's 1e-9 would be 0.
        """
        if is_typed or not bodies.computes_in_float(function):
            self._add_nodes(node, function)
            return
        given = [self.find(id) if id else None for id in node.input]
        kinds = {tensor.info.dataType() for tensor in given if tensor and tensor.info}
        half = next((kind for kind in kinds if mixes(kind, DataType.FLOAT)), None)
        if half is None:
            self._add_nodes(node, function)
            return
        wide = NodeProto()
        wide.CopyFrom(node)
        for i, tensor in enumerate(given):
            if tensor and tensor.info and tensor.info.dataType() is half:
                wide.input[i] = self._cast(node, i, tensor, DataType.FLOAT).id
        for o, id in enumerate(node.output):
            wide.output[o] = self.graph.uniqueId(f"{id}/wide") if id else ""
        self._add_nodes(wide, function)
        for id, made in zip(node.output, wide.output, strict=True):
            if id:
                settings = Op.Settings(self.graph, f"{node.name or node.op_type}/{id}")
                inputs = [self.graph.tensors[made]]
                add_op("ai.onnx", "Cast", 13, settings, {"to": half.onnx}, inputs, [id])

    def _add_nodes(self, node: NodeProto, function: FunctionProto) -> None:
        outer, was_body = self.opsets, self._is_body
        self.opsets, self._is_body = {**outer, **_versions(function.opset_import)}, True
        try:
            self.add_nodes(list(bodies.expanded(node, function, self.graph.uniqueId)))
        finally:
            self.opsets, self._is_body = outer, was_body

    def finish(self) -> None:
        """Turns Variables into Consts if all readers need their value at compile time."""
        for tensor in self.graph.tensors.values():
            if tensor.is_variable() and tensor.uses:
                uses = (
                    i in op.constantInputs
                    for op in tensor.uses
                    for i, read in op.input.items()
                    if read is tensor
                )
                if all(uses):
                    tensor.tensorType = TensorType.Const
                    self.graph.changes += 1

    def _check_new(self, id: str, who: str) -> None:
        if not id:
            raise ModelError(f"The model has {who} without a name.")
        old = self.graph.tensors.get(id)
        if old is not None:
            origin = old.producer.debugName() if old.producer else f"a {old.tensorType.name}"
            raise ModelError(f"{who} defines '{id}', which the model has already ({origin}).")


def _is_widened(tensor: Tensor, declared: ValueInfoProto) -> bool:
    is_wide = declared.type.tensor_type.elem_type == DataType.INT64.onnx
    return is_wide and tensor.info is not None and widens(tensor.info.dataType(), DataType.INT64)


_OF_SHAPES = {"Shape", "Size"}
"""Operators that strings do not matter to."""


def _check_numbers(node: NodeProto, inputs: Sequence[Tensor | None]) -> None:
    """Raises LeavesDeviceError for an operator of ONNX's that reads strings."""
    for tensor in inputs:
        if tensor is None or tensor.info is None:
            continue
        if tensor.info.dataType() is not DataType.STRING or node.op_type in _OF_SHAPES:
            continue
        if (node.domain or "ai.onnx").startswith("ai.onnx"):
            raise LeavesDeviceError(
                f"{_who(node)} reads the strings '{tensor.id}', which a device program does not "
                "hold. popir.backend.prepare and popir run run such a model in segments."
            )


def written(graph: GraphProto, versions: Mapping[str, int]) -> set[str]:
    """The ids of the tensors that operators of the graph write (`Op.variableInputs`), or that
    operators of the graphs write which they call.
    """
    found: set[str] = set()
    inputs: dict[tuple[str, str], frozenset[int]] = {}
    for node in graph.node:
        key = (node.domain, node.op_type)
        if key not in inputs:
            kind = _op_class(*key, versions)
            inputs[key] = kind.variableInputs if kind else frozenset()
        if inputs[key]:
            found.update(node.input[i] for i in inputs[key] if i < len(node.input))
        for inner in subgraphs(node):
            called = zip(inner.input, node.input if node.op_type == "Call" else (), strict=False)
            given = {value.name: id for value, id in called}
            found.update(given.get(id, id) for id in written(inner, versions))
    return found


def _op_class(domain: str, type: str, versions: Mapping[str, int]) -> type[Op] | None:
    domain = domain or "ai.onnx"
    fitting = [v for v in registry.versions(domain, type) if v <= versions.get(domain, 0)]
    entry = registry.registered(OperatorIdentifier(domain, type, fitting[-1])) if fitting else None
    return entry.opClass if entry else None


@typed
class InputShapeInfo(dict[str, TensorInfo]):
    """Types and shapes of graph inputs that the model leaves open, by tensor id. PopART's
    `InputShapeInfo`. A plain dict will do as well.
    """

    def add(self, id: str, info: TensorInfo) -> None:
        """Sets type and shape of the input `id`."""
        self[id] = info

    def has(self, id: str) -> bool:
        """Whether type and shape of `id` have been set."""
        return id in self


def opsets(model: ModelProto) -> dict[str, int]:
    """The opset version of each operator domain of a model.

    Raises ModelError if a domain has two versions, OpsetVersionError for a version of ai.onnx that
    popir does not read.
    """
    found = _versions(model.opset_import)
    version = found.get("ai.onnx", schemas.NEWEST_OPSET)
    if not schemas.OLDEST_OPSET <= version <= schemas.NEWEST_OPSET:
        raise OpsetVersionError(
            f"The model is written in opset {version} of ai.onnx; popir reads "
            f"{schemas.OLDEST_OPSET} to {schemas.NEWEST_OPSET}."
        )
    return found


def _versions(imports: Iterable[OperatorSetIdProto]) -> dict[str, int]:
    """The version of each domain. Raises ModelError if a domain has two."""
    found: dict[str, int] = {}
    for item in imports:
        domain = item.domain or "ai.onnx"
        if found.setdefault(domain, item.version) != item.version:
            raise ModelError(
                f"The model imports two versions of the domain {domain}: {found[domain]} and "
                f"{item.version}."
            )
    return found


def _check_held(value: ValueInfoProto) -> None:
    """Raises LeavesDeviceError for an input that is no tensor of numbers."""
    who = f"The graph input '{value.name}'"
    kind = value.type.WhichOneof("value")
    if kind not in (None, "tensor_type") or value.type.tensor_type.elem_type == STRING:
        words = {"tensor_type": "strings", "optional_type": "an optional value"}
        raise LeavesDeviceError(
            f"{who} is {words.get(str(kind), 'a sequence or map')}, which a device program "
            "does not hold. popir.backend.prepare and popir run run such a model in segments."
        )


def _info(value: ValueInfoProto) -> TensorInfo:
    who = f"The graph input '{value.name}'"
    way_out = "give its TensorInfo by an InputShapeInfo"
    if not value.type.HasField("tensor_type") or not value.type.tensor_type.elem_type:
        raise ModelError(f"{who} has no element type; {way_out}.")
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        raise ModelError(f"{who} has no shape; {way_out}.")
    dims = tensor.shape.dim
    shape = [dim.dim_value for dim in dims if dim.HasField("dim_value")]
    if len(shape) < len(dims):
        names = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param for dim in dims]
        raise ModelError(
            f"{who} has the shape {names}; popir compiles for known dimensions: {way_out}."
        )
    try:
        return TensorInfo(tensor.elem_type, shape)
    except popart_exception as error:
        raise ModelError(f"{who}: {error}") from error


def _constant(who: str, attributes: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The value of a Constant node. ONNX has several alternative attributes for it."""
    for name, (kind, dtype) in _CONSTANTS.items():
        if name in attributes:
            value = attributes[name]
            items = value if isinstance(value, list) and name.endswith("s") else [value]
            if not all(isinstance(item, kind) for item in items):
                raise ModelError(f"{who} has the attribute {name} of a type that does not fit.")
            return np.asarray(value, dtype)
    given = ", ".join(attributes) or "none"
    raise ModelError(f"{who} has no value of a kind that popir reads; it has: {given}.")


_CONSTANTS: dict[str, tuple[type, Any]] = {
    "value": (np.ndarray, None),
    "value_float": (float, np.float32),
    "value_floats": (float, np.float32),
    "value_int": (int, np.int64),
    "value_ints": (int, np.int64),
    "value_string": (str, object),
    "value_strings": (str, object),
}
"""For each of these attributes, the type of its elements in Python and in the array."""


def in_order(nodes: Sequence[NodeProto], known: Iterable[str]) -> Iterable[NodeProto]:
    """The nodes in topological order; unchanged if they are in such an order already.

    Raises ModelError, naming the nodes, if they form a cycle.
    """
    have = {"", *known}  # "" stands for an input left out.
    if all(_ready(node, have) for node in nodes):
        return nodes
    producers = {id: i for i, node in enumerate(nodes) for id in node.output if id}
    waits = {
        i: [producers[id] for id in reads(node) if id in producers] for i, node in enumerate(nodes)
    }
    try:
        return [nodes[i] for i in graphlib.TopologicalSorter(waits).static_order()]
    except graphlib.CycleError as error:
        cycle = [f"'{nodes[i].name}' ({nodes[i].op_type})" for i in error.args[1]]
        raise ModelError(
            f"These nodes wait for each other: {' reads from '.join(cycle)}."
        ) from error


def _ready(node: NodeProto, have: set[str]) -> bool:
    ready = have.issuperset(reads(node) if node.attribute else node.input[:])
    have.update(node.output[:])
    return ready
