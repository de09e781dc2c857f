"""ScatterRows: what every operator that scatters consists of.

It is popir's own: ScatterElements, ScatterND, Scatter and TensorScatter compute row numbers, and
this operator writes the rows, or computes them into what is there.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op, OperatorIdentifier
from popir.ir import Tensor as IrTensor
from popir.ir.traits import Array
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator, accumulator_of
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.inplace import OverwritingOp, variant_id
from popir.ops.support.second_order import taken_or_zero
from popir.ops.support.symbolic import Arg
from popir.opx import Opx, popType
from popir.poplar import Tensor, Type, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

DATA, UPDATES, ROWS = 0, 1, 2

_COMPUTE = {
    "none": None,
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
REDUCTIONS = tuple(_COMPUTE)
"""What may be done with an update: written, or computed with the element that is there."""

_NARROW = (
    poplar.BOOL,
    poplar.CHAR,
    poplar.SIGNED_CHAR,
    poplar.UNSIGNED_CHAR,
    poplar.SHORT,
    poplar.UNSIGNED_SHORT,
)


def computed_in(kind: Type, reduction: str) -> Type:
    """The type in which elements of `kind` are computed."""
    if reduction == "none":
        return kind
    if kind in _NARROW:
        return poplar.INT
    return accumulator(kind) if reduction in ("add", "mul") else kind


class ScatterRowsOp(OverwritingOp):
    """Input 0, data [places, width], with the rows of input 1, updates [count, width], at the row
    numbers in input 2, INT32 or INT64 [count].

    `reduction` says what an update does with the row that is there: "none" replaces it, the last
    update if there are several; "add", "mul", "max" and "min" compute, in the order of the updates.
    FLOAT16 and BFLOAT16 are summed and multiplied in float, and rounded once. An update at a
    number that is none of a row is left out.
    """

    reduction: str

    def setup(self) -> None:
        """Infers the type and shape of the data. Raises OperatorAttributeError for an unknown
        reduction, OperatorInputError for shapes that do not match.
        """
        if self.reduction not in REDUCTIONS:
            raise OperatorAttributeError(
                f"{self.debugName()}: the reduction is '{self.reduction}'; it must be one of "
                f"{', '.join(REDUCTIONS)}."
            )
        data, updates, rows = (self.inShape(i) for i in (DATA, UPDATES, ROWS))
        if len(data) != 2 or len(rows) != 1 or updates != [rows[0], data[1]]:
            raise OperatorInputError(
                f"{self.debugName()}: the data is {data}, the updates {updates}, the rows {rows}; "
                "they must be [places, width], [count, width] and [count]."
            )
        self.setOutInfo(0, self.inInfo(DATA))

    def inplacePriorityDefault(self) -> list[tuple[OperatorIdentifier, float]]:
        """The variant that overwrites the data, if that is computed in its own type."""
        kind = popType(self.inInfo(DATA))
        if kind != computed_in(kind, self.reduction):
            return []
        return [found for found in super().inplacePriorityDefault() if found[0] == _INPLACE]

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The same by numpy."""
        if len(inputs) < 3:
            return None
        data, updates, rows = (inputs[i] for i in (DATA, UPDATES, ROWS))
        known = (rows >= 0) & (rows < len(data))
        rows, updates = rows[known], updates[known]
        compute = _COMPUTE[self.reduction]
        if compute is None:
            out = data.copy()
            out[rows] = updates
            return [out]
        kind = self.inInfo(DATA).dataType()
        wide = accumulator_of(kind).numpy
        if data.dtype.itemsize == 1:
            wide = np.dtype(np.int32)
        out = data.astype(wide)
        with np.errstate(all="ignore"):
            compute.at(out, rows, updates.astype(wide))
        return [out.astype(data.dtype)]

    def getGradOps(self) -> list[Op]:
        """One gradient operator for the data and one for the updates."""
        return [ScatterRowsGradOp(self, DATA), ScatterRowsGradOp(self, UPDATES)]


