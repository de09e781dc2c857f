"""SparseAccumulate: adds the gradient of gathered rows to an accumulator, row by row, so that no
gradient of the size of the table is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from popir import registry
from popir.ir import Graph, Op, Tensor
from popir.ops.movement.tiedgather import Part, TiedGatherGradOp
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.variable import VAR, VariableOp
from popir.ops.update.accumulate import AccumulateOp
from popir.ops.update.var_update import GRADIENT
from popir.options.annotations import EXCLUDE_PATTERNS
from popir.opx import InputCreatorType, Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator

INDICES, FIRST_FACTOR = 2, 3


class SparseAccumulateOp(VariableOp):
    """PopART's SparseAccumulate. Input 0 is the accumulator, a matrix, after the Accumulate of the
    dense gradient; input 1 the gradient of the rows that the indices, input 2, have taken from a
    part of the table. The rows of the table are along `axis` of the accumulator. The gradient is
    multiplied by `factor` and by the scalars from input 3 on.
    """

    axis: int
    part: int
    parts: int
    factor: float
    accumulates = True

    def optimizerInputs(self) -> dict[int, Tensor]:
        """The factors that are numbers of the optimizer, by index."""
        return {i: t for i, t in self.input.items() if i >= FIRST_FACTOR and t.is_variable()}


class SparseAccumulateOpx(Opx):
    """The lowering: one multiUpdateAdd, in place."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the rows to the accumulator."""
        op, arithmetic = self.getOp(SparseAccumulateOp), Arithmetic(self, prog)
        table = self.getInTensor(VAR)
        kind = table.elementType()
        g = arithmetic.converted(self.getInTensor(GRADIENT), kind, "gradient")
        scale = self.getConst(accumulator(kind), [], op.factor, "factor")
        if op.numInputs() > FIRST_FACTOR:
            given = [self.getInTensor(i).flatten()[0] for i in op.input if i >= FIRST_FACTOR]
            product = s.folded(s.mul, [s.Const(op.factor), *map(s.Arg, range(len(given)))])
            scale = arithmetic.map(product, given, "factor", out=accumulator(kind))
        Part(op.part, op.parts, op.axis).add(self, table, g, INDICES, scale, prog)
        self.setOutTensor(0, table)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The accumulator takes the layout of the output."""
        return InputCreatorType.CanUnwind if i == VAR else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Any, inIndex: int, outIndex: int) -> Any:
        """The output's layout, since the output is the accumulator."""
        return tensor


def connect_sparse(dense: AccumulateOp, gather: TiedGatherGradOp, axis: int) -> SparseAccumulateOp:
    """Adds the SparseAccumulate of a gather's gradient behind the Accumulate of the dense one."""
    graph, summed = dense.graph, dense.outTensor(0)
    mode, number = dense.attributes["mode"], "dampeningScaleFactor1"
    scalars = dense.scalar_inputs()
    factors = [dense.inId(i) for i in dense.input if i >= dense.first_factor()]
    if mode == "Mean":
        factors.append(_inverse(graph, dense.inTensor(scalars["counter"])))
    elif number in scalars:
        factors.append(dense.inId(scalars[number]))
    part = gather.place()
    attributes = {
        "axis": axis,
        "part": part.number,
        "parts": part.parts,
        "factor": float(dense.attributes.get(number, 1.0)),
    }
    settings = Op.Settings(graph, f"SparseAccumulate/{dense.inId(VAR)}/{part.number}")
    op = SparseAccumulateOp(_SPARSE, settings, attributes)
    readers = list(summed.uses)
    inputs = [summed.id, gather.inId(0), gather.inId(1), *factors]
    out = graph.uniqueId(f"{summed.id}/sparse")
    graph.createConnectedOp(lambda: op, dict(enumerate(inputs)), {0: out})
    for reader in readers:
        for i in [i for i, t in reader.input.items() if t is summed]:
            reader.disconnectInTensor(i)
            reader.connectInTensor(i, out)
    return op


def _inverse(graph: Graph, counter: Tensor) -> str:
    """The id of 1 / (counter + 1), what a batch's gradient counts in a mean; made once."""
    id = f"{counter.id}_inverse"
    if not graph.hasTensor(id):
        one = graph.addConstInit(graph.uniqueId(f"{id}/one"), np.ones([], np.float32)).id
        inputs, settings = [counter.id, one], Op.Settings(graph, "mean_accumulate_count")
        # Not in place, so that the operator keeps the name by which PopART's tools know it.
        settings.nodeAttributes[EXCLUDE_PATTERNS] = ["InPlace"]
        for type, out in (("Add", f"{id}/count"), ("Div", id)):
            graph.createConnectedOp(
                registry.createOp,
                dict(enumerate(inputs)),
                {0: out},
                *("ai.onnx", type, 14, settings, {}, [graph.getTensor(i) for i in inputs]),
            )
            inputs, settings.name = [one, out], "mean_accumulate_inverse"
    return id


_SPARSE = graphcore_id("PopartSparseAccumulate")
OpCreator(SparseAccumulateOp, [_SPARSE], isPublic=False)
OpxCreator(SparseAccumulateOpx, [_SPARSE])
