"""Gives the statistics of normalisation initializers of their own."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import ModelProto, NodeProto

from popir.onnxio.load import Loaded

STATISTICS: Mapping[str, Mapping[int, str]] = {
    "BatchNormalization": {3: "running_mean", 4: "running_var"}
}
"""By operator, the inputs that are statistics, with what PyTorch calls them."""


def separateStatistics(loaded: Loaded) -> Loaded:
    """The model with a copy of each initializer that is both a statistic and something else.

    Exporters merge initializers of equal values: the bias of a layer that was not trained yet with
    its mean, the scale with its variance. What trains one must not move the other.
    """
    graph = loaded.model.graph
    initializers = {tensor.name for tensor in graph.initializer}
    other = {
        id for node in graph.node for i, id in enumerate(node.input) if not _isStatistic(node, i)
    }
    merged = [
        (n, i)
        for n, node in enumerate(graph.node)
        for i in STATISTICS.get(node.op_type, {})
        if i < len(node.input) and node.input[i] in other and node.input[i] in initializers
    ]
    if not merged:
        return loaded
    model = ModelProto()
    model.CopyFrom(loaded.model)
    graph = model.graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    taken = {id for node in graph.node for id in (*node.input, *node.output)} | set(tensors)
    copies: dict[tuple[str, str], str] = {}
    for n, i in merged:
        node = graph.node[n]
        old, what = node.input[i], STATISTICS[node.op_type][i]
        base = _unused(f"{node.input[1].removesuffix('.weight')}.{what}", taken)
        name = copies.setdefault((old, what), base)
        if name == base:
            taken.add(name)
            graph.initializer.add().CopyFrom(tensors[old])
            graph.initializer[-1].name = name
        node.input[i] = name
    return loaded._replace(model=model)


def _isStatistic(node: NodeProto, i: int) -> bool:
    return i in STATISTICS.get(node.op_type, {})


def _unused(base: str, taken: set[str]) -> str:
    name, n = base, 0
    while name in taken:
        n += 1
        name = f"{base}/{n}"
    return name
