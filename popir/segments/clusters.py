"""A model that is run in clusters, as Habana's TensorFlow runs one: `ClusteredModel`.

Maximal connected groups of the operators that the accelerator takes are one program each. What is
left runs on the host, between them: a node by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popir import host, registry
from popir.devices import DeviceInfo
from popir.errors import ModelError, did_you_mean
from popir.host import HostValue
from popir.onnxio import proto, schemas
from popir.onnxio.limits import subgraphs
from popir.onnxio.proto import NodeProto
from popir.options import SessionOptions
from popir.segments.model import SegmentedModel
from popir.segments.partition import Partition
from popir.segments.program import Context, Program
from popir.typed import typed


@dataclass(frozen=True)
class Cluster:
    """Nodes that are one program, or a node on the host."""

    nodes: tuple[str, ...]
    """The nodes, as messages call them."""
    inputs: tuple[str, ...]
    """The values that it reads."""
    outputs: tuple[str, ...]
    """The values that others read."""
    onHost: str = ""
    """Why it is on the host; "" for a program of the accelerator."""


@typed
class ClusteredModel(SegmentedModel):
    """A model whose operators are clustered into programs of the accelerator.

    A cluster is compiled when it is first run, for the types and shapes of its inputs, and kept, as
    SegmentedModel keeps segments: the functors of operators from libraries define their nodes then.

    Args:
        fnModel, deviceInfo, userOptions: as for SegmentedModel.
        host: what the accelerator does not take: types of operators ("Softmax",
            "ai.habana.RatioOp") or names of nodes. A node takes the graphs of its body with it.
        eager: whether nothing is clustered: every node is a program by itself.

    Raises ModelError for a model that cannot be read, and for a name of `host` that it has not.
    """

    def __init__(
        self,
        fnModel: Any,
        deviceInfo: DeviceInfo | None = None,
        userOptions: SessionOptions | None = None,
        host: Collection[str] = (),
        eager: bool = False,
    ) -> None:
        self._host, self._eager = frozenset(host), eager
        super().__init__(fnModel, deviceInfo, userOptions)

    def _new_program(
        self,
        context: Context,
        nodes: Iterable[NodeProto],
        outputs: Sequence[str],
        opsets: Mapping[str, int],
        initializers: Mapping[str, Any],
        known: Iterable[str],
    ) -> Program:
        self._clustered = _ClusteredProgram(
            context, nodes, outputs, opsets, initializers, known, self._host, self._eager
        )
        return self._clustered

    @property
    def clusters(self) -> list[Cluster]:
        """The clusters and the nodes of the host, in the order in which they run."""
        return self._clustered.clusters

    @property
    def breaks(self) -> dict[str, str]:
        """What kept clusters apart: nodes that are on the host, and pairs of clusters that would
        have to wait for each other, with the reason.
        """
        return self._clustered.breaks | self.left

    def report(self) -> str:
        """The clusters and what broke them, as text."""
        taken = [len(each.nodes) for each in self.clusters if not each.onHost]
        clusters = f"{len(taken)} clusters of {sum(taken)}, the others on the host"
        nodes = sum(len(each.nodes) for each in self.clusters)
        lines = [f"{nodes} nodes: {clusters if taken else 'no cluster, all on the host'}"]
        for i, each in enumerate(self.clusters):
            where = f"on the host: {each.onHost}" if each.onHost else "on the accelerator"
            lines.append(f"{i}  {where}; reads {', '.join(each.inputs) or 'nothing'}")
            lines += [f"     {node}" for node in each.nodes]
        if self.breaks:
            lines.append("broken by")
            lines += [f"     {what}: {why}" for what, why in self.breaks.items()]
        return "\n".join(lines)


def _names(node: NodeProto) -> list[str]:
    """By what `host` may name a node."""
    full = f"{node.domain or 'ai.onnx'}.{node.op_type}"
    return [name for name in (node.op_type, full, node.name) if name]


def _names_inside(node: NodeProto) -> set[str]:
    """The names of what is in the graphs of a node."""
    inner = [each for graph in subgraphs(node) for each in graph.node]
    return {name for each in inner for name in (*_names(each), *_names_inside(each))}


class _ClusteredProgram(Program):
    """A graph whose nodes are divided into units, each a program of its own."""

    def __init__(
        self,
        context: Context,
        nodes: Iterable[NodeProto],
        outputs: Sequence[str],
        opsets: Mapping[str, int],
        initializers: Mapping[str, Any],
        known: Iterable[str],
        host: frozenset[str],
        eager: bool,
    ) -> None:
        super().__init__(context, nodes, outputs, opsets, initializers, known)
        self._kept = host
        self._require_known(host)
        why = [self._why_on_host(node, eager) for node in self.nodes]
        producer = {id: i for i, node in enumerate(self.nodes) for id in node.output if id}
        edges: list[set[int]] = [set() for _ in self.nodes]
        for i, names in enumerate(self.reads):
            for id in names:
                if id in producer:
                    edges[producer[id]].add(i)
        self._partition = Partition([sorted(each) for each in edges], [not w for w in why])
        self.clusters: list[Cluster] = []
        self._parts: list[Program] = []
        for unit in self._partition.units:
            self._add(unit, why[unit[0]])
        self.breaks = {} if eager else self._breaks(edges, why)

    def _require_known(self, host: Iterable[str]) -> None:
        """Raises ModelError for a name of `host` that is neither a node nor an operator here."""
        known = dict.fromkeys(name for node in self.nodes for name in _names(node))
        for name in host:
            for node in self.nodes:
                if name not in known and name in _names_inside(node):
                    raise ModelError(
                        f"ClusteredModel: host has '{name}', which is inside {proto.who(node)}: a "
                        "node is with all its graphs in one place. Name that node."
                    )
            if name not in known:
                raise ModelError(
                    f"ClusteredModel: host has '{name}', which is neither an operator nor the name "
                    f"of a node that the model's results need.{did_you_mean(name, known)}"
                )

    def _why_on_host(self, node: NodeProto, eager: bool) -> str:
        """Why a node cannot be clustered; "" if it can."""
        domain = node.domain or "ai.onnx"
        if eager:
            return "nothing is clustered in eager mode"
        if self._kept.intersection(_names(node)):
            return "it was asked for"
        found = host.find(domain, node.op_type, self.opsets.get(domain, 0))
        if self._is_host(node) and found is not None:
            return found.reason
        known = registry.versions(domain, node.op_type) or schemas.versions(domain, node.op_type)
        if not known and domain not in registry.loaders:
            return "the operator is not known"
        return ""

    def _add(self, unit: Sequence[int], why: str) -> None:
        inside = {id for i in unit for id in self.nodes[i].output if id}
        read = dict.fromkeys(id for i in unit for id in self.reads[i] if id not in inside)
        outside = {id for i, names in enumerate(self.reads) if i not in unit for id in names}
        results = [
            id
            for i in unit
            for id in self.nodes[i].output
            if id and (id in outside or id in self.outputs)
        ]
        inputs = [id for id in read if id not in self.initializers]
        who = tuple(self.who(i) for i in unit)
        self.clusters.append(Cluster(who, tuple(inputs), tuple(results), why))
        nodes = [self.nodes[i] for i in unit]
        self._parts.append(
            Program(self.context, nodes, results, self.opsets, self.initializers, inputs)
        )

    def _breaks(self, edges: Sequence[Collection[int]], why: Sequence[str]) -> dict[str, str]:
        found = {self.who(i): reason for i, reason in enumerate(why) if reason}
        number = {self._partition.of(unit[0]): n for n, unit in enumerate(self._partition.units)}
        for i, following in enumerate(edges):
            for j in following:
                a, b = self._partition.of(i), self._partition.of(j)
                if a == b or why[i] or why[j]:
                    continue
                path = self._partition.path_around(a, b) or []
                through = " and ".join(str(number[n]) for n in path)
                found[f"clusters {number[a]} and {number[b]}"] = (
                    f"{self.who(j)} reads {self.who(i)}, and a path between them leads through "
                    f"{through}"
                )
        return found

    def run(self, values: dict[str, HostValue]) -> list[HostValue]:
        """Runs the units on `values`, to which their results are added. Returns the outputs."""
        for part in self._parts:
            part.run(values)
        return [self.value(id, values) for id in self.outputs]