class ScatterRowsGradOp(InputGradOp):
    """The gradient of the data or of the updates, as PyTorch's scatter and scatter_reduce have it.

    "none": 0 in replaced rows; each update of a row gets the output's gradient there. "add": the
    output's gradient, and its rows. "mul": times the product of the other factors. "max" and "min":
    shared equally among the elements that are the result.
    """

    opid = graphcore_id("ScatterRowsDataGrad")
    updates_opid = graphcore_id("ScatterRowsUpdatesGrad")

    def __init__(self, fwdOp: ScatterRowsOp, index: int) -> None:
        super().__init__(fwdOp, index, self.updates_opid if index == UPDATES else None)
        self.reduction = fwdOp.reduction
        self.of_updates = index == UPDATES

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient and the rows; the other tensors too where an update computes."""
        found = [(GRAD, 0), (IN, ROWS)]
        if self.reduction in ("mul", "max", "min"):
            found += [(IN, DATA), (IN, UPDATES), (OUT, 0)]
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(found)]

    def decompose(self, on: Decomposer, g: IrTensor, rows: IrTensor, *given: IrTensor) -> IrTensor:
        """Rows that are taken or scattered."""
        if self.reduction == "mul":
            return self._product(on, g, rows, *given)
        if self.reduction in ("max", "min"):
            return self._share(on, g, rows, *given)
        if self.of_updates:
            return taken_or_zero(on, g, rows)
        if self.reduction == "add":
            return g
        zeros = on.zeros(TensorInfo(on.info(g).dataType(), [on.shape(rows)[0], on.shape(g)[1]]))
        return self._scattered(on, g, zeros, rows, "none")

    def _scattered(
        self, on: Decomposer, t: IrTensor, updates: IrTensor, rows: IrTensor, reduction: str
    ) -> IrTensor:
        attributes = {"reduction": reduction}
        found = on.add("ai.graphcore", "ScatterRows", 1, [t, updates, rows], 1, attributes)
        assert isinstance(found, IrTensor)
        return found

    def _product(
        self,
        on: Decomposer,
        g: IrTensor,
        rows: IrTensor,
        data: IrTensor,
        updates: IrTensor,
        _out: IrTensor,
    ) -> IrTensor:
        """The gradient times the product of the other factors, without a quotient: with factors
        that are 0 none is differentiable.
        """
        if not self.of_updates:
            ones = on.Expand(on.like(1, data), on.ints(*on.shape(data)))
            return on.Mul(g, self._scattered(on, ones, updates, rows, "mul"))
        others = on.Mul(taken_or_zero(on, data, rows), _of_others(on, updates, rows))
        return on.Mul(taken_or_zero(on, g, rows), others)

    def _share(
        self,
        on: Decomposer,
        g: IrTensor,
        rows: IrTensor,
        data: IrTensor,
        updates: IrTensor,
        out: IrTensor,
    ) -> IrTensor:
        """The gradient over the number of elements that are the extremum, for those."""
        kind = on.info(g).dataType()
        is_data = on.Equal(data, out)
        is_update = on.Equal(updates, taken_or_zero(on, out, rows))
        hits = on.cast(is_update, kind)
        count = self._scattered(on, on.cast(is_data, kind), hits, rows, "add")
        # Where nothing is the extremum, as at NaN, nothing is shared either.
        share = on.Div(g, on.Max(count, on.like(1, g)))
        if not self.of_updates:
            return on.Where(is_data, share, on.like(0, g))
        return on.Where(is_update, taken_or_zero(on, share, rows), on.like(0, g))


def _of_others(on: Decomposer, updates: IrTensor, rows: IrTensor) -> IrTensor:
    """For each update the product of the others of its row.

    Sorted by row, that is the product of those before it times that of those behind. In each of
    log2(count) steps products of twice as many are made.
    """
    count, width = on.shape(updates)
    ordered, order = on.TopK(rows, on.ints(count), axis=0, largest=0, outputs=2)
    one = on.like(1, updates)

    def part(t: IrTensor, begin: int, end: int) -> IrTensor:
        return on.Slice(t, on.ints(begin), on.ints(end), on.ints(0))

    def of_row(t: IrTensor, distance: int) -> IrTensor:
        """`t`, with 1 where updates of this distance are not of one row."""
        same = on.Equal(part(ordered, distance, count), part(ordered, 0, count - distance))
        return on.Where(on.Unsqueeze(same, on.ints(1)), t, one)

    before = behind = on.Gather(updates, order, axis=0)
    distance = 1
    while distance < count:
        near, far = part(before, 0, distance), part(before, distance, count)
        more = of_row(part(before, 0, count - distance), distance)
        before = on.Concat(near, on.Mul(far, more), axis=0)
        far, near = part(behind, 0, count - distance), part(behind, count - distance, count)
        more = of_row(part(behind, distance, count), distance)
        behind = on.Concat(on.Mul(far, more), near, axis=0)
        distance *= 2
    end = on.Expand(one, on.ints(1, width))
    before = on.Concat(end, of_row(part(before, 0, count - 1), 1), axis=0)
    behind = on.Concat(of_row(part(behind, 1, count), 1), end, axis=0)
    _, back = on.TopK(order, on.ints(count), axis=0, largest=0, outputs=2)
    return on.Gather(on.Mul(before, behind), back, axis=0)


class _Rows:
    """popops' functions on the rows of an operator."""

    def __init__(self, opx: Opx, prog: program.Sequence, rows: Tensor, places: int) -> None:
        self._opx, self._prog = opx, prog
        self.count = rows.numElements()
        if rows.elementType() != poplar.INT:
            # Numbers that do not fit 32 bits are those of no row either.
            known = pe.Select(pe._1, pe.Const(-1), pe.Lt(pe._1, pe.Const(places)))
            known = pe.Select(known, pe.Const(-1), pe.Gte(pe._1, pe.Const(0)))
            tree, context = pe.Cast(known, poplar.INT), opx.debugContext("rows")
            rows = popops.map(opx.graph(), tree, [rows], prog, context)
        self._offsets = rows.expand([1])

    def taken(self, t: Tensor) -> Tensor:
        """The rows of `t`; 0 for a number that is none of a row."""
        context = self._opx.debugContext("take")
        graph, prog = self._opx.graph(), self._prog
        found = popops.multiSlice(graph, t, self._offsets, [0], [1], prog, debugContext=context)
        return found.squeeze([1])

    def update(self, t: Tensor, updates: Tensor, reduction: str) -> None:
        """Writes the updates to `t`, or computes them into it."""
        graph, context = self._opx.graph(), self._opx.debugContext(reduction)
        slices, offsets, prog = updates.expand([1]), self._offsets, self._prog
        if reduction == "add":
            one = self._opx.getConst(t.elementType(), [], 1, "one")
            popops.multiUpdateAdd(
                graph, t, slices, offsets, one, [0], [1], prog, debugContext=context
            )
            return
        functions = {
            "none": popops.multiUpdate,
            "mul": popops.multiUpdateMul,
            "max": popops.multiUpdateMax,
            "min": popops.multiUpdateMin,
        }
        update = functions[reduction]
        update(graph, t, slices, offsets, [0], [1], prog, debugContext=context)


