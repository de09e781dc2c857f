"""Function bodies of ONNX's operators: the nodes that compute an operator without a kernel.

ONNX defines some operators, such as Swish, by a function of other operators. `expanded`
gives the nodes of that function for one node of a model; the importer adds them in its place, so
that their gradients and costs are those of what they consist of. The function may depend on the
types and shapes of the node's inputs, which the importer knows.

Example: `y = Swish(x)` of opset 24 becomes `y/Alpha = Constant()`, `y/AlphaMulX = Mul(x, ...)`,
`y/SigmoidAlphaMulX = Sigmoid(...)` and `y = Mul(x, y/SigmoidAlphaMulX)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import onnx.defs
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    NodeProto,
    TensorProto,
    TypeProto,
)

from popir.errors import ModelError
from popir.onnxio.proto import value_info
from popir.types import TensorInfo

Infos = Sequence[TensorInfo | None]
"""Types and shapes of a node's inputs, in order; None for one that is left out."""


def has_body(domain: str, type: str, opset: int) -> bool:
    """Whether ONNX defines the operator by a function that applies at this opset."""
    schema = _schema(domain, type, opset)
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)


def body(node: NodeProto, opset: int, infos: Infos) -> FunctionProto | None:
    """The function that defines the operator of a node; None if there is none.

    `opset` is the model's version of the node's domain. Raises ModelError if the function cannot be
    made for these types and shapes.
    """
    schema = _schema(node.domain, node.op_type, opset)
    if schema is None:
        return None
    plain = schema.function_opset_versions
    if plain:
        found = schema.get_function_with_opset_version(_applying(plain, opset))
        return _with_defaults(FunctionProto.FromString(found), schema)
    typed = schema.context_dependent_function_opset_versions
    if not typed:
        return None
    types = [TypeProto() if info is None else value_info("", info).type for info in infos]
    made = schema.get_context_dependent_function_with_opset_version(
        _applying(typed, opset),
        node.SerializeToString(),
        [each.SerializeToString() for each in types],
    )
    if not made:
        raise ModelError(
            f"Node '{node.name}' ({node.domain or 'ai.onnx'}.{node.op_type}): ONNX's function for "
            f"this operator cannot be made for the inputs {', '.join(map(str, infos))}."
        )
    return _with_defaults(FunctionProto.FromString(made), schema)


def is_typed(domain: str, type: str, opset: int) -> bool:
    """Whether ONNX makes the function of an operator for the types of its inputs."""
    schema = _schema(domain, type, opset)
    return schema is not None and not schema.function_opset_versions


def computes_in_float(function: FunctionProto) -> bool:
    """Whether constants of FLOAT are operands of what the function computes, without a cast to the
    type of its inputs.
    """
    constants: set[str] = set()
    for node in function.node:
        if node.op_type == "Constant":
            (value,) = node.attribute
            kind = value.t.data_type if value.HasField("t") else None
            if value.type == AttributeProto.FLOAT or kind == TensorProto.FLOAT:
                constants.update(node.output)
        elif node.op_type not in ("Cast", "CastLike") and constants.intersection(node.input):
            return True
    return False


def _applying(versions: Sequence[int], opset: int) -> int:
    """The newest version of a function at `opset`. The operator may be older than its first
    function, which defines it all the same: Shrink of opset 9 is defined in operators of opset 18.
    """
    return max((v for v in versions if v <= opset), default=min(versions))


def _with_defaults(function: FunctionProto, schema: Any) -> FunctionProto:
    """The function with the defaults of the operator's attributes, which ONNX keeps apart."""
    known = {each.name for each in function.attribute_proto}
    defaults = [a.default_value for a in schema.attributes.values() if a.default_value.type]
    function.attribute_proto.extend(each for each in defaults if each.name not in known)
    return function


def _schema(domain: str, type: str, opset: int) -> Any:
    """An onnx.defs.OpSchema, or None; onnx's stubs lack its functions about functions."""
    if not 0 < opset < 2**31:  # What onnx takes.
        return None
    try:
        return onnx.defs.get_schema(type, opset, "" if domain == "ai.onnx" else domain)
    except onnx.defs.SchemaError:
        return None


def expanded(
    node: NodeProto, function: FunctionProto, unique: Callable[[str], str]
) -> Iterator[NodeProto]:
    """The nodes of the function, in any order, for the inputs, outputs and attributes of `node`.

    A value v inside the function becomes `unique("y/Swish/v")`, for the output y of a Swish; its
    nodes get such names too. An attribute that refers to one of `node` gets its value, or the
    function's default, or is left out.
    """
    names = dict(zip(function.input, node.input, strict=False))
    names.update(dict.fromkeys(function.input[len(node.input) :], ""))
    outputs = zip(function.output, node.output, strict=False)
    names.update((mine, its) for mine, its in outputs if its)
    given = {each.name: each for each in (*function.attribute_proto, *node.attribute)}
    whole = _Renaming(names, given, unique, f"{next(filter(None, node.output))}/{node.op_type}")
    for each in function.node:
        yield whole.node(each)


class _Renaming:
    """Copies nodes of a function with the names and attributes of one call."""

    def __init__(
        self,
        names: dict[str, str],
        attributes: Mapping[str, AttributeProto],
        unique: Callable[[str], str],
        prefix: str,
    ) -> None:
        self._names = names
        self._attributes = attributes
        self._unique = unique
        self._prefix = prefix

    def node(self, node: NodeProto) -> NodeProto:
        """A copy of the node."""
        found = NodeProto()
        found.CopyFrom(node)
        found.name = f"{self._prefix}/{node.name or node.op_type}"
        found.input[:] = [self._name(id) for id in node.input]
        found.output[:] = [self._name(id) for id in node.output]
        del found.attribute[:]
        found.attribute.extend(filter(None, map(self._attribute, node.attribute)))
        return found

    def _name(self, id: str) -> str:
        if not id:
            return ""
        if id not in self._names:
            self._names[id] = self._unique(f"{self._prefix}/{id}")
        return self._names[id]

    def _attribute(self, attribute: AttributeProto) -> AttributeProto | None:
        found = AttributeProto()
        if attribute.ref_attr_name:
            given = self._attributes.get(attribute.ref_attr_name)
            if given is None:
                return None
            found.CopyFrom(given)
            found.name = attribute.name
            return found
        found.CopyFrom(attribute)
        if attribute.HasField("g"):
            found.g.CopyFrom(self._graph(attribute.g))
        for into, graph in zip(found.graphs, attribute.graphs, strict=True):
            into.CopyFrom(self._graph(graph))
        return found

    def _graph(self, graph: GraphProto) -> GraphProto:
        """A subgraph: it may read the function's values."""
        found = GraphProto()
        found.CopyFrom(graph)
        for value in (*found.input, *found.output, *found.initializer):
            value.name = self._name(value.name)
        del found.node[:]
        found.node.extend(self.node(each) for each in graph.node)
        return found
