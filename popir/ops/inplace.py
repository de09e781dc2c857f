"""Base of the operators that may write their result over one of their inputs.

An in-place variant is the same class under another identifier: a clone that says which input it
overwrites. The Opx asks `overwritten()` and maps in place.
"""

from __future__ import annotations

from popir.ir import Op, OperatorIdentifier
from popir.ops.arithmetic import Arithmetic
from popir.ops.identifiers import graphcoreId
from popir.ops.symbolic import Expr
from popir.opx import Opx, popType
from popir.poplar import Tensor, program

PRIORITY = 10.0
"""How much a variant is wanted, as long as nobody says otherwise; PopART's number."""


class OverwritingOp(Op):
    """An operator with one output, each element of which depends on the same element of every
    input that has the output's type and shape.
    """

    _overwritten: int | None = None

    def overwritten(self) -> int | None:
        """The input that the output is written over; None for an operator out of place."""
        return self._overwritten

    def variants(self) -> dict[int, OperatorIdentifier]:
        """The in-place variant for each input that may be overwritten: of one input alone, by
        default, `TypeInplace`.
        """
        return {0: variantId(self.opid.type)}

    def inplacePriorityDefault(self) -> list[tuple[OperatorIdentifier, float]]:
        """The variants whose input has the output's type and shape."""
        if self._overwritten is not None:
            return []
        out = self.outInfo(0)
        return [(opid, PRIORITY) for i, opid in self.variants().items() if self.inInfo(i) == out]

    def getInplaceVariant(self, opid: OperatorIdentifier) -> Op:
        """A clone that overwrites the variant's input."""
        for i, variant in self.variants().items():
            if variant == opid:
                twin = self.clone()
                assert isinstance(twin, OverwritingOp)
                twin.opid = opid
                twin._overwritten = i
                return twin
        return super().getInplaceVariant(opid)

    def modifies(self, inIndex: int) -> bool:
        """The input that is overwritten."""
        return inIndex == self._overwritten

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the input that is overwritten."""
        return inIndex == self._overwritten


def variantId(type: str, which: str = "") -> OperatorIdentifier:
    """The identifier of an in-place variant, as PopART names it: `ReluInplace`, `AddLhsInplace`."""
    return graphcoreId(f"{type}{which}Inplace")


def mapped(opx: Opx, e: Expr, operands: list[Tensor], prog: program.Sequence) -> Tensor:
    """One pass, which gives the output; in place of the first operand if the operator overwrites
    it.
    """
    op, arithmetic = opx.getOp(OverwritingOp), Arithmetic(opx, prog)
    if op.overwritten() is None:
        return arithmetic.map(e, operands, out=popType(opx.outInfo(0)))
    arithmetic.mapInPlace(e, operands)
    return operands[0]