def _filled(opx: Opx, prog: program.Sequence, like: Tensor, value: float, name: str) -> Tensor:
    linear = poplar.VariableMappingMethod.LINEAR
    context = opx.debugContext(name)
    out = opx.graph().addVariable(like.elementType(), like.shape(), linear, context)
    popops.fill(opx.graph(), out, prog, value, context)
    return out


def _flags(
    opx: Opx, prog: program.Sequence, condition: pe.Expr, operands: list[Tensor], kind: Type
) -> Tensor:
    """1 where the condition is true and 0 elsewhere, as elements of `kind`."""
    context = opx.debugContext("flags")
    return popops.map(opx.graph(), pe.Cast(condition, kind), operands, prog, context)


class ScatterRowsOpx(Opx):
    """The lowering: a copy of the data, and one update."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls popops::multiUpdate or that of the reduction; narrow types are computed in wider
        ones.
        """
        op, arithmetic = self.getOp(ScatterRowsOp), Arithmetic(self, prog)
        data, updates = self.getInTensor(DATA), self.getInTensor(UPDATES)
        out = data if op.overwritten() is not None else self.cloneNcopy(prog, data)
        if data.numElements() == 0 or updates.numElements() == 0:
            self.setOutTensor(0, out)
            return
        kind = data.elementType()
        wide = computed_in(kind, op.reduction)
        if wide != kind:
            out = arithmetic.converted(data, wide, "wide")
            updates = arithmetic.converted(updates, wide, "wideUpdates")
        rows = _Rows(self, prog, self.getInTensor(ROWS), data.dim(0))
        rows.update(out, updates, op.reduction)
        self.setOutTensor(0, arithmetic.converted(out, kind, "narrow"))


class ScatterRowsGradOpx(Opx):
    """The lowering of both gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds what the reduction needs, computed in float for FLOAT16 and BFLOAT16."""
        op, arithmetic = self.getOp(ScatterRowsGradOp), Arithmetic(self, prog)
        g, kind = self.getInTensor(0), popType(op.target())
        if op.target().nelms() == 0:
            linear = poplar.VariableMappingMethod.LINEAR
            empty = self.graph().addVariable(kind, op.target().shape(), linear, self.debugContext())
            self.setOutTensor(0, empty)
            return
        if self.getInTensor(1).numElements() == 0:  # There is no update.
            self.setOutTensor(0, self.cloneNcopy(prog, g))
            return
        rows = _Rows(self, prog, self.getInTensor(1), g.dim(0))
        wide = kind if op.reduction == "none" else accumulator(kind)
        operands = [arithmetic.converted(self.getInTensor(i), wide, "wide") for i in _reads(op)]
        found = _GRADIENTS[op.reduction](self, prog, rows, operands, op.of_updates)
        self.setOutTensor(0, arithmetic.converted(found, kind, "narrow"))


