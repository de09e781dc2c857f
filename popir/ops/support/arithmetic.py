"""Arithmetic for the lowering of an operator: element-wise maps and reductions in the right types.

HALF and BFLOAT16 are storage types. Intermediate values of an operator (squares, sums, means,
products) are FLOAT, and the result is rounded once. Other types are computed in themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from popir import poplar, popops
from popir.ops.support import symbolic as s
from popir.ops.support.shapes import summed_dims
from popir.ops.support.symbolic import Expr
from popir.opx import Opx
from popir.poplar import Tensor, Type, program
from popir.popops import expr as pe
from popir.types import DataType

_HALVES = {poplar.HALF: np.float16, poplar.BFLOAT16: ml_dtypes.bfloat16}
_FLOATS = (*_HALVES, poplar.FLOAT, poplar.DOUBLE)
_OF_REALS = {"Erf"}
"""Functions that ONNX defines for integers too, but popops only for floating-point types."""


def accumulator(kind: Type) -> Type:
    """The type in which elements of `kind` are summed: FLOAT for HALF and BFLOAT16, else `kind`."""
    return poplar.FLOAT if kind in _HALVES else kind


def is_float(kind: Type) -> bool:
    """Whether `kind` is a floating-point type."""
    return kind in _FLOATS


def accumulator_of(kind: DataType) -> DataType:
    """The type in which elements of `kind` are summed: FLOAT for FLOAT16 and BFLOAT16, else
    `kind`.
    """
    return DataType.FLOAT if kind in (DataType.FLOAT16, DataType.BFLOAT16) else kind


def device_tree(e: Expr, operands: Sequence[Tensor], out: Type | None = None) -> Any:
    """`e` as a `popops.expr` tree over `operands`, with a result of type `out`, or of the
    accumulator type of the widest operand.

    popops rounds a constant to the type of the operands it meets, so operands are widened if that
    would change a constant. An integer result of floating-point operands, and of functions in
    `_OF_REALS`, is computed in DOUBLE and truncated.
    """
    kinds = [t.elementType() for t in operands]
    if out in (None, poplar.FLOAT) and all(kind == poplar.FLOAT for kind in kinds):
        return e.on_device
    floats = {kind for kind in kinds if kind in _FLOATS}
    is_whole = out is not None and out not in (*_FLOATS, poplar.BOOL)
    if (floats and is_whole) or (not floats and s.functions(e) & _OF_REALS):
        reals = {i: pe.Cast(pe.PlaceHolder(i + 1), poplar.DOUBLE) for i in range(len(kinds))}
        return pe.Cast(s.to_device(e, reals), out or kinds[0])
    if out is not None and (floats <= {out}) and all(_holds(out, x) for x in s.numbers(e)):
        return e.on_device
    wide = poplar.DOUBLE if poplar.DOUBLE in kinds else poplar.FLOAT
    casts = {
        i: pe.Cast(pe.PlaceHolder(i + 1), wide)
        for i, kind in enumerate(kinds)
        if kind in floats and kind != wide
    }
    tree = s.to_device(e, casts)
    return tree if out is None or out == wide or out not in _FLOATS else pe.Cast(tree, out)


def share(count: int) -> float:
    """The weight of one of `count` elements in their mean: 1 / count, or NaN for no elements."""
    return 1 / count if count else math.nan


def _holds(kind: Type, number: s.Number) -> bool:
    """Whether `kind` represents the number exactly."""
    if kind not in _HALVES:
        return True
    with np.errstate(over="ignore"):
        exact = np.float32(number)
        return bool(exact.astype(_HALVES[kind]).astype(np.float32) == exact)


class Arithmetic:
    """Maps and reductions for an Opx.

    Floating-point operands may have different types. A result has the accumulator type of the
    widest operand, unless `out` gives its type.
    """

    def __init__(self, opx: Opx, prog: program.Sequence) -> None:
        self._opx = opx
        self._prog = prog

    def map(
        self,
        e: Expr,
        operands: Sequence[Tensor],
        name: str = "",
        out: Type | None = None,
        vertex: str = "expression",
    ) -> Tensor:
        """The value of `e` over `operands`, as a new tensor: one element-wise pass. `vertex`: the
        option costedAs.
        """
        tree, context = device_tree(e, operands, out), self._opx.debugContext(name)
        options = {"costedAs": vertex}
        return popops.map(self._opx.graph(), tree, list(operands), self._prog, context, options)

    def converted(self, t: Tensor, kind: Type, name: str = "") -> Tensor:
        """`t` converted to type `kind`; `t` itself if it has that type."""
        if t.elementType() == kind:
            return t
        tree, context = pe.Cast(pe._1, kind), self._opx.debugContext(name)
        return popops.map(self._opx.graph(), tree, [t], self._prog, context)

    def mapWithOutput(self, e: Expr, operands: Sequence[Tensor], out: Tensor, name: str) -> None:
        """Writes the value of `e` over `operands` to `out`."""
        tree = device_tree(e, operands, out.elementType())
        context = self._opx.debugContext(name)
        popops.mapWithOutput(self._opx.graph(), tree, list(operands), out, self._prog, context)

    def mapInPlace(
        self, e: Expr, operands: Sequence[Tensor], name: str = "", vertex: str = "expression"
    ) -> None:
        """Writes the value of `e` over `operands` to the first operand. `vertex`: as in `map`."""
        tree = device_tree(e, operands, operands[0].elementType())
        context, options = self._opx.debugContext(name), {"costedAs": vertex}
        popops.mapInPlace(self._opx.graph(), tree, list(operands), self._prog, context, options)

    def reduce(
        self,
        t: Tensor,
        dims: Sequence[int],
        name: str = "",
        operation: popops.Operation = popops.Operation.ADD,
        out: Type | None = None,
    ) -> Tensor:
        """`t` reduced along `dims`, which are removed; by default the sum, in the accumulator
        type.
        """
        kind = out or accumulator(t.elementType())
        params, context = popops.ReduceParams(operation), self._opx.debugContext(name)
        return popops.reduce(self._opx.graph(), t, kind, list(dims), params, self._prog, context)

    def separate(self, t: Tensor) -> Tensor:
        """`t`, or a copy of it if it is a view of an input: for an operator whose output must not
        alias its inputs.
        """
        inputs = [self._opx.getInTensor(i) for i in self._opx.op_p.input]
        if all(t.variables().isdisjoint(given.variables()) for given in inputs):
            return t
        return self._opx.cloneNcopy(self._prog, t)

    def reduce_to(self, t: Tensor, shape: Sequence[int], name: str, out: Type) -> Tensor:
        """`t` summed to `shape`: the reverse of broadcasting `shape` to the shape of `t`.

        If there is nothing to sum or convert, the result is a view of `t` (see `separate`).
        """
        have = t.shape()
        dims = summed_dims(have, shape)
        found = self.reduce(t, dims, name, out=out) if dims else self.converted(t, out, name)
        return found if have == list(shape) else found.reshape(list(shape))
