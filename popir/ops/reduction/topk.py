"""TopK: the k largest or smallest elements along an axis, and their indices."""

from __future__ import annotations

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op
from popir.ir import Tensor as IrTensor
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import axis, const_number, product
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo


class TopKOp(Op):
    """ONNX's TopK, versions 1, 10, 11 and 24. k is an attribute in version 1, then an input that
    must be known at compile time.

    Of equal elements the ones of lower indices are taken, and stand first. A NaN is larger than
    every number. Without `sorted`, whose order ONNX leaves open, the elements are sorted as well.
    """

    constantInputs = frozenset({1})
    nonDifferentiableOutputs = frozenset({1})
    withoutMeaning = {"sorted": "the elements are sorted in any case."}
    axis: int
    k: int | None
    largest: bool | None
    sorted: bool | None

    def along(self) -> int:
        """The axis, counted from 0. Raises OperatorAttributeError if it is out of range."""
        return axis(self, self.axis, self.inRank(0))

    def count(self) -> int:
        """The number of elements, k.

        Raises OperatorInputError unless it is one number of at least 0 that the axis has,
        OperatorAttributeError for such an attribute.
        """
        given, size = const_number(self, 1), self.inShape(0)[self.along()]
        k = self.k if given is None else int(given)
        if k is None or not 0 <= k <= size:
            error = OperatorAttributeError if given is None else OperatorInputError
            raise error(
                f"{self.debugName()}: K is {k}; the axis {self.along()} of {self.inShape(0)} has "
                f"{size} elements, so that K is 0 to {size}."
            )
        return k

    def takes_largest(self) -> bool:
        """Whether the largest elements are taken; so it is where there is no such attribute."""
        return self.largest is None or self.largest

    def setup(self) -> None:
        """Infers the input's shape with k for the axis; the indices are INT64."""
        shape = self.inShape(0)
        shape[self.along()] = self.count()
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))
        if self.hasOutput(1):
            self.setOutInfo(1, TensorInfo(DataType.INT64, shape))

    def getGradOps(self) -> list[Op]:
        """One gradient operator, a TopKGrad."""
        return [TopKGradOp(self)]


class TopKGradOp(InputGradOp):
    """Zeros, with the gradient of each value where it was taken from. Inputs: the gradient of the
    values, and their indices; or the input, where the model has no indices.
    """

    opid = graphcore_id("TopKGrad")

    def __init__(self, fwdOp: TopKOp) -> None:
        super().__init__(fwdOp)
        self.has_indices = fwdOp.hasOutput(1)
        self.along, self.largest = fwdOp.along(), fwdOp.takes_largest()

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The gradient, and the indices or the input."""
        source = GradInOutMapper(1, 1, OUT) if self.has_indices else GradInOutMapper(1, 0, IN)
        return [GradInOutMapper(0, 0, GRAD), source]

    def decompose(self, on: Decomposer, g: IrTensor, source: IrTensor) -> IrTensor:
        """A ScatterElements into zeros, at the indices that are given or that TopK finds again."""
        if not self.has_indices:
            k = on.ints(on.shape(g)[self.along])
            options = {"axis": self.along, "largest": int(self.largest)}
            _, source = on.TopK(source, k, outputs=2, **options)
        return on.ScatterElements(on.zeros(self.target()), source, g, axis=self.along)


def _rows(t: Tensor, along: int) -> Tensor:
    """`t` as a matrix of rows along an axis."""
    size = t.dim(along)
    last = t.dimRoll(along, t.rank() - 1)
    return last.reshape([product(d for i, d in enumerate(t.shape()) if i != along), size])


def _from_rows(t: Tensor, along: int, shape: list[int]) -> Tensor:
    """The matrix of `_rows`, back in the shape `shape`."""
    rolled = [*shape[:along], *shape[along + 1 :], shape[along]]
    return t.reshape(rolled).dimRoll(len(shape) - 1, along)


def _params(k: int, largest: bool) -> popops.TopKParams:
    """The best of k elements first."""
    order = popops.SortOrder.DESCENDING if largest else popops.SortOrder.ASCENDING
    return popops.TopKParams(k, largest, order, True)


class TopKOpx(Opx):
    """The lowering of TopK, by popops::topKWithPermutation."""

    def grow(self, prog: program.Sequence) -> None:
        """Chooses from rows along the axis, and casts the indices to INT64."""
        op, shape = self.getOp(TopKOp), self.outShape(0)
        along, rows = op.along(), _rows(self.getInTensor(0), op.along())
        params, context = _params(op.count(), op.takes_largest()), self.debugContext()
        values, index = popops.topKWithPermutation(self.graph(), prog, rows, params, context)
        self.setOutTensor(0, _from_rows(values, along, shape))
        if self.hasOutput(1):
            context = self.debugContext("cast")
            wide = popops.cast(self.graph(), index, poplar.LONGLONG, prog, context)
            self.setOutTensor(1, _from_rows(wide, along, shape))


class TopKGradOpx(Opx):
    """The lowering of the gradient: a scatter into zeros."""

    def grow(self, prog: program.Sequence) -> None:
        """Fills with zeros, and calls popops::groupedMultiUpdate with a group for each row."""
        op, shape = self.getOp(TopKGradOp), self.outShape(0)
        graph, g = self.graph(), _rows(self.getInTensor(0), op.along)
        rows, k = g.shape()
        linear = poplar.VariableMappingMethod.LINEAR
        size = [rows, shape[op.along]]
        out = graph.addVariable(popType(self.outInfo(0)), size, linear, self.debugContext())
        popops.zero(graph, out, prog, self.debugContext("zero"))
        if g.numElements():
            offsets = self._offsets(op, k, prog).reshape([rows, k, 1])
            target, slices = out.expand([2]), g.reshape([rows, k, 1, 1])
            context = self.debugContext("scatter")
            popops.groupedMultiUpdate(
                graph, target, slices, offsets, [0], [1], prog, debugContext=context
            )
        self.setOutTensor(0, _from_rows(out, op.along, shape))

    def _offsets(self, op: TopKGradOp, k: int, prog: program.Sequence) -> Tensor:
        given = _rows(self.getInTensor(1), op.along)
        if op.has_indices:
            tree, context = pe.Cast(pe._1, poplar.INT), self.debugContext("offsets")
            return popops.map(self.graph(), tree, [given], prog, context)
        params, context = _params(k, op.largest), self.debugContext("indices")
        return popops.topKWithPermutation(self.graph(), prog, given, params, context)[1]


_IDS = onnx_ids("TopK", 1, 10, 11, 24)
OpCreator(TopKOp, _IDS)
OpxCreator(TopKOpx, _IDS)
OpxCreator(TopKGradOpx, TopKGradOp.opid)