def _reads(op: ScatterRowsGradOp) -> list[int]:
    """The inputs of a gradient operator that are of the data's type."""
    return [i for i in sorted(op.input) if i != 1]


def _of_write(
    opx: Opx, prog: program.Sequence, rows: _Rows, operands: list[Tensor], of_updates: bool
) -> Tensor:
    (g,) = operands
    if of_updates:
        return rows.taken(g)
    out = opx.cloneNcopy(prog, g)
    zeros = opx.getConst(g.elementType(), [1, 1], 0, "zero").broadcast(rows.count, 0)
    rows.update(out, zeros.broadcast(g.dim(1), 1), "none")
    return out


def _of_sum(
    opx: Opx, prog: program.Sequence, rows: _Rows, operands: list[Tensor], of_updates: bool
) -> Tensor:
    (g,) = operands
    return rows.taken(g) if of_updates else opx.cloneNcopy(prog, g)


def _of_product(
    opx: Opx, prog: program.Sequence, rows: _Rows, operands: list[Tensor], of_updates: bool
) -> Tensor:
    """g times the product of the other factors, without a division by 0: the product without
    zeros, and how many these are, for each row.
    """
    arithmetic, (g, data, updates, _) = Arithmetic(opx, prog), operands
    kind = g.elementType()
    if not of_updates:
        factors = _filled(opx, prog, data, 1, "ones")
        rows.update(factors, updates, "mul")
        return arithmetic.map(Arg(0) * Arg(1), [g, factors], "product", out=kind)
    is_zero = s.equal(Arg(0), 0)
    zeros = _flags(opx, prog, pe.Equal(pe._1, pe.Const(0)), [updates], kind)
    factors = arithmetic.map(s.select(1, Arg(0), is_zero), [updates], "factors", out=kind)
    count, total = _filled(opx, prog, data, 0, "count"), opx.cloneNcopy(prog, data, "total")
    rows.update(count, zeros, "add")
    rows.update(total, factors, "mul")
    u, row_g, row_count, row_total = (Arg(i) for i in range(4))
    single = s.select(row_g * row_total, 0, s.equal(row_count, 1))
    others = s.select(row_g * row_total / u, 0, s.equal(row_count, 0))
    tree = s.select(single, others, s.equal(u, 0))
    return arithmetic.map(
        tree, [updates, rows.taken(g), rows.taken(count), rows.taken(total)], "product", out=kind
    )


def _of_extremum(
    opx: Opx, prog: program.Sequence, rows: _Rows, operands: list[Tensor], of_updates: bool
) -> Tensor:
    """The output's gradient over the number of elements that are the result, for those."""
    arithmetic, (g, data, updates, out) = Arithmetic(opx, prog), operands
    kind, same = g.elementType(), pe.Equal(pe._1, pe._2)
    count = _flags(opx, prog, same, [data, out], kind)
    hits = _flags(opx, prog, same, [updates, rows.taken(out)], kind)
    rows.update(count, hits, "add")
    if not of_updates:
        share = s.select(Arg(0) / Arg(1), 0, s.equal(Arg(2), Arg(3)))
        return arithmetic.map(share, [g, count, data, out], "share", out=kind)
    share = s.select(Arg(0) / Arg(1), 0, s.equal(Arg(2), 1))
    return arithmetic.map(share, [rows.taken(g), rows.taken(count), hits], "share", out=kind)


_GRADIENTS = {
    "none": _of_write,
    "add": _of_sum,
    "mul": _of_product,
    "max": _of_extremum,
    "min": _of_extremum,
}
_SCATTER_ROWS, _INPLACE = graphcore_id("ScatterRows"), variant_id("ScatterRows")
OpCreator(ScatterRowsOp, [_SCATTER_ROWS], isPublic=False)
OpxCreator(ScatterRowsOpx, [_SCATTER_ROWS, _INPLACE])
OpxCreator(ScatterRowsGradOpx, [ScatterRowsGradOp.opid, ScatterRowsGradOp.updates_opid])
