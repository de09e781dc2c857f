"""Softmax and LogSoftmax: over one axis from version 13 on; before, over all dimensions from an
axis on.
"""

from __future__ import annotations

from collections.abc import Callable

from popir import ext
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, OUT, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import axis, product
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator


class SoftmaxOp(Op):
    """ONNX's Softmax, versions 1, 11 and 13: exp(x) / sum(exp(x)) over `axis`; before version 13,
    over all dimensions from `axis` on.
    """

    axis: int

    def rows(self) -> tuple[int, bool]:
        """The axis, counted from 0, and whether all dimensions after it belong to a row, too."""
        return axis(self, self.axis, max(self.inRank(0), 1)), self.opid.version < 13

    def setup(self) -> None:
        """Infers the type and shape of the input."""
        self.setOutInfo(0, self.inInfo(0))

    def dimensionNames(self) -> Dimensions | None:
        """All that are not in a row."""
        first, flat = self.rows()
        return Dimensions.same(self.inRank(0), range(first, self.inRank(0) if flat else first + 1))

    def getGradOps(self) -> list[Op]:
        """One gradient operator, a SoftmaxGrad."""
        return [SoftmaxGradOp(self, self.rows())]


class LogSoftmaxOp(SoftmaxOp):
    """ONNX's LogSoftmax, versions 1, 11 and 13: the logarithm of the softmax."""

    def getGradOps(self) -> list[Op]:
        """One gradient operator, a LogSoftmaxGrad."""
        return [LogSoftmaxGradOp(self, self.rows())]


class SoftmaxGradOp(InputGradOp):
    """The gradient of a Softmax. Inputs: the output's gradient and the output."""

    opid = graphcore_id("SoftmaxGrad")
    reads = [(GRAD, 0), (OUT, 0)]

    def __init__(self, fwdOp: Op, rows: tuple[int, bool]) -> None:
        super().__init__(fwdOp)
        self._rows = rows

    def rows(self) -> tuple[int, bool]:
        """The axis, and whether all dimensions after it belong to a row, as in the forward
        operator.
        """
        return self._rows

    def total(self, on: Decomposer, t: IrTensor) -> IrTensor:
        """The sum of each row."""
        axis, flat = self._rows
        dims = range(axis, len(on.shape(t))) if flat else [axis]
        return on.ReduceSum(t, on.ints(*dims), keepdims=1)

    def decompose(self, on: Decomposer, g: IrTensor, y: IrTensor) -> IrTensor:
        """y (g - sum of g y), by operators."""
        return on.Mul(y, on.Sub(g, self.total(on, on.Mul(g, y))))


class LogSoftmaxGradOp(SoftmaxGradOp):
    """The gradient of a LogSoftmax. Inputs: the output's gradient and the output."""

    opid = graphcore_id("LogSoftmaxGrad")

    def decompose(self, on: Decomposer, g: IrTensor, y: IrTensor) -> IrTensor:
        """g - exp(y) times the sum of g, by operators."""
        return on.Sub(g, on.Mul(on.Exp(y), self.total(on, g)))


def _as_rows(t: Tensor, rows: tuple[int, bool]) -> Tensor:
    """`t` as a matrix, with one row for each application of the function."""
    a, flat = rows
    shape = list(t.shape()) or [1]
    if flat:
        return t.reshape([product(shape[:a]), product(shape[a:])])
    last = t.reshape(shape).dimRoll(a, len(shape) - 1)
    return last.reshape([product(shape) // max(shape[a], 1), shape[a]])


def _from_rows(t: Tensor, rows: tuple[int, bool], shape: list[int]) -> Tensor:
    """The matrix of `_as_rows`, back in the shape `shape`."""
    a, flat = rows
    if flat or not shape:
        return t.reshape(shape)
    return t.reshape([*shape[:a], *shape[a + 1 :], shape[a]]).dimRoll(len(shape) - 1, a)


class SoftmaxOpx(Opx):
    """The lowering of Softmax, by ext::softmax; LogSoftmaxOpx has another `function`."""

    function: Callable[..., Tensor] = staticmethod(ext.softmax)

    def grow(self, prog: program.Sequence) -> None:
        """Calls `function` on the rows of the input."""
        rows = self.getOp(SoftmaxOp).rows()
        out = self.function(
            self.graph(), _as_rows(self.getInTensor(0), rows), prog, self.debugContext()
        )
        self.setOutTensor(0, _from_rows(out, rows, self.outShape(0)))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The input takes the layout of the output."""
        return InputCreatorType.CanUnwind

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The output's layout, unchanged: input and output have the same shape."""
        return tensor


class LogSoftmaxOpx(SoftmaxOpx):
    """The lowering of LogSoftmax, by ext::logSoftmax."""

    function = staticmethod(ext.logSoftmax)


class SoftmaxGradOpx(Opx):
    """The lowering of SoftmaxGrad, by ext::softmaxGrad."""

    function: Callable[..., Tensor] = staticmethod(ext.softmaxGrad)

    def grow(self, prog: program.Sequence) -> None:
        """Calls `function` on the rows of the output and its gradient."""
        rows = self.getOp(SoftmaxGradOp).rows()
        g, y = _as_rows(self.getInTensor(0), rows), _as_rows(self.getInTensor(1), rows)
        out = self.function(self.graph(), y, g, prog, self.debugContext())
        self.setOutTensor(0, _from_rows(out, rows, self.outShape(0)))


class LogSoftmaxGradOpx(SoftmaxGradOpx):
    """The lowering of LogSoftmaxGrad, by ext::logSoftmaxGrad."""

    function = staticmethod(ext.logSoftmaxGrad)


for _name, _op, _opx in (
    ("Softmax", SoftmaxOp, SoftmaxOpx),
    ("LogSoftmax", LogSoftmaxOp, LogSoftmaxOpx),
):
    OpCreator(_op, onnx_ids(_name, 1, 11, 13))
    OpxCreator(_opx, onnx_ids(_name, 1, 11, 13))
OpxCreator(SoftmaxGradOpx, SoftmaxGradOp.opid)
OpxCreator(LogSoftmaxGradOpx, LogSoftmaxGradOp.opid)
