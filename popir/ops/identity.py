"""Identity, and PopART's Nop and Detach: the input itself. Detach lets no gradient through."""

from __future__ import annotations

from popir.ir import Op
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.views import ReshapeOpx, ReshapingOp
from popir.registry import OpCreator, OpxCreator


class IdentityOp(ReshapingOp):
    """The input itself."""

    def outputShape(self) -> list[int]:
        """The input's."""
        return self.inShape(0)

    def canBeReplacedByIdentity(self) -> bool:
        """It is one, but Nop: a model says Nop where it wants an operator."""
        return self.opid.type == "Identity"


class DetachOp(IdentityOp):
    """The input itself, without a gradient."""

    stopsGradient = True

    def canBeReplacedByIdentity(self) -> bool:
        """An Identity would let a gradient through."""
        return False

    def getGradOps(self) -> list[Op]:
        """None, and that is meant."""
        return []


_IDENTITIES = [*onnxIds("Identity", 1, 13, 14, 16, 19, 21, 23, 24, 25), graphcoreId("Nop")]
OpCreator(IdentityOp, _IDENTITIES)
OpCreator(DetachOp, [graphcoreId("Detach")])
OpxCreator(ReshapeOpx, [*_IDENTITIES, graphcoreId("Detach")])
