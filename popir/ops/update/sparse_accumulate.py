"""SparseAccumulate: adds the gradient of gathered rows to an accumulator, row by row, so that no
gradient of the size of the table is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from popir import registry
from popir.errors import OperatorAttributeError, OperatorInputError
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

FACTOR, INDICES, ORIGINAL, FIRST_SCALE = 2, 3, 4, 5
_MODES = ("Add", "DampenedAdd", "DampenedAddSquare")


class SparseAccumulateOp(VariableOp):
    """PopART's SparseAccumulate. Input 0 is the accumulator, a matrix; input 1 the gradient of the
    rows that the indices, input 3, have taken from a table or, of `parts` of one, from the `part`.
    The rows of the table are along `axis` of the accumulator. By the attribute `mode` the gradient
    g is added (Add), or f * g (DampenedAdd) or f * g^2 (DampenedAddSquare), where f is the
    attribute `factor` or else input 2. It is multiplied by the scalars from input 5 on besides.
    Input 4, the table, is not read.
    """

    mode: str
    axis: int
    factor: float | None
    part: int | None
    """Which part of the table the indices are for; 0 by default."""
    parts: int | None
    """1 by default."""
    of_table: bool | None
    """Whether the indices are those into the table, negative ones from its end. By default they are
    places in the part, as in PopART. Rows whose places are not in the part are left out.
    """
    accumulates = True

    def setup(self) -> None:
        """Infers the type and shape of the accumulator. Raises OperatorAttributeError for an
        unknown mode and a part that there is not, OperatorInputError for what is no matrix, for
        rows that are not as many or as wide, and without a factor.
        """
        if self.mode not in _MODES:
            raise OperatorAttributeError(
                f"{self.debugName()}: mode is '{self.mode}'; rows are accumulated by one of "
                f"{', '.join(_MODES)}."
            )
        if self.inRank(VAR) != 2 or self.axis not in (0, 1):
            raise OperatorInputError(
                f"{self.debugName()}: rows are accumulated along axis {self.axis} of "
                f"{self.inInfo(VAR)}; expected is a matrix, and axis 0 or 1."
            )
        if self.mode != "Add" and self.factor is None and not self.hasInput(FACTOR):
            raise OperatorInputError(
                f"{self.debugName()}: the mode {self.mode} takes a factor, as an attribute or as "
                f"input {FACTOR}."
            )
        self._check_rows()
        super().setup()

    def _check_rows(self) -> None:
        shape = self.inShape(VAR)
        size, width = shape[self.axis], shape[1 - self.axis]
        part = 0 if self.part is None else self.part
        parts = 1 if self.parts is None else self.parts
        if parts < 1 or size % parts or not 0 <= part < parts:
            raise OperatorAttributeError(
                f"{self.debugName()}: rows are accumulated in part {part} of {parts} of a table of "
                f"{size} rows; expected are parts of equal size, numbered from 0."
            )
        count, given = self.inInfo(INDICES).nelms(), self.inInfo(GRADIENT)
        is_wide = given.rank() < 2 or given.dim(-1) == width  # What replicas gather is flat.
        if given.nelms() != count * width or not is_wide:
            raise OperatorInputError(
                f"{self.debugName()}: input {GRADIENT} is {given}; expected are {count} rows of "
                f"{width}, one for each index."
            )

    def mayLackInput(self, i: int) -> bool:
        """Whether the input is the factor, or the table."""
        return i in (FACTOR, ORIGINAL)

    def place(self) -> Part:
        """The part of the accumulator that is written."""
        return Part(self.part or 0, self.parts or 1, self.axis)

    def scales(self) -> list[int]:
        """The inputs that the gradient is multiplied by."""
        own = [FACTOR] if self.mode != "Add" and self.factor is None else []
        return [*own, *(i for i in self.input if i >= FIRST_SCALE)]

    def optimizerInputs(self) -> dict[int, Tensor]:
        """The factors that are numbers of the optimizer, by index."""
        return {i: self.input[i] for i in self.scales() if self.input[i].is_variable()}


class SparseAccumulateOpx(Opx):
    """The lowering: one multiUpdateAdd, in place."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the rows to the accumulator."""
        op, arithmetic = self.getOp(SparseAccumulateOp), Arithmetic(self, prog)
        table = self.getInTensor(VAR)
        kind = table.elementType()
        g = arithmetic.converted(self.getInTensor(GRADIENT), kind, "gradient")
        if op.mode == "DampenedAddSquare":
            g = arithmetic.map(s.square(s.Arg(0)), [g], "square", out=kind)
        factor = 1.0 if op.mode == "Add" or op.factor is None else op.factor
        scale = self.getConst(accumulator(kind), [], factor, "factor")
        if scales := op.scales():
            given = [self.getInTensor(i).flatten()[0] for i in scales]
            product = s.folded(s.mul, [s.Const(factor), *map(s.Arg, range(len(given)))])
            scale = arithmetic.map(product, given, "factor", out=accumulator(kind))
        op.place().add(self, table, g, INDICES, scale, prog, bool(op.of_table))
        self.setOutTensor(0, table)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The accumulator takes the layout of the output."""
        return InputCreatorType.CanUnwind if i == VAR else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Any, inIndex: int, outIndex: int) -> Any:
        """The output's layout, since the output is the accumulator."""
        return tensor


