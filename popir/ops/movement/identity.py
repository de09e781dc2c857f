"""Identity, and PopART's Nop and Detach: return the input. Detach stops the gradient."""

from __future__ import annotations

from popir.ir import Op
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.views import ReshapeOpx, ReshapingOp
from popir.registry import OpCreator, OpxCreator


class IdentityOp(ReshapingOp):
    """ONNX's Identity, versions 1, 13, 14, 16, 19, 21, 23, 24 and 25, and PopART's Nop: output 0 is
    a view of the input. An Identity of a sequence is removed at import.
    """

    def output_shape(self) -> list[int]:
        """The shape of the input."""
        return self.inShape(0)

    def canBeReplacedByIdentity(self) -> bool:
        """True for Identity. False for Nop: a model uses Nop to keep an operator there."""
        return self.opid.type == "Identity"


class DetachOp(IdentityOp):
    """PopART's Detach: returns the input, and has no gradient.

    `pass_through_creation`, of former releases of PopART, has no effect (OptionWarning).
    """

    stopsGradient = True
    withoutMeaning = {"pass_through_creation": "a Detach is a view of its input in any case."}
    pass_through_creation: int = 0

    def canBeReplacedByIdentity(self) -> bool:
        """False: an Identity would have a gradient."""
        return False

    def getGradOps(self) -> list[Op]:
        """No gradient operators, without an error in autodiff (`stopsGradient`)."""
        return []


_IDENTITIES = [*onnx_ids("Identity", 1, 13, 14, 16, 19, 21, 23, 24, 25), graphcore_id("Nop")]
OpCreator(IdentityOp, _IDENTITIES)
OpCreator(DetachOp, [graphcore_id("Detach")])
OpxCreator(ReshapeOpx, [*_IDENTITIES, graphcore_id("Detach")])
