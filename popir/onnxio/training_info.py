"""The part of a saved model that only training needs: the loss, the labels, and what is between.

ONNX stores it in `ModelProto.training_info`: a graph with nodes, inputs, outputs and initializers
that are added to the model's own graph for training, and ignored otherwise. `part` moves a loss
there that other tools do not know; `joined` moves it back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import GraphProto, ModelProto, NodeProto

from popir.onnxio.limits import check_model, subgraphs
from popir.onnxio.load import Loaded
from popir.onnxio.proto import value_info
from popir.types import TensorInfo

LOSSES = {"Nll", "L1", "IdentityLoss"}
"""The losses of the domain ai.graphcore."""
_POSITIONS = "popir.training_nodes"
"""The metadata key for the positions of the training nodes among all nodes."""


@dataclass(frozen=True)
class Training:
    """What saving a model needs to know of its training."""

    loss: str
    weights: Collection[str]
    """The ids of the initializers that are trained."""
    infos: Mapping[str, TensorInfo]
    """Types and shapes of the compiled tensors, by id."""


def joined(loaded: Loaded, ids: Iterable[str] | None = None) -> Loaded:
    """The model with its training part, if that computes one of the tensors `ids`; None means
    always.

    Raises ModelError if the result is beyond the limits.
    """
    model, wanted = loaded.model, None if ids is None else set(ids)
    for i, info in enumerate(model.training_info):
        added = info.algorithm
        if wanted is None or not wanted.isdisjoint(id for node in added.node for id in node.output):
            whole = ModelProto()
            whole.CopyFrom(model)
            del whole.training_info[i]
            positions = _positions(whole, len(added.node))
            _insert(whole.graph.node, added.node, positions)
            for field in ("input", "output", "initializer", "sparse_initializer", "value_info"):
                getattr(whole.graph, field).extend(getattr(added, field))
            check_model("The model, with its training_info,", whole)
            return loaded._replace(model=whole)
    return loaded


def part(model: ModelProto, training: Training) -> None:
    """Moves the nodes that only the loss needs to the model's training_info, if the loss has an
    operator of ai.graphcore. Otherwise nothing changes.

    Inputs that only these nodes read, such as labels, move with them. The model's outputs stay,
    except those computed from the loss. If none is left, the network's predictions become outputs;
    see `_predictions`.
    """
    graph = model.graph
    if not any(map(_is_own, graph.node)):
        return
    flow = _Flow(graph.node)
    loss = flow.above([training.loss])
    own = [i for i in loss if _is_own(graph.node[i])]
    behind = flow.below(own)
    outputs = [value.name for value in graph.output if flow.producers.get(value.name) not in behind]
    if not own or not (outputs or (outputs := _predictions(flow, loss, own, training, graph))):
        return
    kept = flow.above(outputs)
    moved = [i for i in range(len(graph.node)) if i not in kept]
    added = model.training_info.add().algorithm
    added.name = "training"
    read = {id for i in kept for id in flow.reads[i]}.union(outputs)
    made = {id for i in moved for id in graph.node[i].output}
    alone = {id for i in moved for id in flow.reads[i]} - read
    given = {each.name for each in graph.initializer}
    _move(graph.input, added.input, lambda value: value.name in alone and value.name not in given)
    _move(graph.output, added.output, lambda value: value.name in made)
    _move(graph.value_info, added.value_info, lambda value: value.name in made)
    known = {value.name for value in graph.output}
    is_fixed = all(
        dim.HasField("dim_value")
        for value in graph.input
        for dim in value.type.tensor_type.shape.dim
    )
    for id in outputs:
        if id not in known:
            graph.output.append(value_info(id, training.infos.get(id)))
            if not is_fixed:
                for dim in graph.output[-1].type.tensor_type.shape.dim:
                    dim.Clear()
    places = set(moved)
    positions = iter(range(len(graph.node)))
    _move(graph.node, added.node, lambda _: next(positions) in places)
    model.metadata_props.add(key=_POSITIONS, value=",".join(map(str, moved)))


def _is_own(node: NodeProto) -> bool:
    return node.domain == "ai.graphcore" and node.op_type in LOSSES


class _Flow:
    """The dependencies between the nodes of a list; a node is its position in the list."""

    def __init__(self, nodes: Sequence[NodeProto]) -> None:
        self.reads = [set(_reads(node)) for node in nodes]
        self.producers = {id: i for i, node in enumerate(nodes) for id in node.output if id}
        self._readers: dict[int, list[int]] = {}
        for i, ids in enumerate(self.reads):
            for id in ids:
                if id in self.producers:
                    self._readers.setdefault(self.producers[id], []).append(i)

    def sources(self, i: int) -> list[int]:
        """The nodes that compute the inputs of node `i`."""
        return [self.producers[id] for id in self.reads[i] if id in self.producers]

    def above(self, ids: Iterable[str]) -> set[int]:
        """The nodes that the tensors `ids` depend on."""
        return _closure((self.producers[id] for id in ids if id in self.producers), self.sources)

    def below(self, nodes: Iterable[int]) -> set[int]:
        """The nodes, and all nodes that depend on them."""
        return _closure(nodes, lambda i: self._readers.get(i, []))

    def reached(self, ids: Container[str]) -> set[int]:
        """The nodes that depend on one of the tensors `ids`, which are not computed by nodes."""
        return self.below(i for i, read in enumerate(self.reads) if any(id in ids for id in read))


def _closure(start: Iterable[int], next: Callable[[int], Iterable[int]]) -> set[int]:
    found = set(start)
    stack = list(found)
    while stack:
        fresh = [i for i in next(stack.pop()) if i not in found]
        found.update(fresh)
        stack += fresh
    return found


def _reads(node: NodeProto) -> Iterable[str]:
    """The tensors that a node reads, including those that its subgraphs read from outside."""
    yield from (id for id in node.input if id)
    for graph in subgraphs(node):
        for inner in graph.node:
            yield from _reads(inner)


def _predictions(
    flow: _Flow, loss: set[int], own: list[int], training: Training, graph: GraphProto
) -> list[str]:
    """The outputs of the network: the tensors at which its loss begins. For a model that names
    none.

    The loss is assumed to begin where, behind the last weight, a tensor meets the labels: an input,
    or a tensor computed from inputs without weights. Without labels, it begins at its first
    operator of ai.graphcore.

    Example: in `p = Softmax(MatMul(x, w))`, `loss = Nll(p, y)` the label y meets p, so p is the
    prediction.
    """
    weights = set(training.weights)
    inputs = {value.name for value in graph.input} - {each.name for each in graph.initializer}
    from_weights, from_inputs = flow.reached(weights), flow.reached(inputs)
    before_weights = flow.above(id for i in loss if flow.reads[i] & weights for id in flow.reads[i])
    late = {i for i in loss & from_weights - before_weights if not flow.reads[i] & weights}
    labels = inputs.union(
        id for id, i in flow.producers.items() if i in from_inputs and i not in from_weights
    )
    meets = [i for i in late if flow.reads[i] & labels]
    behind = flow.below([*own, *meets])
    ends = [id for i in sorted(behind) for id in sorted(flow.reads[i]) if id in flow.producers]
    ends = [id for id in dict.fromkeys(ends) if flow.producers[id] not in behind]
    for wanted in (from_weights & from_inputs, from_weights, from_inputs):
        found = [id for id in ends if flow.producers[id] in wanted]
        if found:
            return found
    return []


def _move(source: Any, target: Any, is_moved: Callable[[Any], bool]) -> None:
    """Moves messages from one repeated field to another."""
    messages = [(message, is_moved(message)) for message in source]
    target.extend(message for message, goes in messages if goes)
    del source[:]
    source.extend(message for message, goes in messages if not goes)


def _insert(nodes: Any, added: Sequence[NodeProto], positions: Sequence[int]) -> None:
    """Inserts nodes at their positions in the whole list, or at the end if there are no
    positions.
    """
    rest, places = iter(list(nodes)), dict(zip(positions, added, strict=False))
    whole = [places[i] if i in places else next(rest) for i in range(len(nodes) + len(places))]
    del nodes[:]
    nodes.extend(whole if places else [*whole, *added])


def _positions(model: ModelProto, count: int) -> list[int]:
    """Removes the positions of `count` nodes from the metadata and returns them; [] if they are
    invalid.
    """
    found: list[int] = []
    for i, entry in reversed(list(enumerate(model.metadata_props))):
        if entry.key == _POSITIONS:
            found = [int(text) for text in entry.value.split(",") if _is_number(text)]
            del model.metadata_props[i]
    total = len(model.graph.node) + count
    is_right = len(found) == count and found == sorted(set(found)) and found[-1:] < [total]
    return found if is_right else []


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
