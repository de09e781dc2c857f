"""Softmax and LogSoftmax: over one axis from version 13 on, over all dimensions from an axis on
before.
"""

from __future__ import annotations

from collections.abc import Callable

from popir import ext
from popir.ir import Op
from popir.ops.gradient import GRAD, OUT, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import axis, product
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator


class SoftmaxOp(Op):
    """exp(x) / sum(exp(x)) over the axis, or over all dimensions from it on."""

    axis: int

    def rows(self) -> tuple[int, bool]:
        """The axis, counted from 0, and whether all dimensions after it belong to it."""
        return axis(self, self.axis, max(self.inRank(0), 1)), self.opid.version < 13

    def setup(self) -> None:
        """The output is like the input."""
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        """One."""
        return [SoftmaxGradOp(self, self.rows())]


class LogSoftmaxOp(SoftmaxOp):
    """The logarithm of the softmax."""

    def getGradOps(self) -> list[Op]:
        """One."""
        return [LogSoftmaxGradOp(self, self.rows())]


class SoftmaxGradOp(InputGradOp):
    """From the output and its gradient."""

    opid = graphcoreId("SoftmaxGrad")
    reads = [(GRAD, 0), (OUT, 0)]

    def __init__(self, fwdOp: Op, rows: tuple[int, bool]) -> None:
        super().__init__(fwdOp)
        self._rows = rows

    def rows(self) -> tuple[int, bool]:
        """As in the forward operator."""
        return self._rows


class LogSoftmaxGradOp(SoftmaxGradOp):
    """From the output and its gradient."""

    opid = graphcoreId("LogSoftmaxGrad")


def _asRows(t: Tensor, rows: tuple[int, bool]) -> Tensor:
    """A matrix whose rows the function is applied to."""
    a, flat = rows
    shape = list(t.shape()) or [1]
    if flat:
        return t.reshape([product(shape[:a]), product(shape[a:])])
    last = t.reshape(shape).dimRoll(a, len(shape) - 1)
    return last.reshape([product(shape) // max(shape[a], 1), shape[a]])


def _fromRows(t: Tensor, rows: tuple[int, bool], shape: list[int]) -> Tensor:
    """The matrix in the shape that it came from."""
    a, flat = rows
    if flat or not shape:
        return t.reshape(shape)
    return t.reshape([*shape[:a], *shape[a + 1 :], shape[a]]).dimRoll(len(shape) - 1, a)


class SoftmaxOpx(Opx):
    """Both functions."""

    function: Callable[..., Tensor] = staticmethod(ext.softmax)

    def grow(self, prog: program.Sequence) -> None:
        """One pass over rows."""
        rows = self.getOp(SoftmaxOp).rows()
        out = self.function(
            self.graph(), _asRows(self.getInTensor(0), rows), prog, self.debugContext()
        )
        self.setOutTensor(0, _fromRows(out, rows, self.outShape(0)))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The input's layout is the output's."""
        return InputCreatorType.CanUnwind

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """Element by element."""
        return tensor


class LogSoftmaxOpx(SoftmaxOpx):
    """The logarithm."""

    function = staticmethod(ext.logSoftmax)


class SoftmaxGradOpx(Opx):
    """Both gradients."""

    function: Callable[..., Tensor] = staticmethod(ext.softmaxGrad)

    def grow(self, prog: program.Sequence) -> None:
        """One pass over rows."""
        rows = self.getOp(SoftmaxGradOp).rows()
        g, y = _asRows(self.getInTensor(0), rows), _asRows(self.getInTensor(1), rows)
        out = self.function(self.graph(), y, g, prog, self.debugContext())
        self.setOutTensor(0, _fromRows(out, rows, self.outShape(0)))


class LogSoftmaxGradOpx(SoftmaxGradOpx):
    """The logarithm's."""

    function = staticmethod(ext.logSoftmaxGrad)


for _name, _op, _opx in (
    ("Softmax", SoftmaxOp, SoftmaxOpx),
    ("LogSoftmax", LogSoftmaxOp, LogSoftmaxOpx),
):
    OpCreator(_op, onnxIds(_name, 1, 11, 13))
    OpxCreator(_opx, onnxIds(_name, 1, 11, 13))
OpxCreator(SoftmaxGradOpx, SoftmaxGradOp.opid)
OpxCreator(LogSoftmaxGradOpx, LogSoftmaxGradOp.opid)