def connect_sparse(dense: AccumulateOp, gather: TiedGatherGradOp, axis: int) -> SparseAccumulateOp:
    """Adds the SparseAccumulate of a gather's gradient behind the Accumulate of the dense one."""
    graph = dense.graph
    mode, number = dense.attributes["mode"], "dampeningScaleFactor1"
    scalars, part = dense.scalar_inputs(), gather.place()
    inputs = {GRADIENT: gather.inId(0), INDICES: gather.inId(1)}
    attributes: dict[str, Any] = {
        "mode": "Add" if mode == "Add" else "DampenedAdd",
        "axis": axis,
        "part": part.number,
        "parts": part.parts,
        "of_table": True,
    }
    if mode == "Mean":
        inputs[FACTOR] = _inverse(graph, dense.inTensor(scalars["counter"]))
    elif number in scalars:
        inputs[FACTOR] = dense.inId(scalars[number])
    elif mode != "Add":
        attributes["factor"] = float(dense.attributes[number])
    name = f"SparseAccumulate/{dense.inId(VAR)}/{part.number}"
    return put_behind(dense, name, inputs, attributes)


def put_behind(
    dense: AccumulateOp, name: str, inputs: dict[int, str], attributes: dict[str, Any]
) -> SparseAccumulateOp:
    """Adds a SparseAccumulate to what `dense` accumulates in, behind that operator and those of
    this kind behind it, with the factors of its gradient. `inputs` are the others, by index.
    """
    graph, last = dense.graph, dense.outTensor(0)
    scales = [dense.inId(i) for i in dense.input if i >= dense.first_factor()]
    while chained := [op for op in last.uses if isinstance(op, SparseAccumulateOp)]:
        last = chained[0].outTensor(0)
    readers = list(last.uses)
    op = SparseAccumulateOp(SPARSE, Op.Settings(graph, name), attributes)
    connected = {VAR: last.id, **inputs, **dict(enumerate(scales, FIRST_SCALE))}
    out = graph.uniqueId(f"{dense.outId(0)}/sparse")
    graph.createConnectedOp(lambda: op, connected, {0: out})
    for reader in readers:
        for i in [i for i, t in reader.input.items() if t is last]:
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


SPARSE = graphcore_id("PopartSparseAccumulate")
OpCreator(SparseAccumulateOp, [SPARSE], isPublic=False)
OpxCreator(SparseAccumulateOpx, [SPARSE])
