"""From a graph to a device program: tensors get layouts, then each operator's Opx grows. Called
graphs become functions.
"""

from __future__ import annotations

from collections.abc import Iterable

from popir import poplar, poputil, registry
from popir.calls import CallOpx, Function
from popir.errors import popart_exception
from popir.ir import Graph, Op, Tensor, TensorType
from popir.ir.graph import calledGraphs
from popir.layouts import LayoutFinder
from popir.opx import Opx, blockOf, device, popType
from popir.owners import Owners
from popir.poplar import program
from popir.progress import Logger
from popir.watch import Checks, Watch


class Lowering:
    """The lowering of one graph to one `poplar.Graph`.

    `kept` are the ids whose values must be there after the last operator: anchors and outputs.
    """

    def __init__(
        self,
        ir: Graph,
        target: poplar.Device,
        kept: Iterable[str] = (),
        checks: Checks | None = None,
        caller: Lowering | None = None,
    ) -> None:
        """`caller` is the lowering of a graph that calls this one; both share one device graph."""
        self.ir = ir
        self._target = target
        self._checks = checks or Checks()
        self.graph = caller.graph if caller else poplar.Graph(target)
        self.devicex = caller.devicex if caller else device("popart").Devicex(self.graph)
        self.owners = caller.owners if caller else Owners()
        self._functions: dict[Graph, Function] = caller._functions if caller else {}
        self._calls: dict[Graph, list[Op]] = caller._calls if caller else _calls(ir)
        order = ir.schedule()
        self._opxs = {op: self._opx(op) for op in order}
        self._layouts = LayoutFinder(self._opxs, self.devicex)
        kept = {*kept, *ir.outputs}
        self._watch = Watch(ir, self.devicex, order, kept, self._checks)

    def _opx(self, op: Op) -> Opx:
        if op.getCalledGraphs():
            return CallOpx(op, self.devicex, self._function)
        return registry.createOpx(op, self.devicex)

    def _function(self, callee: Graph) -> Function:
        if callee not in self._functions:
            body = Lowering(callee, self._target, (), self._checks, self)
            self._functions[callee] = Function(self.graph, body, self._calls[callee])
        return self._functions[callee]

    def grow(self, progress: Logger | None = None) -> program.Sequence:
        """All operators, in the order of the schedule; `progress` hears how many are done."""
        body = program.Sequence()
        for now, (op, opx) in enumerate(self._opxs.items()):
            if progress is not None:
                progress(now, len(self._opxs))
            for tensor in op.input.values():
                self.tensor(tensor.id)
            self.owners.add(self.graph, op)
            body.add(program.Sequence([self._watch.grow(now, opx)], blockOf(op)))
        return body

    def tensor(self, id: str) -> poplar.Tensor:
        """The device's tensor of `id`.

        A variable, constant or stream is made when it is first asked for. Raises popart_exception
        for what an operator computes before the operator has grown.
        """
        if not self.devicex.contains(id):
            self.devicex.insert(id, self._made(self.ir.getTensor(id)))
            self._watch.share(id)
        return self.devicex.get(id)

    def layout(self, id: str) -> poplar.Tensor | None:
        """A new tensor laid out as the readers of `id` would have it; None if they do not say."""
        return self._layouts.create(self.ir.getTensor(id), self.tensor)

    def give(self, id: str, tensor: poplar.Tensor, isShared: bool) -> None:
        """Sets an input of a called graph; one that all calls share is not to be written."""
        self.devicex.insert(id, tensor)
        self._watch.share(id)
        if isShared:
            self._watch.keep(id)

    def functions(self) -> list[Function]:
        """Those that have been made of the graphs that this one calls, directly or not."""
        called = calledGraphs(self.ir)[1:]
        return [self._functions[graph] for graph in called if graph in self._functions]

    def _made(self, tensor: Tensor) -> poplar.Tensor:
        if tensor.info is None or tensor.tensorType is TensorType.ActGrad:
            raise popart_exception(f"{tensor} has no value yet: {tensor.producer} has not grown.")
        shape, kind = tensor.info.shape(), popType(tensor.info)
        if tensor.isConst():
            constant = self.graph.addConstant(kind, shape, tensor.data, tensor.id)
            poputil.mapTensorLinearly(self.graph, constant)
            return constant
        linear = poplar.VariableMappingMethod.LINEAR
        created = self._layouts.create(tensor, self.tensor)
        if created is not None:
            return created
        return self.graph.addVariable(kind, shape, linear, tensor.id)


def _calls(ir: Graph) -> dict[Graph, list[Op]]:
    """By graph, the operators that call it."""
    found: dict[Graph, list[Op]] = {}
    for graph in calledGraphs(ir):
        for op in graph.ops.values():
            for callee in op.getCalledGraphs():
                found.setdefault(callee, []).append(op)
    return found
