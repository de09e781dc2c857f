"""Import of repeated nodes: the operator of a node like an earlier one is a copy of that one's.

Models repeat themselves. What the importer makes of a node depends on nothing else than

- domain, type and attributes of the node, and which outputs it has;
- type and shape of each input, and how its value comes about; of a constant the value.

Nodes of which all this is equal are alike: attributes are converted and checked, and shapes are
inferred, for the first of them alone. Operators that may ask for more are made anew each time:
those of users and libraries, those that consist of others, call graphs, draw random numbers or have
side effects, and those that read integers computed at run time, whose origin shapes may depend on.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from onnx import AttributeProto, NodeProto

from popir import budget
from popir.ir import Graph, Op, TensorType
from popir.ir.graph import add_alike
from popir.ir.likeness import may_be_copied
from popir.types import DataType, TensorInfo

_EXACT = frozenset(k for k in DataType if k.is_integer or k in (DataType.BOOL, DataType.STRING))
"""Types of elements that shapes may come from (`popir.ir.integers`), and text."""
_SMALL = 1 << 10
"""The most bytes of a constant, and of an attribute, that are compared."""
_COMPARED = frozenset(
    {
        *(AttributeProto.INT, AttributeProto.FLOAT, AttributeProto.STRING),
        *(AttributeProto.INTS, AttributeProto.FLOATS, AttributeProto.STRINGS),
    }
)
"""The types of attributes that are compared."""


@dataclass(frozen=True)
class _Made:
    """The operator of a node, and what its `setup()` has set."""

    op: Op
    infos: list[TensorInfo]


class AlikeNodes:
    """The operators of the nodes of one graph, for later nodes like them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._made: dict[Hashable, _Made] = {}
        self._infos: dict[TensorInfo, int] = {}
        self._known: dict[int, tuple[int, bool, TensorInfo]] = {}
        """By the id of a TensorInfo: the number of what it says, whether shapes may come from such
        tensors, and the TensorInfo.
        """

    def key(self, node: NodeProto) -> Hashable | None:
        """What nodes have in common that are alike; None for a node that is never repeated."""
        tensors = self._graph.tensors
        key: list[Hashable] = [node.op_type, node.domain, len(node.output)]
        for name in node.input[:]:
            if not name:
                key.append(None)
                continue
            tensor = tensors.get(name)
            if tensor is None or tensor.info is None:
                return None
            known = self._known.get(id(tensor.info))
            number, is_exact, _ = self._described(tensor.info) if known is None else known
            kind = tensor.tensorType
            key += (number, id(kind))
            if kind is TensorType.Const:
                if tensor.data is None or tensor.data.nbytes > _SMALL:
                    return None
                key.append(tensor.data.tobytes())
            elif is_exact:
                return None
        for attribute in node.attribute[:]:
            if attribute.type not in _COMPARED or attribute.ByteSize() > _SMALL:
                return None
            key.append(attribute.SerializeToString())
        return tuple(key)

    def _described(self, info: TensorInfo) -> tuple[int, bool, TensorInfo]:
        number = self._infos.setdefault(info, len(self._infos))
        known = self._known[id(info)] = number, info.dataType() in _EXACT, info
        return known

    def repeated(self, key: Hashable, node: NodeProto) -> Op | None:
        """Adds the operator of a node with this key; None if no node like it has been added, or if
        the graph has an output of it already.
        """
        made = self._made.get(key)
        if made is None:
            return None
        tensors, outputs = self._graph.tensors, node.output[:]
        for id in outputs:
            if id in tensors:
                return None
        op = made.op.clone()
        op.settings.name, op.called_names = node.name, {}
        budget.operator(op)
        inputs = {i: tensors[id] for i, id in enumerate(node.input[:]) if id}
        add_alike(self._graph, op, inputs, dict(enumerate(zip(outputs, made.infos, strict=True))))
        return op

    def keep(self, key: Hashable, node: NodeProto, op: Op) -> None:
        """Keeps the operator that a node with this key has become, if it may be repeated."""
        read = [op.input[i].id if i in op.input else "" for i in range(len(node.input))]
        made = [op.output[o].id if o in op.output else "" for o in range(len(node.output))]
        is_as_given = read == list(node.input) and len(op.input) == len([*filter(None, read)])
        is_as_given = is_as_given and made == list(node.output) and all(made)
        if is_as_given and len(op.output) == len(made) and _depends_on_key(op):
            infos = [tensor.info for tensor in op.output.values() if tensor.info is not None]
            if len(infos) == len(made):
                self._made[key] = _Made(op, infos)


def _depends_on_key(op: Op) -> bool:
    """Whether an operator is what it is because of what is compared alone."""
    return (
        may_be_copied(op)
        and type(op).expand is Op.expand
        and not op.variableInputs
        and all(i not in op.input or op.input[i].isConst() for i in op.constantInputs)
        and not op.graph.differentiated
    )
