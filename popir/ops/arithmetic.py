"""The arithmetic of one Opx, in the type in which sums are formed.

HALF and BFLOAT16 are what tensors are stored as. What lies between the inputs and the result of an
operator (squares, sums, means, products) is FLOAT, and the result is rounded once. Other types
compute as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from popir import poplar, popops
from popir.ops import symbolic as s
from popir.ops.shapes import summedDims
from popir.ops.symbolic import Expr
from popir.opx import Opx
from popir.poplar import Tensor, Type, program
from popir.popops import expr as pe
from popir.types import DataType

_HALVES = {poplar.HALF: np.float16, poplar.BFLOAT16: ml_dtypes.bfloat16}
_FLOATS = (*_HALVES, poplar.FLOAT, poplar.DOUBLE)
_OF_REALS = {"Erf"}
"""Functions that ONNX has of integers too, and popops of real numbers alone."""


def accumulator(kind: Type) -> Type:
    """The type in which elements of `kind` are added up."""
    return poplar.FLOAT if kind in _HALVES else kind


def isFloat(kind: Type) -> bool:
    """Whether elements of `kind` are floating-point numbers."""
    return kind in _FLOATS


def accumulatorOf(kind: DataType) -> DataType:
    """The same of a tensor's type."""
    return DataType.FLOAT if kind in (DataType.FLOAT16, DataType.BFLOAT16) else kind


def deviceTree(e: Expr, operands: Sequence[Tensor], out: Type | None = None) -> Any:
    """`e` as popops takes it, over operands of any floating-point types, giving elements of `out`,
    or else of the accumulator of the widest operand.

    popops rounds a number to the type of the operands that it meets: the operands are widened where
    that would change it. Integers that are made of real numbers, or by functions of real numbers
    alone, are computed in double and cut off after the point.
    """
    kinds = [t.elementType() for t in operands]
    floats = {kind for kind in kinds if kind in _FLOATS}
    isWhole = out is not None and out not in (*_FLOATS, poplar.BOOL)
    if (floats and isWhole) or (not floats and s.functions(e) & _OF_REALS):
        reals = {i: pe.Cast(pe.PlaceHolder(i + 1), poplar.DOUBLE) for i in range(len(kinds))}
        return pe.Cast(s.toDevice(e, pe, reals), out or kinds[0])
    if out is not None and (floats <= {out}) and all(_holds(out, x) for x in s.numbers(e)):
        return s.toDevice(e, pe)
    wide = poplar.DOUBLE if poplar.DOUBLE in kinds else poplar.FLOAT
    casts = {
        i: pe.Cast(pe.PlaceHolder(i + 1), wide)
        for i, kind in enumerate(kinds)
        if kind in floats and kind != wide
    }
    tree = s.toDevice(e, pe, casts)
    return tree if out is None or out == wide or out not in _FLOATS else pe.Cast(tree, out)


def share(count: int) -> float:
    """What one of so many elements counts for in their mean. The mean of none is no number."""
    return 1 / count if count else math.nan


def _holds(kind: Type, number: s.Number) -> bool:
    """Whether a number is the same as an element of a type."""
    if kind not in _HALVES:
        return True
    with np.errstate(over="ignore"):
        exact = np.float32(number)
        return bool(exact.astype(_HALVES[kind]).astype(np.float32) == exact)


class Arithmetic:
    """Maps and reductions for an Opx. Floating-point operands may be of several types; results are
    of the widest one's accumulator unless `out` names a type.
    """

    def __init__(self, opx: Opx, prog: program.Sequence) -> None:
        self._opx = opx
        self._prog = prog

    def map(
        self, e: Expr, operands: Sequence[Tensor], name: str = "", out: Type | None = None
    ) -> Tensor:
        """One pass."""
        tree, context = deviceTree(e, operands, out), self._opx.debugContext(name)
        return popops.map(self._opx.graph(), tree, list(operands), self._prog, context)

    def converted(self, t: Tensor, kind: Type, name: str = "") -> Tensor:
        """The same elements as `kind`: `t` itself if that is its type."""
        if t.elementType() == kind:
            return t
        tree, context = pe.Cast(pe._1, kind), self._opx.debugContext(name)
        return popops.map(self._opx.graph(), tree, [t], self._prog, context)

    def mapWithOutput(self, e: Expr, operands: Sequence[Tensor], out: Tensor, name: str) -> None:
        """The same into `out`."""
        tree = deviceTree(e, operands, out.elementType())
        context = self._opx.debugContext(name)
        popops.mapWithOutput(self._opx.graph(), tree, list(operands), out, self._prog, context)

    def mapInPlace(self, e: Expr, operands: Sequence[Tensor], name: str = "") -> None:
        """The same into the first operand."""
        tree = deviceTree(e, operands, operands[0].elementType())
        context = self._opx.debugContext(name)
        popops.mapInPlace(self._opx.graph(), tree, list(operands), self._prog, context)

    def reduce(
        self,
        t: Tensor,
        dims: Sequence[int],
        name: str = "",
        operation: popops.Operation = popops.Operation.ADD,
        out: Type | None = None,
    ) -> Tensor:
        """All elements along `dims` joined, by default added up; these dimensions go."""
        kind = out or accumulator(t.elementType())
        params, context = popops.ReduceParams(operation), self._opx.debugContext(name)
        return popops.reduce(self._opx.graph(), t, kind, list(dims), params, self._prog, context)

    def separate(self, t: Tensor) -> Tensor:
        """`t`, or a copy of it if it shows memory of an input, as what had nothing to do gives."""
        inputs = [self._opx.getInTensor(i) for i in self._opx.op_p.input]
        if all(t.variables().isdisjoint(given.variables()) for given in inputs):
            return t
        return self._opx.cloneNcopy(self._prog, t)

    def reduceTo(self, t: Tensor, shape: Sequence[int], name: str, out: Type) -> Tensor:
        """`t` added up over what numpy's rule would broadcast `shape` to, of shape `shape`; a view
        of `t` where there is nothing to add up or to convert (`separate`).
        """
        dims = summedDims(t.shape(), shape)
        found = self.reduce(t, dims, name, out=out) if dims else self.converted(t, out, name)
        return found.reshape(list(shape))
