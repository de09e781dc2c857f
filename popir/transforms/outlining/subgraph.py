"""Replaces equal lists of operators by calls of one new graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from popir import registry
from popir.ir import Graph, Op, Tensor
from popir.ir.graph import CalledNames
from popir.ir.hash import encoded
from popir.opx import debug_prefix
from popir.transforms.outlining.pieces import place_of

_MOST_INSIDE = 1 << 16
"""The most elements of a constant that is moved into the called graph; a larger one is an input."""


def call_instead(
    name: str,
    instances: Sequence[Sequence[Op]],
    is_read: Callable[[Tensor, Collection[Op]], bool],
) -> Graph:
    """Makes a graph from the first instance, and replaces each instance by a call of it.

    `instances` are lists of operators that are consecutive in the schedules of their graphs and
    have equal connections. `is_read(tensor, inside)` returns whether a tensor is needed outside the
    operators `inside`. Returns the new graph. Its tensor ids are `name/` and the ids in the first
    instance.
    """
    return _Maker(name, instances, is_read).run()


class _Maker:
    def __init__(
        self,
        name: str,
        instances: Sequence[Sequence[Op]],
        is_read: Callable[[Tensor, Collection[Op]], bool],
    ) -> None:
        self.callee = Graph(name, instances[0][0].graph)
        self.instances = instances
        self.inputs = [_inputs(instance) for instance in instances]
        self.is_inside = [self._constant(i) for i in range(len(self.inputs[0]))]
        made = [_outputs(instance) for instance in instances]
        sets = [set(instance) for instance in instances]
        is_out = [
            any(is_read(outs[o], inside) for outs, inside in zip(made, sets, strict=True))
            for o in range(len(made[0]))
        ]
        self.outputs = [[t for t, out in zip(outs, is_out, strict=True) if out] for outs in made]

    def run(self) -> Graph:
        self._fill()
        places: dict[Graph, dict[int, Op | None]] = {}
        for n, instance in enumerate(self.instances):
            graph = instance[0].graph
            if graph not in places:
                places[graph] = dict(graph.ops)
            place = places[graph]
            place.update(dict.fromkeys((op.id for op in instance), None))
            place[instance[-1].id] = self._call(n, instance)
        for graph, place in places.items():
            graph.ops = {op.id: op for op in place.values() if op is not None}
        return self.callee

    def _constant(self, i: int) -> bool:
        """Whether input `i` is a constant with the same value in all instances, to be moved into
        the graph.
        """
        tensors = [inputs[i] for inputs in self.inputs]
        first = tensors[0]
        if not all(t.isConst() for t in tensors) or first.data is None:
            return False
        if any(
            j in op.constantInputs for op in first.uses for j, t in op.input.items() if t is first
        ):
            return True  # Values at constantInputs are part of an operator's class: they are equal.
        return first.data.size <= _MOST_INSIDE and all(_same(first.data, t.data) for t in tensors)

    def _fill(self) -> None:
        callee, first = self.callee, self.instances[0]
        new: dict[Tensor, str] = {}
        for tensor, is_inside in zip(self.inputs[0], self.is_inside, strict=True):
            new[tensor] = f"{callee.name}/{tensor.id}"
            if is_inside:
                assert tensor.data is not None
                callee.addConstInit(new[tensor], tensor.data)
                continue
            callee.addActGrad(new[tensor]).info = tensor.info
            callee.inputs.append(new[tensor])
        for op in first:
            twin = op.clone()
            twin.source = op.source
            callee.moveIntoGraph(twin)
            for i, tensor in sorted(op.input.items()):
                twin.connectInTensor(i, new[tensor])
            for o, tensor in sorted(op.output.items()):
                new[tensor] = f"{callee.name}/{tensor.id}"
                twin.createAndConnectOutTensor(o, new[tensor])
            twin.setup()
        callee.outputs = [new[tensor] for tensor in self.outputs[0]]
        callee.isTraining = first[0].graph.isTraining

    def _call(self, n: int, instance: Sequence[Op]) -> Op:
        graph = instance[0].graph
        given = [
            t.id for t, inside in zip(self.inputs[n], self.is_inside, strict=True) if not inside
        ]
        made = [tensor.id for tensor in self.outputs[n]]
        names: CalledNames = {
            twin: op.called_names or debug_prefix(op)
            for twin, op in zip(self.callee.ops, instance, strict=True)
        }
        where = place_of(instance[0])
        for op in reversed(instance):
            outputs = list(op.output.values())
            graph.eraseOp(op.id)
            for tensor in outputs:
                if tensor.id not in made:
                    graph.removeTensor(tensor.id)
        settings = Op.Settings(graph, f"{self.callee.name}/{n}", where)
        call = graph.createConnectedOp(
            registry.createOp,
            dict(enumerate(given)),
            dict(enumerate(made)),
            *("ai.graphcore", "Call", 1, settings, {"callee": self.callee}),
        )
        call.called_names = names
        return call


def _inputs(instance: Sequence[Op]) -> list[Tensor]:
    """The tensors that an instance reads but does not compute, in the order of first use."""
    made = {tensor for op in instance for tensor in op.output.values()}
    read = (tensor for op in instance for _, tensor in sorted(op.input.items()))
    return list(dict.fromkeys(tensor for tensor in read if tensor not in made))


def _outputs(instance: Sequence[Op]) -> list[Tensor]:
    return [tensor for op in instance for _, tensor in sorted(op.output.items())]


def _same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any] | None) -> bool:
    return b is not None and encoded(a) == encoded(b)
