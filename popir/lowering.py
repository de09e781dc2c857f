"""From a graph to a device program: tensors get layouts, then each operator's Opx grows."""

from __future__ import annotations

from collections.abc import Iterable

from popir import poplar, poputil, registry
from popir.errors import popart_exception
from popir.ir import Graph, Tensor, TensorType
from popir.layouts import LayoutFinder
from popir.opx import blockOf, device, popType
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
    ) -> None:
        self.ir = ir
        self.graph = poplar.Graph(target)
        self.devicex = device("popart").Devicex(self.graph)
        order = ir.schedule()
        self._opxs = {op: registry.createOpx(op, self.devicex) for op in order}
        self._layouts = LayoutFinder(self._opxs, self.devicex)
        kept = {*kept, *ir.outputs}
        self._watch = Watch(ir, self.devicex, order, kept, checks or Checks())

    def grow(self, progress: Logger | None = None) -> program.Sequence:
        """All operators, in the order of the schedule; `progress` hears how many are done."""
        body = program.Sequence()
        for now, (op, opx) in enumerate(self._opxs.items()):
            if progress is not None:
                progress(now, len(self._opxs))
            for tensor in op.input.values():
                self.tensor(tensor.id)
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

    def _made(self, tensor: Tensor) -> poplar.Tensor:
        if tensor.info is None or tensor.tensorType is TensorType.ActGrad:
            raise popart_exception(f"{tensor} has no value yet: {tensor.producer} has not grown.")
        shape, kind = tensor.info.shape(), popType(tensor.info)
        if tensor.isConst():
            constant = self.graph.addConstant(kind, shape, tensor.data, tensor.id)
            poputil.mapTensorLinearly(self.graph, constant)
            return constant
        linear = poplar.VariableMappingMethod.LINEAR
        created = self._layouts.create(tensor)
        return created or self.graph.addVariable(kind, shape, linear, tensor.id)
