"""Puts a call of one graph in the place of each of several lists of operators that are the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from popir import registry
from popir.ir import Graph, Op, Tensor
from popir.ir.hash import encoded
from popir.ir.op import CalledNames
from popir.opx import debugPrefix

_MOST_INSIDE = 1 << 16
"""The most elements of a constant that the called graph holds; a larger one is passed to it."""


def callInstead(
    name: str,
    instances: Sequence[Sequence[Op]],
    isRead: Callable[[Tensor, Collection[Op]], bool],
) -> Graph:
    """Makes a graph of the first instance and calls it instead of each.

    `instances` are lists of operators that follow one another in the schedules of their graphs,
    connected alike. `isRead(tensor, inside)` says whether somebody outside needs a tensor. Returns
    the new graph, whose tensors have the ids of the first instance's after `name/`.
    """
    return _Maker(name, instances, isRead).run()


class _Maker:
    def __init__(
        self,
        name: str,
        instances: Sequence[Sequence[Op]],
        isRead: Callable[[Tensor, Collection[Op]], bool],
    ) -> None:
        self.callee = Graph(name, instances[0][0].graph)
        self.instances = instances
        self.inputs = [_inputs(instance) for instance in instances]
        self.isInside = [self._constant(i) for i in range(len(self.inputs[0]))]
        made = [_outputs(instance) for instance in instances]
        sets = [set(instance) for instance in instances]
        isOut = [
            any(isRead(outs[o], inside) for outs, inside in zip(made, sets, strict=True))
            for o in range(len(made[0]))
        ]
        self.outputs = [[t for t, out in zip(outs, isOut, strict=True) if out] for outs in made]

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
        """Whether input `i` is a constant that is the same everywhere."""
        tensors = [inputs[i] for inputs in self.inputs]
        first = tensors[0]
        if not all(t.isConst() for t in tensors) or first.data is None:
            return False
        if any(
            j in op.constantInputs for op in first.uses for j, t in op.input.items() if t is first
        ):
            return True  # the operators would not be equal otherwise
        return first.data.size <= _MOST_INSIDE and all(_same(first.data, t.data) for t in tensors)

    def _fill(self) -> None:
        callee, first = self.callee, self.instances[0]
        new: dict[Tensor, str] = {}
        for tensor, isInside in zip(self.inputs[0], self.isInside, strict=True):
            new[tensor] = f"{callee.name}/{tensor.id}"
            if isInside:
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
            t.id for t, inside in zip(self.inputs[n], self.isInside, strict=True) if not inside
        ]
        made = [tensor.id for tensor in self.outputs[n]]
        names: CalledNames = {
            twin: op.calledNames or debugPrefix(op)
            for twin, op in zip(self.callee.ops, instance, strict=True)
        }
        for op in reversed(instance):
            outputs = list(op.output.values())
            graph.eraseOp(op.id)
            for tensor in outputs:
                if tensor.id not in made:
                    graph.removeTensor(tensor.id)
        settings = Op.Settings(graph, f"{self.callee.name}/{n}")
        call = graph.createConnectedOp(
            registry.createOp,
            dict(enumerate(given)),
            dict(enumerate(made)),
            *("ai.graphcore", "Call", 1, settings, {"callee": self.callee}),
        )
        call.calledNames = names
        return call


def _inputs(instance: Sequence[Op]) -> list[Tensor]:
    """What an instance reads and does not make, in the order of its first use."""
    made = {tensor for op in instance for tensor in op.output.values()}
    read = (tensor for op in instance for _, tensor in sorted(op.input.items()))
    return list(dict.fromkeys(tensor for tensor in read if tensor not in made))


def _outputs(instance: Sequence[Op]) -> list[Tensor]:
    return [tensor for op in instance for _, tensor in sorted(op.output.items())]


def _same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any] | None) -> bool:
    return b is not None and encoded(a) == encoded(b)
