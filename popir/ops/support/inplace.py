"""The base class of element-wise operators with in-place variants.

A variant is the same class under another identifier: a clone that knows which input it overwrites.
Its Opx calls `overwritten()` and maps in place.
"""

from __future__ import annotations

import functools

from popir.ir import Op, OperatorIdentifier
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Expr
from popir.opx import Opx, popType
from popir.poplar import Tensor, program

PRIORITY = 10.0
"""The default priority of a variant, as in PopART."""


class OverwritingOp(Op):
    """An operator with one output. Element i of the output depends on element i of each input that
    has the output's type and shape.
    """

    _overwritten: int | None = None

    def overwritten(self) -> int | None:
        """The input that the output overwrites; None for an operator that is not in place."""
        return self._overwritten

    def variants(self) -> dict[int, OperatorIdentifier]:
        """The in-place variant for each input that may be overwritten. By default `TypeInplace` for
        input 0.
        """
        return {0: variant_id(self.opid.type)}

    def inplacePriorityDefault(self) -> list[tuple[OperatorIdentifier, float]]:
        """The variants for inputs with the output's type and shape."""
        if self._overwritten is not None:
            return []
        out, found = self.outInfo(0), []
        for i, opid in self.variants().items():
            info = self.input[i].info
            if info is out or info == out:
                found.append((opid, PRIORITY))
        return found

    def getInplaceVariant(self, opid: OperatorIdentifier) -> Op:
        """A clone that overwrites the input of the variant `opid`. Raises popart_exception for an
        identifier that is not in `variants`.
        """
        for i, variant in self.variants().items():
            if variant == opid:
                twin = self.clone()
                assert isinstance(twin, OverwritingOp)
                twin.opid = opid
                twin._overwritten = i
                return twin
        return super().getInplaceVariant(opid)

    def turnInto(self, opid: OperatorIdentifier) -> bool:
        """Becomes the variant, or again what it was; False for any other identifier, and if C++
        code has a twin of the operator, which stays as it is.
        """
        if self.twin is not None:
            return False
        at = None
        for i, variant in self.variants().items():
            if variant is opid or variant == opid:
                at = i
                break
        if at is None and opid != self.variant_of:
            return False
        self.variant_of = None if at is None else self.opid
        self.opid, self._overwritten = opid, at
        self.graph.changes += 1
        return True

    def modifies(self, inIndex: int) -> bool:
        """Whether this is the overwritten input."""
        return inIndex == self._overwritten

    def modified_inputs(self) -> list[int]:
        """The overwritten input, if there is one."""
        return [self._overwritten] if self._overwritten in self.input else []

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether this is the overwritten input: the output is its memory."""
        return inIndex == self._overwritten


@functools.cache
def variant_id(type: str, which: str = "") -> OperatorIdentifier:
    """The identifier of an in-place variant, with PopART's names: `ReluInplace`,
    `AddLhsInplace`.
    """
    return graphcore_id(f"{type}{which}Inplace")


def mapped(
    opx: Opx,
    e: Expr,
    operands: list[Tensor],
    prog: program.Sequence,
    vertex: str = "expression",
) -> Tensor:
    """The output, computed in one pass; in place of the first operand if the operator overwrites an
    input. `vertex`: popops.map's option costedAs.
    """
    op, arithmetic = opx.getOp(OverwritingOp), Arithmetic(opx, prog)
    if op.overwritten() is None:
        return arithmetic.map(e, operands, out=popType(opx.outInfo(0)), vertex=vertex)
    arithmetic.mapInPlace(e, operands, vertex=vertex)
    return operands[0]
